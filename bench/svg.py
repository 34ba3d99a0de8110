"""Drawings for light and dark pages, as text of SVG."""
import math
from xml.sax.saxutils import escape

STYLE = """<style>
.paper { fill: #ffffff } .ink { fill: #222222 } .faint { fill: #666666 } .grid { stroke: #dddddd } .axis { stroke: #555555 }
@media (prefers-color-scheme: dark) { .paper { fill: #14171a } .ink { fill: #e6e6e6 } .faint { fill: #a0a0a0 } .grid { stroke: #333a40 } .axis { stroke: #a0a0a0 } }
</style>"""


# Widths of letters in units of the font's size, as those of DejaVu Sans, which is wider than most.
WIDE, NARROW = set("mwMW%@–"), set(" ijl.,:;|'()[]")


def text_width(words, size):
    """How long a line of text is, at most, in units of the drawing."""
    letter = lambda c: 0.96 if c in WIDE else 0.4 if c in NARROW else 0.72 if c.isupper() else 0.64
    return size * sum(letter(c) for c in words)


def wrapped(words, width, size):
    """The words in lines that are not longer than width, if no single word is."""
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class Drawing:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, words, anchor="start", kind="ink", size=12):
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>')

    def paragraph(self, x, y, words, width, kind="faint", size=10):
        """Text in as many lines as it takes; the height of those beyond the first."""
        lines = wrapped(words, width, size)
        for k, line in enumerate(lines):
            self.text(x, y + k * (size + 3), line, kind=kind, size=size)
        return (len(lines) - 1) * (size + 3)

    def line(self, x1, y1, x2, y2, kind="grid", width=1):
        self.parts.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="{width}"/>')

    def stroke(self, x1, y1, x2, y2, color):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="2"/>')

    def bar(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" fill="{color}"/>')

    def point(self, x, y, color, radius=4, hollow=False):
        fill = f'fill="none" stroke="{color}" stroke-width="1.5"' if hollow else f'fill="{color}"'
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {fill}/>')

    def __str__(self):
        head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
                'font-family="sans-serif" font-size="12">', STYLE, f'<rect class="paper" width="{self.width}" height="{self.height}"/>']
        return "\n".join(head + self.parts + ["</svg>"]) + "\n"


class Logarithmic:
    """Places of positive numbers on an axis from `begin` to `end` (of the drawing), whole powers of ten at its ends."""

    def __init__(self, values, begin, end):
        values = [v for v in values if v > 0] or [1]
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self.begin, self.end = begin, end

    def __call__(self, value):
        return self.begin + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def powers(self):
        return [10.0 ** k for k in range(self.low, self.high + 1)]
