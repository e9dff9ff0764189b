#include "tools/server_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/lines.h"
#include "config/tool_servers.h"

/* Times in ms: to SIGTERM and from there to SIGKILL; how often it looks; for its own end. */
enum { GRACE = 2000, CHECK = 50, WAIT = 500 };

/* A line: "+" or "-" and the number of a group. */
enum { LINE_SIZE = 32 };

/* A server can be started again before the end of the one before it was told. */
enum { GROUPS_MAX = 4 * TOOL_SERVERS_MAX };

struct groups {
    pid_t items[GROUPS_MAX];
    size_t count;
};

static void take_line(struct groups *groups, const char *line)
{
    const pid_t group = (pid_t)strtol(line + 1, NULL, 10);

    if (line[0] == '+' && groups->count < GROUPS_MAX) {
        groups->items[groups->count++] = group;
        return;
    }
    for (size_t i = 0; i < groups->count; i++) {
        if (groups->items[i] == group) {
            groups->items[i] = groups->items[--groups->count];
            return;
        }
    }
}

/* Until the end of the program. */
static void read_groups(struct groups *groups, int fd)
{
    struct lines lines = LINES_INIT(LINE_SIZE);
    char chunk[1024];
    const char *line;
    size_t length;
    ssize_t count;

    while ((count = read(fd, chunk, sizeof chunk)) > 0 || (count < 0 && errno == EINTR)) {
        if (count > 0)
            lines_feed(&lines, chunk, (size_t)count);
        while (lines_next(&lines, &line, &length) == LINES_LINE)
            take_line(groups, line);
    }
    lines_release(&lines);
}

/*
 * Whether at least one of the groups still exists. One that does not is forgotten at once: another
 * process may get its number.
 */
static bool any_exists(struct groups *groups)
{
    for (size_t i = groups->count; i-- > 0;)
        if (kill(-groups->items[i], 0) != 0 && errno == ESRCH)
            groups->items[i] = groups->items[--groups->count];
    return groups->count > 0;
}

/* Returns whether all groups have ended within the grace. */
static bool wait_for_end(struct groups *groups)
{
    const long long end = clock_now_ms() + GRACE;

    while (any_exists(groups)) {
        if (clock_now_ms() >= end)
            return false;
        io_poll(NULL, 0, CHECK);
    }
    return true;
}

static void signal_all(const struct groups *groups, int number)
{
    for (size_t i = 0; i < groups->count; i++)
        kill(-groups->items[i], number);
}

static void guard_groups(void *context, int fd)
{
    struct groups groups = {.count = 0};

    (void)context;
    read_groups(&groups, fd);
    if (wait_for_end(&groups))
        return;
    signal_all(&groups, SIGTERM);
    if (!wait_for_end(&groups))
        signal_all(&groups, SIGKILL);
}

static void tell(const struct server_guard *guard, char sign, pid_t group)
{
    char line[LINE_SIZE];

    if (!guard)
        return;
    snprintf(line, sizeof line, "%c%d\n", sign, (int)group);
    background_send(&guard->process, line);
}

void server_guard_start(struct server_guard *guard)
{
    background_start(&guard->process, guard_groups, NULL);
}

void server_guard_add(const struct server_guard *guard, pid_t group)
{
    tell(guard, '+', group);
}

void server_guard_remove(const struct server_guard *guard, pid_t group)
{
    tell(guard, '-', group);
}

void server_guard_end(struct server_guard *guard)
{
    background_end(&guard->process, WAIT);
}
