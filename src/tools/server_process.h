/*
 * Starts the command of a server of tools. It gets the variables that its entry in the
 * configuration names, and PATH, HOME, LANG and TMPDIR of isolator: no other variable, since those
 * of isolator may have secrets of other programs.
 */
#ifndef TOOLS_SERVER_PROCESS_H
#define TOOLS_SERVER_PROCESS_H

#include "base/error.h"
#include "base/process.h"
#include "config/tool_servers.h"

/*
 * Starts the command with pipes for all three streams, in a process group of its own. ERROR_CONFIG
 * if a value cannot be read from its place, or if the command is isolator or isolator-mcp itself,
 * which would let a program start containers with the rules of another configuration; ERROR_ENGINE
 * if it does not exist; ERROR_SYSTEM.
 */
int server_process_start(struct process *process, const struct tool_server *server,
                         struct error *error);

#endif
