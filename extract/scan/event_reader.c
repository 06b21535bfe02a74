/* The table of event readers. */
#include <config.h>

#include "extract/scan/event_reader.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "extract/scan/horovod_timeline.h"

/* Functions of a kind of event reader. */
struct event_reader_ops {
	void *(*make)(void);
	void (*line)(void *state, struct log *log, const char *text, size_t len,
	    int64_t line);
	void (*end)(void *state, struct log *log);
	void (*release)(void *state);
};

struct event_reader {
	const struct event_reader_ops *ops;
	void *state;
};

static void *
make_horovod(void)
{
	return horovod_timeline_new();
}

static void
line_horovod(
    void *state, struct log *log, const char *text, size_t len, int64_t line)
{
	horovod_timeline_line(state, log, text, len, line);
}

static void
end_horovod(void *state, struct log *log)
{
	horovod_timeline_end(state, log);
}

static void
release_horovod(void *state)
{
	horovod_timeline_free(state);
}

static const struct event_reader_ops readers[N_FORMAT_EVENTS] = {
	[EVENTS_HOROVOD] = { make_horovod, line_horovod, end_horovod,
	    release_horovod },
};

struct event_reader *
event_reader_new(enum format_events kind)
{
	const struct event_reader_ops *ops = &readers[kind];
	struct event_reader *r;

	if (ops->make == NULL)
		return NULL;
	r = xcalloc(1, sizeof *r);
	r->ops = ops;
	r->state = ops->make();
	return r;
}

void
event_reader_free(struct event_reader *r)
{
	if (r == NULL)
		return;
	r->ops->release(r->state);
	free(r);
}

void
event_reader_line(struct event_reader *r, struct log *log, const char *text,
    size_t len, int64_t line)
{
	if (r != NULL)
		r->ops->line(r->state, log, text, len, line);
}

void
event_reader_end(struct event_reader *r, struct log *log)
{
	if (r != NULL)
		r->ops->end(r->state, log);
}
