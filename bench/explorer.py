"""Measures the explorer of the built site in Chromium, free and at four times CPU throttling, and holds it against its goals.

    python bench/explorer.py [--site FOLDER] [--runs NUMBER]

First paint is the browser's first contentful paint; the time of a filter runs from the key to the frame that shows its rows. Medians of all
runs, the slowest filter of each. The exit status is 1 where a goal is missed, 2 where there is nothing to measure.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import statistics
import sys
import threading
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "site"))

from chromium import ARGUMENTS, CHROMIUM  # noqa: E402

PAGE = "13-model-compatibility/"
GOALS = {(1, "first paint"): 1500, (1, "filter"): 100, (4, "filter"): 400}
"""Milliseconds at most, by throttling and what is measured; without a goal a figure stands for itself."""
FILTERS = {"model": "gemma", "family": "qwen", "verdict": "only-with", "grade": "contested", "size": "30", "fits": "24"}
"""What is typed or chosen, one after the other and each from the whole table."""
FILTERED = """async ([name, value]) => {
  const field = document.getElementById('ex-filters').elements.namedItem(name);
  const set = async (text) => {
    const start = performance.now();
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => { // the message comes after the frame is painted
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(0);
    }));
    return performance.now() - start;
  };
  const whole = document.querySelectorAll('#ex-table tbody tr').length;
  const taken = await set(value);
  if (!whole || field.value !== value) throw new Error(`${name} cannot be ${value}`);
  await set('');
  return taken;
}"""
PATIENCE = 300_000
"""Milliseconds after which a visit is given up."""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def serve(folder: Path) -> http.server.ThreadingHTTPServer:
    """A running server of a folder on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def visit(browser: Browser, address: str, throttling: int) -> dict[str, float]:
    """Milliseconds of one visit with nothing cached: first paint, until filters work, and the slowest filter."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": throttling})
    page.goto(address)
    page.wait_for_function("document.documentElement.dataset.explorer === 'ready'")
    ready = page.evaluate("performance.now()")
    taken = {name: page.evaluate(FILTERED, [name, value]) for name, value in FILTERS.items()}
    found = {"first paint": page.evaluate(PAINTED), "filters work after": ready, "filter": max(taken.values())}
    context.close()
    return found


def measured(site: Path, runs: int) -> dict[tuple[int, str], float]:
    """Medians in milliseconds, by throttling and what is measured."""
    server = serve(site)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        visits = {rate: [visit(browser, f"http://127.0.0.1:{server.server_port}/{PAGE}", rate) for _ in range(runs)] for rate in (1, 4)}
        browser.close()
    server.shutdown()
    return {(rate, name): statistics.median(found[name] for found in those) for rate, those in visits.items() for name in those[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="the built site (make site)")
    parser.add_argument("--runs", type=int, default=5, help="visits of each kind")
    options = parser.parse_args()
    if CHROMIUM is None or not (options.site / PAGE / "index.html").is_file() or options.runs < 1:
        print(f"This needs Debian's chromium, the built site in {options.site} (make site) and at least one run.", file=sys.stderr)
        return 2
    found = measured(options.site, options.runs)
    table = Table("CPU", "what", "milliseconds", "goal", "")
    for (rate, name), value in found.items():
        goal = GOALS.get((rate, name))
        table.add_row(
            "free" if rate == 1 else f"1/{rate}", name, f"{value:,.0f}", f"{goal:,}" if goal else "", "" if not goal else "met" if value <= goal else "missed"
        )
    Console().print(table)
    return int(any(found[key] > goal for key, goal in GOALS.items()))


if __name__ == "__main__":
    sys.exit(main())
