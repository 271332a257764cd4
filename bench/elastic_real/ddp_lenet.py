"""LeNet-5 on MNIST by PyTorch's DistributedDataParallel over Gloo, to a validation loss.

The peer of the one_slow benchmark, one process per worker; RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT are set by whoever starts it. Network, batch per worker, momentum, data and the half of
the validation samples that decides are those of the job that it is compared with. Rank 0 prints
"training", then "reached SECONDS" when the loss was measured, or "missed" after the last pass.
"""
import argparse
import gzip
import os
import struct
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

MASK = (1 << 64) - 1


def mix64(x):  # src/base/random.h
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def decides(sample, seed):  # src/data/split.h
    return mix64(mix64(seed ^ 0x53706C6974) ^ sample) & 1 == 0


def idx(path):
    with gzip.open(path) as file:
        data = file.read()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}I", data[4 : 4 + 4 * dimensions])
    values = torch.frombuffer(bytearray(data[4 + 4 * dimensions :]), dtype=torch.uint8)
    return values.reshape(shape)


def images_and_labels(folder, name):
    images = idx(f"{folder}/mnist-{name}-images-idx3-ubyte.gz")
    labels = idx(f"{folder}/mnist-{name}-labels-idx1-ubyte.gz")
    return images.unsqueeze(1).float() / 255, labels.long()


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def validation_loss(network, images, labels, rank, world):
    """Each rank measures its share."""
    sums = torch.zeros(2)
    with torch.no_grad():
        for at in range(rank * 500, len(labels), world * 500):
            part = labels[at : at + 500]
            sums[0] += nn.functional.cross_entropy(network(images[at : at + 500]), part, reduction="sum")
            sums[1] += len(part)
    dist.all_reduce(sums)
    return float(sums[0] / sums[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--target", type=float, required=True)
    parser.add_argument("--learning-rate", type=float, required=True)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--passes-max", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    images, labels = images_and_labels(options.data, "train")
    held_out, held_out_labels = images_and_labels(options.data, "t10k")
    chosen = [i for i in range(len(held_out_labels)) if decides(i, options.seed)]
    held_out, held_out_labels = held_out[chosen], held_out_labels[chosen]
    network = lenet5()
    parallel = DistributedDataParallel(network)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=options.learning_rate, momentum=0.9)
    dist.barrier()
    if rank == 0:
        print("training", flush=True)
    began = time.monotonic()
    reached = False
    for epoch in range(options.passes_max):
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(epoch))
        whole = len(labels) // (world * options.batch) * world * options.batch
        for at in range(rank * options.batch, whole, world * options.batch):
            batch = order[at : at + options.batch]
            optimizer.zero_grad()
            nn.functional.cross_entropy(parallel(images[batch]), labels[batch]).backward()
            optimizer.step()
        loss = validation_loss(network, held_out, held_out_labels, rank, world)
        if loss <= options.target:
            reached = True
            break
    if rank == 0:
        seconds = time.monotonic() - began
        print(f"reached {seconds:.3f}" if reached else "missed", flush=True)
    # The store lives in rank 0: nobody may need it any more when that ends.
    dist.barrier()
    os._exit(0)


if __name__ == "__main__":
    main()
