/* Writes the head and end of a log, and reads them from existing logs. */
#include <config.h>

#include "trainer/launch/runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/units/units.h"

enum { MAX_ASIDE = 9999 };

static const char command_line[] = "dlscale: command ";
static const char end_line[] = "dlscale: run ended=";

/* --- Reading -------------------------------------------------------------- */

/* Read a log as a string, with NULs replaced by '?'. Returns NULL if it cannot
 * be read; the caller frees it. */
static char *
read_log(const char *path)
{
	size_t len = 0;
	char *text = read_whole_file(path, &len, NULL);

	for (char *p = text; p != NULL && (p += strlen(p)) < text + len;)
		*p = '?';
	return text;
}

static char *
read_temp(const char *path)
{
	char *temp = xasprintf("%s~", path), *text = read_log(temp);

	free(temp);
	return text;
}

/* The text after start in the first line that begins with it, or NULL. */
static char *
find_line(char *text, const char *start)
{
	const size_t len = strlen(start);

	while (text != NULL && strncmp(text, start, len) != 0) {
		text = strchr(text, '\n');
		text = text != NULL ? text + 1 : NULL;
	}
	return text != NULL ? text + len : NULL;
}

/* The last "run ended" line of a log if its run succeeded, else NULL. */
static char *
find_fine_end(char *text)
{
	char *end = NULL;
	const char *status;

	while ((text = find_line(text, end_line)) != NULL)
		end = text;
	status = end != NULL ? strstr(end, " status=0\n") : NULL;
	return status != NULL && status < strchr(end, '\n') ? end : NULL;
}

enum runlog_state
runlog_look(
    const char *path, const char *command, struct runlog_metadata *metadata)
{
	const size_t len = strlen(command);
	char *text = read_log(path), *end = find_fine_end(text), *made_by;
	const char *real = find_line(end, "real ");
	struct stat st;

	if (text == NULL)
		return lstat(path, &st) == 0 ? RUNLOG_OTHER : RUNLOG_ABSENT;
	if (real == NULL ||
	    number_scan(real, strcspn(real, "\n"), &metadata->real_s) == 0 ||
	    !(metadata->real_s >= 0))
		metadata->real_s = -1;
	made_by = find_line(text, command_line);
	metadata->same_command = made_by != NULL &&
	    strcspn(made_by, "\n") == len && memcmp(made_by, command, len) == 0;
	free(text);
	return end != NULL ? RUNLOG_FINISHED : RUNLOG_OTHER;
}

int
runlog_refuses_state(const char *path, const char *state)
{
	char *text = read_temp(path), *rest = text, *line;
	int refuses = 0;

	if (find_line(text, "dlscale: resume ") == NULL)
		while ((line = strsep(&rest, "\n")) != NULL) {
			const char *error = strstr(line, "train_imagenet: ");

			refuses |=
			    error != NULL && strstr(error, state) != NULL;
		}
	free(text);
	return refuses;
}

/* --- Writing -------------------------------------------------------------- */

/* Rename PATH~ to the first free PATH.1~, PATH.2~, ... Returns that name, which
 * the caller frees, or NULL if there is no PATH~ or it cannot be renamed. */
static char *
move_aside(const char *path)
{
	char *from = xasprintf("%s~", path), *to = NULL;
	struct stat st;
	int i = 0;

	do {
		free(to);
		to = xasprintf("%s.%d~", path, ++i);
	} while (lstat(to, &st) == 0 && i < MAX_ASIDE);
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
	const struct setting *link = &r->group->set[SWEEP_LINK];
	const char *slash = strrchr(path, '/');
	char *temp, now[UTC_TEXT_SIZE];
	int fd, rc = 0;

	if (slash != NULL) {
		char *folder = xstrndup(path, (size_t)(slash - path));

		rc = make_folders(folder, e);
		free(folder);
	}
	if (rc != 0)
		return -1;
	free(move_aside(path));
	temp = xasprintf("%s~", path);
	fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		error_errno(e, errno, "cannot create '%s'", temp);
	free(temp);
	if (fd < 0 ||
	    dprintf(fd,
		"dlscale: run name=%s model=%s batch_per_device=%ld "
		"precision=%s nodes=%ld devices_per_node=%ld run=%ld "
		"started=%s%s%s\n%s%s\n",
		r->name, r->model, r->batch, r->precision, r->nodes, r->devices,
		r->run, utc_text(time(NULL), now), link->n > 0 ? " link=" : "",
		link->n > 0 ? link->words[0].text : "", command_line,
		command) >= 0)
		return fd;
	error_errno(e, errno, "cannot write to '%s~'", path);
	close(fd);
	free(move_aside(path));
	return -1;
}

/* The reason why a run failed, which the caller frees, or NULL.
 *
 * text  of the log; NULL: cannot be read */
static char *
find_fault(
    char *text, const struct job_result *r, const char *mark, double *rate)
{
	static const char key[] = " images_per_s=";
	const char *line, *at;

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
	line = find_line(text, mark);
	if (line == NULL)
		return xasprintf("no line begins with '%s'", mark);
	/* The mark may end with the space before the key. */
	at = strstr(line - 1, key);
	if (at != NULL && at < line + strcspn(line, "\n")) {
		at += strlen(key);
		number_scan(at, strcspn(at, "\n"), rate);
	}
	return NULL;
}

/* Move the log of a failed run aside, and set e to its fault and the last
 * non-blank line of the program's own output. */
static int
report_fault(const char *path, const char *fault, char *text, struct error *e)
{
	char *aside = move_aside(path), *end, *line = NULL;

	if (text != NULL && aside != NULL) {
		end = text + strlen(text);
		while (end > text && (end[-1] == '\n' || end[-1] == ' '))
			*--end = '\0';
		line = strrchr(text, '\n');
		line = line != NULL ? line + 1 : text;
		if (*line == '\0' ||
		    strncmp(line, command_line, strlen(command_line)) == 0)
			line = NULL;
	}
	error_set(e, ERROR_SYSTEM, "%s: %s%s%.400s",
	    aside != NULL ? aside : path, fault, line != NULL ? ": " : "",
	    line != NULL ? line : "");
	free(aside);
	return -1;
}

/* Rename PATH~ to PATH unless PATH exists. */
static int
give_name(const char *path, struct error *e)
{
	char *temp = xasprintf("%s~", path);
	int rc = access(path, F_OK);

	if (rc == 0)
		rc = error_set(e, ERROR_SYSTEM,
		    "%s: another process made it meanwhile; ours is left in %s",
		    path, temp);
	else if ((rc = rename(temp, path)) != 0)
		error_errno(e, errno, "cannot rename '%s'", temp);
	free(temp);
	return rc;
}

int
runlog_adopt(const char *path, const char *mark)
{
	char *text = read_temp(path);
	const char *end = find_fine_end(text);
	const int adopted = end != NULL && strstr(end, "\nsys ") != NULL &&
	    end[strlen(end) - 1] == '\n' &&
	    (mark == NULL || find_line(text, mark) != NULL) &&
	    give_name(path, NULL) == 0;

	free(text);
	return adopted;
}

int
runlog_end(int fd, const char *path, const struct job_result *r,
    const char *mark, double *rate, struct error *e)
{
	char *text = read_temp(path), *fault, now[UTC_TEXT_SIZE];
	const off_t end = lseek(fd, 0, SEEK_END);
	int failed, rc;
	char last;

	fault = find_fault(text, r, mark, rate);
	/* "not-finished" tells readers of the temporary file that the run did
	 * not finish. */
	failed =
	    dprintf(fd, "%s%s%s status=%d%s\nreal %.2f\nuser %.2f\nsys %.2f\n",
		end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n'
		    ? "\n"
		    : "",
		end_line, utc_text(time(NULL), now), r->status,
		fault != NULL && r->status == 0 ? " not-finished" : "",
		r->real_s, r->user_s, r->sys_s) < 0 ||
	    (fsync(fd) != 0 && errno != EINVAL);
	rc = failed ? error_errno(e, errno, "cannot write to '%s~'", path) : 0;
	if (close(fd) != 0 && rc == 0)
		rc = error_errno(e, errno, "cannot write to '%s~'", path);
	if (rc == 0)
		rc = fault != NULL ? report_fault(path, fault, text, e)
				   : give_name(path, e);
	free(fault);
	free(text);
	return rc;
}
