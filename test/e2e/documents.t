#!/usr/bin/env bash
# The documents tell the truth: README and manual pages against --help, the configuration, the sources
# and each other; the commands that they show are run, and what they show as output must come out.
# shellcheck source=test/e2e/lib.sh disable=SC2013,SC2016 # words; backquotes in single quotes are Markdown's
. "$(dirname "$0")/lib.sh"

page=man/isolator.1
config_page=man/isolator_config.json.5
debian=isolator-test/python:bookworm # has bash; test/setup builds it everywhere
ISOLATOR_CONFIG=$(realpath "$ISOLATOR_CONFIG")

# ---- what the documents say, as lists
# rendered FILE: a manual page as people see it, each paragraph on one line.
rendered() { mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g'; }

# mdoc_section FILE NAME, markdown_section NAME: the lines below a heading.
mdoc_section() { awk -v head=".Sh $2" '/^\.Sh /{on = $0 == head; next} on' "$1"; }
markdown_section() { awk -v head="$1" '/^```/{code = !code} /^#/ && !code {on = $0 == head; next} on' README.md; }

# fenced LANGUAGE: the contents of README's blocks in this language, each followed by a line "----".
fenced() { awk -v open="\`\`\`$1" '/^```$/ && on {on = 0; print "----"} on; $0 == open {on = 1}' README.md; }

# literal PAGE: the contents of the blocks in the page's EXAMPLES, likewise.
literal() { mdoc_section "$1" EXAMPLES | awk '/^\.Ed/{on = 0; print "----"} on; /^\.Bd/{on = 1}'; }

# first_column: of the tables in what it reads, the words in backquotes there.
first_column() { awk -F '|' '/^\|/{print $2}' | grep -o '`[^`]*`' | tr -d '`'; }

words() { tr -s '\n' ' ' | sed 's/ $//'; }

# ---- manual pages
for file in "$page" "$config_page"; do
    is "$(mandoc -T lint -W warning "$file" 2>&1)" "" "$file: mandoc has no complaint"
    within "$(rendered "$file" | wc -l)" 50 2000 "$file: can be read"
done

# ---- options
isolator run --help
help=$out
options='s/^  (-(.), |    )--([a-z-]+)(.*)/\2 \3\4/p'
expected=$(sed -nE "$options" <<<"$help" | sed -E 's/^(.) /-\1 /; s/  +.*//')
is "$(sed -nE 's/^\| (`-(.)`, )?`--([^`]*)`.*/\2 \3/p' README.md | sed -E 's/^(.) /-\1 /')" \
    "$expected" "README: the option table has the options of --help in their order and form"
is "$(mdoc_section "$page" OPTIONS | sed -nE 's/^\.It (Fl (.) , )?Fl -([a-z-]+).*/\2 \3/p' |
    sed -E 's/^(.) /-\1 /')" "$(sed -E 's/( ?)(-. )?([a-z-]+).*/\1\2\3/' <<<"$expected")" \
    "$page: has the options of --help in their order"

# ---- defaults
defaults=$(perl -MJSON::PP -e '
    local $/; my $all = decode_json(<STDIN>); my %default = %{$all->{defaults}};
    $default{timeoutSeconds} .= "s";
    $default{readOnly} = $default{readOnly} ? "true" : "false";
    $default{capDrop} = join ",", @{$default{capDrop}};
    @default{"workdir", "command"} = @$all{"containerWorkdir", "containerCommand"};
    my %option = qw(timeoutSeconds timeout memoryMB memory cpus cpus pidsLimit pids-limit
        workdirMB workdir-size tmpMB tmp-size outputBytes output-limit network network
        readOnly read-only capDrop cap-drop user user workdir container-workdir command runtime);
    print join "", sort map { ($option{$_} // "no option for $_") . " $default{$_}\n" } keys %default;
    ' <isolator_config.json)
is "$(sed -nE 's/^  (-., |    )--([a-z-]+).*\(([^() ]*)\)$/\2 \3/p' <<<"$help" | sort)" "$defaults" \
    "--help: the defaults are those of isolator_config.json"
is "$(sed -nE 's/^\| .*`--([a-z-]+).* \| ([^ |]+) \|$/\1 \2/p' README.md | sort)" "$defaults" \
    "README: the defaults are those of isolator_config.json"
is "$(rendered "$page" | awk '
    /^ +(-., )?--[a-z]/ { option = $0; sub(/^ +(-., )?--/, "", option); sub(/[^a-z-].*/, "", option) }
    match($0, /The default is [^ ]+[.,]( |$)/) {
        value = substr($0, RSTART + 15, RLENGTH - 15); sub(/[.,] ?$/, "", value)
        print option, value
    }' | sort)" "$defaults" "$page: the defaults are those of isolator_config.json"

# ---- the result
run "$scratch/no-such-file.py" # has all members, and needs no engine
members=$(grep -o '"[A-Za-z]*":' <<<"$out" | tr -d '":' | words)
is "$(markdown_section '## The result' | first_column | words)" "$members" "README: the members of the result"
is "$(sed -nE 's/^\.It Cm (.*) Pq .*/\1/p' "$page" | tr -d ',' | tr -s ' ' '\n' | words)" "$members" \
    "$page: the members of the result"
is "$(fenced console | awk '/^[{]/,/^[}]/' | grep -o '^  "[A-Za-z]*":' | tr -d '": ' | words)" "$members" \
    "README: the result that is shown has these members"
reasons=$(sed -nE 's/.*\[REASON_[A-Z_]*\] = "(.*)",/\1/p' src/sandbox/result.c | words)
is "$(mdoc_section "$page" 'THE RESULT' | sed -nE 's/^\.It Cm ([a-z-]+)$/\1/p' | words)" "$reasons" "$page: the reasons"
is "$(markdown_section '## The result' | sed -n '/^Reasons:/,/^$/p' | grep -o '`[^`]*`' | tr -d '`' | words)" \
    "$reasons" "README: the reasons"

# ---- exit statuses
statuses="0 1 2 3 124 130 143"
is "$(sed -n '/^Exit status:/,$s/See .*//; /^Exit status:/,$p' <<<"$help" | grep -oE '[0-9]+' | words)" \
    "$statuses" "--help: the exit statuses"
is "$(markdown_section '## Exit statuses' | awk -F '|' '/^\| [0-9]/{print $2}' | grep -oE '[0-9]+' | words)" \
    "$statuses" "README: the exit statuses"
is "$(mdoc_section "$page" 'EXIT STATUS' | grep '^\.It' | grep -oE '[0-9]+' | words)" "$statuses" \
    "$page: the exit statuses"

# ---- the configuration
documented=$(sed -n 's/^\.It Ic \([A-Za-z]*\) Pq .*/\1/p' "$config_page")
keys=$(perl -MJSON::PP -e '
    local $/; my $all = decode_json(<STDIN>); my %seen;
    $seen{$_}++ for keys %$all, map { keys %$_ } @$all{"defaults", "maximums"}, values %{$all->{languages}};
    print join "\n", keys %seen;' <isolator_config.json
    sed -nE 's/.*\[LIMIT_[A-Z]*\] = \{"([A-Za-z]*)".*/\n\1/p' src/sandbox/limits.c)
for key in $(sort -u <<<"$keys"); do
    has " $(words <<<"$documented") " " $key " "$config_page: $key"
done

# configuration JSON: reads it and gets as far as the program, which does not exist.
configuration() {
    printf '%s\n' "$1" >"$scratch/config.json"
    run --config "$scratch/config.json" "$scratch/no-such-file.py"
}

for key in $documented; do
    unknown=0
    for form in '%s' '{"defaults": %s}' '{"languages": {"python": %s}}'; do
        # shellcheck disable=SC2059 # the form is the format
        configuration "$(printf "$form" "{\"$key\": null}")"
        case $err in *'unknown key'*) unknown=$((unknown + 1)) ;; esac
    done
    within "$unknown" 0 2 "$config_page: $key is a key"
done

text=$(rendered "$config_page")
for key in $(sed -nE 's/.*\[LIMIT_[A-Z]*\] = \{"([A-Za-z]*)".*/\1/p' src/sandbox/limits.c); do
    configuration "{\"defaults\": {\"$key\": -1}}"
    has "$(grep "^ *$key (" <<<"$text")" "number, ${err##* from })" "$config_page: the range of $key"
done

# The defaults that the page tells, as JSON, make no difference.
told=$(awk '/^ +[A-Za-z]+ \(/ { key = $1 } match($0, /The default is ("[^"]*"|\[[^]]*\]|[0-9.]*[0-9]|true)/) {
    print "\"" key "\": " substr($0, RSTART + 15, RLENGTH - 15) }' <<<"$text" | sort)
is "$told" "$(perl -MJSON::PP -e '
    local $/; my $all = decode_json(<STDIN>); my %told = (%$all, %{$all->{defaults}});
    delete @told{"defaults", "maximums", "languages"};
    my $json = JSON::PP->new->allow_nonref;
    print join "\n", sort map { "\"$_\": " . $json->encode($told{$_}) } keys %told;' <isolator_config.json)" \
    "$config_page: the defaults are those of isolator_config.json"

# ---- examples of configurations: each is accepted
# accepted DOCUMENT: reads configurations, each ended by a line "----".
accepted() {
    local json='' number=0
    while IFS= read -r line; do
        [ "$line" = ---- ] || { json+=$line$'\n'; continue; }
        number=$((number + 1))
        configuration "$json"
        is "$(fields reason) $err" "input " "$1: configuration $number is accepted"
        json=
    done
    within "$number" 2 9 "$1: shows configurations"
}
accepted README <<<"$(fenced json)"
accepted "$config_page" <<<"$(literal "$config_page")"

fenced json | sed "s|bash:5.2|$debian|; /^----/,\$d" >"$scratch/bash.json"
run --config "$scratch/bash.json" "$(snippet sh 'echo "$BASH_VERSION"')"
is "$status $(fields status)" "0 success" "README: the configuration adds bash"

# ---- examples of commands: each is run
# In a block of commands, a line that begins with "$ " is a command and the lines behind it are what it
# prints. A command succeeds, unless "echo $?" follows and shows its exit status.
examples=$scratch/examples
mkdir -p "$examples/project" "$scratch/bin"
printf '#!/bin/sh\necho $$ >>"%s"\nexec "%s" "$@"\n' "$scratch/pids" "$(realpath "$ISOLATOR")" >"$scratch/bin/isolator"
chmod 755 "$scratch/bin/isolator"
cp prompts/hello_world.py "$examples/hello.py"
echo 'echo "Hello from bash"' >"$examples/hello.sh"
printf '%s\n' a box in the sandbox >"$examples/words.txt"
cat >"$examples/count.py" <<'END'
import sys
words = sorted((line.strip() for line in sys.stdin), key=len)
print(words[-1] if sys.argv[1] == "--longest" else len(words))
END
echo 'import greeting; greeting.greet()' >"$examples/project/main.py"
echo 'def greet(): print("hello")' >"$examples/project/greeting.py"
echo 'while True: pass' >"$examples/forever.py"
echo 'import os; print("the token has", len(os.environ["TOKEN"]), "characters")' >"$examples/show_token.py"

# example COMMAND SHOWN STATUS DOCUMENT: runs it. A result that is shown is not compared: it differs.
example() {
    local got
    got=$(cd "$examples" && PATH=$scratch/bin:$PATH bash -c "$1" 2>"$scratch/err" </dev/null)
    is "$? $(cat "$scratch/err")" "$3 " "$4: $1"
    case $2 in '' | '{'*) ;; *) is "$got" "$2" "$4: what that prints" ;; esac
}

# run_examples DOCUMENT: reads blocks, each ended by a line "----".
run_examples() {
    local command='' shown='' expected=0 asked='' number=0 line
    while IFS= read -r line <&9; do
        case $line in
        '$ echo $?') asked=1 ;;
        '$ '* | ----)
            [ -z "$command" ] || { example "$command" "${shown%$'\n'}" "$expected" "$1"; number=$((number + 1)); }
            command=${line#----} command=${command#'$ '} shown='' expected=0 asked=''
            ;;
        *) if [ "$asked" ]; then expected=$line; else shown+=$line$'\n'; fi ;;
        esac
    done 9<<<"$2"
    within "$number" 8 40 "$1: shows commands"
}
saved=sandboxed-hello:1
trap 'docker image rm -f "$saved" >/dev/null 2>&1; rm -rf "$scratch"' EXIT
run_examples README "$(fenced console)"
docker image rm -f "$saved" >/dev/null 2>&1
run_examples "$page" "$(literal "$page")"
own_pids+="$(words <"$scratch/pids") "
has "$(head -n 1 "$examples/Dockerfile")" "FROM " "$page: the Dockerfile is there"

# ---- the sources
files=$(for file in src/*/*.[ch]; do basename "${file%.[ch]}"; done | sort -u)
is "$(markdown_section '### The rooms' | first_column | sort)" "$files" "README: lists the files of src"

finish
