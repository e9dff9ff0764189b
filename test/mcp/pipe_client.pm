# A client of isolator-mcp that writes and reads the bytes of the pipe itself, for what no real client
# sends; and the TAP functions of the tests that use it (test/e2e/mcp_*.t).
#
# Each test file ends with finish(), which checks that its servers left no container behind and that all
# their messages fit the schema of their revision, and prints the plan. Expectations are literal; a failing
# assertion prints what it saw.
package pipe_client;

use strict;
use warnings;
use Cwd 'abs_path';
use Errno "EINTR";
use Exporter 'import';
use Fcntl;
use File::Basename 'dirname';
use File::Temp 'tempdir';
use JSON::PP;
use POSIX ":sys_wait_h";
use Time::HiRes qw(sleep time);

our @EXPORT = qw(ok is has hasnt within within_memory diag finish server program brief shown encoded text_of meta write_file
    until_true $scratch $docker $modern);

chdir(dirname(abs_path(__FILE__)) . '/../..') or die;
$SIG{PIPE} = 'IGNORE';
$| = 1;
binmode STDOUT, ':utf8';

our $scratch = tempdir(CLEANUP => 1);
our $modern = meta('2026-07-28');
our ($docker) = grep { -x } map { "$_/docker" } split /:/, $ENV{PATH};
my $repository = abs_path('.');
my $isolator = $ENV{ISOLATOR} // "$repository/build/isolator";
my $program = $ENV{ISOLATOR_MCP} // dirname($isolator) . '/isolator-mcp';
my $engine_config = abs_path($ENV{ISOLATOR_CONFIG} // 'build/engine/test.json');
my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $patience = 240; # seconds for what has to come; only a server that is wrong needs them
my ($tests, $files, $main, @servers) = (0, 0, $$);

# ---- TAP

sub ok { # STATUS NAME
    my ($good, $name) = @_;
    $tests++;
    print $good ? '' : 'not ', "ok $tests - $name\n";
    return $good;
}

sub diag { print map { "# $_\n" } map { split /\n/ } @_ }

sub is { # GOT EXPECTED NAME
    my ($got, $expected, $name) = @_;
    $got //= '(undefined)';
    ok($got eq $expected, $name) or diag 'got:      ' . cut($got), 'expected: ' . cut($expected);
}

sub has { # TEXT PART NAME: the text contains the part.
    my ($text, $part, $name) = @_;
    $text //= '(undefined)';
    ok(index($text, $part) >= 0, $name) or diag 'got:       ' . cut($text), "not in it: $part";
}

sub hasnt { # TEXT PART NAME
    my ($text, $part, $name) = @_;
    ok(index($text // '', $part) < 0, $name) or diag 'got:  ' . cut($text), "with: $part";
}

sub within { # NUMBER LEAST MOST NAME
    my ($number, $least, $most, $name) = @_;
    ok($number >= $least && $number <= $most, $name) or diag "got $number, not from $least to $most";
}

# A peak of memory in MB. What a sanitizer keeps beside it is as much several times over (make asan, make
# tsan), so that there only the order is checked.
sub within_memory { # MB MOST NAME
    my ($got, $most, $name) = @_;
    within($got, 1, $ENV{ISOLATOR_SANITIZED} ? 4 * $most + 128 : $most, $name);
}

sub cut { length $_[0] > 3000 ? substr($_[0], 0, 3000) . '...' : $_[0] }

sub check_messages {
    my @transcripts = map { close $_->{transcript}; "$_->{err}.messages" } @servers;
    my $said = qx(test/mcp/install 2>&1 && node test/mcp/validate.mjs @transcripts 2>&1);
    ok($? == 0, 'all messages of the servers fit the schema of their revision') or diag $said;
}

sub finish {
    $_->stop for grep { $_->{pid} && !defined $_->{status} } @servers;
    is(join(' ', map { $_->left } @servers), '', 'no container is left');
    check_messages() if @servers;
    print "1..$tests\n";
    exit;
}

END {
    kill KILL => map { $_->{pid} } grep { $_->{pid} && !defined $_->{status} } @servers if $$ == $main;
}

# ---- helpers

# Whether the condition comes true, within a number of seconds.
sub until_true(&;$) {
    my ($condition, $seconds) = @_;
    my $end = time + ($seconds // $patience);
    until ($condition->()) {
        return 0 if time > $end;
        sleep 0.05;
    }
    return 1;
}

sub write_file {
    my ($path, $content, $mode) = @_;
    open my $file, '>:raw', $path or die "$path: $!";
    print $file $content or die;
    close $file or die;
    chmod $mode, $path if $mode;
    return $path;
}

# JSON in one line; members by name.
sub encoded { $json->encode($_[0]) }

# A message in few words: "ID ok", "ID CODE" (the id as JSON, - where there is none), "METHOD"; an array
# as "[...; ...]"; what is no JSON in full.
sub brief {
    my ($line) = @_;
    my $message = ref $line ? $line : eval { $json->decode($line) };
    return "no JSON: $line" unless ref $message;
    return '[' . join('; ', map { brief($_) } @$message) . ']' if ref $message eq 'ARRAY';
    return "no JSON-RPC: $line" if ($message->{jsonrpc} // '') ne '2.0';
    return $message->{method} if exists $message->{method};
    my $id = exists $message->{id} ? $json->encode($message->{id}) : '-';
    return "$id " . ($message->{error} ? $message->{error}{code} : exists $message->{result} ? 'ok' : 'neither');
}

# What an answer says: the first text of a result, behind "error: " where it has isError; the code and
# message of an error.
sub shown {
    my ($answer) = @_;
    return '(no answer)' unless $answer;
    return "$answer->{error}{code} $answer->{error}{message}" if $answer->{error};
    my $text = text_of($answer);
    return ($answer->{result}{isError} ? 'error: ' : '') . $text;
}

sub text_of { $_[0]{result}{content}[0]{text} // '(no text)' }

# The metadata of a request of a modern revision.
sub meta {
    return {'io.modelcontextprotocol/protocolVersion' => $_[0], 'io.modelcontextprotocol/clientCapabilities' => {}};
}

# The engine's configuration with these members, as a file.
sub config_file {
    my ($members) = @_;
    open my $file, '<:raw', $engine_config or die "$engine_config: $!";
    my $config = $json->decode(do { local $/; <$file> });
    my %laid = map { $_ => {%{$config->{$_} // {}}, %{$members->{$_} // {}}} } qw(languages warm);
    return write_file("$scratch/config-" . $files++ . '.json',
        $json->encode({%$config, %$members, %laid}));
}

# The environment and directory of a child: `bare` for an empty environment, `env` for what differs
# (undef: not set), `cwd`.
sub settle {
    my (%options) = @_;
    %ENV = () if $options{bare};
    for (keys %{$options{env} // {}}) {
        if (defined $options{env}{$_}) { $ENV{$_} = $options{env}{$_} } else { delete $ENV{$_} }
    }
    chdir $options{cwd} if $options{cwd};
}

# ---- a server

# Starts one. Options: those of settle(); `config`, members laid over the engine's configuration;
# `arguments`; `closed`, descriptors that are closed when it starts; `nonblocking`: its stdout is so;
# `fault`: what goes wrong with docker (test/fixtures/docker-fault). What it is told and says is recorded
# for test/mcp/validate.mjs.
sub server {
    my (%options) = @_;
    my $self = bless {buffer => '', sent => '', aside => [], count => 0}, __PACKAGE__;
    my @arguments = @{$options{arguments} // []};
    my %env = %{$options{env} // {}};
    unshift @arguments, '--config', config_file($options{config}) if $options{config};
    $env{ISOLATOR_CONFIG} //= $engine_config unless exists $env{ISOLATOR_CONFIG};
    if ($options{fault}) {
        $self->{calls} = "$scratch/calls-" . $files++;
        mkdir $_ for $self->{calls}, "$scratch/fault";
        symlink "$repository/test/fixtures/docker-fault", "$scratch/fault/docker";
        %env = (%env, DOCKER_FAULT => $options{fault}, DOCKER_CALLS => $self->{calls}, DOCKER_REAL => $docker,
            PATH => "$scratch/fault:$ENV{PATH}");
    }
    $self->{err} = "$scratch/stderr-" . $files++;
    open $self->{transcript}, '>:raw', "$self->{err}.messages" or die;
    pipe my $in, $self->{in} or die;
    pipe $self->{out}, my $out or die;
    $self->{began} = time;
    defined($self->{pid} = fork) or die;
    if (!$self->{pid}) {
        open STDIN, '<&', $in or die;
        open STDERR, '>', $self->{err} or die;
        open STDOUT, '>&', $out or die;
        fcntl STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK if $options{nonblocking};
        settle(%options, env => \%env);
        POSIX::close($_) for @{$options{closed} // []};
        $SIG{PIPE} = 'DEFAULT';
        exec $program, @arguments or POSIX::_exit(127);
    }
    close $in;
    close $out;
    $self->{in}->autoflush(1);
    push @servers, $self;
    return $self;
}

# Writes bytes. False where the server has closed its end.
sub put {
    my ($self, $bytes) = @_;
    utf8::encode($bytes) if utf8::is_utf8($bytes);
    $self->{sent} .= $bytes;
    $self->record('> ', $1) while $self->{sent} =~ s/^([^\n]*)\n//;
    return $self->pad($bytes);
}
sub record {
    my ($self, $direction, $line) = @_;
    print { $self->{transcript} } $direction, $line, "\n" unless $self->{unrecorded};
}
sub unrecorded { $_[0]{unrecorded} = 1 } # from now on nothing is recorded

# The same, unrecorded: for what is too much, within a string of a message.
sub pad {
    my ($self, $bytes) = @_;
    my $at = 0;
    while ($at < length $bytes) {
        my $written = syswrite $self->{in}, $bytes, 1 << 16, $at;
        next if !defined $written && $! == EINTR;
        return 0 unless defined $written;
        $at += $written;
    }
    return 1;
}

# Sends a message: JSON text, or what becomes it.
sub send {
    my ($self, $message) = @_;
    return $self->put((ref $message ? encoded($message) : $message) . "\n");
}

# Sends a request and returns its id: METHOD [PARAMS [ID]].
sub request {
    my ($self, $method, $params, $id) = @_;
    $id //= ++$self->{count} + 1000;
    $self->send({jsonrpc => '2.0', id => $id, method => $method, $params ? (params => $params) : ()});
    return $id;
}

# Reads what there is, waiting for it for some seconds. False at the end, or if nothing comes.
sub fill {
    my ($self, $seconds) = @_;
    my $ready = '';
    vec($ready, fileno $self->{out}, 1) = 1;
    return 0 unless select $ready, undef, undef, $seconds;
    my $got = sysread $self->{out}, $self->{buffer}, 1 << 20, length $self->{buffer};
    return defined $got ? $got > 0 : $! == EINTR;
}

# The next line without its end; undef at the end, or after some seconds.
sub line {
    my ($self, $seconds) = @_;
    my $end = time + ($seconds // $patience);
    my ($at, $searched) = (-1, 0);
    while (($at = index $self->{buffer}, "\n", $searched) < 0) {
        $searched = length $self->{buffer};
        my $left = $end - time;
        return undef unless $left > 0 && $self->fill($left);
    }
    my $line = substr $self->{buffer}, 0, $at;
    substr($self->{buffer}, 0, $at + 1) = '';
    $self->record('< ', $line);
    return $line;
}

# The next message, decoded; {no JSON} where it is none; undef where none comes.
sub message {
    my ($self, $seconds) = @_;
    my $line = $self->line($seconds) // return undef;
    return eval { $json->decode($line) } // {'no JSON' => $line};
}

# The answer to the request of this id. Other messages are put aside.
sub answer {
    my ($self, $id, $seconds) = @_;
    my $wanted = encoded($id);
    my $aside = $self->{aside};
    for (0 .. $#$aside) {
        return splice @$aside, $_, 1 if answers($aside->[$_], $wanted);
    }
    while (my $message = $self->message($seconds)) {
        return $message if answers($message, $wanted);
        push @$aside, $message;
    }
    return undef;
}
sub answers {
    my ($message, $id) = @_;
    return ref $message eq 'HASH' && !exists $message->{method} && exists $message->{id} && encoded($message->{id}) eq $id;
}

# What was put aside so far.
sub take_aside { my ($self) = @_; return splice @{$self->{aside}} }

sub ask { my ($self, $method, $params) = @_; return $self->answer($self->request($method, $params)) }

# Sends lines and returns, in brief, what is answered to all of them: what comes before the answer to a
# ping behind them. Progress, which may come at any time, is put aside. The lines themselves: raw().
sub tell {
    my ($self, @lines) = @_;
    return join ', ', map { brief($_) } $self->raw(@lines);
}
sub raw {
    my ($self, @lines) = @_;
    my $ping = 'ping ' . ++$self->{count};
    my @answers;
    $self->send($_) for @lines;
    $self->send({jsonrpc => '2.0', id => $ping, method => 'ping'});
    while (defined(my $line = $self->line)) {
        return @answers if $line eq qq({"jsonrpc":"2.0","id":"$ping","result":{}});
        if ($line =~ /"method":"notifications\/progress"/) { push @{$self->{aside}}, $json->decode($line) }
        else { push @answers, $line }
    }
    return (@answers, 'nothing more: the server does not answer a ping');
}

sub initialize {
    my ($self, $version) = @_;
    my $answer = $self->ask('initialize', {protocolVersion => $version, capabilities => {},
        clientInfo => {name => 'raw pipe', version => '1'}});
    $self->send({jsonrpc => '2.0', method => 'notifications/initialized'});
    return $answer;
}

# Calls the tool and returns the request's id: ARGUMENTS [TOKEN [ID]]; TOKEN asks for progress.
sub call {
    my ($self, $arguments, $token, $id) = @_;
    return $self->request('tools/call', {name => 'execute_code', arguments => $arguments,
        defined $token ? (_meta => {progressToken => $token}) : ()}, $id);
}
sub python {
    my ($self, $code, @rest) = @_;
    return $self->call({language => 'python', entrypoint_code => $code, timeout_seconds => 900}, @rest);
}
sub shell {
    my ($self, $code, @rest) = @_;
    return $self->call({language => 'busybox', entrypoint_code => $code, timeout_seconds => 900}, @rest);
}
sub cancel {
    my ($self, $id) = @_;
    $self->send({jsonrpc => '2.0', method => 'notifications/cancelled', params => {requestId => $id}});
}

# Waits for progress of this token with such a message. What comes is put aside, that message last.
sub until_progress {
    my ($self, $token, $like) = @_;
    my $wanted = encoded($token);
    while (my $message = $self->message) {
        push @{$self->{aside}}, $message;
        return 1 if ($message->{method} // '') eq 'notifications/progress' &&
            encoded($message->{params}{progressToken}) eq $wanted &&
            $message->{params}{message} =~ $like;
        next unless exists $message->{id} && !exists $message->{method};
        diag 'answered: ' . shown($message);
        return 0;
    }
    return 0;
}

# A value of /proc/PID/status in MB, such as VmRSS or VmHWM.
sub memory {
    my ($self, $name) = @_;
    open my $file, '<', "/proc/$self->{pid}/status" or return -1;
    my ($kilobytes) = map { /^$name:\s+(\d+) kB/ ? $1 : () } <$file>;
    return int(($kilobytes // -1024) / 1024);
}

# Waits until it has answered something and then does nothing any more for two seconds.
sub at_rest {
    my ($self) = @_;
    my $ready = '';
    vec($ready, fileno $self->{out}, 1) = 1;
    select my $readable = $ready, undef, undef, $patience or return 0;
    my ($before, $since) = ('', time);
    return until_true {
        open my $file, '<', "/proc/$self->{pid}/stat" or return 1;
        my $ticks = join ' ', (split ' ', <$file> =~ s/.*\) //r)[11, 12]; # utime, stime
        ($before, $since) = ($ticks, time) if $ticks ne $before;
        time - $since >= 2;
    };
}

sub signal { my ($self, $signal) = @_; kill $signal => $self->{pid} }

# Waits for the server's end and returns "exit N" or "signal N"; with " after N s" where it took longer than
# these seconds. Hosts give it 2 s; the rest is for a machine that is slow or stands still for a moment.
# What must not be waited for takes a minute and more.
sub wait_end {
    my ($self, $seconds) = @_;
    my $began = time;
    my $ended = until_true { waitpid($self->{pid}, WNOHANG) == $self->{pid} };
    return 'still there' unless $ended;
    my $took = time - $began;
    my $how = $? & 127 ? 'signal ' . ($? & 127) : 'exit ' . ($? >> 8);
    $self->{status} = $?;
    return $took <= ($seconds // 12) ? $how : sprintf '%s after %.1f s', $how, $took;
}

# Closes its stdin and waits for its end.
sub close_input {
    my ($self) = @_;
    $self->record('> ', $self->{sent}) if length $self->{sent};
    $self->{sent} = '';
    close $self->{in};
}
sub end { my ($self) = @_; $self->close_input; return $self->wait_end }

# Reads all that comes until the end, as lines.
sub rest {
    my ($self) = @_;
    my @lines;
    while (defined(my $line = $self->line)) { push @lines, $line }
    push @lines, "without end: $self->{buffer}" if length $self->{buffer};
    return @lines;
}

sub stop {
    my ($self) = @_;
    $self->close_input;
    $self->signal('TERM');
    return if $self->wait_end ne "still there";
    $self->signal('KILL');
    $self->wait_end;
}

sub stderr { my ($self) = @_; open my $file, '<', $self->{err} or return ''; local $/; return <$file> // '' }

# The names of its containers; `left`: once there are none, or after all patience.
sub containers {
    my ($self) = @_;
    my @names = qx("$docker" ps -a --filter label=isolator.pid=$self->{pid} --format '{{.Names}}' 2>&1);
    chomp @names;
    return $? ? "docker ps failed: @names" : @names;
}
sub left {
    my ($self) = @_;
    my @names;
    until_true { !(@names = $self->containers) };
    return @names;
}

# ---- other runs of the program

# Runs it to its end and returns its exit status, stdout and stderr. First the options of settle() in a
# hash, then its arguments.
sub program {
    my ($options, @arguments) = @_;
    my ($out, $err) = ("$scratch/out", "$scratch/err");
    my $pid = fork // die;
    if (!$pid) {
        open STDIN, '<', '/dev/null' or die;
        open STDERR, '>', $err or die;
        open STDOUT, '>', $out or die;
        settle(%$options);
        exec $program, @arguments or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    return ($status, map { open my $file, '<', $_ or die; local $/; <$file> // '' } $out, $err);
}

1;
