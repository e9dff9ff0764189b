/*
 * What isolator-mcp prints for people when it does not serve, and its exit statuses.
 */
#ifndef MCP_CONSOLE_H
#define MCP_CONSOLE_H

#include "base/error.h"

enum { EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

/*
 * Prints on stdout. stdio is not used for it because it would block in write(2). Returns the exit
 * status.
 */
int console_print(const char *text);

/* Prints the error on stderr. Returns its exit status. */
int console_report(const struct error *error);

#endif
