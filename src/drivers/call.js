// The driver of tests that call a function, for Node.js 16 and later. isolator lays it next to the program as isolator_call.cjs,
// and runs it in place of the program. What it is given and what it reports is the same as with call.py. A Map is a dictionary,
// a Set a set, undefined is null, and a promise is awaited.
//
// The program is a CommonJS module, whose function needs no export. The last lines of the module look for it, since they alone
// see its names. A program that is an ES module has to export it.
'use strict';
const fs = require('fs');
const path = require('path');
const Module = require('module');
const { pathToFileURL } = require('url');
const { inspect, types: { isNativeError } } = require('util');

class NoValue extends Error {}

const [file, name, owner] = process.argv.splice(2, 3);
const source = path.resolve(file);
process.argv[1] = source;

function plain(value) {
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'bigint') return { number: String(value) };
    if (typeof value === 'number') return Number.isFinite(value) ? value : { number: String(value) };
    if (typeof value !== 'object') throw new NoValue(`a ${typeof value} is or is in its value, which JSON does not have`);
    if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) return Array.from(value, plain);
    if (value instanceof Set) return { set: Array.from(value, plain) };
    const prototype = Object.getPrototypeOf(value);
    if (!(value instanceof Map) && prototype !== Object.prototype && prototype !== null) {
        throw new NoValue(`an object of type '${prototype.constructor?.name}' is or is in its value, which JSON does not have`);
    }
    const members = Object.create(null);
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    for (const [key, item] of entries) members[String(key)] = plain(item);
    if (Object.keys(members).length < entries.length) throw new NoValue('two keys of a Map are the same in JSON');
    return { dict: members };
}

async function load() {
    const module = new Module(source, null);
    module.filename = source;
    module.paths = Module._nodeModulePaths(path.dirname(source));
    const named = (one) => `typeof ${one} === 'undefined' ? undefined : ${one}`;
    const last = `\n;module.exports = [module.exports, ${named(name)}, ${named(owner || 'Solution')}];`;
    try {
        if (path.extname(source) !== '.mjs') {
            module._compile(fs.readFileSync(source, 'utf8') + last, source);
            return module.exports;
        }
    } catch (error) {
        if (!(error instanceof SyntaxError) || !/\b(?:import|export|await)\b/.test(error.message)) throw error;
    }
    const exported = await import(pathToFileURL(source));
    return [exported, exported[name], exported[owner || 'Solution']];
}

function find([exported, found, holder]) {
    const call = found ?? exported?.[name];
    const made = holder ?? exported?.[owner || 'Solution'];
    if (!owner && typeof call === 'function') return call;
    if (owner && typeof made !== 'function') throw new NoValue(`the program has no class '${owner}'`);
    if (typeof made !== 'function') throw new NoValue(`the program has no function '${name}'`);
    const one = new made();
    if (typeof one[name] !== 'function') throw new NoValue(`the class '${made.name}' of the program has no method '${name}'`);
    return one[name].bind(one);
}

function end(status, report) {
    let line = report ? Buffer.from(`${JSON.stringify(report)}\n`) : Buffer.alloc(0);
    while (line.length > 0) line = line.subarray(fs.writeSync(3, line));
    process.exit(status);
}

function show(error) {
    const text = isNativeError(error) ? error.stack : `Uncaught ${inspect(error)}`;
    const lines = String(text).split('\n').filter((line) => !/^ +at .*(?:isolator_call\.cjs|\(?node:)/.test(line));
    fs.writeSync(2, `${lines.join('\n')}\n`);
}

async function main() {
    const given = JSON.parse(fs.readFileSync('isolator_call.json', 'utf8'));
    fs.unlinkSync('isolator_call.json');
    let value;
    try {
        value = await find(await load())(...given);
    } catch (error) {
        if (error instanceof NoValue) end(1, { error: error.message });
        show(error);
        end(1, null);
    }
    let report;
    try {
        report = { value: plain(value) };
    } catch (error) {
        report = { error: error instanceof NoValue ? error.message : 'its value has too many levels' };
    }
    end(report.error ? 1 : 0, report);
}

main();
