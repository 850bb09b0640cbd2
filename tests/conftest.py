"""Totals of the conformance suites in the terminal summary."""


def pytest_terminal_summary(terminalreporter):
    import sys

    def loaded(name, attribute):       # pytest and the tests themselves may know the module under different names
        return next((m for n, m in sys.modules.items() if n.endswith(f"conformance.{name}") and hasattr(m, attribute)), None)
    golden, seeds = loaded("test_golden", "REPORTS"), loaded("test_seeds", "COUNTS")
    lines = []
    for report in golden.REPORTS.values() if golden else ():
        c = report.counts
        waits = ", ".join(f"{n} {step}" for step, n in sorted(report.steps.items()))
        lines.append(f"{report.name:22} passed {c['passed']:6}  overruled {c['overruled']:5}  pending {c['pending']:5}  "
                     f"failed {c['failed']:4}" + f"   pending by: {waits}" * bool(waits))
    if seeds and seeds.COUNTS:
        c = seeds.COUNTS
        waits = ", ".join(f"{n} {what}" for what, n in sorted(c["steps"].items()))
        lines.append(f"{'founding documents':22} passed {c['passed']:6}  pending {c['pending']:5}   pending by: {waits}")
    if lines:
        terminalreporter.section("conformance")
        for line in lines:
            terminalreporter.write_line(line)
