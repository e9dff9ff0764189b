#include "test.h"

#include "cli/bench_figures.h"
#include "cli/bench_picture.h"

static struct bench_figures figures_here(void)
{
    return (struct bench_figures){.rounds = 10,
                                  .parallel = 2,
                                  .here = {[BENCH_DOCKER] = 412.4,
                                           [BENCH_COLD] = 230,
                                           [BENCH_WARM] = 12,
                                           [BENCH_CELL] = 1.62,
                                           [BENCH_BATCH] = 6.5,
                                           [BENCH_TESTS] = 1234.5}};
}

static void assert_table(const struct bench_figures *figures, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    bench_add_table(&text, figures);
    assert_string_equal(strbuf_string(&text), expected);
}

CASE(bench_figures__table)
{
    const struct bench_figures figures = figures_here();

    assert_table(&figures,
                 "MEASUREMENT                           HERE             README\n"
                 "docker run --rm of the same program    412 ms              -\n"
                 "a program, no container waits          230 ms            185 ms\n"
                 "a program, a container waits            12 ms            5.1 ms\n"
                 "a cell of a session                    1.6 ms            1.4 ms\n"
                 "programs of a batch                    6.5 per second    7.9 per second\n"
                 "tests of a C program, built once      1234 per second    192 per second\n"
                 "README: two idle cores, Docker 20.10, Debian 12. Here: medians of 10 rounds, the "
                 "batch runs 2 at a time.\n");
}

/* A row that could not be measured has no figure, and a line says why; it is escaped. */
CASE(bench_figures__notes)
{
    CLEANUP(bench_figures_release) struct bench_figures figures = figures_here();

    figures.rounds = figures.parallel = 1;
    figures.here[BENCH_TESTS] = -1;
    figures.notes[BENCH_TESTS] = string_copy("image '\x1b[2J' is not on the engine");
    assert_table(&figures,
                 "MEASUREMENT                           HERE             README\n"
                 "docker run --rm of the same program    412 ms              -\n"
                 "a program, no container waits          230 ms            185 ms\n"
                 "a program, a container waits            12 ms            5.1 ms\n"
                 "a cell of a session                    1.6 ms            1.4 ms\n"
                 "programs of a batch                    6.5 per second    7.9 per second\n"
                 "tests of a C program, built once         -               192 per second\n"
                 "README: two idle cores, Docker 20.10, Debian 12. Here: one round, the batch runs "
                 "1 at a time.\n"
                 "tests of a C program, built once: image '\\x1b[2J' is not on the engine\n");
}

static void assert_measurement(const json_t *object, size_t index, const char *expected)
{
    const json_t *measurement = json_array_get(json_object_get(object, "measurements"), index);
    CLEANUP_FREE char *text = json_dumps(measurement, JSON_REAL_PRECISION(15));

    assert_string_equal(text, expected);
}

CASE(bench_figures__json)
{
    CLEANUP(bench_figures_release) struct bench_figures figures = figures_here();
    json_t *object;

    figures.here[BENCH_TESTS] = -1;
    figures.notes[BENCH_TESTS] = string_copy("no image");
    object = bench_to_json(&figures);
    assert_int_equal(json_integer_value(json_object_get(object, "rounds")), 10);
    assert_int_equal(json_integer_value(json_object_get(object, "jobs")), 2);
    assert_string_equal(json_string_value(json_object_get(object, "readmeMachine")),
                        "two idle cores, Docker 20.10, Debian 12");
    assert_measurement(object, BENCH_DOCKER,
                       "{\"name\": \"docker-run\", \"title\": \"docker run --rm of the same "
                       "program\", \"unit\": \"ms\", \"here\": 412.4, \"readme\": null, \"note\": "
                       "null}");
    assert_measurement(object, BENCH_TESTS,
                       "{\"name\": \"tests\", \"title\": \"tests of a C program, built once\", "
                       "\"unit\": \"per second\", \"here\": null, \"readme\": 192.0, \"note\": "
                       "\"no image\"}");
    json_decref(object);
}

static void assert_number(double value, const char *expected)
{
    CLEANUP_FREE char *number = bench_number(value);

    assert_string_equal(number, expected);
}

CASE(bench_figures__numbers)
{
    assert_number(-1, "-");
    assert_number(0, "0.0");
    assert_number(9.94, "9.9");
    assert_number(9.96, "10");
    assert_number(10.4, "10");
    assert_number(123456, "123456");
}

CASE(bench_figures__median)
{
    double one[] = {3}, two[] = {5, 4}, odd[] = {9, 1, 3, 7, 2};

    assert_true(bench_median(one, COUNT(one)) == 3);
    assert_true(bench_median(two, COUNT(two)) == 5);
    assert_true(bench_median(odd, COUNT(odd)) == 3);
}
