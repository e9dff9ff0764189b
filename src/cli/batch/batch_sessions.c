#include "cli/batch/batch_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

struct batch_session_entry {
    char *name; /* owned */
    char id[SESSION_ID_SIZE];
};

void batch_sessions_release(struct batch_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        free(sessions->entries[i].name);
    free(sessions->entries);
    *sessions = (struct batch_sessions)BATCH_SESSIONS_INIT;
}

static struct batch_session_entry *find(const struct batch_sessions *sessions, const char *name)
{
    for (size_t i = 0; i < sessions->count; i++)
        if (strcmp(sessions->entries[i].name, name) == 0)
            return &sessions->entries[i];
    return NULL;
}

int batch_sessions_check(const struct request *request, bool are_jobs, bool is_shard,
                         struct error *error)
{
    if ((!request->session_name && !request->workspace_name) || (!are_jobs && !is_shard))
        return 0;
    return is_shard
               ? error_set(error, ERROR_USAGE,
                           "the lines of a session or workspace cannot be divided into shards: "
                           "run them without --shard")
               : error_set(error, ERROR_USAGE,
                           "a job cannot use a session or a workspace: run such lines without "
                           "--detach");
}

int batch_sessions_find(const struct batch_sessions *sessions, const struct config *config,
                        struct request *request, struct error *error)
{
    const struct batch_session_entry *entry =
        request->session_name ? find(sessions, request->session_name) : NULL;

    request->session.open = request->session_name && !entry;
    if (entry)
        memcpy(request->session.id, entry->id, sizeof request->session.id);
    if (entry && request->session.keep_processes)
        return error_set(error, ERROR_USAGE,
                         "keep_processes belongs to the first line of a session");
    if (request->session.open && !request->language && !request->entrypoint) {
        CLEANUP_FREE char *known = config_language_names(config, NULL);

        return error_set(error, ERROR_USAGE, "language is missing: give one of %s", known);
    }
    return 0;
}

static void add(struct batch_sessions *sessions, const struct request *request)
{
    struct batch_session_entry *entry;

    sessions->entries =
        memory_resize(sessions->entries, (sessions->count + 1) * sizeof *sessions->entries);
    entry = &sessions->entries[sessions->count++];
    entry->name = string_copy(request->session_name);
    memcpy(entry->id, request->session.id, sizeof entry->id);
}

static void forget(struct batch_sessions *sessions, struct batch_session_entry *entry)
{
    free(entry->name);
    *entry = sessions->entries[--sessions->count];
}

void batch_sessions_note(struct batch_sessions *sessions, const struct request *request)
{
    if (request->session.open && !request->session.close)
        add(sessions, request);
    if (request->session_name && !request->session.open && request->session.close)
        forget(sessions, find(sessions, request->session_name));
}
