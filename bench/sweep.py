#!/usr/bin/env python3
"""How much the planner leaves: the board's kernels with plans next to the proposed one, one decision changed at a time.

    bench/sweep.py write DIR [--kernels NAME ...]      here: code of every plan, in a folder of the board
    python3 DIR/board.py run DIR                       on the GPU machine: builds and runs it, writes DIR/results.json
    bench/sweep.py table results.json                  prints, for each kernel, the proposed plan and the best ones

Plans that nestwarp refuses are left out, with its words on stderr. What is varied: NEIGHBOURS."""
import argparse
import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path
import board

PICK = "as planned"


def scaled(values, at, by):
    """The list with one of its numbers multiplied; nothing where that is no whole number."""
    number = values[at] * by
    return [*values[:at], int(number), *values[at + 1:]] if number >= 1 and number == int(number) else None


def tile_changes():
    """Field, position where it is a list, and factor or value."""
    for field in ("threadTile", "block"):
        for at in (0, 1):
            for by in (0.5, 2):
                yield field, at, by
    for by in (0.5, 2):
        yield "stripLength", None, by
    yield "prefetch", None, None
    for many in (1, 2, 3):
        yield "minBlocksPerSm", None, many
    yield "padding", None, None


def tile_neighbours(kernel):
    """Each field of the first form; the other forms are dropped, so that the changed one is what runs."""
    for field, at, by in tile_changes():
        one = copy.deepcopy(kernel)
        tile = one["tiles"][0]
        one["tiles"] = [tile]
        if at is not None:
            tile[field] = scaled(tile[field], at, by)
            if tile[field] is None:
                continue
            tile["contiguous"] = [min(c, t) for c, t in zip(tile["contiguous"], tile["threadTile"])]
        elif field == "stripLength":
            if not tile.get("strip") or tile["stripLength"] * by != int(tile["stripLength"] * by):
                continue
            tile["stripLength"] = int(tile["stripLength"] * by)
        elif field == "prefetch":
            if not tile.get("strip"):
                continue
            tile["prefetch"] = 1 - tile.get("prefetch", 0)
        elif field == "minBlocksPerSm":
            if tile.get("minBlocksPerSm", 1) == by:
                continue
            tile["minBlocksPerSm"] = by
        else:
            for array in tile["staged"]:
                array["padding"] = 0 if array.get("padding") else 4
        yield f"tiles: {field} {tile[field] if field in tile else 'turned round'}", one


def window_neighbours(kernel):
    for field in ("threadTile", "windowTile"):
        if not kernel.get(field):
            continue
        for at in range(len(kernel[field])):
            for by in (0.5, 2):
                one = copy.deepcopy(kernel)
                one[field] = scaled(kernel[field], at, by)
                if one[field]:
                    yield f"{field} {one[field]}", one
    if kernel.get("vectorBytes"):
        one = copy.deepcopy(kernel)
        one.update(vectorBytes=kernel["vectorBytes"] // 2)
        yield f"vectorBytes {one['vectorBytes']}", one


def reduction_neighbours(kernel):
    for n, form in enumerate(kernel["blockReductions"]):
        for at in range(len(form["block"])):
            for by in (0.5, 2):
                one = copy.deepcopy(kernel)
                one["blockReductions"][n]["block"] = block = scaled(form["block"], at, by)
                if block:
                    yield f"reduction{n + 1 if n else ''} over {block}", one


def block_neighbours(kernel):
    for at in range(len(kernel["block"])):
        for by in (0.5, 2):
            one = copy.deepcopy(kernel)
            one["block"] = scaled(kernel["block"], at, by)
            if one["block"]:
                yield f"block {one['block']}", one


def neighbours(plans, kinds):
    """(what is different, plans): one decision of all kernels that have it. Kernels whose decisions are alike change together."""
    found = {}
    for p, plan in enumerate(plans):
        for k, kernel in enumerate(plan["kernels"]):
            if kinds[p][k] != "parallel":
                continue
            changed = list(tile_neighbours(kernel)) if kernel.get("tiles") else list(reduction_neighbours(kernel)) if kernel.get("blockReductions") else [*window_neighbours(kernel), *block_neighbours(kernel)]
            for what, one in changed:
                found.setdefault(what, copy.deepcopy(plans))[p]["kernels"][k] = one
    return list(found.items())


def proposed(nestwarp, program, options):
    kernel, kind, _ = board.PROGRAMS[program]
    source = board.HERE / "kernels" / f"{kernel}.c"
    found = []
    for stage in ("plan", "facts"):
        done = subprocess.run([nestwarp, "compile", "-q", str(source), "--function", kernel, f"-DDATA_TYPE={kind}", *options, f"--emit={stage}"], capture_output=True, text=True)
        if done.returncode != 0:
            board.fail(f"{program}: {done.stderr.strip()}")
        found.append(json.loads(done.stdout))
    return found[0], [[step["kind"] for step in region["steps"]] for region in found[1]]


def write(arguments):
    folder = Path(arguments.folder)
    if folder.exists() and any(folder.iterdir()):
        board.fail(f"{folder} is there already")
    options = [f"--device={arguments.device}"]
    entries = []
    plans_folder = folder / "plans"
    plans_folder.mkdir(parents=True)
    left_out = ["naive", "vendor", "hand"]
    for program in board.chosen(arguments.kernels, board.PROGRAMS):
        sizes = board.PROGRAMS[program][2][:1]
        entries.append(board.entry(program, PICK, [], sizes, left_out))
        for number, (what, plans) in enumerate(neighbours(*proposed(arguments.nestwarp, program, options))):
            path = plans_folder / f"{program}{number}.json"
            path.write_text(json.dumps(plans, indent=1) + "\n")
            entries.append(board.entry(program, what, ["--plan", str(path)], sizes, left_out))
    board.write_folder(folder, entries, arguments.nestwarp, options)
    manifest = json.loads((folder / board.MANIFEST).read_text())
    dropped = [p for p in manifest["programs"] if p["problem"]]
    manifest["programs"] = [p for p in manifest["programs"] if not p["problem"]]
    (folder / board.MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    (folder / "kernels.txt").write_text("".join(f"{p['name']} {p['kernel']} {p['type']}\n" for p in manifest["programs"]))
    for one in dropped:
        shutil.rmtree(folder / "generated" / one["name"], ignore_errors=True)
    print(f"sweep.py: {len(manifest['programs'])} plans, {len(dropped)} refused")


def table(results, most=5):
    by_program = {}
    for case in results["cases"]:
        if time := board.time_of(case, "ours"):
            by_program.setdefault(case["of"], []).append((time, case["variant"]))
    lines = ["| kernel | plan | ms | times as fast as planned |", "|---|---|---:|---:|"]
    for program, times in by_program.items():
        pick = next((t for t, variant in times if variant == PICK), None)
        others = sorted(t for t in times if t[1] != PICK)[:most]
        for time, variant in ([(pick, PICK)] if pick else []) + others:
            lines.append(f"| {program} | {variant} | {board.digits(time)} | {board.ratio(pick, time)} |")
    device = (results.get("device") or {}).get("name", "")
    return f"{results.get('date', '')}, {device}, commit {results.get('commit', '')}, medians.\n\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("write", help="generate code and write the folder")
    p.add_argument("folder")
    p.add_argument("--kernels", nargs="*", help=f"of {', '.join(board.PROGRAMS)}; all unless given")
    p.add_argument("--nestwarp", default=str(board.HERE.parent / "build" / "nestwarp"))
    p.add_argument("--device", default="h200")
    p = commands.add_parser("table", help="print results as a table")
    p.add_argument("results")
    p.add_argument("--most", type=int, default=5, help="plans of a kernel that are shown beside the proposed one")
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments)
    else:
        print(table(board.loaded(arguments.results), arguments.most), end="")


if __name__ == "__main__":
    main()
