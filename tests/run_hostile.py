#!/usr/bin/env python3
"""Sources and plans that nobody writes by hand: too large, too deep, too wide. Each ends in bounded time and memory, with
an answer or a diagnostic; `nestwarp cc` makes a program of it all the same."""
import os
import re
import resource
import subprocess
import sys
import harness
from harness import Failure

def measured(command, cwd, seconds, mebibytes):
    """Status and stderr of a command that must not crash, and must keep to processor time and memory (with what it starts)."""
    own = ["/usr/bin/env", "python3", os.path.abspath(__file__), "--measure", str(seconds), *command]
    got = harness.run(own, cwd=cwd, limit=seconds * 30, check=False)
    used = re.search(r"measured: ([\d.]+) s (\d+) MiB\n$", got.err)
    shown = f"{' '.join(command)}\n{got.err[-600:]}"
    if not used or got.status < 0 or got.status == 70:
        raise Failure(f"status {got.status}: {shown}")
    if int(used.group(2)) > mebibytes * 1.25 + 300:
        raise Failure(f"{used.group(2)} MiB: {shown}")
    if float(used.group(1)) > seconds:
        raise Failure(f"{used.group(1)} s of processor time: {shown}")
    return got.status, got.err


def measure(seconds, command):
    """Runs the command, and says at the end what it and its children used."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds * 4, seconds * 4))
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"measured: {used.ru_utime + used.ru_stime:.2f} s {used.ru_maxrss // 1024} MiB", file=sys.stderr)
    sys.exit(status if status >= 0 else 70)


class Source:
    """A source, and what to expect of it: a pattern that the diagnostics of `compile` match (or None for no matter what), and
    whether `cc` has to build and run it with the result of gcc."""

    def __init__(self, text, expect=None, seconds=5, mebibytes=1000, runs=False, limit=1):
        self.text, self.expect, self.seconds, self.mebibytes, self.runs, self.limit = text, expect, seconds, mebibytes, runs, limit


def check(source):
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "hostile.c")
        with open(path, "w") as f:
            f.write(source.text)
        flags = [f"--time-limit={source.limit}", f"--memory-limit={source.mebibytes}"]
        status, err = measured([harness.NESTWARP, "compile", *flags, "--emit=cuda", path], scratch, source.seconds, source.mebibytes)
        if source.expect and not re.search(source.expect, err):
            raise Failure(f"status {status}, and nothing like '{source.expect}' was said:\n{err[-800:]}")
        if not source.runs:
            return
        status, err = measured([harness.NESTWARP, "cc", *flags, "--offload=always", "-O0", "-w", path, "-o", os.path.join(scratch, "own")], scratch, source.seconds, source.mebibytes)
        if status:
            raise Failure(f"nestwarp cc failed with status {status}: {err[-800:]}")
        harness.run(["gcc", "-O0", "-w", path, "-o", os.path.join(scratch, "ref")])
        want, got = harness.run([os.path.join(scratch, "ref")], check=False), harness.run([os.path.join(scratch, "own")], check=False)
        if (want.status, want.out) != (got.status, got.out):
            raise Failure(f"gcc's program: status {want.status}, '{want.out[:100]}'; ours: status {got.status}, '{got.out[:100]}'\n{err[-300:]}")


# A main that fills nothing and returns a few bits of the result.
MAIN = "int main(void) { f(64); return a[3] & 127; }\n"


def statements(count):
    body = "".join(f"    a[i] = a[i] + {k};\n" for k in range(count))
    return f"int a[64];\nvoid f(int n) {{\n  for (int i = 0; i < n; i++) {{\n{body}  }}\n}}\n{MAIN}"


def loops(count):
    body = "".join(f"  for (int i = 0; i < n; i++) a[i] = a[i] * 3 + {k};\n" for k in range(count))
    return f"int a[64];\nvoid f(int n) {{\n{body}}}\n{MAIN}"


def functions(count):
    body = "".join(f"void f{k}(int n) {{ for (int i = 0; i < n; i++) a[i] += {k}; }}\n" for k in range(count))
    calls = "".join(f" f{k}(n);" for k in range(count))
    return f"int a[64];\n{body}void f(int n) {{{calls} }}\n{MAIN}"


def nest(depth, width=2):
    text = "".join(f"for (int i{k} = 0; i{k} < {width}; i{k}++) " for k in range(depth))
    return f"int a[64];\nvoid f(int n) {{\n  {text}a[(i0 + {' + '.join(f'i{k}' for k in range(depth))}) % n] += 1;\n}}\n{MAIN}"


def triangle(depth):
    text = "for (int i0 = 0; i0 < 3; i0++) " + "".join(f"for (int i{k} = i{k - 1}; i{k} < 4 - i{k - 1}; i{k}++) " for k in range(1, depth))
    return f"int a[64];\nvoid f(int n) {{\n  {text}a[i{depth - 1} + 8] += 1;\n}}\n{MAIN}"


def one_loop(body, more=""):
    return f"{more}int a[64];\nvoid f(int n) {{\n  for (int i = 0; i < n; i++) {{ {body} }}\n}}\n{MAIN}"


def arrays(count):
    names = "".join(f"int b{k}[64];\n" for k in range(count))
    return one_loop(" ".join(f"b{k}[i] = b{(k * 7) % count}[i] + 1;" for k in range(count)) + " a[i] = b0[i];", names)


def terms(count):
    return one_loop("a[i] = " + " + ".join(["i"] * count) + ";")


def parentheses(count):
    return one_loop("a[i] = " + "(" * count + "i" + ")" * count + ";")


def ifs(count):
    return one_loop("".join(f"if (n > {k % 50}) {{ " for k in range(count)) + "a[i] = 5; " + "}" * count)


def else_ifs(count):
    return one_loop("if (0) ; " + "".join(f"else if (i == {k}) a[i] = {k}; " for k in range(count)))


def conditions(count):
    return one_loop("if (" + " && ".join(f"i != {3 * k + 1}" for k in range(count)) + ") a[i] = 5;")


def selects(count):
    return one_loop("a[" + "".join(f"(i == {k} ? {(k * 5) % 64} : " for k in range(count)) + "i" + ")" * count + "] = 3;")


def divisions(count):
    return one_loop("a[(" + " + ".join(f"(i + {k}) / {k + 2} % {k + 3}" for k in range(count)) + ") % 64] = 1;")


def parameters(count):
    names = ", ".join(f"int p{k}" for k in range(count))
    bounds = " ".join(f"if (i < p{k}) a[(i + p{k}) % 64] = {k};" for k in range(count))
    return f"int a[64];\nvoid g({names}) {{\n  for (int i = 0; i < 64; i++) {{ {bounds} }}\n}}\nvoid f(int n) {{ g({', '.join(['n'] * count)}); }}\n{MAIN}"


def calls(count, twice):
    more = "static int g0(int x) { return x + 1; }\n" + "".join(f"static int g{k}(int x) {{ return g{k - 1}(x){f' + g{k - 1}(x)' if twice else ''}; }}\n" for k in range(1, count))
    return one_loop(f"a[i] = {'i' if twice and count > 25 else f'g{count - 1}(i)'}; if (n < 0) a[0] = g{count - 1}(i);", more)


def struct(fields):
    return one_loop("s[i].x0 = i; a[i] = s[i].x0;", "struct S { " + " ".join(f"int x{k};" for k in range(fields)) + " } s[64];\n")


def dimensions(count):
    return one_loop("b" + "[0]" * (count - 1) + "[i] = i; a[i] = b" + "[0]" * (count - 1) + "[i];", f"int b{'[1]' * (count - 1)}[64];\n")


MACROS = "#define M0 i + i\n" + "".join(f"#define M{k} M{k - 1} + M{k - 1}\n" for k in range(1, 40))
DEEP_MACRO = one_loop("a[i] = M39;", MACROS)

BOUNDARY = """int a[64]; long b[64];
void f(int n) {
  for (long i = 0; i < n; i++) a[(2147483647 * i) % 64 < 0 ? 0 : 3] += 1;
  for (int i = 0; i < n; i++) if (4611686018427387904L * i >= 0) a[i] += 1;
  for (long i = -9223372036854775807L - 1; i < -9223372036854775807L + n; i += 2) a[i & 63] += 1;
  for (long i = 9223372036854775807L; i > 9223372036854775807L - n; i--) a[i & 63] += 1;
  for (unsigned long i = 18446744073709551615ul; i > 18446744073709551615ul - n; i--) a[i & 63] += 1;
  for (int i = 2147483647; i > 2147483647 - n; i -= 1) a[i % 64] += 1;
  for (int i = 0; i < n; i += 2147483647) a[i] += 1;
  for (long i = 0; i < n; i += 9223372036854775807L) a[i] += 1;
  for (long i = n; i > 0; i -= 9223372036854775807L) a[i & 63] += 1;
  for (int i = 0; i < n; i++) a[(i * 4611686018427387904L + 3) & 63] += i / 2147483647 + i % 2147483647;
  for (long i = 0; i < n; i++) a[3] += (int)(i / (-9223372036854775807L - 1)) + (int)(i & 9223372036854775807L);
  for (int i = 0; i < n; i++) b[i] = (1L << 62) * i;
}
"""
HUGE = """static char huge[1L << 40][1L << 20]; static int a[64];
long wide[1L << 56];
void f(int n) {
  for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) huge[i * 1000000007L][j * 65537] = huge[(1L << 40) - 1 - i][j];
  for (long i = 0; i < 1L << 56; i++) wide[i] = i;
  for (int i = 0; i < n; i++) a[i] = i;
}
"""

SOURCES = {
    "10000 statements in a loop": Source(statements(10000), runs=True),
    "3000 loops in a row": Source(loops(3000), "NW0298", runs=True, seconds=10),
    "1000 functions": Source(functions(1000), seconds=10),
    "12 loops deep": Source(nest(12), runs=True),
    "60 loops deep": Source(nest(60, 1), runs=True),
    "a triangle of 12 loops": Source(triangle(12), runs=True),
    "3000 arrays": Source(arrays(3000), runs=True),
    "a sum of 1000 terms": Source(terms(1000), runs=True),
    "a sum of 100000 terms": Source(terms(100000), "NW0113", runs=True, seconds=10),
    "500 parentheses": Source(parentheses(500), runs=True),
    "5000 parentheses": Source(parentheses(5000), runs=True, seconds=10),
    "700 ifs inside each other": Source(ifs(700), runs=True),
    "5000 ifs inside each other": Source(ifs(5000), "NW0113", runs=True, seconds=10),
    "a chain of 600 else ifs": Source(else_ifs(600), runs=True),
    "a condition of 300 parts": Source(conditions(300), runs=True),
    "a subscript by 40 cases": Source(selects(40), runs=True),
    "a subscript of 20 divisions": Source(divisions(20), runs=True),
    "200 parameters": Source(parameters(200), runs=True),
    "a chain of 1000 calls": Source(calls(1000, False), "NW0105", runs=True),
    "60 functions that call the one before twice": Source(calls(60, True), runs=True),
    "a struct of 3000 fields": Source(struct(3000), runs=True),
    "an array of 60 dimensions": Source(dimensions(60), runs=True),
    "a macro that doubles 40 times": Source(DEEP_MACRO, "the translation was stopped", mebibytes=500, seconds=8),
    "numbers at the ends of their types": Source(BOUNDARY),
    "arrays larger than any memory": Source(HUGE),
}


def plan_case(text, expect):
    def case():
        with harness.Scratch() as scratch:
            path, plan = os.path.join(scratch, "plain.c"), os.path.join(scratch, "plan.json")
            with open(path, "w") as f:
                f.write(one_loop("a[i] = i;"))
            with open(plan, "w") as f:
                f.write(text())
            status, err = measured([harness.NESTWARP, "compile", "--plan", plan, "--emit=cuda", path], scratch, 5, 2000)
            if status != 1 or expect not in err:
                raise Failure(f"status {status}: {err[-500:]}")
    return case


PLANS = {
    "a plan of 100 MB": plan_case(lambda: "[" + "0," * 50000000 + "0]", "too large"),
    "a plan of 8000000 brackets": plan_case(lambda: "[" * 8000000, "nested too deeply"),
    "a plan of a million entries": plan_case(lambda: "[" + ",".join(["{}"] * 1000000) + "]", "too many objects"),
}


def cases(arguments):
    cases = [(name, lambda source=source: check(source)) for name, source in SOURCES.items()] + list(PLANS.items())
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(int(sys.argv[2]), sys.argv[3:])
    harness.main("hostile")
