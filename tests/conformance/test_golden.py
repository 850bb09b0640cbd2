"""Every record and cell of the golden files: passed, overruled, pending or failed, and failed is 0.

The totals of each file are printed in the terminal summary.  `records.py` says how a cell is judged; which cells wait for a
later step stands in tests/data/pending_steps.json.
"""

import pytest

from conformance import cells_device, cells_dtypes, cells_layout, cells_overlap, cells_promotion, cells_text, records

SOURCES = {
    "dtypes.json": cells_dtypes, "promotion.json": cells_promotion, "memory_format.json": cells_layout,
    "device.json": cells_device, "repr.json": cells_text, "views_indexing.json": cells_layout,
    "layout_overlap.json": cells_overlap, "extra.json": cells_text, "field_cases.json": cells_text,
}
REPORTS = {}


@pytest.mark.parametrize("name", SOURCES)
def test_golden(name):
    if records.IS_TORCH and name == "extra.json":
        pytest.skip("its records follow the decisions, where torch differs")
    book, rules, report = records.Book(name), records.Rules(), records.Report(name)
    seen = set()
    for cell in SOURCES[name].cells(book):
        assert cell.pointer not in seen, f"two cells for {cell.pointer}"
        seen.add(cell.pointer)
        report.add(book, cell, rules)
    REPORTS[name] = report
    assert not report.failures, report.explain()
    untested = set(book.overruled) - book.used
    assert not untested, f"no cell tests the overruled {sorted(untested)[:10]}"
    absent = {p for p in book.pending if p not in seen and not any(s.startswith(p + "/") for s in seen)}
    assert not absent, f"pending.json names what no cell tests: {sorted(absent)[:10]}"


def test_rules_are_needed():
    """A rule of pending_steps.json that no cell needs has outlived its operation."""
    if records.IS_TORCH or not set(REPORTS) >= set(SOURCES):
        pytest.skip("needs the reports of every golden file")
    hits = sum((report.rule_hits for report in REPORTS.values()), start=records.collections.Counter())
    idle = records.Rules().needed() - set(hits)
    assert not idle, f"rules and operations that match nothing: {sorted(idle)}"


def test_the_dotnet_cases_wait_for_spans():
    """dotnet_overlap.json is golden for tensorlib.spans (step 4); until that exists its 87 cases are pending."""
    cases = records.load("dotnet_overlap.json")["cases"]
    assert len(cases) == 87
    if not records.IS_TORCH:
        assert not hasattr(records.lib, "spans"), "tensorlib.spans exists: replay the cases here"
    report = records.Report("dotnet_overlap.json")
    report.counts["pending"], report.steps["step 4"] = len(cases), len(cases)
    REPORTS[report.name] = report
