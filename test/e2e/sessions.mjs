#!/usr/bin/env node
// Sessions from inside: what hostile cells do to their session and to others, what a session leaves when its server is
// killed, and that hundreds of calls leave nothing. How a client uses sessions is tested in mcp_sessions.mjs.

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { finish, is, note, ok, testCase, within } from '../mcp/cases.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';
import { containersOf, contentOf, until } from '../mcp/processes.mjs';

const CALLS = process.env.SOAK ? 1000 : 300;

async function start(sessions = {}, options = {}) {
    const server = await startServer({ config: { maxConcurrent: 4, maximums: { cpuSeconds: 60 }, sessions: { cpuSeconds: 3600, outputBytes: 1 << 30, ...sessions } },
        ...options });
    await server.initialize('2025-11-25');
    return server;
}

async function resultOf(server, id) {
    const response = await server.response(id);
    if (!response?.result?.structuredContent)
        throw new Error(`no result: ${summary(response)}`);
    return response.result.structuredContent;
}

// Opens a session; run() returns the structuredContent of a call, begin() the id of its request.
async function open(server, language, code, args = {}) {
    const first = await resultOf(server, server.call({ language, session: 'new', entrypoint_code: code, timeout_seconds: 300, ...args }));
    const begin = (next, more = {}, options = {}) =>
        server.call({ session: first.session, entrypoint_code: next, timeout_seconds: 300, ...more }, options);
    return { first, begin, run: async (next, more) => resultOf(server, begin(next, more)) };
}

const close = (server, { first }) => server.ask('tools/call', { name: 'close_session', arguments: { session: first.session } });

// ---- hostile cells

// Runs each [CODE, ARGUMENTS, EXPECTED] in a session of its own that has a variable and a file, and then looks what is
// left. EXPECTED: "REASON EXIT-CODE: ERROR", and whether the variable is left: "kept" or "lost".
async function checkCells(language, cells, { begin: prelude, look, left }) {
    const server = await start();
    for (const [code, args, expected, state] of cells) {
        const session = await open(server, language, prelude);
        const { reason, exitCode, error, stateKept, sessionEnded } = await session.run(code, { timeout_seconds: 20, ...args });
        is(`${reason} ${exitCode}: ${error}`, expected, code);
        is([stateKept, sessionEnded], [state === 'kept', null], `${code}: the state`);
        const { value, stdout } = await session.run(look);
        is([value, stdout], [left[state], ''], `${code}: what is left`);
        await close(server, session);
    }
}

const LOST = '; variables are lost, files are kept';
const KEPT = '; variables are kept';
const SOON = { timeout_seconds: 1 };
const LATE = 'the cell did not end within 1 s';
const NO_REPORT = 'the interpreter did not report how the cell ended; did the code change the interpreter itself?';

const PYTHON = {
    begin: 'left = 1\nopen("file", "w").write("kept")',
    look: '__import__("os").path.exists("file"), globals().get("left")',
    left: { kept: '(True, 1)', lost: '(True, None)' },
};

testCase('Python cells that end their interpreter', () => checkCells('python', [
    ['import os; os._exit(3)', {}, `exit 3: the cell exited with status 3${LOST}`, 'lost'],
    ['import os; os._exit(0)', {}, 'exit 0: null', 'lost'],
    ['import os; os.execvp("true", ["true"])', {}, 'exit 0: null', 'lost'],
    ['import os; os.execvp("sleep", ["sleep", "600"])', SOON, `timeout 137: ${LATE}${LOST}`, 'lost'],
    ['import os, signal; os.kill(os.getpid(), signal.SIGKILL)', {}, `signal 137: the cell was ended by signal SIGKILL${LOST}`, 'lost'],
    ['import ctypes; ctypes.string_at(0)', {}, `signal 139: the cell was ended by signal SIGSEGV${LOST}`, 'lost'],
    ['import os; os.closerange(3, 100); os.read(0, 1); os._exit(9)', {}, `exit 9: the cell exited with status 9${LOST}`, 'lost'],
    ['x = []\nwhile True: x.append(bytearray(1 << 20))', {}, `oom 137: the cell ran out of memory (limit 256 MB)${LOST}`, 'lost'],
    ['while True: pass', { cpu_seconds: 1 }, `cpu-time 137: the cell used more than 1 s of CPU time${LOST}`, 'lost'],
    ['while True: print("x" * 100000)', {}, `output-limit 137: the cell wrote more than 64 MiB to one stream${LOST}`, 'lost'],
    ['import os, signal; os.kill(os.getpid(), signal.SIGSTOP)', SOON, `timeout 137: ${LATE}${LOST}`, 'lost'],
    ['import os; os.close(5)\nos.open("/dev/null", os.O_WRONLY)', SOON, `timeout 137: ${LATE}${LOST}`, 'lost'],
    ['import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass', SOON, `timeout 137: ${LATE}${LOST}`, 'lost'],
], PYTHON));

testCase('Python cells that do not', () => checkCells('python', [
    ['import sys; sys.exit(3)', {}, 'exit 3: the cell exited with status 3', 'kept'],
    ['while True: pass', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['import time; time.sleep(600)', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['import asyncio\nawait asyncio.sleep(600)', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['class A:\n  def __repr__(self):\n    while True: pass\nA()', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['import subprocess\nsubprocess.Popen(["setsid", "sh", "-c", "trap : INT TERM; while :; do echo no; done"])', {}, 'exit 0: null', 'kept'],
    ['import threading\ndef f():\n  while True: pass\nthreading.Thread(target=f, daemon=True).start()\n' +
        'threading.Timer(0, lambda: 1 / 0)', {}, 'exit 0: null', 'kept'],
    ['import os, signal; os.kill(1, signal.SIGKILL); os.kill(1, signal.SIGTERM); os.kill(1, signal.SIGSTOP)', {}, 'exit 0: null', 'kept'],
    ['def f(): f()\nf()', {}, 'exception 1: the cell ended with RecursionError: maximum recursion depth exceeded', 'kept'],
    ['raise KeyboardInterrupt', {}, 'exception 1: the cell was interrupted', 'kept'],
    ['import sys; sys.stdout = sys.stderr = sys.stdin = None; any(map(sys.modules.pop, set(sys.modules) - {"sys", "os"}))', {}, 'exit 0: null', 'kept'],
    ['import os\nos.write(5, b"\\0%12d" % 2)\nfor i in range(200): os.write(5, b"x" * 100000)', {}, `exception 1: ${NO_REPORT}`, 'kept'],
    ['import os; os.write(5, b"\\0%12d{}{}" % 2)', {}, `exception 1: ${NO_REPORT}`, 'kept'],
    ['import os; os.write(5, b"x" * 10 + b"\\0%12d{}\\0" % 1)', {}, 'exit 0: null', 'kept'],
], PYTHON));

const JAVASCRIPT = {
    begin: 'const left = 1; require("fs").writeFileSync("file", "kept")',
    look: '[require("fs").existsSync("file"), typeof left]',
    left: { kept: "[ true, 'number' ]", lost: "[ true, 'undefined' ]" },
};

testCase('JavaScript cells', () => checkCells('javascript', [
    ['process.exit(3)', {}, 'exit 3: the cell exited with status 3', 'kept'],
    ['while (true) {}', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['await new Promise((settle) => setTimeout(settle, 600000))', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['({ [Symbol.for("nodejs.util.inspect.custom")]() { while (true) {} } })', SOON, `timeout 130: ${LATE}${KEPT}`, 'kept'],
    ['require("child_process").spawn("setsid", ["sleep", "600"], { detached: true }).unref()', {}, 'exit 0: null', 'kept'],
    ['throw null', {}, 'exception 1: the cell ended with object: null', 'kept'],
    ['process.kill(process.pid, "SIGKILL")', {}, `signal 137: the cell was ended by signal SIGKILL${LOST}`, 'lost'],
    ['process.on("SIGINT", () => {}); while (true) {}', SOON, `timeout 137: ${LATE}${LOST}`, 'lost'],
    ['process.abort()', {}, `signal 134: the cell was ended by signal SIGABRT${LOST}`, 'lost'],
], JAVASCRIPT));

testCase('what a cell leaves uses CPU time between calls only in a session with keep_processes, and it counts', async () => {
    const server = await start();
    const BURN = 'import os, subprocess, threading\ndef burn():\n  while True: pass\nthreading.Thread(target=burn, daemon=True).start()\n' +
        'subprocess.Popen(["python3", "-c", "import os\\nwhile os.times().user < 1: pass\\nopen(\'done\', \'w\')"])';
    const stopped = await open(server, 'python', BURN);
    const kept = await open(server, 'python', BURN.replace('threading.Thread', '#'), { keep_processes: true });
    let used = 0;
    await until(async () => {
        const { value, cpuMs } = await kept.run('os.path.exists("done")');
        used += cpuMs;
        return value === 'True';
    }, 'the process that is kept has used a second');
    within(used, 900, 60000, 'ms that count');
    const { value, cpuMs } = await stopped.run('os.path.exists("done")');
    is(value, 'False', 'the other one is gone');
    within(cpuMs, 0, 500, 'ms of the thread that is stopped between calls');
});

testCase('a fork bomb', async () => {
    const server = await start();
    const { run } = await open(server, 'python', PYTHON.begin);
    const bomb = await run('import os\nwhile True:\n  try: os.fork()\n  except OSError: pass', SOON);
    is(bomb.reason, 'timeout');
    const { value } = await run(PYTHON.look);
    is(value, PYTHON.left[bomb.stateKept ? 'kept' : 'lost'], 'what is left');
    const LOOK = 'import glob\nsum(") Z " not in open(path).read() for path in glob.glob("/proc/[1-9]*/stat"))';
    is((await run(LOOK)).value, '2', 'processes; children that the interpreter has not waited for are zombies');
});

testCase('what a cell says of itself is its own; what the supervisor says is not', async () => {
    const server = await start();
    const { run } = await open(server, 'python', 'import os, time');
    const { value, durationMs, stdout, stdoutBytes } = await run('print("real")\ntime.sleep(0.5)\n' +
        'os.write(5, b\'\\0%12d{"value": "forged", "cpuMs": 1, "stdout": "no", "exit": 0}\\0\' % 2)\ntime.sleep(600)');
    is([value, stdout, stdoutBytes], ['forged', 'real\n', 5], 'a report from within a cell ends it');
    ok(durationMs >= 500, 'its time', durationMs);
    const late = await run('"next"', SOON);
    is([late.reason, late.stateKept], ['timeout', true], 'the next one waits for the code of the first, which still runs');
    is((await run('"own"')).value, "'own'", 'what the driver reports of the first does not end another one');
    is((await run('os._exit(os.write(5, b\'\\0%12d{"exit": 0}\' % 5) and 7)')).exitCode, 7, 'an exit status');
    is((await run('"works on"')).value, "'works on'", 'the session');
});

testCase('files that cells leave in the way of later calls', async () => {
    const server = await start();
    const { run } = await open(server, 'python', 'import os\nos.mkfifo("fifo")\nopen("/dev/shm/target", "w").write("old")\n' +
        'os.symlink("/dev/shm/target", "link")\nos.symlink("/dev/shm", "directory")\nos.makedirs("full/deep")');
    const send = (filename, code) => run(code, { additional_files: [{ filename, content: 'new' }] });
    is((await send('fifo', 'open("fifo").read()')).value, "'new'", 'a FIFO');
    is((await send('link', 'open("link").read(), open("/dev/shm/target").read()')).value, "('new', 'old')", 'a link');
    const way = (path, why) => `cannot unpack '${path}' in the container: ${why}; remove what is in its place, such as a file of an earlier request, or send another name`;
    is((await send('directory/file', '1')).error, way('directory/file', 'Not a directory'), 'a link to a directory');
    is((await send('full', '1')).error, way('full', 'File exists'), 'a directory that is not empty');
    is((await run('os.listdir("/dev/shm"), os.listdir("directory")')).value, "(['target'], ['target'])", 'nothing leaves the working directory');
    const { artifacts } = await run('open("made", "w").write("1")', { artifacts: ['*'] });
    is(artifacts.map(({ name }) => name), ['made'], 'artifacts');
});

testCase('a working directory that is full', async () => {
    const server = await start();
    const { run } = await open(server, 'python', 'import os');
    const full = await run('with open("big", "wb") as f:\n  while True: f.write(b"x" * 1000000)');
    is(full.reason, 'exception');
    const refused = await run('1', { additional_files: [{ filename: 'more', content: 'x'.repeat(100000) }] });
    is([refused.reason, refused.stateKept], ['input', true], 'a file that does not fit');
    is((await run('os.remove("big"); "room"')).value, "'room'", 'the session works on');
    is((await run('len(open("more").read())', { additional_files: [{ filename: 'more', content: 'x'.repeat(100000) }] })).value, '100000');
});

// ---- others

testCase('two sessions and a call without one share nothing that a program can name', async () => {
    const server = await start();
    const HIDE = `import ctypes, os, socket, subprocess, tempfile
for directory in ("/workspace", "/tmp", "/dev/shm"): open(directory + "/secret", "w").write("secret")
os.environ["SECRET"] = "secret"
secret = "secret"
abstract = socket.socket(socket.AF_UNIX); abstract.bind("\\0secret"); abstract.listen()
tcp = socket.create_server(("127.0.0.1", 4242))
libc = ctypes.CDLL(None)
queue = libc.msgget(4242, 0o1666); memory = libc.shmget(4242, 4096, 0o1666)
child = subprocess.Popen(["sleep", "4242"])
print(queue >= 0, memory >= 0, os.getuid())`;
    const LOOK = `import ctypes, os, socket
def refused(family, address):
    try: socket.socket(family).connect(address)
    except OSError: return True
libc = ctypes.CDLL(None)
found = [path for directory in ("/workspace", "/tmp", "/dev/shm") for path in os.listdir(directory) if "secret" in path]
found += [pid for pid in os.listdir("/proc") if pid.isdigit() and b"4242" in open(f"/proc/{pid}/cmdline", "rb").read()]
found += [os.environ.get("SECRET"), globals().get("secret")]
found += [refused(socket.AF_UNIX, "\\0secret"), refused(socket.AF_INET, ("127.0.0.1", 4242))]
found += [libc.msgget(4242, 0), libc.shmget(4242, 0, 0)]
print(found, os.getuid())`;
    const NOTHING = '[None, None, True, True, -1, -1]';
    const one = await open(server, 'python', HIDE, { keep_processes: true });
    const [, queue, memory, user] = /^(\w+) (\w+) (\d+)\n$/.exec(one.first.stdout) ?? [];
    is([queue, memory], ['True', 'True'], 'it has left something');
    const seen = async (result, what) => {
        const [, found, other] = /^(.*) (\d+)\n$/.exec((await result).stdout) ?? [];
        is(found, NOTHING, what);
        ok(other !== user, `${what}: another user`, other);
    };
    const plain = () => resultOf(server, server.call({ language: 'python', entrypoint_code: LOOK, timeout_seconds: 300 }));
    const two = await open(server, 'python', '0');
    await seen(two.run(LOOK), 'another session');
    await seen(plain(), 'a call without a session');
    is((await one.run(LOOK)).stdout.startsWith("['secret', 'secret', 'secret', '"), true, 'itself');
    await close(server, one);
    await seen(two.run(LOOK), 'another session after the end');
    await seen((await open(server, 'python', '0')).run(LOOK), 'a session after the end');
    await seen(plain(), 'a call after the end');
});

testCase('when the server is killed, nothing is left of four busy sessions', async () => {
    const server = await start();
    const STUBBORN = 'trap "" HUP INT TERM QUIT; setsid sleep 4243 & while :; do sleep 0.1; done';
    const sessions = [
        [await open(server, 'python', '0'), 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass'],
        [await open(server, 'python', '0', { keep_processes: true }), 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass'],
        [await open(server, 'javascript', '0'), 'while (true) { console.log("x"); await new Promise((done) => setTimeout(done, 1)); }'],
        [await open(server, 'busybox', 'true'), STUBBORN],
    ];
    for (const [token, [session, code]] of sessions.entries()) {
        session.begin(code, {}, { token });
        await server.untilProgress(token, /^running; /);
    }
    const containers = await containersOf(server.pid);
    is(containers.length, 4, 'containers');
    const processes = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) &&
        containers.some((name) => contentOf(`/proc/${pid}/cmdline`).includes(name)));
    ok(processes().length >= 4, 'docker commands', processes());
    server.signal('SIGKILL');
    const killed = Date.now();
    is(await server.end(), 'SIGKILL');
    await until(async () => (await containersOf(server.pid)).length === 0, 'no container is left');
    note(`figures: nothing was left of four busy sessions ${(Date.now() - killed) / 1000} s after the server was killed`);
    await until(() => processes().length === 0, 'no docker command is left');
});

// ---- many calls

// What the server, and the container of a session, hold.
const serverHolds = (server) => ({ descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
    threads: Number(/^Threads:\s+(\d+)/m.exec(contentOf(`/proc/${server.pid}/status`))?.[1]) });

async function containerHolds({ first }) {
    const top = execFileSync('docker', ['top', first.container, '-eo', 'pid,rss,args'], { encoding: 'utf8' }).split('\n').slice(1).filter(Boolean)
        .map((line) => line.trim().split(/\s+/, 2).map(Number));
    const pids = top.map(([pid]) => pid);
    return { processes: pids.length, supervisorKilobytes: top[0][1], supervisorDescriptors: readdirSync(`/proc/${pids[0]}/fd`).length,
        interpreterKilobytes: top[1]?.[1] ?? 0, interpreterDescriptors: pids[1] ? readdirSync(`/proc/${pids[1]}/fd`).length : 0 };
}

const MANY = {
    python: ['import os\ncount = 0', 'count += 1; print("x" * 1000); open("file", "w").write(str(count)); count'],
    javascript: ['let count = 0; const fs = require("fs")', 'count++; console.log("x".repeat(1000)); fs.writeFileSync("file", `${count}`); count'],
    busybox: ['echo 0 >count', 'n=$(($(cat count) + 1)); echo $n | tee count; echo "$n $(yes | head -c 1000 | tr -d "\\n")" >file'],
};

for (const [language, [prelude, cell]] of Object.entries(MANY)) {
    const calls = language === 'python' ? CALLS : Math.ceil(CALLS / 5);
    testCase(`${calls} calls of ${language} in one session leave nothing`, async () => {
        const server = await start();
        server.stopRecording();
        const session = await open(server, language, prelude);
        const run = async (count) => {
            const times = [];
            for (let i = 0; i < count; i++) {
                const began = performance.now();
                const { reason, value, stdout } = await session.run(cell, { stdin: 'in\n', artifacts: i % 50 ? undefined : ['file'],
                    additional_files: [{ filename: 'sent', content: 'content' }] });
                times.push(performance.now() - began);
                if (reason !== 'exit')
                    throw new Error(`call ${i}: ${reason}`);
                session.last = value ?? stdout.trim();
            }
            return times.sort((a, b) => a - b);
        };
        const warming = Math.min(50, calls / 2);
        await run(warming);
        const before = { ...serverHolds(server), ...await containerHolds(session) };
        const memory = server.memory('VmRSS');
        const times = await run(calls - warming);
        const after = { ...serverHolds(server), ...await containerHolds(session) };
        is(session.last, `${calls}`, 'each ran once');
        const { descriptors, threads, supervisorKilobytes, interpreterKilobytes, ...exact } = after;
        is(exact, Object.fromEntries(Object.keys(exact).map((key) => [key, before[key]])), 'descriptors and processes in the container');
        within(descriptors - before.descriptors, -10, calls / 50 + 10, 'more descriptors in the server, which keeps artifacts');
        within(threads - before.threads, -8, 8, 'more threads');
        within(supervisorKilobytes - before.supervisorKilobytes, -10000, 64, 'kB more in the supervisor');
        within(interpreterKilobytes - before.interpreterKilobytes, -10000, 8192, 'kB more in the interpreter');
        within(server.memory('VmRSS') - memory, -100, process.env.ISOLATOR_SANITIZED ? 100 : 8, 'MB more in the server');
        note(`figures: a call in a session of ${language} took ${times[times.length >> 1].toFixed(1)} ms (median), ` +
            `${times[Math.floor(times.length * 0.95)].toFixed(1)} ms (95 %)`);
    });
}

await finish();
