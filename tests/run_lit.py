#!/usr/bin/env python3
"""tests/stages, tests/explain, tests/papers and tests/errors, by lit and FileCheck, in parts that run side by side.
Words on the command line are regular expressions for names of files."""
import json
import os
import harness
from harness import Failure, Outcome

LLVM = "/usr/lib/llvm-22/bin/"
FOLDERS = ("stages", "explain", "papers", "errors")
SHARDS = 4


def shard(number, shards, words):
    lit = harness.tool("lit", LLVM + "lit")
    if not lit or not harness.tool("FileCheck", LLVM + "FileCheck"):
        raise Failure("lit and FileCheck are missing (package llvm-22-tools); scripts/setup"
                      " installs them")
    with harness.Scratch() as scratch:
        report = os.path.join(scratch, "report.json")
        workdirs = [os.path.join(harness.TESTS, folder) for folder in FOLDERS]
        line = [lit, "-s", "-j1", "-o", report, f"--num-shards={shards}",
                f"--run-shard={number + 1}", *workdirs]
        line += ["--filter", "|".join(words)] if words else []
        env = {"NESTWARP": harness.NESTWARP, "NESTWARP_LIT_OUTPUT": os.path.join(scratch, "out")}
        done = harness.run(line, env=env, limit=harness.limit_of_part(), check=False)
        if not os.path.exists(report):
            raise Failure("lit did not run:\n" + done.out + done.err)
        found = [outcome(test) for test in json.load(open(report))["tests"]]
    if not found:
        raise Failure("no test has these words")
    return found


def outcome(test):
    how = {"PASS": "PASS", "UNSUPPORTED": "SKIP"}.get(test["code"], "FAIL")
    text = "\n".join(test.get("output", "").splitlines()[-40:])
    return Outcome(test["name"].split(" :: ")[-1], how, text, test["elapsed"])


def cases(arguments):
    shards = 1 if arguments else SHARDS
    return [(f"part {k + 1} of {shards}", lambda k=k: shard(k, shards, arguments))
            for k in range(shards)]


if __name__ == "__main__":
    harness.main("lit")
