/*
 * The sessions of `isolator batch`. A line names its session as it likes: the first line of a name
 * opens one, the lines after it use it, and one with `close_session` ends it. A name means nothing
 * outside of this batch. The service knows each session by an id (service/service.h).
 */
#ifndef CLI_BATCH_SESSIONS_H
#define CLI_BATCH_SESSIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/plan.h"
#include "service/service.h"

/* The longest name of a session, in bytes. */
enum { BATCH_SESSION_NAME_MAX = 100 };

/* What a line says of its session. */
struct batch_session {
    char *name; /* owned; NULL: the line uses none */
    bool keep_processes, close;
};

#define BATCH_SESSION_INIT                                                                         \
    {                                                                                              \
        .name = NULL                                                                               \
    }

void batch_session_release(struct batch_session *session);

/*
 * Takes the members `session`, `close_session` and `keep_processes` out of the object of a line.
 * ERROR_USAGE.
 */
int batch_session_take(json_t *arguments, struct batch_session *session, struct error *error);

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
 * A line of an open session needs no `language`: adds that of the session to the object, if it has
 * none.
 */
void batch_sessions_complete(const struct batch_sessions *sessions,
                             const struct batch_session *session, json_t *arguments);

/*
 * Sets the session of the plan, and opens it if the line is the first of its name. Does nothing if
 * the line uses none. Fails as service_open_session() does, and with ERROR_USAGE if a line that is
 * not the first asks for keep_processes.
 */
int batch_sessions_use(struct batch_sessions *sessions, struct service *service,
                       const struct batch_session *session, struct plan *plan, struct error *error);

#endif
