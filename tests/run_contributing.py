#!/usr/bin/env python3
"""CONTRIBUTING.md's walk-throughs, carried out: its diffs are applied to a copy of the tree, and what they promise is
asked of the copy."""
import os
import re
import shutil
import sys
import harness
from harness import Failure

PAGE = os.path.join(harness.ROOT, "CONTRIBUTING.md")
COPIED = ["src", "docs", "scripts", "runtime", "tests/errors", "tests/run_tree.py", "tests/harness.py"]


def blocks(section, language):
    """The code blocks of a language below '## Walk-through: SECTION'."""
    text = open(PAGE).read().split(f"## Walk-through: {section}\n")
    if len(text) != 2:
        raise Failure(f"CONTRIBUTING.md has no walk-through '{section}'")
    return re.findall(rf"```{language}\n(.*?)```", text[1].split("\n## ")[0], re.S)


def copy_of_tree(place):
    for path in COPIED:
        source, target = os.path.join(harness.ROOT, path), os.path.join(place, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)


def apply(place, diff):
    path = os.path.join(place, "step.diff")
    with open(path, "w") as f:
        f.write(diff)
    harness.run(["patch", "-p1", "--no-backup-if-mismatch", "-i", path], cwd=place)


def tree_test(place, case):
    return harness.run([sys.executable, os.path.join(place, "tests", "run_tree.py"), case], check=False)


def compiles(place, source):
    harness.run(["g++", "-std=gnu++20", "-fsyntax-only", "-DFMT_SHARED", "-Isrc", source], cwd=place)


def diagnostic():
    with harness.Scratch() as place:
        copy_of_tree(place)
        diffs = blocks("a diagnostic", "diff")
        if len(diffs) != 3:
            raise Failure(f"{len(diffs)} diffs instead of throw site, page and test")
        for k, case in ((0, "codes in src and docs"), (1, "every code has a test")):
            apply(place, diffs[k])
            if tree_test(place, case).status == 0:
                raise Failure(f"after diff {k + 1}, '{case}' should ask for the next one")
        apply(place, diffs[2])
        for case in ("codes in src and docs", "every code has a test"):
            if (done := tree_test(place, case)).status != 0:
                raise Failure(done.out)
        compiles(place, re.search(r"\+\+\+ b/(src/\S+\.cpp)", diffs[0]).group(1))


def device():
    with harness.Scratch() as place:
        files = blocks("a device", "json")
        path = os.path.join(place, "device.json")
        with open(path, "w") as f:
            f.write(files[0])
        name = re.search(r'"name": "([^"]+)"', files[0]).group(1)
        shown = harness.run([harness.NESTWARP, "devices", path]).out
        if name not in shown:
            raise Failure(f"nestwarp devices does not show {name}:\n{shown[:400]}")
        harness.run([harness.NESTWARP, "explain", os.path.join(harness.ROOT, "examples", "mm.c"), "--function", "mm",
                     "--size", "n=512", f"--device={path}"])


def cases(arguments):
    cases = [("a diagnostic", diagnostic), ("a device", device)]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("contributing")
