#include "cli/run_option_table.h"

#include "cli/command_line.h"
#include "cli/grade/grade_option_texts.h"
#include "cli/other_options.h"
#include "cli/parallel.h"
#include "cli/run_option_values.h"
#include "cli/workspaces/workspace_option_texts.h"
#include "config/settings.h"

#define STRING(member) OPTION_COPY(struct run_options, member)
#define FLAG(member)   OPTION_FLAG(struct run_options, member)
/* Gets all options. */
#define WITH_ALL(function)     .kind = OPTION_CALLS, .apply = (function)
#define CALL(function, member) OPTION_CALL(struct run_options, member, function)

/* The commands that have an option. */
#define ONLY_RUN   (1 << RUN_OPTIONS_RUN)
#define START      (1 << RUN_OPTIONS_START)
#define RUN        (ONLY_RUN | START)
#define TEST       (1 << RUN_OPTIONS_TEST)
#define SESSION    (1 << RUN_OPTIONS_SESSION)
#define CREATE     (1 << RUN_OPTIONS_CREATE)
#define EXEC       (1 << RUN_OPTIONS_EXEC)
#define BOTH       (RUN | TEST)
#define ALL        (BOTH | SESSION)
#define EVERY      (ALL | CREATE | EXEC)
#define FOR(which) .commands = (which)
#define ABOUT(key) .subject = (key)
/* Hints if the value of a limit is no number: interpreters have -c for code, and docker -it. */
#define MISTAKEN(which)                                                                            \
    .mistaken = LIMIT_##which == LIMIT_CPUS      ? "to run code, use isolator run --code TEXT"     \
                : LIMIT_##which == LIMIT_TIMEOUT ? "-t is the timeout; programs have no terminal"  \
                                                 : NULL
/* The row of a limit. The timeout and the output of tests have others. */
#define LIMIT(which)                                                                               \
    {                                                                                              \
        OPTION_LIMIT(struct run_options, request.policy.limits, LIMIT_##which),                    \
            FOR(LIMIT_##which == LIMIT_OUTPUT || LIMIT_##which == LIMIT_TIMEOUT                    \
                    ? RUN | SESSION | EXEC                                                         \
                : LIMIT_##which == LIMIT_CPU_TIME ? ALL | EXEC                                     \
                                                  : ALL | CREATE),                                 \
            MISTAKEN(which)                                                                        \
    }
#define SETTING(which)                                                                             \
    OPTION_SHARED(&setting_rules[SETTING_##which].key, &setting_rules[SETTING_##which].option)
#define OFFER(which)    .values = (which)
#define CHOICES(values) .choices = (values)

static const struct option_rule rules[] = {
    {{'l', "--language", "NAME", "language (default: by the extension)", NULL,
      "The language of the program, by its name or an alias. By default the extension of FILE or "
      "of the entrypoint determines it."},
     STRING(request.language),
     ABOUT(REQUEST_LANGUAGE),
     FOR(BOTH),
     OFFER(VALUES_LANGUAGES)},
    {{'l', "--language", "NAME", "language (by the extension, or else python)", NULL,
      "The language of the cells, by default that of the extension of FILE, and python if no "
      "language has it or there is no FILE."},
     STRING(request.language),
     ABOUT(REQUEST_LANGUAGE),
     FOR(SESSION),
     OFFER(VALUES_LANGUAGES)},
    {WORKSPACE_TEXT_LANGUAGE, STRING(request.language), ABOUT(REQUEST_LANGUAGE), FOR(CREATE),
     OFFER(VALUES_LANGUAGES)},
    {{'d', "--dir", "DIR", "send the contents of this directory", NULL,
      "Send the contents of this directory. Symbolic links are sent as links and never followed. A "
      "link whose target is outside the directory is omitted, and a warning names it. FIFOs, "
      "sockets and devices are refused. What the file *.isolatorignore* of the directory names is "
      "left out; its lines are as in *.gitignore*, see [FILES]. All files belong to the user that "
      "runs the program. Of its mode a file keeps only whether it is executable."},
     STRING(request.input.dir),
     FOR(BOTH)},
    {{'d', "--dir", "DIR", "begin with the contents of this directory", NULL,
      "Send the contents of this directory at the beginning, like --file."},
     CALL(run_option_take_directory, request.paths),
     FOR(SESSION | CREATE)},
    {{0, "--code", "TEXT", "program in place of FILE; needs --language", NULL,
      "Run this text as a program in the --language, in place of a FILE."},
     CALL(run_option_take_code, request.input),
     FOR(RUN)},
    {{0, "--file", "PATH", "send a file or directory too; repeatable", NULL,
      "Send this file, or this directory with everything in it, along with the program: it is in "
      "the "
      "working directory under the last name of its path. This option can be given more than once. "
      "In a session it is there from the first cell on. Links in directories are treated as by "
      "--dir of isolator(1)."},
     CALL(run_option_take_path, request),
     FOR(ALL | CREATE)},
    {{'e', "--entrypoint", "PATH", "program file inside --dir", NULL,
      "The program file inside --dir, as a relative path without '..'; it may be in a "
      "sub-directory and must not be a link. The default is the default file name of the "
      "--language, for example _main.py_."},
     STRING(request.entrypoint),
     ABOUT(REQUEST_ENTRYPOINT),
     FOR(BOTH)},
    {TEST_TEXT_TESTS, STRING(tests), FOR(TEST)},
    {TEST_TEXT_PROBLEM, STRING(problem), FOR(TEST)},
    {TEST_TEXT_PACKAGES, STRING(packages), FOR(TEST)},
    {TEST_TEXT_ALL, FLAG(all_tests), FOR(TEST)},
    {TEST_TEXT_TIME_LIMIT, CALL(run_option_take_time_limit, time_limit), FOR(TEST)},
    {TEST_TEXT_COMPARE, CALL(run_option_take_compare, comparison.mode), FOR(TEST),
     CHOICES("trim exact tokens float lines")},
    {TEST_TEXT_IGNORE_CASE, FLAG(comparison.ignore_case), FOR(TEST)},
    {TEST_TEXT_TOLERANCE, CALL(run_option_take_tolerance, comparison), FOR(TEST)},
    {TEST_TEXT_CHECKER, STRING(checker), FOR(TEST)},
    {TEST_TEXT_VALIDATOR, STRING(validator), FOR(TEST)},
    {TEST_TEXT_INTERACTOR, STRING(interactor), FOR(TEST)},
    {TEST_TEXT_INTERACTIVE_VALIDATOR, STRING(interactive_validator), FOR(TEST)},
    {TEST_TEXT_NO_CHECKER_TRIAL, FLAG(no_checker_trial), FOR(TEST)},
    {TEST_TEXT_TRANSCRIPT, FLAG(transcript), FOR(TEST)},
    {TEST_TEXT_NO_EXPECTED, FLAG(no_expected), FOR(TEST)},
    {TEST_TEXT_STOP_ON_FAILURE, FLAG(stop_on_failure), FOR(TEST)},
    {TEST_TEXT_MAX_OUTPUT,
     OPTION_WHOLE(struct run_options, max_output_bytes, 1, TEST_MAX_OUTPUT_BYTES), FOR(TEST)},
    {TEST_TEXT_NO_DETAIL, FLAG(no_detail), FOR(TEST)},
    {{'j', "--jobs", "N", "FILEs at a time", "one per processor core",
      "How many of several files run at the same time, from 1 to 1024."},
     OPTION_WHOLE(struct run_options, parallel, 1, PARALLEL_MAX),
     FOR(TEST)},
    {COMMAND_TEXT_RETRIES("program"),
     OPTION_WHOLE(struct run_options, retries, 0, COMMAND_RETRIES_MAX), FOR(TEST)},
    {{0, "--stdin", "FILE", "the program's stdin; - is isolator's own", NULL,
      "The program's standard input; '-' is isolator's own. It is read to its end before the "
      "program starts, shares the size of the working directory with the files, and is like each "
      "of them limited to 2147483647 bytes. By default the standard input of the program is "
      "empty.\n"
      ".Pp\n"
      "The program gets a file, whose size it can read and in which it can seek, as do tests. If "
      "there are more than 8 MiB, or more than an eighth of the memory limit, it gets a pipe. The "
      "file is in memory and counts against that limit. What takes only pipes, such as "
      "connect_read_pipe() of Python, needs --interactive."},
     STRING(stdin_path),
     FOR(RUN | EXEC)},
    {{'i', "--interactive", NULL, "pass isolator's own stdin on as it comes", NULL,
      "Pass isolator's own standard input, a pipe, a file or a terminal, on to the program as it "
      "comes, while the program runs. Its end is the end of the program's; at a terminal, Ctrl-D "
      "ends it, and a line on standard error says so. The time for which the program waits for "
      "input is part of its timeout. isolator reads ahead by 128 KiB at most; what it has read and "
      "the program has not is lost. This option cannot be combined with --stdin, or with a program "
      "from standard input.\n"
      ".Pp\n"
      "Without this option, and unless --stdin or FILE is '-', nothing is read from standard "
      "input, which may belong to a loop of a shell or to a server. If the program has run without "
      "--stdin, and bytes wait there when it has ended, in a file, a pipe or a socket, a warning "
      "names this option; it does not come if standard input is redirected from /dev/null, as in a "
      "loop that reads a list."},
     FLAG(interactive),
     FOR(ONLY_RUN | EXEC)},
    {{0, "--env", "KEY[=VALUE]", "set or pass on a variable; repeatable", NULL,
      "Set a variable in the program's environment. Without a VALUE, pass on the variable from "
      "isolator's own environment; it must be set there. This option can be given more than "
      "once. Names that shells reserve, such as *IFS*, *OPTIND* and *UID*, are refused.\n"
      ".Pp\n"
      "Values do not appear on the command lines that isolator starts, nor in 'docker inspect'. "
      "However, a VALUE given here is on isolator's own command line, where other users of this "
      "machine may read it until isolator has overwritten it. For secrets, omit the VALUE."},
     CALL(run_option_take_variable, request.environment),
     FOR(ALL | EXEC)},
    {{'t', "--timeout", "DURATION", "timeout of each test, like 1m30s", "10s",
      "How long the program may run in each test: numbers with the units *ns*, *us*, *ms*, *s*, "
      "*m* or *h*, for example 500ms, 1.5s or 1m30s; at least one millisecond. The time for "
      "setting up the container and for a build is not included."},
     OPTION_LIMIT(struct run_options, request.policy.limits, LIMIT_TIMEOUT),
     FOR(TEST)},
    LIMITS(LIMIT),
    {{0, "--output-limit", "BYTES", "bytes kept of each stream of a test", "4096",
      "How many bytes of standard output, and of standard error, the result keeps of each test, "
      "from 64 to 1048576, and 67108864 of all tests together. The comparison sees all of it."},
     OPTION_WHOLE(struct run_options, request.test_output_bytes, TEST_OUTPUT_BYTES_MIN,
                  TEST_OUTPUT_BYTES_MAX),
     FOR(TEST)},
    {SETTING(NETWORK), CALL(run_option_take_network, request.policy), FOR(ALL),
     OFFER(VALUES_NETWORKS)},
    {COMMAND_TEXT_ALLOW_HOST("the program", "The hosts replace those of the configuration. See "
                                            "*network* in isolator_config.json(5)."),
     CALL(run_option_take_allow_host, request.policy), FOR(ONLY_RUN | TEST | SESSION | EXEC)},
    {COMMAND_TEXT_TOOLS(""), CALL(command_take_tools, request.tools), ABOUT(REQUEST_TOOLS),
     FOR(ONLY_RUN | TEST | SESSION | EXEC)},
    {SETTING(READ_ONLY), CALL(run_option_take_read_only, request.policy.read_only),
     FOR(ALL | CREATE), CHOICES("true false")},
    {SETTING(CAP_DROP), CALL(run_option_take_cap_drop, request.policy), FOR(ALL | CREATE),
     CHOICES("ALL")},
    {SETTING(USER), CALL(run_option_take_user, request.policy), FOR(ALL | CREATE)},
    {SETTING(OCI_RUNTIME), CALL(run_option_take_oci_runtime, request.policy), FOR(ALL | CREATE),
     CHOICES(OPTION_CHOICES_OCI_RUNTIME)},
    {{0, "--image", "IMAGE", "use this image, not the language's", NULL,
      "Use this image instead of the language's."},
     STRING(request.image),
     FOR(ALL | CREATE)},
    {{0, "--pull", NULL, "fetch the image first if it is missing", NULL,
      "If an image is not on the engine, fetch it first, and show docker's progress on standard "
      "error. For a language that is not prepared, that is the base image. Without this option "
      "nothing is fetched; see isolator-pull(1)."},
     FLAG(pull),
     FOR(ALL | CREATE)},
    {SETTING(WORKDIR), CALL(run_option_take_workdir, request.workdir), FOR(ALL | CREATE),
     CHOICES("")},
    {WORKSPACE_TEXT_DIRECTORY, STRING(request.directory), ABOUT(REQUEST_DIRECTORY), FOR(EXEC),
     CHOICES("")},
    {{0, "--artifacts", "DIR", "write the files that the program makes to DIR", NULL,
      "Copy back the files that the program has created or changed in its working directory, and "
      "write them below DIR, which is created if it does not exist. The "
      "files come back regardless of how the program ends, but not if isolator itself is "
      "interrupted. A file that exists already is not replaced; if the program succeeded, the exit "
      "status is then 2. isolator follows no link in DIR. Files that cannot be copied are named in "
      "the warnings: links, names with control characters or invalid UTF-8, and files beyond "
      "*maxArtifacts* and *maxArtifactBytes* of the configuration. A file with several hard links "
      "comes back under each of its names. Files and directories whose name begins with a dot come "
      "back only if --artifact names them; a warning lists them."},
     STRING(artifacts),
     FOR(RUN)},
    {{0, "--artifact", "GLOB", "only files that match, like *.png; repeatable", NULL,
      "Copy back only the files that match this pattern; can be given more than once. '*' and '?' "
      "do not match a slash, '**' does, and '[a-z]' is a set, which must have its closing bracket. "
      "A pattern without a slash is compared with the last part of the path. As in shells, a name "
      "with a leading dot matches only a pattern that starts with a dot there. A pattern that is "
      "the "
      "path of a file copies it back even if it is as it was sent. Files in a _.git_ directory are "
      "never copied back."},
     CALL(run_option_take_artifact, request),
     ABOUT(REQUEST_ARTIFACTS),
     FOR(RUN)},
    {{0, "--artifacts", "DIR", "write the figures of cells to DIR", NULL,
      "Write figures, and the files that --artifact names, to this directory after each cell. "
      "Existing files are replaced."},
     STRING(artifacts),
     FOR(SESSION)},
    {{0, "--artifact", "GLOB", "and files that match, like *.csv; repeatable", NULL,
      "Files to write after each cell in which they have changed, or after each cell if the "
      "pattern is their path; may be repeated."},
     CALL(run_option_take_artifact, request),
     ABOUT(REQUEST_ARTIFACTS),
     FOR(SESSION)},
    {{0, "--force", NULL, "replace existing files in DIR", NULL,
      "Replace files in the directory of --artifacts."},
     FLAG(force),
     FOR(RUN)},
    {{0, "--save-image", "TAG", "on success: save files and command as image", NULL,
      "If the program succeeds, save an image with the files as they were sent, the working "
      "directory, the user and the command, so that 'docker run --rm TAG' repeats the run. The "
      "user is 65534:65534 unless --user or the configuration sets one. The image contains neither "
      "the files that the program wrote nor the values of --env and --stdin."},
     STRING(request.save_image),
     FOR(ONLY_RUN)},
    {{0, "--save-dockerfile", "PATH", "on success: write a Dockerfile", NULL,
      "If the program succeeds, write a Dockerfile that builds such an image. Use --dir, or the "
      "directory of FILE, as the build context. A file at PATH is replaced; if it cannot be "
      "written, the program is not run. If the language is prepared, the Dockerfile starts from "
      "the prepared image, which exists only on this engine."},
     STRING(request.save_dockerfile),
     FOR(ONLY_RUN)},
    {{0, "--runtime", "NAME", "docker or podman (default: as configured)", NULL,
      "The container command: *docker* or *podman*. The default, and the path of the command, is "
      "*containerCommand* in the configuration. A job has only that one, because the commands that "
      "fetch its result read the configuration."},
     CALL(command_take_runtime, runtime),
     FOR(ALL),
     CHOICES(OPTION_CHOICES_RUNTIME)},
    {OPTION_TEXT_CONFIG, STRING(config_path), FOR(EVERY)},
    {OPTION_TEXT_AUDIT, STRING(audit), FOR(EVERY)},
    {{0, "--keep-processes", NULL, "processes of a cell go on after it", NULL,
      "Processes that a cell starts go on after it, and the interpreter is not stopped between "
      "cells. What they write while a cell runs is part of its output, and what they write between "
      "two cells is discarded."},
     FLAG(keep_processes),
     FOR(SESSION)},
    {OUTPUT_FORMAT_JSON_OPTION, FLAG(json), FOR(ONLY_RUN | TEST | SESSION | EXEC)},
    {OUTPUT_FORMAT_OPTION(
         "the output of the program as it comes and then, on standard error, one line with the "
         "status, the exit status or the signal, the duration and the peak memory. At a terminal, "
         "escape sequences in the output are made visible, except those that set colours."),
     CALL(output_format_take, format), FOR(ONLY_RUN | EXEC), CHOICES(OUTPUT_FORMAT_CHOICES)},
    {{0, "--table", NULL, "print a table, also elsewhere", NULL,
      "Print the table, also if standard output is not a terminal."},
     FLAG(table),
     FOR(TEST)},
    {{0, "--stream", NULL, "pass on output as it comes, print no JSON", NULL,
      "Pass on the program's standard output and standard error as they come, print no JSON, and "
      "exit with the program's status. The output is passed on unchanged and may contain escape "
      "sequences for terminals; redirect it to a file or a pipe if that matters. Messages of "
      "isolator itself, such as the signal that killed the program, go to standard error."},
     FLAG(stream),
     FOR(ONLY_RUN | EXEC)},
    {{0, "--detach", NULL, "start a job, print its id and exit", NULL,
      "Start the run as a job, which goes on when isolator has ended, print its id, and exit: the "
      "same as isolator-start(1)."},
     FLAG(detach),
     FOR(ONLY_RUN)},
    {{0, "--name", "NAME", "name of the job, in place of its id", NULL,
      "Another name for the job than its id, for the commands that take one: up to 64 letters, "
      "digits, _ . and -, and not only digits from 0 to 9 and a to f. It needs a job."},
     STRING(name),
     FOR(RUN)},
    {WORKSPACE_TEXT_NAME, STRING(name), FOR(CREATE)},
    {WORKSPACE_TEXT_SHELL, FLAG(shell), FOR(EXEC)},
    {WORKSPACE_TEXT_LIFETIME, CALL(run_option_take_seconds, lifetime_seconds), FOR(CREATE)},
    {WORKSPACE_TEXT_IDLE, CALL(run_option_take_seconds, idle_seconds), FOR(CREATE)},
    {{'v', "--verbose", NULL, "trace each step with its time on stderr", NULL,
      "Trace each step of the engine with its time on standard error, then print the names of the "
      "container, the image and the configuration file. If standard error takes nothing, because a "
      "pipe is full or a terminal is stopped, lines are dropped, and the next one says how many."},
     FLAG(verbose),
     FOR(EVERY)},
    {OPTION_TEXT_HELP, FLAG(help), FOR(EVERY)},
};

#define DEFAULTS "Defaults are in parentheses; configuration and language may change them.\n"

const struct option_table run_option_tables[] = {
    [RUN_OPTIONS_RUN] =
        {.command = "isolator run",
         .usage =
             "usage: isolator run [OPTIONS] [FILE...] [-- ARG...]\n"
             "\n"
             "Runs FILE (- for stdin), or the --entrypoint of --dir, in a fresh, locked-down\n"
             "container and prints one JSON result. More FILEs are sent along, ARGs passed on.\n",
         .example = "isolator run --timeout 10s --artifacts out plot.py",
         .after = "Exit status: 0 success, 1 program failed, 2 usage or input, 3 engine or image,\n"
                  "124 timeout, 130 or 143 signal. Defaults are in parentheses. See isolator(1).\n",
         .commands = RUN,
         .has_rest = true,
         .operands = VALUES_FILES,
         .others = other_options,
         OPTION_RULES(rules)},
    [RUN_OPTIONS_START] =
        {.command = "isolator start",
         .usage =
             "usage: isolator start [OPTIONS] [FILE...] [-- ARG...]\n"
             "\n"
             "Starts FILE (- for stdin), or the --entrypoint of --dir, as a job that goes on\n"
             "when isolator has ended, and prints its id. isolator wait ID prints the result.\n",
         .example = "isolator start --timeout 10h --artifacts out train.py",
         .after =
             DEFAULTS "Exit status: 0 started, 2 usage or input, 3 engine or image, 130 or 143\n"
                      "interrupted. See isolator-start(1).\n",
         .commands = START,
         .has_rest = true,
         .operands = VALUES_FILES,
         .others = start_other_options,
         OPTION_RULES(rules)},
    [RUN_OPTIONS_TEST] =
        {.command = "isolator test",
         .usage = "usage: isolator test [OPTIONS] --tests DIR [FILE...] [-- ARG...]\n"
                  "\n"
                  "Tests each FILE (- for stdin), or the --entrypoint of --dir, in a container.\n",
         .example = "isolator test --tests tests solutions/*.cpp",
         .after = "Exit status: 0 passed, 1 not, 2 usage, 3 engine. More: isolator-test(1).\n",
         .commands = TEST,
         .has_rest = true,
         .operands = VALUES_FILES,
         .others = other_options,
         OPTION_RULES(rules)},
    [RUN_OPTIONS_CREATE] = {.command = "isolator create",
                            .usage = WORKSPACE_USAGE_CREATE,
                            .example = "isolator create --name w1 --image node:22 --dir project",
                            .after = DEFAULTS
                            "Exit status: 0 made, 2 usage or input, 3 engine or image, 130 or 143\n"
                            "interrupted. See isolator-create(1).\n",
                            .commands = CREATE,
                            .operands = VALUES_FILES,
                            .others = other_options,
                            OPTION_RULES(rules)},
    [RUN_OPTIONS_EXEC] = {.command = "isolator exec",
                          .usage = WORKSPACE_USAGE_EXEC,
                          .example = "isolator exec w1 -- python3 main.py",
                          .after = DEFAULTS
                          "Exit status: 0 success, 1 program failed, 2 usage or input, 3 engine,\n"
                          "124 timeout, 130 or 143 interrupted. See isolator-exec(1).\n",
                          .commands = EXEC,
                          .has_rest = true,
                          .operands = VALUES_JOBS,
                          .others = other_options,
                          OPTION_RULES(rules)},
    [RUN_OPTIONS_SESSION] =
        {.command = "isolator session",
         .usage =
             "usage: isolator session [OPTIONS] [FILE] [-- ARG...]\n"
             "\n"
             "Runs cells one after the other in one container, whose files, and in Python and\n"
             "JavaScript also variables, stay until the end. Asks for cells at a terminal;\n"
             "otherwise reads them from FILE, which may be a Jupyter notebook, or from stdin,\n"
             "with lines like '# %%' between them.\n",
         .example = "isolator session --language python",
         .after = DEFAULTS
         "Exit status: 0 all cells succeeded, 1 some failed, 2 usage or input, 3 engine,\n"
         "130 or 143 interrupted. See isolator-session(1).\n",
         .commands = SESSION,
         .has_rest = true,
         .operands = VALUES_FILES,
         .others = other_options,
         OPTION_RULES(rules)},
};

/* All have the same rules. */
const char *run_options_namer(const char *subject)
{
    return options_name(&run_option_tables[RUN_OPTIONS_RUN], subject);
}
