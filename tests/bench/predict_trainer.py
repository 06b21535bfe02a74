"""Predictions of runs of our own trainer beside what was measured, as Markdown
(called by predict_trainer.sh).

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


def step(case):
    steps = sorted(r["step_s"] for r in case["runs"])
    return steps[len(steps) // 2]


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


def main():
    program, folder, rates = sys.argv[1], sys.argv[2], sys.argv[3:]
    counts(program, folder, rates)
    if "2500" in rates:
        links(program, folder, rates, "2500")


main()
