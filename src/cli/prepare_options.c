#include "cli/prepare_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "config/prepare_rules.h"
#include "docker/image.h"

const char prepare_options_help[] =
    "usage: isolator prepare [--run STEP]... [--file FILE]... [--dir DIR]...\n"
    "                        [--network NAME] [--tag TAG] [--config FILE]\n"
    "                        [LANGUAGE...]\n"
    "       isolator prepare --list [--all | --unused] [--config FILE] [LANGUAGE...]\n"
    "       isolator prepare --remove [--unused] [--config FILE] [LANGUAGE...]\n"
    "\n"
    "Runs the steps of a language, for example 'pip install numpy', in a container of\n"
    "its image, and saves the result as the image that its programs then run in,\n"
    "without a network. Without LANGUAGE: all languages that have steps.\n"
    "\n"
    "      --run STEP      a shell command, in place of the saved ones; repeatable\n"
    "      --file FILE     the steps find this file where they start; repeatable\n"
    "      --dir DIR       the same for a directory; repeatable\n"
    "      --network NAME  network of the steps (none)\n"
    "      --tag TAG       give the image this tag too\n"
    "      --list          list the prepared languages\n"
    "      --all           list all prepared images of the engine\n"
    "      --unused        list or remove images that no configuration names\n"
    "      --remove        remove the prepared images and the saved steps\n"
    "      --config FILE   configuration file\n"
    "  -h, --help          print this summary\n"
    "\n"
    "Exit status: 0 success, 1 a step failed, 2 wrong command line or configuration,\n"
    "3 engine or image failed, 128+N signal N. See isolator-prepare(1).\n";

enum {
    OPTION_RUN = COMMAND_OPTION,
    OPTION_NETWORK,
    OPTION_TAG,
    OPTION_LIST,
    OPTION_REMOVE,
    OPTION_FILE,
    OPTION_DIR,
    OPTION_ALL,
    OPTION_UNUSED,
};

const struct option prepare_known_options[] = {
    {"run", required_argument, NULL, OPTION_RUN},
    {"network", required_argument, NULL, OPTION_NETWORK},
    {"tag", required_argument, NULL, OPTION_TAG},
    {"list", no_argument, NULL, OPTION_LIST},
    {"remove", no_argument, NULL, OPTION_REMOVE},
    {"file", required_argument, NULL, OPTION_FILE},
    {"dir", required_argument, NULL, OPTION_DIR},
    {"all", no_argument, NULL, OPTION_ALL},
    {"unused", no_argument, NULL, OPTION_UNUSED},
    COMMAND_OPTIONS_COMMON,
};

/*
 * Returns the absolute path, owned. The last name stays, also if it is a link, since the steps find
 * the file under it; "." has none, so its directory is resolved. NULL with errno.
 */
static char *absolute_path(const char *path)
{
    CLEANUP_FREE char *copy = string_copy(path);
    CLEANUP_FREE char *parent = NULL;
    char *name;

    for (size_t end = strlen(copy); end > 1 && copy[end - 1] == '/'; end--)
        copy[end - 1] = '\0';
    name = strrchr(copy, '/');
    name = name ? name + 1 : copy;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return realpath(path, NULL);
    if (name - copy > 1)
        name[-1] = '\0';
    parent = realpath(name == copy ? "." : name - copy == 1 ? "/" : copy, NULL);
    if (!parent)
        return NULL;
    return string_format("%s/%s", strcmp(parent, "/") == 0 ? "" : parent, name);
}

/* Takes the value of --file or --dir. */
static int take_file(struct prepare_options *options, const char *path, bool directory,
                     struct error *error)
{
    const char *option = directory ? "--dir" : "--file";
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FREE char *absolute = absolute_path(path);
    struct stat status;

    if (!absolute || stat(absolute, &status) != 0)
        return error_set_errno(error, ERROR_USAGE, "%s: cannot open '%s'", option, shown);
    if (!directory && S_ISDIR(status.st_mode))
        return error_set(error, ERROR_USAGE, "--file: '%s' is a directory; use --dir", shown);
    if (directory && !S_ISDIR(status.st_mode))
        return error_set(error, ERROR_USAGE, "--dir: '%s' is not a directory; use --file", shown);
    strvec_push(&options->files, absolute);
    return prepare_check_files(&options->files, error) == 0 ? 0 : error_prefix(error, "%s", option);
}

int prepare_options_take(void *context, int option, char *value, struct error *error)
{
    struct prepare_options *options = context;

    switch (option) {
    case OPTION_RUN:
        strvec_push(&options->steps, value);
        return prepare_check_steps(&options->steps, error) == 0 ? 0 : error_prefix(error, "--run");
    case OPTION_NETWORK:
        options->network = value;
        return prepare_check_network(value, error) == 0 ? 0 : error_prefix(error, "--network");
    case OPTION_TAG:
        options->tag = value;
        return image_check_tag(value, error) == 0 ? 0 : error_prefix(error, "--tag");
    case OPTION_FILE:
    case OPTION_DIR:
        return take_file(options, value, option == OPTION_DIR, error);
    case OPTION_LIST:
        options->list = true;
        return 0;
    case OPTION_ALL:
        options->all = true;
        return 0;
    case OPTION_UNUSED:
        options->unused = true;
        return 0;
    default:
        options->remove = true;
        return 0;
    }
}

int prepare_options_check(const struct prepare_options *options, char *const *operands,
                          struct error *error)
{
    const bool prepares =
        options->steps.count > 0 || options->files.count > 0 || options->network || options->tag;

    if (options->list && options->remove)
        return error_set(error, ERROR_USAGE, "--list and --remove cannot be used together");
    if ((options->list || options->remove) && prepares)
        return error_set(error, ERROR_USAGE, "--%s cannot be used with other options",
                         options->list ? "list" : "remove");
    if (options->all && !options->list)
        return error_set(error, ERROR_USAGE, "--all needs --list");
    if (options->unused && !options->list && !options->remove)
        return error_set(error, ERROR_USAGE, "--unused needs --list or --remove");
    if (options->all && options->unused)
        return error_set(error, ERROR_USAGE, "--all and --unused cannot be used together");
    if (options->files.count > 0 && options->steps.count == 0)
        return error_set(error, ERROR_USAGE, "--file and --dir need --run");
    if (options->steps.count > 0 && !operands[0])
        return error_set(error, ERROR_USAGE, "--run needs a LANGUAGE");
    if (options->tag && (!operands[0] || operands[1]))
        return error_set(error, ERROR_USAGE, "--tag needs one LANGUAGE");
    return 0;
}
