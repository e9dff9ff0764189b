#include "run/supervisor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "docker/container.h"

/*
 * The maximum bytes of a frame; anything longer is output of the program. Also in the format of
 * parse_end().
 */
enum { FRAME_MAX = 160 };

/* How long after the timeout the container ends itself if isolator has not ended it. */
enum { GRACE_SECONDS = 5 };

/*
 * The supervisor runs in a copy of the shell that may be executed but not read. The kernel makes
 * such a process inaccessible (PR_SET_DUMPABLE(2const)), so a program of the same user can neither
 * trace process 1, which would stop it, nor open its lifeline through /proc/1/fd. If the copy
 * cannot be made, the supervisor runs without this protection.
 */
static const char entry_script[] =
    "shell=$3/.isolator-$2/sh\n"
    /* The umask leaves 111 of the shell's mode. */
    "{ mkdir \"${shell%/sh}\" && umask 666 && cp /bin/sh \"$shell\"; } 2>/dev/null ||\n"
    "  { rm -rf \"${shell%/sh}\"; shell=/bin/sh; }\n"
    "exec \"$shell\" -c \"$1\" supervisor \"$2\" \"$3\"\n";

/*
 * Works in dash, busybox ash and bash. What is not obvious in it:
 *
 * - Descriptor 3 is the lifeline, which no other process of the container has. Descriptors 5 and 6
 *   are stderr and stdout of the container. Process 1 has no stderr of its own once the program
 *   runs, because shells print messages there about children that a signal ended.
 * - `program` is a function of the file that was sent. Sourcing the file defines it, and only the
 *   process that becomes the program executes it.
 * - The runner waits for the program and reports its end, since `read` cannot wait for a child. It
 *   must not be started with "&": for such a child a shell ignores SIGINT and SIGQUIT permanently,
 *   and the program would inherit that. So it is the child of a command substitution, whose process
 *   it kills. This lets process 1 continue and makes the runner an orphan.
 * - The trap wakes process 1 when one of its children ends. It then lets `jobs` reap orphans, and
 *   reports the end itself if the program has killed the runner (kill -9 -1). A frame that comes
 *   twice does no harm. The other signals that a program may send are caught too, since a shell
 *   acts on some by default.
 * - The timer is a child of process 1, which wakes when the timer ends and when it is stopped
 *   (SIGSTOP). So killing the timer ends the container, and stopping it does not stop the clock for
 *   long.
 * - A process that is killed may still finish a write, between the bytes of the tar. So process 1
 *   waits until none is left, but not forever: one may hang in the kernel.
 * - The program makes itself the first choice of the OOM killer, so that the supervisor survives
 *   and can report. This takes a new shell, since the supervisor's own forks may not write below
 *   /proc/self (see above).
 */
static const char supervisor_script[] =
    "nonce=$1\n"
    "frame() { printf '\\000%s %s\\n' \"$nonce\" \"$1\"; }\n"
    "fail() { frame \"fail $1\" >&5; exit 1; }\n"
    "field() {\n" /* NAME FILE: the number after NAME, or the file's last number */
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
    "  frame end; frame \"end $1 $oom $peak $used\" >&5\n"
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
    "frame ready >&5\n"
    "while woke=; ! read -r size <&3; do [ \"$woke\" ] || exit 0; done\n"
    "head -c \"$size\" <&3 | tar -xf - || fail unpack\n"
    "control=.isolator-$nonce\n"
    ". \"./$control/program\" && exec 4<\"$control/stdin\" || fail unpack\n"
    "rm -rf \"$control\"\n"
    "cpu; before=$number\n"
    "exec 2>/dev/null\n"
    "sleep $limit 3<&- 4<&- 5>&- 6>&- >/dev/null &\n"
    "timer=$!\n"
    "runner=$( (\n"
    "  read -r self x x parent x </proc/self/stat\n"
    "  echo $self\n"
    "  exec 3<&- >&6 6>&-\n"
    "  kill -9 $parent\n"
    "  frame begin; frame begin >&5\n"
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
    "    if [ \"$order\" = files ]; then\n"
    "      chmod -R u+rX .; frame files; tar -cf - . 3<&- 5>&- 6>&- &\n"
    "    else finish 137; fi\n"
    "  elif [ -z \"$woke\" ]; then exit 0; fi\n"
    "done\n";

struct strvec supervisor_command(const char *nonce, const char *workdir)
{
    struct strvec command = STRVEC_INIT;

    strvec_push_each(&command, "/bin/sh", "-c", entry_script, "supervisor", supervisor_script,
                     nonce, workdir, NULL);
    return command;
}

/* Adds a space and the word in single quotes, in which only the single quote is special. */
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
 * Adds the seconds that the container may run, and the shell function that becomes the program. No
 * value of the environment is an argument of a process, since the host shows arguments to all its
 * users.
 */
static void add_program(struct strbuf *script, const struct plan *plan)
{
    const double limit = ceil(plan->policy.limits.number[LIMIT_TIMEOUT]) + GRACE_SECONDS;

    strbuf_addf(script, "limit=%.0f\nprogram() {\nunset OLDPWD", limit);
    if (strcmp(plan->policy.network, "none") == 0) /* the engine leaves them empty */
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

/* The program's stdin, which is empty if the request has none. */
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

/* A count of a frame; -1 for every other word. */
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
 * Parses "end STATUS OOM PEAK CPU" into the stream. The figures may be "-". False if the words have
 * another form, or if STATUS is not from 0 to 255.
 */
static bool parse_end(struct supervisor_stream *stream, const char *words)
{
    char status[FRAME_MAX], oom[FRAME_MAX], peak[FRAME_MAX], cpu[FRAME_MAX];
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
 * Handles a frame with these words. False if no such frame can come in this state; then these are
 * bytes of the program. The stream with "ready" is stderr, whose "end" carries the figures.
 */
static bool take_frame(struct supervisor_stream *stream, const char *words)
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

static void pass_bytes(struct supervisor_stream *stream, enum supervisor_state state,
                       const char *data, size_t length, supervisor_sink *sink, void *context)
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
 * Checks whether a frame starts at the data, whose first byte is a NUL. Returns its length in bytes
 * and copies its words; 0: there is no frame; -1: more bytes are needed to tell.
 */
static long match_frame(const struct supervisor_stream *stream, const char *data, size_t length,
                        char words[FRAME_MAX])
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
    newline = memchr(data, '\n', length < FRAME_MAX ? length : FRAME_MAX);
    if (!newline)
        return length < FRAME_MAX ? -1 : 0;
    size = (size_t)(newline - data) - nonce_length - 2;
    memcpy(words, data + nonce_length + 2, size);
    words[size] = '\0';
    return newline + 1 - data;
}

/*
 * Handles the frames in the data and passes on the bytes between them. Returns how much was
 * handled.
 */
static size_t parse(struct supervisor_stream *stream, const char *data, size_t length,
                    supervisor_sink *sink, void *context)
{
    char words[FRAME_MAX];
    size_t passed = 0; /* handled */
    size_t at = 0;     /* checked */

    while (stream->state < SUPERVISOR_ENDED ||
           (stream->state == SUPERVISOR_ENDED && stream->wants_files)) {
        const enum supervisor_state state = stream->state; /* of the bytes before the frame */
        const char *nul = at < length ? memchr(data + at, '\0', length - at) : NULL;
        const size_t found = nul ? (size_t)(nul - data) : length;
        const long frame = nul ? match_frame(stream, nul, length - found, words) : -1;

        if (frame == 0 || (frame > 0 && !take_frame(stream, words))) {
            at = found + 1;
            continue;
        }
        pass_bytes(stream, state, data + passed, found - passed, sink, context);
        if (frame < 0)
            return found;
        passed = at = found + (size_t)frame;
    }
    pass_bytes(stream, stream->state, data + passed, length - passed, sink, context);
    return length;
}

void supervisor_stream_feed(struct supervisor_stream *stream, const char *data, size_t length,
                            supervisor_sink *sink, void *context)
{
    size_t done;

    if (stream->pending.length == 0) {
        done = parse(stream, data, length, sink, context);
        strbuf_add(&stream->pending, data + done, length - done);
    } else { /* the start of a frame is joined with the rest */
        strbuf_add(&stream->pending, data, length);
        done = parse(stream, stream->pending.data, stream->pending.length, sink, context);
        strbuf_drop(&stream->pending, done);
    }
}
