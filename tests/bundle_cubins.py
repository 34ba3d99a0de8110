"""Cases of bundles: kernels that travel as cubins, which one is taken, and which are refused."""
import os
import shutil
import harness
from bundle_workdir import NVCC, WorkDir, expect, need_pocl, nothing_built, same, stand_in
from harness import Failure, Skip


def need_nvcc():
    if not NVCC:
        raise Skip("nvcc is not installed")


def fnv(data):
    """128-bit FNV-1a, as the manifest has it."""
    state = 0x6C62272E07BB014262B821756295C58D
    for byte in data:
        state = (state ^ byte) * ((1 << 88) + 0x13B) % (1 << 128)
    return f"{state:032x}"


def listed(workdir):
    return [line[1:] for line in workdir.manifest() if line[0] == "cubin"]


def carried():
    need_nvcc()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, more=["--cubin=sm_90,sm_80"])
        same("architectures", sorted(name.split(".")[1] for name, _, _ in listed(workdir)), ["sm_80", "sm_80", "sm_90", "sm_90"])
        same("files", sorted(os.listdir(workdir.path("cubins"))), sorted(name for name, _, _ in listed(workdir)))
        for name, size, hashed in listed(workdir):
            with open(workdir.path("cubins", name), "rb") as f:
                data = f.read()
            same(name, [data[:4], str(len(data)), fnv(data)], [b"\x7fELF", size, hashed])
        expect(workdir.written, 0, "2 jobs and 4 cubins")


def device_decides():
    """The architecture is that of the device which the plans are for."""
    need_nvcc()
    for device, expected in (("a100", "sm_80"), ("h200", "sm_90"), ("cpu", None)):
        with harness.Scratch() as scratch:
            workdir = WorkDir(scratch, more=["--device=" + device])
            same(device, {name.split(".")[1] for name, _, _ in listed(workdir)}, {expected} - {None})


def taken_when_they_match():
    """By a driver that stands in for CUDA. Its kernels do nothing, so that results differ: what counts is where kernels came from."""
    need_nvcc()
    for more in (["--fp=strict"], ["--fp=reduce"], ["--fp=reduce", "-ffp-contract=off"], ["--fp=fast"]):
        with harness.Scratch() as scratch:
            env = stand_in(scratch)
            workdir = WorkDir(scratch, more=more)
            expect(workdir.run(device="cuda", env=env, check=False), 1, "kernels of 2 of 2 jobs came from the bundle's cubins")
            same("modules", [j["cubins"] for j in workdir.results()["jobs"]], [1, 1])
            if os.path.exists(env["NESTWARP_CACHE_DIR"]) and os.listdir(env["NESTWARP_CACHE_DIR"]):
                raise Failure("something was compiled")


def nothing_else_is_needed():
    """A machine with a driver and without NVRTC: an empty library stands before the real one."""
    need_nvcc()
    with harness.Scratch() as scratch:
        env = stand_in(scratch)
        harness.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", os.path.join(env["LD_LIBRARY_PATH"], "libnvrtc.so.13")])
        workdir = WorkDir(scratch, more=[])
        workdir.run(device="cuda", env=env, check=False)
        same("verdicts with cubins", workdir.verdicts(), ["DIFFERENT", "DIFFERENT"])  # idle kernels ran
        shutil.rmtree(workdir.bundle)
        workdir = WorkDir(os.path.join(scratch, "without"))
        workdir.run(device="cuda", env=env, check=False)
        same("verdicts without", workdir.verdicts(), ["same, but nothing ran on a device"] * 2)
        expect(workdir.bring_back(check=False), 3, "libnvrtc is not found")


def left_when_they_do_not():
    """Another architecture, or another source than the cubin's: compiled from source."""
    need_nvcc()
    with harness.Scratch() as scratch:
        env = stand_in(scratch)
        workdir = WorkDir(scratch, more=[])
        expect(workdir.run(device="cuda", env={**env, "IDLE_CUDA_MAJOR": "8"}, check=False), 1, "no cubin of the bundle is for this device")
        same("from cubins", workdir.results()["jobs_from_cubins"], 0)
        if not os.listdir(env["NESTWARP_CACHE_DIR"]):
            raise Failure("nothing was compiled")
        workdir.edit(("jobs", "001-rows-rows", "regions.nw.c"), lambda text: text.replace("(float)3 *", "(float)5 *"))
        expect(workdir.run(device="cuda", env=env, check=False), 1, "kernels of 1 of 2 jobs came from the bundle's cubins")


def other_devices():
    """Bundles with cubins run where there is no CUDA."""
    need_nvcc()
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, more=[])
        expect(workdir.run(), 0, "0 of 2 jobs not as expected", "no cubin of the bundle is for this device")
        expect(workdir.bring_back(), 0, "rows.c: rows: same")


def plain_char():
    """The bundle says whether char has a sign: one cubin serves machines of either kind."""
    need_nvcc()
    with harness.Scratch() as scratch:
        source, bundle = os.path.join(scratch, "c.c"), os.path.join(scratch, "bundle")
        with open(source, "w") as f:
            f.write("void halves(int n, char a[n], int b[n]) {\n  for (int i = 0; i < n; i++)\n    b[i] = a[i] / 2;\n}\n")
        expect(harness.run([harness.NESTWARP, "check", "-q", source, "--size", "n=100", "--bundle", bundle]), 0, "1 jobs and 1 cubins")
        done = harness.run([os.path.join(harness.BUILD, "nestwarp-run"), bundle, "--device=cuda"], env=stand_in(scratch), check=False)
        expect(done, 1, "kernels of 1 of 1 jobs came from the bundle's cubins")


def changed_cubin():
    need_nvcc()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, more=[])
        path = workdir.path("cubins", listed(workdir)[0][0])
        with open(path, "r+b") as f:
            f.seek(1000)
            byte = f.read(1)
            f.seek(1000)
            f.write(bytes([byte[0] ^ 1]))
        expect(workdir.run(check=False), 2, "has another content than when it was written")
        nothing_built(workdir)


def strange_cubin():
    """A cubin that the manifest does not name would be found by its name all the same."""
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        os.makedirs(workdir.path("cubins"))
        with open(workdir.path("cubins", "0" * 32 + ".sm_90.cubin"), "wb") as f:
            f.write(b"\x7fELF" + bytes(100))
        expect(workdir.run(check=False), 2, "contains a file that the manifest does not name")
        nothing_built(workdir)


def no_compiler():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, more=[], env={"NESTWARP_NVCC": ""})
        same("messages", workdir.written.err.count("nvcc was not found"), 1)
        same("cubins", [line for line in workdir.manifest() if line[0].startswith("cubin")], [["cubins", "nvcc was not found where the bundle was written"]])
        expect(workdir.run(), 0, "0 of 2 jobs not as expected", "nvcc was not found where the bundle was written")


def unknown_architectures():
    need_nvcc()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, more=["--cubin=sm_10"])
        same("cubins", listed(workdir), [])
        expect(workdir.written, 0, "nvcc could not make a cubin for sm_10")
    for words in ("90", "sm_9", "sm_90;ls", "../sm_90"):
        with harness.Scratch() as scratch:
            source = os.path.join(scratch, "a.c")
            with open(source, "w") as f:
                f.write("void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = i;\n}\n")
            done = harness.run([harness.NESTWARP, "check", source, "--bundle", os.path.join(scratch, "b"), "--cubin=" + words], check=False)
            expect(done, 2, "is not an architecture")


CASES = [("cubins: carried", carried), ("cubins: the device decides", device_decides), ("cubins: taken when they match", taken_when_they_match),
         ("cubins: nothing else is needed", nothing_else_is_needed), ("cubins: left when they do not", left_when_they_do_not), ("cubins: other devices", other_devices), ("cubins: plain char", plain_char),
         ("cubins: changed", changed_cubin), ("cubins: not in the manifest", strange_cubin), ("cubins: no nvcc", no_compiler), ("cubins: unknown architectures", unknown_architectures)]
