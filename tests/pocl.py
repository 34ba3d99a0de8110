#!/usr/bin/env python3
"""PoCL with fewer built-in functions, for the tests: the same library and compiler, beside copies of
these functions and of their header that lack those on vectors and images, and conversions.

PoCL reads all of both in each process that compiles a kernel: 0.86 s of processor time, 0.18 with
these (x86-64 at 2.5 GHz). Kernels of nestwarp's call none of them; one that did would not link."""
import ctypes
import functools
import glob
import os
import re
import shutil
import subprocess
import sys

BUILD = os.path.abspath(os.environ.get(
    "NESTWARP_BUILD", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build")))
FOLDER = os.path.join(BUILD, "pocl")
LEFT_OUT = (r"Dv|^_Z[0-9]+(_cl_)?(convert_|vload|vstore|async_|prefetch|(read|write|get)_image)"
            r"|^Sleef_[a-z0-9]+[df](2|4|8|16)_")  # names of functions
VECTOR = re.compile(r"\b(bool|u?(char|short|int|long)|half|float|double|size_t)(2|3|4|8|16)\b")


def compile_nothing():
    """Builds a program on the first device there is, so that PoCL reads what it needs for that."""
    cl = ctypes.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateProgramWithSource"):
        getattr(cl, name).restype = ctypes.c_void_p
    platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
    cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
    context = cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error))
    source = ctypes.c_char_p(b"kernel void nothing(global int *a) { a[get_global_id(0)] = 1; }")
    program = cl.clCreateProgramWithSource(ctypes.c_void_p(context), 1, ctypes.byref(source), None,
                                           ctypes.byref(error))
    status = cl.clBuildProgram(ctypes.c_void_p(program), 0, None, b"", None, None)
    sys.exit(1 if status else 0)


def parts_of(vendors):
    """PoCL's library, and the files that it reads; nothing where they cannot be told."""
    env = {**os.environ, "OCL_ICD_VENDORS": vendors, "POCL_DEBUG": "llvm",
           "POCL_KERNEL_CACHE": "0", "LD_DEBUG": "files"}
    env.pop("LD_PRELOAD", None)
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--compile-nothing"], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace")
    functions = re.search(r"Using (\S+\.bc) as the built-in lib", done.stdout + done.stderr)
    library = re.search(r"calling init: (\S*/libpocl\.so\S*)", done.stdout + done.stderr)
    llvm = re.search(r"calling init: \S*/libLLVM-(\d+)\.so", done.stdout + done.stderr)
    extract = f"/usr/lib/llvm-{llvm.group(1)}/bin/llvm-extract" if llvm else ""
    if done.returncode or not functions or not library or not os.access(extract, os.X_OK):
        return None
    return library.group(1), os.path.realpath(functions.group(1)), extract


def make(folder, library, functions, extract):
    """The tree that PoCL expects around its library: links, but for the two shorter files."""
    share, here = os.path.join(folder, "share", "pocl"), os.path.dirname(os.path.realpath(library))
    lib = os.path.join(folder, "lib", "here")
    for name in (os.path.join(share, "include"), lib, os.path.join(folder, "vendors")):
        os.makedirs(name)
    for path in glob.glob(os.path.join(os.path.dirname(functions), "include", "*")):
        os.symlink(path, os.path.join(share, "include", os.path.basename(path)))
    for path in glob.glob(os.path.join(os.path.dirname(functions), "*.bc")):
        if path != functions:  # other processors', should the folder move to one
            os.symlink(path, os.path.join(share, os.path.basename(path)))
    header = os.path.join(share, "include", "opencl-c.h")
    lines = open(header).read().splitlines(keepends=True)
    os.unlink(header)
    with open(header, "w") as f:
        f.writelines(line for line in lines if not ("__ovld" in line and VECTOR.search(line)
                                                    and line.rstrip().endswith(";")))
    subprocess.run([extract, "--delete", "--rfunc=" + LEFT_OUT, functions, "-o",
                    os.path.join(share, os.path.basename(functions))], check=True)
    for path in glob.glob(os.path.join(here, "*pocl*")):
        os.symlink(path, os.path.join(lib, os.path.basename(path)))
    with open(os.path.join(folder, "vendors", "pocl.icd"), "w") as f:
        f.write(os.path.join(FOLDER, "lib", "here", os.path.basename(library)) + "\n")


def is_current(icd):
    """Whether the tree is there, and no older than the PoCL that it is made of."""
    if not os.path.exists(icd):
        return False
    library = open(icd).read().strip()
    return os.path.exists(library) and os.stat(library).st_ctime < os.stat(icd).st_mtime


@functools.lru_cache(None)
def vendors():
    """The folder that OCL_ICD_VENDORS is to name; or nothing, where PoCL stays as it is: there is
    none, its LLVM's llvm-extract is missing, its files are others, or the user has chosen."""
    usual = "/etc/OpenCL/vendors"
    if "OCL_ICD_VENDORS" in os.environ or not os.path.exists(os.path.join(usual, "pocl.icd")):
        return None
    made = os.path.join(FOLDER, "vendors")
    if is_current(os.path.join(made, "pocl.icd")):
        return made
    parts = parts_of("pocl.icd")
    if not parts:
        return None
    scratch = f"{FOLDER}.{os.getpid()}"
    try:
        make(scratch, *parts)
        if not is_current(os.path.join(made, "pocl.icd")):  # nobody else was first
            shutil.rmtree(FOLDER, ignore_errors=True)
            os.rename(scratch, FOLDER)
    except (OSError, subprocess.CalledProcessError):
        pass
    shutil.rmtree(scratch, ignore_errors=True)
    return made if is_current(os.path.join(made, "pocl.icd")) else None


if __name__ == "__main__":
    if sys.argv[1:] == ["--compile-nothing"]:
        compile_nothing()
    print(vendors() or "PoCL as it is")
