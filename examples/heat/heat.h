/* Heat in a plate: what the files of this example share. The arrays are wherever the data directives of main.c have put them. */
#ifndef HEAT_H
#define HEAT_H

/* The plate at the beginning: hot at the top edge, warm at the left one. */
void heat_up(int rows, int columns, double plate[rows][columns]);

/* Copies a plate, edges and all. */
void mirror(int rows, int columns, double from[restrict rows][columns], double to[restrict rows][columns]);

/* One step: each point becomes the mean of its neighbours. Returns the largest change. */
double relax(int rows, int columns, double from[restrict rows][columns], double to[restrict rows][columns]);

/* Steps until nothing changes by more than `tolerance`, two at a time; returns how many. Prints the middle row every `watch`
 * steps, unless that is 0. */
int settle(int rows, int columns, double plate[restrict rows][columns], double next[restrict rows][columns], double tolerance, int most, int watch);

#endif
