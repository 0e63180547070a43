"""Statements of one sentence, read off its dependency tree.

Confidence says how well the construction is usually parsed: subject–verb–object and agents highest, noun plus
preposition lowest. Hypothetical clauses and questions state nothing and give nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon, naming, predicates
from kgsite.extract.offline.english.clauses import OBJECT_CONTROL, Arguments, is_such_as
from kgsite.extract.offline.english.mentions import SentenceMentions, names_person
from kgsite.extract.offline.english.records import Link, Mention, Sentence
from kgsite.extract.offline.english.things import given_name
from kgsite.extract.offline.english.types import by_head

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacy.tokens import Span, Token

SURE, CLEAR, LIKELY, LOOSE, WEAK = 0.9, 0.8, 0.7, 0.55, 0.45
MAX_LINKS = 160
"""Per sentence: a list of lists could multiply without end."""
OBJECT_PREPOSITIONS = frozenset({"to", "as", "into", "from", "in", "at", "on", "onto", "during", "under", "near", "after", "by", "inside", "within"})
CLAUSE_VERBS = frozenset({"VERB", "AUX"})


class RelationReader:
    """Fills `sentence.links` and `sentence.notes`."""

    def __init__(self, mentions: SentenceMentions) -> None:
        self.mentions = mentions
        self.sentence: Sentence = mentions.sentence
        self.args = Arguments(mentions)
        self.used: set[int] = set()  # nouns whose phrases were read as those of their verb

    def read(self, span: Span) -> None:
        for token in span:
            if token.pos_ in CLAUSE_VERBS and token.dep_ not in {"aux", "auxpass", "amod", "compound"} and not _hypothetical(token):
                self._verb(token)
            if token.pos_ in {"NOUN", "PROPN", "X"} or token.i in self.mentions.at:
                self._noun(token)

    def _mention(self, index: int) -> Mention:
        return self.sentence.mentions[index]

    def _link(self, sources: Iterable[int], targets: Iterable[int], predicate: str, confidence: float, *, noun: bool = False) -> None:
        targets = list(targets)
        if not predicate:
            return
        for source in sources:
            for target in targets:
                if source != target and len(self.sentence.links) < MAX_LINKS:
                    self.sentence.links.append(Link(source, target, predicate, confidence, "noun" if noun else "fact"))

    # ── verbs ─────────────────────────────────────────────────────────────────────────────────────
    def _verb(self, verb: Token) -> None:
        subjects = self.args.subjects(verb)
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
        controls = verb.lemma_ in OBJECT_CONTROL and any(c.dep_ in {"xcomp", "ccomp"} for c in verb.children)
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
        for preposition, targets, token in self.args.prepositions(verb) if not hedged else ():
            if preposition == "as" and self._acts_as(verb, subjects, token):
                continue
            self._active_phrase(verb, subjects, objects, preposition, targets, token)
        self._dates(verb, subjects, objects)

    def _active_phrase(
        self, verb: Token, subjects: list[int], objects: list[int], preposition: str, targets: list[int], token: Token
    ) -> None:
        has_object = any(child.dep_ in {"dobj", "ccomp"} for child in verb.children) or bool(objects)
        if not has_object:
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

    def _perfect(self, verb: Token, subjects: list[int]) -> bool:
        """`have transformed society` parsed as having a transformed society."""
        for noun in verb.children:
            first = next(iter(noun.lefts), None) if noun.dep_ == "dobj" else None
            if first is not None and first.tag_ == "VBN" and first.i > verb.i and all(t.pos_ == "ADV" for t in verb.doc[verb.i + 1 : first.i]):
                self._link(subjects, self.args.refs(noun), first.lemma_.casefold(), LIKELY)
                return True
        return False

    def _acts_as(self, verb: Token, subjects: list[int], preposition: Token) -> bool:
        """`served as director of X`, `with Y as director of X`: true when the role was said with its object."""
        holders = [t for word, targets, _ in self.args.prepositions(verb) if word == "with" for t in targets if self._is_name(t)]
        return any(self._role_phrases(holders or subjects, noun) for noun in preposition.children if noun.dep_ == "pobj")

    def _is_inanimate(self, index: int) -> bool:
        mention = self._mention(index)
        return mention.kind != "pronoun" and mention.label not in {"PERSON", "GPE", "LOC"} and mention.head not in lexicon.PERSON_NOUNS

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
        for preposition, targets, token in self.args.prepositions(verb):
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
        if verb.lemma_ in {"bear", "call", "know", "nickname", "dub", "abbreviate"} and any(self._is_name(t) for t in targets):
            self._alias(subjects, targets)
        else:
            self._link(subjects, targets, predicates.participle(verb), CLEAR)

    def _alias(self, subjects: list[int], targets: list[int]) -> None:
        for source in subjects[:1]:
            for target in targets:
                if source != target and self._mention(target).kind == "name":
                    self.sentence.links.append(Link(source, target, "known as", CLEAR, "alias"))
                elif source != target:
                    self._link([source], [target], "known as", CLEAR)

    def _is_name(self, index: int) -> bool:
        return self._mention(index).kind == "name"

    def _copula(self, verb: Token, subjects: list[int], attributes: list[Token]) -> None:
        if any(child.dep_ == "expl" for child in verb.children):
            return
        negated = predicates.negated(verb)
        if not negated and self._inverted(verb, attributes):
            return
        for child in attributes:
            if child.pos_ in {"NOUN", "PROPN", "NUM", "ADJ"} and not negated:
                self._role(verb, subjects, child)
            elif negated:
                self._link(subjects, self.args.refs(child), "is not", LOOSE)
        for child in verb.children:
            if child.dep_ == "acomp":
                word = child.lower_
                for preposition, targets, _ in self.args.prepositions(child):
                    phrase = f"{word} {preposition}"
                    if any(c.lower_ == "more" for c in child.children):
                        phrase = f"more {phrase}"
                    self._link(subjects, targets, f"not {phrase}" if negated else phrase, LOOSE)
        for preposition, targets, _ in self.args.prepositions(verb):
            if not attributes:
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

    def _role_phrases(self, subjects: list[int], noun: Token) -> bool:
        """`head of X`, `professor at Y`, `part of Z`: true when the role was said with its object."""
        lemma = noun.lemma_.casefold()
        if lemma not in lexicon.ROLE_NOUNS:
            return False
        modifier = next((c for c in noun.lefts if c.dep_ in {"amod", "compound"} and c.lower_ in lexicon.ROLE_MODIFIERS), None)
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
                targets = [t for t in targets if self._mention(t).kind != "date"]
                self._link(subjects, targets, f"{lemma} {preposition}", CLEAR if preposition in {"of", "at"} else LIKELY)
                done = done or preposition in {"of", "at"}
        return done

    def _note(self, subjects: list[int], noun: Token) -> None:
        """Keeps the whole phrase as a description of the subject."""
        words = [t for t in noun.subtree if t.i >= noun.left_edge.i]
        cut = next((k for k, t in enumerate(words) if t.i > noun.i and (t.dep_ in {"relcl", "advcl", "punct", "cc"})), len(words))
        relative = next((k for k, t in enumerate(words) if t.i > noun.i and t.tag_ in {"WP", "WDT", "WRB"}), cut)
        words = words[: min(cut, relative)]
        if not words:
            return
        text = naming.tidy(noun.doc[words[0].i : words[-1].i + 1].text)
        if len(text.split()) >= 2 and len(text) <= 160:
            self.sentence.notes += [(index, text) for index in subjects[:4]]

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
            self._link(subjects, antecedent[-1:], predicates.active(verb, "in"), LOOSE)

    # ── nouns ─────────────────────────────────────────────────────────────────────────────────────
    def _noun(self, noun: Token) -> None:
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
        if own in self.mentions.class_plural:
            self._share_class(noun, own)
        if self._mention(own).title in lexicon.KIN:
            self._kin_before(noun, own)

    def _share_class(self, noun: Token, own: int) -> None:
        """`astronauts A, B and C`: the class holds for each."""
        classes = [link for link in self.sentence.links if link.source == own and link.predicate == "is a"]
        for link in classes[:1]:
            self._link([m for m in self.args.refs(noun) if m != own and self._is_name(m)], [link.target], "is a", link.confidence)

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
        for preposition, targets, token in self.args.prepositions(noun):
            if token.lower_ in {"including", "like"} or is_such_as(token):
                continue
            if (light and preposition == "of") or token.pos_ == "VERB" or preposition in {"than", "as"}:
                continue
            if self._of_verb(noun, preposition, targets):
                continue
            targets = [t for t in targets if self._mention(t).start > self._mention(own).start]
            self._link([own], targets, preposition, LOOSE if preposition == "of" else WEAK, noun=True)

    def _members(self, noun: Token, own: int) -> None:
        """`cities such as Lowell`, `experiments including a seismometer`: each is one of the class."""
        if noun.tag_ not in {"NNS", "NNPS", "NN"} or noun.pos_ == "PROPN":
            return
        for prep in noun.children:
            if prep.dep_ == "prep" and (prep.lower_ in {"including", "like"} or is_such_as(prep)) and prep.left_edge.i - noun.i <= 2:
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
        if Arguments._is_list(appositive):
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
            if noun.lemma_.casefold() in lexicon.KIN:
                self._mention(other).title = noun.lemma_.casefold()
            elif all(t.is_punct for t in noun.doc[noun.i + 1 : appositive.left_edge.i]):
                self._described(other, noun)

    def _described(self, name: int, noun: Token) -> None:
        """`X, an instructor at the School`: the noun phrase says what the name is."""
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
            modifier = next((c for c in noun.lefts if c.dep_ in {"amod", "compound"} and c.lower_ in lexicon.ROLE_MODIFIERS), None)
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


def _hypothetical(verb: Token) -> bool:
    return any(child.dep_ == "mark" and child.lower_ in {"if", "unless", "whether", "lest"} for child in verb.children)


def _is_main(verb: Token) -> bool:
    return verb.dep_ in {"ROOT", "conj", "ccomp", "relcl"}


def _quoted(verb: Token) -> bool:
    """A verb of speech beside quotation marks introduces words, not facts."""
    return any(token.text in {'"', "''", "``"} for token in verb.sent)

