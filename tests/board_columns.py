"""The board's kernels and columns: right on PoCL, all columns right on the CPU, plans and refusals in what is written."""
import json
import os
import sys
import tempfile
from pathlib import Path
import board_on_cpu
import harness
from harness import Failure, Skip

sys.path.insert(0, os.path.join(harness.ROOT, "bench"))
import board  # noqa: E402

BOARD = [sys.executable, os.path.join(harness.ROOT, "bench", "board.py")]
# Sizes that no block divides; floating-point parameters where made-up ones would lead out of an array.
CHECKED = {
    "conv2d": ["m=131", "n=67"], "radpath": ["m=33", "n=17", "sourceX=8.3", "sourceY=7.9", "sourceZ=20", "pitch=0.5"], "nms": ["m=67", "n=131"], "mriq": ["m=37", "n=131"],
    "mrifhd": ["m=37", "n=131"], "cp": ["m=33", "n=67", "atoms=19"], "fdtd2d": ["n=67", "steps=3"], "lbm": ["m=33", "n=67", "rounds=2"], "tpacf": ["n=131", "bins=32"],
    "sad": ["rows=3", "columns=5"], "rc5": ["n=1031"], "fem": ["n=131", "neighbours=27"], "rpes": ["n=33", "primitives=3"], "pns": ["n=131", "places=7", "transitions=5", "steps=50"],
}
# For programs on the CPU: a size for each of the forms that a kernel has.
SMALL = {
    "conv2d": [(35, 131)], "radpath": [(33, 17)], "nms": [(37, 128), (35, 67)], "mriq": [(257, 515)], "mrifhd": [(257, 515)], "cp": [(5, 1030, 131)], "fdtd2d": [(67, 4), (64, 3)], "lbm": [(19, 37, 4)],
    "tpacf": [(300, 32), (131, 9)], "sad": [(2, 3)], "rc5": [(1031,)], "fem": [(300, 27), (131, 5)], "rpes": [(33, 3)], "pns": [(131, 7, 5, 50)],
}
MISTAKES = {"nms": ("2.414", "1.414")}
QUICK = ("nms",)  # always; the others where "on the CPU" is asked for: each takes some ten seconds to build


def right_on_pocl(name):
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    sizes = [word for size in CHECKED[name] for word in ("--size", size)]
    done = harness.run([harness.NESTWARP, "check", os.path.join(harness.ROOT, "bench", "kernels", f"{name}.c"), "--function", name, "--device=h200", *sizes], check=False)
    if done.status or f"{name}: same" not in done.out:
        raise Failure(done.out + done.err)


def for_small_sizes(value):
    """A plan whose forms for large launches are used for all."""
    if isinstance(value, dict):
        return {k: 1 if k in ("vectorsFrom", "windowsFrom") else for_small_sizes(v) for k, v in value.items()}
    return [for_small_sizes(v) for v in value] if isinstance(value, list) else value


def columns_on_cpu(name):
    """All columns of a program, with a plan whose wide forms are used at small sizes as the tuned one."""
    with tempfile.TemporaryDirectory() as scratch:
        plans, folder, target = Path(scratch, "plans"), Path(scratch, "folder"), Path(scratch, "build")
        plans.mkdir(), target.mkdir()
        source = os.path.join(harness.ROOT, "bench", "kernels", f"{name}.c")
        harness.run([harness.NESTWARP, "compile", source, "--function", name, "--device=h200", "--plan-out", str(plans / f"{name}.json"), "-o", str(plans / "x.cu")])
        (plans / f"{name}.json").write_text(json.dumps(for_small_sizes(json.loads((plans / f"{name}.json").read_text()))))
        harness.run([*BOARD, "write", str(folder), "--nestwarp", harness.NESTWARP, "--no-refusals", "--kernels", name, "--plans", str(plans)])
        try:
            program = board_on_cpu.build(folder, name, name, "float", target)
        except board_on_cpu.run_on_cpu.BuildError as e:
            raise Failure(str(e))
        for sizes in SMALL[name]:
            out, said, status = board_on_cpu.run(program, sizes, order=1)
            columns, wrong = found_in(out)
            if status or wrong or not {"naive", "ours", "ours_tuned", "ours_opencl"} <= columns:
                raise Failure(f"{sizes}: status {status}, wrong: {wrong}\n{out[-3000:]}{said[-1500:]}")
        if name in MISTAKES:
            mistake_is_seen(name, folder, target)


def found_in(out):
    """The columns that a program told of, and those that are wrong or failed."""
    lines = {line["column"]: line for line in map(json.loads, out.splitlines()) if "column" in line}
    return set(lines), [c for c, line in lines.items() if "failure" in line or not line["right"]]


def mistake_is_seen(name, folder, target):
    """Generated code that computes something else is told apart, and takes no other column along."""
    generated = folder / "generated" / name / f"{name}.cu"
    text = generated.read_text()
    generated.write_text(text.replace(*MISTAKES[name]))
    if generated.read_text() == text:
        raise Failure(f"the generated code has no {MISTAKES[name][0]}")
    out, _, status = board_on_cpu.run(board_on_cpu.build(folder, name, name, "float", target, only="ours"), SMALL[name][0])
    _, wrong = found_in(out)
    if status != 1 or wrong != ["ours"]:
        raise Failure(f"status {status}, wrong: {wrong}\n{out}")


def plans_and_refusals():
    """A plan that does not fit costs its column only; what is refused is in the manifest, in nestwarp's words."""
    with harness.Scratch() as scratch:
        plans, folder = Path(scratch, "plans"), Path(scratch, "folder")
        plans.mkdir()
        (plans / "saxpy.json").write_text("{")
        done = harness.run([*BOARD, "write", str(folder), "--nestwarp", harness.NESTWARP, "--kernels", "saxpy", "--plans", str(plans)])
        manifest = json.loads((folder / board.MANIFEST).read_text())
        program = manifest["programs"][0]
        if program["problem"] or set(program.get("problems", {})) != {"ours_tuned"} or "ours_tuned" not in done.err:
            raise Failure(f"{program}\n{done.err}")
        for file in ("opencl/CL/cl.h", "generated/saxpy/opencl/saxpy.cl.c", "generated/saxpy/opencl/adapter.cpp", "harness/opencl_side.cpp"):
            if not (folder / file).exists():
                raise Failure(f"{file} is not there")
        codes = {r["name"]: r["words"][-8:] for r in manifest["refusals"]}
        expected = {"fem_scatter": "[NW0201]", "pns_shared": "[NW0201]", "rpes_order": "[NW0106]", "tpacf_histogram": "[NW0201]"}
        if codes != expected:
            raise Failure(f"refused: {codes}")
        text = board.table_text({"date": "today", "commit": "c", "cases": [], "refusals": manifest["refusals"]})
        if "| tpacf_histogram: TPACF as it is usually written" not in text or "each iteration needs the one before it" not in text:
            raise Failure(text)


def blamed_one_by_one():
    """A crash while columns take turns: OpenCL's is left out first, then the tuned one, then ours; the others are measured."""
    def run(command, limit):
        columns = [c for c in ("naive", "ours", "ours_tuned", "ours_opencl") if c not in command]
        lines = [{"floor": {"ms": 1}}, *({"begin": c} for c in columns), {"begin": "rounds"}]
        if "ours_tuned" in columns:
            return lines, "killed"
        return lines + [{"column": c, "median_ms": 1.0, "right": True} for c in columns] + [{"end": True}], ""
    _, columns = board.measure(["program"], 1, run)
    failed = {c for c, line in columns.items() if "failure" in line}
    if failed != {"ours_opencl", "ours_tuned"} or board.cell(columns["ours"]) != "1.000":
        raise Failure(str(columns))


def cases(arguments):
    found = [(f"right on PoCL: {name}", lambda name=name: right_on_pocl(name)) for name in CHECKED]
    asked = any("CPU" in word for word in arguments)
    found += [(f"columns on the CPU: {name}", lambda name=name: columns_on_cpu(name)) for name in SMALL if asked or name in QUICK]
    return found + [("plans and refusals", plans_and_refusals), ("blamed one by one", blamed_one_by_one)]
