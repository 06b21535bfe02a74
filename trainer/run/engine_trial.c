/* Both sides of a trial of cuDNN's engines: the run that starts the process,
 * and the code of that process. */
#include <config.h>

#include "trainer/run/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/device/device.h"
#include "trainer/graph/model.h"
#include "trainer/run/options/options_table.h"

enum { TRIAL_WORDS = 16 };

/* Build the command; the caller frees each word. */
static void
trial_command(const struct engine_trial *t, const char *file, char **argv)
{
	const struct train_options *o = t->options;
	int n = 0;

	argv[n++] = xstrdup("/proc/self/exe");
	argv[n++] = xasprintf("--engine-trial=%s", file);
	argv[n++] = xasprintf("--arch=%s", o->arch);
	argv[n++] = xasprintf("--device=%s", o->device);
	argv[n++] = xasprintf("--gpus=%d", t->gpu);
	argv[n++] = xasprintf("--precision=%s", o->precision);
	argv[n++] = xasprintf("--batch-size=%ld", o->batch);
	argv[n++] = xasprintf("--image-size=%ld", o->image);
	argv[n++] = xasprintf("--classes=%d", t->classes);
	if (o->seeded)
		argv[n++] = xasprintf("--seed=%ld", o->seed);
	argv[n] = NULL;
}

/* Set e to the reason why the trial ended: its first line of output, without
 * the program's name. */
static void
read_reason(FILE *messages, int status, struct error *e)
{
	char line[1024] = "";
	const char *words = line, *own = train_program()->name;
	const size_t n = strlen(own);

	rewind(messages);
	if (fgets(line, sizeof line, messages) == NULL)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, own, n) == 0 && strncmp(line + n, ": ", 2) == 0)
		words += n + 2;
	error_set(e, ERROR_SYSTEM, "a process with status %d%s%s", status,
	    words[0] != '\0' ? ": " : "", words);
}

int
engine_trial_run(void *ctx, const char *file, struct error *e)
{
	const struct engine_trial *t = ctx;
	char *argv[TRIAL_WORDS];
	FILE *nothing = fopen("/dev/null", "r+"), *messages = tmpfile();
	int status = -1, absent;

	if (nothing == NULL || messages == NULL) {
		error_set(e, ERROR_SYSTEM, "no file for a process's messages");
	} else {
		trial_command(t, file, argv);
		status = process_run(argv, nothing,
		    t->notes != NULL ? t->notes : nothing, messages, &absent,
		    e);
		for (int i = 0; argv[i] != NULL; i++)
			free(argv[i]);
		if (status > 0)
			read_reason(messages, status, e);
	}
	if (nothing != NULL)
		fclose(nothing);
	if (messages != NULL)
		fclose(messages);
	return status;
}

static void
print_note(void *ctx, const char *message)
{
	(void)ctx;
	printf("%s: %s\n", train_program()->name, message);
	(void)fflush(stdout);
}

int
engine_trial_make(const struct train_options *o, struct error *e)
{
	struct device_config c = { .device = o->device,
		.batch = (int)o->batch,
		.threads = 1,
		.deterministic = o->seeded,
		.engine_cache = o->engine_trial,
		.engine_marks = 1,
		.note = print_note };
	const struct model *model = model_find(o->arch, e);
	const int classes = o->classes > 0 ? (int)o->classes : 1000;
	int gpus[GPU_CHOICE_MAX] = { 0 };
	struct device *d = NULL;
	struct graph g;
	int rc;

	if (strcmp(o->device, "cuda") != 0)
		return error_set(e, ERROR_USAGE,
		    "--engine-trial: device '%s' is not a GPU", o->device);
	if (o->engine_trial[0] == '\0')
		return error_set(e, ERROR_USAGE, "--engine-trial: no file");
	if (dtype_find(o->precision, &c.precision) != 0)
		return error_set(
		    e, ERROR_USAGE, "no precision '%s'", o->precision);
	if (o->gpus != NULL && gpu_choice_parse(o->gpus, gpus, e) < 0)
		return -1;
	c.gpu = gpus[0];
	if (model == NULL ||
	    graph_build(model, classes,
		o->image > 0 ? (int)o->image : model->default_image, &g,
		e) != 0)
		return -1;
	rc = device_open(&g, &c, &d, e);
	device_close(d);
	graph_release(&g);
	return rc;
}
