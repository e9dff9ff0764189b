/*
 * The responses to tools/list. Models are offered only the languages that can run on the engine. A
 * thread asks the engine once, when the client begins to talk; requests wait until it has answered.
 * If it cannot say, or says that none can run, all languages are offered.
 *
 * All functions are for the main thread.
 */
#ifndef MCP_TOOL_LIST_H
#define MCP_TOOL_LIST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "docker/docker.h"
#include "mcp/responder.h"
#include "mcp/tool.h"

struct tool_list {
    const struct config *config; /* borrowed, like the next two */
    const struct docker *docker;
    const struct notifier *changed;
    struct responder *waiting; /* owned; requests without a response */
    size_t waiting_count;

    struct notifier cancel; /* ends the question */
    pthread_t thread;
    bool asked;   /* the thread was started, or could not be */
    bool started; /* it was */
    pthread_mutex_t lock;
    bool answered;                   /* with the lock */
    struct tool_languages languages; /* owned; complete when answered */
};

/* `changed` is raised when the engine has answered. ERROR_SYSTEM if the host refuses something. */
int tool_list_init(struct tool_list *list, const struct config *config, const struct docker *docker,
                   const struct notifier *changed, struct error *error);

/* Asks the engine, if that has not been done. */
void tool_list_ask(struct tool_list *list);

/* Responds, or keeps the request until the engine has answered. Uses the responder. */
void tool_list_request(struct tool_list *list, struct responder *responder);

/* The languages that the responses offer, by their index; NULL: all, or not known yet. */
const bool *tool_list_offered(struct tool_list *list);

/* Responds to the requests that wait, if the engine has answered. */
void tool_list_send(struct tool_list *list);

/* Whether no request waits. */
bool tool_list_is_done(const struct tool_list *list);

/* Gives the question up and responds to all requests, because the server shuts down. */
void tool_list_end(struct tool_list *list);

/* After tool_list_end(), or if nothing was asked. */
void tool_list_release(struct tool_list *list);

#endif
