#include "test.h"

#include "cli/grade/program_directory.h"
#include "config/config_read.h"
#include "default_config.h" /* generated */

/* A directory with these files; what is found, or the error, in which DIR is the directory. */
static void check(const char *language, const char *expected, const char *const *files)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    char *directory = temp_create();
    CLEANUP_FREE char *found = NULL;
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    const char *place = strstr(expected, "DIR");

    config_init(&config);
    assert_int_equal(
        config_overlay(&config, default_config, strlen(default_config), "built in", &error), 0);
    for (; *files; files++)
        write_in(directory, *files, "");
    assert_int_equal(program_directory_has_none(directory, language, &config),
                     strstr(expected, "has no program") != NULL);
    found = program_directory_find(directory, language, &config, &error);
    if (place) {
        strbuf_add(&message, expected, (size_t)(place - expected));
        strbuf_addf(&message, "%s%s", directory, place + 3);
        assert_null(found);
        assert_error(&error, ERROR_INPUT, strbuf_string(&message));
        error = (struct error)ERROR_INIT;
    } else {
        assert_no_error(&error);
        assert_string_equal(found, expected);
    }
    temp_remove(directory);
}

#define CHECK(language, expected, ...)                                                             \
    check(language, expected, (const char *const[]){__VA_ARGS__, NULL})

CASE(program_directory__finds)
{
    CHECK(NULL, "run.py", "run.py", "data.txt", "README");
    CHECK(NULL, "main.py", "main.py", "helper.py");
    CHECK(NULL, "Main.java", "Main.java", "Helper.java", "x.txt");
    CHECK(NULL, "a.cpp", "b.cpp", "a.cpp", "a.h"); /* they are built together */
    CHECK("python", "x.py", "x.py", "y.c");
    CHECK(NULL, "main.c", "main.c", "other.py", ".main.py");
    CHECK(NULL, "__main__.py", "__init__.py", "__main__.py", "main.py");
    CHECK(NULL, "Main.py", "Main.py", "helper.py", "domain.py");
}

CASE(program_directory__finds_none)
{
    CHECK(NULL, "'DIR' has no program: no file in it has the extension of a language", "x.txt");
    CHECK("java", "'DIR' has no program: no file in it has the extension of a language", "x.py");
    CHECK(NULL, "'DIR' has several programs: a.py, b.py; name the main one 'main.py'", "b.py",
          "a.py");
    CHECK(NULL, "'DIR' has several programs: main.c, main.py; name the main one 'main.c'",
          "main.py", "main.c");
    CHECK(NULL,
          "'DIR' has several programs: 1.py, 2.py, 3.py, and 3 more; name the main one 'main.py'",
          "1.py", "2.py", "3.py", "4.py", "5.py", "6.py");
}

/* A directory with so many programs. */
static void check_many(int count, const char *message)
{
    CLEANUP(config_release) struct config config;
    CLEANUP_FREE char *expected = NULL, *found = NULL;
    char *directory = temp_create();
    struct error error = ERROR_INIT;

    config_init(&config);
    assert_int_equal(
        config_overlay(&config, default_config, strlen(default_config), "built in", &error), 0);
    for (int i = 0; i < count; i++) {
        CLEANUP_FREE char *name = string_format("%05d.c", i);

        write_in(directory, name, "");
    }
    found = program_directory_find(directory, NULL, &config, &error);
    if (message) {
        expected = string_format("'%s' %s", directory, message);
        assert_null(found);
        assert_error(&error, ERROR_INPUT, expected);
    } else {
        assert_string_equal(found, "00000.c");
    }
    temp_remove(directory);
}

CASE(program_directory__with_too_many_files)
{
    check_many(10000, NULL);
    check_many(10001, "has more than 10000 files with the extension of a language; remove those "
                      "that do not belong to the program");
}

CASE(program_directory__cannot_be_opened)
{
    CLEANUP(config_release) struct config config;
    struct error error = ERROR_INIT;

    config_init(&config);
    assert_null(program_directory_find("/nonexistent", NULL, &config, &error));
    assert_error(&error, ERROR_INPUT,
                 "cannot open the directory '/nonexistent': No such file or directory");
    assert_false(program_directory_has_none("/nonexistent", NULL, &config));
}
