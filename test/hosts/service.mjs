// A stand-in for the services of models, on 127.0.0.1: OpenAI's chat completions and responses, Anthropic's messages and
// Gemini's generateContent. It calls the tool once for each of `CALLS`, then says "done", and notes what it was shown.
import { createServer } from 'node:http';

const PICTURE = `import struct, zlib
chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
with open("plot.png", "wb") as file:
    file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress((b"\\0" + b"\\xff\\0\\0" * 64) * 64)) + chunk(b"IEND", b""))
print("marker-text")`;

// What the model calls, in this order.
export const CALLS = {
    text: { entrypoint_code: 'print("marker-text")' },
    picture: { entrypoint_code: PICTURE },
    cut: { entrypoint_code: 'print("marker-head" + "x" * 200000 + "marker-tail")' },
    file: { entrypoint_code: 'open("big.csv", "w").write("1,2\\n" * 50000); print("marker-text")', artifacts: ['*.csv'] },
    error: { entrypoint_code: 'import sys; print("marker-out"); sys.exit("marker-err")' },
};
const NAMES = Object.keys(CALLS);

// One result of a tool, as a text with "<picture>" for each picture.
function flatten(content) {
    if (content === undefined || content === null) return '';
    if (typeof content === 'string') return content;
    if (Array.isArray(content)) return content.map(flatten).join('\n');
    if (content.image_url || content.inlineData || ['image', 'input_image', 'image-data'].includes(content.type)) return '<picture>';
    return content.text ?? (content.content ? flatten(content.content) : JSON.stringify(content));
}

// Each protocol: the tool in the request, the results in its conversation, and the response with a call or the end.
const end = { text: 'done' };
const PROTOCOLS = {
    chat: {
        tools: (body) => (body.tools ?? []).map((tool) => tool.function),
        shown: (body) => body.messages.flatMap((message, i) => {
            if (message.role !== 'tool') return [];
            const next = body.messages[i + 1]; // some hosts send pictures in a message of the user
            const more = next?.role === 'user' && Array.isArray(next.content) ? flatten(next.content) : '';
            return [`${flatten(message.content)}${more.includes('<picture>') ? `\n${more}` : ''}`];
        }),
        send(response, body, answer) {
            const message = answer.text ? { role: 'assistant', content: answer.text } : { role: 'assistant', content: null,
                tool_calls: [{ index: 0, id: answer.id, type: 'function',
                    function: { name: answer.name, arguments: JSON.stringify(answer.input) } }] };
            const finish = answer.text ? 'stop' : 'tool_calls';
            const base = { id: `chat-${answer.id ?? 'end'}`, created: 1, model: body.model };
            const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
            if (!body.stream)
                return json(response, { ...base, object: 'chat.completion', usage, choices: [{ index: 0, message, finish_reason: finish }] });
            const chunk = (delta, reason, more) => ({ ...base, object: 'chat.completion.chunk',
                choices: [{ index: 0, delta, finish_reason: reason }], ...more });
            stream(response, [[null, chunk(message, null)], [null, chunk({}, finish, { usage })]], true);
        },
    },
    responses: {
        tools: (body) => (body.tools ?? []).flatMap((tool) => tool.type === 'namespace'
            ? tool.tools.map((inner) => ({ ...inner, namespace: tool.name })) : [tool]),
        shown: (body) => (Array.isArray(body.input) ? body.input : []).filter((item) => item.type === 'function_call_output')
            .map((item) => flatten(item.output)),
        send(response, body, answer) {
            const item = answer.text
                ? { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: answer.text, annotations: [] }] }
                : { id: `f-${answer.id}`, type: 'function_call', status: 'completed', call_id: answer.id, name: answer.name,
                    ...(answer.namespace && { namespace: answer.namespace }), arguments: JSON.stringify(answer.input) };
            const whole = { id: 'r', object: 'response', created_at: 1, model: body.model, status: 'completed', output: [item],
                usage: { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1,
                    output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 } };
            if (!body.stream) return json(response, whole);
            const event = (type, more) => [type, { type, ...more }];
            stream(response, [event('response.created', { response: { ...whole, status: 'in_progress', output: [] } }),
                event('response.output_item.added', { output_index: 0, item }),
                event('response.output_item.done', { output_index: 0, item }), event('response.completed', { response: whole })]);
        },
    },
    messages: {
        tools: (body) => body.tools ?? [],
        shown: (body) => body.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : [])
            .filter((block) => block.type === 'tool_result').map((block) => `${block.is_error ? '<error>' : ''}${flatten(block.content)}`)),
        send(response, body, answer) {
            const block = answer.text ? { type: 'text', text: answer.text }
                : { type: 'tool_use', id: answer.id, name: answer.name, input: answer.input };
            const reason = answer.text ? 'end_turn' : 'tool_use';
            const usage = { input_tokens: 1, output_tokens: 1 };
            const message = { id: 'm', type: 'message', role: 'assistant', model: body.model, content: [block], stop_reason: reason,
                stop_sequence: null, usage };
            if (!body.stream) return json(response, message);
            const delta = answer.text ? { type: 'text_delta', text: answer.text }
                : { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) };
            const event = (type, more) => [type, { type, ...more }];
            stream(response, [event('message_start', { message: { ...message, content: [], stop_reason: null } }),
                event('content_block_start', { index: 0, content_block: answer.text ? { ...block, text: '' } : { ...block, input: {} } }),
                event('content_block_delta', { index: 0, delta }), event('content_block_stop', { index: 0 }),
                event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage }), event('message_stop')]);
        },
    },
    gemini: {
        tools: (body) => (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []),
        shown: (body) => body.contents.flatMap(({ parts }) => parts).flatMap((part, i, parts) => {
            if (!part.functionResponse) return [];
            const beside = parts.slice(i + 1).findIndex((other) => other.functionResponse || other.functionCall);
            const more = parts.slice(i + 1, beside < 0 ? undefined : i + 1 + beside);
            return [flatten([part.functionResponse.response?.output ?? JSON.stringify(part.functionResponse.response),
                ...(part.functionResponse.parts ?? []), ...more.filter((other) => other.inlineData)])];
        }),
        send(response, body, answer, url) {
            const parts = [answer.text ? { text: answer.text } : { functionCall: { id: answer.id, name: answer.name, args: answer.input } }];
            const whole = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
                usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
            return url.includes('stream') ? stream(response, [[null, whole]]) : json(response, whole);
        },
    },
};

function json(response, value) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
}
function stream(response, events, done) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [name, data] of events) response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
    response.end(done ? 'data: [DONE]\n\n' : '');
}

function protocolOf(url) {
    const path = url.split('?')[0];
    if (path.endsWith('/chat/completions')) return PROTOCOLS.chat;
    if (path.endsWith('/responses')) return PROTOCOLS.responses;
    if (path.endsWith('/messages')) return PROTOCOLS.messages;
    return /enerateContent$/.test(path) ? PROTOCOLS.gemini : null;
}

// The next call, unless the request has no tool, as those for titles have.
function answerTo(protocol, body, noted) {
    const tool = protocol.tools(body).find(({ name }) => name?.includes('execute_code'));
    const shown = tool ? protocol.shown(body) : [];
    const name = NAMES[shown.length];
    if (shown.length > noted.shown.length) noted.shown = shown;
    if (!tool) return end;
    noted.tool = tool;
    return name ? { id: `call_${shown.length}`, name: tool.name, namespace: tool.namespace, input: { language: 'python', ...CALLS[name] } } : end;
}

// Starts the service. `shown` has what the model was shown so far, a text for each call.
export async function startService(trace) {
    const noted = { shown: [], tool: null };
    const server = createServer(async (request, response) => {
        let text = '';
        for await (const chunk of request) text += chunk;
        const protocol = request.method === 'POST' ? protocolOf(request.url) : null;
        trace?.(`${request.method} ${request.url} ${text}`);
        if (protocol) {
            const body = JSON.parse(text);
            protocol.send(response, body, answerTo(protocol, body, noted), request.url);
        } else if (request.url.endsWith('/models')) {
            json(response, { object: 'list', data: [{ id: 'stand-in', object: 'model' }] });
        } else {
            json(response, request.url.includes('count_tokens') ? { input_tokens: 1 } : request.url.includes('countTokens') ? { totalTokens: 1 } : {});
        }
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, noted, close: () => server.close() };
}
