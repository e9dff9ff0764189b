#!/usr/bin/env node
// isolator-mcp: interpreters of sessions that are started before the session. A cell gives in one what it gives in an
// interpreter that it starts.

import { readFileSync } from 'node:fs';
import { finish, is, ok, testCase } from '../mcp/cases.mjs';
import { startServer } from '../mcp/pipe_client.mjs';
import { engineConfig, pause, until } from '../mcp/processes.mjs';

async function start(config) {
    const server = await startServer({ config: { sessions: { max: 64 }, ...config } });
    await server.initialize('2025-11-25');
    await server.ask('tools/list'); // which fills the pool
    return server;
}

async function resultOf(server, args) {
    const { result } = await server.response(server.call({ timeout_seconds: 300, ...args }));
    ok(result.structuredContent, result.content[0].text);
    return result.structuredContent;
}

// The results of the cells of one session, whose first one has to be served by a ready interpreter if `ready`.
async function resultsOf(server, args, [first, ...rest], ready) {
    let result;
    await until(async () => {
        result = await resultOf(server, { session: 'new', ...args, entrypoint_code: first });
        if (!ready || result.ready) return true;
        await server.ask('tools/call', { filename: 'close_session', arguments: { session: result.session } });
        return false;
    }, 'the interpreter of a session is ready');
    const results = [result];
    for (const code of rest) results.push(await resultOf(server, { session: result.session, entrypoint_code: code }));
    return results;
}

// What has to be the same in both.
const outcome = ({ status, exitCode, stdout, stderr, value, error }) => ({ status, exitCode, stdout, stderr, value, error });

async function compare(language, cells, args) {
    const cold = (await resultsOf(await start({ warm: { [language]: 0 } }), { language, ...args }, cells, false)).map(outcome);
    const server = await start({ warm: { [language]: 2 } });
    const results = await resultsOf(server, { language, ...args }, cells, true);
    is(results.map(outcome), cold, `${language}: the outcomes`);
    is(results.map(({ ready }) => Boolean(ready)), cells.map((_, index) => index === 0), 'the first cell alone says that it was ready');
    return results;
}

const PYTHON = JSON.parse(readFileSync(engineConfig, 'utf8')).languages.python;

testCase('Python: a session', async () => {
    const [first] = await compare('python', [
        'import json, os, sys; a = 1; print(sys.argv, sys.path[0], sorted(os.listdir(".")), json.dumps([1]), __name__)',
        'import own; print(sys.stdin.read(), a, own.y)',
        'print(sorted(os.listdir("/proc/self/fd")), os.getcwd(), sorted(set(os.environ) - {"HOSTNAME"})); a + 1',
        'import signal; print(signal.getsignal(signal.SIGTERM), [l for l in open("/proc/self/status") if l.startswith("TracerPid")])',
        '1 / 0',
        'import subprocess; print(subprocess.run(["echo", "x"], capture_output=True).stdout)',
        'raise SystemExit(3)',
    ], { additional_files: [{ filename: 'json.py', content: 'x = 1' }, { filename: 'own.py', content: 'y = 2' }] });
    is(first.stdout, "['cell']  ['json.py', 'own.py'] [1] __main__\n", 'a file with the name of a module');
});

testCase('JavaScript: a session', async () => {
    await compare('javascript', [
        'var a = 1; console.log(process.argv.length, process.cwd(), require("fs").readdirSync("."), typeof module)',
        'console.log(require("./own.js"), a, require("fs").readdirSync("/proc/self/fd").length)',
        'await new Promise((done) => setTimeout(done, 10)); a + 1',
        'require("child_process").execSync("echo x").toString()',
        'throw new TypeError("x")',
        'process.exit(3)',
    ], { additional_files: [{ filename: 'own.js', content: 'module.exports = 2' }] });
});

testCase('modules that are imported in advance', async () => {
    const seen = 'import sys, os; print([m in sys.modules for m in ("unittest", "http")], os.listdir("."), "PYTHONPATH" in os.environ, sys.path[0], os.fstat(3).st_size)';
    const server = await start({ warm: { python: 2 }, languages: { python: { ...PYTHON, preload: ['unittest'] } } });
    const [first] = await resultsOf(server, { language: 'python' }, [seen], true);
    is(first.stdout, '[True, False] [] False  0\n');
    is((await resultOf(server, { session: first.session, entrypoint_code: 'input()', stdin: 'line' })).value, "'line'", 'its standard input');
});

testCase('sessions and programs each get what is ready for them', async () => {
    const server = await start({ warm: { python: 2 } });
    for (const round of [1, 2]) {
        await until(async () => (await resultOf(server, { language: 'python', entrypoint_code: 'print(1)' })).ready, `round ${round}: a program`);
        await resultsOf(server, { language: 'python' }, ['1'], true);
    }
});

// The last request says for what the interpreter of the only container is.
testCase('one warm container', async () => {
    const server = await start({ warm: { python: 1 } });
    await resultsOf(server, { language: 'python' }, ['1'], true);
    await until(async () => (await resultOf(server, { language: 'python', entrypoint_code: 'print(1)' })).ready, 'a program');
});

testCase('a session with other limits', async () => {
    const server = await start({ warm: { python: 2 }, maximums: { memoryMB: 400 } });
    await resultsOf(server, { language: 'python' }, ['1'], true);
    const results = await resultsOf(server, { language: 'python', memory_mb: 200 }, ['a = 1; print(a)', 'a'], false);
    is(results.map(({ ready, stdout, value }) => [Boolean(ready), stdout, value]), [[false, '1\n', null], [false, '', '1']]);
});

await finish();
