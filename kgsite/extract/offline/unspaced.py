"""Names in scripts without capital letters: Chinese, Japanese, Korean, Arabic, Hebrew, Thai and others."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.relating import TOGETHER, Link

_LANGUAGES = frozenset(("zh", "ja", "ko", "ar", "fa", "ur", "he", "th", "hi", "mr", "bn", "gu"))
_TITLE = re.compile(r"《([^》]{1,40})》|『([^』]{1,40})』|〈([^〉]{1,40})〉")
_LATIN = re.compile(r"(?<![A-Za-z])[A-Z][\w.&-]*(?: [A-Z0-9][\w.&-]*)*")
_KATAKANA = re.compile(r"[ァ-ヺー]{3,}(?:[・＝][ァ-ヺー]{2,})*")
_DATE = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})年(?:\d{1,2}月(?:\d{1,2}日)?)?|(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_TOPIC = re.compile(rf"(?:^|[。、「])([{_HAN}]{{3,5}})(?=は|が)")  # 夏目漱石は …
_GENERIC = frozenset(("国立大学", "私立大学", "公立大学", "株式会社", "有限公司", "共和国", "大学", "学院", "公司"))
_MOST_TOGETHER = 2


def is_unspaced(language: str) -> bool:
    """Whether `language` is written without capital letters."""
    return language in _LANGUAGES


def mentions(sentences: list[str], words: Lexicon) -> list[list[Mention]]:
    """Mentions of each sentence of a document; repeated names need the whole of it."""
    persons = _persons(sentences, words)
    return [_sentence(text, words, persons) for text in sentences]


def links(sentence: str, row: list[Mention], words: Lexicon) -> list[Link]:
    """A verb between two names, or right after the second one (Japanese); else the first name and two others."""
    verbs = sorted(words.raw.get("verbs", "").split(), key=lambda verb: (-len(verb), verb))
    found: list[Link] = []
    names = [mention for mention in row if mention.kind == "name"]
    subject = names[0] if names else None
    for left, right in pairwise(row):
        between = sentence[left.end : right.start]
        further = left.kind == "date" or "，" in between or words.language == "ja"
        source = subject if further and subject is not None and subject.start < left.start else left
        after = sentence[right.end : right.end + 6] if words.language == "ja" else ""
        verb = next((verb for verb in verbs if verb in between[-len(verb) - 3 :]), "") if words.language != "ja" else ""
        verb = verb or next((verb for verb in verbs if verb in after), "")
        if verb and source.kind == "name" and source.name != right.name:
            found.append(Link(source, right, verb, 6.0))
    used = {mention.start for link in found for mention in (link.source, link.target)}
    rest = [m for m in names if m.start not in used and subject is not None and m.name != subject.name]
    return found + [Link(names[0], mention, TOGETHER, 2.0) for mention in rest[:_MOST_TOGETHER]]


def _sentence(text: str, words: Lexicon, persons: frozenset[str]) -> list[Mention]:
    found = [Mention(m.start(), m.end(), m[0], "date", "date") for m in _DATE.finditer(text)]
    for match in _TITLE.finditer(text):
        group = match.lastindex or 1
        found.append(Mention(match.start(group), match.end(group), match[group], "work"))
    for pattern, kind in _patterns(words):
        found += [_capture(match, kind) for match in pattern.finditer(text)]
    if words.language == "ja":
        found += [_capture(match, "") for match in _TOPIC.finditer(text)]
    found = [mention for mention in found if mention.name not in _GENERIC]
    found += [Mention(m.start(), m.end(), m[0], "") for m in _LATIN.finditer(text) if len(m[0]) > 1]
    found += [Mention(m.start(), m.end(), m[0], "person" if "・" in m[0] else "") for m in _KATAKANA.finditer(text)]
    for name in sorted(persons):
        found += [Mention(m.start(), m.end(), name, "person") for m in re.finditer(re.escape(name), text)]
    return _apart(found)


def _capture(match: re.Match[str], kind: str) -> Mention:
    group = match.lastindex or 0
    return Mention(match.start(group), match.end(group), match[group], kind)


def _apart(found: list[Mention]) -> list[Mention]:
    """The mentions without overlaps: the longer wins, of equals the earlier."""
    kept: list[Mention] = []
    taken: set[int] = set()
    for mention in sorted(found, key=lambda m: (m.start - m.end, m.start, m.kind)):
        span = range(mention.start, mention.end)
        if taken.isdisjoint(span):
            taken.update(span)
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _alternatives(words: str) -> str:
    return "|".join(map(re.escape, sorted(words.split(), key=lambda word: (-len(word), word))))


@lru_cache(maxsize=16)
def _compiled(language: str, raw: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    lists = dict(raw)
    made = []
    if lists.get("places"):
        bounds = (r"(?<!\w)(?:[وفبل])?({})(?!\w)", "({})")[language in ("zh", "ja")]
        made.append((re.compile(bounds.format(_alternatives(lists["places"]))), "place"))
    stop = re.escape(lists.get("stop", "").replace(" ", ""))
    for kind in ("organization", "event", "place"):
        if suffixes := lists.get(f"{kind}_suffixes"):
            made.append(
                (
                    re.compile(rf"((?:(?![{stop}])[{_HAN}ァ-ヺー]){{1,8}}?(?:{_alternatives(suffixes)}))(?![省市县])"),
                    kind,
                )
            )
        elif lists.get(kind):  # Arabic: the kind comes first
            made.append(
                (
                    re.compile(
                        rf"(?<!\w)((?:ال)?(?:{_alternatives(lists[kind])}) (?!في |من |على |التي |الذي )\w{{2,}})"
                    ),
                    kind,
                )
            )
    if lists.get("titles") and language == "ar":
        made.append((re.compile(rf"(?<!\w)(?:{_alternatives(lists['titles'])}) (\w{{2,}}(?: \w{{3,}})?)"), "person"))
    return tuple(made)


def _patterns(words: Lexicon) -> tuple[tuple[re.Pattern[str], str], ...]:
    return _compiled(words.language, tuple(sorted(words.raw.items())))


def _persons(sentences: list[str], words: Lexicon) -> frozenset[str]:
    """Chinese personal names: a surname and one or two characters, seen at least twice in the document."""
    surnames = words.raw.get("surnames", "")
    if not surnames:
        return frozenset()
    stop = re.escape(words.raw.get("stop", "").replace(" ", ""))
    pattern = re.compile(rf"(?=((?:^|(?<=[，。、“《：；,和与由])) ?([{surnames}](?:(?![{stop}])[{_HAN}]){{1,2}})))")
    longest: Counter[str] = Counter()
    for text in sentences:
        for match in pattern.finditer(text):
            longest[match[2]] += 1
            if len(match[2]) == 3:
                longest[match[2][:2]] += 1
    good = {name for name, n in longest.items() if n >= 2}
    return frozenset(n for n in good if not any(o != n and o.startswith(n) and longest[o] == longest[n] for o in good))
