#!/usr/bin/env python3
"""tests/programs and the board's kernels under oclgrind, which simulates OpenCL and reports data races and accesses outside of buffers.

With the plan that is proposed for the H200, but its forms made small, so that a few rows and columns launch them: tiles, fused and block reductions, wide points
and windows. Results are compared with the original's, too."""
import copy
import glob
import json
import os
import re
import harness
import translations
from harness import Failure, Skip

LIBRARIES = ("/usr/lib/oclgrind/liboclgrind-rt-icd.so",)
SIZES = (13, 11, 9, 10, 12)  # different ones, no multiples of anything
TIME = ("tsteps", "tmax", "steps")
# Kernels with very many operations for each element, which take oclgrind long.
FEWER = {"rpes": 5, "cp": 5}


def small(plans, dropped=0):
    """The plans for small sizes, without the first block reductions of kernels that have several."""
    for kernel in (k for plan in plans for k in plan["kernels"]):
        if forms := kernel.get("blockReductions"):
            del forms[:min(dropped, len(forms) - 1)]
            forms[0]["profitableFrom"] = 0
        if "fuse" in kernel:
            kernel["fuse"].update({"block": 32, "columns": 2, "rows": 2, "blocks": 3, "profitableFrom": [0, 0]})
        for name in ("vectorsProfitableFrom", "windowsProfitableFrom"):
            if name in kernel:
                kernel[name] = 1
        for tile in kernel.get("tiles", []):
            is_turned, is_wide = tile["threadTile"][0] == 1, tile.get("tail", "guard") != "guard"
            tile.update({"block": [2 if is_wide else 4, 2], "contiguous": [1 if is_turned else 2, 1], "profitableFrom": 0})
            tile["threadTile"] = [1 if is_turned else 4 if is_wide else 2, 2 if is_turned or is_wide else 4]
            if tile.get("strip"):
                tile["stripLength"] = 4 if is_wide else 3
            for array in tile["staged"]:
                array["padding"] = min(array.get("padding", 0), 4 if is_wide else 1)
    return plans


def check(path, library):
    name, text = os.path.basename(path)[:-2], open(path).read()
    parameters = re.search(r"^void %s\((.*?)\)\s*\{" % name, text, re.M | re.S).group(1).split(",")
    sizes = [m.group(1) for p in parameters if (m := re.fullmatch(r"\s*int (\w+)\s*", p))]
    plans = json.load(open(os.path.join(translations.for_h200(path), "plan.json")))
    forms = max((len(k.get("blockReductions", [])) for plan in plans for k in plan["kernels"]), default=0)
    for dropped in range(max(forms, 1)):
        run(path, library, name, text, sizes, small(copy.deepcopy(plans), dropped))


def run(path, library, name, text, sizes, plans):
    with harness.Scratch() as workdir:
        with open(os.path.join(workdir, "plan.json"), "w") as f:
            json.dump(plans, f)
        os.mkdir(os.path.join(workdir, "vendors"))
        with open(os.path.join(workdir, "vendors", "oclgrind.icd"), "w") as f:
            f.write(library + "\n")
        log = os.path.join(workdir, "log")
        line = [harness.NESTWARP, "check", "-q", path, "--device=h200", "--plan",
                os.path.join(workdir, "plan.json")]
        for size, value in zip(sizes, SIZES):
            value = min(value, 3) if size in TIME else value - FEWER.get(name, 0)
            line += ["--size", f"{size}={value}"]
        for array, value in re.findall(r"^// extent: (\w+) (.*)$", text, re.M):
            line += ["--extent", f"{array}={value}"]
        env = {"OCL_ICD_VENDORS": os.path.join(workdir, "vendors"), "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": log}
        done = harness.run(line, env=env, limit=240, check=False)
        found = open(log).read().strip() if os.path.exists(log) else ""
        if missing := re.search(r"Undefined external function: (llvm\.\w+\.\w+)", done.out + done.err + found):
            raise Skip(f"this oclgrind does not know {missing.group(1)}")
        if done.status != 0 or f"{name}: same" not in done.out or found:
            raise Failure(f"status {done.status}: {' '.join(line)}\n{done.out[-800:]}{done.err[-800:]}{found[:1500]}")


def cases(arguments):
    library = next((l for l in LIBRARIES if os.path.exists(l)), None)

    def case(path):
        if not library:
            raise Skip("there is no oclgrind (Debian: oclgrind)")
        check(path, library)
    paths = sorted(glob.glob(os.path.join(harness.TESTS, "programs", "*.c")) + glob.glob(os.path.join(harness.ROOT, "bench", "kernels", "*.c")))
    cases = [(os.path.relpath(p, harness.ROOT), lambda p=p: case(p)) for p in paths if harness.chosen(arguments, p)]
    return cases


if __name__ == "__main__":
    harness.main("races")
