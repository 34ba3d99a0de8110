// A 3x3 filter over an image of bytes, then a threshold; rows of the image are reached by flattened subscripts.
// On the device, whether it pays off or not:  nestwarp cc -O2 --offload=always blur.c -o blur && ./blur > out.pgm
// The kernels as CUDA:                        nestwarp compile blur.c --function blur --emit=cuda
// As sources for nvcc:                        nestwarp compile blur.c -o blur.cu && nvcc -O2 blur.cu blur.host.c -o blur
// Original against generated code:            nestwarp check blur.c --size width=100 --size height=70
#include <stdio.h>
#include <stdlib.h>

void blur(int width, int height, const unsigned char *restrict in, unsigned char *restrict out) {
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += in[(y + dy) * width + x + dx] * (2 - abs(dy)) * (2 - abs(dx));
      out[y * width + x] = (unsigned char)(sum / 16);
    }
}

void threshold(int pixels, unsigned char *image, int limit) {
  for (int p = 0; p < pixels; p++)
    image[p] = image[p] >= limit ? 255 : 0;
}

int main(void) {
  enum { WIDTH = 640, HEIGHT = 480 };
  unsigned char *in = malloc(WIDTH * HEIGHT), *out = calloc(WIDTH, HEIGHT);
  if (!in || !out)
    return fprintf(stderr, "no memory\n"), 1;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      in[y * WIDTH + x] = (unsigned char)((x * x / 64 + y * y / 48) % 256);
  blur(WIDTH, HEIGHT, in, out);
  threshold(WIDTH * HEIGHT, out, 128);
  printf("P5\n%d %d\n255\n", WIDTH, HEIGHT);
  fwrite(out, 1, WIDTH * HEIGHT, stdout);
  free(in);
  free(out);
  return 0;
}
