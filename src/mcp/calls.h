/*
 * The calls of execute_code that wait or run: each with its progress and the responder of its
 * request. The service (service/service.h) queues and runs them.
 *
 * Cancellation, progress and response of a call happen under one lock, so that whichever comes
 * first decides: no response follows a cancellation, and no progress follows a response.
 */
#ifndef MCP_CALLS_H
#define MCP_CALLS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "config/config.h"
#include "mcp/advice.h"
#include "mcp/call_question.h"
#include "mcp/progress.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "request/plan.h"
#include "run/run_stats.h"
#include "service/service.h"

/* Bytes of the plans of all calls that wait or run. */
enum { CALLS_BYTES_MAX = 256 << 20 };

struct call {
    struct responder responder;
    struct progress progress;
    const struct tool_asker *asker; /* borrowed; NULL: there is no one to ask */
    struct call_question questions; /* if the asker is its own */
    struct strvec warnings;         /* about its arguments; owned */

    /* Only calls.c uses the rest. */
    struct calls *calls;
    struct run_handle *handle;     /* valid while the call is in the list */
    char session[SESSION_ID_SIZE]; /* "": it uses none */
    bool opens_session;            /* it is the first of its session */
    const struct language
        *language; /* of its program; borrowed; NULL: the configuration has none */
    struct advice_offers offers;
    /* owned; the warning that its language is not prepared; NULL: it cannot be that */
    char *unprepared;
    struct run_stats stats;
    bool started; /* the service runs it; false: it waits in the queue */
    bool closed;  /* no response will be sent: it was cancelled, or has its response */
    unsigned long long last_bytes; /* of output, at the last progress */
    struct call *next;
};

/* An empty call, for calls_submit() or call_free(). */
struct call *call_new(void);
void call_free(struct call *call);

struct calls {
    struct service *service; /* borrowed, like the next three */
    const struct config *config;
    struct writer *writer;
    struct result_store *store;

    pthread_mutex_t lock;
    struct call *list; /* in the order in which they were submitted */
    int unfinished;    /* those in the list, and those whose containers are being removed */
    struct strvec sent_warnings; /* warnings that some client has had, and that do not come again */
    struct unclaimed_results results;
};

/* Everything is borrowed and must exist until calls_release(). */
void calls_init(struct calls *calls, struct service *service, const struct config *config,
                struct writer *writer, struct result_store *store);

/*
 * Submits the call; its response is sent when it has run. Takes ownership of the call and of the
 * plan on success. Fails as service_submit() and service_open_session() do. A session that the call
 * opens is closed again if its program never begins, or if the client does not get the response.
 */
int calls_submit(struct calls *calls, struct call *call, struct plan *plan, struct error *error);

/* Makes the call ask by its responses; `digest` is call_question_digest() of it. Call it before the
 * above.
 */
void calls_ask_by_responses(struct calls *calls, struct call *call, const char *digest);

/*
 * Takes a request that repeats a call with the answer to a question, and uses the responder. False
 * if no call has this key: it was used before, or belongs to another call.
 */
bool calls_resume(struct calls *calls, const struct call_question_key *key,
                  struct responder *responder, const json_t *params);

/*
 * Cancels the calls with this id; no response is sent. A call whose question waits for an answer
 * has the id of the request that the question was the response to: "any associated processing
 * SHOULD cease" (2026-07-28, CancelledNotification).
 */
void calls_cancel(struct calls *calls, const json_t *id);

/*
 * Sends the progress that is due. Returns after how many milliseconds to call it again, or -1 if no
 * call needs it.
 */
int calls_send_progress(struct calls *calls);

/* Responds to the calls that wait, because the server shuts down. Close the service next. */
void calls_end(struct calls *calls);

/* Whether no call waits or runs, and the containers of all others have been removed. */
bool calls_done(struct calls *calls);

/* How many calls have neither a response nor been cancelled. */
int calls_without_response(struct calls *calls);

/* Call it after service_close(). */
void calls_release(struct calls *calls);

#endif
