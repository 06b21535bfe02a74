/* Tables of layers of the models, with torchvision's parameter counts. */
#include <config.h>

#include "trainer/graph/model.h"

#include <string.h>

#include "common/strbuf.h"

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
