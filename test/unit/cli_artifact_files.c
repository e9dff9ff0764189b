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

static void add(struct fixture *fixture, const char *name, const char *text, bool executable)
{
    artifacts_add(&fixture->result.artifacts, string_copy(name), string_copy(text), strlen(text),
                  executable);
}

/* Writes them; `missing` and `error` are what the result says then. */
static void check(struct fixture *fixture, bool force, const char *missing, const char *error)
{
    CLEANUP_FREE char *joined = NULL;

    artifact_files_write(fixture->fd, NULL, force, &fixture->result);
    joined = strvec_join(&fixture->result.artifacts.missing, "\n");
    assert_string_equal(joined, missing);
    assert_text_or_null(fixture->result.error, error);
}

static void check_content(struct fixture *fixture, const char *name, const char *expected)
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

static void artifact_files__are_written(void **state)
{
    struct fixture fixture;
    struct stat status;

    (void)state;
    set_up(&fixture);
    umask(022);
    add(&fixture, "a", "1", false);
    add(&fixture, "b/c/d", "22", true);
    add(&fixture, "b/c/e", "", false);
    check(&fixture, false, "", NULL);
    check_content(&fixture, "a", "1");
    check_content(&fixture, "b/c/d", "22");
    check_content(&fixture, "b/c/e", "");
    assert_int_equal(fstatat(fixture.fd, "a", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0644);
    assert_int_equal(fstatat(fixture.fd, "b/c/d", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
    tear_down(&fixture);
}

static void artifact_files__what_exists_stays(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    write_in(fixture.directory, "a", "mine");
    add(&fixture, "a", "new", false);
    add(&fixture, "b", "new", false);
    check(&fixture, false,
          "cannot write artifact 'a': it already exists; use --force to replace it",
          "cannot write 1 of 2 artifacts; see the warnings");
    assert_string_equal(result_reason(&fixture.result), "input");
    check_content(&fixture, "a", "mine");
    check_content(&fixture, "b", "new");
    tear_down(&fixture);
}

static void artifact_files__force_replaces(void **state)
{
    CLEANUP_FREE char *elsewhere = temp_create();
    struct fixture fixture;
    CLEANUP_FREE char *content = NULL;
    CLEANUP_FREE char *target = path_in(elsewhere, "target");

    (void)state;
    set_up(&fixture);
    write_in(elsewhere, "target", "mine");
    write_in(fixture.directory, "a", "old");
    assert_int_equal(symlinkat(target, fixture.fd, "link"), 0);
    add(&fixture, "a", "new", false);
    add(&fixture, "link", "new", false);
    check(&fixture, true, "", NULL);
    check_content(&fixture, "a", "new");
    check_content(&fixture, "link", "new");
    content = read_in(elsewhere, "target");
    assert_string_equal(content, "mine");
    remove_below(AT_FDCWD, elsewhere);
    tear_down(&fixture);
}

/* Neither with force nor without. */
static void artifact_files__no_link_is_followed(void **state)
{
    CLEANUP_FREE char *elsewhere = temp_create();
    CLEANUP_FREE char *content = NULL;
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    assert_int_equal(symlinkat(elsewhere, fixture.fd, "link"), 0);
    write_in(fixture.directory, "file", "mine");
    add(&fixture, "link/a", "new", false);
    add(&fixture, "file/a", "new", false);
    check(&fixture, true,
          "cannot write artifact 'link/a': a part of its path exists and is not a directory\n"
          "cannot write artifact 'file/a': a part of its path exists and is not a directory",
          "cannot write 2 of 2 artifacts; see the warnings");
    content = read_in(elsewhere, "a");
    assert_string_equal(content, "(none)");
    check_content(&fixture, "file", "mine");
    remove_below(AT_FDCWD, elsewhere);
    tear_down(&fixture);
}

/*
 * The program's own failure is not hidden; a directory is not replaced, and nothing half is left.
 */
static void artifact_files__failures_behind_others(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    fixture.result.exit_code = 3;
    fixture.result.error = string_copy("program exited with status 3");
    assert_int_equal(mkdirat(fixture.fd, "d", 0755), 0);
    add(&fixture, "d", "new", false);
    check(&fixture, true, "cannot write artifact 'd': Is a directory",
          "program exited with status 3");
    assert_int_equal(unlinkat(fixture.fd, "d", AT_REMOVEDIR), 0);
    assert_int_equal(rmdir(fixture.directory), 0);
    tear_down(&fixture);
}

/* All of them are counted, ten are named. */
static void artifact_files__many_failures(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    write_in(fixture.directory, "a", "mine");
    for (int i = 0; i < 15; i++)
        add(&fixture, "a", "new", false);
    artifact_files_write(fixture.fd, NULL, false, &fixture.result);
    assert_int_equal(fixture.result.artifacts.missing.count, 10);
    assert_text_or_null(fixture.result.error, "cannot write 15 of 15 artifacts; see the warnings");
    tear_down(&fixture);
}

/* A path may have more parts than a process may have descriptors. */
static void artifact_files__deep(void **state)
{
    CLEANUP(strbuf_release) struct strbuf path = STRBUF_INIT;
    struct rlimit before, few;
    struct fixture fixture;

    (void)state;
    for (int i = 0; i < 500; i++)
        strbuf_add(&path, "d/", 2);
    strbuf_addch(&path, 'a');
    set_up(&fixture);
    add(&fixture, strbuf_string(&path), "deep", false);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)fixture.fd + 5;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    artifact_files_write(fixture.fd, NULL, false, &fixture.result);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_null(fixture.result.error);
    check_content(&fixture, strbuf_string(&path), "deep");
    tear_down(&fixture);
}

static void artifact_files__directory(void **state)
{
    CLEANUP_FREE char *parent = temp_create();
    CLEANUP_FREE char *new = path_in(parent, "new");
    CLEANUP_FREE char *deep = path_in(parent, "a/b");
    CLEANUP_FREE char *file = path_in(parent, "file");
    CLEANUP_FREE char *no_deep =
        string_format("--artifacts: cannot open '%s': No such file or directory", deep);
    CLEANUP_FREE char *no_file =
        string_format("--artifacts: cannot open '%s': Not a directory", file);
    struct error error = ERROR_INIT;
    int fd;

    (void)state;
    for (int i = 0; i < 2; i++) { /* made, then there */
        fd = artifact_files_open(new, &error);
        assert_true(fd >= 0);
        close(fd);
    }
    assert_int_equal(artifact_files_open(deep, &error), -1);
    assert_error(&error, ERROR_INPUT, no_deep);
    write_in(parent, "file", "");
    assert_int_equal(artifact_files_open(file, &error), -1);
    assert_error(&error, ERROR_INPUT, no_file);
    remove_below(AT_FDCWD, parent);
}

static void artifact_files__below_a_directory(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    add(&fixture, "a/b", "1", false);
    artifact_files_write(fixture.fd, "7", false, &fixture.result);
    assert_null(fixture.result.error);
    check_content(&fixture, "7/a/b", "1");
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(artifact_files__are_written),
        cmocka_unit_test(artifact_files__what_exists_stays),
        cmocka_unit_test(artifact_files__force_replaces),
        cmocka_unit_test(artifact_files__no_link_is_followed),
        cmocka_unit_test(artifact_files__failures_behind_others),
        cmocka_unit_test(artifact_files__below_a_directory),
        cmocka_unit_test(artifact_files__many_failures),
        cmocka_unit_test(artifact_files__deep),
        cmocka_unit_test(artifact_files__directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
