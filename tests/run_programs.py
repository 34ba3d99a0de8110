#!/usr/bin/env python3
"""tests/programs: every nest against the original, by `nestwarp check`, for sizes around the edges
of blocks; one translation for all sizes.
Words on the command line choose cases by part of their label, as in: run_programs.py gemm strict

Integers go through the same kernels, so they are run at an edge alone; NESTWARP_ALL_SIZES=1 tries
more sizes, and all of them for both."""
import glob
import os
import re
import harness
from harness import Failure, Outcome, Skip

TIME = ("tsteps", "tmax")
LARGE = {"heat_3d": 40, "doitgen": 48, "seidel_2d": 120, "nussinov": 120,
         "lu": 200}  # which has no pivots: at 150, data with special values cancel; the rest: 150
# Different numbers for different parameters, since equal ones hide swapped extents.
MIXED = (37, 17, 29, 20, 43)


class Program:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-2]
        text = open(path).read()
        self.is_int = "// int: yes" in text
        self.extents = re.findall(r"^// extent: (\w+) (.*)$", text, re.M)
        head = re.search(r"^void %s\((.*?)\)\s*\{" % self.name, text, re.M | re.S)
        if not head:
            raise Failure(f"{path}: no function {self.name}")
        self.sizes = [m.group(1) for p in head.group(1).split(",")
                      if (m := re.fullmatch(r"\s*int (\w+)\s*", p))]

    def sizes_of(self, what):
        """Values of the parameters for 33, say, or mixed."""
        values = MIXED if what == "mixed" else [int(what)] * len(self.sizes)
        return [min(v, 5) if name in TIME else v for name, v in zip(self.sizes, values)]

    def check(self, kind, sizes, flags):
        """One translation, one outcome for each of the sizes."""
        line = [harness.NESTWARP, "check", "-q", self.path, *flags]
        for name, values in zip(self.sizes, zip(*map(self.sizes_of, sizes))):
            line += ["--size", f"{name}={','.join(map(str, values))}"]
        for name, value in self.extents:
            line += ["--extent", f"{name}={value}"]
        done = harness.run(line, limit=240 + 60 * len(sizes), check=False)
        if "--fp=strict" in flags and "no function with an offloaded nest" in done.err:
            raise Skip("with --fp=strict its sums keep their order, and all of it stays on the"
                       " host")
        # What is said of each run: a line that begins with the name, and those after it.
        said = re.split(r"^(?=%s(?: \(.*?\))?: )" % self.name, done.out, flags=re.M)[1:]
        wrong = [not re.match(r".*?: same(?!, but nothing ran)", text) for text in said]
        if len(said) != len(sizes) or (done.status != 0) != any(wrong):
            raise Failure(f"status {done.status}: {' '.join(line)}\n"
                          f"{done.out[-800:]}{done.err[-800:]}")
        return [Outcome(f"{self.name} {kind} {what}", "FAIL" if bad else "PASS",
                        f"{' '.join(line)}\n{text}")
                for what, text, bad in zip(sizes, said, wrong)]


# Their translation takes long: with integers, they run where everything does.
LONG = ["three_mm", "two_mm", "seidel_2d"]


def runs_of(program):
    """What there is to run: a kind, its sizes, and flags."""
    several = ["mixed"] if len(program.sizes) > 1 else []
    large = str(LARGE.get(program.name, 150))
    every = ["1", "2", "3", "17", "33", large] + several
    all_sizes = every if harness.EVERYTHING else ["1", "33", large] + several
    yield "float", all_sizes, []
    if program.is_int and (harness.EVERYTHING or program.name not in LONG):
        yield "int", all_sizes if harness.EVERYTHING else ["33"], ["-DDATA_TYPE=int"]
    yield "strict", ["33"], ["--fp=strict"]


def cases(arguments):
    found = []
    for path in sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c"))):
        p = Program(path)
        for kind, sizes, flags in runs_of(p):
            asked = [s for s in sizes if harness.chosen(arguments, f"{p.name} {kind} {s}")]
            if asked:
                found.append((f"{p.name} {kind}", lambda p=p, kind=kind, asked=asked, flags=flags:
                              p.check(kind, asked, flags)))
    return found


if __name__ == "__main__":
    harness.main("programs")
