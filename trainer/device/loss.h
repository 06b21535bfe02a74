/* Cross entropy of a softmax, top-1 and top-5, for one image at a time; and
 * the reading of a batch's pixels.  Shared by the devices on the host.
 */
#ifndef TRAINER_DEVICE_LOSS_H
#define TRAINER_DEVICE_LOSS_H

#include <stddef.h>

#include "trainer/device/device.h"

/* Add one image to the sums in r: loss is summed here, not averaged.
 *
 * logits  [classes]
 * label   0 .. classes - 1
 * scale   what the gradient is multiplied with: 1 / batch
 * grad    [classes] (softmax(logits) - onehot(label)) * scale; may be NULL
 *
 * A class counts as larger than the label's if its logit is greater, or equal
 * with a smaller index; a logit that is not a number is no hit. */
void loss_add_image(const double *logits, int classes, int label, double scale,
    double *grad, struct loss_result *r);

/* One channel of one image as floats, normalised if it comes as bytes.
 *
 * channels  of the images; 3 for bytes
 * pixels    h * w
 * out       [pixels] */
void images_plane(const struct images *im, int image, int channel, int channels,
    size_t pixels, float *out);

#endif
