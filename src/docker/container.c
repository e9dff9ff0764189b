#include "docker/container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/engine_kind.h"
#include "docker/explain.h"

/* Open files of a process; explicit, because the engine may refuse its own default. */
static const char NOFILE_LIMIT[] = "nofile=1024:1024";

/* docker/cli, cli/config/configfile, ParseProxyConfig(): each in upper and lower case. */
const char *const container_proxy_variables[] = {
    "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "FTP_PROXY", "ftp_proxy",
    "NO_PROXY",   "no_proxy",   "ALL_PROXY",   "all_proxy",   NULL,
};

/* Adds the options that every container has. */
static void add_fixed_options(enum engine_kind kind, struct strvec *arguments,
                              const struct container_spec *spec)
{
    strvec_push_each(arguments, "--pull", "never", NULL);
    strvec_push_each(arguments, "--security-opt", "no-new-privileges", NULL);
    strvec_push_each(arguments, "--ulimit", "core=0", "--ulimit", NOFILE_LIMIT, NULL);
    /* Without a namespace of cgroups, the figures of cgroup v2 would be those of the machine. */
    strvec_push_each(arguments, "--ipc", "private", "--cgroupns", "private", NULL);
    strvec_push_each(arguments, "--hostname", "sandbox", NULL);
    engine_add_log(kind, arguments, spec->log_max);
    engine_add_defaults(kind, arguments);
    strvec_push(arguments, "--no-healthcheck");
}

/*
 * Without a network there is no peer that a closed connection could still hear from, so its port is
 * free at once: another program of the container may want it (tcp(7), TIME_WAIT). What the kernel
 * has measured of a connection would be there for another program, too (tcp_no_metrics_save in
 * Documentation/networking/ip-sysctl.rst). Both are settings of a network namespace, since Linux
 * 4.10 and 4.15.
 */
static void add_network(struct strvec *arguments, const struct container_spec *spec)
{
    strvec_pushf(arguments, "--network=%s", spec->network);
    if (strcmp(spec->network, "none") == 0)
        strvec_push_each(arguments, "--sysctl=net.ipv4.tcp_max_tw_buckets=0",
                         "--sysctl=net.ipv4.tcp_no_metrics_save=1", NULL);
}

struct container_limits container_spec_limits(const struct container_spec *spec)
{
    struct container_limits limits = spec->limits;

    limits.pids += spec->runtime_pids;
    return limits;
}

static void add_policy(struct strvec *arguments, const struct container_spec *spec)
{
    const struct container_limits limits = container_spec_limits(spec);

    strvec_pushf(arguments, "--user=%u:%u", spec->uid, spec->gid);
    container_add_limits(arguments, &limits);
    add_network(arguments, spec);
    strvec_pushf(arguments, "--read-only=%s", spec->read_only ? "true" : "false");
    for (size_t i = 0; i < spec->cap_drop->count; i++)
        strvec_pushf(arguments, "--cap-drop=%s", spec->cap_drop->items[i]);
}

static void add_environment(struct strvec *arguments, const struct container_spec *spec)
{
    const bool proxies = !spec->without_proxies && strcmp(spec->network, "none") != 0;

    for (const char *const *name = container_proxy_variables; *name && !proxies; name++)
        strvec_pushf(arguments, "--env=%s=", *name);
    for (size_t i = 0; spec->environment && i < spec->environment->count; i++)
        strvec_pushf(arguments, "--env=%s", spec->environment->items[i]);
}

static void add_mounts(enum engine_kind kind, struct strvec *arguments,
                       const struct container_spec *spec)
{
    for (int i = 0; i < CONTAINER_TMPFS_MAX; i++) {
        if (!spec->tmpfs[i].path)
            continue;
        strvec_push(arguments, "--tmpfs");
        strvec_push_owned(arguments, engine_tmpfs(kind, spec->tmpfs[i].path, spec->tmpfs[i].size_mb,
                                                  spec->uid, spec->gid));
    }
    if (spec->volume) {
        strvec_push(arguments, "--mount");
        strvec_pushf(arguments, "type=volume,destination=%s", spec->volume);
    }
    if (spec->volumes_from)
        strvec_pushf(arguments, "--volumes-from=%s", spec->volumes_from);
}

/* `subcommand` is create or run, which take the same options. */
static struct strvec create_arguments(enum engine_kind kind, const char *subcommand,
                                      const struct container_spec *spec)
{
    struct strvec arguments = STRVEC_INIT;

    engine_add_subcommand(kind, &arguments, subcommand, spec->oci_runtime);
    strvec_push_each(&arguments, "--name", spec->name, NULL);
    if (spec->auto_remove)
        strvec_push(&arguments, "--rm");
    if (spec->lifeline)
        strvec_push(&arguments, "--interactive");
    add_fixed_options(kind, &arguments, spec);
    add_policy(&arguments, spec);
    add_mounts(kind, &arguments, spec);
    for (size_t i = 0; i < spec->labels->count; i++)
        strvec_push_each(&arguments, "--label", spec->labels->items[i], NULL);
    add_environment(&arguments, spec);
    if (spec->workdir)
        strvec_push_each(&arguments, "--workdir", spec->workdir, NULL);
    /* An empty entrypoint replaces the image's, so that the command alone is run. */
    strvec_push_each(&arguments, "--entrypoint", "", "--", spec->image, NULL);
    strvec_push_all(&arguments, spec->command);
    return arguments;
}

/* Adds the value with its length in front, so that different lists give different bytes. */
static void add_value(struct sha256 *hash, const char *value)
{
    CLEANUP_FREE char *text =
        value ? string_format("%zu:%s", strlen(value), value) : string_copy("-");

    sha256_update(hash, text, strlen(text));
}

static void add_number(struct sha256 *hash, double number)
{
    CLEANUP_FREE char *text = string_format("%.17g", number);

    add_value(hash, text);
}

static void add_values(struct sha256 *hash, const struct strvec *values)
{
    add_number(hash, values ? (double)values->count : -1);
    for (size_t i = 0; values && i < values->count; i++)
        add_value(hash, values->items[i]);
}

struct spec_fingerprint container_fingerprint(const struct container_spec *spec)
{
    struct spec_fingerprint fingerprint = {""};
    struct sha256 hash;

    sha256_init(&hash);
    add_value(&hash, spec->image);
    add_value(&hash, spec->network);
    add_value(&hash, spec->oci_runtime);
    add_value(&hash, spec->workdir);
    add_value(&hash, spec->volume);
    add_number(&hash, spec->draw_user);
    add_number(&hash, spec->draw_user ? 0 : spec->uid);
    add_number(&hash, spec->draw_user ? 0 : spec->gid);
    add_number(&hash, spec->read_only);
    add_number(&hash, spec->auto_remove);
    add_number(&hash, spec->lifeline);
    add_number(&hash, (double)spec->log_max);
    for (int i = 0; i < CONTAINER_TMPFS_MAX; i++) {
        add_value(&hash, spec->tmpfs[i].path);
        add_number(&hash, (double)spec->tmpfs[i].size_mb);
    }
    add_values(&hash, spec->cap_drop);
    add_values(&hash, spec->command);
    add_number(&hash, spec->without_proxies);
    add_values(&hash, spec->environment);
    sha256_hex(&hash, fingerprint.sha256);
    return fingerprint;
}

bool spec_fingerprint_equal(const struct spec_fingerprint *one,
                            const struct spec_fingerprint *other)
{
    return strcmp(one->sha256, other->sha256) == 0;
}

void container_add_warnings(struct strvec *warnings, const struct strbuf *text)
{
    const char *rest = strbuf_string(text);

    while (*rest) {
        const size_t length = strcspn(rest, "\r\n");
        struct strbuf line = STRBUF_INIT;

        if (length > 0) {
            text_add_escaped(&line, rest, length);
            strvec_push_owned(warnings, strbuf_steal(&line));
        }
        rest += length;
        rest += strspn(rest, "\r\n");
    }
}

/* Opens the profile of system calls that the command passes on; owned; -1: it passes on none. */
static int open_profile(const struct docker *docker, int *file, struct error *error)
{
    const char *profile = engine_seccomp_profile(docker->kind);

    if (profile && getenv("CONTAINER_HOST")) /* podman-remote(1) */
        return error_set(error, ERROR_ENGINE,
                         "the podman of CONTAINER_HOST cannot be used, since it takes its seccomp "
                         "profile from a file that only this machine has; unset CONTAINER_HOST");
    *file = profile ? linux_unnamed_file_of(profile, strlen(profile)) : -1;
    return !profile || *file >= 0
               ? 0
               : error_set_errno(error, ERROR_SYSTEM, "cannot write an unnamed file");
}

int container_create(const struct docker *docker, const struct container_spec *spec,
                     long long deadline, const struct notifier *cancel, struct strvec *warnings,
                     enum creation_end *end, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP_FD int profile = -1;
    static const char cannot[] = "cannot create a container";
    CLEANUP(docker_call_release)
    struct docker_call call = {.arguments = create_arguments(docker->kind, "create", spec),
                               .deadline = deadline,
                               .cancel = cancel,
                               .grace_ms = budget_ms(docker, BUDGET_CANCELLED_CREATE),
                               .engine_check = docker_check_engine,
                               .check_at = budget_deadline(docker, BUDGET_SILENCE)};

    *end = CREATION_ENDED;
    if (open_profile(docker, &profile, error) != 0)
        return -1;
    call.extra_file = profile;
    if (docker_run(docker, &call, &output, error) != 0) {
        *end = output.given_up      ? CREATION_UNANSWERED
               : output.status >= 0 ? CREATION_CUT_OFF
                                    : CREATION_ENDED;
        return output.given_up ? docker_explain_silence(docker, cannot, cancel, error) : -1;
    }
    if (output.status != 0) {
        CLEANUP_FREE char *message = docker_failure(docker, &call, &output);
        *end = docker_was_killed(&output) ? CREATION_CUT_OFF : CREATION_ENDED;
        container_discard_failed(docker, spec->name, budget_deadline(docker, BUDGET_DISCARD));
        return docker_explain(docker, spec->image, cannot, message, cancel, error);
    }
    container_add_warnings(warnings, &output.err);
    return 0;
}

int container_copy_in(const struct docker *docker, const char *name, const char *directory,
                      const char *what, int tar_file, long long deadline,
                      const struct notifier *cancel, struct error *error)
{
    CLEANUP_FREE char *failure = string_format("cannot copy %s into the container", what);
    CLEANUP(docker_call_release)
    struct docker_call call = {
        .has_stdin = true, .stdin_file = tar_file, .deadline = deadline, .cancel = cancel};

    strvec_push(&call.arguments, "cp");
    engine_add_owners(docker->kind, &call.arguments);
    strvec_push(&call.arguments, "-");
    strvec_pushf(&call.arguments, "%s:%s", name, directory);
    return docker_succeed(docker, &call, failure, NULL, error);
}

int container_run(const struct docker *docker, const struct container_spec *spec,
                  const struct process_options *streams, struct process *process,
                  struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = create_arguments(docker->kind, "run", spec);
    CLEANUP_FD int profile = -1;
    struct process_options options = *streams;

    if (open_profile(docker, &profile, error) != 0)
        return -1;
    options.extra_file = profile;
    return docker_start(docker, &arguments, &options, process, error);
}

int container_launch(const struct docker *docker, const char *name, long long deadline,
                     const struct notifier *cancel, struct error *error)
{
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push_each(&call.arguments, "start", name, NULL);
    return docker_succeed(docker, &call, "cannot start the container", NULL, error);
}

int container_exec(const struct docker *docker, const char *name, const struct strvec *command,
                   const struct process_options *streams, struct process *process,
                   struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;

    strvec_push_each(&arguments, "exec", "--interactive", "--user", "0", name, NULL);
    strvec_push_all(&arguments, command);
    return docker_start(docker, &arguments, streams, process, error);
}

int container_start(const struct docker *docker, const char *name,
                    const struct process_options *streams, struct process *process,
                    struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;

    strvec_push_each(&arguments, "start", "--attach", NULL);
    if (streams->stdin_kind == PROCESS_STDIN_PIPE)
        strvec_push(&arguments, "--interactive");
    strvec_push(&arguments, name);
    return docker_start(docker, &arguments, streams, process, error);
}

int container_logs(const struct docker *docker, const char *name, bool follow,
                   struct process *process, struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_NULL};

    strvec_push(&arguments, "logs");
    if (follow)
        strvec_push(&arguments, "--follow");
    strvec_push(&arguments, name);
    return docker_start(docker, &arguments, &streams, process, error);
}

int container_wait(const struct docker *docker, const char *name, long long deadline,
                   const struct notifier *cancel, struct error *error)
{
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push_each(&call.arguments, "wait", name, NULL);
    return docker_succeed(docker, &call, "cannot wait for the container", NULL, error);
}

int container_commit(const struct docker *docker, const char *name, const char *tag,
                     const struct strvec *changes, long long deadline,
                     const struct notifier *cancel, struct error *error)
{
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push(&call.arguments, "commit");
    for (size_t i = 0; i < changes->count; i++)
        strvec_push_each(&call.arguments, "--change", changes->items[i], NULL);
    strvec_push_each(&call.arguments, "--", name, tag, NULL);
    return docker_succeed(docker, &call, "cannot save the image", NULL, error);
}

int container_rename(const struct docker *docker, const char *name, const char *new_name,
                     long long deadline, const struct notifier *cancel, struct error *error)
{
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push_each(&call.arguments, "rename", "--", name, new_name, NULL);
    return docker_succeed(docker, &call, "cannot rename the container", NULL, error);
}
