#!/usr/bin/env python3
"""tests/mutation: kernels bent in one place, a fresh sample of them each time, and how many of those that compute
something else the verifier sees. NESTWARP_MUTANTS says how many, NESTWARP_MUTATION_SEED repeats a run."""
import glob
import os
import random
import harness

MUTANTS = int(os.environ.get("NESTWARP_MUTANTS", "56"))
SHARES = 2  # processes
# What sampled runs see depends on the data: a wrong lane of a minimum shows only when the minimum lies there.
MOST_MISSED = float(os.environ.get("NESTWARP_MOST_MISSED", "0.01"))


def cases(arguments):
    program = os.environ.get("NESTWARP_MUTANTS_PROGRAM", os.path.join(harness.BUILD, "nestwarp_mutants"))
    seed = int(os.environ.get("NESTWARP_MUTATION_SEED", random.randrange(1000000)))
    files = [f for folder in ("programs", "features") for f in sorted(glob.glob(os.path.join(harness.TESTS, folder, "*.c")))]
    files = [f for f in files if harness.chosen(arguments, f)]

    def share(number):
        def case():
            done = harness.run([program, "--sample", str(MUTANTS // SHARES), "--seed", str(seed + number), *files[number::SHARES]], limit=900, check=False)
            print(done.out, flush=True)
            missed = done.out.count("\nMISSED") + done.out.startswith("MISSED")
            if done.status not in (0, 1):
                raise harness.Failure(f"status {done.status}\n{done.err[-2000:]}")
            if missed > max(1, MOST_MISSED * (MUTANTS // SHARES)):
                raise harness.Failure(f"the verifier missed {missed} mutants")
        return f"share {number + 1} of {SHARES}, seed {seed + number}", case

    # Tiles: in their own sizes, small inputs would not launch them.
    tiled = [os.path.join(harness.ROOT, "bench", "kernels", "mm.c"), os.path.join(harness.ROOT, "bench", "kernels", "mt.c"), os.path.join(harness.TESTS, "programs", "gemm.c")]
    tiled = [f for f in tiled if harness.chosen(arguments, f)]

    def tiles():
        done = harness.run([program, "--small-tiles", "--matching", "_tiles", "--sample", str(max(MUTANTS // 8, 1)), "--seed", str(seed), *tiled], limit=900, check=False)
        print(done.out, flush=True)
        if done.status not in (0, 1):
            raise harness.Failure(f"status {done.status}\n{done.err[-2000:]}")
        if "MISSED" in done.out:
            raise harness.Failure("the verifier missed mutants of tiles")

    # Strips of rows, which are stored through shared memory.
    rows = [f for f in (os.path.join(harness.TESTS, "mutation", "rows.c"),) if harness.chosen(arguments, f)]

    def strips():
        done = harness.run([program, "--coalesce", "both", "--matching", "_tiles", "--sample", str(max(MUTANTS // 8, 1)), "--seed", str(seed), *rows], limit=900, check=False)
        print(done.out, flush=True)
        if done.status not in (0, 1):
            raise harness.Failure(f"status {done.status}\n{done.err[-2000:]}")
        if "MISSED" in done.out:
            raise harness.Failure("the verifier missed mutants of strips")

    # Folds that share what they read, likewise.
    folds = [f for f in (os.path.join(harness.ROOT, "bench", "kernels", name) for name in ("atax.c", "mvt.c")) if harness.chosen(arguments, f)]

    def joined():
        for kernel in ("_joined:", "_columns:"):
            done = harness.run([program, "--small-tiles", "--matching", kernel, "--sample", str(max(MUTANTS // 8, 1)), "--seed", str(seed), *folds], limit=900, check=False)
            print(done.out, flush=True)
            if done.status not in (0, 1):
                raise harness.Failure(f"status {done.status}\n{done.err[-2000:]}")
            if "MISSED" in done.out:
                raise harness.Failure("the verifier missed mutants of joined folds")

    cases = [share(k) for k in range(SHARES) if files[k::SHARES]] + ([(f"tiles, seed {seed}", tiles)] if tiled else []) + ([(f"strips, seed {seed}", strips)] if rows else []) + ([(f"joined, seed {seed}", joined)] if folds else [])
    return cases


if __name__ == "__main__":
    harness.main("mutation")
