"""Logs with known true values, through all programs.

    truth.py BINDIR FOLDER TREES SEED

Makes TREES random trees of logs in FOLDER. The step times of each run are drawn
here, with a warm-up of some shape and sometimes a fault; a dialect of a
training program prints them, with its own numbers, means, units and rounding.
Then for each tree:

- extract_logs reads it.  Each figure must be that of the iterations that the
  result names, to within the rounding of what was printed, and must be that of
  the whole window or have a flag; a run may be excluded only if it has a fault,
  and must be if its window is missing.
- a run whose window is not like its steady steps must have a flag; of a log and
  its copy one must count; medians, speedups and efficiencies must be right;
- an earlier result with the rest of the tree must have the same medians, and
  report_results and plot_results must read the result and print its medians.

Some trees are logs of times to train instead, some of which failed.

Prints all errors; exit status 1 if there are any.
"""
import csv
import gzip
import io
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

W0, W1 = 25, 125


class Run:
    """The step times of one run, and what is printed of them."""

    def __init__(self, rng, gpus, batch, n, warm_up, shape, cv):
        self.rng, self.gpus, self.batch = rng, gpus, batch
        self.level = rng.choice([0.04, 0.3, 2.7]) * rng.uniform(0.8, 1.2)
        self.t = [self.level * max(0.2, rng.gauss(1, cv)) * warm_up(k) *
                  shape(k) for k in range(n)]
        self.periodic = shape is SHAPES[0]
        self.slow = 1      # relative time of the last rank
        self.work = None   # of each step, if it varies
        self.fault = None
        self.lines = []

    def mean(self, first, end):
        """mean over the ranks of the steps at positions first to end - 1"""
        return math.fsum(self.t[first:end]) / (end - first) * self.factor()

    def factor(self):
        """mean over the ranks of their relative times"""
        if self.slow == 1:
            return 1
        return (self.options["ranks"] - 1 + self.slow) / self.options["ranks"]

    def steady(self):
        """True if the window is like most of the steps or if it is unclear: few
        lines, unequal work, or means over periodic checkpoints."""
        apart = max(self.options["window"], self.options["every"])
        if len(self.t) < 20 * apart or self.work or \
                (self.periodic and (self.options["window"] >= 5 or
                                    self.printed == "last 20")):
            return True
        usual = statistics.median(self.t[W0:])
        return abs(math.fsum(self.t[W0:W1]) / len(self.t[W0:W1]) / usual -
                   1) < 0.08


WARM_UPS = [
    lambda k: 1,
    lambda k: 8 if k == 0 else 1,
    lambda k: 1 + 3 * math.exp(-k / 4),
    lambda k: 2 if k < 15 else 1,
    lambda k: 3 if k < 45 else 1,       # reaches into the window
]


SHAPES = [
    lambda k: 11 if k % 50 == 49 else 1,           # checkpoints
    lambda k: 1.25 if k >= 300 else 1,             # throttled after the window
    lambda k: 1.25 if k >= 75 else 1,              # throttled inside the window
    lambda k: 1 + 0.2 * min(1, max(0, (k - 25) / 100)),
    lambda k: 3 if 60 <= k < 75 else 1,            # warm-up after a resume
]


def imagenet(run, o):
    """PyTorch's ImageNet example: instants, running mean, unnamed ranks"""
    base, out, sums = o["base"], [], 0
    for k, t in enumerate(run.t):
        sums += t
        if k % o["every"] == 0:
            for rank in range(o["ranks"]):
                f = run.slow if rank == o["ranks"] - 1 else 1
                out.append((k, "%sEpoch: [0][%4d/%d]\tTime %6.3f (%6.3f)\t"
                            "Data  0.000 ( 0.001)\tLoss 6.9e+00 (7.0e+00)\t"
                            "Acc@1   0.39 (  0.12)\tAcc@5   1.17 (  0.61)" %
                            ("[1,%d]<stdout>:" % rank if o["named"] else "",
                             k + base, len(run.t), t * f,
                             sums * f / (k + 1))))
    run.unit, run.base, run.printed = 0.0005, base, "instant"
    return out


def dllogger(run, o):
    """DLLogger's ResNet-50: rates, numbered from 1 by the format"""
    base, out = o["base"], []
    for k, t in enumerate(run.t):
        if k % o["every"] == 0:
            out.append((k, "DLL 2023-08-04 05:48:00.67 - Epoch: 0 Iteration: %d"
                        "  train.loss : 9.4 None train.compute_ips : 1.0 "
                        "images/s train.total_ips : %.2f images/s train.lr : "
                        "0.1" % (k + base, run.batch * run.gpus / t)))
    run.unit, run.base, run.printed = 0.005, base, "rate"
    return out


def speedometer(run, o):
    """MXNet: rates as means over a window whose bounds are printed"""
    every, out = o["window"], []
    for k in range(every, len(run.t) + 1, every):
        t = run.mean(k - every, k)
        out.append((k - 1, "INFO:root:Epoch[0] Batch [%d-%d]\tSpeed: %.2f "
                    "samples/sec\taccuracy=0.1" %
                    (k - every, k, run.batch * run.gpus / t)))
    run.unit, run.base, run.printed = 0.005, 0, "bounds"
    return out


def megatron(run, o):
    """Megatron: a mean since the previous line, in milliseconds"""
    every, out = o["window"], []
    for k in range(every, len(run.t) + 1, every):
        t = run.mean(k - every, k)
        out.append((k - 1, " iteration %8d/ %8d | elapsed time per iteration "
                    "(ms): %.1f | learning rate: 3.8E-05 | global batch size: "
                    "%d | lm loss: 1.1E+01 | loss scale: 32768.0 |" %
                    (k, len(run.t), t * 1000, run.batch * run.gpus)))
    run.unit, run.base, run.printed = 0.00005, 1, "mean"
    return out


def nanogpt(run, o):
    """modded-nanogpt: the time since the start, in milliseconds"""
    out, sums = [], 0
    for k, t in enumerate(run.t):
        sums += t
        out.append((k, "step:%d/%d train_loss:5.7 train_time:%.0fms "
                    "step_avg:%.2fms" % (k + 1, len(run.t), sums * 1000,
                                         sums * 1000 / (k + 1))))
    run.unit, run.base, run.printed = 0.0005 * 2, 1, "elapsed"
    return out


def vissl(run, o):
    """VISSL: only a stamp to the millisecond, in local time"""
    out, now = [], 18 * 3600 + o["minute"] * 60.0
    for k, t in enumerate(run.t):
        now += t
        s = now + (3600 if run.fault == "hour" and k > 60 else 0)
        s += 10 * run.level * 10 if run.fault == "jump" and k > 60 else 0
        day, s = divmod(s, 86400)
        out.append((k, "INFO 2021-12-%02d %02d:%02d:%02d,%03d log_hooks.py: "
                    "277: Rank: 0; [ep: 0] iter: %d; lr: 0.7; loss: 2.9; "
                    "btime(ms): 192; eta: 0:00:08; peak_mem(M): 4176;" %
                    (2 + day, s // 3600, s // 60 % 60, int(s % 60),
                     int(s * 1000 % 1000), k + 1)))
    run.unit, run.base, run.printed = 0.001, 1, "stamp"
    return out


def torchvision(run, o):
    """torchvision's references: overlapping means of the last 20 steps"""
    out = []
    for k in range(0, len(run.t), o["every"]):
        out.append((k, "Epoch: [0]  [%4d/%d]  eta: 0:31:07  lr: 0.100000  "
                    "img/s: 7.4  loss: 6.9712 (7.0419)  acc1: 0.0 (0.1)  "
                    "acc5: 0.7 (0.6)  time: %.4f  data: 0.0002  max mem: 3107"
                    % (k, len(run.t), run.mean(max(0, k - 19), k + 1))))
    run.unit, run.base, run.printed = 0.00005, 0, "last 20"
    return out


def benchmarks(run, o):
    """tf_cnn_benchmarks: the figure of the whole run at its end"""
    rate = run.batch * run.gpus / run.mean(0, len(run.t))
    out = [(k, "%d\timages/sec: %.1f +/- 1.6 (jitter = 3.4)\t7.836" %
            (k + 1, run.batch * run.gpus / run.mean(0, k + 1)))
           for k in range(9, len(run.t), 10)]
    out.append((len(run.t) - 1, "-" * 40))
    out.append((len(run.t) - 1, "total images/sec: %.2f" % rate))
    run.unit, run.base, run.printed = 0.005, 1, "summary"
    return out


def transformer(run, o):
    """NVIDIA's Transformer: tokens/s since the previous line, and the tokens of
    a step, which vary with the length of the sentences"""
    every, out = o["window"], []
    run.work = [run.rng.choice([400, 900, 1600]) * run.gpus for _ in run.t]
    for k in range(every, len(run.t) + 1, every):
        work = math.fsum(run.work[k - every:k])
        out.append((k - 1, "Transformer | epoch 0 | step %d |avg loss 15.126 "
                    "|avg tokens %.3f |tokens/s %.3f |walltime 18.019 |" %
                    (k, work / every,
                     work / math.fsum(run.t[k - every:k]))))
    run.unit, run.base, run.printed = 0.0005, 1, "tokens"
    return out


def gnmt(run, o):
    """NVIDIA's GNMT: tokens/s of each rank, and their plain mean"""
    out, sums = [], 0
    run.work = [100000 * run.gpus for _ in run.t]
    for k, t in enumerate(run.t):
        sums += 100000 / t
        if k % o["every"] == 0:
            for rank in range(o["ranks"]):
                out.append((k, "%d: TRAIN [0][%d/%d]\tTime %.3f (%.3f)\tData "
                            "1.04e-04 (2.19e-02)\tTok/s %.0f (%.0f)\tLoss/tok "
                            "9.7101 (10.0375)\tLR 3.714e-05" %
                            (rank, k, len(run.t), t, t, 100000 / t,
                             sums / (k + 1))))
    run.unit, run.base, run.printed = 0.5, 0, "share"
    return out


def detectron(run, o):
    """Detectron2: the mean since the start"""
    every, out = o["window"], []
    for k in range(every, len(run.t) + 1, every):
        out.append((k - 1, "[11/01 11:23:38 d2.utils.events]: eta: 8:08:27  "
                    "iter: %d  total_loss: 1.294  loss_cls: 0.831  "
                    "time: %.4f  data_time: 0.0338  lr: 0.006494  "
                    "max_mem: 3961M" % (k - 1, run.mean(0, k))))
    run.unit, run.base, run.printed = 0.00005, 0, "since start"
    return out


DIALECTS = [imagenet, imagenet, dllogger, speedometer, megatron, nanogpt, vissl,
            torchvision, benchmarks, transformer, gnmt, detectron]
WINDOWS = [speedometer, megatron, transformer, detectron]
OF_TOKENS = ("tokens", "share")  # their lines do not give the time of a step


# --- Faults: each returns the lines that are left -----------------------------

def torn(run, lines):
    """a line that another process interrupted"""
    i = run.rng.randrange(len(lines))
    k, text = lines[i]
    return lines[:i] + [(k, text[:len(text) // 3])] + lines[i + 1:]


def few_lost(run, lines):
    i = run.rng.randrange(len(lines))
    return lines[:i] + lines[i + 1:]


def many_lost(run, lines):
    gone = run.rng.choice([40, 60, 80])
    first = run.rng.randrange(20, 60)
    return [x for x in lines if not first <= x[0] < first + gone]


def cut(run, lines):
    """the end of the file is missing"""
    return lines[:run.rng.randrange(1, len(lines) + 1)]


def late(run, lines):
    """the start of the file is missing"""
    return lines[run.rng.randrange(len(lines)):]


def again(run, lines):
    """an earlier attempt, which was slower and failed"""
    died = run.rng.randrange(1, len(lines) + 1)
    return [(k, slower(text)) for k, text in lines[:died]] + lines


def slower(text):
    """the same line of a slower run: same positions, other times and rates"""
    def double(match):
        rate = match.group(1) in ("total_ips : ", "Speed: ", "tokens/s ",
                                  "Tok/s ")
        digits = len(match.group(2).partition(".")[2])
        return "%s%.*f" % (match.group(1), digits,
                           float(match.group(2)) * (0.5 if rate else 2))

    return re.sub(r"(Time +|total_ips : |Speed: |\(ms\): | time: |train_time:|"
                  r"tokens/s |Tok/s )"
                  r"([\d.]+)", double, text)


def garbage(run, lines):
    noise = ["WARNING: clock skew detected", "", "[rank0]: NCCL INFO ok",
             "  %s" % ("=" * 70), "\x1b[32mepoch done\x1b[0m"]
    out = []
    for x in lines:
        out.append(x)
        if run.rng.random() < 0.1:
            out.append((x[0], run.rng.choice(noise)))
    return out


FAULTS = {f.__name__: f for f in
          [torn, few_lost, many_lost, cut, late, again, garbage]}
HARMLESS = {None, "garbage", "crlf", "packed", "copied"}


def make_run(rng, gpus, batch, dialect):
    n = rng.choice([126, 131, 160, 240, 600]) if rng.random() < 0.85 \
        else rng.randrange(20, 126)
    shape = rng.choice(SHAPES) if rng.random() < 0.3 else lambda k: 1
    run = Run(rng, gpus, batch, n, rng.choice(WARM_UPS), shape,
              rng.choice([0, 0.01, 0.05]))
    if rng.random() < 0.1:
        run.t[rng.randrange(n)] *= rng.choice([4, 30, 500])
    faults = [None] * 8 + list(FAULTS) + ["crlf", "packed", "copied"]
    if dialect is vissl:
        faults += ["hour", "jump"] * 3
        faults.remove("again")  # its stamps would be the same
    run.fault = rng.choice(faults)
    options = {"base": rng.randrange(2), "every": rng.choice([1, 1, 1, 5, 10]),
               "ranks": rng.choice([1, 1, gpus]), "named": rng.randrange(2),
               "window": rng.choice([1, 5, 10, 20, 25]),
               "minute": rng.randrange(360)}
    run.options = options
    if dialect not in WINDOWS:
        options["window"] = 1
    if dialect is imagenet and options["ranks"] > 1 and rng.random() < 0.2:
        run.slow = 2
    lines = dialect(run, options)
    if run.fault in FAULTS:
        lines = FAULTS[run.fault](run, lines)
    end = "\r\n" if run.fault == "crlf" else "\n"
    run.dialect = dialect.__name__
    run.text = "".join(text + end for _, text in lines)
    run.lines = lines
    return run


def make_tree(rng, root):
    """path -> run"""
    runs = {}
    batch = rng.choice([1, 32, 256])
    dialect = rng.choice(DIALECTS)
    for nodes, per_node in rng.sample([(1, 1), (1, 2), (1, 8), (4, 8)],
                                      rng.randrange(1, 4)):
        folder = "%dn%dg" % (nodes, per_node)
        os.makedirs(os.path.join(root, folder))
        for number in range(1, rng.randrange(2, 5)):
            run = make_run(rng, nodes * per_node, batch, dialect)
            path = "%s/net_b%d_fp32_%d.log" % (folder, batch, number)
            data = run.text.encode()
            if run.fault == "packed":
                path += ".gz"
                data = gzip.compress(data)
            for name in [path] + [path + ".bak"] * (run.fault == "copied"):
                with open(os.path.join(root, name), "wb") as f:
                    f.write(data)
            runs[path] = run
    return runs


# --- What must hold -----------------------------------------------------------

def figure_of(run, metric, first, end):
    """the figure of the steps at positions first to end - 1"""
    step = run.mean(first, end)
    if metric == "step-time":
        return step
    if run.work is not None:
        return math.fsum(run.work[first:end]) / math.fsum(run.t[first:end])
    if run.dialect == "nanogpt":
        return 1 / step  # iterations/s
    return run.batch * run.gpus / step


def span_of(run, got):
    """the positions that the result names, from and to"""
    first, last = got["first_iteration"], got["last_iteration"]
    if run.printed == "bounds":
        return first, last
    if run.printed in ("elapsed", "stamp"):
        return first - run.base + 1, last - run.base + 1
    return first - run.base, last - run.base + 1


def tolerance(run, got, first, end):
    """the relative error that the printed digits allow"""
    step = run.mean(first, end)
    if run.printed in ("rate", "bounds", "summary"):
        return run.unit / (run.batch * run.gpus / max(run.t[first:end])) + 1e-9
    if run.printed == "share":
        return run.unit / (100000 / max(run.t[first:end])) + 1e-9
    if run.printed == "tokens":
        return run.unit / min(w / t for w, t in zip(run.work, run.t)) + 1e-6
    if run.printed == "since start" or \
            any("running means" in f["text"] for f in got["flags"]):
        return run.unit * (first + end) / (end - first) / step + 1e-9
    if run.printed in ("elapsed", "stamp"):
        return 2 * run.unit / ((end - first) * step) + 1e-9
    return run.unit / step + 1e-9


def check_figure(run, metric, got):
    """What is wrong with a figure, or None."""
    if run.printed == "summary":
        want = figure_of(run, "throughput", 0, len(run.t))
        close = 0.005 / want + 1e-9
        off = abs(got["value"] / figure_of(run, metric, 0, len(run.t)) - 1)
        return None if off < close else \
            "is off by %.3g of %.6g" % (off, want)
    first, end = span_of(run, got)
    # Without its first line a log does not show whether it counts from 0.
    short = [f["args"] for f in got["flags"] if f["code"] == "short-log"]
    start = min(W0, short[0]["from"]) if short else W0
    if not start <= first < end <= W1 + (run.fault == "late"):
        return "stands on %d to %d" % (first, end)
    off = abs(got["value"] / figure_of(run, metric, first, end) - 1)
    exact = off <= tolerance(run, got, first, end)
    if short and off > 0.02 * short[0].get("percent", math.inf) + \
            tolerance(run, got, first, end):
        return "is off by %.3g, of a short log" % off
    if not exact and not got["flags"]:
        return "is off by %.3g of its own iterations without a flag" % off
    off = abs(got["value"] /
              figure_of(run, metric, start, min(W1, len(run.t))) - 1)
    if not got["flags"] and not run.steady() and run.fault != "many_lost":
        return "is not of steady steps and has no flag"
    if run.slow > 1 and not any("ranks" in f["text"] for f in got["flags"]):
        return "does not say that a rank is slow"
    if off > 0.01 + tolerance(run, got, first, end) and not got["flags"] and \
            end - first > 0.99 * (W1 - W0):
        return "is off by %.3g of the window without a flag" % off
    if run.fault == "many_lost" and run.printed in ("elapsed", "stamp"):
        return None  # the time between two lines is still right
    if run.fault in ("jump", "many_lost") and not got["flags"]:
        return "has no flag after %s" % run.fault
    if run.fault == "hour" and not any("hour" in f["text"] for f in got["flags"]):
        return "does not say that its clock was set"
    return None


def may_be_left_out(run, message):
    if run.printed == "share" and "1 rank" in message:
        return True
    if run.fault not in HARMLESS or run.printed == "summary":
        return True
    if len(run.t) < W1:
        return True
    # No record fits, or records cover less than 90 % of the window.
    return run.options["window"] > 1 or run.options["every"] > 1


def original(path):
    """the path of the log, for its copy as well"""
    path = path.split(":")[0]
    return path[:-4] if path.endswith(".bak") else path


def run_command(command, wrong, output=False):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        wrong.append("%s: status %d: %s" % (" ".join(command), done.returncode,
                                            done.stderr.strip()))
    return done.stdout if output else done.returncode


def check_cases(got, metric, runs, wrong):
    """Medians must be those of the runs, speedups those of the medians."""
    def close(a, b):
        return a is not None and abs(a / b - 1) < 1e-12

    by_name = {c["case"]: c for c in got["cases"]}
    for c in got["cases"]:
        values = [r["value"] for r in c["runs"]]
        what = "case %s" % c["case"]
        if c["n"] != len(values) or \
                not close(c["median_speed"], statistics.median(values)):
            wrong.append(what + ": %s is not the median" % c["median_speed"])
        if len(values) > 1 and not close(
                c["median_level"], 1 - 2 * 0.5 ** len(values)):
            wrong.append(what + ": level %s" % c["median_level"])
        if len(got["cases"]) == 1:
            if c["speedup"] is not None or c["efficiency"] is not None:
                wrong.append(what + ": a speedup over itself")
            continue
        base = by_name.get(c["baseline"])
        if base is None or len(by_name) != len(got["cases"]):
            wrong.append(what + ": has no baseline")
            continue
        # Medians of work per second; for even n those of times differ.
        timed = metric == "step-time"
        ratio, other = (statistics.median(
            1 / r["value"] if timed else r["value"] for r in x["runs"])
            for x in (c, base))
        ratio /= other
        if timed or runs[original(c["runs"][0]["path"])].dialect == "nanogpt":
            ratio *= c["gpus"] / base["gpus"]
        if not close(c["speedup"], ratio) or \
                not close(c["efficiency"], ratio * base["gpus"] / c["gpus"]):
            wrong.append(what + ": speedup %s, efficiency %s, should be %s" % (
                c["speedup"], c["efficiency"], ratio))


def check_copies(got, wrong):
    used = [r["path"] for c in got["cases"] for r in c["runs"]]
    for path in used:
        if path + ".bak" in used:
            wrong.append("%s: its copy counts" % path)


def medians_of(path):
    with open(path) as f:
        return {c["case"]: c["median_speed"] for c in json.load(f)["cases"]}


def check_readers(bindir, extract, root, result, work, wrong):
    """Read the result again by all programs."""
    printed = run_command([os.path.join(bindir, "report_results"), "--format=csv",
                        result], wrong, output=True)
    rows = {r["case"]: float(r["median"])
            for r in csv.DictReader(io.StringIO(printed))}
    if rows != medians_of(result):
        wrong.append("report_results prints %s" % rows)
    for command in (["report_results", result],
                    ["plot_results", "--format=gp", "-o",
                     os.path.join(work, "plot"), result]):
        command[0] = os.path.join(bindir, command[0])
        run_command(command, wrong)
    folders = sorted(os.listdir(root))
    old, all_of_it = (os.path.join(work, n) for n in ("old.json", "all.json"))
    first = [os.path.join(root, folders[0])]
    rest = [os.path.join(root, f) for f in folders[1:]]
    if not rest or run_command(extract + ["-o", old] + first, wrong) != 0:
        return
    if run_command(extract + ["-o", all_of_it, old] + rest, wrong) == 0 and \
            medians_of(all_of_it) != medians_of(result):
        wrong.append("an earlier result and the rest have the medians %s" %
                     medians_of(all_of_it))


def choose_options(rng, runs):
    """Options of this tree, and the metric."""
    any_run = next(iter(runs.values()))
    if any_run.printed not in OF_TOKENS and rng.random() < 0.2:
        return ["--metric=step-time"], "step-time"
    if any_run.printed in ("rate", "bounds", "summary") and rng.random() < 0.3:
        return ["--unit=samples/s"], "throughput"
    return [], "throughput"


def check_tree(bindir, root, runs, work, rng):
    wrong = []
    result = os.path.join(work, "r.json")
    options, metric = choose_options(rng, runs)
    extract = [os.path.join(bindir, "extract_logs"), "-q"] + options
    if run_command(extract + ["-o", result, root], wrong) != 0:
        return wrong + [
            "%s: nothing is usable" % p for p, r in runs.items()
            if not may_be_left_out(r, "")], {}
    with open(result) as f:
        got = json.load(f)
    seen = {}
    for case in got["cases"]:
        for r in case["runs"]:
            path = original(r["path"])
            seen[path] = r
            fault = check_figure(runs[path], metric, r)
            if fault:
                wrong.append("%s (%s, %s): %.6g %s; flags %s" % (
                    path, runs[path].dialect, runs[path].fault, r["value"],
                    fault, r["flags"]))
    for x in got["excluded"]:
        path = original(x["path"])
        if x["reason"] == "copy":
            continue
        seen[path] = x
        if not may_be_left_out(runs[path], x["why"]["text"]):
            wrong.append("%s (%s): excluded: %s" % (
                path, runs[path].dialect, x["why"]["text"]))
    for path in runs:
        if path not in seen:
            wrong.append("%s: neither counted nor excluded" % path)
    check_cases(got, metric, runs, wrong)
    check_copies(got, wrong)
    check_readers(bindir, extract, root, result, work, wrong)
    return wrong, seen


# --- Times to train -----------------------------------------------------------

def make_training(rng, root):
    """Minutes of each run by its path; None if it failed"""
    runs = {}
    os.makedirs(os.path.join(root, "1n8g"))
    for number in range(1, rng.randrange(4, 9)):
        minutes = rng.uniform(20, 24)
        start = 1592947508859
        failed = rng.random() < 0.15
        path = "1n8g/resnet_b32_fp16_%d.log" % number
        with open(os.path.join(root, path), "w") as f:
            for key, at, more in (("run_start", 0, ""),
                                  ("run_stop", minutes * 60000,
                                   ', "status": "%s"' %
                                   ("aborted" if failed else "success"))):
                f.write(':::MLLOG {"namespace": "", "time_ms": %d, '
                        '"event_type": "INTERVAL", "key": "%s", "value": null, '
                        '"metadata": {"file": "t.py", "lineno": 1%s}}\n' %
                        (start + round(at), key, more))
        runs[path] = None if failed else minutes
    return runs


def check_training(bindir, root, runs, work):
    wrong = []
    result = os.path.join(work, "r.json")
    good = sorted(v for v in runs.values() if v is not None)
    failed = len(runs) - len(good)
    status = run_command([os.path.join(bindir, "extract_logs"), "-q",
                          "--metric=time-to-train", "-o", result, root], wrong)
    if not good:
        return wrong + ["all failed, and it counts"] * (status == 0), {}
    if status != 0:
        return wrong + ["nothing is usable"], {}
    with open(result) as f:
        got = json.load(f)
    case, = got["cases"]
    flags = " ".join(f["text"] for r in case["runs"] for f in r["flags"])

    def is_off(key, want):
        return case[key] is None or abs(case[key] / want - 1) > 1e-5

    if len(case["runs"]) != len(good) or len(got["excluded"]) != failed:
        wrong.append("%d runs count" % len(case["runs"]))
    if failed == 0 or (failed == 1 and len(good) >= 2):
        # A failed run is the slowest of all.
        times = good + [math.inf] * failed
        if is_off("median_speed", statistics.median(times)):
            wrong.append("median %s of %s" % (case["median_speed"], times))
        if len(times) >= 3 and is_off(
                "olympic_speed", statistics.mean(times[1:-1])):
            wrong.append("olympic %s of %s" % (case["olympic_speed"], times))
    if failed == 1 and len(good) >= 2 and (
            case["median_high"] is not None or "slowest" not in flags):
        wrong.append("the failed run is not the slowest: %s" % flags)
    if failed > 1 and "no valid time to train" not in flags:
        wrong.append("%d failed: %s" % (failed, flags))
    run_command([os.path.join(bindir, "report_results"), result], wrong)
    return wrong, {r["path"]: r for r in case["runs"] + got["excluded"]}


def main():
    bindir, folder, trees, seed = sys.argv[1:]
    bad = figures = left_out = flagged = 0
    for i in range(int(trees)):
        rng = random.Random("%s-%d" % (seed, i))
        root = os.path.join(folder, "tree")
        work = os.path.join(folder, "work")
        for d in (root, work):
            shutil.rmtree(d, ignore_errors=True)
            os.makedirs(d)
        if rng.random() < 0.05:
            wrong, seen = check_training(
                bindir, root, make_training(rng, root), work)
        else:
            wrong, seen = check_tree(
                bindir, root, make_tree(rng, root), work, rng)
        for x in seen.values():
            figures += "value" in x
            left_out += "value" not in x
            flagged += bool(x.get("flags"))
        for text in wrong:
            print("tree %d: %s" % (i, text))
        bad += bool(wrong)
        if wrong:
            kept = os.path.join(folder, "tree%d" % i)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(root, kept)
    print("%s trees, %d figures (%d with flags), %d excluded: %d trees are "
          "wrong" % (trees, figures, flagged, left_out, bad))
    return 1 if bad or figures < int(trees) else 0


if __name__ == "__main__":
    sys.exit(main())
