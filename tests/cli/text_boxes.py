#!/usr/bin/env python3
"""text_boxes.py SVG...: check the texts of pictures that gnuplot wrote.

Prints a line for each text that leaves its picture, for each pair of texts
that overlap, for each text below 6 points, and for each number with an
exponent. Widths are those of DejaVu Sans, which gnuplot's sizes assume, in
thousandths of the font size.
"""
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET

WIDTHS = {" ": 318, "!": 401, "%": 950, "'": 275, "(": 390, ")": 390, "+": 838,
          ",": 318, "-": 361, ".": 318, "/": 337, ":": 337, ";": 337, "=": 838,
          "[": 390, "]": 390, "_": 500, "×": 838, "I": 295, "J": 295, "M": 863,
          "W": 989, "f": 352, "i": 278, "j": 278, "l": 278, "m": 974, "r": 411,
          "s": 521, "t": 392, "w": 818}


def width(text, size):
    def one(c):
        if c in WIDTHS:
            return WIDTHS[c]
        if unicodedata.east_asian_width(c) in "WF":
            return 1000
        return 636 if c.isdigit() else 684 if c.isupper() else 600
    return sum(one(c) for c in text) * size / 1000


def boxes(path):
    tree = ET.parse(path)
    ns = "{http://www.w3.org/2000/svg}"
    for g in tree.iter(ns + "g"):
        text = g.find(ns + "text")
        if text is None:
            continue
        words = "".join(text.itertext()).strip()
        size = float(g.get("font-size", "0"))
        move = re.match(r"translate\(([-0-9.]+),([-0-9.]+)\)"
                        r"(?:\s*rotate\(([-0-9.]+)\))?", g.get("transform"))
        x, y, turn = float(move[1]), float(move[2]), float(move[3] or 0)
        w = width(words, size)
        left = {"middle": -w / 2, "end": -w}.get(g.get("text-anchor"), 0)
        box = [left, -0.73 * size, left + w, 0.2 * size]
        if turn:
            box = [box[1], -box[2], box[3], -box[0]]
        if words:
            yield words, size, [
                box[0] + x, box[1] + y, box[2] + x, box[3] + y]


def main(path):
    root = ET.parse(path).getroot()
    w, h = (float(v) for v in root.get("viewBox").split()[2:])
    faults = 0
    all_boxes = list(boxes(path))
    for i, (text, size, a) in enumerate(all_boxes):
        if size < 7.9:
            print(f"{path}: '{text}' is of {size * 0.75:.1f} points")
            faults += 1
        if re.search(r"[0-9]e[-+][0-9]", text):
            print(f"{path}: '{text}' has an exponent")
            faults += 1
        if a[0] < -1 or a[1] < -1 or a[2] > w + 1 or a[3] > h + 1:
            print(f"{path}: '{text}' leaves the picture:",
                  [round(v) for v in a])
            faults += 1
        for other, _, b in all_boxes[:i]:
            wide = min(a[2], b[2]) - max(a[0], b[0])
            high = min(a[3], b[3]) - max(a[1], b[1])
            if wide > 1 and high > 1.5:
                print(f"{path}: '{text}' covers '{other}'")
                faults += 1
    return faults


sys.exit(1 if sum([main(p) for p in sys.argv[1:]]) else 0)
