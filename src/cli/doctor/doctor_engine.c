#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/doctor/doctor.h"
#include "docker/budget.h"
#include "docker/install_advice.h"
#include "docker/unreachable.h"
#include "service/gc.h"

/* Free disk space below this is too little for most images. */
enum { DISK_MIN_MB = 1024 };

void doctor_say(struct doctor *doctor, const char *what)
{
    progress_step(&doctor->findings.progress, doctor->language, doctor->languages, what);
}

void doctor_find(struct doctor *doctor, enum finding status, const char *check, char *detail,
                 char *advice)
{
    findings_add(&doctor->findings, status, check, detail, advice);
    free(detail);
    free(advice);
}

static long long query_deadline(const struct doctor *doctor)
{
    return budget_deadline(&doctor->docker, BUDGET_QUERY);
}

/* ---- an engine that does not answer */

static void report_no_answer(struct doctor *doctor)
{
    CLEANUP(unreachable_release)
    struct unreachable found =
        unreachable_find(&doctor->docker, &doctor->engine, doctor->no_answer.message);

    if (found.reason != UNREACHABLE_UNKNOWN)
        doctor_find(doctor, FINDING_FAIL, "socket", string_copy(found.problem),
                    string_copy(found.advice));
    doctor_find(doctor, FINDING_FAIL, "engine",
                string_format("does not answer: %s", doctor->no_answer.message),
                steal_pointer(&found.advice));
}

/* ---- an engine that answers */

static void check_socket(struct doctor *doctor, const struct engine_info *engine)
{
    const char *path = unreachable_socket(engine);
    struct stat status;

    if (!path || stat(path, &status) != 0)
        return;
    if (status.st_mode & S_IWOTH)
        doctor_find(doctor, FINDING_WARN, "socket",
                    string_format(
                        "%s is writable by every user, which gives each of them root access", path),
                    string_format("sudo chmod o-rw %s", path));
    else
        doctor_find(doctor, FINDING_OK, "socket", string_format("%s, accessible", path), NULL);
}

static void report_engine(struct doctor *doctor, const struct engine_info *engine)
{
    const char *host = getenv("DOCKER_HOST");
    struct strbuf detail = STRBUF_INIT;

    strbuf_addf(&detail, "%s %s", engine_kind_name(engine->kind),
                engine->version ? engine->version : "of an unknown version");
    if (engine->platform)
        strbuf_addf(&detail, " (%s)", engine->platform);
    if (engine->rootless)
        strbuf_addstr(&detail, ", rootless");
    if (engine->system)
        strbuf_addf(&detail, ", %s", engine->system);
    if (host && *host)
        strbuf_addf(&detail, ", DOCKER_HOST %s", host);
    else if (engine->context)
        strbuf_addf(&detail, ", context %s", engine->context);
    doctor_find(doctor, FINDING_OK, "engine", strbuf_steal(&detail), NULL);
    findings_add_values(&doctor->findings, doctor_engine_values(engine));
}

/* The advice how to make the engine enforce all limits, owned. */
static char *limits_advice(const struct doctor *doctor, const struct engine_info *engine)
{
    static const char unenforced[] = ", or set \"allowUnenforced\": true";
    const bool memory =
        engine->limits[ENGINE_MEMORY] == ENGINE_NO || engine->limits[ENGINE_SWAP] == ENGINE_NO;
    const bool others =
        engine->limits[ENGINE_PIDS] == ENGINE_NO || engine->limits[ENGINE_CPU] == ENGINE_NO;

    if (engine->rootless && engine->cgroup && strcmp(engine->cgroup, "1") == 0)
        return string_format(
            "rootless engines limit nothing with control groups of version 1: boot "
            "with systemd.unified_cgroup_hierarchy=1%s",
            doctor->docker.allow_unenforced ? "" : unenforced);
    return string_format(
        "%s%s%s%s",
        memory ? "boot the engine's kernel with cgroup_enable=memory swapaccount=1" : "",
        memory && others ? "; " : "",
        !others            ? ""
        : engine->rootless ? "let systemd delegate the controllers cpu and pids to your user"
                           : "use a kernel with the cgroup controllers cpu and pids",
        doctor->docker.allow_unenforced ? "" : unenforced);
}

static void check_limits(struct doctor *doctor, const struct engine_info *engine)
{
    static const char *const names[ENGINE_LIMITS] = {"memory", "swap", "processes", "CPU time"};
    CLEANUP(strvec_release) struct strvec enforced = STRVEC_INIT, missing = STRVEC_INIT;
    CLEANUP_FREE char *enforced_names = NULL;
    CLEANUP_FREE char *missing_names = NULL;
    const char *group = engine->cgroup ? engine->cgroup : "of an unknown version";

    for (int i = 0; i < ENGINE_LIMITS; i++)
        if (engine->limits[i] != ENGINE_UNKNOWN)
            strvec_push(engine->limits[i] == ENGINE_YES ? &enforced : &missing, names[i]);
    enforced_names = strvec_join(&enforced, ", ");
    missing_names = strvec_join(&missing, ", ");
    if (missing.count == 0)
        doctor_find(doctor, FINDING_OK, "limits",
                    string_format("cgroup %s; enforced: %s", group,
                                  enforced.count > 0 ? enforced_names : "unknown"),
                    NULL);
    else
        doctor_find(doctor, doctor->docker.allow_unenforced ? FINDING_WARN : FINDING_FAIL, "limits",
                    string_format("cgroup %s; not enforced: %s", group, missing_names),
                    limits_advice(doctor, engine));
    findings_add_values(&doctor->findings, doctor_limit_values(&enforced, &missing));
}

static void check_seccomp(struct doctor *doctor, const struct engine_info *engine)
{
    const char *more = engine->apparmor ? "; AppArmor" : engine->selinux ? "; SELinux" : "";

    if (engine->seccomp && engine_seccomp_profile(engine->kind))
        doctor_find(doctor, FINDING_OK, "seccomp",
                    string_format("profile of isolator, in place of the engine's%s", more), NULL);
    else if (!engine->seccomp || strcmp(engine->seccomp, "unconfined") == 0)
        doctor_find(doctor, FINDING_WARN, "seccomp",
                    string_format("no profile: programs can make every system call%s", more),
                    string_copy("start the engine without seccomp-profile=unconfined, on a kernel "
                                "with CONFIG_SECCOMP_FILTER"));
    else
        doctor_find(doctor, FINDING_OK, "seccomp",
                    string_format("profile %s%s", engine->seccomp, more), NULL);
}

static void check_users(struct doctor *doctor, const struct engine_info *engine)
{
    const struct config *config = doctor->config;
    const struct sandbox_policy *policy =
        config->maximums.has_user ? &config->maximums : &config->defaults;

    if (engine->rootless || engine->user_namespaces)
        doctor_find(doctor, FINDING_OK, "user namespaces",
                    string_format("%s: root in a container is not root on the host",
                                  engine->rootless ? "rootless" : "users are mapped"),
                    NULL);
    else if (policy->uid == 0)
        doctor_find(doctor, FINDING_WARN, "user namespaces",
                    string_copy("none, and programs run as user 0, which is root on the host"),
                    string_copy("remove \"user\" from the configuration: then each container has "
                                "a user of its own"));
    else if (!policy->has_user)
        doctor_find(doctor, FINDING_OK, "user namespaces",
                    string_format("none; each container has a user of its own (%u-%u)",
                                  config->users.first, config->users.last),
                    NULL);
    else
        doctor_find(doctor, FINDING_OK, "user namespaces",
                    string_format("none; programs run as user %u:%u", policy->uid, policy->gid),
                    NULL);
}

/* Free MB where the engine stores its images; -1 if that is on another host or unknown. */
static long long free_disk(const struct engine_info *engine)
{
    char name[256] = "";
    struct statvfs disk;

    if (!unreachable_socket(engine) || !engine->directory || !engine->host ||
        gethostname(name, sizeof name - 1) != 0 || strcmp(name, engine->host) != 0 ||
        statvfs(engine->directory, &disk) != 0)
        return -1;
    return (long long)disk.f_bavail * (long long)disk.f_frsize >> 20;
}

static void check_storage(struct doctor *doctor, const struct engine_info *engine)
{
    const long long mb = free_disk(engine);
    struct strbuf detail = STRBUF_INIT;
    char *advice = NULL;

    strbuf_addstr(&detail, engine->driver ? engine->driver : "unknown driver");
    if (mb >= 0)
        strbuf_addf(&detail, "; %.1f GB free in %s", (double)mb / 1024, engine->directory);
    if (mb >= 0 && mb < DISK_MIN_MB) {
        advice = string_format("%s system df shows what uses the space", doctor->docker.command);
    } else if (engine->driver && strcmp(engine->driver, "vfs") == 0) {
        strbuf_addstr(&detail, "; it copies the whole image for each run");
        advice = string_copy(engine->kind == ENGINE_PODMAN
                                 ? "driver = \"overlay\" in /etc/containers/storage.conf"
                                 : "start the engine with \"storage-driver\": \"overlay2\"");
    }
    doctor_find(doctor, advice ? FINDING_WARN : FINDING_OK, "storage", strbuf_steal(&detail),
                advice);
}

/* Checks what the engine reports about itself. */
static void check_details(struct doctor *doctor, struct engine_info *engine)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *warnings = NULL;
    int result;

    doctor_say(doctor, "asking the engine about its limits");
    result = engine_info_ask_details(engine, &doctor->docker, query_deadline(doctor),
                                     signals_cancel(), &error);
    if (notifier_raised(signals_cancel()))
        return;
    report_engine(doctor, engine);
    check_socket(doctor, engine);
    if (result != 0) {
        doctor_find(doctor, FINDING_WARN, "limits", string_copy(error.message),
                    string_format("%s info", doctor->docker.command));
        return;
    }
    check_limits(doctor, engine);
    check_seccomp(doctor, engine);
    check_users(doctor, engine);
    check_storage(doctor, engine);
    warnings = strvec_join(&engine->warnings, "; ");
    if (*warnings)
        doctor_find(doctor, FINDING_OK, "engine warnings", steal_pointer(&warnings), NULL);
}

/* ---- orphaned containers */

static void add_orphan_name(void *names, const struct orphan *orphan)
{
    if (orphan->status != OWNER_ALIVE)
        strvec_push(names, orphan->name);
}

static void check_orphans(struct doctor *doctor)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *joined = NULL;
    int count;

    doctor_say(doctor, "looking for orphaned containers");
    count = gc_collect(&doctor->docker, GC_LIST, add_orphan_name, &names, signals_cancel(), &error);
    joined = strvec_join(&names, " ");
    if (notifier_raised(signals_cancel()))
        return;
    if (count < 0)
        doctor_find(doctor, FINDING_WARN, "orphans", string_copy(error.message),
                    string_format("%s ps --all", doctor->docker.command));
    else if (count > 0)
        doctor_find(doctor, FINDING_WARN, "orphans",
                    string_format("%d left by isolators that were killed: %.200s%s", count, joined,
                                  strlen(joined) > 200 ? "..." : ""),
                    string_copy("isolator gc"));
    else
        doctor_find(doctor, FINDING_OK, "orphans", string_copy("none"), NULL);
}

/* ---- the command */

static const char *command_check(const struct doctor *doctor)
{
    return doctor->docker.kind == ENGINE_PODMAN ? "podman command" : "docker command";
}

static void report_no_command(struct doctor *doctor)
{
    const struct docker *docker = &doctor->docker;
    const char *install = install_advice(docker->kind);

    doctor_find(doctor, FINDING_FAIL, command_check(doctor),
                string_format("'%s' does not exist or is not in PATH", docker->command),
                install_podman_instead(docker)
                    ? string_copy("podman is installed: set \"containerCommand\": \"podman\"")
                : install ? string_format("%s, or set its path as \"containerCommand\"", install)
                          : string_format("install %s, or set its path as \"containerCommand\"",
                                          engine_kind_name(docker->kind)));
}

bool doctor_ask_engine(struct doctor *doctor)
{
    const char *command = doctor->docker.command;
    const struct engine_info *engine = &doctor->engine;

    doctor->command_file = install_find_command(command);
    if (!doctor->command_file)
        return true;
    doctor_say(doctor, "asking the engine which one it is");
    while (engine_info_ask_versions(&doctor->engine, &doctor->docker, query_deadline(doctor),
                                    signals_cancel(), &doctor->no_answer) != 0 &&
           engine->silences > 0 && engine->silences < UNREACHABLE_SILENCES &&
           !notifier_raised(signals_cancel()))
        error_release(&doctor->no_answer); /* it may be busy */
    engine_info_ask_endpoint(&doctor->engine, &doctor->docker, signals_cancel());
    if (engine->kind == doctor->docker.kind)
        return true;
    doctor_find(doctor, FINDING_FAIL, "engine", engine_mismatch(&doctor->docker),
                engine_mismatch_advice(&doctor->docker));
    return false;
}

bool doctor_check_engine(struct doctor *doctor)
{
    const struct engine_info *engine = &doctor->engine;

    if (!doctor->command_file) {
        report_no_command(doctor);
        return false;
    }
    if (notifier_raised(signals_cancel()))
        return false;
    doctor_find(doctor, FINDING_OK, command_check(doctor),
                string_format("%s, %s", doctor->command_file,
                              engine->client ? engine->client : "unknown version"),
                NULL);
    if (doctor->no_answer.kind != ERROR_NONE) {
        report_no_answer(doctor);
        return false;
    }
    check_details(doctor, &doctor->engine);
    if (!notifier_raised(signals_cancel()))
        check_orphans(doctor);
    return !notifier_raised(signals_cancel());
}
