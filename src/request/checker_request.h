/*
 * The checker of a request with tests: a program of the judges that decides whether the output of a
 * test is right, in place of a comparison.
 *
 * It is called in one of two ways:
 *
 * - testlib: `checker input output answer`, three files. Exit status 0: right; 1, 2, 4 and 8:
 * wrong; 7: right in part, with the points as the first word of standard error, or after "points";
 * N: right in part, if standard error begins with "partially correct (N)", N percent of the points;
 * all else is an error of the judges. Standard error has a message (testlib.h, "resultExitCode").
 * - Kattis: `validator input answer feedback_dir [argument ...] <output`. Exit status 42: right;
 * 43: wrong, without a score; all else is an error of the judges. The directory may get
 * judgemessage.txt, teammessage.txt, and score.txt or score_multiplier.txt (problem package format
 * 2025-09, "Output validator").
 *
 * The grader of a problem package is called in a third way, see judge/grader.h.
 */
#ifndef REQUEST_CHECKER_REQUEST_H
#define REQUEST_CHECKER_REQUEST_H

enum checker_convention { CHECKER_NONE, CHECKER_TESTLIB, CHECKER_KATTIS, CHECKER_GRADER };

/* The timeout of a checker for each test, in seconds, unless the request has another one. */
enum { CHECKER_TIMEOUT = 30 };

/* Where the files of a test are, below the working directory of the checker. */
#define CHECKER_DIRECTORY "judge"
#define CHECKER_FEEDBACK  CHECKER_DIRECTORY "/feedback"

#endif
