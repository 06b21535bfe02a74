#include <config.h>

#include "common/result/result.h"

#include <string.h>

#include "common/result/record_fields.h"

void
result_init(struct result *r)
{
	memset(r, 0, sizeof *r);
	fields_init(result_fields, r);
}

void
result_run_init(struct result_run *run)
{
	memset(run, 0, sizeof *run);
	fields_init(result_run_fields, run);
}

void
result_case_init(struct result_case *c)
{
	memset(c, 0, sizeof *c);
	fields_init(result_case_fields, c);
}

void
result_release(struct result *r)
{
	arena_release(&r->arena);
	result_init(r);
}
