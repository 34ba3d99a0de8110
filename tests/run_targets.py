#!/usr/bin/env python3
"""Stand-alone output: every program's CUDA file through nvcc without a warning and without spills (spills.py), its host file
through gcc (the host's part of the CUDA file in every fourth; NESTWARP_ALL_SIZES=1: in all), and some OpenCL files built, linked and run; and the probe, its kernels and a quick run of it."""
import glob
import json
import os
import harness
import spills
import stand_alone
import translations
from harness import Failure, Skip

NVCC = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
OPENCL = ["flat_2d", "structs", "pure_functions", "reductions_int", "wavefront"]


# Bytes that ptxas may spill of a kernel: of rpes, with 48 registers, it stores 12 and loads 28. Of
# tiles of 64 x 128, with 128 registers, it stores 16 before the loop and loads them in each strip,
# beside 512 products; with subscripts of 32 bits it takes 127 and spills nothing (docs/roadmap.md).
SPILLED = {"rpes": 32, "two_mm": 16, "mm": 16}


def cuda(path, more, with_host=True):
    """with_host: what nvcc gives to the host's compiler as well, most of its time, and much the same
    in each file; the emulation compiles it in any case."""
    with harness.Scratch() as scratch:
        made = scratch if more else translations.for_h200(path)
        out = os.path.join(made, "out.cu")
        if more:
            harness.run([harness.NESTWARP, "compile", "-q", "--target=cuda", *more, path, "-o", out])
        harness.run(["gcc", "-O1", "-w", "-c", os.path.join(made, "out.host.c"), "-o",
                     os.path.join(scratch, "host.o")])
        if not NVCC:
            raise Skip("nvcc is not installed")
        done = harness.run([NVCC, "-arch=sm_90", "-Werror", "all-warnings", *spills.REPORT,
                            "-c" if with_host or harness.EVERYTHING else "-cubin", out, "-o",
                            os.path.join(scratch, "out.o")], limit=300)
        spills.check(open(out).read(), done.out + done.err, SPILLED.get(os.path.basename(path)[:-2], 0))


# A kernel that keeps 64 values: with too few registers it spills; and one that indexes an array by data, which it may.
CROWDED = """extern "C" __global__ void __launch_bounds__(256) crowded(const float *a, float *b, int n) {
  float v0 = a[0];
%s  for (int k = 0; k < n; k++) {
%s  }
  b[threadIdx.x] = %s;
}
"""
INDEXED = """extern "C" __global__ void __launch_bounds__(256) indexed(const int *a, float *b, int n) {
  float own[64];
  for (int k = 0; k < 64; k++)
    own[k] = b[k];
  for (int k = 0; k < n; k++)
    own[a[k] & 63] += own[a[k + 1] & 63];
  b[threadIdx.x] = own[a[threadIdx.x] & 63];
}
"""


def spills_are_found():
    """The check itself: it reports a kernel that spills, one with a stack that nothing in its text asks for, and a report that lacks a kernel."""
    if not NVCC:
        raise Skip("nvcc is not installed")
    names = [f"v{k}" for k in range(64)]
    text = CROWDED % ("".join(f"  float {v} = a[{7 * k}];\n" for k, v in enumerate(names) if k), "".join(f"    {v} = {v} * a[k + {k}] + {names[k - 1]};\n" for k, v in enumerate(names)), " + ".join(names))
    with harness.Scratch() as scratch:
        def report(source):
            path = os.path.join(scratch, "kernel.cu")
            with open(path, "w") as f:
                f.write(source)
            done = harness.run([NVCC, "-arch=sm_90", "-cubin", *spills.REPORT, path, "-o", path + "bin"])
            return done.out + done.err

        def refused(source, said):
            try:
                spills.check(source, said)
            except Failure as f:
                return str(f)
            return ""

        if spills.check(text, report(text)) != 1:
            raise Failure("not one kernel")
        crowded = text.replace("(256)", "(1024, 2)")  # leaves 32 registers for each thread
        if "bytes of spill stores" not in refused(crowded, report(crowded)):
            raise Failure("64 values in 32 registers, and no spill is found")
        said = report(INDEXED)
        if spills.properties(said)[0][1] == 0 or refused(INDEXED, said):
            raise Failure(f"an array that is indexed by data may be in the stack\n{said}")
        if "bytes of stack" not in refused(INDEXED.replace("float own[64];", "float own;"), said):
            raise Failure("a stack without a reason is not found")
        if "0 of 1 kernels" not in refused(text, ""):
            raise Failure("a report without the kernel is taken")


def opencl_compiles(path):
    with harness.Scratch() as scratch:
        out = os.path.join(scratch, "out.cl.c")
        harness.run([harness.NESTWARP, "compile", "-q", "--target=opencl", path, "-o", out])
        if not os.path.exists("/usr/include/CL/cl.h"):
            raise Skip("CL/cl.h is not installed (package opencl-headers)")
        harness.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter", "-c", out, "-o", os.path.join(scratch, "out.o")])


def opencl_runs(path, *more):
    if not os.path.exists("/usr/include/CL/cl.h"):
        raise Skip("CL/cl.h is not installed (package opencl-headers)")
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    with harness.Scratch() as scratch:
        out, program, ref = (os.path.join(scratch, f) for f in ("out.cl.c", "program", "ref"))
        harness.run([harness.NESTWARP, "compile", "-q", "--target=opencl", "-ffp-contract=off", "--offload=always", *more, path, "-o", out])
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


def constant_memory():
    """Arrays in OpenCL's constant memory, planned for a device that wants them there, and run."""
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    path = os.path.join(harness.TESTS, "stages", "spaces.c")
    for more in ([], ["--policy=patterns"]):
        flags = ["-q", "--device=gtx-285", *more, path]
        if "__constant float" not in harness.run([harness.NESTWARP, "compile", "--emit=opencl", *flags]).out:
            raise Failure(f"nothing is in constant memory: {more}")
        done = harness.run([harness.NESTWARP, "check", *flags, "--size", "h=37", "--size", "w=50"], env={"OCL_ICD_VENDORS": "pocl.icd"})
        if "filtered: same" not in done.out:
            raise Failure(done.out + done.err)
    tables = os.path.join(harness.TESTS, "features", "constant_tables.c")
    text = harness.run([harness.NESTWARP, "compile", "--emit=opencl", "-q", "--device=gtx-285", tables]).out
    if any(f"__constant {parameter}" not in text for parameter in ("struct pair *p", "int (*r)[2][2]", "uchar *b")) or "__constant int *later" in text:
        raise Failure(f"other arrays are in constant memory than can be:\n{text}")
    opencl_runs(tables, "--device=gtx-285")


def on_device(how):
    """Arrays in buffers of the program's own, and its own queue."""
    if not os.path.exists("/usr/include/CL/cl.h"):
        raise Skip("CL/cl.h is not installed (package opencl-headers)")
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    folder = os.path.join(harness.TESTS, "on_device")
    with harness.Scratch() as scratch:
        program = os.path.join(scratch, "program")
        if how == "stand-alone":
            harness.run([harness.NESTWARP, "compile", "-q", "--target=opencl", os.path.join(folder, "steps.c"), "-o", os.path.join(scratch, "out.cl.c")])
            header, own = os.path.join(scratch, "out.device.h"), [os.path.join(scratch, "out.cl.c")]
        else:
            harness.run([harness.NESTWARP, "cc", "--quiet", "--save-temps=" + scratch, "-c", os.path.join(folder, "steps.c"), "-o", os.path.join(scratch, "steps.o")])
            header, own = os.path.join(scratch, "steps.device.h"), [os.path.join(scratch, "steps.nw.c"), "-DWITH_RUNTIME", "-I" + os.path.join(scratch, "runtime"), *glob.glob(os.path.join(scratch, "runtime", "*.c"))]
        names = [line.split("(")[0][4:] for line in open(header) if line.startswith("int ")]
        if len(names) != 2:
            raise Failure(f"two entries expected: {names}")
        harness.run(["gcc", "-O1", "-w", f'-DHEADER="{header}"', "-DSUM=" + names[0], "-DSMOOTH=" + names[1], os.path.join(folder, "main.c"), os.path.join(folder, "steps.c"), *own, "-o", program,
                     "-l:libOpenCL.so.1", "-ldl", "-lpthread", "-lm"])
        result = harness.run([program], env={"OCL_ICD_VENDORS": "pocl.icd", "NESTWARP_DEVICE": "pocl"})
        refused = ["a and b overlap", "arrays in buffers of OpenCL need a queue: it is NULL"]
        if how == "stand-alone":  # the runtime tells of a place once
            refused.append("the queue does not keep the order of its commands")
        if result.out != "0 same same\n" or any(r + "; the work is not done" not in result.err for r in refused):
            raise Failure(result.out + result.err)


RUNNER = os.path.join(harness.BUILD, "nestwarp-run")
# Curves and numbers that a probe finds on every device.
CURVES = {"bandwidth-by-stride", "bandwidth-by-threads", "blocked-and-cyclic", "bandwidth-by-distance", "bandwidth-by-footprint", "shared-by-stride", "shared-by-degree", "latency-by-footprint", "transfers"}
NUMBERS = {"copyBandwidth", "memoryLatency", "launchMicroseconds", "toDeviceBandwidth", "fromDevicePageable", "fp32PerSecond"}


def probe_kernels():
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "probe.cu")
        text = harness.run([RUNNER, "probe", "--kernels=cuda"]).out
        with open(path, "w") as file:
            file.write(text)
        if not NVCC:
            raise Skip("nvcc is not installed")
        harness.run([NVCC, "-arch=sm_90", "-Werror", "all-warnings", "-c", path, "-o", os.path.join(scratch, "probe.o")], limit=300)


def probe_runs():
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    with harness.Scratch() as scratch:
        made, cache = os.path.join(scratch, "made"), os.path.join(scratch, "cache")
        os.mkdir(cache)
        harness.run([harness.NESTWARP, "devices", "--probe", "--quick", "--on=pocl", "--name=this", "--output", made], limit=300, env={"POCL_CACHE_DIR": cache, "OCL_ICD_VENDORS": "pocl.icd"})
        probe, device = (json.load(open(os.path.join(made, name))) for name in ("probe.json", "this.json"))
        if CURVES != {c["id"] for c in probe["curves"]}:
            raise Failure(f"other curves than expected: {sorted(c['id'] for c in probe['curves'])}\n{probe['skipped']}")
        short = [c["id"] for c in probe["curves"] if not c["lines"] or any(len(line["points"]) < 2 for line in c["lines"])]
        if short:
            raise Failure(f"curves with too few points: {short}")
        wrong = [n for n in NUMBERS if not probe["measured"].get(n, 0) > 0] + [c["id"] for c in probe["curves"] for line in c["lines"] for _, y in line["points"] if not y > 0]
        if wrong:
            raise Failure(f"not above zero: {wrong}")
        if device["copyBandwidth"] != probe["measured"]["copyBandwidth"] or device["multiprocessors"] != probe["queried"]["multiprocessors"] or device["kind"] != "cpu":
            raise Failure(f"the description does not say what was measured: {device}")
        missing = [c for c in CURVES if not os.path.exists(os.path.join(made, c + ".svg"))]
        if missing:
            raise Failure(f"not drawn: {missing}")
        harness.run([harness.NESTWARP, "compile", "-q", "--device=" + os.path.join(made, "this.json"), "--emit=plan", os.path.join(harness.TESTS, "programs", "gemm.c")])


def probe_through_cuda():
    """A driver without a GPU stands in: what is asked of it and of NVRTC is right, and a lost device loses nothing."""
    if not glob.glob("/usr/local/cuda/lib64/libnvrtc.so*"):
        raise Skip("NVRTC is not installed")
    with harness.Scratch() as scratch:
        harness.run(["gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", os.path.join(harness.TESTS, "tools", "idle_cuda.c"), "-o", os.path.join(scratch, "libcuda.so.1")])
        env = {"LD_LIBRARY_PATH": scratch, "NESTWARP_DEVICE": "cuda"}
        whole, part, made = (os.path.join(scratch, name) for name in ("whole.json", "part.json", "made"))
        harness.run([RUNNER, "probe", "--output", whole], env=env)
        probe = json.load(open(whole))
        if probe["skipped"] or CURVES | {"read-only-path", "shared-by-group", "shared-by-width"} != {c["id"] for c in probe["curves"]}:
            raise Failure(f"skipped {probe['skipped']}, curves {[c['id'] for c in probe['curves']]}")
        if probe["measured"]["launchMicroseconds"] != 100 or probe["measured"]["gridBarrierMicroseconds"] != 100:
            raise Failure(f"times that are not the driver's: {probe['measured']}")
        harness.run([harness.NESTWARP, "devices", "--import", whole, "--output", made, "--name=idle"])
        device = json.load(open(os.path.join(made, "idle.json")))
        known = json.loads(harness.run([harness.NESTWARP, "devices", "h200", "--format=json"]).out)
        differing = [f for f in ("warp", "multiprocessors", "residentThreads", "residentBlocks", "registers", "sharedBytes", "sharedOptInBytes", "sharedPerMultiprocessor", "sharedReservedPerBlock", "gridLimit", "l2Bytes", "clockGigahertz") if device[f] != known[f]]
        if differing:
            raise Failure(f"the driver's H200 is not the catalogue's: {differing}")
        lost = harness.run([RUNNER, "probe", "--output", part], env={**env, "IDLE_CUDA_FAILS": "300"}, check=False)
        probe = json.load(open(part))
        if lost.status != 3 or "was lost" not in lost.err or "copyBandwidth" not in probe["measured"] or "illegal" not in probe["skipped"][-1]["why"]:
            raise Failure(f"status {lost.status}: {lost.err}\n{probe['skipped']}")


def probe_without_device():
    done = harness.run([RUNNER, "probe", "--device=none"], check=False)
    if done.status == 0 or "no device to probe" not in done.err or done.out:
        raise Failure(f"status {done.status}: {done.out}{done.err}")


def cases(arguments):
    cases = []
    programs = sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c")))
    kernels = sorted(glob.glob(os.path.join(harness.ROOT, "bench", "kernels", "*.c")))
    for k, path in enumerate(programs + kernels):
        label = f"nvcc {'board ' if path in kernels else ''}{os.path.basename(path)[:-2]}"
        cases.append((label, lambda path=path, k=k: cuda(path, [], k % 4 == 0)))
    cases.append(("nvcc, and spills are found", spills_are_found))
    for name in ("gemm", "correlation"):
        path = os.path.join(harness.TESTS, "programs", name + ".c")
        cases.append((f"nvcc {name} double", lambda path=path: cuda(path, ["-DDATA_TYPE=double", "--fp=strict"])))
    for name in ("gemm", "jacobi_2d", "correlation", "nussinov"):
        path = os.path.join(harness.TESTS, "programs", name + ".c")
        cases.append((f"opencl compiles {name}", lambda path=path: opencl_compiles(path)))
    for name in OPENCL:
        path = os.path.join(harness.TESTS, "features", name + ".c")
        cases.append((f"opencl runs {name}", lambda path=path: opencl_runs(path)))
    cases.append(("opencl constant memory", constant_memory))
    for how in ("stand-alone", "with the runtime"):
        cases.append((f"arrays on the device, {how}", lambda how=how: on_device(how)))
    cases += stand_alone.cases()
    cases.append(("nvcc probe", probe_kernels))
    cases.append(("probe without a device", probe_without_device))
    cases.append(("quick probe", probe_runs))
    cases.append(("probe through CUDA", probe_through_cuda))
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("targets")
