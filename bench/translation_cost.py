#!/usr/bin/env python3
"""What translation costs: time against the number of statements, the depth of loops and the number of references.

    bench/translation_cost.py [NESTWARP] -o bench/results/translation-cost.json     measures and prints a table
    bench/translation_cost.py --table FILE.json                                     prints it again
    bench/translation_cost.py --draw FILE.json -o cost.svg

Programs of growing size are made up; one of the three grows while the others stay. Times are processor time of
`nestwarp compile --emit=cuda`, parsing and start included, the least of some runs. (All stages are run whatever is emitted, so that
they cannot be told apart from outside.) No device is needed.
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from svg import Drawing, Logarithmic

HERE = Path(__file__).resolve().parent
COLORS = {"statements": "#0072b2", "depth": "#009e73", "references": "#d55e00"}
AXES = {"statements": [1, 2, 4, 8, 16, 32], "depth": [1, 2, 3, 4, 5, 6], "references": [1, 2, 4, 8, 16, 32, 64]}
ABOUT = {"statements": "statements in one nest of two loops, each of which reads what the one before wrote", "depth": "loops around one statement that reads the array of before",
         "references": "neighbours in a plane that one statement of two loops reads"}


def statements(count):
    """A chain: each statement reads the array of the one before, so that all of them depend on each other."""
    arrays = ", ".join(f"float A{k}[n][n]" for k in range(count + 1))
    body = "".join(f"      A{k + 1}[i][j] = A{k}[i][j] * 0.5f + A{k}[i][n - 1 - j];\n" for k in range(count))
    return f"void f(int n, {arrays}) {{\n  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++) {{\n{body}    }}\n}}\n"


def depth(count):
    """So many loops around one statement."""
    names = [f"i{k}" for k in range(count)]
    subscripts = "".join(f"[{name}]" for name in names)
    loops = "".join("  " * (k + 1) + f"for (int {name} = 1; {name} < n - 1; {name}++)\n" for k, name in enumerate(names))
    return f"void f(int n, const float A{'[n]' * count}, float B{'[n]' * count}) {{\n{loops}{'  ' * (count + 1)}B{subscripts} = 0.5f * A{subscripts} + A{''.join(f'[{n} - 1]' for n in names)};\n}}\n"


def references(count):
    """One statement that reads so many neighbours, on a spiral of a square."""
    side = 1
    while side * side < count:
        side += 2
    near = sorted(((y, x) for y in range(side) for x in range(side)), key=lambda p: (abs(p[0] - side // 2) + abs(p[1] - side // 2), p))[:count]
    terms = " + ".join(f"A[i + {y}][j + {x}]" for y, x in near)
    return f"void f(int n, const float A[n + {side}][n + {side}], float B[n][n]) {{\n  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      B[i][j] = {terms};\n}}\n"


MAKERS = {"statements": statements, "depth": depth, "references": references}


def measured(nestwarp, source, repeats, limit):
    """What a translation takes: {"ms", "kernels"}, with the first remark, if any; or {"failure"}."""
    row = {}
    for _ in range(repeats):
        process = subprocess.Popen([nestwarp, "compile", source, "--function", "f", "--emit=cuda", f"--time-limit={limit}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with ThreadPoolExecutor(1) as pool:  # both pipes at once
            said = pool.submit(process.stderr.read)
            text = process.stdout.read()
            said = said.result()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            return {"failure": (said.strip().splitlines() or ["failed"])[0]}
        row = {"ms": round(min(row.get("ms", math.inf), 1000 * (usage.ru_utime + usage.ru_stime)), 1), "kernels": text.count("__global__")}
        if found := re.search(r"(?:remark|warning): (.*)", said):
            row["remark"] = found.group(1)
    return row


def measure(arguments):
    axes = {axis: [v for v in values if v <= arguments.most] for axis, values in AXES.items()}
    with tempfile.TemporaryDirectory() as scratch:
        def one(workdir):
            axis, value = workdir
            source = Path(scratch, f"{axis}{value}.c")
            source.write_text(MAKERS[axis](value))
            return {"axis": axis, "value": value, **measured(arguments.nestwarp, str(source), arguments.repeats, arguments.limit)}
        with ThreadPoolExecutor(arguments.jobs) as pool:
            rows = list(pool.map(one, [(axis, value) for axis, values in axes.items() for value in values]))
    from board import commit
    return {"translation_cost": 1, "commit": commit(), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores", "repeats": arguments.repeats, "rows": rows}


def table_text(results):
    lines = [f"{results['machine']}; {results['date']}, commit {results['commit']}. Milliseconds of processor time, least of {results['repeats']}."]
    for axis, about in ABOUT.items():
        rows = [row for row in results["rows"] if row["axis"] == axis]
        if not rows:
            continue
        lines += ["", f"**{axis.capitalize()}**: {about}.", "", f"| {axis} | ms | for each | kernels | |", "|---:|---:|---:|---:|---|"]
        for row in rows:
            if "failure" in row:
                lines.append(f"| {row['value']} | – | – | – | {row['failure']} |")
            else:
                lines.append(f"| {row['value']} | {row['ms']:.0f} | {row['ms'] / row['value']:.0f} | {row['kernels']} | {row.get('remark', '')} |")
    return "\n".join(lines) + "\n"


def drawing(results):
    """Time over each of the three, both logarithmic."""
    rows = [row for row in results["rows"] if "ms" in row]
    picture = Drawing(640, 380)
    picture.text(12, 20, "Translation: milliseconds over statements, depth, references", size=14)
    picture.text(12, 36, f"{results['machine']}; {results['date']}, commit {results['commit']}", kind="faint", size=10)
    across = Logarithmic([row["value"] for row in rows] or [1], 60, picture.width - 130)
    up = Logarithmic([row["ms"] for row in rows] or [1], picture.height - 50, 60)
    for power in up.powers():
        picture.line(across.begin, up(power), across.end, up(power))
        picture.text(across.begin - 6, up(power) + 4, f"{power:g}", "end", "faint", 11)
    for value in sorted({row["value"] for row in rows}):
        picture.line(across(value), up.end, across(value), up.begin)
        picture.text(across(value), up.begin + 16, str(value), "middle", "faint", 11)
    for axis in ABOUT:
        points = [(across(row["value"]), up(row["ms"])) for row in rows if row["axis"] == axis]
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            picture.stroke(x1, y1, x2, y2, COLORS[axis])
        for x, y in points:
            picture.point(x, y, COLORS[axis], 3)
        if points:
            picture.point(picture.width - 110, 70 + 18 * list(ABOUT).index(axis), COLORS[axis], 3)
            picture.text(picture.width - 100, 74 + 18 * list(ABOUT).index(axis), axis, size=11)
    return str(picture)


def loaded(path):
    try:
        results = json.loads(Path(path).read_text())
    except (OSError, ValueError) as e:
        sys.exit(f"translation_cost.py: {path}: {e}")
    if not isinstance(results, dict) or results.get("translation_cost") != 1 or "rows" not in results:
        sys.exit(f"translation_cost.py: {path} holds no times of translations")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nestwarp", nargs="?", default=str(HERE.parent / "build" / "nestwarp"))
    parser.add_argument("-o", "--output", help="file for the results, or the picture")
    parser.add_argument("--table", metavar="FILE", help="print earlier results")
    parser.add_argument("--draw", metavar="FILE", help="draw earlier results")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds of processor time for one translation")
    parser.add_argument("--most", type=int, default=64, help="leave larger programs out")
    arguments = parser.parse_args()
    if arguments.draw:
        Path(arguments.output or "translation.svg").write_text(drawing(loaded(arguments.draw)))
        return
    results = loaded(arguments.table) if arguments.table else measure(arguments)
    if arguments.output and not arguments.table:
        Path(arguments.output).write_text(json.dumps(results, indent=1) + "\n")
    print(table_text(results), end="")


if __name__ == "__main__":
    main()
