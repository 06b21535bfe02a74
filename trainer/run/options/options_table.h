/* What the user can ask train_imagenet for: names and meanings are those of
 * PyTorch's ImageNet example (main.py) where it has them.
 */
#ifndef TRAINER_RUN_OPTIONS_OPTIONS_TABLE_H
#define TRAINER_RUN_OPTIONS_OPTIONS_TABLE_H

#include "common/program/options.h"

/* Numbers are in range; a name is one of its choices. */
struct train_options {
	const char *arch, *device, *precision, *backend;
	const char *gpus; /* a list; NULL: each process takes its own */
	long max_pixels;  /* of an image file */
	long image;       /* pixels of a side; 0: the model's own */
	long classes;     /* 0: as many as the images have */
	long batch;       /* images of a step on each device */
	long total_batch; /* of all devices; 0: batch counts */
	long epochs, start_epoch;
	long batches;     /* of an epoch; 0: as many as the images make */
	long val_batches; /* on each device; -1: all images, 0: no validation */
	double lr;        /* < 0: the model's own */
	long lr_step;     /* epochs after which it falls */
	double momentum, weight_decay;
	long seed;
	int seeded;         /* it was given */
	const char *folder; /* of images; NULL with dummy */
	int dummy, evaluate;
	/* Of PyTorch's example; see example_options.h. */
	int multiprocessing, pretrained;
	long world_size, rank;           /* -1: not given */
	const char *dist_url;            /* NULL */
	double comm_timeout_s;           /* 0: none */
	const char *resume, *checkpoint; /* files; NULL */
	long checkpoint_every;           /* steps; 0: epochs */
	long workers;                    /* threads that make images */
	long threads; /* threads of a device; 0: the process's share */
	const char *engine_cache; /* file; NULL: the usual one, "": none */
	int engine_guess;         /* it is none: cuDNN's first proposals */
	const char *engine_trial; /* file; NULL: training is asked for */
	int no_step_graph;
	double first_bucket_mib, bucket_mib; /* fusion ddp */
	const char *fusion; /* a policy of trainer/graph/fusion_plan.h */
	double threshold_mib, cycle_ms; /* fusion horovod */
	long cache_capacity;            /* tensors; fusion horovod */
	const char *compression;        /* "none", "fp16", "bf16", "auto" */
	int hierarchical;
	const char *autotune;     /* "horovod", "model"; NULL */
	const char *autotune_log; /* file; NULL */
	/* Of autotune horovod: scores to warm up, steps of a rate, samples. */
	long autotune_warmup, autotune_steps, autotune_samples;
	double autotune_noise;
	long print_freq;       /* steps */
	const char *log_ranks; /* "all" or "0" */
	const char *phases;    /* NULL, "" or "sync" */
	const char *clock;     /* "real" or "fake" */
	double peak_tflops;    /* of one device; 0: unknown */
	long profile;          /* steps, or times of each call; 0: none */
	int verbose;
	const char *plan;     /* the GPU whose roofs are to be printed; NULL */
	long comm_trace;      /* every so many steps; 0: none */
	const char *timeline; /* file; NULL */
	const char *timeline_form; /* one of timeline_forms */
};

/* The program with its table, for options_parse(), which fills
 * train_options(). */
const struct program *train_program(void);

/* The options of this run; the only copy.
 *
 * operands  after the options, NULL terminated
 *
 * Returns NULL with ERROR_USAGE for what the table alone cannot refuse. */
const struct train_options *train_options(char **operands, struct error *e);

/* With --total-batch, find each device's batch size once the number of
 * processes is known; call it once, before training.
 *
 * ERROR_USAGE: they cannot share it evenly. */
int train_options_share(int n_ranks, struct error *e);

#endif
