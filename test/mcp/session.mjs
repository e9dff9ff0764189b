// A connection of an official SDK client with a server process of its own, for one revision: the v1
// client for the revisions with a handshake, the v2 client for those without. All lines in both
// directions are recorded and validated.

import { execFileSync } from 'node:child_process';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { is } from './tap.mjs';
import { LEGACY, Validator } from './validator.mjs';

// Milliseconds that a client waits for an answer. Only a server that is wrong needs them.
const PATIENCE = 300000;
// Where the engine is. Beside this the SDK passes on little more than PATH.
const ENGINE = ['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY'];
const INFO = { name: 'isolator-test', version: '1.0.0' };

// The v1 client asks for its newest revision. This one asks for another.
class ClientOf extends ClientV1 {
    constructor(revision) {
        super(INFO);
        this.revision = revision;
    }

    request(request, ...rest) {
        if (request.method === 'initialize')
            request.params.protocolVersion = this.revision;
        return super.request(request, ...rest);
    }
}

// One server process: what went to it and came from it, and how it ended.
class Server {
    constructor(child) {
        this.pid = child.pid;
        this.lines = []; // {sent, text, message}
        this.faults = [];
        this.validator = new Validator();
        this.ended = new Promise((resolve) => {
            child.once('close', (code, signal) => {
                if (this.rest)
                    this.faults.push(`without end: ${this.rest}`);
                resolve(signal ?? code);
            });
        });
        this.rest = '';
        const decoder = new TextDecoder('utf-8', { fatal: true });
        child.stdout.on('data', (chunk) => this.#take(decoder.decode(chunk, { stream: true })));
    }

    #take(text) {
        const lines = (this.rest + text).split('\n');
        this.rest = lines.pop();
        for (const line of lines) {
            this.faults.push(...this.validator.received(line).map((fault) => `${fault}: ${line.slice(0, 300)}`));
            this.#record(false, line);
        }
    }

    sent(line) {
        this.validator.sent(line);
        this.#record(true, line);
    }

    #record(sent, text) {
        let message;
        try {
            message = JSON.parse(text);
        } catch {
            message = {};
        }
        this.lines.push({ sent, text, message });
    }

    // The messages in one direction that the condition holds for.
    find(sent, condition) {
        return this.lines.filter((line) => line.sent === sent && condition(line.message)).map((line) => line.message);
    }

    received(condition) { return this.find(false, condition); }
    requested(condition) { return this.find(true, condition); }

    // The names of its containers.
    containers() {
        const filter = `label=isolator.pid=${this.pid}`;
        return execFileSync('docker', ['ps', '-a', '--filter', filter, '--format', '{{.Names}}'], { encoding: 'utf8' })
            .split('\n').filter(Boolean);
    }
}

// The transports are the SDK's own, not subclasses, which the v2 client would not probe with on a
// second process. That process gets the parameters of the first, and so is recorded with it.
for (const { prototype } of [TransportV1, TransportV2]) {
    const { start, send } = prototype;
    prototype.start = async function () {
        await start.call(this);
        this.server = new Server(this._process);
        this._serverParams.servers.push(this.server);
    };
    prototype.send = function (message, ...rest) {
        this.server.sent(JSON.stringify(message));
        return send.call(this, message, ...rest);
    };
}

export class Session {
    // `mode`: how the v2 client finds the revision, "auto" or {pin}. `config`: the server's.
    constructor(program, config, revision, mode) {
        this.v1 = LEGACY.includes(revision);
        this.client = this.v1 ? new ClientOf(revision) : new ClientV2(INFO, { versionNegotiation: { mode } });
        this.servers = []; // with the process that v2 probes with
        const env = Object.fromEntries(ENGINE.filter((name) => name in process.env).map((name) => [name, process.env[name]]));
        const parameters = { command: program, args: ['--config', config], env, stderr: 'inherit', servers: this.servers };
        this.transport = this.v1 ? new TransportV1(parameters) : new TransportV2(parameters);
    }

    async open() {
        await this.client.connect(this.transport, { timeout: PATIENCE });
        return this;
    }

    get server() { return this.transport.server; }

    // Calls a tool with all of its params, or execute_code, or another, with arguments.
    callWith(params, options = {}) {
        const all = { timeout: PATIENCE, ...options };
        return this.v1 ? this.client.callTool(params, undefined, all) : this.client.callTool(params, all);
    }

    call(args, options = {}, name = 'execute_code') {
        return this.callWith({ name, arguments: args }, options);
    }

    shell(code, args = {}, options = {}) {
        return this.call({ language: 'busybox', entrypoint_code: code, ...args }, options);
    }

    // Ends the connection. The server has to have ended by itself and to have left nothing.
    async close(name) {
        await this.client.close();
        const statuses = await Promise.all(this.servers.map((server) => server.ended));
        is(statuses, this.servers.map(() => 0), `${name}: the server exits with status 0`);
        is(await settled(() => this.servers.flatMap((server) => server.containers())), [],
            `${name}: no container is left`);
        const messages = this.servers.reduce((sum, server) => sum + server.validator.messages, 0);
        is(this.servers.flatMap((server) => server.faults), [],
            `${name}: all ${messages} messages of the server fit its schema`);
    }
}

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// What the function returns once that is an empty list, or in the end.
export async function settled(list) {
    const end = Date.now() + PATIENCE;
    while (list().length && Date.now() < end)
        await pause(100);
    return list();
}

// Waits until the function returns something true.
export async function until(condition, what) {
    const end = Date.now() + PATIENCE;
    while (!condition()) {
        if (Date.now() > end)
            throw new Error(`waited in vain for ${what}`);
        await pause(20);
    }
}

// How a call failed: "CODE MESSAGE" of the server's error, "no error" with the result where it did not.
export async function refusal(promise) {
    try {
        return `no error: ${JSON.stringify(await promise)}`;
    } catch (error) {
        return `${error.code} ${error.message.replace(/^MCP error -\d+: /, '')}`;
    }
}
