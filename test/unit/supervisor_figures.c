#include "test.h"

#include "supervisor/figures.h"
#include "supervisor/protocol.h"

/* A directory like /sys/fs/cgroup. */
static void check(const char *directory, uint64_t cpu_us, uint64_t peak_bytes, uint64_t oom_kills)
{
    struct figures figures;

    figures_open(&figures, directory);
    for (int i = 0; i < 2; i++) { /* they can be read again and again */
        assert_int_equal(figures_cpu_us(&figures), cpu_us);
        assert_int_equal(figures_peak_bytes(&figures), peak_bytes);
        assert_int_equal(figures_oom_kills(&figures), oom_kills);
    }
    figures_close(&figures);
}

CASE(figures__of_version_2)
{
    char *directory = temp_create();

    write_in(directory, "cpu.stat",
             "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\nnr_periods 0\n");
    write_in(directory, "memory.peak", "18446744073709551\n");
    write_in(directory, "memory.events",
             "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n");
    check(directory, 1234567, 18446744073709551U, 5);
    temp_remove(directory);
}

static void make_version_1(const char *directory)
{
    CLEANUP_FREE char *cpu = path_in(directory, "cpuacct");
    CLEANUP_FREE char *memory = path_in(directory, "memory");

    assert_int_equal(mkdir(cpu, 0755), 0);
    assert_int_equal(mkdir(memory, 0755), 0);
    write_in(cpu, "cpuacct.usage", "1234567890\n");
    write_in(memory, "memory.max_usage_in_bytes", "4096\n");
    write_in(memory, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
}

CASE(figures__of_version_1)
{
    char *directory = temp_create();

    make_version_1(directory);
    check(directory, 1234567, 4096, 7);
    temp_remove(directory);
}

/* An engine without groups of its own: no figure is that of the container. */
CASE(figures__of_the_machine)
{
    char *directory = temp_create();
    CLEANUP_FREE char *cpu = path_in(directory, "cpuacct");
    CLEANUP_FREE char *memory = path_in(directory, "memory");

    make_version_1(directory);
    write_in(cpu, "release_agent", "\n");
    write_in(memory, "release_agent", "\n");
    check(directory, FRAME_UNKNOWN, FRAME_UNKNOWN, FRAME_UNKNOWN);
    temp_remove(directory);
}

/* Linux before 5.19 has no memory.peak, and before 4.13 no count of kills. */
CASE(figures__that_an_old_kernel_does_not_have)
{
    char *directory = temp_create();
    CLEANUP_FREE char *old = path_in(directory, "memory");

    write_in(directory, "cpu.stat", "usage_usec 0\n");
    write_in(directory, "memory.events", "low 1\nhigh 2\nmax 3\noom 4\n");
    check(directory, 0, FRAME_UNKNOWN, FRAME_UNKNOWN);
    assert_int_equal(mkdir(old, 0755), 0);
    write_in(old, "memory.max_usage_in_bytes", "77");
    check(directory, 0, 77, FRAME_UNKNOWN);
    temp_remove(directory);
}

CASE(figures__missing)
{
    char *directory = temp_create();
    CLEANUP_FREE char *nowhere = path_in(directory, "nowhere");
    char long_name[5000] = "/";

    check(directory, FRAME_UNKNOWN, FRAME_UNKNOWN, FRAME_UNKNOWN);
    check(nowhere, FRAME_UNKNOWN, FRAME_UNKNOWN, FRAME_UNKNOWN);
    memset(long_name + 1, 'n', sizeof long_name - 2);
    check(long_name, FRAME_UNKNOWN, FRAME_UNKNOWN, FRAME_UNKNOWN);
    temp_remove(directory);
}

CASE(figures__files_of_another_form)
{
    static const char *const texts[] = {
        "",
        "\n",
        "max\n",
        "usage_usec\noom_kill\n",
        "usage_usec \noom_kill \n",
        "usage_usec x\noom_kill -1\n",
        "usage_usecs 1\noom_kills 1\n",
        " usage_usec 1\n oom_kill 1\n",
        "usage_usec 99999999999999999999\noom_kill 99999999999999999999\n",
    };
    char *directory = temp_create();

    for (size_t i = 0; i < COUNT(texts); i++) {
        write_in(directory, "cpu.stat", texts[i]);
        write_in(directory, "memory.peak", texts[i]);
        write_in(directory, "memory.events", texts[i]);
        check(directory, FRAME_UNKNOWN, FRAME_UNKNOWN, FRAME_UNKNOWN);
    }
    temp_remove(directory);
}

static void check_current(const char *directory, uint64_t expected)
{
    struct figures figures;

    figures_open(&figures, directory);
    assert_int_equal(figures_current_bytes(&figures), expected);
    figures_close(&figures);
}

CASE(figures__memory_in_use)
{
    char *directory = temp_create();
    CLEANUP_FREE char *old = path_in(directory, "memory");

    check_current(directory, FRAME_UNKNOWN);
    assert_int_equal(mkdir(old, 0755), 0);
    write_in(old, "memory.usage_in_bytes", "4096\n");
    check_current(directory, 4096);
    write_in(directory, "memory.current", "8192\n"); /* version 2 */
    check_current(directory, 8192);
    temp_remove(directory);
}

static void check_limits(const char *directory, uint64_t full, uint64_t refused)
{
    struct figures figures;

    figures_open(&figures, directory);
    assert_int_equal(figures_memory_full(&figures), full);
    assert_int_equal(figures_refused_processes(&figures), refused);
    figures_close(&figures);
}

CASE(figures__limits_that_were_reached)
{
    char *directory = temp_create();
    CLEANUP_FREE char *memory = path_in(directory, "memory");
    CLEANUP_FREE char *pids = path_in(directory, "pids");

    check_limits(directory, FRAME_UNKNOWN, FRAME_UNKNOWN);
    assert_int_equal(mkdir(memory, 0755), 0);
    assert_int_equal(mkdir(pids, 0755), 0);
    write_in(memory, "memory.failcnt", "12\n");
    write_in(pids, "pids.events", "max 34\n");
    check_limits(directory, 12, 34);
    write_in(directory, "memory.events", "low 1\nhigh 2\nmax 56\noom 4\n"); /* version 2 */
    write_in(directory, "pids.events", "max 78\n");
    check_limits(directory, 56, 78);
    temp_remove(directory);
}

/* What the files say is what holds now, not when they were opened. */
CASE(figures__change)
{
    char *directory = temp_create();
    struct figures figures;

    write_in(directory, "memory.events", "oom_kill 1\n");
    figures_open(&figures, directory);
    assert_int_equal(figures_oom_kills(&figures), 1);
    write_in(directory, "memory.events", "oom_kill 23\n");
    assert_int_equal(figures_oom_kills(&figures), 23);
    figures_close(&figures);
    temp_remove(directory);
}

CASE(figures__clocks)
{
    const uint64_t time = figures_clock_us(), cpu = figures_own_cpu_us();
    volatile unsigned work = 0;

    while (figures_own_cpu_us() < cpu + 1000)
        work++;
    assert_true(figures_clock_us() >= time + 1000);
}

static void check_maxima(const char *directory, uint64_t memory, uint64_t cpu_us, uint64_t pids)
{
    struct figures figures;
    uint64_t value;

    figures_open(&figures, directory);
    assert_true(figures_memory_limit(&figures, &value));
    assert_true(value == memory);
    assert_true(figures_cpu_limit(&figures, &value));
    assert_true(value == cpu_us);
    assert_true(figures_pids_limit(&figures, &value));
    assert_true(value == pids);
    figures_close(&figures);
}

CASE(figures__limits_of_version_2)
{
    char *directory = temp_create();

    write_in(directory, "memory.max", "max\n");
    write_in(directory, "cpu.max", "max 100000\n");
    write_in(directory, "pids.max", "max\n");
    check_maxima(directory, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    write_in(directory, "memory.max", "536870912\n");
    write_in(directory, "cpu.max", "75000 50000\n");
    write_in(directory, "pids.max", "64\n");
    check_maxima(directory, 536870912, 1500000, 64);
    temp_remove(directory);
}

CASE(figures__limits_of_version_1)
{
    char *directory = temp_create();
    CLEANUP_FREE char *memory = path_in(directory, "memory");
    CLEANUP_FREE char *cpu = path_in(directory, "cpu");
    CLEANUP_FREE char *pids = path_in(directory, "pids");

    assert_int_equal(mkdir(memory, 0755), 0);
    assert_int_equal(mkdir(cpu, 0755), 0);
    assert_int_equal(mkdir(pids, 0755), 0);
    write_in(memory, "memory.limit_in_bytes", "9223372036854771712\n");
    write_in(cpu, "cpu.cfs_quota_us", "-1\n");
    write_in(cpu, "cpu.cfs_period_us", "100000\n");
    write_in(pids, "pids.max", "max\n");
    check_maxima(directory, 9223372036854771712U, UINT64_MAX, UINT64_MAX);
    write_in(memory, "memory.limit_in_bytes", "4096\n");
    write_in(cpu, "cpu.cfs_quota_us", "25000\n");
    write_in(pids, "pids.max", "7\n");
    check_maxima(directory, 4096, 250000, 7);
    temp_remove(directory);
}

CASE(figures__limits_that_cannot_be_read)
{
    static const char *const texts[] = {"",           "\n",  "-2\n",  "x\n",
                                        "x 100000\n", "5\n", "5 0\n", "5 x\n"};
    char *directory = temp_create();

    for (size_t i = 0; i <= COUNT(texts); i++) {
        struct figures figures;
        uint64_t value;

        figures_open(&figures, directory); /* at first there are no files */
        assert_false(figures_cpu_limit(&figures, &value));
        if (i < 5) {
            assert_false(figures_memory_limit(&figures, &value));
            assert_false(figures_pids_limit(&figures, &value));
        }
        figures_close(&figures);
        if (i == COUNT(texts))
            break;
        write_in(directory, "memory.max", texts[i]);
        write_in(directory, "pids.max", texts[i]);
        write_in(directory, "cpu.max", texts[i]);
    }
    temp_remove(directory);
}
