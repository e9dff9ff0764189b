#!/usr/bin/env bash
# isolator config: the table, the resolved configuration as JSON, and the schema, which accepts what isolator accepts.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

schema=share/isolator_config.schema.json
file=$scratch/config.json
export ISOLATOR_CONFIG='' XDG_CONFIG_HOME=$scratch/none

# ---- the table
# line KEY: the line of the table, with single spaces.
line() { grep "^$1 = " <<<"$out" | tr -s ' '; }
cat >"$file" <<'END'
{"$schema": "isolator_config.schema.json", "promptsDir": "snippets", "defaults": {"cpus": 0.1, "capDrop": ["NET_RAW", "MKNOD"]},
 "warm": {"go": 0}, "languages": {"go": {"env": {"GOMAXPROCS": "1"}},
 "bash": {"image": "bash:5.2", "command": ["bash", "{entrypoint}"], "extensions": [".sh"], "defaultFilename": "main.sh"}}}
END
echo '{"bogus": 1}' >"$scratch/broken.json"

test_case --quick 'the table shows each value and where it comes from' && {
    isolator config --config "$file"
    is "$status|$err" "0|" "the table"
    is "$(line defaults.memoryMB)" "defaults.memoryMB = 256 # built in" "a built-in value"
    is "$(line defaults.cpus)" "defaults.cpus = 0.1 # $file" "a value of the file"
    is "$(line defaults.capDrop)" "defaults.capDrop = [\"NET_RAW\", \"MKNOD\"] # $file" "an array of the file replaces the built-in one"
    is "$(line maximums)" "maximums = {} # built in" "an empty object"
    is "$(line 'warm[.].*')" "warm.python = 1 # built in
warm.go = 0 # $file
warm.javascript = 1 # built in" "an object has values of both"
    is "$(line languages.go.env.GOMAXPROCS)" "languages.go.env.GOMAXPROCS = \"1\" # $file" "a variable of the file"
    is "$(line languages.go.env.GOTOOLCHAIN)" "languages.go.env.GOTOOLCHAIN = \"local\" # built in" "a built-in variable beside it"
    is "$(line languages.bash.image)" "languages.bash.image = \"bash:5.2\" # $file" "a language of the file"
    is "$(line promptsDir)" "promptsDir = \"$scratch/snippets\" # $file" "promptsDir is absolute"
    is "$(grep -v ' = .*  # ' <<<"$out")" "" "each line has a key, a value and an origin"
    ISOLATOR_CONFIG=$file isolator config
    is "$(line defaults.cpus)" "defaults.cpus = 0.1 # $file" "the file of ISOLATOR_CONFIG"
    isolator config
    is "$(line defaults.cpus)|$(grep -vc '# built in$' <<<"$out")" "defaults.cpus = 0.5 # built in|0" "without a file every value is built in"
}

test_case 'values of the installed default' && {
    # In a mount namespace with its own /usr/local/share.
    mkdir -p "$scratch/share/isolator"
    cp "$file" "$scratch/share/isolator/isolator_config.json"
    alone=(unshare --mount)
    [ "$(id -u)" = 0 ] || alone=(unshare --map-root-user --mount)
    out=$("${alone[@]}" sh -c 'mount --bind "$1" /usr/local/share && exec "$2" config' sh "$scratch/share" "$ISOLATOR" 2>&1)
    is "$(line defaults.cpus)" "defaults.cpus = 0.1 # installed default" "a value of the installed default"
    is "$(line defaults.memoryMB)" "defaults.memoryMB = 256 # built in" "a value that it does not have"
}

test_case --quick 'control characters in a value and in the name of the file' && {
    odd=$scratch/$(printf 'a\033[2J').json
    printf '{"languages": {"python": {"env": {"A": "\302\233\\u001b\177"}}}}' >"$odd"
    isolator config --config "$odd"
    has "$out" 'languages.python.env.A = "\u009b\u001B\u007f"' "control characters in a value"
    has "$(line languages.python.env.A)" '# '"$scratch"'/a\x1b[2J.json' "control characters in the name of the file"
}

# ---- as a configuration file
"$ISOLATOR" config --json --config "$file" >"$scratch/resolved.json"

test_case --quick '--json prints a configuration that is read to the same' && {
    isolator config --json --config "$file"
    is "$status|$err" "0|" "--json"
    isolator config --json --config "$scratch/resolved.json"
    is "$out" "$(cat "$scratch/resolved.json")" "--json is a configuration file that is read to the same"
    isolator config --config "$scratch/resolved.json"
    is "$(grep -c "# $scratch/resolved.json\$" <<<"$out")" "$(grep -c ' = ' <<<"$out")" "it has every value"
    is "$(perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>);
    print join " ", $all->{defaults}{cpus}, $all->{languages}{go}{env}{GOMAXPROCS}, $all->{languages}{bash}{image}' \
    <"$scratch/resolved.json")" "0.1 1 bash:5.2" "--json: the values are those of the files"
    isolator config --json --config <(cat "$file")
    is "$(grep -v promptsDir <<<"$out")" "$(grep -v promptsDir "$scratch/resolved.json")" "a configuration from a pipe"
}

test_case --quick '--json without a file prints isolator_config.json' && {
    isolator config --json
    is "$(perl -MJSON::PP -e 'local $/; print JSON::PP->new->canonical->encode(decode_json(<STDIN>))' <<<"$out")" \
        "$(perl -MJSON::PP -e 'local $/; print JSON::PP->new->canonical->encode(decode_json(<STDIN>))' <isolator_config.json)" \
        "--json without a file is isolator_config.json"
}

# ---- errors
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    isolator config "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case --quick 'wrong use' && {
    wrong "$scratch/broken.json: bogus: unknown key" "a file with a mistake" --config "$scratch/broken.json"
    wrong "--json and --schema cannot be used together" "both forms" --json --schema
    wrong "unknown option '--jsno'; did you mean --json?" "an option misspelt" --jsno
    wrong "unexpected argument 'all'; see isolator config --help" "an argument" all
}

test_case --quick 'a full device' && {
    "$ISOLATOR" config >/dev/full 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the configuration: No space left on device" "a full device"
}

# ---- the schema

test_case --quick '--schema prints the schema, also with a wrong configuration' && {
    isolator config --schema
    is "$status|$(cmp "$scratch/out" "$schema" 2>&1)|$err" "0||" "--schema prints $schema"
    isolator config --schema --config "$scratch/broken.json"
    is "$status|$(cmp "$scratch/out" "$schema" 2>&1)|$err" "0||" "--schema, with a wrong configuration"
}

test_case --quick 'each key of the schema has a title and a description' && {
    is "$(perl -MJSON::PP -e 'local $/; my $s = decode_json(<STDIN>);
    my %parts = (%{$s->{properties}}, map { %{$_->{properties} // {x => $_}} } @{$s->{q($defs)}}{"language", keys %{$s->{q($defs)}}});
    print join " ", sort grep { my $part = $parts{$_}; $part = $s->{q($defs)}{$_} if $part->{q($ref)} && $s->{q($defs)}{$_};
        $_ ne "x" && (!$part->{title} || !$part->{description}) } keys %parts' <"$schema")" "" \
        "each has a title and a description"
}

test_case 'the schema accepts and refuses what isolator accepts and refuses' && {
    # Samples; and each range at its ends.
    said=$(test/mcp/install 2>&1) || { ok 1 "npm installs ajv"; diag "$said"; }
    json_of() { perl -MJSON::PP -e 'local $/; print encode_json(decode_json(<STDIN>)), "\n"' <"$1"; }
    { json_of isolator_config.json; json_of "$scratch/resolved.json"; json_of "$file"; cat; } >"$scratch/samples" <<'END'
{}
{"$schema": "https://example.org/x.json"}
{"$schema": 5}
{"$schema": ""}
{"containerCommand": "/usr/bin/podman"}
{"containerCommand": ""}
{"containerCommand": ["docker"]}
{"containerWorkdir": "/srv/a.b/..c"}
{"containerWorkdir": "/etcetera"}
{"containerWorkdir": "/etc/x"}
{"containerWorkdir": "/proc"}
{"containerWorkdir": "/sys/x"}
{"containerWorkdir": "/dev"}
{"containerWorkdir": "/bin"}
{"containerWorkdir": "/sbin"}
{"containerWorkdir": "/lib"}
{"containerWorkdir": "/lib64"}
{"containerWorkdir": "/usr/x"}
{"containerWorkdir": "work"}
{"containerWorkdir": "/"}
{"containerWorkdir": "/w/"}
{"containerWorkdir": "/w//x"}
{"containerWorkdir": "/w/../x"}
{"containerWorkdir": "/w/."}
{"containerWorkdir": "/w x"}
{"containerWorkdir": "/w x/"}
{"containerWorkdir": "/w "}
{"containerWorkdir": "/w  //"}
{"containerWorkdir": "//etc"}
{"containerWorkdir": "///etcetera//x"}
{"containerWorkdir": "/w,x"}
{"containerWorkdir": "/w:x"}
{"containerWorkdir": "/w$x"}
{"containerWorkdir": "/w\\x"}
{"allowUnenforced": true}
{"allowUnenforced": 1}
{"tools": {"a": {"command": "c", "args": ["", "x"], "env": {"A": "env:B", "C": "file:/d", "E": "e"}, "allow": [], "ask": ["a.*"]}}}
{"tools": {"a": {}}}
{"tools": {"a": {"command": "c", "env": {"A": "env:"}}}}
{"tools": {"a": {"command": "c", "env": {"A": "file:b"}}}}
{"tools": {"a": {"command": "c", "env": {"A-": "b"}}}}
{"tools": {"a": {"command": "c", "ask": ["a b"]}}}
{"tools": {"a b": {"command": "c"}}}
{"tools": {"a": {"command": "c", "url": "x"}}}
{"mcpServers": {"a": {"command": "c", "type": "stdio", "x": 1}}}
{"mcpServers": {"a": {"command": "c", "type": "sse"}}}
{"mcpServers": {"a": {"command": "c", "url": "http://x"}}}
{"promptsDir": "here"}
{"images": []}
{"images": ["swebench/*", "python:3.*", "*.example.com:5000/a/*", "x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]}
{"images": "python"}
{"images": [""]}
{"images": ["team/**"]}
{"images": ["-x"]}
{"images": ["a b"]}
{"images": [1]}
{"isolatorPath": "/old"}
{"engineTimeoutSeconds": "10"}
{"warm": {"python": 0, "go": 100}}
{"warm": {"python": 101}}
{"warm": {"python": -1}}
{"warm": [1]}
{"sessions": {}}
{"sessions": {"max": 0}}
{"sessions": {"max": 257}}
{"sessions": {"idleSeconds": 0}}
{"sessions": {"lifetimeSeconds": 86400, "cpuSeconds": 864000, "outputBytes": 1024}}
{"sessions": {"outputBytes": 1.5}}
{"sessions": {"idle": 1}}
{"sessions": 4}
{"defaults": []}
{"defaults": {"image": "x"}}
{"defaults": {"memory": 64}}
{"defaults": {"network": "my_net-1.x"}}
{"defaults": {"network": "host"}}
{"defaults": {"network": "hosts"}}
{"defaults": {"network": "container:x"}}
{"defaults": {"network": "-x"}}
{"defaults": {"network": 5}}
{"defaults": {"network": []}}
{"defaults": {"network": {}}}
{"network": {}}
{"network": "none"}
{"network": {"allow": []}}
{"network": {"allow": "example.com"}}
{"network": {"allow": {}}}
{"network": {"allow": ["example.com", "*.example.com", "192.0.2.1", "[2001:db8::1]", "my_host.", "xn--bcher-kva.example"]}}
{"network": {"allow": ["example.com:8443", "*.example.com:1", "192.0.2.1:65535", "[2001:db8::1]:80", "localhost:3000"]}}
{"network": {"allow": [""]}}
{"network": {"allow": [5]}}
{"network": {"allow": ["*"]}}
{"network": {"allow": ["*.*.example.com"]}}
{"network": {"allow": ["a.*.example.com"]}}
{"network": {"allow": ["a..b"]}}
{"network": {"allow": ["https://example.com"]}}
{"network": {"allow": ["example.com/x"]}}
{"network": {"allow": ["example.com:"]}}
{"network": {"allow": ["example.com:https"]}}
{"network": {"allow": ["example.com:123456"]}}
{"network": {"allow": ["a b"]}}
{"network": {"allow": ["0x7f.1"]}}
{"network": {"allow": ["127.0x1"]}}
{"network": {"allow": ["2130706433"]}}
{"network": {"allow": ["127.1:80"]}}
{"network": {"allow": ["1.2.3.4.5"]}}
{"network": {"allow": ["*.1"]}}
{"network": {"allow": ["1.example.com", "0x7f.example.com", "0x7g"]}}
{"network": {"allow": ["2001:db8::1"]}}
{"network": {"allow": ["bücher.example"]}}
{"network": {"allow": [{"host": "packages.example.com", "ports": [443], "addresses": ["10.1.2.0/24", "fd00::/8", "10.2.3.4"], "raw": true}]}}
{"network": {"allow": [{"host": "*.example.com"}, {"host": "[::1]", "addresses": []}]}}
{"network": {"allow": [{"host": "example.com:80"}]}}
{"network": {"allow": [{"host": "0x7f.1"}]}}
{"network": {"allow": [{"host": 5}]}}
{"network": {"allow": [{"host": ""}]}}
{"network": {"allow": [{"ports": [80]}]}}
{"network": {"allow": [{}]}}
{"network": {"allow": [[]]}}
{"network": {"allow": [{"host": "a.example", "prots": [80]}]}}
{"network": {"allow": [{"host": "a.example", "ports": []}]}}
{"network": {"allow": [{"host": "a.example", "ports": 80}]}}
{"network": {"allow": [{"host": "a.example", "ports": ["80"]}]}}
{"network": {"allow": [{"host": "a.example", "ports": [1, 65535]}]}}
{"network": {"allow": [{"host": "a.example", "ports": [0]}]}}
{"network": {"allow": [{"host": "a.example", "ports": [65536]}]}}
{"network": {"allow": [{"host": "a.example", "ports": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}]}}
{"network": {"allow": [{"host": "a.example", "ports": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}]}}
{"network": {"allow": [{"host": "a.example", "addresses": "10.0.0.0/8"}]}}
{"network": {"allow": [{"host": "a.example", "addresses": ["b.example"]}]}}
{"network": {"allow": [{"host": "a.example", "addresses": ["10.0.0.0/"]}]}}
{"network": {"allow": [{"host": "a.example", "addresses": ["::1","::2","::3","::4","::5","::6","::7","::8","::9","::a","::b","::c","::d","::e","::f","::10"]}]}}
{"network": {"allow": [{"host": "a.example", "addresses": ["::1","::2","::3","::4","::5","::6","::7","::8","::9","::a","::b","::c","::d","::e","::f","::10","::11"]}]}}
{"network": {"allow": [{"host": "a.example", "raw": 1}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "pass"}]}}
{"network": {"allow": [{"host": "a.example", "tls": true}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": []}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A_1"}]}}
{"network": {"allow": [{"host": "*.a.example", "tls": "terminate"}], "credentials": [{"host": "*.a.example", "header": "X-Api_Key", "from": "file:/run/a key", "prefix": "Bearer "}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": {}}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"from": "env:A"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": ["a.example"]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "A"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:1A"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A B"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "file:a"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A", "header": "a b"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A", "header": ""}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A", "prefix": ""}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A", "prefix": "\t"}]}}
{"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A", "value": "x"}]}}
{"network": {"credentials": []}}
{"languages": {"python": {"prepare": {"network": {"allow": [{"host": "a.example", "tls": "terminate"}], "credentials": [{"host": "a.example", "from": "env:A"}]}}}}}
{"network": {"maxBytes": "1 MB"}}
{"network": {"maxConnections": 2.5}}
{"maximums": {"network": {"allow": ["example.com"], "maxBytes": 1000, "maxConnections": 1}}}
{"maximums": {"network": {"host": "example.com"}}}
{"languages": {"python": {"network": {"allow": ["packages.example"]}}}}
{"languages": {"python": {"network": {"hosts": ["packages.example"]}}}}
{"languages": {"python": {"prepare": {"network": {"allow": ["packages.example"]}}}}}
{"defaults": {"readOnly": "yes"}}
{"defaults": {"capDrop": ["all", "cap_net_raw,MKNOD"]}}
{"defaults": {"capDrop": []}}
{"defaults": {"capDrop": "ALL"}}
{"defaults": {"capDrop": ["CAP_"]}}
{"defaults": {"capDrop": ["A,,B"]}}
{"defaults": {"capDrop": ["NET RAW"]}}
{"defaults": {"user": "0"}}
{"defaults": {"user": "2097151:0001"}}
{"defaults": {"user": "2097152"}}
{"defaults": {"user": "1:9999999"}}
{"defaults": {"user": "root"}}
{"defaults": {"user": "1:"}}
{"defaults": {"user": 0}}
{"userRange": "1-256"}
{"userRange": "1900000-2097151"}
{"userRange": "0-1000"}
{"userRange": "1000-2097152"}
{"userRange": "1000"}
{"userRange": [1000, 2000]}
{"maximums": {"readOnly": true, "user": "7:8", "capDrop": ["ALL"]}}
{"maximums": {"env": {}}}
{"languages": {"python": {"image": "registry.example:5000/a/b@sha256:00"}}}
{"languages": {"python": {"image": "-x"}}}
{"languages": {"python": {"image": "a b"}}}
{"languages": {"python": {"command": []}}}
{"languages": {"python": {"command": ["sh", "-c", ". ./{entrypoint}"]}}}
{"languages": {"python": {"command": ["", "{entrypoint}"]}}}
{"languages": {"python": {"sessionCommand": []}}}
{"languages": {"python": {"sessionCommand": ["python3", "-c", "{python_driver}"]}}}
{"languages": {"python": {"sessionCommand": [""]}}}
{"languages": {"python": {"sessionCommand": "python3"}}}
{"languages": {"python": {"imageVersions": {"PYTHON_VERSION": "3.11"}}}}
{"languages": {"python": {"imageVersions": {"PYTHON_VERSION": "latest"}}}}
{"languages": {"python": {"imageVersions": {"PYTHON_VERSION": 3}}}}
{"languages": {"python": {"imageVersions": {"A-B": "3"}}}}
{"languages": {"python": {"aliases": []}}}
{"languages": {"python": {"aliases": ["snake", "c++-1.0_#"]}}}
{"languages": {"python": {"aliases": ["a b"]}}}
{"languages": {"python": {"aliases": [""]}}}
{"languages": {"python": {"aliases": ["1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h"]}}}
{"languages": {"python": {"extensions": ["py"]}}}
{"languages": {"python": {"extensions": []}}}
{"languages": {"python": {"extensions": ["./x"]}}}
{"languages": {"python": {"extensions": [".tar.gz"]}}}
{"languages": {"python": {"defaultFilename": "a/b"}}}
{"languages": {"python": {"defaultFilename": ".."}}}
{"languages": {"python": {"defaultFilename": "..x"}}}
{"languages": {"python": {"defaultFilename": ""}}}
{"languages": {"python": {"prepare": {"run": ["pip install x", "true"], "network": "bridge"}}}}
{"languages": {"python": {"prepare": {"run": []}}}}
{"languages": {"python": {"prepare": {}}}}
{"languages": {"python": {"prepare": {"run": [" "]}}}}
{"languages": {"python": {"prepare": {"run": "true"}}}}
{"languages": {"python": {"prepare": {"network": "host"}}}}
{"languages": {"python": {"prepare": {"steps": []}}}}
{"languages": {"python": {"prepare": []}}}
{"languages": {"python": {"listPackages": ["pip", "list"]}}}
{"languages": {"python": {"listPackages": []}}}
{"languages": {"python": {"packages": []}}}
{"languages": {"python": {"packages": ["numpy==1.26.4", "@scope/name"]}}}
{"languages": {"python": {"packages": ["a b"]}}}
{"languages": {"python": {"packages": ["-a"]}}}
{"languages": {"python": {"packages": [""]}}}
{"languages": {"python": {"env": {"A_1": "", "_b": "x"}}}}
{"languages": {"python": {"env": {"1A": "x"}}}}
{"languages": {"python": {"env": {"A-B": "x"}}}}
{"languages": {"python": {"env": {"IFS": "x"}}}}
{"languages": {"python": {"env": {"IFS2": "x"}}}}
{"languages": {"python": {"env": {"OPTIND": "1"}}}}
{"languages": {"python": {"env": {"PPID": "1"}}}}
{"languages": {"python": {"env": {"UID": "1"}}}}
{"languages": {"python": {"env": {"EUID": "1"}}}}
{"languages": {"python": {"env": {"BASHOPTS": "x"}}}}
{"languages": {"python": {"env": {"SHELLOPTS": "x"}}}}
{"languages": {"python": {"env": {"BASH_VERSINFO": "x"}}}}
{"languages": {"python": {"env": {"A": 1}}}}
{"languages": {"python": {"timeoutSeconds": 1.5, "network": "bridge"}}}
{"languages": {"c++#._-": {"image": "i", "command": ["{entrypoint}"], "extensions": ["."], "defaultFilename": "m"}}}
{"languages": {"a b": {"image": "i", "command": ["{entrypoint}"], "extensions": ["."], "defaultFilename": "m"}}}
{"languages": {"ruby": {"image": "i", "command": ["{entrypoint}"], "extensions": [".rb"]}}}
{"languages": {"ruby": {}}}
{"languages": {"": {}}}
END
    node test/mcp/config_schema.mjs "$schema" <"$scratch/samples" >"$scratch/verdicts" 2>"$scratch/node"
    is "$?|$(cat "$scratch/node")" "0|" "ajv accepts the schema"
    within "$(grep -c '^good' "$scratch/verdicts")" 50 2000 "samples that the schema accepts"
    within "$(grep -c '^bad' "$scratch/verdicts")" 80 2000 "samples that it refuses"
    is "$(head -n 3 "$scratch/verdicts" | cut -d ' ' -f 1)" $'good\ngood\ngood' "it accepts isolator_config.json and the output of --json"
    while read -r verdict json; do
        printf '%s' "$json" >"$file"
        "$ISOLATOR" config --config "$file" >/dev/null 2>"$scratch/err"
        case $? in 0) taken=good ;; 2) taken=bad ;; *) taken=$? ;; esac
        is "$taken" "$verdict" "${json:0:100}"
        [ "$taken" = "$verdict" ] || diag "$(cat "$scratch/err")"
    done <"$scratch/verdicts"
}

finish
