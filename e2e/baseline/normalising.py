"""Replaces what truly varies from run to run. Handles, times, hashes and wording stay as they are."""

import json
import re

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")

PATTERNS = [
    # Free ports have five digits; the usual one, which has four, stays.
    (re.compile(r"(127\.0\.0\.1:|localhost:|\bport )\d{5}\b"), r"\1<port>"),
    (re.compile(r'(name="seal" value=")[0-9a-f]{64}'), r"\1<seal>"),
    (re.compile(r'("micros": ?)\d+'), r"\1<n>"),
    (re.compile(r'("ms": ?)[\d.]+'), r"\1<n>"),
    (re.compile(r"\bslowest \d+ ms\b"), "slowest <n> ms"),
    (re.compile(r'("sum": ?)"[0-9a-f]{16}"'), r'\1"<sum>"'),
    (re.compile(r"\bSQLite \d+\.\d+\.\d+"), "SQLite <version>"),
]


def number_ids(text, kept=()):
    """Every id becomes `<id-N>`, numbered by where it first appears; ids in `kept` are the corpus's own."""
    seen = {}

    def replace(match):
        found = match.group(0)
        return found if found in kept else seen.setdefault(found, f"<id-{len(seen) + 1}>")

    return UUID.sub(replace, text)


def replace_varying(text, secrets, kept_ids=(), keeps_ids=False):
    """The text as it is compared. `secrets` are exact values with their placeholders, the longest first."""
    for value, placeholder in sorted(secrets.items(), key=lambda it: -len(it[0])):
        text = text.replace(value, placeholder)
    for pattern, replacement in PATTERNS:
        text = pattern.sub(replacement, text)
    return text if keeps_ids else number_ids(text, kept_ids)


def show_json(value, sorts=False):
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=sorts)


def show_text(text):
    """A text as it is stored: JSON is laid out line by line, and how it was laid out before is said."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return "text", text
    try:
        value = json.loads(stripped)
    except ValueError:
        return show_json_lines(text)
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    layout = {compact + "\n": "JSON, one line", compact: "JSON, one line that has no end"}.get(text, "JSON, laid out")
    return layout, show_json(value) + "\n"


def show_json_lines(text):
    try:
        values = [json.loads(line) for line in text.splitlines() if line]
    except ValueError:
        return "text", text
    return "JSON lines", "".join(show_json(it) + "\n" for it in values)
