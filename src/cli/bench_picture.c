#include "cli/bench_picture.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

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

char *bench_number(double value)
{
    if (value < 0)
        return string_copy("-");
    return string_format("%.*f", value < 9.95 ? 1 : 0, value);
}

/* Escapes the characters that have a meaning in XML. */
static void add_xml(struct strbuf *out, const char *text)
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
    add_xml(out, text);
    strbuf_addstr(out, "</text>\n");
}

/* Adds a bar; a value of `longest` has the full length. */
static void add_bar(struct strbuf *out, int y, const struct bench_bar *bar, const char *colour,
                    double longest, const char *unit)
{
    const int length = bar->value > 0 ? (int)(BAR_MAX * bar->value / longest + 0.5) : 0;
    CLEANUP_FREE char *number = bench_number(bar->value);
    CLEANUP_FREE char *figure =
        bar->value < 0 ? string_copy("not measured") : string_format("%s %s", number, unit);

    add_text(out, MARGIN, y + BASELINE, "", bar->label);
    strbuf_addf(out, "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", BAR_X,
                y, length, BAR_HEIGHT, colour);
    add_text(out, BAR_X + length + GAP, y + BASELINE, "", figure);
}

static void add_group(struct strbuf *out, int y, const struct bench_group *group)
{
    const struct bench_bar *first = &group->bars[0], *second = &group->bars[1];
    const double longest = first->value > second->value ? first->value : second->value;

    add_text(out, MARGIN, y, " font-weight=\"bold\"", group->title);
    add_bar(out, y + GAP, first, "#0969da", longest, group->unit);
    if (second->label)
        add_bar(out, y + GAP + BAR_STEP, second, "#8c959f", longest, group->unit);
}

char *bench_picture(const char *heading, const struct bench_group *groups, size_t count,
                    const char *foot)
{
    const int height = TOP + (int)count * GROUP_HEIGHT + (foot ? MARGIN : 0);
    struct strbuf out = STRBUF_INIT;

    strbuf_addf(&out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" "
                "role=\"img\" aria-labelledby=\"title\">\n"
                "  <title id=\"title\">",
                WIDTH, height, WIDTH, height);
    add_xml(&out, heading);
    strbuf_addf(&out,
                "</title>\n"
                "  <rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
                "  <g fill=\"#24292f\">\n",
                WIDTH, height);
    add_text(&out, MARGIN, 28, " font-size=\"15\" font-weight=\"bold\"", heading);
    for (size_t i = 0; i < count; i++)
        add_group(&out, TOP + (int)i * GROUP_HEIGHT, &groups[i]);
    if (foot)
        add_text(&out, MARGIN, height - MARGIN, " font-size=\"12\"", foot);
    strbuf_addstr(&out, "  </g>\n</svg>\n");
    return strbuf_steal(&out);
}
