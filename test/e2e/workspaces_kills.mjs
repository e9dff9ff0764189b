#!/usr/bin/env node
// SIGKILL to isolator create, exec, stop and rm at random instants, to one of two alone, to the other with its docker
// commands. A workspace is whole or there is none, the next command works, and none runs twice.
//
// KILLS      how many of exec (24; `make soak`: 5000), and a third as many of the others
// KILL_SEED  of the random instants; it is printed, so that a run can be repeated

import { readdirSync } from 'node:fs';
import { finish, is, note, ok, testCase } from '../mcp/cases.mjs';
import { Program, comesTrue, danglingVolumes, dockerLines, isolator, pause, scratch, until } from '../mcp/processes.mjs';
import { Victim, randomNumbers } from '../mcp/victims.mjs';

const KILLS = Number(process.env.KILLS ?? 24);
const SEED = Number(process.env.KILL_SEED ?? Math.floor(2 ** 31 * Math.random()));
const ID = /^[0-9a-f]{16}\n$/;

process.env.XDG_STATE_HOME = `${scratch}/state`;
const random = randomNumbers(SEED);
const oneOf = (list) => list[Math.floor(random() * list.length)];
const files = () => readdirSync(`${scratch}/state/isolator/jobs`);
const makers = new Set(); // processes that were to make a workspace
let scale = 1; // of the spans: other load on the machine comes and goes
let alive = 0;
const volumes = await danglingVolumes();

async function run(...args) {
    const program = new Program(isolator, args);
    return { how: await program.end(), stdout: program.stdout(), stderr: program.stderr(), pid: program.pid };
}

async function make() {
    const { how, stdout, stderr, pid } = await run('create', '--language', 'busybox');
    makers.add(pid);
    ok(ID.test(stdout), `a workspace is made: ${how}`, stderr);
    return stdout.trim();
}

async function killAfter(seconds, ...args) {
    const victim = new Victim(isolator, args);
    await pause(scale * seconds * random());
    await victim.kill(oneOf(['nothing', 'docker']));
    alive += victim.how === 'SIGKILL';
    scale *= victim.how === 'SIGKILL' ? 1.1 : 0.7; // about four of five are alive
    return victim;
}

// The seconds that a command takes, and a little more.
async function span(...args) {
    const began = Date.now();
    const { stdout } = await run(...args);
    return [1.2 * (Date.now() - began) / 1000, stdout.trim()];
}

async function workspacesOf(pid) {
    const names = await dockerLines('ps', '-a', '--filter', `label=isolator.pid=${pid}`, '--format', '{{.Names}}');
    return names.filter((name) => name.startsWith('isolator-workspace-')).map((name) => name.slice('isolator-workspace-'.length));
}

testCase(`${KILLS} kills of exec: the next command works, and none has run twice`, async () => {
    const id = await make();
    const command = (number) => ['exec', id, '--', 'sh', '-c', 'echo "begun $0" >>log; sleep 0.1; echo "ended $0" >>log', String(number)];
    const [seconds] = await span(...command(0));
    const ended = ['ended 0'];
    for (let number = 1; number <= KILLS; number++) {
        const victim = await killAfter(seconds, ...command(number));
        if (victim.stdout().includes('"success"'))
            ended.push(`ended ${number}`);
        const { how, stdout, stderr } = await run('exec', '--stream', id, '--', 'cat', 'log');
        is(how, 'exit 0', `kill ${number}: the next command: ${stderr}`);
        const lines = stdout.trim().split('\n');
        is(lines.length, new Set(lines).size, `kill ${number}: none has run twice`);
        is(ended.filter((line) => !lines.includes(line)), [], `kill ${number}: what was reported has happened`);
    }
    ok(alive >= KILLS / 2, 'most of them were alive when they were killed', alive);
    is((await run('rm', '--force', id)).how, 'exit 0', 'it is removed');
});

testCase('kills of create: a workspace is whole, or there is none', async () => {
    const [seconds, id] = await span('create', '--language', 'busybox');
    is((await run('rm', '--force', id)).how, 'exit 0', 'it is removed');
    for (let number = 0; number < KILLS / 3; number++) {
        const { pid } = await killAfter(seconds, 'create', '--language', 'busybox');
        let ids;
        makers.add(pid);
        await until(async () => {
            await run('gc');
            ids = await workspacesOf(pid);
            return ids.every((one) => files().includes(one));
        }, `kill ${number}: after isolator gc there is no container, or a workspace that is made`);
        for (const one of ids) {
            is((await run('exec', one, '--', 'true')).how, 'exit 0', `kill ${number}: a command runs in it`);
            is((await run('rm', '--force', one)).how, 'exit 0', `kill ${number}: it is removed`);
        }
    }
});

testCase('kills of stop and rm: the workspace is there, has ended, or is gone', async () => {
    for (let number = 0; number < KILLS / 3; number++) {
        const id = await make();
        const command = oneOf([['stop'], ['rm', '--force']]);
        await killAfter(0.3, ...command, id);
        const { how } = await run('exec', id, '--', 'true');
        ok(['exit 0', 'exit 2'].includes(how), `kill ${number}: exec says what is known`, how);
        const { how: removed, stderr } = await run('rm', '--force', id);
        ok(removed === 'exit 0' || stderr.includes('no job'), `kill ${number}: it is removed`, stderr);
    }
    note(`figures: ${alive} of ${Math.round(KILLS * 5 / 3)} alive when they were killed, seed ${SEED}`);
});

testCase('no container, no volume and no file is left', async () => {
    let left;
    await comesTrue(async () => {
        await run('gc');
        left = (await Promise.all([...makers].map(workspacesOf))).flat();
        return left.length === 0 && files().length === 0;
    }, 60);
    is(left, [], 'containers');
    is(files(), [], 'files');
    // Those of other tests come and go meanwhile.
    const remaining = (await danglingVolumes()).filter((volume) => !volumes.includes(volume));
    await until(async () => !(await danglingVolumes()).some((volume) => remaining.includes(volume)), 'no volume is left');
});

await finish();
