#!/usr/bin/env perl
# Many at once: 50 isolator run side by side, a batch and a server with 50 at a time; each has the result of its
# own. And many in a row through one batch and one server, which grow by nothing: no descriptor, no thread, no
# memory. Nothing is left of any.
#
# ENDURANCE  how many in a row (1000)
# AT_ONCE    how many at once (50)
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;
use Fcntl;
use JSON::PP;
use POSIX 'WNOHANG';
use Time::HiRes qw(sleep time);

my $in_a_row = $ENV{ENDURANCE} // 1000;
my $at_once = $ENV{AT_ONCE} // 50;
my $isolator = $ENV{ISOLATOR} // 'build/isolator';
my $json = JSON::PP->new->utf8;
my $growth_kb = 1024; # what resident memory may differ by: a page here and there, not a result each
my $most_kb = 8192;   # what a process may have held at most while it did so many at once
if ($ENV{ISOLATOR_SANITIZED}) { # it keeps 16 MB of what was freed (test/sanitized), and as much beside it
    $growth_kb += 65536;
    $most_kb = 4 * $most_kb + 131072;
}
my $patience = 1200;  # seconds; only what is wrong needs them
# The engine has its hands full: what stays in a queue there is no fault.
my $config = $ENV{ISOLATOR_CONFIG} = pipe_client::config_file({engineTimeoutSeconds => 600, maxConcurrent => $at_once + 0,
    maxQueued => $at_once + 0, promptsDir => $scratch});

sub slurp { open my $file, '<:raw', $_[0] or return ''; local $/; return <$file> // '' }
sub volumes { my @names = `docker volume ls -q --filter dangling=true`; die 'docker volume ls failed' if $?; chomp @names; return @names }
my %volume = map { $_ => 1 } volumes();
my @owners;

sub start { # INPUT OUTPUT COMMAND...
    my ($input, $output, @command) = @_;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, ref $input ? '<&' : '<', $input or POSIX::_exit(98);
        open STDOUT, '>', $output;
        open STDERR, '>', "$output.err";
        exec @command or POSIX::_exit(127);
    }
    push @owners, $pid;
    return $pid;
}
sub status_of { # PID: waits for its end
    my ($pid) = @_;
    until_true { waitpid $pid, WNOHANG } $patience or return 'still there';
    return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
}

sub arguments { my ($number) = @_; return (language => 'busybox', entrypoint_code => "echo is \$(($number))", timeout_seconds => 600) }
sub nothing_left {
    my ($name) = @_;
    my %owner = map { $_ => 1 } @owners;
    my @left;
    until_true {
        @left = grep { /^(\d+)/ && $owner{$1} } `docker ps -a --filter label=isolator.pid --format '{{.Label "isolator.pid"}} {{.Names}} {{.Status}}'`;
        !$? && !@left
    } 240;
    is("@left", '', "$name: no container is left");
    my @volumes;
    until_true { !(@volumes = grep { !$volume{$_} } volumes()) } 60;
    is("@volumes", '', "$name: no volume is left");
}
# What a process of the host has: descriptors, threads, resident memory in kB, and the most it ever was.
sub state_of {
    my ($pid) = @_;
    my $status = slurp("/proc/$pid/status");
    my @descriptors = glob "/proc/$pid/fd/*";
    return {descriptors => scalar @descriptors, map { $_ => $status =~ /^$_:\s+(\d+)/m ? $1 : -1 } qw(Threads VmRSS VmHWM)};
}

# ---- many at once

my $begin = time;
my %process = map {
    my $program = write_file("$scratch/number-$_.ash", "echo is \$(($_))");
    $_ => start('/dev/null', "$scratch/number-$_", $isolator, 'run', '--timeout', '600s', $program)
} 1 .. $at_once;
my @wrong = grep {
    my ($status, $result) = (status_of($process{$_}), eval { $json->decode(slurp("$scratch/number-$_")) } // {});
    diag("isolator run $_: status $status") if $status ne '0';
    "$status " . ($result->{stdout} // '') ne "0 is $_\n"
} sort { $a <=> $b } keys %process;
is("@wrong", '', "$at_once isolator run at once: each prints its own number") or
    diag(map { slurp("$scratch/number-$_"), slurp("$scratch/number-$_.err") } @wrong);
printf "# figures: %d isolator run at once: %.0f s\n", $at_once, time - $begin;

$begin = time;
my $lines = write_file("$scratch/lines", join '', map { $json->encode({id => $_, arguments($_)}) . "\n" } 1 .. $at_once);
pipe my $read, my $feed or die; # which stays open, so that the process can be looked at
my $batch = start($read, "$scratch/batch", $isolator, 'batch', '-j', $at_once);
close $read;
syswrite $feed, slurp($lines);
sub results { return map { $json->decode($_) } grep { /\}\z/ } split /\n/, slurp($_[0]) }
until_true { results("$scratch/batch") >= $at_once || state_of($batch)->{VmRSS} < 0 } $patience; # or it has ended
my $state = state_of($batch);
close $feed;
is(status_of($batch), 0, "isolator batch -j $at_once: all succeed");
is(join('', map { "$_->{id} $_->{stdout}" } sort { $a->{id} <=> $b->{id} } results("$scratch/batch")),
    join('', map { "$_ is $_\n" } 1 .. $at_once), "isolator batch -j $at_once: each line has the result of its own");
within($state->{VmHWM}, 500, $most_kb, "isolator batch -j $at_once: its peak memory in kB");
printf "# figures: isolator batch with %d at once: %.0f s, at most %d kB\n", $at_once, time - $begin, $state->{VmHWM};

$begin = time;
my $server = pipe_client::server(config => $json->decode(slurp($config)));
push @owners, $server->{pid};
$server->initialize('2025-11-25');
$server->call({arguments($_)}, undef, $_) for 1 .. $at_once;
@wrong = grep { shown($server->answer($_, $patience)) ne "--- stdout ---\nis $_\n" } 1 .. $at_once;
is("@wrong", '', "isolator-mcp, $at_once calls at once: each has the answer of its own");
$state = state_of($server->{pid});
within($state->{VmHWM}, 500, $most_kb, "isolator-mcp, $at_once calls at once: its peak memory in kB");
$server->stop;
printf "# figures: isolator-mcp with %d calls at once: %.0f s, at most %d kB\n", $at_once, time - $begin, $state->{VmHWM};
nothing_left("$at_once at once");

# ---- many in a row: two at a time through a batch, and beside it one at a time through a server
# The state is taken when nothing is at work: behind the first tenth and at the end.

my @counts = (int($in_a_row * 0.7), $in_a_row - int($in_a_row * 0.7));
my @firsts = map { int($_ / 10) || 1 } @counts;
my $growing = 0;
sub at_rest { # the state of a process once its descriptors and threads stay as they are
    my ($pid) = @_;
    my ($now, $since) = (state_of($pid), time);
    until_true {
        my $then = $now;
        $now = state_of($pid);
        $since = time if "@$now{qw(descriptors Threads)}" ne "@$then{qw(descriptors Threads)}";
        time - $since >= 1;
    } 60;
    return $now;
}
sub no_growth {
    my ($name, $before, $after, $count) = @_;
    within($after->{descriptors}, 1, $before->{descriptors}, "$name: no more descriptors");
    within($after->{Threads}, 1, $before->{Threads}, "$name: no more threads");
    within($after->{VmRSS}, 500, $before->{VmRSS} + $growth_kb, "$name: no more memory (kB)");
    diag(sprintf '%s: %d in a row; %s', $name, $count, join ', ', map { "$_ $before->{$_} -> $after->{$_}" } sort keys %$before);
}

$begin = time;
pipe $read, $feed or die;
fcntl $feed, F_SETFL, O_WRONLY | O_NONBLOCK;
my $row = start($read, "$scratch/row", $isolator, 'batch', '-j', 2);
close $read;
my $single = pipe_client::server(config => {engineTimeoutSeconds => 600, maxConcurrent => 1, promptsDir => $scratch});
push @owners, $single->{pid};
$single->initialize('2025-11-25');

# Sends the batch the lines up to this number, and the server its calls one after the other.
my ($sent, $called, %right) = (0, 0);
open my $results, '<', "$scratch/row" or die;
my ($rest, $got) = ('', 0);
sub take_results {
    seek $results, 0, 1; # what has come since
    $rest .= $_ while defined($_ = readline $results);
    while ($rest =~ s/^(.*)\n//) {
        my $result = $json->decode($1);
        $got++;
        $right{$result->{id}}++ if $result->{stdout} eq "is $result->{id}\n";
    }
}
sub go_on {
    my ($lines, $calls) = @_;
    my $end = time + 10 * $patience;
    my $right = 0;
    while (($got < $lines || $called < $calls) && time < $end && state_of($row)->{VmRSS} > 0) {
        while ($sent < $lines && $sent - $got < 20) {
            syswrite $feed, $json->encode({id => $sent + 1, arguments($sent + 1)}) . "\n" or last;
            $sent++;
        }
        take_results();
        if ($called < $calls) {
            my $answer = $single->answer($single->call({arguments(++$called)}), $patience);
            $right{"call $called"}++ if shown($answer) eq "--- stdout ---\nis $called\n";
        } else {
            sleep 0.05;
        }
    }
}
go_on(@firsts);
my @before = map { at_rest($_) } $row, $single->{pid};
go_on(@counts);
my @after = map { at_rest($_) } $row, $single->{pid};
is(scalar(grep { exists $right{$_} } 1 .. $counts[0]), $counts[0], "$counts[0] lines in a row: each has the result of its own");
is(scalar(grep { exists $right{"call $_"} } 1 .. $counts[1]), $counts[1], "$counts[1] calls in a row: each has the answer of its own");
no_growth('isolator batch', $before[0], $after[0], $counts[0]);
no_growth('isolator-mcp', $before[1], $after[1], $counts[1]);
close $feed;
is(status_of($row), 0, 'isolator batch: all in a row succeed');
$single->stop;
printf "# figures: %d in a row: %.0f s\n", $in_a_row, time - $begin;
nothing_left("$in_a_row in a row");
finish();
