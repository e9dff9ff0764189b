#!/usr/bin/env bash
# Real clients with the proxy of their container: they install packages from indexes of this test, and talk to its servers.
# A case for Go is in network.t, as is Python's urllib.
# shellcheck source=test/e2e/network_lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/network_lib.sh"

config=
[ -n "${QUICK-}" ] || config=$(open_config "{\"allow\": [$local_web]}")

# project NAME: an empty directory for a program, with the certificate of the servers; sets $project.
project() {
    project=$scratch/$1
    mkdir "$project"
    cp "$scratch/cert.pem" "$project"
}

# ---- Python

test_case 'pip installs a wheel from an index, over HTTP and over TLS' && {
    project pip
    cp /usr/share/python-wheels/pip-*.whl "$project" # of the package python3-pip-whl, which python3-venv depends on
    printf '%s' 'import glob, subprocess, sys
pip = (glob.glob("/usr/share/python-wheels/pip-*.whl") + glob.glob("pip-*.whl"))[0] + "/pip"
def install(target, name, *options):
    done = subprocess.run([sys.executable, pip, "install", "--no-cache-dir", "--disable-pip-version-check", "--retries", "1", "--target", target, *options, name],
                          capture_output=True, text=True)
    print(done.returncode)
    return done
def greet(target): print(subprocess.run([sys.executable, "-c", "import greeting; print(greeting.hello())"], cwd=target, capture_output=True, text=True).stdout.strip())
install("plain", "greeting", "--index-url", "http://'$web'/pypi/simple", "--trusted-host", "'$web'"); greet("plain")
install("secure", "greeting", "--index-url", "https://'$web'/pypi/simple", "--cert", "cert.pem"); greet("secure")
refused = install("refused", "greeting", "--index-url", "https://other.test/simple", "--cert", "cert.pem")
print(refused.stderr.split("Tunnel connection failed: ")[1].split("\x22")[0])
' >"$project/main.py"
    run --dir "$project" --entrypoint main.py --config "$config" --timeout 120
    expect "$(field stdout)" "what the program got" <<'END'
0
hello from a wheel
0
hello from a wheel
1
403 Forbidden: host 'other.test' is not on the list of allowed hosts
END
    is "$(field stderr)" "" "its errors"
}

test_case 'requests, which pip brings along' && {
    project requests
    cp /usr/share/python-wheels/pip-*.whl "$project"
    printf '%s' 'import glob, sys
sys.path.insert(0, glob.glob("pip-*.whl")[0])
from pip._vendor import requests
print(requests.get("http://'$web'/").text.strip())
print(requests.post("https://'$web'/", data=b"x" * 1000, verify="cert.pem").text.strip())
print(requests.get("http://other.test/").text.strip())
try: requests.get("https://other.test/", verify="cert.pem")
except requests.exceptions.ProxyError as e: print(e.args[0].reason.args[1])
' >"$project/main.py"
    run --dir "$project" --entrypoint main.py --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
hello
got 1000
isolator: host 'other.test' is not on the list of allowed hosts
Tunnel connection failed: 403 Forbidden: host 'other.test' is not on the list of allowed hosts
END
    is "$(field stderr)" "" "its errors"
}

# ---- curl

test_case 'curl, which names the status of the proxy and not its reason' && {
    project curl
    mkdir "$project/lib"
    cp "$(command -v curl)" "$project"
    ldd "$(command -v curl)" | grep -o '/[^ ]*' | xargs -I{} cp -L {} "$project/lib"
    printf '%s' 'run() { lib/ld-linux*.so.* --library-path lib ./curl --silent --show-error "$@"; echo "exit $?"; }
run http://'$web'/
run --cacert cert.pem --data abc https://'$web'/
run --fail http://other.test/
run https://other.test/
' >"$project/main.sh"
    run --dir "$project" --entrypoint main.sh --config "$config"
    expect "$(field stdout stderr)" "what the program got" <<'END'
hello
exit 0
got 3
exit 0
exit 22
exit 56
 curl: (22) The requested URL returned error: 403
curl: (56) CONNECT tunnel failed, response 403
END
}

# ---- Node.js

# npm with all that it needs: the one of this machine, unless that is Debian's, whose parts are packages of their own.
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
[ -d "$npm/node_modules/pacote" ] || npm=build/engine/npm/node_modules/npm

test_case 'npm installs a package from a registry, over HTTP and over TLS' && {
    project npm
    mkdir "$project/npm"
    cp -r "$npm"/{bin,lib,node_modules,index.js,package.json} "$project/npm"
    printf '%s' 'const { spawnSync } = require("child_process");
function install(target, ...options) {
    const done = spawnSync(process.execPath, ["npm/bin/npm-cli.js", "install", "--prefix", target, "--no-audit", "--no-fund", "--fetch-retries=0",
        "--cache=/tmp/npm", "--loglevel=error", ...options, "greeting"], { encoding: "utf8" });
    console.log(done.status);
    return done.stderr.split("\n")[1] ?? done.stderr;
}
const greet = (target) => console.log(require(`./${target}/node_modules/greeting`).hello());
console.error(install("plain", "--registry=http://'$web'/npm")); greet("plain");
console.error(install("secure", "--registry=https://'$web'/npm", "--cafile=cert.pem")); greet("secure");
console.log(install("refused", "--registry=http://other.test/npm"));
console.log(install("refused", "--registry=https://other.test/npm"));
' >"$project/main.js"
    run --dir "$project" --entrypoint main.js --config "$config" --timeout 120 --memory 512
    expect "$(field stdout)" "what the program got" <<'END'
0
hello from a tarball
0
hello from a tarball
1
npm error 403 403 Forbidden: host 'other.test' is not on the list of allowed hosts - GET http://other.test/npm/greeting
1
npm error 403 403 Forbidden: host 'other.test' is not on the list of allowed hosts - GET https://other.test/npm/greeting
END
    is "$(field stderr)" "" "its errors"
}

# What programs and cells fetch. Between requests to the same host, a connection may have been kept.
fetches='const hello = async () => (await (await fetch("http://'$web'/")).text()).trim();
console.log(await hello(), await hello(), ...await Promise.all([hello(), hello()]));
for (const url of ["http://'$web'/headers?a=b", "https://'$web'/", "http://other.test/", "https://other.test/", "http://localhost:81/"]) {
    try {
        const response = await fetch(url);
        console.log(response.status, (await response.text()).split("\n").slice(0, 2).join(" "));
    } catch (error) { console.log(error.message, error.cause.code ?? error.cause.message); }
}
console.log(await (await fetch("https://'$web'/", { method: "POST", body: "x".repeat(100000) })).text());
'
fetched="hello hello hello hello
200 GET /headers?a=b HTTP/1.1 Host: $web
200 hello 
403 isolator: host 'other.test' is not on the list of allowed hosts 
fetch failed the proxy refused other.test:443: 403 Forbidden: host 'other.test' is not on the list of allowed hosts
fetch failed ECONNREFUSED
got 100000"

test_case 'fetch of Node.js, in a program' && {
    project fetch
    printf '%s' "$fetches" >"$project/main.mjs"
    run --dir "$project" --entrypoint main.mjs --config "$config" --env NODE_EXTRA_CA_CERTS=cert.pem
    expect "$(field stdout)" "what the program got" <<<"$fetched"
    is "$(field stderr | grep -vE 'Warning|--trace-warnings')" "" "its errors"
}

# As Node.js 26 has it: what is used is under the second name, and under the first one an object of another class.
moved='void globalThis.Response;
const [first, second] = [1, 2].map((number) => Symbol.for(`undici.globalDispatcher.${number}`));
globalThis[second] ??= globalThis[first];
globalThis[first] = { dispatch: (...all) => globalThis[second].dispatch(...all) };
'
test_case 'fetch of Node.js, whose dispatcher has two names' && {
    project moved
    printf '%s' "$moved$fetches" >"$project/main.mjs"
    run --dir "$project" --entrypoint main.mjs --config "$config" --env NODE_EXTRA_CA_CERTS=cert.pem
    expect "$(field stdout)" "what the program got" <<<"$fetched"
}

test_case 'fetch of Node.js, in the cells of a session' && {
    project cells
    { printf '%s' "$fetches"; printf '%s\n' '# %%' 'console.log(await hello())'; } >"$project/cells.js"
    input=$project/cells.js isolator session --json --language javascript --config "$config" --env NODE_TLS_REJECT_UNAUTHORIZED=0
    expect "$(perl -MJSON::PP -ne 'print decode_json($_)->{stdout}' "$scratch/out" | grep .)" "what the cells got" <<<"$fetched
hello"
}

test_case 'fetch of Node.js, in workers, child processes and CommonJS; a program with its own options goes without' && {
    text='const { Worker, isMainThread } = require("worker_threads");
const { spawnSync } = require("child_process");
const get = (what) => fetch("http://'$web'/").then((r) => r.text()).then((text) => text.trim(), (error) => error.message).then((text) => console.log(what, text));
if (!isMainThread) get("worker");
else if (process.argv[2]) get("child");
else get("main").then(() => {
    process.stdout.write(spawnSync(process.execPath, [__filename, "child"]).stdout);
    new Worker(__filename);
});'
    code js "$text" --config "$config"
    expect "$(field stdout)" "with the options of isolator" <<'END'
main hello
child hello
worker hello
END
    code js 'console.log(process.env.NODE_OPTIONS)' --config "$config" --env NODE_OPTIONS=--no-warnings
    is "$(field stdout)" "--no-warnings" "with its own"
}

test_case 'http.get of Node.js, which uses the proxy from the versions on that the manual names' && {
    code js 'const [major, minor] = process.versions.node.split(".").map(Number);
const uses = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
const get = (url) => new Promise((done) => require("http").get(url, (response) => {
    let text = "";
    response.on("data", (data) => { text += data; }).on("end", () => done(`${response.statusCode} ${text.trim()}`));
}).on("error", (error) => done(error.code)));
(async () => {
    const seen = [await get("http://'$web'/"), await get("http://other.test/")];
    const proxied = ["200 hello", "403 isolator: host \x27other.test\x27 is not on the list of allowed hosts"];
    console.log(String(seen) === String(uses ? proxied : ["EAI_AGAIN", "EAI_AGAIN"]) ? "as in the manual" : [process.version, seen]);
})()' --config "$config"
    is "$(field stdout)" "as in the manual" "what the program got"
}

test_case 'fetch of plain HTTP, as also other interpreters of JavaScript have it' && {
    code mjs 'for (const url of ["http://'$web'/", "http://other.test/"]) {
    const response = await fetch(url);
    console.log(response.status, (await response.text()).trim());
}' --config "$config"
    expect "$(field stdout)" "what the program got" <<'END'
200 hello
403 isolator: host 'other.test' is not on the list of allowed hosts
END
}

# ---- hosts whose TLS isolator terminates

test_case 'clients find the certificates of isolator without an option, and get the header' && {
    export SSL_CERT_FILE=$scratch/cert.pem TEST_KEY=s3cr3t
    open=$(open_config '{"allow": [{"host": "'$web'", "tls": "terminate", "addresses": ["127.0.0.1/32"]}],
        "credentials": [{"host": "'$web'", "from": "env:TEST_KEY"}]}')
    project curl-tls
    mkdir "$project/lib"
    cp "$(command -v curl)" "$project"
    ldd "$(command -v curl)" | grep -o '/[^ ]*' | xargs -I{} cp -L {} "$project/lib"
    echo 'lib/ld-linux*.so.* --library-path lib ./curl -sS https://'$web'/headers | grep -io "authorization: [a-z0-9]*"' >"$project/main.sh"
    run --dir "$project" --entrypoint main.sh --config "$open"
    is "$(field stdout)" "Authorization: s3cr3t" "curl"
    project requests-tls
    cp /usr/share/python-wheels/pip-*.whl "$project"
    echo 'import glob, sys; sys.path.insert(0, glob.glob("pip-*.whl")[0])
from pip._vendor import requests
print([line for line in requests.get("https://'$web'/headers").text.splitlines() if "uthorization" in line])' >"$project/main.py"
    run --dir "$project" --entrypoint main.py --config "$open"
    is "$(field stdout)" "['Authorization: s3cr3t']" "requests"
    code js 'fetch("https://'$web'/headers").then((r) => r.text()).then((t) => console.log(t.match(/authorization.*/i)[0]))' --config "$open"
    is "$(field stdout)" "Authorization: s3cr3t" "fetch"
}

finish
