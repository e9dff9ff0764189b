// Checks transcripts of connections with the server:
//
//     node test/mcp/validate.mjs TRANSCRIPT...
//
// A line "> MESSAGE" went to the server, a line "< MESSAGE" came from it. Lines that the client wrote may
// be garbage. Prints each fault with its place and at last "N messages, N faults". Exit status: 0 without
// faults, 1 with some or where no server wrote anything.

import { readFileSync } from 'node:fs';
import { Validator } from './validator.mjs';

let messages = 0;
let faults = 0;

function check(file) {
    const validator = new Validator();
    readFileSync(file, 'utf8').split('\n').forEach((line, index) => {
        const message = line.slice(2);
        if (line.startsWith('> '))
            validator.sent(message);
        for (const fault of line.startsWith('< ') ? validator.received(message) : []) {
            faults++;
            console.log(`${file}:${index + 1}: ${fault}: ${message.slice(0, 300)}`);
        }
    });
    messages += validator.messages;
}

process.argv.slice(2).forEach(check);
console.log(`${messages} messages, ${faults} faults`);
process.exitCode = faults || !messages ? 1 : 0;
