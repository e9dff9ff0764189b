#include "docker/engine_kind.h"

#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/engine_info.h"
#include "docker/engine_memory.h"

const char *engine_kind_name(enum engine_kind kind)
{
    static const char *const names[] = {[ENGINE_DOCKER] = "Docker", [ENGINE_PODMAN] = "podman"};

    return names[kind];
}

enum engine_kind engine_kind_of_command(const char *command)
{
    const char *slash = strrchr(command, '/');
    const char *name = slash ? slash + 1 : command;

    return strncmp(name, "podman", strlen("podman")) == 0 ? ENGINE_PODMAN : ENGINE_DOCKER;
}

/* podman refuses uid= and gid=; with U the file system belongs to the user of the container. */
char *engine_tmpfs(enum engine_kind kind, const char *path, long size_mb, unsigned uid,
                   unsigned gid)
{
    CLEANUP_FREE char *owner =
        kind == ENGINE_PODMAN ? string_copy("U") : string_format("uid=%u,gid=%u", uid, gid);

    return string_format("%s:rw,exec,nosuid,nodev,size=%ldm,%s,mode=0700", path, size_mb, owner);
}

void engine_add_log(enum engine_kind kind, struct strvec *arguments, unsigned long long max)
{
    if (max == 0) {
        strvec_push_each(arguments, "--log-driver", "none", NULL);
        return;
    }
    if (kind == ENGINE_PODMAN)
        strvec_push_each(arguments, "--log-driver", "k8s-file", "--log-opt", NULL);
    else
        strvec_push_each(arguments, "--log-driver", "local", "--log-opt", "max-file=1", "--log-opt",
                         "compress=false", "--log-opt", NULL);
    strvec_pushf(arguments, "max-size=%lluk", max / 1024 + 1);
}

/*
 * The most processes that a user can have, in the machine: podman's own number, 1048576, is refused
 * where it may not raise limits. It also lowers its own limit to the kernel's pid_max, which is
 * 32768 if nothing has raised it (proc(5)).
 */
static unsigned long long processes_max(void)
{
    const unsigned long long usual = 32768;
    struct rlimit own;

    if (getrlimit(RLIMIT_NPROC, &own) != 0 || own.rlim_max == RLIM_INFINITY || own.rlim_max > usual)
        return usual;
    return own.rlim_max;
}

/*
 * podman-run(1): --read-only adds writable file systems in memory, variables of its own are set, a
 * user is added to /etc/passwd, and a command that is called like systemd gets other mounts.
 */
void engine_add_defaults(enum engine_kind kind, struct strvec *arguments)
{
    if (kind != ENGINE_PODMAN)
        return;
    strvec_push_each(arguments, "--read-only-tmpfs=false", "--systemd=false", "--passwd=false",
                     "--unsetenv=container", "--unsetenv=TERM", "--ulimit", NULL);
    strvec_pushf(arguments, "nproc=%llu", processes_max());
}

/* podman waits for ten seconds between SIGTERM and SIGKILL. */
void engine_add_removal(enum engine_kind kind, struct strvec *arguments)
{
    strvec_push_each(arguments, "--force", "--volumes", NULL);
    if (kind == ENGINE_PODMAN)
        strvec_push(arguments, "--time=0");
}

void engine_add_member(enum engine_kind kind, struct strbuf *template, const char *key)
{
    const bool podman = kind == ENGINE_PODMAN;

    if (strcmp(key, ".State") == 0) /* in podman, .State is a text for people */
        strbuf_addf(template, "{{json %s}}", podman ? ".ListContainer.State" : key);
    else if (podman) /* 4.3 does not have .Label */
        strbuf_addf(template, "{{json (index .Labels \"%s\")}}", key);
    else
        strbuf_addf(template, "{{json (.Label \"%s\")}}", key);
}

const char *engine_cpus_template(enum engine_kind kind)
{
    return kind == ENGINE_PODMAN ? "{{.Host.CPUs}}" : "{{.NCPU}}";
}

bool engine_updates_pids(enum engine_kind kind)
{
    return kind != ENGINE_PODMAN;
}

bool engine_shows_updates(enum engine_kind kind)
{
    return kind != ENGINE_PODMAN;
}

/* podman's do not end at the time that --until names, and know no removed container. */
bool engine_has_events(enum engine_kind kind)
{
    return kind != ENGINE_PODMAN;
}

bool engine_refused_run(int status)
{
    return status == 125; /* docker-run(1), "Exit Status" */
}

void engine_ask(const struct docker *docker, const struct notifier *cancel)
{
    CLEANUP(engine_info_release) struct engine_info engine;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    engine_info_init(&engine);
    if (engine_memory_users(docker->memory) == ENGINE_USERS_UNKNOWN &&
        engine_info_ask_details(&engine, docker, budget_deadline(docker, BUDGET_QUERY), cancel,
                                &ignored) == 0)
        engine_memory_set_engine(docker->memory,
                                 engine.rootless || engine.user_namespaces ? ENGINE_USERS_MAPPED
                                                                           : ENGINE_USERS_ALL,
                                 engine.cpus);
}

bool engine_lacks_user(const struct docker *docker, unsigned user)
{
    return user > ENGINE_USERS_MAPPED_MAX &&
           engine_memory_users(docker->memory) == ENGINE_USERS_MAPPED;
}
