/* Cross entropy of a softmax, top-1 and top-5, for one image; and conversion of
 * pixels. Shared by the devices on the host.
 */
#ifndef TRAINER_DEVICE_LOSS_H
#define TRAINER_DEVICE_LOSS_H

#include <stddef.h>

#include "trainer/device/device.h"

/* Add one image to the sums in r; loss is summed, not averaged.
 *
 * logits  [classes]
 * label   0 .. classes - 1
 * scale   factor of the gradient: 1 / batch
 * grad    [classes] (softmax(logits) - onehot(label)) * scale; may be NULL
 *
 * A class ranks before the label's if its logit is greater, or equal with a
 * smaller index; other NaNs rank before it, and a label's NaN is no hit. */
void loss_add_image(const double *logits, int classes, int label, double scale,
    double *grad, struct loss_result *r);

/* Convert one channel of an image to floats; bytes are normalised.
 *
 * channels  of the images; 3 for bytes
 * pixels    h * w
 * out       [pixels] */
void images_plane(const struct images *im, int image, int channel, int channels,
    size_t pixels, float *out);

#endif
