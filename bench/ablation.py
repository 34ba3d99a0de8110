#!/usr/bin/env python3
"""What each optimization is worth: the board's kernels with some of them switched off, as the papers' ablations are drawn.

    bench/ablation.py write DIR [--tables NAME ...]     here: code of every variant, in a folder of the board
    python3 DIR/board.py run DIR                        on the GPU machine: builds and runs it, writes DIR/results.json
    bench/ablation.py table results.json                prints the tables

A variant is a list of compile options (and, for tile sizes, a block that the plan is given). A table is a list of variants for some
kernels; the first variant is what the others are held against. To add one, add lines to TABLES."""
import argparse
import json
import subprocess
import sys
from pathlib import Path
import board

ALL_OFF = ["--no-staging", "--no-padding", "--no-ilp", "--no-vectors", "--no-block-reduction", "--no-fusion"]


def without(*kept):
    """All optimizations switched off but these."""
    return [option for option in ALL_OFF if option not in kept]


class Variant:
    """A name, compile options, and threads of a block where the plan is to have others than proposed."""

    def __init__(self, name, options=(), block=None):
        self.name, self.options, self.block = name, list(options), block


# Name, what the paper shows, kernels, variants.
TABLES = {
    "affine-2": ("mv: direct, staged, staged and padded (affine, Table 2)", ["mv"],
                 [Variant("direct", ALL_OFF), Variant("staged", without("--no-staging")), Variant("staged and padded", without("--no-staging", "--no-padding")), Variant("all", [])]),
    "share-5": ("shares of staging, conflict removal and ILP (share, Figures 5 and 7)", ["mt", "mm", "mv", "gauss", "hotspot"],
                [Variant("naive", ALL_OFF), Variant("shared memory", without("--no-staging")), Variant("and no conflicts", without("--no-staging", "--no-padding")),
                 Variant("and ILP", without("--no-staging", "--no-padding", "--no-ilp")), Variant("ILP alone", without("--no-ilp")), Variant("all", [])]),
    "one-off": ("all but one", ["vecadd", "saxpy", "mv", "tmv", "mvt", "atax", "mt", "mm", "gauss", "hotspot"],
                [Variant("all", []), *[Variant(option[2:].replace("-", " "), [option]) for option in ALL_OFF]]),
    "principles-4": ("tile sizes of mm (principles, Figure 4)", ["mm"],
                     [Variant("as planned", []), *[Variant(f"blocks of {x} x {y}", [], (x, y)) for x, y in ((4, 4), (8, 8), (16, 16), (32, 8), (32, 32))]]),
    "spaces": ("memories by patterns' Algorithm 1 against the default", ["mv", "mm", "gauss"], [Variant("default", []), Variant("patterns", ["--policy=patterns"])]),
}


def known_options(nestwarp):
    return subprocess.run([nestwarp, "compile", "--help"], capture_output=True, text=True).stdout


def generator(blocks, known):
    """Like board.generate, for options that this nestwarp may not have, and for plans with another block. `blocks`: by folder's name."""
    def make(nestwarp, kernel, kind, folder, options):
        missing = [o for o in options if o.split("=")[0] not in known]
        if missing:
            return f"this nestwarp has no {' '.join(missing)}"
        if folder.name in blocks:
            plan = folder.parent / (folder.name + ".plan.json")
            problem = planned(nestwarp, board.HERE / "kernels" / f"{kernel}.c", kernel, kind, options, blocks[folder.name], plan)
            if problem:
                return problem
            options = [*options, "--plan", str(plan)]
        return board.generate(nestwarp, kernel, kind, folder, options)
    return make


def single_points(tile, block):
    """The tile with a point for each thread of the block, strips as long as the block is wide, and nothing else."""
    return {**tile, "block": list(block), "threadTile": [1, 1], "contiguous": [1, 1], "stripLength": block[0] if tile.get("strip") else 0, "stages": 1, "prefetch": 0,
            "tail": "guard", "vectorBytes": 0, "profitableFrom": 0, "minBlocksPerSm": 1}


def planned(nestwarp, source, kernel, kind, options, block, path):
    """Writes the proposed plan with another block for kernels of two dimensions; returns what is amiss, or nothing."""
    found = []
    for stage in ("plan", "facts"):
        done = subprocess.run([nestwarp, "compile", "-q", str(source), "--function", kernel, f"-DDATA_TYPE={kind}", *options, f"--emit={stage}"], capture_output=True, text=True)
        if done.returncode != 0:
            return f"nestwarp: {done.stderr.strip()}"
        found.append(json.loads(done.stdout))
    plans, facts = found
    for plan, region in zip(plans, facts):
        for one, step in zip(plan["kernels"], region["steps"]):
            if len(one["grid"]) > 1 and step["kind"] == "parallel":
                one["block"] = list(block)
                one["tiles"] = [single_points(t, block) for t in one.get("tiles", [])[:1]]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(plans))
    return None


def entries(tables):
    """Programs of the folder, each variant of a kernel once, whatever tables it is in; and the blocks of those that have one."""
    found, blocks = {}, {}
    for _, kernels, variants in tables:
        for kernel in kernels:
            for variant in variants:
                one = board.entry(kernel, variant_key(variant), variant.options, board.PROGRAMS[kernel][2][:1], ["vendor", "hand", "naive"])
                found.setdefault(one["name"], one)
                if variant.block:
                    blocks[one["name"]] = variant.block
    return list(found.values()), blocks


def variant_key(variant):
    """What tells variants apart: options and block, not the name that a table gives them."""
    words = [o.lstrip("-") for o in variant.options] + (["block {}x{}".format(*variant.block)] if variant.block else [])
    return " ".join(words) or "all"


def write(arguments):
    folder = Path(arguments.folder)
    if folder.exists() and any(folder.iterdir()):
        board.fail(f"{folder} is there already")
    names = arguments.tables or list(TABLES)
    for name in names:
        if name not in TABLES:
            board.fail(f"no table '{name}'; there are {', '.join(TABLES)}")
    programs, blocks = entries([TABLES[name] for name in names])
    board.write_folder(folder, programs, arguments.nestwarp, [f"--device={arguments.device}"], generator(blocks, known_options(arguments.nestwarp)))


def cells(results, kernel, variant):
    for case in results["cases"]:
        if case.get("of") == kernel and case.get("variant") == variant_key(variant):
            return case
    return None


def table_text(results, name):
    """One of the tables, for what was measured of it; nothing where that is nothing."""
    title, kernels, variants = TABLES[name]
    lines = []
    for kernel in kernels:
        found = [(v, cells(results, kernel, v)) for v in variants]
        if not any(case for _, case in found):
            continue
        first = found[0][1] and board.time_of(found[0][1], "ours")
        for variant, case in found:
            took = case and board.time_of(case, "ours")
            shown = board.cell(case["columns"].get("ours")) if case else "–"
            floor = case.get("floor", {}).get("ms") if case else None
            lines.append(f"| {kernel} | {variant.name} | {shown} | {board.ratio(first, took)} | {f'{100 * floor / took:.0f} %' if floor and took else '–'} |")
    if not lines:
        return ""
    return f"## {title}\n\n| kernel | variant | ms | times as fast as the first | of the floor |\n|---|---|---:|---:|---:|\n" + "\n".join(lines) + "\n\n"


def tables(results):
    device = (results.get("device") or {}).get("name", "")
    facts = f"{results.get('date', '')}, {device}, commit {results.get('commit', '')}, medians.\n\n"
    return facts + "".join(table_text(results, name) for name in TABLES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("write", help="generate code and write the folder")
    p.add_argument("folder")
    p.add_argument("--tables", nargs="*", help=f"of {', '.join(TABLES)}; all unless given")
    p.add_argument("--nestwarp", default=str(board.HERE.parent / "build" / "nestwarp"))
    p.add_argument("--device", default="h200")
    p = commands.add_parser("table", help="print results as tables")
    p.add_argument("results")
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments)
    else:
        print(tables(board.loaded(arguments.results)), end="")


if __name__ == "__main__":
    main()
