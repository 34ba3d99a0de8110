#!/usr/bin/env python3
"""All suites, or those named on the command line, out of one pool; the last line is the sum."""
import os
import sys
import tempfile
import harness

# Suites with long cases come first, so that no core waits for one of them at the end.
ORDER = ["mutation", "fuzz", "unit", "lit", "tune", "bundles", "runtime", "board", "programs",
         "cuda_emulation", "emulation", "cuda", "races", "targets", "features", "poly", "explain",
         "data", "share", "cc", "install", "contributing", "hostile", "lint", "tree"]


def main():
    with tempfile.TemporaryDirectory(prefix="nestwarp-cache.") as cache:
        # Kernels compiled by earlier runs are no help here, and ours are no use to others.
        os.environ.setdefault("NESTWARP_CACHE_DIR", os.path.join(cache, "nestwarp"))
        os.environ.setdefault("POCL_CACHE_DIR", os.path.join(cache, "pocl"))
        os.makedirs(os.environ["POCL_CACHE_DIR"], exist_ok=True)
        cases = [c for name in sys.argv[1:] or ORDER for c in harness.cases_of(name)]
        counts = harness.run_all(cases)
    harness.finish(counts)


if __name__ == "__main__":
    main()
