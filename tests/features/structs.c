// expect: offload
// kernels: optimized
// fp: exact
// feature: arrays of structs, nested structs, array fields, copies, struct pointers
#include <stdio.h>

#define N 131

struct point {
  int x, y;
};

struct particle {
  struct point at, speed;
  short kind;
  int history[3];
};

struct grid {
  int scale;
  int cell[37][N];
};

static struct particle swarm[N];
static struct point mirror[N];
static struct grid field;

static unsigned seed = 101u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void move(int n, struct particle *p) {
  for (int i = 0; i < n; i++) {
    p[i].history[2] = p[i].history[1];
    p[i].history[1] = p[i].history[0];
    p[i].history[0] = p[i].at.x + p[i].at.y;
    p[i].at.x += p[i].speed.x * p[i].kind;
    p[i].at.y += p[i].speed.y;
  }
}

static void reflect(int n) {
  for (int i = 0; i < n; i++) {
    struct point q = swarm[n - 1 - i].at;
    q.x = -q.x;
    mirror[i] = q;
  }
}

static void paint(struct grid *g, int rows, int n) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      g->cell[i][j] = g->scale * i + mirror[j].x;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    struct particle p = {{rnd(-50, 50), 0}, {rnd(-5, 5), 3}, (short)rnd(0, 3), {1, 2, 3}};
    swarm[i] = p;
  }
  field.scale = 11;
  move(N, swarm);
  move(N, swarm);
  reflect(N);
  paint(&field, 37, N);
  for (int i = 0; i < N; i++)
    printf("%d %d %d %d %d %d %d %d\n", swarm[i].at.x, swarm[i].at.y, swarm[i].history[0],
           swarm[i].history[1], swarm[i].history[2], mirror[i].x, mirror[i].y,
           field.cell[i % 37][i]);
  return 0;
}
