#!/usr/bin/env python3
"""PyTorch's half of check_and_bench: each command prints one line of JSON.

usage: torch_bench.py versions
       torch_bench.py roofs
       torch_bench.py throughput MODEL IMAGE BATCH PRECISION HOW DEVICE
                      [SECONDS]
       torch_bench.py curve MODEL IMAGE BATCH DISTINCT STEPS LR CHECKPOINT
                      DEVICE RUN...

HOW is eager or one of torch.compile's modes: compile, graphs (with CUDA graphs)
or autotune (max-autotune, which tries kernels for minutes).  PRECISION is fp32,
tf32, fp16 (autocast, loss scaling) or bf16 (autocast); always channels_last.

throughput trains on one batch that lies in the device's memory; what is printed
is the middle of the times of steps, with a device synchronisation every tenth
step only.  A loss that is no number ends it.

curve trains on the DISTINCT batches, one after the other and again, that
train_imagenet --dummy has, from the weights that it saved in CHECKPOINT (see
trainer/run/checkpoint.h, trainer/data/image_source.c).  A RUN is PRECISION or
PRECISION:K; K stirs the weights by a relative 1e-3 of random numbers of seed K.
"""
import json
import math
import os
import statistics
import struct
import sys
import time

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                ".."))
from philox import philox  # noqa: E402
from runner import version_of  # noqa: E402

MODES = {"compile": None, "graphs": "reduce-overhead",
         "autotune": "max-autotune"}
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)
STREAM_DATA = 2 << 16  # RNG_STREAM_DATA of trainer/base/rng.h
STIR = 1e-3
# Fused SGD reads a momentum that was never written if its first step is
# skipped; no gradient overflows at this scale.
SAFE_SCALE = 1024
LOSS_SCALE_START = 65536  # of trainer/device/cuda/loss_scale.h


# --- what train_imagenet --dummy trains on ---------------------------------
def dummy_image(number, side, seed):
    size = side * side * 3
    words = philox(seed, STREAM_DATA, number, (size + 3) // 4)
    pixels = words.astype("<u4").view(np.uint8)[:size]
    return pixels.reshape(side, side, 3)


def dummy_label(number, classes, seed):
    word = int(philox(seed, STREAM_DATA + 1, number, 1)[0])
    return int(word * 2.0**-32 * classes)


def dummy_batch(index, batch, side, classes, seed):
    numbers = range(index * batch, (index + 1) * batch)
    x = np.stack([dummy_image(i, side, seed) for i in numbers])
    x = (x.astype(np.float32) / 255 - np.float32(MEAN)) \
        / np.float32(DEVIATION)
    labels = [dummy_label(i, classes, seed) for i in numbers]
    return (torch.from_numpy(x.transpose(0, 3, 1, 2).copy()),
            torch.tensor(labels))


def read_checkpoint(path):
    """The header's fields, and the parameters by torchvision's names."""
    data = open(path, "rb").read()
    if data[:16] != b"dlscale state\r\n\x1a":
        sys.exit("%s: not a checkpoint" % path)
    head = struct.unpack_from("<I", data, 20)[0]
    text = data[32:32 + head].decode()
    fields = dict(line.split("=", 1) for line in text.splitlines())
    at = 32 + head + 8 * 15 * int(fields["devices"])
    params = {}
    while at < len(data) - 8:
        kind, width, name, _, n = struct.unpack_from("<IIIIQ", data, at)
        at += 24
        title = data[at:at + name].decode()
        at += name
        if kind == 0:
            params[title] = np.frombuffer(
                data, "<f4" if width == 4 else "<f8", n, at)
        at += n * width
    return fields, params


# --- training steps ---------------------------------------------------------
def make_model(name, classes=1000):
    import torchvision
    with torch.no_grad():
        return getattr(torchvision.models, name)(num_classes=classes)


def set_precision(precision):
    tf32 = precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32


class Trainer:
    """One model, one optimiser, one precision."""

    def __init__(self, model, precision, device, lr, how="eager",
                 scale=SAFE_SCALE):
        set_precision(precision)
        self.device = device
        self.model = model.to(device, memory_format=torch.channels_last)
        self.model.train()
        self.run = self.model
        if how != "eager":
            self.run = torch.compile(self.model, mode=MODES[how])
        self.cast = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(
            precision)
        scaled = precision == "fp16" and device == "cuda"
        self.scaler = torch.cuda.amp.GradScaler(scale, enabled=scaled) \
            if not hasattr(torch.amp, "GradScaler") \
            else torch.amp.GradScaler(device, scale, enabled=scaled)
        self.loss = torch.nn.CrossEntropyLoss()
        self.fused = device == "cuda" and scale == SAFE_SCALE and \
            version_of(torch.__version__) >= (2, 2)
        self.optimizer = torch.optim.SGD(
            self.model.parameters(), lr, momentum=0.9, weight_decay=1e-4,
            **({"fused": True} if self.fused else {}))

    def step(self, x, y):
        with torch.autocast(self.device, dtype=self.cast or torch.bfloat16,
                            enabled=self.cast is not None):
            out = self.run(x)
            loss = self.loss(out, y)
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def throughput(model, image, batch, precision, how, device, seconds="6"):
    image, batch = int(image), int(batch)
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    trainer = Trainer(make_model(model), precision, device, 0.01, how)
    x = torch.randn(batch, 3, image, image, device=device).to(
        memory_format=torch.channels_last)
    y = torch.randint(0, 1000, (batch,), device=device)
    in_turn = 10 if device == "cuda" else 1
    start = time.perf_counter()
    for _ in range(in_turn):
        loss = trainer.step(x, y)
    synchronize(device)
    ready = time.perf_counter() - start
    times, end = [], time.perf_counter() + float(seconds)
    while len(times) < 3 or time.perf_counter() < end:
        before = time.perf_counter()
        for _ in range(in_turn):
            loss = trainer.step(x, y)
        synchronize(device)
        times.append((time.perf_counter() - before) / in_turn)
    loss = float(loss.detach())
    if not math.isfinite(loss):
        sys.exit("the loss is %s" % loss)
    middle = statistics.median(times)
    return {"images_per_s": batch / middle, "step_ms": 1e3 * middle,
            "step_ms_min": 1e3 * min(times), "steps": in_turn * len(times),
            "warm_up_s": ready, "loss": loss, "fused_sgd": trainer.fused,
            "gpu_memory_mib": torch.cuda.max_memory_reserved() / 2**20
            if device == "cuda" else None}


def curve(model, image, batch, distinct, steps, lr, checkpoint, device, *runs):
    image, batch, distinct, steps = map(int, (image, batch, distinct, steps))
    fields, params = read_checkpoint(checkpoint)
    classes, seed = int(fields["classes"]), int(fields["seed"])
    batches = [[t.to(device) for t in dummy_batch(i, batch, image, classes,
                                                  seed)]
               for i in range(distinct)]
    batches = [(x.to(memory_format=torch.channels_last), y)
               for x, y in batches]
    curves, skipped = {}, {}
    for run in runs:
        precision, _, stir = run.partition(":")
        net = make_model(model, classes)
        random = torch.Generator().manual_seed(int(stir or 0))
        for name, p in net.named_parameters():
            w = torch.from_numpy(params[name].copy()).reshape(p.shape)
            if stir:
                w = w * (1 + STIR * torch.randn(w.shape, generator=random))
            with torch.no_grad():
                p.copy_(w)
        # The scale of train_imagenet, so that both skip the same steps.
        trainer = Trainer(net, precision, device, float(lr),
                          scale=LOSS_SCALE_START)
        losses = [trainer.step(*batches[i % distinct]).detach()
                  for i in range(steps)]
        curves[run] = [float(x) for x in losses]
        for step, loss in enumerate(curves[run]):
            if not math.isfinite(loss):
                sys.exit("%s: the loss of step %d is %s" % (run, step, loss))
        if trainer.scaler.is_enabled():
            skipped[run] = round(math.log2(
                LOSS_SCALE_START / trainer.scaler.get_scale()))
    return {"curves": curves, "skipped": skipped}


# --- what the GPU can do at most --------------------------------------------
def timed(f, seconds=0.5):
    for _ in range(3):
        f()
    torch.cuda.synchronize()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        a = torch.cuda.Event(enable_timing=True)
        b = torch.cuda.Event(enable_timing=True)
        a.record()
        f()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b) / 1e3)
    return statistics.median(times)


def roofs():
    """Random data: zeros are faster."""
    found = {}
    for name, kind in (("fp16", torch.float16), ("bf16", torch.bfloat16),
                       ("tf32", torch.float32), ("fp32", torch.float32)):
        n = 8192 if kind != torch.float32 else 4096
        set_precision(name)
        a = torch.randn(n, n, device="cuda", dtype=kind)
        b = torch.randn(n, n, device="cuda", dtype=kind)
        out = torch.empty_like(a)
        s = timed(lambda: torch.matmul(a, b, out=out))
        found["%s_tflops" % name] = 2e-12 * n**3 / s
    a = torch.randn(1 << 29, device="cuda")
    b = torch.empty_like(a)
    found["copy_gb_per_s"] = 2e-9 * a.numel() * 4 / timed(lambda: b.copy_(a))
    host = torch.empty(1 << 28, dtype=torch.uint8, pin_memory=True)
    there = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    found["host_to_device_gb_per_s"] = 1e-9 * host.numel() / timed(
        lambda: there.copy_(host, non_blocking=True))
    return found


def versions():
    found = {"torch": torch.__version__, "python": sys.version.split()[0],
             "torch_cuda": torch.version.cuda,
             "torch_cudnn": torch.backends.cudnn.version()
             if torch.cuda.is_available() else None,
             "torch_sees_gpu": torch.cuda.is_available()}
    try:
        import torchvision
        found["torchvision"] = torchvision.__version__
    except ImportError:
        found["torchvision"] = None
    try:
        found["torch_nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    except Exception:  # a build without it says so in many ways
        found["torch_nccl"] = None
    return found


COMMANDS = {"versions": versions, "roofs": roofs, "throughput": throughput,
            "curve": curve}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    print(json.dumps(COMMANDS[sys.argv[1]](*sys.argv[2:])), flush=True)


main()
