#!/usr/bin/env python3
"""Runs a libFuzzer target for a while: run.py front_end|plan_json|manifest|results|times BUILD SECONDS.

The corpus is kept in BUILD/corpus.TARGET between runs; it begins with what the other tests compile, or
with the files of corpus/TARGET here: those that once failed are among them. An input that fails
is written to BUILD/findings.TARGET, and the exit status is 1; TARGET FILE shows it again."""
import glob
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DECLARATIONS = {
    "printf": "int printf(const char *, ...);", "malloc": "void *malloc(unsigned long);", "free": "void free(void *);", "abs": "int abs(int);",
    "calloc": "void *calloc(unsigned long, unsigned long);", "memset": "void *memset(void *, int, unsigned long);", "atoi": "int atoi(const char *);", "exit": "void exit(int);",
    "NULL": "#define NULL ((void *)0)", "size_t": "typedef unsigned long size_t;", "int64_t": "typedef long int64_t;", "uint32_t": "typedef unsigned uint32_t;",
    "uint8_t": "typedef unsigned char uint8_t;", "int32_t": "typedef int int32_t;", "uint64_t": "typedef unsigned long uint64_t;", "bool": "#define bool _Bool\n#define true 1\n#define false 0",
    "INT_MAX": "#define INT_MAX 2147483647",
}
for name in ("sqrt", "fabs", "exp", "log", "sin", "cos", "floor", "ceil", "pow", "fmin", "fmax", "fma"):
    arguments = {"pow": 2, "fmin": 2, "fmax": 2, "fma": 3}.get(name, 1)
    for suffix, kind in (("", "double"), ("f", "float")):
        DECLARATIONS[name + suffix] = f"{kind} {name}{suffix}({', '.join([kind] * arguments)});"


def without_headers(text):
    """The same source without system headers: parsing those takes longer than everything else."""
    used = set(re.findall(r"\w+", text))
    text = re.sub(r"^\s*//.*\n", "", text, flags=re.M)
    text = re.sub(r"^\s*#\s*include.*\n", "", text, flags=re.M)
    return "".join(d + "\n" for name, d in DECLARATIONS.items() if name in used) + text


def functions(text):
    """The source without main, and with each function alone: short inputs go further."""
    parts = re.split(r"(?<=^}\n)", text, flags=re.M)
    heads = [p for p in parts if "for (" not in p]
    return ["".join(heads) + p for p in parts if "for (" in p and "int main(" not in p]


def seeds(target):
    own = os.path.join(TESTS, "libfuzzer", "corpus", target)
    if os.path.isdir(own):
        return [open(os.path.join(own, name), "rb").read() for name in sorted(os.listdir(own))]
    if target == "plan_json":
        return [b"[]"]
    out = []
    for folder in ("programs", "features", "regressions", "errors", "stages"):
        for path in sorted(glob.glob(os.path.join(TESTS, folder, "*.c"))):
            text = without_headers(open(path, errors="replace").read())
            for one in [text, *functions(text)]:
                if len(one) < 1500:
                    out.append(one.encode())
    return out


def main():
    target, build, seconds = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    corpus, findings = os.path.join(build, f"corpus.{target}"), os.path.join(build, f"findings.{target}", "")
    os.makedirs(corpus, exist_ok=True)
    os.makedirs(findings, exist_ok=True)
    for number, seed in enumerate(seeds(target)):
        with open(os.path.join(corpus, f"seed{number}"), "wb") as f:
            f.write(seed)
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:quarantine_size_mb=32:allocator_may_return_null=1:detect_stack_use_after_return=0", UBSAN_OPTIONS="print_stacktrace=1")
    line = [os.path.join(build, f"fuzz_{target}"), f"-max_total_time={seconds}", f"-artifact_prefix={findings}", "-timeout=300", "-rss_limit_mb=4096", "-max_len=2500",
            "-print_final_stats=1", "-close_fd_mask=3", *sys.argv[4:], corpus]
    sys.exit(1 if subprocess.run(line, env=env, cwd=findings).returncode else 0)


if __name__ == "__main__":
    main()
