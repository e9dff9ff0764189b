#!/usr/bin/env node
// isolator-mcp: what hosts and models write in another way than the schemas of the tools say. What is clear is taken,
// with a warning if it was changed; what may narrow the limits or permissions of a program is an error. As in
// mcp_arguments.mjs, no program runs: the warnings come with the error that there is no docker command.

import { finish, has, is, lacks, quickCase } from '../mcp/cases.mjs';
import { startServer, summary } from '../mcp/pipe_client.mjs';

const PROGRAM = { language: 'python', entrypoint_code: '1' };
const RAN = "cannot run 'no-such-docker'"; // the arguments were good

async function start(config = {}) {
    const server = await startServer({ engine: false, config: { containerCommand: 'no-such-docker', ...config } });
    await server.initialize('2025-11-25');
    server.call = async (name, args) => summary(await server.ask('tools/call', { name, arguments: args }));
    server.say = (args) => server.call('execute_code', { ...PROGRAM, ...args });
    // All warnings of a call whose arguments are good.
    server.warnings = async (args) => {
        const text = await server.say(args);
        has(text, RAN, JSON.stringify(args));
        const warnings = text.split('--- warnings ---\n')[1]?.trimEnd().split('\n') ?? [];
        is(warnings.shift(), 'the program has not run; if that happens again, only the user can fix it: tell the user', 'the first one');
        return warnings;
    };
    return server;
}

const refused = (message) => `error: Execution Failed (error): ${message}`;

// ---- names

quickCase('what hosts add is left out with a warning', async () => {
    const server = await start();
    for (const [args, host] of [
        [{ wait_for_previous: false }, 'Gemini CLI'],
        [{ toolCallId: 'call_1' }, 'n8n'],
        [{ sessionId: 'c9a5d1c5bdc74a02a3fc2e8ae8a0c0a6' }, 'n8n'],
        [{ security_risk: 'LOW' }, 'OpenHands'],
        [{ _meta: { progressToken: 1 } }, 'a host'],
    ])
        is(await server.warnings(args), [`the argument '${Object.keys(args)[0]}' is left out: ${host} adds it`], host);
});

quickCase('names that are like nothing are left out with a warning', async () => {
    const server = await start();
    for (const name of ['purpose', 'description', 'title', 'x'])
        is(await server.warnings({ [name]: 'to add' }), [`the argument '${name}' is left out: there is nothing of that name`], name);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`q${i}`, 1]));
    has(await server.call('execute_code', { language: 'python', entrypoint_code: '1', ...many }), "'q9' is left out: there is nothing of that name\nand 10 more", 'many');
    has(await server.call('execute_code', { language: 'python', purpose: 'x' }),
        "entrypoint_code is missing: give the source code of the program; the argument 'purpose' is left out", 'of an error too');
});

quickCase('names that are like those of limits and permissions are errors', async () => {
    const server = await start({ network: { allow: ['example.com'] }, maximums: { memoryMB: 300 }, tools: { one: { command: 'true' } } });
    for (const [name, meant] of Object.entries({ host: 'hosts', hsots: 'hosts', Hosts: 'hosts', allowed_hosts: 'hosts', allowedHosts: 'hosts',
        hostlist: 'hosts', network: 'hosts', allow_network: 'hosts', internet: 'hosts', noInternet: 'hosts', domains: 'hosts', proxy: 'hosts', egress: 'hosts', web_access: 'hosts', duration: 'timeout_seconds',
        tool: 'tools', tool_servers: 'tools', session_id: 'session', sesion: 'session', memory: 'memory_mb', mem_limit: 'memory_mb',
        maxMemory: 'memory_mb', ram: 'memory_mb', timeoutMs: 'timeout_seconds', time_limit: 'timeout_seconds', artifact: 'artifacts',
        keep_proceses: 'keep_processes', in_background: 'background', environ: 'environment', std_in: 'stdin' }))
        is(await server.say({ [name]: 1 }), refused(`there is no argument '${name}'; did you mean '${meant}'?`), name);
    for (const name of ['cpus', 'cpu', 'cpu_limit', 'pids_limit', 'max_processes', 'threads', 'cpu_seconds', 'image', 'read_only', 'user', 'sandbox',
        'permissions', 'isolated', 'disk_mb', 'max_output_bytes', 'deny', 'restricted', 'safe_mode', 'volumes', 'privileged', 'nproc', 'budget', 'policy', 'dry_run'])
        has(await server.say({ [name]: 1 }), `there is no argument '${name}'; known are: language, `, name);
});

quickCase('aliases with a plain meaning', async () => {
    const server = await start();
    has(await server.call('execute_code', { language: 'python', code: '1', timeout: 5, args: ['a'], env: { A: '1' },
        files: [{ name: 'a.csv', content: '1' }, { path: 'b/c.csv', content: '2' }] }), RAN);
    is(await server.say({ timeout: 'soon' }),
        refused('timeout_seconds must be a number of seconds greater than 0; text came, which is not that in JSON'), 'an error has the name');
    is(await server.say({ code: '2' }), refused("entrypoint_code is given twice, by two names"), 'two values');
    is(await server.warnings({ code: '1' }), [], 'the same value');
    is(await server.warnings({ code: null, timeout: '', timeout_seconds: 5 }), [], 'one that is not given');
    is(await server.say({ additional_files: [{ filename: 'a', path: 'b/a', content: '' }] }),
        refused("additional_files[0]: filename is given twice, by two names"), 'of a file');
});

quickCase('members of files', async () => {
    const server = await start();
    is(await server.warnings({ additional_files: [{ filename: 'a', content: '', mime_type: 'text/csv' }] }),
        ["additional_files[0]: 'mime_type' is left out: there is nothing of that name"]);
    is(await server.say({ additional_files: [{ filename: 'a', contents: '' }] }),
        refused("additional_files[0] has no member 'contents'; did you mean 'content'?"));
    is(await server.say({ additional_files: [{ content: '' }] }), refused('additional_files[0]: filename is missing'));
    has(await server.say({ additional_files: { filename: 'a', content: '' } }), RAN, 'one alone');
});

quickCase('the other tools take the same names', async () => {
    const server = await start({ tools: { one: { command: 'true' } } });
    const session = '0'.repeat(32);
    is(await server.call('close_session', { session, wait_for_previous: true }), refused('there is no such session: it was closed or never opened'));
    is(await server.call('close_session', { session_id: session }), refused("there is no argument 'session_id'; did you mean 'session'?"));
    has(await server.call('wait_job', { job: '0'.repeat(16), wait_for_previous: true }), 'there is no job 0000000000000000: ');
    is(await server.call('wait_job', { job: '0'.repeat(16), wait: 5 }), refused("there is no argument 'wait'; did you mean 'wait_seconds'?"));
    has(await server.call('search_tools', { query: 'x', toolCallId: '1' }), "the argument 'toolCallId' is left out: n8n adds it");
    is(await server.call('search_tools', { queries: 'x' }), refused("there is no argument 'queries'; did you mean 'query'?"));
});

// ---- values

quickCase('the arguments of a call as JSON text, [] or null', async () => {
    const server = await start({ tools: { one: { command: 'true' } } });
    has(await server.call('execute_code', JSON.stringify(PROGRAM)), RAN, 'text');
    for (const none of [[], null, '', '{}', ' {} '])
        is(await server.call('execute_code', none), refused('nothing to run: give language and entrypoint_code, or snippet_name'),
            JSON.stringify(none));
    for (const wrong of [7, '[]', 'print(1)', [PROGRAM], '{"language":', '"{}"'])
        is(await server.call('execute_code', wrong), '-32602 arguments must be an object', JSON.stringify(wrong));
    is(await server.call('close_session', JSON.stringify({ session: '0'.repeat(32) })),
        refused('there is no such session: it was closed or never opened'), 'of close_session');
    has(await server.call('wait_job', '{"job":"0000000000000000"}'), 'there is no job 0000000000000000: ', 'of wait_job');
    is(await server.call('wait_job', []), await server.call('wait_job', {}), 'none of wait_job');
    lacks(await server.call('search_tools', []), 'arguments', 'none of search_tools');
});

quickCase('languages with a version, and by other names', async () => {
    const server = await start();
    for (const [language, name] of Object.entries({ 'python3.11': 'python', 'Python-3.12': 'python', 'node20': 'javascript', 'node:20': 'javascript',
        'c++17': 'cpp', 'c++20': 'cpp', 'go1.21': 'go', 'python 3': 'python' }))
        is(await server.warnings({ language }), [`language '${language}' is ${name} here, in the version that is installed`], language);
    for (const language of ['nodejs', 'NodeJS', 'py', 'python3'])
        is(await server.warnings({ language }), [], language);
    for (const language of ['3.11', 'pyhton3', '-3'])
        has(await server.say({ language }), `unknown language '${language}'; known are: `, language);
});

quickCase('a text where a list is wanted', async () => {
    const server = await start();
    is(await server.warnings({ artifacts: 'a.csv' }), []);
    is(await server.warnings({ arguments: '--n' }), []);
    is(await server.warnings({ arguments: '--n 5' }), ['arguments came as one text, and the program gets its 2 words: write an array']);
    has(await server.say({ arguments: '--name "a' }), 'arguments must be an array of strings; text came, ', 'a quote that is not closed');
    has(await server.say({ artifacts: '["a.csv"' }), 'artifacts must be an array of patterns like "*.png"; text came, ', 'JSON that is not complete');
});

quickCase('backslashes in the names of files', async () => {
    const server = await start();
    is(await server.warnings({ additional_files: [{ filename: 'data\\sales.csv', content: '' }], entrypoint_filename: 'src\\a.py', artifacts: ['out\\*.csv'] }),
        ["entrypoint_filename is 'src/a.py': directories are separated by /", "additional_files[0] is 'data/sales.csv': directories are separated by /",
            "artifacts[0] is 'out/*.csv': directories are separated by /"]);
    for (const filename of ['..\\a', 'a\\..\\..\\b', '\\\\server\\a', '\\a'])
        has(await server.say({ additional_files: [{ filename, content: '' }] }), 'additional_files[0]: \'', filename);
});

quickCase('content as a data: URL', async () => {
    const server = await start();
    const file = (content, encoding) => ({ additional_files: [{ filename: 'a', content, encoding }] });
    const decoded = ['additional_files[0]: the data: URL was decoded; to send it as a text, set its encoding to "utf-8"'];
    is(await server.warnings(file('data:image/png;base64,YQ==')), decoded);
    is(await server.warnings(file('data:image/png;base64,YQ==', 'base64')), []);
    is(await server.warnings(file('data:image/png;base64,YQ==', 'utf-8')), [], 'a text');
    is(await server.warnings(file('data:;base64,!!')), [], 'a text that only begins like it');
    has(await server.say(file('data:;base64,!!', 'base64')), 'content is valid base64');
    has(await server.say(file('data:text/plain,YQ==', 'base64')), 'content is valid base64', 'a URL that is not base64');
});

await finish();
