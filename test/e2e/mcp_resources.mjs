#!/usr/bin/env node
// isolator-mcp: what can be read besides calling the tool, byte by byte: snippets, their completion, cursors, and names
// that would lead out of promptsDir. No case needs the engine.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { encoded, finish, has, is, lacks, ok, quickCase, withinMemory } from '../mcp/cases.mjs';
import { meta, startServer, summary } from '../mcp/pipe_client.mjs';
import { newPath, scratch, writeFile } from '../mcp/processes.mjs';

const MODERN = meta('2026-07-28');

// ---- a promptsDir with everything in it that may be in a directory

const KIB = 1024;
const directory = `${scratch}/prompts`;
const inDirectory = (name) => `${directory}/${name}`;
for (const path of [directory, inDirectory('folder.py'), `${scratch}/outside`])
    mkdirSync(path);
writeFile(`${scratch}/secret.py`, "print('secret')\n");
writeFile(`${scratch}/outside/inner.py`, "print('secret')\n");
const files = {
    'hello.py': "#!/usr/bin/env python3\n# Says hello.\nprint('hello')\n",
    'plain.js': 'console.log(1)\n',
    'grüße an alle.py': "# Grüße\nprint('hallo')\n",
    'bytes.py': Buffer.from('# caf\xe9\n', 'latin1'),
    'empty.go': '',
    '-c.py': "print('dash')\n",
    '50%.py': "print('percent')\n",
    'notes.txt': 'no program, unless a language says so\n',
    'README.md': 'no program\n',
    'none': 'no extension\n',
    '.hidden.py': "print('hidden')\n",
    '.py': "print('hidden')\n",
    'large.py': `#${'x'.repeat(512 * KIB)}`,
    'quotes.py': '"'.repeat(512 * KIB),
    'most.py': '#'.repeat(512 * KIB),
    'folder.py/inner.py': "print('inner')\n",
};
for (const [name, content] of Object.entries(files))
    writeFile(inDirectory(name), content);
writeFile(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from('\xff.py', 'latin1')]), "print('a name that is not UTF-8')\n");
symlinkSync('../secret.py', inDirectory('link.py'));
symlinkSync(inDirectory('hello.py'), inDirectory('inside.py'));
symlinkSync(`${scratch}/outside`, inDirectory('outside'));
symlinkSync('nowhere', inDirectory('dangling.py'));
execFileSync('mkfifo', [inDirectory('fifo.py')]);

// One language more, whose files are texts.
const LANGUAGES = { text: { image: 'busybox', command: ['cat', '{entrypoint}'], extensions: ['.txt'], defaultFilename: 'main.txt' } };

async function startWithSnippets(promptsDir = directory) {
    const server = await startServer({ engine: false, config: { promptsDir, languages: LANGUAGES } });
    await server.initialize('2025-11-25');
    return server;
}

const read = (server, uri) => server.ask('resources/read', { uri });
const readSnippet = (server, name) => read(server, `isolator://snippets/${name}`);
const textOf = async (server, name) => (await readSnippet(server, name)).result?.contents[0].text ?? '(nothing)';

// ---- the list

quickCase('resources/list: the regular files of a language, sorted', async () => {
    const server = await startWithSnippets();
    const { resources } = (await server.ask('resources/list')).result;
    is(resources.map(({ name }) => name), ['-c.py', '50%.py', 'bytes.py', 'empty.go', 'grüße an alle.py', 'hello.py', 'large.py',
        'most.py', 'notes.txt', 'plain.js', 'quotes.py']);
    is(resources.filter(({ name }) => name === 'hello.py'), [{ uri: 'isolator://snippets/hello.py', name: 'hello.py',
        mimeType: 'text/x-python', description: 'Says hello.' }], 'one resource in full');
    is(['plain.js', 'notes.txt', 'empty.go'].map((wanted) => resources.find(({ name }) => name === wanted).mimeType),
        ['text/javascript', 'text/plain', 'text/x-go'], 'MIME types');
    is(resources.map(({ uri }) => uri).filter((uri) => uri.includes('%')),
        ['isolator://snippets/50%25.py', 'isolator://snippets/gr%C3%BC%C3%9Fe%20an%20alle.py'], 'escaped URIs');
});

quickCase('resources/templates/list: the template of the snippets', async () => {
    const server = await startWithSnippets();
    is((await server.ask('resources/templates/list')).result.resourceTemplates[0].uriTemplate, 'isolator://snippets/{snippet_name}');
});

quickCase('resources/list follows changes of the directory', async () => {
    const server = await startWithSnippets();
    const path = writeFile(inDirectory('new.py'), "print('new')\n");
    is(await textOf(server, 'new.py'), "print('new')\n", 'a new file');
    unlinkSync(path);
    is((await readSnippet(server, 'new.py')).error?.code, -32002, 'a removed file');
});

quickCase('resources/list: pages of 100', async () => {
    const many = newPath('many');
    mkdirSync(many);
    for (let i = 1; i <= 251; i++)
        writeFile(`${many}/s${String(i).padStart(3, '0')}.py`, '');
    const server = await startWithSnippets(many);
    const pages = [];
    const names = [];
    let cursor;
    do {
        const { resources, nextCursor } = (await server.ask('resources/list', { cursor })).result;
        pages.push(resources.length);
        names.push(...resources.map(({ name }) => name));
        cursor = nextCursor;
    } while (cursor !== undefined && pages.length < 9);
    is(pages, [100, 100, 51]);
    is(new Set(names).size, 251, 'each is listed once');
});

quickCase('lists refuse a cursor that is not theirs', async () => {
    const server = await startWithSnippets();
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list']) {
        const withCursor = (cursor) => server.tell(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"cursor":${cursor}}}`);
        for (const cursor of ['"nope"', '""', '7', '"../secret.py"', '"hello.py\\u0000"'])
            is(await withCursor(cursor), '1 -32602', `${method} ${cursor}`);
        is(await withCursor('null'), '1 ok', `${method}: null is no cursor`);
    }
});

quickCase('without promptsDir: an empty list and a warning', async () => {
    const server = await startWithSnippets(`${scratch}/nowhere`);
    is(await server.tell('{"jsonrpc":"2.0","id":1,"method":"resources/list"}'), '1 ok');
    is((await server.ask('resources/list')).result, { resources: [] });
    is(await server.close(), 'exit 0');
    is(server.stderr(), `isolator-mcp: warning: cannot read the snippets, promptsDir '${scratch}/nowhere': No such file or directory\n`);
});

// ---- reading

quickCase('resources/read: a snippet, byte by byte', async () => {
    const server = await startWithSnippets();
    is(await server.tellRaw('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"isolator://snippets/hello.py"}}'),
        '{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"isolator://snippets/hello.py","mimeType":"text/x-python",' +
        '"text":"#!/usr/bin/env python3\\n# Says hello.\\nprint(\'hello\')\\n"}]}}');
});

quickCase('resources/read: unusual names and contents', async () => {
    const server = await startWithSnippets();
    is(await textOf(server, 'gr%C3%BC%C3%9Fe%20an%20alle.py'), "# Grüße\nprint('hallo')\n", 'a blank and umlauts');
    is(await textOf(server, 'gr%c3%bc%c3%9fe%20an%20alle.py'), "# Grüße\nprint('hallo')\n", 'lower-case escapes');
    is(await textOf(server, '%68ello%2Epy'), "#!/usr/bin/env python3\n# Says hello.\nprint('hello')\n", 'unnecessary escapes');
    is(await textOf(server, '50%25.py'), "print('percent')\n", 'a percent sign');
    is(await textOf(server, '-c.py'), "print('dash')\n", 'a dash at the start');
    is(await textOf(server, 'empty.go'), '', 'an empty file');
    is(await textOf(server, 'bytes.py'), '# caf\ufffd\n', 'a file that is not UTF-8');
});

quickCase('resources/read: files up to 512 KiB that fit into one message', async () => {
    const server = await startWithSnippets();
    is((await textOf(server, 'most.py')).length, 512 * KIB, 'exactly 512 KiB');
    has(summary(await readSnippet(server, 'large.py')), "the snippet 'large.py' is larger than 512 KiB", 'larger');
    has(summary(await readSnippet(server, 'quotes.py')), 'the resource is too large for one message', 'too large once it is escaped');
});

const NOT_READ = [
    ['no-such.py', 'an unknown name'],
    ['', 'no name'],
    ['..', 'the parent directory'],
    ['.', 'the directory itself'],
    ['../secret.py', 'out of the directory'],
    ['%2e%2e%2fsecret.py', 'out of the directory, escaped'],
    ['..%2Fsecret.py', 'out of the directory, the slash escaped'],
    ['%2E%2E/secret.py', 'out of the directory, the dots escaped'],
    ['folder.py/../../secret.py', 'out of the directory through another'],
    ['outside/inner.py', 'through a linked directory'],
    ['outside%2finner.py', 'through a linked directory, escaped'],
    ['folder.py/inner.py', 'a file in a subdirectory'],
    ['folder.py', 'a directory'],
    ['folder.py/', 'a directory with a slash'],
    ['./hello.py', 'a path to a file'],
    ['hello.py/', 'a file with a slash'],
    ['%2fetc%2fpasswd', 'an absolute path'],
    ['link.py', 'a link out of the directory'],
    ['inside.py', 'a link within it'],
    ['dangling.py', 'a dangling link'],
    ['fifo.py', 'a FIFO'],
    ['.hidden.py', 'a hidden file'],
    ['README.md', 'a file of no language'],
    ['none', 'no extension'],
    ['%ff.py', 'a name that is not UTF-8'],
    ['hello.py%00', 'a NUL'],
    ['hello.py%00.py', 'a NUL within'],
    ['hello.p%79%', 'an escape that is cut off'],
    ['hello.p%7', 'half an escape at the end'],
    ['hello.p%zz', 'an invalid escape'],
    ['hello%252epy', 'escaped twice'],
    [`${'x'.repeat(300)}.py`, 'a name that is too long'],
    ['hello.py?x', 'a query'],
    ['HELLO.py', 'upper case'],
];
quickCase('resources/read refuses names that are no snippet, and shows nothing of other files', async () => {
    const server = await startWithSnippets();
    for (const [name, what] of NOT_READ) {
        const response = await readSnippet(server, name);
        is(response.error?.code, -32002, what);
        if (/secret|outside|link/.test(name))
            lacks(encoded(response), "secret')", `${what}: nothing of it`);
    }
});

quickCase('resources/read refuses URIs that are not its own', async () => {
    const server = await startWithSnippets();
    for (const [uri, what] of [['', 'empty'], ['file:///etc/passwd', 'a file'], ['isolator://snippets', 'no slash'],
        ['ISOLATOR://snippets/hello.py', 'capitals'], ['isolator://runs/', 'no run'],
        ['isolator://runs/0123456789abcdef/stdout', 'a run that never was'],
        ['isolator://runs/../snippets/hello.py', 'a path'],
        [`isolator://runs/${'x'.repeat(100000)}/stdout`, 'a very long one'],
        ['isolator://snippets/hello.py\n', 'a newline']])
        is((await read(server, uri)).error?.code, -32002, what);
});

quickCase('resources/read: the error in full, and the error code of each era', async () => {
    const server = await startWithSnippets();
    is(await server.tellRaw('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"isolator://x"}}'),
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"cannot read the resource: a resource URI begins with ' +
        'isolator://snippets/, isolator://inputs/ or isolator://runs/","data":{"uri":"isolator://x"}}}');
    is((await server.ask('resources/read', { uri: 'isolator://x', _meta: MODERN })).error?.code, -32602, 'modern');
    is((await server.ask('resources/read', { uri: 'isolator://snippets/hello.py', _meta: MODERN })).result?.ttlMs, 0,
        'a modern result may not be cached');
});

quickCase('resources/read refuses wrong params', async () => {
    const server = await startWithSnippets();
    for (const params of ['', ',"params":{}', ',"params":{"uri":7}', ',"params":{"uri":null}',
        ',"params":{"uri":"isolator://snippets/hello.py\\u0000"}'])
        is(await server.tell(`{"jsonrpc":"2.0","id":1,"method":"resources/read"${params}}`), '1 -32602', params);
});

quickCase('a batch of many resources/read is answered within the bound of waiting output', async () => {
    const promptsDir = newPath('long');
    mkdirSync(promptsDir);
    writeFile(`${promptsDir}/long.txt`, '"'.repeat(350 * KIB)); // 700 KiB as JSON
    const server = await startServer({ engine: false, config: { promptsDir, languages: LANGUAGES } });
    await server.initialize('2025-03-26');
    const ids = Array.from({ length: 60 }, (_, i) => i);
    server.send(JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, method: 'resources/read',
        params: { uri: 'isolator://snippets/long.txt' } }))));
    ok(await server.untilIdle(), 'the server waits for the client to read');
    withinMemory(server.memory('VmHWM'), 30, 'peak memory in MB');
    const responses = [];
    while (responses.length < ids.length)
        responses.push(...await server.message());
    is(responses.map(({ id }) => id), ids, 'all are answered in order');
    is(responses.filter(({ result }) => result.contents[0].text.length !== 350 * KIB), [], 'with the whole text');
    withinMemory(server.memory('VmHWM'), 30, 'peak memory in MB at the end');
});

// ---- completion

const REFERENCE = { type: 'ref/resource', uri: 'isolator://snippets/{snippet_name}' };

async function complete(server, value) {
    const response = await server.ask('completion/complete', { ref: REFERENCE, argument: { name: 'snippet_name', value } });
    return response.result?.completion ?? response;
}

quickCase('completion of snippet names', async () => {
    const server = await startWithSnippets();
    is(await complete(server, 'p'), { values: ['plain'], total: 1, hasMore: false });
    is(await complete(server, 'hello.py'), { values: ['hello.py'], total: 1, hasMore: false }, 'a whole name');
    is(await complete(server, 'gr'), { values: ['grüße an alle'], total: 1, hasMore: false }, 'umlauts');
    is(await complete(server, '../'), { values: [], total: 0, hasMore: false }, 'a path');
    is(await complete(server, '.h'), { values: [], total: 0, hasMore: false }, 'a hidden file');
    is((await complete(server, '')).total, 11, 'of nothing');
});

quickCase('completion: at most 100 values, and that there are more', async () => {
    const many = newPath('many');
    mkdirSync(many);
    for (let i = 1; i <= 240; i++)
        writeFile(`${many}/s${i}.py`, '');
    const server = await startWithSnippets(many);
    const { values, total, hasMore } = await complete(server, 's');
    is([values.length, total, hasMore], [100, 240, true]);
});

quickCase('completion refuses wrong params', async () => {
    const server = await startWithSnippets();
    const refused = async (params, what) => {
        is(await server.tell(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'completion/complete', params })), '1 -32602', what);
    };
    await refused({}, 'no reference');
    await refused({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } }, 'a prompt');
    await refused({ ref: { type: 'ref/resource', uri: 'x' }, argument: { name: 'snippet_name', value: '' } }, 'an unknown template');
    await refused({ ref: REFERENCE, argument: { name: 'x', value: '' } }, 'an unknown argument');
    await refused({ ref: REFERENCE }, 'no argument');
    await refused({ ref: REFERENCE, argument: { name: 'snippet_name', value: 7 } }, 'a value that is a number');
});

await finish();
