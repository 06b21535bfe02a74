/* Trial of cuDNN's engines in a separate process: if an engine faults, only
 * that process ends, and the run continues with cuDNN's first proposal.
 */
#ifndef TRAINER_RUN_ENGINE_TRIAL_H
#define TRAINER_RUN_ENGINE_TRIAL_H

#include <stdio.h>

#include "common/error.h"
#include "trainer/run/options/options_table.h"

/* Arguments of a trial. */
struct engine_trial {
	const struct train_options *options; /* borrowed */
	int classes;
	int gpu;     /* its number */
	FILE *notes; /* output of progress lines; NULL: none */
};

/* The engine_trial callback of struct device_config: run this program again
 * with --engine-trial=file.
 *
 * ctx  struct engine_trial */
int engine_trial_run(void *ctx, const char *file, struct error *e);

/* Run the trial in this process.
 *
 * ERROR_USAGE: the device is not a GPU, or no file is given. Also the errors of
 * device_open(). */
int engine_trial_make(const struct train_options *o, struct error *e);

#endif
