/* Which settings distinguish cases, and which identify a run. */
#include <config.h>

#include "extract/log/stated_settings.h"
#include "tests/tap.h"

struct setting_case {
	const char *key, *value;
};

static void
check_all(const struct setting_case *all, int n, int counts)
{
	for (int i = 0; i < n; i++) {
		printf("# %s=%s\n", all[i].key, all[i].value);
		CHECK_INT(setting_counts(all[i].key, all[i].value), counts);
	}
}

static void
test_of_training(void)
{
	static const struct setting_case cases[] = {
		{ "lr", "0.1" },
		{ "batch_size", "32" },
		{ "optimizer", "adamw" },
		{ "use_amp", "true" },
		{ "resume", "false" }, /* a word is not a path */
		{ "lora_rank", "8" },  /* rank of a matrix */
		{ "time_limit", "30" },
		{ "cycle_time_ms", "2.5" },
		{ "model_config", "base" },
		{ "epoch_size", "100" },
		{ "log_interval", "50" },
		{ "NCCL_ALGO", "Ring" },
		{ "max_used_tokens", "many" },
		{ "warmup_ms", "100" }, /* no fraction: configured */
		/* Short hexadecimal words and numbers. */
		{ "layers", "abcdef" },
		{ "hidden", "12345678" },
		{ "kind", "abc123" },
		{ "kind", "bert2base" },
		{ "betas", "0.9" },
	};

	check_all(cases, N_TESTS(cases), 1);
}

static void
test_of_run(void)
{
	static const struct setting_case cases[] = {
		{ "seed", "1" },
		{ "randomSeed", "1" },
		{ "master_port", "29500" },
		{ "rdzv.port", "29500" },
		{ "masterPort", "29500" },
		{ "local_rank", "3" },
		{ "start_time", "5" },
		{ "run_name", "blue" },
		{ "exp_name", "blue" },
		{ "name", "blue" },
		{ "step", "7" },
		{ "output_dir", "runs" },
		{ "logdir", "runs" },
		{ "SLURM_NNODES", "2" },
		{ "_CE_CONDA", "x" },
		{ "used_memory", "12" },
		{ "loss", "2.5" },
		{ "", "5" },
		/* Places, times and addresses. */
		{ "data", "/data/imagenet" },
		{ "data", "['./x']" },
		{ "data", "s3://bucket" },
		{ "data", "model.ckpt" },
		{ "x", "10.0.0.1" },
		{ "x", "2024-01-31" },
		{ "x", "12:30:00" },
		{ "x", "20240131_123000" },
		{ "x", "Fri Nov 27 00:26:09 UTC 2026" },
		/* Random letters and digits. */
		{ "x", "123456789" },
		{ "x", "3dea820b" },
		{ "x", "9f8e7d6" },
		{ "x", "123e4567-e89b-12d3-a456-426614174000" },
		{ "x", "abcdefab-abcd-abcd-abcd-abcdefabcdef" },
		{ "x", "x7k2p9qa" },
		{ "x", "a1b2c3d4z5" },
	};

	check_all(cases, N_TESTS(cases), 0);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_of_training),
		TEST(test_of_run),
	};

	return tap_main(tests, N_TESTS(tests));
}
