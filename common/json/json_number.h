/* Numbers as they stand in JSON: the text that json_write.c writes, for those
 * who write so many that each is put straight where it belongs.
 *
 *	unsigned decimals = 0;
 *	char text[JSON_DOUBLE_SIZE], *end;
 *	end = json_put_double(text, 0.25, &decimals);
 */
#ifndef COMMON_JSON_JSON_NUMBER_H
#define COMMON_JSON_JSON_NUMBER_H

#include <stdint.h>

enum { JSON_DOUBLE_SIZE = 32, JSON_LONG_SIZE = 24, JSON_NUMBER_DECIMALS = 9 };

/* The text that json_write_double writes for a finite x, in buf; returns
 * buf. */
char *json_double(char buf[JSON_DOUBLE_SIZE], double x);

/* The same text without a NUL: at most JSON_DOUBLE_SIZE - 1 bytes; what follows
 * it in JSON_DOUBLE_SIZE bytes may be written over.  Returns its end.
 *
 * decimals  0 at first, then what the last call left there: so many are tried
 *           first, for numbers of one column tend to have as many as those
 *           above them; changes no byte of the text */
char *json_put_double(char *to, double x, unsigned *decimals);

/* The same of digits / 10^decimals, with a minus sign where negative is not 0,
 * without making a double of it.
 *
 * digits    less than 10^15
 * decimals  JSON_NUMBER_DECIMALS at most
 *
 * Returns NULL, and writes nothing, where it is 0 or less than 0.0001: the
 * caller asks json_put_double.  Else as that. */
char *json_put_decimal(
    char *to, int negative, uint64_t digits, unsigned decimals);

/* The text of a whole number, at most JSON_LONG_SIZE bytes, without a NUL; all
 * of them may be written over.  Returns its end. */
char *json_put_long(char *to, long x);

#endif
