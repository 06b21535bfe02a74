#include <config.h>

#include "extract/measure/device_peak.h"
#include "extract/measure/model_flop.h"
#include "extract/measure/run_metrics.h"
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
		/* TF32 or not: no log states */
		{ "NVIDIA A100-SXM4-80GB", "fp32", 0 },
		{ "NVIDIA A10", "fp16", 125 },
		{ "NVIDIA L4", "fp16", 121 },
		{ "NVIDIA L40", "fp16", 181 },
		{ "NVIDIA L40S", "fp16", 362 },
		{ "NVIDIA H100 80GB HBM3", "fp8", 1978.9 },
		{ "NVIDIA H100 PCIe", "bf16", 756 },
		{ "NVIDIA H200", "bf16", 989.4 },
		{ "H100", "bf16", 0 }, /* which of the three? */
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
		{ "AMD Instinct MI250X", "fp32", 47.9 }, /* matrices */
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

static void
test_models(void)
{
	const char *source;
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
	CHECK_NEAR(model_parameters("gpt2", &source), 124439808, 0);
	CHECK_NEAR(
	    model_parameters("meta-llama/Llama-2-7b", &source), 6738415616, 0);
	/* whose weights, for what and for which library */
	CHECK_NEAR(model_parameters("meta-llama/Llama-2-7b-chat-hf", &source),
	    6738415616, 0);
	CHECK_NEAR(model_parameters("Meta-Llama-3-8B-Instruct", &source),
	    8030261248, 0);
	CHECK_NEAR(model_parameters("Qwen/Qwen2.5-0.5B-Instruct", &source),
	    494032768, 0);
	CHECK_NEAR(model_parameters("bert-base-cased", &source), 108310272, 0);
	CHECK(isnan(model_parameters("llama", &source)));
	CHECK(isnan(model_parameters("meta", &source)));
	CHECK(isnan(model_parameters("bert", &source)));
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
	struct log_metadata item = { "parameters", "1000000000", 3 };
	struct log log;
	struct run_metrics_source from = { &log, &f, &rule, 2500, NAN, NULL };
	struct result_run run;

	log_init(&log);
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_NEAR(value_of(&run, "tflops_per_device"), 7.66875, 1e-12);
	CHECK_NEAR(value_of(&run, "mfu"), 6.135, 1e-12);
	CHECK(isnan(value_of(&run, "final_loss")));
	/* options go before the tables */
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
	/* an unknown number of devices: nothing */
	f.gpus = RESULT_UNKNOWN;
	result_run_init(&run);
	run_metrics_keep(&from, &a, &run);
	CHECK_INT(run.n_metrics, 0);
	arena_release(&a);
}

/* The table is for images of one size; those of another take other work. */
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
		struct log_metadata item = { "image_size", cases[i].size, 3 };
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
	/* 0 on each line is not known; on some of them it is a value */
	log.tail[0] = (struct log_tail_value){ "mfu", 0, 0, 0, 3, 10, 12 };
	log.tail[2] =
	    (struct log_tail_value){ "memory_gib", 0, 1e-9, 1e-9, 3, 10, 12 };
	run.n_metrics = 0;
	run_metrics_keep(&from, &a, &run);
	CHECK(isnan(value_of(&run, "mfu_printed")));
	CHECK_NEAR(value_of(&run, "peak_memory"), 1e-9, 0);
	/* what the program itself measured goes before */
	run.phases.data_s = 0.01;
	run.phases.step_s = 0.2;
	run_metrics_keep(&from, &a, &run);
	arena_release(&a);
}

/* A metric takes the throughput's place where it is above 0, however small. */
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
	TEST(test_models),
	TEST(test_computed),
	TEST(test_image_size),
	TEST(test_printed),
	TEST(test_promoted),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
