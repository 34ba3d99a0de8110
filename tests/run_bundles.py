#!/usr/bin/env python3
"""Bundles: written here, run by nestwarp-run on PoCL, read back; and everything that can go wrong on the way."""
import copy
import json
import os
import re
import shutil
import signal
import subprocess
import bundle_cubins
import bundle_faults
import bundle_fuzz
import bundle_links
import bundle_words
import harness
from bundle_workdir import RUN, WorkDir, expect, need_pocl, nothing_built
from harness import Failure


def there_and_back():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        expect(workdir.run(), 0, "[1/2]", "[2/2]", "0 of 2 jobs not as expected")
        verdicts = [j["verdict"] for j in workdir.results()["jobs"]]
        if verdicts != ["same", "same"]:
            raise Failure(f"verdicts {verdicts}")
        expect(harness.run([harness.NESTWARP, "check", "--import", workdir.bundle]), 0, "rows.c: rows: same", "main.c (program): same")


def times():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, "bench", ["--repeats", "4", "--cubin=none"])
        workdir.run()
        job = workdir.results()["jobs"][0]
        region = job["times"]["regions"][0]
        if len(region["milliseconds"]) != 4 or min(region["milliseconds"]) <= 0:
            raise Failure(f"times {region}")
        kernel = job["kernel_times"]["regions"][0]["kernels"][0]
        if kernel["launches"] != 4 or kernel["timed"] != 4 or not 0 < kernel["least"] <= kernel["milliseconds"]:
            raise Failure(f"times {kernel}")
        expect(harness.run([harness.NESTWARP, "bench", "--import", workdir.bundle]), 0, "rows.c:4", "rows_0_step0", "3 calls")


def side_by_side():
    """--jobs: what is checked ahead is told as if it were not, and times are there; a source that does not compile, and wrong code, too."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch, "bench", ["--repeats", "3", "--cubin=none"])
        expect(workdir.run("--jobs=4"), 0, "[1/2] 001-rows-rows: same", "[2/2] 002-main-main: same", "0 of 2 jobs not as expected")
        job = workdir.results()["jobs"][0]
        if "device\t1\t0" not in job["ordinary"]["report"] or len(job["times"]["regions"][0]["milliseconds"]) != 3:
            raise Failure(str(job))
        workdir.edit(("jobs", "001-rows-rows", "regions.nw.c"), lambda text: re.sub(r"\(float\)3 \*", "(float)5 *", text))
        os.remove(workdir.path("results.json"))
        expect(workdir.run("--jobs=4", check=False), 1, "001-rows-rows: DIFFERENT", "002-main-main: same")
        workdir.edit(("jobs", "001-rows-rows", "driver.c"), lambda text: "#error\n" + text[len("#error\n"):])
        os.remove(workdir.path("results.json"))
        expect(workdir.run("--jobs=4", check=False), 1, "001-rows-rows: did not build", "002-main-main: same")
        expect(workdir.run("--jobs=0", check=False), 2, "--jobs=0 is not valid")


def cuda_files():
    """Kernels of a CUDA file travel as functions of loops; its main does not. What is wrong is told by the kernel's own names."""
    need_pocl()
    with harness.Scratch() as scratch:
        source, bundle = os.path.join(scratch, "scale.cu"), os.path.join(scratch, "bundle")
        with open(source, "w") as f:
            f.write("""__global__ void scale(int n, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = 3 * a[i];
}
int main() { scale<<<1, 64>>>(0, 0, 0); return 0; }
""")
        expect(harness.run([harness.NESTWARP, "check", source, "--cubin=none", "--bundle", bundle]), 0, "with 1 jobs")
        expect(harness.run([RUN, bundle, "--device=pocl"]), 0, "001-scale-scale: same")
        expect(harness.run([harness.NESTWARP, "check", "--import", bundle]), 0, "scale.cu: scale: same")
        path = os.path.join(bundle, "jobs", "001-scale-scale", "regions.nw.c")
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(re.sub(r"\(float\)3 \*", "(float)5 *", text))
        os.remove(os.path.join(bundle, "results.json"))
        expect(harness.run([RUN, bundle, "--device=pocl"], check=False), 1, "001-scale-scale: DIFFERENT")
        expect(harness.run([harness.NESTWARP, "check", "--import", bundle], check=False), 1, "scale.cu: scale: DIFFERENT", "b[0]: original")


def wrong_code_is_seen():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        for job in os.listdir(workdir.path("jobs")):  # 3 * a becomes 5 * a: as many bytes
            workdir.edit(("jobs", job, "regions.nw.c"), lambda text: re.sub(r"\(float\)3 \*", "(float)5 *", text))
        expect(workdir.run(check=False), 1, "001-rows-rows: DIFFERENT", "002-main-main: DIFFERENT")
        expect(harness.run([harness.NESTWARP, "check", "--import", workdir.bundle], check=False), 1, "s[0]: original", "rows.c:7", "word 0 of the output")


def no_device():
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        done = harness.run([RUN, workdir.bundle, "--device=none"], check=False)
        expect(done, 1, "001-rows-rows: same, but nothing ran on a device", "002-main-main: same, but nothing ran on a device")
        expect(harness.run([harness.NESTWARP, "check", "--import", workdir.bundle], check=False), 3, "nothing ran on a device")


def stopped_and_resumed():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        p = subprocess.Popen([RUN, workdir.bundle, "--device=pocl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = p.stdout.readline()
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=120)
        if "[1/2]" not in first or p.returncode != 130 or "the same command continues from there" not in err or os.path.exists(workdir.path("results.json")):
            raise Failure(f"status {p.returncode}\n{first}{out}{err}")
        with open(workdir.path("results.json.partial"), "a") as f:
            f.write('{"job": "002-main-main", "cut')  # killed while it wrote
        done = workdir.run()
        expect(done, 0, "[2/2]")
        if "[1/2]" in done.out:
            raise Failure("the first job ran again")
        if [j["verdict"] for j in workdir.results()["jobs"]] != ["same", "same"]:
            raise Failure(f"{workdir.results()}")


def each_device_for_itself():
    """What is known of one device, or without a sanitizer, says nothing of another; and a finished run begins anew."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        expect(workdir.run("--only=rows-rows"), 0, "[1/2]")
        with open(workdir.path("results.json.partial"), "w") as f:
            f.write(workdir.results()["bundle"] + " cuda -\n" + '{"job": "001-rows-rows", "verdict": "same"}\n')
        expect(workdir.run("--only=rows-rows"), 0, "[1/2]")
        expect(workdir.run("--only=rows-rows"), 0, "[1/2]")


def chosen_jobs():
    """--only: what is counted is what has run; and where nothing has the text in its name, that is said."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        done = workdir.run("--only=nosuch", check=False)
        expect(done, 2, "--only=nosuch: no job name contains this", "  001-rows-rows\n  002-main-main\n")
        if "results.json" in done.out + done.err:
            raise Failure(done.out + done.err)
        nothing_built(workdir)
        expect(workdir.run("--only=rows-rows"), 0, "0 of 1 jobs not as expected; 1 not run")


def odd_device():
    """A device's name is a text, whatever is in it, and stays one in the results."""
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        name = 'no"such\\thing'
        expect(workdir.run("--only=rows-rows", device=name, check=False), 1, "1 of 1 jobs not as expected")
        if workdir.results()["device"] != name:
            raise Failure(workdir.results()["device"])
        for name in ("a\nb", "a\x1bb", "x" * 300):
            expect(workdir.run(device=name, check=False), 2, "is not valid")


def outputs():
    """Programs whose outputs differ in ways that a comparison of numbers may overlook, or that have none."""
    cases = {"inf": ('printf("%g\\n", sums[3] > 1e6 ? 1.5 : 1.0 / (sums[3] - sums[3]));', "same"),
             "nothing": ("return sums[3] > 1e9;", "did not run")}
    need_pocl()
    with harness.Scratch() as scratch:
        bundle = os.path.join(scratch, "bundle")
        sources = [os.path.join(scratch, name + ".c") for name in cases]
        for source, (statement, _) in zip(sources, cases.values()):
            with open(source, "w") as f:
                f.write("#include <stdio.h>\nstatic double sums[300];\nint main(void) {\n"
                        "  for (int i = 0; i < 300; i++)\n    sums[i] = i * 0.5;\n"
                        f"  {statement}\n  return 0;\n}}\n")
        harness.run([harness.NESTWARP, "check", "-q", *sources, "--cubin=none",
                     "--bundle", bundle])
        done = harness.run([RUN, bundle, "--device=pocl"], check=False)
        for name, (_, verdict) in cases.items():
            if f"{name}-main: {verdict} (" not in done.out:
                raise Failure(f"{name}: {done.out}{done.err}")
        # the generated code says 1.5 instead: as many bytes
        path = os.path.join(bundle, "jobs", "001-inf-main", "input", "nw_rewritten.c")
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace("> 1e6", "< 1e6"))
        expect(harness.run([RUN, bundle, "--device=pocl"], check=False), 1,
               "001-inf-main: DIFFERENT")


def openacc():
    """Promises are taken into a bundle: the scatter is there, and gives what the original gives."""
    need_pocl()
    with harness.Scratch() as scratch:
        source, bundle = os.path.join(scratch, "p.c"), os.path.join(scratch, "bundle")
        with open(source, "w") as f:
            f.write("void turned(int n, float x[n], float y[n], int back[n]) {\n#pragma acc parallel loop copyin(x[0:n]) copyout(y[0:n])\n  for (int i = 0; i < n; i++)\n    y[(n - 1 - i) & back[i]] = x[i];\n}\n"
                    "void prepare_turned(int n, float x[n], float y[n], int back[n]) {\n  for (int i = 0; i < n; i++)\n    back[i] = -1;\n}\n")
        harness.run([harness.NESTWARP, "check", "-q", "-fopenacc", source, "--function", "turned", "--cubin=none", "--bundle", bundle])
        expect(harness.run([RUN, bundle, "--device=pocl"], check=False), 0, "p-turned: same (")
        expect(harness.run([harness.NESTWARP, "check", "--import", bundle]), 0, "p.c: turned: same")
        plain = harness.run([harness.NESTWARP, "check", "-q", source, "--function", "turned", "--cubin=none", "--bundle", bundle + "2"], check=False)
        if plain.status == 0:
            raise Failure("without -fopenacc the scatter goes to the device: " + plain.out)


# What is done to a bundle, and what nestwarp-run says then.
def cut_manifest(workdir):
    workdir.edit(("manifest.txt",), lambda text: text[: len(text) // 2])


def other_version(workdir):
    workdir.edit(("manifest.txt",), lambda text: text.replace("nestwarp-bundle\t3", "nestwarp-bundle\t9"))


def missing_file(workdir):
    os.remove(workdir.path("jobs", "001-rows-rows", "driver.c"))


def longer_file(workdir):
    with open(workdir.path("jobs", "001-rows-rows", "driver.c"), "a") as f:
        f.write("\n")


def outside_path(workdir):
    workdir.edit(("manifest.txt",), lambda text: text.replace("file\tjobs/001-rows-rows/driver.c", "file\tjobs/../../rows.c"))


def linked_file(workdir):
    path = workdir.path("jobs", "001-rows-rows", "driver.c")
    shutil.move(path, workdir.bundle + ".c")
    os.symlink(workdir.bundle + ".c", path)


def command_in_flag(workdir):
    workdir.edit(("manifest.txt",), lambda text: text.replace("flag\t-DSCALE=3", "flag\t-fplugin=x.so"))


def cut_last_line(workdir):
    workdir.edit(("manifest.txt",), lambda text: text[: -len("end\n")])


def job_twice(workdir):
    workdir.edit(("manifest.txt",), lambda text: text.replace("job\t002-main-main", "job\t001-rows-rows"))


def runtime_as_name(workdir):
    workdir.edit(("manifest.txt",), lambda text: text.replace("job\t001-rows-rows", "job\truntime"))


def folder_as_name(workdir):
    workdir.edit(("manifest.txt",), lambda text: text.replace("job\t001-rows-rows", "job\t../rows"))


REFUSED = [(cut_manifest, "cut off"), (other_version, "another version"), (missing_file, "is not there"), (longer_file, "another size"), (outside_path, "is not valid"),
           (linked_file, "is a link"), (command_in_flag, "is not valid"), (folder_as_name, "is not valid"),
           (cut_last_line, "cut off"), (job_twice, "two jobs of this name"), (runtime_as_name, "is not a job")]


def refused(change, words):
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        change(workdir)
        expect(harness.run([RUN, workdir.bundle], check=False), 2, words)
        nothing_built(workdir)


def bad_results():
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        workdir.run()
        with open(workdir.path("results.json")) as f:
            text = f.read()
        for changed, words in ((text[: len(text) // 2], "cut off"), (text.replace('"bundle": "', '"bundle": "0'), "another bundle"), (text.replace("001-rows-rows", "007-other"), "no job '007-other'"), (text.replace("device\\u00091", "device\\u0009x"), "is not valid"),
                               ("[]", "not a file of results")):
            with open(workdir.path("results.json"), "w") as f:
                f.write(changed)
            expect(harness.run([harness.NESTWARP, "check", "--import", workdir.bundle], check=False), 1, words)


def contradictions():
    """Results that say that all is well beside a difference, or are of another type than they should be."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        workdir.run()
        good = workdir.results()

        def said(change, status, *texts):
            results = copy.deepcopy(good)
            change(results, *results["jobs"])
            with open(workdir.path("results.json"), "w") as f:
                json.dump(results, f)
            done = workdir.bring_back(check=False)
            expect(done, status, *texts)
            if re.search(r"[^\n -~]", done.out + done.err):
                raise Failure(f"control characters: {done.out + done.err!r}")

        def add_line(job, line):
            job["ordinary"]["report"] += line + "\n"

        said(lambda all, f, p: None, 0, "rows.c: rows: same")
        for key in ("machine", "device", "date", "sanitizer"):
            said(lambda all, f, p, key=key: all.update({key: "odd\x1b[2J\x9b\x07\t"}), 0, "odd\\x1b[2J\\x9b\\x07\\x09")
            said(lambda all, f, p, key=key: all.update({key: 7}), 1, f"'{key}' is not valid")
        said(lambda all, f, p: p.update(verdict="same, but \x1bc", errors="a\nb\x1bc"), 3, "same, but \\x1bc", "a\nb\\x1bc")
        said(lambda all, f, p: p.update(job="\x1bc"), 1, "no job '\\x1bc'")
        # A difference counts, and the file is named with the function.
        said(lambda all, f, p: add_line(f, "different\t0\t1\t2\t1000\t1\t\x1bc\t-"), 1, "rows.c: rows: DIFFERENT", "original 1, generated \\x1bc")
        said(lambda all, f, p: add_line(f, "different\t0"), 1, "is not valid")
        said(lambda all, f, p: f.update(verdict="DIFFERENT"), 1, "but nestwarp-run found it different")
        said(lambda all, f, p: f.pop("special"), 1, "no report on special data")
        said(lambda all, f, p: p.update(word=3, expected="1", found="2"), 1, "main.c (program): DIFFERENT; word 3")
        said(lambda all, f, p: p.update(generated_status=1), 1, "main.c (program): DIFFERENT; the original ended with status 0, the generated program with 1")
        # Other types.
        said(lambda all, f, p: f["ordinary"].update(status="1"), 1, "of job 001-rows-rows, 'status' is not valid")
        said(lambda all, f, p: f["ordinary"].update(status=1 << 32), 1, "'status' is not valid")
        said(lambda all, f, p: f.update(ordinary=[]), 1, "'ordinary' is not valid")
        for key in ("times", "kernel_times"):
            for times in (7, None, {}, {"regions": [7]}, {"regions": [{"where": "a", "milliseconds": ["1"], "kernels": []}]}, {"regions": [{"where": "a", "milliseconds": [1], "kernels": [{}]}]}):
                said(lambda all, f, p, times=times, key=key: p.update({key: times}), 1, f"of job 002-main-main, '{key}' is not valid")
        region = {"where": "a\x1bc", "milliseconds": [1], "kernels": [{"name": "k\x1bc", "launches": 1, "least": 1}]}
        said(lambda all, f, p: p.update(times={"regions": [region]}, kernel_times={"regions": [region]}), 0, "a\\x1bc", "k\\x1bc")


def no_overwriting():
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        source = os.path.join(scratch, "other.c")
        with open(source, "w") as f:
            f.write("void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = i;\n}\n")
        expect(harness.run([harness.NESTWARP, "check", source, "--bundle", workdir.bundle], check=False), 1, "is there already")


def cases(arguments):
    cases = [("there and back", there_and_back), ("times", times), ("side by side", side_by_side), ("cuda files", cuda_files), ("wrong code is seen", wrong_code_is_seen), ("no device", no_device), ("stopped and resumed", stopped_and_resumed),
             ("each device for itself", each_device_for_itself), ("chosen jobs", chosen_jobs), ("odd device", odd_device), ("outputs", outputs), ("bad results", bad_results), ("contradictions", contradictions), ("no overwriting", no_overwriting), ("OpenACC", openacc)]
    cases += [(f"refused: {change.__name__.replace('_', ' ')}", lambda change=change, words=words: refused(change, words)) for change, words in REFUSED]
    cases += bundle_cubins.CASES + bundle_faults.CASES + bundle_links.CASES + bundle_words.CASES + bundle_fuzz.CASES
    cases = [c for c in cases if harness.chosen(arguments, c[0])]
    # The first one by itself: PoCL 3.1 takes it badly when its cache is filled with the same kernels by two processes at a time.
    return harness.first_alone(cases)


if __name__ == "__main__":
    harness.main("bundles")
