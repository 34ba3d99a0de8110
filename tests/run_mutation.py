#!/usr/bin/env python3
"""tests/mutation: kernels changed at one point. Those that compute something else have to be seen by
the verifier, each of them; fixed seeds choose the files and the mutants.

NESTWARP_MUTATION_SEED=N  other files and mutants
NESTWARP_MUTANTS=N        so many of them in each case
NESTWARP_ALL_SIZES=1      mutants of all files of tests/programs and tests/features"""
import glob
import os
import random
import harness
from harness import Failure

PROGRAM = os.environ.get("NESTWARP_MUTANTS_PROGRAM",
                         os.path.join(harness.BUILD, "nestwarp_mutants"))
SEED = int(os.environ.get("NESTWARP_MUTATION_SEED", "1"))
MUTANTS = int(os.environ.get("NESTWARP_MUTANTS", "14"))
FILES = 5  # of one case; what costs is the translation
# For a mutant of these, all forms of the tiles are verified: 20 to 35 s for a case. Tiles of others
# are among the files that are left, and the case of small tiles has more.
COSTLY = ("outer_dimensions.c", "syr2k.c")


def mutants(files, *flags):
    if not os.path.exists(PROGRAM):
        raise Failure(f"{PROGRAM} is missing; `ninja -C build nestwarp_mutants` builds it")
    done = harness.run([PROGRAM, "--seed", str(SEED), *flags, *files], limit=1800, check=False)
    if done.status:
        missed = "the verifier missed mutants" if done.status == 1 else f"status {done.status}"
        raise Failure(f"{missed}: {' '.join(flags)}\n{done.out[-3000:]}{done.err[-2000:]}")
    if "caught                 0" in done.out:
        raise Failure(f"no mutant was caught, so that nothing was shown\n{done.out[-1000:]}")


def path(folder, name):
    return os.path.join(harness.ROOT, *folder.split("/"), name + ".c")


def shuffled():
    """All files, in an order that the seed chooses, in groups of a case."""
    files = [f for folder in ("programs", "features")
             for f in sorted(glob.glob(os.path.join(harness.TESTS, folder, "*.c")))]
    random.Random(SEED).shuffle(files)
    if not harness.EVERYTHING:
        files = [f for f in files if os.path.basename(f) not in COSTLY]
    return [files[k:k + FILES] for k in range(0, len(files), FILES)]


def cases(arguments):
    sample = ("--sample", str(MUTANTS))
    few = ("--sample", str(max(MUTANTS // 2, 1)))
    cases = []
    for group in shuffled() if harness.EVERYTHING else shuffled()[:3]:
        names = " ".join(os.path.basename(f)[:-2] for f in group)
        cases.append((names, lambda group=group: mutants(group, *sample)))
    # Tiles and fused reductions in small sizes, which small inputs launch.
    board = "bench/kernels"
    tiled = [path(board, "mm"), path(board, "mt"), path("tests/programs", "gemm")]
    joined = [path(board, "atax"), path(board, "mvt")]
    rows = [path("tests/mutation", "rows")]
    small = ("--small-tiles", "--matching")
    cases += [("tiles", lambda: mutants(tiled, *small, "_tiles", *few)),
              ("strips of rows", lambda: mutants(rows, "--coalesce", "both", "--matching", "_tiles",
                                                 *few)),
              ("fused reductions", lambda: mutants(joined, *small, "_fused:", *few)),
              ("fused reductions, columns", lambda: mutants(joined, *small, "_columns:", *few))]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("mutation")
