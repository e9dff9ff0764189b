// Test points in TAP. Expectations are literal; a failing assertion prints what it saw.

let tests = 0;
let failed = 0;

// The last test point may come late: nothing may follow the plan.
export function finish() {
    console.log(`1..${tests}`);
    process.exitCode = failed ? 1 : 0;
}

export function diag(text) {
    const shortened = text.length > 3000 ? `${text.slice(0, 1500)} ... ${text.slice(-1500)}` : text;
    for (const line of shortened.split('\n'))
        console.log(`# ${line}`);
}

// A test point that passes where `good` is true; returns it.
export function ok(good, name, seen) {
    tests++;
    failed += good ? 0 : 1;
    console.log(`${good ? '' : 'not '}ok ${tests} - ${name}`);
    if (!good && seen !== undefined)
        diag(`got:      ${shown(seen)}`);
    return good;
}

// Equal values: both as JSON, members in any order.
export function is(got, expected, name) {
    const good = ok(shown(got) === shown(expected), name);
    if (!good) {
        diag(`got:      ${shown(got)}`);
        diag(`expected: ${shown(expected)}`);
    }
    return good;
}

// The text matches the regular expression.
export function matches(text, pattern, name) {
    const good = ok(typeof text === 'string' && pattern.test(text), name);
    if (!good) {
        diag(`got:          ${JSON.stringify(text)}`);
        diag(`does not fit: ${pattern}`);
    }
    return good;
}

// Something thrown ends the part of the tests that it was thrown in, as a failure.
export async function part(name, run) {
    try {
        await run();
    } catch (error) {
        ok(false, `${name}: to the end`);
        diag(error.stack ?? String(error));
    }
}

function shown(value) {
    return typeof value === 'string' ? value : JSON.stringify(sorted(value)) ?? 'undefined';
}

function sorted(value) {
    if (Array.isArray(value))
        return value.map(sorted);
    if (value === null || typeof value !== 'object')
        return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}
