/* What is measured in a run: meters and their lines, phases of steps, network
 * traffic, and means over the steps. */
#ifndef TRAINER_RUN_METERS_METER_H
#define TRAINER_RUN_METERS_METER_H

#include <stddef.h>

#include "common/alloc.h"
#include "trainer/sync/collective_trace.h"
#include "common/error.h"

/* --- Lines of PyTorch's example ------------------------------------------- */

/* Average meters and the lines made of them, byte for byte as PyTorch's
 * ImageNet example prints them: the last value, and in parentheses the mean
 * over the epoch weighted by images.
 *
 *	Epoch: [0][  1/130]\tTime  0.544 ( 0.544)\tData ...
 *	Test: [1/2]\tTime  0.145 ( 0.151)\tLoss 6.7645e+00 (6.7578e+00)\t...
 *	 *   Acc@1 0.000 Acc@5 18.750
 */
struct meter {
	double val;   /* last value */
	double sum;   /* sum of values times weights */
	double count; /* sum of weights */
};

/* Values shown in the lines; all zero at the start of an epoch. */
struct meters {
	struct meter time; /* seconds of a step, weight 1 */
	struct meter data; /* seconds of waiting for images, weight 1 */
	struct meter loss; /* mean cross entropy, weight: images */
	struct meter top1; /* per cent, weight: images */
	struct meter top5;
};

/* Add a value.
 *
 * n  its weight, > 0 */
void meter_update(struct meter *m, double val, double n);

/* The weighted mean; 0 before the first value. */
double meter_mean(const struct meter *m);

/* Add a training line, with its end, to sb.
 *
 * batch  from 1
 * n      batches of the epoch */
void meters_train_line(
    const struct meters *m, int epoch, long batch, long n, struct strbuf *sb);

/* Add a validation line; batch from 1. */
void meters_test_line(
    const struct meters *m, long batch, long n, struct strbuf *sb);

/* Add the line that ends a validation; both in per cent. */
void meters_accuracy_line(double top1, double top5, struct strbuf *sb);

/* --- Phases --------------------------------------------------------------- */

struct clock {
	int fake;
	long looks; /* readings of the fake clock */
};

/* Set up a clock: the machine's monotonic one or, if fake is 1, one that
 * advances by a millisecond at each reading (--clock=fake), so that equal runs
 * print equal logs. */
void clock_init(struct clock *c, int fake);

/* Seconds since an unspecified start; never decreases. Only one thread may use
 * the fake clock. */
double clock_now(struct clock *c);

enum phase {
	PHASE_DATA,      /* waiting for images */
	PHASE_TO_DEVICE, /* loading them to the device */
	PHASE_FORWARD,
	PHASE_LOSS, /* including the wait for its value */
	PHASE_BACKWARD,
	PHASE_ALLREDUCE, /* waiting for gradient allreduces */
	PHASE_STEP,      /* optimiser */
	PHASE_OTHER,     /* log and loop overhead */
	N_PHASES
};

struct phases {
	struct clock *clock; /* borrowed */
	double last;         /* when the last phase ended */
	double seconds[N_PHASES];
};

/* Set all to zero and begin a phase now. */
void phases_start(struct phases *p, struct clock *clock);

/* End phase k now. Returns its seconds. */
double phases_end(struct phases *p, enum phase k);

/* Seconds of all phases: from phases_start to the last phases_end. */
double phases_total(const struct phases *p);

/* Add " step_ms=9.876 data_ms=1.234 ..." to sb, means over n steps: the step,
 * the phases that add up to it (update is the sum of allreduce and step), and
 * last these two parts of update. */
void phases_show(const struct phases *p, long n, struct strbuf *sb);

/* --- Network traffic ------------------------------------------------------ */

/* Bytes that the machine's network interfaces received and sent, from the
 * kernel's counters, which include all traffic of the machine. Interfaces that
 * belong to a bridge or bond are excluded: their traffic is counted in the
 * bridge. */
enum { NET_COUNTERS_NAMES_SIZE = 256, NET_COUNTERS_NAME_MAX = 32 };

struct net_counters {
	double received, sent;               /* bytes, all but loopback */
	double loopback;                     /* bytes, each counted once */
	char names[NET_COUNTERS_NAMES_SIZE]; /* interfaces counted, "eth0,eth1";
					  truncated at a comma if too long */
};

/* Read /proc/net/dev; all is zero if it does not exist. */
void net_counters_read(struct net_counters *t);

/* The same for a text in the format of /proc/net/dev.
 *
 * is_part  tests whether an interface belongs to another one;
 *          NULL: none does */
void net_counters_parse(
    const char *text, int (*is_part)(const char *name), struct net_counters *t);

/* Add the difference of two readings to sum, which is all zero at first; its
 * names become those of the last reading. */
void net_counters_add(struct net_counters *sum, const struct net_counters *from,
    const struct net_counters *to);

/* Add " receive_mbit_per_s=... send_mbit_per_s=... loopback_mbit_per_s=..."
 * (10^6 bit/s) and " interfaces=eth0" ("none" without any) to sb.
 *
 * seconds  between the readings; 0: rates are 0 */
void net_counters_show(const struct net_counters *from,
    const struct net_counters *to, double seconds, struct strbuf *sb);

/* --- Means ---------------------------------------------------------------- */

/* Mean times of a step and of each of its buckets, from which other runs are
 * predicted. The first RUN_MEANS_SKIP steps are warm-up and count only in short
 * runs. */
enum { RUN_MEANS_SKIP = 5 }; /* steps; also in the summary */

/* One step, or the sum of many, on this rank. */
struct step_times {
	double step_s;    /* all of it */
	double data_s;    /* waiting for images */
	double busy_s;    /* sum of allreduce times */
	double exposed_s; /* waiting for allreduces */
	double bytes;     /* allreduced */
	double n;         /* allreduces */
};

/* Sums of one bucket over the steps; times are relative to the start of the
 * step. */
struct bucket_times {
	long steps; /* steps with this bucket */
	double bytes, tensors, ready_s, start_s, duration_s;
};

struct run_means_part {
	long steps;
	struct step_times sum;
	struct bucket_times *buckets; /* indexed by number in the step */
	size_t n_buckets, alloc;
};

/* All zero at first. */
struct run_means {
	struct run_means_part all, late; /* late: after RUN_MEANS_SKIP steps */
};

/* Add a finished step.
 *
 * trace  its collectives; NULL: none */
void run_means_add(struct run_means *m, const struct step_times *step,
    const struct trace *trace);

/* Number of steps excluded from the means: RUN_MEANS_SKIP if there are more
 * than twice as many steps, else 0. */
long run_means_skipped(const struct run_means *m);

/* Fraction of the time of the counted steps in which this rank waited for
 * images; 0 without steps. */
double run_means_wait_share(const struct run_means *m);

/* Add "dlscale: run_phases ..." and a line "dlscale: run_bucket ..." for each
 * bucket to sb (doc/trainer.md). */
void run_means_show(const struct run_means *m, struct strbuf *sb);

/* Free the members and set all to zero. */
void run_means_release(struct run_means *m);

/* --- Log ------------------------------------------------------------------ */

/* The log of a run: each line is written by one write(2), so that the lines of
 * several processes in one file are never mixed.
 *
 *	struct logger l;
 *	logger_init(&l, STDOUT_FILENO);
 *	logger_printf(&l, &e, "=> creating model '%s'\n", name);
 *	logger_release(&l);
 */

enum { LOGGER_LINE_MAX = 1 << 20 };

struct logger {
	int fd;             /* -1: lines are dropped */
	struct strbuf line; /* line under construction, see logger_flush() */
};

/* Set up a logger on a file descriptor (borrowed); -1: drop all lines. */
void logger_init(struct logger *l, int fd);

/* Free the buffer. */
void logger_release(struct logger *l);

/* Write l->line, which ends with \n, and empty it. Returns 0, or -1 with
 * ERROR_SYSTEM (disk full, pipe closed). */
int logger_flush(struct logger *l, struct error *e);

/* End l->line with \n and flush it. */
int logger_end(struct logger *l, struct error *e);

/* Add formatted text to the line and flush it. */
int logger_printf(struct logger *l, struct error *e, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
