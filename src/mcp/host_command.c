#include "mcp/host_command.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/text.h"
#include "mcp/console.h"
#include "mcp/host_install.h"

bool host_command_is_set(const struct host_command *command)
{
    return command->print || command->install;
}

int host_command_check(const struct host_command *command, struct error *error)
{
    if (command->print && command->install)
        return error_set(error, ERROR_USAGE,
                         "--print-config and --install cannot be used together");
    if (command->dry_run && !command->install)
        return error_set(error, ERROR_USAGE, "--dry-run needs --install");
    return 0;
}

static void warn_of_timeout(const struct host *host, const char *ssh,
                            const struct host_config *made)
{
    if (made->ends > 0)
        diagnostics_line("warning: %s may end a call after %d s; set \"maximums\": "
                         "{\"timeoutSeconds\": %d} in the configuration%s",
                         host->name, made->ends, made->fits, ssh ? " there" : "");
}

static void say_note(const struct host *host)
{
    if (host->note)
        diagnostics_line("%s: %s", host->name, host->note);
}

/* Prints the entry, and on stderr what helps to add it, so that stdout is the entry alone. */
static int print_entry(const struct host *host, const char *ssh, const struct host_config *made)
{
    CLEANUP_FREE char *place = host_place(host);

    diagnostics_line("add this entry to %s", place);
    if (made->command) {
        CLEANUP_FREE char *escaped = text_escape(made->command);

        diagnostics_line("or run: %s", escaped);
    }
    say_note(host);
    warn_of_timeout(host, ssh, made);
    return console_print(made->entry);
}

static void say_what_was_done(const struct host *host, const struct host_install *install)
{
    CLEANUP_FREE char *path = text_escape(install->path);
    CLEANUP_FREE char *backup = install->backup ? text_escape(install->backup) : NULL;

    if (install->after.length == 0)
        diagnostics_line("'%s' is up to date", path);
    else if (backup)
        diagnostics_line("added to '%s'; the former file is '%s'; restart %s", path, backup,
                         host->name);
    else
        diagnostics_line("added to the new file '%s'; restart %s", path, host->name);
    if (install->after.length > 0)
        say_note(host);
}

static int install_entry(const struct host *host, const struct host_command *command,
                         const char *ssh, const struct host_config *made)
{
    CLEANUP(host_install_release) struct host_install install = HOST_INSTALL_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *difference = NULL;

    if (host_install_prepare(&install, host, made, &error) != 0 ||
        (!command->dry_run && host_install_write(&install, &error) != 0)) {
        const int status = console_report(&error);

        print_entry(host, ssh, made);
        return status;
    }
    if (!command->dry_run || install.after.length == 0)
        say_what_was_done(host, &install);
    warn_of_timeout(host, ssh, made);
    if (command->dry_run)
        difference = host_install_difference(&install);
    return difference ? console_print(difference) : EXIT_SUCCESS;
}

int host_command_run(const struct host_command *command, const struct host_config_options *options)
{
    CLEANUP(host_config_release) struct host_config made = HOST_CONFIG_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct host *host = command->install
                                  ? hosts_find(command->install, "--install", &error)
                                  : hosts_find(command->print, "--print-config", &error);

    if (!host || host_config_make(host, options, &made, &error) != 0)
        return console_report(&error);
    return command->install ? install_entry(host, command, options->ssh, &made)
                            : print_entry(host, options->ssh, &made);
}
