#define _GNU_SOURCE /* syscall(2) */
#include "test.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/linux.h"
#include "base/memory.h"
#include "config/drivers.h"
#include "run/pack_input.h"

/* A directory "in" to send, and the archive "archive.tar". */
struct fixture {
    char *directory, *in;
    struct plan plan;
    struct archive archive;
    struct strvec warnings;
    const struct notifier *cancel;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .plan = PLAN_INIT};
    fixture->in = path_in(fixture->directory, "in");
    mkdir(fixture->in, 0755);
    fixture->plan.input.dir = string_copy(fixture->in);
    fixture->plan.entrypoint = string_copy("main");
    sandbox_policy_init(&fixture->plan.policy);
    fixture->plan.policy.limits.number[LIMIT_WORKDIR] = 1;
    write_in(fixture->in, "main", "the program");
    assert_int_equal(archive_open(&fixture->archive, 0, 0, NULL, &fixture->error), 0);
}

static void set_entrypoint(struct fixture *fixture, const char *entrypoint)
{
    free(fixture->plan.entrypoint);
    fixture->plan.entrypoint = string_copy(entrypoint);
    free(fixture->plan.source_name);
    fixture->plan.source_name = string_copy(entrypoint);
}

static int archive_input(struct fixture *fixture)
{
    return pack_input(&fixture->plan, &fixture->archive, &fixture->warnings, fixture->cancel,
                      &fixture->error);
}

static void tear_down(struct fixture *fixture)
{
    archive_release(&fixture->archive);
    strvec_release(&fixture->warnings);
    plan_release(&fixture->plan);
    error_release(&fixture->error);
    free(fixture->in);
    temp_remove(fixture->directory);
}

/* Archives the directory, which must fail, and tears the fixture down. */
static void refuse(struct fixture *fixture, const char *message)
{
    assert_int_equal(archive_input(fixture), -1);
    assert_error(&fixture->error, ERROR_INPUT, message);
    tear_down(fixture);
}

static void save(struct fixture *fixture)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, "archive.tar");
    const int result = archive_input(fixture);
    struct strbuf bytes;

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
    lseek(archive_file(&fixture->archive), 0, SEEK_SET);
    bytes = read_all(archive_file(&fixture->archive));
    write_bytes(path, bytes.data, bytes.length, 0644);
    strbuf_release(&bytes);
}

static struct strbuf run_in(const struct fixture *fixture, const char *command)
{
    CLEANUP_FREE char *line = string_format("cd %s && %s", fixture->directory, command);

    return shell_output(line);
}

/* Archives the directory and checks the modes and names in the archive. */
static void check_list(struct fixture *fixture, const char *expected)
{
    struct strbuf output;

    save(fixture);
    output = run_in(fixture, "LC_ALL=C tar -tvf archive.tar | "
                             "sed -E 's/^(.{10}) [^ ]+ +[0-9]+ [^ ]+ [^ ]+ /\\1 /'");
    assert_string_equal(strbuf_string(&output), expected);
    strbuf_release(&output);
}

/* Archives the directory and checks that the unpacked archive is the same. */
static void check_same(struct fixture *fixture)
{
    struct strbuf output;

    save(fixture);
    output = run_in(fixture, "mkdir out && tar -xf archive.tar -C out && "
                             "diff -r --no-dereference in out 2>&1");
    assert_string_equal(strbuf_string(&output), "");
    strbuf_release(&output);
}

static void check_warnings(const struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(&fixture->warnings, "|");

    assert_string_equal(joined, expected);
}

static void make_directory(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->in, name);

    assert_int_equal(mkdir(path, 0755), 0);
}

static void make_link(const struct fixture *fixture, const char *name, const char *target)
{
    CLEANUP_FREE char *path = path_in(fixture->in, name);

    assert_int_equal(symlink(target, path), 0);
}

static void make_file(const struct fixture *fixture, const char *name, off_t size, mode_t mode)
{
    CLEANUP_FREE char *path = path_in(fixture->in, name);
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
    assert_int_equal(fchmod(fd, mode), 0);
}

/* ---- what is sent */

CASE_WITH(pack_input__sends_a_tree, set_up(fixture))
{
    make_directory(fixture, "z");
    make_directory(fixture, "z/empty");
    write_in(fixture->in, "z/b", "b");
    write_in(fixture->in, "z/a", "");
    write_in(fixture->in, ".hidden", "h");
    check_list(fixture, "-rw-r--r-- .hidden\n"
                        "-rw-r--r-- main\n"
                        "drwxr-xr-x z/\n"
                        "-rw-r--r-- z/a\n"
                        "-rw-r--r-- z/b\n"
                        "drwxr-xr-x z/empty/\n");
    check_warnings(fixture, "");
}

CASE_WITH(pack_input__sends_the_same_content, set_up(fixture))
{
    make_directory(fixture, "d");
    make_file(fixture, "d/zeros", 100000, 0644);
    make_link(fixture, "d/link", "../main");
    make_link(fixture, "nowhere", "d/absent");
    check_same(fixture);
    check_warnings(fixture, "");
}

/* Of the mode of a file, only the execute permission is sent. */
CASE_WITH(pack_input__modes, set_up(fixture))
{
    make_file(fixture, "a", 0, 04755);
    make_file(fixture, "b", 0, 0600);
    make_file(fixture, "c", 0, 0500);
    make_file(fixture, "d", 0, 0410);
    make_file(fixture, "e", 0, 0401);
    make_file(fixture, "f", 0, 02666);
    check_list(fixture, "-rwxr-xr-x a\n"
                        "-rw-r--r-- b\n"
                        "-rwxr-xr-x c\n"
                        "-rwxr-xr-x d\n"
                        "-rwxr-xr-x e\n"
                        "-rw-r--r-- f\n"
                        "-rw-r--r-- main\n");
}

CASE_WITH(pack_input__names_of_any_bytes, set_up(fixture))
{
    static const char *const names[] = {"\xff\xfe", "new\nline", " ", "-rf", "caf\xc3\xa9",
                                        "\xc3",     "a\\b",      "'", "*",   "\x01\x1b[2J"};

    for (size_t i = 0; i < COUNT(names); i++)
        write_in(fixture->in, names[i], "x");
    make_directory(fixture, "\xfa");
    write_in(fixture->in, "\xfa/\xfb", "x");
    make_link(fixture, "\xfc", "\xfa/\xfb");
    check_same(fixture);
    check_warnings(fixture, "");
}

CASE(pack_input__paths_of_300_characters)
{
    struct fixture fixture;
    char name[256];
    CLEANUP_FREE char *deep = NULL;

    memset(name, 'n', sizeof name);
    name[255] = '\0';
    set_up(&fixture);
    write_in(fixture.in, name, "longest name");
    name[150] = '\0';
    make_directory(&fixture, name);
    deep = string_format("%s/%s", name, name);
    make_directory(&fixture, deep);
    CLEANUP_FREE char *file = path_in(deep, "file");
    write_in(fixture.in, file, "deep");
    assert_int_equal(strlen(file), 306);
    make_link(&fixture, "link", file);
    make_link(&fixture, "short", "main");
    check_same(&fixture);
    tear_down(&fixture);
}

CASE_WITH(pack_input__same_archive_each_time, set_up(fixture))
{
    struct strbuf bytes[2];

    for (int i = 0; i < 50; i++) {
        CLEANUP_FREE char *name = string_format("file-%d", i * 37 % 50);

        write_in(fixture->in, name, name);
    }
    for (int i = 0; i < 2; i++) {
        save(fixture);
        lseek(archive_file(&fixture->archive), 0, SEEK_SET);
        bytes[i] = read_all(archive_file(&fixture->archive));
        archive_release(&fixture->archive);
        assert_int_equal(archive_open(&fixture->archive, 0, 0, NULL, &fixture->error), 0);
    }
    assert_int_equal(bytes[0].length, bytes[1].length);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].length);
    strbuf_release(&bytes[0]);
    strbuf_release(&bytes[1]);
}

/* ---- links */

CASE_WITH(pack_input__links_that_stay_inside, set_up(fixture))
{
    static const struct {
        const char *name, *target;
    } links[] = {{"d/a", "../main"}, {"d/b", "../d/../main"}, {"c", "d/.."},
                 {"d/e/f", "../.."}, {"d/g", "./.././main"},  {"h", "."},
                 {"i", "main/"},     {"j", "d//e"},           {"k", "..."},
                 {"d/l", ".."},      {"m", "a/b/../../main"}};

    make_directory(fixture, "d");
    make_directory(fixture, "d/e");
    for (size_t i = 0; i < COUNT(links); i++)
        make_link(fixture, links[i].name, links[i].target);
    check_same(fixture);
    check_warnings(fixture, "");
}

CASE_WITH(pack_input__links_that_leave_are_left_out, set_up(fixture))
{
    make_directory(fixture, "d");
    make_link(fixture, "a", "/etc/passwd");
    make_link(fixture, "b", "..");
    make_link(fixture, "c\n", "../in/main\x1b");
    make_link(fixture, "d/e", "../../x");
    make_link(fixture, "d/f", "g/../../../in");
    make_link(fixture, "h", "./../main");
    make_link(fixture, "i", "/");
    check_list(fixture, "drwxr-xr-x d/\n-rw-r--r-- main\n");
    check_warnings(fixture,
                   "omitted the link 'a': its target '/etc/passwd' is outside the directory|"
                   "omitted the link 'b': its target '..' is outside the directory|"
                   "omitted the link 'c\\n': its target '../in/main\\x1b' is outside the directory|"
                   "omitted the link 'd/e': its target '../../x' is outside the directory|"
                   "omitted the link 'd/f': its target 'g/../../../in' is outside the directory|"
                   "omitted the link 'h': its target './../main' is outside the directory|"
                   "omitted the link 'i': its target '/' is outside the directory");
}

CASE_WITH(pack_input__links_to_files_that_are_allowed, set_up(fixture))
{
    CLEANUP_FREE char *above = path_in(fixture->directory, "above");

    assert_int_equal(mkdir(above, 0755), 0);
    write_in(above, "file", "");
    write_in(fixture->directory, "beside", "");
    fixture->plan.links_below = string_copy(above);
    make_directory(fixture, "d");
    make_link(fixture, "d/above", "../../above/file");
    make_link(fixture, "directory", "../above");
    make_link(fixture, "beside", "../beside");
    make_link(fixture, "file", "main");
    check_list(fixture, "drwxr-xr-x d/\n-rw-r--r-- d/above\nlrwxrwxrwx file -> main\n"
                        "-rw-r--r-- main\n");
    check_warnings(fixture,
                   "omitted the link 'beside': its target '../beside' is outside the directory|"
                   "omitted the link 'directory': its target '../above' is outside the directory");
}

/*
 * A target that passes through another link could lead anywhere. Only the names decide, and no link
 * is followed.
 */
CASE_WITH(pack_input__links_are_not_followed, set_up(fixture))
{
    CLEANUP_FREE char *outside = NULL;

    outside = path_in(fixture->directory, "outside");
    mkdir(outside, 0755);
    write_in(outside, "secret", "secret");
    make_link(fixture, "dir", outside);
    make_link(fixture, "through", "dir/secret");
    check_list(fixture, "-rw-r--r-- main\nlrwxrwxrwx through -> dir/secret\n");
    assert_int_equal(fixture->warnings.count, 1);
}

/* A child process that exchanges two names in a loop until it is killed. */
static pid_t swap_names(const char *first, const char *second)
{
    const pid_t child = fork();

    assert_true(child >= 0);
    while (child == 0)
        if (syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 2 /* RENAME_EXCHANGE */) != 0)
            _exit(1);
    return child;
}

static bool holds(const struct strbuf *bytes, const char *word)
{
    const size_t length = strlen(word);

    for (size_t i = 0; i + length <= bytes->length; i++)
        if (memcmp(bytes->data + i, word, length) == 0)
            return true;
    return false;
}

/*
 * A path that is a file or a directory for stat() and a link for open() is not followed. A few
 * hundred attempts hit that moment.
 */
static void check_swapped(bool directory)
{
    struct fixture fixture;
    bool followed = false;
    int status;
    pid_t child;

    set_up(&fixture);
    CLEANUP_FREE char *first = path_in(fixture.in, "inside");
    CLEANUP_FREE char *second = path_in(fixture.directory, "link");
    CLEANUP_FREE char *outside = path_in(fixture.directory, "outside");
    if (directory) {
        mkdir(first, 0755);
        mkdir(outside, 0755);
        write_in(outside, "file", "the secret");
    } else {
        write_in(fixture.in, "inside", "text");
        write_in(fixture.directory, "outside", "the secret");
    }
    assert_int_equal(symlink(outside, second), 0);
    child = swap_names(first, second);
    for (int i = 0; i < 4000 && !followed; i++) {
        struct strbuf bytes;

        archive_release(&fixture.archive);
        assert_int_equal(archive_open(&fixture.archive, 0, 0, NULL, &fixture.error), 0);
        if (archive_input(&fixture) != 0)
            error_release(&fixture.error);
        strvec_release(&fixture.warnings);
        lseek(archive_file(&fixture.archive), 0, SEEK_SET);
        bytes = read_all(archive_file(&fixture.archive));
        followed = holds(&bytes, "secret");
        strbuf_release(&bytes);
    }
    kill(child, SIGKILL); /* before anything is asserted */
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_false(followed);
    tear_down(&fixture);
}

CASE(pack_input__links_that_come_between)
{
    check_swapped(false);
    check_swapped(true);
}

CASE_WITH(pack_input__many_links_left_out_are_counted, set_up(fixture))
{
    for (int i = 0; i < 25; i++) {
        CLEANUP_FREE char *name = string_format("link-%02d", i);

        make_link(fixture, name, "/");
    }
    check_list(fixture, "-rw-r--r-- main\n");
    assert_int_equal(fixture->warnings.count, 21);
    assert_string_equal(fixture->warnings.items[19],
                        "omitted the link 'link-19': its target '/' is outside the directory");
    assert_string_equal(fixture->warnings.items[20],
                        "omitted 5 more links whose targets are outside the directory");
}

CASE(pack_input__link_with_a_long_target)
{
    char target[4096];
    struct fixture fixture;

    memset(target, 't', sizeof target);
    for (size_t i = 100; i < 4000; i += 101)
        target[i] = '/';
    target[4000] = '\0';
    set_up(&fixture);
    make_link(&fixture, "link", target);
    check_same(&fixture);
    tear_down(&fixture);

    target[4000] = 't';
    target[4001] = '\0';
    set_up(&fixture);
    make_link(&fixture, "link", target);
    refuse(&fixture, "'link' is a link longer than 4000 bytes");
}

/* ---- what cannot be sent */

CASE(pack_input__fifos_and_sockets_are_refused)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct fixture fixture;
    CLEANUP_FREE char *fifo = NULL;
    int fd;

    set_up(&fixture);
    make_directory(&fixture, "d");
    fifo = path_in(fixture.in, "d/fi\nfo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    refuse(&fixture, "'d/fi\\nfo' is a FIFO, which cannot be sent");

    set_up(&fixture);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", fixture.in);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    refuse(&fixture, "'socket' is a socket, which cannot be sent");
}

CASE(pack_input__directories_that_cannot_be_opened)
{
    struct fixture fixture;
    CLEANUP_FREE char *absent = NULL;
    CLEANUP_FREE char *file = NULL;

    set_up(&fixture);
    absent =
        string_format("cannot open the directory '%s\\n': No such file or directory", fixture.in);
    free(fixture.plan.input.dir);
    fixture.plan.input.dir = string_format("%s\n", fixture.in);
    refuse(&fixture, absent);

    set_up(&fixture);
    file = string_format("cannot open the directory '%s/main': Not a directory", fixture.in);
    free(fixture.plan.input.dir);
    fixture.plan.input.dir = path_in(fixture.in, "main");
    refuse(&fixture, file);
}

/* The directory itself may be a link, because the user named it. */
CASE_WITH(pack_input__directory_behind_a_link, set_up(fixture))
{
    CLEANUP_FREE char *link = NULL;

    link = path_in(fixture->directory, "link");
    assert_int_equal(symlink("in", link), 0);
    free(fixture->plan.input.dir);
    fixture->plan.input.dir = string_copy(link);
    check_list(fixture, "-rw-r--r-- main\n");
}

/* ---- the entrypoint */

static void check_entrypoint(const char *entrypoint, const char *message)
{
    struct fixture fixture;

    set_up(&fixture);
    make_directory(&fixture, "d");
    write_in(fixture.in, "d/file", "x");
    make_link(&fixture, "link", "main");
    make_link(&fixture, "dlink", "d");
    set_entrypoint(&fixture, entrypoint);
    if (message) {
        refuse(&fixture, message);
        return;
    }
    save(&fixture);
    tear_down(&fixture);
}

CASE(pack_input__entrypoint_must_be_a_file_of_the_directory)
{
    struct fixture fixture;

    check_entrypoint("main", NULL);
    check_entrypoint("d/file", NULL);
    check_entrypoint("absent\n",
                     "cannot find the entrypoint 'absent\\n': No such file or directory");
    check_entrypoint("d/absent",
                     "cannot find the entrypoint 'd/absent': No such file or directory");
    check_entrypoint("main/x", "cannot find the entrypoint 'main/x': Not a directory");
    check_entrypoint("d", "the entrypoint 'd' is not a regular file of the directory");
    check_entrypoint("link", "the entrypoint 'link' is not a regular file of the directory");
    check_entrypoint("dlink/file",
                     "the entrypoint 'dlink/file' is not a regular file of the directory");
    set_up(&fixture);
    free(fixture.plan.entrypoint);
    fixture.plan.entrypoint = string_copy("default");
    refuse(&fixture, "cannot find the entrypoint 'default': No such file or directory; it is the "
                     "language's default file; name another one with entrypoint");
}

/* ---- what is left out */

CASE_WITH(pack_input__isolatorignore_leaves_out, set_up(fixture))
{
    CLEANUP_FREE char *fifo = NULL;

    make_directory(fixture, "build");
    make_file(fixture, "build/out", 5, 0644);
    make_directory(fixture, "src");
    make_directory(fixture, "src/data");
    make_file(fixture, "src/data/a", 5, 0644);
    make_file(fixture, "src/build", 5, 0644);
    make_file(fixture, "data", 2000000, 0644);
    make_file(fixture, "a.o", 5, 0644);
    make_file(fixture, "src/b.o", 5, 0644);
    make_file(fixture, "src/keep.o", 5, 0644);
    fifo = path_in(fixture->in, "fifo.o");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    write_in(fixture->in, ".isolatorignore", "*.o\n!keep.o\nbuild/\n/data\n");
    check_list(fixture, "-rw-r--r-- .isolatorignore\n"
                        "-rw-r--r-- main\n"
                        "drwxr-xr-x src/\n"
                        "-rw-r--r-- src/build\n"
                        "drwxr-xr-x src/data/\n"
                        "-rw-r--r-- src/data/a\n"
                        "-rw-r--r-- src/keep.o\n");
}

CASE(pack_input__isolatorignore_that_is_wrong)
{
    struct fixture fixture;

    set_up(&fixture);
    write_in(fixture.in, ".isolatorignore", "m*\n");
    refuse(&fixture, "the entrypoint 'main' is left out by .isolatorignore");
    set_up(&fixture);
    write_in(fixture.in, ".isolatorignore", "!/\n");
    refuse(&fixture, "'.isolatorignore', line 1: there is no name in the pattern");
}

/* ---- sizes */

/* The error, by the megabytes of all files, and what it says of the largest file. */
#define TOO_MUCH(all, largest)                                                                     \
    "the files need " all " MB, more than the 1 MB of the working directory" largest               \
    "; raise workdirMB"

/* "main" takes one page of 4096 bytes. */
CASE(pack_input__sizes_count_in_whole_pages)
{
    struct fixture fixture;

    set_up(&fixture);
    make_file(&fixture, "large", 1048576 - 4096, 0644);
    save(&fixture);
    tear_down(&fixture);

    set_up(&fixture);
    make_file(&fixture, "large", 1048576 - 4095, 0644);
    make_file(&fixture, "more", 1048576, 0644);
    refuse(&fixture, TOO_MUCH("2.1", "; 'more' has 1.0 MB"));

    set_up(&fixture);
    for (int i = 0; i < 255; i++) {
        CLEANUP_FREE char *name = string_format("small-%d", i);

        make_file(&fixture, name, 1, 0644);
    }
    save(&fixture);
    tear_down(&fixture);

    set_up(&fixture);
    for (int i = 0; i < 256; i++) {
        CLEANUP_FREE char *name = string_format("small-%d", i);

        make_file(&fixture, name, 1, 0644);
    }
    refuse(&fixture, TOO_MUCH("1.1", ""));
}

/* A sparse file needs no space here, and all of its size in the container. */
CASE(pack_input__huge_files_are_refused_at_once)
{
    struct fixture fixture;

    set_up(&fixture);
    make_file(&fixture, "huge", 1LL << 40, 0644);
    refuse(&fixture, TOO_MUCH("1048576.1", "; 'huge' has 1048576.0 MB"));

    set_up(&fixture);
    fixture.plan.policy.limits.number[LIMIT_WORKDIR] = 1 << 20;
    make_file(&fixture, "huge", (off_t)INT_MAX + 1, 0644);
    refuse(&fixture, "'huge' is larger than 2147483647 bytes, the maximum for one file");
}

/* ---- depth */

/* Makes nested directories, each with this name, and "file" in the last one. */
static void make_deep(const struct fixture *fixture, int depth, const char *name)
{
    int fd = open(fixture->in, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file;

    for (int i = 0; i < depth; i++) {
        int next;

        assert_int_equal(mkdirat(fd, name, 0755), 0);
        next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    file = openat(fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(file >= 0);
    close(file);
    close(fd);
}

CASE(pack_input__depth_is_limited)
{
    struct fixture fixture;
    struct strbuf path = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL;

    set_up(&fixture);
    make_deep(&fixture, 128, "d");
    check_same(&fixture);
    tear_down(&fixture);

    set_up(&fixture);
    make_deep(&fixture, 129, "d");
    for (int i = 0; i < 128; i++)
        strbuf_addstr(&path, "d/");
    message = string_format("'%sd' is nested deeper than 128 directories", strbuf_string(&path));
    refuse(&fixture, message);
    strbuf_release(&path);
}

CASE(pack_input__length_of_paths_is_limited)
{
    char name[101];
    struct fixture fixture;
    struct strbuf path = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL;

    memset(name, 'n', sizeof name);
    name[100] = '\0';
    for (int i = 0; i < 39; i++)
        strbuf_addf(&path, "%s%s", i ? "/" : "", name);
    set_up(&fixture);
    make_deep(&fixture, 39, name); /* 3938 bytes, and "/file" */
    save(&fixture);
    tear_down(&fixture);

    set_up(&fixture);
    make_deep(&fixture, 40, name);
    strbuf_addf(&path, "/%s", name);
    message = string_format("'%s' is a path longer than 4000 bytes", strbuf_string(&path));
    refuse(&fixture, message);
    strbuf_release(&path);
}

/* ---- one file */

static void set_up_file(struct fixture *fixture, const char *name, const char *content, mode_t mode)
{
    set_up(fixture);
    free(fixture->plan.input.dir);
    fixture->plan.input.dir = NULL;
    fixture->plan.input.file = linux_unnamed_file();
    assert_true(fixture->plan.input.file >= 0);
    assert_int_equal(write(fixture->plan.input.file, content, strlen(content)), strlen(content));
    assert_int_equal(fchmod(fixture->plan.input.file, mode), 0);
    set_entrypoint(fixture, name);
}

CASE(pack_input__one_file_under_the_name_of_the_entrypoint)
{
    struct fixture fixture;
    struct strbuf output;

    set_up_file(&fixture, "main.py", "print(1)\n", 0600);
    check_list(&fixture, "-rw-r--r-- main.py\n");
    output = run_in(&fixture, "tar -xOf archive.tar");
    assert_string_equal(strbuf_string(&output), "print(1)\n");
    strbuf_release(&output);
    tear_down(&fixture);

    set_up_file(&fixture, "tool", "", 0755);
    check_list(&fixture, "-rwxr-xr-x tool\n");
    tear_down(&fixture);
}

CASE(pack_input__one_file_that_is_too_large)
{
    struct fixture fixture;

    set_up_file(&fixture, "main.py", "", 0600);
    assert_int_equal(ftruncate(fixture.plan.input.file, 1048576), 0);
    save(&fixture);
    tear_down(&fixture);

    set_up_file(&fixture, "main.py", "", 0600);
    assert_int_equal(ftruncate(fixture.plan.input.file, 1048577), 0);
    refuse(&fixture, TOO_MUCH("1.1", "; 'main.py' has 1.0 MB"));
}

CASE(pack_input__one_file_that_cannot_be_read)
{
    struct fixture fixture;
    int ends[2];

    set_up_file(&fixture, "main.py", "", 0600);
    close(fixture.plan.input.file);
    assert_int_equal(pipe(ends), 0);
    fixture.plan.input.file = ends[0];
    close(ends[1]);
    refuse(&fixture, "cannot read 'main.py': Illegal seek");
}

/* ---- files in memory */

/* Code in memory, sent as "main.py"; the working directory has 256 pages. */
static void set_up_code(struct fixture *fixture, const char *code, size_t length)
{
    set_up(fixture);
    free(fixture->plan.input.dir);
    fixture->plan.input.dir = NULL;
    fixture->plan.input.code = memory_allocate(length + 1);
    memcpy(fixture->plan.input.code, code, length);
    fixture->plan.input.code_length = length;
    set_entrypoint(fixture, "main.py");
}

static void add_in_memory(struct fixture *fixture, const char *path, const char *data,
                          size_t length)
{
    char *copy = memory_allocate(length + 1);

    memcpy(copy, data, length);
    input_files_add(&fixture->plan.input.files, path, copy, length);
}

/* Checks the bytes of one file of the archive. */
static void check_content(const struct fixture *fixture, const char *name, const char *data,
                          size_t length)
{
    CLEANUP_FREE char *command = string_format("tar -xOf archive.tar '%s'", name);
    struct strbuf output = run_in(fixture, command);

    assert_int_equal(output.length, length);
    assert_memory_equal(strbuf_string(&output), data, length);
    strbuf_release(&output);
}

CASE(pack_input__code_in_memory)
{
    struct fixture fixture;

    set_up_code(&fixture, "print(1)\0\xff\n", 11);
    check_list(&fixture, "-rw-r--r-- main.py\n");
    check_content(&fixture, "main.py", "print(1)\0\xff\n", 11);
    check_warnings(&fixture, "");
    tear_down(&fixture);

    set_up_code(&fixture, "", 0);
    check_list(&fixture, "-rw-r--r-- main.py\n");
    check_content(&fixture, "main.py", "", 0);
    tear_down(&fixture);
}

/* Adds a file whose content is a part of an open file with this text. */
static void add_range(struct fixture *fixture, const char *path, const char *text, long long offset,
                      long long length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct shared_file *file = shared_file_create(&error);

    assert_int_equal(shared_file_write(file, 0, text, strlen(text)), 0);
    input_files_add_range(&fixture->plan.input.files, path,
                          (struct file_range){file, offset, length});
}

CASE_WITH(pack_input__parts_of_open_files_beside_the_code, set_up_code(fixture, "code", 4))
{
    assert_false(input_files_have_ranges(&fixture->plan.input.files));
    add_range(fixture, "d/part", "0123456789", 2, 5);
    add_range(fixture, "empty", "", 0, 0);
    assert_true(input_files_have_ranges(&fixture->plan.input.files));
    check_list(fixture, "-rw-r--r-- main.py\n-rw-r--r-- d/part\n-rw-r--r-- empty\n");
    check_content(fixture, "d/part", "23456", 5);
    check_content(fixture, "empty", "", 0);
}

CASE(pack_input__an_open_file_that_ends_early)
{
    struct fixture fixture;

    set_up_code(&fixture, "code", 4);
    add_range(&fixture, "a\n", "0123456789", 2, 9);
    refuse(&fixture, "'a\\n' shrank while it was read");
}

CASE(pack_input__an_open_file_that_is_too_large)
{
    struct fixture fixture;

    set_up_code(&fixture, "code", 4);
    fixture.plan.policy.limits.number[LIMIT_WORKDIR] = 1;
    add_range(&fixture, "large", "", 0, 1 << 20);
    refuse(&fixture, TOO_MUCH("1.1", "; 'large' has 1.0 MB"));
}

CASE_WITH(pack_input__files_in_memory_beside_the_code, set_up_code(fixture, "code", 4))
{
    add_in_memory(fixture, "pkg/util.py", "util", 4);
    add_in_memory(fixture, "data.bin", "\0\1\2", 3);
    add_in_memory(fixture, "empty", "", 0);
    check_list(fixture, "-rw-r--r-- main.py\n"
                        "-rw-r--r-- pkg/util.py\n"
                        "-rw-r--r-- data.bin\n"
                        "-rw-r--r-- empty\n");
    check_content(fixture, "main.py", "code", 4);
    check_content(fixture, "pkg/util.py", "util", 4);
    check_content(fixture, "data.bin", "\0\1\2", 3);
    check_content(fixture, "empty", "", 0);
}

CASE_WITH(pack_input__files_in_memory_beside_an_open_one,
          set_up_file(fixture, "main.py", "code", 0600))
{
    add_in_memory(fixture, "data", "data", 4);
    check_list(fixture, "-rw-r--r-- main.py\n-rw-r--r-- data\n");
}

/* It replaces a file of that name: tests may be forks of an interpreter that has loaded it. */
CASE_WITH(pack_input__the_driver_of_a_call_comes_last, set_up_code(fixture, "code", 4))
{
    struct strbuf output;

    fixture->plan.call.function = string_copy("f");
    strvec_push(&fixture->plan.source_extensions, ".py");
    add_in_memory(fixture, "isolator_call.py", "mine", 4);
    save(fixture);
    output = run_in(fixture, "mkdir out && tar -xf archive.tar -C out && cat out/isolator_call.py");
    assert_string_equal(strbuf_string(&output), driver_call_python());
    strbuf_release(&output);
}

CASE(pack_input__code_that_is_too_large)
{
    CLEANUP_FREE char *code = memory_allocate(1048577);
    struct fixture fixture;

    memset(code, 'c', 1048577);
    set_up_code(&fixture, code, 1048576);
    save(&fixture);
    tear_down(&fixture);

    set_up_code(&fixture, code, 1048577);
    refuse(&fixture, TOO_MUCH("1.1", "; 'main.py' has 1.0 MB"));
}

/* Each needs a whole page. */
CASE(pack_input__files_in_memory_that_are_too_many)
{
    struct fixture fixture;

    set_up_code(&fixture, "c", 1);
    for (int i = 0; i < 255; i++) {
        CLEANUP_FREE char *name = string_format("file%d", i);
        add_in_memory(&fixture, name, "x", 1);
    }
    save(&fixture);
    tear_down(&fixture);

    set_up_code(&fixture, "c", 1);
    for (int i = 0; i < 256; i++) {
        CLEANUP_FREE char *name = string_format("file%d", i);
        add_in_memory(&fixture, name, "x", 1);
    }
    refuse(&fixture, TOO_MUCH("1.1", ""));
}

/* Empty files need no page, but their number is limited. */
CASE(pack_input__number_of_files_in_memory_is_limited)
{
    struct fixture fixture;

    set_up_code(&fixture, "c", 1);
    for (int i = 0; i < 200001; i++)
        input_files_add(&fixture.plan.input.files, "file", NULL, 0);
    refuse(&fixture, "there are more than 200000 files");
}

/* ---- cancellation */

/* Packs the input with a cancel notifier that is raised already, and tears the fixture down. */
static void check_cancelled(struct fixture *fixture)
{
    struct notifier cancel = NOTIFIER_INIT;

    assert_int_equal(notifier_open(&cancel, &fixture->error), 0);
    notifier_raise(&cancel);
    fixture->cancel = &cancel;
    assert_int_equal(archive_input(fixture), -1);
    assert_error(&fixture->error, ERROR_CANCELLED, "cancelled before the program ran");
    notifier_release(&cancel);
    tear_down(fixture);
}

CASE(pack_input__walk_is_cancelled)
{
    struct fixture fixture;

    set_up(&fixture);
    check_cancelled(&fixture);
}

CASE(pack_input__additional_files_are_cancelled)
{
    struct fixture fixture;

    set_up(&fixture);
    free(fixture.plan.input.dir);
    fixture.plan.input.dir = NULL;
    fixture.plan.input.code = string_copy("the program");
    fixture.plan.input.code_length = strlen("the program");
    input_files_add(&fixture.plan.input.files, "data", string_copy("1"), 1);
    check_cancelled(&fixture);
}

/* ---- files of a test */

/* Packs one file of `length` bytes for a test. */
static int pack_one(struct fixture *fixture, size_t length)
{
    CLEANUP(input_files_release) struct input_files files = INPUT_FILES_INIT;
    char *data = memory_allocate(length);

    memset(data, 'x', length);
    input_files_add(&files, "data", data, length);
    archive_release(&fixture->archive);
    return pack_input_files(&files, &fixture->plan, &fixture->archive, NULL, &fixture->error);
}

static bool is_in_memory(const struct archive *archive)
{
    CLEANUP_FREE char *link = string_format("/proc/self/fd/%d", archive_file(archive));
    char target[PATH_MAX] = "";

    assert_true(readlink(link, target, sizeof target - 1) > 0);
    return strncmp(target, "/memfd:", 7) == 0;
}

CASE_WITH(pack_input__large_files_of_a_test, set_up(fixture))
{
    fixture->plan.policy.limits.number[LIMIT_WORKDIR] = 2;
    assert_int_equal(pack_one(fixture, 1 << 20), 0);
    assert_true(is_in_memory(&fixture->archive));
    assert_int_equal(pack_one(fixture, (1 << 20) + 1), 0);
    assert_false(is_in_memory(&fixture->archive));
    assert_int_equal(pack_one(fixture, (2 << 20) + 1), -1);
    assert_error(&fixture->error, ERROR_INPUT,
                 "the files need 2.1 MB, more than the 2 MB of the working directory; 'data' has "
                 "2.0 MB; raise workdirMB");
}

/* Of a workspace: only the files, also one with the name of the language's default file. */
CASE_WITH(pack_input__without_a_program, set_up(fixture))
{
    free(fixture->plan.input.dir);
    fixture->plan.input.dir = NULL;
    fixture->plan.no_program = true;
    strvec_push_owned(&fixture->plan.paths, path_in(fixture->in, "main"));
    assert_int_equal(archive_input(fixture), 0);
    assert_no_error(&fixture->error);
}
