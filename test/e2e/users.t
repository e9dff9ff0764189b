#!/usr/bin/env bash
# The users of programs: each container has one of its own, unless the configuration or an option gives one.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

who='import os; print(os.getuid(), os.getgid(), *os.getgroups())'
python=$(snippet py "$who")

# configured MEMBERS ARG...: `isolator run` with the configuration of the tests and these members.
configured() {
    perl -MJSON::PP -e 'local $/; my $json = JSON::PP->new; my %config = (%{$json->decode(<STDIN>)}, %{$json->decode("{$ARGV[0]}")});
        print $json->encode(\%config)' "$1" <"$ISOLATOR_CONFIG" >"$scratch/users.json"
    shift
    run --config "$scratch/users.json" "$@"
}

test_case 'each run has a user of its own, with a group of the same number' && {
    run "$python"
    first=$(field stdout)
    is "$(own_users <<<"$first")" "OWN OWN OWN" "a user of userRange"
    within "${first%% *}" 1900000 1965535 "the default userRange"
    is "$first" "${first%% *} ${first%% *} ${first%% *}" "the group has the number of the user, and there are no others"
    run "$python"
    second=$(field stdout)
    if [ "$second" = "$first" ]; then run "$python"; second=$(field stdout); fi # once in 65536 runs
    is "$([ "$second" != "$first" ]; echo $?)" 0 "the next run has another user: $second"
    configured '"userRange": "3000-3255"' "$python"
    within "$(field stdout | cut -d ' ' -f 1)" 3000 3255 "another userRange"
}

test_case 'programs that run at the same time have different users' && {
    sleeps='import os, time; print(os.getuid(), flush=True); time.sleep(3)'
    for _ in 1 2 3 4; do printf '{"language": "python", "entrypoint_code": "%s"}\n' "$sleeps"; done >"$scratch/requests"
    input=$scratch/requests isolator batch -j 4
    is "$status $(grep -c '"success"' <<<"$out")" "0 4" "four runs"
    users=$(perl -MJSON::PP -ne 'print decode_json($_)->{stdout}' <<<"$out")
    expect "$(own_users <<<"$users")" "each has a user of userRange" <<'END'
OWN
OWN
OWN
OWN
END
    is "$(sort -u <<<"$users" | wc -l)" 4 "no two have the same"
}

test_case 'a warm container is used although its user is another' && {
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>); $config->{warm} = {python => 2}; print encode_json($config)' \
        <"$ISOLATOR_CONFIG" >"$scratch/warm.json"
    for _ in {1..6}; do
        printf '{"language": "python", "entrypoint_code": "import os, time; print(os.getuid()); time.sleep(1)"}\n'
    done >"$scratch/requests"
    input=$scratch/requests isolator batch -j 1 --config "$scratch/warm.json"
    is "$status $(grep -c '"success"' <<<"$out")" "0 6" "six runs"
    has "$out" '"warm":true' "some ran in a warm container"
    is "$(perl -MJSON::PP -ne 'print decode_json($_)->{stdout}' <<<"$out" | sort -u | wc -l)" 6 "all have different users"
}

test_case 'a given user: option, language, defaults, maximums' && {
    run --user 1234 "$python"
    is "$(field stdout)|$(field warnings)" "1234 1234 1234|" "--user UID"
    run --user 1234:5678 "$python"
    is "$(field stdout)" "1234 5678 5678" "--user UID:GID"
    configured '"defaults": {"user": "7"}' "$python"
    is "$(field stdout)" "7 7 7" "defaults.user"
    configured '"maximums": {"user": "7:8"}' "$python"
    is "$status $(field stdout)" "0 7 8 8" "maximums.user is the user if none is given"
    configured '"maximums": {"user": "7:8"}' --user 9 "$python"
    is "$status|$err" "2|isolator: --user 9:9 is not allowed by the configuration (maximums.user: 7:8)" "another user than the maximum's"
}

test_case 'npm and Java need no name of the user' && {
    mkdir "$scratch/package"
    echo '{"name": "x", "version": "1.0.0", "scripts": {"answer": "node -p 6*7"}}' >"$scratch/package/package.json"
    printf '%s\n' 'npm --version' 'npm run --silent answer' 'npm config get cache' >"$scratch/package/main.sh"
    run --image isolator-test/languages:trixie -l bash --dir "$scratch/package"
    is "$status|$(field stdout)|$(field stderr)" "0|11.6.0
42
/tmp/.npm|" "npm: its version, a script of the package, and its cache in HOME"
    echo 'class Main {
    public static void main(String[] arguments) throws Exception {
        System.out.println(System.getProperty("user.name") + " " + System.getProperty("user.home"));
        System.out.println(java.nio.file.Files.createTempFile("x", "").getParent());
    }
}' >"$scratch/Main.java"
    run "$scratch/Main.java"
    is "$status|$(field stdout)" "0|? /tmp
/tmp" "Java: the properties of the user, and its temporary files"
}

test_case 'programs that look for their name and their home' && {
    code py 'import getpass, os, pwd
print(getpass.getuser(), os.path.expanduser("~"), os.environ["USER"], os.environ["LOGNAME"])
try: print(pwd.getpwuid(os.getuid()))
except KeyError as error: print(error.args[0].split(":")[0] + ": no entry")'
    is "$(field stdout)" "sandbox /tmp sandbox sandbox
getpwuid(): no entry" "Python"
    code js 'const os = require("os"); console.log(os.homedir(), process.env.USER);
try { console.log(os.userInfo()) } catch (error) { console.log(error.code, error.info.code) }'
    is "$(field stdout)" "/tmp sandbox
ERR_SYSTEM_ERROR ENOENT" "Node.js: os.userInfo() needs an entry of /etc/passwd"
    code js 'console.log(require("os").userInfo().uid)' --user 0
    is "$(field stdout)" 0 "Node.js: os.userInfo() of a user that the image has"
}

test_case 'a user or capabilities with which a program could forge its result' && {
    root="the program runs as user 0, so it could forge its result"
    capabilities="not all capabilities are dropped, so the program could forge its result"
    run --user 0 "$python"
    is "$(field warnings)" "$root" "user 0"
    run --user 0:7 --cap-drop NET_RAW "$python"
    is "$(field warnings)" "$root" "user 0 with capabilities: one warning"
    run --cap-drop NET_RAW "$python"
    is "$(field warnings)" "$capabilities" "a capability left"
    run --cap-drop NET_RAW,all --user 1:0 "$python"
    is "$(field warnings)" "" "no capability and another user"
}

# An engine that maps users: it cannot start a container with a user beyond 65535.
mkdir "$scratch/mapping"
cat >"$scratch/mapping/docker" <<END_OF_SCRIPT
#!/bin/sh
case \$1 in
run)
    case " \$* " in
    *" --user="[0-9][0-9][0-9][0-9][0-9][0-9]*:*)
        echo "docker: Error response from daemon: cannot mount tmpfs: invalid argument" >&2
        exit 125 ;;
    esac ;;
info)
    $(command -v docker) "\$@" | sed 's/"SecurityOptions":\[/&"name='"\$MAPPING"'",/'
    exit ;;
esac
exec $(command -v docker) "\$@"
END_OF_SCRIPT
chmod +x "$scratch/mapping/docker"
# mapping KIND COMMAND...: runs the command on an engine that maps users, or is rootless.
mapping() {
    local PATH=$scratch/mapping:$PATH MAPPING=$1
    export MAPPING
    shift
    faulty "" "$@"
}

test_case 'an engine that has only 65536 users' && {
    for kind in userns rootless; do
        mapping $kind run "$python"
        is "$status $(field reason)" "0 exit" "$kind: the program runs"
        within "$(field stdout | cut -d ' ' -f 1)" 10000 59999 "$kind: its user"
        is "$(grep -c -x info <<<"$(docker_calls | tr ' ' '\n')")" 1 "$kind: the engine is asked once"
        is "$(field warnings)" "" "$kind: no warning"
    done
    mapping none run "$python"
    is "$status $(field reason)" "3 engine" "an engine that fails for another reason"
    has "$(field error)" "cannot start the container: docker: Error response from daemon: cannot mount tmpfs: invalid argument" "its error"
    for _ in {1..3}; do printf '{"language": "python", "entrypoint_code": "%s"}\n' "$who"; done >"$scratch/requests"
    input=$scratch/requests mapping userns isolator batch -j 1
    is "$status $(grep -c '"success"' <<<"$out")" "0 3" "a batch"
    is "$(grep -c -x info <<<"$(docker_calls | tr ' ' '\n')")" 1 "a batch: the engine is asked once"
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>); $config->{userRange} = "5000-5999"; print encode_json($config)' \
        <"$ISOLATOR_CONFIG" >"$scratch/low.json"
    mapping rootless run --config "$scratch/low.json" "$python"
    within "$(field stdout | cut -d ' ' -f 1)" 5000 5999 "a userRange that the engine has"
    is "$(docker_calls)" "run" "a userRange that the engine has: no further call"
    is "$(own_containers)" "" "no container remains"
}

finish
