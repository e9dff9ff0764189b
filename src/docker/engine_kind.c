#include "docker/engine_kind.h"

#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/process.h"
#include "base/text.h"
#include "podman_seccomp.h" /* generated: static const char podman_seccomp[] */

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

static enum engine_kind other_kind(const struct docker *docker)
{
    return docker->kind == ENGINE_PODMAN ? ENGINE_DOCKER : ENGINE_PODMAN;
}

char *engine_mismatch(const struct docker *docker)
{
    return string_format("'%s' is %s, or leads to it", docker->command,
                         engine_kind_name(other_kind(docker)));
}

char *engine_mismatch_advice(const struct docker *docker)
{
    return string_copy(
        other_kind(docker) == ENGINE_PODMAN
            ? "set \"containerCommand\": \"podman\", since podman is used by its own "
              "command, and unset DOCKER_HOST if it names podman's socket"
            : "set \"containerCommand\": \"docker\"");
}

const char *engine_working_directory(enum engine_kind kind)
{
    return kind == ENGINE_PODMAN ? "/proc" : NULL;
}

void engine_add_subcommand(enum engine_kind kind, struct strvec *arguments, const char *subcommand,
                           const char *oci_runtime)
{
    if (kind == ENGINE_PODMAN && oci_runtime)
        strvec_push_each(arguments, "--runtime", oci_runtime, NULL);
    strvec_push(arguments, subcommand);
    if (kind != ENGINE_PODMAN && oci_runtime)
        strvec_push_each(arguments, "--runtime", oci_runtime, NULL);
}

/* Docker's default. */
enum { SHM_MB = 64 };

/*
 * Files, directories and links for each MB: a file that is not empty takes a page, mostly of 4 KiB,
 * and there may be as many empty files, directories and links. The kernel does not charge all that
 * it keeps of them (access control lists) to the container.
 */
enum { INODES_PER_MB = 512 };

/*
 * podman refuses nr_inodes=, uid= and gid=; with U the file system belongs to the user of the
 * container. It also copies what the image has there.
 */
char *engine_tmpfs(enum engine_kind kind, const char *path, long size_mb, unsigned uid,
                   unsigned gid)
{
    CLEANUP_FREE char *more =
        kind == ENGINE_PODMAN
            ? string_copy("U,notmpcopyup")
            : string_format("nr_inodes=%ld,uid=%u,gid=%u", size_mb * INODES_PER_MB, uid, gid);

    return string_format("%s:rw,exec,nosuid,nodev,size=%ldm,%s,mode=0700", path, size_mb, more);
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

/* For shared memory and semaphores of POSIX: Docker's own, but with few inodes. */
static void add_shm(enum engine_kind kind, struct strvec *arguments)
{
    CLEANUP_FREE char *more = kind == ENGINE_PODMAN
                                  ? string_copy("notmpcopyup")
                                  : string_format("nr_inodes=%d", SHM_MB * INODES_PER_MB);

    strvec_push(arguments, "--tmpfs");
    strvec_pushf(arguments, "/dev/shm:rw,noexec,nosuid,nodev,size=%dm,%s,mode=1777", SHM_MB, more);
}

/*
 * podman-run(1): --read-only adds writable file systems in memory, variables of its own are set,
 * and a command that is called like systemd gets other mounts. Without these file systems podman 5
 * also makes /dev/shm read-only.
 */
void engine_add_defaults(enum engine_kind kind, struct strvec *arguments)
{
    add_shm(kind, arguments);
    if (kind != ENGINE_PODMAN)
        return;
    strvec_push_each(arguments, "--read-only-tmpfs=false", "--systemd=false",
                     "--unsetenv=container", "--unsetenv=TERM", "--ulimit", NULL);
    strvec_pushf(arguments, "nproc=%llu", processes_max());
    strvec_push(arguments, "--security-opt");
    strvec_pushf(arguments, "seccomp=/dev/fd/%d", PROCESS_EXTRA_FILE);
}

/* podman's own lets every program make namespaces, and be root in one of users. */
const char *engine_seccomp_profile(enum engine_kind kind)
{
    return kind == ENGINE_PODMAN ? podman_seccomp : NULL;
}

/* podman gives them to the user of the container. */
void engine_add_owners(enum engine_kind kind, struct strvec *arguments)
{
    if (kind == ENGINE_PODMAN)
        strvec_push(arguments, "--archive=false");
}

/*
 * podman gives a new volume to the user of the container, unless the image has a directory there
 * (podman, libpod/container_internal_common.go, fixVolumePermissions()).
 */
bool engine_fills_volumes(enum engine_kind kind)
{
    return kind != ENGINE_PODMAN;
}

/* podman waits for ten seconds between SIGTERM and SIGKILL. */
void engine_add_removal(enum engine_kind kind, struct strvec *arguments)
{
    strvec_push_each(arguments, "--force", "--volumes", NULL);
    if (kind == ENGINE_PODMAN)
        strvec_push(arguments, "--time=0");
}

/* `start --attach` of podman 5.8 removes the container, but not its volumes; that of `run` does. */
bool engine_removes_volumes(enum engine_kind kind)
{
    return kind != ENGINE_PODMAN;
}

/* podman makes it a volume of the image, as if a Dockerfile had said VOLUME. */
bool engine_leaves_out_volumes(enum engine_kind kind)
{
    return kind != ENGINE_PODMAN;
}

/* Returns the text after `start`, or all of it if it begins with something else. */
static const char *without(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0 ? text + strlen(start) : text;
}

/* To podman, a name without a registry that it gives to an image is one of this registry. */
const char *engine_image_name(enum engine_kind kind, const char *name)
{
    return kind == ENGINE_PODMAN ? without(name, "localhost/") : name;
}

const char *engine_filter_id(enum engine_kind kind, const char *id)
{
    return kind == ENGINE_PODMAN ? without(id, "sha256:") : id;
}

/*
 * In podman, .State is a text for people, and some states of its own last for a moment (podman,
 * libpod/define/containerstate.go).
 */
static const char podman_state[] = "{{$state := .ListContainer.State}}"
                                   "{{if eq $state \"initialized\"}}\"created\""
                                   "{{else if eq $state \"stopping\"}}\"running\""
                                   "{{else if eq $state \"stopped\"}}\"exited\""
                                   "{{else}}{{json $state}}{{end}}";

void engine_add_member(enum engine_kind kind, struct strbuf *template, const char *key)
{
    const bool podman = kind == ENGINE_PODMAN;

    if (strcmp(key, ".State") == 0)
        strbuf_addstr(template, podman ? podman_state : "{{json .State}}");
    else if (podman) /* 4.3 does not have .Label */
        strbuf_addf(template, "{{json (index .Labels \"%s\")}}", key);
    else
        strbuf_addf(template, "{{json (.Label \"%s\")}}", key);
}

const char *engine_cpus_template(enum engine_kind kind)
{
    return kind == ENGINE_PODMAN ? "{{.Host.CPUs}}" : "{{.NCPU}}";
}

const char *engine_update_option(enum engine_kind kind)
{
    return kind == ENGINE_PODMAN ? "--no-healthcheck" : NULL;
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

bool engine_must_prove_limits(enum engine_kind kind)
{
    return kind == ENGINE_PODMAN;
}

bool engine_refused_run(int status)
{
    return status == 125; /* docker-run(1), "Exit Status" */
}
