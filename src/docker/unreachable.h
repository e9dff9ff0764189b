/*
 * Why no engine answers, and what the user can do about it: one text for `isolator doctor` and for
 * the error of a run. It looks at the environment and at the engine's socket on this host. Of
 * docker's messages it knows those about versions that do not fit each other; if they change, the
 * text is a more general one.
 */
#ifndef DOCKER_UNREACHABLE_H
#define DOCKER_UNREACHABLE_H

#include "docker/engine_info.h"

enum unreachable_reason {
    UNREACHABLE_FORBIDDEN, /* this user may not use the socket */
    UNREACHABLE_NO_SOCKET, /* the socket does not exist */
    UNREACHABLE_UNKNOWN    /* anything else: docker's message may say more */
};

/* An engine that did not answer so often in a row may hang, and not be busy only. */
enum { UNREACHABLE_SILENCES = 3 };

/* The texts are owned and escaped for a terminal. */
struct unreachable {
    enum unreachable_reason reason;
    char *problem; /* names the socket, the host or the context that was tried */
    char *advice;  /* a command, or what to change */
};

/*
 * What is wrong with an engine that does not answer. Of `engine` it needs `kind`, `silences` and
 * the endpoint (engine_info_ask_endpoint()); `message` is what the docker command said. The caller
 * releases it.
 */
struct unreachable unreachable_find(const struct docker *docker, const struct engine_info *engine,
                                    const char *message);
void unreachable_release(struct unreachable *found);

/* Whether docker's message is about versions that do not fit each other. */
bool unreachable_is_mismatch(const char *message);

/* The path of the engine's socket, borrowed; NULL: it is reached in another way, or not known. */
const char *unreachable_socket(const struct engine_info *engine);

#endif
