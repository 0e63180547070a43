"""Statements of verbs: who does what, to what, where and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon, predicates
from kgsite.extract.offline.english.clauses import OBJECT_CONTROL
from kgsite.extract.offline.english.roles import CLEAR, LIKELY, LOOSE, SURE, WEAK, RoleReader

if TYPE_CHECKING:
    from spacy.tokens import Token


class VerbReader(RoleReader):
    """Reads one verb with its arguments."""

    def read(self, verb: Token) -> None:
        subjects = self.args.subjects(verb)
        if verb.lemma_ in lexicon.HUMAN_VERBS:
            for index in subjects:
                self._mention(index).human = self._is_name(index) and self._mention(index).label != "NORP"
        attributes = [child for child in verb.children if child.dep_ in {"attr", "oprd"}]
        if verb.lemma_ in {"be", "become", "remain"} and subjects:
            self._copula(verb, subjects, attributes)
            return
        if verb.lemma_ in lexicon.SPEECH_VERBS and _quoted(verb):
            return
        if self.args.is_passive(verb):
            self._passive(verb, subjects, attributes)
        else:
            self._active(verb, subjects)
        self._place_of_relative(verb, subjects)

    def _active(self, verb: Token, subjects: list[int]) -> None:
        objects = self.args.objects(verb)
        if verb.lemma_ == "have" or (verb.lemma_ in lexicon.WEAK_VERBS and not objects):
            if verb.lemma_ == "have" and not self._perfect(verb, subjects):
                self._link(subjects, objects, "not have" if predicates.negated(verb) else "have", LIKELY)
            return
        if self._light_object(verb, subjects):
            return
        controls = verb.lemma_ in OBJECT_CONTROL and any(
            c.dep_ == "xcomp" or (c.dep_ == "ccomp" and not any(m.dep_ == "mark" for m in c.children))
            for c in verb.children
        )
        if controls:
            return  # "enabled factories to replace …": the factories replace
        if verb.dep_ == "pcomp" and verb.head.dep_ == "agent":
            return  # "driven by groundbreaking inventions": see Arguments.prepositions
        self._link(subjects, objects, predicates.active(verb), SURE if _is_main(verb) else CLEAR)
        for child in verb.children:
            if child.dep_ == "dative" and child.pos_ in {"NOUN", "PROPN", "PRON"}:
                receivers = self.args.refs(child)
                self._link(objects, receivers, predicates.participle(verb, "to"), CLEAR)
                self._link(subjects, receivers, predicates.active(verb, "to") if objects else "", LOOSE)
        hedged = verb.lemma_ in lexicon.HEDGE_VERBS and any(c.dep_ in {"xcomp", "ccomp"} for c in verb.children)
        for preposition, targets, token in self._verb_phrases(verb) if not hedged else ():
            if preposition == "as" and self._acts_as(verb, objects or subjects, token):
                continue
            self._active_phrase(verb, subjects, objects, preposition, targets, token)
        self._dates(verb, subjects, objects)

    def _active_phrase(
        self, verb: Token, subjects: list[int], objects: list[int], preposition: str, targets: list[int], token: Token
    ) -> None:
        has_object = any(child.dep_ in {"dobj", "ccomp"} for child in verb.children) or bool(objects)
        spent = verb.lemma_ == "spend" and not objects and any(c.dep_ in {"dobj", "npadvmod"} for c in verb.children)
        if spent and preposition in {"in", "at", "on", "with"}:  # "spent three days in the valley"
            self._link(subjects, targets, f"spend time {preposition}", LIKELY)
        elif not has_object:
            self._link(subjects, targets, predicates.active(verb, preposition), CLEAR)
        elif preposition in {"with", "against"} and any(self._is_name(t) for t in targets):
            self._link(subjects, targets, predicates.active(verb, preposition), LOOSE)
        elif objects:
            fronted = token.i < verb.i
            dates = [t for t in targets if self._mention(t).kind == "date"]
            others = [t for t in targets if t not in dates]
            acted = [o for o in objects if self._is_inanimate(o)]
            self._link(acted, dates, predicates.participle(verb, preposition), LIKELY)
            if not acted:
                self._link(subjects, dates, predicates.active(verb, preposition), LOOSE)
            if not fronted or preposition in {"in", "at", "on"}:
                self._link(objects, others, predicates.participle(verb, preposition), LIKELY)

    def _verb_phrases(self, verb: Token) -> list[tuple[str, list[int], Token]]:
        """The prepositional phrases of a verb, without those that belong to the name before them.

        "moved to the Panthéon in Paris": the Panthéon is in Paris, nothing was moved in it. A phrase with "with"
        goes when its person holds a role that "as" states.
        """
        phrases = list(self.args.prepositions(verb))
        acting = any(
            word == "as" and any(c.lemma_.casefold() in lexicon.ROLE_NOUNS for c in t.children)
            for word, _, t in phrases
        )
        kept: list[tuple[str, list[int], Token]] = []
        for preposition, targets, token in phrases:
            before = self.mentions.covered.get(token.i - 1) if preposition == "in" else None
            place = bool(targets) and self._mention(targets[0]).label == "GPE"
            if before is not None and place and any(before in found for _, found, _ in kept) and self._is_site(before):
                self._link([before], targets, "located in", LIKELY)
            elif not (acting and preposition == "with"):
                kept.append((preposition, targets, token))
        return kept

    def _is_site(self, index: int) -> bool:
        mention = self._mention(index)
        return mention.kind == "name" and mention.label not in {"PERSON", "DATE", "NORP", "GPE"}

    def _perfect(self, verb: Token, subjects: list[int]) -> bool:
        """`have transformed society` parsed as having a transformed society."""
        for noun in verb.children:
            first = next(iter(noun.lefts), None) if noun.dep_ == "dobj" else None
            if (
                first is not None
                and first.tag_ == "VBN"
                and first.i > verb.i
                and all(t.pos_ == "ADV" for t in verb.doc[verb.i + 1 : first.i])
            ):
                self._link(subjects, self.args.refs(noun), first.lemma_.casefold(), LIKELY)
                return True
        return False

    def _acts_as(self, verb: Token, subjects: list[int], preposition: Token) -> bool:
        """`served as director of X`, `with Y as director of X`: true when the role was said with its object."""
        holders = [
            t
            for word, targets, _ in self.args.prepositions(verb)
            if word == "with"
            for t in targets
            if self._is_name(t)
        ]
        return any(
            self._role_phrases(holders or subjects, noun) for noun in preposition.children if noun.dep_ == "pobj"
        )

    def _is_inanimate(self, index: int) -> bool:
        mention = self._mention(index)
        return (
            mention.kind != "pronoun"
            and mention.label not in {"PERSON", "GPE", "LOC"}
            and mention.head not in lexicon.PERSON_NOUNS
        )

    def _light_object(self, verb: Token, subjects: list[int]) -> bool:
        """`take part in`, `make use of`: true when verb and noun were read as one predicate."""
        if verb.lemma_ not in lexicon.LIGHT_VERBS:
            return False
        noun = next((c for c in verb.children if c.dep_ == "dobj" and c.lemma_.lower() in lexicon.LIGHT_OBJECTS), None)
        if noun is None:
            return False
        word = noun.lemma_.casefold()
        for preposition, targets, _ in (*self.args.prepositions(noun), *self.args.prepositions(verb)):
            words = f"{verb.lemma_} {word} {preposition}"
            self._link(subjects, targets, words if len(words.split()) <= predicates.MAX_WORDS else "", CLEAR)
        return True

    def _passive(self, verb: Token, subjects: list[int], attributes: list[Token]) -> None:
        named = [child for child in verb.children if child.dep_ in {"oprd", "dobj", "attr"}]
        if verb.lemma_ in lexicon.NAMING_VERBS or verb.lemma_ == "bear":
            for child in named:
                self._named(verb, subjects, child)
        else:
            for child in attributes:
                self._role(verb, subjects, child)
            for child in named:
                if child.dep_ == "dobj":
                    self._link(subjects, self.args.refs(child), predicates.participle(verb), LIKELY)
        for preposition, targets, token in self._verb_phrases(verb):
            if preposition == "as" and verb.lemma_ in {"know", "refer"}:
                self._alias(subjects, targets)
                continue
            if preposition == "as" and self._acts_as(verb, subjects, token):
                continue
            sure = SURE if token.dep_ == "agent" else CLEAR
            self._link(subjects, targets, predicates.participle(verb, preposition), sure)
        if verb.lemma_ == "bear":
            for child in named:  # "born X in Y" is often parsed with the place below the name
                for preposition, targets, _ in self.args.prepositions(child):
                    self._link(subjects, targets, f"born {preposition}", CLEAR)
                self.used.add(child.i)
        self._dates(verb, [], subjects)

    def _named(self, verb: Token, subjects: list[int], child: Token) -> None:
        targets = self.args.refs(child)
        if verb.lemma_ in {"bear", "call", "know", "nickname", "dub", "abbreviate"} and any(
            self._is_name(t) for t in targets
        ):
            self._alias(subjects, targets)
        else:
            self._link(subjects, targets, predicates.participle(verb), CLEAR)

    def _copula(self, verb: Token, subjects: list[int], attributes: list[Token]) -> None:
        if any(child.dep_ == "expl" for child in verb.children):
            return
        negated = predicates.negated(verb)
        if not negated and self._inverted(verb, attributes):
            return
        for child in attributes:
            if child.pos_ in {"NOUN", "PROPN", "NUM", "ADJ"} and not negated:
                self._role(verb, subjects, child)
        for child in verb.children:
            if child.dep_ == "acomp":
                word = child.lower_
                for preposition, targets, _ in self.args.prepositions(child):
                    phrase = f"{word} {preposition}"
                    if any(c.lower_ == "more" for c in child.children):
                        phrase = f"more {phrase}"
                    self._link(subjects, targets, f"not {phrase}" if negated else phrase, LOOSE)
        for preposition, targets, _ in self.args.prepositions(verb):
            if not attributes and not any(child.dep_ == "acomp" for child in verb.children):
                phrase = preposition if verb.lemma_ == "be" else f"{verb.lemma_} {preposition}"
                self._link(subjects, targets, f"not {phrase}" if negated else phrase, LIKELY)

    def _inverted(self, verb: Token, attributes: list[Token]) -> bool:
        """`the first director of X was Ada`: Ada is the director."""
        holders = [t for child in attributes for t in self.args.refs(child)]
        if not holders or not (self._is_name(holders[0]) or self._mention(holders[0]).kind == "noun"):
            return False
        for child in verb.children:
            if child.dep_ == "nsubj" and child.pos_ == "NOUN" and child.lemma_.casefold() in lexicon.ROLE_NOUNS:
                owned = any(c.dep_ == "poss" or c.lower_ == "of" for c in child.children)
                if owned and (self._is_name(holders[0]) or child.lemma_ not in lexicon.PERSON_NOUNS):
                    return self._role_phrases(holders, child)
        return False

    def _role(self, verb: Token, subjects: list[int], noun: Token) -> None:
        """The noun says what the subject is: a role with its "of", or a class."""
        self._note(subjects, noun)
        if noun.lemma_.casefold() in lexicon.GENERIC:
            return
        if self._role_phrases(subjects, noun):
            return
        targets = self.args.refs(noun)
        if verb.lemma_ not in {"be", "become", "remain"}:
            predicate = predicates.participle(verb, "")
        elif verb.lemma_ == "be":
            indefinite = any(c.dep_ == "det" and c.lower_ in {"a", "an", "one"} for c in noun.children)
            predicate = "is a" if indefinite else "is"
        else:
            predicate = verb.lemma_
        self._link(subjects, targets, predicate, CLEAR)
        if noun.i not in self.mentions.at or noun.lemma_ in lexicon.VAGUE:
            return
        for preposition, objects, _ in self.args.prepositions(noun):
            if preposition in {"in", "at"}:
                self._link(subjects, [t for t in objects if self._is_name(t)], preposition, WEAK)

    def _dates(self, verb: Token, subjects: list[int], objects: list[int]) -> None:
        """Dates without a preposition: "opened 4 May 1904"."""
        for child in verb.children:
            if child.dep_ in {"npadvmod", "tmod"} and child.i in self.mentions.at:
                index = self.mentions.at[child.i]
                if self._mention(index).kind != "date":
                    continue
                if objects:
                    self._link(objects, [index], predicates.participle(verb, "on"), LOOSE)
                else:
                    self._link(subjects, [index], predicates.active(verb, "on"), LOOSE)

    def _place_of_relative(self, verb: Token, subjects: list[int]) -> None:
        """`Brussels, where she met Einstein`: the clause happened at the antecedent."""
        if verb.dep_ != "relcl" or not any(c.lower_ == "where" for c in verb.children):
            return
        antecedent = self.args.refs(verb.head)
        if antecedent and not any(c.dep_ == "dobj" for c in verb.children):
            passive = self.args.is_passive(verb)
            predicate = predicates.participle(verb, "in") if passive else predicates.active(verb, "in")
            self._link(subjects, antecedent[-1:], predicate, LOOSE)


def _is_main(verb: Token) -> bool:
    return verb.dep_ in {"ROOT", "conj", "ccomp", "relcl"}


def _quoted(verb: Token) -> bool:
    """A verb of speech beside quotation marks introduces words, not facts."""
    return any(token.text in {'"', "''", "``"} for token in verb.sent)
