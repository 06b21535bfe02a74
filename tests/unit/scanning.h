/* Scratch files and scans of them, for the tests of the scanner.
 *
 *	int main(void) { return scanning_main("test_scan_file", tests, n); }
 */
#ifndef TESTS_UNIT_SCANNING_H
#define TESTS_UNIT_SCANNING_H

#include <stddef.h>

#include "extract/scan/scan_file.h"
#include "tests/tap.h"

extern char scratch_folder[];  /* made and removed by scanning_main */
extern char scratch_path[512]; /* read by scan_with */
extern struct format_set built_in;

/* A line of the ImageNet example with the given fields. */
#define STEP(epoch, iter, time) \
	"Epoch: [" epoch "][ " iter "/130]\tTime  " time " ( 0.484)\t" \
	"Data  0.008 ( 0.010)\tLoss 6.9e+00 (7.1e+00)\t" \
	"Acc@1   0.39 (  0.12)\tAcc@5   1.17 (  0.61)"

/* Write len bytes to a scratch file; scratch_path receives its path. */
void put_file(const char *name, const void *data, size_t len);

/* Scan scratch_path with the formats of set. The caller releases log. */
void scan_with(const struct format_set *set, const struct scan_options *options,
    struct log *log);

/* Scan len bytes of data with the built-in formats, without details. */
void scan_bytes(const char *data, size_t len, struct log *log);

/* The same for a string. */
void scan_string(const char *text, struct log *log);

/* Formats that a test defines. */
struct own {
	struct format_set set;
	struct format *formats[4];
};

/* Make a set of n format texts (at most 4, named a, b, ...) and the built-in
 * prefixes. */
void own_init(struct own *own, const char *const *texts, size_t n);

/* Free it. */
void own_release(struct own *own);

/* True if both are equal to the last bit. */
int samples_equal(const struct sample *x, const struct sample *y);

/* Number of differing counts, samples, metadata and summaries; 0 if the logs
 * are equal. Only the number of collectives and works is compared. */
size_t log_differences(const struct log *a, const struct log *b);

/* Iterator over the details of a log. */
struct detail_store_reader {
	const struct detail_store *all;
	size_t at;
};

/* A reader before the first detail. */
struct detail_store_reader detail_store_read(const struct detail_store *all);

/* The next detail, with its key's name and its value.  Returns 0 at the end. */
int next_detail(struct detail_store_reader *r, struct log_detail *x);

/* The key of a detail in records. */
const char *detail_key(const struct log_detail *x);

/* Number of values in which the ends of two logs differ. */
size_t tail_differences(const struct log *a, const struct log *b);

/* Load the built-in formats, run n tests, remove the scratch files.  Returns
 * what main() is to return. */
int scanning_main(const char *name, const struct tap_test *tests, int n);

#endif
