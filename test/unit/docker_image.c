#include "test.h"

#include "base/text.h"
#include "docker/image.h"

static void check_reference(const char *reference, const char *message)
{
    struct error error = ERROR_INIT;

    assert_int_equal(image_check_reference(reference, &error), message ? -1 : 0);
    if (message)
        assert_error(&error, ERROR_USAGE, message);
}

CASE(image__references)
{
    static const char *const good[] = {
        "python",        "python:3.11-alpine", "a/b/c:d",     "h:5000/x_y",
        "x@sha256:00ff", "0123456789ab",       "Host.x/name", "a"};
    static const char *const bad[] = {"",    "-x",  "--privileged", " x",  "x y", ".x",
                                      "_x",  "/x",  ":x",           "@x",  "x;y", "x$y",
                                      "x\"", "x\\", "caf\xc3\xa9",  "x|y", "x'",  "x*"};

    for (size_t i = 0; i < COUNT(good); i++)
        check_reference(good[i], NULL);
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message =
            string_format("'%s' is not an image; write it like name:tag", bad[i]);

        check_reference(bad[i], message);
    }
    check_reference("x\n", "'x\\n' is not an image; write it like name:tag");
    check_reference("x\x1b[2J", "'x\\x1b[2J' is not an image; write it like name:tag");
}

CASE(image__reference_of_512_bytes)
{
    char reference[514];
    CLEANUP_FREE char *too_long = NULL;

    memset(reference, 'i', sizeof reference);
    reference[512] = '\0';
    check_reference(reference, NULL);
    reference[512] = 'i';
    reference[513] = '\0';
    too_long = string_format("'%.80s...' is not an image; write it like name:tag", reference);
    check_reference(reference, too_long);
}

static void check_tag(const char *tag)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = image_check_tag(tag, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

static void check_tag_refused(const char *tag, const char *message)
{
    struct error error = ERROR_INIT;

    if (image_check_tag(tag, &error) == 0)
        fail_msg("'%s' is taken for a tag", tag);
    assert_error(&error, ERROR_USAGE, message);
}

static void check_no_tag(const char *tag)
{
    CLEANUP_FREE char *message = string_format(
        "'%.80s%s' is not a tag for an image; write it like name:tag, the name in lower case", tag,
        strlen(tag) > 80 ? "..." : "");

    check_tag_refused(tag, message);
}

CASE(image__message_ends_with_a_whole_character)
{
    char name[100] = "x";
    CLEANUP_FREE char *shown = NULL;
    CLEANUP_FREE char *reference = NULL;
    CLEANUP_FREE char *tag = NULL;

    for (int i = 1; i < 99; i++)
        name[i] = i % 2 ? '\xc3' : '\xa4';
    name[99] = '\0';
    shown = string_format("'%.79s...' is not", name);
    reference = string_format("%s an image; write it like name:tag", shown);
    check_reference(name, reference);
    tag = string_format("%s a tag for an image; write it like name:tag, the name in lower case",
                        shown);
    check_tag_refused(name, tag);
}

/* `docker tag` 28.2 accepts and refuses the same names. */
CASE(image__tags)
{
    static const char *const good[] = {"name",
                                       "name:tag",
                                       "name:Tag_1.0-x",
                                       "a/b/name:1",
                                       "a--b",
                                       "a__b",
                                       "a.b_c-d",
                                       "0",
                                       "localhost/x",
                                       "localhost:5000/x:1",
                                       "host:5000/x",
                                       "h.x/name:1",
                                       "h.x:80/a/b/name",
                                       "a_b/c",
                                       "A.b/c",
                                       "host:5000",
                                       "x:_",
                                       "docker.io/library/x",
                                       "sub-d.foo.com/bar/baz/quux:tag"};

    for (size_t i = 0; i < COUNT(good); i++)
        check_tag(good[i]);
}

CASE(image__no_tags)
{
    static const char *const bad[] = {
        "",        "-name",    "name tag",   "name:",    "name:a:b",  "name@sha256:0",
        "a/",      "/a",       "a//b",       "a/:tag",   "name:tag:", ":tag",
        "Name",    "a/nAme:1", "name:.t",    "name:-t",  "name:t/a",  "a..b",
        "a___b",   "a.-b",     "a_.b",       "-a",       "a-",        "a.",
        "_a",      "a_",       ".a",         "h:/x",     "a:b/c",     "h:5000/X",
        "h:50a/x", "name:t@x", "a\\b",       "name:t+x", "~/x",       "h.x/",
        "h.x//x",  "x y/z",    "caf\xc3\xa9"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_no_tag(bad[i]);
}

/* A host has only letters and digits, with "-" between them. */
CASE(image__no_tags_with_a_malformed_host)
{
    static const char *const bad[] = {"./x", "../x", ".a/b", "a./b", "-a.b/c", "a.b-/c", "a..b/c"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_no_tag(bad[i]);
}

/* docker: "repository name must not be more than 255 characters"; a tag has 128 at most. */
CASE(image__lengths_of_tags)
{
    char name[257], tag[130];
    CLEANUP_FREE char *longest = NULL;
    CLEANUP_FREE char *longer = NULL;

    memset(tag, 't', sizeof tag);
    tag[128] = '\0';
    longest = string_format("name:%s", tag);
    check_tag(longest);
    tag[128] = 't';
    tag[129] = '\0';
    longer = string_format("name:%s", tag);
    check_no_tag(longer);
    memset(name, 'n', sizeof name);
    name[239] = '\0'; /* the engine adds "docker.io/library/" in some places */
    check_tag(name);
    name[239] = 'n';
    name[256] = '\0';
    check_no_tag(name);
}

/* docker: "cannot specify 64-byte hexadecimal strings", which are ids. */
CASE(image__no_tags_that_look_like_ids)
{
    check_tag("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde");
    check_no_tag("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
}

/* ---- references in full, and patterns for them */

#define HEX    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define DIGEST "@sha256:" HEX

static void check_full(char *normalize(const char *, struct error *), const char *reference,
                       const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *full = normalize(reference, &error);

    assert_no_error(&error);
    assert_non_null(full);
    assert_string_equal(full, expected);
}

CASE(image__references_in_full)
{
    static const char *const references[][2] = {
        {"python", "docker.io/library/python:latest"},
        {"python:3.11", "docker.io/library/python:3.11"},
        {"library/python", "docker.io/library/python:latest"},
        {"docker.io/python", "docker.io/library/python:latest"},
        {"docker.io/library/python:3", "docker.io/library/python:3"},
        {"index.docker.io/python", "docker.io/library/python:latest"},
        {"index.docker.io/swebench/x", "docker.io/swebench/x:latest"},
        {"swebench/x", "docker.io/swebench/x:latest"},
        {"swebench/x:Tag_1", "docker.io/swebench/x:Tag_1"},
        {"a/b/c", "docker.io/a/b/c:latest"},
        {"localhost/x", "localhost/x:latest"},
        {"localhost:5000/x", "localhost:5000/x:latest"},
        {"localhosts/x", "docker.io/localhosts/x:latest"},
        {"host:5000/x:1", "host:5000/x:1"},
        {"host:5000", "docker.io/library/host:5000"}, /* a tag */
        {"ghcr.io/a/b", "ghcr.io/a/b:latest"},
        {"docker.io:443/x", "docker.io:443/x:latest"},
        {"x" DIGEST, "docker.io/library/x" DIGEST},
        {"x:1" DIGEST, "docker.io/library/x" DIGEST}, /* engines ignore the tag */
        {"host:5000/x:1" DIGEST, "host:5000/x" DIGEST},
        {"deadbeef", "docker.io/library/deadbeef:latest"}, /* not the start of an id */
        {"sha256:" HEX, "docker.io/library/sha256:" HEX},  /* no id */
    };

    for (size_t i = 0; i < COUNT(references); i++)
        check_full(image_normalize, references[i][0], references[i][1]);
}

static void check_no_reference(const char *reference)
{
    CLEANUP_FREE char *shown = text_escape_short(reference, 80);
    CLEANUP_FREE char *message =
        string_format("'%s' is not an image; write it like name:tag", shown);
    struct error error = ERROR_INIT;

    if (image_normalize(reference, &error))
        fail_msg("'%s' is taken for an image", reference);
    assert_error(&error, ERROR_USAGE, message);
}

CASE(image__no_references_in_full)
{
    static const char *const bad[] = {"",
                                      "-x",
                                      "x y",
                                      "Name",
                                      "Team/x",
                                      "x:",
                                      "x:a:b",
                                      "/x",
                                      "x/",
                                      "a//b",
                                      "../x",
                                      "swebench/../x",
                                      "x@",
                                      "x@sha256:00ff",
                                      "x@sha512:" HEX HEX,
                                      "x" DIGEST DIGEST,
                                      "x" DIGEST "0",
                                      DIGEST,
                                      HEX,
                                      "*",
                                      "x/*",
                                      "x\n",
                                      "http://x/y"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_no_reference(bad[i]);
}

CASE(image__patterns_in_full)
{
    static const char *const patterns[][2] = {
        {"swebench/*", "docker.io/swebench/*"},
        {"*", "docker.io/library/*"},
        {"*/*", "docker.io/*/*"},
        {"python:3.*", "docker.io/library/python:3.*"},
        {"docker.io/py*", "docker.io/library/py*"},
        {"*.example.com/x", "*.example.com/x"},
        {"host:*/x", "host:*/x"},
        {"x" DIGEST, "docker.io/library/x" DIGEST},
        {"a*b_*/x-*:*-*", "docker.io/a*b_*/x-*:*-*"},
    };

    for (size_t i = 0; i < COUNT(patterns); i++)
        check_full(image_pattern_normalize, patterns[i][0], patterns[i][1]);
}

CASE(image__no_patterns)
{
    static const char *const bad[] = {"",   "/*",         "x/**", "**",   "*/",   "x:*:*",
                                      "X*", "x y*",       "[ab]", "x?",   "a//*", "x@*",
                                      HEX,  "x@sha256:*", "-*",   "x:-*", "a..*", "*://x"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message =
            string_format("'%s' is not a pattern for images, like team/* or python:3.*; * does not "
                          "match a '/'",
                          bad[i]);
        struct error error = ERROR_INIT;

        if (image_pattern_normalize(bad[i], &error))
            fail_msg("'%s' is taken for a pattern", bad[i]);
        assert_error(&error, ERROR_USAGE, message);
    }
}

static bool allows(const char *pattern, const char *reference)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *full_pattern = image_pattern_normalize(pattern, &error);
    CLEANUP_FREE char *full = image_normalize(reference, &error);

    assert_no_error(&error);
    return image_matches(full_pattern, full);
}

CASE(image__patterns_match)
{
    static const char *const matching[][2] = {
        {"swebench/*", "swebench/x"},
        {"swebench/*", "swebench/x:any"},
        {"swebench/*", "docker.io/swebench/x" DIGEST},
        {"docker.io/swebench/*", "swebench/x:1"},
        {"swebench/sweb.*.x86_64.*", "swebench/sweb.eval.x86_64.django_1776_django-1:latest"},
        {"*", "python"},
        {"*", "docker.io/library/python:3"},
        {"*/*", "python"}, /* it is library/python */
        {"python", "python:3.11"},
        {"python*", "python"},
        {"*python", "python"},
        {"py*n", "python"},
        {"p*t*n", "python"},
        {"python:latest", "python"},
        {"python:3.*", "python:3.11-alpine"},
        {"python:*", "python"},
        {"*:3", "python:3"},
        {"python" DIGEST, "python:3" DIGEST},
        {"localhost:5000/*", "localhost:5000/x:1"},
        {"*.example.com/*/*", "a.example.com/b/c"},
        {"host:*/x", "host:5000/x"},
        {"a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaab"},
    };

    for (size_t i = 0; i < COUNT(matching); i++)
        if (!allows(matching[i][0], matching[i][1]))
            fail_msg("%s does not match %s", matching[i][0], matching[i][1]);
}

CASE(image__patterns_do_not_match)
{
    static const char *const others[][2] = {
        {"swebench/*", "swebench/x/y"},
        {"swebench/*", "swebenchs/x"},
        {"swebench/*", "swebench"},
        {"swebench/*", "evil.io/swebench/x"},
        {"swebench/*", "swebench:5000/x"}, /* a host */
        {"swebench/*", "localhost/swebench/x"},
        {"*", "swebench/x"},
        {"*/*", "ghcr.io/a/b"},
        {"*/*", "a/b/c"},
        {"*", "localhost/x"},
        {"python", "python2"},
        {"python", "pythonic/python"},
        {"python:3.*", "python"},
        {"python:3.*", "python:2.7"},
        {"python:3.*", "python" DIGEST},
        {"python:*", "python" DIGEST},
        {"py*:*", "python" DIGEST},
        {"python" DIGEST, "python"},
        {"python:latest", "python:3"},
        {"a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaa"},
        {"*b", "ba"},
        {"*.example.com/*", "example.com/x"},
    };

    for (size_t i = 0; i < COUNT(others); i++)
        if (allows(others[i][0], others[i][1]))
            fail_msg("%s matches %s", others[i][0], others[i][1]);
}
