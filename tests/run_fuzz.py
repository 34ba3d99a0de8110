#!/usr/bin/env python3
"""tests/fuzz: fixed seeds of random programs through the whole compiler. A difference, a crash or a
hang is a failure. What the verifier or isl refuses stays on the host and is right, so it is counted
apart: the number is known for these seeds, and another one, larger or smaller, is a failure too.

Where PoCL alone differs from the original, while the interpreter and the emulation do not, PoCL is
to blame; the case says so and is skipped.

NESTWARP_FUZZ_SECONDS=N  tries fresh seeds for N seconds with each engine instead; every refusal is
                         a failure then, since nobody knows how many there are
NESTWARP_FUZZ_SEED=N     the first of those (default: a fresh one, which is printed)
NESTWARP_FUZZ_OUTPUT=DIR for programs that failed (default: the build folder)"""
import os
import random
import re
import harness
from harness import Failure, Outcome

PROGRAM = os.environ.get("NESTWARP_FUZZ", os.path.join(harness.BUILD, "nestwarp_fuzz"))
# Engine, first seed, how many programs, how many of them are refused.
FIXED = [("interpreter", 151, 25, 0), ("interpreter", 51, 25, 0), ("interpreter", 101, 25, 0),
         ("pocl", 1001, 12, 0), ("emulation", 2006, 7, 0)]
ENGINES = ("interpreter", "pocl", "emulation")


def fuzz(label, engine, seed, *more):
    if not os.path.exists(PROGRAM):
        raise Failure(f"{PROGRAM} is missing; `ninja -C build nestwarp_fuzz` builds it")
    folder = os.environ.get("NESTWARP_FUZZ_OUTPUT", harness.BUILD)
    done = harness.run([PROGRAM, "--engine", engine, "--limit", "180", "--seed", str(seed),
                        "--failures", "8", "--shrink-seconds", "15", "--output", folder, *more],
                       limit=3600, check=False)
    if done.status:
        raise Failure(f"status {done.status}\n{done.out[-4000:]}{done.err[-500:]}")
    alone = re.findall(r"^seed (\d+): PoCL differs", done.out, re.M)
    return [Outcome(label, seconds=harness.current.seconds)] + [
        Outcome(f"seed {s}", "SKIP", "PoCL alone differs; the interpreter and the emulation agree"
                " with the original") for s in alone]


def fixed(engine, seed, count, refused):
    label = f"{engine}, seeds {seed} to {seed + count - 1}, {refused} refused"
    return label, lambda: fuzz(label, engine, seed, "--count", str(count), "--refusals",
                               str(refused))


def fresh(engine, seed, seconds):
    label = f"{engine}, {seconds} s from seed {seed} on"
    return label, lambda: fuzz(label, engine, seed, "--seconds", str(seconds), "--count",
                               "100000000")


def cases(arguments):
    seconds = int(os.environ.get("NESTWARP_FUZZ_SECONDS", "0"))
    if seconds:
        seed = int(os.environ.get("NESTWARP_FUZZ_SEED") or random.randrange(10**12))
        cases = [fresh(e, seed + k * 10**7, seconds) for k, e in enumerate(ENGINES)]
    else:
        cases = [fixed(*f) for f in FIXED]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("fuzz")
