"""The oracles of predict_scaling that test the whole program, one test each:
the series become a result as extract_logs writes it, the program reads it, and
its JSON is compared within the oracle's tolerances. Oracles of single functions
are in tests/unit/test_predict_oracles.c.

The oracles' intervals follow an older rule, so the class Row computes the
intervals of doc/prediction.md, "The interval", independently, and what follows
from them: the warning "wide", earliest and latest counts, "inside".

usage: predict_oracles.py oracles.json predict_scaling
"""
import json
import math
import statistics
import subprocess
import sys
import tempfile

KINDS = ("predict", "refuse", "backtest", "count", "transfer")
STRONG_BATCH = 1024 * 1024  # of all devices; any constant will do


RHOS = [0.05 * i - 0.025 for i in range(1, 41)]
COSTS = [-0.04, -0.03, -0.02, -0.01, 0] + [
    0.002 * 1500 ** (j / 119) for j in range(120)]
NEW_WARNINGS = {"rising", "beyond-4x", "flagged"}


def scaled(x, total=1):
    s = sum(x)
    return [v * total / s for v in x]


PUBLISHED = scaled([r ** 0.3 * math.exp(-r / 0.35) for r in RHOS])
COST_PRIOR = scaled([math.exp(-abs(a) / 0.01) for a in COSTS[:5]], 0.08) + \
    scaled([math.exp(-((math.log(a) - math.log(0.06)) / 1.4) ** 2 / 2)
            for a in COSTS[5:]], 0.92)


def phi(rho, m):
    return (1 - m ** math.log2(rho)) / (1 - rho)


def largest(n):
    return statistics.NormalDist().inv_cdf((n - 0.375) / (n + 0.25)) \
        if n > 1 else 0


class Row:
    """The cases of one axis: points (m, GPUs, t, s) by m, weights[rho][a]."""

    def __init__(self, points, column, prior):
        self.points, self.column = points, column
        self.straggler = 0 if column else 0.03
        logs = [[self.likelihood(r, a) for a in COSTS] for r in RHOS]
        top = max(max(row) for row in logs)
        self.like = [[math.exp(x - top) for x in row] for row in logs]
        self.weights = [[x * p * c for x, c in zip(row, COST_PRIOR)]
                        for row, p in zip(self.like, prior)]
        total = sum(map(sum, self.weights))
        self.weights = [[x / total for x in row] for row in self.weights]

    def likelihood(self, rho, a):
        total = 0
        for p, q in zip(self.points, self.points[1:]):
            g, h = 1 + a * phi(rho, p[0]), 1 + a * phi(rho, q[0])
            if g <= 0.05 or h <= 0.05:
                return -math.inf
            d = math.log(q[2] / p[2]) - math.log(h / g) - \
                self.straggler * (largest(q[1]) - largest(p[1]))
            v = 0.01 ** 2 + (0.02 * math.log2(q[0] / p[0])) ** 2 + \
                p[3] ** 2 + q[3] ** 2
            total -= 1.5 * math.log1p(d * d / (2 * v))
        return total

    def bend(self):
        p = self.points
        cost = [math.log(b[2] / a[2]) / math.log2(b[0] / a[0])
                for a, b in zip(p, p[1:])]
        if self.column and cost and \
                math.log((p[-1][1] / p[-1][2]) / (p[-2][1] / p[-2][2])) / \
                math.log2(p[-1][0] / p[-2][0]) < math.log(1.35):
            return 0.9, 1
        if len(p) > 2 and cost[-1] > cost[-2] + 0.01:
            return 0.25, 4
        return (0.10 if self.column else 0.06 if len(p) < 3 else 0.09), 4

    def mixture(self, m, gpus):
        """Components (ln t, weight) and their scale."""
        a = max(self.points, key=lambda p: (-abs(math.log2(m / p[0])), p[0]))
        level = math.log(a[2]) + \
            self.straggler * (largest(gpus) - largest(a[1]))
        noise = math.hypot(0.01, 0.02 * math.log2(m / a[0]))
        parts = [(level + math.log(max(1 + c * phi(r, m), 0.05) /
                                   max(1 + c * phi(r, a[0]), 0.05)), w)
                 for r, row in zip(RHOS, self.weights)
                 for c, w in zip(COSTS, row) if w > 1e-9]
        if m <= self.points[-1][0]:
            return parts, math.hypot(noise, a[3])
        share, n = self.bend()
        middle = sum(x * w for x, w in parts)
        stays = math.log(a[2]) + math.log(gpus / a[1])
        parts = [(x, w * (1 - share)) for x, w in parts] + [
            (middle + i / n * max(0, stays - middle), share / n)
            for i in range(1, n + 1)]
        return parts, math.hypot(0.4 * noise, a[3])

    def quantile(self, m, gpus, p):
        parts, scale = self.mixture(m, gpus)
        low = min(x for x, w in parts) - 60 * scale
        high = max(x for x, w in parts) + 60 * scale
        while high - low > 1e-7:
            at = (low + high) / 2
            f = 0
            for x, w in parts:
                z = (at - x) / scale
                f += w * (0.5 + z / (2 * math.sqrt(2 + z * z)))
            low, high = (at, high) if f < p else (low, at)
        return math.exp(low)


def points_of(series, gpus_per_node, without=None):
    """Points of a row, or of the column of one node (gpus_per_node None)."""
    points = []
    for c in series["cases"]:
        gpus = c["nodes"] * c["gpus_per_node"]
        runs, s = c.get("runs", []), 0
        if without == (c["nodes"], c["gpus_per_node"]):
            continue
        if len(runs) > 1:
            s = 1.2533 * statistics.stdev(runs) / statistics.mean(runs) / \
                math.sqrt(len(runs))
        t = gpus / c["speed"]
        if series["unit"] == "s":
            t = c["speed"] * (gpus if series["scaling"] == "strong" else 1)
        elif series["unit"] == "iterations/s":
            t = (gpus if series["scaling"] == "strong" else 1) / c["speed"]
        if gpus_per_node is None and c["nodes"] == 1:
            points.append((gpus, gpus, t, s))
        elif gpus_per_node == c["gpus_per_node"]:
            points.append((c["nodes"], gpus, t, s))
    return sorted(points)


def row_of(oracle, nodes, gpus_per_node, without=None):
    series = oracle["series"]
    points = points_of(series, gpus_per_node, without)
    column = nodes == 1 and len(points_of(series, None)) >= 2
    if column:
        points = points_of(series, None)
    if oracle.get("force"):
        rises = [i for i in range(1, len(points))
                 if points[i][2] < 0.95 * points[i - 1][2]]
        points = points[rises[-1] if rises else 0:]
    habit, pooled = PUBLISHED, 0
    near_f = [scaled([math.exp(-((r - f) / 0.1) ** 2 / 2) for r in RHOS])
              for f in RHOS]
    for sibling in oracle.get("siblings", []):
        own = points_of(sibling, gpus_per_node)
        if len(own) < 3 or column:
            continue
        pooled += 1
        of_rho = [sum(x * c for x, c in zip(row, COST_PRIOR))
                  for row in Row(own, False, PUBLISHED).like]
        habit = scaled([h * sum(k * m for k, m in zip(kernel, of_rho))
                        for h, kernel in zip(habit, near_f)])
    prior = PUBLISHED
    if pooled:
        prior = [0.9 * sum(h * k[i] for h, k in zip(habit, near_f)) +
                 0.1 * PUBLISHED[i] for i in range(len(RHOS))]
    return Row(points, column, prior)


def speed_of(series, t, gpus):
    strong = series["scaling"] == "strong"
    if series["unit"] == "s":
        return t / gpus if strong else t
    if series["unit"] == "iterations/s":
        return gpus / t if strong else 1 / t
    return gpus / t


def ends(oracle, row, nodes, gpus_per_node, level, median):
    """The interval as speeds, extended to include the median."""
    gpus = nodes * gpus_per_node
    m = gpus if row.column else nodes
    speeds = [speed_of(oracle["series"], row.quantile(m, gpus, p), gpus)
              for p in ((1 - level) / 2, (1 + level) / 2)]
    return min(speeds + [median]), max(speeds + [median])


def case(series, c):
    gpus = c["nodes"] * c["gpus_per_node"]
    batch = c["batch"]
    if series["scaling"] == "strong":
        batch = STRONG_BATCH // gpus
    runs = c.get("runs", [])
    return {
        "case": "%dn%dg" % (c["nodes"], c["gpus_per_node"]),
        "framework": "pytorch", "model": "resnet50", "precision": "fp32",
        "batch_size_per_device": batch, "nodes": c["nodes"],
        "gpus_per_node": c["gpus_per_node"], "gpus": gpus,
        "unit": "min" if "metric" in series else series["unit"],
        "rule": "window", "n": max(1, len(runs)), "median_speed": c["speed"],
        "runs": [{"path": "%d.log" % i, "value": v}
                 for i, v in enumerate(runs)],
    }


def result(series, siblings):
    cases = [case(s, c) for s in [series] + siblings for c in s["cases"]]
    rule = {"rule": "window", "scaling": series["scaling"],
            "metric": series.get("metric", "throughput")}
    return {"schema": "dlscale-result/1", "rule": rule, "inputs": [],
            "cases": cases, "excluded": []}


def run(program, oracle, options):
    siblings = oracle.get("siblings", [])
    if "sibling" in oracle:
        siblings = [oracle["sibling"]]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(result(oracle["series"], siblings), f)
        f.flush()
        done = subprocess.run(
            [program, "--format=json", "--level=0.8,0.95", *options, f.name],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 4):
        raise AssertionError("status %d: %s" % (done.returncode, done.stderr))
    own = str(oracle["series"]["cases"][0]["batch"])
    all_series = json.loads(done.stdout)["series"]
    for s in all_series:
        if s["configuration"].get("batch") == own:
            return s
    return all_series[0]


def near(what, got, want, tolerance):
    if got is None or abs(got - want) > tolerance * abs(want):
        raise AssertionError("%s is %s, not %s" % (what, got, want))


def same(what, got, want):
    if got != want:
        raise AssertionError("%s is %s, not %s" % (what, got, want))


def find(series, oracle):
    to = oracle["to"]
    name = "%dn%dg" % (to["nodes"], to["gpus_per_node"])
    for c in series["cases"] + series["refused"]:
        if c["case"] == name and not c.get("measured"):
            return c
    raise AssertionError("no case %s" % name)


def target(oracle):
    to = oracle["to"]
    return "--to=%dn%dg" % (to["nodes"], to["gpus_per_node"])


def intervals(c, expect, tolerance):
    for level, ends in expect["intervals"].items():
        got = [i for i in c["intervals"] if i["level"] == float(level)][0]
        near("low end at " + level, got["low"], ends[0], tolerance["interval"])
        near("high end at " + level, got["high"], ends[1],
             tolerance["interval"])


def predict(program, oracle):
    options = [target(oracle), "--model=doubling"]
    if oracle.get("force"):
        options.append("--force")
    s = run(program, oracle, options)
    c, e, tol = find(s, oracle), oracle["expect"], oracle["tolerance"]
    same("model", c.get("model"), e["model"])
    for key in ("speed", "speedup", "efficiency"):
        near(key, c[key], e[key], tol[key])
    to = oracle["to"]
    row = row_of(oracle, to["nodes"], to["gpus_per_node"])
    e["intervals"] = {
        level: ends(oracle, row, to["nodes"], to["gpus_per_node"],
                    float(level), e["speed"]) for level in e["intervals"]}
    intervals(c, e, tol)
    if abs(s["growth"] - e["growth"]) > tol["growth_absolute"]:
        raise AssertionError("growth is %s, not %s" % (s["growth"],
                                                       e["growth"]))
    near("doublings", c["doublings"], e["doublings"], 1e-6)
    same("pooled series", s["pooled_series"], e["pooled_series"])
    if "warnings" in e:
        low, high = e["intervals"]["0.8"]
        want = set(e["warnings"]) - {"wide"}
        if high / low > 1.5:
            want.add("wide")
        same("warnings", sorted(set(c["warnings"]) - NEW_WARNINGS),
             sorted(want))


def transfer(program, oracle):
    c = find(run(program, oracle, [target(oracle)]), oracle)
    e, tol = oracle["expect"], oracle["tolerance"]
    same("model", c.get("model"), e["model"])
    same("anchor", c["anchor"], e["anchor"])
    for key in ("speed", "speedup", "efficiency"):
        near(key, c[key], e[key], tol[key])
    intervals(c, e, tol)


def refuse(program, oracle):
    c = find(run(program, oracle, [target(oracle)]), oracle)
    same("code", c.get("code"), oracle["expect"]["code"])
    same("message", c["message"], oracle["expect"]["message"])


def backtest(program, oracle):
    s = run(program, oracle, ["--to=8n8g", "--no-pool"])
    e, got, tol = oracle["expect"], s["backtest"], oracle["tolerance"]
    same("case", got["case"], e["case"])
    near("measured", got["measured"], e["measured"], 1e-12)
    near("predicted", got["predicted"], e["predicted"], tol["speed"])
    n = oracle["gpus_per_node"]
    nodes = max(c["nodes"] for c in oracle["series"]["cases"])
    low, high = ends(oracle, row_of(oracle, nodes, n, (nodes, n)), nodes, n,
                     oracle["level"], e["predicted"])
    same("inside", got["inside"], low <= e["measured"] <= high)
    if abs(got["error"] - e["error"]) > 2 * tol["speed"]:
        raise AssertionError("error is %s, not %s" % (got["error"],
                                                      e["error"]))


def count(program, oracle):
    s = run(program, oracle,
            ["--until=%.10g%%" % (100 * oracle["target"])])
    n, want = oracle["gpus_per_node"], dict(oracle["expect"])
    row = row_of(oracle, 2, n)
    base = [c for c in oracle["series"]["cases"]
            if c["nodes"] == 1 and c["gpus_per_node"] == 1]
    one = 1 / base[0]["speed"] if base else row.points[0][2]
    for key, p in (("earliest", (1 + oracle["level"]) / 2),
                   ("latest", (1 - oracle["level"]) / 2)):
        known = {q[0]: q[2] for q in row.points}
        want[key] = next(
            (k for k in range(1, want["limit"] + 1)
             if one / (known[k] if k in known
                       else row.quantile(k, k * n, p))
             < oracle["target"]), None)
    for key in want:
        same(key, s["until"][key], want[key])
    same("GPUs a node", s["until"]["gpus_per_node"], oracle["gpus_per_node"])


def main():
    with open(sys.argv[1]) as f:
        oracles = [o for o in json.load(f)["cases"] if o["kind"] in KINDS]
    print("1..%d" % len(oracles))
    for n, o in enumerate(oracles, 1):
        try:
            globals()[o["kind"]](sys.argv[2], o)
            print("ok %d - %d %s" % (n, o["id"], o["name"]))
        except AssertionError as e:
            print("not ok %d - %d %s\n# %s" % (n, o["id"], o["name"], e))


main()
