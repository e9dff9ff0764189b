#!/usr/bin/env perl
# The engine is killed while isolator works, and started again some seconds later. What ran says so soon, what
# comes then succeeds, and nothing is left. It is an engine of this test's own, a second dockerd, which needs
# root or sudo; others may use the first one meanwhile.
use strict;
use warnings;
use Cwd 'abs_path';
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;
use JSON::PP;
use POSIX 'WNOHANG';
use Time::HiRes qw(sleep time);

my $isolator = $ENV{ISOLATOR} // 'build/isolator';
my $json = JSON::PP->new->utf8;
my $engine_seconds = 20; # engineTimeoutSeconds
my $grace = 60;          # seconds more, for a machine that is busy
my $down = 3;            # seconds without an engine
$SIG{$_} = sub { exit 1 } for qw(HUP INT TERM);

# ---- the engine

my $main = $$;
my $home = "$scratch/engine";
my $engine = 'test/fixtures/own-engine';

sub slurp { open my $file, '<:raw', $_[0] or return ''; local $/; return <$file> // '' }

# The processes that have this among their arguments.
sub processes {
    my ($argument) = @_;
    return grep { index(slurp("/proc/$_/cmdline"), $argument) >= 0 } map { s{/proc/}{}r } glob '/proc/[0-9]*';
}

sub start_engine { return system($engine, 'start', $home, @_) == 0 }
sub kill_engine { system $engine, 'kill', $home }
sub remove_engine {
    open my $said, '-|', $engine, 'remove', $home or die;
    local $/;
    return readline($said) // '';
}
END {
    local $?;
    remove_engine() if $$ == $main && -e $home;
}

if (!start_engine(map { "isolator-test/$_:1" } qw(busybox noshell))) {
    print "Bail out! no engine of its own\n";
    exit 1;
}
$ENV{DOCKER_HOST} = "unix://$home/socket";

# ---- programs of isolator

my $config = $ENV{ISOLATOR_CONFIG} = pipe_client::config_file({engineTimeoutSeconds => $engine_seconds, maxConcurrent => 2,
    maxQueued => 100, promptsDir => $scratch});
my $number = 0;
sub start { # INPUT COMMAND...
    my ($input, @command) = @_;
    my %process = (out => "$scratch/out-" . $number, err => "$scratch/err-" . $number++, began => time);
    $process{pid} = fork // die "fork: $!";
    return \%process if $process{pid};
    open STDIN, $input =~ /^</ ? '<&=' : '<', $input =~ s/^<//r or POSIX::_exit(98);
    open STDOUT, '>', $process{out};
    open STDERR, '>', $process{err};
    exec @command or POSIX::_exit(127);
}
# How it ends: "STATUS after its time" where it has to be waited for past these seconds.
sub wait_for {
    my ($process, $seconds) = @_;
    my $end = time + $seconds;
    until_true { waitpid $process->{pid}, WNOHANG } $seconds + 120 or do {
        kill KILL => $process->{pid};
        waitpid $process->{pid}, 0;
    };
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    return time < $end ? $status : "$status after its time";
}

# How many programs in containers are asleep, as processes of the host: for a time that nobody else sleeps.
my $naps = 1000000 + $$;
sub sleepers { return scalar grep { slurp($_) =~ m{^(?:sleep|/hello)\0(?:.*\0)?(?:--sleep=)?$naps\0$} } glob '/proc/[0-9]*/cmdline' }

sub containers { my @names = `docker ps -aq`; die 'docker ps failed' if $?; return @names }
sub volumes { my @names = `docker volume ls -q`; die 'docker volume ls failed' if $?; return @names }
sub nothing_left {
    my ($name) = @_;
    my $hello = write_file("$scratch/hello.ash", 'echo hello');
    my $next = start('/dev/null', $isolator, 'run', $hello);
    is(wait_for($next, 60 + $engine_seconds + $grace) . ' ' . slurp($next->{err}), '0 ', "$name: the next run succeeds");
    # The engine may need some starts to get rid of what it was removing when it died.
    ok((until_true { system("'$isolator' gc >/dev/null 2>&1"); !containers() } 120), "$name: no container is left") or diag(`docker ps -a`);
    ok((until_true { !volumes() } 120), "$name: no volume is left") or diag(volumes());
    ok((until_true { !sleepers() } 120), "$name: the programs have ended") or diag(sleepers() . ' sleep');
}

# ---- it dies while programs run

my $long = write_file("$scratch/long.ash", "echo begun; sleep $naps");
my $text = write_file("$scratch/long.txt", "the text\n");
my $gated = start('/dev/null', $isolator, 'run', '--timeout', '600s', $long);
my $plain = start('/dev/null', $isolator, 'run', '--timeout', '600s', $text, '--', "--sleep=$naps");
# An engine that is killed before it has noted that a container runs forgets that: nobody could ask it to end it.
sub known_to_run { my @names = `docker ps -q --filter status=running`; return scalar @names }
ok((until_true { sleepers() == 2 && known_to_run() == 2 }), 'the programs run') or diag(sleepers(), map { slurp($_->{err}) } $gated, $plain);
my $died = time;
kill_engine();
sleep $down;
my $back = start_engine();
for (['gated', $gated, qr/^the container ended and did not say how the program did \(docker start: status 125\); was the gate killed for memory, or the engine restarted\?$/],
    ['no shell', $plain, qr/^cannot inspect the container: .*docker|^'docker start' ended with status \d+ and the program/]) {
    my ($name, $process, $words) = @$_;
    is(wait_for($process, $engine_seconds + $grace), '3', "the engine dies, $name: isolator ends soon");
    my $result = eval { $json->decode(slurp($process->{out})) } // {error => '(no JSON)'};
    is(join(' ', map { $_ // 'null' } @$result{qw(status exitCode reason)}), 'error -1 engine', "the engine dies, $name: the result");
    ok(scalar($result->{error} =~ $words), "$name: the message") or diag($result->{error});
}
ok($back, 'the engine is back');
nothing_left('the engine dies');

# ---- it dies under a batch and a server
# Each works on two at a time. Once some were answered the engine dies; what is sent while it is down is
# answered, and what is sent once it is back succeeds.

my @request = (language => 'busybox', timeout_seconds => 60);
pipe my $read, my $feed or die;
$feed->autoflush(1);
my $batch = start('<' . fileno $read, $isolator, 'batch', '-j', 2);
close $read;
my $server = pipe_client::server(config => $json->decode(slurp($config)));
$server->initialize('2025-11-25');
my $sent = 0;
sub send_more { # HOW-MANY CODE: to both
    for my $id (map { $sent + $_ } 1 .. $_[0]) {
        my %arguments = (@request, entrypoint_code => "echo is \$((1000 + $id)); $_[1]");
        print $feed $json->encode({id => $id, %arguments}), "\n";
        $server->call(\%arguments, undef, $id);
    }
    $sent += $_[0];
}
sub batch_results { return map { $_->{id} => $_ } map { $json->decode($_) } grep { /\}$/ } split /\n/, slurp($batch->{out}) }

my %answer;
send_more(4, 'true');
$answer{$_} = $server->answer($_) for 1 .. 4;
ok((until_true { keys %{{batch_results()}} == 4 }), 'some are answered before the engine dies') or diag(slurp($batch->{err}));
send_more(10, 'sleep 1');
until_true { keys %{{batch_results()}} >= 6 };
kill_engine();
sleep $down;
$back = start_engine();
ok($back, 'the engine is back');
$answer{$_} = $server->answer($_) for 5 .. 14;
my $before = $sent;
until_true { keys %{{batch_results()}} == $before };
send_more(4, 'true');
close $feed;
$answer{$_} = $server->answer($_) for $before + 1 .. $sent;
is(wait_for($batch, $engine_seconds + $grace), '1', 'batch: it ends, and says that some failed');
my %result = batch_results();
is(join(' ', sort { $a <=> $b } keys %result), join(' ', 1 .. $sent), 'batch: each line is answered');
is(join(' ', sort { $a <=> $b } grep { $answer{$_} } keys %answer), join(' ', 1 .. $sent), 'mcp: each call is answered');
my $says = sub { 1000 + $_[0] };
for my $id (1 .. 4, $before + 1 .. $sent) {
    is($result{$id}{stdout}, "is " . $says->($id) . "\n", "batch: line $id") or diag($result{$id}{error});
    is(shown($answer{$id}), "--- stdout ---\nis " . $says->($id) . "\n", "mcp: call $id");
}
# In between each has succeeded or says that the engine failed.
my @odd = grep { $result{$_}{error} ? $result{$_}{reason} ne 'engine' : $result{$_}{stdout} ne "is " . $says->($_) . "\n" } 5 .. 14;
is("@odd", '', 'batch: what met the end of the engine says so') or diag(map { $json->encode($result{$_}) } @odd);
ok((grep { $result{$_}{error} } 5 .. 14) > 0, 'batch: some did');
@odd = grep { shown($answer{$_}) !~ /^error: Execution Failed \(error\): \S/ && shown($answer{$_}) ne "--- stdout ---\nis " . $says->($_) . "\n" } 5 .. 14;
is("@odd", '', 'mcp: what met the end of the engine says so') or diag(map { shown($answer{$_}) } @odd);
ok((grep { shown($answer{$_}) =~ /^error/ } 5 .. 14) > 0, 'mcp: some did');
$server->stop;
nothing_left('the engine dies under a batch and a server');

# ---- the end
is(remove_engine(), '', 'nothing is left of the engine');
delete $ENV{DOCKER_HOST};
finish();
