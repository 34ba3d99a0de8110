#!/usr/bin/env python3
"""What two compilers emit, compared: which files differ, how, and whether kernels do or the host's text alone.

    bench/compare_emitted.py OLD_NESTWARP NEW_NESTWARP [FILE...] [-o FOLDER] [--device NAME]

Without files: the test programs, features, board kernels, examples, share examples and CUDA tests. Each is translated
with --target=cuda and --target=opencl (kernels, host functions and the host file), two translations at a time. Texts go
to FOLDER/old and FOLDER/new, where those that are there already are not made again; FOLDER/diffs has a diff for each
that differs. The status is 1 if any does.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("tests/programs/*.c", "tests/features/*.c", "bench/kernels/*.c", "examples/*.c", "examples/*/*.c",
           "bench/share/*.c", "tests/cuda/*.cu")
# Directives are read where the source is about them.
OPENACC = ("tests/features/acc", "bench/share/")
HOST = re.compile(r"^(static int |extern \"C\" int |int )\w+\(.*\{$")


def arguments_for(file, target, device):
    name = os.path.relpath(file, ROOT)
    return ["compile", name, f"--target={target}", "--tuned=off", *(["--device", device] if device else []),
            *(["--fopenacc"] if name.startswith(OPENACC) else [])]


def translate(program, file, target, device, output):
    """The files that are written, one after the other, or the message and the status where there are none."""
    if os.path.exists(output):
        return
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made." + ("cu" if target == "cuda" else "c"))
        done = subprocess.run([program, *arguments_for(file, target, device), "-o", made], cwd=ROOT,
                              capture_output=True, text=True)
        text = "" if done.returncode == 0 else f"status {done.returncode}\n{done.stderr}"
        for written in sorted(os.listdir(folder)):
            with open(os.path.join(folder, written)) as f:
                text += f"// ==== {written}\n{f.read()}"
    with open(output + ".part", "w") as f:
        f.write(text)
    os.replace(output + ".part", output)


def without_hosts(text):
    """The kernels, and whatever else is not the body of a function of the host's."""
    kept, inside = [], False
    for line in text.splitlines():
        inside = inside or bool(HOST.match(line))
        if not inside:
            kept.append(line)
        inside = inside and line != "}"
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("files", nargs="*")
    parser.add_argument("-o", "--output", default="/tmp/compare-emitted", help="folder of the texts")
    parser.add_argument("--targets", default="cuda,opencl")
    parser.add_argument("--device", default="", help="device to plan for")
    given = parser.parse_args()
    files = [os.path.abspath(f) for f in given.files] or sorted(
        f for pattern in FOLDERS for f in glob.glob(os.path.join(ROOT, pattern)))
    stages = given.targets.split(",")
    place = {}
    jobs = []
    for which, program in (("old", given.old), ("new", given.new)):
        for file in files:
            for stage in stages:
                name = os.path.relpath(file, ROOT).replace("/", "__") + "." + stage
                place[which, file, stage] = os.path.join(given.output, which, name)
                jobs.append((os.path.abspath(program), file, stage, given.device, place[which, file, stage]))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: translate(*job), jobs))
    os.makedirs(os.path.join(given.output, "diffs"), exist_ok=True)
    differing = []
    for file in files:
        for stage in stages:
            texts = [open(place[which, file, stage]).read() for which in ("old", "new")]
            if texts[0] == texts[1]:
                continue
            name = os.path.basename(place["new", file, stage])
            kernels = without_hosts(texts[0]) != without_hosts(texts[1])
            differing.append((name, kernels))
            diff = difflib.unified_diff(*(t.splitlines(True) for t in texts), "old/" + name, "new/" + name, n=1)
            with open(os.path.join(given.output, "diffs", name + ".diff"), "w") as f:
                f.writelines(diff)
    for name, kernels in differing:
        print(f"{name}: {'kernels differ' if kernels else 'the host text differs'}")
    print(f"{len(files) * len(stages) - len(differing)} of {len(files) * len(stages)} texts are the same; "
          f"{sum(kernels for _, kernels in differing)} differ in kernels; diffs in {given.output}/diffs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
