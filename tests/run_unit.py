#!/usr/bin/env python3
"""tests/unit: GoogleTest, linked against the core library."""
import json
import os
import harness
from harness import Counts


def suite(arguments):
    counts = Counts()
    program = os.environ.get("NESTWARP_UNIT", os.path.join(harness.BUILD, "nestwarp_unit"))
    if not os.path.exists(program):
        print(f"FAIL unit: {program} is missing; `ninja -C build nestwarp_unit` builds it (package libgtest-dev)")
        counts.failed = 1
        return counts
    with harness.Scratch() as scratch:
        report = os.path.join(scratch, "report.json")
        filters = ["--gtest_filter=" + ":".join(f"*{a}*" for a in arguments)] if arguments else []
        done = harness.run([program, f"--gtest_output=json:{report}", *filters], limit=900, check=False, cwd=scratch)
        if not os.path.exists(report):
            print(f"FAIL unit: the program ended with status {done.status} before its report\n{done.out[-3000:]}{done.err[-1000:]}")
            counts.failed = 1
            return counts
        for group in json.load(open(report))["testsuites"]:
            for test in group["testsuite"]:
                if test.get("result") == "SUPPRESSED" or test.get("status") == "NOTRUN":
                    continue
                name = f"{group['name']}.{test['name']}"
                if test.get("failures"):
                    counts.failed += 1
                    print(f"FAIL unit: {name}")
                    for f in test["failures"]:
                        print("    " + f["failure"].replace("\n", "\n    "))
                else:
                    counts.passed += 1
                    print(f"PASS unit: {name}")
    print(f"---- unit: {counts.line()}", flush=True)
    return counts


if __name__ == "__main__":
    harness.main(suite)
