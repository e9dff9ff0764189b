#!/usr/bin/env node
// isolator-mcp byte by byte: lines, ids, errors, eras and batches. What no client sends, and what the specification says
// to each. No case needs the engine.

import { encoded, finish, is, ok, quickCase, withinMemory } from '../mcp/cases.mjs';
import { brief, meta, startServer } from '../mcp/pipe_client.mjs';
import { pause } from '../mcp/processes.mjs';

const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const PING = '"jsonrpc":"2.0","method":"ping"'; // the members of a ping, but for its id
const MEBI = Buffer.alloc(1 << 20, 'x');

// A server; `version` is agreed on in initialize, "" for a server that has seen none.
async function start(version = '2025-11-25') {
    const server = await startServer({ engine: false });
    if (version)
        await server.initialize(version);
    return server;
}

const bytes = (text) => Buffer.from(text, 'latin1'); // one byte for each character
const members = (object) => Object.keys(object).sort().join(' ');

// ---- initialize

quickCase('requests before initialize are answered', async () => {
    const server = await start('');
    is(await server.tellRaw(`{"id":0,${PING}}`), '{"jsonrpc":"2.0","id":0,"result":{}}');
    is(await server.tell('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), '1 ok');
    is(await server.tell('{"jsonrpc":"2.0","id":"x","method":"prompts/list"}'), '"x" -32601', 'an unknown method');
    is(await server.tell(`[{"id":1,${PING}}]`), '- -32600', 'no batch');
    is(await server.tell('{"jsonrpc":"2.0","method":"notifications/initialized"}'), '', 'notifications/initialized');
});

for (const version of LEGACY)
    quickCase(`initialize: ${version}`, async () => {
        const server = await start('');
        const { result } = await server.initialize(version);
        is(result.protocolVersion, version);
        is(result.capabilities, { tools: {}, resources: {}, ...version === '2024-11-05' ? {} : { completions: {} } });
        is(members(result.serverInfo), version < '2025-06-18' ? 'name version' : 'name title version');
        is(members(result), 'capabilities instructions protocolVersion serverInfo');
        const [tool] = (await server.ask('tools/list')).result.tools;
        is(members(tool), `${version >= '2025-03-26' ? 'annotations ' : ''}description inputSchema name` +
            `${version >= '2025-06-18' ? ' outputSchema title' : ''}`, 'what tools/list shows');
        ok(JSON.stringify(tool).length <= 4472, 'no more than a model can read with each request', JSON.stringify(tool).length);
    });

// What is agreed on, or the code of the error.
async function agreed(server, params) {
    const [line] = await server.responses(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`);
    const { result, error } = JSON.parse(line);
    return error ? error.code : result.protocolVersion;
}
const CLIENT = '"capabilities":{},"clientInfo":{"name":"raw","version":"1"}';

quickCase('initialize with a version that the server does not know: its newest one', async () => {
    const server = await start('');
    for (const version of ['1999-01-01', '', '2026-07-28'])
        is(await agreed(server, `{"protocolVersion":"${version}",${CLIENT}}`), '2025-11-25', version);
});

quickCase('initialize ignores unknown members', async () => {
    const server = await start('');
    is(await agreed(server, '{"protocolVersion":"2025-11-25","capabilities":{"nonsense":[1,{}]},"clientInfo":7,"more":null}'), '2025-11-25');
});

quickCase('initialize needs a protocolVersion', async () => {
    const server = await start('');
    is(await agreed(server, `{${CLIENT}}`), -32602, 'none');
    is(await agreed(server, `{"protocolVersion":20251125,${CLIENT}}`), -32602, 'a number');
    is(await agreed(server, `{"protocolVersion":"2025-11-25\\u0000",${CLIENT}}`), -32602, 'a NUL');
    is(await server.tell('{"jsonrpc":"2.0","id":1,"method":"initialize"}'), '1 -32602', 'no params');
});

quickCase('initialize without id is a notification; a second initialize is accepted', async () => {
    const server = await start('2025-06-18');
    is(await server.tell('{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2024-11-05"}}'), '');
    is(await agreed(server, `{"protocolVersion":"2025-11-25",${CLIENT}}`), '2025-11-25');
});

// ---- lines

quickCase('a line that is not JSON is a parse error without id', async () => {
    const server = await start();
    is(await server.tellRaw('this is not JSON'), '{"jsonrpc":"2.0","error":{"code":-32700,"message":"the line is not JSON in UTF-8"}}');
    for (const [line, what] of [
        ['{"id":1', 'half a message'],
        [`{"id":1,${PING}}}`, 'a brace after a message'],
        [`{"id":1,${PING}}{"id":2,${PING}}`, 'two messages on a line'],
        ["{'id':1}", 'single quotes'],
        ['\0', 'a NUL byte'],
        [`{"id":1,${PING}}\0`, 'a NUL byte after a message'],
        [`{"id":"a\0b",${PING}}`, 'a NUL byte in a string'],
        [`{"id":"a\tb",${PING}}`, 'a tab in a string'],
        ['NaN', 'NaN'],
        ['{"jsonrpc":"2.0","id":01,"method":"ping"}', 'a number that begins with 0'],
        ['\x1b[A', 'an escape sequence'],
        ['Content-Length: 7', 'a header'],
        [`{"id":"\\ud8",${PING}}`, 'an escape that is cut off'],
    ])
        is(await server.tell(line), '- -32700', what);
});

quickCase('a line that is not UTF-8 is a parse error', async () => {
    const server = await start();
    for (const [line, what] of [
        [bytes(`{"id":"\xff",${PING}}`), 'an invalid byte'],
        [bytes(`{"id":"\xc0\x80",${PING}}`), 'an overlong NUL'],
        [bytes(`{"id":"\xed\xa0\xbd",${PING}}`), 'a surrogate'],
        [bytes(`{"id":"\xf4\x90\x80\x80",${PING}}`), 'beyond the end of Unicode'],
        [bytes(`{"id":"\xe2\x82",${PING}}`), 'half a character'],
        [bytes(`\xef\xbb\xbf{"id":1,${PING}}`), 'a byte order mark'],
        [Buffer.from(`{"id":1,${PING}}`, 'utf16le'), 'UTF-16'],
    ])
        is(await server.tell(line), '- -32700', what);
});

quickCase('nesting is bounded', async () => {
    const server = await start();
    const many = 100000;
    is(await server.tell('['.repeat(many)), '- -32700', 'opening brackets');
    is(await server.tell('['.repeat(many) + ']'.repeat(many)), '- -32700', 'arrays');
    is(await server.tell('{"a":'.repeat(many) + '1' + '}'.repeat(many)), '- -32700', 'objects');
    is(await server.tell(`{"id":1,${PING},"params":{"a":${'['.repeat(1000)}${']'.repeat(1000)}}}`), '1 ok', 'a thousand arrays are fine');
});

quickCase('blanks around a message and blank lines are ignored', async () => {
    const server = await start();
    for (const line of ['', '   ', '\t', '\r', ' \r'])
        is(await server.tell(line), '', encoded(line));
    is(await server.tell(`{"id":1,${PING}}\r`), '1 ok', 'a line that ends with CR LF');
    is(await server.tell(`  {"id":1,\t${PING}}  `), '1 ok', 'blanks');
});

quickCase('half a surrogate pair becomes U+FFFD', async () => {
    const server = await start();
    is(await server.tellRaw(`{"id":"\\ud83d",${PING}}`), '{"jsonrpc":"2.0","id":"\ufffd","result":{}}', 'the first half');
    is(await server.tellRaw(`{"id":"\\udc00\\ud83d\\ude00\\\\ud83d",${PING}}`),
        '{"jsonrpc":"2.0","id":"\ufffd\u{1f600}\\\\ud83d","result":{}}', 'not a whole pair, nor what only looks like a half');
});

quickCase('messages may come in pieces, or several at once', async () => {
    const server = await start();
    for (const character of `{"id":"slow",${PING}}\n`) {
        server.write(character);
        await pause(0.002);
    }
    is(brief(await server.line()), '"slow" ok', 'byte by byte');
    server.write(`{"id":1,${PING}}\n{"id":2,${PING}}\r\n\n{"id":3,${PING}}\ngarb`);
    for (const id of [1, 2, 3])
        is(brief(await server.line()), `${id} ok`, 'three messages and half a line at once');
    is(await server.tell('age'), '- -32700', 'the other half of the line');
});

// ---- ids

quickCase('an id comes back as it is', async () => {
    const server = await start();
    for (const [id, what] of [
        ['0', 'zero'],
        ['-1', 'negative'],
        ['9007199254740993', '2^53 + 1'],
        ['9223372036854775807', 'the largest'],
        ['-9223372036854775808', 'the smallest'],
        ['""', 'empty'],
        ['"7"', 'a number as a string'],
        ['"a b\\n\\"\\\\"', 'with escapes'],
        ['"\\\\u0000"', 'what only looks like a NUL'],
        ['"\\u0000"', 'a NUL'],
        ['"ä€\u{1f600}"', 'not ASCII'],
        [`"${'x'.repeat(4096)}"`, '4096 bytes'],
    ])
        is(await server.tellRaw(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`), `{"jsonrpc":"2.0","id":${id},"result":{}}`, what);
    is(await server.tellRaw('{"jsonrpc":"2.0","id":9007199254740993,"method":"nope"}'),
        '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"there is no method \'nope\'"}}', 'in an error');
});

quickCase('what cannot be an id is an invalid request', async () => {
    const server = await start();
    for (const [id, what] of [['null', 'null'], ['1.5', 'a fraction'], ['1.0', 'a fraction that is whole'], ['1e3', 'an exponent'],
        ['{}', 'an object'], ['[1]', 'an array'], ['true', 'true'], ['false', 'false'], [`"${'x'.repeat(4097)}"`, '4097 bytes']])
        is(await server.tell(`{"id":${id},${PING}}`), '- -32600', what);
});

// ---- requests

quickCase('JSON that is no request is an invalid request', async () => {
    const server = await start();
    for (const [line, expected, what] of [
        ['{"id":5,"method":"ping"}', '5 -32600', 'no jsonrpc'],
        ['{"jsonrpc":"1.0","id":5,"method":"ping"}', '5 -32600', 'jsonrpc 1.0'],
        ['{"jsonrpc":2.0,"id":5,"method":"ping"}', '5 -32600', 'jsonrpc that is a number'],
        ['{"jsonrpc":"2.0","id":5}', '5 -32600', 'no method'],
        ['{"jsonrpc":"2.0"}', '- -32600', 'nothing but jsonrpc'],
        ['{}', '- -32600', 'nothing'],
        ['{"jsonrpc":"2.0","id":5,"method":7}', '5 -32600', 'a method that is a number'],
        ['{"jsonrpc":"2.0","id":5,"method":null}', '5 -32600', 'a method that is null'],
        ['{"jsonrpc":"2.0","id":5,"method":"ping\\u0000"}', '5 -32600', 'a method with a NUL'],
        ['{"jsonrpc":"2.0","id":5,"method":""}', '5 -32601', 'an empty method is an unknown one'],
    ])
        is(await server.tell(line), expected, what);
    for (const line of ['7', '"ping"', 'null', 'true', '1.5', '[]', `[{"id":1,${PING}}]`])
        is(await server.tell(line), '- -32600', line);
});

quickCase('params must be an object; further members of a request do not matter', async () => {
    const server = await start();
    for (const params of ['[]', '[1]', '"x"', '7', 'true'])
        is(await server.tell(`{"id":5,${PING},"params":${params}}`), '5 -32602', params);
    is(await server.tell(`{"id":5,${PING},"result":{},"error":{},"more":1}`), '5 ok');
});

quickCase('an unknown method is an error', async () => {
    const server = await start();
    for (const method of ['nope', 'prompts/list', 'prompts/get', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe',
        'tasks/list', 'sampling/createMessage', 'roots/list', 'PING', 'ping ', 'rpc.discover', 'notifications/initialized'])
        is(await server.tell(`{"jsonrpc":"2.0","id":5,"method":"${method}"}`), '5 -32601', method);
    is(await server.tellRaw('{"jsonrpc":"2.0","id":5,"method":"\\u001b[2Jä\\n"}'),
        '{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"there is no method \'\\\\x1b[2Jä\\\\n\'"}}', 'control characters');
    is(await server.tell(`{"jsonrpc":"2.0","id":5,"method":"${'x'.repeat(1000000)}"}`), '5 -32601', 'a very long one');
});

quickCase('notifications and responses are not answered', async () => {
    const server = await start();
    for (const line of ['{"jsonrpc":"2.0","method":"tools/list"}', '{"jsonrpc":"2.0","method":"ping"}',
        '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"execute_code","arguments":{}}}',
        '{"jsonrpc":"2.0","method":"nope"}', '{"jsonrpc":"2.0","method":"notifications/nope","params":[1]}',
        '{"jsonrpc":"2.0","method":"notifications/initialized","params":"x"}',
        '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}',
        ...['99', '"x"', 'null', '1.5', '{}', '[]', '-1'].map((id) =>
            `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`),
        '{"jsonrpc":"2.0","id":5,"result":{}}', '{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"x"}}',
        '{"jsonrpc":"2.0","id":null,"result":null}', '{"jsonrpc":"2.0","id":{},"error":7}'])
        is(await server.tell(line), '', line);
});

quickCase('tools/call refuses params that are no call', async () => {
    const server = await start();
    for (const [params, message, what] of [
        ['', 'name must be a string', 'no params'],
        [',"params":{}', 'name must be a string', 'no name'],
        [',"params":{"name":7}', 'name must be a string', 'a name that is a number'],
        [',"params":{"name":"nope"}', "there is no tool 'nope'; known are: execute_code, close_session, wait_job", 'an unknown tool'],
        [',"params":{"name":"execute_code\\u0000"}', 'name must be a string', 'a name with a NUL'],
        [',"params":{"name":"execute_code","arguments":[1]}', 'arguments must be an object', 'arguments that are an array'],
        [',"params":{"name":"execute_code","arguments":"x"}', 'arguments must be an object', 'arguments that are a string'],
    ])
        is(await server.tellRaw(`{"jsonrpc":"2.0","id":5,"method":"tools/call"${params}}`),
            `{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"${message}"}}`, what);
});

// ---- the modern era, on the same pipe

// A modern request with these params. `changed` are members of its metadata as JSON, "" for one that is left out.
function modern(method, changed = {}) {
    const all = { protocolVersion: '"2026-07-28"', clientCapabilities: '{}', ...changed };
    const metadata = Object.entries(all).filter(([, value]) => value).map(([name, value]) => `"io.modelcontextprotocol/${name}":${value}`);
    return `{"jsonrpc":"2.0","id":6,"method":"${method}","params":{"_meta":{${metadata.join()}}}}`;
}
const modernResult = async (server, method) => JSON.parse((await server.responses(modern(method)))[0]).result;

quickCase('modern: the methods that there are', async () => {
    const server = await start();
    for (const method of ['server/discover', 'tools/list', 'resources/list', 'resources/templates/list'])
        is(await server.tell(modern(method)), '6 ok', method);
    for (const method of ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'prompts/list', 'nope'])
        is(await server.tell(modern(method)), '6 -32601', `not ${method}`);
});

quickCase('modern: server/discover needs metadata', async () => {
    const server = await start();
    is(await server.tell('{"jsonrpc":"2.0","id":6,"method":"server/discover"}'), '6 -32602', 'none');
    is(await server.tell('{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":7}}'), '6 -32602', 'a number');
});

for (const method of ['server/discover', 'tools/list', 'tools/call'])
    quickCase(`modern: ${method} needs a version that is known, and capabilities`, async () => {
        const server = await start();
        is(await server.tell(modern(method, { protocolVersion: '' })), '6 -32602', 'no version');
        is(await server.tell(modern(method, { protocolVersion: '7' })), '6 -32602', 'a version that is a number');
        is(await server.tell(modern(method, { clientCapabilities: '' })), '6 -32602', 'no capabilities');
        is(await server.tell(modern(method, { clientCapabilities: '[]' })), '6 -32602', 'capabilities that are an array');
        is(await server.tellRaw(modern(method, { protocolVersion: '"2099-01-01"' })),
            '{"jsonrpc":"2.0","id":6,"error":{"code":-32022,"message":"protocol version not supported",' +
            '"data":{"supported":["2026-07-28"],"requested":"2099-01-01"}}}', 'an unsupported version');
    });

quickCase('modern: which metadata make a modern request', async () => {
    const server = await start();
    is(await server.tell(modern('tools/list', { protocolVersion: '"2025-11-25"' })), '6 -32022', 'a legacy version');
    is(await server.tell(modern('tools/list', { protocolVersion: '', clientCapabilities: '', clientInfo: '{"name":"x","version":"1"}' })),
        '6 -32602', 'clientInfo alone');
    is(await server.tell(modern('tools/list', { clientInfo: '7', logLevel: '"debug"' })), '6 ok', 'members that are not needed');
    is(await server.tell('{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"progressToken":0,"x.y/z":1}}}'), '6 ok',
        'others make a legacy one');
});

quickCase('modern: server/discover', async () => {
    const server = await start();
    const result = await modernResult(server, 'server/discover');
    is(members(result), '_meta cacheScope capabilities instructions resultType supportedVersions ttlMs');
    is(result.supportedVersions, ['2026-07-28']);
    is(result.capabilities, { completions: {}, resources: {}, tools: {} });
});

for (const [method, ttl] of [['server/discover', 300000], ['tools/list', 300000], ['resources/list', 0], ['resources/templates/list', 300000]])
    quickCase(`modern: ${method} has resultType, caching hints and serverInfo`, async () => {
        const server = await start();
        const { resultType, ttlMs, cacheScope, _meta } = await modernResult(server, method);
        is([resultType, ttlMs, cacheScope], ['complete', ttl, 'private']);
        const info = _meta['io.modelcontextprotocol/serverInfo'];
        is([info.name, members(info)], ['isolator', 'name title version']);
    });

quickCase('modern and legacy requests on one pipe do not touch each other', async () => {
    const server = await start();
    await modernResult(server, 'server/discover');
    is(members((await server.ask('tools/list')).result), 'tools', 'a legacy result has no modern members');
    is(members((await server.ask('resources/list')).result), 'resources');
    await server.initialize('2024-11-05');
    is('outputSchema' in (await modernResult(server, 'tools/list')).tools[0], true, 'what initialize agreed on is for legacy ones');
});

quickCase('subscriptions/listen is acknowledged and completed at the end', async () => {
    const server = await start();
    const listen = (id, params) => `{"jsonrpc":"2.0","id":${id},"method":"subscriptions/listen","params":{${params}"_meta":` +
        `${JSON.stringify(meta('2026-07-28'))}}}`;
    is(await server.tellRaw(listen(7, '"notifications":{"toolsListChanged":true},')),
        '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":' +
        '{"io.modelcontextprotocol/subscriptionId":7},"notifications":{}}}');
    is(await server.tell(listen('"7"', '"notifications":{},')), 'notifications/subscriptions/acknowledged', 'another one, by a string');
    is(await server.tell(listen(8, '')), '8 -32602', 'without notifications');
    is(await server.tell('{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{}}}'), '9 -32602',
        'without metadata');
    is(await server.tell('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'), '', 'cancelled silently');
    server.write(`{"id":"last",${PING}}`);
    await server.closeInput();
    is((await server.rest()).map(brief), ['"last" ok', '"7" ok'],
        'a last line without newline is answered, and the open subscription completed');
    is(await server.end(), 'exit 0');
    is(server.stderr(), '', 'nothing on stderr');
});

// ---- batches: 2025-03-26 alone

const ONE = `{"id":1,${PING}}`;
const TWO = '{"jsonrpc":"2.0","id":"two","method":"nope"}';
const NOTE = '{"jsonrpc":"2.0","method":"notifications/nope"}';
const batchOf = (...messages) => `[${messages.join()}]`;

quickCase('a batch is answered as an array', async () => {
    const server = await start('2025-03-26');
    is(await server.tell(batchOf(ONE, TWO)), '[1 ok; "two" -32601]');
    is(await server.tell(batchOf(ONE)), '[1 ok]', 'of one');
    is(await server.tell(` [ ${ONE} , ${NOTE} , ${TWO} ] `), '[1 ok; "two" -32601]', 'with a notification');
    is(await server.tell(batchOf(NOTE, NOTE)), '', 'of notifications');
    is(await server.tell(batchOf('{"jsonrpc":"2.0","id":1,"result":{}}')), '', 'of responses');
    is(await server.tell(batchOf(...Array(100).fill(ONE))), `[${Array(100).fill('1 ok').join('; ')}]`, 'of a hundred');
});

quickCase('a batch that is wrong, or has wrong members', async () => {
    const server = await start('2025-03-26');
    is(await server.tell('[]'), '- -32600', 'empty');
    is(await server.tell('[1,2]'), '[- -32600; - -32600]', 'numbers');
    is(await server.tell(`[7,${ONE},[${ONE}],{"id":3}]`), '[- -32600; 1 ok; - -32600; 3 -32600]', 'members that are no messages');
    is(await server.tell(`[${ONE},`), '- -32700', 'half');
    is(await server.tell(batchOf(...Array(101).fill(ONE))), '- -32600', 'more than a hundred');
});

quickCase('initialize in a batch is refused', async () => {
    const server = await start('2025-03-26');
    is(await server.tell(batchOf('{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}', ONE)),
        '[3 -32600; 1 ok]');
    is(await server.tell(batchOf(ONE)), '[1 ok]', 'and changes nothing');
});

quickCase('a batch with calls is answered as one array when all have ended', async () => {
    const server = await start('2025-03-26');
    const call = (id, args) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"execute_code","arguments":${args}}}`;
    server.send(batchOf(ONE, call(4, '{"language":"python","entrypoint_code":"1"}'), call(5, '{}')));
    is(brief(await server.line()), '[1 ok; 5 -32602; 4 ok]');
});

for (const version of ['2024-11-05', '2025-06-18', '2025-11-25'])
    quickCase(`${version} has no batches`, async () => {
        const server = await start(version);
        is(await server.tell(batchOf(ONE)), '- -32600');
    });

// ---- long lines

async function writeMebibytes(server, count) {
    for (let i = 0; i < count; i++)
        await server.writeUnrecorded(MEBI);
}

quickCase('a line of 60 MiB is read', async () => {
    const server = await start('');
    server.write(`{"id":1,${PING},"params":{"a":"`);
    await writeMebibytes(server, 60);
    server.write('"}}\n');
    is(await server.tell(), '1 ok');
});

quickCase('a line of 70 MiB is one error, and its memory is given back', async () => {
    const server = await start('');
    server.write('[');
    await writeMebibytes(server, 70);
    is(await server.tell(''), '- -32600', 'the next message is answered');
    withinMemory(server.memory('VmHWM'), 260, 'peak memory in MB');
    withinMemory(server.memory('VmRSS'), 40, 'memory afterwards in MB');
});

quickCase('a line of 500 MiB is refused before it ends, and the rest is not kept', async () => {
    const server = await start('');
    server.write(`{"id":1,${PING},"params":{"a":"`);
    await writeMebibytes(server, 500);
    is(brief(await server.line()), '- -32600');
    withinMemory(server.memory('VmHWM'), 110, 'peak memory in MB');
    withinMemory(server.memory('VmRSS'), 40, 'memory while it goes on in MB');
    is(await server.tell(`"}}\n{"id":2,${PING}}`), '2 ok', 'the next message is answered');
});

quickCase('a line of 65 MiB without end, and the end of input', async () => {
    const server = await start('');
    await writeMebibytes(server, 65);
    await server.closeInput();
    is((await server.rest()).map(brief), ['- -32600']);
    is(await server.end(), 'exit 0');
});

await finish();
