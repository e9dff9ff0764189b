#!/usr/bin/env bash
# isolator bench: the table, the JSON and the picture of a real engine; images that are missing; wrong options; output that
# cannot be written; a signal. No case asserts how long anything takes.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# A container waits, as by default.
perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>); delete $config->{promptsDir};
    print encode_json({%$config, warm => {python => 1, go => 0, javascript => 0}})' \
    <"$ISOLATOR_CONFIG" >"$scratch/config.json"
export ISOLATOR_CONFIG=$scratch/config.json

# lacking LANGUAGE: a configuration without the image of this language; prints its path.
lacking() {
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>);
        $config->{languages}{$ARGV[0]}{image} = "isolator-test/none-such:1"; print encode_json($config)' "$1" \
        <"$ISOLATOR_CONFIG" >"$scratch/lacking-$1.json"
    echo "$scratch/lacking-$1.json"
}

# table: the rows without their figures on this machine, with single spaces.
table() { sed -E '/ - +[0-9]/!s/ +[0-9]+(\.[0-9])? (ms|per second)/ N \2/' <<<"$out" | tr -s ' '; }

# picture FILE EXPRESSION: a Python expression about the root of the XML file.
picture() {
    python3 -c 'import sys, xml.etree.ElementTree as tree
ns = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
print(eval(sys.argv[2]))' "$1" "$2" 2>&1
}

test_case 'the table' && {
    isolator bench --rounds 1
    is "$status|$err" "0|" "it succeeds"
    cores=$(nproc)
    is "$(table)" "MEASUREMENT HERE README
docker run --rm of the same program N ms -
a program, no container waits N ms 185 ms
a program, a container waits N ms 5.1 ms
a cell of a session N ms 1.4 ms
programs of a batch N per second 7.9 per second
tests of a C program, built once N per second 192 per second
README: two idle cores, Docker 20.10, Debian 12. Here: one round, the batch runs $((cores < 2 ? cores : 2)) at a time." \
        "a figure in each row"
}

test_case 'JSON and a picture; the image of c is missing' && {
    isolator bench --rounds 2 --json --svg "$scratch/speed.svg" --config "$(lacking c)"
    is "$status|$err" "0|" "it succeeds"
    is "$(json 'join " ", $r->{rounds}, $r->{readmeMachine}')" "2 two idle cores, Docker 20.10, Debian 12" "the conditions"
    expect "$(json 'join "\n", map { join " ", "$_->{name}:", ($_->{here} // 0) > 0 ? "a figure" : "none", "here,", $_->{readme} // "none",
        "in README,", $_->{unit} } @{$r->{measurements}}')" "the measurements" <<'END'
docker-run: a figure here, none in README, ms
cold: a figure here, 185 in README, ms
warm: a figure here, 5.1 in README, ms
cell: a figure here, 1.4 in README, ms
batch: a figure here, 7.9 in README, per second
tests: none here, 192 in README, per second
END
    is "$(json 'join "|", map { $_->{note} // () } @{$r->{measurements}}')" \
        "image 'isolator-test/none-such:1' is not on the engine; run: isolator pull c" "the note says how to get the image"
    is "$(picture "$scratch/speed.svg" 'root.tag == ns + "svg", root.get("role"), root.find(ns + "title").text')" \
        "(True, 'img', 'Speed of isolator: this engine and README')" "the picture is well-formed and has a title"
    is "$(picture "$scratch/speed.svg" '[text.text for text in root.iter(ns + "text")].count("README")')" 5 "bars of README"
    is "$(picture "$scratch/speed.svg" '"not measured" in [text.text for text in root.iter(ns + "text")]')" True "a bar without a figure"
}

test_case 'docker run has no more than the plain options; its container is one of isolator' && {
    faulty "" start_isolator bench --rounds 1 --config "$(lacking c)"
    await
    plain=$(grep -lF 'print("Hello, World")' "$calls"/run.* | xargs cat | tr '\n' ' ')
    has "$plain" "run --rm --network none --pull never --name isolator-" "the options"
    has "$plain" "--label isolator.pid=$pid " "a label, by which gc and the reaper find it"
    is "$(grep -o 'isolator-test/[^ ]* .*' <<<"$plain")" 'isolator-test/python:bookworm python3 -c print("Hello, World") ' "the program"
}

test_case 'the image of python is missing' && {
    isolator bench --rounds 1 --config "$(lacking python)" --svg "$scratch/none.svg"
    is "$status|$out|$err" "3||isolator: image 'isolator-test/none-such:1' is not on the engine; run: isolator pull python" \
        "the error names the command that fetches it"
    is "$(ls "$scratch/none.svg" 2>&1)" "ls: cannot access '$scratch/none.svg': No such file or directory" "no picture"
}

test_case 'a configuration without sessions and warm containers; a docker run that fails' && {
    perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, sessions => {max => 0}, warm => {python => 0}})' \
        <"$(lacking c)" >"$scratch/alone.json"
    isolator bench --rounds 1 --config "$scratch/alone.json"
    has "$(table)" "a cell of a session - 1.4 ms" "no figure of a session"
    has "$(table)" "a program, a container waits - 5.1 ms" "no figure of a warm container"
    has "$out" $'\na cell of a session: ' "a note about sessions"
    has "$out" $'\na program, a container waits: the configuration keeps no container waiting; set "warm": {"python": 1}' "a note about warm containers"
    faulty "run 2 fail" isolator bench --rounds 1
    is "$status|$out" "3|" "the second docker run fails: the status"
    has "$err" "isolator: docker run --rm of the same program: cannot run the program with docker: " "the message"
}

test_case 'SIGTERM ends everything' && {
    start_isolator bench --rounds 1000 --svg "$scratch/ended.svg"
    has_containers() { [ -n "$(docker ps -q --filter "label=isolator.pid=$pid")" ]; }
    until_true has_containers
    kill -TERM "$pid"
    await
    is "$status|$out|$err" "143||" "no figures"
    is "$(docker ps -aq --filter "label=isolator.pid=$pid")" "" "no container"
    is "$(ls "$scratch/ended.svg" 2>/dev/null)" "" "no picture"
}

test_case 'output that cannot be written' && {
    config=$(lacking c)
    "$ISOLATOR" bench --rounds 1 --config "$config" >/dev/full 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the figures: No space left on device" "a full device"
    isolator bench --rounds 1 --config "$config" --svg /dev/full
    is "$status|$err" "3|isolator: cannot write the picture '/dev/full': No space left on device" "--svg: a full device"
    has "$out" $'MEASUREMENT ' "the table is printed"
    [ -c /dev/full ]
    ok $? "the device stays"
}

# ---- without isolator, or without an engine

test_case --quick 'wrong options' && {
    while IFS='|' read -r arguments message; do
        # shellcheck disable=SC2086
        isolator bench $arguments
        is "$status|$out|$err" "2||isolator: $message" "bench $arguments"
    done <<'END'
--rounds 0|--rounds: must be a whole number from 1 to 1000
--rounds 1001|--rounds: must be a whole number from 1 to 1000
--svg=|--svg needs the name of a file
END
    isolator bench python
    is "$status|$out" "2|" "an operand"
}

test_case --quick 'a picture that cannot be written is an error before anything runs' && {
    mkdir "$scratch/directory"
    isolator bench --svg "$scratch/nowhere/speed.svg"
    is "$status|$out|$err" "3||isolator: cannot write the picture '$scratch/nowhere/speed.svg': No such file or directory" \
        "a directory that does not exist"
    isolator bench --svg "$scratch/directory"
    is "$status|$out|$err" "3||isolator: cannot write the picture '$scratch/directory': Is a directory" "a directory"
}

test_case --quick 'no engine' && {
    echo '{"containerCommand": "no-such-docker"}' >"$scratch/no-engine.json"
    isolator bench --config "$scratch/no-engine.json"
    is "$status|$out" "3|" "the status"
    has "$err" "isolator: cannot run 'no-such-docker': " "the message"
}

test_case "the picture of README's figures" && {
    is "$(picture share/speed.svg 'root.tag == ns + "svg", root.get("role")')" "(True, 'img')" "share/speed.svg is well-formed"
    cc -D_GNU_SOURCE -Isrc -o "$scratch/draw" test/fixtures/draw.c src/cli/bench_picture.c src/base/strbuf.c src/base/memory.c
    "$scratch/draw" 'isolator and other ways to do the same' 'a <&> b' ms isolator 1 '"' 2 >"$scratch/drawn.svg"
    is "$(picture "$scratch/drawn.svg" '[text.text for text in root.iter(ns + "text")]')" \
        "['isolator and other ways to do the same', 'a <&> b', 'isolator', '1.0 ms', '\"', '2.0 ms']" "what make bench draws is escaped"
}

finish
