#!/usr/bin/env python3
"""Stand-alone output: every program's CUDA file through nvcc without a warning, its host file through gcc, and some
OpenCL files built, linked and run; and the probe, its kernels and a quick run of it."""
import glob
import json
import os
import harness
import stand_alone
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
        if lost.status != 3 or "is lost" not in lost.err or "copyBandwidth" not in probe["measured"] or "illegal" not in probe["skipped"][-1]["why"]:
            raise Failure(f"status {lost.status}: {lost.err}\n{probe['skipped']}")


def probe_without_device():
    done = harness.run([RUNNER, "probe", "--device=none"], check=False)
    if done.status == 0 or "no device to probe" not in done.err or done.out:
        raise Failure(f"status {done.status}: {done.out}{done.err}")


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
    for how in ("stand-alone", "with the runtime"):
        cases.append((f"arrays on the device, {how}", lambda how=how: on_device(how)))
    cases += stand_alone.cases()
    cases.append(("nvcc probe", probe_kernels))
    cases.append(("probe without a device", probe_without_device))
    cases.append(("quick probe", probe_runs))
    cases.append(("probe through CUDA", probe_through_cuda))
    return harness.run_cases("targets", [c for c in cases if harness.chosen(arguments, c[0])])


if __name__ == "__main__":
    harness.main(suite)
