"""make predict-validate: errors of the model. Each series of published figures
is cut off after some counts, and predict_scaling predicts the next ones. Prints
the errors next to those of other laws; with --coverage, the share of measured
speeds inside the intervals.

usage: predict_validate.py BINDIR [--coverage] FILE...
"""
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

LAWS = ["linear", "power", "amdahl", "usl"]
TASKS = ["two node counts -> twice", "the same, pooled",
         "the same, another batch known", "three or more -> twice",
         "-> four times", "inside a node -> twice"]
TWICE, POOLED, TRANSFER, MORE, FOUR, NODE = range(6)
AXES = ["nodes", "GPUs", "both"]
REACHES = ["up to 2 times", "up to 4 times", "more", "rising", "all"]
FARTHEST = 8.1  # times the largest count; farther is refused


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout


def whole(text):
    return int(text) if text else None


def read_series(bindir, files):
    """Series as [configuration, [case]]; cases without a speed are excluded."""
    known = {}
    table = run(bindir + "/report_results", "--format=csv", *files)
    for row in csv.DictReader(io.StringIO(table.decode())):
        if not re.match(r"[0-9.]+$", row["median"]):
            continue
        of = {k: row[k] or None
              for k in ("framework", "model", "precision", "unit")}
        of["batch_size_per_device"] = whole(row["batch_size_per_device"])
        case = {k: whole(row[k]) for k in ("nodes", "gpus_per_node", "gpus")}
        case.update(case=row["case"], median_speed=float(row["median"]), n=1,
                    runs=[{"run": "1", "path": "1",
                           "value": float(row["median"])}])
        known.setdefault(json.dumps(of), (of, []))[1].append(case)
    return list(known.values())


class Task:
    """Prediction of a case from the kept cases of its series."""

    def __init__(self, series, kept, target):
        self.series, self.kept, self.target = series, kept, target
        self.found = None  # the case in JSON; None: refused

    def name(self):
        nodes, each = self.target["nodes"], self.target["gpus_per_node"]
        return f"{self.target['gpus']}g" if nodes is None else \
            f"{nodes}n{each}g"


def predict(bindir, tasks, options, others=()):
    """Predict tasks of one target; label cut=cI distinguishes them."""
    rows = [{**of, **c} for of, cases in others for c in cases]
    for i, t in enumerate(tasks):
        label = {} if others else {"labels": {"cut": f"c{i}"}}
        rows += [{**t.series[0], **c, **label} for c in t.kept]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"schema": "dlscale-result/1", "cases": rows}, f)
        out = run(bindir + "/predict_scaling", "--format=json", "--compare",
                  "--level=0.8,0.95", "--to=" + tasks[0].name(), *options, path)
    for s in json.loads(out)["series"]:
        own = s["configuration"]
        if others:
            of = tasks[0].series[0]
            batch = of["batch_size_per_device"]
            if own.get("batch") != (str(batch) if batch else None) or any(
                    own.get(k) != of[k]
                    for k in ("framework", "model", "precision")):
                continue
        for c in s["cases"]:
            if not c["measured"]:
                tasks[0 if others else int(own["cut"][1:])].found = c


def predict_alone(bindir, tasks):
    targets = {}
    for t in tasks:
        targets.setdefault(t.name(), []).append(t)
    for same in targets.values():
        predict(bindir, same, ["--model=doubling", "--no-pool"])


def holds(task, level):
    end = task.found["intervals"][level]
    return end["low"] <= task.target["median_speed"] <= end["high"]


# --- errors -------------------------------------------------------------------

def error_tasks(all_series):
    """Yield (kind, task)."""
    for s in all_series:
        for c in s[1]:
            nodes, each = c["nodes"], c["gpus_per_node"]

            def upto(limit):
                return [x for x in s[1] if x["nodes"] <= limit]
            if nodes is not None and nodes > 2:
                there = {x["nodes"] for x in s[1]
                         if x["gpus_per_node"] == each}
                half = upto(nodes // 2)
                counts = len([n for n in (2 ** k for k in range(20))
                              if n <= nodes // 2 and n in there])
                kinds = [TWICE, POOLED, TRANSFER] if counts == 2 else \
                    [MORE] if counts > 2 else []
                for kind in kinds:
                    yield kind, Task(s, half, c)
                if counts > 2:
                    yield FOUR, Task(s, upto(nodes // 4), c)
            elif nodes == 1 and c["gpus"] > 2 and any(
                    x["nodes"] == 1 and x["gpus"] == c["gpus"] // 2
                    for x in s[1]):
                yield NODE, Task(s, [x for x in s[1] if x["nodes"] == 1 and
                                     x["gpus"] <= c["gpus"] // 2], c)


def quantile(x, p):
    x = sorted(x)
    at = (len(x) - 1) * p
    low = int(at)
    return x[low] + (at - low) * (x[min(low + 1, len(x) - 1)] - x[low])


def errors(bindir, all_series):
    kinds = [[] for _ in TASKS]
    for kind, t in error_tasks(all_series):
        kinds[kind].append(t)
    for kind, tasks in enumerate(kinds):
        if kind not in (POOLED, TRANSFER):
            predict_alone(bindir, tasks)
            continue
        for t in tasks:
            predict(bindir, [t],
                    ["--model=transfer", "--no-pool"] if kind == TRANSFER
                    else ["--model=doubling"],
                    [s for s in all_series if s is not t.series])
    print("|error| in per cent: median / 90 % / largest; share inside of the "
          "80 % and 95 % intervals\n")
    print(f"| {'from -> to':30} | tasks |" + "".join(
        f" {m:>16} |" for m in ("this", "linear", "power", "Amdahl", "USL")) +
        " inside    | refused |")
    print(f"|{'-' * 32}|-------|{('-' * 18 + '|') * 5}-----------|---------|")
    for name, tasks in zip(TASKS, kinds):
        made = [t for t in tasks if t.found]
        if not made:
            continue
        cells = ""
        for law in [None] + LAWS:
            x = [100 * abs((t.found["compare"][law] if law else
                            t.found["speed"]) / t.target["median_speed"] - 1)
                 for t in made]
            text = f"{quantile(x, .5):.1f} / {quantile(x, .9):.1f} / " \
                f"{max(x):.0f}"
            cells += f" {text:>16} |"
        inside = [100 * sum(holds(t, i) for t in made) / len(made)
                  for i in (0, 1)]
        print(f"| {name:30} | {len(made):5} |{cells} {inside[0]:3.0f}, "
              f"{inside[1]:3.0f} % | {len(tasks) - len(made):7} |")


# --- coverage by series -------------------------------------------------------

def axes(s):
    """Yield (0 for nodes or 1 for GPUs, cases by count) of a series."""
    column = [c for c in s[1] if c["nodes"] in (1, None)]
    yield 1, sorted(column, key=lambda c: c["gpus"])
    for each in dict.fromkeys(c["gpus_per_node"] for c in s[1]):
        if each is not None:
            yield 0, sorted((c for c in s[1] if c["gpus_per_node"] == each),
                            key=lambda c: c["gpus"])


def reaches(times, found):
    """Kinds of a prediction this many times beyond the known counts."""
    far = 0 if times <= 2.02 else 1 if times <= 4.03 else 2
    rising = found is not None and "rising" in found["warnings"]
    return [far] + [3] * rising + [4]


def coverage(bindir, all_series):
    own = []  # of each axis of a series: (axis, its tasks)
    for s in all_series:
        for axis, cases in axes(s):
            tasks = []
            for k, known in enumerate(cases[1:-1], 1):
                kept = [c for c in s[1] if
                        (c["gpus"] <= known["gpus"] and
                         c["nodes"] in (1, None) if axis else
                         (c["nodes"] or -1) <= known["nodes"])]
                for c in cases[k + 1:]:
                    if c["gpus"] / known["gpus"] <= FARTHEST:
                        tasks.append((c["gpus"] / known["gpus"],
                                      Task(s, kept, c)))
            own.append((axis, tasks))
    predict_alone(bindir, [t for _, tasks in own for _, t in tasks])
    print("| axis  | target        | series | tasks | refused | in 80 % |"
          " in 95 % |  slower |  faster |\n"
          "|-------|---------------|--------|-------|---------|"
          "---------|---------|---------|---------|")
    for axis, axis_name in enumerate(AXES):
        for reach, reach_name in enumerate(REACHES):
            votes, n_tasks, refused = [], 0, 0
            for of, tasks in own:
                mine = [t for times, t in tasks
                        if axis in (of, 2) and reach in reaches(times, t.found)]
                made = [t for t in mine if t.found]
                refused += len(mine) - len(made)
                if not made:
                    continue
                n_tasks += len(made)
                low = sum(t.target["median_speed"] <
                          t.found["intervals"][0]["low"] for t in made)
                high = sum(t.target["median_speed"] >
                           t.found["intervals"][0]["high"] for t in made)
                votes.append([x / len(made) for x in (
                    len(made) - low - high, sum(holds(t, 1) for t in made),
                    low, high)])
            if votes:
                shares = [100 * sum(v) / len(votes) for v in zip(*votes)]
                print(f"| {axis_name:5} | {reach_name:13} | {len(votes):6} |"
                      f" {n_tasks:5} | {refused:7} |" +
                      "".join(f" {x:5.1f} % |" for x in shares))


def main():
    args = [a for a in sys.argv[2:] if a != "--coverage"]
    answer = errors if len(args) == len(sys.argv) - 2 else coverage
    answer(sys.argv[1], read_series(sys.argv[1], args))


main()
