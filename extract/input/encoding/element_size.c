/* One table of types for all traces.  Called by the readers of PyTorch's
 * profiles and Horovod's timelines; knows neither. */
#include <config.h>

#include "extract/input/encoding/element_size.h"

#include <math.h>
#include <stddef.h>
#include <strings.h>

static const struct {
	const char *name;
	double bytes;
} types[] = {
	/* PyTorch: ScalarType, c10/core/ScalarType.h.  "Char" and "Byte" are of
	 * one byte, "Long" is of eight. */
	{ "Byte", 1 }, { "Char", 1 }, { "Short", 2 }, { "Int", 4 },
	{ "Long", 8 }, { "UInt16", 2 }, { "UInt32", 4 }, { "UInt64", 8 },
	{ "Half", 2 }, { "Float", 4 }, { "Double", 8 }, { "BFloat16", 2 },
	{ "ComplexHalf", 4 }, { "ComplexFloat", 8 }, { "ComplexDouble", 16 },
	{ "Bool", 1 }, { "Float8_e5m2", 1 }, { "Float8_e4m3fn", 1 },
	{ "Float8_e5m2fnuz", 1 }, { "Float8_e4m3fnuz", 1 },
	/* Horovod: DataType_Name, horovod/common/message.cc. */
	{ "uint8", 1 }, { "int8", 1 }, { "int16", 2 }, { "int32", 4 },
	{ "int64", 8 }, { "float16", 2 }, { "float32", 4 }, { "float64", 8 },
	/* The same by other names. */
	{ "bf16", 2 }, { "fp16", 2 }, { "fp32", 4 }, { "fp64", 8 },
	{ "complex64", 8 }, { "complex128", 16 }
};

double
element_size(const char *type)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcasecmp(types[i].name, type) == 0)
			return types[i].bytes;
	return NAN;
}
