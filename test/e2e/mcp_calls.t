#!/usr/bin/env perl
# isolator-mcp: calls of execute_code while they wait and run, by the bytes of the pipe: cancellation, the
# bounds of the queue, progress, what reaches the program, one call beside another.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;

my $snippet = "gr\xc3\xbc\xc3\x9fe an alle.py";
mkdir "$scratch/prompts";
write_file("$scratch/prompts/$snippet", "import sys\nprint('snippet', sys.argv[0])\n");

my $output = qr/^running; [1-9]/;

# ---- beside each other: the engine loses one of two calls; this one takes its time, see the end of the file
my $beside = server(config => {maxConcurrent => 2, maximums => {timeoutSeconds => 20}}, fault => 'create 1 kill');
$beside->initialize('2025-11-25');
my @beside = map { $beside->shell('echo begun; sleep 1000') } 1 .. 2;

# ---- one runs, one waits, no more
my $server = server(config => {maxConcurrent => 1, maxQueued => 1, promptsDir => "$scratch/prompts"});
$server->initialize('2025-11-25');
$server->call({language => 'busybox', timeout_seconds => 900, entrypoint_code => 'while echo on; do sleep 1; done'}, 0, 20);
ok($server->until_progress(0, $output), 'a call runs');
my @names = $server->containers;
is(scalar @names, 1, 'it has a container');
$server->shell('echo waits', undef, '8');
$server->shell('echo too many', undef, 21);
is(shown($server->answer(21)), 'error: Execution Failed (error): the server is busy: 1 calls run and 1 wait, which is ' .
    'all that it takes; try again when some have ended', 'the third call: the server is busy');
is($server->tell, '', 'a ping is answered meanwhile');
$server->cancel($_) for '20', 8, 99, 21, -1, 'nope';
is($server->tell, '', 'ids that nobody has or that have another type are ignored');
is(join(' ', $server->containers), "@names", 'the call still runs');
$server->cancel('8');
is($server->tell, '', 'the waiting call is cancelled: no answer');

# Into its place a line of 60 MB: all kinds of arguments, and a file of 10 MB in escapes.
$server->put('{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"execute_code","arguments":{' .
    '"language":"python","entrypoint_filename":"deep/er/run.py","timeout_seconds":900,"snippet_name":null,' .
    '"arguments":["-x","a b","","$(id)","gr\u00fc\u00dfe"],"environment":{"WORD":"a=b \u20ac","EMPTY":""},' .
    '"stdin":"one\u0000\ntwo","additional_files":[' .
    '{"filename":"pkg/__init__.py","content":"name = \'a module\'"},' .
    '{"filename":"data/sub folder/x.bin","content":"AAH/gA==","encoding":"base64"},' .
    '{"filename":"text.txt","content":"half \ud83d.","encoding":null},' .
    '{"filename":"large.txt","content":"');
my $escapes = '\u0041' x 100000;
$server->pad($escapes) for 1 .. 100;
my $code = join '\n', 'import os, sys', 'sys.path.insert(0, os.getcwd())', 'import pkg', 'sys.stdout.reconfigure(encoding=\"utf-8\")',
    'print(sys.argv)', 'print(ascii(os.environ[\"WORD\"]), ascii(os.environ[\"EMPTY\"]))', 'print(ascii(sys.stdin.read()))',
    'print(pkg.name)', 'print(open(\"data/sub folder/x.bin\", \"rb\").read())',
    'print(ascii(open(\"text.txt\", encoding=\"utf-8\").read()))', 'print(len(open(\"large.txt\").read()))',
    'print(ascii(\"\ud83d \ud83d\ude00\"))';
$server->send(qq("}],"entrypoint_code":"$code"},"_meta":{"progressToken":"t\xc3\xb6k\\"en"}}}));
is($server->tell, '', 'a line of 60 MB waits');
my $token = "t\x{f6}k\"en";
ok($server->until_progress($token, qr/^waiting; 0 more calls wait before it$/), 'its progress says so');
# Without output it comes every three seconds.
my @told = (-9);
while (@told < 100 && $server->until_progress(0, $output)) {
    push @told, $server->{aside}[-1]{params}{progress};
    last if $told[-1] - $told[-2] < 2.9;
}
within($told[-1] - ($told[-2] // -9), 0, 2.9, 'progress as the output comes');
$server->cancel(20);
ok($server->until_progress($token, qr/^starting a fresh sandbox$/), 'the running call is cancelled: the next one begins');
my @progress = $server->take_aside;
$server->call({snippet_name => "gr\x{fc}\x{df}e an alle.py", timeout_seconds => 900}, 7, 23);
is(shown($server->answer(22)), "--- stdout ---\n['deep/er/run.py', '-x', 'a b', '', '\$(id)', 'gr\x{fc}\x{df}e']\n" .
    "'a=b \\u20ac' ''\n'one\\x00\\ntwo'\na module\nb'\\x00\\x01\\xff\\x80'\n'half \\ufffd.'\n10000000\n" .
    "'\\ufffd \\U0001f600'\n", 'the line of 60 MB: everything reaches the program');
push @progress, $server->take_aside;
hasnt(join(' ', $server->containers), $names[0], 'the container of the cancelled call is gone');
is(shown($server->answer(23)), "--- stdout ---\nsnippet gr\x{fc}\x{df}e an alle.py\n", 'a snippet runs under its name');
my @after = $server->take_aside;

# ---- progress
# How the progress of a token went: "rises" where each value is larger than that before.
sub course { # TOKEN MESSAGE...
    my ($token, @messages) = @_;
    my @params = map { $_->{params} } grep { encoded($_->{params}{progressToken} // 'none') eq encoded($token) } @messages;
    my $last = -1;
    return 'none' unless @params;
    for (map { $_->{progress} } @params) {
        return "not rising: $_ after $last" unless $_ > $last;
        $last = $_;
    }
    return 'rises';
}
is(join(', ', grep { $_ ne 'notifications/progress' } map { brief($_) } @progress, @after), '', 'the cancelled call is not answered');
is($progress[0]{params}{message}, 'starting a fresh sandbox', 'the first message');
is(course(0, @progress), 'rises', 'progress for the token 0');
is(course($token, @progress), 'rises', 'progress for a token that is a string');
is(course($token, @after), 'none', 'no progress after the answer');
is(join(' ', grep { !/^waiting; 0 / } map { $_->{params}{message} } grep { encoded($_->{params}{progressToken}) eq '7' } @progress),
    '', 'progress of a call that waits: at most that it does');
is(course(7, @after), 'rises', 'progress of the next');

# ---- the oldest revision: no message, no structured content
$server->initialize('2024-11-05');
my $old = $server->shell('printf out; echo err >&2; exit 3', -5);
my $silent = $server->shell(':');
my $answer = $server->answer($old);
is(shown($answer), "error: Execution Failed (error): program exited with status 3\n\n--- stdout ---\nout\n--- stderr ---\nerr\n",
    'a program that fails');
is(join(' ', sort keys %{$answer->{result}}), 'content isError', '2024-11-05: no structuredContent');
my @old = $server->take_aside;
is(course(-5, @old), 'rises', '2024-11-05: progress');
is(scalar(grep { exists $_->{params}{message} } @old), 0, '2024-11-05: no message with it');
is(shown($server->answer($silent)), '(no output)', 'a program that says nothing');
is(join(' ', map { brief($_) } $server->take_aside), '', 'no progress without a token');
is($server->end, 'exit 0', 'it ends with status 0');
is($server->stderr, '', 'nothing on stderr');

# ---- tokens that are none
$server = server(config => {containerCommand => 'no-such-docker'});
$server->initialize('2025-11-25');
for my $token ('null', '1.5', '{}', '[]', 'true') {
    $server->send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":' .
        qq({"language":"python","entrypoint_code":"1"},"_meta":{"progressToken":$token}}}));
    $server->answer(1);
    is(join(' ', map { brief($_) } $server->take_aside), '', "no progress for the token $token");
}
$server->initialize('2025-03-26');
$server->send('[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":' .
    '{"language":"python","entrypoint_code":"1"},"_meta":{"progressToken":1}}}]');
is(brief($server->line), 'notifications/progress', 'progress of a call in a batch goes out by itself');
is(brief($server->line), '[1 ok]', 'and its answer as a batch');
is($server->end, 'exit 0', 'it ends with status 0');

# ---- cancelled in a batch, and twice the same id; a creation that hangs is given up soon
$server = server(config => {maxConcurrent => 1, engineTimeoutSeconds => 1}, fault => 'create * hang');
$server->initialize('2025-03-26');
sub batched { my ($id) = @_; return qq({"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"execute_code",) .
    '"arguments":{"language":"python","entrypoint_code":"1"}}}' }
$server->send('[' . join(',', batched(1), batched(2), '{"jsonrpc":"2.0","id":3,"method":"ping"}') . ']');
$server->cancel(1);
is($server->tell, '', 'a batch whose first call is cancelled waits for the second');
$server->cancel(2);
is(brief($server->line), '[3 ok]', 'when the others are cancelled, the rest is answered');
$server->send('[' . batched(1) . ']');
$server->send(batched(1));
is($server->tell, '', 'calls of one id wait');
$server->cancel(1);
is($server->tell, '', 'all calls of one id are cancelled');
is($server->end, 'exit 0', 'it ends with status 0');

# ---- beside each other, as started above
my ($kept, $lost) = sort { shown($b) =~ /timeout/ <=> shown($a) =~ /timeout/ } map { $beside->answer($_) } @beside;
is(shown($kept), "error: Execution Failed (timeout): program did not end within 20 s\n\n--- stdout ---\nbegun\n",
    'the call beside the lost one runs; its timeout is lowered to the maximum');
is(join(' ', @{$kept->{result}{structuredContent}}{qw(status exitCode reason)}), 'timeout 137 timeout', 'its outcome');
is(join(' ', @{$lost->{result}{structuredContent}}{qw(status reason)}), 'error engine', 'the lost one is a tool error');
is($lost->{result}{isError} && $kept->{result}{isError} && 'both', 'both', 'isError');
is($beside->end, 'exit 0', 'it ends with status 0');

finish();
