// Named test cases, and assertions for them; writes TAP. A test program declares its cases and ends with
// finish(), which runs them:
//
//     testCase('a ping is answered', async () => {
//         const server = await startServer();
//         is(await server.ask('ping'), {});
//     });
//     await finish();
//
// A case is one test point. It fails if an assertion in it fails or if it throws. It goes on after a failed
// assertion, so that a failure shows all that is wrong.
//
// A case that needs no container engine is declared with quickCase(); `make check-quick` (QUICK=1) runs only these, with
// test/fixtures/docker-stand-in as docker.
//
//     --list         prints the number and the title of each case, and runs nothing
//     --run PATTERN  runs only some cases: by number (3, 2-5, 1,4), or those whose title contains PATTERN, which may be
//                    a glob; case does not matter
//     --loops N      runs them N times, each time in a new process, until one fails: to reproduce a failure that is rare

import { AsyncLocalStorage } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const cases = [];
const current = new AsyncLocalStorage();

// Declares a case. Options: `early`: it starts before all others and runs beside them, which suits a case that mostly
// waits; its result is still printed in the order of declaration. `always`: --run does not leave it out.
export function testCase(title, ...rest) {
    const run = rest.pop();
    const { early = false, always = false, quick = false } = rest.pop() ?? {};
    if (cases.some((other) => other.title === title))
        throw new Error(`two cases have the title '${title}'`);
    cases.push({ number: cases.length + 1, title, early, always, quick, run, assertions: 0, problems: [], cleanups: [] });
}

// Declares a case that needs no container engine.
export const quickCase = (title, run) => testCase(title, { quick: true }, run);

// Runs the function when the current case has ended, however it ended; the last one registered runs first.
export function atCaseEnd(cleanup) {
    caseNow().cleanups.unshift(cleanup);
}

// ---- assertions: each returns whether it holds; `what` says more than the title of the case does.

export function ok(good, what, ...seen) {
    caseNow().assertions++;
    if (!good)
        report(what, seen.map((value) => `got:      ${shown(value)}`));
    return Boolean(good);
}

// Strings are compared as they are, all else as JSON with the members of objects in any order.
export function is(got, expected, what) {
    return check(shown(got) === shown(expected), what, got, 'expected', shown(expected));
}

export function has(text, part, what) {
    return check(typeof text === 'string' && text.includes(part), what, text, 'without', part);
}

export function lacks(text, part, what) {
    return check(typeof text === 'string' && !text.includes(part), what, text, 'with', part);
}

export function matches(text, pattern, what) {
    return check(typeof text === 'string' && pattern.test(text), what, text, 'no match', String(pattern));
}

export function within(number, min, max, what) {
    return check(number >= min && number <= max, what, number, 'expected', `${min} to ${max}`);
}

// A peak of memory in MB. A sanitizer needs several times as much (make asan, make tsan), so that under one only
// the order of magnitude is checked.
export function withinMemory(megabytes, max, what) {
    return within(megabytes, 1, process.env.ISOLATOR_SANITIZED ? 4 * max + 128 : max, what);
}

function check(good, what, got, label, expected) {
    caseNow().assertions++;
    if (!good)
        report(what, [`got:      ${shown(got)}`, `${label}:`.padEnd(10) + expected]);
    return good;
}

function report(what, lines) {
    caseNow().problems.push(`${callerOfAssertion()}${what ? `: ${what}` : ''}`, ...lines.map((line) => `  ${line}`));
}

// JSON in one line; the members of objects by name.
export function encoded(value) {
    return JSON.stringify(sorted(value));
}

function shown(value) {
    return typeof value === 'string' ? value : encoded(value) ?? 'undefined';
}

function sorted(value) {
    if (Array.isArray(value))
        return value.map(sorted);
    if (value === null || typeof value !== 'object')
        return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function caseNow() {
    const testcase = current.getStore();
    if (!testcase)
        throw new Error('this stands outside of every case');
    return testcase;
}

// "FILE, line N" of the test that made the assertion; of this library, if it made it by itself.
function callerOfAssertion() {
    const frames = new Error().stack.split('\n').slice(1).filter((frame) => !frame.includes('/cases.mjs'));
    const frame = frames.find((line) => !/\/(processes|pipe_client)\.mjs/.test(line)) ?? frames[0];
    const [, file, line] = /([^/]+):(\d+):\d+\)?$/.exec(frame) ?? ['', 'an unknown place', '?'];
    return `${file}, line ${line}`;
}

// ---- running

// Prints more about a case that passes as well, such as figures. `make check` shows lines that begin with "figures: ".
export function note(text) {
    for (const line of text.split('\n'))
        console.log(`# ${line}`);
}

function cut(line) {
    return line.length > 3000 ? `${line.slice(0, 2000)} [...] ${line.slice(-1000)}` : line;
}

async function runCase(testcase) {
    const attempt = async (run) => {
        try {
            await run();
        } catch (error) {
            testcase.problems.push(...(error.stack ?? String(error)).split('\n'));
        }
    };
    await current.run(testcase, async () => {
        await attempt(testcase.run);
        while (testcase.cleanups.length)
            await attempt(testcase.cleanups.shift());
    });
    if (!testcase.assertions && !testcase.problems.length)
        testcase.problems.push('the case made no assertion');
}

function printResult({ number, title, problems }) {
    console.log(`${problems.length ? 'not ' : ''}ok ${number} - ${title}`);
    for (const line of problems.flatMap((problem) => problem.split('\n')))
        note(cut(line));
}

const OPTIONS = { list: { type: 'boolean' }, run: { type: 'string' }, loops: { type: 'string' } };

function parseCommandLine() {
    try {
        const { list, run, loops } = parseArgs({ options: OPTIONS }).values;
        if (run !== '' && /^[1-9]\d*$/.test(loops ?? '1'))
            return { list, pattern: run, loops: loops && Number(loops) };
    } catch {
        // an unknown option, an operand, or an option without its value
    }
    console.error(`usage: ${process.argv[1]} [--list] [--run NUMBER|PATTERN] [--loops N]`);
    process.exit(2);
}

function printList() {
    for (const { number, title } of cases)
        console.log(`${String(number).padStart(6)}\t${title}`);
}

// Runs this file so many times, until it fails. Returns the exit status.
function runLoops(loops, pattern) {
    for (let loop = 1; loop <= loops; loop++) {
        note(`loop ${loop} of ${loops}`);
        const args = [process.argv[1], ...(pattern === undefined ? [] : [`--run=${pattern}`])];
        const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
        if (status !== 0)
            return status ?? 1;
    }
    return 0;
}

// Whether --run PATTERN selects a case, as a function of the case.
function selection(pattern) {
    if (/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(pattern)) {
        const ranges = pattern.split(',').map((range) => range.split('-').map(Number));
        return ({ number }) => ranges.some(([first, last = first]) => first <= number && number <= last);
    }
    const glob = new RegExp(pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.'), 'i');
    return ({ title }) => title.toLowerCase().includes(pattern.toLowerCase()) || glob.test(title);
}

function selectCases(pattern) {
    const isSelected = pattern === undefined ? () => true : selection(pattern);
    const possible = cases.filter(({ quick }) => quick || !process.env.QUICK);
    if (pattern !== undefined && !possible.some(isSelected)) {
        console.log(`Bail out! no case matches '${pattern}'; ${process.argv[1]} --list shows all`);
        process.exit(1);
    }
    return possible.filter((testcase) => testcase.always || isSelected(testcase));
}

// Runs the cases that the command line selects, prints the plan and ends the process, with status 1 if a case failed.
export async function finish() {
    const { list, pattern, loops } = parseCommandLine();
    if (list)
        printList();
    if (list || loops)
        process.exit(list ? 0 : runLoops(loops, pattern));
    const selected = selectCases(pattern);
    let running;

    for (const [signal, status] of [['SIGHUP', 129], ['SIGINT', 130], ['SIGTERM', 143]]) {
        process.on(signal, () => {
            if (running)
                printResult({ ...running, problems: [...running.problems, `${signal} during this case`] });
            process.exit(status);
        });
    }
    for (const testcase of selected.filter(({ early }) => early))
        testcase.ended = runCase(testcase);
    for (const testcase of selected) {
        running = testcase;
        await (testcase.ended ?? runCase(testcase));
        printResult(testcase);
    }
    note(`cases: ${selected.length}, assertions: ${selected.reduce((sum, { assertions }) => sum + assertions, 0)}`);
    console.log(`1..${selected.length}`);
    process.exit(selected.some(({ problems }) => problems.length) ? 1 : 0);
}
