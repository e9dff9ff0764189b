#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "supervisor/clean.h"

/* A place, and a file beside it that must stay. */
struct fixture {
    char *directory, *path, *mountinfo;
    int fd; /* of the place */
    struct places places;
    struct place_failure failure;
    long steps; /* that may still be done */
};

static bool count_down(void *context)
{
    return ((struct fixture *)context)->steps-- > 0;
}

static void open_place(struct fixture *fixture)
{
    CLEANUP_FREE char *table = string_format("1 1 0:1 / / ro - x x ro\n"
                                             "1 1 0:1 / %s rw - tmpfs x rw\n",
                                             fixture->path);

    write_in(fixture->directory, "mountinfo", table);
    places_open(&fixture->places, fixture->mountinfo);
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .steps = 10000000};
    assert_int_equal(chmod(temp_root, 0755), 0); /* for other users */
    assert_int_equal(chmod(fixture->directory, 0755), 0);
    fixture->path = path_in(fixture->directory, "place");
    fixture->mountinfo = path_in(fixture->directory, "mountinfo");
    write_in(fixture->directory, "beside", "untouched");
    assert_int_equal(mkdir(fixture->path, 0750), 0);
    fixture->fd = open(fixture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    open_place(fixture);
    assert_int_equal(fixture->places.count, 1);
}

static void tear_down(struct fixture *fixture)
{
    CLEANUP_FREE char *beside = read_in(fixture->directory, "beside");

    assert_string_equal(beside, "untouched");
    places_close(&fixture->places);
    close(fixture->fd);
    free(fixture->path);
    free(fixture->mountinfo);
    temp_remove(fixture->directory);
}

static bool clean(struct fixture *fixture)
{
    const struct pace pace = {count_down, fixture};

    return clean_place(&fixture->places.items[0], &pace, &fixture->failure);
}

static int entries_in(const char *path)
{
    DIR *directory = opendir(path);
    int count = -2; /* "." and ".." */

    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void check_clean(struct fixture *fixture)
{
    if (!clean(fixture))
        fail_msg("%s: %s", fixture->failure.path, strerror(fixture->failure.error));
    assert_int_equal(entries_in(fixture->path), 0);
}

/* Does this in a process of a user that is not root; its result is the exit status. */
static void as_user(struct fixture *fixture, int (*work)(struct fixture *))
{
    int status;
    pid_t child;

    if (geteuid() == 0)
        assert_int_equal(fchown(fixture->fd, 65534, 65534), 0);
    places_close(&fixture->places);
    open_place(fixture);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(99);
        status = work(fixture);
        if (fixture->failure.error != 0)
            fprintf(stderr, "%s: %s\n", fixture->failure.path, strerror(fixture->failure.error));
        _exit(status);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- entries */

CASE_WITH(clean__all_kinds_of_entries, set_up(fixture))
{
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    CLEANUP_FD int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CLEANUP_FD int start = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    write_in(fixture->path, "file", "text");
    write_in(fixture->path, ".hidden", "text");
    write_in(fixture->path, "...", "text");
    write_in(fixture->path, "\xff\n \\", "text");
    assert_int_equal(linkat(fixture->fd, "file", fixture->fd, "hard", 0), 0);
    assert_int_equal(symlinkat("../beside", fixture->fd, "link"), 0);
    assert_int_equal(symlinkat("..", fixture->fd, "up"), 0);
    assert_int_equal(symlinkat("nowhere", fixture->fd, "dangling"), 0);
    assert_int_equal(mkfifoat(fixture->fd, "fifo", 0600), 0);
    assert_int_equal(mkdirat(fixture->fd, "directory", 0700), 0);
    assert_int_equal(mkdirat(fixture->fd, "empty", 0700), 0);
    assert_int_equal(symlinkat("../..", fixture->fd, "directory/up"), 0);
    write_in(fixture->path, "directory/file", "text");
    assert_int_equal(fchdir(fixture->fd), 0);
    assert_int_equal(bind(sock, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(fchdir(start), 0);
    check_clean(fixture);
    check_clean(fixture); /* an empty one */
}

CASE_WITH(clean__many_entries, set_up(fixture))
{
    write_in(fixture->path, "one", "");
    for (int i = 0; i < 3000; i++) {
        CLEANUP_FREE char *name = string_format("%s%d", i % 3 == 0 ? "directory" : "file", i);
        CLEANUP_FREE char *below = string_format("%s/%s", name, "file");

        if (i % 3 != 0) {
            assert_int_equal(linkat(fixture->fd, "one", fixture->fd, name, 0), 0);
            continue;
        }
        assert_int_equal(mkdirat(fixture->fd, name, 0700), 0);
        if (i % 2 == 0)
            write_in(fixture->path, below, "");
    }
    check_clean(fixture);
}

/* Makes levels of directories, each with a file before and after it, all without permissions. */
static int make_levels(struct fixture *fixture, int levels)
{
    int fd = dup(fixture->fd);

    for (int i = 0; i < levels; i++) {
        int next;

        if (mkdirat(fd, "d", 0700) != 0 || mknodat(fd, "a", S_IFREG, 0) != 0 ||
            mkdirat(fd, "z", 0) != 0)
            return 1;
        next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (next < 0 || fchmod(fd, i % 3 == 0 ? 0 : i % 3 == 1 ? 0500 : 0300) != 0)
            return 2;
        close(fd);
        fd = next;
    }
    close(fd);
    return 0;
}

/* More levels than descriptors, and a path that is longer than any may be. */
static int clean_deep_tree(struct fixture *fixture)
{
    const struct rlimit few = {32, 32};

    if (make_levels(fixture, 2500) != 0)
        return 1;
    return setrlimit(RLIMIT_NOFILE, &few) != 0 || !clean(fixture) ? 2 : 0;
}

CASE_WITH(clean__deep_tree_without_permissions, set_up(fixture))
{
    as_user(fixture, clean_deep_tree);
    assert_int_equal(entries_in(fixture->path), 0);
}

/* What is a mount stays; the content of a directory that is one, too. */
static int clean_beside_mount(struct fixture *fixture)
{
    CLEANUP_FREE char *path = path_in(fixture->path, "mount");

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return 1;
    if (mkdir(path, 0700) != 0 || mount("none", path, "tmpfs", 0, "size=64k") != 0)
        return 2;
    write_in(fixture->path, "mount/file", "text");
    places_close(&fixture->places);
    open_place(fixture);
    if (!fixture->places.items[0].empty)
        return 3;
    write_in(fixture->path, "file", "text");
    if (!clean(fixture))
        return 4;
    return entries_in(path) == 1 && entries_in(fixture->path) == 1 ? 0 : 5;
}

CASE(clean__mount_points_stay)
{
    struct fixture fixture;
    int status;
    pid_t child;

    if (geteuid() != 0)
        return; /* it cannot mount anything */
    set_up(&fixture);
    child = fork();
    if (child == 0)
        _exit(clean_beside_mount(&fixture));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tear_down(&fixture);
}

/* A file that another user has put there. */
static int clean_file_of_another(struct fixture *fixture)
{
    CLEANUP_FREE char *expected = path_in(fixture->path, "stays");

    if (clean(fixture) || fixture->failure.error != EPERM ||
        strcmp(fixture->failure.path, expected) != 0)
        return 1;
    fixture->failure.error = 0;
    return 0;
}

/* In a process of another user than that of the place, who can write to it. */
static int clean_attributes_of_another(struct fixture *fixture)
{
    const struct timespec old = {.tv_sec = 1000};
    struct stat status;

    if (fgetxattr(fixture->fd, "user.one", NULL, 0) == 1 &&
        fsetxattr(fixture->fd, "user.two", "2", 1, 0) != 0)
        return 1;
    if (!clean(fixture) || fgetxattr(fixture->fd, "user.one", NULL, 0) >= 0 ||
        fgetxattr(fixture->fd, "user.two", NULL, 0) >= 0)
        return 2;
    return fstat(fixture->fd, &status) == 0 && status.st_mtim.tv_sec > old.tv_sec ? 0 : 3;
}

CASE(clean__attributes_of_another_user)
{
    static const unsigned char list[] = {2,    0,   0, 0, 1,   0,   7,   0,   255, 255,
                                         255,  255, 4, 0, 7,   0,   255, 255, 255, 255,
                                         0x20, 0,   7, 0, 255, 255, 255, 255};
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct fixture fixture;
    int status;
    pid_t child;

    if (geteuid() != 0)
        return; /* there is no other user */
    set_up(&fixture);
    assert_int_equal(fchmod(fixture.fd, 0777), 0);
    /* It comes first, and stays. */
    fsetxattr(fixture.fd, "system.posix_acl_default", list, sizeof list, 0);
    fsetxattr(fixture.fd, "user.one", "1", 1, 0);
    assert_int_equal(futimens(fixture.fd, old), 0);
    child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(99);
        _exit(clean_attributes_of_another(&fixture));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tear_down(&fixture);
}

CASE(clean__file_of_another_user)
{
    struct fixture fixture;

    if (geteuid() != 0)
        return; /* there is no other user */
    set_up(&fixture);
    assert_int_equal(fchmod(fixture.fd, 01777), 0);
    places_close(&fixture.places);
    open_place(&fixture);
    write_in(fixture.path, "stays", "text");
    {
        const pid_t child = fork();
        int status;

        if (child == 0)
            _exit(setgid(65534) != 0 || setuid(65534) != 0 || clean_file_of_another(&fixture));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    tear_down(&fixture);
}

/* It may be interrupted before each entry, and goes on with what is left. */
CASE_WITH(clean__takes_its_time, set_up(fixture))
{
    int rounds = 0;

    assert_int_equal(make_levels(fixture, 50), 0);
    do {
        fixture->steps = 60; /* to go down, and to remove a little */
        rounds++;
        assert_in_range(rounds, 1, 100);
        if (!clean(fixture)) {
            assert_int_equal(fixture->failure.error, ETIME);
            assert_string_equal(fixture->failure.path, fixture->path);
        }
    } while (fixture->steps < 0);
    assert_true(rounds > 5);
    assert_int_equal(entries_in(fixture->path), 0);
}

CASE(clean__leaves_no_descriptor_open)
{
    const int before = dup(0);
    int after;

    close(before);
    clean__all_kinds_of_entries(state);
    clean__takes_its_time(state);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

/* ---- the root */

CASE_WITH(clean__permissions_and_times_of_the_root, set_up(fixture))
{
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 2}};
    struct stat before, after;

    assert_int_equal(fstat(fixture->fd, &before), 0);
    for (mode_t mode = 0; mode <= 07777; mode += 0777) {
        write_in(fixture->path, "file", "text");
        if (geteuid() == 0)
            assert_int_equal(fchown(fixture->fd, (uid_t)-1, 12345), 0);
        assert_int_equal(fchmod(fixture->fd, mode), 0);
        assert_int_equal(futimens(fixture->fd, times), 0);
        check_clean(fixture);
        assert_int_equal(fstat(fixture->fd, &after), 0);
        assert_int_equal(after.st_mode, before.st_mode);
        assert_int_equal(after.st_gid, before.st_gid);
        assert_memory_equal(&after.st_mtim, &before.st_mtim, sizeof before.st_mtim);
    }
}

/* A list that would give everyone the next program's files, and attributes of a user's own. */
CASE_WITH(clean__attributes_of_the_root, set_up(fixture))
{
    static const unsigned char list[] = {2,    0,   0, 0, 1,   0,   7,   0,   255, 255,
                                         255,  255, 4, 0, 7,   0,   255, 255, 255, 255,
                                         0x20, 0,   7, 0, 255, 255, 255, 255};
    char names[1000];

    if (fsetxattr(fixture->fd, "user.one", "1", 1, 0) == 0) { /* not every file system has them */
        assert_int_equal(fsetxattr(fixture->fd, "user.two", "2", 1, 0), 0);
        assert_int_equal(fsetxattr(fixture->fd, "system.posix_acl_default", list, sizeof list, 0),
                         0);
        check_clean(fixture);
        assert_int_equal(flistxattr(fixture->fd, names, sizeof names), 0);
    } else {
        assert_int_equal(errno, ENOTSUP);
    }
}

CASE_WITH(clean__flags_of_the_root, set_up(fixture))
{
    const long no_dump = 0x40; /* FS_NODUMP_FL of linux/fs.h */
    long flags;

    flags = place_flags(fixture->fd) | no_dump;
    if (ioctl(fixture->fd, PLACE_SET_FLAGS, &flags) == 0) { /* not every file system has them */
        check_clean(fixture);
        assert_int_equal(place_flags(fixture->fd) & no_dump, 0);
    } else {
        assert_int_equal(errno, ENOTTY);
    }
}

/* ---- System V */

static long lines_of(const char *path)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct strbuf text = read_all(fd);
    long lines = 0;

    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    strbuf_release(&text);
    return lines - 1; /* the title */
}

/* In a name space of its own, where it is all that there is. */
static int clean_objects(struct fixture *fixture)
{
    const struct pace pace = {count_down, fixture};

    if (unshare(CLONE_NEWIPC) != 0)
        return 1;
    for (int i = 0; i < 500; i++)
        if (semget(IPC_PRIVATE, 1, 0) < 0 || msgget(i + 1, IPC_CREAT) < 0 ||
            shmget(i + 1, 4096, IPC_CREAT) < 0)
            return 2;
    if (lines_of("/proc/sysvipc/shm") != 500 || lines_of("/proc/sysvipc/sem") != 500 ||
        lines_of("/proc/sysvipc/msg") != 500)
        return 3;
    fixture->steps = 700;
    if (clean_sysv("/proc/sysvipc", &pace, &fixture->failure) || fixture->failure.error != ETIME)
        return 4;
    fixture->steps = 800;
    if (!clean_sysv("/proc/sysvipc", &pace, &fixture->failure))
        return 5;
    return lines_of("/proc/sysvipc/shm") == 0 && lines_of("/proc/sysvipc/sem") == 0 &&
                   lines_of("/proc/sysvipc/msg") == 0
               ? 0
               : 6;
}

CASE(clean__system_v_objects)
{
    struct fixture fixture;
    int status;
    pid_t child;

    if (geteuid() != 0)
        return; /* it gets no name space */
    set_up(&fixture);
    child = fork();
    if (child == 0)
        _exit(clean_objects(&fixture));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tear_down(&fixture);
}

/* Lists that no kernel has: nothing is removed but what they name. */
CASE(clean__lists_of_system_v_objects)
{
    static const char title[] = "       key      shmid perms\n";
    struct fixture fixture;
    const struct pace pace = {count_down, &fixture};
    CLEANUP_FREE char *list = NULL;
    CLEANUP_FREE char *expected = NULL;

    set_up(&fixture);
    assert_true(clean_sysv(fixture.directory, &pace, &fixture.failure)); /* there are none */
    write_in(fixture.directory, "shm", title);
    write_in(fixture.directory, "sem", "");
    write_in(fixture.directory, "msg", "\n\nno number\n5\n");
    assert_true(clean_sysv(fixture.directory, &pace, &fixture.failure));
    list = string_format("%s%10d %10d 0\n", title, 5, 2147483647);
    write_in(fixture.directory, "sem", list);
    assert_false(clean_sysv(fixture.directory, &pace, &fixture.failure));
    expected = path_in(fixture.directory, "sem");
    assert_string_equal(fixture.failure.path, expected);
    assert_int_equal(fixture.failure.error, EINVAL);
    tear_down(&fixture);
}

/* ---- sockets */

CASE_WITH(clean__lists_of_sockets, set_up(fixture))
{
    static const struct {
        const char *text;
        bool has;
    } cases[] = {{"", false}, {"title", false}, {"title\n", false}, {"title\n0: 2\n", true}};
    CLEANUP_FREE char *path = NULL;

    path = path_in(fixture->directory, "unix");
    assert_false(clean_has_sockets(path));
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_in(fixture->directory, "unix", cases[i].text);
        assert_int_equal(clean_has_sockets(path), cases[i].has);
    }
}
