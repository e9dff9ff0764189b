#!/usr/bin/env bash
# The documents are true: manual pages against --help, the configuration and the sources; README, CONTRIBUTING and
# SECURITY against the files, targets and tests that they name. Example commands are run: those with an output
# must print it, the others must get as far as the engine.
# shellcheck source=test/e2e/lib.sh disable=SC2013,SC2016,SC2154 # words; backquotes are Markdown's; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

pages=$(dirname "$ISOLATOR")/man # as they are installed, with the options
[ -d "$pages" ] || pages=$PWD/build/man # static programs have none beside them
page=$pages/isolator.1
server_page=$pages/isolator-mcp.1
config_page=$pages/isolator_config.json.5
server=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
tool=$scratch/tool.json
ISOLATOR_CONFIG=$(realpath "$ISOLATOR_CONFIG")

# ---- what the documents say, as lists
# rendered FILE: a manual page as people see it, each paragraph on one line.
rendered() { mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g'; }

# page_section FILE NAME, markdown_section FILE HEADING: the lines below a heading.
page_section() { rendered "$1" | awk -v head="$2" '/^[A-Z]/{on = $0 == head; next} on'; }
markdown_section() { awk -v head="$2" '/^```/{code = !code} /^#/ && !code {on = $0 == head; next} on' "$1"; }

# fenced LANGUAGE: reads Markdown and prints the contents of the blocks in this language, each followed by a line "----".
fenced() { awk -v open="\`\`\`$1" '/^```$/ && on {on = 0; print "----"} on; $0 == open {on = 1}'; }

# items COLUMN: reads a rendered section and prints the words that begin its items there, which may have a text after them.
items() { sed -nE "s/^ {$1}([A-Za-z0-9][A-Za-z0-9_-]*(, [A-Za-z0-9_-]+)*)( \\(.*\\))?(  .*)?\$/\\1/p" | tr -d ',' | words; }

# blocks COLUMN: reads a rendered section and prints its blocks from this column on, each followed by a line "----".
# literal PAGE: those in EXAMPLES.
blocks() { awk -v column="$1" '
    /^$/ { empty++; next }
    match($0, /^ */) && RLENGTH >= column { while (on && empty-- > 0) print ""; empty = 0; on = 1; print substr($0, column + 1); next }
    { if (on) print "----"; on = empty = 0 }
    END { if (on) print "----" }'; }
literal() { page_section "$1" EXAMPLES | blocks 11; }


# first_block: reads such contents and prints the first.
first_block() { sed '/^----$/,$d'; }

# quoted: reads Markdown and prints the words in backquotes, each once.
quoted() { grep -o '`[^`]*`' | tr -d '`' | sort -u; }

words() { tr -s '\n' ' ' | sed 's/ $//'; }

# ---- README, CONTRIBUTING and SECURITY
# headings FILE: as links name them. missing_links FILE: the targets of its relative links that do not exist.
headings() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | tr ' ' '-' | tr -d ':.,'; }
missing_links() {
    local target file
    grep -o '](\(#\|[a-zA-Z_.]*/\|[A-Z]*\.md\|LICENSE\)[^)]*)' "$1" | tr -d '()]' | while IFS= read -r target; do
        file=${target%%#*}
        file=${file:+$(dirname "$1")/$file}
        [ -e "${file:-$1}" ] || echo "$target"
        [[ $target != *'#'* ]] || headings "${file:-$1}" | grep -qx "${target#*#}" || echo "$target"
    done
}
# missing_paths FILE: what it names in backquotes below a directory of the sources, or of the snippets in a command, and
# does not exist. src/README.md names files of src from there.
missing_paths() {
    {
        quoted <"$1" | grep -E '^(src|test|share|man|prompts)/[a-z0-9_./-]*$'
        [ "$1" != src/README.md ] || quoted <"$1" | grep -E '^[a-z]+/[a-z0-9_/]+\.[ch]$' | sed 's,^,src/,'
        grep -oE '\bprompts/[a-z0-9_]+\.[a-z]+' "$1"
    } |
        while IFS= read -r path; do [ -e "$path" ] || echo "$path"; done
}
# missing_targets FILE: of the `make TARGET` in it, those that the Makefiles lack.
missing_targets() {
    grep -oE '(^|`)(sudo )?make [a-z0-9-]+' "$1" | sed 's/.* //' | sort -u |
        while IFS= read -r target; do grep -qE "^([a-z0-9-]+ )*$target( [a-z0-9-]+)*:" Makefile test/Makefile || echo "$target"; done
}

test_case --quick 'README and its like: the links, files and make targets that they name exist' && {
    within "$(wc -l <CONTRIBUTING.md)" 100 180 "CONTRIBUTING.md: at most 180 lines"
    within "$(wc -l <src/README.md)" 100 220 "src/README.md: at most 220 lines"
    within "$(wc -l <README.md)" 100 190 "README.md: at most 190 lines"
    for file in README.md CONTRIBUTING.md SECURITY.md src/README.md share/*.md share/packaging/README.md; do
        is "$(missing_links "$file")" "" "$file: the targets of its links exist"
        is "$(missing_paths "$file")" "" "$file: the files that it names exist"
        is "$(missing_targets "$file")" "" "$file: the make targets that it names exist"
    done
    listed=$(sed -n '/^\.Sh SEE ALSO/,/^\.Sh AUTHORS/s/^\.Xr \(isolator[^ ]*\) \([1-9]\).*/man\/\1.\2/p' man/isolator.1)
    is "$(printf '%s\n' man/*.[1-9] | grep -vxF "$listed" | words)" "man/isolator.1" "isolator(1) lists the other manual pages"
}

test_case --quick 'make help lists the targets that the documents name' && {
    listed=$(make -s help | sed -nE 's/^  ([a-z0-9 -]+)  .*/\1/p' | tr -s ' ' '\n')
    named=$(grep -ohE '(^|`)(sudo )?make [a-z0-9-]+' README.md CONTRIBUTING.md | sed 's/.* //' | sort -u)
    is "$(grep -vxF "$listed" <<<"$named" | words)" "" "make help lists all targets that README and CONTRIBUTING name"
}

test_case --quick 'src/README.md shows the layers of the build' && {
    has "$(markdown_section src/README.md '## Layers')" '```'$'\n'"$(make -s layers)"$'\n''```' "make layers"
}

# speed WHAT: the figure of isolator in README's Speed table, in the row of which this is a part.
speed() { markdown_section README.md '## Speed' | awk -F ' *[|] *' -v what="$1" 'index($2, what) {print $3}'; }

test_case --quick "share/speed.svg has the figures of README's Speed table" && {
    for what in 'no warm container' 'a warm container waits' '`isolator batch -j 2`'; do
        has "$(<share/speed.svg)" ">$(speed "$what")</text>" "share/speed.svg: $what"
    done
}

test_case "isolator bench prints the figures of README's Speed table beside its own" && {
    isolator bench --rounds 1 --json
    expect "$(json 'join "\n", map { "$_->{name}: $_->{readme} $_->{unit}" } grep { $_->{readme} } @{$r->{measurements}}')" \
        "the figures in README" <<END
cold: $(speed 'no warm container')
warm: $(speed 'a warm container waits')
cell: $(speed 'in a session, Python')
batch: $(speed 'isolator batch -j 2')
tests: $(speed '100 tests of a C program')
END
}

# ---- manual pages

test_case --quick 'mandoc accepts the manual pages' && {
    for file in "$pages"/*; do
        is "$(mandoc -T lint -W warning "$file" 2>&1)" "" "$file: mandoc accepts it"
        within "$(rendered "$file" | wc -l)" 50 2000 "$file: has text"
    done
}

# ---- options
help=$("$ISOLATOR" run --help)
commands=$("$ISOLATOR" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p')
server_help=$("$server" --help)

# options: reads a --help, or a page from which `rendered` has made text, and prints the options with a letter or a value.
options() { sed -nE 's/^ +((-., )?--[a-z-]+([[ =][][A-Za-z=:/]+)?)( .*)?$/\1/p' | tr '[:lower:]' '[:upper:]'; }
# unnamed USAGE: reads a --help and prints the options that USAGE, unless it has "[OPTIONS]", does not name.
unnamed() {
    local usage=$1$'\n' letter name
    [[ ${usage^^} == *'[OPTIONS]'* ]] || options | while IFS=', ' read -r letter name _; do
        [[ $letter == -? ]] || name=$letter letter=--none
        [[ $name == --HELP || $usage =~ [\[\ ]("${name,,}"|"${letter,,}")[]\ $'\n'] ]] || echo "$name"
    done
}

# untested COMMAND: reads a --help and prints the options that no test of the command names.
untested() {
    local names
    names=$(grep -lE "isolator(-mcp)? $1\b|isolator-$1\b|^ *$1 (--|\")|RUN_OPTIONS_${1^^}" test/e2e/*.t test/e2e/*.mjs test/mcp/*.mjs test/unit/cli_*.c |
        grep -vE '(documents|completion)\.t' | xargs grep -hoE -e '--[a-z-]+' | sort -u)
    options | grep -oE -- '--[A-Z-]+' | tr '[:upper:]' '[:lower:]' | grep -vxFe "$names"$'\n--help'
}

test_case --quick 'the manual pages have the options of --help; usage and tests name all of them' && {
    within "$(wc -w <<<"$commands")" 12 40 "isolator --help: the commands are found"
    has "$(rendered "$page" | words)" "isolator test [options] --tests dir [file ...] [-- arg ...] isolator session [options]" "$page: SYNOPSIS has the usage of each command"
    has "$(rendered "$server_page" | words)" "isolator-mcp [options] isolator-mcp --print-config host [--ssh dest] [options] isolator-mcp --install host [--dry-run] [--ssh dest] [options] isolator-mcp --version" "$server_page: SYNOPSIS has each usage"
    for command in $(grep -vx help <<<"$commands") mcp; do
        file=$pages/isolator-$command.1
        case $command in
        run) file=$page out=$help ;;
        mcp) out=$server_help ;;
        *) isolator "$command" --help ;;
        esac
        is "$(rendered "$file" | awk '/^[A-Z]/{on = $0 == "OPTIONS"} on' | options)" "$(options <<<"$out")" "$file: has the options of --help in their order"
        is "$(untested "$command" <<<"$out")" "" "$command: each option has a test"
        hasnt "$(<"$file")" "(null)" "$file: each option has a paragraph"
        is "$(unnamed "$(sed '/^$/q' <<<"$out")" <<<"$out")" "" "$command: the usage names each option"
    done
}

# ---- the result
# The definition of the tool, as isolator-mcp gives it.
echo '{"maximums": {"memoryMB": 1024, "cpus": 2, "cpuSeconds": 60, "pidsLimit": 100}, "tools": {"one": {"command": "true"}}}' >"$scratch/maximums.json" # offers all arguments
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
    "$server" --config "$scratch/maximums.json" | perl -MJSON::PP -e '
        while (<STDIN>) { my $line = decode_json($_); print encode_json($line->{result}{tools}[0]) if $line->{id} == 2 }' >"$tool"
members=$("$ISOLATOR" run "$scratch/no-such-file.py" 2>/dev/null | grep -o '"[A-Za-z]*":' | tr -d '":' | words) # all of them
reasons=$(perl -MJSON::PP -e '
    local $/; print join " ", @{decode_json(<STDIN>)->{outputSchema}{properties}{reason}{enum}}' <"$tool")

test_case --quick 'the members of the result, and the reasons' && {
    is "$(rendered "$page" | grep -E '^ {5}[a-zA-Z, ]+ \(.*\)$' | items 5)" "$members" \
        "$page: the members of the result"
    within "$(wc -w <<<"$reasons")" 9 20 "execute_code: the reasons are found"
    is "$(page_section "$page" 'THE RESULT' | items 13)" "$reasons tests judge-error" \
        "$page: the reasons, of which the tool, which has no tests, lacks two"
}

# ---- tests
test_case --quick 'the members and the statuses of a test' && {
    # Unit tests assert the same of the program: run_test_result.c.
    section=$(page_section "$page" 'BUILDS AND TESTS' | sed '1,/^ *The object of a test/d')
    is "$(sed '1,/^     status$/d' <<<"$section" | items 13)" \
        "passed wrong-answer partly-right timeout cpu-time oom output-limit runtime-error not-run engine judge-error" "$page: the statuses"
    is "$(items 5 <<<"$section")" \
        "name status exitCode signal durationMs cpuMs peakMemoryBytes stdout stderr stdoutTruncated stderrTruncated value valueTruncated error score maxScore interactor" "$page: the members"
    echo '{"language": "bash", "entrypoint_code": "", "tests": [{"x": 1}]}' >"$scratch/tests"
    isolator batch "$scratch/tests"
    section=$(page_section "$pages/isolator-batch.1" 'REQUESTS WITH TESTS')
    known() { sed -n 's/.*known are: \([a-z_, ]*\)".*/\1/p' "$scratch/out" | tr -d ','; }
    is "$(sed '1,/The members of a test/d; /^   Calls/,$d' <<<"$section" | items 5)" "$(known)" "man/isolator-batch.1: the members"
    echo '{"language": "bash", "entrypoint_code": "", "groups": [{"name": "a", "x": 1}]}' >"$scratch/tests"
    isolator batch "$scratch/tests"
    is "$(sed '1,/^   Scores/d' <<<"$section" | items 5 | tr ' ' '\n' | sort)" "$(known | tr ' ' '\n' | sort)" "man/isolator-batch.1: the members of a group"
}

# ---- exit statuses
help_statuses() { sed -n '/^Exit status:/,$s/See .*//; /^Exit status:/,$p' | grep -oE '[0-9]+' | words; }
page_statuses() { page_section "$1" 'EXIT STATUS' | items 5; }

test_case --quick 'the exit statuses' && {
    statuses="0 1 2 3 124 130 143"
    is "$(help_statuses <<<"$help")" "$statuses" "--help: the exit statuses"
    is "$(sed -n '/exit statuses:/,/^$/s/.*exit statuses: //p' README.md | grep -oE '[0-9]+' | words)" "$statuses" \
        "README: the exit statuses"
    is "$(page_statuses "$page")" "$statuses" "$page: the exit statuses"
    is "$(help_statuses <<<"$server_help") $(page_statuses "$server_page")" "0 2 3 0 2 3" "$server_page: the exit statuses"
    "$server" </dev/null >"$scratch/out" 2>&1
    is "$? $(cat "$scratch/out")" "0 " "$server_page: the end of stdin is status 0"
    "$server" --config "$scratch/none" </dev/null >/dev/null 2>&1
    is $? 2 "$server_page: a wrong configuration is status 2"
}

# ---- the configuration
documented=$(rendered "$config_page" | sed -nE 's/^ +([A-Za-z]+) \((string|boolean|whole number|number|array|object|deprecated).*/\1/p')
"$ISOLATOR" config --schema >"$scratch/schema.json"
# of_schema PERL: what this prints of the schema of configuration files, $s, with its definitions, $d.
of_schema() { perl -MJSON::PP -e 'local $/; our $s = decode_json(<STDIN>); our $d = $s->{q($defs)}; eval $ARGV[0]; die $@ if $@' "$1" <"$scratch/schema.json"; }
text=$(rendered "$config_page")

# configuration JSON: reads it and gets as far as the program, which does not exist.
configuration() {
    printf '%s\n' "$1" >"$scratch/config.json"
    run --config "$scratch/config.json" "$scratch/no-such-file.py"
}

test_case --quick 'isolator_config.json(5) has the keys of the schema' && {
    is "$(sort -u <<<"$documented" | words)" "$(of_schema 'my %keys = map { %{$_->{properties}} } $s, @$d{qw(limits language)};
    delete $keys{q($schema)}; print join " ", sort keys %keys' | tr ' ' '\n' | sort | words)" \
        "$config_page: has the keys of the schema"
}

test_case --quick 'isolator_config.json(5): the ranges' && {
    limits=$(of_schema 'print join " ", grep { defined $d->{$_}{minimum} } sort keys %$d')
    whole=$(of_schema 'my $p = $s->{properties}; print join " ", grep { defined $p->{$_}{minimum} } sort keys %$p')
    within "$(wc -w <<<"$limits")" 7 20 "the schema: the limits that are numbers are found"
    for key in $limits; do
        configuration "{\"defaults\": {\"$key\": -1}}"
        has "$(grep "^ *$key (" <<<"$text")" "number, ${err##* from })" "$config_page: the range of $key"
    done
    within "$(wc -w <<<"$whole")" 7 20 "the schema: the other numbers are found"
    for key in $whole; do
        configuration "{\"$key\": -1}"
        has "$(grep "^ *$key (" <<<"$text")" "whole number, ${err##* from }" "$config_page: the range of $key"
    done
}

test_case --quick 'isolator_config.json(5): the defaults' && {
    # The defaults that the page names, as JSON.
    documented_defaults=$(awk '/^ +[A-Za-z]+ \(/ { key = $1 } match($0, /The default is ("[^"]*"|\[[^]]*\]|[0-9.]*[0-9]|true|false)/) {
    print "\"" key "\": " substr($0, RSTART + 15, RLENGTH - 15) }' <<<"$text" | sort)
    is "$documented_defaults" "$(perl -MJSON::PP -e '
    local $/; my $all = decode_json(<STDIN>); my %default = (%$all, %{$all->{defaults}});
    delete @default{"defaults", "maximums", "languages", "warm", "sessions", "jobs", "workspaces", "toolLimits"};
    my $json = JSON::PP->new->allow_nonref;
    print join "\n", sort map { "\"$_\": " . $json->encode($default{$_}) } keys %default;' <isolator_config.json)" \
        "$config_page: the defaults are those of isolator_config.json"
}

test_case --quick 'isolator_config.json(5): the ranges and defaults of sessions, jobs, workspaces and tools' && {
    sessions=$(of_schema 'local $/; open my $file, "<", "isolator_config.json"; my $all = decode_json(<$file>);
    for my $object (qw(sessions jobs workspaces toolLimits)) {
        my ($p, $default) = ($s->{properties}{$object}{properties}, $all->{$object});
        print map { "$_ ($p->{$_}{minimum} to $p->{$_}{maximum}, by default $default->{$_})\n" } sort keys %$p
    }')
    within "$(wc -l <<<"$sessions")" 15 15 "the schema: the limits of sessions, jobs, workspaces and tools are found"
    while read -r line; do
        has "$(tr -s ' \n' ' ' <<<"$text")" "$line" "$config_page: the range and the default"
    done <<<"$sessions"
}

# ---- examples of configurations: each is accepted
# accepted DOCUMENT: reads configurations, each ended by a line "----".
accepted() {
    local json='' number=0
    while IFS= read -r line; do
        [ "$line" = ---- ] || { json+=$line$'\n'; continue; }
        number=$((number + 1))
        configuration "$json"
        is "$(field reason) $err" "input " "$1: configuration $number is accepted"
        json=
    done
    within "$number" 1 9 "$1: shows configurations"
}

test_case --quick 'isolator accepts the example configurations' && {
    accepted README <<<"$(markdown_section README.md '## Configuration' | fenced json)"
    accepted "$config_page" <<<"$(literal "$config_page")"
}

# ---- isolator-mcp: the tool

test_case --quick 'isolator-mcp(1): the arguments of execute_code; its result is that of isolator run' && {
    arguments=$(perl -MJSON::PP -e '
    local $/; sub list {
        my %of = %{$_[0]};
        for (keys %of) {
            my $each = ($of{$_}{items} // $of{$_}{additionalProperties} // {})->{type};
            print "$_ $of{$_}{type}", $each ? " of ${each}s" : "", "\n";
            list($of{$_}{items}{properties}) if $of{$_}{items} && $of{$_}{items}{properties};
        }
    }
    list(decode_json(<STDIN>)->{inputSchema}{properties})' <"$tool" | sort)
    is "$(page_section "$server_page" 'THE TOOL' | sed -nE 's/^ +([a-z_]+) \(([a-z ]+)\)$/\1 \2/p' | sort)" "$arguments" \
        "$server_page: the arguments of execute_code with their types"
    is "$(perl -MJSON::PP -e '
    local $/; my $result = decode_json(<STDIN>)->{outputSchema};
    my %member = map { $_ => 1 } split / /, $ARGV[0];
    print join " ", @{$result->{properties}{reason}{enum}}, "-", grep { !$member{$_} || !exists $result->{properties}{$_} } @{$result->{required}};' "$members" <"$tool")" \
        "$reasons -" "$tool: the result is that of isolator run"
}

# ---- isolator-mcp: revisions and limits

test_case --quick 'isolator-mcp(1): the revisions of the protocol, and the limits' && {
    # Unit tests assert the same of the program: mcp_revision.c the revisions, mcp_documented.c and others the numbers.
    for revision in 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; do
        has "$(page_section "$server_page" PROTOCOL)" "$revision" "$server_page: revision $revision"
    done
    text=$(rendered "$server_page" | words)
    while IFS= read -r shown; do
        is "$(grep -oF "$shown" <<<"$text" | head -n 1)" "$shown" "$server_page: $shown"
    done <<'END'
45 s
1.5 s
500 results
700,000 bytes
10,000 files
up to sixteen levels
4 MiB
at most 64 MiB
1,000,000 bytes
256 MiB
512 KiB
up to 100 messages
4096 bytes
64 subscriptions
every three seconds
up to four pictures of together 1 MiB
up to ten of the other files
END
}

# ---- isolator-mcp: the configurations of hosts

test_case --quick 'isolator-mcp(1) and README: the configurations of hosts' && {
    hosts=$(sed -n '/^HOST: /,/^$/p' <<<"$server_help" | sed 's/^HOST://' | tr -d ',' | words | sed 's/^ //; s/  */ /g')
    is "$(wc -w <<<"$hosts")" 24 "--help: the hosts are found"
    is "$(page_section "$server_page" HOSTS | items 5)" "$hosts" "$server_page: all hosts"
    named=$({
        grep -o 'twenty-four hosts, such as .*: ' README.md | grep -o '`[a-z-]*`' | tr -d '`'
        grep -oE -- '--(install|print-config) [a-z-]+' README.md | sed 's/.* //'
    })
    is "$(wc -l <<<"$named") $(grep -vxF "$(tr ' ' '\n' <<<"$hosts")" <<<"$named")" "7 " "README: hosts that there are"
    entries=
    for host in $hosts; do
        printed=$(env -i "$server" --print-config "$host" 2>"$scratch/place")
        has "$printed" "\"$server\"" "--print-config $host: names the program that prints it"
        printed=${printed//"$server"/\/usr\/local\/bin\/isolator-mcp}
        place=$(sed -nE 's/^isolator-mcp: add this entry to ([^ ,]*).*/\1/p' "$scratch/place")
        [ "$host" != jetbrains ] || place='AI Assistant'
        shown=$(page_section "$server_page" HOSTS | awk -v host="$host" '/^     [^ ]/{on = $1 == host} on')
        has "$shown" "$place" "$server_page: the file for $host"
        entry=$(sed '0,/:$/d' <<<"$shown" | blocks 13 | first_block)
        [ -n "$entry" ] || continue
        is "$entry" "$printed" "$server_page: what --print-config $host prints"
        entries+="$host "
    done
    is "$entries" "claude-desktop vscode codex goose opencode " "$server_page: has these entries"
    printed=$(env -i DOCKER_HOST=ssh://box ISOLATOR_CONFIG="$ISOLATOR_CONFIG" "$server" --print-config cline 2>&1 | words)
    has "$printed" "\"args\": [ \"--config\", \"$ISOLATOR_CONFIG\" ], \"env\": { \"DOCKER_HOST\": \"ssh://box\" }" \
        "--print-config: the configuration and the engine that were chosen"
}

# ---- examples of commands
# In a block of commands, a line that begins with "$ " is a command and the lines after it are what it prints. If a
# line of the command ends with a backslash or "|", the command continues in the next. A line that begins with "# " is a
# comment. A command succeeds, unless "echo $?" follows and shows its exit status.
examples=$scratch/examples
mkdir -p "$examples/project" "$scratch/bin"
printf '#!/bin/sh\necho $$ >>"%s"\nexec "%s" "$@"\n' "$scratch/pids" "$(realpath "$ISOLATOR")" >"$scratch/bin/isolator"
# isolator-mcp gives a call 1.5 s after the end of its stdin, which may be too little for a busy engine:
# here its stdin stays open until every request has its response.
cat >"$scratch/bin/isolator-mcp" <<END
#!/usr/bin/env bash
export ISOLATOR_CONFIG=$scratch/server.json
serve() { echo "\$BASHPID" >>"$scratch/pids"; exec "$server" "\$@"; }
count() { cat "$scratch/\$1" 2>/dev/null | grep -c '"id"'; }
rm -f "$scratch/responses"
{ tee "$scratch/requests"
  for _ in {1..3000}; do [ "\$(count responses)" -lt "\$(count requests)" ] || break; sleep 0.1; done; } |
    (serve "\$@") | tee "$scratch/responses"
END
# The tool server of the README.
printf '#!/bin/sh\n[ "$*" = stdio ] && exec "%s" issues\n' "$PWD/test/fixtures/upstream" >"$scratch/bin/github-mcp-server"
chmod 755 "$scratch/bin/"*

# The configurations: that of the tests, with AWK and the tool server as the README adds them; for isolator-mcp, with the
# languages that are built in; and one without an engine.
markdown_section README.md '## Configuration' | fenced json | first_block | sed "s|busybox:1|isolator-test/&|" >"$scratch/awk.json"
mkdir -p "$scratch/home/.config/isolator"
cat >"$scratch/home/.config/isolator/config.json" <<'END'
{"tools": {"github": {"command": "github-mcp-server", "args": ["stdio"], "env": {"GITHUB_TOKEN": "env:GITHUB_TOKEN"}, "allow": ["list_*"]}}}
END
perl -MJSON::PP -e '
    my ($from, $awk, $tools, $to, $repository) = @ARGV;
    sub load { local $/; open my $file, "<", $_[0] or die; decode_json(<$file>) }
    sub save { open my $file, ">", "$to/$_[0].json" or die; print $file encode_json($_[1]) }
    my $all = load($from);
    my $languages = $all->{languages};
    $languages->{awk} = load($awk)->{languages}{awk};
    save("command", {%$all, %{load($tools)}});
    save("no-engine", {%$all, containerCommand => "no-such-docker"});
    $all->{languages} = {map { $_ => $languages->{$_} // {} } qw(python go javascript)};
    save("server", {%$all, promptsDir => "$repository/prompts"});
    ' "$ISOLATOR_CONFIG" "$scratch/awk.json" "$scratch/home/.config/isolator/config.json" "$scratch" "$PWD"

cp -r prompts "$examples/"
cp prompts/hello_world.py "$examples/hello.py"
echo 'BEGIN { print "Hello from AWK" }' >"$examples/hello.awk"
printf '%s\n' a box in the sandbox >"$examples/words.txt"
printf "%s\n" 1,2 3,4 >"$examples/data.csv"
cat >"$examples/count.py" <<'END'
import sys
words = sorted((line.strip() for line in sys.stdin), key=len)
print(words[-1] if sys.argv[1] == "--longest" else len(words))
END
cat >"$examples/requests.jsonl" <<'END'
{"id": 1, "language": "python", "entrypoint_code": "print(6 * 7)"}
{"id": 2, "language": "python", "entrypoint_code": "print(input()[::-1])", "stdin": "olleh"}
END
mkdir "$examples/share"
cp -r share/formats "$examples/share/"
cat >"$examples/HumanEval.jsonl" <<'END'
{"task_id": "HumanEval/0", "prompt": "def one():\n", "entry_point": "one", "test": "def check(f): assert f() == 1"}
{"task_id": "HumanEval/1", "prompt": "def two():\n", "entry_point": "two", "test": "def check(f): assert f() == 2"}
END
cat >"$examples/samples.jsonl" <<'END'
{"task_id": "HumanEval/0", "completion": "    return 1"}
{"task_id": "HumanEval/1", "completion": "    return 3"}
END
echo 'import greeting; greeting.greet()' >"$examples/project/main.py"
echo 'def greet(): print("hello")' >"$examples/project/greeting.py"
echo 'open("plot.svg", "w").write("<svg/>"); open("log", "w")' >"$examples/plot.py"
echo 'while True: pass' >"$examples/forever.py"
echo 'print(2 * float(input()))' >"$examples/double.py"
mkdir "$examples/tests"
echo 1 >"$examples/tests/1.in"
echo 3 >"$examples/tests/2.in"
echo 2.0 >"$examples/tests/1.out"
echo 6.0 >"$examples/tests/2.out"
cat >"$examples/check.py" <<'END'
import sys
answer = float(open(sys.argv[3]).read())
try:
    output = float(open(sys.argv[2], errors="replace").read())
except ValueError:
    sys.exit("the output is no number")
if abs(output - answer) > 0.1:
    sys.exit(f"expected about {answer}, found {output}")
END
mkdir "$examples/solutions"
solution() { printf '#include <cstdio>\n\nint main() { double n; %s }\n' "$2" >"$examples/solutions/$1.cpp"; }
solution alice 'scanf("%lf", &n); printf("%.1f\n", 2 * n);'
solution bob 'puts("2.0");'
solution eve 'puts("2.0")'
cat >"$examples/unanswered.py" <<'END'
import tools
print([i["number"] for repo in ("api", "web") for i in tools.github.list_issues(owner="acme", repo=repo) if not i["comments"]])
END
echo 'import os; print("the token has", len(os.environ["TOKEN"]), "characters")' >"$examples/show_token.py"

# figures: the lines on stdin without the times and the memory of tables, which differ each time.
figures() { sed -E 's/ +[0-9]+ ms/ T/g; s/ +[0-9]+\.[0-9] MB/ M/g'; }

# example COMMAND OUTPUT STATUS DOCUMENT: runs the command, unless it was run for another document. It gets a container if
# the document has an output or a status for it, or if it saves an image for the next command. A JSON result is not
# compared, because it differs each time.
declare -A ran=()
example() {
    local got ended compared=1 config=command home=$HOME name=${1##*$'\n'} # its last line stands for all of it
    [ -z "${ran[$1]-}" ] || return
    name="$4: ${name#"${name%%[! ]*}"}"
    case $2 in '' | '{'$'\n'*) compared= ;; esac
    [ "$compared" ] || [ "$3" != 0 ] || [[ $1 == *--save-image* || $1 == *--artifacts* || $1 != *'isolator run'* && $1 != *'isolator pull'* ]] || config=no-engine
    [[ $1 != *'~/'* ]] || home=$scratch/home
    got=$(cd "$examples" && HOME=$home GITHUB_TOKEN=of-the-server ISOLATOR_CONFIG=$scratch/$config.json PATH=$scratch/bin:$PATH \
        bash -c "$1" 2>"$scratch/err" </dev/null)
    ended=$?
    [ ! -e "$scratch/pids" ] || own_pids+="$(words <"$scratch/pids") "
    if [ "$config" = no-engine ]; then
        got=$(grep -o "cannot run 'no-such-docker'" <<<"$got$(cat "$scratch/err")")
        is "$ended $got" "3 cannot run 'no-such-docker'" "$name"
        return
    fi
    ran[$1]=1
    is "$ended $(grep -vE '^isolator-mcp: (add this entry to|or run:|codex:) ' "$scratch/err")" "$3 " "$name"
    [ -z "$compared" ] || is "$(figures <<<"$got")" "$(figures <<<"$2")" "$name: what it prints"
}

# run_examples DOCUMENT BLOCKS MIN: BLOCKS are each ended by a line "----"; there are at least MIN commands.
run_examples() {
    local command='' shown='' expected=0 asked='' number=0 line
    while IFS= read -r line <&9; do
        case $line in
        '$ echo $?') asked=1 ;;
        '# '*) ;;
        '$ '* | ----)
            [ -z "$command" ] || { example "$command" "${shown%$'\n'}" "$expected" "$1"; number=$((number + 1)); }
            command=${line#----} command=${command#'$ '} shown='' expected=0 asked=''
            ;;
        *)
            if [ "$asked" ]; then
                expected=$line
            elif [ -z "$shown" ] && [[ $command == *['\|'] ]]; then
                command+=$'\n'$line
            else
                shown+=$line$'\n'
            fi
            ;;
        esac
    done 9<<<"$2"
    within "$number" "$3" 40 "$1: shows commands"
}
saved=sandboxed-hello:1
trap 'in_main || exit; docker image rm -f "$saved" >/dev/null 2>&1; rm -rf "$scratch"' EXIT

test_case 'the examples of README' && {
    run_examples README "$(fenced console <README.md)" 12
}

test_case 'the examples of isolator(1)' && {
    run_examples "$page" "$(literal "$page")" 8
}

test_case 'the examples of the manual pages of the other commands' && {
    for command in $(grep -vxE 'run|pull|help' <<<"$commands"); do
        file=$pages/isolator-$command.1
        run_examples "$file" "$(literal "$file")" 1
    done
}

test_case 'the examples of isolator-mcp(1)' && {
    run_examples "$server_page" "$(literal "$server_page")" 5
}

# ---- the guards, and what proves them

test_case --quick 'SECURITY names a test for each guard, and every attack' && {
    proofs=$(cat <(markdown_section SECURITY.md '## Guards') <(markdown_section SECURITY.md '## Failures') |
        awk -F '|' '/^\|/{print $(NF - 1)}' | quoted)
    within "$(wc -w <<<"$proofs")" 60 200 "SECURITY.md: each guard has its proofs"
    for proof in $proofs; do
        if [[ $proof == *.* ]]; then file=test/e2e/$proof; else file=test/abuse/$proof.py; fi
        ok "$([ -e "$file" ]; echo $?)" "SECURITY.md: $proof exists"
    done
    for file in test/abuse/*.py; do
        has "$(<SECURITY.md)" "\`$(basename "$file" .py)\`" "SECURITY.md: says what $file is for"
    done
}

finish
