// The tools of a program, for Node.js 14 and later. isolator lays this next to a program that has tools, as
// isolator_tools.cjs, and a tools.cjs that is the same module, unless the program brings a file of that name.
//
// It is a client of MCP: a JSON message a line at the UNIX socket $ISOLATOR_TOOLS. Each request has a connection of its own.
'use strict';
const fs = require('fs');
const net = require('net');
const { isDeepStrictEqual } = require('util');

class ToolError extends Error {
    constructor(message) {
        super(message);
        this.name = 'ToolError';
    }
}

const seen = new Map();
let files = 0;

const exchange = (line) => new Promise((resolve, reject) => {
    const path = process.env.ISOLATOR_TOOLS;
    if (!path) throw new ToolError('this program has no tools');
    const chunks = [];
    net.connect(path)
        .on('error', (error) => reject(new ToolError(`cannot reach the tools: ${error.message}`)))
        .on('data', (chunk) => chunks.push(chunk))
        .on('close', () => {
            const answer = Buffer.concat(chunks).toString();
            if (answer.endsWith('\n')) resolve(answer);
            else reject(new ToolError('the connection to the tools was lost'));
        })
        .end(line);
});

async function request(method, params) {
    const answer = JSON.parse(await exchange(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`));
    if (answer.error) throw new ToolError(answer.error.message);
    return answer.result;
}

async function list() {
    const found = new Map();
    for (let params = {}; params;) {
        const page = await request('tools/list', params);
        for (const tool of page.tools) found.set(tool.name, tool);
        params = page.nextCursor ? { cursor: page.nextCursor } : null;
    }
    for (const [name, tool] of found) seen.set(name, tool);
    return found;
}

// Pictures and the like become files of the working directory, and the value has their names.
function part(content) {
    const { text, data, blob, mimeType } = content.resource || content;
    if (text !== undefined) return text;
    if (data === undefined && blob === undefined) return content;
    const kind = /^[a-z]+\/([a-z0-9]+)/.exec(mimeType || '');
    const name = `tool-${++files}.${kind ? kind[1] : 'bin'}`;
    fs.writeFileSync(name, Buffer.from(data === undefined ? blob : data, 'base64'));
    return name;
}

// A server may return each item of a list as a text of its own.
function textValue(texts) {
    try {
        return texts.length > 1 ? texts.map((text) => JSON.parse(text)) : JSON.parse(texts.join(''));
    } catch (error) {
        return texts.join('\n');
    }
}

// FastMCP wraps what is no object; the texts of others have the object itself.
function isWrapped(value, texts) {
    if (value === null || typeof value !== 'object' || Object.keys(value).join() !== 'result') return false;
    return !texts || !isDeepStrictEqual(textValue(texts), value);
}

function value({ content, isError, structuredContent }) {
    const parts = content.map(part);
    const isText = content.every(({ type }) => type === 'text');
    if (isError) throw new ToolError(parts.join('\n') || 'the tool has failed');
    if (isWrapped(structuredContent, isText && parts)) return structuredContent.result;
    if (structuredContent !== undefined) return structuredContent;
    if (isText) return textValue(parts);
    return parts.length === 1 ? parts[0] : parts;
}

// SERVER.TOOL as a program writes it: the tool list-issues is list_issues.
const serverOf = (name) => name.slice(0, name.indexOf('.'));
const written = (name) => `${serverOf(name).replace(/-/g, '_')}.${name.slice(name.indexOf('.') + 1).replace(/[-.]/g, '_')}`;

async function realName(name) {
    if (!name.includes('_') || seen.has(name) || (await list()).has(name)) return name;
    const same = [...seen.keys()].filter((known) => written(known) === written(name));
    const own = same.filter((known) => serverOf(known) === serverOf(name));
    const found = own.length > 0 ? own : same;
    return found.length === 1 ? found[0] : name;
}

async function call(name, args) {
    const [given = {}] = args;
    if (args.length > 1 || typeof given !== 'object' || given === null || Array.isArray(given)) {
        const names = Object.keys((await describe(name)).inputSchema.properties || {}).map((key) => `${key}: ...`);
        throw new TypeError(`arguments of a tool have names: tools.${written(name)}({ ${names.join(', ')} })`);
    }
    return value(await request('tools/call', { name: await realName(name), arguments: given }));
}

// The names of the tools in whose name or description all of these words occur, with the first lines of these.
async function search(text = '') {
    const found = {};
    for (const [name, { description = '' }] of await list())
        if (text.toLowerCase().split(' ').every((word) => `${name} ${description}`.toLowerCase().includes(word)))
            found[name] = description.split('\n')[0];
    return found;
}

async function describe(name) {
    const real = await realName(name);
    if (!seen.has(real) && !(await list()).has(real)) throw new ToolError(`there is no tool '${name}'`);
    return seen.get(real);
}

// No symbol is a name, and what has a `then` would be taken for a promise. The target has no other names than its own.
const named = (target, make) => new Proxy(Object.setPrototypeOf(target, null), {
    get: (own, name) => (name in own || typeof name === 'symbol' || name === 'then' ? own[name] : make(name)),
});
const server = (name, target = {}) => named(target, (tool) => (...args) => call(`${name}.${tool}`, args));
// A function of this module, and a server of the same name.
const both = (own) => {
    const { name } = own;
    delete own.name;
    delete own.length;
    return server(name, own);
};
module.exports = named({ ToolError, search: both(search), describe: both(describe) }, (name) => server(name));
