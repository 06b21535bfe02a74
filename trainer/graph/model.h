/* The models, each a table of layers; graph_build() makes a network from one
 * for an image size and a number of classes.
 *
 * Names, layers, parameter order and initialisation are those of torchvision.
 */
#ifndef TRAINER_GRAPH_MODEL_H
#define TRAINER_GRAPH_MODEL_H

#include <stddef.h>

#include "common/error.h"

enum layer_kind {
	LAYER_END,        /* end of the table */
	LAYER_CONV,       /* out channels, kernel, stride, pad; followed by ReLU
	                     (after batch normalisation if the model has it) */
	LAYER_MAXPOOL,    /* kernel, stride, pad */
	LAYER_BASIC,      /* stage of `repeat` basic blocks with `out` channels,
	                     `stride` in the first */
	LAYER_BOTTLENECK, /* stage of bottleneck blocks with `out` inner and 4 *
	                     out outer channels; stride in the 3x3 (v1.5) */
	LAYER_AVGPOOL,    /* adaptive average pooling to out x out */
	LAYER_DROPOUT,    /* probability 0.5 */
	LAYER_LINEAR,     /* out features; followed by ReLU */
	LAYER_CLASSIFIER  /* out features = classes, no ReLU */
};

struct layer {
	enum layer_kind kind;
	int out, kernel, stride, pad, repeat;
};

/* Weight initialisation (torchvision's constructors). */
enum init_family {
	INIT_RESNET, /* conv: normal, kaiming fan_out; linear: default */
	INIT_VGG,    /* conv: normal, kaiming fan_out, bias 0; linear: normal,
	                deviation 0.01, bias 0 */
	INIT_DEFAULT /* weight and bias uniform in +-1/sqrt(fan_in) */
};

/* Naming of parameters in torchvision's state_dict. */
enum name_family {
	NAMES_RESNET,    /* conv1, bn1, layer1.0.conv1, ..., fc */
	NAMES_SEQUENTIAL /* features.0, ..., classifier.0, ... */
};

struct model {
	const char *name; /* "resnet50" */
	const struct layer *layers;
	int batchnorm; /* each convolution is followed by batch normalisation */
	int conv_bias; /* convolutions have a bias */
	enum init_family init;
	enum name_family names;
	int default_image;    /* image width and height: 224 */
	double default_lr;    /* 0.1; 0.01 for models without normalisation */
	long long parameters; /* for 1000 classes, from torchvision */
};

/* All models, in the order of --help; n is set to their number. */
const struct model *model_list(size_t *n);

/* Find a model by name. Returns NULL for an unknown one, with ERROR_USAGE
 * listing the names. */
const struct model *model_find(const char *name, struct error *e);

#endif
