#!/usr/bin/env python3
"""Programs of the board (bench/board) on the CPU: the harness as it is, the kernels of all columns on tests/emulation.

    board_on_cpu.py FOLDER NAME SIZE...      FOLDER as bench/board.py wrote it; prints what the program prints

Times mean nothing here; results are checked as on a GPU. Columns of the vendor's library fail, since there
is none; that of OpenCL runs on PoCL."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS / "emulation"))
import run_on_cpu  # noqa: E402
from cuda_text import prepared, _closing  # noqa: E402

CPU = TESTS / "board" / "cpu"
FLAGS = ["-std=c++20", "-O1", "-w", "-ffp-contract=off", "-fPIC", f"-I{CPU}"]


def parts_of(text):
    """The parts of a text between commas that no parenthesis holds."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def launches(text):
    """`kernel<<<grid, block, bytes, stream>>>(arguments)` as a call of emulation::launchOf."""
    while found := re.search(r"([\w:]+(?:<[^<>;]*>)?)<<<", text):
        middle = text.index(">>>(", found.end())
        configuration = parts_of(text[found.end():middle])
        configuration += ["0", "nullptr"][len(configuration) - 2:]
        end = _closing(text, middle + 4)
        arguments = [found.group(1), *configuration, *parts_of(text[middle + 4:end - 1])]
        text = text[:found.start()] + f"emulation::launchOf({', '.join(arguments)})" + text[end:]
    return text


def with_headers(path):
    """A kernel's text with the headers beside it in place of their includes, each once."""
    seen = set()

    def text_of(file):
        def include(match):
            header = file.parent / match.group(1)
            if not header.exists():
                return match.group()
            if header in seen:
                return ""
            seen.add(header)
            return text_of(header)
        return re.sub(r'#include "(\w+\.h)"', include, file.read_text().replace("#pragma once", ""))
    return text_of(path)


def on_cpu(text, name):
    """Text of the board's own kernels: launches are calls, and nothing is registered."""
    return "\n".join(line for line in prepared(launches(text), name).splitlines() if not line.startswith("NESTWARP_KERNEL(")) + "\n"


def build(folder, name, kernel, kind, target, only=None):
    """Makes the program and the libraries of generated code in `target`, or one of these only; returns the program's path."""
    folder, target = Path(folder), Path(target)
    harness = folder / "harness"
    jobs, objects = [], []

    def compile_text(text, output, *more):
        jobs.append((["g++", *FLAGS, *more, "-x", "c++", "-c", "-", "-o", str(target / output)], text))

    def compile_file(path, output, *more):
        jobs.append((["g++", *FLAGS, *more, "-c", str(path), "-o", str(target / output)], None))

    for file in (harness / "board.cpp", harness / "arrays.cpp", harness / "host.cpp", harness / "opencl.cpp", CPU / "device.cpp"):
        objects.append(target / (file.stem + ".o"))
        if not objects[-1].exists():
            compile_file(file, objects[-1].name, f"-I{harness}")
    compile_text(on_cpu(with_headers(folder / "kernels" / f"{kernel}.cu"), f"{kernel}.cu"), f"{name}.o", f"-I{harness}", f'-DBOARD_NAME="{name}"', f"-DBOARD_REAL={kind}")
    libraries = []
    for kind_of, generated in (("ours", folder / "generated" / name), ("tuned", folder / "generated" / name / "tuned")):
        if (generated / "adapter.cpp").exists():
            stem = f"{name}.{kind_of}"
            compile_text("#include <cuda_runtime.h>\n" + prepared((generated / f"{kernel}.cu").read_text(), "generated.cu"), f"{stem}.o")
            compile_file(generated / "adapter.cpp", f"{stem}.adapter.o", f"-I{generated}")
            libraries.append(["g++", "-shared", str(target / f"{stem}.o"), str(target / f"{stem}.adapter.o"), "-o", str(target / f"lib{kind_of}_{name}.so")])
    opencl = folder / "generated" / name / "opencl"
    if (opencl / "adapter.cpp").exists():
        jobs.append((["gcc", "-O1", "-w", "-fPIC", "-c", str(opencl / f"{kernel}.cl.c"), "-o", str(target / f"{name}.cl.o")], None))
        compile_file(opencl / "adapter.cpp", f"{name}.cl.adapter.o", f"-I{opencl}")
        if not (target / "opencl_side.o").exists():
            compile_file(harness / "opencl_side.cpp", "opencl_side.o", f"-I{harness}")
        libraries.append(["g++", "-shared", *(str(target / o) for o in (f"{name}.cl.o", f"{name}.cl.adapter.o", "opencl_side.o")), "-lOpenCL", "-o", str(target / f"libopencl_{name}.so")])
    program = target / name
    if only:
        jobs = [job for job in jobs if job[0][-1].startswith(str(target / f"{name}.{only}."))]
        libraries = [command for command in libraries if command[-1].endswith(f"lib{only}_{name}.so")]
    for k in range(0, len(jobs), 2):
        run_on_cpu._all(jobs[k:k + 2])
    if only:
        run_on_cpu._all([(command, None) for command in libraries])
        return program
    run_on_cpu._all([(["g++", "-rdynamic", str(target / f"{name}.o"), *map(str, objects), run_on_cpu._object(), "-lboost_context", "-ldl", "-lpthread", "-lm", "-o", str(program)], None)]
                    + [(command, None) for command in libraries])
    return program


def run(program, sizes, order=0):
    """What a program printed, and its status; one round."""
    done = subprocess.run([str(program), *map(str, sizes), "--repeats", "1"], capture_output=True, text=True, env={**os.environ, **run_on_cpu.environment(order)})
    return done.stdout, done.stderr, done.returncode


def main():
    folder, name, sizes = sys.argv[1], sys.argv[2], sys.argv[3:]
    line = next(words for words in map(str.split, Path(folder, "kernels.txt").read_text().splitlines()) if words[0] == name)
    with tempfile.TemporaryDirectory() as scratch:
        out, said, status = run(build(folder, name, line[1], line[2], scratch), sizes)
    print(out + said, end="")
    sys.exit(status)


if __name__ == "__main__":
    main()
