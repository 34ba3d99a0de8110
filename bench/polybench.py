#!/usr/bin/env python3
"""Prepares a benchmark of tests/programs for a GPU machine: whole calls, transfers included, against one CPU core.

usage: bench/polybench.py NESTWARP OUTPUT_DIRECTORY

OUTPUT_DIRECTORY then holds everything the GPU machine needs (it has a C compiler, but no Clang or isl):
run its run.sh there and it prints the table. Sizes are PolyBench/C's LARGE ones, in float.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Values of the int parameters, in the order of the function's parameters.
SIZES = {
    "adi": (500, 1000), "atax": (1900, 2100), "bicg": (2100, 1900), "cholesky": (2000,), "correlation": (1200, 1400),
    "covariance": (1200, 1400), "deriche": (4096, 2160), "doitgen": (150, 140, 160), "durbin": (2000,),
    "fdtd_2d": (500, 1000, 1200), "floyd_warshall": (2800,), "gemm": (1000, 1100, 1200), "gemver": (2000,),
    "gesummv": (1300,), "gramschmidt": (1000, 1200), "heat_3d": (500, 120), "jacobi_1d": (500, 2000),
    "jacobi_2d": (500, 1300), "lu": (2000,), "ludcmp": (2000,), "mvt": (2000,), "nussinov": (2500,),
    "seidel_2d": (500, 2000), "symm": (1000, 1200), "syr2k": (1200, 1000), "syrk": (1200, 1000),
    "three_mm": (800, 900, 1000, 1100, 1200), "trisolv": (2000,), "trmm": (1000, 1200), "two_mm": (800, 900, 1100, 1200),
}

MAIN = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define DATA_TYPE float
{prototypes}
static double now(void) {{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}}
static unsigned state = 1u;
static double uniform(void) {{
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / 8388608.0 - 1.0;
}}
int main(void) {{
{declarations}
  double best = 1e30, cpu;
  for (int round = 0; round < 3; round++) {{
{copies}
    double start = now();
    {name}({generated});
    double took = now() - start;
    if (took < best)
      best = took;
  }}
  cpu = now();
  original_{name}({original});
  cpu = now() - cpu;
  double worst = 0, largest = 0;
{compare}
  printf("%-16s %12.3f %12.3f %9.1f   %.1e\\n", "{name}", cpu, best, cpu / best, largest > 0 ? worst / largest : worst);
  return 0;
}}
"""


def parameters_of(source, name):
    text = re.search(r"void %s\((.*?)\)\s*\{" % name, source, re.S).group(1)
    return [p.strip() for p in re.sub(r"\s+", " ", text).split(",")]


def main_text(name, source):
    sizes = iter(SIZES[name])
    extents = dict(re.findall(r"// extent: (\w+) (\S+)", source))
    declarations, copies, compare, generated, original = [], [], [], [], []
    for p in parameters_of(source, name):
        variable = re.search(r"(\w+)\s*(\[.*)?$", p).group(1)
        if "[" in p or "*" in p:
            kind = "int" if p.replace("const ", "").startswith("int") else "float"
            size = "*".join(f"({e})" for e in re.findall(r"\[([^\]]*)\]", p)) if "[" in p else extents[variable]
            declarations += [f"  size_t {variable}_count = (size_t)1*{size};"]
            declarations += [f"  {kind} *{variable}_{v} = malloc({variable}_count * sizeof({kind}));" for v in ("in", "a", "b")]
            declarations += [f"  for (size_t i = 0; i < {variable}_count; i++) {variable}_in[i] = ({kind})(uniform(){' * 8' if kind == 'int' else ''});"]
            copies.append(f"    memcpy({variable}_a, {variable}_in, {variable}_count * sizeof({kind}));")
            compare.append(f"  for (size_t i = 0; i < {variable}_count; i++) {{ double d = fabs((double){variable}_a[i] - {variable}_b[i]), m = fabs((double){variable}_b[i]); "
                           "if (d > worst) worst = d; if (m > largest) largest = m; }")
            generated.append(f"(void *){variable}_a")
            original.append(f"(void *){variable}_b")
            prepared.append(f"(void *){variable}_in")
            copies_b.append(f"  memcpy({variable}_b, {variable}_in, {variable}_count * sizeof({kind}));")
        elif p.startswith("int"):
            declarations.append(f"  int {variable} = {next(sizes)};")
            generated.append(variable), original.append(variable), prepared.append(variable)
        else:
            declarations.append(f"  float {variable} = 1.5f;")
            generated.append(variable), original.append(variable), prepared.append(variable)
    return declarations, copies, compare, generated, original


def prepare(nestwarp, name, output):
    global prepared, copies_b
    prepared, copies_b = [], []
    path = ROOT / "tests" / "programs" / f"{name}.c"
    source = path.read_text()
    folder = output / name
    folder.mkdir(parents=True)
    subprocess.run([nestwarp, "cc", "--quiet", "-c", "-O3", "--offload=always", f"--save-temps={folder}", str(path), "-o", str(folder / "x.o")],
                   check=True, stderr=subprocess.DEVNULL)
    for junk in ("x.o", "build.sh", f"{name}.cu", f"{name}.cl"):
        (folder / junk).unlink(missing_ok=True)
    shutil.rmtree(folder / "runtime")
    shutil.copy(path, folder / "original.c")
    declarations, copies, compare, generated, original = main_text(name, source)
    signature = ", ".join(parameters_of(source, name))
    prototypes = [f"void {name}({signature});", f"void original_{name}({signature});"]
    if f"void prepare_{name}(" in source:
        prototypes.append(f"void original_prepare_{name}({signature});")
        declarations.append(f"  original_prepare_{name}({', '.join(prepared)});")
    declarations += copies_b
    (folder / "main.c").write_text(MAIN.format(name=name, prototypes="\n".join(prototypes), declarations="\n".join(declarations),
                                               copies="\n".join(copies), generated=", ".join(generated),
                                               original=", ".join(original), compare="\n".join(compare)))


RUN = """#!/bin/sh
# Builds and runs the benchmark; needs only a C compiler.
cd "$(dirname "$0")" || exit 1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
(cd runtime && cc -O2 -c *.c && ar rcs librt.a *.o) || exit 1
for d in {names}; do
  cc -w -O3 -march=native -D$d=original_$d -Dprepare_$d=original_prepare_$d -c $d/original.c -o $d/original.o &&
  cc -w -O3 -Iruntime $d/$d.host.c $d/$d.nw.c $d/main.c $d/original.o runtime/librt.a -ldl -lpthread -lm -o $d/bench &
done
wait
echo "program            CPU ms   nestwarp ms   speed-up   largest difference (relative to the largest value)"
for d in {names}; do timeout 120 $d/bench || echo "$d failed"; done
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    nestwarp, output = sys.argv[1], Path(sys.argv[2])
    if output.exists():
        shutil.rmtree(output)
    for name in SIZES:
        prepare(nestwarp, name, output)
    (output / "runtime").mkdir()
    for file in (ROOT / "runtime").glob("*.[ch]"):
        shutil.copy(file, output / "runtime")
    run = output / "run.sh"
    run.write_text(RUN.format(names=" ".join(SIZES)))
    run.chmod(0o755)


if __name__ == "__main__":
    main()
