#!/usr/bin/env python3
"""The index of rooms in docs/internals.md, made from the first sentence of each file.

usage: scripts/rooms.py           writes it
       scripts/rooms.py --check   says whether it is up to date, and ends with status 1 if not
"""
import os
import re
import sys
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "internals.md"
BEGIN, END = "<!-- rooms: made by scripts/rooms.py; do not edit -->", "<!-- end of rooms -->"
ROOMS = {
    "src/support": "helpers that all rooms use.",
    "src/device": "facts about devices ([devices](devices.md)).",
    "src/ir": "the values of the first stages.",
    "src/frontend/c": "C and C++ to Regions; with `parse_` files of CUDA the only room that knows "
                      "Clang.",
    "src/frontend/cuda": "CUDA kernels to Regions. Only files called `parse_` know Clang.",
    "src/frontend/openacc": "OpenACC without Clang.",
    "src/frontend/affine": "Region to Program.",
    "src/poly": "Program to Schedule.",
    "src/analysis": "facts about programs and times. Nothing here knows of kernels, which come "
                    "later.",
    "src/plan": "Schedule to Plan.",
    "src/kernel": "what a region becomes, and the passes that expand it.",
    "src/lower": "Program, Schedule and Plan to Kernels.",
    "src/emit": "Kernels to text.",
    "src/verify": "checks of finished kernels, and an interpreter that runs the original and the "
                  "kernels side by side.",
    "src/verify/checks": "the checks for all sizes.",
    "src/verify/readers": "where and when kernels execute instances, read from their code.",
    "src/verify/executor": "runs of one block over symbols: what is in shared memory and registers.",
    "src/verify/interpreter": "runs of the original and of kernels on small inputs.",
    "src/verify/rewriting": "Programs held against the Programs that they were made of.",
    "src/estimate": "kernels at given sizes, for the model of time.",
    "src/lint": "CUDA kernels as they are written, and what slows them down ([lint](lint.md)).",
    "src/report": "estimates in words, and drawings.",
    "src/papers": "what the algorithms of the papers find in a region, step by step "
                  "([papers](papers.md)).",
    "src/tune": "values of the tuner: spaces, strategies, results, bundles.",
    "src/driver": "from a file to Kernels: the passes in their order, region by region.",
    "src/check": "what `nestwarp check` compiles and runs.",
    "src/tuner": "the engine of `nestwarp tune`.",
    "src/cli": "options and commands.",
    "runtime": "plain C11, linked to every program. It needs no headers of CUDA or OpenCL.",
    "runtime/probe": "the measurements of `nestwarp-run --probe`.",
    "runtime/tool": "`nestwarp-run`, which lists devices, probes them and runs bundles.",
}


def first_sentence(path):
    """What the comment at the top of a file says first."""
    text = path.read_text()
    comment = re.match(r"(?:\s*//[^\n]*\n)+|\s*/\*.*?\*/", text, re.S)
    if not comment:
        raise SystemExit(f"{path}: begins without a comment that says what it is for")
    words = re.sub(r"\s+", " ", re.sub(r"^\s*(//|/\*|\*/|\*)|\*/", " ", comment.group(0), flags=re.M))
    sentence = re.split(r"(?<=[a-z0-9)`'\"+])[.](?:\s|$)", words.strip(), maxsplit=1)[0]
    return sentence.rstrip(".:; ")


def files_of(folder):
    """(name, the file that says what it is for): a header stands for the source of its name."""
    found = {}
    for path in sorted((ROOT / folder).iterdir()):
        if path.suffix in (".h", ".cpp", ".c"):
            found.setdefault(path.stem, []).append(path)
    for stem, paths in sorted(found.items()):
        header = [p for p in paths if p.suffix == ".h"]
        yield (stem if len(paths) > 1 else paths[0].name), (header or paths)[0]


def index():
    lines = []
    for folder, what in ROOMS.items():
        lines += [f"**{folder}**: {what}", ""]
        lines += [f"* `{name}`: {first_sentence(path)}" for name, path in files_of(folder)]
        lines += [""]
    return markdown.reflowed("\n".join(lines))


def unknown_rooms():
    """Folders with sources that ROOMS does not name."""
    folders = {os.path.relpath(p.parent, ROOT) for top in ("src", "runtime")
               for p in (ROOT / top).rglob("*") if p.suffix in (".h", ".cpp", ".c")}
    return sorted(f for f in folders if f not in ROOMS and not f.endswith("/text"))


def main():
    if rooms := unknown_rooms():
        sys.exit("scripts/rooms.py has no line for " + ", ".join(rooms))
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    made = before + BEGIN + "\n" + index() + END + rest.split(END)[1]
    if "--check" in sys.argv[1:]:
        sys.exit(0 if made == text else "docs/internals.md: the index of rooms is not up to date; "
                                        "run scripts/rooms.py")
    PAGE.write_text(made)


if __name__ == "__main__":
    main()
