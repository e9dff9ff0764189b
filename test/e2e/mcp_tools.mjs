#!/usr/bin/env node
// Tools that programs call with the consent of a person: isolator-mcp asks by elicitation. The client is the official SDK.

import { readFileSync } from 'node:fs';
import '../mcp/install.mjs';
import { atCaseEnd, finish, has, is, lacks, matches, ok, testCase } from '../mcp/cases.mjs';
import { configFile, pause, repository, until } from '../mcp/processes.mjs';

const { MODERN } = await import('../mcp/validator.mjs');
const { openSession, refusal } = await import('../mcp/session.mjs');

const fake = `${repository}/test/fixtures/upstream`;
const servers = (mode = 'rich') => configFile({ warm: {}, tools: { one: { command: fake, args: [mode], allow: ['list_*'], ask: ['echo', 'create_*'] } } });
const accept = (answer) => ({ action: 'accept', content: { answer } });

// An answer that never comes, at least not while the case runs.
function silence() {
    let answered;
    atCaseEnd(() => answered?.({ action: 'cancel' }));
    return () => new Promise((resolve) => { answered = resolve; });
}

// A session whose questions are answered in this order, each by a value or a function; they are kept in session.questions.
async function openWith(answers, { revision = '2025-11-25', elicitation = {}, config = servers() } = {}) {
    const questions = [];
    const session = await openSession(config, revision, undefined, async ({ params }) => {
        questions.push(params);
        const answer = answers.shift();
        return typeof answer === 'function' ? answer() : answer;
    }, elicitation);
    return Object.assign(session, { questions });
}

// What a Python program prints that makes these calls.
async function calls(session, lines, args = {}) {
    const code = ['import tools', 'def call(f):', '    try: print(f(), flush=True)', '    except tools.ToolError as e: print(e)', ...lines].join('\n');
    const { structuredContent, content: [{ text }] } = await session.call({ language: 'python', entrypoint_code: code, ...args });
    return structuredContent ?? { stdout: text.replace('--- stdout ---\n', '') };
}
const ECHO = 'call(lambda: tools.one.echo(a=1))';
const GOT = "{'got': {'a': 1}}\n";

for (const revision of ['2025-06-18', '2025-11-25', MODERN[0]])
    testCase(`${revision}: a person is asked about a call, and what the person says holds for the call or for the run`, async () => {
        const session = await openWith([accept('allow once'), accept('allow for this run, with any arguments'), accept('refuse')], { revision });
        const result = await calls(session, [ECHO, ECHO, ECHO, 'call(lambda: tools.one.create_thing())', 'call(lambda: tools.one.create_thing())',
            'print(tools.one.list_things(), sorted(tools.search("")))']);
        is(result.stdout, `${GOT}${GOT}${GOT}the tool 'one.create_thing' is not called: a person has refused it\n` +
            "the tool 'one.create_thing' is not called: it was refused in this run\n" +
            "{'got': {}} ['one.create_thing', 'one.echo', 'one.list_things']\n");
        is(session.questions.map(({ message }) => message), [
            "A program in a sandbox wants to call the tool 'one.echo'.\nArguments: {\"a\":1}",
            "A program in a sandbox wants to call the tool 'one.echo'.\nArguments: {\"a\":1}",
            "A program in a sandbox wants to call the tool 'one.create_thing'.\nArguments: {}",
        ], 'the questions');
        is(session.questions[0].requestedSchema, { type: 'object', required: ['answer'], properties: { answer: {
            type: 'string', title: 'May the tool be called?', enum: ['allow once', 'allow for this run, with any arguments', 'refuse'] } } }, 'the form');
        is(result.toolCalls.map(({ name, ok: good }) => `${name} ${good}`), ['one.echo true', 'one.echo true', 'one.echo true',
            'one.create_thing false', 'one.create_thing false', 'one.list_things true'], 'the record');
        is(result.warnings, [], 'no warning');
    });

testCase('what is no clear consent is a refusal', async () => {
    const session = await openWith([{ action: 'cancel' }, { action: 'accept', content: {} }, accept('yes'), { action: 'decline' }]);
    const result = await calls(session, Array(5).fill(ECHO));
    is(result.stdout.replaceAll("the tool 'one.echo' is not called: ", ''), `${'the question was dismissed\n'.repeat(3)}` +
        'the host has declined the question, perhaps without showing it to a person\nit was refused in this run\n');
    is(session.questions.length, 4, 'questions');
});

testCase('a run asks again what an earlier run has asked; a session, too', async () => {
    const session = await openWith(Array(3).fill(accept('allow for this run, with any arguments')));
    is((await calls(session, [ECHO, ECHO])).stdout, GOT + GOT);
    const { stdout, session: id } = await calls(session, [ECHO], { session: 'new' });
    is(stdout, GOT);
    is((await calls(session, [ECHO], { session: id })).stdout, GOT);
    is(session.questions.length, 3, 'questions');
});

testCase('calls of several threads ask one question after the other', async () => {
    let open = 0;
    const answer = async () => {
        ok(++open === 1, 'one question is open', open);
        await pause(0.1);
        open--;
        return accept('allow once');
    };
    const session = await openWith(Array(6).fill(answer));
    const result = await calls(session, ['from concurrent.futures import ThreadPoolExecutor',
        'print(sorted(ThreadPoolExecutor(6).map(lambda n: tools.one.echo(n=n)["got"]["n"], range(6))))']);
    is(result.stdout, '[0, 1, 2, 3, 4, 5]\n');
    is(session.questions.length, 6, 'questions');
});

testCase('the timeout stands still while a person is asked, and goes on after that', async () => {
    const late = async () => { await pause(4); return accept('allow once'); };
    const session = await openWith([late, late]);
    const result = await calls(session, [ECHO, ECHO, 'print("after", flush=True)', 'while True: pass'], { timeout_seconds: 2 });
    is(result.stdout, `${GOT}${GOT}after\n`);
    is([result.status, result.reason], ['timeout', 'timeout'], 'how it ended');
});

testCase('files come back and a session goes on after an answer that took longer than all other time', async () => {
    const config = configFile({ ...JSON.parse(readFileSync(servers(), 'utf8')), engineTimeoutSeconds: 5 });
    const late = async () => { await pause(15); return accept('allow once'); };
    const session = await openWith([late], { config });
    const result = await calls(session, [ECHO, 'x = 5', 'open("out.txt", "w").write("kept")'], { timeout_seconds: 2, session: 'new', artifacts: ['out.txt'] });
    is([result.status, result.artifacts.map(({ name }) => name), result.warnings], ['success', ['out.txt'], []]);
    is((await calls(session, ['print(x)'], { session: result.session })).stdout, '5\n');
});

testCase('a call that the program takes back refuses the tool for the run', async () => {
    const session = await openWith([silence(), accept('allow once')]);
    const result = await calls(session, ['import json, os, socket, time',
        'def begin(name):',
        '    s = socket.socket(socket.AF_UNIX); s.connect(os.environ["ISOLATOR_TOOLS"])',
        '    s.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}).encode() + b"\\n")',
        '    return s',
        's = begin("one.create_thing"); time.sleep(1)',
        's.sendall(b\'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}\\n\'); time.sleep(0.5)',
        'call(lambda: tools.one.create_thing())',
        ECHO]);
    is(result.stdout, `the tool 'one.create_thing' is not called: it was refused in this run\n${GOT}`);
    is(session.questions.length, 2, 'questions');
});

testCase('a caller that is gone asks no longer', async () => {
    const session = await openWith([silence(), accept('allow once')]);
    const result = await calls(session, ['import subprocess, time',
        'caller = subprocess.Popen(["isolator-call", "one.create_thing"]); time.sleep(1); caller.kill()',
        'import os, threading', 'threading.Timer(30, lambda: os._exit(9)).start()', ECHO, 'os._exit(0)'], { timeout_seconds: 40 });
    is([result.stdout, result.exitCode], [GOT, 0]);
    is(session.questions.length, 2, 'questions');
});

testCase('a question of a run that ends is cancelled', async () => {
    const session = await openWith([silence()]);
    const result = await calls(session, ['import os, threading', 'threading.Timer(1, lambda: os._exit(3)).start()', ECHO]);
    is([result.exitCode, result.toolCalls.map(({ name, ok: good }) => `${name} ${good}`)], [3, ['one.echo false']]);
    const [question] = session.server.received((message) => message.method === 'elicitation/create');
    await until(() => session.server.received((message) => message.method === 'notifications/cancelled').length > 0, 'the cancellation');
    is(session.server.received((message) => message.method === 'notifications/cancelled').map(({ params }) => params.requestId), [question.id]);
});

testCase('a call is cancelled while its question is open', async () => {
    const session = await openWith([silence()]);
    const abort = new AbortController();
    const call = session.call({ language: 'python', entrypoint_code: 'import tools; tools.one.echo()' }, { signal: abort.signal });
    await until(() => session.questions.length > 0, 'the question');
    abort.abort();
    matches(await call.catch((error) => error.message), /abort/i);
    await until(() => session.server.received((message) => message.method === 'notifications/cancelled').length > 0, 'the cancellation');
});

testCase('arguments are shown without control characters, and their beginning and their end', async () => {
    const session = await openWith([accept('allow once')]);
    is((await calls(session, ['call(lambda: tools.one.echo(a="\\x1b[2J\\u202e\\u00e9" + "x" * 5000) and "done")'])).stdout, 'done\n');
    const [{ message }] = session.questions;
    has(message, '\\u001B[2J', 'an escape sequence');
    has(message, 'é', 'a letter');
    lacks(message, '\u202e', 'what turns the text around');
    matches(message, /xxx\.\.\.xxx[x]*"\}\n\(50\d\d bytes in all: the first 1500 and the last 500 are shown\)$/, 'the rest');
    ok(message.length < 2200, 'the length', message.length);
});

for (const [what, options] of [
    ['has no elicitation', { elicitation: null }],
    ['can only open pages', { elicitation: { url: {} } }],
    ['speaks 2025-03-26', { revision: '2025-03-26' }],
    ['speaks 2026-07-28 and has no elicitation', { revision: MODERN[0], elicitation: null }],
    ['speaks 2026-07-28 and can only open pages', { revision: MODERN[0], elicitation: { url: {} } }],
])
    testCase(`a client that ${what} is not asked, and the call is refused`, async () => {
        const session = options.elicitation === null ? Object.assign(await openSession(servers(), options.revision ?? '2025-11-25'), { questions: [] })
            : await openWith([], options);
        const result = await calls(session, [ECHO, 'print(sorted(tools.search("")))']);
        is(result.stdout, "the tool 'one.echo' needs a person who agrees to each call, and there is none to ask\n['one.list_things']\n");
        is(session.questions, []);
    });

// ---- 2026-07-28: the result is the question, and the client repeats the call

const MANUAL = { allowInputRequired: true };

testCase('2026-07-28: files, a session and the variables in it survive a question', async () => {
    const session = await openWith([accept('allow once')], { revision: MODERN[0] });
    const result = await calls(session, [ECHO, 'x = 5', 'open("out.txt", "w").write("kept")'], { session: 'new', artifacts: ['out.txt'] });
    is([result.status, result.artifacts.map(({ name }) => name), result.warnings], ['success', ['out.txt'], []]);
    is((await calls(session, ['print(x)'], { session: result.session })).stdout, '5\n');
});

testCase('2026-07-28: a run asks 10 times, as often as clients repeat a call, and goes on', async () => {
    const session = await openWith(Array(10).fill(accept('allow once')), { revision: MODERN[0] });
    const { stdout } = await calls(session, Array(11).fill(ECHO));
    is(stdout, `${GOT.repeat(10)}the tool 'one.echo' is not called: there is no one to ask any more\n`);
});

testCase('2026-07-28: the program has ended when the client comes back, and its result is there once', async () => {
    const session = await openWith([], { revision: MODERN[0] });
    const params = { name: 'execute_code', arguments: { language: 'python', entrypoint_code:
        'import tools, os, threading; threading.Timer(1, lambda: os._exit(3)).start(); print("begun", flush=True); tools.one.echo()' } };
    const first = await session.callWith(params, MANUAL);
    is(first.resultType, 'input_required', JSON.stringify(first));
    await until(() => session.server.containers().then((names) => names.length === 0), 'the end of the container');
    const again = { ...params, requestState: first.requestState, inputResponses: { 'question-1': accept('allow once') } };
    const { structuredContent: result } = await session.callWith(again, MANUAL);
    is([result.stdout, result.exitCode, result.toolCalls.map(({ name, ok: good }) => `${name} ${good}`)], ['begun\n', 3, ['one.echo false']]);
    matches(await refusal(session.callWith(again, MANUAL)), /^-32602 requestState was used before, or belongs to another call or server; call the tool without it$/);
});

testCase('2026-07-28: a state is good for its call alone, and once; a missing answer is asked for again', async () => {
    const session = await openWith([], { revision: MODERN[0] });
    const params = { name: 'execute_code', arguments: { language: 'python', entrypoint_code: `import tools; print(tools.one.echo(a=1))` } };
    const { requestState, inputRequests } = await session.callWith(params, MANUAL);
    const inputResponses = { 'question-1': accept('allow once') };
    is(Object.keys(inputRequests), ['question-1'], 'names');
    for (const wrong of [{ ...params, arguments: { ...params.arguments, stdin: 'x' } }, { ...params, name: 'search_tools' }])
        matches(await refusal(session.callWith({ ...wrong, requestState, inputResponses }, MANUAL)), /^-32602 requestState was used before/);
    for (const wrong of ['', requestState.slice(1), `${requestState}0`, '0'.repeat(32)])
        matches(await refusal(session.callWith({ ...params, requestState: wrong, inputResponses }, MANUAL)), /^-32602 requestState was used before/);
    const second = await session.callWith({ ...params, requestState, inputResponses: { other: accept('allow once') } }, MANUAL);
    is([second.resultType, Object.keys(second.inputRequests)], ['input_required', ['question-1']], 'asked again');
    ok(second.requestState !== requestState, 'another state');
    matches(await refusal(session.callWith({ ...params, requestState, inputResponses }, MANUAL)), /^-32602 requestState was used before/);
    const { structuredContent } = await session.callWith({ ...params, requestState: second.requestState, inputResponses }, MANUAL);
    is(structuredContent.stdout, GOT);
});

testCase('2026-07-28: the repeated call is cancelled, and has progress', async () => {
    const session = await openWith([], { revision: MODERN[0] });
    const params = { name: 'execute_code', arguments: { language: 'python', entrypoint_code:
        `import tools, time; print(tools.one.echo(a=1), flush=True); time.sleep(100)`, timeout_seconds: 100 } };
    const { requestState } = await session.callWith(params, { ...MANUAL, onprogress() {} });
    await pause(4); // no progress meanwhile: its request has its response
    const abort = new AbortController();
    let progress = 0;
    const call = session.callWith({ ...params, requestState, inputResponses: { 'question-1': accept('allow once') } },
        { ...MANUAL, signal: abort.signal, onprogress() { progress++; } });
    await until(() => progress > 0, 'progress of the repeated call');
    abort.abort();
    matches(await call.catch((error) => error.message), /abort/i);
    await until(() => session.server.containers().then((names) => names.length === 0), 'the end of the container');
});

testCase('2026-07-28: the server ends while the client is away', async () => {
    const session = await openWith([], { revision: MODERN[0] });
    const { resultType } = await session.callWith({ name: 'execute_code', arguments: { language: 'python', entrypoint_code: 'import tools; tools.one.echo()' } }, MANUAL);
    is(resultType, 'input_required');
});

const search = async (session, args = {}, options = {}) => {
    const { content: [{ text }], isError } = await session.call(args, options, 'search_tools');
    return isError ? text.replace('Execution Failed (error)', 'error') : text;
};

// ---- the official server "everything"

const EVERYTHING = {
    python: `import tools
print(tools.everything.echo(message="\u00e9"), tools.everything.get_sum(a=2, b=3))
print(tools.everything.get_structured_content(location="Chicago")["conditions"])
print(open([part for part in tools.everything.get_tiny_image() if part.endswith(".png")][0], "rb").read(4))
try: tools.everything.get_sum(a="x")
except tools.ToolError as e: print("error" in str(e).lower())
try: tools.everything.get_env()
except tools.ToolError as e: print(e)`,
    javascript: `const tools = require('./tools.cjs');
(async () => {
    console.log(await tools.everything.echo({ message: '\u00e9' }), await tools.everything.get_sum({ a: 2, b: 3 }));
    console.log((await tools.everything.get_structured_content({ location: 'Chicago' })).conditions);
    const image = (await tools.everything.get_tiny_image()).find((part) => part.endsWith('.png'));
    console.log(JSON.stringify(require('fs').readFileSync(image).subarray(1, 4).toString()));
    await tools.everything.get_sum({ a: 'x' }).catch((error) => console.log(error instanceof tools.ToolError));
    await tools.everything.get_env().catch((error) => console.log(error.message));
})();`,
    bash: `isolator-call everything.echo '{"message": "\u00e9"}'; isolator-call everything.get-sum '{"a": 2, "b": 3}'
isolator-call everything.get-structured-content '{"location": "Chicago"}' | grep -o '"conditions":"[^"]*'
head -c 4 "$(isolator-call everything.get-tiny-image | grep png)" | tail -c 3; echo
isolator-call everything.get-sum '{"a": "x"}' 2>/dev/null || echo $?
isolator-call everything.get-env 2>&1`,
};
const REFUSED = 'everything.get-env\' is not called: a person has refused it';
const PRINTED = {
    python: `Echo: é The sum of 2 and 3 is 5.\nLight rain / drizzle\nb'\\x89PNG'\nTrue\nthe tool '${REFUSED}\n`,
    javascript: `Echo: é The sum of 2 and 3 is 5.\nLight rain / drizzle\n"PNG"\ntrue\nthe tool '${REFUSED}\n`,
    bash: `Echo: é\nThe sum of 2 and 3 is 5.\n"conditions":"Light rain / drizzle\nPNG\n1\nisolator-call: the tool '${REFUSED}\n`,
};

for (const [language, code] of Object.entries(EVERYTHING))
    testCase(`the official server "everything", from ${language}, with a person who answers`, async () => {
        const config = configFile({ warm: {}, tools: { everything: { command: `${repository}/test/mcp/node_modules/.bin/mcp-server-everything`,
            allow: ['get-s*', 'get-tiny-image'], ask: ['echo', 'get-env'] } } });
        const session = await openWith([accept('allow once'), accept('refuse')], { config });
        const { structuredContent: result } = await session.call({ language, entrypoint_code: code });
        is(result.stdout, PRINTED[language], result.stderr);
        is(result.toolCallCounts.ok, 4, 'calls');
        has(await search(session, { query: 'sum numbers' }), 'everything.get-sum: Returns the sum of two numbers');
    });

// ---- search_tools

for (const revision of ['2025-11-25', MODERN[0]])
    testCase(`${revision}: search_tools finds what programs can call`, async () => {
        const session = await openSession(servers(), revision);
        is((await session.client.listTools()).tools.map(({ name }) => name), ['execute_code', 'close_session', 'wait_job', 'search_tools']);
        is(await search(session), 'one.list_things: Does list_things.');
        is(await search(session, { query: 'THINGS does', detail: 'name' }), 'one.list_things');
        is(JSON.parse(await search(session, { query: null, detail: 'schema' })),
            { name: 'one.list_things', inputSchema: { type: 'object' }, description: 'Does list_things.\nMore.' });
        is(await search(session, { query: 'echo' }), 'no tool was found', 'what needs a person, whom this client does not ask');
    });

testCase('what a person can agree to is found, too; wrong arguments; an old client', async () => {
    const session = await openWith([]);
    is(await search(session), 'one.echo: Does echo.\none.list_things: Does list_things.\none.create_thing: Does create_thing.');
    is(await search(session, { detail: 'all' }), 'error: detail must be "name", "description" or "schema"');
    is(await search(session, { query: 'x'.repeat(1001) }), 'error: query cannot have more than 1000 bytes');
    is(await search(session, { limit: 1 }), "error: there is no argument 'limit'; known are: query, detail");
    is(await search(await openSession(servers(), '2024-11-05'), { query: 'list' }), 'one.list_things: Does list_things.');
});

testCase('many tools: a result is bounded; a server that fails is told; a search is cancelled', async () => {
    const config = configFile({ warm: {}, tools: {
        many: { command: fake, args: ['many'], allow: ['*'] },
        dead: { command: fake, args: ['dies-at-start'], allow: ['*'] },
    } });
    const session = await openSession(config, '2025-11-25');
    const lines = (await search(session)).split('\n');
    ok(lines.length > 900, 'lines', lines.length);
    is(lines.slice(0, 2), ['many.t0: Does t0.', 'many.t1: Does t1.']);
    matches(lines.at(-1), /^tool server 'dead': /);
    const schemas = (await search(session, { detail: 'schema' })).split('\n');
    ok(schemas.join('\n').length <= 50200, 'bytes', schemas.join('\n').length);
    matches(schemas.at(-2), /^\d+ more found: use more words, or detail "name"$/);
    matches(await search(session, { query: 'nothing has this' }), /^error: no tool was found\ntool server 'dead': /);
    const silent = await openSession(configFile({ warm: {}, tools: { one: { command: fake, args: ['silent'] } } }), '2025-11-25');
    const abort = new AbortController();
    const call = search(silent, {}, { signal: abort.signal });
    setTimeout(() => abort.abort(), 300);
    matches(await call.catch((error) => error.message), /abort/i);
    is(await silent.client.ping(), {}, 'the server goes on');
});

testCase('the description names the tools as the configuration does', async () => {
    const session = await openSession(configFile({ warm: {}, tools: {
        one: { command: fake, allow: ['list_*', 'get'], ask: ['create'] },
        two: { command: fake },
        three: { command: fake, allow: Array.from({ length: 30 }, (_, i) => `t${i}`) },
        four: { command: fake, allow: [] },
    } }), '2025-11-25');
    const { inputSchema: { properties: { tools: { description } } } } = (await session.client.listTools()).tools[0];
    has(description, ` one, two, three, four; the default is all, [] is none. There are: one.list_*, one.get, one.create if a person agrees, ` +
        `two.* if it is read-only, three.t0, `);
    has(description, 'three.t16 and 13 more of three. In Python');
});

await finish();
