/*
 * The tools of one program: serves the connections that its relay carries from the UNIX socket in
 * the container (base/mux_link.h), each with a session (tools/tool_session.h). Bytes of the program
 * are taken as far as its sessions have room, and no connection holds up another. It has no thread.
 */
#ifndef TOOLS_TOOL_SOCKET_H
#define TOOLS_TOOL_SOCKET_H

#include "base/error.h"
#include "base/mux_link.h"
#include "base/strvec.h"
#include "tools/tool_consent.h"
#include "tools/tool_log.h"
#include "tools/tool_set.h"

struct tool_socket;

/*
 * Serves MUX_TOOLS_MAX slots of the link, from `first` on, with the tools of these servers. Borrows
 * everything. NULL: ERROR_SYSTEM, and the link is of no use.
 */
struct tool_socket *tool_socket_new(struct tool_set *set, const struct strvec *servers,
                                    struct tool_log *log, struct tool_consent *consent,
                                    struct mux_link *link, unsigned first, struct error *error);

/* Cancels all calls; the link is of no use then but to be freed. NULL is ignored. */
void tool_socket_free(struct tool_socket *socket);

#endif
