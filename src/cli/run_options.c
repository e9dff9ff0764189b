#include "cli/run_options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/jobs.h"
#include "cli/run_option_table.h"

enum { LONG_CODE = 256 };

/* What --help prints before and after the options. */
static const struct {
    const char *name, *before, *after;
} commands[] = {
    [RUN_OPTIONS_RUN] =
        {"run",
         "usage: isolator run [OPTIONS] [FILE] [-- ARG...]\n"
         "\n"
         "Runs FILE (- for stdin), or the --entrypoint of --dir, in a fresh, locked-down\n"
         "container and prints one JSON result. Arguments after -- go to the program.\n",
         "Exit status: 0 success, 1 program failed, 2 usage or input, 3 engine or image,\n"
         "124 timeout, 130 or 143 interrupted. See isolator(1).\n"},
    [RUN_OPTIONS_TEST] =
        {"test",
         "usage: isolator test [OPTIONS] --tests DIR [FILE...] [-- ARG...]\n"
         "\n"
         "Runs FILE (- for stdin), or the --entrypoint of --dir, with each test of DIR in\n"
         "one container, and prints a table at a terminal, otherwise one JSON result.\n"
         "Several FILEs run in a container each, with a row or a JSON result for each.\n",
         "Exit status: 0 all passed, 1 some did not or the build failed, 2 usage or input,\n"
         "3 engine or image, 130 or 143 interrupted. See isolator-test(1).\n"},
    [RUN_OPTIONS_SESSION] =
        {"session",
         "usage: isolator session [OPTIONS] [FILE] [-- ARG...]\n"
         "\n"
         "Runs cells one after the other in one container, whose files, and in Python and\n"
         "JavaScript also variables, stay until the end. Asks for cells at a terminal;\n"
         "otherwise reads them from FILE or stdin, with lines like '# %%' between them.\n",
         "Exit status: 0 all cells succeeded, 1 some failed, 2 usage or input, 3 engine,\n"
         "130 or 143 interrupted. See isolator-session(1).\n"},
};

static bool has_option(const struct run_options *options, int index)
{
    return run_option_table[index].commands & 1U << options->command;
}

/*
 * Fills in the tables of getopt_long() with the options of the command. The code of an option is
 * LONG_CODE + its index in the table.
 */
static void make_getopt_tables(const struct run_options *options, struct option *longs,
                               char *shorts)
{
    /* "-" returns operands in order as code 1; ":" returns errors instead of printing them. */
    *shorts++ = '-';
    *shorts++ = ':';
    for (int i = 0; i < RUN_OPTIONS; i++) {
        const struct run_option *option = &run_option_table[i];

        if (!has_option(options, i))
            continue;
        *longs++ = (struct option){option->name,
                                   !option->argument            ? no_argument
                                   : option->argument[0] == '[' ? optional_argument
                                                                : required_argument,
                                   NULL, LONG_CODE + i};
        if (!option->letter)
            continue;
        *shorts++ = (char)option->letter;
        if (option->argument)
            *shorts++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

static const struct run_option *find_option(int code)
{
    if (code >= LONG_CODE)
        return &run_option_table[code - LONG_CODE];
    for (int i = 0; i < RUN_OPTIONS; i++)
        if (run_option_table[i].letter == code)
            return &run_option_table[i];
    return NULL;
}

static int take_file(struct run_options *options, const char *file, struct error *error)
{
    if (options->file && options->command != RUN_OPTIONS_TEST) {
        CLEANUP_FREE char *escaped = text_escape(file);
        return error_set(error, ERROR_USAGE,
                         "unexpected argument '%s': only one FILE is allowed; put the program's "
                         "arguments after --",
                         escaped);
    }
    strvec_push(&options->files, file);
    options->file = options->files.items[0];
    return 0;
}

static int read_arguments(struct run_options *options, int argc, char **argv, struct error *error)
{
    struct option longs[RUN_OPTIONS + 1];
    char shorts[2 * RUN_OPTIONS + 3];
    CLEANUP_FREE char *advice =
        string_format("see isolator %s --help", commands[options->command].name);
    int code;

    make_getopt_tables(options, longs, shorts);
    opterr = 0;
    optind = 0; /* restart: works with glibc and musl */
    while (!options->help) {
        const int at = optind > 0 ? optind : 1; /* the current argument, for messages */

        code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1 && argv[at] && strcmp(argv[at], "-") == 0) { /* musl stops at "-" */
            optarg = argv[optind++];
            code = 1;
        }
        if (code == -1)
            break;
        if (code == ':' || code == '?' || (code != 1 && command_line_abbreviates(longs, argv[at])))
            return command_line_refuse(
                code, options->file ? "put the program's arguments after --" : advice, longs,
                argv[at], error);
        if ((code == 1 ? take_file(options, optarg, error)
                       : run_option_apply(options, find_option(code), optarg, error)) != 0)
            return -1;
    }
    for (int i = optind; i < argc; i++)
        strvec_push(&options->request.arguments, argv[i]);
    return 0;
}

bool run_options_want_table(const struct run_options *options)
{
    return options->table || (!options->json && isatty(STDOUT_FILENO));
}

void run_options_set_program(struct run_options *options, const char *file)
{
    const char *slash = strrchr(file, '/');

    free(options->request.entrypoint);
    options->request.entrypoint = string_copy(slash ? slash + 1 : file);
}

int run_options_parse(struct run_options *options, enum run_options_command command, int argc,
                      char **argv, struct error *error)
{
    *options = (struct run_options){.command = command,
                                    .jobs = jobs_default(),
                                    .artifacts_directory = -1,
                                    .tolerance = COMPARISON_TOLERANCE_DEFAULT};
    request_init(&options->request);
    if (read_arguments(options, argc, argv, error) != 0) {
        error_name_subject(error, run_options_namer);
        return -1;
    }
    if (options->help)
        return 0;
    if (run_options_check(options, error) != 0)
        return -1;
    if (command != RUN_OPTIONS_SESSION && options->file && strcmp(options->file, "-") != 0)
        run_options_set_program(options, options->file);
    while (options->request.entrypoint && strncmp(options->request.entrypoint, "./", 2) == 0)
        memmove(options->request.entrypoint, options->request.entrypoint + 2,
                strlen(options->request.entrypoint) - 1);
    if (command != RUN_OPTIONS_SESSION && options->artifacts &&
        options->request.artifacts.count == 0)
        strvec_push(&options->request.artifacts, "**");
    return 0;
}

char *run_options_help(const struct run_options *options)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text, "%s\n", commands[options->command].before);
    for (int i = 0; i < RUN_OPTIONS; i++) {
        const struct run_option *option = &run_option_table[i];
        const bool optional = option->argument && option->argument[0] == '[';
        CLEANUP_FREE char *form =
            string_format("--%s%s%s", option->name,
                          !option->argument ? ""
                          : optional        ? "[=BOOL]"
                                            : " ",
                          option->argument && !optional ? option->argument : "");

        if (!has_option(options, i))
            continue;
        if (option->letter)
            strbuf_addf(&text, "  -%c, %-28s %s\n", option->letter, form, option->help);
        else
            strbuf_addf(&text, "      %-28s %s\n", form, option->help);
    }
    strbuf_addf(&text,
                "\n"
                "Defaults are in parentheses; configuration and language may change them.\n"
                "%s",
                commands[options->command].after);
    return strbuf_steal(&text);
}

void run_options_release(struct run_options *options)
{
    request_release(&options->request);
    strvec_release(&options->files);
    free(options->stdin_path);
    free(options->config_path);
    free(options->artifacts);
    free(options->tests);
    cleanup_fd(&options->artifacts_directory);
}
