/*
 * isolator-mcp: runs untrusted code for LLM hosts, as an MCP server over stdio. Its main.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "config/config_load.h"
#include "config/snippets.h"
#include "mcp/host_config.h"
#include "mcp/server.h"
#include "mcp/tool.h"

enum { EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

enum action { ACTION_SERVE, ACTION_PRINT_CONFIG, ACTION_HELP, ACTION_VERSION };

struct options {
    enum action action;
    const char *config; /* borrowed from argv; NULL: the usual places */
    const char *host;
    bool verbose;
};

static void print_help(void)
{
    CLEANUP_FREE char *hosts = host_config_names();

    printf("usage: isolator-mcp [--config FILE] [--verbose]\n"
           "       isolator-mcp [--config FILE] --print-config HOST\n"
           "\n"
           "Serves the tool execute_code to an MCP host over stdin and stdout. The tool runs\n"
           "untrusted code in fresh, locked-down containers.\n"
           "\n"
           "      --config FILE        configuration file\n"
           "      --print-config HOST  print the entry for the host's configuration;\n"
           "                       HOST: %s\n"
           "  -v, --verbose            trace each step with its time on stderr\n"
           "  -h, --help               print this summary\n"
           "      --version            print the version\n"
           "\n"
           "Exit status: 0 connection closed or signal, 2 wrong command line or\n"
           "configuration, 3 the host's system refused a resource.\n"
           "See isolator-mcp(1).\n",
           hosts);
}

static int refuse_usage(void)
{
    diagnostics_line("see isolator-mcp --help"); /* getopt has printed the reason */
    return -1;
}

/* 0, or -1 after printing the reason. */
static int parse(struct options *options, int argc, char **argv)
{
    enum { OPTION_CONFIG = 256, OPTION_PRINT_CONFIG, OPTION_VERSION };
    static const struct option known[] = {
        {"config", required_argument, NULL, OPTION_CONFIG},
        {"print-config", required_argument, NULL, OPTION_PRINT_CONFIG},
        {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, OPTION_VERSION},
        {NULL, 0, NULL, 0},
    };
    CLEANUP_FREE char *shown = NULL;
    int option;

    *options = (struct options){.action = ACTION_SERVE};
    while ((option = getopt_long(argc, argv, "hv", known, NULL)) != -1) {
        if (option == OPTION_CONFIG)
            options->config = optarg;
        else if (option == 'v')
            options->verbose = true;
        else if (option == OPTION_PRINT_CONFIG) {
            options->action = ACTION_PRINT_CONFIG;
            options->host = optarg;
        } else if (option == 'h')
            options->action = ACTION_HELP;
        else if (option == OPTION_VERSION)
            options->action = ACTION_VERSION;
        else
            return refuse_usage();
    }
    if (optind == argc)
        return 0;
    shown = text_escape(argv[optind]);
    diagnostics_line("takes no argument like '%s'", shown);
    return refuse_usage();
}

/* The built-in timeout is for people at a terminal, so the server has its own. */
static int load_config(struct config *config, const char *file, struct error *error)
{
    struct limits own;

    limits_init(&own);
    own.number[LIMIT_TIMEOUT] = TOOL_TIMEOUT;
    return config_load(config, file, &own, error);
}

/* Warns if the snippets cannot be read, unless promptsDir is the installed default. */
static void warn_of_snippets(const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (strcmp(config->prompts_dir, ISOLATOR_DATADIR "/prompts") != 0 &&
        snippets_check(config, &error) != 0) {
        CLEANUP_FREE char *shown = text_escape(error.message);

        diagnostics_line("warning: %s", shown);
    }
}

static int serve(const struct options *options, const struct config *config, struct error *error)
{
    const struct server_options server = {
        .in = STDIN_FILENO, .out = STDOUT_FILENO, .verbose = options->verbose};

    if (isatty(STDIN_FILENO))
        diagnostics_line(
            "waits for MCP messages on stdin, one JSON object a line; MCP hosts start it, "
            "see isolator-mcp(1)");
    warn_of_snippets(config);
    /* Some hosts pass on no PATH; this is the default of most shells. */
    if (!getenv("PATH"))
        setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin", 1);
    if (signals_catch(error) != 0)
        return -1;
    return server_run(config, &server, error);
}

static int report(const struct error *error)
{
    CLEANUP_FREE char *line = text_escape(error->message);

    diagnostics_line("%s", line);
    return error->kind == ERROR_USAGE || error->kind == ERROR_CONFIG ? EXIT_USAGE : EXIT_SYSTEM;
}

/* The exit status after printing on stdout. */
static int flush_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_SUCCESS;
    diagnostics_line("cannot write: %s", strerror(errno));
    return EXIT_SYSTEM;
}

int main(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct options options;
    int result;

    json_set_alloc_funcs(memory_allocate, free); /* ends the process if there is no memory */
    config_init(&config);
    signals_set_up();
    diagnostics_set_program("isolator-mcp");
    if (parse(&options, argc, argv) != 0)
        return EXIT_USAGE;
    if (options.action == ACTION_HELP)
        print_help();
    if (options.action == ACTION_VERSION)
        puts("isolator-mcp " ISOLATOR_VERSION);
    if (options.action == ACTION_HELP || options.action == ACTION_VERSION)
        return flush_stdout();
    result = load_config(&config, options.config, &error);
    if (result == 0)
        result =
            options.action == ACTION_PRINT_CONFIG
                ? host_config_print(options.host,
                                    config.origin == CONFIG_INSTALLED ? NULL : config.file, &error)
                : serve(&options, &config, &error);
    if (result == 0 && options.action == ACTION_PRINT_CONFIG)
        return flush_stdout();
    return result == 0 ? EXIT_SUCCESS : report(&error);
}
