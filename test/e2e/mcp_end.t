#!/usr/bin/env perl
# isolator-mcp: how it ends, and what it does without things that others have: closed pipes, signals, clients
# that do not read, no engine, no image, no environment. It ends with status 0 in the two seconds that
# hosts give it, whatever the engine does, and no container is left.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;

my $no_engine = {DOCKER_HOST => 'unix:///nonexistent/docker.sock'};
my $begun = 'print("begun", flush=True); import time; time.sleep(600)';
my $call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":' .
    '{"language":"python","entrypoint_code":"import time; time.sleep(600)","timeout_seconds":600}}}';
my $in_time = 5; # seconds; more than twice what hosts give

sub ends { # SERVER NAME
    my ($server, $name) = @_;
    is($server->wait_end($in_time), 'exit 0', "$name: status 0, in time");
}

# ---- the engine is slow to create a container, and finishes what nobody waits for any more
sub slow_docker { # MARK: its create takes six seconds and leaves marks.
    my ($mark) = @_;
    return write_file("$mark.docker", <<"END", 0755);
#!/bin/sh
[ "\$1" = create ] || exec "$docker" "\$@"
: >"$mark.begun"
sleep 6
"$docker" "\$@"
: >"$mark.done"
END
}
my @late;
for my $how ('end of input', 'SIGTERM') {
    my $mark = "$scratch/late-" . @late;
    my $server = server(config => {containerCommand => slow_docker($mark)});
    $server->send($call);
    ok((until_true { -e "$mark.begun" }), "create is slow, $how: it begins");
    if ($how eq 'SIGTERM') { $server->signal('TERM') } else { $server->close_input }
    ends($server, "create is slow, $how");
    push @late, [$server, $mark, $how];
}

# ---- while a program runs
for my $how ('SIGTERM', 'end of input', 'a reader that goes away') {
    my $server = server();
    $server->initialize('2025-11-25');
    $server->call({language => 'python', entrypoint_code => $begun, timeout_seconds => 600}, 1, 1);
    ok($server->until_output(1), "$how: a program runs");
    if ($how =~ /SIG(.*)/) { $server->signal($1) }
    elsif ($how eq 'end of input') { $server->close_input }
    else { close $server->{out} } # it tells progress every few seconds
    is($server->wait_end($how =~ /reader/ ? 20 : $in_time), 'exit 0', "$how while a program runs: status 0, in time");
    is(join(' ', $server->left(20)), '', "$how while a program runs: the container is gone");
}

# ---- the engine hangs
for my $what ('create SIGTERM', 'create end of input', 'start SIGINT', 'start end of input') {
    my ($step, $how) = split ' ', $what, 2;
    my $server = server(fault => "$step * hang");
    $server->send($call);
    ok((until_true { -e "$server->{calls}/$step.1" }), "$step hangs, $how: it begins");
    if ($how =~ /SIG(.*)/) { $server->signal($1) } else { $server->close_input }
    ends($server, "$step hangs, $how");
    is(join(' ', $server->left(30)), '', "$step hangs, $how: nothing is left");
}
my $server = server(fault => 'create * hang', config => {maxConcurrent => 2});
$server->send($call) for 1 .. 10;
is($server->tell, '', 'create hangs, ten calls: ping is answered');
$server->close_input;
ends($server, 'create hangs, ten calls');
is(scalar(grep { brief($_) eq '2 ok' && /the server ends/ } $server->rest), 8, 'create hangs: those that waited are answered');

# ---- the end of the input
$server = server(env => $no_engine);
is($server->end($in_time), 'exit 0', 'the end at once: status 0');
is(join(' ', $server->rest), '', 'the end at once: nothing on stdout');
$server = server();
$server->put("$call\n");
$server->close_input;
ends($server, 'the end right behind a call');
$server = server(config => {containerCommand => 'no-such-docker'});
$server->put(join("\n", (map { $call =~ s/"id":2/"id":$_/r } 10 .. 59), '{"jsonrpc":"2.0","id":60,"method":"ping"}'));
$server->close_input;
ends($server, 'the end right behind fifty calls');
is(join(', ', sort map { brief($_) } $server->rest), join(', ', map { "$_ ok" } 10 .. 60), 'fifty calls: each is answered');
for my $signal ('TERM', 'INT', 'HUP') {
    $server = server(env => $no_engine);
    is($server->tell, '', "SIG$signal, idle: it serves");
    $server->signal($signal);
    ends($server, "SIG$signal, idle");
    is(join(' ', $server->rest) . $server->stderr, '', "SIG$signal, idle: nothing is said");
}
$server = server(env => $no_engine);
is($server->tell, '', 'SIGTERM within a line: it serves');
$server->put('{"jsonrpc":"2.0",');
$server->signal('TERM');
ends($server, 'SIGTERM within a line');

# ---- streams that are closed
for (['stdin', 0], ['stdin and stdout', 0, 1], ['stdin and stderr', 0, 2], ['all streams', 0, 1, 2]) {
    my ($what, @closed) = @$_;
    ends(server(env => $no_engine, closed => \@closed), "$what closed when it starts");
}
$server = server(env => $no_engine, closed => [1]);
$server->request('ping');
ends($server, 'stdout closed when it starts, at the first answer');
$server = server(env => $no_engine, closed => [2]);
is($server->tell('garbage'), '- -32700', 'stderr closed when it starts: it serves');
is($server->end($in_time), 'exit 0', 'stderr closed when it starts: status 0');
$server = server(env => $no_engine);
is($server->tell, '', 'a reader that goes away, idle: it serves');
close $server->{out};
$server->request('ping');
ends($server, 'a reader that goes away, idle');

# ---- two at once, as hosts do that probe
my @pair = map { server(env => $no_engine) } 1 .. 2;
$_->send({jsonrpc => '2.0', id => 0, method => 'server/discover', params => {_meta => $modern}}) for @pair;
$_->close_input for @pair;
for (@pair) {
    ends($_, 'two opened and closed at once');
    is(join(' ', map { brief($_) } $_->rest), '0 ok', 'two opened and closed at once: an answer');
}

# ---- a client that writes and does not read
# In a process of its own, since it will be held up. PIECE TIMES.
sub writer {
    my ($server, $piece, $times) = @_;
    my $writer = fork // die;
    return $writer if $writer;
    $server->put(ref $piece ? $piece->($_) : $piece) for 1 .. $times;
    POSIX::_exit(0);
}
$server = server(env => $no_engine);
my $writer = writer($server, sub { qq({"jsonrpc":"2.0","id":$_[0],"method":"tools/list"}\n) }, 10000);
ok($server->at_rest, 'a client that does not read: the server stops');
within($server->memory('VmHWM'), 1, 30, 'a client that does not read: memory in MB');
is(waitpid($writer, POSIX::WNOHANG()), 0, 'a client that does not read is not read from either');
my ($good, $wrong) = (0, '');
for my $id (1 .. 10000) {
    my $line = $server->line // last;
    if ($line =~ /^\{"jsonrpc":"2.0","id":$id,"result":\{"tools":\[.*\]\}\}$/) { $good++ }
    else { $wrong ||= substr $line, 0, 200 }
}
is("$good $wrong", '10000 ', 'a client that does not read: all is answered in order once it does');
waitpid $writer, 0;
within($server->memory('VmHWM'), 1, 30, 'a client that does not read: memory in MB at the end');
is($server->end($in_time), 'exit 0', 'a client that does not read: status 0');

$server = server(env => $no_engine);
$writer = writer($server, "garbage\n" x 1000, 1000);
ok($server->at_rest, 'a flood of garbage: the server stops');
is(waitpid($writer, POSIX::WNOHANG()), 0, 'a flood of garbage: its writer is held up');
within($server->memory('VmHWM'), 1, 30, 'a flood of garbage: memory in MB');
kill KILL => $writer;
waitpid $writer, 0;
$server->close_input;
ends($server, 'a client that does not read and goes away');

# ---- no engine, no docker, no image
$server = server(env => $no_engine);
is(join(', ', brief($server->initialize('2025-11-25')), map { brief($server->ask($_)) } 'tools/list', 'resources/list'),
    '1001 ok, 1002 ok, 1003 ok', 'no engine: initialize and the lists');
has(shown($server->answer($server->python('1'))), 'error: Execution Failed (error): cannot create a container: the ' .
    "container engine does not answer; is it running, and may this user reach it? ('docker info' tells more): ",
    'no engine: a call says what to do');
is($server->end($in_time), 'exit 0', 'no engine: status 0');
$server = server(config => {containerCommand => 'no-such-docker'});
has(shown($server->answer($server->python('1'))), "error: Execution Failed (error): cannot run 'no-such-docker'",
    'no docker command');
is($server->end($in_time), 'exit 0', 'no docker command: status 0');
$server = server(config => {languages => {python => {image => 'isolator-test/none:1'}}});
is(shown($server->answer($server->python('1'))), "error: Execution Failed (error): image 'isolator-test/none:1' is not on " .
    'the engine; run: docker pull isolator-test/none:1', 'no image: docker pull');
is($server->end($in_time), 'exit 0', 'no image: status 0');

# ---- no environment
my $telling = write_file("$scratch/telling-docker", <<"END", 0755);
#!/bin/sh
/usr/bin/env >"$scratch/environment"
exec "$docker" "\$@"
END
$server = server(bare => 1, cwd => '/', config => {containerCommand => $telling}, env => {ISOLATOR_CONFIG => undef});
is(shown($server->answer($server->python('print(6 * 7)'))), "--- stdout ---\n42\n", 'no environment, in /: a program runs');
open my $file, '<', "$scratch/environment";
has(join('', $file ? <$file> : ()), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin\n",
    'no environment: docker gets a PATH');
is($server->end($in_time), 'exit 0', 'no environment: status 0');

# ---- the engine has finished its containers by now: they are removed behind the server's back
for (@late) {
    my ($server, $mark, $how) = @$_;
    ok((until_true { -e "$mark.done" }), "create is slow, $how: the engine finishes it");
    is(join(' ', $server->left(30)), '', "create is slow, $how: the container is removed nonetheless");
}

finish();
