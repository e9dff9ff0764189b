// That the validator finds what is wrong: without this, its silence would prove nothing.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { is, matches } from './tap.mjs';
import { Validator } from './validator.mjs';

const modernMeta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
};
const text = { content: [{ type: 'text', text: 'hello' }], isError: false };
const tool = { name: 'execute_code', inputSchema: { type: 'object' } };

// What is wrong with one message of a server, which comes after a request with id 1.
function faults(revision, method, message, params = {}) {
    const validator = new Validator(revision);
    validator.sent(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return validator.received(typeof message === 'string' ? message : JSON.stringify(message));
}

const result = (value, rest = {}) => ({ jsonrpc: '2.0', id: 1, result: value, ...rest });
const error = (code, rest = {}) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'no', ...rest } });
const progress = (params) => ({ jsonrpc: '2.0', method: 'notifications/progress', params });
const withToken = { name: 'execute_code', _meta: { progressToken: 0 } };
const modern = { name: 'execute_code', _meta: modernMeta };

function accepts() {
    const good = [
        ['2024-11-05', 'tools/call', result(text)],
        ['2024-11-05', 'tools/call', error(-32602)],
        ['2024-11-05', 'nonsense', { jsonrpc: '2.0', error: { code: -32700, message: 'no' } }],
        ['2024-11-05', 'tools/call', progress({ progressToken: 0, progress: 1 }), withToken],
        ['2025-03-26', 'tools/call', [result(text)]],
        ['2025-11-25', 'tools/call', progress({ progressToken: 0, progress: 1, message: 'on' }), withToken],
        ['2025-11-25', 'tools/list', result({ tools: [{ ...tool, title: 'T', outputSchema: { type: 'object' } }] })],
        ['2026-07-28', 'tools/call', result({ ...text, resultType: 'complete' }), modern],
    ];
    is(good.flatMap(([revision, method, message, params]) => faults(revision, method, message, params)), [],
        'the validator accepts what is right');
}

function rejects() {
    const link = { type: 'resource_link', uri: 'a://b', name: 'c' };
    const bad = [
        ['no JSON', '2025-11-25', 'tools/call', '{"jsonrpc":"2.0"', /^not JSON/],
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
            result({ tools: [{ name: 'a', inputSchema: { type: 'object', properties: { b: { type: 'text' } } } }] }),
            /inputSchema of a/],
        ['structuredContent against outputSchema', '2025-11-25', 'tools/call',
            result({ ...text, structuredContent: { status: 'fine' } }), /must be equal to one of the allowed values/],
        ['a batch', '2025-06-18', 'tools/call', [result(text)], /an array/],
        ['messages of progress too early', '2024-11-05', 'tools/call',
            progress({ progressToken: 0, progress: 1, message: 'on' }), /ProgressNotification/],
        ['progress that nobody asked for', '2025-11-25', 'tools/call',
            progress({ progressToken: 1, progress: 1 }), /no open request/],
        ['no resultType', '2026-07-28', 'tools/call', result(text), /resultType/],
        ['no ttlMs', '2026-07-28', 'tools/list', result({ tools: [], resultType: 'complete', cacheScope: 'private' }), /ttlMs/],
        ['-32002 since 2026-07-28', '2026-07-28', 'resources/read', error(-32002), /-32002/],
        ['-32022 without data', '2026-07-28', 'server/discover', error(-32022), /UnsupportedProtocolVersionError/],
        ['initialize since 2026-07-28', '2026-07-28', 'initialize', result({ resultType: 'complete' }), /which has none/],
    ];
    for (const [name, revision, method, message, pattern] of bad) {
        const params = { ...withToken, ...revision === '2026-07-28' ? modern : {} };
        matches(faults(revision, method, message, params).join('\n'), pattern, `the validator rejects ${name}`);
    }
}

// What concerns more than one message.
function follows() {
    const validator = new Validator('2025-11-25');
    validator.sent(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: withToken }));
    const answers = [progress({ progressToken: 0, progress: 1 }), progress({ progressToken: 0, progress: 1 }),
        result(text), result(text), progress({ progressToken: 0, progress: 2 })];
    is(answers.map((message) => validator.received(JSON.stringify(message)).join()), [
        '', 'progress 1 after 1', '', 'answers no open request: id 1', 'progress of no open request',
    ], 'the validator rejects progress that does not rise, a second answer and progress after the answer');
}

function command() {
    const scratch = mkdtempSync(join(tmpdir(), 'isolator-mcp-'));
    const run = (...transcripts) => {
        const files = transcripts.map((_, index) => join(scratch, `${index}`));
        transcripts.forEach((transcript, index) => writeFileSync(files[index], transcript.join('\n')));
        const { status, stdout } = spawnSync(process.execPath,
            [fileURLToPath(new URL('validate.mjs', import.meta.url)), ...files], { encoding: 'utf8' });
        return `${status} ${stdout.replaceAll(scratch, '')}`;
    };
    const ping = '> {"jsonrpc":"2.0","id":7,"method":"ping"}';
    const good = [ping, '> garbage', '< {"jsonrpc":"2.0","id":7,"result":{}}'];
    is(run(good, [ping, '< {"jsonrpc":"2.0","id":8,"result":{}}']),
        '1 /1:2: answers no open request: id 8: {"jsonrpc":"2.0","id":8,"result":{}}\n2 messages, 1 faults\n',
        'validate.mjs names what is wrong, and that alone');
    is(run([ping]), '1 0 messages, 0 faults\n', 'validate.mjs fails where the server wrote nothing');
    rmSync(scratch, { recursive: true });
}

export function testValidator() {
    accepts();
    rejects();
    follows();
    command();
}
