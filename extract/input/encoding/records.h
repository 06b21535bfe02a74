/* Converters of binary stores to lines, and what they share: CRCs, protocol
 * buffers (protobuf.dev, "Encoding"), JSON text, sizes of element types.
 *
 *	struct protobuf m = { data, data + len, &bad };
 *	while (protobuf_next(&m, &f))
 *		if (f.key == PROTOBUF_BYTES(2)) ...
 */
#ifndef EXTRACT_INPUT_ENCODING_RECORDS_H
#define EXTRACT_INPUT_ENCODING_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"

/* The decompressed bytes of a file. */
struct store_input {
	const char *at, *end; /* unread bytes of the buffer */
	/* Refill the buffer and set at and end. Returns 1; 0 at the end of the
	 * file or on a read error. NULL: there are no more bytes. */
	int (*more)(struct store_input *in);
	void *source; /* argument of more */
	int cut;      /* set by a store: records are missing or damaged */
};

/* True if bytes are left, after a refill if needed. */
static inline int
store_more(struct store_input *in)
{
	return in->at < in->end || (in->more != NULL && in->more(in));
}

/* Read n bytes. Returns the number read: fewer at the end. */
size_t store_read(struct store_input *in, void *to, size_t n);

/* Append the lines of a whole file. Returns 0; -1 with a message without the
 * path if the file is unusable. */
typedef int store_reader(
    struct store_input *in, struct strbuf *lines, struct error *e);

enum {
	EVENT_MAX_TAG = 512,          /* bytes; values with longer tags are
	                                skipped */
	EVENT_MAX_STRING = 64 << 10,  /* bytes of a text; the rest is cut */
	EVENT_MAX_FRAME = 1 << 20,    /* bytes; longer frames (images, graphs)
	                                have no scalars: only checked */
	WANDB_MAX_KEY = 512,          /* bytes; values with longer keys */
	WANDB_MAX_VALUE = 4096,       /* or longer values are skipped */
	WANDB_MAX_CONSOLE = 64 << 10, /* bytes of a line before it is split */
	WANDB_MAX_MESSAGE = 4 << 20,  /* bytes; longer messages (tables,
	                                 media) are only checked */
	PROFILE_MAX_EVENT = 1 << 20   /* bytes; longer events (stacks, memory
	                                 snapshots) are skipped: no kernels */
};

/* True if data begins with a frame of a TensorBoard event file
 * (events.out.tfevents.*); needs 12 bytes. Scalars become numbers, text
 * summaries strings; images, histograms and graphs are not read:
 *
 *	{"wall_time":1700000000.25,"step":20,"perf/step_time":0.31}
 *	{"wall_time":1700000000.25,"step":20,"session":"start"} */
int event_file_is(const char *data, size_t len);
store_reader event_file_read;

/* True if data begins with the header of a W&B log (run-ID.wandb); needs 7
 * bytes. Each row of the history and each key of the configuration becomes an
 * object; console output is copied:
 *
 *	{"config":"per_device_train_batch_size","value":8}
 *	Epoch 0 ...
 *	{"_step":20,"train/loss":2.5,"_runtime":45.5,"_timestamp":1700000045.5}
 *
 * Rows keep numbers, short texts and words, but not objects (histograms,
 * media). */
int wandb_file_is(const char *data, size_t len);
store_reader wandb_file_read;

/* True if data begins with a profiler's trace: Chrome trace events in a JSON
 * object with "traceEvents", as written by PyTorch's profiler. They become
 * lines about steps (profile_steps.c). Memory is bounded for files of any size:
 * events are read one by one and only times are kept. */
int profile_file_is(const char *data, size_t len);
store_reader profile_file_read;

/* Exports of Nsight Systems (nsys export --type sqlite) are converted to lines
 * about steps, like traces of profilers.
 *
 * Steps are NVTX ranges of a thread whose name is a word for a step
 * ("ProfilerStep#5", "step 5", "iteration 5", "train_step"). A kernel belongs
 * to the step that launched it. Bandwidths are not reported, since the tables
 * read do not have message sizes.
 *
 * Tables and columns: NVIDIA's "SQLite Export Schema Reference" (Nsight
 * Systems, nsys-exporter): NVTX_EVENTS, StringIds, CUPTI_ACTIVITY_KIND_KERNEL,
 * CUPTI_ACTIVITY_KIND_RUNTIME, TARGET_INFO_GPU.
 */

/* True if data begins like a SQLite file; needs 16 bytes. */
int nsight_file_is(const char *data, size_t len);

/* Append the lines of the file to out.
 *
 * Returns 0; -1 with a message without the path: this build has no SQLite, the
 * file is not an export of Nsight Systems, is damaged, or has no steps. */
int nsight_file_read(const char *path, struct strbuf *out, struct error *e);

/* Rate the name of an NVTX range as the name of a step.
 *
 * number  set to the number at its end, or -1
 *
 * Returns the rank of the word, 1 for the best; 0: not a step. */
int nsight_step_name(const char *name, long *number);

/* Reflected 32-bit CRCs with inverted start and result: the Castagnoli
 * polynomial (CRC-32C) in TFRecord files, zip's polynomial in W&B logs. */
#define CRC32_CASTAGNOLI UINT32_C(0x82f63b78)
#define CRC32_ZIP UINT32_C(0xedb88320)

/* CRC by byte value. */
struct crc32_table {
	uint32_t of[256];
};

/* Fill the table for a polynomial, such as CRC32_CASTAGNOLI. */
void crc32_init(struct crc32_table *t, uint32_t polynomial);

/* Extend the CRC x (0: of no data) by len bytes. The CRC of "123456789" is
 * 0xe3069283 with Castagnoli's polynomial (RFC 3720, appendix B.4, has more
 * test values) and 0xcbf43926 with zip's. */
uint32_t crc32_add(
    const struct crc32_table *t, uint32_t x, const void *data, size_t len);

/* Masked CRC as stored in TFRecord files: a CRC of data that contain CRCs would
 * be weak, so it is rotated by 15 bits and a constant is added. Source: the
 * comment on masks in TensorFlow's core/lib/hash/crc32c.h. */
uint32_t crc32_masked(uint32_t x);

/* Append len bytes as a JSON string. Control characters are escaped, so the
 * output stays on one line. */
void json_add_string(struct strbuf *out, const void *text, size_t len);

/* Append a number with that many digits; NaN and Infinity as in Python. */
void json_add_number(struct strbuf *out, double x, int digits);

/* Bytes per element of a type, by its name in PyTorch ("Float", "BFloat16") or
 * in numpy and NCCL ("float32", "bf16"), ignoring case; NAN: unknown. */
double element_size(const char *type);

/* --- Members of JSON objects, found without building a tree or unescaping
 * strings: traces and run stores have many small objects ------------------- */

/* A member's value, which points into the text. */
struct json_member {
	const char *value; /* [len] a string without its quotes */
	size_t len;
	int is_string;
};

/* Find the first member with that key at any depth.
 *
 * Returns 0; 1 if there is none; -1 if a string does not end or the member has
 * no value. */
int json_find_member(
    const char *text, size_t len, const char *key, struct json_member *m);

/* True if the text is one value, optionally surrounded by spaces. Objects and
 * arrays are checked for brackets and strings only. */
int json_is_value(const char *text, size_t len);

/* Copy the value as text to out, truncated to size - 1 bytes. */
void json_member_text(const struct json_member *m, char *out, size_t size);

/* The value as a finite number, quoted or not; otherwise NAN. */
double json_member_number(const struct json_member *m);

/* --- JSON of any size ----------------------------------------------------- */

enum { JSON_END = 256 /* end of the input, in addition to bytes */ };

/* Read the next byte, or the next one that is not a space. */
int json_next(struct store_input *in);
int json_next_solid(struct store_input *in);

/* Skip a string after its opening quote.
 *
 * text  [size] receives its start; may be NULL
 *
 * Returns 0, or -1 if it does not end. */
int json_skip_string(struct store_input *in, char *text, size_t size);

/* Skip an object or array after its opening bracket.
 *
 * kept  receives its text with that bracket; may be NULL
 *
 * Returns 0, or -1 if it does not end. */
int json_skip_nested(struct store_input *in, int bracket, struct strbuf *kept);

#endif
