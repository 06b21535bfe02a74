#!/usr/bin/env python3
"""Check random tables in published forms: with true figures all cells must
follow, and in a table with one wrong cell only that cell must be named.

    check_tables.py REPORT_RESULTS SEED NUMBER

prints each table that is judged wrongly, with the findings, and fails."""
import json, random, subprocess, sys

report, seed, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

HEADS = {
    "nodes": ["nodes", "node_num", "#Nodes", "Number of nodes", "节点数", "服务器数量"],
    "gpus": ["GPUs", "# GPUs", "gpu_num", "No. of GPUs", "Total GPUs", "总GPU数", "卡数"],
    "case": ["config", "节点-GPU", "Topology"],
    "speed": ["samples/s", "Throughput (img/s)", "Throughput [images/s]", "images/sec",
              "Throughput, images/s", "吞吐率(samples/s)", "speed"],
    "speedup": ["speedup", "Speedup (x)", "Speed-up", "加速比", "Relative speedup"],
    "efficiency": ["efficiency", "Scaling eff.", "Efficiency", "扩展效率", "Parallel efficiency"],
}
SUFFIXES = {"speed": [" img/s", " images/sec", ""], "speedup": ["x", "×", " x", "", "倍"]}


class Table:
    """Columns of (kind, framework), rows of cells; a cell is its text."""

    def __init__(self, rng):
        self.rng = rng
        self.groups = rng.random() < 0.3
        self.percent = rng.random() < 0.6
        self.in_head = rng.random() < 0.5   # per cent in the head
        self.decimals = rng.choice([2, 2, 3])
        self.suffix = {k: rng.choice(v) for k, v in SUFFIXES.items()}
        self.frameworks = rng.choice([[""], [""], ["A", "B"]])
        counts = [1, 2, 4, 8, 16, 32, 64]
        start = rng.choice([0, 0, 0, 3])
        self.counts = counts[start:start + rng.randint(4 - (start > 0), 7 - start)]
        kinds = rng.choice([["speed", "speedup"], ["speed", "speedup", "efficiency"],
                            ["speed", "efficiency"], ["speed", "speedup", "efficiency"]])
        self.kinds = kinds[:]
        if rng.random() < 0.3:
            self.rng.shuffle(self.kinds)
        self.keys = rng.choice([["nodes", "gpus"], ["gpus"], ["case"], ["gpus", "nodes"]])
        if self.counts[0] != 1 and self.keys == ["gpus"]:
            self.keys = ["nodes", "gpus"]
        self.make()

    def number(self, x, decimals, kind):
        text = f"{x:,.{decimals}f}" if self.groups else f"{x:.{decimals}f}"
        return text

    def write(self, x, kind):
        if kind == "efficiency":
            if self.percent:
                return self.number(100 * x, 1, kind) + ("" if self.in_head else "%")
            return self.number(x, self.decimals + 1, kind)
        decimals = self.decimals if kind == "speedup" else self.speed_decimals
        return self.number(x, decimals, kind) + self.suffix[kind]

    def key(self, kind, gpus):
        nodes = (gpus + 7) // 8
        if kind == "case":
            return f"{nodes}机{gpus}卡" if self.chinese else f"{nodes}n{gpus // nodes}g"
        return str(nodes if kind == "nodes" else gpus)

    def make(self):
        rng = self.rng
        self.chinese = rng.random() < 0.3
        self.speed_decimals = rng.choice([1, 2, 2])
        self.columns = [(k, "") for k in self.keys]
        self.columns += [(k, f) for f in self.frameworks for k in self.kinds]
        self.heads = {c: self.head(*c) for c in self.columns}
        self.rows, self.values = [], []
        base = {f: rng.uniform(90, 900) * self.counts[0] for f in self.frameworks}
        for gpus in self.counts:
            row, values = [], []
            for kind, f in self.columns:
                if kind in ("nodes", "gpus", "case"):
                    row.append(self.key(kind, gpus))
                    values.append(None)
                    continue
                if kind == self.kinds[0]:
                    efficiency = 1 if gpus == self.counts[0] else rng.uniform(0.6, 0.99)
                scale = gpus / self.counts[0]
                x = {"speed": base[f] * scale * efficiency, "speedup": scale * efficiency,
                     "efficiency": efficiency}[kind]
                row.append(self.write(x, kind))
                values.append(x)
            self.rows.append(row)
            self.values.append(values)
        # Some cells are missing, but none of the baseline.
        if rng.random() < 0.3 and len(self.counts) > 4:
            at = rng.randrange(3, len(self.counts))
            for i, (kind, f) in enumerate(self.columns):
                if self.values[at][i] is not None:
                    self.rows[at][i] = rng.choice(["OOM", "N/A", "-", ""])
                    self.values[at][i] = None

    def head(self, kind, framework):
        head = self.rng.choice(HEADS[kind])
        if kind == "efficiency" and self.percent and self.in_head:
            head += " (%)"
        return f"{framework} {head}" if framework else head

    def checked(self):
        return sum(self.values[r][c] is not None for r in range(len(self.rows))
                   for c, (k, _) in enumerate(self.columns) if k in ("speedup", "efficiency"))

    def plant(self):
        """Change one cell; return its text, its true number and its kind."""
        rng = self.rng
        usable = [(r, c) for r in range(1, len(self.rows)) for c, (k, _) in enumerate(self.columns)
                  if self.values[r][c] is not None
                  and (k in ("speedup", "efficiency") or
                       {"speedup", "efficiency"} <= set(self.kinds))]
        full = sum(all(v is not None or k in ("nodes", "gpus", "case")
                       for v, (k, _) in zip(values, self.columns)) for values in self.values)
        if full >= 4:
            usable += [(0, c) for c, (k, _) in enumerate(self.columns) if k == "speed"]
        r, c = rng.choice(usable)
        x = self.values[r][c]
        wrong = x * rng.choice([0.8, 0.9, 1.08, 1.15, 1.5])
        self.rows[r][c] = self.write(wrong, self.columns[c][0])
        return self.rows[r][c], x, self.columns[c][0]

    # --- forms

    def grid(self):
        return [[self.heads[c] for c in self.columns]] + self.rows

    def text(self):
        rows = self.grid()
        rng = self.rng
        if self.keys == ["case"] and rng.random() < 0.4:
            rows = [list(r) for r in zip(*rows)]
        form = rng.choice(["md", "md", "bare", "csv", "tsv", "semicolon", "latex"])
        if form in ("md", "bare"):
            edge = "| " if form == "md" else ""
            lines = [edge + " | ".join(r) + (" |" if edge else "") for r in rows]
            if form == "bare" and any(r[0] == "" or r[-1] == "" for r in rows):
                return self.markdown(rows), ".md"
            lines.insert(1, edge + " | ".join(["---"] * len(rows[0])) + (" |" if edge else ""))
            return "# T\n\n" + "\n".join(lines) + "\n", ".md"
        if form in ("csv", "tsv", "semicolon"):
            mark = {"csv": ",", "tsv": "\t", "semicolon": ";"}[form]
            quote = lambda s: f'"{s}"' if mark in s or rng.random() < 0.1 else s
            return "\n".join(mark.join(map(quote, r)) for r in rows) + "\n", ".csv"
        tex = lambda s: (s.replace("%", "\\%").replace("#", "\\#").replace("_", "\\_")
                         .replace("±", "$\\pm$").replace("×", "$\\times$"))
        lines = [" & ".join(map(tex, r)) + " \\\\" for r in rows]
        return ("\\begin{tabular}{%s}\n\\toprule\n%s\n\\bottomrule\n\\end{tabular}\n"
                % ("l" * len(rows[0]), "\n".join(lines))), ".tex"

    @staticmethod
    def markdown(rows):
        lines = ["| " + " | ".join(r) + " |" for r in rows]
        lines.insert(1, "|" + "---|" * len(rows[0]))
        return "\n".join(lines) + "\n"


def check(text, ending):
    name = "table" + ending
    with open(name, "w") as f:
        f.write(text)
    p = subprocess.run([report, "--check", "--format=json", name], text=True, capture_output=True)
    return p.returncode, json.loads(p.stdout)["tables"][0] if p.stdout else {}, p.stderr


def complain(what, text, found, err):
    print(what, text, sep="\n")
    for f in found.get("rows", []):
        if f["verdict"] not in ("follows", "cut"):
            print(f)
    print(found.get("notes"), err)
    return 1


def values_in(text):
    digits = "".join(c for c in text if c.isdigit() or c in ".,")
    return digits


failures = 0
for i in range(seed, seed + number):
    table = Table(random.Random(i))
    text, ending = table.text()
    rc, found, err = check(text, ending)
    verdicts = [f["verdict"] for f in found.get("rows", [])]
    if rc != 0 or verdicts != ["follows"] * table.checked():
        failures += complain(f"table {i}: {table.checked()} cells follow, status {rc}:", text, found, err)
        continue
    table = Table(random.Random(i))
    printed, true, kind = table.plant()
    text, ending = table.text()
    rc, found, err = check(text, ending)
    wrong = [f for f in found.get("rows", []) if f["verdict"] == "differs"]
    if rc != 1 or len(wrong) != 1 or values_in(wrong[0]["printed"]) != values_in(printed):
        failures += complain(f"table {i}: {printed} alone is wrong, for {true:.6g}:", text, found, err)
        continue
    expected = float("".join(c for c in wrong[0]["expected"] if c.isdigit() or c == "."))
    if kind == "efficiency" and table.percent:
        expected /= 100
    if abs(expected / true - 1) > 0.02:  # its own rounding
        failures += complain(f"table {i}: {printed} should be {true:.6g}:", text, found, err)
    if failures > 3:
        break
print(f"{number} tables, {failures} judged wrongly")
sys.exit(failures != 0)
