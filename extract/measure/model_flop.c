#include <config.h>

#include "extract/measure/run_metrics.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_MODEL = 64 };

/* Multiply-adds of a forward pass in 1e9 on square images: the column "GFLOPS"
 * of torchvision's table of models and pre-trained weights. Its ResNet-50 is
 * known as v1.5, with 4 % more than v1. tests/cli/model_flop.py counts all
 * networks by layer, tests/unit/test_model_flop.c those of dlscale's
 * trainer. */
static const struct {
	const char *name; /* lower-case letters and digits */
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
	{ "r18", 1.81, 224 },
	{ "r34", 3.66, 224 },
	{ "r50", 4.09, 224 },
	{ "r101", 7.80, 224 },
	{ "r152", 11.51, 224 },
	{ "resnet18", 1.81, 224 },
	{ "resnet34", 3.66, 224 },
	{ "resnet50", 4.09, 224 },
	{ "resnet50v15", 4.09, 224 },
	{ "resnet101", 7.80, 224 },
	{ "resnet152", 11.51, 224 },
	{ "resnext5032x4d", 4.23, 224 },
	{ "resnext10132x8d", 16.41, 224 },
	{ "rn18", 1.81, 224 },
	{ "rn50", 4.09, 224 },
	{ "rn50v15", 4.09, 224 },
	{ "swint", 4.49, 224 },
	{ "swintinypatch4window7224", 4.49, 224 },
	{ "swins", 8.74, 224 },
	{ "swinsmallpatch4window7224", 8.74, 224 },
	{ "swinb", 15.43, 224 },
	{ "swinbasepatch4window7224", 15.43, 224 },
	{ "vgg11", 7.61, 224 },
	{ "vgg13", 11.31, 224 },
	{ "vgg16", 15.47, 224 },
	{ "vgg19", 19.63, 224 },
	{ "vitb16", 17.56, 224 },
	{ "vitbasepatch16224", 17.56, 224 },
	{ "vitb32", 4.41, 224 },
	{ "vitbasepatch32224", 4.41, 224 },
	{ "vitl16", 61.55, 224 },
	{ "vitlargepatch16224", 61.55, 224 },
	{ "wideresnet502", 11.40, 224 },
	{ "wideresnet1012", 22.75, 224 },
};

/* Parameters of the published weights (model cards), including all embeddings;
 * tests/cli/model_flop.py computes them from the widths of the published
 * configurations. */
static const struct {
	const char *name;
	double parameters;
} language_models[] = {
	{ "bertbase", 109482240 },
	{ "bertbasecased", 108310272 },
	{ "bertbaseuncased", 109482240 },
	{ "bertlarge", 335141888 },
	{ "bertlargecased", 333579264 },
	{ "bertlargeuncased", 335141888 },
	{ "gpt2", 124439808 },
	{ "gpt2medium", 354823168 },
	{ "gpt2large", 774030080 },
	{ "gpt2xl", 1557611200 },
	{ "llama7b", 6738415616 },
	{ "llama27b", 6738415616 },
	{ "llama213b", 13015864320 },
	{ "llama270b", 68976648192 },
	{ "llama38b", 8030261248 },
	{ "llama318b", 8030261248 },
	{ "llama321b", 1235814400 },
	{ "llama323b", 3212749824 },
	{ "llama370b", 70553706496 },
	{ "llama3170b", 70553706496 },
	{ "llama3370b", 70553706496 },
	{ "mistral7b", 7241732096 },
	{ "mistral7bv01", 7241732096 },
	{ "mistral7bv03", 7248023552 },
	{ "qwen27b", 7615616512 },
	{ "qwen272b", 72706203648 },
	{ "qwen2505b", 494032768 },
	{ "qwen2515b", 1543714304 },
	{ "qwen253b", 3085938688 },
	{ "qwen257b", 7615616512 },
	{ "qwen2514b", 14770033664 },
	{ "qwen2532b", 32763876352 },
	{ "qwen2572b", 72706203648 },
	{ "qwen306b", 596049920 },
	{ "qwen317b", 1720574976 },
	{ "qwen34b", 4022468096 },
	{ "qwen38b", 8190735360 },
	{ "qwen314b", 14768307200 },
	{ "qwen332b", 32762123264 },
};

/* Set out to the letters, in lower case, and digits of a name after the last
 * '/' ("org/model").
 */
static void
plain_name(const char *model, char out[MAX_MODEL])
{
	const char *slash = strrchr(model, '/');
	size_t n = 0;

	for (model = slash != NULL ? slash + 1 : model;
	     *model != '\0' && n + 1 < MAX_MODEL; model++)
		if (isalnum((unsigned char)*model))
			out[n++] = (char)tolower((unsigned char)*model);
	out[n] = '\0';
}

/* Prefixes and suffixes of model names that do not change the size: vendor,
 * purpose, library. */
static const char *const affixes[] = { "hf", "instruct", "chat", "it", "base",
	"meta" };

/* Remove one affix. Returns 0 if there is none. */
static int
shorten_name(char name[MAX_MODEL])
{
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
	char name[MAX_MODEL];

	if (model == NULL)
		return NAN;
	plain_name(model, name);
	for (size_t i = 0; i < sizeof image_models / sizeof image_models[0];
	     i++)
		if (strcmp(name, image_models[i].name) == 0) {
			*side = image_models[i].side;
			return 6e9 * image_models[i].giga_macs;
		}
	return NAN;
}

double
model_parameters(const char *model, const char **source)
{
	char name[MAX_MODEL];

	if (model == NULL)
		return NAN;
	plain_name(model, name);
	do
		for (size_t i = 0;
		     i < sizeof language_models / sizeof language_models[0];
		     i++)
			if (strcmp(name, language_models[i].name) == 0) {
				*source = "6 x parameters of the model's card";
				return language_models[i].parameters;
			}
	while (shorten_name(name));
	return NAN;
}
