// What a client of each revision gets: everything that the server offers, and nothing that its
// revision does not know.

import { readFileSync } from 'node:fs';
import { is, matches, ok } from './tap.mjs';
import { refusal } from './session.mjs';

const members = (object) => Object.keys(object).sort().join(' ');
const prompts = new URL('../../prompts/', import.meta.url);

// What a revision knows, by its place among them.
function knownBy(revision) {
    return {
        annotations: revision >= '2025-03-26', // and messages of progress, and the capability completions
        structured: revision >= '2025-06-18', // and titles and links to resources
        argumentResults: revision >= '2025-11-25',
        modern: revision >= '2026-07-28',
    };
}

function testBeginning(session, revision, known) {
    const { client } = session;
    const agreed = known.modern ? client.getNegotiatedProtocolVersion()
        : session.server.received((message) => message.id === 0)[0]?.result?.protocolVersion;
    is(agreed, revision, `${revision}: is agreed on`);
    is(client.getServerCapabilities(), { tools: {}, resources: {}, ...known.annotations ? { completions: {} } : {} },
        `${revision}: capabilities`);
    is(client.getServerVersion()?.name, 'isolator', `${revision}: name of the server`);
    is(members(client.getServerVersion() ?? {}), known.structured ? 'name title version' : 'name version',
        `${revision}: what it says of itself`);
    matches(client.getInstructions(), /^The tool execute_code runs a program in a fresh, locked-down container/,
        `${revision}: instructions`);
}

async function testTools(session, revision, known) {
    const { tools } = await session.client.listTools();
    is(tools.map((tool) => tool.name), ['execute_code'], `${revision}: the tool`);
    is(members(tools[0]), known.structured ? 'annotations description inputSchema name outputSchema title'
        : known.annotations ? 'annotations description inputSchema name' : 'description inputSchema name',
    `${revision}: members of the tool`);
    const { inputSchema } = tools[0];
    is(members(inputSchema), '$schema additionalProperties properties type', `${revision}: members of inputSchema`);
    is(members(inputSchema.properties), 'additional_files arguments entrypoint_code entrypoint_filename environment ' +
        'language snippet_name stdin timeout_seconds', `${revision}: the arguments`);
    ok(['python', 'javascript', 'go', 'busybox'].every((name) => inputSchema.properties.language.enum.includes(name)),
        `${revision}: the languages of the configuration`, inputSchema.properties.language.enum);
    if (known.annotations)
        is(tools[0].annotations, { title: 'Run code in a sandbox', readOnlyHint: false, destructiveHint: false,
            idempotentHint: false, openWorldHint: false }, `${revision}: annotations`);
}

// The structured content in few words, and the rest of the result.
function outcome(result) {
    const { status, exitCode, reason } = result.structuredContent ?? {};
    return [result.isError, members(result), ...result.structuredContent ? [status, exitCode, reason] : []];
}

async function testCalls(session, revision, known) {
    const tokenZero = { name: 'execute_code', _meta: { progressToken: 0 },
        arguments: { language: 'busybox', entrypoint_code: 'echo before; exit 3' } };
    const [good, failed, late, long] = await Promise.all([
        session.python('print(6*7)'),
        session.callWith(tokenZero),
        session.shell('sleep 1000', { timeout_seconds: 1 }),
        session.shell('yes 123456789 | head -c 100000'),
    ]);
    const shape = `${known.modern ? '_meta ' : ''}content isError${known.structured ? ' structuredContent' : ''}`;
    const expected = (isError, ...words) => [isError, shape, ...known.structured ? words : []];

    is(good.content, [{ type: 'text', text: '--- stdout ---\n42\n' }], `${revision}: a call: text`);
    is(outcome(good), expected(false, 'success', 0, 'exit'), `${revision}: a call: outcome`);
    is(failed.content, [{ type: 'text', text: 'Execution Failed (error): program exited with status 3\n\n' +
        '--- stdout ---\nbefore\n' }], `${revision}: exit 3: text`);
    is(outcome(failed), expected(true, 'error', 3, 'exit'), `${revision}: exit 3: outcome`);
    is(late.content.map((item) => item.text.split('\n')[0]),
        ['Execution Failed (timeout): program did not end within 1 s'], `${revision}: timeout: text`);
    is(outcome(late), expected(true, 'timeout', 137, 'timeout'), `${revision}: timeout: outcome`);
    is(outcome(long), expected(false, 'success', 0, 'exit'), `${revision}: long output: outcome`);
    await testLong(session, revision, known, long);
    testTokenZero(session, revision, known);
}

async function testLong(session, revision, known, { content, structuredContent }) {
    const [text, link, ...more] = content;
    matches(text.text, /^--- stdout ---\n(123456789\n)+\n?\[\.\.\. \d+ bytes left out \.\.\.\](\n123456789)+\n$/s, `${revision}: long output: text`);
    ok(text.text.length <= 50000, `${revision}: long output: length of the text`, text.text.length);
    if (!known.structured) {
        is(content.length, 1, `${revision}: long output: nothing beside the text`);
        return;
    }
    is([structuredContent.stdoutTruncated, structuredContent.stdoutBytes], [true, 100000],
        `${revision}: long output: said to be cut`);
    is([link?.type, link?.name, link?.mimeType, link?.size, more.length],
        ['resource_link', 'stdout', 'text/plain', 100000, 0], `${revision}: long output: link`);
    matches(link?.uri, /^isolator:\/\/runs\/[0-9a-f]{16}\/stdout$/, `${revision}: long output: its URI`);
    const { contents } = await session.client.readResource({ uri: link.uri });
    is(contents, [{ uri: link.uri, mimeType: 'text/plain', text: '123456789\n'.repeat(10000) }],
        `${revision}: long output: the whole of it can be read`);
}

function testTokenZero(session, revision, known) {
    const told = session.server.received((message) => message.params?.progressToken === 0);
    ok(told.length > 0, `${revision}: progressToken 0: progress is told`);
    is([...new Set(told.map((message) => members(message.params)))],
        [known.annotations ? 'message progress progressToken' : 'progress progressToken'],
        `${revision}: progressToken 0: members of the notification`);
}

// What is wrong with a call: an error of the protocol before 2025-11-25, a result since.
async function testWrong(session, revision, known) {
    const wrong = async (args, message) => {
        if (!known.argumentResults) {
            is(await refusal(session.call(args)), `-32602 ${message}`, `${revision}: wrong arguments: ${message}`);
            return;
        }
        const { isError, content } = await session.call(args);
        is([isError, content], [true, [{ type: 'text', text: `Execution Failed (error): ${message}` }]],
            `${revision}: wrong arguments: ${message}`);
    };
    await wrong({}, 'nothing to run: give language and entrypoint_code, or snippet_name');
    await wrong({ language: 'python', entrypoint_code: 7 }, 'entrypoint_code must be a string: the source code');
    await wrong({ language: 'python' }, 'entrypoint_code is missing: give the source code of the program');
    is(await refusal(session.call({}, {}, 'run_code')), "-32602 there is no tool 'run_code'; there is execute_code",
        `${revision}: unknown tool`);
}

async function testResources(session, revision, known) {
    const { client } = session;
    const { resources } = await client.listResources();
    is(resources.map(({ uri, name, mimeType }) => `${uri} ${name} ${mimeType}`), [
        'isolator://snippets/hello_world.go hello_world.go text/x-go',
        'isolator://snippets/hello_world.js hello_world.js text/javascript',
        'isolator://snippets/hello_world.py hello_world.py text/x-python',
    ], `${revision}: resources`);
    const { resourceTemplates } = await client.listResourceTemplates();
    is(resourceTemplates.map((template) => template.uriTemplate), ['isolator://snippets/{snippet_name}'],
        `${revision}: templates`);
    const uri = 'isolator://snippets/hello_world.py';
    const { contents } = await client.readResource({ uri });
    is(contents, [{ uri, mimeType: 'text/x-python', text: readFileSync(new URL('hello_world.py', prompts), 'utf8') }],
        `${revision}: a snippet`);
    matches(await refusal(client.readResource({ uri: 'isolator://snippets/none.py' })),
        known.modern ? /^-32602 cannot read the resource: / : /^-32002 cannot read the resource: /,
        `${revision}: no such snippet`);
}

async function testCompletion(session, revision) {
    const complete = (uri, value) => session.client.complete(
        { ref: { type: 'ref/resource', uri }, argument: { name: 'snippet_name', value } });
    const template = 'isolator://snippets/{snippet_name}';
    is((await complete(template, '')).completion, { values: ['hello_world.go', 'hello_world.js', 'hello_world.py'],
        total: 3, hasMore: false }, `${revision}: completion of nothing`);
    is((await complete(template, 'hello_world.j')).completion.values, ['hello_world.js'],
        `${revision}: completion of a beginning`);
    matches(await refusal(complete('isolator://nothing/{snippet_name}', '')), /^-32602 there is no argument/,
        `${revision}: completion of no template`);
}

export async function testFeatures(session, revision) {
    const known = knownBy(revision);
    testBeginning(session, revision, known);
    await testTools(session, revision, known);
    await testWrong(session, revision, known);
    await testResources(session, revision, known);
    await testCompletion(session, revision);
    if (!known.modern)
        is(await session.client.ping(), {}, `${revision}: ping`);
    await testCalls(session, revision, known);
}
