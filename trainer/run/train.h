/* State of a training run in one process. Equal on all ranks except for the
 * rank's own images.
 *
 *	struct train t;
 *	if (train_open(&t, options, comm, &e) == 0)
 *		train_run(&t, &e);
 *	train_close(&t);
 *
 * If t.agreed is set, all ranks return the same error and can exit. Otherwise
 * this rank must report the error and end all ranks with comm_abort().
 */
#ifndef TRAINER_RUN_TRAIN_H
#define TRAINER_RUN_TRAIN_H

#include "common/error.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/run/checkpoint.h"
#include "trainer/comm/comm.h"
#include "trainer/data/dataset.h"
#include "trainer/run/meters/meter.h"
#include "trainer/device/device.h"
#include "trainer/run/options/options_table.h"
#include "trainer/sync/gradient_reducer.h"
#include "trainer/sync/collective_trace.h"
#include "trainer/base/host_state.h"

struct autotune;
struct machine_memory;
struct plan_cost;

enum { TRAIN_CODECS = 4 };

struct train {
	const struct train_options *o; /* borrowed */
	struct comm *comm;             /* borrowed */
	const struct model *model;
	double lr; /* initial learning rate */

	struct network network;       /* open if network.device is not NULL */
	struct fusion_plan plan;      /* of gradient allreduces */
	struct fusion_plan each;      /* a bucket for each gradient */
	struct gradient_codec *codec; /* current one of codecs */
	struct gradient_codec *codecs[TRAIN_CODECS];
	int n_codecs;
	const char **tensors; /* names in backward order; fusion horovod */
	double alpha_s, beta_s_per_byte; /* allreduce cost; fusion mgwfbp */
	struct autotune *autotune;       /* NULL without --autotune */
	struct machine_memory *memory;   /* shared on this machine, or NULL */
	struct reducer_config reduction; /* of the reducer */
	struct reducer *reducer;
	struct trace *trace;              /* of the reducer */
	struct timeline_writer *timeline; /* rank 0 with --timeline; or NULL */
	struct host_staging
	    *staging; /* for a device with its own memory, or NULL */

	int classes; /* number of outputs of the network */
	/* Indexed by enum image_source_part. */
	struct dataset *datasets[2];      /* NULL with --dummy */
	struct image_source synthetic[2]; /* with --dummy */
	struct image_source *images[2];   /* of datasets */
	struct loader *loaders[2];
	long n_images[2];
	long n_batches[2]; /* per epoch, on each rank */

	struct clock clock;
	struct logger log;  /* lines of PyTorch's example; see --log-ranks */
	struct logger tags; /* "dlscale:" lines, rank 0 */
	struct logger warn; /* unusable images, on stderr */

	struct checkpoint self;  /* settings and initial state */
	struct checkpoint begin; /* self, or that of --resume */
	double *begin_meters;    /* [begin.devices][CHECKPOINT_METERS]; NULL:
	                            all zero */
	double best_top1;        /* per cent; -1: no validation yet */

	long step;                   /* steps done, including those before a
				   resume */
	double *step_s;              /* [step - begin.step] seconds of each */
	size_t step_alloc;           /* allocated members of step_s */
	struct run_means means;      /* of the steps, on this rank */
	struct net_counters traffic; /* sums over the epochs */
	double traffic_s;            /* duration of the epochs */
	struct process_times times;  /* user and sys summed over all ranks */
	double wait_share; /* share of the counted steps' time spent waiting for
			      images; maximum over ranks */
	long unusable;     /* images that any rank excluded, each once */
	int stopped;       /* the signal that ends the run, or 0 */
	int agreed;
};

/* Set up a run: compare the options of all ranks, build the network, broadcast
 * rank 0's weights, and print the first lines.
 *
 * Errors: those of the device, the network, the threads and the log;
 * ERROR_INPUT if the ranks were started differently. Close t in any case. */
int train_open(struct train *t, const struct train_options *o,
    struct comm *comm, struct error *e);

/* Train and validate, or only validate, and print all lines.
 *
 * ERROR_INPUT: a loss or a weight is not finite; ERROR_SYSTEM: a signal ended
 * the run, after its state was saved if possible. */
int train_run(struct train *t, struct error *e);

/* Free all. */
void train_close(struct train *t);

/* Call comm_agree(), and set t->agreed if it succeeded. */
int train_agree(struct train *t, struct error *e);

/* Open the buffers through which gradients in a device's own memory reach the
 * other ranks, divided as t->plan; does nothing for a device on the host. Call
 * it after t->reduction is set and before the reducer is configured. */
int train_open_staging(struct train *t, struct error *e);

/* Broadcast rank 0's weights, so that ranks start equal even with different
 * libraries or CPUs; then check that their order in memory is equal, because
 * gradients are summed in place. */
int train_share_weights(struct train *t, struct error *e);

/* Broadcast rank 0's tensors of a kind (parameters, momenta or buffers). */
int train_share(struct train *t, enum tensor_kind kind, struct error *e);

/* Make the plan of allreduces (train_fusion.c). The network must be open. */
void train_plan_fusion(struct train *t);

/* Check that all ranks have the same plan, and open the codec. Collective. */
int train_open_fusion(struct train *t, struct error *e);

/* With fusion mgwfbp, make a new plan after two steps, which show when
 * gradients are ready; equal on all ranks. Collective; call it after each
 * step. */
int train_renew_fusion(struct train *t, struct error *e);

/* Measure the cost of an allreduce through a codec while nothing else runs,
 * with a short and a long one, on the slowest rank. Collective.
 *
 * took  out: its time
 * cpu   out: CPU time of all threads of a process, no more than took; equal to
 *       it if MPI waits in a busy loop */
int train_probe(struct train *t, struct gradient_codec *c,
    struct plan_cost *took, struct plan_cost *cpu, struct error *e);

/* Add "dlscale: fusion policy=...", without its end, to sb. */
void train_describe_fusion(const struct train *t, struct strbuf *sb);

/* Run one epoch of training, or the remainder of it (epoch.c). After a signal
 * it ends with a checkpoint and sets t->stopped. */
int train_epoch(struct train *t, int epoch, struct error *e);

/* Run one validation (epoch.c). A signal ends it and sets t->stopped. */
int train_validate(struct train *t, struct error *e);

/* Signals that ask a run to end: a handler records them, and the training loop
 * checks for them between steps.
 *
 *	signals_catch();
 *	...
 *	if (signals_caught() != 0)
 *		... save and leave ...
 */

/* Catch SIGTERM, SIGINT and SIGUSR1 (sent by batch systems before the time
 * limit), except ignored ones. A second SIGINT, more than a second after the
 * first, ends the process at once. */
void signals_catch(void);

/* The first signal that was caught, or 0. */
int signals_caught(void);

/* Name of a signal: "SIGTERM"; "a signal" if signals_catch() does not catch
 * it. */
const char *signals_name(int number);

/* On all ranks: save the state. Only rank 0 reads and writes the file: all
 * ranks have the same weights and momenta, the running statistics are those of
 * rank 0, and the meters are gathered from all.
 *
 * batch  of epoch, from 0; the number of batches of an epoch: after its last
 *        step
 * m      of this rank, for the epoch so far
 *
 * All return the same, as train_agree() does. */
int resume_save(struct train *t, int epoch, long batch, const struct meters *m,
    struct error *e);

/* Return the error that ends a run after a signal; call it after saving the
 * state. */
int resume_stop(struct train *t, int epoch, long batch, struct error *e);

/* --autotune: search for the fastest way to allreduce gradients during
 * training. horovod is Horovod's own search (trainer/tune/horovod_tuner.h),
 * model searches for a plan by measured costs (trainer/tune/plan_model.h) and
 * tries it for a few steps. Without --autotune, or with one process, these
 * functions do nothing.
 *
 *	dlscale: autotune policy=horovod samples=168 steps=8550
 *	dlscale: autotune_score step=200 sample=1 ... score=424.129
 *	dlscale: autotune_done step=8550 ... score=558.825
 *
 *	dlscale: autotune policy=model routes=2
 *	dlscale: autotune_route name=flat alpha_us=31.0 gb_per_s=1.2 ...
 *	dlscale: autotune_try plan=mgwfbp route=flat ... steps=3 step_ms=...
 *	dlscale: autotune_done step=10 plan=... noise_ms=...
 */

/* Set up t->autotune, after train_open_fusion(). Collective.
 *
 * ERROR_USAGE: the back end reduces in streams of devices; ERROR_SYSTEM: the
 * log cannot be written. */
int autotune_open(struct train *t, struct error *e);

/* Print the first line; warn if the run is too short to finish. */
void autotune_announce(struct train *t);

/* Call it after each step. Collective.
 *
 * Errors: those of communication, without agreement; ERROR_SYSTEM: the log
 * cannot be written. */
int autotune_step(struct train *t, struct error *e);

/* Free it; a may be NULL. */
void autotune_close(struct autotune *a);

/* --- Log lines ------------------------------------------------------------ */

/* Log lines beyond those of PyTorch's example. Each is "dlscale: KIND" and
 * key=value pairs without blanks, and contains none of the words that parsers
 * of the example's logs look for. They go to t->tags, except the weights, which
 * every rank prints. Functions return 0, or -1 with the error of
 * logger_flush(). */

/* Add the configuration to a line; equal on all ranks. */
void run_report_config(const struct train *t, struct strbuf *sb);

/* Print the device's plan (--verbose), each line after "dlscale: plan". */
int run_report_plan(struct train *t, struct error *e);

/* Print what follows the last epoch:
 *
 *	dlscale: summary images_per_s=...
 *	dlscale: input bottleneck=device ...
 *	dlscale: run_phases steps=120 ...
 *	dlscale: run_bucket bucket=0 ...
 *	dlscale: run_network receive_mbit_per_s=...
 *	dlscale: run_times real_s=...
 *	dlscale: collectives_by_size size=...
 *	dlscale: weights rank=0 xxh3=...
 *
 * and the times of the device's calls (--profile), after which the network must
 * not be used. The first RUN_MEANS_SKIP steps are excluded if there are more
 * than twice as many. With the fake clock, whose output is reproducible, prints
 * only summary and weights.
 *
 * ERROR_USAGE: the device cannot time its calls. */
int run_report_end(struct train *t, struct error *e);

/* Compute the checksum of all parameters, XXH3 over their bytes in PyTorch's
 * order as fp32 (fp64 if the device computes in fp64), and their Euclidean
 * norm. */
int train_checksum(
    struct train *t, uint64_t *sum, double *norm, struct error *e);

#endif
