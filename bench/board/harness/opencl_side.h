// What a library of generated OpenCL code offers to the harness: memory and time of OpenCL's own,
// on the same GPU. Plain C functions, found by name when the library is loaded, so that a machine
// without OpenCL loses one column and nothing else.
#pragma once
#include <cstddef>

extern "C" {
/// Opens the first GPU (else the first device); nothing, or what is amiss.
const char *board_cl_open(void);
const char *board_cl_device(void);
/// The queue, for the last argument of the generated entry.
void *board_cl_queue(void);
/// A buffer (cl_mem), or null.
void *board_cl_buffer(size_t bytes);
/// Each returns 0 if it was done, else OpenCL's error. All but the last two wait until it is.
int board_cl_write(void *buffer, const void *from, size_t bytes);
int board_cl_read(void *buffer, void *to, size_t bytes);
int board_cl_copy(void *from, void *to, size_t bytes);
int board_cl_fill(void *buffer, unsigned char value, size_t bytes);
/// Around what is timed: the queue has run empty before. Milliseconds by the device's clock, else
/// by the host's.
int board_cl_begin(void);
int board_cl_end(double *milliseconds, int *by_device);
}
