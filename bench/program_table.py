#!/usr/bin/env python3
"""Makes docs/programs.md: what nestwarp does with each program of tests/programs.

usage: bench/program_table.py [NESTWARP] > docs/programs.md

NESTWARP is build/nestwarp unless given. No device is needed. Only the function that a file is named after is looked
at, not the prepare_ function beside it.
"""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def emit(nestwarp, path, stage):
    """The text of a stage, and what the compiler said about nests that stay on the host."""
    command = [nestwarp, "compile", str(path), "--function", path.stem, f"--emit={stage}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout, done.stderr


def bodies(text):
    """The statements of each region by name, as C: [{"S0": "x = 1;"}, ...]."""
    regions = []
    name = None
    for line in text.splitlines():
        if line.startswith("region "):
            regions.append({})
        elif found := re.match(r"  ([ST]\w+) for ", line):
            name = found.group(1)
        elif line.startswith("      ") and name:
            regions[-1].setdefault(name, []).append(line.strip())
        else:
            name = None
    return [{name: " ".join(lines) for name, lines in region.items()} for region in regions]


def resident_loops(kernels):
    """How many loops run inside a kernel where the device allows it."""
    return len(re.findall(r"^ *resident kernel, or else$", kernels, re.MULTILINE))


def row(nestwarp, path):
    plan, said = emit(nestwarp, path, "plan")
    regions, facts = json.loads(plan), json.loads(emit(nestwarp, path, "facts")[0])
    statements = bodies(emit(nestwarp, path, "program")[0])
    kernels = [k for r in regions for k in r["kernels"]]
    outermost = [l for r in regions for l in r["loops"] if l["form"] == "resident"]
    resident = resident_loops(emit(nestwarp, path, "kernels")[0])
    form = "-" if not kernels else "resident" if outermost and resident == len(outermost) else "plain"
    if outermost and 0 < resident < len(outermost):
        form = "both"
    notes = []
    for line, message, code in re.findall(r"^[^\n]*?:(\d+):\d+: (?:remark|warning): ([^\n]*?) \[(NW\d+)\]$", said, re.MULTILINE):
        notes.append(f"line {line} stays on the host: {message} [{code}]")
    if outermost and resident == 0:
        notes.append("a resident kernel would need too many barriers")
    alone = []
    for region, names in zip(facts, statements):
        for step in region["steps"]:
            if not step["grid"]:
                alone += [f"`{names.get(s, s)}`" for s in step["statements"]]
    if alone:
        notes.append("in one thread, having no parallel loop around: " + ", ".join(alone))
    dimensions = max((len(k["grid"]) for k in kernels), default=0)
    reductions = sum("reduce into one element" in k["why"] for k in kernels)
    return [path.stem, str(len(kernels)), str(reductions), str(dimensions), form, "; ".join(notes).replace("|", "\\|")]


def main():
    nestwarp = str(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build" / "nestwarp")
    paths = sorted((ROOT / "tests" / "programs").glob("*.c"))
    with ThreadPoolExecutor() as pool:
        rows = list(pool.map(lambda path: row(nestwarp, path), paths))
    heads = ["program", "kernels", "reductions", "dimensions", "launch", "on the host, or in one thread"]
    print(INTRODUCTION)
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for cells in rows:
        print("| " + " | ".join(cells) + " |")
    whole = sum("stays on the host" not in cells[-1] for cells in rows)
    print(f"\n{whole} of {len(rows)} programs are left without a nest on the host.")


INTRODUCTION = """# The programs of tests/programs

This file is generated; do not edit it. To make it anew:

    bench/program_table.py build/nestwarp > docs/programs.md

Each row is about the function that the file is named after, compiled with the default settings.

* **kernels**: steps of the plan, each of which is a kernel of its own in the plain form.
* **reductions**: how many of these are reductions of all their instances into one element (two launches
  each).
* **dimensions**: the most parallel dimensions that a kernel has.
* **launch**: *plain*, the host launches every kernel. *resident*, a sequential loop around the
  kernels may run inside one kernel; the plain form is generated too, and the choice is made at run
  time ([internals](internals.md)).
* **on the host, or in one thread**: nests that are left on the host, with the code that
  [diagnostics](diagnostics.md) explains, and statements that a single thread of the device runs.
"""

if __name__ == "__main__":
    main()
