#include "mcp/tool_list.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/thread.h"
#include "mcp/tool.h"
#include "service/language_images.h"

/* Requests that may wait. Any more get a response at once. */
enum { WAITING_MAX = 100 };

/* How long a client may keep the list, in ms. */
enum { TTL_MS = 300000 };

int tool_list_init(struct tool_list *list, const struct config *config, const struct docker *docker,
                   const struct notifier *changed, struct error *error)
{
    *list = (struct tool_list){
        .config = config, .docker = docker, .changed = changed, .cancel = NOTIFIER_INIT};
    pthread_mutex_init(&list->lock, NULL);
    return notifier_open(&list->cancel, error);
}

/* Finds out which languages can run. Leaves `languages` empty if that is unknown or none can. */
static void find_languages(struct tool_list *list, struct tool_languages *languages)
{
    const size_t count = list->config->language_count;
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* a call will report the same */
    CLEANUP_FREE struct language_images *images = memory_allocate(count * sizeof *images);
    bool any = false;

    if (language_images_inspect(list->docker, list->config, &list->cancel, images, &ignored) != 0)
        return;
    for (size_t i = 0; i < count; i++)
        any |= language_images_suffice(&images[i]);
    if (!any)
        return;
    languages->offered = memory_allocate(count * sizeof(bool));
    languages->unprepared = memory_allocate(count * sizeof(bool));
    for (size_t i = 0; i < count; i++) {
        languages->offered[i] = language_images_suffice(&images[i]);
        languages->unprepared[i] =
            list->config->languages[i].preparation.tag && !images[i].prepared.present;
    }
}

static void *ask(void *context)
{
    struct tool_list *list = context;
    struct tool_languages languages = {.offered = NULL};

    find_languages(list, &languages);
    THREAD_LOCK(&list->lock);
    list->languages = languages;
    list->answered = true;
    notifier_raise(list->changed);
    return NULL;
}

void tool_list_ask(struct tool_list *list)
{
    if (list->asked)
        return;
    list->asked = true;
    list->started = thread_start(&list->thread, ask, list) == 0;
    if (!list->started)
        list->answered = true; /* there is no other thread */
}

static bool is_answered(struct tool_list *list)
{
    THREAD_LOCK(&list->lock);
    return list->answered;
}

const bool *tool_list_offered(struct tool_list *list)
{
    return is_answered(list) ? list->languages.offered : NULL;
}

static void respond(const struct tool_list *list, const struct tool_languages *languages,
                    struct responder *responder)
{
    const struct revision revision = responder_reads(responder);
    json_t *result =
        json_pack("{s:o}", "tools", tool_definitions(list->config, languages, &revision));

    if (responder->revision->modern) {
        json_object_set_new(result, "ttlMs", json_integer(TTL_MS));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    responder_result(responder, result);
}

void tool_list_request(struct tool_list *list, struct responder *responder)
{
    tool_list_ask(list);
    if (is_answered(list)) {
        respond(list, &list->languages, responder);
        return;
    }
    if (list->waiting_count == WAITING_MAX) {
        respond(list, &(struct tool_languages){.offered = NULL}, responder);
        return;
    }
    list->waiting = memory_resize(list->waiting, (list->waiting_count + 1) * sizeof *list->waiting);
    list->waiting[list->waiting_count++] = *responder;
    *responder = (struct responder){.writer = NULL};
}

void tool_list_send(struct tool_list *list)
{
    if (!is_answered(list))
        return;
    for (size_t i = 0; i < list->waiting_count; i++)
        respond(list, &list->languages, &list->waiting[i]);
    list->waiting_count = 0;
}

bool tool_list_is_done(const struct tool_list *list)
{
    return list->waiting_count == 0;
}

void tool_list_end(struct tool_list *list)
{
    notifier_raise(&list->cancel);
    if (list->started)
        pthread_join(list->thread, NULL);
    list->started = false;
    tool_list_send(list);
}

void tool_list_release(struct tool_list *list)
{
    free(list->waiting);
    free(list->languages.offered);
    free(list->languages.unprepared);
    notifier_release(&list->cancel);
    pthread_mutex_destroy(&list->lock);
}
