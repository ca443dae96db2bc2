"""Agreement with its hand calculation beside it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calibration.agreement import agreement
from workbench.records.review import Rating


def ratings(table):
    """From `{rater: "label per item, . for none"}`."""
    return [
        Rating(item=str(item), rater=rater, label=label)
        for rater, labels in table.items()
        for item, label in enumerate(labels.replace(" ", ""))
        if label != "."
    ]


def test_krippendorffs_own_example():
    # Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C:
    # 12 units, 4 observers, missing data, nominal: alpha = 0.743
    result = agreement(
        ratings(
            {
                "A": "1 2 3 3 2 1 4 1 2 . . .",
                "B": "1 2 3 3 2 2 4 1 2 5 . 3",
                "C": ". 3 3 3 2 3 4 2 2 5 1 .",
                "D": "1 2 3 3 2 4 4 1 2 5 1 .",
            }
        )
    )
    assert result.alpha.value == pytest.approx(0.743, abs=0.0005)
    assert result.items == 11
    assert result.ratings == 40
    assert {label.label: label.ratings for label in result.labels} == {
        "1": 9, "2": 13, "3": 10, "4": 5, "5": 3,
    }  # fmt: skip


def test_alpha_and_raw_agreement_of_a_small_table():
    # items aa, ab, bb, bb. Coincidences: aa 2, ab 1, ba 1, bb 4; counts a 3, b 5, n 8.
    # D_o = 2/8; D_e = 1 - (3*2 + 5*4) / (8*7) = 30/56; alpha = 1 - (1/4) / (30/56) = 8/15
    result = agreement(ratings({"Ada": "aabb", "Bob": "abbb"}))
    assert result.alpha.value == pytest.approx(8 / 15)
    assert result.raw.value == pytest.approx(3 / 4)
    # specific agreement on a: 2 * 1 / (2 + 1); on b: 2 * 2 / (4 + 1)
    assert [label.specific.value for label in result.labels] == pytest.approx([2 / 3, 4 / 5])


def test_raw_agreement_counts_each_item_once_however_often_it_was_rated():
    # item 0: aab, one of three pairs agrees; item 1: aa, all: (1/3 + 1) / 2
    result = agreement(ratings({"Ada": "aa", "Bob": "a.", "Cy": "ba"}))
    assert result.raw.value == pytest.approx(2 / 3)


def test_cohens_kappa():
    # 20 both yes, 5 yes/no, 10 no/yes, 15 both no: p_o = .7, p_e = .5*.6 + .5*.4 = .5, kappa = .4
    result = agreement(
        ratings({"Ada": "y" * 25 + "n" * 25, "Bob": "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15})
    )
    (pair,) = result.pairs
    assert (pair.first, pair.second, pair.kappa.n) == ("Ada", "Bob", 50)
    assert pair.kappa.value == pytest.approx(0.4)
    assert pair.raw.value == pytest.approx(0.7)
    # with two labels, each against the rest is the same question
    assert [label.chance_corrected.value for label in pair.labels] == pytest.approx([0.4, 0.4])
    # asymptotic standard error of kappa (Cohen 1960): sqrt(.7 * .3 / (50 * .25)) = .1296
    assert pair.kappa.low == pytest.approx(0.4 - 1.96 * 0.1296, abs=0.05)
    assert pair.kappa.high == pytest.approx(0.4 + 1.96 * 0.1296, abs=0.05)


def test_kappa_per_label_folds_the_others_together():
    # a against the rest: both a 2, only Ada 0, only Bob 1, neither 3 of 6;
    # p_o = 5/6, p_e = (2*3 + 4*3) / 36 = 1/2, kappa = 2/3
    result = agreement(ratings({"Ada": "aabbcc", "Bob": "aabcac"}))
    of_a = result.pairs[0].labels[0]
    assert of_a.label == "a"
    assert of_a.chance_corrected.value == pytest.approx(2 / 3)
    assert of_a.ratings == 5


def test_when_nobody_differs_the_interval_is_exact_and_not_a_point():
    # ten groups, none differs: q = 1 - .025 ** (1/10) = .3085; kappa reaches down to 1 - q / .5
    result = agreement(ratings({"Ada": "ababababab", "Bob": "ababababab"}))
    kappa = result.pairs[0].kappa
    assert (kappa.value, kappa.high) == (1.0, 1.0)
    assert kappa.low == pytest.approx(1 - 0.30850 / 0.5, abs=1e-4)
    assert result.raw.low == pytest.approx(1 - 0.30850, abs=1e-4)
    assert "exact" in kappa.method


@pytest.mark.parametrize(
    "table",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"Ada": "ab", "Bob": ".."}, id="one rating each"),
    ],
)
def test_nothing_to_compare_has_no_figures(table):
    result = agreement(ratings(table))
    assert (result.items, result.alpha.value, result.raw.value) == (0, None, None)
    assert result.pairs == result.labels == ()


def test_one_label_only_has_raw_agreement_and_nothing_corrected_for_chance():
    result = agreement(ratings({"Ada": "aaa", "Bob": "aaa"}))
    assert result.raw.value == 1.0
    assert result.alpha.value is None
    assert result.pairs[0].kappa.value is None


def test_one_group_has_no_interval():
    result = agreement(
        [
            Rating(item=str(item), rater=rater, label=label, group="one output")
            for rater, labels in (("Ada", "aabb"), ("Bob", "abbb"))
            for item, label in enumerate(labels)
        ]
    )
    assert result.alpha.value == pytest.approx(8 / 15)
    assert result.alpha.low is None
    assert result.alpha.text == "0.53 (n = 4; too few independent documents)"
    assert result.alpha.to_dict()["ci95_missing"] == (
        "too few independent documents: 1 of at least 3"
    )


def test_groups_widen_the_interval():
    """Forty items that come in four like-minded groups tell less than forty independent ones."""

    def interval(size):
        result = agreement(
            [
                Rating(item=str(i), rater=rater, label=label, group=str(i // size))
                for i in range(40)
                for rater, label in (
                    ("Ada", "ab"[i % 2]),
                    ("Bob", "ab"[(i + (i // 10 == 0)) % 2]),
                )
            ]
        ).alpha
        return result.high - result.low

    assert interval(10) > 1.5 * interval(1)


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # both flip a fair coin's side with probability .15: p_o = .85² + .15² = .745, kappa = .49
    chance = random.Random(4)
    hits, rounds = 0, 200
    for _ in range(rounds):
        sides = [chance.random() < 0.5 for _ in range(80)]
        result = agreement(
            [
                Rating(item=str(i), rater=rater, label=str(side ^ (chance.random() < 0.15)))
                for i, side in enumerate(sides)
                for rater in ("Ada", "Bob")
            ],
            rounds=200,
        )
        hits += result.alpha.low <= 0.49 <= result.alpha.high
    # 95 % nominal; 200 replicates have a standard error of 1.5 points
    assert 0.90 <= hits / rounds <= 0.985


def test_a_second_word_of_one_person_takes_the_place_of_the_first():
    twice = [
        Rating(item="1", rater="Ada", label="b"),
        Rating(item="1", rater="Ada", label="a"),
        Rating(item="1", rater="Bob", label="a"),
    ]
    assert agreement(twice).raw.value == 1.0


tables = st.lists(
    st.dictionaries(st.sampled_from("PQRS"), st.sampled_from("abc"), min_size=1), max_size=12
)


def of_units(units, rename=str, relabel=str):
    return [
        Rating(item=str(item), rater=rename(rater), label=relabel(label))
        for item, unit in enumerate(units)
        for rater, label in unit.items()
    ]


@given(tables)
def test_alpha_is_what_its_definition_says(units):
    """D_o over all pairs within items, D_e over all pairs of ratings: computed pair by pair."""
    paired = [list(unit.values()) for unit in units if len(unit) > 1]
    result = agreement(of_units(units), rounds=2)
    assert result.items == len(paired)
    values = [label for unit in paired for label in unit]
    n = len(values)
    disorder = sum(
        (a != b) / (len(unit) - 1)
        for unit in paired
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    chance = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j)
    if not chance:
        assert result.alpha.value is None
    else:
        assert result.alpha.value == pytest.approx(1 - (disorder / n) / (chance / (n * (n - 1))))


@given(tables)
def test_names_of_people_and_labels_do_not_matter(units):
    plain = agreement(of_units(units), rounds=2)
    renamed = agreement(
        of_units(
            units,
            rename=lambda rater: str("SRQP".index(rater)),
            relabel=lambda label: {"a": "z", "b": "y", "c": "x"}[label],
        ),
        rounds=2,
    )
    assert renamed.alpha.value == (
        None if plain.alpha.value is None else pytest.approx(plain.alpha.value)
    )
    assert sorted(p.raw.value for p in renamed.pairs) == pytest.approx(
        sorted(p.raw.value for p in plain.pairs)
    )


def rated(first, second):
    """Two people on the same items, labels by their first letters; u has no place on the scale."""
    names = {
        "s": "supported",
        "p": "partially_supported",
        "n": "not_supported",
        "c": "contradicted",
        "u": "unverifiable",
        "?": "cannot_tell",
    }
    return [
        Rating(item=str(item), rater=rater, label=names[letter])
        for rater, letters in (("Ada", first), ("Bob", second))
        for item, letter in enumerate(letters)
    ]


def test_weighted_kappa_by_hand():
    # contradicted < not supported < partially supported < supported, a step counts 1/3.
    # Ada s s p n c n, Bob s p p n n c: steps 0 1 0 0 1 1, observed (1 + 1 + 1) / 3 / 6 = 1/6.
    # Ada has c 1, n 2, p 1, s 2; Bob c 1, n 2, p 2, s 1; expected, sum of steps over 36 pairs:
    #   Ada c: n 1*2, p 2*2, s 3*1 = 9;      Ada n, twice: c 1, p 1*2, s 2*1 = 5, 10 in all;
    #   Ada p: c 2*1, n 1*2, s 1*1 = 5;      Ada s, twice: c 3, n 2*2, p 1*2 = 9, 18 in all;
    #   42 steps = 14 whole disagreements; 14 / 36. Kappa = 1 - (1/6) / (14/36) = 4/7.
    # sklearn's cohen_kappa_score(ada, bob, weights="linear") is 1 - sum(w * observed) /
    # sum(w * outer(margins) / n) with w = |i - j|: 1 - 3 / (42 / 6) = 4/7, as the thirds cancel.
    result = agreement(rated("sspncn", "sppnnc"))
    (pair,) = result.pairs
    assert pair.weighted_kappa.value == pytest.approx(4 / 7)
    assert pair.weighted_kappa.low < 4 / 7 < pair.weighted_kappa.high
    # nominal: 3 of 6 agree; by chance (1*1 + 2*2 + 1*2 + 2*1) / 36 = 1/4; (1/2 - 1/4) / (3/4)
    assert pair.kappa.value == pytest.approx(1 / 3)


def test_ordinal_alpha_by_hand():
    # items cn, nn, ps, ss: ratings c 1, n 3, p 1, s 3 of 8. Middles of labels in order:
    # c .5, n 2.5, p 4.5, s 6.5; squared distances in units of 2: neighbours 1, two apart 4, 9.
    # Observed: cn and ps once each, both ways: 2 * (1 + 1) / 8 = 1/2.
    # Expected: 2 * (cn 3*1 + cp 1*4 + cs 3*9 + np 3*1 + ns 9*4 + ps 3*1) / (8 * 7) = 152 / 56.
    # Alpha = 1 - (1/2) * 56 / 152 = 31 / 38.
    result = agreement(rated("cnps", "nnss"))
    assert result.ordinal_alpha.value == pytest.approx(31 / 38)
    assert result.ordinal_alpha.n == 4
    # nominal: observed 4/8; expected 1 - (3*2 + 3*2) / 56 = 44/56
    assert result.alpha.value == pytest.approx(1 - 0.5 / (44 / 56))


def test_krippendorffs_ordinal_example():
    # Krippendorff's data (2011, example C) without the fifth value: one unit has only 5s, and
    # checked against the definition below, which sums over pairs of values as the book does
    table = {
        "A": "cnppncscn...",
        "B": "cnppnnscn..p",
        "C": ".pppnpsnn.c.",
        "D": "cnppnsscn.c.",
    }
    letters = {"c": "contradicted", "n": "not_supported", "p": "partially_supported",
               "s": "supported"}  # fmt: skip
    result = agreement(
        [
            Rating(item=str(i), rater=rater, label=letters[letter])
            for rater, labels in table.items()
            for i, letter in enumerate(labels)
            if letter != "."
        ]
    )
    assert result.ordinal_alpha.value == pytest.approx(alpha_by_definition(table.values()))


def alpha_by_definition(rows):
    """1 - observed / expected over all pairs of values, the metric summed from c to k."""
    units = [[column[i] for column in rows if column[i] != "."] for i in range(12)]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    scale = "cnps"

    def metric(a, b):
        low, high = sorted((scale.index(a), scale.index(b)))
        between = sum(values.count(scale[g]) for g in range(low, high + 1))
        return (between - (values.count(a) + values.count(b)) / 2) ** 2

    observed = sum(
        metric(a, b) / (len(unit) - 1)
        for unit in units
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    expected = sum(
        metric(a, b) for i, a in enumerate(values) for j, b in enumerate(values) if i != j
    )
    return 1 - observed * (len(values) - 1) / expected


def test_what_has_no_place_on_the_scale_is_left_out_and_counted():
    result = agreement(rated("sspncnu?", "sppnncus"))
    (pair,) = result.pairs
    assert pair.weighted_kappa.value == pytest.approx(4 / 7)
    assert (pair.weighted_kappa.n, pair.kappa.n) == (6, 8)
    assert result.off_scale == 3
    assert (result.ordinal_alpha.n, result.alpha.n) == (6, 8)


def test_a_far_disagreement_weighs_more_than_a_near_one():
    nearby, far = (agreement(rated("sspncnsc", other)) for other in ("spppnnsc", "sspncncc"))
    assert nearby.pairs[0].weighted_kappa.value > nearby.pairs[0].kappa.value
    assert far.pairs[0].weighted_kappa.value < far.pairs[0].kappa.value
