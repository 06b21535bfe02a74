#!/usr/bin/python3
"""Train a network of torchvision on a folder of images, for comparison with
train_imagenet on the same folder.

usage: torch_train.py DIR MODEL SIZE BATCH EPOCHS LR LR_STEP SEED

It does what PyTorch's ImageNet example does: RandomResizedCrop(SIZE) and a flip
for DIR/train, Resize(SIZE * 256 / 224) and CenterCrop(SIZE) for DIR/val,
ImageNet's mean and deviation, torchvision's initial weights, cross entropy, SGD
with momentum 0.9 and weight decay 1e-4, the learning rate decayed by 10x every
LR_STEP epochs. Prints a line with the accuracy on DIR/val after each epoch, as
train_imagenet and the example do. MODEL linear is a single linear layer on the
pixels.
"""
import sys

import torch
import torchvision
from torchvision import transforms


def images(folder, transform):
    norm = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return torchvision.datasets.ImageFolder(
        folder, transforms.Compose(transform + [transforms.ToTensor(), norm]))


def create(name, size, classes):
    if name == "linear":
        return torch.nn.Sequential(torch.nn.Flatten(),
                                   torch.nn.Linear(3 * size * size, classes))
    model = getattr(torchvision.models, name)(num_classes=classes)
    return model.to(memory_format=torch.channels_last)


def accuracy(model, loader, classes):
    model.eval()
    right = [0, 0]
    with torch.no_grad():
        for x, y in loader:
            best = model(x).topk(min(5, classes)).indices
            hits = best == y[:, None]
            right[0] += hits[:, 0].sum().item()
            right[1] += hits.sum().item()
    return [100 * n / len(loader.dataset) for n in right]


def main():
    folder, name = sys.argv[1:3]
    size, batch, epochs = map(int, sys.argv[3:6])
    lr, lr_step, seed = float(sys.argv[6]), int(sys.argv[7]), int(sys.argv[8])
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    train = images(folder + "/train",
                   [transforms.RandomResizedCrop(size),
                    transforms.RandomHorizontalFlip()])
    val = images(folder + "/val",
                 [transforms.Resize(round(size * 256 / 224)),
                  transforms.CenterCrop(size)])
    train_loader = torch.utils.data.DataLoader(train, batch, shuffle=True)
    val_loader = torch.utils.data.DataLoader(val, batch)
    classes = len(train.classes)
    model = create(name, size, classes)
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr, momentum=0.9,
                                weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, lr_step)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in train_loader:
            x = x.to(memory_format=torch.channels_last)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        print("Epoch: [%d] Loss %.4e" % (epoch, total / len(train_loader)))
        print(" *   Acc@1 %.3f Acc@5 %.3f" % tuple(
            accuracy(model, val_loader, classes)), flush=True)


main()
