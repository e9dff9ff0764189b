#!/usr/bin/env bash
# isolator pull and isolator run --pull, from a registry of this file's own.
# shellcheck shell=bash source=test/e2e/lib.sh
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
trap clean_up EXIT

# push NAME: an image that is in the registry and not on the engine, and different from all others.
push() {
    local container
    container=$(docker create --network none isolator-test/busybox:1 true)
    docker commit --change "LABEL is=$1" "$container" "$place/$1" >/dev/null
    docker rm "$container" >/dev/null
    docker push -q "$place/$1" >/dev/null
    docker image rm "$place/$1" >/dev/null
}
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

# ---- isolator pull
faulty "" isolator pull p$$ again b
is "$status|$out" "0|" "pull: two languages of one image, and another"
has "$err" "Status: Downloaded newer image for $place/a:latest" "pull: docker's own words on stderr"
is "$(docker_calls)|$(there a) $(there b)" "pull pull|yes yes" "pull: each image once"
isolator pull p$$
is "$status|$out" "0|" "pull: once more"
has "$err" "Status: Image is up to date for $place/a:latest" "pull: docker says that it is there"
docker image rm "$place/b" >/dev/null
isolator pull none b
is "$status|$out|$(there b)" "3||yes" "pull: one that is not there, and then the other"
has "$err" "isolator: cannot pull the image '$place/none' ('docker pull': status 1)" "pull: one that is not there: the message"
faulty "pull * fail" isolator pull
is "$status|$(grep -c '^isolator: cannot pull the image' <<<"$err")|$(grep -c 'a fault for the test' <<<"$err")" "3|6|6" \
    "pull: all languages"
docker image rm "$place/b" >/dev/null
faulty "pull 1 hang" start_isolator pull b
until_true test -s "$calls/pull.1"
kill -TERM "$pid"
await
is "$status|$out$err|$(there b)" "143||no" "pull: a signal ends it"

# The example of its manual page, which is for the language that everybody has.
sed "s|\"languages\": {|&\"python\": {\"image\": \"$place/b\"}, |" "$ISOLATOR_CONFIG" >"$scratch/python.json"
read -ra example < <(sed -n 's/^\.Dl isolator //p' man/isolator-pull.1)
ISOLATOR_CONFIG=$scratch/python.json isolator "${example[@]}"
is "${example[*]}|$status|$(there b)" "pull python|0|yes" "pull: the example of its manual page"
docker image rm "$place/b" >/dev/null

# ---- isolator run --pull
run --language b "$hello"
is "$status $(fields reason)|$(there b)" "3 image-missing|no" "run: nothing is fetched without --pull"
run --language b --pull "$hello"
is "$status $(fields reason stdout)|$(there b)" "0 exit hello|yes" "run --pull: what is missing is fetched"
has "$err" "Downloaded newer image for $place/b:latest" "run --pull: docker's own words on stderr"
faulty "" run --language b --pull "$hello"
is "$status $(fields reason)|$err|$(docker_calls)" "0 exit||image create start" "run --pull: what is there is not"
run --language none --pull "$hello"
is "$status $(fields reason image error)" "3 image-missing $place/none cannot pull the image '$place/none' ('docker pull': status 1)" \
    "run --pull: what cannot be fetched"
run --image "$place/a" --language b --pull "$hello"
is "$status $(fields reason image)" "0 exit $place/a" "run --pull: another image"
faulty "image 1 fail;version 1 fail" run --language b --pull "$hello"
is "$status $(fields reason)" "3 engine" "run --pull: an engine that does not answer"

# ---- a prepared language: no registry has its image
isolator prepare p$$ --run 'echo prepared >/installed'
is "$status" 0 "a language is prepared from an image that was pulled"
docker image rm "$place/a" >/dev/null
cat=$(snippet ash 'cat /installed')
faulty "" run --language p$$ --pull "$cat"
is "$status $(fields stdout)|$(docker_calls)|$(there a)" "0 prepared|image create start|no" "run --pull: a prepared image is enough"
isolator prepare --remove p$$
sed "s|\"image\": \"$place/a\", |&\"prepare\": {\"run\": [\"true\"]}, |" "$ISOLATOR_CONFIG" >"$scratch/prepared.json"
run --config "$scratch/prepared.json" --language p$$ --pull "$hello"
is "$status $(fields stdout image)|$(field warnings)" "0 hello
 $place/a|p$$ is not prepared, so the program ran in the image '$place/a' as it is; run: isolator prepare p$$" \
    "run --pull: of one that is not prepared, the base image is fetched"

# ---- the command line
isolator pull cobol
is "$status|$out|$err" "2||isolator: unknown language 'cobol'; known are: python, go, javascript, p$$, again, b, none" "an unknown language"
isolator pull --all
is "$status|$out|$err" "2||isolator: unknown option '--all'; see isolator pull --help" "an unknown option"
isolator pull --help
is "$status|${out%%$'\n'*}|$err" "0|usage: isolator pull [--config FILE] [LANGUAGE...]|" "--help"

finish
