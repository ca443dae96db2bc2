"""The published JSON of a calibration: figures, guarantee, people, what was left out."""

from collections.abc import Mapping

from workbench.calibration.classification_report import FIGURES, ClassificationReport
from workbench.calibration.results import (
    MAJORITY_RULE,
    AgainstReviewers,
    CalibrationReport,
    HumanAgreement,
)
from workbench.presentation.calibration.fitted_limits import limits_document
from workbench.presentation.calibration.references import (
    agreement_document,
    figures_document,
    pair_document,
    references_document,
)
from workbench.presentation.calibration.text import AGAINST_FIGURES, cautions, sentences
from workbench.records.guide_versions import guide_name
from workbench.records.text import Json, JsonDict


def document(view: CalibrationReport, seconds: float | None = None) -> JsonDict:
    """The published JSON of `workbench calibrate`, with further details."""
    calibration, rates = view.calibration, view.rates
    table = calibration.table
    parts: dict[str, Json] = {size.part or "none": size.to_dict() for size in calibration.sizes}
    guarantee = calibration.guarantee
    accept, reject = calibration.band
    return {
        "n": table.n,
        "splits": {
            **calibration.split.to_dict(),
            "parts": parts,
            "used": list(calibration.parts),
            "threshold_chosen_on": list(calibration.chosen_on),
            "test_openings": [opening.to_dict() for opening in calibration.openings],
        },
        **figures_document(FIGURES, dict(table.figures)),
        "threshold": calibration.threshold,
        "guarantee": guarantee.to_dict(),
        "human_agreement": _people(view.reviewer_agreement),
        "judge": list(calibration.judge.specs),
        "prompt": calibration.judge.prompt or None,
        "sentences": [sentence.text for sentence in sentences(calibration, rates)],
        "humans": calibration.judged.humans,
        "items_labelled_by_data_sets": calibration.judged.from_data_sets,
        "groups": table.groups,
        "guide_versions": {
            "chosen": [guide_name(guide) for guide in calibration.labels.guides] or None,
            "labels": _guides(calibration.guide_counts),
        },
        "labels_of": calibration.labels.name or None,
        "warnings": list(cautions(view)),
        "judge_against": _against(view.against),
        "left_out": {
            "no_gold_label": calibration.judged.no_gold_label,
            "unjudged": calibration.judged.unjudged,
            "unread": calibration.judged.unread,
            "untested": table.excluded,
            "in_no_part": calibration.judged.in_no_part,
        },
        "table": table.to_dict(),
        "at_threshold": calibration.at_threshold.to_dict() if calibration.at_threshold else None,
        "abstain_band": {"accept": accept.to_dict(), "reject": reject.to_dict()},
        "fitted_limits": [*limits_document(view.limits)],
        "always_supported": metrics(calibration.always),
        "embedded_judge": metrics(view.local) if view.local else None,
        "corrected_rates": rates.estimates.to_dict() if rates else None,
        "references": references_document(view.references) if view.references else None,
        "labels_sha256": calibration.labels_sha256,
        **({} if seconds is None else {"seconds": round(seconds, 3)}),
    }


def metrics(table: ClassificationReport) -> JsonDict:
    """The figures of a baseline."""
    return {name: figure.to_dict() for name, figure in table.figures}


def _people(people: HumanAgreement | None) -> JsonDict | None:
    if people is None:
        return None
    return {
        **agreement_document(people.labels),
        "ordinal_alpha": people.labels.ordinal_alpha.to_dict(),
        "off_scale": people.labels.off_scale,
        "pairs": [
            {
                **pair_document(pair),
                "weighted_kappa": pair.weighted_kappa.to_dict(),
                "weights": "linear",
            }
            for pair in people.labels.pairs
        ],
        "supported_or_not": people.supported.raw.to_dict(),
        "guide_versions": _guides(people.guides),
    }


def _guides(counts: Mapping[int, int]) -> JsonDict:
    return {guide_name(version): number for version, number in counts.items()}


def _against(against: AgainstReviewers | None) -> JsonDict | None:
    """Figures against each reviewer and their majority; those by gold label are in `metrics`."""
    if against is None:
        return None

    def figures(table: ClassificationReport) -> JsonDict:
        return {"n": table.n, **{name: table.figure(name).to_dict() for name in AGAINST_FIGURES}}

    return {
        "reviewers": [{"reviewer": name, **figures(table)} for name, table in against.reviewers],
        "more_reviewers": against.more_reviewers,
        "majority": {
            "rule": MAJORITY_RULE,
            **figures(against.majority),
            "ties": against.ties,
            "single_reviewer": against.single,
        },
    }
