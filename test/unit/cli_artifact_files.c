#include "test.h"

#include <sys/resource.h>

#include "cli/artifact_files.h"

struct fixture {
    char *directory;
    int fd;
    struct result result;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .result = RESULT_INIT};
    fixture->result.reason = REASON_EXIT;
    fixture->result.exit_code = 0;
    fixture->fd = open(fixture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void add_artifact(struct fixture *fixture, const char *name, const char *text,
                         bool executable)
{
    artifacts_add(&fixture->result.artifacts, string_copy(name), string_copy(text), strlen(text),
                  executable);
}

/* Writes the artifacts, and asserts the warnings and the error of the result. */
static void assert_written(struct fixture *fixture, bool force, const char *missing,
                           const char *error)
{
    CLEANUP_FREE char *joined = NULL;

    artifact_files_write(fixture->fd, NULL, force, ARTIFACT_FILES_FORCE, &fixture->result);
    joined = strvec_join(&fixture->result.artifacts.missing, "\n");
    assert_string_equal(joined, missing);
    assert_text_or_null(fixture->result.error, error);
}

static void assert_content(struct fixture *fixture, const char *name, const char *expected)
{
    CLEANUP_FREE char *content = read_in(fixture->directory, name);

    assert_string_equal(content, expected);
}

static void tear_down(struct fixture *fixture)
{
    close(fixture->fd);
    temp_remove(fixture->directory);
    result_release(&fixture->result);
}

CASE_WITH(artifact_files__writes_files, set_up(fixture))
{
    struct stat status;

    umask(022);
    add_artifact(fixture, "a", "1", false);
    add_artifact(fixture, "b/c/d", "22", true);
    add_artifact(fixture, "b/c/e", "", false);
    assert_written(fixture, false, "", NULL);
    assert_content(fixture, "a", "1");
    assert_content(fixture, "b/c/d", "22");
    assert_content(fixture, "b/c/e", "");
    assert_int_equal(fstatat(fixture->fd, "a", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0644);
    assert_int_equal(fstatat(fixture->fd, "b/c/d", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
}

CASE_WITH(artifact_files__keeps_existing_files, set_up(fixture))
{
    write_in(fixture->directory, "a", "mine");
    add_artifact(fixture, "a", "new", false);
    add_artifact(fixture, "b", "new", false);
    assert_written(fixture, false,
                   "cannot write artifact 'a': it already exists; use --force to replace it",
                   "cannot write 1 of 2 artifacts; see the warnings");
    assert_string_equal(result_reason(&fixture->result), "input");
    assert_content(fixture, "a", "mine");
    assert_content(fixture, "b", "new");
}

CASE_WITH(artifact_files__force_replaces_files, set_up(fixture))
{
    CLEANUP_FREE char *elsewhere = temp_create();
    CLEANUP_FREE char *content = NULL;
    CLEANUP_FREE char *target = path_in(elsewhere, "target");

    write_in(elsewhere, "target", "mine");
    write_in(fixture->directory, "a", "old");
    assert_int_equal(symlinkat(target, fixture->fd, "link"), 0);
    add_artifact(fixture, "a", "new", false);
    add_artifact(fixture, "link", "new", false);
    assert_written(fixture, true, "", NULL);
    assert_content(fixture, "a", "new");
    assert_content(fixture, "link", "new");
    content = read_in(elsewhere, "target");
    assert_string_equal(content, "mine");
    remove_below(AT_FDCWD, elsewhere);
}

/* With force and without. */
CASE_WITH(artifact_files__follows_no_link, set_up(fixture))
{
    CLEANUP_FREE char *elsewhere = temp_create();
    CLEANUP_FREE char *content = NULL;

    assert_int_equal(symlinkat(elsewhere, fixture->fd, "link"), 0);
    write_in(fixture->directory, "file", "mine");
    add_artifact(fixture, "link/a", "new", false);
    add_artifact(fixture, "file/a", "new", false);
    assert_written(
        fixture, true,
        "cannot write artifact 'link/a': a part of its path exists and is not a directory\n"
        "cannot write artifact 'file/a': a part of its path exists and is not a directory",
        "cannot write 2 of 2 artifacts; see the warnings");
    content = read_in(elsewhere, "a");
    assert_string_equal(content, "(none)");
    assert_content(fixture, "file", "mine");
    remove_below(AT_FDCWD, elsewhere);
}

/*
 * The program's own failure is not hidden. A directory is not replaced, and no partial file
 * remains.
 */
CASE_WITH(artifact_files__failure_of_a_later_file, set_up(fixture))
{
    fixture->result.exit_code = 3;
    fixture->result.error = string_copy("program exited with status 3");
    assert_int_equal(mkdirat(fixture->fd, "d", 0755), 0);
    add_artifact(fixture, "d", "new", false);
    assert_written(fixture, true, "cannot write artifact 'd': Is a directory",
                   "program exited with status 3");
    assert_int_equal(unlinkat(fixture->fd, "d", AT_REMOVEDIR), 0);
    assert_int_equal(rmdir(fixture->directory), 0);
}

/* All failures are counted, and ten are named. */
CASE_WITH(artifact_files__counts_many_failures, set_up(fixture))
{
    write_in(fixture->directory, "a", "mine");
    for (int i = 0; i < 15; i++)
        add_artifact(fixture, "a", "new", false);
    artifact_files_write(fixture->fd, NULL, false, ARTIFACT_FILES_FORCE, &fixture->result);
    assert_int_equal(fixture->result.artifacts.missing.count, 10);
    assert_text_or_null(fixture->result.error, "cannot write 15 of 15 artifacts; see the warnings");
}

/* A path may have more parts than a process may have descriptors. */
CASE(artifact_files__deep_path)
{
    CLEANUP(strbuf_release) struct strbuf path = STRBUF_INIT;
    struct rlimit before, few;
    struct fixture fixture;

    for (int i = 0; i < 500; i++)
        strbuf_add(&path, "d/", 2);
    strbuf_addch(&path, 'a');
    set_up(&fixture);
    add_artifact(&fixture, strbuf_string(&path), "deep", false);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)fixture.fd + 5;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    artifact_files_write(fixture.fd, NULL, false, ARTIFACT_FILES_FORCE, &fixture.result);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_null(fixture.result.error);
    assert_content(&fixture, strbuf_string(&path), "deep");
    tear_down(&fixture);
}

CASE(artifact_files__opens_a_directory)
{
    CLEANUP_FREE char *parent = temp_create();
    CLEANUP_FREE char *new = path_in(parent, "new");
    CLEANUP_FREE char *deep = path_in(parent, "a/b");
    CLEANUP_FREE char *file = path_in(parent, "file");
    CLEANUP_FREE char *below = path_in(parent, "file/b/c");
    CLEANUP_FREE char *no_below =
        string_format("cannot open the directory '%s': Not a directory", below);
    CLEANUP_FREE char *no_file =
        string_format("cannot open the directory '%s': Not a directory", file);
    struct error error = ERROR_INIT;
    int fd;

    for (int i = 0; i < 2; i++) { /* the second time it exists */
        fd = artifact_files_open(new, &error);
        assert_true(fd >= 0);
        close(fd);
    }
    fd = artifact_files_open(deep, &error);
    assert_true(fd >= 0);
    close(fd);
    write_in(parent, "file", "");
    assert_int_equal(artifact_files_open(below, &error), -1);
    assert_error(&error, ERROR_INPUT, no_below);
    assert_int_equal(artifact_files_open(file, &error), -1);
    assert_error(&error, ERROR_INPUT, no_file);
    remove_below(AT_FDCWD, parent);
}

CASE_WITH(artifact_files__writes_into_a_subdirectory, set_up(fixture))
{
    add_artifact(fixture, "a/b", "1", false);
    artifact_files_write(fixture->fd, "7", false, ARTIFACT_FILES_FORCE, &fixture->result);
    assert_null(fixture->result.error);
    assert_content(fixture, "7/a/b", "1");
}

/* Adds one whose content, which is longer than it is copied at once, was written to a file. */
static void add_written(struct fixture *fixture, const char *name, const char *data, size_t length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct artifacts *artifacts = &fixture->result.artifacts;
    char digest[SHA256_HEX_SIZE];

    sha256_of(data, length, digest);
    assert_int_equal(artifacts_open_file(artifacts, &error), 0);
    assert_int_equal(shared_file_write(artifacts->file, artifacts->file_length, data, length), 0);
    assert_int_equal(artifacts_add_written(artifacts, string_copy(name), (long long)length, digest,
                                           false, &error),
                     0);
}

CASE_WITH(artifact_files__content_that_is_not_in_memory, set_up(fixture))
{
    enum { LENGTH = 100000 };
    CLEANUP_FREE char *data = malloc(LENGTH + 1);

    for (int i = 0; i < LENGTH; i++)
        data[i] = (char)('a' + i % 23);
    data[LENGTH] = '\0';
    add_written(fixture, "first", "1", 1);
    add_written(fixture, "second", data, LENGTH);
    assert_written(fixture, false, "", NULL);
    assert_content(fixture, "first", "1");
    assert_content(fixture, "second", data);
}

/* A file that cannot be read to its end is not left behind. */
CASE_WITH(artifact_files__content_that_is_lost, set_up(fixture))
{
    add_written(fixture, "a", "12", 2);
    assert_int_equal(shared_file_truncate(fixture->result.artifacts.file, 1), 0);
    assert_written(fixture, false, "cannot write artifact 'a': No data available",
                   "cannot write 1 of 1 artifacts; see the warnings");
    assert_int_equal(faccessat(fixture->fd, "a", F_OK, 0), -1);
}
