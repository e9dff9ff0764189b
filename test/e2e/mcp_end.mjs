#!/usr/bin/env node
// isolator-mcp: how it ends, and what it does without what others have: closed pipes, signals, clients that do not read,
// no engine, no image, no environment. It ends with status 0 in the two seconds that hosts give it, whatever the engine
// does, and leaves no container.

import { existsSync, linkSync, mkdirSync } from 'node:fs';
import { finish, has, is, ok, quickCase, testCase, withinMemory } from '../mcp/cases.mjs';
import { brief, meta, startServer, summary } from '../mcp/pipe_client.mjs';
import { contentOf, docker, fullPipe, newPath, scratch, until, writeFile } from '../mcp/processes.mjs';

const NO_ENGINE = { engine: false };
const NO_DOCKER = { engine: false, config: { containerCommand: 'no-such-docker' } };

const call = (id, language, code) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call',
    params: { name: 'execute_code', arguments: { language, entrypoint_code: code, timeout_seconds: 900 } } });

async function startServing(options) {
    const server = await startServer(options);
    is(await server.tell(), '', 'it answers a ping');
    return server;
}

// ---- while calls run

for (const [how, end] of [['SIGTERM', (server) => server.signal('SIGTERM')], ['the end of input', (server) => server.closeInput()]])
    testCase(`${how} while a program runs`, async () => {
        const server = await startServer();
        await server.initialize('2025-11-25');
        server.shell('echo begun; sleep 1000', { token: 1 });
        await server.untilProgress(1, /^running; 6 /);
        await end(server);
        is(await server.end(), 'exit 0');
        is(await server.remainingContainers(), [], 'the container is gone');
    });

testCase('the engine is slow to create a container: what it finishes later is removed', { early: true }, async () => {
    const path = newPath('slow');
    const containerCommand = writeFile(path, `#!/bin/sh
        [ "$1" = run ] || exec "${docker}" "$@"
        : >"${path}.begun"
        exec 3<&0
        (
            until [ -e "${path}.go" ]; do sleep 0.1; done
            "${docker}" "$@" <&3
            : >"${path}.done"
        ) &
        wait\n`, 0o755);
    const server = await startServer({ config: { containerCommand } });
    server.shell('sleep 1000');
    await until(() => existsSync(`${path}.begun`), 'it begins');
    server.signal('SIGTERM');
    is(await server.end(), 'exit 0');
    writeFile(`${path}.go`, '');
    await until(() => existsSync(`${path}.done`), 'the engine finishes it');
    is(await server.remainingContainers(), [], 'the container is removed after the end of the server');
});

// ---- the engine hangs

for (const [step, how, end] of [
    ['run', 'SIGTERM', (server) => server.signal('SIGTERM')],
    ['run', 'the reader goes away', (server) => server.closeOutput()], // it sends progress every few seconds
    ['run', 'SIGINT', (server) => server.signal('SIGINT')],
])
    testCase(`docker ${step} hangs: ${how}`, async () => {
        const server = await startServer({ fault: `${step} * hang` });
        server.shell('sleep 1000', { token: 1 });
        await until(() => existsSync(`${server.calls}/${step}.1`), `${step} begins`);
        end(server);
        is(await server.end(), 'exit 0');
        is(await server.remainingContainers(), [], 'nothing is left');
    });

testCase('docker run hangs, with ten calls: the end of input', async () => {
    const server = await startServer({ fault: 'run * hang', config: { maxConcurrent: 2 } });
    for (let i = 0; i < 10; i++)
        server.shell('sleep 1000');
    is(await server.tell(), '', 'a ping is answered');
    await server.closeInput();
    is(await server.end(), 'exit 0');
    is((await server.rest()).filter((line) => line.includes('the server is shutting down')).length, 8, 'calls that waited get a response');
    has(server.stderr(), 'isolator-mcp: the engine took too long: 2 calls got no response\n', 'those that ran are counted');
});

// ---- the end of input

quickCase('the end of input at once', async () => {
    const server = await startServer(NO_ENGINE);
    is(await server.close(), 'exit 0');
    is(await server.rest(), [], 'nothing on stdout');
});

testCase('the end of input right after a call', async () => {
    const server = await startServer();
    server.send(call(2, 'busybox', 'sleep 1000'));
    await server.closeInput();
    is(await server.end(), 'exit 0');
});

quickCase('the end of input right after twenty calls: each is answered, and gets time to run', async () => {
    const server = await startServer(NO_DOCKER);
    const ids = Array.from({ length: 20 }, (_, i) => 10 + i);
    server.write([...ids.map((id) => call(id, 'python', '1')), '{"jsonrpc":"2.0","id":30,"method":"ping"}'].join('\n'));
    await server.closeInput();
    is(await server.end(), 'exit 0');
    const responses = (await server.rest()).filter((line) => !line.includes('"method"'));
    is(responses.map(brief).sort(), [...ids, 30].map((id) => `${id} ok`));
    ok(responses.some((line) => line.includes("cannot run 'no-such-docker'")), 'some have run', responses);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    quickCase(`${signal} to an idle server`, async () => {
        const server = await startServing(NO_ENGINE);
        server.signal(signal);
        is(await server.end(), 'exit 0');
        is([await server.rest(), server.stderr()], [[], ''], 'nothing is written');
    });

quickCase('SIGTERM within a line', async () => {
    const server = await startServing(NO_ENGINE);
    await server.write('{"jsonrpc":"2.0",');
    server.signal('SIGTERM');
    is(await server.end(), 'exit 0');
});

quickCase('two servers opened and closed at once, as hosts do that probe', async () => {
    const pair = [await startServer(NO_ENGINE), await startServer(NO_ENGINE)];
    for (const server of pair)
        server.request('server/discover', { _meta: meta('2026-07-28') }, 0);
    await Promise.all(pair.map((server) => server.closeInput()));
    for (const server of pair) {
        is(await server.end(), 'exit 0');
        is((await server.rest()).map(brief), ['0 ok'], 'the request is answered');
    }
});

// ---- closed streams

for (const [what, closed] of [['stdin', [0]], ['stdin and stdout', [0, 1]], ['stdin and stderr', [0, 2]], ['all streams', [0, 1, 2]]])
    quickCase(`${what} closed from the start`, async () => {
        const server = await startServer({ ...NO_ENGINE, closed });
        is(await server.end(), 'exit 0');
    });

quickCase('stdout closed from the start: it ends at the first response', async () => {
    const server = await startServer({ ...NO_ENGINE, closed: [1] });
    server.request('ping');
    is(await server.end(), 'exit 0');
});

quickCase('stderr closed from the start: it serves', async () => {
    const server = await startServer({ ...NO_ENGINE, closed: [2] });
    is(await server.tell('garbage'), '- -32700');
    is(await server.close(), 'exit 0');
});

quickCase('the reader of an idle server goes away: it ends at the next response', async () => {
    const server = await startServing(NO_ENGINE);
    server.closeOutput();
    server.request('ping');
    is(await server.end(), 'exit 0');
});

// ---- a host that does not read stderr

quickCase('--verbose with a stderr that is full and is not read: calls are answered', async () => {
    const server = await startServer({ ...NO_DOCKER, arguments: ['--verbose'], stderr: fullPipe() });
    for (const id of [1, 2, 3])
        has(summary(await server.runPython('1')), "cannot run 'no-such-docker'", `call ${id}`);
    is(await server.close(), 'exit 0');
});

testCase('--verbose with a stderr that is full and is not read: programs run', async () => {
    const server = await startServer({ arguments: ['--verbose'], stderr: fullPipe() });
    for (const number of [1, 2])
        is(summary(await server.runShell(`echo ${number}`)), `--- stdout ---\n${number}\n`);
    is(await server.close(), 'exit 0');
});

testCase('--verbose with a stderr that is full and is not read: SIGTERM while a program runs', async () => {
    const server = await startServer({ arguments: ['--verbose'], stderr: fullPipe() });
    await server.initialize('2025-11-25');
    server.shell('echo begun; sleep 1000', { token: 1 });
    await server.untilProgress(1, /^running; 6 /);
    server.signal('SIGTERM');
    is(await server.end(), 'exit 0');
});

// ---- a client that asks for much and then has enough

const manySnippets = newPath('many');
mkdirSync(manySnippets);
writeFile(`${manySnippets}/0.py`, '');
for (let i = 1; i < 4000; i++)
    linkSync(`${manySnippets}/0.py`, `${manySnippets}/${i}.py`);
const list = (id) => `{"jsonrpc":"2.0","id":${id},"method":"resources/list"}`;
const MUCH = {
    'lines': Array.from({ length: 400 }, (_, i) => `${list(i)}\n`).join(''),
    'batches': `[${Array.from({ length: 100 }, (_, i) => list(i)).join()}]\n`.repeat(4),
};
for (const [how, end] of [['SIGTERM', (server) => server.signal('SIGTERM')], ['the end of input', (server) => server.closeInput()]])
    for (const [what, data] of Object.entries(MUCH))
        quickCase(`${how} while the server works through many ${what}`, async () => {
            const server = await startServer({ ...NO_ENGINE, config: { promptsDir: manySnippets } });
            await server.initialize('2025-03-26');
            server.stopRecording();
            await server.write(data);
            await end(server);
            is(await server.end(), 'exit 0');
        });

// ---- a client that writes and does not read

testCase('a client that does not read: the server stops reading too, and answers all once the client reads', async () => {
    const server = await startServer(NO_ENGINE);
    const listTools = (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;
    const [expected] = await server.responses(listTools(0)); // validated, as what follows is not
    server.stopRecording();
    let allWritten = false;
    const written = server.write(Array.from({ length: 10000 }, (_, i) => `${listTools(i + 1)}\n`).join('')).then(() => { allWritten = true; });
    ok(await server.untilIdle(), 'the server stops');
    withinMemory(server.memory('VmHWM'), 30, 'memory in MB');
    is(allWritten, false, 'the client is not read from either');
    let right = 0;
    let wrong;
    for (let id = 1; id <= 10000; id++) {
        const line = await server.line();
        if (line === expected.replace('"id":0', `"id":${id}`))
            right++;
        else
            wrong ??= String(line).slice(0, 200);
    }
    is([right, wrong], [10000, undefined], 'all is answered in order');
    await written;
    withinMemory(server.memory('VmHWM'), 30, 'memory in MB at the end');
});

testCase('a flood of garbage from a client that does not read and goes away', async () => {
    const server = await startServer(NO_ENGINE);
    server.stopRecording();
    let allWritten = false;
    server.write('garbage\n'.repeat(1000000)).then((whole) => { allWritten = whole; });
    ok(await server.untilIdle(), 'the server stops');
    is(allWritten, false, 'the client is held up');
    withinMemory(server.memory('VmHWM'), 30, 'memory in MB');
    await server.closeInput({ abandon: true });
    is(await server.end(), 'exit 0');
});

// ---- no engine, no docker, no image, no environment

testCase('without an engine: initialize and lists are answered, and a call says what to do', async () => {
    const server = await startServer(NO_ENGINE);
    is(brief(await server.initialize('2025-11-25')), '1001 ok');
    is(brief(await server.ask('tools/list')), '1002 ok');
    is(brief(await server.ask('resources/list')), '1003 ok');
    const answer = summary(await server.runPython('1'));
    has(answer, 'error: Execution Failed (error): cannot start the container: ');
    has(answer, ' does not exist; unset DOCKER_HOST, or start the engine that it names');
    has(answer, 'only the user can fix it: tell the user');
});

quickCase('without the docker command', async () => {
    const server = await startServer(NO_DOCKER);
    has(summary(await server.runPython('1')), "error: Execution Failed (error): cannot run 'no-such-docker'");
});

testCase('without the image: the error says how to get it', async () => {
    const server = await startServer({ config: { languages: { python: { image: 'isolator-test/none:1' } } } });
    is(summary(await server.runPython('1')), "error: Execution Failed (error): image 'isolator-test/none:1' is not on the engine; " +
        'run: isolator pull python\n--- warnings ---\nonly the user can run this command: tell the user\n');
});

testCase('without an environment, in /: a program runs', async () => {
    const path = newPath('environment');
    const containerCommand = writeFile(`${path}.docker`, `#!/bin/sh\n/usr/bin/env >"${path}"\nexec "${docker}" "$@"\n`, 0o755);
    const server = await startServer({ bare: true, cwd: '/', config: { containerCommand }, env: { ISOLATOR_CONFIG: undefined } });
    is(summary(await server.runPython('print(6 * 7)')), '--- stdout ---\n42\n');
    has(contentOf(path), 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin\n', 'docker gets a PATH');
});

await finish();
