/* Opens, runs and closes a training run, saves its state and resumes from it;
 * see epoch.c for the loops. */
#include <config.h>

#include "trainer/run/train.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/text.h"
#include "trainer/base/host_state.h"
#include "trainer/base/parallel.h"
#include "trainer/run/options/options_table.h"

/* --- Signals -------------------------------------------------------------- */

static const struct {
	int number;
	const char *name;
} caught[] = {
	{ SIGTERM, "SIGTERM" },
	{ SIGINT, "SIGINT" },
	{ SIGUSR1, "SIGUSR1" },
};

enum { N_CAUGHT = sizeof caught / sizeof caught[0] };

/* Atomic, since a signal may interrupt any thread. */
static atomic_int first;
static atomic_long interrupted_at; /* 0: never */

/* Seconds of the monotonic clock, at least 1: 0 stands for never. */
static long
monotonic_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec + 1;
}

/* A launcher may deliver one ^C twice at once, so only a later SIGINT counts as
 * a second one. */
static void
note_signal(int number)
{
	int none = 0;
	long never = 0;

	if (number == SIGINT &&
	    !atomic_compare_exchange_strong(
		&interrupted_at, &never, monotonic_seconds()) &&
	    monotonic_seconds() > never + 1) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
		return;
	}
	atomic_compare_exchange_strong(&first, &none, number);
}

void
signals_catch(void)
{
	for (int i = 0; i < N_CAUGHT; i++) {
		struct sigaction old, new;

		if (sigaction(caught[i].number, NULL, &old) == 0 &&
		    old.sa_handler == SIG_IGN)
			continue;
		memset(&new, 0, sizeof new);
		new.sa_handler = note_signal;
		new.sa_flags = SA_RESTART;
		sigfillset(&new.sa_mask);
		sigaction(caught[i].number, &new, NULL);
	}
}

int
signals_caught(void)
{
	return first;
}

const char *
signals_name(int number)
{
	for (int i = 0; i < N_CAUGHT; i++)
		if (caught[i].number == number)
			return caught[i].name;
	return "a signal";
}

/* --- Resuming ------------------------------------------------------------- */

_Static_assert(sizeof(struct meters) == CHECKPOINT_METERS * sizeof(double),
    "a checkpoint holds struct meters as it is");

/* Set t->self and t->begin for a run from the beginning. The network must be
 * open. */
static void
describe_self(struct train *t)
{
	const struct train_options *o = t->o;
	const struct dataset *d = t->datasets[IMAGE_SOURCE_TRAIN];
	XXH3_state_t *hash = XXH3_createState();
	struct checkpoint *c = &t->self;

	memset(c, 0, sizeof *c);
	snprintf(c->model, sizeof c->model, "%s", t->model->name);
	snprintf(c->device, sizeof c->device, "%s", o->device);
	snprintf(c->precision, sizeof c->precision, "%s", o->precision);
	c->classes = t->classes;
	c->image = t->network.graph.image;
	c->lr = t->lr;
	c->lr_step = o->lr_step;
	c->momentum = o->momentum;
	c->weight_decay = o->weight_decay;
	c->seed = o->seed;
	c->devices = t->comm->size;
	c->batch_per_device = o->batch;
	c->batches_per_epoch = t->n_batches[IMAGE_SOURCE_TRAIN];
	c->train_images = t->n_images[IMAGE_SOURCE_TRAIN];
	/* Checksum of the images' names in order; 0 for synthetic data. */
	XXH3_64bits_reset(hash);
	for (size_t i = 0; d != NULL && i < d->n_images; i++) {
		const struct image *p = &d->images[i];
		const char *class = d->classes[p->label];

		XXH3_64bits_update(hash, class, strlen(class) + 1);
		XXH3_64bits_update(hash, p->name, strlen(p->name) + 1);
	}
	c->image_list = d != NULL ? XXH3_64bits_digest(hash) : 0;
	XXH3_freeState(hash);
	c->epoch = o->start_epoch;
	c->best_top1 = -1;
	t->begin = *c;
	t->best_top1 = -1;
}

/* On rank 0: open the file of --resume, check that it matches the run, and read
 * the weights.
 *
 * Errors: those of checkpoint_open(); ERROR_INPUT: another model, or another
 * order of images in the middle of an epoch; ERROR_USAGE: nothing is left to
 * train. */
static int
read_state(struct train *t, struct error *e)
{
	struct checkpoint *c = &t->begin;
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE);
	struct checkpoint_file *f;
	unsigned rules = CHECKPOINT_NETWORK;
	int rc = -1;

	if (checkpoint_open(t->o->resume, c, &f, e) != 0)
		return -1;
	/* Check that this run can resume from the state. */
	if (!t->o->evaluate && c->batch > 0)
		rules |= CHECKPOINT_ORDER;
	if (checkpoint_differ(c, &t->self, rules, CHECKPOINT_VALUES, &sb) > 0) {
		error_set(e, ERROR_INPUT, "%s: of another run%s: %s",
		    t->o->resume,
		    rules & CHECKPOINT_ORDER ? ", in the middle of an epoch"
					     : "",
		    sb.buf);
	} else if (!t->o->evaluate && c->epoch >= t->o->epochs) {
		error_set(e, ERROR_USAGE,
		    "--epochs: '%s' has been trained for %ld epochs already",
		    t->o->resume, c->epoch);
	} else {
		t->begin_meters =
		    xcalloc((size_t)c->devices * CHECKPOINT_METERS,
			sizeof *t->begin_meters);
		rc = checkpoint_read(f, t->begin_meters, t->network.device, e);
	}
	checkpoint_close(f);
	strbuf_release(&sb);
	return rc;
}

/* On all ranks: take over the state that rank 0 has read, and print the place
 * from which the run resumes. */
static int
share_state(struct train *t, struct error *e)
{
	const unsigned rules =
	    t->o->evaluate ? 0 : CHECKPOINT_COURSE | CHECKPOINT_ORDER;
	struct strbuf *tag = &t->tags.line;
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE);
	struct checkpoint *b = &t->begin;
	struct comm *c = t->comm;
	size_t n;

	if (comm_broadcast(c, b, sizeof *b, 0, e) != 0)
		return -1;
	n = (size_t)b->devices * CHECKPOINT_METERS;
	if (t->begin_meters == NULL)
		t->begin_meters = xcalloc(n, sizeof *t->begin_meters);
	if (comm_broadcast(
		c, t->begin_meters, n * sizeof *t->begin_meters, 0, e) != 0 ||
	    train_share(t, TENSOR_BUFFER, e) != 0)
		return -1;
	device_set_scaling(t->network.device,
	    (struct loss_scaling){ b->loss_scale, b->loss_scale_good }, e);
	if (train_agree(t, e) != 0)
		return -1;
	t->step = b->step;
	t->best_top1 = b->best_top1;
	/* Print the place from which the run resumes, and the options that
	 * differ. */
	if (logger_printf(&t->log, e,
		"=> loaded checkpoint '%.3000s' (epoch %ld)\n", t->o->resume,
		b->epoch) != 0)
		return train_agree(t, e);
	strbuf_printf(tag,
	    "dlscale: resume epoch=%ld batch=%ld step=%ld best_top1=%.6g "
	    "differs=",
	    b->epoch, b->batch, b->step, b->best_top1);
	if (checkpoint_differ(b, &t->self, rules, CHECKPOINT_NAMES, tag) == 0)
		strbuf_addstr(tag, "none");
	if (logger_end(&t->tags, e) == 0 && c->rank == 0 &&
	    checkpoint_differ(b, &t->self, rules, CHECKPOINT_VALUES, &sb) > 0)
		logger_printf(&t->warn, NULL,
		    "%s: %.1000s: another run than the one that saved it: "
		    "%.2000s\n",
		    train_program()->name, t->o->resume, sb.buf);
	strbuf_release(&sb);
	return train_agree(t, e);
}

int
resume_save(struct train *t, int epoch, long batch, const struct meters *m,
    struct error *e)
{
	const size_t n = (size_t)t->comm->size * CHECKPOINT_METERS;
	struct checkpoint c = t->self;
	double *all = xcalloc(n, sizeof *all);
	struct error own = ERROR_INIT;
	struct loss_scaling scaling;
	struct stat st;
	double start;
	int rc;

	c.epoch = epoch;
	c.batch = batch;
	/* The end of an epoch without validation is the beginning of the
	 * next. */
	if (batch == c.batches_per_epoch && t->o->val_batches == 0) {
		c.epoch++;
		c.batch = 0;
	}
	c.step = t->step;
	c.best_top1 = t->best_top1;
	/* Only one rank adds to each slot. */
	memcpy(all + t->comm->rank * CHECKPOINT_METERS, m, sizeof *m);
	rc = comm_allreduce(t->comm, all, n, COMM_FP64, COMM_SUM, e);
	start = seconds_now();
	if (rc == 0 && t->comm->rank == 0 &&
	    device_scaling(t->network.device, &scaling, &own) == 0) {
		c.loss_scale = scaling.scale;
		c.loss_scale_good = scaling.good;
		checkpoint_write(
		    t->o->checkpoint, &c, all, t->network.device, &own);
	}
	if (rc == 0 && t->comm->rank == 0 && own.code == ERROR_NONE) {
		strbuf_printf(&t->tags.line,
		    "dlscale: checkpoint epoch=%ld batch=%ld step=%ld "
		    "best_top1=%.6g",
		    c.epoch, c.batch, c.step, c.best_top1);
		if (!t->clock.fake && stat(t->o->checkpoint, &st) == 0)
			strbuf_printf(&t->tags.line, " bytes=%lld seconds=%.3f",
			    (long long)st.st_size, seconds_now() - start);
		logger_end(&t->tags, &own);
	}
	free(all);
	if (rc != 0)
		return -1;
	*e = own;
	return train_agree(t, e);
}

int
resume_stop(struct train *t, int epoch, long batch, struct error *e)
{
	t->agreed = 1;
	return error_set(e, ERROR_SYSTEM,
	    "stopped by %s after step %ld (epoch %d, batch %ld of %ld); "
	    "--resume '%s' continues",
	    signals_name(t->stopped), t->step, epoch, batch,
	    t->n_batches[IMAGE_SOURCE_TRAIN], t->o->checkpoint);
}

/* --- Opening and closing -------------------------------------------------- */

enum {
	RESERVED_STEPS = 1 << 20, /* step times allocated at the start */
	IMAGES_AT_ONCE = 1 << 16  /* flags per allreduce */
};

/* Open the dataset, or synthetic data of the size of ImageNet, and set the
 * number of batches in an epoch. */
static int
open_images(struct train *t, struct error *e)
{
	static const char *const parts[2] = { "train", "val" };
	struct dataset **d = t->datasets;

	t->classes = 1000;
	t->n_images[IMAGE_SOURCE_TRAIN] = IMAGENET_TRAIN;
	t->n_images[IMAGE_SOURCE_VALIDATION] = IMAGENET_VALIDATION;
	for (int i = 0; t->o->folder != NULL && i < 2; i++) {
		if (dataset_open(t->o->folder, parts[i], &d[i], e) != 0)
			return e->code != ERROR_SYSTEM
			    ? -1
			    : error_set(e, e->code,
				  "%.1800s; a folder of images has train/CLASS "
				  "and val/CLASS, --dummy makes images up",
				  e->message);
		t->n_images[i] = (long)d[i]->n_images;
		t->classes = (int)d[i]->n_classes;
	}
	if (d[0] != NULL && dataset_same_classes(d[0], d[1], e) != 0)
		return -1;
	if (t->o->classes > 0 && d[0] != NULL && t->o->classes < t->classes)
		return error_set(e, ERROR_USAGE,
		    "--classes: %ld is less than the %d of '%s'", t->o->classes,
		    t->classes, t->o->folder);
	if (t->o->classes > 0)
		t->classes = (int)t->o->classes;
	for (int i = 0; i < 2; i++)
		t->n_batches[i] = loader_batches(
		    t->n_images[i], (int)t->o->batch, t->comm->size);
	/* After the last image, training continues with the first. */
	if (t->o->batches > 0)
		t->n_batches[IMAGE_SOURCE_TRAIN] = t->o->batches;
	if (t->o->val_batches >= 0 &&
	    t->o->val_batches < t->n_batches[IMAGE_SOURCE_VALIDATION])
		t->n_batches[IMAGE_SOURCE_VALIDATION] = t->o->val_batches;
	return 0;
}

/* Number of compute threads: --threads, or this process's share of the CPUs in
 * its affinity mask. */
static int
choose_threads(struct train *t, int *out, struct error *e)
{
	const char *omp = getenv("OMP_NUM_THREADS");
	cpu_set_t set;
	long n = t->o->threads;
	int same;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof set, &set);
	same = comm_count_same(t->comm, XXH3_64bits(&set, sizeof set), 1, e);
	if (same < 0)
		return -1;
	if (n == 0 && (omp == NULL || parse_long(omp, 1, 4096, &n) != 0))
		n = parallel_processors() / same;
	*out = n > 0 ? (int)n : 1;
	return 0;
}

/* Print a message of the device, on rank 0. */
static void
note_device(void *ctx, const char *message)
{
	struct train *t = ctx;

	if (t->comm->rank == 0)
		logger_printf(&t->warn, NULL, "%s: %.3000s\n",
		    train_program()->name, message);
}

static int
open_network(struct train *t, int threads, double available, struct error *e)
{
	const struct train_options *o = t->o;
	struct network_config c = { .model = o->arch,
		.classes = t->classes,
		.image = (int)o->image,
		.seed = (unsigned long long)o->seed,
		/* Other ranks receive the weights, a resumed run reads them. */
		.weights_later = t->comm->rank != 0 || o->resume != NULL };

	c.device.device = o->device;
	c.device.batch = (int)o->batch;
	c.device.threads = threads;
	c.device.seed = c.seed;
	c.device.memory_limit = available;
	c.device.first_image = t->comm->rank * o->batch;
	c.device.deterministic = o->seeded;
	c.device.engine_guess = o->engine_guess;
	c.device.engine_cache = o->engine_cache == NULL ? ""
	    : o->engine_cache[0] == '\0'                ? NULL
							: o->engine_cache;
	c.device.note = note_device;
	c.device.note_ctx = t;
	c.device.time_phases = o->phases != NULL;
	c.device.profile = (int)o->profile;
	/* A step cannot be captured if each phase is timed, or if the host
	 * takes part in the allreduces. */
	c.device.step_graph = !o->no_step_graph &&
	    (t->comm->size == 1 || t->comm->ops->attach != NULL) &&
	    (o->phases == NULL || strcmp(o->phases, "sync") != 0);
	if (strcmp(o->device, "cuda") == 0) {
		if (gpu_choice_choose(o->gpus, t->comm->local_rank,
			t->comm->local_size, t->comm->ops->attach != NULL,
			t->comm->ops->name, &c.device.gpu, e) != 0)
			return -1;
	} else if (o->gpus != NULL) {
		return error_set(e, ERROR_USAGE,
		    "--gpus: device '%s' is not a GPU; pass --device=cuda",
		    o->device);
	}
	if (dtype_find(o->precision, &c.device.precision) != 0)
		return error_set(
		    e, ERROR_USAGE, "no precision '%s'", o->precision);
	return network_open(&c, &t->network, e);
}

static int
open_reducer(struct train *t, struct error *e)
{
	/* Horovod's names. */
	static const char *const names[] = { [DTYPE_FP32] = "float32",
		[DTYPE_FP64] = "float64",
		[DTYPE_FP16] = "float16",
		[DTYPE_BF16] = "bfloat16" };
	const struct device *d = t->network.device;
	const struct device_arena grads = device_arena(d, TENSOR_GRAD);
	struct timeline_writer_config c = { .form = t->o->timeline_form,
		.backend = t->comm->ops->name,
		.rank = t->comm->rank,
		.ranks = t->comm->size };
	enum dtype type = grads.type;

	t->trace = trace_new(t->comm->size);
	t->reduction = (struct reducer_config){ .comm = t->comm,
		.grads = grads,
		.plan = &t->plan,
		.on_device = t->comm->ops->attach != NULL,
		.trace = t->trace };
	train_plan_fusion(t);
	if (train_open_staging(t, e) != 0 ||
	    reducer_open(&t->reduction, &t->reducer, e) != 0)
		return -1;
	if (t->o->timeline == NULL || t->comm->rank != 0)
		return 0;
	if (strcmp(t->o->compression, "none") != 0)
		dtype_find(t->o->compression, &type);
	c.dtype = names[type];
	c.element = (int)dtype_size(type);
	return timeline_writer_open(t->o->timeline, &c, &t->timeline, e);
}

/* Report an unusable image; the loader excludes it. */
static void
note_unusable(void *ctx, const char *message)
{
	struct train *t = ctx;

	logger_printf(&t->warn, NULL, "%s: image excluded: %.3000s\n",
	    train_program()->name, message);
}

static int
open_loaders(struct train *t, struct error *e)
{
	/* An asynchronous device reads a batch from the loader's memory until
	 * the one after the next is loaded. */
	const int own = !t->network.device->ops->on_host;
	const int image = t->network.graph.image;

	for (int i = 0; i < 2; i++) {
		struct loader_config c = { .source = &t->synthetic[i],
			.batch = (int)t->o->batch,
			.rank = t->comm->rank,
			.size = t->comm->size,
			.batches = t->n_batches[i],
			.whole = i == IMAGE_SOURCE_TRAIN,
			.workers = (int)t->o->workers,
			/* Do not shuffle synthetic data: any order is equally
			 * random. */
			.shuffle = i == IMAGE_SOURCE_TRAIN && !t->o->dummy,
			.seed = (uint64_t)t->o->seed,
			.held = own ? 2 : 0,
			.unturned = own,
			.device = t->network.device,
			.note = note_unusable,
			.ctx = t };

		if (t->datasets[i] == NULL) {
			t->synthetic[i] =
			    image_source_dummy((enum image_source_part)i,
				t->n_images[i], image, t->classes, c.seed);
		} else {
			c.source = t->images[i] = dataset_source(t->datasets[i],
			    c.whole ? IMAGE_MODE_TRAIN : IMAGE_MODE_VAL, image,
			    c.seed);
			dataset_source_limit(t->images[i], t->o->max_pixels);
		}
		if (loader_open(&c, &t->loaders[i], e) != 0)
			return -1;
	}
	return 0;
}

/* The part of train_open() that can fail on a single rank. */
static int
open_own(struct train *t, int threads, double available, struct error *e)
{
	if (logger_printf(
		&t->log, e, "=> creating model '%s'\n", t->model->name) != 0 ||
	    open_network(t, threads, available, e) != 0 ||
	    open_reducer(t, e) != 0 || open_loaders(t, e) != 0)
		return -1;
	describe_self(t);
	if (t->o->resume != NULL && t->comm->rank == 0 && read_state(t, e) != 0)
		return -1;
	return t->o->dummy
	    ? logger_printf(&t->log, e, "=> Dummy data is used!\n")
	    : 0;
}

int
train_agree(struct train *t, struct error *e)
{
	const int rc = comm_agree(t->comm, e);

	t->agreed = rc == -1;
	return rc != 0 ? -1 : 0;
}

int
train_share(struct train *t, enum tensor_kind kind, struct error *e)
{
	struct device *d = t->network.device;
	const struct graph *g = &t->network.graph;
	const int count = kind == TENSOR_BUFFER ? g->n_buffers : g->n_params;
	const enum dtype type = device_arena(d, TENSOR_PARAM).type == DTYPE_FP64
	    ? DTYPE_FP64
	    : DTYPE_FP32;
	int rc = 0;

	for (int i = 0; i < count && rc == 0; i++) {
		const size_t n = device_tensor_size(d, kind, i);
		void *x = xcalloc(n, dtype_size(type));

		rc = device_read(d, kind, i, type, x, e);
		if (rc == 0)
			rc = comm_broadcast(
			    t->comm, x, n * dtype_size(type), 0, e);
		if (rc == 0)
			rc = device_write(d, kind, i, type, x, e);
		free(x);
	}
	return rc;
}

int
train_share_weights(struct train *t, struct error *e)
{
	struct device *d = t->network.device;
	const struct device_arena params = device_arena(d, TENSOR_PARAM);
	const int rc = train_share(t, TENSOR_PARAM, e);

	if (rc != 0 || !d->ops->on_host)
		return rc;
	return comm_check_same(t->comm, "the order of weights in memory",
	    XXH3_64bits(params.data, params.n * dtype_size(params.type)), e);
}

static int
join_machine(void *comm, struct error *e)
{
	return comm_join_machine(comm, e);
}

/* Let the ranks of a machine share one copy of weights and momenta, each
 * updating a part of it, and read each other's gradients. Changes nothing if
 * the device or the system does not support it. */
static int
share_memory(struct train *t, struct error *e)
{
	struct comm *c = t->comm;
	struct device *d = t->network.device;
	struct device_region *regions;
	size_t n;
	int rc = 0;

	if (c->n_nodes == c->size || t->o->evaluate)
		return 0;
	n = device_regions(d, &regions);
	if (n > 0)
		rc = machine_memory_open(c, regions, n, &t->memory, e);
	free(regions);
	if (t->memory == NULL)
		return rc;
	c->memory = t->memory;
	c->memory_sums = c->n_nodes == 1 && c->ops->in_memory;
	d->sharing = (struct device_sharing){ .part = c->local_rank,
		.parts = c->local_size,
		.join = join_machine,
		.ctx = c };
	return 0;
}

/* Check that all ranks were started with the same options, then set up the
 * parts that the ranks share. */
static int
check_ranks(struct train *t, struct error *e)
{
	const struct train_options *o = t->o;
	struct strbuf sb = STRBUF_INIT(LOGGER_LINE_MAX);
	uint64_t hash;

	run_report_config(t, &sb);
	strbuf_printf(&sb, " %d %d %d %ld %s", o->evaluate, o->resume != NULL,
	    o->checkpoint != NULL, o->checkpoint_every, o->clock);
	hash = XXH3_64bits(sb.buf, sb.len);
	strbuf_release(&sb);
	if (comm_check_same(t->comm, "their options", hash, e) != 0 ||
	    train_share_weights(t, e) != 0) {
		t->agreed = e->code == ERROR_INPUT;
		return -1;
	}
	if (o->resume != NULL && train_share(t, TENSOR_MOMENTUM, e) != 0)
		return -1;
	if (share_memory(t, e) != 0 || train_open_fusion(t, e) != 0)
		return -1;
	return autotune_open(t, e);
}

static int
print_start(struct train *t, struct error *e)
{
	const char *sums = t->comm->memory_sums ? "yes" : "no";
	struct strbuf *sb = &t->tags.line;

	run_report_config(t, sb);
	if (logger_end(&t->tags, e) != 0)
		return -1;
	if (t->comm->size > 1) {
		train_describe_fusion(t, sb);
		if (logger_end(&t->tags, e) != 0)
			return -1;
	}
	if (t->memory != NULL &&
	    logger_printf(&t->tags, e,
		"dlscale: machine_memory ranks=%d sums=%s\n",
		t->comm->local_size, sums) != 0)
		return -1;
	autotune_announce(t);
	return t->o->verbose ? run_report_plan(t, e) : 0;
}

int
train_open(struct train *t, const struct train_options *o, struct comm *comm,
    struct error *e)
{
	const int prints = comm->rank == 0 || strcmp(o->log_ranks, "all") == 0;
	const double available = free_memory_bytes(
	    comm->local_size, CONTROL_GROUPS_FILE, CONTROL_GROUPS_ROOT);
	struct error own = ERROR_INIT;
	struct comm_attachment a;
	int threads, rc;

	memset(t, 0, sizeof *t);
	t->o = o;
	t->comm = comm;
	logger_init(&t->log, prints ? STDOUT_FILENO : -1);
	logger_init(&t->tags, comm->rank == 0 ? STDOUT_FILENO : -1);
	logger_init(&t->warn, STDERR_FILENO);
	clock_init(&t->clock, strcmp(o->clock, "fake") == 0);
	t->model = model_find(o->arch, &own);
	t->step_alloc = RESERVED_STEPS;
	t->step_s = xcalloc(t->step_alloc, sizeof *t->step_s);
	if (t->model != NULL && open_images(t, &own) == 0)
		t->lr = o->lr >= 0 ? o->lr : t->model->default_lr;
	/* Collective: when it returns, all ranks have read the free memory. */
	if (choose_threads(t, &threads, e) != 0)
		return -1;
	if (own.code == ERROR_NONE)
		open_own(t, threads, available, &own);
	*e = own;
	if (train_agree(t, e) != 0 || check_ranks(t, e) != 0)
		return -1;
	if (comm->ops->attach != NULL) {
		a = gradient_codec_attachment(t->codec);
		a.plan = &t->plan;
		rc = comm_attach(comm, t->network.device, &a, e);
		t->agreed = rc == -1;
		if (rc != 0)
			return -1;
	}
	print_start(t, e);
	if (train_agree(t, e) != 0)
		return -1;
	if (o->checkpoint != NULL)
		signals_catch();
	return o->resume != NULL ? share_state(t, e) : 0;
}

/* Count the images of a part that any rank could not use. An image counts once,
 * although different ranks may read it in different epochs. */
static int
gather_unusable(
    struct train *t, const struct loader *l, long n_images, struct error *e)
{
	int64_t n = loader_unusable(l), *found;
	int rc = comm_allreduce(t->comm, &n, 1, COMM_I64, COMM_MAX, e);
	size_t some;

	if (rc != 0 || n == 0)
		return rc;
	found = xcalloc(IMAGES_AT_ONCE, sizeof *found);
	for (long at = 0; rc == 0 && at < n_images; at += (long)some) {
		for (some = 0;
		     some < IMAGES_AT_ONCE && at + (long)some < n_images;
		     some++)
			found[some] = loader_is_unusable(l, at + (long)some);
		rc =
		    comm_allreduce(t->comm, found, some, COMM_I64, COMM_MAX, e);
		for (size_t i = 0; rc == 0 && i < some; i++)
			t->unusable += (long)found[i];
	}
	free(found);
	return rc;
}

int
train_run(struct train *t, struct error *e)
{
	const long all = t->n_batches[IMAGE_SOURCE_TRAIN];
	const struct meters none = { .time = { 0, 0, 0 } };
	const struct train_options *o = t->o;
	double used[2];

	if (o->evaluate)
		return train_validate(t, e);
	/* Run each epoch and its validation, or the rest after a resume. */
	for (int i = (int)t->begin.epoch; i < o->epochs; i++) {
		const int again = i == t->begin.epoch && t->begin.batch == all;

		if (!again && train_epoch(t, i, e) != 0)
			return -1;
		if (o->val_batches != 0 && train_validate(t, e) != 0)
			return -1;
		if (o->checkpoint != NULL && t->stopped == 0 &&
		    resume_save(t, i + 1, 0, &none, e) != 0)
			return -1;
		if (o->checkpoint != NULL && t->stopped != 0)
			return resume_save(t, i, all, &none, e) != 0
			    ? -1
			    : resume_stop(t, i, all, e);
	}
	/* Sum the excluded images and CPU times of all ranks, and find the
	 * longest wait for images. */
	t->unusable = 0;
	for (int part = 0; part < 2; part++)
		if (gather_unusable(
			t, t->loaders[part], t->n_images[part], e) != 0)
			return -1;
	t->times = process_times_read();
	used[0] = t->times.user_s;
	used[1] = t->times.sys_s;
	if (comm_allreduce(t->comm, used, 2, COMM_FP64, COMM_SUM, e) != 0)
		return -1;
	t->times.user_s = used[0];
	t->times.sys_s = used[1];
	t->wait_share = run_means_wait_share(&t->means);
	if (comm_allreduce(
		t->comm, &t->wait_share, 1, COMM_FP64, COMM_MAX, e) != 0)
		return -1;
	run_report_end(t, e);
	return train_agree(t, e);
}

void
train_close(struct train *t)
{
	for (int i = 0; i < 2; i++) {
		loader_close(t->loaders[i]);
		dataset_source_free(t->images[i]);
		dataset_close(t->datasets[i]);
	}
	comm_detach(t->comm);
	reducer_close(t->reducer);
	autotune_close(t->autotune);
	for (int i = 0; i < t->n_codecs; i++)
		gradient_codec_close(t->codecs[i]);
	free(t->tensors);
	trace_free(t->trace);
	timeline_writer_close(t->timeline);
	host_staging_close(t->staging);
	t->comm->memory = NULL;
	t->comm->memory_sums = 0;
	machine_memory_close(t->memory);
	fusion_plan_release(&t->plan);
	fusion_plan_release(&t->each);
	if (t->network.device != NULL)
		network_close(&t->network);
	logger_release(&t->log);
	logger_release(&t->tags);
	logger_release(&t->warn);
	run_means_release(&t->means);
	free(t->step_s);
	free(t->begin_meters);
}
