/*
 * Adds a section to the end of a configuration file in TOML or YAML. It reads no more of the text
 * than it takes to be sure that the section is not there in any form, and that the end of the file
 * is the place for it; else it refuses.
 */
#ifndef MCP_HOST_SECTION_H
#define MCP_HOST_SECTION_H

#include "base/error.h"
#include "base/strbuf.h"
#include "mcp/hosts.h"

/*
 * Adds to `edited` the text, which is not empty, with `section` after it; nothing if the text has
 * the section, line for line. The section sets the member `name` of the top-level table or mapping
 * `key`. Its lines end as those of the text. -1 with ERROR_CONFIG:
 *
 * TOML: if `key` is in the text, other than in a comment, a value, or the header of a table
 * [KEY] or [KEY.NAME] of another name, or a key begins with `name`.
 * YAML: if `key` is in the text at the top level, or the top level is no block mapping
 * or does not end with a line feed.
 */
int host_section_add(enum host_format format, const char *key, const char *name,
                     const char *section, const char *text, struct strbuf *edited,
                     struct error *error);

#endif
