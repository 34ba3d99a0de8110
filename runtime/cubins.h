/* Kernels that were compiled before they came to this machine: a folder of cubins that
 * NESTWARP_CUBINS names, as bundles have one (docs/bundles.md). A cubin is found by the hash of its
 * source and of the compiler's options, so that one for another source, another treatment of
 * floating point or another architecture is never taken; without one the source is compiled. */
#ifndef NESTWARP_CUBINS_H
#define NESTWARP_CUBINS_H

#include <stddef.h>
#include <stdint.h>

struct nw_rt_device;

enum { NW_RT_CUBIN_HASH = 33, NW_RT_CUBIN_NAME = 80 };
#define NW_RT_LARGEST_CUBIN (64u << 20)

/* Makes the program from the folder's cubin for this CUDA source and these options, which name the
 * architecture. 0: there is none, or it does not load; compile the source. One that is used is
 * written down, a line with its name, in the file that NESTWARP_CUBINS_USED names. */
int nw_rt_load_cubin(struct nw_rt_device *device, const char *source, const char *options,
                     uintptr_t *program);

/* The name of the cubin's file, as in HASH.sm_90.cubin; 0 where the options name no such
 * architecture. */
int nw_rt_cubin_name(const char *source, const char *options, char name[NW_RT_CUBIN_NAME]);

/* The 128-bit FNV-1a hash of the bytes, in hexadecimal: of a cubin's content. */
void nw_rt_cubin_hash(const void *bytes, size_t size, char text[NW_RT_CUBIN_HASH]);

#endif
