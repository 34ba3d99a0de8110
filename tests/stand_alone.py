"""Stand-alone files: copies that fail, many threads, and both entries in turns."""
import os
import harness
from harness import Failure, Skip

FOLDER = os.path.join(harness.TESTS, "stand_alone")
NVCC = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
GIVES_UP = "the results are incomplete and the data can not be restored: giving up"


def source(name):
    return os.path.join(FOLDER, name)


def opencl_program(scratch, main, more=()):
    """The program of main and update.c for OpenCL, and the environment to run it in, with the shim."""
    if not os.path.exists("/usr/include/CL/cl.h"):
        raise Skip("CL/cl.h is not installed (package opencl-headers)")
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    out, program, shim = (os.path.join(scratch, f) for f in ("out.cl.c", "program", "shim.so"))
    harness.run([harness.NESTWARP, "compile", "-q", "--target=opencl", source("update.c"), "-o", out])
    harness.run(["gcc", "-O1", "-Wall", "-Wno-unused-function", "-Werror", *more, source(main), out, os.path.join(scratch, "out.host.c"), "-o", program, "-l:libOpenCL.so.1", "-lpthread"])
    harness.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", source("shim.c"), "-o", shim, "-ldl"])
    return program, {"OCL_ICD_VENDORS": "pocl.icd", "LD_PRELOAD": shim}


def expect_no_wrong_numbers(program, env, variable):
    """a and b are read and written, c is only written and copied first: what fails later ends the program."""
    for failing in (0, 1, 2, 3):
        got = harness.run([program], env={**env, variable: str(failing)}, check=False)
        if failing <= 1:
            good = got.status == 0 and got.out == "0 wrong\n" and ("running the original loops" in got.err) == bool(failing)
        else:
            good = got.status == -6 and got.out == "" and GIVES_UP in got.err  # SIGABRT
        if not good:
            raise Failure(f"copy {failing} fails: status {got.status}: {got.out}{got.err}")
        if failing <= 1 and "copies under way" in got.err and "0 copies under way" not in got.err:
            raise Failure(f"copy {failing} fails: nobody waited for the others: {got.err}")


def opencl_copies_fail():
    with harness.Scratch() as scratch:
        program, env = opencl_program(scratch, "main.c")
        expect_no_wrong_numbers(program, env, "FAIL_READ")


def cuda_copies_fail():
    if not NVCC:
        raise Skip("nvcc is not installed")
    with harness.Scratch() as scratch:
        out, program, objects = os.path.join(scratch, "out.cu"), os.path.join(scratch, "program"), [os.path.join(scratch, f) for f in ("out.o", "host.o", "main.o", "idle.o")]
        include = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(NVCC))), "include")
        harness.run([harness.NESTWARP, "compile", "-q", source("update.c"), "-o", out])
        harness.run([NVCC, "-arch=sm_90", "-c", out, "-o", objects[0]], limit=300)
        harness.run(["gcc", "-O1", "-w", "-c", os.path.join(scratch, "out.host.c"), "-o", objects[1]])
        harness.run(["gcc", "-O1", "-c", source("main.c"), "-o", objects[2]])
        harness.run(["g++", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + include, "-c", source("idle_runtime.cpp"), "-o", objects[3]])
        harness.run(["g++", *objects, "-o", program, "-lpthread"])
        expect_no_wrong_numbers(program, {}, "FAIL_COPY")


def opencl_threads():
    """Threads in the region at the same time, the first time too."""
    with harness.Scratch() as scratch:
        program, env = opencl_program(scratch, "main.c")
        for _ in range(3):
            got = harness.run([program, "8", "5"], env=env)
            if got.out != "0 wrong\n" or "nestwarp:" in got.err or "shim: 1 builds, 1 programs left" not in got.err:
                raise Failure(got.out + got.err)


def opencl_turns():
    """Host and device entries in turns build once for each context; programs of contexts long gone are released."""
    with harness.Scratch() as scratch:
        program, env = opencl_program(scratch, "turns.c", [f'-DHEADER="{scratch}/out.device.h"'])
        for contexts, said in ((1, "shim: 2 builds, 2 programs left"), (12, "8 programs left")):
            got = harness.run([program, str(contexts)], env=env)
            if got.out != "0 0 wrong\n" or said not in got.err:
                raise Failure(f"{contexts} contexts: {got.out}{got.err}")


def cases():
    return [("stand-alone OpenCL, copies fail", opencl_copies_fail), ("stand-alone CUDA, copies fail", cuda_copies_fail),
            ("stand-alone OpenCL, threads", opencl_threads), ("stand-alone OpenCL, entries in turns", opencl_turns)]
