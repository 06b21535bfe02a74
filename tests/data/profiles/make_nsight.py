"""Writes an SQLite export as Nsight Systems does, with times that give
known results, for tests/cli/nsight.sh. Without a file of nsys, tables and
columns are those of NVIDIA's "SQLite Export Schema Reference" (nsys-exporter).

usage: make_nsight.py FILE [steps=N] [words=TEXT] [old=1] [cpu_only=1]
                           [no_calls=1] [processes=N]

A step is 100 ms. The device runs 30 ms behind the CPU. There a step computes
from 0 to 60 ms; an allreduce runs from 40 to 70 ms, another one from 70 to 75
ms: busy 35 ms, exposed 15 ms. words: the name of a step's range, in which "%d"
is its number. old: no textId, no globalPid. With several processes the first
has one step more than the others, whose steps last half as long.
"""
import sqlite3
import sys

MS = 1000000
START = 5000 * MS


class Export:
    def __init__(self, path, options):
        self.db = sqlite3.connect(path)
        self.old = "old" in options
        self.strings = {}
        ids = "" if self.old else ", textId INT"
        pid = "" if self.old else ", globalPid INT"
        self.db.executescript("""
            CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY,
                value TEXT NOT NULL);
            CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT,
                eventType INT NOT NULL, rangeId INT, category INT, color INT,
                text TEXT, globalTid INT, endGlobalTid INT%s, domainId INT);
            """ % ids)
        if "cpu_only" not in options:
            self.db.executescript("""
                CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL,
                    end INT NOT NULL, deviceId INT NOT NULL, contextId INT,
                    streamId INT, correlationId INT%s, demangledName INT,
                    shortName INT);
                CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL,
                    end INT NOT NULL, globalTid INT, correlationId INT,
                    nameId INT, returnValue INT);
                CREATE TABLE TARGET_INFO_GPU (id INT NOT NULL, name TEXT);
                INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA Made-Up 1');
                """ % pid)
        if "no_calls" in options:
            self.db.execute("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
        self.calls = "no_calls" not in options

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.db.execute("INSERT INTO StringIds VALUES (?, ?)",
                            (self.strings[text], text))
        return self.strings[text]

    def range(self, name, start, end, pid):
        tid = pid << 24 | pid
        if self.old:
            self.db.execute("INSERT INTO NVTX_EVENTS VALUES "
                            "(?, ?, 59, NULL, NULL, NULL, ?, ?, NULL, 0)",
                            (start, end, name, tid))
        else:
            self.db.execute("INSERT INTO NVTX_EVENTS VALUES "
                            "(?, ?, 59, NULL, NULL, NULL, NULL, ?, NULL, ?, 0)",
                            (start, end, tid, self.string(name)))

    def kernel(self, name, start, end, device, pid, launched):
        n = self.db.execute(
            "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
        row = [start, end, device, 1, 7, n]
        if not self.old:
            row.append(pid << 24)
        row += [self.string(name + "(args)"), self.string(name)]
        self.db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%s)" %
                        ",".join("?" * len(row)), row)
        if self.calls:
            self.db.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                "(?, ?, ?, ?, ?, 0)",
                (launched, launched + 5000, pid << 24 | pid, n,
                 self.string("cudaLaunchKernel")))


def main():
    options = dict(a.split("=", 1) for a in sys.argv[2:])
    steps = int(options.get("steps", 4))
    words = options.get("words", "step %d")
    out = Export(sys.argv[1], options)
    for p in range(int(options.get("processes", 1))):
        pid, scale = 4711 + p, 2 if p else 1
        for i in range(steps - (p > 0)):
            ts = START + i * 100 * MS // scale
            name = words % (i + 3) if "%" in words else words
            out.range(name, ts, ts + 99 * MS // scale, pid)
            out.range("forward", ts + MS, ts + 2 * MS, pid)
            if "cpu_only" in options:
                continue
            dev = ts + 30 * MS
            out.kernel("gemm", dev, dev + 60 * MS // scale, p, pid, ts + MS)
            out.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                       dev + 40 * MS // scale, dev + 70 * MS // scale, p, pid,
                       ts + 2 * MS)
            out.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                       dev + 70 * MS // scale, dev + 75 * MS // scale, p, pid,
                       ts + 3 * MS)
    out.db.commit()


main()
