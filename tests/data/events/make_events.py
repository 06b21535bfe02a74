"""Event files for the tests, written by TensorBoard's own writer and read by
its own reader.

    make_events.py DIR      write DIR/*.tfevents and what its reader finds in
                            them, DIR/*.expected (tag, step, time, value)

The files beside this script were made with tensorboard 2.21.0. Their times are
fixed, so that only the bytes of the first record depend on the clock.
"""
import os
import shutil
import sys
import tempfile

import numpy as np
from tensorboard.backend.event_processing import event_file_loader
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

START = 1700000000.0


class Run:
    """One event file: scalars at chosen times."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.writer = EventFileWriter(self.folder)

    def value(self, step, at, value):
        self.writer.add_event(event_pb2.Event(
            wall_time=START + at, step=step,
            summary=summary_pb2.Summary(value=[value])))

    def simple(self, step, at, tag, x):
        self.value(step, at, summary_pb2.Summary.Value(
            tag=tag, simple_value=x))

    def tensor(self, step, at, tag, x, kind=np.float32):
        self.value(step, at, summary_pb2.Summary.Value(
            tag=tag, tensor=tensor_util.make_tensor_proto(kind(x))))

    def text(self, step, at, tag, text):
        self.value(step, at, summary_pb2.Summary.Value(
            tag=tag, tensor=tensor_util.make_tensor_proto(text)))

    def session(self, step, at):
        self.writer.add_event(event_pb2.Event(
            wall_time=START + at, step=step,
            session_log=event_pb2.SessionLog(status=1)))

    def close(self, path):
        self.writer.close()
        name = os.listdir(self.folder)[0]
        shutil.move(os.path.join(self.folder, name), path)
        os.rmdir(self.folder)


def values():
    """Every kind of scalar, and events that are not scalars."""
    r = Run()
    r.simple(1, 0.25, "loss", 0.1)
    r.tensor(2, 0.5, "f32", 1 / 3)
    r.tensor(3, 0.75, "f64", 1 / 3, np.float64)
    r.tensor(4, 1, "i32", -5, np.int32)
    r.tensor(5, 1.25, "i64", 2**40, np.int64)
    r.tensor(6, 1.5, "vector", [1, 2], np.array)
    r.simple(7, 1.75, "nan", float("nan"))
    r.simple(8, 2, "infinite", float("-inf"))
    r.text(9, 2.25, "note/text_summary", 'a "b"\n\\c')
    r.simple(-1, 2.5, "before", 7)
    r.simple(2**40, 2.75, "late", 8)
    r.simple(10, 3, 'a "tag" \\', 9)
    r.session(11, 3.25)
    return r


def steps(first=0, last=200, start=0.0):
    """Steps of 0.25 s, the first 20 of 0.75 s."""
    r = Run()
    at = start
    if first > 0:
        r.session(first, at)
    for step in range(first, last):
        took = 0.75 if step < first + 20 else 0.25
        at += took
        r.simple(step, at, "train/loss", 6 / (step + 1))
        r.tensor(step, at, "time_metrics/end_to_end(s)", took)
        r.simple(step, at, "throughput(tps)", 4096 / took)
    return r


def main(folder):
    os.makedirs(folder, exist_ok=True)
    # "again" is "before", restarted an hour later from step 60.
    for name, run in (("values", values()), ("steps", steps()),
                      ("before", steps(0, 150)),
                      ("again", steps(60, 200, 3600))):
        path = os.path.join(folder, name + ".tfevents")
        run.close(path)
        with open(os.path.join(folder, name + ".expected"), "w") as out:
            for e in event_file_loader.LegacyEventFileLoader(path).Load():
                for v in e.summary.value:
                    if v.HasField("tensor"):
                        x = tensor_util.make_ndarray(v.tensor)
                        x = x.item() if x.size == 1 else None
                    else:
                        x = v.simple_value
                    if isinstance(x, bytes):
                        x = x.decode()
                    out.write(f"{v.tag!r} {e.step} {e.wall_time!r} {x!r}\n")


main(sys.argv[1])
