#!/usr/bin/env bash
# The fuzz targets, about a minute in all, from their seeds; what they check stands in test/fuzz/*.c.
# Needs no engine.
#
# FUZZ_PROGRAMS  where the targets are (make fuzz-targets)
# FUZZ_SECONDS   how long they run, all together
# FUZZ_SEED      of its random numbers; 0: a different one each time
# FUZZ_KEEP      directory in which corpora grow and findings stay; by default both are thrown away
# shellcheck source=test/e2e/lib.sh disable=SC2034,SC2154 # lib.sh sets $scratch and reads $uses_engine
. "$(dirname "$0")/lib.sh"

uses_engine=no
programs=${FUZZ_PROGRAMS:-build/fuzz/bin}
targets=(test/fuzz/*.c)
targets=("${targets[@]#test/fuzz/}")
targets=("${targets[@]%.c}")
seconds=$(((${FUZZ_SECONDS:-64} + ${#targets[@]} - 1) / ${#targets[@]})) # 0 would mean for ever
export TMPDIR=$scratch # for a target that creates files and did not live to remove them
keep=${FUZZ_KEEP:-$scratch}
mkdir -p "$keep"
keep=$(cd "$keep" && pwd)

# passes STATUS NAME LOG: asserts that STATUS is 0; if not, prints the log and the input, in base64.
passes() {
    ok "$1" "$2" && return
    diag "$(grep -v -e '^#' -e '^INFO' "$3" | cut -c 1-400 | tail -n 40)"
    sed -n 's/.*Test unit written to //p' "$3" | grep -v slow-unit | while read -r file; do
        diag "input (base64 -d):"
        diag "$(base64 "$file")"
    done
}

test_case 'no target fails with its seeds' && {
    for target in "${targets[@]}"; do
        log=$keep/$target.log
        "$programs/$target" -artifact_prefix="$keep/$target-" "test/fuzz/corpus/$target"/* >"$log" 2>&1
        passes $? "$target: the seeds" "$log"
    done
}

test_case 'no target finds an input that fails' && {
    inputs=0
    for target in "${targets[@]}"; do
        log=$keep/$target.log
        mkdir -p "$keep/$target-corpus"
        "$programs/$target" -seed="${FUZZ_SEED:-1}" -max_total_time="$seconds" -timeout=60 -max_len=8192 \
            -dict="test/fuzz/$target.dict" -artifact_prefix="$keep/$target-" -print_final_stats=1 \
            "$keep/$target-corpus" "test/fuzz/corpus/$target" >"$log" 2>&1
        status=$?
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        [ "${runs:-0}" -ge 100 ] || status=1 # fewer inputs are next to nothing
        inputs=$((inputs + ${runs:-0}))
        passes "$status" "$target: $seconds s of random inputs" "$log"
    done
    echo "# figures: $inputs inputs"
}

finish
