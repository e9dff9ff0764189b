#!/usr/bin/env node
// The drivers of interpreters that stay (src/drivers): each starts here directly, without a container, with the descriptors
// that the supervisor gives it. DRIVER_PYTHON and DRIVER_NODE name other interpreters than those of the PATH.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { finish, has, is, lacks, matches, ok, quickCase, testCase } from '../mcp/cases.mjs';
import { repository } from '../mcp/processes.mjs';

const driver = (name) => readFileSync(`${repository}/src/drivers/${name}`, 'utf8');
// python3 may be a script that finds the interpreter anew each time (pyenv).
const python3 = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
const PYTHON = [process.env.DRIVER_PYTHON ?? python3, '-u', '-c', driver('python.py')];
const NODE = [process.env.DRIVER_NODE ?? process.execPath, '-e', driver('javascript.js')];

// Runs the cells, each a text or an object (test/fixtures/cells.py), one after the other in an interpreter of their own.
// Returns what came of each, and at last how the interpreter ended.
async function run(interpreter, cells) {
    const child = spawn(python3, [`${repository}/test/fixtures/cells.py`, ...interpreter], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = cells.map((cell, index) => ({ number: index + 1, ...typeof cell === 'string' ? { code: cell } : cell }));
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => { text += part; });
    child.stdin.on('error', () => {}); // the interpreter has ended before the last cell
    child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await new Promise((end) => { child.on('close', end); });
    return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}
const python = (...cells) => run(PYTHON, cells);
const node = (...cells) => run(NODE, cells);

// The values of the cells, one after the other; for a cell that an exception has ended, its name.
const valuesOf = (results) => results.slice(0, -1).map(({ report, ended }) => ended ?? report.exception?.name ?? report.value);

const pythonValues = async (...cells) => valuesOf(await python(...cells)).join('|');
const nodeValues = async (...cells) => valuesOf(await node(...cells)).join('|');

// Checks that SIGINT ends this cell, and that the next one finds the variables. `kept` is a cell that defines x.
async function checkInterrupt(interpreter, kept, code) {
    const [, cell, next] = await run(interpreter, [kept, { code, interrupt_at: 'started\n' }, 'x']);
    is(cell.report, { value: null, interrupted: true }, code);
    is(next?.report, { value: '5' }, `${code}: the variables`);
    return cell.stderr;
}
const pythonInterrupted = (code) => checkInterrupt(PYTHON, 'x = 5', code);
const nodeInterrupted = (code) => checkInterrupt(NODE, 'const x = 5', code);

// ---- Python

quickCase('Python: the value is the repr of the last expression, and variables stay', async () => {
    is(await pythonValues('x = 3', 'x', 'x; y = 1', 'None', "'a\\n' * 2", '# nothing', '', 'if x: 5'), "|3|||'a\\na\\n'|||");
    is(await pythonValues('import math\ndef f(n): return math.sqrt(n)\nclass A: pass', 'f(4), A.__name__, __name__'), "|(2.0, 'A', '__main__')");
    is(await pythonValues('sorted(name for name in globals() if not name.startswith("__"))'), '[]', 'no name of the driver');
});

quickCase('_ is the last value, unless a cell has a _ of its own', async () => {
    is(await pythonValues('6', '_ * 7', 'None', '_', 'for _ in range(3): pass', '9', '_'), '6|42||42||9|2', 'Python');
    is(await nodeValues('6', '_ * 7', 'undefined', '_', 'for (_ of [1, 2]); undefined', '9', '_'), '6|42||42||9|2', 'JavaScript');
    is(await nodeValues('6', 'const _ = 3', '_'), '6||3', 'JavaScript: const');
});

quickCase('names for completion, if the cell asks for them', async () => {
    for (const [interpreter, code] of [[PYTHON, 'my_value = 6; _hidden = 1'], [NODE, 'let my_value = 6; globalThis._hidden = 1; undefined']]) {
        const [none, all, few] = await run(interpreter, [code, { code: '', names_max: 60000 }, { code: '', names_max: 26 }]);
        is([none.report.names, none.report.files], [undefined, undefined], 'not asked for');
        ok(all.report.names.includes('my_value') && all.report.names.includes(interpreter === NODE ? 'Math' : 'print'), 'variables', all.report);
        ok(!all.report.names.some((name) => name.startsWith('_')), 'no hidden ones', all.report.names);
        ok(all.report.files.includes('README.md'), 'files', all.report.files);
        is(few.report.names, ['my_value'], 'variables come first, and no more than fit');
    }
});

quickCase('the lines of a file, of which a cell is a part', async () => {
    const file = { file: 'nb', line: 5 };
    const [, second, third] = await python({ code: 'def f():\n    1 / 0', ...file, line: 1 }, { code: '\nf()', ...file }, { code: '(', ...file, line: 9 });
    has(second.stderr.replace(/^[ ~^]+\n/gm, ''), 'File "nb", line 6, in <module>\n    f()\n  File "nb", line 2, in f\n    1 / 0\n', 'Python: both cells');
    has(third.stderr, 'File "nb", line 9', 'Python: a syntax error');
    const [, called, wrong] = await node({ code: 'function f() {\n  throw Error("no"); }', ...file, line: 1 }, { code: '\nf()', ...file }, { code: 'let let', ...file, line: 9 });
    has(called.stderr, 'at f (nb:2:9)\n    at nb:6:1\n', 'JavaScript: both cells');
    has(wrong.stderr, 'Uncaught nb:9\nlet let\n', 'JavaScript: a syntax error');
});

quickCase('Python: a value that is a picture', async () => {
    const picture = "class P:\n    def __init__(self, *data): self.data = data\n    def _repr_png_(self): return self.data[0]\n";
    const [one, broken, none] = await python(`${picture}P(b'\\x89PNG')`, 'P()', 'P(None)');
    is([one.report.figures, one.report.figures_omitted], [[{ type: 'image/png', data: 'iVBORw==' }], undefined]);
    has(broken.stderr, 'IndexError', 'one that fails');
    is([broken.report.figures, broken.report.figures_omitted], [[], 1], 'one that fails is left out');
    is([none.report.figures, none.report.figures_omitted], [[], undefined], 'None is no picture');
});

quickCase('Python: processes that were killed are forgotten before the next cell', async () => {
    const begin = 'import multiprocessing, os, signal, subprocess, time\ndef f(): time.sleep(100)\nfork = multiprocessing.get_context("fork")\n' +
        'for i in range(3):\n    fork.Process(target=f).start(); subprocess.Popen(["sleep", "100"])\n    os.fork() or os.execvp("sleep", ["sleep", "100"])\n' +
        'kept = subprocess.Popen(["sleep", "100"])\n' +
        'if os.fork() == 0: os._exit(7)\nos.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)\n';
    const kill = 'p = None\nfor pid in open("/proc/self/task/%d/children" % os.getpid()).read().split(): os.kill(int(pid), signal.SIGKILL)\ntime.sleep(0.5)';
    const left = 'len(open("/proc/self/task/%d/children" % os.getpid()).read().split()), kept.poll(), os.waitstatus_to_exitcode(os.wait()[1])';
    is(await pythonValues(begin + kill, left), '|(1, -9, 7)');
});

// A cell that kills all processes of the cells before it, as the supervisor does between two cells.
const KILL_ALL = `import os, signal, time
def read(path): # a thread may have ended
    try: return open(path).read()
    except OSError: return ""
def processes_of(pid):
    children = [int(child) for task in os.listdir("/proc/%s/task" % pid)
                for child in read("/proc/%s/task/%s/children" % (pid, task)).split()]
    return children + [one for child in children for one in processes_of(child)]
for pid in processes_of("self"): os.kill(pid, signal.SIGKILL)
time.sleep(0.3)`;

quickCase('Python: multiprocessing works again in the cells after one whose processes were killed', async () => {
    const use = 'queue = multiprocessing.Queue()\nwith multiprocessing.Pool(1) as pool: print(pool.map(abs, [-1]))';
    const results = await python(`import multiprocessing\nmultiprocessing.set_start_method("forkserver", force=True)\n${use}`, KILL_ALL, `${use}\nimport time\ntime.sleep(0.5)`, KILL_ALL,
        'with multiprocessing.Manager() as manager: print(manager.list([1]))\nfrom concurrent.futures import ProcessPoolExecutor\nprint(list(ProcessPoolExecutor(1).map(abs, [-1])))');
    is(results.map(({ stdout }) => stdout), ['[1]\n', '', '[1]\n', '', '[1]\n[1]\n', '']);
    is(results.slice(0, 4).map(({ stderr }) => stderr), ['', '', '', ''], 'the helpers of the library are not spoken of');
});

quickCase('Python: processes that end with their cell are told, and nothing waits for them', async () => {
    const begin = 'import multiprocessing, subprocess, time\npool = multiprocessing.get_context("fork").Pool(2)\nresult = pool.map_async(time.sleep, [60])\n' +
        'sleep = subprocess.Popen(["sleep", "100"])\nthread = multiprocessing.pool.ThreadPool(1)';
    const [first, killed, map, get, threads] = await python(begin, KILL_ALL, 'pool.map(abs, [-1])', 'result.get()', 'thread.map(abs, [-1])');
    matches(first.stderr, /^3 processes of this cell end with it \(python[0-9.]*, sleep\); in a session that is opened with keep_processes they go on\.\n$/);
    is(killed.stderr, '', 'they are told once');
    is([map, get].map(({ report }) => report.exception), [{ name: 'ValueError', message: 'Pool not running' },
        { name: 'RuntimeError', message: 'the pool ended with the cell that used it' }]);
    is(threads.report.value, '[1]', 'threads stay');
    const kept = await python({ code: begin, keeps_processes: true }, { code: 'pool.map(abs, [-1])', keeps_processes: true });
    is([kept[0].stderr, kept[1].report.value], ['', '[1]'], 'processes that stay');
    is(await pythonValues('import subprocess\nsubprocess.Popen(["true"]).wait()'), '0', 'one that has ended');
});

quickCase('Python: processes that are spawned and do not find what a cell defines are explained', async () => {
    const hint = "use multiprocessing.get_context('fork'), or import them from a file";
    const define = 'import multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor\ndef f(x): return x\nspawn = multiprocessing.get_context("spawn")\n';
    const [pool] = await python({ code: `${define}spawn.Pool(1).map(f, [1])`, interrupt_at: hint });
    is([pool.report.interrupted, pool.stderr.split(hint).length], [true, 2], 'a pool, which starts them again without end: at once, and one time');
    const late = 'import time\nmultiprocessing.context.SpawnProcess.terminate = lambda process: time.sleep(1)\n'; // its thread looks at the process after that
    const [executor, next] = await python(`${define}${late}list(ProcessPoolExecutor(1, spawn).map(f, [1]))`, 'list(ProcessPoolExecutor(1, spawn).map(abs, [-1]))');
    is([executor.report.exception.name, executor.stderr.split(hint).length], ['BrokenProcessPool', 2], 'an executor');
    is(next.report.value, '[1]', 'the next one');
    is(await pythonValues(`${define}list(ProcessPoolExecutor(1).map(f, [1]))`, 'with multiprocessing.Pool(1) as pool: r = pool.map(f, [2])\nr',
        'multiprocessing.get_start_method()'), "[1]|[2]|'fork'", 'forks find it, and are the default');
    is(await pythonValues(`import importlib.util, os, shutil, sys, tempfile
directory = tempfile.mkdtemp()
shutil.copytree(os.path.dirname(importlib.util.find_spec("multiprocessing").origin), directory + "/multiprocessing")
with open(directory + "/multiprocessing/context.py", "r+") as file:
    text = file.read().replace("DefaultContext(_concrete_contexts['fork'])", "DefaultContext(_concrete_contexts['forkserver'])")
    file.seek(0); file.write(text)
sys.path.insert(0, directory)
import multiprocessing
shutil.rmtree(directory)`, 'multiprocessing.get_start_method(), "_concrete_contexts[\'forkserver\']" in text'), "|('fork', True)", 'also where the library has another default');
});

quickCase('Python: what works in notebooks and not here is explained', async () => {
    const cells = [['>>> x = 1', 'without the prompts'], ['len?', 'Write help(len)'], ['?len', 'Write help(len)'], ['  x = 1\n  x', 'without indentation'],
        ['display(5)', 'as the last line of the cell, or print it'], ['import asyncio\nasync def f(): pass\ntry: c = f(); asyncio.create_task(c)\nfinally: c.close()', 'Write await'],
        ['input()', 'there are no more lines'], ['%time 5', 'for IPython only'], ['raise RuntimeError(5)', 'RuntimeError: 5\n'], ['x = (', 'never closed\n'], ['x', "name 'x' is not defined\n"]];
    const results = await python(...cells.map(([code]) => code));
    for (const [index, [code, hint]] of cells.entries()) has(`${results[index].stderr.split('\n').at(-2)}\n`, hint, code);
});

quickCase('JavaScript: require.main is module', async () => {
    is(await nodeValues('require.main === module'), 'true');
});

quickCase('Python: output comes before the report, in order', async () => {
    const [first, second] = await python('print("a")\nprint("b", end="")\n"c"', 'import sys; sys.stderr.write("d"); print("e")');
    is([first.stdout, first.report.value], ['a\nb', "'c'"]);
    is([second.stdout, second.stderr], ['e\n', 'd']);
});

quickCase('Python: a value is cut to value_max bytes at a character', async () => {
    const results = await python({ code: "'\u00e4' * 9", value_max: 6 }, { code: 'list(range(10**6))', value_max: 7 }, { code: '[1]', value_max: 3 },
        { code: 'dict.fromkeys(range(10**6))', value_max: 9 }, { code: "b'x' * 10**6", value_max: 3 });
    is(results[0].report, { value: "'\u00e4\u00e4", value_cut: true });
    is(results[1].report, { value: '[0, 1, ', value_cut: true });
    is(results[2].report, { value: '[1]' });
    is(results[3].report, { value: '{0: None,', value_cut: true });
    is(results[4].report, { value: "b'x", value_cut: true });
});

quickCase('Python: a value that is no text of JSON is replaced', async () => {
    is(await pythonValues('class A:\n  def __repr__(self): return "\\ud800\\0\u00e4"\nA()'), '\\ud800\\x00\u00e4');
});

quickCase('Python: an exception ends the cell with the traceback of the interpreter', async () => {
    const [, failed, next] = await python('def f(n):\n    return 1 / n', 'x = 1\nf(0)\nx = 2', 'x');
    is(failed.report, { value: null, exception: { name: 'ZeroDivisionError', message: 'division by zero' } });
    matches(failed.stderr, /^Traceback \(most recent call last\):\n {2}File "<cell 2>", line 2, in <module>\n {4}f\(0\)\n( {4}[~^]+\n)?/);
    matches(failed.stderr, /\n {2}File "<cell 1>", line 2, in f\n {4}return 1 \/ n\n( +[~^]+\n)?ZeroDivisionError: division by zero\n$/);
    lacks(failed.stderr, '<string>', 'no frame of the driver');
    is(next.report.value, '1');
});

quickCase('Python: a syntax error shows the line', async () => {
    const [failed] = await python('x = 1\nfoo bar');
    is(failed.report.exception.name, 'SyntaxError');
    matches(failed.stderr, /^ {2}File "<cell 1>", line 2\n {4}foo bar\n +\^+\nSyntaxError: invalid syntax\n$/);
    is(await pythonValues("'\\ud800'", 'x = 1\n  y', '5'), "'\\ud800'|IndentationError|5");
    for (const line of ['!ls', '%timeit 1', 'x = 1\n  %magic']) {
        const [{ stderr }] = await python(line);
        is(stderr.includes('\nLines that begin with % or ! are for IPython only; write subprocess.run([...]) or plain Python.\n'),
            !line.includes('x'), line);
    }
});

quickCase('Python: a long message is cut, and a message that raises is none', async () => {
    const results = await python('raise ValueError("\u00e4" * 3000)', 'class E(Exception):\n  def __str__(self): raise OSError\nraise E', 'raise E');
    is(results[0].report.exception, { name: 'ValueError', message: '\u00e4'.repeat(500) });
    is(results[1].report.exception, { name: 'E', message: '' });
    is(results[2].report.exception, { name: 'E', message: '' });
});

quickCase('Python: sys.exit() ends the cell alone', async () => {
    const results = await python('import sys; sys.exit(3)', 'sys.exit()', 'sys.exit("the reason")', 'raise SystemExit(256 + 7)', 'exit(True)', '5');
    is(results.slice(0, 6).map(({ report }) => report.exit), [3, 0, 1, 7, 1, undefined]);
    is([results[2].stderr, results[0].stderr], ['the reason\n', '']);
    is(results[5].report, { value: '5' });
});

quickCase('Python: top-level await runs on one event loop', async () => {
    is(await pythonValues('import asyncio\nasync def begin(): return asyncio.Queue()\nasync def put(): await asyncio.sleep(0.01); await q.put(7)\nq = await begin()',
        'task = asyncio.create_task(put())\nawait asyncio.sleep(0)', 'await q.get()', '[i async for i in (await asyncio.sleep(0, x) for x in (1, 2))]',
        'x = await asyncio.sleep(0, 4)\nx', 'asyncio.run(asyncio.sleep(0, 9))', 'await asyncio.sleep(0, 8)', 'x = await asyncio.sleep(0)'), '||7|[1, 2]|4|9|8|');
});

quickCase('Python: standard input is fresh for each cell and then ends', async () => {
    const results = await python({ code: 'input(), input()', stdin: 'a\nb\nc\n' }, { code: 'input()', stdin: 'd' }, 'input()',
        { code: 'import os, sys\nos.read(0, 9), sys.stdin.read()', stdin: 'e' }, { code: 'sys.stdin.close(); os.close(0)' }, { code: 'sys.stdin.read()', stdin: 'f' });
    is(valuesOf(results).join('|'), "('a', 'b')|'d'|EOFError|(b'e', '')||'f'");
});

quickCase('Python: arguments and variables are those of the cell', async () => {
    is(await pythonValues({ code: 'import os, sys\nsys.argv, os.environ["A"], os.environ["HOME"]', arguments: ['x', '-y'], environment: { A: '1', HOME: '/h' } },
        '(sys.argv, os.environ.get("A"), os.environ["HOME"] == "/h")', { code: 'os.environ["A"] = "own"', environment: { A: '2' } }, 'os.environ["A"]'),
    "(['cell', 'x', '-y'], '1', '/h')|(['cell'], None, False)||'own'");
});

testCase('Python: SIGINT ends what runs, and the variables stay', async () => {
    const text = await pythonInterrupted('print("started")\nwhile True: pass');
    matches(text, /^Traceback .*\n {2}File "<cell 2>", line [12], in <module>\n.*\n(.*\^.*\n)?KeyboardInterrupt\n$/);
    await pythonInterrupted('import time\nprint("started")\ntime.sleep(1000)');
    await pythonInterrupted('import threading\nprint("started")\nthreading.Event().wait()');
    await pythonInterrupted('import asyncio\nprint("started")\nwhile True: await asyncio.sleep(0)');
    await pythonInterrupted('class A:\n  def __repr__(self):\n    print("started")\n    while True: pass\nA()');
    await pythonInterrupted('import sys\nclass S:\n  def write(self, text): return len(text)\n  def flush(self):\n    sys.__stdout__.write("started\\n")\n    while True: pass\nsys.stdout = S()');
});

testCase('Python: SIGINT ends the text of an exception and its display', async () => {
    is(await pythonInterrupted('class E(Exception):\n  def __str__(self):\n    print("started")\n    while True: pass\nraise E'), '');
    const [, cell, next] = await python('import sys\ndef hook(*error):\n  print("started")\n  while True: pass\nsys.excepthook = hook',
        { code: '1 / 0', interrupt_at: 'started' }, '5');
    is([cell.report.exception.name, next.report.value], ['ZeroDivisionError', '5'], 'a hook');
});

quickCase('Python, JavaScript: a cell may begin with a byte order mark', async () => {
    is(await pythonValues('\ufeffx = 5\nx', '\ufeff', '"\ufeff" + x * "-"'), "5||'\\ufeff-----'");
    is(await nodeValues('\ufeffvar x = 5; x'), '5');
});

quickCase('Python: an exception that is false ends its cell nevertheless', async () => {
    is(await pythonValues('class Empty(Exception):\n  def __len__(self): return 0\nclass Neither(Exception):\n  def __bool__(self): return 1 / 0',
        'raise Empty', 'raise Neither', '5'), '|Empty|Neither|5');
});

testCase('Python: SIGINT cancels a pending await, and what it has to clean up runs', async () => {
    const text = await pythonInterrupted('import asyncio\nasync def wait():\n  try:\n    print("started")\n    await asyncio.sleep(1000)\n  finally:\n    print("cleaned up")\nawait wait()');
    has(text, 'KeyboardInterrupt');
    const [, cell, next] = await python('import asyncio', { code: 'print("started")\nawait asyncio.get_running_loop().create_future()', interrupt_at: 'started' },
        'await asyncio.sleep(0, 1)');
    is([cell.report.interrupted, next.report.value], [true, '1']);
});

testCase('Python: SIGINT in a callback of the event loop', async () => {
    await pythonInterrupted('import asyncio\ndef forever():\n  print("started")\n  while True: pass\nasyncio.get_running_loop().call_soon(forever)\nawait asyncio.sleep(1000)');
});

quickCase('Python: a cell that catches KeyboardInterrupt goes on', async () => {
    const [cell] = await python({ code: 'try:\n  print("started")\n  while True: pass\nexcept KeyboardInterrupt:\n  x = 7\nx', interrupt_at: 'started' });
    is(cell.report, { value: '7' });
});

testCase('Python: SIGINT between two cells is ignored, also with a handler of the cell before', async () => {
    is(await pythonValues('x = 1', { code: 'x', idle_signal: 2 }, 'import signal; signal.signal(2, lambda *a: 1 / 0) and None', { code: 'x + 1', idle_signal: 2 }), '|1||2');
    is(await pythonValues('import signal\ndef late(*a): raise TimeoutError\nsignal.signal(signal.SIGALRM, late); x = 2', { code: 'x', idle_signal: 14 }, 'x'), '|TimeoutError|2', 'another signal comes in the next cell');
});

const PYPLOT = (broken = -1) => `import sys, types
m, plt = types.ModuleType('matplotlib'), types.ModuleType('matplotlib.pyplot')
open_figures, closed = [1, 2, 3], []
class Figure:
    def __init__(self, number): self.number = number
    def savefig(self, file, format, bbox_inches):
        if self.number == ${broken}: raise ValueError('broken figure')
        file.write(b'%s %d' % (format.encode(), self.number))
plt.get_fignums, plt.figure = lambda: open_figures, Figure
def close(what):
    closed.append(what)
    open_figures.clear()
plt.close = close
sys.modules['matplotlib'], sys.modules['matplotlib.pyplot'] = m, plt`;
const figure = (number) => ({ type: 'image/png', data: Buffer.from(`png ${number}`).toString('base64') });

quickCase('Python: figures that are open at the end come with the report and are closed', async () => {
    const results = await python(PYPLOT(), 'closed', 'open_figures.append(4); 1 / 0');
    is(results[0].report, { value: null, figures: [figure(1), figure(2), figure(3)] });
    is(results[1].report, { value: "['all']" });
    is([results[2].report.exception.name, results[2].report.figures], ['ZeroDivisionError', [figure(4)]]);
});

testCase('Python: figures that do not fit or cannot be made are counted', async () => {
    const [small] = await python({ code: PYPLOT(), figures_max: 17 });
    is(small.report, { value: null, figures: [figure(1), figure(2)], figures_omitted: 1 });
    const [broken, next] = await python(PYPLOT(2), 'closed');
    is(broken.report, { value: null, figures: [figure(1), figure(3)], figures_omitted: 1 });
    has(broken.stderr, 'ValueError: broken figure');
    is(next.report.value, "['all']");
});

testCase('Python: streams that a cell has closed or replaced are there again', async () => {
    const results = await python('import os; os.close(1); os.close(2)', 'print("a"); 1', 'import sys; sys.stdout.close()', 'print("b")', 'os.dup2(os.open("/dev/null", 1), 1); print(5)',
        'print("c")', 'import io; sys.stdout = io.StringIO()', 'print("d"); sys.stdout.getvalue()', 'del sys.stdout', 'print("e")');
    is(results.slice(0, 10).map(({ stdout }) => stdout).join('|'), '|a\n||b\n||c\n||||e\n');
    is(results[7].report.value, "'d\\n'");
});

testCase('Python: the driver needs nothing that a cell can take away', async () => {
    is(await pythonValues('import sys, os, json, builtins\nfor name in ("len", "repr", "isinstance", "eval", "compile", "getattr", "print", "str", "type"): delattr(builtins, name)\njson.dumps = json.loads = os.write = os.read = os.environ = None\n__builtins__ = 1\n5',
        '6'), '5|6');
    is(await pythonValues('import sys; sys.modules.clear()', '1 + 1', '1 / 0', '3'), '|2|ZeroDivisionError|3');
    is(await pythonValues('import sys; sys.setrecursionlimit(70)\nx = [1]', 'def f(): return f()\nf()', 'x', 'globals().clear()', '5'), '|RecursionError|[1]||5');
    is(await pythonValues('def f(): f()\nf()', '2'), 'RecursionError|2');
});

testCase('Python: exceptions and values that fight back', async () => {
    is(await pythonValues('class E(Exception):\n  with_traceback = None\n  __traceback__ = property(lambda self: 1 / 0)\nraise E', 'class M(type):\n  __name__ = property(lambda self: 1 / 0)\nclass F(Exception, metaclass=M): pass\nraise F',
        'class R:\n  def __repr__(self): raise OSError\nR()', 'class S:\n  def __repr__(self): return 5\nS()', '5'), 'E|Exception|OSError|TypeError|5');
    const [hook, next] = await python('import sys\ndef hook(*a): print("hooked", a[0].__name__)\nsys.excepthook = hook\n1 / 0', 'sys.excepthook = 5; 1 / 0');
    is([hook.stdout, hook.stderr], ['hooked ZeroDivisionError\n', '']);
    has(next.stderr, 'ZeroDivisionError: division by zero');
});

testCase('Python: a cell that ends its process', async () => {
    is((await python('import os; os._exit(4)', '5')).map(({ ended }) => ended).join(), 'exit 4');
    is((await python('import os; os.kill(os.getpid(), 9)')).map(({ ended }) => ended).join(), 'signal 9');
    is((await python('import os; os.execv("/bin/sh", ["sh", "-c", "exit 6"])'))[0].ended, 'exit 6');
    is((await python('import os; os.close(4); os.close(5)', '5'))[0].ended, 'exit 1');
});

testCase('Python: a child that goes on in the cell is not the interpreter', async () => {
    const [forked, next] = await python('import os\npid = os.fork()\nif not pid: print("child")\nelse: status = os.waitpid(pid, 0)[1]\npid', 'status, pid > 0');
    is(forked.stdout, 'child\n');
    ok(forked.report.value !== '0', 'the value is that of the parent', forked.report.value);
    is(next.report.value, '(0, True)');
    is(await pythonValues('import os, sys\npid = os.fork()\nif not pid: sys.exit(9)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 9'), '9');
});

testCase('Python: threads do not keep the session from ending', async () => {
    const results = await python('import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\n5');
    is([results[0].report.value, results[1].ended], ['5', 'exit 0']);
});

testCase('Python: an import from __future__ holds for the cells after it', async () => {
    is(await pythonValues('from __future__ import annotations', 'def f(x: nonsense): pass\nf.__annotations__'), "|{'x': 'nonsense'}");
});

testCase('Python: inspect finds the source of a function', async () => {
    is(await pythonValues('def f():\n    return 5', 'import inspect', 'inspect.getsource(f)'), "||'def f():\\n    return 5\\n'");
});

testCase('Python: children of a cell have none of the descriptors of the driver', async () => {
    is(await pythonValues('import os, subprocess\nsubprocess.run(["sh", "-c", "ls /proc/self/fd | tr \'\\n\' \' \'"], close_fds=False, stdout=subprocess.PIPE).stdout'), "b'0 1 2 3 '");
});

// ---- JavaScript

quickCase('JavaScript: the value is that of the last statement, and variables stay', async () => {
    is(await nodeValues('x = 3', 'x', 'let y = 1', 'undefined', 'null', "'a\\n'", '// nothing', '', 'if (x) { 5 }', '({ a: [1n, -0, NaN] })', 'y + x'),
        "3|3|||null|'a\\n'|||5|{ a: [ 1n, -0, NaN ] }|4");
    is(await nodeValues('const os = require("os"); function f(n) { return n + 1 } class A {}', '[f(1), A.name, typeof os.EOL, typeof module, this === globalThis]'),
        "|[ 2, 'A', 'string', 'object', true ]");
});

quickCase('JavaScript: const, let and class may be declared again', async () => {
    is(await nodeValues('const x = 1, f = () => x; class A {}', 'const x = 2; class A { b() {} }', '[x, f(), typeof new A().b]', 'let y = 5', 'let y = 6; y'), "||[ 2, 2, 'function' ]||6");
});

quickCase('JavaScript: output comes before the report, in order', async () => {
    const [first, second] = await node('console.log("a"); process.stdout.write("b"); console.error("c"); "d"',
        'let called = 0; process.stdout.write("e", () => { called++ }); process.stdout.end("f"); console.log("x".repeat(300000)); [called]');
    is([first.stdout, first.stderr, first.report.value], ['ab'.replace('a', 'a\n'), 'c\n', "'d'"]);
    is([second.stdout.length, second.report.value], [300003, '[ 0 ]']);
});

quickCase('JavaScript: a value is cut to value_max bytes at a character', async () => {
    const results = await node({ code: "'\u00e4'.repeat(9)", value_max: 6 }, { code: '[1]', value_max: 5 }, 'new Array(1e6).fill(7)', '"\\ud800\\0"');
    is(results[0].report, { value: "'\u00e4\u00e4", value_cut: true });
    is(results[1].report, { value: '[ 1 ]' });
    matches(results[2].report.value, /^\[\n {2}7, 7, [^]*\n {2}... 999900 more items\n\]$/);
    is(results[3].report, { value: "'\\ud800\\x00'" });
});

quickCase('JavaScript: an exception ends the cell, with the frames of the cells', async () => {
    const [, failed, next] = await node('function f(n) {\n  return n.a.b\n}', 'var x = 1;\nf({}); x = 2', 'x');
    is(failed.report.exception.name, 'TypeError');
    matches(failed.stderr, /^Uncaught TypeError: Cannot read .*\n {4}at f \(<cell-1>:2:14\)\n {4}at <cell-2>:2:1\n$/);
    is(next.report.value, '1');
    const [thrown, text] = await node('throw { code: 5 }', 'throw "text"');
    is([thrown.report.exception, text.report.exception], [{ name: 'object', message: '{ code: 5 }' }, { name: 'string', message: "'text'" }]);
    is(text.stderr, "Uncaught 'text'\n");
});

quickCase('JavaScript: a syntax error shows the line', async () => {
    const [failed] = await node('1;\nfoo bar');
    is(failed.report.exception.name, 'SyntaxError');
    matches(failed.stderr, /^Uncaught <cell-1>:2\nfoo bar\n {4}\^\n\nSyntaxError: Unexpected identifier.*\n$/);
});

quickCase('JavaScript: an object in braces is a value, and another block is one', async () => {
    is(await nodeValues('{ a: 1, b: 2 }', ' { a: 1 }\n', '{}', '{ let z = 4; z }', '{ a: 1 } { b: 2 }'), '{ a: 1, b: 2 }|{ a: 1 }|{}|4|2');
});

quickCase('JavaScript: an error as a value has the frames of the cells alone', async () => {
    is(await nodeValues('const f = () => new Error("e")', 'f()', '[f()]'), '|Error: e\n    at f (<cell-1>:1:17)\n    at <cell-2>:1:1|' +
        '[\n  Error: e\n      at f (<cell-1>:1:17)\n      at <cell-3>:1:2\n]');
    const [missing] = await node('import { nothing } from "fs"');
    matches(missing.stderr, /^Uncaught SyntaxError: The requested module 'fs' does not provide an export named 'nothing'\n {4}at async <cell-1>:1:\d+\n$/);
});

quickCase('JavaScript: a name that was declared by an earlier cell is pointed at', async () => {
    const [, plain, pattern, file] = await node('const q = 1', '\nconst f = () => q;\n let q = 2', 'let $q = 1, { r,\n  q } = {}', { code: '5;\nclass q {}', file: 'nb', line: 3 });
    has(plain.stderr, 'Uncaught <cell-2>:3\n let q = 2\n     ^\n\nSyntaxError: Identifier');
    has(pattern.stderr, 'Uncaught <cell-3>:2\n  q } = {}\n  ^\n\nSyntaxError: Identifier');
    has(file.stderr, 'Uncaught nb:4\nclass q {}\n      ^\n\nSyntaxError: Identifier');
});

quickCase('JavaScript: TypeScript works where Node.js can strip types, and else is a syntax error', async () => {
    const [{ report: { value: strips } }] = await node('Boolean(require("module").stripTypeScriptTypes)');
    const results = await node('interface A { b: string }\nimport type { X } from "fs"\nimport fs from "fs"\nconst f = (a: A): string => a.b + typeof fs\nf({ b: "c" })', 'null as X; (null as A).b', 'let : = 3');
    is(valuesOf(results), strips === 'true' ? ["'cobject'", 'TypeError', 'SyntaxError'] : ['SyntaxError', 'SyntaxError', 'SyntaxError']);
    is(results[0].stderr.includes('Warning'), false, 'without a warning');
    has(results[1].stderr, strips === 'true' ? 'at <cell-2>:1:24\n' : 'Uncaught <cell-2>:1\n', 'the place');
});

quickCase('JavaScript: process.exit() ends the cell alone', async () => {
    const results = await node('process.exit(3); x = 1', 'process.exit()', 'try { process.exit(4) } catch {} 7', 'setTimeout(() => process.exit(5), 1); await new Promise(() => {})', '5');
    is(results.slice(0, 5).map(({ report }) => report.exit), [3, 0, 4, 5, undefined]);
    is([results[0].report, results[0].stderr], [{ value: null, exit: 3 }, '']);
    is(results[4].report, { value: '5' });
});

quickCase('JavaScript: await works, and a promise as the value is awaited', async () => {
    is(await nodeValues('const later = (v) => new Promise((r) => setTimeout(r, 5, v))', 'const x = await later(3); x', 'later(4)', 'for (const a of [1]) await later(a); 6',
        'await Promise.reject(new RangeError("r"))', 'later().then(() => { throw new TypeError("t") })', 'for await (const z of [later(8)]) z', 'await later(x)'), '|3|4|6|RangeError|TypeError|8|3');
});

quickCase('JavaScript: a rejection that nobody handles and an exception in a timer end the cell', async () => {
    is(await nodeValues('Promise.reject(new TypeError("t")); 5', 'setTimeout(() => { throw new RangeError("r") }, 1); await new Promise((r) => setTimeout(r, 100000))',
        'process.nextTick(() => { throw new EvalError("e") }); 6', '7'), 'TypeError|RangeError|EvalError|7');
    const [, late] = await node('const turns = (n, f) => setImmediate(() => n ? turns(n - 1, f) : f()); turns(2, () => { throw new RangeError("late") }); 5', '6');
    is(late.report, { value: '6' }, 'one that comes before the cell begins is not its own');
    has(late.stderr, 'Uncaught RangeError: late\n');
});

testCase('JavaScript: what is pending does not keep a cell from ending, and goes on in the next one', async () => {
    const results = await node('let ticks = 0; setInterval(() => { ticks++ }, 1); 5', 'await new Promise((r) => setTimeout(r, 30)); ticks > 1');
    is(valuesOf(results), ['5', 'true']);
});

testCase('JavaScript: a promise that nothing can settle is an exception', async () => {
    const results = await node('await new Promise(() => {})', '5');
    is(results[0].report.exception, { name: 'Error', message: 'the cell waits for a promise that nothing can settle: no timer and no I/O is pending' });
    is(results[1].report.value, '5');
});

quickCase('JavaScript: import() works everywhere, and words that look like it stay', async () => {
    is(await nodeValues('const { join } = await import("path"); join("a", "b")', '(await import(/* why */ "fs")).existsSync("/")', 'import("os").then((os) => typeof os.EOL)',
        '[`import(${(await import("path")).sep})`, "import(1)", /import(1)/.source, { import(x) { return x } }.import(5)] // import(', 'async function f() { return import ("util") }', 'typeof (await f()).inspect'),
    "'a/b'|true|'string'|[ 'import(/)', 'import(1)', 'import(1)', 5 ]||'function'");
    is(await nodeValues('await import("data:text/javascript,export default 5").then((m) => m.default)', 'await import("./nothing.mjs")', '6'), '5|Error|6');
});

quickCase('JavaScript: import statements at the top of a cell', async () => {
    is(await nodeValues('// first\nimport fs, { existsSync as exists,\n  readFileSync } from "fs";\nimport * as path from \'path\'\nimport "os"; import { default as util } from "node:util"\n[exists === fs.existsSync, typeof readFileSync, path.sep, typeof util.inspect]',
        'path.join("a", "b")', 'import { nothing } from "fs"', '"import x from \'y\'"'), "[ true, 'function', '/', 'function' ]|'a/b'|SyntaxError|\"import x from 'y'\"");
    is(await nodeValues('"use strict"; /* why */ \'other\'\nimport os from "os"; typeof os', '"use strict"; import "os"; undeclared = 1', '"a"; ; "b"'), "'object'|ReferenceError|'b'", 'after directives');
    const [line, below] = await node('import "fs"; import "os"\n\nnull.x', '5;\nimport "fs"');
    has(line.stderr, '<cell-1>:3:6');
    is(below.report.exception.message, 'Cannot use import statement outside a module');
});

quickCase('JavaScript: standard input is fresh for each cell and then ends', async () => {
    const read = 'let text = ""; for await (const part of process.stdin) text += part; text';
    is(await nodeValues({ code: read, stdin: 'a\nb' }, { code: read, stdin: 'c' }, read, { code: 'require("fs").readFileSync(0, "utf8")', stdin: 'd' },
        { code: 'const lines = []; for await (const line of require("readline").createInterface(process.stdin)) lines.push(line); lines', stdin: 'e\nf\n' },
        'require("fs").closeSync(0)', { code: read, stdin: 'g' }), "'a\\nb'|'c'|''|'d'|[ 'e', 'f' ]||'g'");
});

quickCase('JavaScript: arguments and variables are those of the cell', async () => {
    is(await nodeValues({ code: '[process.argv.slice(1), process.env.A, process.env.HOME]', arguments: ['x', '-y'], environment: { A: '1', HOME: '/h' } },
        '[process.argv.slice(1), process.env.A, process.env.HOME == "/h"]', { code: 'process.env.A = "own"', environment: { A: '2' } }, 'process.env.A'),
    "[ [ 'cell', 'x', '-y' ], '1', '/h' ]|[ [ 'cell' ], undefined, false ]|'own'|'own'");
});

testCase('JavaScript: SIGINT ends what runs, and the variables stay', async () => {
    is(await nodeInterrupted('console.log("started"); while (true) {}'), 'Uncaught Error: the cell was interrupted by SIGINT\n');
    await nodeInterrupted('while (true) console.log("started")');
    await nodeInterrupted('await 1; console.log("started"); while (true) {}');
    await nodeInterrupted('process.nextTick(() => { while (true) console.log("started") })');
    await nodeInterrupted('console.log("started"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)');
    await nodeInterrupted('({ [Symbol.for("nodejs.util.inspect.custom")]() { console.log("started"); while (true) {} } })');
    await nodeInterrupted('console.log("started"); require("child_process").execSync("sleep 1000")');
});

testCase('JavaScript: SIGINT abandons a pending await', async () => {
    await nodeInterrupted('console.log("started"); await new Promise((r) => setTimeout(r, 1e6))');
    await nodeInterrupted('setInterval(() => console.log("started"), 5); new Promise(() => {})');
    const results = await node({ code: 'let go; setTimeout(() => console.log("started"), 1); setInterval(() => {}, 1e6); await new Promise((r) => { go = r }); console.log("after")', interrupt_at: 'started' },
        'go(); await 1; 5', 'new Array(1e6).fill().map(() => ({})).length', '7');
    is(valuesOf(results).join('|'), '|5|1000000|7');
    is(results[1].stdout, 'after\n', 'it goes on if its promise is settled after all');
});

testCase('JavaScript: an interrupted cell whose promise is collected', async () => {
    const [, cell, ...rest] = await node('let x = 1', { code: 'setTimeout(() => console.log("started"), 1); setInterval(() => {}, 1e6); await new Promise(() => {})', interrupt_at: 'started' },
        'require("v8").setFlagsFromString("--expose-gc"); const gc = require("vm").runInNewContext("gc"); for (let i = 0; i < 5; i++) { gc(); await new Promise(setImmediate) } x', 'x + 1');
    is(cell.report.interrupted, true);
    is(valuesOf(rest), ['1', '2']);
});

testCase('JavaScript: SIGINT between two cells is ignored, also with a listener of the cell before', async () => {
    is(await nodeValues('var x = 1', { code: 'x', idle_signal: 2 }, { code: 'await 1; x + 1', idle_signal: 2 }, 'process.on("SIGINT", () => { x = 9 }); 5', { code: 'x', idle_signal: 2 }), '|1|2|5|1');
    is(valuesOf(await node('process.on("SIGINT", () => {}); process.once("SIGINT", () => {}); 5', { code: 'console.log("started\\n"); while (true) {}', interrupt_at: 'started' }, '6')), ['5', null, '6']);
});

testCase('JavaScript: streams that a cell has closed are there again', async () => {
    const results = await node('const { closeSync } = require("fs"); closeSync(1); closeSync(2); 1', 'console.log("a"); console.error("b"); 2', 'process.stdout.destroy(); process.stdout.end(); 3', 'console.log("c"); 4');
    is(results.slice(0, 4).map(({ stdout, stderr }) => stdout + stderr).join('|'), '|a\nb\n||c\n');
});

testCase('JavaScript: the driver needs nothing that a cell can replace', async () => {
    is(await nodeValues('JSON.parse = JSON.stringify = Object.defineProperty = globalThis.console = undefined; require("fs").writeSync = require("fs").readSync = null; setImmediate = setInterval = process._tickCallback = 0; 5',
        '6', '__isolator_import__ = 1; (await import("path")).sep'), "5|6|'/'");
    is(await nodeValues('process.removeAllListeners(); 5', 'null.x', '6'), '5|TypeError|6');
});

testCase('JavaScript: exceptions and values that fight back', async () => {
    is((await nodeValues('throw { get name() { throw 1 }, [Symbol.for("nodejs.util.inspect.custom")]() { throw new RangeError("r") } }', '({ [Symbol.for("nodejs.util.inspect.custom")]() { throw new TypeError("t") } })',
        'const e = new Error("e"); Object.defineProperty(e, "message", { get() { throw 5 } }); Object.defineProperty(e, "stack", { get() { throw 6 } }); throw e', 'new Proxy({}, { get() { throw 7 }, ownKeys() { throw 8 } })', 'function f() { f() } f()', '5')).replace('Proxy({})', '{}'), // as newer releases show it
    'RangeError|TypeError|number|{}|RangeError|5');
});

testCase('JavaScript: a cell that ends its process', async () => {
    is((await node('process.reallyExit(4)', '5'))[0].ended, 'exit 4');
    is((await node('process.kill(process.pid, "SIGKILL")'))[0].ended, 'signal 9');
    is((await node('require("fs").closeSync(4); require("fs").closeSync(5)', '5')).at(-1).ended !== 'it does not end', true);
});

testCase('JavaScript: timers and workers do not keep the session from ending', async () => {
    const results = await node('setInterval(() => {}, 1); new (require("worker_threads").Worker)("setInterval(() => {}, 1)", { eval: true }); 5');
    is([results[0].report.value, results[1].ended], ['5', 'exit 0']);
});

testCase('JavaScript: children of a cell have none of the descriptors of the driver', async () => {
    is(await nodeValues(`require("child_process").execSync("ls /proc/self/fd | tr '\\\\n' ' '").toString()`), "'0 1 2 3 '");
});

await finish();
