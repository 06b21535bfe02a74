"""The work of DLPerf's scripts, as small as possible: each log of
DIR/NnMg/MODEL_bB_PRECISION_RUN.log line by line through a regular expression,
the mean of a window of iterations, medians and speedups over 1n1g."""

import glob
import json
import re
import statistics
import sys

pattern = re.compile(r"Epoch: \[(\d+)\]\[ *(\d+)/\d+\]\s+Time +([\d.]+)")
speeds = {}
for path in glob.glob(sys.argv[1] + "/*/*.log"):
    case, name = path.split("/")[-2:]
    model, batch, _, run = name.split("_")
    cards = int(case[0]) * int(case[2:-1])
    times = []
    with open(path) as f:
        for line in f:
            m = pattern.search(line)
            if m and int(m[1]) == 0:
                times.append(float(m[3]))
    mean = statistics.fmean(times[25:125])
    speeds.setdefault(model, {}).setdefault(case, {})[run] = round(
        cards * int(batch[1:]) / mean, 2)
result = {}
for model, cases in speeds.items():
    base = statistics.median(cases["1n1g"].values())
    result[model] = {
        case: {"median_speed": round(statistics.median(runs.values()), 2),
               "speedup": round(statistics.median(runs.values()) / base, 2)}
        for case, runs in cases.items()}
print(json.dumps(result, indent=4))
