"""How a developer or an agent would write a fact down: several wordings for each kind, drawn by the seed.

Each wording is a name and a function from the slots of a fact to a sentence, or `None` where it does not fit.
"""

import re

_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()


def join_names(names, word, quote="`"):
    """`a`, `b` and `c`."""
    quoted = [f"{quote}{name}{quote}" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + f" {word} " + quoted[-1]


def spell(count):
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def plural(count, noun):
    return noun if count == 1 else noun + "s"


def split_words(name):
    """`MAX_LINE_LENGTH` and `maxLineLength` as words: max line length."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return re.sub(r"[\s_.-]+", " ", spaced).strip().lower()


def _strip_first(name, words):
    rest = split_words(name).split()
    return " ".join(rest[1:]) if len(rest) > 1 and rest[0] in words else None


def _cap(slots):
    rest = _strip_first(slots["name"], ("max", "maximum"))
    return rest and f"{rest} is capped at {slots['value']} (`{slots['name']}`)"


def _default_constant(slots):
    rest = _strip_first(slots["name"], ("default",))
    return rest and f"the default {rest} is {slots['value']}, see `{slots['name']}`"


def _listed(slots):
    return f" ({', '.join(slots['params'])})" if slots["params"] else ""


CONST = {
    "is": lambda s: f"`{s['name']}` is {s['value']}",
    "assign": lambda s: f"{s['name']} = {s['value']}",
    "set-ticked": lambda s: f"`{s['name']}` is set to `{s['bare']}`",
    "words-paren": lambda s: f"the {split_words(s['name'])} is {s['value']} (`{s['name']}`)",
    "capped": _cap,
    "default-x": _default_constant,
    "in-file": lambda s: f"in {s['file']}, `{s['name']}` holds {s['value']}",
    "use-for": lambda s: f"we use {s['value']} for `{s['name']}`",
    "colon": lambda s: f"`{s['name']}`: {s['value']}",
}
CONFIG = {
    "is": lambda s: f"`{s['name']}` is {s['value']}",
    "file-sets": lambda s: f"{s['path']} sets `{s['name']}` to {s['value']}",
    "colon-in": lambda s: f"`{s['name']}: {s['bare']}` in {s['path']}",
    "pinned": lambda s: f"{s['name']} is pinned to {s['bare']}" if s["is_version"] else None,
    "depends": lambda s: f"the build uses {s['name']} {s['bare']}" if s["is_version"] else None,
    "configured": lambda s: f"`{s['name']}` is configured as {s['value']}",
    "has-assign": lambda s: f"{s['file']} has {s['name']} = {s['value']}",
}
DEFAULT = {
    "defaults-to": lambda s: f"the parameter `{s['param']}` of `{s['name']}` defaults to {s['value']}",
    "default-for-in": lambda s: f"default for `{s['param']}` in `{s['name']}()` is {s['value']}",
    "unless-given": lambda s: f"`{s['name']}` uses {s['value']} unless `{s['param']}` is given",
    "left-out": lambda s: f"leaving out `{s['param']}` when calling `{s['name']}` means {s['value']}",
    "assign-call": lambda s: f"`{s['name']}(…, {s['param']}={s['bare_code']})` – {s['param']} is optional",
    "optional-is": lambda s: f"`{s['param']}` is optional in {s['name']} and {s['value']} by default",
}
FIELD_DEFAULT = {
    "default-of": lambda s: f"default for `{s['param']}` in `{s['name']}` is {s['value']}",
    "by-default": lambda s: f"by default `{s['param']}` of `{s['name']}` is {s['value']}",
    "starts-as": lambda s: f"a fresh `{s['name']}` has {s['param']} = {s['value']}",
    "defaults-to": lambda s: f"`{s['name']}.{s['param']}` defaults to {s['value']}",
    "unless-set": lambda s: f"{s['param']} stays {s['value']} unless somebody sets it (`{s['name']}`)",
}
SIG_COUNT = {
    "takes-parameters": lambda s: f"`{s['name']}` takes {s['count']} {plural(s['count'], 'parameter')}{_listed(s)}",
    "call-takes": lambda s: f"`{s['name']}({', '.join(s['params'])})` takes {spell(s['count'])} {plural(s['count'], 'argument')}",
    "has-bare": lambda s: f"`{s['name']}` has {spell(s['count'])} {plural(s['count'], 'parameter')}",
    "expects-args": lambda s: f"`{s['name']}` expects {spell(s['count'])} {plural(s['count'], 'arg')}{_listed(s)}",
    "call-with": lambda s: f"call `{s['name']}` with {spell(s['count'])} {plural(s['count'], 'argument')}"
    + (f": {join_names(s['params'], 'and')}" if s["params"] else ""),
    "arity": lambda s: f"{s['name']} is a function of {spell(s['count'])} {plural(s['count'], 'argument')}",
}
SIG_LIST = {
    "parameters-of": lambda s: f"the parameters of `{s['name']}` are {join_names(s['params'], 'and')}" if s["params"] else None,
    "signature-is": lambda s: f"the signature is `{s['name']}({', '.join(s['params'])})`",
    "called-as": lambda s: f"`{s['name']}` is called as `{s['name']}({', '.join(s['params'])})`",
    "pass-order": lambda s: f"to call `{s['name']}` pass {join_names(s['params'], 'and')}" + (", in this order" if len(s["params"]) > 1 else "")
    if s["params"]
    else None,
    "wants": lambda s: f"`{s['name']}` wants {join_names(s['params'], 'and')}" if s["params"] else None,
    "needs-only": lambda s: f"`{s['name']}` needs nothing but {join_names(s['params'], 'and', '')}" if s["params"] else None,
    "no-arguments": lambda s: None if s["params"] else f"`{s['name']}()` needs no arguments",
}
RETURNS = {
    "returns": lambda s: f"`{s['name']}` returns `{s['type']}`",
    "gives-back": lambda s: f"`{s['name']}` gives back a `{s['type']}`",
    "return-type": lambda s: f"the return type of `{s['name']}` is `{s['type']}`",
    "arrow": lambda s: f"`{s['name']}` -> `{s['type']}`",
    "yields": lambda s: f"calling `{s['name']}()` yields a `{s['type']}`",
    "result-is": lambda s: f"the result of `{s['name']}` is of type `{s['type']}`",
    "callers-get": lambda s: f"callers of {s['name']} get a {s['type']}",
}
ENUM_ONE = {
    "has-member": lambda s: f"`{s['name']}` has a member `{s['member']}`",
    "one-of-variants": lambda s: f"`{s['member']}` is one of the variants of `{s['name']}`",
    "path-exists": lambda s: f"`{s['name']}{s['joint']}{s['member']}` exists",
    "possible": lambda s: f"one possible `{s['name']}` is `{s['member']}`",
    "includes": lambda s: f"`{s['name']}` includes {s['member']}",
    "can-be": lambda s: f"a `{s['name']}` can be `{s['member']}`",
}
ENUM_SET = {
    "can-be": lambda s: f"`{s['name']}` can be {join_names(s['members'], 'or')}",
    "members-are": lambda s: f"the members of `{s['name']}` are {join_names(s['members'], 'and')}",
    "has-n": lambda s: f"`{s['name']}` has {spell(len(s['members']))} variants: {', '.join(s['members'])}",
    "one-of": lambda s: f"a `{s['name']}` is one of {join_names(s['members'], 'or')}",
    "knows-exactly": lambda s: f"`{s['name']}` knows exactly {join_names(s['members'], 'and')}",
    "possible-values": lambda s: f"possible values of `{s['name']}`: {', '.join(s['members'])}",
    "either": lambda s: f"{s['name']} is either {join_names(s['members'], 'or', '')}" if len(s["members"]) == 2 else None,
}
ERROR = {
    "reports": lambda s: f"`{s['name']}` reports the error \"{s['message']}\"",
    "fails-with": lambda s: f"`{s['name']}` may fail with \"{s['message']}\"",
    "comes-from": lambda s: f"the message \"{s['message']}\" comes from `{s['name']}`",
    "says": lambda s: f"when it goes wrong, `{s['name']}` says `{s['message']}`",
    "seen": lambda s: f"if you see \"{s['message']}\", look at {s['name']} in {s['file']}",
    "errors-out": lambda s: f"{s['name']} errors out with '{s['message']}'" if "'" not in s["message"] else None,
}
FLAG = {
    "accepted": lambda s: f"`--{s['flag']}` is accepted on the command line",
    "has-flag": lambda s: f"the CLI has a `--{s['flag']}` flag",
    "can-pass": lambda s: f"you can pass --{s['flag']}",
    "option-in": lambda s: f"the option `--{s['flag']}` is defined in {s['path']}",
    "supported": lambda s: f"`--{s['flag']}` is a supported option",
}
FLAG_SHORT = {
    "short-for": lambda s: f"`-{s['short']}` is short for `--{s['flag']}`",
    "same-as": lambda s: f"-{s['short']} does the same as --{s['flag']}",
    "paren": lambda s: f"the flag `--{s['flag']}` (`-{s['short']}`)",
    "short-form": lambda s: f"`--{s['flag']}` has the short form `-{s['short']}`",
    "or": lambda s: f"use -{s['short']} or --{s['flag']}",
}
FLAG_DEFAULT = {
    "defaults-to": lambda s: f"`--{s['flag']}` defaults to {s['value']}",
    "without": lambda s: f"without --{s['flag']}, {s['value']} is used",
    "default-value": lambda s: f"the default of the `--{s['flag']}` option is {s['value']}",
    "unless": lambda s: f"it is {s['value']} unless `--{s['flag']}` says otherwise",
    "paren": lambda s: f"`--{s['flag']}` (default: {s['bare']})",
}
WORDINGS = {
    "const": CONST,
    "config": CONFIG,
    "default": DEFAULT,
    "field-default": FIELD_DEFAULT,
    "sig-count": SIG_COUNT,
    "sig-list": SIG_LIST,
    "ret": RETURNS,
    "enum-one": ENUM_ONE,
    "enum-set": ENUM_SET,
    "error": ERROR,
    "flag": FLAG,
    "flag-short": FLAG_SHORT,
    "flag-default": FLAG_DEFAULT,
}


def word_fact(kind, slots, dice):
    """A sentence for a fact and the name of its wording."""
    names = sorted(WORDINGS[kind])
    dice.shuffle(names)
    for name in names:
        sentence = WORDINGS[kind][name](slots)
        if sentence:
            return name, sentence[0].upper() + sentence[1:] if dice.random() < 0.5 and sentence[0].islower() and sentence.split()[0].isalpha() and sentence.split()[0] in _OPENERS else sentence
    return None, None


_OPENERS = "the in we to by default leaving call calling a one possible when if you it use without".split()
