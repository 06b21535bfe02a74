# Write images of every kind that Pillow supports, in one class of a folder for
# images.py, and files that are not valid images in another folder.
# Arguments: FOLDER BAD_FOLDER
import io
import os
import random
import struct
import sys
import zlib

from PIL import Image

good, bad = (os.path.join(d, "a") for d in sys.argv[1:3])
rng = random.Random(7)


def scene(w, h):
    """smooth colours and some edges"""
    x = Image.new("RGB", (w, h))
    x.putdata([(255 * i // w, 255 * j // h, 255 if (i // 17 + j // 13) % 2
                else 40) for j in range(h) for i in range(w)])
    return x


def save(name, image, **how):
    image.save(os.path.join(good, name), **how)


def exif(orientation):
    """minimal EXIF data that state the orientation of the camera"""
    return (b"Exif\0\0II*\0\x08\0\0\0\x01\0" +
            struct.pack("<HHIHH", 0x112, 3, 1, orientation, 0) + b"\0" * 4)


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data +
            struct.pack(">I", zlib.crc32(kind + data)))


def png(w, h, depth, kind, rows):
    """a PNG of rows of bytes"""
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, kind, 0, 0,
                                       0)) +
            chunk(b"IDAT", zlib.compress(b"".join(b"\0" + r for r in rows))) +
            chunk(b"IEND", b""))


def deep(kind, channels):
    """a PNG of 64 x 64 pixels with 16 bits a channel"""
    return png(64, 64, 16, kind, [
        b"".join(struct.pack(">H", (i * 977 + j * 331 + c * 4000) % 65536)
                 for i in range(64) for c in range(channels))
        for j in range(64)])


def make_good():
    for name, kind, channels in [("deep", 2, 3), ("deep_grey_alpha", 4, 2),
                                 ("deep_alpha", 6, 4)]:
        with open(os.path.join(good, name + ".png"), "wb") as f:
            f.write(deep(kind, channels))
    x = scene(97, 71)
    save("cmyk.jpg", x.convert("CMYK"), quality=95)
    save("grey.jpg", x.convert("L"))
    save("progressive.jpg", x, progressive=True)
    save("coarse.jpg", x, quality=20, subsampling=2)
    save("full.jpg", x, quality=95, subsampling=0)
    save("half.jpg", x, quality=95, subsampling=1)
    for k in range(1, 9):
        save("held%d.jpg" % k, x, exif=exif(k))
    save("profile.jpg", x, icc_profile=bytes(rng.randrange(256)
                                             for _ in range(70000)))
    save("comment.jpg", x, comment=b"a" * 60000)
    save("grey.png", x.convert("L"))
    save("two.png", x.convert("1"))
    save("palette.png", x.convert("P", palette=Image.ADAPTIVE))
    save("seethrough.png", x.convert("P", palette=Image.ADAPTIVE),
         transparency=3)
    alpha = x.copy()
    alpha.putalpha(x.convert("L"))
    save("alpha.png", alpha)
    save("grey_alpha.png", x.convert("LA"))
    save("key.png", x, transparency=(0, 0, 40))
    save("as_jpeg.png", x, format="JPEG")  # the name is of another format
    for w, h in [(1, 1), (1, 300), (300, 1), (2, 2), (7, 500), (641, 480)]:
        save("%dx%d.jpg" % (w, h), scene(w, h), quality=90)
        save("%dx%d.png" % (w, h), scene(w, h))


def bomb(w, h):
    """a small PNG that claims to have w x h pixels, all of them black"""
    rows = zlib.compress(b"\0" * 40000000, 9)
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def make_bad():
    def put(name, data):
        with open(os.path.join(bad, name), "wb") as f:
            f.write(data)

    put("zero.jpg", b"")
    put("deep_grey.png", deep(0, 1))  # Pillow clips it at 255
    put("text.jpg", b"no image\n" * 100)
    put("wide.png", bomb(100000, 100000))
    put("larger.png", bomb(11586, 11586))
    put("less.png", bomb(11000, 11000))  # fewer rows than its header states
    x = scene(97, 71)
    for kind, how in [("JPEG", {}), ("JPEG", {"progressive": True}),
                      ("PNG", {})]:
        file = io.BytesIO()
        x.save(file, kind, **how)
        whole = file.getvalue()
        for n in range(100, len(whole) - 12, 100):
            put("cut%s%d_%d.%s" % ("p" if how else "", n, len(whole),
                                   kind.lower()), whole[:n])


for d in (good, bad):
    os.makedirs(d)
make_good()
make_bad()
