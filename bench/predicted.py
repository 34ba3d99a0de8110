#!/usr/bin/env python3
"""Predicted times of tests/programs at the sizes of bench/polybench.py, as JSON, to be held against measured ones.

usage: bench/predicted.py NESTWARP [--device=NAME] [--scale=SCALE] [PROGRAM ...] > predicted.json

SCALE multiplies the sizes, as in bench/programs_bundle.py.

For each program: seconds of its regions with data on the device, seconds of the copies, and for each kernel its launches,
seconds, bottleneck and the terms that it is made of (`nestwarp explain --format=json` has everything else).
"""

import json
import subprocess
import sys

from polybench import ROOT, SIZES, parameters_of

# What is kept of a kernel's explanation.
KEPT = ("launches", "seconds", "launchSeconds", "largestLaunchSeconds", "bottleneck", "grid", "gridBarriers", "limits", "phases")

# Integers that a function computes for itself before its nests.
LOCAL = {"gramschmidt": lambda sizes: {"cols": min(sizes.values())}}


def predicted(nestwarp, device, scale, name):
    path = ROOT / "tests" / "programs" / f"{name}.c"
    integers = [p.split()[-1] for p in parameters_of(path.read_text(), name) if p.startswith("int ") and "[" not in p and "*" not in p]
    sizes = dict(zip(integers, (max(1, int(value * scale)) for value in SIZES[name])))
    sizes.update(LOCAL.get(name, lambda _: {})(sizes))
    command = [nestwarp, "explain", "-q", str(path), "--function", name, "--format=json", "--no-alternatives", device]
    for size in sizes.items():
        command += ["--size", "%s=%d" % size]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    regions = json.loads(done.stdout)["regions"]
    return {
        "sizes": sizes,
        "seconds": sum(r["seconds"] for r in regions),
        "transferSeconds": sum(r["transferSeconds"]["pageable"] for r in regions),
        "kernels": {k["name"]: {key: k[key] for key in KEPT} for r in regions for k in r["kernels"]},
    }


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    device = next((a for a in sys.argv[1:] if a.startswith("--device=")), "--device=h200")
    scale = float(next((a.split("=")[1] for a in sys.argv[1:] if a.startswith("--scale=")), "1"))
    if not arguments:
        sys.exit(__doc__)
    print(json.dumps({name: predicted(arguments[0], device, scale, name) for name in arguments[1:] or sorted(SIZES)}, indent=1))


if __name__ == "__main__":
    main()
