#!/usr/bin/env node
// isolator-mcp: what the text for a model says of the cure: of a program that shows nothing, of a missing package, of a
// missing image, and of a language that is not prepared.

import { finish, has, is, lacks, testCase } from '../mcp/cases.mjs';
import { startServer } from '../mcp/pipe_client.mjs';

const PRINT = 'print what you want to see; in a session ("session": "new") the value of the last expression and open figures ' +
    'come back by themselves';
const missing = (name, language, install) => `the package '${name}' is not in the image, and a program cannot install it; ` +
    `the user can: isolator prepare ${language} --network bridge --run '${install} ${name}'`;

async function start(config = {}) {
    const server = await startServer({ config });
    await server.initialize('2025-11-25');
    return server;
}

// The text and the structuredContent of a call.
async function run(server, language, code, args = {}) {
    const { result } = await server.response(server.call({ timeout_seconds: 300, language, entrypoint_code: code, ...args }));
    return { text: result.content[0].text, result: result.structuredContent };
}

testCase('a program that shows nothing is told to print, or to use a session', async () => {
    const server = await start();
    for (const language of ['python', 'javascript']) {
        const { text, result } = await run(server, language, '6 * 7');
        is(text, `(no output)\n--- warnings ---\n${PRINT}\n`, language);
        is(result.warnings, [PRINT], `${language}: the same in structuredContent`);
        is((await run(server, language, '6 * 7', { session: 'new' })).result.warnings, [], `${language}: not in a session`);
    }
    is((await run(server, 'busybox', 'true')).text, '(no output)', 'a language without sessions of variables');
    is((await run(await start({ sessions: { max: 0 } }), 'python', '1')).result.warnings, ['print what you want to see'], 'no sessions');
});

testCase('a package that is not in the image: how the user adds it', async () => {
    const server = await start();
    for (const [language, code, name, install] of [
        ['python', 'import numpy.linalg', 'numpy', 'pip install'],
        ['python', 'import sklearn', 'scikit-learn', 'pip install'],
        ['javascript', "require('lodash/fp')", 'lodash', 'npm install --prefix /'],
        ['javascript', "import('@a/b/c')", '@a/b', 'npm install --prefix /'],
    ]) {
        has((await run(server, language, code)).text, `--- warnings ---\n${missing(name, language, install)}\n`, code);
        has((await run(server, language, code.replace('import(', 'await import('), { session: 'new' })).text,
            `--- warnings ---\n${missing(name, language, install)}\n`, `${code} in a session`);
    }
    is((await run(server, 'python', `raise ModuleNotFoundError("No module named 'x; rm -rf /'")`)).result.warnings, [], 'no name of a package');
    is((await run(server, 'javascript', "require('./mine')")).result.warnings, [], 'a file of the call');
});

testCase('a missing image: the command is for the user, and names the language', async () => {
    const image = 'isolator-test/none:1';
    const server = await start({ languages: { python: { image } } });
    is((await run(server, 'python', '1')).text, `Execution Failed (error): image '${image}' is not on the engine; ` +
        'run: isolator pull python\n--- warnings ---\nonly the user can run this command: tell the user\n');
});

testCase('that a language is not prepared is said once', async () => {
    const server = await start({ languages: { busybox: { image: 'isolator-test/busybox:1', command: ['sh', '{entrypoint}'],
        extensions: ['.ash'], defaultFilename: 'main.ash', prepare: { run: [`: ${process.pid}`] } } } });
    const UNPREPARED = 'busybox is not prepared, so the program ran in the image ';
    const { text, result } = await run(server, 'busybox', 'echo 1');
    has(text, UNPREPARED, 'the first call');
    is(result.warnings.length, 1, 'the first call');
    for (const args of [{}, { session: 'new' }]) {
        const next = await run(server, 'busybox', 'echo 2', args);
        lacks(next.text, UNPREPARED, 'the next call');
        is(next.result.warnings, [], 'the next call');
    }
});

await finish();
