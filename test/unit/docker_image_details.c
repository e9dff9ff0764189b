#include "test.h"

#include "docker/image_details.h"

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The details in one line; "-" for a missing one, and "volumes" at the end if it declares some. */
static void check(const char *text, const char *expected)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;
    CLEANUP_FREE char *seen = NULL;
    CLEANUP_FREE char *entrypoint = NULL;
    CLEANUP_FREE char *command = NULL;
    CLEANUP_FREE char *tags = NULL;
    CLEANUP_FREE char *labels = NULL;

    if (!image_details_read(&details, text, strlen(text)))
        fail_msg("refused: %s", text);
    entrypoint = strvec_join(&details.entrypoint, "|");
    command = strvec_join(&details.command, "|");
    tags = strvec_join(&details.tags, "|");
    labels = strvec_join(&details.labels, "|");
    seen =
        string_format("%s %lld %s %s %s [%s] [%s] [%s] [%s]%s", details.id ? details.id : "-",
                      details.bytes, *details.architecture ? details.architecture : "-",
                      *details.created ? details.created : "-", details.user ? details.user : "-",
                      entrypoint, command, tags, labels, details.has_volumes ? " volumes" : "");
    assert_string_equal(seen, expected);
}

CASE(image_details__of_an_engine)
{
    check("{\"Id\":\"sha256:" DIGITS "\",\"RepoTags\":[\"a:1\",\"b:2\"],\"Size\":495595810,"
          "\"Created\":\"2026-11-23T07:21:35.072543231Z\",\"Config\":{\"User\":\"nobody:7\","
          "\"Entrypoint\":[\"sh\",\"-c\"],\"Cmd\":[\"a b\",\"\"],"
          "\"Labels\":{\"one\":\"1=1\",\"two\":\"\"}},\"Architecture\":\"amd64\"}\n",
          "sha256:" DIGITS " 495595810 amd64 2026-11-23T07:21:35 nobody:7 [sh|-c] [a b|] [a:1|b:2] "
          "[one=1=1|two=]");
}

/* Docker 20.10 prints null or an empty value for members that Docker 29 omits. */
CASE(image_details__with_members_missing)
{
    check("{}", "- -1 - - - [] [] [] []");
    check("{\"Config\":null}", "- -1 - - - [] [] [] []");
    check("{\"Id\":\"\",\"RepoTags\":null,\"Created\":\"\",\"Config\":{\"User\":\"\","
          "\"Entrypoint\":null,\"Cmd\":null,\"Labels\":null}}",
          "- -1 - - - [] [] [] []");
}

CASE(image_details__volumes)
{
    check("{\"Config\":{\"Volumes\":{\"/data\":{},\"/log\":{}}}}",
          "- -1 - - - [] [] [] [] volumes");
    check("{\"Config\":{\"Volumes\":{}}}", "- -1 - - - [] [] [] []");
    check("{\"Config\":{\"Volumes\":null}}", "- -1 - - - [] [] [] []");
    check("{\"Config\":{\"Volumes\":[\"/data\"]}}", "- -1 - - - [] [] [] []");
    check("{\"Volumes\":{\"/data\":{}}}", "- -1 - - - [] [] [] []");
}

CASE(image_details__of_podman)
{
    check("{\"Id\":\"" DIGITS "\"}", "sha256:" DIGITS " -1 - - - [] [] [] []");
}

CASE(image_details__with_members_of_other_forms)
{
    check("{\"Id\":\"sha256:0\",\"Size\":-5,\"Created\":\"yesterday, some time\"}",
          "- -1 - - - [] [] [] []");
    check("{\"Id\":\"sha256:" DIGITS "0\",\"Size\":\"5\",\"Created\":\"2026\"}",
          "- -1 - - - [] [] [] []");
    check("{\"Architecture\":\"x y\"}", "- -1 - - - [] [] [] []");
    check("{\"Architecture\":7}", "- -1 - - - [] [] [] []");
    check("{\"Id\":7,\"Created\":7,\"Config\":{\"User\":7,\"Labels\":{\"a\":7,\"b\":\"\\u0000\"}}}",
          "- -1 - - - [] [] [] []");
}

CASE(image_details__garbage)
{
    static const char *const texts[] = {
        "",
        "7",
        "[]",
        "{",
        "{\"RepoTags\":[7]}",
        "{\"Config\":{\"Cmd\":[\"a\",7]}}",
        "{\"Config\":{\"Cmd\":[\"a\\u0000\"]}}",
        "{\"Config\":{\"Entrypoint\":[null]}}",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;

        if (image_details_read(&details, texts[i], strlen(texts[i])))
            fail_msg("taken: %s", texts[i]);
    }
}

/* More values than any image has; parsed, they would need far more memory than the text. */
CASE(image_details__with_too_many_values)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, "{\"a\":[");
    for (int i = 0; i < 20000; i++)
        strbuf_addstr(&text, "1,");
    strbuf_addstr(&text, "1]}");
    assert_false(image_details_read(&details, text.data, text.length));
}

CASE(image_details__label)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;

    assert_null(image_details_label(&details, "a"));
    strvec_push_each(&details.labels, "ab=1", "a=2=3", "b=", NULL);
    assert_string_equal(image_details_label(&details, "a"), "2=3");
    assert_string_equal(image_details_label(&details, "ab"), "1");
    assert_string_equal(image_details_label(&details, "b"), "");
    assert_null(image_details_label(&details, "c"));
}
