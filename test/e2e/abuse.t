#!/usr/bin/env bash
# isolator selftest: all attacks on the real engine; and the limits of a container as the kernel of the engine's host has
# them. That each attack gets through without its guard is tested in guards.t.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

test_case 'every attack is held, or gets through a known gap' && {
    isolator selftest
    is "$status|$err" "0|" "isolator selftest"
    within "$(wc -l < <(ls test/abuse))" 50 1000 "the number of attacks"
    for file in test/abuse/*; do
        name=$(basename "$file" .py)
        line=$(grep -E "^[A-Za-z]+ +[0-9.]+ s +$name " <<<"$out")
        case $name in
        machine_quotas | tcp_buffers) expected="held gap" ;; # known gaps, which some kernels do not have
        *) expected=held ;;
        esac
        has " $expected " " ${line%% *} " "$name: ${line:-no line about it}"
    done
    echo "# figures: $(tail -n 1 <<<"$out")"
    has "$(tail -n 1 <<<"$out")" ", 0 breaches, 0 unclear; 0 containers remain" "none gets through, and no container is left"
}

test_case 'the limits of a container as the kernel has them' && {
    start --timeout 10m --memory 64 --cpus 0.25 --pids-limit 17 "$(snippet py 'import time; time.sleep(600)')"
    until_true eval 'name=$(docker ps --filter "label=isolator.pid=$pid" --format "{{.Names}}"); [ "$name" ]'
    first=$(docker inspect -f '{{.State.Pid}}' "$name")
    until_true eval 'processes_of "$name" 2>&1 | grep -q "snippet-.*py"' # the program
    # status NAME: the values that the kernel has under this name for the processes of the container, each value once, one
    # a line, with single spaces.
    processes() { processes_of "$name" | sed '1d; s/^ *\([0-9]*\).*/\1/'; }
    status() {
        for one in $(processes); do sed -n "s/^$1:[[:space:]]*//p" "/proc/$one/status"; done | tr -s ' \t' ' ' | sed 's/ $//' | sort -u
    }
    is "$(processes | wc -l)" 2 "from outside: the number of processes"
    user=$(docker inspect -f '{{.Config.User}}' "$name" | cut -d : -f 1)
    is "$(own_users <<<"$user")" OWN "from outside: it is a user of its own"
    expect "$(for what in Uid Gid Groups; do echo "$what: $(status "$what")"; done)" "from outside: the user" <<END
Uid: $user $user $user $user
Gid: $user $user $user $user
Groups: $user
END
    for set in CapInh CapPrm CapEff CapBnd CapAmb; do
        is "$(status $set)" 0000000000000000 "from outside: no capability in $set"
    done
    is "$(status NoNewPrivs) $(status Seccomp)" "1 2" "from outside: no new privileges, system calls are filtered"
    # limit NAME: the soft and the hard limit of process 1.
    limit() { sed -nE "s/^$1 +([^ ]+) +([^ ]+) .*/\1 \2/p" "/proc/$first/limits"; }
    is "$(limit 'Max core file size')|$(limit 'Max open files')" "0 0|1024 1024" "from outside: core dumps and descriptors"
    # group CONTROLLER FILE-V1 FILE-V2: the content of a file of the control group.
    group() {
        local path
        path=$(sed -nE "s/^[0-9]+:([^:]*,)?$1(,[^:]*)?:(.*)/\3/p" "/proc/$first/cgroup")
        if [ -n "$path" ]; then cat "/sys/fs/cgroup/$1$path/$2"; else
            cat "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$first/cgroup")/$3"
        fi
    }
    is "$(group memory memory.limit_in_bytes memory.max)" 67108864 "from outside: memory"
    is "$(group pids pids.max pids.max)" 17 "from outside: processes"
    is "$(group cpu cpu.cfs_quota_us cpu.max | cut -d ' ' -f 1)" 25000 "from outside: CPU quota, of 100000"
    is "$(sed 's/:.*//; s/ //g; 1,2d' "/proc/$first/net/dev")" lo "from outside: no network but lo"
    is "$(awk '$5 == "/" { print substr($6, 1, 2) }' "/proc/$first/mountinfo")" ro "from outside: the root is read-only"
    kill -TERM "$pid"
    await
    is "$status" 143 "it ends by SIGTERM"
}

# ---- the command

test_case --quick 'isolator selftest --list' && {
    isolator selftest --list
    is "$status $(wc -l <<<"$out")" "0 $(ls test/abuse | wc -l)" "selftest --list"
}

test_case 'isolator selftest with names, and -v' && {
    isolator selftest mknod mount
    is "$status $(wc -l <<<"$out")" "0 3" "selftest with names"
    has "$out" "2 attacks: 2 held, 0 known gaps, 0 breaches, 0 unclear; 0 containers remain" \
        "selftest with names: the last line"
    isolator selftest -v mount
    has "$out" "mounting, unmounting and remounting: " "selftest -v describes the attack"
}

wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    isolator selftest "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case --quick 'wrong use' && {
    wrong "unknown attack 'forkbomb'; did you mean 'fork_bomb'?" "a misspelt attack" forkbomb
    wrong "unknown attack 'everything'; see isolator selftest --list" "no attack" everything
    wrong "unknown option '--lst'; did you mean --list?" "an unknown option" --lst
}

test_case --quick 'an image that is not on the engine' && {
    echo '{"languages": {"python": {"image": "isolator-test/none:1"}}}' >"$scratch/none.json"
    isolator selftest --config "$scratch/none.json" mount
    is "$status|$out|$err" "3||isolator: image 'isolator-test/none:1' is not on the engine; run: isolator pull python" "no image"
}

test_case --quick 'an engine that cannot be reached' && {
    DOCKER_HOST=unix:///nonexistent/docker.sock isolator selftest
    is "$status|$out" "3|" "it ends with the first attack"
    has "$err" "isolator: cannot start the container: " "the reason"
}

test_case --quick 'an engine that does not answer' && {
    echo '{"engineTimeoutSeconds": 5}' >"$scratch/silent.json"
    faulty "* * hang" isolator selftest --config "$scratch/silent.json"
    is "$status|$(grep -c '^UNCLEAR' <<<"$out")" "3|1" "it ends"
    has "$err" "isolator: the engine does not answer after '" "the attack"
    has "$err" "': cannot start the container: the container engine does not answer" "the reason"
    is "$(cd "$calls" && echo run.*)" "run.1" "with the first attack"
}

test_case 'SIGINT ends it' && {
    start_isolator selftest cpu_hog
    until_true eval '[ "$(docker ps -q --filter label=isolator.pid=$pid)" ]'
    kill -INT "$pid"
    await
    is "$status|$out$err" "130|" "SIGINT ends it"
}

finish
