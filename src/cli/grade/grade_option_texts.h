/*
 * The texts of the options that only isolator test has, for cli/run_option_table.c.
 */
#ifndef CLI_GRADE_GRADE_OPTION_TEXTS_H
#define CLI_GRADE_GRADE_OPTION_TEXTS_H

#include "compare/compare_mode.h"

#define TEST_TEXT_TESTS                                                                            \
    {                                                                                              \
        0, "--tests", "DIR", "tests: files NAME.in, NAME.out, NAME.args", NULL,                    \
            "The directory of the tests."                                                          \
    }

#define TEST_TEXT_PROBLEM                                                                          \
    {                                                                                              \
        0, "--problem", "DIR", "a problem package, and all its submissions", NULL,                 \
            "Test the submissions of a problem package of Kattis or ICPC with its tests, and say " \
            "which of them have another verdict than expected. A FILE names one of them. See "     \
            "[PROBLEM PACKAGES]."                                                                  \
    }

#define TEST_TEXT_PACKAGES                                                                         \
    {                                                                                              \
        0, "--packages", "DIR", "links of the package may lead below it", NULL,                    \
            "A directory above that of --problem, such as a repository: links in the package may " \
            "lead to files below it. By default a link may not lead out of the package."           \
    }

#define TEST_TEXT_ALL                                                                              \
    {                                                                                              \
        0, "--all", NULL, "run all tests of the --problem", NULL,                                  \
            "Run all tests of the --problem, also those that a judge would leave out after one "   \
            "that is not accepted, see [PROBLEM PACKAGES]."                                        \
    }

#define TEST_TEXT_TIME_LIMIT                                                                       \
    {                                                                                              \
        0, "--time-limit", "SECONDS", "of the problem: CPU time of each test", NULL,               \
            "The time limit of the --problem, in place of that of the package or of its "          \
            "submissions: the CPU time of each test. Fractions are allowed. The timeout is three " \
            "times that and a second."                                                             \
    }

#define TEST_TEXT_COMPARE                                                                          \
    {                                                                                              \
        0, "--compare", "MODE", COMPARISON_MODE_NAMES, "trim",                                     \
            "How outputs are compared:\n"                                                          \
            ".Bl -tag -width tokens -compact\n"                                                    \
            ".It Cm trim\n"                                                                        \
            "White space at the end of a line is ignored, and so are empty lines at the end.\n"    \
            ".It Cm exact\n"                                                                       \
            "Every byte counts.\n"                                                                 \
            ".It Cm tokens\n"                                                                      \
            "The words are compared, whatever white space is between them.\n"                      \
            ".It Cm float\n"                                                                       \
            "Like *tokens*, and two words that are decimal numbers, such as 0.5 and 5e-1, are "    \
            "equal if they differ by at most the tolerance. 'inf' and 'nan' are equal only to "    \
            "the same word, in upper or lower case.\n"                                             \
            ".It Cm lines\n"                                                                       \
            "White space around lines is ignored, and two lines of decimal numbers are equal if "  \
            "their numbers are, such as 1.50 and 1.5. This is what LiveCodeBench does.\n"          \
            ".El"                                                                                  \
    }

#define TEST_TEXT_IGNORE_CASE                                                                      \
    {                                                                                              \
        0, "--ignore-case", NULL, "a and A are the same", NULL,                                    \
            "Compare the letters A to Z like a to z."                                              \
    }

#define TEST_TEXT_TOLERANCE                                                                        \
    {                                                                                              \
        0, "--tolerance", "NUMBER", "for float: absolute or relative", "1e-6",                     \
            "How much numbers may differ with '--compare float': absolutely, or relative to the "  \
            "expected number. With 0, they must be the same number, however large it is. "         \
            "'absolute=NUMBER' and 'relative=NUMBER' set one of both, and the other is 0 unless "  \
            "it is set, too."                                                                      \
    }

#define TEST_TEXT_CHECKER                                                                          \
    {                                                                                              \
        0, "--checker", "PATH", "decides what is right, as testlib does", NULL,                    \
            "Let this program decide about each output, in place of a comparison. It is called "   \
            "with three files, the input, the output and the answer, as the checkers of "          \
            "*testlib.h*: with exit status 0 the output is right, with 1, 2, 4 or 8 wrong, and "   \
            "with 7 right in part. See [Checkers]. PATH is a source file, or a directory with "    \
            "one and what it needs."                                                               \
    }

#define TEST_TEXT_VALIDATOR                                                                        \
    {                                                                                              \
        0, "--validator", "PATH", "the same, as Kattis and ICPC do", NULL,                         \
            "Like *--checker*, for an output validator: it gets the input, the answer and a "      \
            "directory for its feedback as arguments, and the output as its standard input. With " \
            "exit status 42 the output is right, with 43 wrong."                                   \
    }

#define TEST_TEXT_INTERACTOR                                                                       \
    {                                                                                              \
        0, "--interactor", "PATH", "talks to the program, as testlib does", NULL,                  \
            "Let this program talk to the one that is tested, in place of an input: each reads "   \
            "what the other writes. It is called with three files, as those of *testlib.h* are: "  \
            "the input, the output, which it may write, and the answer. Its exit status is that "  \
            "of a *--checker*. See [Interactors]."                                                 \
    }

#define TEST_TEXT_INTERACTIVE_VALIDATOR                                                            \
    {                                                                                              \
        0, "--interactive-validator", "PATH", "the same, as Kattis and ICPC do", NULL,             \
            "Like *--interactor*, with the arguments and the exit status of a *--validator*."      \
    }

#define TEST_TEXT_NO_CHECKER_TRIAL                                                                 \
    {                                                                                              \
        0, "--no-checker-trial", NULL, "do not try the checker first", NULL,                       \
            "Do not let the checker or validator decide about an expected output before the "      \
            "programs are tested."                                                                 \
    }

#define TEST_TEXT_TRANSCRIPT                                                                       \
    {                                                                                              \
        0, "--transcript", NULL, "keep what program and interactor say", NULL,                     \
            "Keep what the program and the interactor say to each other, with *<* before the "     \
            "lines of the interactor and *>* before those of the program. All of it passes "       \
            "through isolator then, which makes an exchange of lines many times slower."           \
    }

#define TEST_TEXT_NO_EXPECTED                                                                      \
    {                                                                                              \
        0, "--no-expected", NULL, "allow tests without NAME.out", NULL,                            \
            "Allow tests without an expected output. They are passed if the program ends with "    \
            "exit status 0, whatever it prints. Tests with an expected output are compared as "    \
            "always. Without this option, a test without an expected output is an error."          \
    }

#define TEST_TEXT_STOP_ON_FAILURE                                                                  \
    {                                                                                              \
        0, "--stop-on-failure", NULL, "end after the first test that is not passed", NULL,         \
            "End after the first test that is not passed. The others have the status *not-run*."   \
    }

#define TEST_TEXT_MAX_OUTPUT                                                                       \
    {                                                                                              \
        0, "--max-output", "BYTES", "of a stream; more ends the test", "67108864",                 \
            "A test whose program writes more bytes to one stream ends, with the status "          \
            "*output-limit*; from 1 to 67108864."                                                  \
    }

#define TEST_TEXT_NO_DETAIL                                                                        \
    {                                                                                              \
        0, "--no-detail", NULL, "do not show what the tests are", NULL,                            \
            "Leave out of results what tells about the tests: what was expected and found, and "   \
            "what the programs write, which can be the input."                                     \
    }

#endif
