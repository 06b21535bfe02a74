#include <config.h>

#include "extract/measure/measure_run.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "extract/log/words.h"

enum { MAX_MODEL = 64 };

/* Multiply-adds of a forward pass on square images, in units of 1e9, from the
 * column "GFLOPS" of torchvision's table of models and pre-trained weights. Its
 * ResNet-50 is known as v1.5, which needs 4 % more than v1.
 * tests/cli/model_flop.py counts all networks by layer,
 * tests/unit/test_model_flop.c those of dlscale's trainer. */
static const struct {
	const char *names; /* lower-case letters and digits */
	double giga_macs;
	int side; /* pixels */
} image_models[] = {
	{ "alexnet", 0.71, 224 },
	{ "convnexttiny", 4.46, 224 },
	{ "convnextsmall", 8.68, 224 },
	{ "convnextbase", 15.36, 224 },
	{ "densenet121", 2.83, 224 },
	{ "densenet161", 7.73, 224 },
	{ "densenet169", 3.36, 224 },
	{ "densenet201", 4.29, 224 },
	{ "efficientnetb0", 0.39, 224 },
	{ "efficientnetb4", 4.39, 380 },
	{ "efficientnetb7", 37.75, 600 },
	{ "googlenet", 1.50, 224 },
	{ "inceptionv3", 5.71, 299 },
	{ "mobilenetv2", 0.30, 224 },
	{ "resnet18|r18|rn18", 1.81, 224 },
	{ "resnet34|r34", 3.66, 224 },
	{ "resnet50|r50|resnet50v15|rn50|rn50v15", 4.09, 224 },
	{ "resnet101|r101", 7.80, 224 },
	{ "resnet152|r152", 11.51, 224 },
	{ "resnext5032x4d", 4.23, 224 },
	{ "resnext10132x8d", 16.41, 224 },
	{ "swint|swintinypatch4window7224", 4.49, 224 },
	{ "swins|swinsmallpatch4window7224", 8.74, 224 },
	{ "swinb|swinbasepatch4window7224", 15.43, 224 },
	{ "vgg11", 7.61, 224 },
	{ "vgg13", 11.31, 224 },
	{ "vgg16", 15.47, 224 },
	{ "vgg19", 19.63, 224 },
	{ "vitb16|vitbasepatch16224", 17.56, 224 },
	{ "vitb32|vitbasepatch32224", 4.41, 224 },
	{ "vitl16|vitlargepatch16224", 61.55, 224 },
	{ "wideresnet502", 11.40, 224 },
	{ "wideresnet1012", 22.75, 224 },
};

/* Parameters of the published weights (model cards), including all embeddings,
 * layers, and the width of attention; tests/cli/model_flop.py computes them
 * from the published configurations. */
static const struct language_model language_models[] = {
	{ "bertbase|bertbaseuncased", 109482240, 12, 768 },
	{ "bertbasecased", 108310272, 12, 768 },
	{ "bertlarge|bertlargeuncased", 335141888, 24, 1024 },
	{ "bertlargecased", 333579264, 24, 1024 },
	{ "gpt2", 124439808, 12, 768 },
	{ "gpt2medium", 354823168, 24, 1024 },
	{ "gpt2large", 774030080, 36, 1280 },
	{ "gpt2xl", 1557611200, 48, 1600 },
	{ "llama7b|llama27b", 6738415616, 32, 4096 },
	{ "llama213b", 13015864320, 40, 5120 },
	{ "llama270b", 68976648192, 80, 8192 },
	{ "llama38b|llama318b", 8030261248, 32, 4096 },
	{ "llama321b", 1235814400, 16, 2048 },
	{ "llama323b", 3212749824, 28, 3072 },
	{ "llama370b|llama3170b|llama3370b", 70553706496, 80, 8192 },
	{ "mistral7b|mistral7bv01", 7241732096, 32, 4096 },
	{ "mistral7bv03", 7248023552, 32, 4096 },
	{ "qwen27b|qwen257b", 7615616512, 28, 3584 },
	{ "qwen272b|qwen2572b", 72706203648, 80, 8192 },
	{ "qwen2505b", 494032768, 24, 896 },
	{ "qwen2515b", 1543714304, 28, 1536 },
	{ "qwen253b", 3085938688, 36, 2048 },
	{ "qwen2514b", 14770033664, 48, 5120 },
	{ "qwen2532b", 32763876352, 64, 5120 },
	{ "qwen306b", 596049920, 28, 2048 },
	{ "qwen317b", 1720574976, 28, 2048 },
	{ "qwen34b", 4022468096, 36, 4096 },
	{ "qwen38b", 8190735360, 36, 4096 },
	{ "qwen314b", 14768307200, 40, 5120 },
	{ "qwen332b", 32762123264, 64, 8192 },
};

/* Set out to the letters, in lower case, and the digits of a name after its
 * last '/' ("org/model"); to "" for NULL. */
static void
plain_name(const char *model, char out[MAX_MODEL])
{
	const char *slash = model != NULL ? strrchr(model, '/') : NULL;
	size_t n = 0;

	if (model == NULL)
		model = "";
	for (model = slash != NULL ? slash + 1 : model;
	     *model != '\0' && n + 1 < MAX_MODEL; model++)
		if (isalnum((unsigned char)*model))
			out[n++] = (char)tolower((unsigned char)*model);
	out[n] = '\0';
}

/* Remove a prefix or suffix that does not change the size: vendor, purpose,
 * library. Returns 0 if there is none. */
static int
shorten_name(char name[MAX_MODEL])
{
	static const char *const affixes[] = { "hf", "instruct", "chat", "it",
		"base", "meta" };
	const size_t len = strlen(name);

	for (size_t i = 0; i < sizeof affixes / sizeof affixes[0]; i++) {
		const size_t n = strlen(affixes[i]);

		if (len <= n)
			continue;
		if (strcmp(name + len - n, affixes[i]) == 0) {
			name[len - n] = '\0';
			return 1;
		}
		if (strncmp(name, affixes[i], n) == 0) {
			memmove(name, name + n, len - n + 1);
			return 1;
		}
	}
	return 0;
}

double
model_flop_per_image(const char *model, int *side)
{
	const size_t n = sizeof image_models / sizeof image_models[0];
	char name[MAX_MODEL];

	plain_name(model, name);
	for (size_t i = 0; i < n; i++)
		if (words_fit(image_models[i].names, WORDS_ALL, name)) {
			*side = image_models[i].side;
			return 6e9 * image_models[i].giga_macs;
		}
	return NAN;
}

const struct language_model *
language_model_find(const char *model)
{
	const size_t n = sizeof language_models / sizeof language_models[0];
	char name[MAX_MODEL];

	plain_name(model, name);
	do
		for (size_t i = 0; i < n; i++)
			if (words_fit(
				language_models[i].names, WORDS_ALL, name))
				return &language_models[i];
	while (shorten_name(name));
	return NULL;
}

/* --- Devices --------------------------------------------------------------*/

/* TFLOP/s of one device in dense matrix products: half of figures given "with
 * sparsity", and the fp32 figure for matrices if it differs from that for
 * vectors. Sources: vendors' data sheets of V100, P100, T4, A10, A30, A40,
 * A100, A800, L4, L40, L40S, RTX A6000, RTX 6000 Ada, H20, H100, H200, H800,
 * DGX B200 and GB200 NVL72 (one of its 72), NVIDIA's white papers of Ampere
 * (GA102) and Ada (AD102) for GeForce with fp32 accumulation, AMD's data sheets
 * of MI100, MI210, MI250X (a log's device is one of its two dies), MI300X and
 * MI325X, Google's pages of Cloud TPU v4, v5e, v5p and v6e (a chip, which is
 * one device there; of v2 and v3 a device is half a chip). */

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

/* True if name contains the word [len] without a letter or digit before or
 * after it: "L4" is in neither "L40" nor "L4S", "H200" not in "GH200". */
static int
holds_word(const char *name, const char *word, size_t len)
{
	for (const char *p = name; *p != '\0'; p++) {
		const char *after = p + len;

		if (strncasecmp(p, word, len) != 0)
			continue;
		if ((p == name || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)*after))
			return 1;
	}
	return 0;
}

double
device_peak_tflops(const char *device, const char *precision, const char **name)
{
	const size_t n = sizeof devices / sizeof devices[0];
	const int all = WORDS_ALL | WORDS_FOLD;
	const struct device_row *row = NULL;
	double peak;

	for (size_t i = 0; i < n && device != NULL && precision != NULL; i++) {
		const char *words = devices[i].words;
		size_t len = strcspn(words, "|");

		while (holds_word(device, words, len) && words[len] == '|') {
			words += len + 1;
			len = strcspn(words, "|");
		}
		if (!holds_word(device, words, len))
			continue;
		row = &devices[i];
		break;
	}
	if (row == NULL)
		return NAN;
	*name = row->name;
	peak = words_fit("fp16|amp", all, precision)                ? row->fp16
	    : words_fit("bf16", all, precision)                     ? row->bf16
	    : words_fit("tf32", all, precision)                     ? row->tf32
	    : words_fit("fp8", all, precision)                      ? row->fp8
	    : words_fit("fp32", all, precision) && !(row->tf32 > 0) ? row->fp32
								    : 0;
	return peak > 0 ? peak : NAN;
}
