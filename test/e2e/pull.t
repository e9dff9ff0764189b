#!/usr/bin/env bash
# isolator pull and isolator run --pull, from a registry that this file starts.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

program=build/engine/docker-registry
printf '%s\n' 'version: 0.1' 'log: {level: info}' 'storage:' "  filesystem: {rootdirectory: $scratch/registry}" \
    'http: {addr: "127.0.0.1:0"}' >"$scratch/registry.yml"
"$program" serve "$scratch/registry.yml" >"$scratch/registry.log" 2>&1 &
registry=$!
listening() { grep -o 'listening on 127.0.0.1:[0-9]*' "$scratch/registry.log"; }
until_true listening >/dev/null || { echo "Bail out! no registry"; exit 1; }
place=localhost:$(listening | grep -o '[0-9]*$')/isolator-test
clean_up() {
    kill "$registry"
    docker image rm -f "$place/a" "$place/b" isolator-test-$$:prepared
    docker image ls --format '{{.Repository}}:{{.Tag}}' isolator-prepared | grep -F ":p$$-" | xargs -r docker image rm -f
    rm -rf "$scratch"
} >/dev/null 2>&1
trap 'in_main || exit; clean_up' EXIT

# push NAME: puts a new image into the registry; it is not on the engine.
push() {
    local container
    container=$(docker create --network none isolator-test/busybox:1 true)
    docker commit --change "LABEL is=$1" "$container" "$place/$1" >/dev/null
    docker rm "$container" >/dev/null
    docker push -q "$place/$1" >/dev/null
    docker image rm "$place/$1" >/dev/null
}
# forget NAME: removes the image from the engine.
forget() { docker image rm "$place/$1" >/dev/null 2>&1; }
# there NAME: "yes" or "no".
there() { if docker image inspect "$place/$1" >/dev/null 2>&1; then echo yes; else echo no; fi; }
push a
push b

sub='"command": ["sh", "{entrypoint}"], "extensions": [".ash"], "defaultFilename": "main.ash"'
export ISOLATOR_CONFIG=$scratch/config.json
cat >"$ISOLATOR_CONFIG" <<END
{"engineTimeoutSeconds": 300, "languages": {
    "p$$": {"image": "$place/a", $sub}, "again": {"image": "$place/a", $sub}, "b": {"image": "$place/b", $sub},
    "none": {"image": "$place/none", $sub}}}
END
hello=$(snippet ash 'echo hello')
cat=$(snippet ash 'cat /installed')

# How to do without a registry.
instead="without its registry, bring the image with 'docker save' and 'docker load', or set \"image\" of the language to one that \
the engine has"

# ---- isolator pull

test_case 'pull fetches each image once' && {
    faulty "" isolator pull p$$ again b
    is "$status|$out" "0|" "pull: two languages of one image, and another"
    has "$err" "Status: Downloaded newer image for $place/a:latest" "pull: docker's own words on stderr"
    is "$(docker_calls)|$(there a) $(there b)" "pull pull|yes yes" "pull: each image once"
    isolator pull p$$
    is "$status|$out" "0|" "pull: once more"
    has "$err" "Status: Image is up to date for $place/a:latest" "pull: docker says that the image is up to date"
}

test_case 'an image that the registry does not have' && {
    forget b
    isolator pull none b
    is "$status|$out|$(there b)" "3||yes" "pull: it fails, and the other image is pulled"
    has "$err" "isolator: cannot pull the image '$place/none': Error response from daemon: " "pull: the message has docker's words"
    has "$err" "; $instead" "pull: the message says what to do"
}

test_case 'pull without arguments pulls all images' && {
    faulty "pull * fail" isolator pull
    is "$status|$(grep -c "^isolator: cannot pull the image '[^ ]*': Error response from daemon: a fault for the test; $instead\$" <<<"$err")|$(wc -l <<<"$err")" \
        "3|16|16" "pull: all languages"
}

test_case 'a registry that cannot be reached' && {
    echo "{\"engineTimeoutSeconds\": 300, \"languages\": {\"none\": {\"image\": \"localhost:1/none\", $sub}}}" >"$scratch/away.json"
    isolator pull --config "$scratch/away.json" none
    is "$status|$out" "3|" "no registry"
    has "$err" "isolator: cannot pull the image 'localhost:1/none': Error response from daemon: " "no registry: docker's words"
    has "$err" "connection refused" "no registry: the reason"
    has "$err" "; $instead" "no registry: what to do"
}

test_case 'pull without an engine' && {
    DOCKER_HOST=unix:///nonexistent isolator pull
    is "$status|$out|$err" "3||isolator: cannot pull the image 'python:3.11-alpine': /nonexistent does not exist; unset DOCKER_HOST, or \
start the engine that it names" "no engine: said once"
}

test_case 'pull with an engine that does not answer, and one that answers while it pulls' && {
    sed 's/300/10/' "$ISOLATOR_CONFIG" >"$scratch/short.json"
    faulty "* * hang" isolator pull --config "$scratch/short.json" again b
    is "$status|$out|${err%%;*}" "3||isolator: cannot pull the image '$place/a': the container engine does not answer" "no engine"
    is "$(wc -l <<<"$err")" 1 "said once"
    forget b
    DOCKER_SLOW=14 faulty "pull 1 slow;version 1 fail" isolator pull --config "$scratch/short.json" b
    is "$status|$(there b)" "0|yes" "pull takes longer than an answer may, one of which fails"
}

test_case 'a signal ends pull' && {
    forget b
    faulty "pull 1 hang" start_isolator pull b
    until_true test -s "$calls/pull.1"
    kill -TERM "$pid"
    await
    is "$status|$out$err|$(there b)" "143||no" "pull: a signal ends it"
}

test_case 'the example of the manual page' && {
    # The example of its manual page, which is for Python.
    sed "s|\"languages\": {|&\"python\": {\"image\": \"$place/b\"}, |" "$ISOLATOR_CONFIG" >"$scratch/python.json"
    read -ra example < <(sed -n 's/^\.Dl isolator //p' man/isolator-pull.1)
    ISOLATOR_CONFIG=$scratch/python.json isolator "${example[@]}"
    is "${example[*]}|$status|$(there b)" "pull python|0|yes" "pull: the example of its manual page"
}

# ---- isolator run --pull

test_case 'run --pull fetches a missing image' && {
    forget b
    run --language b "$hello"
    is "$status $(field reason)|$(there b)" "3 image-missing|no" "run: nothing is pulled without --pull"
    run --language b --pull "$hello"
    is "$status $(field reason stdout)|$(there b)" "0 exit hello|yes" "run --pull: the image is pulled"
    has "$err" "Downloaded newer image for $place/b:latest" "run --pull: docker's own words on stderr"
    faulty "" run --language b --pull "$hello"
    is "$status $(field reason)|$err|$(docker_calls)" "0 exit||image run" "run --pull: an image on the engine is not pulled"
}

test_case 'test --pull fetches the image of the checker, too' && {
    mkdir "$scratch/tests"
    touch "$scratch/tests/1.in"
    sed "s|\"languages\": {|&\"judge\": {\"image\": \"$place/b\", ${sub//.ash/.judge}}, |" "$ISOLATOR_CONFIG" >"$scratch/judge.json"
    : >"$scratch/check.judge"
    docker pull -q "$place/a" >/dev/null
    forget b
    isolator test --config "$scratch/judge.json" --tests "$scratch/tests" --checker "$scratch/check.judge" --language p$$ "$hello"
    is "$status|$(there a) $(there b)" "3|yes no" "nothing is pulled without --pull"
    isolator test --config "$scratch/judge.json" --tests "$scratch/tests" --checker "$scratch/check.judge" --language p$$ --pull "$hello"
    is "$status $(json '"$r->{reason} $r->{tests}[0]{status}"')|$(there b)" "0 exit passed|yes" "the image is pulled"
    sed -i "s|$place/b|$place/none|" "$scratch/judge.json"
    isolator test --config "$scratch/judge.json" --tests "$scratch/tests" --checker "$scratch/check.judge" --language p$$ --pull "$hello"
    has "$status $(json '$r->{error}')" "3 the checker: cannot pull the image '$place/none': Error response from daemon: " "no such image"
}

test_case 'session --pull fetches a missing image' && {
    forget b
    isolator session --language b "$hello"
    is "$status|$(there b)" "1|no" "isolator session: nothing is pulled without --pull"
    isolator session --language b --pull "$hello"
    is "$status|$out|$(there b)" "0|hello|yes" "isolator session --pull: the image is pulled"
}

test_case 'create --pull fetches a missing image' && {
    forget b
    isolator create --language b
    is "$status|$(there b)" "3|no" "nothing is pulled without --pull"
    isolator create --language b --pull
    is "$status|$(there b)" "0|yes" "the image is pulled"
    isolator rm --force "$out"
}

test_case 'run --pull with an image that the registry does not have' && {
    run --language none --pull "$hello"
    is "$status $(field reason image)" "3 image-missing $place/none" "run --pull: no such image"
    has "$(field error)" "cannot pull the image '$place/none': Error response from daemon: " "run --pull: the error has docker's words"
    has "$(field error)" "; $instead" "run --pull: the error says what to do"
}

test_case 'run --pull with --image' && {
    run --image "$place/a" --language b --pull "$hello"
    is "$status $(field reason image)" "0 exit $place/a" "run --pull: another image"
}

test_case 'run --pull with an engine that does not answer' && {
    faulty "image 1 fail;version 1 fail" run --language b --pull "$hello"
    is "$status $(field reason)" "3 engine" "run --pull: an engine that does not answer"
}

# ---- a prepared language: its image is in no registry

test_case 'run --pull does not fetch the base of a prepared image' && {
    docker pull -q "$place/a" >/dev/null
    isolator prepare p$$ --run 'echo prepared >/installed'
    is "$status" 0 "a language is prepared from an image that was pulled"
    forget a
    faulty "" run --language p$$ --pull "$cat"
    is "$status $(field stdout)|$(docker_calls)|$(there a)" "0 prepared|image run|no" "run --pull: a prepared image is enough"
    isolator prepare --remove p$$
}

test_case 'run --pull fetches the base image of a language that is not prepared' && {
    sed "s|\"image\": \"$place/a\", |&\"prepare\": {\"run\": [\"true\"]}, |" "$ISOLATOR_CONFIG" >"$scratch/prepared.json"
    forget a
    run --config "$scratch/prepared.json" --language p$$ --pull "$hello"
    is "$status $(field stdout image)|$(field warnings)" "0 hello
 $place/a|p$$ is not prepared, so the program ran in the image '$place/a' as it is; run: isolator prepare p$$" \
        "run --pull: the base image, and the warning"
}

# ---- the command line

test_case 'wrong use, and --help' && {
    isolator pull cobol
    is "$status|$out|$err" "2||isolator: unknown language 'cobol'; known are: $built_in, p$$, again, b, none" "an unknown language"
    isolator pull --all
    is "$status|$out|$err" "2||isolator: unknown option '--all'; see isolator pull --help" "an unknown option"
    isolator pull --help
    is "$status|${out%%$'\n'*}|$err" "0|usage: isolator pull [--config FILE] [LANGUAGE...]|" "--help"
}

finish
