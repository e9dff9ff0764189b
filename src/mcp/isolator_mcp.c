/*
 * isolator-mcp: runs untrusted code for LLM hosts, as an MCP server over stdio. Its main.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/config_load.h"
#include "config/inputs_dir.h"
#include "config/snippets.h"
#include "mcp/host_config.h"
#include "mcp/server.h"
#include "mcp/tool.h"

enum { EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

enum action { ACTION_SERVE, ACTION_PRINT_CONFIG, ACTION_HELP, ACTION_VERSION };

struct options {
    enum action action;
    const char *config; /* borrowed from argv; NULL: the usual places */
    const char *inputs; /* likewise; NULL: inputsDir of the configuration */
    const char *host;   /* likewise; of ACTION_PRINT_CONFIG */
    bool verbose;
};

/*
 * Prints on stdout. stdio is not used for it because it would block in write(2). Returns the exit
 * status.
 */
static int print(const char *text)
{
    const size_t length = strlen(text);
    struct output output;
    int failure = 0;

    output_open(&output, STDOUT_FILENO);
    if (output_write(&output, text, length, 0, NULL) < length)
        failure = errno;
    output_release(&output);
    if (failure == 0)
        return EXIT_SUCCESS;
    diagnostics_line("cannot write to stdout: %s", strerror(failure));
    return EXIT_SYSTEM;
}

static int print_help(void)
{
    CLEANUP_FREE char *hosts = host_config_names();
    CLEANUP_FREE char *help = string_format(
        "usage: isolator-mcp [--config FILE] [--inputs DIR] [--verbose]\n"
        "       isolator-mcp [--config FILE] [--inputs DIR] --print-config HOST\n"
        "\n"
        "Serves the tools execute_code and close_session to an MCP host over stdin and\n"
        "stdout. They run untrusted code in fresh, locked-down containers.\n"
        "\n"
        "      --config FILE        configuration file\n"
        "      --inputs DIR         calls may use the files of this directory\n"
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

    return print(help);
}

/*
 * Reports what getopt_long() returned for a wrong argument: ':' if its value is missing, 1 for an
 * operand, '?' otherwise. getopt_long() does not report it itself, because stdio may block and does
 * not escape the argument. Returns -1.
 */
static int refuse_argument(int code, const char *argument)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool is_long = strncmp(argument, "--", 2) == 0;
    /* Print the whole argument if optopt is only one byte of a multi-byte character. */
    const bool whole = code == 1 || is_long || optopt <= 0 || optopt >= 0x80;
    CLEANUP_FREE char *name = string_copy(whole ? argument : letter);
    CLEANUP_FREE char *escaped = NULL;

    if (code != 1)
        name[strcspn(name, "=")] = '\0';
    escaped = text_escape(name);
    if (code == 1)
        diagnostics_line("unexpected argument '%s'; see isolator-mcp --help", escaped);
    else if (code == ':')
        diagnostics_line("option '%s' needs a value", escaped);
    else if (is_long && optopt != 0)
        diagnostics_line("option '%s' takes no value", escaped);
    else
        diagnostics_line("unknown option '%s'; see isolator-mcp --help", escaped);
    return -1;
}

enum { OPTION_CONFIG = 256, OPTION_INPUTS, OPTION_PRINT_CONFIG, OPTION_VERSION };

static void apply_option(struct options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_CONFIG:
        options->config = value;
        break;
    case OPTION_INPUTS:
        options->inputs = value;
        break;
    case OPTION_PRINT_CONFIG:
        options->action = ACTION_PRINT_CONFIG;
        options->host = value;
        break;
    case OPTION_VERSION:
        options->action = ACTION_VERSION;
        break;
    case 'h':
        options->action = ACTION_HELP;
        break;
    default:
        options->verbose = true;
    }
}

/* 0, or -1 after reporting what is wrong. */
static int parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"config", required_argument, NULL, OPTION_CONFIG},
        {"inputs", required_argument, NULL, OPTION_INPUTS},
        {"print-config", required_argument, NULL, OPTION_PRINT_CONFIG},
        {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, OPTION_VERSION},
        {NULL, 0, NULL, 0},
    };

    *options = (struct options){.action = ACTION_SERVE};
    opterr = 0;
    for (;;) {
        const char *argument = argv[optind];
        /* "-" returns operands in order as code 1; ":" returns ':' for a missing value. */
        const int option = getopt_long(argc, argv, "-:hv", known, NULL);

        if (option == -1)
            return optind == argc ? 0 : refuse_argument(1, argv[optind]);
        if (option == 1 || option == ':' || option == '?')
            return refuse_argument(option, argument);
        apply_option(options, option, optarg);
    }
}

/* The built-in timeout is meant for people at a terminal, so the server has its own. */
static int load_config(struct config *config, const char *file, struct error *error)
{
    struct limits own;

    limits_init(&own);
    own.number[LIMIT_TIMEOUT] = TOOL_TIMEOUT;
    return config_load(config, file, &own, error);
}

/* Makes the directory of --inputs that of the configuration. */
static int set_inputs(struct config *config, const char *directory, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(directory);
    CLEANUP_FREE char *path = realpath(directory, NULL);
    CLEANUP_FD int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd < 0)
        return error_set_errno(error, ERROR_USAGE, "cannot open the directory of --inputs '%s'",
                               shown);
    free(config->inputs_dir);
    config->inputs_dir = steal_pointer(&path);
    return 0;
}

/* Warns if the input files cannot be read. */
static void warn_of_inputs(const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (config->inputs_dir && inputs_dir_check(config, &error) != 0) {
        CLEANUP_FREE char *escaped = text_escape(error.message);

        diagnostics_line("warning: %s", escaped);
    }
}

/* Warns if the snippets cannot be read, unless promptsDir is the installed default. */
static void warn_of_snippets(const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (strcmp(config->prompts_dir, ISOLATOR_DATADIR "/prompts") != 0 &&
        snippets_check(config, &error) != 0) {
        CLEANUP_FREE char *escaped = text_escape(error.message);

        diagnostics_line("warning: %s", escaped);
    }
}

static int serve(const struct options *options, const struct config *config, struct error *error)
{
    const struct server_options server = {
        .in = STDIN_FILENO, .out = STDOUT_FILENO, .verbose = options->verbose};

    if (isatty(STDIN_FILENO))
        diagnostics_line(
            "reading MCP messages from the terminal, one JSON object per line; MCP hosts start "
            "this program, see isolator-mcp(1)");
    warn_of_snippets(config);
    warn_of_inputs(config);
    /* Some hosts pass on no PATH; this is the default of most shells. */
    if (!getenv("PATH"))
        setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin", 1);
    if (signals_catch(error) != 0)
        return -1;
    return server_run(config, &server, error);
}

/* Prints the error. Returns the exit status. */
static int report(const struct error *error)
{
    CLEANUP_FREE char *line = text_escape(error->message);

    diagnostics_line("%s", line);
    return error->kind == ERROR_USAGE || error->kind == ERROR_CONFIG ? EXIT_USAGE : EXIT_SYSTEM;
}

static int print_config(const struct options *options, const struct config *config,
                        struct error *error)
{
    const char *file = NULL;
    CLEANUP_FREE char *entry =
        host_config_entry(options->host, config->origin == CONFIG_INSTALLED ? NULL : config->file,
                          options->inputs ? config->inputs_dir : NULL, &file, error);

    if (!entry)
        return report(error);
    diagnostics_line("add this entry to %s", file);
    return print(entry);
}

int main(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct options options;

    json_set_alloc_funcs(memory_allocate, free); /* ends the process if there is no memory */
    config_init(&config);
    signals_set_up();
    diagnostics_set_program("isolator-mcp");
    if (parse(&options, argc, argv) != 0)
        return EXIT_USAGE;
    if (options.action == ACTION_HELP)
        return print_help();
    if (options.action == ACTION_VERSION)
        return print("isolator-mcp " ISOLATOR_VERSION "\n");
    if (load_config(&config, options.config, &error) != 0 ||
        (options.inputs && set_inputs(&config, options.inputs, &error) != 0))
        return report(&error);
    if (options.action == ACTION_PRINT_CONFIG)
        return print_config(&options, &config, &error);
    return serve(&options, &config, &error) == 0 ? EXIT_SUCCESS : report(&error);
}
