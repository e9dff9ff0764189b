#!/usr/bin/env node
// SIGKILL to isolator run, isolator batch and isolator-mcp at random instants after their start, on an engine that several
// of them keep busy: to one of three alone, to one with its docker commands, to one with all that it has started, its
// reaper too. The instants are from 0 to 2 s or, on a slow machine, to four times what a short run takes. Programs die with
// them: what was running is gone soon, and what was created and not started yet, which no lifeline covers, is gone after
// the next start.
//
// KILLS      how many (80; `make soak`: 5000)
// KILL_SEED  of the random instants; it is printed, so that a run can be repeated

import { spawnSync } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { finish, is, note, ok, testCase } from '../mcp/cases.mjs';
import { Program, allContainers, comesTrue, configFile, danglingVolumes, docker, engineIs, isolator, isolatorMcp, limiter, makeFifo, once,
    pause, scratch, until, writeFile } from '../mcp/processes.mjs';
import { Victim, randomNumbers } from '../mcp/victims.mjs';

const KILLS = Number(process.env.KILLS ?? 80);
const SEED = Number(process.env.KILL_SEED ?? Math.floor(2 ** 31 * Math.random()));
const AT_ONCE = 2;
const PATIENCE = 120; // seconds; only what is wrong needs them

const random = randomNumbers(SEED);
const oneOf = (list) => list[Math.floor(random() * list.length)];

// ---- the victims

// It ignores what can be ignored, and has children.
const STUBBORN = 'trap "" HUP INT TERM QUIT; setsid sleep 600 & sleep 600 & while :; do sleep 0.1; done';
const stubborn = writeFile(`${scratch}/stubborn.ash`, STUBBORN);
const short = writeFile(`${scratch}/short.ash`, 'echo hello; sleep 1');
const hello = writeFile(`${scratch}/hello.ash`, 'echo hello');
const request = (i) => ({ language: 'busybox', timeout_seconds: 600, entrypoint_code: i % 3 ? 'echo hello' : STUBBORN });
const numbers = (count) => Array.from({ length: count }, (_, i) => i + 1);
const requests = writeFile(`${scratch}/requests`, numbers(50).map((i) => `${JSON.stringify(request(i))}\n`).join(''));
const messages = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {},
        clientInfo: { name: 'kills', version: '1' } } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    ...numbers(30).map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'execute_code', arguments: request(id) } })),
].map((message) => `${JSON.stringify(message)}\n`).join('');
// A reaper looks for as long as engineTimeoutSeconds whether the engine is done.
const config = configFile({ warm: { busybox: 1 }, promptsDir: scratch, engineTimeoutSeconds: 60 });
const VICTIMS = [
    { name: 'isolator run', command: isolator, args: ['run', '--config', config, '--timeout', '600s', stubborn] },
    { name: 'isolator run', command: isolator, args: ['run', '--config', config, short] },
    { name: 'isolator batch', command: isolator, args: ['batch', '--config', config, '-j', '1'], stdin: requests },
    { name: 'isolator batch', command: isolator, args: ['batch', '--config', config, '-j', '2', '--share=3'], stdin: requests },
    { name: 'isolator-mcp', command: isolatorMcp, args: ['--config', config] }, // the host keeps the pipe open
];

class Sandboxed extends Victim {
    #input;

    constructor({ command, args, stdin }) {
        const input = command === isolatorMcp ? makeFifo('writing') : undefined;
        super(command, args, { stdin: input?.reading ?? stdin, stdout: '/dev/null', stderr: '/dev/null' });
        if (!input)
            return;
        writeSync(input.writing, messages);
        closeSync(input.reading);
        this.#input = input.writing;
    }

    async kill(only) {
        await super.kill(only);
        if (this.#input !== undefined)
            closeSync(this.#input);
    }
}

// Runs hello.ash, which removes what others have left. Returns how long that took, in seconds.
function runHello() {
    const began = Date.now();
    const { status, stdout } = spawnSync(isolator, ['run', '--config', config, hello], { encoding: 'utf8' });
    if (status !== 0)
        throw new Error(`isolator run: ${stdout}`);
    return (Date.now() - began) / 1000;
}

// ---- what the engine says of containers: when, what, of which process, which container

let events;
async function watchEvents() {
    // podman 4.3 finds no event by a label without its value.
    const version = engineIs('podman') ? spawnSync(docker, ['version', '--format', '{{.Client.Version}}'], { encoding: 'utf8' }).stdout : '';
    const [filter, format] = engineIs('podman') ?
        [[], (version.startsWith('4.') ? '{{.Time.UnixNano}}' : '{{.TimeNano}}') + ' {{.Status}} {{index .Attributes "isolator.pid"}} {{.Name}}'] :
        [['--filter', 'label=isolator.pid'],
            '{{.TimeNano}} {{.Action}} {{index .Actor.Attributes "isolator.pid"}} {{.Actor.Attributes.name}}'];
    events = new Program(docker, ['events', '--filter', 'type=container', ...filter, '--format', format]);
    await until(() => {
        runHello();
        return events.stdout() !== '';
    }, 'docker events listens');
}

// podman's words for two of docker's.
const DOCKER_ACTIONS = { remove: 'destroy', died: 'die' };

// The histories of the victims' containers: {pid, ACTION: SECONDS}...
function histories(victims) {
    const byName = new Map();
    for (const line of events.stdout().split('\n').slice(0, -1)) {
        const [nanoseconds, action, pid, name] = line.split(' ');
        if (victims.has(Number(pid)))
            byName.set(name, { ...byName.get(name), pid: Number(pid), [DOCKER_ACTIONS[action] ?? action]: nanoseconds / 1e9 });
    }
    return [...byName.values()];
}

// ---- the experiment

// Starts and kills them all: {victims, volumes, seconds, kinds, withs}, the victims by process.
const experiment = once(async () => {
    await watchEvents();
    const volumes = await danglingVolumes();
    const span = Math.max(2, 4 * Math.min(runHello(), runHello(), runHello())); // one can be slow beside other tests
    const began = Date.now();
    const victims = new Map();
    const tallies = [{}, {}];
    const tally = (counts, name) => { counts[name] = (counts[name] ?? 0) + 1; };
    const hasStarted = (victim) => histories(new Map([[victim.pid, victim]])).some(({ start }) => start !== undefined);
    // On a busy machine few containers run at a moment that was drawn, so each tenth process is killed once one has started.
    const plan = numbers(KILLS).map((number) => ({ runs: number % 10 === 0, kind: oneOf(VICTIMS), others: oneOf(['nothing', 'docker', 'all']),
        seconds: span * random() }));
    const limited = limiter(AT_ONCE);
    await Promise.all(plan.map(({ runs, kind, others, seconds }) => limited(async () => {
        const victim = new Sandboxed(kind);
        victims.set(victim.pid, victim);
        tally(tallies[0], kind.name);
        tally(tallies[1], others);
        await (runs ? comesTrue(() => hasStarted(victim), 10) : pause(seconds));
        await victim.kill(others);
    })));
    return { victims, volumes, tallies, seconds: Math.round((Date.now() - began) / 1000) };
});

// What does not run may stay until then. podman has no daemon: if the process that removes a container is killed, nothing
// else does.
const LEFT_TO_THE_NEXT_START = engineIs('podman') ? /^(Created|Exited)/ : /^Created$/;

const containersOf = async (victims) => (await allContainers()).filter(({ pid }) => victims.has(pid));

testCase(`${KILLS} kills: nothing runs on`, async () => {
    const { victims } = await experiment();
    let left;
    await comesTrue(async () => {
        left = (await containersOf(victims)).filter(({ status }) => !LEFT_TO_THE_NEXT_START.test(status));
        return left.length === 0;
    }, PATIENCE);
    is(left, []);
    const met = [...victims.values()].filter(({ how }) => how === 'SIGKILL').length;
    ok(met >= KILLS / 2, 'most of them were alive when they were killed', met);
});

testCase('the next start removes containers that were created and not started, and no volume is left', async () => {
    const { victims, volumes } = await experiment();
    await until(async () => {
        runHello();
        return (await containersOf(victims)).length === 0;
    }, 'no container is left');
    // Those of other tests come and go meanwhile.
    const left = (await danglingVolumes()).filter((volume) => !volumes.includes(volume));
    await until(async () => !(await danglingVolumes()).some((volume) => left.includes(volume)), 'no volume is left');
});

testCase('what ran, or was about to, is removed', async () => {
    const { victims, tallies, seconds } = await experiment();
    await until(() => histories(victims).every(({ start, destroy }) => start === undefined || destroy !== undefined),
        'the engine has reported the end of each that ran');
    const gone = new Map(); // process => the seconds that its last container was there after the kill
    const begun = new Map(); // the same if the engine was yet about to start it
    const ran = new Map(); // process => the seconds that the processes of its last container ran after the kill
    let idle = 0;
    for (const { pid, start, die, destroy } of histories(victims)) {
        const { killedAt } = victims.get(pid);
        if (start === undefined)
            idle++;
        else if (destroy > killedAt) {
            const times = start < killedAt ? gone : begun;
            times.set(pid, Math.max(times.get(pid) ?? 0, destroy - killedAt));
            if (start < killedAt && die > killedAt)
                ran.set(pid, Math.max(ran.get(pid) ?? 0, die - killedAt));
        }
    }
    // podman, which has no daemon, starts a container so soon that a kill seldom comes before.
    ok(gone.size > 0 && (begun.size > 0 || engineIs('podman')) && gone.size + begun.size >= KILLS / 4, 'many had something running, or about to', gone.size, begun.size);
    const shownTally = (counts) => Object.keys(counts).sort().map((name) => `${name} ${counts[name]}`).join(', ');
    note(`figures: ${KILLS} kills (${shownTally(tallies[0])}; killed with it: ${shownTally(tallies[1])}) in ${seconds} s, seed ${SEED}`);
    note(`figures: ${gone.size} had something running, ${goneAfter(gone)}`);
    note(`figures: of them ${ran.size} still ran, and their processes were ${goneAfter(ran)}`);
    note(`figures: of ${begun.size} the engine was about to start it, ${goneAfter(begun)}`);
    note(`figures: ${idle} containers were never started`);
});

function goneAfter(seconds) {
    const times = [...seconds.values()].sort((a, b) => a - b);
    if (times.length === 0)
        return 'none of which was gone later';
    const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(2);
    return `gone after: median ${at(0.5)} s, 95 % ${at(0.95)} s, at most ${at(1)} s`;
}

await finish();
