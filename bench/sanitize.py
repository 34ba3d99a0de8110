#!/usr/bin/env python3
"""compute-sanitizer over the board's generated code, at the sizes that are measured: there the forms for large sizes and the tuned plans are launched.

    bench/board.py write DIR --plans PLANS            here: the folder of the board
    bench/sanitize.py DIR -o FILE.json                on the GPU machine (builds the folder unless --built)
    bench/sanitize.py DIR -o FILE.json --only mm:1536x1536x256,lbm:1024x1024x2
                                                      only these programs, at sizes of one's own; what FILE.json says of others, and of runs that ended before, stays
    bench/sanitize.py --table FILE.json               prints a table

Each program runs alone, once for each tool, several at a time; only columns of generated CUDA code are run. A tool's own summary is what counts:
no summary, or one that names errors or hazards, is a failure.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import board

TOOLS = ("memcheck", "racecheck")
OTHERS = ("naive", "vendor", "hand", "ours_opencl")
SUMMARY = {"memcheck": re.compile(r"ERROR SUMMARY: (\d+) error"), "racecheck": re.compile(r"RACECHECK SUMMARY: (\d+) hazard")}


def verdict(tool, text):
    """What the tool's own summary says: "clean", what it found, or that there is none."""
    found = SUMMARY[tool].search(text)
    if not found:
        return "no summary"
    return "clean" if found.group(1) == "0" else found.group(0)


def one(command, tool, limit):
    words = ["compute-sanitizer", "--tool", tool, "--print-limit", "5", *command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        text = done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return f"no end after {limit:.0f} s", []
    except OSError as e:
        return str(e), []
    ran = [line["column"] for line in (json.loads(t) for t in text.splitlines() if t.startswith("{") and t.endswith("}")) if "column" in line and line.get("right")]
    said = verdict(tool, text)
    if said != "clean":
        print(text[-1500:], file=sys.stderr)
    return said, ran


def wanted(text, names):
    """The sizes asked for, by program: "mm:512x512x64,lbm" gives mm its own and lbm the board's."""
    sizes = {}
    for word in text.split(",") if text else []:
        name, _, numbers = word.partition(":")
        if name not in names:
            sys.exit(f"sanitize.py: the folder has no program {name}; it has {', '.join(names)}")
        sizes[name] = [int(n) for n in numbers.split("x")] if numbers else None
    return sizes


def run(arguments):
    folder = Path(arguments.folder).resolve()
    manifest = json.loads((folder / board.MANIFEST).read_text())
    target = folder / "build" if arguments.built else board.build(folder, arguments.arch, os.cpu_count())
    left_out = [w for column in OTHERS for w in ("--without", column)]
    earlier = json.loads(Path(arguments.output).read_text()) if arguments.only and Path(arguments.output).exists() else None
    only = wanted(arguments.only, [p["name"] for p in manifest["programs"]])
    clean = {(c["program"], c["tool"]) for c in (earlier or {"cases": []})["cases"] if c["said"] == "clean"}
    cases = [(p, tool) for p in manifest["programs"] for tool in TOOLS if not only or p["name"] in only and (p["name"], tool) not in clean]

    def case(both):
        program, tool = both
        sizes = only.get(program["name"]) or program["sizes"][0]
        said, ran = one([str(target / program["name"]), *map(str, sizes), "--repeats", "1", *left_out], tool, arguments.limit)
        print(f"{program['name']}, {tool}: {said}; right: {', '.join(ran) or 'none'}", flush=True)
        found = {"program": program["name"], "label": board.label(program["name"], program, program["sizes"][0]), "tool": tool, "said": said, "right": ran}
        return found | ({"at": "x".join(map(str, sizes))} if sizes != program["sizes"][0] else {})

    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(case, cases))
    bad = [c for c in found if c["said"] != "clean" or not c["right"]]
    print(f"sanitize.py: {len(found) - len(bad)} of {len(found)} runs are clean")
    if earlier:
        again = {(c["program"], c["tool"]): c for c in found}
        kept = [again.pop((c["program"], c["tool"]), c) for c in earlier["cases"]]
        found = kept + list(again.values())
    results = {"sanitizer": 1, "commit": manifest["commit"], "date": board.now(), "smi": board.smi(), "cases": found}
    Path(arguments.output).write_text(json.dumps(results) + "\n")
    return 1 if bad else 0


def said_text(case):
    if not case:
        return "–"
    return case["said"] + (f" (at {case['at']})" if "at" in case else "")


def table_text(results):
    lines = [f"compute-sanitizer on {results['smi'].get('name', 'no device')}, driver {results['smi'].get('driver_version', 'unknown')}; {results['date']}, commit {results['commit']}.", "",
             "| kernel | columns | " + " | ".join(TOOLS) + " |", "|---|---|" + "---|" * len(TOOLS)]
    names = list(dict.fromkeys(c["label"] for c in results["cases"]))
    shown = dict(board.COLUMNS)
    for name in names:
        of = {c["tool"]: c for c in results["cases"] if c["label"] == name}
        columns = ", ".join(shown[key] for key, _ in board.COLUMNS if any(key in c["right"] for c in of.values())) or "none"
        lines.append(f"| {name} | {columns} | " + " | ".join(said_text(of.get(t)) for t in TOOLS) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("-o", "--output", default="sanitizer.json")
    parser.add_argument("--only", metavar="NAME[:AxB],...", help="only these programs, with these sizes")
    parser.add_argument("--built", action="store_true", help="take what was built before")
    parser.add_argument("--arch", default="native", help="CMAKE_CUDA_ARCHITECTURES")
    parser.add_argument("--jobs", type=int, default=6, help="programs at a time")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one run")
    parser.add_argument("--table", metavar="FILE", help="print results as a table")
    arguments = parser.parse_args()
    if arguments.table:
        print(table_text(json.loads(Path(arguments.table).read_text())))
    elif arguments.folder:
        sys.exit(run(arguments))
    else:
        parser.error("a folder is wanted, or --table FILE")


if __name__ == "__main__":
    main()
