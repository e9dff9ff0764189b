#include "test.h"

#include "cli/session/notebook.h"

/* Reads this text as the file "n.ipynb"; returns "LANGUAGE|CELL|CELL", or NULL with the error. */
static char *read_text(const char *text, struct error *error)
{
    CLEANUP(notebook_release) struct notebook notebook = NOTEBOOK_INIT;
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "n.ipynb");
    CLEANUP_FREE char *joined = NULL;
    int fd, result;

    write_in(directory, "n.ipynb", text);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    result = notebook_read(&notebook, fd, "n.ipynb", error);
    close(fd);
    temp_remove(directory);
    if (result != 0)
        return NULL;
    joined = strvec_join(&notebook.cells, "|");
    return string_format("%s|%s", notebook.language ? notebook.language : "-", joined);
}

static void check(const char *text, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *got = read_text(text, &error);

    assert_no_error(&error);
    assert_string_equal(got, expected);
}

CASE(notebook__names)
{
    assert_true(notebook_is_name("a/n.ipynb"));
    assert_false(notebook_is_name("n.ipynb.py"));
    assert_false(notebook_is_name("ipynb"));
}

CASE(notebook__cells_of_code)
{
    check("{\"nbformat\": 4, \"metadata\": {\"kernelspec\": {\"language\": \"R\"}, "
          "\"language_info\": {\"name\": \"python\"}}, \"cells\": ["
          "{\"cell_type\": \"markdown\", \"source\": [\"# text\"]},"
          "{\"cell_type\": \"code\", \"source\": [\"a = 1\\n\", \"b\"], \"outputs\": [{}]},"
          "{\"cell_type\": \"raw\", \"source\": \"x\"},"
          "{\"cell_type\": \"code\", \"source\": \"c\\n\"}]}",
          "R|a = 1\nb|c\n");
    check("{\"metadata\": {\"language_info\": {\"name\": \"julia\"}}, \"cells\": []}", "julia|");
    check("{\"cells\": [{\"cell_type\": \"code\", \"source\": []}]}", "-|");
}

CASE(notebook__that_are_none)
{
    static const char *const texts[] = {
        "",
        "print(1)",
        "[]",
        "{}",
        "{\"cells\": {}}",
        "{\"worksheets\": [{\"cells\": []}]}",
        "{\"cells\": [1]}",
        "{\"cells\": [{\"source\": \"x\"}]}",
        "{\"cells\": [{\"cell_type\": \"code\"}]}",
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": 1}]}",
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"a\", 1]}]}",
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"a\\u0000b\"}]}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct error error = ERROR_INIT;
        CLEANUP_FREE char *got = read_text(texts[i], &error);

        assert_null(got);
        assert_error(&error, ERROR_INPUT,
                     "'n.ipynb' is not a Jupyter notebook of format 4; save it in that format");
    }
}

/* A notebook of brackets would take a hundred times its size. */
CASE(notebook__with_too_many_values)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *got = NULL;

    strbuf_addstr(&text, "{\"cells\": [], \"x\": [");
    for (int i = 0; i < 200000; i++)
        strbuf_addstr(&text, "[],");
    strbuf_addstr(&text, "0]}");
    got = read_text(strbuf_string(&text), &error);
    assert_null(got);
    assert_error(&error, ERROR_INPUT,
                 "the notebook 'n.ipynb' has more than 64 MiB or 200000 values; clear its outputs");
}
