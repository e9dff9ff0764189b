// Compares two JSON values on stdin and prints what was added (+), removed (-) and changed (~), each with its path. Exit status 1 if they differ.
'use strict';

function fail(message) {
    console.error(`json_diff: ${message}`);
    process.exit(2);
}

/** Where the first value of the text ends: JSON values that follow each other have no separator. */
function firstEnd(text) {
    let [depth, inString] = [0, false];
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (inString) {
            if (c === '\\') i++;
            else if (c === '"') inString = false;
        } else if (c === '"') inString = true;
        else if (c === '[' || c === '{') depth++;
        else if (c === ']' || c === '}') depth--;
        if (!inString && depth === 0 && /["\]}]/.test(c)) return i + 1;
        if (!inString && depth === 0 && /[^\s"\]}]/.test(c) && /^(\s|$)/.test(text.slice(i + 1, i + 2))) return i + 1;
    }
    return text.length;
}

const isBranch = (value) => value !== null && typeof value === 'object';
const has = (value, key) => Object.prototype.hasOwnProperty.call(value, key);
const show = (value) => JSON.stringify(value);
let differences = 0;

function say(line) {
    differences++;
    console.log(line);
}

function compare(before, after, path) {
    if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
        if (before !== after) say(`~ ${path || '$'}: ${show(before)} -> ${show(after)}`);
        return;
    }
    const below = (key) => Array.isArray(before) ? `${path}[${key}]` : /^\w+$/.test(key) ? `${path}.${key}` : `${path}[${show(key)}]`;
    for (const key of Object.keys(before)) {
        if (has(after, key)) compare(before[key], after[key], below(key));
        else say(`- ${below(key)}: ${show(before[key])}`);
    }
    for (const key of Object.keys(after)) if (!has(before, key)) say(`+ ${below(key)}: ${show(after[key])}`);
}

const text = require('fs').readFileSync(0, 'utf8').replace(/^\ufeff/, '').trim();
const end = firstEnd(text);
const values = [text.slice(0, end), text.slice(end)].map((part, i) => {
    try {
        return JSON.parse(part);
    } catch (error) {
        return fail(`the ${i === 0 ? 'first' : 'second'} value on stdin is no JSON: ${error.message}`);
    }
});
compare(...values, '');
if (differences === 0) console.log('no difference');
process.exitCode = differences === 0 ? 0 : 1;
