/* What a device can compute at most, by its name. */
#ifndef EXTRACT_MEASURE_DEVICE_PEAK_H
#define EXTRACT_MEASURE_DEVICE_PEAK_H

/* Peak of dense matrix products, as the maker's data sheet has it.
 *
 * device     as a log prints it: "NVIDIA A100-SXM4-80GB"
 * precision  "fp32", "tf32", "fp16", "bf16", "amp" (its half precision), "fp8"
 * name       set to the row that holds: a constant
 *
 * Returns TFLOP/s (1e12 operations a second), or NAN where device or precision
 * is unknown, and for fp32 on devices that may compute it in TF32: which of the
 * two was used no log states. */
double device_peak_tflops(
    const char *device, const char *precision, const char **name);

#endif
