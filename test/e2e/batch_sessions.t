#!/usr/bin/env bash
# Lines of isolator batch that share a session: what stays, the order, the end of a session, and wrong lines.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

. test/e2e/batch.sh

# batch_lines ARG... LINES on stdin: runs isolator batch.
batch_lines() {
    cat >"$scratch/lines"
    batch -q "$@" "$scratch/lines"
}
said='"$r->{line} $r->{reason} " . quoted($r->{stdout})'

test_case 'files stay in a session, and lines without one see nothing of it' && {
    batch_lines -j 2 <<'END'
{"session": "a", "language": "busybox", "entrypoint_code": "echo one >f; echo $$ >/tmp/p; sleep 1"}
{"session": "a", "entrypoint_code": "cat f; echo two >>f"}
{"session": "b", "language": "busybox", "entrypoint_code": "ls; ls /tmp"}
{"language": "busybox", "entrypoint_code": "ls; ls /tmp"}
{"session": "a", "entrypoint_code": "cat f"}
END
    is "$status" 0 "it succeeds"
    expect "$(results "$said")" "what each line finds" <<'END'
1 exit ""
2 exit "one\n"
3 exit "main.ash\n"
4 exit "main.ash\n"
5 exit "one\ntwo\n"
END
    is "$(results '$r->{container}' | sort -u | grep -c .)" 3 "a container for each session, and one for the line without"
    expect "$(results '"$r->{line} " . (defined $r->{session} ? "session" : "none")')" "a result names its session" <<'END'
1 session
2 session
3 session
4 none
5 session
END
}

test_case 'variables stay, and the lines of a session run in their order' && {
    perl -e 'print qq({"session": "s", "language": "python", "entrypoint_code": "x = []"}\n);
        print qq({"session": "s", "entrypoint_code": "x.append($_); len(x)"}\n) for 1 .. 20;
        print qq({"session": "s", "entrypoint_code": "x"}\n)' | batch_lines -j 4
    is "$status|$(results '$r->{value} // "null"' | tail -n 1)" "0|[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]" "in order"
}

test_case 'close_session ends one, and its name opens another' && {
    batch_lines -j 1 <<'END'
{"session": "a", "language": "busybox", "entrypoint_code": "echo one >f"}
{"session": "a", "entrypoint_code": "cat f", "close_session": true}
{"session": "a", "language": "busybox", "entrypoint_code": "cat f"}
END
    is "$status" 1 "the last line fails"
    expect "$(results "$said")" "the file is gone" <<'END'
1 exit ""
2 exit "one\n"
3 exit ""
END
}

test_case 'close_session frees the name of a session that has ended' && {
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); $c->{sessions} = {outputBytes => 1048576}; print encode_json($c)' \
        <"$ISOLATOR_CONFIG" >"$scratch/output.json"
    batch_lines -j 1 --config "$scratch/output.json" <<'END'
{"session": "a", "language": "busybox", "entrypoint_code": "head -c 2000000 /dev/zero"}
{"session": "a", "entrypoint_code": "echo b"}
{"session": "a", "entrypoint_code": "echo c", "close_session": true}
{"session": "a", "language": "busybox", "entrypoint_code": "echo d"}
END
    expect "$(results '"$r->{line} $r->{reason} " . ($r->{error} // $r->{stdout})')" "the name stands for another session" <<'END'
1 output-limit program used up the output of its session
2 input session ended: its output (1 MiB) is used up
3 input session ended: its output (1 MiB) is used up
4 exit d
END
}

test_case 'no more sessions than the configuration allows' && {
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); $c->{sessions} = {max => 1}; print encode_json($c)' \
        <"$ISOLATOR_CONFIG" >"$scratch/one.json"
    batch_lines -j 1 --config "$scratch/one.json" <<'END'
{"session": "a", "language": "busybox", "entrypoint_code": "echo a"}
{"session": "b", "language": "busybox", "entrypoint_code": "echo b"}
{"session": "a", "entrypoint_code": "echo c"}
END
    is "$status" 1 "a line fails"
    expect "$(results "$said")" "the second session is refused" <<'END'
1 exit "a\n"
2 input ""
3 exit "c\n"
END
}

test_case --quick 'wrong lines' && {
    batch_lines <<'END'
{"session": "", "language": "noshell", "entrypoint_code": ""}
{"session": 1, "language": "noshell", "entrypoint_code": ""}
{"close_session": true, "language": "noshell", "entrypoint_code": ""}
{"keep_processes": true, "language": "noshell", "entrypoint_code": ""}
{"session": "a", "close_session": 1, "language": "noshell", "entrypoint_code": ""}
{"session": "a", "language": "noshell", "entrypoint_code": "", "tests": [{"no_expected": true}]}
{"session": "a", "entrypoint_code": ""}
END
    expect "$(results '"$r->{line} $r->{reason} $r->{error}"')" "each error" <<END
1 input session must be a name of 1 to 100 bytes
2 input session must be a name of 1 to 100 bytes
3 input close_session needs session, the name of one
4 input keep_processes needs session, the name of one
5 input close_session must be true or false
6 input a request of a session cannot have tests
7 input language is missing: give one of $built_in, busybox, noshell
END
}

test_case '--resume runs the lines of a session again' && {
    echo '{"id":1,"reason":"exit"}' >"$scratch/done"
    batch_lines -j 1 --resume "$scratch/done" <<'END'
{"id": 1, "session": "a", "language": "busybox", "entrypoint_code": "echo one >f"}
{"id": 2, "session": "a", "entrypoint_code": "cat f"}
END
    is "$status" 0 "it succeeds"
    expect "$(results "$said")" "both lines run" <<'END'
1 exit ""
2 exit "one\n"
END
}

finish
