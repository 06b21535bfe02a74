"""Reads the exports of report_results for other programs and compares them with
the result: every case with its number, and nothing else.

usage: exports.py FORMAT RESULT FILE
       exports.py       prints the formats

Grammars:
benchfmt     golang.org/design/14313-benchmark-format, and Unit lines of
             pkg.go.dev/golang.org/x/perf/benchfmt
bmf          the JSON schema of bencher.dev/docs/reference/bencher-metric-format
github-...   custom benchmarks in README of benchmark-action/github-action-benchmark
conbench     attributes of BenchmarkResult in Conbench's benchadapt
openmetrics  the ABNF of OpenMetrics 1.0
"""
import json
import re
import sys

FAMILIES = {"median": "median_speed", "median_low": "median_low",
            "median_high": "median_high", "runs": "n", "gpus": "gpus",
            "speedup": "speedup", "efficiency": "efficiency"}


def name_of(c):
    parts = ["%s=%s" % (k, c[k]) for k in (
        "framework", "model", "precision", "batch_size_per_device")]
    parts += ["%s=%s" % pair for pair in sorted(c["labels"].items())]
    return "/".join(parts + ["case=" + c["case"]])


def read_benchfmt(text, cases):
    got, units = {}, {}
    for line in text.splitlines():
        if line.startswith("Unit "):
            _, unit, better = line.split(" ")
            units[unit] = re.fullmatch("better=(higher|lower)", better)[1]
            continue
        m = re.fullmatch(r"Benchmark([A-Z]\S*) (\d+)((?: \S+ \S+)+)", line)
        assert m and int(m[2]) > 0, line
        value, unit = m[3].split()
        key = (m[1].split("/", 1)[1], unit)
        got.setdefault(key, []).append(float(value))
    want = {(re.sub(r"\s", "_", name), c["unit"]):
            [r["value"] for r in c["runs"]] for name, c in cases.items()}
    assert got == want, (got, want)
    for _, unit in got:
        assert units[unit] == ("lower" if unit == "s" else "higher")


def read_bmf(text, cases):
    got = json.loads(text)
    assert got.keys() == cases.keys()
    for name, measures in got.items():
        (measure, metric), = measures.items()
        assert re.fullmatch("[a-z-]{1,64}", measure)
        assert set(metric) <= {"value", "lower_value", "upper_value"}
        c = cases[name]
        assert metric["value"] == c["median_speed"]
        assert metric.get("lower_value") == c["median_low"]
        assert metric.get("upper_value") == c["median_high"]


def read_action(text, cases):
    got = json.loads(text)
    assert len(got) == len(cases)
    for x in got:
        assert set(x) <= {"name", "unit", "value", "range", "extra"}
        assert isinstance(x["value"], (int, float))
        c = cases[x["name"]]
        assert (x["value"], x["unit"]) == (c["median_speed"], c["unit"])
        assert all(isinstance(x.get(k, ""), str) for k in ("range", "extra"))
        assert x["extra"] == "runs: %d" % c["n"]


def read_conbench(text, cases):
    got = json.loads(text)
    assert {x["batch_id"] for x in got} == cases.keys()
    for x in got:
        c = cases[x["batch_id"]]
        assert x["stats"]["data"] == [r["value"] for r in c["runs"]]
        assert x["stats"]["unit"] == c["unit"]
        assert x["stats"]["iterations"] == len(c["runs"])
        assert x["tags"]["name"] and x["tags"]["case"] == c["case"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", x["timestamp"])
        assert x["run_id"] == got[0]["run_id"]
        # Either a machine or a cluster.
        assert x["cluster_info"]["info"]["gpus"] == c["gpus"]
        assert "machine_info" not in x
        assert {"info", "context"} <= x.keys()


def read_benchadapt(text, cases):
    from benchadapt.result import BenchmarkResult
    for x in json.loads(text):
        # The commit must be added before posting.
        known = BenchmarkResult(**x, github={
            "commit": "0" * 40, "repository": "org/repo"}).to_publishable_dict()
        assert known["stats"]["data"] == x["stats"]["data"]
        assert known["tags"] == x["tags"]
    read_conbench(text, cases)


def check_samples(samples, cases):
    """samples: (family, labels, value)"""
    want = {}
    for c in cases.values():
        for family, member in FAMILIES.items():
            if c[member] is not None:
                want[family, c["labels"].get("label"), c["case"]] = c[member]
    got = {(f, labels.get("label_label"), labels["case"]): value
           for f, labels, value in samples}
    assert len(got) == len(samples)
    assert got == want, (got, want)


def read_openmetrics(text, cases):
    label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
    sample = re.compile(
        r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(%s(?:,%s)*)\} (-?[0-9.]+(?:e[-+]\d+)?)"
        % (label, label))
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""]
    samples, family, seen = [], None, set()
    for line in lines[:-2]:
        m = re.fullmatch(r"# TYPE ([a-z_]+) gauge", line)
        if m:
            family = m[1]
            assert family not in seen
            seen.add(family)
            continue
        if re.fullmatch(r"# HELP %s [^\n\\]+" % family, line):
            continue
        m = sample.fullmatch(line)
        assert m and m[1] == family, line
        labels = {k: re.sub(r"\\(.)", lambda x: {"n": "\n"}.get(x[1], x[1]), v)
                  for k, v in re.findall(
                      r'([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"', m[2])}
        samples.append((family[len("dlscale_"):], labels, float(m[3])))
    check_samples(samples, cases)


def read_prometheus(text, cases):
    from prometheus_client.openmetrics.parser import \
        text_string_to_metric_families
    check_samples(
        [(s.name[len("dlscale_"):], s.labels, s.value)
         for family in text_string_to_metric_families(text)
         for s in family.samples], cases)


FORMATS = {"benchfmt": read_benchfmt, "bmf": read_bmf,
           "github-action-benchmark": read_action, "conbench": read_conbench,
           "openmetrics": read_openmetrics}


def main():
    if len(sys.argv) == 1:
        print(*FORMATS)
        return
    with open(sys.argv[2], encoding="utf-8") as f:
        cases = {name_of(c): c for c in json.load(f)["cases"]}
    assert len(cases) >= 2
    with open(sys.argv[3], encoding="utf-8") as f:
        text = f.read()
    {**FORMATS, "benchadapt": read_benchadapt,
     "prometheus": read_prometheus}[sys.argv[1]](text, cases)


main()
