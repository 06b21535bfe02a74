"""Writes a trace with the members of PyTorch's profiler, in its order, and with
times that give known results, for tests/cli/profiles.sh.

usage: make_profile.py FILE [rank=R] [steps=N] [kernels=N] [cpu_only=1]
                            [overlap=1] [one_line=1]

A step takes 100 ms. The device is 30 ms behind the CPU. Each step computes on
it from 0 to 60 ms; an allreduce of 25 MiB runs from 40 to 70 ms, one of 2 MiB
from 70 to 75 ms: busy 35 ms, exposed 15 ms.
"""
import json
import sys


def complete(cat, name, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
            "ts": round(ts, 3), "dur": round(dur, 3),
            "args": {k.replace("_", " "): v for k, v in args.items()}}


def message(ts, dur, nelems):
    return complete(
        "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, "
        "unsigned long, ncclWork*)", 0, 20, ts, dur,
        **{"External_id": 99, "device": 0, "stream": 20,
           "Collective_name": "allreduce", "dtype": "Float",
           "In_msg_nelems": nelems, "Out_msg_nelems": nelems,
           "Group_size": 4, "Process_Group_Ranks": "[0, 1, 2, 3]"})


def events(steps, kernels, cpu_only):
    start = 4000000000.125
    out = [{"name": "process_name", "ph": "M", "ts": 0, "pid": 4711,
            "tid": 0, "args": {"name": "python \"train\" {[.py"}}]
    for i in range(steps):
        ts = start + i * 100000
        out.append(complete("user_annotation", "ProfilerStep#%d" % (i + 3),
                            4711, 4711, ts, 99990))
        out.append(complete("cpu_op", "aten::empty", 4711, 4711, ts + 5, 3,
                            Call_stack="a\\b\"c[0]{"))
    for i in range(0 if cpu_only else steps):
        ts = start + 30000 + i * 100000
        out.append(complete("gpu_user_annotation", "ProfilerStep#%d" % (i + 3),
                            0, 7, ts, 80000))
        out.append(complete("gpu_user_annotation", "ProfilerStep#%d" % (i + 3),
                            0, 20, ts + 40000, 35000))
        # Not in order of time, like a real trace.
        out.append(message(ts + 70000, 5000, 524288))
        out.append(message(ts + 40000, 30000, 6553600))
        each = 60000 / kernels
        for k in range(kernels):
            out.append(complete(
                "kernel", "void cudnn::kernel<float, %d>(...)" % k, 0, 7,
                ts + k * each, each, device=0, stream=7, grid=[1, 2, 3]))
        out.append(complete("gpu_memcpy", "Memcpy HtoD", 0, 7, ts + 76000,
                            1000, device=0, bytes=4096))
    return out


def main():
    path = sys.argv[1]
    o = dict(a.split("=") for a in sys.argv[2:])
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA Made-Up 1",
                              "numSms": 108}] if "cpu_only" not in o else [],
        "distributedInfo": {"backend": "nccl", "rank": int(o.get("rank", 0)),
                            "world_size": 4, "pg_count": 1,
                            "pg_config": [{"pg_name": "0", "ranks": "[0]"}]},
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 1700000000000000000,
        "traceEvents": events(int(o.get("steps", 4)),
                              int(o.get("kernels", 6)), "cpu_only" in o),
        "traceName": path,
    }
    with open(path, "w") as f:
        json.dump(trace, f, indent=None if "one_line" in o else 2)
        f.write("\n")


main()
