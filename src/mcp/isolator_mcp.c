/*
 * isolator-mcp: runs untrusted code for LLM hosts, as an MCP server over stdio. Its main.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/config_load.h"
#include "config/manual.h"
#include "config/option_completion.h"
#include "config/options.h"
#include "mcp/console.h"
#include "mcp/host_command.h"
#include "mcp/hosts.h"
#include "mcp/server.h"
#include "mcp/tool.h"
#include "request/inputs_dir.h"
#include "request/snippets.h"

struct server_command {
    const char *config;       /* borrowed from argv; NULL: the usual places */
    const char *inputs;       /* borrowed from argv; NULL: inputsDir of the configuration */
    const char *audit;        /* borrowed from argv; NULL: auditFile of the configuration */
    const char *ssh;          /* borrowed from argv; NULL: the server runs on this machine */
    struct host_command host; /* none: serve */
    bool verbose, help, version, man;
};

static const struct option_rule rules[] = {
    {OPTION_TEXT_CONFIG, OPTION_STRING(struct server_command, config)},
    {OPTION_TEXT_AUDIT, OPTION_STRING(struct server_command, audit)},
    {{0, "--inputs", "DIR", "calls may use the files of this directory", NULL,
      "Let calls use the files of this directory, in place of *inputsDir* of the configuration; "
      "see [RESOURCES]."},
     OPTION_STRING(struct server_command, inputs)},
    {{0, "--print-config", "HOST", "print the entry for the host's configuration", NULL,
      "Print the entry for the configuration file of this HOST, with the path of this program, "
      "and on standard error the file to add it to; see [HOSTS]."},
     OPTION_STRING(struct server_command, host.print),
     .values = VALUES_HOSTS},
    {{0, "--install", "HOST", "write that entry into the host's configuration", NULL,
      "Write the entry that --print-config prints into the user's configuration file of this HOST, "
      "and keep the former file next to it; see [HOSTS]."},
     OPTION_STRING(struct server_command, host.install),
     .values = VALUES_HOSTS},
    {{0, "--dry-run", NULL, "with --install: only print what would change", NULL,
      "With --install: write nothing, and print the difference between the file and what would be "
      "written."},
     OPTION_FLAG(struct server_command, host.dry_run)},
    {{0, "--ssh", "DEST", "the entry is for the server of another machine", NULL,
      "With --print-config or --install: make an entry that starts the server of another machine "
      "by ssh(1), "
      "whose destination this is, like user@server. --config and --inputs are then paths on that "
      "machine, and are not read here; see [HOSTS]."},
     OPTION_STRING(struct server_command, ssh)},
    {{'v', "--verbose", NULL, "trace each step with its time on stderr", NULL,
      "Trace each step of the engine with its time on standard error, and after the steps of a "
      "call its container and whether that was warm."},
     OPTION_FLAG(struct server_command, verbose)},
    {OPTION_TEXT_HELP, OPTION_FLAG(struct server_command, help)},
    {{0, "--version", NULL, "print the version", NULL, "Print the version."},
     OPTION_FLAG(struct server_command, version)},
    {{0, "--man", NULL, "print the manual page", NULL,
      "Print this manual page, which is built in."},
     OPTION_FLAG(struct server_command, man)},
};

static const struct option_table table = {
    .command = "isolator-mcp",
    .usage = "usage: isolator-mcp [OPTIONS]\n"
             "       isolator-mcp --print-config HOST [--ssh DEST] [OPTIONS]\n"
             "       isolator-mcp --install HOST [--dry-run] [--ssh DEST] [OPTIONS]\n"
             "       isolator-mcp --version | --man\n"
             "\n"
             "Serves the tools execute_code, close_session and wait_job to an MCP host over\n"
             "stdin and stdout. They run untrusted code in fresh, locked-down containers.\n",
    .example = "isolator-mcp --print-config claude-code",
    .after = "Exit status: 0 connection closed or signal, 2 wrong command line or\n"
             "configuration, 3 the host's system refused a resource.\n"
             "See isolator-mcp(1).\n",
    OPTION_RULES(rules)};

/* "HOST: one, two, ..." in lines of at most 80 characters; owned by the caller. */
static char *host_lines(void)
{
    CLEANUP_FREE char *hosts = hosts_names();
    struct strbuf lines = STRBUF_INIT;
    size_t column = strlen("HOST:");

    strbuf_addstr(&lines, "HOST:");
    for (const char *at = hosts; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");

        if (column + 1 + length > 80) {
            strbuf_addstr(&lines, "\n     ");
            column = strlen("     ");
        }
        strbuf_addf(&lines, " %.*s", (int)length, at);
        column += 1 + length;
        at += length;
    }
    return strbuf_steal(&lines);
}

/* Names the hosts before the exit statuses. */
static int print_help(void)
{
    CLEANUP_FREE char *hosts = host_lines();
    CLEANUP_FREE char *after = string_format("%s\n\n%s", hosts, table.after);
    struct option_table with_hosts = table;
    CLEANUP_FREE char *help = NULL;

    with_hosts.after = after;
    help = options_help(&with_hosts);
    return console_print(help);
}

/* `isolator-mcp manual`, for the Makefile, which makes the manual pages. */
static int print_manual(void)
{
    CLEANUP_FREE char *manual = options_manual(&table);

    return console_print(manual);
}

/* Answers the completion of a shell (config/option_completion.h). */
static int complete(char *const *words)
{
    CLEANUP(option_completion_release)
    struct option_completion completion = OPTION_COMPLETION_INIT;

    option_completion_find(&completion, &table, words);
    if (completion.values == VALUES_HOSTS) {
        CLEANUP_FREE char *hosts = hosts_names();

        option_completion_add_list(&completion, hosts);
    }
    return console_print(strbuf_string(&completion.lines));
}

/* -1: ERROR_USAGE. */
static int parse(struct server_command *command, int argc, char **argv, struct error *error)
{
    CLEANUP(strvec_release) struct strvec operands = STRVEC_INIT;

    *command = (struct server_command){.config = NULL};
    if (options_parse(&table, argc, argv, command, &operands, NULL, error) != 0)
        return -1;
    if (command->help)
        return 0;
    if (operands.count > 0)
        return options_refuse_operand(&table, operands.items[0], error);
    if (command->ssh && !host_command_is_set(&command->host))
        return error_set(error, ERROR_USAGE, "--ssh needs --print-config or --install");
    return host_command_check(&command->host, error);
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

/* Warns if the snippets cannot be read. */
static void warn_of_snippets(const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (snippets_check(config, &error) != 0) {
        CLEANUP_FREE char *escaped = text_escape(error.message);

        diagnostics_line("warning: %s", escaped);
    }
}

static int serve(const struct server_command *options, const struct config *config,
                 struct error *error)
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

/* The path from the root, of a file that need not exist; owned. The server runs elsewhere. */
static char *absolute_path(const char *path)
{
    CLEANUP_FREE char *directory = *path == '/' ? NULL : realpath(".", NULL);

    return directory ? string_format("%s/%s", directory, path) : string_copy(path);
}

/* For the server of this machine, whose configuration is checked. */
static int run_host_command(const struct server_command *command, const struct config *config,
                            struct error *error)
{
    struct host_config_options options = {.inputs = command->inputs ? config->inputs_dir : NULL,
                                          .max_timeout =
                                              config->maximums.limits.number[LIMIT_TIMEOUT]};
    CLEANUP_FREE char *path = NULL;
    CLEANUP_FREE char *audit = command->audit ? absolute_path(command->audit) : NULL;

    options.audit = audit;
    if (config->file && config->origin != CONFIG_INSTALLED) {
        path = realpath(config->file, NULL);
        if (!path) {
            error_set_errno(error, ERROR_CONFIG, "cannot find the configuration '%s'",
                            config->file);
            return console_report(error);
        }
        options.config = path;
    }
    return host_command_run(&command->host, &options);
}

static int run_remote_host_command(const struct server_command *command)
{
    const struct host_config_options options = {.ssh = command->ssh,
                                                .config = command->config,
                                                .inputs = command->inputs,
                                                .audit = command->audit,
                                                .max_timeout = NAN};

    return host_command_run(&command->host, &options);
}

int main(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct server_command options;
    char **words = option_completion_words(argv);

    json_set_alloc_funcs(memory_allocate, free); /* ends the process if there is no memory */
    config_init(&config);
    signals_set_up();
    diagnostics_set_program("isolator-mcp");
    if (words)
        return complete(words);
    if (argc == 2 && strcmp(argv[1], "manual") == 0)
        return print_manual();
    if (parse(&options, argc, argv, &error) != 0)
        return console_report(&error);
    if (options.help)
        return print_help();
    if (options.version)
        return console_print("isolator-mcp " ISOLATOR_VERSION "\n");
    if (options.man)
        return console_print(manual_find("isolator-mcp"));
    if (options.ssh)
        return run_remote_host_command(&options);
    if (load_config(&config, options.config, &error) != 0 ||
        (options.inputs && set_inputs(&config, options.inputs, &error) != 0))
        return console_report(&error);
    config_set_audit_file(&config, options.audit);
    if (host_command_is_set(&options.host))
        return run_host_command(&options, &config, &error);
    return serve(&options, &config, &error) == 0 ? EXIT_SUCCESS : console_report(&error);
}
