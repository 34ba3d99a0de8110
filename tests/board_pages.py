"""What is made from results: the scoreboard's page and pictures, the README's part, programs beside a peer, what translation costs."""
import json
import os
import re
import shutil
import sys
import xml.etree.ElementTree
from pathlib import Path
import harness
from harness import Failure, Skip

BENCH = Path(harness.ROOT, "bench")
sys.path.insert(0, str(BENCH))
import board  # noqa: E402
import programs  # noqa: E402
import readme  # noqa: E402
import scoreboard  # noqa: E402
import svg  # noqa: E402
import translation_cost  # noqa: E402

SAMPLE = Path(harness.TESTS, "board", "results.json")
PEERS = {"peer": "Peer 1", "options": "defaults", "device": "D", "driver": "1", "cuda": "2", "date": "then", "times": "kernels",
         "programs": {"lu": {"ms": 8.0}, "mvt": {"ms": 1.0}, "adi": {"ms": 20000, "over": True}, "gemm": {"ms": 1.0}, "atax": {"ms": 3.0, "note": "differs"}}}


def program_results():
    def case(name, ms, verdict="same", on_host=0):
        return {"program": name, "verdict": verdict, "on_device": 1, "on_host": on_host, "ms": ms, "launches": 3.0, "device": "Made-up GPU"}
    return {"programs": 1, "commit": "c", "date": "today", "scale": 1.0, "runs_on": "cuda", "smi_before": {"driver_version": "580"},
            "cases": [case("mvt", 2.0), case("lu", 2.0), case("adi", 10.0), case("gemm", 0.1, verdict="DIFFERENT"), case("atax", 0.1, on_host=1)]}


def programs_table():
    """Ratios, a mark for what is slower, 20 seconds for what took longer; what is wrong or ran on the host is not counted."""
    text = programs.table_text(program_results(), PEERS)
    for line in ("| lu | 2.000 | 3 | 8.000 | 4.00 |  |", "| mvt | 2.000 | 3 | 1.000 | 0.50 | **slower** |", "| adi | 10.00 | 3 | over 20000 | 2000.00 |  |",
                 "| gemm | – | 3 | 1.000 | – | DIFFERENT |", "| atax | – | 3 | 3.000 | – | 1 of its regions ran on the host; Peer: differs |",
                 "Geometric mean of 3: 15.87 times as fast; slower: mvt. Not counted: atax, gemm."):
        if line not in text:
            raise Failure(f"'{line}' is not there:\n{text}")
    scaled = programs.table_text({**program_results(), "scale": 0.5}, PEERS)
    if "Geometric mean" in scaled or "no comparison" not in scaled or "**slower**" in scaled:
        raise Failure(f"other sizes are compared:\n{scaled}")


def peers_are_whole():
    from polybench import SIZES
    peers = json.loads(programs.PEERS.read_text())
    if set(peers["programs"]) != set(SIZES) or [n for n, p in peers["programs"].items() if p.get("over")] != ["floyd_warshall", "ludcmp"]:
        raise Failure(str(sorted(set(peers["programs"]) ^ set(SIZES))))
    for key in ("peer", "device", "driver", "date", "provenance"):
        if not peers.get(key):
            raise Failure(f"no {key}")


def programs_there_and_back():
    """Two programs at small sizes on PoCL: written, run, shown."""
    if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        raise Skip("PoCL is not installed (package pocl-opencl-icd)")
    with harness.Scratch() as scratch:
        folder = Path(scratch, "folder")
        command = [sys.executable, str(BENCH / "programs.py")]
        harness.run([*command, "write", str(folder), "--only", "mvt", "atax", "--scale", "0.02", "--cubin", "none", "--repeats", "2", "--nestwarp", harness.NESTWARP])
        env = {"CC": "ccache cc"} if shutil.which("ccache") else {}
        harness.run([sys.executable, str(folder / "programs.py"), "run", str(folder), "--device", "pocl", "--jobs", "2"], env=env, limit=300)
        results = programs.loaded(folder / programs.RESULTS)
        cases = {c["program"]: c for c in results["cases"]}
        if set(cases) != {"mvt", "atax"} or not all(programs.is_right(c) and c["ms"] > 0 and c["calls"] == 2 and c["launches"] >= 1 for c in cases.values()):
            raise Failure(str(results["cases"]))
        if cases["mvt"]["sizes"] != {"n": 40} or results["commit"] != board.commit() or "pthread" not in cases["mvt"]["device"]:
            raise Failure(str(results))
        again = harness.run([*command, "write", str(folder), "--nestwarp", harness.NESTWARP], check=False)
        if again.status == 0 or "is there already" not in again.err:
            raise Failure(again.err)


def page_is_up_to_date():
    done = harness.run([sys.executable, str(BENCH / "scoreboard.py"), "--check"], check=False)
    if done.status:
        raise Failure(done.err)


def page_is_made():
    """A place of its own: made, found up to date, then found old when a result changes; a README without markers is refused."""
    with harness.Scratch() as scratch:
        root, results = Path(scratch, "root"), Path(scratch, "results")
        root.mkdir(), results.mkdir()
        (root / "README.md").write_text(f"# Mine\n\n{readme.BEGIN}\nold\n{readme.END}\n\nThe end.\n")
        shutil.copy(SAMPLE, results / scoreboard.FILES["board"])
        (results / scoreboard.FILES["programs"]).write_text(json.dumps(program_results()))
        command = [sys.executable, str(BENCH / "scoreboard.py"), "--results", str(results), "--root", str(root)]
        if harness.run([*command, "--check"], check=False).status == 0:
            raise Failure("what is not there is up to date")
        harness.run(command)
        if harness.run([*command, "--check"], check=False).status:
            raise Failure("what was just made is old")
        text, page = (root / "README.md").read_text(), (root / "docs" / "scoreboard.md").read_text()
        for line in ("| mv 8192 | 0.0800 | 1.200 | 0.0960 | 0.0720 | 79 % |", "driver 580.00", "commit 0123456789", "clocks 1980 MHz and 3201 MHz", "The end."):
            if line not in " ".join(text.split()) or text.startswith("# Mine\n") is False or "\nold\n" in text:
                raise Failure(f"'{line}' is not there:\n{text}")
        for file in re.findall(r"\((scoreboard/[^)]*)\)", page):
            if not (root / "docs" / file).exists():
                raise Failure(f"{file} is not there")
        changed = json.loads(SAMPLE.read_text())
        changed["cases"][0]["columns"]["ours"]["median_ms"] = 0.07
        (results / scoreboard.FILES["board"]).write_text(json.dumps(changed))
        done = harness.run([*command, "--check"], check=False)
        if done.status != 1 or "README.md" not in done.err or "docs/scoreboard/mv.svg" not in done.err:
            raise Failure(done.err)
        (root / "README.md").write_text("# Mine\n")
        done = harness.run(command, check=False)
        if done.status == 0 or readme.END not in done.err or "Traceback" in done.err:
            raise Failure(done.err)


def inside(text, name):
    """The drawing as a tree; nothing of it lies outside."""
    root = xml.etree.ElementTree.fromstring(text)
    width, height = float(root.get("width")), float(root.get("height"))
    for e in root.iter():
        if e.tag.endswith("text"):
            x, long = float(e.get("x")), svg.text_width(e.text or "", float(e.get("font-size") or 12))
            begin = x - {"start": 0, "middle": long / 2, "end": long}[e.get("text-anchor") or "start"]
            if begin < 0 or begin + long > width:
                raise Failure(f"{name}: the text '{e.text}' is cut: it goes from {begin:.0f} to {begin + long:.0f} of {width:.0f}")
        for x in (e.get("x"), e.get("cx"), e.get("x1"), e.get("x2")):
            if x and not -0.5 <= float(x) <= width + 0.5:
                raise Failure(f"{name}: {e.attrib} is outside")
        for y in (e.get("y"), e.get("cy"), e.get("y1"), e.get("y2")):
            if y and not -0.5 <= float(y) <= height + 0.5:
                raise Failure(f"{name}: {e.attrib} is outside")
    if "prefers-color-scheme: dark" not in text:
        raise Failure(f"{name}: no colors for a dark page")
    return root


def words_of(root):
    return [e.text or "" for e in root.iter() if e.tag.endswith("text")]


def pictures_are_whole():
    """No label of a picture in docs/scoreboard is cut at the edge."""
    pictures = sorted(Path(harness.ROOT, "docs", "scoreboard").glob("*.svg"))
    if len(pictures) < 20:
        raise Failure(f"only {len(pictures)} pictures")
    for path in pictures:
        inside(path.read_text(), path.name)


def roofline():
    """Points lie where bytes, operations and times say; below the roof only if they are."""
    results = json.loads(SAMPLE.read_text())
    results["cases"][0]["floor"].update(bytes=1e9, operations=2e9, kind="float")
    results["cases"][0]["columns"]["ours"]["median_ms"] = 1.0
    points = {p[0]: p for p in scoreboard.roofline_points(results)}
    if abs(points["mv"][1] - 2.0) > 1e-9 or abs(points["mv"][2]["ours"] - 2e12) > 1 or "gauss" in points:
        raise Failure(str(points))
    root = inside(scoreboard.roofline_drawing(results), "roofline")
    words = words_of(root)
    if "mv" not in words or not any("67 T float" in w for w in words) or not any("4239 GB/s" in w for w in words):
        raise Failure(str(words))
    # Results of before bytes were told: the same from the times.
    case = json.loads(SAMPLE.read_text())["cases"][0]
    size, operations, kind = scoreboard.work_of(case, results)
    if abs(size / (0.0633e-3 * 4239e9) - 1) > 1e-6 or abs(operations / (0.00633e-3 * 256 * 132 * 1980e6) - 1) > 1e-6 or kind != "float":
        raise Failure(f"{size} {operations} {kind}")
    if scoreboard.peak_of({"cases": [], "device": {"capability": "6.1"}}) is not None:
        raise Failure("a peak of a device that is not known")
    inside(scoreboard.roofline_drawing({**results, "cases": []}), "roofline of nothing")


def drawings():
    results = json.loads(SAMPLE.read_text())
    for name, cases in scoreboard.by_kernel(results).items():
        words = words_of(inside(scoreboard.kernel_drawing(cases, "facts"), name))
        if not {f"{name}: milliseconds, shorter is better", "facts", cases[0]["label"]} <= set(words):
            raise Failure(f"{name}: {words}")
    mv = scoreboard.kernel_drawing(scoreboard.by_kernel(results)["mv"], "")
    bars = {e.get("fill"): float(e.get("width")) for e in inside(mv, "mv").iter() if e.get("fill")}
    if abs(bars[board.COLORS["naive"]] / bars[board.COLORS["ours"]] - 15) > 0.1:
        raise Failure(f"bars are not as long as times: {bars}")
    if {"wrong", "failed"} - set(words_of(inside(scoreboard.kernel_drawing(results["cases"], ""), "all"))):
        raise Failure("what is wrong or failed is not told")
    words = words_of(inside(scoreboard.programs_drawing(program_results(), PEERS), "programs"))
    if not {"lu", "4x", "adi", "0.5x"} <= set(words) or "gemm" in words:
        raise Failure(str(words))


def programs_that_grow():
    """Made-up programs have as many statements, loops and references as they should, and are taken."""
    with harness.Scratch() as scratch:
        for axis, value, statements, dimensions, reads in (("statements", 5, 5, 2, 10), ("depth", 4, 1, 4, 2), ("references", 7, 1, 2, 7), ("references", 64, 1, 2, 64)):
            source = Path(scratch, f"{axis}.c")
            source.write_text(translation_cost.MAKERS[axis](value))
            text = harness.run([harness.NESTWARP, "compile", str(source), "--function", "f", "--emit=program"]).out
            domains = re.findall(r"^  S\d+ for .*?\{ S\d+\[([^\]]*)\]", text, re.M)
            found = len(domains), len(domains[0].split(",")), len(re.findall(r"^    reads ", text, re.M))
            if found != (statements, dimensions, reads):
                raise Failure(f"{axis} {value}: statements, loops and reads are {found}\n{text}")


def cost_is_measured():
    with harness.Scratch() as scratch:
        path = Path(scratch, "cost.json")
        done = harness.run([sys.executable, str(BENCH / "translation_cost.py"), harness.NESTWARP, "--repeats", "1", "--most", "1", "-o", str(path)])
        results = translation_cost.loaded(path)
        if [(r["axis"], r["value"]) for r in results["rows"]] != [("statements", 1), ("depth", 1), ("references", 1)] or not all(r["ms"] > 0 and r["kernels"] >= 1 for r in results["rows"]):
            raise Failure(str(results))
        if translation_cost.table_text(results) != done.out:
            raise Failure(done.out)
        results["rows"] = [{"axis": "depth", "value": 2, "ms": 80.0, "kernels": 3}, {"axis": "depth", "value": 6, "failure": "too long"}]
        text = translation_cost.table_text(results)
        if "| 2 | 80 | 40 | 3 |  |" not in text or "| 6 | – | – | – | too long |" not in text or "Statements" in text:
            raise Failure(text)
        inside(translation_cost.drawing(results), "cost")
        path.write_text("[]")
        done = harness.run([sys.executable, str(BENCH / "translation_cost.py"), "--table", str(path)], check=False)
        if done.status == 0 or "holds no times" not in done.err or "Traceback" in done.err:
            raise Failure(done.err)


def bad_programs_results():
    with harness.Scratch() as scratch:
        path = Path(scratch, "results.json")
        for text in ("{", "[]", '{"programs": 2}', SAMPLE.read_text()):
            path.write_text(text)
            done = harness.run([sys.executable, str(BENCH / "programs.py"), "table", str(path)], check=False)
            if done.status == 0 or "Traceback" in done.err or "results.json" not in done.err:
                raise Failure(f"{text[:20]}: {done.err}")


CASES = [("programs beside a peer", programs_table), ("peers are whole", peers_are_whole), ("programs there and back", programs_there_and_back), ("page is up to date", page_is_up_to_date),
         ("page is made", page_is_made), ("pictures are whole", pictures_are_whole), ("roofline", roofline), ("drawings of kernels", drawings), ("programs that grow", programs_that_grow), ("cost is measured", cost_is_measured),
         ("bad results of programs", bad_programs_results)]
