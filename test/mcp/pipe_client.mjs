// A client of isolator-mcp that reads and writes the bytes of the pipes itself, for what no real client sends.
//
// All that goes over the pipes is checked against the schema of its revision (validator.mjs). When a case ends, each
// server of it that still runs gets the end of its input and has to exit with status 0, and none may leave a container.

import { closeSync } from 'node:fs';
import net from 'node:net';
import { atCaseEnd, encoded, is } from './cases.mjs';
import { BUILT_IN, PATIENCE, Program, atMost, comesTrue, configFile, containersOf, contentOf, faultyDocker, isolatorMcp,
    makeFifo, remainingContainersOf } from './processes.mjs';

// Quick cases do without the validator, whose packages come from the network.
class NoValidator {
    faults = [];
    sent() {}
    receivedBytes(bytes) { return bytes.toString(); }
}
const Validator = process.env.QUICK ? NoValidator
    : (await import('./install.mjs').then(() => import('./validator.mjs'))).Validator;

// Starts a server; the options are those of Program and:
//   config     members in place of those in its configuration, which is the engine's
//   arguments  of its command line
//   engine     false: it has the built-in configuration, and DOCKER_HOST names an engine that does not exist
//   fault      what goes wrong with docker (test/fixtures/docker-fault); `calls` of the server is then the directory
//              with a file for each call
export async function startServer(options = {}) {
    const server = new Server(options);
    atCaseEnd(() => server.check());
    return server;
}

// The metadata of a request of a modern revision.
export function meta(revision) {
    return { 'io.modelcontextprotocol/protocolVersion': revision, 'io.modelcontextprotocol/clientCapabilities': {} };
}

// A message in few words: "ID ok" or "ID CODE", the id as JSON or "-" if there is none; the method of a notification;
// an array as "[...; ...]"; in full what is no message.
export function brief(line) {
    let message = line;
    try {
        message = typeof line === 'string' ? JSON.parse(line) : line;
    } catch {
        return `no JSON: ${line}`;
    }
    if (Array.isArray(message))
        return `[${message.map(brief).join('; ')}]`;
    if (message?.jsonrpc !== '2.0')
        return `no JSON-RPC: ${line}`;
    if ('method' in message)
        return message.method;
    return `${'id' in message ? JSON.stringify(message.id) : '-'} ${message.error ? message.error.code : 'result' in message ? 'ok' : 'neither'}`;
}

// What a response says: the first text of a result, after "error: " if it is one with isError; of an error its code
// and message.
export function summary(response) {
    if (!response)
        return '(no response)';
    if (response.error)
        return `${response.error.code} ${response.error.message}`;
    const text = response.result.content?.[0]?.text ?? '(no text)';
    return `${response.result.isError ? 'error: ' : ''}${text}`;
}

export class Server extends Program {
    #input; // the ends of its pipes that are ours
    #output;
    #sent = ''; // of a line that is not complete
    #written = Promise.resolve(true);
    #buffer = Buffer.alloc(0);
    #validator = new Validator();
    #recorded = true;
    #listed = false;
    #ids = 1000;
    #others = [];
    #usesEngine;
    #arrived = () => {}; // called when there is something to read, or the end

    constructor({ config, arguments: args = [], engine = true, fault, env = {}, ...options }) {
        const file = engine ? config && configFile(config) : configFile(config, BUILT_IN);
        const stdin = makeFifo('writing');
        const stdout = makeFifo('reading');
        const faulty = fault ? faultyDocker(fault) : { env: {} };
        super(isolatorMcp, [...file ? ['--config', file] : [], ...args], {
            ...options,
            stdin: stdin.reading,
            stdout: stdout.writing,
            env: {
                ...engine ? {} : { DOCKER_HOST: 'unix:///nonexistent/docker.sock' },
                ...faulty.env,
                ...env,
            },
        });
        closeSync(stdin.reading);
        closeSync(stdout.writing);
        this.calls = faulty.calls;
        this.#usesEngine = engine;
        this.#input = new net.Socket({ fd: stdin.writing, readable: false, writable: true });
        this.#output = new net.Socket({ fd: stdout.reading, readable: true, writable: false });
        this.#input.on('error', () => {}); // write() says so
        for (const event of ['readable', 'end', 'close', 'error'])
            this.#output.on(event, () => this.#arrived());
    }

    // ---- writing

    // Writes bytes, text as UTF-8. Resolves once the pipe has taken them all; false if the server has closed its end.
    write(data) {
        const bytes = Buffer.from(data);
        const lines = (this.#sent + bytes.toString()).split('\n');
        this.#sent = lines.pop();
        if (this.#recorded)
            lines.forEach((line) => this.#validator.sent(line));
        return this.writeUnrecorded(bytes);
    }

    // The same for what would be too much to keep: part of a string in a message.
    writeUnrecorded(bytes) {
        this.#written = new Promise((resolve) => { this.#input.write(bytes, (error) => resolve(!error)); });
        return this.#written;
    }

    // From now on nothing is validated.
    stopRecording() { this.#recorded = false; }

    // Sends a message: bytes, JSON text or what becomes it.
    send(message) {
        if (Buffer.isBuffer(message))
            return this.write(Buffer.concat([message, Buffer.from('\n')]));
        return this.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    }

    // Sends a request and returns its id.
    request(method, params, id = ++this.#ids) {
        this.send({ jsonrpc: '2.0', id, method, ...params === undefined ? {} : { params } });
        return id;
    }

    // Closes its stdin when all is written; `abandon`: at once.
    async closeInput({ abandon = false } = {}) {
        if (!abandon)
            await atMost(PATIENCE, this.#written);
        if (this.#sent && this.#recorded)
            this.#validator.sent(this.#sent);
        this.#sent = '';
        this.#input.destroy();
    }

    // Closes the end that its stdout is read from.
    closeOutput() { this.#output.destroy(); }

    // ---- reading

    // Takes what there is to read, waiting for it for some seconds. False at the end, or if nothing comes.
    async #fill(seconds) {
        if (seconds <= 0)
            return false;
        let chunk = this.#output.read();
        if (chunk === null && !this.#output.readableEnded && !this.#output.destroyed) {
            await atMost(seconds, new Promise((resolve) => { this.#arrived = resolve; }));
            chunk = this.#output.read();
        }
        if (chunk !== null)
            this.#buffer = this.#buffer.length ? Buffer.concat([this.#buffer, chunk]) : chunk;
        return chunk !== null;
    }

    // The next line without its newline; undefined at the end, or after some seconds.
    async line(seconds = PATIENCE) {
        const end = Date.now() + 1000 * seconds;
        let at;
        for (let searched = 0; (at = this.#buffer.indexOf(10, searched)) < 0;) {
            searched = this.#buffer.length;
            if (!await this.#fill((end - Date.now()) / 1000))
                return undefined;
        }
        const bytes = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + 1);
        return this.#recorded ? this.#validator.receivedBytes(bytes) : bytes.toString();
    }

    // All lines that come until the end.
    async rest() {
        const lines = [];
        for (let line; (line = await this.line()) !== undefined;)
            lines.push(line);
        return this.#buffer.length ? [...lines, `without newline: ${this.#buffer}`] : lines;
    }

    // The next message; {'no JSON': LINE} if it is none; undefined if none comes.
    async message(seconds) {
        const line = await this.line(seconds);
        try {
            return line === undefined ? undefined : JSON.parse(line);
        } catch {
            return { 'no JSON': line };
        }
    }

    // The response to the request with this id; undefined if it does not come within some seconds. Other messages are
    // put aside, see takeOthers().
    async response(id, seconds = PATIENCE) {
        const end = Date.now() + 1000 * seconds;
        const isResponse = (message) => !('method' in message) && encoded(message.id) === encoded(id);
        const at = this.#others.findIndex(isResponse);
        if (at >= 0)
            return this.#others.splice(at, 1)[0];
        for (let message; (message = await this.message((end - Date.now()) / 1000)) !== undefined;) {
            if (isResponse(message))
                return message;
            this.#others.push(message);
        }
        return undefined;
    }

    // The messages that were put aside so far.
    takeOthers() { return this.#others.splice(0); }

    // ---- conversations

    ask(method, params) { return this.response(this.request(method, params)); }

    // Sends lines and returns, as lines, all responses to them: what comes before the response to a ping after them.
    // Progress, which may come at any time, is put aside. The first list of tools waits for the engine, so one is
    // requested before any of these lines does.
    async responses(...lines) {
        if (!this.#listed && lines.some((line) => `${line}`.includes('tools/list'))) {
            this.#listed = true;
            await this.response(this.request('tools/list', {}, 'list'));
        }
        const ping = `ping ${++this.#ids}`;
        const responses = [];
        lines.forEach((line) => this.send(line));
        this.send({ jsonrpc: '2.0', id: ping, method: 'ping' });
        for (let line; (line = await this.line()) !== undefined;) {
            if (line === `{"jsonrpc":"2.0","id":"${ping}","result":{}}`)
                return responses;
            if (line.includes('"method":"notifications/progress"'))
                this.#others.push(JSON.parse(line));
            else
                responses.push(line);
        }
        return [...responses, 'nothing more: the server does not answer a ping'];
    }

    // The same as one string, each response in brief.
    async tell(...lines) { return (await this.responses(...lines)).map(brief).join(', '); }

    // The same as they are.
    async tellRaw(...lines) { return (await this.responses(...lines)).join(' '); }

    async initialize(version) {
        const response = await this.ask('initialize', { protocolVersion: version, capabilities: {},
            clientInfo: { name: 'raw pipe', version: '1' } });
        this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
        return response;
    }

    // Calls the tool and returns the id of the request. `token` asks for progress; the result has all members.
    call(args, { token, id } = {}) {
        return this.request('tools/call', { name: 'execute_code', arguments: args,
            _meta: { 'isolator/details': true, ...token === undefined ? {} : { progressToken: token } } }, id);
    }

    shell(code, options) { return this.call({ language: 'busybox', entrypoint_code: code, timeout_seconds: 900 }, options); }
    python(code, options) { return this.call({ language: 'python', entrypoint_code: code, timeout_seconds: 900 }, options); }

    // The response to such a call.
    async runShell(code, options) { return this.response(this.shell(code, options)); }
    async runPython(code, options) { return this.response(this.python(code, options)); }

    cancel(id) { return this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }); }

    // Waits for progress of this token whose message matches. What comes is put aside, that message last.
    async untilProgress(token, pattern) {
        const end = Date.now() + 1000 * PATIENCE;
        for (let message; (message = await this.message((end - Date.now()) / 1000)) !== undefined;) {
            this.#others.push(message);
            if (message.method === 'notifications/progress' && encoded(message.params.progressToken) === encoded(token) &&
                pattern.test(message.params.message))
                return message.params;
            if ('id' in message && !('method' in message))
                throw new Error(`no progress ${pattern} before a response: ${summary(message)}`);
        }
        throw new Error(`no progress ${pattern}`);
    }

    // ---- the process

    // A value of /proc/PID/status in MB, such as VmRSS or VmHWM; -1 if there is none.
    memory(name) {
        const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(contentOf(`/proc/${this.pid}/status`))?.[1];
        return kilobytes === undefined ? -1 : Math.floor(kilobytes / 1024);
    }

    // Waits until it has written something and has used no CPU time for two seconds.
    async untilIdle() {
        let before = '';
        let since = 0;
        return comesTrue(() => {
            const ticks = contentOf(`/proc/${this.pid}/stat`).replace(/.*\) /s, '').split(' ').slice(11, 13).join(' ');
            if (this.#output.readableLength === 0 || ticks !== before)
                since = Date.now();
            before = ticks;
            return Date.now() - since >= 2000;
        });
    }

    // Waits for its end: "exit N" or the name of the signal, with " after N s" if that took longer than these seconds.
    // Hosts give it 2 s; the rest is for a machine that is slow or stands still for a moment. What it must not wait
    // for takes a minute and more.
    async end(seconds = 12) {
        const began = Date.now();
        const how = await super.end();
        const took = (Date.now() - began) / 1000;
        return took <= seconds ? how : `${how} after ${took.toFixed(1)} s`;
    }

    // Closes its stdin and waits for its end.
    async close() {
        await this.closeInput();
        return this.end();
    }

    containers() { return containersOf(this.pid); }
    remainingContainers() { return remainingContainersOf(this.pid); }

    // What holds for each server at the end of its case.
    async check() {
        if (!this.hasEnded)
            is(await this.close(), 'exit 0', 'the server ends when its input does');
        if (!this.hasEnded) {
            this.signal('SIGKILL');
            await this.end();
        }
        if (this.#usesEngine)
            is(await this.remainingContainers(), [], 'the server leaves no container');
        this.#input.destroy();
        this.#output.destroy();
        is(this.#validator.faults, [], 'what the server writes fits the schema of its revision');
    }
}
