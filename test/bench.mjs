#!/usr/bin/env node
// Measures isolator beside what does the same by other means, in turn, in one run, and prints a table; then the figures
// that miss their bound. A part that cannot run does not stop the others, but then it exits with 1. Called by `make bench`.
//   test/bench.mjs [PART...]    default: all parts; the variables below say how much is done
// With BENCH_SVG=FILE it also draws README's comparisons in this file, if all of them were measured in full.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { Server } from './mcp/pipe_client.mjs';
import { Program, comesTrue, configFile, docker, dockerLines, engineConfig, isolator, makeFifo, pause, repository, scratch, writeFile } from './mcp/processes.mjs';
import { SupervisorClient } from './supervisor_client.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 30); // of the single calls
const reduced = process.env.BENCH_ROUNDS !== undefined || process.env.BENCH_LINES !== undefined;
const BURST = Number(process.env.BENCH_BURST ?? 20); // calls at once
const LINES = Number(process.env.BENCH_LINES ?? 200); // of the batch
const GROWTH = Number(process.env.BENCH_GROWTH ?? 2000); // calls to one server

const engine = JSON.parse(readFileSync(engineConfig, 'utf8'));
const image = engine.languages.python?.image ?? 'python:3.11-alpine';
const HELLO = 'print("Hello, World")';
const PLOT = 'isolator-test/plot:bookworm'; // the image of the tests that has numpy
const NO_WARM = { python: 0, go: 0, javascript: 0 };

// What isolator gives a container; for those that are made by hand.
const LIMITS = [...'--pull never --network none --read-only --cap-drop ALL --security-opt no-new-privileges --user 65534:65534'.split(' '),
    ...'--memory 256m --memory-swap 256m --cpus 0.5 --pids-limit 64 --ulimit core=0 --ulimit nofile=1024:1024'.split(' '),
    ...'--ipc private --hostname sandbox --log-driver none --workdir /workspace --tmpfs /tmp:rw,exec,nosuid,nodev,size=64m'.split(' ')];
const WORKDIR = ['--tmpfs', '/workspace:rw,exec,nosuid,nodev,size=64m,uid=65534,gid=65534,mode=0700'];

// ---- figures

// The value at this part of them, 0 to 1.
function at(part, values) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor(part * (sorted.length - 1) + 0.5)];
}
const median = (values) => at(0.5, values);
const row = (name, values) => console.log(`| ${name} | ${median(values).toFixed(0)} ms | ${at(0.95, values).toFixed(0)} ms |`);
const fact = (name, value) => console.log(`| ${name} | ${value} | |`);

// README's comparisons, in this order: a title, the unit, and the other way.
const COMPARISONS = {
    run: ['isolator run, and the same docker commands by hand', 'ms', 'by hand'],
    warm: ['a call to isolator-mcp while a container waits, and the bare interpreter', 'ms', 'interpreter'],
    cold: ['a call to isolator-mcp, no container waits, and the same docker commands by hand', 'ms', 'by hand'],
    batch: ['isolator batch, and docker run --rm in a shell loop, two at a time', 'per second', 'shell loop'],
};
const compared = {}; // by a key of COMPARISONS: the figures of isolator and of the other way
const missed = []; // lines about the figures that miss their bound
const broken = []; // and about the parts that could not run

// A figure with a bound, {atMost}, {atLeast} or {below}: a number, in the unit of the figure.
function bounded(name, figure, { atMost, atLeast, below }, { unit = '', digits = 0 } = {}) {
    const text = `${figure.toFixed(digits)}${unit}`;
    const [words, good] = atMost !== undefined ? [`at most ${atMost}`, figure <= atMost]
        : atLeast !== undefined ? [`at least ${atLeast}`, figure >= atLeast] : [`below ${below}`, figure < below];
    fact(`${name} (${words}${unit})`, text);
    if (!good) // and if it is no number
        missed.push(`${name}: ${text}, not ${words}${unit}`);
}

const ratio = (name, numerators, denominators, bound) => bounded(name, median(numerators) / median(denominators), bound, { digits: 2 });
const MEMORY = [{ below: 8192 }, { unit: ' kB' }];

// Milliseconds that it takes.
async function timed(work) {
    const began = performance.now();
    await work();
    return performance.now() - began;
}

// Runs it `count` times, one after the other.
async function repeat(count, work) {
    for (let i = 0; i < count; i++)
        await work(i);
}

// ---- what is measured

const run = (command, args, output = 'ignore') => execFileSync(command, args, { stdio: ['ignore', output, 'inherit'] });

function runTo(path, command, args) {
    const output = openSync(path, 'w');
    run(command, args, output);
    closeSync(output);
}

// Draws the comparisons as `isolator bench` draws its figures.
function draw(path) {
    run('cc', ['-D_GNU_SOURCE', '-Isrc', '-o', `${scratch}/draw`, 'test/fixtures/draw.c', 'src/cli/bench_picture.c', 'src/base/strbuf.c', 'src/base/memory.c']);
    runTo(path, `${scratch}/draw`, ['isolator and other ways to do the same', ...Object.entries(COMPARISONS).flatMap(([key, [title, unit, other]]) =>
        [title, unit, 'isolator', String(compared[key][0]), other, String(compared[key][1])])]);
}

const BY_HAND = 'the same by hand: `docker create`, `cp -`, `start -a`, `rm`';

// The usual recipe by hand. cp needs a volume: it cannot write to a read-only root.
function byHand() {
    const name = `isolator-bench-${process.pid}`;
    const archive = openSync(`${scratch}/hello.tar`, 'r');
    run(docker, ['create', '--name', name, ...LIMITS, '--volume', '/workspace', image, 'python3', 'main.py']);
    execFileSync(docker, ['cp', '-', `${name}:/workspace`], { stdio: [archive, 'ignore', 'inherit'] });
    closeSync(archive);
    run(docker, ['start', '--attach', name]);
    run(docker, ['rm', '--force', '--volumes', name]);
}

// A server with such a pool, once the tools were listed.
async function startPool(warm = {}, more = {}) {
    const server = new Server({ config: { warm: { ...NO_WARM, ...warm }, ...more } });
    server.stopRecording();
    await server.initialize('2025-11-25');
    await server.ask('tools/list');
    return server;
}

// Waits until so many of the server's containers are started.
async function untilWaiting(server, count) {
    const isWaiting = async () => {
        const running = await dockerLines('ps', '-q', '--filter', `label=isolator.pid=${server.pid}`);
        if (running.length !== count)
            await pause(0.3);
        return running.length === count;
    };
    if (!await comesTrue(isWaiting))
        throw new Error('no container waits');
}

const HELLO_CALL = { language: 'python', entrypoint_code: HELLO };

// A call of a program that writes this one line.
async function callHello(server, call = HELLO_CALL) {
    const response = await server.response(server.call(call));
    if (response?.result?.structuredContent?.stdout !== 'Hello, World\n')
        throw new Error(JSON.stringify(response));
    return response.result.structuredContent;
}

// A call that a warm container serves: milliseconds.
async function timeWarmCall(server, ready = true, call = HELLO_CALL) {
    for (let i = 0; i < 10; i++) {
        await untilWaiting(server, 1);
        await pause(0.5); // it is started; now its supervisor gets ready, and its interpreter
        let result;
        const time = await timed(async () => { result = await callHello(server, call); });
        if (result.session)
            await server.ask('tools/call', { name: 'close_session', arguments: { session: result.session } });
        if (result.warm && Boolean(result.ready) === ready)
            return time;
    }
    throw new Error('no container gets ready');
}

// What starts an interpreter for each line that it reads, and says how many milliseconds that took.
const STARTERS = {
    python: ['python3', '-c', `
import os, sys, time
open("main.py", "w").write(sys.argv[1])
null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
while sys.stdin.readline():
    begin = time.monotonic()
    os.waitpid(os.posix_spawnp("python3", ["python3", "main.py"], os.environ, file_actions=null), 0)
    print(1000 * (time.monotonic() - begin), flush=True)
`],
    javascript: ['node', '-e', `
const { readSync, writeFileSync } = require('fs');
writeFileSync('main.js', process.argv[1]);
while (readSync(0, Buffer.alloc(100))) {
    const begin = performance.now();
    require('child_process').spawnSync('node', ['main.js'], { stdio: 'ignore' });
    console.log(performance.now() - begin);
}
`],
};

// The bare interpreter with a program, in a container that runs anyway, by the container's own clock.
class BareInterpreter {
    #input;
    #output;
    #program;

    constructor(code = HELLO, language = 'python', ownImage = image) {
        const input = makeFifo('none');
        const output = makeFifo('none');
        this.#program = new Program(docker, ['run', '--rm', '-i', ...LIMITS, ...WORKDIR, ownImage, ...STARTERS[language], code],
            { stdin: input.reading, stdout: output.writing });
        closeSync(input.reading);
        closeSync(output.writing);
        this.#input = input.writing;
        this.#output = output.reading;
    }

    time() {
        const line = Buffer.alloc(100);
        writeSync(this.#input, 'once\n');
        return Number(line.toString('latin1', 0, readSync(this.#output, line)));
    }

    async end() {
        closeSync(this.#input);
        await this.#program.end();
        closeSync(this.#output);
    }
}

// ---- the parts

const procValue = (path, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'utf8'))[1]);
const resident = (server) => procValue(`/proc/${server.pid}/status`, 'VmRSS');

// From the command line; and what memory that takes.
async function commandLine() {
    const times = { run: [], hand: [] };
    const peak = (name) => Number(execFileSync(`${scratch}/peak`, [isolator, 'run', `${scratch}/${name}.py`], { encoding: 'utf8' }));
    writeFile(`${scratch}/flood.py`, 'for i in range(100): print("x" * 999999)');
    byHand();
    await repeat(ROUNDS, async () => {
        times.run.push(await timed(() => runTo(`${scratch}/results`, isolator, ['run', `${scratch}/main.py`])));
        times.hand.push(await timed(byHand));
    });
    row('`isolator run`', times.run);
    row(BY_HAND, times.hand);
    compared.run = [median(times.run), median(times.hand)];
    ratio('`isolator run`, of the same by hand', times.run, times.hand, { atMost: 1.05 });
    fact('memory of `isolator run`, at most', `${peak('main')} kB`);
    bounded('while a program writes 100 MB', peak('flood'), ...MEMORY);
}

// What a host does that only looks: its first response, from its start.
async function firstResponse() {
    const times = [];
    let kilobytes;
    await repeat(ROUNDS, async () => {
        const server = new Server({});
        await server.initialize('2025-11-25');
        times.push(performance.now() - server.began);
        kilobytes = resident(server);
        await server.close();
    });
    row('the first response of `isolator-mcp`, from its start', times);
    fact('its memory then', `${kilobytes} kB`);
}

async function singleCalls() {
    const [ready, warm] = [await startPool({ python: 1 }), await startPool({ python: 1 }, { warmMemoryMB: 0 })];
    const [cold, bare] = [await startPool(), new BareInterpreter()];
    const times = { hand: [], cold: [], warm: [], ready: [], bare: [] };
    bare.time();
    byHand();
    await repeat(ROUNDS, async () => {
        times.hand.push(await timed(byHand));
        times.cold.push(await timed(() => callHello(cold)));
        times.ready.push(await timeWarmCall(ready));
        times.warm.push(await timeWarmCall(warm, false));
        times.bare.push(bare.time());
    });
    await bare.end();
    await ready.close();
    await warm.close();
    await cold.close();
    row('the bare interpreter in a container that runs anyway, by its clock', times.bare);
    row('a call to `isolator-mcp`, a ready interpreter waits', times.ready);
    row('a call to `isolator-mcp`, a warm container waits', times.warm);
    row('a call to `isolator-mcp`, none waits', times.cold);
    row(BY_HAND, times.hand);
    compared.warm = [median(times.ready), median(times.bare)];
    compared.cold = [median(times.cold), median(times.hand)];
    ratio('ready call, of the bare interpreter', times.ready, times.bare, { atMost: 0.3 });
    ratio('warm call, of the bare interpreter', times.warm, times.bare, { atMost: 2 });
    ratio('cold call, of the warm one', times.cold, times.warm, { atLeast: 10 });
    ratio('cold call, of the same by hand', times.cold, times.hand, { atMost: 0.75 });
}

// What waits with a ready interpreter, beside bare ones: Node.js, modules that are imported in advance, sessions.
async function readyInterpreters() {
    const numpy = `import numpy; ${HELLO}`;
    const hello = { language: 'javascript', entrypoint_code: 'console.log("Hello, World")' };
    const cell = (call) => ({ ...call, session: 'new' });
    const withNumpy = (preload) => ({ languages: { python: { ...engine.languages.python, image: PLOT, preload } } });
    const node = await startPool({ javascript: 1 });
    const [imported, plain] = [await startPool({ python: 1 }, withNumpy(['numpy'])), await startPool({ python: 1 }, withNumpy([]))];
    const cells = [await startPool({ python: 1 }), await startPool({ javascript: 1 })];
    const bare = new BareInterpreter(hello.entrypoint_code, 'javascript', engine.languages.javascript.image);
    const times = { node: [], bare: [], imported: [], plain: [], python: [], javascript: [] };
    bare.time();
    await timeWarmCall(cells[0], false, cell(HELLO_CALL)); // after that, the pool expects more of them
    await timeWarmCall(cells[1], false, cell(hello));
    await repeat(Math.ceil(ROUNDS / 2), async () => {
        times.node.push(await timeWarmCall(node, true, hello));
        times.bare.push(bare.time());
        times.imported.push(await timeWarmCall(imported, true, { language: 'python', entrypoint_code: numpy }));
        times.plain.push(await timeWarmCall(plain, true, { language: 'python', entrypoint_code: numpy }));
        times.python.push(await timeWarmCall(cells[0], true, cell(HELLO_CALL)));
        times.javascript.push(await timeWarmCall(cells[1], true, cell(hello)));
    });
    await bare.end();
    for (const server of [node, imported, plain, ...cells])
        await server.close();
    row('a call to `isolator-mcp`, a ready Node.js waits', times.node);
    row('the bare Node.js in a container that runs anyway, by its clock', times.bare);
    row('a call that imports numpy, a ready interpreter has imported it', times.imported);
    row('a call that imports numpy, a ready interpreter waits', times.plain);
    row('a call that opens a session, a ready Python waits', times.python);
    row('a call that opens a session, a ready Node.js waits', times.javascript);
    ratio('ready call, of the bare Node.js', times.node, times.bare, { atMost: 0.1 });
    ratio('numpy imported in advance, of in the program', times.imported, times.plain, { atMost: 0.05 });
    await readyReleases('python', HELLO);
    await readyReleases('javascript', hello.entrypoint_code);
}

// The same with the other releases of the interpreter whose images `test/interpreters -i` has made, in turn: each is to gain as
// much as that of the configuration, or a tenth less. npm's builds of Node.js start four times as fast as Debian's, so they are
// compared with the oldest of them.
async function readyReleases(language, code) {
    const own = engine.languages[language].image;
    const names = await dockerLines('images', '--format', '{{.Repository}}:{{.Tag}}', `isolator-test/${language === 'python' ? 'python' : 'node'}`);
    const releases = [];
    for (const release of [own, ...names.filter((name) => name !== own && /:\d/.test(name)).sort()])
        releases.push({
            release, ready: [], bare: [], interpreter: new BareInterpreter(code, language, release),
            server: await startPool({ [language]: 1 }, { languages: { [language]: { ...engine.languages[language], image: release } } }),
        });
    for (const { interpreter } of releases)
        interpreter.time();
    await repeat(Math.ceil(ROUNDS / 2), async () => {
        for (const { ready, bare, interpreter, server } of releases) {
            ready.push(await timeWarmCall(server, true, { language, entrypoint_code: code }));
            bare.push(interpreter.time());
        }
    });
    const gain = ({ ready, bare }) => 1.1 * median(ready) / median(bare);
    const oldest = releases[language === 'python' ? 0 : Math.min(1, releases.length - 1)];
    for (const { release, ready, bare, interpreter, server } of releases) {
        await interpreter.end();
        await server.close();
        fact(`${release}: a ready call, and a bare start`, `${median(ready).toFixed(1)} ms, ${median(bare).toFixed(1)} ms`);
        ratio(`${release}: of a bare start`, ready, bare, { atMost: Number(gain(release === own ? releases[0] : oldest).toFixed(2)) });
    }
}

async function bursts() {
    const times = { 0: [], 2: [] };
    await repeat(3, async () => {
        for (const pool of [0, 2]) {
            const server = await startPool({ python: pool });
            await untilWaiting(server, pool);
            await pause(1);
            let good = 0;
            times[pool].push(await timed(async () => {
                const ids = Array.from({ length: BURST }, () => server.call({ language: 'python', entrypoint_code: HELLO }));
                for (const id of ids)
                    good += (await server.response(id)).result.structuredContent.status === 'success';
            }));
            if (good !== BURST)
                throw new Error(`${good} of ${BURST} calls succeeded`);
            await server.close();
        }
    });
    row(`${BURST} calls at once, a pool of 2`, times[2]);
    row(`${BURST} calls at once, no pool`, times[0]);
    ratio('pool of 2, of no pool', times[2], times[0], { atMost: 1 });
}

// Programs one after the other in one container, at half a CPU: from the request to the figures of its end.
async function programs() {
    const client = new SupervisorClient([...LIMITS, ...WORKDIR, '--tmpfs', '/.isolator:rw,exec,nosuid,nodev,size=2m,uid=65534,gid=65534,mode=0700'],
        image, '/workspace');
    const times = [];
    await client.until('HELLO');
    await client.run('true');
    const whole = await timed(() => repeat(200, async () => { times.push(await client.run('true')); }));
    await client.end();
    bounded('`true` in one container at half a CPU, 200 times: start, run, reap', median(times), { below: 3 }, { unit: ' ms', digits: 1 });
    fact('the same with the frames there and back, each', `${(whole / 200).toFixed(1)} ms`);
}

// A batch beside shell loops, a part of the lines each in turn, since a machine's speed changes.
async function batches() {
    const config = writeFile(`${scratch}/batch.json`, JSON.stringify({ ...engine, warm: { ...NO_WARM, python: 1 } }));
    const parts = 5;
    const part = Math.floor(LINES / parts);
    const perSecond = (times) => 1000 * parts * part / times.reduce((sum, time) => sum + time, 0);
    const rate = (times) => `${perSecond(times).toFixed(2)} a second`;
    const loop = (jobs, options) => timed(() => runTo(`${scratch}/results`, 'sh', ['-c',
        `seq ${part} | xargs -P ${jobs} -I '{}' '${docker}' run --rm ${options.join(' ')} ${image} python3 -c '${HELLO}'`]));
    writeFile(`${scratch}/requests`, '{"language": "python", "entrypoint_code": "print(\'Hello, World\')"}\n'.repeat(part));
    for (const jobs of [1, 2]) {
        const times = { batch: [], plain: [], limited: [] };
        await repeat(parts, async () => {
            times.batch.push(await timed(() => runTo(`${scratch}/results`, isolator, ['batch', '-j', String(jobs), '--config', config, `${scratch}/requests`])));
            times.plain.push(await loop(jobs, []));
            times.limited.push(await loop(jobs, [...LIMITS, ...WORKDIR]));
        });
        fact(`\`isolator batch -j ${jobs}\`, ${LINES} lines`, rate(times.batch));
        fact(`\`docker run --rm\` in a shell loop, ${jobs} at a time`, rate(times.plain));
        fact('the same with the limits of isolator', rate(times.limited));
        compared.batch = [perSecond(times.batch), perSecond(times.plain)]; // of the last: two at a time
        ratio('shell loop, of the batch', times.plain, times.batch, { atLeast: 1.2 });
        ratio('shell loop with the limits, of the batch', times.limited, times.batch, { atLeast: 1 });
    }
}

// The same for programs that import much: half as many lines, two at a time.
async function numpyBatch() {
    const config = writeFile(`${scratch}/numpy.json`, JSON.stringify({ ...engine, warm: { ...NO_WARM, python: 1 },
        languages: { ...engine.languages, python: { ...engine.languages.python, image: PLOT, preload: ['numpy'] } } }));
    const part = Math.floor(LINES / 10);
    const times = { batch: [], loop: [] };
    writeFile(`${scratch}/requests`, '{"language": "python", "entrypoint_code": "import numpy"}\n'.repeat(part));
    await repeat(5, async () => {
        times.batch.push(await timed(() => runTo(`${scratch}/results`, isolator, ['batch', '-j', '2', '--config', config, `${scratch}/requests`])));
        times.loop.push(await timed(() => runTo(`${scratch}/results`, 'sh', ['-c',
            `seq ${part} | xargs -P 2 -I '{}' '${docker}' run --rm ${PLOT} python3 -c 'import numpy'`])));
    });
    const perSecond = (values) => 1000 * part / median(values);
    fact('`isolator batch -j 2` of programs that import numpy', `${perSecond(times.batch).toFixed(2)} a second`);
    fact('`docker run --rm` in a shell loop, 2 at a time', `${perSecond(times.loop).toFixed(2)} a second`);
    ratio('shell loop, of the batch', times.loop, times.batch, { atLeast: 1 });
}

// Commands in workspaces, beside `docker exec` in a container with the same limits.
async function workspaces() {
    const config = writeFile(`${scratch}/workspaces.json`, JSON.stringify({ ...engine, warm: NO_WARM }));
    const create = (name) => run(isolator, ['create', '--config', config, '--language', 'python', '--cpus', '0.5', '--name', name]);
    const remove = (...names) => run(isolator, ['rm', '--config', config, '--force', ...names]);
    const start = (name) => run(docker, ['run', '--detach', '--name', name, ...LIMITS, ...WORKDIR, image, 'sleep', '1000']);
    const name = `isolator-bench-${process.pid}`;
    const line = (command) => `${JSON.stringify({ workspace: name, ...command })}\n`;
    const exec = [], own = [], kept = [], calls = [[], []], made = [[], []];

    start(name);
    create(name);
    create(`${name}-own`); // where no connection is kept, which would have to make way
    const batch = spawn(isolator, ['batch', '-q', '--config', config], { stdio: ['pipe', 'pipe', 'inherit'] });
    const command = async () => {
        batch.stdin.write(line({ command: ['true'] }));
        await once(batch.stdout, 'data');
    };
    try {
        await command();
        await repeat(ROUNDS, async () => {
            exec.push(await timed(() => run(docker, ['exec', name, 'true'])));
            await repeat(5, async () => kept.push(await timed(command)));
            own.push(await timed(() => run(isolator, ['exec', '--config', config, `${name}-own`, '--', 'true'])));
        });
        writeFile(`${scratch}/requests`, line({ shell: 'cd /tmp; n=$((${n-0} + 1)); echo $n >n' }).repeat(150));
        await repeat(3, async () => {
            calls[0].push(await timed(async () => {
                create(`${name}-shell`);
                run('sed', ['-i', `s/"workspace":"[^"]*"/"workspace":"${name}-shell"/`, `${scratch}/requests`]);
                runTo(`${scratch}/results`, isolator, ['batch', '-q', '--json', '--config', config, `${scratch}/requests`]);
                remove(`${name}-shell`);
            }));
            calls[1].push(await timed(() => repeat(150, () => run(docker, ['exec', name, 'sh', '-c', 'cd /tmp; echo 1 >n']))));
            const names = Array.from({ length: 10 }, (_, i) => `${name}-${i}`);
            made[0].push(await timed(() => names.forEach(create)));
            remove(...names);
            made[1].push(await timed(() => names.forEach(start)));
            run(docker, ['rm', '--force', '--volumes', ...names]);
        });
    } finally {
        batch.stdin.end();
        remove(name, `${name}-own`);
        run(docker, ['rm', '--force', '--volumes', name]);
    }
    row('`docker exec true`', exec);
    row('`isolator exec` of true, a process each', own);
    row('the same on a connection that is kept (`isolator batch`)', kept);
    ratio('a process each, to `docker exec`', own, exec, { atMost: 1.2 });
    ratio('a connection that is kept, to `docker exec`', kept, exec, { atMost: 0.05 });
    bounded('a connection that is kept', median(kept), { atMost: 4 }, { unit: ' ms', digits: 1 });
    ratio('150 pieces of shell code in a new workspace, to 150 `docker exec`', calls[0], calls[1], { atMost: 0.1 });
    ratio('10 workspaces made, to 10 `docker run --detach`', made[0], made[1], { atMost: 1.4 });
}

// Lines that share containers, two at a time, beside programs without a sandbox, and with the least of one.
async function sharedBatch() {
    const plain = writeFile(`${scratch}/share.json`, JSON.stringify({ ...engine, warm: NO_WARM }));
    const numpy = writeFile(`${scratch}/share-numpy.json`, JSON.stringify({ ...engine, warm: NO_WARM,
        languages: { ...engine.languages, python: { ...engine.languages.python, image: PLOT, preload: ['numpy'] } } }));
    const numbers = (count) => Array.from({ length: count }, (_, i) => i);
    const requests = (lines) => lines.map((line) => `${JSON.stringify({ cpus: 1, ...line })}\n`).join('');
    const share = async (config, lines) => {
        writeFile(`${scratch}/requests`, requests(lines));
        const time = await timed(() => runTo(`${scratch}/results`, isolator, ['batch', '-q', '--json', '-j', '2', '--share', '--config', config, `${scratch}/requests`]));
        const good = readFileSync(`${scratch}/results`, 'utf8').split('\n').filter((line) => line.includes('"status":"success"')).length;
        if (good !== lines.length)
            throw new Error(`${good} of ${lines.length} lines succeeded`);
        return time;
    };
    const inShell = (command) => timed(() => runTo(`${scratch}/results`, 'sh', ['-c', command]));
    const compare = async (what, config, lines, others) => {
        const times = [what, ...others.map(([name]) => name)].map(() => []);
        const rates = (values, count) => `${(1000 * count / median(values)).toFixed(1)} a second`;
        await repeat(5, async () => {
            times[0].push(await share(config, lines));
            for (const [i, [, , count, work]] of others.entries())
                times[i + 1].push(await work() * lines.length / count);
        });
        fact(`\`isolator batch -j 2 --share\`, ${lines.length} ${what}`, rates(times[0], lines.length));
        for (const [i, [name, least]] of others.entries()) {
            fact(name, rates(times[i + 1], lines.length));
            ratio(`rate of the batch, of that`, times[i + 1], times[0], { atLeast: least });
        }
    };
    const tasks = numbers(TASKS).map((i) => `${task(i)}\n${check.replace('int(sys.argv[1])', i)}`);
    for (const [i, code] of tasks.entries())
        writeFile(`${scratch}/task${i}.py`, code);
    await compare('programs of HumanEval\'s shape', plain, tasks.map((entrypoint_code) => ({ language: 'python', entrypoint_code })), [
        ['`xargs -P 2 python3` on the host, no sandbox', 1, TASKS, () => inShell(`seq 0 ${TASKS - 1} | xargs -P 2 -I '{}' /usr/bin/python3 '${scratch}/task{}.py'`)],
        ['`docker run --rm` in a shell loop, 2 at a time', 15, 20, () => inShell(`seq 20 | xargs -P 2 -I '{}' '${docker}' run --rm ${image} python3 -c '${HELLO}'`)],
    ]);
    const C = '#include <stdio.h>\nint main(void) { printf("%d\\n", NUMBER); return 0; }\n';
    const build = `mkdir {} && cd {} && printf %s "$SOURCE" | sed s/NUMBER/{}/ >main.c && gcc -O2 -o program main.c -lm && ./program`;
    await compare('C programs, built and run', plain, numbers(100).map((i) => ({ language: 'c', memory_mb: 512, entrypoint_code: C.replace('NUMBER', i) })), [
        ['a loop of `gcc` and the program in one plain container, 2 at a time', 0.8, 100, () => timed(() => runTo(`${scratch}/results`, docker, ['run', '--rm',
            '--network', 'none', '--tmpfs', '/work:exec', '--workdir', '/work', '--env', `SOURCE=${C}`, engine.languages.c.image, 'sh', '-c',
            `seq 100 | xargs -P 2 -I '{}' sh -c '${build}'`]))],
    ]);
    await compare('programs that import numpy', numpy, numbers(100).map(() => ({ language: 'python', entrypoint_code: 'import numpy' })), [
        ['`docker run --rm` in a shell loop, 2 at a time', 20, 20, () => inShell(`seq 20 | xargs -P 2 -I '{}' '${docker}' run --rm ${PLOT} python3 -c 'import numpy'`)],
    ]);
}

// A batch of such requests, one at a time: milliseconds. Every request has to succeed.
function timeRequests(requests) {
    writeFile(`${scratch}/requests`, requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    return timed(() => runTo(`${scratch}/results`, isolator, ['batch', '-j', '1', '--config', engineConfig, `${scratch}/requests`]));
}

const DOUBLE = { python: 'print(2 * int(input()))',
    c: '#include <stdio.h>\nint main(void) { int n; return scanf("%d", &n) == 1 ? printf("%d\\n", 2 * n) < 0 : 1; }' };
const doubling = (language, tests, limits = {}) => ({ language, entrypoint_code: DOUBLE[language], ...limits,
    tests: Array.from({ length: tests }, (_, i) => ({ stdin: `${i}\n`, expected_stdout: `${2 * i}\n` })) });

// Programs of the shape of HumanEval: a function, and a program that checks it ten times.
const TASKS = 164;
const task = (number) => `def solve(values):\n    return sorted(value for value in values if value % ${number % 7 + 2})\n`;
const checks = Array.from({ length: 10 }, (_, i) => ({ arguments: [String(i)], expected_stdout: 'good' }));
const check = 'import sys\nn = int(sys.argv[1])\nassert solve(range(n)) == sorted(solve(range(n)))\nprint("good")\n';

// Many tests of one program in one container, beside a container for each, and the bare interpreter.
async function submissions() {
    const bare = new BareInterpreter();
    const times = { bare: [], twenty: [], forty: [], lines: [], c: [] };
    bare.time();
    await repeat(Math.ceil(ROUNDS / 3), async () => {
        times.bare.push(await timed(() => repeat(20, () => bare.time())));
        times.twenty.push(await timeRequests([doubling('python', 20)]));
        times.forty.push(await timeRequests([doubling('python', 40)]));
        times.lines.push(await timeRequests(Array(20).fill(doubling('python', 1))));
        if (engine.languages.c)
            times.c.push(await timeRequests([doubling('c', 100, { cpus: 2 })]));
    });
    await bare.end();
    const more = times.forty.map((time, i) => time - times.twenty[i]);
    row('20 starts of the bare interpreter in a container that runs anyway', times.bare);
    row('a submission with 20 tests in Python', times.twenty);
    row('20 tests more', more);
    ratio('20 tests more, of 20 starts of the bare interpreter', more, times.bare, { atMost: 1.5 });
    ratio('20 lines with a test each, of one line with 20 tests', times.lines, times.twenty, { atLeast: 8 });
    if (engine.languages.c) {
        row('a submission with 100 tests in C, built once', times.c);
        bounded('its tests a second', 100000 / median(times.c), { atLeast: 100 });
    }
    const tasks = Array.from({ length: TASKS }, (_, i) => ({ language: 'python', entrypoint_code: task(i) + check, tests: checks }));
    const each = tasks.slice(0, 20).map((request) => ({ ...request, tests: checks.slice(0, 1) }));
    const together = await timeRequests(tasks);
    fact(`${TASKS} tasks with 10 tests each: tests a second`, (1e4 * TASKS / together).toFixed(1));
    fact('the same with a container for each test', (1e3 * each.length / await timeRequests(each)).toFixed(1));
    writeFile(`${scratch}/requests`, `${JSON.stringify({ language: 'python', entrypoint_code: 'print("x" * 100000)', tests: Array(1000).fill({}) })}\n`);
    const peak = execFileSync(`${scratch}/peak`, [isolator, 'batch', '--config', engineConfig, `${scratch}/requests`], { encoding: 'utf8' });
    bounded('memory of isolator with 1,000 tests that write 100 kB each', Number(peak), ...MEMORY);
}

const DOUBLE_CPP = '#include <iostream>\nint main() { int n; std::cin >> n; std::cout << 2 * n << "\\n"; }';
const CHECKER_CPP = `#include <fstream>
int main(int, char **names) {
    std::ifstream output(names[2]), answer(names[3]);
    int found, expected;
    return output >> found && answer >> expected && found == expected ? 0 : 1;
}`;

// The same tests with a checker, which runs once for each, and compared by isolator; both programs are built.
async function checkers() {
    if (!engine.languages.cpp)
        return;
    const request = { ...doubling('cpp', 20), entrypoint_code: DOUBLE_CPP };
    const compare = request.tests.map((test) => ({ ...test, compare: 'tokens' }));
    const times = { checker: [], tokens: [] };
    await repeat(Math.ceil(ROUNDS / 3), async () => {
        times.checker.push(await timeRequests([{ ...request, checker: { language: 'cpp', code: CHECKER_CPP } }]));
        times.tokens.push(await timeRequests([{ ...request, tests: compare }]));
    });
    row('a submission with 20 tests in C++, compared as tokens', times.tokens);
    row('the same with a checker in C++', times.checker);
    ratio('the checker, of the comparison', times.checker, times.tokens, { atMost: 2 });
}

const ASKS_C = 'for (int i = 0; i < 100000; i++) { printf("%d\\n", i); fflush(stdout); if (!fgets(line, 64, stdin)) return 1; }';
const ANSWERS_C = 'for (int i = 0; i < 100000; i++) { if (!fgets(line, 64, stdin)) return 1; fputs(line, stdout); fflush(stdout); }';
const mainOf = (text) => `#include <stdio.h>\n#include <unistd.h>\nint main(void) { char line[64]; ${text} return 0; }\n`;
const PAIR_C = mainOf(`int to[2], from[2]; if (pipe(to) || pipe(from)) return 2;
    const int child = fork() == 0; dup2(child ? to[0] : from[0], 0); dup2(child ? from[1] : to[1], 1);
    for (int i = 0; i < 2; i++) { close(to[i]); close(from[i]); }
    if (child) { ${ANSWERS_C} return 0; } ${ASKS_C}`);

// A program and an interactor in two containers that exchange lines, beside two processes in one that do the same.
async function interaction() {
    if (!engine.languages.c)
        return;
    const base = { language: 'c', timeout_seconds: 300, tests: [{ no_expected: true }] };
    const checker = { language: 'c', code: mainOf(ANSWERS_C), interactive: true };
    const times = { joined: [], pair: [] };
    const duration = async (request) => {
        await timeRequests([request]);
        const [test] = JSON.parse(readFileSync(`${scratch}/results`, 'utf8')).tests;
        if (test.status !== 'passed')
            throw new Error(`a test is ${test.status}: ${test.error}`);
        return test.durationMs;
    };
    await repeat(Math.ceil(ROUNDS / 3), async () => {
        times.joined.push(await duration({ ...base, entrypoint_code: mainOf(ASKS_C), checker }));
        times.pair.push(await duration({ ...base, entrypoint_code: PAIR_C }));
    });
    row('100,000 exchanges of a line between two processes in one container', times.pair);
    row('the same with an interactor', times.joined);
    ratio('the interactor, of the pair', times.joined, times.pair, { atMost: 2 });
}

// CPU time of processes in clock ticks.
function ticks(...pids) {
    return pids.map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ').slice(11, 13).map(Number))
        .reduce((sum, [user, system]) => sum + user + system, 0);
}

async function waitingContainers() {
    const server = await startPool({ python: 8 });
    await untilWaiting(server, 8);
    await pause(3);
    const clients = execFileSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' }).split('\n').filter(Boolean);
    const before = [ticks(server.pid), ticks(...clients)];
    await pause(30);
    bounded('CPU time of the server in 30 s while 8 containers wait', 10 * (ticks(server.pid) - before[0]), { atMost: 0 }, { unit: ' ms' });
    fact(`CPU time of the ${clients.length} docker clients meanwhile`, `${10 * (ticks(...clients) - before[1])} ms`);
    bounded('memory of the server meanwhile', resident(server), ...MEMORY);
    const kilobytes = clients.reduce((sum, pid) => sum + procValue(`/proc/${pid}/smaps_rollup`, 'Pss'), 0);
    fact('memory of the docker clients, each', `${(kilobytes / 1024 / clients.length).toFixed(0)} MB`);
    await server.close();
}

// Neither the time of a call nor memory may grow.
async function growth() {
    const server = await startPool({ python: 1 });
    const times = [];
    const memory = [];
    await repeat(GROWTH, async () => {
        times.push(await timed(() => callHello(server)));
        memory.push(resident(server));
    });
    const tenth = Math.floor(GROWTH / 10);
    fact(`time of a call, median of the first and the last tenth of ${GROWTH} calls`,
        `${median(times.slice(Math.min(9, tenth), tenth + 1)).toFixed(0)} ms, ${median(times.slice(-tenth)).toFixed(0)} ms`);
    fact('memory of the server after the first and the last tenth', `${memory[tenth - 1]} kB, ${memory.at(-1)} kB`);
    await server.close();
}

// Cells that are the same work in each language, and a cell that times the same code in that interpreter itself.
const CELLS = {
    python: { code: 'y = sum(i * i for i in range(1000))', timing: (code) => `import time
def median_of(code):
    times = []
    for _ in range(${ROUNDS}):
        began = time.perf_counter()
        exec(compile(code, "<cell>", "exec"), {})
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2] * 1000
print(median_of(${JSON.stringify(code)}))` },
    javascript: { code: 'var y = 0; for (let i = 0; i < 1000; i++) y += i * i;', timing: (code) => `{
    const times = [];
    for (let i = 0; i < ${ROUNDS}; i++) {
        const began = performance.now();
        new (require('vm').Script)(${JSON.stringify(code)}).runInThisContext();
        times.push(performance.now() - began);
    }
    console.log(times.sort((a, b) => a - b)[times.length >> 1]);
}` },
};

async function sessions() {
    for (const [language, { code, timing }] of Object.entries(CELLS)) {
        const server = await startPool();
        const call = async (args) => (await server.response(server.call({ ...args, timeout_seconds: 60 }))).result.structuredContent;
        const { session } = await call({ language, session: 'new', entrypoint_code: code });
        const times = [];
        await repeat(ROUNDS, async () => times.push(await timed(() => call({ session, entrypoint_code: code }))));
        const { stdout } = await call({ session, entrypoint_code: timing(code) });
        fact(`a call in a session, ${language}`, `${median(times).toFixed(2)} ms`);
        fact('the same code in that interpreter, by its clock', `${Number(stdout).toFixed(2)} ms`);
        bounded('the call, more than that', median(times) - Number(stdout), { atMost: 5 }, { unit: ' ms', digits: 2 });
        await server.close();
    }
}

// A program that asks a server of this process, through the proxy of its container or over the engine's bridge: prints the
// milliseconds to the first byte, and the MB in a second of a long answer.
const ASK = `import os, socket, sys, time
host, port = sys.argv[1], int(sys.argv[2])
through = ("127.0.0.1", 3128) if "http_proxy" in os.environ else (host, port)
def ask(path):
    began = time.perf_counter()
    s = socket.create_connection(through)
    s.sendall(f"GET http://{host}:{port}{path} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    length = len(s.recv(1))
    first = time.perf_counter() - began
    while part := s.recv(1 << 20): length += len(part)
    return first, length / (time.perf_counter() - began)
print(1e3 * sorted(ask("/short")[0] for _ in range(51))[25], ask("/long")[1] / 1e6)
`;

// Keeps 100 answers open, each of which has begun.
const HOLD = `import socket, sys, time
host, port = sys.argv[1], int(sys.argv[2])
held = []
for _ in range(100):
    s = socket.create_connection(("127.0.0.1", 3128))
    s.sendall(f"GET http://{host}:{port}/long HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode())
    s.recv(1)
    held.append(s)
print("held", flush=True)
time.sleep(60)
`;

// The memory of isolator, in kB, while its program keeps 100 connections open.
async function memoryOfConnections(address, port) {
    const config = configFile({ network: { allow: [{ host: address, ports: [port] }], maxConnections: 100, maxBytes: 1e9 } });
    writeFile(`${scratch}/hold.py`, HOLD);
    const program = new Program(isolator, ['run', '--config', config, '--stream', '--timeout', '50', `${scratch}/hold.py`, '--', address, String(port)]);
    if (!await comesTrue(() => program.stdout().includes('held'), 40))
        throw new Error(`no 100 connections: ${program.stderr()}`);
    const memory = resident(program);
    program.signal('SIGTERM');
    await program.end();
    return memory;
}

async function network() {
    const address = execFileSync(docker, ['network', 'inspect', '--format', '{{(index .IPAM.Config 0).Gateway}}', 'bridge'], { encoding: 'utf8' }).trim();
    const long = Buffer.alloc(90e6, 'x');
    const server = createServer((request, response) => response.end(request.url.endsWith('/long') ? long : 'short'));
    await new Promise((listening) => { server.listen(0, address, listening); });
    const { port } = server.address();
    const figures = { proxy: [[], []], bridge: [[], []] };
    writeFile(`${scratch}/ask.py`, ASK);
    await repeat(Math.ceil(ROUNDS / 3), async () => {
        for (const [way, options] of Object.entries({ proxy: ['--allow-host', `${address}:${port}`], bridge: ['--network', 'bridge'] })) {
            const program = new Program(isolator, ['run', '--config', engineConfig, '--stream', '--cpus', '2', ...options, `${scratch}/ask.py`, '--', address, String(port)]);
            const how = await program.end();
            if (how !== 'exit 0')
                throw new Error(`${way}: ${how}: ${program.stdout()}${program.stderr()}`);
            program.stdout().split(' ').forEach((figure, i) => figures[way][i].push(Number(figure)));
        }
    });
    const memory = await memoryOfConnections(address, port);
    server.closeAllConnections();
    server.close();
    const [first, speed] = [0, 1].map((i) => ({ proxy: median(figures.proxy[i]), bridge: median(figures.bridge[i]) }));
    fact('the first byte of a host, over the bridge of the engine', `${first.bridge.toFixed(2)} ms`);
    bounded('through the proxy, more than that', first.proxy - first.bridge, { atMost: 3 }, { unit: ' ms', digits: 2 });
    fact('a long answer of a host, over the bridge', `${speed.bridge.toFixed(0)} MB/s`);
    bounded('through the proxy', speed.proxy, { atLeast: 40 }, { unit: ' MB/s' });
    bounded('memory of isolator with 100 connections in use', memory, { below: 16384 }, { unit: ' kB' });
    fact('the proxy, of the bridge', (speed.proxy / speed.bridge).toFixed(2));
}

// A program that makes this many calls to a server that answers at once, and says how long each of the others after the
// first has taken.
const TOOL_CALLS = 200;
const CALL_TOOLS = `import time, tools
tools.one.echo(n=0)
began = time.perf_counter()
for n in range(${TOOL_CALLS - 1}): assert tools.one.echo(n=n)["got"]["n"] == n
print(1e3 * (time.perf_counter() - began) / ${TOOL_CALLS - 1})`;

async function tools() {
    const server = await startPool({ python: 1 }, { toolLimits: { calls: 1000 },
        tools: { one: { command: `${repository}/test/fixtures/upstream`, args: ['good'], allow: ['*'] } } });
    const call = async (code) => {
        const { structuredContent: { status, stdout } } = (await server.response(server.call({ language: 'python', entrypoint_code: code, timeout_seconds: 60 }))).result;
        if (status !== 'success')
            throw new Error(`${code}: ${status}`);
        return stdout;
    };
    const times = { each: [], program: [], separate: [] };
    await call(CALL_TOOLS);
    await repeat(Math.ceil(ROUNDS / 6), async () => {
        times.program.push(await timed(async () => times.each.push(Number(await call(CALL_TOOLS)))));
        times.separate.push(await timed(async () => {
            for (let n = 0; n < TOOL_CALLS; n++)
                await call('import tools; tools.one.echo(n=0)');
        }));
    });
    await server.close();
    bounded('a call of a tool by a program', median(times.each), { atMost: 2 }, { unit: ' ms', digits: 2 });
    fact(`${TOOL_CALLS} calls of a tool in one program`, `${median(times.program).toFixed(0)} ms`);
    fact(`${TOOL_CALLS} calls of execute_code, each with one call of a tool`, `${median(times.separate).toFixed(0)} ms`);
    fact('the program, of that', (median(times.program) / median(times.separate)).toFixed(3));
}

const PARTS = { run: commandLine, first: firstResponse, single: singleCalls, ready: readyInterpreters, programs, burst: bursts, batch: batches, share: sharedBatch, numpy: numpyBatch, workspace: workspaces, tests: submissions, checkers, interaction,
    waiting: waitingContainers, sessions, network, tools, growth };
const parts = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const unknown = parts.find((part) => !PARTS[part]);
if (unknown !== undefined) {
    console.error(`no part ${unknown}; there are ${Object.keys(PARTS).join(', ')}`);
    process.exit(2);
}
writeFile(`${scratch}/main.py`, `${HELLO}\n`);
run('cc', ['-O2', '-o', `${scratch}/peak`, 'test/fixtures/peak.c']);
run('tar', ['-C', scratch, '-cf', `${scratch}/hello.tar`, 'main.py']);
console.log('| What | Median | 95 % |\n|---|---|---|');
for (const part of parts) {
    try {
        await PARTS[part]();
    } catch (error) { // the others go on
        broken.push(`the part ${part} could not run: ${error.message}`);
    }
}
console.log(`\n${missed.length} figures miss their bound${missed.map((line) => `\n  ${line}`).join('')}`);
broken.forEach((line) => console.error(line));
if (process.env.BENCH_SVG && !reduced && Object.keys(COMPARISONS).every((key) => compared[key]))
    draw(process.env.BENCH_SVG);
process.exit(broken.length > 0 ? 1 : 0);
