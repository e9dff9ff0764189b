#include "docker/unreachable.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { NAME_MAX_BYTES = 200 };

static const char unix_scheme[] = "unix://";

const char *unreachable_socket(const struct engine_info *engine)
{
    const size_t length = strlen(unix_scheme);

    return engine->endpoint && strncmp(engine->endpoint, unix_scheme, length) == 0
               ? engine->endpoint + length
               : NULL;
}

/* The variable, escaped and owned; NULL if it is not set. */
static char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? text_escape_short(value, NAME_MAX_BYTES) : NULL;
}

static char *group_advice(void)
{
    struct passwd entry, *user = NULL;
    char texts[4096];

    if (getpwuid_r(geteuid(), &entry, texts, sizeof texts, &user) != 0)
        user = NULL;
    return string_format("sudo usermod -aG docker %s, and log in again",
                         user ? user->pw_name : "USER");
}

/* The docker command does not know where the engine is. DOCKER_HOST goes before DOCKER_CONTEXT. */
static void find_no_endpoint(struct unreachable *found)
{
    CLEANUP_FREE char *host = variable("DOCKER_HOST");
    CLEANUP_FREE char *context = variable("DOCKER_CONTEXT");

    if (host) {
        found->problem = string_format("DOCKER_HOST '%s' names no engine", host);
        found->advice = string_copy("unset DOCKER_HOST");
    } else if (context) {
        found->problem = string_format("the docker context '%s' cannot be used", context);
        found->advice = string_copy("unset DOCKER_CONTEXT, or set it to a name that docker context "
                                    "ls shows");
    } else {
        found->problem = string_copy("the current docker context cannot be used");
        found->advice = string_copy("docker context use default");
    }
}

/* Whether a process accepts connections at the socket. */
static bool listens(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CLEANUP_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || strlen(path) >= sizeof address.sun_path)
        return true; /* not known */
    memcpy(address.sun_path, path, strlen(path));
    return connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ||
           errno != ECONNREFUSED;
}

/*
 * Whether something listens at the socket and has answered, so that docker's message says more. An
 * engine of a version that the docker command does not fit does so.
 */
static bool refuses(const struct engine_info *engine)
{
    const char *path = unreachable_socket(engine);

    return path && !engine->silent && access(path, F_OK) == 0 && listens(path);
}

/* The advice how to make the engine answer, owned. If it may hang, the advice is a restart. */
static char *start_advice(const struct engine_info *engine)
{
    CLEANUP_FREE char *host = variable("DOCKER_HOST");
    const char *path = unreachable_socket(engine);
    const bool exists = path && access(path, F_OK) == 0;
    const bool of_user = path && strncmp(path, "/run/user/", 10) == 0;
    const bool hangs = exists && listens(path);

    if (host && !exists)
        return string_copy("unset DOCKER_HOST, or start the engine that it names");
    if (!path && engine->endpoint)
        return string_format("see docker context ls and choose another context than %s",
                             engine->endpoint);
    return string_format("%s %s", of_user ? "systemctl --user" : "sudo systemctl",
                         hangs ? "restart docker, which ends all its containers" : "start docker");
}

struct unreachable unreachable_find(const struct engine_info *engine)
{
    struct unreachable found = {.reason = UNREACHABLE_UNKNOWN};
    const char *path = unreachable_socket(engine);

    if (path && access(path, R_OK | W_OK) != 0 && errno == EACCES) {
        found.reason = UNREACHABLE_FORBIDDEN;
        found.problem = string_format("%s is not accessible to this user", path);
        found.advice = group_advice();
    } else if (path && access(path, F_OK) != 0) {
        found.reason = UNREACHABLE_NO_SOCKET;
        found.problem = string_format("%s does not exist", path);
        found.advice = start_advice(engine);
    } else if (engine->no_endpoint) {
        find_no_endpoint(&found);
    } else if (refuses(engine)) {
        found.problem = string_format("the container engine at %s refuses the docker command",
                                      engine->endpoint);
        found.advice = string_copy("use versions of both that fit each other, or see its log");
    } else {
        found.problem =
            string_format("the container engine does not answer%s%s",
                          engine->endpoint ? " at " : "", engine->endpoint ? engine->endpoint : "");
        found.advice = start_advice(engine);
    }
    return found;
}

void unreachable_release(struct unreachable *found)
{
    free(found->problem);
    free(found->advice);
    *found = (struct unreachable){.reason = UNREACHABLE_UNKNOWN};
}
