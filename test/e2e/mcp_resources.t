#!/usr/bin/env perl
# isolator-mcp: what can be read beside calling the tool, by its bytes: snippets, their completion,
# cursors; names that would lead out of promptsDir. Nothing here needs the engine.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;

my $umlaut = "gr\xc3\xbc\xc3\x9fe an alle.py"; # bytes, as on the pipe and on the disk
my $uri = 'isolator://snippets/gr%C3%BC%C3%9Fe%20an%20alle.py';

# ---- a promptsDir with everything in it that may lie in a directory
my $dir = "$scratch/prompts";
mkdir $_ for $dir, "$dir/folder.py", "$scratch/outside";
write_file("$scratch/secret.py", "print('secret')\n");
write_file("$scratch/outside/inner.py", "print('secret')\n");
write_file("$dir/hello.py", "#!/usr/bin/env python3\n# Says hello.\nprint('hello')\n");
write_file("$dir/plain.js", "console.log(1)\n");
write_file("$dir/$umlaut", "# Gr\xc3\xbc\xc3\x9fe\nprint('hallo')\n");
write_file("$dir/bytes.py", "# caf\xe9\n");
write_file("$dir/empty.go", '');
write_file("$dir/-c.py", "print('dash')\n");
write_file("$dir/50%.py", "print('percent')\n");
write_file("$dir/notes.txt", "no program, unless a language says so\n");
write_file("$dir/README.md", "no program\n");
write_file("$dir/none", "no extension\n");
write_file("$dir/.hidden.py", "print('hidden')\n");
write_file("$dir/.py", "print('hidden')\n");
write_file("$dir/\xff.py", "print('a name that is not UTF-8')\n");
write_file("$dir/large.py", '#' . 'x' x (512 << 10));
write_file("$dir/quotes.py", '"' x (512 << 10));
write_file("$dir/most.py", '#' x (512 << 10));
write_file("$dir/folder.py/inner.py", "print('inner')\n");
symlink '../secret.py', "$dir/link.py";
symlink "$dir/hello.py", "$dir/inside.py";
symlink "$scratch/outside", "$dir/outside";
symlink 'nowhere', "$dir/dangling.py";
system 'mkfifo', "$dir/fifo.py";

my $server = server(config => {promptsDir => $dir}, env => {DOCKER_HOST => 'unix:///nonexistent/docker.sock'});
$server->initialize('2025-11-25');

# ---- the list
my $resources = $server->ask('resources/list')->{result}{resources};
my $names = join '|', map { utf8::encode(my $name = $_->{name}); $name } @$resources;
is($names, "-c.py|50%.py|bytes.py|empty.go|$umlaut|hello.py|large.py|most.py|notes.txt|plain.js|quotes.py",
    'the list: regular files of a language, sorted');
sub line { return join ' ', $server->raw(@_) }
my ($hello) = grep { $_->{name} eq 'hello.py' } @$resources;
is(encoded($hello), '{"description":"Says hello.","mimeType":"text/x-python","name":"hello.py",' .
    '"uri":"isolator://snippets/hello.py"}', 'a resource');
my %by_name = map { ($_->{name} => $_) } @$resources;
is($by_name{'plain.js'}{mimeType} . ' ' . $by_name{'notes.txt'}{mimeType} . ' ' . $by_name{'empty.go'}{mimeType},
    'text/javascript text/plain text/x-go', 'mime types');
is(join('|', map { $_->{uri} } grep { $_->{uri} =~ /%/ } @$resources), "isolator://snippets/50%25.py|$uri", 'URIs are escaped');
is(encoded($server->ask('resources/templates/list')->{result}{resourceTemplates}[0]{uriTemplate}),
    '"isolator://snippets/{snippet_name}"', 'the template');

# ---- reading
sub read_uri { my ($asked) = @_; return $server->ask('resources/read', {uri => $asked}) }
sub text { my ($asked) = @_; return read_uri($asked)->{result}{contents}[0]{text} // '(nothing)' }
is(line('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"isolator://snippets/hello.py"}}'),
    '{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"isolator://snippets/hello.py","mimeType":"text/x-python",' .
    '"text":"#!/usr/bin/env python3\n# Says hello.\nprint(\'hello\')\n"}]}}', 'a snippet is read');
is(text($uri), "# Gr\x{fc}\x{df}e\nprint('hallo')\n", 'a name with a blank and umlauts');
is(text('isolator://snippets/%68ello%2Epy'), "#!/usr/bin/env python3\n# Says hello.\nprint('hello')\n",
    'escapes that were not needed');
is(text('isolator://snippets/gr%c3%bc%c3%9fe%20an%20alle.py'), "# Gr\x{fc}\x{df}e\nprint('hallo')\n", 'escapes in small letters');
is(text('isolator://snippets/50%25.py'), "print('percent')\n", 'a name with a percent sign');
is(text('isolator://snippets/-c.py'), "print('dash')\n", 'a name that begins with a dash');
is(text('isolator://snippets/empty.go'), '', 'an empty file');
is(text('isolator://snippets/bytes.py'), "# caf\x{fffd}\n", 'a file that is not UTF-8');
is(length(text('isolator://snippets/most.py')), 512 << 10, 'a file of 512 KiB');
has(shown(read_uri('isolator://snippets/large.py')), "the snippet 'large.py' is larger than 512 KiB", 'a larger one');
has(shown(read_uri('isolator://snippets/quotes.py')), 'the resource is too large for one message',
    'one that gets too large when it is escaped');

for (['no-such.py', 'an unknown name'], ['', 'no name'], ['..', 'the directory above'], ['.', 'the directory itself'],
    ['../secret.py', 'out of the directory'], ['%2e%2e%2fsecret.py', 'out of the directory, escaped'],
    ['..%2Fsecret.py', 'out of the directory, half escaped'], ['%2E%2E/secret.py', 'out of the directory, the other half'],
    ['folder.py/../../secret.py', 'out of the directory by way of another'],
    ['outside/inner.py', 'through a linked directory'], ['outside%2finner.py', 'through a linked directory, escaped'],
    ['folder.py/inner.py', 'a file in a directory'], ['folder.py', 'a directory'], ['folder.py/', 'a directory with a slash'],
    ['./hello.py', 'a path to a file'], ['hello.py/', 'a file with a slash'], ['%2fetc%2fpasswd', 'an absolute path'],
    ['link.py', 'a link out of the directory'], ['inside.py', 'a link within it'], ['dangling.py', 'a dangling link'],
    ['fifo.py', 'a FIFO'], ['.hidden.py', 'a hidden file'], ['README.md', 'a file of no language'], ['none', 'no extension'],
    ['%ff.py', 'a name that is not UTF-8'], ['hello.py%00', 'a NUL'], ['hello.py%00.py', 'a NUL within'], ['hello.p%79%', 'half an escape'],
    ['hello.p%7', 'half an escape at the end'], ['hello.p%zz', 'an escape that is none'], ['hello%252epy', 'escaped twice'],
    ['x' x 300 . '.py', 'a name that is too long'], ['hello.py?x', 'a query'], ['HELLO.py', 'other letters']) {
    my ($name, $what) = @$_;
    my $answer = read_uri("isolator://snippets/$name");
    is($answer->{error}{code}, -32002, "not read: $what");
    hasnt(encoded($answer), 'secret\')', "not read: $what: nothing of it") if $name =~ /secret|outside|link/;
}
for (['', 'empty'], ['file:///etc/passwd', 'a file'], ['isolator://snippets', 'no slash'], ['ISOLATOR://snippets/hello.py', 'capitals'],
    ['isolator://runs/', 'no run'], ['isolator://runs/0123456789abcdef/stdout', 'a run that never was'],
    ['isolator://runs/../snippets/hello.py', 'a path'], ['isolator://runs/' . 'x' x 100000 . '/stdout', 'a very long one'],
    ["isolator://snippets/hello.py\n", 'a newline']) {
    my ($asked, $what) = @$_;
    is(read_uri($asked)->{error}{code}, -32002, "a URI that is not ours: $what");
}
is(line('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"isolator://x"}}'),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"cannot read the resource: the resources begin with ' .
    'isolator://snippets/ or isolator://runs/","data":{"uri":"isolator://x"}}}', 'the error in full');
is($server->ask('resources/read', {uri => 'isolator://x', _meta => $modern})->{error}{code}, -32602,
    'the code in the modern era');
is($server->ask('resources/read', {uri => 'isolator://snippets/hello.py', _meta => $modern})->{result}{ttlMs}, 0,
    'a snippet in the modern era');
for ('', ',"params":{}', ',"params":{"uri":7}', ',"params":{"uri":null}', ',"params":{"uri":"isolator://snippets/hello.py\u0000"}') {
    is($server->tell(qq({"jsonrpc":"2.0","id":1,"method":"resources/read"$_})), '1 -32602', "resources/read: wrong$_");
}

# ---- the directory is looked at each time
write_file("$dir/new.py", "print('new')\n");
is(text('isolator://snippets/new.py'), "print('new')\n", 'a file that came later');
unlink "$dir/new.py";
is(read_uri('isolator://snippets/new.py')->{error}{code}, -32002, 'a file that has gone');

# ---- completion
sub completed { # VALUE: the names, and what else there is.
    my $answer = $server->ask('completion/complete', {ref => {type => 'ref/resource',
        uri => 'isolator://snippets/{snippet_name}'}, argument => {name => 'snippet_name', value => $_[0]}});
    return encoded($answer->{result}{completion} // $answer);
}
is(completed('p'), '{"hasMore":false,"total":1,"values":["plain.js"]}', 'completion');
is(completed('hello.py'), '{"hasMore":false,"total":1,"values":["hello.py"]}', 'completion of a whole name');
is(completed('gr'), qq({"hasMore":false,"total":1,"values":["$umlaut"]}), 'completion to a name with umlauts');
is(completed('../'), '{"hasMore":false,"total":0,"values":[]}', 'completion of a path');
is(completed('.h'), '{"hasMore":false,"total":0,"values":[]}', 'completion of a hidden file');
has(completed(''), '"total":11', 'completion of nothing');
for (['{}', 'no reference'], ['{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}', 'a prompt'],
    ['{"ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"snippet_name","value":""}}', 'an unknown template'],
    ['{"ref":{"type":"ref/resource","uri":"isolator://snippets/{snippet_name}"},"argument":{"name":"x","value":""}}',
        'an unknown argument'],
    ['{"ref":{"type":"ref/resource","uri":"isolator://snippets/{snippet_name}"}}', 'no argument'],
    ['{"ref":{"type":"ref/resource","uri":"isolator://snippets/{snippet_name}"},"argument":{"name":"snippet_name","value":7}}',
        'a value that is a number']) {
    is($server->tell(qq({"jsonrpc":"2.0","id":1,"method":"completion/complete","params":$$_[0]})), '1 -32602', "completion: $$_[1]");
}

# ---- cursors
for my $method ('tools/list', 'resources/list', 'resources/templates/list') {
    is($server->tell(qq({"jsonrpc":"2.0","id":1,"method":"$method","params":{"cursor":$_}})), '1 -32602', "$method: the cursor $_")
        for '"nope"', '""', '7', '"../secret.py"', '"hello.py\u0000"';
    is($server->tell(qq({"jsonrpc":"2.0","id":1,"method":"$method","params":{"cursor":null}})), '1 ok', "$method: null is no cursor");
}

# ---- more than a page
write_file(sprintf("$dir/s%03d.py", $_), '') for 1 .. 240;
my ($cursor, @pages, %seen);
do {
    my $result = $server->ask('resources/list', defined $cursor ? {cursor => $cursor} : {})->{result};
    push @pages, scalar @{$result->{resources}};
    $seen{$_->{name}}++ for @{$result->{resources}};
    $cursor = $result->{nextCursor};
} while (defined $cursor && @pages < 9);
is("@pages", '100 100 51', 'pages of a hundred');
is(scalar(grep { $_ == 1 } values %seen), 251, 'each is there once');
my $all = $server->ask('completion/complete', {ref => {type => 'ref/resource',
    uri => 'isolator://snippets/{snippet_name}'}, argument => {name => 'snippet_name', value => 's'}})->{result}{completion};
is(@{$all->{values}} . " $all->{total} " . encoded($all->{hasMore}), '100 240 true', 'completion: a hundred, and that there are more');
is($server->end, 'exit 0', 'it ends with status 0');

# ---- no directory
$server = server(config => {promptsDir => "$scratch/nowhere"});
is($server->tell('{"jsonrpc":"2.0","id":1,"method":"resources/list"}'), '1 ok', 'no promptsDir: the list');
is(encoded($server->ask('resources/list')->{result}), '{"resources":[]}', 'no promptsDir: it is empty');
is($server->end, 'exit 0', 'no promptsDir: it ends with status 0');
is($server->stderr, "isolator-mcp: warning: cannot read the snippets, promptsDir '$scratch/nowhere': No such file or directory\n",
    'no promptsDir: a warning');

finish();
