#include "test.h"

#include "base/mime.h"

#define CHECK(name, bytes, expected)                                                               \
    assert_string_equal(mime_type(name, bytes, sizeof bytes - 1), expected)

CASE(mime__by_content)
{
    CHECK("a", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR....", "image/png");
    CHECK("a.txt", "\xff\xd8\xff\xe0", "image/jpeg");
    CHECK("a", "GIF87a\0", "image/gif");
    CHECK("a", "GIF89a\xff", "image/gif");
    CHECK("a", "RIFF\0\0\0\0WEBPVP8 ", "image/webp");
    CHECK("a", "RIFF\0\0\0\0WAVEfmt ", "audio/wav");
    CHECK("a", "ID3\3\0", "audio/mpeg");
    CHECK("a", "\xff\xfb\x90", "audio/mpeg");
    CHECK("a", "OggS\0", "audio/ogg");
    CHECK("a", "fLaC\0", "audio/flac");
    CHECK("a", "%PDF-1.7", "application/pdf");
    CHECK("a", "PK\3\4", "application/zip");
    CHECK("a", "\x1f\x8b", "application/gzip");
    CHECK("a", "SQLite format 3\0", "application/vnd.sqlite3");
}

/* The name alone does not make a file a picture. */
CASE(mime__what_is_none)
{
    CHECK("a.png", "not a picture", "text/plain");
    CHECK("a.png", "\xff\xff", "application/octet-stream");
    CHECK("a.png", "\x89PNG\r\n\x1a\n<script>alert(1)</script>", "application/octet-stream");
    CHECK("a", "GIF89a is how a text may begin", "text/plain");
    CHECK("a", "OggS", "text/plain");
    CHECK("scores.csv", "ID3,C4.5,CART\n", "text/csv");
    CHECK("a", "RIFF\0\0\0\0AVI ", "application/octet-stream");
    CHECK("a", "RIFF....WEB", "text/plain");
    CHECK("a.csv", "a\0b", "application/octet-stream");
}

CASE(mime__text_by_name)
{
    CHECK("a.csv", "1,2\n", "text/csv");
    CHECK("out.d/A.JSON", "{}", "application/json");
    CHECK("a.svg", "<svg/>", "image/svg+xml");
    CHECK("a.html", "<p>", "text/html");
    CHECK("a.md", "# caf\xc3\xa9", "text/markdown");
    CHECK("csv", "1,2\n", "text/plain");
    CHECK("a.unknown", "", "text/plain");
}

CASE(mime__kinds)
{
    assert_true(mime_is_picture("image/png"));
    assert_false(mime_is_picture("image/svg+xml"));
    assert_false(mime_is_picture("text/plain"));
    assert_true(mime_is_audio("audio/ogg"));
    assert_false(mime_is_audio("image/png"));
    assert_true(mime_is_text("", 0));
    assert_true(mime_is_text("caf\xc3\xa9", 5));
    assert_false(mime_is_text("caf\xc3", 4));
    assert_false(mime_is_text("a\0b", 3));
}
