noinst_LIBRARIES += libextract.a
libextract_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS) $(XXHASH_CFLAGS)
libextract_a_CPPFLAGS += $(ZLIB_CPPFLAGS) $(ZSTD_CPPFLAGS) $(LZMA_CPPFLAGS)
libextract_a_CPPFLAGS += -DPKGDATADIR='"$(pkgdatadir)"'
libextract_a_SOURCES = \
	%D%/codec.c %D%/codec.h \
	%D%/collectives.c %D%/collectives.h \
	%D%/context.c %D%/context.h \
	%D%/details.c %D%/details.h \
	%D%/csv_pattern.c %D%/csv_pattern.h \
	%D%/bars.c %D%/bars.h \
	%D%/detect.c %D%/detect.h %D%/detect_file.c %D%/detect_file.h \
	%D%/explain.c %D%/explain.h \
	%D%/format.c %D%/format.h %D%/format_check.c %D%/format_complete.c \
	%D%/format_outline.c %D%/format_parse.c \
	%D%/json_pattern.c %D%/json_pattern.h \
	%D%/layout.c %D%/layout.h \
	%D%/literal.c %D%/literal.h \
	%D%/lines.c %D%/lines.h %D%/line_walk.h \
	%D%/log.c %D%/log.h \
	%D%/mapping.c %D%/mapping.h \
	%D%/match.c %D%/match.h \
	%D%/mould.c %D%/mould.h \
	%D%/nearest.c %D%/nearest.h \
	%D%/pairs.c %D%/pairs.h \
	%D%/pattern.c %D%/pattern.h \
	%D%/reader.c %D%/reader.h \
	%D%/recipe.c %D%/recipe.h \
	%D%/sample.c \
	%D%/samples.c %D%/samples.h \
	%D%/scan.c %D%/scan.h %D%/scan_parts.c %D%/scan_take.c \
	%D%/scanner.c %D%/scanner.h \
	%D%/search.c \
	%D%/tail.c %D%/tail.h %D%/scan_grow.c \
	%D%/timeline.c %D%/timeline.h \
	%D%/vocabulary.c %D%/vocabulary.h \
	%D%/walk.c %D%/walk.h
# The arithmetic: samples to steps, steps to runs, runs to cases.
libextract_a_SOURCES += \
	%D%/audit.c %D%/audit.h \
	%D%/case.c %D%/case.h \
	%D%/exclusion.c %D%/exclusion.h \
	%D%/facts.c %D%/facts.h \
	%D%/natural.c %D%/natural.h \
	%D%/refs.c %D%/refs.h %D%/refs_check.c \
	%D%/rule.c %D%/rule.h \
	%D%/run.c %D%/run.h \
	%D%/steps.c %D%/steps.h \
	%D%/window.c %D%/window.h
# The program: options, threads, the result, what is shown.
libextract_a_SOURCES += \
	%D%/compat_dlperf.c %D%/compat_dlperf.h \
	%D%/dlperf_log.c %D%/dlperf_log.h \
	%D%/dlperf_read.c %D%/dlperf_read.h \
	%D%/dlperf_script.c %D%/dlperf_script.h \
	%D%/dlperf_tables.c %D%/dlperf_tables.h \
	%D%/extract.c %D%/extract.h \
	%D%/follow.c %D%/follow.h %D%/watch.c %D%/watch.h \
	%D%/job.c %D%/job.h \
	%D%/live.c %D%/live.h \
	%D%/pool.c %D%/pool.h \
	%D%/python_text.c %D%/python_text.h \
	%D%/records.c %D%/records.h \
	%D%/merge.c %D%/merge.h \
	%D%/part.c %D%/part.h %D%/part_fill.c \
	%D%/screen.c %D%/screen.h \
	%D%/settings.c %D%/settings.h \
	%D%/shard.c %D%/shard.h \
	%D%/show.c %D%/show.h \
	%D%/suggest.c %D%/suggest.h \
	%D%/show_collectives.c %D%/show_collectives.h \
	%D%/whole_file.c %D%/whole_file.h \
	%D%/whole_run.c %D%/whole_run.h
bin_PROGRAMS += extract_logs
extract_logs_SOURCES = %D%/main.c
extract_logs_LDADD = $(EXTRACT_LIBS)
EXTRACT_LIBS = libextract.a libcommon.a $(PCRE2_LIBS) $(XXHASH_LIBS) \
	$(ZLIB_LDFLAGS) $(ZLIB_LIBS) $(ZSTD_LDFLAGS) $(ZSTD_LIBS) \
	$(LZMA_LDFLAGS) $(LZMA_LIBS) $(JSON_C_LIBS) -lm

# Data: one file a log format, a launcher family, a layout of paths.
formatsdir = $(pkgdatadir)/formats
dist_formats_DATA = \
	%D%/formats/dllogger-resnet50-compute.format \
	%D%/formats/dllogger-resnet50-mxnet.format \
	%D%/formats/dllogger-resnet50-pytorch.format \
	%D%/formats/dllogger-resnet50-tensorflow.format \
	%D%/formats/environment.facts \
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
# Vision, speech and translation programs beside the surveyed ones.
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
# Tables with a header row.
dist_formats_DATA += \
	%D%/formats/csv-losses.format \
	%D%/formats/csv-rate.format \
	%D%/formats/csv-step-time.format \
	%D%/formats/csv-tokens.format \
	%D%/formats/ultralytics-csv.format
# Benchmarks of collectives.
dist_formats_DATA += \
	%D%/formats/all-reduce-bench.format \
	%D%/formats/nccl-tests.format \
	%D%/formats/osu-bandwidth.format \
	%D%/formats/osu-latency.format
# Progress bars, rows of CSV, times of whole runs.
dist_formats_DATA += \
	%D%/formats/hf-trainer.format \
	%D%/formats/dlscale-trace.format \
	%D%/formats/horovod-autotune.format \
	%D%/formats/horovod-timeline.format \
	%D%/formats/keras-arrays.format \
	%D%/formats/keras-samples.format \
	%D%/formats/keras.format \
	%D%/formats/lightning-csv.format \
	%D%/formats/lightning.format \
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
# Many machines share a tree.
extractlaunchdir = $(pkgdatadir)/launch
dist_extractlaunch_SCRIPTS = %D%/launch/extract_array.sbatch
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
dist_layouts_DATA += %D%/layouts/tf-cnn.layout
dist_layouts_DATA += %D%/layouts/cards-file.layout
dist_layouts_DATA += %D%/layouts/paddle-perf.layout

# Links to the above in a build folder, made by config.status.
DISTCLEANFILES += $(DATA_LINKS)
