#!/usr/bin/env python3
"""nestwarp cc behaves like a compiler: a make project, libraries, flags, and builds from saved files."""
import os
import re
import shutil
import harness
from harness import Failure

PROJECT = os.path.join(harness.TESTS, "cc", "project")
WANT = "scale 30 total 1225 static 7\n"


def expect(condition, text):
    if not condition:
        raise Failure(text)


def project(scratch):
    copy = os.path.join(scratch, "project")
    shutil.copytree(PROJECT, copy)
    return copy


def cc(arguments, cwd, check=True):
    return harness.run([harness.NESTWARP, "cc", *arguments], cwd=cwd, check=check)


def offloads(program, cwd, want=WANT):
    got = harness.run([program], cwd=cwd, env={"NESTWARP_STATS": "1", "LD_LIBRARY_PATH": cwd})
    expect(got.out == want, f"the program printed '{got.out}', expected '{want}'")
    m = re.search(r'"regions_offloaded": (\d+)', got.err)
    expect(m and int(m.group(1)) >= 1, f"nothing was offloaded: {got.err[-500:]}")


def make_project():
    """Several files, -c, -I, -D, -g, a static and a shared library, all by make with CC='nestwarp cc'."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        harness.run(["make", "-s", f"CC={harness.NESTWARP} cc --offload=always --quiet"], cwd=where)
        offloads("./main", where)
        debug = harness.run(["readelf", "--debug-dump=decodedline", "scale.o"], cwd=where).out
        expect(re.search(r"^scale\.c ", debug, re.M), "-g: the line table of the object does not name scale.c")


def plain_compiler():
    """The same project by the system's compiler prints the same."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        harness.run(["make", "-s", "CC=gcc"], cwd=where)
        got = harness.run(["./main"], cwd=where, env={"LD_LIBRARY_PATH": where})
        expect(got.out == WANT, f"the program printed '{got.out}'")


def one_line():
    """All sources on one line, compiled and linked at once."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        cc(["-O2", "-Iinclude", "-DFACTOR=3", "--offload=always", "main.c", "scale.c", "total.c", "fixed.c", "-o", "all"], where)
        offloads("./all", where)


def defaults():
    """-c without -o writes beside the caller; linking without -o writes a.out."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        cc(["-c", "-Iinclude", "-DFACTOR=3", "--offload=always", "main.c", "scale.c", "total.c", "fixed.c"], where)
        for o in ("main.o", "scale.o", "total.o", "fixed.o"):
            expect(os.path.exists(os.path.join(where, o)), f"{o} was not written")
        cc(["main.o", "scale.o", "total.o", "fixed.o"], where)
        offloads("./a.out", where)


def mixed_objects():
    """Objects of gcc and of nestwarp cc link with each other."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        harness.run(["gcc", "-c", "-Iinclude", "-DFACTOR=3", "main.c", "total.c", "fixed.c"], cwd=where)
        cc(["-c", "-Iinclude", "-DFACTOR=3", "--offload=always", "scale.c"], where)
        cc(["main.o", "total.o", "fixed.o", "scale.o", "-o", "mixed"], where)
        offloads("./mixed", where)


def pass_through():
    """What is not a compilation goes to the compiler: --version, -E, -S, -M."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        expect(harness.run(["cc", "--version"]).out == cc(["--version"], where).out, "--version differs")
        expect("int scale(" in cc(["-E", "-Iinclude", "-DFACTOR=3", "scale.c"], where).out, "-E prints no preprocessed text")
        cc(["-S", "-Iinclude", "-DFACTOR=3", "scale.c", "-o", "scale.s"], where)
        expect(os.path.exists(os.path.join(where, "scale.s")), "-S writes no assembly")
        expect("include/project.h" in cc(["-MM", "-Iinclude", "scale.c"], where).out, "-MM lists no header")


def dependency_files():
    """-MMD -MF writes rules that name the user's files, not the rewritten ones."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        cc(["-c", "-MMD", "-MF", "scale.d", "-Iinclude", "-DFACTOR=3", "scale.c", "-o", "scale.o"], where)
        path = os.path.join(where, "scale.d")
        expect(os.path.exists(path), "scale.d was not written")
        text = open(path).read()
        expect(text.startswith("scale.o:") and "include/project.h" in text and " scale.c" in text and "nestwarp." not in text,
               f"scale.d is not the rule of scale.o:\n{text}")


def warnings_are_about_the_users_text():
    """-Wall -Wextra -Werror on clean code stays quiet."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        cc(["-c", "-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic", "-Iinclude", "-DFACTOR=3", "scale.c"], where)


def errors_leave_nothing():
    """A syntax error: Clang's message, a status, no object."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        with open(os.path.join(where, "broken.c"), "w") as f:
            f.write("int f(void) { return 1 }\n")
        got = cc(["-c", "broken.c"], where, check=False)
        expect(got.status != 0 and "broken.c:1:" in got.err, f"status {got.status}: {got.err}")
        expect(not os.path.exists(os.path.join(where, "broken.o")), "an object was written")


def cuda_is_refused():
    """CUDA is another command's: an error that names it, and no object; with other sources, too."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "x.cu"), "w") as f:
            f.write("__global__ void k(float *a) { a[threadIdx.x] = 1; }\n")
        with open(os.path.join(scratch, "main.c"), "w") as f:
            f.write("int main(void) { return 0; }\n")
        for line in (["-c", "x.cu", "-o", "x.o"], ["main.c", "x.cu", "-o", "x.o"]):
            got = cc(line, scratch, check=False)
            expect(got.status == 2 and "x.cu: " in got.err and "nestwarp compile x.cu -o x.out.cu" in got.err, f"status {got.status}: {got.err}")
            expect(not os.path.exists(os.path.join(scratch, "x.o")), "something was written")


def files_for_the_compiler_alone():
    """-c with nothing of ours, such as assembly: an object is written."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "x.s"), "w") as f:
            f.write(".globl nothing\nnothing:\n")
        cc(["-c", "x.s", "-o", "x.o"], scratch)
        expect("nothing" in harness.run(["nm", "x.o"], cwd=scratch).out, "no object was written")


def saved_files():
    """--save-temps writes all that is needed: build.sh builds it with cc alone, from wherever it is called."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        line = ["-O2", "-Iinclude", "-DFACTOR=3", "--offload=always", "--save-temps=saved", "main.c", "scale.c", "total.c", "fixed.c", "-o", "all", "-lm"]
        said = cc(line, where).err
        expect("saved/build.sh builds it" in said, f"the way to build was not printed: {said}")
        saved = os.path.join(where, "saved")
        for wanted in ("scale.cu", "scale.cl", "scale.host.c", "runtime/nestwarp_rt.h"):
            expect(os.path.exists(os.path.join(saved, wanted)), f"{wanted} was not saved")
        harness.run(["env", "-i", "PATH=/usr/bin:/bin", os.path.join(saved, "build.sh")], cwd=scratch)
        offloads("./all", saved)


def saved_files_elsewhere():
    """What includes no headers of its own builds in any folder, after the sources are gone."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        with open(os.path.join(where, "alone.c"), "w") as f:
            f.write('#include <stdio.h>\nstatic int a[100];\nint main(void) {\n  for (int i = 0; i < 100; i++)\n    a[i] = WORD[0] * i;\n  printf("%d\\n", a[99]);\n  return 0;\n}\n')
        cc(["--offload=always", '-DWORD="a b"', "--save-temps=saved", "alone.c", "-o", "alone"], where)
        elsewhere = os.path.join(scratch, "elsewhere")
        shutil.move(os.path.join(where, "saved"), elsewhere)
        shutil.rmtree(where)
        harness.run(["env", "-i", "PATH=/usr/bin:/bin", "./build.sh"], cwd=elsewhere)
        offloads("./alone", elsewhere, "9603\n")


BRANCHES = """#include <stdio.h>
#ifdef _OPENACC
static int version(void) { return _OPENACC; }
#define SCALE 2
#else
static int version(void) { return 0; }
#define SCALE 3
#endif
static int table[64];
int scaled(int n) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    table[i] = SCALE * i + (version() ? 1 : 0);
  return table[n - 1];
}
#ifndef LIBRARY
int main(void) {
  printf("%d %d\\n", version(), scaled(64));
  return 0;
}
#endif
"""


def branches_on_openacc():
    """#ifdef _OPENACC takes the same branch in both compilers: in what is rewritten and what is not, in rules of make, and after
    --save-temps and nestwarp compile."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "branches.c"), "w") as f:
            f.write(BRANCHES)
        with open(os.path.join(scratch, "none.c"), "w") as f:  # nothing to rewrite
            f.write("#ifdef _OPENACC\n#include <acc.h>\n#endif\nint nothing;\n")
        with open(os.path.join(scratch, "acc.h"), "w") as f:
            f.write("int found_by_openacc;\n")
        cc(["-fopenacc", "--offload=always", "--save-temps=saved", "branches.c", "-o", "with"], scratch)
        offloads("./with", scratch, "202506 127\n")
        harness.run(["env", "-i", "PATH=/usr/bin:/bin", "saved/build.sh"], cwd=scratch)
        offloads("saved/with", scratch, "202506 127\n")
        cc(["--offload=always", "branches.c", "-o", "without"], scratch)
        offloads("./without", scratch, "0 189\n")
        cc(["-fopenacc", "--offload=always", "-U_OPENACC", "branches.c", "-o", "undone"], scratch)
        offloads("./undone", scratch, "0 189\n")
        cc(["-c", "-fopenacc", "-I.", "-MMD", "none.c"], scratch)
        expect("found_by_openacc" in harness.run(["nm", "none.o"], cwd=scratch).out, "none.c was compiled without _OPENACC")
        expect("acc.h" in open(os.path.join(scratch, "none.d")).read(), "the rule misses acc.h")
        expect("acc.h" in cc(["-fopenacc", "-I.", "-M", "none.c"], scratch).out, "-M misses acc.h")
        expect("found_by_openacc" in cc(["-fopenacc", "-I.", "-E", "none.c"], scratch).out, "-E takes the other branch")
        harness.run([harness.NESTWARP, "compile", "-q", "-fopenacc", "--target=opencl", "branches.c", "-o", "all.cl.c"], cwd=scratch)
        harness.run(["gcc", "-w", "all.cl.c", "all.host.c", "-lOpenCL", "-lpthread", "-o", "all"], cwd=scratch)
        got = harness.run(["./all"], cwd=scratch).out
        expect(got == "202506 127\n", f"nestwarp compile: the program printed '{got}'")
        said = harness.run([harness.NESTWARP, "check", "-q", "-fopenacc", "-DLIBRARY", "--function", "scaled", "branches.c"], cwd=scratch).out
        expect("scaled: same" in said, "nestwarp check: " + said)


FORKING = """#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int a[300];
static void twice(int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * a[i] + 1;
}
int main(void) {
  int status = 0;
  twice(300);
#ifdef FORKS
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60); // a child that hangs does not outlive the test
    twice(300);
    printf("child %d\\n", a[299]);
    exit(0);
  }
  waitpid(child, &status, 0);
#endif
  twice(300);
  printf("%d %d\\n", a[299], status);
  return 0;
}
"""


def forked_child():
    """A child of a process that has used the device runs on the host; the parent goes on."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "forks.c"), "w") as f:
            f.write(FORKING)
        cc(["--offload=always", "-DFORKS", "forks.c", "-o", "forks"], scratch)
        got = harness.run(["./forks"], cwd=scratch, env={"NESTWARP_STATS": "1"}, limit=100)
        expect(got.out == "child 3\n3 0\n", got.out + got.err[:1000])
        counts = re.findall(r'"regions_offloaded": (\d+), "regions_on_host": (\d+)', got.err)
        expect(counts == [("0", "1"), ("2", "0")], f"one region of the child on the host, two of the parent on the device: {got.err}")
        harness.run([harness.NESTWARP, "compile", "-q", "-DFORKS", "--target=opencl", "forks.c", "-o", "all.cl.c"], cwd=scratch)
        harness.run(["gcc", "-w", "-DFORKS", "all.cl.c", "all.host.c", "-lOpenCL", "-lpthread", "-o", "all"], cwd=scratch)
        got = harness.run(["./all"], cwd=scratch, limit=100)
        expect(got.out == "child 3\n3 0\n", "without the runtime: " + got.out + got.err[:1000])


def static_program():
    """-static: the program starts, and says why it stays on the host."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "alone.c"), "w") as f:
            f.write(FORKING)
        for flag in ("-static", "-static-pie"):
            cc(["--offload=always", flag, "alone.c", "-o", "alone"], scratch)
            got = harness.run(["./alone"], cwd=scratch)
            expect(got.out == "3 0\n" and got.err == "nestwarp: the program is linked statically, and cannot load a driver; running the original loops\n",
                   f"{flag}: {got.out}{got.err}")


CXX_PART = """#include <string>
#include <vector>
static float table[256];
extern "C" int words(int n) {
  for (int i = 0; i < n; i++)
    table[i] = 2.0f * i;
  std::vector<std::string> all(3, "x");
  return (int)table[n - 1] + (int)all.size();
}
"""


def objects_of_cxx():
    """nestwarp c++ links objects of C++ with the C++ library; nestwarp cc does not, as cc does not."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "part.cpp"), "w") as f:
            f.write(CXX_PART)
        with open(os.path.join(scratch, "main.c"), "w") as f:
            f.write('#include <stdio.h>\n#ifdef __cplusplus\nextern "C"\n#endif\nint words(int);\nint main(void) {\n  printf("%d\\n", words(200));\n  return 0;\n}\n')
        cc(["-c", "--offload=always", "part.cpp"], scratch)
        cc(["-c", "main.c"], scratch)
        cxx = lambda *line: harness.run([harness.NESTWARP, "c++", *line], cwd=scratch)
        cxx("main.o", "part.o", "-o", "linked")
        offloads("./linked", scratch, "401\n")
        expect(cc(["main.o", "part.o", "-o", "not"], scratch, check=False).status != 0, "nestwarp cc linked objects of C++, which cc does not")
        cxx("--offload=always", "main.c", "part.cpp", "-o", "whole")
        offloads("./whole", scratch, "401\n")
        cc(["--offload=always", "main.c", "part.cpp", "-o", "mixed"], scratch)
        offloads("./mixed", scratch, "401\n")


def c_files_as_cxx():
    """nestwarp c++ takes .c files as C++, as c++ does, and what it saves builds in the same way."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "all.c"), "w") as f:
            f.write(CXX_PART + '#include <cstdio>\nint main() {\n  std::printf("%d\\n", words(200));\n}\n')
        harness.run([harness.NESTWARP, "c++", "--offload=always", "--save-temps=saved", "all.c", "-o", "all"], cwd=scratch)
        offloads("./all", scratch, "401\n")
        saved = os.path.join(scratch, "saved")
        harness.run(["env", "-i", "PATH=/usr/bin:/bin", "./build.sh"], cwd=saved)
        offloads("./all", saved, "401\n")


def own_flags_stay_here():
    """No flag of nestwarp's own reaches the compiler, also where the line is handed on."""
    with harness.Scratch() as scratch:
        where = project(scratch)
        own = ["--fp=strict", "--offload=always", "--share=obey", "--time-limit=9", "--memory-limit=900", "--tuned=off", "--db=x.db", "--remarks", "--line-info", "--quiet"]
        expect("int scale(" in cc([*own, "-E", "-Iinclude", "-DFACTOR=3", "scale.c"], where).out, "-E prints no preprocessed text")


def odd_names():
    """Blanks and quotes in paths, two files of the same name in different folders."""
    with harness.Scratch() as scratch:
        folder = os.path.join(scratch, "it's a folder")
        os.makedirs(os.path.join(folder, "one"))
        os.makedirs(os.path.join(folder, "two"))
        for name, factor in (("one", 1), ("two", 2)):
            with open(os.path.join(folder, name, "same.c"), "w") as f:
                f.write(f"static int table[64];\nint {name}(int n) {{\n  for (int i = 0; i < n; i++)\n    table[i] = {factor} * i;\n  return table[n - 1];\n}}\n")
        with open(os.path.join(folder, "main file.c"), "w") as f:
            f.write('#include <stdio.h>\nint one(int), two(int);\nint main(void) {\n  printf("%d %d\\n", one(64), two(64));\n  return 0;\n}\n')
        cc(["--offload=always", "main file.c", "one/same.c", "two/same.c", "-o", "the program"], folder)
        offloads("./the program", folder, "63 126\n")


def names_that_c_would_misread():
    """Quotes and backslashes in the file's name, and what would end a comment in its folder's, with lines for profilers."""
    with harness.Scratch() as scratch:
        os.makedirs(os.path.join(scratch, "in*"))
        name = os.path.join("in*", 'a"b\\n.c')
        with open(os.path.join(scratch, name), "w") as f:
            f.write('#include <stdio.h>\nstatic int table[64];\nint main(void) {\n#pragma GCC unroll 1\n  for (int i = 0; i < 64; i++)\n    table[i] = 2 * i;\n'
                    '  printf("%d %s\\n", table[63], __FILE__);\n  return 0;\n}\n')
        cc(["--offload=always", "--line-info", "--save-temps=saved", "-g", name, "-o", "program"], scratch)
        offloads("./program", scratch, f"126 {name}\n")
        for target in ("cuda", "opencl"):
            out = os.path.join(scratch, target + ".c")
            harness.run([harness.NESTWARP, "compile", "-q", f"--target={target}", name, "-o", out], cwd=scratch)
            harness.run(["gcc", "-fsyntax-only", "-Wall", "-Werror", "-include", os.path.join(scratch, target + ".device.h"), os.path.join(scratch, target + ".host.c")])
        harness.run(["gcc", "-fsyntax-only", "-Wno-unused-function", os.path.join(scratch, "opencl.c")])


def strict_holds_on_the_host():
    """--fp=strict: nests that stay on the host are not contracted either, by cc and in what compile writes."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "x.c"), "w") as f:
            f.write("double a[64], b[64], c[64];\nvoid f(void) {\n  for (int i = 1; i < 64; i++)\n    c[i] = a[i] * b[i] + c[i - 1];\n"
                    "  for (int i = 0; i < 64; i++)\n    a[i] = a[i] * b[i] + 1;\n}\n")
        wrapper = os.path.join(scratch, "wrapped")
        with open(wrapper, "w") as f:
            f.write(f'#!/bin/sh\necho "$@" >> {scratch}/lines\nexec cc "$@"\n')
        os.chmod(wrapper, 0o755)
        for flags, wanted in ((["--fp=strict"], True), ([], False)):
            harness.run([harness.NESTWARP, "cc", *flags, "-c", "x.c"], cwd=scratch, env={"NESTWARP_CC": wrapper})
            lines = [l for l in open(os.path.join(scratch, "lines")) if ".host.c" in l]
            expect(lines and all(("-ffp-contract=off" in l) == wanted for l in lines), f"{flags}: the compiler was called as {lines}")
            os.remove(os.path.join(scratch, "lines"))
            harness.run([harness.NESTWARP, "compile", "-q", *flags, "x.c", "-o", "x.cu"], cwd=scratch)
            text = open(os.path.join(scratch, "x.host.c")).read()
            expect(('fp-contract=off' in text) == wanted, f"{flags}: the host file begins with\n{text[:400]}")


def plain_char_elsewhere():
    """What is compiled elsewhere is compiled with the same plain char, or not at all."""
    with harness.Scratch() as scratch:
        with open(os.path.join(scratch, "x.c"), "w") as f:
            f.write("#include <stdio.h>\nstatic char a[64];\nint main(void) {\n  for (int i = 0; i < 64; i++)\n    a[i] = (char)(i - 90);\n"
                    '  int below = 0;\n  for (int i = 0; i < 64; i++)\n    below += a[i] < 0;\n  printf("%d\\n", below);\n  return 0;\n}\n')
        for flag, other, want in (("-fsigned-char", "-funsigned-char", "64\n"), ("-funsigned-char", "-fsigned-char", "0\n")):
            cc(["--offload=always", flag, "--save-temps=saved", "x.c", "-o", "x"], scratch)
            offloads("./x", scratch, want)
            expect(flag in open(os.path.join(scratch, "saved", "build.sh")).read(), "build.sh does not say what plain char is")
            harness.run([harness.NESTWARP, "compile", "-q", flag, "--target=opencl", "x.c", "-o", "y.c"], cwd=scratch)
            harness.run(["cc", "-fsyntax-only", flag, "y.host.c"], cwd=scratch)
            got = harness.run(["cc", "-fsyntax-only", other, "y.host.c"], cwd=scratch, check=False)
            expect(got.status != 0 and "nw_compile_with" + flag.replace("-", "_") in got.err, f"the other char was taken: {got.err}")
        cc(["--offload=always", "--save-temps=default", "x.c", "-o", "x"], scratch)
        expect("signed-char" in open(os.path.join(scratch, "default", "build.sh")).read(), "build.sh leaves plain char to the other machine")


def cases(arguments):
    cases = [(f.__name__.replace("_", " "), f) for f in
             (make_project, plain_compiler, one_line, defaults, mixed_objects, pass_through, dependency_files, warnings_are_about_the_users_text, errors_leave_nothing, cuda_is_refused, files_for_the_compiler_alone, saved_files, saved_files_elsewhere, branches_on_openacc, forked_child, static_program, objects_of_cxx, c_files_as_cxx, own_flags_stay_here, odd_names, names_that_c_would_misread, strict_holds_on_the_host, plain_char_elsewhere)]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("cc")
