/*
 * What a call of execute_code answers: a CallToolResult (server/tools, "Tool Result") with a text for
 * models and, where the revision has it, the whole result as structured content.
 */
#ifndef MCP_TOOL_RESULT_H
#define MCP_TOOL_RESULT_H

#include <jansson.h>

#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "run/result.h"

/*
 * The answer to a run, a new reference. The result's texts are taken out of it. Both forms show at most
 * `most` bytes of the output, head and tail; where that leaves something out it is kept in `runs`, and
 * the answer links to it. Artifacts go along: pictures and audio as what they are, short texts as resources, the
 * rest as links to what is kept; what is too large for all of these is named. However it has to be escaped,
 * the answer fits into one message.
 */
json_t *tool_result_of_run(struct result *result, const struct revision *revision, size_t most,
                           struct result_store *store);

/* The answer to a call that ran nothing, a new reference. */
json_t *tool_result_of_failure(const char *message);

#endif
