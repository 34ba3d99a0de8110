#!/usr/bin/env python3
"""Generated CUDA as a program for the CPU.

    run_on_cpu.py FILE.cu [HOST.c ...] -o PROGRAM [--no-sanitizer] [--count] [--host-flag=FLAG]

or, from other scripts, build(...) below. The CUDA text is taken as it is, but for what no header can do (cuda_text.py):
declarations of shared memory, loops that watch memory, assembly, and the list of its kernels.

The program listens to
    NESTWARP_EMULATION_SEED=N        order of the threads: 0 forward, 1 backward, others at random
    NESTWARP_EMULATION_PROCESSORS=N  how many multiprocessors the device seems to have; 0: no cooperative grids
    NESTWARP_EMULATION_STATS=1       one line of JSON on stderr at the end: launches, threads
    NESTWARP_EMULATION_COUNTS=FILE   (built with count=True) accesses of warps, as JSON; - stands for stderr
and ends with status 70 and a message after a barrier that not all threads reach, a deadlock, or a race."""
import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from cuda_text import TextError, prepared

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(os.path.abspath(os.environ.get("NESTWARP_BUILD", os.path.join(HERE, "..", "..", "build"))), "emulation")
SOURCES = ["fiber.cpp", "scheduler.cpp", "copies.cpp", "host_api.cpp", "hooks.cpp", "counting.cpp", "races.cpp"]
UNDEFINED = "bounds,shift,signed-integer-overflow,integer-divide-by-zero"
SANITIZERS = [f"-fsanitize=address,{UNDEFINED}", f"-fno-sanitize-recover={UNDEFINED}"]
# Accesses are seen through the calls that -fsanitize=thread inserts, and branches through those of trace-pc. Without
# optimisation, each access of the text is one of the machine, and the code stands in the order of the text.
COUNTING = ["-fsanitize=thread", "-fsanitize-coverage=trace-pc", "--param=tsan-distinguish-volatile=1"]
FLAGS = ["-std=c++17", "-O0", "-g1", "-w", "-ffp-contract=off"]  # compiling takes longer than running
# Clang takes three fifths of GCC's time; its objects go with GCC's sanitizers, which begin quicker than its own. GNU gold
# links in a third of ld's time.
CLANG = shutil.which("clang++-22")
LINK = ["g++", *(["-fuse-ld=gold"] if shutil.which("ld.gold") else [])]

MISTAKE = 70  # exit status of a program after a report
PROCESS = subprocess.Popen  # what runs compilers; tests count their time


class BuildError(Exception):
    """A compiler refused a file; the text is what it said."""


def build(cu_file, host_c_files, out, sanitize=True, count=False, flags=(), host_flags=()):
    """Compiles a generated CUDA file and host files (.c or .cpp) into the program `out`.

    sanitize: with AddressSanitizer and UndefinedBehaviorSanitizer; run it with environment() then.
    count:    sees every access of the kernels: counts transactions and bank conflicts, and reports races; not together
              with sanitize, which is ignored then.
    flags:    more flags for all compilers, such as -DN=20; host_flags: for the host files alone.
    Raises BuildError when a compiler refuses a file."""
    try:
        text = prepared(open(cu_file).read(), cu_file)
    except TextError as e:
        raise BuildError(str(e))
    compile = [CLANG if CLANG and not count else "g++", *FLAGS, *(COUNTING if count else SANITIZERS if sanitize else [])]
    header = _header(compile)
    host_sanitizer = ["-fsanitize=address"] if sanitize and not count else []
    link_sanitizer = ["-fsanitize=address,undefined"] if host_sanitizer else []
    with tempfile.TemporaryDirectory(prefix="nestwarp-emulation.") as scratch:
        objects = [os.path.join(scratch, f"{k}.o") for k in range(len(host_c_files) + 1)]
        jobs = [([*compile, *flags, "-iquote", os.path.dirname(os.path.abspath(cu_file)), "-include", header, "-x", "c++", "-c", "-", "-o", objects[0]], text)]
        for path, target in zip(host_c_files, objects[1:]):
            jobs.append((["gcc" if path.endswith(".c") else "g++", "-O0", "-g1", "-w", "-ffp-contract=off", *host_sanitizer, *flags, *host_flags, "-c", path, "-o", target], None))
        _all(jobs)
        link = [*LINK, *link_sanitizer, *objects, _object(), "-lboost_context", "-lm", "-o", out]
        _all([(link, None)])


def environment(seed=0, **more):
    """Variables for running a program: the order of threads, and what the sanitizers need."""
    return {"NESTWARP_EMULATION_SEED": str(seed), "NESTWARP_EMULATION_STATS": "1", "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "print_stacktrace=0", **{k: str(v) for k, v in more.items()}}


# ---- compiling

def _object():
    """The emulation's own files as one object."""
    def make(folder):
        objects = [os.path.join(folder, f + ".o") for f in SOURCES]
        _all([(["g++", "-std=c++17", "-O1", "-c", os.path.join(HERE, f), "-o", o], None) for f, o in zip(SOURCES, objects)])
        _all([(["ld", "-r", *objects, "-o", os.path.join(folder, "emulation.o")], None)])
    return os.path.join(_made((".h", ".cpp"), ["object"], make), "emulation.o")


def _header(compile):
    """The header, precompiled by this compiler with its flags."""
    def make(folder):
        _all([([*compile, "-x", "c++-header", os.path.join(HERE, "cuda_on_cpu.h"), "-o", os.path.join(folder, "cuda_on_cpu.h.gch")], None)])
    return os.path.join(_made((".h",), compile, make), "cuda_on_cpu.h")


def _made(endings, flags, make):
    """A folder that `make` has filled from the files with these endings; filled once, others wait meanwhile."""
    key = hashlib.sha256("\0".join(flags).encode())
    for f in sorted(f for f in os.listdir(HERE) if f.endswith(endings)):
        key.update(open(os.path.join(HERE, f), "rb").read())
    folder = os.path.join(CACHE, key.hexdigest()[:16])
    os.makedirs(CACHE, exist_ok=True)
    with open(os.path.join(CACHE, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(folder):
            _remove_old_folders()
            with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
                os.mkdir(os.path.join(scratch, "new"))
                make(os.path.join(scratch, "new"))
                os.rename(os.path.join(scratch, "new"), folder)
        os.utime(folder)
    return folder


def _remove_old_folders():
    """Those of earlier versions of these files, which nobody has used for an hour."""
    for name in os.listdir(CACHE):
        path = os.path.join(CACHE, name)
        if os.path.isdir(path) and time.time() - os.path.getmtime(path) > 3600:
            shutil.rmtree(path, ignore_errors=True)


def _all(jobs):
    """Runs (command, input) pairs side by side."""
    running = []
    for command, text in jobs:
        process = PROCESS(command, stdin=subprocess.PIPE if text else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        running.append((command, text, process))
    wrong = ""
    for command, text, process in running:
        said, _ = process.communicate(text)
        if process.returncode:
            wrong = wrong or f"{' '.join(command)}\n{said[-3000:]}"
    if wrong:
        raise BuildError(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cu_file")
    parser.add_argument("host_files", nargs="*")
    parser.add_argument("-o", required=True, dest="out")
    parser.add_argument("--no-sanitizer", action="store_true")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--host-flag", action="append", default=[], help="for the host files, as in --host-flag=-fwrapv")
    a = parser.parse_args()
    try:
        build(a.cu_file, a.host_files, a.out, not a.no_sanitizer, a.count, host_flags=a.host_flag)
    except BuildError as e:
        sys.exit(f"run_on_cpu: {e}")


if __name__ == "__main__":
    main()
