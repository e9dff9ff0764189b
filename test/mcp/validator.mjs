// Checks what a server writes: each message against the official JSON schema of its revision
// (schema-REVISION.json, unchanged copies), and the conversation: each request is answered once,
// progress belongs to an open request that asked for it, rises, and ends with the answer.
//
// The schemas allow any members. This does not: objects are closed, so that a member that the revision
// does not know is a fault too. Only what is open by its nature stays so (see OPEN).

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const MODERN = ['2026-07-28'];
const NEWEST_LEGACY = '2025-11-25';

// Definition of the result of each method.
const RESULTS = {
    'initialize': 'InitializeResult',
    'server/discover': 'DiscoverResult',
    'ping': 'EmptyResult',
    'tools/list': 'ListToolsResult',
    'tools/call': 'CallToolResult',
    'resources/list': 'ListResourcesResult',
    'resources/templates/list': 'ListResourceTemplatesResult',
    'resources/read': 'ReadResourceResult',
    'completion/complete': 'CompleteResult',
    'subscriptions/listen': 'SubscriptionsListenResult',
};

const NOTIFICATIONS = {
    'notifications/progress': 'ProgressNotification',
    'notifications/cancelled': 'CancelledNotification',
    'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
};

// Members and definitions that hold what each sender likes.
const OPEN = ['_meta', 'MetaObject', 'ResultMetaObject', 'NotificationMetaObject',
    'SubscriptionsListenResultMetaObject', 'inputSchema', 'outputSchema', 'allOf'];

// Hosts refuse messages from 1 MB (1048576 bytes) on.
const MESSAGE_MAX = 1048576;

const META = 'io.modelcontextprotocol/';
const MODERN_METHODS = ['server/discover', 'subscriptions/listen'];

const here = (name) => new URL(name, import.meta.url);
const read = (name) => JSON.parse(readFileSync(here(name), 'utf8'));

// A JSON schema of the tool, as a function that returns what is wrong. It is mostly the same.
const toolSchemas = new Map();
function compileToolSchema(schema) {
    const text = JSON.stringify(schema);
    if (!toolSchemas.has(text)) {
        const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
        const check = ajv.compile(schema);
        toolSchemas.set(text, (value) => (check(value) ? [] : [ajv.errorsText(check.errors)]));
    }
    return toolSchemas.get(text);
}

function close(value, name) {
    if (OPEN.includes(name) || value === null || typeof value !== 'object')
        return value;
    if (Array.isArray(value))
        return value.map((item) => close(item));
    const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, close(item, key)]));
    if (copy.properties && copy.type === 'object' && !('additionalProperties' in copy))
        copy.additionalProperties = false;
    return copy;
}

// The schema of one revision.
class Schema {
    constructor(revision) {
        const schema = read(`schema-${revision}.json`);
        const Compiler = schema.$schema.includes('2020-12') ? Ajv2020 : Ajv;
        this.place = schema.$defs ? '$defs' : 'definitions';
        this.definitions = close(schema[this.place]);
        this.ajv = new Compiler({ strict: false, allErrors: true });
        addFormats.default(this.ajv);
        this.ajv.addFormat('uri-template', true);
        this.ajv.addSchema({ ...schema, [this.place]: this.definitions }, 'mcp');
    }

    has(definition) {
        return definition in this.definitions;
    }

    // What is wrong with the value, as a list of texts.
    check(definition, value) {
        const check = this.ajv.getSchema(`mcp#/${this.place}/${definition}`);
        return check(value) ? [] : [`${definition}: ${this.ajv.errorsText(check.errors)}`];
    }
}

const schemas = new Map();
function schemaOf(revision) {
    if (!schemas.has(revision))
        schemas.set(revision, new Schema(revision));
    return schemas.get(revision);
}

// The tool that the server is built with: its outputSchema, until tools/list says it.
const { name: BUILT_IN, outputSchema } = read('../../src/mcp/execute_code.json');
const BUILT_IN_OUTPUT = compileToolSchema(outputSchema);

// How an id or a token is known again. Half of a surrogate pair comes back as U+FFFD.
function keyOf(id) {
    return JSON.stringify(typeof id === 'string' ? Buffer.from(id).toString() : id);
}

function isModern(request) {
    const meta = Object(request.params?._meta);
    return MODERN_METHODS.includes(request.method) ||
        ['protocolVersion', 'clientCapabilities', 'clientInfo'].some((name) => META + name in meta);
}

// One connection with one server process.
export class Validator {
    // `revision`: of legacy messages until an initialize agrees on another.
    constructor(revision = NEWEST_LEGACY) {
        if (![...LEGACY, ...MODERN].includes(revision))
            throw new Error(`unknown revision '${revision}'`);
        this.legacy = LEGACY.includes(revision) ? revision : NEWEST_LEGACY;
        this.open = new Map(); // id as JSON -> requests
        this.progress = new Map(); // token as JSON -> {revision, last}
        this.questions = new Set(); // ids as JSON of requests of the server
        this.messages = 0;
        this.faults = []; // of receivedBytes(): "WHAT IS WRONG: LINE"
        this.outputs = new Map([[BUILT_IN, BUILT_IN_OUTPUT], ['wait_job', BUILT_IN_OUTPUT]]); // tool -> check of its outputSchema
    }

    // Takes a line that the client wrote. What is no JSON is none of its requests.
    sent(line) {
        let value;
        try {
            value = JSON.parse(line);
        } catch {
            return;
        }
        for (const message of Array.isArray(value) ? value : [value])
            if (message?.id !== undefined && message.id !== null && !this.questions.delete(keyOf(message.id)))
                this.#opened(message);
    }

    #opened(request) {
        const id = keyOf(request.id);
        const token = request.params?._meta?.progressToken;
        this.open.set(id, [...(this.open.get(id) ?? []), request]);
        if (token !== undefined && request.method === 'tools/call')
            this.progress.set(keyOf(token), {
                revision: isModern(request) ? MODERN[0] : this.legacy,
                last: -Infinity,
            });
    }

    // What is wrong with a line that the server wrote, as a list of texts; none: all is well.
    received(line) {
        let value;
        this.messages++;
        try {
            value = JSON.parse(line);
        } catch (error) {
            return [`not JSON: ${error.message}`];
        }
        const faults = Buffer.byteLength(line) < MESSAGE_MAX ? [] : ['larger than 1 MB'];
        if (!Array.isArray(value))
            return [...faults, ...this.#message(value)];
        if (!schemaOf(this.legacy).has('JSONRPCBatchResponse'))
            return [...faults, `an array, which ${this.legacy} does not know`];
        return [...faults, ...value.length ? [] : ['an empty array'],
            ...value.flatMap((message) => this.#message(message))];
    }

    // The same for the bytes of a line, which is returned as text; what is wrong is kept in `faults`.
    receivedBytes(bytes) {
        const line = bytes.toString();
        const faults = [...Buffer.from(line).equals(bytes) ? [] : ['not UTF-8'], ...this.received(line)];
        this.faults.push(...faults.map((fault) => `${fault}: ${line.slice(0, 300)}`));
        return line;
    }

    #message(message) {
        if (message === null || typeof message !== 'object' || Array.isArray(message))
            return ['no object'];
        if ('method' in message)
            return 'id' in message ? this.#question(message) : this.#notification(message);
        if ('error' in message === 'result' in message)
            return ['neither a result nor an error, or both'];
        return 'error' in message ? this.#error(message) : this.#result(message);
    }

    // The request that the id belongs to, which is answered herewith: the last of several, since before
    // it there may be what was cancelled or could not be answered.
    #answered(id) {
        const request = this.open.get(keyOf(id))?.pop();
        const token = request?.params?._meta?.progressToken;
        if (token !== undefined)
            this.progress.delete(keyOf(token));
        return request;
    }

    #result(message) {
        const request = this.#answered(message.id);
        if (!request)
            return [`answers no open request: id ${JSON.stringify(message.id)}`];
        if (request.method === 'initialize' && LEGACY.includes(message.result?.protocolVersion))
            this.legacy = message.result.protocolVersion;
        const schema = schemaOf(isModern(request) ? MODERN[0] : this.legacy);
        const asks = message.result?.resultType === 'input_required' && request.method === 'tools/call';
        const definition = asks ? 'InputRequiredResult' : RESULTS[request.method];
        if (!definition || !schema.has(definition))
            return [`a result for ${request.method}, which has none`];
        return [
            ...schema.check(schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse', message),
            ...schema.check(definition, message.result),
            ...(asks ? this.#asks(request, message.result) : this.#content(request, message.result, schema)),
        ];
    }

    // A result that asks a person: only of those who say that they can be asked, and only by elicitation.
    #asks(request, { inputRequests, requestState }) {
        const requests = Object.values(inputRequests ?? {});
        return [
            ...request.params._meta[`${META}clientCapabilities`]?.elicitation ? [] : ['a question to a client that cannot answer'],
            ...requests.length && requests.every(({ method }) => method === 'elicitation/create') && requestState ? []
                : ['asks for something else than elicitation, or has no state'],
        ];
    }

    // What the schemas do not say of tools, their results, and of empty and modern results.
    #content(request, result, schema) {
        const faults = [];
        if (schema === schemas.get(MODERN[0]) && result.resultType !== 'complete')
            faults.push(`resultType is ${result.resultType}`);
        if (request.method === 'ping' && Object.keys(result).length)
            faults.push('the result of ping is not empty');
        if (request.method === 'tools/list')
            faults.push(...(result.tools ?? []).flatMap((tool) => this.#tool(tool)));
        if (request.method === 'tools/call' && result.structuredContent !== undefined)
            faults.push(...(this.outputs.get(request.params.name)?.(result.structuredContent) ??
                [`the tool ${request.params.name} has no outputSchema`]));
        return faults;
    }

    #tool(tool) {
        const faults = [];
        this.outputs.delete(tool.name);
        for (const name of ['inputSchema', 'outputSchema']) {
            try {
                const check = tool[name] ? compileToolSchema(tool[name]) : undefined;
                if (check && name === 'outputSchema')
                    this.outputs.set(tool.name, check);
            } catch (error) {
                faults.push(`${name} of ${tool.name}: ${error.message}`);
            }
        }
        return faults;
    }

    // Where the id of a request cannot be read, the answer has none. The schemas allow that from
    // 2025-11-25 on; the older ones have no message for this at all.
    #error(message) {
        const request = 'id' in message ? this.#answered(message.id) : undefined;
        const modern = request && isModern(request);
        const schema = schemaOf(modern ? MODERN[0] : this.legacy);
        const definition = schema.has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError';
        const complete = 'id' in message || definition === 'JSONRPCErrorResponse' ? message : { ...message, id: 0 };
        const faults = schema.check(definition, complete);
        if ('id' in message && !request)
            faults.push(`answers no open request: id ${JSON.stringify(message.id)}`);
        if (modern && message.error?.code === -32022)
            faults.push(...schema.check('UnsupportedProtocolVersionError', message));
        if (modern ? message.error?.code === -32002 : message.error?.code === -32022)
            faults.push(`error ${message.error.code}, which this revision does not know`);
        return faults;
    }

    // A request of the server: a question to a person.
    #question(message) {
        const schema = schemaOf(this.legacy);
        if (message.method !== 'elicitation/create' || !schema.has('ElicitRequest'))
            return [`a request for ${message.method}, which this server never makes`];
        this.questions.add(keyOf(message.id));
        const { jsonrpc, id, ...bare } = message; // the older definitions have neither
        return [
            ...schema.check('JSONRPCRequest', message),
            ...schema.check('ElicitRequest', 'jsonrpc' in schema.definitions.ElicitRequest.properties ? message : bare),
        ];
    }

    #notification(message) {
        const definition = NOTIFICATIONS[message.method];
        const isProgress = message.method === 'notifications/progress';
        const progress = isProgress ? this.progress.get(keyOf(message.params?.progressToken)) : undefined;
        if (!definition)
            return [`the notification ${message.method}, which this server never sends`];
        if (isProgress && !progress)
            return ['progress of no open request'];
        if (message.method === 'notifications/cancelled' && !this.questions.has(keyOf(message.params?.requestId)))
            return ['cancels no open question'];
        const schema = schemaOf(progress?.revision ?? (message.method === 'notifications/cancelled' ? this.legacy : MODERN[0]));
        const { jsonrpc, ...bare } = message; // the older definitions have no "jsonrpc"
        const faults = [
            ...schema.check('JSONRPCNotification', message),
            ...schema.check(definition, 'jsonrpc' in schema.definitions[definition].properties ? message : bare),
        ];
        if (progress && !(message.params.progress > progress.last))
            faults.push(`progress ${message.params.progress} after ${progress.last}`);
        if (progress)
            progress.last = message.params.progress;
        return faults;
    }
}
