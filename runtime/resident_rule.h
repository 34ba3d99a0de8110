/* When a resident kernel is worthwhile, in rounds: how often all of its threads take a value of the
 * widest step. The compiler's model (src/estimate/resident_rule.h) and the stand-alone files
 * (src/emit) have the same numbers; tests/unit/resident_rule.cpp holds them together.
 */
#ifndef NESTWARP_RESIDENT_RULE_H
#define NESTWARP_RESIDENT_RULE_H

/* Blocks of fewer threads are for threads with long loops, which would wait for each other. */
#define NW_SMALL_BLOCK 256
#define NW_ROUNDS_IN_A_SMALL_BLOCK 2
#define NW_ROUNDS_IN_A_BLOCK 6
/* Beyond that, launches cost less than the barriers gain. */
#define NW_ROUNDS_IN_A_GRID 8

#endif
