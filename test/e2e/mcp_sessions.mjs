#!/usr/bin/env node
// isolator-mcp: sessions, byte by byte: what stays and what does not, the order of calls, cancellation and timeouts, how
// sessions end, and that nobody else gets into one.

import { randomInt } from 'node:crypto';
import { finish, has, is, lacks, matches, ok, testCase } from '../mcp/cases.mjs';
import { meta, startServer, summary } from '../mcp/pipe_client.mjs';
import { containersOf, dockerLines, until } from '../mcp/processes.mjs';
import { partsOf } from '../mcp/sessions.mjs';

const KEPT = 'variables and files are kept';
const UNKNOWN = 'error: Execution Failed (error): there is no such session: it was closed or never opened';
const OPEN = '; open one with "session": "new"'; // where a call needs one

async function start(config = {}, options = {}) {
    const server = await startServer({ config, ...options });
    await server.initialize('2025-11-25');
    return server;
}

// What a call returns: {failure, session, kept, stdout, stderr, value, ...} of its text, and its structuredContent.
async function callOf(server, args, options) {
    const response = await server.response(server.call({ timeout_seconds: 300, ...args }, options));
    const { structuredContent, ...result } = response.result;
    return { ...partsOf(result), text: result.content[0].text, result: structuredContent };
}

// Opens a session; `run` runs code in it.
async function open(server, code = 'None', args = {}) {
    const first = await callOf(server, { language: 'python', session: 'new', entrypoint_code: code, ...args });
    matches(first.session, /^[0-9a-f]{32}$/, 'a session is opened');
    const id = first.session;
    const run = (next, more = {}, options = {}) => callOf(server, { session: id, entrypoint_code: next, ...more }, options);
    return { id, first, run, begin: (next, options, more = {}) => server.call({ session: id, entrypoint_code: next, ...more }, options) };
}

const close = async (server, id) =>
    summary(await server.ask('tools/call', { name: 'close_session', arguments: { session: id } }));

const guessed = () => Array.from({ length: 32 }, () => randomInt(16).toString(16)).join('');

// ---- what stays

testCase('all calls of a session have one container, which no other call gets', async () => {
    const server = await start();
    const { first, run } = await open(server);
    const names = [first.result.container, (await run('1')).result.container, (await run('2')).result.container];
    is(new Set(names).size, 1, 'the session');
    const plain = await callOf(server, { language: 'python', entrypoint_code: '1' });
    const other = await open(server);
    is(new Set([names[0], plain.result.container, other.first.result.container]).size, 3, 'others have others');
});

testCase('the hosts of a session are those of the call that opened it', async () => {
    const server = await start({ defaults: { network: { allow: ['a.example', 'b.example:443'] } } });
    const LOOK = `import os, urllib.request
def look():
    try: urllib.request.urlopen("http://a.example/")
    except Exception as e: return "http_proxy" in os.environ, e.read().decode().strip() if hasattr(e, "read") else ""`;
    const refused = '(True, \'isolator: host \\\'a.example\\\' with port 80 is not in "hosts" of the request\')';
    const others = 'hosts can be set only when a session is opened; leave it out, or repeat what the session was opened with';
    const narrow = await open(server, LOOK, { hosts: ['b.example'] });
    is((await narrow.run('look()')).value.trim(), refused, 'without the argument');
    is((await narrow.run('look()', { hosts: ['b.example'] })).value.trim(), refused, 'the same');
    for (const hosts of [['a.example'], ['a.example', 'b.example'], []])
        has((await narrow.run('look()', { hosts })).text, others, JSON.stringify(hosts));
    const none = await open(server, LOOK, { hosts: [] });
    is((await none.run('look()')).value.trim(), "(False, '')", 'no host at all');
    has((await none.run('look()', { hosts: ['a.example'] })).text, others, 'a host later');
});

testCase('two sessions and a call without one see nothing of each other', async () => {
    const LEAVE = `import os, sys
for directory in ("/workspace", "/tmp", "/dev/shm"): open(directory + "/left-by-me", "w").close()
os.environ["LEFT"] = "left-by-me"
left = "left-by-me"
sys.left = left`;
    const LOOK = `import os, sys
seen = [name for directory in ("/workspace", "/tmp", "/dev/shm") for name in os.listdir(directory) if name.startswith("left")]
seen += [os.environ.get("LEFT"), globals().get("left"), getattr(sys, "left", None)]
others = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) not in (1, os.getpid())]
print(seen, others)`;
    const server = await start();
    const one = await open(server, LEAVE, { keep_processes: true });
    await one.run('import subprocess; child = subprocess.Popen(["sleep", "600"])');
    const two = await open(server, 'left = None');
    is((await two.run(LOOK)).stdout, '[None, None, None] []\n', 'another session');
    is((await callOf(server, { language: 'python', entrypoint_code: LOOK })).stdout, '[None, None, None] []\n', 'a call without one');
    is(await close(server, one.id), 'the session is closed; its files and variables are deleted');
    is((await two.run(LOOK)).stdout, '[None, None, None] []\n', 'after it was closed');
    is((await open(server, LOOK)).first.stdout, '[None, None, None] []\n', 'a session after it');
});

testCase('a language without an interpreter that stays keeps files', async () => {
    const server = await start();
    const { first, run, id } = await open(server, 'echo one >file; x=1; sleep 600 & echo $!', { language: 'busybox' });
    is(first.kept, 'files are kept');
    is(['value' in first.result, 'stateKept' in first.result], [false, false], 'its result has no state');
    const next = await run('cat file; echo "x is $x"; ls; ps | grep -c "[s]leep 600"; true');
    is(next.stdout, 'one\nx is \nfile\nmain.ash\n0\n');
    is(next.text.split('\n')[0], `session ${id}: files are kept`, 'the first line');
    is((await run('exit 3')).failure, 'Execution Failed (error): program exited with status 3');
    is((await run('cat file')).stdout, 'one\n', 'a failure changes nothing');
});

testCase('processes run on in a session with keep_processes only', async () => {
    const server = await start();
    const START = 'import subprocess\nchild = subprocess.Popen(["sleep", "600"])';
    const keeping = await open(server, START, { keep_processes: true });
    is((await keeping.run('child.poll()')).value, undefined, 'it is kept');
    const killing = await open(server, START);
    is((await killing.run('child.wait()')).value, '-9', 'it is killed');
});

testCase('files of a later call join the others; artifacts are those of the call', async () => {
    const server = await start();
    const { run } = await open(server, 'open("first.txt", "w").write("1")', { artifacts: ['*.txt'] });
    const next = await run('open("second.txt", "w").write(open("sent.txt").read())', { artifacts: ['*.txt'],
        additional_files: [{ filename: 'sent.txt', content: 'sent' }] });
    is(next.result.artifacts.map(({ name, bytes }) => [name, bytes]), [['second.txt', 4]]);
    is((await run('sorted(__import__("os").listdir())')).value, "['first.txt', 'second.txt', 'sent.txt']", 'all are there');
});

testCase('the id is all that a request of a modern revision needs', async () => {
    const server = await start();
    const { id } = await open(server, 'x = 20');
    const response = await server.ask('tools/call', { name: 'execute_code', _meta: meta('2026-07-28'),
        arguments: { session: id, entrypoint_code: 'x + 22' } });
    is(response.result.content[0].text, `session ${id}: ${KEPT}\n--- value ---\n42`);
});

// ---- the order of calls

testCase('calls of a session run in their order, those of others beside them', async () => {
    const server = await start({ maxConcurrent: 4 });
    const { begin, run } = await open(server, 'import os, time\nlog = []');
    const waits = begin('while not os.path.exists("/tmp/go"): time.sleep(0.05)\nlog.append(1)', { token: 0 });
    await server.untilProgress(0, /^running; /);
    const later = [2, 3, 4].map((number) => begin(`log.append(${number})`, { token: number }));
    await server.untilProgress(4, /^waiting; another call uses the session$/);
    const other = await open(server, '"beside"');
    is(other.first.value, "'beside'", 'another session does not wait');
    server.cancel(later[1]);
    server.cancel(waits); // nobody makes /tmp/go
    is(summary(await server.response(later[2])).includes(KEPT), true);
    is((await run('log')).value, '[2, 4]', 'the cancelled ones did not run');
});

// ---- what ends a call

testCase('a cell that runs too long is interrupted and keeps its variables', async () => {
    const server = await start();
    const { run } = await open(server, 'x = 1');
    const late = await run('x = 2\nwhile True: pass', { timeout_seconds: 1 });
    is([late.failure, late.kept], ['Execution Failed (timeout): the cell did not end within 1 s; variables are kept', KEPT]);
    is([late.result.reason, late.result.stateKept], ['timeout', true], 'its result');
    is((await run('x')).value, '2', 'the session goes on');
});

testCase('a cell that does not let itself be interrupted loses its variables, and keeps its files', async () => {
    const server = await start();
    const { run } = await open(server, 'x = 1\nopen("file", "w").write("kept")');
    const late = await run('import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass', { timeout_seconds: 1 });
    is(late.kept, 'variables are lost; files are kept');
    is([late.result.reason, late.result.stateKept], ['timeout', false], 'its result');
    is((await run('x')).stderr?.split('\n').at(-2), "NameError: name 'x' is not defined", 'the variables');
    is((await run('open("file").read()')).value, "'kept'", 'the files');
});

testCase('a cancelled call leaves its session as it is', async () => {
    const server = await start();
    const { begin, run } = await open(server, 'x = 1');
    const endless = begin('x = 2\nwhile True: pass', { token: 0 });
    await server.untilProgress(0, /^running; /);
    server.cancel(endless);
    is((await run('x')).value, '2', 'its variables');
    const others = server.takeOthers();
    is(others.filter(({ id }) => id === endless), [], 'no response');
    is(others[0]?.params?.message, 'starting in the session', 'the first message of progress');
});

testCase('a call that opens a session and is cancelled closes it again', async () => {
    const server = await start({ sessions: { max: 1 } });
    const endless = server.call({ language: 'python', session: 'new', entrypoint_code: 'while True: pass', timeout_seconds: 900 },
        { token: 0 });
    await server.untilProgress(0, /^running; /);
    const [container] = await server.containers();
    server.cancel(endless);
    await until(async () => !(await server.containers()).includes(container), 'its container is removed');
    is((await open(server, '7')).first.value, '7', 'another one can be opened');
});

testCase('a session whose first program never began is not there', async () => {
    const languages = { none: { image: 'isolator-test/none:1', command: ['sh', '{entrypoint}'], extensions: ['.none'], defaultFilename: 'm.none' } };
    const server = await start({ languages, sessions: { max: 1 }, defaults: { workdirMB: 4 } });
    const missing = await callOf(server, { language: 'none', session: 'new', entrypoint_code: '1' });
    is([missing.session, missing.result.session, missing.result.reason], [undefined, undefined, 'image-missing'], 'no image');
    const large = await callOf(server, { language: 'python', session: 'new', entrypoint_code: '1',
        additional_files: [{ filename: 'large', content: 'x'.repeat(5 << 20) }] });
    is([large.session, large.result.reason], [undefined, 'input'], 'files that do not fit');
    is((await open(server, '7')).first.value, '7', 'one can be opened');
});

testCase('an exit ends the cell, the end of the interpreter loses the variables', async () => {
    const server = await start();
    const { run } = await open(server, 'x = 1');
    const left = await run('import sys; sys.exit(3)');
    is([left.result.exitCode, left.result.reason, left.kept], [3, 'exit', KEPT], 'sys.exit()');
    is((await run('x')).value, '1', 'the variables');
    const ended = await run('import os; os._exit(4)');
    is([ended.result.exitCode, ended.kept], [4, 'variables are lost; files are kept'], 'os._exit()');
    is((await run('"x" in globals()')).value, 'False', 'the next cell has a new interpreter');
});

// ---- the end of sessions

testCase('at sessions.max no other is opened, until one is closed', async () => {
    const server = await start({ sessions: { max: 2 } });
    const { id, first } = await open(server);
    await open(server);
    const refused = summary(await server.response(server.call({ language: 'python', session: 'new', entrypoint_code: '1' })));
    is(refused, 'error: Execution Failed (error): 2 sessions are open, and the configuration allows no more (sessions.max); close one first');
    is(await close(server, id), 'the session is closed; its files and variables are deleted');
    await open(server);
    await until(async () => !(await server.containers()).includes(first.result.container), 'the container of the closed one is removed');
    is((await server.containers()).length, 2, 'those of the others are not');
});

testCase('a closed session and one that never was are refused in the same words', async () => {
    const server = await start();
    const { id } = await open(server);
    await close(server, id);
    for (const unknown of [id, guessed()]) {
        is(summary(await server.response(server.call({ session: unknown, entrypoint_code: '1' }))), UNKNOWN + OPEN, 'a call');
        is(summary(await server.response(server.call({ session: unknown, language: 'go', entrypoint_code: '1' }))), UNKNOWN + OPEN, 'with a language');
        is(await close(server, unknown), UNKNOWN, 'close_session');
    }
});

testCase('sessionId, which some hosts add, is left out, unless it is the id of a session that is open', async () => {
    const server = await start();
    const { id } = await open(server);
    const call = async (sessionId) =>
        (await server.response(server.call({ sessionId, language: 'python', entrypoint_code: 'print(1)', session: null }))).result;
    is(summary({ result: await call(id) }), "error: Execution Failed (error): there is no argument 'sessionId'; did you mean 'session'?");
    is((await call(guessed())).structuredContent.warnings, ["the argument 'sessionId' is left out: n8n adds it"]);
    is(summary(await server.ask('tools/call', { name: 'close_session', arguments: { session: id, wait_for_previous: true } })),
        "the session is closed; its files and variables are deleted\nthe argument 'wait_for_previous' is left out: Gemini CLI adds it");
});

testCase('a session that is closed ends its calls', async () => {
    const server = await start();
    const { id, begin } = await open(server);
    const running = begin('while True: pass', { token: 0 });
    await server.untilProgress(0, /^running; /);
    const waiting = begin('1');
    await close(server, id);
    const ended = partsOf((await server.response(running)).result);
    is([ended.failure, ended.kept], ['Execution Failed (error): cancelled while the cell ran; variables are kept', 'ended: it was closed'],
        'the one that runs');
    is(summary(await server.response(waiting)), `${UNKNOWN}\n\nsession ${id} ended: it was closed\n`, 'the one that waits');
});

testCase('a session that was idle for too long is gone, and the next call is told', async () => {
    const server = await start({ sessions: { idleSeconds: 1 } });
    const { id } = await open(server);
    await until(async () => (await server.containers()).length === 0, 'its container is removed');
    for (const round of [1, 2])
        is(summary(await server.response(server.call({ session: id, entrypoint_code: '1' }))),
            `error: Execution Failed (error): session ended: idle for 1 s${OPEN}`, `call ${round}`);
    is(await close(server, id), 'error: Execution Failed (error): session ended: idle for 1 s', 'close_session');
});

testCase('a session that has used up its CPU time or its output ends, and the result says so', async () => {
    const server = await start({ sessions: { cpuSeconds: 2, outputBytes: 1 << 20 } });
    const burning = await open(server);
    const burnt = await burning.run('while True: pass');
    is([burnt.result.reason, burnt.result.sessionEnded], ['cpu-time', 'its CPU time (2 s) is used up']);
    is(burnt.kept, 'ended: its CPU time (2 s) is used up', 'the text');
    is((await burning.run('1')).text, `Execution Failed (error): session ended: its CPU time (2 s) is used up${OPEN}`, 'the next call');
    const writing = await open(server, 'print("x" * 600000)');
    const written = await writing.run('print("x" * 600000)');
    is([written.result.reason, written.result.sessionEnded], ['output-limit', 'its output (1 MiB) is used up']);
});

testCase('a session whose container is removed by others ends', async () => {
    const server = await start();
    const { first, run } = await open(server);
    await dockerLines('rm', '-f', first.result.container);
    has((await run('1')).text, 'ended: its container ended', 'a call that may come before that is noticed');
    is((await run('1')).text, `Execution Failed (error): session ended: its container ended${OPEN}`, 'the next call');
});

testCase('language and limits are those that the session was opened with', async () => {
    const server = await start({ maximums: { memoryMB: 512 } });
    const { id, run } = await open(server, '1', { memory_mb: 300 });
    is((await run('2')).value, '2', 'without an argument');
    is((await run('2', { memory_mb: 300 })).value, '2', 'with the same');
    is((await run('2', { memory_mb: 200 })).text, 'Execution Failed (error): memory_mb is 300 MB in this session, and can be set only ' +
        'when a session is opened', 'another limit');
    is(summary(await server.response(server.call({ session: id, language: 'busybox', entrypoint_code: '1' }))),
        'error: Execution Failed (error): language must be python: the session was opened with it', 'another language');
});

testCase('when the server ends, so do its sessions', async () => {
    const server = await start();
    const { begin } = await open(server);
    await open(server);
    begin('while True: pass', { token: 0 });
    await server.untilProgress(0, /^running; /);
    is((await server.containers()).length, 2);
    is(await server.close(), 'exit 0');
    is(await server.remainingContainers(), [], 'none is left');
});

testCase('when the server is killed, its busy sessions end', async () => {
    const server = await start({ maxConcurrent: 4 });
    for (let token = 0; token < 4; token++) {
        const { begin } = await open(server);
        begin('while True: pass', { token });
        await server.untilProgress(token, /^running; /);
    }
    const running = () => dockerLines('ps', '-q', '--filter', `label=isolator.pid=${server.pid}`);
    is((await running()).length, 4);
    server.signal('SIGKILL');
    is(await server.end(), 'SIGKILL');
    await until(async () => (await running()).length === 0, 'none of them runs');
    await until(async () => (await containersOf(server.pid)).length === 0, 'all are removed');
});

await finish();
