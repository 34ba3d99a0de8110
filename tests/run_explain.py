#!/usr/bin/env python3
"""nestwarp explain against what is counted by running: accesses of warps, transactions and bank conflicts of the emitted
CUDA text, as tests/emulation counts them, have to be those that explain computes without running anything. With all warps
and iterations (--samples=0) the numbers are the same; with the few that are looked at by default they are near.

And the model of registers against ptxas, where nvcc is installed."""
import json
import os
import harness
from harness import Failure, Skip
from run_emulation import Program, emulated, in_step_of

# Program, sizes.
EXACT = [("gemm", (35, 37, 36)), ("atax", (38, 67)), ("mvt", (70,)), ("trmm", (37, 35)), ("syrk", (40, 33)), ("jacobi_2d", (2, 37)), ("heat_3d", (2, 18)), ("doitgen", (9, 10, 33)),
         ("covariance", (33, 20)), ("deriche", (20, 33)), ("bicg", (40, 70)), ("gesummv", (35,)), ("lu", (21,)), ("gramschmidt", (35, 9))]
# Kernels of the board (bench/kernels), and loops with strides and offsets of all kinds.
BOARD = [("vecadd", (100,)), ("saxpy", (70,)), ("mv", (38, 67)), ("tmv", (38, 67)), ("mvt", (40,)), ("atax", (35, 40)), ("mt", (35, 70)), ("mm", (35, 37, 36)), ("gauss", (23,)), ("hotspot", (37, 2))]
STRIDES = (1, 2, 3, 8, 17, 32, 33)
SAMPLED = [("gemm", (70, 66, 40), 0.1), ("atax", (130, 70), 0.1), ("jacobi_2d", (3, 70), 0.15), ("trmm", (70, 70), 0.1)]
BOUNDS = [("floyd_warshall", (40,)), ("nussinov", (24,))]  # data decide which side of a choice is loaded: explain counts both
LOCAL = {"gramschmidt": lambda sizes: {"cols": min(sizes["m"], sizes["n"])}}  # sizes that a function computes for itself


def explained(path, function, sizes, *more):
    line = [harness.NESTWARP, "explain", "-q", path, "--function", function, "--format=json", "--no-alternatives", *more]
    for name, value in sizes.items():
        line += ["--size", f"{name}={value}"]
    return json.loads(harness.run(line).out)


@harness.once
def without_grid_barrier():
    """The H200 as the emulation has it: no cooperative grid, but exchanges within warps."""
    with open(os.path.join(harness.ROOT, "src", "device", "catalogue", "h200.json")) as f:
        device = json.load(f)
    device.update(name="h200-without-grid-barrier", gridBarrierMicroseconds=0)
    path = os.path.join(harness.shared_scratch(), "h200-without-grid-barrier.json")
    with open(path, "w") as f:
        json.dump(device, f)
    return path


def sums(explanation):
    """Warp accesses and transactions by kernel, array and kind of access."""
    found = {}
    for region in explanation["regions"]:
        for kernel in region["kernels"]:
            for t in kernel["totals"]:
                found[kernel["name"], t["array"], t["access"]] = (t["warpAccesses"], t["transactions"])
    return found


def counts(path, sizes):
    """What the emulation counts: warp accesses and transactions of the function's own kernels."""
    _, _, program = in_step_of(path)
    with harness.Scratch() as scratch:
        table = os.path.join(scratch, "counts.json")
        emulated([program, *map(str, sizes)], 0, NESTWARP_EMULATION_PROCESSORS=0,
                 NESTWARP_EMULATION_COUNTS=table)
        rows = json.load(open(table))
    own = Program(path).name + "_"
    return {(r["kernel"], r["array"].removesuffix("_nw"), r["access"]):
            (r["warp_accesses"], r["cycles" if r["space"] == "shared" else "transactions"])
            for r in rows if r["access"] != "atomic" and r["array"] != "nw_barrier_state"
            and r["kernel"].startswith(own)}


def strided_source():
    """A nest for each stride, which reads, writes, or does both; and walks along rows and columns."""
    text = "void strided(int n, DATA_TYPE a[40 * n + 40], DATA_TYPE b[40 * n + 40], DATA_TYPE c[n][33], DATA_TYPE d[33][n]) {\n"
    for s in STRIDES:
        text += f"  for (int i = 0; i < n; i++)\n    a[{s} * i + {s % 5}] = b[i] + 1;\n"
        text += f"  for (int i = 0; i < n; i++)\n    b[i] = a[{s} * i + {s % 3}] * 2;\n"
        text += f"  for (int i = 0; i < n; i++)\n    b[{s} * (n - i)] = b[{s} * (n - i)] + 3;\n"
    text += "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < 33; j++)\n      c[i][j] = d[j][i];\n"
    text += "  for (int i = 0; i < n; i++)\n    d[i % 33][i] = c[i][i % 33];\n"
    return text + "}\n"


def compare_strides(sizes):
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "strided.c")
        with open(path, "w") as f:
            f.write(strided_source())
        compare("strided", sizes, 0, ["--samples=0"], path=path)


def compare(name, sizes, tolerance, samples, is_bound=False, path=None):
    path = path or os.path.join(harness.TESTS, "programs", name + ".c")
    counted = counts(path, sizes)
    given = dict(zip(Program(path).sizes, sizes))
    given.update(LOCAL.get(name, lambda _: {})(given))
    computed = sums(explained(path, name, given, "--device", without_grid_barrier(), "--registers=model", "-DDATA_TYPE=double", *samples))
    wrong = []
    for key in sorted(counted.keys() | computed.keys()):
        c, e = counted.get(key, (0, 0)), computed.get(key, (0, 0))
        far = (lambda x, y: not x <= y <= 2 * x) if is_bound else (lambda x, y: abs(x - y) > tolerance * max(abs(x), 1))
        if any(far(x, y) for x, y in zip(c, e)):
            wrong.append(f"{' '.join(key)}: counted {c}, explained {e}")
    if not counted:
        raise Failure("nothing was counted")
    if wrong:
        raise Failure("\n".join(wrong))


def registers():
    """The model of registers, kernel by kernel: off by 16 at most in nine of ten, by 6.5 on average."""
    if not harness.tool("nvcc", "/usr/local/cuda/bin/nvcc"):
        raise Skip("nvcc is not installed")
    off = []
    names = ["gemm", "atax", "fdtd_2d", "gramschmidt", "heat_3d", "jacobi_2d", "lu", "mvt", "symm",
             "trmm"] + ["covariance", "seidel_2d"] * harness.EVERYTHING
    for name in names:
        path = os.path.join(harness.TESTS, "programs", name + ".c")
        real, model = (explained(path, name, {}, *more) for more in ([], ["--registers=model"]))
        known = {k["name"]: k["registers"] for r in model["regions"] for k in r["kernels"]}
        for r in real["regions"]:
            for k in r["kernels"]:
                if k["registersFrom"] != "compiler":
                    raise Failure(f"{k['name']}: nvcc is there, but was not asked")
                off.append((abs(k["registers"] - known.get(k["name"], k["registers"])), k["name"]))
    mean = sum(o for o, _ in off) / len(off)
    far = [name for o, name in off if o > 16]
    if len(off) < 20 or mean > 6.5 or len(far) > len(off) / 10:
        raise Failure(f"{len(off)} kernels, {mean:.1f} registers off on average; more than 16: {far}")


# What the text of a program has to say, and what it must not: of tiles, of wide accesses, of reductions that threads share.
BOARD_WORDS = [
    ("mm", ["tiles of 64 along x, 8 values in each thread", "loop l (line 10): in each thread, in strips of 8, 1024 iterations", "A_tile in shared memory: a copy of what a tile reads of A",
            "2 x 8 x 132 elements, 4 of each row to avoid bank conflicts; copied again for every 8 values of l", "form taken mm_0_step0_tiles2: from 99 tiles of 64 x 128 on", "other form mm_0_step0_tiles4: from 66 tiles of 64 x 64 on", "other form mm_0_step0_tiles: from 198 tiles of 128 x 128 on, where (n % 4) == 0", "where A, B lie in memory at multiples of 16 bytes", "other form mm_0_step0: otherwise",
            "blocks copy their part to shared memory: B_tile", "instead, no tiles for step0", "instead, tiles of 128 x 128 for step0", "bottleneck: too few threads to hide latency"], [": bank conflicts"]),
    ("mt", ["A_tile in shared memory: a copy of what a tile reads of A", "64 x 65 elements, 1 of each row", "loop j (line 4): tiles of 64 along y, 8 values in each thread", "form taken mt_0_step0_tiles: from 33 tiles"], ["copied again"]),
    ("gauss", ["other form gauss_0_step0_wide: from", "points on, where (n % 4) == 0, where in, out lie in memory at multiples of 4 bytes", "other form gauss_0_step0_windows: from 2162688 points on", "form taken gauss_0_step0: otherwise"], []),
    ("vecadd", ["other form vecadd_0_step0_wide: from 270336 points on, where a, b, c lie in memory at multiples of 16 bytes", "4 values of i in a thread"], []),
    ("mv", ["other form mv_0_step0_block_reduction: from 4096 values of j on, for up to 4224 results: ", "form taken mv_0_step0_block_reduction2: from 128 values of j on: threads share the reduction", "instead, each thread reduces on its own in step0",
            "it adds up sum (line 10), which a row or a column of a block's threads shares"], []),
]
NEVER = ["_point", "_turn:", "_strip:", "loop nw_", "there is none yet", "not there yet", "elsewhere yet"]


def words(name, wanted, unwanted, *more):
    path = os.path.join(harness.ROOT, "bench", "kernels", name + ".c")
    text = harness.run([harness.NESTWARP, "explain", "-q", "--verbose", path, "--device=h200", "--registers=model", *more]).out
    missing = [w for w in wanted if w not in text]
    found = [w for w in unwanted + NEVER if w in text]
    if "reduction" not in "".join(wanted) and "partial results that the threads" in text:
        found.append("partial results")
    if missing or found:
        raise Failure(f"missing: {missing}; found: {found}\n{text}")


def cases(arguments):
    everything = ["--samples=0"]
    cases = [(f"counts of {name}", lambda name=name, sizes=sizes: compare(name, sizes, 0, everything)) for name, sizes in EXACT]
    cases += [(f"counts of {name}, of the board", lambda name=name, sizes=sizes: compare(name, sizes, 0, everything, path=os.path.join(harness.ROOT, "bench", "kernels", name + ".c"))) for name, sizes in BOARD]
    cases += [("counts of strides", lambda: compare_strides((37,)))]
    cases += [(f"counts of {name}, at most", lambda name=name, sizes=sizes: compare(name, sizes, 0, everything, True)) for name, sizes in BOUNDS]
    cases += [(f"sampled counts of {name}", lambda name=name, sizes=sizes, t=t: compare(name, sizes, t, [])) for name, sizes, t in SAMPLED]
    cases += [(f"words of {name}", lambda name=name, a=a, b=b: words(name, a, b)) for name, a, b in BOARD_WORDS]
    cases += [("words of vecadd, large", lambda: words("vecadd", ["form taken vecadd_0_step0_wide: from 270336 points on", "kernel vecadd_0_step0_wide: ", "load a[i_0]: coalesced; 16.0 transactions"], [], "--size", "n=8388608"))]
    cases += [("words of gauss, large", lambda: words("gauss", ["form taken gauss_0_step0_windows: from 2162688 points on", "kernel gauss_0_step0_windows: "], [], "--size", "n=1601"))]
    cases.append(("registers against ptxas", registers))
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("explain")
