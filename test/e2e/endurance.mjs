#!/usr/bin/env node
// Many at once: isolator run side by side, a batch and a server with as many at a time; each has the result of its own. And
// many in a row through one batch and one server, which do not grow: no descriptor, no thread, no memory. Nothing is left.
//
// ENDURANCE  how many in a row (100; `make soak`: 20000)
// SHARED     how many lines share containers (200; `make soak`: 100000)
// AT_ONCE    how many at once (30; `make soak`: 50)

import { closeSync, openSync, readSync, readdirSync, writeSync } from 'node:fs';
import { finish, is, note, testCase, within } from '../mcp/cases.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';
import { Program, allContainers, comesTrue, configFile, contentOf, danglingVolumes, isolator, makeFifo, scratch, until,
    writeFile } from '../mcp/processes.mjs';

const IN_A_ROW = Number(process.env.ENDURANCE ?? 100);
const SHARED = Number(process.env.SHARED ?? 200);
const AT_ONCE = Number(process.env.AT_ONCE ?? 30);
const LONG = 1200; // seconds to wait; only what is wrong needs them
const SANITIZED = Boolean(process.env.ISOLATOR_SANITIZED); // which keeps 16 MB of what was freed, and as much besides
// What resident memory may differ by: some pages, not a result each.
const GROWTH_KB = (IN_A_ROW > 1000 ? 1024 : 512) + (SANITIZED ? 65536 : 0);
const MAX_KB = SANITIZED ? 4 * 8192 + 131072 : 8192; // the peak of a process that does so many at once

// The engine is busy: what stays in a queue there is no fault.
const members = { engineTimeoutSeconds: 600, maxConcurrent: AT_ONCE, maxQueued: AT_ONCE, promptsDir: scratch };
process.env.ISOLATOR_CONFIG = configFile(members);
const numbers = (count) => Array.from({ length: count }, (_, i) => i + 1);
const request = (number) => ({ language: 'busybox', entrypoint_code: `echo is $((${number}))`, timeout_seconds: 600 });
const lineOf = (id) => `${JSON.stringify({ id, ...request(id) })}\n`;
const secondsSince = (began) => Math.round((Date.now() - began) / 1000);

// What a process has: descriptors, threads, resident memory and its peak in kB; -1 if it has ended.
function stateOf(pid) {
    const status = contentOf(`/proc/${pid}/status`);
    const value = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? -1);
    let descriptors = -1;
    try {
        descriptors = readdirSync(`/proc/${pid}/fd`).length;
    } catch {
        // it has ended
    }
    return { descriptors, threads: value('Threads'), resident: value('VmRSS'), peak: value('VmHWM') };
}

// A batch whose stdin stays open, so that the process can be looked at.
class Batch extends Program {
    #input;
    #output;
    #rest = '';
    #results = [];

    constructor(jobs, ...options) {
        const input = makeFifo('writing');
        super(isolator, ['batch', '-j', String(jobs), ...options], { stdin: input.reading });
        closeSync(input.reading);
        this.#input = input.writing;
        this.#output = openSync(this.stdoutPath, 'r');
    }

    send(text) { writeSync(this.#input, text); }
    closeInput() { closeSync(this.#input); }

    // The results so far.
    results() {
        const chunk = Buffer.alloc(1 << 16);
        for (let length; (length = readSync(this.#output, chunk)) > 0;) {
            const lines = (this.#rest + chunk.toString('latin1', 0, length)).split('\n');
            this.#rest = lines.pop();
            this.#results.push(...lines.map((line) => JSON.parse(line)));
        }
        return this.#results;
    }
}

let volumesBefore;
async function nothingIsLeft(...programs) {
    const pids = programs.map(({ pid }) => pid);
    let left;
    await comesTrue(async () => {
        left = (await allContainers()).filter(({ pid }) => pids.includes(pid));
        return left.length === 0;
    });
    is(left, [], 'no container is left');
    await comesTrue(async () => {
        left = (await danglingVolumes()).filter((volume) => !volumesBefore.includes(volume));
        return left.length === 0;
    }, 60);
    is(left, [], 'no volume is left');
}

// ---- many at once

testCase(`${AT_ONCE} isolator run at once: each prints its own number`, async () => {
    volumesBefore ??= await danglingVolumes();
    const began = Date.now();
    const programs = numbers(AT_ONCE).map((number) =>
        new Program(isolator, ['run', '--timeout', '600s', writeFile(`${scratch}/number-${number}.ash`, `echo is $((${number}))`)]));
    for (const [i, program] of programs.entries()) {
        is(await program.end(LONG), 'exit 0', program.stderr());
        is(program.stdout().startsWith('{') ? JSON.parse(program.stdout()).stdout : program.stdout(), `is ${i + 1}\n`);
    }
    note(`figures: ${AT_ONCE} isolator run at once: ${secondsSince(began)} s`);
    await nothingIsLeft(...programs);
});

testCase(`isolator batch -j ${AT_ONCE}: each line has the result of its own`, async () => {
    volumesBefore ??= await danglingVolumes();
    const began = Date.now();
    const batch = new Batch(AT_ONCE);
    batch.send(numbers(AT_ONCE).map(lineOf).join(''));
    await comesTrue(() => batch.results().length >= AT_ONCE || batch.hasEnded, LONG);
    const { peak } = stateOf(batch.pid);
    batch.closeInput();
    is(await batch.end(LONG), 'exit 0', 'all succeed');
    is(batch.results().sort((a, b) => a.id - b.id).map(({ id, stdout }) => [id, stdout]), numbers(AT_ONCE).map((id) => [id, `is ${id}\n`]));
    within(peak, 500, MAX_KB, 'peak memory in kB');
    note(`figures: isolator batch with ${AT_ONCE} at once: ${secondsSince(began)} s, at most ${peak} kB`);
    await nothingIsLeft(batch);
});

testCase(`isolator-mcp, ${AT_ONCE} calls at once: each has the result of its own`, async () => {
    volumesBefore ??= await danglingVolumes();
    const began = Date.now();
    const server = await startServer({ config: members });
    await server.initialize('2025-11-25');
    numbers(AT_ONCE).forEach((id) => server.call(request(id), { id }));
    for (const id of numbers(AT_ONCE))
        is(summary(await server.response(id, LONG)), `--- stdout ---\nis ${id}\n`);
    const { peak } = stateOf(server.pid);
    within(peak, 500, MAX_KB, 'peak memory in kB');
    is(await server.close(), 'exit 0');
    note(`figures: isolator-mcp with ${AT_ONCE} calls at once: ${secondsSince(began)} s, at most ${peak} kB`);
    await nothingIsLeft(server);
});

// ---- many in a row

// The state of a process once its descriptors and threads have stayed the same for a second.
async function stateAtRest({ pid }) {
    let state = stateOf(pid);
    let since = Date.now();
    await comesTrue(() => {
        const before = state;
        state = stateOf(pid);
        if (state.descriptors !== before.descriptors || state.threads !== before.threads)
            since = Date.now();
        return Date.now() - since >= 1000;
    }, 60);
    return state;
}

// `threads`: that it may have. A run at a time has up to two (service/workers.h), which start when they are first needed.
function hasNotGrown(name, threads, before, after) {
    within(after.descriptors, 1, before.descriptors, `${name}: descriptors`);
    within(after.threads, 1, threads, `${name}: threads`);
    within(after.resident, 500, before.resident + GROWTH_KB, `${name}: memory in kB`);
    note(`${name}: ${Object.keys(before).map((key) => `${key} ${before[key]} -> ${after[key]}`).join(', ')}`);
}

// Sends the batch the lines up to this number, at most 20 ahead of the results.
async function sendLines(batch, first, last) {
    for (let sent = first - 1; sent < last || batch.results().length < last;) {
        const results = batch.results().length;
        for (; sent < last && sent - results < 20; sent++)
            batch.send(lineOf(sent + 1));
        await until(() => batch.results().length > results || batch.hasEnded, 'the next result of the batch', LONG);
        if (batch.hasEnded)
            throw new Error(`the batch has ended: ${batch.how}; ${batch.stderr()}`);
    }
}

async function callInARow(server, first, last) {
    for (let number = first; number <= last; number++)
        is(summary(await server.response(server.call(request(number)), LONG)), `--- stdout ---\nis ${number}\n`, `call ${number}`);
}

testCase(`${IN_A_ROW} in a row through one batch and one server: each has the result of its own, and they do not grow`, async () => {
    volumesBefore ??= await danglingVolumes();
    const began = Date.now();
    const lines = Math.floor(IN_A_ROW * 0.7);
    const calls = IN_A_ROW - lines;
    const [firstLines, firstCalls] = [lines, calls].map((count) => Math.floor(count / 10) || 1);
    const batch = new Batch(2);
    const server = await startServer({ config: { ...members, maxConcurrent: 1 } });
    await server.initialize('2025-11-25');

    // The state is taken when nothing is at work: before the first, after the first tenth and at the end.
    const own = [await stateAtRest(batch), await stateAtRest(server)];
    await Promise.all([sendLines(batch, 1, firstLines), callInARow(server, 1, firstCalls)]);
    const before = [await stateAtRest(batch), await stateAtRest(server)];
    await Promise.all([sendLines(batch, firstLines + 1, lines), callInARow(server, firstCalls + 1, calls)]);
    const after = [await stateAtRest(batch), await stateAtRest(server)];
    is(batch.results().filter(({ id, stdout }) => stdout !== `is ${id}\n`), [], 'each line has the result of its own');
    is(new Set(batch.results().map(({ id }) => id)).size, lines, 'each line has a result');
    hasNotGrown(`isolator batch, ${lines} in a row`, own[0].threads + 2 * 2, before[0], after[0]);
    hasNotGrown(`isolator-mcp, ${calls} in a row`, own[1].threads + 2 * 1, before[1], after[1]);
    batch.closeInput();
    is(await batch.end(LONG), 'exit 0', 'all of the batch succeed');
    is(await server.close(), 'exit 0');
    note(`figures: ${IN_A_ROW} in a row: ${secondsSince(began)} s`);
    await nothingIsLeft(batch, server);
});

testCase(`${SHARED} lines in a row that share containers: the batch does not grow`, async () => {
    volumesBefore ??= await danglingVolumes();
    const batch = new Batch(1, '--share=1000');
    const own = await stateAtRest(batch);
    const rate = async (first, last) => {
        const began = Date.now();
        await sendLines(batch, first, last);
        return 1000 * (last - first + 1) / (Date.now() - began);
    };
    const tenth = Math.floor(SHARED / 10);
    const firstRate = await rate(1, tenth);
    const before = await stateAtRest(batch);
    await rate(tenth + 1, SHARED - tenth);
    const lastRate = await rate(SHARED - tenth + 1, SHARED);
    hasNotGrown(`isolator batch --share, ${SHARED} in a row`, own.threads + 2, before, await stateAtRest(batch));
    is(batch.results().filter(({ id, stdout }) => stdout !== `is ${id}\n`), [], 'each line has the result of its own');
    is(batch.results().filter(({ served }) => served === 0).length, Math.ceil(SHARED / 1000), 'how many containers there were');
    note(`figures: the last tenth at ${(lastRate / firstRate).toFixed(2)} of the rate of the first, ${firstRate.toFixed(0)} a second`);
    batch.closeInput();
    is(await batch.end(LONG), 'exit 0', 'all succeed');
    await nothingIsLeft(batch);
});

await finish();
