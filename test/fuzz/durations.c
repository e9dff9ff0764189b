/*
 * Fuzz target: durations, numbers and sizes. The input is the text of one. These properties are
 * checked:
 *
 * - Apart from the range, two regular expressions accept the same texts.
 * - An accepted duration is from one millisecond to 366 days. Written in milliseconds it has the
 * same value, and written twice it has twice the value, unless it is a number alone.
 * - An accepted number is finite and not negative, and has the value of strtod(3). With a unit it
 * is a duration, unless that is out of range. It is a size, too.
 * - A refused text sets one error and does not change the result.
 */
#include "fuzz.h"

#include <math.h>
#include <regex.h>

#include "base/duration.h"

static const long long LONGEST_MS = 366LL * 24 * 3600 * 1000;

#define NUMBER "([0-9]+\\.?[0-9]*|\\.[0-9]+)"
#define UNIT   "(ns|us|\xc2\xb5s|\xce\xbcs|ms|s|m|h)"

enum { UNTOUCHED = -77 };

static regex_t is_duration, is_number, is_size;

static bool matches(const regex_t *expression, const char *text)
{
    return regexec(expression, text, 0, NULL, 0) == 0;
}

/*
 * The duration, or UNTOUCHED if it is refused. *form says whether its form is valid, whatever its
 * range.
 */
static long long read_duration(const char *text, size_t size, bool *form)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    long long milliseconds = UNTOUCHED;

    *form = true;
    if (duration_parse(text, &milliseconds, &error) == 0) {
        fuzz_require(error.kind == ERROR_NONE && !error.message, "%s", error.message);
        fuzz_require(matches(&is_duration, text), "'%s' is taken", text);
        fuzz_require(milliseconds >= 1 && milliseconds <= LONGEST_MS, "%lld", milliseconds);
        return milliseconds;
    }
    fuzz_check_error(&error, fuzz_is_utf8(text, strlen(text)), size + 100);
    fuzz_require(error.kind == ERROR_USAGE, "kind %d", error.kind);
    fuzz_require(milliseconds == UNTOUCHED, "%lld", milliseconds);
    *form = !strstr(error.message + strlen(text), "is not a duration");
    fuzz_require(*form == matches(&is_duration, text), "'%s': %s", text, error.message);
    return milliseconds;
}

static void check_duration(const char *text, size_t size)
{
    bool form;
    const long long got = read_duration(text, size, &form);
    CLEANUP_FREE char *again = string_format("%lldms", got);
    CLEANUP_FREE char *twice = string_format("%s%s", text, text);
    long long doubled;

    if (got == UNTOUCHED)
        return;
    fuzz_require(read_duration(again, strlen(again), &form) == got, "'%s' is not '%s'", again,
                 text);
    if (matches(&is_number, text))
        return;
    doubled = read_duration(twice, strlen(twice), &form);
    fuzz_require(form, "%s", twice);
    if (doubled == UNTOUCHED)
        fuzz_require(got > LONGEST_MS / 2 - 1, "'%s' is refused", twice);
    else /* each is rounded by itself */
        fuzz_require(doubled >= 2 * got - 1 && doubled <= 2 * got + 1, "%lld, %lld", got, doubled);
}

static void check_number(const char *text, size_t size)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *seconds = string_format("%ss", text);
    double number = UNTOUCHED;
    bool form;

    if (number_parse(text, "", &number, &error) != 0) {
        fuzz_check_error(&error, fuzz_is_utf8(text, strlen(text)), size + 100);
        fuzz_require(error.kind == ERROR_USAGE, "kind %d", error.kind);
        fuzz_require(number == UNTOUCHED, "%g", number);
        fuzz_require(!matches(&is_number, text) || isinf(strtod(text, NULL)), "'%s'", text);
        return;
    }
    fuzz_require(matches(&is_number, text), "'%s' is taken", text);
    fuzz_require(error.kind == ERROR_NONE && !error.message, "%s", error.message);
    fuzz_require(isfinite(number) && number >= 0 && !signbit(number), "%g", number);
    fuzz_require(number == strtod(text, NULL), "%g is not '%s'", number, text);
    read_duration(seconds, size + 1, &form);
    fuzz_require(form, "'%s' is a number, and '%s' no duration", text, seconds);
}

static void check_size(const char *text, size_t size)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    double number = UNTOUCHED;

    if (size_parse(text, 1 << 20, "MB", &number, &error) != 0) {
        fuzz_check_error(&error, fuzz_is_utf8(text, strlen(text)), size + 100);
        fuzz_require(error.kind == ERROR_USAGE, "kind %d", error.kind);
        fuzz_require(!matches(&is_number, text) || isinf(strtod(text, NULL)), "'%s'", text);
        return;
    }
    fuzz_require(matches(&is_size, text), "'%s' is taken", text);
    fuzz_require(isfinite(number) && number >= 0 && !signbit(number), "%g", number);
    fuzz_require(!matches(&is_number, text) || number == strtod(text, NULL), "%g", number);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_require(
        regcomp(&is_duration, "^(" NUMBER "|(" NUMBER UNIT ")+)$", REG_EXTENDED | REG_NOSUB) == 0 &&
            regcomp(&is_size, "^" NUMBER "(b|[kmg](i?b)?)?$",
                    REG_EXTENDED | REG_NOSUB | REG_ICASE) == 0 &&
            regcomp(&is_number, "^" NUMBER "$", REG_EXTENDED | REG_NOSUB) == 0,
        "regular expressions");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_FREE char *text = fuzz_string(data, size);

    check_duration(text, size);
    check_number(text, size);
    check_size(text, size);
    return 0;
}
