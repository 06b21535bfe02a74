/* English and Chinese words for each role in the heads of published tables. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"

/* Words of heads in lower case, without spaces, '_', '-' and '.'. Each word has
 * one role. */
static const char *const nodes_words[] = { "nodes", "node", "nodenum",
	"numnodes", "nnodes", "nodecount", "numberofnodes", "servers",
	"machines", "hosts", "节点", "节点数", "节点数量", "机器数", "机器数量",
	"服务器数", "服务器数量", "numservers", "nummachines", "numhosts",
	"nodesnum", "节点个数", "计算节点数", "服务器台数", "机器台数",
	"主机数", NULL };
static const char *const gpus_words[] = { "gpus", "totalgpus", "worldsize",
	"总卡数", "gpu总数", "totalgpu", "gpustotal", "totalnumgpus",
	"totalgpunum", "totaldevices", "numranks", "ranks", "numworkers",
	"workers", "numprocesses", "总gpu数", "总gpu数量", "gpu总数量",
	"总gpu卡数", "总显卡数", "总卡数量", NULL };
static const char *const gpu_count_words[] = { "gpunum", "numgpus", "ngpus",
	"gpucount", "gpu", "numberofgpus", "devicenum", "numdevices", "devices",
	"卡数", "gpu数", "gpu数量", "显卡数", "显卡数量", "gpucards", "cards",
	"numcards", "accelerators", "numaccelerators", "numgpu", "gpu个数",
	"gpu卡数", "卡数量", "设备数", "设备数量", "显卡个数", NULL };
static const char *const node_gpus_words[] = { "gpunumpernode",
	"numgpuspernode", "gpuspernode", "gpupernode", "devicespernode",
	"devicenumpernode", "nprocpernode", "每节点gpu数", "每节点卡数",
	"每机卡数", "单机卡数", "每台服务器显卡数量", "每台服务器显卡数",
	"gpus/node", "gpu/node", "numgpus/node", "devices/node",
	"gpuspermachine", "gpusperserver", "gpusperhost", "numgpuspermachine",
	"numgpusperserver", "每机gpu数", "每机gpu数量", "单机gpu数",
	"单节点gpu数", "单节点卡数", "每节点gpu数量", "每节点gpu卡数",
	"每节点显卡数", "每台机器gpu数", "每台机器卡数", "卡数/节点",
	"gpu数/节点", NULL };
static const char *const case_words[] = { "节点gpu", "节点卡", "机卡",
	"机器x卡数", "机器×卡数", "节点x卡", "节点×卡", "节点×gpu", "节点xgpu",
	"规模", "nodesxgpus", "nodes×gpus", "nodexgpu", "node×gpu",
	"nodes/gpus", "setup", "setting", "配置", "nodegpu", "case", "config",
	"configuration", "topology", "xnxgxdpxmpxbs", NULL };
static const char *const batch_words[] = { "batchsizeperdevice",
	"batchsizepergpu", "batchperdevice", "batchpergpu", "localbatchsize",
	"bszpergpu", "bsz", "bs", "每卡批大小", "单卡batchsize",
	"batchsize/gpu", "batch/gpu", "batchsize/device", "bs/gpu", "bspergpu",
	"pergpubatchsize", "perdevicebatchsize", "单卡批大小", "单卡bs",
	"每卡batchsize", "每gpu批大小", NULL };
static const char *const global_batch_words[] = { "globalbatchsize",
	"totalbatchsize", "globalbatch", "总批大小", "globalbs", "globalbsz",
	"effectivebatchsize", "totalbatch", "全局批大小", "全局batchsize",
	"总batchsize", NULL };
/* "batch" may be per device or global. */
static const char *const label_words[] = { "batchsize", "batch", "批大小",
	"通信后端", "backend", "group", NULL };
static const char *const precision_words[] = { "precision", "dtype", "datatype",
	"精度", NULL };
static const char *const framework_words[] = { "framework", "框架",
	"深度学习框架", NULL };
static const char *const model_words[] = { "model", "network", "模型", "网络",
	NULL };
/* The unit of a median decides its role. */
static const char *const rate_words[] = { "throughput", "throughputs",
	"throuthput", "averagethroughput", "speed", "medianspeed",
	"samplespersecond", "imagespersecond", "吞吐率", "吞吐量", "吞吐",
	"平均吞吐率", "平均吞吐量", "速度", "训练速度", "trainingthroughput",
	"trainthroughput", "totalthroughput", "meanthroughput",
	"medianthroughput", "avgthroughput", "trainingspeed", "samplespersec",
	"imagespersec", "imgpersec", "训练吞吐", "训练吞吐率", "训练吞吐量",
	"平均吞吐", "总吞吐", "总吞吐量", "median", "中位数", NULL };
static const char *const other_words[] = { "averagespeed", "numclasses",
	"maxnumclasses", "size", "steps", "layers", "heads", "parameters",
	"loss", "accuracy", "top1", "top5", "gpuutil", "teraflop/spergpu",
	"peakflop/s", "petaflop/s", NULL };
static const char *const step_time_words[] = { "latency", "lantency",
	"latencyperiteration", "steptime", "timeperstep", "iterationtime",
	"timeperiteration", "batchtime", "每步耗时", "平均每步耗时",
	"单个batch平均时长", "timeperbatch", "time/step", "time/iter",
	"time/iteration", "time/batch", "averagesteptime", "avgsteptime",
	"meansteptime", "mediansteptime", "itertime", "avgitertime",
	"averageiterationtime", "meaniterationtime", "secondsperstep",
	"单步耗时", "单步时间", "平均单步耗时", "迭代时间", "平均迭代时间",
	"单次迭代时间", "每步时间", "单个batch时长", NULL };
static const char *const duration_words[] = { "time", "totaltime", "elapsed",
	"elapsedtime", "walltime", "wallclocktime", "runtime", "trainingtime",
	"totaltrainingtime", "timetotrain", "epochtime", "timeperepoch",
	"time/epoch", "duration", "trainingduration", "traintime",
	"totalruntime", "wallclock", "timetoaccuracy", "timetosolution",
	"训练耗时", "总用时", "用时", "每轮时间", "每轮耗时", "epoch耗时",
	"每epoch耗时", "real", "耗时", "总耗时", "时间", "总时间", "总时长",
	"总训练时长", "训练总时间", "训练时间", "训练时长", NULL };
static const char *const mean_time_words[] = { "平均时间", "平均时长",
	"meantime", "averagetime", NULL };
static const char *const count_words[] = { "count", "calls", "个数", "次数",
	NULL };
static const char *const memory_words[] = { "memory", "memusage", "memoryusage",
	"gpumem", "gpumemory", "显存", "显存占用", "平均大小", "meansize",
	NULL };
static const char *const bandwidth_words[] = { "速率", "rate", "bandwidth",
	"receiving", "receving", "sending", NULL };
/* "scaling" is an efficiency if its cells are shares. */
static const char *const speedup_words[] = { "speedup", "speedups",
	"speedupratio", "accelerationratio", "加速比", "speedupfactor",
	"relativespeedup", "relspeedup", "relativethroughput", "relativespeed",
	"relativeperformance", "normalizedthroughput", "normalizedspeed",
	"scalingfactor", "vsbaseline", "acceleration", "加速", "加速倍数",
	"加速倍率", "相对加速比", "速度提升", "scaling", NULL };
static const char *const efficiency_words[] = { "efficiency",
	"scalingefficiency", "parallelefficiency", "效率", "并行效率",
	"加速效率", "扩展效率", "eff", "scalingeff", "weakscalingefficiency",
	"strongscalingefficiency", "scaleefficiency", "relativeefficiency",
	"speedupefficiency", "gpuefficiency", "扩展率", "线性度", "线性加速度",
	"弱扩展效率", "强扩展效率", "多机效率", NULL };
static const char *const cost_words[] = { "relativecost", "相对成本", NULL };
static const char *const ratio_words[] = { "ratio", "memusageratio",
	"memoryusageratio", "比值", NULL };
static const char *const share_words[] = { "timeshare", "时间占比", NULL };
static const char *const aside_words[] = { "runs", "n", "interval", "区间",
	"ci", "medianlow", "medianhigh", "medianlevel", "speeduplow",
	"speeduphigh", "speeduplevel", "halfwidth", "confidence", "olympicmean",
	"去最好最差均值", "flags", "备注", NULL };

static const char *const *const role_words[PUBLISHED_N_ROLES] = {
	[PUBLISHED_NODES] = nodes_words,
	[PUBLISHED_GPUS] = gpus_words,
	[PUBLISHED_GPU_COUNT] = gpu_count_words,
	[PUBLISHED_NODE_GPUS] = node_gpus_words,
	[PUBLISHED_CASE] = case_words,
	[PUBLISHED_BATCH] = batch_words,
	[PUBLISHED_GLOBAL_BATCH] = global_batch_words,
	[PUBLISHED_LABEL] = label_words,
	[PUBLISHED_PRECISION] = precision_words,
	[PUBLISHED_FRAMEWORK] = framework_words,
	[PUBLISHED_MODEL] = model_words,
	[PUBLISHED_RATE] = rate_words,
	[PUBLISHED_OTHER] = other_words,
	[PUBLISHED_STEP_TIME] = step_time_words,
	[PUBLISHED_DURATION] = duration_words,
	[PUBLISHED_MEAN_TIME] = mean_time_words,
	[PUBLISHED_COUNT] = count_words,
	[PUBLISHED_MEMORY] = memory_words,
	[PUBLISHED_BANDWIDTH] = bandwidth_words,
	[PUBLISHED_SPEEDUP] = speedup_words,
	[PUBLISHED_EFFICIENCY] = efficiency_words,
	[PUBLISHED_COST] = cost_words,
	[PUBLISHED_RATIO] = ratio_words,
	[PUBLISHED_SHARE] = share_words,
	[PUBLISHED_ASIDE] = aside_words,
};

/* True if s equals the word, ignoring case, spaces, '_', '-' and '.'. */
static int
head_is(const char *s, size_t len, const char *word)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr(" _-.", s[i]) != NULL)
			continue;
		if (tolower((unsigned char)s[i]) != (unsigned char)*word)
			return 0;
		word++;
	}
	return *word == '\0';
}

int
published_role_find(const char *s, size_t len)
{
	for (int role = 0; role < PUBLISHED_N_ROLES; role++)
		for (const char *const *word = role_words[role];
		     word != NULL && *word != NULL; word++)
			if (head_is(s, len, *word))
				return role;
	return -1;
}
