#include <config.h>

#include "common/alloc.h"
#include "extract/format/format.h"
#include "extract/scan/scan_file.h"
#include "tests/files.h"
#include "tests/tap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct format_set set;

/* Everything that the path states, as "key=value" with labels in brackets. */
static const char *
ask(const char *path)
{
	static struct strbuf sb;
	struct path_layout_match m;

	strbuf_release(&sb);
	strbuf_init(&sb, 4096);
	path_layout_match(&set, path, &m);
	for (size_t i = 0; i < m.n_metadata; i++)
		strbuf_printf(&sb,
		    m.metadata[i].is_label ? "[%s=%s] " : "%s=%s ",
		    m.metadata[i].key, m.metadata[i].value);
	path_layout_match_release(&m);
	return sb.buf;
}

/* Real paths, and what they state. */
static const struct {
	const char *path, *want;
} cases[] = {
	/* DLPerf: any number of digits, models with underscores */
	{ "4n8g/r50_b128_fp32_1.log",
	    "nodes=4 gpus_per_node=8 model=r50 "
	    "batch_size_per_device=128 precision=fp32 run=1 " },
	{ "logs/ngc/mxnet/resnet50/bz128/10n16g/resnet_50_v1.5_b256_amp_42.log",
	    "nodes=10 gpus_per_node=16 model=resnet_50_v1.5 "
	    "batch_size_per_device=256 precision=amp run=42 " },
	{ "1n128g/bert-base-adam-training_b96_fp16_5.log.gz",
	    "nodes=1 gpus_per_node=128 model=bert-base-adam-training "
	    "batch_size_per_device=96 precision=fp16 run=5 " },
	{ "4n8g/other.log", "nodes=4 gpus_per_node=8 " },
	/* a folder and a file that both state settings */
	{ "resnet50_1node_bz128/1n8c_real.log",
	    "model=resnet50 nodes=1 "
	    "batch_size_per_device=128 gpus_per_node=8 [data=real] " },
	{ "logs/vgg16_2node_bz32/2n1c_dummy.log",
	    "model=vgg16 nodes=2 "
	    "batch_size_per_device=32 gpus_per_node=1 [data=dummy] " },
	/* rank files, mostly without a suffix */
	{ "03-10-13-resnet50-e20-b20-fusion0_rank_0",
	    "run=03-10-13 "
	    "model=resnet50 epochs=20 iters=20 [fusion=0] rank=0 " },
	{ "03-10-13-vgg16-e20-b20_rank_12",
	    "run=03-10-13 model=vgg16 "
	    "epochs=20 iters=20 rank=12 " },
	/* MLPerf */
	{ "dgxa100_n64_ngc20.06_mxnet/resnet/result_0.txt",
	    "run=0 model=resnet "
	    "nodes=64 framework=mxnet " },
	{ "16gpu-dgxa100_n2_ngc20.06_mxnet/result_3.txt",
	    "run=3 gpus=16 "
	    "nodes=2 framework=mxnet " },
	{ "8gpu/result_0.txt", "run=0 gpus=8 " },
	/* frameworks and precisions are converted to lower case */
	{ "1gpu/PyTorch_resnet50_FP32/29-09-2024_07-21-28.txt",
	    "gpus=1 framework=pytorch model=resnet50 precision=fp32 "
	    "run=29-09-2024_07-21-28 " },
	{ "V100/tf_gpu32_amp_bs256.txt",
	    "gpus=32 precision=amp "
	    "batch_size_per_device=256 framework=tensorflow "
	    "[gpu=V100] " },
	{ "pytorch_gpu8_fp32_bs256.txt",
	    "framework=pytorch gpus=8 "
	    "precision=fp32 batch_size_per_device=256 " },
	/* any name: key-values in any order, the last value of a key counts */
	{ "resnet50-n2-g8-bs256-amp-r3.log",
	    "nodes=2 gpus_per_node=8 batch_size_per_device=256 precision=amp "
	    "model=resnet50 " },
	{ "n16-g4/bs32_n2_g8_bs64.out",
	    "nodes=2 gpus_per_node=8 batch_size_per_device=64 " },
	{ "gpus8/run5.log", "gpus=8 " },
	{ "slurm-12345.out", "" },
	{ "8xA100/train.log", "gpus=8 [gpu=A100] " },
	{ "4x8xH100_bf16/train.log",
	    "nodes=4 gpus_per_node=8 [gpu=H100] precision=bf16 " },
	{ "N4C32/log.txt", "nodes=4 gpus=32 " },
	{ "Paddle_x_bs8_fp32_DP_N4C32_log",
	    "nodes=4 gpus=32 batch_size_per_device=8 precision=fp32 " },
	{ "2nodes-16gpus/train.log", "nodes=2 " }, /* a total, or per node? */
	{ "1node-16gpus/train.log", "nodes=1 gpus=16 " },
	{ "gpu0.log", "" }, /* an index, not a count */
	{ "node1/batch3/gpu_7.log", "" },
	{ "n8_x.log", "" }, /* nodes or GPUs? */
	{ "efficientnet-b4/x.log", "" },
	{ "train-n2-g8-bs64.log",
	    "nodes=2 gpus_per_node=8 batch_size_per_device=64 " },
	/* nothing stated */
	{ "train.log", "" },
	{ "", "" },
	{ "n8g/x.log", "" },
	{ "4n8gx/x.log", "" },
};

static void
test_paths(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		printf("# %s\n", cases[i].path);
		CHECK_STR(ask(cases[i].path), cases[i].want);
	}
}

/* The value of a key, or "". */
static const char *
stated(const struct path_layout_match *m, const char *key)
{
	for (size_t i = 0; i < m->n_metadata; i++)
		if (strcmp(m->metadata[i].key, key) == 0)
			return m->metadata[i].value;
	return "";
}

/* path_layout_rank() finds the same rank in the path as path_layout_match(). */
static void
test_rank(void)
{
	static const char *const more[] = { "rank_3/x.log",
		"attempt_0/12/stdout.log", "job/7/rank.2/stderr",
		"4n8g/rank1/r50_b128_fp32_1-rank2.log", "lora_rank8.log" };
	enum {
		N_CASES = sizeof cases / sizeof cases[0],
		N_MORE = sizeof more / sizeof more[0]
	};
	int found = 0;

	for (int i = 0; i < N_CASES + N_MORE; i++) {
		const char *path =
		    i < N_CASES ? cases[i].path : more[i - N_CASES];
		struct path_layout_match m;
		const char *want, *rank;
		size_t len;

		path_layout_match(&set, path, &m);
		want = stated(&m, "rank");
		rank = path_layout_rank(&set, path, &len);
		CHECK_INT(rank != NULL ? len : 0, strlen(want));
		CHECK(rank == NULL || memcmp(rank, want, len) == 0);
		found += rank != NULL;
		path_layout_match_release(&m);
	}
	CHECK_INT(found, 6);
}

enum { N_THREADS = 12, N_ROUNDS = 40 };

/* Count the wrong ranks of repeated queries. */
static void *
ask_often(void *arg)
{
	size_t *n_wrong = arg;

	for (int i = 0; i < N_ROUNDS; i++) {
		char path[64];
		const char *rank;
		size_t len;

		snprintf(path, sizeof path, "rank_%d/x.log", i);
		rank = path_layout_rank(&set, path, &len);
		*n_wrong += rank == NULL || atoi(rank) != i;
	}
	return NULL;
}

/* More threads query at the same time than matchers are kept. */
static void
test_threads(void)
{
	pthread_t threads[N_THREADS];
	size_t n_wrong[N_THREADS] = { 0 };

	for (int i = 0; i < N_THREADS; i++)
		CHECK_INT(
		    pthread_create(&threads[i], NULL, ask_often, &n_wrong[i]),
		    0);
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(n_wrong[i], 0);
	}
}

static void
test_get(void)
{
	struct path_layout_match m;

	path_layout_match(&set, "4n8g/r50_b128_fp32_1.log", &m);
	CHECK_STR(stated(&m, "nodes"), "4");
	CHECK_STR(stated(&m, "rank"), "");
	for (size_t i = 0; i < m.n_metadata; i++)
		CHECK_STR(m.metadata[i].layout, "dlperf");
	path_layout_match_release(&m);
}

/* A user's layout of higher priority overrides keys and adds labels. */
static void
test_user_layout(void)
{
	char folder[] = "/tmp/dlscale-layout-XXXXXX", file[64];
	struct format_set built_in = set;
	struct search_path path;
	struct error e = ERROR_INIT;
	const char *extra[1];

	CHECK(mkdtemp(folder) != NULL);
	extra[0] = folder;
	snprintf(file, sizeof file, "%s/mine.layout", folder);
	file_put(file,
	    "name mine\ndescription net in front\npriority 80\n"
	    "layout file (?<label_net>eth|ib)/(?<nodes>\\d+)n\\d+g/\n"
	    "gives framework Own\n"
	    "sample eth/4n8g/x.log\n"
	    "expect file net=eth nodes=4 framework=Own\n");
	search_path_init(&path, extra, 1);
	format_set_load(&set, &path, &e);
	CHECK_STR(e.message, "");
	CHECK_STR(ask("ib/4n8g/x.log"),
	    "[net=ib] nodes=4 framework=Own gpus_per_node=8 ");
	format_set_release(&set);
	file_put(file,
	    "name mine\ndescription d\nlayout f (?<nodes>\\d+)x\n"
	    "sample 4x\nexpect f nodes=5\n");
	CHECK_INT(format_set_load(&set, &path, &e), 0);
	CHECK_INT(format_self_test_users(&set, &e), -1);
	CHECK(strstr(e.message,
		  "mine.layout:5:10: nodes is '4' in the sample on line 4, not "
		  "'5'\nexpect f nodes=5\n         ^") != NULL);
	format_set_release(&set);
	file_put(
	    file, "name mine\ndescription d\nlayout f first\ngives rank 0\n");
	CHECK_INT(format_set_load(&set, &path, &e), -1);
	CHECK(strstr(e.message,
		  "mine.layout:4:7: a layout captures 'rank': ") != NULL);
	format_set_release(&set);
	search_path_release(&path);
	unlink(file);
	rmdir(folder);
	set = built_in;
}

static const struct tap_test tests[] = {
	TEST(test_paths),
	TEST(test_rank),
	TEST(test_threads),
	TEST(test_get),
	TEST(test_user_layout),
};

int
main(void)
{
	struct search_path path;
	struct error e = ERROR_INIT;

	search_path_init(&path, NULL, 0);
	if (format_set_load(&set, &path, &e) != 0)
		return error_report("test_path_layout", &e);
	tap_main(tests, N_TESTS(tests));
	format_set_release(&set);
	search_path_release(&path);
	return 0;
}
