/*
 * The files that a problem package adds to its submissions: those in include/default and in
 * include/LANGUAGE (format 2025-09, "Included files"; legacy, "Included code"). They replace files
 * of a submission that are called the same.
 */
#ifndef CLI_INCLUDED_FILES_H
#define CLI_INCLUDED_FILES_H

#include "base/error.h"
#include "base/strvec.h"
#include "cli/grade/case_file.h"
#include "config/config.h"

/*
 * Adds the paths of the directories that a submission in the language gets to `paths`, of struct
 * request; `package` is the path of the package. NULL: the language is not known. ERROR_INPUT if
 * one is a link that leads out of the package.
 */
int included_files_add(const struct test_root *root, const char *package,
                       const struct language *language, struct strvec *paths, struct error *error);

/*
 * Returns the name of the file in include/LANGUAGE that is the program in place of the submission's
 * own, owned; NULL: there is none. By the format it "must have the language-dependent name"; these
 * are the names of program_directory_default(). Files for all languages are none (problemtools
 * 1.20260620 and later, model/includes.py).
 */
char *included_files_main(const char *package, const struct language *language,
                          const struct config *config);

#endif
