#!/usr/bin/env bash
# Tests that call a function of the program, in Python and in JavaScript: values, prints, and programs that are hostile to the
# driver or to isolator.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

verdicts='"$_->{name} $_->{status} " . ($_->{value} // "-") . " " . ($_->{error} // "-")'
# tests EXPRESSION: a Perl expression about each test of the result, which is the hash %$_, one a line.
tests() { json "join qq(\\n), map { $1 } @{\$r->{tests}}"; }
# call LANGUAGE MEMBERS TESTS [CODE]: runs a line of a batch that calls f, with code from stdin unless it is given.
call() {
    local code=${4-$(cat)}
    perl -MJSON::PP -e 'print JSON::PP->new->canonical->encode({language => $ARGV[0], entrypoint_code => $ARGV[1]})' "$1" "$code" |
        sed "s/}\$/, \"call\": {\"function\": \"f\"}, \"tests\": [$(sed 's/[\\&/]/\\&/g' <<<"$3")]$(sed 's/[\\&/]/\\&/g' <<<"$2")}/" >"$scratch/line.json"
    isolator batch "$scratch/line.json"
}
# test NAME EXPECTED ARGUMENT...: the members of a test.
one() { local name=$1 expected=$2; shift 2; local IFS=,; echo "{\"name\": \"$name\", \"call_arguments\": [$*], \"expected_value\": $expected}"; }
# all TEST...: joins them.
all() { local IFS=,; echo "$*"; }

test_case 'Python: values of all types' && {
    call python '' "$(all "$(one none null '"none"')" "$(one tuple '[1,[2.0]]' '"tuple"')" "$(one set '[3,1,2]' '"set"')" \
        "$(one dict '{"1": true, "a": "\u00e9\n"}' '"dict"')" "$(one float 0.3 '"float"')" "$(one int 9007199254740993 '"int"')" \
        "$(one big 1 '"big"')" "$(one nan 1 '"nan"')" "$(one object 1 '"object"')" "$(one generator 1 '"generator"')" \
        "$(one key 1 '"key"')" "$(one deep 1 '"deep"')" "$(one bool 1 '"bool"')")" <<'EOF'
import itertools
def f(kind):
    print("printed")
    deep = []
    for i in range(100000): deep = [deep]
    return {"none": None, "tuple": (1, (2,)), "set": {1, 2, 3}, "dict": {1: True, "a": "\u00e9\n"}, "float": 0.1 + 0.2,
        "int": 2**53 + 1, "big": 2**70, "nan": [float("nan"), float("-inf")], "object": [object()], "generator": itertools.count(),
        "key": {(1, 2): 3}, "deep": deep, "bool": True}[kind]
EOF
    expect "$(tests "$verdicts")" "the tests" <<'EOF'
none passed null -
tuple passed [1, [2]] -
set passed [1, 2, 3] -
dict passed {"1": true, "a": "é\n"} -
float passed 0.30000000000000004 -
int passed 9007199254740993 -
big wrong-answer 1180591620717411303424 the value differs: expected '1', found '1180591620717411303424'
nan wrong-answer [NaN, -Infinity] the value differs: expected '1', found '[NaN, -Infinity]'
object runtime-error - an object of type 'object' is or is in its value, which JSON does not have
generator runtime-error - an object of type 'count' is or is in its value, which JSON does not have
key runtime-error - an object of type 'tuple' is the key of a dictionary, which JSON does not have
deep runtime-error - its value has too many levels
bool wrong-answer true the value differs: expected '1', found 'true'
EOF
    is "$(tests '$_->{stdout}' | sort -u | tr -d '\n')" "printed" "what it prints"
}

test_case 'Python: numbers of other types' && {
    call python '' "$(all "$(one integral 4 '"integral"')" "$(one bool true '"bool"')" "$(one fraction 0.5 '"fraction"')" \
        "$(one decimal 0.25 '"decimal"')" "$(one key '{"4": [4]}' '"key"')" "$(one complex 1 '"complex"')" "$(one huge 1 '"huge"')" \
        '{"name": "big", "call_arguments_json": "\"double\"\n36893488147419103232", "expected_value_json": "73786976294838206464"}' \
        '{"name": "any", "call_arguments": ["double", 2], "expected_values": [[4], 4]}' \
        '{"name": "none", "call_arguments": ["double", 2], "expected_values_json": "[5]\n5"}')" <<'EOF'
import numbers
from decimal import Decimal
from fractions import Fraction
# As those of numpy are: int64 is registered as an integral number, and bool_ as none.
class int64:
    def __int__(self): return 4
numbers.Integral.register(int64)
bool_ = type("bool_", (), {"__module__": "numpy", "__bool__": lambda self: True})
def f(kind, value=0):
    return {"integral": int64(), "bool": bool_(), "fraction": Fraction(1, 2), "decimal": Decimal("0.25"), "key": {int64(): [int64()]},
        "complex": 1j, "huge": Fraction(10**400, 3), "double": 2 * value}[kind]
EOF
    expect "$(tests "$verdicts")" "the tests" <<'EOF'
integral passed 4 -
bool passed true -
fraction passed 0.5 -
decimal passed 0.25 -
key passed {"4": [4]} -
complex runtime-error - an object of type 'complex' is or is in its value, which JSON does not have
huge runtime-error - an object of type 'Fraction' is or is in its value, which JSON does not have
big passed 73786976294838206464 -
any passed 4 -
none wrong-answer 4 the value differs: expected '[5]', found '4'
EOF
}

test_case 'JavaScript: values of all types' && {
    call javascript '' "$(all "$(one none null '"none"')" "$(one set '[3,1,2]' '"set"')" "$(one map '{"1": true, "a": [0.3]}' '"map"')" \
        "$(one big 9007199254740993 '"big"')" "$(one nan 1 '"nan"')" "$(one promise '"later"' '"promise"')" "$(one object 1 '"object"')" \
        "$(one function 1 '"function"')" "$(one cycle 1 '"cycle"')")" <<'EOF'
const cycle = []; cycle.push(cycle);
const f = (kind) => {
    console.log('printed');
    return { set: new Set([1, 2, 3]), map: new Map([[1, true], ['a', [0.1 + 0.2]]]), big: 2n ** 53n + 1n, nan: [NaN, -Infinity],
        promise: new Promise((done) => setTimeout(done, 1, 'later')), object: new (class Tree {})(), function: f, cycle }[kind];
};
EOF
    expect "$(tests "$verdicts")" "the tests" <<'EOF'
none passed null -
set passed [1, 2, 3] -
map passed {"1": true, "a": [0.30000000000000004]} -
big passed 9007199254740993 -
nan wrong-answer [NaN, -Infinity] the value differs: expected '1', found '[NaN, -Infinity]'
promise passed "later" -
object runtime-error - an object of type 'Tree' is or is in its value, which JSON does not have
function runtime-error - a function is or is in its value, which JSON does not have
cycle runtime-error - its value has too many levels
EOF
    is "$(tests '$_->{stdout}' | sort -u | tr -d '\n')" "printed" "what it prints"
}

test_case 'methods, texts, tolerances, tests without an expected value' && {
    call python ', "detail": "full"' "$(all "$(one method '[1,2]' 1)" '{"call_arguments_json": "[1, 2]\n3", "expected_value_json": "[[1, 2], 3]"}' \
        '{"call_arguments": [0.5], "expected_value": [1,1], "tolerance": 0.6}' '{"call_arguments": ["x"], "no_expected": true}' \
        '{"call_arguments": [1], "expected_value": [1, "in"], "stdin": "in\n"}')" <<'EOF'
class Solution:
    def f(self, a, b=1):
        if a == [1, 2]: return a, b
        try: return a, input()
        except EOFError: return [1, 2] if a == 1 else [a, b]
EOF
    expect "$(tests "$verdicts")" "Python" <<'EOF'
method passed [1, 2] -
2 passed [[1, 2], 3] -
3 passed [0.5, 1] -
4 passed ["x", 1] -
5 passed [1, "in"] -
EOF
    call javascript '' "$(one 1 '[1,2]' 1,2)" 'class Solution { f(a, b) { return [a, b]; } }'
    is "$(tests "$verdicts")" "1 passed [1, 2] -" "a method in JavaScript"
    call javascript ', "entrypoint_filename": "main.mjs"' "$(one 1 '[1,2]' 1,2)" 'import fs from "fs"; export function f(a, b) { return [a, b]; }'
    is "$(tests "$verdicts")" "1 passed [1, 2] -" "an ES module"
    call javascript '' "$(one 1 '[1,2]' 1,2)" 'exports.f = (a, b) => [a, b];'
    is "$(tests "$verdicts")" "1 passed [1, 2] -" "an export"
}

test_case 'functions that are not there, exceptions' && {
    for language in python javascript; do
        call $language '' "$(one 1 1 1)" ''
        is "$(tests "$verdicts")" "1 runtime-error - the program has no function 'f'" "$language: no function"
        call $language '' "$(one 1 1 1)" 'class Solution: pass' # a syntax error in JavaScript
        is "$(tests '$_->{status}')" "runtime-error" "$language: no method"
    done
    call python '' "$(one 1 1 1)" $'if __name__ == "__main__": exit(3)\ndef g(x):\n    return 1 / 0\n\ndef f(x):\n    return g(x)'
    expect "$(tests '"$_->{exitCode} $_->{error}\n$_->{stderr}"' | grep -v '[\^~]')" "an exception without the lines of the driver" <<'EOF'
1 program exited with status 1
Traceback (most recent call last):
  File "main.py", line 6, in f
    return g(x)
  File "main.py", line 3, in g
    return 1 / 0
ZeroDivisionError: division by zero
EOF
    call javascript '' "$(one 1 1 1)" $'function f(x) {\n    return x.y.z;\n}'
    expect "$(tests '"$_->{exitCode} $_->{error}\n$_->{stderr}"')" "the same in JavaScript" <<'EOF'
1 program exited with status 1
TypeError: Cannot read properties of undefined (reading 'z')
    at f (/workspace/main.js:2:16)
EOF
}

# Five tests are forks of an interpreter, one starts its own.
test_case 'files of a Python program that have the names of modules' && {
    program='import json, sys, token
class Odd:
    def __int__(self): return 1
def f(kind):
    if kind == "numbers":
        import numbers
        return numbers.MINE, Odd()
    if kind == "ast":
        import ast
        return getattr(ast, "MINE", 0) + 1 / 0
    if kind == "path":
        sys.path[:] = ["x"]
        return sys.path
    return [json.MINE, token.MINE]'
    own='{"filename": "NAME.py", "content": "MINE = \"NAME\""}'
    files=$(for name in json token numbers ast traceback isolator_call; do echo "${own//NAME/$name}"; done | paste -sd,)
    for test in "$(one own '["json","token"]' '"own"')" "$(one other 1 '"numbers"')" "$(one error 1 '"ast"')" "$(one path '["x"]' '"path"')"; do
        for count in 1 5; do
            call python ", \"detail\": \"full\", \"additional_files\": [$files]" "$(for i in $(seq $count); do sed "s/\"name\": \"/&$i-/" <<<"$test"; done | paste -sd,)" "$program"
            tests "(($verdicts)"' =~ s/^\d-//r . " " . $_->{stderr} =~ s/\n +[\^~]+//gr =~ s/\n */; /gr) =~ s/[; ]*$//r' | uniq -c | sed 's/^ *//'
        done
    done >"$scratch/seen"
    expect "$(cat "$scratch/seen")" "the tests" <<'EOF'
1 own passed ["json", "token"] -
5 own passed ["json", "token"] -
1 other runtime-error - an object of type 'Odd' is or is in its value, which JSON does not have
5 other runtime-error - an object of type 'Odd' is or is in its value, which JSON does not have
1 error runtime-error - program exited with status 1 Traceback (most recent call last):; File "main.py", line 10, in f; return getattr(ast, "MINE", 0) + 1 / 0; ZeroDivisionError: division by zero
5 error runtime-error - program exited with status 1 Traceback (most recent call last):; File "main.py", line 10, in f; return getattr(ast, "MINE", 0) + 1 / 0; ZeroDivisionError: division by zero
1 path passed ["x"] -
5 path passed ["x"] -
EOF
    for count in 1 5; do
        call python '' "$(for i in $(seq $count); do one "$i" 1 1 | sed 's/}$/, "files": [{"filename": "isolator_call.py", "content": ""}]}/'; done | paste -sd,)" 'def f(number): return number'
        is "$(tests "$verdicts" | sort -u -k2 | sed 's/^[0-9]* //')" "passed 1 -" "the driver is none of the files of $count tests"
    done
    shown() { call python ", \"detail\": \"full\", \"additional_files\": [$1]" "$(one error 1 '"ast"')" "$program"; json '$r->{tests}[0]{stderr}'; }
    is "$(shown "$files")" "$(shown "")" "the marks below a line, for which traceback of some releases imports ast"
}

test_case 'programs that are hostile' && {
    other="more or other bytes than one value were written to descriptor 3"
    none="the program ended before its function returned a value"
    call python ', "timeout_seconds": 20' "$(all "$(one write 1 '"write"')" "$(one forge 1 '"forge"')" "$(one close 1 '"close"')" "$(one fork 1 '"fork"')" \
        "$(one exit 1 '"exit"')" "$(one hard 1 '"hard"')" "$(one status 1 '"status"')" "$(one kill 1 '"kill"')" "$(one huge 1 '"huge"')" \
        "$(one flood 1 '"flood"')" "$(one many 1 '"many"')" "$(one set 1 '"set"')" "$(one stdout 1 '"stdout"')" "$(one thread 1 '"thread"')" \
        "$(one later 1 '"later"')" \
        '{"name": "loop", "call_arguments": ["loop"], "expected_value": 1, "timeout_seconds": 1}' "$(one good 1 '"good"')")" <<'EOF'
import os, sys, threading, time
def f(kind):
    if kind == "write": os.write(3, b"x")
    if kind == "forge": os.write(3, b'{"value": 1}\n'); os._exit(0)
    if kind == "close": os.close(3)
    if kind == "fork" and os.fork(): os.wait()
    if kind == "exit": sys.exit()
    if kind == "hard": os._exit(0)
    if kind == "status": sys.exit(7)
    if kind == "kill": os.kill(os.getpid(), 9)
    if kind == "huge": return "x" * (5 << 20)
    if kind == "flood":
        while True: os.write(3, b"x" * 65536)
    while kind == "loop": pass
    if kind == "many": return [0] * 300000
    if kind == "set": return set(range(100000))
    if kind == "stdout": sys.stdout.close()
    if kind == "thread": threading.Thread(target=time.sleep, args=(1000,)).start()
    if kind == "later" and os.fork() == 0:
        time.sleep(1000)
    return 1
EOF
    expect "$(tests '"$_->{name} $_->{status} " . ($_->{error} // "-")')" "the tests" <<EOF
write runtime-error $other
forge passed -
close runtime-error program exited with status 1
fork runtime-error $other
exit runtime-error $none
hard runtime-error $none
status runtime-error program exited with status 7
kill runtime-error program was ended by signal SIGKILL
huge output-limit the value of the function has more than 4 MiB
flood output-limit the value of the function has more than 4 MiB
many runtime-error the value of the function has more than 200000 elements
set wrong-answer the value differs: expected '1', found '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 2...'
stdout runtime-error program exited with status 1
thread passed -
later passed -
loop timeout program did not end within 1 s
good passed -
EOF
}

test_case 'detail outcome shows neither the value nor what is expected' && {
    call python ', "detail": "outcome"' "$(all "$(one wrong 2 1)" "$(one object 2 2)" "$(one right 3 3)")" \
        $'def f(x):\n    print(x)\n    return {1: 1, 2: object(), 3: 3}[x]'
    expect "$(tests "$verdicts . \" '\$_->{stdout}'\"")" "the tests" <<'EOF'
wrong wrong-answer - the value is not the expected one ''
object runtime-error - the function returned no value ''
right passed - - ''
EOF
}

test_case --quick 'requests that cannot be' && {
    call c '' "$(one 1 1 1)" 'int f;'
    is "$(json '$r->{error}')" "no function of a program in c can be called; languages with the extension .py or .js can do that" "a language without a driver"
    call python ', "checker": {"language": "python", "code": ""}' "$(one 1 1 1)" ''
    is "$(json '$r->{error}')" "a request with a call cannot have a checker: values are compared" "a checker"
    call python ', "session": "a"' "$(one 1 1 1)" ''
    is "$(json '$r->{error}')" "a request of a session cannot have tests" "a session"
    call python '' "$(one 1 1 1)" ''
    isolator batch --detach "$scratch/line.json"
    is "$(json '$r->{error}')" "a job cannot have a call, whose values are compared by isolator: do not run it as a job" "a job"
    printf '{"language": "python", "entrypoint_code": "", "tests": [%s]}\n' "$(one 1 1 1)" >"$scratch/line.json"
    isolator batch "$scratch/line.json"
    is "$(json '$r->{error}')" "test '1' has call_arguments, but no call names a function" "no call"
}

finish
