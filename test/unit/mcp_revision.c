#include "test.h"

#include "mcp/revision.h"

static void check_legacy(const char *asked, const char *expected)
{
    const struct revision *revision = revision_legacy(asked);

    assert_non_null(revision);
    assert_string_equal(revision->name, expected);
    assert_false(revision->modern);
}

CASE(revision__legacy_by_name)
{
    check_legacy("2024-11-05", "2024-11-05");
    check_legacy("2025-03-26", "2025-03-26");
    check_legacy("2025-06-18", "2025-06-18");
    check_legacy("2025-11-25", "2025-11-25");
}

/* The client may then disconnect. A modern revision is never negotiated. */
CASE(revision__newest_legacy_for_an_unknown_name)
{
    check_legacy("", "2025-11-25");
    check_legacy("1999-01-01", "2025-11-25");
    check_legacy("2025-06-18 ", "2025-11-25");
    check_legacy("2026-07-28", "2025-11-25");
    check_legacy("9999-12-31", "2025-11-25");
}

CASE(revision__modern_by_name)
{
    const struct revision *revision = revision_modern("2026-07-28");

    assert_non_null(revision);
    assert_string_equal(revision->name, "2026-07-28");
    assert_true(revision->modern);
    assert_null(revision_modern("2025-11-25"));
    assert_null(revision_modern("2024-11-05"));
    assert_null(revision_modern(""));
    assert_null(revision_modern("2026-07-2"));
}

CASE(revision__names_of_modern_revisions)
{
    assert_string_equal(revision_modern_name(0), "2026-07-28");
    assert_null(revision_modern_name(1));
    assert_null(revision_modern_name(100));
}

static void check_features(const struct revision *revision, const char *expected)
{
    CLEANUP_FREE char *seen = string_format(
        "%s%s%s%s%s%s", revision->modern ? "modern " : "", revision->batches ? "batches " : "",
        revision->annotations ? "annotations " : "", revision->structured ? "structured " : "",
        revision->elicitation ? "elicitation " : "",
        revision->argument_results ? "argument_results " : "");

    assert_string_equal(seen, expected);
}

CASE(revision__features)
{
    check_features(revision_legacy("2024-11-05"), "");
    check_features(revision_legacy("2025-03-26"), "batches annotations ");
    check_features(revision_legacy("2025-06-18"), "annotations structured elicitation ");
    check_features(revision_legacy("2025-11-25"),
                   "annotations structured elicitation argument_results ");
    check_features(revision_modern("2026-07-28"),
                   "modern annotations structured elicitation argument_results ");
}
