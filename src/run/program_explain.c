#include "run/program_explain.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "docker/budget.h"

static int explain_unpack(const struct frame_failed *failure, const char *path, const char *reason,
                          struct error *error)
{
    CLEANUP_FREE char *files = *path ? string_format("'%s'", path) : string_copy("the files");

    if (failure->error == EEXIST || failure->error == ENOTDIR || failure->error == EISDIR)
        return error_set(error, ERROR_INPUT,
                         "cannot unpack %s in the container: %s; remove what is in its place, such "
                         "as a file of an earlier request, or send another name",
                         files, reason);
    error_set(error, ERROR_INPUT,
              "cannot unpack %s in the container: %s; send fewer or smaller files, or "
              "raise " ERROR_SUBJECT,
              files, reason);
    return error_about(
        error, limit_rules[failure->error == ENOSPC ? LIMIT_WORKDIR : LIMIT_MEMORY].key.name);
}

/* Whether the engine has mounted what the path names: no image brings files there. */
static bool is_of_engine(const char *path)
{
    static const char place[] = "/sys/";

    return strncmp(path, place, strlen(place)) == 0;
}

int program_explain_failure(const struct instance *instance, const char *image, struct error *error)
{
    const struct frame_failed *failure = &instance->link.failure;
    CLEANUP_FREE char *path = text_escape(strbuf_string(&instance->link.failed));
    const char *reason = failure->error != 0 ? strerror((int)failure->error) : "incomplete archive";

    switch (failure->step) {
    case FRAME_STEP_UNPACK:
        return explain_unpack(failure, path, reason, error);
    case FRAME_STEP_EXEC:
        return error_set(error, ERROR_COMMAND, "cannot execute '%s' in the image '%s': %s", path,
                         image, reason);
    case FRAME_STEP_DIRECTORY:
        return error_set(error, ERROR_INPUT, "cannot start in the directory '%s': %s", path,
                         reason);
    case FRAME_STEP_START:
        if (!instance->transport->is_connected && failure->error == ECANCELED)
            return owned_container_set_cancelled(error);
        if (instance->link.cell && failure->error != EAGAIN) {
            error_set(error, ERROR_INPUT,
                      "cannot begin the cell: %s; shorten its code and its standard input, or "
                      "raise " ERROR_SUBJECT,
                      reason);
            return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
        }
        return error_set(error, ERROR_ENGINE, "the container has no process for the program: %s",
                         reason);
    case FRAME_STEP_KEEP:
        error_set(error, ERROR_INPUT,
                  "cannot keep a copy of the working directory: '%s': %s; send fewer or smaller "
                  "files, or raise " ERROR_SUBJECT,
                  path, reason);
        return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    case FRAME_STEP_CLEAN:
        if (failure->error == EPERM && is_of_engine(path))
            return error_set(error, ERROR_ENGINE,
                             "several programs cannot run in one container of this engine: its OCI "
                             "runtime lets them change '%s', which cannot be restored",
                             path);
        if (failure->error == EPERM)
            return error_set(error, ERROR_INPUT,
                             "several programs cannot run in one container of the image '%s': they "
                             "can change '%s', which cannot be restored",
                             image, path);
        return error_set(
            error, ERROR_INPUT,
            "cannot remove what an earlier program has left in the container: '%s': %s", path,
            reason);
    case FRAME_STEP_JOIN:
        return error_set(error, ERROR_ENGINE, "cannot join the program and the interactor: %s",
                         reason);
    case FRAME_STEP_CPU:
        error_set(error, ERROR_ENGINE,
                  ERROR_SUBJECT " cannot be enforced: the container does not see how much CPU time "
                                "it uses");
        return error_about(error, limit_rules[LIMIT_CPU_TIME].key.name);
    default:
        return error_set(error, ERROR_ENGINE, "the supervisor failed in the container: %s", reason);
    }
}

enum container_end program_container_end(const struct instance *instance)
{
    const struct docker *docker = instance->container.docker;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct container_state state;

    if (!instance->transport->is_connected) /* its container is still there */
        return container_inspect(docker, instance->container.name,
                                 budget_deadline(docker, BUDGET_INSPECT), &state, &ignored) == 0 &&
                       state.oom_killed && state.exit_code == 128 + SIGKILL
                   ? CONTAINER_KILLED_BY_KERNEL
                   : CONTAINER_END_UNKNOWN;
    return container_end_of(docker, instance->container.name, instance->client.status,
                            budget_deadline(docker, BUDGET_INSPECT));
}

static int explain_lost(struct error *error)
{
    return error_set(error, ERROR_ENGINE,
                     "the connection to the engine was lost before the end of the program: the "
                     "network failed, the engine was restarted, or the docker command was killed; "
                     "run the program again");
}

/* The log of a job has nothing more, and does not say how the job ended. */
static int explain_log(const struct instance *instance, struct error *error)
{
    if (instance->link.broken)
        return error_set(error, ERROR_ENGINE,
                         "the log of the job has a line that is not from its supervisor, so its "
                         "result is not known; run the program again");
    return error_set(error, ERROR_ENGINE,
                     "the container of the job ended before it had reported the end of the "
                     "program: perhaps the engine was restarted; run the program again");
}

int program_explain_no_begin(const struct instance *instance, enum process_event event,
                             struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&instance->message);
    enum container_end end = CONTAINER_END_UNKNOWN;

    if (event == PROCESS_DEADLINE && instance->too_many_files) {
        error_set(error, ERROR_INPUT,
                  "cannot unpack the files in the container in time; send fewer files, or "
                  "raise " ERROR_SUBJECT);
        return error_about(error, limit_rules[LIMIT_CPUS].key.name);
    }
    if (owned_container_set_interrupted(event, "the container did not take the files in time",
                                        message, error))
        return -1;
    if (event == PROCESS_EXITED)
        end = program_container_end(instance);
    if (end == CONTAINER_CONNECTION_LOST && instance->transport->is_connected)
        return explain_lost(error);
    if (end == CONTAINER_KILLED_BY_KERNEL) {
        error_set(error, ERROR_INPUT,
                  "memory ran out before the program ran: the files of the working directory, and "
                  "perhaps a copy of them, are in memory; send fewer or smaller files, or "
                  "raise " ERROR_SUBJECT);
        return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    }
    if (!instance->transport->is_connected)
        return explain_log(instance, error);
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

int program_explain_no_end(const struct instance *instance, enum container_end end,
                           struct error *error)
{
    if (!instance->transport->is_connected)
        return explain_log(instance, error);
    if (instance->link.broken)
        return error_set(error, ERROR_ENGINE,
                         "the connection to the container has bytes that its supervisor did not "
                         "send, so the result is not known%s",
                         instance->link.is_gvisor
                             ? "; with gVisor a program can write to this connection"
                             : "; run the program again");
    if (end == CONTAINER_CONNECTION_LOST)
        return explain_lost(error);
    error_set(error, ERROR_ENGINE,
              "the container ended before it reported the program's exit status ('%s %s' ended "
              "with status %d): perhaps memory ran out, %sor the engine was restarted; run the "
              "program again, or raise " ERROR_SUBJECT,
              instance->container.docker->command,
              instance->delivery == DELIVERY_SHELL ? "run" : "start", instance->client.status,
              instance->link.is_gvisor ? "there were too many processes for gVisor, "
                                         "the program ended process 1, "
                                       : "");
    return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
}
