#!/usr/bin/env python3
"""Prints for each kernel the terms of its prediction beside the measured time, so that one sees which term is wrong.

usage: bench/prediction_terms.py predicted.json results.json [--phases] [PROGRAM ...]

predicted.json is from bench/predicted.py, results.json from nestwarp-run on a bundle of bench/programs_bundle.py with the same scale.
Microseconds of one launch. `ratio` is predicted / measured, `*` where it is off by more than 30 %. Columns: instruction issue, arithmetic
(the slowest unit), load and store issue, shared memory, second-level cache, memory, waiting, barriers of the grid, launching. --phases: also the
code between barriers of a resident kernel, one line each.
"""
import json
import sys

from compare_predictions import measured_kernels

COLUMNS = {
    "issue": ["instruction issue"],
    "arith": ["floating-point throughput", "64-bit floating-point throughput", "special function units", "integer throughput"],
    "ld/st": ["load and store issue"],
    "shared": ["shared memory bandwidth"],
    "L2": ["cache bandwidth"],
    "DRAM": ["global memory bandwidth"],
    "wait": ["global memory latency", "too few threads to hide latency"],
    "barrier": ["global synchronization"],
}


def terms(limits):
    seconds = {limit["name"]: limit["seconds"] for limit in limits}
    return [max(seconds.get(name, 0) for name in names) * 1e6 for names in COLUMNS.values()]


def line(name, ratio, predicted, measured, values, launching):
    print(f"{name:28} {ratio:>6} {predicted:10.2f} {measured:>10} " + " ".join(f"{v:9.2f}" for v in values) + f" {launching:>7}")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) < 2:
        sys.exit(__doc__)
    predicted, results = json.load(open(arguments[0])), json.load(open(arguments[1]))
    print(f"{'kernel':28} {'ratio':>6} {'predicted':>10} {'measured':>10} " + " ".join(f"{c:>9}" for c in COLUMNS) + f" {'launch':>7}")
    for job in results["jobs"]:
        program = job["job"].split("-")[-1]
        if program not in predicted or (arguments[2:] and program not in arguments[2:]) or "kernel_times" not in job:
            continue
        measured = measured_kernels(job)
        for name, k in predicted[program]["kernels"].items():
            if name not in measured or not k["launches"]:
                continue
            p, m = k["seconds"] / k["launches"] * 1e6, measured[name] * 1e3
            mark = "" if 1 / 1.3 <= p / m <= 1.3 else "*"
            line(name, f"{p / m:.2f}{mark:1}", p, f"{m:.2f}", terms(k["limits"]), f"{k['launchSeconds'] / k['launches'] * 1e6:.2f}")
            if "--phases" in sys.argv:
                for number, phase in enumerate(k["phases"] if len(k["phases"]) > 1 else []):
                    line(f"  phase {number}", "", phase["seconds"] * 1e6, "", terms(phase["limits"]), "")


if __name__ == "__main__":
    main()
