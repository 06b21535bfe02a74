/* Options of train_imagenet. Names and meanings are those of PyTorch's ImageNet
 * example (main.py) if it has the option.
 */
#ifndef TRAINER_RUN_OPTIONS_OPTIONS_TABLE_H
#define TRAINER_RUN_OPTIONS_OPTIONS_TABLE_H

#include "common/alloc.h"
#include "common/error.h"
#include "common/program/options.h"

/* Numbers are in range, and names are among the choices. */
struct train_options {
	const char *arch, *device, *precision, *backend;
	const char *gpus; /* a list; NULL: one per process */
	long max_pixels;  /* of an image file */
	long image;       /* pixels of a side; 0: the model's own */
	long classes;     /* 0: number of class folders */
	long batch;       /* images per step and device */
	long total_batch; /* of all devices; 0: use batch */
	long epochs, start_epoch;
	long batches;     /* per epoch; 0: all images */
	long val_batches; /* per device; -1: all images, 0: no validation */
	double lr;        /* < 0: the model's own */
	long lr_step;     /* epochs between reductions of lr */
	double momentum, weight_decay;
	long seed;
	int seeded;         /* 1: seed was given */
	const char *folder; /* images; NULL with dummy */
	int dummy, evaluate;
	/* See example_options_settle(). */
	int multiprocessing, pretrained;
	long world_size, rank;           /* -1: not given */
	const char *dist_url;            /* NULL */
	double comm_timeout_s;           /* 0: none */
	const char *resume, *checkpoint; /* files; NULL */
	long checkpoint_every;           /* steps; 0: epochs */
	long workers;                    /* threads that read images */
	long threads; /* threads of a device; 0: the process's share */
	const char *engine_cache; /* file; NULL: default, "": none */
	int engine_guess;         /* 1: no cache, use cuDNN's first proposals */
	int no_step_graph;
	double first_bucket_mib, bucket_mib; /* fusion ddp */
	const char *fusion; /* a policy of trainer/graph/fusion_plan.h */
	double threshold_mib, cycle_ms; /* fusion horovod */
	long cache_capacity;            /* tensors; fusion horovod */
	const char *compression;        /* "none", "fp16", "bf16", "auto" */
	int hierarchical;
	const char *autotune;     /* "horovod", "model"; NULL */
	const char *autotune_log; /* file; NULL */
	/* autotune horovod: warm-up scores, steps per score, samples. */
	long autotune_warmup, autotune_steps, autotune_samples;
	double autotune_noise;
	long print_freq;       /* steps */
	const char *log_ranks; /* "all" or "0" */
	const char *phases;    /* NULL, "" or "sync" */
	const char *clock;     /* "real" or "fake" */
	double peak_tflops;    /* of one device; 0: unknown */
	long profile;          /* steps, or repetitions of each call; 0: none */
	int verbose;
	const char *plan;          /* GPU whose roofline to print; NULL */
	long comm_trace;           /* interval in steps; 0: none */
	const char *timeline;      /* file; NULL */
	const char *timeline_form; /* one of timeline_forms */
};

/* The program and its options for options_parse(), which fills
 * train_options(). */
const struct program *train_program(void);

/* The options of this run; the only copy.
 *
 * operands  after the options, NULL terminated
 *
 * Returns NULL with ERROR_USAGE if a check that the table cannot express
 * fails. */
const struct train_options *train_options(char **operands, struct error *e);

/* With --total-batch, compute each device's batch size from the number of
 * processes. Call it once, before training.
 *
 * ERROR_USAGE: they cannot share the batch evenly. */
int train_options_share(int n_ranks, struct error *e);

/* --- Checks that rows of the table cannot express ------------------------- */

/* True if the user set an option of fusion, or its variable.
 *
 * option  "fusion-threshold", "cycle-time", "cache-capacity", "hierarchical",
 *         or "hierarchical-allgather", which only a variable sets */
int fusion_options_is_fixed(const char *option);

/* Add the names of the variables HOROVOD_* that are set and not used with this
 * policy to sb, separated by commas. */
void fusion_options_unused(const char *policy, struct strbuf *sb);

/* Check that --checkpoint, --resume, --timeline, --autotune-log,
 * --engine-cache, standard output and standard error are different files, and
 * that none is written below DIR/train or DIR/val. Only --checkpoint and
 * --resume may be the same file.
 *
 * ERROR_USAGE names the file and both options. */
int file_roles_check(const struct train_options *o, struct error *e);

enum { GPU_CHOICE_MAX = 64 }; /* maximum on a machine */

/* Parse a list of GPU numbers, "0,2".
 *
 * list  [GPU_CHOICE_MAX] set on success
 *
 * Returns their number, or -1 with ERROR_USAGE for a malformed list. */
int gpu_choice_parse(const char *text, int *list, struct error *e);

/* Choose the GPU of a process.
 *
 * text         of --gpus, or NULL
 * rank, size   among the processes on this machine
 * each_own     0: processes may share a GPU; 1: they may not, for the reason
 *              `owner`, which the message names
 * gpu          set on success
 *
 * ERROR_USAGE, the same on all processes of the machine: a malformed list, a
 * list whose length is not size, or a GPU twice. */
int gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e);

/* --- Options of PyTorch's example ----------------------------------------- */

/* The example (main.py) starts the processes of a run itself; here a launcher
 * does. A copied command line works, or is rejected with the line to use
 * instead. */

/* Set the variables WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT from
 * --world-size, --rank and --dist-url. Call it before the back end is opened.
 *
 * argv  original command line, ends with NULL
 *
 * ERROR_USAGE: --pretrained; --multiprocessing-distributed without a launcher
 * or with -b; an invalid --dist-url or rank. */
int example_options_settle(
    const struct train_options *o, char *const *argv, struct error *e);

/* Add the shell line to use instead of argv to sb: "mpirun -n N train_imagenet
 * ...", with --total-batch instead of -b, which in the example counts all
 * images of a node, and with --device=cuda if there are GPUs, which the example
 * uses by default.
 *
 * argv     ends with NULL
 * nodes    --world-size, or 1
 * devices  GPUs of a node; 0: none, or not known */
void example_options_line(
    char *const *argv, long nodes, long devices, struct strbuf *sb);

#endif
