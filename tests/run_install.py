#!/usr/bin/env python3
"""nestwarp installed under another prefix, moved, far from its build folder: every command of README.md, as root and as an ordinary user."""
import os
import re
import shutil
import subprocess
import harness
from harness import Failure

NOBODY = 65534


def expect(condition, text):
    if not condition:
        raise Failure(text)


@harness.once
def installed():
    """The folder of the installation: made by DESTDIR and a prefix that is not there, then moved away from both."""
    scratch = harness.shared_scratch()
    os.chmod(scratch, 0o755)
    down = os.path.join(scratch, "down")
    done = harness.run(["cmake", "--install", harness.BUILD, "--prefix", "/opt/elsewhere"], env={"DESTDIR": down}, check=False)
    expect(done.status == 0, f"cmake --install failed: {done.err}")
    expect(os.listdir(down) == ["opt"], f"something was installed outside of the prefix: {os.listdir(down)}")
    where = os.path.join(scratch, "it is here")
    shutil.move(os.path.join(down, "opt", "elsewhere"), where)
    shutil.rmtree(down)
    return where


class User:
    """Runs commands as root or as nobody, in a folder of its own with copies of what README.md names, and with hardly any environment."""

    def __init__(self, scratch, is_root):
        self.where, self.is_root = os.path.join(scratch, "work"), is_root
        os.chmod(scratch, 0o755)
        for part in ("examples", "tests/programs", "tests/cuda"):
            shutil.copytree(os.path.join(harness.ROOT, part), os.path.join(self.where, part))
        for folder in ("tmp", "home"):
            os.makedirs(os.path.join(self.where, folder))
        if not is_root and os.getuid() == 0:
            for folder, _, files in os.walk(self.where):
                for name in [folder, *(os.path.join(folder, f) for f in files)]:
                    os.chown(name, NOBODY, NOBODY)

    def run(self, command, check=True, limit=300, **more):
        drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if not self.is_root and os.getuid() == 0 else []
        env = {"PATH": os.path.join(installed(), "bin") + ":/usr/local/bin:/usr/bin:/bin", "HOME": os.path.join(self.where, "home"),
               "TMPDIR": os.path.join(self.where, "tmp"), **more}
        p = subprocess.run([*drop, "sh", "-c", command], cwd=self.where, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=limit, text=True)
        if check and p.returncode != 0:
            raise Failure(f"status {p.returncode}: {command}\n{p.stdout[-1500:]}{p.stderr[-1500:]}")
        return harness.Output(p.returncode, p.stdout, p.stderr)


def readme_commands():
    """The lines of README.md that begin with nestwarp, without their comments."""
    text = open(os.path.join(harness.ROOT, "README.md")).read()
    block = re.search(r"^## Two minutes\n.*?^```\n(.*?)^```", text, re.M | re.S).group(1)
    return [re.sub(r"\s+# .*", "", line) for line in block.splitlines() if line.startswith("nestwarp ")]


def command_works(line, is_root):
    """As it is written. lint has something to find, tuning is not given much time."""
    with harness.Scratch() as scratch:
        user = User(scratch, is_root)
        short = " --budget 1s --candidates 1" if line.startswith("nestwarp tune") else ""
        done = user.run(line + short, check=False)
        expect(done.status == (1 if line.startswith("nestwarp lint") else 0), f"status {done.status}: {line}\n{done.out[-1500:]}{done.err[-1500:]}")


def names_no_folders():
    """What is installed does not know the folders that it was built in."""
    for folder, _, files in os.walk(installed()):
        for name in files:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                raise Failure(f"{path} is a link")
            data = open(path, "rb").read() if folder.endswith(("bin", "lib/nestwarp")) else b""
            for workdir in {harness.BUILD, os.path.join(harness.ROOT, "runtime")}:
                expect(workdir.encode() not in data, f"{name} names {workdir}")


def runtime_is_whole():
    """The runtime's sources, which bundles and --save-temps take along, are all there."""
    listed = lambda root: sorted(os.path.relpath(os.path.join(d, f), root) for d, _, files in os.walk(root) for f in files)
    ours, theirs = listed(os.path.join(harness.ROOT, "runtime")), listed(os.path.join(installed(), "share", "nestwarp", "runtime"))
    expect(ours == theirs, f"differ: {set(ours) ^ set(theirs)}")


def version():
    """--version says what the file VERSION does."""
    with harness.Scratch() as scratch:
        got = User(scratch, True).run("nestwarp --version").out
        want = open(os.path.join(harness.ROOT, "VERSION")).read().strip()
        expect(re.fullmatch(rf"nestwarp {re.escape(want)}( \(\w+(-dirty)?\))?\n", got), got)


def through_a_link():
    """Parts are found from where the binary is, not from where it was called by."""
    with harness.Scratch() as scratch:
        user = User(scratch, True)
        os.symlink(os.path.join(installed(), "bin", "nestwarp"), os.path.join(user.where, "nw"))
        user.run("./nw cc -O2 -c examples/mm.c && ./nw c++ mm.o -o mm && ./mm 100")


def without_its_parts():
    """A binary that was copied alone says what it misses."""
    with harness.Scratch() as scratch:
        user = User(scratch, True)
        # By a process of its own: while this one has the copy open for writing, one that another
        # case starts has it open, too, and the copy cannot be run.
        harness.run(["cp", os.path.join(installed(), "bin", "nestwarp"),
                     os.path.join(user.where, "alone")])
        got = user.run("./alone cc -O2 examples/mm.c -o mm", check=False)
        expect(got.status == 1 and "cannot find nestwarp_rt.h from where nestwarp is" in got.err, f"status {got.status}: {got.err}")


def read_only():
    """An ordinary user can work where nothing but its folder can be written, and is told when that cannot be, either."""
    with harness.Scratch() as scratch:
        user = User(scratch, False)
        got = user.run("nestwarp cc -O2 examples/mm.c -o /nowhere/mm", check=False)
        expect(got.status == 1, f"status {got.status}: {got.err}")
        got = user.run("nestwarp cc -O2 examples/mm.c -o mm", check=False, TMPDIR="/proc/1")
        expect(got.status == 1 and "cannot create a temporary directory in '/proc/1'" in got.err and "internal" not in got.err, f"status {got.status}: {got.err}")


def cases(arguments):
    cases = [(f.__name__.replace("_", " "), f) for f in (names_no_folders, runtime_is_whole, version, through_a_link, without_its_parts, read_only)]
    commands = readme_commands()
    if len(commands) < 10:
        raise Failure(f"README.md has {len(commands)} commands")
    cases += [(f"ordinary user: {line}", lambda line=line: command_works(line, False)) for line in commands]
    if os.getuid() == 0:
        as_root = [line for line in commands if line.split()[1] in ("cc", "lint", "devices")]
        cases += [(f"root: {line}", lambda line=line: command_works(line, True)) for line in as_root]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("install")
