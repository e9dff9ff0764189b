#!/usr/bin/env python3
"""Ray: runs a batch on the machines of a Ray cluster, which have isolator and an engine.

    python3 ray_batch.py requests.jsonl >results.jsonl

A block of 25 requests is a task of Ray. If a machine dies, Ray runs its tasks on another one. After a failure of the
engine (exit status 3) the block runs again on the same machine, three times in all; then the batch fails. Only the
results of the last attempt count, so none is printed twice. A program that fails (exit status 1) is a result. Each
request needs an id of its own, since `line` is the number within a block.

Tried without a cluster, with a stand-in for Ray. The functions are those of the documentation of Ray 2.
"""
import subprocess
import sys

import ray

CORES = 2  # of a machine, for one block
BLOCK = 25


def run(batch):
    requests = "".join(line + "\n" for line in batch["item"])
    for _ in range(3):
        done = subprocess.run(["isolator", "batch", "-q", "-j", str(CORES), "-"],
                              input=requests.encode(), stdout=subprocess.PIPE, check=False)
        if done.returncode in (0, 1):
            return {"result": done.stdout.decode().split("\n")[:-1]}
    raise RuntimeError(f"isolator batch exited with status {done.returncode}")


def main():
    with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
        lines = [line for line in file.read().split("\n") if line.strip()]
    blocks = max(1, -(-len(lines) // BLOCK))
    dataset = ray.data.from_items(lines, override_num_blocks=blocks)
    for row in dataset.map_batches(run, batch_size=None, num_cpus=CORES).iter_rows():
        print(row["result"])


if __name__ == "__main__":
    main()
