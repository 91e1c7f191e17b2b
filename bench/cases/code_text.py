"""Source text as lines, a mask without strings and comments, and matched brackets.

Everything here is a small reading of its own, made for cases: what it cannot read with certainty it leaves out.
"""

import bisect
import re

FILL = "\x00"
"""Stands for every character inside a string in a mask."""

_LINE_COMMENT = r"(?P<comment>//[^\n]*|/\*.*?\*/)"
_TEXT = r'(?P<text>"(?:\\.|[^"\\\n])*"'
_REGEX = r"(?P<lead>[=(,:;!&|?{}\[]|\breturn|=>)\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[dgimsuvy]*"
_SCANNERS = {
    "rs": _LINE_COMMENT + r'|(?P<text>\bb?r(?P<hash>#*)".*?"(?P=hash)|b?"(?:\\.|[^"\\])*"'
    + r"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])')",
    "go": _LINE_COMMENT + "|" + _TEXT + r"|`[^`]*`|'(?:\\.|[^'\\\n])+')",
    "java": _LINE_COMMENT + r'|(?P<text>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+')",
    "c": _LINE_COMMENT + "|" + _TEXT + r"|'(?:\\.|[^'\\\n])+')",
    "ts": _LINE_COMMENT + "|" + _TEXT + r"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|" + _REGEX,
}
_SCANNERS = {language: re.compile(scanner, re.S) for language, scanner in _SCANNERS.items()}
_PAIRS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(r"\w+|[^\w\s]")


class UnreadableCode(Exception):
    """The brackets of a file do not match: nothing is said about it."""


class CodeText:
    """A file in a language with brackets."""

    def __init__(self, language, text):
        self.language = language
        self.text = text
        self.breaks = [at for at, char in enumerate(text) if char == "\n"]
        self.lines = text.split("\n")
        self.mask, self.bare = self._mask_text()
        self.mask_lines = self.mask.split("\n")
        self.closes = self._match_brackets()
        self._link_braces()

    def _mask_text(self):
        """The text with strings filled and comments blanked, and the text with only the comments blanked."""
        mask, bare, end = [], [], 0
        for found in _SCANNERS[self.language].finditer(self.text):
            whole = found.group()
            mask.append(self.text[end : found.start()])
            bare.append(self.text[end : found.start()])
            if found.group("comment") is not None:
                blank = re.sub(r"[^\n]", " ", whole)
                mask.append(blank)
                bare.append(blank)
            elif found.group("text") is not None:
                quote = '"' if self.language != "rs" or whole[-1] != "'" else "'"
                inside = re.sub(r"[^\n]", FILL, whole[1:-1])
                mask.append(quote + inside + quote)
                bare.append(whole)
            else:
                lead = found.group("lead")
                mask.append(lead + re.sub(r"[^\n]", FILL, whole[len(lead) :]))
                bare.append(whole)
            end = found.end()
        mask.append(self.text[end:])
        bare.append(self.text[end:])
        return "".join(mask), "".join(bare)

    def _match_brackets(self):
        stack, closes = [], {}
        for found in re.finditer(r"[()\[\]{}]", self.mask):
            char, at = found.group(), found.start()
            if char in "([{":
                stack.append((char, at))
            elif not stack or stack[-1][0] != _PAIRS[char]:
                raise UnreadableCode
            else:
                closes[stack.pop()[1]] = at
        if stack:
            raise UnreadableCode
        return closes

    def line_at(self, at):
        """The number of the line, from 1, that a position is in."""
        return bisect.bisect_left(self.breaks, at) + 1

    def start_of_line(self, at):
        return self.text.rfind("\n", 0, at) + 1

    def enclosing_braces(self, at):
        """The braces around a position, as spans, the innermost first."""
        found = []
        index = bisect.bisect_left(self._brace_opens, at) - 1
        while index >= 0:
            start = self._brace_opens[index]
            if self.closes[start] > at:
                found.append((start, self.closes[start]))
            index = self._brace_parents[index]
        return found

    def _link_braces(self):
        self._brace_opens = sorted(at for at in self.closes if self.mask[at] == "{")
        self._brace_parents, stack = [], []
        for index, start in enumerate(self._brace_opens):
            while stack and self.closes[self._brace_opens[stack[-1]]] < start:
                stack.pop()
            self._brace_parents.append(stack[-1] if stack else -1)
            stack.append(index)

    def skip_angles(self, at):
        """The position behind the type arguments that open at a position; the position itself where none do."""
        if at >= len(self.mask) or self.mask[at] != "<":
            return at
        depth = 0
        for end in range(at, min(len(self.mask), at + 2000)):
            char = self.mask[end]
            if char == "<":
                depth += 1
            elif char == ">" and self.mask[end - 1] not in "-=":
                depth -= 1
                if depth == 0:
                    return end + 1
            elif char in ";{":
                break
        raise UnreadableCode

    def split_list(self, start, end):
        """The elements between two positions, as spans: what stands between the commas of this level."""
        spans, depth, first = [], 0, start
        for at in range(start, end):
            char = self.mask[at]
            if char in "([{" or char == "<" and self.language in ("rs", "java", "ts"):
                depth += 1
            elif char in ")]}" or char == ">" and self.language in ("rs", "java", "ts") and self.mask[at - 1] not in "-=":
                depth -= 1
            elif char == "," and depth == 0:
                spans.append((first, at))
                first = at + 1
        spans.append((first, end))
        return [span for span in spans if self.mask[slice(*span)].strip()]

    def read_comment_above(self, line):
        """The lines of the comment right above a line, attributes between them left out; bare of comment marks."""
        row = line - 2
        while row >= 0 and re.match(r"\s*(#\[|@\w)", self.lines[row]):
            row -= 1
        found = []
        while row >= 0 and self.lines[row].strip() and not self.mask_lines[row].strip():
            found.insert(0, self.lines[row].strip())
            row -= 1
        return found

    def list_tokens(self, first, last):
        """The tokens of lines, without comments."""
        return _TOKEN.findall("\n".join(self.bare.split("\n")[first - 1 : last]))


def squeeze(text):
    """A text with every run of spaces as one."""
    return " ".join(text.split())
