// A call that goes on for a while, beside another: progress and cancellation.

import { is, matches, ok } from './tap.mjs';
import { refusal, settled, until } from './session.mjs';

const answerTo = (id) => (message) => message.id === id && !('method' in message);
const lastCall = (server) => server.requested((message) => message.method === 'tools/call').at(-1);

// A call that runs until it is ended: {answer, id, told}, the last being the progress so far.
async function startEndless(session, signal) {
    const told = [];
    const onprogress = (progress) => told.push(progress);
    const answer = refusal(session.shell('echo on; sleep 1000', { timeout_seconds: 900 }, { signal, onprogress }));
    await until(() => /^running; 3 bytes/.test(told.at(-1)?.message), 'the program to write something');
    return { answer, id: lastCall(session.server).id, told };
}

async function testProgress(told, name) {
    const before = told.length;
    await until(() => told.length > before, 'progress without output');
    const values = told.map(({ progress }) => progress);
    ok(values.every((value, i) => i === 0 || value > values[i - 1]), `${name}: progress rises`, values);
    is(told[0].message, 'starting a fresh sandbox', `${name}: the first message of progress`);
    is(told.at(-1).message, 'running; 3 bytes of output so far', `${name}: the last message of progress`);
}

async function testCancellation(session, controller, { answer, id, told }, name) {
    const { server } = session;
    const roundTrip = () => refusal(session.call({}, {}, 'nothing'));
    await until(() => server.containers().length === 1, 'a single container'); // one of a call before may yet be listed
    controller.abort('not needed');
    matches(await answer, /not needed/, `${name}: cancellation: the call rejects`);
    is(server.requested((message) => message.params?.requestId === id).map((message) => message.method),
        ['notifications/cancelled'], `${name}: cancellation: the server is told`);
    await roundTrip(); // it has read that now
    const heard = told.length;
    is(await settled(() => server.containers()), [], `${name}: cancellation: the container is gone`);
    await roundTrip();
    is(server.received(answerTo(id)), [], `${name}: cancellation: no answer follows`);
    is(told.length, heard, `${name}: cancellation: no progress follows`);
}

// `beside`: what is done while the call runs.
export async function testBeside(session, name, beside) {
    const controller = new AbortController();
    const endless = await startEndless(session, controller.signal);
    await beside();
    is(session.server.received(answerTo(endless.id)), [], `${name}: the call beside runs on`);
    await testProgress(endless.told, name);
    await testCancellation(session, controller, endless, name);
}
