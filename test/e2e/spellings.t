#!/usr/bin/env bash
# What people write who have not read the manual, by habits from docker, python and other programs: each is answered by
# one line that says what to write instead.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

tree=$scratch/tree
mkdir -p "$tree/d"
cp prompts/hello_world.py "$tree/a.py"
cp prompts/hello_world.py "$tree/d/main.py"
cp prompts/hello_world.py "$tree/noext"

# answer LINE ARGUMENT...: asserts that isolator refuses the arguments with this line alone, at once.
answer() {
    local line=$1
    shift
    out=$(cd "$tree" && "$ISOLATOR" "$@" </dev/null 2>"$scratch/err")
    status=$?
    is "$status|$out|$(cat "$scratch/err")" "2||isolator: $line" "isolator $*"
}
no_files="nothing of this host can be mounted; send files with --file or --dir"

test_case --quick 'options of docker' && {
    answer "unknown option '--volume'; $no_files" run --volume /tmp:/data a.py
    answer "unknown option '--mount=type=bind'; $no_files" run --mount=type=bind a.py
    answer "cannot open '/tmp:/data': No such file or directory; $no_files" run --format text /tmp:/data a.py
    answer "unknown option '-p'; nothing can connect to a program; it has standard input and output" run -p 80:80 a.py
    answer "unknown option '--privileged'; a program cannot have privileges; --cap-drop lists the capabilities to drop" \
        test --privileged a.py
    answer "unknown option '--gpus'; a program cannot have devices of this host" run --gpus all a.py
    answer "unknown option '--rm'; the container is always removed" run --rm a.py
    answer "--timeout: 'a.py' is not a duration; write it like 500ms, 30, 1m30s or 1h; -t is the timeout; programs have no terminal" \
        run -it a.py
    answer "unknown option '--tty'; a program has no terminal; -i passes standard input on" run --tty a.py
    answer "--name is the name of a job, so it needs --detach" run --name x a.py
    answer "unknown option '--name'; isolator chooses the name of the container; the result has it" session --name x a.py
    answer "unknown option '--stream'; isolator logs shows the output of a job" start --stream a.py
    answer "unknown option '-i'; --stdin FILE is the standard input of a job" start -i a.py
    answer "unknown option '-w'; --container-workdir sets the working directory" run -w /x a.py
    answer "--user: 'root' is not a user; write numbers up to 2097151, like 65534 or 1000:1000" run --user root a.py
    answer "--entrypoint needs --dir; variables of the environment are set by --env" run -e A=1 a.py
    answer "cannot open 'B=2': No such file or directory; each variable needs --env of its own" run --format text --env A=1 B=2 a.py
}

test_case --quick 'options of interpreters and other sandboxes' && {
    answer "--cpus: 'print(1)' is not a number; to run code, use isolator run --code TEXT" run -c 'print(1)'
    answer "unknown option '--pip'; install packages once, with isolator prepare" run --pip numpy a.py
    answer "unknown option '--output'; the result is printed on stdout; --artifacts takes files of the program" run --output out a.py
    answer "unknown option '--input'; --stdin FILE is the program's standard input" run --input words.txt a.py
    answer "cannot open 'hello': No such file or directory; --stdin names a file; - is isolator's own stdin" \
        run --format text --stdin hello a.py
    answer "unknown command 'python'; did you mean 'isolator a.py'?" python a.py
    answer "unknown command 'd'; to run a program in a directory: isolator run --dir DIR" d
    answer "unknown command 'b.py'; there is no such file" b.py
}

test_case --quick 'misspelt options and values' && {
    answer "unknown option '--mem'; did you mean --memory?" run --mem 512m a.py
    answer "unknown option '--lang'; did you mean --language?" session --lang python
    answer "unknown option '--test'; did you mean --tests?" test --test d a.py
    answer "--memory: '1t' is not a size; write it like 512m, 1g, or 64 MB" run -m 1t a.py
    answer "--timeout: '5min' is not a duration; write it like 500ms, 30, 1m30s or 1h" run -t 5min a.py
    answer "--compare: 'strict' is not a way to compare; use trim, exact, tokens, float or lines" test --compare strict --tests d a.py
    answer "unknown command 'runn'; did you mean 'run'?" runn a.py
}

test_case --quick 'what is missing, or in the wrong place' && {
    answer "nothing to run; give a FILE, -, --dir or --code" run
    answer "--code needs --language" run --code 'print(1)'
    answer "'d' is a directory; run a program in it with --dir d --entrypoint PATH" run --format text d
    answer "--dir needs --entrypoint, or --language to run its default file" run --dir d
    answer "cannot open '1': No such file or directory; put the program's arguments after --" run --format text a.py 1 2
    answer "unknown option '--longest'; put the program's arguments after --" run a.py --longest
    answer "nothing to test with; give a directory with --tests" test a.py
    answer "cannot tell the language of 'noext'; give --language ($built_in, busybox, noshell)" run noext
    answer "unexpected argument 'd': only one FILE has cells; send others with --file, and put arguments after --" session a.py d
}

test_case --quick 'requests of a batch' && {
    answer "unknown option '--output'; results go to stdout; redirect it to a file" batch --output results.jsonl requests.jsonl
    answer "unknown option '--workers=4'; --jobs N runs N at a time" batch --workers=4 requests.jsonl
    answer "--jobs: 'many' is not a number" batch -j many requests.jsonl
    requests() { # TEXT: the errors of a batch of this text
        printf '%s' "$1" >"$scratch/requests"
        "$ISOLATOR" batch -q "$scratch/requests" 2>&1 | perl -MJSON::PP -ne 'print decode_json($_)->{error}, "\n"'
    }
    is "$(requests '[{"id": 1}]')" "a line must be a JSON object in UTF-8; one object a line: jq -c '.[]' makes that of an array" "an array"
    is "$(requests '{"id": 1} // one')" "a line must be a JSON object in UTF-8; column 11: end of file expected near '/'; JSON has no comments" "a comment"
    is "$(requests $'{\n"id": 1}' | head -n 1)" "a line must be a JSON object in UTF-8; column 1: string or '}' expected near end of file; \
one object a line: jq -c . writes it on one line" "an object on several lines"
    is "$(requests '{"language": "python", "code": "1"}' | cut -d ';' -f 1)" "there is no argument 'code'" "an argument of another tool"
    : >"$scratch/requests"
    isolator batch "$scratch/requests"
    is "$status|$out|$err" "0||isolator: the input is empty: it has no request" "an empty file"
}

finish
