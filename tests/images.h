/* Images for tests and benchmarks, and files to keep them in.
 */
#ifndef TESTS_IMAGES_H
#define TESTS_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/data/decode.h"

/* An image with waves, patches and noise, as JPEG files of photographs have:
 * 500 x 375 at quality 90 takes about 92 KB with noise 40.
 *
 * Returns [h][w][3]; free with free(). */
uint8_t *image_paint(int w, int h, unsigned seed, double noise);

/* encode_image, or the test program ends. */
uint8_t *image_encode(const uint8_t *rgb, int w, int h,
    const struct encode_options *o, size_t *len);

/* What a decoder must make of a pixel that was encoded without loss in the
 * given colour (PNG). */
void image_decoded_pixel(
    enum encode_colour colour, const uint8_t rgb[3], uint8_t out[3]);

/* Write a file, making its folders; the test program ends if it cannot. */
void file_write(const char *path, const void *data, size_t len);

/* A new folder under TMPDIR or /tmp; free the name with free(). */
char *folder_new(void);

/* Remove a folder and all in it, and free its name. */
void folder_remove(char *path);

#endif
