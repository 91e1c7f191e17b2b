"""The official conformance suite, at both revisions of the protocol that clients speak.

`conformance.py plain` takes the program as it is, `conformance.py fixtures` the build with the suite's own tools.
What has to pass stands in scenarios.txt.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from world import BIN, ERAS, FIXTURES, ROOT, World

HERE = pathlib.Path(__file__).resolve().parent
SUITE = ROOT / "target/e2e/node_modules/@modelcontextprotocol/conformance/dist/index.js"


def expectations(build):
    """What the list says of this build: scenario -> whether it has to pass, and scenario -> checks that may fail."""
    must, may = {}, {}
    column = {"plain": 1, "fixtures": 2}[build]
    for number, line in enumerate((HERE / "scenarios.txt").read_text().splitlines(), 1):
        said, _, why = line.partition("#")
        words = said.split()
        if not words:
            continue
        if words[0] == "except":
            if words[1] == build:
                may[scenario].add(words[2])
            continue
        scenario = words[0]
        if len(words) != 3 or not set(words[1:]) <= {"yes", "-"} or ("-" in words and not why.strip()):
            sys.exit(f"scenarios.txt:{number}: a scenario, two columns of yes or -, and a reason for each -")
        must[scenario], may[scenario] = words[column] == "yes", set()
    return must, may


def run_suite(url, era, folder):
    command = ["node", str(SUITE), "server", "--url", url, "--requirements", era, "-o", str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    results = {}
    for file in sorted(pathlib.Path(folder).glob("server-*/checks.json")):
        name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", file.parent.name)
        results[name] = json.loads(file.read_text())
    if len(results) < 30:
        sys.exit(f"the suite ran only {len(results)} scenarios:\n{done.stdout[-3000:]}")
    return results


def complaints(results, must, may, era):
    """Everything that is not as the list says."""
    for name, checks in results.items():
        if name not in must:
            yield f"{era} {name}: the suite has it, and scenarios.txt does not"
        elif must[name]:
            bad = [it for it in checks if it["status"] in ("FAILURE", "WARNING")]
            excused = may[name]
            yield from (f"{era} {name}: {it['id']}: {it.get('errorMessage')}" for it in bad if it["id"] not in excused)
            stale = excused - {it["id"] for it in bad}
            yield from (f"{era} {name}: {it} passes, and scenarios.txt excuses it" for it in sorted(stale))


def main(build):
    must, may = expectations(build)
    wrong, seen = [], set()
    with World(BIN if build == "plain" else FIXTURES) as world, tempfile.TemporaryDirectory() as folder:
        url = world.serve()
        for era in ERAS:
            results = run_suite(url, era, f"{folder}/{era}")
            seen |= set(results)
            wrong += complaints(results, must, may, era)
            ours = {name: checks for name, checks in results.items() if must.get(name)}
            passed = sum(it["status"] == "SUCCESS" for checks in ours.values() for it in checks)
            print(f"   {era}: {len(ours)} scenarios, {passed} checks passed")
    wrong += [f"{it}: scenarios.txt wants it, and the suite did not run it" for it in must if must[it] and it not in seen]
    for it in wrong:
        print(f"   {it}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
