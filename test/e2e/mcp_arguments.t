#!/usr/bin/env perl
# isolator-mcp: the arguments of execute_code. Each wrong one names itself and what would be right; what
# is right goes on to the engine, which is none here, so that nothing runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../mcp";
use pipe_client;

mkdir "$scratch/prompts";
write_file("$scratch/prompts/hello.py", "print('hello')\n");
write_file("$scratch/prompts/large.py", '#' x ((512 << 10) + 1));
symlink '/etc/passwd', "$scratch/prompts/link.py";

my $server = server(config => {containerCommand => 'no-such-docker', promptsDir => "$scratch/prompts",
    maximums => {timeoutSeconds => 30}, defaults => {workdirMB => 4}});
$server->initialize('2025-11-25');

my $program = '"language":"python","entrypoint_code":"1"';
# What a call with these arguments is answered; a comma in front: beside a program.
sub answer {
    my ($arguments, $more) = @_;
    $arguments = "$program$arguments" if $arguments =~ /^,/;
    $server->send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code",' .
        "\"arguments\":{$arguments}" . ($more // '') . '}}');
    return shown($server->answer(1));
}
sub wrong { my ($arguments, $message, $name) = @_; is(answer($arguments), "error: Execution Failed (error): $message", $name) }
sub right { my ($arguments, $name) = @_; has(answer($arguments), "cannot run 'no-such-docker'", "right: $name") }

# ---- one of two
wrong('', 'nothing to run: give language and entrypoint_code, or snippet_name', 'no arguments');
wrong('"language":"python"', 'entrypoint_code is missing: give the source code of the program', 'language alone');
wrong('"entrypoint_code":"1"', 'language is missing: give one of python, go, javascript, bash, busybox, noshell', 'code alone');
my $excludes = 'snippet_name excludes language, entrypoint_code and entrypoint_filename; leave them out, or leave ' .
    'snippet_name out';
wrong('"language":"python","snippet_name":"hello.py"', $excludes, 'snippet_name and language');
wrong('"entrypoint_code":"1","snippet_name":"hello.py"', $excludes, 'snippet_name and entrypoint_code');
wrong('"entrypoint_filename":"x.py","snippet_name":"hello.py"', $excludes, 'snippet_name and entrypoint_filename');
wrong(',"snippet_name":"hello.py"', $excludes, 'snippet_name and a program');
wrong('"language":null,"entrypoint_code":null,"snippet_name":null',
    'nothing to run: give language and entrypoint_code, or snippet_name', 'all null');
right($program, 'language and code');
right('"snippet_name":"hello.py"', 'snippet_name');
right('"language":null,"entrypoint_code":null,"entrypoint_filename":null,"snippet_name":"hello.py"', 'null beside snippet_name');
right(',"entrypoint_filename":null,"additional_files":null,"snippet_name":null,"stdin":null,"arguments":null,' .
    '"environment":null,"timeout_seconds":null', 'null for every optional argument');
wrong(',"nope":1', "there is no argument 'nope'; known are: language, entrypoint_code, entrypoint_filename, " .
    'additional_files, snippet_name, stdin, arguments, environment, timeout_seconds, artifacts', 'an unknown argument');
wrong(',"nope":null', "there is no argument 'nope'; known are: language, entrypoint_code, entrypoint_filename, " .
    'additional_files, snippet_name, stdin, arguments, environment, timeout_seconds, artifacts', 'an unknown argument that is null');
my $cut = "x" . "\xc3\xa4" x 60; # longer than what is shown, which ends within a character
has(answer(",\"$cut\":1"), "there is no argument 'x" . "\x{e4}" x 30, 'a long name is shown in part, in UTF-8');
has(answer(",\"environment\":{\"$cut\":1}"), "environment.x" . "\x{e4}" x 30, 'a long name of a variable');

# ---- language, code, snippet_name
my $known = 'known are: python, go, javascript, bash, busybox, noshell';
wrong('"language":"pyhton","entrypoint_code":"1"', "unknown language 'pyhton'; $known", 'an unknown language');
wrong('"language":"Python","entrypoint_code":"1"', "unknown language 'Python'; $known", 'a language in capitals');
wrong('"language":"","entrypoint_code":"1"', "unknown language ''; $known", 'an empty language');
wrong('"language":7,"entrypoint_code":"1"', 'language must be a string', 'a language that is a number');
wrong('"language":"python\u0000","entrypoint_code":"1"', 'language must be a string without NUL characters',
    'a language with a NUL');
wrong('"language":"python","entrypoint_code":7', 'entrypoint_code must be a string: the source code', 'code that is a number');
wrong('"language":"python","entrypoint_code":["1"]', 'entrypoint_code must be a string: the source code', 'code in an array');
right('"language":"python","entrypoint_code":""', 'empty code');
right('"language":"python","entrypoint_code":"\u0000\ud83d"', 'code with a NUL and half a surrogate pair');
wrong('"snippet_name":7', 'snippet_name must be a string', 'a snippet_name that is a number');
wrong("\"snippet_name\":\"$$_[0]\"", "snippet_name: there is no snippet '$$_[1]'; known are: hello.py, large.py", "no snippet: $$_[2]")
    for ['nope.py', 'nope.py', 'an unknown name'], ['', '', 'an empty name'], ['../hello.py', '../hello.py', 'a path'],
    ['./hello.py', './hello.py', 'another path'], ['link.py', 'link.py', 'a link'], ['/etc/passwd', '/etc/passwd', 'an absolute path'],
    ['hello', 'hello', 'no extension'], ['a\nb.py', 'a\nb.py', 'a newline'];
wrong('"snippet_name":"hello.py\u0000"', 'snippet_name must be a string without NUL characters', 'a snippet_name with a NUL');
wrong('"snippet_name":"large.py"', "snippet_name: the snippet 'large.py' is larger than 512 KiB", 'a large snippet');

# ---- file names
sub named { my ($name) = @_; return qq(,"additional_files":[{"filename":"$name","content":"x"}]) }
my $long = 'x' x 255;
for (['/x', "'/x' must be relative to the directory", 'absolute'], ['', "'' must not have '..', '.' or empty parts", 'empty'],
    ['..', "'..' must not have '..', '.' or empty parts", 'the directory above'],
    ['.', "'.' must not have '..', '.' or empty parts", 'the directory itself'],
    ['a/../b', "'a/../b' must not have '..', '.' or empty parts", '".." within'],
    ['a/./b', "'a/./b' must not have '..', '.' or empty parts", '"." within'],
    ['a//b', "'a//b' must not have '..', '.' or empty parts", 'an empty part'],
    ['a/', "'a/' must not have '..', '.' or empty parts", 'a slash at the end'],
    ["${long}x", "a part of '" . 'x' x 80 . "...' is longer than 255 bytes", 'a part of 256 bytes'],
    ["a/${long}x/b", "a part of 'a/" . 'x' x 78 . "...' is longer than 255 bytes", 'a part of 256 bytes within'],
    [join('/', ('x' x 200) x 20), "path longer than 4000 bytes: '" . 'x' x 80 . "...'", 'more than 4000 bytes']) {
    my ($name, $message, $what) = @$_;
    wrong(",\"entrypoint_filename\":\"$name\"", "entrypoint_filename: $message", "entrypoint_filename: $what");
    wrong(named($name), "additional_files[0]: $message", "additional_files: $what");
}
wrong(',"entrypoint_filename":7', 'entrypoint_filename must be a string', 'entrypoint_filename: a number');
wrong(',"entrypoint_filename":"a\u0000b"', 'entrypoint_filename must be a string without NUL characters', 'entrypoint_filename: a NUL');
wrong(named('a\u0000b'), 'additional_files[0] must be an object whose filename is a string without NUL characters',
    'additional_files: a NUL');
right(named($_), "a file '$_'") for 'a/b/c.txt', '...', '..a', 'a b', '-x', "\xc3\xa4", $long, "a/$long";
right(",\"entrypoint_filename\":\"$_\"", "an entrypoint '$_'") for 'a/b.py', 'x', '-c', "\xc3\xa4.py", '$(x);.py';

# ---- additional_files
sub files { return ',"additional_files":[' . join(',', @_) . ']' }
sub content { my ($content, $encoding) = @_; return files(qq({"filename":"a","content":$content,"encoding":$encoding})) }
wrong(',"additional_files":7', 'additional_files must be an array of objects with filename and content', 'files that are a number');
wrong(',"additional_files":{"a":"x"}', 'additional_files must be an array of objects with filename and content',
    'files in an object');
wrong(files($_), 'additional_files[0] must be an object with filename and content', "a file that is $_")
    for '7', 'null', '[]', '"a"', '{"content":"x"}', '{}';
wrong(files('{"filename":7,"content":"x"}'),
    'additional_files[0] must be an object whose filename is a string without NUL characters', 'a filename that is a number');
wrong(files('{"filename":"a"}'), 'additional_files[0] must be an object whose content is a string', 'no content');
wrong(content($_, '"utf-8"'), 'additional_files[0] must be an object whose content is a string', "content that is $_")
    for '7', 'null', '[]';
wrong(content('"x"', $_), 'additional_files[0] must be an object whose encoding is "utf-8" or "base64"', "the encoding $_")
    for '"latin-1"', '"BASE64"', '""', '7';
wrong(files('{"filename":"a","content":"x","mode":7}'),
    'additional_files[0] must be an object with filename, content and encoding alone', 'an unknown member');
wrong(files('{"filename":"a","content":"x"}', '{"filename":"/b","content":"x"}'),
    "additional_files[1]: '/b' must be relative to the directory", 'the second of two');
wrong(content("\"$_\"", '"base64"'),
    'additional_files[0] must be an object whose content is valid base64, as its encoding says', "base64: $_")
    for '!!', 'Y', 'YQ=', 'YQ===', 'YQ==YQ==', '=', 'Y=Q=', 'YQ\u0000=', 'YWI_', "Y\xc3\xa4==";
right(content("\"$_\"", '"base64"'), "base64 '$_'") for 'YQ==', 'YQ', 'YWI=', 'YWJj', '', 'YW\nJj', '////', '++++';
right(content('"x"', 'null'), 'the encoding null');
right(content('"\u0000"', '"utf-8"'), 'content with a NUL');
right(files(), 'no files');
has(answer(files('{"filename":"a","content":"x"}', '{"filename":"a","content":"y"}')), "two files have the name 'a'",
    'a name twice');
has(answer(named('main.py')), "two files have the name 'main.py'", 'the name of the entrypoint');
has(answer(named('x.py') . ',"entrypoint_filename":"x.py"'), "two files have the name 'x.py'", 'the name of a chosen entrypoint');
has(answer('"snippet_name":"hello.py"' . named('hello.py')), "two files have the name 'hello.py'", 'the name of the snippet');
has(answer(files('{"filename":"a/b","content":"x"}', '{"filename":"a","content":"y"}')),
    "'a' is the name of a file and of a directory of other files", 'a file that is a directory too');
has(answer(named('main.py/x')), "'main.py' is the name of a file and of a directory of other files",
    'the entrypoint is a directory too');
right(files('{"filename":"a/b","content":"x"}', '{"filename":"a/c","content":"y"}'), 'two files in one directory');
right(files(map { qq({"filename":"f$_","content":""}) } 1 .. 900), 'many files');
has(answer(content('"' . 'x' x (5 << 20) . '"', '"utf-8"')), 'the files need more than the 4 MB of the working directory',
    'more than fits into the working directory');

# ---- stdin, arguments, environment
wrong(',"stdin":7', 'stdin must be a string', 'stdin: a number');
right(',"stdin":"a\u0000b\n"', 'stdin with a NUL');
wrong(',"arguments":"x"', 'arguments must be an array of strings', 'arguments: a string');
wrong(',"arguments":["a",7]', 'arguments[1] must be a string', 'arguments: a number within');
wrong(',"arguments":["a","b\u0000"]', 'arguments[1] must be a string without NUL characters', 'arguments: a NUL');
right(',"arguments":["","-h","a b","$(x)","\n"]', 'arguments of all kinds');
wrong(',"environment":["A=1"]', 'environment must be an object with strings by name', 'environment: an array');
wrong(',"environment":{"A":7}', 'environment.A must be a string', 'environment: a number');
wrong(',"environment":{"A":null}', 'environment.A must be a string', 'environment: null');
wrong(',"environment":{"A":"a\u0000"}', 'environment.A must be a string without NUL characters', 'environment: a NUL');
wrong(',"environment":{"A=B":"x"}', "environment.A=B: the name of a variable cannot have '=' in it", 'environment: a name with =');
has(answer(",\"environment\":{\"$_\":\"x\"}"), "'$_' is not the name of an environment variable: letters, digits, _",
    "environment: the name '$_'") for '', '1A', 'A-B', 'A B', '$(x)';
has(answer(',"environment":{"PPID":"x"}'), "variable 'PPID' cannot be given", 'environment: a name of the shell');
right(',"environment":{"A":"","_b1":"a=b\n"}', 'environment');

# ---- timeout_seconds
wrong(",\"timeout_seconds\":$_", 'timeout_seconds must be a number of seconds greater than 0', "timeout_seconds: $_")
    for '0', '-1', '0.0', '"5"', 'true', '[]';
wrong(',"timeout_seconds":0.0001', 'timeout_seconds must be from 0.001 to 31622400 s', 'timeout_seconds: too little');
right(",\"timeout_seconds\":$_", "timeout_seconds $_") for '1', '0.5', '30', '31', '1e9', '1e300', '9007199254740993';

# ---- what the revision makes of it
is(answer(',"stdin":7', ',"_meta":' . encoded($modern)), 'error: Execution Failed (error): stdin must be a string',
    'modern: a result');
for my $version ('2024-11-05', '2025-03-26', '2025-06-18') {
    $server->initialize($version);
    is(answer(',"stdin":7'), '-32602 stdin must be a string', "$version: an error of the protocol");
    is(answer('"language":"x","entrypoint_code":"1"'), "-32602 unknown language 'x'; $known", "$version: an unknown language");
    is(answer('', ',"x":1'), '-32602 nothing to run: give language and entrypoint_code, or snippet_name', "$version: no arguments");
}
is($server->end, 'exit 0', 'it ends with status 0');
is($server->stderr, '', 'nothing on stderr');

finish();
