"""The random numbers of trainer/base/philox.h (Philox4x32-10), for scripts that
reproduce those of train_imagenet."""
import numpy as np


def philox(seed, stream, step, n):
    """The first n numbers of a stream, 0 .. 2^32 - 1."""
    low, half = np.uint64(0xffffffff), np.uint64(32)
    blocks = np.arange((n + 3) // 4, dtype=np.uint64)
    c = [blocks & low, blocks >> half, np.full_like(blocks, stream),
         np.full_like(blocks, step)]
    k0, k1 = seed & 0xffffffff, seed >> 32
    for _ in range(10):
        a = np.uint64(0xd2511f53) * c[0]
        b = np.uint64(0xcd9e8d57) * c[2]
        c = [(b >> half) ^ c[1] ^ np.uint64(k0), b & low,
             (a >> half) ^ c[3] ^ np.uint64(k1), a & low]
        k0 = (k0 + 0x9e3779b9) & 0xffffffff
        k1 = (k1 + 0xbb67ae85) & 0xffffffff
    return np.stack(c, 1).reshape(-1)[:n]
