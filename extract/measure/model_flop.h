/* Floating-point operations that training takes, of networks that are usual in
 * benchmarks. */
#ifndef EXTRACT_MEASURE_MODEL_FLOP_H
#define EXTRACT_MEASURE_MODEL_FLOP_H

/* Operations to train on one image: 3 x 2 x multiply-adds of the forward pass,
 * since the backward pass takes twice the forward one (Kaplan et al., "Scaling
 * Laws for Neural Language Models", 2020, section 2.1).
 *
 * model   as logs and paths spell it: "ResNet-50", "resnet50_v1.5", "rn50"
 * side    set to that of the images, in pixels, that the number is for
 *
 * Returns operations, or NAN where the network is not known. */
double model_flop_per_image(const char *model, int *side);

/* Parameters of a language model by its name, for 6 operations a token and
 * parameter (Kaplan et al.); attention is not in them.
 *
 * Returns NAN where it is not known. */
double model_parameters(const char *model, const char **source);

#endif
