"""What statements of verbs and of nouns share: links, aliases, roles and descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english import descriptions, lexicon
from kgsite.extract.offline.english.clauses import Arguments
from kgsite.extract.offline.english.mentions import SentenceMentions
from kgsite.extract.offline.english.records import Link, Mention, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacy.tokens import Token

SURE, CLEAR, LIKELY, LOOSE, WEAK = 0.9, 0.8, 0.7, 0.55, 0.45
"""Confidence by construction: subject–verb–object and agents highest, noun plus preposition lowest."""
MAX_LINKS = 160
"""Per sentence: a list of lists could multiply without end."""
EMPTY = frozenset(
    {
        "use to",
        "refer as",
        "not limited to",
        "not limit",
        "come to",
        "do",
        "get",
        "have to",
        "say to",
        "call",
        "mean",
        "see",
    }
)


class RoleReader:
    """Writes links into the sentence; reads roles such as "head of X"."""

    def __init__(self, mentions: SentenceMentions, used: set[int]) -> None:
        self.mentions = mentions
        self.sentence: Sentence = mentions.sentence
        self.args = Arguments(mentions)
        self.used = used  # nouns whose phrases were read as those of their verb; shared by the readers

    def _mention(self, index: int) -> Mention:
        return self.sentence.mentions[index]

    def _link(
        self, sources: Iterable[int], targets: Iterable[int], predicate: str, confidence: float, *, noun: bool = False
    ) -> None:
        targets = list(targets)
        if not predicate or predicate in EMPTY:
            return
        for source in sources:
            for target in targets:
                if source != target and len(self.sentence.links) < MAX_LINKS:
                    self.sentence.links.append(Link(source, target, predicate, confidence, "noun" if noun else "fact"))

    def _is_name(self, index: int) -> bool:
        return self._mention(index).kind == "name"

    def _alias(self, subjects: list[int], targets: list[int]) -> None:
        """Another name of a named thing; of a common noun ("a capsule called Starliner") the name is one of its kind."""
        for source in subjects[:1]:
            for target in targets:
                if source == target:
                    continue
                if not self._is_name(target):
                    self._link([source], [target], "known as", CLEAR)
                elif self._mention(source).kind == "noun":
                    self._link([target], [source], "is a", CLEAR)
                else:
                    self.sentence.links.append(Link(source, target, "known as", CLEAR, "alias"))

    def _note(self, subjects: list[int], noun: Token) -> None:
        """Keeps the whole phrase as a description of the subject."""
        text = descriptions.phrase(noun)
        if text:
            single = not descriptions.is_plural(noun)
            self.sentence.notes += [(i, text) for i in subjects[:4] if single or self._mention(i).plural]

    def _role_phrases(self, subjects: list[int], noun: Token) -> bool:
        """`head of X`, `professor at Y`, `part of Z`: true when the role was said with its object."""
        lemma = noun.lemma_.casefold()
        if lemma not in lexicon.ROLE_NOUNS:
            return False
        modifier = next(
            (c for c in noun.lefts if c.dep_ in {"amod", "compound"} and c.lower_ in lexicon.ROLE_MODIFIERS), None
        )
        if modifier is not None:
            lemma = f"{modifier.lower_} {lemma}"
        self.used.add(noun.i)
        done = False
        for child in noun.children:
            if child.dep_ == "poss":
                owners = self.args.refs(child)
                if child.tag_ == "WP$":
                    antecedent = self.args.antecedent(child)
                    owners = self.args.refs(antecedent)[-1:] if antecedent is not None else []
                self._link(subjects, owners, f"{lemma} of", CLEAR)
                done = done or bool(owners)
        for preposition, targets, _ in self.args.prepositions(noun):
            if preposition in {"of", "at", "for", "in", "to", "from", "on"}:
                timeless = [t for t in targets if self._mention(t).kind != "date"]
                self._link(
                    subjects, timeless, f"{lemma} {preposition}", CLEAR if preposition in {"of", "at"} else LIKELY
                )
                done = done or preposition in {"of", "at"}
        return done
