/*
 * The command `isolator-call`, with which programs in any language call tools: the supervisor's own
 * file, which the relay copies to where programs find it. It is a client of MCP at the socket that
 * the relay has, and prints the parts that isolator makes of an answer (base/mux.h).
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

/* Whether the program was started by this name. */
bool tool_call_is_meant(const char *name);

/* The command; returns its exit status. */
int tool_call_main(int argc, char **argv);

/*
 * In the relay: copies the file that this process executes to MUX_TOOLS_DIRECTORY. Does nothing if
 * that cannot be: programs have the socket anyway.
 */
void tool_call_lay_out(void);

#endif
