// What a client of each revision gets: everything that the server offers, and nothing that its
// revision does not know.

import { readFileSync, readdirSync } from 'node:fs';
import { has, is, matches, ok } from './cases.mjs';
import { refusal } from './session.mjs';

const members = (object) => Object.keys(object).sort().join(' ');
const prompts = new URL('../../prompts/', import.meta.url);

// What a revision knows, by its place among them.
export function knownBy(revision) {
    return {
        annotations: revision >= '2025-03-26', // and messages of progress, and the capability completions
        structured: revision >= '2025-06-18', // and titles and links to resources
        argumentResults: revision >= '2025-11-25',
        modern: revision >= '2026-07-28',
    };
}

export async function checkAgreement(session, revision, known) {
    const { client } = session;
    const agreed = known.modern ? client.getNegotiatedProtocolVersion()
        : session.server.received((message) => message.id === 0)[0]?.result?.protocolVersion;
    is(agreed, revision);
    is(client.getServerCapabilities(), { tools: {}, resources: {}, ...known.annotations ? { completions: {} } : {} }, 'capabilities');
    is(client.getServerVersion()?.name, 'isolator', 'name of the server');
    is(members(client.getServerVersion() ?? {}), known.structured ? 'name title version' : 'name version', 'serverInfo');
    matches(client.getInstructions(), /^execute_code runs code in a locked-down container; to work in several steps, open a session/, 'instructions');
    if (!known.modern)
        is(await client.ping(), {}, 'ping');
}

export async function checkTools(session, revision, known) {
    const { tools } = await session.client.listTools();
    is(tools.map((tool) => tool.name), ['execute_code', 'close_session', 'wait_job']);
    is(members(tools[0]), known.structured ? 'annotations description inputSchema name outputSchema title'
        : known.annotations ? 'annotations description inputSchema name' : 'description inputSchema name', 'members of the tool');
    const { inputSchema } = tools[0];
    is(members(inputSchema), 'additionalProperties properties type', 'members of inputSchema');
    is(members(inputSchema.properties), 'additional_files arguments artifacts background entrypoint_code entrypoint_filename environment ' +
        'keep_processes language session snippet_name stdin timeout_seconds', 'the arguments');
    is(members(tools[1].inputSchema.properties), 'session', 'the argument of close_session');
    is(members(tools[2].inputSchema.properties), 'job stop wait_seconds', 'the arguments of wait_job');
    is(members(tools[2]), members(tools[0]), 'members of wait_job');
    ok(['python', 'javascript', 'go', 'busybox'].every((name) => inputSchema.properties.language.enum.includes(name)),
        'the languages of the configuration', inputSchema.properties.language.enum);
    if (known.annotations)
        is(tools[0].annotations, { title: 'Run code in a sandbox', readOnlyHint: false, destructiveHint: false,
            idempotentHint: false, openWorldHint: false }, 'annotations');
    is(members(tools[1]), known.structured ? 'annotations description inputSchema name title'
        : known.annotations ? 'annotations description inputSchema name' : 'description inputSchema name', 'members of close_session');
}

// One program for all that revisions make of a result: it writes more than the text takes, and fails.
const FAILING = 'yes 123456789 | head -c 100000; echo oops >&2; exit 3';
const WRITTEN = '123456789\n'.repeat(10000);

export async function checkCall(session, revision, known) {
    const result = await session.callWith({ name: 'execute_code', _meta: { progressToken: 0 },
        arguments: { language: 'busybox', entrypoint_code: FAILING, timeout_seconds: 300 } });
    const { content: [{ type, text }, ...links], structuredContent } = result;
    is([result.isError, members(result)],
        [true, `${known.modern ? '_meta ' : ''}content isError${known.structured ? ' structuredContent' : ''}`], 'the result');
    is(type, 'text', 'its content');
    checkText(text);
    checkTokenZero(session, known);
    if (!known.structured) {
        is(links, [], 'nothing but the text');
        return;
    }
    const { status, exitCode, reason, stdoutTruncated, stdoutBytes, stderr } = structuredContent;
    is([status, exitCode, reason, stdoutTruncated, stdoutBytes, stderr], ['error', 3, 'exit', true, 100000, 'oops\n'],
        'structuredContent');
    await checkLinks(session, links);
}

function checkText(text) {
    const [head, omitted, tail, ...more] = text.split(/\n\[\.\.\. (\d+) bytes left out; more is at isolator:\/\/runs\/[0-9a-f]{16}\/stdout \.\.\.\]\n/);
    const begin = 'Execution Failed (error): program exited with status 3\n\n--- stdout ---\n';
    const end = '--- stderr ---\noops\n';
    ok(text.length <= 50000 && text.length > 45000, 'length of the text', text.length);
    ok((begin + WRITTEN).startsWith(head) && (WRITTEN + end).endsWith(tail), 'the text', text);
    is([head.length - begin.length + Number(omitted) + tail?.length - end.length, more], [WRITTEN.length, []], 'how much is omitted');
}

async function checkLinks(session, links) {
    is(links.map((link) => [link.type, link.name, link.mimeType, link.size]), [['resource_link', 'stdout', 'text/plain', 100000]],
        'the link');
    const { uri } = links[0];
    matches(uri, /^isolator:\/\/runs\/[0-9a-f]{16}\/stdout$/, 'URI of the link');
    const { contents } = await session.client.readResource({ uri });
    is(contents, [{ uri, mimeType: 'text/plain', text: WRITTEN }], 'all of its output can be read');
}

function checkTokenZero(session, known) {
    const progress = session.server.received((message) => message.params?.progressToken === 0);
    ok(progress.length > 0, 'progressToken 0: there is progress');
    is([...new Set(progress.map((message) => members(message.params)))],
        [known.annotations ? 'message progress progressToken' : 'progress progressToken'], 'members of progress');
}

// Wrong arguments are an error of the protocol before 2025-11-25, a result since.
export async function checkWrongArguments(session, revision, known) {
    const refuses = async (args, message) => {
        if (!known.argumentResults) {
            is(await refusal(session.call(args)), `-32602 ${message}`);
            return;
        }
        const { isError, content } = await session.call(args);
        is([isError, content], [true, [{ type: 'text', text: `Execution Failed (error): ${message}` }]]);
    };
    await refuses({}, 'nothing to run: give language and entrypoint_code, or snippet_name');
    await refuses({ language: 'python', entrypoint_code: 7 }, 'entrypoint_code must be a string: the source code');
    await refuses({ language: 'python' }, 'entrypoint_code is missing: give the source code of the program');
    await refuses({ language: 'python', entrypoint_code: '1', session: 'mine' },
        'session must be "new" or the id of a session, which the call that opened it has returned');
    is(await refusal(session.call({}, {}, 'run_code')), "-32602 there is no tool 'run_code'; known are: execute_code, close_session, wait_job", 'an unknown tool');
}

export async function checkResources(session, revision, known) {
    const { client } = session;
    const { resources } = await client.listResources();
    is(resources.map(({ name }) => name), readdirSync(prompts).sort(), 'all snippets');
    is(resources.filter(({ name }) => name.startsWith('hello')).map(({ uri, name, mimeType }) => `${uri} ${name} ${mimeType}`), [
        'isolator://snippets/hello_go.go hello_go.go text/x-go',
        'isolator://snippets/hello_javascript.js hello_javascript.js text/javascript',
        'isolator://snippets/hello_world.py hello_world.py text/x-python',
    ], 'three of them');
    const { resourceTemplates } = await client.listResourceTemplates();
    is(resourceTemplates.map((template) => template.uriTemplate),
        ['isolator://snippets/{snippet_name}', 'isolator://runs/{id}/files/{name}{?offset,length}'], 'templates');
    const uri = 'isolator://snippets/hello_world.py';
    const { contents } = await client.readResource({ uri });
    is(contents, [{ uri, mimeType: 'text/x-python', text: readFileSync(new URL('hello_world.py', prompts), 'utf8') }], 'a snippet');
    matches(await refusal(client.readResource({ uri: 'isolator://snippets/none.py' })),
        known.modern ? /^-32602 cannot read the resource: / : /^-32002 cannot read the resource: /, 'no such snippet');
}

export async function checkCompletion(session) {
    const complete = (uri, value) => session.client.complete(
        { ref: { type: 'ref/resource', uri }, argument: { name: 'snippet_name', value } });
    const template = 'isolator://snippets/{snippet_name}';
    const all = readdirSync(prompts).sort().map((name) => name.replace(/[.]\w+$/, ''));
    is((await complete(template, '')).completion, { values: all, total: all.length, hasMore: false }, 'of nothing');
    is((await complete(template, 'hello')).completion, { values: ['hello_go', 'hello_javascript', 'hello_world'],
        total: 3, hasMore: false }, 'of three');
    is((await complete(template, 'hello_j')).completion.values, ['hello_javascript'], 'of a beginning');
    is((await complete(template, 'plot_')).completion.values, ['plot_png', 'plot_svg'], 'of two with different extensions');
    is((await complete(template, 'plot_png.')).completion.values, ['plot_png.py'], 'of a beginning with a dot');
    matches(await refusal(complete('isolator://nothing/{snippet_name}', '')), /^-32602 there is no argument/, 'of no template');
}

// A program in the background. The client checks what it gets against the outputSchema of the tool.
export async function checkJobs(session, revision, known) {
    await session.client.listTools();
    const wait = (args) => session.callWith({ name: 'wait_job', arguments: { job, ...args } });
    const started = await session.call({ language: 'busybox', entrypoint_code: 'echo one; sleep 2; echo two', background: true });
    const [, job] = /^job ([0-9a-f]{16}) runs in the background, /.exec(started.content[0].text);
    const running = await wait({ wait_seconds: 1 });
    has(running.content[0].text, `job ${job} still runs, `, 'it runs');
    const ended = await wait({ wait_seconds: 50 });
    is([ended.content, ended.isError], [[{ type: 'text', text: '--- stdout ---\none\ntwo\n' }], false], 'the result');
    is([started, running, ended].map(({ structuredContent }) => structuredContent?.status),
        known.structured ? ['running', 'running', 'success'] : [null, null, null], 'structuredContent');
    has((await wait({})).content[0].text, `there is no job ${job}`, 'it is gone');
}
