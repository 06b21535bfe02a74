/* The options, one row each, and checks that rows cannot express. */
#include <config.h>

#include "common/text.h"
#include "trainer/run/options/options_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/comm/comm.h"
#include "trainer/data/decode.h"
#include "trainer/device/device.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/graph/graph.h"
#include "trainer/sync/collective_trace.h"

/* Defaults that are not in the table. */
static struct train_options o = {
	.lr = -1, .val_batches = -1, .seed = -1, .world_size = -1, .rank = -1
};

enum { MAX_CHOICES = 32 };

static const char *arches[MAX_CHOICES], *devices[MAX_CHOICES],
    *backends[MAX_CHOICES];
static const char *const precisions[] = { "fp32", "fp64", "tf32", "fp16",
	"bf16", NULL };
static const char *fusions[MAX_CHOICES];
static const char *const compressions[] = { "none", "fp16", "bf16", "auto",
	NULL };
static const char *const autotunes[] = { "horovod", "model", NULL };
static const char *const ranks[] = { "all", "0", NULL };
static const char *const phases[] = { "async", "sync", NULL };
static const char *const clocks[] = { "real", "fake", NULL };

static const struct opt opts[] = {
	{ OPT_GROUP, .help = "Model and device" },
	{ OPT_CHOICE, 'a', "arch", "MODEL", .brief = "resnet50, vgg16 ...",
	    .def = "resnet18", .choices = arches, .to = &o.arch,
	    .help = "train MODEL" },
	{ OPT_CHOICE, 0, "device", "DEVICE", .brief = "cpu or cuda",
	    .choices = devices, .to = &o.device,
	    .help = "compute on DEVICE; default: cpu if it was built, else "
		    "reference" },
	{ OPT_STR, 0, "gpus", "LIST", .alias = "gpu", .to = &o.gpus,
	    .help = "with --device=cuda, the GPUs of the processes on each "
		    "machine, in their order, as 0,2; not given: 0, 1, ..." },
	{ OPT_CHOICE, 0, "precision", "TYPE", .brief = "fp32, fp16 or bf16",
	    .def = "fp32", .choices = precisions, .to = &o.precision,
	    .help = "compute in TYPE, if the device supports it" },
	{ OPT_INT, 0, "threads", "N", .unit = "threads", .def = "0",
	    .max = 4096, .to = &o.threads,
	    .help = "compute with N threads on each device; 0 is the share of "
		    "this process in the cores it may run on" },
	{ OPT_STR, 0, "engine-cache", "FILE", .to = &o.engine_cache,
	    .help = "keep in FILE which of cuDNN's engines were measured to be "
		    "the fastest on this GPU; not given: dlscale/engines in "
		    "$XDG_CACHE_HOME or ~/.cache; an empty name is none; "
		    "'heuristic' is none and measures nothing: cuDNN's first "
		    "proposals are taken" },
	{ OPT_FLAG, 0, "no-step-graph", .to = &o.no_step_graph,
	    .help =
		"on a GPU launch each kernel of a step by itself, instead of "
		"a step as one captured CUDA graph" },
	{ OPT_GROUP, .help = "Images" },
	{ OPT_FLAG, 0, "dummy", .brief = "images made up in memory",
	    .to = &o.dummy,
	    .help =
		"train on synthetic data, the same for the same seed; epochs "
		"are as long as ImageNet's" },
	{ OPT_INT, 'b', "batch-size", "N", .brief = "images of each device",
	    .unit = "images", .def = "32", .min = 1, .max = 1 << 20,
	    .to = &o.batch,
	    .help = "per-device batch size (main.py counts the images of all "
		    "devices together)" },
	{ OPT_INT, 0, "total-batch", "N", .unit = "images", .min = 1,
	    .max = 1 << 30, .to = &o.total_batch,
	    .help = "batch size of all devices together, instead of "
		    "--batch-size" },
	{ OPT_INT, 'j', "workers", "N", .unit = "threads", .def = "4",
	    .max = 1024, .to = &o.workers,
	    .help = "load images with N threads in each process" },
	{ OPT_INT, 0, "image-size", "N", .unit = "pixels", .def = "0",
	    .max = 4096, .to = &o.image,
	    .help = "images of N x N pixels; 0: the model's own size, 224" },
	{ OPT_INT, 0, "max-pixels", "N", .unit = "pixels", .def = "134217728",
	    .min = 1, .max = DECODE_MAX_PIXELS, .to = &o.max_pixels,
	    .help = "exclude image files of more than N pixels, whose decoding "
		    "would take 9 N bytes in each worker" },
	{ OPT_INT, 0, "classes", "N", .unit = "classes", .min = 1,
	    .max = 1 << 20, .to = &o.classes,
	    .help = "number of classes; default: those in DIR, or 1000" },
	{ OPT_INT, 0, "batches-per-epoch", "N",
	    .brief = "stop each epoch after N steps", .unit = "steps", .min = 1,
	    .max = 1e9, .to = &o.batches,
	    .help = "end an epoch after N steps; the next epoch has the same "
		    "images again; default: all images" },
	{ OPT_INT, 0, "val-batches", "N", .unit = "batches", .max = 1e9,
	    .to = &o.val_batches,
	    .help = "validate on N batches per device; 0: do not validate; "
		    "default: all images" },
	{ OPT_GROUP, .help = "Training" },
	{ OPT_INT, 0, "epochs", "N", .brief = "epochs to train",
	    .unit = "epochs", .def = "90", .max = 1e6, .to = &o.epochs,
	    .help = "train for N epochs" },
	{ OPT_INT, 0, "start-epoch", "N", .def = "0", .max = 1e6,
	    .to = &o.start_epoch, .help = "begin with epoch number N" },
	{ OPT_REAL, 0, "lr", "X", .max = 1e30, .alias = "learning-rate",
	    .to = &o.lr,
	    .help = "learning rate; not given: 0.1, or 0.01 for models without "
		    "batch normalisation" },
	{ OPT_INT, 0, "lr-step", "N", .unit = "epochs", .def = "30", .min = 1,
	    .max = 1e6, .to = &o.lr_step,
	    .help = "decay the learning rate by 10x every N epochs" },
	{ OPT_REAL, 0, "momentum", "X", .def = "0.9", .max = 1,
	    .to = &o.momentum, .help = "momentum of the gradients" },
	{ OPT_REAL, 0, "weight-decay", "X", .def = "1e-4", .max = 1,
	    .alias = "wd", .to = &o.weight_decay, .help = "weight decay (L2)" },
	{ OPT_FLAG, 'e', "evaluate", .to = &o.evaluate,
	    .help = "only validate" },
	{ OPT_INT, 0, "seed", "N", .max = 9e15, .to = &o.seed,
	    .help = "random seed of weights, dropout and synthetic data; a GPU "
		    "then uses deterministic engines only; not given: 0, and a "
		    "GPU may use any" },
	{ OPT_GROUP, .help = "Checkpoints" },
	{ OPT_STR, 0, "checkpoint", "FILE", .to = &o.checkpoint,
	    .help = "save the state in FILE after each epoch, and on SIGTERM, "
		    "SIGINT or SIGUSR1" },
	{ OPT_INT, 0, "checkpoint-every", "N", .unit = "steps", .def = "0",
	    .max = 1e9, .to = &o.checkpoint_every,
	    .help = "with --checkpoint: save it also after every N-th step; 0: "
		    "only after each epoch" },
	{ OPT_STR, 0, "resume", "FILE", .to = &o.resume,
	    .help = "resume from the checkpoint FILE; options that differ from "
		    "its own are reported" },
	{ OPT_GROUP, .help = "Communication" },
	{ OPT_CHOICE, 0, "backend", "NAME", .brief = "mpi, gloo, nccl ...",
	    .def = "auto", .choices = backends, .alias = "dist-backend",
	    .to = &o.backend,
	    .help = "communication back end; auto: mpi if a launcher such as "
		    "mpirun started more than one process, else self" },
	{ OPT_INT, 0, "world-size", "N", .unit = "processes", .min = 1,
	    .max = 1 << 20, .to = &o.world_size,
	    .help = "with --rank and --dist-url: number of processes, each "
		    "started by hand" },
	{ OPT_INT, 0, "rank", "N", .max = 1 << 20, .to = &o.rank,
	    .help = "rank of this process, from 0 to --world-size - 1" },
	{ OPT_STR, 0, "dist-url", "URL", .to = &o.dist_url,
	    .help = "tcp://HOST:PORT where rank 0 is; env:// is MASTER_ADDR "
		    "and MASTER_PORT" },
	{ OPT_FLAG, 0, "multiprocessing-distributed", .to = &o.multiprocessing,
	    .help = "as in main.py; without a launcher, print the command line "
		    "that starts the processes" },
	{ OPT_FLAG, 0, "pretrained", .to = &o.pretrained,
	    .help = "as in main.py; refused, since no pre-trained weights are "
		    "available" },
	{ OPT_REAL, 0, "comm-timeout", "X", .unit = "s", .def = "300",
	    .max = 1e7, .to = &o.comm_timeout_s,
	    .help =
		"end the run when processes have waited for each other for X, "
		"and name the missing one; 0: never" },
	{ OPT_CHOICE, 0, "fusion", "POLICY", .def = "ddp", .choices = fusions,
	    .to = &o.fusion,
	    .help = "which gradients are allreduced together: ddp, those of a "
		    "bucket (--first-bucket, --bucket); horovod, those that "
		    "are ready at a cycle, up to --fusion-threshold; tensor, "
		    "each alone; all; mgwfbp, the plan that ends first by the "
		    "measured cost of an allreduce" },
	{ OPT_REAL, 0, "fusion-threshold", "X", .unit = "MiB", .def = "64",
	    .max = 1e6, .alias = "fusion-threshold-mb", .to = &o.threshold_mib,
	    .help =
		"with --fusion=horovod, which it implies, allreduce at most "
		"X together; 0 is each tensor alone" },
	{ OPT_REAL, 0, "cycle-time", "X", .unit = "ms", .def = "5", .max = 1e6,
	    .alias = "cycle-time-ms", .to = &o.cycle_ms,
	    .help = "with --fusion=horovod, which it implies, see after each X "
		    "which gradients are ready" },
	{ OPT_INT, 0, "cache-capacity", "N", .unit = "tensors", .def = "1024",
	    .max = 1e9, .to = &o.cache_capacity,
	    .help = "with --fusion=horovod, which it implies, agree on what is "
		    "ready by number if there are at most N tensors, else by "
		    "name" },
	{ OPT_CHOICE, 0, "compression", "TYPE", .def = "none",
	    .choices = compressions, .to = &o.compression,
	    .help =
		"allreduce gradients as fp16 or bf16, divided by the number "
		"of processes before; with auto, which needs "
		"--autotune=model, as fp16 where that is faster" },
	{ OPT_FLAG, 0, "hierarchical", .to = &o.hierarchical,
	    .alias = "hierarchical-allreduce",
	    .help = "hierarchical allreduce: reduce-scatter on each node, "
		    "allreduce between nodes, allgather on each node" },
	{ OPT_REAL, 0, "first-bucket", "X", .unit = "MiB", .def = "1",
	    .max = 1e6, .to = &o.first_bucket_mib,
	    .help =
		"with --fusion=ddp: allreduce the first gradients as soon as "
		"they are at least X" },
	{ OPT_REAL, 0, "bucket", "X", .unit = "MiB", .def = "25", .max = 1e6,
	    .alias = "bucket-cap-mb", .to = &o.bucket_mib,
	    .help = "with --fusion=ddp: allreduce later gradients as soon as "
		    "they are at least X; 0: each tensor alone" },
	{ OPT_CHOICE, 0, "autotune", "HOW",
	    .brief = "find good settings of the allreduce",
	    .choices = autotunes, .optional = "horovod", .to = &o.autotune,
	    .help =
		"find while training which settings allreduce gradients "
		"fastest: horovod, Horovod's search over threshold, cycle "
		"time, cache and hierarchical allreduce, which takes thousands "
		"of steps; model, the plans that should be the fastest by "
		"measured costs, tried within 10 steps, and watched" },
	{ OPT_STR, 0, "autotune-log", "FILE", .alias = "autotune-log-file",
	    .to = &o.autotune_log,
	    .help = "with --autotune=horovod write each setting and its score "
		    "to FILE, a CSV as HOROVOD_AUTOTUNE_LOG" },
	{ OPT_INT, 0, "autotune-warmup-samples", "N", .unit = "samples",
	    .def = "3", .max = 1e6, .to = &o.autotune_warmup,
	    .help = "with --autotune=horovod ignore the first N scores" },
	{ OPT_INT, 0, "autotune-steps-per-sample", "N", .unit = "steps",
	    .def = "10", .min = 1, .max = 1e6, .to = &o.autotune_steps,
	    .help = "take a score as the median of five rates, each over N "
		    "steps" },
	{ OPT_INT, 0, "autotune-bayes-opt-max-samples", "N", .unit = "samples",
	    .def = "20", .max = 1e4, .to = &o.autotune_samples,
	    .help = "sample N + 1 thresholds and cycle times for each "
		    "combination of switches" },
	{ OPT_REAL, 0, "autotune-gaussian-process-noise", "X", .def = "0.8",
	    .min = 1e-6, .max = 1e6, .to = &o.autotune_noise,
	    .help = "take X as the deviation of a standardised score from "
		    "noise" },
	{ OPT_GROUP, .help = "Log" },
	{ OPT_INT, 'p', "print-freq", "N", .unit = "steps", .def = "1",
	    .min = 1, .max = 1e9, .to = &o.print_freq,
	    .help = "print a line for every N-th step (main.py: 10)" },
	{ OPT_CHOICE, 0, "log-ranks", "WHICH", .def = "all", .choices = ranks,
	    .to = &o.log_ranks, .help = "processes that print those lines" },
	{ OPT_CHOICE, 0, "phases", "HOW",
	    .brief = "measure the phases of a step", .choices = phases,
	    .optional = "async", .to = &o.phases,
	    .help = "print the phases of a step and the network traffic after "
		    "each epoch; sync: wait for the device after each phase" },
	{ OPT_REAL, 0, "peak-tflops", "X", .unit = "10^12 operations/s",
	    .def = "0", .max = 1e6, .to = &o.peak_tflops,
	    .help =
		"peak TFLOP/s of a device, for MFU (model FLOP utilisation); "
		"0: unknown" },
	{ OPT_INT, 0, "comm-trace", "N", .unit = "steps", .def = "0",
	    .max = 1e9, .to = &o.comm_trace, .optional = "1",
	    .help = "print a line for each gradient allreduce of every N-th "
		    "step, and one for all of them; 0 is none" },
	{ OPT_STR, 0, "timeline", "FILE", .to = &o.timeline,
	    .help = "write a timeline of the first process's allreduces to "
		    "FILE, for chrome://tracing or Perfetto" },
	{ OPT_CHOICE, 0, "timeline-format", "FORM", .def = "horovod",
	    .choices = timeline_forms, .to = &o.timeline_form,
	    .help = "as HOROVOD_TIMELINE has it, or as Chrome's complete "
		    "events, which hold bandwidths too" },
	{ OPT_INT, 0, "profile", "N", .unit = "steps", .def = "0", .max = 10000,
	    .to = &o.profile, .alias = "call-times",
	    .help = "at the end print what each kernel call of a training step "
		    "takes: on the CPU its median over the last N steps, next "
		    "to its roof, the least time by this machine's measured "
		    "speed; on a GPU its mean over N in a row" },
	{ OPT_STR, 0, "plan", "GPU", .optional = "h200", .to = &o.plan,
	    .help =
		"print each kernel call of a training step on GPU, with "
		"its operations, its bytes and the least time that these "
		"take by the data sheet of GPU (h200, h100, a100, a100-40g, "
		"v100, l40s, t4), and end; no GPU is needed. A file that "
		"tests/gpu/check_and_bench wrote stands for its GPU with "
		"what was measured there, the times of the calls too" },
	{ OPT_FLAG, 0, "verbose", .to = &o.verbose,
	    .help = "print the device's plan of memory and kernels" },
	{ OPT_CHOICE, 0, "clock", "KIND", .def = "real", .choices = clocks,
	    .to = &o.clock,
	    .help = "fake: each reading of the clock advances it by a "
		    "millisecond, so that equal runs print equal logs (for "
		    "tests)" },
	{ .kind = OPT_END },
};

static const char *const examples[] = {
	"train_imagenet --dummy -a resnet18 --batches-per-epoch 130 --epochs 1",
	"130 steps on one process and a validation.",
	"mpirun -n 2 train_imagenet --dummy -a resnet50 -b 16",
	"ResNet-50 on two processes, 16 images a step on each.",
	"train_imagenet --dummy --batches-per-epoch 9 --val-batches 0 --phases",
	"90 epochs of 9 steps, without validation; where the time goes.",
	"train_imagenet -b 64 --checkpoint state --resume state DIR",
	"Go on with a run and save its state in the same file.",
	NULL,
};

static const struct program program = {
	.name = "train_imagenet",
	.synopsis = "[OPTION]... [DIR]",
	.summary = "train ImageNet models, log like PyTorch's example",
	.text =
	    "Train a convolutional network with stochastic gradient descent, "
	    "on one process or with a launcher (mpirun, srun) on many, each "
	    "with its share of the images and the mean of all gradients. The "
	    "log on standard output is that of PyTorch's ImageNet example; "
	    "more is in lines that begin with \"dlscale:\", as key=value.\n\n"
	    "Options are called as in that example (main.py), but -b counts "
	    "the images on each device, and -p is 1 unless given, so that the "
	    "log has every step.\n\n"
	    "DIR holds JPEG or PNG images, a folder for each class: "
	    "DIR/train/CLASS/IMAGE.jpg to train on, DIR/val/CLASS/IMAGE.jpg "
	    "to validate on.\n\n"
	    "With --checkpoint, SIGTERM, SIGINT and SIGUSR1 end the run after "
	    "the current step: its state is saved, the status is 3, and "
	    "--resume goes on as if nothing had happened.\n\n"
	    "HOROVOD_FUSION_THRESHOLD (bytes), HOROVOD_CYCLE_TIME (ms), "
	    "HOROVOD_CACHE_CAPACITY, HOROVOD_HIERARCHICAL_ALLREDUCE, "
	    "HOROVOD_TIMELINE, HOROVOD_AUTOTUNE, HOROVOD_AUTOTUNE_LOG and the "
	    "other HOROVOD_AUTOTUNE_... in the environment stand for the "
	    "options of that name where those are not given. "
	    "--autotune=horovod does not search what any of them, or "
	    "HOROVOD_HIERARCHICAL_ALLGATHER, sets.",
	.opts = opts,
	.examples = examples,
	.see_also = "extract_logs(1), plot_results(1), report_results(1)",
};

const struct program *
train_program(void)
{
	size_t n;
	const struct model *models = model_list(&n);
	const struct device_ops *const *device;
	const struct comm_ops *const *comm;
	const char *const *policies;

	/* Fill in the lists once, to keep a device that was given. */
	if (arches[0] != NULL)
		return &program;
	assert(n < MAX_CHOICES);
	for (size_t i = 0; i < n; i++)
		arches[i] = models[i].name;
	device = device_list(&n);
	assert(n < MAX_CHOICES);
	for (size_t i = 0; i < n; i++) {
		devices[i] = device[i]->name;
		if (strcmp(devices[i], "reference") == 0 && o.device == NULL)
			o.device = devices[i];
		if (strcmp(devices[i], "cpu") == 0 && device[i]->open != NULL)
			o.device = devices[i];
	}
	policies = fusion_policies(&n);
	assert(n < MAX_CHOICES);
	for (size_t i = 0; i < n; i++)
		fusions[i] = policies[i];
	comm = comm_list(&n);
	assert(n + 1 < MAX_CHOICES);
	backends[0] = "auto";
	for (size_t i = 0; i < n; i++)
		backends[i + 1] = comm[i]->name;
	return &program;
}

/* Options with the fusion policy that they belong to (NULL: none), and
 * Horovod's environment variables, which replace options that are not given. */
static const struct horovod_option {
	const char *option, *policy;
	const char *variable; /* NULL: none */
	double unit;          /* option = unit * variable; 0: variable only */
} table[] = {
	{ "fusion-threshold", "horovod", "HOROVOD_FUSION_THRESHOLD",
	    1.0 / (1 << 20) },
	{ "cycle-time", "horovod", "HOROVOD_CYCLE_TIME", 1 },
	{ "cache-capacity", "horovod", "HOROVOD_CACHE_CAPACITY", 1 },
	{ "first-bucket", "ddp", NULL, 1 },
	{ "bucket", "ddp", NULL, 1 },
	{ "hierarchical", NULL, "HOROVOD_HIERARCHICAL_ALLREDUCE", 1 },
	{ "hierarchical-allgather", NULL, "HOROVOD_HIERARCHICAL_ALLGATHER", 0 },
	{ "timeline", NULL, "HOROVOD_TIMELINE", 1 },
	{ "autotune", NULL, "HOROVOD_AUTOTUNE", 1 },
	{ "autotune-log", NULL, "HOROVOD_AUTOTUNE_LOG", 1 },
	{ "autotune-warmup-samples", NULL, "HOROVOD_AUTOTUNE_WARMUP_SAMPLES",
	    1 },
	{ "autotune-steps-per-sample", NULL,
	    "HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE", 1 },
	{ "autotune-bayes-opt-max-samples", NULL,
	    "HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES", 1 },
	{ "autotune-gaussian-process-noise", NULL,
	    "HOROVOD_AUTOTUNE_GAUSSIAN_PROCESS_NOISE", 1 },
};

enum { N_TABLE = sizeof table / sizeof table[0] };

static const char *
value_of(const struct horovod_option *t)
{
	return t->variable != NULL ? getenv(t->variable) : NULL;
}

/* Determine the fusion policy: the options of a policy imply it, or their
 * variables if neither --fusion nor such an option is given. */
static int
settle_fusion(struct error *e)
{
	const int asked = options_given("fusion");
	const struct horovod_option *first = NULL, *end = table + N_TABLE;

	for (const struct horovod_option *t = table; t < end; t++) {
		if (t->policy == NULL || !options_given(t->option))
			continue;
		if (asked && strcmp(t->policy, o.fusion) != 0)
			return error_set(e, ERROR_USAGE,
			    "--%s: only with --fusion=%s, not with "
			    "--fusion=%s",
			    t->option, t->policy, o.fusion);
		if (first != NULL && strcmp(t->policy, first->policy) != 0)
			return error_set(e, ERROR_USAGE,
			    "--%s belongs to --fusion=%s and --%s to "
			    "--fusion=%s",
			    first->option, first->policy, t->option, t->policy);
		first = t;
	}
	for (const struct horovod_option *t = table;
	     t < end && !asked && first == NULL; t++)
		if (t->policy != NULL && value_of(t) != NULL)
			first = t;
	if (first != NULL)
		o.fusion = first->policy;
	return 0;
}

void
fusion_options_unused(const char *policy, struct strbuf *sb)
{
	for (int i = 0; i < N_TABLE; i++) {
		const struct horovod_option *t = &table[i];
		const char *value = value_of(t);
		const int tunes = strcmp(t->option, "autotune") == 0 &&
		    value != NULL && *value != '\0' && strcmp(value, "0") != 0;
		const char *owner = tunes ? "horovod" : t->policy;

		if (value != NULL && owner != NULL &&
		    strcmp(owner, policy) != 0)
			strbuf_printf(
			    sb, "%s%s", sb->len > 0 ? ", " : "", t->variable);
	}
}

int
fusion_options_is_fixed(const char *option)
{
	const struct horovod_option *t = table;

	while (strcmp(t->option, option) != 0)
		t++;
	return value_of(t) != NULL || (t->unit > 0 && options_given(option));
}

/* Check options that exclude or require each other. Returns 0 or -1. */
static int
check_together(struct error *e)
{
	const int tunes = o.autotune != NULL;
	const int by_horovod = tunes && strcmp(o.autotune, "horovod") == 0;
	const int by_model = tunes && strcmp(o.autotune, "model") == 0;
	const struct {
		int is_wrong;
		const char *message;
	} rules[] = {
		{ o.resume != NULL && o.start_epoch > 0,
		    "--start-epoch cannot be used with --resume" },
		{ o.checkpoint != NULL && o.evaluate,
		    "--checkpoint cannot be used with --evaluate" },
		{ o.checkpoint == NULL && o.checkpoint_every > 0,
		    "--checkpoint-every without --checkpoint" },
		{ o.timeline == NULL && options_given("timeline-format"),
		    "--timeline-format without --timeline" },
		{ strcmp(o.compression, "auto") == 0 && !by_model,
		    "--compression=auto: only with --autotune=model" },
		{ o.evaluate && o.val_batches == 0,
		    "--val-batches: 0 leaves nothing to --evaluate" },
	};
	/* Options for Horovod's search only. */
	static const char *const searches[] = { "autotune-log",
		"autotune-warmup-samples", "autotune-steps-per-sample",
		"autotune-bayes-opt-max-samples",
		"autotune-gaussian-process-noise" };

	if (!o.evaluate && o.start_epoch >= o.epochs)
		return error_set(e, ERROR_USAGE,
		    "--start-epoch: %ld leaves nothing of %ld epochs",
		    o.start_epoch, o.epochs);
	if (by_horovod && strcmp(o.fusion, "horovod") != 0)
		return error_set(e, ERROR_USAGE,
		    "--autotune=horovod: only with --fusion=horovod, not with "
		    "--fusion=%s",
		    o.fusion);
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (rules[i].is_wrong)
			return error_set(
			    e, ERROR_USAGE, "%s", rules[i].message);
	for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++)
		if (!by_horovod && options_given(searches[i]))
			return error_set(e, ERROR_USAGE,
			    "--%s: only with --autotune=horovod", searches[i]);
	return 0;
}

/* Set options from environment variables. A variable has the range of its
 * option in the variable's unit. A value above 0 means on. */
static int
take_variables(struct error *e)
{
	for (const struct horovod_option *t = table; t < table + N_TABLE; t++) {
		const char *text = value_of(t);
		const struct opt *row = opts;
		double least, most = 1e12, x;

		if (text == NULL || t->unit == 0 || options_given(t->option))
			continue;
		while (row->long_name == NULL ||
		    strcmp(row->long_name, t->option) != 0)
			row++;
		if (row->kind == OPT_STR) {
			if (*text != '\0')
				*(const char **)row->to = text;
			continue;
		}
		least = row->min / t->unit;
		if (row->kind == OPT_INT || row->kind == OPT_REAL)
			most = row->max / t->unit;
		if (parse_double(text, least, most, &x) != 0)
			return error_set(e, ERROR_USAGE,
			    "environment variable %s: '%s' is not a number "
			    "from %g to %g",
			    t->variable, text, least, most);
		if (row->kind == OPT_REAL)
			*(double *)row->to = x * t->unit;
		else if (row->kind == OPT_INT)
			*(long *)row->to = (long)x;
		else if (row->kind == OPT_FLAG)
			*(int *)row->to = x > 0;
		else
			o.autotune = x > 0 &&
				(options_given("fusion")
					? strcmp(o.fusion, "horovod") == 0
					: !options_given("first-bucket") &&
					    !options_given("bucket"))
			    ? "horovod"
			    : NULL;
	}
	return 0;
}

const struct train_options *
train_options(char **operands, struct error *e)
{
	if (take_variables(e) != 0)
		return NULL;
	/* Horovod's search needs Horovod's policy. */
	if (o.autotune != NULL && strcmp(o.autotune, "horovod") == 0 &&
	    !options_given("fusion"))
		o.fusion = "horovod";
	if (settle_fusion(e) != 0)
		return NULL;
	o.folder = operands[0];
	o.seeded = o.seed >= 0;
	if (!o.seeded)
		o.seed = 0;
	o.engine_guess =
	    o.engine_cache != NULL && strcmp(o.engine_cache, "heuristic") == 0;
	if (o.engine_guess)
		o.engine_cache = "";
	/* Exactly one source of images is given. */
	if (o.folder != NULL && o.dummy)
		error_set(e, ERROR_USAGE, "'%s' cannot be used with --dummy",
		    o.folder);
	else if ((o.folder != NULL || (!o.dummy && o.plan == NULL)) &&
	    options_check_operands(operands,
		o.folder == NULL ? 0 : 1 + (operands[1] != NULL), 1,
		"the folder of images, or pass --dummy", e) != 0)
		return NULL;
	else if (check_together(e) == 0 && file_roles_check(&o, e) == 0)
		return &o;
	return NULL;
}

int
train_options_share(int n_ranks, struct error *e)
{
	const long n = o.total_batch;

	if (n == 0)
		return 0;
	if (n % n_ranks != 0)
		return error_set(e, ERROR_USAGE,
		    "--total-batch: %d processes cannot share %ld images; they "
		    "can share %ld or %ld",
		    n_ranks, n, n - n % n_ranks, n - n % n_ranks + n_ranks);
	o.batch = n / n_ranks;
	if (o.batch > 1 << 20)
		return error_set(e, ERROR_USAGE,
		    "--total-batch: %ld images on each device are more than %d",
		    o.batch, 1 << 20);
	return 0;
}
