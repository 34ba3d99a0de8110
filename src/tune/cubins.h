// Cubins of bundles: kernels as machine code for the device asked for. The runtime finds one by its
// name (runtime/cubins.h), which holds the hash of the source and of the compiler's options: the
// same text as runtime/cuda_compile.c makes.
#pragma once
#include "emit/kernel_text.h"

namespace nw {

// The options of the CUDA compiler, separated by spaces.
std::string cudaOptions(const EmitOptions &options, const std::string &architecture);
// HASH.sm_90.cubin.
std::string cubinName(const std::string &source, const std::string &options,
                      const std::string &architecture);
// The 128-bit FNV-1a hash of the bytes, in hexadecimal.
std::string cubinHash(const std::string &bytes);

// "sm_90,sm_80" as words; throws a UserError where one is none.
std::vector<std::string> architecturesOf(const std::string &text);

} // namespace nw
