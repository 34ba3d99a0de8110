"""What the cases of bundles share: a small bundle to play with, a CUDA driver that stands in, and words that must be said."""
import json
import os
import shutil
import harness
from harness import Failure, Skip

RUN = os.path.join(harness.BUILD, "nestwarp-run")
NVCC = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
SOURCE = """#include "scale.h"
#include <stdio.h>
void rows(int n, int m, float a[n][m], float s[n]) {
  for (int i = 0; i < n; i++) {
    s[i] = 0;
    for (int j = 0; j < m; j++)
      s[i] += SCALE * a[i][j];
  }
}
static float table[40][30], sums[40];
#ifdef WITH_MAIN
int main(void) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 30; j++)
      table[i][j] = (float)((i * 7 + j * 3) % 11);
  rows(40, 30, table, sums);
  for (int i = 0; i < 40; i += 13)
    printf("%g\\n", sums[i]);
  return 0;
}
#endif
"""
# Every bundle builds the same runtime.
COMPILER = {"CC": "ccache cc"} if shutil.which("ccache") else {}
FIRST, SECOND = "001-rows-rows", "002-main-main"


def need_pocl():
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")


class WorkDir:
    """A function, and the same with a main, with a header of their own; and a bundle of both. Cubins only where they matter: nvcc takes a while."""

    def __init__(self, scratch, command="check", more=("--cubin=none",), env=None):
        self.scratch = scratch
        self.sources, self.bundle = [os.path.join(scratch, name) for name in ("rows.c", "main.c")], os.path.join(scratch, "bundle")
        os.makedirs(os.path.join(scratch, "headers"))
        for source, first in zip(self.sources, ("", "#define WITH_MAIN\n")):
            with open(source, "w") as f:
                f.write(first + SOURCE)
        with open(os.path.join(scratch, "headers", "scale.h"), "w") as f:
            f.write("#ifndef SCALE\n#define SCALE 2\n#endif\n")
        self.written = harness.run([harness.NESTWARP, command, "-q", *self.sources, "-I", os.path.join(scratch, "headers"), "-DSCALE=3", "--size", "n=50", "--size", "m=20", "--bundle", self.bundle, *more], env=env)
        for source in self.sources:  # nothing outside the bundle is needed any more
            os.remove(source)
        shutil.rmtree(os.path.join(scratch, "headers"))

    def run(self, *more, check=True, device="pocl", env=None):
        return harness.run([RUN, self.bundle, f"--device={device}", *more], limit=300, check=check, env={**COMPILER, **(env or {})})

    def bring_back(self, check=True):
        return harness.run([harness.NESTWARP, "check", "--import", self.bundle], check=check)

    def path(self, *parts):
        return os.path.join(self.bundle, *parts)

    def results(self):
        with open(self.path("results.json")) as f:
            return json.load(f)

    def verdicts(self):
        return [j["verdict"] for j in self.results()["jobs"]]

    def manifest(self):
        with open(self.path("manifest.txt")) as f:
            return [line.rstrip("\n").split("\t") for line in f]

    def edit(self, parts, change):
        path = self.path(*parts)
        with open(path) as f:
            text = f.read()
        changed = change(text)
        if changed == text:
            raise Failure(f"nothing to change in {path}")
        with open(path, "w") as f:
            f.write(changed)


def stand_in(scratch):
    """The environment in which tests/tools/idle_cuda.c is the CUDA driver: its kernels do nothing."""
    if not os.path.exists("/usr/local/cuda/lib64/libnvrtc.so"):
        raise Skip("NVRTC is not installed")
    folder = os.path.join(scratch, "driver")
    os.makedirs(folder)
    harness.run(["gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", os.path.join(harness.TESTS, "tools", "idle_cuda.c"), "-o", os.path.join(folder, "libcuda.so.1")])
    return {"LD_LIBRARY_PATH": folder, "NESTWARP_CACHE_DIR": os.path.join(scratch, "cache")}


def expect(done, status, *texts):
    said = done.out + done.err
    if done.status != status:
        raise Failure(f"status {done.status} instead of {status}\n{said[-1500:]}")
    for text in texts:
        if text not in said:
            raise Failure(f"'{text}' is not said\n{said[-1500:]}")


def same(what, found, expected):
    if found != expected:
        raise Failure(f"{what}: {found} instead of {expected}")


def nothing_built(workdir):
    if any(name.startswith("build") for name in os.listdir(workdir.bundle)):
        raise Failure("something was built")
