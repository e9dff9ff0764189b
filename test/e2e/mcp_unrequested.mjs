#!/usr/bin/env node
// isolator-mcp: the files of a program whose call has no argument `artifacts`: pictures come back, other files are named.

import { finish, is, lacks, testCase } from '../mcp/cases.mjs';
import { startServer } from '../mcp/pipe_client.mjs';

// png(NAME) writes a picture.
const PICTURES = `import struct, zlib
def png(name, width=1):
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    open(name, "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 2, 0, 0, 0)) +
        part(b"IDAT", zlib.compress(b"\\0\\1\\2\\3")) + part(b"IEND", b""))
`;
const named = (names, pattern) => [`files written and not returned: ${names}; to get them, give "artifacts": ["${pattern}"]`];

async function start() {
    const server = await startServer({});
    await server.initialize('2025-11-25');
    return server;
}

// What a call returns, in short: the names of its artifacts, its warnings, the types of its content.
async function run(server, code, args = {}) {
    const { result: { content, structuredContent } } =
        await server.response(server.call({ timeout_seconds: 300, entrypoint_code: code, ...args }));
    return { artifacts: structuredContent.artifacts.map(({ name }) => name), warnings: structuredContent.warnings,
        types: content.map(({ type }) => type), session: structuredContent.session, text: content[0].text };
}

const python = (server, code, args = {}) => run(server, code, { language: 'python', ...args });

testCase('pictures come back unrequested, four at most, and the other files are named', async () => {
    const server = await start();
    const one = await python(server, `${PICTURES}png("a.png"); open("b.csv", "w").write("1"); open(".c", "w"); png(".d.png")`);
    is(one.artifacts, ['a.png']);
    is(one.types, ['text', 'image']);
    is(one.warnings, named('b.csv', '*.csv'));
    const many = await python(server, `${PICTURES}for i in range(6): png(f"{i}.png")`);
    is([many.artifacts.length, many.types.length], [4, 5], 'four of six');
    is((await python(server, 'print(1)')).warnings, [], 'no file');
    is((await python(server, 'open("a", "w").write("1" * 2000000); open("b.txt", "w")')).warnings, named('a, b.txt', '**'), 'a large file');
});

testCase('a picture that is broken or too large is a file, and a warning says why', async () => {
    const server = await start();
    const one = await python(server, `${PICTURES}png("a.png"); open("b.png", "wb").write(open("a.png", "rb").read()[:40]); png("c.png", 8001)
open("d.jpg", "wb").write(b"\\xff\\xd8\\xff\\xe0" + b"x" * 40)`);
    is([one.artifacts, one.types], [['a.png', 'b.png', 'c.png', 'd.jpg'], ['text', 'image', 'resource_link', 'resource_link', 'resource_link']]);
    is(one.warnings, ["the picture 'b.png' is returned as a file: the PNG is not complete",
        "the picture 'c.png' is returned as a file: it has more than 8000 pixels on a side",
        "the picture 'd.jpg' is returned as a file: the JPEG is not complete"]);
});

testCase('a program that is ended leaves nothing unrequested, and what was asked for', async () => {
    const server = await start();
    const code = `${PICTURES}png("a.png"); open("b.csv", "w").write("1"); import time; time.sleep(60)`;
    const killed = `${PICTURES}png("a.png"); open("b.csv", "w").write("1"); import os; os.kill(os.getpid(), 9)`;
    for (const [text, args] of [[code, { timeout_seconds: 2 }], [killed, {}]]) {
        const unrequested = await python(server, text, args);
        is([unrequested.artifacts, unrequested.warnings.join().includes('b.csv')], [[], false]);
        is((await python(server, text, { ...args, artifacts: ['*.csv'] })).artifacts, ['b.csv']);
    }
});

testCase('with artifacts, also an empty list, nothing is unrequested', async () => {
    const server = await start();
    const code = `${PICTURES}png("a.png"); open("b.csv", "w").write("1"); print(1)`;
    for (const [artifacts, expected] of [[[], []], [['*.csv'], ['b.csv']]]) {
        const result = await python(server, code, { artifacts });
        is([result.artifacts, result.warnings], [expected, []], JSON.stringify(artifacts));
    }
});

testCase('files that were sent, and those of compilers, are not named', async () => {
    const server = await start();
    const sent = [{ filename: 'm.py', content: 'x = 1' }, { filename: 'same.txt', content: '1' }, { filename: 'd/changed.txt', content: '1' }];
    const code = 'import m; open("same.txt", "w").write("1"); open("d/changed.txt", "w").write("2")';
    is((await python(server, code, { additional_files: sent })).warnings, named('d/changed.txt', '**'));
    is((await python(server, 'import py_compile, m; py_compile.compile("m.py")', { additional_files: sent.slice(0, 1) })).warnings.length, 1,
        'only how to see something');
    const go = (body) => run(server, `package main\nimport "os"\nfunc main() { ${body} }`, { language: 'go' });
    lacks((await go('println(len(os.Args))')).text, 'not returned', 'the program that was built');
    is((await go('os.WriteFile("out.txt", []byte("1"), 0644)')).warnings.at(-1), named('out.txt', '*.txt')[0], 'what it writes');
});

testCase('in a session a file is named once, until it changes, and a later call gets it', async () => {
    const server = await start();
    const { session, ...first } = await python(server, `${PICTURES}png("a.png"); open("b.csv", "w").write("1"); open("c", "w").write("1" * 2000000)`,
        { session: 'new' });
    is([first.artifacts, first.warnings], [['a.png'], named('b.csv, c', '**')], 'the first call');
    is((await run(server, '1', { session })).warnings, [], 'nothing new');
    is((await run(server, 'open("b.csv", "w").write("2")', { session })).warnings, named('b.csv', '*.csv'), 'it has changed');
    is((await run(server, '1', { session, artifacts: ['*.csv'] })).artifacts, ['b.csv'], 'asked for');
    is((await run(server, '1', { session })).warnings, [], 'it was returned');
});

testCase('figures that a cell shows come in place of the pictures that it writes', async () => {
    const server = await startServer({ config: { languages: { python: { image: 'isolator-test/plot:bookworm' } } } });
    await server.initialize('2025-11-25');
    const { session, ...both } = await python(server, 'import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig("a.png")', { session: 'new' });
    is([both.artifacts, both.warnings], [['figure-1.png'], named('a.png', '*.png')], 'an open figure');
    const closed = await run(server, 'plt.plot([1, 3]); plt.savefig("b.png"); plt.close()', { session });
    is([closed.artifacts, closed.warnings], [['b.png'], []], 'no open figure');
});

await finish();
