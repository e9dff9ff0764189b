#include "json.h"

#include "base/memory.h"
#include "request/inputs_dir.h"

/* A configuration whose input files are in "inputs" of the directory. */
struct fixture {
    char *directory, *inputs;
    struct config config;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create()};
    fixture->inputs = path_in(fixture->directory, "inputs");
    assert_int_equal(mkdir(fixture->inputs, 0755), 0);
    set_up_config(&fixture->config, NULL);
    fixture->config.inputs_dir = string_copy(fixture->inputs);
}

static void tear_down(struct fixture *fixture)
{
    config_release(&fixture->config);
    free(fixture->inputs);
    temp_remove(fixture->directory);
}

static void make_directory(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->inputs, name);

    assert_int_equal(mkdir(path, 0755), 0);
}

static void make_link(const struct fixture *fixture, const char *target, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->inputs, name);

    assert_int_equal(symlink(target, path), 0);
}

static void check_list(const struct fixture *fixture, const char *expected)
{
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    inputs_dir_list(&fixture->config, &paths);
    joined = strvec_join(&paths, " ");
    assert_string_equal(joined, expected);
}

static void check_opened(const struct fixture *fixture, const char *path, const char *content)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct file_range range;
    char data[100] = "";
    const int result = inputs_dir_open(&fixture->config, path, &range, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
    assert_int_equal(range.offset, 0);
    assert_int_equal(range.length, strlen(content));
    assert_int_equal(shared_file_read(range.file, 0, data, strlen(content)), 0);
    assert_string_equal(data, content);
    shared_file_release(range.file);
}

static void check_not_opened(const struct fixture *fixture, const char *path, const char *message)
{
    struct error error = ERROR_INIT;
    struct file_range range;

    assert_int_equal(inputs_dir_open(&fixture->config, path, &range, &error), -1);
    assert_error(&error, ERROR_INPUT, message);
}

/* A directory with everything in it that may be in a directory. */
static void fill(struct fixture *fixture)
{
    CLEANUP_FREE char *fifo = path_in(fixture->inputs, "fifo");

    write_in(fixture->directory, "secret", "secret");
    write_in(fixture->inputs, "b.csv", "b");
    write_in(fixture->inputs, ".env", "secret");
    write_in(fixture->inputs, "not\xffutf8", "x");
    make_directory(fixture, "d");
    write_in(fixture->inputs, "d/a.csv", "a");
    write_in(fixture->inputs, "d/.hidden", "secret");
    make_directory(fixture, ".git");
    write_in(fixture->inputs, ".git/config", "secret");
    make_link(fixture, "../secret", "link");
    make_link(fixture, "b.csv", "inside");
    make_link(fixture, "d", "dlink");
    make_link(fixture, "..", "up");
    assert_int_equal(mkfifo(fifo, 0644), 0);
}

CASE_WITH(inputs_dir__regular_files_are_listed, set_up(fixture))
{
    check_list(fixture, "");
    fill(fixture);
    check_list(fixture, "b.csv d/a.csv");
    free(fixture->config.inputs_dir);
    fixture->config.inputs_dir = NULL;
    check_list(fixture, "");
    fixture->config.inputs_dir = path_in(fixture->directory, "absent");
    check_list(fixture, "");
}

CASE_WITH(inputs_dir__only_these_are_opened, set_up(fixture))
{
    static const char *const bad[] = {"",          "x",          "d",           "/etc/passwd",
                                      "../secret", "d/../b.csv", "./b.csv",     "d//a.csv",
                                      "d/",        ".env",       "d/.hidden",   ".git/config",
                                      "link",      "inside",     "dlink/a.csv", "up/secret",
                                      "fifo",      "b.csv/x",    "..",          "up/inputs/b.csv"};

    fill(fixture);
    check_opened(fixture, "b.csv", "b");
    check_opened(fixture, "d/a.csv", "a");
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message =
            string_format("there is no input file '%s'; known are: b.csv, d/a.csv", bad[i]);
        check_not_opened(fixture, bad[i], message);
    }
    check_not_opened(fixture, "not\xffutf8",
                     "there is no input file 'not\\xffutf8'; known are: b.csv, d/a.csv");
}

CASE_WITH(inputs_dir__without_files, set_up(fixture))
{
    check_not_opened(fixture, "a", "there is no input file 'a'; there are none");
    free(steal_pointer(&fixture->config.inputs_dir));
    check_not_opened(fixture, "a", "there are no input files: the configuration has no inputsDir");
}

/* The limit of levels is the same for the list and for a name. */
CASE_WITH(inputs_dir__levels, set_up(fixture))
{
    CLEANUP(strbuf_release) struct strbuf path = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL;

    for (int i = 0; i < INPUTS_DEPTH_MAX; i++) {
        strbuf_addstr(&path, i == 0 ? "d" : "/d");
        make_directory(fixture, strbuf_string(&path));
    }
    strbuf_addstr(&path, "/f");
    write_in(fixture->inputs, strbuf_string(&path), "deep");
    check_list(fixture, strbuf_string(&path));
    check_opened(fixture, strbuf_string(&path), "deep");
    message = string_format("there is no input file '%s/x'; known are: %s",
                            "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d", strbuf_string(&path));
    path.length -= 2;
    path.data[path.length] = '\0';
    strbuf_addstr(&path, "/d");
    make_directory(fixture, strbuf_string(&path));
    strbuf_addstr(&path, "/x");
    write_in(fixture->inputs, strbuf_string(&path), "too deep");
    check_not_opened(fixture, strbuf_string(&path), message);
    check_list(fixture, "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/f");
}

/* Who has opened a file reads that file, whatever its name stands for now. */
CASE_WITH(inputs_dir__a_file_that_is_replaced, set_up(fixture))
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *path = NULL;
    struct file_range range;
    char data[3];

    path = path_in(fixture->inputs, "a");
    write_in(fixture->inputs, "a", "old");
    assert_int_equal(inputs_dir_open(&fixture->config, "a", &range, &error), 0);
    assert_int_equal(unlink(path), 0);
    make_link(fixture, "../secret", "a");
    assert_int_equal(shared_file_read(range.file, range.offset, data, 3), 0);
    assert_memory_equal(data, "old", 3);
    shared_file_release(range.file);
    check_not_opened(fixture, "a", "there is no input file 'a'; there are none");
}

static void check_type(struct fixture *fixture, const char *name, const char *data, size_t length,
                       const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *path = path_in(fixture->inputs, name);
    struct file_range range;

    write_bytes(path, data, length, 0644);
    assert_int_equal(inputs_dir_open(&fixture->config, name, &range, &error), 0);
    assert_string_equal(inputs_dir_mime_type(name, &range), expected);
    shared_file_release(range.file);
}

CASE_WITH(inputs_dir__types, set_up(fixture))
{
    CLEANUP_FREE char *long_text = memory_allocate(5000);

    memset(long_text, 'x', 5000);
    memcpy(long_text + 4095, "\xc3\xa4", 2); /* the first 4096 bytes end within a character */
    check_type(fixture, "a.csv", long_text, 5000, "text/csv");
    check_type(fixture, "b.csv", "\xff", 1, "application/octet-stream");
    check_type(fixture, "c.csv", "", 0, "text/csv");
    check_type(fixture, "d.txt", "PK\3\4\xff", 5, "application/zip");
}

CASE_WITH(inputs_dir__can_be_checked, set_up(fixture))
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *message = NULL;

    assert_int_equal(inputs_dir_check(&fixture->config, &error), 0);
    assert_int_equal(rmdir(fixture->inputs), 0);
    message = string_format("cannot read the files of inputsDir '%s': No such file or directory",
                            fixture->inputs);
    assert_int_equal(inputs_dir_check(&fixture->config, &error), -1);
    assert_error(&error, ERROR_INPUT, message);
}
