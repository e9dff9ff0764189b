#!/usr/bin/env bash
# The fuzz targets, about a minute in all, from their seeds; what they hold to stands in test/fuzz/*.c.
# Needs no engine.
#
# FUZZ_PROGRAMS  where the targets are (make fuzz-targets)
# FUZZ_SECONDS   how long they run, all together
# FUZZ_SEED      of its random numbers; 0: another one each time
# FUZZ_KEEP      directory in which corpora grow and findings stay; else both are thrown away
set -u
cd "$(dirname "$0")/../.." || exit 1
programs=${FUZZ_PROGRAMS:-build/fuzz/bin}
targets=(test/fuzz/*.c)
seconds=$(((${FUZZ_SECONDS:-64} + ${#targets[@]} - 1) / ${#targets[@]})) # 0 would be for ever
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch # of a target that makes files and did not live to remove them
keep=${FUZZ_KEEP:-$scratch}
tests=0
failed=0
inputs=0

# ok STATUS NAME LOG: a test point; where STATUS is not 0, what the log tells and the input, in base64.
ok() {
    tests=$((tests + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tests - $2"
        return
    fi
    echo "not ok $tests - $2"
    failed=1
    grep -v -e '^#' -e '^INFO' "$3" | cut -c 1-400 | tail -n 40 | sed 's/^/# /'
    sed -n 's/.*Test unit written to //p' "$3" | grep -v slow-unit | while read -r file; do
        echo "# input (base64 -d):"
        base64 "$file" | sed 's/^/# /'
    done
}

# Exactly the seeds, so that one that fails is told as such.
seeds() { # TARGET
    "$programs/$1" -artifact_prefix="$keep/$1-" "test/fuzz/corpus/$1"/* >"$keep/$1.log" 2>&1
    ok $? "$1: the seeds" "$keep/$1.log"
}

fuzz() { # TARGET
    local log=$keep/$1.log dictionary=test/fuzz/$1.dict status runs
    mkdir -p "$keep/$1-corpus"
    "$programs/$1" -seed="${FUZZ_SEED:-1}" -max_total_time="$seconds" -timeout=60 -max_len=8192 \
        -dict="$dictionary" -artifact_prefix="$keep/$1-" -print_final_stats=1 \
        "$keep/$1-corpus" "test/fuzz/corpus/$1" >"$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    [ "${runs:-0}" -ge 100 ] || status=1 # else it has tried next to nothing
    inputs=$((inputs + ${runs:-0}))
    ok "$status" "$1: nothing is found in $seconds s" "$log"
}

mkdir -p "$keep"
keep=$(cd "$keep" && pwd)
for target in "${targets[@]}"; do
    target=$(basename "$target" .c)
    seeds "$target"
    fuzz "$target"
done
echo "# figures: $inputs inputs"
echo "1..$tests"
exit "$failed"
