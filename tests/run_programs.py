#!/usr/bin/env python3
"""tests/programs: every nest against the original, by `nestwarp check`, for sizes around the edges of blocks.
Words on the command line choose cases by part of their label, as in: run_programs.py gemm strict"""
import glob
import os
import re
import harness
from harness import Failure, Skip

TIME = ("tsteps", "tmax")
LARGE = {"heat_3d": 40, "doitgen": 48, "seidel_2d": 120, "nussinov": 120}  # the rest: 200
# Different numbers for different parameters, since equal ones hide swapped extents.
MIXED = (37, 17, 29, 20, 43)
EVERYTHING = os.environ.get("NESTWARP_ALL_SIZES") == "1"


class Program:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-2]
        text = open(path).read()
        self.is_int = "// int: yes" in text
        self.extents = re.findall(r"^// extent: (\w+) (.*)$", text, re.M)
        head = re.search(r"^void %s\((.*?)\)\s*\{" % self.name, text, re.M | re.S)
        if not head:
            raise Failure(f"{path}: no function {self.name}")
        self.sizes = [m.group(1) for p in head.group(1).split(",") if (m := re.fullmatch(r"\s*int (\w+)\s*", p))]

    def check(self, sizes, more):
        line = [harness.NESTWARP, "check", "-q", self.path]
        for name, value in zip(self.sizes, sizes):
            line += ["--size", f"{name}={min(value, 5) if name in TIME else value}"]
        for name, value in self.extents:
            line += ["--extent", f"{name}={value}"]
        done = harness.run(line + more, limit=240, check=False)
        if "--fp=strict" in more and "no function with an offloaded nest" in done.err:
            raise Skip("with --fp=strict its sums keep their order, and all of it stays on the host")
        if done.status != 0:
            raise Failure(f"status {done.status}: {' '.join(line + more)}\n{done.out[-800:]}{done.err[-800:]}")
        out = done.out
        if f"{self.name}: same" not in out:
            raise Failure(f"{' '.join(line + more)}\n{out}")


def cases_of(program):
    count = len(program.sizes)
    large = LARGE.get(program.name, 200)
    for kind in ("float", "int") if program.is_int else ("float",):
        more = ["-DDATA_TYPE=int"] if kind == "int" else []
        # Integers go through the same kernels: an edge alone. NESTWARP_ALL_SIZES=1 tries all sizes for both.
        for n in (1, 2, 3, 17, 33, large) if EVERYTHING else (1, 33, large) if kind == "float" else (33,):
            yield f"{program.name} {kind} {n}", lambda n=n, more=more: program.check([n] * count, more)
        if count > 1 and (EVERYTHING or kind == "float"):
            yield f"{program.name} {kind} mixed", lambda more=more: program.check(MIXED, more)
    yield f"{program.name} strict 33", lambda: program.check([33] * count, ["--fp=strict"])


def suite(arguments):
    paths = sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c")))
    cases = [c for p in paths for c in cases_of(Program(p)) if harness.chosen(arguments, c[0])]
    return harness.run_cases("programs", cases)


if __name__ == "__main__":
    harness.main(suite)
