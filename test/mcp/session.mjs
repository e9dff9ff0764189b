// A connection of an official SDK client with a server process of its own, for one revision: the v1
// client for the revisions with a handshake, the v2 client for those without. All lines in both
// directions are recorded and validated.

import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { atCaseEnd, is } from './cases.mjs';
import { PATIENCE, containersOf, isolatorMcp, remainingContainersOf } from './processes.mjs';
import { LEGACY, Validator } from './validator.mjs';

// Where the engine is. Besides this the SDK passes on little more than PATH.
const ENGINE = ['XDG_STATE_HOME', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY'];
const INFO = { name: 'isolator-test', version: '1.0.0' };

// The v1 client asks for its newest revision. This one asks for another.
class ClientOf extends ClientV1 {
    constructor(revision, answer, elicitation) {
        super(INFO, answer && { capabilities: { elicitation } });
        this.revision = revision;
        if (answer)
            this.setRequestHandler(ElicitRequestSchema, answer);
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
        this.messages = []; // {sent, message}
        this.validator = new Validator();
        this.ended = new Promise((resolve) => {
            child.once('close', (code, signal) => resolve(signal ?? code));
        });
        this.rest = Buffer.alloc(0); // a line whose end has not come yet
        child.stdout.on('data', (chunk) => this.#take(chunk));
    }

    #take(chunk) {
        this.rest = Buffer.concat([this.rest, chunk]);
        for (let end; (end = this.rest.indexOf(10)) >= 0; this.rest = this.rest.subarray(end + 1))
            this.#record(false, this.validator.receivedBytes(this.rest.subarray(0, end)));
    }

    sent(line) {
        this.validator.sent(line);
        this.#record(true, line);
    }

    #record(sent, line) {
        let message;
        try {
            message = JSON.parse(line);
        } catch {
            message = {};
        }
        this.messages.push({ sent, message });
    }

    // The messages in one direction that the condition holds for.
    #find(sent, condition) {
        return this.messages.filter((entry) => entry.sent === sent && condition(entry.message)).map(({ message }) => message);
    }

    received(condition) { return this.#find(false, condition); }
    requested(condition) { return this.#find(true, condition); }

    containers() { return containersOf(this.pid); }
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

// Connects a client of the revision with a server that has this configuration. `mode`: how the v2 client finds the
// revision, "auto" or {pin}. `answer`: a function that answers the questions of the server to a person (elicitation); the
// client says that it can answer as `elicitation` has it. At the end of the case the connection is closed, and the server
// has to have ended by itself, to have left nothing and to have written nothing but what fits its schema.
export async function openSession(config, revision, mode = { pin: revision }, answer = undefined, elicitation = {}) {
    const session = new Session(config, revision, mode, answer, elicitation);
    atCaseEnd(() => session.close());
    await session.client.connect(session.transport, { timeout: 1000 * PATIENCE });
    return session;
}

class Session {
    constructor(config, revision, mode, answer, elicitation) {
        this.v1 = LEGACY.includes(revision);
        this.client = this.v1 ? new ClientOf(revision, answer, elicitation)
            : new ClientV2(INFO, { versionNegotiation: { mode }, ...answer && { capabilities: { elicitation } } });
        if (!this.v1 && answer)
            this.client.setRequestHandler('elicitation/create', answer);
        this.servers = []; // with the process that v2 probes with
        const env = Object.fromEntries(ENGINE.filter((name) => name in process.env).map((name) => [name, process.env[name]]));
        const parameters = { command: isolatorMcp, args: ['--config', config], env, stderr: 'inherit', servers: this.servers };
        this.transport = this.v1 ? new TransportV1(parameters) : new TransportV2(parameters);
    }

    get server() { return this.transport.server; }

    // Calls a tool with all of its params, or execute_code, or another, with arguments.
    callWith(params, options = {}) {
        const all = { timeout: 1000 * PATIENCE, ...options };
        return this.v1 ? this.client.callTool(params, undefined, all) : this.client.callTool(params, all);
    }

    call(args, options = {}, name = 'execute_code') {
        return this.callWith({ name, arguments: args }, options);
    }

    shell(code, args = {}, options = {}) {
        return this.call({ language: 'busybox', entrypoint_code: code, ...args }, options);
    }

    async close() {
        await this.client.close();
        for (const server of this.servers) {
            is(await server.ended, 0, 'the server exits with status 0');
            is(server.rest.toString(), '', 'its last line has a newline');
            is(await remainingContainersOf(server.pid), [], 'it leaves no container');
            is(server.validator.faults, [], 'what it writes fits the schema of its revision');
        }
    }
}

// How a call failed: "CODE MESSAGE" of the server's error; "no error" with the result if it did not.
export async function refusal(promise) {
    try {
        return `no error: ${JSON.stringify(await promise)}`;
    } catch (error) {
        return `${error.code} ${error.message.replace(/^MCP error -\d+: /, '')}`;
    }
}
