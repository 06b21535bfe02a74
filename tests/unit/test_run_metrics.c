#include <config.h>

#include "extract/measure/measure_run.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

static void
test_peaks(void)
{
	static const struct {
		const char *device, *precision;
		double tflops; /* 0: unknown */
	} cases[] = {
		{ "NVIDIA A100-SXM4-80GB", "bf16", 312 },
		{ "NVIDIA A100-SXM4-80GB", "amp", 312 },
		{ "NVIDIA A100-SXM4-80GB", "tf32", 156 },
		/* no log states whether TF32 is used */
		{ "NVIDIA A100-SXM4-80GB", "fp32", 0 },
		{ "NVIDIA A10", "fp16", 125 },
		{ "NVIDIA L4", "fp16", 121 },
		{ "NVIDIA L40", "fp16", 181 },
		{ "NVIDIA L40S", "fp16", 362 },
		{ "NVIDIA H100 80GB HBM3", "fp8", 1978.9 },
		{ "NVIDIA H100 PCIe", "bf16", 756 },
		{ "NVIDIA H200", "bf16", 989.4 },
		{ "H100", "bf16", 0 }, /* one of three devices */
		{ "Tesla V100-SXM2-16GB", "fp32", 15.7 },
		{ "Tesla V100-SXM2-16GB", "fp16", 125 },
		{ "Tesla V100-PCIE-32GB", "fp16", 112 },
		{ "Tesla V100-SXM2-16GB", "bf16", 0 },
		{ "Tesla V100S-PCIE-32GB", "fp16", 130 },
		{ "NVIDIA H200 NVL", "bf16", 835.5 },
		{ "NVIDIA GB200", "bf16", 2500 },
		{ "NVIDIA B200", "bf16", 2250 },
		{ "NVIDIA H20", "bf16", 148 },
		{ "NVIDIA RTX A6000", "bf16", 154.8 },
		{ "AMD Instinct MI250X", "fp32", 47.9 }, /* matrix cores */
		{ "AMD Instinct MI300X", "fp32", 0 },    /* or TF32 */
		{ "TPU v4", "bf16", 275 },
		{ "TPU v5 lite", "bf16", 197 },
		{ "TPU v3", "bf16", 0 }, /* half a chip */
		{ "GeForce RTX 3090", "tf32", 35.6 },
	};
	const char *name;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const double x = device_peak_tflops(
		    cases[i].device, cases[i].precision, &name);

		printf("# %s %s\n", cases[i].device, cases[i].precision);
		if (cases[i].tflops > 0)
			CHECK_NEAR(x, cases[i].tflops, 0);
		else
			CHECK(isnan(x));
	}
	CHECK(isnan(device_peak_tflops(NULL, "fp16", &name)));
	CHECK(isnan(device_peak_tflops("NVIDIA L4", NULL, &name)));
}

/* Every value of the table, read from the data sheets a second time. A device
 * with a value for TF32 has none for fp32. */
static void
test_all_peaks(void)
{
	static const char *const precisions[] = { "tf32", "fp16", "bf16", "fp8",
		"fp32" };
	static const struct {
		const char *device;
		double tflops[5]; /* by precision; 0: unknown */
	} sheets[] = {
		{ "NVIDIA GB200", { 1250, 2500, 2500, 5000, 0 } },
		{ "NVIDIA B200", { 1125, 2250, 2250, 4500, 0 } },
		{ "NVIDIA GH200 480GB", { 494.7, 989.4, 989.4, 1978.9, 0 } },
		{ "NVIDIA H200 NVL", { 417.5, 835.5, 835.5, 1671, 0 } },
		{ "NVIDIA H200", { 494.7, 989.4, 989.4, 1978.9, 0 } },
		{ "NVIDIA H100 PCIe", { 378, 756, 756, 1513, 0 } },
		{ "NVIDIA H100 NVL", { 417.5, 835.5, 835.5, 1671, 0 } },
		{ "NVIDIA H100 80GB HBM3", { 494.7, 989.4, 989.4, 1978.9, 0 } },
		{ "NVIDIA H100 SXM", { 494.7, 989.4, 989.4, 1978.9, 0 } },
		{ "NVIDIA H800 SXM", { 494.7, 989.4, 989.4, 1978.9, 0 } },
		{ "NVIDIA H20", { 74, 148, 148, 296, 0 } },
		{ "NVIDIA A800-SXM4-80GB", { 156, 312, 312, 0, 0 } },
		{ "NVIDIA A100-SXM4-40GB", { 156, 312, 312, 0, 0 } },
		{ "NVIDIA A40", { 74.8, 149.7, 149.7, 0, 0 } },
		{ "NVIDIA A30", { 82, 165, 165, 0, 0 } },
		{ "NVIDIA A10", { 62.5, 125, 125, 0, 0 } },
		{ "NVIDIA L40S", { 183, 362, 362, 733, 0 } },
		{ "NVIDIA L40", { 90.5, 181, 181, 362, 0 } },
		{ "NVIDIA L4", { 60, 121, 121, 242, 0 } },
		{ "Tesla V100S-PCIE-32GB", { 0, 130, 0, 0, 16.4 } },
		{ "Tesla V100-PCIE-16GB", { 0, 112, 0, 0, 14 } },
		{ "Tesla V100-SXM2-32GB", { 0, 125, 0, 0, 15.7 } },
		{ "Tesla P100-PCIE-16GB", { 0, 18.7, 0, 0, 9.3 } },
		{ "Tesla P100-SXM2-16GB", { 0, 21.2, 0, 0, 10.6 } },
		{ "Tesla T4", { 0, 65, 0, 0, 8.1 } },
		{ "NVIDIA RTX 6000 Ada Generation",
		    { 182.1, 364.2, 364.2, 728.5, 0 } },
		{ "NVIDIA RTX A6000", { 77.4, 154.8, 154.8, 0, 0 } },
		{ "NVIDIA GeForce RTX 4090", { 82.6, 165.2, 165.2, 330.3, 0 } },
		{ "NVIDIA GeForce RTX 3090", { 35.6, 71, 71, 0, 0 } },
		{ "AMD Instinct MI325X", { 653.7, 1307.4, 1307.4, 2614.9, 0 } },
		{ "AMD Instinct MI300X", { 653.7, 1307.4, 1307.4, 2614.9, 0 } },
		{ "AMD Instinct MI250X", { 0, 191.5, 191.5, 0, 47.9 } },
		{ "AMD Instinct MI210", { 0, 181, 181, 0, 45.3 } },
		{ "AMD Instinct MI100", { 0, 184.6, 92.3, 0, 46.1 } },
		{ "TPU v4", { 0, 0, 275, 0, 0 } },
		{ "TPU v5 lite", { 0, 0, 197, 0, 0 } },
		{ "TPU v5e", { 0, 0, 197, 0, 0 } },
		{ "TPU v5p", { 0, 0, 459, 0, 0 } },
		{ "TPU v6 lite", { 0, 0, 918, 0, 0 } },
		{ "TPU v6e", { 0, 0, 918, 0, 0 } },
	};
	const char *name;

	for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++)
		for (size_t k = 0; k < 5; k++) {
			const double want = sheets[i].tflops[k];
			const double x = device_peak_tflops(
			    sheets[i].device, precisions[k], &name);

			if (want > 0 ? !(x >= want && x <= want) : !isnan(x))
				printf("# %s %s: %g\n", sheets[i].device,
				    precisions[k], x);
			if (want > 0)
				CHECK_NEAR(x, want, 0);
			else
				CHECK(isnan(x));
		}
}

/* "T4" must be a whole word: an adjacent letter or digit makes another name. */
static void
test_names_of_devices(void)
{
	static const char parts[] = "/:@[`{- ", whole[] = "09azAZ";
	char text[32];
	const char *name;

	for (const char *p = parts; *p != '\0'; p++) {
		snprintf(text, sizeof text, "%cT4%c", *p, *p);
		CHECK_NEAR(device_peak_tflops(text, "fp16", &name), 65, 0);
	}
	for (const char *p = whole; *p != '\0'; p++) {
		snprintf(text, sizeof text, "%cT4", *p);
		CHECK(isnan(device_peak_tflops(text, "fp16", &name)));
		snprintf(text, sizeof text, "T4%c", *p);
		CHECK(isnan(device_peak_tflops(text, "fp16", &name)));
	}
}

static double
parameters_of(const char *name)
{
	const struct language_model *m = language_model_find(name);

	return m != NULL ? m->parameters : NAN;
}

static void
test_models(void)
{
	int side = 0;

	CHECK_NEAR(model_flop_per_image("ResNet-50", &side), 24.54e9, 1);
	CHECK_NEAR(model_flop_per_image("resnet50_v1.5", &side), 24.54e9, 1);
	CHECK_NEAR(model_flop_per_image("timm/vgg16", &side), 92.82e9, 1);
	CHECK_INT(side, 224);
	CHECK_NEAR(model_flop_per_image("inception_v3", &side), 34.26e9, 1);
	CHECK_INT(side, 299);
	CHECK(isnan(model_flop_per_image("resnet5", &side)));
	CHECK(isnan(model_flop_per_image("", &side)));
	CHECK(isnan(model_flop_per_image(NULL, &side)));
	CHECK_NEAR(parameters_of("gpt2"), 124439808, 0);
	CHECK_NEAR(parameters_of("meta-llama/Llama-2-7b"), 6738415616, 0);
	/* names that state the owner, purpose and library of the weights */
	CHECK_NEAR(
	    parameters_of("meta-llama/Llama-2-7b-chat-hf"), 6738415616, 0);
	CHECK_NEAR(parameters_of("Meta-Llama-3-8B-Instruct"), 8030261248, 0);
	CHECK_NEAR(parameters_of("Qwen/Qwen2.5-0.5B-Instruct"), 494032768, 0);
	CHECK_NEAR(parameters_of("bert-base-cased"), 108310272, 0);
	CHECK(isnan(parameters_of("llama")));
	CHECK(isnan(parameters_of("meta")));
	CHECK(isnan(parameters_of("bert")));
}

/* The value of a metric, or NAN. */
static double
value_of(const struct result_run *run, const char *name)
{
	for (size_t i = 0; i < run->n_metrics; i++)
		if (strcmp(run->metrics[i].name, name) == 0)
			return run->metrics[i].value;
	return NAN;
}

/* 2500 images/s of ResNet-50 on 8 V100: 61.35 TFLOP/s, 7.66875 each, 6.135 % of
 * 125. */
static void
test_computed(void)
{
	struct arena a = ARENA_INIT;
	struct rule rule = RULE_DEFAULT;
	struct metadata f = { .model = "resnet50",
		.device = "Tesla V100-SXM2-16GB",
		.precision = "fp16",
		.gpus = 8 };
	struct log_metadata item = { "parameters", "1000000000", 3,
		LOG_PROGRAM };
	struct log log;
	struct run_metrics_source from = { &log, &f, &rule, 2500, NAN, NULL };
	struct result_run run;

	log_init(&log);
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 7.66875, 1e-12);
	CHECK_NEAR(value_of(&run, "mfu"), 6.135, 1e-12);
	CHECK(isnan(value_of(&run, "final_loss")));
	/* options take precedence over the tables */
	rule.peak_tflops = 15.3375;
	rule.flop_per_sample = 12.27e9;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "mfu"), 25, 1e-12);
	/* 6 x 1e9 x 20000 tokens/s on 8 devices: 15 TFLOP/s each */
	rule = (struct rule)RULE_DEFAULT;
	f.model = NULL;
	from.samples_per_s = NAN;
	from.tokens_per_s = 20000;
	log.metadata = &item;
	log.n_metadata = 1;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 15, 1e-12);
	CHECK_NEAR(value_of(&run, "mfu"), 12, 1e-12);
	rule.parameters = 2e9;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 30, 1e-12);
	/* 0 parameters count as unknown */
	rule = (struct rule)RULE_DEFAULT;
	item.value = "0";
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK(isnan(value_of(&run, "tflops_per_device")));
	/* options and logged values may be as small as 1 */
	item.value = "1";
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 15e-9, 1e-20);
	CHECK_STR(run.metrics[0].source,
	    "6 N FLOP a token, N = 1 of the log; attention not counted "
	    "(sequence length unknown)");
	item.value = "2";
	rule.parameters = 1;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 15e-9, 1e-20);
	CHECK_STR(run.metrics[0].source,
	    "6 N FLOP a token, N = 1 --parameters; attention not counted "
	    "(sequence length unknown)");
	CHECK_STR(run.metrics[1].source,
	    "6 N FLOP a token, N = 1 --parameters; attention not counted "
	    "(sequence length unknown); backward twice forward, recomputation "
	    "not counted, of 125 TFLOP/s (V100 SXM2, fp16)");
	rule.flop_per_sample = 0.5;
	rule.peak_tflops = 0.5;
	from.samples_per_s = 2500;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 156.25e-12, 1e-22);
	CHECK_NEAR(value_of(&run, "mfu"), 312.5e-10, 1e-20);
	CHECK_STR(run.metrics[0].source, "--flop-per-sample");
	CHECK_STR(run.metrics[1].source,
	    "--flop-per-sample, of 0.5 TFLOP/s (--peak-tflops)");
	/* so may the number of devices */
	f.gpus = 1;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 1250e-12, 1e-21);
	/* an unknown number of devices gives no metrics */
	f.gpus = RESULT_UNKNOWN;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_INT(run.n_metrics, 0);
	arena_release(&a);
}

/* Published figures, both with attention: torchtitan's performance page has
 * 56.8 % for Llama 3 8B on A100 at 2904 tokens/s a device and 8192 tokens a
 * sequence, llm-foundry's 37.14 % for MPT-7B (6,684,024,832 parameters, 32
 * layers of 4096) on H100 at 6935 tokens/s and 8192 tokens. */
static void
test_attention(void)
{
	struct arena a = ARENA_INIT;
	struct rule rule = RULE_DEFAULT;
	struct metadata f = { .model = "meta-llama/Meta-Llama-3-8B",
		.device = "NVIDIA A100-SXM4-80GB",
		.precision = "bf16",
		.sequence_length = 8192,
		.gpus = 1 };
	struct log_metadata item = { "parameters", "6684024832", 3,
		LOG_PROGRAM };
	struct log log;
	struct run_metrics_source from = { &log, &f, &rule, NAN, 2904, NULL };
	struct result_run run;

	log_init(&log);
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "mfu"), 56.8, 0.05);
	CHECK_STR(run.metrics[1].source,
	    "6 N + 12 L d s FLOP a token, N = 8030261248 of the model's card, "
	    "L = 32 of the model's card, d = 4096 of the model's card, s = "
	    "8192; causal mask not taken off; backward twice forward, "
	    "recomputation not counted, of 312 TFLOP/s (A100, bf16)");
	/* 27 % more than 6 N */
	f.sequence_length = RESULT_UNKNOWN;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "mfu"), 56.84 / 1.2674, 0.01);
	/* the log's parameters override the card's, options override both */
	f = (struct metadata){ .model = "meta-llama/Meta-Llama-3-8B",
		.device = "NVIDIA H100 80GB HBM3",
		.precision = "bf16",
		.sequence_length = 8192,
		.gpus = 1 };
	log.metadata = &item;
	log.n_metadata = 1;
	from.tokens_per_s = 6935;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "mfu"), 37.14, 0.005);
	rule.layers = 64;
	rule.hidden_size = 2048;
	f.model = NULL;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "mfu"), 37.14, 0.005);
	arena_release(&a);
}

/* The table is valid for one image size; other sizes give no value. */
static void
test_image_size(void)
{
	static const struct {
		const char *size;
		double tflops;
		const char *source;
	} cases[] = {
		{ NULL, 7.66875,
		    "6 x multiply-adds of torchvision's table, 224 x 224 "
		    "(assumed)" },
		{ "224", 7.66875,
		    "6 x multiply-adds of torchvision's table, 224 x 224" },
		{ "223", NAN, NULL },
		{ "225", NAN, NULL },
	};
	struct arena a = ARENA_INIT;
	const struct rule rule = RULE_DEFAULT;
	struct metadata f = { .model = "resnet50", .gpus = 8 };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_metadata item = { "image_size", cases[i].size, 3,
			LOG_PROGRAM };
		struct log log;
		struct run_metrics_source from = { &log, &f, &rule, 2500, NAN,
			NULL };
		struct result_run run;

		log_init(&log);
		log.metadata = &item;
		log.n_metadata = cases[i].size != NULL;
		result_run_init(&run);
		run_metrics_keep(&from, &a, &run);
		if (cases[i].source == NULL) {
			CHECK(isnan(value_of(&run, "tflops_per_device")));
			continue;
		}
		CHECK_NEAR(value_of(&run, "tflops_per_device"), cases[i].tflops,
		    1e-12);
		CHECK_STR(run.metrics[0].source, cases[i].source);
	}
	arena_release(&a);
}

static void
test_printed(void)
{
	struct arena a = ARENA_INIT;
	struct rule rule = RULE_DEFAULT;
	struct metadata f = { .gpus = 4 };
	struct log_tail_value tail[] = {
		{ "mfu", 40, 44, 124, 3, 10, 12 },
		{ "loss", 1.5, 9, 12, 3, 10, 12 },
		{ "memory_gib", 1.5, 2.5, 6, 3, 10, 12 },
		{ "power_w", 300, 400, 700, 2, 11, 12 },
		{ "data_s", 0.1, 0.1, 0.2, 2, 11, 12 },
	};
	struct log log;
	struct run_metrics_source from = { &log, &f, &rule, 100, NAN, NULL };
	struct result_run run;

	log_init(&log);
	log.n_tail = sizeof tail / sizeof tail[0];
	memcpy(log.tail, tail, sizeof tail);
	result_run_init(&run);
	run.step_s = 0.5;
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "mfu_printed"), 124. / 3, 1e-12);
	CHECK_NEAR(value_of(&run, "final_loss"), 1.5, 0);
	CHECK_NEAR(value_of(&run, "peak_memory"), 2.5, 0);
	CHECK_NEAR(value_of(&run, "power_per_device"), 350, 0);
	CHECK_NEAR(value_of(&run, "energy_per_sample"), 14, 1e-12);
	CHECK_NEAR(value_of(&run, "data_share"), 20, 1e-12);
	CHECK_STR(run.metrics[0].source, "printed on log lines 10-12");
	/* 0 on all lines means unknown; on some of them it is a value */
	log.tail[0] = (struct log_tail_value){ "mfu", 0, 0, 0, 3, 10, 12 };
	log.tail[2] =
	    (struct log_tail_value){ "memory_gib", 0, 1e-9, 1e-9, 3, 10, 12 };
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK(isnan(value_of(&run, "mfu_printed")));
	CHECK_NEAR(value_of(&run, "peak_memory"), 1e-9, 0);
	/* the program's own measurement takes precedence */
	run.phases.data_s = 0.01;
	run.phases.step_s = 0.2;
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "data_share"), 5, 1e-12);
	/* with one device, its power is that of the job */
	f.gpus = 1;
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "energy_per_sample"), 3.5, 1e-12);
	/* an unknown number of devices or rate gives no energy */
	f.gpus = RESULT_UNKNOWN;
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "power_per_device"), 350, 0);
	CHECK(isnan(value_of(&run, "energy_per_sample")));
	f.gpus = 4;
	from.samples_per_s = NAN;
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK(isnan(value_of(&run, "energy_per_sample")));
	/* a result does not keep numbers that are out of range */
	log.tail[0] =
	    (struct log_tail_value){ "mfu", 40, 1e306, 1e306, 3, 10, 12 };
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK(isnan(value_of(&run, "mfu_printed")));
	CHECK_NEAR(value_of(&run, "final_loss"), 1.5, 0);
	arena_release(&a);
}

/* A metric replaces the throughput if it is above 0, however small. */
static void
test_promoted(void)
{
	static const double values[] = { 0.25, 1e-9, 0, -1, NAN };
	struct arena a = ARENA_INIT;
	struct rule rule = RULE_DEFAULT;
	struct result_metric metric = { .name = "mfu" };

	rule.figure = run_metric_find("mfu");
	CHECK(rule.figure != NULL);
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct exclusion x = EXCLUSION_INIT;
		struct result_run run;
		const char *unit = NULL;
		int rc;

		result_run_init(&run);
		metric.value = values[i];
		run.metrics = &metric;
		run.n_metrics = 1;
		rc = run_metrics_promote(&rule, &a, &run, &unit, &x);
		CHECK_INT(rc, values[i] > 0 ? 0 : -1);
		if (rc == 0) {
			CHECK_NEAR(run.value, values[i], 0);
			CHECK_STR(unit, rule.figure->unit);
		}
	}
	arena_release(&a);
}

static const struct tap_test tests[] = {
	TEST(test_peaks),
	TEST(test_all_peaks),
	TEST(test_names_of_devices),
	TEST(test_models),
	TEST(test_computed),
	TEST(test_attention),
	TEST(test_image_size),
	TEST(test_printed),
	TEST(test_promoted),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
