/* Bytes of an element, by the name of its type as traces print it: PyTorch's
 * ("Float", "BFloat16"), numpy's and NCCL's ("float32", "bf16", "uint8").
 * Internal to extract/.
 */
#ifndef EXTRACT_INPUT_ENCODING_ELEMENT_SIZE_H
#define EXTRACT_INPUT_ENCODING_ELEMENT_SIZE_H

/* Bytes of an element of that type, whatever the case of its letters; NAN:
 * not known. */
double element_size(const char *type);

#endif
