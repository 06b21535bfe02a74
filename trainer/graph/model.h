/* The models that can be trained, each a table of layers; graph_build() makes
 * a network of one for an image size and a number of classes.
 *
 * Names, layers, parameter order and initialisation are torchvision's.
 */
#ifndef TRAINER_GRAPH_MODEL_H
#define TRAINER_GRAPH_MODEL_H

#include <stddef.h>

#include "common/error.h"

enum layer_kind {
	LAYER_END,        /* ends the table */
	LAYER_CONV,       /* out channels, kernel, stride, pad; then ReLU (and
	                     batch normalisation where the model has it) */
	LAYER_MAXPOOL,    /* kernel, stride, pad */
	LAYER_BASIC,      /* stage of `repeat` basic blocks of `out` channels,
	                     the first with `stride` */
	LAYER_BOTTLENECK, /* stage of bottleneck blocks of `out` inner channels,
	                     4 * out outer; the stride is on the 3x3 (v1.5) */
	LAYER_AVGPOOL,    /* adaptive average pooling to out x out */
	LAYER_DROPOUT,    /* probability 0.5 */
	LAYER_LINEAR,     /* out features, then ReLU */
	LAYER_CLASSIFIER  /* linear, out features = classes, no ReLU */
};

struct layer {
	enum layer_kind kind;
	int out, kernel, stride, pad, repeat;
};

/* How the weights start (torchvision's constructors). */
enum init_family {
	INIT_RESNET, /* conv: normal, kaiming fan_out; linear: default */
	INIT_VGG,    /* conv: normal, kaiming fan_out, bias 0; linear: normal
	                 of deviation 0.01, bias 0 */
	INIT_DEFAULT /* weight and bias uniform in +-1/sqrt(fan_in) */
};

/* How parameters are called in torchvision's state_dict. */
enum name_family {
	NAMES_RESNET,    /* conv1, bn1, layer1.0.conv1, ..., fc */
	NAMES_SEQUENTIAL /* features.0, ..., classifier.0, ... */
};

struct model {
	const char *name; /* "resnet50" */
	const struct layer *layers;
	int batchnorm; /* each convolution is followed by one */
	int conv_bias; /* convolutions have a bias */
	enum init_family init;
	enum name_family names;
	int default_image;    /* pixels of a side: 224 */
	double default_lr;    /* 0.1; 0.01 for those without normalisation */
	long long parameters; /* with 1000 classes, from torchvision */
};

/* All models, in the order of --help; n is set to their number. */
const struct model *model_list(size_t *n);

/* The model called name; NULL and ERROR_USAGE with the names that exist. */
const struct model *model_find(const char *name, struct error *e);

#endif
