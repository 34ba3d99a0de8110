"""The part of README.md that is made from bench/results: the text between the two markers. Used by bench/scoreboard.py."""
import sys
from pathlib import Path

import board
import programs

sys.path.append(str(Path(__file__).resolve().parent.parent / "scripts"))
import markdown  # noqa: E402

BEGIN, END = "<!-- scoreboard: made by bench/scoreboard.py from bench/results; do not edit -->", "<!-- end of scoreboard -->"


class MissingMarkers(Exception):
    pass


def with_results(text, found, peers):
    """The README with its part anew."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise MissingMarkers("README.md has no place for results: it must hold these lines, once each, in this order:\n" + BEGIN + "\n" + END)
    return text[:text.index(BEGIN)] + BEGIN + "\n" + part(found, peers) + text[text.index(END):]


def part(found, peers):
    lines = []
    if results := found.get("board"):
        lines += kernels(results)
    if results := found.get("programs"):
        rows = [ratio for _, _, ratio in programs.compared(results, peers) if ratio]
        slower = [case["program"] for case, _, ratio in programs.compared(results, peers) if ratio and ratio < 1]
        if rows and results.get("scale", 1) == 1:
            smi = results.get("smi_before") or {}
            lines += [f"The {len(results['cases'])} programs of PolyBench/C at LARGE sizes, data on the device (driver {smi.get('driver_version', 'unknown')}; {results['date']}, commit {results['commit']}), beside "
                      f"{peers['peer']}, which was measured in another run on {peers['date']} ({peers['device']}, driver {peers['driver']}): {programs.geometric_mean(rows):.1f} times as fast in the "
                      f"geometric mean of {len(rows)}; slower on {', '.join(slower) or 'none'}. (Its times: {peers['times'].split('; cpu_ms')[0]}.)", "", "![speed over PPCG](docs/scoreboard/programs.svg)", ""]
    lines += ["All sizes, columns and pictures: [docs/scoreboard.md](docs/scoreboard.md).", ""] if lines else ["No results yet.", ""]
    return markdown.reflowed("\n".join(lines))


def kernels(results):
    """Facts, the picture, and a table of the usual sizes: our best time beside the best of others."""
    smi, device = results.get("smi_before") or {}, results.get("device") or {}
    columns = [(key, shown) for key, shown in board.COLUMNS if any(key in c["columns"] for c in results["cases"])]
    lines = [f"Kernels on {device.get('name', 'no device')} (driver {smi.get('driver_version', 'unknown')}, clocks {smi.get('clocks.max.sm', 'unknown')} and {smi.get('clocks.max.mem', 'unknown')}; "
             f"{results['date']}, commit {results['commit']}), milliseconds, data on the device; results were compared with the CPU's (of mm, cp, mriq and mrifhd a sample and sums).", "",
             "![speed as a share of the floor](docs/scoreboard/kernels.svg)", "",
             f"The floor is the least time that the device could take: {board.FLOOR}.", "",
             "| kernel | " + " | ".join(shown for _, shown in columns) + " | of the floor |", "|---" + "|---:" * (len(columns) + 1) + "|"]
    seen = set()
    for case in results["cases"]:
        if case["program"] in seen:
            continue
        seen.add(case["program"])
        ours, floor = [t for key in ("ours", "ours_tuned") if (t := board.time_of(case, key))], case.get("floor", {}).get("ms")
        share = f"{100 * floor / min(ours):.0f} %" if ours and floor else "–"
        lines.append(f"| {case['label']} | " + " | ".join(board.cell(case["columns"].get(key)) for key, _ in columns) + f" | {share} |")
    return lines + [""]
