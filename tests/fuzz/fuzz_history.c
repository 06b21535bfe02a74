/* Any bytes as a history file: refused with a message that names it, or read,
 * checked for trends and added to without losing rows. */
#include <config.h>

#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/history/history.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#ifdef HAVE_SQLITE
enum { MAX_LOOKED_AT = 1000 };

static char path[64], journal[80];

static void
remove_files(void)
{
	unlink(path);
	unlink(journal);
}

/* Name a file for this process, in memory if possible. */
static void
name_files(void)
{
	const char *folder =
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(path, sizeof path, "%s/fuzz_history.%ld.db", folder,
	    (long)getpid());
	snprintf(journal, sizeof journal, "%s-journal", path);
	atexit(remove_files);
}

static void
write_bytes(const uint8_t *data, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_EXCL, 0600);

	assert(fd >= 0);
	for (size_t at = 0; at < len;) {
		const ssize_t n = write(fd, data + at, len - at);

		assert(n > 0);
		at += (size_t)n;
	}
	close(fd);
}

/* A refusal states what is wrong, and with which file. */
static int
refused(const struct error *e)
{
	assert(e->code != ERROR_NONE);
	assert(strstr(e->message, path) != NULL);
	return -1;
}

static int
read_rows(struct history *h)
{
	struct error e = ERROR_INIT;
	struct history_file f;
	int rc;

	if (history_file_open(path, HISTORY_READ, &f, &e) != 0)
		return refused(&e);
	rc = history_file_read(&f, NULL, h, &e);
	history_file_close(&f);
	return rc == 0 ? 0 : refused(&e);
}

/* Add a row with a unique key. Returns the number of rows added, or -1. */
static int
add_row(void)
{
	struct history one = HISTORY_INIT;
	struct history_row *row = history_add_row(&one);
	size_t added = 0;
	struct error e = ERROR_INIT;
	struct history_file f;
	int rc;

	row->metadata.date = "2026-11-13T08:00:00Z";
	row->key = "a key of no other row";
	row->run.path = "a.log";
	row->run.value = 100;
	row->c.name = "1n8g";
	rc = history_file_open(path, HISTORY_WRITE, &f, &e);
	if (rc == 0)
		rc = history_file_add(&f, &one, "r.json", &added, &e);
	if (rc == 0)
		rc = history_file_commit(&f, &e);
	assert(rc != 0 || added <= 1);
	history_file_close(&f);
	history_release(&one);
	return rc == 0 ? (int)added : refused(&e);
}

/* Check that each row belongs to one point and that the report has text. */
static void
look_at_trends(const struct history *h)
{
	const struct report_how how = { .lang = LANGUAGE_EN };
	struct error e = ERROR_INIT;
	struct trend_set set;
	char *text = NULL;
	size_t runs = 0, len = 0;
	FILE *f;

	if (h->n == 0 || h->n > MAX_LOOKED_AT ||
	    trend_collect(h, NULL, 0.95, &set, &e) != 0)
		return;
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.items[i].n_points; k++)
			runs += (size_t)set.items[i].points[k].c.n;
	assert(runs == h->n);
	f = open_memstream(&text, &len);
	history_write(&set, 1, &how, f);
	fclose(f);
	assert(len > 0);
	free(text);
	trend_release(&set);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct history before = HISTORY_INIT, after = HISTORY_INIT;
	int added;

	if (path[0] == '\0')
		name_files();
	remove_files();
	write_bytes(data, len);
	if (read_rows(&before) == 0) {
		fuzz_accepted++;
		look_at_trends(&before);
		added = add_row();
		/* Old rows remain readable, with or without the new one. */
		assert(read_rows(&after) == 0);
		assert(after.n == before.n + (size_t)(added > 0));
		history_release(&after);
	}
	history_release(&before);
	remove_files();
	return 0;
}
#else
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	(void)data;
	(void)len;
	return 0;
}
#endif
