#!/usr/bin/env python3
"""Accesses of one warp with constant strides, counted by the emulation: sectors of global memory, and cycles of the banks of shared
memory. tests/emulation/strides.inc is the table; run_emulation.py holds the emulation's counts against it, tests/unit/strides.cpp
what src/analysis predicts without running anything. To make the table anew: tests/stride_counts.py > tests/emulation/strides.inc"""
import os
import re
import sys
import harness
from harness import Failure

TABLE = os.path.join(harness.TESTS, "emulation", "strides.inc")
TYPES = {1: "signed char", 2: "short", 4: "float", 8: "double", 16: "float4"}
STRIDES = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 48, 64)
FIRSTS = (0, 1)  # elements in front of the first lane's
CASES = [(space, size, stride, first) for space in ("global", "shared") for size in TYPES for stride in STRIDES for first in FIRSTS if space == "global" or not first]

HEAD = """// One access of a warp: memory, bytes of an element, elements between neighbouring lanes, elements in front of the first, and what
// it costs: sectors of 32 bytes, or cycles of 32 banks of 4 bytes. Made by tests/stride_counts.py.
"""


def kernel(space, size, stride, first):
    kind, index = TYPES[size], f"{stride} * threadIdx.x + {first}"
    head = f"__global__ void {space}_{size}_{stride}_{first}(const char *a_, char *b_) {{\n  const {kind} *a = (const {kind} *)a_;\n  {kind} *b = ({kind} *)b_;\n"
    if space == "global":
        return head + f"  {kind} x = a[{index}];\n  b[{index if stride else 'threadIdx.x'}] = x;\n}}\n"
    store = f"t[{index}] = a[threadIdx.x];" if stride else "if (threadIdx.x == 0)\n    t[0] = a[0];"
    return head + f"  __shared__ {kind} t[{32 * max(stride, 1)}];\n  {store}\n  __syncthreads();\n  {kind} x = t[{index}];\n  b[threadIdx.x] = x;\n}}\n"


def source():
    names = ", ".join(f"{space}_{size}_{stride}_{first}" for space, size, stride, first in CASES)
    text = '#include "launch.h"\n\n' + "".join(kernel(*case) for case in CASES)
    return text + f"\nint main() {{\n  Array<char> a(40000), b(40000);\n  for (auto kernel : {{{names}}})\n    launch(kernel, 1, 32, (const char *)a.device, (char *)b.device);\n}}\n"


def table():
    rows = re.findall(r"^ROW\((\w+), (\d+), (\d+), (\d+), (\d+)\)", open(TABLE).read(), re.M)
    return {(space, int(size), int(stride), int(first)): int(cost) for space, size, stride, first, cost in rows}


def counted(built, emulated):
    """The emulation's costs of loads and stores, by case and kind of access."""
    import json
    with harness.Scratch() as scratch:
        path, program, counts = (os.path.join(scratch, name) for name in ("strides.cu", "strides", "counts.json"))
        with open(path, "w") as f:
            f.write(source())
        built(path, [], program, count=True, flags=["-I" + os.path.join(harness.TESTS, "emulation", "kernels")])
        emulated([program], 0, NESTWARP_EMULATION_COUNTS=counts)
        rows = json.load(open(counts))
    found = {}
    for row in rows:
        space, size, stride, first = row["kernel"].split("_")
        if space == row["space"]:
            found[(space, int(size), int(stride), int(first)), row["access"]] = row["cycles" if space == "shared" else "transactions"]
    return found


def check(built, emulated):
    found, wanted = counted(built, emulated), table()
    if set(wanted) != set(CASES):
        raise Failure("the table has other rows; make it anew")
    wrong = []
    for case, cost in wanted.items():
        for access in ("load", "store") if case[2] else ("load",):
            if found.get((case, access)) != cost:
                wrong.append(f"{access} {case}: counted {found.get((case, access))}, the table says {cost}")
    if wrong:
        raise Failure("\n".join(wrong))


if __name__ == "__main__":
    from run_emulation import built, emulated
    costs = counted(built, emulated)
    sys.stdout.write(HEAD + "".join(f"ROW({space}, {size}, {stride}, {first}, {costs[(space, size, stride, first), 'load']})\n" for space, size, stride, first in CASES))
