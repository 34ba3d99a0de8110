#!/usr/bin/env python3
"""Writes a bundle that checks and times tests/programs on a GPU machine.

usage: bench/programs_bundle.py NESTWARP OUTPUT_DIRECTORY [SCALE]

Sizes are PolyBench/C's LARGE ones times SCALE (1 unless given), in float. On the GPU machine, nestwarp-run OUTPUT_DIRECTORY; back here,
nestwarp bench --import OUTPUT_DIRECTORY.
"""
import re
import subprocess
import sys
from pathlib import Path

from polybench import SIZES, parameters_of

ROOT = Path(__file__).resolve().parent.parent


def settings_of(name, source, scale):
    """--size and --extent for one program's function."""
    integers = [m.group(1) for p in parameters_of(source, name) if (m := re.fullmatch(r"int (\w+)", p))]
    words = []
    for parameter, value in zip(integers, SIZES[name]):
        words += ["--size", f"{name}.{parameter}={max(1, int(value * scale))}"]
    for array, extent in re.findall(r"// extent: (\w+) (\S+)", source):
        words += ["--extent", f"{name}.{array}={extent}"]
    return words


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    scale = float(sys.argv[3]) if len(sys.argv) == 4 else 1.0
    files, words = [], []
    for name in sorted(SIZES):
        path = ROOT / "tests" / "programs" / f"{name}.c"
        files.append(str(path))
        words += settings_of(name, path.read_text(), scale)
    command = [sys.argv[1], "bench", *files, *words, "--bundle", sys.argv[2], "--repeats", "10", "--time-limit", "600", "-q"]
    sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
