"""Time whole programs on one log: extract_logs against other readers of logs,
and extract_logs with an option against itself without it."""

import os
import shutil
import subprocess
import sys

from racing import race

STEP = (r"Epoch: \[(\d+)\] ?\[ *(\d+)/(\d+)\]\s+Time +([\d.]+) \( *[\d.]+\)"
        r"\s+Data")
LOOP = """import re, statistics, sys
r = re.compile(r'%s')
times = []
for line in open(sys.argv[1]):
    m = r.search(line)
    if m:
        times.append((int(m[1]), int(m[2]), int(m[3]), float(m[4])))
print(statistics.median(t[3] for t in times))
""" % STEP
# GoAccess analyses requests. The client is the epoch, the URL the number of
# iterations in an epoch, the time the iteration in seconds, and the serving
# time that of the step, of which GoAccess computes the mean and no median.
GOACCESS = ["--no-global-config", "--no-ip-validation", "--no-strict-status",
            "--no-progress", "--no-parsing-spinner", "--num-tests=0",
            "--log-format=Epoch: [%h][%~%x/%U]%^Time%~%T %^",
            "--datetime-format=%s"]
PATIENCE_S = 20


def rivals(srcdir, tmp, log):
    """[(name, what it answers, command or the reason why it is left out)]"""
    here = srcdir + "/tests/bench/"
    tree = tmp + "/rival/1n1g"
    os.makedirs(tree)
    os.link(log, tree + "/r50_b128_fp32_1.log")
    formats = tmp + "/lnav/formats/dlscale"
    os.makedirs(formats)
    shutil.copy(here + "lnav_format.json", formats)
    rows = [
        ("wc -l", "lines", ["wc", "-l", log]),
        ("grep -c ''", "lines", ["grep", "-c", "", log]),
        ("ripgrep", "steps",
         ["rg", "-j1", "--no-mmap", "-c", STEP, log]),
        ("ripgrep, mapped", "steps",
         ["rg", "-j1", "--mmap", "-c", STEP, log]),
        ("GoAccess", "mean step",
         ["goaccess", log, *GOACCESS, "-o", tmp + "/goaccess.json"]),
        ("lnav", "median step",
         ["lnav", "-I", tmp + "/lnav", "-n", "-q", "-c",
          ";SELECT count(*), median(step_s) FROM pytorch_imagenet", "-c",
          ":write-csv-to -", log]),
        ("Vector", "", ["vector"]),
        ("Python's re", "median step", [sys.executable, "-c", LOOP, log]),
        ("a script like DLPerf's", "mean, speedup",
         [sys.executable, here + "dlperf_rival.py", tmp + "/rival"]),
    ]
    return [(name, what, args if shutil.which(args[0]) else
             "not installed, not measured") for name, what, args in rows]


def against_rivals(ours, srcdir, tmp, log, rounds):
    """ours: the command of extract_logs without options and log."""
    own = "extract_logs, no hash"
    rows = [(own, "result", [*ours, "-j1", "--no-hash", log]),
            ("extract_logs", "and hash", [*ours, "-j1", log]),
            ("extract_logs, two threads", "and hash", [*ours, "-j2", log]),
            *rivals(srcdir, tmp, log)]
    environment = dict(os.environ, HOME=tmp, TMPDIR=tmp, TERM="dumb")
    best = race({name: args for name, _, args in rows
                 if not isinstance(args, str)}, rounds, environment,
                PATIENCE_S)
    size = os.path.getsize(log)
    print(f"{'':27}{'answers':14}{'wall s':>8}{'CPU s':>8}{'MB/s':>7}"
          f"{'MiB':>6}  its time over ours: wall, CPU")
    for name, what, args in rows:
        if isinstance(args, str):
            print(f"{name:27}{args}")
            continue
        cpu, wall, mem = best[name]
        print(f"{name:27}{what:14}{wall:8.3f}{cpu:8.3f}"
              f"{size / wall / 1e6:7.0f}{mem:6.0f}"
              f"{wall / best[own][1]:9.2f}{cpu / best[own][0]:9.2f}")


def eight_ranks(log, path, size):
    """The steps of a log, each printed by eight ranks."""
    with open(log) as f, open(path, "w") as out:
        used = 0
        for line in f:
            if used >= size:
                break
            if line.startswith("Epoch"):
                used += out.write("".join(f"[1,{rank}]<stdout>:{line}"
                                          for rank in range(8)))


def against_itself(ours, tmp, log, rounds):
    ranks = tmp + "/ranks.log"
    eight_ranks(log, ranks, os.path.getsize(log))
    options = {"-j1": [], "-j1 --rule=all": [], "-j1 --epoch=all": [],
               "-j1 --records": ["--records=" + tmp + "/records"],
               "-j2": [], "-j2 --rule=all": []}
    best = [race({name: [*ours, "--no-hash", *(o or name.split()[1:]),
                         name.split()[0], "--gpus-per-node=" + gpus, path]
                  for name, o in options.items()}, rounds)
            for gpus, path in (("1", log), ("8", ranks))]
    print(f"{'':20}{'one rank: wall s, CPU s':>24}{'ratios':>12}"
          f"{'eight ranks: s, s':>20}{'ratios':>12}")
    for name in options:
        print(f"{name:20}", end="")
        for b, width in zip(best, (24, 20)):
            cpu, wall, _ = b[name]
            base = b["-j1"]
            times = f"{wall:.3f} {cpu:.3f}"
            ratios = f"{wall / base[1]:.2f} {cpu / base[0]:.2f}"
            print(f"{times:>{width}}{ratios:>12}", end="")
        print()
    os.unlink(ranks)
