/*
 * Adds the entry of this server to the text of a host's configuration file, in the file's format.
 * What it cannot read well enough to be sure, it refuses. Knows no files.
 */
#ifndef MCP_HOST_EDIT_H
#define MCP_HOST_EDIT_H

#include "base/strbuf.h"
#include "mcp/host_config.h"

/*
 * Fills the empty `edited` with the new text; it stays empty if the text has the entry already. A
 * text of nothing but white space becomes the entry alone. In JSON, the entry is set or replaced as
 * host_config_merge() says. In TOML and YAML, it is added to the end (mcp/host_section.h). A file
 * for this server alone is not changed. -1 with ERROR_CONFIG, whose message begins with the line or
 * with the subject.
 */
int host_edit(const struct host *host, const struct host_config *made, const char *text,
              size_t length, struct strbuf *edited, struct error *error);

#endif
