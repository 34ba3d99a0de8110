"""Cases of bundles: a slice of libFuzzer on each reader of what another machine has written (tests/libfuzzer), and all inputs that
once failed. `make fuzz-manifest` and the like go on for longer."""
import os
import shutil
import sys
import harness
from harness import Skip

BUILD = os.path.join(harness.BUILD, "libfuzzer")
TARGETS = ("manifest", "results", "times")


def slices():
    if not shutil.which("clang++-22"):
        raise Skip("clang++-22 is not installed")
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        # Without optimizations: it takes longer to compile these files than to run them.
        harness.run(["cmake", "-G", "Ninja", "-B", BUILD, "-S", harness.ROOT,
                     "-DNESTWARP_LIBFUZZER=ON", "-DCMAKE_BUILD_TYPE=None",
                     "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22"], limit=300)
    harness.run(["ninja", "-C", BUILD, "-j", "1", *("fuzz_" + t for t in TARGETS)], limit=600)
    for target in TARGETS:
        harness.run([sys.executable, os.path.join(harness.TESTS, "libfuzzer", "run.py"), target, BUILD, "120", "-runs=5000", "-seed=1"], limit=300)


CASES = [("libFuzzer on the readers", slices)]
