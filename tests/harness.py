"""What the test suites share: cases that run two at a time, commands with a time limit, and counting."""
import concurrent.futures
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
BUILD = os.path.abspath(os.environ.get("NESTWARP_BUILD", os.path.join(ROOT, "build")))
NESTWARP = os.path.abspath(os.environ.get("NESTWARP", os.path.join(BUILD, "nestwarp")))
# No test depends on what its user has tuned; those about that name a database of their own.
os.environ["NESTWARP_TUNE_DB"] = os.path.join(BUILD, "no-tuning-results.db")
JOBS = int(os.environ.get("NESTWARP_TEST_JOBS", "2"))


class Failure(Exception):
    """The case failed; the text says why."""


class Skip(Exception):
    """The case cannot run here; the text says why."""


class Output:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def run(command, cwd=None, env=None, limit=120, check=True):
    """Runs a command; a non-zero status is a failure unless check is False."""
    full = dict(os.environ)
    full.update(env or {})
    shown = " ".join(command)
    try:
        p = subprocess.run(command, cwd=cwd, env=full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=limit, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {limit} s: {shown}")
    except FileNotFoundError:
        raise Failure(f"no such command: {shown}")
    if check and p.returncode != 0:
        raise Failure(f"status {p.returncode}: {shown}\n{p.stdout[-1500:]}{p.stderr[-1500:]}")
    return Output(p.returncode, p.stdout, p.stderr)


def tool(name, *places):
    """The path of a tool, or None."""
    for place in places:
        if os.access(place, os.X_OK):
            return place
    return shutil.which(name)


class Scratch(tempfile.TemporaryDirectory):
    def __init__(self):
        super().__init__(prefix="nestwarp-test.")


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def line(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def run_cases(suite, cases, jobs=JOBS):
    """Runs (label, function) pairs, says how each went, and returns the counts."""
    counts = Counts()
    begin, used = time.time(), processor_time()

    def one(case):
        label, function = case
        start = time.time()
        try:
            function()
            return label, "PASS", "", time.time() - start
        except Skip as s:
            return label, "SKIP", str(s), time.time() - start
        except Failure as f:
            return label, "FAIL", str(f), time.time() - start
        except Exception as e:  # a mistake of the test itself must not stop the others
            return label, "FAIL", f"{type(e).__name__}: {e}", time.time() - start

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for label, how, text, seconds in pool.map(one, cases):
            if how == "PASS":
                counts.passed += 1
                print(f"PASS {suite}: {label} ({seconds:.1f} s)", flush=True)
            elif how == "SKIP":
                counts.skipped += 1
                print(f"SKIP {suite}: {label}: {text}", flush=True)
            else:
                counts.failed += 1
                print(f"FAIL {suite}: {label}\n" + "\n".join("    " + l for l in text.splitlines()), flush=True)
    print(f"---- {suite}: {counts.line()} ({time.time() - begin:.0f} s, {processor_time() - used:.0f} s of processor time)", flush=True)
    return counts


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def chosen(arguments, label):
    """Whether a case is asked for: any word of the command line is part of its label."""
    return not arguments or any(a in label for a in arguments)


def main(suite):
    counts = suite(sys.argv[1:])
    print(counts.line())
    sys.exit(1 if counts.failed else 0)
