#!/bin/sh
#SBATCH --array=1-3
#SBATCH --requeue
# Slurm: a job array whose tasks are the shards of a batch. In this directory, on a file system that the machines share:
#
#   mkdir results
#   sbatch slurm.sh requests.jsonl results
#   SHARDS=100 sbatch --array=1-100 slurm.sh requests.jsonl results
#
# If a machine dies, Slurm runs its task again (--requeue). After a failure of the engine (exit status 3) the task asks for
# that itself, three times at most. A program that fails is a result: shard.sh then exits with 0. To run only some shards, name
# them with --array; SHARDS stays the number of all. A machine runs one task at a time if the job is exclusive or asks for
# all of its cores.
#
# Tried with Slurm 22.05, by test/e2e/cluster.t: one machine of three dies, and the engine fails once.
shards=${SHARDS:-3}

sh shard.sh "$SLURM_ARRAY_TASK_ID/$shards" "$1" "$2"
status=$?
if [ "$status" -eq 3 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
