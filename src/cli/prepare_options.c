#include "cli/prepare_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "config/prepare_rules.h"
#include "docker/image.h"

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

static int take_path(struct strvec *files, const char *path, bool directory, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FREE char *absolute = absolute_path(path);
    struct stat status;

    if (!absolute || stat(absolute, &status) != 0)
        return error_set_errno(error, ERROR_USAGE, "cannot open '%s'", shown);
    if (!directory && S_ISDIR(status.st_mode))
        return error_set(error, ERROR_USAGE, "'%s' is a directory; use --dir", shown);
    if (directory && !S_ISDIR(status.st_mode))
        return error_set(error, ERROR_USAGE, "'%s' is not a directory; use --file", shown);
    strvec_push(files, absolute);
    return prepare_check_files(files, error);
}

static int take_file(void *files, const char *value, struct error *error)
{
    return take_path(files, value, false, error);
}

static int take_directory(void *files, const char *value, struct error *error)
{
    return take_path(files, value, true, error);
}

static int take_step(void *steps, const char *value, struct error *error)
{
    strvec_push(steps, value);
    return prepare_check_steps(steps, error);
}

/* Both are kept, so that the check can refuse them together. */
static int take_network(void *network, const char *value, struct error *error)
{
    return prepare_network_set_name(network, value, error);
}

static int take_allow_host(void *network, const char *value, struct error *error)
{
    return prepare_network_allow_host(network, value, error);
}

static int take_tag(void *tag, const char *value, struct error *error)
{
    *(const char **)tag = value;
    return image_check_tag(value, error);
}

static const struct option_rule prepare_rules[] = {
    {{0, "--run", "STEP", "shell command, replaces saved ones; repeatable", NULL,
      "Run this step; can be given up to 64 times, with 32768 bytes together. The steps replace "
      "those that were saved. A language that has steps in the configuration is refused."},
     OPTION_CALL(struct prepare_options, steps, take_step)},
    {{0, "--file", "FILE", "file where the steps start; repeatable", NULL,
      "Copy this file to where the steps start; can be given several times. Needs --run. The path "
      "is saved with the steps."},
     OPTION_CALL(struct prepare_options, files, take_file)},
    {{0, "--dir", "DIR", "the same for a directory; repeatable", NULL,
      "The same for a directory with everything in it. There can be up to 64 files and "
      "directories, and no two with the same last name."},
     OPTION_CALL(struct prepare_options, files, take_directory)},
    {{0, "--network", "NAME", "network of the steps (none)", NULL,
      "The network of the steps: *none*, *bridge* or a network of the engine. It does not affect "
      "the name of the image. The default is that of the configuration or of the saved steps, or "
      "else none."},
     OPTION_CALL(struct prepare_options, network, take_network),
     .values = VALUES_NETWORKS},
    {COMMAND_TEXT_ALLOW_HOST("the steps", "It excludes --network. The hosts do not affect the name "
                                          "of the image; they are saved with the steps."),
     OPTION_CALL(struct prepare_options, network, take_allow_host)},
    {{0, "--tag", "TAG", "give the image this tag too", NULL,
      "Give the image this tag too. The tag remains when the image is replaced or removed by "
      "isolator."},
     OPTION_CALL(struct prepare_options, tag, take_tag)},
    {{0, "--list", NULL, "list the prepared languages", NULL,
      "Print a table with a line for each language that has steps: its name, its state (*ready*, "
      "*outdated* or *missing*), its tag, its base image, the size and the time of the prepared "
      "image, and the steps."},
     OPTION_FLAG(struct prepare_options, list)},
    {{0, "--all", NULL, "list all prepared images of the engine", NULL,
      "With --list: print a line for each prepared image of the engine instead, also for images "
      "of other configurations and users. The column *CONFIGURATION* is the file that names the "
      "image, or else the one that it was made for, or *-* for the built-in configuration. The "
      "states are\n"
      ".Bl -tag -width foreign -compact\n"
      ".It Cm used\n"
      "a configuration names it, or a configuration that cannot be read may name it\n"
      ".It Cm unused\n"
      "no configuration names it any more\n"
      ".It Cm busy\n"
      "the same, but there are containers of it\n"
      ".It Cm foreign\n"
      "no configuration of this user names it, and another user or host has made it, or it is "
      "not known who has\n"
      ".El"},
     OPTION_FLAG(struct prepare_options, all)},
    {{0, "--unused", NULL, "only images that no configuration names", NULL,
      "With --list: print the same lines, but only for images that are unused or busy. With "
      "--remove: print them, and then remove the images that are unused, with all tags that begin "
      "with 'isolator-prepared', and what was saved for configuration files that do not exist any "
      "more."},
     OPTION_FLAG(struct prepare_options, unused)},
    {{0, "--remove", NULL, "remove the prepared images and the saved steps", NULL,
      "Remove the prepared images and the saved steps. The image stays if another configuration of "
      "this user is prepared with it. Tags of --tag remain."},
     OPTION_FLAG(struct prepare_options, remove)},
    {{0, "--preload", NULL, "try the modules of \"preload\"", NULL,
      "Prepare nothing, but import the modules of *preload* of the configuration in a new "
      "container "
      "and in a warm one, and print how long a program takes that imports them, in both, and how "
      "much memory the warm container has. If a module cannot be imported, the exit status is 1. "
      "Without a language, all that have *preload* are tried."},
     OPTION_FLAG(struct prepare_options, preload)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

const struct option_table prepare_table = {
    .command = "isolator prepare",
    .usage = "usage: isolator prepare [--run STEP]... [--file FILE]... [--dir DIR]...\n"
             "                        [--network NAME | --allow-host HOST[:PORT]...]\n"
             "                        [--tag TAG] [--config FILE] [LANGUAGE...]\n"
             "       isolator prepare --list [--all | --unused] [--config FILE] [LANGUAGE...]\n"
             "       isolator prepare --remove [--unused] [--config FILE] [LANGUAGE...]\n"
             "       isolator prepare --preload [--config FILE] [LANGUAGE...]\n"
             "\n"
             "Runs the steps of a language in its image, and saves that for its programs.\n",
    .example = "isolator prepare python --network bridge --run 'pip install numpy'",
    .after = "Exit status: 0 success, 1 a step or import failed, 2 usage or configuration,\n"
             "3 engine or image failed, 128+N signal N. See isolator-prepare(1).\n",
    .operands = VALUES_LANGUAGES,
    OPTION_RULES(prepare_rules)};

int prepare_options_check(const struct prepare_options *options, char *const *operands,
                          struct error *error)
{
    const bool prepares = options->steps.count > 0 || options->files.count > 0 ||
                          prepare_network_is_given(&options->network) || options->tag;

    if (options->list && options->remove)
        return error_set(error, ERROR_USAGE, "--list and --remove cannot be used together");
    if ((options->list || options->remove || options->preload) &&
        (prepares || (options->preload && (options->list || options->remove))))
        return error_set(error, ERROR_USAGE, "--%s cannot be used with other options",
                         options->preload ? "preload"
                         : options->list  ? "list"
                                          : "remove");
    if (options->all && !options->list)
        return error_set(error, ERROR_USAGE, "--all needs --list");
    if (options->unused && !options->list && !options->remove)
        return error_set(error, ERROR_USAGE, "--unused needs --list or --remove");
    if (options->all && options->unused)
        return error_set(error, ERROR_USAGE, "--all and --unused cannot be used together");
    if (options->files.count > 0 && options->steps.count == 0)
        return error_set(error, ERROR_USAGE, "--file and --dir need --run");
    if (options->network.name && options->network.hosts.count > 0)
        return error_set(error, ERROR_USAGE,
                         "--allow-host and --network cannot be used together; only a container "
                         "without a network has the proxy");
    if (options->steps.count > 0 && !operands[0])
        return error_set(error, ERROR_USAGE, "--run needs a LANGUAGE");
    if (options->tag && (!operands[0] || operands[1]))
        return error_set(error, ERROR_USAGE, "--tag needs one LANGUAGE");
    return 0;
}
