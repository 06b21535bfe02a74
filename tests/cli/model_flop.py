# Recompute the rows of extract/measure/model_flop.c from the papers and
# published configurations: multiply-adds of image networks from their layers,
# parameters of language models from their widths. No framework is used.
#
# usage: model_flop.py model_flop.c
import math
import re
import sys


class Net:
    """Counts the multiply-adds of convolutions and matrix products."""

    def __init__(self, side, channels=3):
        self.side, self.channels, self.macs = side, channels, 0

    def conv(self, out, kernel=1, stride=1, pad=None, groups=1):
        kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        if pad is None:
            pad = (kh - 1) // 2
        if kh == kw:
            self.side = (self.side + 2 * pad - kh) // stride + 1
        self.macs += self.side ** 2 * out * self.channels // groups * kh * kw
        self.channels = out
        return self

    def pool(self, kernel, stride, pad=0, up=False):
        n = self.side + 2 * pad - kernel
        self.side = (-(-n // stride) if up else n // stride) + 1

    def fc(self, out, times=1):
        self.macs += times * self.channels * out
        self.channels = out

    def branches(self, *branches):
        """Add branches, lists of arguments of conv; concatenate outputs."""
        side, channels, joined = self.side, self.channels, 0
        for branch in branches:
            self.side, self.channels = side, channels
            for args in branch:
                self.conv(*args)
            joined += self.channels
        self.channels = joined


def alexnet(side):
    n = Net(side)
    n.conv(64, 11, 4, 2)
    n.pool(3, 2)
    n.conv(192, 5)
    n.pool(3, 2)
    n.conv(384, 3).conv(256, 3).conv(256, 3)
    n.pool(3, 2)
    n.channels *= n.side ** 2
    for width in 4096, 4096, 1000:
        n.fc(width)
    return n.macs


def vgg(counts):
    def macs(side):
        n = Net(side)
        for count, width in zip(counts, (64, 128, 256, 512, 512)):
            for _ in range(count):
                n.conv(width, 3)
            n.pool(2, 2)
        n.channels *= n.side ** 2
        for width in 4096, 4096, 1000:
            n.fc(width)
        return n.macs
    return macs


def resnet(counts, bottleneck, groups=1, width_of_64=64):
    def macs(side):
        n = Net(side)
        n.conv(64, 7, 2)
        n.pool(3, 2, 1)
        for stage, count in enumerate(counts):
            planes = 64 << stage
            out = planes * (4 if bottleneck else 1)
            mid = planes * width_of_64 * groups // 64
            for block in range(count):
                stride = 2 if stage > 0 and block == 0 else 1
                start = (n.side, n.channels)
                if bottleneck:
                    n.conv(mid).conv(mid, 3, stride, None, groups).conv(out)
                else:
                    n.conv(out, 3, stride).conv(out, 3)
                if block == 0 and start[1] != out:
                    n.macs += n.side ** 2 * start[1] * out
        n.fc(1000)
        return n.macs
    return macs


def densenet(counts, growth=32, first=64):
    def macs(side):
        n = Net(side)
        n.conv(first, 7, 2)
        n.pool(3, 2, 1)
        for stage, count in enumerate(counts):
            for _ in range(count):
                before = n.channels
                n.conv(4 * growth).conv(growth, 3)
                n.channels += before
            if stage < 3:
                n.conv(n.channels // 2)
                n.pool(2, 2)
        n.fc(1000)
        return n.macs
    return macs


def googlenet(side):
    n = Net(side)
    n.conv(64, 7, 2)
    n.pool(3, 2, 0, True)
    n.conv(64).conv(192, 3)
    n.pool(3, 2, 0, True)
    rows = [(64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None,
            (192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64),
            (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64),
            (256, 160, 320, 32, 128, 128), None,
            (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)]
    for row in rows:
        if row is None:
            n.pool(2 if n.side == 14 else 3, 2, 0, True)
            continue
        a, b, c, d, e, f = row
        # The third branch is 3 x 3 in torchvision, 5 x 5 in the paper.
        n.branches([(a,)], [(b,), (c, 3)], [(d,), (e, 3)], [(f,)])
    n.fc(1000)
    return n.macs


def inception(side):
    n = Net(side)
    n.conv(32, 3, 2, 0).conv(32, 3, 1, 0).conv(64, 3)
    n.pool(3, 2)
    n.conv(80).conv(192, 3, 1, 0)
    n.pool(3, 2)
    for pool in 32, 64, 64:
        n.branches([(64,)], [(48,), (64, 5)], [(64,), (96, 3), (96, 3)],
                   [(pool,)])
    before = n.channels
    n.branches([(384, 3, 2, 0)], [(64,), (96, 3), (96, 3, 2, 0)])
    n.channels += before
    for c in 128, 160, 160, 192:
        n.branches([(192,)], [(c,), (c, (1, 7)), (192, (7, 1))],
                   [(c,), (c, (7, 1)), (c, (1, 7)), (c, (7, 1)),
                    (192, (1, 7))], [(192,)])
    before = n.channels
    n.branches([(192,), (320, 3, 2, 0)],
               [(192,), (192, (1, 7)), (192, (7, 1)), (192, 3, 2, 0)])
    n.channels += before
    for _ in range(2):
        side, channels = n.side, n.channels
        n.branches([(320,)], [(384,)], [(448,), (384, 3)], [(192,)])
        # Two branches end in parallel 1 x 3 and 3 x 1 convolutions.
        n.macs += 4 * side ** 2 * 384 * 384 * 3
        n.channels = 2048
    n.fc(1000)
    return n.macs


def mobilenet_v2(side):
    n = Net(side)
    n.conv(32, 3, 2)
    for t, c, count, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                           (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                           (6, 320, 1, 1)):
        for block in range(count):
            mid = n.channels * t
            if t > 1:
                n.conv(mid)
            n.conv(mid, 3, s if block == 0 else 1, None, mid).conv(c)
    n.conv(1280).fc(1000)
    return n.macs


def efficientnet(width, depth):
    def of_8(x):
        y = max(8, int(x + 4) // 8 * 8)
        return y + 8 if y < 0.9 * x else y

    def macs(side):
        n = Net(side)
        n.conv(of_8(32 * width), 3, 2)
        for t, k, s, c, count in ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2),
                                  (6, 5, 2, 40, 2), (6, 3, 2, 80, 3),
                                  (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
                                  (6, 3, 1, 320, 1)):
            for block in range(math.ceil(count * depth)):
                squeeze = max(1, n.channels // 4)
                mid = n.channels * t
                if t > 1:
                    n.conv(mid)
                n.conv(mid, k, s if block == 0 else 1, None, mid)
                n.macs += 2 * mid * squeeze  # squeeze and excitation
                n.conv(of_8(c * width))
        n.conv(4 * n.channels).fc(1000)
        return n.macs
    return macs


def convnext(counts, width):
    def macs(side):
        n = Net(side)
        n.conv(width, 4, 4, 0)
        for stage, count in enumerate(counts):
            c = width << stage
            if stage > 0:
                n.conv(c, 2, 2, 0)
            for _ in range(count):
                n.conv(c, 7, 1, None, c).conv(4 * c).conv(c)
        n.fc(1000)
        return n.macs
    return macs


def swin(counts, width, window=7):
    def macs(side):
        n = Net(side)
        n.conv(width, 4, 4, 0)
        for stage, count in enumerate(counts):
            c, tokens = width << stage, n.side ** 2
            # q, k, v, output, an MLP of 4 times the width; window attention.
            n.macs += count * tokens * (12 * c * c + 2 * window ** 2 * c)
            if stage < 3:
                n.side //= 2
                n.macs += n.side ** 2 * 4 * c * 2 * c
                n.channels = 2 * c
        n.fc(1000)
        return n.macs
    return macs


def vit(layers, width, patch):
    def macs(side):
        tokens = (side // patch) ** 2
        total = tokens * 3 * patch ** 2 * width
        tokens += 1
        total += layers * tokens * (12 * width ** 2 + 2 * tokens * width)
        return total + 1000 * width
    return macs


IMAGES = {
    "alexnet": alexnet, "googlenet": googlenet, "inceptionv3": inception,
    "mobilenetv2": mobilenet_v2,
    "convnexttiny": convnext((3, 3, 9, 3), 96),
    "convnextsmall": convnext((3, 3, 27, 3), 96),
    "convnextbase": convnext((3, 3, 27, 3), 128),
    "densenet121": densenet((6, 12, 24, 16)),
    "densenet161": densenet((6, 12, 36, 24), 48, 96),
    "densenet169": densenet((6, 12, 32, 32)),
    "densenet201": densenet((6, 12, 48, 32)),
    "efficientnetb0": efficientnet(1, 1),
    "efficientnetb4": efficientnet(1.4, 1.8),
    "efficientnetb7": efficientnet(2, 3.1),
    "18": resnet((2, 2, 2, 2), False), "34": resnet((3, 4, 6, 3), False),
    "50": resnet((3, 4, 6, 3), True), "101": resnet((3, 4, 23, 3), True),
    "152": resnet((3, 8, 36, 3), True),
    "resnext5032x4d": resnet((3, 4, 6, 3), True, 32, 4),
    "resnext10132x8d": resnet((3, 4, 23, 3), True, 32, 8),
    "wideresnet502": resnet((3, 4, 6, 3), True, 1, 128),
    "wideresnet1012": resnet((3, 4, 23, 3), True, 1, 128),
    "swint": swin((2, 2, 6, 2), 96), "swins": swin((2, 2, 18, 2), 96),
    "swinb": swin((2, 2, 18, 2), 128),
    "vgg11": vgg((1, 1, 2, 2, 2)), "vgg13": vgg((2, 2, 2, 2, 2)),
    "vgg16": vgg((2, 2, 3, 3, 3)), "vgg19": vgg((2, 2, 4, 4, 4)),
    "vitb16": vit(12, 768, 16), "vitb32": vit(12, 768, 32),
    "vitl16": vit(24, 1024, 16),
}
ALIASES = {"vitbasepatch16224": "vitb16", "vitbasepatch32224": "vitb32",
           "vitlargepatch16224": "vitl16",
           "swintinypatch4window7224": "swint",
           "swinsmallpatch4window7224": "swins",
           "swinbasepatch4window7224": "swinb"}


def image_macs(name, side):
    name = ALIASES.get(name, name)
    resnet_name = re.fullmatch(r"(?:r|rn|resnet)(\d+)(?:v15)?", name)
    return IMAGES[resnet_name[1] if resnet_name else name](side)


# Each function returns parameters, layers and the width of attention.
def gpt2(layers, h):
    return (50257 * h + 1024 * h + layers * (12 * h * h + 13 * h) + 2 * h,
            layers, h)


def bert(vocabulary, layers, h):
    return ((vocabulary + 512 + 2) * h + 2 * h
            + layers * (12 * h * h + 13 * h) + h * h + h, layers, h)


def llama(vocabulary, layers, h, mlp, heads, kv, head=128, tied=False,
          bias=False, norms=False):
    attention = 2 * h * heads * head + 2 * h * kv * head
    attention += (heads + 2 * kv) * head if bias else 0
    attention += 2 * head if norms else 0
    return ((1 if tied else 2) * vocabulary * h
            + layers * (attention + 3 * h * mlp + 2 * h) + h,
            layers, heads * head)


LLAMA2_7B = llama(32000, 32, 4096, 11008, 32, 32)
LLAMA3_8B = llama(128256, 32, 4096, 14336, 32, 8)
LLAMA3_70B = llama(128256, 80, 8192, 28672, 64, 8)
MISTRAL = llama(32000, 32, 4096, 14336, 32, 8)
QWEN25 = {
    "05b": (151936, 24, 896, 4864, 14, 2, 64, True, True),
    "15b": (151936, 28, 1536, 8960, 12, 2, 128, True, True),
    "3b": (151936, 36, 2048, 11008, 16, 2, 128, True, True),
    "7b": (152064, 28, 3584, 18944, 28, 4, 128, False, True),
    "14b": (152064, 48, 5120, 13824, 40, 8, 128, False, True),
    "32b": (152064, 64, 5120, 27648, 40, 8, 128, False, True),
    "72b": (152064, 80, 8192, 29568, 64, 8, 128, False, True),
}
QWEN3 = {
    "06b": (151936, 28, 1024, 3072, 16, 8, 128, True),
    "17b": (151936, 28, 2048, 6144, 16, 8, 128, True),
    "4b": (151936, 36, 2560, 9728, 32, 8, 128, True),
    "8b": (151936, 36, 4096, 12288, 32, 8),
    "14b": (151936, 40, 5120, 17408, 40, 8),
    "32b": (151936, 64, 5120, 25600, 64, 8),
}
MODELS = {
    "bertbase": bert(30522, 12, 768), "bertlarge": bert(30522, 24, 1024),
    "bertbasecased": bert(28996, 12, 768),
    "bertlargecased": bert(28996, 24, 1024),
    "bertbaseuncased": bert(30522, 12, 768),
    "bertlargeuncased": bert(30522, 24, 1024),
    "gpt2": gpt2(12, 768), "gpt2medium": gpt2(24, 1024),
    "gpt2large": gpt2(36, 1280), "gpt2xl": gpt2(48, 1600),
    "llama7b": LLAMA2_7B, "llama27b": LLAMA2_7B,
    "llama213b": llama(32000, 40, 5120, 13824, 40, 40),
    "llama270b": llama(32000, 80, 8192, 28672, 64, 8),
    "llama38b": LLAMA3_8B, "llama318b": LLAMA3_8B,
    "llama370b": LLAMA3_70B, "llama3170b": LLAMA3_70B,
    "llama3370b": LLAMA3_70B,
    "llama321b": llama(128256, 16, 2048, 8192, 32, 8, 64, True),
    "llama323b": llama(128256, 28, 3072, 8192, 24, 8, 128, True),
    "mistral7b": MISTRAL, "mistral7bv01": MISTRAL,
    "mistral7bv03": llama(32768, 32, 4096, 14336, 32, 8),
}
MODELS.update(("qwen25" + k, llama(*v)) for k, v in QWEN25.items())
MODELS.update(("qwen3" + k, llama(*v, norms=True))
                  for k, v in QWEN3.items())

MODELS.update(("qwen2" + k, llama(*QWEN25[k])) for k in ("7b", "72b"))

source = open(sys.argv[1], encoding="utf-8").read()
images = [(name, giga, side) for names, giga, side in
          re.findall(r'\{ "([\w|]+)", ([\d.]+), (\d+) \}', source)
          for name in names.split("|")]
language = [(name, *row) for names, *row in
            re.findall(r'\{ "([\w|]+)", (\d+), (\d+), (\d+) \}', source)
            for name in names.split("|")]
wrong = 0
for name, giga, side in images:
    want = image_macs(name, int(side)) / 1e9
    # The table of torchvision rounds or truncates to two decimals.
    if abs(float(giga) - want) > 0.012:
        print(f"# {name}: table {giga}, layers {want:.4f}")
        wrong += 1
for name, *row in language:
    if tuple(map(int, row)) != MODELS[name]:
        print(f"# {name}: table {row}, widths {MODELS[name]}")
        wrong += 1
print(f"# {len(images)} image networks, {len(language)} language models")
sys.exit(wrong > 0 or len(images) < 40 or len(language) < 30)
