#include "cli/problem/included_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/grade/program_directory.h"

static int add(const struct test_root *root, const char *package, const char *name,
               struct strvec *paths, struct error *error)
{
    CLEANUP_FREE char *directory = string_format("include/%s", name);
    struct stat status;

    if (fstatat(root->fd, directory, &status, 0) != 0 || !S_ISDIR(status.st_mode))
        return 0;
    if (case_file_check(root, directory, error) != 0)
        return -1;
    strvec_pushf(paths, "%s/%s/.", package, directory);
    return 0;
}

int included_files_add(const struct test_root *root, const char *package,
                       const struct language *language, struct strvec *paths, struct error *error)
{
    if (add(root, package, "default", paths, error) != 0)
        return -1;
    if (!language)
        return 0;
    if (add(root, package, language->name, paths, error) != 0)
        return -1;
    for (size_t i = 0; i < language->aliases.count; i++)
        if (add(root, package, language->aliases.items[i], paths, error) != 0)
            return -1;
    return 0;
}

static char *main_of(const char *package, const char *name, const struct language *language,
                     const struct config *config)
{
    CLEANUP_FREE char *directory = string_format("%s/include/%s", package, name);

    return program_directory_default(directory, language->name, config);
}

char *included_files_main(const char *package, const struct language *language,
                          const struct config *config)
{
    char *found = main_of(package, language->name, language, config);

    for (size_t i = 0; i < language->aliases.count && !found; i++)
        found = main_of(package, language->aliases.items[i], language, config);
    return found;
}
