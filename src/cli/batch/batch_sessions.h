/*
 * The sessions of `isolator batch`. A line names its session as it likes: the first line of a name
 * opens one, the lines after it use it, and one with `close_session` ends it. A name means nothing
 * outside of this batch. The service knows each session by an id (service/service.h).
 */
#ifndef CLI_BATCH_SESSIONS_H
#define CLI_BATCH_SESSIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "request/request.h"

/* The sessions that are open. */
struct batch_sessions {
    struct batch_session_entry *entries; /* owned */
    size_t count;
};

#define BATCH_SESSIONS_INIT                                                                        \
    {                                                                                              \
        .count = 0                                                                                 \
    }

void batch_sessions_release(struct batch_sessions *sessions);

/*
 * Lines of a session or a workspace follow each other: ERROR_USAGE if they are to be jobs, or the
 * batch is a shard, since lines of the same one may be in others.
 */
int batch_sessions_check(const struct request *request, bool are_jobs, bool is_shard,
                         struct error *error);

/*
 * Sets the session of a request by its name, if it has one: the request opens it, or gets the id of
 * one that is open. ERROR_USAGE if a line that opens none asks for keep_processes, or one that does
 * has no language.
 */
int batch_sessions_find(const struct batch_sessions *sessions, const struct config *config,
                        struct request *request, struct error *error);

/*
 * Notes the session of a request that was submitted, or whose session has ended: the name stands
 * for the session that it has opened, or if the line closes it for none.
 */
void batch_sessions_note(struct batch_sessions *sessions, const struct request *request);

#endif
