#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/safe_json.h"
#include "cli/table.h"
#include "cli/workspaces/remote_path.h"
#include "service/workspace_files.h"

struct ls_options {
    struct common_options common;
    bool json, details;
};

static const struct option_rule ls_rules[] = {
    {{'l', "--long", NULL, "print details too", NULL,
      "Print a table with the permissions, the bytes, and the time of modification (UTC) of each."},
     OPTION_FLAG(struct ls_options, details)},
    {{0, "--json", NULL, "print a JSON object for each", NULL,
      "Print a line for each with a JSON object, whose members are *name* (invalid UTF-8 is "
      "replaced), *type* (file, directory, link or other), *mode* (in octal digits), *bytes* and "
      "*modifiedAt* (in seconds since 1970)."},
     OPTION_FLAG(struct ls_options, json)},
    COMMAND_OPTION_AUDIT,
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table ls_table = {
    .command = "isolator ls",
    .usage = "usage: isolator ls [-l | --json] [--audit FILE] [--config FILE] NAME[:PATH]\n"
             "\n"
             "Lists what is in a directory of a workspace, by default its working directory,\n"
             "or a file. Directories have a slash at their end.\n",
    .example = "isolator ls w1:src",
    .after = "Exit status: 0 listed, 2 no such workspace or file, 3 the engine failed, 128+N\n"
             "signal N. See isolator-ls(1).\n",
    .operands = VALUES_JOBS,
    OPTION_RULES(ls_rules)};

static const char *const type_names[] = {[ENTRY_FILE] = "file",
                                         [ENTRY_DIRECTORY] = "directory",
                                         [ENTRY_LINK] = "link",
                                         [ENTRY_OTHER] = "other"};

static void print_json(const struct workspace_entry *entry)
{
    CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
    char mode[8];
    json_t *object;

    text_add_utf8(&name, entry->name, strlen(entry->name));
    snprintf(mode, sizeof mode, "%04o", entry->mode);
    object = json_pack("{s:s, s:s, s:s, s:I, s:I}", "name", strbuf_string(&name), "type",
                       type_names[entry->type], "mode", mode, "bytes", (json_int_t)entry->bytes,
                       "modifiedAt", (json_int_t)entry->modified);
    safe_json_print(object, false);
    json_decref(object);
}

static char *shown_name(const struct workspace_entry *entry)
{
    CLEANUP_FREE char *name = text_escape(entry->name);

    return string_format("%s%s", name, entry->type == ENTRY_DIRECTORY ? "/" : "");
}

static void add_row(struct strvec *cells, const struct workspace_entry *entry)
{
    const time_t modified = (time_t)entry->modified;
    char when[sizeof "2026-11-30 12:00:00"] = "-";
    struct tm tm;

    if (gmtime_r(&modified, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    strvec_pushf(cells, "%04o", entry->mode);
    strvec_pushf(cells, "%llu", entry->bytes);
    strvec_push(cells, when);
    strvec_push_owned(cells, shown_name(entry));
}

static void print_list(const struct ls_options *options, const struct workspace_list *list)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "MODE", "BYTES", "MODIFIED", "NAME", NULL);
    for (size_t i = 0; i < list->count && print_failure() == 0; i++) {
        CLEANUP_FREE char *name = shown_name(&list->items[i]);

        if (options->json)
            print_json(&list->items[i]);
        else if (options->details)
            add_row(&cells, &list->items[i]);
        else
            print_format("%s\n", name);
    }
    if (options->details && !options->json)
        table_print(&cells, 4);
}

static bool list(void *context, const struct workspace_files *files, char *const *operands,
                 struct result *result)
{
    CLEANUP(workspace_list_release) struct workspace_list all = WORKSPACE_LIST_INIT;
    const char *path = remote_path_of(operands[0]);

    if (!workspace_files_list(files, path ? path : ".", &all, result))
        return false;
    print_list(context, &all);
    return true;
}

static int run_ls_command(void *context, char **operands, const struct config *config,
                          struct error *error)
{
    if (!operands[0])
        return error_set(error, ERROR_USAGE, "no workspace is named; isolator ps lists them");
    return remote_path_visit(operands[0], config, list, context, operands, error);
}

const struct command_line ls_command = {.options_size = sizeof(struct ls_options),
                                        .options = &ls_table,
                                        .operands_max = 1,
                                        .run = run_ls_command,
                                        .output = "list"};
