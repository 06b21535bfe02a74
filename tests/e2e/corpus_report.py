"""A table of what extract_logs reads from each file of a corpus of logs.

    corpus_report.py CORPUS EXTRACT_LOGS [REPORT.md]

CORPUS/SOURCES.tsv lists the files and what was published about each,
CORPUS/expected.json sets of runs with their figures and the options that give
them. Each file is read separately, as by a user. A row has the chosen format
and the runner-up, the published or calculated figure, ours under the options of
its rule, and whether they agree or why not.

Exit status: 0, or 1 if the corpus or the program cannot be found.
"""
import collections
import concurrent.futures
import csv
import json
import math
import os
import re
import subprocess
import sys

# Files that are not logs: they were made from the logs next to them.
NO_LOG = re.compile(r"published (result|summary) table|per-config run summary|"
                    r"published result tables")
NO_LOG_NAME = re.compile(r"\.para$|\.md$|(^|/)summary\.txt$")

Want = collections.namedtuple("Want", "options value tolerance of group")
Want.__doc__ = """A figure that is known of a log.

options    of extract_logs
tolerance  relative
of         "published" or "reckoned"
group      None, or what the figure is the mean over
"""
Got = collections.namedtuple("Got", "format runner_up value unit why")

# Figures that their logs contradict; the sources contradict themselves too.
CONTRADICTED = {
    "paddleclas/perf-resnet50/A100/PaddleClas_ResNet50_bs256_fp32_DP_N1C8_log":
    "the log's own rates (562 a GPU) are 16 % below the table",
    "mmseg-text/perf-deeplabv3p/deeplabv3p_c32_fp32.log":
    "the log is of 8 samples a GPU (256 in 1.88 s), the table of 4; the "
    "source's second table has 61.0 and 243",
}

ROUNDED = 1e-3   # a figure rounded to a few digits
OTHER_RULE = .03  # published by a rule that is not known to the digit


def devices_of(path):
    m = re.search(r"N(\d+)C(\d+)", path)
    if m:
        return int(m[1]) * int(m[2])
    m = re.search(r"gpu(\d+)(?:[_.]|$)|_c(\d+)_", path)
    return int(m[1] or m[2]) if m else None


def figure_in_list(path, text):
    """'V100 fp32 1/8/32 = a/b/c, fp16 d/e/f; A100 ...': the figure of path."""
    card = re.search(r"/(V100|A100)/", path)
    half = bool(re.search(r"amp|fp16", path, re.I))
    devices = devices_of(path)
    if card:
        part = re.split(r"(?=\b[AV]100\b)", text)
        part = next((p for p in part if p.startswith(card[1])), "")
    else:
        part = text
    # A part without counts has those of the previous part.
    counts = "1/8/32" if "1/8/32" in text else None
    for m in re.finditer(
            r"(fp32|fp16|AMP)\s+(?:(\d+(?:/\d+)*)\s*(?:GPU)?\s*=\s*|=\s*)?"
            r"(\d+\.?\d*(?:/\d+\.?\d*)*)", part):
        counts = m[2] or counts
        rates = m[3].split("/")
        if counts is None or (m[1] != "fp32") != half:
            continue
        known = dict(zip(map(int, counts.split("/")), map(float, rates)))
        return known.get(devices)
    return None


def mmseg(path, text):
    """The means without the first two windows: 40 iterations in windows of 4 on
    one GPU, 10 in windows of 2 on eight. For 32 GPUs the published figure is
    the median of 20 windows of one iteration."""
    m = re.search(r"_c(1|8|32)_fp", path)
    value = figure_in_list(path, text)
    if not m or value is None:
        return None
    options = {"1": "--rule=all --from-iteration=9",
               "8": "--rule=all --from-iteration=5",
               "32": "--rule=all --aggregate=median"}[m[1]]
    return Want(options, value, ROUNDED, "published", None)


def bert(path, text):
    """On 32 GPUs the mean after 10 windows of 10. For the others the published
    figures are within 0.1 % of the medians, so they follow a different rule:
    the means are up to 3 % lower."""
    value = figure_in_list(path, text)
    if value is None:
        return None
    options = "--rule=all --from-iteration=101 --aggregate=mean" \
        if devices_of(path) == 32 else "--rule=all --aggregate=median"
    return Want(options, value, ROUNDED, "published", None)


def published(path, text):
    """The figure that SOURCES.tsv gives for a log, or None."""
    m = re.search(r"world-record table: ([\d.]+) min record$", text)
    if m and "NO timing" not in text:
        return Want("--metric=time-to-train", float(m[1]), ROUNDED,
                    "published", None)
    if path.startswith("paddlenlp/perf-bert/"):
        return bert(path, text)
    if path.startswith("mmseg-text/"):
        return mmseg(path, text)
    if path.endswith("paddle_gpu32_fp32_bs2560"):
        m = re.search(r"second table says ([\d.]+) for 32", text)
        return Want("--rule=all --from-iteration=11 --aggregate=mean",
                    float(m[1]), 1e-6, "published", None)
    m = re.search(r"run_stop-run_start=([\d.]+) min", text)
    if m:
        return Want("--metric=time-to-train", float(m[1]), 5e-4, "published",
                    None)
    m = re.search(r'= ([\d.]+) images/s \(round of last "total', text)
    if m:
        return Want("--rule=summary", float(m[1]), ROUNDED, "published", text)
    m = re.search(r"= ([\d.]+) \(mean over the 3 runs of the LAST", text)
    if m:
        return Want("--rule=summary", float(m[1]), ROUNDED, "published", text)
    m = re.search(r"GPUs=\d+ fp\d+ = ([\d.]+) images/s", text)
    if m:
        options = "--rule=all --aggregate=mean" if "mean of ips" in text else \
            "--rule=all --from-iteration=20 --aggregate=mean" \
            if "/PyTorch/" in text else "--rule=summary"
        return Want(options, float(m[1]), OTHER_RULE, "published", None)
    m = re.search(r"elf-published:? [Tt]otal (?:img/sec on \d+ GPU\(s\): )?"
                  r"([\d.]+)", text)
    if m:
        return Want("--rule=summary", float(m[1]), ROUNDED, "published", None)
    if re.search(r"seq/s|words/s|tokens/s|samples/s", text) and \
            re.search(r"/8/32 (?:GPU )?= ", text):
        value = figure_in_list(path, text)
        if value is not None:
            return Want("--rule=all --aggregate=mean", value, OTHER_RULE,
                        "published", None)
    m = re.search(r"summary\.txt: ([\d.]+) img/s", text)
    if m:
        return Want("--rule=all --from-iteration=1", float(m[1]), OTHER_RULE,
                    "published", None)
    return None


def expected_runs(corpus):
    """path -> Want of expected.json, and its sets."""
    path = os.path.join(corpus, "expected.json")
    sets = json.load(open(path, encoding="utf-8"))["sets"] \
        if os.path.exists(path) else []
    runs = {}
    for s in sets:
        for config in s["configs"]:
            for path, value in config["runs"].items():
                runs[path] = Want(s["options"], value, 5e-6, "reckoned", None)
    return runs, sets


def extract(program, corpus, path, options):
    done = subprocess.run(
        [program, "-v", "--no-hash", "-j1", "-o", "-", *options.split(), "--",
         path], cwd=corpus, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "replace")
    runner_up = re.search(r" \(runner-up (\S+)\)", said)
    result = json.loads(done.stdout) if done.stdout else None
    fmt = re.search(r": (\S+?)(?: \(runner-up \S+\))?, \d+ samples, \d+ lines",
                    said)
    value = unit = why = None
    if result and result["cases"]:
        case = result["cases"][0]
        value, unit = case["median_speed"], case["unit"]
    else:
        left_out = re.search(r"excluded: (.*)", said)
        why = left_out[1] if left_out else said.strip().split("\n")[-1]
        why = re.sub(r"^extract_logs: ", "", why)
    return Got(fmt[1] if fmt else None, runner_up[1] if runner_up else None,
               value, unit, why)


def number(x):
    return "" if x is None else f"{x:.7g}"


def decimals(value):
    """Half a unit of the last digit of a rounded figure."""
    text = repr(value)
    digits = len(text.split(".")[1]) if "." in text and "e" not in text else 0
    return .5000001 * 10 ** -digits


def silent(file):
    """Why no program could read a log, or None."""
    data = open(file, "rb").read()
    if not data.strip():
        return "the file is empty"
    if re.search(rb"ChildFailedError|Traceback|MODULE_NOT_FOUND", data):
        return "the program ended with an error before its first step"
    if re.search(rb"^s:\d+ (?:trl|tel):[\d.]+$", data, re.M) and \
            b"ms" not in data:
        return "losses only: no time, no rate"
    return None


def verdict(want, got, mean, file):
    """One word, and a sentence."""
    if got.format is None:
        why = silent(file)
        if why:
            return "nothing in it", why
        return "unrecognised", got.why or "no format matches it"
    if want is None:
        if got.value is None:
            return "no figure", got.why
        return "read", "nothing was published"
    if got.value is None:
        return "no figure", got.why
    value = got.value if mean is None else mean
    off = value / want.value - 1
    # A whole number may have been rounded or truncated.
    near = abs(off) <= want.tolerance or \
        abs(value - want.value) <= decimals(want.value) or \
        (want.value == int(want.value) and -.5 <= value - want.value < 1)
    text = f"{off * 100:+.2g} %" + \
        ("" if mean is None else f" (mean of the runs {mean:.7g})")
    return ("agrees", text) if near else ("differs", text)


def cell(text):
    return str(text if text is not None else "").replace("|", "\\|") \
        .replace("\n", " ")


def table(out, heads, rows):
    out.write("| " + " | ".join(heads) + " |\n")
    out.write("|" + "---|" * len(heads) + "\n")
    for row in rows:
        out.write("| " + " | ".join(cell(c) for c in row) + " |\n")
    out.write("\n")


def read_all(program, corpus, sources, wants):
    """path -> Got, under the options of its Want."""
    def one(path):
        options = wants[path].options if wants.get(path) else ""
        return path, extract(program, corpus, path, options)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(pool.map(one, sources))


def group_means(wants, gots):
    """group -> mean of our figures, where a figure is a mean over runs."""
    groups = collections.defaultdict(list)
    for path, want in wants.items():
        if want and want.group and gots[path].value is not None:
            groups[want.group].append(gots[path].value)
    return {g: math.fsum(v) / len(v) for g, v in groups.items()}


def settle(wants, verdicts):
    """A figure belongs to one log: if it agrees with one, it is not that of the
    others in the same table; if its log contradicts it, the verdict says so."""
    agreed = {(os.path.dirname(p), w.value): p for p, w in wants.items()
              if w and w.of == "published" and verdicts[p][0] == "agrees"}
    for path, (word, text) in verdicts.items():
        if word != "differs":
            continue
        other = agreed.get((os.path.dirname(path), wants[path].value))
        if path in CONTRADICTED:
            verdicts[path] = "contradicted", \
                f"{text}: {CONTRADICTED[path]}"
        elif other:
            verdicts[path] = "read", \
                f"the figure is that of {os.path.basename(other)}"


def report(out, corpus, sources, wants, gots, sets):
    means = group_means(wants, gots)
    rows, said = [], {}
    for path in sources:
        want, got = wants.get(path), gots[path]
        mean = means.get(want.group) if want and want.group else None
        said[path] = verdict(want, got, mean, os.path.join(corpus, path))
    settle(wants, said)
    verdicts = {path: word for path, (word, _) in said.items()}
    for path in sources:
        want, got = wants.get(path), gots[path]
        word, text = said[path]
        rows.append([path, got.format, got.runner_up,
                     want.options if want else "",
                     number(want.value) + f" {want.of}" if want else "",
                     number(got.value) + (f" {got.unit}" if got.unit else ""),
                     f"{word}: {text}" if text else word])
    out.write("# What extract_logs makes of the corpus\n\n")
    totals = collections.Counter(verdicts.values())
    order = ["agrees", "read", "contradicted", "differs", "no figure",
             "nothing in it", "unrecognised"]
    table(out, ["verdict", "files"],
          [[w, totals[w]] for w in order] + [["all", len(verdicts)]])
    for word, head in (("unrecognised", "Unrecognised"),
                       ("differs", "Differ")):
        paths = [p for p in sources if verdicts[p] == word]
        out.write(f"## {head}: {len(paths)}\n\n")
        out.writelines(f"- {p}\n" for p in paths)
        out.write("\n" if paths else "")
    folders = collections.defaultdict(collections.Counter)
    for path, word in verdicts.items():
        folders[path.split("/")[0]][word] += 1
    out.write("## By folder\n\n")
    table(out, ["folder", *order],
          [[f, *(c[w] for w in order)] for f, c in folders.items()])
    out.write("## Sets\n\n")
    set_rows = []
    for s in sets:
        for config in s["configs"]:
            ours = sorted(gots[p].value for p in config["runs"]
                          if p in gots and gots[p].value is not None)
            n = len(ours)
            median = (ours[(n - 1) // 2] + ours[n // 2]) / 2 if n else None
            same = median is not None and n == len(config["runs"]) and \
                math.isclose(median, config["median"], rel_tol=5e-6,
                             abs_tol=6e-5)
            set_rows.append([s["set"], config["label"], s["options"],
                             number(config["median"]), number(median),
                             "agrees" if same else "differs"])
    table(out, ["set", "case", "options", "median reckoned", "ours",
                "verdict"], set_rows)
    out.write("## Files\n\n")
    table(out, ["file", "format", "runner-up", "options", "expected", "got",
                "verdict"], rows)
    return totals


def main():
    corpus, program = sys.argv[1], os.path.abspath(sys.argv[2])
    listed = os.path.join(corpus, "SOURCES.tsv")
    if not os.path.exists(listed) or not os.access(program, os.X_OK):
        sys.exit(f"corpus_report.py: cannot find {listed} or {program}")
    with open(listed, encoding="utf-8", newline="") as f:
        rows = [r for r in csv.DictReader(f, delimiter="\t",
                                          quoting=csv.QUOTE_NONE)]
    said = {r["file"]: r["published"] or "" for r in rows}
    sources = [p for p in said
               if not NO_LOG.search(said[p]) and not NO_LOG_NAME.search(p)]
    reckoned, sets = expected_runs(corpus)
    wants = {p: reckoned.get(p) or published(p, said[p]) for p in sources}
    gots = read_all(program, corpus, sources, wants)
    out = open(sys.argv[3], "w", encoding="utf-8") if len(sys.argv) > 3 \
        else sys.stdout
    totals = report(out, corpus, sources, wants, gots, sets)
    if out is not sys.stdout:
        out.close()
        print(f"{sys.argv[3]}: " + ", ".join(
            f"{n} {w}" for w, n in totals.most_common()))


main()
