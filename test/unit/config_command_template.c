#include "test.h"

#include "config/command_template.h"
#include "config/drivers.h"

/* Fills in a command of one word. */
static void check_word(const char *word, const char *entrypoint, const char *expected)
{
    struct strvec words = STRVEC_INIT, command = STRVEC_INIT;

    strvec_push(&words, word);
    command_fill(&command, &words, entrypoint, "/workspace", "c11");
    assert_int_equal(command.count, 1);
    assert_string_equal(command.items[0], expected);
    strvec_release(&words);
    strvec_release(&command);
}

CASE(command_template__marks)
{
    check_word("{entrypoint}", "src/main.c", "src/main.c");
    check_word("{stem}", "src/main.c", "src/main");
    check_word("{workdir}", "src/main.c", "/workspace");
    check_word("{workdir}/{stem}.o:{entrypoint}{entrypoint}", "a.c", "/workspace/a.o:a.ca.c");
    check_word("", "a.c", "");
    check_word("-std={standard}", "a.c", "-std=c11");
    check_word("{}{entry}{Stem}{ workdir}", "a.c", "{}{entry}{Stem}{ workdir}");
    check_word("{{stem}}", "a.c", "{a}");
    check_word("{sources}", "a.c", "{sources}"); /* needs the files, which come later */
}

CASE(command_template__stems)
{
    check_word("{stem}", "main", "main");
    check_word("{stem}", "main.tar.gz", "main.tar");
    check_word("{stem}", ".hidden", ".hidden");
    check_word("{stem}", "a.d/main", "a.d/main");
    check_word("{stem}", "a.d/.hidden", "a.d/.hidden");
    check_word("{stem}", "main.", "main");
}

/* A name in the value is no mark: it is not filled in again. */
CASE(command_template__names_like_marks)
{
    check_word("{entrypoint}", "{stem}.c", "{stem}.c");
    check_word("{stem} {entrypoint}", "{workdir}.c", "{workdir} {workdir}.c");
}

/* No option of the compiler or of the interpreter. */
CASE(command_template__a_leading_dash)
{
    check_word("{entrypoint}", "-x.c", "./-x.c");
    check_word("{stem}", "-x.c", "./-x");
    check_word("/{entrypoint}", "-x.c", "/-x.c");
    check_word("{workdir}/{stem}", "-x.c", "/workspace/-x");
    check_word("{entrypoint}{entrypoint}", "-x", "./-x-x");
}

CASE(command_template__appends)
{
    struct strvec words = STRVEC_INIT, command = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    strvec_push_each(&words, "cc", "-std={standard}", "-o", "{stem}", "{entrypoint}", NULL);
    strvec_push(&command, "nice");
    command_fill(&command, &words, "a.c", "/w", NULL);
    joined = strvec_join(&command, "|");
    assert_string_equal(joined, "nice|cc|-o|a|a.c");
    strvec_release(&command);
    free(joined);
    command_fill(&command, &words, "a.c", "/w", ""); /* which a configuration can say */
    joined = strvec_join(&command, "|");
    assert_string_equal(joined, "cc|-o|a|a.c");
    strvec_release(&words);
    strvec_release(&command);
}

CASE(command_template__session)
{
    struct strvec words = STRVEC_INIT, command = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    strvec_push_each(&words, "python3", "{workdir}/x", "{entrypoint}", NULL);
    command_fill_session(&command, &words, "/workspace");
    joined = strvec_join(&command, "|");
    assert_string_equal(joined, "python3|/workspace/x|{entrypoint}");
    strvec_release(&words);
    strvec_release(&command);
    words = command = (struct strvec)STRVEC_INIT;
    strvec_push_each(&words, "a{python_driver}", "{javascript_driver}b", NULL);
    command_fill_session(&command, &words, "/workspace");
    assert_memory_equal(command.items[0] + 1, driver_text("{python_driver}"), 100);
    assert_memory_equal(command.items[1], driver_text("{javascript_driver}"), 100);
    strvec_release(&words);
    strvec_release(&command);
}

static void check_driver(const char *word)
{
    struct strvec words = STRVEC_INIT, command = STRVEC_INIT;

    strvec_push_each(&words, "interpreter", word, NULL);
    command_fill_session(&command, &words, "/workspace");
    assert_string_equal(command.items[1], driver_text(word));
    strvec_release(&words);
    strvec_release(&command);
}

CASE(command_template__drivers)
{
    check_driver("{python_driver}");
    check_driver("{javascript_driver}");
}

CASE(command_template__has)
{
    struct strvec words = STRVEC_INIT;

    assert_false(command_has(&words, COMMAND_ENTRYPOINT));
    strvec_push_each(&words, "sh", "-c", "cc {entrypoint}", NULL);
    assert_true(command_has(&words, COMMAND_ENTRYPOINT));
    assert_false(command_has(&words, COMMAND_SOURCES));
    strvec_release(&words);
}
