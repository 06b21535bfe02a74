/* Carries out a number plan for lines of one template together: what is the
 * same in all of them is looked at once.  Called by sample_run.c and
 * tail_values.c. */
#include <config.h>

#include "extract/scan/samples/number_column.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_WIDE 1
#else
#define HAVE_WIDE 0
#endif

#if HAVE_WIDE

/* number_plan_run_read of four lines. */
__attribute__((target("avx2"))) static inline __m128i
read_four(const struct number_plan_run *run, const char *const *lines)
{
	const __m256i pairs = _mm256_set1_epi16(0x010a);
	const __m256i fours = _mm256_set1_epi32(0x00010064);
	const __m256i eights = _mm256_set1_epi32(0x00012710);
	const __m256i high = _mm256_set1_epi64x((long long)run->high);
	const __m256i low = _mm256_set1_epi64x((long long)run->low);
	long long bytes[4];
	__m256i x;

	for (int i = 0; i < 4; i++)
		memcpy(&bytes[i], lines[i] + run->at, sizeof *bytes);
	x = _mm256_set_epi64x(bytes[3], bytes[2], bytes[1], bytes[0]);
	x = _mm256_sll_epi64(x, _mm_cvtsi32_si128(run->up));
	x = _mm256_or_si256(_mm256_and_si256(x, high),
	    _mm256_slli_epi64(_mm256_and_si256(x, low), 8));
	x = _mm256_madd_epi16(_mm256_maddubs_epi16(x, pairs), fours);
	/* Two numbers of four digits in each eight bytes. */
	x = _mm256_madd_epi16(_mm256_packus_epi32(x, x), eights);
	return _mm256_castsi256_si128(_mm256_permute4x64_epi64(x, 0x08));
}

/* Where a batch of so many stands that is to begin with the i-th of n: the last
 * one is moved back over what was read. */
static inline size_t
batch_at(size_t i, size_t n, size_t batch)
{
	return i + batch <= n ? i : n - batch;
}

__attribute__((target("avx2"))) static size_t
read_wide_whole(const struct number_plan_run *run, const char *const *lines,
    size_t n, int32_t *out)
{
	const struct number_plan_run own = *run; /* that no store changes */

	if (n < 4)
		return 0;
	for (size_t i = 0; i < n; i += 4) {
		const size_t at = batch_at(i, n, 4);

		_mm_storeu_si128(
		    (__m128i *)(out + at), read_four(&own, lines + at));
	}
	return n;
}

/* number_plan_run_read of eight lines. */
__attribute__((target("avx512bw"))) static inline __m256i
read_eight(const struct number_plan_run *run, const char *const *lines)
{
	const __m512i pairs = _mm512_set1_epi16(0x010a);
	const __m512i fours = _mm512_set1_epi32(0x00010064);
	const __m512i eights = _mm512_set1_epi64(0x0000000100002710);
	const __m512i high = _mm512_set1_epi64((long long)run->high);
	const __m512i low = _mm512_set1_epi64((long long)run->low);
	long long bytes[8];
	__m512i x;

	for (int i = 0; i < 8; i++)
		memcpy(&bytes[i], lines[i] + run->at, sizeof *bytes);
	x = _mm512_set_epi64(bytes[7], bytes[6], bytes[5], bytes[4], bytes[3],
	    bytes[2], bytes[1], bytes[0]);
	x = _mm512_sll_epi64(x, _mm_cvtsi32_si128(run->up));
	x = _mm512_or_si512(_mm512_and_si512(x, high),
	    _mm512_slli_epi64(_mm512_and_si512(x, low), 8));
	x = _mm512_madd_epi16(_mm512_maddubs_epi16(x, pairs), fours);
	/* Two numbers of four digits in each eight bytes. */
	x = _mm512_madd_epi16(x, eights);
	x = _mm512_add_epi64(x, _mm512_srli_epi64(x, 32));
	return _mm512_cvtepi64_epi32(x);
}

__attribute__((target("avx512bw"))) static size_t
read_wider_whole(const struct number_plan_run *run, const char *const *lines,
    size_t n, int32_t *out)
{
	const struct number_plan_run own = *run; /* that no store changes */

	for (size_t i = 0; i < n; i += 8) {
		const size_t at = batch_at(i, n, 8);

		_mm256_storeu_si256(
		    (__m256i *)(out + at), read_eight(&own, lines + at));
	}
	return n;
}

/* So many digits over a power of ten, or times it. */
__attribute__((target("avx2"))) static void
scale_wide(const int32_t *digits, size_t n, int power, double *out)
{
	const __m256d p =
	    _mm256_set1_pd(number_plan_powers[power < 0 ? -power : power]);

	for (size_t i = 0; i < n; i += 4) {
		const size_t at = batch_at(i, n, 4);
		const __m256d x = _mm256_cvtepi32_pd(
		    _mm_loadu_si128((const __m128i *)(digits + at)));

		_mm256_storeu_pd(out + at,
		    power <= 0 ? _mm256_div_pd(x, p) : _mm256_mul_pd(x, p));
	}
}

/* Returns how many were read: n, or none. */
static size_t
read_some(const struct number_plan_run *run, const char *const *lines, size_t n,
    int32_t *out)
{
	if (n >= 8 && __builtin_cpu_supports("avx512bw"))
		return read_wider_whole(run, lines, n, out);
	return __builtin_cpu_supports("avx2")
	    ? read_wide_whole(run, lines, n, out)
	    : 0;
}

static size_t
read_wide(const struct number_plan_run *run, const char *const *lines, size_t n,
    int power, double *out, int32_t *digits)
{
	const size_t done = read_some(run, lines, n, digits);

	if (done > 0)
		scale_wide(digits, done, power, out);
	return done;
}

#else

static size_t
read_some(const struct number_plan_run *run, const char *const *lines, size_t n,
    int32_t *out)
{
	(void)run, (void)lines, (void)n, (void)out;
	return 0;
}

static size_t
read_wide(const struct number_plan_run *run, const char *const *lines, size_t n,
    int power, double *out, int32_t *digits)
{
	(void)run, (void)lines, (void)n, (void)power, (void)out, (void)digits;
	return 0;
}

#endif

/* The bytes of a run in a line, as they stand there. */
static inline uint64_t
run_bytes(const struct number_plan_run *run, const char *line)
{
	uint64_t x;

	memcpy(&x, line + run->at, sizeof x);
	return x;
}

/* Has the run the same digits in all lines? */
static int
is_one_run(
    const struct number_plan_run *run, const char *const *lines, size_t n)
{
	const uint64_t digits = (run->high | run->low) >> run->up;
	const uint64_t first = run_bytes(run, lines[0]);
	uint64_t other = run_bytes(run, lines[n - 1]) ^ first;

	/* Numbers that are not the same mostly ascend. */
	if ((other & digits) != 0)
		return 0;
#pragma GCC unroll 4
	for (size_t i = 1; i < n; i++)
		other |= run_bytes(run, lines[i]) ^ first;
	return (other & digits) == 0;
}

/* Has the number the same power of ten in all lines?  Then it is set. */
static int
same_power(const struct number_plan_number *x, const char *const *lines,
    size_t n, int *power)
{
	*power = -x->decimals;
	if (x->exponented == 0)
		return 1;
	*power +=
	    x->exponented * (int)number_plan_run_read(&x->exponent, lines[0]);
	return is_one_run(&x->exponent, lines, n);
}

static void
read_whole(const struct number_plan_run *run, const char *const *lines,
    size_t n, int32_t *out)
{
	size_t i = read_some(run, lines, n, out);

	for (; i < n; i++)
		out[i] = (int32_t)number_plan_run_read(run, lines[i]);
}

int
number_column_read(const struct number_plan_number *x, const char *const *lines,
    size_t n, double *out, struct number_digits *digits)
{
	struct number_digits own;
	struct number_digits *const d = digits != NULL ? digits : &own;
	const int is_short = n > 0 && x->scale == 0;
	size_t i = 0;
	int power = 1;

	if (is_short && same_power(x, lines, n, &power) &&
	    power >= -NUMBER_PLAN_MAX_POWER && power <= NUMBER_PLAN_MAX_POWER)
		i = read_wide(&x->first, lines, n, power, out, d->digits);
	for (; i < n; i++) {
		int own_power;
		const uint64_t whole =
		    number_plan_digits_read(x, lines[i], &own_power);

		if (number_plan_number_of(whole, own_power, &out[i]) != 0)
			return -1;
		d->digits[i] = (int32_t)whole;
		if (own_power != power)
			power = 1;
	}
	d->decimals = is_short && power <= 0 ? -power : -1;
	return 0;
}

int
number_column_read_digits(const struct number_plan_number *x,
    const char *const *lines, size_t n, struct number_digits *digits)
{
	int power;

	if (n == 0 || x->scale != 0 || !same_power(x, lines, n, &power) ||
	    power > 0 || power < -NUMBER_COLUMN_DECIMALS)
		return 0;
	read_whole(&x->first, lines, n, digits->digits);
	digits->decimals = -power;
	return 1;
}

int
number_column_read_one(const struct number_plan_number *x,
    const char *const *lines, size_t n, int32_t *out)
{
	if (n == 0 || !is_one_run(&x->first, lines, n))
		return 0;
	*out = (int32_t)number_plan_run_read(&x->first, lines[0]);
	return 1;
}

void
number_column_read_whole(const struct number_plan_number *x,
    const char *const *lines, size_t n, int32_t *out)
{
	read_whole(&x->first, lines, n, out);
}
