/* Options of train_imagenet. Names and meanings are those of PyTorch's ImageNet
 * example (main.py) if it has the option.
 */
#ifndef TRAINER_RUN_OPTIONS_OPTIONS_TABLE_H
#define TRAINER_RUN_OPTIONS_OPTIONS_TABLE_H

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
	/* Options of PyTorch's example; see example_options.h. */
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
	const char *engine_trial; /* file; NULL: train */
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

#endif
