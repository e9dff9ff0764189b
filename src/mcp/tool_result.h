/*
 * The result of a call of execute_code: a CallToolResult (server/tools, "Tool Result") with a text
 * for models and, if the revision has it, the whole result as structured content.
 */
#ifndef MCP_TOOL_RESULT_H
#define MCP_TOOL_RESULT_H

#include <jansson.h>

#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "run/result.h"

/*
 * The tool result for a run, a new reference. Moves the output out of `result`. Both the text and
 * the structured content have at most `max_text` bytes of the output, its head and its tail. If
 * something is omitted, the output is stored and the tool result links to it. The value of a cell
 * counts as output, gets at most half of `max_text`, and is not stored. Artifacts are
 * attached (mcp/attachments.h). The tool result fits into one message, even if JSON escapes all of
 * it.
 */
json_t *tool_result_of_run(struct result *result, const struct revision *revision, size_t max_text,
                           struct result_store *store);

/* The tool result for a call that ran nothing, a new reference. */
json_t *tool_result_of_failure(const char *message);

/* The tool result for a call that returns a line of text, a new reference. */
json_t *tool_result_of_text(const char *line);

#endif
