/* The shape in which a resident kernel runs. */
#include "nestwarp_rt.h"

/* One block when the widest step needs few rounds of it: its barriers cost next to nothing. (Blocks
 * of a warp are for threads with long loops, which would wait for each other.) Otherwise a
 * cooperative grid, unless the widest step would keep every resident thread busy for many rounds:
 * then launches cost less than the barriers gain. */
int nw_resident_shape(nw_region *region, const char *kernel, const long long threads[3],
                      const int block[3], nw_shape *shape) {
  const long long rounds_in_a_grid = 8;
  long long in_block = (long long)block[0] * block[1] * block[2],
            rounds_in_a_block = in_block < 256 ? 2 : 6;
  long long wanted = nw_max(threads[0], 1) * nw_max(threads[1], 1) * nw_max(threads[2], 1);
  for (int k = 0; k < 3; k++) {
    shape->grid[k] = 1;
    shape->block[k] = block[k];
  }
  shape->form = NW_PLAIN;
  if (nw_block_limit(region, kernel) < in_block)
    return 0; /* the plain launches have smaller blocks */
  if (wanted <= in_block * rounds_in_a_block)
    return 1;
  if (!nw_has_grid_barrier(region))
    return 0;
  long long resident = nw_resident_blocks(region, kernel, (int)in_block);
  if (resident < 2 || wanted > resident * in_block * rounds_in_a_grid)
    return 0;
  long long columns = nw_min(nw_max((threads[0] + block[0] - 1) / block[0], 1), resident);
  long long rows =
      nw_min(nw_max((threads[1] + block[1] - 1) / block[1], 1), nw_max(resident / columns, 1));
  shape->grid[0] = columns;
  shape->grid[1] = rows;
  shape->form = NW_COOPERATIVE;
  return 1;
}
