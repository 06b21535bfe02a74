"""Runs programs and measures them: what the Python benchmarks share."""

import os
import subprocess
import sys
import time


def run(args, environment=None):
    """Processor seconds, seconds, and the largest memory in MiB of a program
    whose output goes to a pipe; an error of it ends the benchmark."""
    start = time.monotonic()
    child = subprocess.Popen(args, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment)
    child.stdout.read()  # grep stops early where no one reads
    said = child.stderr.read()
    _, status, use = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{args}: status {status}: {said.decode()}")
    return (use.ru_utime + use.ru_stime, time.monotonic() - start,
            use.ru_maxrss / 1024)


def race(runners, rounds, environment=None, patience_s=float("inf")):
    """Each command's best processor seconds, best seconds and most memory, all
    in turn.  What took longer than patience_s is not run again."""
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
