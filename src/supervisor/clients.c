#include "supervisor/supervisor_state.h"

/*
 * The clients of a workspace, one after the other. When a connection has ended (`link.dropped`),
 * what has noticed that goes on: everything can be sent, into nothing. So each state is left as
 * always, but as after STOP. Then all processes are ended, what belongs to the client is forgotten,
 * and a gate is started for the next one.
 */

/* Ends what the client has left. */
static void end_client(struct supervisor *supervisor)
{
    struct workspace *workspace = &supervisor->workspace;

    workspace_leave(workspace);
    requests_stop(supervisor);
    if (supervisor->state != STATE_WAITING && supervisor->state != STATE_ENDED)
        return;
    ending_forget_interpreter(supervisor);
    if (!processes_are_gone(&supervisor->processes) || !workspace_is_due(workspace))
        return;
    requests_reset(supervisor);
    supervisor->run = (struct frame_run){0};
    supervisor->left_processes = false;
    workspace_let_in(workspace);
}

void clients_take(struct supervisor *supervisor)
{
    if (supervisor->stop.exists)
        connection_leave(&supervisor->connection, WORKSPACE_STOPPED);
    workspace_check(&supervisor->workspace);
    requests_take(supervisor);
    if (supervisor->connection.link.dropped)
        end_client(supervisor);
}
