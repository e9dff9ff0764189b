#!/usr/bin/env bash
# The network by permission: a request narrows the hosts of the configuration, and never widens them.
# shellcheck source=test/e2e/network_lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/network_lib.sh"

# requests PERL: prints a line for each "[MEMBERS, PROGRAM]" in Perl; $web and the helpers are there.
requests() {
    HELPERS=$helpers WEB=$web perl -MJSON::PP -e 'my $json = JSON::PP->new->canonical; our ($web, $helpers) = @ENV{"WEB", "HELPERS"};
        my @all = eval $ARGV[0]; die $@ if $@; my $i = 0;
        for (@all) { my $code = $helpers . pop @$_; print $json->encode({id => ++$i, language => "python", entrypoint_code => $code, @$_}), "\n" }' "$1"
}
# batch PERL ARG...: runs these requests. results EXPRESSION: it, of each result $r, by id.
batch() {
    requests "$1" >"$scratch/requests"
    isolator batch "${@:2}" "$scratch/requests"
}
results() {
    perl -MJSON::PP -e 'our @all = sort { $a->{id} <=> $b->{id} } map { decode_json($_) } <STDIN>;
        for our $r (@all) { our $members = $r; print eval $ARGV[0]; die $@ if $@ }' "$1" <"$scratch/out"
}
other=other.at-127-0-0-1.test
two_hosts="[{\"host\": \"$web\", \"ports\": [80, 8080], \"addresses\": [\"127.0.0.1\"]},
    {\"host\": \"*.at-127-0-0-1.test\", \"ports\": [80], \"addresses\": [\"127.0.0.1\"]}]"

test_case 'the program reaches the hosts that its request names, and is told why not the others' && {
    config=$(open_config "{\"allow\": $two_hosts}")
    batch '[hosts => [$web], q(for url in "http://web.at-127-0-0-1.test/", "http://web.at-127-0-0-1.test:8080/", "http://other.at-127-0-0-1.test/": print(get(url))
name = b"other.at-127-0-0-1.test"
s = raw(b"\5\1\0", False); s.recv(2); s.sendall(b"\5\1\0\3" + bytes([len(name)]) + name + b"\0\x50"); print(s.recv(10)[:2]))],
        [hosts => ["$web:8080", "other.at-127-0-0-1.test"], q(for url in "http://web.at-127-0-0-1.test/", "http://web.at-127-0-0-1.test:8080/", "http://other.at-127-0-0-1.test/", "http://x.at-127-0-0-1.test/": print(get(url)))],
        [hosts => ["*.test"], q(for url in "http://x.at-127-0-0-1.test/", "http://x.at-127-0-0-2.test/": print(get(url)))],
        [hosts => undef, q(print(get("http://other.at-127-0-0-1.test/")))]' --config "$config" --audit "$scratch/audit"
    is "$status" 0 "exit status"
    expect "$(perl -MJSON::PP -ne 'print join(" ", @{decode_json($_)->{hosts} // ["none"]}), "\n"' "$scratch/audit" | LC_ALL=C sort)" "hosts in the audit file" <<END
*.test
none
$web
$web:8080 $other
END
    expect "$(results '$r->{id}, "\n", $r->{stdout}')" "what the programs got" <<END
1
hello
hello
403 isolator: host '$other' with port 80 is not in "hosts" of the request
b'\x05\x02'
2
403 isolator: host '$web' with port 80 is not in "hosts" of the request
hello
hello
403 isolator: host 'x.at-127-0-0-1.test' with port 80 is not in "hosts" of the request
3
hello
403 isolator: host 'x.at-127-0-0-2.test' is not on the list of allowed hosts
4
hello
END
    expect "$(results 'map { join(" ", $r->{id}, @{$_}{qw(host port status count)}, $_->{reason} // "-") . "\n" } @{$r->{network}{connections}}')" "the connections" <<END
1 $web 80 connected 1 -
1 $web 8080 connected 1 -
1 $other 80 refused 2 host '$other' with port 80 is not in "hosts" of the request
2 $web 80 refused 1 host '$web' with port 80 is not in "hosts" of the request
2 $web 8080 connected 1 -
2 $other 80 connected 1 -
2 x.at-127-0-0-1.test 80 refused 1 host 'x.at-127-0-0-1.test' with port 80 is not in "hosts" of the request
3 x.at-127-0-0-1.test 80 connected 1 -
3 x.at-127-0-0-2.test 80 refused 1 host 'x.at-127-0-0-2.test' is not on the list of allowed hosts
4 $other 80 connected 1 -
END
    is "$(results 'map { "$r->{id} $_\n" } @{$r->{warnings}}' | head -1)" \
        "1 network: host '$other' with port 80 is not in \"hosts\" of the request" "a warning"
}

test_case 'without hosts there is no proxy, cold and warm, and the program can be a job' && {
    config=$(open_config "{\"allow\": $two_hosts}")
    perl -MJSON::PP -i -0777 -pe 'my $c = decode_json($_); $c->{warm}{python} = 1; $_ = encode_json($c)' "$config"
    program='[hosts => [], q(import os; print(sorted(name for name in os.environ if "proxy" in name.lower()))
try: raw("GET http://web.at-127-0-0-1.test/ HTTP/1.1\r\n\r\n")
except OSError as e: print(e))]'
    wait='[q(time.sleep(4))]' # until a warm container is there
    batch "$program, $wait, $program, $wait, [hosts => ['$web'], q(print(get('http://$web/')))]" -j 1 --config "$config"
    expect "$(results '"$r->{id} ", exists $r->{network} ? "network" : "no network", "\n", $r->{stdout}')" "what the programs got" <<'END'
1 no network
[]
[Errno 111] Connection refused
2 network
3 no network
[]
[Errno 111] Connection refused
4 network
5 network
hello
END
    is "$(results '$r->{id} % 2 ? "$r->{id}:$r->{warm} " : ""')" "1:0 3:1 5:1 " "those that ran in a warm container"
    batch "[q(print(1))], [hosts => [], q(print(2))]" --detach --config "$config"
    expect "$(results '"$r->{id} ", $r->{error} // "started", "\n"')" "jobs" <<'END'
1 a job cannot have a network or reach hosts, since isolator may have ended: do not run it as a job, or use the network 'none' (in JSON: "hosts": [])
2 started
END
    isolator wait "$(results '$r->{job} // ""')"
    is "$(field stdout)" 2 "what the job printed"
}

test_case --quick 'a request that would widen the list is refused, and says what is allowed' && {
    config=$(open_config "{\"allow\": $two_hosts}")
    batch '[hosts => ["example.com"], ""], [hosts => [$web, "$web:81"], ""], [hosts => ["other.at-127-0-0-1.test:8080"], ""], [hosts => ["http://$web/"], ""], [hosts => "*", ""],
        [language => "bash", hosts => ["at-127-0-0-1.test"], ""]' --config "$config"
    allowed="is not allowed by the configuration, which allows $web (ports 80, 8080), *.at-127-0-0-1.test (port 80)"
    expect "$(results '"$r->{reason} $r->{error}\n"')" "the results" <<END
input hosts: 'example.com' $allowed
input hosts: '$web:81' $allowed
input hosts: '$other:8080' $allowed
input hosts[0]: 'http://$web/' is a URL or a path; write the host alone, like example.com
input hosts must be an array of hosts like "example.com:443"; text came, which is not that in JSON
input hosts: 'at-127-0-0-1.test' $allowed
END
    batch '[hosts => ["example.com"], ""]'
    is "$(results '$r->{error}')" "hosts: 'example.com' is not allowed by the configuration, which allows no host" "without a list"
}

test_case 'the hosts of a session are those of its first request' && {
    config=$(open_config "{\"allow\": $two_hosts}")
    both='q(print(get("http://web.at-127-0-0-1.test/"), get("http://other.at-127-0-0-1.test/")))'
    batch '[session => "a", hosts => [$web], '"$both"'], [session => "a", '"$both"'], [session => "a", hosts => ["other.at-127-0-0-1.test"], '"$both"'],
        [session => "a", hosts => [], '"$both"'], [session => "a", hosts => [$web], '"$both"']' --config "$config"
    narrowed="hello 403 isolator: host '$other' with port 80 is not in \"hosts\" of the request"
    refused="hosts can be set only when a session is opened; leave it out, or repeat what the session was opened with"
    expect "$(results '"$r->{id} ", $r->{error} // $r->{stdout} =~ s/\n//r, "\n"')" "the results" <<END
1 $narrowed
2 $narrowed
3 $refused
4 $refused
5 $narrowed
END
}

test_case 'a host that is left out has no terminator: its credential need not be there' && {
    config=$(open_config "{\"allow\": [{\"host\": \"$web\", \"ports\": [80], \"addresses\": [\"127.0.0.1\"]}, {\"host\": \"$other\", \"tls\": \"terminate\"}],
        \"credentials\": [{\"host\": \"$other\", \"from\": \"env:NOT_SET_HERE\"}]}")
    batch '[hosts => [$web], q(import os; print(get("http://web.at-127-0-0-1.test/"), os.environ.get("SSL_CERT_FILE")))], [q(print(1))]' --config "$config"
    expect "$(results '"$r->{id} $r->{status} ", $r->{status} eq "success" ? $r->{stdout} : "\n"')" "the results" <<'END'
1 success hello None
2 error 
END
}

test_case 'a model reads that it can narrow the hosts, and does' && {
    config=$(open_config "{\"allow\": $two_hosts}")
    call() { # ID MEMBERS: a call of the tool
        perl -MJSON::PP -e 'my ($id, $code, $more) = @ARGV; print JSON::PP->new->encode({jsonrpc => "2.0", id => $id + 0, method => "tools/call",
            params => {name => "execute_code", arguments => {language => "python", entrypoint_code => $code, %{decode_json($more)}}}}), "\n"' \
            "$1" "$helpers"'print(get("http://'$web'/"), get("http://'$other'/"))' "$2"
    }
    {
        echo '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
        echo '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
        echo '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
        call 3 "{\"hosts\": [\"$web\"]}"
        call 4 '{"hosts": ["example.com"]}'
        call 5 '{"hosts": "[]"}'
        until_true eval 'for id in 3 4 5; do grep -q "\"id\":$id" "$scratch/answers" || exit 1; done' || :
    } | "$ISOLATOR-mcp" --config "$config" >"$scratch/answers" 2>"$scratch/server.err"
    expect "$(sort -t: -k3 "$scratch/answers" | perl -MJSON::PP -e 'my %by; for (<STDIN>) { my $m = decode_json($_); $by{$m->{id} // 0} = $m->{result} }
        my ($tool) = grep { $_->{name} eq "execute_code" } @{$by{2}{tools}};
        print $tool->{inputSchema}{properties}{hosts}{type} // "none", "\n";
        print $tool->{inputSchema}{properties}{background}{description} =~ /(It needs .*)/ ? "$1\n" : "not told\n";
        print $by{3}{structuredContent}{stdout}, $by{4}{content}[0]{text}, "\n", $by{5}{structuredContent}{stdout}')" "what it reads, and gets" <<END
array
It needs "hosts": [] if its language can reach hosts.
hello 403 isolator: host '$other' with port 80 is not in "hosts" of the request
Execution Failed (error): hosts: 'example.com' is not allowed by the configuration, which allows $web (ports 80, 8080), *.at-127-0-0-1.test (port 80)
URLError: <urlopen error [Errno -3] Temporary failure in name resolution> URLError: <urlopen error [Errno -3] Temporary failure in name resolution>
END
}

finish
