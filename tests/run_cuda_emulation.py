#!/usr/bin/env python3
"""Whole CUDA programs on the emulation (tests/emulation), as they are written and as nestwarp writes them: both print the same, in any order of threads, with
AddressSanitizer. `nestwarp check` compares kernels with the loops that the front end made of them; this sees the step from threads to loops, too.

Programs are tests/cuda_programs, those of tests/cuda and bench/naive_cuda that have a main, and their first lines say:
  // follows: FILE      the program is that file, and then this one
  // as written: N      launches that take the original kernel afterwards; default: none
  // coalesce: FORM...  forms of --coalesce to try as well"""
import glob
import json
import os
import re
import harness
from harness import Failure
from run_emulation import built, run_on_cpu
from run_features import compare

PROGRAMS = os.path.join(harness.TESTS, "cuda_programs")
NAIVE = os.path.join(harness.ROOT, "bench", "naive_cuda")
ORDERS = (0, 1, 2)
# Of bench/naive_cuda: a part of the problem, and forms to try. Sums of its fractions may be taken in another order.
PARTS = {"mri_fhd": (4096, ()), "product": (48, ()), "row_scaling": (1, ("loads", "stores", "both")), "row_sums": (200, ("loads",)), "rows": (128, ("both",)), "tpacf": (200, ("stores",)),
         "transposition": (190, ("stores",))}
SMALLER = {"row_scaling": ("#define SIZE 3000", "#define SIZE 290")}


class Program:
    def __init__(self, path):
        self.path, self.label = path, os.path.splitext(os.path.basename(path))[0]
        self.text, self.exact, self.folder = open(path).read(), True, os.path.dirname(path)
        self.environment = {}
        before = self.header("follows", "")
        if before:
            self.text = open(os.path.join(harness.ROOT, before)).read() + self.text
        self.written = int(self.header("as written", "0"))
        self.forms = self.header("coalesce", "").split()
        if path.startswith(NAIVE):
            part, self.forms = PARTS[self.label]
            self.text = self.text.replace(*SMALLER.get(self.label, ("", "")))
            self.label, self.exact, self.environment = f"naive {self.label}", False, {"NAIVE_RUNS": "4", "NAIVE_PART": str(part)}

    def header(self, key, default):
        found = re.search(rf"^// {key}: (.*)$", self.text, re.M)
        return found.group(1) if found else default

    def run(self, program, order):
        done = harness.run([program], env={**self.environment, **run_on_cpu.environment(order)}, check=False)
        if done.status:
            raise Failure(f"status {done.status}, order {order}\n{done.out[-300:]}{done.err[-3000:]}")
        return done.out, json.loads(re.search(r"^emulation-stats: (\{.*\})$", done.err, re.M).group(1))

    def check(self):
        with harness.Scratch() as scratch:
            given, made, program = (os.path.join(scratch, name) for name in ("given.cu", "made.cu", "program"))
            flags = ["-I" + self.folder]
            with open(given, "w") as f:
                f.write(self.text)
            built(given, [], program, flags=[*flags, "-D__annotation(text)="])
            want, statistics = self.run(program, 0)
            if not statistics["launches"] or statistics["written"] != statistics["launches"]:
                raise Failure(f"the program as it is written: {statistics}")
            for form in [[], *(["--coalesce=" + f] for f in self.forms)]:
                harness.run([harness.NESTWARP, "compile", "-q", "-ffp-contract=off", given, "-o", made, *flags, *form])
                built(made, [], program, flags=flags)
                for order in ORDERS:
                    self.compare(want, *self.run(program, order), f"{' '.join(form)} order {order}")

    def compare(self, want, got, statistics, how):
        try:
            compare(want, got, self.exact)
        except Failure as f:
            raise Failure(f"{how}: {f}")
        if statistics["written"] != self.written or statistics["launches"] == self.written:
            raise Failure(f"{how}: {statistics['written']} of {statistics['launches']} launches took the original kernel, expected {self.written}")


def programs():
    paths = glob.glob(os.path.join(PROGRAMS, "*.cu")) + glob.glob(os.path.join(NAIVE, "*.cu"))
    return [Program(p) for p in sorted(paths) + [p for p in sorted(glob.glob(os.path.join(harness.TESTS, "cuda", "*.cu"))) if "int main(" in open(p).read()]]


def cases(arguments):
    cases = [(program.label, program.check) for program in programs()]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("cuda_emulation")
