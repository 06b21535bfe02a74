"""A second implementation of DLPerf's script for PyTorch logs.

    dlperf_rule.py FOLDER OUTPUT_FOLDER WARMUP TRAIN

Its rule: in lines with "Epoch: ", take the number after the last "][", skip the
line if it is 5 or less, and count the others; over lines WARMUP + 1 to TRAIN
add up the first text that looks like a digit, any character, one to three
digits and a blank. The speed is 0 if there are too few lines. Without a speed
of 1n1g all speedups are 1.0 and neither mean nor median is computed.
"""
import glob
import json
import pprint
import re
import sys
from pathlib import PurePosixPath

folder, output, warmup, train = sys.argv[1:]
warmup, train = int(warmup), int(train)
TIME = re.compile(r"\d.\d{1,3}\s", re.DOTALL)
NUMBER = re.compile(r"\[.*\]\[(.*)\]")


def speed_of(path, batch):
    seconds = counted = 0
    with open(path) as text:
        for line in text:
            if "Epoch: " not in line:
                continue
            if int(NUMBER.search(line).group(1).partition("/")[0]) <= 5:
                continue
            counted += 1
            if counted > warmup:
                seconds += float(TIME.search(line).group())
            if counted == train:
                return round(batch / (seconds / (train - warmup)), 2)
    return 0


def middle(values):
    values = sorted(values)
    half = len(values) // 2
    if len(values) % 2:
        return values[half]
    return (values[half - 1] + values[half]) / 2


found, speeds = {}, {}
for path in glob.glob(folder + ("" if folder.endswith("/") else "/") +
                      "*/*.log"):
    place = PurePosixPath(path)
    parts, case = place.name.split("_"), place.parent.name
    each = int(parts[1].strip("b"))
    run = int(parts[3].strip(".log"))
    gpus = int(case[2] if len(case) == 4 else case[2:4])
    speed = speed_of(path, int(case[0]) * gpus * each)
    entry = found.setdefault(parts[0], {}).setdefault(case, {})
    entry["average_speed"] = speed
    entry["batch_size_per_device"] = each
    runs = speeds.setdefault((parts[0], case), {})
    runs[run] = speed
    print(path, runs)
for model, cases in found.items():
    names = list(cases)
    base = cases.setdefault("1n1g", {"average_speed": {}})
    for case in names:
        speedup = 1.0
        if base["average_speed"]:
            values = speeds[model, case].values()
            total = 0
            for value in values:
                total += value
            cases[case]["average_speed"] = round(total / len(values), 2)
            cases[case]["median_speed"] = round(middle(values), 2)
            speedup = (cases[case]["median_speed"] /
                       round(middle(speeds[model, "1n1g"].values()), 2))
        cases[case]["speedup"] = round(speedup, 2)
pprint.PrettyPrinter(indent=1).pprint(found)
result = f"{output}/{folder.split('/')[-1]}_result.json"
print(f"Saving result to {result}")
with open(result, "w") as f:
    json.dump(found, f)
