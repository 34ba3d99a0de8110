#!/usr/bin/env python3
"""tests/stages, tests/explain and tests/errors, by lit and FileCheck."""
import json
import os
import harness
from harness import Counts, Failure

LLVM = "/usr/lib/llvm-22/bin/"


def suite(arguments):
    counts = Counts()
    lit = harness.tool("lit", LLVM + "lit")
    if not lit or not harness.tool("FileCheck", LLVM + "FileCheck"):
        print("FAIL lit: lit and FileCheck are missing (package llvm-22-tools); scripts/setup installs them")
        counts.failed = 1
        return counts
    with harness.Scratch() as scratch:
        report = os.path.join(scratch, "report.json")
        places = [os.path.join(harness.TESTS, d) for d in ("stages", "explain", "errors")]
        line = [lit, "-s", f"-j{harness.JOBS}", "-o", report, *places] + (["--filter", "|".join(arguments)] if arguments else [])
        env = {"NESTWARP": harness.NESTWARP, "NESTWARP_LIT_OUTPUT": os.path.join(scratch, "out")}
        done = harness.run(line, env=env, limit=900, check=False)
        if not os.path.exists(report):
            raise Failure("lit did not run:\n" + done.out + done.err)
        for test in sorted(json.load(open(report))["tests"], key=lambda t: t["name"]):
            name = test["name"].split(" :: ")[-1]
            if test["code"] == "PASS":
                counts.passed += 1
                print(f"PASS lit: {name}")
            elif test["code"] == "UNSUPPORTED":
                counts.skipped += 1
                print(f"SKIP lit: {name}: {test.get('output', '')}")
            else:
                counts.failed += 1
                print(f"FAIL lit: {name}\n" + "\n".join("    " + l for l in test.get("output", "").splitlines()[-40:]))
    print(f"---- lit: {counts.line()}", flush=True)
    return counts


if __name__ == "__main__":
    harness.main(suite)
