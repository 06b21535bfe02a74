/* How much computing a network takes.  Called by run_metrics.c; it knows names
 * and constants only, neither runs nor devices. */
#include <config.h>

#include "extract/measure/model_flop.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_MODEL = 64 };

/* Multiply-adds of a forward pass in 1e9, at 224 x 224 (Inception 299 x 299):
 * the column "GIPS" of torchvision's table of models and pre-trained weights.
 * Its ResNet-50 is what others call v1.5, its sum 4 % above v1. */
static const struct {
	const char *name; /* small letters and digits only */
	double giga_macs;
} image_models[] = {
	{ "alexnet", 0.71 },
	{ "convnexttiny", 4.46 },
	{ "convnextsmall", 8.68 },
	{ "convnextbase", 15.36 },
	{ "densenet121", 2.83 },
	{ "densenet161", 7.73 },
	{ "densenet169", 3.36 },
	{ "densenet201", 4.29 },
	{ "efficientnetb0", 0.39 },
	{ "efficientnetb4", 4.39 },
	{ "efficientnetb7", 37.75 },
	{ "googlenet", 1.50 },
	{ "inceptionv3", 5.71 },
	{ "mobilenetv2", 0.30 },
	{ "r18", 1.81 },
	{ "r34", 3.66 },
	{ "r50", 4.09 },
	{ "r101", 7.80 },
	{ "r152", 11.51 },
	{ "resnet18", 1.81 },
	{ "resnet34", 3.66 },
	{ "resnet50", 4.09 },
	{ "resnet50v15", 4.09 },
	{ "resnet101", 7.80 },
	{ "resnet152", 11.51 },
	{ "resnext5032x4d", 4.23 },
	{ "resnext10132x8d", 16.41 },
	{ "rn18", 1.81 },
	{ "rn50", 4.09 },
	{ "rn50v15", 4.09 },
	{ "swint", 4.49 },
	{ "swins", 8.74 },
	{ "swinb", 15.43 },
	{ "vgg11", 7.61 },
	{ "vgg13", 11.31 },
	{ "vgg16", 15.47 },
	{ "vgg19", 19.63 },
	{ "vitb16", 17.56 },
	{ "vitb32", 4.41 },
	{ "vitl16", 61.55 },
	{ "wideresnet502", 11.40 },
	{ "wideresnet1012", 22.75 },
};

/* Parameters as the published weights have them (their model cards), all
 * embeddings included. */
static const struct {
	const char *name;
	double parameters;
} language_models[] = {
	{ "bertbase", 109482240 },
	{ "bertbaseuncased", 109482240 },
	{ "bertlarge", 335141888 },
	{ "bertlargeuncased", 335141888 },
	{ "gpt2", 124439808 },
	{ "gpt2medium", 354823168 },
	{ "gpt2large", 774030080 },
	{ "gpt2xl", 1557611200 },
	{ "llama27b", 6738415616 },
	{ "llama213b", 13015864320 },
	{ "llama270b", 68976648192 },
	{ "llama38b", 8030261248 },
	{ "llama318b", 8030261248 },
	{ "llama370b", 70553706496 },
	{ "llama3170b", 70553706496 },
};

/* Small letters and digits of a name; those after the last '/' ("org/model").
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

double
model_flop_per_image(const char *model, const char **source)
{
	char name[MAX_MODEL];

	if (model == NULL)
		return NAN;
	plain_name(model, name);
	for (size_t i = 0; i < sizeof image_models / sizeof image_models[0];
	     i++)
		if (strcmp(name, image_models[i].name) == 0) {
			*source = "6 x multiply-adds of torchvision's table, "
				  "224 x 224";
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
	for (size_t i = 0;
	     i < sizeof language_models / sizeof language_models[0]; i++)
		if (strcmp(name, language_models[i].name) == 0) {
			*source = "6 x parameters of the model's card";
			return language_models[i].parameters;
		}
	return NAN;
}
