"""The Policy page in the real app: typing, mistakes at their lines, preview, saving, leaving."""

import re

from playwright.sync_api import expect

from workbench.interfaces.web.policies.text import FORM_DISABLED
from workbench.services.policies import BUILTIN_POLICIES

NONE_REDACTED = re.compile(r"(?<!\d)0 redacted")
"""Not "20 redacted": how many there are depends on the runs that other tests added."""


def test_a_policy_is_edited_previewed_saved_and_left_for_a_run(desk):
    page = desk.page
    desk.open("policy?policy-span=all")
    page.get_by_text("Edit the policy").click()
    editor = page.locator(".editor textarea")
    expect(editor).to_have_value((BUILTIN_POLICIES / "research.yaml").read_text("utf-8"))
    expect(page.locator(".wb-outcomes")).to_contain_text(NONE_REDACTED)

    # a mistake is shown beside its line, while the last valid preview stays
    valid_policy = editor.input_value()
    invalid_policy = valid_policy.replace("min_confidence: 0.7", "min_confidence: 7")
    assert invalid_policy != valid_policy
    line = 1 + invalid_policy[: invalid_policy.index("min_confidence: 7")].count("\n")
    editor.fill(invalid_policy)
    expect(page.locator(".wb-problems")).to_contain_text(f"Line {line} min_confidence")
    expect(page.locator(".editor .gutter .wrong")).to_have_text(str(line))
    expect(page.locator(".state")).to_have_text("1 mistake")
    expect(page.get_by_text("The preview shows the last version without errors.")).to_be_visible()

    # typed by hand, letters are letters: none of the pages' keys is taken for a command
    strict = valid_policy.replace(
        "require_source_match: false", "require_source_match: true"
    ).replace("unverified_action: flag", "unverified_action: redact")
    editor.fill(strict)
    editor.press("Control+End")
    editor.press_sequentially("# h j k 1 <img src=x onerror=alert(1)>")
    expect(page.locator(".state")).to_have_text("No mistakes")
    expect(page.locator(".wb-problems")).to_have_count(0)
    for part in ("Resulting text", "Effect of other thresholds", "Affected runs"):
        page.get_by_text(part).click()
    expect(page.locator(".wb-removed").first).to_have_text("[removed: source not confirmed]")
    expect(page.locator(".wb-outcomes li", has_text="redacted")).not_to_contain_text(NONE_REDACTED)
    expect(page.get_by_text("this policy")).to_be_visible()

    name = page.get_by_label("Name", exact=True)
    name.fill("ours")
    name.press("Tab")
    desk.settle()
    desk.click(page.get_by_role("button", name="Save", exact=True))
    expect(page.get_by_text("--policy ours")).to_be_visible()
    policy_file = desk.site.store.path.parent / "policies" / "ours.yaml"
    assert policy_file.read_text("utf-8") == strict + "# h j k 1 <img src=x onerror=alert(1)>"
    policy_file.unlink()

    link = page.locator(".wrap a", has_text="Heat pumps").first
    desk.click(link)
    desk.ready()
    assert desk.run_id == desk.demo("Heat pumps").id


def test_form_and_yaml_show_one_policy(desk):
    page = desk.page
    desk.open("policy?policy-span=all")
    page.get_by_text("Edit the policy").click()
    editor = page.locator(".editor textarea")
    research = (BUILTIN_POLICIES / "research.yaml").read_text("utf-8")
    expect(editor).to_have_value(research)

    desk.click(page.get_by_text("Require source match"))
    edited = research.replace("require_source_match: false", "require_source_match: true")
    expect(editor).to_have_value(edited)
    confidence = page.get_by_label("Minimum confidence", exact=True)
    desk.settle()
    confidence.fill("0.85")
    confidence.press("Enter")
    edited = edited.replace("min_confidence: 0.7", "min_confidence: 0.85")
    expect(editor).to_have_value(edited)

    # typed in the YAML, it stands in the form; a mistake disables the form and stays in the YAML
    desk.settle()
    editor.fill(edited.replace("min_confidence: 0.85", "min_confidence: 0.9"))
    expect(confidence).to_have_value("0.9")
    invalid_policy = edited.replace("min_confidence: 0.85", "min_confidence: 9")
    editor.fill(invalid_policy)
    expect(page.get_by_text(FORM_DISABLED)).to_be_visible()
    expect(confidence).to_be_disabled()
    expect(editor).to_have_value(invalid_policy)

    # what was typed last is not lost where the form is used at once
    editor.fill(edited + "# typed last")
    expect(confidence).to_be_enabled()
    editor.press("Control+End")
    editor.press_sequentially(" of all")
    page.get_by_text("Require citations").click()
    expected = edited.replace("require_sources: true", "require_sources: false")
    expect(editor).to_have_value(expected + "# typed last of all")
