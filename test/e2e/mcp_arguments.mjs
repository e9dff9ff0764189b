#!/usr/bin/env node
// isolator-mcp: the arguments of execute_code. The error for a wrong one names it and says what would be right. A
// valid call goes on to the engine, whose command does not exist here, so that no program runs.

import { mkdirSync, symlinkSync } from 'node:fs';
import { finish, has, is, lacks, quickCase } from '../mcp/cases.mjs';
import { meta, startServer, summary } from '../mcp/pipe_client.mjs';
import { BUILT_IN_LANGUAGES, scratch, writeFile } from '../mcp/processes.mjs';

const promptsDir = `${scratch}/prompts`;
mkdirSync(promptsDir);
writeFile(`${promptsDir}/hello.py`, "print('hello')\n");
writeFile(`${promptsDir}/large.py`, '#'.repeat((512 << 10) + 1));
symlinkSync('/etc/passwd', `${promptsDir}/link.py`);

const PROGRAM = { language: 'python', entrypoint_code: '1' };
const LANGUAGES = { shell: { image: 'busybox', command: ['sh', '{entrypoint}'], extensions: ['.ash'], defaultFilename: 'main.ash' } };
const KNOWN_LANGUAGES = `known are: ${BUILT_IN_LANGUAGES}, shell`;
const NOTHING_TO_RUN = 'nothing to run: give language and entrypoint_code, or snippet_name';

// A server and what it says of a call: `accepts` and `refuses` take the arguments of the call, as an object or as
// JSON text; `acceptsBeside` and `refusesBeside` take arguments that stand beside a valid program.
async function startForArguments(version = '2025-11-25', maximums = {}, defaults = {}, more = {}) {
    const server = await startServer({ engine: false, config: { containerCommand: 'no-such-docker', promptsDir,
        languages: LANGUAGES, maximums: { timeoutSeconds: 30, ...maximums }, defaults: { workdirMB: 4, ...defaults }, ...more } });
    await server.initialize(version);
    server.say = async (args, more = '') => {
        const json = typeof args === 'string' ? args : JSON.stringify(args);
        server.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":${json}${more}}}`);
        return summary(await server.response(1));
    };
    const beside = (args) => (typeof args === 'string' ? JSON.stringify(PROGRAM).replace(/}$/, `,${args}}`) : { ...PROGRAM, ...args });
    server.refuses = async (args, message, what) => is(await server.say(args), `error: Execution Failed (error): ${message}`, what);
    server.accepts = async (args, what) => has(await server.say(args), "cannot run 'no-such-docker'", what);
    server.refusesBeside = (args, message, what) => server.refuses(beside(args), message, what);
    server.acceptsBeside = (args, what) => server.accepts(beside(args), what);
    return server;
}

// ---- a program or a snippet

quickCase('a call needs language and entrypoint_code, or snippet_name', async () => {
    const server = await startForArguments();
    await server.refuses({}, NOTHING_TO_RUN, 'no arguments');
    await server.refuses({ language: 'python' }, 'entrypoint_code is missing: give the source code of the program', 'language alone');
    await server.refuses({ entrypoint_code: '1' }, `language is missing: give one of ${BUILT_IN_LANGUAGES}, shell`,
        'code alone');
    await server.accepts(PROGRAM, 'language and code');
    await server.accepts({ language: 'python3', entrypoint_code: '1' }, 'an alias of the language');
    await server.accepts({ snippet_name: 'hello.py' }, 'snippet_name');
});

quickCase('snippet_name excludes language, entrypoint_code and entrypoint_filename', async () => {
    const server = await startForArguments();
    for (const args of [{ language: 'python' }, { entrypoint_code: '1' }, { entrypoint_filename: 'x.py' }, PROGRAM])
        await server.refuses({ ...args, snippet_name: 'hello.py' }, 'snippet_name excludes language, entrypoint_code and ' +
            'entrypoint_filename; leave them out, or leave snippet_name out', Object.keys(args).join());
});

quickCase('null stands for an argument that is left out', async () => {
    const server = await startForArguments();
    await server.refuses({ language: null, entrypoint_code: null, snippet_name: null }, NOTHING_TO_RUN, 'all null');
    await server.accepts({ language: null, entrypoint_code: null, entrypoint_filename: null, snippet_name: 'hello.py' },
        'null beside snippet_name');
    await server.acceptsBeside({ entrypoint_filename: null, additional_files: null, snippet_name: null, stdin: null, arguments: null,
        environment: null, timeout_seconds: null }, 'every optional argument');
});

quickCase('"" stands for an argument that is left out, as hosts fill it in', async () => {
    const server = await startForArguments('2025-11-25', { memoryMB: 300 });
    const empty = { entrypoint_filename: '', additional_files: '', snippet_name: '', stdin: '', arguments: '', environment: '', artifacts: '',
        session: '', keep_processes: '', timeout_seconds: '', memory_mb: '' };
    await server.acceptsBeside(empty, 'every optional argument');
    await server.accepts({ ...empty, snippet_name: 'hello.py', language: '', entrypoint_code: '' }, 'beside snippet_name');
    await server.refuses({ language: '', entrypoint_code: '', snippet_name: '' }, NOTHING_TO_RUN, 'all empty');
    await server.acceptsBeside({ additional_files: [{ filename: 'a', content: '', encoding: '', uri: '' }] }, 'of a file');
    await server.refusesBeside({ arguments: [''], environment: { '': '' } }, "'' is not the name of an environment variable: letters, digits, _", 'items');
});

quickCase('values that come as text', async () => {
    const server = await startForArguments('2025-11-25', { memoryMB: 300 });
    await server.acceptsBeside({ additional_files: '[{"filename": "a", "content": "[1]"}]', arguments: '["-x"]', environment: '{"A": "1"}',
        artifacts: '["*.png"]', keep_processes: 'false', timeout_seconds: '5', memory_mb: '64' }, 'each that is no string');
    await server.refusesBeside({ timeout_seconds: '5 s' }, 'timeout_seconds must be a number of seconds greater than 0; text came, ' +
        'which is not that in JSON', 'no number');
    await server.refusesBeside({ arguments: '["-x"' }, 'arguments must be an array of strings; text came, which is not that in JSON', 'no array');
    await server.refusesBeside({ memory_mb: '400' }, 'memory_mb 400 MB is more than the configuration allows (maximums.memoryMB: 300)',
        'what it says is checked');
});

quickCase('a path has several spellings', async () => {
    const server = await startForArguments();
    for (const filename of ['d.csv', './d.csv', '/workspace/d.csv'])
        await server.acceptsBeside({ entrypoint_filename: filename, artifacts: [filename] }, filename);
    await server.refusesBeside({ additional_files: [{ filename: './a', content: '' }, { filename: '/workspace/a', content: '' }] },
        "two files have the name 'a'", 'one file twice');
    await server.refusesBeside({ entrypoint_filename: '/workspace/../a' }, "entrypoint_filename: '../a' must not have '..', '.' or empty parts",
        'out of the directory');
    await server.refusesBeside({ artifacts: ['/etc/*'] }, "artifacts: '/etc/*' must be a pattern for paths in the working directory, like *.png",
        'a pattern');
});

quickCase('a language is called in any case', async () => {
    const server = await startForArguments();
    await server.accepts({ language: 'Python', entrypoint_code: '1' }, 'a name');
    await server.accepts({ language: 'JS', entrypoint_code: '1' }, 'an alias');
});

quickCase('an argument that may narrow what a program can do is never left out', async () => {
    const server = await startForArguments();
    for (const value of [1, null])
        await server.refusesBeside({ max_output: value }, "there is no argument 'max_output'; known are: language, entrypoint_code, " +
            'entrypoint_filename, additional_files, snippet_name, stdin, arguments, environment, artifacts, session, keep_processes, background, ' +
            'timeout_seconds', value);
});

quickCase('a long name in an error is cut between characters', async () => {
    const server = await startForArguments();
    const long = `x${'ä'.repeat(60)}`; // what is shown of it would end within a character
    has(await server.say({ ...PROGRAM, [long]: 1 }), `the argument 'x${'ä'.repeat(30)}`);
    has(await server.say({ ...PROGRAM, environment: { [long]: null } }), `environment.x${'ä'.repeat(30)}`, 'of a variable');
});

quickCase('language: one of the configuration', async () => {
    const server = await startForArguments();
    for (const language of ['pyhton', 'Pyhton', '-'])
        await server.refuses({ language, entrypoint_code: '1' }, `unknown language '${language}'; ${KNOWN_LANGUAGES}`);
    await server.refuses({ language: 7, entrypoint_code: '1' }, 'language must be a string', 'a number');
    await server.refuses({ language: 'python\0', entrypoint_code: '1' }, 'language must be a string without NUL characters', 'a NUL');
});

quickCase('entrypoint_code: any string', async () => {
    const server = await startForArguments();
    for (const code of [7, ['1']])
        await server.refuses({ language: 'python', entrypoint_code: code }, 'entrypoint_code must be a string: the source code');
    await server.accepts({ language: 'python', entrypoint_code: '' }, 'empty code');
    await server.accepts({ language: 'python', entrypoint_code: '\0\ud83d' }, 'a NUL and half a surrogate pair');
});

quickCase('snippet_name: the name of a snippet', async () => {
    const server = await startForArguments();
    await server.refuses({ snippet_name: 7 }, 'snippet_name must be a string', 'a number');
    for (const [name, what, escaped = name] of [['nope.py', 'unknown'], ['../hello.py', 'a path'],
        ['./hello.py', 'a path to the same file'], ['link.py', 'a link'], ['/etc/passwd', 'an absolute path'],
        ['hell', 'the start of a name'], ['a\nb.py', 'a newline', 'a\\nb.py']])
        await server.refuses({ snippet_name: name }, `snippet_name: there is no snippet '${escaped}'; known are: hello, large`, what);
    await server.refuses({ snippet_name: 'hello.py\0' }, 'snippet_name must be a string without NUL characters', 'a NUL');
    await server.accepts({ snippet_name: 'hello' }, 'without the extension');
    await server.refuses({ snippet_name: 'large.py' }, "snippet_name: the snippet 'large.py' is larger than 512 KiB", 'too large');
});

// ---- files

const LONG = 'x'.repeat(255);
const named = (filename) => ({ additional_files: [{ filename, content: 'x' }] });
const files = (...all) => ({ additional_files: all });
const content = (value, encoding) => files({ filename: 'a', content: value, encoding });

quickCase('file names: relative paths without "." and "..", of bounded length', async () => {
    const server = await startForArguments();
    for (const [name, message, what] of [
        ['/x', "'/x' must be relative to the directory", 'absolute'],
        ['..', "'..' must not have '..', '.' or empty parts", 'the parent directory'],
        ['.', "'.' must not have '..', '.' or empty parts", 'the directory itself'],
        ['a/../b', "'a/../b' must not have '..', '.' or empty parts", '".." within'],
        ['a/./b', "'a/./b' must not have '..', '.' or empty parts", '"." within'],
        ['a//b', "'a//b' must not have '..', '.' or empty parts", 'an empty part'],
        ['a/', "'a/' must not have '..', '.' or empty parts", 'a slash at the end'],
        [`${LONG}x`, `a part of '${'x'.repeat(80)}...' is longer than 255 bytes`, 'a part of 256 bytes'],
        [`a/${LONG}x/b`, `a part of 'a/${'x'.repeat(78)}...' is longer than 255 bytes`, 'a part of 256 bytes within'],
        [Array(20).fill('x'.repeat(200)).join('/'), `path longer than 4000 bytes: '${'x'.repeat(80)}...'`, 'more than 4000 bytes'],
    ]) {
        await server.refusesBeside({ entrypoint_filename: name }, `entrypoint_filename: ${message}`, `entrypoint_filename: ${what}`);
        await server.refusesBeside(named(name), `additional_files[0]: ${message}`, `additional_files: ${what}`);
    }
    await server.refusesBeside(named(''), "additional_files[0]: '' must not have '..', '.' or empty parts", 'additional_files: empty');
});

quickCase('file names: strings without NUL', async () => {
    const server = await startForArguments();
    await server.refusesBeside({ entrypoint_filename: 7 }, 'entrypoint_filename must be a string', 'a number');
    await server.refusesBeside({ entrypoint_filename: 'a\0b' }, 'entrypoint_filename must be a string without NUL characters', 'a NUL');
    await server.refusesBeside(named('a\0b'), 'additional_files[0] must be an object whose filename is a string without NUL characters',
        'additional_files: a NUL');
});

quickCase('file names: unusual ones that are valid', async () => {
    const server = await startForArguments();
    for (const name of ['a/b/c.txt', '...', '..a', 'a b', '-x', 'ä', LONG, `a/${LONG}`])
        await server.acceptsBeside(named(name), `a file '${name}'`);
    for (const name of ['a/b.py', 'x', '-c', 'ä.py', '$(x);.py'])
        await server.acceptsBeside({ entrypoint_filename: name }, `an entrypoint '${name}'`);
});

quickCase('additional_files: objects with filename, content and encoding', async () => {
    const server = await startForArguments();
    await server.refusesBeside({ additional_files: 7 }, 'additional_files must be an array of objects with filename and content');
    for (const file of [7, null, []])
        await server.refusesBeside(files(file), 'additional_files[0] must be an object with filename and content', JSON.stringify(file));
    for (const file of [{ content: 'x' }, {}, { filename: null, content: 'x' }])
        await server.refusesBeside(files(file), 'additional_files[0]: filename is missing', JSON.stringify(file));
    await server.refusesBeside(files('a'), 'additional_files[0] must be an object with filename and content; text came, which is not that in JSON', 'text');
    await server.refusesBeside(files({ filename: 7, content: 'x' }),
        'additional_files[0] must be an object whose filename is a string without NUL characters', 'a filename that is a number');
    await server.refusesBeside(files({ filename: 'a' }), 'additional_files[0] must be an object with filename and either content or uri', 'no content');
    await server.refusesBeside(content(null, undefined), 'additional_files[0] must be an object with filename and either content or uri',
        'content that is null');
    for (const value of [7, []])
        await server.refusesBeside(content(value, 'utf-8'), 'additional_files[0] must be an object whose content is a string',
            `content that is ${JSON.stringify(value)}`);
    for (const encoding of ['latin-1', 'BASE64', 7])
        await server.refusesBeside(content('x', encoding), 'additional_files[0] must be an object whose encoding is "utf-8" or "base64"',
            `the encoding ${JSON.stringify(encoding)}`);
    await server.refusesBeside(files({ filename: 'a', content: 'x', mode: 7 }),
        "additional_files[0] has no member 'mode'; known are: filename, content, encoding, uri", 'an unknown member');
    await server.refusesBeside(files({ filename: 'a', content: 'x' }, { filename: '/b', content: 'x' }),
        "additional_files[1]: '/b' must be relative to the directory", 'the second of two');
});

quickCase('additional_files: base64 is checked', async () => {
    const server = await startForArguments();
    for (const text of ['!!', 'Y', 'YQ=', 'YQ===', 'YQ==YQ==', '=', 'Y=Q=', 'YQ\0=', 'Yä=='])
        await server.refusesBeside(content(text, 'base64'),
            'additional_files[0] must be an object whose content is valid base64, as its encoding says', text);
    for (const text of ['YQ==', 'YQ', 'YWI=', 'YWJj', '', 'YW\nJj', '////', '++++', '____', 'YWI-', 'data:text/plain;base64,YQ=='])
        await server.acceptsBeside(content(text, 'base64'), text);
});

quickCase('additional_files: unusual ones that are valid', async () => {
    const server = await startForArguments();
    await server.acceptsBeside(content('x', null), 'the encoding null');
    await server.acceptsBeside(content('\0', 'utf-8'), 'content with a NUL');
    await server.acceptsBeside(files(), 'none');
    await server.acceptsBeside(files({ filename: 'a/b', content: 'x' }, { filename: 'a/c', content: 'y' }), 'two in one directory');
    await server.acceptsBeside(files(...Array.from({ length: 900 }, (_, i) => ({ filename: `f${i}`, content: '' }))), 'many');
});

quickCase('additional_files: no name twice, and no file that is a directory too', async () => {
    const server = await startForArguments();
    has(await server.say({ ...PROGRAM, ...files({ filename: 'a', content: 'x' }, { filename: 'a', content: 'y' }) }),
        "two files have the name 'a'", 'twice');
    has(await server.say({ ...PROGRAM, ...named('main.py') }), "two files have the name 'main.py'", 'the name of the entrypoint');
    has(await server.say({ ...PROGRAM, ...named('x.py'), entrypoint_filename: 'x.py' }), "two files have the name 'x.py'",
        'the chosen name of the entrypoint');
    has(await server.say({ snippet_name: 'hello.py', ...named('hello.py') }), "two files have the name 'hello.py'", 'the name of the snippet');
    has(await server.say({ ...PROGRAM, ...files({ filename: 'a/b', content: 'x' }, { filename: 'a', content: 'y' }) }),
        "'a' is the name of a file and of a directory of other files", 'a file and a directory');
    has(await server.say({ ...PROGRAM, ...named('main.py/x') }), "'main.py' is the name of a file and of a directory of other files",
        'the entrypoint and a directory');
});

quickCase('additional_files: more than fits into the working directory is refused', async () => {
    const server = await startForArguments();
    has(await server.say({ ...PROGRAM, ...content('x'.repeat(5 << 20), 'utf-8') }),
        "the files need 5.1 MB, more than the 4 MB of the working directory; 'a' has 5.0 MB; raise workdirMB in the configuration");
});

// ---- what the program gets

quickCase('stdin: any string', async () => {
    const server = await startForArguments();
    await server.refusesBeside({ stdin: 7 }, 'stdin must be a string', 'a number');
    await server.acceptsBeside({ stdin: 'a\0b\n' }, 'a NUL');
});

quickCase('arguments: strings without NUL', async () => {
    const server = await startForArguments();
    await server.refusesBeside({ arguments: 7 }, 'arguments must be an array of strings', 'a number');
    for (const value of [true, null, ['b']])
        await server.refusesBeside({ arguments: ['a', value] }, 'arguments[1] must be a string', JSON.stringify(value));
    await server.refusesBeside({ arguments: ['a', 'b\0'] }, 'arguments[1] must be a string without NUL characters', 'a NUL');
    await server.acceptsBeside({ arguments: ['', '-h', 'a b', '$(x)', '\n'] }, 'all kinds');
});

quickCase('environment: strings by names of variables', async () => {
    const server = await startForArguments();
    await server.refusesBeside({ environment: ['A=1'] }, 'environment must be an object with strings by name', 'an array');
    for (const value of [null, ['b']])
        await server.refusesBeside({ environment: { A: value } }, 'environment.A must be a string', JSON.stringify(value));
    await server.refusesBeside({ environment: { A: 'a\0' } }, 'environment.A must be a string without NUL characters', 'a NUL');
    await server.refusesBeside({ environment: { 'A=B': 'x' } }, "environment.A=B: the name of a variable cannot have '=' in it",
        'a name with =');
    for (const name of ['', '1A', 'A-B', 'A B', '$(x)'])
        has(await server.say({ ...PROGRAM, environment: { [name]: 'x' } }),
            `'${name}' is not the name of an environment variable: letters, digits, _`, `the name '${name}'`);
    has(await server.say({ ...PROGRAM, environment: { PPID: 'x' } }), "variable 'PPID' cannot be given", 'a name of the shell');
    await server.acceptsBeside({ environment: { A: '', _b1: 'a=b\n' } });
});

quickCase('limits: those with a maximum, and no others', async () => {
    const server = await startForArguments('2025-11-25', { memoryMB: 300, cpuSeconds: 2.5 });
    await server.acceptsBeside({ memory_mb: 300, cpu_seconds: 2.5 }, 'at the maximum');
    await server.acceptsBeside({ memory_mb: 6, cpu_seconds: 0.1 }, 'below it');
    await server.refusesBeside({ memory_mb: 301 }, 'memory_mb 301 MB is more than the configuration allows (maximums.memoryMB: 300)', 'memory');
    await server.refusesBeside({ cpu_seconds: 3 }, 'cpu_seconds 3 s is more than the configuration allows (maximums.cpuSeconds: 2.5)', 'CPU time');
    await server.refusesBeside({ cpu_seconds: 0 }, 'cpu_seconds cannot be 0, which means no limit: the configuration has a maximum ' +
        '(maximums.cpuSeconds: 2.5)', 'no limit');
    await server.refusesBeside({ memory_mb: true }, 'memory_mb must be a number', 'a boolean');
    for (const name of ['cpus', 'pids_limit'])
        await server.refusesBeside({ [name]: 10 }, `there is no argument '${name}'; known are: language, entrypoint_code, ` +
            'entrypoint_filename, additional_files, snippet_name, stdin, arguments, environment, artifacts, session, keep_processes, background, ' +
            'timeout_seconds, memory_mb, cpu_seconds', name);
});

quickCase('hosts: those that the configuration allows, and only if it allows some', async () => {
    const server = await startForArguments('2025-11-25', {}, { network: { allow: ['api.example.com:443', '*.files.example.com'] } });
    for (const hosts of [null, '', [], ['api.example.com'], ['API.example.com:443', 'a.files.example.com'], ['*.example.com'], '["api.example.com"]'])
        await server.acceptsBeside({ hosts }, JSON.stringify(hosts));
    for (const host of ['example.com', 'api.example.com:80', '*.example.org', '192.0.2.1', 'files.example.com'])
        await server.refusesBeside({ hosts: ['api.example.com', host] }, `hosts: '${host}' is not allowed by the configuration, which allows ` +
            'api.example.com (port 443), *.files.example.com (ports 80, 443)', host);
    await server.acceptsBeside({ hosts: 'api.example.com' }, 'text');
    await server.refusesBeside({ hosts: 'none' }, "hosts: 'none' is not allowed by the configuration, which allows " +
        'api.example.com (port 443), *.files.example.com (ports 80, 443)', 'another text');
    await server.refusesBeside({ hosts: ['https://api.example.com'] },
        "hosts[0]: 'https://api.example.com' is a URL or a path; write the host alone, like example.com", 'a URL');
    has(await (await startForArguments()).say({ ...PROGRAM, hosts: [] }), "there is no argument 'hosts'; known are: ", 'without a list');
});

quickCase('tools: servers that the configuration names, and only if it names some', async () => {
    const server = await startForArguments('2025-11-25', {}, {}, { tools: { one: { command: 'true' }, two: { command: 'true' } } });
    for (const tools of [null, '', [], ['one'], ['two', 'one', 'two'], '["one"]'])
        await server.acceptsBeside({ tools }, JSON.stringify(tools));
    await server.refusesBeside({ tools: ['one', 'three'] }, "tools[1]: there is no tool server 'three' for this program; there are: one, two", 'another');
    await server.acceptsBeside({ tools: 'one' }, 'text');
    await server.refusesBeside({ tools: 'none' }, "tools[0]: there is no tool server 'none' for this program; there are: one, two", 'another text');
    has(await (await startForArguments()).say({ ...PROGRAM, tools: [] }), "there is no argument 'tools'; known are: ", 'without servers');
});

quickCase('session: "new" or the id of a session', async () => {
    const server = await startForArguments();
    const id = '0123456789abcdef'.repeat(2);
    const unknown = 'there is no such session: it was closed or never opened; open one with "session": "new"';
    for (const value of ['New', 'mine', 7, true, id.toUpperCase(), `${id}0`])
        await server.refusesBeside({ session: value },
            'session must be "new" or the id of a session, which the call that opened it has returned', value);
    await server.acceptsBeside({ session: null, keep_processes: null }, 'null');
    await server.acceptsBeside({ session: 'new', keep_processes: true }, 'a new one');
    lacks(await server.say({ ...PROGRAM, session: 'new' }), 'session', 'no session if the program never began');
    await server.refusesBeside({ session: id }, unknown, 'an id that is none');
    await server.refuses({ entrypoint_code: '1', session: id }, unknown, 'likewise without a language');
    await server.refuses({ session: id }, NOTHING_TO_RUN, 'nothing but an id');
});

quickCase('keep_processes: only with session "new"', async () => {
    const server = await startForArguments();
    for (const args of [{}, { session: '0123456789abcdef'.repeat(2) }])
        await server.refusesBeside({ ...args, keep_processes: true },
            'keep_processes can be set only when a session is opened, with session "new"', JSON.stringify(args));
    await server.acceptsBeside({ keep_processes: false }, 'false');
    await server.refusesBeside({ session: 'new', keep_processes: 'yes' }, 'keep_processes must be true or false; text came, which is not that in JSON', 'a string');
});

quickCase('without sessions there are neither these arguments nor the second tool', async () => {
    const server = await startServer({ engine: false, config: { sessions: { max: 0 } } });
    await server.initialize('2025-11-25');
    const { result: { tools } } = await server.ask('tools/list');
    is(tools.map(({ name }) => name), ['execute_code', 'wait_job']);
    lacks(JSON.stringify(tools), 'session', 'nothing of sessions');
    lacks(JSON.stringify(tools), 'exception', 'nor of cells');
    has(summary(await server.ask('tools/call', { name: 'execute_code', arguments: { ...PROGRAM, session: 'new' } })),
        "there is no argument 'session'; known are: ");
    is(summary(await server.ask('tools/call', { name: 'close_session', arguments: { session: '0'.repeat(32) } })),
        "-32602 there is no tool 'close_session'; known are: execute_code, wait_job");
});

quickCase('close_session: the id of a session', async () => {
    const server = await startForArguments();
    const close = async (args) => summary(await server.ask('tools/call', { name: 'close_session', arguments: args }));
    const failure = 'error: Execution Failed (error): ';
    const noId = `${failure}session must be the id of a session, which the call that opened it has returned`;
    for (const args of [{}, null, { session: null }, { session: 'new' }, { session: 7 }, { session: '0'.repeat(31) }])
        is(await close(args), noId, JSON.stringify(args));
    is(await close({ session: '0'.repeat(32), sesion: '' }), `${failure}there is no argument 'sesion'; did you mean 'session'?`);
    is(await close({ session: '0'.repeat(32) }), `${failure}there is no such session: it was closed or never opened`);
});

quickCase('timeout_seconds: a number greater than 0', async () => {
    const server = await startForArguments();
    for (const value of ['0', '-1', '0.0', 'true', '[]'])
        await server.refusesBeside(`"timeout_seconds":${value}`, 'timeout_seconds must be a number of seconds greater than 0', value);
    await server.refusesBeside('"timeout_seconds":0.0001', 'timeout_seconds must be from 0.001 to 31622400 s', 'too short');
    for (const value of ['1', '0.5', '30', '31', '1e9', '1e300', '9007199254740993'])
        await server.acceptsBeside(`"timeout_seconds":${value}`, value);
});

// ---- how a revision says it

quickCase('wrong arguments are a result in the modern revision', async () => {
    const server = await startForArguments();
    is(await server.say({ ...PROGRAM, stdin: 7 }, `,"_meta":${JSON.stringify(meta('2026-07-28'))}`),
        'error: Execution Failed (error): stdin must be a string');
});

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18'])
    quickCase(`${version}: wrong arguments are an error of the protocol`, async () => {
        const server = await startForArguments(version);
        is(await server.say({ ...PROGRAM, stdin: 7 }), '-32602 stdin must be a string');
        is(await server.say({ language: 'x', entrypoint_code: '1' }), `-32602 unknown language 'x'; ${KNOWN_LANGUAGES}`);
        is(await server.say({}, ',"x":1'), `-32602 ${NOTHING_TO_RUN}`);
        is(await server.close(), 'exit 0');
        is(server.stderr(), '', 'nothing on stderr');
    });

await finish();
