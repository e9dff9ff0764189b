#include "container/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/thread.h"

const char *const owner_keys[OWNER_LABELS] = {
    [OWNER_BOOT] = "isolator.boot", [OWNER_NAMESPACES] = "isolator.namespaces",
    [OWNER_PID] = "isolator.pid",   [OWNER_START] = "isolator.start",
    [OWNER_HOST] = "isolator.host", [OWNER_DEADLINE] = "isolator.deadline",
};

/* Identifies a process. "-" and 0: not known. */
struct owner {
    char boot[64]; /* a UUID */
    /*
     * Inodes of the pid namespace and of the time namespace, to whose clock `start` belongs. Docker
     * gives each container one of each from 29.5 on.
     */
    char namespaces[64];
    long pid;
    unsigned long long start; /* clock ticks since boot */
};

/* The first line of a small file of the kernel; "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? 0 : read(fd, line, size - 1);

    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

/*
 * State and start time of a process, fields 3 and 22 of /proc/PID/stat (proc(5)); the second field
 * may contain any character. False if they cannot be read.
 */
static bool read_stat(long pid, char *state, unsigned long long *start)
{
    char path[64];
    char line[1024];
    const char *rest;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_line(path, line, sizeof line);
    rest = strrchr(line, ')');
    if (!rest || sscanf(rest, ") %c", state) != 1)
        return false;
    for (int field = 2; rest && field < 22; field++) {
        rest = strchr(rest, ' ');
        rest = rest ? rest + 1 : NULL;
    }
    return rest && sscanf(rest, "%llu", start) == 1;
}

/* The INODE of "KIND:[INODE]"; "-" if the kernel does not know this kind of namespace. */
static void read_namespace(const char *path, char inode[32])
{
    char link[64] = "";

    if (readlink(path, link, sizeof link - 1) < 0 || sscanf(link, "%*[a-z]:[%31[0-9]", inode) != 1)
        snprintf(inode, 32, "-");
}

static struct owner read_own(void)
{
    struct owner owner = {.pid = (long)getpid()};
    char pids[32], time[32];
    char state;

    read_line("/proc/sys/kernel/random/boot_id", owner.boot, sizeof owner.boot);
    if (owner.boot[0] == '\0')
        snprintf(owner.boot, sizeof owner.boot, "-");
    read_namespace("/proc/self/ns/pid", pids);
    read_namespace("/proc/self/ns/time", time);
    snprintf(owner.namespaces, sizeof owner.namespaces, "%s.%s", pids, time);
    if (!read_stat(owner.pid, &state, &owner.start))
        owner.start = 0;
    return owner;
}

/*
 * This process. Read once, so that all labels are equal even if the host runs out of resources
 * later.
 */
static struct owner read_own_once(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct owner known;
    struct owner owner;

    THREAD_LOCK(&lock);
    if (known.pid != (long)getpid()) /* not yet, or of the process that this one was forked from */
        known = read_own();
    owner = known;
    return owner;
}

void owner_own_labels(struct strvec *labels)
{
    const struct owner owner = read_own_once();

    strvec_pushf(labels, "%s=%s", owner_keys[OWNER_BOOT], owner.boot);
    strvec_pushf(labels, "%s=%s", owner_keys[OWNER_NAMESPACES], owner.namespaces);
    strvec_pushf(labels, "%s=%ld", owner_keys[OWNER_PID], owner.pid);
    strvec_pushf(labels, "%s=%llu", owner_keys[OWNER_START], owner.start);
}

void owner_labels(struct strvec *labels, long long lifetime_ms)
{
    char host[256] = "";

    owner_own_labels(labels);
    gethostname(host, sizeof host - 1);
    strvec_pushf(labels, "%s=%s", owner_keys[OWNER_HOST], host);
    strvec_pushf(labels, "%s=%lld", owner_keys[OWNER_DEADLINE],
                 (long long)time(NULL) + lifetime_ms / 1000 + 1);
}

const char *const job_keys[JOB_LABELS] = {
    [JOB_USER] = "isolator.job.user",         [JOB_NAME] = "isolator.job.name",
    [JOB_LANGUAGE] = "isolator.job.language", [JOB_STARTED] = "isolator.job.started",
    [JOB_ENDS] = "isolator.job.ends",         [JOB_EXPIRES] = "isolator.job.expires",
};

void owner_job_user(struct strvec *labels)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    strvec_pushf(labels, "%s=%lu@%s", job_keys[JOB_USER], (unsigned long)getuid(), host);
}

void owner_job_labels(struct strvec *labels, const char *name, const char *language, long long ends,
                      long long expires)
{
    owner_job_user(labels);
    strvec_pushf(labels, "%s=%s", job_keys[JOB_NAME], name ? name : "");
    strvec_pushf(labels, "%s=%s", job_keys[JOB_LANGUAGE], language);
    strvec_pushf(labels, "%s=%lld", job_keys[JOB_STARTED], (long long)time(NULL));
    strvec_pushf(labels, "%s=%lld", job_keys[JOB_ENDS], ends);
    strvec_pushf(labels, "%s=%lld", job_keys[JOB_EXPIRES], expires);
}

/*
 * podman 4.3 reads one label of an instruction, whose value is all that stands after its first "=".
 */
static void empty_labels(struct strvec *instructions, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        strvec_pushf(instructions, "LABEL %s=", keys[i]);
}

void owner_disown(struct strvec *instructions)
{
    empty_labels(instructions, owner_keys, OWNER_LABELS);
}

void owner_hide_maker(struct strvec *instructions)
{
    static const char *const keys[] = {MAKER_LABEL_HOST, MAKER_LABEL_USER, MAKER_LABEL_NOTES,
                                       MAKER_LABEL_CONFIG};

    empty_labels(instructions, keys, sizeof keys / sizeof *keys);
}

/*
 * Whether the process has ended; a zombie has. A process that exists but cannot be inspected is
 * alive: one of another user, if /proc is mounted with hidepid.
 */
static bool owner_has_ended(const struct owner *owner)
{
    unsigned long long start;
    char state;

    if (kill((pid_t)owner->pid, 0) != 0 && errno == ESRCH)
        return true;
    return read_stat(owner->pid, &state, &start) &&
           (start != owner->start || state == 'Z' || state == 'X');
}

/* Whether the owner can be looked up by its process number. */
static bool can_look_up(const struct owner *owner, const struct owner *self)
{
    return strcmp(owner->boot, self->boot) == 0 && strcmp(owner->boot, "-") != 0 &&
           strcmp(owner->namespaces, self->namespaces) == 0 && owner->namespaces[0] != '-' &&
           owner->start != 0;
}

/* Copies a label of 1 to size - 1 characters, all of this set. */
static bool read_word(const char *text, const char *set, char *word, size_t size)
{
    const size_t length = strlen(text);

    if (length == 0 || length >= size || strspn(text, set) != length)
        return false;
    memcpy(word, text, length + 1);
    return true;
}

/* Parses a label of 1 to `digits_max` digits, which fit into the type. */
static bool read_number(const char *text, size_t digits_max, unsigned long long *number)
{
    const size_t length = strlen(text);

    if (length == 0 || length > digits_max || strspn(text, "0123456789") != length)
        return false;
    *number = strtoull(text, NULL, 10);
    return true;
}

/* Parses the labels. False if they do not have the form of owner_labels(). */
static bool read_labels(const struct strvec *values, struct owner *owner, long long *deadline)
{
    unsigned long long pid, seconds;

    if (values->count < OWNER_LABELS ||
        !read_word(values->items[OWNER_BOOT], "0123456789abcdef-", owner->boot,
                   sizeof owner->boot) ||
        !read_word(values->items[OWNER_NAMESPACES], "0123456789.-", owner->namespaces,
                   sizeof owner->namespaces) ||
        !read_number(values->items[OWNER_PID], 9, &pid) || pid == 0 ||
        !read_number(values->items[OWNER_START], 20, &owner->start) ||
        !read_number(values->items[OWNER_DEADLINE], 18, &seconds))
        return false;
    owner->pid = (long)pid;
    *deadline = (long long)seconds;
    return true;
}

enum owner_status owner_status(const struct strvec *values, long long now)
{
    const struct owner self = read_own_once();
    struct owner owner;
    long long deadline;

    if (!read_labels(values, &owner, &deadline))
        return OWNER_ALIVE;
    if (can_look_up(&owner, &self))
        return owner_has_ended(&owner) ? OWNER_ENDED : OWNER_ALIVE;
    return now > deadline + OVERDUE_SECONDS ? OWNER_OVERDUE : OWNER_ALIVE;
}
