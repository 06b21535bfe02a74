#include <config.h>

#include "common/alloc.h"
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "tests/unit/scanning.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

/* --- Files -----------------------------------------------------------------*/

static void
hash_of(const void *data, size_t len, char out[33])
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, XXH3_128bits(data, len));
	for (int i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", c.digest[i]);
}

/* Append step lines until sb holds at least `bytes`; return their number. */
static long
make_steps(struct strbuf *sb, size_t bytes)
{
	long n;

	for (n = 0; sb->len < bytes; n++)
		strbuf_printf(sb,
		    "Epoch: [%ld][ %3ld/5005]\tTime %6.3f (%6.3f)"
		    "\tData  0.001 ( 0.001)\tLoss 6.9 (7.0)\n",
		    n / 5005, n % 5005, 0.001 * (double)(n % 1000), 0.5);
	return n;
}

static void
test_small_and_large(void)
{
	static const size_t sizes[] = { 1, 200, BYTE_SOURCE_CHUNK - 1,
		BYTE_SOURCE_CHUNK, 3 * BYTE_SOURCE_CHUNK + 7,
		9 * BYTE_SOURCE_CHUNK, 96 * BYTE_SOURCE_CHUNK + 12345 };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct strbuf sb;
		struct log log;
		char hash[33];
		long n;

		strbuf_init(&sb, 1 << 26);
		n = make_steps(&sb, sizes[i]);
		scan_bytes(sb.buf, sb.len, &log);
		CHECK_STR(log.problem.message, "");
		CHECK_INT(log.samples.n, n);
		CHECK_INT(log.lines, n);
		CHECK_INT(log.bytes, sb.len);
		hash_of(sb.buf, sb.len, hash);
		CHECK_STR(log.hash, hash);
		CHECK_INT(log.truncated, 0);
		for (long j = 0; j < n; j++) {
			CHECK_INT(log.samples.items[j].line, j + 1);
			CHECK_INT(log.samples.items[j].iter, j % 5005);
			CHECK_NEAR(log.samples.items[j].value,
			    0.001 * (double)(j % 1000), 1e-9);
		}
		log_release(&log);
		strbuf_release(&sb);
	}
}

static void
test_very_long_line(void)
{
	size_t len = SCAN_MAX_LINE + 1000;
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 1 << 26);
	strbuf_addchars(&sb, 'x', len);
	strbuf_addstr(&sb, STEP("0", "1", "0.5") "\n" STEP("0", "2", "0.5"));
	scan_bytes(sb.buf, sb.len, &log);
	CHECK_STR(log.problem.message, "");
	CHECK_INT(log.n_long_lines, 1);
	CHECK_INT(log.samples.n, 2);
	CHECK_INT(log.samples.items[0].line, 1);
	CHECK_INT(log.samples.items[1].line, 2);
	log_release(&log);
	strbuf_release(&sb);
}

#if defined(HAVE_ZLIB) || defined(HAVE_ZSTD) || defined(HAVE_LZMA)
/* Check a scan of compressed text that is cut at `keep` bytes or damaged. */
static void
check_packed(const void *packed, size_t len, size_t keep, long n, int damaged)
{
	struct log log;
	char hash[33];

	scan_bytes(packed, keep, &log);
	if (damaged) {
		CHECK_INT(log.problem.code, ERROR_INPUT);
		CHECK(strstr(log.problem.message, " data is damaged") != NULL);
		CHECK(strstr(log.problem.message, "shown: ") ==
		    log.problem.message);
	} else {
		CHECK_STR(log.problem.message, "");
		CHECK_INT(log.truncated, keep < len);
		CHECK(keep < len ? log.samples.n < (size_t)n
				 : log.samples.n == (size_t)n);
		CHECK(log.samples.n > 0);
		CHECK_INT(log.bytes, keep);
		hash_of(packed, keep, hash);
		CHECK_STR(log.hash, hash);
	}
	log_release(&log);
}

/* Compressed text followed by other bytes. */
static void
check_trailing(const void *packed, size_t len, long n)
{
	struct log log;

	scan_bytes(packed, len, &log);
	CHECK_STR(log.problem.message, "");
	CHECK_INT(log.samples.n, n);
	CHECK_INT(log.trailing, 1);
	CHECK_INT(log.truncated, 0);
	log_release(&log);
}

/* The scan fails with the message `why`. */
static void
check_refused(const char *packed, size_t len, const char *why)
{
	struct log log;

	scan_bytes(packed, len, &log);
	CHECK(strncmp(log.problem.message, "shown: ", 7) == 0);
	CHECK_STR(log.problem.message + 7, why);
	log_release(&log);
}

static void
check_all_ways(char *packed, size_t len, long n)
{
	check_packed(packed, len, len, n, 0);
	check_packed(packed, len, len / 2, n, 0);
	memset(packed + len / 2, 0x55, 64);
	check_packed(packed, len, len, n, 1);
}
#endif

#ifdef HAVE_ZLIB
/* Compress the text with gzip; the caller frees the result. */
static char *
gzip_text(const struct strbuf *sb, size_t *len)
{
	z_stream z;
	char *packed;

	memset(&z, 0, sizeof z);
	CHECK_INT(deflateInit2(
		      &z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
	    Z_OK);
	*len = deflateBound(&z, sb->len);
	packed = xmalloc(*len);
	z.next_in = (Bytef *)sb->buf;
	z.avail_in = (uInt)sb->len;
	z.next_out = (Bytef *)packed;
	z.avail_out = (uInt)*len;
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	*len = z.total_out;
	deflateEnd(&z);
	return packed;
}
#endif

static void
test_gzip(void)
{
#ifdef HAVE_ZLIB
	struct strbuf sb;
	char *packed, *twice;
	size_t len;
	long n;

	strbuf_init(&sb, 1 << 26);
	n = make_steps(&sb, 3000000);
	packed = gzip_text(&sb, &len);
	/* Consecutive members form one text; trailing zeros are ignored. */
	twice = xmalloc(2 * len + 100);
	memcpy(twice, packed, len);
	memcpy(twice + len, packed, len);
	memset(twice + 2 * len, 0, 100);
	check_packed(twice, 2 * len, 2 * len, 2 * n, 0);
	check_packed(twice, 2 * len + 100, 2 * len + 100, 2 * n, 0);
	/* Zeros between members are ignored; uncompressed data are noted. */
	memcpy(twice + len + 100, packed, len);
	memset(twice + len, 0, 100);
	check_packed(twice, 2 * len + 100, 2 * len + 100, 2 * n, 0);
	memcpy(twice + len, "plain text\n", 11);
	check_trailing(twice, len + 11, n);
	check_trailing(twice, len + 1, n);
	check_refused(packed, 5, "the compressed data end before any text");
	check_all_ways(packed, len, n);
	free(packed);
	free(twice);
	strbuf_release(&sb);
#else
	struct log log;

	scan_bytes("\x1f\x8b\x08\x00", 4, &log);
	CHECK_STR(log.problem.message,
	    "shown: the file is compressed with gzip, which this build cannot "
	    "read (configured without zlib)");
	log_release(&log);
#endif
}

#define TIMELINE_OF(shape) \
	"{\"ph\": \"B\", \"name\": \"ALLREDUCE\", \"ts\": 10, \"pid\": 1},\n" \
	"{\"ph\": \"B\", \"name\": \"NCCL_ALLREDUCE\", \"ts\": 20, " \
	"\"pid\": 1},\n" \
	"{\"ph\": \"E\", \"ts\": 1020, \"pid\": 1},\n" \
	"{\"ph\": \"E\", \"ts\": 1030, \"pid\": 1, \"args\": {\"dtype\": " \
	"\"float32\", \"shape\": \"" shape "\"}},\n"
#define TIMELINE_TICK(rank) \
	"{\"ph\": \"X\", \"name\": \"" rank "\", \"ts\": 1, \"pid\": 1},\n"

/* Every digit of a tensor's shape counts, and every dimension. */
static void
test_timeline_shapes(void)
{
#define TICKS_OF(shape) TIMELINE_TICK("0") TIMELINE_TICK("1") TIMELINE_OF(shape)
	static const struct {
		const char *text;
		double elements;
	} cases[] = {
		{ TICKS_OF("[1000000]"), 1e6 },
		{ TICKS_OF("[1009, 991]"), 999919 },
		{ TICKS_OF("[3, 7, 7, 64, 90]"), 846720 },
		{ TICKS_OF("[245678]"), 245678 },
	};
	const struct scan_options options = { NULL, 0, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct log log;

		put_file("good", cases[i].text, strlen(cases[i].text));
		CHECK_INT(scanner_scan(s, scratch_path, "x", &log), 0);
		CHECK_INT(log.n_collectives, 1);
		CHECK_NEAR(
		    log.collectives[0].bus, cases[i].elements * 4e-6, 1e-9);
		log_release(&log);
	}
	scanner_free(s);
#undef TICKS_OF
}

#ifdef HAVE_ZLIB
#define TIMELINE_LINES TIMELINE_OF("[1000000]")

/* A timeline that cannot be read to its end does not affect the next file: 4 MB
 * in 1 ms between two ranks are 4 GB/s on the bus. */
static void
test_failed_timeline(void)
{
	static const char good[] =
	    TIMELINE_TICK("0") TIMELINE_TICK("1") TIMELINE_LINES;
	struct scan_options options = { NULL, 0, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct strbuf sb;
	struct log log;
	char *packed;
	size_t len;

	strbuf_init(&sb, 1 << 26);
	strbuf_addstr(&sb, TIMELINE_LINES);
	while (sb.len < 3 * (size_t)BYTE_SOURCE_CHUNK)
		strbuf_addstr(&sb, TIMELINE_TICK("7"));
	packed = gzip_text(&sb, &len);
	packed[len - 5] ^= 1; /* in the checksum */
	put_file("damaged", packed, len);
	CHECK_INT(scanner_scan(s, scratch_path, "x", &log), -1);
	log_release(&log);
	put_file("good", good, sizeof good - 1);
	CHECK_INT(scanner_scan(s, scratch_path, "x", &log), 0);
	CHECK_INT(log.n_collectives, 1);
	CHECK_NEAR(log.collectives[0].bus, 4, 1e-9);
	log_release(&log);
	scanner_free(s);
	free(packed);
	strbuf_release(&sb);
}
#endif

static void
test_zstd(void)
{
#ifdef HAVE_ZSTD
	struct strbuf sb;
	size_t len;
	char *packed;
	long n;

	strbuf_init(&sb, 1 << 26);
	n = make_steps(&sb, 3000000);
	len = ZSTD_compressBound(sb.len);
	packed = xmalloc(len);
	len = ZSTD_compress(packed, len, sb.buf, sb.len, 3);
	CHECK(!ZSTD_isError(len));
	/* As pzstd writes it: a skippable frame before each data frame. */
	{
		static const char skip[] = "\x50\x2a\x4d\x18\x04\0\0\0sizeX";
		const size_t n_skip = 12, all = 2 * (len + n_skip);
		char *twice = xmalloc(all + 1);

		memcpy(twice, skip, n_skip);
		memcpy(twice + n_skip, packed, len);
		twice[n_skip + len] = '\x5f';
		memcpy(twice + n_skip + len + 1, skip + 1, n_skip - 1);
		memcpy(twice + 2 * n_skip + len, packed, len);
		check_packed(twice, all, all, 2 * n, 0);
		twice[all] = 'x';
		check_trailing(twice, all + 1, 2 * n);
		free(twice);
	}
	/* Data cut before the first block contain no text. */
	check_refused(packed, 8, "the compressed data end before any text");
	check_refused("\x28\xb5\x2f\xfd\x00\xa8\x01\0\0", 9,
	    "the zstd data need more than 128 MiB of memory to unpack");
	check_all_ways(packed, len, n);
	free(packed);
	strbuf_release(&sb);
#else
	struct log log;

	scan_bytes("\x28\xb5\x2f\xfd", 4, &log);
	CHECK_STR(log.problem.message,
	    "shown: the file is compressed with zstd, which this build cannot "
	    "read (configured without zstd)");
	log_release(&log);
#endif
}

#ifdef HAVE_LZMA
/* A valid stream that requires a dictionary of 512 MiB. */
static void
check_large_dictionary(void)
{
	lzma_options_lzma lzma;
	lzma_filter filters[2] = { { LZMA_FILTER_LZMA2, &lzma },
		{ LZMA_VLI_UNKNOWN, NULL } };
	lzma_stream_flags flags = { .version = 0, .check = LZMA_CHECK_CRC32 };
	lzma_block block = { .version = 0,
		.check = LZMA_CHECK_CRC32,
		.compressed_size = LZMA_VLI_UNKNOWN,
		.uncompressed_size = LZMA_VLI_UNKNOWN,
		.filters = filters };
	uint8_t bytes[LZMA_STREAM_HEADER_SIZE + LZMA_BLOCK_HEADER_SIZE_MAX];

	lzma_lzma_preset(&lzma, 0);
	lzma.dict_size = 512 << 20;
	CHECK_INT(lzma_stream_header_encode(&flags, bytes), LZMA_OK);
	CHECK_INT(lzma_block_header_size(&block), LZMA_OK);
	CHECK_INT(
	    lzma_block_header_encode(&block, bytes + LZMA_STREAM_HEADER_SIZE),
	    LZMA_OK);
	check_refused((const char *)bytes,
	    LZMA_STREAM_HEADER_SIZE + block.header_size,
	    "the xz data need more than 256 MiB of memory to unpack");
}
#endif

static void
test_xz(void)
{
#ifdef HAVE_LZMA
	struct strbuf sb;
	size_t len, room;
	char *packed;
	long n;

	strbuf_init(&sb, 1 << 26);
	n = make_steps(&sb, 3000000);
	room = lzma_stream_buffer_bound(sb.len);
	packed = xmalloc(room);
	len = 0;
	CHECK_INT(
	    lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL,
		(const uint8_t *)sb.buf, sb.len, (uint8_t *)packed, &len, room),
	    LZMA_OK);
	/* Two streams, with padding between and after them. */
	{
		char *twice = xcalloc(2 * len + 20, 1);

		memcpy(twice, packed, len);
		memcpy(twice + len + 8, packed, len);
		check_packed(twice, 2 * len + 20, 2 * len + 20, 2 * n, 0);
		twice[2 * len + 19] = 'x';
		check_trailing(twice, 2 * len + 20, 2 * n);
		free(twice);
	}
	check_large_dictionary();
	check_all_ways(packed, len, n);
	free(packed);
	strbuf_release(&sb);
#else
	struct log log;

	scan_bytes("\xfd"
		   "7zXZ",
	    6, &log);
	CHECK_STR(log.problem.message,
	    "shown: the file is compressed with xz, which this build cannot "
	    "read (configured without liblzma)");
	log_release(&log);
#endif
}

static void
expect_problem(const char *at, enum error_code code, const char *message)
{
	struct scan_options options = { NULL, 0, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct log log;

	CHECK_INT(scanner_scan(s, at, "x", &log), -1);
	CHECK_INT(log.problem.code, code);
	CHECK_STR(log.problem.message, message);
	CHECK(log.format == NULL);
	log_release(&log);
	scanner_free(s);
}

static void
test_problems(void)
{
	char at[300];

	put_file("empty", "", 0);
	expect_problem(scratch_path, ERROR_EMPTY, "x: the file is empty");
	expect_problem(scratch_folder, ERROR_INPUT, "x: a folder, not a file");
	expect_problem("/dev/null", ERROR_INPUT, "x: a device, not a file");
	snprintf(at, sizeof at, "%s/missing", scratch_folder);
	expect_problem(
	    at, ERROR_SYSTEM, "x: cannot open: No such file or directory");
	snprintf(at, sizeof at, "%s/fifo", scratch_folder);
	CHECK_INT(mkfifo(at, 0600), 0);
	expect_problem(at, ERROR_INPUT, "x: a FIFO, not a file");
	unlink(at);
	if (geteuid() != 0) {
		CHECK_INT(chmod(scratch_path, 0), 0);
		expect_problem(scratch_path, ERROR_SYSTEM,
		    "x: cannot open: Permission denied");
		CHECK_INT(chmod(scratch_path, 0600), 0);
	}
}

/* Reading a file that shrinks ends early and sets `truncated`. */
static void
test_shrinking_file(void)
{
	static const size_t left[] = { 100000, BYTE_SOURCE_CHUNK,
		BYTE_SOURCE_CHUNK + 100 };

	for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
		struct byte_source r;
		struct error e = ERROR_INIT;
		struct strbuf sb;
		size_t n;

		strbuf_init(&sb, 1 << 26);
		make_steps(&sb, 3 * BYTE_SOURCE_CHUNK);
		put_file("shrinks", sb.buf, sb.len);
		byte_source_init(&r);
		CHECK_INT(byte_source_open(&r, scratch_path, 0, &e), 0);
		CHECK_INT(truncate(scratch_path, (off_t)left[i]), 0);
		n = r.len;
		while (byte_source_next(&r, r.len, &e) > 0)
			n += r.len;
		CHECK_INT(n, i == 2 ? left[i] : BYTE_SOURCE_CHUNK);
		CHECK_INT(r.truncated, 1);
		byte_source_release(&r);
		strbuf_release(&sb);
	}
}

/* --- The corpus ------------------------------------------------------------*/

static const struct {
	const char *file, *format;
	size_t n_samples, n_summaries, n_metadata;
} real_logs[] = {
	{ "pytorch-cpu/1n1g/resnet18_b4_fp32_1.log", "pytorch-imagenet", 130, 0,
	    2 },
	{ "pytorch-cpu/1n2g/resnet18_b4_fp32_1.log", "pytorch-imagenet", 260, 0,
	    2 },
	{ "pytorch-cpu/1n2g/resnet18_b4_fp32_2.log", "pytorch-imagenet", 260, 0,
	    2 },
	{ "pytorch-cpu/1n2g/resnet18_b4_fp32_3.log", "pytorch-imagenet", 260, 0,
	    2 },
	{ "pytorch-cpu/1n2g/resnet18_b4_fp32_4.log", "pytorch-imagenet", 260, 0,
	    2 },
	{ "pytorch-cpu/1n2g/resnet18_b4_fp32_5.log", "pytorch-imagenet", 260, 0,
	    2 },
	{ "excerpts/pytorch-imagenet-2n8g-dlperf.log", "pytorch-imagenet", 13,
	    0, 2 },
	{ "excerpts/pytorch-imagenet-old-prec.log", "pytorch-imagenet", 2, 0,
	    1 },
	{ "excerpts/pytorch-imagenet-tabs.log", "pytorch-imagenet", 3, 0, 1 },
	{ "mxnet-speedometer/mlperf07-nvidia-resnet/"
	  "8gpu-dgxa100_ngc20.06_mxnet/result_0.txt",
	    "mxnet-speedometer", 779, 1, 12 },
	{ "mxnet-speedometer/mlperf07-nvidia-resnet/"
	  "16gpu-dgxa100_n2_ngc20.06_mxnet/result_4.txt",
	    "mxnet-speedometer", 779, 1, 12 },
	{ "nvidia-dle-mxnet/perf-resnet50/V100/mxnet_gpu8_amp_bs256.txt",
	    "dllogger-resnet50-mxnet", 75, 2, 4 },
	{ "nvidia-dle-tensorflow/perf-resnet50/V100/tf_gpu8_fp32_bs256.txt",
	    "dllogger-resnet50-tensorflow", 30, 1, 4 },
	{ "nvidia-dle-pytorch/perf-resnet50/V100/pytorch_gpu32_amp_bs256.txt",
	    "dllogger-resnet50-pytorch", 99, 1, 5 },
};

static void
test_corpus(void)
{
	const char *corpus = getenv("DLSCALE_CORPUS");
	const char *top = getenv("top_srcdir");
	struct scan_options options = { NULL, 0, 0, 0 };
	char at[512];

	if (corpus != NULL)
		snprintf(at, sizeof at, "%s", corpus);
	else
		snprintf(at, sizeof at, "%s/../shared/corpus",
		    top != NULL ? top : ".");
	if (access(at, R_OK) != 0)
		SKIP("the corpus of real logs is not here");
	for (size_t i = 0; i < sizeof real_logs / sizeof real_logs[0]; i++) {
		struct log log;

		snprintf(scratch_path, sizeof scratch_path, "%.100s/%s", at,
		    real_logs[i].file);
		printf("# %s\n", real_logs[i].file);
		scan_with(&built_in, &options, &log);
		CHECK_STR(log.problem.message, "");
		CHECK(log.format != NULL);
		CHECK_STR(log.format->name, real_logs[i].format);
		CHECK_INT(log.samples.n, real_logs[i].n_samples);
		CHECK_INT(log.n_summaries, real_logs[i].n_summaries);
		for (size_t k = 0; k < log.n_metadata; k++)
			printf("# %s=%s\n", log.metadata[k].key,
			    log.metadata[k].value);
		CHECK_INT(log.n_metadata, real_logs[i].n_metadata);
		log_release(&log);
	}
}
/* A file that is rewritten with the same size and the same last bytes is read
 * again. */
static void
test_same_size(void)
{
	static const char *const texts[] = { "0.5", "0.7" };
	struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct file_follow *all = file_follow_new();
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	for (int i = 0; i < 2; i++) {
		struct timespec times[2] = { { 0, UTIME_OMIT },
			{ 1700000000 + i, 0 } };
		struct log log;

		strbuf_reset(&sb);
		strbuf_printf(&sb,
		    "Epoch: [0][  1/130]\tTime  %s ( 0.484)\t"
		    "Data  0.008 ( 0.010)\tLoss 6.9 (7.1)\n",
		    texts[i]);
		for (int j = 0; j < 4; j++)
			strbuf_addstr(&sb, "nothing of interest here\n");
		put_file("log", sb.buf, sb.len);
		CHECK_INT(utimensat(AT_FDCWD, scratch_path, times, 0), 0);
		CHECK_INT(
		    file_follow_scan(all, s, scratch_path, 0, "x", &log), 0);
		CHECK_INT(log.samples.n, 1);
		CHECK_NEAR(
		    log.samples.items[0].value, i == 0 ? 0.5 : 0.7, 1e-12);
		log_release(&log);
		file_follow_sweep(all);
	}
	file_follow_free(all);
	scanner_free(s);
	strbuf_release(&sb);
}

/* --- Two programs in one log -----------------------------------------------*/

/* Position of the second program's lines. */
enum place { AT_BEGIN, IN_MIDDLE, AT_END, BETWEEN, N_PLACES };

enum { MANY_LINES = 27000 };

/* A long log of the ImageNet example, with lines of another program.
 *
 * n_other  number of these lines, one per 10 steps
 * put      appends one of them
 *
 * Returns the line number of the first of them. */
static int64_t
put_two_programs(struct strbuf *sb, enum place place, int n_other,
    void (*put)(struct strbuf *, int))
{
	const int from = place == AT_BEGIN ? 0
	    : place == AT_END              ? MANY_LINES
					   : MANY_LINES / 2;
	const int every = place == BETWEEN ? 97 : 1;
	int64_t line = 0, first = 0;
	int n = 0;

	strbuf_reset(sb);
	for (int i = 0; i <= MANY_LINES; i++) {
		while (n < n_other && i >= from && i % every == 0) {
			line++;
			n++;
			first = first == 0 ? line : first;
			put(sb, 10 * n);
			if (every > 1)
				break;
		}
		if (i == MANY_LINES)
			break;
		line++;
		strbuf_printf(sb,
		    "Epoch: [%d][%3d/130]\tTime  0.5%02d ( 0.484)\t"
		    "Data  0.008 ( 0.010)\tLoss 6.9 (7.1)\n",
		    i / 130, i % 130, i % 100);
	}
	put_file("log", sb->buf, sb->len);
	return first;
}

static void
put_tf(struct strbuf *sb, int step)
{
	strbuf_printf(
	    sb, "%d\timages/sec: 1875.8 +/- 1.6 (jitter = 3.4)\t7.836\n", step);
}

static void
put_validation(struct strbuf *sb, int step)
{
	strbuf_printf(sb,
	    "Test: [%3d/130]\tTime  0.5 ( 0.484)\tLoss 6.9 (7.1)\n",
	    step % 130);
}

/* Scan with templates (way 0) or without (way 1). */
static void
scan_in_way(int way, struct log *log)
{
	const struct scan_options options = { .no_templates = way == 1 };
	struct scanner *s = scanner_new(&built_in, &options);

	CHECK_INT(scanner_scan(s, scratch_path, "shown", log), 0);
	scanner_free(s);
}

/* A second program's steps are reported wherever they are in the log. */
static void
test_two_programs(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 8 << 20);
	for (int place = 0; place < N_PLACES; place++)
		for (int way = 0; way < 2; way++) {
			const int64_t first =
			    put_two_programs(&sb, place, 30, put_tf);
			struct log log;

			scan_in_way(way, &log);
			CHECK_STR(log.format->name, "pytorch-imagenet");
			CHECK_STR(log.other_name, "tf-cnn-benchmarks");
			CHECK_INT(log.other_steps, 30);
			CHECK_INT(log.other_line, first);
			CHECK_INT(log.other_more, 0);
			CHECK_INT(log.samples.n, MANY_LINES);
			log_release(&log);
		}
	strbuf_release(&sb);
}

/* Fewer than 5 steps, or lines of the log's own format, are not reported. */
static void
test_one_program(void)
{
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 8 << 20);
	for (int n = 4; n <= 5; n++) {
		put_two_programs(&sb, AT_END, n, put_tf);
		scan_in_way(0, &log);
		CHECK((log.other_name != NULL) == (n == 5));
		log_release(&log);
	}
	put_two_programs(&sb, BETWEEN, 200, put_validation);
	scan_in_way(0, &log);
	CHECK(log.other_name == NULL);
	log_release(&log);
	/* A named format disables the search for other programs. */
	put_two_programs(&sb, AT_END, 30, put_tf);
	scan_with(&built_in,
	    &(struct scan_options){
		.forced = format_get(&built_in, "pytorch-imagenet", NULL) },
	    &log);
	CHECK(log.other_name == NULL);
	log_release(&log);
	strbuf_release(&sb);
}

/* With more kinds of line than are kept, both ways report the same steps. */
static void
test_two_programs_in_noise(void)
{
	struct strbuf sb;
	struct log want, got;

	strbuf_init(&sb, 16 << 20);
	put_two_programs(&sb, AT_END, 0, put_tf);
	for (int i = 0; i < 60000; i++) {
		const unsigned x = (unsigned)i * 2654435761U;

		for (int j = 0; j < 28; j += 4)
			strbuf_printf(&sb, "%c%c", 'a' + (int)(x >> j) % 16,
			    'p' - (int)(x >> j) % 16);
		/* Each width of the number makes another kind of line. */
		strbuf_printf(&sb,
		    "\n%d\timages/sec: %0*d.8 +/- 1.6 "
		    "(jitter = 3.4)\t7.836\n",
		    i, i % 400 + 1, 7);
	}
	put_file("log", sb.buf, sb.len);
	scan_in_way(0, &want);
	CHECK_STR(want.other_name, "tf-cnn-benchmarks");
	CHECK_INT(want.other_more, 1);
	CHECK(want.other_steps >= 100 && want.other_steps < 60000);
	CHECK(want.other_line > MANY_LINES);
	scan_in_way(1, &got);
	CHECK_STR(got.other_name, "tf-cnn-benchmarks");
	CHECK_INT(got.other_steps, want.other_steps);
	CHECK_INT(got.other_line, want.other_line);
	CHECK_INT(got.other_more, 1);
	log_release(&got);
	log_release(&want);
	strbuf_release(&sb);
}

/* A log that grows, scanned in alternation with another log. */
static void
test_two_programs_followed(void)
{
	const struct scan_options options = { NULL, 0, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct file_follow *all = file_follow_new();
	struct strbuf sb;
	struct log log;
	int64_t first;
	size_t whole;

	strbuf_init(&sb, 8 << 20);
	first = put_two_programs(&sb, AT_END, 30, put_tf);
	whole = sb.len;
	for (size_t len = whole / 2;; len = len + 100000) {
		const int last = len >= whole;

		put_file("own", sb.buf, whole / 3);
		CHECK_INT(
		    file_follow_scan(all, s, scratch_path, 0, "own", &log), 0);
		CHECK(log.other_name == NULL);
		log_release(&log);
		put_file("log", sb.buf, last ? whole : len);
		CHECK_INT(
		    file_follow_scan(all, s, scratch_path, 0, "x", &log), 0);
		CHECK_INT(log.other_steps, last ? 30 : 0);
		CHECK_INT(log.other_line, last ? first : 0);
		log_release(&log);
		if (last)
			break;
	}
	file_follow_sweep(all);
	file_follow_free(all);
	scanner_free(s);
	strbuf_release(&sb);
}

/* --- Ends of logs ----------------------------------------------------------*/

/* A log of one program (odd `log`: of another) whose lines mostly differ from
 * those of the previous logs only in their digits. */
static void
put_losses(struct strbuf *sb, int log)
{
	strbuf_reset(sb);
	for (int i = 0; i < 40; i++) {
		const int x = (i * 37 + log * 11) % 1000;

		strbuf_printf(sb,
		    log % 2 ? "round %d took %d.%03d s loss %d.25 acc 0.%03d\n"
			    : "it %d in %d.%03d s loss %d.5e-01 acc 0.%03d\n",
		    i, x % 3, x, x % 12, x);
		if (i % 9 == log)
			strbuf_addstr(sb, "it 7 in 0.5 s loss nan acc 0.75\n");
		if (i % 11 == log)
			strbuf_printf(
			    sb, "\xc3\xa4 it 3 in 0.5 s loss %d\n", x);
		if (i % 13 == log)
			strbuf_printf(sb, "\033[1mit 4 in 0.5 s loss %d\n", x);
	}
	put_file("log", sb->buf, sb->len);
}

/* Templates learnt from previous logs do not change the result. */
static void
test_tails_of_many(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"step s it (?<iter>\\d+) in (?<step_s>\\S+) s "
		"loss (?<loss>\\S+)\n"
		"sample it 3 in 5 s loss 2\nexpect s\n"
		"detail d acc (?<top1>\\S+)\n"
		"sample it 3 in 5 s loss 2 acc 3\nexpect s\nexpect d\n",
		"name b\ndescription d\nkind step-time\n"
		"step s round (?<iter>\\d+) took (?<step_s>\\S+) s "
		"loss (?<loss>\\S+)\n"
		"sample round 3 took 5 s loss 2\nexpect s\n",
	};
	const struct scan_options plain = { .no_templates = 1 };
	const struct scan_options usual = { .no_templates = 0 };
	struct scanner *s, *fresh;
	struct strbuf sb;
	struct own own;

	strbuf_init(&sb, 1 << 20);
	own_init(&own, texts, 2);
	s = scanner_new(&own.set, &usual);
	for (int i = 0; i < 7; i++) {
		struct log got, want;

		put_losses(&sb, i);
		fresh = scanner_new(&own.set, &plain);
		scanner_scan(s, scratch_path, "shown", &got);
		scanner_scan(fresh, scratch_path, "shown", &want);
		CHECK_STR(got.format->name, i % 2 ? "b" : "a");
		CHECK_INT(log_differences(&want, &got), 0);
		CHECK_INT(got.n_tail, i % 2 ? 1 : 2);
		CHECK_INT(tail_differences(&want, &got), 0);
		CHECK(got.tail[0].last_line - got.tail[0].first_line >= 40);
		log_release(&got);
		log_release(&want);
		scanner_free(fresh);
	}
	scanner_free(s);
	own_release(&own);
	strbuf_release(&sb);
}

#ifdef HAVE_ZLIB
/* The values of the last lines depend neither on compression nor on how much of
 * the log was decompressed last. */
static void
test_packed_tail(void)
{
	static const size_t more[] = { 0, 1, 40, 300, 5000, 60000, 80000 };

	for (size_t i = 0; i < 2 * sizeof more / sizeof *more; i++) {
		const size_t chunks = 1 + i % 2;
		struct log plain, unpacked;
		struct strbuf sb;
		char *packed;
		size_t len;

		strbuf_init(&sb, 1 << 26);
		for (int n = 0;
		     sb.len < chunks * BYTE_SOURCE_CHUNK + more[i / 2]; n++)
			strbuf_printf(&sb, STEP("0", "%3d", "0.5%02d") "\n",
			    n % 130, n % 100);
		scan_bytes(sb.buf, sb.len, &plain);
		packed = gzip_text(&sb, &len);
		scan_bytes(packed, len, &unpacked);
		CHECK(plain.n_tail == 3 && plain.tail[0].n > 500);
		CHECK_INT(tail_differences(&plain, &unpacked), 0);
		log_release(&plain);
		log_release(&unpacked);
		free(packed);
		strbuf_release(&sb);
	}
}
#endif

/* A line with a larger iteration than a sample can hold is ignored. An "e"
 * without digits is not an exponent. */
static void
test_numbers(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"step s it (?<iter>\\d+): (?<step_s>[\\d.]+)\n"
		"sample it 3: 0.5\nexpect s\n"
	};
	static const char lines[] = "it 5: 0.25each\nit 6: 0.5e-1\n"
				    "it 12345678901: 0.125\n";
	struct own own;
	struct log log;

	scan_string(
	    STEP("0", "12345678901", "0.484") "\n" STEP("0", "7", "0.484") "\n",
	    &log);
	CHECK_INT(log.samples.n, 1);
	CHECK_INT(log.samples.items[0].iter, 7);
	log_release(&log);
	own_init(&own, texts, 1);
	put_file("numbers.log", lines, sizeof lines - 1);
	scan_with(
	    &own.set, &(struct scan_options){ own.formats[0], 0, 0, 0 }, &log);
	CHECK_INT(log.samples.n, 2);
	CHECK_NEAR(log.samples.items[0].value, 0.25, 0);
	CHECK_NEAR(log.samples.items[1].value, 0.05, 0);
	log_release(&log);
	own_release(&own);
}

static const struct tap_test tests[] = {
	TEST(test_numbers),
	TEST(test_tails_of_many),
#ifdef HAVE_ZLIB
	TEST(test_packed_tail),
#endif
	TEST(test_same_size),
	TEST(test_two_programs),
	TEST(test_one_program),
	TEST(test_two_programs_in_noise),
	TEST(test_two_programs_followed),
	TEST(test_small_and_large),
	TEST(test_timeline_shapes),
	TEST(test_very_long_line),
	TEST(test_gzip),
#ifdef HAVE_ZLIB
	TEST(test_failed_timeline),
#endif
	TEST(test_zstd),
	TEST(test_xz),
	TEST(test_problems),
	TEST(test_shrinking_file),
	TEST(test_corpus),
};

int
main(void)
{
	return scanning_main("test_scan_files", tests, N_TESTS(tests));
}
