// expect: offload
// kernels: optimized
// fp: exact
// feature: the lattice Boltzmann method of the paper principles: a struct for each cell, read and written field by field
#include <stdio.h>

#define H 21
#define W 70
#define STEPS 3

// Particles of a cell by where they go, and whether the cell is a wall.
struct cell {
  float rest, east, west, north, south, north_east, north_west, south_east, south_west;
  int wall;
};

static struct cell now[H][W], next[H][W];

static unsigned seed = 8800u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

// What relaxes towards equilibrium, for a direction with weight `share` along which the flow is `along`.
static float relaxed(float before, float share, float density, float along, float square) {
  float equilibrium = share * (density + 3.0f * along + 4.5f * along * along - 1.5f * square);
  return before + 0.625f * (equilibrium - before);
}

// One step from one lattice to another: particles arrive from all neighbours, then collide or are thrown back by a wall.
static void step(int h, int w, struct cell from[H][W], struct cell to[H][W]) {
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      float rest = from[y][x].rest;
      float east = from[y][x - 1].east, west = from[y][x + 1].west;
      float north = from[y - 1][x].north, south = from[y + 1][x].south;
      float north_east = from[y - 1][x - 1].north_east, north_west = from[y - 1][x + 1].north_west;
      float south_east = from[y + 1][x - 1].south_east, south_west = from[y + 1][x + 1].south_west;
      to[y][x].wall = from[y][x].wall;
      if (from[y][x].wall) {
        to[y][x].rest = rest;
        to[y][x].east = west;
        to[y][x].west = east;
        to[y][x].north = south;
        to[y][x].south = north;
        to[y][x].north_east = south_west;
        to[y][x].south_west = north_east;
        to[y][x].north_west = south_east;
        to[y][x].south_east = north_west;
      } else {
        float density = rest + east + west + north + south + north_east + north_west + south_east + south_west;
        float u = east + north_east + south_east - west - north_west - south_west;
        float v = north + north_east + north_west - south - south_east - south_west;
        float square = u * u + v * v;
        to[y][x].rest = relaxed(rest, 0.4375f, density, 0.0f, square);
        to[y][x].east = relaxed(east, 0.109375f, density, u, square);
        to[y][x].west = relaxed(west, 0.109375f, density, -u, square);
        to[y][x].north = relaxed(north, 0.109375f, density, v, square);
        to[y][x].south = relaxed(south, 0.109375f, density, -v, square);
        to[y][x].north_east = relaxed(north_east, 0.03125f, density, u + v, square);
        to[y][x].north_west = relaxed(north_west, 0.03125f, density, v - u, square);
        to[y][x].south_east = relaxed(south_east, 0.03125f, density, u - v, square);
        to[y][x].south_west = relaxed(south_west, 0.03125f, density, -u - v, square);
      }
    }
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      struct cell c = {0.4375f, 0.109375f, 0.109375f, 0.109375f, 0.109375f, 0.03125f, 0.03125f, 0.03125f, 0.03125f, 0};
      c.east += 0.001f * (float)rnd(0, 9);
      c.wall = y == 0 || y == H - 1 || rnd(0, 19) == 0;
      now[y][x] = c;
      next[y][x] = c;
    }
  for (int t = 0; t < STEPS; t++) {
    step(H, W, now, next);
    step(H, W, next, now);
  }
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      printf("%.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", (double)now[y][x].rest, (double)now[y][x].east, (double)now[y][x].west, (double)now[y][x].north,
             (double)now[y][x].south, (double)now[y][x].north_east, (double)now[y][x].north_west, (double)now[y][x].south_east, (double)now[y][x].south_west);
  return 0;
}
