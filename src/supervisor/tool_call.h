/*
 * The command `isolator-call`, with which programs in any language call tools: the supervisor's own
 * file, which the relay copies to where programs find it. It is a client of MCP at the socket that
 * the relay has (base/mux.h).
 *
 * usage: isolator-call SERVER.TOOL [JSON]    the arguments; "-" reads them from standard input
 *        isolator-call --list [WORD...]      the tools in whose name or description all words occur
 *
 * The value goes to standard output: structured content as JSON, else texts, and the names of the
 * files that pictures and other data have become. Exit statuses: 0; 1 if the call was refused or
 * has failed, with the reason on standard error; 2 if the command is used in a wrong way.
 */
#ifndef SUPERVISOR_TOOL_CALL_H
#define SUPERVISOR_TOOL_CALL_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Whether the program was started by this name. */
bool tool_call_is_meant(const char *name);

/* The command; returns its exit status. */
int tool_call_main(int argc, char **argv);

/*
 * In the relay: copies the file that this process executes to MUX_TOOLS_DIRECTORY. Does nothing if
 * that cannot be: programs have the socket anyway.
 */
void tool_call_lay_out(void);

/*
 * What is printed of a message that answers tools/call: adds to `out` what goes to standard output,
 * and to `err` what goes to standard error. Returns the exit status. Writes files into the working
 * directory. The message is a line of isolator.
 */
int tool_call_print(const char *message, struct strbuf *out, struct strbuf *err);

/*
 * The same for tools/list: the tools that have all words, up to a NULL. Sets *cursor to that of the
 * next page, as JSON and owned by the caller; NULL: there is none.
 */
int tool_call_print_list(const char *message, char *const *words, char **cursor, struct strbuf *out,
                         struct strbuf *err);

#endif
