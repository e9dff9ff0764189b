#include "test.h"

#include "supervisor/ready/ready_hook.h"

/* Exchanges the variables, which are separated by spaces; "(none)" if that is refused. */
static void check(const char *variables, const char *variable, const char *exchanged,
                  const char *message)
{
    CLEANUP(strvec_release) struct strvec environment = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec result = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf sent = STRBUF_INIT;
    CLEANUP_FREE char *copy = string_copy(variables), *joined = NULL;
    bool fits;

    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        strvec_push(&environment, word);
    fits = ready_hook_exchange(&environment, variable, &result, &sent);
    joined = fits ? strvec_join(&result, " ") : string_copy("(none)");
    assert_string_equal(joined, exchanged);
    for (size_t i = 0; i < sent.length; i++)
        if (sent.data[i] == '\0')
            sent.data[i] = '!';
    if (fits)
        assert_string_equal(strbuf_string(&sent), message);
}

/* It takes as much room as what is left out, whose place it has. */
CASE(ready_hook__takes_the_place_of_others)
{
    check("A=1 USER=sandbox LOGNAME=sandbox B=2", "PYTHONPATH=./.preload",
          "A=1 PYTHONPATH=.////////.preload B=2", "          29USER=sandbox!LOGNAME=sandbox!");
    check("USER=0123456789", "X=./hook", "X=.////////hook", "          16USER=0123456789!");
    check("USER=ab", "X=/hook", "X=/hook", "           8USER=ab!");
    check("LOGNAME=sandbox A=1 USER=x", "X=./hook", "X=.////////hook A=1 USER=x",
          "          16LOGNAME=sandbox!");
}

CASE(ready_hook__has_no_place)
{
    CLEANUP(strbuf_release) struct strbuf large = STRBUF_INIT;

    check("USER=a", "X=/hook", "(none)", "");
    check("A=1 HOME=/somewhere/else", "X=/h", "(none)", "");
    check("", "X=/h", "(none)", "");
    check("X=1 USER=sandbox", "X=/h", "(none)", "");
    check("USER=sandbox X=", "X=/h", "(none)", "");
    check("XY=1 USER=sandbox", "X=hook", "(none)", "");
    strbuf_addstr(&large, "USER=");
    while (large.length < 32768)
        strbuf_addch(&large, 'a');
    check(strbuf_string(&large), "X=/h", "(none)", "");
}
