#include "test.h"

#include <errno.h>
#include <sys/wait.h>

#include "supervisor/places.h"

/* A directory in which the places are made, and the table that names them. */
struct fixture {
    char *directory, *mountinfo;
    struct strbuf table;
    struct places places;
    struct place_failure failure;
    long steps; /* that may still be done */
};

static bool count_down(void *context)
{
    return ((struct fixture *)context)->steps-- > 0;
}

static void add_line(struct fixture *fixture, const char *path, const char *options,
                     const char *type)
{
    strbuf_addf(&fixture->table, "1 1 0:1 / %s %s - %s none rw\n", path, options, type);
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .steps = 1000};
    assert_int_equal(chmod(temp_root, 0755), 0); /* for other users */
    assert_int_equal(chmod(fixture->directory, 0755), 0);
    fixture->mountinfo = path_in(fixture->directory, "mountinfo");
    add_line(fixture, "/", "ro", "overlay");
}

static void tear_down(struct fixture *fixture)
{
    places_close(&fixture->places);
    strbuf_release(&fixture->table);
    free(fixture->mountinfo);
    temp_remove(fixture->directory);
}

/* Makes a directory and a line for it. Returns its path, owned. */
static char *add_place(struct fixture *fixture, const char *name)
{
    char *path = path_in(fixture->directory, name);

    assert_int_equal(mkdir(path, 0755), 0);
    add_line(fixture, path, "rw", "tmpfs");
    return path;
}

static void open_places(struct fixture *fixture)
{
    write_in(fixture->directory, "mountinfo", strbuf_string(&fixture->table));
    places_open(&fixture->places, fixture->mountinfo);
}

/* Checks that the places, with this one as the working directory (NULL: none), are refused. */
static void check_refused(struct fixture *fixture, const char *workdir, int error, const char *path)
{
    const struct pace pace = {count_down, fixture};
    CLEANUP_FD int fd = open(workdir ? workdir : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_false(places_check(&fixture->places, fd, &pace, &fixture->failure));
    assert_string_equal(fixture->failure.path, path);
    assert_int_equal(fixture->failure.error, error);
}

static bool is_accepted(struct fixture *fixture, const char *workdir)
{
    const struct pace pace = {count_down, fixture};
    CLEANUP_FD int fd = open(workdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return places_check(&fixture->places, fd, &pace, &fixture->failure);
}

/* ---- the table */

CASE_WITH(places__finds_writable_mounts, set_up(fixture))
{
    CLEANUP_FREE char *work = NULL;
    CLEANUP_FREE char *full = NULL;
    CLEANUP_FREE char *other = NULL;

    work = add_place(fixture, "work");
    full = add_place(fixture, "full");
    write_in(full, "file", "");
    other = path_in(fixture->directory, "other");
    assert_int_equal(mkdir(other, 0711), 0);
    add_line(fixture, other, "ro", "tmpfs");
    add_line(fixture, "/proc", "rw", "proc");
    add_line(fixture, "/sys", "rw", "sysfs");
    add_line(fixture, "/dev/null", "rw", "tmpfs");
    add_line(fixture, "/dev/missing/x", "rw", "tmpfs");
    open_places(fixture);
    assert_int_equal(fixture->places.count, 2);
    assert_string_equal(fixture->places.items[0].path, work);
    assert_true(fixture->places.items[0].empty);
    assert_int_equal(fixture->places.items[0].mode, 0755);
    assert_int_equal(fixture->places.items[0].uid, geteuid());
    assert_string_equal(fixture->places.items[1].path, full);
    assert_false(fixture->places.items[1].empty);
    assert_false(fixture->places.has_queues);
}

/* Only the last mount in a place can be seen. */
CASE_WITH(places__mount_upon_mount, set_up(fixture))
{
    CLEANUP_FREE char *work = NULL;
    CLEANUP_FREE char *hidden = NULL;

    hidden = add_place(fixture, "hidden");
    work = add_place(fixture, "work");
    add_line(fixture, hidden, "ro", "tmpfs");
    add_line(fixture, work, "rw", "tmpfs");
    open_places(fixture);
    assert_int_equal(fixture->places.count, 1);
    assert_string_equal(fixture->places.items[0].path, work);
    assert_true(is_accepted(fixture, work));
}

/* A queue can be made although the file system is mounted read-only. */
CASE_WITH(places__message_queues, set_up(fixture))
{
    CLEANUP_FREE char *queues = NULL;

    queues = path_in(fixture->directory, "queues");
    assert_int_equal(mkdir(queues, 0700), 0);
    add_line(fixture, queues, "ro", "mqueue");
    open_places(fixture);
    assert_true(fixture->places.has_queues);
    assert_int_equal(fixture->places.count, 1);
}

CASE_WITH(places__path_with_blanks, set_up(fixture))
{
    CLEANUP_FREE char *path = NULL;
    CLEANUP_FREE char *escaped = NULL;

    path = path_in(fixture->directory, "a - b");
    escaped = path_in(fixture->directory, "a\\040-\\040b");
    assert_int_equal(mkdir(path, 0700), 0);
    add_line(fixture, escaped, "rw", "tmpfs");
    open_places(fixture);
    assert_true(is_accepted(fixture, path));
}

CASE(places__tables_that_are_refused)
{
    static const char *const tables[] = {
        "",
        "no table\n",
        "1 1 0:1 / /x ro - tmpfs x ro\n", /* without "/" */
        "1 1 0:1 / / ro - overlay x ro\nno line\n",
        "1 1 0:1 / / ro - overlay x ro", /* cut off */
    };

    for (size_t i = 0; i < COUNT(tables); i++) {
        struct fixture fixture;

        set_up(&fixture);
        strbuf_release(&fixture.table);
        strbuf_addstr(&fixture.table, tables[i]);
        open_places(&fixture);
        check_refused(&fixture, NULL, EINVAL, fixture.mountinfo);
        tear_down(&fixture);
    }
}

/* A line or a table that is too long. */
CASE(places__long_tables)
{
    struct fixture fixture;

    set_up(&fixture);
    strbuf_addstr(&fixture.table, "1 1 0:1 / /x ro - overlay x lowerdir=");
    for (int i = 0; i < 16384; i++)
        strbuf_addch(&fixture.table, 'x');
    strbuf_addstr(&fixture.table, "\n");
    open_places(&fixture);
    check_refused(&fixture, NULL, EINVAL, fixture.mountinfo);
    tear_down(&fixture);

    set_up(&fixture);
    for (int i = 0; i < 4095; i++)
        add_line(&fixture, "/x", "ro", "tmpfs");
    open_places(&fixture);
    check_refused(&fixture, NULL, EPERM, "."); /* the working directory is none */
    add_line(&fixture, "/x", "ro", "tmpfs");
    places_close(&fixture.places);
    open_places(&fixture);
    check_refused(&fixture, NULL, EINVAL, fixture.mountinfo);
    tear_down(&fixture);
}

CASE_WITH(places__no_table, set_up(fixture))
{
    places_open(&fixture->places, NULL);
    check_refused(fixture, NULL, EPERM, "");
    places_open(&fixture->places, fixture->mountinfo);
    check_refused(fixture, NULL, EINVAL, fixture->mountinfo);
}

CASE_WITH(places__writable_root, set_up(fixture))
{
    CLEANUP_FREE char *work = NULL;

    work = add_place(fixture, "work");
    add_line(fixture, "/", "rw", "overlay");
    open_places(fixture);
    check_refused(fixture, work, EPERM, "/");
}

CASE_WITH(places__too_many, set_up(fixture))
{
    char *path = NULL;

    for (int i = 0; i < PLACES_MAX; i++) {
        CLEANUP_FREE char *name = string_format("%d", i);

        free(path);
        path = add_place(fixture, name);
    }
    open_places(fixture);
    assert_true(is_accepted(fixture, path));
    places_close(&fixture->places);
    free(path);
    path = add_place(fixture, "more");
    open_places(fixture);
    check_refused(fixture, path, E2BIG, path);
    free(path);
}

/* A file that is a mount has content that cannot be brought back. */
CASE_WITH(places__writable_file, set_up(fixture))
{
    CLEANUP_FREE char *work = NULL;
    CLEANUP_FREE char *file = NULL;

    work = add_place(fixture, "work");
    write_in(fixture->directory, "file", "text");
    file = path_in(fixture->directory, "file");
    add_line(fixture, file, "rw", "ext4");
    open_places(fixture);
    check_refused(fixture, work, EPERM, file);
}

/* ---- what is in them */

CASE_WITH(places__working_directory, set_up(fixture))
{
    CLEANUP_FREE char *work = NULL;
    CLEANUP_FREE char *below = NULL;

    work = add_place(fixture, "work");
    open_places(fixture);
    assert_true(is_accepted(fixture, work));
    below = path_in(work, "below"); /* made later: it would be removed */
    assert_int_equal(mkdir(below, 0700), 0);
    assert_true(is_accepted(fixture, work));
    check_refused(fixture, below, EPERM, ".");
}

CASE_WITH(places__working_directory_that_was_not_empty, set_up(fixture))
{
    CLEANUP_FREE char *work = NULL;

    work = add_place(fixture, "work");
    write_in(work, "file", "text");
    open_places(fixture);
    check_refused(fixture, work, EPERM, work);
}

/*
 * Places of root that are not empty, looked at by another user: "good" has nothing that this user
 * can change, and each of the others has one thing.
 */
static void fill_places(struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = add_place(fixture, name);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(mkdirat(fd, "a", 0755), 0);
    assert_int_equal(mkdirat(fd, "a/b", 0755), 0);
    assert_int_equal(mkdirat(fd, "secret", 0700), 0);
    assert_int_equal(mkdirat(fd, "secret/open", 0777), 0);
    write_in(path, "a/b/file", "text");
    assert_int_equal(symlinkat("/etc/passwd", fd, "a/link"), 0);
    assert_int_equal(mkfifoat(fd, "a/fifo", 0777), 0);
    assert_int_equal(fchmodat(fd, "a/fifo", 0777, 0), 0);
    if (strcmp(name, "writable-file") == 0)
        assert_int_equal(fchmodat(fd, "a/b/file", 0666, 0), 0);
    else if (strcmp(name, "own-file") == 0)
        assert_int_equal(fchownat(fd, "a/b/file", 65534, 0, 0), 0);
    else if (strcmp(name, "own-link") == 0)
        assert_int_equal(fchownat(fd, "a/link", 65534, 0, AT_SYMLINK_NOFOLLOW), 0);
    else if (strcmp(name, "writable-directory") == 0)
        assert_int_equal(fchmodat(fd, "a/b", 0777, 0), 0);
    else if (strcmp(name, "unlisted-directory") == 0)
        assert_int_equal(fchmodat(fd, "a/b", 0711, 0), 0);
    else if (strcmp(name, "writable-root") == 0)
        assert_int_equal(fchmod(fd, 01777), 0);
    else if (strcmp(name, "own-root") == 0)
        assert_int_equal(fchown(fd, 65534, 0), 0);
}

CASE(places__that_were_not_empty)
{
    static const struct {
        const char *name, *path; /* which is refused; NULL: it is not */
    } cases[] = {
        {"good", NULL},
        {"writable-file", "/a/b/file"},
        {"own-file", "/a/b/file"},
        {"own-link", "/a/link"},
        {"writable-directory", "/a/b"},
        {"unlisted-directory", "/a/b"},
        {"writable-root", ""},
        {"own-root", ""},
    };

    if (geteuid() != 0)
        return; /* there is no other user */
    for (size_t i = 0; i < COUNT(cases); i++) {
        CLEANUP_FREE char *work = NULL;
        CLEANUP_FREE char *expected = NULL;
        struct fixture fixture;
        int status;
        pid_t child;

        set_up(&fixture);
        work = add_place(&fixture, "work");
        assert_int_equal(chown(work, 65534, 65534), 0);
        fill_places(&fixture, cases[i].name);
        write_in(fixture.directory, "mountinfo", strbuf_string(&fixture.table));
        expected = string_format("%s/%s%s", fixture.directory, cases[i].name,
                                 cases[i].path ? cases[i].path : "");
        child = fork();
        if (child == 0) {
            bool good;

            if (setgid(65534) != 0 || setuid(65534) != 0)
                _exit(1);
            places_open(&fixture.places, fixture.mountinfo);
            good = is_accepted(&fixture, work);
            fprintf(stderr, "%s: %d %s\n", cases[i].name, fixture.failure.error,
                    fixture.failure.path);
            _exit(cases[i].path ? good || fixture.failure.error != EPERM ||
                                      strcmp(fixture.failure.path, expected) != 0
                                : !good);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        tear_down(&fixture);
    }
}

/* What this user must not even list, or must not write to while it is empty, no program changes. */
CASE(places__that_are_closed)
{
    static const struct {
        mode_t mode;
        size_t count;
        int refusal;
    } cases[] = {{0700, 0, 0}, {0711, 0, EPERM}, {0755, 0, 0}, {01777, 1, 0}};
    CLEANUP_FREE char *closed = NULL;
    struct fixture fixture;
    int status;
    pid_t child;

    if (geteuid() != 0)
        return; /* there is no other user */
    for (size_t i = 0; i < COUNT(cases); i++) {
        set_up(&fixture);
        free(closed);
        closed = add_place(&fixture, "closed");
        assert_int_equal(chmod(closed, cases[i].mode), 0);
        write_in(fixture.directory, "mountinfo", strbuf_string(&fixture.table));
        child = fork();
        if (child == 0) {
            if (setgid(65534) != 0 || setuid(65534) != 0)
                _exit(1);
            places_open(&fixture.places, fixture.mountinfo);
            _exit(fixture.places.count != cases[i].count ||
                  fixture.places.refusal.error != cases[i].refusal);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        tear_down(&fixture);
    }
}

/* As many steps are made as there are entries. */
CASE(places__takes_its_time)
{
    struct fixture fixture;
    int status;
    pid_t child;

    if (geteuid() != 0)
        return; /* there is no other user */
    set_up(&fixture);
    fill_places(&fixture, "good");
    write_in(fixture.directory, "mountinfo", strbuf_string(&fixture.table));
    child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(1);
        places_open(&fixture.places, fixture.mountinfo);
        fixture.steps = 5; /* of 6 */
        if (is_accepted(&fixture, "/") || fixture.failure.error != ETIME)
            _exit(2);
        fixture.steps = 6; /* but "/" is no place */
        _exit(is_accepted(&fixture, "/") || fixture.failure.error != EPERM);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tear_down(&fixture);
}
