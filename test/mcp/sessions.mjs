// Sessions as a client of each revision sees them: variables and files that stay, values, exceptions, the end of a
// session; and what an analyst does.

import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { is, matches, ok, within } from './cases.mjs';
import { configFile, newPath, writeFile } from './processes.mjs';

const refusal = (advice = '') => ({ isError: true, content: [{ type: 'text',
    text: `Execution Failed (error): there is no such session: it was closed or never opened${advice}` }] });
const GONE = refusal('; open one with "session": "new"');

const KEPT = 'variables and files are kept';

// The parts of a text for a model: {failure, session, kept, stdout, stderr, value}.
export function partsOf({ content: [{ text }] }) {
    const [, failure, session, kept, rest] =
        /^(?:(Execution Failed .*)\n\n)?(?:session ([0-9a-f]{32}):? (.*)\n)?([^]*)$/.exec(text);
    const [output, ...sections] = rest.split(/^--- (\w+) ---\n/m);
    const parts = { failure, session, kept, output };
    for (let i = 0; i < sections.length; i += 2)
        parts[sections[i]] = sections[i + 1];
    return JSON.parse(JSON.stringify(parts)); // without those that are undefined
}

// Opens a session and returns its id.
export async function openedBy(session, known, args) {
    const result = await session.call({ session: 'new', timeout_seconds: 300, ...args });
    const parts = partsOf(result);
    matches(parts.session, /^[0-9a-f]{32}$/, 'the id in the text');
    if (known.structured)
        is(result.structuredContent.session, parts.session, 'the id in structuredContent');
    return { id: parts.session, parts };
}

function withoutMeta({ _meta, resultType, ...result }) {
    return result;
}

async function checkPython(session, known) {
    const { id, parts } = await openedBy(session, known, { language: 'python',
        entrypoint_code: 'import math\ntotal = 6 * 7\nopen("notes.txt", "w").write("kept")\ntotal' });
    is(parts, { session: id, kept: KEPT, output: '', value: '42\n',
        warnings: 'files written and not returned: notes.txt; to get them, give "artifacts": ["*.txt"]\n' }, 'it is opened');
    const run = (code, more = {}) => session.call({ session: id, entrypoint_code: code, ...more });
    is(partsOf(await run('print(total)\nopen("notes.txt").read()')),
        { session: id, kept: KEPT, output: '', stdout: '42\n', value: "'kept'" }, 'variables and files stay');
    is(partsOf(await run('math.sqrt(int(input()))', { stdin: '81\n', language: 'python' })),
        { session: id, kept: KEPT, output: '', value: '9.0' }, 'imports stay; stdin');
    const failing = await run('total = 43\n1 / 0');
    const { stderr, ...rest } = partsOf(failing);
    is([failing.isError, rest], [true, { failure: 'Execution Failed (error): the cell ended with ZeroDivisionError: division by zero',
        session: id, kept: KEPT, output: '' }], 'an exception');
    matches(stderr, /^Traceback \(most recent call last\):\n[^]*ZeroDivisionError: division by zero\n$/, 'its traceback');
    if (known.structured) {
        const { status, reason, exitCode, stateKept, sessionEnded, value } = failing.structuredContent;
        is([status, reason, exitCode, stateKept, sessionEnded, value], ['error', 'exception', 1, true, null, null], 'structuredContent');
    }
    is(partsOf(await run('total')).value, '43', 'the session goes on');
    return id;
}

async function checkJavaScript(session, known) {
    const { id, parts } = await openedBy(session, known, { language: 'javascript',
        entrypoint_code: 'const numbers = [1, 2, 3];\nawait Promise.resolve(numbers.length)' });
    is(parts, { session: id, kept: KEPT, output: '', value: '3' }, 'JavaScript: it is opened');
    is(partsOf(await session.call({ session: id, entrypoint_code: 'console.log(numbers[0]); numbers.map((n) => n * n)' })),
        { session: id, kept: KEPT, output: '', stdout: '1\n', value: '[ 1, 4, 9 ]' }, 'JavaScript: variables stay');
    return id;
}

export async function checkSessions(session, revision, known) {
    const ids = [await checkPython(session, known), await checkJavaScript(session, known)];
    is(partsOf(await session.shell('ls; cat notes.txt 2>&1', { timeout_seconds: 300 })).stdout.split('\n').length, 3,
        'a call without a session finds only its program');
    for (const id of ids) {
        is(withoutMeta(await session.call({ session: id }, {}, 'close_session')), { isError: false,
            content: [{ type: 'text', text: 'the session is closed; its files and variables are deleted' }] }, 'it is closed');
        const guessed = id.replace(/./g, () => randomInt(16).toString(16));
        for (const gone of [id, guessed]) {
            is(withoutMeta(await session.call({ session: gone, entrypoint_code: '1' })), GONE, 'a call of none');
            is(withoutMeta(await session.call({ session: gone, language: 'python', entrypoint_code: '1' })), GONE, 'likewise with a language');
            is(withoutMeta(await session.call({ session: gone }, {}, 'close_session')), refusal(), 'none is closed');
        }
    }
}

// ---- the analyst

const REGIONS = ['east', 'north', 'south', 'west'];

// A CSV file of 5 MB in a directory for inputs, and the sums that are in it.
export function writeSales() {
    const directory = newPath('inputs');
    const sums = Object.fromEntries(REGIONS.map((region) => [region, 0]));
    const lines = [];
    mkdirSync(directory);
    for (let size = 0, i = 0; size < 5e6; i++) {
        const amount = (i * 7919) % 10007;
        const line = `${REGIONS[i % 4]},${amount},${'x'.repeat(30)}\n`;
        sums[REGIONS[i % 4]] += amount;
        size += line.length;
        lines.push(line);
    }
    writeFile(`${directory}/sales.csv`, lines.join(''));
    return { directory, rows: lines.length, sums };
}

const LOAD = `import csv
from collections import Counter
rows = [(region, int(amount)) for region, amount, _ in csv.reader(open("sales.csv"))]
len(rows)`;
const GROUP = `sums = Counter()
for r, n in rows: sums[r] += n
csv.writer(open("sums.csv", "w")).writerows(sums.items())
sums`;
const PLOT = 'import matplotlib.pyplot as plt\nlen(plt.bar(sums.keys(), sums.values()))';

export const analystConfig = ({ directory }) => configFile({ inputsDir: directory,
    languages: { python: { image: 'isolator-test/plot:bookworm', timeoutSeconds: 300, cpus: 1 } } });

// An analyst names a large file, loads it, groups it, plots it, goes on with an artifact elsewhere, and closes.
export async function checkAnalyst(session, { rows, sums }) {
    const { id, parts } = await openedBy(session, { structured: true }, { language: 'python', entrypoint_code: LOAD,
        additional_files: [{ filename: 'sales.csv', uri: 'isolator://inputs/sales.csv' }] });
    is(parts.value, `${rows}`, 'the file is loaded');
    const run = (args) => session.call({ session: id, ...args });
    const grouped = await run({ entrypoint_code: GROUP, artifacts: ['sums.csv'] });
    const table = Object.entries(sums).map(([region, total]) => `${region},${total}\r\n`).join('');
    const [, value] = /^Counter\((.*)\)$/.exec(grouped.structuredContent.value) ?? [];
    is(JSON.parse(value?.replaceAll("'", '"') ?? '{}'), sums, 'it is grouped');
    const { resource } = grouped.content.find(({ type }) => type === 'resource') ?? {};
    is(resource?.text, table, 'the artifact');
    const plotted = await run({ entrypoint_code: PLOT });
    const picture = plotted.content.find(({ type }) => type === 'image');
    is([plotted.structuredContent.value, picture?.mimeType], ['4', 'image/png'], 'it is plotted');
    ok(Buffer.from(picture?.data ?? '', 'base64').subarray(1, 4).equals(Buffer.from('PNG')), 'the picture is one');
    const elsewhere = await session.call({ language: 'python', entrypoint_code: 'print(open("t.csv").read().split())',
        additional_files: [{ filename: 't.csv', uri: resource?.uri }] });
    is(elsewhere.content[0].text, `--- stdout ---\n['${table.trim().split('\r\n').join("', '")}']\n`,
        'a call outside of the session uses the artifact');
    is((await session.call({ session: id }, {}, 'close_session')).isError, false, 'the session is closed');
    const sizes = session.server.requested(({ method }) => method === 'tools/call').map((message) => JSON.stringify(message).length);
    is(sizes.length, 5);
    sizes.slice(1).forEach((size, i) => within(size, 100, 499, `bytes of call ${i + 2}`));
}
