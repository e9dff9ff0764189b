#include "cli/attack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attacks.h" /* generated: struct { const char *name, *text; } attacks[] */
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/selftest_tools.h"

/* How many bytes of an attack's output are printed. */
enum { SEEN_MAX = 4000 };

size_t attack_count(void)
{
    return sizeof attacks / sizeof *attacks;
}

struct attack attack_get(size_t index)
{
    return (struct attack){.name = attacks[index].name, .text = attacks[index].text};
}

/* Reads a whole number of the header. */
static bool read_number(const char *value, long max, long *number)
{
    char *end;

    *number = strtol(value, &end, 10);
    return end != value && *end == '\0' && *number >= 1 && *number <= max;
}

static bool copy_text(char *target, size_t size, const char *value)
{
    return *value != '\0' && snprintf(target, size, "%s", value) < (int)size;
}

/* Reads a line "KEY: VALUE" after the title. */
static bool read_key(struct attack *attack, const char *line)
{
    const char *value = strstr(line, ": ");
    const size_t length = value ? (size_t)(value - line) : 0;

    if (!value)
        return false;
    value += 2;
    if (length == 5 && memcmp(line, "holds", 5) == 0)
        return copy_text(attack->holds, sizeof attack->holds, value);
    if (length == 3 && memcmp(line, "gap", 3) == 0)
        return copy_text(attack->gap, sizeof attack->gap, value);
    if (length == 6 && memcmp(line, "gvisor", 6) == 0)
        return copy_text(attack->gvisor, sizeof attack->gvisor, value);
    if (length == 4 && memcmp(line, "ends", 4) == 0)
        return snprintf(attack->ends, sizeof attack->ends, " %s ", value) <
               (int)sizeof attack->ends;
    if (length == 6 && memcmp(line, "silent", 6) == 0)
        return snprintf(attack->silent, sizeof attack->silent, " %s ", value) <
               (int)sizeof attack->silent;
    if (length == 6 && memcmp(line, "status", 6) == 0)
        return read_number(value, 255, &attack->status);
    if (length == 7 && memcmp(line, "timeout", 7) == 0)
        return read_number(value, 3600, &attack->timeout);
    if (length == 6 && memcmp(line, "memory", 6) == 0)
        return read_number(value, 1048576, &attack->memory);
    if (length == 3 && memcmp(line, "cpu", 3) == 0)
        return read_number(value, 3600, &attack->cpu);
    if (length == 6 && memcmp(line, "copies", 6) == 0)
        return read_number(value, ATTACK_COPIES_MAX, &attack->copies);
    if (length == 5 && memcmp(line, "tests", 5) == 0)
        return read_number(value, ATTACK_TESTS_MAX, &attack->tests);
    if (length == 5 && memcmp(line, "tools", 5) == 0)
        return read_number(value, 1, &attack->tools);
    if (length == 5 && memcmp(line, "calls", 5) == 0)
        return sscanf(value, "%d %d", &attack->calls_ok, &attack->calls_failed) == 2;
    return false;
}

int attack_read(struct attack *attack, struct error *error)
{
    const char *rest = attack->text;
    bool valid = true;

    attack->status = 0;
    attack->timeout = 20;
    attack->memory = 128;
    attack->cpu = 0;
    attack->copies = 1;
    attack->tests = attack->tools = 0;
    attack->calls_ok = -1;
    snprintf(attack->ends, sizeof attack->ends, " exit ");
    for (int number = 0; valid && strncmp(rest, "# ", 2) == 0; number++) {
        const size_t length = strcspn(rest, "\n");
        CLEANUP_FREE char *line = string_format("%.*s", (int)length - 2, rest + 2);

        valid = number == 0 ? copy_text(attack->title, sizeof attack->title, line)
                            : read_key(attack, line);
        rest += length + (rest[length] == '\n');
    }
    if (!valid || attack->holds[0] == '\0')
        return error_set(error, ERROR_CONFIG, "attack '%s' has an invalid header", attack->name);
    return 0;
}

void attack_set_silent_engine(struct attack *attack)
{
    const size_t length = strlen(attack->ends);

    snprintf(attack->ends + length, sizeof attack->ends - length, "%s", attack->silent);
}

void attack_set_gvisor(struct attack *attack)
{
    if (attack->gvisor[0] == '\0')
        return;
    snprintf(attack->gap, sizeof attack->gap, "%s", attack->gvisor);
    attack->may_be_unclear = true;
}

/* Passes the limits of the request to the program. */
static void add_environment(struct request *request, const struct config *config, long copy)
{
    const struct sandbox_policy *policy = &request->policy;
    const struct limits *limits = &policy->limits;
    struct strvec *environment = &request->environment;

    strvec_pushf(environment, "LIMIT_MEMORY_BYTES=%lld", limits_bytes(limits, LIMIT_MEMORY));
    strvec_pushf(environment, "LIMIT_CPUS=%.3f", limits->number[LIMIT_CPUS]);
    strvec_pushf(environment, "LIMIT_PIDS=%.0f", limits->number[LIMIT_PIDS]);
    strvec_pushf(environment, "LIMIT_WORKDIR_BYTES=%lld", limits_bytes(limits, LIMIT_WORKDIR));
    strvec_pushf(environment, "LIMIT_TMP_BYTES=%lld", limits_bytes(limits, LIMIT_TMP));
    if (policy->has_user)
        strvec_pushf(environment, "LIMIT_USERS=%u:%u", policy->uid, policy->gid);
    else
        strvec_pushf(environment, "LIMIT_USERS=%u-%u", config->users.first, config->users.last);
    strvec_pushf(environment, "LIMIT_NETLINK=%d", config->allow_netlink);
    strvec_pushf(environment, "COPY=%ld", copy);
}

static void add_tests(struct request *request, long count)
{
    for (long i = 0; i < count; i++) {
        struct case_request *test = case_requests_add(&request->tests);

        test->name = string_format("%ld", i);
        test->no_expected = true; /* its exit status says whether the attack was stopped */
        strvec_pushf(&test->environment, "TEST=%ld", i);
    }
}

int attack_request(const struct attack *attack, long copy, const struct config *config,
                   struct request *request, struct error *error)
{
    const struct language *python = config_language(config, "python");

    if (!python)
        return error_set(error, ERROR_CONFIG,
                         "cannot run attacks: they need the language 'python', which is not in the "
                         "configuration");
    request->language = string_copy("python");
    request->input.code = string_copy(attack->text);
    request->input.code_length = strlen(attack->text);
    config_policy(config, python, &request->policy);
    request->policy.limits.number[LIMIT_TIMEOUT] = (double)attack->timeout;
    request->policy.limits.number[LIMIT_MEMORY] = (double)attack->memory;
    if (attack->cpu > 0)
        request->policy.limits.number[LIMIT_CPU_TIME] = (double)attack->cpu;
    sandbox_policy_clamp(&request->policy, &config->maximums);
    add_environment(request, config, copy);
    add_tests(request, attack->tests);
    if (attack->tools > 0)
        strvec_push(&request->tools, SELFTEST_TOOLS);
    return 0;
}

/*
 * Adds the rest of each line that begins with `start`, up to about SEEN_MAX bytes in all. Returns
 * the number of such lines.
 */
static int add_matching_lines(struct strbuf *seen, const char *text, const char *start)
{
    int count = 0;

    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        const size_t skip = strlen(start);

        if (strncmp(line, start, skip) != 0)
            continue;
        count++;
        if (seen->length < SEEN_MAX) {
            CLEANUP_FREE char *rest = string_format(
                "%.*s", (int)(length - skip < SEEN_MAX ? length - skip : SEEN_MAX), line + skip);
            CLEANUP_FREE char *escaped = text_escape(rest);

            strbuf_addf(seen, "%s%s", count > 1 ? "; " : "", escaped);
        }
    }
    return count;
}

/*
 * A stream of the program, or of all tests, as text that ends with a line feed, with blanks instead
 * of NULs; owned.
 */
static char *text_of(const struct result *result, int stream)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_add(&text, strbuf_string(&result->text[stream]), result->text[stream].length);
    strbuf_addch(&text, '\n');
    for (size_t i = 0; i < result->tests.count; i++) {
        const struct strbuf *part = &result->tests.items[i].text[stream];

        strbuf_add(&text, strbuf_string(part), part->length);
        strbuf_addch(&text, '\n');
    }
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] == '\0')
            text.data[i] = ' ';
    return strbuf_steal(&text);
}

/* The last line of the text that is not empty; owned. */
static char *last_line(const char *text)
{
    size_t end = strlen(text), begin;

    while (end > 0 && text[end - 1] == '\n')
        end--;
    for (begin = end; begin > 0 && text[begin - 1] != '\n'; begin--)
        ;
    return string_format("%.*s", (int)(end - begin), text + begin);
}

/* Whether the record of the calls of tools is true; else `seen` gets what it is. */
static bool has_calls(const struct attack *attack, const struct result *result, struct strbuf *seen)
{
    const unsigned long long ok = result->tools ? result->tools->succeeded : 0;
    const unsigned long long failed = result->tools ? result->tools->failed : 0;

    if (ok == (unsigned)attack->calls_ok && failed == (unsigned)attack->calls_failed)
        return true;
    strbuf_addf(seen, "%llu calls are said to be ok and %llu failed, instead of %d and %d", ok,
                failed, attack->calls_ok, attack->calls_failed);
    return false;
}

static enum attack_verdict judge(const struct attack *attack, const struct result *result,
                                 struct strbuf *seen)
{
    static const char held[] = "held: ";
    CLEANUP_FREE char *reason = string_format(" %s ", result_reason(result));
    CLEANUP_FREE char *output = text_of(result, 0);
    CLEANUP_FREE char *errors = text_of(result, 1);
    CLEANUP_FREE char *last_output = last_line(output);
    CLEANUP_FREE char *last_error = last_line(errors);
    CLEANUP_FREE char *escaped = NULL;

    if (add_matching_lines(seen, output, "got through: ") > 0)
        return attack->gap[0] != '\0' ? ATTACK_GAP : ATTACK_BREACH;
    if (!strstr(attack->ends, reason)) {
        escaped = text_escape_short(result->error ? result->error : last_error, SEEN_MAX);
        strbuf_addf(seen, "ended with reason%sinstead of%.*s: %s", reason,
                    (int)strlen(attack->ends) - 1, attack->ends, escaped);
        return ATTACK_UNCLEAR;
    }
    if (attack->calls_ok >= 0 && !has_calls(attack, result, seen))
        return ATTACK_BREACH;
    if (result->reason != REASON_EXIT) {
        /* Process 1 reports the figures at a timeout, unless the program keeps it from running. */
        const bool silent = result->reason == REASON_TIMEOUT && result->cpu_us < 0;

        strbuf_addf(seen, "ended with reason %s%s", result_reason(result),
                    silent ? ", but process 1 did not report its figures" : "");
        return silent ? ATTACK_UNCLEAR : ATTACK_HELD;
    }
    if (strncmp(last_output, held, strlen(held)) == 0 && result->exit_code == attack->status) {
        escaped = text_escape_short(last_output + strlen(held), SEEN_MAX);
        strbuf_addstr(seen, escaped);
        return ATTACK_HELD;
    }
    if (result->exit_code == 0 && attack->status != 0) {
        strbuf_addf(seen, "exit status %ld was reported as 0", attack->status);
        return ATTACK_BREACH;
    }
    escaped = text_escape_short(*last_output ? last_output : last_error, SEEN_MAX);
    strbuf_addf(seen, "ended with exit status %d: %s", result->exit_code, escaped);
    return ATTACK_UNCLEAR;
}

enum attack_verdict attack_judge(const struct attack *attack, const struct result *result,
                                 struct strbuf *seen)
{
    const enum attack_verdict verdict = judge(attack, result, seen);

    return attack->may_be_unclear && verdict != ATTACK_HELD ? ATTACK_GAP : verdict;
}
