#!/usr/bin/env python3
"""The suites that make sense with a compiler and a runtime built with AddressSanitizer and UndefinedBehaviorSanitizer (make
check-sanitizers). Programs are built by Clang with the sanitizers, too, since the runtime in them has been."""
import os
import sys
import tempfile
import harness

# Words on the command line choose suites.
SUITES = {"unit": [], "lit": [], "features": ["plain"], "cc": ["make project", "one line"]}
CHECKED = "-fsanitize=address,undefined -fno-sanitize-recover=all -Wno-unused-command-line-argument"


def options(leaks):
    """PoCL keeps its devices until the end of the process, so that only our own tools are searched for leaks."""
    os.environ["ASAN_OPTIONS"] = f"detect_leaks={leaks}:detect_stack_use_after_return=1"
    os.environ["LSAN_OPTIONS"] = "suppressions=" + os.path.join(harness.TESTS, "leaks.supp") + ":print_suppressions=0"
    os.environ["UBSAN_OPTIONS"] = "print_stacktrace=1"


def compiler(folder, name):
    """A compiler that adds the sanitizers by itself: where nestwarp sees such a flag, it keeps the file
    on the host. Programs are not searched for leaks, since PoCL runs in them."""
    quiet = os.path.join(folder, "no_leaks")
    with open(quiet + ".c", "w") as source:
        source.write("int __lsan_is_turned_off(void) { return 1; }\n")
    harness.run(["clang-22", "-c", quiet + ".c", "-o", quiet + ".o"])
    path = os.path.join(folder, "checked-" + name)
    with open(path, "w") as script:
        script.write(f"""#!/bin/sh
case " $* " in
*" -c "* | *" -E "* | *" -r "* | *" -shared "*) exec {name} {CHECKED} "$@" ;;
esac
exec {name} {CHECKED} "$@" {quiet}.o
""")
    os.chmod(path, 0o755)
    return path


def main():
    total = harness.Counts()
    with tempfile.TemporaryDirectory(prefix="nestwarp-cache.") as cache:
        os.environ["NESTWARP_CC"] = compiler(cache, "clang-22")
        os.environ["NESTWARP_CXX"] = compiler(cache, "clang++-22")
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
