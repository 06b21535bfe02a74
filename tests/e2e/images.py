# Compare validation images with torchvision, as PyTorch's ImageNet example
# reads them: Resize(SIZE * 256 / 224), CenterCrop(SIZE) of ImageFolder.
# Arguments: the output of dump_images, the folder, SIZE.
#
# JPEG decoder and filter are the same, but Pillow rounds between rows and
# columns, which dlscale does not: values may differ by one level of 255.
import sys

import numpy
import torchvision
from torchvision import transforms

MOST = 1

dumped, folder, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = open(dumped, "rb").read()
names, _, pixels = data.partition(b"\n\n")
want = torchvision.datasets.ImageFolder(
    folder,
    transforms.Compose([transforms.Resize(round(size * 256 / 224)),
                        transforms.CenterCrop(size)]))
assert names.decode().split("\n") == want.classes, names
step = size * size * 3 + 1
assert len(pixels) == step * len(want), (len(pixels), step, len(want))
most, differ = 0, 0
for i in range(len(want)):
    image, label = want[i]
    got = numpy.frombuffer(pixels[i * step:(i + 1) * step], numpy.uint8)
    assert got[0] == label, (i, got[0], label)
    d = numpy.abs(got[1:].astype(int) -
                  numpy.asarray(image).reshape(-1).astype(int))
    most, differ = max(most, d.max()), differ + (d > 0).mean() / len(want)
print("%d images: %.1f %% of the bytes differ, by %d at most" %
      (len(want), 100 * differ, most))
assert most <= MOST
