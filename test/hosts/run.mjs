// See test/hosts/run.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { CALLS, startService } from './service.mjs';
import { HOSTS } from './table.mjs';

const here = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const root = resolve(here, '../..');
const server = join(root, 'build/isolator-mcp');
const config = process.env.ISOLATOR_CONFIG ?? join(root, 'build/engine/test.json');
const cache = process.env.HOSTS_CACHE ?? join(root, 'build/hosts');
const HOST_SECONDS = 240;

const say = (line) => process.stderr.write(`test/hosts: ${line}\n`);

function install(name, packages) {
    const directory = join(cache, name);
    const wanted = packages.join(' ');
    const stamp = join(directory, 'installed');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return directory;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{"private": true, "type": "module"}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
    writeFileSync(stamp, wanted);
    return directory;
}

// Runs a command to its end, or kills its process group. Returns the last lines that it printed.
function run(command, options) {
    return new Promise((done) => {
        const child = spawn(command[0], command.slice(1), { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
        let text = '';
        const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), HOST_SECONDS * 1000);
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { text = (text + data).slice(-4000); });
        child.on('error', (error) => { clearTimeout(timer); done(String(error)); });
        child.on('close', (status) => { clearTimeout(timer); done(`${text}\nstatus ${status}`); });
    });
}

// A program that runs the server and notes what it is sent.
function noting(file) {
    writeFileSync(`${file}.sh`, `#!/bin/sh\ntee -a '${file}' | '${server}' "$@"\n`, { mode: 0o755 });
    return `${file}.sh`;
}

// Adds the entry, and lets it start this program.
function addEntry(host, program, env) {
    execFileSync(server, ['--install', host], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    for (const file of readdirSync(env.HOME, { recursive: true, withFileTypes: true })) {
        const path = join(file.parentPath ?? file.path, file.name);
        const text = file.isFile() ? readFileSync(path, 'utf8') : '';
        if (program !== server && text.includes(server)) writeFileSync(path, text.replaceAll(server, program));
    }
}

// What the model was shown of one call, in words.
function describe(call, shown) {
    const has = (pattern) => new RegExp(pattern).test(shown);
    const said = [];
    if (shown === undefined) return 'not called';
    const times = shown.split(call === 'cut' ? 'marker-head' : call === 'error' ? 'marker-out' : 'marker-text').length - 1;
    said.push(has('"stdout\\\\*":') ? 'JSON' : 'text');
    if (times !== 1) said.push(`output ${times} times`);
    if (has('<picture>')) said.push('picture');
    if (has('iVBOR')) said.push('base64');
    if (has('isolator://runs/')) said.push('URI');
    if (call === 'cut') said.push(has('marker-tail') ? `${Math.ceil(shown.length / 1000)} KB` : 'tail lost');
    if (call === 'error') said.push(has('status 1') && has('marker-err') ? 'reason' : 'reason lost');
    return said.join(', ');
}

async function tryHost(name, host) {
    const directory = install(name, host.packages);
    const home = mkdtempSync(join(tmpdir(), 'isolator-hosts-'));
    const trace = process.env.HOSTS_TRACE;
    const program = trace ? noting(join(trace, `${name}.messages`)) : server;
    const service = await startService(trace && ((line) => appendFileSync(join(trace, `${name}.requests`), `${line}\n`)));
    const env = { PATH: [join(directory, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter), HOME: home, LANG: 'C.UTF-8',
        TERM: 'dumb', ISOLATOR_CONFIG: config, SERVER: program, MODEL_URL: `${service.url}/v1`, OPENAI_API_KEY: 'x', ...host.env?.(service.url) };
    const work = join(home, 'work');
    mkdirSync(work);
    for (const [file, text] of Object.entries(host.files?.(service.url) ?? {})) {
        mkdirSync(dirname(join(home, file)), { recursive: true });
        writeFileSync(join(home, file), text);
    }
    if (host.install) addEntry(host.install, program, env);
    let command = host.command?.map((word) => word.replace(/^~/, home));
    if (host.script) {
        writeFileSync(join(directory, 'agent.mjs'), host.script);
        command = [process.execPath, join(directory, 'agent.mjs')];
    }
    let said = host.before ? await run(host.before(service.url), { cwd: work, env }) : '';
    said += await run(command, { cwd: work, env });
    service.close();
    service.closeAll?.();
    const { shown } = service.noted;
    if (trace) writeFileSync(join(trace, name), `${Object.keys(CALLS).map((call, i) => `=== ${call}\n${shown[i]}`).join('\n')}\n=== said\n${said}\n`);
    if (shown.length < Object.keys(CALLS).length) say(`${name}: ${shown.length} calls\n${said}`);
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    return Object.keys(CALLS).map((call, i) => `${name.padEnd(12)} ${call.padEnd(8)} ${describe(call, shown[i])}`);
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(HOSTS);
const unknown = names.find((name) => !HOSTS[name]);
if (unknown) { say(`there is no host '${unknown}'; known are: ${Object.keys(HOSTS).join(' ')}`); process.exit(2); }
const expected = readFileSync(join(here, 'expected'), 'utf8').split('\n');
let failed = false;
for (const name of names) {
    say(name);
    for (const line of await tryHost(name, HOSTS[name]).catch((error) => [`${name.padEnd(12)} ${error.message.split('\n')[0]}`])) {
        const known = expected.includes(line);
        failed ||= !known;
        console.log(known ? line : `${line}   <-- not in test/hosts/expected`);
    }
}
process.exit(failed ? 1 : 0);
