#!/usr/bin/env python3
"""Markdown within 100 columns: rewraps the paragraphs and list items that are too wide.

usage: scripts/markdown.py FILE...          rewrites the files
       scripts/markdown.py --check FILE...  names what is too wide, and changes nothing

Tables, code, headings, pictures and HTML stay as they are; so do paragraphs that fit.
"""
import re
import sys

COLUMNS = 100
ITEM = re.compile(r"^(\s*)([-*+]|\d+\.)\s+")
# Code spans and links are not broken.
WORD = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")
# What would become a list, a heading or a quotation at the beginning of a line.
MARKER = re.compile(r"^\s*(([-+*]|\d+\.)(\s|$)|[#>|])")


def is_fixed(line):
    """Whether a line is no text of a paragraph."""
    return not line.strip() or line.lstrip().startswith(("|", "#", "```", "<", "![", ">"))


def filled(words, first, rest):
    """The words as lines; the first begins with `first`, the others with `rest`."""
    lines, line = [], first
    for word in words:
        if line in (first, rest) or len(line) + 1 + len(word) <= COLUMNS:
            line += ("" if line in (first, rest) else " ") + word
        else:
            lines.append(line)
            line = rest + word
    lines.append(line)
    for k in range(1, len(lines)):
        before = lines[k - 1].rsplit(" ", 1)
        if MARKER.match(lines[k]) and len(before) == 2:
            lines[k - 1], lines[k] = before[0], rest + before[1] + " " + lines[k].lstrip()
    return lines


def paragraph(lines, begin):
    """The end of the paragraph or list item that begins at a line."""
    is_item, indent = ITEM.match(lines[begin]), len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and not is_fixed(lines[end]) and not ITEM.match(lines[end]):
        if not is_item and indent < 4 and lines[end].startswith("    "):
            break
        end += 1
    return end


def reflowed(text):
    """The text with all paragraphs and list items within the columns."""
    lines, out, k, in_code = text.split("\n"), [], 0, False
    while k < len(lines):
        line = lines[k]
        if line.lstrip().startswith("```"):
            in_code = not in_code
        item = ITEM.match(line)
        if in_code or is_fixed(line) or (not item and line.startswith("    ")):
            out.append(line)
            k += 1
            continue
        end = paragraph(lines, k)
        part = lines[k:end]
        if any(len(p) > COLUMNS for p in part):
            first = item.group(0) if item else line[:len(line) - len(line.lstrip())]
            words = WORD.findall(" ".join(p.strip() for p in part))
            part = filled(words[1:] if item else words, first, " " * len(first))
        out += part
        k = end
    return "\n".join(out)


def too_wide(text):
    """(line number, line) of what reflowing would change."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        is_code = in_code or (line.startswith("    ") and not ITEM.match(line))
        if len(line) > COLUMNS and not is_code and not is_fixed(line) and len(WORD.findall(line)) > 1:
            yield number, line


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    wide = 0
    for path in (a for a in arguments if a != "--check"):
        text = open(path).read()
        if not check:
            open(path, "w").write(reflowed(text))
        for number, line in too_wide(text) if check else ():
            print(f"{path}:{number}: {len(line)} columns")
            wide += 1
    sys.exit(1 if wide else 0)


if __name__ == "__main__":
    main()
