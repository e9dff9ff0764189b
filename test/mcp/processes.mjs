// Programs that a test starts, and what they need: files, configurations, a docker command with faults. A program
// writes into files, so its output need not be read while it runs. Programs that still run when the test ends are killed.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { accessSync, chmodSync, closeSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync,
    writeFileSync, writeSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ok } from './cases.mjs';

// Seconds to wait for what has to come. Only a program that is wrong needs them.
export const PATIENCE = 240;

export const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
process.chdir(repository);
export const scratch = mkdtempSync(join(tmpdir(), 'isolator-test-'));
export const isolator = resolve(process.env.ISOLATOR ?? 'build/isolator');
export const isolatorMcp = resolve(process.env.ISOLATOR_MCP ?? join(dirname(isolator), 'isolator-mcp'));
if (process.env.QUICK)
    useStandIn();
export const engineConfig = resolve(process.env.ISOLATOR_CONFIG || 'build/engine/test.json');
export const docker = findProgram('docker'); // a command of the engine, also if that is podman
const engineCommand = JSON.parse(readFileSync(engineConfig, 'utf8')).containerCommand ?? 'docker';
export const engineIs = (name) => engineCommand === name;
process.env.ISOLATOR_CONFIG = engineConfig;
// Prepared images and jobs of the user make no difference; that the engine has shown that it enforces limits stays known.
const proven = join(process.env.XDG_STATE_HOME ?? join(homedir(), '.local/state'), 'isolator/enforced');
process.env.XDG_CONFIG_HOME = join(scratch, 'home');
process.env.XDG_STATE_HOME = join(scratch, 'state');
if (existsSync(proven))
    cpSync(proven, join(scratch, 'state/isolator/enforced'), { recursive: true });

const running = new Set();
process.on('exit', () => {
    for (const program of running)
        program.signal('SIGKILL');
    rmSync(scratch, { recursive: true, force: true });
});

// As test/e2e/lib.sh does it for its quick cases: what they need of an engine is in test/fixtures.
function useStandIn() {
    const directory = join(scratch, 'stand-in');
    mkdirSync(directory);
    symlinkSync(join(repository, 'test/fixtures/docker-stand-in'), join(directory, 'docker'));
    delete process.env.DOCKER_HOST;
    Object.assign(process.env, { PATH: `${directory}${delimiter}${process.env.PATH}`, DOCKER_STAND_IN: join(directory, 'state'),
        ISOLATOR_CONFIG: join(repository, 'test/fixtures/quick.json') });
}

function findProgram(name) {
    return process.env.PATH.split(delimiter).map((directory) => join(directory, name)).find((path) => {
        try {
            accessSync(path, constants.X_OK);
            return true;
        } catch {
            return false;
        }
    });
}

// ---- waiting

export const pause = (seconds) => new Promise((end) => { setTimeout(end, 1000 * seconds); });

// Whether the condition, which may be async, comes true within a number of seconds.
export async function comesTrue(condition, seconds = PATIENCE) {
    const end = Date.now() + 1000 * seconds;
    while (!await condition()) {
        if (Date.now() > end)
            return false;
        await pause(0.05);
    }
    return true;
}

// Waits until the condition comes true, without which the case cannot go on.
export async function until(condition, what, seconds = PATIENCE) {
    if (!ok(await comesTrue(condition, seconds), what))
        throw new Error(`waited ${seconds} s in vain: ${what}`);
}

// A function that runs this one when it is first called, and returns the same value each time.
export function once(run) {
    let value;
    return () => (value ??= run());
}

// A function that runs async functions, at most so many at the same time; the others wait for their turn.
export function limiter(max) {
    const waiting = [];
    let active = 0;
    return async (run) => {
        if (active === max)
            await new Promise((turn) => { waiting.push(turn); });
        else
            active++;
        try {
            return await run();
        } finally {
            if (waiting.length)
                waiting.shift()();
            else
                active--;
        }
    };
}

// The value of the promise, or undefined after a number of seconds.
export async function atMost(seconds, promise) {
    let timer;
    const late = new Promise((end) => { timer = setTimeout(end, 1000 * seconds); });
    const value = await Promise.race([promise, late]);
    clearTimeout(timer);
    return value;
}

// ---- files

let names = 0;
export const newPath = (name) => join(scratch, `${name}-${names++}`);

// Writes the file and returns its path.
export function writeFile(path, content, mode) {
    writeFileSync(path, content);
    if (mode !== undefined)
        chmodSync(path, mode);
    return path;
}

// The content of a file as text, "" if there is none.
export function contentOf(path) {
    try {
        return readFileSync(path, 'utf8');
    } catch {
        return '';
    }
}

// The names of the languages that are built in, in the order of messages.
export const BUILT_IN_LANGUAGES = 'python, go, javascript, typescript, c, cpp, rust, java, ruby, php, perl, bash, lua, r';

// A configuration without an engine: the built-in languages, and no warm containers, for which it would be asked.
export const BUILT_IN = { promptsDir: `${repository}/prompts`, warm: { python: 0, go: 0, javascript: 0 } };

// A configuration with these members in place of those of `base`, which is the engine's, as a file. `languages` and
// `warm` are merged.
export function configFile(members = {}, base = JSON.parse(readFileSync(engineConfig, 'utf8'))) {
    const merged = Object.fromEntries(['languages', 'warm'].map((key) => [key, { ...base[key], ...members[key] }]));
    return writeFile(`${newPath('config')}.json`, JSON.stringify({ ...base, ...members, ...merged }));
}

// The environment in which docker has this fault ("run 1 fail", see test/fixtures/docker-fault), and the directory
// with a file for each of its calls.
export function faultyDocker(fault) {
    const directory = newPath('fault');
    const calls = join(directory, 'calls');
    mkdirSync(calls, { recursive: true });
    symlinkSync(join(repository, 'test/fixtures/docker-fault'), join(directory, engineCommand));
    const env = { DOCKER_FAULT: fault, DOCKER_CALLS: calls, DOCKER_REAL: docker, PATH: `${directory}:${process.env.PATH}` };
    return { env, calls };
}

// ---- programs

export class Program {
    // Options: `stdin`: a path or a descriptor (nothing); `stdout`, `stderr`: the same (a file); `env`: variables
    // besides those of the test, undefined for one that is not set; `bare`: no others; `cwd`; `closed`: descriptors
    // that are closed when it starts.
    constructor(command, args = [], options = {}) {
        const stdio = [options.stdin ?? '/dev/null', options.stdout ?? newPath('stdout'), options.stderr ?? newPath('stderr')];
        const opened = stdio.map((file, fd) => (typeof file === 'string' ? openSync(file, fd === 0 ? 'r' : 'w') : file));
        const redirections = (options.closed ?? []).map((fd) => `${fd}${fd === 0 ? '<' : '>'}&-`).join(' ');
        [, this.stdoutPath, this.stderrPath] = stdio;
        this.began = performance.now();
        this.child = spawn(...redirections ? ['/bin/sh', ['-c', `exec "$0" "$@" ${redirections}`, command, ...args]] : [command, args], {
            stdio: opened,
            cwd: options.cwd,
            env: definedOnly({ ...options.bare ? {} : process.env, ...options.env }),
        });
        stdio.forEach((file, fd) => typeof file === 'string' && closeSync(opened[fd]));
        this.pid = this.child.pid;
        running.add(this);
        this.ended = new Promise((settle) => {
            const end = (how) => {
                running.delete(this);
                this.how = how;
                this.took = (performance.now() - this.began) / 1000;
                settle(how);
            };
            this.child.once('error', (error) => end(`not started: ${error.message}`));
            this.child.once('exit', (code, signal) => end(signal ?? `exit ${code}`));
        });
    }

    get hasEnded() { return this.how !== undefined; }

    signal(name) {
        if (!this.hasEnded && this.pid)
            process.kill(this.pid, name);
    }

    // Waits for its end: "exit N" or the name of a signal, "still running" after all patience.
    async end(seconds = PATIENCE) {
        return await atMost(seconds, this.ended) ?? 'still running';
    }

    stdout() { return contentOf(this.stdoutPath); }
    stderr() { return contentOf(this.stderrPath); }
}

function definedOnly(object) {
    return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

const execute = promisify(execFile);

// Runs docker and returns the lines of its output. Throws if it fails.
export async function dockerLines(...args) {
    const { stdout } = await execute(docker, args, { maxBuffer: 64 << 20 });
    return stdout.split('\n').filter(Boolean);
}

// The containers of the process with this id, by name.
export async function containersOf(pid) {
    return dockerLines('ps', '-a', '--filter', `label=isolator.pid=${pid}`, '--format', '{{.Names}}');
}

// The same when there are none any more, or after all patience.
export async function remainingContainersOf(pid) {
    let left = [];
    await comesTrue(async () => {
        left = await containersOf(pid).catch((error) => [`docker ps failed: ${error.message}`]);
        return left.length === 0;
    });
    return left;
}

// The volumes that no container uses.
export const danglingVolumes = () => dockerLines('volume', 'ls', '-q', '--filter', 'dangling=true');

// This label in the template of `ps`; podman 4.3 does not have .Label.
const labelOf = (name) => (engineIs('podman') ? `{{index .Labels "${name}"}}` : `{{.Label "${name}"}}`);

// The containers of all processes of isolator: {pid, name, status}.
export async function allContainers() {
    const rows = await dockerLines('ps', '-a', '--filter', 'label=isolator.pid', '--format',
        `${labelOf('isolator.pid')} {{.Names}} {{.Status}}`);
    // The label is empty in an image that was saved, and in a container that a test makes of it.
    return rows.map((row) => /^(\d+) (\S*) (.*)$/.exec(row)).filter(Boolean).map(([, pid, name, status]) => ({ pid: Number(pid), name, status }));
}

// Makes a FIFO and returns a descriptor of each end: `reading` and `writing`, of which the one named in `ours` does
// not block. Node itself would make a socket.
export function makeFifo(ours) {
    const path = newPath('fifo');
    execFileSync('mkfifo', [path]);
    const both = openSync(path, 'r+'); // so that no open() has to wait for the other end
    const reading = openSync(path, constants.O_RDONLY | (ours === 'reading' ? constants.O_NONBLOCK : 0));
    const writing = openSync(path, constants.O_WRONLY | (ours === 'writing' ? constants.O_NONBLOCK : 0));
    closeSync(both);
    return { reading, writing };
}

// Makes a pipe that is full and is never read, and returns a descriptor to write to it, which blocks.
export function fullPipe() {
    const path = newPath('full');
    execFileSync('mkfifo', [path]);
    openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // kept open until the test ends
    const filling = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    for (const size of [4096, 1]) {
        try {
            for (;;)
                writeSync(filling, 'x'.repeat(size));
        } catch (error) {
            if (error.code !== 'EAGAIN')
                throw error;
        }
    }
    closeSync(filling);
    return openSync(path, constants.O_WRONLY);
}
