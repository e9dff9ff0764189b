#!/usr/bin/env node
// Each call of the docker command, in each kind of run, goes wrong in each way that test/fixtures/docker-fault
// knows. After each of them isolator ends within its timeout and engineTimeoutSeconds, prints one JSON result, which
// says what failed or has what the program wrote, and nothing is left. The exact messages are in faults.t.
//
// FAULTS  how many runs at a time (6)

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { finish, has, is, matches, note, ok, testCase } from '../mcp/cases.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';
import { Program, allContainers, comesTrue, configFile, danglingVolumes, faultyDocker, isolator, limiter, once, scratch, writeFile } from '../mcp/processes.mjs';

const AT_ONCE = Number(process.env.FAULTS ?? 6);
const STUCK = 120; // seconds after its time until a run is killed; only one that is wrong needs them
const KINDS = ['fail', 'late', 'status', 'hang', 'slow', 'warns', 'garbage', 'kill'];

// How the runs with each kind of fault end, in the order of KINDS: "." succeeds, "E" fails with reason engine. The
// error of a failed run has to match the words. hello.ash runs in an image with a shell, hello.txt in one without, in which
// the supervisor is tried first.
const CREATE = /'?(docker )?create'?|create a container|inspect the container/;
const START = /start( the container)?/;
const REPAIR = /a fault for the test|inspect the container|limit of/;
const MATRIX = [
    // file, what else goes wrong, call, outcomes, words
    ['hello.ash', '', 'run 1', 'EE.E....', START],
    ['hello.ash', 'run 1 status', 'rm 1', '........'],
    ['hello.ash', 'run 1 status;rm 1 fail', 'ps 1', '........'],
    ['hello.ash', 'run 1 status;rm 1 fail;ps 1 fail', 'exec 1', '........'],
    ['hello.ash', 'run 1 warns', 'inspect 1', 'EEEE..EE', REPAIR],
    ['hello.ash', 'run 1 fail', 'rm 1', 'EEEEEEEE', START],
    ['hello.ash', 'run 1 fail', 'version 1', 'EEEEEEEE', START],
    ['hello.ash', 'run 1 fail', 'image 1', 'EEEEEEEE', START],
    ['hello.ash', 'run 1 fail;image 1 fail', 'image 2', 'EEEEEEEE', START],
    ['hello.txt', '', 'run 1', 'EE.E....', START],
    ['hello.txt', '', 'version 1', '........'],
    ['hello.txt', '', 'image 1', '........'],
    ['hello.txt', '', 'rm 1', '........'],
    ['hello.txt', '', 'image 2', '........'],
    ['hello.txt', '', 'create 1', 'EEEE..EE', CREATE],
    ['hello.txt', '', 'cp 1', 'EEEE..EE', /copy the supervisor|start the container/],
    ['hello.txt', '', 'start 1', 'EE.E..EE', START],
    ['hello.txt', 'start 1 status', 'rm 2', '........'],
];
const FAILURES = { E: ['exit 3', 'error', 'engine'] };
const REASONS = ['exit', 'signal', 'timeout', 'oom', 'output-limit', 'cancelled', 'engine', 'image-missing', 'input'];
const WRITTEN = { 'hello.ash': 'Hello, World\n', 'hello.txt': '--cat\nhello.txt\nthe text\n' };

writeFile(`${scratch}/hello.ash`, "echo 'Hello, World'\n");
writeFile(`${scratch}/hello.txt`, 'the text\n');

// ---- the engine's time: little, and yet many times what a run needs here

const began = Date.now();
const volumesBefore = once(danglingVolumes);
const engineSeconds = once(async () => {
    await volumesBefore();
    const start = Date.now();
    execFileSync(isolator, ['run', `${scratch}/hello.ash`], { stdio: 'ignore' });
    return Math.max(10, Math.floor(20 * (Date.now() - start) / 1000) + 1);
});
const owners = []; // the processes whose containers must not be left

// Starts isolator with a docker that has this fault, and returns how it ended within some seconds and the
// engine's time, in order not to wait for ever for one that is stuck.
async function runWithFault(fault, args, seconds, stdin, more) {
    const { env: docker, calls } = faultyDocker(fault);
    const env = { ...docker, ...more };
    const config = configFile({ engineTimeoutSeconds: await engineSeconds() });
    const program = new Program(isolator, [args[0], '--config', config, ...args.slice(1)], { env, stdin });
    owners.push(program.pid);
    await program.end(seconds + await engineSeconds() + STUCK);
    program.signal('SIGKILL');
    await program.end();
    program.calls = () => readdirSync(calls).sort((a, b) => statSync(`${calls}/${a}`).mtimeMs - statSync(`${calls}/${b}`).mtimeMs);
    return program;
}

// ---- isolator run: one call goes wrong

async function checkRun(file, fault, outcome, words, timeout) {
    const program = await runWithFault(fault, ['run', '--timeout', `${timeout}s`, `${scratch}/${file}`], timeout);
    const lines = program.stdout().split('\n');
    const calls = `docker was called: ${program.calls().join(' ')}`;
    const result = lines.length === 2 && lines[1] === '' && lines[0].startsWith('{') ? JSON.parse(lines[0]) : {};
    const { status, reason, error, stdout, stderr } = result;
    ok(REASONS.includes(reason), `one JSON result with a known reason; ${calls}`, program.stdout());
    const late = program.took - timeout - await engineSeconds();
    ok(late <= 20 + await engineSeconds(), 'seconds after its time', late); // on a machine that is busy
    if (outcome === '.') {
        is([program.how, status, error], ['exit 0', 'success', null], calls);
        is([stdout, stderr], [WRITTEN[file], ''], 'what the program wrote');
    } else {
        is([program.how, status, reason], FAILURES[outcome], calls);
        matches(error, words, calls);
        ok(!/: $|\(null\)/.test(error), 'the error is complete', error);
        is(program.stderr(), '', 'nothing on stderr');
    }
}

// Those that hang keep no core busy.
const busySlots = limiter(AT_ONCE);
const hangingSlots = limiter(2 * AT_ONCE);

// ---- isolator batch and isolator-mcp: every other line meets a fault, of another kind each; the next does not

const FINE = '--- stdout ---\nfine\n';
const REQUESTS = KINDS.flatMap((kind) => [kind, 'none']).map((kind, i) => ({ id: i + 1,
    args: { language: 'busybox', entrypoint_code: 'echo fine', timeout_seconds: kind === 'hang' ? 1 : 60 } }));

async function answersOfBatch(fault) {
    const stdin = writeFile(`${scratch}/lines-${fault.slice(0, 6)}`, REQUESTS.map(({ id, args }) => `${JSON.stringify({ id, ...args })}\n`).join(''));
    const program = await runWithFault(fault, ['batch', '-j', '1'], REQUESTS.length * await engineSeconds(), stdin);
    const results = program.stdout().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    return new Map(results.map(({ id, error, stdout }) => [id, error ? `error: ${error}` : `--- stdout ---\n${stdout}`]));
}

async function answersOfServer(fault) {
    const server = await startServer({ fault, config: { engineTimeoutSeconds: await engineSeconds(), maxConcurrent: 1, maxQueued: 50 } });
    owners.push(server.pid);
    await server.initialize('2025-11-25');
    REQUESTS.forEach(({ id, args }) => server.call(args, { id }));
    const answers = new Map();
    for (const { id } of REQUESTS)
        answers.set(id, summary(await server.response(id)));
    return answers;
}

for (const [what, answersOf] of [['isolator batch', answersOfBatch], ['isolator-mcp', answersOfServer]])
    for (const [call, outcomes, words] of [['run', 'EE.E....', START]])
        testCase(`${what}: docker ${call} goes wrong for every other request, each time differently`, { early: true }, async () => {
            const answers = await answersOf(KINDS.map((kind, i) => `${call} ${2 * i + 1} ${kind}`).join(';'));
            is(answers.size, REQUESTS.length, 'each is answered');
            KINDS.forEach((kind, i) => {
                const expected = outcomes[i] === '.' ? new RegExp(FINE) : new RegExp(`^error: .*(${words.source})`);
                matches(answers.get(2 * i + 1), expected, `${kind}: that one`);
                has(answers.get(2 * i + 2), FINE, `${kind}: the next`);
            });
        });

// Those that hang come first, and all the others run beside them.
const cells = MATRIX.flatMap(([file, other, call, outcomes, words]) => KINDS.map((kind, i) => ({ file, other, call, kind,
    outcome: outcomes[i], words, hangs: kind === 'hang' }))).sort((a, b) => b.hangs - a.hangs);
for (const { file, other, call, kind, outcome, words, hangs } of cells) {
    const fault = `${call} ${kind}${other && `;${other}`}`;
    // If the engine hangs before the program runs, the timeout has to pass; else it leaves time.
    const stuck = hangs || (kind === 'late' && /^(run|start)/.test(call)); // its output is lost
    const timeout = stuck && outcome === 'E' && !call.startsWith('inspect') ? 1 : 60;
    testCase(`${file}: ${other && `${other}; `}docker ${call} ${kind}`, { early: true }, () =>
        (hangs ? hangingSlots : busySlots)(() => checkRun(file, fault, outcome, words, timeout)));
}

// ---- an engine that is only slow is not taken for one that is not there, whatever it answers to that question

for (const kind of ['hang', 'fail'])
    testCase(`docker run takes longer than BUDGET_LOOK; docker version 1 ${kind}`, { early: true }, () => hangingSlots(async () => {
        const slow = { DOCKER_SLOW: String(0.35 * await engineSeconds()) };
        const program = await runWithFault(`run 1 slow;version 1 ${kind}`, ['run', '--timeout', '60s', `${scratch}/hello.ash`], 60, undefined, slow);
        has(program.calls().join(' '), 'version.1', 'the question was asked');
        is([program.how, JSON.parse(program.stdout()).stdout], ['exit 0', WRITTEN['hello.ash']], program.stdout());
    }));

// ---- the end: what a docker rm has left that does nothing and reports success is removed at the next start

testCase('nothing is left', { always: true }, async () => {
    execFileSync(isolator, ['gc'], { stdio: 'ignore' });
    let left;
    await comesTrue(async () => {
        left = (await allContainers()).filter(({ pid }) => owners.includes(pid));
        return left.length === 0;
    }, 120);
    is(left, [], 'no container');
    const before = await volumesBefore();
    await comesTrue(async () => {
        left = (await danglingVolumes()).filter((volume) => !before.includes(volume));
        return left.length === 0;
    }, 60);
    is(left, [], 'no volume');
    note(`figures: ${owners.length} programs with faults in ${Math.round((Date.now() - began) / 1000)} s; engineTimeoutSeconds ${await engineSeconds()}`);
});

await finish();
