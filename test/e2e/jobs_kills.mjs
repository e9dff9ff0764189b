#!/usr/bin/env node
// SIGKILL to isolator start, isolator wait and isolator logs -f at random instants, to one of two alone, to the other with
// its docker commands. A job is either wholly started, so that its result is right whenever it is waited for, or there is
// no job and isolator gc removes what is left. None runs twice, and none is lost after its id was printed.
//
// KILLS      how many (24; `make soak`: 5000)
// KILL_SEED  of the random instants; it is printed, so that a run can be repeated

import { readdirSync } from 'node:fs';
import { finish, is, note, ok, testCase } from '../mcp/cases.mjs';
import { Program, comesTrue, danglingVolumes, docker, dockerLines, isolator, limiter, once, pause, scratch, until,
    writeFile } from '../mcp/processes.mjs';
import { Victim, randomNumbers } from '../mcp/victims.mjs';

const KILLS = Number(process.env.KILLS ?? 24);
const SEED = Number(process.env.KILL_SEED ?? Math.floor(2 ** 31 * Math.random()));
const AT_ONCE = 2;
const ID = /^[0-9a-f]{16}\n$/;

process.env.XDG_STATE_HOME = `${scratch}/state`;
const random = randomNumbers(SEED);
const oneOf = (list) => list[Math.floor(random() * list.length)];
const files = () => {
    try {
        return readdirSync(`${scratch}/state/isolator/jobs`);
    } catch {
        return []; // no job was started
    }
};

// ---- the jobs: each prints two lines that no other prints, and has an exit status that tells it from most

const LANGUAGES = {
    ash: (number) => `echo begun ${number}; sleep 0.7; echo ended ${number}; exit ${number % 50 + 1}`,
    c: (number) => `#include <stdio.h>\nint main(void) { puts("begun ${number}\\nended ${number}"); return ${number % 50 + 1}; }`,
};

function makeJob(number) {
    const language = number % 3 ? 'ash' : 'c'; // which has a build
    return { number, language, file: writeFile(`${scratch}/${number}.${language}`, LANGUAGES[language](number)),
        stdout: `begun ${number}\nended ${number}\n`, status: number % 50 + 1 };
}

async function run(...args) {
    const program = new Program(isolator, args);
    return { how: await program.end(), stdout: program.stdout(), stderr: program.stderr(), pid: program.pid };
}

function resultOf(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined; // it was killed before it had printed the result
    }
}

// The ids of the jobs whose containers a process has made, whose file is there.
async function jobsOf(pid) {
    const names = await dockerLines('ps', '-a', '--filter', `label=isolator.pid=${pid}`, '--format', '{{.Names}}');
    return names.filter((name) => name.startsWith('isolator-job-')).map((name) => name.slice('isolator-job-'.length));
}

// ---- the kills

const seen = { printed: 0, started: 0, none: 0, wait: 0, fetch: 0, logs: 0, delivered: 0, alive: 0 };
const starters = new Set(); // the processes that were to start a job
let spans;
let scale = 1; // of the spans: other load on the machine comes and goes after they were measured

async function killAfter(args, span, others) {
    const victim = new Victim(isolator, args);
    await pause(scale * span * random());
    await victim.kill(others);
    const alive = victim.how === 'SIGKILL';
    seen.alive += alive;
    scale *= alive ? 1.1 : 0.7; // about four of five are alive
    return victim;
}

// Starts a job and kills that; the job if there is one.
async function killStart(job, others) {
    const victim = await killAfter(['start', job.file], spans[job.language], others);
    starters.add(victim.pid);
    if (ID.test(victim.stdout())) {
        seen.printed++;
        return { ...job, id: victim.stdout().trim() };
    }
    is(victim.stdout(), '', 'a whole id, or nothing');
    let ids;
    await until(async () => {
        is((await run('gc')).how, 'exit 0', 'isolator gc');
        ids = await jobsOf(victim.pid);
        return ids.every((id) => files().includes(id));
    }, `kill ${job.number}: after isolator gc there is no container, or a job that is started`);
    if (ids.length === 0) {
        seen.none++;
        return undefined;
    }
    seen.started++;
    is(ids.length, 1, 'one container');
    ok((await run('ps', '--quiet')).stdout.split('\n').includes(ids[0]), 'isolator ps lists the job');
    return { ...job, id: ids[0] };
}

// Starts a job, and kills one that waits for it or shows its output; "fetch": that waits for one that has ended.
async function killReader(job, command, others) {
    const start = await run('start', job.file);
    starters.add(start.pid);
    if (!ok(ID.test(start.stdout), 'the job is started', start.how, start.stderr))
        return undefined;
    const id = start.stdout.trim();
    seen[command]++;
    if (command === 'fetch')
        await dockerLines('wait', `isolator-job-${id}`);
    const victim = await killAfter(command === 'logs' ? ['logs', '-f', id] : ['wait', '--json', id], spans[command], others);
    if (command === 'logs')
        ok(job.stdout.startsWith(victim.stdout()), 'what logs has printed', victim.stdout());
    return { ...job, id, before: command === 'logs' ? undefined : resultOf(victim.stdout()) };
}

// What isolator wait prints now, or has printed before it was killed; then the job may be removed.
async function checkResult(job) {
    const { how, stdout, stderr } = await run('wait', '--json', job.id);
    const result = job.before ?? resultOf(stdout);
    if (job.before) {
        seen.delivered++;
        await run('rm', job.id); // of its file, if it was killed after the container was removed
    } else
        is(how, `exit ${result?.status === 'error' ? 1 : 0}`, `kill ${job.number}: isolator wait: ${stderr}`);
    is({ stdout: result?.stdout, exitCode: result?.exitCode, reason: result?.reason },
        { stdout: job.stdout, exitCode: job.status, reason: 'exit' }, `kill ${job.number}: its result`);
}

// Listens to the engine, and returns the spans of the random instants: a little more than what each command takes.
let events;
async function measure() {
    events = new Program(docker, ['events', '--filter', 'type=container', '--filter', 'label=isolator.job.user', '--format',
        '{{.Action}} {{index .Actor.Attributes "isolator.pid"}} {{.Actor.Attributes.name}}']);
    const seconds = {};
    for (const [number, language] of [[0, 'c'], [1, 'ash']]) {
        const job = makeJob(number);
        const began = Date.now();
        const { stdout, pid } = await run('start', job.file);
        const started = Date.now();
        starters.add(pid);
        if (language === 'c')
            await dockerLines('wait', `isolator-job-${stdout.trim()}`);
        const waited = Date.now();
        await checkResult({ ...job, id: stdout.trim() });
        seconds[language] = 1.2 * (started - began) / 1000;
        const span = 1.2 * (Date.now() - waited) / 1000;
        Object.assign(seconds, language === 'c' ? { fetch: span } : { wait: span, logs: span });
    }
    ok(events.stdout() !== '', 'docker events listens');
    return seconds;
}

const experiment = once(async () => {
    const volumes = await danglingVolumes();
    spans = await measure();
    const began = Date.now();
    const limited = limiter(AT_ONCE);
    const plan = Array.from({ length: KILLS }, (_, i) => ({ job: makeJob(i + 2), command: oneOf(['start', 'start', 'wait', 'fetch', 'logs']),
        others: oneOf(['nothing', 'docker']) }));
    await Promise.all(plan.map(({ job, command, others }) => limited(async () => {
        const started = command === 'start' ? await killStart(job, others) : await killReader(job, command, others);
        if (started)
            await checkResult(started);
    })));
    return { volumes, seconds: Math.round((Date.now() - began) / 1000) };
});

testCase(`${KILLS} kills: each job is wholly started, and its result is right, or there is none`, async () => {
    const { seconds } = await experiment();
    ok(seen.alive >= KILLS / 2, 'most of them were alive when they were killed', seen.alive);
    note(`figures: ${KILLS} kills in ${seconds} s, seed ${SEED}, ${seen.alive} alive: start ${seen.none + seen.started + seen.printed} ` +
        `(${seen.none} without a job, ${seen.started} with one, ${seen.printed} had printed its id), wait ${seen.wait + seen.fetch} ` +
        `(${seen.delivered} had printed the result), logs ${seen.logs}`);
});

testCase('none runs twice', async () => {
    await experiment();
    const counts = new Map();
    for (const line of events.stdout().split('\n').slice(0, -1)) {
        const [action, pid, name] = line.split(' ');
        if (starters.has(Number(pid)) && ['create', 'start'].includes(action))
            for (const key of [`${action} ${name}`, `${action} by ${pid}`])
                counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    ok(counts.size >= KILLS / 2, 'the engine has reported them', counts.size);
    is([...counts].filter(([, count]) => count > 1), [], 'each container is created once and started once, one for each start');
});

testCase('no container, no volume and no file is left', async () => {
    const { volumes } = await experiment();
    let left;
    await comesTrue(async () => {
        await run('gc');
        left = (await Promise.all([...starters].map(jobsOf))).flat();
        return left.length === 0 && files().length === 0;
    }, 60);
    is(left, [], 'containers');
    is(files(), [], 'files');
    // Those of other tests come and go meanwhile.
    const remaining = (await danglingVolumes()).filter((volume) => !volumes.includes(volume));
    await until(async () => !(await danglingVolumes()).some((volume) => remaining.includes(volume)), 'no volume is left');
});

await finish();
