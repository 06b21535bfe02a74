noinst_LIBRARIES += libextract.a
libextract_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS) $(XXHASH_CFLAGS)
libextract_a_CPPFLAGS += $(ZLIB_CPPFLAGS) $(ZSTD_CPPFLAGS) $(LZMA_CPPFLAGS)
libextract_a_CPPFLAGS += $(SQLITE_CPPFLAGS) $(JSON_C_CFLAGS)
libextract_a_CPPFLAGS += -DPKGDATADIR='"$(pkgdatadir)"'
# Files to bytes to lines.
libextract_a_SOURCES = \
	%D%/input/encoding/records.c %D%/input/encoding/records.h
libextract_a_SOURCES += %D%/input/profiles/profile_steps.c
libextract_a_SOURCES += \
	%D%/input/byte_source.c %D%/input/byte_source.h \
	%D%/input/file_list.c %D%/input/file_list.h \
	%D%/input/run_folder.c %D%/input/run_folder.h

# The seam: what a log says, before any arithmetic.
libextract_a_SOURCES += \
	%D%/log/command_line.c %D%/log/command_line.h \
	%D%/log/log.c %D%/log/log.h \
	%D%/log/setting.c \
	%D%/log/stated_settings.c %D%/log/stated_settings.h \
	%D%/log/words.c %D%/log/words.h
# What the files under formats/ and layouts/ say, and matching by it.
libextract_a_SOURCES += \
	%D%/format/patterns/field_names.c %D%/format/patterns/field_names.h \
	%D%/format/patterns/object_pattern.c \
	%D%/format/patterns/pattern.c %D%/format/patterns/pattern.h
libextract_a_SOURCES += \
	%D%/format/format.c %D%/format/format.h \
	%D%/format/format_complete.c \
	%D%/format/format_parse.c \
	%D%/format/matcher.c %D%/format/matcher.h
# A file through its format into a log.
libextract_a_SOURCES += \
	%D%/scan/detect/detect.c %D%/scan/detect/detect.h
libextract_a_SOURCES += \
	%D%/scan/any_metadata.c \
	%D%/scan/horovod_timeline.c \
	%D%/scan/sample_from_match.c \
	%D%/scan/scan_emit.c \
	%D%/scan/scan_file.c %D%/scan/scan_file.h \
	%D%/scan/scanner_state.h
# The arithmetic: samples to steps, steps to runs, runs to cases.
libextract_a_SOURCES += \
	%D%/measure/steps/audit.c \
	%D%/measure/steps/restart.c \
	%D%/measure/steps/rule.h \
	%D%/measure/steps/settled.c \
	%D%/measure/steps/steps.c %D%/measure/steps/steps.h \
	%D%/measure/steps/window.c %D%/measure/steps/window.h
libextract_a_SOURCES += \
	%D%/measure/measure_parts.h \
	%D%/measure/model_flop.c \
	%D%/measure/measure_run.c %D%/measure/measure_run.h \
	%D%/measure/measure_steps.c \
	%D%/measure/metadata.c %D%/measure/metadata.h \
	%D%/measure/run_metrics.c \
	%D%/measure/run_path.c %D%/measure/run_path.h
libextract_a_SOURCES += \
	%D%/measure/cases/case.c %D%/measure/cases/case.h \
	%D%/measure/cases/case_label.c \
	%D%/measure/cases/case_settings.c
# Many files: options, threads, the result.
libextract_a_SOURCES += \
	%D%/job/metadata_map.c \
	%D%/job/extraction.c %D%/job/extraction.h \
	%D%/job/extraction_result.c \
	%D%/job/power_file.c \
	%D%/job/run_job.c \
	%D%/job/settings.c %D%/job/settings.h
# The scripts of DLPerf, number for number.
libextract_a_SOURCES += \
	%D%/dlperf/dlperf.c %D%/dlperf/dlperf.h \
	%D%/dlperf/dlperf_read.c
# The program.
libextract_a_SOURCES += \
	%D%/explain.c %D%/modes.h \
	%D%/follow.c \
	%D%/suggest.c \
	%D%/tables.c
bin_PROGRAMS += extract_logs
extract_logs_SOURCES = %D%/main.c
extract_logs_LDADD = $(EXTRACT_LIBS)
EXTRACT_LIBS = libextract.a libreport.a libcommon.a $(PCRE2_LIBS) $(XXHASH_LIBS) \
	$(ZLIB_LDFLAGS) $(ZLIB_LIBS) $(ZSTD_LDFLAGS) $(ZSTD_LIBS) \
	$(LZMA_LDFLAGS) $(LZMA_LIBS) $(SQLITE_LDFLAGS) $(SQLITE_LIBS) \
	$(JSON_C_LIBS) -lm

# Data: one file a log format, a launcher family, a layout of paths.
formatsdir = $(pkgdatadir)/formats
dist_formats_DATA = \
	%D%/formats/dllogger-resnet50-compute.format \
	%D%/formats/dllogger-resnet50-mxnet.format \
	%D%/formats/dllogger-resnet50-pytorch.format \
	%D%/formats/dllogger-resnet50-tensorflow.format \
	%D%/formats/batches.metadata \
	%D%/formats/config.metadata \
	%D%/formats/environment.metadata \
	%D%/formats/job.metadata \
	%D%/formats/jube.metadata \
	%D%/formats/llmb-run.metadata \
	%D%/formats/mlperf-scaling.metadata \
	%D%/formats/mlperf-systems.metadata \
	%D%/formats/session.metadata \
	%D%/formats/started.metadata \
	%D%/formats/stores.metadata \
	%D%/formats/systems.metadata \
	%D%/formats/varied.metadata \
	%D%/formats/launchers.prefix \
	%D%/formats/mxnet-speedometer.format \
	%D%/formats/pytorch-imagenet.format
# Objects a line: JSON, dictionaries of Python.
dist_formats_DATA += \
	%D%/formats/detectron2-json.format \
	%D%/formats/fairseq-json.format \
	%D%/formats/mlperf-mllog.format \
	%D%/formats/mlperf-retinanet.format \
	%D%/formats/mlperf-step-time.format \
	%D%/formats/mlperf-throughput.format \
	%D%/formats/mmcv-json.format \
	%D%/formats/mmengine-json.format \
	%D%/formats/nvidia-bert-dict.format
# Programs that are like others.
dist_formats_DATA += \
	%D%/formats/apex-imagenet.format \
	%D%/formats/clu.format \
	%D%/formats/dllogger.format \
	%D%/formats/insightface-torch.format \
	%D%/formats/internlm.format \
	%D%/formats/nanochat.format \
	%D%/formats/olmo.format \
	%D%/formats/openrlhf.format \
	%D%/formats/opennmt-py.format \
	%D%/formats/paddlex.format \
	%D%/formats/pytorch-language-model.format \
	%D%/formats/swin.format \
	%D%/formats/tf-examples-per-second.format \
	%D%/formats/timm-benchmark.format \
	%D%/formats/torchtune.format \
	%D%/formats/yolox.format
# Programs of language, graphs and JAX.
dist_formats_DATA += \
	%D%/formats/dgl.format \
	%D%/formats/flair.format \
	%D%/formats/imb.format \
	%D%/formats/nemo-automodel.format \
	%D%/formats/perftest-gbits.format \
	%D%/formats/perftest.format \
	%D%/formats/maxtext-steps.format \
	%D%/formats/opennmt-tf.format \
	%D%/formats/t5x.format
# Vision, speech and translation programs besides the surveyed ones.
dist_formats_DATA += \
	%D%/formats/aws-bert.format \
	%D%/formats/basicsr.format \
	%D%/formats/caffe-old.format \
	%D%/formats/caffe.format \
	%D%/formats/chainer.format \
	%D%/formats/cntk.format \
	%D%/formats/cosface.format \
	%D%/formats/cyclegan.format \
	%D%/formats/darknet.format \
	%D%/formats/detectron.format \
	%D%/formats/fastai.format \
	%D%/formats/hrnet-pose.format \
	%D%/formats/hrnet-segmentation.format \
	%D%/formats/icefall.format \
	%D%/formats/marian.format \
	%D%/formats/meters.format \
	%D%/formats/mindyolo.format \
	%D%/formats/nnunet.format \
	%D%/formats/open-clip.format \
	%D%/formats/paddle-elapse.format \
	%D%/formats/paddlegan.format \
	%D%/formats/paddleseg-cost.format \
	%D%/formats/paddlespeech.format \
	%D%/formats/paddlevideo.format \
	%D%/formats/centernet.format \
	%D%/formats/coqui-tts.format \
	%D%/formats/faster-rcnn.format \
	%D%/formats/nerfstudio.format \
	%D%/formats/ssd-pytorch.format \
	%D%/formats/tensorpack.format \
	%D%/formats/torch7-resnet.format \
	%D%/formats/pyslowfast.format \
	%D%/formats/stylegan.format \
	%D%/formats/tacotron-keithito.format \
	%D%/formats/tacotron2.format \
	%D%/formats/tf-nmt.format \
	%D%/formats/tf-object-detection.format \
	%D%/formats/tf-slim.format \
	%D%/formats/tf-tutorials.format \
	%D%/formats/torch-xla.format \
	%D%/formats/vissl.format \
	%D%/formats/wenet.format \
	%D%/formats/yolact.format
# Programs of public logs.
dist_formats_DATA += \
	%D%/formats/aws-fsdp.format \
	%D%/formats/cerebras.format \
	%D%/formats/detectron2-clock.format \
	%D%/formats/dlio.format \
	%D%/formats/epoch-time.format \
	%D%/formats/espnet2-epochs.format \
	%D%/formats/ezpz.format \
	%D%/formats/llm-iterations.format \
	%D%/formats/ms-swift-seconds.format \
	%D%/formats/sockeye.format \
	%D%/formats/weathergenerator.format
# Scalars of TensorBoard event files.
dist_formats_DATA += \
	%D%/formats/events-composer.format \
	%D%/formats/events-detectron2.format \
	%D%/formats/events-estimator.format \
	%D%/formats/events-hf-trainer.format \
	%D%/formats/events-iterations.format \
	%D%/formats/events-keras.format \
	%D%/formats/events-lightning.format \
	%D%/formats/events-megatron.format \
	%D%/formats/events-nemo.format \
	%D%/formats/events-samples.format \
	%D%/formats/events-step-time.format \
	%D%/formats/events-tokens.format \
	%D%/formats/events-torchtitan.format \
	%D%/formats/events-wall-time.format
# Lines of JSON of any names, and programs that write such.
dist_formats_DATA += \
	%D%/formats/dinov2.format \
	%D%/formats/json-iterations.format \
	%D%/formats/json-rate.format \
	%D%/formats/json-stamp.format \
	%D%/formats/json-step-time.format \
	%D%/formats/json-tokens.format \
	%D%/formats/json-wall-time.format \
	%D%/formats/llama-factory.format \
	%D%/formats/ms-swift.format \
	%D%/formats/verl.format \
	%D%/formats/verl-json.format
# Tables with a header row.
dist_formats_DATA += \
	%D%/formats/csv-iterations.format \
	%D%/formats/csv-losses.format \
	%D%/formats/csv-rate.format \
	%D%/formats/csv-step-time.format \
	%D%/formats/csv-tokens.format \
	%D%/formats/csv-wall-time.format \
	%D%/formats/ultralytics-csv.format
# Benchmarks of collectives.
dist_formats_DATA += \
	%D%/formats/all-reduce-bench.format \
	%D%/formats/nccl-tests.format \
	%D%/formats/osu-bandwidth.format \
	%D%/formats/osu-latency.format
# Progress bars, rows of CSV, times of whole runs.
dist_formats_DATA += \
	%D%/formats/hf-notebook.format \
	%D%/formats/hf-trainer.format \
	%D%/formats/dlscale-trace.format \
	%D%/formats/horovod-autotune.format \
	%D%/formats/horovod-timeline.format \
	%D%/formats/keras-arrays.format \
	%D%/formats/keras-samples.format \
	%D%/formats/keras.format \
	%D%/formats/lightning-csv.format \
	%D%/formats/lightning-csv-global.format \
	%D%/formats/lightning.format \
	%D%/formats/torch-profile.format \
	%D%/formats/nsight.format \
	%D%/formats/tqdm.format \
	%D%/formats/ultralytics.format \
	%D%/formats/wall-clock.format
# NVIDIA, torchvision, TensorFlow and others.
dist_formats_DATA += \
	%D%/formats/bigdl.format \
	%D%/formats/dllogger-bert-pytorch.format \
	%D%/formats/dllogger-bert-tensorflow.format \
	%D%/formats/dllogger-ncf.format \
	%D%/formats/dllogger-speech.format \
	%D%/formats/dllogger-squad-pytorch.format \
	%D%/formats/dllogger-ssd-pytorch.format \
	%D%/formats/dllogger-tacotron2.format \
	%D%/formats/gnmt-pytorch.format \
	%D%/formats/horovod-synthetic.format \
	%D%/formats/maskrcnn-benchmark.format \
	%D%/formats/mlperf-ssd-mxnet.format \
	%D%/formats/mlperf-ssd.format \
	%D%/formats/oneflow-bert.format \
	%D%/formats/oneflow-cnn.format \
	%D%/formats/oneflow-gpt.format \
	%D%/formats/oneflow-insightface.format \
	%D%/formats/oneflow-models.format \
	%D%/formats/oneflow-recommender.format \
	%D%/formats/oneflow-wdl.format \
	%D%/formats/openpcdet.format \
	%D%/formats/tf-benchmarkmetric.format \
	%D%/formats/tf-bert.format \
	%D%/formats/tf-cnn-benchmarks.format \
	%D%/formats/tf-estimator.format \
	%D%/formats/tf-orbit.format \
	%D%/formats/tf-timehistory.format \
	%D%/formats/timm.format \
	%D%/formats/torchvision-references.format \
	%D%/formats/transformer-xl.format
# Paddle, MM*, Megatron, DeepSpeed and others: a line of key and value.
dist_formats_DATA += \
	%D%/formats/colossalai.format \
	%D%/formats/composer-tokens.format \
	%D%/formats/composer.format \
	%D%/formats/deepspeed-chat.format \
	%D%/formats/deepspeed-old.format \
	%D%/formats/deepspeed-pipeline.format \
	%D%/formats/deepspeed.format \
	%D%/formats/detectron2.format \
	%D%/formats/dlrm-facebook.format \
	%D%/formats/dlrm-nvidia.format \
	%D%/formats/espnet2.format \
	%D%/formats/fairseq-nvidia.format \
	%D%/formats/fairseq-old.format \
	%D%/formats/fairseq-tqdm.format \
	%D%/formats/fairseq.format \
	%D%/formats/gluoncv-detection.format \
	%D%/formats/gluonnlp-bert.format \
	%D%/formats/gluonnlp.format \
	%D%/formats/hugectr.format \
	%D%/formats/libai.format \
	%D%/formats/litgpt.format \
	%D%/formats/llmc.format \
	%D%/formats/maxtext.format \
	%D%/formats/megatron.format \
	%D%/formats/mindformers-rate.format \
	%D%/formats/mindformers.format \
	%D%/formats/mindspore-models.format \
	%D%/formats/mindspore.format \
	%D%/formats/mmcv.format \
	%D%/formats/mmengine.format \
	%D%/formats/modded-nanogpt.format \
	%D%/formats/nanogpt.format \
	%D%/formats/nanotron.format \
	%D%/formats/nemo1.format \
	%D%/formats/nemo2.format \
	%D%/formats/insightface-mxnet.format \
	%D%/formats/paddle-bert.format \
	%D%/formats/paddle-models.format \
	%D%/formats/paddle-pass.format \
	%D%/formats/paddle-ps-words.format \
	%D%/formats/paddle-ps.format \
	%D%/formats/paddleclas.format \
	%D%/formats/paddledetection.format \
	%D%/formats/paddlenlp-bert.format \
	%D%/formats/paddlenlp-gpt.format \
	%D%/formats/paddlenlp-trainer.format \
	%D%/formats/paddlenlp-transformer.format \
	%D%/formats/paddleocr.format \
	%D%/formats/paddleseg.format \
	%D%/formats/ray-train.format \
	%D%/formats/torchtitan.format
dist_formats_DATA += %D%/formats/known.protocols
# RL post-training, and others of today.
dist_formats_DATA += \
	%D%/formats/megatron-bridge.format \
	%D%/formats/nemo-rl.format \
	%D%/formats/pointcept.format \
	%D%/formats/prime-rl-orchestrator.format \
	%D%/formats/prime-rl.format \
	%D%/formats/prime-rl-trainer.format \
	%D%/formats/slime.format \
	%D%/formats/tinygrad.format
layoutsdir = $(pkgdatadir)/layouts
dist_layouts_DATA = \
	%D%/layouts/dlperf.layout \
	%D%/layouts/framework-gpu.layout \
	%D%/layouts/gpu-folder.layout \
	%D%/layouts/mlperf.layout \
	%D%/layouts/nccl.layout \
	%D%/layouts/nodes-cards.layout \
	%D%/layouts/rank-file.layout
dist_layouts_DATA += %D%/layouts/mpirun-output.layout
dist_layouts_DATA += %D%/layouts/rank-name.layout
dist_layouts_DATA += %D%/layouts/any-name.layout
dist_layouts_DATA += %D%/layouts/tf-cnn.layout
dist_layouts_DATA += %D%/layouts/cards-file.layout
dist_layouts_DATA += %D%/layouts/paddle-perf.layout

# Links to the above in a build folder, made by config.status.
DISTCLEANFILES += $(DATA_LINKS)
