"""Writes run.wandb with W&B's own writer and messages (Python package wandb up
to 0.17, sdk/internal/datastore.py), and run.expected: what W&B's own reader
makes of it, as the lines that it becomes. If FILE is given, it is read instead.

usage: make_wandb.py [FILE]

The file has more than one block of 32 KiB, and a message that spans blocks."""
import json
import sys

import wandb
wandb._assert_is_internal_process = True
from wandb.proto import wandb_internal_pb2 as pb  # noqa: E402
from wandb.sdk.internal.datastore import DataStore  # noqa: E402


def add_items(items, values, nested=False):
    for key, value in values.items():
        item = items.add()
        if nested:
            item.nested_key.extend(key.split("."))
        else:
            item.key = key
        item.value_json = json.dumps(value)


def records():
    r = pb.Record()
    add_items(r.run.config.update, {
        "per_device_train_batch_size": 8, "world_size": 4, "model": {"a": [1]},
        "note": "a \"q\"\n\\", "_wandb": {"python_version": "3"}})
    yield r
    for i in range(150):
        r = pb.Record()
        r.output_raw.output_type = pb.OutputRawRecord.STDOUT
        r.output_raw.line = "loss at %d" % i
        yield r
        r = pb.Record()
        r.output_raw.output_type = pb.OutputRawRecord.STDERR
        r.output_raw.line = "warning %d\n" % i
        yield r
        r = pb.Record()
        r.output_raw.output_type = pb.OutputRawRecord.STDOUT
        r.output_raw.line = ": %.2f\n" % (6 - i / 50)
        yield r
        r = pb.Record()
        row = {"train/loss": 6 - i / 50, "_step": i,
               "_timestamp": 1700000000 + i / 4, "_runtime": i / 4,
               "grads": {"_type": "histogram", "values": list(range(40))}}
        if i % 5 == 0:
            row["train/samples_per_second"] = 400 + i % 3
        add_items(r.history.item, row, nested=i % 2 == 1)
        r.history.step.num = i
        yield r
    r = pb.Record()
    add_items(r.history.item, {"table": {"rows": ["x" * 40000]}, "end": None})
    r.history.step.num = 150
    yield r
    r = pb.Record()
    r.exit.exit_code = 0
    yield r


def write(path):
    store = DataStore()
    store.open_for_write(path)
    for r in records():
        store.write(r)
    store.close()


def quote(text):
    out = ""
    for c in text:
        out += "\\" + c if c in "\"\\" else c
    return '"%s"' % out


def lines(path):
    """The lines of extract/input/wandb_text.h; printed text by its stream."""
    store = DataStore()
    store.open_for_scan(path)
    printed = {0: "", 1: ""}
    while True:
        data = store.scan_data()
        if data is None:
            return
        r = pb.Record()
        r.ParseFromString(data)
        for item in list(r.run.config.update) + list(r.config.update):
            key = ".".join(filter(None, [item.key] + list(item.nested_key)))
            if key != "_wandb":
                yield '{"config":%s,"value":%s}' % (quote(key),
                                                    item.value_json)
        if r.HasField("output_raw"):
            o = r.output_raw
            *whole, printed[o.output_type] = (
                printed[o.output_type] + o.line).replace("\r", "\n").split("\n")
            yield from filter(None, whole)
        row, has_step = [], False
        for item in r.history.item:
            key = ".".join(filter(None, [item.key] + list(item.nested_key)))
            if item.value_json[0] in "{[":
                continue
            row.append("%s:%s" % (quote(key), item.value_json))
            has_step |= key == "_step"
        if row and not has_step:
            row.append('"_step":%d' % r.history.step.num)
        if row:
            yield "{%s}" % ",".join(row)
        if r.HasField("exit"):
            yield from filter(None, printed.values())
            printed = {0: "", 1: ""}


def main():
    if len(sys.argv) > 1:
        for line in lines(sys.argv[1]):
            print(line)
        return
    write("run.wandb")
    with open("run.expected", "w", encoding="utf-8") as f:
        for line in lines("run.wandb"):
            f.write(line + "\n")


main()
