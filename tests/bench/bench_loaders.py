"""Compares our JPEG decoding, cropping and resizing with Python's loaders: the
same files in memory, the same boxes, to 224 x 224 pixels, one thread each, in
alternation.

usage: bench_loaders.py BINDIR SRCDIR

Environment: BENCH_PYTHONS, interpreters that may have a loader ("python3");
BENCH_ROUNDS (15); BENCH_READY, a command to run before the race. Prints medians
over the rounds of images per second of CPU time and per second of elapsed time,
and the mean difference of the pixels from ours, of 255."""

import os
import statistics
import subprocess
import sys
import tempfile

bindir, srcdir = sys.argv[1:3]
rounds = int(os.environ.get("BENCH_ROUNDS", 15))
pythons = os.environ.get("BENCH_PYTHONS", "python3").split()
bench = bindir + "/tests/bench/bench_data"
rivals = {"pillow": "torchvision's transforms, Pillow",
          "pillow_simd": "Pillow-SIMD",
          "torchvision_io": "torchvision.io and tensors",
          "opencv": "OpenCV",
          "simplejpeg": "simplejpeg, OpenCV",
          "pyturbojpeg": "PyTurboJPEG, OpenCV",
          "ffcv": "FFCV's decoder and resizer"}
sizes = ["500 x 375", "1000 x 750"]
images = 48


def start(args):
    """A runner that is ready and its text, or None and the reason."""
    child = subprocess.Popen(args, stdin=subprocess.PIPE, text=True, bufsize=1,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = child.stdout.readline().split(None, 1)
    if said[:1] == ["ready"]:
        return child, said[1].strip()
    lines = child.stderr.read().splitlines()
    child.wait()
    return None, lines[-1] if lines else "it said nothing"


def start_rival(name, folder):
    """Start a rival with the first interpreter that has it."""
    why = ""
    for python in pythons:
        try:
            child, said = start([python, srcdir + "/tests/bench/"
                                 "loader_step.py", name, folder])
        except OSError as e:
            child, said = None, str(e)
        if child:
            return child, said
        if not why or "ImportError" not in said and "NotFound" not in said:
            why = said
    return None, why


def step(child):
    child.stdin.write("step\n")
    word, wall, cpu = child.stdout.readline().split()
    return images / float(cpu), images / float(wall)


def race(size, folder):
    rows = [("ours, all decoded", *start([bench, "serve", str(size), "0"])),
            ("ours, as the loader does",
             *start([bench, "serve", str(size), "2"]))]
    rows += [(text, *start_rival(name, folder))
             for name, text in rivals.items()]
    if size == 0 and os.environ.get("BENCH_READY"):
        subprocess.run(os.environ["BENCH_READY"], shell=True, check=True)
    rates = {}
    for i in range(rounds + 1):
        for text, child, _ in rows:
            if child:
                now = step(child)
                if i:  # the first one warms up
                    rates.setdefault(text, []).append(now)
    own = [cpu for cpu, _ in rates[rows[1][0]]]
    print(f"JPEG {sizes[size]}, images a second and core of CPU time "
          f"(in time passed), ours over it, pixels' difference")
    for text, child, said in rows:
        if not child:
            print(f"  {text:34} not measured: {said}")
            continue
        child.stdin.close()
        child.wait()
        cpu = statistics.median(c for c, _ in rates[text])
        wall = statistics.median(w for _, w in rates[text])
        ratio = statistics.median(o / c for o, (c, _) in zip(own, rates[text]))
        off, versions = ("", "") if text.startswith("ours") else \
            said.split(None, 1)
        print(f"  {text:34}{cpu:7.0f}{wall:9.0f}{ratio:8.2f}{off:>6}  "
              f"{versions}")


with tempfile.TemporaryDirectory(prefix="dlscale-bench-") as tmp:
    for size in range(len(sizes)):
        folder = f"{tmp}/{size}"
        said = subprocess.run([bench, "write", str(size), folder], check=True,
                              capture_output=True, text=True).stdout
        if said:
            print(said.strip())
            break
        race(size, folder)
