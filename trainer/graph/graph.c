/* Tables of layers of the models, with torchvision's parameter counts; builds a
 * model's nodes with shapes, and its parameters in backward order. */
#include <config.h>

#include "trainer/graph/graph.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/rng.h"

#define LAYER(kind, out, kernel, stride, pad, repeat) \
	{ \
		LAYER_##kind, out, kernel, stride, pad, repeat \
	}
#define CONV(out, kernel, stride, pad) LAYER(CONV, out, kernel, stride, pad, 1)
#define CONV3(out) CONV(out, 3, 1, 1)
#define MAXPOOL(kernel, stride, pad) LAYER(MAXPOOL, 0, kernel, stride, pad, 1)
#define BASIC(out, repeat, stride) LAYER(BASIC, out, 3, stride, 1, repeat)
#define BOTTLENECK(out, repeat, stride) \
	LAYER(BOTTLENECK, out, 3, stride, 1, repeat)
#define AVGPOOL(side) LAYER(AVGPOOL, side, 0, 0, 0, 1)
#define DROPOUT LAYER(DROPOUT, 0, 0, 0, 0, 1)
#define LINEAR(out) LAYER(LINEAR, out, 0, 0, 0, 1)
#define CLASSIFIER LAYER(CLASSIFIER, 0, 0, 0, 0, 1)
#define END LAYER(END, 0, 0, 0, 0, 0)

/* He, Zhang, Ren, Sun, CVPR 2016, table 1; the stride of a bottleneck is in its
 * 3x3 convolution ("v1.5"), as in torchvision. */
#define RESNET(block, a, b, c, d) \
	{ \
		CONV(64, 7, 2, 3), MAXPOOL(3, 2, 1), block(64, a, 1), \
		    block(128, b, 2), block(256, c, 2), block(512, d, 2), \
		    AVGPOOL(1), CLASSIFIER, END \
	}

static const struct layer resnet18[] = RESNET(BASIC, 2, 2, 2, 2);
static const struct layer resnet34[] = RESNET(BASIC, 3, 4, 6, 3);
static const struct layer resnet50[] = RESNET(BOTTLENECK, 3, 4, 6, 3);
static const struct layer resnet101[] = RESNET(BOTTLENECK, 3, 4, 23, 3);
static const struct layer resnet152[] = RESNET(BOTTLENECK, 3, 8, 36, 3);

/* Simonyan, Zisserman, ICLR 2015, table 1, columns A, B, D, E. */
#define POOL2 MAXPOOL(2, 2, 0)
#define VGG_TAIL \
	AVGPOOL(7), LINEAR(4096), DROPOUT, LINEAR(4096), DROPOUT, CLASSIFIER, \
	    END
#define X2(c) CONV3(c), CONV3(c)
#define X3(c) X2(c), CONV3(c)
#define X4(c) X2(c), X2(c)

static const struct layer vgg11[] = { CONV3(64), POOL2, CONV3(128), POOL2,
	X2(256), POOL2, X2(512), POOL2, X2(512), POOL2, VGG_TAIL };
static const struct layer vgg13[] = { X2(64), POOL2, X2(128), POOL2, X2(256),
	POOL2, X2(512), POOL2, X2(512), POOL2, VGG_TAIL };
static const struct layer vgg16[] = { X2(64), POOL2, X2(128), POOL2, X3(256),
	POOL2, X3(512), POOL2, X3(512), POOL2, VGG_TAIL };
static const struct layer vgg19[] = { X2(64), POOL2, X2(128), POOL2, X4(256),
	POOL2, X4(512), POOL2, X4(512), POOL2, VGG_TAIL };

/* Krizhevsky, "One weird trick for parallelizing convolutional neural
 * networks", 2014, as in torchvision. */
static const struct layer alexnet[] = { CONV(64, 11, 4, 2), MAXPOOL(3, 2, 0),
	CONV(192, 5, 1, 2), MAXPOOL(3, 2, 0), CONV3(384), CONV3(256),
	CONV3(256), MAXPOOL(3, 2, 0), AVGPOOL(6), DROPOUT, LINEAR(4096),
	DROPOUT, LINEAR(4096), CLASSIFIER, END };

#define ROW_RESNET(name, parameters) \
	{ \
#name, name, 1, 0, INIT_RESNET, NAMES_RESNET, 224, 0.1, \
		    parameters \
	}
#define ROW_VGG(name, plain, bn) \
	{ #name, name, 0, 1, INIT_VGG, NAMES_SEQUENTIAL, 224, 0.01, plain }, \
	{ \
#name "_bn", name, 1, 1, INIT_VGG, NAMES_SEQUENTIAL, 224, \
		    0.01, bn \
	}

/* Parameter counts: sum(p.numel()) in torchvision 0.14.1. */
static const struct model models[] = {
	ROW_RESNET(resnet18, 11689512),
	ROW_RESNET(resnet34, 21797672),
	ROW_RESNET(resnet50, 25557032),
	ROW_RESNET(resnet101, 44549160),
	ROW_RESNET(resnet152, 60192808),
	ROW_VGG(vgg11, 132863336, 132868840),
	ROW_VGG(vgg13, 133047848, 133053736),
	ROW_VGG(vgg16, 138357544, 138365992),
	ROW_VGG(vgg19, 143667240, 143678248),
	{ "alexnet", alexnet, 0, 1, INIT_DEFAULT, NAMES_SEQUENTIAL, 224, 0.01,
	    61100840 },
};

enum { N_MODELS = sizeof models / sizeof models[0] };

const struct model *
model_list(size_t *n)
{
	*n = N_MODELS;
	return models;
}

const struct model *
model_find(const char *name, struct error *e)
{
	struct strbuf names = STRBUF_INIT(1000);

	for (int i = 0; i < N_MODELS; i++)
		if (strcmp(models[i].name, name) == 0)
			return &models[i];
	for (int i = 0; i < N_MODELS; i++)
		strbuf_printf(
		    &names, "%s%s", i > 0 ? ", " : "", models[i].name);
	error_set(
	    e, ERROR_USAGE, "no model '%s'; there are %s", name, names.buf);
	strbuf_release(&names);
	return NULL;
}

/* --- Networks ------------------------------------------------------------- */

static int
output_extent(int in, int kernel, int stride, int pad)
{
	int room = in + 2 * pad - kernel;

	return room < 0 ? 0 : room / stride + 1;
}

static int
add_node(struct graph *g, enum node_kind kind, const char *name, int a, int b)
{
	struct node *n;

	assert(!g->finished);
	assert(a < g->n_nodes && b < g->n_nodes);
	g->nodes = arena_grow(
	    &g->arena, g->nodes, (size_t)g->n_nodes, sizeof *g->nodes);
	n = &g->nodes[g->n_nodes];
	n->kind = kind;
	n->name = arena_strdup(&g->arena, name);
	n->in[0] = a;
	n->in[1] = b;
	n->weight = n->bias = n->mean = n->var = GRAPH_NONE;
	if (a != GRAPH_NONE)
		n->out = g->nodes[a].out;
	return g->n_nodes++;
}

/* Add a convolution or pooling. */
static int
add_window(struct graph *g, enum node_kind kind, const char *name, int in,
    int kernel, int stride, int pad)
{
	const int i = add_node(g, kind, name, in, GRAPH_NONE);
	struct node *n = &g->nodes[i];

	n->kernel = kernel;
	n->stride = stride;
	n->pad = pad;
	n->out.h = output_extent(n->out.h, kernel, stride, pad);
	n->out.w = output_extent(n->out.w, kernel, stride, pad);
	assert(n->out.h > 0 && n->out.w > 0);
	return i;
}

static int
add_param(struct graph *g, const char *suffix, int rank, const int *dims)
{
	struct param *p;

	g->params = arena_grow(
	    &g->arena, g->params, (size_t)g->n_params, sizeof *g->params);
	p = &g->params[g->n_params];
	p->node = g->n_nodes - 1;
	p->name =
	    arena_printf(&g->arena, "%s.%s", g->nodes[p->node].name, suffix);
	p->rank = rank;
	p->n = 1;
	for (int i = 0; i < rank; i++) {
		p->dims[i] = dims[i];
		p->n *= (size_t)dims[i];
	}
	p->init = PARAM_CONSTANT;
	p->scale = 0;
	return g->n_params++;
}

static int
add_buffer(struct graph *g, const char *suffix, int n, double start)
{
	struct buffer *b;

	g->buffers = arena_grow(
	    &g->arena, g->buffers, (size_t)g->n_buffers, sizeof *g->buffers);
	b = &g->buffers[g->n_buffers];
	b->node = g->n_nodes - 1;
	b->name =
	    arena_printf(&g->arena, "%s.%s", g->nodes[b->node].name, suffix);
	b->n = (size_t)n;
	b->start = start;
	b->offset = g->buffers_size;
	g->buffers_size += b->n;
	return g->n_buffers++;
}

void
graph_start(struct graph *g, struct shape input)
{
	memset(g, 0, sizeof *g);
	add_node(g, NODE_INPUT, "input", GRAPH_NONE, GRAPH_NONE);
	g->nodes[0].out = input;
}

/* i  index of a parameter, or GRAPH_NONE */
static void
set_init(struct graph *g, int i, enum param_init init, double scale)
{
	if (i == GRAPH_NONE)
		return;
	g->params[i].init = init;
	g->params[i].scale = scale;
}

/* Default initialisation of torch.nn.Conv2d and Linear: kaiming_uniform with a
 * = sqrt(5), that is uniform in +-1/sqrt(fan_in), for weight and bias. */
static void
init_default(struct graph *g, const struct node *n, int fan_in)
{
	const double bound = 1 / sqrt(fan_in);

	set_init(g, n->weight, PARAM_UNIFORM, bound);
	set_init(g, n->bias, PARAM_UNIFORM, bound);
}

int
graph_conv(struct graph *g, const char *name, int in, int out, int kernel,
    int stride, int pad, int bias)
{
	const struct shape x = g->nodes[in].out;
	const int dims[] = { out, x.c, kernel, kernel };
	const int i = add_window(g, NODE_CONV, name, in, kernel, stride, pad);
	struct node *n = &g->nodes[i];

	n->out.c = out;
	n->weight = add_param(g, "weight", 4, dims);
	if (bias)
		n->bias = add_param(g, "bias", 1, dims);
	init_default(g, n, x.c * kernel * kernel);
	return i;
}

int
graph_batchnorm(struct graph *g, const char *name, int in)
{
	int i = add_node(g, NODE_BATCHNORM, name, in, GRAPH_NONE);
	struct node *n = &g->nodes[i];

	n->weight = add_param(g, "weight", 1, &n->out.c);
	n->bias = add_param(g, "bias", 1, &n->out.c);
	g->params[n->weight].scale = 1;
	n->mean = add_buffer(g, "running_mean", n->out.c, 0);
	n->var = add_buffer(g, "running_var", n->out.c, 1);
	return i;
}

int
graph_relu(struct graph *g, int in)
{
	return add_node(g, NODE_RELU, "relu", in, GRAPH_NONE);
}

int
graph_add(struct graph *g, int a, int b)
{
	assert(memcmp(&g->nodes[a].out, &g->nodes[b].out,
		   sizeof(struct shape)) == 0);
	return add_node(g, NODE_ADD, "add", a, b);
}

int
graph_maxpool(struct graph *g, int in, int kernel, int stride, int pad)
{
	assert(2 * pad <= kernel);
	return add_window(g, NODE_MAXPOOL, "maxpool", in, kernel, stride, pad);
}

int
graph_avgpool(struct graph *g, int in, int out)
{
	int i = add_node(g, NODE_AVGPOOL, "avgpool", in, GRAPH_NONE);

	g->nodes[i].out.h = g->nodes[i].out.w = out;
	return i;
}

int
graph_dropout(struct graph *g, int in, double p)
{
	int i = add_node(g, NODE_DROPOUT, "dropout", in, GRAPH_NONE);

	g->nodes[i].p = p;
	return i;
}

int
graph_linear(struct graph *g, const char *name, int in, int out)
{
	const int fan_in = (int)shape_size(g->nodes[in].out);
	const int dims[] = { out, fan_in };
	int i = add_node(g, NODE_LINEAR, name, in, GRAPH_NONE);
	struct node *n = &g->nodes[i];

	n->out.c = out;
	n->out.h = n->out.w = 1;
	n->weight = add_param(g, "weight", 2, dims);
	n->bias = add_param(g, "bias", 1, dims);
	init_default(g, n, fan_in);
	return i;
}

void
graph_finish(struct graph *g)
{
	size_t at = 0;

	assert(!g->finished);
	g->n_weights = 0;
	for (int i = g->n_params - 1; i >= 0; i--) {
		g->params[i].offset = at;
		at += g->params[i].n;
		at = (at + GRAPH_ALIGN - 1) / GRAPH_ALIGN * GRAPH_ALIGN;
		g->n_weights += g->params[i].n;
	}
	g->arena_size = at;
	g->classes = (int)shape_size(g->nodes[g->n_nodes - 1].out);
	g->finished = 1;
}

size_t
graph_done(const struct graph *g, int weight)
{
	return weight > 0 ? g->params[weight - 1].offset : g->arena_size;
}

void
graph_release(struct graph *g)
{
	arena_release(&g->arena);
	memset(g, 0, sizeof *g);
}

/* --- from a model's table ------------------------------------------------ */

struct graph_builder {
	struct graph *g;
	const struct model *m;
	int at;    /* last node built */
	int stage; /* ResNet: number of the next layerN */
	int index; /* Sequential: number of the next module */
	int in_classifier;
	struct error *e;
};

static int
too_small(struct graph_builder *b, const char *name)
{
	return error_set(b->e, ERROR_USAGE,
	    "images of %d pixels are too small for '%s' of %s", b->g->image,
	    name, b->m->name);
}

/* Add a convolution and batch normalisation with the given names. */
static int
conv_bn(struct graph_builder *b, const char *conv, const char *bn, int out,
    int kernel, int stride, int pad)
{
	const struct node *n = &b->g->nodes[b->at];

	if (output_extent(n->out.h, kernel, stride, pad) < 1)
		return too_small(b, conv);
	b->at = graph_conv(
	    b->g, conv, b->at, out, kernel, stride, pad, b->m->conv_bias);
	n = &b->g->nodes[b->at];
	if (b->m->init != INIT_DEFAULT) {
		/* As torchvision's constructors: kaiming_normal_(
		 * mode="fan_out", nonlinearity="relu") */
		set_init(b->g, n->weight, PARAM_NORMAL,
		    sqrt(2.0 / (out * kernel * kernel)));
		set_init(b->g, n->bias, PARAM_CONSTANT, 0);
	}
	if (b->m->batchnorm)
		b->at = graph_batchnorm(b->g, bn, b->at);
	return 0;
}

static const char *
module_name(struct graph_builder *b)
{
	return arena_printf(&b->g->arena, "%s.%d",
	    b->in_classifier ? "classifier" : "features", b->index++);
}

/* Add a convolution of a residual block, number `which` of it, from 1. */
static int
block_conv(struct graph_builder *b, int block, int which, int out, int kernel,
    int stride)
{
	struct arena *a = &b->g->arena;

	return conv_bn(b,
	    arena_printf(a, "layer%d.%d.conv%d", b->stage, block, which),
	    arena_printf(a, "layer%d.%d.bn%d", b->stage, block, which), out,
	    kernel, stride, kernel / 2);
}

static int
residual_block(struct graph_builder *b, const struct layer *l, int block)
{
	const int deep = l->kind == LAYER_BOTTLENECK;
	const int width = deep ? 4 * l->out : l->out;
	const int stride = block == 0 ? l->stride : 1;
	int shortcut = b->at, main_path;

	if (block_conv(b, block, 1, l->out, deep ? 1 : 3, deep ? 1 : stride))
		return -1;
	b->at = graph_relu(b->g, b->at);
	if (block_conv(b, block, 2, l->out, 3, deep ? stride : 1))
		return -1;
	if (deep) {
		b->at = graph_relu(b->g, b->at);
		if (block_conv(b, block, 3, width, 1, 1))
			return -1;
	}
	main_path = b->at;
	if (stride != 1 || b->g->nodes[shortcut].out.c != width) {
		struct arena *a = &b->g->arena;

		b->at = shortcut;
		if (conv_bn(b,
			arena_printf(
			    a, "layer%d.%d.downsample.0", b->stage, block),
			arena_printf(
			    a, "layer%d.%d.downsample.1", b->stage, block),
			width, 1, stride, 0) != 0)
			return -1;
		shortcut = b->at;
	}
	b->at = graph_relu(b->g, graph_add(b->g, main_path, shortcut));
	return 0;
}

static int
build_layer(struct graph_builder *b, const struct layer *l)
{
	const int sequential = b->m->names == NAMES_SEQUENTIAL;
	const int last = l->kind == LAYER_CLASSIFIER;
	const char *name = "conv1", *bn = "bn1";
	const struct node *n;

	switch (l->kind) {
	case LAYER_CONV:
		if (sequential) {
			name = module_name(b);
			bn = b->m->batchnorm ? module_name(b) : NULL;
			b->index++; /* the ReLU */
		}
		if (conv_bn(
			b, name, bn, l->out, l->kernel, l->stride, l->pad) != 0)
			return -1;
		b->at = graph_relu(b->g, b->at);
		return 0;
	case LAYER_MAXPOOL:
		if (output_extent(b->g->nodes[b->at].out.h, l->kernel,
			l->stride, l->pad) < 1)
			return too_small(b, "maxpool");
		b->at =
		    graph_maxpool(b->g, b->at, l->kernel, l->stride, l->pad);
		b->index++;
		return 0;
	case LAYER_BASIC:
	case LAYER_BOTTLENECK:
		for (int i = 0; i < l->repeat; i++)
			if (residual_block(b, l, i) != 0)
				return -1;
		b->stage++;
		return 0;
	case LAYER_AVGPOOL:
		b->at = graph_avgpool(b->g, b->at, l->out);
		b->in_classifier = 1;
		b->index = 0;
		return 0;
	case LAYER_DROPOUT:
		b->at = graph_dropout(b->g, b->at, 0.5);
		b->index++;
		return 0;
	case LAYER_LINEAR:
	case LAYER_CLASSIFIER:
		name = b->m->names == NAMES_RESNET ? "fc" : module_name(b);
		b->at = graph_linear(
		    b->g, name, b->at, last ? b->g->classes : l->out);
		n = &b->g->nodes[b->at];
		if (b->m->init == INIT_VGG) {
			set_init(b->g, n->weight, PARAM_NORMAL, 0.01);
			set_init(b->g, n->bias, PARAM_CONSTANT, 0);
		}
		if (last)
			return 0;
		b->index++;
		b->at = graph_relu(b->g, b->at);
		return 0;
	case LAYER_END:
		break;
	}
	return 0;
}

int
graph_build(const struct model *m, int classes, int image, struct graph *g,
    struct error *e)
{
	struct graph_builder b = { .g = g, .m = m, .stage = 1, .e = e };

	assert(classes >= 1 && image >= 1);
	graph_start(g, (struct shape){ 3, image, image });
	g->model = m;
	g->classes = classes;
	g->image = image;
	for (const struct layer *l = m->layers; l->kind != LAYER_END; l++)
		if (build_layer(&b, l) != 0) {
			graph_release(g);
			return -1;
		}
	graph_finish(g);
	return 0;
}

/* --- what it costs and how it starts ------------------------------------- */

static double
node_macs(const struct graph *g, const struct node *n)
{
	struct shape x;

	if (n->kind != NODE_CONV && n->kind != NODE_LINEAR)
		return 0;
	x = g->nodes[n->in[0]].out;
	if (n->kind == NODE_LINEAR)
		return (double)shape_size(x) * n->out.c;
	return (double)shape_size(n->out) * x.c * n->kernel * n->kernel;
}

double
graph_macs(const struct graph *g)
{
	double sum = 0;

	for (int i = 0; i < g->n_nodes; i++)
		sum += node_macs(g, &g->nodes[i]);
	return sum;
}

double
graph_training_flops(const struct graph *g)
{
	double macs = 3 * graph_macs(g);

	for (int i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].in[0] == 0)
			macs -= node_macs(g, &g->nodes[i]);
	return 2 * macs;
}

void
graph_init_param(
    const struct graph *g, int i, unsigned long long seed, float *out)
{
	const struct param *p = &g->params[i];
	const struct rng r = { seed, RNG_STREAM_PARAM + (uint32_t)i, 0 };

	switch (p->init) {
	case PARAM_NORMAL:
		rng_fill_normal(&r, p->scale, p->n, out);
		break;
	case PARAM_UNIFORM:
		rng_fill_uniform(&r, p->scale, p->n, out);
		break;
	case PARAM_CONSTANT:
		for (size_t k = 0; k < p->n; k++)
			out[k] = (float)p->scale;
		break;
	}
}
