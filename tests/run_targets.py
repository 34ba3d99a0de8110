#!/usr/bin/env python3
"""Stand-alone output: every program's CUDA file through nvcc without a warning, its host file through gcc, and some
OpenCL files built, linked and run."""
import glob
import os
import harness
from harness import Failure, Skip

NVCC = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
OPENCL = ["flat_2d", "structs", "pure_functions", "reductions_int", "wavefront"]


def cuda(path, more):
    with harness.Scratch() as scratch:
        out = os.path.join(scratch, "out.cu")
        harness.run([harness.NESTWARP, "compile", "-q", "--target=cuda", *more, path, "-o", out])
        harness.run(["gcc", "-O1", "-w", "-c", os.path.join(scratch, "out.host.c"), "-o", os.path.join(scratch, "host.o")])
        if not NVCC:
            raise Skip("nvcc is not installed")
        harness.run([NVCC, "-arch=sm_90", "-Werror", "all-warnings", "-c", out, "-o", os.path.join(scratch, "out.o")], limit=300)


def opencl_compiles(path):
    with harness.Scratch() as scratch:
        out = os.path.join(scratch, "out.cl.c")
        harness.run([harness.NESTWARP, "compile", "-q", "--target=opencl", path, "-o", out])
        if not os.path.exists("/usr/include/CL/cl.h"):
            raise Skip("CL/cl.h is not installed (package opencl-headers)")
        harness.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter", "-c", out, "-o", os.path.join(scratch, "out.o")])


def opencl_runs(path):
    if not os.path.exists("/usr/include/CL/cl.h"):
        raise Skip("CL/cl.h is not installed (package opencl-headers)")
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    with harness.Scratch() as scratch:
        out, program, ref = (os.path.join(scratch, f) for f in ("out.cl.c", "program", "ref"))
        harness.run([harness.NESTWARP, "compile", "-q", "--target=opencl", "-ffp-contract=off", "--offload=always", path, "-o", out])
        harness.run(["gcc", "-O2", "-w", "-ffp-contract=off", out, os.path.join(scratch, "out.host.c"), "-o", program, "-l:libOpenCL.so.1", "-lm"])
        harness.run(["gcc", "-O2", "-w", "-ffp-contract=off", path, "-o", ref, "-lm"])
        cache = os.path.join(scratch, "cache")
        os.mkdir(cache)
        got = harness.run([program], env={"POCL_CACHE_DIR": cache, "OCL_ICD_VENDORS": "pocl.icd"})
        want = harness.run([ref])
        if got.out != want.out:
            raise Failure(f"the output differs\n{got.err[-500:]}")
        if "nestwarp:" in got.err or not any(f.endswith(".so") for _, _, files in os.walk(cache) for f in files):
            raise Failure(f"no kernel ran, but the original loops\n{got.err[-500:]}")


def suite(arguments):
    cases = []
    programs = sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c")))
    for path in programs:
        name = os.path.basename(path)[:-2]
        cases.append((f"nvcc {name}", lambda path=path: cuda(path, [])))
    for name in ("gemm", "correlation"):
        path = os.path.join(harness.TESTS, "programs", name + ".c")
        cases.append((f"nvcc {name} double", lambda path=path: cuda(path, ["-DDATA_TYPE=double", "--fp=strict"])))
    for name in ("gemm", "jacobi_2d", "correlation", "nussinov"):
        path = os.path.join(harness.TESTS, "programs", name + ".c")
        cases.append((f"opencl compiles {name}", lambda path=path: opencl_compiles(path)))
    for name in OPENCL:
        path = os.path.join(harness.TESTS, "features", name + ".c")
        cases.append((f"opencl runs {name}", lambda path=path: opencl_runs(path)))
    return harness.run_cases("targets", [c for c in cases if harness.chosen(arguments, c[0])])


if __name__ == "__main__":
    harness.main(suite)
