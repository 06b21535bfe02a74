"""Trees of logs with known settings: no case may combine unlike runs, and no
case may be split without reason.

    settings.py EXTRACT_LOGS FOLDER [TREES] [SEED]
"""
import json
import os
import random
import shutil
import subprocess
import sys

KEYS = {
    "amp": ["True", "False"], "compile": ["True", "False"],
    "channels_last": ["True", "False"], "strategy": ["ddp", "fsdp", "zero3"],
    "bucket_cap_mb": ["25", "50", "100"], "precision_plugin": ["amp", "apex"],
    "optimizer": ["sgd", "lamb", "adamw"], "num_workers": ["4", "8", "16"],
    "trainer.accumulate": ["1", "2", "4"], "data.loader": ["dali", "torch"],
    "model.attention": ["flash", "eager", "sdpa"], "grad_clip": ["1.0", "0.5"],
    "weight_decay": ["0.1", "0.0001"], "warmup_epochs": ["5", "0"],
    "lora_rank": ["8", "16"], "prefetch_factor": ["2", "4"],
    "cudnn_benchmark": ["True", "False"], "label_smoothing": ["0.1", "0.0"],
    "lr": ["0.1", "0.2", "0.4"], "fused_adam": ["True", "False"],
}
VARIABLES = {
    "NCCL_ALGO_TREE": ["Ring", "Tree"], "NCCL_NTHREADS": ["256", "512"],
    "OMP_NUM_THREADS": ["1", "8"], "CUDA_DEVICE_MAX_CONNECTIONS": ["1", "8"],
    "TORCH_NCCL_AVOID_RECORD_STREAMS": ["0", "1"], "UCX_TLS": ["rc", "ud"],
}
PLACES = ["command", "namespace", "yaml", "json", "environment", "mlflow",
          "wandb"]


def word(rng, n, alphabet="abcdefghijklmnopqrstuvwxyz0123456789"):
    return "".join(rng.choice(alphabet) for _ in range(n))


def identities(rng, run):
    """Fields that are not settings of a run."""
    day = "2026-%02d-%02d" % (rng.randint(1, 12), rng.randint(1, 28))
    some = {
        "seed": str(rng.randint(0, 9999)), "run_id": word(rng, 8),
        "local_rank": str(rng.randint(0, 7)), "date": day,
        "master_port": str(rng.randint(20000, 60000)),
        "hostname": "node%03d" % rng.randint(0, 999),
        "output_dir": "/scratch/out/%s" % word(rng, 6),
        "log_file": "run-%d.log" % run, "commit": word(rng, 40, "0123456789abcdef"),
        "job_id": str(rng.randint(1000, 9999999)),
        "run_name": "trial-%s" % word(rng, 5),
        "checkpoint_path": "ckpt/%s.pt" % word(rng, 8),
        "master_addr": "10.0.%d.%d" % (rng.randint(0, 9), rng.randint(1, 250)),
        "uuid": "-".join(word(rng, n, "0123456789abcdef")
                         for n in (8, 4, 4, 4, 12)),
    }
    for key in list(some):
        if rng.random() < 0.3:
            del some[key]
    return some


def python(value):
    if value in ("True", "False", "None"):
        return value
    try:
        float(value)
        return value
    except ValueError:
        return repr(value)


def nested(settings):
    tree = {}
    for key, value in settings.items():
        at = tree
        *above, last = key.split(".")
        for part in above:
            at = at.setdefault(part, {})
        at[last] = value
    return tree


def yaml_lines(tree, indent=0):
    lines = []
    for key, value in tree.items():
        if isinstance(value, dict):
            lines.append("%s%s:" % (" " * indent, key))
            lines += yaml_lines(value, indent + 2)
        else:
            lines.append("%s%s: %s" % (" " * indent, key, value.lower() if
                                       value in ("True", "False") else value))
    return lines


def json_value(value):
    if isinstance(value, dict):
        return {k: json_value(v) for k, v in value.items()}
    if value in ("True", "False"):
        return value == "True"
    try:
        return json.loads(value)
    except ValueError:
        return value


def command(rng, settings, style):
    words = ["--nproc_per_node=8", "train.py"]
    for key, value in settings.items():
        name = key.replace("_", "-") if style % 2 else key
        if value == "True" and style < 2:
            words.append("--" + name)
        elif value == "False" and style < 2:
            continue
        elif style == 3:
            words.append("%s=%s" % (key, value))
        elif style == 2:
            words += ["--" + name, value]
        else:
            words.append("--%s=%s" % (name, value))
    prefix = ["+ torchrun ", "Command: torchrun ", "$ torchrun ",
              "[2026-01-02 10:00:00] launching: torchrun "][style]
    if style == 1:
        return [prefix + " \\", *("    %s \\" % w for w in words), "    --end"]
    return [prefix + " ".join(words)]


def stated(rng, place, style, settings):
    """The lines in which a log states settings."""
    if place == "command":
        return command(rng, settings, style)
    if place == "namespace":
        text = "Namespace(%s)" % ", ".join(
            "%s=%s" % (k.replace(".", "_"), python(v))
            for k, v in settings.items())
        return [["", "INFO:root:", "[rank0]: ", "2026-01-02 10:00:00 INFO "]
                [style] + text]
    if place == "yaml":
        mark = ["", "", "[INFO] ", "2026-01-02 10:00:00,123 - INFO - "][style]
        return [mark + line for line in ["config:"] +
                yaml_lines(nested(settings), 2)]
    if place == "json":
        tree = json_value(nested(settings))
        if style == 0:
            return json.dumps(tree, indent=2).split("\n")
        if style == 1:
            return ["config: " + repr(tree)]
        if style == 2:
            return ["config: " + json.dumps(tree)]
        return ["%s %s %s" % (k, "." * (40 - len(k)), v)
                for k, v in settings.items()]
    form = ["export %s=%s", "%s=%s", "declare -x %s=\"%s\"", "+ export %s=%s"]
    return [form[style] % (k.upper().replace(".", "_"), v)
            for k, v in settings.items()]


def steps(rng, seconds):
    return ["Epoch: [0][%4d/200]\tTime %6.3f (%6.3f)\tData  0.010 ( 0.010)\t"
            "Loss 6.9000e+00 (6.9000e+00)\tAcc@1   0.10 (  0.10)\t"
            "Acc@5   0.50 (  0.50)" % (i, seconds + rng.gauss(0, 0.002),
                                       seconds)
            for i in range(200)]


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def write_mlflow(folder, rng, settings, seconds):
    write(folder + "/meta.yaml", ["run_id: " + os.path.basename(folder)])
    for key, value in settings.items():
        write(folder + "/params/" + key, [value])
    write(folder + "/metrics/samples_per_second",
          ["%d %.4f %d" % (1700000000000 + i * 400,
                           32 / (seconds + rng.gauss(0, 0.002)), i)
           for i in range(200)])


def write_wandb(folder, rng, settings, seconds):
    lines = []
    for key, value in settings.items():
        lines += ["%s:" % key, "  desc: null", "  value: %s" % value]
    write(folder + "/config.yaml", lines)
    write(folder + "/wandb-history.jsonl",
          [json.dumps({"_step": i, "_timestamp": 1700000000 + i * 0.4,
                       "samples_per_second":
                       32 / (seconds + rng.gauss(0, 0.002))})
           for i in range(200)])


def path_of(rng, kind, run, tree_id):
    """The path of a run, of which its own part names the repetition."""
    if kind == 0:
        return "runs/%d" % (tree_id % 8000 + 1011 + run * rng.choice([1, 1, 3]))
    if kind == 1:
        return "run-2026%02d%02d_%06d-%s" % (
            rng.randint(1, 12), rng.randint(1, 28),
            rng.randint(0, 23) * 10000 + rng.randint(0, 59) * 100 +
            rng.randint(0, 59), word(rng, 8))
    if kind == 2:
        return "2026-%02d-%02d/%02d-%02d-%02d" % (
            rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23),
            rng.randint(0, 59), run)
    if kind == 3:
        return "seed_%d" % (run * 7 + 1)
    if kind == 4:
        return word(rng, 32, "0123456789abcdef")
    if kind == 5:
        return "job-%d" % (200000 + rng.randint(0, 99999))
    return "out-%s" % (word(rng, 7, "0123456789") + "a" +
                       word(rng, 8, "0123456789abcdef"))


def make_tree(rng, folder, tree_id):
    """Returns the place, style and kind of the tree, the key, and how many
    cases and runs it must have."""
    place = rng.choice(PLACES)
    style = rng.randrange(4)
    pool = VARIABLES if place == "environment" else KEYS
    keys = rng.sample(sorted(pool), min(len(pool), rng.randint(5, 12)))
    base = {k: rng.choice(pool[k]) for k in keys}
    kind = rng.choice(["alike", "split", "split", "sweep", "two"])
    key = rng.choice(keys)
    runs = []
    cases = 1
    if kind == "alike":
        runs = [base] * rng.randint(3, 6)
    elif kind == "split":
        values = list(pool[key])
        rng.shuffle(values)
        cases = len(values)
        runs = [dict(base, **{key: v}) for v in values
                for _ in range(rng.randint(2, 4))]
    elif kind == "sweep":
        n = rng.randint(4, 6)
        runs = [dict(base, **{key: str(1000 + 10 * i)}) for i in range(n)]
    else:
        other = rng.choice([k for k in keys if k != key])
        cases = 4
        runs = [dict(base, **{key: v, other: w}) for v in pool[key][:2]
                for w in pool[other][:2] for _ in range(2)]
    rng.shuffle(runs)
    where = rng.randrange(7)
    used = set()
    for i, settings in enumerate(runs):
        items = list(settings.items()) + list(identities(rng, i).items())
        seconds = 0.4 + rng.gauss(0, 0.0004)
        path = path_of(rng, where, i, tree_id)
        while path in used:
            path = path_of(rng, where, i + 50, tree_id)
        used.add(path)
        full = folder + "/" + path
        if place == "mlflow":
            write_mlflow("%s/mlruns/0/%s" % (folder, word(
                rng, 32, "0123456789abcdef")), rng, dict(items), seconds)
        elif place == "wandb":
            write_wandb(full + "/files", rng, dict(items), seconds)
        else:
            write(full + "/train.log", ["starting"] +
                  stated(rng, place, style, dict(items)) +
                  steps(rng, seconds))
    return place, style, kind, key, cases, len(runs)


def check(program, folder, what):
    place, style, kind, key, cases, n = what
    out = folder + "-out"
    r = subprocess.run([program, "-q", "--output-dir=" + out, "--name=r",
                        "--model=m", "--precision=fp32", "--nodes=1",
                        "--gpus-per-node=8", "--batch-size-per-device=4",
                        folder], stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, text=True)
    if r.returncode != 0:
        return "exit status %d: %s" % (r.returncode, r.stderr.strip())
    with open(out + "/r_result.json") as f:
        result = json.load(f)
    shutil.rmtree(out)
    got = result["cases"]
    if sum(len(c["runs"]) for c in got) != n:
        return "%d of %d runs" % (sum(len(c["runs"]) for c in got), n)
    if len(got) != cases:
        return "%d cases, not %d: %s" % (
            len(got), cases, [c.get("labels") for c in got])
    flags = [f["text"] for c in got for run in c["runs"]
             for f in run["flags"]
             if f["code"] == "settings-differ"]
    last = key.split(".")[-1].lower()
    if place == "namespace":
        last = key.replace(".", "_")
    if kind == "sweep":
        want = "these runs differ in"
        if not flags or "(%d values)" % n not in flags[0] or \
                last not in flags[0].lower():
            return "flags %s" % flags
    elif flags:
        return "flags %s" % flags[:1]
    elif kind != "alike":
        names = {k for c in got for k in c["labels"]}
        if last not in {k.lower() for k in names}:
            return "labels %s" % names
    return None


def main():
    program, folder = sys.argv[1:3]
    trees = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    failed = 0
    for i in range(trees):
        rng = random.Random(seed * 100000 + i)
        tree = "%s/tree%d" % (folder, i)
        what = make_tree(rng, tree, i)
        problem = check(program, tree, what)
        if problem is None:
            shutil.rmtree(tree)
            continue
        failed += 1
        print("# tree %d (%s, style %d, %s of %s): %s" %
              (i, *what[:4], problem))
    print("%s 1 - %d trees of settings%s" % (
        "not ok" if failed else "ok", trees,
        ": %d wrong" % failed if failed else ""))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
