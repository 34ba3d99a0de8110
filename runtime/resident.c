/* The shape in which a resident kernel runs. */
#include "nestwarp_rt.h"
#include "resident_rule.h"

/* One block when the widest step needs few rounds of it: its barriers cost next to nothing.
 * Otherwise a cooperative grid, unless the widest step would keep every resident thread busy for
 * many rounds. */
int nw_resident_shape(nw_region *region, const char *kernel, const long long threads[3],
                      const int block[3], nw_shape *shape) {
  long long in_block = (long long)block[0] * block[1] * block[2],
            rounds_in_a_block =
                in_block < NW_SMALL_BLOCK ? NW_ROUNDS_IN_A_SMALL_BLOCK : NW_ROUNDS_IN_A_BLOCK;
  long long wanted = nw_max(threads[0], 1) * nw_max(threads[1], 1) * nw_max(threads[2], 1);
  for (int k = 0; k < 3; k++) {
    shape->grid[k] = 1;
    shape->block[k] = block[k];
  }
  shape->mode = NW_PLAIN;
  if (nw_block_limit(region, kernel) < in_block)
    return 0; /* the plain launches have smaller blocks */
  if (wanted <= in_block * rounds_in_a_block)
    return 1;
  if (!nw_has_grid_barrier(region))
    return 0;
  long long resident = nw_resident_blocks(region, kernel, (int)in_block);
  if (resident < 2 || wanted > resident * in_block * NW_ROUNDS_IN_A_GRID)
    return 0;
  long long columns = nw_min(nw_max((threads[0] + block[0] - 1) / block[0], 1), resident);
  long long rows =
      nw_min(nw_max((threads[1] + block[1] - 1) / block[1], 1), nw_max(resident / columns, 1));
  shape->grid[0] = columns;
  shape->grid[1] = rows;
  shape->mode = NW_COOPERATIVE;
  return 1;
}
