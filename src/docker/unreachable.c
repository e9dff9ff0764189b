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

    return path && engine->silences == 0 && access(path, F_OK) == 0 && listens(path);
}

/*
 * Versions of docker and engine that refuse each other. The docker command asks the engine for the
 * version of its API first, and refuses one below its minimum (moby, client/client.go); the engine
 * refuses versions outside of its own range (moby, daemon/server/middleware/version.go). Both name
 * the bound. It changes: 29.0 raised both minimums to 1.44, the docker command went back to 1.40 in
 * 29.3.
 */
static const struct mismatch {
    const char *first, *second; /* in docker's message */
    const char *problem, *advice;
    const char *end; /* of the advice, with the version of docker's message before it; NULL: none */
} mismatches[] = {
    {"API version ", " is not supported by this client: the minimum",
     "the docker command is too new for the container engine",
     "update the engine, or use another docker command: this one needs version ",
     " of its API or newer"},
    {"client version ", " is too old. Minimum supported",
     "the docker command is too old for the container engine",
     "use a newer docker command: the engine needs version ", " of its API or newer"},
    {"client version ", " is too new. Maximum supported",
     "the docker command is too new for the container engine",
     "try again, since it says so too if its first request was lost; or update the engine, which "
     "knows the versions of its API up to ",
     ""},
    {"groups v1 not supported", "",
     "podman 6 needs control groups of version 2, and this machine has version 1",
     "use podman 5 or Docker, or boot with systemd.unified_cgroup_hierarchy=1", NULL},
};

static const char VERSION_IS[] = "version is ";

/* The version in docker's message, "... version is 1.44, ..."; owned, "?" if it has none. */
static char *bound_of(const struct mismatch *mismatch, const char *message)
{
    const char *at = strstr(strstr(strstr(message, mismatch->first), mismatch->second), VERSION_IS);
    size_t length = 0;

    if (at) {
        at += strlen(VERSION_IS);
        length = strspn(at, "0123456789.");
        while (length > 0 && at[length - 1] == '.')
            length--;
    }
    return length > 0 ? string_format("%.*s", (int)length, at) : string_copy("?");
}

/* NULL: docker's message is about something else. */
static const struct mismatch *mismatch_of(const char *message)
{
    for (size_t i = 0; i < sizeof mismatches / sizeof mismatches[0]; i++) {
        const char *first = strstr(message, mismatches[i].first);

        if (first && strstr(first, mismatches[i].second))
            return &mismatches[i];
    }
    return NULL;
}

bool unreachable_is_mismatch(const char *message)
{
    return mismatch_of(message) != NULL;
}

/* False: docker's message is about something else. */
static bool find_mismatch(const char *message, struct unreachable *found)
{
    CLEANUP_FREE char *version = variable("DOCKER_API_VERSION");
    const struct mismatch *mismatch = mismatch_of(message);
    CLEANUP_FREE char *bound = mismatch ? bound_of(mismatch, message) : NULL;

    if (!mismatch)
        return false;
    found->problem = string_copy(mismatch->problem);
    found->advice = version ? string_format("unset DOCKER_API_VERSION, which is %s", version)
                            : string_format("%s%s%s", mismatch->advice, mismatch->end ? bound : "",
                                            mismatch->end ? mismatch->end : "");
    return true;
}

/*
 * The advice how to make the engine answer, owned. One that may hang is normally busy; to restart
 * it ends the work of others.
 */
static char *start_advice(const struct engine_info *engine)
{
    CLEANUP_FREE char *host = variable("DOCKER_HOST");
    const char *path = unreachable_socket(engine);
    const bool exists = path && access(path, F_OK) == 0;
    const bool of_user = path && strncmp(path, "/run/user/", 10) == 0;
    const bool hangs = exists && listens(path);
    const char *systemctl = of_user ? "systemctl --user" : "sudo systemctl";

    if (engine->silences > 0 && engine->silences < UNREACHABLE_SILENCES &&
        (hangs || (!path && engine->endpoint)))
        return string_copy("it may be busy: try again, or raise engineTimeoutSeconds");
    if (host && !exists)
        return string_copy("unset DOCKER_HOST, or start the engine that it names");
    if (!path && engine->endpoint)
        return string_format("see docker context ls and choose another context than %s",
                             engine->endpoint);
    if (hangs && engine->silences > 0)
        return string_format("that is %d times in a row: if it stays so, %s restart docker, which "
                             "ends all its containers",
                             engine->silences, systemctl);
    return string_format("%s start docker", systemctl);
}

/* Whether the configuration names a command of another name, which may not be one of docker's. */
static bool is_other_command(const struct docker *docker)
{
    const char *slash = strrchr(docker->command, '/');

    return strcmp(slash ? slash + 1 : docker->command, "docker") != 0;
}

struct unreachable unreachable_find(const struct docker *docker, const struct engine_info *engine,
                                    const char *message)
{
    struct unreachable found = {.reason = UNREACHABLE_UNKNOWN};
    const char *path = unreachable_socket(engine);

    if (find_mismatch(message, &found))
        return found;
    if (engine->kind == ENGINE_PODMAN) { /* has no engine that could be started */
        found.problem = string_copy("podman does not work");
        found.advice = string_copy("podman info");
        return found;
    }
    if (path && access(path, R_OK | W_OK) != 0 && errno == EACCES) {
        found.reason = UNREACHABLE_FORBIDDEN;
        found.problem = string_format("%s is not accessible to this user", path);
        found.advice = group_advice();
    } else if (path && access(path, F_OK) != 0) {
        found.reason = UNREACHABLE_NO_SOCKET;
        found.problem = string_format("%s does not exist", path);
        found.advice = start_advice(engine);
    } else if (engine->no_endpoint && is_other_command(docker)) {
        CLEANUP_FREE char *command = text_escape_short(docker->command, NAME_MAX_BYTES);

        found.problem = string_format("'%s' does not work as a docker command", command);
        found.advice = string_copy("see containerCommand in the configuration");
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
