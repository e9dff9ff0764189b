#!/bin/sh
# Runs one shard of a batch, for the schedulers whose examples are beside this file:
#
#   sh shard.sh I/N REQUESTS RESULTS
#
# REQUESTS is a file and RESULTS a directory, which all machines share. The results of the shard are in RESULTS/shard-I.jsonl
# when it is complete. Until then they are in a file of this attempt. So a shard that runs again leaves no result twice, even
# if the machine of the first attempt was only out of reach and goes on. All results: cat RESULTS/shard-*.jsonl
#
# Exit status: 0 if the shard is complete, also if programs failed: their results say so. With another status it has to run
# again, for example with 3, a failure of the engine; only 2, a wrong command line, fails each time.
# Another attempt begins the shard anew, so use more shards than machines, each of some minutes.
#
# Tried with Slurm 22.05, by test/e2e/cluster.t.
set -u
number=${1%/*}
attempt=$3/.shard-$number.$(uname -n).$$

isolator batch -q --shard "$1" "$2" >"$attempt"
status=$?
if [ "$status" -le 1 ]; then
    mv "$attempt" "$3/shard-$number.jsonl"
    exit
fi
rm -f "$attempt"
exit "$status"
