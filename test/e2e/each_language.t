#!/usr/bin/env bash
# Each built-in language under its limits: a program that uses standard input, arguments and characters beyond ASCII,
# one that fails, and one that cannot be built. All but Python, Go, JavaScript and Bash run in the image of
# `test/setup languages`.
# shellcheck source=test/e2e/lib.sh disable=SC2016 # the programs are in single quotes
. "$(dirname "$0")/lib.sh"

echo line >"$scratch/line"
# program FILE TEXT: runs this program with an argument and a line of standard input. Go may compile its standard
# library first, which takes minutes on a slow machine.
program() {
    printf '%s\n' "$2" >"$scratch/$1"
    run --stdin "$scratch/line" "$scratch/$1" -- argument
}

# greets FILE PROGRAM: the program prints this line of its argument and its standard input.
greets() {
    program "$1" "$2"
    is "$status|$(field stdout)|$(field stderr)" "0|é 42 argument line|" "$1 greets"
}

# breaks FILE OUTCOME STDERR PROGRAM: the program prints nothing, ends like this, and says this on stderr.
breaks() {
    program "$1" "$4"
    is "$status $(field exitCode reason)|$(field stdout)" "1 $2|" "$1 breaks"
    has "$(field stderr)" "$3" "$1 says why"
}

# unbuildable FILE MESSAGE PROGRAM: the program is refused by its compiler with this message, and never runs.
unbuildable() {
    program "$1" "$3"
    is "$status $(field status exitCode reason)" "1 error -1 build" "$1 is not built"
    has "$(json '$r->{build}{stdout} . $r->{build}{stderr}')" "$2" "$1: the message of the compiler"
}

test_case 'Python' && {
    greets main.py 'import sys; print("é", 6 * 7, sys.argv[1], input())'
    breaks main.py "1 exit" "ValueError: boom" 'raise ValueError("boom")'
}

test_case 'JavaScript' && {
    # what Bun and Deno know as well, also for test/interpreters
    greets main.js 'import("node:fs").then(({ readFileSync }) => console.log("é", 6 * 7, process.argv[2], readFileSync(0, "utf8").trim()))'
    breaks main.js "1 exit" "rror: boom" 'throw new Error("boom")'
}

test_case 'TypeScript' && {
    greets main.ts 'import { readFileSync } from "node:fs";
interface Product { a: number; b: number }
const { a, b }: Product = { a: 6, b: 7 };
console.log("é", (a * b) as number, process.argv[2], readFileSync(0, "utf8").trim());'
    breaks main.ts "1 exit" "Error: boom" 'throw new Error("boom" as string)'
    breaks main.ts "1 exit" "TypeScript enum is not supported in strip-only mode" 'enum Color { Red }'
}

test_case 'Go' && {
    greets main.go 'package main
import ("bufio"; "fmt"; "os")
func main() {
    line, _ := bufio.NewReader(os.Stdin).ReadString(10)
    fmt.Print("é ", 6 * 7, " ", os.Args[1], " ", line)
}'
    mkdir "$scratch/files"
    printf 'package main\nimport "os"\nfunc main() { os.Exit(leave()) }\n' >"$scratch/files/main.go"
    printf 'package main\nfunc leave() int { println("boom"); return 3 }\n' >"$scratch/files/leave.go"
    run -l go --dir "$scratch/files"
    is "$status $(field exitCode reason stderr)" "1 3 exit boom" "a package of two files, and its own exit status"
    unbuildable main.go "undefined: missing" 'package main
func main() { missing() }'
}

test_case 'C' && {
    greets main.c '#include <math.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char line[80];
    return argc == 2 && scanf("%79s", line) == 1 ? !printf("é %g %s %s\n", sqrt(42 * 42), argv[1], line) : 9;
}'
    breaks main.c "139 signal" "boom" '#include <signal.h>
#include <stdio.h>
int main(void) { fputs("boom\n", stderr); raise(SIGSEGV); }'
    unbuildable main.c "main.c:1:23: error: " 'int main(void) { retur 0; }'
    mkdir "$scratch/c"
    printf '#include "util.h"\nint main(void) { return three(); }\n' >"$scratch/c/main.c"
    printf 'int three(void);\n' >"$scratch/c/util.h"
    printf 'int three(void) { return 3; }\n' >"$scratch/c/-fplugin=x.c"
    run -l c --dir "$scratch/c"
    is "$status $(field exitCode reason)" "1 3 exit" "a program of three files; none is an option of the compiler"
}

test_case 'C: the stack' && {
    program main.c '#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int depth(int n)
{
    volatile char frame[100];
    memset((char *)frame, n, sizeof frame);
    return n == 0 ? 0 : 1 + depth(n - 1) + 0 * frame[n % 100 < 0 ? 0 : n % 100];
}
int main(int argc, char **argv) { return argc == 2 && !printf("%d\n", depth(200000)) + !argv[1]; }'
    is "$status|$(field stdout)" "0|200000" "a deep recursion"
    printf '%s\n' '#include <string.h>
int depth(int n)
{
    volatile char frame[100];
    memset((char *)frame, n, sizeof frame);
    return 1 + depth(n + 1) + frame[3];
}
int main(void) { return depth(0); }' >"$scratch/endless.c"
    run --memory 64 "$scratch/endless.c"
    is "$status $(field exitCode reason)" "1 137 oom" "one without an end"
    program threads.c '#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t all;
static void *wait_for_all(void *nothing) { pthread_barrier_wait(&all); return nothing; }
int main(void)
{
    pthread_t threads[60];
    pthread_barrier_init(&all, NULL, 61);
    for (int i = 0; i < 60; i++)
        if (pthread_create(&threads[i], NULL, wait_for_all, NULL) != 0)
            return 1;
    pthread_barrier_wait(&all);
    for (int i = 0; i < 60; i++)
        pthread_join(threads[i], NULL);
    puts("60 threads");
}'
    is "$status|$(field stdout)" "0|60 threads" "60 threads at once"
}

test_case 'C++' && {
    greets main.cpp '#include <bits/stdc++.h>
int main(int, char **argv)
{
    std::map<std::string, int> product{{"é", 6 * 7}};
    std::string line;
    std::getline(std::cin, line);
    for (auto &[name, value] : product)
        std::cout << name << " " << value << " " << argv[1] << " " << line << std::endl;
}'
    breaks main.cpp "134 signal" "what():  boom" '#include <stdexcept>
int main() { throw std::runtime_error("boom"); }'
    unbuildable main.cc "was not declared in this scope" 'int main() { missing(); }'
}

test_case 'Rust' && {
    greets main.rs 'fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    println!("é {} {} {}", 6 * 7, std::env::args().nth(1).unwrap(), line.trim());
}'
    breaks main.rs "101 exit" "boom" 'fn main() { panic!("boom") }'
    unbuildable main.rs "error[E0425]" 'fn main() { missing() }'
}

test_case 'Java' && {
    greets Main.java 'import java.util.*;
record Product(int a, int b) {}
public class Main {
    public static void main(String[] arguments) {
        var product = new Product(6, 7);
        System.out.println("é " + product.a() * product.b() + " " + arguments[0] + " " + new Scanner(System.in).nextLine());
    }
}'
    breaks Main.java "1 exit" "java.lang.IllegalStateException: boom" 'class Main {
    public static void main(String[] arguments) { throw new IllegalStateException("boom"); }
}'
    greets alice.java 'import java.util.*;

public final class Main$1 {
    public static class Inner {}
    public static void main(String[] arguments) {
        System.out.println("é " + 42 + " " + arguments[0] + " " + new Scanner(System.in).nextLine());
    }
}'
    greets bob.java 'class bob {
    public static class Inner {}
    public enum Color { RED }
    public static void main(String[] arguments) {
        System.out.println("é " + 42 + " " + arguments[0] + " " + new java.util.Scanner(System.in).nextLine());
    }
}'
    unbuildable Main.java "Main.java:1: error: ';' expected" 'class Main { int a = 1 }'
    breaks Main.java "1 exit" "java.lang.OutOfMemoryError" 'class Main {
    public static void main(String[] arguments) { var all = new java.util.ArrayList<byte[]>(); while (true) all.add(new byte[1 << 20]); }
}'
}

test_case 'Ruby' && {
    greets main.rb 'puts "é #{6 * 7} #{ARGV[0]} #{STDIN.gets}"'
    within "$(field peakMemoryBytes)" 1000000 100000000 "the stack, all of which Ruby may use at its start, is small"
    breaks main.rb "1 exit" "boom (RuntimeError)" 'raise "boom"'
    breaks main.rb "1 exit" "stack level too deep (SystemStackError)" 'def endless = 1 + endless
endless'
}

test_case 'PHP' && {
    greets main.php '<?php echo "é ", 6 * 7, " $argv[1] ", fgets(STDIN);'
    breaks main.php "255 exit" "Fatal error: Uncaught Exception: boom in " '<?php throw new Exception("boom");'
    breaks main.php "255 exit" "Parse error: syntax error" '<?php echo 1 1;'
}

test_case 'Perl' && {
    greets main.pl 'print "é ", 6 * 7, " $ARGV[0] ", scalar <STDIN>'
    breaks main.pl "255 exit" "boom at " 'die "boom"'
}

test_case 'Bash' && {
    greets main.sh 'read -r line; echo "é $((6 * 7)) $1 $line"'
    breaks main.sh "3 exit" "boom" 'echo boom >&2; exit 3'
}

test_case 'Lua' && {
    greets main.lua 'print("é " .. 6 * 7 .. " " .. arg[1] .. " " .. io.read())'
    breaks main.lua "1 exit" "1: boom" 'error("boom")'
}

test_case 'R' && {
    greets main.R 'cat("é", 6 * 7, commandArgs(TRUE), readLines("stdin"), fill = TRUE)'
    breaks main.R "1 exit" "Error: boom" 'stop("boom")'
    program main.R 'cat(Cstack_info()[["size"]] > 60e6)'
    is "$(field stdout)" TRUE "R knows the limit of the stack"
}

# ---- tests of one program
# passes LANGUAGE PROGRAM: the program answers two tests, and its third answer is wrong.
passes() {
    printf '%s\n' "$2" | perl -MJSON::PP -e 'local $/; my @tests = map { {stdin => "$_\n", expected_stdout => "" . 2 * $_} } 21, 4;
        print encode_json({language => $ARGV[0], entrypoint_code => <STDIN>, tests => [@tests, {stdin => "3\n", expected_stdout => "7"}]}),
        "\n"' "$1" >>"$scratch/tests"
}

test_case 'tests in each language' && {
    passes python 'print(2 * int(input()))'
    passes javascript 'console.log(2 * require("fs").readFileSync(0, "utf8"))'
    passes ts 'import { readFileSync } from "node:fs"; const n: number = +readFileSync(0, "utf8"); console.log(2 * n)'
    passes c '#include <stdio.h>
int main(void) { int n; if (scanf("%d", &n) == 1) printf("%d\n", 2 * n); }'
    passes c++ '#include <iostream>
int main() { int n; std::cin >> n; std::cout << 2 * n << "\n"; }'
    passes rust 'fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();
println!("{}", 2 * s.trim().parse::<i32>().unwrap()); }'
    passes java 'public class Main { public static void main(String[] a) { System.out.println(2 * new java.util.Scanner(System.in).nextInt()); } }'
    passes ruby 'puts 2 * gets.to_i'
    passes php '<?php echo 2 * (int) fgets(STDIN), "\n";'
    passes perl 'print 2 * <STDIN>, "\n"'
    passes sh 'read -r n; echo $((2 * n))'
    passes lua 'print(2 * io.read("n"))'
    passes r 'cat(2 * as.integer(readLines("stdin")), "\n")'
    isolator batch "$scratch/tests"
    is "$(perl -MJSON::PP -ne 'my $r = decode_json($_);
        print "$r->{line} ", join(",", $r->{reason}, map { $_->{status} } @{$r->{tests}}), "\n"' "$scratch/out" | sort -n)" \
        "$(for line in {1..13}; do echo "$line tests,passed,passed,wrong-answer"; done)" "two tests pass, and the third does not"
}

finish
