#!/usr/bin/env python3
"""The reference of a plan's fields in docs/plan.md, from the tables of src/plan/plan_fields.h.

usage: scripts/plan_reference.py           rewrites it
       scripts/plan_reference.py --check   exits with 1 where it is out of date, and changes nothing

It asks $NESTWARP, else $NESTWARP_BUILD/nestwarp, else build/nestwarp.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "plan.md")
BEGIN = "<!-- From src/plan/plan_fields.h: scripts/plan_reference.py -->\n"
END = "<!-- End of what scripts/plan_reference.py writes -->\n"


def reference():
    build = os.environ.get("NESTWARP_BUILD", os.path.join(ROOT, "build"))
    nestwarp = os.environ.get("NESTWARP", os.path.join(build, "nestwarp"))
    command = [nestwarp, "compile", "--emit=plan-fields"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    with open(PAGE) as f:
        page = f.read()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"{before}{BEGIN}\n{reference()}\n{END}{after}"
    if "--check" in sys.argv[1:]:
        if made != page:
            sys.exit("docs/plan.md is out of date: run scripts/plan_reference.py")
    elif made != page:
        with open(PAGE, "w") as f:
            f.write(made)


if __name__ == "__main__":
    main()
