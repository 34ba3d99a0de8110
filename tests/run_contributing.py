#!/usr/bin/env python3
"""CONTRIBUTING.md's walk-throughs, carried out: its diffs are applied to a copy of the tree, and what they promise is
asked of the copy."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import harness
from harness import Failure

PAGE = os.path.join(harness.ROOT, "CONTRIBUTING.md")
COPIED = ["src", "docs", "scripts", "runtime", "tests/errors", "tests/run_tree.py", "tests/harness.py",
          "tests/pocl.py"]


def blocks(section, language):
    """The code blocks of a language below '## Walk-through: SECTION'."""
    text = open(PAGE).read().split(f"## Walk-through: {section}\n")
    if len(text) != 2:
        raise Failure(f"CONTRIBUTING.md has no walk-through '{section}'")
    return re.findall(rf"```{language}\n(.*?)```", text[1].split("\n## ")[0], re.S)


def copy_of_tree(workdir):
    for path in COPIED:
        source, target = os.path.join(harness.ROOT, path), os.path.join(workdir, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)


def apply(workdir, diff):
    path = os.path.join(workdir, "step.diff")
    with open(path, "w") as f:
        f.write(diff)
    harness.run(["patch", "-p1", "--no-backup-if-mismatch", "-i", path], cwd=workdir)


def tree_test(workdir, case):
    return harness.run([sys.executable, os.path.join(workdir, "tests", "run_tree.py"), case], check=False)


def compiles(workdir, source):
    harness.run(["g++", "-std=gnu++20", "-fsyntax-only", "-DFMT_SHARED", "-Isrc", source], cwd=workdir)


def diagnostic():
    with harness.Scratch() as workdir:
        copy_of_tree(workdir)
        diffs = blocks("a diagnostic", "diff")
        if len(diffs) != 3:
            raise Failure(f"{len(diffs)} diffs instead of throw site, page and test")
        for k, case in ((0, "codes in src and docs"), (1, "every code has a test")):
            apply(workdir, diffs[k])
            if tree_test(workdir, case).status == 0:
                raise Failure(f"after diff {k + 1}, '{case}' should ask for the next one")
        apply(workdir, diffs[2])
        for case in ("codes in src and docs", "every code has a test"):
            if (done := tree_test(workdir, case)).status != 0:
                raise Failure(done.out)
        compiles(workdir, re.search(r"\+\+\+ b/(src/\S+\.cpp)", diffs[0]).group(1))


def device():
    with harness.Scratch() as workdir:
        files = blocks("a device", "json")
        path = os.path.join(workdir, "device.json")
        with open(path, "w") as f:
            f.write(files[0])
        name = re.search(r'"name": "([^"]+)"', files[0]).group(1)
        shown = harness.run([harness.NESTWARP, "devices", path]).out
        if name not in shown:
            raise Failure(f"nestwarp devices does not show {name}:\n{shown[:400]}")
        harness.run([harness.NESTWARP, "explain", os.path.join(harness.ROOT, "examples", "mm.c"), "--function", "mm",
                     "--size", "n=512", f"--device={path}"])


def plan_field():
    with harness.Scratch() as workdir:
        copy_of_tree(workdir)
        for diff in blocks("a plan field", "diff"):
            apply(workdir, diff)
        program = os.path.join(workdir, "round_trip")
        sources = glob.glob(os.path.join(workdir, "src", "plan", "plan_*.cpp"))
        llvm = harness.run(["llvm-config-22", "--libdir"]).out.strip()
        harness.run(["clang++-22", "-std=gnu++20", "-O0", "-DFMT_SHARED", "-Isrc",
                     os.path.join(harness.TESTS, "contributing", "plan_round_trip.cpp"), *sources,
                     "-L" + harness.BUILD, "-lnestwarp_core", f"-L{llvm}", "-lPollyISL", "-lfmt",
                     "-Wl,--wrap=isl_map_coalesce,--wrap=isl_set_coalesce", "-o", program], cwd=workdir)
        plan = json.loads(harness.run([harness.NESTWARP, "compile", "-q", "--emit=plan", "--device=h200", "--tuned=off",
                                       os.path.join(harness.ROOT, "examples", "mm.c")]).out)
        tile = plan[0]["kernels"][0]["tiles"][0]
        for value, refused in ((4, False), (99, True)):
            tile["stripUnroll"] = value
            done = subprocess.run([program], input=json.dumps(plan), capture_output=True, text=True)
            if refused and (done.returncode == 0 or "0 to 32" not in done.stderr):
                raise Failure(f"stripUnroll 99 is not refused: {done.stderr}")
            if not refused and (done.returncode or json.loads(done.stdout)[0]["kernels"][0]["tiles"][0].get("stripUnroll") != 4):
                raise Failure(f"stripUnroll 4 is lost: {done.stdout[:500]}{done.stderr}")


def cases(arguments):
    cases = [("a diagnostic", diagnostic), ("a device", device), ("a plan field", plan_field)]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("contributing")
