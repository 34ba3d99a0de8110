"""What ptxas says of kernels: no registers are spilled, and no stack is used, except by slow paths of mathematical functions and by
arrays of the user's own that are indexed by what is known only when the kernel runs.

Compiling takes most of the time of such a test, so that run_targets.py asks for the report where it compiles anyway."""
import re
from harness import Failure

REPORT = ["-Xptxas", "-v"]
# Functions that reduce large arguments by a table in the stack, or call something that does.
SLOW_PATHS = re.compile(r"\b(sin|cos|tan|sincos|pow|tgamma|lgamma|j0|j1|jn|y0|y1|yn|fmod|remainder)f?\s*\(")
LOCAL_ARRAY = re.compile(r"^\s+(?!__shared__|extern|return\b)(?:const )?(?:unsigned |signed |struct )?\w+ \w+(?:\[\d+\])+(?: = \{.*\})?;", re.M)


def properties(report):
    """(kernel or function, stack, spill stores, spill loads) of a report."""
    found = re.findall(r"Function properties for (\S+)\s*\n\s*(?:ptxas info\s*:)?\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", report)
    return [(name, *map(int, numbers)) for name, *numbers in found]


def bodies(text):
    """Kernels of a CUDA text, by name."""
    parts = re.split(r"^extern \"C\" __global__ void (?:__launch_bounds__\(\d+(?:, \d+)?\) )?(\w+)\(", text, flags=re.M)
    return {parts[k]: parts[k + 1].split("\n}\n")[0] for k in range(1, len(parts) - 1, 2)}


def may_use_stack(body, functions):
    return bool(SLOW_PATHS.search(body) or LOCAL_ARRAY.search(body) or SLOW_PATHS.search(functions) or LOCAL_ARRAY.search(functions))


def check(text, report, most=0):
    """Raises a Failure where a kernel of the text spills more than so many bytes, or uses stack for no reason; returns how many kernels were looked at."""
    kernels = bodies(text)
    functions = text.split('extern "C" __global__')[0]
    wrong, seen = [], 0
    for name, stack, stores, loads in properties(report):
        seen += name in kernels
        if max(stores, loads) > most:
            wrong.append(f"{name}: {stores} bytes of spill stores, {loads} of spill loads")
        if stack > most and name in kernels and not may_use_stack(kernels[name], functions):
            wrong.append(f"{name}: {stack} bytes of stack, but it has no array of its own and calls no function with a slow path")
    if wrong:
        raise Failure("\n".join(wrong))
    if seen < len(kernels):
        raise Failure(f"ptxas tells of {seen} of {len(kernels)} kernels:\n{report[-1500:]}")
    return seen
