#!/usr/bin/env python3
"""The scoreboard, made from bench/results: docs/scoreboard.md with its pictures (docs/scoreboard), and the README's part of it.

    bench/scoreboard.py             writes them
    bench/scoreboard.py --check     says what is not up to date, and ends with status 1 then

What is there: board-h200.json (bench/board.py), programs-large-h200.json (bench/programs.py), translation-cost.json
(bench/translation_cost.py), tuning-random-h200.json (bench/tuning.py). A file that is not there is left out of the page.
"""
import argparse
import json
import sys
from pathlib import Path

import board
import programs
import readme
import translation_cost
import tuning
from readme import markdown
from svg import Drawing, Logarithmic

ROOT = Path(__file__).resolve().parent.parent
FILES = {"board": "board-h200.json", "programs": "programs-large-h200.json", "tuning": "tuning-random-h200.json", "cost": "translation-cost.json"}


def by_kernel(results):
    """The cases of each program, in order: {"mv": [case, ...], ...}."""
    groups = {}
    for case in results["cases"]:
        groups.setdefault(case["program"], []).append(case)
    return groups


def usual(results):
    """The first size of each program."""
    return [cases[0] for cases in by_kernel(results).values()]


def facts_of(results):
    """Device, driver, clocks, date and commit in one line."""
    smi, device = results.get("smi_before") or {}, results.get("device") or {}
    name = device.get("name") or next((c["device"] for c in results["cases"] if c.get("device")), "no device")
    return (f"{name}, driver {smi.get('driver_version', 'unknown')}, clocks {smi.get('clocks.max.sm', 'unknown')} and {smi.get('clocks.max.mem', 'unknown')}; "
            f"{results['date']}, commit {results['commit']}")


# ---- bars


def kernel_drawing(cases, facts):
    """Times of all columns at all sizes of one kernel, as bars from zero; the floor is a line."""
    rows = [(case, key, shown) for case in cases for key, shown in board.COLUMNS if key in case["columns"]]
    left, right, top, bar = 150, 175, 46, 16
    drawing = Drawing(760, 0)
    drawing.text(12, 20, f"{cases[0]['program']}: milliseconds, shorter is better", size=14)
    y = top + drawing.paragraph(12, 36, facts, drawing.width - 24)
    height = y + sum(bar for _ in rows) + 26 * len(cases) + 26
    drawing.height = height
    for case in cases:
        times = {key: board.time_of(case, key) for key, _ in board.COLUMNS}
        floor = case.get("floor", {}).get("ms")
        longest = max([t for t in times.values() if t] + [floor or 0]) or 1
        drawing.text(12, y + 14, case["label"], size=12)
        y += 20
        begin = y
        for key, shown in board.COLUMNS:
            if key not in case["columns"]:
                continue
            drawing.text(left - 8, y + 11, shown, "end", size=11)
            if times[key]:
                width = times[key] / longest * (drawing.width - left - right)
                drawing.bar(left, y + 2, width, bar - 4, board.COLORS[key])
                drawing.text(left + width + 6, y + 11, f"{board.digits(times[key])}" + (f", {100 * floor / times[key]:.0f} % of the floor" if floor else ""), kind="faint", size=10)
            else:
                drawing.text(left + 6, y + 11, board.cell(case["columns"][key]), kind="faint", size=10)
            y += bar
        if floor:
            x = left + floor / longest * (drawing.width - left - right)
            drawing.line(x, begin, x, y, "axis")
        y += 6
    drawing.text(12, height - 8, f"The line is the floor: {board.FLOOR}.", kind="faint", size=10)
    return str(drawing)


def overview_drawing(results):
    return board.svg_text({**results, "cases": usual(results)})


def programs_drawing(results, peers):
    """Speed over the peer, logarithmic, sorted."""
    rows = sorted(((case["program"], ratio) for case, _, ratio in programs.compared(results, peers) if ratio), key=lambda row: -row[1])
    drawing = Drawing(760, 0)
    top = 46 + drawing.paragraph(12, 36, facts_of(results), drawing.width - 24)
    drawing.height = top + 17 * len(rows) + 44
    position = Logarithmic([ratio for _, ratio in rows] + [1, 10], 140, drawing.width - 60)
    drawing.text(12, 20, f"Speed over {peers['peer']}, data on the device", size=14)
    for power in position.powers():
        drawing.line(position(power), top, position(power), drawing.height - 28, "axis" if power == 1 else "grid")
        drawing.text(position(power), drawing.height - 12, f"{power:g}x", "middle", "faint", 11)
    for k, (name, ratio) in enumerate(rows):
        y = top + 4 + 17 * k
        begin, end = sorted((position(1), position(ratio)))
        drawing.text(132, y + 11, name, "end")
        drawing.bar(begin, y, end - begin, 13, "#0072b2" if ratio >= 1 else "#d55e00")
        drawing.text(end + 5, y + 11, f"{ratio:.3g}x", kind="faint", size=11)
    return str(drawing)


# ---- roofline


def peak_of(results, kind="float"):
    """Operations per second at the highest clock, as bench/board/harness/device.cu has it; None for a device that is not known here."""
    for case in results["cases"]:
        if case.get("floor", {}).get("kind") == kind and case.get("peak_tera_per_s"):
            return case["peak_tera_per_s"] * 1e12
    device = results.get("device") or {}
    if not str(device.get("capability", "")).startswith("9."):
        return None
    return {"float": 256, "double": 256, "integer": 64}[kind] * device["multiprocessors"] * device["max_clock_mhz"] * 1e6


def work_of(case, results):
    """Bytes that must move, operations that must be done, and their kind; results of before bytes were told have them in the times."""
    floor = case.get("floor") or {}
    kind = floor.get("kind", case.get("type", "float"))
    if "bytes" in floor:
        return floor["bytes"], floor["operations"], kind
    peak = peak_of(results, kind)
    if not floor or not peak:
        return 0, 0, kind
    return floor["ms_by_bytes"] * case["copy_gb_per_s"] * 1e6, floor["ms_by_operations"] * 1e-3 * peak, kind


def roofline_points(results):
    """[(label, operations per byte, operations per second of each column, kind), ...] for the usual sizes; kernels without operations have none."""
    points = []
    for case in usual(results):
        size, operations, kind = work_of(case, results)
        speeds = {key: operations / (took * 1e-3) for key, _ in board.COLUMNS if (took := board.time_of(case, key))}
        if size > 0 and operations > 0 and speeds:
            points.append((case["program"], operations / size, speeds, kind))
    return points


def free_position(taken, x, y):
    """The nearest height to y where a label at x does not lie on another."""
    for step in range(40):
        for candidate in (y - 11 * step, y + 11 * step):
            if all(abs(candidate - b) >= 11 or abs(x - a) >= 90 for a, b in taken):
                taken.append((x, candidate))
                return candidate
    return y


def roofline_drawing(results):
    points = roofline_points(results)
    rates = [c["copy_gb_per_s"] for c in results["cases"] if c.get("copy_gb_per_s")]
    peak, rate = peak_of(results), (sorted(rates)[len(rates) // 2] * 1e9 if rates else None)
    drawing = Drawing(860, 560)
    if not (peak and rate and points):
        drawing.text(20, 30, "no results for a roofline")
        return str(drawing)
    across = Logarithmic([p[1] for p in points] + [peak / rate], 70, drawing.width - 90)
    up = Logarithmic([s for p in points for s in p[2].values()] + [peak], drawing.height - 60, 60)
    drawing.text(12, 20, "Roofline: operations per second over operations per byte", size=14)
    drawing.paragraph(12, 36, facts_of(results), drawing.width - 24)
    for power in across.powers():
        drawing.line(across(power), up.end, across(power), up.begin)
        drawing.text(across(power), up.begin + 16, f"{power:g}", "middle", "faint", 11)
    for power in up.powers():
        drawing.line(across.begin, up(power), across.end, up(power))
        drawing.text(across.begin - 6, up(power) + 4, f"{power / 1e9:g} G" if power < 1e12 else f"{power / 1e12:g} T", "end", "faint", 11)
    first, last = across.powers()[0], across.powers()[-1]
    from_rate = max(first, up.powers()[0] / rate)
    drawing.line(across(from_rate), up(from_rate * rate), across(peak / rate), up(peak), "axis", 2)
    drawing.line(across(peak / rate), up(peak), across(last), up(peak), "axis", 2)
    drawing.text(across(last) - 4, up(peak) - 6, f"{peak / 1e12:.0f} T float operations/s", "end", "faint", 11)
    drawing.text(across(from_rate) + 24, up(from_rate * rate) + 4, f"copy, {rate / 1e9:.0f} GB/s", "start", "faint", 11)
    taken = []
    for name, intensity, speeds, kind in sorted(points, key=lambda p: p[1]):
        x = across(intensity)
        for key in ("vendor", "hand", "ours_tuned"):
            if key in speeds:
                drawing.point(x, up(speeds[key]), board.COLORS[key], 4, hollow=True)
        if "ours" in speeds:
            drawing.point(x, up(speeds["ours"]), board.COLORS["ours"])
            drawing.text(x + 7, free_position(taken, x, up(speeds["ours"]) + 4), name + {"float": "", "double": "", "integer": " (integer)"}[kind], size=11)
    without = [case["program"] for case in usual(results) if board.time_of(case, "ours") and case["program"] not in [p[0] for p in points]]
    if without:
        drawing.text(drawing.width - 12, drawing.height - 10, f"without operations: {', '.join(without)}", "end", "faint", 11)
    x = across.begin
    for key, words in (("ours", "ours"), ("ours_tuned", "ours, tuned"), ("vendor", "vendor library"), ("hand", "hand-written")):
        if any(key in p[2] for p in points):
            drawing.point(x, drawing.height - 14, board.COLORS[key], 4, hollow=key != "ours")
            drawing.text(x + 9, drawing.height - 10, words, size=11)
            x += 30 + 7 * len(words)
    return str(drawing)


# ---- the page


def page(found, peers):
    lines = ["# Scoreboard", "", "This page is generated from `bench/results`; do not edit it. To make it anew:", "", "    bench/scoreboard.py", "",
             "What the columns are and how times are taken: [measuring](measuring.md).", ""]
    if results := found.get("board"):
        lines += ["## Kernels", "", "![speed as a share of the floor](scoreboard/kernels.svg)", "", f"The floor is the least time that the device could take: {board.FLOOR}. At 100 % nothing is left to gain.", "", "![roofline](scoreboard/roofline.svg)", "",
                  "Each kernel at all its sizes: " + ", ".join(f"[{name}](scoreboard/{name}.svg)" for name in by_kernel(results)) + ".", "", board.table_text(results)]
    if results := found.get("programs"):
        lines += ["## Programs", "", "![speed over PPCG](scoreboard/programs.svg)", "", programs.table_text(results, peers)]
    if results := found.get("tuning"):
        lines += ["## Tuning", "", "What plans that were measured gain over the planner's own, and what the search took: [tuning](tuning.md).", "", tuning.table_text(results), ""]
    if results := found.get("cost"):
        lines += ["## What translation costs", "", "![translation time](scoreboard/translation.svg)", "", translation_cost.table_text(results)]
    return markdown.reflowed("\n".join(lines))


def made(found, peers, text_of_readme):
    """All files by their paths below the root."""
    files = {"docs/scoreboard.md": page(found, peers)}
    if results := found.get("board"):
        files["docs/scoreboard/kernels.svg"] = overview_drawing(results)
        files["docs/scoreboard/roofline.svg"] = roofline_drawing(results)
        for name, cases in by_kernel(results).items():
            files[f"docs/scoreboard/{name}.svg"] = kernel_drawing(cases, facts_of(results))
    if results := found.get("programs"):
        files["docs/scoreboard/programs.svg"] = programs_drawing(results, peers)
    if results := found.get("cost"):
        files["docs/scoreboard/translation.svg"] = translation_cost.drawing(results)
    files["README.md"] = readme.with_results(text_of_readme, found, peers)
    return files


def found_in(folder):
    readers = {"board": board.loaded, "programs": programs.loaded, "tuning": tuning.loaded, "cost": translation_cost.loaded}
    return {key: readers[key](folder / name) for key, name in FILES.items() if (folder / name).exists()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--results", default=str(ROOT / "bench" / "results"), help="folder of results")
    parser.add_argument("--root", default=str(ROOT), help="where README.md and docs are")
    arguments = parser.parse_args()
    root = Path(arguments.root)
    try:
        files = made(found_in(Path(arguments.results)), json.loads(programs.PEERS.read_text()), (root / "README.md").read_text())
    except readme.MissingMarkers as e:
        sys.exit(f"scoreboard.py: {e}")
    old = sorted(path for path, text in files.items() if not (root / path).exists() or (root / path).read_text() != text)
    if arguments.check:
        if old:
            sys.exit("scoreboard.py: not up to date (bench/scoreboard.py makes them anew): " + ", ".join(old))
        return
    for path in old:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(files[path])
    print(f"scoreboard.py: {len(old)} of {len(files)} files were written anew")


if __name__ == "__main__":
    main()
