"""A second, independent implementation of the arithmetic of
doc/measurement.md for logs of PyTorch's ImageNet example.

    measure.py ROOT RESULT.json

Reads every ROOT/NnMg/MODEL_bBATCH_PRECISION_RUN.log, computes what
extract_logs must find under its default options, compares with the result and
prints file -> expected -> got.  Exit status 1 if anything differs.
"""
import bisect
import glob
import itertools
import json
import math
import os
import re
import statistics
import sys

SKIP, WARMUP, TRAIN, CONFIDENCE = 5, 20, 120, 0.95
LINE = re.compile(rb"Epoch: \[(\d+)\]\[ *(\d+)/\d+\]\s+Time +([\d.]+) \(")


def steps_of(path):
    """position -> times of the ranks, in the first epoch"""
    found = [(int(e), int(i), float(t)) for e, i, t in
             LINE.findall(open(path, "rb").read())]
    epoch = found[0][0]
    found = [(i, t) for e, i, t in found if e == epoch]
    base = 0 if any(i == 0 for i, _ in found) else 1
    steps = {}
    for i, t in found:
        steps.setdefault(i - base, []).append(t)
    return steps, base


def quantile(x, p):
    x = sorted(x)
    h = (len(x) - 1) * p
    low = math.floor(h)
    high = min(low + 1, len(x) - 1)
    return x[low] + (h - low) * (x[high] - x[low])


def audit(steps):
    k = sorted(steps)
    y = [math.fsum(steps[i]) / len(steps[i]) for i in k]
    late = y[len(y) // 2:]
    target = statistics.median(late)
    spread = 1.4826 * statistics.median(abs(v - target) for v in late)
    tolerance = max(0.05 * target, 4.5 * 1.2533 * spread / math.sqrt(20))
    blocks = [abs(statistics.median(y[i:i + 20]) - target) <= tolerance
              for i in range(len(y) - 19)]
    first = None
    for i in range(len(blocks) - 1, -1, -1):
        if not blocks[i]:
            break
        first = i
    settled = None
    if first is not None:
        for _ in range(10 if first > 0 else 0):
            if abs(y[first] - target) <= max(0.05 * target, 3 * spread):
                break
            first += 1
        settled = k[first]
    inside = range(k.index(SKIP + WARMUP), k.index(SKIP + TRAIN - 1) + 1)
    own = [y[i] for i in inside]
    middle = statistics.median(own)
    slopes = [(y[j] - y[i]) / (k[j] - k[i])
              for i, j in itertools.combinations(inside, 2)]
    batches = [statistics.mean(own[i:i + 20]) for i in range(0, 100, 20)]
    rest = y[inside[0]:]
    apart = [(max(t) - math.fsum(t) / len(t)) / (math.fsum(t) / len(t))
              for t in steps.values() if len(t) > 1]
    return {
        "settled_at": settled,
        "drift": statistics.median(slopes) * (TRAIN - WARMUP) / middle,
        "stall_share": math.fsum(v for v in own if v > 2 * middle) /
        math.fsum(own),
        "half_width": 2.776445 * statistics.stdev(batches) /
        math.sqrt(5) / statistics.mean(own),
        "window_off": statistics.mean(own) / statistics.mean(rest) - 1,
        "imbalance": math.fsum(apart) / len(apart) if apart else None,
        "p5": quantile(y, 0.05), "p50": quantile(y, 0.5),
        "p95": quantile(y, 0.95), "max": max(y),
        "cv": statistics.stdev(y) / statistics.mean(y),
    }


def run_of(path):
    folder, name = path.split("/")[-2:]
    nodes, gpus = map(int, re.fullmatch(r"(\d+)n(\d+)g", folder).groups())
    batch = int(re.search(r"_b(\d+)_", name).group(1))
    steps, base = steps_of(path)
    window = range(SKIP + WARMUP, SKIP + TRAIN)
    times = [math.fsum(steps[k]) / len(steps[k]) for k in window]
    step = math.fsum(times) / len(times)
    return {
        "value": batch * nodes * gpus / step, "step_s": step,
        "iterations": len(times),
        "first_iteration": window[0] + base,
        "last_iteration": window[-1] + base,
        "ranks_seen": max(len(steps[k]) for k in window),
        "audit": audit(steps),
    }


def median_interval(x):
    x, n = sorted(x), len(x)
    if n == 1:
        return None, None, None

    def level(k):
        return 1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n

    k = max([k for k in range(1, n // 2 + 1) if level(k) >= CONFIDENCE],
            default=1)
    return x[k - 1], x[n - k], level(k)


def ratio_interval(a, b):
    """Quotients, and the Mann-Whitney distribution by counting all orders."""
    m, n = len(a), len(b)
    if m * n == 1:
        return None, None, None
    u = sorted(sum(1 for i, place in enumerate(c) for _ in range(place - i))
               for c in itertools.combinations(range(m + n), m))
    d = sorted(x / y for x in a for y in b)

    def level(c):
        return 1 - 2 * bisect.bisect_right(u, c - 1) / len(u)

    c = max([c for c in range(1, m * n // 2 + 1) if level(c) >= CONFIDENCE],
            default=1)
    return d[c - 1], d[m * n - c], level(c)


class Compare:
    def __init__(self):
        self.bad = self.n = 0

    def __call__(self, where, key, want, got):
        if want is None or got is None:
            same = want is None and got is None
        else:
            same = math.isclose(want, got, rel_tol=1e-11, abs_tol=1e-15)
        self.n += 1
        if not same:
            self.bad += 1
            print(f"{where}: {key}: expected {want} got {got}")


def main():
    root, result = sys.argv[1], json.load(open(sys.argv[2]))
    compare = Compare()
    runs = {}
    for path in glob.glob(os.path.join(root, "*", "*_b*_*_*.log")):
        shown = "/".join(path.split("/")[-2:])
        runs[shown] = run_of(path)
    seen = set()
    cases = {}
    for c in result["cases"]:
        values = []
        for r in c["runs"]:
            want = runs[r["path"]]
            seen.add(r["path"])
            values.append(want["value"])
            for key, value in want.items():
                if key != "audit":
                    compare(r["path"], key, value, r[key])
            for key, value in want["audit"].items():
                compare(r["path"], key, value, r["audit"][key])
            print(f"{r['path']} -> {want['value']:.6f} -> {r['value']:.6f}")
        cases[c["case"]] = values
        compare(c["case"], "n", len(values), c["n"])
        compare(c["case"], "median", statistics.median(values),
                c["median_speed"])
        compare(c["case"], "average", math.fsum(values) / len(values),
                c["average_speed"])
        for key, want in zip(("median_low", "median_high", "median_level"),
                             median_interval(values)):
            compare(c["case"], key, want, c[key])
    for c in result["cases"]:
        base, values = cases["1n1g"], cases[c["case"]]
        speedup = statistics.median(values) / statistics.median(base)
        compare(c["case"], "speedup", speedup, c["speedup"])
        compare(c["case"], "efficiency", speedup / c["gpus"],
                c["efficiency"])
        want = (None, None, None)
        if c["case"] != "1n1g":
            want = ratio_interval(values, base)
        for key, value in zip(
                ("speedup_low", "speedup_high", "speedup_level"), want):
            compare(c["case"], key, value, c[key])
        print(f"{c['case']} -> {speedup:.6f} -> {c['speedup']:.6f}")
    if seen != set(runs):
        print("not in the result:", sorted(set(runs) - seen))
        compare.bad += 1
    print(f"{compare.n} numbers compared, {compare.bad} differ")
    return 1 if compare.bad else 0


sys.exit(main())
