#define _GNU_SOURCE
#include "base/linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"

int linux_unnamed_file(void)
{
    return memfd_create("isolator", MFD_CLOEXEC);
}

/* For file systems without O_TMPFILE, such as overlayfs before Linux 6.3. */
static int create_and_unlink(const char *directory)
{
    char path[PATH_MAX];
    int fd;

    if (snprintf(path, sizeof path, "%s/isolator-XXXXXX", directory) >= (int)sizeof path)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int linux_unnamed_disk_file(void)
{
    const char *chosen = getenv("TMPDIR");
    const char *directory = chosen && *chosen ? chosen : "/tmp";
    int fd = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0)
        fd = create_and_unlink(directory);
    return fd >= 0 ? fd : linux_unnamed_file();
}

int linux_unnamed_file_of(const void *data, size_t length)
{
    const int file = linux_unnamed_file();

    if (file < 0)
        return -1;
    if (io_write_all(file, data, length) != 0) {
        const int reason = errno;

        close(file);
        errno = reason;
        return -1;
    }
    lseek(file, 0, SEEK_SET);
    return file;
}

int linux_pipe(int fds[2])
{
    return pipe2(fds, O_CLOEXEC);
}

int linux_eventfd(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int linux_either_readable(int one, int other)
{
    CLEANUP_FD int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};

    if (fd < 0 || (one >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, one, &event) != 0) ||
        (other >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, other, &event) != 0))
        return -1;
    return steal_fd(&fd);
}

int linux_reopen_nonblocking(int fd)
{
    unsigned int number;
    char path[32];

    if (ioctl(fd, TIOCGPTN, &number) == 0) {
        errno = EINVAL;
        return -1;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int read_name(int fd, char name[PATH_MAX])
{
    char link[32];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, name, PATH_MAX);
    if (length == PATH_MAX)
        errno = ENAMETOOLONG;
    if (length < 0 || length == PATH_MAX)
        return -1;
    name[length] = '\0';
    return 0;
}

/* Whether what is open is below a directory. -1, errno. */
static int is_below(int fd, int directory)
{
    char name[PATH_MAX], above[PATH_MAX];
    size_t length;

    if (fd < 0 || read_name(fd, name) != 0 || read_name(directory, above) != 0)
        return -1;
    length = strlen(above);
    return strncmp(name, above, length) == 0 && name[length] == '/';
}

int linux_leads_below(int from, const char *path, int directory)
{
    CLEANUP_FD const int fd = openat(from, path, O_PATH | O_CLOEXEC);

    return is_below(fd, directory);
}

int linux_open_below(int from, const char *path, int directory)
{
    CLEANUP_FD const int fd = openat(from, path, O_PATH | O_CLOEXEC);
    struct stat status;
    char link[32];

    if (is_below(fd, directory) != 1 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return open(link, O_RDONLY | O_CLOEXEC);
}

/* RWF_NOWAIT of preadv2(2), which musl does not have. */
enum { READ_NOWAIT = 0x8 };

ssize_t linux_read_now(int fd, void *data, size_t size)
{
    const struct iovec piece = {data, size};
    struct pollfd polled = {fd, POLLIN, 0};
    /* musl before 1.2.5 has no wrapper. -1: from the current offset. */
    const ssize_t length = syscall(SYS_preadv2, fd, &piece, 1, -1L, -1L, READ_NOWAIT);

    if (length >= 0 || (errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS))
        return length;
    /* A file that is not in the page cache is EAGAIN too, but polls readable. */
    if (poll(&polled, 1, 0) == 0) {
        errno = EAGAIN;
        return -1;
    }
    return read(fd, data, size);
}

int linux_pidfd(pid_t pid)
{
    /* The kernel sets close-on-exec itself. musl and older glibc have no wrapper. */
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

void linux_share_heap(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

void linux_trim_memory(size_t freed)
{
#ifdef __GLIBC__
    if (freed > 1 << 16)
        malloc_trim(0);
#else
    (void)freed;
#endif
}

bool linux_writer_gone(int fd)
{
    struct pollfd polled = {fd, POLLRDHUP, 0};

    return poll(&polled, 1, 0) > 0;
}

/* The kernel lists the children of each thread, as numbers separated by spaces (proc(5)). */
static void kill_children_of(const char *thread)
{
    char path[64];
    long pid;
    FILE *children;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    children = fopen(path, "re");
    if (!children)
        return;
    while (fscanf(children, "%ld", &pid) == 1)
        if (getsid((pid_t)pid) != (pid_t)pid)
            kill((pid_t)pid, SIGKILL);
    fclose(children);
}

void linux_kill_children(void)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;

    if (!threads)
        return;
    while ((entry = readdir(threads)))
        kill_children_of(entry->d_name);
    closedir(threads);
}

int linux_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > INT_MAX ? INT_MAX : (int)cores;
}

void linux_raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void linux_close_from(int first)
{
    const long open_max = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
        return;
#endif
    for (; first < (open_max > 0 ? open_max : 1024); first++) /* Linux before 5.9 */
        close(first);
}

void linux_random(void *buffer, size_t length)
{
    /* Up to 256 bytes are read at once and without EINTR (getrandom(2)). */
    if (length > 256 || getrandom(buffer, length, 0) != (ssize_t)length)
        abort();
}

void linux_random_digits(char *text, size_t size)
{
    unsigned char bytes[32];

    if (size > 2 * sizeof bytes + 1)
        abort();
    linux_random(bytes, sizeof bytes);
    for (size_t i = 0; i + 2 < size; i += 2)
        snprintf(text + i, 3, "%02x", bytes[i / 2]);
}
