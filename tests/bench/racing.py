"""Runs and measures programs, for the Python benchmarks."""

import os
import subprocess
import sys
import time


def run(args, environment=None):
    """CPU seconds, seconds, and the largest memory in MiB of a program whose
    output goes to a pipe; if it fails, the benchmark ends."""
    start = time.monotonic()
    child = subprocess.Popen(args, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment)
    child.stdout.read()  # grep stops early without a reader
    said = child.stderr.read()
    _, status, use = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{args}: status {status}: {said.decode()}")
    return (use.ru_utime + use.ru_stime, time.monotonic() - start,
            use.ru_maxrss / 1024)


def race(runners, rounds, environment=None, patience_s=float("inf")):
    """Best CPU seconds, best seconds and most memory of each command, run in
    alternation. A command that took longer than patience_s is not run again."""
    best = {}
    for _ in range(rounds):
        for name, args in runners.items():
            if name in best and best[name][1] > patience_s:
                continue
            cpu, wall, mem = run(args, environment)
            old = best.get(name, (cpu, wall, mem))
            best[name] = (min(old[0], cpu), min(old[1], wall),
                          max(old[2], mem))
    return best
