#!/usr/bin/env python3
"""tests/features: each program built by `nestwarp cc` and by gcc; outputs and statistics are compared.

Its first lines say what to expect:
  // expect: offload|host|mixed|any   of the statistics
  // flags: -fwrapv ...                flags for both compilers
  // fp: exact|tol                    how outputs are compared (--fp=strict: always exact)
  // strict-expect: ...               the same as expect, for --fp=strict (default: as expect; any where fp is tol)
  // kernels: optimized                the device's compiler optimizes, as users have it
tests/regressions, programs that were once compiled wrongly, run in the same way (default: any,
exact). --fp=strict is tried where there is floating point; NESTWARP_ALL_SIZES=1 tries it on all."""
import glob
import json
import os
import re
import harness
from harness import Failure, Skip

TOLERANCE = 2e-5


def header(text, key, default):
    m = re.search(r"^// %s: (\S+)" % key, text, re.M)
    return m.group(1) if m else default


def flags_of(text):
    m = re.search(r"^// flags: (.*)$", text, re.M)
    return m.group(1).split() if m else []


def compare(want, got, exact):
    if want == got:
        return
    a, b = want.split(), got.split()
    if exact or len(a) != len(b):
        for k, (x, y) in enumerate(zip(want.splitlines() + [""], got.splitlines() + [""])):
            if x != y:
                raise Failure(f"line {k + 1} of the output differs: gcc '{x[:150]}', nestwarp '{y[:150]}'")
        raise Failure("one output is longer than the other")
    for x, y in zip(a, b):
        if x == y:
            continue
        try:
            u, v = float(x), float(y)
        except ValueError:
            raise Failure(f"the output differs: gcc '{x}', nestwarp '{y}'")
        if not abs(u - v) <= TOLERANCE * max(abs(u), abs(v), 1e-3):
            raise Failure(f"the output differs by more than {TOLERANCE}: gcc {x}, nestwarp {y}")


def statistics(program, err):
    m = re.search(r"^nestwarp-stats: (\{.*\})$", err, re.M)
    if m:
        return json.loads(m.group(1))
    if "nw_enter" in harness.run(["nm", program]).out:
        raise Failure("no statistics were printed:\n" + err[-800:])
    return {"regions_offloaded": 0, "regions_on_host": 0, "largest_launch": 0}  # no region at all: no runtime in it


def judge(expect, s):
    device, host, widest = s["regions_offloaded"], s["regions_on_host"], s["largest_launch"]
    if expect in ("offload", "mixed") and (device < 1 or widest < 32):
        raise Failure(f"expected an offload, but: {s}")
    if expect == "mixed" and host < 1:
        raise Failure(f"expected some regions on the host, but: {s}")
    if expect == "host" and device != 0:
        raise Failure(f"expected no offload, but: {s}")


FLAGS = ["-O1", "-ffp-contract=off", "-w"]


@harness.once
def by_gcc(path):
    """What the program prints when the host's compiler has made it."""
    with harness.Scratch() as scratch:
        program = os.path.join(scratch, "program")
        compiler = "gcc" if path.endswith(".c") else "g++"
        flags = [*FLAGS, *flags_of(open(path).read())]
        harness.run([compiler, *flags, path, "-o", program, "-lm"])
        return harness.run([program]).out


@harness.once
def links_openmp():
    with harness.Scratch() as scratch:
        source = os.path.join(scratch, "empty.c")
        with open(source, "w") as f:
            f.write("int main(void) { return 0; }\n")
        command = [os.environ.get("NESTWARP_CC", "gcc"), "-fopenmp", source, "-o", source + ".out"]
        return harness.run(command, check=False).status == 0


def feature(path, strict):
    text = open(path).read()
    if "-fopenmp" in flags_of(text) and not links_openmp():
        raise Skip("the host's compiler does not link programs with -fopenmp")
    exact = header(text, "fp", "exact") == "exact"
    expect = header(text, "expect", "any")
    if strict:
        expect = header(text, "strict-expect", expect if exact else "any")
    optimized = header(text, "kernels", "quick") == "optimized" or harness.EVERYTHING
    with harness.Scratch() as scratch:
        own = os.path.join(scratch, "own")
        more = ["--fp=strict"] if strict else []
        harness.run([harness.NESTWARP, "cc", *FLAGS, *flags_of(text), "--offload=always", *more, path,
                     "-o", own, "-lm"])
        want = by_gcc(path)
        quick = {} if optimized and not strict else harness.environment_of("")
        got = harness.run([own], env={"NESTWARP_STATS": "1", **quick})
        compare(want, got.out, exact or strict)
        judge(expect, statistics(own, got.err))
        if not strict:  # the same program without a device runs the original loops
            alone = harness.run([own], env={"NESTWARP_STATS": "1", "NESTWARP_DEVICE": "none"})
            compare(want, alone.out, True)
            judge("host", statistics(own, alone.err))


def computes_in_floats(path):
    return re.search(r"\b(float|double)\b|polybench", open(path).read()) is not None


def cases(arguments):
    cases = []
    paths = sorted(glob.glob(os.path.join(harness.TESTS, "features", "*.c")) +
                   glob.glob(os.path.join(harness.TESTS, "regressions", "*.c*")))
    # Strict only matters where there is floating point. First all plain ones: their kernels, which are compiled by then, are mostly the strict ones.
    for strict in (False, True):
        for path in paths:
            name = os.path.splitext(os.path.basename(path))[0]
            label = f"{name} {'strict' if strict else 'plain'}"
            if strict and not harness.EVERYTHING and not computes_in_floats(path):
                continue
            cases.append((label, lambda path=path, strict=strict: feature(path, strict)))
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("features")
