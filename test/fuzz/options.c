/*
 * Fuzz target: the command lines of `isolator run` and `isolator test`. The input is the words
 * after the name of the command, each followed by a NUL. These properties are checked for both:
 *
 * - Accepted options are complete: one program to run, with a name or a language, numbers within
 * their ranges, and variables with values. The last words, after "--", are the program's arguments.
 * - A refused command line has one ERROR_USAGE.
 * - Reading the same words again has the same result.
 * - Tests come from a directory with `test`, and there are none with `run`.
 * - Accepted options become a plan within the limits, or are refused with one error.
 */
#include "fuzz.h"

#include <math.h>

#include "base/strvec.h"
#include "base/text.h"
#include "cli/run_options.h"
#include "request/plan.h"

/* More than any shell passes; each is copied. */
enum { WORDS_MAX = 200 };

/* Besides the input: the words of the configuration, and a variable of the environment. */
enum { MESSAGE_ROOM = 1000 };

extern char **environ;

static struct config config;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    environ = NULL; /* the environment is the same everywhere */
    setenv("TOKEN", "secret", 1);
    fuzz_configure(&config, "{}");
    return 0;
}

static struct strvec split(enum run_options_command command, const uint8_t *data, size_t size)
{
    struct strvec words = STRVEC_INIT;
    size_t at = 0;

    strvec_push(&words, command == RUN_OPTIONS_TEST ? "test" : "run");
    while (at < size && words.count < WORDS_MAX) {
        const uint8_t *nul = memchr(data + at, '\0', size - at);
        const size_t length = nul ? (size_t)(nul - data) - at : size - at;

        strvec_push_owned(&words, fuzz_string(data + at, length));
        at += length + 1;
    }
    return words;
}

static void check_numbers(const struct limits *limits)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const double number = limits->number[i];
        const struct key_rule *rule = &limit_rules[i].key;

        if (i == LIMIT_CPU_TIME && isinf(number)) /* no limit */
            continue;
        fuzz_require(isnan(number) || (number >= rule->minimum && number <= rule->maximum &&
                                       (rule->type != KEY_WHOLE || number == floor(number))),
                     "%s is %g", rule->name, number);
    }
}

/* Checks that there is exactly one program. */
static void check_program(const struct run_options *options)
{
    const struct request *request = &options->request;
    const bool from_stdin = options->file && strcmp(options->file, "-") == 0;

    fuzz_require(!!options->file + !!request->input.dir + !!request->input.code == 1,
                 "FILE '%s', --dir '%s', --code '%s'", options->file, request->input.dir,
                 request->input.code);
    for (size_t i = 1; i < options->files.count; i++)
        fuzz_require(strcmp(options->files.items[i], "-") != 0, "stdin beside another program");
    fuzz_require(options->command != RUN_OPTIONS_TEST || options->files.count == 1 || !from_stdin,
                 "stdin and another program");
    for (size_t i = 0; i < request->paths.count; i++) {
        const char *name = text_file_name(request->paths.items[i]);

        fuzz_require(*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0, "'%s'", name);
    }
    fuzz_require(!options->interactive || (!from_stdin && !options->stdin_path), "two inputs");
    if (from_stdin) {
        fuzz_require(request->language, "a program from stdin in no language");
        fuzz_require(!options->stdin_path || strcmp(options->stdin_path, "-") != 0,
                     "stdin is the program and its input");
        fuzz_require(!request->save_dockerfile, "a Dockerfile of %s", request->save_dockerfile);
    } else if (options->file) {
        fuzz_require(request->entrypoint && !strchr(request->entrypoint, '/'), "'%s' of '%s'",
                     request->entrypoint, options->file);
    } else if (request->input.code) {
        fuzz_require(request->language && !request->save_dockerfile, "'%s'", request->input.code);
    } else {
        fuzz_require(request->entrypoint || request->language, "nothing of %s", request->input.dir);
    }
}

static void check_words(const struct run_options *options, const struct strvec *words)
{
    const struct strvec *arguments = &options->request.arguments;
    const size_t first = words->count - arguments->count;

    if (arguments->count == 0)
        return;
    fuzz_require(first > 1 && strcmp(words->items[first - 1], "--") == 0, "%zu of %zu words",
                 arguments->count, words->count);
    for (size_t i = 0; i < arguments->count; i++)
        fuzz_require(strcmp(arguments->items[i], words->items[first + i]) == 0, "'%s', not '%s'",
                     arguments->items[i], words->items[first + i]);
}

static void check_plan(struct request *request, bool utf8, size_t size)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    if (plan_resolve(&plan, &config, request, &error) != 0) {
        fuzz_check_error(&error, utf8, 4 * size + MESSAGE_ROOM);
        fuzz_require(error.kind == ERROR_USAGE || error.kind == ERROR_INPUT, "kind %d", error.kind);
        return;
    }
    check_numbers(&plan.policy.limits);
    fuzz_require(*plan.entrypoint && *plan.image && plan.workdir[0] == '/', "'%s' '%s' '%s'",
                 plan.entrypoint, plan.image, plan.workdir);
    fuzz_require(plan.command.count > request->arguments.count, "no command");
}

/* -1: not given. */
static void check_tolerance(double number)
{
    fuzz_require(number == -1 || (isfinite(number) && number >= 0), "%g", number);
}

static void check_taken(const struct run_options *options, const struct strvec *words)
{
    const struct request *request = &options->request;

    check_program(options);
    fuzz_require(!options->tests == (options->command == RUN_OPTIONS_RUN), "tests: %s",
                 options->tests ? options->tests : "none");
    check_tolerance(options->comparison.tolerance);
    check_tolerance(options->comparison.absolute);
    check_tolerance(options->comparison.relative);
    check_words(options, words);
    check_numbers(&request->policy.limits);
    for (size_t i = 0; i < request->environment.count; i++)
        fuzz_require(strchr(request->environment.items[i], '='), "%s",
                     request->environment.items[i]);
}

/*
 * Reads the words, which the parser may change, and checks the result. Returns the message, owned.
 */
static char *read_words(enum run_options_command command, const uint8_t *data, size_t size)
{
    CLEANUP(strvec_release) struct strvec words = split(command, data, size);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(run_options_release) struct run_options options;
    bool utf8 = true;
    int result;

    for (size_t i = 0; i < words.count; i++)
        utf8 = utf8 && fuzz_is_utf8(words.items[i], strlen(words.items[i]));
    result = run_options_parse(&options, command, (int)words.count, words.items, &error);
    if (result != 0) {
        fuzz_check_error(&error, utf8, 4 * size + MESSAGE_ROOM);
        fuzz_require(error.kind == ERROR_USAGE, "kind %d: %s", error.kind, error.message);
        return string_copy(error.message);
    }
    fuzz_require(error.kind == ERROR_NONE && !error.message, "%s", error.message);
    if (!options.help) {
        check_taken(&options, &words);
        check_plan(&options.request, utf8, size);
    }
    return string_copy(options.help ? "help" : "");
}

static void check_command(enum run_options_command command, const uint8_t *data, size_t size)
{
    CLEANUP_FREE char *first = read_words(command, data, size);
    CLEANUP_FREE char *second = read_words(command, data, size);

    fuzz_require(strcmp(first, second) == 0, "first '%s', then '%s'", first, second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_command(RUN_OPTIONS_RUN, data, size);
    check_command(RUN_OPTIONS_TEST, data, size);
    return 0;
}
