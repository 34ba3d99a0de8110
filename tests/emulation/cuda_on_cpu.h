// CUDA on the CPU: included in front of a CUDA text by run_on_cpu.py, which also writes __shared__
// declarations in another way (see there). The text then compiles with g++ and links with the other
// files of this folder.
#pragma once
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "host_api.h"
#include "intrinsics.h"
#include "scheduler.h"
#include "synchronisation.h"
#include "vectors.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __CUDA_ARCH__ 900
