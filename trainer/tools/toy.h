/* Toy images: each class is a shape, drawn a few times in random colours,
 * sizes, places and angles on a shaded and noisy background with strokes. No
 * pixel depends on the class alone, so a linear model of the pixels learns
 * almost nothing.
 */
#ifndef TRAINER_TOOLS_TOY_H
#define TRAINER_TOOLS_TOY_H

#include <stdint.h>

enum { TOY_MAX_CLASSES = 16 };

struct toy {
	uint64_t seed;
	int part;  /* 0: train, 1: val; their images differ */
	int size;  /* sides have size .. size * 4 / 3 pixels, >= 16 */
	int plain; /* 1: larger grey shapes without strokes and with little
		      noise: a network learns these in fewer steps, a linear
		      model still learns nothing */
};

/* Name of a class's shape, "disc". Names are in ascending order, so that class
 * numbers match a dataset with all or the first few of them. */
const char *toy_class(int label);

/* Paint image i of a class; depends only on (t, label, i).
 *
 * label  0 .. TOY_MAX_CLASSES - 1
 * w, h   set to its size
 *
 * Returns [h][w][3]; free with free(). */
uint8_t *toy_paint(const struct toy *t, int label, int i, int *w, int *h);

#endif
