"""Statements of noun phrases: appositions, possession, classes and prepositions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon, predicates
from kgsite.extract.offline.english.clauses import Arguments, is_such_as
from kgsite.extract.offline.english.mentions import names_person
from kgsite.extract.offline.english.records import Link
from kgsite.extract.offline.english.roles import CLEAR, LIKELY, LOOSE, SURE, WEAK, RoleReader
from kgsite.extract.offline.english.things import given_name
from kgsite.extract.offline.english.types import by_head

if TYPE_CHECKING:
    from spacy.tokens import Token


class NounReader(RoleReader):
    """Reads one noun with what hangs on it."""

    def read(self, noun: Token) -> None:
        for child in noun.children:
            if child.dep_ == "appos":
                self._apposition(noun, child)
            elif child.dep_ == "poss":
                self._possession(noun, child)
        if noun.i not in self.used and (noun.dep_ not in {"attr", "oprd"} or noun.lemma_ not in lexicon.ROLE_NOUNS):
            self._phrases(noun)
        own = self.mentions.at.get(noun.i)
        if own is None:
            return
        before = noun.nbor(1) if noun.i + 1 < len(noun.doc) and noun.dep_ == "nsubj" and noun.pos_ == "NOUN" else None
        if (
            before is not None
            and before.head.dep_ == "nsubj"
            and before.head.head == noun.head
            and self.args.is_named(before.head)
        ):
            self._described(self.mentions.at[before.head.i], noun)
        if own in self.mentions.class_plural:
            self._share_class(noun, own)
        if self._mention(own).title in lexicon.KIN:
            self._kin_before(noun, own)

    def _share_class(self, noun: Token, own: int) -> None:
        """`astronauts A, B and C`: the class holds for each."""
        classes = [link for link in self.sentence.links if link.source == own and link.predicate == "is a"]
        for link in classes[:1]:
            self._link(
                [m for m in self.args.refs(noun) if m != own and self._is_name(m)],
                [link.target],
                "is a",
                link.confidence,
            )

    def _kin_before(self, noun: Token, own: int) -> None:
        """`her older sister Ada's studies`: the possessive pronoun may hang on another word than the name."""
        for token in reversed(list(noun.doc[max(noun.i - 6, noun.sent.start) : noun.i])):
            if token.tag_ == "PRP$" and token.i in self.mentions.at and token.head != noun:
                self._link([own], [self.mentions.at[token.i]], f"{self._mention(own).title} of", CLEAR)
                return
            if token.pos_ not in {"NOUN", "ADJ", "PROPN"}:
                return

    def _of_verb(self, noun: Token, preposition: str, targets: list[int]) -> bool:
        """`notify the authority of a breach`: the phrase belongs to the verb."""
        verb = noun.head
        if preposition != "of" or noun.dep_ not in {"dobj", "nsubjpass"} or verb.lemma_ not in lexicon.OF_VERBS:
            return False
        self._link(self.args.refs(noun), targets, predicates.participle(verb, "of"), CLEAR)
        return True

    def _phrases(self, noun: Token) -> None:
        """Noun plus preposition: "School in Paris", "cities such as Lowell", "discovery of radium by Curie"."""
        lemma = noun.lemma_.casefold()
        own = self.mentions.at.get(noun.i)
        if lemma in lexicon.DEVERBAL and self._deverbal(noun, lexicon.DEVERBAL[lemma]):
            return
        if own is None:
            return
        light = lemma in lexicon.LIGHT | lexicon.TRANSPARENT
        self._members(noun, own)
        self._link(self.args.enumerated(noun) if noun.tag_ == "NNS" else [], [own], "is a", LIKELY)
        for preposition, targets, token in self.args.prepositions(noun):
            if token.lower_ in {"including", "like"} or is_such_as(token):
                continue
            if (light and preposition == "of") or token.pos_ == "VERB" or preposition in {"than", "as"}:
                continue
            if self._of_verb(noun, preposition, targets):
                continue
            after = [t for t in targets if self._mention(t).start > self._mention(own).start]
            self._link([own], after, preposition, LOOSE if preposition == "of" else WEAK, noun=True)

    def _members(self, noun: Token, own: int) -> None:
        """`cities such as Lowell`, `experiments including a seismometer`: each is one of the class."""
        if noun.tag_ != "NNS" and noun.lemma_.casefold() not in lexicon.MASS_CLASSES:
            return
        for prep in noun.children:
            if (
                prep.dep_ == "prep"
                and (prep.lower_ in {"including", "like"} or is_such_as(prep))
                and prep.left_edge.i - noun.i <= 2
            ):
                members = [t for c in prep.children if c.dep_ == "pobj" for t in self.args.refs(c)]
                self._link(members, [own], "is a", LIKELY)

    def _deverbal(self, noun: Token, participle: str) -> bool:
        """`the invention of the telephone by Bell` and `Bell's invention of the telephone`."""
        phrases = list(self.args.prepositions(noun))
        things = [t for preposition, targets, _ in phrases if preposition == "of" for t in targets]
        makers = [t for preposition, targets, _ in phrases if preposition == "by" for t in targets]
        makers += [t for child in noun.children if child.dep_ == "poss" for t in self.args.refs(child)]
        makers += [
            t
            for child in things[-1:]
            for preposition, targets, _ in self._phrases_of(child)
            if preposition == "by"
            for t in targets
        ]
        if any(self._is_name(t) for t in makers):
            makers = [t for t in makers if self._is_name(t) or self._mention(t).kind == "pronoun"]
        if not things or not makers:
            return False
        self._link(things, makers, f"{participle} by", CLEAR)
        return True

    def _phrases_of(self, index: int) -> list[tuple[str, list[int], Token]]:
        token = next((i for i, other in self.mentions.at.items() if other == index), None)
        return [] if token is None else list(self.args.prepositions(self.mentions.doc[token]))

    def _apposition(self, noun: Token, appositive: Token) -> None:
        if Arguments.is_list(appositive):
            return
        own = self.mentions.at.get(noun.i)
        other = self.mentions.at.get(appositive.i)
        first_kind = self._mention(own).kind if own is not None else ""
        second_kind = self._mention(other).kind if other is not None else ""
        if first_kind == "name" and second_kind == "name" and own is not None and other is not None:
            self._two_names(own, other, appositive)
        elif first_kind in {"name", "noun"} and own is not None and second_kind != "name" and second_kind != "date":
            articled = first_kind == "name" or any(c.lower_ in {"a", "an"} for c in appositive.children)
            if articled and appositive.doc[appositive.left_edge.i - 1].text in {",", "(", "-", "–", "—", ":"}:
                self._described(own, appositive)
        elif second_kind == "name" and other is not None:
            if noun.lemma_.casefold() in lexicon.KIN and self._mention(other).label != "GPE":
                self._mention(other).title = noun.lemma_.casefold()
            elif all(t.is_punct for t in noun.doc[noun.i + 1 : appositive.left_edge.i]):
                self._described(other, noun)

    def _described(self, name: int, noun: Token) -> None:
        """`X, an instructor at the School`: the noun phrase says what the name is."""
        if self._mention(name).label in {"GPE", "LOC"} and names_person(noun.lower_):
            return  # "born in Mainz, the son of a merchant": said of somebody else
        person = self._mention(name).label == "PERSON" or bool(given_name(self._mention(name).name))
        if person and by_head(noun.lower_, proper=False) not in {"", "person"}:
            return
        if person and not names_person(noun.lower_) and noun.lemma_.casefold() not in lexicon.ROLE_NOUNS:
            return
        if self._mention(name).kind == "name":
            self._note([name], noun)
        if self._role_phrases([name], noun):
            return
        target = self.mentions.at.get(noun.i)
        if target is not None and (self._mention(name).kind == "name" or noun.i > 0):
            self._link([name], [target], "is a", CLEAR)

    def _two_names(self, own: int, other: int, appositive: Token) -> None:
        before = appositive.doc[appositive.left_edge.i - 1] if appositive.left_edge.i else appositive
        bracket = before.text == "("
        first, second = self._mention(own), self._mention(other)
        place = {"GPE", "LOC"}
        if first.label in place and second.label in place and not bracket:
            self._link([own], [other], "located in", CLEAR)
        elif bracket or any(c.dep_ == "det" for c in appositive.children):
            self.sentence.links.append(Link(own, other, "known as", CLEAR, "alias"))
        elif second.label in place:
            self._link([own], [other], "located in", LIKELY)

    def _possession(self, noun: Token, owner: Token) -> None:
        """`her father, X` (father of), `Whitney's cotton gin` (of)."""
        owners = self.args.refs(owner)
        if any(c.dep_ == "poss" and c.i > owner.i for c in noun.children):
            return  # "her sister Ada's studies": the nearer owner owns
        if owner.tag_ == "WP$":
            antecedent = self.args.antecedent(owner)
            owners = self.args.refs(antecedent)[-1:] if antecedent is not None else []
        lemma = noun.lemma_.casefold()
        things = self.args.refs(noun)
        names = [t for t in things if self._is_name(t)]
        if lemma in lexicon.ROLE_NOUNS or lemma in lexicon.KIN:
            modifier = next(
                (c for c in noun.lefts if c.dep_ in {"amod", "compound"} and c.lower_ in lexicon.ROLE_MODIFIERS), None
            )
            lemma = f"{modifier.lower_} {lemma}" if modifier is not None else lemma
            appositives = [c for c in noun.children if c.dep_ == "appos"]
            found = [t for c in appositives for t in self.args.refs(c) if self._is_name(t)] or names
            self._link(found[:1], owners, f"{lemma} of", SURE)
            return
        title = self._mention(things[0]).title if things else ""
        if title in lexicon.KIN:  # "his brother Jacques Curie" in one noun phrase
            self._link(things[:1], owners, f"{title} of", SURE)
            return
        if lemma not in lexicon.VAGUE and lemma not in lexicon.DEVERBAL:
            self._link(things[:1], owners, "of", LOOSE, noun=True)
