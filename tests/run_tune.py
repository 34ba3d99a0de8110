#!/usr/bin/env python3
"""nestwarp tune: here on PoCL, and through bundles; what the database does to other commands; and candidates that must not win.

Over 500 lines: one suite; its cases share a fake device and its faults.
"""
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import harness
from bundle_workdir import COMPILER, RUN, expect, need_pocl
from harness import NESTWARP, Failure, Skip

SOURCE = """void scale(int n, float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = 2.5f * x[i] + y[i];
}
"""
TWO_REGIONS = SOURCE.replace("}", "  if (n > 1000) for (int i = 0; i < n; i++)\n    x[i] = y[i] - 1;\n}")
JOB = "001-scale-scale"
ROWS = """__global__ void rows(int n, int m, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < m; j++)
      b[i * m + j] = a[i * m + j] * 3 + i;
}
void call(int n, int m, const float *a, float *b) { rows<<<(n + 63) / 64, 64>>>(n, m, a, b); }
"""


class WorkDir:
    """A small program, and a database of its own."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.source, self.database, self.bundle = [os.path.join(scratch, name) for name in ("scale.c", "cache/tune.db", "bundle")]
        self.env = {"NESTWARP_TUNE_DB": self.database, **COMPILER}
        with open(self.source, "w") as f:
            f.write(SOURCE)

    def nestwarp(self, *arguments, check=True, env=None):
        return harness.run([NESTWARP, *arguments], cwd=self.scratch, env={**self.env, **(env or {})}, check=check, limit=300)

    def tune(self, *more, **how):
        return self.nestwarp("tune", self.source, "--size", "n=3000", "--repeats", "2", *more, **how)

    def write_bundle(self, candidates=4, *more, repeats=2, size=3000):
        return self.nestwarp("tune", self.source, "--size", f"n={size}", "--repeats", str(repeats), "--candidates", str(candidates), "--cubin=none", "--bundle", self.bundle, *more)

    def measure(self, *more, check=True, env=None):
        return harness.run([RUN, "tune", self.bundle, "--device=pocl", *more], env={**self.env, **(env or {})}, check=check, limit=300)

    def rows(self):
        with sqlite3.connect(self.database) as c:
            c.row_factory = sqlite3.Row
            return [dict(r) for r in c.execute("SELECT * FROM results")]

    def change_rows(self, **values):
        with sqlite3.connect(self.database) as c:
            for column, value in values.items():
                c.execute(f"UPDATE results SET {column} = ?", (value,))
        c.close()

    def log(self, name="results.json"):
        with open(os.path.join(self.bundle, name)) as f:
            return json.load(f)["jobs"][0]

    def write_results(self, name, measure, check=""):
        """As if this machine had measured: lines of logs, their words separated by blanks."""
        with open(os.path.join(self.bundle, "manifest.txt")) as f:
            [own] = [line.split()[1] for line in f if line.startswith("id")]
        results = {"nestwarp_results": 1, "bundle": own, "date": "today", "jobs": [{"job": JOB, "verdict": "same"}]}
        for key, lines in (("measure", ["device opencl:0 device compiler", *measure.splitlines()]), ("check", check.splitlines())):
            results["jobs"][0][key] = "".join("\t".join(line.split()) + "\n" for line in lines)
        with open(os.path.join(self.bundle, name), "w") as f:
            json.dump(results, f)

    def edit(self, name, before, after):
        """In place, with as many bytes: the manifest knows the sizes."""
        path = os.path.join(self.bundle, "jobs", JOB, name)
        with open(path) as f:
            text = f.read()
        if before not in text or len(before) != len(after):
            raise Failure(f"{name} has no {before}")
        with open(path, "w") as f:
            f.write(text.replace(before, after))

    def insert(self, name, after, code):
        """The same with code behind the first place of `after`: the comment at the top, and comments of kernels, become shorter."""
        path = os.path.join(self.bundle, "jobs", JOB, name)
        with open(path) as f:
            text = f.read()
        if after not in text:
            raise Failure(f"{name} has no {after}")
        changed = text.replace(after, after + code, 1)
        for comment in re.findall(r"(?<=// )[^\n]*(?=\\n\"\n)|(?<=/\* )[^\n]*(?= \*/)", text):
            spare = min(len(changed) - len(text), len(comment))
            changed = changed.replace(comment, comment[spare:], 1)
        if len(changed) != len(text):
            raise Failure(f"{name} has too few comments")
        with open(path, "w") as f:
            f.write(changed)

    def files(self, number):
        """Of a candidate: its function, and the same in each of its forms."""
        return [n for n in os.listdir(os.path.join(self.bundle, "jobs", JOB)) if re.fullmatch(rf"candidate-0-{number}\.nw\.c|form-0-{number}-\d+\.nw\.c", n)]

    def edit_candidate(self, number, before, after):
        for name in self.files(number):
            self.edit(name, before, after)

    def begin_candidate(self, number, statement):
        """The same at the begin of its function."""
        self.insert(f"candidate-0-{number}.nw.c", "const nw_on_device *on_device) {\n", statement)


def read_text(path):
    with open(path) as f:
        return f.read()


def lines(log, word):
    """Candidates of region 0 that a log has such a line for."""
    return [int(n) for n in re.findall(rf"^{word}\t0\t(\d+)\b", log, re.M)]


def with_workdir(case):
    def run():
        need_pocl()
        with harness.Scratch() as scratch:
            case(WorkDir(scratch))
    return run


def tuned_here(workdir):
    done = workdir.tune("--candidates", "3", "--budget", "60s")
    expect(done, 0, "scale.c:2 (scale): ", " ms")
    if not re.search(r"scale\.c: scale: \d+ predicted, [1-3] tried, .* 0 wrong, 0 crashed", done.err):
        raise Failure(f"no account of the search:\n{done.err}")
    [row] = workdir.rows()
    if row["sizes"] != "n=3000" or row["backend"] != "opencl" or row["planned"] != "portable" or not row["untuned"] >= row["milliseconds"] > 0:
        raise Failure(f"the database has {row}")


def devices_by_name(workdir):
    """--on takes what NESTWARP_DEVICE takes, which holds without --on."""
    for on in ("pocl", "opencl"):
        expect(workdir.tune("--candidates", "1", "--on", on), 0, "scale.c:2 (scale): ")
    for on in ("cuda:7", "opencl:77", "opencl:0x", "pocl:0", "none"):
        expect(workdir.tune("--on", on, check=False), 1, f"--on={on}: there is no such device here")
    expect(workdir.tune(check=False, env={"NESTWARP_DEVICE": "opencl:77"}), 1, "no OpenCL device has this number", "no device to measure on was found")


def strategies(workdir):
    for strategy in ("exhaustive", "local", "random"):
        # With wide loads, there would be 1200 plans to predict the time of, not 90.
        done = workdir.tune("--candidates", "2", "--strategy", strategy, "--no-vectors")
        expect(done, 0, "scale.c:2 (scale): ", " 2 tried")
        if ("scale: 0 predicted" in done.err) != (strategy == "random"):
            raise Failure(f"{strategy}: {done.err}")


def random_plans_travel(workdir):
    """Others with another seed, the same with the same."""
    def chosen(seed):
        shutil.rmtree(workdir.bundle, ignore_errors=True)
        workdir.nestwarp("tune", workdir.source, "--size", "n=3000", "--strategy=random", "--seed", seed, "--candidates", "4", "--cubin=none", "--bundle", workdir.bundle)
        if candidates_of(workdir) != 4:
            raise Failure(f"seed {seed}: {candidates_of(workdir)} candidates")
        return {read_text(os.path.join(workdir.bundle, "jobs", JOB, f"plan-0-{n}.json")) for n in range(1, 5)}

    if chosen("1") != chosen("1") or chosen("1") == chosen("2"):
        raise Failure("the seed does not decide")


def exhaustive_says_where_it_ends(workdir):
    with open(workdir.source, "w") as f:
        f.write("void turn(int n, float a[n][n], float b[n][n]) {\n"
                "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
                "      a[i][j] = b[j][i];\n}\n")
    done = workdir.nestwarp("tune", workdir.source, "--size", "n=64", "--repeats", "1",
                            "--candidates", "1", "--strategy=exhaustive", "--budget", "1s",
                            check=False)
    if "--strategy=exhaustive looks at 4096 of them" not in done.err:
        raise Failure(done.err)


def plan_with_block(workdir, block):
    plan = json.loads(workdir.nestwarp("compile", workdir.source, "--emit=plan", "--tuned=off").out)
    plan[0]["kernels"][0]["block"] = [block]
    return json.dumps(plan)


def put_plan(workdir, block=64):
    """A result that does not depend on times: the tuner's own row, with a plan that is known."""
    workdir.tune("--candidates", "1")
    workdir.change_rows(plan=plan_with_block(workdir, block), milliseconds=1.0, untuned=2.0)


def plans_are_taken(workdir):
    put_plan(workdir)

    def block(*more, target="opencl"):
        return json.loads(workdir.nestwarp("compile", workdir.source, f"--target={target}", "--emit=plan", *more).out)[0]["kernels"][0]["block"][0]

    proposed = block("--tuned=off")
    for wanted, more in [(64, []), (64, ["--size", "n=3000"]), (64, ["--size", "n=12000"]), (proposed, ["--size", "n=13000"]), (proposed, ["--fp=strict"]),
                         (proposed, ["--no-vectors"]), (proposed, ["--device=h200"]), (proposed, ["--db", os.path.join(workdir.scratch, "other.db")])]:
        if block(*more) != wanted:
            raise Failure(f"{more}: the block is {block(*more)}, not {wanted}")
    if block(target="cuda") != proposed:
        raise Failure("a result of OpenCL is taken for CUDA")
    said = workdir.nestwarp("compile", workdir.source, "--target=opencl", "-o", "out.cl.c")
    expect(said, 0, "scale.c:2: plan: tuned on ", " at n=3000, 2.00 x the proposed one")
    with open(os.path.join(workdir.scratch, "out.cl.c")) as f:
        if "plan: tuned on" not in f.read():
            raise Failure("the generated file does not tell of its plan")
    expect(workdir.nestwarp("check", workdir.source, "--size", "n=3000"), 0, "scale: same")
    expect(workdir.nestwarp("cc", "-c", "scale.c", "-o", "scale.o"), 0, "plan: tuned on")
    if "tuned" in workdir.nestwarp("cc", "--tuned=off", "-c", "scale.c", "-o", "scale.o").err:
        raise Failure("cc --tuned=off takes a tuned plan")
    # A plan that is given wins; lines above the nest do not matter; another program has no result.
    with open(os.path.join(workdir.scratch, "given.json"), "w") as f:
        f.write(plan_with_block(workdir, 128))
    if block("--plan", "given.json") != 128:
        raise Failure("--plan does not win over the database")
    with open(workdir.source, "w") as f:
        f.write("\n\n/* moved */\n" + SOURCE)
    if block() != 64:
        raise Failure("the result is lost when lines are added above")
    with open(workdir.source, "w") as f:
        f.write(SOURCE.replace("2.5f", "3.5f"))
    if block() != proposed:
        raise Failure("another program takes the plan")


def cuda_files(workdir):
    """Threads of a launch need not be said where there are enough; a plan that was found on a GPU is the one that comes out."""
    source = os.path.join(workdir.scratch, "rows.cu")
    with open(source, "w") as f:
        f.write(ROWS)
    expect(workdir.nestwarp("tune", source, "--size", "n=150", check=False), 2, "--size m=NUMBER")
    done = workdir.nestwarp("tune", source, "--size", "n=150", "--size", "m=70", "--repeats", "2", "--candidates", "2")
    expect(done, 0, "rows.cu:1 (rows): ", " 0 wrong, 0 crashed, 0 not on the device")
    [row] = workdir.rows()
    if row["sizes"] != "m=70;n=150;threads_x=1024" or row["backend"] != "opencl":
        raise Failure(f"the database has {row}")
    strips = workdir.nestwarp("compile", source, "--emit=plan", "--tuned=off", "--coalesce=both").out
    workdir.change_rows(plan=strips, backend="cuda", milliseconds=1.0, untuned=2.0)
    expect(workdir.nestwarp("compile", source, "-o", "out.cu"), 0, "rows.cu:1: plan: tuned on ", "2.00 x the proposed one")
    with open(os.path.join(workdir.scratch, "out.cu")) as f:
        if "__shared__" not in f.read():
            raise Failure("the plan of the database does not come out")
    if "__shared__" in workdir.nestwarp("compile", source, "--emit=cuda", "--tuned=off").out:
        raise Failure("the proposed plan has tiles, too: nothing is tested")


def unfit_plans_are_left(workdir):
    put_plan(workdir)
    for plan in (plan_with_block(workdir, 100000), "[]", "no plan", plan_with_block(workdir, 64).replace("step0", "step7")):
        workdir.change_rows(plan=plan)
        done = workdir.nestwarp("compile", workdir.source, "--target=opencl", "--emit=plan")
        if done.out != workdir.nestwarp("compile", workdir.source, "--emit=plan", "--tuned=off").out:
            raise Failure(f"{plan[:60]}: not the proposed plan")


def results_of_another_version_are_noted(workdir):
    """Plans in the database that are of before the fields were renamed: left alone, and said so."""
    put_plan(workdir)
    workdir.change_rows(version=1)
    done = workdir.nestwarp("compile", workdir.source, "--target=opencl", "--emit=plan")
    expect(done, 0, "warning", "has results for this program from another version of nestwarp", "run nestwarp tune again")
    if done.out != workdir.nestwarp("compile", workdir.source, "--emit=plan", "--tuned=off").out:
        raise Failure("not the proposed plan")
    if "another version" in workdir.nestwarp("compile", workdir.source, "--emit=plan", "--tuned=off").err:
        raise Failure("it is said though nobody asked for tuned plans")


def damaged_database(workdir):
    own = os.path.join(workdir.scratch, "nestwarp", "tune.db")
    os.makedirs(os.path.dirname(own))
    with open(own, "w") as f:
        f.write("no database at all " * 20)
    expect(workdir.nestwarp("compile", workdir.source, "--emit=plan", env={"NESTWARP_TUNE_DB": "", "XDG_CACHE_HOME": workdir.scratch}), 0, "warning", "was set aside")
    if not os.path.exists(own + ".set-aside-1"):
        raise Failure("it was not kept")
    # A file that somebody named by mistake stays.
    expect(workdir.nestwarp("compile", workdir.source, "--emit=plan", "--db", workdir.source), 0, "it stays as it is", "going on without")
    expect(workdir.tune("--db", workdir.source, check=False), 1, "it stays as it is", "give --db FILE, with a file that is writable")
    expect(workdir.nestwarp("tune", "--import", ".", "--db", workdir.source, check=False), 1, "it stays as it is")
    if read_text(workdir.source) != SOURCE:
        raise Failure("the source was taken for a database")
    expect(workdir.nestwarp("compile", workdir.source, "--emit=plan", "--db", "/dev/null"), 0, "warning", "/dev/null cannot be used", "going on without")
    pipe = os.path.join(workdir.scratch, "pipe")
    os.mkfifo(pipe)  # nobody waits for a writer
    expect(workdir.nestwarp("compile", workdir.source, "--emit=plan", "--db", pipe), 0, "cannot be used: it is not a file")


def results_that_cannot_be_kept(workdir):
    """They are refused before anything is measured."""
    for path in ("/dev/null/tune.db", workdir.scratch):
        done = workdir.tune("--candidates", "1", check=False, env={"NESTWARP_TUNE_DB": path})
        expect(done, 1, "warning", "cannot be used", "give --db FILE, with a file that is writable")
        if "tried" in done.err or "going on" in done.err:
            raise Failure(done.err)


def nothing_to_tune(workdir):
    with open(workdir.source, "w") as f:
        f.write("void chain(int n, float *a) {\n  for (int i = 1; i < n; i++)\n    a[i] = a[i - 1] * 0.5f + 1;\n}\n")
    expect(workdir.tune(check=False), 1, "scale.c:2:3: remark", "NW0201", "nothing to tune")


def sizes_are_numbers(workdir):
    for size in ("abc", "1<<20", "2147483648", "99999999999999999999", "3.5", "", "-2147483649"):
        expect(workdir.nestwarp("tune", workdir.source, "--size", "n=" + size, check=False), 2, f"--size n={size}: expected a whole number")
    expect(workdir.tune("--check-size", "n=many", check=False), 2, "--check-size n=many: expected a whole number")
    expect(workdir.nestwarp("explain", workdir.source, "--size", "n=99999999999999999999", check=False), 2, "expected NAME=NUMBER")
    for command, size in [(c, s) for c in ("check", "bench", "compile") for s in ("abc", "", "1<<20", "12x", "nan", "inf", " 3", "n*2")]:
        expect(workdir.nestwarp(command, workdir.source, "--size", "n=" + size, check=False), 2, f"--size n={size}: expected a number, as in n=129")
    expect(workdir.nestwarp("check", workdir.source, "--size", "n=1e2"), 0, "scale: same")


def sizes_with_nothing_to_do(workdir):
    for size in ("0", "-5"):
        expect(workdir.tune("--candidates", "1", "--size", "n=" + size, check=False), 1, f"scale.c: scale: nothing was measured: at n={size} there is nothing to do")
    if workdir.rows():
        raise Failure(f"{workdir.rows()}")


def there_and_back(workdir):
    expect(workdir.write_bundle(), 0, "nestwarp-run tune")
    expect(harness.run([RUN, workdir.bundle], check=False), 2, "nestwarp-run tune DIR")
    expect(workdir.measure(), 0, f"{JOB}: same")
    log = workdir.log()
    numbers = sorted(lines(log["check"], "right"))
    if numbers != sorted(lines(log["measure"], "try")) or not numbers or lines(log["measure"], "time")[0] != 0 or 0 not in lines(log["measure"], "final"):
        raise Failure(f"{log}")
    os.remove(workdir.source)  # nothing but the bundle is needed
    expect(workdir.nestwarp("tune", "--import", workdir.bundle), 0, "scale.c:2 (scale): ", f"{len(numbers)} of {len(numbers)} candidates tried: 0 wrong")
    if [r["sizes"] for r in workdir.rows()] != ["n=3000"]:
        raise Failure(f"{workdir.rows()}")
    expect(workdir.nestwarp("tune", "--import", os.path.join(workdir.bundle, "results.json")), 0, "scale.c:2 (scale): ")


def faults_never_win(workdir):
    workdir.write_bundle(candidates=5)
    numbers = sorted(int(re.fullmatch(r"candidate-0-(\d+)\.nw\.c", n).group(1)) for n in os.listdir(os.path.join(workdir.bundle, "jobs", JOB)) if n.startswith("candidate"))[1:]
    wrong, crashing, unbuilt = numbers[:3]
    workdir.edit_candidate(wrong, "2.5f", "7.5f")
    workdir.edit_candidate(crashing, "return nw_leave(region);", "__builtin_trap(); /*  */")
    workdir.edit_candidate(unbuilt, "return nw_leave(region);", "this is no C  (region); ")
    expect(workdir.measure(check=False), 1, f"{JOB}: DIFFERENT")
    log = workdir.log()
    measured = set(lines(log["measure"], "time")) | set(lines(log["measure"], "slow"))
    if lines(log["check"], "wrong") != [wrong] or lines(log["check"], "crashed") != [crashing] or lines(log["check"], "host") != [unbuilt] or measured != {0, *numbers[3:]}:
        raise Failure(f"{log}")
    expect(workdir.nestwarp("tune", "--import", workdir.bundle, check=False), 1, "WRONG", "CRASHED", "bug of nestwarp", "y[0]: expected", "1 wrong, 1 crashed, 1 not on the device")
    with open(os.path.join(workdir.bundle, "jobs", JOB, f"plan-0-{wrong}.json")) as f:
        if workdir.rows()[0]["plan"] == f.read():
            raise Failure("a wrong candidate has won")


def one_part_says_wrong(workdir):
    """What one file of results calls wrong or crashed does not win by another."""
    workdir.write_bundle(candidates=3)
    workdir.write_results("results-1-of-2.json", "time 0 0 10 0.01 7\ntime 0 1 5 0.01 7\ntime 0 2 6 0.01 7\ntime 0 3 8 0.01 7\n")
    workdir.write_results("results-2-of-2.json", "time 0 0 10 0.01 7\ncrashed 0 2 status 139\n", check="wrong 0 1 y 0 1 2\n")
    expect(workdir.nestwarp("tune", "--import", workdir.bundle, check=False), 1, "WRONG", "CRASHED", "8 ms instead of 10 ms", "3 of 3 candidates tried, in 2 parts: 1 wrong, 1 crashed")


def plans_for_the_board(workdir):
    """bench/tuning.py takes the plan that nestwarp takes: not the fastest, whose times spread, but the next."""
    workdir.write_bundle(candidates=2)
    workdir.write_results("results.json", "time 0 0 10 0.01 7\ntime 0 1 5 0.01 7\ntime 0 2 8 0.01 7\nfinal 0 0 10 0.01 9\nfinal 0 1 5 1.5 9\nfinal 0 2 8 0.01 9\n")
    output = os.path.join(workdir.scratch, "plans")
    done = harness.run([sys.executable, os.path.join(harness.ROOT, "bench", "tuning.py"), "plans", workdir.scratch, output, "--nestwarp", NESTWARP])
    expect(done, 0, "scale: candidate 2")
    if read_text(os.path.join(output, "scale.json")) != read_text(os.path.join(workdir.bundle, "jobs", JOB, "plan-0-2.json")):
        raise Failure("another plan was copied")


def older_winners(workdir):
    """Where the proposed plan stays, a plan that won before is forgotten only if it was measured again."""
    workdir.write_bundle(candidates=2)
    plans = {n: read_text(os.path.join(workdir.bundle, "jobs", JOB, f"plan-0-{n}.json")) for n in (1, 2)}

    def imported(words, *lines, status=0):
        workdir.write_results("results.json", "\n".join(["time 0 0 10 0.01 7", *lines]) + "\n")
        expect(workdir.nestwarp("tune", "--import", workdir.bundle, check=False), status, words)
        [row] = workdir.rows()
        return row["plan"]

    for again, status, kept in [("", 0, True), ("time 0 2 9.99 0.01 7", 0, True), ("time 0 1 9.99 0.01 7", 0, False), ("slow 0 1 90", 0, False), ("wrong 0 1 y 0 1 2", 1, False)]:
        if imported("5 ms instead of 10 ms", "time 0 1 5 0.01 7") != plans[1]:
            raise Failure("the winner was not kept")
        words = "which was not measured this time" if kept else "the proposed plan stays"
        if imported(words, again, status=status) != (plans[1] if kept else ""):
            raise Failure(f"after '{again}' the database has {workdir.rows()}")
    # Another winner takes its place.
    imported("5 ms instead of 10 ms", "time 0 1 5 0.01 7")
    if imported("6 ms instead of 10 ms", "time 0 2 6 0.01 7") != plans[2]:
        raise Failure(f"{workdir.rows()}")


def older_winners_here(workdir):
    workdir.tune("--candidates", "1")
    workdir.change_rows(plan=plan_with_block(workdir, 32), what="block 32", milliseconds=1.0, untuned=1.5)
    done = workdir.tune("--candidates", "1")
    stays = "the proposed plan stays" in done.out
    if stays != ("block 32, 1.50 x" in done.out) or stays != (workdir.rows()[0]["what"] == "block 32"):
        raise Failure(f"{done.out}{workdir.rows()}")


def wrong_at_full_size(workdir):
    """Right where it is checked against the original, wrong where it is timed: nine elements are left out of large arrays."""
    workdir.write_bundle(candidates=2, size=300000)
    workdir.begin_candidate(1, "if(n>200000)n-=9;")
    expect(workdir.measure(check=False), 1, f"{JOB}: DIFFERENT")
    log = workdir.log()
    if 1 not in lines(log["check"], "right") or lines(log["measure"], "wrong") != [1] or 1 in lines(log["measure"], "time"):
        raise Failure(f"{log}")


def ends_and_hangs(workdir):
    """Candidates that hang where they are checked, and that end the driver or hang where they are timed: the others go on."""
    workdir.write_bundle(candidates=4, size=300000)
    workdir.begin_candidate(1, "for(;;);")
    workdir.begin_candidate(2, "if(n>200000)__builtin_trap();")
    workdir.begin_candidate(3, "if(n>200000)for(;;);")
    workdir.measure("--limit=6", check=False)
    log = workdir.log()
    if lines(log["check"], "crashed") != [1] or sorted(lines(log["measure"], "crashed")) != [2, 3] or not {0, 4} <= set(lines(log["measure"], "time") + lines(log["measure"], "slow")):
        raise Failure(f"{log}")
    expect(workdir.nestwarp("tune", "--import", workdir.bundle, check=False), 1, "it took too long", "0 wrong, 3 crashed")
    if workdir.rows()[0]["plan"] not in ("", read_text(os.path.join(workdir.bundle, "jobs", JOB, "plan-0-4.json"))):
        raise Failure("a candidate that crashed has won")


def small_among_large(workdir):
    """An element is held against itself and its neighbours, not against what is large elsewhere."""
    with open(workdir.source, "a") as f:
        f.write("void prepare_scale(int n, float x[n], float y[n]) {\n  for (int i = 0; i < n - 100; i++)\n    x[i] *= 1e5f, y[i] *= 1e5f;\n}\n")
    workdir.write_bundle(candidates=2, size=300000)
    workdir.insert("candidate-0-1.nw.c", "const nw_on_device *on_device) {\n", "if(n>200000)n-=9;")
    expect(workdir.measure(check=False), 1, f"{JOB}: DIFFERENT")
    if lines(workdir.log()["measure"], "wrong") != [1]:
        raise Failure(f"{workdir.log()}")


INSIDE = "if (!region)\n    return 0;\n"  # what follows is timed


def cold_noisy_and_slow(workdir):
    """Each run takes 20 ms, so that little else matters. The first one at a size compiles the kernels for it; one run of candidate 2 is disturbed; candidate 3 is slow."""
    workdir.write_bundle(candidates=3, repeats=3, size=300000)
    for number, sleep in enumerate(("20000", "20000", "k++==1?900000:20000", "900000")):
        workdir.insert(f"candidate-0-{number}.nw.c", INSIDE, f"static int k;if(n>200000)usleep({sleep});")
    workdir.measure("--finalists=0", env={"POCL_CACHE_DIR": os.path.join(workdir.scratch, "pocl")})
    log = workdir.log()["measure"]
    if lines(log, "time") != [0, 1, 2] or lines(log, "slow") != [3]:
        raise Failure(log)
    expect(workdir.nestwarp("tune", "--import", workdir.bundle), 0, "1 given up as slow")


def crash_beside_another_region(workdir):
    """Regions are measured in the same runs; a crash is that of one of them."""
    with open(workdir.source, "w") as f:
        f.write(TWO_REGIONS)
    workdir.write_bundle(candidates=2, size=300000)
    workdir.insert("candidate-1-1.nw.c", INSIDE, "if(n>200000)__builtin_trap();")
    workdir.measure(check=False)
    log = workdir.log()["measure"]
    if re.findall(r"^crashed\t(\d+)\t(\d+)", log, re.M) != [("1", "1")] or set(lines(log, "time") + lines(log, "slow")) != {0, 1, 2} or not re.search(r"^(time|slow)\t1\t2\t", log, re.M):
        raise Failure(log)
    expect(workdir.nestwarp("tune", "--import", workdir.bundle, check=False), 1, "scale.c:2 (scale): ", "scale.c:4 (scale): ", "4 of 4 candidates tried: 0 wrong, 1 crashed")


def none_is_timed(workdir):
    workdir.write_bundle(candidates=1, size=300000)
    workdir.insert("candidate-0-1.nw.c", INSIDE, "if(n>200000)usleep(900000);")
    workdir.measure()
    expect(workdir.nestwarp("tune", "--import", workdir.bundle), 0, "the proposed plan stays: ", "no other was timed")


def writes_where_none_is_expected(workdir):
    """What a wrong candidate leaves in an input is not there for the next one."""
    workdir.write_bundle(candidates=2, size=300000)
    workdir.insert("candidate-0-1.nw.c", "const nw_on_device *on_device) {\n", "if(n>200000)((float*)x)[7]+=1;")
    expect(workdir.measure(check=False), 1, f"{JOB}: DIFFERENT")
    log = workdir.log()["measure"]
    if lines(log, "wrong") != [1]:
        raise Failure(log)


def forms_of_large_sizes(workdir):
    """A form that is launched at the sizes to tune for alone is held against the original, too: of a candidate, and of the proposed plan."""
    workdir.write_bundle(candidates=8, size=300000)
    several = [n for n in range(9) if len(workdir.files(n)) > 1]
    if several[0] != 0 or len(several) < 2:
        raise Failure(f"candidates with forms: {several}")
    workdir.edit_candidate(several[1], "2.5f * x_window", "7.5f * x_window")
    expect(workdir.measure(check=False), 1, f"{JOB}: DIFFERENT")
    log = workdir.log()
    if lines(log["check"], "wrong") != [several[1]] or several[1] in lines(log["measure"], "try"):
        raise Failure(f"{log}")
    shutil.rmtree(workdir.bundle)
    workdir.write_bundle(candidates=1, size=300000)
    workdir.edit_candidate(0, "2.5f * x_window", "7.5f * x_window")
    expect(workdir.measure(check=False), 1, f"{JOB}: DIFFERENT")
    if lines(workdir.log()["check"], "wrong") != [0] or "measure" in workdir.log():
        raise Failure(f"{workdir.log()}")


def unreached_when_checked(workdir):
    """Where nothing reaches the device at the sizes of the check, the original would be compared with itself."""
    with open(workdir.source, "w") as f:
        f.write(SOURCE.replace("  for", "  if (n > 1000) for"))
    done = workdir.tune("--candidates", "1", "--check-size", "n=100", check=False)
    expect(done, 1, "at the sizes of the check (n=100)", "it was not reached", "--check-size gives other sizes")
    if os.path.exists(workdir.database) and workdir.rows():
        raise Failure("a result is kept that nothing was compared for")
    workdir.write_bundle(2, "--check-size", "n=100")
    workdir.measure(check=False)
    expect(workdir.nestwarp("tune", "--import", workdir.bundle, check=False), 1, "--check-size gives other sizes", "nothing was measured")


def one_region_unreached(workdir):
    """One of two regions: the other one is tuned."""
    with open(workdir.source, "w") as f:
        f.write(TWO_REGIONS)
    workdir.write_bundle(2, "--check-size", "n=100")
    workdir.measure()
    log = workdir.log()
    if not lines(log["check"], "right") or not re.search(r"^host\t1\t1\t.*--check-size", log["check"], re.M) or "right\t1\t" in log["check"] or "try\t1\t" in log["measure"]:
        raise Failure(f"{log}")
    expect(workdir.nestwarp("tune", "--import", workdir.bundle), 0, "scale.c:4: not on the device: at the sizes of the check (n=100)", "scale.c:2 (scale): ")


def stopped_and_resumed(workdir):
    workdir.write_bundle(candidates=4, repeats=60, size=4000000)  # long enough to be stopped in
    log = None
    runner = subprocess.Popen([RUN, "tune", workdir.bundle, "--device=pocl"], env={**os.environ, **workdir.env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.time() + 200
    while runner.poll() is None and time.time() < end:  # until the proposed plan is known and a candidate was begun
        found = [os.path.join(p, "measure.log") for p, _, names in os.walk(workdir.bundle) if "measure.log" in names]
        log = open(found[0]).read() if found else ""
        if lines(log, "try"):
            break
        time.sleep(0.01)
    runner.send_signal(signal.SIGINT)
    said = runner.communicate(timeout=100)[0]
    if runner.returncode != 130 or "the same command continues" not in said or os.path.exists(os.path.join(workdir.bundle, "results.json")):
        raise Failure(f"status {runner.returncode}: {said}")
    known = lines(log, "time")
    workdir.measure()
    final = workdir.log()["measure"]
    if 0 not in known or any(lines(final, "time").count(n) != 1 for n in known) or log.splitlines()[1] not in final:
        raise Failure(f"measured again, or lost: {known}\n{final}")


def as_if_stopped(workdir, before, after):
    """A log of another device or driver, with a time that no run has, in a run that is not at its end."""
    [build] = [os.path.join(workdir.bundle, n) for n in os.listdir(workdir.bundle) if n.startswith("build-")]
    with open(os.path.join(build, JOB, "tune.key"), "w") as f:
        f.write(f"pocl {os.path.basename(build)[len('build-'):]}\n")
    path = os.path.join(build, JOB, "measure.log")
    with open(path) as f:
        text = f.read()
    if before not in text.splitlines()[0]:
        raise Failure(text)
    with open(path, "w") as f:
        f.write(re.sub(r"^(time\t0\t0\t)[0-9.]+", r"\g<1>0.000077", text.replace(before, after), flags=re.M))


def resumed_on_another_device(workdir):
    """What was measured there is not gone on with."""
    workdir.write_bundle(candidates=2)
    workdir.measure()
    for before, after in (("pthread", "another"), ("PoCL ", "PoCL 0")):  # the name; the version
        as_if_stopped(workdir, before, after)
        expect(workdir.measure(), 0, "another device or driver", after)
        log = workdir.log()["measure"]
        if "0.000077" in log or log.count("device\t") != 1 or after in log:
            raise Failure(log)
    as_if_stopped(workdir, "pthread", "pthread")
    workdir.measure()
    if "0.000077" not in workdir.log()["measure"]:
        raise Failure(f"the same device is begun anew: {workdir.log()}")


def stopped_here(workdir):
    command = [NESTWARP, "tune", workdir.source, "--size", "n=3000", "--repeats", "2", "--strategy=local", "--candidates", "10000", "--budget", "1h"]
    tuner = subprocess.Popen(command, cwd=workdir.scratch, env={**os.environ, **workdir.env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = ""
    for line in tuner.stderr:
        said += line
        if "candidates tried" in line:
            break
    tuner.send_signal(signal.SIGINT)
    out, rest = tuner.communicate(timeout=100)
    if tuner.returncode != 130 or "scale.c:2 (scale): " not in out or len(workdir.rows()) != 1:
        raise Failure(f"status {tuner.returncode}: {out}{said}{rest}")


def check_parts(workdir, expected):
    """Both files of results, and what an import makes of them."""
    parts = [workdir.log(f"results-{k}-of-2.json")["measure"] for k in (1, 2)]
    tried = [set(lines(p, "try")) for p in parts]
    if tried[0] & tried[1] or not all(tried) or any(lines(p, "time").count(0) != 1 for p in parts) or len(tried[0] | tried[1]) != expected:
        raise Failure(f"parts have measured {tried} of {expected}")
    expect(workdir.nestwarp("tune", "--import", workdir.bundle), 0, "in 2 parts")


def candidates_of(workdir):
    return sum(n.startswith("candidate-0-") for n in os.listdir(os.path.join(workdir.bundle, "jobs", JOB))) - 1


def ranks(workdir):
    workdir.write_bundle()
    runs = [subprocess.Popen([RUN, "tune", workdir.bundle, "--device=pocl"], env={**os.environ, **workdir.env, "OMPI_COMM_WORLD_RANK": str(k), "OMPI_COMM_WORLD_SIZE": "2"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for k in (0, 1)]
    for k, r in enumerate(runs):
        said = r.communicate(timeout=200)[0]
        if r.returncode != 0 or f"part {k + 1} of 2" not in said:
            raise Failure(f"rank {k}: status {r.returncode}: {said}")
    check_parts(workdir, candidates_of(workdir))


def parts_by_environment(workdir):
    """Who is which part is told before anything is measured: an empty folder will do."""
    os.makedirs(workdir.bundle)
    for words, variables in [("part 2 of 3", {"PMI_RANK": "1", "PMI_SIZE": "3"}), ("part 3 of 4", {"PMIX_RANK": "2", "SLURM_NTASKS": "4"}), ("part 2 of 2", {"SLURM_PROCID": "1", "SLURM_NTASKS": "2"}),
                             ("part 3 of 5", {"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "5"}),
                             ("part 4 of 4", {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_PROCID": "1", "SLURM_NTASKS": "2"}),
                             ("", {"SLURM_JOB_ID": "7", "SLURM_PROCID": "0", "SLURM_NTASKS": "4"}), ("", {"OMPI_COMM_WORLD_RANK": "x", "OMPI_COMM_WORLD_SIZE": "4"}), ("", {"PMI_RANK": "4", "PMI_SIZE": "4"})]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "SLURM_"))}
        done = subprocess.run([RUN, "tune", workdir.bundle], env={**clean, **variables}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if ("part" in done.stdout) != bool(words) or words not in done.stdout:
            raise Failure(f"{variables}: {done.stdout}")
    for bad in ("0/2", "3/2", "1", "1/2x", "-1/2"):
        expect(harness.run([RUN, "tune", workdir.bundle, f"--part={bad}"], check=False), 2, "is not valid")


def mpirun(workdir):
    if not shutil.which("mpirun"):
        raise Skip("there is no mpirun")
    workdir.write_bundle()
    root = ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in harness.run(["mpirun", "--version"]).out else []
    harness.run(["mpirun", *root, "-n", "2", RUN, "tune", workdir.bundle, "--device=pocl"], env=workdir.env, limit=300)
    check_parts(workdir, candidates_of(workdir))


def mistakes(workdir):
    for words, arguments in [("--size n=NUMBER", [workdir.source]), ("expected a time", [workdir.source, "--size", "n=9", "--budget", "soon"]), ("name a C or CUDA source", []),
                             ("bundle cannot", [workdir.source, "--size", "n=9", "--strategy=local", "--bundle", "d"]), ("is programmed in CUDA", [workdir.source, "--size", "n=9", "--device=h200"]), ("--import nowhere: there is no such", ["--import", "nowhere"]),
                             ("nothing from a source", ["--import", ".", workdir.source]), ("nothing from --bundle", ["--import", ".", "--bundle", "d"]), ("nothing from --device", ["--import", ".", "--device=h200"])]:
        done = workdir.nestwarp("tune", *arguments, check=False)
        if done.status not in (1, 2) or words not in done.err:
            raise Failure(f"{arguments}: status {done.status}: {done.err}")


def cases(arguments):
    cases = [(c.__name__.replace("_", " "), with_workdir(c)) for c in (
        tuned_here, plans_are_taken, cuda_files, unfit_plans_are_left, results_of_another_version_are_noted, damaged_database, results_that_cannot_be_kept, nothing_to_tune, sizes_are_numbers, sizes_with_nothing_to_do, there_and_back, faults_never_win,
        one_part_says_wrong, plans_for_the_board, older_winners, older_winners_here, wrong_at_full_size, small_among_large, cold_noisy_and_slow, crash_beside_another_region, none_is_timed, writes_where_none_is_expected,
        forms_of_large_sizes, unreached_when_checked, one_region_unreached, ends_and_hangs, stopped_and_resumed, resumed_on_another_device, stopped_here, ranks, parts_by_environment, mpirun, devices_by_name,
        strategies, random_plans_travel, exhaustive_says_where_it_ends, mistakes)]
    cases = [c for c in cases if harness.chosen(arguments, c[0])]
    # The first one by itself, as with bundles: it fills PoCL's cache.
    return harness.first_alone(cases)


if __name__ == "__main__":
    harness.main("tune")
