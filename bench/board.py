#!/usr/bin/env python3
"""The board: kernels as nestwarp generates them beside the naive kernel, the vendor's library and a hand-written kernel, in one run.

    bench/board.py write DIR          here: generates code from bench/kernels, writes a folder that holds all that is needed;
                                      --plans DIR: with the plans DIR/NAME.json, where there is one, as a column of their own
    python3 DIR/board.py run DIR      on the GPU machine: builds and runs it, writes DIR/results.json
    bench/board.py table results.json                 prints a table
    bench/board.py draw results.json -o board.svg     draws it

How times are taken: bench/board/harness/board.h. Needs Python alone; `run` also wants CMake, nvcc and cuBLAS.

Over 500 lines: one command line; its parts share the table of programs.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
MANIFEST, RESULTS = "manifest.json", "results.json"

# What can be measured: the file of bench/kernels, the type of its elements, and the sizes; the first is the usual one, then come awkward ones, and their neighbours.
PROGRAMS = {
    "vecadd": ("vecadd", "float", [(1 << 25,), ((1 << 25) - 1,)]),
    "saxpy": ("saxpy", "float", [(1 << 25,), ((1 << 25) - 1,)]),
    "mv": ("mv", "float", [(8192, 8192), (8191, 8191), (4097, 4097), (4096, 4096)]),
    "tmv": ("tmv", "float", [(8192, 8192), (8191, 8191), (4097, 4097), (4096, 4096)]),
    "mvt": ("mvt", "float", [(8192,), (8191,), (4097,), (4096,)]),
    "atax": ("atax", "float", [(8192, 8192), (8191, 8191), (4097, 4097), (4096, 4096)]),
    "mt": ("mt", "float", [(8192, 8192), (8191, 8191), (4097, 4097), (4096, 4096)]),
    "mm": ("mm", "float", [(4096, 4096, 4096), (4097, 4097, 4097), (2047, 4097, 3001), (2048, 4096, 3000)]),
    "gauss": ("gauss", "float", [(16384,), (8191,), (8192,)]),
    "hotspot": ("hotspot", "float", [(8192, 100), (4097, 100), (4096, 100)]),
    "conv2d": ("conv2d", "float", [(8192, 8192), (8191, 8191)]),
    "radpath": ("radpath", "float", [(1024, 256), (1023, 251)]),
    "nms": ("nms", "float", [(8192, 8192), (8191, 8191)]),
    "mriq": ("mriq", "float", [(2048, 1 << 18), (2047, (1 << 18) - 1)]),
    "mrifhd": ("mrifhd", "float", [(2048, 1 << 18), (2047, (1 << 18) - 1)]),
    "cp": ("cp", "float", [(2048, 2048, 4000), (2047, 2049, 3999)]),
    "fdtd2d": ("fdtd2d", "float", [(4096, 40), (4095, 40)]),
    "lbm": ("lbm", "float", [(2048, 2048, 20), (2047, 2049, 20)]),
    "tpacf": ("tpacf", "float", [(16384, 32), (16381, 31)]),
    "sad": ("sad", "float", [(68, 120), (67, 119)]),
    "rc5": ("rc5", "float", [(1 << 23,), ((1 << 23) - 1,)]),
    "fem": ("fem", "float", [(1 << 21, 27), ((1 << 21) - 1, 27)]),
    "rpes": ("rpes", "float", [(4096, 4), (4095, 4)]),
    "pns": ("pns", "float", [(1 << 16, 64, 48, 1000), ((1 << 16) - 1, 63, 47, 1000)]),
    "mv_double": ("mv", "double", [(8192, 8192), (8191, 8191)]),
    "mm_double": ("mm", "double", [(4096, 4096, 4096), (2047, 4097, 3001)]),
    "hotspot_double": ("hotspot", "double", [(8192, 100)]),
}

# Columns in the order of the table; one that no result has is left out.
COLUMNS = [("ours", "ours"), ("ours_tuned", "ours, tuned"), ("ours_opencl", "ours, OpenCL"), ("naive", "naive"), ("vendor", "vendor library"), ("hand", "hand-written")]
COLORS = {"ours": "#0072b2", "ours_tuned": "#004c78", "ours_opencl": "#56b4e9", "naive": "#7f7f7f", "vendor": "#d55e00", "hand": "#009e73"}


BLAMED = ("ours_opencl", "ours_tuned", "ours")
TARGETS = {"cuda": ".cu", "opencl": ".cl.c"}
UNSTEADY = 0.05  # distance of the quartiles over the median, from which on it is mentioned


def fail(text):
    sys.exit(f"board.py: {text}")


# ---- write


def parameters_of(source, name):
    """The parameters of a C function: [("const float *", "A"), ("int", "n"), ...], arrays as pointers."""
    text = re.search(r"void %s\(([^{]*)\)\s*\{" % name, source).group(1)
    parameters = []
    for words in (re.sub(r"\s+", " ", p).strip() for p in text.split(",")):
        kind, variable, extents = re.fullmatch(r"(.*?)(\w+)((?:\[[^\]]*\])*)", words).groups()
        parameters.append((kind.strip() + (" *" if extents else ""), variable))
    return parameters


def region_calls(host, function):
    """The calls of region functions in a generated host file: [("nw_mv_mv_0", "(void *)(A), ..., n"), ...]."""
    calls = []
    for found in re.finditer(r"!(nw_\w+_\d+)\(", host[host.index("#line"):]):
        start = host.index("#line") + found.end()
        depth, end = 1, start
        while depth:
            depth += {"(": 1, ")": -1}.get(host[end], 0)
            end += 1
        calls.append((found.group(1), host[start:end - 1]))
    if not calls:
        raise ValueError(f"no region of {function} was taken")
    return calls


def adapter(kernel, kind, source, host):
    """A function that is called as the C function is, with a stream behind, and enqueues the regions of the generated code."""
    parameters = [(t.replace("DATA_TYPE", kind), v) for t, v in parameters_of(source, kernel)]
    letters = "".join("p" if "*" in t else {"int": "i", "unsigned": "u", "float": "f", "double": "d"}[t] for t, _ in parameters)
    calls = " &&\n         ".join(f"{name}_on_device({arguments}, stream)" for name, arguments in region_calls(host, kernel))
    listed = ", ".join(f"{t}{v}" if t.endswith("*") else f"{t} {v}" for t, v in parameters)
    return (f'#include "{kernel}.device.h"\n\nextern "C" const char board_signature[] = "{letters}";\n\n'
            f'extern "C" int board_ours({listed}, void *stream) {{\n  return {calls};\n}}\n')


def generate(nestwarp, kernel, kind, folder, options, target="cuda"):
    """Puts the generated code of a kernel into folder; returns what is amiss, or nothing."""
    source, output = HERE / "kernels" / f"{kernel}.c", folder / f"{kernel}{TARGETS[target]}"
    folder.mkdir(parents=True)
    shutil.copy(source, folder / f"{kernel}.c.txt" if target == "opencl" else folder)  # all files *.c there are compiled
    done = subprocess.run([nestwarp, "compile", str(source), "--function", kernel, f"--target={target}", f"-DDATA_TYPE={kind}", *options, "-o", str(output)],
                          capture_output=True, text=True)
    (folder / "said.txt").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        output.unlink(missing_ok=True)
        return f"nestwarp: {(done.stdout + done.stderr).strip()}"
    notes = [line for line in done.stderr.splitlines() if re.search(r"\b(remark|warning):", line)]
    host = folder / f"{kernel}.host.c"
    if notes:
        problem = f"not all of it was taken: {notes[0]}"
    elif not (folder / f"{kernel}.device.h").exists() or "_on_device(" not in (folder / f"{kernel}.device.h").read_text():
        problem = "this nestwarp writes no functions that run on device addresses"
    else:
        try:
            (folder / "adapter.cpp").write_text(adapter(kernel, kind, source.read_text(), host.read_text()))
            problem = None
        except ValueError as e:
            problem = str(e)
    host.unlink()
    return problem


def with_columns(plans, opencl):
    """As generate, with what further columns need in folders of their own; problems of those are in the list of the function returned."""
    problems = {}

    def make(nestwarp, kernel, kind, folder, options):
        name, found = folder.name, {}
        problem = generate(nestwarp, kernel, kind, folder, options)
        plan = Path(plans, f"{name}.json") if plans else None
        if plan and plan.exists():
            found["ours_tuned"] = generate(nestwarp, kernel, kind, folder / "tuned", [*options, "--plan", str(plan)])
            shutil.copy(plan, folder / "tuned")
        if opencl:
            found["ours_opencl"] = generate(nestwarp, kernel, kind, folder / "opencl", options, "opencl")
        for column, why in found.items():
            if why:
                print(f"board.py: {name}, {column}: {why}", file=sys.stderr)
        problems[name] = {column: why for column, why in found.items() if why}
        return problem
    make.problems = problems
    return make


def commit():
    def git(*words):
        done = subprocess.run(["git", "-C", str(HERE), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + (" with changes" if git("status", "--porcelain", "--untracked-files=no") else "")


def write(arguments):
    folder = Path(arguments.folder)
    if folder.exists() and any(folder.iterdir()):
        fail(f"{folder} is there already")
    names = chosen(arguments.kernels, PROGRAMS)
    nestwarp = shutil.which(arguments.nestwarp)
    if not nestwarp:
        fail(f"{arguments.nestwarp} cannot be run")
    options = [f"--device={arguments.device}"] if arguments.device != "none" else []
    if arguments.plans and not Path(arguments.plans).is_dir():
        fail(f"{arguments.plans} is no folder of plans")
    write_folder(folder, [entry(name) for name in names], nestwarp, options, with_columns(arguments.plans, arguments.opencl), refusals(nestwarp) if arguments.refusals else ())


def entry(program, variant=None, options=(), sizes=None, without=()):
    """A program of a folder: one of PROGRAMS, or a variant of it, which is a list of further compile options; columns may be left out."""
    kernel, kind, all_sizes = PROGRAMS[program]
    name = program if variant is None else program + "__" + re.sub(r"\W+", "_", variant)
    plain = {"name": name, "kernel": kernel, "type": kind, "sizes": list(sizes or all_sizes)}
    return plain if variant is None else {**plain, "program": program, "variant": variant, "options": list(options), "without": list(without)}


def refusals(nestwarp):
    """What nestwarp says to the programs of bench/refusals: [{"name", "about", "words"}, ...]; a program that is taken has no words."""
    found = []
    for source in sorted((HERE / "refusals").glob("*.c")):
        done = subprocess.run([nestwarp, "compile", str(source), "--emit=plan"], capture_output=True, text=True)
        words = next((line for line in done.stderr.splitlines() if "remark:" in line), "")
        about = source.read_text().splitlines()[0].removeprefix("// ")
        found.append({"name": source.stem, "about": about, "words": re.sub(r"^.*?remark: ", "", words)})
    return found


def write_folder(folder, entries, nestwarp, options, make=generate, refused=()):
    """Generates the code of all entries, and writes what is needed to build and run it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "board", folder, dirs_exist_ok=True)
    copy_opencl_headers(folder / "opencl" / "CL")
    shutil.copy(__file__, folder / "board.py")
    programs = []
    for one in entries:
        problem = make(nestwarp, one["kernel"], one["type"], folder / "generated" / one["name"], [*options, *one.get("options", [])])
        if problem:
            print(f"board.py: {one['name']}: {problem}", file=sys.stderr)
        more = getattr(make, "problems", {}).get(one["name"])
        programs.append({**one, "problem": problem, **({"problems": more} if more else {})})
    (folder / "kernels.txt").write_text("".join(f"{p['name']} {p['kernel']} {p['type']}\n" for p in programs))
    manifest = {"board": 1, "commit": commit(), "written": now(), "options": options, "programs": programs, **({"refusals": list(refused)} if refused else {})}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"board.py: wrote {folder}; on the GPU machine: python3 {folder.name}/board.py run {folder.name}")


def copy_opencl_headers(to):
    """Those of this machine, for one without them."""
    for header in ("cl.h", "cl_version.h", "cl_platform.h"):
        if (found := Path("/usr/include/CL", header)).exists():
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, to)


def chosen(words, known):
    """Names from words that may hold several with commas; all if none are given."""
    names = [name for word in words or [] for name in word.split(",") if name]
    for name in names:
        if name not in known:
            fail(f"no kernel '{name}'; there are {', '.join(known)}")
    return names or list(known)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


# ---- run


def build(folder, arch, jobs):
    """Builds what can be built; the log is in build.log."""
    target = folder / "build"
    configure = ["cmake", "-S", str(folder), "-B", str(target), f"-DCMAKE_CUDA_ARCHITECTURES={arch}"]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    if not shutil.which("nvcc") and os.path.exists("/usr/local/cuda/bin/nvcc") and "CUDACXX" not in os.environ:
        configure.append("-DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc")
    with open(folder / "build.log", "w") as log:
        if subprocess.run(configure, stdout=log, stderr=log).returncode != 0:
            fail(f"cmake does not like it here; see {folder / 'build.log'}")
        log.flush()
        keep = ["-k", "0"] if (target / "build.ninja").exists() else ["-k"]
        status = subprocess.run(["cmake", "--build", str(target), "-j", str(jobs), "--", *keep], stdout=log, stderr=log).returncode
    if status != 0:
        print(f"board.py: not all of it was built; see {folder / 'build.log'}", file=sys.stderr)
    return target


def smi():
    """What nvidia-smi says of the first GPU."""
    fields = ["name", "driver_version", "clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem", "power.limit", "temperature.gpu"]
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader"], capture_output=True, text=True, timeout=30)
        return dict(zip(fields, (v.strip() for v in done.stdout.splitlines()[0].split(",")))) if done.returncode == 0 else {}
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return {}


def one_run(command, limit):
    """The JSON lines of a run, and how it ended if not by itself."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
        out, text = done.stdout, done.stderr.decode(errors="replace").strip()
        how = text.splitlines()[-1] if text else f"status {done.returncode}"
    except subprocess.TimeoutExpired as e:
        out, how = e.stdout or b"", f"no end after {limit} s"
    lines = []
    for line in out.decode(errors="replace").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass  # something else that was printed, or a line that was cut off
    return lines, how


def measure(command, limit, run=one_run):
    """Runs a program until the columns that can be measured are; a column that takes the process down is left out the next time."""
    facts, columns, without = {}, {}, []
    while True:
        lines, how = run(command + [w for name in without for w in ("--without", name)], limit)
        begun, seen = None, [line["begin"] for line in lines if "begin" in line]
        for line in lines:
            if "floor" in line:
                facts = line
            elif "column" in line:
                columns[line.pop("column")] = line
            begun = line.get("begin", begun)
        if lines and "end" in lines[-1]:
            if how.startswith("nestwarp:") and "failure" in columns.get("ours", {}):
                columns["ours"]["failure"] = how  # the generated code said why
            return facts, columns
        blamed = begun
        if begun == "rounds":  # it is not told which one: the least tried of ours first
            blamed = next((c for c in BLAMED if c in seen and c not in without), "ours")
        if blamed is None or blamed in without:
            return {**facts, "failure": how}, columns
        columns.setdefault(blamed, {})["failure"] = columns.get(blamed, {}).get("failure", how)
        without.append(blamed)


def is_right(case):
    return "failure" not in case and all(c.get("right") and "failure" not in c for c in case["columns"].values())


def kept_cases(path, commit_of_folder):
    """Right cases of an earlier run of the same folder, for one that goes on."""
    if not path.exists():
        return []
    earlier = loaded(path)
    if earlier["commit"] != commit_of_folder:
        fail(f"{path} has results of another commit: {earlier['commit']}")
    return [case for case in earlier["cases"] if is_right(case)]


def in_order(cases, programs):
    """Cases in the order of the folder's programs and sizes."""
    positions = [label(name, program, sizes) for name, program in programs.items() for sizes in program["sizes"]]
    return sorted(cases, key=lambda case: positions.index(case["label"]))


def run(arguments):
    folder = Path(arguments.folder).resolve()
    manifest = json.loads((folder / MANIFEST).read_text())
    programs = {p["name"]: p for p in manifest["programs"]}
    names = chosen(arguments.kernels, programs)
    target = folder / "build" if arguments.built else build(folder, arguments.arch, arguments.jobs)
    results = {"board": 1, "commit": manifest["commit"], "options": manifest["options"], "date": now(), "smi_before": smi(), "cases": [],
               **({"refusals": manifest["refusals"]} if "refusals" in manifest else {})}
    kept = kept_cases(folder / arguments.output, manifest["commit"]) if arguments.append else []
    known = {case["label"] for case in kept}
    results["cases"] = in_order(kept, programs)
    for name in names:
        program = programs[name]
        for sizes in program["sizes"][:1] if arguments.usual else program["sizes"]:
            if label(name, program, sizes) in known:
                continue
            words = [str(s) for s in sizes] + ["--repeats", str(arguments.repeats)] + (["--warm"] if arguments.warm else [])
            if (target / name).exists():
                left_out = [w for column in program.get("without", []) for w in ("--without", column)]
                facts, columns = measure([str(target / name), *words, *left_out], arguments.limit)
            else:
                facts, columns = {"failure": "the program was not built"}, {}
            if program["problem"] and "ours" in columns:
                columns["ours"]["failure"] = program["problem"]
            for column, why in program.get("problems", {}).items():
                columns.setdefault(column, {})["failure"] = why
            if device := facts.pop("device", None):
                results["device"] = device
            case = {"program": name, "kernel": program["kernel"], "type": program["type"], "label": label(name, program, sizes), **facts, "columns": columns}
            if "variant" in program:
                case.update(of=program["program"], variant=program["variant"])
            results["cases"] = in_order(results["cases"] + [case], programs)
            said = [case["failure"]] if "failure" in case else []
            print(f"{case['label']}: " + "; ".join(said + [f"{shown} {cell(columns[key])}" for key, shown in COLUMNS if key in columns]), flush=True)
            results["smi_after"] = smi()
            (folder / arguments.output).write_text(json.dumps(results, indent=1) + "\n")
    bad = [c["label"] for c in results["cases"] if not is_right(c)]
    print(f"board.py: wrote {folder / arguments.output}; {len(bad)} of {len(results['cases'])} cases not as expected" + (f": {'; '.join(bad)}" if bad else ""))
    return 1 if bad else 0


# What the sizes of a kernel are, where that is not plain from their number.
UNITS = {"hotspot": ("%s", "%s steps"), "fdtd2d": ("%s", "%s steps"), "lbm": ("%s", " x %s", "%s steps"), "radpath": ("%s rays a side", "%s cells"), "mriq": ("%s samples", "%s voxels"),
         "mrifhd": ("%s samples", "%s voxels"), "cp": ("%s", " x %s", "%s atoms"), "tpacf": ("%s directions", "%s bins"), "sad": ("%s", " x %s blocks"), "fem": ("%s nodes", "%s neighbours"),
         "rpes": ("%s pairs", "%s primitives"), "pns": ("%s nets", "%s places", "%s transitions", "%s steps")}


def amount(size):
    """A size as it is read most easily: large powers of two, and what is one less, as such."""
    power = size.bit_length() - 1
    if size > 1 << 15 and size == 1 << power:
        return f"2^{power}"
    return f"2^{power + 1} - 1" if size > 1 << 15 and size == (1 << power + 1) - 1 else str(size)


def label(name, program, sizes):
    shown = program["kernel"] + (", double" if program["type"] == "double" else "")
    if "variant" in program:
        shown = f"{shown}, {program['variant']},"
    if program["kernel"] in UNITS:
        parts = [f"{words % size}" for words, size in zip(UNITS[program["kernel"]], map(amount, sizes))]
        joined = parts[0]
        for part in parts[1:]:
            joined += part if part.startswith(" x ") else f", {part}"
        return f"{shown} {joined}"
    return f"{shown} " + (amount(sizes[0]) if len(set(sizes)) == 1 else " x ".join(map(str, sizes)))


# ---- table and drawing


def cell(column):
    """What is shown of a column: its time, or why there is none."""
    if column is None:
        return "–"
    if "failure" in column:
        return "failed"
    return digits(column["median_ms"]) if column["right"] else "wrong"


def digits(value):
    return f"{value:.4f}" if value < 1 else f"{value:.3f}" if value < 10 else f"{value:.2f}" if value < 100 else f"{value:.1f}"


def time_of(case, column):
    """Milliseconds of a column that is right, or None."""
    found = case["columns"].get(column)
    return found["median_ms"] if found and "failure" not in found and found["right"] else None


def ratio(above, below):
    return f"{above / below:.2f}" if above and below else "–"


def shown_columns(results):
    return [(key, shown) for key, shown in COLUMNS if any(key in c["columns"] for c in results["cases"])]


def table_text(results):
    columns = shown_columns(results)
    device = results.get("device") or {}
    smi_facts = results.get("smi_before") or {}
    rates = [c["copy_gb_per_s"] for c in results["cases"] if c.get("copy_gb_per_s")]
    lines = [f"{device.get('name', 'no device')}, driver {smi_facts.get('driver_version', 'unknown')}, CUDA {device.get('cuda_runtime', 0) // 1000}."
             f"{device.get('cuda_runtime', 0) % 1000 // 10}, clocks {smi_facts.get('clocks.max.sm', 'unknown')} and {smi_facts.get('clocks.max.mem', 'unknown')} at most; "
             f"{results['date']}, commit {results['commit']}."]
    if rates:
        lines.append(f"Copy within the device: {min(rates):.0f} to {max(rates):.0f} GB/s. "
                     f"Milliseconds of the whole region, median of {max((c.get('repeats', 0) for k in results['cases'] for c in k['columns'].values()), default=0)} or fewer.")
    tuned = [("ours_tuned", "tuned / ours")] if any(key == "ours_tuned" for key, _ in columns) else []
    heads = ["kernel", *(shown for _, shown in columns), "floor", "ours / vendor", "ours / naive", "ours / hand-written", *(shown for _, shown in tuned), "of the floor"]
    lines += ["", "| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    notes = []
    for case in results["cases"]:
        ours, floor = time_of(case, "ours"), case.get("floor", {}).get("ms")
        cells = [case["label"], *(cell(case["columns"].get(key)) for key, _ in columns), digits(floor) if floor else "–"]
        cells += [ratio(time_of(case, other), ours) for other in ("vendor", "naive", "hand")]
        cells += [ratio(ours, time_of(case, key)) for key, _ in tuned]
        cells.append(f"{100 * floor / ours:.0f} %" if floor and ours else "–")
        lines.append("| " + " | ".join(cells) + " |")
        if "failure" in case:
            notes.append(f"- {case['label']}: {case['failure']}")
        for key, shown in columns:
            column = case["columns"].get(key, {})
            if "failure" in column:
                notes.append(f"- {case['label']}, {shown}: {column['failure']}")
            elif column and not column["right"]:
                error = "no number" if column["error"] is None else column["error"]
                notes.append(f"- {case['label']}, {shown}: wrong; {column['measure']}: {error}, allowed {column['tolerance']}")
            elif column and floor and column["median_ms"] < (1 - UNSTEADY) * floor:
                notes.append(f"- {case['label']}, {shown}: faster than the floor, which is wrong then")
            elif column and column["spread"] > UNSTEADY:
                notes.append(f"- {case['label']}, {shown}: the middle half of its times spans {100 * column['spread']:.0f} % of the median")
    lines += ["", "Ratios are of speed: above 1, ours is faster."]
    if results.get("refusals"):
        lines += ["", "| not taken | what nestwarp says |", "|---|---|"]
        lines += [f"| {r['name']}: {r['about']} | {r['words'] or 'it was taken'} |" for r in results["refusals"]]
    return "\n".join(lines + ([""] + notes if notes else [])) + "\n"


WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 900, 215, 110, 11, 10, 62
FLOOR = "its bytes at the rate of a copy, or its operations at the peak, whichever takes longer"
MOST = 1.2  # of the floor: where the axis ends; longer bars are cut, their number says how long they are

STYLE = """<style>
.paper { fill: #ffffff } .ink { fill: #222222 } .faint { fill: #666666 } .grid { stroke: #dddddd } .axis { stroke: #555555 }
@media (prefers-color-scheme: dark) { .paper { fill: #14171a } .ink { fill: #e6e6e6 } .faint { fill: #a0a0a0 } .grid { stroke: #333a40 } .axis { stroke: #a0a0a0 } }
</style>"""


def svg_text(results):
    from svg import wrapped  # this file alone travels with the board's folder
    columns = shown_columns(results)
    position = lambda share: LEFT + min(share, MOST) / MOST * (WIDTH - LEFT - RIGHT)
    height = TOP + sum(BAR * len(columns) + GAP for _ in results["cases"]) + 46
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
           STYLE, f'<rect class="paper" width="{WIDTH}" height="{height}"/>']
    text = lambda x, y, words, anchor="start", kind="ink", size=12: out.append(
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>')
    title = f"Speed as a share of the floor, {(results.get('device') or {}).get('name', 'no device')}; longer is better"
    text(LEFT, 20, title, size=14)
    text(12, height - 8, f"The floor: {FLOOR}.", kind="faint", size=10)
    x = LEFT
    for key, shown in columns:
        out.append(f'<rect x="{x}" y="32" width="12" height="8" fill="{COLORS[key]}"/>')
        text(x + 17, 40, shown, size=11)
        x += 45 + 7 * len(shown)
    for tenth in range(0, int(MOST * 10) + 1, 2):
        out.append(f'<line class="{"axis" if tenth == 10 else "grid"}" x1="{position(tenth / 10):.1f}" y1="{TOP - 8}" x2="{position(tenth / 10):.1f}" y2="{height - 44}"/>')
        text(position(tenth / 10), height - 28, f"{tenth * 10} %", "middle", "faint", 11)
    y = TOP
    for case in results["cases"]:
        floor = case.get("floor", {}).get("ms")
        label = wrapped(case["label"], LEFT - 16, 12)
        for k, line in enumerate(label):
            text(LEFT - 8, y + BAR * len(columns) / 2 + 4 + 14 * (k - (len(label) - 1) / 2), line, "end")
        for key, _ in columns:
            column, took = case["columns"].get(key), time_of(case, key)
            if took and floor:
                out.append(f'<rect x="{LEFT}" y="{y}" width="{max(position(floor / took) - LEFT, 1):.1f}" height="{BAR - 2}" fill="{COLORS[key]}"/>')
                text(position(floor / took) + 5, y + BAR - 2.5, f"{digits(took)} ms, {100 * floor / took:.0f} %", kind="faint", size=10)
            elif column:
                text(LEFT + 5, y + BAR - 2.5, cell(column), kind="faint", size=10)
            y += BAR
        y += GAP
    return "\n".join(out + ["</svg>"]) + "\n"


def loaded(path):
    try:
        results = json.loads(Path(path).read_text())
    except (OSError, ValueError) as e:
        fail(f"{path}: {e}")
    if not isinstance(results, dict) or results.get("board") != 1 or "cases" not in results:
        fail(f"{path} holds no results of a board")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("write", help="generate code and write the folder")
    p.add_argument("folder")
    p.add_argument("--kernels", nargs="*", help=f"of {', '.join(PROGRAMS)}; all unless given")
    p.add_argument("--nestwarp", default=str(HERE.parent / "build" / "nestwarp"))
    p.add_argument("--device", default="h200", help="device to plan for, as nestwarp compile --device; none: portable limits")
    p.add_argument("--plans", help="folder of plans, NAME.json for some of the kernels: the column of tuned code")
    p.add_argument("--no-opencl", dest="opencl", action="store_false", help="leave the column of OpenCL out")
    p.add_argument("--no-refusals", dest="refusals", action="store_false", help="do not ask nestwarp what it says to bench/refusals")
    p = commands.add_parser("run", help="build and run a folder on this machine")
    p.add_argument("folder")
    p.add_argument("--kernels", nargs="*")
    p.add_argument("--usual", action="store_true", help="only the first size of each kernel")
    p.add_argument("--repeats", type=int, default=31)
    p.add_argument("--warm", action="store_true", help="leave the cache as the run before left it")
    p.add_argument("--built", action="store_true", help="take what was built before")
    p.add_argument("--arch", default="native", help="CMAKE_CUDA_ARCHITECTURES")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--limit", type=float, default=300, help="seconds for one case")
    p.add_argument("--output", default=RESULTS)
    p.add_argument("--append", action="store_true", help="keep what an earlier run of this folder found right, and measure the rest")
    p = commands.add_parser("table", help="print results as a table")
    p.add_argument("results")
    p = commands.add_parser("draw", help="draw results")
    p.add_argument("results")
    p.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments)
    elif arguments.command == "run":
        sys.exit(run(arguments))
    elif arguments.command == "table":
        print(table_text(loaded(arguments.results)), end="")
    else:
        Path(arguments.output).write_text(svg_text(loaded(arguments.results)))


if __name__ == "__main__":
    main()
