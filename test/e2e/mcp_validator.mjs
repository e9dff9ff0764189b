#!/usr/bin/env node
// The validator of the tests of isolator-mcp finds what is wrong: without this, its silence would prove nothing.

import { spawnSync } from 'node:child_process';
import '../mcp/install.mjs';
import { finish, is, matches, testCase } from '../mcp/cases.mjs';
import { newPath, writeFile } from '../mcp/processes.mjs';

const { Validator } = await import('../mcp/validator.mjs');

const text = { content: [{ type: 'text', text: 'hello' }], isError: false };
const tool = { name: 'execute_code', inputSchema: { type: 'object' } };
const link = { type: 'resource_link', uri: 'a://b', name: 'c' };

const result = (value, rest = {}) => ({ jsonrpc: '2.0', id: 1, result: value, ...rest });
const error = (code, rest = {}) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'no', ...rest } });
const progress = (params) => ({ jsonrpc: '2.0', method: 'notifications/progress', params });

const WITH_TOKEN = { name: 'execute_code', _meta: { progressToken: 0 } };
const MODERN = { name: 'execute_code', _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
} };

const question = result({ resultType: 'input_required', requestState: 's', inputRequests: { a: { method: 'elicitation/create', params: {
    message: 'b', requestedSchema: { type: 'object', properties: { c: { type: 'string', enum: ['d'] } } } } } } });
const ASKED = { name: 'execute_code', _meta: { ...MODERN._meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } };

// What is wrong with one message of a server, which comes after a request with id 1.
function faultsOf(revision, method, message, params = {}) {
    const validator = new Validator(revision);
    validator.sent(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return validator.received(typeof message === 'string' ? message : JSON.stringify(message));
}

for (const [what, revision, method, message, params] of [
    ['a result', '2024-11-05', 'tools/call', result(text)],
    ['an error', '2024-11-05', 'tools/call', error(-32602)],
    ['an error without id', '2024-11-05', 'nonsense', { jsonrpc: '2.0', error: { code: -32700, message: 'no' } }],
    ['progress', '2024-11-05', 'tools/call', progress({ progressToken: 0, progress: 1 }), WITH_TOKEN],
    ['a batch in 2025-03-26', '2025-03-26', 'tools/call', [result(text)]],
    ['progress with a message', '2025-11-25', 'tools/call', progress({ progressToken: 0, progress: 1, message: 'on' }), WITH_TOKEN],
    ['title and outputSchema', '2025-11-25', 'tools/list', result({ tools: [{ ...tool, title: 'T', outputSchema: { type: 'object' } }] })],
    ['a question by a result', '2026-07-28', 'tools/call', question, ASKED],
    ['a modern result', '2026-07-28', 'tools/call', result({ ...text, resultType: 'complete' }), MODERN],
])
    testCase(`accepts ${what}`, async () => {
        is(faultsOf(revision, method, message, params), []);
    });

for (const [what, revision, method, message, pattern] of [
    ['what is no JSON', '2025-11-25', 'tools/call', '{"jsonrpc":"2.0"', /^not JSON/],
    ['another id', '2025-11-25', 'tools/call', result(text, { id: '1' }), /answers no open request: id "1"/],
    ['no jsonrpc', '2025-11-25', 'tools/call', { id: 1, result: text }, /property 'jsonrpc'/],
    ['an id that is null', '2024-11-05', 'ping', { ...error(-32700), id: null }, /JSONRPCError.*id must be/],
    ['an unknown member of a message', '2025-06-18', 'tools/call', result(text, { more: 1 }), /additional prop/],
    ['content without text', '2024-11-05', 'tools/call', result({ content: [{ type: 'text' }] }), /CallToolResult/],
    ['a result without content', '2025-11-25', 'tools/call', result({}), /property 'content'/],
    ['an error without message', '2025-03-26', 'tools/call', { jsonrpc: '2.0', id: 1, error: { code: 1 } }, /message/],
    ['a result and an error', '2025-11-25', 'tools/call', { ...error(1), result: text }, /or both/],
    ['a request', '2025-11-25', 'ping', { jsonrpc: '2.0', id: 1, method: 'ping' }, /a request/],
    ['a notification of logging', '2025-11-25', 'ping', { jsonrpc: '2.0', method: 'notifications/message' }, /never/],
    ['a ping that says something', '2025-11-25', 'ping', result({ a: 1 }), /not empty/],
    ['structuredContent too early', '2025-03-26', 'tools/call', result({ ...text, structuredContent: {} }), /CallTool/],
    ['resource_link too early', '2025-03-26', 'tools/call', result({ content: [link] }), /CallToolResult/],
    ['annotations too early', '2024-11-05', 'tools/list', result({ tools: [{ ...tool, annotations: {} }] }), /ListTools/],
    ['title too early', '2025-03-26', 'tools/list', result({ tools: [{ ...tool, title: 'T' }] }), /ListToolsResult/],
    ['a broken inputSchema', '2025-11-25', 'tools/list',
        result({ tools: [{ name: 'a', inputSchema: { type: 'object', properties: { b: { type: 'text' } } } }] }), /inputSchema of a/],
    ['structuredContent against outputSchema', '2025-11-25', 'tools/call',
        result({ ...text, structuredContent: { status: 'fine' } }), /must be equal to one of the allowed values/],
    ['a batch', '2025-06-18', 'tools/call', [result(text)], /an array/],
    ['messages of progress too early', '2024-11-05', 'tools/call', progress({ progressToken: 0, progress: 1, message: 'on' }),
        /ProgressNotification/],
    ['progress without a request for it', '2025-11-25', 'tools/call', progress({ progressToken: 1, progress: 1 }), /no open request/],
    ['no resultType', '2026-07-28', 'tools/call', result(text), /resultType/],
    ['no ttlMs', '2026-07-28', 'tools/list', result({ tools: [], resultType: 'complete', cacheScope: 'private' }), /ttlMs/],
    ['-32002 since 2026-07-28', '2026-07-28', 'resources/read', error(-32002), /-32002/],
    ['-32022 without data', '2026-07-28', 'server/discover', error(-32022), /UnsupportedProtocolVersionError/],
    ['a question to whom cannot answer', '2026-07-28', 'tools/call', question, /cannot answer/],
    ['a question without a state', '2026-07-28', 'tools/call', result({ ...question.result, requestState: undefined }), /has no state/],
    ['a question of another kind', '2026-07-28', 'tools/call',
        result({ ...question.result, inputRequests: { a: { method: 'roots/list' } } }), /something else than elicitation/],
    ['a form that is none', '2026-07-28', 'tools/call',
        result({ ...question.result, inputRequests: { a: { method: 'elicitation/create', params: { message: 'b' } } } }), /InputRequiredResult/],
    ['initialize since 2026-07-28', '2026-07-28', 'initialize', result({ resultType: 'complete' }), /which has none/],
])
    testCase(`rejects ${what}`, async () => {
        const params = { ...WITH_TOKEN, ...revision === '2026-07-28' ? MODERN : {} };
        matches(faultsOf(revision, method, message, params).join('\n'), pattern);
    });

testCase('rejects progress that does not rise, a second response, and progress after the response', async () => {
    const validator = new Validator('2025-11-25');
    validator.sent(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: WITH_TOKEN }));
    const messages = [progress({ progressToken: 0, progress: 1 }), progress({ progressToken: 0, progress: 1 }),
        result(text), result(text), progress({ progressToken: 0, progress: 2 })];
    is(messages.map((message) => validator.received(JSON.stringify(message)).join()), [
        '', 'progress 1 after 1', '', 'answers no open request: id 1', 'progress of no open request',
    ]);
});

testCase('rejects bytes that are not UTF-8', async () => {
    const validator = new Validator('2025-11-25');
    validator.sent('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
    validator.receivedBytes(Buffer.from(JSON.stringify(result({ ...text, content: [{ type: 'text', text: '\xff' }] })), 'latin1'));
    matches(validator.faults.join('\n'), /^not UTF-8: \{"jsonrpc"/);
});

// Checks transcripts with the command validate.mjs: its exit status and output.
function validate(...transcripts) {
    const files = transcripts.map((lines) => writeFile(newPath('transcript'), lines.join('\n')));
    const { status, stdout } = spawnSync(process.execPath, ['test/mcp/validate.mjs', ...files], { encoding: 'utf8' });
    return `${status} ${stdout.replace(/^.*\/transcript-\d+:/gm, '')}`;
}
const PING = '> {"jsonrpc":"2.0","id":7,"method":"ping"}';

testCase('validate.mjs names what is wrong, and that alone', async () => {
    is(validate([PING, '> garbage', '< {"jsonrpc":"2.0","id":7,"result":{}}'], [PING, '< {"jsonrpc":"2.0","id":8,"result":{}}']),
        '1 2: answers no open request: id 8: {"jsonrpc":"2.0","id":8,"result":{}}\n2 messages, 1 faults\n');
});

testCase('validate.mjs fails if the server wrote nothing', async () => {
    is(validate([PING]), '1 0 messages, 0 faults\n');
});

await finish();
