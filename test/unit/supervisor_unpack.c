#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/archive.h"
#include "supervisor/unpack.h"

/* A directory, which is the current one, with "in" in it, into which an archive is unpacked. */
struct fixture {
    char *directory;
    struct archive archive;
    struct unpack unpack;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .archive = ARCHIVE_INIT};
    assert_int_equal(archive_open(&fixture->archive, 7, 7, NULL, &fixture->error), 0);
    assert_int_equal(chdir(fixture->directory), 0);
    assert_int_equal(mkdir("in", 0755), 0);
    assert_int_equal(chdir("in"), 0);
    unpack_init(&fixture->unpack);
}

static void tear_down(struct fixture *fixture)
{
    unpack_release(&fixture->unpack);
    archive_release(&fixture->archive);
    assert_int_equal(chdir("/"), 0);
    temp_remove(fixture->directory);
}

static void add_file(struct fixture *fixture, const char *name, const char *text)
{
    assert_int_equal(
        archive_add_bytes(&fixture->archive, name, text, strlen(text), &fixture->error), 0);
}

static void add_link(struct fixture *fixture, const char *name, const char *target)
{
    assert_int_equal(archive_add_symlink(&fixture->archive, name, target, &fixture->error), 0);
}

static struct strbuf whole(struct fixture *fixture)
{
    assert_int_equal(archive_finish(&fixture->archive, &fixture->error), 0);
    lseek(archive_file(&fixture->archive), 0, SEEK_SET);
    return read_all(archive_file(&fixture->archive));
}

/* Unpacks the archive without its last `cut` bytes, in pieces. */
static void feed(struct fixture *fixture, size_t cut)
{
    struct strbuf tar = whole(fixture);

    for (size_t at = 0; at < tar.length - cut; at += 1000) {
        const size_t left = tar.length - cut - at;

        unpack_feed(&fixture->unpack, tar.data + at, left < 1000 ? left : 1000);
    }
    strbuf_release(&tar);
}

static void check_good(struct fixture *fixture)
{
    assert_text_or_null(fixture->unpack.failed, NULL);
    assert_no_error(&fixture->unpack.error);
    assert_true(unpack_good(&fixture->unpack));
}

static void check_failed(struct fixture *fixture, int error, const char *path)
{
    assert_false(unpack_good(&fixture->unpack));
    assert_text_or_null(fixture->unpack.failed, path);
    assert_int_equal(fixture->unpack.failure, error);
}

static void check_content(const char *name, const char *expected)
{
    CLEANUP_FREE char *content = read_in(".", name);

    assert_string_equal(content, expected);
}

static struct stat status_of(const char *name)
{
    struct stat status;

    if (lstat(name, &status) != 0)
        fail_msg("there is no '%s'", name);
    return status;
}

CASE(unpack__entries)
{
    struct fixture fixture;
    char target[100] = "";
    int fd;

    umask(077);
    set_up(&fixture);
    fd = open("../source", O_RDWR | O_CREAT, 0600);
    assert_int_equal(write(fd, "run", 3), 3);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(archive_add_directory(&fixture.archive, "empty", 0, &fixture.error), 0);
    add_file(&fixture, "plain", "text");
    assert_int_equal(
        archive_add_file(&fixture.archive, "a/b/program", fd, 3, true, 1234567, &fixture.error), 0);
    add_link(&fixture, "a/link", "b/program");
    umask(022);
    feed(&fixture, 0);
    check_good(&fixture);
    check_content("plain", "text");
    check_content("a/b/program", "run");
    check_content("a/link", "run");
    assert_true(readlink("a/link", target, sizeof target) > 0);
    assert_string_equal(target, "b/program");
    assert_int_equal(status_of("empty").st_mode, S_IFDIR | 0755);
    assert_int_equal(status_of("a/b").st_mode, S_IFDIR | 0755);
    assert_int_equal(status_of("plain").st_mode, S_IFREG | 0644);
    assert_int_equal(status_of("a/b/program").st_mode, S_IFREG | 0755);
    assert_int_equal(status_of("a/b/program").st_mtime, 1234567);
    assert_int_equal(status_of("plain").st_uid, geteuid());
    close(fd);
    tear_down(&fixture);
}

CASE_WITH(unpack__nothing, set_up(fixture))
{
    check_good(fixture); /* there is no archive */
    feed(fixture, 0);
    check_good(fixture); /* one without entries */
}

/* libtar writes a name or a target of more than 99 bytes in an entry of its own. */
CASE_WITH(unpack__long_names, set_up(fixture))
{
    struct strbuf name = STRBUF_INIT;
    char target[5000] = "";

    for (int i = 0; i < 16; i++)
        strbuf_addf(&name, "%s%0240d", i > 0 ? "/" : "", i);
    add_file(fixture, strbuf_string(&name), "deep");
    add_link(fixture, "link", strbuf_string(&name));
    feed(fixture, 0);
    check_good(fixture);
    check_content(strbuf_string(&name), "deep");
    assert_true(readlink("link", target, sizeof target - 1) > 0);
    assert_string_equal(target, strbuf_string(&name));
    strbuf_release(&name);
}

/* Whatever a program may have left, the file is new, and nothing is written or waited for. */
CASE_WITH(unpack__replaces_what_is_in_the_way, set_up(fixture))
{
    write_in(".", "file", "old and long");
    assert_int_equal(chmod("file", 0), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    write_in("..", "outside", "untouched");
    assert_int_equal(symlink("../outside", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    write_in(".", "hard", "x");
    assert_int_equal(link("../outside", "second"), 0);
    assert_int_equal(mkdir("directory", 0700), 0);
    add_file(fixture, "file", "1");
    add_file(fixture, "fifo", "2");
    add_file(fixture, "link", "3");
    add_file(fixture, "dangling", "4");
    add_file(fixture, "second", "5");
    add_link(fixture, "hard", "file");
    assert_int_equal(archive_add_directory(&fixture->archive, "directory", 0, &fixture->error), 0);
    feed(fixture, 0);
    check_good(fixture);
    check_content("file", "1");
    check_content("fifo", "2");
    check_content("link", "3");
    check_content("dangling", "4");
    check_content("second", "5");
    check_content("hard", "1");
    check_content("nowhere", "(none)");
    check_content("../outside", "untouched");
    assert_int_equal(status_of("fifo").st_mode, S_IFREG | 0644);
    assert_int_equal(status_of("link").st_mode, S_IFREG | 0644);
}

CASE_WITH(unpack__directory_in_the_way, set_up(fixture))
{
    assert_int_equal(mkdir("name", 0700), 0);
    add_file(fixture, "name", "1");
    add_file(fixture, "after", "2");
    feed(fixture, 0);
    check_failed(fixture, EEXIST, "name");
    check_content("after", "(none)");
}

CASE(unpack__file_in_place_of_a_directory)
{
    struct fixture fixture;

    set_up(&fixture);
    write_in(".", "name", "");
    add_file(&fixture, "name/below", "1");
    feed(&fixture, 0);
    check_failed(&fixture, ENOTDIR, "name/below");
    tear_down(&fixture);

    set_up(&fixture);
    assert_int_equal(symlink("..", "link"), 0);
    assert_int_equal(archive_add_directory(&fixture.archive, "link", 0, &fixture.error), 0);
    feed(&fixture, 0);
    check_failed(&fixture, EEXIST, "link/");
    tear_down(&fixture);
}

/* Links are never followed: neither one of the archive nor one that was there. */
CASE(unpack__links_on_the_way)
{
    struct fixture fixture;

    set_up(&fixture);
    add_link(&fixture, "link", "..");
    add_file(&fixture, "link/file", "1");
    feed(&fixture, 0);
    check_failed(&fixture, ENOTDIR, "link/file");
    check_content("../file", "(none)");
    tear_down(&fixture);

    set_up(&fixture);
    assert_int_equal(mkdir("a", 0755), 0);
    assert_int_equal(symlink("../..", "a/link"), 0);
    add_file(&fixture, "a/link/new/file", "1");
    feed(&fixture, 0);
    check_failed(&fixture, ENOTDIR, "a/link/new/file");
    check_content("../new/file", "(none)");
    tear_down(&fixture);
}

/* ---- entries that isolator does not send */

static void feed_entry(struct unpack *unpack, const char *name, char type)
{
    static const char end[1024];
    char block[512] = "";
    unsigned sum = 0;

    snprintf(block, 100, "%s", name);
    memcpy(block + 100, "0000644\0000000000\0000000000\00000000000000\00000000000000", 48);
    memset(block + 148, ' ', 8);
    block[156] = type;
    memcpy(block + 157, "file", 4);
    memcpy(block + 257, "ustar\00000", 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    unpack_feed(unpack, block, sizeof block);
    unpack_feed(unpack, end, sizeof end);
}

CASE(unpack__names_that_lead_elsewhere)
{
    static const char *const names[] = {
        "../file", "..", "a/../../file", "a/..", "/etc/file", "//x/file", "", "/"};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct fixture fixture;
        const char types[] = {'0', '5', '2'};

        for (size_t kind = 0; kind < COUNT(types); kind++) {
            set_up(&fixture);
            feed_entry(&fixture.unpack, names[i], types[kind]);
            check_failed(&fixture, EINVAL, names[i]);
            check_content("../file", "(none)");
            tear_down(&fixture);
        }
    }
}

/* Names with dots that lead nowhere else. */
CASE(unpack__names_with_dots)
{
    static const char *const names[] = {"./file", "a/./b", "..a/...", "a//b"};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct fixture fixture;

        set_up(&fixture);
        feed_entry(&fixture.unpack, "./", '5');
        unpack_release(&fixture.unpack);
        unpack_init(&fixture.unpack);
        feed_entry(&fixture.unpack, names[i], '0');
        check_good(&fixture);
        check_content(names[i], "");
        tear_down(&fixture);
    }
}

CASE(unpack__other_types)
{
    static const char types[] = {'1', '3', '4', '6'};

    for (size_t i = 0; i < sizeof types; i++) {
        struct fixture fixture;

        set_up(&fixture);
        write_in(".", "file", "");
        feed_entry(&fixture.unpack, "special", types[i]);
        check_failed(&fixture, EINVAL, "special");
        check_content("special", "(none)");
        tear_down(&fixture);
    }
}

/* ---- archives that are damaged */

CASE(unpack__incomplete)
{
    static const size_t cuts[] = {513, 1024, 1025, 1536, 2047};

    for (size_t i = 0; i < COUNT(cuts); i++) {
        struct fixture fixture;

        set_up(&fixture);
        add_file(&fixture, "file", "1");
        feed(&fixture, cuts[i]);
        check_failed(&fixture, 0, NULL);
        tear_down(&fixture);
    }
}

CASE(unpack__no_archive)
{
    struct fixture fixture;
    char text[1024];

    memset(text, 'x', sizeof text);
    set_up(&fixture);
    unpack_feed(&fixture.unpack, text, sizeof text);
    unpack_feed(&fixture.unpack, text, sizeof text);
    check_failed(&fixture, 0, NULL);
    assert_int_equal(fixture.unpack.error.kind, ERROR_INPUT);
    tear_down(&fixture);
}

/* ---- the kernel refuses */

/* Unpacks three files where one may have 4096 bytes at most; what went wrong as an exit status. */
static int unpack_without_room(struct fixture *fixture)
{
    const struct rlimit limit = {4096, 4096};
    CLEANUP(strbuf_release) struct strbuf tar = whole(fixture);

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    unpack_feed(&fixture->unpack, tar.data, tar.length);
    if (unpack_good(&fixture->unpack) || fixture->unpack.failure != EFBIG)
        return 1;
    return strcmp(fixture->unpack.failed, "b/large") == 0 && access("c", F_OK) != 0 ? 0 : 2;
}

/* Like a full disk: the first failure is kept with the path. */
CASE(unpack__no_room)
{
    char large[8193] = "";
    struct fixture fixture;
    pid_t child;
    int status;

    memset(large, 'l', sizeof large - 1);
    set_up(&fixture);
    add_file(&fixture, "a", "1");
    add_file(&fixture, "b/large", large);
    add_file(&fixture, "c", "2");
    child = fork();
    if (child == 0)
        _exit(unpack_without_room(&fixture));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_content("a", "1");
    tear_down(&fixture);
}

CASE(unpack__name_that_is_too_long)
{
    char name[301] = "";
    struct fixture fixture;

    memset(name, 'n', sizeof name - 1);
    set_up(&fixture);
    add_file(&fixture, name, "1");
    feed(&fixture, 0);
    check_failed(&fixture, ENAMETOOLONG, name);
    tear_down(&fixture);
}

/* A request that ends in the middle of a file leaves no descriptor open. */
CASE(unpack__leaves_no_descriptor_open)
{
    const int before = dup(0);
    struct fixture fixture;
    int after;

    close(before);
    set_up(&fixture);
    add_file(&fixture, "a/b/file", "1");
    feed(&fixture, 1024 + 512);
    assert_true(fixture.unpack.file >= 0);
    tear_down(&fixture);
    unpack__replaces_what_is_in_the_way(NULL);
    unpack__links_on_the_way(NULL);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}
