// A call that runs until it is cancelled, beside other requests: its progress and its cancellation.

import { is, matches, ok } from './cases.mjs';
import { until } from './processes.mjs';
import { refusal } from './session.mjs';

const isResponseTo = (id) => (message) => message.id === id && !('method' in message);

// A call that runs until it is ended: {response, id, progress}.
async function startEndless(session, signal) {
    const progress = [];
    const response = refusal(session.shell('echo on; sleep 1000', { timeout_seconds: 900 },
        { signal, onprogress: (params) => progress.push(params) }));
    await until(() => /^running; 3 bytes/.test(progress.at(-1)?.message), 'the program writes something');
    const { id } = session.server.requested(({ method }) => method === 'tools/call').at(-1);
    return { response, id, progress };
}

async function checkProgress(progress) {
    const before = progress.length;
    await until(() => progress.length > before, 'progress without output');
    const values = progress.map((params) => params.progress);
    ok(values.every((value, i) => i === 0 || value > values[i - 1]), 'progress rises', values);
    is(progress[0].message, 'starting a fresh container', 'the first message of progress');
    is(progress.at(-1).message, 'running; 3 bytes of output so far', 'the last message of progress');
}

async function checkCancellation(session, controller, { response, id, progress }) {
    const { server } = session;
    const roundTrip = () => refusal(session.call({}, {}, 'nothing'));
    await until(async () => (await server.containers()).length === 1, 'a single container'); // one of a call before may yet be listed
    controller.abort('not needed');
    matches(await response, /not needed/, 'cancellation: the call rejects');
    is(server.requested(({ params }) => params?.requestId === id).map(({ method }) => method), ['notifications/cancelled'],
        'cancellation: the server gets a notification');
    await roundTrip(); // it has read that now
    const before = progress.length;
    await until(async () => (await server.containers()).length === 0, 'cancellation: the container is gone');
    await roundTrip();
    is(server.received(isResponseTo(id)), [], 'cancellation: no response follows');
    is(progress.length, before, 'cancellation: no progress follows');
}

// `beside`: what is done while the call runs.
export async function checkBeside(session, beside) {
    const controller = new AbortController();
    const endless = await startEndless(session, controller.signal);
    await beside();
    is(session.server.received(isResponseTo(endless.id)), [], 'the call runs on');
    await checkProgress(endless.progress);
    await checkCancellation(session, controller, endless);
}
