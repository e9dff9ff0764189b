#include "test.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "base/archive.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/sha256.h"

/* The tests read the archives with the tar command, which shares no code with libtar. */

enum { TIME = 1000000000 }; /* 2001-09-09 01:46:40 UTC */

struct fixture {
    char *directory; /* holds the archive as "archive.tar" and its files in "out" */
    struct archive archive;
    struct manifest manifest;
    struct error error;
};

static void set_up(struct fixture *fixture, uid_t uid, gid_t gid)
{
    *fixture = (struct fixture){temp_create(), ARCHIVE_INIT, MANIFEST_INIT, ERROR_INIT};
    assert_int_equal(archive_open(&fixture->archive, uid, gid, &fixture->manifest, &fixture->error),
                     0);
}

/* Finishes the archive and writes it to "archive.tar". */
static void finish(struct fixture *fixture)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, "archive.tar");
    struct strbuf bytes;

    assert_int_equal(archive_finish(&fixture->archive, &fixture->error), 0);
    assert_no_error(&fixture->error);
    assert_int_equal(lseek(archive_file(&fixture->archive), 0, SEEK_SET), 0);
    bytes = read_all(archive_file(&fixture->archive));
    assert_int_equal(archive_size(&fixture->archive), bytes.length);
    write_bytes(path, bytes.data, bytes.length, 0644);
    strbuf_release(&bytes);
}

static void unpack(struct fixture *fixture)
{
    CLEANUP_FREE char *command = NULL;
    struct strbuf output;

    finish(fixture);
    command =
        string_format("cd %s && mkdir out && tar -xf archive.tar -C out 2>&1", fixture->directory);
    output = shell_output(command);
    assert_string_equal(strbuf_string(&output), "");
    strbuf_release(&output);
}

/* Returns the listing of tar, with one blank for each run of blanks; owned by the caller. */
static char *list(struct fixture *fixture)
{
    CLEANUP_FREE char *command = NULL;
    struct strbuf output;

    finish(fixture);
    command = string_format("cd %s && TZ=UTC LC_ALL=C tar --numeric-owner --full-time -tvf "
                            "archive.tar 2>&1 | tr -s ' '",
                            fixture->directory);
    output = shell_output(command);
    return strbuf_steal(&output);
}

static void tear_down(struct fixture *fixture)
{
    archive_release(&fixture->archive);
    manifest_release(&fixture->manifest);
    error_release(&fixture->error);
    temp_remove(fixture->directory);
}

static void add_bytes(struct fixture *fixture, const char *name, const char *text)
{
    const int result =
        archive_add_bytes(&fixture->archive, name, text, strlen(text), &fixture->error);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
}

static void add_directory(struct fixture *fixture, const char *name)
{
    assert_int_equal(archive_add_directory(&fixture->archive, name, TIME, &fixture->error), 0);
}

static void add_symlink(struct fixture *fixture, const char *name, const char *target)
{
    assert_int_equal(archive_add_symlink(&fixture->archive, name, target, &fixture->error), 0);
}

/* Adds an unnamed file with this content as a file of `size` bytes; returns the result. */
static int add_file(struct fixture *fixture, const char *name, const char *content, size_t length,
                    off_t size, bool executable)
{
    CLEANUP_FD int fd = linux_unnamed_file();

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, length), length);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return archive_add_file(&fixture->archive, name, fd, size, executable, TIME, &fixture->error);
}

static void check_content(const struct fixture *fixture, const char *name, const char *expected)
{
    CLEANUP_FREE char *path = path_in("out", name);
    CLEANUP_FREE char *content = read_in(fixture->directory, path);

    assert_string_equal(content, expected);
}

static void check_link(const struct fixture *fixture, const char *name, const char *expected)
{
    CLEANUP_FREE char *path = string_format("%s/out/%s", fixture->directory, name);
    char target[5000];
    const ssize_t length = readlink(path, target, sizeof target - 1);

    assert_true(length >= 0);
    target[length] = '\0';
    assert_string_equal(target, expected);
}

/* Returns S_IFREG and so on; 0 if there is no file. */
static mode_t type_of(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = string_format("%s/out/%s", fixture->directory, name);
    struct stat status;

    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

/* Returns a path of this many bytes, owned; a part has at most 100 and the last at least 2. */
static char *long_name(size_t length, char letter)
{
    char *name = memory_allocate(length + 1);

    memset(name, letter, length);
    name[length] = '\0';
    for (size_t at = 100; at + 2 < length; at += 101)
        name[at] = '/';
    return name;
}

/* The same, with a single part if the path has up to 255 bytes. */
static char *long_part(size_t length, char letter)
{
    char *name = long_name(length, letter);

    if (length <= 255)
        memset(name, letter, length);
    return name;
}

CASE_WITH(archive__nothing, set_up(fixture, 1, 2))
{
    CLEANUP_FREE char *listing = NULL;

    listing = list(fixture);
    assert_string_equal(listing, "");
    assert_int_equal(archive_size(&fixture->archive), 1024);
}

CASE_WITH(archive__sets_owner_mode_and_time, set_up(fixture, 1000, 1001))
{
    CLEANUP_FREE char *listing = NULL;

    add_directory(fixture, "dir");
    assert_int_equal(add_file(fixture, "dir/file", "12345", 5, 5, false), 0);
    assert_int_equal(add_file(fixture, "dir/program", "1", 1, 1, true), 0);
    assert_int_equal(add_file(fixture, "dir/empty", "", 0, 0, false), 0);
    listing = list(fixture);
    assert_string_equal(listing, "drwxr-xr-x 1000/1001 0 2001-09-09 01:46:40 dir/\n"
                                 "-rw-r--r-- 1000/1001 5 2001-09-09 01:46:40 dir/file\n"
                                 "-rwxr-xr-x 1000/1001 1 2001-09-09 01:46:40 dir/program\n"
                                 "-rw-r--r-- 1000/1001 0 2001-09-09 01:46:40 dir/empty\n");
}

CASE_WITH(archive__bytes_and_links_have_modes_too, set_up(fixture, 7, 8))
{
    CLEANUP_FREE char *listing = NULL;

    add_bytes(fixture, "bytes", "content");
    add_symlink(fixture, "link", "bytes");
    listing = list(fixture);
    assert_memory_equal(listing, "-rw-r--r-- 7/8 7 20", 19);
    assert_non_null(strstr(listing, " bytes\nlrwxrwxrwx 7/8 0 1970-"));
    assert_non_null(strstr(listing, " link -> bytes\n"));
}

CASE_WITH(archive__largest_ids, set_up(fixture, ARCHIVE_ID_MAX, ARCHIVE_ID_MAX))
{
    CLEANUP_FREE char *listing = NULL;

    add_directory(fixture, "dir");
    listing = list(fixture);
    assert_string_equal(listing, "drwxr-xr-x 2097151/2097151 0 2001-09-09 01:46:40 dir/\n");
}

CASE_WITH(archive__times_out_of_range, set_up(fixture, 0, 0))
{
    CLEANUP_FREE char *listing = NULL;

    assert_int_equal(archive_add_directory(&fixture->archive, "old", -1, &fixture->error), 0);
    assert_int_equal(
        archive_add_directory(&fixture->archive, "new", (time_t)INT_MAX + 1, &fixture->error), 0);
    listing = list(fixture);
    assert_string_equal(listing, "drwxr-xr-x 0/0 0 1970-01-01 00:00:00 old/\n"
                                 "drwxr-xr-x 0/0 0 2038-01-19 03:14:07 new/\n");
}

CASE_WITH(archive__manifest_remembers_the_files, set_up(fixture, 0, 0))
{
    const struct manifest_entry *entry;

    add_directory(fixture, "dir");
    add_bytes(fixture, "z", "content");
    add_bytes(fixture, "dir/file", "");
    add_symlink(fixture, "link", "dir/file");
    finish(fixture);
    assert_int_equal(fixture->manifest.count, 2);
    entry = manifest_find(&fixture->manifest, "z");
    assert_non_null(entry);
    assert_int_equal(entry->length, 7);
    assert_string_equal(entry->sha256,
                        "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73");
    entry = manifest_find(&fixture->manifest, "dir/file");
    assert_non_null(entry);
    assert_int_equal(entry->length, 0);
    assert_null(manifest_find(&fixture->manifest, "link"));
}

static const size_t lengths[] = {1,   98,  99,  100, 101, 102, 154,  155,  156,  254,
                                 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 3000};

/* Each path begins with its own letter, so that a directory is never the file of another path. */
CASE_WITH(archive__names_of_files, set_up(fixture, 0, 0))
{
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *name = long_part(lengths[i], (char)('a' + i));
        CLEANUP_FREE char *content = string_format("file %zu", lengths[i]);

        add_bytes(fixture, name, content);
    }
    unpack(fixture);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *name = long_part(lengths[i], (char)('a' + i));
        CLEANUP_FREE char *content = string_format("file %zu", lengths[i]);

        check_content(fixture, name, content);
    }
}

CASE_WITH(archive__names_of_directories, set_up(fixture, 0, 0))
{
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *name = long_part(lengths[i], 'd');

        add_directory(fixture, name);
    }
    unpack(fixture);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *name = long_part(lengths[i], 'd');

        assert_int_equal(type_of(fixture, name), S_IFDIR);
    }
}

/* Long targets first and last, so that shorter and longer ones follow each other. */
CASE_WITH(archive__targets_of_links, set_up(fixture, 0, 0))
{
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *down = string_format("down-%zu", i);
        CLEANUP_FREE char *target = long_name(lengths[COUNT(lengths) - 1 - i], 't');

        add_symlink(fixture, down, target);
    }
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *up = string_format("up-%zu", i);
        CLEANUP_FREE char *target = long_name(lengths[i], 't');

        add_symlink(fixture, up, target);
    }
    unpack(fixture);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *down = string_format("down-%zu", COUNT(lengths) - 1 - i);
        CLEANUP_FREE char *up = string_format("up-%zu", i);
        CLEANUP_FREE char *target = long_name(lengths[i], 't');

        check_link(fixture, down, target);
        check_link(fixture, up, target);
    }
}

CASE_WITH(archive__long_name_and_long_target, set_up(fixture, 0, 0))
{
    CLEANUP_FREE char *name = long_name(300, 'l');
    CLEANUP_FREE char *target = long_name(400, 't');

    add_symlink(fixture, name, target);
    add_bytes(fixture, "behind", "short again");
    unpack(fixture);
    check_link(fixture, name, target);
    check_content(fixture, "behind", "short again");
}

/* libtar keeps the long link and the long name of one entry for the next. */
CASE_WITH(archive__short_entries_behind_long_ones, set_up(fixture, 0, 0))
{
    CLEANUP_FREE char *name = long_name(200, 'n');
    CLEANUP_FREE char *target = long_name(300, 't');

    add_symlink(fixture, "long-link", target);
    add_symlink(fixture, "short-link", "here");
    add_symlink(fixture, "long-again", target);
    add_bytes(fixture, "file", "a file behind a link");
    add_bytes(fixture, name, "long");
    add_bytes(fixture, "short", "short");
    add_symlink(fixture, "link", "short");
    add_directory(fixture, "dir");
    unpack(fixture);
    check_link(fixture, "long-link", target);
    check_link(fixture, "short-link", "here");
    check_link(fixture, "long-again", target);
    check_content(fixture, "file", "a file behind a link");
    check_content(fixture, name, "long");
    check_content(fixture, "short", "short");
    check_link(fixture, "link", "short");
    assert_int_equal(type_of(fixture, "dir"), S_IFDIR);
}

/* th_set_path() reads the mode in the header. */
CASE_WITH(archive__directory_behind_file_and_file_behind_directory, set_up(fixture, 0, 0))
{
    CLEANUP_FREE char *listing = NULL;

    assert_int_equal(add_file(fixture, "file-1", "1", 1, 1, false), 0);
    add_directory(fixture, "dir-1");
    assert_int_equal(add_file(fixture, "file-2", "2", 1, 1, false), 0);
    add_directory(fixture, "dir-2");
    add_directory(fixture, "dir-3");
    listing = list(fixture);
    assert_string_equal(listing, "-rw-r--r-- 0/0 1 2001-09-09 01:46:40 file-1\n"
                                 "drwxr-xr-x 0/0 0 2001-09-09 01:46:40 dir-1/\n"
                                 "-rw-r--r-- 0/0 1 2001-09-09 01:46:40 file-2\n"
                                 "drwxr-xr-x 0/0 0 2001-09-09 01:46:40 dir-2/\n"
                                 "drwxr-xr-x 0/0 0 2001-09-09 01:46:40 dir-3/\n");
}

CASE_WITH(archive__names_of_any_bytes, set_up(fixture, 0, 0))
{
    static const char *const names[] = {
        " blank ", "new\nline", "tab\t",    "\xff\xfe", "caf\xc3\xa9", "quote'\"", "back\\slash",
        "-dash",   "star*?[x]", "\x01\x7f", "$(x)`y`",  "trailing ",   "..."};

    for (size_t i = 0; i < COUNT(names); i++)
        add_bytes(fixture, names[i], names[i]);
    unpack(fixture);
    for (size_t i = 0; i < COUNT(names); i++)
        check_content(fixture, names[i], names[i]);
}

/* Entries are counted in blocks of 512 bytes and files are read in chunks of 65536. */
CASE(archive__contents_of_all_sizes)
{
    static const size_t sizes[] = {0,    1,     511,   512,   513,    1023,   1024,
                                   4096, 65535, 65536, 65537, 131072, 200000, 1048577};
    CLEANUP_FREE char *content = memory_allocate(1048577);
    struct fixture fixture;

    for (size_t i = 0; i < 1048577; i++)
        content[i] = (char)(i * 31 + i / 256);
    set_up(&fixture, 0, 0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        CLEANUP_FREE char *name = string_format("file-%zu", sizes[i]);
        CLEANUP_FREE char *bytes = string_format("bytes-%zu", sizes[i]);

        assert_int_equal(add_file(&fixture, name, content, sizes[i], (off_t)sizes[i], false), 0);
        assert_int_equal(
            archive_add_bytes(&fixture.archive, bytes, content, sizes[i], &fixture.error), 0);
    }
    unpack(&fixture);
    for (size_t i = 0; i < COUNT(sizes) * 2; i++) {
        CLEANUP_FREE char *path = string_format("%s/out/%s-%zu", fixture.directory,
                                                i % 2 ? "file" : "bytes", sizes[i / 2]);
        CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct strbuf read;

        assert_true(fd >= 0);
        read = read_all(fd);
        assert_int_equal(read.length, sizes[i / 2]);
        assert_memory_equal(read.data, content, sizes[i / 2]);
        strbuf_release(&read);
    }
    tear_down(&fixture);
}

CASE(archive__reads_a_file_from_where_it_stands)
{
    CLEANUP_FD int fd = linux_unnamed_file();
    struct fixture fixture;

    assert_int_equal(write(fd, "headtail", 8), 8);
    assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
    set_up(&fixture, 0, 0);
    assert_int_equal(archive_add_file(&fixture.archive, "file", fd, 4, false, TIME, &fixture.error),
                     0);
    assert_true(fcntl(fd, F_GETFD) >= 0); /* the descriptor is the caller's */
    unpack(&fixture);
    check_content(&fixture, "file", "tail");
    tear_down(&fixture);
}

CASE_WITH(archive__file_that_grows, set_up(fixture, 0, 0))
{
    assert_int_equal(add_file(fixture, "dir/a\nb", "123456", 6, 5, false), -1);
    assert_error(&fixture->error, ERROR_INPUT, "'dir/a\\nb' grew while it was read");
    assert_int_equal(add_file(fixture, "was empty", "1", 1, 0, false), -1);
    assert_error(&fixture->error, ERROR_INPUT, "'was empty' grew while it was read");
}

CASE_WITH(archive__file_that_shrinks, set_up(fixture, 0, 0))
{
    assert_int_equal(add_file(fixture, "file\x1b", "1234", 4, 5, false), -1);
    assert_error(&fixture->error, ERROR_INPUT, "'file\\x1b' shrank while it was read");
    assert_int_equal(add_file(fixture, "gone", "", 0, 1, false), -1);
    assert_error(&fixture->error, ERROR_INPUT, "'gone' shrank while it was read");
}

CASE_WITH(archive__file_that_cannot_be_read, set_up(fixture, 0, 0))
{
    CLEANUP_FD int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(
        archive_add_file(&fixture->archive, "file", fd, 4, false, TIME, &fixture->error), -1);
    assert_error(&fixture->error, ERROR_INPUT, "cannot read 'file': Is a directory");
}

/*
 * Each byte stays as it is, whatever writes the archive: libtar or base/tar_writer_own.c. Digests
 * of what is prepared depend on that.
 */
CASE_WITH(archive__same_bytes_with_any_writer, set_up(fixture, 1000, ARCHIVE_ID_MAX))
{
    char digest[SHA256_HEX_SIZE];
    CLEANUP_FREE char *content = NULL;

    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *name = long_part(lengths[i], '\xe9');

        add_directory(fixture, name);
        add_symlink(fixture, name, name);
        add_symlink(fixture, "short", name);
        assert_int_equal(add_file(fixture, name, name, lengths[i], (off_t)lengths[i], i % 2 == 0),
                         0);
    }
    finish(fixture);
    content = read_in(fixture->directory, "archive.tar");
    sha256_of(content, (size_t)archive_size(&fixture->archive), digest);
    assert_string_equal(digest, "8c9bd46d5dea885ad1afe3357f51945853f61d497ad186f47411e847e2d4493b");
}

/* The file in memory cannot grow beyond RLIMIT_FSIZE. */
CASE_WITH(archive__that_cannot_be_written, set_up(fixture, 0, 0))
{
    static const char *const expected = "cannot write the archive: File too large";
    struct rlimit limit, before;
    char content[5000] = "";
    int result;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 2000;
    setrlimit(RLIMIT_FSIZE, &limit);
    result = archive_add_bytes(&fixture->archive, "file", content, sizeof content, &fixture->error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(result, -1);
    assert_error(&fixture->error, ERROR_SYSTEM, expected);
}

CASE(archive__release_is_legal_at_any_time)
{
    struct archive archive = ARCHIVE_INIT;
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *name = long_name(300, 'l');
    int file;

    archive_release(&archive);
    assert_int_equal(archive_open(&archive, 0, 0, NULL, &error), 0);
    file = archive_file(&archive);
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    assert_int_equal(archive_add_symlink(&archive, name, name, &error), 0);
    archive_release(&archive);
    assert_int_equal(fcntl(file, F_GETFD), -1);
    assert_int_equal(archive.file, -1);
    archive_release(&archive);
}

/* libtar would write the size modulo 2^32 into the header. The file is sparse. */
CASE_WITH(archive__file_that_is_too_large, set_up(fixture, 0, 0))
{
    CLEANUP_FD int file = linux_unnamed_file();

    assert_int_equal(ftruncate(file, ARCHIVE_FILE_MAX + 1), 0);
    assert_int_equal(archive_add_file(&fixture->archive, "file", file, ARCHIVE_FILE_MAX + 1, false,
                                      TIME, &fixture->error),
                     -1);
    assert_error(&fixture->error, ERROR_INPUT,
                 "'file' is larger than 2147483647 bytes, the maximum for one file");
    assert_int_equal(archive_add_bytes(&fixture->archive, "bytes", "", (size_t)ARCHIVE_FILE_MAX + 1,
                                       &fixture->error),
                     -1);
    assert_error(&fixture->error, ERROR_INPUT,
                 "'bytes' is larger than 2147483647 bytes, the maximum for one file");
    assert_int_equal(archive_size(&fixture->archive), 0); /* not even a header */
}
