/*
 * Sets the entry of a server in the text of a JSON file, of which every other byte stays. Comments
 * and a comma after the last member may be in the text (mcp/json_places.h).
 */
#ifndef MCP_JSON_EDIT_H
#define MCP_JSON_EDIT_H

#include <jansson.h>

#include "base/strbuf.h"
#include "mcp/json_places.h"

/*
 * Adds to `edited` the text with `entry` as the member `name` of the object `servers` of the root.
 * `places` are those of the text. What is missing becomes the last member of its object; a former
 * entry is replaced. Lines end and are indented as those of the text, and what shares its line with
 * other members is written in one.
 */
void json_edit(const char *text, size_t length, const struct json_places *places,
               const char *servers, const char *name, json_t *entry, struct strbuf *edited);

/* How the lines of the text end: "\r\n" if the first one does, else "\n". A literal. */
const char *json_edit_line_end(const char *text, size_t length);

#endif
