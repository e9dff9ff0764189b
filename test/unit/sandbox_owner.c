#include "test.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "sandbox/owner.h"

/* The value of the label at this place, which must have this name. */
static const char *value_of(const struct strvec *labels, size_t place, const char *name)
{
    CLEANUP_FREE char *start = string_format("isolator.%s=", name);

    assert_true(place < labels->count);
    assert_memory_equal(labels->items[place], start, strlen(start));
    return labels->items[place] + strlen(start);
}

static void check_command(const char *value, const char *command)
{
    struct strbuf output = shell_output(command);

    assert_int_not_equal(output.length, 0);
    output.data[strcspn(output.data, "\n")] = '\0';
    assert_string_equal(value, output.data);
    strbuf_release(&output);
}

static void owner__labels(void **state)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    CLEANUP_FREE char *pid = string_format("%ld", (long)getpid());

    (void)state;
    strvec_push(&labels, "before");
    owner_labels(&labels, 60000);
    assert_int_equal(labels.count, 6);
    assert_string_equal(labels.items[0], "before");
    check_command(value_of(&labels, 1, "host"), "uname -n");
    check_command(value_of(&labels, 2, "boot"), "cat /proc/sys/kernel/random/boot_id");
    assert_string_equal(value_of(&labels, 3, "pid"), pid);
    assert_int_equal(strlen(value_of(&labels, 2, "boot")), 36);
}

/* Field 22 of proc(5), as another program reads it. */
static void owner__start_is_that_of_the_process(void **state)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    CLEANUP_FREE char *command =
        string_format("sed 's/.*) //' /proc/%ld/stat | cut -d ' ' -f 20", (long)getpid());

    (void)state;
    owner_labels(&labels, 0);
    check_command(value_of(&labels, 3, "start"), command);
    assert_true(strtoull(value_of(&labels, 3, "start"), NULL, 10) > 0);
}

/* The field in front of the numbers is the program's name, which may look like fields. */
static void owner__start_with_a_hostile_name(void **state)
{
    static const char *const names[] = {"a) 1 2 3", "(((", ") ) )", ""};
    CLEANUP(strvec_release) struct strvec plain = STRVEC_INIT;
    char name[16];

    (void)state;
    owner_labels(&plain, 0);
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        owner_labels(&labels, 0);
        prctl(PR_SET_NAME, name);
        assert_string_equal(value_of(&labels, 3, "start"), value_of(&plain, 3, "start"));
    }
}

static void owner__two_processes_differ(void **state)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    int status;
    pid_t child;

    (void)state;
    owner_labels(&labels, 0);
    child = fork();
    if (child == 0) {
        struct strvec other = STRVEC_INIT;
        bool good;

        owner_labels(&other, 0);
        good = strcmp(labels.items[1], other.items[1]) == 0 &&
               strcmp(labels.items[2], other.items[2]) != 0;
        strvec_release(&other);
        strvec_release(&labels);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void check_deadline(long long lifetime_ms, long long seconds)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    const long long before = (long long)time(NULL);
    long long after;

    owner_labels(&labels, lifetime_ms);
    after = (long long)time(NULL);
    assert_in_range(strtoll(value_of(&labels, 4, "deadline"), NULL, 10), before + seconds,
                    after + seconds + 1);
}

/* Rounded so that it never lies before the end of the lifetime. */
static void owner__deadline(void **state)
{
    (void)state;
    check_deadline(0, 0);
    check_deadline(1, 1);
    check_deadline(999, 1);
    check_deadline(60000, 60);
    check_deadline(60001, 61);
    check_deadline(366LL * 86400 * 1000 + 120000, 31622520);
}

/* Those that do not change while the process lives, so that all its containers can be found. */
static void owner__own_labels_are_the_first_four(void **state)
{
    CLEANUP(strvec_release) struct strvec own = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec all = STRVEC_INIT;

    (void)state;
    strvec_push(&own, "before");
    owner_own_labels(&own);
    owner_labels(&all, 1000);
    assert_int_equal(own.count, 5);
    assert_int_equal(all.count, 5);
    assert_string_equal(own.items[0], "before");
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(own.items[i + 1], all.items[i]);
    assert_non_null(value_of(&own, 4, "start"));
}

static void owner__disown(void **state)
{
    CLEANUP(strvec_release) struct strvec instructions = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    (void)state;
    owner_disown(&instructions);
    assert_int_equal(instructions.count, 1);
    assert_string_equal(instructions.items[0],
                        "LABEL isolator.host=\"\" isolator.boot=\"\" isolator.pid=\"\" "
                        "isolator.start=\"\" isolator.deadline=\"\"");
    owner_labels(&labels, 0);
    for (size_t i = 0; i < labels.count; i++) { /* none is forgotten */
        CLEANUP_FREE char *empty =
            string_format(" %.*s=\"\"", (int)strcspn(labels.items[i], "="), labels.items[i]);

        assert_non_null(strstr(instructions.items[0], empty));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owner__labels),
        cmocka_unit_test(owner__start_is_that_of_the_process),
        cmocka_unit_test(owner__start_with_a_hostile_name),
        cmocka_unit_test(owner__two_processes_differ),
        cmocka_unit_test(owner__deadline),
        cmocka_unit_test(owner__disown),
        cmocka_unit_test(owner__own_labels_are_the_first_four),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
