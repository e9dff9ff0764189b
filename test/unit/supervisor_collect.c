#include "test.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/untar.h"
#include "supervisor/collect.h"

/* A directory, and the archive of it. */
struct fixture {
    char *directory;
    int fd; /* of the directory */
    struct collect collect;
    struct strbuf archive, too_large;
    size_t stop_at; /* the writer refuses to take more bytes */
};

static bool take_bytes(void *context, const void *data, size_t length)
{
    struct fixture *fixture = context;

    assert_true(length > 0);
    if (fixture->archive.length + length > fixture->stop_at)
        return false;
    strbuf_add(&fixture->archive, data, length);
    return true;
}

static bool take_path(void *context, const char *path)
{
    strbuf_addf(&((struct fixture *)context)->too_large, "%s;", path);
    return true;
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .stop_at = SIZE_MAX};
    fixture->fd = open(fixture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fixture->fd >= 0);
    fixture->collect = (struct collect){.write = take_bytes,
                                        .too_large = take_path,
                                        .context = fixture,
                                        .file_max = 1000000,
                                        .left = 4000000};
}

static void tear_down(struct fixture *fixture)
{
    close(fixture->fd);
    strbuf_release(&fixture->archive);
    strbuf_release(&fixture->too_large);
    temp_remove(fixture->directory);
}

static void put(struct fixture *fixture, const char *name, const char *text)
{
    write_in(fixture->directory, name, text);
}

static void make_directory(struct fixture *fixture, const char *name)
{
    assert_int_equal(mkdirat(fixture->fd, name, 0755), 0);
}

/* ---- the archive as lines "TYPE NAME SIZE x CONTENT", sorted */

struct lines {
    struct strbuf line;
    char *items[64];
    size_t count;
};

static void end_line(struct lines *lines)
{
    assert_true(lines->count < COUNT(lines->items));
    lines->items[lines->count++] = strbuf_steal(&lines->line);
}

static void note_begin(void *context, const struct untar_entry *entry)
{
    static const char *const types[] = {"file", "directory", "symlink", "hard-link", "other"};
    struct lines *lines = context;

    strbuf_addf(&lines->line, "%s %s%s", types[entry->type], entry->name,
                entry->executable ? " x" : "");
    if (entry->type == UNTAR_FILE)
        strbuf_addf(&lines->line, " %lld ", entry->size);
    else
        end_line(lines);
}

static void note_content(void *context, const char *data, size_t length)
{
    strbuf_add(&((struct lines *)context)->line, data, length < 20 ? length : 20);
}

static void note_end(void *context)
{
    end_line(context);
}

static int compare(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Reads the archive; owned. `complete`: it has an end. */
static char *read_with(const struct fixture *fixture, const struct untar_handler *handler,
                       bool complete)
{
    struct lines lines = {.line = STRBUF_INIT};
    struct error error = ERROR_INIT;
    struct strbuf text = STRBUF_INIT;
    struct untar untar;

    strbuf_addstr(&text, "");
    untar_init(&untar, handler, &lines);
    untar_feed(&untar, fixture->archive.data, fixture->archive.length, &error);
    assert_no_error(&error);
    assert_int_equal(untar_done(&untar), complete);
    untar_release(&untar);
    qsort(lines.items, lines.count, sizeof *lines.items, compare);
    for (size_t i = 0; i < lines.count; i++) {
        strbuf_addf(&text, "%s\n", lines.items[i]);
        free(lines.items[i]);
    }
    strbuf_release(&lines.line);
    return strbuf_steal(&text);
}

static char *read_archive(const struct fixture *fixture, bool complete)
{
    static const struct untar_handler handler = {note_begin, note_content, note_end};

    return read_with(fixture, &handler, complete);
}

static void check(struct fixture *fixture, const char *expected)
{
    const bool complete = collect_directory(&fixture->collect, fixture->fd);
    CLEANUP_FREE char *seen = read_archive(fixture, complete);

    assert_string_equal(seen, expected);
    assert_true(complete);
}

CASE_WITH(collect__files, set_up(fixture))
{
    put(fixture, "empty", "");
    put(fixture, "text", "some text");
    make_directory(fixture, "a");
    make_directory(fixture, "a/b");
    make_directory(fixture, "nothing");
    put(fixture, "a/b/c", "deep");
    put(fixture, "a/program", "run");
    assert_int_equal(fchmodat(fixture->fd, "a/program", 0755, 0), 0);
    check(fixture, "file ./a/b/c 4 deep\nfile ./a/program x 3 run\nfile ./empty 0 \n"
                   "file ./text 9 some text\n");
    assert_int_equal(fixture->archive.length % 512, 0);
    assert_string_equal(strbuf_string(&fixture->too_large), "");
}

/* tar(1) can read it too. */
CASE(collect__is_read_by_tar)
{
    struct fixture fixture;
    char name[160] = "";
    struct strbuf got;

    memset(name, 'n', sizeof name - 1);
    set_up(&fixture);
    put(&fixture, name, "long");
    assert_true(collect_directory(&fixture.collect, fixture.fd));
    {
        char *other = temp_create();
        CLEANUP_FREE char *path = path_in(other, "tar");
        CLEANUP_FREE char *command =
            string_format("tar -xOf %s ./%s && tar -tf %s", path, name, path);
        CLEANUP_FREE char *expected = string_format("long./%s\n", name);

        write_bytes(path, fixture.archive.data, fixture.archive.length, 0600);
        got = shell_output(command);
        assert_string_equal(strbuf_string(&got), expected);
        strbuf_release(&got);
        temp_remove(other);
    }
    tear_down(&fixture);
}

/* Nothing is waited for, and nothing outside is read. */
CASE_WITH(collect__special_files, set_up(fixture))
{
    assert_int_equal(mkfifoat(fixture->fd, "fifo", 0600), 0);
    assert_int_equal(symlinkat("/etc/passwd", fixture->fd, "link"), 0);
    assert_int_equal(symlinkat("/", fixture->fd, "root"), 0);
    assert_int_equal(symlinkat("nowhere", fixture->fd, "dangling"), 0);
    check(fixture, "other ./fifo\nsymlink ./dangling\nsymlink ./link\nsymlink ./root\n");
}

static void put_zeros(struct fixture *fixture, const char *name, off_t size)
{
    CLEANUP_FD int fd = openat(fixture->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
}

CASE_WITH(collect__limit_of_a_file, set_up(fixture))
{
    put_zeros(fixture, "exact", 1000000);
    put_zeros(fixture, "over", 1000001);
    put(fixture, "small", "1");
    check(fixture, "file ./exact 1000000 \nfile ./small 1 1\n");
    assert_string_equal(strbuf_string(&fixture->too_large), "./over;");
}

/* What is beyond the limit of the archive is named, and smaller files still find room. */
CASE_WITH(collect__limit_of_the_archive, set_up(fixture))
{
    for (int i = 0; i < 6; i++) {
        CLEANUP_FREE char *name = string_format("file%d", i);

        put_zeros(fixture, name, 900000);
    }
    assert_true(collect_directory(&fixture->collect, fixture->fd));
    assert_in_range(fixture->archive.length, 4 * 900000, 4000000);
    assert_int_equal(fixture->too_large.length, 2 * strlen("./file0;"));
}

/* A file of 8 EB, which a file system in memory takes, is never read, whatever the limits are. */
CASE_WITH(collect__sparse_file, set_up(fixture))
{
    char directory[] = "/dev/shm/isolator-unit-XXXXXX";

    assert_non_null(mkdtemp(directory));
    close(fixture->fd);
    fixture->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    put_zeros(fixture, "sparse", INT64_MAX);
    fixture->collect.file_max = fixture->collect.left = UINT64_MAX;
    fixture->stop_at = 4096;
    check(fixture, "");
    assert_string_equal(strbuf_string(&fixture->too_large), "./sparse;");
    remove_below(AT_FDCWD, directory);
}

/* ---- sizes that are wrong */

/* Of /proc: read to the end; without an end in a chunk; not to be read at all. */
CASE_WITH(collect__files_of_the_kernel, set_up(fixture))
{
    const int process = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP_FREE char *seen = NULL, *content = read_in("/proc/self", "limits"), *expected = NULL;

    fixture->collect.measures = true;
    assert_true(process >= 0);
    assert_true(collect_named(&fixture->collect, process, "limits"));
    assert_true(collect_named(&fixture->collect, process, "pagemap"));
    assert_true(collect_named(&fixture->collect, process, "mem"));
    assert_true(collect_end(&fixture->collect));
    close(process);
    assert_true(strlen(content) > 100);
    expected = string_format("file ./limits %zu %.20s\nother ./mem\nother ./pagemap\n",
                             strlen(content), content);
    seen = read_archive(fixture, true);
    assert_string_equal(seen, expected);
}

CASE_WITH(collect__measures_files, set_up(fixture))
{
    fixture->collect.measures = true;
    put(fixture, "empty", "");
    put(fixture, "text", "some text");
    put_zeros(fixture, "chunk", 32768);
    put_zeros(fixture, "chunks", 100000);
    put_zeros(fixture, "over", 1000001);
    check(fixture, "file ./chunk 32768 \nfile ./chunks 100000 \nfile ./empty 0 \n"
                   "file ./text 9 some text\n");
    assert_string_equal(strbuf_string(&fixture->too_large), "./over;");
}

/* Takes bytes, and makes the file shorter that is just read. */
static bool cut_file(void *context, const void *data, size_t length)
{
    struct fixture *fixture = context;
    CLEANUP_FD int fd = openat(fixture->fd, "file", O_WRONLY | O_CLOEXEC);

    assert_int_equal(ftruncate(fd, 40000), 0);
    return take_bytes(context, data, length);
}

CASE(collect__a_file_that_becomes_shorter)
{
    for (int measures = 0; measures < 2; measures++) {
        struct fixture fixture;

        set_up(&fixture);
        put_zeros(&fixture, "file", 100000);
        fixture.collect.write = cut_file;
        fixture.collect.measures = measures;
        assert_int_equal(collect_directory(&fixture.collect, fixture.fd), !measures);
        assert_int_equal(fixture.collect.error, measures ? EIO : 0);
        tear_down(&fixture);
    }
}

CASE_WITH(collect__long_names, set_up(fixture))
{
    struct strbuf name = STRBUF_INIT;
    struct strbuf expected = STRBUF_INIT;

    strbuf_addstr(&expected, "");
    for (int length = 96; length <= 99; length++) { /* the field holds 100 bytes, with "./" */
        strbuf_release(&name);
        for (int i = 0; i < length; i++)
            strbuf_addch(&name, 'n');
        put(fixture, strbuf_string(&name), "1");
        strbuf_addf(&expected, "file ./%s 1 1\n", strbuf_string(&name));
    }
    check(fixture, strbuf_string(&expected));
    strbuf_release(&name);
    strbuf_release(&expected);
}

/* Goes down so many levels, each a directory with this name, and returns its descriptor. */
static int go_down(int directory, int levels, const char *name)
{
    int fd = dup(directory);

    for (int i = 0; i < levels; i++) {
        int next;

        assert_int_equal(mkdirat(fd, name, 0755), 0);
        next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    return fd;
}

/* The archive of too many levels ends early, without its end. */
CASE(collect__levels)
{
    struct fixture fixture;
    int fd;

    set_up(&fixture);
    fd = go_down(fixture.fd, COLLECT_DEPTH_MAX, "d");
    assert_int_equal(mkfifoat(fd, "last", 0600), 0);
    assert_true(collect_directory(&fixture.collect, fixture.fd));
    assert_true(fixture.archive.length > 512 + 1024);
    assert_int_equal(mkdirat(fd, "e", 0700), 0);
    strbuf_release(&fixture.archive);
    assert_false(collect_directory(&fixture.collect, fixture.fd));
    close(fd);
    tear_down(&fixture);

    set_up(&fixture);
    close(go_down(fixture.fd, 200, "d"));
    assert_false(collect_directory(&fixture.collect, fixture.fd));
    tear_down(&fixture);
}

/* A path that is longer than PATH_MAX, in few levels. */
CASE(collect__path_that_is_too_long)
{
    char name[251] = "";
    struct fixture fixture;

    memset(name, 'n', sizeof name - 1);
    set_up(&fixture);
    close(go_down(fixture.fd, 16, name));
    assert_true(collect_directory(&fixture.collect, fixture.fd));
    tear_down(&fixture);

    set_up(&fixture);
    close(go_down(fixture.fd, 17, name));
    assert_false(collect_directory(&fixture.collect, fixture.fd));
    tear_down(&fixture);
}

CASE_WITH(collect__entries, set_up(fixture))
{
    put(fixture, "1", "");
    make_directory(fixture, "2");
    put(fixture, "2/3", "");
    fixture->collect.entries = COLLECT_ENTRIES_MAX - 3;
    assert_true(collect_directory(&fixture->collect, fixture->fd));
    fixture->collect.entries = COLLECT_ENTRIES_MAX - 2;
    assert_false(collect_directory(&fixture->collect, fixture->fd));
}

/* The receiver wants nothing more. */
CASE_WITH(collect__writer_that_refuses, set_up(fixture))
{
    put(fixture, "file", "text");
    for (size_t stop_at = 0; stop_at < 2048; stop_at += 511) {
        strbuf_release(&fixture->archive);
        fixture->stop_at = stop_at;
        assert_false(collect_directory(&fixture->collect, fixture->fd));
    }
    strbuf_release(&fixture->archive);
    fixture->stop_at = 2048;
    assert_true(collect_directory(&fixture->collect, fixture->fd));
}

/* Collects as a user who may not read what has no permissions; an exit status. */
static int collect_as_a_user(struct fixture *fixture)
{
    CLEANUP_FREE char *seen = NULL;

    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
        return 1;
    if (faccessat(fixture->fd, "locked/file", R_OK, AT_EACCESS) == 0)
        return 2; /* the test would prove nothing */
    if (!collect_directory(&fixture->collect, fixture->fd))
        return 3;
    seen = read_archive(fixture, true);
    if (strcmp(seen, "file ./locked/file 6 secret\nfile ./unreadable 4 text\n") == 0)
        return 0;
    fprintf(stderr, "%s", seen);
    return 4;
}

/* The program's own files are read although it has taken away all permissions. */
CASE_WITH(collect__unreadable_files, set_up(fixture))
{
    pid_t child;
    int status;

    put(fixture, "unreadable", "text");
    make_directory(fixture, "locked");
    put(fixture, "locked/file", "secret");
    if (geteuid() == 0) {
        assert_int_equal(fchown(fixture->fd, 65534, 65534), 0);
        assert_int_equal(fchownat(fixture->fd, "unreadable", 65534, 65534, 0), 0);
        assert_int_equal(fchownat(fixture->fd, "locked", 65534, 65534, 0), 0);
        assert_int_equal(fchownat(fixture->fd, "locked/file", 65534, 65534, 0), 0);
    }
    assert_int_equal(fchmodat(fixture->fd, "unreadable", 0, 0), 0);
    assert_int_equal(fchmodat(fixture->fd, "locked/file", 0, 0), 0);
    assert_int_equal(fchmodat(fixture->fd, "locked", 0, 0), 0);
    assert_int_equal(fchmod(fixture->fd, 0), 0);
    child = fork();
    if (child == 0)
        _exit(collect_as_a_user(fixture));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The files of another user cannot be read; the rest is collected. */
static int collect_beside_another_user(struct fixture *fixture)
{
    CLEANUP_FREE char *seen = NULL;

    if (setegid(65534) != 0 || seteuid(65534) != 0)
        return 1;
    if (!collect_directory(&fixture->collect, fixture->fd))
        return 3;
    seen = read_archive(fixture, true);
    return strcmp(seen, "file ./own 3 own\nother ./directory\nother ./file\n") == 0 ? 0 : 4;
}

CASE(collect__files_of_another_user)
{
    struct fixture fixture;
    pid_t child;
    int status;

    if (geteuid() != 0)
        return; /* there is no other user */
    set_up(&fixture);
    put(&fixture, "own", "own");
    put(&fixture, "file", "text");
    make_directory(&fixture, "directory");
    assert_int_equal(fchmodat(fixture.fd, "file", 0, 0), 0);
    assert_int_equal(fchmodat(fixture.fd, "directory", 0, 0), 0);
    assert_int_equal(fchown(fixture.fd, 65534, 65534), 0);
    child = fork();
    if (child == 0)
        _exit(collect_beside_another_user(&fixture));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tear_down(&fixture);
}

/* ---- an exact copy */

static void note_exactly(void *context, const struct untar_entry *entry)
{
    struct lines *lines = context;

    strbuf_addf(&lines->line, "%d %s%s %s %lld ", entry->type, entry->name,
                entry->type == UNTAR_FILE && entry->executable ? " x" : "", entry->target,
                entry->type == UNTAR_FILE ? entry->modified : 0);
    if (entry->type != UNTAR_FILE)
        end_line(lines);
}

static void set_time(struct fixture *fixture, const char *name, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds, .tv_nsec = 999}};

    assert_int_equal(utimensat(fixture->fd, name, times, 0), 0);
}

/* Collects an exact copy, and checks its lines "TYPE NAME x TARGET TIME CONTENT". */
static void check_exactly(struct fixture *fixture, const char *expected)
{
    static const struct untar_handler handler = {note_exactly, note_content, note_end};
    CLEANUP_FREE char *seen = NULL;

    fixture->collect.exact = true;
    assert_true(collect_directory(&fixture->collect, fixture->fd));
    seen = read_with(fixture, &handler, true);
    assert_string_equal(seen, expected);
}

CASE_WITH(collect__exact_copy, set_up(fixture))
{
    make_directory(fixture, "a");
    make_directory(fixture, "a/empty");
    put(fixture, "a/text", "some text");
    put(fixture, "run", "run");
    assert_int_equal(fchmodat(fixture->fd, "run", 0700, 0), 0);
    set_time(fixture, "a/text", 1234567890);
    set_time(fixture, "run", -5); /* an archive has no earlier time than 0 */
    assert_int_equal(mkfifoat(fixture->fd, "fifo", 0600), 0);
    assert_int_equal(symlinkat("../x", fixture->fd, "link"), 0);
    check_exactly(fixture, "0 ./a/text  1234567890 some text\n0 ./run x  0 run\n"
                           "1 ./a  0 \n1 ./a/empty  0 \n2 ./link ../x 0 \n");
}

/* The field for a target holds 100 bytes. */
CASE_WITH(collect__long_targets, set_up(fixture))
{
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT;
    char target[4096];

    for (size_t length = 98; length < sizeof target; length = length < 102 ? length + 1 : 4095) {
        CLEANUP_FREE char *name = string_format("%04zu", length);

        memset(target, 't', length);
        target[length] = '\0';
        assert_int_equal(symlinkat(target, fixture->fd, name), 0);
        strbuf_addf(&expected, "2 ./%s %s 0 \n", name, target);
        if (length == 4095)
            break;
    }
    check_exactly(fixture, strbuf_string(&expected));
}

/* Why and where it has ended. */
static void check_failure(struct fixture *fixture, int error, const char *path)
{
    fixture->collect.exact = true;
    assert_false(collect_directory(&fixture->collect, fixture->fd));
    assert_string_equal(fixture->collect.path, path);
    assert_int_equal(fixture->collect.error, error);
}

CASE(collect__reasons_of_an_early_end)
{
    struct fixture fixture;
    int fd;

    set_up(&fixture);
    put(&fixture, "one", "text");
    fixture.collect.entries = COLLECT_ENTRIES_MAX;
    check_failure(&fixture, E2BIG, ".");
    fixture.collect.entries = 0;
    fixture.stop_at = 512;
    check_failure(&fixture, 0, "./one");
    tear_down(&fixture);

    set_up(&fixture);
    fd = go_down(fixture.fd, COLLECT_DEPTH_MAX + 1, "d");
    check_failure(&fixture, ENAMETOOLONG, fixture.collect.path);
    assert_int_equal(strlen(fixture.collect.path), 1 + 2 * (COLLECT_DEPTH_MAX + 1));
    close(fd);
    tear_down(&fixture);
}

/* What another user has put there and closed cannot be copied. */
static int copy_beside_another_user(struct fixture *fixture)
{
    if (setegid(65534) != 0 || seteuid(65534) != 0)
        return 1;
    fixture->collect.exact = true;
    if (collect_directory(&fixture->collect, fixture->fd))
        return 2;
    return fixture->collect.error == EPERM && strcmp(fixture->collect.path, "./file") == 0 ? 0 : 3;
}

CASE(collect__copy_of_an_unreadable_file)
{
    struct fixture fixture;
    pid_t child;
    int status;

    if (geteuid() != 0)
        return; /* there is no other user */
    set_up(&fixture);
    put(&fixture, "file", "text");
    assert_int_equal(fchmodat(fixture.fd, "file", 0, 0), 0);
    assert_int_equal(fchown(fixture.fd, 65534, 65534), 0);
    child = fork();
    if (child == 0)
        _exit(copy_beside_another_user(&fixture));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tear_down(&fixture);
}

CASE(collect__leaves_no_descriptor_open)
{
    const int before = dup(0);
    int after;

    close(before);
    collect__files(NULL);
    collect__special_files(NULL);
    collect__levels(NULL);
    collect__writer_that_refuses(NULL);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}
