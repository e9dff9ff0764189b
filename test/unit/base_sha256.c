#include "test.h"

#include "base/memory.h"
#include "base/sha256.h"

static void check(const char *data, size_t length, const char *digest)
{
    struct sha256 hash;
    char got[SHA256_HEX_SIZE];

    sha256_init(&hash);
    sha256_update(&hash, data, length);
    sha256_hex(&hash, got);
    assert_string_equal(got, digest);
}

/* NIST's examples for FIPS 180-4, and the empty message of its CAVP. */
CASE(sha256__vectors_of_nist)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char long_one[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

    check(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check(long_one, strlen(long_one),
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

CASE(sha256__a_million)
{
    enum { LENGTH = 1000000 };
    CLEANUP_FREE char *data = memory_allocate(LENGTH);

    memset(data, 'a', LENGTH);
    check(data, LENGTH, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Lengths around those that need one more block; the digests are those of sha256sum(1). */
CASE(sha256__lengths_around_a_block)
{
    static const struct {
        size_t length;
        const char *digest;
    } known[] = {
        {55, "aadaed00a3c5fbb8072ae7f1984ba8199fbe5272de427d11eaf31583af37db51"},
        {56, "528ff50ab05e77bbbd224a9ec86165dbb6824a9a9efb544be0a1d57d5b416457"},
        {63, "d12449c8124182545ae91924286cc6af13528bcf62a5ddbd5e00b891fffc1b48"},
        {64, "8667e718294e9e0df1d30600ba3eeb201f764aad2dad72748643e4a285e1d1f7"},
        {65, "855c9a28fff2bbbd71327165554a00c6fdd44d5d58c1f12b8fdff29b5d67f001"},
        {119, "b863f94597d433ef2280e3b4656f13ea265a79bb8047287321c218905b03c99b"},
        {120, "9088fee917e5a748c2f0b4f5458c1cbdabbd696291c69be6e605bae0ef779e8f"},
        {128, "e9175db65a9789096ca9cb5524d3abc2107df03e3c9ba3af1aca628f9c5d3bd2"},
    };
    char data[128];

    memset(data, 0xff, sizeof data);
    for (size_t i = 0; i < COUNT(known); i++)
        check(data, known[i].length, known[i].digest);
}

CASE(sha256__in_pieces)
{
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct sha256 hash;
        char got[SHA256_HEX_SIZE];

        sha256_init(&hash);
        sha256_update(&hash, text, cut);
        sha256_update(&hash, NULL, 0);
        sha256_update(&hash, text + cut, strlen(text) - cut);
        sha256_hex(&hash, got);
        assert_string_equal(got,
                            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
