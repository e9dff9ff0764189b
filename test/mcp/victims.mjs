// Programs that a test kills at random instants, and what they have started.

import { readdirSync } from 'node:fs';
import { Program, contentOf } from './processes.mjs';

// A function that returns random numbers from 0 to 1 (xorshift32), the same for the same seed.
export function randomNumbers(seed) {
    let state = seed || 1;
    return () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) / 2 ** 32;
    };
}

let victims = 0;

export class Victim extends Program {
    constructor(command, args, options = {}) {
        const mark = `${process.pid}-${victims++}`;
        super(command, args, { ...options, env: { ...options.env, KILLS_VICTIM: mark } });
        this.mark = mark;
    }

    // The processes that it has started, its reaper among them, by the variable that they have inherited; `only`
    // "docker": its docker commands; "nothing": none.
    started(only) {
        return only === 'nothing' ? [] : readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) &&
            contentOf(`/proc/${pid}/environ`).split('\0').includes(`KILLS_VICTIM=${this.mark}`) &&
            (only !== 'docker' || /^[^\0]*(docker|podman)\0/.test(contentOf(`/proc/${pid}/cmdline`)))).map(Number);
    }

    // Kills it and what it has started; then what it was about to start.
    async kill(only) {
        const others = this.started(only);
        this.signal('SIGKILL');
        others.forEach(kill);
        this.killedAt = Date.now() / 1000;
        this.started(only).forEach(kill);
        await this.ended;
    }
}

function kill(pid) {
    try {
        process.kill(pid, 'SIGKILL');
    } catch {
        // it has ended by itself
    }
}
