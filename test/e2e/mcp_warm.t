#!/usr/bin/env perl
# isolator-mcp: sandboxes that wait. Each serves one call and is gone; calls see nothing of each other,
# and nothing of whether theirs has waited; the pool is made good again, and ends with the server.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;
use Time::HiRes qw(stat time);

my $warm = {warm => {busybox => 1}};

# The one that waits: its name. It is there for good once the gate has said so, which only a call shows.
sub waiting {
    my ($server, @others) = @_;
    my @names;
    my %other = map { $_ => 1 } @others;
    until_true {
        @names = grep { !$other{$_} } qx("$docker" ps --filter label=isolator.pid=$server->{pid} --format '{{.Names}}') =~ /\S+/g;
        @names == 1;
    };
    return "@names";
}

# Calls it until a sandbox that had waited serves the call; returns the result.
sub warm_result {
    my ($server, $code) = @_;
    my $result;
    until_true {
        $result = $server->answer($server->shell($code))->{result}{structuredContent};
        $result->{warm};
    };
    return $result;
}

# How often --verbose has said this step.
sub steps {
    my ($server, $step) = @_;
    my @lines = $server->stderr =~ /^isolator-mcp: $step /mg;
    return scalar @lines;
}

# ---- what a program can see of its sandbox
my $look = <<'END';
for directory in /workspace /tmp /dev/shm; do echo "$directory:" $(ls -a $directory); done
for pid in $(cd /proc && echo [0-9]*); do echo "process $pid $(cat /proc/$pid/comm)"; done 2>/dev/null
echo "hostname: $(hostname)"
env | sort
find / -xdev -newer /etc/hostname -type f ! -path '/proc/*' ! -path '/sys/*' 2>/dev/null | sort
mount | grep -c .
ls -l /proc/self/fd | wc -l
id
END
my $poison = <<'END';
echo left >/workspace/left; echo left >/tmp/left; echo left >/dev/shm/left
mkdir -p /tmp/deep/er /workspace/.isolator-x
export LEFT=left
hostname poisoned 2>/dev/null
setsid sleep 600 >/dev/null 2>&1 &
( while :; do :; done ) >/dev/null 2>&1 &
kill -STOP -1 2>/dev/null
kill -CONT -1 2>/dev/null
rm -rf /workspace/main.ash
echo poisoned
END

# Takes out of what was seen the lines about processes, which come and go: true if their numbers are
# small and none is another's.
sub own_processes {
    my ($result) = @_;
    my %pids;
    $result->{stdout} =~ s/^process (\d+) (.*)\n/$pids{$1} = $2; ''/gme;
    my @foreign = grep { $_ > 64 || $pids{$_} !~ /^(|sh|sleep|cat|gate|dash|busybox)$/ } keys %pids;
    diag "$_ $pids{$_}" for @foreign;
    return %pids >= 3 && !@foreign;
}

my $cold = server();
$cold->initialize('2025-11-25');
my $expected = $cold->answer($cold->shell($look))->{result}{structuredContent};
is($expected->{status}, 'success', 'a cold sandbox: it can be looked at') or diag encoded($expected);
ok(own_processes($expected), 'a cold sandbox: its processes');
ok(!$expected->{warm}, 'a cold sandbox has not waited');
ok($expected->{stdout} =~ m{^/workspace: \. \.\. main\.ash$}m, 'a cold sandbox: its working directory') or diag $expected->{stdout};
is($cold->end, 'exit 0', 'the cold server ends');

my $server = server(config => $warm);
$server->initialize('2025-11-25');
$server->ask('tools/list');
ok(waiting($server) ne '', 'a sandbox waits once the tools were listed');
my %names = ($expected->{container} => 1);
my $count = 1;
for my $round (1, 2) {
    my $result = warm_result($server, $look);
    ok(own_processes($result), "round $round: it sees no process but its own");
    is($result->{stdout}, $expected->{stdout}, "round $round: a sandbox that has waited is as one that has not");
    is(join(' ', sort keys %$result), join(' ', sort keys %$expected), "round $round: so is its result");
    $names{$result->{container}}++;
    my $bad = warm_result($server, $poison);
    is("$bad->{status} $bad->{stdout}", "success poisoned\n", "round $round: a program leaves all it can");
    $names{$bad->{container}}++;
    $count += 2;
}
is(scalar keys %names, $count, 'no container has served twice');

# ---- what a sandbox that has waited is not for
my $other = $server->answer($server->call({language => 'busybox', entrypoint_code => 'echo other', timeout_seconds => 4000}));
is(encoded($other->{result}{structuredContent}{warm}) . " $other->{result}{structuredContent}{stdout}", "false other\n",
    'a timeout of more than an hour: cold');

# ---- one that ended while it waited is replaced
my $name = waiting($server, $other->{result}{structuredContent}{container});
is(scalar qx("$docker" kill $name), "$name\n", 'one is killed while it waits');
my $next = waiting($server, $name);
ok($next ne '' && $next ne $name, 'one whose container was killed is replaced');
my $still = $server->answer($server->shell('echo still'))->{result}{structuredContent};
is($still->{stdout}, "still\n", 'and calls go on');

# ---- the end
ok(waiting($server) ne '', 'another waits');
is($server->end, 'exit 0', 'the server ends while one waits');
is(join(' ', $server->left), '', 'and none is left');

my $killed = server(config => $warm);
$killed->initialize('2025-11-25');
$killed->ask('tools/list');
ok(waiting($killed) ne '', 'SIGKILL: one waits');
$killed->signal('KILL');
$killed->wait_end;
is(join(' ', $killed->left), '', 'SIGKILL: it is gone');

# ---- one that cannot begin any more: the call is served by another, in the time that it has anyway
my $patient = server(config => {%$warm, engineTimeoutSeconds => 20}, arguments => ['--verbose']);
$patient->initialize('2025-11-25');
my $first = warm_result($patient, 'echo first')->{container};
has($patient->stderr, "isolator-mcp: container $first, warm: true\n", '--verbose says that it had waited');
until_true { steps($patient, 'warm') == 2 }; # the gate of the next is ready: all others are on their way out
$name = waiting($patient, $first);
my $delivered = steps($patient, 'deliver');
is(scalar qx("$docker" kill --signal STOP $name), "$name\n", 'one is stopped while it waits');
my $stopped = $patient->answer($patient->shell('echo stopped'))->{result}{structuredContent};
is("$stopped->{status} $stopped->{stdout}", "success stopped\n", 'one that was stopped: the call runs cold') or diag encoded($stopped);
ok(!$stopped->{warm} && $stopped->{container} ne $name, 'one that was stopped: in another container');
is(steps($patient, 'deliver') - $delivered, 2, 'one that was stopped: it had been tried');
is(scalar qx("$docker" ps -aq --filter name=$name), '', 'one that was stopped: it was removed before another ran');
is($patient->end, 'exit 0', 'one that was stopped: the server ends');

# ---- what docker remarks on when a sandbox is made comes with the result of its call
mkdir "$scratch/broken" or die;
write_file("$scratch/broken/config.json", '{"auths": "nonsense"}');
my $remarked = server(config => $warm, env => {DOCKER_CONFIG => "$scratch/broken"});
$remarked->initialize('2025-11-25');
has(join(' ', @{warm_result($remarked, ':')->{warnings}}), 'config.json', 'what docker remarks on is a warning');
is($remarked->end, 'exit 0', 'the server ends');

# ---- none is made while the cores are needed
my $cores = qx(nproc) + 0;
my $busy = server(config => {warm => {busybox => 1}, maxConcurrent => $cores + 2}, arguments => ['--verbose']);
$busy->initialize('2025-11-25');
my @held = map { $busy->shell('sleep 600') } 1 .. $cores;
until_true { steps($busy, 'deliver') == $cores };
sleep 2;
is(steps($busy, 'warm'), 0, 'as many calls run as there are cores: none is made');
$busy->cancel($held[0]);
ok((until_true { steps($busy, 'warm') == 1 }), 'one call less: one is made');
is($busy->end, 'exit 0', 'with calls that run the server ends');
is(join(' ', $busy->left), '', 'and nothing is left');

# ---- what is removed behind the answer holds up no call; where that fails it is said
my $slow = server(config => {maxConcurrent => 1, engineTimeoutSeconds => 600}, fault => 'start * status;rm * hang');
$slow->initialize('2025-11-25');
is($slow->answer($slow->shell("echo $_"))->{result}{structuredContent}{stdout}, "$_\n", "a removal that hangs: call $_") for 1, 2;
ok((until_true { -e "$slow->{calls}/rm.2" }), 'a removal that hangs: both are removed at the same time');
$slow->signal('KILL');
$slow->wait_end;
is(join(' ', $slow->left), '', 'a removal that hangs: nothing is left');

my $refused = server(config => {engineTimeoutSeconds => 2}, fault => 'start * status;rm * fail;ps * fail');
$refused->initialize('2025-11-25');
is($refused->answer($refused->shell('echo on'))->{result}{structuredContent}{stdout}, "on\n", 'a removal that fails: the call');
ok((until_true {
    $refused->stderr =~ /^isolator-mcp: warning: container 'isolator-[0-9a-f]{16}' may be left behind: cannot remove the container: /m
}), 'a removal that fails: it is said') or diag $refused->stderr;
is($refused->end, 'exit 0', 'a removal that fails: the server ends');

# ---- age
my $aging = server(config => {%$warm, warmMaxAgeSeconds => 1});
$aging->initialize('2025-11-25');
$aging->ask('tools/list');
my $young = waiting($aging);
ok($young ne '', 'one that grows old: it waits');
ok(waiting($aging, $young) ne '', 'one that grows old: another takes its place');
is($aging->end, 'exit 0', 'one that grows old: the server ends');

# ---- an engine that fails, and a host that only looks
my $failing = server(config => $warm, fault => 'create * fail');
$failing->initialize('2025-11-25');
$failing->ask('tools/list');
ok((until_true { -e "$failing->{calls}/create.3" }), 'an engine that fails: it is tried again');
ok((stat "$failing->{calls}/create.3")[9] - (stat "$failing->{calls}/create.1")[9] >= 2.9,
    'an engine that fails: a second later, then two'); # what it waits at least
is($failing->tell, '', 'an engine that fails: the server serves');
is($failing->end, 'exit 0', 'an engine that fails: the server ends');

my $hasty = server(config => $warm, fault => 'create * slow');
$hasty->initialize('2025-11-25');
$hasty->ask('tools/list');
ok((until_true { -e "$hasty->{calls}/create.1" }), 'the end while one is being made: it is');
is($hasty->end, 'exit 0', 'the end while one is being made: the server ends');
is(join(' ', $hasty->left), '', 'the end while one is being made: nothing is left');

my $probed = server(config => $warm, fault => 'none 1 fail');
my $began = time;
$probed->initialize('2025-11-25');
$probed->ask('tools/list');
is($probed->end, 'exit 0', 'a host that only looks: the server ends');
my @asked = grep { !/^sweep/ } map { s{.*/}{}r } glob "$probed->{calls}/*";
ok(!@asked || time - $began > 1, 'a host that only looks: the engine is asked for nothing but what was left behind') or diag @asked;

finish();
