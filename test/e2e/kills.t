#!/usr/bin/env perl
# SIGKILL to isolator run, isolator batch and isolator-mcp at random instants from 0 to 2 s after their start, on
# an engine that several of them keep busy: to one of three alone, to one with its docker commands, to one with all
# that it has started, its janitor too. Programs die with them,
# what was running is gone soon, and what was created and not started yet, which no lifeline covers, is gone
# after the next start.
#
# KILLS      how many (200)
# KILL_SEED  of the random instants; it is told, so that a run can be repeated
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;
use JSON::PP;
use POSIX 'SIGKILL';
use Time::HiRes qw(sleep time);

my $kills = $ENV{KILLS} // 200;
my $seed = $ENV{KILL_SEED} // int(rand(2**31));
my $at_once = 2;
my $isolator = $ENV{ISOLATOR} // 'build/isolator';
my $patience = 120; # seconds; only what is wrong needs them
srand($seed);

# It ignores what can be ignored, and has children.
my $stubborn = 'trap "" HUP INT TERM QUIT; setsid sleep 600 & sleep 600 & while :; do sleep 0.1; done';
my $program = write_file("$scratch/stubborn.ash", $stubborn);
my $short = write_file("$scratch/short.ash", 'echo hello; sleep 1');
my $hello = write_file("$scratch/hello.ash", 'echo hello');
my @request = (language => 'busybox', timeout_seconds => 600);
my $lines = join '', map { encode_json({@request, entrypoint_code => $_ % 3 ? 'echo hello' : $stubborn}) . "\n" } 1 .. 50;
my $requests = write_file("$scratch/requests", $lines);
my $messages = write_file("$scratch/messages", join "\n",
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},' .
        '"clientInfo":{"name":"kills","version":"1"}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    (map {
        encode_json({jsonrpc => '2.0', id => $_, method => 'tools/call', params => {name => 'execute_code',
            arguments => {@request, entrypoint_code => $_ % 3 ? 'echo hello' : $stubborn}}})
    } 1 .. 30), '');
my $config = JSON::PP->new->decode(do { local (@ARGV, $/) = $ENV{ISOLATOR_CONFIG} // 'build/engine/test.json'; <> });
$config->{warm} = {busybox => 1};
$config->{promptsDir} = "$scratch";
$config->{engineTimeoutSeconds} = 60; # that long a janitor looks whether the engine is done
my $own = write_file("$scratch/warm.json", encode_json($config));
my @victims = (
    ['isolator run', '/dev/null', $isolator, 'run', '--config', $own, '--timeout', '600s', $program],
    ['isolator run', '/dev/null', $isolator, 'run', '--config', $own, $short],
    ['isolator batch', $requests, $isolator, 'batch', '--config', $own, '-j', 1],
    # The host keeps the pipe open.
    ['isolator-mcp', "{ cat '$messages'; exec sleep 600; } |", $isolator =~ s/isolator$/isolator-mcp/r, '--config', $own],
);

# What the engine says of each container with the label of a process, a line each: when, what, which process and
# which container.
my $told = "$scratch/events";
my $events = fork // die "fork: $!";
if (!$events) {
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', $told or die "$told: $!";
    my $format = '{{.TimeNano}} {{.Action}} {{index .Actor.Attributes "isolator.pid"}} {{.Actor.Attributes.name}}';
    exec qw(docker events --filter type=container --filter label=isolator.pid --format), $format or POSIX::_exit(99);
}
END { kill TERM => $events if $events } # also where this dies
until_true { # it listens
    system("'$isolator' run --config '$own' '$hello' >/dev/null 2>&1 </dev/null");
    -s $told;
};

# What has been told of the victims' containers: {pid => PROCESS, start => SECONDS, destroy => SECONDS}...
my %killed; # process => when
sub histories {
    my %history;
    for (split /\n/, contents($told)) {
        my ($nanoseconds, $what, $pid, $name) = split ' ';
        next unless $killed{$pid};
        $history{$name}{pid} = $pid;
        $history{$name}{$what} = $nanoseconds / 1e9;
    }
    return values %history;
}

# The containers that victims have left, as the engine lists them: "PROCESS NAME STATE".
my %victim;
sub containers {
    my @found = `docker ps -a --filter label=isolator.pid --format '{{.Label "isolator.pid"}} {{.Names}} {{.Status}}'`;
    die 'docker ps failed' if $?;
    chomp @found;
    return grep { $victim{(split ' ')[0]} } @found;
}

sub volumes { my @names = `docker volume ls -q`; die 'docker volume ls failed' if $?; return scalar @names }

# The processes that a victim has started, by the variable that they have inherited; its janitor among them.
sub started_by {
    my ($victim, $which) = @_;
    my @found;
    for my $dir (glob '/proc/[0-9]*') {
        next unless contents("$dir/environ") =~ /(?:^|\0)KILLS_VICTIM=$$-$victim->{number}\0/;
        next if $which eq 'docker' && contents("$dir/cmdline") !~ /^[^\0]*docker\0/;
        push @found, $dir =~ s{.*/}{}r;
    }
    return @found;
}
sub contents { open my $file, '<', $_[0] or return ''; local $/; return readline($file) // '' }

sub start { # NUMBER VICTIM
    my ($number, $name, $input, @command) = ($_[0], @{$_[1]});
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    $ENV{KILLS_VICTIM} = getppid() . "-$number";
    open STDIN, ($input =~ s/ \|$// ? '-|' : '<'), $input or die "$input: $!";
    open STDOUT, '>', '/dev/null';
    open STDERR, '>&', \*STDOUT;
    exec @command or POSIX::_exit(99);
}

my (@running, %kind, %with);
my $met = 0;

# Kills what is due.
sub kill_due {
    my @late = grep { $_->{due} <= time } @running;
    for my $victim (@late) {
        my $with = $victim->{with};
        kill KILL => $victim->{pid}, $with eq 'nothing' ? () : started_by($victim, $with);
        $killed{$victim->{pid}} = time;
        kill KILL => started_by($victim, $with) if $with ne 'nothing'; # what it was about to start
        waitpid $victim->{pid}, 0;
        $met++ if $? == SIGKILL;
    }
    my %late = map { $_->{pid} => 1 } @late;
    @running = grep { !$late{$_->{pid}} } @running;
}

my $volumes = volumes();
my $begin = time;
for my $number (1 .. $kills) {
    while (@running >= $at_once) {
        kill_due();
        sleep 0.02;
    }
    my $victim = $victims[int rand @victims];
    my $with = (qw(nothing docker all))[rand 3];
    my $pid = start($number, $victim);
    $kind{"$victim->[0]"}++;
    $with{$with}++;
    $victim{$pid} = 1;
    push @running, {number => $number, pid => $pid, due => time + rand 2, with => $with};
}
while (@running) {
    kill_due();
    sleep 0.02;
}
# "Created" stays till somebody comes.
my @left;
my $end = time + $patience;
sleep 0.1 while (@left = grep { !/ Created$/ } containers()) && time < $end;
is(join("\n", @left), '', "$kills kills: of none anything runs");
ok($met >= $kills / 2, 'most of them were alive when they were killed') or diag("$met of $kills");

# What was created and not started: the next start removes it, of whatever command.
my $removed = until_true {
    system("'$isolator' run --config '$own' '$hello' >/dev/null 2>&1 </dev/null");
    !containers();
};
ok($removed, 'after the next start no container is left') or diag(containers());
ok((until_true { volumes() <= $volumes }), 'and no volume');

# How long what ran, or began to run, was there after its victim was killed.
my $told_all = until_true { !grep { defined $_->{start} && !defined $_->{destroy} } histories() };
ok($told_all, 'the engine has told of each that ran when it was gone');
my (%gone, %begun, $idle);
for my $container (histories()) {
    my ($pid, $start, $gone) = @$container{qw(pid start destroy)};
    $idle++ unless defined $start;
    next unless defined $start && defined $gone && $gone > $killed{$pid};
    my $list = $start < $killed{$pid} ? \%gone : \%begun;
    $list->{$pid} = $gone - $killed{$pid} unless ($list->{$pid} // 0) > $gone - $killed{$pid};
}
my ($gone, $begun) = (scalar keys %gone, scalar keys %begun);
ok($gone && $begun && $gone + $begun >= $kills / 4, 'many of them had something running, or about to') or diag("$gone, $begun");
sub tally { my %count = @_; join ', ', map { "$_ $count{$_}" } sort keys %count }
sub gone_after { # SECONDS...
    my @times = sort { $a <=> $b } @_;
    return sprintf 'gone after: median %.2f s, 95 %% %.2f s, at most %.2f s', @times[$#times / 2, $#times * 0.95, $#times];
}
printf "# figures: %d kills (%s; killed with it: %s) in %d s, seed %d\n", $kills, tally(%kind), tally(%with), time - $begin, $seed;
printf "# figures: %d had something running, %s\n", $gone, gone_after(values %gone);
printf "# figures: of %d the engine was about to start it, %s\n", $begun, gone_after(values %begun);
printf "# figures: %d containers were never started\n", $idle // 0;
finish();
