#!/usr/bin/env node
// isolator-mcp: files that calls name instead of sending them: those of inputsDir, and artifacts of earlier calls.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { finish, has, is, lacks, matches, ok, quickCase, testCase, within, withinMemory } from '../mcp/cases.mjs';
import { BUILT_IN, configFile, contentOf, isolator, isolatorMcp, newPath, scratch, writeFile } from '../mcp/processes.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';

const MESSAGE_MAX = 1000000;
const PART_MAX = 700000;

// ---- a directory with everything in it that may be in a directory

const directory = newPath('inputs');
const inDirectory = (name) => `${directory}/${name}`;
for (const path of [directory, inDirectory('2024'), inDirectory('2024/q 1'), inDirectory('.git')])
    mkdirSync(path);
writeFile(`${scratch}/secret.csv`, 'secret\n');
const TABLE = 'region,amount\nnorth,1\n';
const files = {
    'sales.csv': TABLE,
    '2024/q 1/sales.csv': 'q1\n',
    '100%?.txt': 'percent\n',
    'picture.bin': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    '.env': 'secret\n',
    '.git/config': 'secret\n',
    '2024/.hidden': 'secret\n',
};
for (const [name, content] of Object.entries(files))
    writeFile(inDirectory(name), content);
writeFile(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from('\xff.csv', 'latin1')]), 'a name that is not UTF-8\n');
symlinkSync('../secret.csv', inDirectory('link.csv'));
symlinkSync('sales.csv', inDirectory('inside.csv'));
symlinkSync('2024', inDirectory('linked'));
symlinkSync('/', inDirectory('root'));
execFileSync('mkfifo', [inDirectory('fifo.csv')]);
const NAMES = ['100%?.txt', '2024/q 1/sales.csv', 'picture.bin', 'sales.csv'];
const KNOWN = `known are: ${NAMES.join(', ')}`;

async function startWithInputs(inputsDir = directory) {
    const server = await startServer({ engine: false, config: { promptsDir: newPath('nothing'), inputsDir } });
    await server.initialize('2025-11-25');
    return server;
}

const read = (server, uri) => server.ask('resources/read', { uri });
const contentsOf = async (server, uri) => (await read(server, uri)).result?.contents[0];
const callWith = (server, uri, rest = {}) => server.ask('tools/call', { name: 'execute_code', arguments: { language: 'python',
    entrypoint_code: '', additional_files: [{ filename: 'x', uri, ...rest }] } });
const FAILED = 'error: Execution Failed (error): additional_files[0].uri: ';

// ---- the input files

quickCase('resources/list: the regular files below inputsDir, with size and type', async () => {
    const server = await startWithInputs();
    is((await server.ask('resources/list')).result, { resources: [
        { uri: 'isolator://inputs/100%25%3F.txt', name: '100%?.txt', mimeType: 'text/plain', size: 8 },
        { uri: 'isolator://inputs/2024/q%201/sales.csv', name: '2024/q 1/sales.csv', mimeType: 'text/csv', size: 3 },
        { uri: 'isolator://inputs/picture.bin', name: 'picture.bin', mimeType: 'image/png', size: 16 },
        { uri: 'isolator://inputs/sales.csv', name: 'sales.csv', mimeType: 'text/csv', size: 22 },
    ] });
});

quickCase('resources/list: many input files, page by page', async () => {
    const many = newPath('many');
    mkdirSync(many);
    for (let i = 0; i < 250; i++)
        writeFile(`${many}/${String(i).padStart(3, '0')}.csv`, '');
    const server = await startWithInputs(many);
    const pages = [];
    let params = {};
    do {
        const { resources, nextCursor } = (await server.ask('resources/list', params)).result;
        pages.push(resources.map(({ name }) => name));
        params = { cursor: nextCursor };
    } while (params.cursor);
    is(pages.map((page) => page.length), [100, 100, 50]);
    is(pages.flat(), Array.from({ length: 250 }, (_, i) => `${String(i).padStart(3, '0')}.csv`), 'each once and in order');
});

quickCase('the template of the input files, and its completion', async () => {
    const server = await startWithInputs();
    const { resourceTemplates } = (await server.ask('resources/templates/list')).result;
    const uri = 'isolator://inputs/{name}{?offset,length}';
    is(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ['isolator://snippets/{snippet_name}', uri,
        'isolator://runs/{id}/files/{name}{?offset,length}']);
    const complete = async (value, name = 'name') => (await server.ask('completion/complete',
        { ref: { type: 'ref/resource', uri }, argument: { name, value } })).result?.completion;
    is(await complete('2'), { values: ['2024/q 1/sales.csv'], total: 1, hasMore: false });
    is(await complete(''), { values: NAMES, total: 4, hasMore: false }, 'of nothing');
    is((await complete('.')).total, 0, 'of a hidden file');
    is((await complete('1', 'offset')).total, 0, 'of a number');
});

quickCase('the tool names the input files', async () => {
    const server = await startWithInputs();
    const { tools } = (await server.ask('tools/list')).result;
    const { uri } = tools[0].inputSchema.properties.additional_files.items.properties;
    is(uri.description, 'Instead of content: the uri of an artifact of an earlier call. Or isolator://inputs/NAME: ' +
        `${NAMES.join(', ')}.`);
});

quickCase('resources/read: input files, whole and in parts', async () => {
    const server = await startWithInputs();
    const uri = 'isolator://inputs/sales.csv';
    is(await contentsOf(server, uri), { uri, mimeType: 'text/csv', text: TABLE });
    is((await contentsOf(server, `${uri}?offset=7&length=6`)).text, 'amount', 'a part');
    is((await contentsOf(server, `${uri}?offset=14`)).text, 'north,1\n', 'the end');
    is((await contentsOf(server, 'isolator://inputs/100%25%3F.txt')).text, 'percent\n', 'escapes');
    is((await contentsOf(server, 'isolator://inputs/2024%2Fq%201%2f%73ales.csv')).text, 'q1\n', 'other escapes');
    is((await contentsOf(server, 'isolator://inputs/picture.bin?length=4')).blob, 'iVBORw==', 'bytes');
    is(summary(await read(server, `${uri}?offset=23`)), '-32002 cannot read the resource: it has only 22 bytes');
    is(summary(await read(server, `${uri}?from=1`)), '-32002 cannot read the resource: after the \'?\' of the URI of a file, only ' +
        'offset=NUMBER and length=NUMBER may follow');
});

const HOSTILE = ['', 'none', '..', '../secret.csv', '..%2Fsecret.csv', '%2e%2e/secret.csv', '2024/../../secret.csv', '/etc/passwd',
    '%2Fetc%2Fpasswd', 'link.csv', 'inside.csv', 'linked/q 1/sales.csv', 'root/etc/passwd', 'fifo.csv', '.env', '.git/config',
    '2024/.hidden', '2024', '2024/', './sales.csv', '2024//q 1/sales.csv', 'sales.csv/', 'sales.csv%00', '%', '%zz', '%FF.csv',
    'x'.repeat(300), `${'d/'.repeat(3000)}x`];

quickCase('names that lead elsewhere are refused, in a call as in resources/read', async () => {
    const server = await startWithInputs();
    for (const name of HOSTILE) {
        const uri = `isolator://inputs/${name}`;
        const shown = name.slice(0, 40);
        const refused = summary(await read(server, uri));
        matches(refused, /^-32002 cannot read the resource: there is no input file '/, shown);
        has(refused, KNOWN, shown);
        lacks(refused, 'secret\n', shown);
        is(summary(await callWith(server, uri)), refused.replace('-32002 cannot read the resource: ', FAILED), `${shown}, in a call`);
    }
});

quickCase('a name that is now a file and now a link never leads outside', async () => {
    const swapped = newPath('swapped');
    mkdirSync(swapped);
    const server = await startWithInputs(swapped);
    const place = `${swapped}/a.csv`;
    writeFile(`${swapped}/.file`, 'good');
    const responses = [];
    for (let i = 0; i < 300; i++) {
        const other = `${swapped}/.other`;
        if (i % 2)
            symlinkSync(`${scratch}/secret.csv`, other);
        else
            writeFile(other, 'good');
        const pending = server.ask('resources/read', { uri: 'isolator://inputs/a.csv' });
        renameSync(other, place);
        responses.push(await pending);
    }
    const texts = new Set(responses.map((response) => response.result?.contents[0].text ?? summary(response)));
    is([...texts].filter((text) => text !== 'good' && !text.startsWith('-32002 cannot read the resource: there is no input file')), []);
});

quickCase('wrong uris in a call', async () => {
    const server = await startWithInputs();
    const refused = async (uri, message, what) => is(summary(await callWith(server, uri)), FAILED + message, what);
    const other = 'must be isolator://runs/ID/files/NAME, as a result names it, or isolator://inputs/NAME';
    const unknown = 'this server knows no such run; copy the uri from the result of a call';
    is(summary(await callWith(server, '')),
        'error: Execution Failed (error): additional_files[0] must be an object with filename and either content or uri', 'nothing');
    await refused('file:///etc/passwd', other, 'another scheme');
    await refused('isolator://snippets/hello.py', other, 'a snippet');
    await refused('isolator://runs/0123456789abcdef/files/x', unknown, 'an unknown run');
    await refused('isolator://runs//files/x', unknown, 'no run');
    await refused('isolator://runs/..%2F/files/x', unknown, 'a path');
    await refused('isolator://inputs/sales.csv?offset=1', "a call gets the whole file; leave out the '?'", 'a part');
    is(summary(await callWith(server, 7)), 'error: Execution Failed (error): additional_files[0].uri must be a string', 'a number');
    is(summary(await callWith(server, 'isolator://inputs/sales.csv', { content: 'x' })),
        'error: Execution Failed (error): additional_files[0] must be an object with either content or uri, not both', 'both');
});

quickCase('without inputsDir there are no input files', async () => {
    const server = await startServer({ engine: false });
    await server.initialize('2025-11-25');
    is(summary(await callWith(server, 'isolator://inputs/sales.csv')),
        `${FAILED}there are no input files: the configuration has no inputsDir`);
    const { tools } = (await server.ask('tools/list')).result;
    is(tools[0].inputSchema.properties.additional_files.items.properties.uri.description,
        'Instead of content: the uri of an artifact of an earlier call.');
});

quickCase('--inputs comes before inputsDir; one that cannot be read is refused', async () => {
    const server = await startServer({ engine: false, config: { inputsDir: '/nowhere' }, arguments: ['--inputs', directory] });
    await server.initialize('2025-11-25');
    is((await contentsOf(server, 'isolator://inputs/sales.csv')).text, TABLE);
    const start = (...args) => {
        const { status, stdout, stderr } = spawnSync(isolatorMcp, ['--config', configFile({}, BUILT_IN), ...args], { input: '', encoding: 'utf8' });
        return `${status}|${stdout}|${stderr}`;
    };
    is(start('--inputs', `${scratch}/nowhere`),
        `2||isolator-mcp: cannot open the directory of --inputs '${scratch}/nowhere': No such file or directory\n`, 'no directory');
    is(start('--inputs', inDirectory('sales.csv')),
        `2||isolator-mcp: cannot open the directory of --inputs '${inDirectory('sales.csv')}': Not a directory\n`, 'a file');
    is(start('--inputs'), "2||isolator-mcp: option '--inputs' needs a value\n", 'no value');
    const entry = start('--inputs', inDirectory('linked'), '--print-config', 'cursor').split('|')[1];
    is(JSON.parse(entry).mcpServers.isolator.args.slice(2), ['--inputs', inDirectory('2024')], '--print-config passes it on');
});

quickCase('an inputsDir that cannot be read is a warning', async () => {
    const server = await startWithInputs('/nowhere');
    is((await server.ask('resources/list')).result.resources, []);
    await server.close();
    has(server.stderr(), "isolator-mcp: warning: cannot read the files of inputsDir '/nowhere': No such file or directory\n");
});

quickCase('a large input file is read in parts', async () => {
    const large = newPath('large');
    mkdirSync(large);
    const bytes = Buffer.alloc(2 * PART_MAX + 5, 'äx');
    writeFile(`${large}/large.txt`, bytes);
    const server = await startWithInputs(large);
    const uri = 'isolator://inputs/large.txt';
    is(summary(await read(server, uri)), `-32002 cannot read the resource: it has ${bytes.length} bytes, too many for one message; ` +
        `read it in parts: append ?offset=0&length=${PART_MAX}, and so on`);
    is(summary(await read(server, `${uri}?length=${PART_MAX + 1}`)), `-32002 cannot read the resource: length can be at most ${PART_MAX}`);
    const parts = [];
    for (let offset = 0; offset < bytes.length; offset += parts.at(-1).length) {
        const response = await read(server, `${uri}?offset=${offset}`);
        within(JSON.stringify(response).length, 1, MESSAGE_MAX, 'bytes of the message');
        const { text, blob } = response.result.contents[0];
        parts.push(text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text));
    }
    ok(Buffer.concat(parts).equals(bytes), 'together they are the file');
});

quickCase('isolator batch takes no uris', async () => {
    const { stdout } = spawnSync(isolator, ['batch', '--config', configFile({}, BUILT_IN)], { encoding: 'utf8', input: JSON.stringify({
        language: 'python', entrypoint_code: '', additional_files: [{ filename: 'x', uri: 'isolator://inputs/sales.csv' }] }) });
    is(JSON.parse(stdout).error, 'additional_files[0].uri: only calls of isolator-mcp can name files; give content');
});

// ---- calls

const MIB = 1 << 20;

async function startWithEngine(config = {}) {
    const server = await startServer({ config: { promptsDir: newPath('nothing'), inputsDir: directory, ...config } });
    await server.initialize('2025-11-25');
    return server;
}

const submit = (server, code, additional_files = [], artifacts = []) => server.call({ language: 'busybox', entrypoint_code: code,
    additional_files, artifacts });
const shell = (server, ...args) => server.response(submit(server, ...args));
const stdoutOf = ({ result }) => result.structuredContent.stdout;
const uriOf = ({ result }) => result.structuredContent.artifacts[0].uri;

testCase('a call gets input files and artifacts of earlier calls', async () => {
    const server = await startWithEngine();
    const first = await shell(server, 'cat a/b.csv c; cat a/b.csv c >"both %?.csv"', [
        { filename: 'a/b.csv', uri: 'isolator://inputs/2024/q%201/sales.csv' },
        { filename: 'c', uri: 'isolator://inputs/sales.csv' }], ['*.csv']);
    const whole = `q1\n${TABLE}`;
    is(stdoutOf(first), whole);
    const uri = uriOf(first);
    matches(uri, /^isolator:\/\/runs\/[0-9a-f]{16}\/files\/both%20%25%3F\.csv$/, 'the uri of the artifact');
    has(first.result.content[0].text, `--- artifacts ---\nboth %?.csv (text/csv, 25 bytes)\nIn a later call: "additional_files": ` +
        `[{"filename": "both %?.csv", "uri": "${uri}"}]\n`, 'the text says how to use it');
    is(stdoutOf(await shell(server, 'cat x; echo more >>x; wc -l <x', [{ filename: 'x', uri }])), `${whole}4\n`, 'a later call');
    is(stdoutOf(await shell(server, 'cat x', [{ filename: 'x', uri }])), whole, 'and another: the program had a copy');
    is((await contentsOf(server, uri)).text, whole, 'it can be read');
    is(summary(await shell(server, 'true', [{ filename: 'x', uri: uri.replace('both', 'other') }])),
        `${FAILED}the run '${uri.split('/')[3]}' has no 'files/other %?.csv'; it has: files/both %?.csv`, 'another name');
    is(contentOf(inDirectory('sales.csv')), TABLE, 'the input file is as it was');
});

testCase('an artifact of 60 MB is a link, is read in parts and used by later calls; the server stays small', async () => {
    const server = await startWithEngine({ defaults: { memoryMB: 512, timeoutSeconds: 300 } });
    const made = await shell(server, 'head -c 62000000 /dev/urandom >big.bin; sha256sum <big.bin', [], ['big.bin']);
    const [{ sha256, bytes, uri }] = made.result.structuredContent.artifacts;
    is([bytes, `${sha256}  -\n`], [62000000, stdoutOf(made)], 'size and digest');
    const [, link] = made.result.content;
    is([link.type, link.uri, link.size], ['resource_link', uri, 62000000], 'a link');
    has(link.description, '?offset=N&length=N', 'it says how to read a part');
    const used = await shell(server, 'sha256sum <copy.bin', [{ filename: 'copy.bin', uri }]);
    is(stdoutOf(used), stdoutOf(made), 'a later call gets the same bytes');
    withinMemory(server.memory('VmHWM'), 30, 'peak memory in MB');
    const hash = createHash('sha256');
    for (let offset = 0; offset < bytes; offset += PART_MAX)
        hash.update(Buffer.from((await contentsOf(server, `${uri}?offset=${offset}&length=${PART_MAX}`)).blob, 'base64'));
    is(hash.digest('hex'), sha256, 'all parts together');
    if (!process.env.ISOLATOR_SANITIZED) // a sanitizer keeps what was freed
        withinMemory(server.memory('VmHWM'), 30, 'peak memory in MB after all parts');
});

testCase('twenty artifacts of 10 MB each are kept, and not in memory', async () => {
    const server = await startWithEngine();
    const uris = [];
    for (let i = 0; i < 20; i++)
        uris.push(uriOf(await shell(server, `echo ${i} >n; head -c 10000000 /dev/zero >>n`, [], ['n'])));
    for (const [i, uri] of uris.entries()) {
        const { blob } = await contentsOf(server, `${uri}?length=5`);
        is(Buffer.from(blob ?? '', 'base64').toString(), `${i}\n`.padEnd(5, '\0'), `of call ${i}`);
    }
    withinMemory(server.memory('VmHWM'), 30, 'peak memory in MB');
});

testCase('the oldest artifacts make room, and naming one that is gone says so', async () => {
    const server = await startWithEngine({ maxStoredBytes: 3 * MIB });
    const make = async (name) => uriOf(await shell(server, `head -c ${2 * MIB - 100} /dev/zero >${name}`, [], [name]));
    const first = await make('first');
    is(stdoutOf(await shell(server, 'wc -c <x', [{ filename: 'x', uri: first }])), `${2 * MIB - 100}\n`, 'it is there');
    const second = await make('second');
    const gone = `the files of the run '${first.split('/')[3]}' are gone: newer ones needed their room; run the program again`;
    is(summary(await shell(server, 'true', [{ filename: 'x', uri: first }])), FAILED + gone, 'in a call');
    is(summary(await read(server, first)), `-32002 cannot read the resource: ${gone}`, 'in resources/read');
    is(stdoutOf(await shell(server, 'wc -c <x', [{ filename: 'x', uri: second }])), `${2 * MIB - 100}\n`, 'the newer one is there');
    const large = await shell(server, `head -c ${4 * MIB} /dev/zero >large`, [], ['large']);
    has(large.result.content[0].text, "the artifact 'large' is omitted: it exceeds the limit maxArtifactBytes", 'more than can be kept');
});

testCase('a file that does not fit into the working directory is refused with its name', async () => {
    const sparse = newPath('sparse');
    mkdirSync(sparse);
    const fd = openSync(`${sparse}/huge.csv`, 'w');
    ftruncateSync(fd, 65 * MIB);
    closeSync(fd);
    const server = await startWithEngine({ inputsDir: sparse });
    is(summary(await shell(server, 'true', [{ filename: 'd/x', uri: 'isolator://inputs/huge.csv' }])), 'error: Execution Failed (error): ' +
        "the files need 65.1 MB, more than the 64 MB of the working directory; 'd/x' has 65.0 MB; " +
        'raise workdirMB in the configuration');
});

testCase('a file that shrinks while its call waits is an error; one that is replaced is not', async () => {
    const changing = newPath('changing');
    mkdirSync(changing);
    for (const name of ['shrinks', 'replaced', 'grows'])
        writeFile(`${changing}/${name}`, 'old content\n');
    const server = await startWithEngine({ inputsDir: changing, maxConcurrent: 1 });
    const busy = submit(server, 'sleep 3');
    const waiting = ['shrinks', 'replaced', 'grows'].map((name) => submit(server, 'cat x',
        [{ filename: 'x', uri: `isolator://inputs/${name}` }]));
    await server.ask('ping'); // all calls were read
    writeFile(`${changing}/shrinks`, 'new\n');
    unlinkSync(`${changing}/replaced`);
    symlinkSync(`${scratch}/secret.csv`, `${changing}/replaced`);
    writeFile(`${changing}/grows`, 'old content\nand more\n');
    await server.response(busy);
    const [shrunk, replaced, grown] = [await server.response(waiting[0]), await server.response(waiting[1]), await server.response(waiting[2])];
    is(summary(shrunk), "error: Execution Failed (error): 'x' shrank while it was read");
    is([stdoutOf(replaced), stdoutOf(grown)], ['old content\n', 'old content\n'], 'as it was when the call came');
});

await finish();
