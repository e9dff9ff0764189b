#!/usr/bin/env node
// isolator-mcp: warm containers. Each serves one call and is removed; calls see nothing of each other, nor whether
// theirs had waited; the pool is refilled, and ends with the server.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { encoded, finish, has, is, matches, ok, testCase } from '../mcp/cases.mjs';
import { startServer } from '../mcp/pipe_client.mjs';
import { comesTrue, dockerLines, pause, scratch, until, writeFile } from '../mcp/processes.mjs';

const WARM = { warm: { busybox: 1 } };

async function start(options) {
    const server = await startServer(options);
    await server.initialize('2025-11-25');
    return server;
}

// The same, once the tools were listed, which fills the pool.
async function startPool(options = {}) {
    const server = await start({ ...options, config: { ...WARM, ...options.config } });
    await server.ask('tools/list');
    return server;
}

const resultOf = async (server, id) => (await server.response(id)).result.structuredContent;
const shell = (server, code) => resultOf(server, server.shell(code));

// The name of the only container that runs for the server besides those that are given. It is ready for a call once its
// supervisor has said so, which only a call shows.
async function waitingContainer(server, ...others) {
    let names = [];
    await until(async () => {
        const running = await dockerLines('ps', '--filter', `label=isolator.pid=${server.pid}`, '--format', '{{.Names}}');
        names = running.filter((name) => !others.includes(name));
        return names.length === 1;
    }, 'a container waits');
    return names[0];
}

// The result of the first call that a warm container serves.
async function warmResult(server, code) {
    let result;
    await until(async () => {
        result = await shell(server, code);
        return result.warm;
    }, 'a warm container serves a call');
    return result;
}

// How often --verbose has reported this step.
const countSteps = (server, step) => server.stderr().split('\n').filter((line) => line.startsWith(`isolator-mcp: ${step} `)).length;

// ---- what a program can see of its container

const LOOK = `
for directory in /workspace /tmp /dev/shm; do echo "$directory:" $(ls -a $directory); done
for pid in $(cd /proc && echo [0-9]*); do echo "process $pid $(cat /proc/$pid/comm)"; done 2>/dev/null
echo "hostname: $(hostname)"
env | sort
find / -xdev -newer /etc/hostname -type f ! -path '/proc/*' ! -path '/sys/*' 2>/dev/null | sort
mount | grep -c .
ls -l /proc/self/fd | wc -l
id
`;
const POLLUTE = `
echo left >/workspace/left; echo left >/tmp/left; echo left >/dev/shm/left
mkdir -p /tmp/deep/er /workspace/.isolator-x
export LEFT=left
hostname polluted 2>/dev/null
setsid sleep 600 >/dev/null 2>&1 &
( while :; do :; done ) >/dev/null 2>&1 &
kill -STOP -1 2>/dev/null
kill -CONT -1 2>/dev/null
rm -rf /workspace/main.ash
echo polluted
`;

const USER = /^uid=(?!65534 )(\d{5,7}) gid=\1 groups=\1\n/m;

// What LOOK saw without what varies: the numbers of its processes, which are process 1, the program, and a child of it
// that has ended; and its user.
function withoutNumbers({ stdout }) {
    const processes = [...stdout.matchAll(/^process (\d+) (.*)\n/gm)].map(([, pid, name]) => (pid === '1' ? `1 ${name}` : name));
    is(processes.sort(), ['', '1 supervisor', 'sh'], 'the program sees its own processes only');
    matches(stdout, USER, 'it has a user of its own');
    return stdout.replace(/^process \d+ .*\n/gm, '').replace(USER, '');
}

testCase('a warm container looks like a cold one, and shows nothing of earlier calls', async () => {
    const cold = await start();
    const expected = await shell(cold, LOOK);
    is([expected.status, expected.warm], ['success', false], 'a cold container');
    const seen = withoutNumbers(expected);
    matches(seen, /^\/workspace: \. \.\. main\.ash$/m, 'its working directory');

    const server = await startPool();
    await waitingContainer(server);
    const names = [expected.container];
    for (const round of [1, 2]) {
        const result = await warmResult(server, LOOK);
        is(withoutNumbers(result), seen, `round ${round}: what a program sees`);
        is(Object.keys(result).sort(), [...Object.keys(expected), 'ready'].sort(), `round ${round}: the members of the result`);
        const polluting = await warmResult(server, POLLUTE);
        is([polluting.status, polluting.stdout], ['success', 'polluted\n'], `round ${round}: a program leaves all it can`);
        names.push(result.container, polluting.container);
    }
    is(new Set(names).size, 5, 'no container has served twice');
});

// ---- the pool

testCase('a warm container of an image without a shell', async () => {
    const server = await start({ config: { warm: { noshell: 1 } } });
    const ask = () => resultOf(server, server.call({ language: 'noshell', entrypoint_code: 'text' }));
    await until(async () => (await ask()).warm, 'a warm container serves a call');
    is((await ask()).stdout, '--cat\nmain.txt\ntext');
});

testCase('a call with a timeout of more than an hour gets a cold container', async () => {
    const server = await startPool();
    await waitingContainer(server);
    const { warm, stdout } = await resultOf(server, server.call({ language: 'busybox', entrypoint_code: 'echo other', timeout_seconds: 4000 }));
    is([warm, stdout], [false, 'other\n']);
});

// ---- limits of another size

const LARGER = { memory_mb: 300, cpus: 0.75, pids_limit: 100 };
const SEE_LIMITS = `cd /sys/fs/cgroup
for file in memory/memory.limit_in_bytes memory/memory.memsw.limit_in_bytes memory.max cpu/cpu.cfs_quota_us cpu.max pids/pids.max pids.max; do
    [ ! -e $file ] || echo $file $(cat $file)
done`;
const callOf = (limits) => ({ language: 'busybox', entrypoint_code: SEE_LIMITS, ...limits });
const MAXIMUMS = { maximums: { memoryMB: 400, cpus: 1, pidsLimit: 200 } };

testCase('a warm container of another size gets the limits of the call', async () => {
    const cold = await start({ config: MAXIMUMS });
    const expected = await resultOf(cold, cold.call(callOf(LARGER)));
    is([expected.status, expected.warm], ['success', false], 'a cold container');
    matches(expected.stdout, /^memory\S+ 314572800$/m, 'its memory');
    const server = await startPool({ config: MAXIMUMS, arguments: ['--verbose'] });
    for (const [index, limits] of [LARGER, { memory_mb: 32 }, LARGER].entries()) {
        let result;
        await until(async () => {
            result = await resultOf(server, server.call(callOf(limits)));
            return result.warm;
        }, 'a warm container serves a call');
        if (limits === LARGER)
            is(result.stdout, expected.stdout, 'its limits, as the kernel has them');
        else
            matches(result.stdout, /^memory\S+ 33554432$/m, 'less memory');
        is(countSteps(server, 'resize'), index + 1, 'it was resized');
    }
    const usual = await warmResult(server, SEE_LIMITS);
    matches(usual.stdout, /^memory\S+ 268435456$/m, 'the pool keeps the usual size');
    is(countSteps(server, 'resize'), 3, 'which is not resized');
});

for (const [what, fault] of [['is refused', 'update * fail'], ['hangs', 'update * hang'], ['did not happen', 'update * garbage'],
    ['cannot be checked', 'inspect * garbage']])
    testCase(`a change of limits that ${what}: the call runs in a cold container`, async () => {
        const server = await startPool({ config: { ...MAXIMUMS, engineTimeoutSeconds: 20 }, fault });
        await waitingContainer(server);
        let result;
        await until(async () => {
            result = await resultOf(server, server.call(callOf(LARGER)));
            return existsSync(`${server.calls}/update.1`);
        }, 'a warm container was there');
        is([result.status, result.warm, result.warnings], ['success', false, []], 'it is not used');
        matches(result.stdout, /^memory\S+ 314572800$/m, 'the limits of the call');
    });

testCase('a call that is cancelled while limits change', async () => {
    const server = await startPool({ config: { ...MAXIMUMS, engineTimeoutSeconds: 600 }, fault: 'update * hang' });
    let id;
    await until(async () => {
        id = server.call(callOf(LARGER));
        const changes = await comesTrue(() => existsSync(`${server.calls}/update.1`), 2);
        if (!changes)
            await server.response(id);
        return changes;
    }, 'a warm container was there');
    server.cancel(id);
    is((await shell(server, 'echo next')).stdout, 'next\n', 'calls go on');
    is(await server.close(), 'exit 0', 'the server ends');
    is(await server.remainingContainers(), [], 'nothing is left');
});

testCase('a container that ends while it waits is replaced', async () => {
    const server = await startPool();
    const name = await waitingContainer(server);
    is(await dockerLines('kill', name), [name], 'it is killed');
    ok(await waitingContainer(server, name) !== name, 'another waits');
    is((await shell(server, 'echo still')).stdout, 'still\n', 'calls go on');
});

testCase('the server ends while a container waits', async () => {
    const server = await startPool();
    await waitingContainer(server);
    is(await server.close(), 'exit 0');
    is(await server.remainingContainers(), []);
});

testCase('the server is killed while a container waits', async () => {
    const server = await startPool();
    await waitingContainer(server);
    server.signal('SIGKILL');
    is(await server.end(), 'SIGKILL');
    is(await server.remainingContainers(), []);
});

testCase('a container that waits for long is replaced', async () => {
    const server = await startPool({ config: { warmMaxAgeSeconds: 1 } });
    const first = await waitingContainer(server);
    ok(await waitingContainer(server, first) !== first, 'another takes its place');
});

testCase('a warm container that cannot begin any more: the call runs in a cold one', async () => {
    const server = await startPool({ config: { engineTimeoutSeconds: 20 }, arguments: ['--verbose'] });
    const first = (await warmResult(server, 'echo first')).container;
    has(server.stderr(), `isolator-mcp: container ${first}, warm: true\n`, '--verbose says that it was warm');
    await until(() => countSteps(server, 'warm') === 2, 'the next is ready'); // all others are being removed
    const name = await waitingContainer(server, first);
    const delivered = countSteps(server, 'deliver');
    is(await dockerLines('kill', '--signal', 'STOP', name), [name], 'it is stopped');
    const { status, stdout, warm, container } = await shell(server, 'echo stopped');
    is([status, stdout, warm], ['success', 'stopped\n', false]);
    ok(container !== name, 'in another container');
    is(countSteps(server, 'deliver') - delivered, 2, 'the stopped one was tried');
    is(await dockerLines('ps', '-aq', '--filter', `name=${name}`), [], 'and removed before the other ran');
});

testCase('what docker says while it makes a warm container is a warning of its call', async () => {
    mkdirSync(`${scratch}/broken`);
    writeFile(`${scratch}/broken/config.json`, '{"auths": "nonsense"}');
    const server = await start({ config: WARM, env: { DOCKER_CONFIG: `${scratch}/broken` } });
    has((await warmResult(server, ':')).warnings.join(' '), 'config.json');
});

testCase('no warm container is made while calls need all cores', async () => {
    const cores = Number(execFileSync('nproc'));
    const server = await start({ config: { ...WARM, maxConcurrent: cores + 2 }, arguments: ['--verbose'] });
    const ids = Array.from({ length: cores }, () => server.shell('sleep 600'));
    await until(() => countSteps(server, 'deliver') === cores, 'a call runs on each core');
    await pause(2);
    is(countSteps(server, 'warm'), 0, 'none is made');
    server.cancel(ids[0]);
    await until(() => countSteps(server, 'warm') === 1, 'with one call less, one is made');
    is(await server.close(), 'exit 0', 'the server ends while calls run');
    is(await server.remainingContainers(), []);
});

// ---- removal after the response

testCase('a removal that hangs does not delay the next call', async () => {
    const server = await start({ config: { maxConcurrent: 1, engineTimeoutSeconds: 600 }, fault: 'run * status;rm * hang' });
    for (const number of [1, 2])
        is((await shell(server, `echo ${number}`)).stdout, `${number}\n`);
    await until(() => existsSync(`${server.calls}/rm.2`), 'both are removed at the same time');
    server.signal('SIGKILL');
    await server.end();
    is(await server.remainingContainers(), []);
});

testCase('a removal that fails is reported', async () => {
    const server = await start({ config: { engineTimeoutSeconds: 2 }, fault: 'run * status;rm * fail;ps * fail' });
    is((await shell(server, 'echo on')).stdout, 'on\n');
    const warning = /^isolator-mcp: warning: container 'isolator-[0-9a-f]{16}' may still exist: cannot remove the container: /m;
    await comesTrue(() => warning.test(server.stderr()));
    matches(server.stderr(), warning);
});

// ---- an engine that fails, and a host that only looks

testCase('an engine that fails is tried again, a second later and then two', async () => {
    const server = await startPool({ fault: 'run * fail' });
    const call = (number) => `${server.calls}/run.${number}`;
    await until(() => existsSync(call(3)), 'it is tried three times');
    const seconds = (statSync(call(3)).mtimeMs - statSync(call(1)).mtimeMs) / 1000;
    ok(seconds >= 2.9, 'seconds from the first to the third', seconds); // it waits at least that long
    is(await server.tell(), '', 'the server serves');
});

testCase('the server ends while a warm container is being made', async () => {
    const server = await startPool({ fault: 'run * slow' });
    await until(() => existsSync(`${server.calls}/run.1`), 'it is being made');
    is(await server.close(), 'exit 0');
    is(await server.remainingContainers(), []);
});

testCase('a host that only looks costs no container', async () => {
    const server = await startPool({ fault: 'none 1 fail' });
    is(await server.close(), 'exit 0');
    const calls = readdirSync(server.calls).filter((name) => !name.startsWith('gc'));
    // The second question is the version of Node.js, for TypeScript.
    ok(encoded(calls) === '["image.1","image.2"]' || server.took > 1, 'docker is called only to look for orphans and images', encoded(calls));
});

await finish();
