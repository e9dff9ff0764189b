#include "cli/problem/submission_rules.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/text.h"
#include "base/yaml_text.h"
#include "cli/problem/time_limit.h"

static const struct {
    unsigned verdict;
    const char *code;
} codes[] = {{VERDICT_PASSED, "AC"},
             {VERDICT_WRONG_ANSWER, "WA"},
             {VERDICT_TIMEOUT, "TLE"},
             {VERDICT_RUNTIME_ERROR, "RTE"}};

enum { CODES = sizeof codes / sizeof *codes };

static const struct requirement anything = {VERDICT_ANY, VERDICT_ANY, false, NAN, NAN};

static int read_verdicts(const json_t *value, unsigned *set)
{
    size_t i;
    json_t *item;

    *set = 0;
    json_array_foreach(value, i, item) {
        const char *code = json_string_value(item);
        int which = 0;

        while (which < CODES && code && strcmp(codes[which].code, code) != 0)
            which++;
        if (!code || which == CODES)
            return -1;
        *set |= codes[which].verdict;
    }
    return *set != 0 ? 0 : -1;
}

static bool read_number(const json_t *value, double *number)
{
    return yaml_text_number(value, -INFINITY, INFINITY, number);
}

/* A number, or the least and the most. */
static int read_score(const json_t *value, struct requirement *requirement)
{
    const bool is_range = json_is_array(value);

    if (is_range && json_array_size(value) != 2)
        return -1;
    return read_number(is_range ? json_array_get(value, 0) : value, &requirement->least) &&
                   read_number(is_range ? json_array_get(value, 1) : value, &requirement->most)
               ? 0
               : -1;
}

bool submission_rule_says_something(const json_t *rule)
{
    return json_object_get(rule, "permitted") || json_object_get(rule, "required") ||
           json_object_get(rule, "score") || time_limit_requires(rule);
}

static bool is_text(const json_t *rule, const char *key)
{
    const json_t *value = json_object_get(rule, key);

    return !value || json_is_string(value);
}

int submission_rule_read(struct requirement *requirement, const json_t *rule, struct error *error)
{
    const json_t *permitted = json_object_get(rule, "permitted");
    const json_t *required = json_object_get(rule, "required");
    const json_t *score = json_object_get(rule, "score");

    if (!json_is_object(rule) && !json_is_null(rule))
        return error_set(error, ERROR_INPUT, "must be a mapping");
    if ((permitted && read_verdicts(permitted, &requirement->permitted) != 0) ||
        (required && read_verdicts(required, &requirement->required) != 0))
        return error_set(error, ERROR_INPUT,
                         "permitted and required must be sequences of AC, WA, TLE and RTE");
    if (score && read_score(score, requirement) != 0)
        return error_set(error, ERROR_INPUT, "score must be a number or a sequence of two numbers");
    if (time_limit_read_use(rule, requirement) != 0)
        return error_set(error, ERROR_INPUT, "use_for_time_limit must be false, lower or upper");
    return is_text(rule, "language") && is_text(rule, "entrypoint")
               ? 0
               : error_set(error, ERROR_INPUT, "language and entrypoint must be strings");
}

/* After the last name that is kept comes "and others". */
static void add_once(struct strvec *names, char *name)
{
    if (names->count < SUBMISSION_IGNORED_MAX && !strvec_contains(names, name)) {
        strvec_push_owned(names, name);
        return;
    }
    if (names->count == SUBMISSION_IGNORED_MAX && !strvec_contains(names, name))
        strvec_push(names, "and others");
    free(name);
}

/* What is ignored of a rule; keys with a mapping are about groups of tests. */
static void name_ignored(const char *pattern, const json_t *rule, struct strvec *ignored)
{
    static const char *const known[] = {"permitted", "required",      "score",
                                        "language",  "entrypoint",    "use_for_time_limit",
                                        "authors",   "model_solution"};
    const char *key;
    json_t *value;

    if (strpbrk(pattern, "{}")) /* alternatives, which a glob does not have */
        add_once(ignored, text_escape_short(pattern, TEXT_SHOWN_MAX));
    json_object_foreach((json_t *)rule, key, value) {
        bool is_known = false;

        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= strcmp(key, known[i]) == 0;
        if (!is_known)
            add_once(ignored, text_escape_short(key, TEXT_SHOWN_MAX));
    }
}

int submission_rules_check(const struct submission_rules *rules, struct strvec *ignored,
                           struct error *error)
{
    const char *pattern;
    json_t *rule;

    if (!rules->document || json_is_null(rules->document))
        return 0;
    if (!json_is_object(rules->document))
        return error_set(error, ERROR_INPUT, "it is not a mapping");
    if (json_object_size(rules->document) > SUBMISSION_RULES_MAX)
        return error_set(error, ERROR_INPUT, "it has more than %d patterns", SUBMISSION_RULES_MAX);
    json_object_foreach((json_t *)rules->document, pattern, rule) {
        CLEANUP_FREE char *shown = text_escape_short(pattern, TEXT_SHOWN_MAX);
        CLEANUP(glob_release) struct glob glob = GLOB_INIT;
        struct requirement requirement = anything;

        if (submission_rule_read(&requirement, rule, error) != 0)
            return error_prefix(error, "'%s'", shown);
        if (glob_compile(&glob, pattern, error) != 0) {
            error->kind = ERROR_INPUT;
            return -1;
        }
        name_ignored(pattern, rule, ignored);
    }
    return 0;
}

bool submission_rule_matches(const char *pattern, const char *path, const char *directory)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(glob_release) struct glob glob = GLOB_INIT;

    return glob_compile(&glob, pattern, &error) == 0 &&
           (glob_match(&glob, path) || glob_match(&glob, directory));
}

const char *submission_rules_text(const struct submission_rules *rules, const char *path,
                                  const char *key)
{
    CLEANUP_FREE char *directory = string_format("%.*s", (int)strcspn(path, "/"), path);
    const char *pattern, *text = NULL;
    json_t *rule;

    json_object_foreach((json_t *)rules->document, pattern, rule)
        if (!text && submission_rule_matches(pattern, path, directory))
            text = json_string_value(json_object_get(rule, key));
    return text;
}

/* Whether the first line of a program says so (legacy format, "Programs"). */
static bool is_python2(const char *program)
{
    CLEANUP_FD const int fd = open(program, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char line[256] = "";

    if (fd < 0 || read(fd, line, sizeof line - 1) < 2 || strncmp(line, "#!", 2) != 0)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return strstr(line, "python2");
}

const char *submission_rules_language(const struct submission_rules *rules, const char *path,
                                      const char *program)
{
    const char *language = submission_rules_text(rules, path, "language");
    const char *dot = program ? strrchr(text_file_name(program), '.') : NULL;

    if (language || !dot)
        return language;
    /* format 2025-09, "Languages": the endings of Perl in parentheses do not count */
    if (strcmp(dot, ".pl") == 0)
        return "prolog";
    return strcmp(dot, ".py") == 0 && is_python2(program) ? "python2" : NULL;
}
