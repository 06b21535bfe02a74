/* The vocabulary of format files: the names of groups and the roles of
 * patterns.  To add a name, add a row. */
#include <config.h>

#include "extract/format/patterns/field_names.h"

#include <string.h>

enum {
	H = FIELD_NAME_IN(ROLE_STEP),
	D = FIELD_NAME_IN(ROLE_DETAIL),
	R = FIELD_NAME_IN(ROLE_RESULT),
	F = FIELD_NAME_IN(ROLE_METADATA),
	S = FIELD_NAME_IN(ROLE_SUMMARY),
	I = FIELD_NAME_IN(ROLE_IGNORE),
	C = FIELD_NAME_IN(ROLE_CONTEXT),
	B = FIELD_NAME_IN(ROLE_BEGIN),
	E = FIELD_NAME_IN(ROLE_END),
	A = FIELD_NAME_IN(ROLE_INTERVAL),
	K = FIELD_NAME_IN(ROLE_COLLECTIVE),
	P = FIELD_NAME_IN(ROLE_PREFIX),
	L = FIELD_NAME_IN(ROLE_LAYOUT)
};

#define NOT_ASKED FIELD_NAME_NOT_ASKED
#define LAST FIELD_NAME_LAST
#define ALL FIELD_NAME_ALL

#define FIELD(name, type, value, field, roles, divisor, unit, help) \
	{ \
		name, FIELD_NAME_##type, FIELD_NAME_##value, field, roles, \
		    divisor, unit, help, 0, NULL, NOT_ASKED \
	}
#define PLACE(name, field, roles, help) \
	FIELD(name, COUNT, NO_VALUE, field, roles, 1, NULL, help)
#define VALUE(name, type, value, divisor, unit, help) \
	FIELD(name, type, value, FIELD_VALUE, H | S, divisor, unit, help)
#define TIME(name, field, help) \
	FIELD(name, TEXT, STAMP, field, H | S, 1, "s", help)
/* Secondary values of the same iterations. */
#define NEXT_TO(name, type, field, divisor, unit, help) \
	FIELD(name, type, NO_VALUE, field, H, divisor, unit, help)
#define MOMENT(name, divisor, help) \
	FIELD(name, NUMBER, NO_VALUE, FIELD_MOMENT, B | E | A, divisor, "s", \
	    help)
#define OPERATION(name, field, divisor, unit, help) \
	FIELD(name, NUMBER, NO_VALUE, field, K, divisor, unit, help)
#define METADATA(name, type, roles, help) \
	FIELD(name, type, NO_VALUE, FIELD_NONE, roles, 1, NULL, help)
/* Work of an iteration: for the whole log, or on the line of each step. */
#define WORK(name, help) \
	FIELD(name, COUNT, NO_VALUE, FIELD_WORK, F | L | H, 1, NULL, help)
/* key   name in records: the same for all units of a quantity
 * tail  values needed from the end of a log */
#define DETAIL_AS(key, name, divisor, unit, tail, help) \
	{ \
		name, FIELD_NAME_NUMBER, FIELD_NAME_NO_VALUE, FIELD_NONE, \
		    H | D | R, divisor, unit, help, 0, key, tail \
	}
#define DETAIL(name, divisor, unit, tail, help) \
	DETAIL_AS(name, name, divisor, unit, tail, help)
#define LOWERCASE(name, roles, help) \
	{ \
		name, FIELD_NAME_TEXT, FIELD_NAME_NO_VALUE, FIELD_NONE, roles, \
		    1, NULL, help, 1, NULL, NOT_ASKED \
	}

/* Keys shared by several words are single objects, compared as pointers. */
static const char data_s[] = "data_s", top1[] = "top1", top5[] = "top5",
		  val_top1[] = "val_top1", val_top5[] = "val_top5",
		  mfu[] = "mfu", memory_gib[] = "memory_gib";

static const struct field_name words[] = {
	/* Position in the training. */
	PLACE("epoch", FIELD_EPOCH, H | D | R | S | I | C, "epoch, as printed"),
	PLACE("iter", FIELD_ITER, H | D | R | I | C | B | A,
	    "iteration, as printed; the end b of a window (a,b]"),
	PLACE("iter_from", FIELD_ITER_FROM, H, "the start a of a window (a,b]"),
	PLACE("iters", FIELD_ITERS, H | L | C, "iterations in an epoch"),
	PLACE("span", FIELD_SPAN, H | B | A,
	    "iterations that the value is the total time of"),
	PLACE("rank", FIELD_RANK, H | P | L, "rank that printed the line"),
	PLACE("local_rank", FIELD_NONE, H | P,
	    "rank inside a node; does not distinguish ranks"),
	FIELD("worker", TEXT, NO_VALUE, FIELD_WORKER, H | P, 1, NULL,
	    "a text that stands for a rank"),

	/* Measured values. */
	VALUE("step_s", NUMBER, STEP_TIME, 1, "s",
	    "time of an iteration in seconds"),
	VALUE("step_ms", NUMBER, STEP_TIME, 1000, "s",
	    "time of an iteration in milliseconds"),
	VALUE("step_us", NUMBER, STEP_TIME, 1e6, "s",
	    "time of an iteration in microseconds"),
	VALUE("bar_time", DURATION, STEP_TIME, 1, "s",
	    "time of all iterations of a bar so far; needs a span"),
	NEXT_TO("total_time", DURATION, FIELD_TOTAL, 1, "s",
	    "next to a mean step time: time of all iterations so far; the one "
	    "with more digits counts"),
	NEXT_TO("mean_step_s", NUMBER, FIELD_MEAN, 1, "s",
	    "next to a step time: its running mean since the epoch began"),
	NEXT_TO("mean_step_ms", NUMBER, FIELD_MEAN, 1000, "s",
	    "mean_step_s in milliseconds"),
	NEXT_TO("mean_samples_per_s", NUMBER, FIELD_MEAN, 1, "samples/s",
	    "next to a rate: samples over time since the epoch began"),
	NEXT_TO("mean_tokens_per_s", NUMBER, FIELD_MEAN, 1, "tokens/s",
	    "mean_samples_per_s in tokens"),
	NEXT_TO("mean_of_rates", NUMBER, FIELD_MEAN_OF_RATES, 1, "samples/s",
	    "next to a rate: plain mean since the epoch began"),
	NEXT_TO("also_step_s", NUMBER, FIELD_ALSO_STEP, 1, "s",
	    "next to a rate: time of an iteration"),
	NEXT_TO("also_step_ms", NUMBER, FIELD_ALSO_STEP, 1000, "s",
	    "also_step_s in milliseconds"),
	NEXT_TO("also_iterations_per_s", NUMBER, FIELD_ALSO_RATE, 1,
	    "iterations/s", "next to a rate: the rate in iterations"),
	VALUE("samples_per_s", NUMBER, RATE, 1, "samples/s",
	    "rate for the format's scope"),
	VALUE("samples_per_s_per_device", NUMBER, RATE, 1, "samples/s",
	    "rate of one device; needs scope device"),
	VALUE("tokens_per_s_per_device", NUMBER, RATE, 1, "tokens/s",
	    "rate of one device in tokens; needs scope device"),
	VALUE("images_per_s", NUMBER, RATE, 1, "images/s",
	    "samples_per_s of images"),
	VALUE("sequences_per_s", NUMBER, RATE, 1, "sequences/s",
	    "samples_per_s of texts"),
	VALUE("tokens_per_s", NUMBER, RATE, 1, "tokens/s", "rate in tokens"),
	VALUE("items_per_s", NUMBER, RATE, 1, "items/s",
	    "rate in parts of samples: frames, audio samples, characters"),
	VALUE("iterations_per_s", NUMBER, RATE, 1, "iterations/s",
	    "rate in iterations"),
	VALUE("elapsed", DURATION, ELAPSED, 1, "s",
	    "time since the start, or of the whole run"),
	VALUE("elapsed_ms", NUMBER, ELAPSED, 1000, "s",
	    "elapsed, in milliseconds"),
	MOMENT("at_s", 1, "time of an event in seconds"),
	MOMENT("at_us", 1000000, "time of an event in microseconds"),
	MOMENT("at_ms", 1000, "time of an event in milliseconds"),
	FIELD("samples_done", NUMBER, NO_VALUE, FIELD_DONE, B | A | F | H, 1,
	    NULL, "samples that were done so far"),
	FIELD("tokens_done", COUNT, NO_VALUE, FIELD_DONE, F | H, 1, NULL,
	    "tokens that were done so far"),
	FIELD("steps_done", NUMBER, NO_VALUE, FIELD_STEPS_DONE, B | A, 1, NULL,
	    "training steps that were done before an event"),
	FIELD("stamp", TEXT, STAMP, FIELD_STAMP, H | S | C, 1, "s",
	    "a time stamp of any form"),
	TIME("date", FIELD_DATE, "the day of a time stamp"),
	TIME("clock", FIELD_CLOCK, "the time of day of a time stamp"),

	VALUE("gb_per_s", NUMBER, RATE, 1, "GB/s", "bandwidth in 1e9 bytes"),
	VALUE("mb_per_s", NUMBER, RATE, 1000, "GB/s", "bandwidth in 1e6 bytes"),
	VALUE("gbit_per_s", NUMBER, RATE, 8, "GB/s", "bandwidth in 1e9 bits"),

	/* Benchmarks of collectives. */
	FIELD("collective", TEXT, NO_VALUE, FIELD_COLLECTIVE, C | K, 1, NULL,
	    "all_reduce_perf, ..."),
	OPERATION("message_bytes", FIELD_BYTES, 1, "B", "size of a message"),
	OPERATION("message_mib", FIELD_BYTES, 1.0 / (1 << 20), "B",
	    "size of a message in units of 1024 * 1024 bytes"),
	OPERATION("messages", FIELD_COUNT, 1, NULL,
	    "how many operations the line is the mean of"),
	OPERATION("message_us", FIELD_TIME, 1e6, "s",
	    "time of an operation in microseconds"),
	OPERATION("message_ms", FIELD_TIME, 1e3, "s",
	    "time of an operation in milliseconds"),
	OPERATION(
	    "message_s", FIELD_TIME, 1, "s", "time of an operation in seconds"),
	OPERATION("algorithm_gb_per_s", FIELD_ALGORITHM, 1, "GB/s",
	    "bytes over time, in 1e9 bytes"),
	OPERATION("algorithm_mb_per_s", FIELD_ALGORITHM, 1000, "GB/s",
	    "bytes over time, in 1e6 bytes"),
	OPERATION("algorithm_mib_per_s", FIELD_ALGORITHM, 1e9 / (1 << 20),
	    "GB/s", "bytes over time, in units of 1024 * 1024 bytes"),
	OPERATION("algorithm_gbit_per_s", FIELD_ALGORITHM, 8, "GB/s",
	    "bytes over time, in 1e9 bits"),
	OPERATION("bus_gb_per_s", FIELD_BUS, 1, "GB/s",
	    "what a link carries, in 1e9 bytes"),
	OPERATION("bus_mibit_per_s", FIELD_BUS, 8e9 / (1 << 20), "GB/s",
	    "what a link carries, in units of 1024 * 1024 bits"),
	OPERATION("bucket", FIELD_BUCKET, 1, NULL,
	    "which of a step's operations it is, from 0 or 1"),
	OPERATION("ready_us", FIELD_READY, 1e6, "s",
	    "when the bucket's last gradient was there, since the step began"),
	OPERATION("start_us", FIELD_START, 1e6, "s",
	    "when the operation began, since the step began"),

	/* Other values of a step. */
	DETAIL("loss", 1, NULL, LAST, "training loss of the step"),
	DETAIL(
	    top1, 1, "%", LAST, "training accuracy of the step, in per cent"),
	DETAIL_AS(top1, "top1_share", 0.01, "%", LAST,
	    "top1 as a fraction of 1, as most programs print it"),
	DETAIL(top5, 1, "%", NOT_ASKED, "training top-5 accuracy of the step"),
	DETAIL_AS(top5, "top5_share", 0.01, "%", NOT_ASKED,
	    "top5 as a fraction of 1"),
	DETAIL("lr", 1, NULL, NOT_ASKED, "learning rate"),
	DETAIL("grad_norm", 1, NULL, NOT_ASKED, "norm of the gradient"),
	DETAIL("step_avg_s", 1, "s", NOT_ASKED,
	    "the program's own average step time"),
	DETAIL(data_s, 1, "s", ALL, "waiting for data"),
	DETAIL_AS(data_s, "data_ms", 1000, "s", ALL,
	    "waiting for data, in milliseconds"),
	DETAIL("forward_s", 1, "s", NOT_ASKED, "forward pass"),
	DETAIL("backward_s", 1, "s", NOT_ASKED, "backward pass"),
	DETAIL("update_s", 1, "s", NOT_ASKED, "optimiser step"),
	DETAIL("compute_samples_per_s", 1, "samples/s", NOT_ASKED,
	    "rate without waiting for data"),
	DETAIL("tflops_per_device", 1, "TFLOP/s", ALL,
	    "operations of the model a second on each device"),
	DETAIL(mfu, 1, "%", ALL, "model FLOP utilisation"),
	DETAIL_AS(mfu, "mfu_share", 0.01, "%", ALL, "mfu as a fraction of 1"),
	DETAIL("hfu", 1, "%", ALL,
	    "hardware FLOP utilisation: recomputed work too"),
	DETAIL(memory_gib, 1, "GiB", ALL,
	    "memory of a device at its peak, in GiB"),
	DETAIL_AS(
	    memory_gib, "memory_mib", 1024, "GiB", ALL, "memory_gib in MiB"),
	DETAIL_AS(memory_gib, "memory_gb", 1.073741824, "GiB", ALL,
	    "memory_gib in 1e9 bytes"),
	DETAIL("power_w", 1, "W", ALL, "power that a device draws"),
	DETAIL("val_loss", 1, NULL, LAST, "validation loss"),
	DETAIL(val_top1, 1, "%", LAST, "validation accuracy"),
	DETAIL_AS(val_top1, "val_top1_share", 0.01, "%", LAST,
	    "val_top1 as a fraction of 1"),
	DETAIL(val_top5, 1, "%", NOT_ASKED, "validation top-5 accuracy"),
	DETAIL_AS(val_top5, "val_top5_share", 0.01, "%", NOT_ASKED,
	    "val_top5 as a fraction of 1"),

	/* Configuration, from the log or its path. */
	LOWERCASE("framework", F | L, "pytorch, tensorflow, ..."),
	METADATA("framework_version", TEXT, F, "the framework's version"),
	METADATA("model", TEXT, F | L, "the network"),
	LOWERCASE("precision", F | L, "fp32, tf32, fp16, bf16, amp"),
	WORK("batch_size", "samples in a global batch"),
	WORK("tokens_per_step", "tokens in a global batch"),
	METADATA("sequence_length", COUNT, F | L, "tokens in a sample"),
	METADATA("micro_batch_size", COUNT, F | L,
	    "samples of one model replica at once"),
	METADATA("accumulation", COUNT, F | L,
	    "micro batches that a replica adds up in an iteration"),
	METADATA("data_parallel", COUNT, F | L,
	    "model replicas; the devices where it is unknown"),
	METADATA("batch_size_per_device", COUNT, F | L,
	    "samples of one device in an iteration"),
	METADATA("epoch_samples", COUNT, F,
	    "samples of an epoch, in formats whose iterations are epochs"),
	METADATA("epoch_unit", TEXT, F,
	    "what epoch_samples counts instead: tokens, batches"),
	METADATA("status", TEXT, F | E, "how the run ended: success, ..."),
	METADATA("score_factor", NUMBER, F,
	    "factor of times to train in the score of MLPerf"),
	METADATA("started", TEXT, F, "when the run began: a date and a time"),
	METADATA("host", TEXT, F, "machine of the first process"),
	METADATA("job", TEXT, F, "id of the scheduler's job"),
	METADATA("tuning_from", COUNT, F,
	    "step from which on the program tries settings"),
	METADATA("tuning_until", COUNT, F,
	    "step after which the program keeps what it found"),
	METADATA("job_samples_per_s", NUMBER, F,
	    "rate of the whole job by its own account; the last counts"),
	METADATA("resumed_at", COUNT, F,
	    "step after which the program goes on with what another saved"),
	METADATA("total_steps", COUNT, F,
	    "iterations of the whole training, those before a resume too"),
	METADATA("nodes", COUNT, F | L, "machines"),
	METADATA("gpus_per_node", COUNT, F | L, "devices in a machine"),
	METADATA("gpus", COUNT, F | L, "devices in all"),
	METADATA("world_size", COUNT, F, "processes in all"),
	METADATA("tasks", COUNT, F,
	    "tasks of a job; the devices where nothing states these"),
	METADATA("model_parallel", COUNT, F,
	    "devices that share a replica of the model"),
	METADATA("device", TEXT, F, "name of the device"),
	METADATA("parameters", COUNT, F, "weights of the network"),
	METADATA("layers", COUNT, F, "layers of a language model"),
	METADATA(
	    "hidden_size", COUNT, F, "width of its attention, for its FLOP"),
	METADATA("image_size", COUNT, F, "pixels of a side of an image"),
	METADATA("epochs", COUNT, F | L, "epochs that were asked for"),
	METADATA("phase_step_ms", NUMBER, F,
	    "mean step of an epoch, as the program splits it into phases"),
	METADATA(
	    "phase_data_ms", NUMBER, F, "of a mean step: waiting for data"),
	METADATA("phase_busy_ms", NUMBER, F,
	    "of a mean step: gradients were on their way"),
	METADATA("phase_exposed_ms", NUMBER, F,
	    "of a mean step: gradients were on their way and nothing else "
	    "was done"),
	METADATA("phase_bytes", NUMBER, F,
	    "gradients that a device sends in a step"),
	METADATA(
	    "phase_allreduces", NUMBER, F, "gradient allreduces of a step"),
	METADATA("phase_to_device_ms", NUMBER, F,
	    "of a mean step: its batch goes to the device"),
	METADATA("phase_forward_ms", NUMBER, F, "of a mean step: forward pass"),
	METADATA("phase_loss_ms", NUMBER, F, "of a mean step: loss"),
	METADATA(
	    "phase_backward_ms", NUMBER, F, "of a mean step: backward pass"),
	METADATA("phase_update_ms", NUMBER, F,
	    "of a mean step: gradients are added up and applied"),
	METADATA("device_to_device_ms", NUMBER, F,
	    "phase_to_device_ms by the device's own clock, which takes "
	    "precedence"),
	METADATA("device_forward_ms", NUMBER, F,
	    "forward pass by the device's own clock"),
	METADATA("device_loss_ms", NUMBER, F, "loss by the device's own clock"),
	METADATA("device_backward_ms", NUMBER, F,
	    "backward pass by the device's own clock"),
	METADATA(
	    "device_update_ms", NUMBER, F, "update by the device's own clock"),
	METADATA("received_mbit_per_s", NUMBER, F,
	    "what a process's machine received over the network, 1e6 bits"),
	METADATA("sent_mbit_per_s", NUMBER, F,
	    "what a process's machine sent over the network, 1e6 bits"),
	METADATA(
	    "real_time", DURATION, F, "wall-clock time of the whole program"),
	METADATA("user_time", DURATION, F,
	    "CPU time of all its processes outside of the kernel"),
	METADATA("sys_time", DURATION, F,
	    "CPU time of all its processes in the kernel"),
	METADATA("run", TEXT, L, "number or name of the run"),
};

const struct field_name field_label = { "label_NAME", FIELD_NAME_TEXT,
	FIELD_NAME_NO_VALUE, FIELD_LABEL, L | F, 1, NULL,
	"a label of your own: NAME is what it is called", 0, NULL, NOT_ASKED };

/* Roles in order, then older spellings, which are read but not documented. */
static const char *const role_words[] = { "step", "detail", "result",
	"metadata", "summary", "ignore", "section", "signature", "context",
	"begin", "end", "interval", "collective", "prefix", "layout", "hot",
	"lap", "sign", "fact" };
static const enum role older_roles[] = { ROLE_STEP, ROLE_INTERVAL,
	ROLE_SIGNATURE, ROLE_METADATA };

const char *
role_name(enum role role)
{
	return role < N_ROLES ? role_words[role] : "?";
}

enum role
role_find(const char *name, size_t len)
{
	for (int i = 0; i < (int)(sizeof role_words / sizeof *role_words); i++)
		if (strncmp(role_words[i], name, len) == 0 &&
		    role_words[i][len] == '\0')
			return i < N_ROLES ? (enum role)i
					   : older_roles[i - N_ROLES];
	return N_ROLES;
}

const struct field_name *
field_name_at(size_t i)
{
	return i < sizeof words / sizeof words[0] ? &words[i] : NULL;
}

const struct field_name *
field_name_find(const char *name, size_t len)
{
	const struct field_name *w;

	if (len == 0)
		return NULL;
	for (size_t i = 0; (w = field_name_at(i)) != NULL; i++)
		if (w->name[0] == name[0] && strncmp(w->name, name, len) == 0 &&
		    w->name[len] == '\0')
			return w;
	return NULL;
}

void
text_lowercase(char *s)
{
	for (; *s != '\0'; s++) {
		if (*s >= 'A' && *s <= 'Z')
			*s = (char)(*s - 'A' + 'a');
	}
}
