#!/usr/bin/env python3
"""Generated CUDA on the CPU (tests/emulation), one fiber per thread, with AddressSanitizer:
  * tests/emulation/kernels: small kernels that show that the emulation itself is right, and finds what is wrong;
  * tests/programs and tests/features, translated, run in several orders of threads, and compared with the original;
    programs also with their warps in step, which shows races.
Words on the command line choose cases by part of their label, as in: run_emulation.py gemm. The word regression adds
tests/regressions, which run on a device in another suite."""
import glob
import json
import os
import re
import sys
import tempfile
import harness
import stride_counts
from harness import Failure, Skip
from run_features import by_gcc, compare, flags_of, header

sys.path.insert(0, os.path.join(harness.TESTS, "emulation"))
import run_on_cpu  # noqa: E402

run_on_cpu.PROCESS = harness.Process

NEAR = 1e-9  # programs run in double; sums may be reordered
TIME = ("tsteps", "tmax")
# Sizes, order of threads, multiprocessors: edges of blocks; cooperative grids, which take more than 1024 elements; and
# with no multiprocessor one launch after the other. Numbers differ, since equal ones hide swapped extents.
RUNS = [((1, 1, 1, 1, 1), 0, 3), ((19, 13, 17, 11, 7), 1, 3), ((35, 37, 36, 34, 33), 2, 3), ((37, 36, 35, 33, 34), 3, 0)]
RACES_RUN = ((35, 37, 36, 34, 33), 0, 3)
LARGEST = {"heat_3d": 20, "doitgen": 20}  # with warps in step, which takes longer
WIDE = {"jacobi_1d": 3100, "trisolv": 3100}  # where a grid of several blocks takes more
FEATURE_ORDERS = (1, 2)


def translated(source, scratch, more=()):
    """Writes the CUDA file and the host file of a source."""
    cuda = os.path.join(scratch, "out.cu")
    done = harness.run([harness.NESTWARP, "compile", "-q", "--target=cuda", "-ffp-contract=off", "--offload=always", source, "-o", cuda, *more], check=False)
    if "no nest can be offloaded" in done.err:
        raise Skip("all of it stays on the host")
    if done.status:
        raise Failure(f"nestwarp compile {source}: status {done.status}\n{done.err[-1500:]}")
    return cuda, os.path.join(scratch, "out.host" + os.path.splitext(source)[1])


def built(*arguments, **options):
    try:
        run_on_cpu.build(*arguments, **options)
    except run_on_cpu.BuildError as e:
        raise Failure(str(e))


def emulated(command, order, **more):
    """Runs a program of the emulation; returns its output and its statistics."""
    done = harness.run(command, env=run_on_cpu.environment(order, **more), check=False)
    if done.status:
        raise Failure(f"status {done.status}, order {order}: {' '.join(command)}\n{done.out[-300:]}{done.err[-3000:]}")
    if "running the original loops" in done.err:
        raise Failure(f"the emulated device failed:\n{done.err[-1500:]}")
    found = re.search(r"^emulation-stats: (\{.*\})$", done.err, re.M)
    statistics = json.loads(found.group(1)) if found else {"launches": 0, "largest_launch": 0, "cooperative": 0, "not_freed": 0}
    if statistics["not_freed"]:
        raise Failure(f"device memory was not freed: {statistics}")
    return done.out, statistics


# ---- the emulation itself

def kernel_program(name, scratch, **options):
    program = os.path.join(scratch, name)
    built(os.path.join(harness.TESTS, "emulation", "kernels", name + ".cu"), [], program, **options)
    return program


def correct_kernels(count):
    with harness.Scratch() as scratch:
        program = kernel_program("correct", scratch, count=count)
        for order in (0, 1, 2):
            out, _ = emulated([program], order)
            if out.count(": right\n") != 24 or "too many threads: invalid configuration" not in out or "too many blocks: too many blocks" not in out:
                raise Failure(f"order {order}:\n{out}")


def correct_kernels_are_cuda():
    nvcc = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
    if not nvcc:
        raise Skip("nvcc is not installed")
    with harness.Scratch() as scratch:
        harness.run([nvcc, "-std=c++17", "-arch=sm_90", "-c", os.path.join(harness.TESTS, "emulation", "kernels", "correct.cu"), "-o", os.path.join(scratch, "correct.o")])


# What has to be reported, whatever the order of threads; or that results depend on the order.
DIFFERS = "the orders differ"
MISTAKES = {
    "missing_barrier": DIFFERS, "missing_second_barrier": DIFFERS, "missing_wait": DIFFERS,
    "barrier_in_branch": "barrier divergence in block (0,0,0):\n  32 of 64 threads wait at the barrier of line",
    "barrier_after_return": "1 of 64 threads have returned, first (5,0,0)",
    "shuffle_in_branch": "8 of 64 threads wait at the warp operation of line",
    "waits_forever": "1 of 64 threads watch memory that nobody changes",
    "beyond_array": "heap-buffer-overflow", "before_array": "heap-buffer-overflow", "beyond_shared": "heap-buffer-overflow",
    "beyond_row": "out of bounds for type 'int[32]'", "lanes_wait": None, "not_shared": None}
RACES = {
    "missing_barrier": "of kept:\n", "missing_second_barrier": "race for byte", "blocks_collide": "of a:\n",
    "lanes_collide": "and no barrier is in between", "lanes_wait": None, "not_shared": None}


def mistakes(wanted, **options):
    with harness.Scratch() as scratch:
        program = kernel_program("mistakes", scratch, **options)
        for name, text in wanted.items():
            runs = [harness.run([program, name], env=run_on_cpu.environment(order), check=False) for order in (0, 1, 2)]
            for order, done in enumerate(runs):
                if text in (None, DIFFERS) and done.status != 0 or text not in (None, DIFFERS) and (done.status == 0 or text not in done.err.replace("'int [", "'int[")):
                    raise Failure(f"{name}, order {order}: status {done.status}, expected: {text}\n{done.err[-1500:]}")
            if (len({done.out for done in runs}) > 1) != (text == DIFFERS) and text in (None, DIFFERS):
                raise Failure(f"{name}: expected: {text}")


def counted(program, **more):
    """Rows of the table of accesses, by kernel, array and kind of access."""
    path = program + ".json"
    emulated([program], 0, NESTWARP_EMULATION_COUNTS=path, **more)
    return {(row["kernel"], row["array"], row["access"]): row for row in json.load(open(path))}


def numbers(row):
    if row["space"] == "shared":
        return row["warp_accesses"], row["cycles"], row["conflict_cycles"]
    return row["warp_accesses"], row["transactions"], row["ideal_transactions"]


def transactions():
    text = open(os.path.join(harness.TESTS, "emulation", "kernels", "transactions.cu")).read()
    wanted = {}
    for expected, kernel in re.findall(r"^// count: ([^\"\n]*)\n__global__ void (\w+)", text, re.M):
        for array, access, *values in re.findall(r"(\w+) (\w+) = (\d+) (\d+) (\d+)", expected):
            wanted[kernel, array, access] = tuple(map(int, values))
    with harness.Scratch() as scratch:
        program = kernel_program("transactions", scratch, count=True)
        found = {key: numbers(row) for key, row in counted(program).items()}
        if found != wanted:
            raise Failure("\n".join(f"{key}: counted {found.get(key)}, expected {wanted.get(key)}" for key in sorted({**found, **wanted}) if found.get(key) != wanted.get(key)))
        wide = counted(program, NESTWARP_EMULATION_SEGMENT=128, NESTWARP_EMULATION_BANKS=16)
        for key, values in ((("coalesced", "a", "load"), (1, 1, 1)), (("column", "a", "load"), (1, 32, 1)), (("shared_rows", "t", "load"), (1, 2, 1))):
            if numbers(wide[key]) != values:
                raise Failure(f"other parameters: {key}: counted {numbers(wide[key])}, expected {values}")


# ---- programs with a main

def feature(path):
    text = open(path).read()
    exact = header(text, "fp", "exact") == "exact"
    with harness.Scratch() as scratch:
        flags = flags_of(text)
        cuda, host = translated(path, scratch, flags)
        program = os.path.join(scratch, "program")
        built(cuda, [host], program, host_flags=flags)
        want = by_gcc(path)
        for order in FEATURE_ORDERS:
            got, statistics = emulated([program], order)
            compare(want, got, exact)
            if header(text, "expect", "any") in ("offload", "mixed") and statistics["largest_launch"] < 32:
                raise Failure(f"no kernel ran, but the original loops: {statistics}")


# ---- programs that are functions

def removed_barriers(folder, name, barrier, which):
    """Takes barriers out of generated code, one at a time: each has to be missed."""
    path = os.path.join(harness.TESTS, folder, name + ".c")
    with harness.Scratch() as scratch:
        program, more, arguments = os.path.join(scratch, "program"), [], []
        if folder == "programs":
            more, arguments = ["-DDATA_TYPE=double"], ["4", "60"]  # more points than one block takes
        cuda, host = translated(path, scratch, more)
        if folder == "programs":
            with open(program + ".c", "w") as f:
                f.write(Program(path).main(host))
            host = program + ".c"
        text = open(cuda).read()
        lines = [k for k, line in enumerate(text.splitlines()) if line.strip().startswith(barrier)]
        if len(lines) < max(which) + 1:
            raise Failure(f"{name}: there are only {len(lines)} barriers {barrier}")
        for k in [lines[w] for w in which]:
            changed = text.splitlines()
            changed[k] = ";"
            with open(cuda, "w") as f:
                f.write("\n".join(changed))
            built(cuda, [host], program, flags=more, count=True)
            done = harness.run([program, *arguments], env=run_on_cpu.environment(0), check=False)
            if done.status != run_on_cpu.MISTAKE:
                raise Failure(f"{name}: nobody misses the barrier of line {k + 1}\n{done.err[-500:]}")


def small_fusions(source, scratch, more):
    """Flags for a plan that fuses reductions in small blocks, however few rows there are: two warps, two rows at a time, three blocks."""
    path = os.path.join(scratch, "plan.json")
    harness.run([harness.NESTWARP, "compile", "-q", source, "--plan-out", path, *more])
    plans, fuses = json.load(open(path)), 0
    for kernel in (k for plan in plans for k in plan["kernels"] if "fuse" in k):
        kernel["fuse"] = {"with": kernel["fuse"]["with"], "block": 64, "columns": 2, "rows": 2, "blocks": 3, "profitableFrom": [0, 0]}
        fuses += 1
    if not fuses:
        raise Failure("nothing is fused")
    with open(path, "w") as f:
        json.dump(plans, f)
    return ["--plan", path]


DOUBLE = ["-DDATA_TYPE=double"]


@harness.once
def in_step_of(path, fuses=False):
    """A program in double: its CUDA file, its host file with a main, and both built with warps in
    step; made once, since explain's counts are held against it, too."""
    scratch = tempfile.mkdtemp(dir=harness.shared_scratch())
    more = small_fusions(path, scratch, DOUBLE) if fuses else []
    cuda, host = translated(path, scratch, more + DOUBLE)
    program = os.path.join(scratch, "in_step")
    with open(program + ".c", "w") as f:
        f.write(Program(path).main(host))
    built(cuda, [program + ".c"], program, flags=DOUBLE, count=True)
    return cuda, program + ".c", program


class Program:
    """A file of tests/programs, and a main for it: sizes come from the command line; all arrays are
    printed, large ones that are as they were before the call as one zero."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-2]
        text = open(path).read()
        self.extents = dict(re.findall(r"^// extent: (\w+) (.*)$", text, re.M))
        self.prepare = f"void prepare_{self.name}(" in text
        head = re.search(r"^void %s\((.*?)\)\s*\{" % self.name, text, re.M | re.S)
        self.parameters = [re.fullmatch(r"(?:const )?((?:unsigned )?\w+) (\*?)(?:restrict )?(\w+)((?:\[[^\]]*\])*)", " ".join(p.split())).groups() for p in head.group(1).split(",")]
        self.sizes = [name for kind, star, name, extents in self.parameters if kind == "int" and not star and not extents]

    def main(self, included):
        declare, fill, keep, show, names = "", "", "", "", []
        for kind, star, name, extents in self.parameters:
            names.append(name)
            if name in self.sizes:
                declare += f"  int {name} = atoi(arguments[{self.sizes.index(name) + 1}]);\n"
            elif not star and not extents:
                declare += f"  {kind} {name} = (1.5 + 0.25 * uniform());\n"
            else:
                count = self.extents.get(name) or " * ".join(f"(size_t)({e})" for e in re.findall(r"\[([^\]]*)\]", extents))
                declare += f"  size_t {name}_count = {count};\n  {kind} *{name} = malloc({name}_count * sizeof *{name});\n"
                fill += f"  for (size_t i = 0; i < {name}_count; i++)\n    {name}[i] = {'uniform()' if kind == 'DATA_TYPE' else '8 * uniform()'};\n"
                size = f"{name}_count * sizeof *{name}"
                keep += f"  {kind} *{name}_before = memcpy(malloc({size}), {name}, {size});\n"
                show += (f"  if ({name}_count > 100000 && !memcmp({name}, {name}_before, {size}))\n"
                         f"    puts(\"0\");\n"
                         f"  else\n    for (size_t i = 0; i < {name}_count; i++)\n"
                         f"      printf(\"%.15g\\n\", (double){name}[i]);\n"
                         f"  free({name}), free({name}_before);\n")
        call = ", ".join(f"(void *){n}" if f"size_t {n}_count" in declare else n for n in names)
        return f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "{included}"
static unsigned long long state = 88172645463325252ULL;
static double uniform(void) {{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}}
int main(int count, char **arguments) {{
{declare}{fill}{f'  prepare_{self.name}({call});' if self.prepare else ''}
{keep}  {self.name}({call});
{show}  return 0;
}}
"""

    def check(self, fuses=False):
        cuda, host, in_step = in_step_of(self.path, fuses)
        with harness.Scratch() as scratch:
            program, reference = os.path.join(scratch, "program"), os.path.join(scratch, "reference")
            with open(reference + ".c", "w") as f:
                f.write(self.main(self.path))
            built(cuda, [host], program, flags=DOUBLE)
            harness.run(["gcc", "-O1", "-w", "-ffp-contract=off", *DOUBLE, reference + ".c", "-o",
                         reference, "-lm"])
            wide = [((WIDE[self.name],) * 5, 4, p) for p in (3, 0) if self.name in WIDE]
            for sizes, order, processors in RUNS + wide:
                self.run(reference, program, sizes, order, processors)
            if self.run(reference, in_step, *RACES_RUN)["launches"] == 0:
                raise Failure("no kernel ran, but the original loops")

    def run(self, reference, program, sizes, order, processors):
        most = LARGEST.get(self.name, 10000) if program.endswith("in_step") else 10000
        values = [str(min(value, 4 if name in TIME else most)) for name, value in zip(self.sizes, sizes)]
        want = harness.run([reference, *values]).out
        got, statistics = emulated([program, *values], order, NESTWARP_EMULATION_PROCESSORS=processors)
        self.compare(want.split(), got.split(), f"sizes {' '.join(values)}, order {order}, {os.path.basename(program)}")
        return statistics

    @staticmethod
    def compare(want, got, what):
        if len(want) != len(got):
            raise Failure(f"{what}: {len(want)} numbers of the original, {len(got)} here")
        numbers = [(float(x), float(y)) for x, y in zip(want, got)]
        scale = max([abs(x) for x, _ in numbers if abs(x) < float("inf")] + [1])
        for k, (x, y) in enumerate(numbers):
            if x != y and not (x != x and y != y) and not abs(x - y) <= NEAR * scale:
                raise Failure(f"{what}: number {k} of {len(want)} is {x} in the original, {y} here")


def cases(arguments):
    cases = [("correct kernels", lambda: correct_kernels(False)), ("correct kernels, warps in step", lambda: correct_kernels(True)),
             ("nvcc takes the correct kernels", correct_kernels_are_cuda), ("mistakes are reported", lambda: mistakes(MISTAKES)), ("races are reported", lambda: mistakes(RACES, count=True)),
             ("transactions and bank conflicts", transactions), ("strides cost what the table says", lambda: stride_counts.check(built, emulated)),
             ("a reduction misses its barriers", lambda: removed_barriers("features", "reductions_float", "__syncthreads();", (0, 4, 7))),
             ("a resident kernel misses its barriers", lambda: removed_barriers("programs", "jacobi_2d", "nw_grid_barrier(nw", (0, 1))),
             ("a grid barrier misses its barriers", lambda: removed_barriers("programs", "jacobi_2d", "__syncthreads();", (0, 1))),
             ("a grid barrier misses its fences", lambda: removed_barriers("programs", "jacobi_2d", "__threadfence();", (0, 2)))]
    for path in sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c"))):
        cases.append((f"program {os.path.basename(path)[:-2]}", lambda path=path: Program(path).check()))
    for name in ("atax", "bicg", "mvt"):
        cases.append((f"program {name}, fused", lambda name=name: Program(os.path.join(harness.TESTS, "programs", name + ".c")).check(fuses=True)))
    for folder in ("features", "regressions") if "regression" in arguments else ("features",):
        for path in sorted(glob.glob(os.path.join(harness.TESTS, folder, "*.c*"))):
            if header(open(path).read(), "expect", "any") == "host":
                continue
            cases.append((f"{folder[:-1]} {os.path.splitext(os.path.basename(path))[0]}", lambda path=path: feature(path)))
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("emulation")
