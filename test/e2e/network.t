#!/usr/bin/env bash
# The network by permission: what a program reaches over the proxy of its container, and what it does not.
# shellcheck source=test/e2e/network_lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/network_lib.sh"

# ---- what is allowed

test_case 'plain HTTP and TLS to hosts of the list, and to no other' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    python 'import os
print(os.environ["http_proxy"], os.environ["HTTPS_PROXY"], os.environ["no_proxy"])
print(get("http://'$web'/"))
print(get("http://'$web':8080/headers?a=b", headers={"User-Agent": "own"}))
print(get("http://WEB.at-127-0-0-1.TEST./"))
print(get("http://'$web'/", data=b"x" * 100000))
print(urllib.request.urlopen("http://'$web'/").headers["Connection"])
print(get("http://'$web'/", headers={"Upgrade": "websocket"}))
print(tls("'$web'", 443, "'$web'"))
print(get("http://other.at-127-0-0-2.test/"))
print(get("http://'$web':81/"))
print(get("https://other.at-127-0-0-2.test/"))
' --config "$config"
    is "$status" 0 "exit status"
    expect "$(field stdout)" "what the program got" <<END
http://127.0.0.1:3128 http://127.0.0.1:3128 localhost,127.0.0.1,::1
hello
GET /headers?a=b HTTP/1.1
Host: $web:8080
Accept-Encoding: identity
User-Agent: own
Connection: close
hello
got 100000
close
501 isolator: a request to the proxy is not valid: a websocket needs a tunnel: CONNECT, then TLS unless the host is "raw"
hello
403 isolator: host 'other.at-127-0-0-2.test' is not on the list of allowed hosts
403 isolator: port 81 of host '$web' is not on the list of allowed hosts
URLError: <urlopen error Tunnel connection failed: 403 Forbidden: host 'other.at-127-0-0-2.test' is not on the list of allowed hosts>
END
    expect "$(connections)" "the connections" <<END
$web 80 connected 4 -
$web 8080 connected 1 -
- - failed 1 a request to the proxy is not valid: a websocket needs a tunnel: CONNECT, then TLS unless the host is "raw"
$web 443 connected 1 -
other.at-127-0-0-2.test 80 refused 1 host 'other.at-127-0-0-2.test' is not on the list of allowed hosts
$web 81 refused 1 port 81 of host '$web' is not on the list of allowed hosts
other.at-127-0-0-2.test 443 refused 1 host 'other.at-127-0-0-2.test' is not on the list of allowed hosts
END
    expect "$(field warnings)" "the warnings, each once" <<END
network: a request to the proxy is not valid: a websocket needs a tunnel: CONNECT, then TLS unless the host is "raw"
network: host 'other.at-127-0-0-2.test' is not on the list of allowed hosts
network: port 81 of host '$web' is not on the list of allowed hosts
END
    within "$(json '$r->{network}{bytes}')" 100000 110000 "the bytes"
}

test_case '--allow-host reaches an address of this machine, and nothing else' && {
    python 'print(get("http://127.0.0.1:8080/"), get("http://127.0.0.1/"))
try: socket.create_connection(("127.0.0.1", 8080), 5)
except OSError as e: print(e)
print([line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line])
' --allow-host 127.0.0.1:8080 --audit "$scratch/audit"
    expect "$(field stdout)" "what the program got" <<'END'
hello 403 isolator: port 80 of host '127.0.0.1' is not on the list of allowed hosts
[Errno 111] Connection refused
['lo']
END
    is "$(perl -MJSON::PP -ne 'print join " ", map { "$_->{host}:$_->{port} $_->{status}" } @{decode_json($_)->{network}{connections}}' "$scratch/audit")" \
        "127.0.0.1:8080 connected 127.0.0.1:80 refused" "the record"
}

test_case 'without a list there is no proxy, no variable and nothing in the result' && {
    python 'import os; print(sorted(name for name in os.environ if "proxy" in name.lower()))
try: raw("GET http://'$web'/ HTTP/1.1\r\n\r\n")
except OSError as e: print(e)'
    expect "$(field stdout)" "what the program got" <<'END'
[]
[Errno 111] Connection refused
END
    is "$(json 'exists $r->{network} ? "there" : "not there"')" "not there" "the member"
}

# ---- what is refused

test_case 'addresses that are not public are refused, whatever their names are' && {
    config=$(open_config '{"allow": ["*.test", "10.1.2.3", {"host": "some.at-10-1-2-9.test", "addresses": ["10.1.2.0/29"]}]}')
    python 'for address in "127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255".split():
    print(get("http://x.at-" + address.replace(".", "-") + ".test/"))
for host in ["2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "some.at-10-1-2-9.test"]: print(get(f"http://{host}/"))
' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
403 isolator: host 'x.at-127-0-0-1.test' has the address 127.0.0.1, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-10-0-0-1.test' has the address 10.0.0.1, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-172-16-0-1.test' has the address 172.16.0.1, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-192-168-1-1.test' has the address 192.168.1.1, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-169-254-169-254.test' has the address 169.254.169.254, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-100-64-0-1.test' has the address 100.64.0.1, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-0-0-0-0.test' has the address 0.0.0.0, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-224-0-0-1.test' has the address 224.0.0.1, which is an address of this machine or not public, and not in the "addresses" of its entry
403 isolator: host 'x.at-255-255-255-255.test' has the address 255.255.255.255, which is an address of this machine or not public, and not in the "addresses" of its entry
400 isolator: a request to the proxy is not valid: the target does not name a host and a port
400 isolator: a request to the proxy is not valid: the target does not name a host and a port
400 isolator: a request to the proxy is not valid: the target does not name a host and a port
403 isolator: host '::1' is not on the list of allowed hosts
403 isolator: host '::ffff:127.0.0.1' is not on the list of allowed hosts
403 isolator: host 'some.at-10-1-2-9.test' has the address 10.1.2.9, which is an address of this machine or not public, and not in the "addresses" of its entry
END
}

test_case 'public addresses of this machine are refused, and its search domains complete no name, but its hosts are known' && {
    open_config '{"allow": ["own.at-93-184-216-35.test", {"host": "nosuch.name", "addresses": ["127.0.0.1"]}, {"host": "nosuch", "addresses": ["127.0.0.1"]}, {"host": "known", "addresses": ["127.0.0.1"]}]}' >/dev/null
    python 'for name in "own.at-93-184-216-35.test", "nosuch.name", "nosuch", "known": print(get(f"http://{name}/"))' --config "$scratch/open.json"
    expect "$(field stdout | sed 's/Name does not resolve/Name or service not known/')" "what the program got" <<'END'
403 isolator: host 'own.at-93-184-216-35.test' has the address 93.184.216.35, which is an address of this machine or not public, and not in the "addresses" of its entry
502 isolator: cannot look up 'nosuch.name': Name or service not known
502 isolator: cannot look up 'nosuch': Name or service not known
hello
END
}

test_case 'a name whose address changes: it is looked up once for each connection' && {
    config=$(open_config '{"allow": ["*.changing.test"]}')
    python 'print(get("http://a.changing.test/")); print(get("http://a.changing.test/"))' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
502 isolator: cannot connect to 'a.changing.test' port 80: Network is unreachable
403 isolator: host 'a.changing.test' has the address 127.0.0.1, which is an address of this machine or not public, and not in the "addresses" of its entry
END
}

test_case 'a tunnel carries TLS for its host, unless the list says that it may carry anything' && {
    config=$(open_config "{\"allow\": [$local_web, {\"host\": \"raw.at-127-0-0-1.test\", \"ports\": [7], \"addresses\": [\"127.0.0.1\"], \"raw\": true}]}")
    python 'print(tls("'$web'", 443, "other.test"))
print(tls("'$web'", 443, None))
s, answer = tunnel("'$web'", 80)
s.sendall(b"GET / HTTP/1.0\r\n\r\n")
print(answer, s.recv(100))
s, answer = tunnel("raw.at-127-0-0-1.test", 7)
s.sendall(b"anything\n"); print(answer, s.recv(100))
s.sendall(b"x" * 300000); s.shutdown(socket.SHUT_WR)
got = 0
while part := s.recv(65536): got += len(part)
print(got)
' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
closed
closed
HTTP/1.1 200 Connection established b''
HTTP/1.1 200 Connection established b'anything\n'
300000
END
    expect "$(field warnings)" "the warnings" <<END
network: the tunnel to '$web' carries TLS for 'other.test'
network: the tunnel to '$web' carries TLS that names no host
network: the tunnel to '$web' carries what is not TLS, and the list does not say "raw"
END
}

test_case 'SOCKS 5, with names that isolator looks up' && {
    config=$(open_config "{\"allow\": [{\"host\": \"raw.at-127-0-0-1.test\", \"ports\": [7], \"addresses\": [\"127.0.0.1\"], \"raw\": true}]}")
    python 'def socks(host, port):
    s = raw(b"\5\1\0", False)
    print(s.recv(2))
    s.sendall(b"\5\1\0\3" + bytes([len(host)]) + host.encode() + port.to_bytes(2, "big"))
    print(s.recv(10))
    return s
s = socks("raw.at-127-0-0-1.test", 7)
s.sendall(b"anything"); print(s.recv(100))
print(socks("other.test", 7).recv(100))' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
b'\x05\x00'
b'\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00'
b'anything'
b'\x05\x00'
b'\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00'
b''
END
    is "$(field warnings)" "network: host 'other.test' is not on the list of allowed hosts" "the warning"
}

test_case 'requests that two readers could understand differently are refused' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    python 'host = "'$web'"
for request in [f"GET http://{host}/ HTTP/1.1\r\nHost: other.test\r\n\r\n", f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n",
    f"POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    f"GET http://{host}/ HTTP/1.1\nHost: {host}\n\n", f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n", f"CONNECT {host} HTTP/1.1\r\n\r\n",
    "\x16\x03\x01\x00\x05hello\r\n\r\n", "GET http://" + "a" * 40000]:
    print(raw(request).split("\r\n")[0].split(":")[0])
# a second request after the first one is for no one
answer = raw(f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\nGET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n")
print(answer.count("HTTP/1.1 200"), answer.count("hello"))
print(raw(f"POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nGET /").split("\r\n\r\n")[1].strip())
' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 431 Request Header Fields Too Large
1 1
got 5
END
}

# ---- limits

test_case 'maxBytes and maxConnections are enforced' && {
    config=$(open_config "{\"allow\": [$local_web], \"maxBytes\": 200000, \"maxConnections\": 3}")
    python 'open_ones = [raw("GET http://'$web'/slow HTTP/1.1\r\nHost: '$web'\r\n\r\n", False) for _ in range(3)]
for s in open_ones: s.recv(1)
more = raw("GET http://'$web'/ HTTP/1.1\r\nHost: '$web'\r\n\r\n", False)
more.settimeout(2)
try: print(more.recv(100))
except TimeoutError: print("it waits")
open_ones[0].close()
more.settimeout(60)
print(more.recv(100).split(b"\r\n")[0].decode())
more.close()
got = len(raw("GET http://'$web'/bytes/1000000 HTTP/1.1\r\nHost: '$web'\r\n\r\n"))
print(190000 < got <= 200000)
print(get("http://'$web'/"))' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
it waits
HTTP/1.1 200 OK
True
403 isolator: the connections have carried 200000 bytes, which is the limit (maxBytes)
END
    is "$(json '$r->{network}{bytes}')" 200000 "the bytes"
}

test_case 'a program that floods the proxy, stops and kills the relay gets its result' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    python 'import os, signal
print(get("http://'$web'/"))
ones = []
for i in range(900):
    s = socket.socket(); s.setblocking(False)
    try: s.connect(("127.0.0.1", 3128))
    except OSError: pass
    ones.append(s)
    if i % 100 == 0: time.sleep(0.05)
for s in ones: s.close()
print(get("http://'$web'/"))
for number in (signal.SIGSTOP, signal.SIGKILL):
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) not in (1, os.getpid()):
            try: os.kill(int(pid), number)
            except OSError: pass
try: print(raw("GET http://'$web'/ HTTP/1.1\r\nHost: '$web'\r\n\r\n"))
except ConnectionError: print("refused")
print("the end")' --config "$config" --pids-limit 64
    is "$status" 0 "exit status"
    expect "$(field stdout)" "what the program got" <<'END'
hello
hello
refused
the end
END
}

test_case 'connections do not hold up each other, nor the output of the program' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    python 'stuck = [raw("GET http://'$web'/bytes/50000000 HTTP/1.1\r\nHost: '$web'\r\n\r\n", False) for _ in range(8)]
time.sleep(1)
for _ in range(3): print(get("http://'$web'/"))
print("x" * 500000)
print(get("http://'$web'/"))' --config "$config"
    is "$(field stdout | grep -c hello) $(field stdout | grep -c xxxx)" "4 1" "what the program got"
}

test_case 'nothing is left of connections after the timeout' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    python 'ones = [raw("GET http://'$web'/slow HTTP/1.1\r\nHost: '$web'\r\n\r\n", False) for _ in range(5)]
for s in ones: s.recv(1)
time.sleep(600)' --config "$config" --timeout 4
    is "$(field status reason)" "timeout timeout" "how it ended"
    is "$(connections)" "$web 80 connected 5 -" "the connections"
    is "$(ss -Htn state established '( dport = :80 )' | wc -l)" 0 "connections of this machine"
}

# ---- sessions, tests, builds

test_case 'each program of a request has the proxy: a build, its tests, the cells of a session' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    mkdir -p "$scratch/tests"
    printf '%s' "$helpers"'print(get(input()))
left = raw("GET http://'$web'/slow HTTP/1.1\r\nHost: '$web'\r\n\r\n", False); left.recv(1)' >"$scratch/solution.py"
    for i in 1 2 3; do echo "http://$web/" >"$scratch/tests/$i.in"; echo hello >"$scratch/tests/$i.out"; done
    isolator test --json --config "$config" --tests "$scratch/tests" "$scratch/solution.py"
    is "$status $(json '$r->{summary}{passed}')" "0 3" "tests"
    is "$(connections)" "$web 80 connected 6 -" "the connections of tests"
    {
        printf '%s\n' "$helpers" 'keep = raw("GET http://'$web'/slow HTTP/1.1\r\nHost: '$web'\r\n\r\n", False)' 'keep.settimeout(20); print(keep.recv(12))'
        printf '%s\n' '# %%' 'keep.settimeout(5)' 'try:' '    while keep.recv(4096): pass' '    print("it has ended")' 'except ConnectionResetError: print("it has ended")'
        printf '%s\n' '# %%' 'print(get("http://'$web'/"))'
    } >"$scratch/cells.py"
    input=$scratch/cells.py isolator session --json --config "$config"
    expect "$(perl -MJSON::PP -ne 'my $r = decode_json($_); print "$r->{stdout}"; print "$_->{host} $_->{status} $_->{count}\n" for @{$r->{network}{connections}}' "$scratch/out")" \
        "the cells of a session" <<END
b'HTTP/1.1 200'
$web connected 1
it has ended
hello
$web connected 1
END
}

test_case 'a build in Go gets a module from a module proxy' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    mkdir -p "$scratch/program"
    printf '%s\n' 'module program' 'go 1.21' 'require example.com/greeting v1.0.0' >"$scratch/program/go.mod"
    printf '%s\n' 'package main' 'import "example.com/greeting"' 'func main() { println(greeting.Hello()) }' >"$scratch/program/main.go"
    perl -MJSON::PP -i -0777 -pe 'my $c = decode_json($_); @{$c->{languages}{go}{env}}{qw(GOPROXY GOFLAGS GONOSUMDB)} =
        ("http://'$web'/go", "-mod=mod", "*"); $_ = encode_json($c)' "$config"
    run --dir "$scratch/program" --entrypoint main.go --config "$config"
    expect "$(field status stderr)" "the program" <<'END'
success hello from a module
END
}

test_case 'a program in Go finds the proxy by the variables' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    code go 'package main
import ("fmt"; "io"; "net/http")
func main() {
    for _, url := range []string{"http://'$web'/", "http://other.test/"} {
        answer, err := http.Get(url)
        if err != nil { fmt.Println(err); continue }
        body, _ := io.ReadAll(answer.Body)
        fmt.Print(answer.StatusCode, " ", string(body))
    }
}' --config "$config"
    expect "$(field stdout)" "a program in Go" <<'END'
200 hello
403 isolator: host 'other.test' is not on the list of allowed hosts
END
}

test_case 'a model reads which hosts there are, and its program reaches them in a warm container' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    perl -MJSON::PP -i -0777 -pe 'my $c = decode_json($_); $c->{warm}{python} = 1; $_ = encode_json($c)' "$config"
    python_text=$(perl -MJSON::PP -e 'print JSON::PP->new->allow_nonref->encode($ARGV[0])' "$helpers"'print(get("http://'$web'/"), get("http://other.test/"))')
    messages=$scratch/messages
    {
        echo '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
        echo '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
        echo '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
        sleep 5 # until containers wait
        echo '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"_meta": {"isolator/details": true}, "name": "execute_code", "arguments": {"language": "python", "entrypoint_code": '"$python_text"'}}}'
        until_true grep -q '"id":3' "$scratch/answers" || :
    } | "$ISOLATOR-mcp" --config "$config" >"$scratch/answers" 2>"$scratch/server.err"
    expect "$(perl -MJSON::PP -ne 'my $m = decode_json($_); my $r = $m->{result};
        if ($m->{id} == 2) { my ($t) = grep { $_->{name} eq "execute_code" } @{$r->{tools}}; print "$1\n" if $t->{description} =~ /(no network except .*? in http_proxy)/; print $t->{annotations}{openWorldHint} ? "open world\n" : "closed world\n" }
        if ($m->{id} == 3) { print "warm $r->{structuredContent}{warm}\n$r->{structuredContent}{stdout}"; print "$_->{host} $_->{status}\n" for @{$r->{structuredContent}{network}{connections}} }' "$scratch/answers")" \
        "what it reads, and what its program got" <<END
no network except HTTP and HTTPS to *.at-127-0-0-1.test, through the proxy in http_proxy
open world
warm 1
hello 403 isolator: host 'other.test' is not on the list of allowed hosts
$web connected
other.test refused
END
}

# ---- isolator prepare

test_case 'the steps of isolator prepare reach the hosts that are named; the image shows nothing of it' && {
    config=$(prepare_config '{}')
    prepare --config "$config" python --run ": $$" --run 'touch /fetched /variables'
    look_at "$reference" >"$scratch/plain"
    prepare --config "$config" python --allow-host 127.0.0.1:8080 --run ": $$ hosts" --run "$(fetch http://127.0.0.1:8080/headers)" \
        --run 'ls -A /tmp >>/fetched; env | grep -i proxy= | grep -v =$ | LC_ALL=C sort >/variables; cat /proc/net/route; echo "to stderr" >&2' \
        --run "$(fetch http://other.at-127-0-0-2.test/) || echo refused >>/fetched" --run "$(fetch http://127.0.0.1/) || :"
    is "$status|${out%:*}" "0|python is prepared: isolator-prepared" "it is prepared"
    has "$err" "+ ls -A /tmp >>/fetched" "its steps are shown"
    has "$err" "to stderr" "their output is shown"
    hasnt "$err" eth0 "they have no network"
    expect "$(grep warning: <<<"$err")" "the warnings" <<'END'
isolator: warning: python: network: host 'other.at-127-0-0-2.test' is not on the list of allowed hosts
isolator: warning: python: network: port 80 of host '127.0.0.1' is not on the list of allowed hosts
END
    expect "$(look_at "$reference")" "the image is like one of steps without a network" <"$scratch/plain"
    noted=$reference
    prepare --config "$config" python
    is "$status|$out|$err" "0|python is already prepared: $noted|" "the steps are noted"
    is "$(perl -MJSON::PP -e 'local $/; my ($c) = values %{decode_json(<STDIN>)->{configurations}};
        print JSON::PP->new->canonical->encode($c->{languages}{python}{network}{allow})' <"$XDG_CONFIG_HOME/isolator/prepared.json")" \
        '[{"host":"127.0.0.1","ports":[8080]}]' "and so are the hosts"
    python 'print(open("/fetched").read().replace("\n\n", "\n") + open("/variables").read().strip())
try: raw("GET http://127.0.0.1:8080/ HTTP/1.1\r\n\r\n")
except OSError as e: print(e)' --config "$config"
    is "$(field image)|$(field warnings)" "$noted|" "the image is used"
    expect "$(field stdout)" "what the steps got, and no proxy for the program" <<'END'
GET /headers HTTP/1.1
Host: 127.0.0.1:8080
Accept-Encoding: identity
User-Agent: Python-urllib/3.11
Connection: close
refused
HTTPS_PROXY=http://127.0.0.1:3128
HTTP_PROXY=http://127.0.0.1:3128
NODE_USE_ENV_PROXY=1
NO_PROXY=localhost,::1
http_proxy=http://127.0.0.1:3128
https_proxy=http://127.0.0.1:3128
no_proxy=localhost,::1
[Errno 111] Connection refused
END
    prepare --config "$config" --remove python
    is "$status|$out" "0|python: removed" "it is removed"
}

test_case 'steps of the configuration reach its hosts: names of this network, and more than a program may transfer' && {
    config=$(prepare_config "$(perl -MJSON::PP -e 'print encode_json({run => [@ARGV[0, 1]], network => {allow => [decode_json($ARGV[2])]}})' \
        ": $$ configuration" "$(fetch "http://$web/bytes/110000000")" "$local_web")")
    prepare --config "$config" python
    is "$status|${out%:*}|$(grep warning: <<<"$err")" "0|python is prepared: isolator-prepared|" "it is prepared"
    python 'import os; print(os.stat("/fetched").st_size)' --config "$config"
    is "$(field image stdout)" "$reference 110000000" "the file"
    prepare --config "$config" python --network none
    is "$status|${out%%:*}" "0|python is already prepared" "--network does not affect its name"
    prepare --config "$config" --remove python
    prepare --config "$config" python --network none
    is "$status" 1 "--network in place of the hosts"
    has "$err" "it had no network, try --allow-host HOST or --network bridge" "--network in place of the hosts: the hint"
}

# ---- attacks

test_case 'attacks on the network hold with a proxy as without one' && {
    config=$(open_config "{\"allow\": [$local_web]}")
    isolator selftest --config "$config" network metadata raw_sockets docker_socket other_sandboxes left_ports left_behind kill_all \
        stop_all zombies_daemons supervisor_memory supervisor_exhausted
    is "$status ${out##*$'\n'}" "0 12 attacks: 12 held, 0 known gaps, 0 breaches, 0 unclear; 0 containers remain" "the attacks"
}

finish
