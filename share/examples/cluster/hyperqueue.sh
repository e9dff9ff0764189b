#!/bin/sh
#HQ --array=1-3
#HQ --cpus=all
# HyperQueue: a task array whose tasks are the shards of a batch. In this directory, on a file system that the machines share:
#
#   mkdir results
#   hq submit --wait hyperqueue.sh
#
# Each task has a machine for itself (--cpus=all). If a machine dies, HyperQueue runs its task on another one, by default five
# times at most (--crash-limit). It does not run a task again that ends with a failure, such as 3 for the engine. To run
# only those tasks again, on any machine:
#
#   hq submit --wait --array=$(hq job task-ids last --filter=failed) hyperqueue.sh
#
# A program that fails is a result: shard.sh then exits with 0. If you change --array above, change the number of all
# shards below.
#
# Not tried. The options are those of the documentation of HyperQueue 0.26.
exec sh shard.sh "$HQ_TASK_ID/3" requests.jsonl results
