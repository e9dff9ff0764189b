#include "cli/bench_picture.h"

#include "base/cleanup.h"

/* In pixels. A group is a heading and two bars; a bar has its label on the left. */
enum {
    WIDTH = 720,
    MARGIN = 16,
    TOP = 56,
    GROUP_HEIGHT = 66,
    BAR_X = 96,
    BAR_HEIGHT = 14,
    BAR_STEP = 20,
    BAR_MAX = 490,
    GAP = 8,
    BASELINE = 12 /* of a text next to a bar, below the top of the bar */
};

static const char HEADING[] = "Speed of isolator: this engine and README";

void bench_add_xml(struct strbuf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            strbuf_addstr(out, "&amp;");
            break;
        case '<':
            strbuf_addstr(out, "&lt;");
            break;
        case '>':
            strbuf_addstr(out, "&gt;");
            break;
        case '"':
            strbuf_addstr(out, "&quot;");
            break;
        default:
            strbuf_addch(out, *text);
        }
}

static void add_text(struct strbuf *out, int x, int y, const char *attributes, const char *text)
{
    strbuf_addf(out, "  <text x=\"%d\" y=\"%d\"%s>", x, y, attributes);
    bench_add_xml(out, text);
    strbuf_addstr(out, "</text>\n");
}

/* Adds a bar for a value of which `longest` has the full length. */
static void add_bar(struct strbuf *out, int y, const char *label, const char *colour, double value,
                    double longest, const char *unit)
{
    const int length = value > 0 ? (int)(BAR_MAX * value / longest + 0.5) : 0;
    CLEANUP_FREE char *number = bench_number(value);
    CLEANUP_FREE char *figure =
        value < 0 ? string_copy("not measured") : string_format("%s %s", number, unit);

    add_text(out, MARGIN, y + BASELINE, "", label);
    strbuf_addf(out, "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", BAR_X,
                y, length, BAR_HEIGHT, colour);
    add_text(out, BAR_X + length + GAP, y + BASELINE, "", figure);
}

static void add_group(struct strbuf *out, int y, const struct bench_figures *figures,
                      enum bench_row row)
{
    const double here = figures->here[row], reference = bench_reference(row);
    const double longest = here > reference ? here : reference;

    add_text(out, MARGIN, y, " font-weight=\"bold\"", bench_title(row));
    add_bar(out, y + GAP, "here", "#0969da", here, longest, bench_unit(row));
    if (reference >= 0)
        add_bar(out, y + GAP + BAR_STEP, "README", "#8c959f", reference, longest, bench_unit(row));
}

char *bench_picture(const struct bench_figures *figures)
{
    const int height = TOP + BENCH_ROWS * GROUP_HEIGHT + MARGIN;
    CLEANUP_FREE char *conditions = bench_conditions(figures);
    struct strbuf out = STRBUF_INIT;

    strbuf_addf(&out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" "
                "role=\"img\" aria-labelledby=\"title\">\n"
                "  <title id=\"title\">%s</title>\n"
                "  <rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
                "  <g fill=\"#24292f\">\n",
                WIDTH, height, WIDTH, height, HEADING, WIDTH, height);
    add_text(&out, MARGIN, 28, " font-size=\"15\" font-weight=\"bold\"", HEADING);
    for (int row = 0; row < BENCH_ROWS; row++)
        add_group(&out, TOP + row * GROUP_HEIGHT, figures, row);
    add_text(&out, MARGIN, height - MARGIN, " font-size=\"12\"", conditions);
    strbuf_addstr(&out, "  </g>\n</svg>\n");
    return strbuf_steal(&out);
}
