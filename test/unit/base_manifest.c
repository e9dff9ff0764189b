#include "test.h"

#include "base/manifest.h"

/* Adds files with the letters of `names`, of this length and digest. */
static void add(struct manifest *manifest, const char *names, long long length, const char *digest)
{
    for (; *names; names++)
        manifest_add(manifest, (const char[]){*names, '\0'}, length, digest);
}

/* Checks "NAME LENGTH DIGEST;" of each entry. */
static void check(const struct manifest *manifest, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < manifest->count; i++)
        strbuf_addf(&text, "%s %lld %s;", manifest->items[i].name, manifest->items[i].length,
                    manifest->items[i].sha256);
    assert_string_equal(strbuf_string(&text), expected);
}

CASE(manifest__sorted)
{
    CLEANUP(manifest_release) struct manifest manifest = MANIFEST_INIT;

    assert_null(manifest_find(&manifest, "a"));
    assert_int_equal(manifest_longest(&manifest), 0);
    add(&manifest, "cab", 7, "d");
    manifest_add(&manifest, "longer", 8, "e");
    manifest_sort(&manifest);
    check(&manifest, "a 7 d;b 7 d;c 7 d;longer 8 e;");
    assert_int_equal(manifest_longest(&manifest), 8);
    assert_string_equal(manifest_find(&manifest, "b")->name, "b");
    assert_null(manifest_find(&manifest, "bb"));
}

CASE(manifest__merged)
{
    CLEANUP(manifest_release) struct manifest manifest = MANIFEST_INIT, more = MANIFEST_INIT;
    CLEANUP(manifest_release) struct manifest none = MANIFEST_INIT;

    add(&more, "bd", 1, "old");
    manifest_merge(&manifest, &more);
    check(&manifest, "b 1 old;d 1 old;");
    manifest_release(&more);
    add(&more, "abcde", 2, "new");
    manifest_merge(&manifest, &more);
    manifest_merge(&manifest, &none);
    check(&manifest, "a 2 new;b 2 new;c 2 new;d 2 new;e 2 new;");
    assert_non_null(manifest_find(&manifest, "c"));
}
