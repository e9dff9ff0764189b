#include "test.h"

#include "docker/dockerfile.h"

static void check(const struct strvec *lines, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(lines, "\n");

    assert_string_equal(joined, expected);
}

CASE(dockerfile__words)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;

    dockerfile_add_words(&lines, "ENTRYPOINT", &words);
    strvec_push_each(&words, "sh", "", "a b", "'\"\\", "$HOME", "\n", "\xc3\xa9\xff", NULL);
    dockerfile_add_words(&lines, "CMD", &words);
    check(&lines, "ENTRYPOINT []\n"
                  "CMD [\"sh\", \"\", \"a b\", \"'\\\"\\\\\", \"$HOME\", \"\\n\", "
                  "\"\xc3\xa9\xef\xbf\xbd\"]");
}

CASE(dockerfile__environment)
{
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;

    dockerfile_add_environment(&lines, "A=");
    dockerfile_add_environment(&lines, "B=a=b 'c'");
    dockerfile_add_environment(&lines, "C=$HOME \"\\");
    check(&lines, "ENV A=\"\"\n"
                  "ENV B=\"a=b 'c'\"\n"
                  "ENV C=\"\\$HOME \\\"\\\\\"");
}

CASE(dockerfile__copy)
{
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;

    dockerfile_add_copy(&lines, 7, 8, ".", "/workspace/");
    dockerfile_add_copy(&lines, 0, 0, "a*?[b] 'c'$d\\", "/w/a*?[b] 'c'$d\\");
    check(&lines, "COPY --chown=7:8 [\".\", \"/workspace/\"]\n"
                  "COPY --chown=0:0 [\"a[*][?][[]b] \\\\'c\\\\'\\\\$d\\\\\\\\\\\\\\\\\", "
                  "\"/w/a*?[b] \\\\'c\\\\'\\\\$d\\\\\\\\\"]");
}
