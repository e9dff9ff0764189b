// Drives the server with the official clients of all revisions, and with the inspector. Writes TAP.
//
//     node test/mcp/sdk.mjs isolator-mcp ENGINE-CONFIG

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testPlot } from './artifacts.mjs';
import { testFeatures } from './features.mjs';
import { testValidator } from './rejections.mjs';
import { Session } from './session.mjs';
import { finish, is, part } from './tap.mjs';
import { LEGACY, MODERN } from './validator.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

// What `mode` "auto" is for: the first request of all is a call, so that its id and token are 0.
async function testAuto(session) {
    const told = [];
    is(session.client.getNegotiatedProtocolVersion(), MODERN[0], 'auto: the newest revision is found');
    is(session.servers.length, 2, 'auto: by a process of its own');
    const result = await session.call({ snippet_name: 'hello_world.py' }, { onprogress: (progress) => told.push(progress) });
    is(result.content, [{ type: 'text', text: '--- stdout ---\nHello, World from Python!\n' }], 'auto: a snippet runs');
    is(session.server.requested(() => true).map(({ id, params }) => [id, params._meta.progressToken]), [[0, 0]],
        'auto: the progressToken is 0');
    is(told.length > 0 && told[0].message, 'starting a fresh sandbox', 'auto: its progress is told');
}

// The command that people try servers with. The inspector hands its environment on to the server.
function testInspector(program, config) {
    const { status, stdout, stderr } = spawnSync('npx', ['--no', '--', '@modelcontextprotocol/inspector', '--cli', program,
        '--method', 'tools/call', '--tool-name', 'execute_code', '--tool-arg', 'language=python',
        '--tool-arg', 'entrypoint_code=print(6*7)'],
    { cwd: path('.'), env: { ...process.env, ISOLATOR_CONFIG: config }, encoding: 'utf8' });
    let result;
    try {
        result = JSON.parse(stdout);
    } catch {
        result = { stdout, stderr };
    }
    is([status, result.content ?? result], [0, [{ type: 'text', text: '--- stdout ---\n42\n' }]], 'inspector: prints 42');
}

async function main(program, engineConfig) {
    const scratch = mkdtempSync(join(tmpdir(), 'isolator-mcp-'));
    const config = join(scratch, 'config.json');
    const withSession = (name, revision, mode, run) => part(name, async () => {
        const session = await new Session(program, config, revision, mode).open();
        await run(session);
        await session.close(name);
    });
    const engine = JSON.parse(readFileSync(engineConfig, 'utf8'));
    writeFileSync(config, JSON.stringify({ ...engine, promptsDir: path('../../prompts'), maxConcurrent: 2 }));

    await part('validator', testValidator);
    for (const revision of [...LEGACY, ...MODERN])
        await withSession(revision, revision, { pin: revision }, (session) => testFeatures(session, revision));
    await withSession('auto', MODERN[0], 'auto', testAuto);
    engine.languages.python = { ...engine.languages.python, image: 'isolator-test/plot:bookworm' };
    writeFileSync(config, JSON.stringify(engine));
    for (const revision of [LEGACY.at(-1), MODERN[0]])
        await withSession(`plot, ${revision}`, revision, { pin: revision }, testPlot);
    await part('inspector', () => testInspector(program, config));
    rmSync(scratch, { recursive: true });
    finish();
}

await main(...process.argv.slice(2));
