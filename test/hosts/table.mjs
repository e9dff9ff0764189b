// The hosts: what npm has of each, how it is told of the stand-in and of isolator-mcp, and how it is run once.
// `install`: the name for isolator-mcp --install; `files`: of the home directory, before that; `command`: its words;
// `env`: variables. `url` is that of the stand-in.

export const HOSTS = {
    'claude-code': {
        packages: ['@anthropic-ai/claude-code@2.1.332'],
        install: 'claude-code',
        env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'false' }),
        command: ['claude', '-p', 'go', '--allowedTools', 'mcp__isolator__execute_code'],
    },
    codex: {
        packages: ['@openai/codex@0.171.0'],
        install: 'codex',
        files: (url) => ({ '.codex/config.toml': `model = "stand-in"\nmodel_provider = "stand-in"\n[model_providers.stand-in]\nname = "stand-in"\n` +
            `base_url = "${url}/v1"\nwire_api = "responses"\n` }),
        command: ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'go'],
    },
    'gemini-cli': {
        packages: ['@google/gemini-cli@0.61.0'],
        install: 'gemini-cli',
        files: () => ({ '.gemini/settings.json': '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' }),
        env: (url) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
        command: ['gemini', '-p', 'go', '--yolo', '-m', 'gemini-2.5-pro'],
    },
    opencode: {
        packages: ['opencode-ai@1.18.33'],
        install: 'opencode',
        files: (url) => ({ '.config/opencode/opencode.json': JSON.stringify({ model: 'stand-in/m', small_model: 'stand-in/m', provider: { 'stand-in': {
            npm: '@ai-sdk/openai-compatible', name: 'x', options: { baseURL: `${url}/v1`, apiKey: 'x' },
            models: { m: { name: 'm', tool_call: true, attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } } } } } }) }),
        command: ['opencode', 'run', 'go'],
    },
    copilot: {
        packages: ['@github/copilot@1.0.102'],
        install: 'copilot',
        env: (url) => ({ COPILOT_PROVIDER_TYPE: 'openai', COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: 'x',
            COPILOT_MODEL: 'stand-in', COPILOT_OFFLINE: 'true' }),
        command: ['copilot', '-p', 'go', '--allow-all-tools'],
    },
    cline: {
        packages: ['cline@3.0.65'],
        install: 'cline',
        before: (url) => ['cline', 'auth', '-p', 'openai', '-k', 'x', '-b', `${url}/v1`, '-m', 'stand-in'],
        command: ['cline', 'go on now'],
    },
    continue: {
        packages: ['@continuedev/cli@1.5.47'],
        install: 'continue',
        files: (url) => ({ '.continue/config.yaml': `name: x\nversion: 0.0.1\nschema: v1\nmodels:\n  - name: m\n    provider: openai\n    model: stand-in\n` +
            `    apiKey: x\n    apiBase: ${url}/v1\n    roles: [chat]\n    capabilities: [tool_use, image_input]\n` }),
        command: ['cn', '-p', 'go', '--auto', '--config', '~/.continue/config.yaml'],
    },
    'qwen-code': {
        packages: ['@qwen-code/qwen-code@0.24.4'],
        install: 'qwen-code',
        files: () => ({ '.qwen/settings.json': '{"security": {"auth": {"selectedType": "openai"}}, "tools": {"toolSearch": {"enabled": false}}}' }),
        env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'stand-in' }),
        command: ['qwen', '-p', 'go', '--yolo'],
    },
    // A command that models run in a shell, and whose output they read.
    mcporter: {
        packages: ['mcporter@0.12.3'],
        script: `import { spawnSync } from 'node:child_process';
const tools = [{ type: 'function', function: { name: 'execute_code', parameters: {} } }];
const messages = [{ role: 'user', content: 'go' }];
for (;;) {
    const answer = await fetch(process.env.MODEL_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ messages, tools }) });
    const { message } = (await answer.json()).choices[0];
    if (!message.tool_calls) break;
    const { id, function: { arguments: input } } = message.tool_calls[0];
    const words = ['call', '--stdio', process.env.SERVER, 'execute_code', '--args', input];
    const { stdout, stderr } = spawnSync('mcporter', words, { encoding: 'utf8', maxBuffer: 1 << 30 });
    messages.push(message, { role: 'tool', tool_call_id: id, content: stdout + stderr });
}`,
    },
    mastra: {
        packages: ['@mastra/core@1.71.0', '@mastra/mcp@2.0.0'],
        script: `import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';
const client = new MCPClient({ servers: { isolator: { command: process.env.SERVER, args: [], env: process.env } } });
const agent = new Agent({ id: 'x', name: 'x', instructions: 'x', tools: await client.listTools(),
    model: { id: 'stand-in/m', url: process.env.MODEL_URL, apiKey: 'x' } });
await agent.generate('go', { maxSteps: 9 });
await client.disconnect();`,
    },
    'ai-sdk': {
        packages: ['ai@6.0.326', '@ai-sdk/mcp@1.0.102', '@ai-sdk/openai-compatible@2.0.92'],
        script: `import { generateText, stepCountIs } from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { experimental_createMCPClient as createClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';
const client = await createClient({ transport: new Stdio({ command: process.env.SERVER, env: process.env }) });
const model = createOpenAICompatible({ name: 'x', baseURL: process.env.MODEL_URL })('stand-in');
await generateText({ model, tools: await client.tools(), stopWhen: stepCountIs(9), prompt: 'go' });
await client.close();`,
    },
    langchain: {
        packages: ['langchain@1.5.14', '@langchain/core@1.4.0', '@langchain/openai@1.5.8', '@langchain/mcp-adapters@1.1.4'],
        script: `import { createAgent } from 'langchain';
import { ChatOpenAI } from '@langchain/openai';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
const client = new MultiServerMCPClient({ isolator: { transport: 'stdio', command: process.env.SERVER, env: process.env, args: [] } });
const model = new ChatOpenAI({ model: 'stand-in', apiKey: 'x', configuration: { baseURL: process.env.MODEL_URL } });
await createAgent({ model, tools: await client.getTools() }).invoke({ messages: [{ role: 'user', content: 'go' }] });
await client.close();`,
    },
};
