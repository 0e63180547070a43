"""Which stretches of a parsed sentence stand for things.

Noun chunks are things, not only what the entity recogniser knows; it contributes labels, borders of names with
"of" and "and" in them, and dates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon, naming
from kgsite.extract.offline.english.passages import Passage
from kgsite.extract.offline.english.records import Link, Mention, Sentence
from kgsite.extract.offline.english.types import by_head

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

NAME_LABELS = frozenset(
    {"PERSON", "ORG", "GPE", "LOC", "FAC", "EVENT", "PRODUCT", "WORK_OF_ART", "LAW", "LANGUAGE", "NORP"}
)
MEASURE_LABELS = frozenset({"TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"})
PRONOUNS = frozenset({"he", "she", "him", "her", "his", "hers", "it", "its", "they", "them", "their", "theirs"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})


def capitalised(token: Token) -> bool:
    return token.shape_[:1] == "X" or (token.pos_ == "PROPN" and token.text[:1].isupper())


class SentenceMentions:
    """The mentions of one sentence, found by the token that heads each."""

    def __init__(self, doc: Doc, span: Span, chunks: Sequence[Span], passage: Passage, sentence: Sentence) -> None:
        """`chunks`: the noun chunks of the sentence; `passage`: the text that `doc` is the parse of."""
        self.doc = doc
        self.passage = passage
        self.sentence = sentence
        self.at: dict[int, int] = {}  # index of a head token → mention
        self.covered: dict[int, int] = {}  # index of any token → mention that holds it
        self.blocked: set[int] = set()  # tokens of relative dates: things of no document
        self.class_plural: set[int] = set()  # names after a plural class: "astronauts A, B and C"
        self._names = self._usable_entities(span)
        for chunk in chunks:
            self._add_chunk(chunk)
        for entity in self._names:
            if not any(token.i in self.covered for token in entity):
                self._add_name(entity, entity.root, entity.label_)
        for token in span:
            if token.dep_ in {"dobj", "pobj", "nsubj", "nsubjpass"} and token.i not in self.covered:
                self._add_unchunked(token)
            if token.tag_ == "PRP$" and token.lower_ in PRONOUNS:
                self._add_pronoun(token)
            elif token.dep_ == "poss" and token.pos_ in {"NOUN", "PROPN"} and token.i not in self.covered:
                self._add_tokens([t for t in token.subtree if t.i <= token.i], token)

    def _add_unchunked(self, token: Token) -> None:
        """A noun in argument position that the tagger took for another word: "the uranium rays that …"."""
        if token.tag_ in {"JJ", "VBZ", "NN", "NNS", "VB", "VBP", "FW"} and token.is_alpha and len(token) > 3:
            parts = {c.i for c in token.lefts if c.dep_ in {"det", "compound", "amod", "nummod", "nmod", "poss"}}
            tokens = [t for t in self.doc[min(parts, default=token.i) : token.i + 1] if t.i in parts or t == token]
            determined = any(t.dep_ in {"det", "compound", "amod"} for t in tokens)
            if determined or (token.dep_ in {"dobj", "pobj"} and token.tag_ != "JJ") or token.n_rights:
                self._add_tokens(tokens, token)

    # ── entities of the recogniser ────────────────────────────────────────────────────────────────
    def _usable_entities(self, span: Span) -> list[Span]:
        names = []
        for entity in span.ents:
            if entity.label_ == "DATE":
                self._add_date(entity)
            elif entity.label_ in NAME_LABELS and any(capitalised(token) for token in entity):
                names += _parts(entity)
        return names

    def _add_date(self, entity: Span) -> None:
        name = naming.date_name(entity.text)
        if not name:
            if not all(token.is_title and token.is_alpha for token in entity) or entity.root.lower_ in lexicon.VAGUE:
                self.blocked |= {token.i for token in entity}  # "the next day", "Thursday"
            return
        skipped = entity.text.find(name)
        first = entity.start_char + max(skipped, 0)
        start, end = self.passage.span(first, min(first + len(name), entity.end_char))
        index = self._append(Mention(start, end, name, "date", "DATE", "date"))
        for token in entity:
            self.covered[token.i] = index
        self.at[entity.root.i] = index
        if entity.root.pos_ == "ADP":  # "between 1965 and 1966": the date is what the preposition governs
            self.at.update((child.i, index) for child in entity.root.children if child.dep_ == "pobj")
        for token in entity:  # "25 May" heads the parse, "1961" the entity, or the other way round
            if token.head.i < entity.start or token.head.i >= entity.end:
                self.at[token.i] = index

    def _name_over(self, token: Token) -> Span | None:
        return next((e for e in self._names if e.start <= token.i < e.end), None)

    # ── noun chunks ───────────────────────────────────────────────────────────────────────────────
    def _add_chunk(self, chunk: Span) -> None:
        root = chunk.root
        if root.i in self.covered:
            return
        if root.pos_ == "PRON" or root.tag_ in {"PRP", "WP", "WDT", "EX", "DT"}:
            if root.lower_ in PRONOUNS:
                self._add_pronoun(root)
            return
        if root.ent_type_ in MEASURE_LABELS and all(t.ent_type_ in MEASURE_LABELS or t.pos_ == "DET" for t in chunk):
            return
        owner = next((t for t in chunk if t.dep_ == "poss" and t.tag_ != "PRP$"), None)
        name = self._name_over(root)
        if owner is not None and not (name is not None and name.start <= owner.i) and not _is_kind(owner, root):
            owner_tokens = [t for t in chunk if t.i <= owner.i]
            self._add_tokens(owner_tokens, owner)
            tokens = [t for t in chunk if t.i > owner.i and t.tag_ != "POS"]
        else:
            tokens = list(chunk)
        if tokens:
            self._add_tokens(tokens, root)

    def _add_tokens(self, tokens: list[Token], root: Token) -> None:
        """One mention from the tokens of a noun phrase, with class words before a name split off."""
        if root.i in self.covered or root.i in self.blocked or not tokens:
            return
        name = self._name_over(root)
        if name is not None and (name.start < tokens[0].i or name.end > tokens[-1].i + 1):
            before = [t for t in tokens if t.i < name.start]
            self._add_name(name, root, name.label_, before)
            return
        if self._is_proper(root, name):
            self._add_proper(tokens, root, name)
            return
        tokens = naming.shorten(naming.trim_left(tokens), root)
        self._add_common(tokens, root)

    @staticmethod
    def _is_proper(root: Token, name: Span | None) -> bool:
        """A capital makes a name, except that of a sentence's first word."""
        if not capitalised(root) or root.pos_ not in {"PROPN", "NOUN", "ADJ", "X", "VERB", "NUM"}:
            return False
        if root.is_sent_start or root.nbor(-1).is_punct:
            known = name is not None and (root.pos_ != "NOUN" or len(name) > 1)
            return known or root.pos_ == "PROPN" or root.is_upper
        return root.pos_ in {"PROPN", "NOUN", "NUM", "X"} or name is not None

    def _add_proper(self, tokens: list[Token], root: Token, name: Span | None) -> None:
        trimmed = self._whole_compound(naming.trim_left(tokens))
        first = next(
            (
                k
                for k, t in enumerate(trimmed)
                if capitalised(t)
                and (t.pos_ != "ADJ" or _belongs(t, root, name))
                and not (t.is_sent_start and t.pos_ == "NOUN")
            ),
            0,
        )
        if name is not None and name.label_ == "PERSON" and trimmed[0].i < name.start:
            first = next((k for k, t in enumerate(trimmed) if t.i >= name.start), first)
            while (
                first > 0
                and (capitalised(trimmed[first - 1]) or trimmed[first - 1].text == "-")
                and trimmed[first - 1].lower_.rstrip(".") not in lexicon.TITLES
            ):
                first -= 1
            if trimmed[first].i < name.start and trimmed[first].pos_ == "ADJ":
                first += 1
        elif first and trimmed[first - 1].text == "-":
            first = 0
        before, own = trimmed[:first], trimmed[first:]
        own = self._with_number(own, root)
        own = self._with_of(own, root)
        label = name.label_ if name is not None else ""
        self._add_name(self.doc[own[0].i : own[-1].i + 1], root, label, before)

    def _with_number(self, tokens: list[Token], root: Token) -> list[Token]:
        """`Apollo 11`, `Launch Complex 39`: a number right after a name belongs to it."""
        follow = tokens[-1].i + 1
        if follow < len(self.doc):
            token = self.doc[follow]
            if token.pos_ == "NUM" and token.dep_ == "nummod" and token.head == root and token.text[:1].isdigit():
                return [*tokens, token]
            if (
                token.pos_ == "NUM"
                and token.head == root.head
                and len(token.text) < 3
                and token.dep_ in {"npadvmod", "nummod"}
            ):
                return [*tokens, token]
        return tokens

    def _with_of(self, tokens: list[Token], root: Token) -> list[Token]:
        """`Battle of Hastings`: a capitalised head that such names begin with goes on after "of"."""
        if root.lower_ not in lexicon.OF_NAMES:
            return tokens
        follow = tokens[-1].i + 1
        if follow + 1 >= len(self.doc) or self.doc[follow].lower_ != "of":
            return tokens
        objects = [
            t for t in self.doc[follow].children if t.dep_ == "pobj" and capitalised(t) and t.ent_type_ != "DATE"
        ]
        if not objects:
            return tokens
        return [*tokens, *self.doc[follow : objects[0].i + 1]]

    def _whole_compound(self, tokens: list[Token]) -> list[Token]:
        """Takes in what a hyphen joins to the first word: "e-commerce"."""
        while tokens and tokens[0].i > 1 and tokens[0].nbor(-1).text == "-" and not tokens[0].nbor(-1).whitespace_:
            before = tokens[0].nbor(-2)
            if before.whitespace_ or before.is_punct or before.i in self.covered:
                break
            tokens = [before, tokens[0].nbor(-1), *tokens]
        return tokens

    def _add_common(self, tokens: list[Token], root: Token) -> None:
        tokens = self._whole_compound(tokens)
        if not tokens or root.pos_ not in {"NOUN", "PROPN", "ADJ", "VERB", "X"}:
            return
        if root.lemma_.casefold() in lexicon.KIN or root.lower_ in lexicon.KIN:
            return  # "her mother" means a person by relation only: the name, when there is one, is a mention
        if tokens[-1].i < root.i or (root.i + 1 < len(self.doc) and self.doc[root.i + 1].text == "%"):
            return
        if len(tokens) == 1 and root.pos_ in {"ADJ", "VERB"} and root.tag_ not in {"VBG", "JJ", "VBZ"}:
            return
        text = naming.tidy(self.doc[tokens[0].i : tokens[-1].i + 1].text)
        first = tokens[0]
        if first.is_sent_start and first.is_title and first.pos_ != "PROPN":
            text = text[:1].lower() + text[1:]
            initial = len(tokens) == 1
        else:
            initial = False
        lemma = root.lemma_.casefold()
        pointing = {t.lower_ for t in root.children if t.dep_ == "det"} & {"this", "the"}
        if lemma in lexicon.ERAS and len(tokens) == 1 and pointing:
            self._finish(Mention(self._char(root), self._end(root), root.lower_, "noun", "", lemma), root, tokens)
            return
        if len(tokens) == 1 and (lemma in lexicon.VAGUE or root.lower_ in lexicon.VAGUE):
            tokens = self._with_complement(tokens, root)
            if not tokens:
                return
            text = naming.tidy(self.doc[tokens[0].i : tokens[-1].i + 1].text)
        if naming.is_nonsense(text):
            return
        if lemma in lexicon.MEASURES:
            return
        start = self._char(tokens[0])
        mention = Mention(start, self._end(tokens[-1]), text, "noun", "", lemma, initial=initial)
        self._finish(mention, root, tokens)

    def _with_complement(self, tokens: list[Token], root: Token) -> list[Token]:
        """`degrees in physics`, `quality of life`: a vague noun becomes a thing through its complement."""
        if root.lemma_.casefold() in lexicon.ROLE_NOUNS:
            return []
        if root.lemma_.casefold() in lexicon.LIGHT and root.lemma_.casefold() != "degree":
            return []
        follow = root.i + 1
        if (
            follow >= len(self.doc)
            or self.doc[follow].lower_ not in {"of", "in", "for", "to"}
            or self.doc[follow].head != root
        ):
            return []
        objects = [t for t in self.doc[follow].children if t.dep_ == "pobj" and t.pos_ == "NOUN" and t.i - root.i <= 4]
        if not objects or objects[0].lemma_.casefold() in lexicon.VAGUE or objects[0].i in self.covered:
            return []
        extended = [*tokens, *self.doc[follow : objects[0].i + 1]]
        return extended if all(t.tag_ not in {"PRP$", "PRP", "CD"} for t in extended) else []

    def _add_name(self, span: Span, root: Token, label: str, before: list[Token] | None = None) -> None:
        tokens = naming.trim_left(list(span))
        title = ""
        if len(tokens) > 2 and tokens[0].is_sent_start and not before and tokens[0].lower_ in lexicon.PERSON_NOUNS:
            before, tokens, label = tokens[:1], tokens[1:], "PERSON"  # "Sculptor Amelia Peabody financed …"
        role = next((k for k, t in enumerate(tokens[1:-1], 1) if t.is_lower and t.lower_ in lexicon.PERSON_NOUNS), 0)
        if role and capitalised(tokens[role + 1]):  # "European Commission president Ursula von der Leyen"
            before, tokens, label = tokens[: role + 1], tokens[role + 1 :], "PERSON"
        if label == "PERSON" or (before and before[-1].lower_ in lexicon.TITLES):
            while len(tokens) > 1 and naming.singular(tokens[0].lower_.rstrip(".")) in lexicon.TITLES:
                title = f"{title} {naming.singular(tokens[0].lower_.rstrip('.'))}".strip()
                tokens = tokens[1:]
        while len(tokens) > 1 and (
            tokens[-1].tag_ in {"POS", ",", ".", ":", "-RRB-", "IN", "CC", "DT"} or _AMOUNT.search(tokens[-1].text)
        ):
            tokens = tokens[:-1]
        text = naming.tidy(self.doc[tokens[0].i : tokens[-1].i + 1].text)
        text = naming.without_article(text) if label != "WORK_OF_ART" else text
        if not text or naming.is_nonsense(text) or len(text.split()) > MAX_NAME_WORDS:
            return
        if label == "NORP" and root.pos_ == "ADJ" and root.dep_ == "amod":
            return
        mention = Mention(
            self._char(tokens[0]), self._end(tokens[-1]), text, "name", label, root.lemma_.casefold(), title=title
        )
        index = self._finish(mention, root, list(span))
        if before:
            self._add_class(before, index)

    def _add_class(self, before: list[Token], index: int) -> None:
        """`engineer John Houbolt`, `the lunar module Eagle`: the words before the name say what it is."""
        tokens = [t for t in naming.trim_left(before) if not t.is_punct or t.text == "-"]
        while tokens and tokens[-1].pos_ not in {"NOUN", "PROPN"}:
            tokens = tokens[:-1]
        if not tokens:
            return
        head = tokens[-1]
        own = self.sentence.mentions[index]
        if head.lower_ in lexicon.KIN:
            own.title = head.lower_
            return
        if head.dep_ in {"amod", "det", "advmod"} or head.lower_.rstrip(".") in lexicon.ABBREVIATED_TITLES:
            own.title = own.title or head.lower_.rstrip(".")
            return
        if own.label == "PERSON" and not names_person(head.lower_):
            return
        determined = any(t.dep_ == "det" for t in before)
        if (
            len(tokens) == 1
            and not determined
            and not names_person(head.lower_)
            and not by_head(head.lower_, proper=False)
        ):
            return
        text = naming.tidy(self.doc[tokens[0].i : head.i + 1].text)
        if tokens[0].is_sent_start and tokens[0].pos_ != "PROPN" and not tokens[0].is_upper:
            text = text[:1].lower() + text[1:]
        if len(tokens) == 1:
            text = text[:1].lower() + text[1:] if head.lower_ in lexicon.PERSON_NOUNS | lexicon.TITLES else text
        if head.tag_ in {"NNS", "NNPS"}:
            self.class_plural.add(index)
        singular = naming.singular(text.split()[-1])
        text = " ".join([*text.split()[:-1], singular])
        if naming.is_nonsense(text) or head.i in self.covered:
            return
        mention = Mention(self._char(tokens[0]), self._end(head), text, "noun", "", head.lemma_.casefold())
        other = self._append(mention)
        self.covered[head.i] = other
        self.sentence.links.append(Link(index, other, "is a", 0.8))
        self.sentence.notes.append((index, text))
        if head.lower_ in lexicon.TITLES or head.lower_ in lexicon.PERSON_NOUNS:
            self.sentence.mentions[index].title = head.lower_

    def _add_pronoun(self, token: Token) -> None:
        mention = Mention(self._char(token), self._end(token), token.lower_, "pronoun", head=token.lower_)
        mention.plural = token.lower_ in {"they", "them", "their", "theirs"}
        self.at[token.i] = self.covered[token.i] = self._append(mention)
        mention.subject = token.dep_ in SUBJECTS
        mention.rank = _rank(token)

    # ── bookkeeping ───────────────────────────────────────────────────────────────────────────────
    def _char(self, token: Token) -> int:
        return self.passage.span(token.idx, token.idx + 1)[0]

    def _end(self, token: Token) -> int:
        return self.passage.span(token.idx, token.idx + len(token.text))[1]

    def _append(self, mention: Mention) -> int:
        self.sentence.mentions.append(mention)
        return len(self.sentence.mentions) - 1

    def _finish(self, mention: Mention, root: Token, tokens: list[Token]) -> int:
        mention.plural = root.tag_ in {"NNS", "NNPS"}
        mention.subject = root.dep_ in SUBJECTS or root.dep_ == "poss"
        mention.rank = _rank(root)
        mention.definite = any(
            t.dep_ == "det" and t.lower_ in {"the", "this", "that", "these", "those"} for t in root.children
        )
        mention.owned = any(t.dep_ == "poss" for t in root.children)
        index = self._append(mention)
        for token in tokens:
            self.covered.setdefault(token.i, index)
        self.covered[root.i] = index
        self.at[root.i] = index
        outer = [t for t in tokens if t.head.i < tokens[0].i or t.head.i > tokens[-1].i]
        for token in outer:  # the recogniser's name may be headed by another word than the chunk
            self.at.setdefault(token.i, index)
        return index


MAX_NAME_WORDS = 9
_AMOUNT = re.compile(r"\d,\d{3}")


def _belongs(adjective: Token, root: Token, name: Span | None) -> bool:
    """`the Great Eastern`: a capital inside a sentence makes an adjective part of the name, but a people's does not."""
    if adjective.is_sent_start or adjective.ent_type_ == "NORP" or root.pos_ != "PROPN":
        return False
    if name is not None and name.label_ == "PERSON":
        return False  # an adjective before a person: "the French Jeanne Moreau"
    return all(capitalised(t) for t in root.doc[adjective.i : root.i + 1])


def names_person(noun: str) -> bool:
    """True when a common noun can be said of a person: a listed one, a title, or one that ends like them."""
    word = naming.singular(noun)
    return word in lexicon.PERSON_NOUNS | lexicon.TITLES or (len(word) > 4 and word.endswith(lexicon.PERSON_ENDINGS))


def _rank(token: Token) -> int:
    """How much a mention is what its sentence is about: 3 main subject, 2 other subject, 1 owner, 0 else."""
    if token.dep_ == "conj" and token.head.dep_ in SUBJECTS:
        token = token.head
    if token.dep_ not in SUBJECTS:
        return 1 if token.dep_ == "poss" else 0
    verb = token.head
    while verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
        verb = verb.head
    return 3 if verb.dep_ in {"ROOT", "ccomp"} else 2


def _is_kind(owner: Token, root: Token) -> bool:
    """`women's rights`, `workers' organisations`: the owner says which kind, it owns nothing."""
    plain = owner.pos_ == "NOUN" and root.pos_ == "NOUN" and owner.tag_ == "NNS"
    return plain and not any(child.dep_ in {"det", "poss", "amod"} for child in owner.children)


def _parts(entity: Span) -> list[Span]:
    """`Bitcoin and Ethereum` taken for one name: each part, where the parse says that they are coordinated."""
    root = entity.root
    joined = [t for t in entity if t.dep_ == "cc" and t.lower_ == "and"]
    conjunct = next((t for t in entity if t.dep_ == "conj" and t.head == root), None)
    if len(joined) != 1 or conjunct is None or any(t.lower_ in {"of", "for", "&"} for t in entity):
        return [entity]
    if (
        conjunct.lower_ in lexicon.ORG_NOUNS | lexicon.WORK_NOUNS
        or joined[0].i <= entity.start
        or entity.end <= joined[0].i + 1
    ):
        return [entity]
    doc = entity.doc
    return [
        doc.char_span(s.start_char, s.end_char, label=entity.label_) or s
        for s in (doc[entity.start : joined[0].i], doc[joined[0].i + 1 : entity.end])
    ]
