#include "run/supervisor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "docker/container.h"

/* A mark is short; a NUL and the nonce with more behind it are the program's own bytes. */
enum { MARK_MAX = 160 }; /* also in the format of parse_end() */

/* How long behind the timeout the sandbox ends itself, where nobody else did. */
enum { GRACE_SECONDS = 5 };

/*
 * The gate runs in a copy of the shell that may be executed but not read. The kernel lets nobody look
 * into such a process (PR_SET_DUMPABLE(2const)), so that a program of the same user can neither trace
 * process 1, which would stop it, nor take hold of its lifeline through /proc/1/fd. Where the copy
 * cannot be made, the gate runs all the same.
 */
static const char entry_script[] =
    "shell=$3/.isolator-$2/sh\n"
    /* Of the modes of the shell, the umask leaves 111. */
    "{ mkdir \"${shell%/sh}\" && umask 666 && cp /bin/sh \"$shell\"; } 2>/dev/null ||\n"
    "  { rm -rf \"${shell%/sh}\"; shell=/bin/sh; }\n"
    "exec \"$shell\" -c \"$1\" gate \"$2\" \"$3\"\n";

/*
 * Works in dash, busybox ash and bash. What is not obvious in it:
 * - Descriptor 3 is the lifeline, which nothing else of the container is given; 5 and 6 are stderr and
 *   stdout of the container. Process 1 has no stderr of its own once the program runs: shells remark
 *   there on children that a signal ended.
 * - `program` is a function of the sent file: sourcing defines it, and only the process that becomes
 *   the program executes it.
 * - The runner sees the program to its end and reports it, since `read` cannot wait for a child. It
 *   must not be started with "&": a shell ignores SIGINT and SIGQUIT for such a child, for good, and
 *   the program would inherit that. So it is the child of a command substitution, whose process it
 *   kills, which lets process 1 go on and makes the runner an orphan.
 * - Process 1 wakes by the trap when a child of its own ends, lets `jobs` reap orphans, and speaks for
 *   a runner that the program has killed (kill -9 -1). A mark that comes twice does no harm. The other
 *   signals that a program may send it are caught too: a shell acts on some by default.
 * - The timer is a child of process 1 itself, whose end and whose halt (SIGSTOP) both wake it: killing
 *   the timer ends the sandbox, stopping it does not stop the clock for long.
 * - A process that is killed may yet finish a write, between the bytes of the tar. So it waits until none is
 *   left, but not for ever: one may hang in the kernel.
 * - The program offers itself to the OOM killer first, so that the gate survives to tell. It takes a
 *   new shell for that: the gate's own forks may not write below /proc/self, see above.
 */
static const char supervisor_script[] =
    "nonce=$1\n"
    "mark() { printf '\\000%s %s\\n' \"$nonce\" \"$1\"; }\n"
    "fail() { mark \"fail $1\" >&5; exit 1; }\n"
    "field() {\n" /* NAME FILE: the number behind NAME, or the file's last number */
    "  number=-\n"
    "  [ -r \"$2\" ] || return 1\n"
    "  while read -r key value; do\n"
    "    case $key in \"$1\") number=$value;; [0-9]*) number=$key;; esac\n"
    "  done <\"$2\"\n"
    "}\n"
    "cpu() {\n" /* CPU time so far in microseconds */
    "  unit=1\n"
    "  if field - /sys/fs/cgroup/cpuacct/cpuacct.usage; then unit=1000\n"
    "  else field usage_usec /sys/fs/cgroup/cpu.stat; fi\n"
    "  case $number in [0-9]*) number=$((number / unit));; esac\n"
    "}\n"
    "finish() {\n"
    "  cpu; used=$number\n"
    "  case $used in [0-9]*) used=$((used - before));; esac\n"
    "  field oom_kill /sys/fs/cgroup/memory/memory.oom_control ||\n"
    "    field oom_kill /sys/fs/cgroup/memory.events; oom=$number\n"
    "  field - /sys/fs/cgroup/memory/memory.max_usage_in_bytes ||\n"
    "    field - /sys/fs/cgroup/memory.peak; peak=$number\n"
    "  mark end; mark \"end $1 $oom $peak $used\" >&5\n"
    "}\n"
    "clear() {\n" /* ends every process but this one */
    "  timer= tries=0\n"
    "  kill -9 -1\n"
    "  while kill -0 -1 && [ $((tries += 1)) -lt 10000 ]; do jobs >/dev/null; done\n"
    "}\n"
    "trap 'woke=1' CHLD HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM "
    "XCPU XFSZ VTALRM SYS\n"
    "exec 3<&0 5>&2 6>&1 </dev/null\n"
    "for tool in head tar rm sleep; do command -v $tool >/dev/null || fail tools; done\n"
    "umask 022\n"
    "cd \"$2\" || fail workdir\n"
    "mark ready >&5\n"
    "while woke=; ! read -r size <&3; do [ \"$woke\" ] || exit 0; done\n"
    "head -c \"$size\" <&3 | tar -xf - || fail unpack\n"
    "box=.isolator-$nonce\n"
    ". \"./$box/program\" && exec 4<\"$box/stdin\" || fail unpack\n"
    "rm -rf \"$box\"\n"
    "cpu; before=$number\n"
    "exec 2>/dev/null\n"
    "sleep $limit 3<&- 4<&- 5>&- 6>&- >/dev/null &\n"
    "timer=$!\n"
    "runner=$( (\n"
    "  read -r self x x parent x </proc/self/stat\n"
    "  echo $self\n"
    "  exec 3<&- >&6 6>&-\n"
    "  kill -9 $parent\n"
    "  mark begin; mark begin >&5\n"
    "  ( program <&4 2>&5 4<&- 5>&- )\n"
    "  finish $?\n"
    "); : )\n"
    "exec 4<&-\n"
    "while :; do\n"
    "  woke=\n"
    "  jobs >/dev/null\n"
    "  [ -z \"$timer\" ] || { kill -CONT $timer && kill -0 $runner; } || { clear; finish 137; }\n"
    "  [ -z \"$woke\" ] || continue\n"
    "  if read -r order <&3; then\n"
    "    clear\n"
    "    if [ \"$order\" = files ]; then chmod -R u+rX .; mark files; tar -cf - . 3<&- 5>&- 6>&- & "
    "else finish 137; "
    "fi\n"
    "  elif [ -z \"$woke\" ]; then exit 0; fi\n"
    "done\n";

struct strvec supervisor_command(const char *nonce, const char *workdir)
{
    struct strvec command = STRVEC_INIT;

    strvec_push_each(&command, "/bin/sh", "-c", entry_script, "gate", supervisor_script, nonce,
                     workdir, NULL);
    return command;
}

/* Adds a space and the word in single quotes, in which nothing is special but the single quote. */
static void add_quoted(struct strbuf *script, const char *word)
{
    strbuf_addstr(script, " '");
    for (; *word; word++) {
        if (*word == '\'')
            strbuf_addstr(script, "'\\''");
        else
            strbuf_addch(script, *word);
    }
    strbuf_addch(script, '\'');
}

/*
 * The seconds that the sandbox may live, and the shell function that becomes the program. Nothing of
 * the environment stands in the arguments of a process: the host lists those to all its users.
 */
static void add_program(struct strbuf *script, const struct plan *plan)
{
    const double limit = ceil(plan->policy.limits.number[LIMIT_TIMEOUT]) + GRACE_SECONDS;

    strbuf_addf(script, "limit=%.0f\nprogram() {\nunset OLDPWD", limit);
    if (strcmp(plan->policy.network, "none") == 0) /* empty by then; better not there */
        for (const char *const *name = container_proxy_variables; *name; name++)
            strbuf_addf(script, " %s", *name);
    for (size_t i = 0; i < plan->environment.count; i++) {
        strbuf_addstr(script, "\nexport");
        add_quoted(script, plan->environment.items[i]);
    }
    strbuf_addstr(script,
                  "\nexec /bin/sh -c '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null\n"
                  "exec \"$@\"' sh");
    for (size_t i = 0; i < plan->command.count; i++)
        add_quoted(script, plan->command.items[i]);
    strbuf_addstr(script, "\n}\n");
}

/* The program's stdin, which is empty where the request has none. */
static int add_stdin(const struct plan *plan, const char *name, struct archive *archive,
                     struct error *error)
{
    const int file = plan->input.stdin_file;
    const off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);

    if (file < 0)
        return archive_add_bytes(archive, name, "", 0, error);
    if (size < 0 || lseek(file, 0, SEEK_SET) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot read the program's stdin");
    return archive_add_file(archive, name, file, size, false, 0, error);
}

int supervisor_control(const struct plan *plan, const char *nonce, struct archive *archive,
                       struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf script = STRBUF_INIT;
    CLEANUP_FREE char *directory = string_format(".isolator-%s", nonce);
    CLEANUP_FREE char *program = string_format("%s/program", directory);
    CLEANUP_FREE char *input = string_format("%s/stdin", directory);

    add_program(&script, plan);
    if (archive_add_directory(archive, directory, 0, error) != 0 ||
        archive_add_bytes(archive, program, script.data, script.length, error) != 0)
        return -1;
    return add_stdin(plan, input, archive, error);
}

void supervisor_stream_init(struct supervisor_stream *stream, const char *nonce)
{
    *stream = (struct supervisor_stream){
        .nonce = nonce, .status = -1, .oom_kills = -1, .peak_bytes = -1, .cpu_us = -1};
}

void supervisor_stream_release(struct supervisor_stream *stream)
{
    strbuf_release(&stream->pending);
    strbuf_release(&stream->preamble);
}

/* A count from a mark; -1 where it is not one, whatever else stands there. */
static long long parse_count(const char *word)
{
    long long value;
    char *end;

    if (*word < '0' || *word > '9' || strlen(word) > 18)
        return -1;
    value = strtoll(word, &end, 10);
    return *end == '\0' ? value : -1;
}

/*
 * Reads "end STATUS OOM PEAK CPU" into the stream. False where it is not of this form with a status
 * that can be one; the counts may be missing.
 */
static bool parse_end(struct supervisor_stream *stream, const char *words)
{
    char status[MARK_MAX], oom[MARK_MAX], peak[MARK_MAX], cpu[MARK_MAX];
    long long number;

    if (strncmp(words, "end ", 4) != 0 ||
        sscanf(words + 4, "%159s %159s %159s %159s", status, oom, peak, cpu) != 4)
        return false;
    number = parse_count(status);
    if (number < 0 || number > 255)
        return false;
    stream->status = (int)number;
    stream->oom_kills = parse_count(oom);
    stream->peak_bytes = parse_count(peak);
    stream->cpu_us = parse_count(cpu);
    return true;
}

/*
 * Takes a mark of these words. False where none like it can come now: then they are the program's own
 * bytes. The stream that said "ready" is stderr, whose end carries the numbers.
 */
static bool take_mark(struct supervisor_stream *stream, const char *words)
{
    if (stream->state == SUPERVISOR_RUNNING) {
        if (stream->ready ? !parse_end(stream, words) : strcmp(words, "end") != 0)
            return false;
        stream->state = SUPERVISOR_ENDED;
    } else if (stream->state == SUPERVISOR_ENDED) {
        if (strcmp(words, "files") != 0)
            return false;
        stream->state = SUPERVISOR_FILES;
    } else if (strcmp(words, "ready") == 0) {
        stream->ready = true;
    } else if (strcmp(words, "begin") == 0) {
        stream->state = SUPERVISOR_RUNNING;
    } else if (strncmp(words, "fail ", 5) == 0) {
        snprintf(stream->failure, sizeof stream->failure, "%.15s", words + 5);
    }
    return true;
}

static void pass_on(struct supervisor_stream *stream, enum supervisor_state state, const char *data,
                    size_t length, supervisor_sink *sink, void *context)
{
    const size_t room = SUPERVISOR_PREAMBLE_MAX - stream->preamble.length;

    if (length == 0)
        return;
    if (state == SUPERVISOR_WAITING)
        strbuf_add(&stream->preamble, data, length < room ? length : room);
    else if (state != SUPERVISOR_ENDED)
        sink(context, state, data, length);
}

/*
 * Looks at the NUL at the start of the data. Returns how many bytes a mark takes there, with its
 * words; 0 where none stands there; -1 where more bytes are needed to tell.
 */
static long match_mark(const struct supervisor_stream *stream, const char *data, size_t length,
                       char words[MARK_MAX])
{
    const size_t nonce_length = strlen(stream->nonce);
    const size_t shown = length - 1 < nonce_length ? length - 1 : nonce_length;
    const char *newline;
    size_t size;

    if (memcmp(data + 1, stream->nonce, shown) != 0)
        return 0;
    if (length < nonce_length + 2)
        return -1;
    if (data[nonce_length + 1] != ' ')
        return 0;
    newline = memchr(data, '\n', length < MARK_MAX ? length : MARK_MAX);
    if (!newline)
        return length < MARK_MAX ? -1 : 0;
    size = (size_t)(newline - data) - nonce_length - 2;
    memcpy(words, data + nonce_length + 2, size);
    words[size] = '\0';
    return newline + 1 - data;
}

/* Takes the marks out of the data; returns how much of it was dealt with. */
static size_t feed(struct supervisor_stream *stream, const char *data, size_t length,
                   supervisor_sink *sink, void *context)
{
    char words[MARK_MAX];
    size_t passed = 0; /* dealt with */
    size_t at = 0;     /* looked at */

    while (stream->state < SUPERVISOR_ENDED ||
           (stream->state == SUPERVISOR_ENDED && stream->wants_files)) {
        const enum supervisor_state state = stream->state; /* of the bytes in front of the mark */
        const char *nul = at < length ? memchr(data + at, '\0', length - at) : NULL;
        const size_t found = nul ? (size_t)(nul - data) : length;
        const long mark = nul ? match_mark(stream, nul, length - found, words) : -1;

        if (mark == 0 || (mark > 0 && !take_mark(stream, words))) {
            at = found + 1;
            continue;
        }
        pass_on(stream, state, data + passed, found - passed, sink, context);
        if (mark < 0)
            return found;
        passed = at = found + (size_t)mark;
    }
    pass_on(stream, stream->state, data + passed, length - passed, sink, context);
    return length;
}

void supervisor_stream_feed(struct supervisor_stream *stream, const char *data, size_t length,
                            supervisor_sink *sink, void *context)
{
    size_t done;

    if (stream->pending.length == 0) {
        done = feed(stream, data, length, sink, context);
        strbuf_add(&stream->pending, data + done, length - done);
    } else { /* what may be a mark is joined with its rest */
        strbuf_add(&stream->pending, data, length);
        done = feed(stream, stream->pending.data, stream->pending.length, sink, context);
        strbuf_drop(&stream->pending, done);
    }
}
