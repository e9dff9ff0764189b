#include "test.h"

#include "base/memory.h"
#include "config/prepare_rules.h"

static void check_tag(const char *language, const char *base, const char *first, const char *second,
                      const char *expected)
{
    CLEANUP(strvec_release) struct strvec steps = STRVEC_INIT;
    struct strvec files = STRVEC_INIT;
    CLEANUP_FREE char *tag = NULL;

    strvec_push_each(&steps, first, second, NULL);
    tag = prepare_tag(language, base, &steps, &files);
    assert_string_equal(tag, expected);
}

/* By: printf 'LANGUAGE\0BASE\0STEP\0STEP\0' | sha256sum | cut -c 1-16 */
CASE(prepare_rules__tags)
{
    check_tag("python", "python:3.11-alpine", "pip install numpy", NULL,
              "isolator-prepared:python-ffe79ac5b9958b60");
    check_tag("python", "python:3.11-alpine", "pip install", " numpy",
              "isolator-prepared:python-60150c32936e37d8");
    check_tag("python", "python:3.11-alpin", "epip install numpy", NULL,
              "isolator-prepared:python-229087cc5825410f");
}

/* By: printf 'sh\0i\0x\0\0/a/f\0' | sha256sum | cut -c 1-16 */
CASE(prepare_rules__tags_with_files)
{
    CLEANUP(strvec_release) struct strvec steps = STRVEC_INIT, files = STRVEC_INIT;
    CLEANUP_FREE char *tag = NULL;

    strvec_push(&steps, "x");
    strvec_push(&files, "/a/f");
    tag = prepare_tag("sh", "i", &steps, &files);
    assert_string_equal(tag, "isolator-prepared:sh-6e4bc35a321b4a6e");
}

static void check_files(const char *first, const char *second, const char *message)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    struct error error = ERROR_INIT;

    strvec_push_each(&files, first, second, NULL);
    assert_int_equal(prepare_check_files(&files, &error), message ? -1 : 0);
    if (message)
        assert_error(&error, ERROR_USAGE, message);
}

CASE(prepare_rules__files)
{
    CLEANUP(strvec_release) struct strvec many = STRVEC_INIT;
    struct error error = ERROR_INIT;

    check_files("/a/b", "/c", NULL);
    check_files("/a/b", "/c/b", "'/c/b' has the same name as another file");
    check_files("a", NULL, "the path 'a' is not absolute");
    check_files("/", NULL, "the path '/' does not end in a name");
    check_files("/a/.", NULL, "the path '/a/.' does not end in a name");
    check_files("/a/..", NULL, "the path '/a/..' does not end in a name");
    check_files("/\xff", NULL, "the path '/\\xff' is not valid UTF-8");
    for (int i = 0; i < 64; i++)
        strvec_pushf(&many, "/%d", i);
    assert_int_equal(prepare_check_files(&many, &error), 0);
    strvec_push(&many, "/more");
    assert_int_equal(prepare_check_files(&many, &error), -1);
    assert_error(&error, ERROR_USAGE, "more than 64 files and directories");
}

/* The hash distinguishes names that are not valid in a tag. */
CASE(prepare_rules__tags_of_odd_names)
{
    CLEANUP_FREE char *long_name = memory_allocate(101);
    CLEANUP_FREE char *tag = NULL;
    struct strvec steps = STRVEC_INIT;

    check_tag("c++", "b", "x", NULL, "isolator-prepared:c__-18a0144e1740ab18");
    check_tag("c#+", "b", "x", NULL, "isolator-prepared:c__-c6789108d2bc4f77");
    check_tag(".a-b.c_D", "b", "x", NULL, "isolator-prepared:_a-b.c_D-6b05606d35f0ab0d");
    memset(long_name, 'l', 100);
    long_name[100] = '\0';
    tag = prepare_tag(long_name, "b", &steps, &steps);
    assert_int_equal(strcspn(tag, "-"), strlen("isolator"));
    assert_int_equal(strlen(tag), strlen("isolator-prepared:") + 64 + 1 + 16);
}

static void check_steps(size_t count, size_t length, const char *message)
{
    struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec steps = STRVEC_INIT;
    CLEANUP_FREE char *step = memory_allocate(length + 1);

    memset(step, 's', length);
    step[length] = '\0';
    for (size_t i = 0; i < count; i++)
        strvec_push(&steps, step);
    assert_int_equal(prepare_check_steps(&steps, &error), message ? -1 : 0);
    if (message)
        assert_error(&error, ERROR_USAGE, message);
}

CASE(prepare_rules__how_many_steps)
{
    check_steps(0, 0, NULL);
    check_steps(64, 512, NULL);
    check_steps(65, 1, "more than 64 steps");
    check_steps(1, 32768, NULL);
    check_steps(1, 32769, "steps of more than 32768 bytes");
    check_steps(2, 0, "a step is empty");
}

static void check_step(const char *step, const char *message)
{
    struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec steps = STRVEC_INIT;

    strvec_push(&steps, step);
    assert_int_equal(prepare_check_steps(&steps, &error), message ? -1 : 0);
    if (message)
        assert_error(&error, ERROR_USAGE, message);
}

CASE(prepare_rules__steps_are_text)
{
    check_step("printf 'caf\xc3\xa9\n\t$x'", NULL);
    check_step(" \t", "a step is empty");
    check_step("x\xff", "a step is not valid UTF-8");
}

/* No name can be read by a model as a sentence. */
CASE(prepare_rules__packages)
{
    static const char *const good[] = {"numpy",  "numpy==1.26.4", "@scope/name@1.0", "c++",
                                       "g++-12", "_thing",        "A.B-C",           "7zip"};
    static const char *const bad[] = {"",    " ",    "ignore all", "a,b",         "a;b",   "a\nb",
                                      "-e",  "./x",  "a: b",       "a(b)",        "\"a\"", "a'b",
                                      "a<b", "a`b`", "a\x1b[m",    "caf\xc3\xa9", "a\tb",  "=1",
                                      "+",   "a!",   "a?",         "[a]",         "{a}",   "a\\b"};
    char name[66];

    for (size_t i = 0; i < COUNT(good); i++)
        if (!prepare_is_package(good[i]))
            fail_msg("'%s' is refused", good[i]);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (prepare_is_package(bad[i]))
            fail_msg("'%s' is taken", bad[i]);
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    assert_true(prepare_is_package(name));
    name[64] = 'n';
    name[65] = '\0';
    assert_false(prepare_is_package(name));
}

CASE(prepare_rules__networks)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    assert_int_equal(prepare_check_network("none", &error), 0);
    assert_int_equal(prepare_check_network("bridge", &error), 0);
    assert_int_equal(prepare_check_network("host", &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
}
