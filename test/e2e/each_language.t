#!/usr/bin/env bash
# Each built-in language under its limits: a program that uses standard input, arguments and characters beyond ASCII,
# and one that fails. All but Python, Go, JavaScript and Bash run in the image of `test/setup languages`.
# shellcheck source=test/e2e/lib.sh disable=SC2016 # the programs are in single quotes
. "$(dirname "$0")/lib.sh"

# greets EXTENSION PROGRAM: the program prints this line of its argument and its standard input.
greets() {
    local input
    input=$(snippet in line)
    run --stdin - "$(snippet "$1" "$2")" -- argument
    is "$status|$(field stdout)|$(field stderr)|$(field warnings)" "0|é 42 argument line||" "a program in .$1"
}

# breaks EXTENSION STATUS STDERR PROGRAM: the program prints nothing, ends with this status, and says this on stderr.
breaks() {
    run "$(snippet "$1" "$4")"
    is "$status $(fields exitCode reason)|$(field stdout)" "1 $2 exit|" "a failure in .$1"
    has "$(field stderr)" "$3" "its message in .$1"
}

test_case 'Python' && {
    greets py 'import sys; print("é", 6 * 7, sys.argv[1], input())'
    breaks py 1 "ValueError: boom" 'raise ValueError("boom")'
}

test_case 'JavaScript' && {
    greets js 'console.log("é", 6 * 7, process.argv[2], require("fs").readFileSync(0, "utf8").trim())'
    breaks js 1 "Error: boom" 'throw new Error("boom")'
}

test_case 'TypeScript' && {
    greets ts 'import { readFileSync } from "node:fs";
interface Product { a: number; b: number }
const { a, b }: Product = { a: 6, b: 7 };
console.log("é", (a * b) as number, process.argv[2], readFileSync(0, "utf8").trim());'
    breaks ts 1 "Error: boom" 'throw new Error("boom" as string)'
    breaks ts 1 "TypeScript enum is not supported in strip-only mode" 'enum Color { Red }'
}

test_case 'Ruby' && {
    greets rb 'puts "é #{6 * 7} #{ARGV[0]} #{STDIN.gets}"'
    breaks rb 1 "boom (RuntimeError)" 'raise "boom"'
}

test_case 'PHP' && {
    greets php '<?php echo "é ", 6 * 7, " $argv[1] ", fgets(STDIN);'
    breaks php 255 "Fatal error: Uncaught Exception: boom in " '<?php throw new Exception("boom");'
    breaks php 255 "Parse error: syntax error" '<?php echo 1 1;'
}

test_case 'Perl' && {
    greets pl 'print "é ", 6 * 7, " $ARGV[0] ", scalar <STDIN>'
    breaks pl 255 "boom at " 'die "boom"'
}

test_case 'Bash' && {
    greets sh 'read -r line; echo "é $((6 * 7)) $1 $line"'
    breaks sh 3 "boom" 'echo boom >&2; exit 3'
}

test_case 'Lua' && {
    greets lua 'print("é " .. 6 * 7 .. " " .. arg[1] .. " " .. io.read())'
    breaks lua 1 "1: boom" 'error("boom")'
}

test_case 'R' && {
    greets R 'cat("é", 6 * 7, commandArgs(TRUE), readLines("stdin"), fill = TRUE)'
    breaks R 1 "Error: boom" 'stop("boom")'
}

finish
