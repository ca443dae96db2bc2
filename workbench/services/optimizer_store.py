"""The items, prompts and steps of a series that improves a prompt, out of a database."""

import hashlib
import threading
from collections.abc import Callable, Sequence

from workbench.calibration.classification_report import UNTESTED
from workbench.experiments.judge_items import asked_of, judge_items
from workbench.experiments.optimizer_backend import Answers, PartName
from workbench.experiments.proposers import Disagreement
from workbench.judging.budget import Budget
from workbench.judging.passages import select_passages
from workbench.records.calibration import JudgingRequest, OfflineJudgment
from workbench.records.evaluation import JudgeKey
from workbench.records.judge_outcomes import NO_REPLY, judge_outcome
from workbench.records.optimization import Optimisation, OptimisationStep
from workbench.records.prompts import Prompt
from workbench.records.reference_sets import Prediction
from workbench.records.verdict import CitationResult
from workbench.services.labelled_judging import JudgeConfig, panel_rule
from workbench.services.prompts import DEFAULT, item_key, prompt_repository, usable_prompt
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.prompts.optimizations import OptimizationRepository
from workbench.store.store import Store

PASSAGES_CHARS = 1_400
"""Of a source that a proposer sees for one item."""


class StoreOptimizerBackend:
    """The items, prompts and steps of a series, out of a store; it reads train and dev alone."""

    def __init__(
        self,
        store: Store,
        series: Optimisation,
        cancel: threading.Event | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._store, self._series, self._cancel = store, series, cancel
        self._budget = budget
        self._opinions, self._book = OfflineJudgmentRepository(store), OptimizationRepository(store)

    def contender(self, prompt: Prompt) -> JudgeConfig:
        """The judge of the series with a prompt."""
        return JudgeConfig(specs=self._series.judge, prompt=prompt, rule=self._series.rule)

    def answers(
        self,
        prompt: Prompt,
        part: PartName,
        *,
        on_progress: Callable[[int, float], None],
    ) -> Answers:
        """What the judge says by a prompt on a part; raises UsageError where none can be opened."""
        config = self.contender(prompt)
        lacking = self._opinions.unjudged(
            config.name.name, config.name.prompt, split_id=self._series.split_id, parts=(part,)
        )
        left, why = 0, ""
        if lacking:
            judging = judge_items(
                self._opinions.questions(lacking),
                config.open(),
                self._keep,
                name=config.name.name,
                rule=panel_rule(config.rule),
                recall=self._store.get_judgment,
                remember=self._store.add_judgment,
                cancel=self._cancel,
                on_progress=on_progress,
                budget=self._budget,
            )
            left, why = judging.unjudged, judging.stop_reason
        predictions = PredictionRepository(self._store).of_judge(
            config.name, self._series.split_id, (part,)
        )
        return Answers(predictions=tuple(predictions), unjudged=left, stop_reason=why)

    def _keep(
        self, opinions: Sequence[OfflineJudgment], first: Sequence[tuple[str, CitationResult]]
    ) -> None:
        """Store the answers; a candidate's answers are never an item's first verdict."""
        self._opinions.add(opinions)

    def cost_usd(self, prompt_id: str) -> float:
        """What judging by a prompt cost since the series began."""
        default_key = self.contender(DEFAULT).name
        judge_key = JudgeKey(specs=default_key.specs, prompt=prompt_id, rule=default_key.rule)
        return self._book.judged_cost(self._series, judge_key)

    def disagreements(
        self, predictions: Sequence[Prediction], round: int
    ) -> Sequence[Disagreement]:
        """Train items to learn from: other ones each round, wrong accepts and rejects in turn."""
        wrong = [
            prediction
            for prediction in predictions
            if prediction.human not in UNTESTED
            and judge_outcome(prediction.error) in ("verdict", "no_verdict")
            # a call that failed has nothing to learn from
            and prediction.error not in NO_REPLY
            and (prediction.error or not prediction.right)
        ]
        wrong.sort(key=lambda prediction: self._place(prediction.item, round))
        accepted = [prediction for prediction in wrong if prediction.human != "supported"]
        rejected = [prediction for prediction in wrong if prediction.human == "supported"]
        longest = max(len(accepted), len(rejected))
        turns = [
            side[at] for at in range(longest) for side in (accepted, rejected) if at < len(side)
        ]
        chosen = {
            item_key(prediction.item): prediction for prediction in turns[: self._series.shown]
        }
        reasons = self._book.reasons(list(chosen))
        disagreements = []
        for item in self._opinions.questions(list(chosen)):
            key = (item.run_id, item.result.citation.id)
            disagreements.append(_disagreement(item, chosen[key], reasons.get(key, ())))
        return disagreements

    def _place(self, item: str, round: int) -> str:
        text = f"{self._series.seed}/{round}/{item}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def next_version(self) -> int:
        """The number that the next version under the series' name gets."""
        prompts = [version.prompt for version in prompt_repository(self._store).all()]
        return (
            max(
                (prompt.version for prompt in prompts if prompt.name == self._series.name),
                default=0,
            )
            + 1
        )

    def keep(self, candidate: Prompt, incumbent: Prompt, reason: str) -> Prompt:
        """The candidate as a new version; the one there is, where it was kept before."""
        prompts = prompt_repository(self._store)
        above = prompts.get(incumbent.id)
        return prompts.add(
            self._series.name,
            candidate.template,
            author=self._series.created_by,
            note=reason or f"By {self._series.proposer} in {self._series.id}.",
            parent=above.id,
            values=dict(candidate.values),
            origin="optimised",
            items=[item_key(item) for item in above.items] if candidate.values else (),
        ).prompt

    def steps(self) -> Sequence[OptimisationStep]:
        """What happened so far."""
        return self._book.steps(self._series.id)

    def record(self, step: OptimisationStep) -> None:
        """Keep a step."""
        self._book.record(self._series.id, step)

    def prompt(self, prompt_id: str) -> Prompt:
        """A kept prompt; raises UsageError where it can ask nothing any more."""
        return usable_prompt(prompt_repository(self._store).get(prompt_id))


def _disagreement(
    item: JudgingRequest, prediction: Prediction, reasons: tuple[str, ...]
) -> Disagreement:
    claim, context = asked_of(item)
    text = item.source.text if item.source else ""
    passages = select_passages(
        claim, text, PASSAGES_CHARS, title=context.source.title, context=context
    )
    return Disagreement(
        item=prediction.item,
        claim=" ".join(claim.split()),
        passages=tuple(passage.text for passage in passages),
        human=prediction.human,
        judge="no usable verdict" if prediction.error else prediction.label,
        rationale=prediction.rationale,
        reasons=reasons,
        context=context,
    )
