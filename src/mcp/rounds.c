#include "mcp/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "mcp/questions.h"

enum { NAME_SIZE = 24 };

struct tool_question {
    char name[NAME_SIZE];        /* its key in inputRequests */
    char *text;                  /* owned */
    const struct notifier *done; /* borrowed */
    enum tool_decision decision;
};

/* ---- keys */

static int hash_part(const char *text, size_t length, void *hash)
{
    sha256_update(hash, text, length);
    return 0;
}

void round_digest(const char *tool, const json_t *arguments, char digest[SHA256_HEX_SIZE])
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, tool, strlen(tool) + 1);
    json_dump_callback(arguments, hash_part, &hash,
                       JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    sha256_hex(&hash, digest);
}

static bool keys_equal(const struct round_key *one, const struct round_key *other)
{
    return strcmp(one->state, other->state) == 0 && strcmp(one->digest, other->digest) == 0;
}

/* ---- questions */

/*
 * Responds with the open question, which the client can answer only by a request that repeats the
 * call. The caller has the lock.
 */
static void send_question(struct round *round)
{
    const struct tool_question *question = round->question;

    linux_random_digits(round->key.state, sizeof round->key.state);
    round->unclaimed = true;
    round->count++;
    json_decref(round->request_id);
    round->request_id = json_incref(round->responder->id);
    responder_result(round->responder,
                     json_pack("{s:s, s:{s:{s:s, s:o}}, s:s}", "resultType", "input_required",
                               "inputRequests", question->name, "method", "elicitation/create",
                               "params", questions_form(question->text), "requestState",
                               round->key.state));
}

/* While the client has not come back, the question waits for its next request. */
static struct tool_question *ask(void *context, const char *text, const struct notifier *done)
{
    struct round *round = context;
    struct tool_question *question = NULL;

    pthread_mutex_lock(round->lock);
    if (!*round->closed && round->count < ROUNDS_MAX) {
        question = memory_allocate(sizeof *question);
        *question = (struct tool_question){
            .text = string_copy(text), .done = done, .decision = TOOL_UNDECIDED};
        snprintf(question->name, sizeof question->name, "question-%d", round->count + 1);
        round->question = question;
        if (!round->unclaimed)
            send_question(round);
    }
    pthread_mutex_unlock(round->lock);
    return question;
}

/* Frees the question. The caller has the lock. */
static void end_question(struct round *round)
{
    free(round->question->text);
    free(round->question);
    round->question = NULL;
}

static enum tool_decision take(void *context, struct tool_question *question)
{
    struct round *round = context;
    enum tool_decision decision;

    pthread_mutex_lock(round->lock);
    decision = question->decision;
    if (decision != TOOL_UNDECIDED)
        end_question(round);
    pthread_mutex_unlock(round->lock);
    return decision;
}

/* There is no message that tells a client so. Its answer will find no question of this name. */
static void cancel(void *context, struct tool_question *question)
{
    struct round *round = context;

    (void)question;
    pthread_mutex_lock(round->lock);
    end_question(round);
    pthread_mutex_unlock(round->lock);
}

void round_init(struct round *round, pthread_mutex_t *lock, struct responder *responder,
                const bool *closed, const char *digest)
{
    *round = (struct round){.lock = lock,
                            .responder = responder,
                            .closed = closed,
                            .asker = {round, ask, take, cancel}};
    memcpy(round->key.digest, digest, sizeof round->key.digest);
}

bool round_matches(const struct round *round, const struct round_key *key)
{
    return round->unclaimed && keys_equal(&round->key, key);
}

bool round_responded(const struct round *round, const json_t *id)
{
    return round->unclaimed && json_equal(round->request_id, id);
}

void round_resume(struct round *round, const json_t *responses)
{
    struct tool_question *question = round->question;
    const json_t *response;

    round->unclaimed = false;
    if (!question)
        return;
    response = json_object_get(responses, question->name);
    if (response)
        question->decision = questions_read(response);
    else if (round->count < ROUNDS_MAX)
        send_question(round);
    else
        question->decision = TOOL_DISMISSED;
    if (question->decision != TOOL_UNDECIDED)
        notifier_raise(question->done);
}

void round_release(struct round *round)
{
    json_decref(round->request_id);
    round->request_id = NULL;
}

/* ---- results */

void round_results_keep(struct round_results *results, const struct round_key *key, json_t *result)
{
    json_decref(results->kept[results->next].result);
    results->kept[results->next].key = *key;
    results->kept[results->next].result = result;
    results->next = (results->next + 1) % ROUND_RESULTS_MAX;
}

json_t *round_results_take(struct round_results *results, const struct round_key *key)
{
    json_t *result = NULL;

    for (int i = 0; i < ROUND_RESULTS_MAX && !result; i++) {
        if (!results->kept[i].result || !keys_equal(&results->kept[i].key, key))
            continue;
        result = results->kept[i].result;
        results->kept[i].result = NULL;
    }
    return result;
}

void round_results_release(struct round_results *results)
{
    for (int i = 0; i < ROUND_RESULTS_MAX; i++)
        json_decref(results->kept[i].result);
}
