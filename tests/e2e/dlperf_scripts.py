"""DLPerf's scripts implemented a second time, one by one in the plainest way,
and logs for them.

    dlperf_scripts.py logs NUMBER FOLDER SEED     write a tree of logs
    dlperf_scripts.py answer NUMBER FOLDER W T    print the script's answer

The answer is the script's JSON for the tree. If the script ends with an
exception, "stops: ..." is printed on stderr and the status is 1.
"""
import datetime
import glob
import json
import math
import os
import random
import re
import sys

# --- Logs -------------------------------------------------------------------


class Log:
    """A log with a clock and a random generator."""

    def __init__(self, chance, iterations, gpus):
        self.chance, self.n, self.g = chance, iterations, gpus
        self.seconds, self.text = 0.0, ["a line of something else"]

    def say(self, line):
        self.text.append(line)

    def rate(self):
        return self.chance.uniform(300, 350)

    def stamp(self, mark, clock_only=False, digits=6):
        self.seconds += self.chance.choice([.25, .333, .4021])
        d = datetime.datetime(2020, 12, 31, 20, 5) + \
            datetime.timedelta(seconds=self.seconds)
        text = d.strftime("%H:%M:%S" if clock_only else "%Y-%m-%d %H:%M:%S")
        return text + mark + f"{d.microsecond:06d}"[:digits]


def mindspore(log, one_step):
    for k in range(1, log.n + 1):
        for _ in range(log.g):
            ms = log.chance.uniform(285, 315)
            log.say(f"epoch: {k}, step: {1 if one_step else k}, outputs are 1")
            log.say(f"epoch time: {ms:.3f} ms, per step time: {ms:.3f} ms")


def speedometer(log):
    for k in range(120):
        for _ in range(log.g):
            log.say(f"{log.stamp(',', digits=3)} Node[0] Epoch[0] Batch "
                    f"[{k}-{k + 1}]\tSpeed: {log.rate():.2f} samples/sec")


def each(log, n, line):
    for k in range(n):
        log.say(line(k))


WRITERS = {
    3: lambda log: mindspore(log, False),
    4: lambda log: mindspore(log, True),
    5: lambda log: each(log, 200 * log.g, lambda k: f"[step {k}]\tmlm_loss=7.8"
                        "\tthroughput=1.2K tks/s\tlr=0.1 time=12.30, latency="
                        f"{log.chance.uniform(200, 230):.2f} ms/batch"),
    6: lambda log: each(log, 120, lambda k: f"Epoch[0] Batch[{k}] Speed: "
                        f"{log.rate():.3f} samples/sec"),
    7: lambda log: each(log, log.n // 20, lambda k: "INFO:root:" +
                        ("Epoch", "Iter")[k % 2] + f"[0] Batch [{20 * k}]\t"
                        f"Speed: {log.rate():.2f} samples/sec"),
    8: lambda log: each(log, log.n, lambda k: f"Iter:{k} Rank:1.25 it/sec "
                        f"Total:{log.rate():.2f} it/sec "),
    9: speedometer,
    10: speedometer,
    11: lambda log: each(log, log.n, lambda k: f"DLL {log.stamp('.')} - "
                         f"Training Epoch: 0 Training Iteration: {k}  "
                         "average_loss : 10.6"),
    12: lambda log: each(log, log.n, lambda k: f"DLL {log.stamp('.')} - "
                         f"Epoch: 0 Iteration: {k % 70}  train.loss : 7.0  "
                         "train.total_ips : 267.44 img/s"),
    13: lambda log: each(log, log.n, lambda k: f"DLL {log.stamp('.')} - "
                         f"Iteration: {k}  imgs_per_sec : {log.rate():.3f}  x"),
    15: lambda log: each(log, log.n // 10 + 6, lambda k: "DLL "
                         f"{log.stamp('.')} - Iteration: {10 * k + 10}  "
                         "throughput_train : " + ("?" if k % 9 == 8 else
                                                  f"{log.rate():.3f}") +
                         " seq/s"),
    23: lambda log: each(log, log.n, lambda k: f"train: iter {k}, loss 5.0, "
                         f"throughput: {log.rate():.4f}"),
    24: lambda log: each(log, log.n, lambda k: "epoch: 0, progress: 1/1, step: "
                         f"{k}, loss: 1.5, ppl: 9.1, speed: "
                         f"{log.rate() / 100:.6f} steps/s, file: x"),
    25: lambda log: each(log, log.n, lambda k: f"{log.stamp(',', digits=3)} "
                         f"[Pass 0, train batch {k}] \tloss 6.9, elapse "
                         f"{log.rate() / 999:.4f} sec"),
    27: lambda log: each(log, log.n, lambda k: f"Epoch: [0][{k:3d}/5004]\tTime "
                         f"{log.rate() / 999:6.3f} ( 1.954)\tData  0.106"),
    28: lambda log: each(log, log.n, lambda k: f"I0820 {log.stamp('.', True)} "
                         f"1 x.py:463] Train Step: {k}/1000  / loss = 10.1"),
    29: lambda log: each(log, log.n // 15, lambda k: f"I0817 "
                         f"{log.stamp('.', True)} 1 x.py:145] TimeHistory: "
                         f"24.49 seconds, {log.rate():.2f} examples/second "
                         f"between steps {100 * k} and {100 * k + 100}"),
}
WRITERS[14], WRITERS[16] = WRITERS[13], WRITERS[15]
WRITERS[26], WRITERS[30] = WRITERS[25], WRITERS[29]


def write_logs(number, folder, seed):
    chance = random.Random(1000 * number + seed)
    for case in ("1n1g", "1n4g", "2n8g", "1n16g"):
        os.makedirs(f"{folder}/{case}")
        gpus = int(case[0]) * int(case[2:-1])
        for run in range(1, chance.choice((3, 4, 5))):
            log = Log(chance, 60 if chance.random() < .1 else 150, gpus)
            WRITERS[number](log)
            name = f"net_b{chance.choice((32, 48))}_fp32_{run}.log"
            with open(f"{folder}/{case}/{name}", "w") as f:
                f.write("\n".join(log.text) + "\n")


# --- Answers ----------------------------------------------------------------


class Stop(Exception):
    """The script ends with an exception."""


def py_round(x, digits=2):
    return round(x, digits)


def np_round(x, digits=2):
    """Round like NumPy: scale, round half to even, scale back."""
    if math.isnan(x) or math.isinf(x):
        return x
    return round(x * 10 ** digits) / 10 ** digits


def np_sum(x):
    """Sum like NumPy: eight sums of up to 128 numbers, more in halves."""
    if len(x) > 128:
        half = len(x) // 2 // 8 * 8
        return np_sum(x[:half]) + np_sum(x[half:])
    whole = len(x) // 8 * 8
    if len(x) < 8:
        total = 0.0
        for v in x:
            total += v
        return total
    r = [0.0] * 8
    for j in range(8):
        r[j] = x[j]
        for i in range(8 + j, whole, 8):
            r[j] += x[i]
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for v in x[whole:]:
        total += v
    return total


def np_mean(x):
    return np_sum(x) / len(x) if x else math.nan


def middle(x):
    x = sorted(x)
    h = len(x) // 2
    return x[h] if len(x) % 2 else (x[h - 1] + x[h]) / 2


def found(pattern, line):
    m = re.search(pattern, line)
    if m is None:
        raise Stop("IndexError")
    return m.group(1)


def values(lines, pattern, digits=None, has=lambda line: True):
    got = [float(found(pattern, line)) for line in lines if has(line)]
    return got if digits is None else [round(v, digits) for v in got]


def rows(x, count, ranks):
    if len(x) != count * ranks:
        raise Stop("ValueError: reshape")
    return [middle(x[i * ranks:(i + 1) * ranks]) for i in range(count)]


def inverted(w, least):
    return least if w <= least else w - least


def when(line, date=True, comma=False):
    mark = "," if comma else "."
    pattern = r"(\d+:\d+:\d+" + mark + r"\d+)"
    form = "%H:%M:%S" + mark + "%f"
    if date:
        pattern, form = r"(\d+-\d+-\d+ " + pattern[1:], "%Y-%m-%d " + form
    return datetime.datetime.strptime(found(pattern, line), form)


def between(lines, start, end, total, iterations, **how):
    """Speed from the start-th to the end-th line; 0 if there are fewer."""
    begun = None
    for k, line in enumerate(lines, 1):
        if k == start:
            begun = when(line, **how)
        elif k == end:
            if begun is None:
                raise Stop("no start")
            took = (when(line, **how) - begun).total_seconds()
            return py_round(total / (took / iterations))
    return 0


def behind_five(lines, pattern):
    return [x for x in lines if int(found(pattern, x)) > 5]


def sink(lines, w, t, total, ranks, step_of):
    step = took = 0
    for line in lines:
        if "epoch:" in line and "step:" in line:
            step = step_of(line)
            if step > t:
                break
        if "epoch time:" in line and step > w:
            took += float(found(r"epoch time: (\d+\.\d{3})", line))
    if took / 1000 <= 1e-5:
        return None
    return py_round(total / (took / 1000 / ((t - w) * ranks)))


def speed_of(number, text, nodes, cards, batch, w, t):
    lines = text.split("\n")
    ranks = nodes * cards
    total = float(ranks * batch)

    def holding(*words):
        return [x for x in lines if all(y in x for y in words)]

    if number == 3:
        return sink(lines, w, t, total, ranks,
                    lambda x: int(found(r"step: (\d+)", x)))
    if number == 4:
        return sink(lines, w, t, total, ranks,
                    lambda x: int(found(r"step: (\d+)", x)) *
                    int(found(r"epoch: (\d+)", x)))
    if number == 5:
        got = [1000.0 / v * batch * nodes * cards for v in values(
            holding("throughput="), r"latency=(\d+.\d+) ms/batch", 1)]
        return np_round(np_mean(rows(got, t, ranks)[inverted(w, 100):t]))
    if number in (6, 9):
        key = "Epoch[0] Batch[" if number == 6 else " Epoch[0] Batch "
        got = values(holding(key), r"Speed: (\d+.\d+) samples/sec", 2)
        got = rows(got, t, 1 if number == 6 else ranks)
        return np_round(np_mean(got[inverted(w, 20):t]))
    if number == 7:
        got = values([x for x in lines if "INFO:root:Epoch[0] Batch" in x or
                      "INFO:root:Iter[0] Batch" in x],
                     r"Speed: (\d+\.\d+) samples/sec", 1)
        return np_round(np_mean([v * nodes for v in got][w // 20:t // 20]))
    if number == 8:
        got = values(holding("Rank:", "Total:"), r"Total:(\d+\.\d+) it", 1)
        return np_round(np_mean(got[w - 1:]))
    if number == 10:
        start = max(w, 20)
        return between(holding(" Epoch[0] Batch "), start * ranks, t * ranks,
                       total, t - start, comma=True)
    if number == 11:
        return between(behind_five(holding("Training Epoch: "),
                                   "Training Iteration: (.*)  average_loss"),
                       w, t, total, t - w)
    if number == 12:
        return between(behind_five(holding("Iteration: "),
                                   "Iteration: (.*)  train.loss :"),
                       w, t, total, t - w)
    if number == 13:
        got = values(holding(" imgs_per_sec "), r"sec : (\d+.\d+) ", 2)
        return np_round(np_mean(got[w - 20:t - 20]))
    if number == 14:
        return between(holding(" imgs_per_sec "), w - 19, t - 20, total,
                       t - 20 - (w - 19))
    if number == 15:
        got = []
        for line in holding(" throughput_train ", "Iteration: "):
            m = re.search(r"Iteration: \d+0 .*_train : (\d+\.\d+) seq", line)
            if m:
                got.append(float(m.group(1)))
        return py_round(np_mean(got[max(w, 20) // 10:t // 10]))
    if number == 16:
        begun = None
        for line in holding(" throughput_train : "):
            if f"Iteration: {w}" in line:
                begun = when(line)
            elif f"Iteration: {t}" in line:
                took = (when(line) - begun).total_seconds()
                return py_round(total / (took / (t - w)))
        return 0
    if number == 23:
        got = values(behind_five(holding("train: iter"), "iter (.*), loss"),
                     "throughput: (.*)")
        return np_round(np_mean(got[w - 1:t])) if len(got) >= t else 0
    if number == 24:
        got = values(holding("speed:"), r" speed: ([0-9.]+) steps/s")
        return np_round(np_mean(
            [round(v * (cards * batch), 4) for v in got][w:t]))
    if number == 25:
        got = values(holding("elapse"), r"elapse (.*?) sec")
        return np_round(np_mean([round(total / v, 4) for v in got][w:t]))
    if number == 26:
        begun = None
        for line in holding("elapse"):
            if f"train batch {w - 1}]" in line:
                begun = when(line, comma=True)
            elif f"train batch {t - 1}]" in line:
                took = (when(line, comma=True) - begun).total_seconds()
                return py_round(total / (took / (t - w)))
        return 0
    if number == 27:
        got = values(behind_five(holding("Epoch: "), r"\]\[ *(\d+)/"),
                     r"(\d.\d{1,3})\s")
        if len(got) < t:
            return 0
        took = 0
        for v in got[w:t]:
            took += v
        return py_round(total / (took / (t - w)))
    if number == 28:
        return between(holding("Train Step:"), max(w, 20), t, total, t - w,
                       date=False)
    start = 1 if w <= 100 else w // 100
    if number == 29:
        got = values(holding("TimeHistory"), r", (\d+.\d+) examples/second ")
        return np_round(np_mean(got[start:t // 100]))
    assert number == 30
    return between(holding("TimeHistory"), start, t // 100, total, t - w,
                   date=False)


# Scripts whose speed of a file is a NumPy number.
NUMPY_SPEED = {5, 6, 7, 8, 9, 13, 23, 24, 25, 29}
# Scripts whose published tables show an older NumPy, or none.
OWN_ROUND = {15, 16, 27}


def answer(number, folder, w, t):
    result, speeds = {}, {}
    for path in glob.glob(f"{folder}/*/*.log"):
        case = path.split("/")[-2]
        model, batch, _, run = os.path.basename(path)[:-4].split("_")
        batch = int(batch[1:])
        nodes, cards = int(case[0]), int(case[2:-1])
        with open(path) as f:
            speed = speed_of(number, f.read(), nodes, cards, batch, w, t)
        if speed is None:
            continue
        entry = result.setdefault(model, {}).setdefault(case, {})
        entry["average_speed"] = speed
        entry["batch_size_per_device"] = batch
        speeds.setdefault((model, case), {})[run] = speed
    median = py_round if number in OWN_ROUND else np_round
    average = np_round if number in NUMPY_SPEED else py_round
    for model, cases in result.items():
        names = list(cases)
        base = cases.setdefault("1n1g", {"average_speed": {}})
        for case in names:
            speedup = 1.0
            if base["average_speed"]:
                got = list(speeds[model, case].values())
                total = 0
                for v in got:
                    total += v
                cases[case]["average_speed"] = average(
                    total / len(got), 4 if number in (15, 16) else 2)
                cases[case]["median_speed"] = median(middle(got))
                speedup = cases[case]["median_speed"] / median(
                    middle(speeds[model, "1n1g"].values()))
            cases[case]["speedup"] = median(speedup)
    return result


def main():
    what, number, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if what == "logs":
        write_logs(number, folder, int(sys.argv[4]))
        return 0
    try:
        print(json.dumps(answer(number, folder, int(sys.argv[4]),
                                int(sys.argv[5])), sort_keys=True))
    except Stop as e:
        print(f"stops: {e}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
