/* train_imagenet */
#include <config.h>

#include <string.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/program/options.h"
#include "trainer/comm/comm.h"
#include "trainer/comm/watchdog.h"
#include "trainer/device/device.h"
#include "trainer/run/train.h"
#include "trainer/run/options/options_table.h"

/* Train with a watchdog, until all ranks have left. Errors common to all ranks
 * are ERROR_USAGE and ERROR_INPUT. */
static int
train_watched(
    const char *program, const struct train_options *o, struct comm *comm)
{
	const struct watchdog_config c = { .program = program,
		.timeout_s = o->comm_timeout_s };
	const int watched = comm->size > 1 && c.timeout_s > 0;
	struct watchdog *w = NULL;
	struct error e = ERROR_INIT;
	struct train t;
	int rc;

	/* The first collectives depend on these options. */
	if (comm_check_same(comm,
		"--total-batch, or whether --comm-timeout is 0",
		(uint64_t)o->total_batch * 2 + (uint64_t)watched, &e) != 0 ||
	    train_options_share(comm->size, &e) != 0 ||
	    (watched && watchdog_open(comm, &c, &w, &e) != 0)) {
		const int alike =
		    e.code == ERROR_USAGE || e.code == ERROR_INPUT;

		if (comm->rank == 0 || !alike)
			error_report(program, &e);
		if (!alike)
			comm_abort(comm, error_exit_status(&e));
		comm_close(comm);
		return error_exit_status(&e);
	}
	comm->watchdog = w;
	comm->timeout_s = c.timeout_s;
	rc = train_open(&t, o, comm, &e);
	if (rc == 0)
		rc = train_run(&t, &e);
	/* An agreed error is reported on rank 0; another one on its own rank,
	 * which then ends all ranks. */
	if (rc != 0 && (comm->rank == 0 || !t.agreed))
		error_report(program, &e);
	if (rc != 0 && !t.agreed && comm->size > 1)
		comm_abort(comm, error_exit_status(&e));
	train_close(&t);
	watchdog_set_context(w, -1, -1);
	watchdog_arm(w, "leaving the run", 0);
	comm_close(comm);
	watchdog_close(w);
	return rc != 0 ? error_exit_status(&e) : EXIT_STATUS_OK;
}

static int
print_plan(const struct train_options *o, struct error *e)
{
	const struct model *model = model_find(o->arch, e);
	const int classes = o->classes > 0 ? (int)o->classes : 1000;
	enum dtype type = DTYPE_FP32;
	struct strbuf sb = STRBUF_INIT(1 << 24);
	struct graph g;
	int rc;

	dtype_find(o->precision, &type);
	if (model == NULL ||
	    graph_build(model, classes,
		o->image > 0 ? (int)o->image : model->default_image, &g,
		e) != 0)
		return -1;
	rc = device_roofs(options_given("device") ? o->device : "cuda", &g,
	    (int)o->batch, type, o->plan, &sb, e);
	if (rc == 0)
		fputs(sb.buf, stdout);
	strbuf_release(&sb);
	graph_release(&g);
	return rc;
}

/* A copy of the command line, since parsing reorders it. Never freed. */
static char **as_called;

static int
work(char **operands, size_t n, struct error *e)
{
	const struct train_options *o = train_options(operands, e);
	struct comm *comm;

	(void)n;
	if (o != NULL && o->plan != NULL)
		return print_plan(o, e);
	if (o == NULL || example_options_settle(o, as_called, e) != 0 ||
	    comm_open(o->backend, &comm, e) != 0)
		return -1;
	return train_watched(train_program()->name, o, comm);
}

int
main(int argc, char **argv)
{
	as_called = xcalloc((size_t)argc + 1, sizeof *as_called);
	memcpy(as_called, argv, (size_t)argc * sizeof *argv);
	return program_main(train_program(), argc, argv, work);
}
