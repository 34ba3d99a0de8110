#!/usr/bin/env python3
"""tests/programs, tests/features and an example by `nestwarp check --poly`: kernels that keep account of who wrote
what, held against a run in source order. Sizes are small, since data do not matter.
Words on the command line choose cases by part of their label, as in: run_poly.py gemm lu. All other features can be named
there too; without words only some of them run, to save time."""
import glob
import json
import os
import re
import harness
from harness import Failure, Skip
from run_programs import Program, TIME

SIZES = (9, 7, 8, 5, 6)  # different numbers for different parameters
FEATURES = ("gather", "imperfect_nest", "local_scalars_arrays", "row_recurrence", "structs", "triangles", "sum")
# Tiles, which are for large sizes, at small ones: as they are proposed, and in other forms.
TILES = {"as proposed": {}, "two stages": {"stages": 2, "prefetch": 0}, "tiles shifted inwards": {"tail": "shift-inwards", "vectorBytes": 0}}
PRODUCT = """void product(int n, float A[n][n], float B[n][n], float C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
"""


def checked(line):
    # Kernels with accounts are long; unoptimised ones are compiled in half the time.
    done = harness.run(line, limit=240, check=False, env={"NESTWARP_OPENCL_OPTIONS": "-cl-opt-disable"})
    if "no function with an offloaded nest" in done.err:
        raise Skip("nothing of it can be called for a check")
    if done.status not in (0, 3) or "BROKEN" in done.out or "did not run" in done.out:
        raise Failure(f"status {done.status}: {' '.join(line)}\n{done.out[-1500:]}{done.err[-4000:]}")
    if "all dependences kept" not in done.out:
        raise Skip(done.out.strip().splitlines()[-1] if done.out.strip() else "nothing was checked")
    return done.out


def program(path):
    p = Program(path)
    line = [harness.NESTWARP, "check", "--poly", "-q", "--function", p.name, path]
    for name, value in zip(p.sizes, SIZES):
        line += ["--size", f"{name}={2 if name in TIME else value}"]
    for name, value in p.extents:
        line += ["--extent", f"{name}={value}"]
    if f"{p.name}: all dependences kept" not in checked(line):
        raise Failure(f"{' '.join(line)}: {p.name} was not checked")


def feature(path):
    names = sorted(set(re.findall(r"\bint (\w+)\s*[,)]", open(path).read())))
    sizes = {name: SIZES[k % len(SIZES)] for k, name in enumerate(names)}
    while True:
        line = [harness.NESTWARP, "check", "--poly", "-q", path]
        line += [word for name, value in sizes.items() for word in ("--size", f"{name}={value}")]
        try:
            checked(line)
            return
        except Failure as f:  # parameters of functions that are not checked are no sizes
            other = re.search(r"--size (\w+)=\d+: no such parameter", str(f))
            if not other:
                raise
            del sizes[other.group(1)]


def product(change):
    """Copies in shared memory keep account, too; points that are none sign nothing."""
    with harness.Scratch() as scratch:
        source, file = os.path.join(scratch, "product.c"), os.path.join(scratch, "plan.json")
        with open(source, "w") as f:
            f.write(PRODUCT)
        plan = json.loads(harness.run([harness.NESTWARP, "compile", source, "--emit=plan"]).out)
        tiles = [t for region in plan for kernel in region["kernels"] for t in kernel["tiles"]]
        if not tiles:
            raise Failure("no tiles are proposed for a product")
        for t in tiles:
            t.update(change, profitableFrom=1)
        with open(file, "w") as f:
            json.dump(plan, f)
        checked([harness.NESTWARP, "check", "--poly", "-q", source, "--plan", file, "--size", "n=33"])


def cases(arguments):
    cases = [(f"product in tiles, {name}", lambda change=change: product(change)) for name, change in TILES.items()]
    for path in sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c"))):
        cases.append((os.path.basename(path)[:-2], lambda path=path: program(path)))
    for path in sorted(glob.glob(os.path.join(harness.TESTS, "features", "*.c"))) + [os.path.join(harness.ROOT, "examples", "sum.c")]:
        name = os.path.basename(path)[:-2]
        if not name.startswith("host_") and (arguments or name in FEATURES):
            cases.append((name, lambda path=path: feature(path)))
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("poly")
