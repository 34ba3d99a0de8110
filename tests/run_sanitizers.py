#!/usr/bin/env python3
"""The suites that make sense with a compiler and a runtime built with AddressSanitizer and UndefinedBehaviorSanitizer (make
check-sanitizers). Programs are built by Clang with the sanitizers, too, since the runtime in them has been."""
import os
import sys
import tempfile
import harness

# Words on the command line choose suites.
SUITES = {"unit": [], "lit": [], "features": ["plain"], "cc": ["make project", "one line"]}
CHECKED = "clang-22 -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-unused-command-line-argument"


def options(leaks):
    """PoCL keeps its devices until the end of the process, so that only our own tools are searched for leaks."""
    os.environ["ASAN_OPTIONS"] = f"detect_leaks={leaks}:detect_stack_use_after_return=1"
    os.environ["LSAN_OPTIONS"] = "suppressions=" + os.path.join(harness.TESTS, "leaks.supp") + ":print_suppressions=0"
    os.environ["UBSAN_OPTIONS"] = "print_stacktrace=1"


def main():
    os.environ["NESTWARP_CC"] = CHECKED
    os.environ["NESTWARP_CXX"] = CHECKED.replace("clang-22", "clang++-22", 1)
    total = harness.Counts()
    with tempfile.TemporaryDirectory(prefix="nestwarp-cache.") as cache:
        os.environ.setdefault("NESTWARP_CACHE_DIR", os.path.join(cache, "nestwarp"))
        os.environ.setdefault("POCL_CACHE_DIR", os.path.join(cache, "pocl"))
        os.makedirs(os.environ["POCL_CACHE_DIR"], exist_ok=True)
        for name in sys.argv[1:] or SUITES:
            options(leaks=int(name in ("unit", "lit")))
            done = harness.run_all(harness.cases_of(name, SUITES[name]))
            total.passed += done.passed
            total.failed += done.failed
            total.skipped += done.skipped
    harness.finish(total)


if __name__ == "__main__":
    main()
