/* Draws toy images. */
#include <config.h>

#include "trainer/tools/toy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/base/rng.h"

static const double pi = 3.14159265358979323846;

/* In ascending order of their names. */
enum shape {
	ARROW,
	BARS,
	CROSS,
	DISC,
	EYES,
	FRAME,
	HALF,
	LETTER_L,
	MOON,
	RING,
	SQUARE,
	STAR,
	TRIANGLE,
	VEE,
	WHEEL,
	ZED,
	STROKE /* a thin bar; independent of the class */
};

static const char *const names[TOY_MAX_CLASSES] = { "arrow", "bars", "cross",
	"disc", "eyes", "frame", "half", "letter_l", "moon", "ring", "square",
	"star", "triangle", "vee", "wheel", "zed" };

/* True if the point (x, y) is inside a shape, which fits in the unit circle. */
static int
in_round_shape(enum shape shape, double x, double y)
{
	const double ax = fabs(x), ay = fabs(y), r = x * x + y * y;
	const double root = sqrt(r), turn = 2 * pi / 5;
	double a;

	switch (shape) {
	case DISC:
		return r < 0.64;
	case EYES:
		return (ax - 0.5) * (ax - 0.5) + y * y < 0.15;
	case HALF:
		return y > -0.3 && x * x + (y + 0.3) * (y + 0.3) < 0.72;
	case MOON:
		return r < 0.81 && (x - 0.4) * (x - 0.4) + y * y > 0.42;
	case RING:
		return r < 0.72 && r > 0.3;
	case WHEEL:
		return r < 0.81 && (r > 0.55 || ax < 0.13 || ay < 0.13);
	default: /* STAR */
		a = fabs(fmod(atan2(y, x) + 4 * pi, turn) - turn / 2);
		/* Straight edges from the tips (1) to the notches (0.4). */
		return root * (sin(a) * 1.58 + cos(a) * 1) <
		    0.4 * 1.58 * 0.98 + 0.02 ||
		    root < 0.38;
	}
}

static int
in_shape(enum shape shape, double x, double y)
{
	const double ax = fabs(x), ay = fabs(y), most = fmax(ax, ay);

	switch (shape) {
	case ARROW:
		return y > 0 ? ax < 0.8 * (0.95 - y) : y > -0.9 && ax < 0.22;
	case BARS:
		return ay < 0.75 && (ax < 0.13 || (ax > 0.42 && ax < 0.65));
	case CROSS:
		return fmin(ax, ay) < 0.25 && most < 0.95;
	case FRAME:
		return most < 0.7 && most > 0.42;
	case LETTER_L:
		return (x > -0.6 && x < -0.15 && ay < 0.8) ||
		    (y > -0.8 && y < -0.35 && ax < 0.6);
	case SQUARE:
		return most < 0.66;
	case TRIANGLE:
		return y > -0.5 && ax < (0.95 - y) / sqrt(3);
	case VEE:
		return y < 0.8 && y > -0.85 &&
		    fabs(ax - (y + 0.6) * 0.5) < 0.24;
	case ZED:
		return most <= 0.7 && (ay > 0.42 || fabs(x - y) < 0.3);
	case STROKE:
		return ax < 0.03 && ay < 0.9;
	default:
		return in_round_shape(shape, x, y);
	}
}

/* Random numbers of one image, one after the other. */
struct draw {
	struct rng rng;
	uint64_t next;
	uint32_t four[4]; /* block next / 4, if next % 4 > 0 */
};

static double
draw_between(struct draw *d, double low, double high)
{
	if (d->next % 4 == 0)
		rng_block(&d->rng, d->next / 4, d->four);
	return low + (high - low) * (d->four[d->next++ % 4] * 0x1p-32);
}

struct toy_canvas {
	double *rgb; /* [h][w][3] 0 .. 255 */
	int w, h;
	int plain; /* see struct toy */
};

static void
pick_colour(struct draw *d, const struct toy_canvas *p, double colour[3])
{
	for (int c = 0; c < 3; c++)
		colour[c] =
		    p->plain && c > 0 ? colour[0] : draw_between(d, 0, 255);
}

/* Paint a gradient between two colours, with noise. */
static void
paint_ground(struct draw *d, struct toy_canvas *p, double mean[3])
{
	double a[3], b[3];
	const double turn = draw_between(d, 0, 2 * pi);
	const double noise = p->plain ? 2 : draw_between(d, 5, 40);

	pick_colour(d, p, a);
	for (int c = 0; c < 3; c++) {
		b[c] = fmin(fmax(a[c] + draw_between(d, -60, 60), 0), 255);
		mean[c] = (a[c] + b[c]) / 2;
	}
	for (int y = 0; y < p->h; y++)
		for (int x = 0; x < p->w; x++) {
			const double t = 0.5 +
			    0.35 *
				((2.0 * x / p->w - 1) * cos(turn) +
				    (2.0 * y / p->h - 1) * sin(turn));
			double *out = p->rgb + ((size_t)y * p->w + x) * 3;

			for (int c = 0; c < 3; c++)
				out[c] = a[c] * (1 - t) + b[c] * t +
				    draw_between(d, -noise, noise);
		}
}

/* Position, size and angle of a shape. */
struct pose {
	double x, y, radius, turn;
};

static void
paint_shape(struct toy_canvas *p, enum shape shape, const struct pose *o,
    const double colour[3])
{
	const double cosine = cos(o->turn), sine = sin(o->turn);
	const int x0 = (int)fmax(0, o->x - o->radius);
	const int y0 = (int)fmax(0, o->y - o->radius);

	for (int y = y0; y < p->h && y <= o->y + o->radius; y++)
		for (int x = x0; x < p->w && x <= o->x + o->radius; x++) {
			double *out = p->rgb + ((size_t)y * p->w + x) * 3;
			int n = 0; /* of 2 x 2 points of the pixel */

			for (int k = 0; k < 4; k++) {
				const double u =
				    (x + 0.25 + 0.5 * (k & 1) - o->x) /
				    o->radius;
				const double v =
				    (y + 0.25 + 0.5 * (k >> 1) - o->y) /
				    o->radius;

				n += in_shape(shape, u * cosine + v * sine,
				    v * cosine - u * sine);
			}
			for (int c = 0; c < 3; c++)
				out[c] += n / 4.0 * 0.9 * (colour[c] - out[c]);
		}
}

static struct pose
pick_pose(struct draw *d, const struct toy_canvas *p, double radius)
{
	struct pose o = { draw_between(d, 0.1 * p->w, 0.9 * p->w),
		draw_between(d, 0.1 * p->h, 0.9 * p->h), radius,
		draw_between(d, 0, 2 * pi) };

	return o;
}

const char *
toy_class(int label)
{
	assert(label >= 0 && label < TOY_MAX_CLASSES);
	return names[label];
}

uint8_t *
toy_paint(const struct toy *t, int label, int i, int *w, int *h)
{
	struct draw d = { .rng = { t->seed,
			      (uint32_t)(t->part * TOY_MAX_CLASSES + label),
			      (uint32_t)i } };
	double side, ground[3], colour[3];
	struct toy_canvas p;
	int times, strokes;
	uint8_t *out;
	size_t n;

	assert(label >= 0 && label < TOY_MAX_CLASSES && t->size >= 16);
	p.w = (int)draw_between(&d, t->size, t->size * 4.0 / 3 + 1);
	p.h = (int)draw_between(&d, t->size, t->size * 4.0 / 3 + 1);
	n = (size_t)p.w * (size_t)p.h * 3;
	p.rgb = xcalloc(n, sizeof *p.rgb);
	p.plain = t->plain;
	side = p.w < p.h ? p.w : p.h;
	times = (int)draw_between(&d, 3, 7);
	strokes = p.plain ? 0 : (int)draw_between(&d, 2, 6);
	paint_ground(&d, &p, ground);
	for (int k = 0; k < strokes; k++) {
		const struct pose o =
		    pick_pose(&d, &p, side * draw_between(&d, 0.2, 0.6));

		pick_colour(&d, &p, colour);
		paint_shape(&p, STROKE, &o, colour);
	}
	for (int k = 0; k < times; k++) {
		const double larger = p.plain ? 1.5 : 1;
		const struct pose o = pick_pose(
		    &d, &p, larger * side * draw_between(&d, 0.14, 0.28));

		/* Differences from the ground, summed over channels: >= 170. */
		do
			pick_colour(&d, &p, colour);
		while (fabs(colour[0] - ground[0]) +
			fabs(colour[1] - ground[1]) +
			fabs(colour[2] - ground[2]) <
		    170);
		paint_shape(&p, (enum shape)label, &o, colour);
	}
	out = xmalloc(n);
	for (size_t k = 0; k < n; k++)
		out[k] = (uint8_t)fmin(fmax(p.rgb[k] + 0.5, 0), 255);
	free(p.rgb);
	*w = p.w;
	*h = p.h;
	return out;
}
