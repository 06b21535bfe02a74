# Logs of inference: refused by the name of their program, never measured.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1

served() { # PROGRAM LINE: a log with this line after others
	{
		echo "INFO 07-15 12:00:00 config.py:1] loading the model"
		echo "Namespace(model='m', tensor_parallel_size=4)"
		printf '%s\n' "$2"
	} >served.log
	refuse "$1: ${2%%[0-9]*}" 4 "*served.log:3: excluded: a log of inference ($1: *" \
	    "$x" -o r.json served.log
}

served vLLM "Throughput: 4.32 requests/s, 2112.34 total tokens/s, 1056.17 output tokens/s"
served vLLM "INFO 07-15 12:00:00 metrics.py:455] Avg prompt throughput: 120.3 tokens/s, Avg generation throughput: 45.6 tokens/s, Running: 8 reqs"
served vLLM "Processed prompts: 100%|##########| 1000/1000 [00:12<00:00, 81.30it/s, est. speed input: 20812.5 toks/s, output: 10406.2 toks/s]"
served "vLLM or SGLang" "Request throughput (req/s):              3.45"
served "vLLM or SGLang" "Output token throughput (tok/s):         1234.56"
served TensorRT-LLM "Request Throughput (req/sec):                     3.1421"
served TensorRT-LLM "Total Output Throughput (tokens/sec):             402.19"
served TensorRT-LLM "[BENCHMARK] model_name gpt_350m world_size 1 batch_size 8 input_length 60 output_length 20 gpu_peak_mem(gb) 4.2 build_time(s) 25.67 tokens_per_sec 1234.5 percentile95(ms) 60.99 latency(ms) 60.00"
served TensorRT-LLM "[BENCHMARK] token_throughput(token/sec) 1234.56"
served trtexec "[07/15/2023-12:00:00] [I] Throughput: 507.399 qps"
served "Triton's perf_analyzer" "Concurrency: 1, throughput: 152.345 infer/sec, latency 6562 usec"
served SGLang "[2024-07-15 12:00:00] Decode batch. #running-req: 8, #token: 4096, token usage: 0.05, gen throughput (token/s): 512.30, #queue-req: 0"
served llama.cpp "llama_print_timings:        eval time =    1234.56 ms /   127 runs   (    9.72 ms per token,   102.88 tokens per second)"
served "MLPerf's LoadGen" "Samples per query : 24576"

mkdir -p mixed/1n1g
imagenet 130 t=0.5 >mixed/1n1g/resnet50_b64_fp32_1.log
cp served.log mixed/1n1g/resnet50_b64_fp32_2.log
verdict "next to a training" "$x" -q -o r.json mixed
verdict "... only that is measured" grep -q '"n": 1,' r.json
verdict "... and the other's reason stands in the result" \
    grep -q '"reason": "not-training"' r.json
printf 'a\nb\n' >none.log
refuse "what is neither" 4 "*no format matches it*" "$x" -o r.json none.log
finish
