#include "cli/run_inputs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/spool.h"
#include "base/text.h"
#include "cli/grade/case_directory.h"
#include "cli/grade/program_directory.h"
#include "config/command_template.h"
#include "docker/image_store.h"

int run_inputs_open_file(const char *path, long long max, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(path);
    CLEANUP_FD int fd = -1;
    struct stat status;

    if (strcmp(path, "-") == 0)
        return spool_copy(STDIN_FILENO, max < ARCHIVE_FILE_MAX ? max : ARCHIVE_FILE_MAX, "stdin",
                          signals_cancel(), error);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", escaped);
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_INPUT, "'%s' is not a regular file; use - to read stdin",
                         escaped);
    if (status.st_size > max)
        return error_set(
            error, ERROR_INPUT,
            "'%s' is larger than the working directory (%lld MB); raise --workdir-size", escaped,
            max >> 20);
    if (status.st_size > ARCHIVE_FILE_MAX)
        return error_set(error, ERROR_INPUT,
                         "'%s' is larger than %lld bytes, the maximum for one file", escaped,
                         ARCHIVE_FILE_MAX);
    return steal_fd(&fd);
}

/* What a path that does not exist may have been meant as. */
static void hint_at_path(const char *path, bool is_operand, struct error *error)
{
    const char *colon = strchr(path, ':');

    if (colon && colon[1] == '/')
        error_hint(error, "nothing of this host can be mounted; send files with --file or --dir");
    else if (strchr(path, '='))
        error_hint(error, "each variable needs --env of its own");
    else if (is_operand)
        error_hint(error, "put the program's arguments after --");
}

bool run_inputs_is_directory(const char *path)
{
    struct stat status;

    return path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int run_inputs_use_directory(struct request *request, const char *path, const struct config *config,
                             struct error *error)
{
    char *program = program_directory_find(path, request->language, config, error);

    if (!program)
        return -1;
    free(request->entrypoint);
    request->entrypoint = program;
    free(request->input.dir);
    request->input.dir = string_copy(path);
    return 0;
}

int run_inputs_check_file(const char *file, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(file ? file : "");
    struct stat status;

    if (!file || strcmp(file, "-") == 0)
        return 0;
    if (stat(file, &status) != 0) {
        error_set_errno(error, ERROR_INPUT, "cannot open '%s'", escaped);
        hint_at_path(file, false, error);
        return -1;
    }
    if (S_ISDIR(status.st_mode))
        return error_set(error, ERROR_INPUT,
                         "'%s' is a directory; run a program in it with --dir %s --entrypoint PATH",
                         escaped, escaped);
    return 0;
}

int run_inputs_check_paths(const struct run_options *options, struct error *error)
{
    const struct strvec *paths = &options->request.paths;

    for (size_t i = 0; i < paths->count; i++) {
        CLEANUP_FREE char *escaped = text_escape(paths->items[i]);

        if (access(paths->items[i], F_OK) == 0)
            continue;
        error_set_errno(error, ERROR_INPUT, "cannot open '%s'", escaped);
        hint_at_path(paths->items[i], strvec_contains(&options->files, paths->items[i]), error);
        return -1;
    }
    return 0;
}

/* The next word of the line, owned; NULL: there is none. */
static char *next_word(const char **line)
{
    const char *start = *line + strspn(*line, " \t");
    const size_t length = strcspn(start, " \t\r\n");

    *line = start + length;
    return length > 0 ? string_format("%.*s", (int)length, start) : NULL;
}

/* The interpreter that the line after "#!" names, without its version, owned; NULL: none. */
static char *interpreter_of(const char *line)
{
    char *word = next_word(&line), *name;

    while (word &&
           (strcmp(text_file_name(word), "env") == 0 || *word == '-' || strchr(word, '='))) {
        free(word);
        word = next_word(&line);
    }
    if (!word)
        return NULL;
    name = string_copy(text_file_name(word));
    free(word);
    for (size_t length = strlen(name); length > 1 && strchr("0123456789.", name[length - 1]);)
        name[--length] = '\0';
    return name;
}

const struct language *run_inputs_language(const char *file, const struct config *config)
{
    CLEANUP_FD const int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    CLEANUP_FREE char *name = NULL;
    char line[256] = "";

    if (strchr(text_file_name(file), '.') || fd < 0 || read(fd, line, sizeof line - 1) < 3 ||
        strncmp(line, "#!", 2) != 0)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    name = interpreter_of(line + 2);
    return name ? config_language_called(config, name) : NULL;
}

/* The largest source of a checker. */
enum { CHECKER_MAX = 16 << 20 };

static int read_checker_file(struct request *checker, const char *path, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FD const int fd = run_inputs_open_file(path, CHECKER_MAX, error);
    struct input *input = &checker->input;

    if (fd < 0)
        return -1;
    input->code = io_read_start(fd, CHECKER_MAX, &input->code_length);
    checker->entrypoint = string_copy(text_file_name(path));
    checker->entrypoint_of_file = true;
    return input->code ? 0 : error_set_errno(error, ERROR_INPUT, "cannot read '%s'", shown);
}

/* Makes the request of a program of the judges. */
static int read_judge(const struct run_options *options, const char *path,
                      const struct config *config, struct request **judge, struct error *error)
{
    const struct request *request = &options->request;
    struct request *made = memory_allocate(sizeof *made);

    *judge = made;
    request_init(made);
    made->of_package = options->problem != NULL;
    strvec_push_all(&made->constants, &request->constants);
    made->links_below = request->links_below ? string_copy(request->links_below) : NULL;
    made->policy.limits = options->judge_limits;
    return run_inputs_is_directory(path) ? run_inputs_use_directory(made, path, config, error)
                                         : read_checker_file(made, path, error);
}

/* The checker of the tests, if there is one. Its language is by the extension of its file. */
static int read_checker(const struct run_options *options, struct request *request,
                        const struct config *config, struct error *error)
{
    const bool interactive = options->interactor || options->interactive_validator;
    const char *testlib = interactive ? options->interactor : options->checker;
    const char *kattis = interactive ? options->interactive_validator : options->validator;
    const char *path = testlib ? testlib : kattis;

    if (!path)
        return 0;
    request->checker_convention = testlib ? CHECKER_TESTLIB : CHECKER_KATTIS;
    request->interactive = interactive;
    request->transcript = options->transcript;
    return read_judge(options, path, config, &request->checker, error) == 0
               ? 0
               : error_prefix(error, "the checker");
}

/* The grader of the groups, if one of them asks for it. */
static int read_grader(const struct run_options *options, struct request *request,
                       const struct config *config, struct error *error)
{
    const struct score_groups *groups = request->tests.groups;
    size_t i = 0;

    while (groups && i < groups->count && groups->items[i].grading != GRADE_CUSTOM)
        i++;
    return !groups || i == groups->count ||
                   read_judge(options, options->grader, config, &request->grader, error) == 0
               ? 0
               : error_prefix(error, "the grader");
}

/* Says of the directory what is wrong with its groups. */
static int complete_scores(const struct run_options *options, struct case_requests *tests,
                           struct error *error)
{
    CLEANUP_FREE char *shown = NULL;

    if (score_groups_complete(tests, options->request.checker != NULL, error) == 0)
        return 0;
    shown = text_escape(options->tests);
    error->kind = ERROR_INPUT;
    return error_prefix(error, "'%s'", shown);
}

int run_inputs_read_tests(struct run_options *options, const struct config *config,
                          struct error *error)
{
    struct case_requests *tests = &options->request.tests;
    const struct case_directory_options directory = {
        .no_expected = options->no_expected || options->checker || options->validator ||
                       options->interactor || options->interactive_validator,
        .has_validator = options->validator || options->interactive_validator,
        .validator_flags = options->validator_flags,
        .is_scoring = options->is_scoring,
        .is_legacy = options->is_legacy,
        .all_tests = options->all_tests,
        .gives_no_score = options->gives_no_score,
        .no_grader = options->no_grader ? options->no_grader
                     : options->grader  ? NULL
                                        : "grading: only a problem package in the legacy format "
                                          "can have a grader of its own",
        .package = options->packages ? options->packages : options->problem,
        .constants = &options->request.constants};
    struct case_request defaults = CASE_REQUEST_INIT;

    defaults.comparison = options->comparison;
    defaults.max_output_bytes = options->max_output_bytes;
    if (comparison_rule_complete(&defaults.comparison, &run_options_comparison_names, error) != 0 ||
        read_checker(options, &options->request, config, error) != 0 ||
        case_directory_read(options->tests, &directory, &defaults, tests, &options->test_warnings,
                            error) != 0 ||
        read_grader(options, &options->request, config, error) != 0 ||
        complete_scores(options, tests, error) != 0)
        return -1;
    tests->stop_on_failure = options->stop_on_failure;
    tests->outcome_only = options->no_detail;
    tests->tries_checker =
        !options->no_checker_trial && (options->checker || options->validator) && !options->problem;
    return 0;
}

static int pull_image(const struct docker *docker, const struct plan *plan, struct error *error)
{
    const char *const images[] = {plan->image, plan->base};

    for (size_t i = 0; i < 2 && images[i]; i++) {
        const int found = image_store_has(docker, images[i], signals_cancel(), error);

        if (found != 0)
            return found < 0 ? -1 : 0;
    }
    return image_store_pull(docker, plan->base ? plan->base : plan->image, signals_cancel(), error);
}

int run_inputs_pull(const struct docker *docker, const struct plan *plan, struct error *error)
{
    if (pull_image(docker, plan, error) != 0)
        return -1;
    if (plan->checker && pull_image(docker, plan->checker, error) != 0)
        return error_prefix(error, "the checker");
    if (plan->grader && pull_image(docker, plan->grader, error) != 0)
        return error_prefix(error, "the grader");
    return 0;
}

void run_inputs_print_standard(const char *file, const struct plan *plan,
                               const struct config *config)
{
    const struct language *language = config_language(config, plan->language);
    const char *standard = plan_standard(plan, language);
    CLEANUP_FREE char *name = text_escape(file ? file : "-");

    if (standard && command_has(&language->build, COMMAND_STANDARD))
        diagnostics_line("%s: standard %s", name, *standard ? standard : "of the compiler");
}
