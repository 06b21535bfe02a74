/* Remarks in JSON: {"code": "stalls", "args": {"percent": 6.2, "limit": 5},
 * "text": "stalls take 6 % of the time"}.  The text is for people and for
 * programs that do not know the code.
 */
#ifndef COMMON_RESULT_REMARK_JSON_H
#define COMMON_RESULT_REMARK_JSON_H

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/texts/remark.h"

/* Write a remark as a member, or as an item where key is NULL. */
void remark_json_write(
    struct json_writer *j, const char *key, const struct remark *r);

/* Read a remark.  A code of a newer version becomes REMARK_OTHER with the text
 * of the object.
 *
 * a  where texts and inner remarks live
 *
 * Returns 0, or -1 with the place of what is missing or of the wrong type. */
int remark_json_read(const struct json_value *v, struct remark *out,
    struct arena *a, struct error *e);

/* The sentence of a result of an earlier schema. */
struct remark remark_of_sentence(const char *sentence);

#endif
