#include "sandbox/owner.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

/* The first line of a small file of the kernel; "" where it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? 0 : read(fd, line, size - 1);

    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

/* Field 22 of /proc/self/stat (proc(5)); the second field may hold any character. */
static unsigned long long start_time(void)
{
    char line[1024];
    unsigned long long ticks = 0;
    const char *rest;

    read_line("/proc/self/stat", line, sizeof line);
    rest = strrchr(line, ')');
    for (int field = 2; rest && field < 22; field++) {
        rest = strchr(rest, ' ');
        rest = rest ? rest + 1 : NULL;
    }
    if (rest)
        sscanf(rest, "%llu", &ticks);
    return ticks;
}

void owner_own_labels(struct strvec *labels)
{
    char host[256] = "";
    char boot[64];

    gethostname(host, sizeof host - 1);
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    strvec_pushf(labels, "isolator.host=%s", host);
    strvec_pushf(labels, "isolator.boot=%s", boot);
    strvec_pushf(labels, "isolator.pid=%ld", (long)getpid());
    strvec_pushf(labels, "isolator.start=%llu", start_time());
}

void owner_labels(struct strvec *labels, long long lifetime_ms)
{
    owner_own_labels(labels);
    strvec_pushf(labels, "isolator.deadline=%lld", (long long)time(NULL) + lifetime_ms / 1000 + 1);
}

void owner_disown(struct strvec *instructions)
{
    strvec_push(instructions, "LABEL isolator.host=\"\" isolator.boot=\"\" isolator.pid=\"\" "
                              "isolator.start=\"\" isolator.deadline=\"\"");
}
