#!/usr/bin/env python3
"""tests/unit: GoogleTest, linked against the core library, in parts that run side by side.
Words on the command line are parts of names of tests; -WORD leaves those out."""
import json
import os
import harness
from harness import Failure, Outcome

SHARDS = 6


def filter_of(words):
    """GoogleTest's filter for these words."""
    wanted = ":".join(f"*{w}*" for w in words if not w.startswith("-")) or "*"
    others = ":".join(f"*{w[1:]}*" for w in words if w.startswith("-"))
    return f"--gtest_filter={wanted}" + (f"-{others}" if others else "")


def shard(number, shards, words):
    program = os.environ.get("NESTWARP_UNIT", os.path.join(harness.BUILD, "nestwarp_unit"))
    if not os.path.exists(program):
        raise Failure(f"{program} is missing; `ninja -C build nestwarp_unit` builds it"
                      " (package libgtest-dev)")
    with harness.Scratch() as scratch:
        report = os.path.join(scratch, "report.json")
        parts = {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(number)}
        done = harness.run([program, f"--gtest_output=json:{report}", filter_of(words)],
                           limit=harness.limit_of_part(), check=False, cwd=scratch, env=parts)
        if not os.path.exists(report):
            raise Failure(f"status {done.status} before the report was written\n"
                          f"{done.out[-3000:]}{done.err[-1000:]}")
        found = [outcome(group["name"], test) for group in json.load(open(report))["testsuites"]
                 for test in group["testsuite"] if test.get("status") != "NOTRUN"]
    if done.status and all(o.how != "FAIL" for o in found):
        raise Failure(f"status {done.status}\n{done.out[-3000:]}{done.err[-1000:]}")
    if not found:
        raise Failure("no test has these words")
    return found


def outcome(group, test):
    text = "\n".join(f["failure"] for f in test.get("failures", []))
    how = "FAIL" if text else "SKIP" if test.get("result") == "SKIPPED" else "PASS"
    return Outcome(f"{group}.{test['name']}", how, text, float(test["time"].rstrip("s")))


def cases(arguments):
    shards = 1 if any(not a.startswith("-") for a in arguments) else SHARDS
    return [(f"part {k + 1} of {shards}", lambda k=k: shard(k, shards, arguments))
            for k in range(shards)]


if __name__ == "__main__":
    harness.main("unit")
