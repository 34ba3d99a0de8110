#!/usr/bin/env python3
"""Draws the table that a bench's run.sh printed: bench/plot_results.py TABLE.txt > docs/results-h200.svg"""

import math
import sys

WIDTH, LEFT, ROW = 860, 150, 17


def rows_of(path):
    rows = []
    for line in open(path):
        words = line.split()
        if len(words) == 5 and words[0].replace("_", "").isalnum() and words[1].replace(".", "").isdigit():
            rows.append((words[0], float(words[1]), float(words[2]), float(words[3])))
    return sorted(rows, key=lambda r: -r[1] / r[2])


def main():
    rows = rows_of(sys.argv[1])
    low, high = -1.0, 3.0  # powers of ten
    position = lambda x: LEFT + (math.log10(x) - low) / (high - low) * (WIDTH - LEFT - 70)
    height = ROW * len(rows) + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for power in (-1, 0, 1, 2, 3):
        x = position(10.0 ** power)
        out.append(f'<line x1="{x:.0f}" y1="10" x2="{x:.0f}" y2="{height - 32}" stroke="{"#555" if power == 0 else "#ddd"}"/>')
        out.append(f'<text x="{x:.0f}" y="{height - 16}" text-anchor="middle" fill="#555">{10.0 ** power:g}x</text>')
    for k, (name, cpu, gpu, _) in enumerate(rows):
        y, ratio = 14 + k * ROW, cpu / gpu
        x0, x1 = sorted((position(1), position(ratio)))
        out.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{name}</text>')
        out.append(f'<rect x="{x0:.1f}" y="{y}" width="{max(x1 - x0, 1):.1f}" height="{ROW - 4}" fill="{"#2b7a4b" if ratio >= 1 else "#b5523b"}"/>')
        out.append(f'<text x="{max(x1, position(1)) + 5:.1f}" y="{y + 11}" fill="#333">{ratio:.3g}x</text>')
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
