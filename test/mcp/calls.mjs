// Calls that go on for a while: several at once, progress, cancellation, and the end in between.

import { is, matches, ok } from './tap.mjs';
import { refusal, settled, until } from './session.mjs';

const answerTo = (id) => (message) => message.id === id && !('method' in message);
const lastCall = (server) => server.requested((message) => message.method === 'tools/call').at(-1);

async function testAtOnce(session, name) {
    const results = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => session.shell(`echo ${number}`)));
    is(results.map((result) => result.content[0].text), [1, 2, 3, 4, 5, 6].map((number) => `--- stdout ---\n${number}\n`),
        `${name}: six calls at once, each with its own answer`);
}

async function testProgress(session, name) {
    const told = [];
    await session.shell('echo here; sleep 3', {}, { onprogress: (progress) => told.push(progress) });
    const values = told.map(({ progress }) => progress);
    ok(values.length > 1 && values.every((value, i) => i === 0 || value > values[i - 1]),
        `${name}: progress rises`, values);
    is(told[0]?.message, 'starting a fresh sandbox', `${name}: the first message of progress`);
    matches(told.at(-1)?.message, /^running; 5 bytes of output so far$/, `${name}: the last message of progress`);
}

// A call that runs until it is ended: {answer, id, token}.
async function startEndless(session, options = {}) {
    let running = false;
    const onprogress = ({ message }) => { running ||= /^running; 3 bytes/.test(message); };
    const answer = refusal(session.shell('echo on; sleep 1000', { timeout_seconds: 900 }, { ...options, onprogress }));
    await until(() => running, 'the program to write something');
    const { id, params } = lastCall(session.server);
    return { answer, id, token: params._meta.progressToken };
}

async function testCancellation(session, name) {
    const { server } = session;
    const roundTrip = () => refusal(session.call({}, {}, 'nothing'));
    const controller = new AbortController();
    const { answer, id, token } = await startEndless(session, { signal: controller.signal });
    is(server.containers().length, 1, `${name}: cancellation: before it there is a container`);
    controller.abort('not needed');
    matches(await answer, /not needed/, `${name}: cancellation: the call rejects`);
    is(server.requested((message) => message.params?.requestId === id).map((message) => message.method),
        ['notifications/cancelled'], `${name}: cancellation: the server is told`);
    await roundTrip(); // it has read that now
    const heard = server.lines.length;
    is(await settled(() => server.containers()), [], `${name}: cancellation: the container is gone`);
    await roundTrip();
    is(server.received(answerTo(id)), [], `${name}: cancellation: no answer follows`);
    is(server.lines.slice(heard).filter(({ message }) => message.params?.progressToken === token), [],
        `${name}: cancellation: no progress follows`);
}

export async function testCalls(session, name) {
    await testAtOnce(session, name);
    await testProgress(session, name);
    await testCancellation(session, name);
}

// The client closes the connection while a program runs.
export async function testEnd(session, name) {
    const { answer } = await startEndless(session);
    is(session.server.containers().length, 1, `${name}: a program runs`);
    await session.close(name);
    const refused = await answer;
    matches(refused, /closed|"isError":true/i, `${name}: the call is over`);
}
