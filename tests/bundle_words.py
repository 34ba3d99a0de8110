"""Cases of bundles: outputs of programs, held against each other word by word. Rounding is not a mistake, and no mistake is rounding."""
import os
import harness
from bundle_workdir import COMPILER, RUN, expect, need_pocl
from harness import Failure

TINY = """#include <stdio.h>
static TYPE a[100];
int main(void) {
  for (int i = 0; i < 100; i++)
    a[i] = (i - 50) * 1e-8;
  printf("%.6e %.6e\\n", a[3], a[90]);
  return 0;
}
"""
MAIN = """#include "bundle.h"
#include "results.h"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  for (int i = 1; i + 2 < count; i += 3)
    putchar(is_same_word(words[i + 1], words[i + 2], (outputs)atoi(words[i])) ? '1' : '0');
  return 0;
}
"""
STRICT, DOUBLE, FLOAT, FAST = range(4)
# Two words, and how inexact outputs must be for them to be the same; None: never.
WORDS = [
    ("1.5", "1.5", STRICT), ("nan", "-nan", STRICT), ("inf", "-inf", None), ("inf", "nan", None), ("inf", "1e+308", None), ("1.0", "1.00", DOUBLE), ("0", "-0", DOUBLE), ("0.0", "-0.0", DOUBLE),
    # small numbers of opposite sign, and large ones that are close
    ("5e-07", "-4e-07", None), ("5.000000e-07", "-4.000000e-07", None), ("0.0000005", "-0.0000004", None), ("-4.700000e-07", "-7.000000e-08", None), ("0", "5e-07", None), ("0", "1e-08", None),
    ("1000.000000", "1000.099999", FAST), ("1000.000000", "1000.200000", None), ("1000.000000", "1000.009999", FLOAT), ("1000.000000", "1000.010002", FAST), ("1000.000000", "1000.000004", FLOAT),
    ("1000.000000", "1000.000001", DOUBLE), ("1.234567890123e+03", "1.234567890125e+03", DOUBLE), ("1.234567890123e+03", "1.234567900123e+03", FLOAT),
    # a unit of the last digit, but not of a digit that is only the last one that is not a zero
    ("0.12", "0.13", DOUBLE), ("0.12", "0.14", None), ("0.000000", "0.000001", DOUBLE), ("0.000001", "-0.000001", None), ("1", "1.1", None), ("1", "1.00001", DOUBLE), ("1e-06", "2e-06", None), ("1e+20", "2e+20", None),
    ("9.999999e-01", "1.000000e+00", DOUBLE), ("5.246271e+03", "5.246276e+03", FLOAT),
    # integers, checksums, and what is not a number
    ("1000000", "1000001", None), ("123456789", "123456790", None), ("0x1e00000001", "0x1e00000002", None), ("12345671e2", "12345672e2", None), ("1.5s", "1.50000001s", None), ("a", "b", None), ("1.5", "", None), (".", "0.0", None),
]


def words():
    with harness.Scratch() as scratch:
        source, program = os.path.join(scratch, "main.c"), os.path.join(scratch, "main")
        with open(source, "w") as f:
            f.write(MAIN)
        tool = os.path.join(harness.ROOT, "runtime", "tool")
        harness.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I", tool, source, os.path.join(tool, "words.c"), "-o", program, "-lm"])
        cases = [(kind, *pair, least is not None and kind >= least) for a, b, least in WORDS for pair in ((a, b), (b, a)) for kind in range(4)]
        found = harness.run([program, *(str(word) for case in cases for word in case[:3])]).out
        wrong = [case for case, same in zip(cases, found) if case[3] != (same == "1")]
        if len(found) != len(cases) or wrong:
            raise Failure(f"{wrong}")


def bundle_of(scratch, type, *options):
    source, bundle = os.path.join(scratch, "tiny.c"), os.path.join(scratch, "bundle")
    with open(source, "w") as f:
        f.write(TINY.replace("TYPE", type))
    harness.run([harness.NESTWARP, "check", "-q", source, "--offload=always", "--cubin=none", "--bundle", bundle, *options])
    return bundle


def changed(path, old, new):
    with open(path) as f:
        text = f.read()
    if old not in text:
        raise Failure(f"no {old} in {path}")
    with open(path, "w") as f:
        f.write(text.replace(old, new))


def tiny_mistakes():
    """A kernel that computes small numbers of the other sign; and in strict bundles one that is off in the last digit."""
    need_pocl()
    for options, old, new, verdict in (((), "i - 50", "i - 10", "DIFFERENT"), (("--fp=strict",), "i - 50", "i - 10", "DIFFERENT"),
                                       (("--fp=strict",), "1e-08", "1.000001e-08", "DIFFERENT"), (("--fp=strict",), "1e-08", "1e-08", "same")):
        with harness.Scratch() as scratch:
            bundle = bundle_of(scratch, "double", *options)
            kernels = os.path.join("jobs", "001-tiny-main", "regions.nw.c")
            size = os.path.getsize(os.path.join(bundle, kernels))
            changed(os.path.join(bundle, kernels), old, new)
            changed(os.path.join(bundle, "manifest.txt"), f"{kernels}\t{size}", f"{kernels}\t{os.path.getsize(os.path.join(bundle, kernels))}")
            expect(harness.run([RUN, bundle, "--device=pocl"], check=False, env=COMPILER), verdict != "same", f"001-tiny-main: {verdict} (")


def exactness():
    """The manifest says how exact numbers are; a word that it does not know is refused, and so is none."""
    for type, options, word in (("double", (), "double"), ("float", (), "float"), ("float", ("--fp=fast",), "fast"), ("double", ("--fp=fast",), "double"), ("float", ("--fp=strict",), "strict")):
        with harness.Scratch() as scratch:
            manifest = os.path.join(bundle_of(scratch, type, *options), "manifest.txt")
            changed(manifest, f"program\t0\t{word}\n", f"program\t0\t{word}\n")
            changed(manifest, f"\t{word}\n", "\tloose\n")
            expect(harness.run([RUN, os.path.dirname(manifest)], check=False), 2, "is not valid: loose")
            changed(manifest, "\tloose\n", "\n")
            expect(harness.run([RUN, os.path.dirname(manifest)], check=False), 2, "is not valid: job")
            expect(harness.run([harness.NESTWARP, "check", "--import", os.path.dirname(manifest)], check=False), 1, "is not valid")


CASES = [("words of outputs", words), ("tiny mistakes", tiny_mistakes), ("how exact numbers are", exactness)]
