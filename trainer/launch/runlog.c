/* Writes the head and end of a log, and reads them from existing logs. */
#include <config.h>

#include "trainer/launch/runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/units/units.h"

enum {
	EDGE = 1 << 16, /* bytes read from the end of a log */
	MAX_HEAD = 1 << 20,
	MAX_ASIDE = 9999
};

static const char command_line[] = "dlscale: command ";
static const char end_line[] = "dlscale: run ended=";
static const char resume_line[] = "dlscale: resume ";
static const char trainer_error[] = "train_imagenet: ";

static void
show_time(struct strbuf *sb)
{
	const time_t t = time(NULL);
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm) != NULL)
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	strbuf_addstr(sb, text);
}

/* --- Reading -------------------------------------------------------------- */

/* Read the last EDGE bytes of a file as a string, with NULs replaced by '?'.
 * Returns NULL if it cannot be read; the caller frees it. */
static char *
read_tail(const char *path)
{
	FILE *f = fopen(path, "r");
	char *buf;
	size_t n;

	if (f == NULL)
		return NULL;
	buf = xmalloc(EDGE + 1);
	if (fseek(f, -(long)EDGE, SEEK_END) != 0)
		rewind(f);
	n = fread(buf, 1, EDGE, f);
	for (size_t i = 0; i < n; i++)
		if (buf[i] == '\0')
			buf[i] = '?';
	buf[n] = '\0';
	fclose(f);
	return buf;
}

/* Find the first line of text that begins with start, or NULL. */
static const char *
find_start(const char *text, const char *start)
{
	const size_t len = strlen(start);

	while (text != NULL && strncmp(text, start, len) != 0) {
		text = strchr(text, '\n');
		if (text != NULL)
			text++;
	}
	return text;
}

/* Find the first such line in a file and copy the text after start. Returns 0,
 * or -1 if there is none. */
static int
find_in_file(const char *path, const char *start, char *rest, size_t size)
{
	FILE *f = fopen(path, "r");
	char *buf = xmalloc(MAX_HEAD);
	int at_start = 1, found = 0;

	while (f != NULL && !found && fgets(buf, MAX_HEAD, f) != NULL) {
		if (at_start && strncmp(buf, start, strlen(start)) == 0) {
			const char *p = buf + strlen(start);

			snprintf(rest, size, "%.*s", (int)strcspn(p, "\n"), p);
			found = 1;
		}
		at_start = strchr(buf, '\n') != NULL;
	}
	free(buf);
	if (f != NULL)
		fclose(f);
	return found ? 0 : -1;
}

/* The "run ended" line of a successful run in the tail of its log, or NULL. */
static const char *
find_fine_end(const char *tail)
{
	const char *end = find_start(tail, end_line);
	const char *status = end != NULL ? strstr(end, " status=0\n") : NULL;

	return status != NULL && status < strchr(end, '\n') ? end : NULL;
}

enum runlog_state
runlog_look(
    const char *path, const char *command, struct runlog_metadata *metadata)
{
	const size_t size = strlen(command) + 2;
	char *tail = read_tail(path), *made_by;
	const char *end;
	struct stat st;

	if (tail == NULL)
		return lstat(path, &st) == 0 ? RUNLOG_OTHER : RUNLOG_ABSENT;
	end = find_fine_end(tail);
	if (end == NULL) {
		free(tail);
		return RUNLOG_OTHER;
	}
	end = find_start(end, "real ");
	if (end == NULL ||
	    number_scan(end + 5, strcspn(end + 5, "\n"), &metadata->real_s) ==
		0 ||
	    !(metadata->real_s >= 0))
		metadata->real_s = -1;
	free(tail);
	made_by = xcalloc(1, size);
	metadata->same_command =
	    find_in_file(path, command_line, made_by, size) == 0 &&
	    strcmp(made_by, command) == 0;
	free(made_by);
	return RUNLOG_FINISHED;
}

int
runlog_refuses_state(const char *path, const char *state)
{
	char *temp = xasprintf("%s~", path), *buf = xmalloc(MAX_HEAD);
	FILE *f = fopen(temp, "r");
	int refuses = 0, resumes = 0;

	while (f != NULL && !resumes && fgets(buf, MAX_HEAD, f) != NULL) {
		const char *error = strstr(buf, trainer_error);

		resumes = strncmp(buf, resume_line, strlen(resume_line)) == 0;
		refuses |= error != NULL && strstr(error, state) != NULL;
	}
	if (f != NULL)
		fclose(f);
	free(buf);
	free(temp);
	return refuses && !resumes;
}

/* --- Writing -------------------------------------------------------------- */

static int
write_log(int fd, const char *path, const struct strbuf *sb, struct error *e)
{
	for (size_t done = 0; done < sb->len;) {
		const ssize_t n = write(fd, sb->buf + done, sb->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(
			    e, errno, "cannot write to '%s~'", path);
		done += (size_t)n;
	}
	return 0;
}

/* Rename PATH~ to the first free PATH.1~, PATH.2~, ... Returns that name, which
 * the caller frees, or NULL if there is no PATH~ or it cannot be renamed. */
static char *
move_aside(const char *path)
{
	char *from = xasprintf("%s~", path), *to;
	struct stat st;
	int i = 1;

	while (to = xasprintf("%s.%d~", path, i),
	    lstat(to, &st) == 0 && i < MAX_ASIDE) {
		free(to);
		i++;
	}
	if (lstat(to, &st) == 0 || rename(from, to) != 0) {
		free(to);
		to = NULL;
	}
	free(from);
	return to;
}

int
runlog_begin(
    const char *path, const struct run *r, const char *command, struct error *e)
{
	const char *slash = strrchr(path, '/');
	char *temp;
	struct strbuf sb;
	int fd;

	if (slash != NULL) {
		char *folder = xstrndup(path, (size_t)(slash - path));
		const int rc = make_folders(folder, e);

		free(folder);
		if (rc != 0)
			return -1;
	}
	free(move_aside(path));
	temp = xasprintf("%s~", path);
	fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		error_errno(e, errno, "cannot create '%s'", temp);
	free(temp);
	if (fd < 0)
		return -1;
	strbuf_init(&sb, MAX_HEAD);
	strbuf_printf(&sb,
	    "dlscale: run name=%s model=%s batch_per_device=%ld precision=%s "
	    "nodes=%ld devices_per_node=%ld run=%ld started=",
	    r->name, r->model, r->batch, r->precision, r->nodes, r->devices,
	    r->run);
	show_time(&sb);
	if (r->group->set[SWEEP_LINK].n > 0)
		strbuf_printf(
		    &sb, " link=%s", r->group->set[SWEEP_LINK].words[0].text);
	strbuf_printf(&sb, "\n%s%s\n", command_line, command);
	if (write_log(fd, path, &sb, e) != 0) {
		close(fd);
		fd = -1;
		free(move_aside(path));
	}
	strbuf_release(&sb);
	return fd;
}

/* The reason why a run failed, which the caller frees, or NULL. */
static char *
find_fault(const char *path, const struct job_result *r, const char *mark,
    double *rate)
{
	static const char key[] = " images_per_s=";
	char *temp, rest[1024] = " ";
	const char *at;
	int rc;

	*rate = NAN;
	if (r->signal != 0)
		return xasprintf("interrupted by signal %d", r->signal);
	if (r->timed_out)
		return xasprintf(
		    "not done after %.6g s, which is its limit", r->real_s);
	if (r->status > 128)
		return xasprintf("ended by signal %d", r->status - 128);
	if (r->status != 0)
		return xasprintf("exit status %d", r->status);
	if (mark == NULL)
		return NULL;
	temp = xasprintf("%s~", path);
	rc = find_in_file(temp, mark, rest + 1, sizeof rest - 1);
	free(temp);
	if (rc != 0)
		return xasprintf("no line begins with '%s'", mark);
	at = strstr(rest, key);
	if (at != NULL)
		number_scan(at + strlen(key), strlen(at) - strlen(key), rate);
	return NULL;
}

/* Add the last non-blank line of the program's own output to a message. */
static void
show_last_line(const char *path, struct strbuf *sb)
{
	char *tail = read_tail(path);
	char *end = tail != NULL ? strstr(tail, end_line) : NULL;
	const char *line;

	if (end != NULL) {
		while (end > tail && (end[-1] == '\n' || end[-1] == ' '))
			end--;
		*end = '\0';
		line = strrchr(tail, '\n');
		line = line != NULL ? line + 1 : tail;
		if (*line != '\0' &&
		    strncmp(line, command_line, strlen(command_line)) != 0)
			strbuf_printf(sb, ": %.400s", line);
	}
	free(tail);
}

static int
set_log_aside(const char *path, const char *fault, struct error *e)
{
	char *aside = move_aside(path);
	struct strbuf sb;

	strbuf_init(&sb, ERROR_MESSAGE_SIZE);
	strbuf_printf(&sb, "%s: %s", aside != NULL ? aside : path, fault);
	if (aside != NULL)
		show_last_line(aside, &sb);
	error_set(e, ERROR_SYSTEM, "%s", sb.buf);
	strbuf_release(&sb);
	free(aside);
	return -1;
}

/* Rename PATH~ to PATH unless PATH exists. */
static int
give_name(const char *path, struct error *e)
{
	char *temp = xasprintf("%s~", path);
	struct stat st;
	int rc = 0;

	if (lstat(path, &st) == 0)
		rc = error_set(e, ERROR_SYSTEM,
		    "%s: another process made it meanwhile; ours is left in %s",
		    path, temp);
	else if (rename(temp, path) != 0)
		rc = error_errno(e, errno, "cannot rename '%s'", temp);
	free(temp);
	return rc;
}

int
runlog_adopt(const char *path, const char *mark)
{
	char *temp = xasprintf("%s~", path), rest[16];
	char *tail = read_tail(temp);
	const char *end = tail != NULL ? find_fine_end(tail) : NULL;
	struct error e = ERROR_INIT;
	int adopted = end != NULL && strstr(end, "\nsys ") != NULL &&
	    end[strlen(end) - 1] == '\n' &&
	    (mark == NULL || find_in_file(temp, mark, rest, sizeof rest) == 0);

	if (adopted)
		adopted = give_name(path, &e) == 0;
	free(tail);
	free(temp);
	return adopted;
}

int
runlog_end(int fd, const char *path, const struct job_result *r,
    const char *mark, double *rate, struct error *e)
{
	char *fault = find_fault(path, r, mark, rate);
	const off_t end = lseek(fd, 0, SEEK_END);
	struct strbuf sb;
	char last;
	int rc;

	strbuf_init(&sb, 4096);
	if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
		strbuf_addch(&sb, '\n');
	strbuf_addstr(&sb, end_line);
	show_time(&sb);
	/* "not-finished" tells readers of the temporary file that the run did
	 * not finish. */
	strbuf_printf(&sb, " status=%d%s\nreal %.2f\nuser %.2f\nsys %.2f\n",
	    r->status, fault != NULL && r->status == 0 ? " not-finished" : "",
	    r->real_s, r->user_s, r->sys_s);
	rc = write_log(fd, path, &sb, e);
	strbuf_release(&sb);
	if (rc == 0 && fsync(fd) != 0 && errno != EINVAL)
		rc = error_errno(e, errno, "cannot write to '%s~'", path);
	if (close(fd) != 0 && rc == 0)
		rc = error_errno(e, errno, "cannot write to '%s~'", path);
	if (rc == 0)
		rc = fault != NULL ? set_log_aside(path, fault, e)
				   : give_name(path, e);
	free(fault);
	return rc;
}
