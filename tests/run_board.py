#!/usr/bin/env python3
"""The board (bench/board.py) without a GPU: what is written compiles, what was measured is shown, and a column that fails takes no other down."""
import json
import os
import sys
import xml.etree.ElementTree
from pathlib import Path
import board_columns
import board_pages
import harness
from harness import Failure, Skip

sys.path.insert(0, os.path.join(harness.ROOT, "bench"))
import ablation  # noqa: E402
import sweep  # noqa: E402
import sanitize  # noqa: E402
import tuning  # noqa: E402
import board  # noqa: E402

SAMPLE = os.path.join(harness.TESTS, "board", "results.json")
NVCC = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
BOARD = [sys.executable, os.path.join(harness.ROOT, "bench", "board.py")]


def written(scratch, *names):
    """A folder with these programs."""
    folder = os.path.join(scratch, "folder")
    done = harness.run([*BOARD, "write", folder, "--nestwarp", harness.NESTWARP, "--no-opencl", "--no-refusals", "--kernels", *names])
    return folder, done.err


def kernels_are_taken_whole(name):
    with harness.Scratch() as scratch:
        folder, said = written(scratch, name)
        program = json.loads(Path(folder, board.MANIFEST).read_text())["programs"][0]
        if program["problem"] or said:
            raise Failure(f"{program['problem']}\n{said}")
        kernel = board.PROGRAMS[name][0]
        if "(1 region)" not in Path(folder, "generated", name, "said.txt").read_text():
            raise Failure(Path(folder, "generated", name, "said.txt").read_text())
        for file in (f"generated/{name}/{kernel}.cu", f"generated/{name}/{kernel}.device.h", f"generated/{name}/adapter.cpp", f"kernels/{kernel}.cu",
                     "harness/board.cpp", "CMakeLists.txt", "kernels.txt", "board.py"):
            if not os.path.exists(os.path.join(folder, file)):
                raise Failure(f"{file} is not there")


def compiles(*sources):
    """Sources of a written folder, as the CMake project there compiles them."""
    if not NVCC:
        raise Skip("nvcc is not installed")
    with harness.Scratch() as scratch:
        folder, _ = written(scratch, "mv_double")
        for source in sources:
            done = harness.run([NVCC, "-arch=sm_90", "-Xcompiler=-Wall,-Wextra", '-DBOARD_NAME="mv_double"', "-DBOARD_REAL=double", "-Iharness", "-c", source,
                                "-o", os.path.join(scratch, "x.o")], cwd=folder)
            if done.out or done.err:
                raise Failure(f"{source}: {done.out}{done.err}")


def no_overwriting():
    with harness.Scratch() as scratch:
        Path(scratch, "mine").write_text("")
        done = harness.run([*BOARD, "write", scratch, "--nestwarp", harness.NESTWARP], check=False)
        if done.status == 0 or "is there already" not in done.err or len(os.listdir(scratch)) != 1:
            raise Failure(f"status {done.status}: {done.err}")


def ablation_written():
    """Variants are lists of options and blocks; those whose options this nestwarp does not have say so, and the others are there."""
    with harness.Scratch() as scratch:
        folder = Path(scratch, "folder")
        tables = [("", ["mm"], [ablation.Variant("default", []), ablation.Variant("patterns", ["--policy=patterns"]), ablation.Variant("none", ["--no-such-thing"])]),
                  ("", ["mm"], [ablation.Variant("as planned", []), ablation.Variant("small", [], (16, 4))])]
        programs, blocks = ablation.entries(tables)
        board.write_folder(folder, programs, harness.NESTWARP, [], ablation.generator(blocks, ablation.known_options(harness.NESTWARP)))
        found = {p["variant"]: p for p in json.loads((folder / board.MANIFEST).read_text())["programs"]}
        if set(found) != {"all", "policy=patterns", "no-such-thing", "block 16x4"}:
            raise Failure(f"other variants: {sorted(found)}")
        if [v for v, p in found.items() if p["problem"]] != ["no-such-thing"] or "has no --no-such-thing" not in found["no-such-thing"]["problem"]:
            raise Failure(str({v: p["problem"] for v, p in found.items()}))
        text = {v: (folder / "generated" / p["name"] / "mm.cu").read_text() for v, p in found.items() if not p["problem"]}
        if "__launch_bounds__(64)" not in text["block 16x4"] or "__launch_bounds__(64)" in text["all"]:
            raise Failure("the block is not the variant's")
        if text["policy=patterns"] == text["all"]:
            raise Failure("the policy makes no difference")


def ablation_table():
    def case(kernel, variant, took, **more):
        return {"of": kernel, "variant": variant, "label": "", "floor": {"ms": 1.0}, "columns": {"ours": {"median_ms": took, "right": True, **more}}}
    off = ablation.variant_key(ablation.Variant("", ablation.ALL_OFF))
    results = {"board": 1, "date": "today", "commit": "abc", "cases": [case("mv", off, 8.0), case("mv", "all", 2.0), case("mm", "block 8x8", 5.0, failure="no")]}
    text = ablation.tables(results)
    for line in ("| mv | direct | 8.000 | 1.00 | 12 % |", "| mv | staged | – | – | – |", "| mv | all | 2.000 | 4.00 | 50 % |", "| mm | blocks of 8 x 8 | failed | – | – |"):
        if line not in text:
            raise Failure(f"'{line}' is not there:\n{text}")
    if "hotspot" in text:
        raise Failure(f"a kernel without results is shown:\n{text}")


def sweep_written():
    """Plans next to the proposed one: each is taken, and makes other code than the others; what nestwarp refuses is left out."""
    with harness.Scratch() as scratch:
        folder = Path(scratch, "folder")
        done = harness.run([sys.executable, str(Path(board.HERE, "sweep.py")), "write", str(folder), "--kernels", "vecadd", "--nestwarp", harness.NESTWARP])
        found = {p["variant"]: p for p in json.loads((folder / board.MANIFEST).read_text())["programs"]}
        text = {v: (folder / "generated" / p["name"] / "vecadd.cu").read_text() for v, p in found.items()}
        if not {sweep.PICK, "threadTile [2]", "block [128]"} <= set(found) or len(set(text.values())) != len(text):
            raise Failure(f"plans: {sorted(found)}, {len(set(text.values()))} different ones\n{done.out}{done.err}")
        if any(p["problem"] for p in found.values()) or len((folder / "kernels.txt").read_text().splitlines()) != len(found):
            raise Failure("a plan that was refused is there")


def sweep_table():
    def case(variant, took):
        return {"of": "mm", "variant": variant, "columns": {"ours": {"median_ms": took, "right": True}}}
    text = sweep.table({"board": 1, "cases": [case("block [8]", 3.0), case(sweep.PICK, 4.0), case("block [4]", 2.0)]}, most=1)
    if "| mm | as planned | 4.000 | 1.00 |\n| mm | block [4] | 2.000 | 2.00 |\n" not in text or "block [8]" in text:
        raise Failure(text)


def tuning_table():
    """A winner is faster by more than the spread; pairs whose times are the same do not count, and a plan that the model does not know does not either."""
    def case(name, final, *candidates):
        return {"program": name, "verdict": "same", "final": {str(c): {"ms": ms, "spread": spread} for c, ms, spread in final},
                "candidates": [{"candidate": c, "ms": ms, "predicted_ms": said} for c, (ms, said) in enumerate(candidates)]}
    found = {"measured_on": "a device", "with": "a driver", "date": "today", "commit": "abc", "cases": [
        case("mm", [(0, 2.0, 0.01), (1, 1.0, 0.02)], (2.0, 2.0), (1.0, 1.5), (1.02, 9.0), (4.0, None)),
        case("mv", [(0, 1.0, 0.2), (2, 0.9, 0.01)], (1.0, 4.0), (3.0, 5.0), (0.9, 6.0)),
        {"program": "gauss", "verdict": "DIFFERENT", "final": {}, "candidates": []}]}
    text = tuning.table_text(found)
    for line in ("| mm | 2 | 1 | 2.00 | 2.0 % | 3 | 2 | 1.00 | 1.00 | 1 of 2 |", "| mv | 1 | 1 | 1.00 | 20.0 % | 2 | 4 | 0.25 | 1.11 | 1 of 3 |", "| gauss | DIFFERENT |",
                 "Predicted within 30 %: 1 of 2. The model's pick within 25 % of the fastest: 2 of 2.", "2 of 5, 40 %."):
        if line not in text:
            raise Failure(f"{line}\n{text}")


def sanitizer_verdicts():
    """Only a summary without findings is clean: what was cut off has none."""
    for tool, text, expected in (("memcheck", "========= ERROR SUMMARY: 0 errors", "clean"), ("memcheck", "========= ERROR SUMMARY: 12 errors", "ERROR SUMMARY: 12 error"),
                                 ("racecheck", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", "clean"),
                                 ("racecheck", "========= RACECHECK SUMMARY: 3 hazards displayed (3 errors, 0 warnings)", "RACECHECK SUMMARY: 3 hazard"), ("racecheck", "========= COMPUTE-SANITIZER", "no summary")):
        if sanitize.verdict(tool, text) != expected:
            raise Failure(f"{tool}: {text}: {sanitize.verdict(tool, text)}")
    results = {"commit": "abc", "date": "today", "smi": {}, "cases": [{"label": "mv 8192", "tool": "memcheck", "said": "clean", "right": ["ours", "ours_tuned"]},
                                                                  {"label": "mv 8192", "tool": "racecheck", "said": "no summary", "right": []}]}
    if "| mv 8192 | ours, ours, tuned | clean | no summary |" not in sanitize.table_text(results):
        raise Failure(sanitize.table_text(results))


def regions_in_order():
    """A function of two regions, one of them with renamed parameters."""
    source = "void f(int n, const DATA_TYPE A[n][n],\n       DATA_TYPE y1[n], float s) {\n}\n"
    host = "int nw_f_f_0(void *A, int n);\n#line 1\nvoid f() { { if (!nw_f_f_0((void *)(A), n)) {} }\n if (!nw_f_f_1((void *)(&y1[(0)]), (s))) {} }"
    text = board.adapter("f", "double", source, host)
    first, second = text.find("nw_f_f_0_on_device((void *)(A), n, stream)"), text.find("nw_f_f_1_on_device((void *)(&y1[(0)]), (s), stream)")
    if not 0 < first < second or '"ippf"' not in text or "board_ours(int n, const double *A, double *y1, float s, void *stream)" not in text:
        raise Failure(text)


def table():
    done = harness.run([*BOARD, "table", SAMPLE])
    expected = Path(harness.TESTS, "board", "table.md").read_text()
    if done.out != expected:
        raise Failure(f"tests/board/table.md holds something else (bench/board.py table tests/board/results.json > tests/board/table.md):\n{done.out}")


def drawing():
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "board.svg")
        harness.run([*BOARD, "draw", SAMPLE, "-o", path])
        root = xml.etree.ElementTree.parse(path).getroot()
        words = " ".join(e.text or "" for e in root.iter() if e.tag.endswith("text"))
        for text in ("mv 8192", "0.0800 ms, 79 %", "wrong", "failed", "hand-written", "200 %", "Made-up GPU"):
            if text not in words:
                raise Failure(f"'{text}' is not drawn: {words}")
        width = float(root.get("width"))
        for bar in (e for e in root.iter() if e.tag.endswith("rect") and e.get("x")):
            if float(bar.get("x")) + float(bar.get("width")) > width:
                raise Failure("a bar leaves the picture")
        if "prefers-color-scheme: dark" not in Path(path).read_text():
            raise Failure("no colors for a dark page")


def bad_results():
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "results.json")
        for text, words in (("{", "results.json: "), ("[]", "holds no results"), ('{"board": 7}', "holds no results")):
            Path(path).write_text(text)
            done = harness.run([*BOARD, "table", path], check=False)
            if done.status == 0 or words not in done.err or "Traceback" in done.err:
                raise Failure(f"{text}: {done.err}")


# A program like those of the board, whose generated code behaves in one of several ways.
PROGRAM = """#!%s
import json, os, sys, time
how = %r
columns = [c for c in ("naive", "hand", "ours") if not ("--without" in sys.argv and c in sys.argv)]
say = lambda **line: print(json.dumps(line), flush=True)
say(floor={"ms": 1.0}, copy_gb_per_s=4000, device={"name": "none"})
for c in columns:
    say(begin=c)
    if c == "ours" and how == "crash":
        os.abort()
    if c == "ours" and how == "hang":
        time.sleep(60)
    if c == "ours" and how == "lost":
        say(column=c, failure="an illegal address")
        sys.exit(3)
say(begin="rounds")
if how == "late" and "ours" in columns:
    os.abort()
if how == "all":
    os.abort()
for c in columns:
    say(column=c, how="", median_ms=2.0, right=not (c == "ours" and how == "wrong"), error=1, tolerance=0, measure="m", repeats=3, spread=0)
say(end=True)
"""
OURS = {"right": "2.000", "wrong": "wrong", "crash": "failed", "hang": "failed", "lost": "failed", "late": "failed"}


def neighbours(how):
    """A folder whose program misbehaves is run as far as it goes; the status tells."""
    with harness.Scratch() as scratch:
        program = os.path.join(scratch, "program")
        Path(program).write_text(PROGRAM % (sys.executable, how))
        os.chmod(program, 0o755)
        facts, columns = board.measure([program, "100"], 2)
        case = {**facts, "columns": columns}
        if how == "all":
            if "failure" not in facts or board.is_right(case):
                raise Failure(f"{case}")
            return
        shown = [board.cell(columns.get(c)) for c in ("naive", "hand", "ours")]
        if shown != ["2.000", "2.000", OURS[how]] or board.is_right(case) != (how == "right") or "failure" in facts:
            raise Failure(f"{case}")


def run_tells():
    """`run` goes on when a program was not built, writes what it knows, and ends with a status."""
    with harness.Scratch() as scratch:
        target = Path(scratch, "build")
        target.mkdir()
        programs = [{"name": n, "kernel": n, "type": "float", "sizes": [[100]], "problem": None} for n in ("missing", "mv")]
        Path(scratch, board.MANIFEST).write_text(json.dumps({"commit": "c", "options": [], "programs": programs}))
        Path(target, "mv").write_text(PROGRAM % (sys.executable, "right"))
        os.chmod(Path(target, "mv"), 0o755)
        every = harness.run([*BOARD, "run", scratch, "--built"], check=False)
        alone = harness.run([*BOARD, "run", scratch, "--built", "--kernels", "mv"], check=False)
        if every.status != 1 or "1 of 2 cases not as expected: missing 100" not in every.out or alone.status != 0:
            raise Failure(f"status {every.status}, then {alone.status}\n{every.out}{every.err}{alone.out}{alone.err}")
        missing = Path(target, "missing")
        missing.write_text(PROGRAM % (sys.executable, "right"))
        os.chmod(missing, 0o755)
        Path(target, "mv").unlink()  # it would not run again
        rest = harness.run([*BOARD, "run", scratch, "--built", "--append"], check=False)
        labels = [c["label"] for c in board.loaded(Path(scratch, board.RESULTS))["cases"]]
        if rest.status != 0 or labels != ["missing 100", "mv 100"] or "mv 100:" in rest.out:
            raise Failure(f"status {rest.status}, {labels}\n{rest.out}{rest.err}")
        if "mv 100" not in board.table_text(board.loaded(Path(scratch, board.RESULTS))):
            raise Failure("the results do not show mv")


def cases(arguments):
    cases = [(f"taken whole: {name}", lambda name=name: kernels_are_taken_whole(name)) for name in board.PROGRAMS]
    cases += [("generated code compiles", lambda: compiles("generated/mv_double/mv.cu", "generated/mv_double/adapter.cpp")),
              ("a program compiles", lambda: compiles("kernels/mv.cu")), ("no overwriting", no_overwriting), ("regions in order", regions_in_order),
              ("table", table), ("drawing", drawing), ("bad results", bad_results), ("run tells", run_tells),
              ("variants are written", ablation_written), ("tables of variants", ablation_table), ("plans of a sweep", sweep_written), ("table of a sweep", sweep_table), ("table of tuning", tuning_table), ("what a sanitizer said", sanitizer_verdicts)]
    cases += [(f"neighbours go on: {how}", lambda how=how: neighbours(how)) for how in (*OURS, "all")]
    cases += board_columns.cases(arguments) + board_pages.CASES
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("board")
