"""Reader of one of n options, named by its letter or its words.

>>> options = {"A": "on the table", "B": "under the lamp", "C": "None"}
>>> [read.value for reply in ("**B**", "The answer is (b).", "Under the lamp.", '{"answer": "B"}')
...  if isinstance(read := choice(reply, options), Read)]
['B', 'B', 'B', 'B']
>>> choice("It is A or B.", options), choice("D", options)
(Unreadable(reason='no answer'), Unreadable(reason='D is none of the 3 options'))

Kinds of evidence, the best first: an answer field or label (a label, a field of JSON, a box, a tag), a sentence that
answers, an answer that stands alone (the whole reply, a line, the beginning of its first or last line), brackets. If
the best kind gives two answers, the reply is unreadable, unless words between them take the first one back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from tsgkit.replies.characters import bare, shown_plainly, without_hidden
from tsgkit.replies.denial import TAKEN_BACK, WITHDRAWN, is_doubted, without_denied
from tsgkit.replies.near_json import values_in
from tsgkit.replies.reasoning import spoken
from tsgkit.replies.sections import about_the_question, labels_in, without_fences, without_labels
from tsgkit.replies.spans import Part, Read, Unreadable
from tsgkit.replies.tables import answer_cells, verdicts

Options = Mapping[str, str]
"""The letters that were offered, each with its words (empty where only letters matter)."""
NO_ANSWER = "no answer"
FIELDS = ("answer", "final_answer", "finalanswer", "letter", "choice", "option", "selected_option", "selected",
          "response", "答案", "antwort", "respuesta", "réponse")  # fmt: skip
DEEPEST = 3
LETTER = r"([A-Ha-h])"
"""Any letter, so that an answer outside the options is recognised as one."""
NOUN = (
    r"(?:options?|choices?|letters?|candidates?|answers?|descriptions?|match|fit"
    r"|opción|respuesta|antwort|réponse|选项|答案)"
)
CHAIN = r"\s*+[-–—=→]++>?\s*+(?-i:[A-H])(?=\s*+(?:[-–—=→.,;]|$))"
"""Another letter behind a dash or an arrow: ``A -> B -> C`` is no answer."""
FOLLOWED = rf"(?!{CHAIN})(?=[^\S\n]++[-–—]|[^\S\n]*+(?:$|\n|[^\w\s'’&/+,.(~-]|[.,](?!\w)|[-–—]\s|项|选项|是))"
BE = r"(?:(?:is|was|has\s++been|(?:can|could|must|should|would)\s++be|ist|wird|es|est)\s++)"
ADVERB = r"(?:(?:therefore|thus|hence|then|also|clearly|obviously|definitely|already|likely|probably|simply|daher)\s++)"
NOT_IT = (
    rf"(?:not\b(?!\s++(?:{NOUN}\s++)?\(?(?-i:[A-H])\b)|no\b(?!\s++(?:doubt|other|need))|wrong|incorrect|false\b|out\b|excluded"
    r"|eliminated|ruled\s++out|rejected|discarded|dismissed|disqualified|impossible|unlikely|invalid|inconsistent|implausible"
    r"|falsch|ausgeschlossen|nicht|incorrecta?|descartada?|exclue?\b|éliminée?\b)"
)
IS_NOT = (
    rf"(?:{BE}{ADVERB}*+{NOT_IT}"
    rf"|{ADVERB}*+(?:fails?\b|(?:can|could|does|did|do|would|should)(?:\s?+not|n't)\b(?!\s++only\b)))"
)
"""The verb of a sentence that rejects its subject as the answer."""
REJECTED = rf"(?:(?:[:=–—-]\s*+|as\s++the\s++only\s++|{BE}|{ADVERB})*+{NOT_IT}|{IS_NOT})"
"""Words after a letter that reject it."""
APART = r"(?:\s*+(?:,[^,.;\n]{1,100},|\([^()\n]{1,100}\)|[-–—][^-–—.;\n]{1,100}[-–—]))"
"""A clause between a letter and its verb: ``, as it lifts,``."""
LEADING = re.compile(
    rf"[^\w(]*+(?:(?:it(?:'s|\sis)|(?:the|die|la|el|l')\b)\s*+)?(?:(?:correct|right|best)\s++)?(?:{NOUN}\s*+(?:(?:is|ist|es|est)\s++)?[:#]?\s*+)?"
    rf"\(?\s*+(?:{LETTER}(?:\s*+\))?(?!{APART}?+\s*+{IS_NOT})(?:{FOLLOWED}|(?=\s*+\([^()]*\)\.?\s*+$))|([B-Hb-h])(?!\s++{IS_NOT})(?=\s++[^\W\d])|(A)(?=\s++(?:because|since|as|weil|car|porque)\b))",
    re.IGNORECASE | re.MULTILINE,
)
MORE = re.compile(
    r"\s*+\)?\s*+\(?(?:[,/&+|]|(?i:\bor\b|\band\b|\boder\b|\bund\b|\bo\b|\by\b|\bou\b|\bet\b)|和|或)\s*+(?i:(?:maybe|perhaps|possibly)\s++)?"
    rf"(?i:{NOUN}\s*+)?\(?\s*+([A-H])(?!['’A-Za-z0-9_])"
)
NUMBER = re.compile(r"\s*+(?:(?:question|q)\s*+)?[#(]?\d{1,3}\s*+[.):]\s++(?=\(?[A-Ha-h]\b)", re.IGNORECASE)
IS = r"(?:is|was|must\s++be|should\s++be|would\s++be|has\s++to\s++be|ist|lautet|wäre|es|sería|est|serait)\b"
FIRST = r"(?<![A-Za-z0-9_'’])([A-H])(?:\s*+\))?(?!['’A-Za-z0-9_])(?!\s*+(?:,|/|\bor\b|\band\b)\s*+\(?[A-H]\b)"
CAPITAL = r"\(?\s*+" + FIRST
ENDED = (
    rf"(?!\s*+(?i:{REJECTED}|{APART}\s*+{IS_NOT}))"
    r"(?=[^\S\n]*+(?:$|\n|[.,;:!)\"”]|[-–—(]|because|since|as\b|is\b|weil|porque|car\b|fest\b))"
)
I_SAY = (
    r"i(?:'d|\s++would|'ll|\s++will)?\s++(?:choose|pick|select|go\s++(?:with|for)|say|vote\s++for|answer|settle\s++on)"
    r"|(?:i(?:'m|\s++am)\s++)?going\s++with|i\s++(?:think|believe)\s++(?:that\s++)?(?:it(?:'s|\s++is)|the\s++answer\s++is)"
    r"|my\s++(?:best\s++)?(?:choice|pick|vote|guess)\s++(?:is|goes\s++to)|(?:it|that|this)(?:'s|\s++(?:is|(?:must|would|should|has\s++to)\s++be))"
    r"|ich\s++(?:wähle|nehme|tippe\s++auf)|ich\s++(?:lege|entscheide)\s++mich\s++(?:auf|für)|es\s++ist"
    r"|(?:elijo|creo\s++que\s++es|es)\s++la|la\s++correcta\s++es(?:\s++la)?|je\s++(?:choisis|prends)|c'est\s++la|la\s++bonne\s++est(?:\s++la)?"
)
SO = (
    r"therefore|thus|hence|so|consequently|(?:that|which|this)\s++(?:leaves|means(?:\s++that)?)|leaves|in\s++conclusion|daher|also|somit|folglich"
    r"|por\s++(?:lo\s++)?tanto|así\s++que|donc"
)
PERHAPS = r"(?:therefore|thus|clearly|definitely|indeed|probably|most\s++likely|also|daher|aber|jedoch|la|l')"
FITS = (
    r"(?:best|correctly|exactly|accurately|perfectly|most\s++(?:closely|accurately))\s++"
    r"(?:match|fit|describe|correspond|reflect|capture|represent)\w*"
    r"|(?:matches|fits|describes\s++\w+(?:\s++\w+)?)\s++(?:best|exactly|perfectly)"
    r"|es\s++la\s++que\s++mejor|(?:beschreibt|passt)\s++\w*\s*+am\s++besten|correspond\s++le\s++mieux"
)
AFFIRMED = (
    r"(?:(?!\b(?i:not|no|never|wrong|incorrect\w*|contradicts?|least|fail\w*|differ\w*|lacks?|miss\w*|except)\b|n['’]t)"
    r"[^.\n;]){1,80}"
)
"""A clause that denies nothing."""
ORDINAL = r"(?:first|second|third|fourth|fifth|last)"
SENTENCES = (
    rf"\b(?i:{NOUN})\s++(?i:here\s++|therefore\s++)?(?i:{IS})\s*+(?i:{PERHAPS}\s*+)?:?\s*+(?i:{NOUN}\s*+)?{CAPITAL}{ENDED}",
    rf"\b(?i:{NOUN})\s++(?i:{IS})\s*+:?\s*+\(([a-h])\)",
    rf"\b(?i:{SO})\b[,:]?\s*+(?i:(?:{I_SAY}|(?:we|i)\s++have|only|ist|es|c'est)\s++)?(?i:(?:the|die|la)\s++)?"
    rf"(?i:{NOUN}\s*+)?{CAPITAL}{ENDED}",
    rf"(?<!\w)(?i:{I_SAY})\s*+:?\s*+(?i:(?:the\s++)?(?:{ORDINAL}\s++)?(?:{NOUN}|sentence|graph|one)\s*+[,:(]?\s*+)?{CAPITAL}{ENDED}",
    rf"\b(?i:only)\s++(?i:{NOUN}\s++)?{FIRST}\s++(?i:remains|is\s++left|fits|matches|describes|works|says|captures)\b",
    rf"\b(?i:{NOUN}|sentence|one)\s++(?i:that|which|who|matching|describing|fitting|with|saying|where|left)\b{AFFIRMED}\b(?i:{IS})\s*+:?\s*+"
    rf"(?i:(?:the\s++)?{ORDINAL}\s++(?:{NOUN}|one|sentence)\s*+[,:(]?\s*+)?{CAPITAL}{ENDED}",
    rf"{FIRST}\s++(?i:it\s++is)\b",
    rf"(?<!\w)(?i:{I_SAY})\s++(?i:option|choice|answer|letter)\s++([a-h])(?!['’\w]|\s++\w)",
    rf"\b(?i:remains?|left|leaves)\b[^.\n;:A-H]{{0,30}}:\s*+{CAPITAL}(?!\s*+(?i:{REJECTED}))",
    rf"(?<!\w)(?i:no|wait|actually|sorry|correction)[,:]\s*+(?i:(?:it(?:'s|\s++is)|make\s++that)\s++)?(?i:{NOUN}\s*+)?{CAPITAL}{ENDED}",
    rf"{FIRST}\s*+(?i:is|seems|ist|es|est)\s++(?i:the\s++|die\s++|la\s++)?(?i:(?:only|clearly|definitely|therefore)\s++)*"
    rf"(?i:(?:correct|right|best|richtige?|correcta?|correcte|bonne)(?!\s++(?:about|that|in)\b)(?:\s++(?:{NOUN}|match|one))?"
    rf"|answer\b|one\b(?=\s*+(?:[.,;!\n]|\Z)|\s++(?:that|which)\s++(?:fits|matches|describes|works|remains)\b(?!\s++(?:least|worst))))",
    rf"{FIRST}\s*+(?i:{FITS})",
    rf"(?i:{NOUN})\s++{FIRST}[^.\n]{{0,120}}(?i:(?:that|this|it|which)(?:'s|\s++is)\s++the\s++one\b)",
    rf"\b(?i:corresponds?\s++to|i\.e\.,?|namely|which\s++is)\s++(?i:the\s++)?(?i:{NOUN})\s*+{CAPITAL}{ENDED}",
    rf"\b(?i:correct|right|richtig|correcta?|correcte)\s++(?i:is|ist|es|est)\s++(?i:la\s++)?(?i:{NOUN}\s*+)?{CAPITAL}{ENDED}",
    rf"(?:答案|选项)(?:应该|应当|应)?(?:是|为|选)\s*+:?\s*+(?:选项)?{CAPITAL}",
    rf"(?<!不)(?:应该|应|故|因此|所以|我)?(?:选择|选)(?!项)\s*+(?:选项)?\s*+:?\s*+{CAPITAL}",
    rf"{FIRST}\s*+(?:项|选项)?\s*+(?:是|为)?\s*+(?:正确|最(?:符合|合适|恰当|准确|贴切))",
)
SAID_IN_WORDS = re.compile(rf"\b(?:{NOUN}\s++{IS}|{I_SAY})\s*+:?\s*+([^\n]{{1,300}})", re.IGNORECASE)
SAYS = re.compile(I_SAY, re.IGNORECASE)
CLOSING = re.compile(r"[\"”*]")
IN_PARENTHESES = re.compile(r"\(([A-H])\)")
"""A letter after the words of its option: ``the red bus (A)``."""
CONTRADICTED = re.compile(r"(?<=[.!?\n])[^\S\n]{0,3}[Nn]o[,:][^\S\n]{1,3}\(?([A-H])\b")
"""Another letter after an answer, whatever is said of it: ``Answer: A. No, B stands.``"""
STARTS = re.compile(r"[.!?;\n](?=\s|$|[^\x00-\x7f])")
LONGEST_REST = 500
"""Number of characters after an answer that are searched for a question mark."""
UNSURE = re.compile(
    r"\b(?:would\s++say|might\s++(?:say|think)|may\s++(?:say|think)|tempt\w*|if|unless|whether|not|never|n['’]t|doubt|wenn|falls|nicht|si|no)\b|n['’]t\b|如果|假如|并非|不是",
    re.IGNORECASE,
)
OPTION = re.compile(r"([A-H])(?![^\W_])")
TICK, CROSS = re.compile("[✅✓✔☑]"), re.compile("[❌✗✘❎]")
BOX = re.compile(
    r"(?:\\boxed\s*+\{\s*+(?:\\[A-Za-z]{2,12}\s*+\{)?|^[^\S\n]{0,8}[A-Za-z_.]{1,40}\((?:[a-z_]{1,20}\s?=\s?)?[\"'](?=[^\"'\n]+[\"']\)))"
    r"([^{}]{1,300}?)(?:\}|[\"']\)[^\S\n]*+$)",
    re.MULTILINE,
)
"""A box, or a call with one argument: ``submit(answer="C")``."""
BOXES = ("\\boxed", "')", '")')
BRACKET = re.compile(r"\[\s*+[\"'*_`]*([A-Ha-h])[\"'*_`]*\s*+\]")
ARTICLE = re.compile(r"(?:an?|the)\s++")
LONE = re.compile(rf"[\s→➔➜➡⇒]*+(?:{NOUN}\s*+:?\s*+)?\(?\s*+{LETTER}\s*+\)?\s*+[.!]?\s*+", re.IGNORECASE)
LETTERED = re.compile(rf"\A\W*{LETTER}[).:\s]+")
CLEAN = re.compile(r"\s*+(?:\[|\(|\*\*)?([A-Ha-h])(?:\]|\)|\*\*)?\.?\s*+")


class Statement(NamedTuple):
    """A position in a reply that names an option, and whether it is called final."""

    letter: str
    start: int
    end: int
    is_final: bool = False


def choice(reply: str, options: Options) -> Read[str] | Unreadable:
    """Return the option that a reply says."""
    if match := CLEAN.fullmatch(reply):
        return _offered(Statement(match.group(1).upper(), *match.span(1)), options)
    text, places = without_hidden(reply)
    answer = spoken(text)
    if isinstance(answer, Unreadable):
        return answer
    for end in answer.ends():
        verdict = choice_in(end, options)
        if verdict != Unreadable(NO_ANSWER):
            break
    if places is None or isinstance(verdict, Unreadable):
        return verdict
    return Read(verdict.value, places[verdict.start], places[verdict.end])


def choice_in(answer: Part, options: Options) -> Read[str] | Unreadable:
    """Return the option that a part of a reply says."""
    plain = without_fences(shown_plainly(answer))
    part = without_denied(about_the_question(plain, lambda line: _is_option(line, options)))
    if not part.text.strip():
        return Unreadable(NO_ANSWER)
    written = len(part.text.rstrip())
    if labels := [label for label in labels_in(part) if label.end() < written]:
        ends = [label.start() for label in labels[1:]] + [len(part.text)]
        behind = [part.cut(label.end(), end) for label, end in zip(labels, ends, strict=True)]
        statements = [*_in_json(part, options), *_boxed(part, options)]
        for label, rest in zip(labels, behind, strict=True):
            is_final = bool(label.group("final") or label.group("tag"))
            statements += [statement._replace(is_final=is_final) for statement in _leading(rest, options)]
        if statements and (
            not behind[-1].text.strip() or any(statement.start >= behind[-1].start for statement in statements)
        ):
            return _agreed(sorted(statements, key=lambda statement: statement.start), part, options)
        return _best(behind[-1], options, KINDS)  # words behind a label count alone
    return _best(without_labels(part), options, KINDS)


def _best(
    part: Part, options: Options, kinds: Sequence[Callable[[Part, Options], list[Statement]]]
) -> Read[str] | Unreadable:
    for kind in kinds:
        if statements := kind(part, options):
            return _agreed(statements, part, options)
    return Unreadable(NO_ANSWER)


def _agreed(statements: Sequence[Statement], part: Part, options: Options) -> Read[str] | Unreadable:
    """Return the option that all statements of one kind and conclusions behind them name.

    If words take others back, the last one counts.
    """
    kept = [statement for statement in statements if statement.is_final] or [*statements]
    at = kept[-1].end - part.start
    withdrawn = WITHDRAWN.search(part.text, at)
    kept += (later := _in_sentences(part.cut(withdrawn.end() if withdrawn else at), options))
    letters = sorted({statement.letter for statement in kept})
    last = kept[-1]
    if len(letters) > 1:
        before = max(statement.end for statement in kept if statement.letter != last.letter)
        if not TAKEN_BACK.search(part.text, before - part.start, last.start - part.start):
            return Unreadable(f"two answers: {', '.join(letters)}")
    contradiction = CONTRADICTED.search(part.text, last.end - part.start)
    if (contradiction and contradiction.group(1) != last.letter) or is_doubted(
        part.text[last.end - part.start :], OPTION.fullmatch
    ):
        return Unreadable("the answer is one of several")
    if withdrawn and not later:
        return Unreadable("the answer is taken back")
    return _offered(last, options)


def _offered(statement: Statement, options: Options) -> Read[str] | Unreadable:
    letter = statement.letter
    if letter not in options:
        return Unreadable(f"{letter} is none of the {len(options)} options")
    return Read(letter, statement.start, statement.end)


def _leading(part: Part, options: Options) -> list[Statement]:
    """Return the letters at the beginning of a text, or the option whose words it begins with."""
    lines = part.lines()
    if not lines:
        return []
    line = bare(lines[0])
    number = NUMBER.match(line.text)
    at = number.end() if number else 0
    match = LEADING.match(line.text, at)
    if match is None:
        letter = _in_words(part.text, options) or _in_words(lines[0].text, options)
        stripped = lines[0].strip()
        return [Statement(letter, stripped.start, stripped.end)] if letter else []
    group = next(number for number in (1, 2, 3) if match.group(number))
    statements = [_statement(line, match, group)]
    while more := MORE.match(line.text, statements[-1].end - line.start):
        statements.append(_statement(line, more, 1))
    if (
        len(statements) == 1
        and (letter_in_words := _in_words(line.text[statements[0].end - line.start :].lstrip(" ):.-–—=|,"), options))
        and letter_in_words != statements[0].letter
    ):
        statements.append(Statement(letter_in_words, statements[0].start, statements[0].end))
    return statements


def _statement(line: Part, match: re.Match[str], group: int) -> Statement:
    return Statement(match.group(group).upper(), line.start + match.start(group), line.start + match.end(group))


def _in_words(text: str, options: Options) -> str | None:
    """Return the letter of the one option whose words a text is."""
    folded_text = _folded(text)
    letters = (
        [letter for letter, words in options.items() if words and _folded(words) == folded_text] if folded_text else []
    )
    return letters[0] if len(letters) == 1 else None


def _is_option(line: Part, options: Options) -> bool:
    """Return whether a line is one option and nothing else: its letter, its words, or both."""
    text = bare(line).text
    return bool(LONE.fullmatch(text) or _in_words(text, options) or _in_words(LETTERED.sub("", text), options))


def _folded(text: str) -> str:
    return ARTICLE.sub("", " ".join(text.casefold().split()).strip("\"'“”‘’.*_` "))


def _in_json(part: Part, options: Options) -> list[Statement]:
    """Return the options in answer fields of JSON objects; fields with lists or longer texts have none."""
    if "{" not in part.text:
        return []
    return [
        Statement(statement.letter, part.start + value.start, part.start + value.end, is_final=True)
        for value in values_in(part.text)
        for stated in answers_in(value.value)
        for statement in _leading(Part(stated), options)
    ]


def answers_in(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts of the answer fields of an object and of objects within it."""
    if not isinstance(value, dict) or depth > DEEPEST:
        return
    fields = {str(key).lower().replace(" ", "_"): part for key, part in value.items()}
    stated = next((fields[name] for name in FIELDS if name in fields), None)
    if isinstance(stated, list) and len(stated) == 1:
        stated = stated[0]
    if isinstance(stated, str):
        yield stated
    elif stated is None or isinstance(stated, dict):
        for part in [stated] if stated else value.values():
            yield from answers_in(part, depth + 1)


def is_one_object(part: Part) -> bool:
    """Return whether a text is exactly one JSON object; a name inside it does not stand alone."""
    text = part.text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return False
    values = values_in(text)
    return len(values) == 1 and isinstance(values[0].value, dict) and values[0][1:3] == (0, len(text))


def _boxed(part: Part, options: Options) -> list[Statement]:
    if not any(mark in part.text for mark in BOXES):
        return []
    statements = []
    for match in BOX.finditer(part.text):
        inside = part.cut(match.start(1), match.end(1))
        statements += [statement._replace(is_final=True) for statement in _leading(inside, options)]
    return statements


@cache
def _sentences() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of sentences that answer. They are compiled on first use because that takes long."""
    return tuple(map(re.compile, SENTENCES))


def _in_sentences(part: Part, options: Options) -> list[Statement]:
    """Return the letters and options in sentences that answer, without questions, conditions and negations."""
    text = bare(part).text
    if not text.strip():
        return []
    statements = {}
    for pattern in _sentences():
        for match in pattern.finditer(text):
            is_quoted = part.text[max(match.start() - 1, 0)] in '"“«'
            if not is_quoted and is_sure(text, match.start()) and not _is_question(text, match.end()):
                span = match.span(1)
                statements[span] = Statement(match.group(1).upper(), part.start + span[0], part.start + span[1])
    for match in SAID_IN_WORDS.finditer(text):
        quoted = CLOSING.split(part.text[slice(*match.span(1))], maxsplit=1)[0]
        mentions = [(letter, len(words)) for words in (match.group(1), quoted) if (letter := _in_words(words, options))]
        is_set_apart = part.text[match.start(1) - 1] in '"“*' or not SAYS.match(match.group())
        if mentions and is_set_apart and is_sure(text, match.start()):
            span = match.start(1), match.start(1) + mentions[0][1]
            statements[span] = Statement(mentions[0][0], part.start + span[0], part.start + span[1])
    for match in IN_PARENTHESES.finditer(text):
        words = options.get(match.group(1), "")
        before = text[max(match.start() - len(words) - 8, 0) : match.start()]
        if words and f" {_folded(before)}".endswith(f" {_folded(words)}") and is_sure(text, match.start()):
            span = match.span(1)
            statements[span] = Statement(match.group(1), part.start + span[0], part.start + span[1])
    return [statements[span] for span in sorted(statements)]


def is_sure(text: str, position: int) -> bool:
    """Return whether the sentence up to a position neither negates nor conditions what follows."""
    before = text[max(0, position - 300) : position]
    start = max((match.end() for match in STARTS.finditer(before)), default=0)
    clause = before[start:]
    return UNSURE.search(clause) is None or (
        re.search(
            r"[,;，；]\s*+(?:so|but|therefore|thus|hence|also|daher|donc|所以|因此)?\s*+(?:\w+\s++){0,2}$", clause
        )
        is not None
        and re.search(r"\bif\b|如果|\bwenn\b|\bunless\b", clause, re.IGNORECASE) is None
    )


def _is_question(text: str, position: int) -> bool:
    end = STARTS.search(text, position, position + LONGEST_REST)
    return end is not None and end.group() in "?？"


def _alone(part: Part, options: Options) -> list[Statement]:
    """Return options that stand alone: the whole text, a line of one letter, or a first or last word."""
    if letter := _in_words(part.text, options):
        whole = part.strip()
        return [Statement(letter, whole.start, whole.end)]
    if is_one_object(part):
        return []
    lines = [line for line in part.lines() if not CROSS.search(line.text)]
    lines = [line for line in lines if TICK.search(line.text)] or lines
    if not lines:
        return []
    plain = [bare(line) for line in lines]
    lone = [(line, match) for line in plain if (match := LONE.fullmatch(_without_number(line.text)))]
    if lone:
        return [_lone(line, match) for line, match in lone]
    leading = [_leading(line, options) for line in lines]
    letters = {statement.letter for statements in leading for statement in statements}
    if len(letters) > 1:
        return [statement for statements in leading for statement in statements]
    return [*leading[0], *leading[-1]]


def _lone(line: Part, match: re.Match[str]) -> Statement:
    at = line.start + len(line.text) - len(_without_number(line.text)) + match.start(1)
    return Statement(match.group(1).upper(), at, at + 1)


def _without_number(line: str) -> str:
    number = NUMBER.match(line)
    return line[number.end() :] if number else line


def _in_tables(part: Part, options: Options) -> list[Statement]:
    """Return the options that a table calls the answer, or that verdicts on several options affirm."""
    called = [statement for cell in answer_cells(part) for statement in _leading(cell, options)]
    affirmed = [option for option, is_right in verdicts(part, OPTION) if is_right]
    return called or [Statement(option.text, option.start, option.end) for option in affirmed]


def _in_brackets(part: Part, options: Options) -> list[Statement]:
    return [
        Statement(match.group(1).upper(), part.start + match.start(1), part.start + match.end(1))
        for match in BRACKET.finditer(part.text)
    ]


KINDS = (_in_json, _boxed, _in_sentences, _in_tables, _alone, _in_brackets)
"""The kinds of evidence, the best first."""
