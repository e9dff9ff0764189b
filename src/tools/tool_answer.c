#include "tools/tool_answer.h"

json_t *tool_answer(json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

json_t *tool_answer_error(json_t *id, enum jsonrpc_code code, const char *message)
{
    json_t *answer = json_object(), *error = json_object();
    json_t *text = json_string(message);

    json_object_set_new(answer, "jsonrpc", json_string("2.0"));
    json_object_set_new(answer, "id", id ? json_incref(id) : json_null());
    json_object_set_new(error, "code", json_integer(code));
    json_object_set_new(error, "message", text ? text : json_string("the message is not UTF-8"));
    json_object_set_new(answer, "error", error);
    return answer;
}
