/*
 * isolator: runs code that nobody trusts. The command line's main: finds the sub-command.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/batch_command.h"
#include "cli/config_command.h"
#include "cli/doctor_command.h"
#include "cli/exit_status.h"
#include "cli/gc_command.h"
#include "cli/languages_command.h"
#include "cli/prepare_command.h"
#include "cli/pull_command.h"
#include "cli/run_command.h"
#include "cli/selftest_command.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", run_command, "run a file or a directory in a fresh container"},
    {"batch", batch_command, "run many requests, one JSON object a line"},
    {"prepare", prepare_command, "install packages for a language, in an image of its own"},
    {"pull", pull_command, "fetch the images of the languages"},
    {"gc", gc_command, "remove what isolators that were killed have left behind"},
    {"doctor", doctor_command, "check whether runs work here, and say what mends it"},
    {"languages", languages_command, "list the languages and whether their images are there"},
    {"config", config_command, "print the configuration, and which file each value is from"},
    {"selftest", selftest_command, "try on your engine what hostile programs would try"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fputs("usage: isolator COMMAND [ARG...]\n"
          "       isolator help [COMMAND]\n"
          "       isolator --help | --version\n"
          "\n"
          "Runs untrusted code in a fresh, locked-down container; prints one JSON result.\n"
          "\n",
          stream);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-9s  %s\n", commands[i].name, commands[i].help);
    fputs("\nisolator help COMMAND tells more; so do isolator(1), isolator_config.json(5).\n",
          stream);
}

static int refuse_command(const char *word)
{
    const char *names[COMMANDS + 3] = {"--help", "--version", "help"};
    const char *nearest;
    CLEANUP_FREE char *shown = text_escape(word);

    for (int i = 0; i < COMMANDS; i++)
        names[3 + i] = commands[i].name;
    nearest = text_nearest(word, names, COMMANDS + 3);
    fprintf(stderr, "isolator: unknown %s '%s'; ", word[0] == '-' ? "option" : "command", shown);
    if (nearest)
        fprintf(stderr, "did you mean '%s'?\n", nearest);
    else if (access(word, F_OK) == 0)
        fprintf(stderr, "did you mean 'isolator run %s'?\n", shown);
    else
        fputs("see isolator --help\n", stderr);
    return EXIT_STATUS_USAGE;
}

static int run_named(int argc, char **argv)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
    return refuse_command(argv[0]);
}

/* `isolator help COMMAND` is `isolator COMMAND --help`. */
static int help_command(char *command)
{
    char option[] = "--help";
    char *argv[] = {command, option, NULL};

    if (command)
        return run_named(2, argv);
    print_help(stdout);
    return EXIT_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    json_set_alloc_funcs(memory_allocate, free); /* without memory it ends, as everything does */
    signals_set_up();
    if (argc < 2) {
        fputs("isolator: no command; see isolator --help\n", stderr);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help_command(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help_command(argv[2]);
    if (strcmp(argv[1], "--version") == 0) {
        puts("isolator " ISOLATOR_VERSION);
        return EXIT_STATUS_SUCCESS;
    }
    return run_named(argc - 1, argv + 1);
}
