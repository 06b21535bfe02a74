/* Dynamic loss scaling for fp16: the loss's gradient is multiplied with the
 * scale, so that small gradients do not vanish; a step whose gradients are not
 * all finite is skipped and halves the scale, LOSS_SCALE_PATIENCE good steps
 * in a row double it.
 *
 * Compiled for the GPU and for the host.
 */
#ifndef TRAINER_DEVICE_CUDA_LOSS_SCALE_H
#define TRAINER_DEVICE_CUDA_LOSS_SCALE_H

#ifdef __CUDACC__
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif

#define LOSS_SCALE_START 65536.0f
#define LOSS_SCALE_MOST 16777216.0f
#define LOSS_SCALE_LEAST 1.0f
#define LOSS_SCALE_PATIENCE 2000

struct loss_scale {
	float scale;   /* of the gradients; 1 and fixed if not dynamic */
	float used;    /* by the gradients in memory */
	int dynamic;   /* fp16 */
	int good;      /* finite steps since the scale changed */
	int overflow;  /* a gradient of this step is not finite */
	int n_skipped; /* steps without an update */
};

/* At the end of a step. */
static ON_BOTH inline void
loss_scale_next(struct loss_scale *s)
{
	if (s->overflow) {
		s->n_skipped++;
		s->good = 0;
		if (s->dynamic && s->scale > LOSS_SCALE_LEAST)
			s->scale /= 2;
	} else if (++s->good == LOSS_SCALE_PATIENCE) {
		s->good = 0;
		if (s->dynamic && s->scale < LOSS_SCALE_MOST)
			s->scale *= 2;
	}
	s->overflow = 0;
}

#endif
