// The tools of a program, for Node.js 14 and later. isolator lays this next to a program that has tools, as
// isolator_tools.cjs, and a tools.cjs that is the same module, unless the program brings a file of that name.
//
// It is a client of MCP: a JSON message a line at the UNIX socket $ISOLATOR_TOOLS. Each request has a connection of its own.
'use strict';
const fs = require('fs');
const net = require('net');

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

function value({ content, isError, structuredContent }) {
    const parts = content.map(part);
    if (isError) throw new ToolError(parts.join('\n') || 'the tool has failed');
    if (structuredContent !== undefined) return structuredContent;
    if (!content.every(({ type }) => type === 'text')) return parts.length === 1 ? parts[0] : parts;
    try {
        return JSON.parse(parts.join('\n'));
    } catch (error) {
        return parts.join('\n');
    }
}

// In JavaScript the tool list-issues is list_issues.
async function realName(name) {
    const [server, tool] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
    if (!tool.includes('_') || seen.has(name) || (await list()).has(name)) return name;
    const same = [...seen.keys()].filter((known) => known.startsWith(`${server}.`) && known.slice(server.length + 1).replace(/[-.]/g, '_') === tool);
    return same.length === 1 ? same[0] : name;
}

async function call(name, args) {
    return value(await request('tools/call', { name: await realName(name), arguments: args }));
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

// No symbol is a name, and what has a `then` would be taken for a promise.
const named = (target, make) => new Proxy(target, {
    get: (own, name) => (name in own || typeof name === 'symbol' || name === 'then' ? own[name] : make(name)),
});
module.exports = named({ ToolError, search, describe },
    (server) => named(Object.create(null), (tool) => (args = {}) => call(`${server}.${tool}`, args)));
