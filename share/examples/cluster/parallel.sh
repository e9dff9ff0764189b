#!/bin/sh
# GNU parallel: runs a batch on several machines by ssh. They have isolator and an engine, and need no files in common.
#
#   sh parallel.sh HOSTS REQUESTS >results.jsonl
#
# HOSTS is a file with what ssh calls a machine on each line. A machine that is free gets the next block of 25 requests. A
# block fails if the engine fails (exit status 3 of isolator) or the connection ends (255 of ssh). Then it runs again, if
# possible on another machine, three times in all. The results of a block are printed when it has ended, and those of an attempt
# that failed are not, so none is printed twice. A program that fails (exit status 1) is a result, and no failure.
#
# Each request needs an id of its own, since `line` is the number within a block. What failed three times runs with:
#   isolator batch --resume results.jsonl requests.jsonl >>results.jsonl
# ServerAliveInterval and ConnectTimeout in ssh_config(5) let ssh notice that a machine no longer answers, and not try it for two
# minutes each time.
#
# Tried with GNU parallel 20221122, by test/e2e/cluster.t: one machine of three dies.
exec parallel --pipe -N 25 --jobs 1 --retries 3 --sshloginfile "$1" \
    'isolator batch -q - || [ $? -eq 1 ]' <"$2"
