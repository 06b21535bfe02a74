/* A network with all shapes: nodes in execution order, parameters in PyTorch's
 * order, and their offsets in the flat arenas.
 *
 * Invariants: a node's inputs have smaller indexes; node 0 is the input; the
 * last node is the output. Parameters, gradients and momenta have one arena
 * each with the same offsets: backward order, that is the reverse of the
 * parameter list, with each tensor at a multiple of GRAPH_ALIGN elements (gaps
 * are zero). So the gradients that a backward pass has finished are always [0,
 * done).
 *
 * The element order inside a tensor's range is defined by the device;
 * device_read() and device_write() use PyTorch's (out, in, kh, kw).
 *
 *	struct graph g;
 *	if (graph_build(model_find("resnet50", &e), 1000, 224, &g, &e) != 0)
 *		return -1;
 *	for (int i = 0; i < g.n_params; i++)
 *		puts(g.params[i].name);
 *	graph_release(&g);
 */
#ifndef TRAINER_GRAPH_GRAPH_H
#define TRAINER_GRAPH_GRAPH_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "trainer/base/tensor.h"

/* --- Models --------------------------------------------------------------- */

/* The models, each a table of layers; graph_build() makes a network from one
 * for an image size and a number of classes.
 *
 * Names, layers, parameter order and initialisation are those of torchvision.
 */

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

/* --- Networks ------------------------------------------------------------- */

enum { GRAPH_ALIGN = 16, GRAPH_MAX_RANK = 4, GRAPH_NONE = -1 };

enum node_kind {
	NODE_INPUT,
	NODE_CONV,      /* no groups or dilation, square kernel */
	NODE_BATCHNORM, /* eps 1e-5, momentum 0.1 */
	NODE_RELU,
	NODE_ADD,     /* in[0] + in[1] */
	NODE_MAXPOOL, /* padding is -infinity */
	NODE_AVGPOOL, /* adaptive, output out.h x out.w */
	NODE_DROPOUT, /* kept elements are scaled by 1 / (1 - p) */
	NODE_LINEAR,  /* input is flattened as (c, h, w) */
	N_NODE_KINDS
};

struct node {
	enum node_kind kind;
	const char *name;        /* "layer1.0.conv1" */
	int in[2];               /* node indexes; GRAPH_NONE where unused */
	struct shape out;        /* shape of one image */
	int kernel, stride, pad; /* convolution and max pooling */
	double p;                /* dropout: probability of zeroing */
	int weight, bias; /* parameter indexes (batch normalisation: gamma,
	                     beta) or GRAPH_NONE */
	int mean, var;    /* buffer indexes or GRAPH_NONE */
};

/* Initialisation of a parameter. */
enum param_init { PARAM_NORMAL, PARAM_UNIFORM, PARAM_CONSTANT };

struct param {
	const char *name; /* "layer1.0.conv1.weight" */
	int rank;
	int dims[GRAPH_MAX_RANK]; /* in PyTorch's order: (out, in, kh, kw) */
	size_t n;                 /* product of dims */
	size_t offset;            /* elements; the same in each arena */
	enum param_init init;
	double scale; /* deviation, bound or value, by init */
	int node;     /* node that owns it */
};

/* Running statistics: saved in checkpoints, not trained. */
struct buffer {
	const char *name; /* "bn1.running_mean" */
	size_t n;
	double start;  /* 0 for means, 1 for variances */
	size_t offset; /* in elements; buffers lie one after the other */
	int node;
};

struct graph {
	struct arena arena;        /* owns the arrays below and their strings */
	const struct model *model; /* NULL if built by hand */
	int classes, image;
	struct node *nodes;
	int n_nodes;
	struct param *params; /* PyTorch's order */
	int n_params;
	struct buffer *buffers;
	int n_buffers;
	size_t buffers_size; /* elements of all buffers */
	size_t n_weights;    /* elements of all parameters, without gaps */
	size_t arena_size;   /* elements of an arena, with gaps */
	int finished;        /* set by graph_finish */
};

/* Build a model's network.
 *
 * classes  >= 1
 * image    pixels of a side; ERROR_USAGE if a layer's output would be empty */
int graph_build(const struct model *m, int classes, int image, struct graph *g,
    struct error *e);

/* Build a graph by hand (tests): begin with the input's shape, add nodes,
 * finish. Each addition returns the index of the new node. Names are copied. */
void graph_start(struct graph *g, struct shape input);
int graph_conv(struct graph *g, const char *name, int in, int out, int kernel,
    int stride, int pad, int bias);
int graph_batchnorm(struct graph *g, const char *name, int in);
int graph_relu(struct graph *g, int in);
int graph_add(struct graph *g, int a, int b);
int graph_maxpool(struct graph *g, int in, int kernel, int stride, int pad);
int graph_avgpool(struct graph *g, int in, int out);
int graph_dropout(struct graph *g, int in, double p);
int graph_linear(struct graph *g, const char *name, int in, int out);

/* Set the arena offsets; no node can be added afterwards. */
void graph_finish(struct graph *g);

/* Free all. */
void graph_release(struct graph *g);

/* End of the final gradients in an arena after the backward pass of the node
 * with first parameter `weight`: offset of the next tensor, or arena_size. */
size_t graph_done(const struct graph *g, int weight);

/* Multiply-adds of convolutions and linear layers in one image's forward pass
 * (4.09e9 for ResNet-50 at 224 pixels). */
double graph_macs(const struct graph *g);

/* Floating-point operations of one image's training step: two per multiply-add,
 * for forward, weight gradient and data gradient of each convolution and linear
 * layer, except the data gradient of the first (24.3e9 for ResNet-50). The
 * numerator of model-FLOP utilisation. */
double graph_training_flops(const struct graph *g);

/* Initial values of parameter i, in PyTorch's element order.
 *
 * seed  equal seeds give equal bytes on all devices
 * out   [params[i].n] */
void graph_init_param(
    const struct graph *g, int i, unsigned long long seed, float *out);

#endif
