#!/usr/bin/env bash
# @langchain/mcp-adapters 1.1.4: a resource_link of a tool result becomes a file block with a URL.
#
# Expected: the model reads the name and the URI of the link as text, since a resource_link only says where something is,
# and the URI may be one that the MCP server alone can read (MCP 2025-06-18, "Resource Links").
# Seen: the message of the tool has {"type": "file", "source_type": "url", "url": "example://files/table.csv"}, which asks
# the model's service to fetch the URL, whatever its scheme is; the name of the link is gone. A text alone is a string, so
# the link also changes the form of the content.
#
# Needs node 20 and npm. Fails if the output is another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 @modelcontextprotocol/sdk@1.24.3 zod@3.25.76 >>npm.log 2>&1
cat >server.mjs <<'SERVER'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const text = { type: 'text', text: 'one file was written' };
const link = { type: 'resource_link', uri: 'example://files/table.csv', name: 'table.csv', mimeType: 'text/csv' };
const server = new McpServer({ name: 'example', version: '1.0.0' });
server.registerTool('text', { description: 'a text' }, () => ({ content: [text] }));
server.registerTool('text_and_link', { description: 'a text and a link' }, () => ({ content: [text, link] }));
await server.connect(new StdioServerTransport());
SERVER
cat >client.mjs <<'CLIENT'
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
const server = { transport: 'stdio', command: process.execPath, args: ['server.mjs'] };
const client = new MultiServerMCPClient({ mcpServers: { example: server } });
for (const tool of await client.getTools()) {
    const message = await tool.invoke({ name: tool.name, args: {}, id: '1', type: 'tool_call' });
    console.log(tool.name, JSON.stringify(message.content));
}
await client.close();
CLIENT
node client.mjs >seen
diff seen - <<'EXPECTED'
text "one file was written"
text_and_link [{"type":"text","text":"one file was written"},{"type":"file","source_type":"url","url":"example://files/table.csv","mime_type":"text/csv"}]
EXPECTED
echo 'as described'
