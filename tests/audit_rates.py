#!/usr/bin/env python3
"""Share of simulated runs that extract_logs flags: clean runs, and disturbed
runs whose speed is over 5 % off (doc/measurement.md, "Rates of the flags").

    python3 tests/audit_rates.py BUILD_DIR [--runs N] [--only TEXT] [--list]

The seeds are fixed.  Every run is a separate log, read by extract_logs itself.
Prints two Markdown tables; --list also prints each run that is off without a
flag, and the flags of clean runs.

A run is off if its step time differs from the true mean by more than 5 %, and
by more than rounding and the noise of its steps explain (1.5 half widths, which
hold 99 %).  The true mean of a disturbed run is that of the steps after the
disturbance, or of all steps if the disturbance recurs.
"""
import argparse
import datetime
import json
import math
import os
import random
import subprocess
import sys
import tempfile

# Flags that describe how a number was made, not a doubt about its value.
NOTES = {"sampled", "sampled-confirmed", "sampled-means", "sampled-plain-means",
         "mean-differences", "record-times", "epochs", "unprinted", "late-start",
         "window-moved"}
# Flags that depend only on the form of the log.
BY_FORM = {"single-record", "rounded"}
BATCH = 64
OFF = 0.05
NOISE_WIDTHS = 1.5
EPOCH = 300  # iterations of an epoch of "later epoch"
START = 1600000000.25


def stamp(seconds, style):
    t = datetime.datetime.fromtimestamp(START + seconds, datetime.timezone.utc)
    return t.strftime(style) + ",%03d" % (t.microsecond // 1000)


def torch(steps, period, epoch):
    out, total, n = ["=> creating model 'resnet50'"], 0, 0
    for i, t in enumerate(steps):
        e, k = divmod(i, epoch)
        if k == 0:
            total = n = 0
        total, n = total + t, n + 1
        if k % period == 0:
            out.append("Epoch: [%d][%4d/%d]\tTime %6.3f (%6.3f)\t"
                       "Data  0.001 ( 0.002)\tLoss 6.9e+00 (7.0e+00)"
                       % (e, k, epoch, t, total / n))
    return out


def mxnet(steps, period, epoch):
    out, total, now = [], 0, 0
    for i, t in enumerate(steps):
        e, k = divmod(i, epoch)
        if k == 0:
            total = 0
        total, now = total + t, now + t
        if (k + 1) % period == 0:
            out.append("%s Node[0] Epoch[%d] Batch [%d-%d]\tSpeed: %.2f "
                       "samples/sec\taccuracy=0.001173"
                       % (stamp(now, "%Y-%m-%d %H:%M:%S"), e, k + 1 - period,
                          k + 1, BATCH * period / total))
            total = 0
    return out


def tqdm(steps, period, epoch):
    out, total = [], 0
    for i, t in enumerate(steps):
        e, k = divmod(i, epoch)
        total = t if k == 0 else total + t
        if (k + 1) % period == 0:
            out.append("Epoch %d: %3d%%|###  | %d/%d [%02d:%02d<11:15, "
                       "%5.2fit/s]" % (e, 100 * (k + 1) // epoch, k + 1, epoch,
                                       total // 60, total % 60, 1 / t))
    return out


def jsonl(steps, period, epoch):
    out, now = [], START
    for i, t in enumerate(steps):
        e, k = divmod(i, epoch)
        now += t
        if k % period == 0:
            out.append(json.dumps({"epoch": e, "step": i, "step_time":
                                   round(t, 5), "timestamp": round(now, 3),
                                   "batch_size": BATCH, "loss": 2.1}))
    return out


def stamps(steps, period, epoch):
    out, now = [], START
    for i, t in enumerate(steps):
        now += t
        if i % period == 0:
            out.append(json.dumps({"step": i, "_runtime": round(now - START, 3),
                                   "batch_size": BATCH, "loss": 2.1}))
    return out


def deepspeed(steps, period, epoch):
    out, total, now = [], 0, 0
    out.append("[2020-09-13 12:26:40,000] [INFO] [config.py:1003:print]   "
               "train_batch_size ............. %d" % BATCH)
    out.append("[2020-09-13 12:26:40,000] [INFO] [config.py:1003:print]   "
               "world_size ................... 1")
    for i, t in enumerate(steps):
        now += t
        total += t if i >= 2 else 0
        if (i + 1) % period == 0 and i >= 2:
            out.append("[%s] [INFO] [timer.py:199:stop] epoch=0/micro_step=%d/"
                       "global_step=%d, RunningAvgSamplesPerSec=%.10f, "
                       "CurrSamplesPerSec=%.10f, MemAllocated=3.96GB"
                       % (stamp(now, "%Y-%m-%d %H:%M:%S"), i + 1, i + 1,
                          BATCH * (i - 1) / total, BATCH / t))
    return out


FORMATS = {"PyTorch example": torch, "MXNet": mxnet, "tqdm": tqdm,
           "JSON, step time": jsonl, "JSON, time": stamps,
           "DeepSpeed": deepspeed}


def noise(r, cv):
    return max(0.1, 1 + cv * r.gauss(0, 1))


def disturbed(kind, r, cv, period, n):
    """Factors of n step times, and the true mean of the steady run."""
    f = [1.0] * n
    steady = 0  # first step that the true mean includes
    if kind == "slow warm-up":
        steady = r.randint(35, 115)
        much = r.uniform(1.2, 3)
        f = [much if i < steady else 1 for i in range(n)]
    elif kind == "throttled in the window":
        steady = r.randint(35, 115)
        much = r.uniform(1.1, 1.6)
        f = [much if i >= steady else 1 for i in range(n)]
    elif kind == "throttled after the window":
        steady = r.randint(130, n // 2)
        much = r.uniform(1.1, 1.6)
        f = [much if i >= steady else 1 for i in range(n)]
    elif kind == "throttled in a later epoch":
        steady = EPOCH * r.randint(1, 2)
        much = r.uniform(1.1, 1.6)
        f = [much if i >= steady else 1 for i in range(n)]
    elif kind == "autotuned":
        steady = r.randint(50, 140)
        for i in range(0, steady, 10):
            much = r.uniform(1, 2.5)
            f[i:min(i + 10, steady)] = [much] * (min(i + 10, steady) - i)
    elif kind in ("stalls, printed", "stalls, unprinted"):
        every = r.choice([10, 20, 50, 100])
        every = max(every, period)
        # At steps printed by formats that count from 0, or halfway between.
        at = 0 if kind == "stalls, printed" else period // 2
        much = r.uniform(2, 2 + every / 2)
        f = [much if i % every == at else 1 for i in range(n)]
    elif kind == "checkpoints":
        every = r.choice([60, 150, 250])
        f = [r.uniform(10, 40) if i % every == every - 1 else 1
             for i in range(n)]
    return f, sum(f[steady:]) / (n - steady)


KINDS = ["slow warm-up", "throttled in the window", "throttled after the window",
         "throttled in a later epoch", "autotuned", "stalls, printed",
         "stalls, unprinted", "checkpoints"]


def extract(build, root, text):
    path = os.path.join(root, "out.json")
    p = subprocess.run([os.path.join(build, "extract_logs"), "-o", path,
                        os.path.join(root, "logs")], capture_output=True,
                       text=True)
    if not os.path.exists(path):
        sys.exit(text + ": " + p.stderr)
    with open(path) as f:
        return json.load(f)


def measure(build, name, period, runs, text):
    """Read the runs, (path, log lines), with extract_logs.  Returns path ->
    (step time, flags, ends of the range of noise and rounding and of the
    interval, both relative to the value, ends of the case's interval), without
    excluded runs."""
    with tempfile.TemporaryDirectory() as root:
        for path, lines in runs:
            full = os.path.join(root, "logs", path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as f:
                f.write(("\r" if name == "tqdm" else "\n").join(lines) + "\n")
        result = extract(build, root, text)
    out = {}
    for case in result["cases"]:
        for run in case["runs"]:
            flags = {x["code"] for x in run["flags"]}
            value = run["value"]
            rounding = run.get("rounding") or {"low": value, "high": value}
            half = run["audit"]["half_width"] or 0
            # With all steps printed, disturbances widen it (batch means).
            noise = NOISE_WIDTHS * half if period > 1 else 0
            ends = [(min(value / rounding["high"], 1 - width),
                     max(value / rounding["low"], 1 + width))
                    for width in (noise, half)]
            out[run["path"].split("logs/")[-1]] = (
                run["step_s"], flags - NOTES, ends[0], ends[1],
                (run["step_s"] * value / case["median_high"],
                 run["step_s"] * value / case["median_low"])
                if len(case["runs"]) == 5 else None)
    return out


def is_off(ratio, ends):
    """ratio: true step time / measured; ends: from measure()"""
    return abs(ratio - 1) > OFF and not ends[0] <= ratio <= ends[1]


def name_of(case, run):
    return "1n1g/m%d_b%d_fp32_%d.log" % (case, BATCH, run)


def clean(args, name, period, cv):
    r = random.Random("clean %s %d %g" % (name, period, cv))
    truth, runs = {}, []
    for case in range(args.runs // 5):
        t = r.uniform(0.1, 0.5)
        for run in range(1, 6):
            path = name_of(case, run)
            steps = [t * noise(r, cv) for _ in range(args.steps)]
            runs.append((path, FORMATS[name](steps, period, args.steps)))
            truth[path] = t
    got = measure(args.build, name, period, runs, "clean " + name)
    counts = [len(truth), 0, 0, 0]
    why = {}
    held = [0, 0, 0, 0]  # runs, intervals that hold, cases, the same
    for path, (step_s, flags, open_ends, ends, of_case) in got.items():
        off = is_off(truth[path] / step_s, open_ends)
        held[0] += 1
        held[1] += ends[0] <= truth[path] / step_s <= ends[1]
        if path.endswith("_1.log") and of_case:
            held[2] += 1
            held[3] += of_case[0] <= truth[path] <= of_case[1]
        doubts = flags - BY_FORM
        counts[1] += off
        counts[2] += off and not flags
        if doubts and not off:
            counts[3] += 1
            for flag in doubts:
                why[flag] = why.get(flag, 0) + 1
    return counts, why, held


def spoiled(args, kind, name, period, cv):
    r = random.Random("%s %s %d %g" % (kind, name, period, cv))
    truth, runs, what = {}, [], {}
    n = 4 * EPOCH if kind == "throttled in a later epoch" else args.steps
    epoch = EPOCH if n != args.steps else n
    for case in range(args.runs):
        t = r.uniform(0.1, 0.5)
        f, mean = disturbed(kind, r, cv, period, n)
        steps = [t * x * noise(r, cv) for x in f]
        path = name_of(case, 1)
        runs.append((path, FORMATS[name](steps, period, epoch)))
        truth[path] = t * mean
    got = measure(args.build, name, period, runs, kind + " " + name)
    off = missed = by_form = 0
    for path, (step_s, flags, ends, _, _) in got.items():
        ratio = truth[path] / step_s
        if not is_off(ratio, ends):
            continue
        off += 1
        by_form += bool(flags) and not flags - BY_FORM
        if not flags:
            missed += 1
            if args.list:
                print("%s, %s, %d: %s %+.1f %%" % (kind, name, period, path,
                                                   100 * (ratio - 1)))
    return off, missed, by_form


def one_slow(args, name, period, cv):
    """Cases of five runs, the last of which is slower."""
    r = random.Random("one slow %s %d %g" % (name, period, cv))
    runs, slow = [], []
    for case in range(args.runs // 5):
        t = r.uniform(0.1, 0.5)
        for run in range(1, 6):
            much = r.uniform(1.06, 1.3) if run == 5 else 1
            steps = [t * much * noise(r, cv) for _ in range(args.steps)]
            runs.append((name_of(case, run),
                         FORMATS[name](steps, period, args.steps)))
        slow.append(name_of(case, 5))
    got = measure(args.build, name, period, runs, "one slow " + name)
    found = [got[path][1] for path in slow]
    return (len(slow), sum(not flags for flags in found),
            sum(bool(flags) and not flags - BY_FORM for flags in found))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--steps", type=int, default=600)
    p.add_argument("--only", default="")
    p.add_argument("--list", action="store_true")
    args = p.parse_args()
    print("| clean runs | period | CV 0.1 % | 1 % | 3 % | 10 % | runs held |"
          " cases held |")
    print("|---|---|---|---|---|---|---|---|")
    for name in FORMATS:
        for period in (1, 10, 50):
            if args.only not in "clean " + name:
                continue
            row, causes, sums = [], {}, [0, 0, 0, 0]
            for cv in (0.001, 0.01, 0.03, 0.1):
                (n, off, quiet, false), why, held = clean(
                    args, name, period, cv)
                if cv >= 0.01:  # below, the digits decide
                    sums = [a + b for a, b in zip(sums, held)]
                row.append("%.1f %%" % (100 * false / n) +
                           (" (%d off, %d unflagged)" % (off, quiet)
                            if off else ""))
                for k, v in why.items():
                    causes[k] = causes.get(k, 0) + v
            row += ["%.1f %%" % (100 * sums[1] / sums[0]),
                    "%.1f %%" % (100 * sums[3] / sums[2])]
            print("| %s | %d | %s |" % (name, period, " | ".join(row)),
                  "" if not args.list else causes, flush=True)
    print("\n| disturbance | " + " | ".join(FORMATS) + " |")
    print("|---|" + "---|" * len(FORMATS))
    for kind in KINDS + ["one slow run of five"]:
        row = []
        for name in FORMATS:
            cells = []
            for period in (1, 10, 50):
                if args.only not in kind + ", " + name:
                    continue
                off = missed = by_form = 0
                for cv in (0.001, 0.01, 0.03, 0.1):
                    a, b, c = (one_slow(args, name, period, cv)
                               if kind == "one slow run of five" else
                               spoiled(args, kind, name, period, cv))
                    off, missed, by_form = off + a, missed + b, by_form + c
                cells.append("%d%s of %d" % (
                    missed, " (%d)" % by_form if by_form else "", off))
            row.append(", ".join(cells))
        if any(row):
            print("| %s | %s |" % (kind, " | ".join(row)), flush=True)


main()
