#!/usr/bin/env node
// The library of these tests, test/mcp/cases.mjs: a case that must fail fails and says why; --run, --list and --loops.

import { finish, is, matches, quickCase } from '../mcp/cases.mjs';
import { Program, contentOf, newPath, repository, until, writeFile } from '../mcp/processes.mjs';

// Runs a test program with this text: "STATUS|OUTPUT".
async function inner(text, args = [], env = {}) {
    const program = start(text, args, env);
    return `${(await program.end()).replace('exit ', '')}|${program.stdout()}${program.stderr()}`;
}

function start(text, args, env = {}) {
    const path = writeFile(`${newPath('inner')}.mjs`, `import * as cases from '${repository}/test/mcp/cases.mjs';
const { testCase, quickCase, ok, is, has, lacks, matches, within, withinMemory, note, atCaseEnd } = cases;
${text}
await cases.finish();
`);
    return new Program(process.execPath, [path, ...args], { env: { QUICK: undefined, ISOLATOR_SANITIZED: undefined, ...env } });
}

const THREE = `testCase('first [one]', () => is(1, 1));
quickCase('second', () => is(1, 1));
testCase('third', () => is(1, 1));`;

quickCase('cases pass', async () => {
    is(await inner(THREE), '0|ok 1 - first [one]\nok 2 - second\nok 3 - third\n# cases: 3, assertions: 3\n1..3\n');
});

quickCase('a failing assertion prints its place, its name and what it saw, and the case goes on', async () => {
    const said = await inner(`testCase('failing', async () => {
    is({ b: 1, a: [2] }, { a: [3], b: 1 }, 'objects');
    has('abc', 'd');
    lacks('abc', 'b', 'not a part');
    matches('abc', /d/);
    within(4, 1, 3, 'a range');
    ok(false, 'a condition', 'seen');
    withinMemory(0, 9);
    is('3', '3');
});`);
    is(said.replace(/inner-\d+/g, 'inner'), `1|not ok 1 - failing
# inner.mjs, line 4: objects
#   got:      {"a":[2],"b":1}
#   expected: {"a":[3],"b":1}
# inner.mjs, line 5
#   got:      abc
#   without:  d
# inner.mjs, line 6: not a part
#   got:      abc
#   with:     b
# inner.mjs, line 7
#   got:      abc
#   no match: /d/
# inner.mjs, line 8: a range
#   got:      4
#   expected: 1 to 3
# inner.mjs, line 9: a condition
#   got:      seen
# inner.mjs, line 10
#   got:      0
#   expected: 1 to 9
# cases: 1, assertions: 8
1..1
`);
});

quickCase('a case that throws fails, and so does one without an assertion; what comes at its end is still done', async () => {
    const said = await inner(`testCase('throwing', async () => {
    atCaseEnd(() => note('cleaned up'));
    is(1, 1);
    throw new Error('the reason');
});
testCase('empty', async () => {});
testCase('passing', async () => is(1, 1));`);
    matches(said, /^1\|# cleaned up\nnot ok 1 - throwing\n# Error: the reason\n# {5}at /);
    matches(said, /\nnot ok 2 - empty\n# the case made no assertion\nok 3 - passing\n# cases: 3, assertions: 2\n1\.\.3\n$/);
});

quickCase('--run selects cases by number or title, --list prints them', async () => {
    const numbersOf = async (...args) => [...(await inner(THREE, args)).matchAll(/^(?:\d\|)?ok (\d)/gm)].map(([, number]) => number).join(' ');
    is(await numbersOf('--run', '2'), '2');
    is(await numbersOf('--run', '1,3'), '1 3');
    is(await numbersOf('--run=2-3'), '2 3');
    is(await numbersOf('--run', 'SECOND'), '2', 'in any case');
    is(await numbersOf('--run', 'first [one]'), '1', 'brackets');
    is(await numbersOf('--run', 's*d'), '2', 'a glob');
    is(await inner(THREE, ['--list']), '0|     1\tfirst [one]\n     2\tsecond\n     3\tthird\n');
    matches(await inner(THREE, ['--run', 'fourth']), /^1\|Bail out! no case matches 'fourth'; .*--list shows all\n$/);
    matches(await inner(THREE, ['--nope']), /^2\|usage: .* \[--list\] \[--run NUMBER\|PATTERN\] \[--loops N\]\n$/);
    for (const args of [['--run'], ['--run='], ['--loops'], ['--loops=0'], ['--loops', 'x'], ['operand']])
        matches(await inner(THREE, args), /^2\|usage: /, args.join(' '));
});

quickCase('--loops runs the selected cases again until one fails', async () => {
    const second = 'ok 2 - second\n# cases: 1, assertions: 1\n1..1\n';
    is(await inner(THREE, ['--loops', '2', '--run', '2']), `0|# loop 1 of 2\n${second}# loop 2 of 2\n${second}`);
    const path = newPath('times');
    const once = `import { appendFileSync, readFileSync } from 'node:fs';
testCase('once', () => { appendFileSync('${path}', 'x'); is(readFileSync('${path}', 'utf8'), 'x'); });`;
    matches(await inner(once, ['--loops=9']), /^1\|# loop 1 of 9\nok 1 .*\n# .*\n1..1\n# loop 2 of 9\nnot ok 1 - once\n(# .*\n)+1..1\n$/);
});

quickCase('QUICK=1 runs only cases that need no engine; --run does not leave out what always runs', async () => {
    is(await inner(THREE, [], { QUICK: '1' }), '0|ok 2 - second\n# cases: 1, assertions: 1\n1..1\n');
    is(await inner(`${THREE}\ntestCase('last', { always: true }, () => is(1, 1));`, ['--run', '1']),
        '0|ok 1 - first [one]\nok 4 - last\n# cases: 2, assertions: 2\n1..2\n');
});

quickCase('an early case runs beside the others and is printed in its place', async () => {
    is(await inner(`let begun = false;
testCase('first', () => is(begun, true));
testCase('second', { early: true }, () => { begun = true; is(1, 2); });
testCase('third', () => is(1, 1));`).then((said) => said.replace(/^#.*\n/gm, '')), '1|ok 1 - first\nnot ok 2 - second\nok 3 - third\n1..3\n');
});

quickCase('a signal ends a test: it names the case, and programs that it has started end', async () => {
    const program = start(`import { Program } from '${repository}/test/mcp/processes.mjs';
testCase('waiting', async () => {
    is(1, 2, 'before');
    const child = new Program('sleep', ['600']);
    console.log('# child ' + child.pid);
    await child.end();
});`, []);
    await until(() => /^# child \d+\n/.test(program.stdout()), 'it has started a program');
    program.signal('SIGTERM');
    is(await program.end(), 'exit 143');
    matches(program.stdout(), /^# child \d+\nnot ok 1 - waiting\n# inner-\d+\.mjs, line \d+: before\n(.*\n)*# SIGTERM during this case\n$/);
    const pid = /child (\d+)/.exec(program.stdout())[1];
    await until(() => !/^\d+ \(sleep\) [^Z]/.test(contentOf(`/proc/${pid}/stat`)), 'the program is gone');
});

await finish();
