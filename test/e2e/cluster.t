#!/usr/bin/env bash
# Batches on several machines by GNU parallel and Slurm, with the examples in share/examples/cluster. One of three machines
# dies in the middle.
#
# A machine is a namespace of processes and a network of its own, with the sshd or slurmd as its first process. If that is
# killed, so is all that runs on the machine. What dies is the host that drives isolator, so the engine is the stand-in for
# docker, which runs 300 programs in a tenth of the time. The servers are packages that test/setup has unpacked. They need
# root, have their files in $bed, and end with this test also if that is killed.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $scratch and its like
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/e2e/network.sh
. test/e2e/network.sh

uses_engine=no
bed=$scratch/bed
examples=$PWD/share/examples/cluster
cluster=$PWD/build/engine/cluster/usr # by test/setup
libraries=$(echo "$cluster"/lib/*-linux-gnu)
mkdir -p "$bed/bin"
ln -s "$PWD/test/fixtures/docker-stand-in" "$bed/bin/docker"
ln -s "$ISOLATOR" "$bed/bin/isolator"
export PATH=$bed/bin:$PATH ISOLATOR_CONFIG=$PWD/test/fixtures/quick.json
unset DOCKER_HOST

# 300 requests, every 25th of which takes a second.
perl -e 'printf qq({"id": %d, "language": "noshell", "entrypoint_code": "text %d", "arguments": [%s]}\n),
    $_, $_, $_ % 25 ? "" : q("--sleep=1") for 1 .. 300' >"$scratch/requests"

# counts FILE...: how many results the files have, of how many requests, and how many have the output of their program.
counts() {
    perl -MJSON::PP -e '
        my ($results, $right, %ids) = (0, 0);
        while (<>) {
            my $r = decode_json($_);
            ++$results, ++$ids{$r->{id}}, $right += $r->{stdout} =~ /^text $r->{id}$/m;
        }
        print "$results results of ", scalar keys %ids, " requests, $right right"' "$@"
}

# ---- machines

declare -A pids=() # of the processes whose child is the first process of a machine, and of servers, by name

# server NAME COMMAND...: starts it in the background.
server() {
    setpriv --pdeathsig KILL "${@:2}" >"$bed/$1.log" 2>&1 &
    pids[$1]=$!
}
# machine NAME N COMMAND...: starts a machine, the host N of the network, with this first process, which has a private /run.
machine() {
    server "$1" unshare --pid --net --fork --kill-child=KILL --mount-proc sh -c '
        mount -t tmpfs none /run && mkdir /run/sshd
        until ip -4 address show dev cable 2>/dev/null | grep -q inet; do sleep 0.05; done
        exec "$@"' sh "${@:3}"
    connect_host "$2" "${pids[$1]}"
}

# die NAME...: kills these with all that runs on them, and waits until they are gone.
die() {
    local name first=()
    { # bash would report each that was killed
        for name; do
            mapfile -t -O "${#first[@]}" first < <(pgrep -P "${pids[$name]}")
            kill -KILL "${pids[$name]}"
        done
        for name; do
            wait "${pids[$name]}"
            unset "pids[$name]"
        done
    } 2>/dev/null
    until_true ended "${first[@]}"
}
ended() { [ $# -eq 0 ] || ! kill -0 "$@" 2>/dev/null; }
trap 'in_main || exit; die "${!pids[@]}"; kill $switch 2>/dev/null; rm -rf "$scratch"' EXIT

# runs_on NAME PATTERN: whether a process of this machine has this in its command line.
runs_on() { pgrep --ns "$(pgrep -P "${pids[$1]}")" --nslist pid -f -- "$2" >/dev/null; }

# ---- GNU parallel, by ssh

# Starts three sshds. Each machine has an engine of its own.
start_sshds() {
    local name number=0
    ssh_files "$bed"
    printf '%s\n' 'ServerAliveInterval 2' 'ConnectTimeout 2' >>"$bed/ssh_config" # as the example says
    for name in one two three; do
        number=$((number + 1))
        printf 'Host %s\nHostName %s\n' "$name" "$(address "$number")" >>"$bed/ssh_config"
        echo "$name" >>"$bed/hosts"
        sshd_command "$bed" "PATH=$PATH ISOLATOR_CONFIG=$ISOLATOR_CONFIG DOCKER_STAND_IN=$bed/engine-$name"
        machine "$name" "$number" "${sshd_command[@]}"
    done
    for name in one two three; do
        until_true inside ssh -F "$bed/ssh_config" "$name" true 2>/dev/null || cat "$bed/$name.log" >&2
    done
}

open_switch

test_case 'GNU parallel: one machine of three dies' && {
    start_sshds
    PATH=$cluster/bin:$PATH PARALLEL_SSH="ssh -F $bed/ssh_config" PARALLEL_HOME=$bed/parallel XDG_CACHE_HOME=$bed/cache \
        inside sh "$examples/parallel.sh" "$bed/hosts" "$scratch/requests" >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    until_true runs_on two '--sleep=1' # the last program of a block
    die two
    await
    is "$status|$(counts "$scratch/out")" "0|300 results of 300 requests, 300 right" "a result for each request: $err"
    die one three
}

# ---- Slurm

# slurm COMMAND ARG...: a command of Slurm.
slurm() { PATH=$cluster/bin:$PATH LD_LIBRARY_PATH=$libraries:$libraries/slurm-wlm SLURM_CONF=$bed/slurm.conf inside "$@"; }

# Starts the servers of Slurm, with three nodes. A job that lost its node begins again after cred_expire seconds.
start_slurm() {
    local host number path=$cluster/sbin
    host=$(uname -n)
    head -c 128 /dev/urandom >"$bed/munge.key"
    chmod 400 "$bed/munge.key"
    mkdir "$bed/state" "$bed/spool-n1" "$bed/spool-n2" "$bed/spool-n3"
    cat >"$bed/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host($(address 4))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$bed/munge.socket,cred_expire=5
PluginDir=$libraries/slurm-wlm
StateSaveLocation=$bed/state
SlurmdSpoolDir=$bed/spool-%n
SlurmctldPidFile=$bed/slurmctld.pid
SlurmdPidFile=$bed/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SlurmdTimeout=4
MessageTimeout=3
ReturnToService=1
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName=n1 NodeHostname=$host NodeAddr=$(address 1) Port=6811
NodeName=n2 NodeHostname=$host NodeAddr=$(address 2) Port=6812
NodeName=n3 NodeHostname=$host NodeAddr=$(address 3) Port=6813
PartitionName=all Nodes=ALL Default=YES State=UP
END
    export LD_LIBRARY_PATH=$libraries:$libraries/slurm-wlm
    # --force: the directories above $bed are closed to other users.
    server munged "$path/munged" --foreground --force --key-file="$bed/munge.key" --socket="$bed/munge.socket" \
        --pid-file="$bed/munge.pid" --log-file="$bed/munge.log" --seed-file="$bed/munge.seed"
    until_true [ -S "$bed/munge.socket" ]
    machine slurmctld 4 "$path"/slurmctld* -D -i -f "$bed/slurm.conf"
    for number in 1 2 3; do
        machine "n$number" "$number" "$path"/slurmd* -D -N "n$number" -f "$bed/slurm.conf" -d "$(echo "$path"/slurmstepd*)"
    done
    unset LD_LIBRARY_PATH
    until_true nodes_are_idle || tail "$bed"/{munged,slurmctld,n1}.log >&2
}
nodes_are_idle() { [ "$(slurm sinfo -h -o '%D %t' 2>/dev/null)" = "3 idle" ]; }

# submit REQUESTS RESULTS: starts the example with this file and this new directory; sets $job.
submit() {
    mkdir "$2"
    job=$(cd "$examples" && DOCKER_STAND_IN=$bed/engine slurm sbatch --parsable -o "$2/%a.log" --open-mode=append slurm.sh "$1" "$2")
}
# all_tasks STATE: whether the three tasks of the job are in this state.
all_tasks() { [ "$(slurm scontrol show job "$job" | grep -c "JobState=$1")" = 3 ]; }
# How often tasks ran again, in all.
restarts() { slurm scontrol show job "$job" | perl -ne '$n += $1 if / Restarts=(\d+)/; END { print $n }'; }

in_the_middle() { grep -qs '"id":27,' "$scratch"/results/.shard-3.*; }

test_case 'Slurm: one machine of three dies' && {
    start_slurm
    submit "$scratch/requests" "$scratch/results"
    until_true in_the_middle
    node=$(slurm squeue -h -j "${job}_3" -o %N)
    die "$node"
    until_true all_tasks COMPLETED
    within "$(restarts)" 1 9 "the task of the machine ran again"
    is "$(cd "$scratch/results" && echo *.jsonl)" "shard-1.jsonl shard-2.jsonl shard-3.jsonl" "a file for each shard"
    is "$(counts "$scratch"/results/*.jsonl)" "300 results of 300 requests, 300 right" "a result for each request"
}

test_case 'Slurm: the engine fails, and programs fail' && {
    [ -S "$bed/munge.socket" ] || start_slurm
    sed '31,$d; s/"--sleep=1"/"--exit=1"/' "$scratch/requests" >"$scratch/few"
    faulty "create 1 fail" submit "$scratch/few" "$scratch/some"
    until_true all_tasks COMPLETED
    is "$(restarts)|$(counts "$scratch"/some/*.jsonl)" "1|30 results of 30 requests, 30 right" "the task whose engine failed ran again"
    is "$(cat "$scratch"/some/*.jsonl | grep -c '"exitCode":1,.*"reason":"exit"')" 1 "the one whose program failed did not"
}

test_case 'nothing is left' && {
    die "${!pids[@]}"
    is "$(pgrep -f -- "$bed")" "" "no process"
    is "$(grep -c "$bed" /proc/self/mountinfo)" 0 "no mount"
}

finish
