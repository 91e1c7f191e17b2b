"""Reads facts out of source files: what a file says, under a name that can be looked up in another version of it.

Languages with brackets are read by expressions over a mask (`code_text`), Python by its own `ast`, settings line by line.
"""

import ast
import dataclasses
import re

from code_text import FILL, CodeText, UnreadableCode, squeeze

LANGUAGES = {
    "py": "py", "rs": "rs", "go": "go", "java": "java", "c": "c", "h": "c",
    "ts": "ts", "tsx": "ts", "mts": "ts", "js": "ts", "mjs": "ts", "cjs": "ts", "jsx": "ts",
    "toml": "toml", "json": "json", "yml": "yml", "yaml": "yml", "conf": "conf", "xml": "xml",
}  # fmt: skip
_JOINTS = {"rs": "::", "go": ".", "java": ".", "c": "::", "ts": ".", "py": "."}
MAX_ITEM = 60
"""The longest function or type that is cited whole, in lines."""


@dataclasses.dataclass
class CodeFact:
    """Something that a file says."""

    kind: str
    key: tuple
    """What it is about, the same in every version."""
    value: str
    """What is said about it."""
    claim: tuple
    """The lines that say it."""
    item: tuple | None
    """The lines of the function or type around it."""
    names: tuple
    """What must not occur anywhere in a tree in which it is gone."""
    slots: dict
    loose: str = ""
    """The value without what is only another way to write it."""
    needs: tuple = ()
    """Other lines without which the claim is not said."""


@dataclasses.dataclass
class DocumentedItem:
    """A function or type with the comment that explains it."""

    key: tuple
    name: str
    sentence: str
    comment: str
    spans: list
    tokens: list
    code_kind: str


@dataclasses.dataclass
class ReadFile:
    facts: list
    documented: list


def read_file(path, text):
    """What a file says; nothing where it cannot be read."""
    language = LANGUAGES.get(path.rsplit(".", 1)[-1].lower())
    readers = {"py": read_python, "toml": read_toml, "json": read_json, "yml": read_yaml, "conf": read_conf, "xml": read_xml}
    try:
        if language in readers:
            return readers[language](path, text)
        return BracketReader(path, CodeText(language, text)).read()
    except (UnreadableCode, SyntaxError, ValueError, RecursionError):
        return ReadFile([], [])


# Values ---------------------------------------------------------------------------------------------------------------

_LITERAL = re.compile(
    r"""-?\d[\w.]*$|'[^'\\\n]{1,60}'$|"[^"\\\n]{1,60}"$|true$|false$|True$|False$|nil$|null$|None$"""
    r"""|[\d_\s*+()<uULl-]{1,30}$|(?:time\.)?Duration::from_\w+\(\d[\d_]*\)$|\d+\s*\*\s*time\.\w+$"""
)


def is_literal(text):
    return bool(_LITERAL.match(text)) and re.search(r"[\w]", text) is not None and len(text) <= 62


def loosen_value(text):
    """A value without what is only another way to write it: quotes, underscores, arithmetic."""
    text = text.strip()
    if text[:1] in "'\"`" and text[-1:] == text[:1]:
        return text[1:-1]
    plain = re.sub(r"(?<=\d)_(?=\d)", "", text)
    plain = re.sub(r"(?<=[\dA-Fa-f])(?:[uUlL]+|[ui](?:8|16|32|64|size))\b", "", plain).replace(" ", "")
    if re.fullmatch(r"[\d*+()<-]+", plain):
        try:
            return str(eval(plain, {"__builtins__": {}}))  # only digits and signs
        except (SyntaxError, TypeError, ValueError, OverflowError):
            return plain
    return plain.strip("()")


def loosen_type(text):
    """A type without module prefixes, lifetimes and other spellings of one thing."""
    text = re.sub(r"\b\w+(?:::|\.)(?=\w)", "", squeeze(text)).replace("interface{}", "any")
    text = re.sub(r"'\w+\s*,?\s*|<>|['\"]", "", text)
    text = re.sub(r"\b(List|Dict|Tuple|Set|Type)\b", lambda it: it.group().lower(), text)
    for _ in range(4):
        text = re.sub(r"\bOptional\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", r"\1|None", text)
        text = re.sub(r"\bUnion\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", lambda it: it.group(1).replace(",", "|"), text)
    return "|".join(sorted(re.sub(r"\s+|<>", "", text).split("|")))


def loosen_names(names):
    """Names without their order, and without the underscore of what is not used."""
    return ",".join(sorted(name.lstrip("_") for name in names))


def value_slots(value):
    """A value as it is written in a fact, with and without its quotes."""
    bare = value[1:-1] if value[:1] in "'\"`" else value
    return {"value": f'"{bare}"' if value[:1] in "'\"`" else value, "bare": bare, "bare_code": value}


# Sentences ------------------------------------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(.+?[.!])(?=\s+[A-Z`\[{<\"(]|\s*$)")
_NOT_A_FACT = re.compile(
    r"\b(TODO|FIXME|XXX|HACK|Copyright|License|SPDX|deprecated|nolint|eslint|prettier|ts-ignore|noqa|clippy)\b|^(See|Note|NOTE|Example|Usage|Tests?)\b"
    r"|https?://|::$|[:?]$",
    re.I,
)


def first_sentence(lines):
    """The first sentence of a comment and the whole comment, both on one line."""
    paragraph = []
    for line in lines:
        if not line or re.match(r"@\w|#+ |```|[-*+] |\d+[.)] |:\w+|>>>|=+$|-+$|\.\. |<p>|Args:|Returns:", line):
            break
        paragraph.append(line)
    text = squeeze(" ".join(paragraph))
    found = _SENTENCE.match(text.replace("e.g.", "e·g·").replace("i.e.", "i·e·"))
    sentence = found.group(1).replace("·", ".") if found else ""
    words = re.findall(r"[A-Za-z]{2,}", sentence)
    is_usable = 30 <= len(sentence) <= 250 and len(words) >= 5 and not _NOT_A_FACT.search(sentence)
    return (sentence if is_usable else ""), squeeze(" ".join(lines))


def strip_comment_marks(lines):
    bare = [re.sub(r"^\s*(?:/\*+!?|\*+/|///?!?|\*(?!\*)|#)\s?", "", line) for line in lines]
    return [re.sub(r"\s*\*+/\s*$", "", line).strip() for line in bare]


def tidy_markup(sentence):
    """A sentence as a person would write it down: without roles and link tags."""
    sentence = re.sub(r":[\w:-]+:`~?([^`<]+?)(?:\s*<[^`>]*>)?`", r"`\1`", sentence)
    sentence = re.sub(r"\{@\w+\s+#?([^}]*)\}", r"`\1`", sentence)
    return re.sub(r"\[(`[^`\]]+`)\]", r"\1", sentence.replace("``", "`"))


# Languages with brackets ----------------------------------------------------------------------------------------------

_SCOPES = {
    "rs": r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?P<word>impl|trait|mod)\b(?P<head>[^{;]*)\{",
    "java": r"\b(?P<word>class|interface|enum|record)\s+(?P<head>\w+)[^{;()]*(?:\([^)]*\)[^{;()]*)?\{",
    "ts": r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?P<word>class|namespace|interface)\s+(?P<head>[\w$]+)[^{;]*\{",
}
_FUNCTIONS = {
    "rs": r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+|const\s+|async\s+|unsafe\s+|extern\s+\"\x00*\"\s+)*fn\s+(?P<name>\w+)\s*",
    "go": r"^func\s*(?:\((?P<owner>[^)]*)\)\s*)?(?P<name>\w+)\s*",
    "java": r"^[ \t]+(?:@\w+[ \t]+)*(?:(?:public|protected|private|static|final|abstract|synchronized|native|default)\s+)*(?:<[^>{;]+>\s+)?"
    r"(?P<type>(?!(?:return|new|throw|else|case|yield|public|protected|private|static|final|abstract)\b)[\w.]+(?:<[\w.<>\[\], ?&]+>)?(?:\[\])*)\s+(?P<name>\w+)\s*(?=\()",
    "ts": r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*(?P<name>[\w$]+)\s*"
    r"|^[ \t]*(?:export\s+)?const\s+(?P<arrow>[\w$]+)\s*=\s*(?:async\s+)?(?=[(<])"
    r"|^[ \t]+(?:(?:public|private|protected|static|override|readonly|async)\s+)*(?P<method>(?!if\b|for\b|while\b|switch\b|catch\b|function\b|return\b|constructor\b)[\w$#]+)\s*(?=[(<])",
    "c": r"^(?P<type>(?!else\b|return\b|typedef\b|#)[A-Za-z_][\w \t*]*?[\s*])(?P<name>\w+)\s*(?=\()",
}
_TYPES = {
    "rs": r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?P<word>struct|enum|trait)\s+(?P<name>\w+)[^{;(]*\{",
    "go": r"^type\s+(?P<name>\w+)\s+(?P<word>struct|interface)\s*\{",
    "java": r"^[ \t]*(?:(?:public|protected|private|static|final|abstract)\s+)*(?P<word>class|interface|enum)\s+(?P<name>\w+)[^{;()]*\{",
    "ts": r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:const\s+)?(?:abstract\s+)?(?P<word>class|interface|enum)\s+(?P<name>[\w$]+)[^{;]*\{",
    "c": r"^(?:typedef\s+)?(?P<word>enum|struct)\s+(?P<name>\w+)\s*\{",
}
_CONSTANTS = {
    "rs": r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+(?P<name>[A-Z]\w+)\s*:[^=;{]*=\s*(?P<value>[^;{]+);",
    "java": r"^[ \t]+(?:(?:public|protected|private)\s+)?(?:static\s+final|final\s+static)\s+[\w<>\[\]., ]+?\s(?P<name>\w+)\s*=\s*(?P<value>[^;{]+);",
    "ts": r"^(?:export\s+)?const\s+(?P<name>[\w$]+)(?::\s*[\w.<>| ]+)?\s*=\s*(?P<value>[^;\n{(\[]+?);?[ \t]*$",
    "c": r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P<value>[^\n\\]+?)[ \t]*$",
    "go": r"^(?:const|var)\s+(?P<name>\w+)(?:\s+[\w.]+)?\s*=\s*(?P<value>[^\n{(]+?)[ \t]*$",
}
_ERRORS = {
    "rs": r"\b(?:bail!|anyhow!|ensure!|eyre!|Err|\.context|\.wrap_err|Error::new|Error::msg)\s*\(\s*(?=\")|#\[error\(\s*(?=\")",
    "go": r"\b(?:errors\.New|fmt\.Errorf|errors\.Errorf|errors\.Wrapf?)\s*\(\s*(?=\")",
    "java": r"\bthrow\s+new\s+\w+\s*\(\s*(?=\")",
    "ts": r"\bthrow\s+new\s+\w*Error\s*\(\s*(?=\")",
    "c": r"\b(?:addReplyError|addReplyErrorFormat|addReplyErrorSds)\s*\(\s*\w+\s*,\s*(?=\")|\*err\s*=\s*(?=\")",
}
_MODIFIERS = re.compile(r"\b(static|inline|extern|register|unsigned(?=\s+\w+\s*\*?$)|const(?=$))\s*")


@dataclasses.dataclass
class FunctionShape:
    """A function as it was found in a mask."""

    name: str
    qualified: str
    key: str
    start: int
    params: list | None
    spans: list
    returns: str | None
    header_end: int
    body: tuple | None


class BracketReader:
    """Reads one file of a language with brackets."""

    def __init__(self, path, code):
        self.path, self.code = path, code
        self.language = code.language
        self.scopes = self._find_scopes()
        self.blocked = self._find_blocked()

    def read(self):
        facts, documented = [], []
        functions = [it for it in self._find_functions() if not self._is_blocked(it.start)]
        self.functions = functions
        for function in functions:
            facts += self._describe_function(function)
        facts += self._describe_constants()
        facts += self._describe_enums()
        facts += self._describe_errors()
        facts += self._describe_flags()
        facts += self._describe_field_defaults()
        documented += [it for it in map(self._document_function, functions) if it]
        documented += [it for it in self._document_types() if it]
        return ReadFile(facts, documented)

    # Where things are

    def _find_scopes(self):
        pattern = _SCOPES.get(self.language)
        scopes = []
        for found in re.finditer(pattern, self.code.mask, re.M) if pattern else ():
            head = found.group("head")
            name, key = head, head
            if self.language == "rs" and found.group("word") == "impl":
                name, key = self._name_impl(head)
            start = found.end() - 1
            name, key = name.strip().split("<")[0].split(":")[0].strip(), squeeze(key)
            scopes.append((start, self.code.closes[start], name, key if self.language == "rs" else name, found.group("word")))
        return scopes

    @staticmethod
    def _name_impl(head):
        """The type of an `impl`, and the same with its trait."""
        head = squeeze(head.split(" where ")[0])
        while head.startswith("<"):
            depth = 0
            for at, char in enumerate(head):
                depth += (char == "<") - (char == ">" and head[at - 1] != "-")
                if depth == 0:
                    break
            head = head[at + 1 :].strip()
        trait, _, owner = head.rpartition(" for ")
        owner = owner.strip().lstrip("&").removeprefix("mut ")
        owner = owner.split("<")[0].rsplit("::", 1)[-1].strip()
        return owner, f"{owner} as {trait}" if trait else owner

    def _find_blocked(self):
        """Spans of which nothing is said: macros, and modules of tests."""
        if self.language != "rs":
            return []
        blocked = [(s, e) for s, e, name, _, word in self.scopes if word == "mod" and "test" in name]
        for found in re.finditer(r"\bmacro_rules!\s*\w+\s*[{(]", self.code.mask):
            blocked.append((found.end() - 1, self.code.closes[found.end() - 1]))
        return blocked

    def _is_blocked(self, at):
        return any(start < at < end for start, end in self.blocked)

    def _owners(self, at):
        """The names around a position, outermost first: as they are said, and as a key."""
        around = sorted(it for it in self.scopes if it[0] < at < it[1] and it[4] != "mod")
        return [it[2] for it in around], [it[3] for it in around]

    def _lines(self, start, end):
        return self.code.line_at(start), self.code.line_at(end)

    def _qualify(self, at, name, owner=None):
        names, keys = self._owners(at)
        names, keys = (names + [owner], keys + [owner]) if owner else (names, keys)
        joint = _JOINTS[self.language]
        return joint.join(names[-1:] + [name]), joint.join(keys + [name])

    # Functions

    def _find_functions(self):
        for found in re.finditer(_FUNCTIONS[self.language], self.code.mask, re.M):
            try:
                shape = self._shape_function(found)
            except (UnreadableCode, KeyError):
                continue
            if shape:
                yield shape

    def _shape_function(self, found):
        code, groups = self.code, found.groupdict()
        name = groups.get("name") or groups.get("arrow") or groups.get("method")
        at = found.end()
        if self.language == "go" and code.mask[at : at + 1] == "[":
            at = code.closes[at] + 1
        at = code.skip_angles(at)
        if code.mask[at : at + 1] != "(":
            return None
        close = code.closes[at]
        tail = self._read_tail(close + 1, groups)
        if tail is None:
            return None
        returns, header_end, body = tail
        if not self._stands_right(found, groups):
            return None
        owner = None
        if groups.get("owner"):
            owner = re.sub(r"\[.*", "", groups["owner"].split()[-1].lstrip("*"))
        start = found.start() + len(found.group()) - len(found.group().lstrip())
        qualified, key = self._qualify(start, name, owner)
        spans = code.split_list(at + 1, close)
        params = self._name_params(spans)
        if groups.get("type"):
            returns = squeeze(_MODIFIERS.sub("", code.text[found.start("type") : found.end("type")].strip()))
        return FunctionShape(name, qualified, key, start, params, spans, returns, header_end, body)

    def _stands_right(self, found, groups):
        """Whether what looks like a function stands where one can be defined."""
        around = self.code.enclosing_braces(found.end())
        own = {it[0] for it in self.scopes}
        if groups.get("method") or self.language == "java":
            return bool(around) and around[0][0] in own
        return True

    def _read_tail(self, at, groups):
        """What a function returns, where its header ends, and its body; `None` if this is no function."""
        code, mask, start = self.code, self.code.mask, at
        if groups.get("arrow"):
            return self._read_arrow_tail(at)
        while at < len(mask):
            char = mask[at]
            if char in "([":
                at = code.closes[at]
            elif char == "{" and mask[at - 1] in "e}" and re.search(r"\b(interface|struct)$", mask[max(0, at - 12) : at]):
                at = code.closes[at]
            elif char == "{" and self.language == "ts" and re.search(r"[:|&<,]\s*$", mask[start:at]):
                at = code.closes[at]
            elif char == "{":
                return self._cut_returns(start, at), at, (at, code.closes[at])
            elif char == ";":
                is_declared = self.language in ("rs", "java")
                return (self._cut_returns(start, at), at, None) if is_declared else None
            elif char in ")]}" or char == "=" and mask[at + 1 : at + 2] != ">" and self.language != "rs":
                return None
            elif char == "\n" and self.language == "go" and mask[start:at].strip():
                return None
            at += 1
        return None

    def _read_arrow_tail(self, at):
        code, mask = self.code, self.code.mask
        arrow = re.compile(r"(?P<returns>\s*:[^={};]*?)?\s*=>\s*").match(mask, at)
        if not arrow:
            return None
        returns = squeeze(code.text[slice(*arrow.span("returns"))]).lstrip(": ") if arrow.group("returns") else None
        if mask[arrow.end() : arrow.end() + 1] != "{":
            return None
        return returns, arrow.end(), (arrow.end(), code.closes[arrow.end()])

    def _cut_returns(self, start, end):
        text = squeeze(self.code.bare[start:end])
        if self.language == "rs":
            text = re.split(r"\bwhere\b", text)[0].strip()
            return text[2:].strip() if text.startswith("->") else None
        if self.language == "ts":
            return text[1:].strip() if text.startswith(":") else None
        if self.language == "go":
            return self._drop_result_names(text) or None
        return None

    @staticmethod
    def _drop_result_names(text):
        """`(n int, err error)` as `(int, error)`, and one result without its parentheses."""
        inside = re.fullmatch(r"\(([^()]*)\)", text)
        if not inside:
            return text
        parts = [part.strip() for part in inside.group(1).split(",")]
        if not all(re.fullmatch(r"\w+ [^ ]+", part) for part in parts):
            return text if len(parts) > 1 else parts[0]
        types = [part.split(" ", 1)[1] for part in parts]
        return types[0] if len(types) == 1 else f"({', '.join(types)})"

    def _name_params(self, spans):
        """The names of parameters; `None` where one has no simple name."""
        names = []
        texts = [squeeze(self.code.bare[slice(*span)]) for span in spans]
        if self.language == "go" and texts and all(len(it.split(" ")) == 1 for it in texts[-1:]):
            return None
        for text in texts:
            name = self._name_param(text)
            if name is None:
                return None
            if name:
                names.append(name)
        return names

    def _name_param(self, text):
        if self.language == "rs":
            if re.fullmatch(r"(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?self(?:\s*:.*)?", text):
                return ""
            found = re.match(r"(?:#\[[^\]]*\]\s*)*(?:mut\s+|ref\s+)?(\w+)\s*:", text)
        elif self.language == "ts":
            if re.match(r"this\s*:", text):
                return ""
            found = re.match(r"(?:(?:public|private|protected|readonly)\s+)*(?:\.\.\.)?([\w$]+)\s*(?:[?:=]|$)", text)
        elif self.language == "go":
            found = re.match(r"(\w+)(?:\s|$)", text)
        elif text == "void":
            return ""
        else:
            found = re.search(r"[\s*&\]>.](\w+)\s*(?:\[\w*\]\s*)*$", text) if "(" not in text or self.language == "java" else None
        return found.group(1) if found and found.group(1) != "_" else None

    def _describe_function(self, function):
        facts = []
        claim = self._lines(function.start, max(function.start, function.header_end - 1))
        claim = (claim[0], self._last_header_line(function, claim))
        if claim[1] - claim[0] > 12:
            return []
        item = self._lines(function.start, function.body[1]) if function.body else claim
        slots = {"short": function.name, "qualified": function.qualified, "path": self.path}
        make = lambda kind, value, extra, loose="": CodeFact(  # noqa: E731
            kind, (self.language, kind, function.key), value, claim, item, (function.name,), slots | extra, loose or value
        )
        if function.params is not None and len(function.params) <= 6:
            names = {"params": function.params, "count": len(function.params)}
            facts.append(make("sig-count", str(len(function.params)), names, ",".join(function.params)))
            facts.append(make("sig-list", ",".join(function.params), names, loosen_names(function.params)))
        if function.returns and 2 < len(function.returns) <= 60 and function.returns != "void" and "{" not in function.returns:
            facts.append(make("ret", function.returns, {"type": function.returns}, loosen_type(function.returns)))
        if self.language == "ts":
            facts += self._describe_defaults(function, claim, item, slots)
        return facts

    def _last_header_line(self, function, claim):
        """The last line of a header that is not only a brace."""
        last = claim[1]
        while last > claim[0] and not self.code.mask_lines[last - 1].strip(" \t{"):
            last -= 1
        return last

    def _describe_defaults(self, function, claim, item, slots):
        for span in function.spans:
            text = squeeze(self.code.bare[slice(*span)])
            found = re.match(r"([\w$]+)\s*(?::[^=]*)?=\s*(.+)$", text)
            if found and is_literal(found.group(2)):
                key = (self.language, "default", f"{function.key}({found.group(1)})")
                extra = {"param": found.group(1)} | value_slots(found.group(2))
                value = found.group(2)
                yield CodeFact("default", key, value, claim, item, (function.name,), slots | extra, loosen_value(value))

    # Values

    def _describe_constants(self):
        code = self.code
        if self.language == "go":
            yield from self._describe_go_block()
        for found in re.finditer(_CONSTANTS[self.language], code.bare, re.M):
            if self.language != "java" and self.language != "rs" and code.enclosing_braces(found.start("name")):
                continue
            if self._is_blocked(found.start()) or code.mask[found.start("name")] == FILL:
                continue
            yield from self._make_constant(found.group("name"), found.group("value").strip(), found.start(), found.end())
        if self.language == "ts":
            yield from self._describe_properties()

    def _describe_go_block(self):
        for block in re.finditer(r"^(?:const|var)\s*\(", self.code.mask, re.M):
            start, end = block.end(), self.code.closes[block.end() - 1]
            for found in re.finditer(r"^\t(\w+)(?:[ \t]+[\w.]+)?[ \t]*=[ \t]*([^\n]+?)[ \t]*$", self.code.bare[start:end], re.M):
                if not self.code.enclosing_braces(start + found.start()):
                    yield from self._make_constant(found.group(1), found.group(2), start + found.start(1), start + found.end())

    def _make_constant(self, name, value, start, end):
        if not is_literal(value) or len(name) < 4:
            return
        start += len(self.code.text[start:end]) - len(self.code.text[start:end].lstrip())
        qualified, key = self._qualify(start, name)
        slots = {"short": name, "qualified": qualified, "path": self.path} | value_slots(value)
        names, lines = (name,), self._lines(start, end - 1)
        item = self._enclosing_item(start) or lines
        yield CodeFact("const", (self.language, "const", key), value, lines, item, names, slots, loosen_value(value))

    def _enclosing_item(self, at):
        inner = [it for it in getattr(self, "functions", []) if it.body and it.start < at < it.body[1]]
        if not inner:
            return None
        best = min(inner, key=lambda it: it.body[1] - it.start)
        return self._lines(best.start, best.body[1])

    def _describe_properties(self):
        """The values in a top-level object with a name."""
        code = self.code
        for found in re.finditer(r"^(?:export\s+)?const\s+([\w$]+)[^=\n]*=\s*(?:Object\.freeze\()?\{", code.mask, re.M):
            start, end = found.end() - 1, code.closes[found.end() - 1]
            for pair in re.finditer(r"^\s+(\w+):\s*([^\n]+?),?[ \t]*$", code.bare[start:end], re.M):
                at = start + pair.start(1)
                around = code.enclosing_braces(at)
                if not around or around[0][0] != start or not is_literal(pair.group(2)):
                    continue
                name, value, lines = pair.group(1), pair.group(2), self._lines(at, at)
                key = (self.language, "const", f"{found.group(1)}.{name}")
                slots = {"short": name, "qualified": f"{found.group(1)}.{name}", "path": self.path} | value_slots(value)
                yield CodeFact("const", key, value, lines, self._lines(found.start(), end), (name,), slots, loosen_value(value))

    def _describe_field_defaults(self):
        if self.language != "rs":
            return
        for start, end, name, key, _ in self.scopes:
            found = re.search(r"fn default\(\)\s*->\s*\w+\s*\{\s*(?:Self|" + re.escape(name or "Self") + r")\s*\{", self.code.mask[start:end])
            if not key.endswith(" as Default") or not found or self._is_blocked(start):
                continue
            brace = start + found.end() - 1
            function = start + found.start()
            item = self._lines(function, self.code.closes[brace])
            for low, high in self.code.split_list(brace + 1, self.code.closes[brace]):
                pair = re.fullmatch(r"(\w+):\s*(.+)", squeeze(self.code.bare[low:high]))
                if pair and is_literal(pair.group(2)):
                    at = high - len(self.code.bare[low:high].lstrip())
                    slots = {"short": name, "qualified": name, "path": self.path, "param": pair.group(1)} | value_slots(pair.group(2))
                    key_ = (self.language, "field-default", f"{name}.{pair.group(1)}")
                    value = pair.group(2)
                    yield CodeFact("field-default", key_, value, self._lines(at, at), item, (name,), slots, loosen_value(value))

    # Members

    def _describe_enums(self):
        for name, at, start, end, spans in self._find_enums():
            members = [self._name_member(low, high) for low, high in spans]
            # One member that cannot be read would look like one that was taken out.
            if not 2 <= len(members) <= 12 or not all(it[0] for it in members) or self._is_blocked(at):
                continue
            qualified, key = self._qualify(at, name)
            names = [it[0] for it in members]
            slots = {"short": name, "qualified": qualified, "path": self.path, "joint": _JOINTS[self.language], "members": names}
            item = self._lines(at, end)
            if len(names) <= 7:
                value = ",".join(sorted(names))
                yield CodeFact("enum-set", (self.language, "enum-set", key), value, item, item, (name,), slots, value)
            for member, low in members:
                lines = self._lines(low, low)
                fact_key = (self.language, "enum-one", f"{key}.{member}")
                yield CodeFact("enum-one", fact_key, ",".join(names), lines, item, (name,), slots | {"member": member})

    def _find_enums(self):
        code = self.code
        pattern = {
            "rs": r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?enum\s+(\w+)[^{;(]*\{",
            "java": r"^[ \t]*(?:(?:public|protected|private|static)\s+)*enum\s+(\w+)[^{;()]*\{",
            "ts": r"^(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+(\w+)\s*\{",
            "c": r"^(?:typedef\s+)?enum\s+(\w+)\s*\{",
        }.get(self.language)
        for found in re.finditer(pattern, code.mask, re.M) if pattern else ():
            start, end = found.end() - 1, code.closes[found.end() - 1]
            ends = (it.start() for it in re.finditer(";", code.mask[start:end])) if self.language == "java" else ()
            stop = next((start + it for it in ends if code.enclosing_braces(start + it)[0][0] == start), end)
            at = found.start() + len(found.group()) - len(found.group().lstrip())
            yield found.group(1), at, start, end, code.split_list(start + 1, stop)
        if self.language == "ts":
            for found in re.finditer(r"^(?:export\s+)?type\s+(\w+)\s*=\s*((?:\|?\s*'[\w./-]+'\s*)+?);?[ \t]*$", code.bare, re.M):
                base = found.start(2)
                spans = [(base + it.start(), base + it.end()) for it in re.finditer(r"'[\w./-]+'", found.group(2))]
                yield found.group(1), found.start(), base, found.end() - 1, spans
        if self.language == "go":
            yield from self._find_go_enums()

    def _find_go_enums(self):
        for block in re.finditer(r"^const\s*\(\n", self.code.mask, re.M):
            start, end = block.end() - 2, self.code.closes[block.end() - 2]
            body = self.code.bare[start + 1 : end]
            head = re.match(r"\s*(\w+)\s+(\w+)\s*=\s*iota\b[^\n]*\n", body)
            rest = [it for it in body.split("\n") if it.strip()]
            if not head or not all(re.fullmatch(r"\s*\w+\s*", it) for it in rest[1:]):
                continue
            if len(re.findall(rf"^\s*(?:const\s+)?\w+\s+{head.group(2)}\s*=", self.code.bare, re.M)) > 1:
                continue
            spans = [(start + 1 + it.start(1), start + 1 + it.end(1)) for it in re.finditer(r"^\t(\w+)", body, re.M)]
            yield head.group(2), block.start(), start, end, spans

    def _name_member(self, low, high):
        """The name of a member and its place, behind its attributes."""
        while found := re.compile(r"\s*(?:#(?=\[)|@\w+\s*(?=\()|@\w+(?=\s))").match(self.code.mask, low, high):
            low = self.code.closes[found.end()] + 1 if self.code.mask[found.end()] in "[(" else found.end()
        found = re.compile(r"\s*['\"]?([\w./-]+)").match(self.code.bare, low, high)
        return (found.group(1), found.start(1)) if found else ("", low)

    # Errors and flags

    def _describe_errors(self):
        code = self.code
        for found in re.finditer(_ERRORS[self.language], code.mask):
            if self._is_blocked(found.start()):
                continue
            at = found.end()
            literal = re.compile(r"'[^'\\\n]*'|\"[^\"\\\n]*\"|`[^`\\\n$]*`").match(code.text, at)
            behind = literal and code.mask[literal.end() :].lstrip()[:1]
            if not literal or behind == "+" or behind == '"' or not 12 <= len(literal.group()) - 2 <= 110:
                continue
            message = literal.group()[1:-1]
            if "`" in message or '"' in message or len(message.split()) < 3:
                continue
            yield from self._place_error(message, at, found.group().startswith("#["))

    def _place_error(self, message, at, is_attribute):
        inner = [it for it in self.functions if it.body and it.body[0] < at < it.body[1]]
        if is_attribute:
            around = [it for it in re.finditer(_TYPES["rs"], self.code.mask, re.M) if it.end() - 1 < at < self.code.closes[it.end() - 1]]
            if not around:
                return
            name, start = around[-1].group("name"), around[-1].start()
            qualified, key = name, name
            item = self._lines(start, self.code.closes[around[-1].end() - 1])
        elif inner:
            function = min(inner, key=lambda it: it.body[1] - it.body[0])
            name, qualified, key = function.name, function.qualified, function.key
            item = self._lines(function.start, function.body[1])
        else:
            return
        lines = self._lines(at, at)
        slots = {"short": name, "qualified": qualified, "path": self.path, "message": message}
        yield CodeFact("error", (self.language, "error", key, message), message, lines, item, (name,), slots, message)

    def _describe_flags(self):
        for flag, at, short, default in self._find_flags():
            if self._is_blocked(at):
                continue
            lines = self._lines(at, at)
            item = self._enclosing_item(at)
            slots = {"short": flag, "qualified": flag, "path": self.path, "flag": flag}
            make = lambda kind, value, extra, needs=(): CodeFact(  # noqa: E731
                kind, ("flag", kind, flag), value, lines, item, (flag,), slots | extra, loosen_value(value), needs
            )
            yield make("flag", "", {})
            if short:
                yield make("flag-short", short[0], {"short": short[0]}, (self.code.line_at(short[1]),))
            if default and is_literal(default[0]):
                yield make("flag-default", default[0], value_slots(default[0]), (self.code.line_at(default[1]),))

    def _find_flags(self):
        """Each flag with its place, and its short form and default with theirs."""
        text, readers = self.code.bare, {"rs": self._find_clap_flags, "go": self._find_go_flags}
        patterns = {
            "ts": r"\.option\(\s*['\"`](?:-(?P<short>\w), )?--(?P<flag>[\w-]{3,})",
            "c": r"str(?:case)?cmp\([^\n]*?,\s*\"--(?P<flag>[\w-]{3,})\"\)",
        }
        if self.language in readers:
            yield from readers[self.language]()
        for found in re.finditer(patterns[self.language], text) if self.language in patterns else ():
            yield found.group("flag"), found.start("flag"), self._group_at(found, "short"), None

    @staticmethod
    def _group_at(found, group, base=0):
        return (found.group(group), base + found.start(group)) if found and found.groupdict().get(group) else None

    def _find_clap_flags(self):
        text = self.code.bare
        for found in re.finditer(r"\.long\(\s*\"([\w-]+)\"\s*\)", text):
            start, end = text.rfind("Arg::new(", 0, found.start()), text.find("Arg::new(", found.end())
            start = start if start >= 0 else found.start()
            chunk = text[start : end if end >= 0 else found.end() + 2000]
            short = re.search(r"\.short\(\s*'(?P<it>\w)'\s*\)", chunk)
            default = re.search(r"\.default_value\(\s*(?P<it>\"[^\"\n]*\")\s*\)", chunk)
            yield found.group(1), found.start(1), self._group_at(short, "it", start), self._group_at(default, "it", start)
        for found in re.finditer(r"#\[arg\(([^\]]*\blong\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(\w+)\s*:", text):
            given = re.search(r"\blong\s*=\s*\"([\w-]+)\"", found.group(1))
            name = given.group(1) if given else found.group(2).replace("_", "-")
            short = re.search(r"\bshort\b(?:\s*=\s*'(?P<it>\w)')?", found.group(1))
            default = re.search(r"\bdefault_value\s*=\s*(?P<it>\"[^\"\n]*\")", found.group(1))
            letter = short and (short.group("it") or found.group(2)[0], found.start(1) + short.start())
            yield name, found.start() if given else found.start(2), letter, self._group_at(default, "it", found.start(1))

    def _find_go_flags(self):
        text = self.code.bare
        for found in re.finditer(r"\.Flag\(\s*\"([\w.-]{3,})\"", text):
            line_end = text.find("\n\n", found.end())
            chunk = text[found.end() : min(line_end if line_end > 0 else len(text), found.end() + 900)]
            chunk = chunk.split(".Flag(")[0]
            default = re.search(r"\.Default\((?P<it>\"[^\"\n]*\")\)", chunk)
            short = re.search(r"\.Short\('(?P<it>\w)'\)", chunk)
            yield found.group(1), found.start(1), self._group_at(short, "it", found.end()), self._group_at(default, "it", found.end())
        for found in re.finditer(r"case\s+(?:\"-(?P<short>\w)\",\s*)?\"--(?P<flag>[\w-]{3,})\":", text):
            yield found.group("flag"), found.start("flag"), self._group_at(found, "short"), None
        pattern = r"[fF]lags(?:\(\))?\.\w+?(?:Var)?P?\((?:&[\w.]+,\s*)?\"(?P<flag>[\w-]{3,})\",\s*(?:\"(?P<short>\w)\",\s*)?(?P<default>[^,\n]+),"
        for found in re.finditer(pattern, text):
            yield found.group("flag"), found.start("flag"), self._group_at(found, "short"), self._group_at(found, "default")

    # Comments

    def _document_function(self, function):
        if not function.body:
            return None
        first, last = self._lines(function.start, function.body[1])
        return self._document(first, last, function.qualified, function.key, "fn")

    def _document_types(self):
        for found in re.finditer(_TYPES[self.language], self.code.mask, re.M):
            if self._is_blocked(found.start()):
                continue
            at = found.start() + len(found.group()) - len(found.group().lstrip())
            first, last = self._lines(at, self.code.closes[found.end() - 1])
            name = found.group("name")
            qualified, key = self._qualify(at, name)
            yield self._document(first, last, qualified, key, "type")

    def _document(self, first, last, name, key, kind):
        if last - first >= MAX_ITEM or last == first:
            return None
        comment = self.code.read_comment_above(first)
        opening = {"rs": "///", "java": "/**", "ts": "/**", "go": "//", "c": "/*"}[self.language]
        if not comment or not comment[0].startswith(opening):
            return None
        bare = strip_comment_marks(comment)
        sentence, whole = first_sentence(bare[1:] if comment[0] == "/**" else bare)
        tokens = self.code.list_tokens(first, last)
        return DocumentedItem((self.language, "doc", kind, key), name, sentence, whole, [(first, last)], tokens, kind)


# Python ---------------------------------------------------------------------------------------------------------------


def read_python(path, text):
    tree = ast.parse(text)
    reader = PythonReader(path, text)
    reader.visit_body(tree.body, [], None)
    return ReadFile(reader.facts, reader.documented)


class PythonReader:
    """Walks the definitions of a module."""

    def __init__(self, path, text):
        self.path, self.text, self.lines = path, text, text.split("\n")
        self.facts, self.documented = [], []

    def visit_body(self, body, owners, item):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.visit_function(node, owners)
            elif isinstance(node, ast.ClassDef):
                self.visit_class(node, owners)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                self.visit_assignment(node, owners, item)
            elif isinstance(node, (ast.If, ast.Try, ast.With)):
                for part in ("body", "orelse", "finalbody"):
                    self.visit_body(getattr(node, part, []), owners, item)

    def source(self, node):
        """The text of a node on one line; `ast.get_source_segment` splits the whole file each time."""
        first, last = node.lineno - 1, node.end_lineno - 1
        rows = [row.encode() for row in self.lines[first : last + 1]]
        rows[-1] = rows[-1][: node.end_col_offset]
        rows[0] = rows[0][node.col_offset :]
        return squeeze(b"\n".join(rows).decode("utf-8", "replace"))

    def slots(self, name, owners):
        return {"short": name, "qualified": ".".join(owners[-1:] + [name]), "path": self.path}

    def add(self, kind, key, value, claim, item, name, slots, loose=None):
        fact = CodeFact(kind, ("py", kind, *key), value, claim, item, (name,), slots, value if loose is None else loose)
        self.facts.append(fact)

    def visit_assignment(self, node, owners, item):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
            return
        name, value = targets[0].id, self.source(node.value)
        if is_literal(value) and len(name) >= 4 and not name.startswith("__"):
            lines = (node.lineno, node.end_lineno)
            slots = self.slots(name, owners) | value_slots(value)
            self.add("const", (".".join(owners + [name]),), value, lines, item or lines, name, slots, loosen_value(value))

    def visit_class(self, node, owners):
        lines = (node.lineno, node.end_lineno)
        names = owners + [node.name]
        bases = {self.source(base).rsplit(".", 1)[-1] for base in node.bases}
        if bases & {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}:
            self.visit_enum(node, owners, lines)
        else:
            self.visit_body(node.body, names, lines)
        self.document(node, owners, "type")

    def visit_enum(self, node, owners, lines):
        assigned = [it for it in node.body if isinstance(it, ast.Assign) and isinstance(it.targets[0], ast.Name)]
        members = [(it.targets[0].id, it.lineno) for it in assigned if not it.targets[0].id.startswith("_")]
        names = [it[0] for it in members]
        if not 2 <= len(names) <= 12:
            return
        slots = self.slots(node.name, owners) | {"joint": ".", "members": names}
        key = ".".join(owners + [node.name])
        claim = (node.lineno, members[-1][1])
        if len(names) <= 7:
            self.add("enum-set", (key,), ",".join(sorted(names)), claim, lines, node.name, slots)
        for member, line in members:
            self.add("enum-one", (f"{key}.{member}",), ",".join(names), (line, line), lines, node.name, slots | {"member": member})

    def header_end(self, node):
        """The line with the colon that ends a header."""
        parts = [*ast.walk(node.args)] + ([node.returns] if node.returns else [])
        line = max([node.lineno] + [it.end_lineno for it in parts if hasattr(it, "end_lineno")])
        while line < node.end_lineno and not re.search(r":\s*(#.*)?$", self.lines[line - 1]):
            line += 1
        return line

    def visit_function(self, node, owners):
        header = (node.lineno, self.header_end(node))
        item = (node.lineno, node.end_lineno)
        slots, key = self.slots(node.name, owners), ".".join(owners + [node.name])
        if header[1] - header[0] <= 12:
            self.describe_signature(node, key, header, item, slots)
        self.describe_errors(node, key, item, slots)
        self.describe_flags(node, item)
        self.document(node, owners, "fn")
        self.visit_body(node.body, owners + [node.name], item)

    def describe_signature(self, node, key, header, item, slots):
        given = node.args
        plain = given.posonlyargs + given.args
        params = [it.arg for it in plain]
        if params[:1] in (["self"], ["cls"]) and "." in key:
            params = params[1:]
        params += ["*" + given.vararg.arg] if given.vararg else []
        params += [it.arg for it in given.kwonlyargs]
        params += ["**" + given.kwarg.arg] if given.kwarg else []
        if len(params) <= 6:
            names = slots | {"params": params, "count": len(params)}
            self.add("sig-count", (key,), str(len(params)), header, item, node.name, names, ",".join(params))
            self.add("sig-list", (key,), ",".join(params), header, item, node.name, names, loosen_names(params))
        returns = self.source(node.returns) if node.returns else ""
        if 2 < len(returns) <= 60 and returns != "None":
            self.add("ret", (key,), returns, header, item, node.name, slots | {"type": returns.strip("'\"")}, loosen_type(returns))
        defaults = list(zip(plain[len(plain) - len(given.defaults) :], given.defaults))
        defaults += [(name, value) for name, value in zip(given.kwonlyargs, given.kw_defaults) if value is not None]
        for name, value in defaults:
            value = self.source(value)
            if is_literal(value):
                extra = {"param": name.arg} | value_slots(value)
                self.add("default", (f"{key}({name.arg})",), value, header, item, node.name, slots | extra, loosen_value(value))

    def describe_errors(self, node, key, item, slots):
        for it in self.walk_own(node):
            if not (isinstance(it, ast.Raise) and isinstance(it.exc, ast.Call) and it.exc.args):
                continue
            text = it.exc.args[0]
            if not (isinstance(text, ast.Constant) and isinstance(text.value, str)) or text.lineno != text.end_lineno:
                continue
            message = text.value
            is_plain = not re.search(r"[`\"\\\n]", message) and 12 <= len(message) <= 110 and len(message.split()) >= 3
            if is_plain and message in self.lines[text.lineno - 1]:
                self.add("error", (key, message), message, (text.lineno,) * 2, item, node.name, slots | {"message": message})

    @staticmethod
    def walk_own(node):
        """The nodes of a function without those of functions in it."""
        todo = list(node.body)
        while todo:
            it = todo.pop()
            yield it
            if not isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                todo += ast.iter_child_nodes(it)

    def describe_flags(self, node, item):
        for it in [*self.walk_own(node)] + node.decorator_list:
            if not isinstance(it, ast.Call) or not isinstance(it.func, (ast.Attribute, ast.Name)):
                continue
            called = it.func.attr if isinstance(it.func, ast.Attribute) else it.func.id
            if called not in ("add_argument", "addoption", "_addoption", "option", "add_option"):
                continue
            texts = [arg for arg in it.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            flags = [arg for arg in texts if re.fullmatch(r"--[\w-]{3,}", arg.value)]
            if not flags:
                continue
            flag, line = flags[0].value[2:], flags[0].lineno
            shorts = [arg for arg in texts if re.fullmatch(r"-\w", arg.value)]
            slots = {"short": flag, "qualified": flag, "path": self.path, "flag": flag}
            make = lambda kind, value, extra, at: self.facts.append(  # noqa: E731
                CodeFact(kind, ("flag", kind, flag), value, (at, at), item, (flag,), slots | extra, loosen_value(value), (line,))
            )
            make("flag", "", {}, line)
            if shorts:
                make("flag-short", shorts[0].value[1:], {"short": shorts[0].value[1:]}, shorts[0].lineno)
            for keyword in it.keywords:
                value = self.source(keyword.value)
                if keyword.arg == "default" and is_literal(value):
                    make("flag-default", value, value_slots(value), keyword.value.lineno)

    def document(self, node, owners, kind):
        first, last = node.lineno, node.end_lineno
        text = node.body[0] if node.body else None
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
        if not is_text or last - first >= MAX_ITEM or text.lineno == first:
            return
        sentence, whole = first_sentence([line.strip() for line in text.value.value.strip().split("\n")])
        spans = [(first, text.lineno - 1)] + ([(text.end_lineno + 1, last)] if text.end_lineno < last else [])
        kept = [line for low, high in spans for line in self.lines[low - 1 : high] if not line.strip().startswith("#")]
        tokens = re.findall(r"\w+|[^\w\s]", "\n".join(kept))
        name = ".".join(owners[-1:] + [node.name])
        key = ("py", "doc", kind, ".".join(owners + [node.name]))
        self.documented.append(DocumentedItem(key, name, sentence, whole, spans, tokens, kind))


# Settings -------------------------------------------------------------------------------------------------------------


def make_setting(path, key, name, value, line):
    is_version = bool(re.match(r"['\"]?[~^>=<v]*\d+\.\d", value))
    slots = {"short": name, "qualified": ".".join(key), "path": path, "is_version": is_version} | value_slots(value)
    claim = (line, line)
    return CodeFact("config", ("config", "config", *key), value, claim, None, (name,), slots, loosen_value(value))


def read_toml(path, text):
    facts, section = [], ()
    for line, row in enumerate(text.split("\n"), 1):
        head = re.match(r"\s*\[+([^\]]+)\]+\s*(#.*)?$", row)
        pair = re.match(r"([\w-]+)\s*=\s*(\"[^\"\\]*\"|'[^'\\]*'|[\w.+-]+)\s*(#.*)?$", row)
        inline = re.match(r"([\w-]+)\s*=\s*\{\s*version\s*=\s*(\"[^\"]*\")", row)
        if head:
            section = (head.group(1).strip(),)
        elif pair and is_literal(pair.group(2)):
            facts.append(make_setting(path, section + (pair.group(1),), pair.group(1), pair.group(2), line))
        elif inline:
            facts.append(make_setting(path, section + (inline.group(1),), inline.group(1), inline.group(2), line))
    return ReadFile(facts, [])


def read_json(path, text):
    if not re.search(r"(^|/)(package|tsconfig[\w.]*|\.?\w+rc|deno|lerna|nx|turbo)\.json$", path):
        return ReadFile([], [])
    facts, stack = [], []
    for line, row in enumerate(text.split("\n"), 1):
        opened = re.match(r"\s*\"([^\"]+)\"\s*:\s*[\[{]\s*$", row)
        pair = re.match(r"\s*\"([^\"]+)\"\s*:\s*(\"[^\"\\]*\"|[\w.+-]+)\s*,?\s*$", row)
        if opened or re.match(r"\s*[\[{]\s*$", row):
            stack.append(opened.group(1) if opened else "")
        elif re.match(r"\s*[\]}]", row):
            stack = stack[:-1]
        elif pair and is_literal(pair.group(2)) and len(pair.group(1)) >= 3:
            facts.append(make_setting(path, (*stack[1:], pair.group(1)), pair.group(1), pair.group(2), line))
    return ReadFile(facts, [])


def read_yaml(path, text):
    facts, stack = [], []
    for line, row in enumerate(text.split("\n"), 1):
        found = re.match(r"( *)(- )?([\w-]+):\s*(.*?)\s*(?:\s#.*)?$", row)
        if not found:
            continue
        depth, key, value = len(found.group(1)), found.group(3), found.group(4)
        stack = [it for it in stack if it[0] < depth] + ([(depth, "-")] if found.group(2) else [])
        is_in_list = any(it[1] == "-" for it in stack)
        if value and not is_in_list and len(key) >= 4 and re.fullmatch(r"\"[^\"]+\"|'[^']+'|[\w.+-]{1,40}", value):
            shown = value if value[0] in "'\"" or re.fullmatch(r"[\d.]+|true|false", value) else f'"{value}"'
            facts.append(make_setting(path, (*(it[1] for it in stack), key), key, shown, line))
        if not found.group(2):
            stack.append((depth, key))
    return ReadFile(facts, [])


def read_conf(path, text):
    facts = []
    for line, row in enumerate(text.split("\n"), 1):
        found = re.fullmatch(r"([a-z][a-z0-9-]{4,}) ([\w.-]+)", row.strip())
        if found:
            value = found.group(2)
            shown = value if re.fullmatch(r"[\d.]+", value) else f'"{value}"'
            facts.append(make_setting(path, (found.group(1),), found.group(1), shown, line))
    return ReadFile(facts, [])


def read_xml(path, text):
    facts = []
    for line, row in enumerate(text.split("\n"), 1):
        found = re.fullmatch(r"\s*<(\w+\.[\w.]+)>([\w.-]{1,40})</\1>\s*", row)
        if found:
            value = found.group(2)
            shown = value if re.fullmatch(r"\d+|true|false", value) else f'"{value}"'
            facts.append(make_setting(path, (found.group(1),), found.group(1), shown, line))
    return ReadFile(facts, [])
