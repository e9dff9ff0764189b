#!/usr/bin/env node
// isolator-mcp: calls of execute_code while they wait and run, byte by byte: cancellation, the bounds of the queue,
// progress, what reaches the program, calls that run side by side.

import { mkdirSync } from 'node:fs';
import { encoded, finish, has, is, lacks, ok, quickCase, testCase } from '../mcp/cases.mjs';
import { brief, startServer, summary } from '../mcp/pipe_client.mjs';
import { scratch, writeFile } from '../mcp/processes.mjs';

const SNIPPET = 'grüße an alle.py';
mkdirSync(`${scratch}/prompts`);
writeFile(`${scratch}/prompts/${SNIPPET}`, "import sys\nprint('snippet', sys.argv[0])\n");

const SOME_OUTPUT = /^running; [1-9]/;
const WRITES_ON = 'while echo on; do sleep 1; done';

async function start(config = {}, options = {}, version = '2025-11-25') {
    const server = await startServer({ config, ...options });
    await server.initialize(version);
    return server;
}

const progressOf = (messages, token) => messages.filter(({ method, params }) =>
    method === 'notifications/progress' && encoded(params.progressToken) === encoded(token)).map(({ params }) => params);

function rises(progress) {
    const values = progress.map((params) => params.progress);
    return values.length > 0 && values.every((value, i) => i === 0 || value > values[i - 1]);
}

// ---- the queue

testCase('one call runs, one waits, the third is refused', async () => {
    const server = await start({ maxConcurrent: 1, maxQueued: 1 });
    server.shell(WRITES_ON, { token: 0 });
    await server.untilProgress(0, SOME_OUTPUT);
    is((await server.containers()).length, 1, 'it has a container');
    server.shell('echo waits');
    is(summary(await server.runShell('echo too many')), 'error: Execution Failed (error): too busy: 1 programs are running and 1 are waiting, ' +
        'and no more are allowed; try again when some have ended');
    is(await server.tell(), '', 'a ping is answered meanwhile');
});

testCase('a call that waits is cancelled without a response', async () => {
    const server = await start({ maxConcurrent: 1, maxQueued: 1 });
    server.shell(WRITES_ON, { token: 0 });
    await server.untilProgress(0, SOME_OUTPUT);
    const waiting = server.shell('echo waits');
    server.cancel(waiting);
    is(await server.tell(), '', 'no response');
    server.shell('echo waits', { token: 7 });
    await server.untilProgress(7, /^waiting; 0 more calls wait before it$/);
});

testCase('a cancellation names the id with its type; others change nothing', async () => {
    const server = await start({ maxConcurrent: 1 });
    server.shell(WRITES_ON, { token: 0, id: 20 });
    server.shell('echo waits', { id: '8' });
    await server.untilProgress(0, SOME_OUTPUT);
    const containers = await server.containers();
    for (const id of ['20', 8, 99, -1, 'nope'])
        server.cancel(id);
    is(await server.tell(), '', 'no response');
    is(await server.containers(), containers, 'the call still runs');
    server.cancel(20);
    is(summary(await server.response('8')), '--- stdout ---\nwaits\n', 'the other still waits');
});

testCase('a running call is cancelled: its container goes, the next call begins, and nothing is answered', async () => {
    const server = await start({ maxConcurrent: 1 });
    const first = server.shell(WRITES_ON, { token: 0 });
    await server.untilProgress(0, SOME_OUTPUT);
    const [container] = await server.containers();
    const second = server.shell('echo next', { token: 1 });
    await server.untilProgress(1, /^waiting; 0 more calls wait before it$/);
    server.cancel(first);
    await server.untilProgress(1, /^starting a fresh container$/);
    const before = progressOf(server.takeOthers(), 0);
    is(summary(await server.response(second)), '--- stdout ---\nnext\n');
    is(server.takeOthers().filter(({ method }) => method !== 'notifications/progress'), [], 'no response to the first');
    is(before.length > 0, true);
    lacks((await server.containers()).join(' '), container, 'its container is gone');
});

testCase('calls of one id are all cancelled; a batch is answered when its other calls are', async () => {
    const server = await start({ maxConcurrent: 1, engineTimeoutSeconds: 1 }, { fault: 'run * hang' }, '2025-03-26');
    const call = (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"execute_code",` +
        '"arguments":{"language":"python","entrypoint_code":"1"}}}';
    server.send(`[${call(1)},${call(2)},{"jsonrpc":"2.0","id":3,"method":"ping"}]`);
    server.cancel(1);
    is(await server.tell(), '', 'a batch whose first call is cancelled waits for the second');
    server.cancel(2);
    is(brief(await server.line()), '[3 ok]', 'when both are cancelled, the rest is answered');
    server.send(`[${call(1)}]`);
    server.send(call(1));
    is(await server.tell(), '', 'two calls of one id wait');
    server.cancel(1);
    is(await server.tell(), '', 'both are cancelled');
});

testCase('the engine loses one of two calls: the other runs on', { early: true }, async () => {
    const server = await start({ maxConcurrent: 2, maximums: { timeoutSeconds: 20 } }, { fault: 'run 1 fail' });
    const ids = [1, 2].map(() => server.shell('echo begun; sleep 1000'));
    const responses = [await server.response(ids[0]), await server.response(ids[1])];
    const [kept, lost] = responses.sort((a, b) => summary(b).includes('(timeout)') - summary(a).includes('(timeout)'));
    is(summary(kept), 'error: Execution Failed (timeout): program did not end within 20 s\n\n--- stdout ---\nbegun\n',
        'its timeout is lowered to the maximum');
    const { status, exitCode, reason } = kept.result.structuredContent;
    is([status, exitCode, reason], ['timeout', 137, 'timeout'], 'its outcome');
    is([lost.result.structuredContent.status, lost.result.structuredContent.reason], ['error', 'engine'], 'the lost one is a tool error');
    is([kept.result.isError, lost.result.isError], [true, true], 'isError');
});

// ---- what reaches the program

testCase('a call of 60 MB with arguments of all kinds reaches the program', async () => {
    const server = await start();
    const code = ['import os, sys', 'sys.path.insert(0, os.getcwd())', 'import pkg', 'sys.stdout.reconfigure(encoding="utf-8")',
        'print(sys.argv)', 'print(ascii(os.environ["WORD"]), ascii(os.environ["EMPTY"]))', 'print(ascii(sys.stdin.read()))',
        'print(pkg.name)', 'print(open("data/sub folder/x.bin", "rb").read())',
        'print(ascii(open("text.txt", encoding="utf-8").read()))', 'print(len(open("large.txt").read()))',
        'print(ascii("\ud83d \u{1f600}"))'].join('\n');
    server.write('{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"execute_code","arguments":{' +
        '"language":"python","entrypoint_filename":"deep/er/run.py","timeout_seconds":900,"snippet_name":null,' +
        '"arguments":["-x","a b","","$(id)","gr\\u00fc\\u00dfe"],"environment":{"WORD":"a=b \\u20ac","EMPTY":""},' +
        '"stdin":"one\\u0000\\ntwo","additional_files":[' +
        '{"filename":"pkg/__init__.py","content":"name = \'a module\'"},' +
        '{"filename":"data/sub folder/x.bin","content":"AAH/gA==","encoding":"base64"},' +
        '{"filename":"text.txt","content":"half \\ud83d.","encoding":null},' +
        '{"filename":"large.txt","content":"');
    const escapes = Buffer.from('\\u0041'.repeat(100000));
    for (let i = 0; i < 100; i++)
        await server.writeUnrecorded(escapes);
    server.send(`"}],"entrypoint_code":${JSON.stringify(code)}}}}`);
    is(await server.tell(), '', 'a ping is answered meanwhile');
    is(summary(await server.response(22)), "--- stdout ---\n['deep/er/run.py', '-x', 'a b', '', '$(id)', 'grüße']\n" +
        "'a=b \\u20ac' ''\n'one\\x00\\ntwo'\na module\nb'\\x00\\x01\\xff\\x80'\n'half \\ufffd.'\n10000000\n'\\ufffd \\U0001f600'\n");
});

testCase('a snippet runs under its name', async () => {
    const server = await start({ promptsDir: `${scratch}/prompts` });
    is(summary(await server.response(server.call({ snippet_name: SNIPPET, timeout_seconds: 900 }))), `--- stdout ---\nsnippet ${SNIPPET}\n`);
});

testCase('a program that the image cannot execute', async () => {
    const image = 'isolator-test/busybox:1';
    const server = await start({ languages: { other: { image, command: ['python9', '{entrypoint}'], extensions: ['.other'], defaultFilename: 'main.other' } } });
    const response = await server.response(server.call({ language: 'other', entrypoint_code: '1' }));
    const { status, exitCode, reason, durationMs, error } = response.result.structuredContent;
    is([status, exitCode, reason, durationMs], ['error', -1, 'command', 0]);
    is(error, `cannot execute 'python9' in the image '${image}': No such file or directory`);
    is(summary(response), `error: Execution Failed (error): ${error}`, 'the text for the model');
});

// ---- progress

testCase('progress of a call that waits, begins, runs and ends', async () => {
    const server = await start({ maxConcurrent: 1 });
    const first = server.shell(WRITES_ON, { token: 0 });
    await server.untilProgress(0, SOME_OUTPUT);
    const token = 't\u00f6k"en';
    const second = server.shell('echo one; sleep 2; echo two', { token });
    await server.untilProgress(token, /^waiting; 0 more calls wait before it$/);
    server.cancel(first);
    await server.untilProgress(token, SOME_OUTPUT);
    await server.response(second);
    const third = server.shell('sleep 1', { token: 7 });
    const messages = server.takeOthers();
    is(progressOf(messages, 0)[0].message, 'starting a fresh container', 'the first message');
    ok(rises(progressOf(messages, 0)), 'it rises for the token 0', progressOf(messages, 0));
    ok(rises(progressOf(messages, token)), 'it rises for a token that is a string', progressOf(messages, token));
    const texts = progressOf(messages, token).map(({ message }) => message);
    is([...new Set(texts.slice(0, texts.indexOf('starting a fresh container')))], ['waiting; 0 more calls wait before it'], 'while it waits');
    await server.response(third);
    const later = server.takeOthers();
    is(progressOf(later, token), [], 'none after the response');
    ok(rises(progressOf(later, 7)), 'it rises for the next call', later);
    is([await server.close(), server.stderr()], ['exit 0', ''], 'nothing on stderr');
});

testCase('progress comes sooner than every three seconds when there is output', async () => {
    const server = await start();
    server.shell(WRITES_ON, { token: 0 });
    await server.untilProgress(0, SOME_OUTPUT);
    let gap = Infinity;
    for (let last = -Infinity, i = 0; gap >= 2.9 && i < 100; i++) {
        const { progress } = await server.untilProgress(0, SOME_OUTPUT);
        gap = progress - last;
        last = progress;
    }
    ok(gap < 2.9, 'seconds between two', gap);
});

testCase('2024-11-05: progress has no message, and results no structured content', async () => {
    const server = await start({}, {}, '2024-11-05');
    const failing = await server.runShell('printf out; echo err >&2; exit 3', { token: -5 });
    is(summary(failing), 'error: Execution Failed (error): program exited with status 3\n\n--- stdout ---\nout\n--- stderr ---\nerr\n');
    is(Object.keys(failing.result).sort(), ['content', 'isError']);
    const progress = progressOf(server.takeOthers(), -5);
    ok(rises(progress), 'progress rises', progress);
    is(progress.filter((params) => 'message' in params), [], 'no message with it');
    is(summary(await server.runShell(':')), '(no output)', 'a program that writes nothing');
    is(server.takeOthers(), [], 'no progress without a token');
});

quickCase('a token that is neither a string nor an integer gets no progress', async () => {
    const server = await start({ containerCommand: 'no-such-docker' }, { engine: false });
    for (const token of ['null', '1.5', '{}', '[]', 'true']) {
        server.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":' +
            `{"language":"python","entrypoint_code":"1"},"_meta":{"progressToken":${token}}}}`);
        has(summary(await server.response(1)), "cannot run 'no-such-docker'");
        is(server.takeOthers(), [], token);
    }
});

quickCase('progress of a call in a batch is sent by itself', async () => {
    const server = await start({ containerCommand: 'no-such-docker' }, { engine: false }, '2025-03-26');
    server.send('[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":' +
        '{"language":"python","entrypoint_code":"1"},"_meta":{"progressToken":1}}}]');
    is(brief(await server.line()), 'notifications/progress');
    is(brief(await server.line()), '[1 ok]', 'and its response as a batch');
});

await finish();
