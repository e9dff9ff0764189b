# What the tests of the network by permission share; they include it in place of lib.sh. The servers and the names are in
# namespaces of the test, which runs itself again in them.
# shellcheck shell=bash source=test/e2e/lib.sh disable=SC2016,SC2034,SC2154 # the tests use what is set here; lib.sh sets $out
if [ "${NETWORK_TEST-}" != "$PPID" ] && [[ " $* " != *" --list "* && -z ${QUICK-} ]]; then
    NETWORK_TEST=$$ exec unshare --mount --net --fork --kill-child -- bash "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"

# ---- the servers: names like web.at-127-0-0-1.test have an address of their own; this machine has a public address, too

if [ -z "${QUICK-}" ]; then
    ip link set lo up
    ip address add 93.184.216.35/32 dev lo
    printf '%s\n' 'nameserver 127.0.0.1' 'search at-127-0-0-1.test' >"$scratch/resolv.conf"
    echo '127.0.0.1 localhost known # nosuch' >"$scratch/hosts"
    mount --bind "$scratch/resolv.conf" /etc/resolv.conf
    mount --bind "$scratch/hosts" /etc/hosts
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test \
        -addext 'subjectAltName=DNS:*.at-127-0-0-1.test,DNS:*.at-127-0-0-2.test' -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
    test/fixtures/web-servers "$scratch" >"$scratch/servers" 2>"$scratch/servers.err" &
    servers=$!
    trap 'in_main || exit; kill "$servers"; rm -rf "$scratch"' EXIT
    until_true grep -qs ready "$scratch/servers"
fi

# A program in Python with these functions before it.
helpers='import http.client, socket, ssl, sys, time, urllib.error, urllib.request
def get(url, **more):
    try: return urllib.request.urlopen(urllib.request.Request(url, **more), timeout=30).read().decode().strip()
    except urllib.error.HTTPError as e: return f"{e.code} {e.read().decode().strip()}"
    except (OSError, http.client.HTTPException) as e: return f"{type(e).__name__}: {e}"
def raw(request, wait=True):
    s = socket.create_connection(("127.0.0.1", 3128), 60)
    s.sendall(request if isinstance(request, bytes) else request.encode())
    answer = b""
    while wait and (part := s.recv(65536)): answer += part
    return answer.decode() if wait else s
def tunnel(host, port):
    s = raw(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n", False)
    answer = b""
    while b"\r\n\r\n" not in answer and (part := s.recv(1)): answer += part
    return s, answer.decode().split("\r\n")[0]
def tls(host, port, name):
    s, answer = tunnel(host, port)
    if " 200 " not in answer: return answer
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with context.wrap_socket(s, server_hostname=name) as t:
            t.sendall(f"GET / HTTP/1.0\r\nHost: {name}\r\n\r\n".encode())
            answer = b""
            while part := t.recv(65536): answer += part
            return answer.decode().split("\r\n\r\n")[1].strip()
    except ssl.SSLError: return "closed"
'
# python TEXT [ARG...]: runs it.
python() { code py "$helpers$1" "${@:2}"; }
# connections: those of the result, "HOST PORT STATUS COUNT REASON" one a line.
connections() {
    json 'join "\n", map { join " ", map { $_ // "-" } @{$_}{qw(host port status count reason)} } @{$r->{network}{connections}}'
}
web=web.at-127-0-0-1.test
# open_config NETWORK: a configuration whose programs have this network, as JSON.
open_config() {
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); $c->{network} = decode_json($ARGV[0]); print encode_json($c)' "$1" \
        <"$ISOLATOR_CONFIG" >"$scratch/open.json"
    echo "$scratch/open.json"
}
local_web='{"host": "*.at-127-0-0-1.test", "ports": [80, 443, 8080], "addresses": ["127.0.0.1/32"]}'

# ---- isolator prepare

# prepare ARG...: runs isolator prepare; sets $reference, the tag that it prints. fetch URL: a step that writes what it gets.
prepare() {
    isolator prepare "$@"
    reference=$(grep -o "isolator-prepared:[^ ]*" <<<"$out")
}
fetch() { echo "python3 -B -c 'import urllib.request as r; open(\"/fetched\", \"ab\").write(r.urlopen(\"$1\", timeout=30).read())'"; }
# prepare_config PREPARE: a configuration in which Python has this preparation, as JSON.
prepare_config() {
    open_config '{"allow": []}'
    perl -MJSON::PP -i -0777 -pe 'BEGIN { $prepare = decode_json(shift) }
        my $c = decode_json($_); @{$c->{languages}{python}}{qw(prepare listPackages)} = ($prepare, ["true"]); $_ = encode_json($c)' \
        "$1" "$scratch/open.json"
}
# look_at IMAGE: the configuration of a container of the image but for its labels of the steps, and the names of all its files.
look_at() {
    local container
    container=$(docker create --network none "$1" true)
    docker inspect "$container" | perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>)->[0]{Config}; delete @{$c}{qw(Hostname Image CreateCommand)};
        delete $c->{Labels}{"isolator.prepared.$_"} for qw(steps tag);
        $c->{Env} = [sort @{$c->{Env}}]; print JSON::PP->new->canonical->pretty->encode($c)'
    docker export "$container" | tar t | sort
    docker rm "$container" >/dev/null
}
