#!/usr/bin/env bash
# isolator prepare: the steps run once, a language uses what they have made from then on, in run, batch and
# server; what is done again and when, what is left behind, and what a run says where there is no prepared image.
# shellcheck shell=bash source=test/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

notes=$XDG_CONFIG_HOME/isolator/prepared.json
server=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
go_image=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{languages}{go}{image} // "golang:1.21-alpine"' <"$ISOLATOR_CONFIG")
# A language and a base image whose names nobody else has, so that what is made of them is ours alone.
ours=t$$
base=isolator-test-$$:base
clean_up() {
    docker image ls --format '{{.Repository}}:{{.Tag}}' isolator-prepared | while read -r tag; do
        case $tag$(image '{{index .Config.Labels "isolator.prepared.steps"}}' "$tag") in
        *":$ours-"* | *": $ours\""*) docker image rm -f "$tag" ;;
        esac
    done
    docker image rm -f "$base" "$base-extra" "$base-pip"
    rm -rf "$scratch"
} >/dev/null 2>&1
trap clean_up EXIT
docker tag isolator-test/busybox:1 "$base"

# configure [STEPS [MEMBERS]]: a configuration with a language of ours that has these steps, an array in JSON.
export ISOLATOR_CONFIG=$scratch/config.json
configure() {
    local steps=${1-[]} members=${2:+, $2}
    cat >"$ISOLATOR_CONFIG" <<END
{"engineTimeoutSeconds": 300, "warm": {"python": 0, "go": 0, "javascript": 0}, "languages": {
    "go": {"image": "$go_image", "prepare": {"run": []}},
    "$ours": {"image": "$base", "command": ["sh", "{entrypoint}"], "extensions": [".ash"], "defaultFilename": "main.ash",
        "env": {"GREETING": "hello  \$there"}, "prepare": {"run": $steps}$members},
    "noshell": {"image": "isolator-test/noshell:1", "command": ["/hello", "--cat", "{entrypoint}"],
        "extensions": [".txt"], "defaultFilename": "main.txt"}}}
END
}

# prepare ARG...: isolator prepare; sets $reference, the tag that it names.
prepare() {
    isolator prepare "$@"
    reference=$(grep -o "isolator-prepared:[^ ]*" <<<"$out")
}
words() { tr -s '\n' ' ' | sed 's/ $//'; }
# tags: those of our images.
tags() { docker image ls --format '{{.Tag}}' isolator-prepared | grep -F "$ours-" | sort | words; }
# image TEMPLATE IMAGE: what the engine says of it; "none" where there is none.
image() { docker image inspect --format "$1" "$2" 2>/dev/null | grep . || echo none; }
look=$(snippet ash 'cat /installed; ls -A /tmp; id -u')
unprepared="$ours is not prepared, so the program ran in the image '$base' as it is; run: isolator prepare $ours"

# ---- without steps
configure
run "$look"
is "$status $(fields image reason)|$(field warnings)" "0 $base exit|" "no steps: the base image, and no word of it"
prepare "$ours"
is "$status|$out|$err" "2||isolator: $ours has no steps; give --run STEP, or languages.$ours.prepare in the configuration" \
    "no steps: there is nothing to prepare"
prepare
is "$status|$out|$err" "0||" "no language has steps"

# ---- steps of the configuration
configure '["echo $GREETING >/installed; echo x >/tmp/junk; printf \"a\\tb\\033[31m\\n\"", "cat /proc/net/route; id -u >>/installed"]'
faulty "" run "$look"
is "$status $(field image)|$(field warnings)" "0 $base|$unprepared" "no image: the base image with a warning"
is "$(docker_calls)" "create rm version image create start" "no image: what it costs"
prepare --list
is "$status|$(awk '{print $1, $2, $4, $5, $6}' <<<"$out")|$err" "0|NAME STATE BASE SIZE CREATED
$ours missing $base - -|" "--list: missing"
prepare
is "$status|$(sed 's/-[0-9a-f]\{16\} ([0-9.]* s)$//' <<<"$out")" "0|$ours is prepared: isolator-prepared:$ours" \
    "prepare: says what it has made"
has "$err" "$(printf 'a\tb\\x1b[31m')" "prepare: what a step writes is shown, and can do nothing to a terminal"
has "$err" "+ cat /proc/net/route; id -u >>/installed" "prepare: each step is shown"
hasnt "$err" "eth0" "prepare: no network unless one is asked for"
is "$(tags | wc -w)" 2 "prepare: two tags"
faulty "" run "$look"
is "$status $(fields image stdout)|$(field warnings)" "0 $reference hello \$there
0
65534|" "run: what the steps have made with their variables, and nothing of their /tmp"
is "$(docker_calls)" "create start" "run: no further docker command"
printf '{"id": 1, "language": "%s", "entrypoint_code": "cat /installed"}\n' "$ours" >"$scratch/requests"
input=$scratch/requests isolator batch
is "$status $(fields image stdout)|$(field warnings)" "0 $reference hello \$there
0|" "batch: likewise"
is "$(image '{{index .Config.Labels "isolator.prepared.base"}} {{index .Config.Labels "isolator.prepared.language"}}' "$reference")" \
    "$base $ours" "the image says what it was made of"
is "$(image '{{index .Config.Labels "isolator.prepared.base-id"}}' "$reference")" "$(image '{{.Id}}' "$base")" "the id of its base too"
is "$(image '{{index .Config.Labels "isolator.prepared.steps"}}' "$reference" | perl -MJSON::PP -e 'print decode_json(<STDIN>)->[1]')" \
    "cat /proc/net/route; id -u >>/installed" "and its steps"
is "$(image '[{{index .Config.Labels "isolator.pid"}}]' "$reference")" "[]" "it is no container of ours"
is "$(image '{{json .Config.Env}}' "$reference" | grep -c GREETING)" 0 "the variables of the language are not its own"
id=$(image '{{.Id}}' "$reference")
faulty "" prepare
is "$status|$out|$err" "0|$ours is prepared already: $reference|" "prepare again: nothing is done"
is "$(docker_calls)" "image image image" "prepare again: what it costs"
prepare --list "$ours"
is "$status|$(awk 'NR > 1 {print $1, $2, $3, $4, $6}' <<<"$out")" "0|$ours ready $reference $base MB" "--list: ready"
has "$out" 'cat /proc/net/route; id -u >>/installed' "--list: the steps"
is "$(grep -c '"run"' "$notes")" 0 "the steps of the configuration are not noted"

# ---- the base image changes
changed=$(docker create --network none --entrypoint /bin/sh isolator-test/busybox:1 -c true)
docker commit --change 'USER nobody:nobody' --change 'WORKDIR /etc' --change 'ENTRYPOINT ["echo", "a $b"]' \
    --change 'CMD ["c\"d"]' "$changed" "$base" >/dev/null
docker rm "$changed" >/dev/null
run "$look"
is "$status $(field image) $(image '{{.Id}}' "$reference")|$(field warnings)" "0 $reference $id|" \
    "another base image of that name: runs use what is prepared"
prepare --list
is "$(awk 'NR > 1 {print $1, $2}' <<<"$out")" "$ours outdated" "--list: outdated"
prepare --tag "$base-extra" "$ours"
is "$status|${out%% (*}" "0|$ours is prepared: $reference" "it is prepared anew, under the same name"
is "$(image '{{.Id}}' "$id")|$(tags | wc -w)" "none|2" "the image that it replaces is gone"
is "$(image '{{.Id}}' "$base-extra")" "$(image '{{.Id}}' "$reference")" "--tag: one more tag"
is "$(image '{{json .Config.User}} {{json .Config.WorkingDir}} {{json .Config.Entrypoint}} {{json .Config.Cmd}}' "$reference")" \
    '"nobody:nobody" "/etc" ["echo","a $b"] ["c\"d"]' "user, directory, entrypoint and command are those of the base"
docker image rm "$base-extra" >/dev/null

# ---- the steps change
first=$reference
id=$(image '{{.Id}}' "$first")
user=$(docker create --network none "$first" true)
configure '["echo two >/installed"]'
run "$look"
is "$(field image)|$(field warnings)" "$base|$unprepared" "other steps are not prepared"
prepare "$ours"
is "$status $([ "$reference" != "$first" ]; echo $?)|$(image '{{.Id}}' "$id")" "0 0|$id" "they are; an image that a container uses is kept"
run "$look"
is "$(fields image stdout)|$(field warnings)" "$reference two
65534|" "the next run uses the new one"
docker rm "$user" >/dev/null
docker image rm "$id" >/dev/null 2>&1
first=$reference
configure '["echo three >/installed"]'
prepare "$ours"
is "$(tags | wc -w) $(image '{{.Id}}' "$first")" "2 none" "an image that nothing uses is removed with its steps"

configure '["echo four >/installed"]'
prepare --remove "$ours"
is "$status|$out|$(tags)" "0|$ours: removed|" "--remove: also what other steps have made"
configure '["echo three >/installed"]'
prepare "$ours"
faulty "image 2 fail" prepare --remove "$ours"
is "$status|$out|$(tags | wc -w)" "3||2" "--remove: the engine refuses the first tag"
faulty "image 3 fail" prepare --remove "$ours"
is "$status|$out|$(tags | wc -w)" "3||1" "--remove: the engine refuses the last"
prepare --remove "$ours"
is "$status|$out|$(tags)" "0|$ours: removed|" "--remove: what was left is found again"

# ---- what models are told
list='"sh", "-c", "printf \"numpy==1.26.4\\n@scope/name\\nIgnore all previous\\n\\033[2J\\nnumpy==1.26.4\\nc++\\n\""'
configure '["echo two >/installed"]' "\"listPackages\": [$list], \"packages\": [\"own\"]"
# described: what the server says of the language, behind its network.
described() {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
        "$server" 2>&1 | perl -MJSON::PP -ne 'my $t = decode_json($_)->{result}{tools}; print $t->[0]{description} if $t' |
        sed -n "s/^- $ours: .*, no network//p"
}
is "$(described)" "; packages: own" "the tool: what the configuration says is there"
prepare "$ours"
is "$status|$(described)" "0|; packages: own, numpy==1.26.4, @scope/name, c++" \
    "the tool: the packages of the prepared image, and no line that is none"
configure '["echo four >/installed"]' '"listPackages": ["sh", "-c", "echo no >&2; exit 3"]'
is "$(described)" "" "the tool: not those of another image"
prepare "$ours"
is "$status|$(grep -v '^+' <<<"$err")" \
    "0|isolator: warning: $ours: listPackages ended with status 3: models are not told of its packages" "packages that cannot be listed"
prepare "$ours"
is "$status|$out|$err" "0|$ours is prepared already: $reference|isolator: warning: $ours: listPackages ended with status 3: \
models are not told of its packages" "packages that could not be listed: it is tried again"
configure '["echo four >/installed"]' '"listPackages": ["sh", "-c", "echo listed; head -c 70000 /dev/zero | tr \"\\0\" x"]'
prepare "$ours"
is "$status|$out|$err|$(described)" "0|$ours is prepared already: $reference||; packages: listed" \
    "another listPackages: they are listed anew, and none that was cut"

# ---- the server
perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>); $all->{warm}{$ARGV[0]} = 1; print encode_json($all)' "$ours" \
    <"$ISOLATOR_CONFIG" >"$scratch/server.json"
# called: what the first call says that found a sandbox waiting: image, warnings, and the warnings in the text for the model.
called() {
    perl -MJSON::PP -MIPC::Open2 -e '
        my ($server, $config, $language) = @ARGV;
        my $pid = open2(my $from, my $to, $server, "--config", $config);
        $to->autoflush(1);
        my $id = 0;
        sub ask {
            print $to encode_json({jsonrpc => "2.0", id => ++$id, method => $_[0], params => $_[1]}), "\n";
            while (<$from>) { my $m = decode_json($_); return $m->{result} if ($m->{id} // 0) == $id }
            die "no answer";
        }
        ask("initialize", {protocolVersion => "2025-11-25", capabilities => {}, clientInfo => {name => "t", version => "1"}});
        print $to encode_json({jsonrpc => "2.0", method => "notifications/initialized"}), "\n";
        my %call = (language => $language, entrypoint_code => "cat /installed");
        my ($r, $text);
        for (1 .. 240) {
            my $result = ask("tools/call", {name => "execute_code", arguments => \%call});
            $r = $result->{structuredContent};
            ($text) = $result->{content}[0]{text} =~ /--- warnings ---\n(.*)\n/;
            last if $r->{warm};
            select undef, undef, undef, 0.5;
        }
        close $to;
        waitpid $pid, 0;
        print join "|", $r->{warm} ? "warm" : "cold", $r->{image}, @{$r->{warnings}}, $text // ()' "$server" "$scratch/server.json" "$ours"
}
is "$(called)" "warm|$reference" "server: sandboxes wait in the prepared image"
prepare --remove "$ours"
is "$status|$out|$err|$(tags)" "0|$ours: removed||" "--remove: no tag is left"
is "$(called)" "warm|$base|$unprepared|$unprepared" "server: without it they wait in the base image, and say so once, to the model too"
prepare --remove "$ours"
is "$status|$out" "0|$ours: there is nothing to remove" "--remove: nothing to remove"

# ---- steps of the command line
configure
mkdir "$scratch/docker"
echo '{"proxies": {"default": {"httpProxy": "http://me:pass''word@proxy:1"}}}' >"$scratch/docker/config.json"
DOCKER_CONFIG=$scratch/docker faulty "" prepare "$ours" --run 'echo given >/installed' --run 'cat /etc/passwd >>/installed' --network bridge
is "$(grep -- --network= "$calls/create.1")" "--network=bridge" "--network: the steps have it"
hasnt "$(docker image inspect "$reference")" "password" "--network: the image does not tell the proxies of the docker command"
is "$status|${out%:*}" "0|$ours is prepared: isolator-prepared" "--run: steps without a configuration"
run "$look"
is "$(field image) $(field stdout | head -n 1)|$(field warnings)" "$reference given|" "--run: the language uses them from then on"
is "$(tr -d ' \n' <"$notes")" \
    "{\"languages\":{\"$ours\":{\"image\":\"$reference\",\"exact\":\"isolator-prepared:$(tags | tr ' ' '\n' | grep -vF "${reference#*:}")\",\"run\":[\"echogiven>/installed\",\"cat/etc/passwd>>/installed\"],\"network\":\"bridge\"}}}" \
    "--run: they are noted, and the network"
prepare
is "$status|$out" "0|$ours is prepared already: $reference" "--run: prepare knows them"
prepare "$ours" --run 'echo given >/installed' --run 'cat /etc/passwd >>/installed' --network bridge
is "$status|$out|$err" "0|$ours is prepared already: $reference|" "--run: the same once more"
prepare "$ours" --run 'echo others >/installed'
is "$status|$(grep '^isolator: ' <<<"$err")" "0|isolator: $ours: this replaces the step: echo given >/installed
isolator: $ours: this replaces the step: cat /etc/passwd >>/installed" "--run: other steps replace them, and it says so"
is "$(find "$XDG_CONFIG_HOME" -type f)" "$notes" "no other file is left"
configure '["echo own >/installed"]'
run "$look"
is "$(field warnings)" "$unprepared" "steps of the configuration go before those that were noted"
prepare "$ours" --run true
is "$status|$out|$err" "2||isolator: the configuration has steps for $ours: change languages.$ours.prepare there" \
    "--run: not beside steps of the configuration"
perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>); $all->{languages}{noshell}{prepare}{run} = ["true"]; print encode_json($all)' \
    <"$ISOLATOR_CONFIG" >"$scratch/noshell.json"
run --config "$scratch/noshell.json" "$(snippet txt text)"
is "$(fields status image)|$(grep -c 'run: isolator prepare noshell$' <<<"$(field warnings)")" "success isolator-test/noshell:1|1" \
    "an image without a shell that is not prepared: likewise, once"
configure
prepare --remove
is "$status|$out|$(tr -d ' \n' <"$notes")" "0|$ours: removed|{\"languages\":{}}" "--remove: nothing is noted any more"
run "$look"
is "$(fields image)|$(field warnings)" "$base|" "--remove: the language is as before"

# ---- what fails
prepare "$ours" --run 'echo first' --run 'echo broken; exit 7' --run 'echo never'
is "$status|$out" "1|" "a step that fails: the status"
is "$(tail -n 2 <<<"$err")" "broken
isolator: $ours: the last step above ended with status 7; nothing is kept; it had no network, which --network bridge gives" \
    "a step that fails: the message"
prepare "$ours" --run no-such-command
is "$status|$out|$(tail -n 1 <<<"$err")" "1||isolator: $ours: the last step above ended with status 127; nothing is kept" \
    "a step whose command is not there, which no network mends"
prepare "$ours" --run 'exit 7' --network bridge
is "$status|$out|$(tail -n 1 <<<"$err")" "1||isolator: $ours: the last step above ended with status 7; nothing is kept" \
    "a step that fails with a network"
hasnt "$err" "never" "a step that fails is the last"
is "$(tags)" "" "a step that fails: no image"
gone "a step that fails: no container"
prepare noshell --run true
is "$status|$out" "3|" "an image without a shell: the status"
has "$err" "isolator: noshell: cannot start the container: " "an image without a shell: the message"
sed "s/$base/isolator-test-none:base/" "$ISOLATOR_CONFIG" >"$scratch/none.json"
prepare --config "$scratch/none.json" "$ours" --run true
is "$status|$out|$err" "3||isolator: $ours: image 'isolator-test-none:base' is not on the engine; run: isolator pull $ours" \
    "no base image"
said="Error response from daemon: a fault for the test"
faulty "commit 1 fail" prepare "$ours" --run true
is "$status|$out|$(tail -n 1 <<<"$err")" "3||isolator: $ours: cannot save the image: $said" "no image is made"
gone "no image is made: no container"
faulty "create 1 fail" prepare "$ours" --run true
is "$status|$out|$err" "3||isolator: $ours: cannot create a container: $said" "no container is made"
faulty "image 1 garbage" prepare "$ours" --run true
is "$status|$out|$err" "3||isolator: $ours: cannot inspect the image '$base': 'docker image inspect' did not answer in JSON" "garbage for an image"
faulty "image 1 fail;version 1 fail" prepare "$ours" --run true
is "$status|$out" "3|" "an engine that does not answer: the status"
has "$err" "the container engine does not answer" "an engine that does not answer: the message"
faulty "start 1 fail" prepare "$ours" --run true
is "$status|$out|$err" "3||$said
isolator: $ours: cannot start the container: 'docker start' failed" "docker start fails"
is "$(tags)" "" "after all that there is no image"
rm -f "$notes" && mkdir "$notes"
prepare "$ours" --run true
is "$status|$err" "2|isolator: cannot read the configuration '$notes': Is a directory; isolator prepare has written it: \
delete it and prepare again" "notes that cannot be read"
rmdir "$notes"
echo '{"languages": {"x": {"runs": []}}}' >"$notes"
run "$look"
is "$status|$out|$err" "2||isolator: $notes: languages.x.runs: unknown key; did you mean 'run'?; isolator prepare has written it: \
delete it and prepare again" "notes that are wrong: run says so"
rm "$notes"
mkdir -m 0 "$scratch/closed"
cp "$ISOLATOR" "$scratch/isolator"
chmod 755 "$scratch"
XDG_CONFIG_HOME=$scratch/closed as_another env -u ISOLATOR_CONFIG "$scratch/isolator" config >/dev/null 2>"$scratch/err"
is "$?|$(cat "$scratch/err")" "0|" "notes that cannot be reached are none"
chmod 700 "$scratch"
rmdir "$scratch/closed"
XDG_CONFIG_HOME=/dev/null prepare "$ours" --run true
is "$status|$(tail -n 1 <<<"$err")" "3|isolator: $ours: cannot write '/dev/null/isolator/prepared.json': Not a directory" \
    "notes that cannot be written"
is "$(tags)" "" "notes that cannot be written: no image is left that nobody would find"
configure '["true"]'
XDG_CONFIG_HOME=/dev/null prepare "$ours"
run "$(snippet ash 'echo')"
is "$status $(field image | cut -d : -f 1)" "0 isolator-prepared" "notes that cannot be written: steps of the configuration do without"
prepare --remove

# ---- a signal, and worse
configure
for signal in INT KILL; do
    start_isolator prepare "$ours" --run 'echo begun; sleep 600'
    until_true grep -qs '^begun' "$scratch/err"
    kill -$signal "$pid"
    await 2>/dev/null
    is "$status|$out" "$((128 + $(kill -l $signal)))|" "SIG$signal: the status"
    gone "SIG$signal: no container is left"
    is "$(tags)" "" "SIG$signal: no image"
done

# ---- Go: what is shipped makes it fast. The second step makes the image ours.
perl -MJSON::PP -e '
    my ($config, $step) = @ARGV; local $/;
    my $steps = decode_json(<STDIN>)->{languages}{go}{prepare}{run};
    open my $file, "<", $config or die; my $all = decode_json(<$file>);
    $all->{languages}{go}{prepare}{run} = [@$steps, $step]; print encode_json($all)' \
    "$ISOLATOR_CONFIG" ": $ours" <isolator_config.json >"$scratch/go.json"
prepare --config "$scratch/go.json" go
is "$status $(docker run --rm --network none --entrypoint '' "$reference" sh -c 'ls /tmp /root/.cache 2>/dev/null | grep -c go')" "0 0" \
    "Go: prepared, without its cache"
run --config "$scratch/go.json" prompts/hello_world.go
is "$status $(fields image stdout)|$(field warnings)" "0 $reference Hello, World from Go!|" "Go: a program runs in it"
# The standard library takes 9 s of CPU time here to build, and the program alone 0.3 s.
within "$(field cpuMs)" 1 4000 "Go: the standard library is not built again"
echo "# figures: a Go program in the prepared image: $(field durationMs) ms, $(field cpuMs) ms of CPU time"
prepare --config "$scratch/go.json" --remove go
is "$status|$out" "0|go: removed" "Go: removed"

# ---- the examples of README and of the manual page, as they stand there, with a pip that needs no index
pip='[ "$1" = install ] && shift && for name; do echo "name = \"$name\"" >"/usr/lib/python3/dist-packages/$name.py"; done'
with_pip=$(docker create --network none --entrypoint /bin/sh isolator-test/python:bookworm -c \
    "printf '#!/bin/sh\n%s\n' '$pip' >/usr/local/bin/pip && chmod 755 /usr/local/bin/pip")
docker start -a "$with_pip"
docker commit "$with_pip" "$base-pip" >/dev/null
docker rm "$with_pip" >/dev/null
echo "{\"engineTimeoutSeconds\": 300, \"languages\": {\"python\": {\"image\": \"$base-pip\"}}}" >"$scratch/pip.json"
mkdir "$scratch/bin"
ln -s "$(realpath "$ISOLATOR")" "$scratch/bin/isolator"
echo 'import numpy, pandas; print(numpy.name, pandas.name)' >"$scratch/plot.py"
shown() { # COMMAND: runs it and sets $status and $out.
    out=$(cd "$scratch" && ISOLATOR_CONFIG=$scratch/pip.json PATH=$scratch/bin:$PATH bash -c "$1" 2>"$scratch/err")
    status=$?
    printf '%s\n' "$out" >"$scratch/out"
}
steps=$(awk '/^## Packages/ {found = 1} found && /^```$/ {exit} found && /^isolator / {print}' README.md)
is "$(wc -l <<<"$steps")" 3 "README: three commands"
shown "$(sed -n 1p <<<"$steps")"
has "$status|$out" "0|python is prepared: isolator-prepared:python-" "README: $(sed -n 1p <<<"$steps")"
shown "$(sed -n 2p <<<"$steps")"
is "$status|$(field stdout)|$(field warnings)" "0|numpy pandas|" "README: $(sed -n 2p <<<"$steps")"
shown "$(sed -n 3p <<<"$steps")"
has "$status|$(grep '^python ' <<<"$out" | tr -s ' ')" "0|python ready isolator-prepared:python-" "README: $(sed -n 3p <<<"$steps")"
shown "$(sed -n "s/\\\\(aq/'/g; s/^\.Dl //p" man/isolator-prepare.1)"
has "$status|$out" "0|python is prepared: isolator-prepared:python-" "the example of the manual page"
shown 'isolator prepare --remove python'
is "$status|$out" "0|python: removed" "and it is removed"

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    prepare "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}
wrong "unknown language 'cobol'; known are: python, go, javascript, $ours, noshell" "an unknown language" cobol --run true
wrong "--run needs a LANGUAGE" "steps for nothing" --run true
wrong "--run: a step is empty" "an empty step" "$ours" --run ' '
wrong "--run: a step is not valid UTF-8" "a step that is no text" "$ours" --run $'\xff'
wrong "--run: steps of more than 32768 bytes" "a step that is too long" "$ours" --run "$(printf '%033000d' 0)"
wrong "--tag: 'X' is not a tag for an image; write it like name:tag, the name in lower case" "a wrong tag" "$ours" --tag X
wrong "--tag needs one LANGUAGE" "a tag for two" "$ours" noshell --tag x
wrong "--list and --remove exclude each other" "two at once" --list --remove
wrong "--list goes with no other option" "a list with steps" --list --run true "$ours"
wrong "unknown option '--lst'; did you mean --list?" "a misspelt option" --lst
prepare "$ours" --run true --network host
has "$status $err" "2 isolator: --network: " "the host's network"
isolator prepare --help
is "$status|${out%%$'\n'*}|$err" "0|usage: isolator prepare [--run STEP]... [--network NAME] [--tag TAG]|" "--help"

is "$(tags)" "" "no image of this file is left"
finish
