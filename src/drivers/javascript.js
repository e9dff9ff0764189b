// The driver of a Node.js that stays: it runs one cell after the other in the global context, like Node's REPL.
// Runs with Node.js 16 and later, as `node -e TEXT`. The supervisor of the container starts it with these descriptors:
//
//   0     a file for the standard input of the cell, which the driver renews before each cell
//   1, 2  standard output and error, for the life of the interpreter
//   3     the file of 0, to be written
//   4     a pipe: for each cell a line with its number, its size and the size of its standard input, in 3 x 12 characters, and
//         then cell and input; the cell is one JSON object. End of file: the session is over
//   5     a pipe: after each cell a NUL, the number as it came, the report, which is one JSON object, and a NUL
//
// The cell: {"number": 3, "code": "...", "arguments": ["a"], "environment": {"NAME": "value"}, "value_max": BYTES} and, if it
// applies, "file" and "line", where the code begins in a file of the caller, for stacks; "names_max": BYTES of names for
// completion that the caller wants. The report: {"value": util.inspect() of the completion value, or null} and, if it applies,
// "value_cut": true; "exception": {"name", "message"}; "exit": STATUS; "interrupted": true (SIGINT ended the cell); "names": of
// variables, and "files": of the working directory. Output and errors go to the streams. The last value is also in the variable
// _, until a cell sets that.
//
// V8's inspector evaluates the code in its mode for REPLs: const, let and class may be declared again, and await works. A
// vm script around it makes SIGINT break synchronous code; a pending await is abandoned. A cell ends when its value has
// settled. Between cells the driver blocks in a read, so timers and I/O that are pending go on in the next cell.
// TypeScript is run without its types, where Node.js can strip them.
//
// A cell may do what it likes to the interpreter. If it breaks the driver, the interpreter ends; it must not hang.
(() => {
    'use strict';
    const fs = require('fs');
    const util = require('util');
    const { Script } = require('vm');
    const { Session } = require('inspector');
    const { Console } = require('console');
    const { Writable } = require('stream');
    const { promiseHooks } = require('v8');
    const { stripTypeScriptTypes: stripTypes } = require('module');

    const INPUT = 3, BEGIN = 4, ANSWER = 5, MESSAGE_MAX = 1000, SIGINT_MS = 20, DRAIN_MS = 50;
    const KEY = Symbol.for('isolator.driver');
    const IMPORT = '__isolator_import__';
    const { defineProperty } = Object;
    const { parse, stringify } = JSON;
    const { inspect, types: { isPromise, isNativeError } } = util;
    const { readSync, writeSync, ftruncateSync, closeSync, openSync, fstatSync, readdirSync, ReadStream } = fs;
    const drain = process._tickCallback; // runs the pending microtasks, unlike queueMicrotask() at once
    const end = process.reallyExit.bind(process);
    const ownModule = module;
    const nextTurn = setImmediate, setEvery = setInterval, clearEvery = clearInterval;

    let cell = null; // the one that runs: its request, and how it ends

    // ---- the inspector

    const session = new Session();
    session.connect();
    function post(method, parameters) {
        let result;
        session.post(method, parameters, (error, value) => { result = value; });
        return result;
    }

    // The inspector knows values by number only. To get one, it calls a function of the driver with it.
    let received;
    globalThis[KEY] = (value) => { received = value; };
    const receiver = post('Runtime.evaluate', { expression: "globalThis[Symbol.for('isolator.driver')]" }).result.objectId;
    delete globalThis[KEY];
    function valueOf(remote) {
        if (!remote.objectId && !remote.unserializableValue) return remote.value;
        const argument = remote.objectId ? { objectId: remote.objectId } : { unserializableValue: remote.unserializableValue };
        received = undefined;
        post('Runtime.callFunctionOn',
            { objectId: receiver, functionDeclaration: 'function (value) { this(value); }', arguments: [argument], silent: true });
        const value = received;
        received = undefined;
        return value;
    }

    // ---- SIGINT

    // The thread of Node that watches for SIGINT runs all the time, so that no signal is lost when a vm script starts or ends.
    // It breaks the vm script; if none runs, it notes the signal, and pendingSigint() says so.
    const watchdog = process.binding('contextify');
    watchdog.startSigintWatchdog();
    const pendingSigint = watchdog.watchdogHasPendingSigint;
    function forgetSigint() {
        process.removeAllListeners('SIGINT'); // of the cell before: they have replaced the handler
        watchdog.stopSigintWatchdog();
        watchdog.startSigintWatchdog();
    }

    // Calls the function; returns whether SIGINT broke it off. With a timeout, that ends it, and not an earlier SIGINT.
    const guard = new Script("globalThis[Symbol.for('isolator.driver')]()", { filename: '[eval]' });
    function interrupted(call, timeout) {
        const start = () => {
            delete globalThis[KEY];
            if (timeout || !pendingSigint()) call();
        };
        defineProperty(globalThis, KEY, { configurable: true, value: start });
        try {
            guard.runInThisContext({ breakOnSigint: true, displayErrors: false, timeout });
        } catch (error) {
            if (!/^ERR_SCRIPT_EXECUTION_(INTERRUPTED|TIMEOUT)$/.test(error?.code)) throw error;
            return true;
        }
        return pendingSigint();
    }

    // ---- import: code of the inspector cannot import, so a function of the driver does it

    let importModule;
    try {
        importModule = (0, eval)('(name, options) => import(name, options)');
    } catch {
        importModule = (name) => import(name); // before import attributes
    }
    async function importNames(specifier, options, names = []) {
        const module = await (options === undefined ? importModule(specifier) : importModule(specifier, options));
        for (const name of names) {
            if (!(name in module)) {
                throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);
            }
        }
        return module;
    }
    defineProperty(globalThis, IMPORT, { value: importNames });

    const parses = (code) => {
        try {
            return Boolean(new Script(`async () => {${code}\n}`));
        } catch {
            return false;
        }
    };

    // Replaces `import` of each import(...). V8 says what is code: in a string or a comment any word may stand, as the name
    // of a method no number.
    function replaceImports(code) {
        if (!/\bimport\s*\(/.test(code) || !parses(code)) return code;
        let done = '', rest = code;
        for (let found; (found = /\bimport(?=\s*\()/.exec(rest));) {
            const before = done + rest.slice(0, found.index), after = rest.slice(found.index + 'import'.length);
            const isCode = !parses(`${before}@@@@@@${after}`) && parses(`${before}(0)${after}`);
            done = before + (isCode ? IMPORT : 'import');
            rest = after;
        }
        return done + rest;
    }

    // Turns the import statements at the top of a cell into const statements with the same number of lines. Directives, as
    // 'use strict', may stand before them.
    const SPACE = /(?:[\s;]|\/\/.*|\/\*[^]*?\*\/|"[^"\\\n]*"|'[^'\\\n]*')*/y;
    const STATEMENT = new RegExp('import\\b\\s*(?:(?:([\\w$]+)\\s*(?:,\\s*|(?=\\s+from)))?(?:\\*\\s*as\\s+([\\w$]+)|\\{([^{}]*)\\})?' +
        '\\s*\\bfrom\\s*)?("[^"\\\\\\n]*"|\'[^\'\\\\\\n]*\')(?:\\s*\\b(?:with|assert)\\s*(\\{[^{}]*\\}))?[ \\t]*(?:;|(?=[\\r\\n]|//|/\\*|$))', 'y');
    function replaceStatements(code) {
        let done = '', at = 0;
        for (;;) {
            SPACE.lastIndex = at;
            const space = SPACE.exec(code)[0];
            STATEMENT.lastIndex = at + space.length;
            const found = STATEMENT.exec(code);
            if (!found) return done + code.slice(at);
            const [text, name, all, some, specifier, options] = found;
            const names = (some ?? '').split(',').map((item) => item.trim()).filter(Boolean).map((item) => item.split(/\s+as\s+/));
            if (name) names.unshift(['default', name]);
            const pattern = names.map(([key, variable]) => `${key}: ${variable ?? key}`).join(', ');
            const wanted = stringify(names.map(([key]) => key.replace(/^(["'])(.*)\1$/, '$2')));
            const module = `await ${IMPORT}(${specifier}, ${options ? `{with: ${options}}` : 'undefined'}, ${wanted})`;
            const declared = [...all ? [`${all} = ${module}`] : [], ...pattern ? [`{${pattern}} = ${all ?? module}`] : []];
            done += `${space}${declared.length ? `const ${declared.join(', ')}` : module};${text.replace(/[^\n]/g, '')}`;
            at = STATEMENT.lastIndex;
        }
    }

    // A cell that is an object in braces is no block, as in Node's REPL.
    const replaceBraces = (code) => (/^\s*\{[^]*\}\s*$/.test(code) && parses(`(${code})`) ? `(${code})` : code);

    // What is no JavaScript may be TypeScript: spaces replace its types, where Node.js can do that.
    function replaceTypes(code) {
        if (!stripTypes || parses(replaceBraces(replaceStatements(code)))) return code;
        const { emitWarning } = process;
        process.emitWarning = () => {}; // that this is experimental
        try {
            return stripTypes(code);
        } catch {
            return code;
        } finally {
            process.emitWarning = emitWarning;
        }
    }

    // ---- the streams

    // Writes at once and keeps no state, so that SIGINT can come at any time, and nothing is left at the end of a cell.
    // Node's own stream for a pipe can do neither.
    function writeAll(descriptor, bytes) {
        for (let written = 0; written < bytes.length;) {
            try {
                written += writeSync(descriptor, bytes, written);
            } catch (error) {
                if (error.code !== 'EAGAIN') throw error;
                Atomics.wait(pause, 0, 0, 1); // the cell has made the pipe non-blocking
            }
        }
    }
    const pause = new Int32Array(new SharedArrayBuffer(4));
    function outputStream(descriptor) {
        const stream = new Writable();
        const write = (chunk, encoding, callback) => {
            const done = typeof encoding === 'function' ? encoding : callback;
            const bytes = typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk;
            if (bytes) writeAll(descriptor, bytes);
            if (done) process.nextTick(done);
            return true;
        };
        const end = (chunk, ...rest) => {
            if (typeof chunk === 'function') process.nextTick(chunk);
            else write(chunk, ...rest);
            return stream; // it stays open
        };
        return Object.assign(stream, { fd: descriptor, write, end, destroy: () => stream });
    }
    const output = { stdout: outputStream(1), stderr: outputStream(2) };
    for (const name of ['stdout', 'stderr']) {
        defineProperty(process, name, { configurable: true, enumerable: true, writable: true, value: output[name] });
    }
    // The global console would send every message to the inspector too, which keeps it.
    globalThis.console = Object.assign(new Console(output), { Console });

    // ---- before and after a cell

    const isSame = (one, other) => one.dev === other.dev && one.ino === other.ino;
    const kept = [0, 1, 2].map((number) => {
        try {
            const copy = openSync(`/proc/self/fd/${number}`, number ? 'w' : 'r');
            return { number, path: `/proc/self/fd/${copy}`, status: fstatSync(copy) };
        } catch {
            return null;
        }
    });
    function restoreStreams() {
        for (const copy of kept) { // in order: what is opened gets the lowest number that is free
            if (!copy) continue;
            try {
                if (copy.number && isSame(fstatSync(copy.number), copy.status)) continue;
            } catch {
                // it was closed
            }
            try {
                closeSync(copy.number);
            } catch {
                // it was closed
            }
            openSync(copy.path, copy.number ? 'w' : 'r');
        }
        let stdin;
        defineProperty(process, 'stdin', {
            configurable: true,
            enumerable: true,
            get: () => (stdin ??= new ReadStream(null, { fd: 0, autoClose: false })),
        });
    }

    function setEnvironment(variables) {
        const before = Object.keys(variables).map((name) => [name, process.env[name]]);
        Object.assign(process.env, variables);
        return before;
    }
    // A variable that the cell itself has changed keeps its new value.
    function restoreEnvironment(variables, before) {
        for (const [name, value] of before) {
            if (process.env[name] !== variables[name]) continue;
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
    }

    // ---- how a cell ends

    const EXIT = new Error('process.exit() was called');
    const SIGINT = new Error('the cell was interrupted by SIGINT');
    process.exit = (code = process.exitCode) => {
        cell.report.exit ??= Number(code ?? 0) & 0xff;
        settle({});
        throw EXIT;
    };

    // The first outcome counts. The cell ends in the next turn of the event loop, so that a promise that it has rejected and
    // that nobody handles is told in this cell.
    function settle(outcome) {
        clearEvery(cell.timer);
        if (!cell.outcome) nextTurn(conclude);
        if (!cell.outcome || (outcome.failed && !cell.outcome.failed)) cell.outcome = outcome;
        else if (outcome.failed) interrupted(() => showError(outcome));
    }
    const fail = (error, details) => (error === EXIT ? settle({}) : settle({ failed: true, error, details }));

    // SIGINT may have broken off Node's own code. When an exception reaches this listener, Node puts its state in order.
    process.on('uncaughtException', (error) => {
        if (error === SIGINT) return;
        if (process.listenerCount('uncaughtException') > 1) return; // the cell has its own listener
        if (cell.running) fail(error);
        else interrupted(() => showError({ error }));
    });
    process.on('unhandledRejection', (error) => {
        if (process.listenerCount('unhandledRejection') > 1) return;
        if (cell.running) fail(error);
        else interrupted(() => showError({ error }));
    });
    process.on('beforeExit', () => {
        if (cell?.running) fail(new Error('the cell waits for a promise that nothing can settle: no timer and no I/O is pending'));
    });
    // Ends the cell if there was a SIGINT.
    function checkSigint(broken) {
        if (!broken && !pendingSigint()) return;
        cell.report.interrupted = true;
        settle({});
    }

    // The text of a value, in which errors are without the frames of the driver.
    function textOf(value) {
        return inspect(value).replace(/\n +at [^\n]*(?:\[eval\]|\(node:inspector)[^\n]*(?:\n +at (?!async )[^\n]*)*/g, '');
    }
    // Where the code declares a name that an earlier cell has declared, which V8 does not say: the text before it.
    function beforeDeclaration(code, message) {
        const name = /^Identifier '(.*)' has already been declared$/.exec(message)?.[1].replace(/\$/g, '\\$&');
        const found = name && [' +', '[^;]*?[^;\\w$]'].map((between) => new RegExp(`\\b(?:const|let|class|var|function|import)\\b${between}(?=${name}(?![\\w$]))`).exec(code));
        const first = found?.find(Boolean);
        return first && code.slice(0, first.index + first[0].length).split('\n');
    }
    function showError({ error, details }) {
        let text = textOf(error);
        if (details && !details.stackTrace && isNativeError(error) && error.name === 'SyntaxError') { // of the cell's own text
            const { name, code } = placed(cell.request);
            const { lineNumber, columnNumber } = details;
            const before = lineNumber || columnNumber ? null : beforeDeclaration(code, error.message);
            const number = before ? before.length - 1 : lineNumber;
            text = `${name}:${number + 1}\n${code.split('\n')[number] ?? ''}\n${' '.repeat(before ? before[number].length : columnNumber)}^\n\n${text}`;
        }
        output.stderr.write(`Uncaught ${text}\n`);
    }

    // At most so many bytes, cut at a character; lone surrogates and NUL are replaced.
    function bounded(text, max) {
        const bytes = Buffer.from(String(text).replace(/\0/g, '\\x00'));
        let size = Math.min(bytes.length, max);
        while (size < bytes.length && size > 0 && (bytes[size] & 0xc0) === 0x80) size--;
        return { text: bytes.toString('utf8', 0, size), cut: size < bytes.length };
    }

    function describe(outcome, report) {
        if (outcome.failed) {
            const isError = isNativeError(outcome.error);
            report.exception = { name: 'Error', message: '' };
            showError(outcome);
            report.exception.name = bounded(isError ? outcome.error.name : typeof outcome.error, MESSAGE_MAX).text;
            report.exception.message = bounded(isError ? outcome.error.message : inspect(outcome.error), MESSAGE_MAX).text;
        } else if (outcome.value !== undefined) {
            lastValue = outcome.value;
            const { text, cut } = bounded(textOf(outcome.value), cell.request.value_max);
            report.value = text;
            if (cut) report.value_cut = true;
        }
    }

    function conclude() {
        const { report, outcome } = cell;
        let broken = false;
        if (!report.interrupted) {
            broken = interrupted(() => {
                try {
                    describe(outcome, report);
                } catch (error) { // of the value's own code
                    describe({ failed: true, error }, report);
                }
            });
        }
        nextTurn(answer);
        if (broken) {
            report.interrupted = true;
            throw SIGINT;
        }
    }

    // The last value, as in Node's REPL: assigning to _ makes it a variable like any other.
    let lastValue;
    defineProperty(globalThis, '_', {
        configurable: true,
        get: () => lastValue,
        set: (value) => defineProperty(globalThis, '_', { configurable: true, enumerable: true, writable: true, value }),
    });

    // Names for completion: those of variables, and the files of the working directory.
    function addNames(report, size) {
        const scope = post('Runtime.globalLexicalScopeNames', {})?.names ?? [];
        const all = { names: [...scope, ...Object.getOwnPropertyNames(globalThis).reverse()], files: readdirSync('.') };
        for (const [member, names] of Object.entries(all)) {
            let left = size / 2;
            report[member] = names.filter((name) => !/^_|\0/.test(name) && (left -= Buffer.byteLength(name) + 4) >= 0);
        }
    }

    // The name and the text of the code: a cell has its own lines, one of a file those of the file.
    function placed({ number, code, file, line }) {
        return file === undefined ? { name: `<cell-${number}>`, code } : { name: file.replace(/\s/g, '_'), code: '\n'.repeat(line - 1) + code };
    }

    // ---- the cells

    function answer() {
        const { report, number } = cell;
        cell.running = false;
        if (report.interrupted) {
            delete report.exception;
            report.value = null;
            output.stderr.write(`Uncaught Error: ${SIGINT.message}\n`);
        }
        if (cell.request.names_max) {
            try {
                addNames(report, cell.request.names_max);
            } catch {
                // the directory was removed
            }
        }
        restoreEnvironment(cell.request.environment ?? {}, cell.environment);
        if (process.listenerCount('SIGINT')) forgetSigint();
        post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
        writeAll(ANSWER, Buffer.from(`\0${number}${stringify(report)}\0`));
        nextCell();
    }

    function nextCell() {
        const head = receive(39).toString();
        const request = parse(receive(Number(head.slice(13, 25))).toString());
        takeInput(Number(head.slice(26)));
        cell = { request, number: head.slice(0, 12), report: { value: null }, outcome: null, running: false };
        restoreStreams();
        process.argv = [process.execPath, 'cell', ...request.arguments ?? []];
        cell.environment = setEnvironment(request.environment ?? {});
        nextTurn(runCell); // timers that are due come first
    }

    // So many bytes of the pipe; ends if the session is over.
    function receive(size) {
        const bytes = Buffer.alloc(size);
        for (let at = 0; at < size;) {
            let got = 0;
            try {
                got = readSync(BEGIN, bytes, at, size - at, null);
            } catch (error) {
                if (error.code === 'EINTR') continue; // a signal; else a cell has closed the pipe
            }
            if (!got) end(0);
            at += got;
        }
        return bytes;
    }

    // Writes the standard input of the cell to its file.
    function takeInput(size) {
        ftruncateSync(INPUT, 0);
        for (let at = 0; at < size;) {
            const part = receive(Math.min(size - at, 65536));
            for (let done = 0; done < part.length;) done += writeSync(INPUT, part, done, part.length - done, at + done);
            at += part.length;
        }
    }

    function runCell() {
        const own = cell;
        own.running = true;
        if (pendingSigint()) forgetSigint();
        const { name, code } = placed(own.request);
        const expression = `${replaceImports(replaceBraces(replaceStatements(replaceTypes(code))))}\n//# sourceURL=${name}`;
        // The promise of the cell. If it were collected before it settles, V8 would call back during the collection and abort.
        // The callback below keeps it.
        let root;
        const evaluate = () => {
            const stop = promiseHooks.onInit((promise) => { root ??= promise; stop(); });
            session.post('Runtime.evaluate', { expression, replMode: true, objectGroup: 'cell' }, (error, result) => {
                root = null;
                if (cell === own) takeResult(own, error, result);
            });
            stop();
        };
        // In two steps: a SIGINT in the first one ends that, and must not be lost before the second.
        const broken = interrupted(evaluate) || interrupted(drain);
        checkSigint(broken);
        if (!own.outcome) own.timer = setEvery(checkSigint, SIGINT_MS, false).unref();
        if (broken) {
            interrupted(drain, DRAIN_MS); // what the cell has begun does not go on
            throw SIGINT;
        }
    }

    function takeResult(own, error, result) {
        if (error) {
            fail(new Error(error.message));
        } else if (result.exceptionDetails) {
            fail(valueOf(result.exceptionDetails.exception ?? result.result), result.exceptionDetails);
        } else {
            const value = valueOf(result.result);
            if (!isPromise(value)) settle({ value });
            else value.then((settled) => cell === own && settle({ value: settled }), (reason) => cell === own && fail(reason));
        }
    }

    nextTurn(() => {
        globalThis.module = ownModule; // Node has put the library of that name there
        globalThis.require.main = ownModule; // as for a program in a file
        nextCell();
    });
})();
