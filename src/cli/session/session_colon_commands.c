#include "cli/session/session_colon_commands.h"

#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/session/session_output.h"

static const char commands_help[] =
    ":files         list the files of the working directory\n"
    ":put FILE      copy a file of this host, or those of a pattern, into the working directory\n"
    ":get FILE      copy a file, or those of a pattern like '*.png', out of it\n"
    ":reset         begin a new session, in a new container\n"
    ":quit          end the session, as Ctrl-D and exit do\n"
    "An empty line ends a block that begins with a colon. Ctrl-C interrupts a cell, and Tab\n"
    "completes names of variables and, in quotes, of files.\n";

/* Runs an empty cell for the sake of its files. False: it has failed, and a line says why. */
static bool exchange(struct session_runner *runner, const struct session_cell *cell,
                     struct result *result)
{
    const struct run_observer none = RUN_OBSERVER_INIT;

    if (!session_shell_keeps_state(&runner->shell)) {
        diagnostics_line("%s has no interpreter that stays; exchange files with --artifacts, or "
                         "use python or javascript",
                         runner->shell.language);
        return false;
    }
    runner->cells++; /* the interpreter counts it, and names cells by their number */
    session_shell_run(&runner->shell, cell, &none, result);
    session_runner_end_cell(runner, result);
    if (!result_success(result))
        session_output_result(result, "");
    return result_success(result);
}

static void list_files(struct session_runner *runner)
{
    const struct session_cell cell = {.code = "", .wanted = "**"};
    CLEANUP(result_release) struct result result = RESULT_INIT;

    if (!exchange(runner, &cell, &result))
        return;
    for (size_t i = 0; i < result.artifacts.count; i++)
        print_format("%10zu  %s\n", result.artifacts.items[i].length,
                     result.artifacts.items[i].name);
    for (size_t i = 0; i < result.artifacts.missing.count; i++)
        print_format("            %s\n", result.artifacts.missing.items[i]);
}

static void say_copied(const char *name)
{
    CLEANUP_FREE char *escaped = text_escape(name);

    print_format("copied %s\n", escaped);
}

/* The file of this name; if there is none, the regular files that match it as a pattern. */
static void find_files(const char *pattern, struct strvec *files)
{
    struct stat status;
    glob_t found;

    if (lstat(pattern, &status) != 0 && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (stat(found.gl_pathv[i], &status) == 0 && S_ISREG(status.st_mode))
                strvec_push(files, found.gl_pathv[i]);
        globfree(&found);
    }
    if (files->count == 0)
        strvec_push(files, pattern); /* which is then named as missing */
}

static void put_files(struct session_runner *runner, const char *pattern)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    const struct session_cell cell = {.code = "", .files = &files};
    CLEANUP(result_release) struct result result = RESULT_INIT;

    find_files(pattern, &files);
    if (!exchange(runner, &cell, &result))
        return;
    for (size_t i = 0; i < files.count; i++)
        say_copied(files.items[i]);
}

static void get_files(struct session_runner *runner, const char *pattern)
{
    const struct session_cell cell = {.code = "", .wanted = pattern};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FD int here = runner->artifacts >= 0 ? -1 : artifact_files_open(".", &error);
    const int directory = here >= 0 ? here : runner->artifacts;

    if (directory < 0) {
        exit_status_report(&error);
        return;
    }
    if (!exchange(runner, &cell, &result))
        return;
    if (result.artifacts.count == 0)
        diagnostics_line("no such file in the working directory");
    /* Cells replace the files of --artifacts too; those that happen to be here are kept. */
    artifact_files_write(directory, NULL, here < 0, "rename or remove it first", &result);
    for (size_t i = 0; i < result.artifacts.count; i++)
        if (result.artifacts.items[i].saved)
            say_copied(result.artifacts.items[i].name);
    session_output_result(&result, "");
}

static void reset(struct session_runner *runner)
{
    session_shell_reset(&runner->shell);
    runner->cells = 0;
}

bool session_colon_command(struct session_runner *runner, char *line)
{
    char *argument = line + strcspn(line, " \t\n");
    size_t length;

    if (*argument)
        *argument++ = '\0';
    argument += strspn(argument, " \t");
    length = strlen(argument);
    while (length > 0 && strchr(" \t\n", argument[length - 1]))
        argument[--length] = '\0';
    if (strcmp(line, ":quit") == 0)
        return false;
    if (strcmp(line, ":files") == 0)
        list_files(runner);
    else if (strcmp(line, ":put") == 0 && *argument)
        put_files(runner, argument);
    else if (strcmp(line, ":get") == 0 && *argument)
        get_files(runner, argument);
    else if (strcmp(line, ":reset") == 0)
        reset(runner);
    else
        print_text(commands_help);
    return true;
}
