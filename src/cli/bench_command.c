#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_replace.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/bench_figures.h"
#include "cli/bench_measure.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/safe_json.h"

enum { ROUNDS_DEFAULT = 10, ROUNDS_MAX = 1000 };

struct bench_options {
    struct common_options common;
    int rounds;
    bool json;
    const char *svg; /* borrowed from argv; NULL: no picture */
};

static const struct option_rule bench_rules[] = {
    {{0, "--rounds", "N", "measure each row N times", "10",
      "Measure each row N times, at most 1000, and print the median. The default is 10."},
     OPTION_WHOLE(struct bench_options, rounds, 1, ROUNDS_MAX)},
    {{0, "--json", NULL, "print the figures as a JSON object instead", NULL,
      "Print a JSON object instead, with the members *rounds*, *jobs* (programs of the batch at a "
      "time), *readmeMachine* and *measurements*, an array of objects. Their members are *name* "
      "('docker-run', 'cold', 'warm', 'cell', 'batch' or 'tests'), *title*, *unit* ('ms' or 'per "
      "second'), *here* (null if it was not measured), *readme* (null if README has none) and "
      "*note* (why it was not measured, else null)."},
     OPTION_FLAG(struct bench_options, json)},
    {{0, "--svg", "FILE", "draw the figures in this file", NULL,
      "Also draw the figures, as two bars for each row, in this file. It is replaced if it "
      "exists."},
     OPTION_STRING(struct bench_options, svg)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table bench_table = {
    .command = "isolator bench",
    .usage = "usage: isolator bench [--rounds N] [--json] [--svg FILE] [--config FILE]\n"
             "\n"
             "Measures how fast programs run on your engine and with your configuration, and\n"
             "prints the figures next to those of isolator's README. The program is one of\n"
             "Python, whose image it needs; one row needs the image of c. Takes a minute.\n",
    .example = "isolator bench --svg speed.svg",
    .after = "Exit status: 0 success, 2 wrong command line or configuration, 3 the engine\n"
             "failed, an image is missing or the output cannot be written, 128+N signal N.\n"
             "See isolator-bench(1).\n",
    OPTION_RULES(bench_rules)};

/* ---- measuring */

/* Whether a row cannot be measured here for a reason that leaves the others as they are. */
static bool is_for_a_note(const struct error *error)
{
    return error->kind == ERROR_IMAGE || error->kind == ERROR_INPUT || error->kind == ERROR_USAGE;
}

static int measure_once(struct bench *bench, enum bench_row row, struct bench_figures *figures,
                        double *value, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    if (figures->notes[row] || bench_measure(bench, row, value, &failure) == 0)
        return 0;
    if (!is_for_a_note(&failure))
        return error_set(error, failure.kind, "%s: %s", bench_title(row), failure.message);
    figures->notes[row] = string_copy(failure.message);
    return 0;
}

/* Measures all rows in turn, in each round, since the speed of a machine changes. */
static int measure_all(struct bench *bench, struct bench_figures *figures,
                       struct progress *progress, struct error *error)
{
    const int rounds = figures->rounds, steps = rounds * BENCH_ROWS;
    CLEANUP_FREE double *values = memory_allocate((size_t)steps * sizeof *values);

    progress_step(progress, 0, 0, "running the program once");
    if (bench_try(bench, error) != 0)
        return -1;
    for (int step = 0; step < steps; step++) {
        const enum bench_row row = step % BENCH_ROWS;

        progress_step(progress, step + 1, steps, bench_title(row));
        if (measure_once(bench, row, figures, &values[row * rounds + step / BENCH_ROWS], error) !=
                0 ||
            signals_caught() != 0)
            return -1;
    }
    for (int row = 0; row < BENCH_ROWS; row++)
        figures->here[row] =
            figures->notes[row] ? -1 : bench_median(values + (size_t)row * rounds, (size_t)rounds);
    return 0;
}

static int take_figures(const struct config *config, struct bench_figures *figures,
                        struct error *error)
{
    struct progress progress;
    struct bench bench;
    int result;

    if (bench_open(&bench, config, error) != 0)
        return -1;
    progress_begin(&progress);
    figures->parallel = bench.parallel;
    result = measure_all(&bench, figures, &progress, error);
    progress_step(&progress, 0, 0, "waiting until all containers are removed");
    bench_close(&bench);
    progress_end(&progress);
    return result;
}

/* ---- the command */

static int set_svg_error(const char *path, struct error *error)
{
    return error_set_errno(error, ERROR_SYSTEM, "cannot write the picture '%s'", path);
}

/* Finds out before the measurements whether the picture can be written. */
static int check_svg(const char *path, struct error *error)
{
    const char *name = text_file_name(path);
    CLEANUP_FREE char *directory =
        name == path ? string_copy(".") : string_format("%.*s", (int)(name - path), path);
    struct stat status;

    if (!*path)
        return error_set(error, ERROR_USAGE, "--svg needs the name of a file");
    if (stat(path, &status) != 0)
        return errno == ENOENT && access(directory, W_OK | X_OK) == 0 ? 0
                                                                      : set_svg_error(path, error);
    if (S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (access(path, W_OK) == 0)
        return 0;
    return set_svg_error(path, error);
}

static void print_figures(const struct bench_figures *figures, bool as_json)
{
    CLEANUP(strbuf_release) struct strbuf table = STRBUF_INIT;
    json_t *object;

    if (as_json) {
        object = bench_to_json(figures);
        safe_json_print(object, isatty(STDOUT_FILENO));
        json_decref(object);
        return;
    }
    bench_add_table(&table, figures);
    print_bytes(table.data, table.length);
}

static int write_svg(const char *path, const struct bench_figures *figures, struct error *error)
{
    CLEANUP_FREE char *picture = bench_figures_picture(figures);

    return file_write(path, picture, strlen(picture)) == 0 ? 0 : set_svg_error(path, error);
}

static int run_bench_command(void *context, char **operands, const struct config *config,
                             struct error *error)
{
    const struct bench_options *options = context;
    CLEANUP(bench_figures_release)
    struct bench_figures figures = {.rounds =
                                        options->rounds > 0 ? options->rounds : ROUNDS_DEFAULT};
    int result;

    (void)operands;
    if ((options->svg && check_svg(options->svg, error) != 0) || signals_catch(error) != 0)
        return -1;
    result = take_figures(config, &figures, error);
    signals_release();
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (result != 0)
        return -1;
    print_figures(&figures, options->json);
    if (options->svg && write_svg(options->svg, &figures, error) != 0)
        return -1;
    return EXIT_STATUS_SUCCESS;
}

const struct command_line bench_command = {.options_size = sizeof(struct bench_options),
                                           .options = &bench_table,
                                           .run = run_bench_command,
                                           .output = "figures"};
