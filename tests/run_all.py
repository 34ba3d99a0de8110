#!/usr/bin/env python3
"""All suites, or those named on the command line; the last line is the sum."""
import os
import sys
import tempfile
import time
import harness

ORDER = ["tree", "unit", "runtime", "lit", "cc", "install", "data", "targets", "bundles", "tune", "board", "explain", "cuda", "cuda_emulation", "lint", "share", "features", "programs", "poly", "races", "emulation", "hostile", "mutation", "fuzz"]


def main():
    names = sys.argv[1:] or ORDER
    begin = time.time()
    total = harness.Counts()
    with tempfile.TemporaryDirectory(prefix="nestwarp-cache.") as cache:
        # Kernels compiled by earlier runs are no help here, and ours are no use to others.
        os.environ.setdefault("NESTWARP_CACHE_DIR", os.path.join(cache, "nestwarp"))
        os.environ.setdefault("POCL_CACHE_DIR", os.path.join(cache, "pocl"))
        os.makedirs(os.environ["POCL_CACHE_DIR"], exist_ok=True)
        for name in names:
            suite = __import__("run_" + name).suite
            try:
                total.add(suite([]))
            except harness.Failure as f:
                print(f"FAIL {name}: {f}")
                total.failed += 1
    print(f"---- all: {time.time() - begin:.0f} s, {harness.processor_time():.0f} s of processor time")
    print(total.line())
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    main()
