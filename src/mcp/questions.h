/*
 * Questions to the person at the client: elicitation in form mode (MCP 2025-06-18 and 2025-11-25,
 * client/elicitation). They are requests of the server; a client that has not said that it can
 * answer them gets none. A modern revision has no requests of servers, so its calls ask no one.
 *
 * The threads of runs ask, and the thread that reads messages brings the answers.
 */
#ifndef MCP_QUESTIONS_H
#define MCP_QUESTIONS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "mcp/revision.h"
#include "mcp/writer.h"
#include "tools/tool_consent.h"

struct questions {
    struct writer *writer; /* borrowed */
    bool can_ask;          /* the client has said that it can answer; only its thread reads this */
    struct tool_asker asker;
    pthread_mutex_t lock;
    struct tool_question *list; /* those that are open */
    unsigned long long last;    /* number of the last one */
};

/* Borrows the writer, and is not moved after that. */
void questions_init(struct questions *questions, struct writer *writer);

/* Notes what the client of a legacy revision can do: `capabilities` of initialize, or NULL. */
void questions_set_client(struct questions *questions, const struct revision *revision,
                          const json_t *capabilities);

/* Who asks for a request of this revision; NULL: no one can. */
const struct tool_asker *questions_asker(const struct questions *questions,
                                         const struct revision *revision);

/* Takes a response of the client, any JSON. One that answers no open question is ignored. */
void questions_take(struct questions *questions, const json_t *message);

/* No question is open. */
void questions_release(struct questions *questions);

#endif
