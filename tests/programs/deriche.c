// Deriche recursive smoothing of a w x h image: causal and anticausal pass, both axes.
// int: no
#include <math.h>

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

#define SMOOTHNESS 0.25f

void deriche(int w, int h, DATA_TYPE in[w][h], DATA_TYPE out[w][h], DATA_TYPE fwd[w][h],
             DATA_TYPE bwd[w][h]) {
  DATA_TYPE decay = expf(-SMOOTHNESS);
  DATA_TYPE decay2 = expf(-2.0f * SMOOTHNESS);
  DATA_TYPE gain = (1 - decay) * (1 - decay) / (1 + 2 * SMOOTHNESS * decay - decay2);
  DATA_TYPE f0 = gain;
  DATA_TYPE f1 = gain * decay * (SMOOTHNESS - 1);
  DATA_TYPE g1 = gain * decay * (SMOOTHNESS + 1);
  DATA_TYPE g2 = -gain * decay2;
  DATA_TYPE r1 = powf(2.0f, -SMOOTHNESS);
  DATA_TYPE r2 = -decay2;

  // along the second axis
  for (int i = 0; i < w; i++) {
    DATA_TYPE y1 = 0, y2 = 0, x1 = 0;
    for (int j = 0; j < h; j++) {
      fwd[i][j] = f0 * in[i][j] + f1 * x1 + r1 * y1 + r2 * y2;
      x1 = in[i][j];
      y2 = y1;
      y1 = fwd[i][j];
    }
  }
  for (int i = 0; i < w; i++) {
    DATA_TYPE y1 = 0, y2 = 0, x1 = 0, x2 = 0;
    for (int j = h - 1; j >= 0; j--) {
      bwd[i][j] = g1 * x1 + g2 * x2 + r1 * y1 + r2 * y2;
      x2 = x1;
      x1 = in[i][j];
      y2 = y1;
      y1 = bwd[i][j];
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      out[i][j] = fwd[i][j] + bwd[i][j];

  // along the first axis
  for (int j = 0; j < h; j++) {
    DATA_TYPE y1 = 0, y2 = 0, x1 = 0;
    for (int i = 0; i < w; i++) {
      fwd[i][j] = f0 * out[i][j] + f1 * x1 + r1 * y1 + r2 * y2;
      x1 = out[i][j];
      y2 = y1;
      y1 = fwd[i][j];
    }
  }
  for (int j = 0; j < h; j++) {
    DATA_TYPE y1 = 0, y2 = 0, x1 = 0, x2 = 0;
    for (int i = w - 1; i >= 0; i--) {
      bwd[i][j] = g1 * x1 + g2 * x2 + r1 * y1 + r2 * y2;
      x2 = x1;
      x1 = out[i][j];
      y2 = y1;
      y1 = bwd[i][j];
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      out[i][j] = fwd[i][j] + bwd[i][j];
}
