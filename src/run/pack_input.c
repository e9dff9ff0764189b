#include "run/pack_input.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/constants.h"
#include "base/text.h"
#include "config/input_files.h"
#include "run/cell.h"
#include "run/pack_tree.h"

/*
 * Sets the error: why there is no entrypoint. It may not be a link, since links are not followed.
 */
static int refuse_entrypoint(const struct plan *plan, int root, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(plan->entrypoint);
    struct stat status;

    if (fstatat(root, plan->entrypoint, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        error_set_errno(error, ERROR_INPUT, "cannot find the entrypoint '%s'", shown);
        if (plan->source_name)
            return -1;
        error_hint(error,
                   "it is the language's default file; name another one with " ERROR_SUBJECT);
        return error_about(error, REQUEST_ENTRYPOINT);
    }
    return error_set(error, ERROR_INPUT,
                     "the entrypoint '%s' is not a regular file of the directory", shown);
}

static int add_directory(struct pack_tree *tree, const struct plan *plan, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(plan->input.dir);
    CLEANUP_FD int root = open(plan->input.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (root < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", shown);
    if (pack_tree_contents(tree, root, error) != 0)
        return -1;
    if (tree->wanted_left_out) {
        CLEANUP_FREE char *entrypoint = text_escape(plan->entrypoint);

        return error_set(error, ERROR_INPUT, "the entrypoint '%s' is left out by " IGNORE_FILE,
                         entrypoint);
    }
    return tree->wanted_found ? 0 : refuse_entrypoint(plan, root, error);
}

static int add_bytes(struct pack_tree *tree, const char *name, const char *data, size_t length,
                     struct error *error)
{
    return pack_tree_has_room(tree, name, (long long)length)
               ? archive_add_bytes(tree->archive, name, data, length, error)
               : 0;
}

static int add_code(struct pack_tree *tree, const struct plan *plan, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf code = STRBUF_INIT;

    constants_replace(&plan->constants, plan->input.code, plan->input.code_length, &code);
    return add_bytes(tree, plan->entrypoint, strbuf_string(&code), code.length, error);
}

/* Adds a file that the request names instead of sending its content. */
static int add_range(struct pack_tree *tree, const char *name, const struct file_range *range,
                     struct error *error)
{
    return pack_tree_has_room(tree, name, range->length)
               ? archive_add_range(tree->archive, name, range, error)
               : 0;
}

static int add_input_file(struct pack_tree *tree, const struct input_file *file,
                          struct error *error)
{
    return file->range.file ? add_range(tree, file->path, &file->range, error)
                            : add_bytes(tree, file->path, file->data, file->length, error);
}

static int add_files(struct pack_tree *tree, const struct input_files *files, struct error *error)
{
    if (files->count > PACK_TREE_ENTRIES_MAX)
        return error_set(error, ERROR_INPUT, "there are more than %d files", PACK_TREE_ENTRIES_MAX);
    for (size_t i = 0; i < files->count; i++)
        if (pack_tree_check_cancelled(tree, error) != 0 ||
            add_input_file(tree, &files->items[i], error) != 0)
            return -1;
    return 0;
}

/* Fails if the program has a file or directory of this name too. */
static int check_name(const struct plan *plan, const char *name, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(name);
    CLEANUP_FD int root =
        plan->input.dir ? open(plan->input.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct stat status;

    if (root >= 0 && fstatat(root, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        return error_set(error, ERROR_INPUT, "'%s' is in the directory of the program too", shown);
    if (!plan->input.dir && plan_kind(plan) != PLAN_CELL && !plan->no_program &&
        strcmp(name, plan->entrypoint) == 0)
        return error_set(error, ERROR_INPUT, "'%s' is the name of the program too", shown);
    return 0;
}

/* Adds a file or a directory of this host. */
static int add_path(struct pack_tree *tree, const struct plan *plan, const char *path,
                    struct error *error)
{
    const char *name = text_file_name(path);
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FD int directory = -1;

    if (strcmp(name, ".") != 0)
        return check_name(plan, name, error) != 0 ? -1 : pack_tree_named(tree, path, name, error);
    directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", shown);
    return pack_tree_contents(tree, directory, error);
}

static int add_paths(struct pack_tree *tree, const struct plan *plan, struct error *error)
{
    for (size_t i = 0; i < plan->paths.count; i++)
        if (add_path(tree, plan, plan->paths.items[i], error) != 0)
            return -1;
    return 0;
}

static int add_single_file(struct pack_tree *tree, int fd, const char *name, struct error *error)
{
    CLEANUP_FD int replaced = -1;
    struct stat status, size;

    if (fstat(fd, &status) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read '%s'", name);
    replaced = pack_tree_replace(tree, fd);
    if (replaced >= 0 && fstat(replaced, &size) == 0)
        status.st_size = size.st_size;
    if (!pack_tree_has_room(tree, name, status.st_size))
        return 0;
    return archive_add_file(tree->archive, name, replaced >= 0 ? replaced : fd, status.st_size,
                            (status.st_mode & 0111) != 0, status.st_mtime, error);
}

static int check_size(const struct pack_tree *tree, const struct plan *plan, struct error *error)
{
    CLEANUP_FREE char *room = string_format("%ld MB of the working directory",
                                            (long)plan->policy.limits.number[LIMIT_WORKDIR]);

    if (pack_tree_check_size(tree, room, error) == 0)
        return 0;
    error_hint(error, "raise " ERROR_SUBJECT);
    return error_about(error, limit_rules[LIMIT_WORKDIR].key.name);
}

/* Adds what calls a function, if one is called: it replaces a file of that name. */
static int add_driver(struct archive *archive, const struct plan *plan, struct error *error)
{
    const struct call_driver *driver = function_call_driver(&plan->call, &plan->source_extensions);

    return driver ? archive_add_bytes(archive, driver->name, driver->text(), strlen(driver->text()),
                                      error)
                  : 0;
}

int pack_input(const struct plan *plan, struct archive *archive, struct strvec *warnings,
               const struct notifier *cancel, struct error *error)
{
    const struct input *input = &plan->input;
    CLEANUP(pack_tree_release)
    struct pack_tree tree = {
        .archive = archive,
        .warnings = warnings,
        .cancel = cancel,
        .max_bytes = limits_bytes(&plan->policy.limits, LIMIT_WORKDIR),
        .wanted = plan->entrypoint,
        .constants = &plan->constants,
        .links_below = plan->links_below,
    };
    int result;

    if (plan_kind(plan) == PLAN_CELL || plan->no_program)
        result = 0; /* there is no file of it */
    else if (input->dir)
        result = add_directory(&tree, plan, error);
    else if (input->code)
        result = add_code(&tree, plan, error);
    else
        result = add_single_file(&tree, input->file, plan->entrypoint, error);
    if (result == 0)
        result = add_files(&tree, &input->files, error);
    if (result == 0)
        result = add_paths(&tree, plan, error);
    if (result == 0)
        result = check_size(&tree, plan, error);
    if (result == 0)
        result = add_driver(archive, plan, error);
    pack_tree_count_omitted(&tree);
    return result == 0 ? archive_finish(archive, error) : -1;
}

int pack_input_files(const struct input_files *files, const struct plan *plan,
                     struct archive *archive, const struct notifier *cancel, struct error *error)
{
    const struct input input = {.files = *files, .stdin_file = -1};
    const bool large = input_bytes(&input) > ARCHIVE_IN_MEMORY_MAX;
    CLEANUP(pack_tree_release)
    struct pack_tree tree = {
        .archive = archive,
        .cancel = cancel,
        .max_bytes = limits_bytes(&plan->policy.limits, LIMIT_WORKDIR),
    };

    if ((large ? archive_open_on_disk : archive_open)(archive, plan->policy.uid, plan->policy.gid,
                                                      NULL, error) != 0 ||
        add_files(&tree, files, error) != 0 || check_size(&tree, plan, error) != 0 ||
        add_driver(archive, plan, error) != 0)
        return -1;
    return archive_finish(archive, error);
}
