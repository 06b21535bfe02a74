# converge_fp16.sh with all types.
TYPES="none fp16 bf16"
export TYPES
. "$top_srcdir/tests/e2e/converge_fp16.sh"
