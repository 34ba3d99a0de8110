"""Cases of bundles: links, and other ways out of the folder, when one is written, run and brought back."""
import os
import shutil
import harness
from bundle_workdir import FIRST, RUN, SOURCE, WorkDir, expect, need_pocl, nothing_built, same
from harness import Failure


def linked_sources():
    """Sources and headers that are links go into the bundle as files, under the names that the source has for them."""
    need_pocl()
    with harness.Scratch() as scratch:
        real, project, bundle = (os.path.join(scratch, name) for name in ("real", "project", "bundle"))
        os.makedirs(real)
        os.makedirs(os.path.join(project, "include"))
        for name, text in (("source.txt", SOURCE), ("scale.txt", "#define SCALE 3\n")):
            with open(os.path.join(real, name), "w") as f:
                f.write(text)
        os.symlink("../real/source.txt", os.path.join(project, "rows.c"))
        os.symlink("../../real/scale.txt", os.path.join(project, "include", "scale.h"))
        os.symlink("include", os.path.join(project, "linked"))
        harness.run([harness.NESTWARP, "check", "-q", "rows.c", "-I", "linked/", "--size", "n=50", "--size", "m=20", "--cubin=none", "--bundle", bundle], cwd=project)
        shutil.rmtree(real)
        shutil.rmtree(project)
        same("links", [name for folder, folders, files in os.walk(bundle) for name in folders + files if os.path.islink(os.path.join(folder, name))], [])
        expect(harness.run([RUN, bundle, "--device=pocl"]), 0, FIRST + ": same (")


def move_out(workdir, *parts):
    """What lies there, elsewhere, and a link to it in its place."""
    outside = os.path.join(workdir.scratch, "outside")
    shutil.move(workdir.path(*parts), outside)
    os.symlink(outside, workdir.path(*parts))
    return outside


def job_folder(workdir):
    return move_out(workdir, "jobs", FIRST)


def include_folder(workdir):
    """With the file's own line gone, nothing but the folder is left to be checked."""
    workdir.edit(("manifest.txt",), lambda text: "".join(line for line in text.splitlines(True) if not line.startswith("file\tjobs/" + FIRST + "/include0/")))
    return move_out(workdir, "jobs", FIRST, "include0")


def all_jobs(workdir):
    return move_out(workdir, "jobs")


def manifest(workdir):
    return move_out(workdir, "manifest.txt")


def build_folder(workdir):
    outside = os.path.join(workdir.scratch, "outside")
    os.makedirs(outside)
    os.symlink(outside, workdir.path("build-" + workdir.manifest()[1][1]))
    return outside


def in_build_folder(workdir):
    build = workdir.path("build-" + workdir.manifest()[1][1], "runtime")
    os.makedirs(build)
    outside = os.path.join(workdir.scratch, "outside")
    os.makedirs(outside)
    os.symlink(os.path.join(outside, "victim"), os.path.join(build, "module.c.o.half"))
    return outside


def lock(workdir):
    os.symlink(os.path.join(workdir.scratch, "victim"), workdir.path("run.lock"))
    return workdir.scratch


def refused(change, words):
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        outside = change(workdir)
        before = sorted(os.listdir(outside)) if os.path.isdir(outside) else open(outside).read()
        expect(workdir.run(check=False), 2, words)
        same("outside", sorted(os.listdir(outside)) if os.path.isdir(outside) else open(outside).read(), before)


def linked_results():
    """A file outside that results.json, or what it is made of, leads to is not written."""
    need_pocl()
    for name in ("results.json", "results.json.half", "results.json.partial"):
        with harness.Scratch() as scratch:
            workdir = WorkDir(scratch)
            victim = os.path.join(scratch, "victim")
            with open(victim, "w") as f:
                f.write("mine\n")
            os.symlink(victim, workdir.path(name))
            workdir.run("--only=rows-rows", check=False)
            with open(victim) as f:
                same(name, f.read(), "mine\n")


def names_of_results():
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        for name in ("manifest.txt", "../results.json", ".json", "run.lock"):
            expect(workdir.run("--output=" + name, check=False), 2, "is not valid")
        nothing_built(workdir)


def changed_on_the_way():
    """What comes back is compiled here again to explain a difference: it must be the bundle's own, with harmless flags."""
    need_pocl()
    with harness.Scratch() as scratch:
        workdir = WorkDir(scratch)
        workdir.edit(("jobs", FIRST, "regions.nw.c"), lambda text: text.replace("(float)3 *", "(float)5 *"))
        workdir.run("--only=rows-rows", check=False)
        expect(workdir.bring_back(check=False), 1, "s[0]: original")
        with open(workdir.path("manifest.txt")) as f:
            kept = f.read()
        for before, after, words in (("flag\t-DSCALE=3", "flag\t-fplugin=x.so", "is not valid"), ("about\tinput\trows.c", "about\tinput\t../../../rows.c", "is not in the bundle"),
                                     ("include\tinclude0", "include\t../..", "is not valid"), ("job\t" + FIRST, "job\t..", "is not valid")):
            workdir.edit(("manifest.txt",), lambda text: kept.replace(before, after, 1))
            expect(workdir.bring_back(check=False), 1, words)
        workdir.edit(("manifest.txt",), lambda text: kept)
        move_out(workdir, "jobs", FIRST, "input", "rows.c")
        expect(workdir.bring_back(check=False), 1, "which may lead out of the bundle")


def odd_flags():
    """A flag that nestwarp-run would refuse is refused here, before the bundle has travelled."""
    with harness.Scratch() as scratch:
        source = os.path.join(scratch, "a.c")
        with open(source, "w") as f:
            f.write("void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = TWICE(i);\n}\n")
        expect(harness.run([harness.NESTWARP, "check", "-q", source, "-D", "TWICE(x)=(2*(x))", "--cubin=none", "--bundle", os.path.join(scratch, "b")], check=False), 1, "cannot go into a bundle")


REFUSED = [(job_folder, "lead out of the bundle"), (include_folder, "lead out of the bundle"), (all_jobs, "lead out of the bundle"), (manifest, "no plain file manifest.txt"),
           (build_folder, "lead out of the bundle"), (in_build_folder, "lead out of the bundle"), (lock, "run.lock")]
CASES = [("linked sources", linked_sources), ("linked results", linked_results), ("names of results", names_of_results), ("changed on the way", changed_on_the_way), ("odd flags", odd_flags)]
CASES += [(f"refused link: {change.__name__.replace('_', ' ')}", lambda change=change, words=words: refused(change, words)) for change, words in REFUSED]
