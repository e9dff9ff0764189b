#include "test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "container/owner.h"

/* The value of the label with this index, which must have this name. */
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

CASE(owner__labels)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    CLEANUP_FREE char *pid = string_format("%ld", (long)getpid());

    strvec_push(&labels, "before");
    owner_labels(&labels, 60000);
    assert_int_equal(labels.count, 7);
    assert_string_equal(labels.items[0], "before");
    check_command(value_of(&labels, 5, "host"), "uname -n");
    check_command(value_of(&labels, 1, "boot"), "cat /proc/sys/kernel/random/boot_id");
    check_command(value_of(&labels, 2, "namespaces"),
                  "stat -L -c %i /proc/self/ns/pid /proc/self/ns/time | paste -s -d .");
    assert_string_equal(value_of(&labels, 3, "pid"), pid);
    assert_int_equal(strlen(value_of(&labels, 1, "boot")), 36);
}

/* Field 22 of /proc/PID/stat (proc(5)), as another program reads it. */
CASE(owner__start_is_that_of_the_process)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    CLEANUP_FREE char *command =
        string_format("sed 's/.*) //' /proc/%ld/stat | cut -d ' ' -f 20", (long)getpid());

    owner_labels(&labels, 0);
    check_command(value_of(&labels, 3, "start"), command);
    assert_true(strtoull(value_of(&labels, 3, "start"), NULL, 10) > 0);
}

CASE(owner__two_processes_differ)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    int status;
    pid_t child;

    owner_labels(&labels, 0);
    child = fork();
    if (child == 0) {
        struct strvec other = STRVEC_INIT;
        bool good;

        owner_labels(&other, 0);
        good = strcmp(labels.items[0], other.items[0]) == 0 &&
               strcmp(labels.items[1], other.items[1]) == 0 &&
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
    assert_in_range(strtoll(value_of(&labels, 5, "deadline"), NULL, 10), before + seconds,
                    after + seconds + 1);
}

/* It is rounded up, so that it is never before the end of the lifetime. */
CASE(owner__deadline)
{
    check_deadline(0, 0);
    check_deadline(1, 1);
    check_deadline(999, 1);
    check_deadline(60000, 60);
    check_deadline(60001, 61);
    check_deadline(366LL * 86400 * 1000 + 120000, 31622520);
}

/*
 * The labels that stay the same while the process lives, so that all its containers can be found.
 */
CASE(owner__own_labels_are_the_first_four)
{
    CLEANUP(strvec_release) struct strvec own = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec all = STRVEC_INIT;

    strvec_push(&own, "before");
    owner_own_labels(&own);
    owner_labels(&all, 1000);
    assert_int_equal(own.count, 5);
    assert_int_equal(all.count, 6);
    assert_string_equal(own.items[0], "before");
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(own.items[i + 1], all.items[i]);
    assert_non_null(value_of(&own, 4, "start"));
}

CASE(owner__disown)
{
    CLEANUP(strvec_release) struct strvec instructions = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    owner_disown(&instructions);
    assert_int_equal(instructions.count, 6);
    assert_string_equal(instructions.items[0], "LABEL isolator.boot=");
    owner_labels(&labels, 0);
    for (size_t i = 0; i < labels.count; i++) { /* none is forgotten */
        CLEANUP_FREE char *empty =
            string_format("LABEL %.*s=", (int)strcspn(labels.items[i], "="), labels.items[i]);

        assert_true(strvec_contains(&instructions, empty));
    }
}

CASE(owner__hide_maker)
{
    CLEANUP(strvec_release) struct strvec instructions = STRVEC_INIT;

    owner_hide_maker(&instructions);
    assert_int_equal(instructions.count, 4);
    assert_string_equal(instructions.items[0], "LABEL isolator.prepared.host=");
    assert_string_equal(instructions.items[1], "LABEL isolator.prepared.user=");
    assert_string_equal(instructions.items[2], "LABEL isolator.prepared.notes=");
    assert_string_equal(instructions.items[3], "LABEL isolator.prepared.config=");
}

/* ---- owner_status() */

/* The labels of this process; the caller changes fields of it. */
struct claim {
    char boot[64], namespaces[64], pid[32], start[32], deadline[32];
};

static struct claim own_claim(void)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    struct claim claim;

    owner_labels(&labels, 0);
    snprintf(claim.boot, sizeof claim.boot, "%s", value_of(&labels, 0, "boot"));
    snprintf(claim.namespaces, sizeof claim.namespaces, "%s", value_of(&labels, 1, "namespaces"));
    snprintf(claim.pid, sizeof claim.pid, "%s", value_of(&labels, 2, "pid"));
    snprintf(claim.start, sizeof claim.start, "%s", value_of(&labels, 3, "start"));
    snprintf(claim.deadline, sizeof claim.deadline, "1000");
    return claim;
}

static enum owner_status judge(const struct claim *claim, long long now)
{
    CLEANUP(strvec_release) struct strvec values = STRVEC_INIT;

    strvec_push_each(&values, claim->boot, claim->namespaces, claim->pid, claim->start, "host",
                     claim->deadline, NULL);
    return owner_status(&values, now);
}

/* However long ago its deadline was. */
CASE(owner__lives)
{
    struct claim claim = own_claim();

    assert_int_equal(judge(&claim, 0), OWNER_ALIVE);
    assert_int_equal(judge(&claim, 1000000000000), OWNER_ALIVE);
}

/* The field before the numbers is the program's name, which may look like fields. */
CASE(owner__lives_with_a_hostile_name)
{
    static const char *const names[] = {"a) 1 2 3", "(((", ") ) )", ""};
    struct claim own = own_claim();
    struct claim other = own;
    char name[16];

    snprintf(other.start, sizeof other.start, "1");
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        enum owner_status verdict, other_verdict;

        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        verdict = judge(&own, 0);
        other_verdict = judge(&other, 0);
        prctl(PR_SET_NAME, name);
        assert_int_equal(verdict, OWNER_ALIVE);
        assert_int_equal(other_verdict, OWNER_ENDED);
    }
}

/* Another process has its process id now. */
CASE(owner__ended_and_its_number_taken)
{
    struct claim claim = own_claim();

    snprintf(claim.start, sizeof claim.start, "1");
    assert_int_equal(judge(&claim, 0), OWNER_ENDED);
}

/* A zombie has ended, even if its parent never waits for it. */
CASE(owner__ended)
{
    struct claim claim = own_claim();
    const pid_t child = fork();
    siginfo_t info;

    if (child == 0)
        pause();
    snprintf(claim.pid, sizeof claim.pid, "%ld", (long)child);
    {
        CLEANUP_FREE char *command = string_format(
            "sed 's/.*) //' /proc/%ld/stat | cut -d ' ' -f 20 | tr -d '\\n'", (long)child);
        CLEANUP(strbuf_release) struct strbuf start = shell_output(command);

        snprintf(claim.start, sizeof claim.start, "%s", strbuf_string(&start));
    }
    assert_int_equal(judge(&claim, 1000000000000), OWNER_ALIVE);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(judge(&claim, 0), OWNER_ENDED); /* a zombie */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(judge(&claim, 0), OWNER_ENDED);
}

/* Only the deadline of the process is known. */
static void check_elsewhere(const struct claim *claim)
{
    assert_int_equal(judge(claim, 0), OWNER_ALIVE);
    assert_int_equal(judge(claim, 1000 + OVERDUE_SECONDS), OWNER_ALIVE);
    assert_int_equal(judge(claim, 1000 + OVERDUE_SECONDS + 1), OWNER_OVERDUE);
}

CASE(owner__elsewhere)
{
    static const char *const boots[] = {"01234567-89ab-cdef-0123-456789abcdef", "-"};
    static const char *const namespaces[] = {"1.1", "-.-", "4026531836.1"};

    for (size_t i = 0; i < COUNT(boots); i++) {
        struct claim claim = own_claim();

        snprintf(claim.boot, sizeof claim.boot, "%s", boots[i]);
        snprintf(claim.start, sizeof claim.start, "1");
        check_elsewhere(&claim);
    }
    for (size_t i = 0; i < COUNT(namespaces); i++) {
        struct claim claim = own_claim();

        snprintf(claim.namespaces, sizeof claim.namespaces, "%s", namespaces[i]);
        snprintf(claim.start, sizeof claim.start, "1");
        check_elsewhere(&claim);
    }
}

/* Without the start time of the owner, another process with its id cannot be distinguished. */
CASE(owner__without_a_start_time)
{
    struct claim claim = own_claim();

    snprintf(claim.start, sizeof claim.start, "0");
    check_elsewhere(&claim);
}

/* Labels of another form: such a container is never removed. */
CASE(owner__labels_that_are_none)
{
    static const struct claim claims[] = {
        {"", "", "", "", ""},
        {"", "1.1", "5", "5", "5"},
        {"0a", "", "5", "5", "5"},
        {"0a", "1.1", "", "5", "5"},
        {"0a", "1.1", "5", "", "5"},
        {"0a", "1.1", "5", "5", ""},
        {"0a", "1.1", "5", "5", "x"},
        {"0a", "1.1", "5", "5", "5x"},
        {"0a", "1.1", "5", "5", "-5"},
        {"0a", "1.1", "5", "-5", "5"},
        {"0a", "1.1", "-5", "5", "5"},
        {"0a", "1.1", " 5", "5", "5"},
        {"0a", "1.1", "0", "5", "5"},
        {"0a", "1.1", "1234567890", "5", "5"},
        {"0a", "1.1", "5", "123456789012345678901", "5"},
        {"0a", "1.1", "5", "5", "1234567890123456789"},
        {"0A", "1.1", "5", "5", "5"},
        {"0a\n", "1.1", "5", "5", "5"},
        {"0a", "1.1\"", "5", "5", "5"},
    };
    static const struct claim good = {"0a", "1.1", "5", "5", "5"};

    assert_int_equal(judge(&good, 1000000), OWNER_OVERDUE);
    for (size_t i = 0; i < COUNT(claims); i++)
        if (judge(&claims[i], 1000000) != OWNER_ALIVE)
            fail_msg("line %zu is taken", i);
}

/* Longer than anything that isolator writes, and than the fields that keep them. */
CASE(owner__labels_that_are_too_long)
{
    static const char *const good[OWNER_LABELS] = {"0a", "1.1", "5", "5", "host", "5"};

    for (size_t i = 0; i < OWNER_LABELS; i++) {
        CLEANUP(strvec_release) struct strvec values = STRVEC_INIT;

        for (size_t j = 0; j < OWNER_LABELS; j++)
            strvec_pushf(&values, "%0*d%s", i == j ? 100 : 1, 1, good[j]);
        if (owner_status(&values, 1000000) != (i == OWNER_HOST ? OWNER_OVERDUE : OWNER_ALIVE))
            fail_msg("%s is taken", owner_keys[i]);
    }
}

CASE(owner__labels_that_are_missing)
{
    CLEANUP(strvec_release) struct strvec values = STRVEC_INIT;

    assert_int_equal(owner_status(&values, 1000000), OWNER_ALIVE);
    strvec_push_each(&values, "0a", "1.1", "5", "5", "host", NULL);
    assert_int_equal(owner_status(&values, 1000000), OWNER_ALIVE);
    strvec_push(&values, "5");
    assert_int_equal(owner_status(&values, 1000000), OWNER_OVERDUE);
    strvec_push(&values, "of another kind"); /* gc reads more of a job */
    assert_int_equal(owner_status(&values, 1000000), OWNER_OVERDUE);
}

/* ---- jobs */

CASE(owner__job_user)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    strvec_push(&labels, "before");
    owner_job_user(&labels);
    assert_int_equal(labels.count, 2);
    check_command(value_of(&labels, 1, "job.user"), "echo \"$(id -u)@$(uname -n)\"");
}

/* A filter for the jobs of a user is the first label of each of them. */
CASE(owner__job_labels)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT, user = STRVEC_INIT;
    const long long before = (long long)time(NULL);
    long long started;

    owner_job_labels(&labels, "my-job", "python", before + 61, before + 100);
    owner_job_user(&user);
    assert_int_equal(labels.count, JOB_LABELS);
    assert_string_equal(labels.items[JOB_USER], user.items[0]);
    assert_string_equal(labels.items[1], "isolator.job.name=my-job");
    assert_string_equal(labels.items[2], "isolator.job.language=python");
    started = strtoll(value_of(&labels, 3, "job.started"), NULL, 10);
    assert_in_range(started, before, (long long)time(NULL));
    assert_int_equal(strtoll(value_of(&labels, 4, "job.ends"), NULL, 10), before + 61);
    assert_int_equal(strtoll(value_of(&labels, 5, "job.expires"), NULL, 10), before + 100);
}

CASE(owner__job_without_a_name)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    owner_job_labels(&labels, NULL, "c", 1, 2);
    assert_string_equal(labels.items[1], "isolator.job.name=");
}

/* The labels of a job are read by these keys. */
CASE(owner__job_keys)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    owner_job_labels(&labels, "n", "c", 1, 2);
    for (size_t i = 0; i < JOB_LABELS; i++) {
        const size_t length = strlen(job_keys[i]);

        assert_memory_equal(labels.items[i], job_keys[i], length);
        assert_int_equal(labels.items[i][length], '=');
    }
}
