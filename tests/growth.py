"""Counts the instructions of each program on inputs that double in one
dimension, and prints a TAP line for each: the exponent by which they grow.

usage: growth.py BINDIR [PATTERN]

For sizes n/2, n, 2n and 4n the instructions are a, b, c and d. Costs that do
not depend on the size cancel in the exponent log2((d - b) / (c - a)), and costs
of only some sizes (another kind of legend) count little. A command must
succeed. GROWTH_TIMES multiplies all sizes (1); PATTERN selects rows by name.
"""
import concurrent.futures
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

MOST = 1.25
bindir = sys.argv[1]
pattern = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
times = int(os.environ.get("GROWTH_TIMES", 1))
rows = []


def word(i):
    return "".join(chr(97 + i // 26 ** k % 26) for k in range(5))


def row(name, n, most=0):
    """A dimension: the function writes an input of size n into the current
    folder and returns the commands to count. most: a bound, in millions of
    instructions, for what does not grow in proportion by design."""
    def add(make):
        rows.append((name, n, make, most))
        return make
    return add


# --- logs ---------------------------------------------------------------------

EXTRACT = ["extract_logs", "-q", "--rule=all", "-j1"]
ONE = ["--nodes=1", "--gpus-per-node=1", "--batch-size-per-device=4"]


def log(path, i=0, steps=6):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as f:
        f.write("step,step_time\n")
        for s in range(steps):
            f.write(f"{s},{0.3 + (s * 7 + i) % 10 / 1000}\n")


def imagenet(path, steps=130, ranks=(None,), head="", tail=""):
    """A log of PyTorch's example in which each rank prints all steps."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as f:
        f.write(head)
        for s in range(steps):
            for r in ranks:
                f.write(("" if r is None else f"[1,{r}]<stdout>:")
                        + f"Epoch: [0][{s}/{steps}]\tTime 0.4{s % 9} (0.4)\t"
                        "Data 0.01 (0.01)\tLoss 6.9 (6.9)\n")
        f.write(tail)


def extract(*args):
    return EXTRACT + ["-o", "r.json", *args, "logs"]


@row("extract_logs: runs of a case", 30)
def _(n):
    for i in range(n):
        log(f"logs/1n1g/m_b4_fp32_{i}.log", i)
    return [extract()]


@row("extract_logs: cases", 30)
def _(n):
    for i in range(n):
        log(f"logs/{i + 1}n1g/m_b4_fp32_1.log", i)
    return [extract(), extract("--table=runs"), extract("--table=metrics")]


@row("extract_logs: batch sizes", 30)
def _(n):
    for i in range(n):
        log(f"logs/1n1g/m_b{i + 1}_fp32_1.log", i)
        log(f"logs/1n2g/m_b{i + 1}_fp32_1.log", i)
    return [extract(), extract("--scaling=strong")]


@row("extract_logs: models", 30)
def _(n):
    for i in range(n):
        log(f"logs/1n1g/m{i}x_b4_fp32_1.log", i)
    return [extract()]


@row("extract_logs: folders that become labels", 30)
def _(n):
    for i in range(n):
        log(f"logs/try{i}x/1n1g/m_b4_fp32_1.log", i)
        log(f"logs/try{i}x/1n1g/m_b4_fp32_2.log", i + 1)
    return [extract()]


@row("extract_logs: nested folders", 100)
def _(n):
    log("logs/" + "d/" * min(n, 60) + "1n1g/m_b4_fp32_1.log")
    return [extract()]


@row("extract_logs: logs without a format", 200)
def _(n):
    log("logs/1n1g/m_b4_fp32_1.log")
    for i in range(n):
        with open(f"logs/1n1g/x{i}.log", "w") as f:
            f.write(f"nothing {i}\n")
    return [extract()]


@row("extract_logs: files of ranks", 100)
def _(n):
    for i in range(n):
        imagenet(f"logs/03-10-13-resnet50-e20-b20-fusion0_rank_{i}", 131)
    return [extract("--batch-size-per-device=8", "--nodes=1",
                    f"--gpus-per-node={n}")]


@row("extract_logs: ranks of a log", 20)
def _(n):
    imagenet("a.log", 30, range(n))
    return [EXTRACT + ["-o", "r.json", *ONE, f"--gpus-per-node={n}", "a.log"]]


@row("extract_logs: steps of a log", 3000)
def _(n):
    log("a.log", steps=n)
    return [EXTRACT + ["-o", "r.json", "--records=x", *ONE, "a.log"]]


@row("extract_logs: lines of text of a log", 3000)
def _(n):
    imagenet("a.log", tail="".join(f"message {i} of {i * 7919 % 1000}\n"
                                   for i in range(n)))
    return [EXTRACT + ["-o", "r.json", *ONE, "a.log"]]


@row("extract_logs: kinds of lines of a log", 200)
def _(n):
    imagenet("a.log", tail="".join(
        f"{word(i)} says {i}\n" * 3 for i in range(n)))
    return [EXTRACT + ["-o", "r.json", *ONE, "a.log"]]


@row("extract_logs: settings of logs", 200)
def _(n):
    for k in range(3):
        options = ", ".join(f"{word(i)}={i + k * (i % 3 == 0)}"
                            for i in range(n))
        imagenet(f"logs/1n1g/m_b4_fp32_{k}.log",
                 head=f"Namespace({options})\n")
    return [extract()]


@row("extract_logs: columns of a CSV", 200)
def _(n):
    with open("a.csv", "w") as f:
        f.write("step,step_time," + ",".join(word(i) for i in range(n)) + "\n")
        for s in range(30):
            f.write(f"{s},0.30{s}," + ",".join(["1"] * n) + "\n")
    return [EXTRACT + ["-o", "r.json", *ONE, "a.csv"]]


@row("extract_logs: a long line", 20000)
def _(n):
    log("a.csv")
    with open("a.csv", "a") as f:
        f.write("Time x=" * n + "\n")
    return [EXTRACT + ["-o", "r.json", *ONE, "a.csv"]]


@row("extract_logs: a key that comes again and again", 3000)
def _(n):
    with open("a.json", "w") as f:
        for i in range(30):
            again = ', "time": 5' * (n if i == 20 else 0)
            f.write(f'{{"iteration": {i}, "time": 0.4{again}, "eta": "{{"}}\n')
    return [EXTRACT + ["-o", "r.json", *ONE, "a.json"]]


@row("extract_logs: attempts that are too short", 200)
def _(n):
    imagenet("logs/1n1g/m_b4_fp32_1.log")
    with open("logs/1n1g/m_b4_fp32_2.log", "w") as f:
        for i in range(25 * n - 1, -1, -25):
            for s in range(i, i + 25):
                f.write(f"Epoch: [0][{s}/{25 * n + 25}]\tTime 0.4{s % 9} "
                        "(0.4)\tData 0.01 (0.01)\tLoss 6.9 (6.9)\n")
    return [[x for x in extract() if x != "--rule=all"]]


# Multiples of a power of two have the same last bits.
@row("extract_logs: distant iterations, the last one twice", 4000)
def _(n):
    with open("a.log", "w") as f:
        for s in [*range(n), n - 1]:
            f.write(f"Epoch: [0][{65536 * s}/{65536 * n}]\tTime 0.4{s % 9} "
                    "(0.4)\tData 0.01 (0.01)\tLoss 6.9 (6.9)\n")
    return [EXTRACT + ["-o", "r.json", *ONE, "a.log"]]


@row("extract_logs: changes of tuning", 2000)
def _(n):
    imagenet("a.log", 4 * n, head="".join(
        f"dlscale: autotune_{'done' if i % 2 else 'again'} step={4 * i}\n"
        for i in range(n)))
    return [EXTRACT + ["-o", "r.json", *ONE, "a.log"]]


@row("extract_logs: tests of a benchmark, and their sizes", 300)
def _(n):
    with open("a.log", "w") as f:
        for i in range(1, n + 1):
            f.write("# Collective test starting: all_reduce_perf\n"
                    f"{8 * i} {2 * i} float sum -1 9.9 0.1 0.1 0 9.9 0.1 0.1 "
                    f"0\n# Avg bus bandwidth    : {i}\n")
    return [EXTRACT + ["-o", "r.json", "--rule=summary", "--nodes=1",
                       "--gpus-per-node=2", "a.log"]]


# Values that the lines of a log state, each of them different.
for name, states, line in (
        ("work", "step s h i=(?<iter>\\d+) (?<step_s>\\d+)s "
         "t=(?<tokens_per_step>\\d+)", "h i={1} 5s t={0}"),
        ("names", "metadata n n=(?<model>\\S+)", "n=m{0}"),
        ("workers", "step w (?<worker>w\\w+) i=(?<iter>\\d+) "
         "(?<step_s>\\d+)s", "w{0} i=1 5s"),
        ("epochs of ranks", "context e epoch (?<epoch>\\d+)",
         "[rank{0}]: epoch 3")):
    @row(f"extract_logs: {name} of a log", 3000)
    def _(n, states=states, line=line):
        os.makedirs("dlscale/formats")
        with open("dlscale/formats/own.format", "w") as f:
            f.write("name own\ndescription own\nkind step-time\n"
                    "step own own i=(?<iter>\\d+) (?<step_s>\\d+)s\n"
                    f"{states}\nsample own i=1 5s\nexpect own\n"
                    f"sample {line.format(1, 1)}\nexpect {states.split()[1]}\n")
        with open("a.log", "w") as f:
            f.write("".join(f"own i={i} 5s\n" for i in range(n))
                    + "".join(line.format(i, i + n) + "\n"
                              for i in range(n)))
        return [EXTRACT + ["-o", "r.json", *ONE, "a.log"]]


@row("extract_logs: rows of --map", 100)
def _(n):
    for i in range(20):
        log(f"logs/a{i}.log", i)
    with open("map.csv", "w") as f:
        f.write("file,nodes,gpus_per_node,batch_size_per_device\n")
        for i in range(n):
            f.write(f"a{i}.log,{i + 1},1,4\n")
    return [extract("--map=map.csv")]


@row("extract_logs: operands", 30)
def _(n):
    for i in range(n):
        log(f"l{i}/1n1g/m_b4_fp32_1.log", i)
    return [EXTRACT + ["-o", "r.json", *(f"x{i}=l{i}" for i in range(n))]]


@row("extract_logs: earlier results", 30)
def _(n):
    for i in range(n):
        write(f"r{i}.json", [case(1, model=f"m{i}")])
    return [EXTRACT + ["-o", "r.json", *(f"r{i}.json" for i in range(n))]]


@row("extract_logs: runs of an earlier result", 1000)
def _(n):
    runs = case(1, 2 * n + 1)
    write("a.json", [runs], inputs=[
        {"path": r["path"], "used": True} for r in runs["runs"]])
    return [EXTRACT + ["-o", "r.json", "a.json"]]


@row("extract_logs: rows of an Nsight export", 500)
def _(n):
    db = sqlite3.connect("a.sqlite")
    db.executescript("""
        CREATE TABLE StringIds (id INT, value TEXT);
        CREATE TABLE NVTX_EVENTS (start INT, end INT, globalTid INT,
            text TEXT, textId INT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT,
            deviceId INT, correlationId INT, shortName INT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT,
            globalTid INT, correlationId INT);""")
    for i in range(n):
        at = i * 1000000
        # A hostile file repeats the ids.
        db.execute("INSERT INTO StringIds VALUES (1, 'step')")
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 1, NULL, 1)",
                   (at, at + 900000))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                   "(?, ?, 0, 1, 1)", (at, at + 500000))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                   "(?, ?, 1, 1)", (at, at + 5000))
    db.commit()
    return [EXTRACT + ["-o", "r.json", *ONE, "a.sqlite"]]


# --- results ------------------------------------------------------------------

def case(nodes, runs=1, model="m", labels=None, flags=None, batch=4, value=100,
         path="", **more):
    """A case of nodes with one GPU each, with slightly different values."""
    values = [value * nodes * 0.9 ** math.log2(nodes) * (1 + k % 7 / 1000)
              for k in range(runs)]
    return {"case": f"{nodes}n1g", "framework": "pytorch", "model": model,
            "precision": "fp32", "batch_size_per_device": batch,
            "nodes": nodes, "gpus_per_node": 1, "gpus": nodes,
            "labels": labels or {}, "unit": "samples/s", "rule": "window",
            "baseline": "1n1g", "n": runs,
            "median_speed": sorted(values)[runs // 2] if runs % 2 else None,
            "runs": [{"run": str(k), "path": f"{path}/{nodes}n1g/{model}_{k}.log",
                      "value": v, "flags": flags(k) if flags else []}
                     for k, v in enumerate(values)], **more}


def write(path, cases, **more):
    rule = {"rule": "window", "skip_iterations": 5, "warmup_batches": 20,
            "train_batches": 120, "epoch": "auto", "aggregate": "time",
            "metric": "throughput", "scaling": "weak"}
    with open(path, "w") as f:
        json.dump({"schema": "dlscale-result/2", "rule": rule, "cases": cases,
                   **more}, f)


def reports(*paths):
    report = ["report_results", "--allow-mixed"]
    return [[*report, "-t", "all", *paths],
            [*report, "--format=csv", "-t", "scaling", *paths],
            [*report, "--html", "-o", "r.html", *paths],
            [*report, "--rows=model", "--columns=nodes", *paths],
            [*report, "--compare", paths[0], paths[-1]]]


def plots(*paths):
    plot = ["plot_results", "-q", "--allow-mixed", "--force"]
    return [[*plot, "--format=gp", "-o", "r.gp", *paths],
            [*plot, "-c", "throughput", "--terminal", *paths],
            [*plot, "--format=gp", "-c", "all", "--output-dir=out", *paths]]


def readers(*paths):
    """All programs that read results."""
    return [*reports(*paths), *plots(*paths), ["predict_scaling", *paths]]


def add_to_history(commit, year, day):
    subprocess.run([bindir + "/report_results", "--history=h.db", "add",
                    "--host=h", f"--commit={commit}", f"--date={year}-{day}",
                    "a.json"], check=True, stdout=subprocess.DEVNULL)


@row("results: runs", 400)
def _(n):
    write("a.json", [case(k, 2 * n + 1) for k in (1, 2, 4)])
    return readers("a.json")


@row("results: runs with flags", 400)
def _(n):
    write("a.json", [case(k, 2 * n + 1, flags=lambda k: [
        f"value {k} is {k % 9 + 1}.5 % off"]) for k in (1, 2)])
    return readers("a.json")


@row("report_results: runs with exact tests", 70, most=1500)
def _(n):
    write("a.json", [case(k, 2 * (n // 2) + 1) for k in (1, 2)])
    return [["report_results", "--compare", "a.json", "a.json"]]


@row("report_results: rows of a table of runs", 200)
def _(n):
    with open("a.csv", "w") as f:
        f.write("case,run,value,unit,seed\n")
        for i in range(n):
            f.write(f"1n{i % 4 + 1}g,{i},{50 + i % 7},samples/s,{i // 40}\n")
    return [["report_results", "a.csv"]]


@row("results: metrics of a run", 100)
def _(n):
    write("a.json", [case(k, 3, metrics={f"m{i}": 1.5 for i in range(n)})
                     for k in (1, 2)])
    return reports("a.json")


@row("results: flags of a run", 100)
def _(n):
    write("a.json", [case(k, 3, flags=lambda k: [
        f"what {chr(97 + i % 26)}{i // 26} is" for i in range(n)])
        for k in (1, 2)])
    return readers("a.json")


@row("results: length of a flag", 2000)
def _(n):
    write("a.json", [case(k, 3, flags=lambda k: ["a word " * n])
                     for k in (1, 2)])
    return readers("a.json")


@row("results: sizes", 30)
def _(n):
    write("a.json", [case(k + 1) for k in range(n)])
    return readers("a.json")


@row("plot_results: series", 12)
def _(n):
    write("a.json", [case(k, 5, model=f"m{i}") for i in range(min(n, 48))
                     for k in (1, 2)])
    return plots("a.json")


@row("results: models", 20)
def _(n):
    write("a.json", [case(k, model=f"m{i}") for i in range(n)
                     for k in (1, 2, 4)])
    return reports("a.json")


@row("results: batch sizes", 60)
def _(n):
    write("a.json", [case(k, batch=i + 1) for i in range(n)
                     for k in (1, 2, 4)])
    return reports("a.json")


@row("results: labels of a case", 12)
def _(n):
    labels = {f"k{i}": str(i) for i in range(n)}
    write("a.json", [case(k, labels=labels) for k in (1, 2, 4)])
    return readers("a.json")


@row("results: values of a label", 60)
def _(n):
    write("a.json", [case(k, labels={"k": str(i)}) for i in range(n)
                     for k in (1, 2)])
    return reports("a.json")


@row("predict_scaling: series", 8)
def _(n):
    write("a.json", [case(k, model=f"m{i}") for i in range(n)
                     for k in (1, 2, 4)])
    write("b.json", [case(k, batch=i + 1) for i in range(n)
                     for k in (1, 2, 4)])
    return [["predict_scaling", "a.json"], ["predict_scaling", "b.json"]]


@row("predict_scaling: targets", 16)
def _(n):
    write("a.json", [case(k) for k in (1, 2, 4)])
    to = ",".join(f"{k + 5}n1g" for k in range(n))
    return [["predict_scaling", "--to=" + to, "a.json"],
            ["predict_scaling", "--to=" + to, "--format=json", "a.json"]]


@row("results: excluded logs", 100)
def _(n):
    write("a.json", [case(k) for k in (1, 2, 4)],
          excluded=[{"path": f"x{i}.log", "reason": "crashed",
                     "message": f"crashed at line {i}: bad"}
                    for i in range(n)])
    return readers("a.json")


@row("results: files", 30)
def _(n):
    paths = [f"a{i}.json" for i in range(n)]
    for i, path in enumerate(paths):
        write(path, [case(k, model=f"m{i}") for k in (1, 2)])
    return [c for c in reports(*paths) if "--compare" not in c]


@row("report_results: commits of a history", 10)
def _(n):
    report = ["report_results", "--history=h.db"]
    for i in range(n):
        write("a.json", [case(1, 3, path=f"c{i}",
                              value=100 + i % 5 + 10 * (2 * i > n))])
        add_to_history(f"c{i}", 2000 + i // 336,
                       f"{i // 28 % 12 + 1:02}-{i % 28 + 1:02}")
    return [[*report, "show"], [*report, "when"]]


@row("report_results: series of a history", 20)
def _(n):
    report = ["report_results", "--history=h.db"]
    for c in range(3):
        write("a.json", [case(1, 3, model=f"m{i}", path=f"c{c}")
                         for i in range(n)])
        add_to_history(f"c{c}", 2026, f"01-0{c + 1}")
    return [[*report, "show"], [*report, "when"]]


@row("report_results: rows of a published table", 100)
def _(n):
    with open("a.md", "w") as f:
        f.write("| node num | gpu num per node | samples/s | speedup |\n"
                "|---|---|---|---|\n")
        for i in range(n):
            f.write(f"| {i + 1} | 1 | {100 * (i + 1)} | {i + 1} |\n")
    return [["report_results", "--check", "a.md"]]


@row("report_results: tables of a page", 30)
def _(n):
    with open("a.md", "w") as f:
        for i in range(n):
            f.write(f"\n## m{i}\n\n| node num | gpu num per node | samples/s |"
                    " speedup |\n|---|---|---|---|\n"
                    "| 1 | 1 | 100 | 1 |\n| 2 | 1 | 190 | 1.9 |\n")
    return [["report_results", "--check", "a.md"]]


@row("report_results: columns of a published table", 20)
def _(n):
    with open("a.md", "w") as f:
        f.write("| node num | gpu num per node | samples/s | speedup |"
                + "".join(f" f{i} |" for i in range(n)) + "\n"
                + "|---" * (n + 4) + "|\n")
        for k in (1, 2, 4):
            f.write(f"| {k} | 1 | {100 * k} | {k} |" + f" {100 * k} |" * n
                    + "\n")
    return [["report_results", "--check", "a.md"]]


@row("report_results: configurations of a document", 300)
def _(n):
    with open("a.md", "w") as f:
        f.write("| GPUs | kind | A |\n|---|---|---|\n")
        for i in range(2 * n):
            f.write(f"| {1 + i // n} | w{i % n} | 5 |\n")
    return [["report_results", "a.md"]]


# A search to the end of the cell from each beginning would be quadratic.
@row("report_results: beginnings of markup in a cell", 1000)
def _(n):
    with open("a.md", "w") as f:
        f.write("| GPUs | samples/s | speedup | note |\n|---|---|---|---|\n"
                "| 1 | 100 | 1 | |\n")
        for piece in ("![", "[", "[x](", "<", "<b", "<sup>1", "![a](", "](",
                      "\\[", "**", "&nbsp;", "`", "[("):
            f.write(f"| 2 | 190 | 1.9 | {piece * n} |\n")
    return [["report_results", "--check", "a.md"]]


@row("report_results: beginnings of LaTeX", 3000)
def _(n):
    table = ("\\begin{tabular}{lll}\nGPUs & samples/s & speedup \\\\\n"
             "1 & 100 & 1 \\\\\n2 & 190 & 1.9 \\\\\n")
    out = []
    for i, piece in enumerate(("{", "\\caption[", "\\caption{", "\\multirow{",
                               "\\multicolumn{2}{", "\\hline{", "\\[")):
        with open(f"{i}.tex", "w") as f:
            f.write(table + "\\end{tabular}\n" + piece * n + table
                    + piece * n)
        out.append(["report_results", "--check", f"{i}.tex"])
    return out


# --- counting -----------------------------------------------------------------

def count(command):
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no",
         "--cachegrind-out-file=/dev/null", f"{bindir}/{command[0]}",
         *command[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, check=False,
        env=dict(os.environ, DLSCALE_CONFINE="off",
                 XDG_CONFIG_HOME=os.getcwd()))
    found = re.findall(r"I +refs: +([\d,]+)", done.stderr)
    if not found:
        sys.exit(f"{command}: not counted:\n{done.stderr}")
    ours = [line for line in done.stderr.splitlines() if line[:1] not in "-="]
    return (sum(int(x.replace(",", "")) for x in found), done.returncode,
            ours[0] if ours else "")


def measure(i):
    """The TAP lines of a row, without numbers: [(is ok, name, comment)]."""
    name, n, make, most = rows[i]
    counts = []
    with tempfile.TemporaryDirectory(prefix="growth-") as tmp:
        for k in (1, 2, 4, 8):
            folder = f"{tmp}/{k}"
            os.mkdir(folder)
            os.chdir(folder)
            commands = make(k * n * times // 2)
            counts.append([count(c) for c in commands])
    out = []
    for i, command in enumerate(commands):
        a, b, c, d = (x[i][0] for x in counts)
        exponent = math.log2(max(d - b, 1) / max(c - a, 1))
        # Growth of less than 2 % per doubling is not counted.
        flat = d - c < 0.02 * a
        bad = [x[i][1:] for x in counts if x[i][1] not in (0, 1)]
        out.append(((exponent <= MOST or flat or d < most * 1e6) and not bad,
                    f"{name}: {' '.join(command)[:70]}",
                    "exponent %.2f, %s million instructions, status %d %s" %
                    (exponent, [round(x / 1e6) for x in (a, b, c, d)],
                     *(bad or [counts[3][i][1:]])[0])))
    return out


def main():
    chosen = [i for i, row in enumerate(rows) if pattern.search(row[0])]
    n = 0
    with concurrent.futures.ProcessPoolExecutor(
            int(os.environ.get("GROWTH_JOBS", 2))) as pool:
        for out in pool.map(measure, chosen):
            for ok, name, comment in out:
                n += 1
                print(f"{'ok' if ok else 'not ok'} {n} - {name}")
                print(f"# {comment[:120]}", flush=True)
    print(f"1..{n}")


if __name__ == "__main__":
    main()
