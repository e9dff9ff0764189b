#include "cli/command.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/safe_json.h"
#include "cli/table.h"
#include "service/job_list.h"

struct ps_options {
    struct common_options common;
    bool json, quiet;
};

static const struct option_rule ps_rules[] = {
    {{0, "--json", NULL, "print a JSON object for each job", NULL,
      "Print a line for each job with a JSON object, whose members are *id*, *name* (null if it "
      "has none), *kind* (job or workspace), *language*, *state*, *startedAt*, *endsAt* (its "
      "timeout, or the end of its lifetime), both in seconds since 1970, and *secondsLeft*."},
     OPTION_FLAG(struct ps_options, json)},
    {{'q', "--quiet", NULL, "print only the ids", NULL, "Print only the id of each job."},
     OPTION_FLAG(struct ps_options, quiet)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table ps_table = {
    .command = "isolator ps",
    .usage = "usage: isolator ps [--json | -q] [--config FILE]\n"
             "\n"
             "Lists the jobs and workspaces that this user has started on this host, those\n"
             "that run and those that have ended and were not removed, with the time since\n"
             "the start and the time that is left until their end.\n",
    .example = "isolator ps",
    .after = "Exit status: 0 listed, 2 wrong command line or configuration, 3 the engine\n"
             "failed, 128+N signal N. See isolator-ps(1).\n",
    OPTION_RULES(ps_rules)};

enum { COLUMNS = 7, LABEL_SHOWN_MAX = 80 };

/* "2d 3h", "4h 5m", "6m 7s" or "8s". */
static char *show_seconds(long long seconds)
{
    if (seconds >= 86400)
        return string_format("%lldd %lldh", seconds / 86400, seconds % 86400 / 3600);
    if (seconds >= 3600)
        return string_format("%lldh %lldm", seconds / 3600, seconds % 3600 / 60);
    if (seconds >= 60)
        return string_format("%lldm %llds", seconds / 60, seconds % 60);
    return string_format("%llds", seconds);
}

/* Seconds until its timeout; 0 if it does not run. */
static long long seconds_left(const struct job_row *row, long long now)
{
    return job_state_runs(row->state) && row->ends > now ? row->ends - now : 0;
}

static void push_label(struct strvec *cells, const char *text)
{
    strvec_push_owned(cells, *text ? text_escape_short(text, LABEL_SHOWN_MAX) : string_copy("-"));
}

static const char *kind_of(const struct job_row *row)
{
    return row->purpose == PURPOSE_WORKSPACE ? "workspace" : "job";
}

static void add_row(struct strvec *cells, const struct job_row *row, long long now)
{
    strvec_push(cells, row->id);
    push_label(cells, row->name);
    strvec_push(cells, kind_of(row));
    push_label(cells, row->language);
    push_label(cells, row->state);
    strvec_push_owned(cells, show_seconds(now > row->started ? now - row->started : 0));
    strvec_push_owned(cells, job_state_runs(row->state) ? show_seconds(seconds_left(row, now))
                                                        : string_copy("-"));
}

static void print_json(const struct job_row *row, long long now)
{
    json_t *object = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:I, s:I, s:I}", "id", row->id, "name",
        *row->name ? json_string(row->name) : json_null(), "kind", kind_of(row), "language",
        row->language, "state", row->state, "startedAt", (json_int_t)row->started, "endsAt",
        (json_int_t)row->ends, "secondsLeft", (json_int_t)seconds_left(row, now));

    if (object)
        safe_json_print(object, false);
    json_decref(object);
}

static void print_jobs(const struct ps_options *options, const struct job_list *list)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;
    const long long now = (long long)time(NULL);

    strvec_push_each(&cells, "ID", "NAME", "KIND", "LANGUAGE", "STATE", "SINCE", "LEFT", NULL);
    for (size_t i = 0; i < list->count; i++)
        if (options->json)
            print_json(&list->rows[i], now);
        else if (options->quiet)
            print_format("%s\n", list->rows[i].id);
        else
            add_row(&cells, &list->rows[i], now);
    if (!options->json && !options->quiet)
        table_print(&cells, COLUMNS);
}

static int run_ps_command(void *context, char **operands, const struct config *config,
                          struct error *error)
{
    const struct docker docker = config_docker(config);
    CLEANUP(job_list_release) struct job_list list = JOB_LIST_INIT;
    int result;

    (void)operands;
    if (signals_catch(error) != 0)
        return -1;
    result = job_list_read(&list, &docker, signals_cancel(), error);
    if (result == 0)
        print_jobs(context, &list);
    signals_release();
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return result;
}

const struct command_line ps_command = {.options_size = sizeof(struct ps_options),
                                        .options = &ps_table,
                                        .run = run_ps_command,
                                        .output = "list"};
