/* train_imagenet */
#include <config.h>

#include "common/error.h"
#include "common/options.h"
#include "common/outfile.h"
#include "trainer/comm.h"
#include "trainer/options_table.h"
#include "trainer/train.h"

/* What the table cannot say. */
static int
check_usage(const struct train_options *o, const char *folder, struct error *e)
{
	if (folder != NULL)
		return error_set(e, ERROR_USAGE,
		    "'%s': images cannot be read from a folder yet, only "
		    "--dummy images are there",
		    folder);
	if (!o->dummy)
		return error_set(e, ERROR_USAGE,
		    "no images to train on; only --dummy images are there yet");
	if (!o->evaluate && o->start_epoch >= o->epochs)
		return error_set(e, ERROR_USAGE,
		    "--start-epoch: %ld leaves nothing of %ld epochs",
		    o->start_epoch, o->epochs);
	if (o->evaluate && o->val_batches == 0)
		return error_set(e, ERROR_USAGE,
		    "--val-batches: 0 leaves nothing to --evaluate");
	return 0;
}

/* Train, and tell of an error once: rank 0 what all know, any rank what only
 * it knows, and then it must end all. */
static int
train(const struct program *p, struct comm *comm)
{
	struct error e = ERROR_INIT;
	struct train t;
	int rc = train_open(&t, train_options(), comm, &e);

	if (rc == 0)
		rc = train_run(&t, &e);
	if (rc != 0 && (comm->rank == 0 || !t.agreed))
		error_report(p->name, &e);
	if (rc != 0 && !t.agreed && comm->size > 1)
		comm_abort(comm, error_exit_status(&e));
	train_close(&t);
	return rc != 0 ? error_exit_status(&e) : EXIT_STATUS_OK;
}

int
main(int argc, char **argv)
{
	const struct program *p = train_program();
	struct error e = ERROR_INIT;
	struct comm *comm;
	int first, status;

	switch (options_parse(p, argc, argv, &first, &e)) {
	case OPTIONS_FAILED:
		return error_report(p->name, &e);
	case OPTIONS_DONE:
		return stdout_finish(&e) != 0 ? error_report(p->name, &e) : 0;
	case OPTIONS_RUN:
		break;
	}
	if (check_usage(train_options(), argv[first], &e) != 0 ||
	    comm_open(train_options()->backend, &comm, &e) != 0)
		return error_report(p->name, &e);
	status = train(p, comm);
	comm_close(comm);
	return status;
}
