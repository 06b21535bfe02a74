"""Read a log as DLPerf's extract_pytorch_logs_time.py does, and compare.

usage: dlperf_reading.py NNMg/MODEL_bBATCH_PRECISION_RUN.log WARMUP LINES SPEED

Written from the description of what that script matches: the words "Epoch: ",
the number of the batch in the second pair of brackets, and as the time the
first text of one digit, any character, one to three digits and a blank.
"""
import re
import sys


def speed(path, warmup, last):
    folder, name = path.split("/")[-2:]
    batch = int(name.split("_")[1][1:])
    devices = int(folder[0]) * int(folder[2:-1])
    seconds, taken, seen = 0.0, 0, 0
    for line in open(path):
        if "Epoch: " not in line:
            continue
        place = re.search(r"\[.*\]\[(.*)\]", line).group(1)
        if int(place.split("/")[0]) <= 5:
            continue
        seen += 1
        if seen > warmup:
            seconds += float(re.findall(r"\d{1}.\d{1,3}\s", line)[0].strip())
            taken += 1
        if seen == last:
            return round(devices * batch / (seconds / taken), 2)
    sys.exit("%s: only %d lines" % (path, seen))


found = speed(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
if found != float(sys.argv[4]):
    sys.exit("%s images/s, not %s" % (found, sys.argv[4]))
