/*
 * Questions to the person at the client: elicitation in form mode (client/elicitation, since MCP
 * 2025-06-18). A client that has not said that it can answer them gets none. In legacy revisions
 * they are requests of the server, which this module sends; mcp/call_question.h has them in modern
 * ones.
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
    struct tool_asker asker; /* for requests of legacy revisions */
    pthread_mutex_t lock;
    struct tool_question *list; /* those that are open */
    unsigned long long last;    /* number of the last one */
};

/* Borrows the writer, and is not moved after that. */
void questions_init(struct questions *questions, struct writer *writer);

/* The parameters of elicitation/create that ask this text; a new reference. */
json_t *questions_form(const char *text);

/* What the person has said by this ElicitResult, any JSON. All that is not clear is no consent. */
enum tool_decision questions_read(const json_t *result);

/* Notes what the client of a legacy revision can do: `capabilities` of initialize, or NULL. */
void questions_set_client(struct questions *questions, const struct revision *revision,
                          const json_t *capabilities);

/*
 * Whether the person can be asked for a request of this revision. `capabilities` of a modern
 * request are its own, or NULL.
 */
bool questions_can_ask(const struct questions *questions, const struct revision *revision,
                       const json_t *capabilities);

/* Takes a response of the client, any JSON. One that answers no open question is ignored. */
void questions_take(struct questions *questions, const json_t *message);

/* No question is open. */
void questions_release(struct questions *questions);

#endif
