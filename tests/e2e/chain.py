"""Damaged and mixed logs through the chain of programs.

    chain.py BINDIR SOURCES FOLDER TREES SEED

Makes TREES random trees of logs in FOLDER: samples of the formats in SOURCES
repeated with other numbers, runs of truth.py, tables of odd values, pieces of
several logs in one file, cut, spliced and with bytes changed, under odd names.
If extract_logs, with random options, ends with status 0 or 1 for a tree, all
other programs must read its result:

- report_results: each table, as each format, in both languages, as a page, as a
  pivot table, of another figure, with a gate, with the machine; a CSV cell is a
  number or does not start a formula of a spreadsheet; its own tables are
  checked, intact and damaged;
- plot_results --format=gp: each chart, with records and without, also as text;
- both programs on two results, compared, with a gate and its formats;
- extract_logs again: a result among logs, a map, a template, DLPerf's rule;
- the history: add, show, plot, search, and add again;
- predict_scaling, and report_results with its prediction.

Some trees also have run stores, event files and profiles, damaged too. Logs are
explained, and formats are suggested for them.

A program may end with status 2, 3 or 4 only with a message of its own, never by
a signal or after a minute, and never prints nan or inf. Results and reference
values with random changes are read by all programs or rejected by all.

Prints all failures; the exit status is 1 if there are any.
"""
import copy
import csv
import glob
import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

import truth

FORMATS = ["text", "markdown", "csv", "latex", "html"]
TABLES = ["comparison", "speedup", "collectives", "law", "times", "phases",
          "dlperf"]
CHARTS = ["speedup", "throughput", "efficiency", "bars", "batch", "phases",
          "collectives", "bandwidth"]
STEP_CHARTS = ["steps", "spread", "loss", "loss-time", "accuracy"]
NAMES = ["net", "=1+1", "+x", "-2", "@a", "a,b", 'q"q', "<b>&", "résumé", "a b",
         "%s%n", "{x}", "_^$", "名", "'", "\t"]
NOT_A_NUMBER = re.compile(r"(?<![\w./'-])[-+]?(nan|inf|infinity)(?![\w./'-])")
MINUTE = 60


# --- Logs ---------------------------------------------------------------------

def load_samples(sources):
    """[(format, [(line, its iteration or None)])]"""
    out = []
    for path in sorted(glob.glob(os.path.join(sources, "extract", "formats",
                                              "*.format"))):
        lines = []
        with open(path, encoding="utf-8") as f:
            for text in f:
                if text.startswith("sample "):
                    lines.append([text[7:].rstrip("\n"), None])
                found = re.match(r"expect .*\biter=(\d+)", text)
                if found and lines:
                    lines[-1][1] = found.group(1)
        if lines:
            out.append((os.path.basename(path)[:-7], lines))
    return out


def vary(rng, text):
    """the same line with other fractions"""
    def other(match):
        digits = len(match.group(2))
        return "%.*f" % (digits, float(match.group(0)) *
                         rng.uniform(0.97, 1.03))

    return re.sub(r"(?<![\d.:-])(\d+)\.(\d+)(?![\d.:-])", other, text)


def repeated(rng, samples):
    """steps of a format with increasing iterations"""
    _, lines = rng.choice(samples)
    steps = [x for x in lines if x[1] is not None]
    out = [x[0] for x in lines if x[1] is None][:rng.randrange(5)]
    if not steps:
        return [x[0] for x in lines] * rng.randrange(1, 30)
    text, number = rng.choice(steps)
    first, by = rng.choice([0, 1, 7]), rng.choice([1, 1, 1, 5, 10, 50])
    for k in range(rng.choice([3, 30, 130, 200])):
        out.append(re.sub(r"(?<!\d)%s(?!\d)" % number, str(first + k * by),
                          vary(rng, text), count=1))
    return out


def table(rng, _):
    """CSV of odd values"""
    head = rng.choice(["step_time", "samples_per_s", "tokens_per_s",
                       "step_time_ms", "throughput"])
    low = rng.uniform(-12, 8)
    high = low + rng.uniform(0, 8)
    return ["step," + head] + [
        "%d,%.9g" % (k, 0 if rng.random() < 0.02 else
                     10 ** rng.uniform(low, high))
        for k in range(rng.choice([5, 130, 300]))]


def true_run(rng, _):
    run = truth.make_run(rng, rng.choice([1, 8]), 32, rng.choice(
        truth.DIALECTS))
    return run.text.splitlines()


def all_samples(rng, samples):
    return [x[0] for x in rng.choice(samples)[1]]


def mixed(rng, samples):
    """lines of several formats, interleaved"""
    parts = [repeated(rng, samples) for _ in range(rng.randrange(2, 4))]
    return [p[i] for i in range(max(map(len, parts))) for p in parts
            if i < len(p)]


SOURCES = [repeated, repeated, repeated, true_run, true_run, table, all_samples,
           mixed]
TOKENS = [b"nan", b"inf", b"-1", b"0", b"1e308", b"1e-320", b"\0", b"\xff\xfe",
          b"\r", b"99999999999999999999", b"{", b"\"", b"\x1b[2K", b"\n\n",
          b"0.0", b"-0.5", b",", b"epoch", b"1e999"]


def damage(rng, data):
    for _ in range(rng.choice([0, 0, 1, 1, 3, 20])):
        if not data:
            break
        at, n = rng.randrange(len(data)), rng.randrange(1, 200)
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]
        elif kind == 1:
            data = data[:at] + data[at + n:]
        elif kind == 2:
            data = data[:at] + data[at:at + n] * 2 + data[at + n:]
        elif kind == 3:
            data = data[:at] + rng.choice(TOKENS) + data[at:]
        elif kind == 4:  # another number
            found = re.compile(rb"\d+(\.\d+)?").search(data, at)
            if found:
                data = (data[:found.start()] + rng.choice(TOKENS) +
                        data[found.end():])
        elif rng.random() < 0.3:
            data = data[:at]
    return data


def make_store(rng, folder, stores):
    """a file of a run store or a profiler, with its usual name"""
    path, data = rng.choice(stores)
    name = os.path.basename(path)
    if name.endswith(".wandb"):
        name = "run-abc.wandb"
    elif name.endswith(".tfevents"):
        name = "events.out.tfevents.1.h"
    with open(os.path.join(folder, name), "wb") as f:
        f.write(damage(rng, data))


def make_log(rng, samples):
    lines = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        lines += rng.choice(SOURCES)(rng, samples)
    return damage(rng, "\n".join(lines).encode() + b"\n")


def make_tree(rng, samples, root, stores):
    """Folders of cases; the runs of a case often differ only in damage."""
    batch = rng.choice([1, 32, 256])
    for nodes, gpus in rng.sample([(1, 1), (1, 2), (1, 8), (2, 8), (4, 8)],
                                  rng.randrange(1, 5)):
        folder = os.path.join(root, rng.choice(["", "", rng.choice(NAMES)]),
                              "%dn%dg" % (nodes, gpus))
        os.makedirs(folder, exist_ok=True)
        state = rng.getstate()
        for number in range(1, rng.randrange(2, 5)):
            if rng.random() < 0.4:
                rng.setstate(state)  # the same again, with other damage
                rng.random()
            name = rng.choice(["net", "net", "net", rng.choice(NAMES)])
            path = os.path.join(folder, "%s_b%d_fp32_%d.log" % (
                name, batch, number))
            with open(path, "wb") as f:
                f.write(make_log(rng, samples))
        if rng.random() < 0.2:
            make_store(rng, folder, stores)


# --- Programs -----------------------------------------------------------------

class Chain:
    """The programs, and their failures in a tree."""

    def __init__(self, bindir, sources, work):
        self.bindir, self.sources, self.work = bindir, sources, work
        self.wrong, self.n_written, self.n_read = [], 0, 0

    def path(self, name):
        return os.path.join(self.work, name)

    def blame(self, command, what):
        self.wrong.append("%s: %s" % (" ".join(command), what))

    def run(self, program, *arguments, allowed=(0,)):
        """Run a program. Returns its status, one of allowed, and its output."""
        command = [program] + list(arguments)
        try:
            done = subprocess.run(
                [os.path.join(self.bindir, program)] + list(arguments),
                stdin=subprocess.DEVNULL, capture_output=True, timeout=MINUTE)
        except subprocess.TimeoutExpired:
            self.blame(command, "not done in a minute")
            return 99, ""
        said = done.stderr.decode(errors="replace")
        if done.returncode not in allowed:
            self.blame(command, "status %d: %s" % (done.returncode,
                                                   said.strip()[-400:]))
        elif done.returncode != 0 and program + ": " not in said and \
                "--check" not in command:  # it prints what does not follow
            self.blame(command, "status %d without a message" %
                       done.returncode)
        printed = done.stdout.decode(errors="replace")
        if done.returncode in (0, 1):
            self.check_output(command, printed)
        # Explanations quote the log, checks quote the table, and DLPerf's
        # scripts print the mean of no values.
        if not any(a.startswith(("--explain", "--suggest", "--compat",
                                 "--check"))
                   for a in arguments):
            self.check_text(command, printed)
        return done.returncode, printed

    def check_output(self, command, printed):
        """Check each file that was written, whatever its format, and tables for
        nan, inf and cells that a spreadsheet would run."""
        for i, option in enumerate(command[:-1]):
            path = command[i + 1]
            if option not in ("-o", "-c") or not os.path.isfile(path):
                continue
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            # A script has words of its own, and NaN for what a chart omits.
            if not path.endswith((".gp", ".db")):
                self.check_text(command, text)
            if path.endswith(".csv"):
                self.check_cells(command, text)
        # extract_logs prints its table in addition to the file.
        if "--format=csv" in command and (
                "-o" not in command or command[0] == "extract_logs"):
            self.check_cells(command, printed)

    def check_text(self, command, text):
        found = NOT_A_NUMBER.search(text)
        if found:
            self.blame(command, "prints %r" % text[
                max(0, found.start() - 60):found.end() + 20])

    def check_cells(self, command, text):
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and \
                        cell != "-" and not is_number(cell):
                    self.blame(command, "a spreadsheet runs %r" % cell)

    def check_json(self, command, path):
        """Parse strictly: no NaN, no duplicate key, no infinite number."""
        def refuse(text):
            raise ValueError("has a %s" % text)

        def members(pairs):
            if len(dict(pairs)) != len(pairs):
                raise ValueError("has a key twice")
            return dict(pairs)

        def number(text):
            if not math.isfinite(float(text)):
                raise ValueError("has a %s" % text)
            return float(text)

        try:
            with open(path, encoding="utf-8") as f:
                return json.load(f, parse_constant=refuse, parse_float=number,
                                 object_pairs_hook=members)
        except ValueError as e:
            self.blame(command, "%s %s" % (path, e))
            return None


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def choose_options(rng):
    options = []
    for chance, choices in [
            (0.7, ["--rule=all", "--rule=all", "--rule=window",
                   "--rule=summary"]),
            (0.3, ["--metric=throughput", "--metric=step-time",
                   "--metric=time-to-train"]),
            (0.2, ["--scaling=strong", "--scaling=weak"]),
            (0.1, ["--unit=samples/s", "--unit=tokens/s",
                   "--unit=iterations/s"]),
            (0.2, ["--aggregate=mean", "--aggregate=median"]),
            (0.1, ["--rate-scope=node", "--rate-scope=device"]),
            (0.1, ["--epoch=0", "--epoch=1"]),
            (0.1, ["--allow-mixed"]),
            (0.1, ["--confidence=0.5", "--confidence=0.999"]),
            (0.1, ["--model=" + rng.choice(NAMES)]),
            (0.1, ["--framework=" + rng.choice(NAMES)]),
            (0.1, ["--precision=" + rng.choice(NAMES)]),
            (0.1, ["--sequence-length=128"]),
            (0.1, ["--batch-size=64"]),
            (0.1, ["--train-batches=10 --warmup-batches=2"]),
            (0.1, ["--no-hash"])]:
        if rng.random() < chance:
            options += rng.choice(choices).split(" --")
    if "--metric=time-to-train" in options:  # it goes with no other rule
        options = [o for o in options if not o.startswith("--rule")]
    return [o if o.startswith("--") else "--" + o for o in options]


def check_report(chain, rng, result):
    for name in [rng.choice(TABLES), "scaling", "all"]:
        for form in rng.sample(FORMATS, 2) + ["csv"] * (name != "all"):
            if (name, form) == ("all", "csv"):
                continue  # it holds one table
            arguments = ["--format=" + form, "--table=" + name,
                         "--allow-mixed", "--lang=" + rng.choice(["en", "zh"]),
                         result]
            # Some cases do not have all values of a table.
            chain.run("report_results", *arguments, allowed=(
                (0,) if name in ("scaling", "all") else (0, 4)))
    chain.run("report_results", "--html", "-o", chain.path("page.html"),
              "--allow-mixed", result)
    chain.run("report_results", "--rows=nodes,gpus", "--columns=model",
              "--values=median,n,speedup", "--allow-mixed", result,
              allowed=(0, 3))
    chain.run("report_results", "--compare", "--allow-mixed", result, result)
    status, _ = chain.run("report_results", result, allowed=(0, 2, 3))
    return status


def check_plots(chain, rng, result, records):
    n = 0
    script = chain.path("chart.gp")
    for chart in rng.sample(CHARTS, 3) + ["throughput"]:
        status, _ = chain.run(
            "plot_results", "-q", "--force", "--allow-mixed", "--format=gp",
            "--chart=" + chart, "-o", script, result, allowed=(0, 3, 4))
        n += status == 0
    for chart in rng.sample(STEP_CHARTS, 2) if records else []:
        status, _ = chain.run(
            "plot_results", "-q", "--force", "--allow-mixed", "--format=gp",
            "--chart=" + chart, "--records=" + records, "-o", script, result,
            allowed=(0, 3, 4))
        n += status == 0
    return n


def check_history(chain, result):
    history = "--history=" + chain.path("h.db")
    add = [history, "add", "--host=h", "--commit=c", "--date=2026-11-22"]
    if chain.run("report_results", *add, result)[0] != 0:
        return
    chain.run("report_results", *add, result)
    chain.run("report_results", history, "show")
    chain.run("report_results", history, "show", "--format=csv")
    chain.run("report_results", history, "when", allowed=(0, 4))
    found = chain.path("when.json")
    if chain.run("report_results", history, "when", "--format=json", "-o",
                 found, allowed=(0, 4))[0] == 0:
        chain.check_json(["report_results", history, "when"], found)
    chain.run("report_results", history, "plot", "--format=gp", "-o",
              chain.path("history.gp"), allowed=(0, 4))


def check_prediction(chain, rng, result):
    prediction = chain.path("prediction.json")
    command = ["--level=0.8,0.95"] + rng.choice([
        [], ["--force"], ["--compare"], ["--diagnose"], ["--until=90%"],
        ["--samples=1e6", "--price=2"], ["--to=16n8g"]])
    status, _ = chain.run("predict_scaling", *command, "-o", prediction,
                          result, allowed=(0, 2, 3, 4))
    if status != 0:
        return
    chain.check_json(["predict_scaling"] + command, prediction)
    chain.run("report_results", "--html", "--allow-mixed", "-o",
              chain.path("page.html"), result, prediction)
    chain.run("predict_scaling", *command, "--format=csv", "-c",
              chain.path("p.svg"), result, allowed=(0, 2, 3, 4))


def leaves(x, at=()):
    """paths of all values of a JSON document except objects and arrays"""
    if isinstance(x, dict):
        for key, value in x.items():
            yield from leaves(value, at + (key,))
    elif isinstance(x, list):
        for i, value in enumerate(x):
            yield from leaves(value, at + (i,))
    else:
        yield at


def damaged_result(rng, document):
    """A document of the same form: values changed, dropped, duplicated."""
    document = copy.deepcopy(document)
    paths = list(leaves(document))
    for at in rng.sample(paths, min(len(paths), rng.choice([1, 1, 2, 5]))):
        node = document
        try:
            for key in at[:-1]:
                node = node[key]
            kind = rng.randrange(4)
            if kind == 0:
                del node[at[-1]]
            elif kind == 1 and isinstance(node, list):
                node.append(node[at[-1]])
            else:
                node[at[-1]] = rng.choice([
                    0, -1, 1, 1e308, 1e-320, -0.0, 2**53, 2**63, "", None,
                    True, [], {}, rng.choice(NAMES), "x" * 300])
        except (KeyError, IndexError, TypeError):
            pass  # another change has taken it away
    return document


def damaged_speeds(rng, document, path):
    """write the same cases with other speeds to a file"""
    document = copy.deepcopy(document)
    speeds = ["samples_per_s", "value", "median_low", "median_high",
              "median_speed", "average_speed", "harmonic_speed",
              "olympic_speed"]
    for case in document.get("cases", []):
        by = rng.choice([1, 0.98, rng.uniform(0.5, 1.5)])
        for part in [case] + case.get("runs", []):
            for key in speeds:
                if isinstance(part.get(key), float):
                    part[key] *= by
    with open(path, "w", encoding="utf-8") as f:
        json.dump(document, f)
    return path


def check_agreement(chain, path):
    """All programs read a file, or all refuse it as bad input."""
    commands = [("report_results", ["-t", "all", "--allow-mixed", path]),
                ("report_results", ["--format=csv", "--allow-mixed", path]),
                ("report_results", ["--html", "--allow-mixed", "-o",
                                    chain.path("page.html"), path]),
                ("plot_results", ["-q", "--force", "--allow-mixed",
                                  "--format=gp", "--chart=throughput", "-o",
                                  chain.path("chart.gp"), path]),
                ("predict_scaling", ["-o", chain.path("p.json"), path])]
    allowed = [(0, 3, 4)] * 4 + [(0, 2, 3, 4)]
    statuses = [chain.run(p, *a, allowed=ok)[0]
                for (p, a), ok in zip(commands, allowed)]
    if len({s == 0 for s in statuses[:3]}) > 1:
        chain.blame(["report_results", path], "statuses %s" % statuses)


def without_nan(match):
    """replace nan and inf in a line of words, printed as is, or of numbers"""
    line = match.group()
    words = re.search(rb"[A-Za-z]", re.sub(rb"nan|inf|e", b"", line))
    return re.sub(rb"nan|inf" if words else rb"(nan|inf)(?= +[^ |])", b"x",
                  line)


def damaged_values(rng, text):
    data = damage(rng, text.encode()).replace(b"\0", b"")
    return re.sub(rb".+", without_nan, data)


FIGURES = ["mfu", "tflops_per_device", "peak_memory", "data_share",
           "final_loss", "step-time", "throughput", "time-to-train"]


def check_comparison(chain, rng, result, other):
    """Two results: tables, gates, the chart of ratios."""
    for form in rng.sample(["text", "csv", "markdown", "html", "json"], 2):
        chain.run("report_results", "--compare", "--allow-mixed",
                  "--format=" + form, "--delta=5%", result, other,
                  allowed=(0, 1, 3, 4))
    for form in rng.sample(["github", "junit"], 1):
        chain.run("report_results", "--compare", "--allow-mixed",
                  "--gate=slower:3%", "--format=" + form, result, other,
                  allowed=(0, 1, 3, 4))
    for arguments in [["--format=gp", "-o", chain.path("chart.gp")],
                      ["--terminal"]]:
        chain.run("plot_results", "-q", "--force", "--allow-mixed",
                  "--chart=compare", *arguments, result, other,
                  allowed=(0, 2, 3, 4))


def check_terminal(chain, rng, result, records):
    """Charts as text, which contain numbers."""
    for chart in rng.sample(CHARTS, 2):
        chain.run("plot_results", "-q", "--allow-mixed", "--terminal",
                  "--chart=" + chart, result, allowed=(0, 2, 3, 4))
    if records:
        chain.run("plot_results", "-q", "--allow-mixed", "--terminal",
                  "--chart=" + rng.choice(STEP_CHARTS),
                  "--records=" + records, result, allowed=(0, 2, 3, 4))


def check_again(chain, rng, root, options, result):
    """A result among the operands, a map, a template, DLPerf's rule."""
    more = chain.path("more.json")
    chain.run("extract_logs", "-q", *options, "-o", more, result,
              allowed=(0, 2, 3, 4))
    chain.run("extract_logs", "-q", *options, "-o", more, "a=" + result,
              "b=" + root, allowed=(0, 2, 3, 4))
    table = chain.path("map.csv")
    with open(table, "wb") as f:
        f.write(damage(rng, b"file,nodes,gpus_per_node,model,label_x\n"
                       b"*.log,1,8,=1+1,@a\n\"n*\",2,4,\"a,b\",-2\n"))
    chain.run("extract_logs", "-q", *options, "--map=" + table, "-o", more,
              root, allowed=(0, 2, 3, 4))
    chain.run("extract_logs", "-q", *options, "--path=" + rng.choice(
        ["{model}_b{batch}_{precision}_{run}.log", "{label_a}/{run}.log",
         "{nodes}n{gpus_per_node}g/*.log"]), "--format=csv", "-o", more, root,
              allowed=(0, 2, 3, 4))
    chain.run("extract_logs", "-q", "--compat=dlperf", "--output-dir=" +
              chain.path("dlperf"), root, allowed=(0, 2, 3, 4))


def check_metrics(chain, rng, result):
    for name in rng.sample(FIGURES, 2):
        chain.run("report_results", "--metric=" + name, "--allow-mixed",
                  result, allowed=(0, 3, 4))
        chain.run("report_results", "--metric=" + name, "--allow-mixed",
                  "--rows=gpus", "--columns=model", "--format=html", result,
                  allowed=(0, 3, 4))
    table = chain.path("report.json")
    if chain.run("report_results", "--format=json", "--allow-mixed", "-o",
                 table, result)[0] == 0:
        chain.check_json(["report_results", "--format=json"], table)
    chain.run("report_results", "--allow-mixed", "--gate=" + rng.choice(
        ["speedup<2", "efficiency<0.8", "efficiency>1.5"]), result,
              allowed=(0, 1, 3, 4))


def check_environment(chain, rng, result):
    machine = chain.path("machine.txt")
    data = damage(rng, b"started: 2026-11-22T08:00:00Z\nhost: h\n"
                  b"commit: c\ncpu: 2 x AMD EPYC\ngpu: 8 x NVIDIA "
                  b"A100\nnetwork: mlx5_0 200 Gbit/s\n")
    with open(machine, "wb") as f:  # what it states is printed as it is
        f.write(re.sub(rb"nan|inf", b"x", data))
    for form in rng.sample(FORMATS, 2):
        chain.run("report_results", "--environment", "--format=" + form,
                  result, machine, allowed=(0, 3, 4))


def check_own_table(chain, rng, result):
    """A table of report_results, intact and damaged."""
    form, ending = rng.choice([("markdown", "md"), ("latex", "tex"),
                               ("csv", "csv")])
    table = chain.path("table." + ending)
    status, _ = chain.run("report_results", "--format=" + form,
                          "--allow-mixed", "-o", table, result)
    if status != 0:
        return
    chain.run("report_results", "--check", table, allowed=(0, 4))
    with open(table, "rb") as f:
        data = f.read()
    with open(table, "wb") as f:
        f.write(damage(rng, data))
    chain.run("report_results", "--check", "--format=json", table,
              allowed=(0, 1, 3, 4))


def check_log(chain, rng, root):
    """A single log: explain it, and suggest a format for it."""
    logs = sorted(glob.glob(os.path.join(glob.escape(root), "**", "*.log"),
                            recursive=True))
    log = rng.choice(logs)
    chain.run("extract_logs", "--explain=" + log, allowed=(0, 3, 4))
    chain.run("extract_logs", "--suggest=" + log, allowed=(0, 3, 4))


def check_tree(chain, rng, samples, root, figures, stores):
    make_tree(rng, samples, root, stores)
    check_log(chain, rng, root)
    result, records = chain.path("r.json"), chain.path("records")
    options = ["-q", "-j%d" % rng.randrange(1, 4)] + choose_options(rng)
    status, _ = chain.run(
        "extract_logs", *options, "--records=" + records, "--format=csv",
        "--table=" + rng.choice(["cases", "runs", "metrics"]), "-o", result,
        root,
        allowed=(0, 1, 4))
    values = chain.path("values.figures")
    with open(values, "wb") as f:
        f.write(damaged_values(rng, rng.choice(figures)))
    check_agreement(chain, values)
    if status > 1:
        return
    chain.n_written += 1
    got = chain.check_json(["extract_logs"] + options, result)
    if got is None:
        return
    chain.n_read += check_report(chain, rng, result) == 0
    chain.n_read += check_plots(chain, rng, result, records)
    check_history(chain, result)
    check_prediction(chain, rng, result)
    check_comparison(chain, rng, result, damaged_speeds(
        rng, got, chain.path("other.json")))
    check_terminal(chain, rng, result, records)
    check_again(chain, rng, root, options[2:], result)
    check_metrics(chain, rng, result)
    check_environment(chain, rng, result)
    check_own_table(chain, rng, result)
    for _ in range(2):
        path = chain.path("damaged.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(damaged_result(rng, got), f)
        check_agreement(chain, path)


def keep(folder, i, root, work):
    kept = os.path.join(folder, "kept%d" % i)
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(root, os.path.join(kept, "tree"))
    shutil.copytree(work, os.path.join(kept, "work"))


def main():
    bindir, sources, folder, trees, seed = sys.argv[1:]
    first, _, last = trees.rpartition("-")
    samples = load_samples(sources)
    figures = [open(p, encoding="utf-8").read() for p in
               glob.glob(os.path.join(sources, "*", "*.figures"))]
    stores = [(p, open(p, "rb").read()) for p in
              glob.glob(os.path.join(sources, "tests", "data", "*", "*"))
              if p.endswith((".wandb", ".tfevents"))]
    stores += [("profile.json", open(p, "rb").read()) for p in glob.glob(
        os.path.join(sources, "tests", "fuzz", "corpus", "profile", "*"))]
    bad = written = read = 0
    numbers = range(int(first or 0), int(last))
    for i in numbers:
        rng = random.Random("%s-%d" % (seed, i))
        root, work = (os.path.join(folder, n) for n in ("tree", "work"))
        for d in (root, work):
            shutil.rmtree(d, ignore_errors=True)
            os.makedirs(d)
        chain = Chain(bindir, sources, work)
        check_tree(chain, rng, samples, root, figures, stores)
        for text in chain.wrong:
            print("tree %d: %s" % (i, text), flush=True)
        if chain.wrong:
            bad += 1
            keep(folder, i, root, work)
        written += chain.n_written
        read += chain.n_read
    print("%d trees, %d results, %d tables and charts of them: %d trees are "
          "wrong" % (len(numbers), written, read, bad))
    return 1 if bad or written < len(numbers) / 3 or read < written else 0


if __name__ == "__main__":
    sys.exit(main())
