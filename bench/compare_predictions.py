#!/usr/bin/env python3
"""Holds predicted times against measured ones and prints a table.

usage: bench/compare_predictions.py predicted.json results.json

predicted.json is from bench/predicted.py, results.json from nestwarp-run on a bundle of bench/programs_bundle.py with the same scale, or
from bench/programs.py (bench/results/programs-large-h200.json), which has no kernels.
Regions: the median of the calls after the first. Kernels: the fastest of the launches against the predicted time of one.
"""
import json
import math
import statistics
import sys


def measured_regions(job):
    """Milliseconds of all regions of a program together."""
    return sum(statistics.median(r["milliseconds"][1:] or r["milliseconds"]) for r in job["times"]["regions"] if r["milliseconds"])


def measured_kernels(job):
    """Milliseconds of the fastest launch of each kernel."""
    return {k["name"]: k["least"] for r in job["kernel_times"]["regions"] for k in r["kernels"] if k["timed"]}


def programs_of(results):
    """(program, milliseconds of its regions, of each kernel's fastest launch) of those that were right."""
    for job in results.get("jobs", []):
        if job["verdict"] == "same" and "times" in job:
            yield job["job"].split("-")[-1], measured_regions(job), measured_kernels(job)
    for case in results.get("cases", []):
        if case["verdict"] == "same":
            yield case["program"], case["ms"], {}


def rank_correlation(pairs):
    """Spearman's, without ties."""
    order = lambda values: {v: n for n, v in enumerate(sorted(values))}
    a, b = order([p for p, _ in pairs]), order([m for _, m in pairs])
    n = len(pairs)
    return 1 - 6 * sum((a[p] - b[m]) ** 2 for p, m in pairs) / (n * (n * n - 1))


def summary(name, pairs):
    if len(pairs) < 2:
        return
    ratios = [p / m for p, m in pairs]
    near = sum(1 / 1.3 <= r <= 1.3 for r in ratios)
    rms = math.exp(math.sqrt(statistics.mean(math.log(r) ** 2 for r in ratios)))
    print(f"\n{len(pairs)} {name}: {near} within 30 %, typical factor {rms:.2f}, rank correlation {rank_correlation(pairs):.3f}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    predicted, results = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
    regions, kernels = [], []
    print("| program | predicted ms | measured ms | ratio | slowest kernel, and what is said to hold it |\n|---|---:|---:|---:|---|")
    for name, m, each in programs_of(results):
        if name not in predicted:
            continue
        p = predicted[name]["seconds"] * 1e3
        slowest = max(predicted[name]["kernels"].items(), key=lambda k: k[1]["seconds"])
        print(f"| {name} | {p:.3f} | {m:.3f} | {p / m:.2f} | {slowest[0]}: {slowest[1]['bottleneck']} |")
        regions.append((p, m))
        for kernel, k in predicted[name]["kernels"].items():
            if kernel in each and k["launches"] > 0 and k["seconds"] > 0:
                kernels.append((k["seconds"] * 1e3 / k["launches"], each[kernel]))
    summary("programs", regions)
    summary("kernels", kernels)


if __name__ == "__main__":
    main()
