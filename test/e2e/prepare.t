#!/usr/bin/env bash
# isolator prepare: the steps of a language run once, and from then on run, batch and isolator-mcp use the image that they
# made; when it is made again, what is removed, and the warning of a run without a prepared image.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

notes=$XDG_CONFIG_HOME/isolator/prepared.json
server=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
go_image=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{languages}{go}{image} // "golang:1.21-alpine"' <build/engine/config.json)
# A language and a base image with unique names, so that all images made of them are this file's own.
ours=t$$
base=isolator-test-$$:base
remove_images() {
    docker image ls --format '{{.Repository}}:{{.Tag}}' isolator-prepared | while read -r tag; do
        case $tag$(image '{{index .Config.Labels "isolator.prepared.steps"}}' "$tag") in
        *":$ours-"* | *": $ours\""*) docker image rm -f "$tag" ;;
        esac
    done
    docker image rm -f "$base" "$base-extra" "$base-pip"
} >/dev/null 2>&1
trap 'in_main || exit; remove_images; rm -rf "$scratch"' EXIT

# configure [STEPS [MEMBERS]]: writes a configuration in which our language has these steps, an array in JSON.
export ISOLATOR_CONFIG=$scratch/config.json
configure() {
    local steps=${1-[]} members=${2:+, $2}
    cat >"$ISOLATOR_CONFIG" <<END
{"containerCommand": "$engine_command", "engineTimeoutSeconds": 300, "warm": {"python": 0, "go": 0, "javascript": 0}, "languages": {
    "go": {"image": "$go_image", "prepare": {"run": []}},
    "$ours": {"image": "$base", "command": ["sh", "{entrypoint}"], "extensions": [".ash"], "defaultFilename": "main.ash",
        "env": {"GREETING": "hello  \$there"}, "prepare": {"run": $steps}$members},
    "noshell": {"image": "isolator-test/noshell:1", "command": ["/hello", "--cat", "{entrypoint}"],
        "extensions": [".txt"], "defaultFilename": "main.txt"}}}
END
}

# start_over [STEPS [MEMBERS]]: removes all images of this file, then writes the configuration.
start_over() {
    remove_images
    rm -rf "$XDG_CONFIG_HOME"
    docker tag isolator-test/busybox:1 "$base"
    configure "$@"
}

# prepare ARG...: runs isolator prepare; sets $reference, the tag that it prints.
prepare() {
    isolator prepare "$@"
    reference=$(grep -o "isolator-prepared:[^ ]*" <<<"$out")
}
words() { tr -s '\n' ' ' | sed 's/ $//'; }
# tags: the tags of our prepared images.
tags() { docker image ls --format '{{.Tag}}' isolator-prepared | grep -F "$ours-" | sort | words; }
# image TEMPLATE IMAGE: inspects the image; "none" if there is none. podman prints ids without "sha256:".
image() { docker image inspect --format "$1" "$2" 2>/dev/null | sed -E 's/^[0-9a-f]{64}$/sha256:&/' | grep . || echo none; }
look=$(snippet ash 'cat /installed; ls -A /tmp; id -u')
unprepared="$ours is not prepared, so the program ran in the image '$base' as it is; run: isolator prepare $ours"

# ---- without steps

test_case 'a language without steps' && {
    start_over
    run "$look"
    is "$status $(field image reason)|$(field warnings)" "0 $base exit|" "no steps: the base image, and no warning"
    prepare "$ours"
    is "$status|$out|$err" "2||isolator: '$ours' has no steps; use --run STEP, or set languages.$ours.prepare in the configuration" \
        "no steps: there is nothing to prepare"
    prepare
    is "$status|$out|$err" "0||" "no language has steps"
}

test_case 'steps of the configuration: prepare, then run and batch use the image' && {
    start_over '["echo $GREETING >/installed; echo x >/tmp/junk; printf \"a\\tb\\033[31m\\342\\200\\256\\n\"", "cat /proc/net/route; id -u >>/installed"]'
    faulty "" run "$look"
    is "$status $(field image)|$(field warnings)" "0 $base|$unprepared" "no image: the base image with a warning"
    is "$(docker_calls)" "run version image image run" "no image: the calls of docker"
    prepare --list
    is "$status|$(awk '{print $1, $2, $4, $5, $6}' <<<"$out")|$err" "0|NAME STATE BASE SIZE CREATED
$ours missing $base - -|" "--list: missing"
    prepare
    is "$status|$(sed 's/-[0-9a-f]\{16\} ([0-9.]* s)$//' <<<"$out")" "0|$ours is prepared: isolator-prepared:$ours" \
        "prepare: the image that it made"
    has "$err" "$(printf 'a\tb\\x1b[31m\\xe2\\x80\\xae')" \
        "prepare: the output of a step is shown, with escape sequences and marks of direction made visible"
    has "$err" "+ cat /proc/net/route; id -u >>/installed" "prepare: each step is shown"
    hasnt "$err" "eth0" "prepare: no network by default"
    is "$(tags | wc -w)" 2 "prepare: two tags"
    faulty "" run "$look"
    is "$status $(field image stdout | own_users)|$(field warnings)" "0 $reference hello \$there
0
OWN|" "run: the files of the steps, made with the language's variables, and nothing of their /tmp"
    is "$(docker_calls)" "run" "run: no further docker command"
    printf '{"id": 1, "language": "%s", "entrypoint_code": "cat /installed"}\n' "$ours" >"$scratch/requests"
    input=$scratch/requests isolator batch
    is "$status $(field image stdout)|$(field warnings)" "0 $reference hello \$there
0|" "batch: the same"
    is "$(image '{{index .Config.Labels "isolator.prepared.base"}} {{index .Config.Labels "isolator.prepared.language"}}' "$reference")" \
        "$base $ours" "labels of the image: its base and language"
    is "$(image '{{index .Config.Labels "isolator.prepared.base-id"}}' "$reference")" "$(image '{{.Id}}' "$base")" "label of the image: the id of its base"
    is "$(image '{{index .Config.Labels "isolator.prepared.steps"}}' "$reference" | perl -MJSON::PP -e 'print decode_json(<STDIN>)->[1]')" \
        "cat /proc/net/route; id -u >>/installed" "label of the image: the steps"
    for label in boot namespaces pid start host deadline; do
        is "$(image "[{{index .Config.Labels \"isolator.$label\"}}]" "$reference")" "[]" "the image has no label of a container: $label"
    done
    is "$(image '[{{range $path, $no := .Config.Volumes}}{{$path}}{{end}}]' "$reference")" "[]" "the image has no volume"
    made_by='{{with .Config.Labels}}{{index . "isolator.prepared.host"}}|{{index . "isolator.prepared.user"}}|{{index . "isolator.prepared.notes"}}|{{index . "isolator.prepared.config"}}{{end}}'
    is "$(image "$made_by" "$reference")" "$(hostname)|$(id -u)|$notes|$(realpath "$scratch/config.json")" "labels of the image: who has made it"
    run --save-image "isolator-test/saved:$$" "$look"
    is "$status $(image "$made_by" "isolator-test/saved:$$")" "0 |||" "an image that is saved does not say that"
    docker image rm "isolator-test/saved:$$" >/dev/null
    is "$(image '{{json .Config.Env}}' "$reference" | grep -c GREETING)" 0 "the image does not have the variables of the language"
    id=$(image '{{.Id}}' "$reference")
    faulty "" prepare
    is "$status|$out|$err" "0|$ours is already prepared: $reference|" "prepare again: nothing is done"
    is "$(docker_calls)" "image image image" "prepare again: the calls of docker"
    prepare --list "$ours"
    is "$status|$(awk 'NR > 1 {print $1, $2, $3, $4, $6}' <<<"$out")" "0|$ours ready $reference $base MB" "--list: ready"
    has "$out" 'cat /proc/net/route; id -u >>/installed' "--list: the steps"
    is "$(grep -c '"run"' "$notes")" 0 "the steps of the configuration are not noted"
    prepare --remove
}

test_case 'the base image changes' && {
    start_over '["echo one >/installed"]'
    prepare
    id=$(image '{{.Id}}' "$reference")
    changed=$(docker create --network none --entrypoint /bin/sh isolator-test/busybox:1 -c true)
    docker commit --change 'USER nobody:nobody' --change 'WORKDIR /etc' --change 'ENTRYPOINT ["echo", "a $b"]' \
        --change 'CMD ["c\"d"]' "$changed" "$base" >/dev/null
    docker rm "$changed" >/dev/null
    run "$look"
    is "$status $(field image) $(image '{{.Id}}' "$reference")|$(field warnings)" "0 $reference $id|" \
        "another base image of that name: runs use the prepared image"
    prepare --list
    is "$(awk 'NR > 1 {print $1, $2}' <<<"$out")" "$ours outdated" "--list: outdated"
    prepare --tag "$base-extra" "$ours"
    is "$status|${out%% (*}" "0|$ours is prepared: $reference" "it is prepared again, under the same name"
    is "$(image '{{.Id}}' "$id")|$(tags | wc -w)" "none|2" "the image that it replaces is gone"
    is "$(image '{{.Id}}' "$base-extra")" "$(image '{{.Id}}' "$reference")" "--tag: one more tag"
    is "$(image '{{json .Config.User}} {{json .Config.WorkingDir}} {{json .Config.Entrypoint}} {{json .Config.Cmd}}' "$reference")" \
        '"nobody:nobody" "/etc" ["echo","a $b"] ["c\"d"]' "user, directory, entrypoint and command are those of the base"
    docker image rm "$base-extra" >/dev/null
    changed=$(docker create --network none --entrypoint echo isolator-test/busybox:1)
    docker commit "$changed" "$base" >/dev/null
    docker rm "$changed" >/dev/null
    prepare
    is "$(image '{{json .Config.Entrypoint}}{{range .Config.Cmd}} {{.}}{{end}}' "$reference")" '["echo"]' "a base with an entrypoint alone"
    prepare --remove
}

test_case 'the steps change' && {
    start_over '["echo one >/installed"]'
    prepare
    first=$reference
    id=$(image '{{.Id}}' "$first")
    user=$(docker create --network none "$first" true)
    configure '["echo two >/installed"]'
    run "$look"
    is "$(field image)|$(field warnings)" "$base|$unprepared" "other steps are not prepared"
    prepare "$ours"
    is "$status $([ "$reference" != "$first" ]; echo $?)|$(image '{{.Id}}' "$id")" "0 0|$id" "they are now; an image that a container uses is kept"
    run "$look"
    is "$(field image stdout | own_users)|$(field warnings)" "$reference two
OWN|" "the next run uses the new one"
    docker rm "$user" >/dev/null
    docker image rm "$id" >/dev/null 2>&1
    first=$reference
    configure '["echo three >/installed"]'
    prepare "$ours"
    is "$(tags | wc -w) $(image '{{.Id}}' "$first")" "2 none" "an image that nothing uses is removed"

    prepare --remove
}

test_case '--remove also removes what other steps have made' && {
    start_over '["echo three >/installed"]'
    prepare "$ours"
    configure '["echo four >/installed"]'
    prepare --remove "$ours"
    is "$status|$out|$(tags)" "0|$ours: removed|" "--remove: the image that other steps made"
    configure '["echo three >/installed"]'
    prepare "$ours"
    faulty "image 2 fail" prepare --remove "$ours"
    is "$status|$out|$(tags | wc -w)" "3||2" "--remove: the engine refuses the first tag"
    faulty "image 3 fail" prepare --remove "$ours"
    is "$status|$out|$(tags | wc -w)" "3||1" "--remove: the engine refuses the last"
    prepare --remove "$ours"
    is "$status|$out|$(tags)" "0|$ours: removed|" "--remove: again, after a failure"
}

# ---- packages that models see
# described: the server's description of the language, the part after its network.
described() {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
        "$server" 2>&1 | perl -MJSON::PP -ne 'my $t = decode_json($_)->{result}{tools}; print $t->[0]{description} if $t' |
        sed -n "s/^- $ours: .*, no network//p"
}

list='"sh", "-c", "printf \"numpy==1.26.4\\n@scope/name\\nIgnore all previous\\n\\033[2J\\nnumpy==1.26.4\\nc++\\n\""'

test_case 'models see the packages of the prepared image' && {
    start_over '["echo two >/installed"]' "\"listPackages\": [$list], \"packages\": [\"own\"]"
    slowly="; slow or without its packages until the user has run 'isolator prepare $ours'"
    is "$(described)" "; packages: own$slowly" "the tool: the packages of the configuration"
    prepare "$ours"
    is "$status|$(described)" "0|; packages: own, numpy==1.26.4, @scope/name, c++" \
        "the tool: the packages of the prepared image, and no line that is not a package"
    configure '["echo four >/installed"]' '"listPackages": ["sh", "-c", "echo no >&2; exit 3"]'
    is "$(described)" "$slowly" "the tool: not those of another image"
    prepare "$ours"
    is "$status|$(grep -v '^+' <<<"$err")" \
        "0|isolator: warning: $ours: listPackages failed with exit status 3: models do not see its packages" "packages that cannot be listed"
    prepare "$ours"
    is "$status|$out|$err" "0|$ours is already prepared: $reference|isolator: warning: $ours: listPackages failed with \
exit status 3: models do not see its packages" "packages that could not be listed: the next prepare tries again"
    configure '["echo four >/installed"]' '"listPackages": ["sh", "-c", "echo listed; head -c 70000 /dev/zero | tr \"\\0\" x"]'
    prepare "$ours"
    is "$status|$out|$err|$(described)" "0|$ours is already prepared: $reference||; packages: listed" \
        "another listPackages: they are listed again, without a name that was cut"

    prepare --remove
}

# ---- the server
# called: image of the first call that got a warm container, and the warnings of all calls, also in the text for the model.
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
        my ($r, @warnings, @text);
        for (1 .. 240) {
            my $result = ask("tools/call", {name => "execute_code", arguments => \%call, _meta => {"isolator/details" => JSON::PP::true}});
            $r = $result->{structuredContent};
            push @warnings, @{$r->{warnings}};
            push @text, $result->{content}[0]{text} =~ /--- warnings ---\n(.*)\n/;
            last if $r->{warm};
            select undef, undef, undef, 0.5;
        }
        close $to;
        waitpid $pid, 0;
        print join "\n", $r->{warm} ? "warm" : "cold", $r->{image}, @warnings, @text' "$server" "$scratch/server.json" "$ours"
}

test_case 'isolator-mcp keeps warm containers of the prepared image' && {
    start_over '["echo four >/installed"]'
    prepare
    perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>); $all->{warm}{$ARGV[0]} = 1; print encode_json($all)' "$ours" \
        <"$ISOLATOR_CONFIG" >"$scratch/server.json"
    is "$(called)" $'warm\n'"$reference" "server: a warm container of the prepared image"
    prepare --remove "$ours"
    is "$status|$out|$err|$(tags)" "0|$ours: removed||" "--remove: no tag is left"
    expect "$(called)" "server: without it a warm container of the base image, and one warning for all calls, which the model sees" <<END
warm
$base
$unprepared
$unprepared
END
    prepare --remove "$ours"
    is "$status|$out" "0|$ours: nothing to remove" "--remove: nothing to remove"
}

test_case 'steps of the command line are noted and used from then on' && {
    start_over
    mkdir "$scratch/docker"
    echo '{"proxies": {"default": {"httpProxy": "http://me:pass''word@proxy:1"}}}' >"$scratch/docker/config.json"
    DOCKER_CONFIG=$scratch/docker faulty "" prepare "$ours" --run 'echo given >/installed' --run 'cat /etc/passwd >>/installed' --network bridge
    is "$(grep -- --network= "$calls/create.1")" "--network=bridge" "--network: the steps get it"
    hasnt "$(docker image inspect "$reference")" "password" "--network: the image does not have the proxies of docker's configuration"
    is "$status|${out%:*}" "0|$ours is prepared: isolator-prepared" "--run: steps without a configuration"
    run "$look"
    is "$(field image) $(field stdout | head -n 1)|$(field warnings)" "$reference given|" "--run: the language uses them from then on"
    is "$(tr -d ' \n' <"$notes")" \
        "{\"configurations\":{\"$ISOLATOR_CONFIG\":{\"languages\":{\"$ours\":{\"image\":\"$reference\",\"exact\":\"isolator-prepared:$(tags | tr ' ' '\n' | grep -vF "${reference#*:}")\",\"run\":[\"echogiven>/installed\",\"cat/etc/passwd>>/installed\"],\"network\":\"bridge\"}}}}}" \
        "--run: the notes have the steps and the network"
    prepare
    is "$status|$out" "0|$ours is already prepared: $reference" "--run: prepare knows them"
    prepare "$ours" --run 'echo given >/installed' --run 'cat /etc/passwd >>/installed' --network bridge
    is "$status|$out|$err" "0|$ours is already prepared: $reference|" "--run: the same again"
    prepare "$ours" --run 'echo others >/installed'
    is "$status|$(grep '^isolator: ' <<<"$err")" "0|isolator: $ours: replacing the saved step: echo given >/installed
isolator: $ours: replacing the saved step: cat /etc/passwd >>/installed" "--run: other steps replace them, with a message"
    is "$(find "$XDG_CONFIG_HOME" -type f)" "$notes" "no other file is written"
    configure '["echo own >/installed"]'
    run "$look"
    is "$(field warnings)" "$unprepared" "steps of the configuration come before those of the notes"
    prepare "$ours" --run true
    is "$status|$out|$err" "2||isolator: cannot replace the steps of '$ours': they are in the configuration; change languages.$ours.prepare there" \
        "--run: refused if the configuration has steps"
    configure
    prepare --remove
    is "$status|$out|$(tr -d ' \n' <"$notes")" "0|$ours: removed|{\"configurations\":{}}" "--remove: the notes are empty"
    run "$look"
    is "$(field image)|$(field warnings)" "$base|" "--remove: the language is as before"
}

test_case 'no shell: an image that is not prepared' && {
    start_over '["echo own >/installed"]'
    perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>); $all->{languages}{noshell}{prepare}{run} = ["true"]; print encode_json($all)' \
        <"$ISOLATOR_CONFIG" >"$scratch/noshell.json"
    run --config "$scratch/noshell.json" "$(snippet txt text)"
    is "$(field status image)|$(grep -c 'run: isolator prepare noshell$' <<<"$(field warnings)")" "success isolator-test/noshell:1|1" \
        "the base image, and one warning"
}

# ---- files of the steps

test_case '--file and --dir: the steps find them, and the image does not have them' && {
    start_over
    mkdir -p "$scratch/files/wheels/deep"
    echo one >"$scratch/files/requirements.txt"
    echo two >"$scratch/files/wheels/deep/a.whl"
    printf '#!/bin/sh\necho three\n' >"$scratch/files/tool"
    chmod 711 "$scratch/files/tool" "$scratch/files/wheels"
    ln -s a.whl "$scratch/files/wheels/deep/link"
    ln -s /etc/passwd "$scratch/files/wheels/out"
    ln -s wheels/deep "$scratch/files/deep"
    steps=(--run 'cat requirements.txt wheels/deep/link deep/a.whl >/installed; ./tool >>/installed'
        --run 'ls -ln wheels/deep/a.whl tool | awk "{print \$1, \$3, \$4}" >>/installed; ls >>/installed; pwd >>/installed')
    ISOLATOR=$(realpath "$ISOLATOR")
    cd "$scratch/files" || exit
    prepare "$ours" "${steps[@]}" --file requirements.txt --dir wheels/ --file ./tool --dir deep
    cd "$OLDPWD" || exit
    is "$status|${out%% (*}" "0|$ours is prepared: $reference" "prepared"
    has "$err" "isolator: warning: $ours: omitted the link 'files/wheels/out': its target '/etc/passwd' is outside the directory" \
        "a link to a file of this host is omitted"
    run "$(snippet ash 'cat /installed; ls -A /tmp; pwd')"
    is "$status|$(field stdout)|$(field warnings)" "0|one
two
two
three
-rwxr-xr-x 0 0
-rw-r--r-- 0 0
deep
requirements.txt
tool
wheels
/tmp/files
/workspace|" "the steps start beside the files, and a program does not find them"
    is "$(docker run --rm --network none --entrypoint ls "$reference" -A /tmp)" "" "nor are they below its /tmp"
    prepare
    is "$status|$out" "0|$ours is already prepared: $reference" "prepare knows the files"
    touch "$scratch/files/requirements.txt"
    prepare --list "$ours"
    is "$(awk 'NR > 1 {print $1, $2, $3}' <<<"$out")" "$ours ready $reference" "--list: the time of a file does not matter"
    echo changed >"$scratch/files/requirements.txt"
    prepare --list "$ours"
    is "$(awk 'NR > 1 {print $1, $2, $3}' <<<"$out")" "$ours outdated $reference" "--list: a file has changed"
    isolator doctor
    has "$out" "outdated: its files have changed" "doctor: a file has changed"
    id=$(image '{{.Id}}' "$reference")
    prepare
    is "$status|${out%% (*}|$(image '{{.Id}}' "$id")|$(tags | wc -w)" "0|$ours is prepared: $reference|none|2" \
        "it is prepared again, under the same name"
    run "$(snippet ash 'head -n 1 /installed')"
    is "$(field stdout)" "changed" "the next run uses the new file"
    rm "$scratch/files/tool"
    prepare --list "$ours"
    is "$(awk 'NR > 1 {print $2}' <<<"$out")" "ready" "--list: a file that is gone counts as unchanged"
    prepare
    is "$status|$out|$(tail -n 1 <<<"$err")" "2||isolator: $ours: cannot open '$scratch/files/tool': No such file or directory" \
        "a file that is gone: it cannot be prepared again"
    mkfifo "$scratch/files/tool"
    prepare
    is "$status|$(tail -n 1 <<<"$err")" "2|isolator: $ours: '$scratch/files/tool' is neither a file nor a directory" "a pipe"
    rm "$scratch/files/tool"
    truncate -s 1G "$scratch/files/tool"
    prepare
    is "$status|$(tail -n 1 <<<"$err")" "2|isolator: $ours: the files need 1024.1 MB, more than the 1 GiB for files of the steps; 'files/tool' has 1024.0 MB" "too many bytes"
    prepare --remove "$ours"
    is "$status|$out|$(tags)" "0|$ours: removed|" "--remove"
}

test_case 'files of the configuration' && {
    start_over
    mkdir -p "$scratch/project/parts"
    echo one >"$scratch/project/note.txt"
    echo two >"$scratch/project/parts/b"
    perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>);
        $all->{languages}{$ARGV[0]}{prepare} = {run => ["cat note.txt parts/b >/installed"], files => ["note.txt", "parts/"]};
        print encode_json($all)' "$ours" <"$ISOLATOR_CONFIG" >"$scratch/project/isolator.json"
    prepare --config "$scratch/project/isolator.json" "$ours"
    is "$status|${out%% (*}" "0|$ours is prepared: $reference" "they are relative to the configuration file"
    run --config "$scratch/project/isolator.json" "$look"
    is "$(field image stdout | own_users)" "$reference one
two
OWN" "a run finds the image without the files"
    is "$(image '{{index .Config.Labels "isolator.prepared.config"}}' "$reference")" "$scratch/project/isolator.json" \
        "label of the image: its configuration"
    isolator config --config "$scratch/project/isolator.json"
    has "$out" "languages.$ours.prepare.files = [\"$scratch/project/note.txt\", \"$scratch/project/parts\"]" "isolator config: absolute paths"
    echo "{\"languages\": {\"python\": {\"prepare\": {\"files\": [\"a/x\", \"b/x\"]}}}}" >"$scratch/project/wrong.json"
    prepare --config "$scratch/project/wrong.json"
    is "$status|$out|$err" "2||isolator: $scratch/project/wrong.json: languages.python.prepare.files: '$scratch/project/b/x' has the same \
name as another file" "two files of the same name"
    prepare --config "$scratch/project/isolator.json" --remove "$ours"
    is "$status|$out|$(tags)" "0|$ours: removed|" "--remove"
}

# ---- several configurations

# of_project NAME [STEPS]: writes the configuration of a project, with these steps for our language.
of_project() {
    mkdir -p "$scratch/$1"
    configure "${2-[]}"
    mv "$ISOLATOR_CONFIG" "$scratch/$1/isolator.json"
    configure
}
# installed PROJECT: what a program finds that runs with the configuration of this project.
installed() {
    run --config "$scratch/$1/isolator.json" "$(snippet ash 'cat /installed 2>&1')"
    field stdout
}
# of ARG...: our lines of `isolator prepare ARG...`: state, image, configuration.
of() {
    prepare "$@" "$ours"
    awk -v name="$ours" 'NR > 1 && $1 == name {print $2, $3, $8}' <<<"$out" | sort -k 1,1 -k 3,3
}

test_case 'two configurations, each with its own prepared image' && {
    start_over
    of_project a
    of_project b
    prepare --config "$scratch/a/isolator.json" "$ours" --run 'echo a >/installed'
    first=$reference
    prepare --config "$scratch/b/isolator.json" "$ours" --run 'echo b >/installed'
    is "$status|$err" "0|+ echo b >/installed" "--run: the second does not replace the steps of the first"
    is "$(installed a) $(installed b)" "a b" "--run: each has its own steps"
    prepare --config "$scratch/a/isolator.json" "$ours" --run 'echo a2 >/installed'
    is "$(installed a) $(installed b)|$(image '{{.Id}}' "$first")|$(tags | wc -w)" "a2 b|none|4" \
        "--run: other steps replace the image of the same configuration alone"
    of_project c '["echo b >/installed"]'
    prepare --config "$scratch/c/isolator.json"
    is "$status|$out|$(tags | wc -w)" "0|$ours is already prepared: $reference|4" "equal steps of two configurations: one image"
    of_project c '["echo c >/installed"]'
    prepare --config "$scratch/c/isolator.json"
    is "$status|$(installed b) $(installed c)|$(tags | wc -w)" "0|b c|6" "an image that another configuration uses is not replaced"
    of_project c '["echo b >/installed"]'
    prepare --config "$scratch/c/isolator.json"
    prepare --config "$scratch/c/isolator.json" --remove "$ours"
    is "$status|$out|$(installed b)" "0|$ours: removed, but the image stays for the configuration '$scratch/b/isolator.json'|b" \
        "--remove: the image stays for the other one"
    prepare --config "$scratch/c/isolator.json"
    rm "$scratch/c/isolator.json"
    prepare --config "$scratch/b/isolator.json" --remove
    is "$status|$out|$(tags | wc -w)" "0|$ours: removed|2" "--remove: a configuration that was deleted keeps nothing"
    prepare --config "$scratch/a/isolator.json" --remove "$ours"
    is "$status|$out|$(tags)" "0|$ours: removed|" "--remove: the last one"
}

test_case 'steps that were saved without a configuration apply to all' && {
    start_over
    of_project a
    mkdir -p "$XDG_CONFIG_HOME/isolator"
    mv "$ISOLATOR_CONFIG" "$XDG_CONFIG_HOME/isolator/config.json"
    ISOLATOR_CONFIG='' prepare "$ours" --run 'echo all >/installed'
    is "$status|$(grep -c '"configurations"' "$notes")" "0|0" "the notes are at the top"
    is "$(installed a)" "all" "a configuration without steps uses them"
    prepare --config "$XDG_CONFIG_HOME/isolator/config.json" "$ours"
    is "$status|$out|$(grep -c '"configurations"' "$notes")" "0|$ours is already prepared: $reference|0" \
        "the same file, by its name, has the same notes"
    prepare --config "$scratch/a/isolator.json" "$ours"
    is "$status|$out|$(grep -c '"configurations"' "$notes")" "0|$ours is already prepared: $reference|0" "the steps are not copied"
    prepare --config "$scratch/a/isolator.json" "$ours" --run 'echo a >/installed'
    is "$status|$(installed a)|$(tags | wc -w)" "0|a|4" "its own steps go first"
    prepare --config "$scratch/a/isolator.json" --remove "$ours"
    is "$status|$out|$(installed a)" "0|$ours: removed|all" "--remove: its own steps; then those of all apply again"
    prepare --config "$scratch/a/isolator.json" --remove "$ours"
    is "$status|$out|$(tags)" "0|$ours: removed|" "--remove: those of all"
}

test_case 'images that no configuration names any more are listed and removed' && {
    start_over
    for project in a b c d; do
        of_project "$project" "[\"echo $project >/installed\"]"
        prepare --config "$scratch/$project/isolator.json"
        eval "$project=\$reference"
    done
    is "$(of --list --all)" "used $a $scratch/a/isolator.json
used $b $scratch/b/isolator.json
used $c $scratch/c/isolator.json
used $d $scratch/d/isolator.json" "--list --all: each has its configuration"
    is "$(of --list --unused)|$(of --remove --unused)|$(tags | wc -w)" "||8" "nothing is unused"
    rm "$scratch/a/isolator.json"
    of_project b
    echo '{' >"$scratch/c/isolator.json"
    user=$(docker create --network none "$b" true)
    is "$(of --list --unused)" "busy $b $scratch/b/isolator.json
unused $a $scratch/a/isolator.json" "--list --unused: a configuration that was deleted, and one with other steps"
    prepare --list --unused "$ours"
    has "$err" "isolator: warning: images prepared for this configuration are kept: $scratch/c/isolator.json:" \
        "--list --unused: one that cannot be read"
    mv "$notes" "$scratch/notes"
    is "$(of --list --unused | cut -d ' ' -f 1 | words)" "busy unused" "--list --unused: the labels are enough without the notes"
    mv "$scratch/notes" "$notes"
    is "$(XDG_CONFIG_HOME=$scratch/another of --list --unused)" "" "--list --unused: those of another user are not listed"
    is "$(XDG_CONFIG_HOME=$scratch/another of --list --all | cut -d ' ' -f 1 | words)" "foreign foreign foreign foreign" \
        "--list --all: those of another user"
    XDG_CONFIG_HOME=$scratch/another prepare --remove --unused "$ours"
    is "$status|$(tags | wc -w)" "0|8" "--remove --unused: those of another user stay"
    prepare --remove --unused python
    is "$status|$(tags | wc -w)" "0|8" "--remove --unused: those of other languages stay"
    prepare --remove --unused "$ours"
    is "$status|$(sed -n 1p <<<"$out" | cut -d ' ' -f 1)|$(tail -n 2 <<<"$out" | sort)" "0|NAME|kept $b: there are containers of it
removed $a" "--remove --unused: after the list it says what it does"
    is "$(image '{{.Id}}' "$a")|$(tags | wc -w)|$(grep -c "$scratch/a/isolator.json" "$notes")" "none|6|0" \
        "--remove --unused: the image is gone, and so are its notes"
    docker rm "$user" >/dev/null
    docker image rm "$d" >/dev/null # as while it is being prepared: it has only the tag of its content
    is "$(of --list --all | grep -c "^used isolator-prepared:$ours-[0-9a-f]* $scratch/d/")" 1 "--list --all: an image that is not complete yet"
    prepare --config "$scratch/d/isolator.json"
    is "$status|$out" "0|$ours is already prepared: $d" "it is found and completed"
    faulty "image 1 fail" prepare --list --unused "$ours"
    is "$status|$out|$err" "3||isolator: cannot list the images: Error response from daemon: a fault for the test" \
        "--list --unused: the engine does not list the images"
    prepare --remove --unused "$ours"
    is "$status|$(tail -n 1 <<<"$out")|$(tags | wc -w)" "0|removed $b|4" "--remove --unused: once the container is gone"
    of_project c '["echo c >/installed"]'
    for project in c d; do
        prepare --config "$scratch/$project/isolator.json" --remove "$ours"
    done
    is "$status|$(tags)" "0|" "no image is left"
}

test_case 'a new base image: the image that another user has made stays' && {
    start_over '["echo one >/installed"]'
    prepare
    id=$(image '{{.Id}}' "$reference")
    changed=$(docker create --network none isolator-test/busybox:1 true)
    docker commit "$changed" "$base" >/dev/null
    docker rm "$changed" >/dev/null
    XDG_CONFIG_HOME=$scratch/another prepare
    is "$status|${out%% (*}|$(tags | wc -w)|$(image '{{.Id}}' "$id")" "0|$ours is prepared: $reference|3|$id" \
        "another user prepares the language for the new base image"
    is "$(of --list --unused | cut -d ' ' -f 1)" "unused" "--list --unused: the image is for its maker to remove"
    prepare --remove --unused "$ours"
    is "$status|$(image '{{.Id}}' "$id")|$(tags | wc -w)" "0|none|2" "--remove --unused: it is removed"
    prepare --remove "$ours"
}

# A user of the engine can write any label. This one names a pipe as the configuration, which would block its reader.
test_case 'labels that were forged' && {
    start_over '["echo one >/installed"]'
    prepare
    mkfifo "$scratch/pipe"
    forged=$(docker create --network none "$reference" true)
    docker commit --change "LABEL isolator.prepared.config=$scratch/pipe" --change 'LABEL isolator.prepared.tag=other:1' \
        --change 'LABEL isolator.prepared.steps="[1, {\"a\": 2}"' --change $'LABEL isolator.prepared.base="b\e[31m"' \
        "$forged" "isolator-prepared:$ours-forged" >/dev/null
    docker rm "$forged" >/dev/null
    timeout -s KILL 60 "$ISOLATOR" prepare --list --all "$ours" >"$scratch/list" 2>&1
    is "$?|$(grep -F "$ours-forged" "$scratch/list" | sed 's/  */ /g' | cut -d ' ' -f 2-4,8-)" \
        "0|unused isolator-prepared:$ours-forged b\\x1b[31m $scratch/pipe -" "it is listed, and its labels are escaped"
    prepare --remove --unused "$ours"
    is "$status|$(tail -n 1 <<<"$out")|$(tags | wc -w)" "0|removed isolator-prepared:$ours-forged|2" "it is removed"
    prepare --remove "$ours"
}

# ---- failures

test_case 'a step that fails' && {
    start_over
    prepare "$ours" --run 'echo first' --run 'echo broken; exit 7' --run 'echo never'
    is "$status|$out" "1|" "a step that fails: the status"
    is "$(tail -n 2 <<<"$err")" "broken
isolator: $ours: the last step failed with exit status 7; nothing was saved; it had no network, try --allow-host HOST or --network bridge" \
        "a step that fails: the message"
    prepare "$ours" --run no-such-command
    is "$status|$out|$(tail -n 1 <<<"$err")" "1||isolator: $ours: the last step failed with exit status 127; nothing was saved" \
        "a command that does not exist: no hint about the network"
    prepare "$ours" --run 'exit 7' --network bridge
    is "$status|$out|$(tail -n 1 <<<"$err")" "1||isolator: $ours: the last step failed with exit status 7; nothing was saved" \
        "a step that fails with a network"
    hasnt "$err" "never" "a step that fails is the last"
    is "$(tags)" "" "a step that fails: no image"
    gone "a step that fails: no container"
}

test_case 'the image has no shell, or does not exist' && {
    start_over
    prepare noshell --run true
    is "$status|$out" "3|" "an image without a shell: the status"
    has "$err" "isolator: noshell: cannot start the container: " "an image without a shell: the message"
    sed "s/$base/isolator-test-none:base/" "$ISOLATOR_CONFIG" >"$scratch/none.json"
    prepare --config "$scratch/none.json" "$ours" --run true
    is "$status|$out|$err" "3||isolator: $ours: image 'isolator-test-none:base' is not on the engine; run: isolator pull $ours" \
        "no base image"
}

test_case 'docker fails while a language is prepared' && {
    start_over
    said="Error response from daemon: a fault for the test"
    faulty "commit 1 fail" prepare "$ours" --run true
    is "$status|$out|$(tail -n 1 <<<"$err")" "3||isolator: $ours: cannot save the image: $said" "no image is made"
    gone "no image is made: no container"
    faulty "create 1 fail" prepare "$ours" --run true
    is "$status|$out|$err" "3||isolator: $ours: cannot create a container: $said" "no container is made"
    faulty "image 1 garbage" prepare "$ours" --run true
    is "$status|$out|$err" "3||isolator: $ours: cannot inspect the image '$base': '$engine_command image inspect' did not answer in JSON" "garbage for an image"
    faulty "image 1 fail;version 1 fail" prepare "$ours" --run true
    is "$status|$out" "3|" "an engine that does not answer: the status"
    has "$err" " $(if engine_is podman; then echo 'podman does not work'; else echo 'refuses the docker command'; fi); " "an engine that does not answer: the message"
    faulty "start 1 fail" prepare "$ours" --run true
    is "$status|$out|$err" "3||$said
isolator: $ours: cannot start the container: '$engine_command start' failed" "docker start fails"
    is "$(tags)" "" "no image is left after all that"
}

test_case 'notes that cannot be read or written' && {
    start_over
    mkdir -p "$notes"
    prepare "$ours" --run true
    is "$status|$err" "2|isolator: cannot read the configuration '$notes': Is a directory; isolator prepare has written it: \
delete it and prepare again" "notes that cannot be read"
    rmdir "$notes"
    echo '{"languages": {"x": {"runs": []}}}' >"$notes"
    run "$look"
    is "$status|$out|$err" "2||isolator: $notes: languages.x.runs: unknown key; did you mean 'run'?; isolator prepare has written it: \
delete it and prepare again" "wrong notes: an error of run"
    rm "$notes"
    mkdir -m 0 "$scratch/closed"
    cp "$ISOLATOR" "$scratch/isolator"
    chmod 755 "$scratch"
    XDG_CONFIG_HOME=$scratch/closed as_another env -u ISOLATOR_CONFIG "$scratch/isolator" config >/dev/null 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "0|" "notes that cannot be reached are ignored"
    chmod 700 "$scratch"
    rmdir "$scratch/closed"
    mkdir -p "$scratch/unwritable" && : >"$scratch/unwritable/isolator"
    XDG_CONFIG_HOME=$scratch/unwritable prepare "$ours" --run true
    is "$status|$(tail -n 1 <<<"$err")" "3|isolator: $ours: cannot write '$scratch/unwritable/isolator/prepared.json': Not a directory" \
        "notes that cannot be written"
    is "$(tags)" "" "notes that cannot be written: no image is left"
}

test_case 'steps of the configuration need no notes' && {
    start_over '["true"]'
    mkdir -p "$scratch/unwritable" && : >"$scratch/unwritable/isolator"
    XDG_CONFIG_HOME=$scratch/unwritable prepare "$ours"
    run "$(snippet ash 'echo')"
    is "$status $(field image | cut -d : -f 1)" "0 isolator-prepared" "the prepared image is used"
    prepare --remove
}

test_case 'SIGINT and SIGKILL' && {
    start_over
    for network in "--network none" "--allow-host a.example"; do
        for signal in INT KILL; do
            # shellcheck disable=SC2086 # words
            start_isolator prepare "$ours" --run 'echo begun; sleep 600' $network
            until_true grep -qs '^begun' "$scratch/err"
            kill -$signal "$pid"
            await 2>/dev/null
            is "$status|$out" "$((128 + $(kill -l $signal)))|" "SIG$signal, $network: the status"
            gone "SIG$signal, $network: no container is left"
            is "$(tags)" "" "SIG$signal, $network: no image"
        done
    done
}

# ---- Go

test_case 'Go: the prepared image has the standard library compiled' && {
    start_over
    perl -MJSON::PP -e '
    my ($config, $step) = @ARGV; local $/;
    my $steps = decode_json(<STDIN>)->{languages}{go}{prepare}{run};
    open my $file, "<", $config or die; my $all = decode_json(<$file>);
    s/ std$/ fmt/ for @$steps[$ENV{SOAK} ? () : 0]; # what the program needs alone: the whole takes 40 s
    $all->{languages}{go}{prepare}{run} = [@$steps, $step]; print encode_json($all)' \
        "$ISOLATOR_CONFIG" ": $ours" <isolator_config.json >"$scratch/go.json"
    prepare --config "$scratch/go.json" go
    is "$status $(docker run --rm --network none --entrypoint '' "$reference" sh -c 'ls /tmp /root/.cache 2>/dev/null | grep -c go')" "0 0" \
        "Go: prepared, without its cache"
    run --config "$scratch/go.json" prompts/hello_go.go
    is "$status $(field image stdout)|$(field warnings)" "0 $reference Hello, World from Go!|" "Go: a program runs in it"
    # To build the standard library takes 9 s of CPU time, the program alone 0.3 s.
    within "$(field cpuMs)" 0 4000 "Go: the standard library is already compiled"
    echo "# figures: a Go program in the prepared image: $(field durationMs) ms, $(field cpuMs) ms of CPU time"
    prepare --config "$scratch/go.json" --remove go
    is "$status|$out" "0|go: removed" "Go: removed"
}

# ---- the examples of README and of the manual page, as they stand there, with a pip that needs no index

test_case 'the examples of README and of the manual page, with a pip that needs no index' && {
    pip='[ "$1" = install ] && shift && for name; do echo "name = \"$name\"" >"/usr/lib/python3/dist-packages/$name.py"; done'
    with_pip=$(docker create --network none --entrypoint /bin/sh isolator-test/python:bookworm -c \
        "printf '#!/bin/sh\n%s\n' '$pip' >/usr/local/bin/pip && chmod 755 /usr/local/bin/pip")
    docker start -a "$with_pip"
    docker commit "$with_pip" "$base-pip" >/dev/null
    docker rm "$with_pip" >/dev/null
    echo "{\"containerCommand\": \"$engine_command\", \"engineTimeoutSeconds\": 300, \"languages\": {\"python\": {\"image\": \"$base-pip\"}}}" >"$scratch/pip.json"
    mkdir "$scratch/bin"
    ln -s "$(realpath "$ISOLATOR")" "$scratch/bin/isolator"
    echo 'import numpy, matplotlib; print(numpy.name, matplotlib.name)' >"$scratch/plot.py"
    shown() { # COMMAND: runs it and sets $status and $out.
        out=$(cd "$scratch" && ISOLATOR_CONFIG=$scratch/pip.json PATH=$scratch/bin:$PATH bash -c "$1" 2>"$scratch/err")
        status=$?
        printf '%s\n' "$out" >"$scratch/out"
    }
    shown "$(grep '^isolator prepare python ' README.md)"
    has "$status|$out" "0|python is prepared: isolator-prepared:python-" "README: isolator prepare"
    shown "$(grep '^isolator run plot\.py' README.md)"
    is "$status|$(field stdout)|$(field warnings)" "0|numpy matplotlib|" "README: isolator run"
    echo numpy >"$scratch/requirements.txt"
    shown "$(sed -n "s/\\\\(aq/'/g; s/^\.Dl //p" man/isolator-prepare.1)"
    is "$status|$(sed 's/-[0-9a-f]\{16\} (.*//' <<<"$out")" "0|python is prepared: isolator-prepared:python
python is prepared: isolator-prepared:python
python is prepared: isolator-prepared:python" "the examples of the manual page"
    shown 'isolator prepare --remove python'
    is "$status|$out" "0|python: removed" "its image is removed"
}

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    prepare "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case 'wrong use' && {
    start_over
    wrong "unknown language 'cobol'; known are: $built_in, $ours, noshell" "an unknown language" cobol --run true
    wrong "--run needs a LANGUAGE" "steps without a language" --run true
    wrong "--run: a step is empty" "an empty step" "$ours" --run ' '
    wrong "--run: a step is not valid UTF-8" "a step that is not UTF-8" "$ours" --run $'\xff'
    wrong "--run: steps of more than 32768 bytes" "a step that is too long" "$ours" --run "$(printf '%033000d' 0)"
    wrong "--tag: 'X' is not a tag for an image; write it like name:tag, the name in lower case" "a wrong tag" "$ours" --tag X
    for order in "--network none --allow-host a.example" "--allow-host a.example --network bridge"; do
        # shellcheck disable=SC2086 # words
        wrong "--allow-host and --network cannot be used together; only a container without a network has the proxy" "$order" \
            "$ours" --run true $order
    done
    wrong "--allow-host: 'a/b' is a URL or a path; write the host alone, like example.com" "a URL as a host" "$ours" --run true --allow-host a/b
    wrong "--list cannot be used with other options" "a list with a host" --list --allow-host a.example
    wrong "--tag needs one LANGUAGE" "a tag for two" "$ours" noshell --tag x
    wrong "--list and --remove cannot be used together" "two at once" --list --remove
    wrong "--list cannot be used with other options" "a list with steps" --list --run true "$ours"
    wrong "--remove cannot be used with other options" "--remove with a file" --remove --file "$ISOLATOR_CONFIG" "$ours"
    wrong "--all needs --list" "--all alone" --all
    wrong "--all needs --list" "--all with --remove" --all --remove
    wrong "--unused needs --list or --remove" "--unused alone" --unused
    wrong "--all and --unused cannot be used together" "--all and --unused" --list --all --unused
    wrong "--file and --dir need --run" "a file without a step" "$ours" --file "$ISOLATOR_CONFIG"
    wrong "--file: cannot open '$scratch/none': No such file or directory" "no such file" "$ours" --run true --file "$scratch/none"
    wrong "--file: cannot open '$scratch/none/none': No such file or directory" "no such directory" "$ours" --run true \
        --file "$scratch/none/none"
    wrong "--file: '$scratch' is a directory; use --dir" "a directory as a file" "$ours" --run true --file "$scratch"
    wrong "--dir: '$ISOLATOR_CONFIG' is not a directory; use --file" "a file as a directory" "$ours" --run true --dir "$ISOLATOR_CONFIG"
    wrong "--dir: '$scratch' has the same name as another file" "a directory twice" "$ours" --run true --dir "$scratch" --dir "$scratch"
    wrong "--dir: the path '/' does not end in a name" "the root directory" "$ours" --run true --dir /
    wrong "unknown option '--lst'; did you mean --list?" "a misspelt option" --lst
}

test_case "the host's network is refused, and --help" && {
    prepare "$ours" --run true --network host
    has "$status $err" "2 isolator: --network: " "the host's network"
    isolator prepare --help
    is "$status|${out%%$'\n'*}|$err" "0|usage: isolator prepare [--run STEP]... [--file FILE]... [--dir DIR]...|" "--help"
}

# Called by finish.
check_at_end() { is "$(tags)" "" "no prepared image of this file is left"; }

finish
