#include "test.h"

#include "base/clock.h"
#include "docker/engine_time.h"
#include "docker/image_inspect.h"

#define ID(digit) digit "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

CASE(image_inspect__names)
{
    assert_true(image_name_matches("python:3", "python:3"));
    assert_true(image_name_matches("python", "python:latest"));
    assert_true(image_name_matches("docker.io/library/python", "python:latest"));
    assert_true(image_name_matches("python:3", "docker.io/library/python:3"));
    assert_true(image_name_matches("mine:1", "localhost/mine:1"));
    assert_true(image_name_matches("host:5000/a/b", "host:5000/a/b:latest"));
    assert_true(image_name_matches("a@sha256:00", "a@sha256:00"));
    assert_false(image_name_matches("python:3", "python:31"));
    assert_false(image_name_matches("python:3", "mypython:3"));
    assert_false(image_name_matches("host:5000/a", "a:latest"));
    assert_false(image_name_matches("a", "a@sha256:00"));
}

/* A docker command that is a script. */
struct fake {
    char *directory, *command;
    struct docker docker;
};

static struct fake fake_docker(const char *body)
{
    struct fake fake = {.directory = temp_create()};

    fake.command = script_in(fake.directory, "docker", body);
    fake.docker = (struct docker){.command = fake.command, .engine_timeout = 60};
    return fake;
}

static void fake_release(struct fake *fake)
{
    free(fake->command);
    temp_remove(fake->directory);
}

/* Inspects "a", "b:2" and "c"; `expected` has "name bytes created" of each that exists. */
static void check(const char *body, const char *expected, const char *calls)
{
    struct fake fake = fake_docker(body);
    CLEANUP(strvec_release) struct strvec references = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    CLEANUP_FREE char *called = NULL;
    struct error error = ERROR_INIT;
    struct image_facts facts[3];

    strvec_push_each(&references, "a", "b:2", "c", NULL);
    assert_int_equal(
        image_inspect(&fake.docker, &references, clock_now_ms() + 60000, NULL, facts, &error), 0);
    assert_no_error(&error);
    for (size_t i = 0; i < 3; i++)
        if (facts[i].present)
            strbuf_addf(&seen, "%s %lld %lld; ", references.items[i], facts[i].bytes,
                        facts[i].created);
    assert_string_equal(strbuf_string(&seen), expected);
    called = read_in(fake.directory, "calls");
    assert_string_equal(called, calls);
    fake_release(&fake);
}

CASE(image_inspect__all_exist)
{
    check("printf 'x' >>calls\n"
          "echo sha256:" ID("1") " 5 2026-11-22T04:07:19.75Z other:1\n"
                                 "echo " ID("2") " 6 2026-11-22 04:07:19.7 +0000 UTC\n"
                                                 "echo sha256:" ID(
                                                     "3") " 7 1970-01-01T00:00:00Z c:latest",
          "a 5 1795320439; b:2 6 1795320439; c 7 -1; ", "x");
}

CASE(image_inspect__one_is_missing)
{
    check("printf 'x' >>calls\n"
          "echo sha256:" ID("1") " 5 2026-11-22T04:07:19.75Z x:1 docker.io/library/a:latest\n"
                                 "echo sha256:" ID("3") " 7 2026-11-22T04:07:19.75Z c:latest\n"
                                                        "exit 1",
          "a 5 1795320439; c 7 1795320439; ", "x");
}

/* The engine has "b:2" under another name, so each image is inspected alone. */
CASE(image_inspect__under_another_name)
{
    check("printf 'x' >>calls\n"
          "for image; do :; done\n"
          "case $#,$image in\n"
          "8,*) echo sha256:" ID("2") " 7 2026-11-22T04:07:19.75Z mirror/b:2\n exit 1;;\n"
                                      "6,b:2) echo sha256:" ID(
                                          "2") " 7 2026-11-22T04:07:19.75Z mirror/b:2;;\n"
                                               "*) [ \"$1\" = version ];;\n"
                                               "esac",
          "b:2 7 1795320439; ", "xxxxxx");
}

CASE(image_inspect__none_exists)
{
    check("printf 'x' >>calls\n[ \"$1\" = version ]", "", "xx");
}

CASE(image_inspect__garbage)
{
    check("printf 'x' >>calls\nprintf '7 \\033\\ngarbage\\nsha256:123 5 6\\n'", "", "x");
}

static void check_failure(const char *body, const char *message)
{
    struct fake fake = fake_docker(body);
    CLEANUP(strvec_release) struct strvec references = STRVEC_INIT;
    struct error error = ERROR_INIT;
    struct image_facts facts[1];

    strvec_push(&references, "a");
    assert_int_equal(
        image_inspect(&fake.docker, &references, clock_now_ms() + 60000, NULL, facts, &error), -1);
    assert_error(&error, ERROR_ENGINE, message);
    fake_release(&fake);
}

CASE(image_inspect__no_engine)
{
    check_failure("echo no engine >&2; exit 1", "cannot inspect the images: no engine");
}

CASE(image_inspect__no_images)
{
    const struct docker docker = {.command = "/nonexistent", .engine_timeout = 1};
    const struct strvec none = STRVEC_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(image_inspect(&docker, &none, clock_now_ms() + 60000, NULL, NULL, &error), 0);
    assert_no_error(&error);
}

CASE(engine_time__forms)
{
    long long ms;

    assert_true(engine_time_parse("2026-11-22T04:07:19.750Z", &ms));
    assert_int_equal(ms, 1795320439750);
    assert_true(engine_time_parse("2000-02-29 00:00:00 +0000 UTC", &ms));
    assert_int_equal(ms, 951782400000);
    assert_true(engine_time_parse("0001-01-01T00:00:00Z", &ms));
    assert_int_equal(ms, -1);
    assert_false(engine_time_parse("", &ms));
    assert_false(engine_time_parse("2026-13-01T00:00:00Z", &ms));
    assert_false(engine_time_parse("2026-11-22", &ms));
}

static void check_ms_between(const char *start, const char *end, long long expected)
{
    long long start_ms, end_ms;

    assert_true(engine_time_parse(start, &start_ms));
    assert_true(engine_time_parse(end, &end_ms));
    if (end_ms - start_ms != expected)
        fail_msg("from %s to %s: %lld ms, not %lld", start, end, end_ms - start_ms, expected);
}

CASE(engine_time__calendar)
{
    check_ms_between("2023-12-31T23:59:59.5Z", "2024-01-01T00:00:00.25Z", 750);
    check_ms_between("2024-02-28T23:59:59Z", "2024-03-01T00:00:00Z", 86401000);
    check_ms_between("2023-02-28T23:59:59Z", "2023-03-01T00:00:00Z", 1000);
    check_ms_between("2100-02-28T23:59:59Z", "2100-03-01T00:00:00Z", 1000);
    check_ms_between("2000-02-28T00:00:00Z", "2000-03-01T00:00:00Z", 172800000);
    check_ms_between("2024-11-21T10:59:59.999Z", "2024-11-21T11:00:00.001Z", 2);
    check_ms_between("1970-01-01T00:00:01Z", "2026-01-01T00:00:00Z", 1767225599000);
}
