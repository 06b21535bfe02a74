"""A Python way to make 224 x 224 pixels of JPEG files, on request.

usage: loader_step.py NAME DIR

DIR is the output of "bench_data write". Prints "ready", the versions and the
mean difference of its pixels from ours, of 255; then works through all crops
for every line of standard input and prints "step", its seconds and its seconds
of CPU time. One thread. If something is missing or fails, prints one line to
standard error and exits with status 1."""

import io
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"


def pillow():
    """torchvision's transforms on Pillow's images, as in most training."""
    import PIL
    from PIL import Image
    from torchvision.transforms import functional as F
    import torchvision
    if ".post" in PIL.__version__:
        raise ImportError("this Pillow is Pillow-SIMD")

    def make(data, x, y, w, h, mirror):
        image = Image.open(io.BytesIO(data)).convert("RGB")
        image = F.resized_crop(image, y, x, h, w, [224, 224])
        return F.hflip(image) if mirror else image

    return make, "torchvision %s, Pillow %s" % (torchvision.__version__,
                                                PIL.__version__)


def pillow_simd():
    """The functions of Pillow that torchvision calls, with Pillow-SIMD."""
    import PIL
    from PIL import Image
    if ".post" not in PIL.__version__:
        raise ImportError("this Pillow is not Pillow-SIMD")

    def make(data, x, y, w, h, mirror):
        image = Image.open(io.BytesIO(data)).convert("RGB")
        image = image.crop((x, y, x + w, y + h))
        image = image.resize((224, 224), Image.Resampling.BILINEAR)
        return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mirror \
            else image

    return make, "Pillow-SIMD %s" % PIL.__version__


def torchvision_io():
    """torchvision's own decoder, and its resizing of tensors."""
    import torch
    import torchvision
    from torchvision.io import decode_jpeg
    from torchvision.transforms import functional as F
    torch.set_num_threads(1)

    def make(data, x, y, w, h, mirror):
        image = decode_jpeg(torch.frombuffer(data, dtype=torch.uint8))
        image = F.resized_crop(image, y, x, h, w, [224, 224], antialias=True)
        return (F.hflip(image) if mirror else image).permute(1, 2, 0)

    return make, "torchvision %s" % torchvision.__version__


def with_opencv(decode):
    """Crop, resize as FFCV does, and mirror the image that decode returns."""
    import cv2
    cv2.setNumThreads(1)

    def make(data, x, y, w, h, mirror):
        image = cv2.resize(decode(data)[y:y + h, x:x + w], (224, 224),
                           interpolation=cv2.INTER_AREA)
        return cv2.flip(image, 1) if mirror else image

    return make, "OpenCV %s" % cv2.__version__


def opencv():
    import cv2
    import numpy as np
    return with_opencv(lambda data: cv2.cvtColor(cv2.imdecode(
        np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB))


def simplejpeg():
    import simplejpeg as s
    make, versions = with_opencv(lambda data: s.decode_jpeg(data, "RGB"))
    return make, "simplejpeg %s, %s" % (s.__version__, versions)


def pyturbojpeg():
    import turbojpeg
    decoder = turbojpeg.TurboJPEG()
    make, versions = with_opencv(lambda data: decoder.decode(
        data, pixel_format=turbojpeg.TJPF_RGB))
    return make, "PyTurboJPEG, %s" % versions


def ffcv():
    """The two functions that FFCV's RandomResizedCropRGBImageDecoder calls."""
    import numpy as np
    from importlib.metadata import version
    from ffcv.libffcv import imdecode, resize_crop
    from PIL import Image
    sizes = {}

    def make(data, x, y, w, h, mirror):
        if id(data) not in sizes:  # FFCV has them in its file's table
            sizes[id(data)] = Image.open(io.BytesIO(data)).size
        width, height = sizes[id(data)]
        image = np.empty((height, width, 3), np.uint8)
        imdecode(np.frombuffer(data, np.uint8), image, height, width, height,
                 width, 0, 0, 1, 1, False, False)
        out = np.empty((224, 224, 3), np.uint8)
        resize_crop(image, y, y + h, x, x + w, out)
        return out[:, ::-1].copy() if mirror else out

    return make, "FFCV %s" % version("ffcv")


def main():
    name, folder = sys.argv[1:3]
    import numpy as np
    make, versions = {f.__name__: f for f in (
        pillow, pillow_simd, torchvision_io, opencv, simplejpeg, pyturbojpeg,
        ffcv)}[name]()
    files = [bytearray(open(f"{folder}/{i}.jpg", "rb").read())
             for i in range(8)]
    if name not in ("torchvision_io", "ffcv", "opencv"):
        files = [bytes(f) for f in files]
    with open(folder + "/crops") as f:
        work = [(files[i % 8], *map(int, line.split()))
                for i, line in enumerate(f)]
    pixels = np.fromfile(folder + "/pixels", np.uint8).reshape(
        len(work), 224, 224, 3)
    off = sum(np.abs(np.asarray(make(*item)).astype(int) - ours).mean()
              for item, ours in zip(work, pixels)) / len(work)
    print("ready %.1f %s" % (off, versions), flush=True)
    for _ in sys.stdin:
        start, start_cpu = time.perf_counter(), time.process_time()
        for item in work:
            make(*item)
        print("step %.6f %.6f" % (time.perf_counter() - start,
                                  time.process_time() - start_cpu),
              flush=True)


try:
    main()
except Exception as e:
    said = [line.strip() for line in str(e).splitlines() if line.strip()]
    sys.exit("%s: %s" % (type(e).__name__, said[0] if said else ""))
