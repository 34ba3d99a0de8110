#!/usr/bin/env python3
"""bench/share: the examples of the paper share, with one line of share each, without and with :coalesce; and strips of rows as the paper lite has them.

Each is checked on the device as the hint is predicted to pay, and with its tiles in any case (--share=obey); then shared memory holds what the file says
(// staged: ...). What shared memory is used for must also be free of races: with a barrier taken away, the emulation misses it."""
import glob
import os
import re
import harness
from harness import Failure, Skip
from run_emulation import built, emulated, run_on_cpu, translated

FOLDER = os.path.join(harness.ROOT, "bench", "share")
ROWS = """void scale(int n, int m, const float a[n][m], const float t[n], float b[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i][j] * t[i];
}
"""
# Blocks and threads as values, and rows by both: the paper's Figure 2.
FIGURE_2 = """void scale(int grid, const float a[300][300], float b[300][300]) {
  for (int bki = 0; bki < grid; bki++)
    for (int thi = 0; thi < 256; thi++)
      if (bki * 256 + thi < 300) {
        float t = (float)thi + bki;
        for (int i = 0; i < 300; i++)
          b[bki * 256 + thi][i] = a[bki * 256 + thi][i] * t;
      }
}
"""
FIGURE_2_MAIN = """#include <stdio.h>
void scale(int grid, const float a[300][300], float b[300][300]);
static float a[300][300], b[300][300];
int main(void) {
  int wrong = 0;
  for (int grid = 1; grid < 6; grid++) {
    for (int i = 0; i < 300; i++)
      for (int j = 0; j < 300; j++)
        a[i][j] = (float)((7 * i + 3 * j) % 11) - 5, b[i][j] = -1;
    scale(grid, a, b);
    for (int i = 0; i < 300; i++)
      for (int j = 0; j < 300; j++)
        wrong += b[i][j] != (i < 256 * grid ? a[i][j] * ((float)(i % 256) + i / 256) : -1);
  }
  printf("%d wrong\\n", wrong);
  return 0;
}
"""
# The rows after n are in the buffer, too, and no thread may write them.
CORNER = """void corner(int n, float a[restrict 200][200], float b[restrict 200][200]) {
  for (int t = 0; t < 2; t++) {
    for (int i = 1; i < n; i++)
      for (int j = 1; j < n; j++)
        a[i][j] = b[i][j] + b[i - 1][j] + b[i][j - 1];
    for (int j = 0; j < 200; j++)
      a[199][j] = t;
  }
}
"""
# Each thread adds up a row.
SUMS = """void sums(int n, int m, const float a[n][m], float s[n]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++)
      sum += a[i][j];
    s[i] = sum;
  }
}
"""


def same(path, *flags, env=None):
    done = harness.run([harness.NESTWARP, "check", "-q", path, *flags], env=env, check=False, limit=300)
    lines = done.out.splitlines()
    if done.status or not lines or any(not re.search(r": same\b", line) or "nothing ran" in line for line in lines):
        raise Failure(f"check {' '.join(flags)}: status {done.status}\n{done.out[-1500:]}{done.err[-800:]}")


def text(path, *flags):
    return harness.run([harness.NESTWARP, "compile", "-q", "--device=h200", "--emit=cuda", path, *flags]).out


def shared(cuda):
    return set(re.findall(r"__shared__ .*?(\w+)_tile\[", cuda))


def predicted(path):
    same(path, "-fopenacc", "--size", "n=37")


def obeyed(path):
    wanted = set(re.search(r"^// staged: (.*)$", open(path).read(), re.M).group(1).split())
    same(path, "-fopenacc", "--share=obey", "--device=h200", "--size", "n=70")
    name = os.path.basename(path)[:-2]
    for function in (name, name + "_coalesce"):
        found = shared(text(path, "-fopenacc", "--share=obey", "--function", function))
        if found != wanted:
            raise Failure(f"{function}: in shared memory: {found}, expected {wanted}")


def rows(source, what, arrays, *sizes):
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "rows.c")
        with open(path, "w") as f:
            f.write(source)
        found = shared(text(path, f"--coalesce={what}"))
        if found != set(arrays):
            raise Failure(f"in shared memory: {found}, expected {arrays}")
        try:
            same(path, "--device=h200", f"--coalesce={what}", *sum((["--size", s] for s in sizes), []))
        except Failure as f:
            if source == FIGURE_2 and "DIFFERENT" in str(f) and is_right_by_emulation(path, what, scratch):
                raise Skip("PoCL computes something else; the same kernel is right on the emulation")
            raise


def optimized():
    """Where the device's compiler optimizes, PoCL has threads that a condition leaves out do what the first one does, unless branches with barriers end in one."""
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "corner.c")
        with open(path, "w") as f:
            f.write(CORNER)
        same(path, "--coalesce=loads", "--size", "n=20,64,65,100", env={"POCL_EXTRA_BUILD_FLAGS": ""})


def is_right_by_emulation(path, what, scratch):
    """Whether Figure 2's kernel computes what it should, for all sizes, where PoCL has no part in it."""
    cuda, main, program = (os.path.join(scratch, name) for name in ("rows.cu", "main.c", "program"))
    with open(main, "w") as f:
        f.write(FIGURE_2_MAIN)
    harness.run([harness.NESTWARP, "compile", "-q", "--offload=always", "--device=h200", f"--coalesce={what}", "--target=cuda", path, "-o", cuda])
    run_on_cpu.build(cuda, [os.path.join(scratch, "rows.host.c"), main], program)
    return harness.run([program], env=run_on_cpu.environment(1)).out == "0 wrong\n"


MAIN = """#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 70, m = 95;
  float (*a)[m] = malloc(sizeof(float[n][m])), (*b)[m] = malloc(sizeof(float[n][m])), *t = malloc(sizeof(float[n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = (float)(i * 31 + j * 7 % 13), b[i][j] = -1, t[i] = (float)(i % 5 + 1);
  scale(n, m, a, t, b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      printf("%g\\n", b[i][j]);
  return 0;
}
"""


def barriers():
    """Strips of rows have no races. Of three barriers in a round, the one in front of the stores does for the next copy as well, so that the first is not missed; the others are."""
    with harness.Scratch() as scratch:
        path, program, plain = (os.path.join(scratch, name) for name in ("rows.c", "program", "plain"))
        with open(path, "w") as f:
            f.write(ROWS + MAIN)
        harness.run(["gcc", "-O1", "-w", path, "-o", plain])
        cuda, host = translated(path, scratch, ["--coalesce=both", "--device=h200", "--function", "scale"])
        built(cuda, [host], program, count=True)
        for order in (0, 1, 2):
            got, _ = emulated([program], order)
            if got != harness.run([plain]).out:
                raise Failure(f"another result in order {order}")
        lines = open(cuda).read().splitlines()
        found = [k for k, line in enumerate(lines) if line.strip() == "__syncthreads();"]
        if len(found) != 12:
            raise Failure(f"there are {len(found)} barriers")
        for k in (k for n, k in enumerate(found) if n % 3):
            with open(cuda, "w") as f:
                f.write("\n".join(lines[:k] + [";"] + lines[k + 1:]))
            built(cuda, [host], program, count=True)
            done = harness.run([program], env=run_on_cpu.environment(0), check=False)
            if done.status != run_on_cpu.MISTAKE:
                raise Failure(f"nobody misses the barrier of line {k + 1}\n{done.err[-500:]}")


def occupancy():
    """What the paper says of the 8800 GTX: three blocks with one array staged, one with both."""
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "rows.c")
        with open(path, "w") as f:
            f.write(ROWS)
        said = harness.run([harness.NESTWARP, "explain", "--verbose", "--device=gtx-8800", "--registers=model", path]).out
        for what, blocks in (("loads", "3 blocks"), ("stores", "3 blocks"), ("both", "1 block")):
            if not re.search(rf"--coalesce={what}\), {blocks} on a multiprocessor", said):
                raise Failure(f"{what}: expected {blocks}:\n{said}")


def all_cases():
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.c"))):
        name = os.path.basename(path)
        yield f"{name}, as predicted", lambda path=path: predicted(path)
        yield f"{name}, obeyed", lambda path=path: obeyed(path)
    sizes = ("n=1,31,64,70", "m=1,33,64,95")
    for what, arrays in (("loads", "a"), ("stores", "b"), ("both", "ab")):
        yield f"rows, {what}", lambda what=what, arrays=arrays: rows(ROWS, what, arrays, *sizes)
        yield f"Figure 2, {what}", lambda what=what, arrays=arrays: rows(FIGURE_2, what, arrays, "grid=0,1,2,5")
    yield "shapes of rows", lambda: same(os.path.join(harness.TESTS, "share", "shapes.c"), "--device=h200", "--coalesce=both", "--size", "n=37", "--size", "m=70", "--size", "l=33")
    yield "shapes of hints", lambda: same(os.path.join(harness.TESTS, "share", "hints.c"), "-fopenacc", "--device=h200", "--share=obey", "--size", "n=39", "--size", "w=4")
    yield "sums of rows, loads", lambda: rows(SUMS, "loads", "a", *sizes)
    yield "the edge, optimized kernels", optimized
    yield "occupancy on the 8800 GTX", occupancy
    yield "barriers of strips", barriers


def cases(arguments):
    return [c for c in all_cases() if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("share")
