#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/command.h"
#include "cli/workspaces/remote_path.h"

struct cp_options {
    struct common_options common;
    bool force;
    int directory; /* of this host, for what is copied out; owned */
};

static const struct option_rule cp_rules[] = {
    {{'f', "--force", NULL, "replace files of this host", NULL,
      "Replace files in DIR. Without it they stay, and are named. In the workspace files are "
      "always replaced."},
     OPTION_FLAG(struct cp_options, force)},
    COMMAND_OPTION_AUDIT,
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table cp_table = {
    .command = "isolator cp",
    .usage = "usage: isolator cp [--audit FILE] [--config FILE] FILE... NAME:[PATH]\n"
             "       isolator cp [-f] [--audit FILE] [--config FILE] NAME:PATH... DIR\n"
             "\n"
             "Copies files and directories into a workspace, or out of it to a directory of\n"
             "this host. DIR/. stands for what is in a directory.\n",
    .example = "isolator cp w1:report.pdf .",
    .after = "Exit status: 0 copied, 1 not all of it, 2 wrong command line or input, 3 the\n"
             "engine failed, 128+N signal N. See isolator-cp(1).\n",
    .operands = VALUES_FILES,
    OPTION_RULES(cp_rules)};

/* The operand before NULL. */
static size_t last_of(char *const *operands)
{
    size_t count = 0;

    while (operands[count + 1])
        count++;
    return count;
}

/* ---- into the workspace */

static int check_local(char *const *operands, size_t count, struct request *request,
                       struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (remote_path_of(operands[i]))
            return error_set(error, ERROR_USAGE,
                             "files of a workspace are copied to this host, and then to another "
                             "one");
        if (strcmp(text_file_name(operands[i]), ".") == 0)
            strvec_push(&request->paths, operands[i]);
        else if (request_add_path(request, operands[i], error) != 0)
            return -1;
    }
    return 0;
}

static bool put(void *context, const struct workspace_files *files, char *const *operands,
                struct result *result)
{
    const struct request *request = context;

    return workspace_files_put(files, &request->paths, remote_path_of(operands[last_of(operands)]),
                               result);
}

static int copy_in(char *const *operands, const struct config *config, struct error *error)
{
    CLEANUP(request_release) struct request request; /* for its paths */
    const size_t last = last_of(operands);

    request_init(&request);
    if (check_local(operands, last, &request, error) != 0)
        return -1;
    return remote_path_visit(operands[last], config, put, &request, operands, error);
}

/* ---- out of it */

static bool get(void *context, const struct workspace_files *files, char *const *operands,
                struct result *result)
{
    const struct cp_options *options = context;
    const size_t last = last_of(operands);
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;

    for (size_t i = 0; i < last; i++)
        strvec_push(&paths, remote_path_of(operands[i]));
    if (!workspace_files_get(files, &paths, result))
        return false;
    artifact_files_write(options->directory, NULL, options->force, ARTIFACT_FILES_FORCE, result);
    return true;
}

/* All files are of the same workspace. */
static int check_remote(char *const *operands, size_t count, struct error *error)
{
    const size_t length = strcspn(operands[0], ":") + 1;

    for (size_t i = 0; i < count; i++)
        if (!remote_path_of(operands[i]) || strncmp(operands[i], operands[0], length) != 0)
            return error_set(error, ERROR_USAGE,
                             "all files but the last word must be of one workspace, as in: "
                             "isolator cp w1:a w1:b DIR");
    return 0;
}

static int copy_out(struct cp_options *options, char *const *operands, const struct config *config,
                    struct error *error)
{
    const size_t last = last_of(operands);
    int status;

    if (check_remote(operands, last, error) != 0)
        return -1;
    options->directory = artifact_files_open(operands[last], error);
    if (options->directory < 0)
        return -1;
    status = remote_path_visit(operands[0], config, get, options, operands, error);
    close(options->directory);
    return status;
}

static int run_cp_command(void *context, char **operands, const struct config *config,
                          struct error *error)
{
    struct cp_options *options = context;

    if (!operands[0] || !operands[1])
        return error_set(error, ERROR_USAGE,
                         "two words are needed, as in: isolator cp FILE w1: or isolator cp "
                         "w1:FILE DIR");
    if (remote_path_of(operands[last_of(operands)]))
        return options->force ? error_set(error, ERROR_USAGE,
                                          "--force is for files of this host; in a workspace they "
                                          "are replaced")
                              : copy_in(operands, config, error);
    if (!remote_path_of(operands[0]))
        return error_set(error, ERROR_USAGE, "none of these is of a workspace, as w1:FILE is");
    return copy_out(options, operands, config, error);
}

const struct command_line cp_command = {.options_size = sizeof(struct cp_options),
                                        .options = &cp_table,
                                        .operands_max = COMMAND_ANY_OPERANDS,
                                        .run = run_cp_command,
                                        .output = "list"};
