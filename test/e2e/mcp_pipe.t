#!/usr/bin/env perl
# isolator-mcp by its bytes: lines, ids, errors, eras, batches. What no client sends, and what the
# specification says to each. Nothing here needs the engine.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;

my $server = server(env => {DOCKER_HOST => 'unix:///nonexistent/docker.sock'});
my $ping = '"jsonrpc":"2.0","method":"ping"';

# What is answered to one line, in brief.
sub told { my ($line, $expected, $name) = @_; is($server->tell($line), $expected, $name) }

# ---- before initialize
is($server->raw(qq({"id":0,$ping})), '{"jsonrpc":"2.0","id":0,"result":{}}', 'ping before initialize');
told('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', '1 ok', 'tools/list before initialize');
told(qq([{"id":1,$ping}]), '- -32600', 'a batch before initialize');
told('{"jsonrpc":"2.0","id":"x","method":"prompts/list"}', '"x" -32601', 'an unknown method before initialize');
told('{"jsonrpc":"2.0","method":"notifications/initialized"}', '', 'notifications/initialized before initialize');

# ---- initialize
sub initialize { # PARAMS EXPECTED NAME
    my ($params, $expected, $name) = @_;
    my ($line) = $server->raw(qq({"jsonrpc":"2.0","id":1,"method":"initialize","params":$params}));
    my $answer = JSON::PP::decode_json($line);
    is($answer->{error} ? $answer->{error}{code} : $answer->{result}{protocolVersion}, $expected, "initialize: $name");
    return $answer->{result};
}
my $client = '"capabilities":{},"clientInfo":{"name":"raw","version":"1"}';
for my $version ('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25') {
    my $result = initialize(qq({"protocolVersion":"$version",$client}), $version, $version);
    my $completions = $version eq '2024-11-05' ? '' : '"completions":{},';
    is(encoded($result->{capabilities}), qq({$completions"resources":{},"tools":{}}), "$version: capabilities");
    is(join(' ', sort keys %{$result->{serverInfo}}), $version lt '2025-06-18' ? 'name version' : 'name title version',
        "$version: serverInfo");
    is(join(' ', sort keys %$result), 'capabilities instructions protocolVersion serverInfo', "$version: members");
    my ($tool) = @{$server->ask('tools/list')->{result}{tools}};
    is(join(' ', sort keys %$tool), join(' ', $version ge '2025-03-26' ? 'annotations' : (), 'description inputSchema name',
        $version ge '2025-06-18' ? 'outputSchema title' : ()), "$version: what tools/list shows");
}
initialize(qq({"protocolVersion":"1999-01-01",$client}), '2025-11-25', 'an unknown version');
initialize(qq({"protocolVersion":"",$client}), '2025-11-25', 'an empty version');
initialize(qq({"protocolVersion":"2026-07-28",$client}), '2025-11-25', 'a modern version');
initialize('{"protocolVersion":"2025-11-25","capabilities":{"nonsense":[1,{}]},"clientInfo":7,"more":null}', '2025-11-25',
    'members that nobody knows');
initialize("{$client}", -32602, 'no protocolVersion');
initialize(qq({"protocolVersion":20251125,$client}), -32602, 'a protocolVersion that is a number');
initialize(qq({"protocolVersion":"2025-11-25\\u0000",$client}), -32602, 'a protocolVersion with a NUL');
told('{"jsonrpc":"2.0","id":1,"method":"initialize"}', '1 -32602', 'initialize without params');
told('{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2024-11-05"}}', '',
    'initialize without id is a notification');
initialize(qq({"protocolVersion":"2025-11-25",$client}), '2025-11-25', 'once more');

# ---- lines
is(join(' ', $server->raw('this is not JSON')),
    '{"jsonrpc":"2.0","error":{"code":-32700,"message":"the line is not JSON in UTF-8"}}', 'garbage');
told('{"id":1', '- -32700', 'half a message');
told(qq({"id":1,$ping}}), '- -32700', 'something behind a message');
told(qq({"id":1,$ping}{"id":2,$ping}), '- -32700', 'two messages on a line');
told("{'id':1}", '- -32700', 'single quotes');
told("\x00", '- -32700', 'a NUL byte');
told(qq({"id":1,$ping}\x00), '- -32700', 'a NUL byte behind a message');
told(qq({"id":"a\x00b",$ping}), '- -32700', 'a NUL byte in a string');
told(qq({"id":"a\tb",$ping}), '- -32700', 'a tab in a string');
told(qq({"id":"\xff",$ping}), '- -32700', 'a byte that is not UTF-8');
told(qq({"id":"\xc0\x80",$ping}), '- -32700', 'an overlong NUL');
told(qq({"id":"\xed\xa0\xbd",$ping}), '- -32700', 'a surrogate in UTF-8');
told(qq({"id":"\xf4\x90\x80\x80",$ping}), '- -32700', 'past the end of Unicode');
told(qq({"id":"\xe2\x82",$ping}), '- -32700', 'half a character');
told(qq(\xef\xbb\xbf{"id":1,$ping}), '- -32700', 'a byte order mark');
told(join('', map { "$_\x00" } split //, qq({"id":1,$ping})), '- -32700', 'UTF-16');
told($_, '- -32700', "not JSON: $_") for 'NaN', '{"jsonrpc":"2.0","id":01,"method":"ping"}', "\x1b[A", 'Content-Length: 7';
told('[' x 100000, '- -32700', 'brackets without end');
told('[' x 100000 . ']' x 100000, '- -32700', 'nested too deep');
told('{"a":' x 100000 . '1' . '}' x 100000, '- -32700', 'objects nested too deep');
told(qq({"id":1,$ping,"params":{"a":) . '[' x 1000 . ']' x 1000 . '}}', '1 ok', 'nested deep');
told($_, '', 'a blank line') for '', '   ', "\t", "\r", " \r";
told(qq({"id":1,$ping}\r), '1 ok', 'a line that ends with CR LF');
told(qq(  {"id":1,\t$ping}  ), '1 ok', 'blanks around a message');
is(join(' ', $server->raw(qq({"id":"\\ud83d",$ping}))), qq({"jsonrpc":"2.0","id":"\xef\xbf\xbd","result":{}}),
    'the first half of a surrogate pair becomes U+FFFD');
is(join(' ', $server->raw(qq({"id":"\\udc00\\ud83d\\ude00\\\\ud83d",$ping}))),
    qq({"jsonrpc":"2.0","id":"\xef\xbf\xbd\xf0\x9f\x98\x80\\\\ud83d","result":{}}),
    'whole pairs and what only looks like a half stay');
told(qq({"id":"\\ud8",$ping}), '- -32700', 'an escape that is cut off');

for (split //, qq({"id":"slow",$ping}\n)) {
    $server->put($_);
    select undef, undef, undef, 0.002;
}
is(brief($server->line), '"slow" ok', 'a message byte by byte');
$server->put(qq({"id":1,$ping}\n{"id":2,$ping}\r\n\n{"id":3,$ping}\ngarb));
is(join(', ', map { brief($server->line) } 1 .. 3), '1 ok, 2 ok, 3 ok', 'three messages and a half at once');
told('age', '- -32700', 'the other half');

# ---- ids
sub echoed { # ID NAME: it comes back as it is.
    my ($id, $name) = @_;
    is(join(' ', $server->raw(qq({"jsonrpc":"2.0","id":$id,"method":"ping"}))), qq({"jsonrpc":"2.0","id":$id,"result":{}}),
        "id: $name");
}
echoed(0, 'zero');
echoed(-1, 'negative');
echoed('9007199254740993', '2^53 + 1');
echoed('9223372036854775807', 'the largest');
echoed('-9223372036854775808', 'the smallest');
echoed('""', 'empty');
echoed('"7"', 'a number as a string');
echoed('"a b\n\"\\\\"', 'with escapes');
echoed('"\\\\u0000"', 'what only looks like a NUL');
echoed('"\u0000"', 'a NUL');
echoed("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"", 'not ASCII');
echoed('"' . 'x' x 4096 . '"', '4096 bytes');
told(qq({"id":$$_[0],$ping}), '- -32600', "id: $$_[1]")
    for ['null', 'null'], ['1.5', 'a fraction'], ['1.0', 'a fraction that is whole'], ['1e3', 'an exponent'],
    ['{}', 'an object'], ['[1]', 'an array'], ['true', 'true'], ['false', 'false'],
    ['"' . 'x' x 4097 . '"', '4097 bytes'];
is(join(' ', $server->raw(qq({"jsonrpc":"2.0","id":9007199254740993,"method":"nope"}))),
    q({"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"there is no method 'nope'"}}),
    'the id in an error');

# ---- JSON that is no request
told('{"id":5,"method":"ping"}', '5 -32600', 'no jsonrpc');
told('{"jsonrpc":"1.0","id":5,"method":"ping"}', '5 -32600', 'jsonrpc 1.0');
told('{"jsonrpc":2.0,"id":5,"method":"ping"}', '5 -32600', 'jsonrpc that is a number');
told('{"jsonrpc":"2.0","id":5}', '5 -32600', 'no method');
told('{"jsonrpc":"2.0"}', '- -32600', 'nothing but jsonrpc');
told('{}', '- -32600', 'nothing');
told('{"jsonrpc":"2.0","id":5,"method":7}', '5 -32600', 'a method that is a number');
told('{"jsonrpc":"2.0","id":5,"method":null}', '5 -32600', 'a method that is null');
told('{"jsonrpc":"2.0","id":5,"method":"ping\u0000"}', '5 -32600', 'a method with a NUL');
told('{"jsonrpc":"2.0","id":5,"method":""}', '5 -32601', 'an empty method');
told($_, '- -32600', "no object: $_") for '7', '"ping"', 'null', 'true', '1.5', '[]', qq([{"id":1,$ping}]);
told(qq({"id":5,$ping,"params":$_}), '5 -32602', "params that are no object: $_") for '[]', '[1]', '"x"', '7', 'true';
told(qq({"id":5,$ping,"result":{},"error":{},"more":1}), '5 ok', 'a request with members that it does not need');

# ---- unknown methods
for ('nope', 'prompts/list', 'prompts/get', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list',
    'sampling/createMessage', 'roots/list', 'PING', 'ping ', 'rpc.discover', 'notifications/initialized') {
    told(qq({"jsonrpc":"2.0","id":5,"method":"$_"}), '5 -32601', "no method: $_");
}
is(join(' ', $server->raw(qq({"jsonrpc":"2.0","id":5,"method":"\\u001b[2J\xc3\xa4\\n"}))),
    qq({"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"there is no method '\\\\x1b[2J\xc3\xa4\\\\n'"}}),
    'a method with control characters');
told('{"jsonrpc":"2.0","id":5,"method":"' . 'x' x 1000000 . '"}', '5 -32601', 'a very long method');

# ---- notifications and answers get no answer
told($_, '', "nothing is answered to $_") for
    '{"jsonrpc":"2.0","method":"tools/list"}', '{"jsonrpc":"2.0","method":"ping"}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"execute_code","arguments":{}}}',
    '{"jsonrpc":"2.0","method":"nope"}', '{"jsonrpc":"2.0","method":"notifications/nope","params":[1]}',
    '{"jsonrpc":"2.0","method":"notifications/initialized","params":"x"}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}',
    (map { qq({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$_}}) }
        '99', '"x"', 'null', '1.5', '{}', '[]', '-1'),
    '{"jsonrpc":"2.0","id":5,"result":{}}', '{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":null,"result":null}', '{"jsonrpc":"2.0","id":{},"error":7}';

# ---- params of tools/call that are no call
sub refused { # PARAMS MESSAGE NAME
    my ($params, $message, $name) = @_;
    is(join(' ', $server->raw(qq({"jsonrpc":"2.0","id":5,"method":"tools/call"$params}))),
        qq({"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$message"}}), "tools/call: $name");
}
refused('', 'name must be a string', 'no params');
refused(',"params":{}', 'name must be a string', 'no name');
refused(',"params":{"name":7}', 'name must be a string', 'a name that is a number');
refused(',"params":{"name":"nope"}', "there is no tool 'nope'; there is execute_code", 'an unknown tool');
refused(',"params":{"name":"execute_code\u0000"}', 'name must be a string', 'a name with a NUL');
refused(',"params":{"name":"execute_code","arguments":[]}', 'arguments must be an object', 'arguments that are an array');
refused(',"params":{"name":"execute_code","arguments":"x"}', 'arguments must be an object', 'arguments that are a string');

# ---- the modern era, on the same pipe
my %meta = ('io.modelcontextprotocol/protocolVersion' => '"2026-07-28"', 'io.modelcontextprotocol/clientCapabilities' => '{}');
sub modern { # METHOD MEMBERS [NAME VALUE]...: a request with the metadata, and with these of it changed.
    my ($method, $members, %changed) = @_;
    my %all = (%meta, map { ("io.modelcontextprotocol/$_" => $changed{$_}) } keys %changed);
    my $all = join ',', map { qq("$_":$all{$_}) } grep { $all{$_} ne '' } sort keys %all;
    return qq({"jsonrpc":"2.0","id":6,"method":"$method","params":{$members"_meta":{$all}}});
}
told(modern($_, ''), '6 ok', "modern: $_") for 'server/discover', 'tools/list', 'resources/list', 'resources/templates/list';
told(modern($_, ''), '6 -32601', "modern: no $_") for
    'ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'prompts/list', 'nope';
told('{"jsonrpc":"2.0","id":6,"method":"server/discover"}', '6 -32602', 'server/discover without metadata');
told('{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":7}}', '6 -32602', 'metadata that are a number');
for my $method ('server/discover', 'tools/list', 'tools/call') {
    told(modern($method, '', protocolVersion => ''), '6 -32602', "modern $method: no version");
    told(modern($method, '', protocolVersion => '7'), '6 -32602', "modern $method: a version that is a number");
    told(modern($method, '', clientCapabilities => ''), '6 -32602', "modern $method: no capabilities");
    told(modern($method, '', clientCapabilities => '[]'), '6 -32602', "modern $method: capabilities that are an array");
    is(join(' ', $server->raw(modern($method, '', protocolVersion => '"2099-01-01"'))),
        '{"jsonrpc":"2.0","id":6,"error":{"code":-32022,"message":"protocol version not supported",' .
        '"data":{"supported":["2026-07-28"],"requested":"2099-01-01"}}}', "modern $method: an unsupported version");
}
told(modern('tools/list', '', protocolVersion => '"2025-11-25"'), '6 -32022', 'modern: a legacy version');
told(modern('tools/list', '', protocolVersion => '', clientCapabilities => '',
    clientInfo => '{"name":"x","version":"1"}'), '6 -32602', 'modern: nothing but clientInfo');
told(modern('tools/list', '', clientInfo => '7', logLevel => '"debug"'), '6 ok', 'modern: members that nobody needs');
told('{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"progressToken":0,"x.y/z":1}}}', '6 ok',
    'other metadata make no modern request');

sub members { # METHOD: of a modern answer, and serverInfo's.
    my $result = JSON::PP::decode_json(($server->raw(modern($_[0], '')))[0])->{result};
    return (join(' ', sort keys %$result), $result);
}
my ($names, $result) = members('server/discover');
is($names, '_meta cacheScope capabilities instructions resultType supportedVersions ttlMs', 'server/discover: its members');
is(encoded($result->{supportedVersions}), '["2026-07-28"]', 'server/discover: supportedVersions');
is(encoded($result->{capabilities}), '{"completions":{},"resources":{},"tools":{}}', 'server/discover: capabilities');
for (['server/discover', 300000], ['tools/list', 300000], ['resources/list', 0], ['resources/templates/list', 300000]) {
    my ($method, $ttl) = @$_;
    (undef, my $list) = members($method);
    is("@$list{qw(resultType ttlMs cacheScope)}", "complete $ttl private", "modern $method: resultType, ttlMs, cacheScope");
    my $info = $list->{_meta}{'io.modelcontextprotocol/serverInfo'};
    is("$info->{name} " . join(' ', sort keys %$info), 'isolator name title version', "modern $method: serverInfo");
}
for ('tools/list', 'resources/list') {
    is(join(' ', sort keys %{$server->ask($_)->{result}}), /tools/ ? 'tools' : 'resources',
        "legacy $_ on the same pipe: its members");
}
$server->initialize('2024-11-05');
(undef, my $list) = members('tools/list');
is(exists $list->{tools}[0]{outputSchema}, 1, 'what initialize agreed on does not touch modern requests');

# ---- subscriptions
sub listen_to { my ($id, $more) = @_; qq({"jsonrpc":"2.0","id":$id,"method":"subscriptions/listen","params":{$more"_meta":) .
    encoded($modern) . '}}' }
is(join(' ', $server->raw(listen_to(7, '"notifications":{"toolsListChanged":true},'))),
    '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":' .
    '{"io.modelcontextprotocol/subscriptionId":7},"notifications":{}}}', 'subscriptions/listen is acknowledged');
told(listen_to('"7"', '"notifications":{},'), 'notifications/subscriptions/acknowledged', 'another one, by a string');
told(listen_to(8, ''), '8 -32602', 'subscriptions/listen without notifications');
told('{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{}}}', '9 -32602',
    'subscriptions/listen without metadata');
told('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}', '', 'a subscription is cancelled silently');
$server->put(qq({"id":"last",$ping}));
$server->close_input;
is(join(' ', map { brief($_) } $server->rest), '"last" ok "7" ok',
    'the last line without newline is answered, and the open subscription completed');
is($server->wait_end, 'exit 0', 'it ends with status 0');
is($server->stderr, '', 'nothing on stderr');

# ---- batches: 2025-03-26 alone
$server = server(env => {DOCKER_HOST => 'unix:///nonexistent/docker.sock'});
$server->initialize('2025-03-26');
my ($one, $two) = (qq({"id":1,$ping}), '{"jsonrpc":"2.0","id":"two","method":"nope"}');
my $note = '{"jsonrpc":"2.0","method":"notifications/nope"}';
told("[$one,$two]", '[1 ok; "two" -32601]', 'a batch');
told("[$one]", '[1 ok]', 'a batch of one');
told(" [ $one , $note , $two ] ", '[1 ok; "two" -32601]', 'a batch with a notification');
told("[$note,$note]", '', 'a batch of notifications');
told('[{"jsonrpc":"2.0","id":1,"result":{}}]', '', 'a batch of answers');
told('[]', '- -32600', 'an empty batch');
told('[1,2]', '[- -32600; - -32600]', 'a batch of numbers');
told("[7,$one,[$one],{\"id\":3}]", '[- -32600; 1 ok; - -32600; 3 -32600]', 'a batch with members that are no messages');
told("[$one,", '- -32700', 'half a batch');
told('[' . join(',', ($one) x 100) . ']', '[' . join('; ', ('1 ok') x 100) . ']', 'a batch of a hundred');
told('[' . join(',', ($one) x 101) . ']', '- -32600', 'a batch of more is refused');
told('[{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-06-18"}},' . "$one]",
    '[3 -32600; 1 ok]', 'initialize in a batch');
told("[$one]", '[1 ok]', 'which changed nothing');
$server->send("[$one,{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_code\"," .
    '"arguments":{"language":"python","entrypoint_code":"1"}}},' .
    '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"execute_code","arguments":{}}}]');
is(brief($server->line), '[1 ok; 5 -32602; 4 ok]', 'a batch with calls is answered as one, when all have ended');
for my $version ('2024-11-05', '2025-06-18', '2025-11-25') {
    $server->initialize($version);
    told("[$one]", '- -32600', "a batch in $version");
}
is($server->end, 'exit 0', 'it ends with status 0');

# ---- long lines
my $mega = 'x' x (1 << 20);
$server = server();
$server->put(qq({"id":1,$ping,"params":{"a":"));
$server->pad($mega) for 1 .. 60;
$server->put(qq("}}\n));
is($server->tell, '1 ok', 'a line of 60 MB');
$server->put('[');
$server->pad($mega) for 1 .. 70;
is($server->tell(''), '- -32600', 'a line of 70 MB: one error; the next message is answered');
within_memory($server->memory('VmHWM'), 260, 'which took memory of that order, in MB');
within_memory($server->memory('VmRSS'), 40, 'and gave it back');
is($server->end, 'exit 0', 'it ends with status 0');
$server = server();
$server->put(qq({"id":1,$ping,"params":{"a":"));
$server->pad($mega) for 1 .. 500;
is(brief($server->line), '- -32600', 'a line of 500 MB is refused before it ends');
within_memory($server->memory('VmHWM'), 110, 'a line of 500 MB: memory at most in MB');
within_memory($server->memory('VmRSS'), 40, 'a line of 500 MB: memory while it goes on in MB');
is($server->tell(qq("}}\n{"id":2,$ping})), '2 ok', 'its rest is skipped, the next message is answered');
$server->pad($mega) for 1 .. 65;
$server->close_input;
is(join(' ', map { brief($_) } $server->rest), '- -32600', 'a line of 65 MB without end, and the end');
is($server->wait_end, 'exit 0', 'it ends with status 0');

finish();
