#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "supervisor/proc_stat.h"

/* What is read of a file with this text. */
static struct proc_stat stat_of(const char *text)
{
    char *directory = temp_create();
    CLEANUP_FD int dir = open(directory, O_RDONLY | O_DIRECTORY);
    CLEANUP_FD int fd = -1;
    struct proc_stat stat;

    write_in(directory, "stat", text);
    fd = proc_stat_open(dir, ".");
    assert_true(fd >= 0);
    assert_true(proc_stat_read(fd, &stat));
    temp_remove(directory);
    return stat;
}

#define FIELDS_3_TO_11 "S 2 -3 4 5 -1 6 7 8"
#define FIELDS_12_TO_52                                                                            \
    " 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41"   \
    " 42 43 44 45 46 47 48 49 50 51 52\n"

CASE(proc_stat__fields_have_their_numbers)
{
    const struct proc_stat stat = stat_of("77 (sh) " FIELDS_3_TO_11 FIELDS_12_TO_52);

    assert_int_equal(stat.state, 'S');
    assert_true(stat.is_complete);
    assert_int_equal(stat.fields[PROC_STAT_PARENT], 2);
    assert_int_equal((pid_t)stat.fields[PROC_STAT_GROUP], -3);
    assert_int_equal(stat.fields[PROC_STAT_FLAGS], 6);
    assert_int_equal(stat.fields[PROC_STAT_THREADS], 20);
    assert_int_equal(stat.fields[PROC_STAT_MEMORY], 23);
    assert_int_equal(stat.fields[PROC_STAT_CODE], 26);
    assert_int_equal(stat.fields[PROC_STAT_STATUS], 52);
}

CASE(proc_stat__name_with_parentheses)
{
    const struct proc_stat stat = stat_of("77 (a) Z 1 (b)) " FIELDS_3_TO_11 FIELDS_12_TO_52);

    assert_int_equal(stat.state, 'S');
    assert_int_equal(stat.fields[PROC_STAT_PARENT], 2);
}

CASE(proc_stat__other_forms_are_not_complete)
{
    static const struct {
        const char *text;
        char state;
    } cases[] = {{"77 (sh) " FIELDS_3_TO_11 "\n", 'S'},
                 {"77 (sh) R", 'R'},
                 {"77 (sh) ", '?'},
                 {"77 (sh)", '?'},
                 {"77 sh S 1 2 3\n", '?'}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct proc_stat stat = stat_of(cases[i].text);

        assert_int_equal(stat.state, cases[i].state);
        assert_false(stat.is_complete);
    }
}

CASE(proc_stat__process_until_it_has_ended)
{
    CLEANUP_FD int proc = open("/proc", O_RDONLY | O_DIRECTORY);
    CLEANUP_FD int fd = -1;
    struct proc_stat stat;
    char name[24];
    const pid_t child = fork();

    if (child == 0)
        for (;;)
            pause();
    snprintf(name, sizeof name, "%d", (int)child);
    fd = proc_stat_open(proc, name);
    assert_true(fd >= 0);
    assert_true(proc_stat_read(fd, &stat));
    assert_true(stat.is_complete);
    assert_int_equal(stat.fields[PROC_STAT_PARENT], getpid());
    assert_int_equal(stat.fields[PROC_STAT_GROUP], getpgrp());
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(proc_stat_read(fd, &stat));
    assert_int_equal(proc_stat_open(proc, name), -1);
    assert_int_equal(errno, ENOENT);
}
