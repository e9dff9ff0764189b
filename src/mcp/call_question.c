#include "mcp/call_question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
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

void call_question_digest(const char *tool, const json_t *arguments, char digest[SHA256_HEX_SIZE])
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, tool, strlen(tool) + 1);
    json_dump_callback(arguments, hash_part, &hash,
                       JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    sha256_hex(&hash, digest);
}

static bool keys_equal(const struct call_question_key *one, const struct call_question_key *other)
{
    return strcmp(one->state, other->state) == 0 && strcmp(one->digest, other->digest) == 0;
}

/* ---- questions */

/*
 * Responds with the open question, which the client can answer only by a request that repeats the
 * call. The caller has the lock.
 */
static void send_question(struct call_question *questions)
{
    const struct tool_question *question = questions->question;

    linux_random_digits(questions->key.state, sizeof questions->key.state);
    questions->unclaimed = true;
    questions->count++;
    json_decref(questions->request_id);
    questions->request_id = json_incref(questions->responder->id);
    responder_result(questions->responder,
                     json_pack("{s:s, s:{s:{s:s, s:o}}, s:s}", "resultType", "input_required",
                               "inputRequests", question->name, "method", "elicitation/create",
                               "params", questions_form(question->text), "requestState",
                               questions->key.state));
}

/* While the client has not come back, the question waits for its next request. */
static struct tool_question *ask(void *context, const char *text, const struct notifier *done)
{
    struct call_question *questions = context;
    struct tool_question *question = NULL;

    THREAD_LOCK(questions->lock);
    if (!*questions->closed && questions->count < CALL_QUESTIONS_MAX) {
        question = memory_allocate(sizeof *question);
        *question = (struct tool_question){
            .text = string_copy(text), .done = done, .decision = TOOL_UNDECIDED};
        snprintf(question->name, sizeof question->name, "question-%d", questions->count + 1);
        questions->question = question;
        if (!questions->unclaimed)
            send_question(questions);
    }
    return question;
}

/* Frees the question. The caller has the lock. */
static void end_question(struct call_question *questions)
{
    free(questions->question->text);
    free(questions->question);
    questions->question = NULL;
}

static enum tool_decision take(void *context, struct tool_question *question)
{
    struct call_question *questions = context;
    enum tool_decision decision;

    THREAD_LOCK(questions->lock);
    decision = question->decision;
    if (decision != TOOL_UNDECIDED)
        end_question(questions);
    return decision;
}

/* There is no message that tells a client so. Its answer will find no question of this name. */
static void cancel(void *context, struct tool_question *question)
{
    struct call_question *questions = context;

    (void)question;
    THREAD_LOCK(questions->lock);
    end_question(questions);
}

void call_question_init(struct call_question *questions, pthread_mutex_t *lock,
                        struct responder *responder, const bool *closed, const char *digest)
{
    *questions = (struct call_question){.lock = lock,
                                        .responder = responder,
                                        .closed = closed,
                                        .asker = {questions, ask, take, cancel}};
    memcpy(questions->key.digest, digest, sizeof questions->key.digest);
}

bool call_question_matches(const struct call_question *questions,
                           const struct call_question_key *key)
{
    return questions->unclaimed && keys_equal(&questions->key, key);
}

bool call_question_responded(const struct call_question *questions, const json_t *id)
{
    return questions->unclaimed && json_equal(questions->request_id, id);
}

void call_question_resume(struct call_question *questions, const json_t *responses)
{
    struct tool_question *question = questions->question;
    const json_t *response;

    questions->unclaimed = false;
    if (!question)
        return;
    response = json_object_get(responses, question->name);
    if (response)
        question->decision = questions_read(response);
    else if (questions->count < CALL_QUESTIONS_MAX)
        send_question(questions);
    else
        question->decision = TOOL_DISMISSED;
    if (question->decision != TOOL_UNDECIDED)
        notifier_raise(question->done);
}

void call_question_release(struct call_question *questions)
{
    json_decref(questions->request_id);
    questions->request_id = NULL;
}

/* ---- results */

void unclaimed_results_keep(struct unclaimed_results *results, const struct call_question_key *key,
                            json_t *result)
{
    json_decref(results->kept[results->next].result);
    results->kept[results->next].key = *key;
    results->kept[results->next].result = result;
    results->next = (results->next + 1) % UNCLAIMED_RESULTS_MAX;
}

json_t *unclaimed_results_take(struct unclaimed_results *results,
                               const struct call_question_key *key)
{
    json_t *result = NULL;

    for (int i = 0; i < UNCLAIMED_RESULTS_MAX && !result; i++) {
        if (!results->kept[i].result || !keys_equal(&results->kept[i].key, key))
            continue;
        result = results->kept[i].result;
        results->kept[i].result = NULL;
    }
    return result;
}

void unclaimed_results_release(struct unclaimed_results *results)
{
    for (int i = 0; i < UNCLAIMED_RESULTS_MAX; i++)
        json_decref(results->kept[i].result);
}
