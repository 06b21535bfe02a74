/* TFLOP/s of one device in dense matrix products: half of figures given "with
 * sparsity", and the fp32 figure for matrices if it differs from that for
 * vectors. Sources: vendors' data sheets of V100, P100, T4, A10, A30, A40,
 * A100, A800, L4, L40, L40S, RTX A6000, RTX 6000 Ada, H20, H100, H200, H800,
 * DGX B200 and GB200 NVL72 (one of its 72), NVIDIA's white papers of Ampere
 * (GA102) and Ada (AD102) for GeForce with fp32 accumulation, AMD's data sheets
 * of MI100, MI210, MI250X (a log's device is one of its two dies), MI300X and
 * MI325X, Google's pages of Cloud TPU v4, v5e, v5p and v6e (a chip, which is
 * one device there; of v2 and v3 a device is half a chip). */
#include <config.h>

#include "extract/measure/run_metrics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* 0: the device has no such units. */
static const struct device_row {
	const char *name;  /* name in results */
	const char *words; /* words in device names, separated by '|' */
	double fp32, tf32, fp16, bf16, fp8;
} devices[] = {
	/* The first matching row is used: longer names come first. */
	{ "GB200", "GB200", 80, 1250, 2500, 2500, 5000 },
	{ "B200", "B200", 75, 1125, 2250, 2250, 4500 },
	{ "GH200", "GH200", 67, 494.7, 989.4, 989.4, 1978.9 },
	{ "H200 NVL", "H200|NVL", 60, 417.5, 835.5, 835.5, 1671 },
	{ "H200", "H200", 67, 494.7, 989.4, 989.4, 1978.9 },
	{ "H100 PCIe", "H100|PCIe", 51, 378, 756, 756, 1513 },
	{ "H100 NVL", "H100|NVL", 60, 417.5, 835.5, 835.5, 1671 },
	{ "H100 SXM", "H100|HBM3", 67, 494.7, 989.4, 989.4, 1978.9 },
	{ "H100 SXM", "H100|SXM", 67, 494.7, 989.4, 989.4, 1978.9 },
	{ "H800 SXM", "H800|SXM", 67, 494.7, 989.4, 989.4, 1978.9 },
	{ "H20", "H20", 44, 74, 148, 148, 296 },
	{ "A800", "A800", 19.5, 156, 312, 312, 0 },
	{ "A100", "A100", 19.5, 156, 312, 312, 0 },
	{ "A40", "A40", 37.4, 74.8, 149.7, 149.7, 0 },
	{ "A30", "A30", 10.3, 82, 165, 165, 0 },
	{ "A10", "A10", 31.2, 62.5, 125, 125, 0 },
	{ "L40S", "L40S", 91.6, 183, 362, 362, 733 },
	{ "L40", "L40", 90.5, 90.5, 181, 181, 362 },
	{ "L4", "L4", 30.3, 60, 121, 121, 242 },
	{ "V100S", "V100S", 16.4, 0, 130, 0, 0 },
	{ "V100 PCIe", "V100|PCIe", 14, 0, 112, 0, 0 },
	{ "V100 SXM2", "V100|SXM2", 15.7, 0, 125, 0, 0 },
	{ "P100 PCIe", "P100|PCIe", 9.3, 0, 18.7, 0, 0 },
	{ "P100 SXM2", "P100|SXM2", 10.6, 0, 21.2, 0, 0 },
	{ "T4", "T4", 8.1, 0, 65, 0, 0 },
	{ "RTX 6000 Ada", "RTX 6000 Ada", 91.1, 182.1, 364.2, 364.2, 728.5 },
	{ "RTX A6000", "RTX A6000", 38.7, 77.4, 154.8, 154.8, 0 },
	{ "RTX 4090", "RTX 4090", 82.6, 82.6, 165.2, 165.2, 330.3 },
	{ "RTX 3090", "RTX 3090", 35.6, 35.6, 71, 71, 0 },
	{ "MI325X", "MI325X", 163.4, 653.7, 1307.4, 1307.4, 2614.9 },
	{ "MI300X", "MI300X", 163.4, 653.7, 1307.4, 1307.4, 2614.9 },
	{ "MI250X die", "MI250X", 47.9, 0, 191.5, 191.5, 0 },
	{ "MI210", "MI210", 45.3, 0, 181, 181, 0 },
	{ "MI100", "MI100", 46.1, 0, 184.6, 92.3, 0 },
	{ "TPU v4", "TPU v4", 0, 0, 0, 275, 0 },
	{ "TPU v5e", "TPU v5 lite", 0, 0, 0, 197, 0 },
	{ "TPU v5e", "TPU v5e", 0, 0, 0, 197, 0 },
	{ "TPU v5p", "TPU v5p", 0, 0, 0, 459, 0 },
	{ "TPU v6e", "TPU v6 lite", 0, 0, 0, 918, 0 },
	{ "TPU v6e", "TPU v6e", 0, 0, 0, 918, 0 },
};

static int
is_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* True if name contains the word [len] without a letter or digit before or
 * after it: "L4" is in neither "L40" nor "L4S", "H200" not in "GH200". */
static int
holds_word(const char *name, const char *word, size_t len)
{
	for (const char *p = name; *p != '\0'; p++) {
		const char *after = p + len;

		if (strncasecmp(p, word, len) != 0)
			continue;
		if ((p == name || !is_word_char(p[-1])) &&
		    !is_word_char(*after))
			return 1;
	}
	return 0;
}

static int
row_fits_device(const struct device_row *row, const char *device)
{
	const char *words = row->words;

	for (;;) {
		const size_t len = strcspn(words, "|");

		if (!holds_word(device, words, len))
			return 0;
		if (words[len] == '\0')
			return 1;
		words += len + 1;
	}
}

static double
peak_of(const struct device_row *row, const char *precision)
{
	if (strcasecmp(precision, "fp32") == 0)
		return row->tf32 > 0 ? 0 : row->fp32;
	if (strcasecmp(precision, "tf32") == 0)
		return row->tf32;
	if (strcasecmp(precision, "bf16") == 0)
		return row->bf16;
	if (strcasecmp(precision, "fp8") == 0)
		return row->fp8;
	if (strcasecmp(precision, "fp16") == 0 ||
	    strcasecmp(precision, "amp") == 0)
		return row->fp16;
	return 0;
}

double
device_peak_tflops(const char *device, const char *precision, const char **name)
{
	if (device == NULL || precision == NULL)
		return NAN;
	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
		if (row_fits_device(&devices[i], device)) {
			const double peak = peak_of(&devices[i], precision);

			*name = devices[i].name;
			return peak > 0 ? peak : NAN;
		}
	return NAN;
}
