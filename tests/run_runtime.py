#!/usr/bin/env python3
"""The runtime by itself: built with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, in scenarios of its own
(tests/runtime/scenarios.c) on PoCL, and on a CUDA driver without a GPU (tests/tools/idle_cuda.c) where NVRTC is there: several
callers, arrays on the device, graphs, and everything that may fail."""
import concurrent.futures
import glob
import json
import os
import random
import harness

FLAGS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
LEAK = "#include <stdlib.h>\nvoid *volatile kept; int main(void) { kept = malloc(99); kept = 0; return 0; }\n"
# What each failure must say, besides leaving the data alone.
SAYS = {"failed_launch": "failed launch: kernel twice: a block of 1048576 threads",
        "bad_kernel": "undeclared",
        "impossible_shared_memory": "impossible shared memory: kernel twice: 268435456 bytes of shared memory exceed",
        "out_of_memory": "out of memory"}
# PoCL compiles in threads of its own, where LLVM and the sanitizer would both put up a stack for signals.
POCL = {"NESTWARP_DEVICE": "pocl", "ASAN_OPTIONS": "use_sigaltstack=0", "LSAN_OPTIONS": "print_suppressions=0:suppressions=" + os.path.join(harness.TESTS, "runtime", "leaks.supp")}
# OpenACC data: what goes well, and what each mistake of a program says before it ends it.
DATA = ["region", "clauses", "conditions", "parts", "counts", "updates", "plain_loops", "exchange", "in_part", "addresses", "threads", "no_memory", "failure"]
WRONG = {"wrong_after_failure": "fails: error: x is on the device and may be written in part: giving up",
         "wrong_present": "directive: error: present(x): it is not on the device",
         "wrong_part": "directive: error: copy(x): only part of it is on the device: 40 bytes from byte 40 on, of 60",
         "wrong_update": "directive: error: update device(x): it is not on the device",
         "wrong_section": "directive: error: x[990:20]: the section of 20 elements from 990 on exceeds the dimension, which has 1000",
         "wrong_length": "directive: error: x: the section begins at 0 and has the length -7",
         "wrong_pieces": "directive: error: create(x[0:5][1:3]): it is not contiguous",
         "wrong_address": "directive: error: use_device(x): it is not on the device",
         "wrong_place": "directive: error: x is an address on the device (deviceptr)"}
# What a forked child says that needs what only the device had.
LOST = {"lost_in_region": "twice: error: x was changed on the device before this process was forked, and no update brought it to the host",
        "lost_in_update": "directive: error: x was changed on the device before this process was forked",
        "lost_at_exit": "directive: error: x was changed on the device before this process was forked",
        "lost_in_loops": "loops: error: the loops may read data that were changed on the device before this process was forked",
        "lost_by_address": "address: error: use_device(x): it was changed on the device before this process was forked",
        "lost_address": "twice: error: x is an address on the device, which a forked process cannot use"}
FORKS = ["before_use", "after_use", "beside_threads", "other_programs", "with_data", "inside_of_loops"]
FORKED = "twice: the process was forked, and has no device of its own"
SCENARIOS = ["plain", "warnings", "large", "threads", "sequences", "on_device", *SAYS]


def build(scratch, name="scenarios"):
    runtime = os.path.join(harness.ROOT, "runtime")
    program = os.path.join(scratch, name)
    sources = glob.glob(os.path.join(runtime, "*.c")) + [os.path.join(harness.TESTS, "runtime", name + ".c")]
    result = harness.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", *FLAGS, "-I" + runtime, *sources, "-ldl", "-lpthread", "-lm", "-o", program])
    if result.err:
        raise harness.Failure("warnings: " + result.err[:2000])
    return program


def leaks_are_seen(scratch):
    source, program = os.path.join(scratch, "leak.c"), os.path.join(scratch, "leak")
    with open(source, "w") as f:
        f.write(LEAK)
    harness.run(["gcc", *FLAGS, source, "-o", program])
    if "detected memory leaks" not in harness.run([program], check=False).err:
        raise harness.Failure("a leak is not detected")


def scenario(result, name):
    if f"{name}: right" not in result.out:
        raise harness.Failure(result.out + result.err[:2000])
    if SAYS.get(name, "") not in result.err:
        raise harness.Failure(f"expected '{SAYS[name]}' in: {result.err[:500]}")


def nothing_found(result):
    if result.status or "Sanitizer" in result.err or "runtime error" in result.err:
        raise harness.Failure(result.err[:4000])


def nothing_from_the_compiler(program, scratch):
    """What the device's compiler thinks of a kernel that it builds is nothing for the program's stderr."""
    cache = os.path.join(scratch, "doubts")
    os.mkdir(cache)
    result = harness.run([program, "warnings"], env={**POCL, "NESTWARP_CACHE_DIR": cache, "POCL_CACHE_DIR": cache}, check=False)
    nothing_found(result)
    scenario(result, "warnings")
    if result.err:
        raise harness.Failure(result.err[:2000])


@harness.once
def idle_cuda():
    """The settings with which a program finds the CUDA driver without a GPU."""
    scratch = harness.shared_scratch()
    if not glob.glob("/usr/local/cuda/lib64/libnvrtc.so*"):
        raise harness.Skip("NVRTC is not installed")
    library = os.path.join(scratch, "libcuda.so.1")
    harness.run(["gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", os.path.join(harness.TESTS, "tools", "idle_cuda.c"), "-o", library])
    return {"LD_LIBRARY_PATH": scratch, "NESTWARP_DEVICE": "cuda", "NESTWARP_STATS": "1", "NESTWARP_COPIERS": "8"}


def with_times(program, scratch):
    """Times are wanted of arrays on the device, too: nothing is copied to where they are."""
    times = os.path.join(scratch, "times.json")
    result = harness.run([program, "on_device"], env={**POCL, "NESTWARP_TIMES": times}, check=False)
    nothing_found(result)
    scenario(result, "on_device")
    regions = {r["where"]: len(r["milliseconds"]) for r in json.load(open(times))["regions"]}
    if regions.get("on device") != 24:
        raise harness.Failure(f"times of 24 calls expected: {regions}")


def data(program, scratch, settings):
    """All scenarios of OpenACC data."""
    result = harness.run([program], env=settings, check=False)
    nothing_found(result)
    for name in DATA:
        if f"{name}: right" not in result.out:
            raise harness.Failure(result.out + result.err[:2000])
    for words in ("run: only part of what the construct may touch of x is on the device", "no memory: x: "):
        if result.err.count(words) != 1:
            raise harness.Failure(f"expected '{words}' once in: {result.err[:2000]}")


def wrong_data(program, name, settings):
    settings = {**settings, "ASAN_OPTIONS": settings.get("ASAN_OPTIONS", "use_sigaltstack=1") + ":detect_leaks=0"}
    result = harness.run([program, name], env=settings, check=False)
    if result.status != 1 or WRONG[name] not in result.err or "Sanitizer" in result.err:
        raise harness.Failure(f"status {result.status}: {result.out}{result.err[:2000]}")


def forks(program, name, settings):
    """A child of a process that has used the device works on the host, says so, and ends."""
    settings = {**settings, "ASAN_OPTIONS": settings.get("ASAN_OPTIONS", "use_sigaltstack=1") + ":detect_leaks=0", "NESTWARP_STATS": "1"}
    result = harness.run([program, name], env=settings, limit=60, check=False)
    nothing_found(result)
    if f"{name}: right" not in result.out or LOST.get(name, "") not in result.err:
        raise harness.Failure(f"status {result.status}: {result.out}{result.err[:2000]}")
    if name == "after_use" and result.err.count(FORKED + "; running the original loops\n") != 2:
        raise harness.Failure("each child of the parent's says once why it stays on the host: " + result.err[:2000])
    reason = f'"last_on_host": "{FORKED}"'
    if name == "after_use" and ('"regions_on_host": 2, ' not in result.err or reason not in result.err):
        raise harness.Failure("the statistics of a child are its own, with the reason: " + result.err[:2000])


def without_device(program):
    """Host and device memory are one: nothing is done, nothing is wrong."""
    for name in WRONG:
        if name != "wrong_after_failure":
            result = harness.run([program, name], env={"NESTWARP_DEVICE": "none", "ASAN_OPTIONS": "detect_leaks=0"}, check=False)
            if "error" in result.err or "Sanitizer" in result.err or f"{name}: " not in result.out:
                raise harness.Failure(result.out + result.err[:2000])


def processes_at_once(program, scratch):
    """Several processes build the same kernels at the same time, without anything in a cache; then again with what they left."""
    for attempt in range(1):
        caches = {"NESTWARP_CACHE_DIR": os.path.join(scratch, f"cache{attempt}"), "POCL_CACHE_DIR": os.path.join(scratch, f"pocl{attempt}")}
        os.mkdir(caches["POCL_CACHE_DIR"])
        for _ in range(2):
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                for result in pool.map(lambda _: harness.run([program, "plain"], env={**POCL, **caches}, check=False), range(3)):
                    nothing_found(result)
                    scenario(result, "plain")


def through_cuda(program):
    result = harness.run([program], env=idle_cuda(), check=False)
    nothing_found(result)
    if result.err.count("no array: x is NULL; the work is not done") != 5:
        raise harness.Failure("each refusal says why, once: " + result.err[:2000])
    if "array on the host: x is not an address on the device; the work is not done" not in result.err:
        raise harness.Failure(result.err[:2000])
    for name in SCENARIOS:
        if f"{name}: right" not in result.out:
            raise harness.Failure(result.out + result.err[:2000])


def lost_device(program):
    result = harness.run([program, "lost_device"], env={**idle_cuda(), "IDLE_CUDA_FAILS": "4"}, check=False)
    nothing_found(result)
    if "lost_device: right" not in result.out or "kernel twice: cuLaunchKernel: an illegal memory access (error 700)" not in result.err:
        raise harness.Failure(result.out + result.err[:2000])
    if "is no longer used" not in result.err:
        raise harness.Failure("the device is not given up: " + result.err)


def blocks_of_opencl(scratch):
    """Blocks that a kernel was compiled for are launched, whatever less the driver says."""
    program, runtime = os.path.join(scratch, "opencl_blocks"), os.path.join(harness.ROOT, "runtime")
    sources = [f for f in glob.glob(os.path.join(runtime, "*.c")) if not f.endswith("device_opencl.c")] + [os.path.join(harness.TESTS, "runtime", "opencl_blocks.c")]
    harness.run(["gcc", "-std=gnu11", "-I" + runtime, *sources, "-ldl", "-lpthread", "-lm", "-o", program])
    found = harness.run([program]).out.split()
    if found != ["1024", "256", "1024", "256"]:
        raise harness.Failure(f"largest blocks: {found}")


def forks_through_cuda(program):
    for name in [*FORKS, *LOST]:
        forks(program, name, idle_cuda())


def random_forks(program, settings):
    """Programs of random steps, in which children are made at random points; NESTWARP_FUZZ_SEED repeats them."""
    seed = int(os.environ.get("NESTWARP_FUZZ_SEED") or random.SystemRandom().randrange(10**12))
    settings = {**settings, "ASAN_OPTIONS": settings.get("ASAN_OPTIONS", "use_sigaltstack=1") + ":detect_leaks=0"}
    for k in range(15):
        try:
            result = harness.run([program, "random", str(seed + k)], env=settings, limit=60, check=False)
            nothing_found(result)
        except harness.Failure as f:
            raise harness.Failure(f"seed {seed + k}: {f}")
        if "random: right" not in result.out:
            raise harness.Failure(f"seed {seed + k}: {result.out}{result.err[:2000]}")


def static_programs(scratch):
    """A program without a dynamic loader starts, and stays on the host."""
    runtime = os.path.join(harness.ROOT, "runtime")
    sources = glob.glob(os.path.join(runtime, "*.c")) + [os.path.join(harness.TESTS, "runtime", "scenarios.c")]
    for flag in ("-static", "-static-pie"):
        program = os.path.join(scratch, "scenarios" + flag)
        harness.run(["gcc", "-std=gnu11", flag, "-I" + runtime, *sources, "-lpthread", "-lm", "-o", program])
        for device, said in (("", ""), ("pocl", "NESTWARP_DEVICE=pocl is not available: "), ("none", None)):
            result = harness.run([program, "plain"], env={"NESTWARP_DEVICE": device, "NESTWARP_STATS": "1"}, check=False)
            reason = "" if said is None else f"nestwarp: {said}the program is linked statically, and cannot load a driver; running the original loops\n"
            # The scenario expects the device; a program would run its loops.
            if result.status != 1 or "plain: WRONG" not in result.out or not result.err.startswith(reason + "nestwarp-stats: "):
                raise harness.Failure(f"{flag}, {device}: status {result.status}: {result.out}{result.err[:1000]}")


@harness.once
def built(name):
    """The program and its folder."""
    return build(harness.shared_scratch(), name)


@harness.once
def ran():
    return harness.run([built("scenarios")], env=POCL, check=False)


def cases(arguments):
    workdir = harness.shared_scratch()
    scenarios, on_data = lambda: built("scenarios"), lambda: built("data")
    on_forks = lambda: built("forks")
    cases = [("leaks are seen", lambda: leaks_are_seen(workdir)),
             ("nothing found by the sanitizers", lambda: nothing_found(ran()))]
    cases += [(name, lambda name=name: scenario(ran(), name)) for name in SCENARIOS]
    cases += [("data", lambda: data(on_data(), workdir, POCL)),
              ("data through CUDA", lambda: data(on_data(), workdir, idle_cuda()))]
    cases += [(name, lambda name=name: wrong_data(on_data(), name, POCL)) for name in WRONG]
    cases += [(name, lambda name=name: forks(on_forks(), name, POCL)) for name in [*FORKS, *LOST]]
    cases += [("forks through CUDA", lambda: forks_through_cuda(on_forks())),
              ("forks at random points", lambda: random_forks(on_forks(), POCL)),
              ("static programs", lambda: static_programs(workdir)),
              ("nothing from the compiler", lambda: nothing_from_the_compiler(scenarios(), workdir))]
    cases += [("data without a device", lambda: without_device(on_data())),
              ("blocks of OpenCL", lambda: blocks_of_opencl(workdir)),
              ("processes at once", lambda: processes_at_once(scenarios(), workdir)),
              ("with times", lambda: with_times(scenarios(), workdir)),
              ("all through CUDA", lambda: through_cuda(scenarios())),
              ("lost device", lambda: lost_device(scenarios()))]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("runtime")
