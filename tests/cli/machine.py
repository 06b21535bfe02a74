"""Compares the files that tests/cli/machine.sh writes.

usage: machine.py same NAME | document NAME | columns SCHEMA | join
"""
import csv
import glob
import json
import sys

KEYS = ["framework", "model", "precision", "batch_size_per_device", "label",
        "case"]
# Tables with additional columns.
OWN = {"pivot"}


def read_csv(name):
    with open(name + ".csv", encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def document(name):
    with open(name + ".json", encoding="utf-8") as f:
        d = json.load(f)
    return {"schema": d["schema"], "tables": d["tables"]}


def rows(name):
    return document(name)["tables"][0]["rows"]


def text(x):
    return "" if x is None else x if isinstance(x, str) else repr(x)


def same(name):
    """CSV, JSON and JSON Lines have the same rows and order of columns."""
    of_csv, of_json = read_csv(name), rows(name)
    assert len(of_csv) == len(of_json) > 0
    for a, b in zip(of_csv, of_json):
        assert list(a) == list(b)
        for key in a:
            if isinstance(b[key], (int, float)):
                assert float(a[key]) == b[key], (key, a[key], b[key])
            else:
                assert a[key].lstrip("'") == text(b[key]), (key, a, b)
            # Numbers are not written as strings.
            assert not isinstance(b[key], str) or key in (
                "commit", "run", "printed",
                "expected") or not is_number(b[key]), (key, b[key])
    if name == "prediction":
        return
    with open(name + ".jsonl", encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    first = document(name)["tables"][0]
    lines = [x for x in lines if x.pop("table") == first["table"]]
    assert lines == of_json


def is_number(x):
    try:
        float(x)
    except ValueError:
        return False
    return True


def columns(schema):
    with open(schema, encoding="utf-8") as f:
        known = json.load(f)["$defs"]["row"]["properties"]
    for name in glob.glob("*.csv"):
        name = name[:-len(".csv")]
        if name in OWN:
            continue
        for head in read_csv(name)[0]:
            assert head in known or head in KEYS, (name, head)
            assert "(" not in head
        assert "case" in read_csv(name)[0]
        assert "unit" in read_csv(name)[0] or name in ("check", "gate")


def key_of(row):
    return tuple(text(row.get(k)) or "None" for k in KEYS)


def result(name):
    with open(name, encoding="utf-8") as f:
        cases = json.load(f)["cases"]
    return {tuple(text({**c, **(c.get("labels") or {})}.get(k)) or "None"
                  for k in KEYS): c for c in cases}


def join():
    old, new = result("old.json"), result("new.json")
    assert len(old) == 6 and len(new) == 3, (list(old), list(new))
    for name in ["cases", "scaling", "comparison", "speedup", "dlperf"]:
        for read in (rows, read_csv):
            got = {key_of(r): r for r in read(name)}
            assert got.keys() == old.keys(), (name, got.keys(), old.keys())
            for key, c in old.items():
                for column, member in [("median", "median_speed"),
                        ("median_low", "median_low"),
                        ("speedup", "speedup"), ("n", "n"),
                        ("efficiency", "efficiency")]:
                    x = got[key].get(column)
                    if x is None or x == "":
                        assert column not in got[key] or c[member] is None
                    else:
                        assert float(x) == c[member], (name, column, x)
                assert got[key]["unit"] == c["unit"]
    for read in (rows, read_csv):
        runs = {}
        for r in read("runs"):
            runs.setdefault(key_of(r), []).append(float(r["value"]))
        assert runs == {k: [r["value"] for r in c["runs"]]
                        for k, c in old.items()}
        for r in read("metrics"):
            of_runs = sorted(
                m["figure"] for run in old[key_of(r)]["runs"]
                for m in run["metrics"] if m["name"] == r["metric"])
            assert len(of_runs) % 2 == 1
            assert float(r["median"]) == of_runs[len(of_runs) // 2], r
        for r in read("compare"):
            for side, cases in (("old", old), ("new", new)):
                if key_of(r) in cases:
                    c = cases[key_of(r)]
                    assert float(r[side + "_median"]) == c["median_speed"]
                    assert int(r[side + "_n"]) == c["n"]
        for r in read("prediction"):
            if r["how"] == "measured":
                c = old[key_of(r)]
                assert float(r["median"]) == c["median_speed"]
                assert float(r["speedup"]) == c["speedup"], (r, c["speedup"])
            else:
                assert key_of(r) not in old
    if glob.glob("history.csv"):
        for read in (rows, read_csv):
            for r in read("history"):
                cases = old if r["date"] < "2026-11-14" else new
                c = cases[key_of(r)]
                assert float(r["median"]) == c["median_speed"]
                assert int(r["n"]) == c["n"]


if sys.argv[1] == "same":
    same(sys.argv[2])
elif sys.argv[1] == "document":
    json.dump(document(sys.argv[2]), sys.stdout)
elif sys.argv[1] == "columns":
    columns(sys.argv[2])
else:
    join()
