#!/usr/bin/env bash
# Hosts whose TLS isolator terminates ("tls": "terminate"): a program reaches them with a secret that it never sees.
# shellcheck source=test/e2e/network_lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/network_lib.sh"

export SSL_CERT_FILE=$scratch/cert.pem TEST_KEY=s3cr3t-of-the-test
terminated='{"host": "*.at-127-0-0-1.test", "tls": "terminate", "addresses": ["127.0.0.1/32"]}'
credential='{"host": "*.at-127-0-0-1.test", "from": "env:TEST_KEY", "prefix": "Bearer "}'
# until_connected: waits until the program that `start -v` runs has reached the host. helper_of PID: its isolator-tls.
until_connected() { until_true grep -qs "connect $web:443" "$scratch/err"; }
helper_of() {
    local process
    for process in $(children "$1"); do
        [ "$(cat "/proc/$process/comm" 2>/dev/null)" != isolator-tls ] || echo "$process"
    done
}
tls_config() { open_config "{\"allow\": [$terminated${1:+, $1}], \"credentials\": [$credential]}"; }

# ---- the secret

test_case 'a request gets a header that the program neither has nor sees' && {
    config=$(tls_config '{"host": "*.at-127-0-0-2.test", "addresses": ["127.0.0.2/32"]}')
    python 'import os
print(get("https://'$web'/headers?a=b", headers={"Authorization": "own", "X-Other": "1", "User-Agent": "test"}))
print(get("https://'$web'/", data=b"x" * 1000000))
print(len(get("https://'$web'/bytes/3000000")), urllib.request.urlopen("https://'$web'/").headers["Connection"])
names = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"]
print({os.environ[name] for name in names}, os.path.getsize(os.environ["SSL_CERT_FILE"]) > 1000)
print("s3cr3t" in str(dict(os.environ)))
' --config "$config" -v
    is "$status" 0 "exit status"
    expect "$(field stdout)" "what the program got" <<END
GET /headers?a=b HTTP/1.1
Host: $web
Authorization: Bearer s3cr3t-of-the-test
Accept-Encoding: identity
X-Other: 1
User-Agent: test
Connection: close
got 1000000
3000000 close
{'/workspace/.isolator-ca.pem'} True
False
END
    expect "$(connections)" "the connections" <<<"$web 443 connected 4 -"
    is "$(field warnings)" "" "no warnings"
    hasnt "$err" s3cr3t "the trace"
    has "$err" "connect $web:443" "the trace"
}

test_case 'the secret stands nowhere but in the request: not in the container, the arguments or the configuration' && {
    config=$(tls_config)
    start -v --config "$config" "$(snippet py "$helpers"'print(get("https://'$web'/headers"), flush=True); time.sleep(60)')"
    until_connected
    container=$(own_containers)
    hasnt "$(docker inspect "$container")" s3cr3t "docker inspect"
    inside=$(docker exec "$container" sh -c 'env; cat /workspace/.isolator-ca.pem')
    has "$inside" "BEGIN CERTIFICATE" "the container has the certificates"
    hasnt "$inside" s3cr3t "the container"
    names=
    for process in $(children "$pid"); do
        name=$(<"/proc/$process/comm")
        names+=" $name"
        hasnt "$(tr '\0' ' ' <"/proc/$process/cmdline")" s3cr3t "the arguments of $name"
        environment=$(tr '\0' '\n' <"/proc/$process/environ")
        has "$environment" "SSL_CERT_FILE=$scratch/cert.pem" "the environment of $name"
        hasnt "$environment" TEST_KEY "the environment of $name"
    done
    has "$names" "$engine_command" "the processes"
    has "$names" isolator-tls "the processes"
    kill "$pid"
    await
    has "$out" "Authorization: Bearer s3cr3t" "the host has got it"
    isolator config --config "$config"
    has "$out" env:TEST_KEY "isolator config"
    hasnt "$out" s3cr3t "isolator config"
}

# ---- what is refused

test_case 'a host whose certificate is not good gets no request' && {
    config=$(tls_config)
    wrong=deep.$web
    python 'print(get("https://'$wrong'/headers"))' --config "$config"
    has "$(field stdout)" "502 isolator: the certificate of '$wrong' is not valid" "another name"
    has "$(connections)" "$wrong 443 failed 1 the certificate of '$wrong' is not valid" "the connections"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout "$scratch/other.key" -out "$scratch/other.pem" 2>/dev/null
    SSL_CERT_FILE=$scratch/other.pem python 'print(get("https://'$web'/headers"))' --config "$config"
    has "$(field stdout)" "502 isolator: the certificate of '$web' is not valid" "an unknown authority"
    hasnt "$(field stdout)" s3cr3t "the secret was not sent"
}

test_case 'a tunnel carries requests for its host alone, and nothing but HTTP/1.1' && {
    config=$(tls_config)
    python 'def send(request, name="'$web'", protocols=None):
    s, answer = tunnel("'$web'", 443)
    context = ssl.create_default_context()
    if protocols: context.set_alpn_protocols(protocols)
    try:
        with context.wrap_socket(s, server_hostname=name) as t:
            t.sendall(request.encode())
            answer = b""
            while part := t.recv(65536): answer += part
            return answer.decode().split("\r\n")[0]
    except OSError as e: return type(e).__name__
print(send("GET /headers HTTP/1.1\r\nHost: '$web'\r\n\r\n"))
print(send("GET /headers HTTP/1.1\r\nHost: other.at-127-0-0-1.test\r\n\r\n"))
print(send("TRACE / HTTP/1.1\r\nHost: '$web'\r\n\r\n"))
print(send("CONNECT '$web':443 HTTP/1.1\r\nHost: '$web':443\r\n\r\n"))
print(send("GET / HTTP/1.1\r\nHost: '$web'\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"))
print(send("GET / HTTP/1.1\r\nHost: '$web'\r\nHost: '$web'\r\n\r\n"))
print(send("POST / HTTP/1.1\r\nHost: '$web'\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"))
print(send("hello\r\n\r\n"))
print(send("GET / HTTP/1.1\r\nHost: '$web'\r\n\r\n", protocols=["h2"]))
print(send("GET / HTTP/1.1\r\nHost: '$web'\r\n\r\n", protocols=["h2", "http/1.1"]))
print(get("http://'$web':443/"))' --config "$config"
    expect "$(field stdout | sed -E 's/^(HTTP\/1.1 [0-9]+ [A-Za-z ]+).*/\1/')" "what the program got" <<END
HTTP/1.1 200 OK
HTTP/1.1 400 Bad Request
HTTP/1.1 501 Not Implemented
HTTP/1.1 501 Not Implemented
HTTP/1.1 501 Not Implemented
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
HTTP/1.1 400 Bad Request
SSLError
HTTP/1.1 200 OK
403 isolator: host '$web' is reached over https alone, since its TLS is terminated
END
    has "$(connections)" "$web 443 failed 1 a request to '$web' is not valid: a Host that is not" "the connections"
}

test_case 'a program that trusts other certificates is told in the result' && {
    config=$(tls_config)
    python 'os = __import__("os"); os.environ["SSL_CERT_FILE"] = "/nothing"
print(get("https://'$web'/"))
time.sleep(1)' --config "$config"
    has "$(field stdout)" CERTIFICATE_VERIFY_FAILED "what the program got"
    has "$(connections)" "$web 443 failed 1 the program does not accept the certificate of isolator" "the connections"
}

# ---- sessions, tests, many at once

test_case 'the cells of a session trust one authority' && {
    config=$(tls_config)
    # a blank line ends a cell
    printf '%s\n' "$helpers" 'context = ssl.create_default_context()' \
        'print("Bearer s3cr3t" in urllib.request.urlopen("https://'$web'/headers", context=context).read().decode())' '' \
        'print("again", "Bearer s3cr3t" in urllib.request.urlopen("https://'$web'/headers", context=context).read().decode())' >"$scratch/cells"
    input=$scratch/cells isolator session --language python --config "$config"
    is "$out" "True"$'\n'"again True" "what the cells print"
}

test_case 'each test finds the certificates again' && {
    config=$(tls_config)
    mkdir -p "$scratch/tests"
    for name in 1 2; do
        echo "$name" >"$scratch/tests/$name.in"
        echo "$name True" >"$scratch/tests/$name.out"
    done
    printf '%s\n' "$helpers" 'import os' 'n = input()' 'print(n, "Bearer s3cr3t" in get("https://'$web'/headers"))' \
        'open(os.environ["SSL_CERT_FILE"], "w").close()' >"$scratch/solution.py"
    isolator test "$scratch/solution.py" --tests "$scratch/tests" --config "$config" --json
    is "$status" 0 "exit status"
    is "$(json '$r->{summary}{passed}')" 2 "tests that passed"
}

test_case '60 connections at once, with a header of 4 KB, while isolator-tls is busy' && {
    config=$(open_config "{\"allow\": [$terminated], \"credentials\": [{\"host\": \"*.at-127-0-0-1.test\", \"from\": \"env:LONG\"}]}")
    LONG=$(printf '%04000d' 0)
    export LONG
    start -v --config "$config" --timeout 60 "$(snippet py "$helpers"'import concurrent.futures
time.sleep(2)
with concurrent.futures.ThreadPoolExecutor(60) as pool:
    print(sorted(pool.map(lambda n: len(get(f"https://'$web'/bytes/{n}000")), range(1, 61))) == [n * 1000 for n in range(1, 61)])
')"
    until_running
    helper=$(helper_of "$pid")
    kill -STOP "$helper"
    sleep 6
    kill -CONT "$helper"
    await
    is "$(field stdout)" True "what the program got"
}

test_case 'the certificates are neither an artifact nor part of a saved image' && {
    config=$(tls_config)
    file=$(snippet py 'open("made.txt", "w").write("x")')
    run "$file" --config "$config" --artifacts "$scratch/artifacts" --save-image isolator-test/saved-tls:1
    is "$(cd "$scratch/artifacts" && find . -type f)" ./made.txt "the artifacts"
    is "$(docker run --rm --network none --entrypoint ls isolator-test/saved-tls:1 -A)" "${file##*/}" "the files of the image"
    hasnt "$(docker inspect isolator-test/saved-tls:1)" isolator-ca "the image"
    docker image rm isolator-test/saved-tls:1 >/dev/null
}

# ---- the end, and errors

test_case 'isolator-tls ends with the run, and with isolator' && {
    config=$(tls_config)
    for end in "its program ends" "isolator is killed"; do
        start -v --config "$config" "$(snippet py "$helpers"'get("https://'$web'/headers"); time.sleep(3 if "program" in "'"$end"'" else 60)')"
        until_connected
        helper=$(helper_of "$pid")
        is "$(cat "/proc/$helper/comm")" isolator-tls "isolator-tls runs, until $end"
        [ "$end" != "isolator is killed" ] || kill -KILL "$pid"
        await
        until_true test ! -e "/proc/$helper"
        gone "the container, after $end"
    done
}

test_case 'isolator-tls is killed during a run' && {
    config=$(tls_config)
    start -v --json --config "$config" "$(snippet py "$helpers"'print(get("https://'$web'/slow"))
print(get("https://'$web'/"))')"
    until_connected
    kill -KILL "$(helper_of "$pid")"
    await
    has "$(field stdout)" "URLError: <urlopen error TLS/SSL connection has been closed" "what the program got"
    has "$(field warnings)" "isolator-tls has ended" "the warnings"
    python 'print(get("https://'$web'/"))' --config "$config"
    is "$(field stdout)|$(field warnings)" "hello|" "the next run"
}

test_case 'isolator-tls is killed during a session: further cells run, and their requests fail' && {
    config=$(tls_config)
    printf '%s\n' "$helpers" 'while get("https://'$web'/") == "hello": time.sleep(0.1)' '' \
        'print(get("https://'$web'/"))' '' 'print("the session goes on")' >"$scratch/cells"
    input=$scratch/cells start_isolator session -v --language python --config "$config"
    until_connected
    kill -KILL "$(helper_of "$pid")"
    await
    is "$status" 0 "the exit status"
    has "$out" "URLError" "what the second cell prints"
    has "$out" "the session goes on" "what the third cell prints"
    has "$err" "isolator-tls has ended" "the warnings"
}

test_case 'a credential that is not set, and a program that is not installed' && {
    config=$(tls_config)
    export -n TEST_KEY
    python 'print(1)' --config "$config"
    export TEST_KEY
    has "$out" "environment variable 'TEST_KEY' is not set" "without the variable"
    cp "$ISOLATOR" "$scratch/isolator"
    ISOLATOR=$scratch/isolator python 'print(1)' --config "$config"
    has "$(field error)" "cannot find 'isolator-tls', which \"tls\": \"terminate\" needs: install the Debian package" "without the program"
}

# ---- images

test_case 'the steps of isolator prepare reach such hosts, and the image keeps nothing of it' && {
    config=$(prepare_config "$(perl -MJSON::PP -e 'print encode_json({run => [@ARGV[0 .. 2]],
        network => {allow => [decode_json($ARGV[3])], credentials => [decode_json($ARGV[4])]}})' \
        ": $$ tls" "$(fetch "https://$web/headers")" 'cat /fetched; ls -A /tmp; env' "$terminated" "$credential")")
    prepare --config "$config" python
    is "$status|${out%:*}" "0|python is prepared: isolator-prepared" "it is prepared"
    has "$err" "Authorization: Bearer s3cr3t-of-the-test" "what the step got"
    has "$err" "SSL_CERT_FILE=/tmp/.isolator-ca.pem" "the variables of the steps"
    look_at "$reference" >"$scratch/prepared"
    hasnt "$(<"$scratch/prepared")" isolator-ca "the image"
    hasnt "$(docker inspect "$reference")$(docker history --no-trunc "$reference")" s3cr3t "the image"
    isolator prepare --config "$config" --remove python
}

finish
