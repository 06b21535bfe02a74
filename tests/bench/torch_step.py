#!/usr/bin/python3
"""Time of a training step in PyTorch, for comparison with bench_train.

usage: torch_step.py MODEL BATCH MODE STEPS THREADS [cpu-time]

MODE is fp32, fp32-nhwc, bf16 or bf16-nhwc (autocast).  Prints one line in
bench_train's form: the best and the median step.
"""
import sys
import time

import torch
import torchvision


def main():
    model_name, batch, mode, steps, threads = sys.argv[1:6]
    batch, steps, threads = int(batch), int(steps), int(threads)
    clock = time.process_time if sys.argv[6:] == ["cpu-time"] \
        else time.perf_counter
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model = getattr(torchvision.models, model_name)().train()
    x = torch.randn(batch, 3, 224, 224)
    y = torch.randint(0, 1000, (batch,))
    if mode.endswith("-nhwc"):
        model = model.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9,
                                weight_decay=1e-4)
    times = []
    for _ in range(steps + 1):
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
        times.append((end - start, forward - start, backward - forward,
                      end - backward))
    times = sorted(times[1:])
    best, middle = times[0], times[len(times) // 2]
    print("torch %s %s %s b%d: %.2f img/s (median %.2f), loss %.4f; "
          "forward %.1f backward %.1f update %.1f ms" %
          (torch.__version__, model_name, mode, batch, batch / best[0],
           batch / middle[0], loss.item(), 1e3 * best[1], 1e3 * best[2],
           1e3 * best[3]), flush=True)


main()
