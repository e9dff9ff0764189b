#include "test.h"

#include <signal.h>

#include "base/signal_name.h"

CASE(signal_name__by_number)
{
    assert_null(signal_name(-1));
    assert_null(signal_name(0));
    assert_null(signal_name(0));
    assert_string_equal(signal_name(1), "SIGHUP");
    assert_string_equal(signal_name(2), "SIGINT");
    assert_string_equal(signal_name(6), "SIGABRT");
    assert_string_equal(signal_name(7), "SIGBUS");
    assert_string_equal(signal_name(9), "SIGKILL");
    assert_string_equal(signal_name(10), "SIGUSR1");
    assert_string_equal(signal_name(11), "SIGSEGV");
    assert_string_equal(signal_name(13), "SIGPIPE");
    assert_string_equal(signal_name(15), "SIGTERM");
    assert_string_equal(signal_name(17), "SIGCHLD");
    assert_string_equal(signal_name(24), "SIGXCPU");
    assert_string_equal(signal_name(25), "SIGXFSZ");
    assert_string_equal(signal_name(29), "SIGIO");
    assert_string_equal(signal_name(31), "SIGSYS");
    assert_null(signal_name(32));
    assert_null(signal_name(2147483647));
}

/* The names of <signal.h>, and the number of a signal that POSIX does not name. */
CASE(signal_name__those_of_the_kernel)
{
    static const struct {
        int number;
        const char *name;
    } signals[] = {
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"},
        {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},     {SIGABRT, "SIGABRT"},
        {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},       {SIGKILL, "SIGKILL"},
        {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"},
        {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"},
        {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"},
        {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"},
        {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},     {SIGXFSZ, "SIGXFSZ"},
        {SIGPROF, "SIGPROF"}, {SIGVTALRM, "SIGVTALRM"}, {SIGSYS, "SIGSYS"},
        {16, "SIGSTKFLT"},    {28, "SIGWINCH"},         {29, "SIGIO"},
        {30, "SIGPWR"},
    };

    assert_int_equal(COUNT(signals), 31);
    for (size_t i = 0; i < COUNT(signals); i++)
        assert_string_equal(signal_name(signals[i].number), signals[i].name);
}
