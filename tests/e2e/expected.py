"""Test extract_logs on real logs with known numbers.  Prints TAP.

    expected.py CORPUS EXTRACT_LOGS

1. The sets of CORPUS/expected.json: each configuration's runs and median under
   the options of the set.  A set of logs that no format recognises is skipped,
   unless it is in COVERED.
2. Logs of built-in formats, by a second implementation of the rules.
3. Figures published with the logs.

Prints file -> expected -> got for each.
"""
import csv
import glob
import json
import math
import os
import re
import statistics
import subprocess
import sys

COVERED = {"mxnet-speedometer/mlperf07-nvidia-resnet"}
corpus, program = sys.argv[1], os.path.abspath(sys.argv[2])
os.chdir(corpus)
n_tests = 0


def report(ok, name, skip=None):
    global n_tests
    n_tests += 1
    print(f"{'ok' if ok else 'not ok'} {n_tests} - {name}" +
          (f" # SKIP {skip}" if skip else ""))


def extract(options, files):
    done = subprocess.run(
        [program, "-q", "-o", "-", *options, "--", *files],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    result = json.loads(done.stdout) if done.stdout else None
    return result, done.stderr.decode("utf-8", "replace").strip()


def close(want, got, digits=1e-6):
    return math.isclose(want, got, rel_tol=digits, abs_tol=6e-5)


def unknown_format(options, files):
    """True if no format recognises any of the files."""
    done = subprocess.run([program, "-o", "/dev/null", *options, "--", *files],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = done.stderr.decode("utf-8", "replace")
    return text.count("no format matches it") == len(files)


def check_config(name, options, config):
    files = list(config["runs"])
    result, error = extract(options, files)
    if result is None:
        return unknown_format(options, files), False, [error]
    lines, ok = [], True
    got = sorted(r["value"] for c in result["cases"] for r in c["runs"])
    want = sorted(config["runs"].values())
    order = sorted(files, key=lambda f: config["runs"][f])
    for i, path in enumerate(order):
        value = got[i] if i < len(got) else None
        lines.append(f"{path} -> {want[i]} -> {value}")
        ok = ok and value is not None and close(want[i], value)
    medians = [c["median_speed"] for c in result["cases"]]
    lines.append(f"{name} {config['label']}: median -> {config['median']} -> "
                 f"{medians}")
    ok = ok and len(medians) == 1 and close(config["median"], medians[0])
    return False, ok and len(got) == len(want), lines


def check_sets():
    for s in json.load(open("expected.json"))["sets"]:
        options = s["options"].split()
        for config in s["configs"]:
            name = f"{s['set']} {config['label']}"
            unknown, ok, lines = check_config(s["set"], options, config)
            for line in lines:
                print("#", line)
            if unknown and s["set"] not in COVERED:
                report(True, name, "no format knows these logs yet")
            else:
                report(ok, name)


def records(path, pattern):
    text = open(path, "rb").read()
    return [tuple(float(x) for x in m) for m in re.findall(pattern, text)]


def harmonic(pairs):
    """(weight, rate): total work over total time"""
    return (math.fsum(w for w, _ in pairs) /
            math.fsum(w / r for w, r in pairs))


def check(path, options, want):
    result, error = extract(options, [path])
    got = result["cases"][0]["runs"][0]["value"] if result else error
    print(f"# {path} {' '.join(options)} -> {want!r} -> {got!r}")
    report(result is not None and math.isclose(want, got, rel_tol=1e-11),
           f"{path} {' '.join(options)}")


DLL_PYTORCH = (rb"Epoch: (\d+) Iteration: (\d+)  train\.loss : .*?"
               rb"train\.total_ips : ([\d.]+) im")
DLL_MXNET = (rb"Epoch: (\d+) Iteration: (\d+) +train\.loss : .*?"
             rb"train\.ips : ([\d.]+) im")
DLL_TENSORFLOW = rb"\((\d+), (\d+)\) total_ips : ([\d.]+)"
SPEEDOMETER = (rb"Epoch\[(\d+)\] Batch ?\[(\d+)-(\d+)\]\s+"
               rb"Speed: ([\d.]+) samples/sec")
IMAGENET = rb"Epoch: \[(\d+)\]\[ *(\d+)/\d+\]\s+Time +([\d.]+) \("


def check_dllogger():
    for path in sorted(glob.glob("nvidia-dle-pytorch/perf-resnet50/*/*.txt")):
        found = records(path, DLL_PYTORCH)
        assert found, path
        check(path, ["--rule=all", "--from-iteration=20", "--aggregate=mean"],
              statistics.fmean(r for _, i, r in found if i >= 20))
        check(path, ["--train-batches=58"],
              harmonic([(1, r) for _, i, r in found if 25 <= i - 1 < 63]))
    for path in sorted(glob.glob("nvidia-dle-mxnet/perf-resnet50/*/*.txt")):
        pairs, last = [], {}
        for e, i, r in records(path, DLL_MXNET):
            pairs.append((i + 1 - last.get(e, 0), r))
            last[e] = i + 1
        assert pairs, path
        check(path, ["--rule=all"], harmonic(pairs))
        check(path, ["--rule=all", "--aggregate=median"],
              statistics.median(r for _, r in pairs))
    for path in sorted(
            glob.glob("nvidia-dle-tensorflow/perf-resnet50/*/*.txt")):
        found = records(path, DLL_TENSORFLOW)
        if found:
            check(path, ["--rule=all", "--aggregate=mean"],
                  statistics.fmean(r for _, _, r in found))


def check_speedometer():
    for path in sorted(glob.glob("mxnet-speedometer/**/*.txt",
                                 recursive=True)):
        found = records(path, SPEEDOMETER)
        first = found[0][0]
        window = [(b - a, r) for e, a, b, r in found
                  if e == first and a >= 25 and b <= 125]
        check(path, [], harmonic(window))


def check_imagenet():
    for path in sorted(glob.glob("excerpts/pytorch-imagenet*.log")):
        times = [t for _, _, t in records(path, IMAGENET)]
        check(path, ["--rule=all", "--metric=step-time"],
              statistics.fmean(times))
        check(path, ["--rule=all", "--batch-size-per-device=128", "--nodes=2",
                     "--gpus-per-node=8"], 2048 / statistics.fmean(times))


PUBLISHED = [
    ("nvidia-dle-pytorch/perf-resnet50/V100/pytorch_gpu32_amp_bs256.txt",
     "--rule=summary", 21259.81),
    ("nvidia-dle-pytorch/perf-resnet50/V100/pytorch_gpu32_fp32_bs256.txt",
     "--rule=summary", 10523.32),
    ("nvidia-dle-tensorflow/perf-resnet50/V100/tf_gpu32_amp_bs256.txt",
     "--rule=summary", 33317.67),
    ("nvidia-dle-tensorflow/perf-resnet50/V100/tf_gpu32_fp32_bs256.txt",
     "--rule=summary", 12671.9),
]


def check_published():
    for path, option, want in PUBLISHED:
        result, error = extract([option], [path])
        got = result["cases"][0]["median_speed"] if result else error
        print(f"# {path} -> {want} -> {got}")
        report(result is not None and abs(want - got) <= 0.051,
               f"published: {path}")


def check_time_to_train():
    """run_stop - run_start of SOURCES.tsv; runs that failed do not count."""
    want = {}
    for line in open("SOURCES.tsv"):
        fields = line.rstrip("\n").split("\t")
        found = re.search(r"run_stop-run_start=([\d.]+) min(?! status=abo)",
                          fields[-1])
        if found and os.path.exists(fields[0]):
            want[fields[0]] = float(found[1])
    for folder in sorted({os.path.dirname(path) for path in want}):
        paths = sorted(p for p in want if os.path.dirname(p) == folder)
        result, error = extract(["--metric=time-to-train"], paths)
        got = {r["run"]: r["value"] for c in result["cases"]
               for r in c["runs"]} if result else {}
        ok = len(got) == len(paths)
        for path in paths:
            run = re.search(r"_(\d+)\.txt", path)[1]
            print(f"# {path} -> {want[path]} min -> {got.get(run)}")
            ok = ok and abs(want[path] - got.get(run, 0)) <= 5.1e-4
        unknown = not ok and unknown_format([], paths)
        report(ok or unknown, f"time to train: {folder}",
               "no format knows these logs yet" if unknown else None)


def check_collectives():
    """Mean and maximum bus bandwidth of pairwise--summary.csv."""
    folder = "nccl-tests/example-cluster00"
    rows = csv.DictReader(open(f"{folder}/pairwise--summary.csv"))
    want = {(row["file"], row["test"]): row for row in rows}
    result, error = extract([], [f"{folder}/pairwise"])
    ok, n = result is not None, 0
    for run in (r for c in result["cases"] for r in c["runs"]):
        for test in {x["collective"] for x in run["collectives"]}:
            bus = [x["bus_gb_per_s"] for x in run["collectives"]
                   if x["collective"] == test]
            row = want[os.path.basename(run["path"]), test]
            print(f"# {run['path']} {test} -> {row['avg_bus_bw_GBs']}, "
                  f"{row['peak_busbw_GBs']} -> {statistics.fmean(bus):.4f}, "
                  f"{max(bus)}")
            n += 1
            # The rows have two decimals.
            ok = (ok and close(float(row["peak_busbw_GBs"]), max(bus)) and
                  abs(float(row["avg_bus_bw_GBs"]) - statistics.fmean(bus))
                  < 0.0051)
    report(ok and n > 0, f"nccl-tests: {n} tests of the published summary")


# Figures from reports and record tables for these logs, with their rounding.
STATED = [
    ("modded-nanogpt/records/2024-10-14*", "--metric=time-to-train", 15.2, .1),
    ("modded-nanogpt/records/2024-11-19*", "--metric=time-to-train",
     5.03, .01),
    ("modded-nanogpt/records/2025-01-16*", "--metric=time-to-train",
     2.992, .001),
    ("modded-nanogpt/records/2025-05-25*", "--metric=time-to-train",
     2.979, .001),
    ("paddlenlp/perf-bert/V100/base_bs96_fp32_gpu32.log",
     "--rule=all --from-iteration=20 --aggregate=mean", 4829.904, 1),
    ("fairseq-nvidia/perf-transformer/V100/transformer_pytorch_bs5120_fp32_"
     "gpu1", "--rule=all --aggregate=mean", 9040.48, 10),
    ("fairseq-nvidia/perf-transformer/V100/pytorch_gpu32_fp32_bs2560",
     "--rule=all --aggregate=mean", 166352.6, 200),
    ("mmseg-text/perf-deeplabv3p/deeplabv3p_c32_fp16.log",
     "--rule=all --aggregate=median", 203.2, .5),
]


def check_told():
    for pattern, options, want, within in STATED:
        path = glob.glob(pattern)[0]
        result, error = extract(options.split(), [path])
        got = result["cases"][0]["median_speed"] if result else error
        print(f"# {path} {options} -> {want} -> {got}")
        report(result is not None and abs(want - got) <= within,
               f"stated: {path}")


check_sets()
check_collectives()
check_time_to_train()
check_dllogger()
check_speedometer()
check_imagenet()
check_published()
check_told()
print(f"1..{n_tests}")
