#!/usr/bin/env node
// isolator-mcp: programs in the background, byte by byte: what starts and what is refused, results and output so far,
// cancellation, and that a job outlives its server, while a start that was cut off leaves nothing.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { atCaseEnd, finish, has, is, lacks, matches, ok, quickCase, testCase, within } from '../mcp/cases.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';
import { comesTrue, contentOf, docker, dockerLines, isolator, newPath, pause, scratch, until, writeFile } from '../mcp/processes.mjs';

// A docker command for which the jobs of each case are those of another user: others on this engine do not count.
const COMMANDS = `${scratch}/docker-of-others`;
mkdirSync(COMMANDS);
writeFile(`${COMMANDS}/docker`, `#!/usr/bin/env bash
[ -z "$DOCKER_DELAY" ] || [ "$1" != "\${DOCKER_DELAY% *}" ] || sleep "\${DOCKER_DELAY#* }"
exec '${docker}' "\${@/isolator.job.user=*/isolator.job.user=$JOB_USER}"
`, 0o755);

const PROGRAM = { language: 'busybox', entrypoint_code: 'echo hello' };
const FAILED = 'error: Execution Failed (error): ';
const unknown = (id) => `${FAILED}there is no job ${id}: its result was returned already, or another user has started it; start its program again`;

// A place of its own for the jobs of a case, which are removed at its end.
function makeHome() {
    const state = newPath('state');
    const env = { XDG_STATE_HOME: state, JOB_USER: state, PATH: `${COMMANDS}:${process.env.PATH}` };
    const containers = () => dockerLines('ps', '-a', '--filter', `label=isolator.job.user=${state}`, '--format', '{{.Names}}');
    const notes = () => contentsOf(`${state}/isolator/jobs`);
    const clear = async () => {
        const left = await containers();
        if (left.length)
            await dockerLines('rm', '-f', '-v', ...left).catch(() => {}); // the server may remove one now
    };
    return { env, containers, notes, clear };
}

function contentsOf(directory) {
    try {
        return readdirSync(directory);
    } catch {
        return [];
    }
}

async function start(config = {}, { home = makeHome(), env = {}, version = '2025-11-25', ...options } = {}) {
    const server = await startServer({ config, ...options, env: { ...home.env, ...env } });
    if (options.engine !== false)
        atCaseEnd(home.clear); // before it is checked that the server leaves no container
    await server.initialize(version);
    return Object.assign(server, { home });
}

const DETAILS = { 'isolator/details': true };
const execute = (server, args) => server.ask('tools/call', { name: 'execute_code', arguments: args, _meta: DETAILS });
const waitRequest = (server, args, token) => server.request('tools/call', { name: 'wait_job', arguments: args,
    _meta: { ...DETAILS, ...token === undefined ? {} : { progressToken: token } } });
const wait = (server, job, args = {}) => server.response(waitRequest(server, { job, wait_seconds: 50, ...args }));

// Starts a job and returns its id.
async function begin(server, code, args = {}) {
    const response = await execute(server, { language: 'busybox', entrypoint_code: code, background: true, ...args });
    const job = response.result?.structuredContent?.job;
    matches(job, /^[0-9a-f]{16}$/, `the job is started: ${summary(response)}`);
    return job;
}

const comparable = ({ durationMs, cpuMs, peakMemoryBytes, container, warm, artifacts, ...rest }) =>
    ({ ...rest, artifacts: artifacts.map(({ uri, ...artifact }) => artifact) });

// ---- start and result

testCase('a job: its id at once, its output so far, and the result of a foreground call', async () => {
    const server = await start();
    const code = 'echo one; echo two >&2; sleep 3; echo three; exit 3';
    const began = Date.now();
    const started = (await execute(server, { language: 'busybox', entrypoint_code: code, background: true })).result;
    ok(Date.now() - began < 30000, 'at once');
    const { job, secondsLeft, ...rest } = started.structuredContent;
    is(rest, { status: 'running', exitCode: -1, stdout: '', stderr: '', error: null, artifacts: [], warnings: [] }, 'the start');
    within(secondsLeft, 3500, 3601, 'the timeout is not that of a call');
    matches(started.content[0].text, new RegExp(`^job ${job} runs in the background, for at most 36\\d\\d s more\\. To get its result, ` +
        `call wait_job with \\{"job": "${job}"\\}\\.$`), 'the text');
    is(started.isError, false, 'no failure');
    is(await server.home.notes(), [job], 'it has a file');
    await pause(1);
    const running = (await wait(server, job, { wait_seconds: 0 })).result;
    is([running.isError, running.structuredContent.status, running.structuredContent.job], [false, 'running', job], 'it runs');
    is([running.structuredContent.stdout, running.structuredContent.stderr], ['one\n', 'two\n'], 'the output so far');
    matches(running.content[0].text, new RegExp(`^job ${job} still runs, for at most \\d+ s more\\. Call wait_job again for its result\\.\n\n` +
        '--- stdout so far ---\none\n--- stderr so far ---\ntwo\n$'), 'the text');
    const ended = (await wait(server, job)).result;
    const foreground = (await execute(server, { language: 'busybox', entrypoint_code: code })).result;
    is(comparable(ended.structuredContent), comparable(foreground.structuredContent), 'the result of a foreground call');
    is([ended.content, ended.isError], [foreground.content, true], 'and its text');
    is(ended.structuredContent.container, `isolator-job-${job}`, 'the container of the job');
    ok(await comesTrue(() => server.home.notes().length === 0), 'its file is gone');
    is(await server.home.containers(), [], 'and its container');
    is(summary(await wait(server, job)), unknown(job), 'it is fetched once');
});

testCase('of much output so far, a model gets the head and the tail', async () => {
    const server = await start();
    const job = await begin(server, 'yes 123456789 | head -c 200000; echo end; sleep 600');
    let now;
    await until(async () => {
        now = (await wait(server, job, { wait_seconds: 1 })).result.structuredContent;
        return now.stdout.endsWith('end\n');
    }, 'the end of the output');
    within(now.stdout.length, 3000, 4100, 'the bytes');
    has(now.stdout, ' bytes left out ...]', 'which says so');
    is([now.stdoutTruncated, now.stderrTruncated], [true, undefined], 'likewise');
});

testCase('artifacts and pictures of a job; a later call uses one by its uri', async () => {
    const server = await start();
    const job = await begin(server, 'echo content >a.txt; echo more >b.txt', { artifacts: ['a.txt'] });
    const result = (await wait(server, job)).result;
    const [{ uri, name }] = result.structuredContent.artifacts;
    is([name, result.content[1].resource?.text], ['a.txt', 'content\n'], 'the artifact');
    const next = await execute(server, { language: 'busybox', entrypoint_code: 'cat x', additional_files: [{ filename: 'x', uri }] });
    is(next.result.structuredContent.stdout, 'content\n', 'in a call');
    const other = await begin(server, 'cat x >y.txt; echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg== | base64 -d >p.png', { additional_files: [{ filename: 'x', uri }] });
    const pictures = (await wait(server, other)).result;
    is([pictures.structuredContent.artifacts.map((artifact) => artifact.name), pictures.content[1]?.type], [['p.png'], 'image'],
        'without artifacts, pictures come, in a job');
});

testCase('what hosts add to the arguments is left out, and the results of the job and of its wait say so', async () => {
    const server = await start();
    const warnings = ["the argument 'wait_for_previous' is left out: Gemini CLI adds it"];
    const started = (await execute(server, { language: 'busybox', entrypoint_code: 'sleep 600', background: true, wait_for_previous: false })).result;
    is(started.structuredContent.warnings, warnings, 'the start');
    has(started.content[0].text, `--- warnings ---\n${warnings[0]}`, 'its text');
    const running = (await wait(server, started.structuredContent.job, { wait_seconds: 1, wait_for_previous: false })).result;
    is(running.structuredContent.warnings, warnings, 'while it runs');
    const ended = (await wait(server, started.structuredContent.job, { stop: true, wait_for_previous: false })).result;
    is(ended.structuredContent.warnings, warnings, 'its end');
});

testCase('the timeout: that of the call, or the maximum of the configuration', async () => {
    const server = await start({ maximums: { timeoutSeconds: 100 }, defaults: { timeoutSeconds: 1 } });
    const left = async (args) => {
        const { structuredContent } = (await execute(server, { language: 'busybox', entrypoint_code: 'sleep 600', background: true, ...args })).result;
        return structuredContent.secondsLeft;
    };
    within(await left({}), 90, 101, 'the maximum, and not the default');
    within(await left({ timeout_seconds: 700 }), 90, 101, 'at most that');
    const job = await begin(server, 'sleep 600', { timeout_seconds: 1 });
    const ended = (await wait(server, job)).result;
    is([ended.structuredContent.status, ended.structuredContent.reason], ['timeout', 'timeout'], 'it ends there');
    lacks(ended.content[0].text, 'background', 'a job is not advised to be one');
});

testCase('after the timeout of a call, a warning names background', async () => {
    const advice = 'a program that needs longer can run as a job: give "background": true, and call wait_job for the result';
    const args = { language: 'busybox', entrypoint_code: 'sleep 600', timeout_seconds: 1 };
    has((await execute(await start(), args)).result.content[0].text, advice, 'a model could have used it');
    lacks((await execute(await start({ jobs: { maxRunning: 0 } }), args)).result.content[0].text, 'background', 'there are no jobs');
    lacks((await execute(await start({ maximums: { timeoutSeconds: 1 } }), args)).result.content[0].text, 'background',
        'a job could not run for longer');
});

testCase('the audit file has both lines of a job', async () => {
    const audit = newPath('audit');
    const server = await start({}, { arguments: ['--audit', audit] });
    const job = await begin(server, 'exit 3');
    await wait(server, job);
    const lines = contentOf(audit).split('\n').filter(Boolean).map((line) => JSON.parse(line));
    is(lines.map(({ container, status, exitCode }) => [container, status, exitCode]),
        [[`isolator-job-${job}`, 'started', null], [`isolator-job-${job}`, 'error', 3]]);
});

// ---- what is refused

quickCase('background: true or false, and not in a session', async () => {
    const server = await start({}, { engine: false });
    const say = async (args) => summary(await execute(server, { ...PROGRAM, language: 'bash', ...args }));
    const excluded = `${FAILED}background excludes session: a program in the background has a container of its own; leave one of them out`;
    is(await say({ background: 'yes' }), `${FAILED}background must be true or false; text came, which is not that in JSON`, 'a string');
    is(await say({ background: true, session: 'new' }), excluded, 'a new session');
    is(await say({ background: true, session: '0'.repeat(32) }), excluded, 'an id');
    has(await say({ background: false, session: 'new' }), 'unset DOCKER_HOST', 'false is accepted in one');
    has(await say({ background: true }), 'cannot list the containers: ', 'no engine');
    is(server.home.notes(), [], 'no file of a job');
});

quickCase('wait_job: its arguments', async () => {
    const server = await start({}, { engine: false });
    const say = async (args) => summary(await server.ask('tools/call', { name: 'wait_job', arguments: args }));
    const noId = `${FAILED}job must be the id of a job, 16 digits that execute_code has returned for a program in the background`;
    const id = '0123456789abcdef';
    for (const args of [null, {}, { job: null }, { job: '' }, { job: 7 }, { job: 'training' }, { job: '../../../../etc/x' }, { job: id.slice(1) },
        { job: `${id}0` }, { job: id.toUpperCase() }, { job: `${id.slice(1)}\0` }])
        is(await say(args), noId, JSON.stringify(args));
    is(await say({ job: id, wait: 7 }), `${FAILED}there is no argument 'wait'; did you mean 'wait_seconds'?`, 'another argument');
    for (const seconds of [-1, 'soon', true])
        has(await say({ job: id, wait_seconds: seconds }), `${FAILED}wait_seconds must be a number of seconds, at most 50`, `${seconds}`);
    has(await say({ job: id, stop: 7 }), `${FAILED}stop must be true or false`, 'stop');
    for (const args of [{}, { wait_seconds: 1e300 }, { wait_seconds: '7' }, { stop: true }])
        has(await say({ job: id, ...args }), `there is no job ${id}`, JSON.stringify(args));
});

quickCase('with maxRunning 0 there is neither the argument nor the tool', async () => {
    const server = await start({ jobs: { maxRunning: 0 } }, { engine: false });
    const { result: { tools } } = await server.ask('tools/list');
    is(tools.map(({ name }) => name), ['execute_code', 'close_session']);
    lacks(JSON.stringify(tools), '"background"', 'the argument');
    lacks(JSON.stringify(tools), 'wait_job', 'the tool');
    lacks(JSON.stringify(tools), '"running"', 'the status');
    ok(tools[0].outputSchema.required.includes('reason'), 'each result has a reason');
    has(summary(await execute(server, { ...PROGRAM, language: 'bash', background: true })), "there is no argument 'background'; known are: ");
    is(summary(await wait(server, '0'.repeat(16))), "-32602 there is no tool 'wait_job'; known are: execute_code, close_session");
});

testCase('a job has no network', async () => {
    const server = await start({ defaults: { network: 'bridge' } });
    has(summary(await execute(server, { ...PROGRAM, background: true })), 'a job cannot have a network', 'refused');
    is([await server.home.containers(), server.home.notes()], [[], []], 'nothing is left');
});

testCase('with hosts in the configuration a job needs "hosts": []', async () => {
    const server = await start({ defaults: { network: { allow: ['example.com'] } } });
    const { result: { tools } } = await server.ask('tools/list');
    matches(tools[0].inputSchema.properties.background.description, /It needs "hosts": \[\] if its language can reach hosts\.$/, 'said');
    has(summary(await execute(server, { ...PROGRAM, background: true })), '(in JSON: "hosts": [])', 'refused');
    const id = await begin(server, 'echo "${http_proxy-none}"', { hosts: [] });
    has(summary(await wait(server, id)), 'none', 'it runs, without a proxy');
});

testCase('no more jobs than maxRunning at once, of all servers of a user', async () => {
    const home = makeHome();
    const refused = (running, max) => `${FAILED}${running} jobs run already, and no more than ${max} may: get the result of one of them ` +
        'with wait_job, then start this one';
    const [server, other] = [await start({ jobs: { maxRunning: 2 } }, { home }), await start({ jobs: { maxRunning: 2 } }, { home })];
    const begun = [0, 1, 2, 3].map(() => server.call({ language: 'busybox', entrypoint_code: 'sleep 600', background: true }));
    const responses = [];
    for (const id of begun)
        responses.push(summary(await server.response(id)));
    is(responses.filter((text) => text.startsWith('job ')).length, 2, 'of four at the same time, two start');
    has(responses.find((text) => text.startsWith('error')), refused(2, 2), 'the others');
    has(summary(await execute(other, { ...PROGRAM, background: true })), refused(2, 2), 'another server');
    const [job] = home.notes();
    is((await wait(other, job, { stop: true })).result.structuredContent.reason, 'cancelled', 'one of them ends');
    await begin(server, 'sleep 600');
});

// ---- the end of a job

testCase('stop ends a job, and returns what it has done', async () => {
    const server = await start();
    const job = await begin(server, 'echo before; sleep 600');
    await until(async () => (await wait(server, job, { wait_seconds: 1 })).result.structuredContent.stdout === 'before\n', 'it runs');
    const began = Date.now();
    const { result } = await wait(server, job, { stop: true });
    is([result.structuredContent.reason, result.structuredContent.stdout, result.isError], ['cancelled', 'before\n', true]);
    ok(Date.now() - began < 30000, 'at once');
    is(summary(await wait(server, job, { stop: true })), unknown(job), 'it is gone');
    const ended = await begin(server, 'echo done');
    await until(async () => (await dockerLines('ps', '--filter', `name=isolator-job-${ended}`, '--format', '{{.Names}}')).length === 0, 'it has ended');
    is((await wait(server, ended, { stop: true })).result.structuredContent.stdout, 'done\n', 'a job that has ended stays as it is');
});

testCase('a job whose container was removed', async () => {
    const server = await start();
    const job = await begin(server, 'sleep 600');
    await dockerLines('rm', '-f', '-v', `isolator-job-${job}`);
    is(summary(await wait(server, job)), `${FAILED}the container of the job ${job} is not on this engine: it was removed, or the job is ` +
        'on another engine; start its program again');
});

testCase('a cancelled wait_job changes nothing, and gets no response', async () => {
    const server = await start();
    const job = await begin(server, 'sleep 600');
    const waiting = waitRequest(server, { job, wait_seconds: 50 }, 7);
    await server.untilProgress(7, /^the job runs$/);
    server.cancel(waiting);
    is((await wait(server, job, { wait_seconds: 1 })).result.structuredContent?.status, 'running', 'another call waits at once');
    is((await wait(server, job, { stop: true })).result.structuredContent?.reason, 'cancelled', 'and gets the result');
    is(await server.response(waiting, 0.1), undefined, 'no response');
});

testCase('a cancelled start leaves no job', async () => {
    const server = await start({}, { env: { DOCKER_DELAY: 'start 2' } });
    const starting = server.call({ language: 'busybox', entrypoint_code: 'sleep 600', background: true });
    await until(async () => (await server.home.containers()).length === 1, 'the container is made');
    server.cancel(starting);
    ok(await comesTrue(async () => (await server.home.containers()).length === 0), 'the container is removed', await server.home.containers());
    ok(await comesTrue(() => server.home.notes().length === 0), 'and the file');
    is(await server.tell(), '', 'no response');
    is(await server.response(starting, 0.1), undefined, 'likewise');
});

// ---- the end of the server

testCase('a job outlives its server, and another server fetches the result', async () => {
    const server = await start();
    const job = await begin(server, 'sleep 2; echo done >made.txt; echo done', { artifacts: ['*.txt'] });
    waitRequest(server, { job, wait_seconds: 50 });
    await pause(0.3);
    server.signal('SIGKILL');
    is(await server.end(), 'SIGKILL');
    const env = { ...process.env, ...server.home.env };
    is(execFileSync(isolator, ['wait', '--all'], { env, encoding: 'utf8' }), '', 'isolator wait --all leaves it to a server');
    const other = await start({}, { home: server.home });
    const { result } = await wait(other, job);
    is([result.structuredContent.stdout, result.structuredContent.artifacts.map(({ name }) => name)], ['done\n', ['made.txt']], 'the result');
    ok(await comesTrue(() => server.home.notes().length === 0), 'the job is removed');
});

testCase('the end of the server: a wait is answered and its job goes on; a start leaves nothing', async () => {
    const server = await start({}, { env: { DOCKER_DELAY: 'start 5' } });
    const other = await start({}, { home: server.home });
    const job = await begin(other, 'sleep 600');
    const waiting = waitRequest(server, { job, wait_seconds: 50 });
    const starting = server.call({ language: 'busybox', entrypoint_code: 'sleep 600', background: true });
    await until(async () => (await server.home.containers()).length === 2, 'the container is made');
    server.signal('SIGTERM');
    is(await server.end(), 'exit 0', 'it ends in time');
    is(summary(await server.response(waiting)), `${FAILED}the server is shutting down; the job goes on, and can be waited for again`, 'the wait');
    is(summary(await server.response(starting)), `${FAILED}the server is shutting down`, 'the start');
    ok(await comesTrue(async () => `${await server.home.containers()}` === `isolator-job-${job}`), 'one job is left', await server.home.containers());
    is((await wait(other, job, { wait_seconds: 1 })).result.structuredContent.status, 'running', 'which runs');
    ok(await comesTrue(() => `${server.home.notes()}` === job), 'one file is left', server.home.notes());
});

testCase('the end of stdin: a job that ends soon is answered and removed', async () => {
    const server = await start();
    const job = await begin(server, 'echo done');
    await until(async () => (await dockerLines('ps', '--filter', `name=isolator-job-${job}`, '--format', '{{.Names}}')).length === 0, 'it has ended');
    const waiting = waitRequest(server, { job, wait_seconds: 50 });
    is(await server.close(), 'exit 0');
    is((await server.response(waiting)).result?.structuredContent?.stdout, 'done\n', 'the response');
    is([await server.home.containers(), server.home.notes()], [[], []], 'nothing is left');
});

testCase('a client that has not read the result can fetch it again', async () => {
    const server = await start();
    const job = await begin(server, 'echo done');
    await until(async () => (await dockerLines('ps', '--filter', `name=isolator-job-${job}`, '--format', '{{.Names}}')).length === 0, 'it has ended');
    server.closeOutput();
    waitRequest(server, { job, wait_seconds: 50 });
    await server.end();
    const printed = execFileSync(isolator, ['wait', job], { env: { ...process.env, ...server.home.env }, encoding: 'utf8' });
    is(JSON.parse(printed).stdout, 'done\n', 'isolator wait prints it');
});

testCase('a client of the first revision gets the text alone', async () => {
    const server = await start({}, { version: '2024-11-05' });
    const { result } = await execute(server, { ...PROGRAM, background: true });
    is(Object.keys(result).sort(), ['content', 'isError'], 'the start');
    const [, job] = /^job ([0-9a-f]{16}) runs/.exec(result.content[0].text);
    is((await wait(server, job)).result, { content: [{ type: 'text', text: '--- stdout ---\nhello\n' }], isError: false }, 'the result');
});

await finish();
