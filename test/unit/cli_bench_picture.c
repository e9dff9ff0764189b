#include "test.h"

#include "cli/bench_figures.h"
#include "cli/bench_picture.h"

/* Asserts that the picture has this line. */
static void assert_line(const char *picture, const char *line)
{
    CLEANUP_FREE char *whole = string_format("\n  %s\n", line);

    if (!strstr(picture, whole))
        fail_msg("no line \"%s\" in:\n%s", line, picture);
}

/* The longer bar of a row has the full length, whichever it is. */
CASE(bench_picture__bars)
{
    const struct bench_figures figures = {.rounds = 3,
                                          .parallel = 2,
                                          .here = {[BENCH_DOCKER] = 400,
                                                   [BENCH_COLD] = 414,
                                                   [BENCH_WARM] = 2.04,
                                                   [BENCH_CELL] = 0,
                                                   [BENCH_BATCH] = 7.9,
                                                   [BENCH_TESTS] = -1}};
    CLEANUP_FREE char *picture = bench_figures_picture(&figures);

    assert_line(picture, "<text x=\"16\" y=\"122\" font-weight=\"bold\">a program, no container "
                         "waits</text>");
    assert_line(picture, "<rect x=\"96\" y=\"64\" width=\"490\" height=\"14\" fill=\"#0969da\"/>");
    assert_line(picture, "<text x=\"594\" y=\"76\">400 ms</text>");
    assert_line(picture, "<rect x=\"96\" y=\"130\" width=\"490\" height=\"14\" fill=\"#0969da\"/>");
    assert_line(picture, "<text x=\"594\" y=\"142\">414 ms</text>");
    assert_line(picture, "<rect x=\"96\" y=\"150\" width=\"219\" height=\"14\" fill=\"#8c959f\"/>");
    assert_line(picture, "<text x=\"323\" y=\"162\">185 ms</text>");
    assert_line(picture, "<rect x=\"96\" y=\"196\" width=\"196\" height=\"14\" fill=\"#0969da\"/>");
    assert_line(picture, "<text x=\"300\" y=\"208\">2.0 ms</text>");
    assert_line(picture, "<rect x=\"96\" y=\"216\" width=\"490\" height=\"14\" fill=\"#8c959f\"/>");
    assert_line(picture, "<text x=\"104\" y=\"274\">0.0 ms</text>");
    assert_line(picture, "<text x=\"594\" y=\"340\">7.9 per second</text>");
    assert_line(picture, "<text x=\"594\" y=\"360\">7.9 per second</text>");
    assert_line(picture, "<rect x=\"96\" y=\"394\" width=\"0\" height=\"14\" fill=\"#0969da\"/>");
    assert_line(picture, "<text x=\"104\" y=\"406\">not measured</text>");
    assert_line(picture, "<text x=\"594\" y=\"426\">192 per second</text>");
    assert_line(picture, "<text x=\"16\" y=\"452\" font-size=\"12\">README: two idle cores, Docker "
                         "20.10, Debian 12. Here: medians of 3 rounds, the batch runs 2 at a "
                         "time.</text>");
}

/* README has no figure for the first row, which then has one bar. */
CASE(bench_picture__no_reference)
{
    const struct bench_figures figures = {.rounds = 1, .parallel = 1};
    CLEANUP_FREE char *picture = bench_figures_picture(&figures);
    size_t bars = 0;

    for (const char *at = strstr(picture, ">README</text>"); at;
         at = strstr(at + 1, ">README</text>"))
        bars++;
    assert_int_equal(bars, BENCH_ROWS - 1);
}

CASE(bench_picture__xml)
{
    const struct bench_group group = {"a < b & \"c\" > d'", "ms", {{"<", 1}, {"&", 2}}};
    CLEANUP_FREE char *picture = bench_picture("A & B", &group, 1, NULL);

    assert_line(picture, "<title id=\"title\">A &amp; B</title>");
    assert_line(picture,
                "<text x=\"16\" y=\"56\" font-weight=\"bold\">a &lt; b &amp; &quot;c&quot; "
                "&gt; d'</text>");
    assert_line(picture, "<text x=\"16\" y=\"76\">&lt;</text>");
    assert_line(picture, "<text x=\"16\" y=\"96\">&amp;</text>");
    assert_line(picture,
                "<rect width=\"720\" height=\"122\" fill=\"#ffffff\"/>"); /* no line below */
}
