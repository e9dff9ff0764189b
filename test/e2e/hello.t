#!/usr/bin/env bash
# The three shipped languages, and the shape of the JSON result.
. "$(dirname "$0")/lib.sh"

# Go compiles its standard library, which takes minutes where the machine is slow.
for language in go:Go js:JavaScript py:Python; do
    run --timeout 15m "prompts/hello_world.${language%%:*}"
    is "$status" 0 "${language##*:}: exit status"
    is "$(field status)" success "${language##*:}: status"
    is "$(field stdout)" "Hello, World from ${language##*:}!" "${language##*:}: stdout"
    is "$(field stderr)" "" "${language##*:}: stderr"
done

# Of the last of them:
is "$(printf '%s' "$out" | grep -o '"[A-Za-z]*":' | tr -d '":' | tr '\n' ' ')" \
    "status exitCode stdout stderr durationMs error imageTag reason signal stdoutBytes stderrBytes \
stdoutTruncated stderrTruncated peakMemoryBytes cpuMs image container warm artifacts warnings " \
    "the members stand in their order"
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
has "$(field container)" isolator- "the container's name is ours"
is "$err" "" "nothing on stderr"

finish
