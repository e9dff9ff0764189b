#!/usr/bin/env bash
# The snippets that come with isolator: what each answers, by isolator run and by snippet_name of isolator-mcp; what it
# answers to input that it cannot use; its description.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"
server=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")

# answers NAME STDIN STATUS EXPECTED [ARG...]: adds a request for this snippet, which must end with this exit status and
# this stdout. In STDIN and EXPECTED backslash escapes are replaced.
expected=() named=()
answers() {
    expected+=("$3 $(printf '%b' "$4")")
    named+=("$1 ${*:5}")
    printf '%b' "$2" | perl -MJSON::PP -MEncode -e '
        local $/; my ($id, $name, @arguments) = map { decode_utf8($_) } @ARGV;
        print encode_json({id => $id, snippet_name => $name, arguments => \@arguments, timeout_seconds => 900,
            stdin => decode_utf8(scalar <STDIN> // "")}), "\n"' "$((${#named[@]} - 1))" "$1" "${@:5}" >>"$scratch/requests"
}

# run_all: runs all requests in one batch; $scratch/ID has the exit status and the stdout of each.
run_all() {
    isolator batch "$scratch/requests"
    perl -MJSON::PP -MEncode -e '
        while (<STDIN>) {
            my $r = decode_json($_);
            open my $file, ">", "$ARGV[0]/$r->{id}" or die;
            print $file encode_utf8("$r->{exitCode} $r->{stdout}");
        }' "$scratch" <"$scratch/out"
}

people='name,city,age\nAnn,Rome,30\nBob,Oslo,41\nCid,Rome,\n"Dee, E.",Bern,2.5\n'

test_case 'what each snippet answers' && {
    answers csv_summary.py "$people" 0 "4 rows, 3 columns
name: 4 of 4, text, 4 different, most often 'Ann' (1)
city: 4 of 4, text, 3 different, most often 'Rome' (2)
age: 3 of 4, number, 2.5 to 41, mean 24.5"
    answers csv_summary.py 'a b;c\n1;2;3\n' 0 "1 rows, 2 columns
a b: 1 of 1, number, 1 to 1, mean 1
c: 1 of 1, number, 2 to 2, mean 2
1 rows have another number of columns" ';'
    answers sql_query.py "$people" 0 'city,n\nRome,2\nBern,1\nOslo,1' 'select city, count(*) n from t group by city order by n desc, city'
    answers sql_query.py "$people" 1 '' 'select nothing from nowhere'
    users='{"users": [{"name": "Ann", "tags": ["a", "b"]}, {"name": "Bob"}], "a b": {"c": null}}'
    answers json_query.py "$users" 0 'Ann\nBob' 'users[*].name'
    answers json_query.py "$users" 0 'b' 'users[0].tags[-1]'
    answers json_query.py "$users" 0 'null' '$."a b".c'
    answers json_query.py "$users" 1 '' 'users[2]'
    answers json_query.py '{"a": ' 1 '' a
    answers word_count.py "To be, or not to be:\nthat's it." 0 '2 lines, 8 words, 31 characters\n      2 be\n      2 to' 2
    answers text_diff.py 'a\nb\n=====\na\nc\n' 1 '--- before\n+++ after\n@@ -1,2 +1,2 @@\n a\n-b\n+c'
    answers text_diff.py 'a\n=====\na\n' 0 'no difference'
    answers date_math.py '' 0 '2025-02-28 Friday, week 9 of 2025, day 59 of the year' 2024-02-29 + 1 year
    answers date_math.py '' 0 '2023-11-30 Thursday, week 48 of 2023, day 334 of the year' 2024-01-31 - 2 months
    answers date_math.py '' 0 '367 days (52.4 weeks)' 2024-02-28 2025-03-01
    answers date_math.py '' 1 '' 2023-02-29
    answers number_stats.py '1, 2;3 x4 4.5e1 -7' 0 'count     5
sum       44
mean      8.8
median    2
deviation 20.62037827
quartiles 1 3
least     -7
greatest  45'
    answers hash_text.py hello 0 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 sha256
    answers hash_text.py hello 0 3610a686 crc32
    answers hash_text.py 'h\0303\0244' 0 aMOk base64
    answers hash_text.py 'aMOk\n' 0 'h\0303\0244' unbase64
    answers hash_text.py 'zz' 1 '' unhex
    answers regex_test.py 'a1 b22\nnone\n' 0 "line 1, 0 to 2: 'a1'
  letter: 'a'
  2: '1'
line 1, 3 to 6: 'b22'
  letter: 'b'
  2: '22'
2 matches" '(?P<letter>[A-Z])(\d+)' i
    answers regex_test.py 'text' 1 '' '('
    answers sandbox_check.py '' 0 'ok   the program is not root
ok   it has no capabilities
ok   it can get no new privileges
ok   system calls are filtered
ok   there is no way to other machines
ok   the system is read-only
ok   the engine is out of reach
ok   the working directory can be written to
ok   /tmp can be written to
     64 MB in /workspace
     64 MB in /tmp
     '"$(docker info -f '{{.NCPU}}')"' processors can be seen'
    answers matrix.js '[[1,2],[3,4]]' 0 '-2' determinant
    answers matrix.js '[[1,2],[3,4]]' 0 '[-2,1]\n[1.5,-0.5]' inverse
    answers matrix.js '[[1,2],[3,4]]\n[[5],[6]]' 0 '[17]\n[39]' multiply
    answers matrix.js '[[1,2],[3,4]], [[5],[6]]' 0 '[-4]\n[4.5]' solve
    answers matrix.js '[[1,2],[2,4]]' 0 '1' rank
    answers matrix.js '[[1,2],[2,4]]' 1 '' inverse
    answers json_diff.js '{"a":1,"b":[1,2],"c d":0}\n{"a":2,"b":[1],"e":{"f":1}}' 1 '~ .a: 1 -> 2
- .b[1]: 2
- ["c d"]: 0
+ .e: {"f":1}'
    answers json_diff.js '[1] [1]' 0 'no difference'
    answers json_diff.js '{}' 2 ''
    answers url_parts.js 'https://u@h.example/a/b?x=1&x=2#f\nnope\n' 0 \
        '{"url":"https://u@h.example/a/b?x=1&x=2#f","protocol":"https","user":"u","host":"h.example","port":443,"path":"/a/b","query":{"x":["1","2"]},"fragment":"f"}
{"url":"nope","error":"no absolute URL"}'
    answers markdown_table.js "$people" 0 '| name    | city | age |
| ------- | ---- | --: |
| Ann     | Rome |  30 |
| Bob     | Oslo |  41 |
| Cid     | Rome |     |
| Dee, E. | Bern | 2.5 |'
    answers plot_svg.js 'a <b> 3\nc: -1.5\n' 0 '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="102" font-family="sans-serif" font-size="13">
<text x="160" y="25" font-size="18">T &#38; x</text>
<text x="152" y="55" text-anchor="end">a &#60;b&#62;</text><rect x="320" y="40" width="320" height="20" fill="#1f77b4"/><text x="646" y="55">3</text>
<text x="152" y="81" text-anchor="end">c</text><rect x="160" y="66" width="160" height="20" fill="#1f77b4"/><text x="326" y="81">-1.5</text>
</svg>' 'T & x'
    answers primes.go '97 360\n18446744073709551615 18446743979220271189' 0 '97: prime
360: 2^3 * 3^2 * 5
18446744073709551615: 3 * 5 * 17 * 257 * 641 * 65537 * 6700417
18446743979220271189: 4294967279 * 4294967291'
    run_all
    for id in "${!expected[@]}"; do
        is "$(cat "$scratch/$id")" "${expected[$id]}" "${named[$id]}"
    done
    within "${#named[@]}" 35 200 "the number of answers"
}

# ---- by isolator run
printf '%b' "$people" >"$scratch/people"

test_case 'csv_summary.py and markdown_table.js by isolator run' && {
    run --stdin "$scratch/people" prompts/csv_summary.py
    has "$status $(field stdout)" "0 4 rows, 3 columns" "csv_summary.py, by isolator run"
    run --stdin "$scratch/people" prompts/markdown_table.js
    has "$status $(field stdout)" "0 | name    | city | age |" "markdown_table.js, by isolator run"
}

test_case 'sandbox_check.py finds what is open' && {
    run --read-only=false --user 0:0 prompts/sandbox_check.py
    is "$(field exitCode) $(field stdout | grep OPEN)" "1 OPEN the program is not root
OPEN the system is read-only" "sandbox_check.py: root and a writable root"
}

test_case 'plot_png.py draws an image' && {
    printf '1 5 2 4' >"$scratch/stdin"
    run --stdin "$scratch/stdin" --artifacts "$scratch/taken" prompts/plot_png.py -- 200 100
    is "$status $(field stdout)" "0 plot.png: 200 x 100, 4 numbers from 1 to 5" "plot_png.py, by isolator run"
    cp "$scratch/taken/plot.png" "$scratch/png"
    run --stdin "$scratch/stdin" prompts/plot_png.py -- 200 100 base64
    is "$(field stdout | perl -MMIME::Base64 -0777 -ne 'print decode_base64($_)' | cksum)" "$(cksum <"$scratch/png")" \
        "plot_png.py: the same as text"
    # The chunks with their checksums, the size, and the number of pixels of each colour.
    is "$(perl -MCompress::Zlib -e '
    local $/; my $png = <STDIN>; my ($at, %part) = 8;
    while ($at < length $png) {
        my ($length, $name) = unpack "Na4", substr($png, $at);
        $part{$name} = substr($png, $at + 8, $length);
        print "$name ", crc32($name . $part{$name}) == unpack("N", substr($png, $at + 8 + $length)) ? "" : "(wrong) ";
        $at += $length + 12;
    }
    my ($width, $height) = unpack "NN", $part{IHDR};
    my (%colours, $pixels) = (); $pixels = uncompress($part{IDAT});
    $colours{$_}++ for map { unpack "x C*", substr($pixels, $_ * ($width + 1), $width + 1) } 0 .. $height - 1;
    print "${width}x$height", map { " $_:$colours{$_}" } sort keys %colours' <"$scratch/png")" \
        "IHDR PLTE IDAT IEND 200x100 0:18741 1:880 2:379" "plot_png.py: draws an image"
}

# ---- by isolator-mcp
# asked MESSAGE: sends a request; $out is the response.
asked() {
    printf '{"jsonrpc":"2.0","id":1,%s}\n' "$1" >&"$to"
    IFS= read -r -t 240 out <&"$from"
    printf '%s' "$out" >"$scratch/out"
}
# called ARGUMENTS: the stdout of a call of execute_code.
called() {
    asked '"method":"tools/call","params":{"name":"execute_code","arguments":'"$1}"
    json '$r->{result}{structuredContent}{stdout}'
}

test_case 'snippets by isolator-mcp, and their descriptions' && {
    coproc SERVER { exec "$server"; }
    exec {to}>&"${SERVER[1]}" {from}<&"${SERVER[0]}" # for subshells
    own_pids+="$SERVER_PID "
    asked '"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
    is "$(called '{"snippet_name": "number_stats.py", "stdin": "1 2 6"}' | head -n 3 | tail -n 1)" "mean      3" \
        "number_stats.py, by the server"
    is "$(called '{"snippet_name": "matrix.js", "arguments": ["determinant"], "stdin": "[[2,0],[0,3]]"}')" "6" \
        "matrix.js, by the server"
    is "$(called '{"snippet_name": "number_stats", "stdin": "1 2 6"}' | head -n 3 | tail -n 1)" "mean      3" \
        "number_stats: the base name is enough"
    is "$(called '{"snippet_name": "hello_world"}')" "Hello, World from Python!" "hello_world: the first call of many"
    asked '"method":"resources/read","params":{"uri":"isolator://snippets/number_stats"}'
    is "$(json '$r->{result}{contents}[0]{text}')" "$(cat prompts/number_stats.py)" "a resource by its base name"
    asked '"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"isolator://snippets/{snippet_name}"},"argument":{"name":"snippet_name","value":"h"}}'
    is "$(json 'join " ", @{$r->{result}{completion}{values}}')" "hash_text hello_go hello_javascript hello_world" \
        "completion offers the shortest name that is unique"
    asked '"method":"tools/list"'
    has "$(json '$r->{result}{tools}[0]{inputSchema}{properties}{snippet_name}{description}')" \
        "There are: csv_summary, date_math, hash_text, hello_go, hello_javascript, hello_world, json_diff, " \
        "and so does the description of snippet_name"
    called '{"snippet_name": "plot_png.py", "stdin": "1 2 4", "artifacts": ["*.png"]}' >"$scratch/log"
    is "$(json 'join " ", map { $_->{mimeType} // $_->{type} } @{$r->{result}{content}}') $(cat "$scratch/log")" \
        "text image/png plot.png: 640 x 400, 3 numbers from 1 to 4" "plot_png.py, by the server: the model sees the image"
    asked '"method":"resources/list"'
    is "$(json 'join "\n", map { "$_->{name}: $_->{description}" } @{$r->{result}{resources}}')" \
        "$(cd prompts && LC_ALL=C && for file in *; do echo "$file: $(sed -nE '1s,^(#|//) ,,p' "$file")"; done)" \
        "the server: describes each snippet by its first line"
    has "$(json 'join "\n", map { "$_->{name}: $_->{description}" } @{$r->{result}{resources}}')" \
        "hello_world.py: Prints a greeting from Python." "the server: a description"
    is "$(json 'join " ", map { $_->{name} } grep { length($_->{description} // "") < 20 || length $_->{description} > 200 }
    @{$r->{result}{resources}}')" "" \
        "the server: no description is too short or too long"
    server_pid=$SERVER_PID
    exec {to}>&-
    eval "exec ${SERVER[1]}>&-"
    wait "$server_pid"
}

test_case 'each snippet answers input that it cannot use' && {
    names=(prompts/*)
    names=("${names[@]#prompts/}")
    perl -MJSON::PP -e '
    my @inputs = ("", "\0\x01{\"[,;\x{fffd}\n\n=====", "[" x 100000, "9,-" x 300000, "{\"a\": [1e999, \"\\ud800\"]} []");
    for my $name (grep { !/\.go$/ } @ARGV) {
        my @tests = map { {name => "input $_", stdin => $inputs[$_], no_expected => JSON::PP::true} } 0 .. $#inputs;
        push @tests, {name => "arguments", no_expected => JSON::PP::true, arguments => ["\x{1f600}", "--"]};
        print encode_json({id => $name, snippet_name => $name, tests => \@tests}), "\n";
    }' "${names[@]}" >"$scratch/requests"
    isolator batch "$scratch/requests"
    is "$(perl -MJSON::PP -ne 'print scalar @{decode_json($_)->{tests}}, "\n"' "$scratch/out" | sort | uniq -c | tr -s ' ')" \
        " $(wc -l <"$scratch/requests") 6" "each input of each snippet has a result"
    is "$(perl -MJSON::PP -CO -ne 'my $r = decode_json($_);
    for my $t (@{$r->{tests}}) {
        print "$r->{id}, $t->{name}: $t->{status} $t->{stderr}\n"
            if $t->{status} !~ /^(passed|runtime-error)$/ || defined $t->{signal} || $t->{stderr} =~ /Traceback|\n    at /
    }' "$scratch/out" | head -n 40)" "" "none ends without a message or a result"
}

finish
