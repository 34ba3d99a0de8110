#!/usr/bin/env python3
"""OpenACC data through nestwarp cc -fopenacc, on PoCL: programs of one and of several files print what the system's compiler makes
of them without any directive, and the statistics tell what was copied."""
import glob
import json
import os
import re
import harness
from harness import Failure

HEAT = sorted(glob.glob(os.path.join(harness.ROOT, "examples", "heat", "*.c")))
PROGRAMS = os.path.join(harness.TESTS, "data")


def statistics(err):
    m = re.search(r"^nestwarp-stats: (\{.*\})$", err, re.M)
    if not m:
        raise Failure("no statistics: " + err[-500:])
    return json.loads(m.group(1))


def expect(condition, text):
    if not condition:
        raise Failure(text)


def built(scratch, sources, flags=(), own=()):
    """The program by nestwarp, and by the system's compiler, which does not get the flags that are nestwarp's own."""
    ours, plain = os.path.join(scratch, "ours"), os.path.join(scratch, "plain")
    said = harness.run([harness.NESTWARP, "cc", "-fopenacc", "-O1", "--quiet", *own, *flags, *sources, "-lm", "-o", ours])
    harness.run(["c++" if sources[0].endswith(".cpp") else "cc", "-O1", "-w", *flags, *sources, "-lm", "-o", plain])
    return ours, plain, said.err


def run(program, device="pocl", arguments=(), check=True):
    return harness.run([program, *arguments], env={"NESTWARP_DEVICE": device, "NESTWARP_STATS": "1"}, check=check)


def heat(watch):
    """One copy in, one copy out, and the same result as on the host, with and without a device."""
    with harness.Scratch() as scratch:
        ours, plain, _ = built(scratch, HEAT)
        arguments = ["40", "50", "1e-2", *([str(watch)] if watch else [])]
        want, got, without = run(plain, arguments=arguments, check=False).out, run(ours, arguments=arguments), run(ours, "none", arguments)
        expect(got.out == want and without.out == want, f"expected {want}, got {got.out} and, without a device, {without.out}")
        steps, s = int(re.search(r"(\d+) steps", want).group(1)), statistics(got.err)
        rows = steps // watch if watch else 0
        expect(steps > 50, "hardly a step")
        expect(s["data_copies_in"] == 1 and s["data_copies_out"] == 1 + rows and s["exchanges"] == 0, f"one copy in, {1 + rows} out: {s}")
        expect(s["regions_offloaded"] >= steps + 1 and s["regions_on_host"] == 2, f"the steps run on the device, and the two plain loops of the host do not: {s}")
        plate = 40 * 50 * 8
        # Besides the plate, and the rows that are watched, each step brings the largest change along.
        expect(plate <= s["bytes_to_device"] <= plate + 64 * (steps + 1), f"bytes to the device: {s}")
        expect(plate <= s["bytes_from_device"] <= plate + rows * 50 * 8 + 64 * (steps + 1), f"bytes from the device: {s}")


def heat_without_kernels():
    """A construct that stays on the host works on the device's values."""
    with harness.Scratch() as scratch:
        _, plain, _ = built(scratch, HEAT)
        text = open([f for f in HEAT if f.endswith("plate.c")][0]).read()
        held = os.path.join(scratch, "plate.c")  # volatile: no kernel
        with open(held, "w") as f:
            f.write(text.replace("to[i][j] = from[i][j];", "{ volatile double value = from[i][j]; to[i][j] = value; }"))
        os.rename(plain, plain + "0")
        sources = [held if s.endswith("plate.c") else s for s in HEAT]
        ours, _, said = built(scratch, sources, ["-I" + os.path.dirname(HEAT[0])])
        arguments = ["30", "40", "1e-1"]
        got = run(ours, arguments=arguments)
        expect("NW0101" in said, "the construct is not refused: " + said)
        expect(got.out == run(plain + "0", arguments=arguments, check=False).out, got.out)
        s = statistics(got.err)
        expect(s["exchanges"] == 2, f"both plates come to the host once: {s}")


def program(path):
    """A program prints what it prints without directives, or what it says itself: `// ON DEVICE: ...` and `// ON HOST: ...`, where
    the host's values may differ from the device's. With `// STATISTICS: key value` it has these; `// WITH: flag` is nestwarp's."""
    text = open(path).read()
    with harness.Scratch() as scratch:
        ours, plain, _ = built(scratch, [path], own=re.findall(r"^// WITH: (\S+)$", text, re.M))
        want = harness.run([plain]).out
        got, without = run(ours), run(ours, "none")
        on_device, on_host = ("".join(line + "\n" for line in re.findall(f"^// {where}: (.*)$", text, re.M)) or want for where in ("ON DEVICE", "ON HOST"))
        expect(got.out == on_device, f"expected {on_device}, got {got.out}{got.err[-500:]}")
        expect(without.out == on_host == want, f"without a device: expected {on_host}, got {without.out} and, by the system's compiler, {want}")
        s = statistics(got.err)
        for key, value in re.findall(r"^// STATISTICS: (\w+) (\d+)$", text, re.M):
            expect(s[key] == int(value), f"{key} is not {value}: {s}")


def mistake(path):
    """A program that is wrong in a way that only the run shows; `// SAYS: ...` is what it says, with status 1."""
    with harness.Scratch() as scratch:
        ours, _, _ = built(scratch, [path])
        got = run(ours, check=False)
        for words in re.findall(r"^// SAYS: (.*)$", open(path).read(), re.M):
            expect(words in got.err, f"expected '{words}' in: {got.err[-800:]}")
        expect(got.status == 1, f"status {got.status}: {got.out}{got.err[-500:]}")
        expect(run(ours, "none").status == 0, "without a device nothing is wrong")


def cases(arguments):
    cases = [("heat", lambda: heat(0)), ("heat, with a row of it every 20 steps", lambda: heat(20)), ("heat, with a construct on the host", heat_without_kernels)]
    cases += [(os.path.basename(p), lambda p=p: program(p)) for p in sorted(glob.glob(os.path.join(PROGRAMS, "*.c*")))]
    cases += [(os.path.basename(p), lambda p=p: mistake(p)) for p in sorted(glob.glob(os.path.join(PROGRAMS, "mistakes", "*.c")))]
    return [c for c in cases if harness.chosen(arguments, c[0])]


if __name__ == "__main__":
    harness.main("data")
