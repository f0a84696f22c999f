"""Writes golden_stats.json: tests computed by SciPy (Debian's python3-scipy).

    /usr/bin/python3 golden_stats.py > golden_stats.json

Signed-rank tests: "exact" without ties and zeros is scipy.stats.wilcoxon with
its exact distribution. With ties or zeros that function has no exact
distribution, and scipy.stats.permutation_test goes through all 2^n signs of
the differences instead, with the rank sum under test as the statistic.

Resampled t tests have the corrected variance of Nadeau and Bengio (2003) by
NumPy and tails by scipy.stats.t; those of ratio 0 are scipy.stats.ttest_1samp.
Adjusted p-values are R's p.adjust(p, "BH").

Tails of the studentized range with infinitely many degrees of freedom are
scipy.stats.studentized_range's, which integrates to about 1e-10.
"""

import json
import subprocess
import sys

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20221128)


def rank_sum(zeros):
    def statistic(d, axis=-1):
        d = np.moveaxis(np.asarray(d), axis, -1)
        if zeros == "pratt":
            ranks = stats.rankdata(np.abs(d), axis=-1)
        else:  # signs do not change which differences are 0
            size = np.where(d == 0, np.inf, np.abs(d))
            ranks = stats.rankdata(size, axis=-1)
        return np.sum(np.where(d > 0, ranks, 0), axis=-1)
    return statistic


def case(name, d, zeros="wilcox"):
    d = [float(x) for x in d]
    nonzero = [x for x in d if x != 0]
    tied = len(set(map(abs, nonzero))) < len(nonzero)
    if tied or len(nonzero) < len(d):
        method = "permutation"
        p = 1.0
        if nonzero:
            p = stats.permutation_test(
                (d,), rank_sum(zeros), permutation_type="samples", vectorized=True,
                n_resamples=np.inf, alternative="two-sided").pvalue
    else:
        method = "exact"
        p = stats.wilcoxon(d, zero_method=zeros, mode="exact").pvalue
    array = np.array(d)
    keep = array if zeros == "pratt" else array[array != 0]
    ranks = stats.rankdata(np.abs(keep))
    return {
        "name": name, "zeros": zeros, "differences": d, "method": method, "p": float(p),
        "plus": float(ranks[keep > 0].sum()), "minus": float(ranks[keep < 0].sum()),
    }


cases = []
for n in (1, 2, 3, 4, 5, 6, 9, 20, 37, 50):
    cases.append(case(f"distinct {n}", rng.normal(0.4, 1, n).round(6)))
cases.append(case("all positive", [1, 2, 3, 4, 5, 6, 7, 8]))
cases.append(case("balanced", [1, -1, 2, -2]))
for zeros in ("wilcox", "pratt"):
    cases.append(case("all zero", [0, 0, 0], zeros))
    cases.append(case("one of three", [0, 0.5, 0], zeros))
    cases.append(case("two zeros", [0, 3, -1, 4, 0, 2, 6, -5], zeros))
    cases.append(case("ties", [1, 1, 1, -1, 2, 2, -2, 3, 3], zeros))
    cases.append(case("all tied", [0.25] * 7 + [-0.25] * 2, zeros))
    cases.append(case("ties and zeros", [0, 0, 0, 1, 1, -1, 2, 2, 2, -3, 4, 4], zeros))
    for n in (5, 10, 14):
        d = rng.integers(-3, 6, n)
        cases.append(case(f"integers {n}", d, zeros))
cases.append(case("distinct 120", rng.normal(0.1, 1, 120).round(6)))

friedman = []


def blocks(name, scores):
    scores = np.asarray(scores, dtype=float)
    n, k = scores.shape
    chi2, p = stats.friedmanchisquare(*scores.T)
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    friedman.append({
        "name": name, "scores": scores.tolist(), "chi2": float(chi2), "p": float(p), "f": float(f),
        "fp": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        "ranks": stats.rankdata(scores, axis=1).mean(axis=0).tolist(),
    })


for n, k in ((4, 3), (5, 3), (10, 4), (14, 4), (30, 7)):
    blocks(f"{n} blocks of {k}", (rng.normal(0, 1, (n, k)) + 0.3 * np.arange(k)).round(6))
    blocks(f"{n} blocks of {k}, ties", rng.integers(0, 4, (n, k)) + 0.2 * np.arange(k).round())

ranges = []
for k in (2, 3, 4, 5, 8, 10, 20, 50):
    for q in (0.5, 2.0, 3.5, 5.0):
        ranges.append({"k": k, "q": q, "p": float(stats.studentized_range.sf(q, k, np.inf))})

resampled = []
for n, ratio in ((2, 0), (5, 0), (30, 0), (2, 1 / 3), (3, 1 / 9), (10, 1 / 3), (10, 0.41887), (20, 1 / 3), (60, 1)):
    d = rng.normal(0.3, 1, n).round(6)
    variance = np.var(d, ddof=1) * (1 / n + ratio)
    posterior = stats.t(n - 1, np.mean(d), np.sqrt(variance))
    p = 2 * stats.t.sf(abs(np.mean(d)) / np.sqrt(variance), n - 1)
    if ratio == 0:
        p = stats.ttest_1samp(d, 0).pvalue
    resampled.append({
        "differences": d.tolist(), "ratio": ratio, "p": float(p), "interval": list(map(float, posterior.interval(0.95))),
        "chances": [float(posterior.sf(0.1)), float(posterior.cdf(0.1) - posterior.cdf(-0.1)), float(posterior.cdf(-0.1))],
    })

rates = []
for n in (1, 4, 25):
    p = rng.beta(0.4, 2, n).round(4).tolist()
    text = f"cat(sprintf('%.17g', p.adjust(c({','.join(map(str, p))}), 'BH')))"
    adjusted = subprocess.run(["Rscript", "-e", text], capture_output=True, text=True, check=True).stdout.split()
    rates.append({"p": p, "q": list(map(float, adjusted))})

json.dump({
    "made_by": f"scipy {scipy.__version__}, numpy {np.__version__}, python {sys.version.split()[0]}",
    "signed_rank": cases, "friedman": friedman, "range": ranges, "resampled": resampled, "rates": rates,
}, sys.stdout, indent=1)
sys.stdout.write("\n")
