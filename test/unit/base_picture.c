#include "test.h"

#include "base/picture.h"

/* Pictures of one pixel. */
static const char png[] =
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01"
    "\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41"
    "\x54\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00\x49"
    "\x45\x4e\x44\xae\x42\x60\x82";
static const char jpeg[] =
    "\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xda\x00\x08\x01"
    "\x01\x00\x00\x3f\x00\x7f\x00\xff\x00\x11\xff\xd0\x22\xff\xd9";
static const char gif[] =
    "\x47\x49\x46\x38\x39\x61\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21"
    "\xf9\x04\x01\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44"
    "\x01\x00\x3b";
static const char webp[] =
    "\x52\x49\x46\x46\x18\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c\x0b\x00\x00\x00"
    "\x2f\x00\x00\x00\x00\x07\x88\xfe\xfe\x07\x00\x00";

#define CHECK(type, bytes, expected) check(type, bytes, sizeof bytes - 1, expected)

static void check(const char *type, const char *data, size_t length, const char *expected)
{
    const char *problem = picture_problem(type, data, length);

    if ((problem == NULL) != (expected == NULL) || (problem && strcmp(problem, expected) != 0))
        fail_msg("%s of %zu bytes: %s", type, length, problem ? problem : "whole");
}

/* Each is whole, also with something after it; its beginnings are not. */
static void check_whole(const char *type, const char *data, size_t length, const char *incomplete)
{
    char longer[200] = "";

    memcpy(longer, data, length);
    check(type, data, length, NULL);
    check(type, longer, length + 7, NULL);
    for (size_t part = 0; part < length; part++)
        check(type, data, part, incomplete);
}

CASE(picture__beginnings)
{
    check_whole("image/png", png, sizeof png - 1, "the PNG is not complete");
    check_whole("image/jpeg", jpeg, sizeof jpeg - 1, "the JPEG is not complete");
    check_whole("image/gif", gif, sizeof gif - 1, "the GIF is not complete");
    check_whole("image/webp", webp, sizeof webp - 1, "the WebP is not complete");
    CHECK("image/svg+xml", "<svg", NULL);
}

/* The same with another byte. */
static void check_changed(const char *type, const char *data, size_t length, size_t at,
                          const char *byte, const char *expected)
{
    char changed[200];

    memcpy(changed, data, length);
    changed[at] = *byte;
    check(type, changed, length, expected);
}

static const char TOO_LARGE[] = "it has more than 8000 pixels on a side";
static const char NO_PIXELS[] = "it has no pixels";

CASE(picture__png)
{
    static const char wide[] =
        "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x1f\x41"
        "\x00\x00\x00\x01\x08\x00\x00\x00\x00\x99\xca\xac\xf8\x00\x00\x00\x0a\x49\x44\x41"
        "\x54\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00\x49"
        "\x45\x4e\x44\xae\x42\x60\x82";
    static const char high[] =
        "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01"
        "\x00\x00\x1f\x41\x08\x00\x00\x00\x00\xa4\xb0\x7d\x1e\x00\x00\x00\x0a\x49\x44\x41"
        "\x54\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00\x49"
        "\x45\x4e\x44\xae\x42\x60\x82";
    static const char most[] =
        "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x1f\x40"
        "\x00\x00\x1f\x40\x08\x00\x00\x00\x00\x23\x9a\xf2\x28\x00\x00\x00\x0a\x49\x44\x41"
        "\x54\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00\x49"
        "\x45\x4e\x44\xae\x42\x60\x82";
    static const char flat[] =
        "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x00"
        "\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd5\xbc\xf0\x6b\x00\x00\x00\x0a\x49\x44\x41"
        "\x54\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00\x49"
        "\x45\x4e\x44\xae\x42\x60\x82";
    static const char empty[] =
        "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01"
        "\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x00\x49\x45\x4e"
        "\x44\xae\x42\x60\x82";

    CHECK("image/png", wide, TOO_LARGE);
    CHECK("image/png", high, TOO_LARGE);
    CHECK("image/png", most, NULL);
    CHECK("image/png", flat, NO_PIXELS);
    CHECK("image/png", empty, NO_PIXELS);
    check_changed("image/png", png, sizeof png - 1, 45, "\1", "a checksum of the PNG is wrong");
    check_changed("image/png", png, sizeof png - 1, 33, "\x7f", "the PNG is not complete");
    CHECK("image/png", "\x89PNG\r\n\x1a\n\0\0\0\0IEND\xae\x42\x60\x82",
          "the PNG has no header, or two");
}

CASE(picture__jpeg)
{
    CHECK("image/jpeg", "\xff\xd8\xff\xe0 and something else", "the JPEG is not complete");
    CHECK("image/jpeg", "\xff\xd8\xff\xd9", NO_PIXELS);
    check_changed("image/jpeg", jpeg, sizeof jpeg - 1, 7, "\x20", TOO_LARGE); /* 0x2001 high */
    check_changed("image/jpeg", jpeg, sizeof jpeg - 1, 9, "\x1f", NULL);      /* 0x1f01 wide */
    check_changed("image/jpeg", jpeg, sizeof jpeg - 1, 10, "\0", NO_PIXELS);
    check_changed("image/jpeg", jpeg, sizeof jpeg - 1, 5, "\5", "the JPEG is not complete");
}

CASE(picture__gif)
{
    CHECK("image/gif", "GIF89a\1\0\1\0\0\0\0;", NO_PIXELS);
    check_changed("image/gif", gif, sizeof gif - 1, 7, "\x20", TOO_LARGE);
    check_changed("image/gif", gif, sizeof gif - 1, 6, "\0", NO_PIXELS);
    check_changed("image/gif", gif, sizeof gif - 1, 35, "\x20", TOO_LARGE); /* of the image */
    check_changed("image/gif", gif, sizeof gif - 1, 19, "\1", "the GIF is not complete");
}

CASE(picture__webp)
{
    static const char lossy[] = "RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\1\0\1\0";
    static const char lossy_whole[] =
        "RIFF\x18\0\0\0WEBPVP8 \x0c\0\0\0\0\0\0\x9d\x01\x2a\1\0\1\0\0\0";
    static const char no_image[] = "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const char wide[] = "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x40\x1f\0\0\0\0";

    CHECK("image/webp", "RIFF\x10\0\0\0WEBP and something else", "the WebP is not complete");
    CHECK("image/webp", "RIFF\x04\0\0\0WEBP", NO_PIXELS);
    CHECK("image/webp", lossy, "the WebP is not complete"); /* it has no data */
    CHECK("image/webp", lossy_whole, NULL);
    CHECK("image/webp", no_image, NO_PIXELS);
    CHECK("image/webp", wide, TOO_LARGE);
    check_changed("image/webp", webp, sizeof webp - 1, 20, "\x2e", "the WebP is not complete");
    check_changed("image/webp", webp, sizeof webp - 1, 22, "\x3f", TOO_LARGE); /* 0x3f01 wide */
}
