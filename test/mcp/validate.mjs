// Checks a transcript of a connection with the server, read from stdin:
//
//     node test/mcp/validate.mjs REVISION <transcript
//
// A line "> MESSAGE" went to the server, a line "< MESSAGE" (or just MESSAGE) came from it. Lines that
// the client wrote may be garbage. REVISION is what legacy messages have until an initialize in the
// transcript agrees on another; requests of modern revisions name theirs.
//
// Prints each fault with its line's number and at last "N messages, N faults". Exit status: 0 without
// faults, 1 with some or where the server wrote nothing, 2 wrong usage.

import { readFileSync } from 'node:fs';
import { LEGACY, MODERN, Validator } from './validator.mjs';

function main(revision) {
    if (![...LEGACY, ...MODERN].includes(revision)) {
        console.error(`usage: validate.mjs REVISION <transcript; REVISION: ${[...LEGACY, ...MODERN].join(', ')}`);
        return 2;
    }
    const validator = new Validator(revision);
    let faults = 0;
    readFileSync(0, 'utf8').split('\n').forEach((line, index) => {
        const [, direction, message] = /^([<>] |)(.*)$/s.exec(line);
        if (direction === '> ') {
            validator.sent(message);
        } else if (message !== '') {
            for (const fault of validator.received(message)) {
                faults++;
                console.log(`line ${index + 1}: ${fault}: ${message.slice(0, 300)}`);
            }
        }
    });
    console.log(`${validator.messages} messages, ${faults} faults`);
    return faults || !validator.messages ? 1 : 0;
}

process.exitCode = main(process.argv[2]);
