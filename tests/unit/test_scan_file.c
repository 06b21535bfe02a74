#include <config.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "tests/unit/scanning.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Lines -----------------------------------------------------------------*/

static struct strbuf seen;

static void
note_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	(void)arg;
	strbuf_printf(&seen, "%d:%.*s%s%s|", (int)number, (int)len, text,
	    flags & LINE_CONTROL ? "!" : "", flags & LINE_HIGH ? "^" : "");
}

/* The lines of `text`, read in pieces of `step` bytes. */
static const char *
cut(const char *text, size_t len, size_t step, size_t max_line)
{
	struct line_walker w;
	size_t start = 0, end = 0;

	strbuf_reset(&seen);
	line_walker_init(&w, max_line);
	while (end < len) {
		end = end + step < len ? end + step : len;
		start += line_walker_consume(
		    &w, text + start, end - start, end == len, note_line, NULL);
	}
	strbuf_printf(
	    &seen, "%d,%d", (int)line_walker_lines(&w), (int)w.n_long);
	return seen.buf;
}

static void
test_lines(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "a\nb\n", "1:a|2:b|2,0" },
		{ "a\nb", "1:a|2:b|2,0" },
		{ "a\r\nb\r\n\r\nc", "1:a|2:b|4:c|4,0" },
		{ "1%\r2%\r3%\ndone\n", "1:1%|1:2%|1:3%|2:done|2,0" },
		{ "\n\n\nx", "4:x|4,0" },
		{ "a\tb\n", "1:a\tb|1,0" },
		{ "1%\r2%\r", "1:1%|1:2%|1,0" },
		{ "01234567890123456789012345678901234567890123456789"
		  "01234567890123\nb\n",
		    "1:01234567890123456789012345678901234567890123456789"
		    "01234567890123|2:b|2,0" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t len = strlen(cases[i].text);

		for (size_t step = 1; step <= len; step++)
			CHECK_STR(
			    cut(cases[i].text, len, step, 1000), cases[i].want);
	}
	CHECK_STR(cut("a\033b\nc\xc3\xa4\n", 7, 7, 1000),
	    "1:a\033b!|2:c\xc3\xa4^|2,0");
}

static void
test_long_lines(void)
{
	for (size_t step = 1; step <= 14; step++)
		CHECK_STR(cut("abcdefgh\nx\nijkl", 15, step, 3),
		    "1:abc|1:def|1:gh|2:x|3:ijk|3:l|3,2");
	CHECK_STR(cut("abcdefgh", 8, 2, 3), "1:abc|1:def|1:gh|1,1");
	CHECK_STR(cut("abcdef\nx", 8, 1, 3), "1:abc|1:def|2:x|2,1");
	/* A long line is split at a nearby space, so that no number is torn. */
	for (size_t step = 1; step <= 36; step++)
		CHECK_STR(
		    cut("abcdefghijklmnopqrstuvwxyzabcd 12345\n", 37, step, 32),
		    "1:abcdefghijklmnopqrstuvwxyzabcd |1:12345|1,1");
	CHECK_STR(cut("abc\nd", 5, 1, 3), "1:abc|2:d|2,0");
}

/* --- Samples ---------------------------------------------------------------*/

static void
test_sample_store(void)
{
	struct log log;

	scan_string(
	    "=> creating model 'resnet18'\n" STEP("0", "1", "12.054") "\n" STEP(
		"0", "2",
		"0.485") "\nTest: [1/4]\tTime  0.158 ( 0.158)"
			 "\tLoss 6.4 (6.4)\tAcc@1 0.0 (0.0)\tAcc@5 2.0 (1.0)\n"
			 " *   Acc@1 0.125 Acc@5 18.8\n" STEP("1", "1", "0.5"),
	    &log);
	CHECK_STR(log.problem.message, "");
	CHECK_STR(log.format->name, "pytorch-imagenet");
	CHECK(log.runner_up == NULL);
	CHECK(log.meaning == &log.format->meaning);
	CHECK_STR(log.shown, "shown");
	CHECK_INT(log.lines, 6);
	CHECK_INT(log.samples.n, 3);
	CHECK_INT(log.samples.items[0].line, 2);
	CHECK_INT(log.samples.items[0].epoch, 0);
	CHECK_INT(log.samples.items[0].iter, 1);
	CHECK_INT(log.samples.items[0].iters, 130);
	CHECK_INT(log.samples.items[0].iter_from, SAMPLE_NONE);
	CHECK_INT(log.samples.items[0].rank, SAMPLE_NONE);
	CHECK_NEAR(log.samples.items[0].value, 12.054, 0);
	CHECK(isnan(log.samples.items[0].stamp));
	CHECK_INT(log.samples.items[2].line, 6);
	CHECK_INT(log.samples.items[2].epoch, 1);
	CHECK_INT(log.n_metadata, 2);
	CHECK_STR(log.metadata[0].key, "framework");
	CHECK_STR(log.metadata[0].value, "pytorch");
	CHECK_INT(log.metadata[0].line, 0);
	CHECK_STR(log.metadata[1].value, "resnet18");
	CHECK_INT(log.metadata[1].line, 1);
	CHECK_INT(log.details.n, 0);
	log_release(&log);

	/* Values that the log states replace those that the format sets. */
	scan_string(
	    "dlscale: config version=1.2 model=vgg16 precision=FP32 "
	    "batch_per_device=4 devices=2 nodes=1 images=dummy\n" STEP("0", "1",
		"0.5") "\n"
		       "dlscale: summary steps=1 images_per_s=16 x=1\n",
	    &log);
	CHECK_INT(log.n_metadata, 7);
	CHECK_STR(log.metadata[0].key, "framework");
	CHECK_STR(log.metadata[0].value, "dlscale");
	CHECK_INT(log.metadata[0].line, 1);
	CHECK_STR(log.metadata[3].key, "precision");
	CHECK_STR(log.metadata[3].value, "fp32");
	CHECK_INT(log.n_summaries, 1);
	CHECK_NEAR(log.summaries[0].value, 16, 0);
	CHECK_STR(log.summaries[0].unit, "samples/s");
	log_release(&log);
}

static void
test_line_ends(void)
{
	struct log log;

	scan_string(
	    STEP("0", "1", "1.5") "\r\n" STEP("0", "2", "0.5") "\r" STEP(
		"0", "3", "0.25") "\n\n" STEP("0", "4", "0.125"),
	    &log);
	CHECK_INT(log.samples.n, 4);
	CHECK_INT(log.samples.items[1].line, 2);
	CHECK_INT(log.samples.items[2].line, 2);
	CHECK_INT(log.samples.items[3].line, 4);
	CHECK_NEAR(log.samples.items[3].value, 0.125, 0);
	log_release(&log);
}

/* Two ranks' lines joined into one, and a line interrupted by another. */
static void
test_glue(void)
{
	struct log log;

	scan_string(STEP("0", "1", "0.441") STEP(
			"0", "1", "0.445") "\n\n"
					   "Epoch: [0][ 2/130]\tTime  0.4" STEP(
					       "0", "2", "0.5") "\n",
	    &log);
	CHECK_INT(log.samples.n, 3);
	CHECK_INT(log.samples.items[0].line, 1);
	CHECK_INT(log.samples.items[1].line, 1);
	CHECK_NEAR(log.samples.items[1].value, 0.445, 0);
	CHECK_INT(log.samples.items[2].iter, 2);
	CHECK_NEAR(log.samples.items[2].value, 0.5, 0);
	log_release(&log);
}

static void
test_dirt(void)
{
	static const char text[] = "\033[32m" STEP(
	    "0", "1", "0.5") "\033[0m\n"
			     "Ep\0och: [0][ 2/130]\tTime  0.2\0005 ( 0.484)\t"
			     "Data  0.008\n"
			     "x\b\b" STEP("0", "3",
				 "0.125") "\n"
					  "\xff\xfe " STEP("0", "4",
					      "0.75") "\n"
						      "\xe2\x96\x88 " STEP("0",
							  "5", "0.875") "\n";
	struct log log;

	scan_bytes(text, sizeof text - 1, &log);
	CHECK_INT(log.samples.n, 5);
	CHECK_NEAR(log.samples.items[1].value, 0.25, 0);
	CHECK_INT(log.samples.items[4].line, 5);
	log_release(&log);
}

/* Prefixes distinguish ranks: numbers are kept, texts are numbered in order. */
static void
test_ranks(void)
{
	struct log log;

	/* clang-format off */
	scan_string("[1,3]<stdout>:" STEP("0", "1", "0.1") "\n"
	    " 7: " STEP("0", "1", "0.2") "\n"
	    "[rank11]: " STEP("0", "1", "0.3") "\n"
	    STEP("0", "1", "0.4") "\n"
	    "[1,5]<stdout>:" STEP("0", "2", "0.5")
	    "[1,6]<stdout>:" STEP("0", "2", "0.6")
	    STEP("0", "2", "0.7") "\n"
	    "2020-06-25 " STEP("0", "3", "0.8") "\n", &log);
	/* clang-format on */
	CHECK_INT(log.samples.n, 8);
	CHECK_INT(log.samples.items[0].rank, 3);
	CHECK_INT(log.samples.items[1].rank, 7);
	CHECK_INT(log.samples.items[2].rank, 11);
	CHECK_INT(log.samples.items[3].rank, SAMPLE_NONE);
	CHECK_INT(log.samples.items[4].rank, 5);
	CHECK_INT(log.samples.items[5].rank, 6);
	CHECK_INT(log.samples.items[6].rank, 6);
	CHECK_INT(log.samples.items[7].rank, SAMPLE_NONE);
	log_release(&log);

	scan_string(
	    "(RayTrainWorker pid=9, ip=10.0.0.1) " STEP("0", "1",
		"0.1") "\n"
		       "(RayTrainWorker pid=4) " STEP("0", "1",
			   "0.2") "\n"
				  "(RayTrainWorker pid=9, ip=10.0.0.1) " STEP(
				      "0", "2", "0.3") "\n",
	    &log);
	CHECK_INT(log.samples.n, 3);
	CHECK_INT(log.samples.items[0].rank, 0);
	CHECK_INT(log.samples.items[1].rank, 1);
	CHECK_INT(log.samples.items[2].rank, 0);
	log_release(&log);
}

/* --- Formats of our own ----------------------------------------------------*/

static void
scan_own(const struct own *own, const char *text, int details, struct log *log)
{
	struct scan_options options = { NULL, 1, details, 0 };

	put_file("own", text, strlen(text));
	scan_with(&own->set, &options, log);
}

/* A pattern with ^ matches right after the prefix. */
static void
test_anchored(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h ^(?<iter>\\d+)\\timages/sec: "
		"(?<samples_per_s>[\\d.]+)\n"
		"sample 3\timages/sec: 5\nexpect h\n"
		"metadata f ^Model: (?<model>\\w+)\n"
		"sample Model: x\nexpect f\n"
		"summary s ^total images/sec: (?<samples_per_s>[\\d.]+)\n"
		"sample total images/sec: 5\nexpect s\n"
	};
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	scan_own(&own,
	    "[1,2]<stdout>:Model: vgg16\n"
	    "[1,2]<stdout>:10\timages/sec: 64.5\n20\timages/sec: 65.5\n"
	    "x 30\timages/sec: 66.5\n[1,0]<stdout>:total images/sec: 129.25\n",
	    0, &log);
	CHECK_INT(log.samples.n, 2);
	CHECK_INT(log.samples.items[0].rank, 2);
	CHECK_INT(log.samples.items[0].iter, 10);
	CHECK_INT(log.samples.items[1].rank, SAMPLE_NONE);
	CHECK_INT(log.n_metadata, 1);
	CHECK_STR(log.metadata[0].value, "vgg16");
	CHECK_INT(log.n_summaries, 1);
	CHECK_NEAR(log.summaries[0].value, 129.25, 0);
	CHECK_STR(log.summaries[0].unit, "samples/s");
	CHECK_INT(log.summaries[0].line, 5);
	CHECK_STR(log.hash, "");
	log_release(&log);
	own_release(&own);
}

/* Programs with two loggers print a record twice; ranks do not. */
static void
test_echo(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\necho yes\n"
		"step h step (?<iter>\\d+) (?<samples_per_s>\\S+)\n"
		"sample step 3 5\nexpect h\n",
		"name b\ndescription d\nkind rate\n"
		"step h STEP (?<iter>\\d+) (?<samples_per_s>\\S+)\n"
		"sample STEP 3 5\nexpect h\n"
	};
	struct own own;
	struct log log;

	own_init(&own, texts, 2);
	scan_own(&own,
	    "step 1 5\nA: step 1 5\nstep 2 5\nA: step 2 6\n"
	    "[1,0]<stdout>:step 3 5\n[1,1]<stdout>:step 3 5\nstep 1 5\n",
	    0, &log);
	CHECK_INT(log.samples.n, 6);
	CHECK_INT(log.samples.items[1].iter, 2);
	CHECK_NEAR(log.samples.items[2].value, 6, 0);
	CHECK_INT(log.samples.items[4].rank, 1);
	log_release(&log);
	scan_own(&own, "STEP 1 5\nA: STEP 1 5\n", 0, &log);
	CHECK_INT(log.samples.n, 2);
	log_release(&log);
	own_release(&own);
}

static const char *const details_format[] = {
	"name a\ndescription d\n"
	"kind step-time\n"
	"step h step (?<iter>\\d+) (?<step_ms>\\S+) ms loss (?<loss>\\S+)\n"
	"sample step 3 5 ms loss 2\nexpect h value=0.005\n"
	"detail d acc (?<top1>\\S+)\n"
	"sample step 3 5 ms loss 2 acc 3\nexpect h\nexpect d\n"
	"result v val (?<val_loss>\\S+)\nsample val 7\nexpect v\n"
	"ignore e eval step\n"
	"sample eval step 4 5 ms loss 2\nexpect e\n"
};

static struct log_detail
detail_at(const struct log *log, size_t i)
{
	struct detail_store_reader r = detail_store_read(&log->details);
	struct log_detail x = { NAN, 0, 0 };

	for (size_t n = 0; n <= i; n++)
		CHECK(next_detail(&r, &x));
	return x;
}

static const char *
key_at(const struct log *log, size_t i)
{
	const struct log_detail x = detail_at(log, i);

	return detail_key(&x);
}

/* A quantity has one key and one unit, however it was printed. */
static void
test_units_of_details(void)
{
	static const char *const format[] = {
		"name a\ndescription d\nkind step-time\n"
		"step h step (?<iter>\\d+) (?<step_ms>\\S+) ms\n"
		"sample step 3 5 ms\nexpect h value=0.005\n"
		"detail d acc (?<top1_share>\\S+) wait (?<data_ms>\\S+)\n"
		"sample step 3 5 ms acc 0.5 wait 2\nexpect h\nexpect d\n"
	};
	struct own own;
	struct log log;

	own_init(&own, format, 1);
	scan_own(&own,
	    "step 1 500 ms acc 0.25 wait 20\nstep 2 500 ms acc 0 wait 1\n", 1,
	    &log);
	CHECK_INT(log.details.n, 4);
	CHECK_STR(key_at(&log, 0), "top1");
	CHECK_NEAR(detail_at(&log, 0).value, 25, 1e-12);
	CHECK_STR(key_at(&log, 1), "data_s");
	CHECK_NEAR(detail_at(&log, 1).value, 0.02, 1e-12);
	CHECK_NEAR(detail_at(&log, 2).value, 0, 0);
	log_release(&log);
	own_release(&own);
}

static void
test_details(void)
{
	struct own own;
	struct log log;

	own_init(&own, details_format, 1);
	scan_own(&own,
	    "step 1 500 ms loss 2.5 acc 0.5 "
	    "step 2 250 ms loss nan acc 0.75\neval step 3 1 ms loss 9\n"
	    "val 7.5\nstep 4 12,5x ms loss 1\nstep 5 nan ms loss 1\n",
	    1, &log);
	CHECK_INT(log.samples.n, 2);
	CHECK_NEAR(log.samples.items[0].value, 0.5, 0);
	/* Only steps with a usable time have details, which are in the order of
	 * the steps; the patterns match in a different order. */
	CHECK_INT(log.details.n, 4);
	CHECK_STR(key_at(&log, 0), "loss");
	CHECK_INT(detail_at(&log, 0).sample, 0);
	CHECK_STR(key_at(&log, 1), "top1");
	CHECK_NEAR(detail_at(&log, 1).value, 0.5, 0);
	CHECK_INT(detail_at(&log, 1).sample, 0);
	CHECK_STR(key_at(&log, 2), "loss");
	CHECK_INT(detail_at(&log, 2).sample, 1);
	CHECK(isnan(detail_at(&log, 2).value));
	CHECK_NEAR(detail_at(&log, 3).value, 0.75, 0);
	CHECK_INT(detail_at(&log, 3).sample, 1);
	log_release(&log);
	scan_own(&own, "step 1 500 ms loss 2.5 acc 0.5\nval 7\n", 0, &log);
	CHECK_INT(log.samples.n, 1);
	CHECK_INT(log.details.n, 0);
	log_release(&log);
	own_release(&own);
}

static const char *const tail_format[] = {
	"name a\ndescription d\nkind step-time\n"
	"step h step (?<iter>\\d+) (?<step_ms>\\S+) ms data (?<data_s>\\S+) "
	"loss (?<loss>\\S+) five (?<top5>\\S+)\n"
	"sample step 3 5 ms data 1 loss 2 five 3\nexpect h value=0.005\n"
	"result v val (?<val_loss>\\S+)\nsample val 7\nexpect v\n"
};

/* Values at the end of a log: all of data_s, the last of the losses. */
static void
test_tail_lines(void)
{
	static const char *const ends[] = { "\n", "", "\n\n", "\r\n" };
	struct own own;

	own_init(&own, tail_format, 1);
	for (int many = 0; many < 2; many++)
		for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
			const int64_t n = many ? 20000 : 0;
			const struct log_tail_value *v;
			struct strbuf sb;
			struct log log;

			strbuf_init(&sb, 1 << 22);
			strbuf_addstr(
			    &sb, "step 1 5 ms data 2.5 loss 1 five 9\n");
			for (int64_t k = 0; k < n; k++)
				strbuf_addstr(&sb, "nothing of interest\n");
			strbuf_addstr(&sb,
			    "step 2 5 ms data 4.5 loss 0.25 five 8\nnothing\n"
			    "step 3 5 ms data 1.5 loss 0.75 five 7\n"
			    "val 75");
			strbuf_addstr(&sb, ends[i]);
			scan_own(&own, sb.buf, 0, &log);
			CHECK_INT(log.n_tail, 3);
			v = &log.tail[0];
			CHECK_STR(v->key, "data_s");
			CHECK_INT(v->first_line, many ? n + 2 : 1);
			CHECK_INT(v->last_line, n + 4);
			CHECK_INT(v->n, many ? 2 : 3);
			CHECK_NEAR(v->sum, many ? 6 : 8.5, 0);
			CHECK_NEAR(v->max, 4.5, 0);
			CHECK_NEAR(v->last, 1.5, 0);
			CHECK_STR(v[1].key, "loss");
			CHECK_INT(v[1].last_line, n + 4);
			CHECK_NEAR(v[1].last, 0.75, 0);
			CHECK_NEAR(log.tail[2].last, 75, 0);
			CHECK_INT(log.tail[2].last_line, n + 5);
			log_release(&log);
			strbuf_release(&sb);
		}
	own_release(&own);
}

/* Return the value of a metadata key, or NULL. */
static const char *
metadata_of(const struct log *log, const char *key)
{
	for (size_t i = 0; i < log->n_metadata; i++)
		if (strcmp(log->metadata[i].key, key) == 0)
			return log->metadata[i].value;
	return NULL;
}

/* A metadata field of certain frameworks applies to their logs only, whatever
 * the place of the framework in the field's list. */
static void
test_metadata_of_frameworks(void)
{
	static const char *const frameworks[] = { "pytorch", "deepspeed",
		"horovod", "paddle", "torch", "pytorc", "pytorch2" };

	for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++) {
		char *format = xasprintf("name a\ndescription d\nkind rate\n"
					 "set framework %s\n"
					 "step h ^n (?<samples_per_s>\\d+)$\n"
					 "sample n 2\nexpect h\n",
		    frameworks[i]);
		const char *const texts[] = { format }, *value;
		struct own own;
		struct log log;

		own_init(&own, texts, 1);
		scan_own(&own,
		    "PyTorch version: 1.13.1\nGPUs used: 8\nn 5\nn 6\n", 0,
		    &log);
		CHECK_INT(log.samples.n, 2);
		value = metadata_of(&log, "framework_version");
		CHECK_STR(
		    value != NULL ? value : "none", i < 3 ? "1.13.1" : "none");
		value = metadata_of(&log, "world_size");
		CHECK_STR(
		    value != NULL ? value : "none", i == 3 ? "8" : "none");
		log_release(&log);
		own_release(&own);
		free(format);
	}
}

/* Details next to the echo of a record belong to no sample, in particular not
 * to the next one. */
static void
test_echo_details(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\necho yes\n"
		"step h step (?<iter>\\d+) (?<samples_per_s>\\S+) "
		"(?<loss>\\S+)\nsample step 3 5 1\nexpect h\n"
	};
	static const int samples[] = { 0, 1, 2 };
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	scan_own(&own,
	    "step 1 5 0.5\nstep 1 5 0.6\nstep 2 5 0.7\nstep 2 5 0.8\n"
	    "step 3 nan 0.9\nstep 4 5 0.25\n",
	    1, &log);
	CHECK_INT(log.samples.n, 3);
	CHECK_INT(log.details.n, N_TESTS(samples));
	for (size_t i = 0; i < N_TESTS(samples); i++)
		CHECK_INT(detail_at(&log, i).sample, samples[i]);
	log_release(&log);
	own_release(&own);
}

/* A bar that is redrawn within half a second has not advanced. Its time is the
 * mean time of a step times the number of steps. */
static void
test_bars(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\necho bar\n"
		"step h (?<iter>\\d+)/(?<iters>\\d+) (?<step_s>\\S+)s\n"
		"sample 3/9 5s\nexpect h\n"
	};
	static const struct {
		const char *text;
		int samples;
	} cases[] = {
		{ "1/9 10s\n2/9 5.24s\n", 1 }, /* 0.48 s later */
		{ "1/9 10s\n2/9 5.25s\n", 2 }, /* 0.5 s later */
		{ "1/9 10s\n2/9 5.26s\n", 2 },
		{ "1/9 10s\n2/9 4.7s\n", 1 }, /* it moved backwards */
		{ "2/9 5s\n2/9 8s\n", 1 },    /* redrawn */
		{ "2/9 5s\n1/9 5s\n", 2 },    /* another bar */
		{ "1/9 0s\n2/9 3s\n", 1 },    /* it has just started */
	};
	struct own own;

	own_init(&own, texts, 1);
	for (size_t i = 0; i < N_TESTS(cases); i++) {
		struct log log;

		scan_own(&own, cases[i].text, 0, &log);
		if ((int)log.samples.n != cases[i].samples)
			printf("# %s", cases[i].text);
		CHECK_INT(log.samples.n, cases[i].samples);
		log_release(&log);
	}
	own_release(&own);
}

/* The work per step is recorded where it changes, for each capture. */
static void
test_works(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"step h b=(?<batch_size>\\S+) i=(?<iter>\\d+) (?<step_s>\\S+)s "
		"t=(?<tokens_per_step>\\S+)\n"
		"sample b=4 i=1 5s t=8\nexpect h\n"
	};
	static const struct {
		const char *key;
		double amount;
		int64_t line;
	} want[] = { { "batch_size", 32, 1 }, { "tokens_per_step", 640, 1 },
		{ "tokens_per_step", 641, 2 }, { "batch_size", 31, 3 },
		{ "batch_size", 32, 4 } };
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	scan_own(&own,
	    "b=32 i=1 5s t=640\nb=32 i=2 5s t=641\nb=31 i=3 5s t=641\n"
	    "b=32 i=4 5s t=641\nb=0 i=5 5s t=641\n",
	    0, &log);
	CHECK_INT(log.samples.n, 5);
	for (size_t i = 0; i < N_TESTS(want); i++) {
		const struct log_work *x =
		    log_works_entry(&log, want[i].key, want[i].line);

		CHECK_NEAR(x->amount, want[i].amount, 0);
		CHECK_INT(x->line, want[i].line);
	}
	CHECK_NEAR(log_works_at(&log, "batch_size", INT64_MAX), 32, 0);
	CHECK_INT(log.n_metadata, 2);
	CHECK_STR(log.metadata[0].key, "batch_size");
	CHECK_STR(log.metadata[0].value, "32");
	CHECK_STR(log.metadata[1].value, "640");
	log_release(&log);
	own_release(&own);
}

/* The sample of a line, or the next sample if the line has no sample. */
static void
test_sample_from(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"step h i=(?<iter>\\d+) (?<step_s>\\S+)s\n"
		"sample i=1 5s\nexpect h\n"
	};
	static const int64_t lines[] = { 2, 2, 2, 4, 4 }; /* from 0, 1, ... */
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	scan_own(&own, "-\ni=1 5s\n-\ni=2 5s\n-\n", 0, &log);
	CHECK_INT(log.samples.n, 2);
	for (int k = 0; k < N_TESTS(lines); k++)
		CHECK_INT(log_sample_from(&log, k)->line, lines[k]);
	CHECK(log_sample_from(&log, 5) == NULL);
	log_release(&log);
	own_release(&own);
}

/* Steps of another program, far beyond the bytes in which the format was
 * detected; the other program's format is not prepared yet. */
static void
test_other_steps_far_on(void)
{
	const struct scan_options options = { NULL, 0, 0, 0 };
	struct format_set fresh;
	struct search_path dirs;
	struct error e = ERROR_INIT;
	struct strbuf sb;
	struct log log;
	int lines = 0;

	search_path_init(&dirs, NULL, 0);
	CHECK_INT(format_set_load(&fresh, &dirs, &e), 0);
	strbuf_init(&sb, 1 << 20);
	for (; sb.len < SCAN_HEAD_BYTES + 4096; lines++)
		strbuf_addstr(&sb, STEP("0", "1", "0.5") "\n");
	for (int i = 20; i <= 140; i += 20)
		strbuf_printf(&sb,
		    "INFO:root:Epoch[0] Batch [%d]\tSpeed: 1712.30 "
		    "samples/sec\taccuracy=0.002344\n",
		    i);
	put_file("log", sb.buf, sb.len);
	scan_with(&fresh, &options, &log);
	CHECK_INT(log.samples.n, lines);
	CHECK_STR(log.other_name, "mxnet-speedometer");
	CHECK_INT(log.other_steps, 7);
	CHECK_INT(log.other_line, lines + 1);
	log_release(&log);
	strbuf_release(&sb);
	format_set_release(&fresh);
	search_path_release(&dirs);
}

static void
test_stamps(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind stamp\n"
		"step h (?:(?<date>[\\d-]+) )?(?<clock>[\\d:]+[.,]\\d+) "
		"iter (?<iter>\\d+)\nsample 01:00:00.5 iter 4\n"
		"expect h seconds=3600.5\n",
		"name b\ndescription d\nkind stamp\n"
		"step h t=(?<stamp>\\S+) iter (?<iter>\\d+)\n"
		"sample t=1602563696.25 iter 4\n"
		"expect h seconds=1602563696.25\n"
	};
	struct own own;
	struct log log;

	own_init(&own, texts, 2);
	scan_own(&own,
	    "1970-01-02 00:00:01.5 iter 1\n"
	    "1970-01-02 00:00:02,25 iter 2\n23:59:59.5 iter 3\n"
	    "1970-13-41 00:00:02,25 iter 4\n",
	    0, &log);
	CHECK_INT(log.samples.n, 3);
	CHECK_NEAR(log.samples.items[0].stamp, 86401.5, 0);
	CHECK_NEAR(log.samples.items[1].stamp, 86402.25, 0);
	CHECK_NEAR(log.samples.items[2].stamp, 86399.5, 0);
	CHECK(isnan(log.samples.items[0].value));
	log_release(&log);
	scan_own(
	    &own, "t=1602563696.25 iter 1\nt=1602563696750 iter 2\n", 0, &log);
	CHECK_INT(log.samples.n, 2);
	CHECK_NEAR(
	    log.samples.items[1].stamp - log.samples.items[0].stamp, 0.5, 0);
	log_release(&log);
	own_release(&own);
}

/* Numbers of all lengths, read eight bytes at a time or one by one, are the
 * doubles that strtod gives. */
static void
test_numbers(void)
{
	static const char *const numbers[] = { "1", "12", "0.5", ".5", "5.",
		"0.001", "12.054", "123.4567", "1234567", "12345678",
		"1234.567", "123456789", "0.123456789", "3285.2818984560968",
		"1e-3", "10,050.25", "11.5K", "99999999", "0.0000001",
		"7.1e+02" };
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h r=(?<samples_per_s>\\S+)\nsample r=1\nexpect h\n"
	};
	struct own own;
	struct strbuf sb;
	struct log log;
	size_t n = sizeof numbers / sizeof numbers[0];

	strbuf_init(&sb, 100000);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sb, "r=%s and what follows\n", numbers[i]);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sb, "r=%s\n", numbers[i]);
	own_init(&own, texts, 1);
	scan_own(&own, sb.buf, 0, &log);
	CHECK_INT(log.samples.n, 2 * n);
	for (size_t i = 0; i < 2 * n; i++) {
		const char *text = numbers[i % n];
		double want = text[strlen(text) - 1] == 'K' ? 11500
		    : strchr(text, ',') != NULL             ? 10050.25
						: strtod(text, NULL);

		CHECK_NEAR(log.samples.items[i].value, want, 0);
	}
	log_release(&log);
	own_release(&own);
	strbuf_release(&sb);
}

/* --- Which format ----------------------------------------------------------*/

static void
test_detection(void)
{
	/* b is a with a higher priority, c is generic, d has a summary only. */
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\npriority 40\n"
		"step h it (?<iter>\\d+) r (?<samples_per_s>\\d+)\n"
		"sample it 1 r 2\nexpect h\n",
		"name b\ndescription d\nkind rate\npriority 60\n"
		"step h it (?<iter>\\d+) r (?<samples_per_s>\\d+)\n"
		"sample it 1 r 2\nexpect h\n",
		"name c\ndescription d\nkind rate\ngeneric yes\n"
		"step h r (?<samples_per_s>\\d+)\nsample r 2\nexpect h\n",
		"name d\ndescription d\nkind rate\n"
		"summary s total (?<samples_per_s>\\d+)\n"
		"sample total 2\nexpect s\n",
	};
	struct scan_options options = { NULL, 1, 0, 0 };
	struct own own;
	struct log log;

	own_init(&own, texts, 4);
	scan_own(&own, "it 1 r 5\nr 6\nr 7\ntotal 3\n", 0, &log);
	CHECK_STR(log.format->name, "b");
	CHECK_STR(log.runner_up->name, "a");
	log_release(&log);
	scan_own(&own, "r 6\nr 7\n", 0, &log);
	CHECK_STR(log.format->name, "c");
	CHECK(log.runner_up == NULL);
	log_release(&log);
	scan_own(&own, "r 6\nr 7\ntotal 3\n", 0, &log);
	CHECK_STR(log.format->name, "d");
	CHECK_STR(log.runner_up->name, "c");
	CHECK_STR(log.meaning->rule, "summary");
	log_release(&log);
	scan_own(&own, "nothing of this\nkind\n", 0, &log);
	CHECK(log.format == NULL);
	CHECK(log.meaning == NULL);
	CHECK_INT(log.lines, 2);
	CHECK_INT(log.problem.code, ERROR_NONE);
	log_release(&log);

	/* A forced format is used even if nothing matches it. */
	put_file("log", "it 1 r 5\n", 9);
	options.forced = own.formats[3];
	scan_with(&own.set, &options, &log);
	CHECK_STR(log.format->name, "d");
	CHECK_INT(log.samples.n + log.n_summaries, 0);
	log_release(&log);
	own_release(&own);
}

/* The format is found after much noise, and no line is lost. */
static void
test_late_format(void)
{
	static const size_t noise[] = { 300000, 1100000, 5000000, 17000000 };

	for (size_t i = 0; i < 4; i++) {
		struct strbuf sb;
		struct log log;

		strbuf_init(&sb, 1 << 26);
		strbuf_addstr(&sb, "=> creating model 'vgg16'\n");
		while (sb.len < noise[i])
			strbuf_addstr(&sb, "some warning that says little\n");
		strbuf_addstr(&sb, STEP("0", "1", "0.5") "\n");
		scan_bytes(sb.buf, sb.len, &log);
		CHECK(log.format != NULL);
		CHECK_INT(log.samples.n, 1);
		CHECK_INT(log.samples.items[0].line, log.lines);
		CHECK_INT(log.n_metadata, 2);
		CHECK_INT(log.bytes, sb.len);
		log_release(&log);
		strbuf_release(&sb);
	}
}

static void
test_match_limit(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h r (?<samples_per_s>\\d+) (?:\\w+\\s?)+$\n"
		"sample r 2 x\nexpect h\n"
	};
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	scan_own(&own,
	    "r 1 aaa\n"
	    "r 2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-\n"
	    "r 3 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-\n",
	    0, &log);
	CHECK_INT(log.samples.n, 1);
	CHECK_INT(log.n_match_limit, 2);
	CHECK_INT(log.match_limit_line, 2);
	log_release(&log);
	own_release(&own);
}
/* Only a date with a time is found, with all of its fraction and zone. */
static void
test_stamp_find(void)
{
	static const struct {
		const char *text, *stamp;
		int zone;
	} rows[] = {
		{ "[2024-05-01 12:00:00,123] x", "2024-05-01 12:00:00,123", 0 },
		{ "I 2024/05/01 12:00:00.5: x", "2024/05/01 12:00:00.5", 0 },
		{ "a=2024-05-01T12:00:00Z b", "2024-05-01T12:00:00Z", 1 },
		{ "2024-05-01T12:00:00.25+08:00",
		    "2024-05-01T12:00:00.25+08:00", 1 },
		{ "2024-05-01 12:00:00-0800 x", "2024-05-01 12:00:00-0800", 1 },
		{ "2024-13-01 12:00:00 2024-05-01 12:00:01",
		    "2024-05-01 12:00:01", 0 },
		{ "2024-05-01 12:00", NULL, 0 },
		{ "32024-05-01 12:00:00", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < N_TESTS(rows); i++) {
		const char *text = rows[i].text;
		char found[64] = "";
		size_t size = 0;
		const char *at = stamp_find(text, strlen(text), &size);

		if (at != NULL)
			snprintf(found, sizeof found, "%.*s", (int)size, at);
		CHECK_STR(found, rows[i].stamp != NULL ? rows[i].stamp : "");
		if (at != NULL)
			CHECK_INT(stamp_has_zone(found), rows[i].zone);
	}
}

/* Only the first 120 columns of the first 400 lines are searched for a date. */
static void
test_first_stamp(void)
{
	for (int lines = 399; lines <= 400; lines++)
		for (int columns = 100; columns <= 102; columns++) {
			struct strbuf sb = STRBUF_INIT(1 << 20);
			struct log log;

			for (int i = 0; i < lines; i++)
				strbuf_addstr(&sb, "no stamp\n");
			strbuf_printf(&sb,
			    "%*s 2024-05-01 12:00:00\nEpoch: [0][1/9]\tTime "
			    "0.5 ( 0.5)\tData 0.1 (0.1)\n",
			    columns, "");
			scan_string(sb.buf, &log);
			CHECK_STR(
			    log.first_stamp != NULL ? log.first_stamp : "",
			    lines < 400 && columns < 101 ? "2024-05-01 12:00:00"
							 : "");
			log_release(&log);
			strbuf_release(&sb);
		}
}

static const struct tap_test tests[] = {
	TEST(test_lines),
	TEST(test_long_lines),
	TEST(test_sample_store),
	TEST(test_line_ends),
	TEST(test_glue),
	TEST(test_dirt),
	TEST(test_ranks),
	TEST(test_anchored),
	TEST(test_echo),
	TEST(test_units_of_details),
	TEST(test_details),
	TEST(test_tail_lines),
	TEST(test_metadata_of_frameworks),
	TEST(test_echo_details),
	TEST(test_bars),
	TEST(test_works),
	TEST(test_sample_from),
	TEST(test_other_steps_far_on),
	TEST(test_stamps),
	TEST(test_numbers),
	TEST(test_detection),
	TEST(test_late_format),
	TEST(test_match_limit),
	TEST(test_stamp_find),
	TEST(test_first_stamp),
};

int
main(void)
{
	int status;

	strbuf_init(&seen, 1 << 20);
	status = scanning_main("test_scan_file", tests, N_TESTS(tests));
	strbuf_release(&seen);
	return status;
}
