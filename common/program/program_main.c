/* Only main() calls this.  What a program does stays in its main.c. */
#include <config.h>

#include "common/program/program_main.h"

#include "common/files/outfile.h"
#include "common/program/startup.h"

int
program_main(const struct program *p, int argc, char **argv, program_work work)
{
	struct error e = ERROR_INIT;
	int first, status;

	startup();
	switch (options_parse(p, argc, argv, &first, &e)) {
	case OPTIONS_FAILED:
		return error_report(p->name, &e);
	case OPTIONS_DONE:
		return EXIT_STATUS_OK;
	case OPTIONS_RUN:
		break;
	}
	status = work(argv + first, (size_t)(argc - first), &e);
	/* What was written went well, or there is an error already. */
	if (status >= 0 && stdout_finish(&e) != 0)
		status = -1;
	options_release(p);
	return status < 0 ? error_report(p->name, &e) : status;
}
