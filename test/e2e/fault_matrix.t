#!/usr/bin/env perl
# Each call of the docker command, in each kind of run, goes wrong in each way that test/fixtures/docker-fault
# knows. Of every one: isolator ends within its timeout and engineTimeoutSeconds, prints one JSON result, which
# says what failed or has what the program wrote, and nothing is left. The exact messages are in faults.t.
#
# FAULTS  how many at a time (6)
use strict;
use warnings;
use Cwd 'abs_path';
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;
use JSON::PP;
use POSIX 'WNOHANG';
use Time::HiRes qw(sleep time);

my $at_once = $ENV{FAULTS} // 6;
my $isolator = $ENV{ISOLATOR} // 'build/isolator';
$ENV{ISOLATOR_CONFIG} //= abs_path('build/engine/test.json');
my $stuck = 120; # seconds past its time after which a run is ended; only what is wrong needs them
my @kinds = qw(fail late status hang slow warns garbage kill);
my %reason = map { $_ => 1 } qw(exit signal timeout oom output-limit cancelled engine image-missing input);
my $json = JSON::PP->new->utf8;

# How the runs with each kind end, in the order of @kinds: "." succeeds, "E" fails with reason engine, "I" with
# image-missing, which is all that a failed `docker image inspect` tells. "P": the program itself fails, since
# the engine has said that the files were there. What a failed run says has to fit the words. The file:
# hello.ash has the gated life, hello.txt the plain one, in which the gate is tried first.
my $create = qr/'?(docker )?create'?|create a container|inspect the container/;
my $start = qr/start( the container)?/;
my $mend = qr/a fault for the test|inspect the container|limit of/;
my @calls = (
    # file, what else goes wrong, call, outcomes, words
    ['hello.ash', '', 'create 1', 'EEEE..EE', $create],
    ['hello.ash', '', 'start 1', 'EE.E..EE', $start],
    ['hello.ash', 'start 1 status', 'rm 1', '........', qr/./],
    ['hello.ash', 'start 1 status;rm 1 fail', 'ps 1', '........', qr/./],
    ['hello.ash', 'start 1 status;rm 1 fail;ps 1 fail', 'exec 1', '........', qr/./],
    ['hello.ash', 'create 1 warns', 'inspect 1', 'EEEE..EE', $mend],
    ['hello.ash', 'create 1 late', 'rm 1', 'EEEEEEEE', $create],
    ['hello.ash', 'create 1 fail', 'version 1', 'EEEEEEEE', $create],
    ['hello.ash', 'create 1 fail', 'image 1', 'IIIEEEEE', qr/$create|is not on the engine/],
    ['hello.txt', '', 'create 1', 'EEEE..EE', $create],
    ['hello.txt', '', 'start 1', '...E....', $start],
    ['hello.txt', '', 'version 1', '........', $start],
    ['hello.txt', '', 'image 1', 'III.....', qr/is not on the engine/],
    ['hello.txt', '', 'rm 1', '........', $start],
    ['hello.txt', '', 'create 2', 'EEEE..EE', $create],
    ['hello.txt', '', 'cp 1', '...E..EE', $start],
    ['hello.txt', '', 'cp 2', 'EEEE..PE', qr/copy the files|program exited with status 1/],
    ['hello.txt', '', 'start 2', 'EEEE..EE', $start],
    ['hello.txt', '', 'inspect 1', 'EEEE..EE', qr/inspect the container/],
    ['hello.txt', '', 'rm 2', '........', qr/./],
);
my $warning = "WARNING: a fault for the test\n"; # which the plain life cannot tell from what the program writes
my %ends = (E => '3 error engine', I => '3 error image-missing', P => '1 error exit');
my %wrote = ('hello.ash' => "Hello, World\n", 'hello.txt' => "--cat\nhello.txt\nthe text\n");
write_file("$scratch/hello.ash", "echo 'Hello, World'\n");
write_file("$scratch/hello.txt", "the text\n");

# ---- processes with a docker that has faults

mkdir "$scratch/fault";
symlink abs_path('test/fixtures/docker-fault'), "$scratch/fault/docker" or die;

my $number = 0;
sub start { # FAULT INPUT COMMAND...: a directory of its own has what it writes
    my ($fault, $input, @command) = @_;
    my %process = (dir => "$scratch/process-" . $number++, began => time);
    mkdir $_ or die for $process{dir}, "$process{dir}/calls";
    $process{pid} = fork // die "fork: $!";
    return \%process if $process{pid};
    %ENV = (%ENV, DOCKER_FAULT => $fault, DOCKER_CALLS => "$process{dir}/calls", DOCKER_REAL => $docker,
        PATH => "$scratch/fault:$ENV{PATH}");
    open STDIN, '<', $input or die "$input: $!";
    open STDOUT, '>', "$process{dir}/out";
    open STDERR, '>', "$process{dir}/err";
    exec @command or POSIX::_exit(127);
}

# Whether it has ended; after so many seconds it is ended.
sub ended {
    my ($process, $seconds) = @_;
    my $took = time - $process->{began};
    kill KILL => $process->{pid} if $took > $seconds + $stuck;
    return 0 unless waitpid $process->{pid}, WNOHANG;
    $process->{took} = $took;
    $process->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    $process->{$_} = slurp("$process->{dir}/$_") for qw(out err);
    return 1;
}
sub slurp { open my $file, '<:raw', $_[0] or return ''; local $/; return <$file> // '' }

# The containers and volumes that are left, by their owner.
sub left {
    my %left;
    for (`docker ps -a --filter label=isolator.pid --format '{{.Label "isolator.pid"}} {{.Names}} {{.Status}}'`) {
        my ($pid, $rest) = split ' ', $_, 2;
        push @{$left{$pid}}, $rest;
    }
    die 'docker ps failed' if $?;
    return \%left;
}
sub volumes {
    my @names = `docker volume ls -q --filter dangling=true`;
    die 'docker volume ls failed' if $?;
    chomp @names;
    return @names;
}
my %volume = map { $_ => 1 } volumes();

# ---- how much time

# The engine gets little time, and yet many times what a run needs here.
my $begin = time;
system("'$isolator' run '$scratch/hello.ash' </dev/null >'$scratch/first'") == 0 or die 'a run without a fault fails';
my $engine = int(20 * (time - $begin)) + 1;
$engine = 10 if $engine < 10;
my $config = pipe_client::config_file({engineTimeoutSeconds => $engine});
my $grace = 20 + $engine; # for a machine that is busy

# ---- one call goes wrong: isolator run

# What it tells is a failure, or a success, as it should be: else what is wrong.
sub judge {
    my ($cell) = @_;
    my $process = $cell->{process};
    my $result = eval { $json->decode($process->{out}) };
    return "no JSON object: $process->{out}" unless ref $result eq 'HASH' && $process->{out} =~ /^[^\n]*\n\z/;
    return "reason $result->{reason}" unless $reason{$result->{reason}};
    my $late = $process->{took} - $cell->{timeout} - $engine;
    return sprintf 'it took %.1f s too long', $late if $late > $grace;
    my $error = $result->{error};
    if ($cell->{outcome} eq '.') {
        return "it failed: $error" if defined $error || $result->{status} ne 'success' || $process->{status};
        return "stdout: $result->{stdout}" if $result->{stdout} ne $wrote{$cell->{file}};
        return "stderr: $result->{stderr}" if $result->{stderr} ne ($cell->{fault} eq 'start 2 warns' ? $warning : '');
        return '';
    }
    return "it succeeded" unless defined $error;
    return "exit status $process->{status}, status $result->{status}, reason $result->{reason}"
        if "$process->{status} $result->{status} $result->{reason}" ne $ends{$cell->{outcome}};
    return "error: $error" if $error !~ $cell->{words} || $error =~ /: $|\(null\)/;
    return "stderr: $process->{err}" if $process->{err} ne '';
    return '';
}

my (@waiting, @running, @done);
for my $call (@calls) {
    my ($file, $other, $which, $outcomes, $words) = @$call;
    for my $i (0 .. $#kinds) {
        # Where the engine hangs before the program runs the timeout has to pass; elsewhere it leaves time.
        my $timeout = $kinds[$i] eq 'hang' && substr($outcomes, $i, 1) eq 'E' && $which !~ /^inspect/ ? 1 : 60;
        push @waiting, {name => "$file: " . ($other ? "$other; " : '') . "docker $which $kinds[$i]", file => $file,
            fault => "$which $kinds[$i]" . ($other ? ";$other" : ''), outcome => substr($outcomes, $i, 1),
            words => $words, timeout => $timeout, hangs => $kinds[$i] eq 'hang'};
    }
}
# Those that hang keep no core busy: they go first, and all the others beside them.
@waiting = sort { $b->{hangs} <=> $a->{hangs} } @waiting;
my $cells = @waiting;

# A batch and a server, one at a time: every other line meets a fault, of another kind each. Their ids are the
# numbers of the lines, and the answers what was said to each, {id => TEXT}.
my $fine = "--- stdout ---\nfine\n";
my @arguments = map {
    {language => 'busybox', entrypoint_code => 'echo fine', timeout_seconds => $kinds[($_ - 1) / 2] eq 'hang' ? 1 : 60}
} 1 .. 2 * @kinds;
sub start_batch {
    my ($fault) = @_;
    my $lines = join '', map { $json->encode({id => $_, %{$arguments[$_ - 1]}}) . "\n" } 1 .. @arguments;
    my $process = start($fault, write_file("$scratch/lines-$number", $lines), $isolator, 'batch', '--config', $config, '-j', 1);
    return $process, sub {
        my $limit = time - $process->{began} + @kinds * $engine; # seconds
        until_true { ended($process, $limit) } $limit + 2 * $stuck;
        my @results = map { $json->decode($_) } split /\n/, $process->{out};
        return {map { $_->{id} => $_->{error} ? "error: $_->{error}" : "--- stdout ---\n$_->{stdout}" } @results};
    };
}
sub start_server {
    my ($fault) = @_;
    my $server = pipe_client::server(fault => $fault,
        config => {engineTimeoutSeconds => $engine, maxConcurrent => 1, maxQueued => 50});
    $server->initialize('2025-11-25');
    $server->call($arguments[$_ - 1], undef, $_) for 1 .. @arguments;
    return $server, sub {
        return {map { $_ => shown($server->answer($_)) } 1 .. @arguments};
    };
}
my @many;
for my $call (['create', 'EEEE..EE', $create], ['start', 'EE.E..EE', $start]) {
    my ($which, $outcomes, $words) = @$call;
    my $fault = join ';', map { "$which " . (2 * $_ + 1) . " $kinds[$_]" } 0 .. $#kinds;
    for my $start (\&start_batch, \&start_server) {
        my ($process, $answers) = $start->($fault);
        push @many, {name => $start == \&start_batch ? 'isolator batch' : 'isolator-mcp', call => $which,
            outcomes => $outcomes, words => $words, process => $process, answers => $answers};
    }
}
while (@waiting || @running) {
    my $busy = grep { !$_->{hangs} } @running;
    if (@waiting && (@running < 3 * $at_once && $waiting[0]{hangs} || $busy < $at_once && !$waiting[0]{hangs})) {
        my $cell = shift @waiting;
        $cell->{process} = start($cell->{fault}, '/dev/null', $isolator, 'run', '--config', $config,
            '--timeout', "$cell->{timeout}s", "$scratch/$cell->{file}");
        push @running, $cell;
    }
    my @still;
    push @{ended($_->{process}, $_->{timeout} + $engine) ? \@done : \@still}, $_ for @running;
    @running = @still;
    sleep 0.02;
}
for my $cell (sort { $a->{name} cmp $b->{name} } @done) {
    my $wrong = judge($cell);
    ok($wrong eq '', $cell->{name}) or diag($wrong, 'docker was called: ' . join ' ', map { s{.*/}{}r }
        sort { -M $b <=> -M $a } glob "$cell->{process}{dir}/calls/*");
}

# ---- one line meets the fault, the next does not: isolator batch, isolator-mcp

for my $many (@many) {
    my $answers = $many->{answers}->();
    is(scalar keys %$answers, 2 * @kinds, "$many->{name}: each is answered");
    for my $i (0 .. $#kinds) {
        my $shown = $answers->{2 * $i + 1} // '(none)';
        my $expected = substr($many->{outcomes}, $i, 1) eq '.' ? qr/$fine/ : qr/^error: .*$many->{words}/;
        ok(scalar($shown =~ $expected), "$many->{name}, docker $many->{call} $kinds[$i]: that one") or diag($shown);
        has($answers->{2 * $i + 2}, $fine, "$many->{name}, docker $many->{call} $kinds[$i]: the next");
    }
}

# ---- nothing is left: what a docker rm that does nothing and says all is well has left, the next start removes

my $swept = `'$isolator' gc 2>&1`;
diag($swept) if $?;
my @owners = map { $_->{process}{pid} } @done, @many;
my $gone = until_true { my $left = left(); !grep { $left->{$_} } @owners } 120;
ok($gone, 'no container is left') or do {
    my $left = left();
    diag("$_->{name}: @{$left->{$_->{process}{pid}}}") for grep { $left->{$_->{process}{pid}} } @done, @many;
};
my @volumes;
ok((until_true { !(@volumes = grep { !$volume{$_} } volumes()) } 60), 'no volume is left') or diag(@volumes);
printf "# figures: %d runs with a fault in %d s; engineTimeoutSeconds %d\n", $cells, time - $begin, $engine;
finish();
