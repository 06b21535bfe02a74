#include <config.h>

#include "common/result/result.h"

#include <stddef.h>
#include <string.h>

const struct speed_setting speed_settings[] = {
	{ "model", "", 1 },
	{ "parameters", " n_params num_parameters model_size ", 0 },
	{ "hidden_size", " d_model n_embd embed_dim hidden_dim dim ", 0 },
	{ "layers", " n_layers num_layers n_layer num_hidden_layers ", 0 },
	{ "image_size", " crop_size input_size ", 0 },
	{ "gpus", "", 1 },
	{ "device", " gpu gpu_name accelerator ", 1 },
	{ "precision", " dtype ", 1 },
	{ "sequence_length", " seq_len seq_length max_seq_len block_size ", 0 },
	{ "batch_size_per_device",
	    " micro_batch_size per_device_train_batch_size "
	    "device_train_microbatch_size train_micro_batch_size_per_gpu ",
	    1 },
	{ "global_batch_size", " global_train_batch_size ", 0 },
	{ "activation_checkpointing",
	    " gradient_checkpointing recompute recompute_granularity ", 0 },
	{ "attention", " attn_impl attn_implementation use_flash_attn ", 0 },
	{ "compile", " torch_compile use_compile xla ", 0 },
	{ "sharding_strategy", " zero_stage fsdp ", 0 },
	{ "tensor_parallel",
	    " tensor_model_parallel_size tp tensor_parallel_degree ", 0 },
	{ "pipeline_parallel",
	    " pipeline_model_parallel_size pp pipeline_parallel_degree ", 0 },
	{ "input", " data dummy synthetic use_synthetic_data ", 0 },
	{ "nodes", "", 0 },
	{ "backend", " dist_backend ", 0 },
	{ "gradient_accumulation", " gradient_accumulation_steps grad_accum ",
	    0 },
	{ "framework", "", 1 },
	{ "framework_version", " torch_version pytorch ", 0 },
	{ "workers", " num_workers dataloader_num_workers ", 0 },
	{ "optimizer", " optim ", 0 },
	{ NULL, NULL, 0 },
};

const struct speed_setting *
speed_setting_find(const char *key)
{
	const char *dot = strrchr(key, '.');
	const char *name = dot != NULL ? dot + 1 : key, *at;
	const size_t len = strlen(name);
	const struct speed_setting *s = speed_settings;

	for (; s->key != NULL && len > 0; s++) {
		if (strcmp(s->key, name) == 0)
			return s;
		for (at = s->aliases; (at = strstr(at, name)) != NULL; at++)
			if (at[-1] == ' ' && at[len] == ' ')
				return s;
	}
	return NULL;
}
