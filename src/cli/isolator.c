/*
 * isolator: runs untrusted code. The main of the command line: finds the command and runs it.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/complete_command.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/run_option_table.h"
#include "config/config_load.h"
#include "config/manual.h"
#include "config/option_completion.h"

static int help_command(int argc, char **argv);

struct help_options {
    bool man, help;
};

static const struct option_rule help_rules[] = {
    {{0, "--man", NULL, "print the manual page", NULL,
      "Print the manual page of the command, or of isolator, isolator-mcp or "
      "isolator_config.json, which is built in."},
     OPTION_FLAG(struct help_options, man)},
    {OPTION_TEXT_HELP, OPTION_FLAG(struct help_options, help)},
};

static const struct option_table help_table = {
    .command = "isolator help", .operands = VALUES_COMMANDS, OPTION_RULES(help_rules)};

static const struct command commands[] = {
    {"run", "run a file or a directory in a fresh container",
     .options = &run_option_tables[RUN_OPTIONS_RUN], .run = run_command},
    {"start", "start a job, which goes on when isolator has ended",
     .options = &run_option_tables[RUN_OPTIONS_START], .run = start_command},
    {"create", "make a workspace for many commands",
     .options = &run_option_tables[RUN_OPTIONS_CREATE], .run = create_command},
    {"exec", "run a command in a workspace", .options = &run_option_tables[RUN_OPTIONS_EXEC],
     .run = exec_command},
    {"cp", "copy files into a workspace, or out of it", .line = &cp_command},
    {"ls", "list files of a workspace", .line = &ls_command},
    {"ps", "list jobs and workspaces", .line = &ps_command},
    {"logs", "show what a job has written", .line = &logs_command},
    {"wait", "wait for jobs and print their results", .line = &wait_command},
    {"stop", "end jobs, whose results stay, and workspaces", .line = &stop_command},
    {"rm", "remove jobs and workspaces", .line = &rm_command},
    {"test", "run programs with each test of a directory",
     .options = &run_option_tables[RUN_OPTIONS_TEST], .run = grade_command},
    {"session", "run cells one after the other in one container",
     .options = &run_option_tables[RUN_OPTIONS_SESSION], .run = session_command},
    {"batch", "run many requests, one JSON object per line", .line = &batch_command},
    {"prepare", "install packages for a language", .line = &prepare_command},
    {"pull", "fetch the images of the languages", .line = &pull_command},
    {"gc", "remove orphaned containers", .line = &gc_command},
    {"doctor", "check whether runs work, and print how to fix what fails", .line = &doctor_command},
    {"languages", "list the languages and the state of their images", .line = &languages_command},
    {"tools", "list the tools that programs may call", .line = &tools_command},
    {"config", "print the configuration and the origin of each value", .line = &config_command},
    {"selftest", "run attacks and report whether the sandbox holds", .line = &selftest_command},
    {"bench", "measure how fast programs run on this engine", .line = &bench_command},
    {"help", "print this list, or the options of a command", .options = &help_table,
     .run = help_command},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
    return command->line ? command_line_main(command->line, argc, argv) : command->run(argc, argv);
}

static int print_help(void)
{
    print_text("usage: isolator COMMAND [ARG...]\n"
               "       isolator FILE [ARG...]\n"
               "       isolator help [COMMAND] [--man]\n"
               "       isolator --help | --version\n"
               "\n"
               "Runs untrusted code in a fresh, locked-down container. FILE alone is run.\n");
    for (int i = 0; i < COMMANDS; i++)
        print_format("  %-9s  %s\n", commands[i].name, commands[i].help);
    print_text("\n"
               "isolator-mcp is the server for LLM hosts. See isolator(1), isolator-mcp(1).\n");
    return command_line_printed("help");
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The advice for an unknown word in the place of a command, owned. `next` may be NULL. */
static char *advice_for_word(const char *word, const char *next)
{
    static const char *const options[] = {"--help", "--version"};
    const bool option = word[0] == '-';
    const char *names[COMMANDS], *nearest;

    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    nearest = option ? text_nearest(word, options, sizeof options / sizeof *options)
                     : text_nearest(word, names, COMMANDS);
    if (strcmp(word, "mcp") == 0)
        return string_copy("the server for LLM hosts is isolator-mcp");
    if (nearest)
        return string_format("did you mean '%s'?", nearest);
    if (option)
        return string_copy("options follow the command, as in 'isolator run --help'");
    if (access(word, F_OK) == 0)
        return string_copy("to run a program in a directory: isolator run --dir DIR");
    if (next && is_file(next)) {
        CLEANUP_FREE char *escaped = text_escape(next);

        return string_format("did you mean 'isolator %s'?", escaped);
    }
    return string_copy(strpbrk(word, "./") ? "there is no such file" : "see isolator --help");
}

static int refuse_word(const char *word, const char *next)
{
    CLEANUP_FREE char *escaped = text_escape(word);
    CLEANUP_FREE char *advice = advice_for_word(word, next);

    diagnostics_line("unknown %s '%s'; %s", word[0] == '-' ? "option" : "command", escaped, advice);
    return EXIT_STATUS_USAGE;
}

/* A command without a page of its own is in that of isolator. */
static int print_manual_page(const char *name)
{
    const char *page = manual_find(name);

    if (!page && find_command(name))
        page = manual_find("isolator");
    if (!page)
        return refuse_word(name, NULL);
    print_text(page);
    return command_line_printed("manual page");
}

static int help_with(const struct help_options *options, const char *name)
{
    char option[] = "--help";
    const struct command *command = name ? find_command(name) : NULL;

    if (options->man)
        return print_manual_page(name ? name : "isolator");
    if (!name || options->help)
        return print_help();
    return command ? run(command, 2, (char *[]){(char *)command->name, option, NULL})
                   : refuse_word(name, NULL);
}

/* `isolator help COMMAND` is `isolator COMMAND --help`; with --man it is the manual page. */
static int help_command(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    struct help_options options = {.man = false};

    if (options_parse(&help_table, argc, argv, &options, &names, NULL, &error) != 0)
        return exit_status_report(&error);
    if (names.count > 1) {
        options_refuse_operand(&help_table, names.items[1], &error);
        return exit_status_report(&error);
    }
    return help_with(&options, names.count > 0 ? names.items[0] : NULL);
}

/* The limits of the built-in configuration; owned by the caller. */
static char *manual_of_limits(void)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;

    config_init(&config);
    return config_load_built_in(&config, &error) == 0 ? limits_manual(&config.defaults.limits)
                                                      : string_copy("");
}

/*
 * `isolator manual COMMAND|limits` is for the Makefile, which makes the manual pages: neither
 * --help nor the manual has it. NULL: there is no such command.
 */
static char *manual_of(const char *name)
{
    const struct command *command = find_command(name);

    if (strcmp(name, "limits") == 0)
        return manual_of_limits();
    return command ? options_manual(command_options(command)) : NULL;
}

int main(int argc, char **argv)
{
    char **words = option_completion_words(argv);
    CLEANUP_FREE char *manual = NULL;
    const struct command *command;

    json_set_alloc_funcs(memory_allocate, free); /* it ends the program if there is no memory */
    signals_set_up();
    if (argc < 2 || is_help(argv[1]))
        return print_help();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        print_text("isolator " ISOLATOR_VERSION "\n");
        return command_line_printed("version");
    }
    if (words)
        return complete_command(commands, COMMANDS, words);
    if (argc == 3 && strcmp(argv[1], "manual") == 0 && (manual = manual_of(argv[2]))) {
        print_text(manual);
        return command_line_printed("manual");
    }
    command = find_command(argv[1]);
    if (command)
        return run(command, argc - 1, argv + 1);
    if (is_file(argv[1]))
        return run_command(argc, argv);
    return refuse_word(argv[1], argv[2]);
}
