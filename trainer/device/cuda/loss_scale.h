/* Dynamic loss scaling for fp16. The loss's gradient is multiplied by the scale
 * so that small gradients do not underflow. A step with a gradient that is not
 * finite is skipped and halves the scale; LOSS_SCALE_PATIENCE good steps in a
 * row double it.
 *
 * Compiled for the GPU and the host.
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
	float scale;   /* factor of gradients; 1 and fixed if not dynamic */
	float used;    /* scale of the gradients in memory */
	int dynamic;   /* fp16 */
	int good;      /* finite steps since the last change of the scale */
	int overflow;  /* 1: a gradient of this step is not finite */
	int n_skipped; /* steps without an update */
};

/* Update the scale at the end of a step. */
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
