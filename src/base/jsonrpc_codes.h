/*
 * The error codes of JSON-RPC 2.0, section 5.1, and of MCP, which each end of MCP uses. Knows no
 * messages.
 */
#ifndef BASE_JSONRPC_CODES_H
#define BASE_JSONRPC_CODES_H

enum jsonrpc_code {
    JSONRPC_PARSE_ERROR = -32700,
    JSONRPC_INVALID_REQUEST = -32600,
    JSONRPC_METHOD_NOT_FOUND = -32601,
    JSONRPC_INVALID_PARAMS = -32602,
    JSONRPC_INTERNAL_ERROR = -32603,
    JSONRPC_UNSUPPORTED_VERSION = -32022, /* MCP's own, since 2026-07-28 */
};

#endif
