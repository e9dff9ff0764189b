#include "mcp/questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "mcp/jsonrpc.h"

/* Ids are this and a number, to be told from those of the client. */
#define ID_START "isolator-question-"
enum { ID_SIZE = sizeof ID_START + 20 };

struct tool_question {
    char id[ID_SIZE];
    const struct notifier *done; /* borrowed */
    enum tool_decision decision;
    struct tool_question *next;
};

/* What a person can choose, in words that a form shows. */
static const struct {
    const char *text;
    enum tool_decision decision;
} choices[] = {
    {"allow once", TOOL_AGREED},
    {"allow for this run, with any arguments", TOOL_AGREED_FOR_RUN},
    {"refuse", TOOL_REFUSED_FOR_RUN},
};
enum { CHOICES = sizeof choices / sizeof *choices };

/* ---- messages */

json_t *questions_form(const char *text)
{
    json_t *words = json_array();

    for (int i = 0; i < CHOICES; i++)
        json_array_append_new(words, json_string(choices[i].text));
    return json_pack("{s:s, s:{s:s, s:{s:{s:s, s:s, s:o}}, s:[s]}}", "message", text,
                     "requestedSchema", "type", "object", "properties", "answer", "type", "string",
                     "title", "May the tool be called?", "enum", words, "required", "answer");
}

static void send_message(struct writer *writer, json_t *message)
{
    size_t length;
    char *line = jsonrpc_line(message, &length);

    json_decref(message);
    writer_put(writer, line, length);
}

static bool is_text(const json_t *value, const char *text)
{
    return json_string_length(value) == strlen(text) && strcmp(json_string_value(value), text) == 0;
}

enum tool_decision questions_read(const json_t *result)
{
    const json_t *action = json_object_get(result, "action");
    const json_t *answer = json_object_get(json_object_get(result, "content"), "answer");

    if (is_text(action, "decline"))
        return TOOL_DECLINED;
    if (!is_text(action, "accept"))
        return TOOL_DISMISSED;
    for (int i = 0; i < CHOICES; i++)
        if (is_text(answer, choices[i].text))
            return choices[i].decision;
    return TOOL_DISMISSED;
}

/* ---- what a run calls */

static struct tool_question *ask(void *context, const char *text, const struct notifier *done)
{
    struct questions *questions = context;
    struct tool_question *question = memory_allocate(sizeof *question);

    *question = (struct tool_question){.done = done, .decision = TOOL_UNDECIDED};
    pthread_mutex_lock(&questions->lock);
    snprintf(question->id, sizeof question->id, ID_START "%llu", ++questions->last);
    question->next = questions->list;
    questions->list = question;
    pthread_mutex_unlock(&questions->lock);
    send_message(questions->writer,
                 jsonrpc_request(question->id, "elicitation/create", questions_form(text)));
    return question;
}

/* Removes it from the list and frees it. The caller has the lock. */
static void remove_question(struct questions *questions, struct tool_question *question)
{
    struct tool_question **link = &questions->list;

    while (*link != question)
        link = &(*link)->next;
    *link = question->next;
    free(question);
}

static enum tool_decision take(void *context, struct tool_question *question)
{
    struct questions *questions = context;
    enum tool_decision decision;

    THREAD_LOCK(&questions->lock);
    decision = question->decision;
    if (decision != TOOL_UNDECIDED)
        remove_question(questions, question);
    return decision;
}

static void cancel(void *context, struct tool_question *question)
{
    struct questions *questions = context;
    json_t *params;

    pthread_mutex_lock(&questions->lock);
    params = question->decision == TOOL_UNDECIDED
                 ? json_pack("{s:s, s:s}", "requestId", question->id, "reason",
                             "the answer is not needed any more")
                 : NULL;
    remove_question(questions, question);
    pthread_mutex_unlock(&questions->lock);
    if (params)
        send_message(questions->writer, jsonrpc_notification("notifications/cancelled", params));
}

/* ---- what the server calls */

void questions_init(struct questions *questions, struct writer *writer)
{
    *questions = (struct questions){.writer = writer, .asker = {questions, ask, take, cancel}};
    pthread_mutex_init(&questions->lock, NULL);
}

/* An empty object stands for form mode (2025-11-25, client/elicitation, "Capabilities"). */
static bool has_form_mode(const json_t *capabilities)
{
    const json_t *elicitation = json_object_get(capabilities, "elicitation");

    return json_is_object(elicitation) &&
           (json_object_size(elicitation) == 0 || json_object_get(elicitation, "form"));
}

void questions_set_client(struct questions *questions, const struct revision *revision,
                          const json_t *capabilities)
{
    questions->can_ask = revision->elicitation && has_form_mode(capabilities);
}

bool questions_can_ask(const struct questions *questions, const struct revision *revision,
                       const json_t *capabilities)
{
    if (revision->modern)
        return revision->elicitation && has_form_mode(capabilities);
    return revision->elicitation && questions->can_ask;
}

void questions_take(struct questions *questions, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");

    THREAD_LOCK(&questions->lock);
    for (struct tool_question *question = questions->list; question; question = question->next) {
        if (question->decision != TOOL_UNDECIDED || !is_text(id, question->id))
            continue;
        question->decision = questions_read(json_object_get(message, "result"));
        notifier_raise(question->done);
    }
}

void questions_release(struct questions *questions)
{
    pthread_mutex_destroy(&questions->lock);
}
