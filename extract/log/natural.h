/* Natural order of names: compares numbers in names by value.
 */
#ifndef EXTRACT_LOG_NATURAL_H
#define EXTRACT_LOG_NATURAL_H

/* Compare like strcmp, but sequences of digits as numbers of any length ("r9"
 * before "r10"). Equal numbers compare by bytes ("r9" before "r09"), so that
 * only equal strings give 0. NULL comes first. */
int natural_compare(const char *a, const char *b);

#endif
