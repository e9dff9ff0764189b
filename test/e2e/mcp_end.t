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
my $call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":' .
    '{"language":"busybox","entrypoint_code":"sleep 1000","timeout_seconds":900}}}';

sub ends { # SERVER NAME
    my ($server, $name) = @_;
    is($server->wait_end, 'exit 0', "$name: status 0, in time");
}

# ---- the engine is slow to create a container, and finishes what nobody waits for any more
my $mark = "$scratch/late";
my $slow_docker = write_file("$mark.docker", <<"END", 0755);
#!/bin/sh
[ "\$1" = create ] || exec "$docker" "\$@"
: >"$mark.begun"
(
    until [ -e "$mark.go" ]; do sleep 0.1; done
    "$docker" "\$@"
    : >"$mark.done"
) &
wait
END
my $late = server(config => {containerCommand => $slow_docker});
$late->shell('sleep 1000');
ok((until_true { -e "$mark.begun" }), 'create is slow: it begins');
$late->signal('TERM');
ends($late, 'create is slow');
write_file("$mark.go", '');
ok((until_true { -e "$mark.done" }), 'create is slow: the engine finishes it'); # it is looked for at the end

# ---- while a program runs
for my $how ('SIGTERM', 'end of input') {
    my $server = server();
    $server->initialize('2025-11-25');
    $server->shell('echo begun; sleep 1000', 1);
    ok($server->until_progress(1, qr/^running; 6 /), "$how: a program runs");
    if ($how eq 'SIGTERM') { $server->signal('TERM') } else { $server->close_input }
    ends($server, "$how while a program runs");
    is(join(' ', $server->left), '', "$how while a program runs: the container is gone");
}

# ---- the engine hangs
for my $what ('create SIGTERM', 'create a reader that goes away', 'start SIGINT') {
    my ($step, $how) = split ' ', $what, 2;
    my $server = server(fault => "$step * hang");
    $server->shell('sleep 1000', 1);
    ok((until_true { -e "$server->{calls}/$step.1" }), "$step hangs, $how: it begins");
    if ($how =~ /SIG(.*)/) { $server->signal($1) } else { close $server->{out} } # it tells progress every few seconds
    ends($server, "$step hangs, $how");
    is(join(' ', $server->left), '', "$step hangs, $how: nothing is left");
}
my $server = server(fault => 'create * hang', config => {maxConcurrent => 2});
$server->shell('sleep 1000') for 1 .. 10;
is($server->tell, '', 'create hangs, ten calls: ping is answered');
$server->close_input;
ends($server, 'create hangs, ten calls');
is(scalar(grep { /the server is shutting down/ } $server->rest), 8, 'create hangs, ten calls: those that waited are answered');
has($server->stderr, "isolator-mcp: the engine took too long: 2 calls are not answered\n",
    'create hangs, ten calls: those that are not are counted');

# ---- the end of the input
$server = server(env => $no_engine);
is($server->end, 'exit 0', 'the end at once: status 0');
is(join(' ', $server->rest), '', 'the end at once: nothing on stdout');
$server = server();
$server->put("$call\n");
$server->close_input;
ends($server, 'the end right behind a call');
$server = server(config => {containerCommand => 'no-such-docker'});
$server->put(join("\n", (map { $call =~ s/"id":2/"id":$_/r } 10 .. 29), '{"jsonrpc":"2.0","id":30,"method":"ping"}'));
$server->close_input;
ends($server, 'the end right behind twenty calls');
my @answers = grep { !/"method"/ } $server->rest;
is(join(', ', sort map { brief($_) } @answers), join(', ', map { "$_ ok" } 10 .. 30), 'twenty calls: each is answered');
ok(scalar(grep { /cannot run 'no-such-docker'/ } @answers), 'twenty calls: they get time to run') or diag @answers;
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
is($server->end, 'exit 0', 'stderr closed when it starts: status 0');
$server = server(env => $no_engine);
is($server->tell, '', 'a reader that goes away, idle: it serves');
close $server->{out};
$server->request('ping');
ends($server, 'a reader that goes away, idle');

# ---- a client that asks for much and then has enough
my $many = "$scratch/many";
mkdir $many or die;
write_file("$many/$_.py", '') for 1 .. 4000;
my $work = join '', map { qq({"jsonrpc":"2.0","id":$_,"method":"resources/list"}\n) } 1 .. 1000;
my $batch = '[' . join(',', map { qq({"jsonrpc":"2.0","id":$_,"method":"resources/list"}) } 1 .. 100) . "]\n";
for my $how ('SIGTERM', 'the end of stdin') {
    for my $what ('lines', 'batches') {
        $server = server(env => $no_engine, config => {promptsDir => $many});
        $server->initialize('2025-03-26');
        $server->unrecorded;
        $server->put($what eq 'lines' ? $work : $batch x 10);
        if ($how eq 'SIGTERM') { $server->signal('TERM') } else { $server->close_input }
        ends($server, "$how while $what are worked off");
    }
}

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
    $server->pad($piece =~ s/ID/$_/r) for 1 .. $times;
    POSIX::_exit(0);
}
# What is read past the client is not validated, so it is compared with what is.
$server = server(env => $no_engine);
my $list = '{"jsonrpc":"2.0","id":ID,"method":"tools/list"}';
my ($answer) = $server->raw($list =~ s/ID/0/r);
my $writer = writer($server, "$list\n", 10000);
ok($server->at_rest, 'a client that does not read: the server stops');
within_memory($server->memory('VmHWM'), 30, 'a client that does not read: memory in MB');
is(waitpid($writer, POSIX::WNOHANG()), 0, 'a client that does not read is not read from either');
$server->unrecorded;
my ($good, $wrong) = (0, '');
for my $id (1 .. 10000) {
    my $line = $server->line // last;
    if ($line eq $answer =~ s/"id":0/"id":$id/r) { $good++ } else { $wrong ||= substr $line, 0, 200 }
}
is("$good $wrong", '10000 ', 'a client that does not read: all is answered in order once it does');
waitpid $writer, 0;
within_memory($server->memory('VmHWM'), 30, 'a client that does not read: memory in MB at the end');
is($server->end, 'exit 0', 'a client that does not read: status 0');

$server = server(env => $no_engine);
$writer = writer($server, "garbage\n" x 1000, 1000);
ok($server->at_rest, 'a flood of garbage: the server stops');
is(waitpid($writer, POSIX::WNOHANG()), 0, 'a flood of garbage: its writer is held up');
within_memory($server->memory('VmHWM'), 30, 'a flood of garbage: memory in MB');
kill KILL => $writer;
waitpid $writer, 0;
$server->close_input;
ends($server, 'a client that does not read and goes away');

# ---- no engine, no docker, no image
$server = server(env => $no_engine);
is(join(', ', brief($server->initialize('2025-11-25')), map { brief($server->ask($_)) } 'tools/list', 'resources/list'),
    '1001 ok, 1002 ok, 1003 ok', 'no engine: initialize and the lists');
has(shown($server->answer($server->shell(':'))), 'error: Execution Failed (error): cannot create a container: the ' .
    "container engine does not answer; is it running, and may this user reach it? ('isolator doctor' tells more): ",
    'no engine: a call says what to do');
is($server->end, 'exit 0', 'no engine: status 0');
$server = server(config => {containerCommand => 'no-such-docker'});
has(shown($server->answer($server->python('1'))), "error: Execution Failed (error): cannot run 'no-such-docker'",
    'no docker command');
is($server->end, 'exit 0', 'no docker command: status 0');
$server = server(config => {languages => {python => {image => 'isolator-test/none:1'}}});
is(shown($server->answer($server->python('1'))), "error: Execution Failed (error): image 'isolator-test/none:1' is not on " .
    'the engine; run: docker pull isolator-test/none:1', 'no image: docker pull');
is($server->end, 'exit 0', 'no image: status 0');

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
is($server->end, 'exit 0', 'no environment: status 0');

# ---- the slow engine's container is removed behind the server's back
is(join(' ', $late->left), '', 'create is slow: the container is removed nonetheless');

finish();
