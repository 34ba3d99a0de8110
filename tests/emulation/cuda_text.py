"""CUDA text as g++ can take it: what no header can do. Lines keep their numbers."""
import re


class TextError(Exception):
    """The text has something that is not valid here."""


SHARED = re.compile(r"(extern\s+)?__shared__\s+((?:__align__\(\w+\)\s+)?(?:[\w:]+\s+)+)(\w+[^;=]*);")
KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\s*\(\s*(\d+)[^)]*\)\s*)?(\w+)\s*\(")
WATCHING = re.compile(r"(\bwhile\s*\([^;{}]*\)\s*)\{(\s*)\}")
ASSEMBLY = re.compile(r"\basm\s+(?:volatile\s*)?\(")
LAUNCH = re.compile(r"((?:::)?\b[\w:]+(?:<[^<>;(){}]*>)?)\s*<<<")
IN_PLACE = re.compile(r"^// ---- nestwarp: (?!what|end).*?^// ---- nestwarp: end of ", re.M | re.S)
REGION = re.compile(r"^static int nw_\w+_anywhere\(", re.M)


def prepared(text, name="text.cu"):
    """The text of generated kernels, or a whole program with kernels of its own and perhaps what nestwarp put into it, with these changes:
    * `__shared__ float a[2][3];` becomes a reference to memory of the block, `extern __shared__ float a[];` a pointer;
    * `while (...) {}` lets other threads run;
    * `asm volatile("...", ...)` becomes a call of emulation::assembly, which knows a few instructions;
    * `kernel<<<grid, block>>>(x)` becomes emulation::Grid(grid, block).run(…), which needs no list;
    * each other kernel is registered, with the names of its parameters: at the end, or in the namespace that nestwarp made for it."""
    text, kernels = _in_place(text) if IN_PLACE.search(text) or "<<<" in text else (text, [_kernel(text, m) for m in KERNEL.finditer(text)])
    text = _with_launches(text)
    text = SHARED.sub(_shared, text)
    if "__shared__" in re.sub(r"//.*", "", text):
        raise TextError(f"{name}: a declaration of shared memory that is not valid")
    text = WATCHING.sub(r"\1{ emulation::spin();\2}", text)
    text = text.replace("__noinline__", "__attribute__((noinline))")
    text = _without_assembly(text)
    return f'#line 1 "{name}"\n{text}\n{_registered(kernels)}'


def _registered(kernels):
    return "".join(f'NESTWARP_KERNEL({kernel}, "{", ".join(parameters)}", {bound})\n' for kernel, parameters, bound in filter(None, kernels))


def _in_place(text):
    """A program with its own kernels: those that nestwarp put beside them are registered in front of the function that launches them."""
    def one(match):
        kernels = [_kernel(match.group(), m) for m in KERNEL.finditer(match.group())]
        return REGION.sub(lambda m: _registered(kernels).replace("\n", " ") + m.group(), match.group(), count=1)
    return IN_PLACE.sub(one, text), []


def _with_launches(text):
    while match := LAUNCH.search(text):
        close = text.index(">>>", match.end())
        begin = re.compile(r"\s*\(").match(text, close + 3).end()
        end = _closing(text, begin)
        text = f"{text[:match.start()]}emulation::Grid({text[match.end():close]}).run([&] {{ {match.group(1)}({text[begin:end - 1]}); }}){text[end:]}"
    return text


def _shared(match):
    dynamic, element, declarators = match.groups()
    element = re.sub(r"__align__\(\w+\)", "", element).strip()
    if dynamic:
        return "auto *" + re.match(r"\w+", declarators).group() + f" = ({element} *)emulation::dynamicShared();"
    out = []
    for declarator in declarators.split(","):
        variable, extents = re.match(r"\s*(\w+)\s*(.*)", declarator, re.S).groups()
        out.append(f'auto &{variable} = emulation::shared<{element}{extents}>("{variable}", __LINE__);')
    return " ".join(out)


def _kernel(text, match):
    """Name, names of the parameters, and launch bound of a kernel; None for a declaration."""
    end = _closing(text, match.end())
    if not re.match(r"\s*\{", text[end:]):
        return None
    names = []
    for parameter in filter(str.strip, text[match.end():end - 1].split(",")):
        inner = re.search(r"\(\s*\*[^)]*?(\w+)\s*\)", parameter)
        names.append(inner.group(1) if inner else re.findall(r"\w+", re.sub(r"\[.*", "", parameter))[-1])
    return match.group(2), names, match.group(1) or 0


def _without_assembly(text):
    while match := ASSEMBLY.search(text):
        end = _closing(text, match.end())
        parts = text[match.end():end - 1]
        instruction = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', re.match(r'(?:\s*"(?:[^"\\]|\\.)*")*', parts).group()))
        operands = []
        for operand in re.finditer(r'"[^"]*"\s*\(', parts):
            operands.append("(uint64_t)(" + parts[operand.end():_closing(parts, operand.end()) - 1].replace("\n", " ") + ")")
        lines = "\n" * text.count("\n", match.start(), end)
        text = text[:match.start()] + f'emulation::assembly("{instruction}", {{{", ".join(operands)}}})' + lines + text[end:]
    return text


def _closing(text, begin):
    """The place behind the parenthesis that closes the one before `begin`."""
    depth, end = 1, begin
    while depth:
        if text[end] == '"':
            end = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, end).end()
            continue
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return end
