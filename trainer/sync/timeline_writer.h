/* Writes the collectives of a run for trace viewers (Perfetto,
 * chrome://tracing), as Horovod's timeline or Chrome's trace events.
 *
 * Both are one JSON array with one event per line. Each step extends the array
 * with one write(2), so the file of a killed run is valid; a kill during that
 * write may leave an unclosed array, which viewers and extract_logs accept. The
 * file does not use common/files/outfile.h because it can be read during the
 * run.
 *
 *	struct timeline_writer *l;
 *	if (timeline_writer_open("t.json", &config, &l, &e) != 0)
 *		return -1;
 *	timeline_writer_step(l, trace, &e);     (after each step)
 *	timeline_writer_close(l);
 */
#ifndef TRAINER_SYNC_TIMELINE_WRITER_H
#define TRAINER_SYNC_TIMELINE_WRITER_H

#include "common/error.h"
#include "trainer/sync/collective_trace.h"

struct timeline_writer;

/* Names of the supported formats, NULL terminated. */
extern const char *const timeline_forms[];

struct timeline_writer_config {
	const char *form;    /* one of timeline_forms */
	const char *backend; /* its name */
	const char *dtype;   /* type of elements: "float32" */
	int element;         /* bytes of an element */
	int rank, ranks;     /* this process's; number of ranks */
};

/* Create the file. An existing file is unchanged until the first step.
 *
 * c  borrowed during the call, its strings until timeline_writer_close
 *
 * ERROR_SYSTEM: it cannot be written. */
int timeline_writer_open(const char *path,
    const struct timeline_writer_config *c, struct timeline_writer **out,
    struct error *e);

/* Add the last step of a trace.  Returns 0, or -1 with ERROR_SYSTEM. */
int timeline_writer_step(
    struct timeline_writer *l, const struct trace *t, struct error *e);

/* Close it; l may be NULL. */
void timeline_writer_close(struct timeline_writer *l);

#endif
