#!/usr/bin/env python3
"""tests/lint: every finding that a file should have stands beside its line, and there are no others.

    a[i * 2] = 0; //! NW0501 'a[i * 2]': 8 transactions of 32 bytes

A warning, or a note where that word comes first; its code; the text that it points at; and what its message contains."""
import glob
import json
import os
import re
import harness
from harness import Failure

FOLDER = os.path.join(harness.TESTS, "lint")
EXPECTED = re.compile(r"//! (note )?(NW\d{4}) '([^']*)': ([^/]*(?:/(?!/!)[^/]*)*)")


def expect(condition, text):
    if not condition:
        raise Failure(text)


def lint(path, *flags, env=None, cwd=None):
    return harness.run([harness.NESTWARP, "lint", path, *flags], check=False, env=env, cwd=cwd)


def results(path, *flags, env=None):
    """Findings from SARIF, and the status."""
    got = lint(path, "--sarif", *flags, env=env)
    expect(got.status in (0, 1), f"status {got.status}: {got.err}")
    return json.loads(got.out)["runs"][0]["results"], got.status


def expected(path):
    for number, line in enumerate(open(path).read().splitlines(), 1):
        code = line.split("//!")[0]
        for note, rule, token, text in EXPECTED.findall(line):
            yield number, code.index(token) + 1, len(token), rule, "note" if note else "warning", text.strip()


def as_written(path, env=None):
    found, status = results(path, env=env)
    open_findings = []
    for f in found:
        region = f["locations"][0]["physicalLocation"]["region"]
        open_findings.append((region["startLine"], region["startColumn"], region["endColumn"] - region["startColumn"], f["ruleId"], f["level"], f["message"]["text"]))
    wrong = []
    for want in expected(path):
        match = [g for g in open_findings if g[:2] == want[:2] and g[3:5] == want[3:5] and want[5] in g[5] and (want[3] in ("NW0511",) or g[2] == want[2])]
        if match:
            open_findings.remove(match[0])
        else:
            wrong.append(f"missing: {want}")
    wrong += [f"too much: {g}" for g in open_findings]
    warned = any(e[4] == "warning" for e in expected(path))
    if status != int(warned):
        wrong.append(f"status {status}")
    expect(not wrong, "\n".join(wrong))


def listed(path):
    """--accesses: the exact transactions of each access, by kernel."""
    return [(f["locations"][0]["logicalLocations"][0]["name"], f["message"]["text"]) for f in results(path, "--accesses")[0] if f["ruleId"] == "NW0500"]


def counts():
    found = listed(os.path.join(FOLDER, "strides.cu"))
    for kernel, text in [("one", "store of a[threadIdx.x]: 4 transactions of 32 bytes per warp, 4 at best"), ("off_by_one", "load of b[blockIdx.x * blockDim.x + threadIdx.x - 1]: 5 transactions"),
                         ("off_by_one", "load of b[blockIdx.x * blockDim.x + threadIdx.x + 1]: 5 transactions"), ("backward", "4 transactions"), ("broadcast", "load of b[blockIdx.x]: 1 transaction of 32 bytes per warp, 1 at best"),
                         ("doubles", "load of b[threadIdx.x]: 8 transactions of 32 bytes per warp, 8 at best"), ("wide", "load of b[threadIdx.x]: 16 transactions of 32 bytes per warp, 16 at best"),
                         ("through_a_cast", "load of ((float4 *)a)[threadIdx.x]: 16 transactions"), ("bytes", "1 transaction of 32 bytes per warp, 1 at best"), ("pitch", "4 transactions")]:
        expect(any(k == kernel and text in t for k, t in found), f"no '{text}' of {kernel} in\n" + "\n".join(map(str, found)))
    square = listed(os.path.join(FOLDER, "shapes.cu"))
    expect(any(k == "rows" and "4 transactions of 32 bytes per warp, 4 at best" in t for k, t in square), str(square))
    banks = listed(os.path.join(FOLDER, "banks.cu"))
    expect(any(k == "padded" and "load of tile" in t and "1 turn of the banks per warp, 1 without" in t for k, t in banks), str(banks))
    expect(any(k == "doubles" and "2 turns of the banks per warp, 2 without" in t for k, t in banks), str(banks))


def paper():
    """Figure 2 of the paper lite: both accesses of a row for each thread."""
    got = lint(os.path.join(harness.TESTS, "cuda", "row_scaling.cu"))
    for array in "ab":
        expect(f"warning: {array}[(blockIdx.x * 256 + threadIdx.x) * 300 + i]: neighbouring threads are 300 elements (1200 bytes) apart: 32 transactions of 32 bytes per warp where 4 would do [NW0501]" in got.out, got.out)
    expect(got.status == 1 and got.out.count("warning:") == 2, got.out)
    old = lint(os.path.join(harness.TESTS, "cuda", "row_scaling.cu"), "--device=gtx-8800").out
    expect("32 transactions per warp where 2 would do" in old, old)


def old_devices():
    """What is not aligned costs nothing to speak of today, and 16 times as much on the paper's device."""
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "k.cu")
        open(path, "w").write("__global__ void k(float *a) { a[blockIdx.x * 256 + threadIdx.x + 1] = 1; }\n")
        expect(lint(path).status == 0, "a warning for today's devices")
        got = lint(path, "--device=gtx-8800")
        expect(got.status == 1 and "the row does not begin at a multiple of a transaction: 32 transactions per warp where 2" in got.out, got.out)


def carets():
    with harness.Scratch() as scratch:
        open(os.path.join(scratch, "k.cu"), "w").write("__global__ void k(float *a, float b) {\n\ta[threadIdx.x] = b; a[threadIdx.x * 8] = b;\n}\nvoid f(float *a) { k<<<1, 128>>>(a, 1); }\n")
        got = lint("k.cu", cwd=scratch)
        lines = got.out.splitlines()
        expect(lines[0].startswith("k.cu:2:22: warning: a[threadIdx.x * 8]: "), got.out)
        expect(lines[1].startswith("    2 | ") and lines[2].index("^") - len("      | ") == lines[1].index("a[threadIdx.x * 8]") - len("    2 | "), got.out)
        expect(lines[3].startswith("      = help: ") and len(lines) == 4 and not got.err, got.out + got.err)


def sarif():
    with harness.Scratch() as scratch:
        source = open(os.path.join(FOLDER, "strides.cu")).read()
        os.makedirs(os.path.join(scratch, "a folder"))
        name = os.path.join("a folder", "k.cu")
        open(os.path.join(scratch, name), "w").write(source)
        got = lint(name, "--format=sarif", "-o", "out.sarif", cwd=scratch)
        expect(got.status == 1 and not got.out and not got.err, got.out + got.err)
        log = json.load(open(os.path.join(scratch, "out.sarif")))
        expect(log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"] and len(log["runs"]) == 1, "the head")
        run = log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        expect(run["tool"]["driver"]["name"] == "nestwarp lint" and len({r["id"] for r in rules}) == len(rules), "the driver")
        documented = open(os.path.join(harness.ROOT, "docs", "diagnostics.md")).read()
        for r in rules:
            expect(r["shortDescription"]["text"] and r["help"]["text"] and re.fullmatch(r"[A-Z][A-Za-z]+", r["name"]), str(r))
            expect(f"## {r['id']}: " in documented, r["id"])
        lines = source.splitlines()
        expect(run["results"], "no results")
        for f in run["results"]:
            expect(rules[f["ruleIndex"]]["id"] == f["ruleId"] and f["level"] in ("error", "warning", "note") and f["message"]["text"], str(f))
            where = f["locations"][0]["physicalLocation"]
            expect(where["artifactLocation"]["uri"] == "a%20folder/k.cu", str(where))
            region = where["region"]
            expect(1 <= region["startLine"] == region["endLine"] <= len(lines) and 1 <= region["startColumn"] < region["endColumn"] <= len(lines[region["startLine"] - 1]) + 1, str(region))
        clean = json.loads(lint(os.path.join(harness.TESTS, "lint", "blocks.cu"), "--sarif", "--function", "plain").out)
        expect(clean["runs"][0]["results"] == [], "a finding in a kernel without any")


def letters():
    """Columns of SARIF are counted in UTF-16."""
    with harness.Scratch() as scratch:
        path = os.path.join(scratch, "k.cu")
        line = "__global__ void k(float *a) { /* \u00e4\U0001f600 */ a[threadIdx.x * 8] = 1; }"
        open(path, "w", encoding="utf-8").write(line + "\n")
        region = [f for f in results(path)[0] if f["ruleId"] == "NW0501"][0]["locations"][0]["physicalLocation"]["region"]
        begin = len(line[:line.index("a[")].encode("utf-16-le")) // 2 + 1
        expect((region["startColumn"], region["endColumn"]) == (begin, begin + len("a[threadIdx.x * 8]")), str(region))


def switches():
    strides = os.path.join(FOLDER, "strides.cu")
    expect("8 transactions" in lint(strides, "--function=by_argument", "--size", "n=2").out, "--size n=2")
    expect(lint(strides, "--function=by_argument", "--size", "n=1").status == 0, "--size n=1")
    expect("16 of 32 lanes" not in lint(os.path.join(FOLDER, "conditions.cu"), "--function=half_of_each", "--block=16x16").out, "--block")
    got = lint(os.path.join(FOLDER, "shapes.cu"), "--function=columns", "--block", "32x8").out
    expect("32 transactions of 32 bytes per warp where 4" in got, got)
    got = lint(os.path.join(FOLDER, "blocks.cu"), "--function=plain", "--registers=255").out
    expect("limited by 255 registers a thread [NW0503]" in got, got)
    for flags, word in [(["--block", "32x"], "--block 32x: expected"), (["--block", "64x64"], "at most 1024 threads"), (["--size", "n"], "expected NAME=NUMBER"), (["--bogus"], "--bogus"), (["--format=xml"], "xml"),
                        (["--function=nobody"], "has no kernel 'nobody'"), (["--device=gtx-1"], "gtx-1"),
                        (["-o", "/nowhere/out.txt"], "cannot write")]:
        got = lint(strides, *flags)
        expect(got.status == 2 and word in got.err + got.out, f"{flags}: {got.status} {got.err}")


def unreadable():
    with harness.Scratch() as scratch:
        got = lint(os.path.join(scratch, "none.cu"))
        expect(got.status == 2 and "cannot read" in got.err and not got.out, got.err)
        path = os.path.join(scratch, "wrong.cu")
        open(path, "w").write("__global__ void k(float *a) { a[threadIdx.x] = ; }\n")
        got = lint(path)
        expect(got.status == 2 and "wrong.cu:1:48: error: expected expression" in got.err and not got.out, got.err + got.out)
        got = lint(path, "--sarif", "-o", os.path.join(scratch, "out.sarif"))
        expect(got.status == 2 and not os.path.exists(os.path.join(scratch, "out.sarif")), "a file was written")


def cases(arguments):
    cases = []
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.cu"))):
        name = os.path.basename(path)
        cases.append((name, lambda p=path: as_written(p)))
        cases.append((f"{name}: without a toolkit", lambda p=path: as_written(p, env={"NESTWARP_CUDA_PATH": "none"})))
    cases += [("exact transactions", counts), ("the paper's finding", paper), ("old devices", old_devices), ("carets", carets), ("SARIF", sarif), ("letters", letters), ("switches", switches), ("unreadable", unreadable)]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("lint")
