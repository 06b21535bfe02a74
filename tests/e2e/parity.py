#!/usr/bin/python3
"""Reference values of PyTorch for tests/unit/test_parity.c, and its errors.

    parity.py make FILE             write the cases below to FILE
    parity.py check FILE [CASE]...  compute FILE's cases again and compare

Weights and images are not stored: both sides generate them with Philox4x32-10
(trainer/base/rng.h). Number k of stream s for the seed 2026 and step t is
bound * (u * 2^-31 - 1) as a float, where u is the k-th 32-bit number of counter
(k / 4, 0, s, t). Bounds are multiples of 2^-24.

    stream            numbers                            bound
    parameter i       convolution, linear: all           as torchvision's start
                      others, added to 1, 0.2 or 0       0.05
    2 << 16           images of batch t                  1.75
    4 << 16 + i       weights of sums over gradient i    1
    5 << 16 + i       weights of sums over buffer i      1
    6 << 16           weights of sums over the logits    1
    8 << 16 + i       parameter i times 1 + it, run t    2^-12
    7 << 16 + i       buffer i if it is not trained      0.1; 0.5 + 1.5

A normal initialisation is replaced by a uniform one of the same deviation.
Image k of batch t has the label (7 k + 3 t) modulo classes.

For each case FILE has, in fp64, the loss, the norms and weighted sums of the
logits, of each parameter's gradient and of each running statistic after one
step, and the losses of all steps. It also has the errors of PyTorch's own fp32
and bf16 (autocast): relative error of the logits, error of the loss, relative
error of all gradients together, largest relative error of one gradient. The
last one excludes gradients below 1e-6 of the whole: biases before a
normalisation have only rounding errors. The bf16 loss of a step is the one
farthest from fp64 in RUNS runs with weights that differ by less than bf16
rounds, because a single run may be close by chance.
"""
import math
import os
import sys

import numpy as np
import torch
import torchvision

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                ".."))
from philox import philox  # noqa: E402

CASES = """
case resnet18 model=resnet18 image=64 batch=4 classes=100 mode=train steps=1
case resnet18-gamma model=resnet18 image=32 batch=8 classes=100 gamma=0.2 \
mode=train steps=10 lr=0.02
case resnet18-frozen model=resnet18 image=32 batch=4 classes=100 gamma=0.2 \
mode=frozen steps=1
case resnet50-gamma model=resnet50 image=64 batch=4 classes=1000 gamma=0.2 \
mode=train steps=1
case vgg11 model=vgg11 image=32 batch=2 classes=100 head=64 mode=train \
steps=10 lr=0.02
case vgg11_bn model=vgg11_bn image=32 batch=4 classes=100 head=64 mode=train \
steps=1
case vgg16 model=vgg16 image=32 batch=2 classes=100 head=64 mode=train steps=1
case alexnet model=alexnet image=63 batch=4 classes=100 head=64 mode=train \
steps=1
"""
SEED = 2026
SMALL = 1e-6
RUNS = 9


def numbers(stream, n, bound, step=0):
    bound = math.floor(bound * 2**24 + 0.5) / 2**24
    u = philox(SEED, stream, step, n).astype(np.float64)
    return (bound * (u * 2.0**-31 - 1)).astype(np.float32)


def fill(tensor, values, shift=0.0):
    values = (values.astype(np.float64) + shift).astype(np.float32)
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(values).reshape(tensor.shape))


def start_bound(model, owner):
    """Bound of a uniform distribution with the deviation of torchvision's."""
    fan_in = owner.weight[0].numel()
    if isinstance(owner, torch.nn.Conv2d) and model != "alexnet":
        fan_out = owner.out_channels * owner.kernel_size[0] ** 2
        return math.sqrt(3) * math.sqrt(2 / fan_out)
    if isinstance(owner, torch.nn.Linear) and model.startswith("vgg"):
        return math.sqrt(3) * 0.01
    return 1 / math.sqrt(fan_in)


def last_norms(net):
    for m in net.modules():
        if isinstance(m, torchvision.models.resnet.BasicBlock):
            yield m.bn2
        if isinstance(m, torchvision.models.resnet.Bottleneck):
            yield m.bn3


def narrow(net, width):
    """Replace 4096 features of linear layers by width."""
    for name, m in list(net.classifier.named_children()):
        if isinstance(m, torch.nn.Linear):
            ins = m.in_features if m.in_features != 4096 else width
            outs = m.out_features if m.out_features != 4096 else width
            net.classifier[int(name)] = torch.nn.Linear(ins, outs)


def build(case):
    name = case["model"]
    with torch.no_grad():
        net = getattr(torchvision.models, name)(
            num_classes=int(case["classes"]))
    if "head" in case:
        narrow(net, int(case["head"]))
    last = set(last_norms(net))
    owners = {id(p): m for m in net.modules()
              for p in m.parameters(recurse=False)}
    for i, (path, p) in enumerate(net.named_parameters()):
        owner = owners[id(p)]
        norm = isinstance(owner, torch.nn.BatchNorm2d)
        if norm and path.endswith("weight"):
            gamma = float(case.get("gamma", 1)) if owner in last else 1
            fill(p, numbers(i, p.numel(), 0.05), gamma)
        elif norm or (path.endswith("bias") and name.startswith("vgg")):
            fill(p, numbers(i, p.numel(), 0.05))
        else:
            fill(p, numbers(i, p.numel(), start_bound(name, owner)))
    for m in net.modules():
        if isinstance(m, torch.nn.Dropout):
            m.p = 0.0
    if case["mode"] == "frozen":
        for i, (path, b) in enumerate(statistics(net)):
            if path.endswith("var"):
                fill(b, numbers((7 << 16) + i, b.numel(), 0.5), 1.5)
            else:
                fill(b, numbers((7 << 16) + i, b.numel(), 0.1))
        return net.eval()
    return net.train()


def statistics(net):
    return [(path, b) for path, b in net.named_buffers()
            if not path.endswith("num_batches_tracked")]


def batch(case, step):
    n, side = int(case["batch"]), int(case["image"])
    x = numbers(2 << 16, n * 3 * side * side, 1.75, step)
    labels = [(7 * k + 3 * step) % int(case["classes"]) for k in range(n)]
    return (torch.from_numpy(x).reshape(n, 3, side, side),
            torch.tensor(labels))


def train(case, how, number=0):
    """Losses of all steps, results of the first step, and names."""
    net = build(case)
    for i, p in enumerate(net.parameters() if number > 0 else []):
        factors = numbers((8 << 16) + i, p.numel(), 2**-12, number)
        fill(p, p.detach().numpy().reshape(-1) * (1 + factors))
    kind = torch.float64 if how == "fp64" else torch.float32
    form = torch.contiguous_format if how in ("fp64", "fp32") \
        else torch.channels_last
    net = net.to(dtype=kind, memory_format=form)
    optimizer = torch.optim.SGD(net.parameters(), float(case.get("lr", 0)),
                                momentum=0.9, weight_decay=1e-4)
    losses, first = [], None
    for step in range(int(case["steps"])):
        x, labels = batch(case, step % 2)
        x = x.to(dtype=kind, memory_format=form)
        with torch.autocast("cpu", dtype=torch.bfloat16,
                            enabled=how == "bf16"):
            logits = net(x)
        loss = torch.nn.functional.cross_entropy(
            logits if how == "fp64" else logits.float(), labels)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if first is None:
            first = (logits.detach().double().numpy().copy(),
                     [p.grad.double().numpy().copy()
                      for p in net.parameters()],
                     [b.double().numpy().copy() for _, b in statistics(net)])
        optimizer.step()
    names = ([path for path, _ in net.named_parameters()],
             [path for path, _ in statistics(net)])
    return losses, first, names


def norm(x):
    return math.sqrt(math.fsum((x.reshape(-1) ** 2).tolist())) \
        if x.size < 1e5 else float(np.linalg.norm(x.reshape(-1)))


def sums(stream, x):
    weights = numbers(stream, x.size, 1).astype(np.float64)
    return "%.17g %.17g" % (norm(x), float(np.dot(weights, x.reshape(-1))))


def errors(got, want):
    """Relative errors: logits, all gradients, worst gradient."""
    total = math.sqrt(sum(norm(w) ** 2 for w in want[1]))
    each = [(norm(g - w), norm(w)) for g, w in zip(got[1], want[1])]
    return (norm(got[0] - want[0]) / norm(want[0]),
            math.sqrt(sum(d * d for d, _ in each)) / total,
            max(d / n for d, n in each if n > SMALL * total))


def run(text):
    """Lines of FILE for a case, beginning with its own line."""
    case = dict(word.split("=") for word in text.split()[2:])
    losses, first, names = train(case, "fp64")
    lines = [text, "logits " + sums(6 << 16, first[0])]
    for i, (path, x) in enumerate(zip(names[0], first[1])):
        lines.append("gradient %s %s" % (path, sums((4 << 16) + i, x)))
    if case["mode"] == "train":
        for i, (path, x) in enumerate(zip(names[1], first[2])):
            lines.append("buffer %s %s" % (path, sums((5 << 16) + i, x)))
    all_losses = [losses]
    for how in "fp32", "fp32-nhwc", "bf16":
        own, got, _ = train(case, how)
        logits, whole, worst = errors(got, first)
        lines.append("torch %s %.3g %.3g %.3g %.3g" % (
            how, logits, abs(own[0] - losses[0]), whole, worst))
        all_losses.append(own)
    for number in range(1, RUNS if len(losses) > 1 else 0):
        own = train(case, "bf16", number)[0]
        all_losses[-1] = [max(pair, key=lambda x: abs(x - want)) for want, *pair
                          in zip(losses, all_losses[-1], own)]
    for step in zip(*all_losses):
        lines.append("step %.17g %.9g %.9g %.9g" % step)
    return lines


def make(cases, path):
    lines = ["# Made by tests/e2e/parity.py with PyTorch %s and torchvision "
             "%s; see there." % (torch.__version__, torchvision.__version__)]
    for text in cases.strip().split("\n"):
        lines += run(text)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def differ(old, new):
    """True if two lines of FILE differ.

    fp64 may differ by 1e-9, because other processors add in another order. The
    errors of fp32 and bf16 are rounding itself, and a ReLU that changes sides
    makes them a thousand times larger, so only their range is checked."""
    a, b = old.split(), new.split()
    names = {"logits": 1, "gradient": 2, "buffer": 2, "step": 1, "torch": 2}
    n = names.get(a[0], len(a))
    if len(a) != len(b) or a[:n] != b[:n]:
        return True
    if a[0] == "torch":
        return not all(0 <= float(x) < 2 for x in b[n:])
    if a[0] == "step":
        a, b = a[:2], b[:2]
    x, y = [float(w) for w in a[n:]], [float(w) for w in b[n:]]
    return any(abs(i - j) > 1e-9 * abs(x[0]) + 1e-13 for i, j in zip(x, y))


def check(path, only):
    old, take = [], False
    for line in open(path).read().split("\n"):
        if line.startswith("case "):
            take = not only or line.split()[1] in only
        if line and take and not line.startswith("#"):
            old.append(line)
    new = []
    for text in [line for line in old if line.startswith("case ")]:
        new += run(text)
    if not old or len(old) != len(new):
        sys.exit("%s: %d lines, not %d" % (path, len(old), len(new)))
    bad = [(a, b) for a, b in zip(old, new) if differ(a, b)]
    for a, b in bad:
        print("- %s\n+ %s" % (a, b))
    sys.exit(1 if bad else 0)


def main():
    torch.set_num_threads(1)  # threads that wait for each other are slow
    command, path = sys.argv[1:3]
    if command == "check":
        check(path, sys.argv[3:])
    make(CASES, path)


main()
