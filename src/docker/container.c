#include "docker/container.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/text.h"

/* Descriptors a sandboxed process may hold; explicit, since the engine's default may be refused. */
static const char NOFILE_LIMIT[] = "nofile=1024:1024";

/* docker/cli, cli/config/configfile, ParseProxyConfig(): each in both cases. */
const char *const container_proxy_variables[] = {
    "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "FTP_PROXY", "ftp_proxy",
    "NO_PROXY",   "no_proxy",   "ALL_PROXY",   "all_proxy",   NULL,
};

/* How long a creation may still take once it is not wanted any more. */
enum { CANCELLED_CREATE_PERCENT = 30, DISCARD_PERCENT = 20 }; /* of the engine's time */

/* The options that are the same for every container: nothing gained, nothing leaked, nothing kept.
 */
static void add_fixed_options(struct strvec *arguments)
{
    strvec_push_each(arguments, "--pull", "never", NULL);
    strvec_push_each(arguments, "--security-opt", "no-new-privileges", NULL);
    strvec_push_each(arguments, "--ulimit", "core=0", "--ulimit", NOFILE_LIMIT, NULL);
    strvec_push_each(arguments, "--ipc", "private", "--hostname", "sandbox", NULL);
    strvec_push_each(arguments, "--log-driver", "none", "--no-healthcheck", NULL);
}

static void add_limits(struct strvec *arguments, const struct container_spec *spec)
{
    strvec_pushf(arguments, "--user=%u:%u", spec->uid, spec->gid);
    strvec_pushf(arguments, "--memory=%ldm", spec->memory_mb);
    strvec_pushf(arguments, "--memory-swap=%ldm", spec->memory_mb);
    strvec_pushf(arguments, "--cpus=%.3f", spec->cpus);
    strvec_pushf(arguments, "--pids-limit=%ld", spec->pids);
    strvec_pushf(arguments, "--network=%s", spec->network);
    strvec_pushf(arguments, "--read-only=%s", spec->read_only ? "true" : "false");
    for (size_t i = 0; i < spec->cap_drop->count; i++)
        strvec_pushf(arguments, "--cap-drop=%s", spec->cap_drop->items[i]);
}

static void add_environment(struct strvec *arguments, const struct container_spec *spec)
{
    if (spec->environment_file >= 0)
        strvec_push_each(arguments, "--env-file", "/dev/stdin", NULL);
    else if (strcmp(spec->network, "none") == 0)
        for (const char *const *name = container_proxy_variables; *name; name++)
            strvec_pushf(arguments, "--env=%s=", *name);
}

static void add_mounts(struct strvec *arguments, const struct container_spec *spec)
{
    for (int i = 0; i < CONTAINER_TMPFS_MAX; i++) {
        if (!spec->tmpfs[i].path)
            continue;
        strvec_push(arguments, "--tmpfs");
        strvec_pushf(arguments, "%s:rw,exec,nosuid,nodev,size=%ldm,uid=%u,gid=%u,mode=0700",
                     spec->tmpfs[i].path, spec->tmpfs[i].size_mb, spec->uid, spec->gid);
    }
    if (spec->volume) {
        strvec_push(arguments, "--mount");
        strvec_pushf(arguments, "type=volume,destination=%s", spec->volume);
    }
}

static struct strvec create_arguments(const struct container_spec *spec)
{
    struct strvec arguments = STRVEC_INIT;

    strvec_push_each(&arguments, "create", "--name", spec->name, NULL);
    if (spec->auto_remove)
        strvec_push(&arguments, "--rm");
    if (spec->open_stdin)
        strvec_push(&arguments, "--interactive");
    add_fixed_options(&arguments);
    add_limits(&arguments, spec);
    add_mounts(&arguments, spec);
    for (size_t i = 0; i < spec->labels->count; i++)
        strvec_push_each(&arguments, "--label", spec->labels->items[i], NULL);
    add_environment(&arguments, spec);
    if (spec->workdir)
        strvec_push_each(&arguments, "--workdir", spec->workdir, NULL);
    /* An empty entrypoint takes away the image's, so that the command is all there is. */
    strvec_push_each(&arguments, "--entrypoint", "", "--", spec->image, NULL);
    strvec_push_all(&arguments, spec->command);
    return arguments;
}

char *container_text(const struct container_spec *spec)
{
    CLEANUP(strvec_release) struct strvec arguments = create_arguments(spec);

    return strvec_join(&arguments, "\n");
}

static void add_lines(struct strvec *lines, const struct strbuf *text)
{
    const char *rest = strbuf_string(text);

    while (*rest) {
        const size_t length = strcspn(rest, "\r\n");
        struct strbuf line = STRBUF_INIT;

        if (length > 0) {
            text_add_escaped(&line, rest, length);
            strvec_push_owned(lines, strbuf_steal(&line));
        }
        rest += length;
        rest += strspn(rest, "\r\n");
    }
}

/* Removes a container that should not be there. One attempt: most often there is none. */
static void discard(const struct docker *docker, const char *name)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {.arguments = &arguments,
                                     .stdin_file = -1,
                                     .deadline =
                                         clock_now_ms() + docker_share(docker, DISCARD_PERCENT)};

    strvec_push_each(&arguments, "rm", "--force", "--volumes", name, NULL);
    docker_run(docker, &call, &output, &ignored);
}

int container_create(const struct docker *docker, const struct container_spec *spec,
                     long long deadline, const struct cancel *cancel, struct strvec *warnings,
                     bool *cut_off, struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = create_arguments(spec);
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    const struct docker_call call = {.arguments = &arguments,
                                     .stdin_file = spec->environment_file,
                                     .deadline = deadline,
                                     .cancel = cancel,
                                     .patience = docker_share(docker, CANCELLED_CREATE_PERCENT)};

    *cut_off = false;
    if (docker_run(docker, &call, &output, error) != 0) {
        *cut_off = output.status >= 0;
        return -1;
    }
    if (output.status != 0) {
        CLEANUP_FREE char *message = docker_failure(&call, &output);
        *cut_off = output.status > 128; /* somebody killed the command */
        discard(docker, spec->name);
        return docker_explain(docker, spec->image, "cannot create a container", message, cancel,
                              error);
    }
    add_lines(warnings, &output.err);
    return 0;
}

/* Runs a command whose failure needs no further questions. */
static int run_simple(const struct docker *docker, const struct docker_call *call, const char *what,
                      struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;

    if (docker_run(docker, call, &output, error) != 0)
        return error->kind == ERROR_CANCELLED ? -1 : error_prefix(error, "%s", what);
    if (output.status != 0) {
        CLEANUP_FREE char *message = docker_failure(call, &output);
        return error_set(error, ERROR_ENGINE, "%s: %s", what, message);
    }
    return 0;
}

int container_check_limits(const struct docker *docker, const struct container_spec *spec,
                           long long deadline, const struct cancel *cancel, struct error *error)
{
    static const char *const names[] = {"memory", "swap", "processes", "cpus"};
    const long long bytes = spec->memory_mb * 1048576LL;
    const long long expected[] = {bytes, bytes, spec->pids, llround(spec->cpus * 1000) * 1000000};
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(strbuf_release) struct strbuf missing = STRBUF_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline, .cancel = cancel};
    char *rest = NULL;

    strvec_push_each(&arguments, "inspect", "--type", "container", "--format", NULL);
    strvec_push_each(&arguments,
                     "{{.HostConfig.Memory}}/{{.HostConfig.MemorySwap}}/{{.HostConfig.PidsLimit}}/"
                     "{{.HostConfig.NanoCpus}}",
                     spec->name, NULL);
    if (docker_run(docker, &call, &output, error) != 0)
        return error->kind == ERROR_CANCELLED ? -1
                                              : error_prefix(error, "cannot inspect the container");
    if (output.status != 0) {
        CLEANUP_FREE char *message = docker_failure(&call, &output);
        return error_set(error, ERROR_ENGINE, "cannot inspect the container: %s", message);
    }
    strbuf_addstr(&output.out, "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = strtok_r(i == 0 ? output.out.data : NULL, "/\n", &rest);
        char digits[32];

        snprintf(digits, sizeof digits, "%lld", expected[i]);
        if (!value || strcmp(value, digits) != 0)
            strbuf_addf(&missing, "%s%s", missing.length > 0 ? ", " : "", names[i]);
    }
    if (missing.length == 0)
        return 0;
    return error_set(
        error, ERROR_ENGINE,
        "the engine does not enforce the limit of %s, see the warnings; where that may be, set "
        "allowUnenforced in the configuration",
        missing.data);
}

int container_has(const struct docker *docker, const char *name, const char *path,
                  long long deadline)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline};

    strvec_push(&arguments, "cp");
    strvec_pushf(&arguments, "%s:%s", name, path);
    strvec_push(&arguments, "-");
    return docker_run(docker, &call, &output, &ignored) == 0 ? output.status == 0 : -1;
}

int container_copy_in(const struct docker *docker, const char *name, const char *directory,
                      int tar_file, long long deadline, const struct cancel *cancel,
                      struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = tar_file, .deadline = deadline, .cancel = cancel};

    strvec_push_each(&arguments, "cp", "-", NULL);
    strvec_pushf(&arguments, "%s:%s", name, directory);
    return run_simple(docker, &call, "cannot copy the files into the container", error);
}

int container_start(const struct docker *docker, const char *name,
                    const struct process_options *streams, struct process *process,
                    struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec argv = STRVEC_INIT;
    struct process_options options = *streams;

    strvec_push_each(&arguments, "start", "--attach", "--interactive", name, NULL);
    argv = docker_argv(docker, &arguments);
    options.arguments = &argv;
    return process_start(process, &options, error);
}

/*
 * A time as the engine prints it, "2026-11-21T07:02:12.836341566Z", in milliseconds since 1970; -1 for
 * "none", which the engine writes as one of the year 1. False where it is no time.
 */
static bool parse_time(const char *text, long long *milliseconds)
{
    struct tm when = {0};
    double seconds = 0;
    long long days;
    int year;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lf", &when.tm_year, &when.tm_mon, &when.tm_mday,
               &when.tm_hour, &when.tm_min, &seconds) != 6 ||
        when.tm_year < 1 || when.tm_mon < 1 || when.tm_mon > 12 || !(seconds >= 0 && seconds < 61))
        return false;
    *milliseconds = -1;
    if (when.tm_year < 1970)
        return true;
    /* Days since 1970 of the Gregorian calendar, with years that begin in March. */
    year = when.tm_mon > 2 ? when.tm_year : when.tm_year - 1;
    days = 365LL * year + year / 4 - year / 100 + year / 400 +
           (153 * ((when.tm_mon + 9) % 12) + 2) / 5 + when.tm_mday - 1 - 719468;
    *milliseconds =
        ((days * 24 + when.tm_hour) * 60 + when.tm_min) * 60000 + (long long)(seconds * 1000);
    return true;
}

bool container_state_read(struct container_state *state, const char *text)
{
    char oom[8], started[64], finished[64];
    long long start, end;

    *state = (struct container_state){.message = ""};
    if (sscanf(text, "%9d %7s %63s %63s %511[^\n]", &state->exit_code, oom, started, finished,
               state->message) < 4 ||
        (strcmp(oom, "true") != 0 && strcmp(oom, "false") != 0) || !parse_time(started, &start) ||
        !parse_time(finished, &end))
        return false;
    state->oom_killed = strcmp(oom, "true") == 0;
    state->started = start > 0; /* the engine's zero time is in the year 1 */
    state->ended = end > 0;
    state->run_ms = start > 0 && end >= start ? end - start : 0;
    return true;
}

int container_inspect(const struct docker *docker, const char *name, long long deadline,
                      struct container_state *state, struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline};

    strvec_push_each(&arguments, "inspect", "--type", "container", "--format", NULL);
    strvec_push_each(&arguments,
                     "{{.State.ExitCode}} {{.State.OOMKilled}} {{.State.StartedAt}} "
                     "{{.State.FinishedAt}} {{.State.Error}}",
                     name, NULL);
    if (docker_run(docker, &call, &output, error) != 0)
        return error_prefix(error, "cannot inspect the container");
    if (output.status != 0 || !container_state_read(state, strbuf_string(&output.out))) {
        CLEANUP_FREE char *message = docker_failure(&call, &output);
        return error_set(error, ERROR_ENGINE, "cannot inspect the container: %s", message);
    }
    return 0;
}

int container_commit(const struct docker *docker, const char *name, const char *tag,
                     const struct strvec *changes, long long deadline, const struct cancel *cancel,
                     struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline, .cancel = cancel};

    strvec_push(&arguments, "commit");
    for (size_t i = 0; i < changes->count; i++)
        strvec_push_each(&arguments, "--change", changes->items[i], NULL);
    strvec_push_each(&arguments, "--", name, tag, NULL);
    return run_simple(docker, &call, "cannot save the image", error);
}

/* Whether the engine says that no container of this name exists, which is more than not finding it.
 */
static bool is_gone(const struct docker *docker, const char *name,
                    const struct process_drain *drain, long long deadline)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline, .drain = drain};

    strvec_push_each(&arguments, "ps", "--all", "--quiet", "--filter", NULL);
    strvec_pushf(&arguments, "name=^/?%s$", name);
    return docker_run(docker, &call, &output, &ignored) == 0 && output.status == 0 &&
           output.out.length == 0;
}

int container_list(const struct docker *docker, const struct strvec *labels, const char *format,
                   long long deadline, const struct cancel *cancel, struct strvec *lines,
                   struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline, .cancel = cancel};
    char *rest = NULL;

    strvec_push_each(&arguments, "ps", "--all", "--no-trunc", "--format", format, NULL);
    for (size_t i = 0; i < labels->count; i++) {
        strvec_push(&arguments, "--filter");
        strvec_pushf(&arguments, "label=%s", labels->items[i]);
    }
    if (docker_run(docker, &call, &output, error) != 0)
        return -1;
    if (output.status != 0) {
        CLEANUP_FREE char *message = docker_failure(&call, &output);
        return error_set(error, ERROR_ENGINE, "cannot list the containers: %s", message);
    }
    for (char *line = output.out.data ? strtok_r(output.out.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        strvec_push(lines, line);
    return 0;
}

/*
 * Ends every process of the container but its first from inside. The engine kills the first, which has to run
 * once more to die, and the kernel then ends the others; but a program of the same user may have taken the
 * processor from it (sched_setscheduler(2)) and keep it busy: then `docker rm` gives up after ten seconds. A
 * new process has its share like any other.
 */
static void kill_inside(const struct docker *docker, const char *name,
                        const struct process_drain *drain, long long deadline,
                        const struct cancel *cancel)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* most often it is not running */
    const struct docker_call call = {.arguments = &arguments,
                                     .stdin_file = -1,
                                     .deadline = deadline,
                                     .drain = drain,
                                     .cancel = cancel};

    strvec_push_each(&arguments, "exec", name, "/bin/sh", "-c", "kill -9 -1", NULL);
    docker_run(docker, &call, &output, &ignored);
}

/* A third of the time that is left: one attempt that hangs must leave time for others. */
static long long some_time(long long deadline)
{
    const long long now = clock_now_ms();

    return now + (deadline - now) / 3;
}

int container_remove(const struct docker *docker, const char *name,
                     const struct process_drain *drain, long long deadline,
                     const struct cancel *cancel, struct error *error)
{
    static const struct timespec pause = {0, 200 * 1000000L};
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(error_release) struct error first = ERROR_INIT;
    struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .drain = drain, .cancel = cancel};

    strvec_push_each(&arguments, "rm", "--force", "--volumes", name, NULL);
    do {
        CLEANUP(error_release) struct error failure = ERROR_INIT;

        call.deadline = some_time(deadline);
        if (run_simple(docker, &call, "cannot remove the container", &failure) == 0)
            return 0;
        /* The engine may be removing it already, on its own account (--rm). */
        if (!cancel_raised(cancel) && is_gone(docker, name, drain, deadline))
            return 0;
        if (first.kind == ERROR_NONE) /* later ones may be no more than the deadline */
            error_set(&first, failure.kind, "%s", failure.message);
        if (!cancel_raised(cancel))
            kill_inside(docker, name, drain, some_time(deadline), cancel);
        nanosleep(&pause, NULL);
    } while (clock_now_ms() < deadline && !cancel_raised(cancel));
    if (docker->given_up && !cancel_raised(cancel))
        docker->given_up(docker->given_up_context, name);
    return error_set(error, first.kind, "%s", first.message);
}
