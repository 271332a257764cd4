"""MNIST by PyTorch's DistributedDataParallel over Gloo, with steps that take as long as told.

The peer of the time_to_loss benchmarks, one process per host; RANK, WORLD_SIZE, MASTER_ADDR,
MASTER_PORT and GLOO_SOCKET_IFNAME are set by whoever starts it. Network, first values, scaling,
shares, batch and the validation samples are those of bench/fabric/learning.cc. Rank 0 prints
"training", then after each step "SECONDS LOSS".
"""
import argparse
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "elastic_real"))
from ddp_lenet import images_and_labels  # noqa: E402

BATCH = 64
VALIDATION_SAMPLES = 1000


def mlp():
    layers = [nn.Linear(784, 256), nn.Linear(256, 128), nn.Linear(128, 10)]
    for layer in layers:
        gain = 1 if layer is layers[-1] else 2
        nn.init.normal_(layer.weight, std=(gain / layer.in_features) ** 0.5)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(nn.Flatten(), layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])


def samples(folder, name):
    images, labels = images_and_labels(folder, name)
    return 2 * images - 1, labels


def batches(images, labels, rank, world, seed):
    """This rank's share, again and again, each time in another order."""
    each = len(labels) // world
    images, labels = images[rank * each : (rank + 1) * each], labels[rank * each : (rank + 1) * each]
    generator = torch.Generator().manual_seed(seed * world + rank)
    while True:
        order = torch.randperm(each, generator=generator)
        for at in range(0, each - BATCH + 1, BATCH):
            yield images[order[at : at + BATCH]], labels[order[at : at + BATCH]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--learning-rate", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--step-seconds", required=True, help="of one step after the other")
    options = parser.parse_args()
    step_seconds = [float(word) for word in options.step_seconds.split(",")]
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    own = batches(*samples(options.data, "train"), rank, world, options.seed)
    held_out, held_out_labels = (part[:VALIDATION_SAMPLES] for part in samples(options.data, "t10k"))
    network = mlp()
    parallel = DistributedDataParallel(network)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=options.learning_rate)
    with parallel.no_sync():  # What computing really takes is part of a step.
        for _ in range(3):
            images, labels = next(own)
            began = time.monotonic()
            nn.functional.cross_entropy(parallel(images), labels).backward()
            computing_s = time.monotonic() - began
    dist.barrier()
    if rank == 0:
        print("training", flush=True)
    began = time.monotonic()
    step = 0
    while True:
        images, labels = next(own)
        optimizer.zero_grad()
        # All gradients fit into one bucket: it leaves when the step's computing is over.
        time.sleep(max(0, step_seconds[step % len(step_seconds)] - computing_s))
        nn.functional.cross_entropy(parallel(images), labels).backward()
        optimizer.step()
        step += 1
        if rank != 0:
            continue
        with torch.no_grad():
            loss = nn.functional.cross_entropy(network(held_out), held_out_labels)
        print(f"{time.monotonic() - began:.3f} {float(loss):.6f}", flush=True)


if __name__ == "__main__":
    main()
