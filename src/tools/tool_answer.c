#include "tools/tool_answer.h"

json_t *tool_answer(json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

json_t *tool_answer_error(json_t *id, enum tool_error code, const char *message)
{
    return json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
                     id ? json_incref(id) : json_null(), "error", "code", (int)code, "message",
                     message);
}
