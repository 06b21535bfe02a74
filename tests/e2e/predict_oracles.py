"""The oracles of predict_scaling that are whole programs, one test each: the
series become a result as extract_logs writes it, the program reads it, and its
JSON is compared within the oracle's tolerances.  Oracles of single functions
are tests/unit/test_predict_oracles.c.

usage: predict_oracles.py oracles.json predict_scaling
"""
import json
import subprocess
import sys
import tempfile

KINDS = ("predict", "refuse", "backtest", "count", "transfer")
STRONG_BATCH = 1024 * 1024  # of all devices; only that it is one matters


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
    intervals(c, e, tol)
    if abs(s["growth"] - e["growth"]) > tol["growth_absolute"]:
        raise AssertionError("growth is %s, not %s" % (s["growth"],
                                                       e["growth"]))
    near("doublings", c["doublings"], e["doublings"], 1e-6)
    same("pooled series", s["pooled_series"], e["pooled_series"])
    if "warnings" in e:
        same("warnings", sorted(c["warnings"]), sorted(e["warnings"]))


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
    same("inside", got["inside"], e["inside"])
    if abs(got["error"] - e["error"]) > 2 * tol["speed"]:
        raise AssertionError("error is %s, not %s" % (got["error"],
                                                      e["error"]))


def count(program, oracle):
    s = run(program, oracle,
            ["--until=%.10g%%" % (100 * oracle["target"])])
    for key, want in oracle["expect"].items():
        same(key, s["until"][key], want)
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
