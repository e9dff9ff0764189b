#include "test.h"

#include "base/duration.h"

static void check(const char *text, long long expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    long long milliseconds = -1;
    const int result = duration_parse(text, &milliseconds, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
    if (milliseconds != expected)
        fail_msg("'%s' is %lld ms, not %lld", text, milliseconds, expected);
}

static void check_bad(const char *text, const char *message)
{
    struct error error = ERROR_INIT;
    long long milliseconds = -1;

    assert_int_equal(duration_parse(text, &milliseconds, &error), -1);
    assert_int_equal(milliseconds, -1);
    assert_error(&error, ERROR_USAGE, message);
}

static void check_no_duration(const char *text)
{
    CLEANUP_FREE char *message =
        string_format("'%s' is not a duration; write it like 500ms, 30, 1m30s or 1h", text);

    check_bad(text, message);
}

static void check_out_of_range(const char *text)
{
    CLEANUP_FREE char *message =
        string_format("'%s' must be more than 0 and less than a year", text);

    check_bad(text, message);
}

/* The durations in Go's own tests (src/time/time_test.go, parseDurationTests) that are in range. */
CASE(duration__forms_of_go)
{
    check("5s", 5000);
    check("30s", 30000);
    check("30", 30000);
    check("0.25", 250);
    check("1478s", 1478000);
    check("5.0s", 5000);
    check("5.6s", 5600);
    check("5.s", 5000);
    check(".5s", 500);
    check("1.0s", 1000);
    check("1.00s", 1000);
    check("1.004s", 1004);
    check("1.0040s", 1004);
    check("100.00100s", 100001);
    check("13ms", 13);
    check("14s", 14000);
    check("15m", 900000);
    check("16h", 57600000);
    check("3h30m", 12600000);
    check("10.5s4m", 250500);
    check("39h9m14.425s", 140954425);
    check("0.3333333333333333333h", 1200000);
    check("0.100000000000000000000h", 360000);
}

CASE(duration__units)
{
    check("1ms", 1);
    check("1s", 1000);
    check("1m", 60000);
    check("1h", 3600000);
    check("1m30s", 90000);
    check("1h1m1s1ms", 3661001);
    check("1s1s", 2000);
    check("1s1m", 61000);
    check("007s", 7000);
    check("1m0s", 60000);
    check("0s1ms", 1);
}

CASE(duration__rounds_up_to_milliseconds)
{
    check("10ns", 1);
    check("11us", 1);
    check("12\xc2\xb5s", 1); /* U+00B5, the micro sign */
    check("12\xce\xbcs", 1); /* U+03BC, the Greek letter */
    check("1000us", 1);
    check("1001us", 2);
    check("1000000ns", 1);
    check("1000001ns", 2);
    check("52763797000ns", 52764);
    check("1.0001s", 1001);
    check("1h2m3s4ms5us6ns", 3723005);
    check("0.0000001ns", 1);
}

/* A whole number of milliseconds is not rounded up. */
CASE(duration__is_exact_for_fractions_of_seconds)
{
    char text[32];

    check("2.007s", 2007);
    for (int n = 1; n < 20000; n++) {
        snprintf(text, sizeof text, "%d.%03ds", n / 1000, n % 1000);
        check(text, n);
    }
}

CASE(duration__is_exact_for_fractions_of_hours)
{
    check("1.5h", 5400000);
    check("1.1h", 3960000);
    check("2.2h", 7920000);
    check("8.3h", 29880000);
    check("1.1m", 66000);
}

CASE(duration__range)
{
    check("8784h", 31622400000);
    check_out_of_range("8784h1ms");
    check_out_of_range("8785h");
    check_out_of_range("9223372036854775807ns9223372036854775807s");
    check_out_of_range("99999999999999999999999999999999s");
    check_out_of_range("0s");
    check_out_of_range("0ns");
    check_out_of_range("0.0h");
    check_out_of_range("0h0m0s");
    check_out_of_range("00000ms");
}

/* More digits than a double has. */
CASE(duration__very_long_numbers)
{
    char text[600];

    memset(text, '9', 500);
    text[500] = 's';
    text[501] = '\0';
    check_out_of_range(text);
    memset(text, '0', 500);
    memcpy(text + 500, "1s", 3);
    check("0.00000000000000000000000000000000000000000000000000000000000000000000001s", 1);
    check(text, 1000);
}

CASE(duration__no_durations)
{
    static const char *const bad[] = {
        "",     "0x",   "3y",    "5x",   "s",      ".",    ".s",    "..s",   "1..s",  "1.5.5s",
        "1d",   "1w",   "1y",    "1S",   "1H",     "1M",   "1MS",   "1 s",   " 1s",   "1s ",
        "1s,",  "1,5s", "1s1",   "1s.",  "1e3s",   "1E3s", "1e309", "0x10s", "0x1p3", "1_000s",
        "NaN",  "nan",  "NaNs",  "inf",  "infs",   "Inf",  "one",   "ms",    "1msec", "1sec",
        "1min", "1hr",  "1h 1m", "1h-1", "1h-30m", "\n1s", "1s\n",  "1\xb5s"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_no_duration(bad[i]);
}

/* Go takes a sign. A timeout has none. */
CASE(duration__no_signs)
{
    static const char *const bad[] = {"-1s", "+1s", "-0",  "+0",    "-",
                                      "+",   "-.",  "+.s", "1m-1s", "--1s"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_no_duration(bad[i]);
}

static void check_number(const char *text, double expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    double number = -1;
    const int result = number_parse(text, "", &number, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
    if (number != expected)
        fail_msg("'%s' is %.17g, not %.17g", text, number, expected);
}

CASE(number__forms)
{
    check_number("0", 0);
    check_number("64", 64);
    check_number("0.5", 0.5);
    check_number(".5", 0.5);
    check_number("5.", 5);
    check_number("0064", 64);
    check_number("1048576", 1048576);
    check_number("0.1", 0.1);
    check_number("1000000000000000000000", 1e21);
}

CASE(number__no_numbers)
{
    static const char *const bad[] = {
        "",     ".",     "..",    "1..2", "1.2.3", "-1",  "+1",       "-0",  "1e3", "1E3",
        "0x10", "0x1p3", "1e309", "NaN",  "nan",   "inf", " 1",       "1 ",  "1,5", "1_0",
        "64m",  "ten",   "1\n",   "Inf",  "1-",    "0b1", "infinity", "1/2", "2*3", "\xb2"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format("'%s' is not a number", bad[i]);
        struct error error = ERROR_INIT;
        double number = -1;

        assert_int_equal(number_parse(bad[i], "", &number, &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        assert_true(number == -1);
    }
}

CASE(number__too_large)
{
    char text[401];
    CLEANUP_FREE char *message = NULL;
    struct error error = ERROR_INIT;
    double number;

    memset(text, '9', 400);
    text[400] = '\0';
    message = string_format("'%s' is too large", text);
    assert_int_equal(number_parse(text, "", &number, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
}

static void check_size(const char *text, double unit_bytes, double expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    double number = -1;

    assert_int_equal(size_parse(text, unit_bytes, "MB", &number, &error), 0);
    if (number != expected)
        fail_msg("'%s' is %g, not %g", text, number, expected);
}

static void check_no_size(const char *text)
{
    struct error error = ERROR_INIT;
    double number = -1;
    CLEANUP_FREE char *message =
        string_format("'%s' is not a size; write it like 512m, 1g, or 64 MB", text);

    assert_int_equal(size_parse(text, 1, "MB", &number, &error), -1);
    assert_true(number == -1);
    assert_error(&error, ERROR_USAGE, message);
}

CASE(size__parse)
{
    const double mb = 1 << 20;

    check_size("64", mb, 64);
    check_size("0.5", mb, 0.5);
    check_size("512m", mb, 512);
    check_size("1g", mb, 1024);
    check_size("1.5G", mb, 1536);
    check_size("2GB", mb, 2048);
    check_size("3MiB", mb, 3);
    check_size("1024k", mb, 1);
    check_size("1048576b", mb, 1);
    check_size("64", 1, 64);
    check_size("1m", 1, mb);
    check_no_size("");
    check_no_size("m");
    check_no_size("64t");
    check_no_size("64mm");
    check_no_size("64bb");
    check_no_size("64 m");
    check_no_size("-64m");
    check_no_size("1e3m");
}
