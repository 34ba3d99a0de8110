#!/usr/bin/env python3
"""All suites, or those named on the command line, out of one pool; the last line is the sum.

--quick: the selection for developers, in two minutes."""
import os
import sys
import tempfile
import harness

# Suites with long cases come first, so that no core waits for one of them at the end.
ORDER = ["mutation", "fuzz", "unit", "lit", "tune", "bundles", "runtime", "board", "programs",
         "cuda_emulation", "emulation", "cuda", "races", "targets", "features", "poly", "explain",
         "data", "share", "cc", "install", "contributing", "hostile", "lint", "tree"]

# What tells soon that something is broken: words of a few cases of each kind.
QUICK = {
    # Some run compilers; others bend kernels, and verify each of them.
    "unit": ["-CheckDriver", "-PolyCheck", "-AreSeen", "-IsSeen"],
    "fuzz": ["interpreter, seeds 151 to"],
    "lit": [r"stages/(alias|deps|distribution|expansion|flattened|host_file|fusion|plan|points|reduction"
            r"|snapshot|block_reduction|strict|tiles|unsigned_wrap|vectors)\.c", r"errors/nw0[12]"],
    "programs": ["atax float", "jacobi_1d float", "jacobi_1d int", "lu strict"],
    "cuda": ["row_scaling.cu"],
    "emulation": ["program trisolv", "feature triangles", "mistakes are reported"],
    "features": ["zero_trip plain", "structs plain", "gather plain", "reductions_float", "triangles",
                 "member_address", "continue_in", "guarded_"],
    "races": ["programs/lu.c", "kernels/mt.c"],
    "poly": ["lu", "row_recurrence"],
    "data": ["updates.c"],
    "share": ["sums of rows"],
    "cc": ["one line", "mixed objects"],
    "lint": ["strides.cu"],
    "tree": ["-clang-tidy"],
}
# Suites whose program `make` alone does not build.
PROGRAMS = {"unit": "nestwarp_unit", "fuzz": "nestwarp_fuzz"}


def quick():
    """The selection, as far as its programs are there."""
    wanted = dict(QUICK)
    for name, program in PROGRAMS.items():
        if not os.path.exists(os.path.join(harness.BUILD, program)):
            print(f"SKIP {name}: {program} is not built; make test builds it")
            del wanted[name]
    return wanted


def main():
    arguments = sys.argv[1:]
    every = {name: [] for name in arguments or ORDER}
    wanted = quick() if arguments == ["--quick"] else every
    with tempfile.TemporaryDirectory(prefix="nestwarp-cache.") as cache:
        # Kernels compiled by earlier runs are no help here, and ours are no use to others.
        os.environ.setdefault("NESTWARP_CACHE_DIR", os.path.join(cache, "nestwarp"))
        os.environ.setdefault("POCL_CACHE_DIR", os.path.join(cache, "pocl"))
        os.makedirs(os.environ["POCL_CACHE_DIR"], exist_ok=True)
        cases = [c for name, words in wanted.items() for c in harness.cases_of(name, words)]
        counts = harness.run_all(cases)
    harness.finish(counts)


if __name__ == "__main__":
    main()
