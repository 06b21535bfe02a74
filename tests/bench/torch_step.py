#!/usr/bin/python3
"""Time of a training step in PyTorch, for comparison with bench_train.

usage: torch_step.py MODEL BATCH MODE STEPS THREADS [cpu-time | on-request]

MODE is PRECISION[-nhwc][-compile]: fp32 or bf16 (autocast), channels_last,
torch.compile of the model.  Print the best and the median step in the form of
bench_train.  With on-request, print "ready" after the first steps, which
compile, then do one step for every line of standard input and print "step", its
seconds and its seconds of processor time.  If a mode fails, print one line on
standard error and exit with status 1.
"""
import sys
import time

import torch
import torchvision


def make_optimizer(parameters):
    """Make SGD, fused if this PyTorch supports it."""
    parameters = list(parameters)
    options = dict(lr=0.01, momentum=0.9, weight_decay=1e-4)
    try:
        return torch.optim.SGD(parameters, fused=True, **options)
    except (TypeError, RuntimeError):
        return torch.optim.SGD(parameters, **options)


def make_step(model_name, batch, mode):
    torch.manual_seed(0)
    model = getattr(torchvision.models, model_name)().train()
    x = torch.randn(batch, 3, 224, 224)
    y = torch.randint(0, 1000, (batch,))
    words = mode.split("-")
    if "nhwc" in words:
        model = model.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = make_optimizer(model.parameters())
    if "compile" in words:
        model = torch.compile(model)

    def step(clock):
        start = clock()
        with torch.autocast("cpu", dtype=torch.bfloat16,
                            enabled=mode.startswith("bf16")):
            out = model(x)
        loss = criterion(out.float(), y)
        forward = clock()
        optimizer.zero_grad()
        loss.backward()
        backward = clock()
        optimizer.step()
        end = clock()
        return (end - start, forward - start, backward - forward,
                end - backward, loss.item())

    return step


def serve(step):
    for _ in range(3):
        step(time.perf_counter)
    print("ready torch %s, torchvision %s, %d threads, oneDNN %s" % (
        torch.__version__, torchvision.__version__, torch.get_num_threads(),
        onednn_version()), flush=True)
    for line in sys.stdin:
        if line == "end\n":
            break
        start_cpu = time.process_time()
        seconds = step(time.perf_counter)[0]
        print("step %.6f %.6f" % (seconds, time.process_time() - start_cpu),
              flush=True)


def onednn_version():
    for line in torch.__config__.show().splitlines():
        if "MKL-DNN" in line or "oneDNN" in line:
            for word in line.split():
                if word.startswith("v") and word[1:2].isdigit():
                    return word[1:]
    return "unknown"


def main():
    model_name, batch, mode, steps, threads = sys.argv[1:6]
    batch, steps, threads = int(batch), int(steps), int(threads)
    torch.set_num_threads(threads)
    step = make_step(model_name, batch, mode)
    if sys.argv[6:] == ["on-request"]:
        serve(step)
        return
    clock = time.process_time if sys.argv[6:] == ["cpu-time"] \
        else time.perf_counter
    times = sorted([step(clock) for _ in range(steps + 1)][1:])
    best, middle = times[0], times[len(times) // 2]
    print("torch %s %s %s b%d: %.2f img/s (median %.2f), loss %.4f; "
          "forward %.1f backward %.1f update %.1f ms" %
          (torch.__version__, model_name, mode, batch, batch / best[0],
           batch / middle[0], middle[4], 1e3 * best[1], 1e3 * best[2],
           1e3 * best[3]), flush=True)


try:
    main()
except Exception as e:
    said = [line.strip() for line in str(e).splitlines() if line.strip()]
    sys.exit("%s: %s" % (type(e).__name__, said[0] if said else ""))
