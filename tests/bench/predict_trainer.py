"""Predictions for runs of our own trainer next to the measured values, as
Markdown (called by predict_trainer.sh).

usage: predict_trainer.py predict_scaling FOLDER MBIT...
"""
import json
import os
import subprocess
import sys
import tempfile


def cases(path):
    with open(path) as f:
        result = json.load(f)
    return result, {c["case"]: c for c in result["cases"]}


def only(result, names):
    part = dict(result)
    part["cases"] = [c for c in result["cases"] if c["case"] in names]
    return part


def predict(program, result, options):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(result, f)
        f.flush()
        done = subprocess.run([program, "--format=json", *options, f.name],
                              stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["series"][0]


def median(values):
    values = sorted(values)
    n = len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2


def step(case):
    return median([r["step_s"] for r in case["runs"]])


def counts(program, folder, rates):
    print("| link | case | measured | predicted from 1 and 2 ranks | error "
          "| 80 % interval | inside |")
    print("|---|---|---|---|---|---|---|")
    for rate in rates:
        result, measured = cases(os.path.join(folder, rate + "_result.json"))
        targets = [n for n in ("3n1g", "4n1g") if n in measured]
        if not targets or "2n1g" not in measured:
            continue
        s = predict(program, only(result, ("1n1g", "2n1g")),
                    ["--to=" + ",".join(targets)])
        for c in s["cases"]:
            if c["measured"]:
                continue
            real = measured[c["case"]]["median_speed"]
            i = c["intervals"][0]
            print("| %s Mbit/s | %s | %.4g | %.4g | %+.1f %% | %.4g-%.4g | %s |"
                  % (rate, c["case"], real, c["speed"],
                     100 * (c["speed"] / real - 1), i["low"], i["high"],
                     "yes" if i["low"] <= real <= i["high"] else "no"))
        for r in s["refused"]:
            print("| %s Mbit/s | %s | | refused: %s | | | |"
                  % (rate, r["case"], r["code"]))


def links(program, folder, rates, base):
    print("\n| from %s to | case | step measured, s | what-if | range "
          "| error |" % base)
    print("|---|---|---|---|---|---|")
    result, _ = cases(os.path.join(folder, base + "_result.json"))
    for rate in rates:
        if rate == base:
            continue
        _, measured = cases(os.path.join(folder, rate + "_result.json"))
        s = predict(program, result,
                    ["--what-if=bandwidth=%sMbit/s" % rate,
                     "--bandwidth=%sMbit/s" % base])
        for w in s["what_if"]:
            if w["case"] not in measured or "step_s" not in w:
                continue
            real = step(measured[w["case"]])
            print("| %s Mbit/s | %s | %.4g | %.4g | %.4g-%.4g | %+.1f %% |"
                  % (rate, w["case"], real, w["step_s"], w["low"], w["high"],
                     100 * (w["step_s"] / real - 1)))


def messages(case):
    """Allreduces of a step, as the runs state them."""
    return median([(r.get("phases") or {}).get("allreduces") or 0
                   for r in case["runs"]])


def answers(program, result, options):
    return [w for w in predict(program, result, options)["what_if"]]


def change(title, answer, measured):
    for w in answer:
        if w["case"] not in measured:
            continue
        real = step(measured[w["case"]])
        if "step_s" not in w:
            print("| %s | %s | %.4g | %s | | |"
                  % (title, w["case"], real, w["message"]))
            continue
        print("| %s | %s | %.4g | %.4g | %.4g-%.4g | %+.1f %% |"
              % (title, w["case"], real, w["step_s"], w["low"], w["high"],
                 100 * (w["step_s"] / real - 1)))


def changes(program, folder, base):
    """Gradients in fp16; one message per tensor, with the latency of the
    smallest allreduce between two ranks."""
    result, now = cases(os.path.join(folder, base + "_result.json"))
    print("\n| changed | case | step measured, s | what-if | range | error |")
    print("|---|---|---|---|---|---|")
    _, measured = cases(os.path.join(folder, base + "-fp16_result.json"))
    change("compression=fp16",
           answers(program, result, ["--what-if=compression=fp16",
                                     "--to=16n1g"]), measured)
    tensor, measured = cases(os.path.join(folder, base + "-tensor_result.json"))
    if "2n1g" not in measured:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(only(tensor, ("2n1g",)), f)
        f.flush()
        for name, case in measured.items():
            if name not in now or not messages(case) or not messages(now[name]):
                continue
            text = "buckets=%g:%g" % (messages(case), messages(now[name]))
            bytes_per_step = case["runs"][0]["phases"]["bytes_per_step"]
            change(text, [w for w in answers(
                program, result,
                ["--what-if=" + text, "--network=" + f.name, "--to=16n1g",
                 "--gradient-bytes=%g" % bytes_per_step])
                if w["case"] == name], measured)


def main():
    program, folder, rates = sys.argv[1], sys.argv[2], sys.argv[3:]
    counts(program, folder, rates)
    if "2500" in rates:
        links(program, folder, rates, "2500")
        changes(program, folder, "2500")


main()
