#!/usr/bin/env node
// The engine is killed while isolator works, and started again some seconds later. What ran says so soon, what comes
// then succeeds, and nothing is left. It is an engine of this test's own, a second dockerd, which needs root or sudo;
// others may use the first one meanwhile.

import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, readdirSync, writeSync } from 'node:fs';
import { finish, is, matches, ok, testCase } from '../mcp/cases.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';
import { Program, configFile, contentOf, docker, dockerLines, isolator, makeFifo, once, pause, scratch, until, writeFile } from '../mcp/processes.mjs';

const ENGINE_SECONDS = 20; // engineTimeoutSeconds
const GRACE = 60; // seconds more, for a machine that is busy
const DOWN = 3; // seconds without an engine

const members = { engineTimeoutSeconds: ENGINE_SECONDS, maxConcurrent: 2, maxQueued: 100, promptsDir: scratch };
process.env.ISOLATOR_CONFIG = configFile(members);
const hello = writeFile(`${scratch}/hello.ash`, 'echo hello');

// ---- the engine

const home = `${scratch}/engine`;
const ownEngine = (command, ...args) => new Program('test/fixtures/own-engine', [command, home, ...args]);

async function startEngine(...images) {
    const start = ownEngine('start', ...images);
    if (await start.end() !== 'exit 0')
        throw new Error(`no engine of its own: ${start.stderr()}`);
}

// The engine of this test, which all of isolator and docker then use.
const engine = once(async () => {
    await startEngine('isolator-test/busybox:1', 'isolator-test/noshell:1');
    process.env.DOCKER_HOST = `unix://${home}/socket`;
});
process.on('exit', () => existsSync(home) && spawnSync('test/fixtures/own-engine', ['remove', home]));

async function killEngineForAWhile() {
    await ownEngine('kill').end();
    await pause(DOWN);
    await startEngine();
}

// How many programs in containers are asleep, as processes of the host: for a time that nothing else sleeps.
const NAP = 1000000 + process.pid;
const SLEEPER = new RegExp(`^(?:sleep|/hello)\\0(?:.*\\0)?(?:--sleep=)?${NAP}\\0$`);
const sleepers = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && SLEEPER.test(contentOf(`/proc/${pid}/cmdline`))).length;

// The containers of the engine. Docker 20.10 that was killed while it removed one may list it as "Dead" until its next
// start, although it has no such container any more: 'docker inspect' and 'docker rm' do not know it.
async function containers() {
    const known = (id) => spawnSync(docker, ['inspect', '--type', 'container', id], { stdio: 'ignore' }).status === 0;
    return (await dockerLines('ps', '-aq')).filter(known);
}

async function nothingIsLeft() {
    const next = new Program(isolator, ['run', hello]);
    is([await next.end(60 + ENGINE_SECONDS + GRACE), next.stderr()], ['exit 0', ''], 'the next run succeeds');
    // The engine may need some starts to get rid of what it was removing when it died.
    await until(async () => {
        spawnSync(isolator, ['gc'], { stdio: 'ignore' });
        return (await containers()).length === 0;
    }, 'no container is left');
    // Docker 20.10 forgets the volume of a container that ends while the engine starts, and that it removes by itself:
    // that of the one program without a shell.
    await until(async () => (await dockerLines('volume', 'ls', '-q')).length <= 1, 'no volume is left');
    await until(() => sleepers() === 0, 'the programs have ended');
}

// ---- it dies while programs run

testCase('the engine dies while programs run: each run says so soon', async () => {
    await engine();
    const long = writeFile(`${scratch}/long.ash`, `echo begun; sleep ${NAP}`);
    const text = writeFile(`${scratch}/long.txt`, 'the text\n');
    const withShell = new Program(isolator, ['run', '--timeout', '600s', long]);
    const withoutShell = new Program(isolator, ['run', '--timeout', '600s', text, '--', `--sleep=${NAP}`]);
    // An engine that is killed before it has noted that a container runs forgets that: it could not be asked to end it.
    await until(async () => sleepers() === 2 && (await dockerLines('ps', '-q', '--filter', 'status=running')).length === 2,
        'the programs run');
    await killEngineForAWhile();
    for (const [what, program] of [['with a shell', withShell], ['without a shell', withoutShell]]) {
        const words = /^the connection to the engine was lost before the end of the program: the network failed, the engine was restarted, or the docker command was killed; run the program again$/;
        is(await program.end(ENGINE_SECONDS + GRACE), 'exit 3', `${what}: isolator ends soon`);
        const { status, exitCode, reason, error } = program.stdout().startsWith('{') ? JSON.parse(program.stdout()) : {};
        is([status, exitCode, reason], ['error', -1, 'engine'], `${what}: the result`);
        matches(error, words, `${what}: the message`);
    }
    await nothingIsLeft();
});

testCase('the engine dies under a job: its result says so, and it does not run again', async () => {
    await engine();
    const env = { ...process.env, XDG_STATE_HOME: `${scratch}/state` };
    const start = new Program(isolator, ['start', writeFile(`${scratch}/job.ash`, `echo begun; sleep ${NAP}`)], { env });
    is(await start.end(GRACE), 'exit 0', 'it is started');
    const id = start.stdout().trim();
    const waiting = new Program(isolator, ['wait', id], { env });
    await until(async () => sleepers() === 1 && (await dockerLines('ps', '-q', '--filter', 'status=running')).length === 1, 'it runs');
    await killEngineForAWhile();
    is([await waiting.end(ENGINE_SECONDS + GRACE), waiting.stdout()], ['exit 3', ''], 'who waits is told that the engine failed');
    const again = new Program(isolator, ['wait', id], { env });
    is(await again.end(ENGINE_SECONDS + GRACE), 'exit 3', 'wait again');
    const { status, exitCode, reason, stdout } = JSON.parse(again.stdout());
    is([status, exitCode, reason, stdout], ['error', -1, 'engine', 'begun\n'], 'the result');
    is(readdirSync(`${scratch}/state/isolator/jobs`), [], 'it is removed');
    await nothingIsLeft();
});

// ---- it dies under a batch and a server
// Each works on two at a time. Some are answered before the engine dies; what is sent while it is down is answered, and
// what is sent when it is back succeeds.

testCase('the engine dies under a batch and a server: what it met says so, all else succeeds', async () => {
    await engine();
    const input = makeFifo('writing');
    const batch = new Program(isolator, ['batch', '-j', '2'], { stdin: input.reading });
    closeSync(input.reading);
    const server = await startServer({ config: members });
    await server.initialize('2025-11-25');
    let sent = 0;
    const send = (count, code) => { // to both
        for (let i = 0; i < count; i++) {
            const id = ++sent;
            const request = { language: 'busybox', timeout_seconds: 60, entrypoint_code: `echo is $((1000 + ${id})); ${code}` };
            writeSync(input.writing, `${JSON.stringify({ id, ...request })}\n`);
            server.call(request, { id });
        }
    };
    const results = () => new Map(batch.stdout().split('\n').slice(0, -1).map((line) => JSON.parse(line)).map((result) => [result.id, result]));
    const answers = new Map();
    const takeAnswers = async () => {
        while (answers.size < sent)
            answers.set(answers.size + 1, summary(await server.response(answers.size + 1)));
    };

    send(4, 'true');
    await takeAnswers();
    await until(() => results().size === 4, 'four are answered before');
    send(10, 'sleep 1');
    await until(() => results().size >= 6, 'some of ten more');
    await killEngineForAWhile();
    await takeAnswers();
    await until(() => results().size === 14, 'all of them');
    send(4, 'true');
    closeSync(input.writing);
    await takeAnswers();
    is(await batch.end(ENGINE_SECONDS + GRACE), 'exit 3', 'batch: it ends, and says that the engine failed some');
    const lines = results();
    const ids = Array.from({ length: sent }, (_, i) => i + 1);
    is([...lines.keys()].sort((a, b) => a - b), ids, 'batch: each line is answered');
    const met = ids.slice(4, 14); // the engine died, or may have died, while these were at work
    for (const id of ids.filter((other) => !met.includes(other))) {
        is(lines.get(id)?.stdout, `is ${1000 + id}\n`, `batch: line ${id} succeeds; ${lines.get(id)?.error}`);
        is(answers.get(id), `--- stdout ---\nis ${1000 + id}\n`, `mcp: call ${id} succeeds`);
    }
    const oddLines = met.filter((id) => (lines.get(id).error ? lines.get(id).reason !== 'engine' : lines.get(id).stdout !== `is ${1000 + id}\n`));
    is(oddLines.map((id) => lines.get(id)), [], 'batch: each line that met the end of the engine succeeds or says so');
    ok(met.some((id) => lines.get(id).error), 'batch: some did');
    const oddAnswers = met.filter((id) => !/^error: Execution Failed \(error\): \S/.test(answers.get(id)) &&
        answers.get(id) !== `--- stdout ---\nis ${1000 + id}\n`);
    is(oddAnswers.map((id) => answers.get(id)), [], 'mcp: each call that met the end of the engine succeeds or says so');
    ok(met.some((id) => answers.get(id).startsWith('error')), 'mcp: some did');
    is(await server.close(), 'exit 0');
    await nothingIsLeft();
});

testCase('nothing is left of the engine', async () => {
    await engine();
    is(execFileSync('test/fixtures/own-engine', ['remove', home], { encoding: 'utf8' }), '');
    delete process.env.DOCKER_HOST;
});

await finish();
