/*
 * Questions to the person at a client of a modern revision, in which servers send no requests: the
 * response to a call is the question, and the client repeats the call with the answer (multi
 * questions-trip requests: 2026-07-28, basic/patterns/mrtr). Meanwhile the program waits in its
 * container; the repeated request takes the place of the first one.
 *
 * The state that a client sends back is random and is accepted once, for the same tool with the
 * same arguments.
 */
#ifndef MCP_CALL_QUESTION_H
#define MCP_CALL_QUESTION_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/sha256.h"
#include "mcp/responder.h"
#include "tools/tool_consent.h"

/* Questions of a call. Official clients repeat a call 10 times (inputRequired.maxRounds). */
enum { CALL_QUESTIONS_MAX = 10 };

enum { CALL_QUESTION_STATE_SIZE = 33 };

/* Which request a client must repeat. */
struct call_question_key {
    char state[CALL_QUESTION_STATE_SIZE];
    char digest[SHA256_HEX_SIZE]; /* of the tool and its arguments */
};

/* Writes the digest of a call; `arguments` may be NULL. */
void call_question_digest(const char *tool, const json_t *arguments, char digest[SHA256_HEX_SIZE]);

/* The questions of one call. */
struct call_question {
    pthread_mutex_t *lock;       /* borrowed, like the next two; NULL: the call cannot ask */
    struct responder *responder; /* of the call */
    const bool *closed;          /* of the call: it is not responded to any more */
    struct tool_asker asker;
    bool unclaimed;                 /* the client has its question, and has not repeated the call */
    struct call_question_key key;   /* while it is unclaimed, like the next one */
    json_t *request_id;             /* of the request whose response is the question; owned */
    int count;                      /* questions that were sent */
    struct tool_question *question; /* owned by who asked; NULL: none is open */
};

/*
 * Makes a call ask. The lock is the one under which the call is responded to; `digest` is that of
 * the call. It is not moved after that. Only the functions of its asker take the lock.
 */
void call_question_init(struct call_question *questions, pthread_mutex_t *lock,
                        struct responder *responder, const bool *closed, const char *digest);

/* Whether the client has to repeat this call, with this key. The caller has the lock. */
bool call_question_matches(const struct call_question *questions,
                           const struct call_question_key *key);

/*
 * Whether the question was the response to the request with this id, which a client that comes back
 * no more may cancel. The caller has the lock.
 */
bool call_question_responded(const struct call_question *questions, const json_t *id);

/*
 * The client has repeated the call, and the responder of the call is that of the new request.
 * `responses` is inputResponses, any JSON or NULL. Asks again if an answer is missing. The caller
 * has the lock.
 */
void call_question_resume(struct call_question *questions, const json_t *responses);

void call_question_release(struct call_question *questions);

/* ---- results whose client has not come back yet */

/* Results that are kept; of more the oldest is dropped. Each has at most RESULT_MAX bytes. */
enum { UNCLAIMED_RESULTS_MAX = 16 };

struct unclaimed_results {
    struct {
        struct call_question_key key;
        json_t *result; /* owned; NULL: nothing is here */
    } kept[UNCLAIMED_RESULTS_MAX];
    int next; /* where the next one is put */
};

/* Keeps a result for the request that repeats the call. Takes ownership of it. */
void unclaimed_results_keep(struct unclaimed_results *results, const struct call_question_key *key,
                            json_t *result);

/* The result for a request with this key, owned by the caller; NULL: there is none. */
json_t *unclaimed_results_take(struct unclaimed_results *results,
                               const struct call_question_key *key);

void unclaimed_results_release(struct unclaimed_results *results);

#endif
