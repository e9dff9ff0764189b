// What a client of each revision gets: everything that the server offers, and nothing that its
// revision does not know.

import { readFileSync, readdirSync } from 'node:fs';
import { testArtifacts } from './artifacts.mjs';
import { testBeside } from './calls.mjs';
import { refusal } from './session.mjs';
import { is, matches, ok } from './tap.mjs';

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
    is(members(inputSchema.properties), 'additional_files arguments artifacts entrypoint_code entrypoint_filename environment ' +
        'language snippet_name stdin timeout_seconds', `${revision}: the arguments`);
    ok(['python', 'javascript', 'go', 'busybox'].every((name) => inputSchema.properties.language.enum.includes(name)),
        `${revision}: the languages of the configuration`, inputSchema.properties.language.enum);
    if (known.annotations)
        is(tools[0].annotations, { title: 'Run code in a sandbox', readOnlyHint: false, destructiveHint: false,
            idempotentHint: false, openWorldHint: false }, `${revision}: annotations`);
}

// One program for all that revisions make of a result: it writes more than the text takes, and fails.
const FAILING = 'yes 123456789 | head -c 100000; echo oops >&2; exit 3';
const WRITTEN = '123456789\n'.repeat(10000);

async function testCall(session, revision, known) {
    const result = await session.callWith({ name: 'execute_code', _meta: { progressToken: 0 },
        arguments: { language: 'busybox', entrypoint_code: FAILING, timeout_seconds: 300 } });
    const { content: [{ type, text }, ...links], structuredContent } = result;
    is([result.isError, members(result)],
        [true, `${known.modern ? '_meta ' : ''}content isError${known.structured ? ' structuredContent' : ''}`],
        `${revision}: a call: its result`);
    is(type, 'text', `${revision}: a call: its content`);
    testText(text, revision);
    testTokenZero(session, revision, known);
    if (!known.structured) {
        is(links, [], `${revision}: a call: nothing beside the text`);
        return;
    }
    const { status, exitCode, reason, stdoutTruncated, stdoutBytes, stderr } = structuredContent;
    is([status, exitCode, reason, stdoutTruncated, stdoutBytes, stderr], ['error', 3, 'exit', true, 100000, 'oops\n'],
        `${revision}: a call: structuredContent`);
    await testLinks(session, revision, links);
}

function testText(text, revision) {
    const [head, left, tail, ...more] = text.split(/\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/);
    const begin = 'Execution Failed (error): program exited with status 3\n\n--- stdout ---\n';
    const end = '--- stderr ---\noops\n';
    ok(text.length <= 50000 && text.length > 45000, `${revision}: a call: length of the text`, text.length);
    ok((begin + WRITTEN).startsWith(head) && (WRITTEN + end).endsWith(tail), `${revision}: a call: text`, text);
    is([head.length - begin.length + Number(left) + tail?.length - end.length, more], [WRITTEN.length, []],
        `${revision}: a call: how much is left out`);
}

async function testLinks(session, revision, links) {
    is(links.map((link) => [link.type, link.name, link.mimeType, link.size]),
        [['resource_link', 'stdout', 'text/plain', 100000]], `${revision}: a call: link`);
    const { uri } = links[0];
    matches(uri, /^isolator:\/\/runs\/[0-9a-f]{16}\/stdout$/, `${revision}: a call: URI of the link`);
    const { contents } = await session.client.readResource({ uri });
    is(contents, [{ uri, mimeType: 'text/plain', text: WRITTEN }],
        `${revision}: a call: all of its output can be read`);
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
    is(resources.map(({ name }) => name), readdirSync(prompts).sort(), `${revision}: all snippets`);
    is(resources.filter(({ name }) => name.startsWith('hello')).map(({ uri, name, mimeType }) => `${uri} ${name} ${mimeType}`), [
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
    const all = readdirSync(prompts).sort();
    is((await complete(template, '')).completion, { values: all, total: all.length, hasMore: false },
        `${revision}: completion of nothing`);
    is((await complete(template, 'hello')).completion, { values: ['hello_world.go', 'hello_world.js', 'hello_world.py'],
        total: 3, hasMore: false }, `${revision}: completion of three`);
    is((await complete(template, 'hello_world.j')).completion.values, ['hello_world.js'],
        `${revision}: completion of a beginning`);
    matches(await refusal(complete('isolator://nothing/{snippet_name}', '')), /^-32602 there is no argument/,
        `${revision}: completion of no template`);
}

// In the newest revisions of both eras all of it is asked for while a call runs.
export async function testFeatures(session, revision) {
    const known = knownBy(revision);
    const rest = async () => {
        await testWrong(session, revision, known);
        await testResources(session, revision, known);
        await testCompletion(session, revision);
        if (!known.modern)
            is(await session.client.ping(), {}, `${revision}: ping`);
        await testCall(session, revision, known);
        await testArtifacts(session, revision, known);
    };
    testBeginning(session, revision, known);
    await testTools(session, revision, known);
    await (known.argumentResults ? testBeside(session, revision, rest) : rest());
}
