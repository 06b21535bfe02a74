"""Races extract_logs against memchr and other readers of logs, on logs that it
makes in a temporary folder, and prints ratios of one run.

usage: bench_extract.py BINDIR SRCDIR

Environment: BENCH_MB, size of the large log (1000); BENCH_FILES, number of
20 kB files (10000); BENCH_ROUNDS (3); BENCH_PARTS, some of "floors scan whole
packed kinds dlperf" (all).  Times of one thread are processor times, those of
several threads are elapsed times; each is the best of the rounds."""

import os
import shutil
import subprocess
import sys
import tempfile

import racing
import whole_programs

bindir, srcdir = sys.argv[1:3]
mb = int(os.environ.get("BENCH_MB", 1000))
n_files = int(os.environ.get("BENCH_FILES", 10000))
rounds = int(os.environ.get("BENCH_ROUNDS", 3))
scan = bindir + "/tests/bench/bench_scan"
extract = bindir + "/extract_logs"
metadata = ["--nodes=1", "--gpus-per-node=1", "--batch-size-per-device=4"]
parts = os.environ.get("BENCH_PARTS",
                       "floors scan whole packed kinds dlperf").split()


def race(runners, clock=0):
    """Best time of each command; the commands run in turn."""
    return {name: times[clock]
            for name, times in racing.race(runners, rounds).items()}


def row(what, value, unit, ratio=None, note=""):
    print(f"{what:36} {value:10.2f} {unit:6}"
          + ("" if ratio is None else f" {ratio:8.2f}") + f"  {note}")


def make(kind, size, path):
    subprocess.run([scan, "make", kind, str(size), path], check=True)


program = [extract, "-q", "-o", "/dev/null", *metadata]


def ours(*args):
    return [*program, "--no-hash", *args]


def head(title):
    print(f"\n{title}")
    sys.stdout.flush()


def large(tmp):
    log = tmp + "/large.log"
    make("plain", mb * 1000000, log)
    if "scan" in parts:
        head(f"A log of {mb} MB, in one process")
        subprocess.run([scan, "scan", log], check=True)
    if "whole" in parts:
        head(f"The same {mb} MB, whole programs")
        whole_programs.against_rivals(program, srcdir, tmp, log, rounds)
        head("extract_logs over itself, the same log and one of eight ranks")
        whole_programs.against_itself(program, tmp, log, rounds)
        shutil.rmtree(tmp + "/rival")
    os.unlink(log)


def packed(tmp):
    two, part = tmp + "/two", tmp + "/part.log"
    os.mkdir(two)
    for i in range(4):
        make("plain", mb * 100000, f"{two}/b4_{i}.log")
    head("Two threads over one, and packed logs")
    best = race({"1": ours("-j1", two), "2": ours("-j2", two)}, clock=1)
    row("two threads over one, four logs", best["2"], "s",
        best["1"] / best["2"])
    shutil.rmtree(two)
    make("plain", max(mb // 20, 1) * 1000000, part)
    for packer in ("gzip -1", "zstd -q", "xz -0"):
        name = packer.split()[0]
        if not shutil.which(name):
            continue
        subprocess.run(f"{packer} -c {part} >{part}.{name}", shell=True,
                       check=True)
        best = race({"them": ["sh", "-c",
                              f"{name} -dc {part}.{name} | grep -c ''"],
                     "us": ours("-j1", f"{part}.{name}")})
        row(f"{name} -dc | grep -c ''", os.path.getsize(part) /
            best["us"] / 1e6, "MB/s", best["them"] / best["us"])
        os.unlink(f"{part}.{name}")
    os.unlink(part)


def kinds(tmp):
    part = tmp + "/part.log"
    for kind in ("json", "scalars", "metrics", "bars"):
        make(kind, mb * 100000, part)
        head(f"{kind}, {mb // 10} MB, in one process")
        subprocess.run([scan, "scan", part], check=True)
    os.unlink(part)


def make_tree(tree):
    os.mkdir(tree)
    make("plain", 20000, tree + "/b4_0.log")
    for i in range(1, n_files):
        shutil.copyfile(tree + "/b4_0.log", f"{tree}/b4_{i}.log")


def dlperf(tmp):
    """A tree of the size of those in DLPerf's reports."""
    tree = tmp + "/logs"
    for case in ("1n1g", "1n4g", "1n8g", "2n8g", "4n8g"):
        os.makedirs(f"{tree}/{case}")
        for i in range(1, 8):
            make("plain", 300000, f"{tree}/{case}/r50_b128_fp32_{i}.log")
    rival = srcdir + "/tests/bench/dlperf_rival.py"
    best = race({"them": [sys.executable, rival, tree],
                 "us": [extract, "-q", "-j1", "-o", "/dev/null", tree]})
    head("35 logs of 300 kB in DLPerf's layout")
    row("a Python script like DLPerf's", best["them"] * 1e3, "ms",
        best["them"] / best["us"])
    row("extract_logs", best["us"] * 1e3, "ms", 1)


def floors(tmp):
    """The rows of doc/performance.md, "Extraction"."""
    log, tree = tmp + "/large.log", tmp + "/tree"
    make("plain", mb * 1000000, log)
    make_tree(tree)
    head("Floors of extraction: our figure, the ratio")
    commands = {"rg": ["rg", "-j1", "--mmap", "-c", whole_programs.STEP, log],
                "one": ours("-j1", log),
                "all": ours("-j1", "--rule=all", log),
                "cat": ["sh", "-c", f"cat {tree}/* >/dev/null"],
                "files": ours("-j2", tree)}
    # The first run of a command warms the memory for the second, which counts.
    best = racing.race({name + again: args for name, args in commands.items()
                        for again in (" before", "")
                        if shutil.which(args[0])}, rounds)
    cpu, _, memory = best["one"]
    if "rg" in best:
        row(f"rg -c over it, {mb} MB, processor", cpu, "s",
            best["rg"][0] / cpu, "at least 1.5")
    row("--rule=all over it, processor", best["all"][0], "s",
        best["all"][0] / cpu, "at most 2")
    for rule, mib in (("", memory), (", rule=all", best["all"][2])):
        row("memory - 64 MiB over the log" + rule, mib, "MiB",
            (mib - 64) * 2**20 / os.path.getsize(log), "at most 1")
    row(f"cat over it, {n_files} of 20 kB, -j2", best["files"][1], "s",
        best["cat"][1] / best["files"][1], "at least 0.3")
    os.unlink(log)
    shutil.rmtree(tree)


with tempfile.TemporaryDirectory(prefix="dlscale-bench-") as tmp:
    free = shutil.disk_usage(tmp).free / 1e6
    if free < 3 * mb:
        sys.exit(f"bench_extract: only {free:.0f} MB free in {tmp}")
    if "scan" in parts or "whole" in parts:
        large(tmp)
    for name, part in (("packed", packed), ("kinds", kinds),
                       ("dlperf", dlperf), ("floors", floors)):
        if name in parts:
            part(tmp)
