// Talks to the supervisor of a container, as isolator does (src/supervisor/protocol.h), for measurements.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { arch } from 'node:process';
import { docker, isolator } from './mcp/processes.mjs';

// The numbers of enum frame_type, read from the header, so that they cannot differ.
const header = readFileSync('src/supervisor/protocol.h', 'utf8');
const names = /enum frame_type \{(.*?)\}/s.exec(header)[1].match(/FRAME_\w+/g);
const TYPES = Object.fromEntries(names.map((name, index) => [name.slice('FRAME_'.length), index + 1]));

const MACHINES = { x64: 'x86_64', arm64: 'aarch64' };
const BOOTSTRAP = 'head -c "$1" >/.isolator/supervisor; chmod 0555 /.isolator/supervisor; exec /.isolator/supervisor "$2"';

export class SupervisorClient {
    #process;
    #received = Buffer.alloc(0);
    #waiting = []; // of next()
    #ended = false;
    #frames = [];

    // Starts a container with these options of docker run.
    constructor(options, image, workdir) {
        const program = readFileSync(join(dirname(isolator), 'supervisor', `${MACHINES[arch]}.elf`));
        this.#process = spawn(docker, ['run', '--rm', '-i', ...options, image, '/bin/sh', '-c', BOOTSTRAP, 'sh', String(program.length), workdir],
            { stdio: ['pipe', 'pipe', 'inherit'] });
        this.#process.stdout.on('data', (data) => this.#take(data));
        this.#process.on('close', () => {
            this.#ended = true;
            this.#waiting.splice(0).forEach(({ reject }) => reject(new Error('the container has ended')));
        });
        this.#process.stdin.write(program);
    }

    #take(data) {
        this.#received = Buffer.concat([this.#received, data]);
        while (this.#received.length >= 8 && this.#received.length >= 8 + this.#received.readUInt32LE(0)) {
            const end = 8 + this.#received.readUInt32LE(0);
            const frame = { type: this.#received[4], payload: this.#received.subarray(8, end) };
            this.#received = this.#received.subarray(end);
            if (this.#waiting.length > 0)
                this.#waiting.shift().resolve(frame);
            else
                this.#frames.push(frame);
        }
    }

    // The next frame that arrives.
    async next() {
        if (this.#ended && this.#frames.length === 0)
            throw new Error('the container has ended');
        return this.#frames.shift() ?? new Promise((resolve, reject) => { this.#waiting.push({ resolve, reject }); });
    }

    // The payload of the next frame of this type; what comes before it is ignored.
    async until(name) {
        for (;;) {
            const frame = await this.next();
            if (frame.type === TYPES[name])
                return frame.payload;
            if (frame.type === TYPES.FAILED)
                throw new Error(`the supervisor cannot run the program: ${frame.payload.subarray(8)}`);
        }
    }

    send(name, payload = Buffer.alloc(0)) {
        const start = Buffer.alloc(8);
        start.writeUInt32LE(payload.length);
        start[4] = TYPES[name];
        this.#process.stdin.write(Buffer.concat([start, payload]));
    }

    // Runs a program to its end, and makes the supervisor ready for another one. How long it ran, in milliseconds.
    async run(...words) {
        const limits = Buffer.alloc(72); // struct frame_run; no flags
        limits.writeBigUInt64LE(60000n, 0); // timer_ms
        limits.writeBigUInt64LE(60000n, 16); // linger_ms
        limits.writeBigUInt64LE(1n << 20n, 24); // output_max
        for (const word of words)
            this.send('ARGUMENT', Buffer.from(word));
        this.send('RUN', limits);
        this.send('STDIN_END');
        const end = await this.until('END');
        this.send('RESET');
        if (end.readUInt32LE(8) !== 0)
            throw new Error(`${words[0]} ended with status ${end.readUInt32LE(8)}`);
        return Number(end.readBigUInt64LE(16)) / 1000;
    }

    async end() {
        const ended = new Promise((resolve) => { this.#process.on('close', resolve); });
        this.#process.stdin.end();
        await ended;
    }
}
