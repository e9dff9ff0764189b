#!/usr/bin/env bash
# isolator session: cells from a pipe, from a file and at a terminal; what stays between them, and what its commands do.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# cells LINE...: runs isolator session with these lines on its stdin, and the arguments in the array `with`.
with=()
cells() {
    printf '%s\n' "$@" >"$scratch/cells"
    input=$scratch/cells isolator session "${with[@]}"
}
# members EXPRESSION: a Perl expression for the result %$r of each cell of --json, one a line.
members() {
    perl -MJSON::PP -e 'binmode STDOUT, ":utf8"; print join "\n", map { our $r = decode_json($_); eval $ARGV[0] } <STDIN>' "$1" <"$scratch/out"
}

# at_prompt LINE...: the same at a terminal; what it shows is in $out, without escape sequences and carriage returns.
at_prompt() {
    printf '%s\n' "$@" :quit >"$scratch/typed"
    TERM=${terminal:-$TERM} script -qec "'$ISOLATOR' session ${with[*]}" /dev/null <"$scratch/typed" >"$scratch/typescript" 2>&1
    out=$(tr -d '\r' <"$scratch/typescript")
}

test_case 'variables, imports, functions and files stay' && {
    cells 'import math' 'x = 6' 'def f(a):' '    return a * 7' '' 'open("note", "w").write("kept")' '# %% the second' 'f(x)' \
        '#%%' 'print(open("note").read(), math.floor(2.5))'
    is "$status|$out|$err" "0|4
42
kept 2|" "cells from a pipe"
}

test_case 'JavaScript' && {
    with=(--language javascript)
    cells 'const x = 6' '// %%' 'const x = 7; let y = await Promise.resolve(x)' '// %%' 'y * 6'
    is "$status|$out|$err" "0|42|" "const is declared again, await works outside of functions"
    with=()
}

test_case 'JavaScript with types, where Node.js can leave them out' && {
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); $c->{languages}{javascript} = $c->{languages}{typescript}; print encode_json($c)' \
        <"$ISOLATOR_CONFIG" >"$scratch/typed.json"
    with=(--config "$scratch/typed.json" --language javascript)
    cells 'const f = (a: number): number => a + 1' '// %%' 'f(5)'
    is "$status|$out|$err" "0|6|" "they are left out"
    with=()
}

test_case 'the extension of the file chooses the language' && {
    printf '%s\n' 'const x = 6' '// %%' '`${x * 7}`' >"$scratch/cells.js"
    isolator session "$scratch/cells.js"
    is "$status|$out|$err" "0|'42'|" "JavaScript"
    echo 'import sys; sys.version_info[0]' >"$scratch/cells"
    isolator session "$scratch/cells"
    is "$status|$out|$err" "0|3|" "no extension: Python"
    cp "$scratch/cells" "$scratch/cells.unknown"
    isolator session --language python "$scratch/cells.unknown"
    is "$status|$out|$err" "0|3|" "an extension of no language, with --language"
    isolator session --language python "$scratch/cells.js"
    is "$status" 1 "--language has precedence"
}

test_case 'tracebacks name the file and its lines' && {
    printf '%s\n' 'def f(x):' '    return 1 / x' '# %%' 'f(1)' '#%%' '' 'f(0)' '# %%' '1 +' >"$scratch/nb.py"
    isolator session "$scratch/nb.py"
    is "$status|$(grep -v '^ *[~^]*$' <<<"$err" | grep -A 1 -E '^ *File ')" '1|  File "nb.py", line 7, in <module>
    f(0)
  File "nb.py", line 2, in f
    return 1 / x
--
  File "nb.py", line 9
    1 +' "Python"
    printf '%s\n' 'function f() {' '  throw Error("no")' '}' '// %%' '' 'f()' '// %%' '' ' let let' >"$scratch/nb.js"
    isolator session "$scratch/nb.js"
    is "$status|$(grep -E 'nb.js' <<<"$err")" '1|    at f (nb.js:2:9)
    at nb.js:6:1
Uncaught nb.js:9' "JavaScript"
    input=$scratch/nb.py isolator session
    has "$err" '"<cell 1>", line 2' "cells from a pipe have their own lines"
}

test_case '--file and --dir' && {
    mkdir -p "$scratch/data/sub"
    echo one >"$scratch/words.txt"
    echo two >"$scratch/data/sub/two"
    with=(--file "$scratch/words.txt" --dir "$scratch/data" --file "$scratch/data")
    cells 'open("words.txt").read(), open("sub/two").read(), open("data/sub/two").read()' '# %%' 'import os' 'os.remove("words.txt")' '# %%' 'sorted(os.listdir("."))'
    is "$status|$out|$err" "0|('one\\n', 'two\\n', 'two\\n')
['data', 'sub']|" "they are there from the first cell on, and not sent again"
    echo 'print(1)' >"$scratch/main.py"
    with=(--file "$scratch/main.py")
    cells 'import main'
    is "$status|$out|$err" "0|1|" "a file with the name that a program would have"
    with=(--file "$scratch/missing")
    cells 1
    is "$status|$out|$err" "2||isolator: cannot open '$scratch/missing': No such file or directory" "a file that is missing"
    with=()
}

test_case 'a language without an interpreter that stays' && {
    with=(--language busybox)
    cells 'echo kept >note; X=1' '# %%' 'cat note; echo "$X"; exit 3' '# %%' 'echo on'
    is "$status|$out" "1|kept

on" "files stay, variables do not, and a failure does not end the session"
    with=()
}

test_case 'a Jupyter notebook' && {
    cat >"$scratch/n.ipynb" <<'END'
{"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "javascript"}}, "cells": [
 {"cell_type": "markdown", "source": ["# A notebook"]},
 {"cell_type": "code", "execution_count": 1, "outputs": [], "source": ["const x = 6\n", "let y = 7"]},
 {"cell_type": "code", "source": ["x * y"]}]}
END
    isolator session "$scratch/n.ipynb"
    is "$status|$out|$err" "0|42|" "its cells, in its language"
    echo 'x = 1' >"$scratch/none.ipynb"
    isolator session "$scratch/none.ipynb"
    is "$status|$out|$err" "2||isolator: '$scratch/none.ipynb' is not a Jupyter notebook of format 4; save it in that format" "another file"
}

test_case '--keep-processes' && {
    begin=$'import subprocess\nchild = subprocess.Popen(["sleep", "1000"])'
    cells "$begin" '# %%' 'child.poll()' '# %%' 'child.wait()'
    is "$status|$out" "0|-9
-9" "without it, the processes of a cell end with it"
    is "$err" "1 process of this cell ends with it (sleep); in a session that is opened with keep_processes they go on." "and it says so"
    with=(--keep-processes)
    cells "$begin" '# %%' 'print(child.poll())' '# %%' 'child.kill(); child.wait()'
    is "$status|$out" "0|None
-9" "with it, they go on"
    is "$err" "" "and nothing is said"
    with=()
}

test_case 'an exception ends the cell, not the session' && {
    cells 'x = 1' 'def f():' '    raise ValueError("no")' '# %%' 'f()' '# %%' 'x + 1'
    is "$status|$out" "1|2" "the next cell runs"
    has "$err" "ValueError: no" "the traceback"
    hasnt "$err" "driver" "the traceback has no frame of the driver"
}

test_case '--json' && {
    with=(--json)
    cells '1 + 1' '# %%' 'print("a"); raise KeyError(1)' '# %%' 'import sys; sys.exit(3)' '# %%' 'import os; os._exit(4)' '# %%' 'None'
    is "$status" 1 "cells fail"
    expect "$(members 'join " ", $r->{cell}, $r->{reason}, $r->{exitCode}, $r->{value} // "null", $r->{stateKept} ? "kept" : "lost",
        $r->{sessionEnded} // "null"')" "each result" <<'END'
1 exit 0 2 kept null
2 exception 1 null kept null
3 exit 3 null kept null
4 exit 4 null lost null
5 exit 0 null kept null
END
    is "$(members '$r->{session}' | sort -u | grep -c .)" 1 "one session"
    is "$(members '$r->{container}' | sort -u | grep -c .)" 1 "one container"
    with=()
}

test_case 'a cell that runs too long is interrupted, and its variables are kept' && {
    with=(--timeout 2s)
    cells 'x = 5' '# %%' 'while True: pass' '# %%' 'x'
    is "$status|$out" "1|5" "the next cell finds its variables"
    has "$err" "did not end within 2 s" "the message"
    with=()
}

test_case 'cells from a file; figures and files' && {
    echo 'open("a.txt", "w").write("one"); print(__import__("sys").argv[1:])' >"$scratch/file.py"
    with=(--artifacts "$scratch/files" --artifact '*.txt' "$scratch/file.py" -- arg)
    isolator session "${with[@]}"
    is "$status|$out|$(cat "$scratch/files/a.txt")" "0|['arg']|one" "the arguments of the command line, and a file that a cell has made"
    with=()
}

test_case 'the figures of several cells' && {
    with=(--image isolator-test/plot:bookworm --artifacts "$scratch/figures")
    cells 'import matplotlib.pyplot as plt' 'plt.plot([1]); None' '# %%' 'plt.plot([1]); plt.figure(); None'
    is "$status|$out|$err|$(ls "$scratch/figures")" "0|||figure-1.png
figure-2.png
figure-3.png" "no figure replaces that of another cell"
    with=()
}

test_case --quick 'wrong use' && {
    isolator session --language nope
    has "$status|$err" "2|isolator: unknown language 'nope'" "an unknown language"
    isolator session "$scratch/none"
    is "$status|$out|$err" "2||isolator: cannot open '$scratch/none': No such file or directory" "no such file"
    echo 'a,b' >"$scratch/data.csv"
    isolator session "$scratch/data.csv"
    is "$status|$out|$err" "2||isolator: '$scratch/data.csv' has no cells: it is neither a notebook nor a program in a language that is known; \
name its --language, or send it with --file" "a file with data"
    isolator session a b
    has "$status|$err" "2|isolator: unexpected argument 'b'" "two files"
    isolator session --artifact x
    is "$status|$err" "2|isolator: --artifact needs --artifacts DIR" "--artifact"
    isolator session --tests x
    has "$status|$err" "2|isolator: unknown option '--tests'" "an option of isolator test"
}

test_case 'the prompt' && {
    echo data >"$scratch/data.csv"
    at_prompt 'x = 20' 'x + 1' 'for i in range(2):' '    print("line", i)' '' ":put $scratch/data.csv" 'open("data.csv").read()' ':files' '1/0' ':nope' 'x'
    has "$out" "Out[2]: 21" "a value"
    has "$out" "line 1" "a cell of several lines"
    has "$out" "'data\\n'" "a file that was sent"
    has "$out" "         5  data.csv" ":files"
    has "$out" "ZeroDivisionError" "a traceback"
    has "$out" ":quit" "an unknown command lists the commands"
    has "$out" "Out[8]: 20" "the last cell"
}

test_case 'the prompt: cells of several lines' && {
    at_prompt 'y = [1,' '2]' 'y' '"""a' 'b"""' 'if y:' '    z = [' '    ]' '' 'z'
    has "$out" "Out[2]: [1, 2]" "a cell ends when its bracket is closed"
    has "$out" "Out[3]: 'a\\nb'" "or its quote"
    has "$out" "Out[5]: []" "a block ends with an empty line"
}

paste=$'\033[200~' pasted=$'\033[201~'

test_case 'the prompt: pasted text is one cell' && {
    terminal=xterm at_prompt "${paste}def f(x):" '    y = x' '' $'    return [x,\ty] if x else "\b"'"$pasted" '' "${paste}f(1)" "$pasted" "${paste}2 + 2$pasted" \
        'if 1:' '    print("fi" + "ve")' '' $'1\033[D7 * ' $'9\033b_ + '
    has "$out" "Out[2]: [1, 1]" "an empty line in the middle does not end it, and a tab is a tab"
    has "$out" "Out[3]: 4" "a part of a line"
    has "$out" "five" "what is typed after that ends as always"
    has "$out" "Out[6]: 16" "other escape sequences still edit the line"
    has "$(tr -d '\000' <"$scratch/typescript")" $'\033[?2004h' "the terminal is asked for it"
    has "$(tail -c 20 "$scratch/typescript")" $'\033[?2004l' "and no longer at the end"
    at_prompt 1
    hasnt "$(cat "$scratch/typescript")" '2004h' "a terminal without escape sequences is not asked"
}

test_case 'the prompt: Tab completes names of variables and files, and _ is the last value' && {
    at_prompt 'my_value, my_verb = 6, 2; open("data.txt", "w").write("seven"); open("d\u00e4\u00e4", "w")' $'my_va\t * 7' '_ + 1' $'open("dat\t").read()' \
        $'my_v\tl\t' $'if 1:' $'\tx = 8' '' 'x'
    has "$out" "Out[2]: 42" "a variable"
    has "$out" "Out[3]: 43" "_"
    has "$out" "Out[4]: 'seven'" "a file"
    has "$out" "my_value  my_verb" "names that begin alike are listed"
    has "$out" "Out[7]: 8" "an indentation at the start of a line"
    with=(--language javascript)
    at_prompt 'const myValue = 6; let myVerb = 7' $'myVa\t * 7' '_ + 1' '_ = 5; undefined' '1' '_'
    has "$out" "Out[2]: 42" "JavaScript: a variable"
    has "$out" "Out[3]: 43" "JavaScript: _"
    has "$out" "Out[6]: 5" "JavaScript: a _ of one's own"
    with=()
}

test_case 'the prompt: exit and quit leave' && {
    for word in exit 'exit()' quit 'quit() '; do
        at_prompt "$word" 'print("not" + " run")'
        hasnt "$out" "not run" "$word"
    done
    at_prompt 'exit = 5' 'exit + 1'
    has "$out" "Out[2]: 6" "other cells with these words"
}

test_case 'the prompt: :put, :get and :reset' && {
    mkdir -p "$scratch/here/c.py" && cd "$scratch/here" || exit
    touch a.py b.py '*.txt'
    at_prompt ':put *.py' ':put *.txt' ':put *.none' ':files' 'open("b.txt", "w").write("two"); y = 1' ':get b.txt' ':get b.txt' ':reset' 'y' ':quit'
    cd - >/dev/null || exit
    is "$(cat "$scratch/here/b.txt")" "two" ":get"
    expect "$(grep -E '^(copied|    *0)' <<<"$out")" "what was copied" <<'END'
copied a.py
copied b.py
copied *.txt
         0  *.txt
         0  a.py
         0  b.py
copied b.txt
END
    has "$out" "cannot open '*.none': No such file or directory" "a pattern that matches nothing"
    has "$out" "cannot write artifact 'b.txt': it already exists; rename or remove it first" "a file of this host is kept"
    has "$out" "NameError" ":reset: a new session knows nothing of the one before it"
}

# idle_then_types: the lines of a person whose session ends meanwhile, since it is idle for too long.
idle_then_types() {
    echo 20
    until_true grep -qs 'Out\[1\]' "$scratch/typescript"
    sleep 3
    printf '%s\n' ':files' 21 :quit
}
test_case 'the prompt counts the cells of each session' && {
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); $c->{sessions} = {idleSeconds => 1}; print encode_json($c)' \
        <"$ISOLATOR_CONFIG" >"$scratch/idle.json"
    : >"$scratch/typescript"
    idle_then_types | script -qec "'$ISOLATOR' session --config '$scratch/idle.json'" /dev/null >"$scratch/typescript" 2>&1
    out=$(tr -d '\r' <"$scratch/typescript")
    has "$out" "isolator: session ended: idle for 1 s" ":files finds that the session has ended"
    has "$out" "Out[1]: 21" "the next cell is the first of another session"
}

test_case 'escape sequences reach a terminal as text' && {
    at_prompt 'print("a\x1b[2Jb\u202e")' '"\x1b[2J\u202e"'
    has "$out" 'a\x1b[2Jb\xe2\x80\xae' "output"
    is "$(grep -c $'\033\[2J' "$scratch/typescript")" 0 "no escape sequence of the program"
}

test_case 'SIGTERM' && {
    printf '%s\n' 'print("begun", flush=True)' 'import time; time.sleep(600)' >"$scratch/long"
    start_isolator session "$scratch/long"
    until_true grep -qs begun "$scratch/out"
    kill -TERM "$pid"
    await
    is "$status" 143 "SIGTERM ends the session"
}

finish
