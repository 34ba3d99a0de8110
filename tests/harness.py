"""What the test suites share: cases that run side by side, commands with a time limit, and counting.

A suite is a module run_NAME with a function cases(arguments), which returns (label, function) pairs.
A function that returns has passed; Failure and Skip say otherwise. A case that stands for many, as a
run of GoogleTest does, returns what became of each: a list of Outcome."""
import atexit
import concurrent.futures
import dataclasses
import functools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import pocl

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
BUILD = os.path.abspath(os.environ.get("NESTWARP_BUILD", os.path.join(ROOT, "build")))
NESTWARP = os.path.abspath(os.environ.get("NESTWARP", os.path.join(BUILD, "nestwarp")))
# No test depends on what its user has tuned; those about that name a database of their own.
os.environ["NESTWARP_TUNE_DB"] = os.path.join(BUILD, "no-tuning-results.db")
# One case more than cores: some wait for files or for a command that waits itself.
JOBS = int(os.environ.get("NESTWARP_TEST_JOBS", (os.cpu_count() or 1) + 1))
# What `make test` leaves out to save time; each suite says what that is.
EVERYTHING = os.environ.get("NESTWARP_ALL_SIZES") == "1"


class Failure(Exception):
    """The case failed; the text says why."""


class Skip(Exception):
    """The case cannot run here; the text says why."""


@dataclasses.dataclass
class Outcome:
    label: str
    how: str = "PASS"  # PASS, FAIL or SKIP
    text: str = ""
    seconds: float = 0  # of processor time

    def show(self, suite):
        lines = "\n".join("    " + line for line in self.text.splitlines())
        said = {"PASS": f" ({self.seconds:.1f} s)", "SKIP": f": {self.text}", "FAIL": f"\n{lines}"}
        print(f"{self.how} {suite}: {self.label}{said[self.how]}", flush=True)


# ---- commands

class Output:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


# Of the case that this thread runs: .seconds of processor time, .environment of its commands
current = threading.local()


def environment_of(suite):
    """PoCL reads less (pocl.py) and compiles kernels without optimizations, which takes less time.
    With optimizations, as users have it, in some of the suite of features and in that of the tuner,
    which measures; the suite of the runtime has PoCL just as it is, since LeakSanitizer stumbles
    otherwise."""
    if suite == "runtime":
        return {}
    small = {"OCL_ICD_VENDORS": pocl.vendors()} if pocl.vendors() else {}
    usual = suite in ("features", "tune")
    return small if usual else {**small, "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}


class Process(subprocess.Popen):
    """A process whose processor time, with that of its children, counts for the case."""

    def _try_wait(self, wait_flags):
        try:
            pid, status, used = os.wait4(self.pid, wait_flags)
        except ChildProcessError:
            return self.pid, 0
        if pid:
            spent = used.ru_utime + used.ru_stime
            current.seconds = getattr(current, "seconds", 0) + spent
        return pid, status


def run(command, cwd=None, env=None, limit=600, check=True):
    """Runs a command; a non-zero status is a failure unless check is False. The limit ends what hangs,
    also on a machine that is busy with other things."""
    full = dict(os.environ)
    full.update(getattr(current, "environment", {}))
    full.update(env or {})
    shown = " ".join(command)
    try:
        process = Process(command, cwd=cwd, env=full, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace")
    except FileNotFoundError:
        raise Failure(f"no such command: {shown}")
    with process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"no end after {limit} s: {shown}")
    if check and process.returncode != 0:
        raise Failure(f"status {process.returncode}: {shown}\n{out[-1500:]}{err[-1500:]}")
    return Output(process.returncode, out, err)


def limit_of_part():
    """Seconds for many tests in one process: only what hangs takes longer, also with sanitizers."""
    return 3600 if "ASAN_OPTIONS" in os.environ else 900


def tool(name, *workdirs):
    """The path of a tool, or None."""
    for workdir in workdirs:
        if os.access(workdir, os.X_OK):
            return workdir
    return shutil.which(name)


class Scratch(tempfile.TemporaryDirectory):
    def __init__(self):
        super().__init__(prefix="nestwarp-test.")


@functools.lru_cache(None)
def shared_scratch():
    """A folder for what several cases use; it goes when the tests end."""
    scratch = Scratch()
    atexit.register(scratch.cleanup)
    return scratch.name


def once(function):
    """The function, computed once for each set of arguments, also where two cases ask at a time.
    A failure is one for every case that asks."""
    made, guard = {}, threading.Lock()

    @functools.wraps(function)
    def shared(*arguments):
        with guard:
            first = arguments not in made
            future = made.setdefault(arguments, concurrent.futures.Future())
        if first:
            try:
                future.set_result(function(*arguments))
            except BaseException as e:
                future.set_exception(e)
        return future.result()
    return shared


# ---- cases

class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0  # of processor time

    def add(self, outcome):
        self.passed += outcome.how == "PASS"
        self.failed += outcome.how == "FAIL"
        self.skipped += outcome.how == "SKIP"
        self.seconds += outcome.seconds

    def line(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def outcomes(suite, label, function):
    """Runs a case: what became of it, or of each that it stands for."""
    current.seconds, current.environment = 0, environment_of(suite)
    how, text, many = "PASS", "", None
    try:
        many = function()
    except Skip as s:
        how, text = "SKIP", str(s)
    except Failure as f:
        how, text = "FAIL", str(f)
    except Exception as e:  # a mistake of the test itself must not stop the others
        how, text = "FAIL", f"{type(e).__name__}: {e}"
    if not isinstance(many, list) or not all(isinstance(one, Outcome) for one in many) or not many:
        return [Outcome(label, how, text, current.seconds)]
    # What each took by its own account, wall time perhaps, tells its share of what the case took.
    shares = sum(outcome.seconds for outcome in many)
    for outcome in many:
        share = outcome.seconds / shares if shares else 1 / len(many)
        outcome.seconds = current.seconds * share
    return many


def first_alone(cases):
    """The others wait until the first case has ended."""
    done = threading.Event()

    def leading():
        try:
            return cases[0][1]()
        finally:
            done.set()

    def following(function):
        done.wait()
        return function()
    return [(cases[0][0], leading)] * bool(cases) + [
        (label, functools.partial(following, function)) for label, function in cases[1:]]


def run_all(cases, jobs=JOBS):
    """Runs (suite, label, function) triples out of one pool, which begins them in their order; says
    how each went, then how each suite did. Returns the sum."""
    begin, used = time.time(), processor_time()
    pocl.vendors()  # made once, before cases ask side by side
    suites, total = {}, Counts()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(outcomes, suite, label, f): suite for suite, label, f in cases}
        for future in concurrent.futures.as_completed(running):
            counts = suites.setdefault(running[future], Counts())
            for outcome in future.result():
                outcome.show(running[future])
                counts.add(outcome)
                total.add(outcome)
    for suite, counts in sorted(suites.items(), key=lambda item: -item[1].seconds):
        print(f"---- {suite}: {counts.line()} ({counts.seconds:.0f} s of processor time)")
    print(f"---- all: {time.time() - begin:.0f} s, {processor_time() - used:.0f} s of processor"
          " time", flush=True)
    return total


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def chosen(arguments, label):
    """Whether a case is asked for: any word of the command line is part of its label, and no word
    after a minus is."""
    wanted = [a for a in arguments if not a.startswith("-")]
    return not any(a[1:] in label for a in arguments if a.startswith("-")) and (
        not wanted or any(a in label for a in wanted))


def cases_of(name, arguments=()):
    """The cases of a suite, as triples for run_all; words choose them by part of their label."""
    found = __import__("run_" + name).cases(list(arguments))
    return [(name, label, function) for label, function in found]


def finish(counts):
    print(counts.line())
    sys.exit(1 if counts.failed else 0)


def main(name):
    """A suite by itself, with words from the command line."""
    finish(run_all(cases_of(name, sys.argv[1:])))
