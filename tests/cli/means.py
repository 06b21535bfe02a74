# means.py DIR SEED N: write N logs of random programs, periods, digits and
# hosts that run ahead of their device, each in its own folder, and DIR/truth
# with a line for each: its path and the seconds of all its iterations.
#
# means.py --check TRUTH RESULT: for every run, its value and the truth for its
# iterations are between the ends of its rounding.
import json
import os
import random
import sys

BATCH = 32


def steps(r):
    """Seconds of 400 iterations on the device, and as the host saw them."""
    t = 10 ** r.uniform(-1.7, 0.1)
    true = [t * (1 + 0.03 * r.random()) for _ in range(400)]
    for i in range(0, 400, r.choice((7, 13, 1000))):
        true[i] *= r.choice((1, 2))
    seen = list(true)
    if r.random() < 0.5:
        # The host waits for the device at every second step only.
        for i in range(0, 400, 2):
            both = true[i] + true[i + 1]
            seen[i], seen[i + 1] = (0.98 * both, 0.02 * both)
            if r.random() < 0.5:
                seen[i], seen[i + 1] = seen[i + 1], seen[i]
    return true, seen


def begin(r, p):
    """The first line's iteration, and the first that the meter counts."""
    if p != 10 or r.random() < 0.7:
        return 0, 0
    return 20, r.choice((0, r.randrange(11, 21)))


def pytorch(r, seen, p):
    base = r.choice((0, 1))
    start, meter = begin(r, p)
    for i in range(start, 400, p):
        mean = sum(seen[meter : i + 1]) / (i + 1 - meter)
        yield (
            "Epoch: [0][%4d/400]\tTime %6.3f (%6.3f)\tData  0.000 ( 0.000)\t"
            "Loss 6.9e+00 (6.9e+00)\tAcc@1   0.00 (  0.00)\tAcc@5   0.00 "
            "(  0.00)\n" % (i + base, seen[i], mean)
        )


def swin(r, seen, p):
    start, meter = begin(r, p)
    for i in range(start, 400, p):
        mean = sum(seen[meter : i + 1]) / (i + 1 - meter)
        yield (
            "[2021-04-13 12:39:46 swin_tiny](main.py 204): INFO Train: "
            "[0/300][%d/400]\teta 0:10:12 lr 0.000021\ttime %.4f (%.4f)\tloss "
            "6.9112 (6.9410)\tgrad_norm 1.5120 (1.6001)\tmem 6842MB\n"
            % (i, seen[i], mean)
        )


def timm(r, seen, p):
    for i in range(0, 400, p):
        mean = sum(seen[: i + 1]) / (i + 1)
        yield (
            "Train: 0 [%4d/400 ( %2d%%)]  Loss: 6.9 (6.95)  Time: %.3fs, "
            "%7.2f/s  (%.3fs, %7.2f/s)  LR: 1.000e-01  Data: 0.010 (0.012)\n"
            % (i, i / 4, seen[i], BATCH / seen[i], mean, BATCH / mean)
        )


def deepspeed(r, seen, p):
    for n in range(p, 401, p):
        if n > 2:
            mean = sum(seen[2:n]) / (n - 2)
            yield (
                "[2023-04-18 01:46:59,171] [INFO] [timer.py:199:stop] "
                "epoch=0/micro_step=%d/global_step=%d, "
                "RunningAvgSamplesPerSec=%r, CurrSamplesPerSec=%r, "
                "MemAllocated=3.96GB\n"
                % (n, n, BATCH / mean, BATCH / seen[n - 1])
            )


def tqdm(r, seen, p):
    for n in range(p, 401, p):
        t = int(sum(seen[:n]))
        yield "\rTraining: %3d%%|### | %d/400 [%02d:%02d<00:10, 1.00it/s]" % (
            n / 4,
            n,
            t // 60,
            t % 60,
        )


def make(folder, seed, n):
    r = random.Random(seed)
    with open(os.path.join(folder, "truth"), "w") as truth:
        for k in range(n):
            program = r.choice((pytorch, swin, timm, deepspeed, tqdm))
            true, seen = steps(r)
            p = r.choice((1, 10, 50))
            if program is tqdm:
                p = 50
            path = "%s%d/1n1g/resnet50_b%d_fp32_1.log" % (
                program.__name__,
                k,
                BATCH,
            )
            os.makedirs(os.path.join(folder, os.path.dirname(path)))
            with open(os.path.join(folder, path), "w") as f:
                f.write("".join(program(r, seen, p)))
            first = 0
            if program is pytorch:
                with open(os.path.join(folder, path)) as f:
                    first = int(f.readline().split("][")[1].split("/")[0])
                    first %= 10
            elif program in (deepspeed, tqdm):
                first = 1
            # Lines of all iterations are exact except for their digits.
            mean = sum(true) / 400
            digits = {
                pytorch: 0.0005 / mean,
                swin: 0.00005 / mean,
                timm: 0.005 * max(seen) / BATCH,
            }.get(program, 0.0)
            row = [path, p, first, digits] + (seen if p == 1 else true)
            truth.write(" ".join(map(str, row)) + "\n")


def check(truth_path, result_path):
    truth = {}
    with open(truth_path) as f:
        for line in f:
            x = line.split()
            truth[x[0]] = (int(x[1]), int(x[2]), float(x[3]), x[4:])
    with open(result_path) as f:
        result = json.load(f)
    runs = means = bad = 0
    for case in result["cases"]:
        unit = 1 if case["unit"] == "iterations/s" else BATCH
        for run in case["runs"]:
            p, base, digits, times = truth[run["path"]]
            first = run["first_iteration"] - base
            last = run["last_iteration"] - base
            t = [float(x) for x in times[first : last + 1]]
            true = unit * len(t) / sum(t)
            ends = run.get("rounding")
            slack = 2 * digits + 2e-9
            if ends is None:
                ends = {
                    "low": run["value"] * (1 - slack),
                    "high": run["value"] * (1 + slack),
                }
                if p > 1:
                    print("no ends:", run["path"], run["flags"])
                    bad += 1
            runs += 1
            means += "printed running means are used" in str(run["flags"])
            # A host that runs ahead moves a step over the window's ends.
            moved = 2 * max(t) / sum(t) if p > 1 else 0
            low = ends["low"] * (1 - moved)
            high = ends["high"] * (1 + moved)
            if not low <= true <= high:
                print("out:", run["path"], true, ends, run["flags"])
                bad += 1
            if not ends["low"] * 0.999 <= run["value"] <= ends["high"] * 1.001:
                print("value:", run["path"], run["value"], ends)
                bad += 1
    print("#", runs, "runs,", means, "by means,", len(truth), "logs")
    return bad > 0 or runs < 0.9 * len(truth) or means < 0.3 * runs


if sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2], sys.argv[3]))
make(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
