#!/usr/bin/env python3
"""What comes in by the other two doors, measured: OpenACC with share hints (bench/share), a solver whose arrays stay on the device (examples/heat), and naive CUDA kernels (bench/naive_cuda).

    bench/front_doors.py write DIR [--device h200]    here: bundles of the hinted programs, and the CUDA programs as they are and as nestwarp rewrites them
    python3 bench/front_doors.py run DIR -o FILE.json on the GPU machine: builds, checks and times all of it
    bench/front_doors.py table FILE.json              prints the tables

Hinted programs: without the hint (no -fopenacc), with it where it is predicted to pay, and with its tiles in any case (--share=obey); each checked against the
original before it is timed. CUDA programs: their own sums of results must be the same, to rounding, and their times are theirs, by events.
The solver: what it prints must be what it prints on the host, and the runtime's statistics tell what was copied."""
import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HINTS = {"none": [], "predict": ["-fopenacc"], "obey": ["-fopenacc", "--share=obey"]}
FORMS = {"ours": [], "loads": ["--coalesce=loads"], "stores": ["--coalesce=stores"], "both": ["--coalesce=both"]}
SIZE = 4096
SIZES = ["--size", f"n={SIZE}", "--size", "gemm.n=1024", "--size", "gemm_coalesce.n=1024"]  # the original of a product takes long
HEAT = ["2000", "3000", "1e-3"]  # rows, columns, and the largest change that ends it
PART = 8  # of the sizes of CUDA programs, under compute-sanitizer
SAME = 1e-4  # sums of floats in another order


def nestwarp(*words):
    done = subprocess.run([os.environ.get("NESTWARP", ROOT / "build" / "nestwarp"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"front_doors.py: nestwarp {' '.join(map(str, words))}: status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def write(arguments):
    folder = Path(arguments.folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    device = f"--device={arguments.device}"
    sources = sorted(map(str, (HERE / "share").glob("*.c")))
    for name, flags in HINTS.items():
        nestwarp("bench", "-q", "--tuned=off", device, *flags, *SIZES, "--bundle", folder / name, *sources)
    said = {}
    for source in sorted((HERE / "naive_cuda").glob("*.cu")):
        texts = set()
        for form, flags in {"naive": None, **FORMS}.items():
            workdir = folder / "cuda" / form
            workdir.mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE / "naive_cuda" / "measure.h", workdir)
            if flags is None:
                shutil.copy(source, workdir)
                continue
            said[f"{source.stem} {form}"] = nestwarp("compile", device, *flags, source, "-o", workdir / source.name)
            text = (workdir / source.name).read_text()
            if text in texts:  # the form changes nothing
                (workdir / source.name).unlink()
            texts.add(text)
    heat = ROOT / "examples" / "heat"
    nestwarp("cc", "--quiet", "-fopenacc", "-O2", f"--save-temps={folder / 'heat'}", *map(str, sorted(heat.glob("*.c"))), "-lm", "-o", folder / "program")
    (folder / "program").unlink()
    shutil.copytree(heat, folder / "heat-original")
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True).stdout.strip()
    (folder / "front_doors.json").write_text(json.dumps({"commit": commit, "size": SIZE, "said": said}) + "\n")


def run(arguments):
    folder = Path(arguments.folder).resolve()
    work = Path(arguments.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    results = json.loads((folder / "front_doors.json").read_text())
    results["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    results["gpu"], results["driver"] = (smi.split(", ") + ["", ""])[:2]
    results["share"], results["cuda"], results["sanitizer"] = {}, {}, {}
    subprocess.run(["cmake", "-S", folder / "none" / "runtime", "-B", work / "rt", "-DCMAKE_BUILD_TYPE=Release"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", work / "rt", "-j", "8"], check=True, stdout=subprocess.DEVNULL)
    builds = []
    for path in sorted((folder / "cuda").glob("*/*.cu")):
        program = work / f"{path.parent.name}-{path.stem}"
        builds.append((path, program, subprocess.Popen(["nvcc", "-O3", "-std=c++17", "-arch=native", path, "-o", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
    for name in HINTS:
        subprocess.run([work / "rt" / "nestwarp-run", folder / name, "--device=cuda", "--jobs=8"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        made = json.loads((folder / name / "results.json").read_text())
        for job in made["jobs"]:
            regions = (job.get("times") or {}).get("regions") or []
            case = {"ok": job.get("verdict") == "same"}
            if regions:
                case["ms"] = sum(statistics.median(r["milliseconds"]) for r in regions)
            results["share"].setdefault(job["job"].split("-")[-1], {})[name] = case
    for path, program, build in builds:
        text = build.communicate()[0]
        form = path.parent.name
        if build.returncode:
            case = {"error": text[-500:]}
        else:
            done = subprocess.run([program], capture_output=True, text=True, timeout=120)
            case = json.loads(done.stdout) if done.returncode == 0 else {"error": (done.stdout + done.stderr)[-500:]}
        results["cuda"].setdefault(path.stem, {})[form] = case
    results["heat"] = run_heat(folder, work)
    Path(arguments.output).write_text(json.dumps(results) + "\n")
    print(table_text(results), flush=True)
    if arguments.sanitize:
        checks = [(program, tool, path) for path, program, build in builds if build.returncode == 0 and path.parent.name != "naive" for tool in ("memcheck", "racecheck")]
        running = []
        for program, tool, path in checks:
            running.append((path, tool, subprocess.Popen(["timeout", "120", "compute-sanitizer", "--tool", tool, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "NAIVE_RUNS": "4", "NAIVE_PART": str(PART)})))
            if len(running) >= 8:
                finish(running, results)
        finish(running, results)
        for tool in ("memcheck", "racecheck"):
            done = subprocess.run(["timeout", "100", work / "rt" / "nestwarp-run", folder / "obey", "--device=cuda", "--jobs=8", f"--sanitize={tool}", f"--output=r-{tool}.json"], capture_output=True, text=True)
            results["sanitizer"][f"share {tool}"] = (done.stdout + done.stderr).strip().split("; ")[-1]
        Path(arguments.output).write_text(json.dumps(results) + "\n")
        print("\n".join(f"{k}: {v}" for k, v in results["sanitizer"].items()))


def run_heat(folder, work):
    """The solver here, by the system's compiler on the host and on the device."""
    shutil.copytree(folder / "heat", work / "heat", dirs_exist_ok=True)
    subprocess.run(["sh", work / "heat" / "build.sh"], check=True)
    ours = next(p for p in (work / "heat").iterdir() if p.is_file() and os.access(p, os.X_OK) and p.suffix == "")
    plain = work / "heat-on-host"
    subprocess.run(["cc", "-O3", "-march=native", "-w", *sorted((folder / "heat-original").glob("*.c")), "-lm", "-o", plain], check=True)
    case = {"arguments": HEAT}
    for name, program in (("host", plain), ("device", ours)):
        begin = time.monotonic()
        done = subprocess.run([program, *HEAT], capture_output=True, text=True, timeout=200, env={**os.environ, "NESTWARP_DEVICE": "cuda", "NESTWARP_STATS": "1"})
        case[name] = {"says": done.stdout.strip(), "s": time.monotonic() - begin}
        for line in done.stderr.splitlines():
            if line.startswith("nestwarp-stats: "):
                case[name]["statistics"] = json.loads(line[len("nestwarp-stats: "):])
    return case


def finish(running, results):
    for path, tool, process in running:
        text = process.communicate()[0]
        said = [line.replace("=", "").strip() for line in text.splitlines() if "SUMMARY" in line]
        results["sanitizer"][f"{path.stem} {path.parent.name} {tool}"] = said[-1] if said else f"no summary, status {process.returncode}"
    running.clear()


def table_text(results):
    lines = [f"{results['gpu']}, driver {results['driver']}; {results['date']}, commit {results['commit']}. Hinted programs at n = {results['size']} (gemm 1024), data on the device.", "",
             "| program | without the hint, ms | with share | its tiles in any case | with :coalesce | its tiles in any case |", "|---|---|---|---|---|---|"]

    def shown(case):
        if not case or "ms" not in case:
            return "–" if not case or case.get("ok") else "wrong"
        return f"{case['ms']:.4f}" if case["ok"] else "wrong"
    for name in sorted(n for n in results["share"] if not n.endswith("_coalesce")):
        plain, other = results["share"][name], results["share"].get(name + "_coalesce", {})
        lines.append(f"| {name} | " + " | ".join(shown(c) for c in (plain.get("none"), plain.get("predict"), plain.get("obey"), other.get("predict"), other.get("obey"))) + " |")
    lines += ["", "| CUDA program | naive, ms | rewritten | times as fast | coalesce loads | stores | both |", "|---|---|---|---|---|---|---|"]
    for name, forms in sorted(results["cuda"].items()):
        naive = forms["naive"]

        def told(case):
            if not case:
                return "–"
            if "ms" not in case:
                return "failed"
            same = abs(case["sum"] - naive["sum"]) <= SAME * max(abs(naive["sum"]), 1)
            return f"{case['ms']:.4f}" if same else f"wrong ({case['sum']:.6g}, not {naive['sum']:.6g})"
        ours = forms.get("ours", {})
        gain = f"{naive['ms'] / ours['ms']:.2f}" if "ms" in ours and "ms" in naive else "–"
        lines.append(f"| {name} | {naive.get('ms', 0):.4f} | {told(ours)} | {gain} | " + " | ".join(told(forms.get(f)) for f in ("loads", "stores", "both")) + " |")
    if "heat" in results:
        heat = results["heat"]
        told = heat["device"].get("statistics", {})
        lines += ["", f"examples/heat {' '.join(heat['arguments'])}: {heat['device']['says']}" + ("" if heat["host"]["says"] == heat["device"]["says"] else f", but on the host {heat['host']['says']}")
                  + f"; {heat['device']['s']:.2f} s, on one core of the host {heat['host']['s']:.2f} s; copies in {told.get('data_copies_in')}, out {told.get('data_copies_out')}, "
                  + f"bytes to the device {told.get('bytes_to_device')}, from it {told.get('bytes_from_device')}; regions on the device {told.get('regions_offloaded')}, on the host {told.get('regions_on_host')}"]
    if results.get("sanitizer"):
        bad = {k: v for k, v in results["sanitizer"].items() if k.startswith("share") or ("0 errors" not in str(v) and "0 hazards" not in str(v))}
        lines += ["", f"compute-sanitizer: {len(results['sanitizer'])} runs; " + "; ".join(f"{k}: {v}" for k, v in bad.items())]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("write")
    one.add_argument("folder")
    one.add_argument("--device", default="h200")
    one = commands.add_parser("run")
    one.add_argument("folder")
    one.add_argument("-o", "--output", default="front_doors.json")
    one.add_argument("--work", default="front_doors-work", help="folder for what is built")
    one.add_argument("--sanitize", action="store_true", help="all rewritten programs under compute-sanitizer, too")
    one = commands.add_parser("table")
    one.add_argument("file")
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments)
    elif arguments.command == "run":
        run(arguments)
    else:
        print(table_text(json.loads(Path(arguments.file).read_text())))


if __name__ == "__main__":
    main()
