#!/usr/bin/env bash
# Three built-in languages with their snippets, and the shape of the JSON result. each_language.t has all of them.
# shellcheck source=test/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# greets LANGUAGE FILE: runs this snippet. Go may compile its standard library first, which
# takes minutes on a slow machine.
greets() {
    run --timeout 15m "prompts/$2"
    is "$status" 0 "exit status"
    is "$(field status)" success "status"
    is "$(field stdout)" "Hello, World from $1!" "stdout"
    is "$(field stderr)" "" "stderr"
}

test_case 'Go' && {
    greets Go hello_go.go
}

test_case 'JavaScript' && {
    greets JavaScript hello_javascript.js
}

test_case 'Python, and all members of the result' && {
    greets Python hello_world.py
    expect "$(printf '%s' "$out" | grep -o '"[A-Za-z]*":' | tr -d '":')" "the order of the members" <<'END'
status
exitCode
stdout
stderr
durationMs
error
imageTag
reason
signal
stdoutBytes
stderrBytes
stdoutTruncated
stderrTruncated
peakMemoryBytes
cpuMs
image
container
warm
artifacts
warnings
END
    is "$(printf '%s\n' "$out" | wc -l)" 1 "the result is one line"
    is "$(field exitCode)" 0 "exitCode"
    is "$(field error)" null "error"
    is "$(field imageTag)" null "imageTag"
    is "$(field reason)" exit "reason"
    is "$(field signal)" null "signal"
    is "$(field stdoutBytes)" 26 "stdoutBytes"
    is "$(field stderrBytes)" 0 "stderrBytes"
    is "$(field stdoutTruncated)" false "stdoutTruncated"
    is "$(field warnings)" "" "no warnings"
    within "$(field durationMs)" 1 900000 "durationMs"
    within "$(field peakMemoryBytes)" 1000000 268435456 "peakMemoryBytes"
    within "$(field cpuMs)" 1 900000 "cpuMs"
    has "$(field container)" isolator- "the name of the container"
    is "$err" "" "nothing on stderr"
}

finish
