#!/usr/bin/env bash
# The configuration: which file is read, how it is merged into the built-in one, what is refused.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

probe=$PWD/test/fixtures/probe.py
debian=isolator-test/python:bookworm # has python and bash; test/setup builds it everywhere
patient='"engineTimeoutSeconds": 300' # for runs in a container: the machine may be slow
python="$patient, \"languages\": {\"python\": {\"image\": \"$debian\"}}"
file=$scratch/config.json
export ISOLATOR_CONFIG='' XDG_CONFIG_HOME=$scratch/none

# configured JSON ARG...: `isolator run ARG...` with this configuration.
configured() {
    printf '%s' "$1" >"$file"
    shift
    run --config "$file" "$@"
}

# wrong JSON MESSAGE NAME: the configuration is refused in one line that begins with the file.
wrong() {
    configured "$1" "$probe"
    is "$status|$out|$err" "2||isolator: $file$2" "$3"
}

# ---- which file is read: each of these has an unknown key, so the message tells which was read
bogus() {
    mkdir -p "$(dirname "$1")"
    echo '{"bogus": 1}' >"$1"
}
bogus "$scratch/asked.json"
bogus "$scratch/variable.json"
bogus "$scratch/xdg/isolator/config.json"
bogus "$scratch/home/.config/isolator/config.json"

test_case --quick '--config, ISOLATOR_CONFIG, XDG_CONFIG_HOME, ~/.config: the first wins' && {
    ISOLATOR_CONFIG=$scratch/variable.json XDG_CONFIG_HOME=$scratch/xdg \
        refused "$scratch/asked.json: bogus: unknown key" "--config comes first" --config "$scratch/asked.json" "$probe"
    ISOLATOR_CONFIG=$scratch/variable.json XDG_CONFIG_HOME=$scratch/xdg \
        refused "$scratch/variable.json: bogus: unknown key" "then ISOLATOR_CONFIG" "$probe"
    XDG_CONFIG_HOME=$scratch/xdg \
        refused "$scratch/xdg/isolator/config.json: bogus: unknown key" "then XDG_CONFIG_HOME" "$probe"
    XDG_CONFIG_HOME='' HOME=$scratch/home refused "$scratch/home/.config/isolator/config.json: bogus: unknown key" \
        "then ~/.config, if XDG_CONFIG_HOME is empty" "$probe"
}

test_case '/etc comes before the installed default' && {
    # In a mount namespace with its own /etc and /usr/local/share.
    bogus "$scratch/etc/isolator/config.json"
    bogus "$scratch/share/isolator/isolator_config.json"
    cat >"$scratch/elsewhere" <<END
#!/bin/sh
mount --bind "$scratch/etc" /etc && mount --bind "$scratch/share" /usr/local/share && exec "$ISOLATOR" "\$@"
END
    chmod +x "$scratch/elsewhere"
    alone=(unshare --mount)
    [ "$(id -u)" = 0 ] || alone=(unshare --map-root-user --mount)
    elsewhere() {
        out=$("${alone[@]}" "$scratch/elsewhere" run "$probe" 2>&1)
        is "$out" "isolator: $1: bogus: unknown key" "$2"
    }
    elsewhere /etc/isolator/config.json "then /etc"
    rm "$scratch/etc/isolator/config.json"
    elsewhere /usr/local/share/isolator/isolator_config.json "then the installed default"
}

test_case --quick 'never a file of the current directory' && {
    for name in isolator_config.json config.json isolator.json isolator/config.json .config/isolator/config.json \
        .isolator/config.json .isolator.json; do
        bogus "$scratch/here/$name"
    done
    here=$(cd "$scratch/here" && "$ISOLATOR" run -l klingon x 2>&1)
    hasnt "$here" bogus "no file of the current directory"
    here=$(cd "$scratch/here" && XDG_CONFIG_HOME=. HOME=$scratch/none "$ISOLATOR" run -l klingon x 2>&1)
    hasnt "$here" bogus "not even by a relative XDG_CONFIG_HOME"
}

test_case --quick 'files that cannot be read' && {
    refused "cannot open the configuration '$scratch/nothing': No such file or directory" "--config: a missing file" \
        --config "$scratch/nothing" "$probe"
    ISOLATOR_CONFIG=$scratch/nothing \
        refused "cannot open the configuration '$scratch/nothing': No such file or directory" \
        "ISOLATOR_CONFIG: a missing file" "$probe"
    refused "cannot read the configuration '$scratch': Is a directory" "--config: a directory" --config "$scratch" "$probe"
}

test_case --quick 'a configuration from a pipe' && {
    # The writer takes its time, as one that decrypts would.
    printf '{%s}' "$python" >"$file"
    run --config <(sleep 0.3; cat "$file") -l klingon "$probe"
    is "$err" "isolator: unknown language 'klingon'; known are: $built_in" "--config: a pipe"
}

# ---- what is merged into what
names="memory swap cpus pids net root capbnd user workdir tmp cwd"
environment='
print(*("%s=%s" % item for item in sorted(os.environ.items()) if item[0][:2] in ("PY", "HO", "X_")))'
everything=$(snippet py "$(cat "$probe")$environment")
defaults='"defaults": {"timeoutSeconds": 90, "memoryMB": 128, "cpus": 0.25, "pidsLimit": 32, "network": "bridge",
    "readOnly": false, "capDrop": ["CAP_NET_RAW", "MKNOD,CHOWN"], "user": "1000:1001", "workdirMB": 8, "tmpMB": 4,
    "outputBytes": 1024}'

test_case 'a file with an image alone changes nothing else' && {
    printf '{%s}' "$python" >"$file"
    # shellcheck disable=SC2086 # a list of words
    ISOLATOR_CONFIG=$file run "$everything" -- $names
    is "$(field stdout | own_users)" "memory=268435456 swap=0 cpus=0.5 pids=64 net=lo root=ro capbnd=0000000000000000 \
user=OWN:OWN workdir=67108864 tmp=67108864 cwd=/workspace
HOME=/tmp HOSTNAME=sandbox PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1" \
        "an image alone leaves all limits and the language's environment as they are"
    is "$(field image)" "$debian" "it is the image of the run"
}

test_case 'every default changed' && {
    # shellcheck disable=SC2086
    configured "{$defaults, $python, \"containerWorkdir\": \"/srv//here and there/\", \"promptsDir\": \"p\",
    \"isolatorPath\": \"/old\"}" "$probe" -- $names
    is "$(field stdout)" "memory=134217728 swap=0 cpus=0.25 pids=32 net=eth0,lo root=rw capbnd=00000000a00405fa \
user=1000:1001 workdir=8388608 tmp=4194304 cwd=/srv/here and there" \
        "every default changed; CAP_NET_RAW is NET_RAW; isolatorPath is accepted"
}

test_case 'built-in < defaults < language < options' && {
    limits='"memoryMB": 100, "pidsLimit": 20, "network": "none", "readOnly": true, "capDrop": ["ALL"], "user": "7"'
    configured "{$defaults, $patient, \"languages\": {\"python\": {\"image\": \"$debian\", $limits, \"env\": {
    \"X_ONE\": \"1 \$HOME 'é' \\\"\", \"X_TWO\": \"2\", \"PYTHONUNBUFFERED\": \"yes\"}}}}" \
        --env X_TWO=3 --memory 50 "$everything" -- memory cpus pids net root capbnd user
    is "$(field stdout)" "memory=52428800 cpus=0.25 pids=20 net=lo root=ro capbnd=0000000000000000 user=7:7
HOME=/tmp HOSTNAME=sandbox PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=yes X_ONE=1 \$HOME 'é' \" X_TWO=3" \
        "built-in < defaults < language < options, for limits and environment"
}

test_case "a language of one's own" && {
    configured '{'"$patient"', "defaults": {"timeoutSeconds": 5, "outputBytes": 1024, "readOnly": false},
    "languages": {"shell": {"image": "'$debian'",
    "command": ["bash", "-c", "echo $0 $1; . ./$0", "{entrypoint}", "<{entrypoint}>"], "extensions": [".bsh", ".bashrc"], "defaultFilename": "main.bsh"}}}' \
        --read-only "$(snippet bashrc 'echo "bash ${BASH_VERSION%%.*}, $2"
mkdir /written
printf "%02000d" 0
sleep 600')" -- argument
    is "$(field stdout | head -n 2 | sed 's/snippet-....../X/g')" "X.bashrc <X.bashrc>
bash 5, argument" "a language of one's own: command and extension"
    is "$status $(field reason) $(field error)" "124 timeout program did not end within 5 s" "timeoutSeconds"
    has "$(field stdout)" "[... $(($(field stdoutBytes) - 1024)) bytes left out ...]" "outputBytes"
    is "$(field stderr)" "mkdir: cannot create directory '/written': Read-only file system" "--read-only over readOnly: false"
    input=$(snippet x 'echo "in $0"')
    run --config="$file" - -l shell
    is "$(field stdout)" "main.bsh <main.bsh>
in main.bsh" "its default file"
    unset input
    refused "unknown language 'klingon'; known are: $built_in, shell" "the list of known languages has it" \
        --config "$file" -l klingon "$probe"
}

test_case 'containerCommand runs every engine command; a shipped language changed' && {
    cat >"$scratch/wrapper" <<END
#!/bin/sh
echo "\$1" >>"$scratch/steps"
printf '%s\\n' "\$*" >>"$scratch/log"
exec docker "\$@"
END
    chmod +x "$scratch/wrapper"
    configured '{"containerCommand": "'"$scratch/wrapper"'", '"$patient"', "languages": {"python": {"image": "'$debian'",
    "command": ["python3", "-I", "{entrypoint}"], "extensions": [".mypy"], "defaultFilename": "start.mypy"}}}' \
        --env SECRET=hunter2 "$(snippet mypy 'import os, sys; print(os.environ["SECRET"], sys.flags.isolated)')"
    is "$status $(field stdout)" "0 hunter2 1" "containerCommand; another command and extension for a shipped language"
    is "$(grep -vx ps "$scratch/steps" | paste -s -d ' ')" "run" "the wrapper runs every engine command"
    hasnt "$(cat "$scratch/log")" hunter2 "no engine command has the values of --env"
    refused "cannot tell the language of 'probe.py'; give --language ($built_in)" \
        "a language whose old extension is gone" --config "$file" "$probe"
}

test_case --quick 'containerCommand that does not exist' && {
    configured "{\"containerCommand\": \"$scratch/nothing\", $python}" "$probe"
    is "$status $(field reason) $(field error)" "3 engine cannot run '$scratch/nothing': No such file or directory; is it installed, and on PATH?" \
        "containerCommand: a missing file"
}

# ---- what is refused

test_case --quick 'files that are not JSON, or no object' && {
    wrong '' ":1:0: '[' or '{' expected near end of file; it is empty" "an empty file"
    wrong $'{\n// x\n}' ":2:1: string or '}' expected near '/'; JSON has no comments" "a comment"
    wrong '{"defaults": {"memoryMB": 64,
 "cpus" 0.5}}' ":2:11: ':' expected near '0.5'" "not JSON: line and column"
    wrong '{} x' ":1:4: end of file expected near 'x'" "more than JSON"
    wrong '[]' ": must be an object" "no object"
    wrong '{"languages": {"python": {"image": "a",
 "image": "b"}}}' ":2:8: duplicate object key near '\"image\"'" "a key twice"
    wrong '{"defaults": {"user": "1\u0000"}}' ":1:31: a string must not contain \\u0000" "a string with a NUL character"
}

test_case --quick 'unknown keys' && {
    wrong '{"langages": {}}' ": langages: unknown key; did you mean 'languages'?" "an unknown key"
    wrong '{"xyzzy": {}}' ": xyzzy: unknown key" "a key like no other"
    wrong '{"line\nbreak": {}}' ': line\nbreak: unknown key' "a key with a line break: the message stays one line"
    wrong '{"defaults": {"memory": 5}}' ": defaults.memory: unknown key; did you mean 'memoryMB'?" "in defaults"
    wrong '{"maximums": {"pidLimit": 5}}' ": maximums.pidLimit: unknown key; did you mean 'pidsLimit'?" "in maximums"
    wrong '{"languages": {"python": {"imag": "x"}}}' ": languages.python.imag: unknown key; did you mean 'image'?" \
        "in a language"
    wrong '{"defaults": {"timeout": 5}}' ": defaults.timeout: unknown key; did you mean 'timeoutSeconds'?" \
        "an option's name for the key"
}

test_case --quick 'wrong values of limits' && {
    for value in '"64"' null true '[1]'; do
        wrong "{\"defaults\": {\"memoryMB\": $value}}" ": defaults.memoryMB: must be a number" "memoryMB: $value"
    done
    wrong '{"languages": {"go": {"memoryMB": -1}}}' ": languages.go.memoryMB: it must be from 6 to 16777216 MB" "memoryMB: -1"
    wrong '{"defaults": {"memoryMB": 1e300}}' ": defaults.memoryMB: it must be from 6 to 16777216 MB" "memoryMB: 1e300"
    range() { # KEY RANGE
        wrong "{\"maximums\": {\"$1\": 0}}" ": maximums.$1: it must be $2" "$1: 0"
    }
    range timeoutSeconds "from 0.001 to 31622400 s"
    range memoryMB "from 6 to 16777216 MB"
    range cpus "from 0.01 to 4096"
    range pidsLimit "from 8 to 4194304"
    wrong '{"maximums": {"cpuSeconds": -1}}' ": maximums.cpuSeconds: it must be from 0 to 31622400 s" "cpuSeconds: -1"
    range workdirMB "from 1 to 1048576 MB"
    range tmpMB "from 1 to 1048576 MB"
    range outputBytes "from 1024 to 67108864 bytes"
    wrong '{"defaults": {"memoryMB": 64.5}}' ": defaults.memoryMB: it must be a whole number" "memoryMB: 64.5"
    wrong '{"defaults": {"cpus": 1e309}}' ":1:27: real number overflow near '1e309'" "cpus: 1e309"
    wrong '{"defaults": {"cpus": NaN}}' ":1:25: invalid token near 'NaN'" "cpus: NaN"
}

test_case --quick 'wrong values of other keys' && {
    string="must be a string that is not empty"
    strings="must be an array of strings that is not empty"
    while IFS='|' read -r json message; do
        key=${message%%:*}
        wrong "$json" ": $message" "$key: ${json##*: }"
    done <<END
{"containerCommand": ["docker"]}|containerCommand: $string
{"containerWorkdir": "/etc"}|containerWorkdir: '/etc' cannot be the working directory: it is in the system's /etc
{"languages": []}|languages: must be an object
{"defaults": {"network": "host"}}|defaults.network: network 'host' would lift the isolation; use none, bridge or a network of the engine
{"defaults": {"readOnly": "yes"}}|defaults.readOnly: must be true or false
{"defaults": {"capDrop": "ALL"}}|defaults.capDrop: $strings
{"defaults": {"user": "root"}}|defaults.user: 'root' is not a user; write numbers up to 2097151, like 65534 or 1000:1000
{"languages": {"python": {"command": ["python3"]}}}|languages.python.command: must be a command with "{entrypoint}" in it, since there is no build
{"languages": {"python": {"extensions": ["py"]}}}|languages.python.extensions: must be extensions with their dot, like ".py"
{"languages": {"python": {"env": {"A-B": "5"}}}}|languages.python.env.A-B: must be named like a variable: letters, digits, _
{"languages": {"python": {"imageVersions": {"A-B": "3"}}}}|languages.python.imageVersions.A-B: must be named like a variable: letters, digits, _
{"languages": {"python": {"imageVersions": {"A": "v3"}}}}|languages.python.imageVersions.A: must be a version: numbers with dots between them
{"languages": {"python": {"stackMB": 0}}}|languages.python.stackMB: must be a whole number from 1 to 16777216
{"languages": {"python": {"preload": ["a-b"]}}}|languages.python.preload: must be names of modules, like numpy or os.path
{"languages": {"python": {"preload": ["a..b"]}}}|languages.python.preload: must be names of modules, like numpy or os.path
{"languages": {"python": {"preload": ["9"]}}}|languages.python.preload: must be names of modules, like numpy or os.path
{"languages": {"go": {"preload": ["x"]}}}|languages.go.preload: must be left out: only Python has modules to preload
{"languages": {"python": {"filenamePattern": ""}}}|languages.python.filenamePattern: $string
{"languages": {"python": {"filenamePattern": "class .*"}}}|languages.python.filenamePattern: a pattern needs 1 to 9 groups in parentheses, the last of which is the name
{"languages": {"cobol": {"image": "cobol:3"}}}|languages.cobol: must be complete: a new language needs image, command, extensions and defaultFilename
END
}

test_case --quick 'wrong values with a line break: the message stays one line' && {
    while IFS='|' read -r json key; do
        configured "$json" "$probe"
        is "$status|$out|${err%%"$key:"*}|$(wc -l <"$scratch/err")" "2||isolator: $file: |1" "$key: ${json##*: }"
    done <<'END'
{"languages": {"ru\nby": {}}}|languages.ru\nby
{"languages": {"python": {"env": {"A\nB": "5"}}}}|languages.python.env.A\nB
END
}

# ---- maximums
more="is more than the configuration allows (maximums"
too_much() { # MAXIMUM MESSAGE ARG...
    local maximum=$1 message=$2
    shift 2
    configured "{\"maximums\": {$maximum}, $python}" "$@" "$probe"
    is "$status|$out|$err" "2||isolator: $message" "maximums $maximum: $*"
}

test_case --quick 'more than a maximum is refused' && {
    too_much '"timeoutSeconds": 10' "--timeout 10.001 s $more.timeoutSeconds: 10)" -t 10.001s
    too_much '"memoryMB": 300' "--memory 301 MB $more.memoryMB: 300)" -m 301
    too_much '"cpuSeconds": 10' "--cpu-seconds 10.5 s $more.cpuSeconds: 10)" --cpu-seconds 10.5
    too_much '"cpuSeconds": 10' "--cpu-seconds cannot be 0, which means no limit: the configuration has a maximum \
(maximums.cpuSeconds: 10)" --cpu-seconds 0
    too_much '"outputBytes": 1048576' "--output-limit 1048577 bytes $more.outputBytes: 1048576)" --output-limit 1048577
    too_much '"network": "none"' "--network 'bridge' is not allowed by the configuration (maximums.network: 'none')" \
        --network bridge
    too_much '"network": {"allow": ["a.example"]}' "host 'a.example', port 8080, is not allowed by the \
configuration (maximums.network)" --allow-host a.example:8080
    too_much '"network": {"allow": ["a.example"]}' "--network 'bridge' is not allowed by the configuration \
(maximums.network: 'none')" --network bridge
    too_much '"readOnly": true' "--read-only=false is not allowed by the configuration (maximums.readOnly: true)" --read-only=false
    too_much '"capDrop": ["ALL"]' "--cap-drop must include ALL, as the configuration requires (maximums.capDrop)" \
        --cap-drop NET_RAW
    too_much '"user": "65534:65534"' "--user 0:0 is not allowed by the configuration (maximums.user: 65534:65534)" --user 0
}

test_case 'as much as every maximum is allowed' && {
    maximums='"maximums": {"timeoutSeconds": 10, "memoryMB": 300, "cpus": 0.6, "pidsLimit": 65, "workdirMB": 65,
    "tmpMB": 66, "outputBytes": 2048, "network": "bridge", "readOnly": true, "capDrop": ["CAP_NET_RAW", "MKNOD"],
    "user": "1000:1001"}'
    configured "{$maximums, $python}" -t 10s -m 300 -c 0.6 --pids-limit 65 --workdir-size 65 --tmp-size 66 \
        --output-limit 2048 --network bridge --cap-drop MKNOD,net_raw --user 1000:1001 "$probe" -- \
        memory cpus pids workdir tmp net root capbnd user
    is "$(field stdout)$err" "memory=314572800 cpus=0.6 pids=65 workdir=68157440 tmp=69206016 net=eth0,lo root=ro \
capbnd=00000000a00405fb user=1000:1001" "at every maximum"
}

finish
