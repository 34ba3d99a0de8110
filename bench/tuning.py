#!/usr/bin/env python3
"""What tuning gains over the planner's own plans, and how well the model of time foretells it.

    bench/tuning.py write DIR [--only NAME ...]       here: a bundle of candidates for the programs below, DIR/bundle; --strategy=random judges the model
    nestwarp-run tune DIR/bundle --budget=25          on the GPU machine
    bench/tuning.py collect DIR -o FILE.json          here again, results copied back: times beside what the model says of each plan
    bench/tuning.py table FILE.json                   prints a table
    bench/tuning.py plans DIR OUTPUT                  the plans that won, as bench/board.py write --plans wants them
"""
import argparse
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import combinations
from pathlib import Path

import board

ROOT = Path(__file__).resolve().parent.parent
def usual_sizes(kernel, sizes):
    """By name: the sizes that the board calls usual; other integers are values, of which any will do."""
    parameters = board.parameters_of((ROOT / "bench/kernels" / f"{kernel}.c").read_text(), kernel)
    return {**dict(zip((v for t, v in parameters if t == "int"), sizes[0])), **{v: 12345 for t, v in parameters if t == "unsigned"}}


# Programs and their sizes: all kernels of the board, and programs of tests/programs at LARGE.
KERNELS = {name: usual_sizes(kernel, sizes) for name, (kernel, kind, sizes) in board.PROGRAMS.items() if kind == "float"}
PROGRAMS = {"jacobi_2d": {"tsteps": 500, "n": 1300}, "fdtd_2d": {"tmax": 500, "nx": 1000, "ny": 1200}, "gemm": {"ni": 1000, "nj": 1100, "nk": 1200}}
SIZES = {**KERNELS, **PROGRAMS}
BUNDLE, WRITTEN = "bundle", "written.json"
# Plans whose times are nearer to each other than this are not told apart by the measurement.
SAME = 0.05


def fail(text):
    sys.exit(f"tuning.py: {text}")


def source_of(name):
    return ROOT / ("bench/kernels" if name in KERNELS else "tests/programs") / f"{name}.c"


def write(arguments):
    folder = Path(arguments.folder)
    if folder.exists() and any(folder.iterdir()):
        fail(f"{folder} is there already")
    names = arguments.only or list(SIZES)
    if unknown := [n for n in names if n not in SIZES]:
        fail(f"no program '{unknown[0]}'; there are {', '.join(SIZES)}")
    settings = [w for n in names for p, v in SIZES[n].items() for w in ("--size", f"{n}.{p}={v}")]
    folder.mkdir(parents=True, exist_ok=True)
    functions = ["--function", names[0]] if len(names) == 1 else []
    words = [arguments.nestwarp, "tune", "-q", *(str(source_of(n)) for n in names), *functions, *settings, f"--device={arguments.device}", f"--strategy={arguments.strategy}", "--candidates", str(arguments.candidates), "--bundle", str(folder / BUNDLE)]
    if subprocess.run(words).returncode != 0:
        fail("nestwarp tune did not write the bundle")
    (folder / WRITTEN).write_text(json.dumps({"commit": board.commit(), "device": arguments.device, "strategy": arguments.strategy, "programs": names}, indent=1) + "\n")


def jobs_of(folder):
    """(program, job's folder, its result) of a bundle that was measured."""
    results = json.loads((folder / BUNDLE / "results.json").read_text())
    for job in results["jobs"]:
        yield job["job"].split("-")[-1], folder / BUNDLE / "jobs" / job["job"], job, results["date"]


def times_of(job):
    """By candidate of region 0: milliseconds in the search; and (milliseconds, spread) of those in the final."""
    tried, final = {}, {}
    for words in (line.split("\t") for line in job.get("measure", "").splitlines()):
        if words[0] in ("time", "slow") and words[1] == "0":
            tried[int(words[2])] = float(words[3])
        elif words[0] == "final" and words[1] == "0":
            final[int(words[2])] = (float(words[3]), float(words[4]))
    return tried, final


def predicted(nestwarp, name, plan, device):
    sizes = [w for p, v in SIZES[name].items() for w in ("--size", f"{p}={v}")]
    done = subprocess.run([nestwarp, "explain", "-q", str(source_of(name)), "--function", name, "--plan", str(plan), *sizes, f"--device={device}", "--no-alternatives", "--format=json"], capture_output=True, text=True)
    return json.loads(done.stdout)["seconds"] * 1e3 if done.returncode == 0 else None


def collect(arguments):
    folder = Path(arguments.folder)
    written = json.loads((folder / WRITTEN).read_text())
    cases, won = [], plans_that_won(arguments.nestwarp, folder)
    for name, at, job, date in jobs_of(folder):
        tried, final = times_of(job)
        with ThreadPoolExecutor(os.cpu_count()) as pool: # each is a process
            said = pool.map(lambda c: predicted(arguments.nestwarp, name, at / f"plan-0-{c}.json", written["device"]), sorted(tried))
        candidates = [{"candidate": c, "ms": tried[c], "predicted_ms": ms} for c, ms in zip(sorted(tried), said)]
        cases.append({"program": name, "sizes": SIZES[name], "verdict": job["verdict"], "winner": winner_in(at, won, tried), "candidates": candidates, "final": {str(c): {"ms": ms, "spread": spread} for c, (ms, spread) in final.items()}})
        print(f"tuning.py: {name}", file=sys.stderr)
    device = re.search(r"device\t\S+\t([^\t]*)\t([^\n]*)", next((job["measure"] for _, _, job, _ in jobs_of(folder) if job.get("measure")), ""))
    found = {"tuning": 1, **written, "date": date, "measured_on": device.group(1) if device else "", "with": device.group(2) if device else "", "cases": cases}
    Path(arguments.output).write_text(json.dumps(found, indent=1) + "\n")


def loaded(path):
    return json.loads(Path(path).read_text())


def plans_that_won(nestwarp, folder):
    """What nestwarp itself takes from the results, as texts."""
    with tempfile.TemporaryDirectory() as workdir:
        database = Path(workdir) / "tune.db"
        done = subprocess.run([nestwarp, "tune", "--import", str(folder / BUNDLE / "results.json"), "--db", str(database)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode not in (0, 1):  # 1: some candidates were wrong, the others count
            fail(f"nestwarp tune --import ended with status {done.returncode}:\n{done.stdout}")
        with closing(sqlite3.connect(database)) as c:
            return {plan for (plan,) in c.execute("SELECT plan FROM results")}


def winner_in(at, won, tried):
    """The candidate of region 0 whose plan has won; 0, the proposed one, where none has."""
    return next((c for c in sorted(tried) if c != 0 and (at / f"plan-0-{c}.json").read_text() in won), 0)


def winner_of(case):
    """The plan that nestwarp has taken. Files from before 17 November 2026 do not say it: the fastest of the final if it beats the proposed plan by more than the spread of either."""
    final = case["final"]
    if "winner" in case:
        return str(case["winner"]) if str(case["winner"]) in final else None
    if "0" not in final:
        return None
    first, best = final["0"], min(final, key=lambda c: final[c]["ms"])
    gain = first["ms"] / final[best]["ms"] - 1
    return best if gain > max(first["spread"], final[best]["spread"]) else "0"


def pairs_of(case):
    """(pairs of plans that the model orders as the times do, pairs whose times differ)."""
    right = all_ = 0
    for a, b in combinations([c for c in case["candidates"] if c["predicted_ms"]], 2):
        if abs(a["ms"] - b["ms"]) <= SAME * min(a["ms"], b["ms"]):
            continue
        all_ += 1
        right += (a["predicted_ms"] < b["predicted_ms"]) == (a["ms"] < b["ms"])
    return right, all_


def table_text(found):
    lines = [f"{found['measured_on']}, {found['with']}; {found['date']}, commit {found['commit']}. Milliseconds of the region; the final's where there is one.", "",
             "| program | proposed | tuned | gain | spread | plans tried | predicted | measured / predicted | model's pick, over the best | pairs in order |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    factors, picks, right, all_ = [], [], 0, 0
    for case in found["cases"]:
        winner = winner_of(case)
        if winner is None:
            lines.append(f"| {case['program']} | {case['verdict']} | | | | | | | | |")
            continue
        own, best = case["final"]["0"], case["final"][winner]
        first = next(c for c in case["candidates"] if c["candidate"] == 0)
        known = [c for c in case["candidates"] if c["predicted_ms"]]
        pick = min(known, key=lambda c: c["predicted_ms"])["ms"] / min(c["ms"] for c in case["candidates"]) if known else None
        one, of = pairs_of(case)
        right, all_ = right + one, all_ + of
        factor = own["ms"] / first["predicted_ms"] if first["predicted_ms"] else None
        factors += [factor] if factor else []
        picks += [pick] if pick else []
        shown = [f"{own['ms']:.4g}", f"{best['ms']:.4g}", f"{own['ms'] / best['ms']:.2f}", f"{100 * max(own['spread'], best['spread']):.1f} %", str(len(case["candidates"]) - 1),
                 f"{first['predicted_ms']:.4g}" if first["predicted_ms"] else "–", f"{factor:.2f}" if factor else "–", f"{pick:.2f}" if pick else "–", f"{one} of {of}"]
        lines.append(f"| {case['program']} | " + " | ".join(shown) + " |")
    if search := found.get("search"):
        tried = sum(len(c["candidates"]) - 1 for c in found["cases"] if c["candidates"])
        lines += ["", f"The search ({found.get('strategy', 'model')}): {tried} plans, made and verified in {search['made_s'] / 60:.0f} minutes on {search['made_on']}, checked and timed in {search['timed_s']:.0f} seconds on the device."]
    near = sum(1 / 1.3 <= f <= 1.3 for f in factors)
    lines += ["", f"Predicted within 30 %: {near} of {len(factors)}. The model's pick within 25 % of the fastest: {sum(p <= 1.25 for p in picks)} of {len(picks)}. "
              f"Pairs of plans in the right order (times that differ by more than {100 * SAME:.0f} %): {right} of {all_}" + (f", {100 * right / all_:.0f} %." if all_ else ".")]
    return "\n".join(lines)


def plans(arguments):
    output = Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    won = plans_that_won(arguments.nestwarp, Path(arguments.folder))
    for name, at, job, _ in jobs_of(Path(arguments.folder)):
        winner = winner_in(at, won, times_of(job)[0])
        if winner:
            shutil.copy(at / f"plan-0-{winner}.json", output / f"{name}.json")
            print(f"tuning.py: {name}: candidate {winner}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("write")
    p.add_argument("folder")
    p.add_argument("--only", nargs="+")
    p.add_argument("--candidates", type=int, default=12)
    p.add_argument("--device", default="h200")
    p.add_argument("--strategy", default="model", help="random: to judge the model by plans that it did not choose")
    p = commands.add_parser("collect")
    p.add_argument("folder")
    p.add_argument("-o", "--output", required=True)
    p = commands.add_parser("table")
    p.add_argument("file")
    p = commands.add_parser("plans")
    p.add_argument("folder")
    p.add_argument("output")
    for p in (commands.choices["write"], commands.choices["collect"], commands.choices["plans"]):
        p.add_argument("--nestwarp", default=str(ROOT / "build" / "nestwarp"))
    arguments = parser.parse_args()
    if arguments.command == "table":
        print(table_text(loaded(arguments.file)))
    else:
        {"write": write, "collect": collect, "plans": plans}[arguments.command](arguments)


if __name__ == "__main__":
    main()
