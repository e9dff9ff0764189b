#include "cli/grade/program_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/command_template.h"

/* Names that a message lists. */
enum { NAMED_MAX = 3 };

/* The rank of a name that no language has for its programs. */
enum { DEFAULT_NONE = 3 };

static const struct language *language_of(const struct config *config, const char *name,
                                          const char *wanted)
{
    const struct language *language = config_language_of_file(config, name);

    return language && (!wanted || language == config_language_called(config, wanted)) ? language
                                                                                       : NULL;
}

/* Adds the names of the programs in an open directory, which is closed. -1 with errno. */
static int read_programs(DIR *dir, const char *wanted, const struct config *config,
                         struct strvec *names)
{
    const struct dirent *entry;
    struct stat status;
    int reason;

    while (names->count <= PROGRAM_DIRECTORY_FILES_MAX &&
           (errno = 0, (entry = readdir(dir)) != NULL))
        if (entry->d_name[0] != '.' && language_of(config, entry->d_name, wanted) &&
            fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            strvec_push(names, entry->d_name);
    reason = names->count > PROGRAM_DIRECTORY_FILES_MAX ? 0 : errno;
    closedir(dir);
    errno = reason;
    return reason == 0 ? 0 : -1;
}

/* The same in their order. Sets the error, too, if there are too many. */
static int list_programs(const char *directory, const char *wanted, const struct config *config,
                         struct strvec *names, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(directory);
    DIR *dir = opendir(directory);

    if (!dir)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", shown);
    if (read_programs(dir, wanted, config, names) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read the directory '%s'", shown);
    if (names->count > PROGRAM_DIRECTORY_FILES_MAX)
        return error_set(error, ERROR_INPUT,
                         "'%s' has more than %d files with the extension of a language; remove "
                         "those that do not belong to the program",
                         shown, PROGRAM_DIRECTORY_FILES_MAX);
    strvec_sort(names);
    return 0;
}

/* How well a name says that it is the program, 0 the best; DEFAULT_NONE: not at all. */
static int rank_of(const char *name, const struct config *config)
{
    if (strcmp(name, "__main__.py") == 0)
        return 0;
    if (strcmp(name, config_language_of_file(config, name)->default_filename) == 0)
        return 1;
    return strncasecmp(name, "main.", 5) == 0 ? 2 : DEFAULT_NONE;
}

/* The only name of the best rank; NULL: there is none, or several. */
static const char *find_default(const struct strvec *names, const struct config *config)
{
    const char *found = NULL;
    int best = DEFAULT_NONE;

    for (size_t i = 0; i < names->count; i++) {
        const int rank = rank_of(names->items[i], config);

        if (rank > best || rank == DEFAULT_NONE)
            continue;
        found = rank < best ? names->items[i] : NULL;
        best = rank;
    }
    return found;
}

static bool have_one_language(const struct strvec *names, const struct config *config)
{
    const struct language *language = config_language_of_file(config, names->items[0]);

    for (size_t i = 1; i < names->count; i++)
        if (config_language_of_file(config, names->items[i]) != language)
            return false;
    return true;
}

/* Whether all are sources of one program. */
static bool are_one_program(const struct strvec *names, const struct config *config)
{
    const struct language *language = config_language_of_file(config, names->items[0]);

    return have_one_language(names, config) && strvec_contains(&language->build, COMMAND_SOURCES);
}

static int refuse(const char *shown, const struct strvec *names, const struct config *config,
                  struct error *error)
{
    CLEANUP(strvec_release) struct strvec shown_names = STRVEC_INIT;
    CLEANUP_FREE char *list = NULL;

    if (names->count == 0)
        return error_set(error, ERROR_INPUT,
                         "'%s' has no program: no file in it has the extension of a language",
                         shown);
    for (size_t i = 0; i < names->count && i < NAMED_MAX; i++)
        strvec_push_owned(&shown_names, text_escape_short(names->items[i], TEXT_SHOWN_MAX));
    if (names->count > NAMED_MAX)
        strvec_pushf(&shown_names, "and %zu more", names->count - NAMED_MAX);
    list = strvec_join(&shown_names, ", ");
    return error_set(error, ERROR_INPUT, "'%s' has several programs: %s; name the main one '%s'",
                     shown, list,
                     config_language_of_file(config, names->items[0])->default_filename);
}

char *program_directory_find(const char *directory, const char *language,
                             const struct config *config, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(directory);
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const char *found;

    if (list_programs(directory, language, config, &names, error) != 0)
        return NULL;
    found = names.count == 1 ? names.items[0] : find_default(&names, config);
    if (!found && names.count > 0 && are_one_program(&names, config))
        found = names.items[0];
    if (found)
        return string_copy(found);
    refuse(shown, &names, config, error);
    return NULL;
}

bool program_directory_has_none(const char *directory, const char *language,
                                const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    return list_programs(directory, language, config, &names, &error) == 0 && names.count == 0;
}

char *program_directory_default(const char *directory, const char *language,
                                const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const char *found = list_programs(directory, language, config, &names, &error) == 0
                            ? find_default(&names, config)
                            : NULL;

    return found ? string_copy(found) : NULL;
}

char *program_directory_any(const char *directory, const char *language,
                            const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const bool is_listed = list_programs(directory, language, config, &names, &error) == 0;

    return is_listed && names.count > 0 && have_one_language(&names, config)
               ? string_copy(names.items[0])
               : NULL;
}
