#!/usr/bin/env python3
"""The 30 programs of tests/programs at PolyBench's LARGE sizes, beside PPCG.

    bench/programs.py write DIR              here: translates them (float), writes a folder that holds all that is needed
    python3 DIR/programs.py run DIR          on the GPU machine: builds, checks and times them, writes DIR/results.json
    bench/programs.py table results.json     prints them beside bench/peers/ppcg-h200.json

What is timed: whole regions with data on the device, between two events, everything between launches included (docs/bundles.md).
References on the CPU run side by side before anything is timed. Needs Python alone; `run` also wants a C compiler.
"""
import argparse
import datetime
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEERS = HERE / "peers" / "ppcg-h200.json"
BUNDLE, RESULTS, WRITTEN = "bundle", "results.json", "written.json"


def fail(text):
    sys.exit(f"programs.py: {text}")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


# ---- write


def write(arguments):
    from board import commit
    from polybench import SIZES
    from programs_bundle import ROOT, settings_of
    folder = Path(arguments.folder)
    if folder.exists() and any(folder.iterdir()):
        fail(f"{folder} is there already")
    unknown = set(arguments.only or ()) - set(SIZES)
    if unknown:
        fail(f"no program '{sorted(unknown)[0]}'; there are {', '.join(sorted(SIZES))}")
    names = sorted(arguments.only or SIZES)
    files, settings = [ROOT / "tests" / "programs" / f"{name}.c" for name in names], []
    for name, file in zip(names, files):
        settings += settings_of(name, file.read_text(), arguments.scale)
    options = [f"--device={arguments.device}"] if arguments.device != "none" else []
    folder.mkdir(parents=True, exist_ok=True)
    words = [arguments.nestwarp, "bench", *map(str, files), *settings, *options, "--repeats", str(arguments.repeats), "--time-limit", "600", "-q",
             "--bundle", str(folder / BUNDLE), *(["--cubin", arguments.cubin] if arguments.cubin else [])]
    if subprocess.run(words).returncode != 0:
        fail("nestwarp bench did not write the bundle")
    shutil.copy(__file__, folder / "programs.py")
    (folder / WRITTEN).write_text(json.dumps({"commit": commit(), "written": now(), "options": options, "scale": arguments.scale, "programs": names}, indent=1) + "\n")
    print(f"programs.py: wrote {folder}; on the GPU machine: python3 {folder.name}/programs.py run {folder.name}")


# ---- run


def smi():
    """What nvidia-smi says of the first GPU."""
    fields = ["name", "driver_version", "clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem", "power.limit", "temperature.gpu"]
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader"], capture_output=True, text=True, timeout=30)
        return dict(zip(fields, (v.strip() for v in done.stdout.splitlines()[0].split(",")))) if done.returncode == 0 else {}
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return {}


def built_tool(folder):
    """nestwarp-run, made from the bundle's own sources."""
    tool, runtime = folder / "nestwarp-run", folder / BUNDLE / "runtime"
    sources = [f for pattern in ("*.c", "*/*.c") for f in glob.glob(str(runtime / pattern))]
    compiler = os.environ.get("CC", "cc").split()
    done = subprocess.run([*compiler, "-std=gnu11", "-O2", "-w", f"-I{runtime}", *sources, "-o", str(tool), "-ldl", "-lm", "-lpthread"], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"nestwarp-run cannot be built: {done.stderr[-2000:]}")
    return tool


def run(arguments):
    folder = Path(arguments.folder).resolve()
    written = json.loads((folder / WRITTEN).read_text())
    tool, before, inner = built_tool(folder), smi(), f"results-{arguments.device.replace(':', '-')}.json"
    words = [str(tool), str(folder / BUNDLE), f"--device={arguments.device}", f"--jobs={max(1, min(arguments.jobs, 64))}", f"--output={inner}", f"--limit={arguments.limit}"]
    status = subprocess.run(words + ([f"--only={arguments.only}"] if arguments.only else [])).returncode
    if status not in (0, 1):
        fail(f"nestwarp-run ended with status {status}")
    found = json.loads((folder / BUNDLE / inner).read_text())
    results = {"programs": 1, **{k: v for k, v in written.items() if k != "programs"}, "date": found["date"], "smi_before": before, "smi_after": smi(),
               "runs_on": arguments.device, "cases": [case_of(job) for job in found["jobs"]]}
    output = folder / arguments.output
    output.write_text(json.dumps(results, indent=1) + "\n")
    print(f"programs.py: wrote {output}; {sum(not is_right(c) for c in results['cases'])} of {len(results['cases'])} programs not as expected")
    return status


def case_of(job):
    """What is kept of a job: its verdict, the time of all its regions, launches of a call, and the device that it ran on."""
    case = {"program": job["job"].split("-")[-1], "verdict": job.get("verdict", "")}
    regions = (job.get("times") or {}).get("regions") or []
    report = job.get("ordinary", {}).get("report", "")
    for line in report.splitlines():
        words = line.split("\t")
        if words[0] == "device" and len(words) > 2:
            case["on_device"], case["on_host"] = int(words[1]), int(words[2])
    case["sizes"] = {words[1]: int(words[2]) for words in (line.split("\t") for line in report.splitlines()) if words[0] == "scalar" and len(words) == 3 and words[2].isdigit()}
    if regions and all(r["milliseconds"] for r in regions):
        case["device"] = job["times"]["device"]
        case["ms"] = sum(statistics.median(r["milliseconds"]) for r in regions)
        case["least_ms"] = sum(min(r["milliseconds"]) for r in regions)
        case["most_ms"] = sum(max(r["milliseconds"]) for r in regions)
        case["calls"] = min(len(r["milliseconds"]) for r in regions)
        case["launches"] = sum(k["launches"] / len(r["milliseconds"]) for r in regions for k in r["kernels"])
    return case


def is_right(case):
    return case["verdict"] == "same" and case.get("on_device", 0) > 0


# ---- table


def time_of(case):
    """Milliseconds of a program that is right and ran on the device as a whole, or None."""
    return case.get("ms") if is_right(case) and not case.get("on_host") else None


def compared(results, peers):
    """[(case, peer, speed over the peer or None), ...] in the order of names."""
    rows = []
    for case in sorted(results["cases"], key=lambda c: c["program"]):
        peer, took = peers["programs"].get(case["program"]), time_of(case)
        rows.append((case, peer, peer["ms"] / took if peer and took else None))
    return rows


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def digits(value):
    return f"{value:.4f}" if value < 1 else f"{value:.3f}" if value < 10 else f"{value:.2f}" if value < 100 else f"{value:.1f}"


def table_text(results, peers):
    rows = compared(results, peers)
    smi_facts = results.get("smi_before") or {}
    device = next((c["device"] for c in results["cases"] if c.get("device")), "no device")
    lines = [f"{device}; driver {smi_facts.get('driver_version', 'unknown')}, clocks {smi_facts.get('clocks.max.sm', 'unknown')} and {smi_facts.get('clocks.max.mem', 'unknown')} at most, "
             f"by {results.get('runs_on', 'cuda')}; {results['date']}, commit {results['commit']}."]
    if results.get("scale", 1) != 1:
        lines.append(f"Sizes are LARGE times {results['scale']}: no comparison with the peer's.")
    lines += [f"{peers['peer']}, {peers['options']}: {peers['device']}, driver {peers['driver']}, CUDA {peers['cuda']}, {peers['date']}; {peers['times']}.", "",
              f"| program | ours, ms | launches | {peers['peer']}, ms | ratio | |", "|---|---:|---:|---:|---:|---|"]
    ratios = []
    for case, peer, ratio in rows:
        took, notes = time_of(case), []
        if results.get("scale", 1) != 1:
            ratio = None
        if not is_right(case):
            notes.append(case["verdict"] or "no verdict")
        elif case.get("on_host"):
            notes.append(f"{case['on_host']} of its regions ran on the host")
        if ratio:
            ratios.append(ratio)
            if ratio < 1:
                notes.append("**slower**")
        if peer and peer.get("note"):
            notes.append(f"{peers['peer'].split()[0]}: {peer['note']}")
        theirs = "–" if not peer else f"over {peer['ms']}" if peer.get("over") else digits(peer["ms"])
        launches = f"{case['launches']:.0f}" if "launches" in case else "–"
        lines.append(f"| {case['program']} | {digits(took) if took else '–'} | {launches} | {theirs} | {f'{ratio:.2f}' if ratio else '–'} | {'; '.join(notes)} |")
    slower = [case["program"] for case, _, ratio in rows if ratio and ratio < 1]
    missing = [case["program"] for case, _, ratio in rows if not ratio]
    lines.append("")
    if ratios:
        lines.append(f"Geometric mean of {len(ratios)}: {geometric_mean(ratios):.2f} times as fast; slower: {', '.join(slower) or 'none'}."
                     + (f" Not counted: {', '.join(missing)}." if missing else ""))
    return "\n".join(lines) + "\n"


def loaded(path):
    try:
        results = json.loads(Path(path).read_text())
    except (OSError, ValueError) as e:
        fail(f"{path}: {e}")
    if not isinstance(results, dict) or results.get("programs") != 1 or "cases" not in results:
        fail(f"{path} holds no results of programs")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("write", help="translate the programs and write the folder")
    p.add_argument("folder")
    p.add_argument("--only", nargs="*", help="some of the programs")
    p.add_argument("--scale", type=float, default=1.0, help="factor of all sizes")
    p.add_argument("--repeats", type=int, default=12, help="calls that are timed")
    p.add_argument("--device", default="h200", help="device to plan for, as nestwarp bench --device; none: portable limits")
    p.add_argument("--cubin", help="as nestwarp bench --cubin")
    p.add_argument("--nestwarp", default=str(HERE.parent / "build" / "nestwarp"))
    p = commands.add_parser("run", help="build, check and time them on this machine")
    p.add_argument("folder")
    p.add_argument("--device", default="cuda", help="as NESTWARP_DEVICE")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that are built and checked side by side")
    p.add_argument("--only", help="programs whose names contain this")
    p.add_argument("--limit", type=int, default=300, help="seconds for one run")
    p.add_argument("--output", default=RESULTS)
    p = commands.add_parser("table", help="print results beside the peer's")
    p.add_argument("results")
    p.add_argument("--peers", default=str(PEERS))
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments)
    elif arguments.command == "run":
        sys.exit(run(arguments))
    else:
        print(table_text(loaded(arguments.results), json.loads(Path(arguments.peers).read_text())), end="")


if __name__ == "__main__":
    main()
