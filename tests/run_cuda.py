#!/usr/bin/env python3
"""tests/cuda: CUDA in, CUDA out. Each file is translated, with the toolkit's headers and with nestwarp's own; what comes out is compiled by nvcc
where there is one; kernels are checked against their loops on the CPU."""
import difflib
import glob
import os
import re
import harness
from harness import Failure, Skip

FOLDER = os.path.join(harness.TESTS, "cuda")
NO_TOOLKIT = {"NESTWARP_CUDA_PATH": "none"}


def sources():
    return sorted(glob.glob(os.path.join(FOLDER, "*.cu")))


def header(text, key):
    return re.findall(r"^// %s: (.*)$" % key, text, re.M)


def translated(path, out, env=None, check=True):
    return harness.run([harness.NESTWARP, "compile", path, "-o", out], env=env, check=check)


@harness.once
def made_of(path, headers="toolkit"):
    """What came out of a file, and what was said: translated once for all cases that look at it."""
    out = os.path.join(harness.shared_scratch(), f"{headers}.{os.path.basename(path)}")
    done = translated(path, out, env=NO_TOOLKIT if headers == "none" else None)
    return out, done.err


def expect(condition, text):
    if not condition:
        raise Failure(text)


def compiles(path):
    """nvcc takes what came out."""
    nvcc = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
    if not nvcc:
        raise Skip("no nvcc")
    with harness.Scratch() as scratch:
        out, _ = made_of(path)
        made = harness.run([nvcc, "-std=c++17", "-arch=sm_90", "-c", out, "-o", os.path.join(scratch, "out.o")], limit=300)
        expect("warning" not in made.err, made.err[-1500:])


def same(path):
    """Kernels on the device compute what their loops do."""
    text = open(path).read()
    sizes = [w for line in header(text, "sizes") for w in line.split()]
    got = harness.run([harness.NESTWARP, "check", path, "-q", *sum((["--size", s] for s in sizes), [])], check=False, limit=300)
    wrong = [l for l in got.out.splitlines() if not re.search(r": same\b", l) or "nothing ran" in l]
    expect(not wrong and got.status == 0, f"status {got.status}:\n{got.out[-1500:]}{got.err[-800:]}")
    expect(len(got.out.splitlines()) >= int((header(text, "kernels") or ["1"])[0]), got.out)


def forms(path):
    """Kernels have the forms that the file says."""
    text, made = open(path).read(), open(made_of(path)[0]).read()
    for key, end in [("stepped", ""), ("tiled", "_tiles"), ("wide", "_wide")]:
        for kernel in " ".join(header(text, key)).split():
            expect(re.search(rf"__global__[^;]* {kernel}_\d+_step\d+{end}\(", made), f"{kernel} has no kernel that ends in {end}" if end else f"{kernel} was left alone")


def coalesced(path):
    """With strips of rows, too, the verifier accepts what is made, and no kernel is lost."""
    done = harness.run([harness.NESTWARP, "compile", path, "--emit=cuda", "--coalesce=both"])
    expect("NW0297" not in done.err, done.err[-1500:])
    made = set(re.findall(r"__global__[^;]* (\w+?)_\d+_step\d+\w*\(", done.out))
    expect(len(made) >= int((header(open(path).read(), "kernels") or ["1"])[0]), f"only {sorted(made)}")


def wishes():
    """768 threads on a multiprocessor, as the annotation has it: in blocks of the size that kernels have here."""
    with harness.Scratch() as scratch:
        source = os.path.join(scratch, "wish.cu")
        with open(source, "w") as f:
            f.write("""#pragma nestwarp kernel(threads=256, blocks_per_sm=WISH)
__global__ void scale(int n, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i] * 3;
}
void launch(int n, const float *a, float *b) { scale<<<(n + 255) / 256, 256>>>(n, a, b); }
""")
        text = open(source).read()
        for wish, bounds in [("3", "256, 3"), ("1000", "256, 8"), ("1", "256")]:
            with open(source, "w") as f:
                f.write(text.replace("WISH", wish))
            made = harness.run([harness.NESTWARP, "compile", source, "--emit=cuda"]).out
            expect(f"__launch_bounds__({bounds}) scale_0_step0(" in made, f"{wish}: {made[:600]}")


def kept(path):
    """All that was not put in or taken out is byte for byte the input."""
    before, after = open(path).read().splitlines(), open(made_of(path)[0]).read()
    begin, end = r"// ---- nestwarp: ", r"// ---- nestwarp: end"
    after = re.sub(begin + r"what.*?" + end + r"\n\n", "", after, flags=re.S)
    after = re.sub(r"\n\n" + begin + r"(?!end).*?" + end + r" of [^\n]*\n", "", after, flags=re.S)
    replaced = ("<<<", "__annotation", "#pragma nestwarp", "__global__")
    for line in difflib.ndiff(before, after.splitlines()):
        if line[0] == "-":
            expect(any(word in line for word in replaced), "lost: " + line)
        if line[0] == "+":
            expect("nw_" in line, "new: " + line)


LEFT_ALONE = [("NW0120", "shared memory"), ("NW0120", "wait for each other"),
              ("NW0120", "share a result"), ("NW0120", "exchange values"), ("NW0121", "table"),
              ("NW0123", "architecture"), ("NW0108", "return"), ("NW0102", "struct"),
              ("NW0102", "packed or aligned layout"), ("NW0110", "uses the thread's index"), ("NW0110", "has a break"),
              ("NW0110", "is nested in another"), ("NW0110", "'largest' may carry a value"),
              ("NW0110", "'last' may carry a value"), ("NW0110", "'first_2' may carry a value")]


def untouched():
    path = os.path.join(FOLDER, "left_alone.cu")
    out, err = made_of(path)
    expect(open(path, "rb").read() == open(out, "rb").read(), "the file has changed")
    for code, word in LEFT_ALONE:
        expect(re.search(f"{word}.*{code}", err), f"no {code} with '{word}' in:\n{err}")


def without_toolkit(path):
    expect(open(made_of(path)[0]).read() == open(made_of(path, "none")[0]).read(),
           "the two headers lead to different files")


def what_came_out():
    """What was written is not a source for the same again: it would have each name twice. Others may include it."""
    with harness.Scratch() as scratch:
        one, two, three = (os.path.join(scratch, name) for name in ("one.cu", "two.cu", "three.cu"))
        translated(os.path.join(FOLDER, "row_scaling.cu"), one)
        again = translated(one, two, check=False)
        expect(again.status == 1 and "one.cu: " in again.err and "nestwarp compile wrote this file" in again.err, f"status {again.status}: {again.err}")
        with open(two, "w") as f:
            f.write('#include "one.cu"\n__global__ void next(int n, float *a) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)\n    a[i] = 1;\n}\n')
        translated(two, three)
        nvcc = harness.tool("nvcc", "/usr/local/cuda/bin/nvcc")
        if nvcc:
            harness.run([nvcc, "-std=c++17", "-arch=sm_90", "-c", three, "-o", os.path.join(scratch, "three.o")], limit=300)


LONG = ["flattened.cu", "idioms.cu", "names.cu"]  # many kernels, which take their time


def cases(arguments):
    cases = [("what came out is not taken again", what_came_out), ("left alone, byte for byte", untouched), ("blocks that are wished for", wishes)]
    for path in sources():
        name = os.path.basename(path)
        if harness.EVERYTHING or name not in LONG:
            cases.append((f"{name}: without a toolkit", lambda p=path: without_toolkit(p)))
        if name == "left_alone.cu":
            continue
        cases.append((f"{name}: the rest is kept", lambda p=path: kept(p)))
        cases.append((f"{name}: nvcc", lambda p=path: compiles(p)))
        if not header(open(path).read(), "compared"):
            cases.append((f"{name}: check", lambda p=path: same(p)))
        cases.append((f"{name}: forms", lambda p=path: forms(p)))
        if name in ("flattened.cu", "row_scaling.cu"):
            cases.append((f"{name}: coalesced", lambda p=path: coalesced(p)))
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("cuda")
