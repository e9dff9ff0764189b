#!/usr/bin/env node
// isolator-mcp, driven by the official SDK clients of all revisions and by the inspector.

import { spawnSync } from 'node:child_process';
import '../mcp/install.mjs';
import { finish, is, ok, testCase } from '../mcp/cases.mjs';
import { configFile, isolatorMcp, repository } from '../mcp/processes.mjs';

const { LEGACY, MODERN } = await import('../mcp/validator.mjs');
const { openSession } = await import('../mcp/session.mjs');
const { checkArtifacts, checkPlot } = await import('../mcp/artifacts.mjs');
const { checkBeside } = await import('../mcp/calls.mjs');
const { checkAgreement, checkCall, checkCompletion, checkJobs, checkResources, checkTools, checkWrongArguments, knownBy } =
    await import('../mcp/features.mjs');
const { analystConfig, checkAnalyst, checkSessions, writeSales } = await import('../mcp/sessions.mjs');

const snippets = () => configFile({ promptsDir: `${repository}/prompts`, maxConcurrent: 2, jobs: { maxRunning: 256 } });
const plots = () => configFile({ languages: { python: { image: 'isolator-test/plot:bookworm' } } });

const FEATURES = [
    ['what is agreed on', checkAgreement],
    ['the tool', checkTools],
    ['wrong arguments', checkWrongArguments],
    ['snippets as resources', checkResources],
    ['completion of snippet names', checkCompletion],
    ['a call that fails and writes much', checkCall],
    ['artifacts', checkArtifacts],
    ['sessions', checkSessions],
    ['jobs', checkJobs],
];

for (const revision of [...LEGACY, ...MODERN]) {
    const known = knownBy(revision);
    for (const [title, check] of FEATURES)
        testCase(`${revision}: ${title}`, async () => check(await openSession(snippets(), revision), revision, known));
}

for (const revision of [LEGACY.at(-1), MODERN[0]])
    testCase(`${revision}: all of that on one connection while a call runs, which is then cancelled`, async () => {
        const session = await openSession(snippets(), revision);
        await session.client.listTools(); // takes the id and the token 0, which one of the checks uses
        await checkBeside(session, async () => {
            for (const [, check] of FEATURES)
                await check(session, revision, knownBy(revision));
        });
    });

for (const revision of [LEGACY.at(-1), MODERN[0]])
    testCase(`${revision}: a plot by matplotlib comes back as a picture`, async () => checkPlot(await openSession(plots(), revision)));

for (const revision of [LEGACY.at(-1), MODERN[0]])
    testCase(`${revision}: an analyst loads, groups and plots a file of 5 MB in a session`, async () => {
        const sales = writeSales();
        await checkAnalyst(await openSession(analystConfig(sales), revision), sales);
    });

testCase('mode "auto" finds the newest revision; the first request of all is a call, with id and token 0', async () => {
    const progress = [];
    const session = await openSession(snippets(), MODERN[0], 'auto');
    is(session.client.getNegotiatedProtocolVersion(), MODERN[0]);
    is(session.servers.length, 2, 'by a process of its own');
    const result = await session.call({ snippet_name: 'hello_world.py' }, { onprogress: (params) => progress.push(params) });
    is(result.content, [{ type: 'text', text: '--- stdout ---\nHello, World from Python!\n' }], 'a snippet runs');
    is(session.server.requested(() => true).map(({ id, params }) => [id, params._meta.progressToken]), [[0, 0]]);
    ok(progress.length > 0 && progress[0].message === 'starting a fresh container', 'there is progress', progress);
});

// It hands its environment on to the server.
testCase('the inspector, with which people try servers, prints 42', async () => {
    const { status, stdout, stderr } = spawnSync('npx', ['--no', '--', '@modelcontextprotocol/inspector', '--cli', isolatorMcp,
        '--method', 'tools/call', '--tool-name', 'execute_code', '--tool-arg', 'language=python', '--tool-arg', 'entrypoint_code=print(6*7)'],
    { cwd: `${repository}/test/mcp`, env: { ...process.env, ISOLATOR_CONFIG: snippets() }, encoding: 'utf8' });
    is(status, 0, stderr);
    is(stdout.startsWith('{') ? JSON.parse(stdout).content : stdout, [{ type: 'text', text: '--- stdout ---\n42\n' }]);
});

await finish();
