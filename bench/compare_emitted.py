#!/usr/bin/env python3
"""What two compilers emit, compared: which files differ, how, and whether kernels do or the host's text alone.

    bench/compare_emitted.py OLD_NESTWARP NEW_NESTWARP [FILE...] [-o FOLDER] [--device NAME]

Without files: the test programs, features, board kernels, examples, share examples and CUDA tests. Each is translated
with --target=cuda and --target=opencl (kernels, host functions and the host file), two translations at a time. Texts go
to FOLDER/old and FOLDER/new, where those that are there already are not made again; FOLDER/diffs has a diff for each
that differs. Names that are other ones throughout are told from other code. The status is 1 if any text differs.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("tests/programs/*.c", "tests/features/*.c", "bench/kernels/*.c", "examples/*.c", "examples/*/*.c",
           "bench/share/*.c", "tests/cuda/*.cu")
# Directives are read where the source is about them.
OPENACC = ("tests/features/acc", "bench/share/")


def arguments_for(file, target, device):
    name = os.path.relpath(file, ROOT)
    return ["compile", name, f"--target={target}", "--tuned=off", *(["--device", device] if device else []),
            *(["--fopenacc"] if name.startswith(OPENACC) else [])]


def translate(program, file, target, device, output):
    """The files that are written, one after the other, or the message and the status where there are none."""
    if os.path.exists(output):
        return
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made." + ("cu" if target == "cuda" else "c"))
        done = subprocess.run([program, *arguments_for(file, target, device), "-o", made], cwd=ROOT,
                              capture_output=True, text=True)
        text = "" if done.returncode == 0 else f"status {done.returncode}\n{done.stderr}"
        for written in sorted(os.listdir(folder)):
            with open(os.path.join(folder, written)) as f:
                text += f"// ==== {written}\n{f.read()}"
    with open(output + ".part", "w") as f:
        f.write(text)
    os.replace(output + ".part", output)


# Added to every host file since: it does not compile where plain char has another sign.
ADDED = re.compile(r"typedef char nw_compile_with_\w+\[[^;]*; ")


def functions(lines, begins):
    """Functions whose first line is such a one, each a list of lines."""
    found, inside = [], False
    for line in lines:
        if not inside and begins.search(line):
            found.append([])
            inside = True
        if inside:
            found[-1].append(line)
        inside = inside and line != "}"
    return found


def kernels_of(text):
    """OpenCL's are a text in the file."""
    quoted = [line.strip()[1:-3] for line in text.splitlines() if re.match(r'\s*".*\\n";?$', line)]
    return functions(text.splitlines(), re.compile(r"__(global|device)__ .*\{$")) + functions(
        quoted, re.compile(r"^\w.*\{$"))


def host_of(text):
    """The functions that choose and launch kernels, and the user's file."""
    return functions(text.splitlines(), re.compile(r"^static int \w+_anywhere\(.*\{$")) + [
        ADDED.sub("", text.split(".host.", 1)[-1]).splitlines()]


def same(old, new):
    return len(old) == len(new) and all(map(same_but_for_names, old, new))


RENAMED = {}  # what was called otherwise, over all texts: to be read, since int and long are names here, too


TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|[A-Za-z_]\w*|[0-9][\w.]*|\S", re.S)


def tokens(lines):
    text = "\n".join(lines)
    return [t for t in TOKEN.findall(text) if not t.startswith(("//", "/*"))]


def renaming(old, new, there, back):
    """Whether each name of the old tokens has one other name in the new ones, and nothing else differs."""
    if len(old) != len(new):
        return False
    for a, b in zip(old, new):
        if a[0] == b[0] == '"':
            if not same_but_for_names_in_text(a, b):
                return False
        elif a[0].isalpha() or a[0] == "_":
            if there.setdefault(a, b) != b or back.setdefault(b, a) != a:
                return False
        elif a != b:
            return False
    return True


def parameters_of(line, names):
    """Sorted, since parameters come in the order of their names."""
    return sorted([names.get(t, t) for t in tokens([p])]
                  for p in line[line.rindex("(") + 1:line.rindex(")")].split(","))


def same_but_for_names(old, new):
    """Whether a renaming makes one function the other; comments do not count."""
    if not old or not new or "(" not in old[0] or "(" not in new[0]:
        return old == new
    there, back = {}, {}
    found = (renaming(tokens(old[1:]), tokens(new[1:]), there, back) and
             parameters_of(old[0], there) == parameters_of(new[0], {}))
    if found:
        for a, b in there.items():
            if a != b:
                RENAMED[a, b] = RENAMED.get((a, b), 0) + 1
    return found


def same_but_for_names_in_text(a, b):
    return re.sub(r"[A-Za-z_]\w*", "x", a) == re.sub(r"[A-Za-z_]\w*", "x", b)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("files", nargs="*")
    parser.add_argument("-o", "--output", default="/tmp/compare-emitted", help="folder of the texts")
    parser.add_argument("--targets", default="cuda,opencl")
    parser.add_argument("--device", default="", help="device to plan for")
    given = parser.parse_args()
    files = [os.path.abspath(f) for f in given.files] or sorted(
        f for pattern in FOLDERS for f in glob.glob(os.path.join(ROOT, pattern)))
    stages = given.targets.split(",")
    texts_at = {}
    jobs = []
    for which, program in (("old", given.old), ("new", given.new)):
        for file in files:
            for stage in stages:
                name = os.path.relpath(file, ROOT).replace("/", "__") + "." + stage
                texts_at[which, file, stage] = os.path.join(given.output, which, name)
                jobs.append((os.path.abspath(program), file, stage, given.device, texts_at[which, file, stage]))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: translate(*job), jobs))
    os.makedirs(os.path.join(given.output, "diffs"), exist_ok=True)
    differing = []
    for file in files:
        for stage in stages:
            texts = [open(texts_at[which, file, stage]).read() for which in ("old", "new")]
            if texts[0] == texts[1]:
                continue
            name = os.path.basename(texts_at["new", file, stage])
            how = ("kernels" if not same(*map(kernels_of, texts)) else
                   "host" if not same(*map(host_of, texts)) else "names")
            differing.append((name, how))
            diff = difflib.unified_diff(*(t.splitlines(True) for t in texts), "old/" + name, "new/" + name, n=1)
            with open(os.path.join(given.output, "diffs", name + ".diff"), "w") as f:
                f.writelines(diff)
    for name, how in differing:
        if how != "names":
            print(f"{name}: {'kernels differ' if how == 'kernels' else 'functions of the host differ'}")
    for (a, b), times in sorted(RENAMED.items()):
        print(f"renamed: {a} -> {b} ({times} functions)")
    count = lambda word: sum(how == word for _, how in differing)
    print(f"{len(files) * len(stages)} texts: {len(files) * len(stages) - len(differing)} are the same, "
          f"{count('names')} but for names, comments and the runtime's own text, {count('host')} but for functions of the host; "
          f"{count('kernels')} differ in kernels; diffs in {given.output}/diffs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
