/*
 * The time limit that a file of a problem package says, in place of problem.yaml: .timelimit of
 * older packages, or domjudge-problem.ini. Knows no other limits.
 */
#ifndef CLI_TIME_LIMIT_FILE_H
#define CLI_TIME_LIMIT_FILE_H

#include "base/error.h"
#include "cli/grade/case_file.h"

/*
 * Reads the seconds from the first file that has them, in the order of DOMjudge 10.0.0DEV
 * (ImportProblemService.php); NAN: none has. `source`, a literal, says for a person which it was.
 * ERROR_INPUT that names the file.
 */
int time_limit_file_read(const struct test_root *root, double *seconds, const char **source,
                         struct error *error);

#endif
