#include "test.h"

#include <float.h>

#include "base/decimal.h"

static void check(const char *text, double expected)
{
    double number = -77;

    if (!decimal_read(text, strlen(text), &number))
        fail_msg("'%s' is refused", text);
    if (number != expected)
        fail_msg("'%s' is %.17g, not %.17g", text, number, expected);
}

static void check_refused(const char *text, size_t length)
{
    double number = -77;

    if (decimal_read(text, length, &number))
        fail_msg("'%s' is taken, as %.17g", text, number);
    assert_true(number == -77);
}

CASE(decimal__forms)
{
    check("0", 0);
    check("-0", 0);
    check("42", 42);
    check("+42", 42);
    check("-1.5", -1.5);
    check(".5", 0.5);
    check("5.", 5);
    check("007", 7);
    check("1e3", 1000);
    check("1E+3", 1000);
    check("-1.5e-3", -0.0015);
    check(".5e1", 5);
    check("5.e1", 50);
    check("1.7976931348623157e308", DBL_MAX);
    check("1e-999", 0);
}

CASE(decimal__no_numbers)
{
    static const char *const bad[] = {
        "",         "+",    "-",   ".",   "-.", "e",  "e5",   ".e5",   "1e",    "1e+",
        "1e5.",     "1.2.", "--1", "+-1", " 1", "1 ", "1\n",  "0x1",   "1p3",   "inf",
        "infinity", "nan",  "1,5", "1_0", "1d", "1f", "1e1e", "1e999", "-1e999"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_refused(bad[i], strlen(bad[i]));
    check_refused("1\0", 2);
    check_refused("1\0002", 3);
}

/* The bytes after the number are not read, and a number of the maximum length is taken. */
CASE(decimal__length)
{
    char digits[DECIMAL_MAX + 1];
    double number;

    assert_true(decimal_read("12345", 2, &number));
    assert_true(number == 12);
    memset(digits, '0', sizeof digits);
    digits[0] = '1';
    digits[1] = '.';
    assert_true(decimal_read(digits, DECIMAL_MAX, &number));
    assert_true(number == 1);
    check_refused(digits, DECIMAL_MAX + 1);
}

static bool equal(const char *one, const char *other)
{
    const bool result = decimal_equal(one, strlen(one), other, strlen(other));

    assert_true(decimal_equal(other, strlen(other), one, strlen(one)) == result);
    return result;
}

CASE(decimal__equal)
{
    static const char *const same[][2] = {{"1", "1"},
                                          {"1", "1.0"},
                                          {"1", "10e-1"},
                                          {"0.001", "1e-3"},
                                          {"100", "1e2"},
                                          {"007", "7"},
                                          {"+7", "7"},
                                          {"-0", "0.000e5"},
                                          {".5", "0.50"},
                                          {"5.", "5"},
                                          {"10203.0", "1.0203e4"},
                                          {"0e999999999999999", "0"},
                                          {"1e400", "10E399"},
                                          {"0.10", "1e-1"}};
    static const char *const different[][2] = {
        {"1", "-1"},
        {"1", "10"},
        {"1", "1.01"},
        {"101", "11"},
        {"9007199254740993", "9007199254740992"},
        {"1e15", "1e16"},
        {"12", "1.2"},
        {"1", ""},
        {"1", "x"},
        {"inf", "inf"},
        {"0", "00001e-1"},
        {"1e1000000000000000", "1e1000000000000000"}}; /* too long an exponent */

    for (size_t i = 0; i < COUNT(same); i++)
        if (!equal(same[i][0], same[i][1]))
            fail_msg("%s is not %s", same[i][0], same[i][1]);
    for (size_t i = 0; i < COUNT(different); i++)
        if (equal(different[i][0], different[i][1]))
            fail_msg("%s is %s", different[i][0], different[i][1]);
}
