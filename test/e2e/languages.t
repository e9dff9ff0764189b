#!/usr/bin/env bash
# isolator languages: the table, its JSON, the names alone, and an engine that does not answer; aliases of languages.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# Two images that test/setup builds everywhere, and one that does not exist.
cat >"$scratch/config.json" <<'END'
{"defaults": {"cpus": 1, "cpuSeconds": 9, "memoryMB": 128}, "maximums": {"memoryMB": 300},
 "languages": {
    "python": {"image": "isolator-test/python:bookworm", "network": "bridge", "readOnly": false, "user": "7",
        "capDrop": ["NET_RAW", "MKNOD"], "cpus": 0.25, "cpuSeconds": 0},
    "javascript": {"image": "isolator-test/none-such:1"},
    "busybox": {"image": "docker.io/isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
        "extensions": [".ash", ".b\u001bsh"], "defaultFilename": "main.ash"}}}
END
sed 's/none-such/busybox/' "$scratch/config.json" >"$scratch/all.json"
sed 's/^{/{"engineTimeoutSeconds": 2, /' "$scratch/config.json" >"$scratch/hurried.json"
export ISOLATOR_CONFIG=$scratch/config.json

# row NAME: the line of the table, with single spaces.
row() { grep "^$1 " <<<"$out" | tr -s ' '; }
# of EXPRESSION: a Perl expression about the output of --json.
of() { perl -MJSON::PP -e 'local $/; our ($python, $go, $javascript, $busybox) = (@{decode_json(<STDIN>)})[0 .. 2, -1]; print eval $ARGV[0]' "$1" <"$scratch/out"; }

test_case 'the table' && {
    isolator languages
    is "$status|$err" "0|" "it prints a table"
    is "$(row NAME)" "NAME IMAGE PRESENT PREPARED EXTENSIONS DEFAULT FILE ALIASES LIMITS" "the first line"
    is "$(row python)" "python isolator-test/python:bookworm yes - .py .py3 main.py py python3 cpus 0.25, cpuSeconds 0, network bridge, readOnly false, \
user 7:7, capDrop NET_RAW,MKNOD" "an image that is on the engine; limits of all kinds"
    is "$(row javascript)" "javascript isolator-test/none-such:1 no - .js .mjs .cjs main.js js node nodejs" "an image that is not; no limits of its own"
    is "$(row busybox)" 'busybox docker.io/isolator-test/busybox:1 yes - .ash .b\x1bsh main.ash -' \
        "an image under its full name; an extension that is escaped; no aliases"
    is "$(row java | cut -d " " -f 8-)" "memoryMB 300" "limits are reduced to the maximums"
    is "$(row typescript)" "typescript node:24-alpine no - .ts .mts .cts main.ts ts" "a built-in language that the file does not name"
    is "$(wc -l <<<"$out")" 16 "a line for each language"
    is "$(row go | cut -d ' ' -f 4)" "no" "a language whose steps have not been run"
}

test_case 'docker is called once for all images' && {
    faulty "" isolator languages
    is "$status $(docker_calls)" "0 image" "one command for all images"
    faulty "" isolator languages --config "$scratch/all.json"
    is "$status $(docker_calls) $(row javascript)" "0 image javascript isolator-test/busybox:1 yes - .js .mjs .cjs main.js js node nodejs" \
        "one command if two languages share an image"
}

test_case 'languages with steps that were run or not' && {
    sed 's/"defaultFilename": "main.ash"/&, "prepare": {"run": [": '$$'"]}/' "$scratch/config.json" >"$scratch/steps.json"
    faulty "" isolator languages --config "$scratch/steps.json"
    is "$(row busybox | cut -d ' ' -f 3,4)" "yes no" "steps that have not been run"
    isolator prepare busybox --config "$scratch/steps.json"
    isolator languages --config "$scratch/steps.json"
    is "$(row busybox | cut -d ' ' -f 3,4)" "yes yes" "steps that have been run"
    isolator languages --json --config "$scratch/steps.json"
    is "$(of 'join " ", map { JSON::PP->new->allow_nonref->encode($_->{prepared}) } $python, $go, $busybox')" "null false true" \
        "--json: prepared"
    isolator prepare --remove busybox --config "$scratch/steps.json"
    is "$status" 0 "the prepared image is removed"
}

test_case 'an image that is too old' && {
    while read -r version present offered; do
        echo '{"languages": {"typescript": {"image": "isolator-test/languages:trixie", "imageVersions": {'"$version"'}}}}' >"$scratch/old.json"
        isolator languages --config "$scratch/old.json"
        is "$status $(row typescript | cut -d ' ' -f 3- | sed 's/ -.*//')" "0 ${present/_/ }" "$version"
        isolator languages --json --config "$scratch/old.json"
        is "$(perl -MJSON::PP -e 'local $/; print join " ", map { "$_->{present} $_->{tooOld}" } grep { $_->{name} eq "typescript" }
            @{decode_json(<STDIN>)}' <"$scratch/out")" "1 $offered" "$version, as JSON"
    done <<'END'
"NODE_VERSION":"22.18" yes 0
"NODE_VERSION":"24.9.0" yes 0
"NODE_VERSION":"24.9.0.0" yes 0
"NODE_VERSION":"24.9.0.1" too_old 1
"NODE_VERSION":"24.10" too_old 1
"NODE_VERSION":"25" too_old 1
"NONE_VERSION":"25" yes 0
END
}

test_case '--json' && {
    isolator languages --json
    is "$status|$err|$(wc -l <"$scratch/out")" "0||1" "--json: one line"
    expect "$(of 'join "\n", map { "$_->{name} $_->{image} " . JSON::PP->new->allow_nonref->encode($_->{present}) } $python, $javascript, $busybox')" \
        "--json: which images are there" <<'END'
python isolator-test/python:bookworm true
javascript isolator-test/none-such:1 false
busybox docker.io/isolator-test/busybox:1 true
END
    is "$(of 'join " ", sort keys %$go')" "aliases defaultFilename extensions image limits name prepared present tooOld" "--json: the members"
    is "$(of 'join " ", @{$python->{aliases}}, "-", @{$busybox->{aliases}}')" "py python3 -" "--json: aliases"
    expect "$(of 'join "\n", map { JSON::PP->new->canonical->encode($_) } $python->{limits}, $javascript->{limits}, $javascript->{extensions}')" \
        "--json: limits and extensions" <<'END'
{"capDrop":"NET_RAW,MKNOD","cpuSeconds":0,"cpus":0.25,"network":"bridge","readOnly":false,"user":"7:7"}
{}
[".js",".mjs",".cjs"]
END
}

test_case --quick '--names does not call docker' && {
    faulty "" isolator languages --names
    is "$status|$err|$(docker_calls)" "0||" "--names: docker is not called"
    expect "$out" "--names: the names and aliases" <<'END'
python
py
python3
go
golang
javascript
js
node
nodejs
typescript
ts
c
cpp
c++
rust
rs
java
ruby
rb
php
perl
pl
bash
sh
shell
lua
r
R
rscript
busybox
END
}

# ---- an engine that does not answer
no_answer() { # MESSAGE NAME: asserts that the last call said so
    is "$status|$(row python | cut -d ' ' -f 1-3)" "3|python isolator-test/python:bookworm unknown" "$2"
    has "$err" "isolator: $1" "$2: the message"
}

test_case --quick 'an engine that cannot be reached' && {
    DOCKER_HOST=unix:///nonexistent isolator languages
    no_answer "cannot inspect the images: Cannot connect to the Docker daemon at unix:///nonexistent" "a socket that does not exist"
    DOCKER_HOST=unix:///nonexistent isolator languages --json
    is "$status $(of '$python->{present} // "null"')" "3 null" "--json: null"
}

test_case 'an engine that hangs, no docker command, and garbage' && {
    faulty "image * hang" isolator languages --config "$scratch/hurried.json"
    no_answer "cannot inspect the images: 'docker image' did not end within " "an engine that hangs"
    sed 's/^{/{"containerCommand": "no-such-docker", /' "$scratch/config.json" >"$scratch/none.json"
    isolator languages --config "$scratch/none.json"
    no_answer "cannot inspect the images: cannot run 'no-such-docker': No such file or directory; is it installed, and on PATH?" "no docker command"
    faulty "image * garbage" isolator languages
    is "$status|$(row python | cut -d ' ' -f 3)|$err" "0|no|" "garbage is no image"
}

test_case --quick '--json: the network of a language' && {
    echo '{"network": {"allow": ["a.example"]}, "languages": {"python": {"network": {"allow": ["[::1]:8080",
    {"host": "*.b.example", "addresses": ["10.0.0.0/8"], "raw": true}], "maxBytes": 5}}, "go": {"network": "none"},
    "ruby": {"network": {"allow": ["a.example"]}}}}' >"$scratch/hosts.json"
    DOCKER_HOST=unix:///nonexistent isolator languages --json --config "$scratch/hosts.json"
    expect "$(perl -MJSON::PP -e 'local $/; for (@{decode_json(<STDIN>)}) {
        print "$_->{name} ", JSON::PP->new->canonical->allow_nonref->encode($_->{limits}{network}), "\n" if $_->{name} =~ /^(python|go|ruby)$/ }' <<<"$out")" \
        "--json: a network that differs" <<'END'
python {"allow":[{"host":"[::1]","ports":[8080]},{"addresses":["10.0.0.0/8"],"host":"*.b.example","ports":[80,443],"raw":true}],"maxBytes":5,"maxConnections":64}
go "none"
ruby null
END
}

# ---- aliases
names_in() { # JSON: the names and aliases under this configuration
    printf '%s' "$1" >"$scratch/names.json"
    isolator languages --names --config "$scratch/names.json"
    tr '\n' ' ' <<<"$out"
}
new='"image": "i", "command": ["sh", "{entrypoint}"], "extensions": [".x"], "defaultFilename": "x"'

test_case --quick 'a file gives aliases, and names go before aliases' && {
    has "$(names_in '{"languages": {"python": {"aliases": ["snake", "c++-1.0_#"]}}}')" "python snake c++-1.0_# go golang" \
        "a file replaces the aliases"
    has "$(names_in '{"languages": {"python": {"aliases": []}}}')" "python go golang" "none"
    has "$(names_in '{"languages": {"py": {'"$new"'}}}')" "python python3 go golang" "a new language takes the name"
    has "$(names_in '{"languages": {"python": {"aliases": ["py"]}, "perl": {"aliases": ["python3"]}}}')" \
        "perl python3 bash" "an alias goes to another language"
}

test_case --quick 'aliases that clash, and wrong ones' && {
    while IFS='|' read -r json message; do
        isolator languages --names --config <(printf '%s' "$json")
        is "$status|$out|${err#isolator: /dev/fd/*: }" "2||$message" "$json"
    done <<END
{"languages": {"python": {"aliases": ["go"]}}}|languages.python.aliases: 'go' is the name of a language
{"languages": {"python": {"aliases": ["python"]}}}|languages.python.aliases: 'python' is the name of a language
{"languages": {"x": {$new, "aliases": ["y"]}, "y": {$new}}}|languages.x.aliases: 'y' is the name of a language
{"languages": {"python": {"aliases": ["rb"]}}}|languages.python.aliases: 'rb' is an alias of ruby too
{"languages": {"x": {$new, "aliases": ["z"]}, "y": {$new, "aliases": ["z"]}}}|languages.x.aliases: 'z' is an alias of y too
{"languages": {"python": {"aliases": "py"}}}|languages.python.aliases: must be an array of strings that is not empty
{"languages": {"python": {"aliases": ["a b"]}}}|languages.python.aliases: must be names of letters, digits and any of + # . _ -
{"languages": {"python": {"aliases": ["1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h"]}}}|languages.python.aliases: must be 16 names at most
END
}

test_case 'an alias stands for its language' && {
    input=$(snippet py 'print(6 * 7)')
    run -l py -
    is "$status $(field stdout)" "0 42" "--language"
    unset input
    printf '%s\n' '{"language": "python3", "entrypoint_code": "print(6 * 7)"}' >"$scratch/lines"
    isolator batch "$scratch/lines"
    has "$out" '"stdout":"42\n"' "a line of a batch"
    faulty "pull * fail" isolator pull py
    has "$err" "isolator: cannot pull the image 'isolator-test/python:bookworm'" "isolator pull"
    isolator prepare py
    is "$status|$err" "2|isolator: 'python' has no steps; use --run STEP, or set languages.python.prepare in the configuration" \
        "isolator prepare"
}

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    isolator languages "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case --quick 'wrong use' && {
    wrong "--json and --names cannot be used together" "both forms" --names --json
    wrong "unknown option '--nmaes'; did you mean --names?" "an option misspelt" --nmaes
    wrong "unexpected argument 'all'; see isolator languages --help" "an argument" all
    wrong "cannot open the configuration '/nonexistent': No such file or directory" "no such configuration" --config /nonexistent
}

test_case --quick 'a full device' && {
    "$ISOLATOR" languages --names >/dev/full 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the languages: No space left on device" "a full device"
}

test_case --quick 'a full device and no engine' && {
    DOCKER_HOST=unix:///nonexistent "$ISOLATOR" languages >/dev/full 2>"$scratch/err"
    has "$?|$(cat "$scratch/err")" "3|isolator: cannot inspect the images: " "a full device and no engine"
}

finish
