#include "cli/batch_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

struct batch_session_entry {
    char *name, *language; /* owned */
    char id[SESSION_ID_SIZE];
};

/* ---- what a line says */

void batch_session_release(struct batch_session *session)
{
    free(session->name);
    *session = (struct batch_session)BATCH_SESSION_INIT;
}

/* Takes a member that is true or false out of the object. */
static int take_flag(json_t *arguments, const char *name, bool *flag, struct error *error)
{
    const json_t *value = json_object_get(arguments, name);

    if (value && !json_is_boolean(value) && !json_is_null(value))
        return error_set(error, ERROR_USAGE, "%s must be true or false", name);
    *flag = json_is_true(value);
    json_object_del(arguments, name);
    return 0;
}

static int take_name(json_t *arguments, char **name, struct error *error)
{
    const json_t *value = json_object_get(arguments, "session");
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);

    if (value && !json_is_null(value)) {
        if (!text || length == 0 || length > BATCH_SESSION_NAME_MAX || strlen(text) != length)
            return error_set(error, ERROR_USAGE, "session must be a name of 1 to %d bytes",
                             BATCH_SESSION_NAME_MAX);
        *name = string_copy(text);
    }
    json_object_del(arguments, "session");
    return 0;
}

int batch_session_take(json_t *arguments, struct batch_session *session, struct error *error)
{
    if (take_name(arguments, &session->name, error) != 0 ||
        take_flag(arguments, "close_session", &session->close, error) != 0 ||
        take_flag(arguments, "keep_processes", &session->keep_processes, error) != 0)
        return -1;
    if (!session->name && (session->close || session->keep_processes))
        return error_set(error, ERROR_USAGE, "%s needs session, the name of one",
                         session->close ? "close_session" : "keep_processes");
    return 0;
}

/* ---- the sessions that are open */

static void release_entry(struct batch_session_entry *entry)
{
    free(entry->name);
    free(entry->language);
}

void batch_sessions_release(struct batch_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        release_entry(&sessions->entries[i]);
    free(sessions->entries);
    *sessions = (struct batch_sessions)BATCH_SESSIONS_INIT;
}

static struct batch_session_entry *find(const struct batch_sessions *sessions, const char *name)
{
    for (size_t i = 0; name && i < sessions->count; i++)
        if (strcmp(sessions->entries[i].name, name) == 0)
            return &sessions->entries[i];
    return NULL;
}

static void add(struct batch_sessions *sessions, const char *name, const struct plan *plan)
{
    struct batch_session_entry *entry;

    sessions->entries =
        memory_resize(sessions->entries, (sessions->count + 1) * sizeof *sessions->entries);
    entry = &sessions->entries[sessions->count++];
    *entry = (struct batch_session_entry){.name = string_copy(name),
                                          .language = string_copy(plan->language)};
    memcpy(entry->id, plan->session.id, SESSION_ID_SIZE);
}

static void forget(struct batch_sessions *sessions, struct batch_session_entry *entry)
{
    release_entry(entry);
    *entry = sessions->entries[--sessions->count];
}

void batch_sessions_complete(const struct batch_sessions *sessions,
                             const struct batch_session *session, json_t *arguments)
{
    const struct batch_session_entry *entry = find(sessions, session->name);

    if (entry && !json_object_get(arguments, "language") &&
        !json_object_get(arguments, "snippet_name"))
        json_object_set_new(arguments, "language", json_string(entry->language));
}

int batch_sessions_use(struct batch_sessions *sessions, struct service *service,
                       const struct batch_session *session, struct plan *plan, struct error *error)
{
    struct batch_session_entry *entry = find(sessions, session->name);

    if (!session->name)
        return 0;
    if (entry && session->keep_processes)
        return error_set(error, ERROR_USAGE,
                         "keep_processes belongs to the first line of a session");
    if (entry)
        memcpy(plan->session.id, entry->id, SESSION_ID_SIZE);
    else if (service_open_session(service, plan, session->keep_processes, plan->session.id,
                                  error) != 0)
        return -1;
    plan->session.close = session->close;
    if (!entry && !session->close)
        add(sessions, session->name, plan);
    if (entry && session->close)
        forget(sessions, entry);
    return 0;
}
