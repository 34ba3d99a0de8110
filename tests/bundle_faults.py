"""Cases of bundles: devices that are gone or too small, kernels and sources that do not compile, runs that are killed or begun
twice. Each says what is wrong, and nothing that is known gets lost."""
import fcntl
import os
import re
import signal
import subprocess
import harness
from bundle_workdir import (COMPILER, FIRST, RUN, SECOND, WorkDir, expect, need_pocl, nothing_built,
                            same, stand_in)
from harness import Failure

TWO = """void large(int n, int m, float a[n][m], float s[n]) {
  for (int i = 0; i < n; i++) {
    s[i] = 0;
    for (int j = 0; j < m; j++)
      s[i] += 3 * a[i][j];
  }
}
void small(int n, float s[n]) {
  for (int i = 0; i < n; i++)
    s[i] = 2 * s[i];
}
"""


def absent_device():
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        expect(workdir.run(device="opencl:31", check=False), 1, FIRST + ": same, but nothing ran on a device", SECOND + ": same, but nothing ran on a device")
        expect(workdir.bring_back(check=False), 3, "NESTWARP_DEVICE=opencl:31 is not available")


def lost_device():
    """The first launch of every process fails as after a wrong address: the loops run on the host, and all jobs have a result."""
    with harness.Scratch() as scratch:
        env = stand_in(scratch)
        workdir = WorkDir(scratch)
        expect(workdir.run(device="cuda", env={**env, "IDLE_CUDA_FAILS": "1"}, check=False), 1, "[1/2]", "[2/2]", "nothing ran on a device")
        expect(workdir.bring_back(check=False), 3, "an illegal memory access")


def small_device():
    with harness.Scratch() as scratch:
        env = stand_in(scratch)
        workdir = WorkDir(scratch)
        expect(workdir.run(device="cuda", env={**env, "IDLE_CUDA_BYTES": "100"}, check=False), 1, "[1/2]", "[2/2]")
        expect(workdir.bring_back(check=False), 3, "out of memory (error 2)")


def too_large():
    """A size for which the machine has no memory; the other function runs."""
    need_pocl()
    with harness.Scratch() as scratch:
        source, bundle = os.path.join(scratch, "two.c"), os.path.join(scratch, "bundle")
        with open(source, "w") as f:
            f.write(TWO)
        harness.run([harness.NESTWARP, "check", "-q", source, "--size", "large.n=2000000", "--size", "large.m=2000000", "--size", "small.n=100", "--cubin=none", "--bundle", bundle])
        expect(harness.run([RUN, bundle, "--device=pocl"], check=False), 1, "001-two-large: did not run", "002-two-small: same (")
        expect(harness.run([harness.NESTWARP, "check", "--import", bundle], check=False), 1, "two.c: large: did not run", "no memory for 4000000000000 elements of a", "two.c: small: same")


def bad_kernel():
    """Kernels that do not compile: the loops run on the host, the compiler's words come back, and the other job is not touched."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        workdir.edit(("jobs", FIRST, "regions.nw.c"), lambda text: re.sub(r"\(float\)3 \*", "(float)3 @", text))
        expect(workdir.run(check=False), 1, FIRST + ": same, but nothing ran on a device", SECOND + ": same (")
        expect(workdir.bring_back(check=False), 3, "the kernels cannot be built", "error:", "main.c (program): same")


def bad_source():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        workdir.edit(("jobs", FIRST, "driver.c"), lambda text: text.replace("return", "retrun", 1))
        expect(workdir.run(check=False), 1, FIRST + ": did not build", SECOND + ": same (")
        expect(workdir.bring_back(check=False), 1, "rows.c: rows: did not build", "the C compiler said", "retrun")


def cut_file():
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        os.truncate(workdir.path("runtime", "module.c"), 1000)
        expect(workdir.run(check=False), 2, "runtime/module.c: has another size")
        nothing_built(workdir)


def killed_and_resumed():
    """Killed, not stopped: it could not clean up. What was known is kept, and what was half done is done again."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        p = subprocess.Popen([RUN, workdir.bundle, "--device=pocl"], stdout=subprocess.PIPE, text=True)
        first = p.stdout.readline()
        p.kill()
        p.communicate()
        if FIRST + ": same" not in first:
            raise Failure(first)
        done = workdir.run()
        expect(done, 0, "[2/2]", "0 of 2 jobs not as expected")
        if "[1/2]" in done.out:
            raise Failure("the first job ran again")
        same("verdicts", workdir.verdicts(), ["same", "same"])


def two_at_once():
    """The second says who is at work and leaves everything as it is; the first ends as if nothing had been."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        p = subprocess.Popen([RUN, workdir.bundle, "--device=pocl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        p.stdout.readline()
        p.send_signal(signal.SIGSTOP)
        try:
            expect(workdir.run(check=False), 2, "another nestwarp-run is using it", f"process {p.pid} on ")
        finally:
            p.send_signal(signal.SIGCONT)
            p.communicate(timeout=120)
        same("status", p.returncode, 0)
        same("verdicts", workdir.verdicts(), ["same", "same"])
        with open(workdir.path("run.lock")) as held:  # whoever holds it, and whatever the file says
            fcntl.flock(held, fcntl.LOCK_EX)
            expect(workdir.run(check=False), 2, "another nestwarp-run is using it")


BROKEN_TIMES = {
    "cut": '{\\"regions\\": [',
    "none": '{\\"regions\\": [{\\"where\\": \\"a\\", \\"milliseconds\\": [nan], '
            '\\"kernels\\": []}]}',
    "other": "{}"}


def broken_times():
    """Programs that leave half a file of times, or what is none: their own results say so, and
    those of others can still be read."""
    need_pocl()
    with harness.Scratch() as scratch:
        sources, bundle = [], os.path.join(scratch, "bundle")
        for name, text in [*BROKEN_TIMES.items(), ("good", None)]:
            end = "" if text is None else (
                f'  FILE *f = fopen("times.json", "w");\n  fputs("{text}", f);\n  fclose(f);\n'
                "  fflush(stdout);\n  _exit(0);\n")
            sources.append(os.path.join(scratch, name + ".c"))
            with open(sources[-1], "w") as f:
                f.write("#include <stdio.h>\n#include <unistd.h>\nstatic int a[300];\n"
                        "int main(void) {\n  for (int i = 0; i < 300; i++)\n    a[i] = 2 * i;\n"
                        f'  printf("%d\\n", a[7]);\n{end}  return 0;\n}}\n')
        harness.run([harness.NESTWARP, "check", "-q", *sources, "--cubin=none",
                     "--bundle", bundle])
        expect(harness.run([RUN, bundle, "--device=pocl"], check=False, env=COMPILER), 1,
               "001-cut-main: its times are not understood",
               "002-none-main: its times are not understood",
               "003-other-main: its times are not understood", "004-good-main: same (")
        done = harness.run([harness.NESTWARP, "check", "--import", bundle], check=False)
        words = "no times: times.json is cut off, or is not a file of times"
        expect(done, 1, words, "good.c (program): same")
        same("programs without times", (done.out + done.err).count(words), len(BROKEN_TIMES))


def compilers():
    """CC has words, as make has them; no shell reads them."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        expect(workdir.run(env={"CC": "env  gcc -g0"}), 0, "0 of 2 jobs not as expected")
    for named, status, words in (("no-such-compiler -O1", 2, "'no-such-compiler' cannot be started"), ("gcc '-O1'", 2, "no shell expands it"), ("gcc; ls", 2, "no shell expands it"), ("gcc $(ls)", 2, 'as in CC="ccache gcc"')):
        with harness.Scratch() as scratch:
            expect(WorkDir(scratch).run(env={"CC": named}, check=False), status, words)


def one_compiler_line():
    """The other machine needs no CMake: one call of a C compiler makes nestwarp-run."""
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        harness.run(["sh", "-c", 'cc -std=gnu11 -w -I"$0"/runtime "$0"/runtime/*.c "$0"/runtime/tool/*.c "$0"/runtime/probe/*.c -o "$1" -ldl -lm -lpthread', workdir.bundle, os.path.join(scratch, "run")])
        expect(harness.run([os.path.join(scratch, "run"), workdir.bundle, "--device=none", "--only=rows-rows"], check=False), 1, FIRST + ": same, but nothing ran on a device")


CASES = [("absent device", absent_device), ("lost device", lost_device), ("small device", small_device), ("too large", too_large), ("bad kernel", bad_kernel), ("bad source", bad_source),
         ("cut file", cut_file), ("killed and resumed", killed_and_resumed), ("two at once", two_at_once), ("broken times", broken_times), ("compilers", compilers), ("one compiler line", one_compiler_line)]
