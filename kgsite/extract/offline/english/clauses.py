"""Who does what in a sentence: subjects, objects and prepositional objects of each verb, conjuncts expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon
from kgsite.extract.offline.english.mentions import SUBJECTS, SentenceMentions, names_person

if TYPE_CHECKING:
    from spacy.tokens import Token

RELATIVE = frozenset({"who", "whom", "which", "that"})
FOLLOWING = frozenset({"follow", "accompany", "join"})
MAX_DEPTH = 8
MAX_CONJUNCTS = 12
OBJECT_CONTROL = frozenset(
    {
        "help",
        "allow",
        "enable",
        "let",
        "make",
        "lead",
        "cause",
        "force",
        "ask",
        "tell",
        "order",
        "persuade",
        "urge",
        "require",
        "invite",
    }
)


def is_such_as(preposition: Token) -> bool:
    return preposition.lower_ == "as" and any(child.lower_ == "such" for child in preposition.children)


def _person_before(noun: Token) -> Token | None:
    """What "who" takes up: the noun itself, or the one above that can be a person ("actors in this field who …")."""
    token = noun
    for _ in range(4):
        if (
            token.pos_ == "PROPN"
            or token.ent_type_ in {"PERSON", "ORG", "NORP"}
            or names_person(token.lemma_.casefold())
        ):
            return token
        if token.tag_ in {"NNS", "NN"} and token.lemma_.casefold() in lexicon.ORG_NOUNS | lexicon.GENERIC | {
            "those",
            "child",
        }:
            return token
        token = token.head
    return None


def _takes_up_clause(verb: Token, subjects: list[Token]) -> bool:
    """`…, which led to Y`: the whole clause before it did, not its last noun."""
    if verb.dep_ != "relcl" or not subjects or verb.lemma_ not in lexicon.SENTENTIAL_VERBS:
        return False
    first = subjects[0]
    return first.lower_ == "which" and first.i > 0 and first.nbor(-1).text == ","


def _called_on(verb: Token) -> list[Token]:
    """`called on the government to close it`: those who are to act."""
    if verb.lemma_ not in {"call", "appeal", "prevail"}:
        return []
    return [
        noun
        for prep in verb.children
        if prep.dep_ == "prep" and prep.lower_ in {"on", "upon", "to"}
        for noun in prep.children
        if noun.dep_ == "pobj"
    ]


def _last_conjunct(noun: Token, verb: Token) -> Token:
    """`A, B and C that was …`: a singular verb speaks of the last one only."""
    words = [verb, *(child for child in verb.children if child.dep_ in {"aux", "auxpass"})]
    if not any(word.tag_ == "VBZ" or word.lower_ == "was" for word in words):
        return noun
    for child in noun.children:
        if child.dep_ == "conj" and noun.i < child.i < verb.i:
            return _last_conjunct(child, verb)
    return noun


class Arguments:
    """Finds the mentions that fill the places of a verb."""

    def __init__(self, mentions: SentenceMentions) -> None:
        self.mentions = mentions

    def refs(self, token: Token, depth: int = 0) -> list[int]:
        """Mentions that a token in argument position stands for, with its conjuncts, in text order."""
        found: list[int] = []
        for part in (token, *self._conjuncts(token)):
            found += [index for index in self._own(part, depth) if index not in found]
        return found[:MAX_CONJUNCTS]

    def _conjuncts(self, token: Token) -> list[Token]:
        """Coordinated nouns to the right. A list that the parser read as appositions is one, too."""
        parts: list[Token] = []
        queue = [token]
        while queue and len(parts) < MAX_CONJUNCTS:
            current = queue.pop(0)
            for child in current.children:
                if child.i <= current.i:
                    continue
                if child.dep_ == "conj" or (child.dep_ == "appos" and self.is_list(child)):
                    parts.append(child)
                    queue.append(child)
        return parts

    @staticmethod
    def is_list(appositive: Token) -> bool:
        """`Gus Grissom, Ed White and Roger Chaffee` parsed as an apposition with a conjunct."""
        head = appositive.head
        return (
            any(child.dep_ == "conj" for child in appositive.children)
            and head.pos_ == appositive.pos_ == "PROPN"
            and not any(child.dep_ == "det" for child in appositive.children)
        )

    def _own(self, token: Token, depth: int) -> list[int]:
        if depth > MAX_DEPTH:
            return []
        if token.lower_ in RELATIVE and token.tag_ in {"WP", "WDT", "IN"}:
            antecedent = self.antecedent(token)
            if antecedent is not None and token.dep_ in SUBJECTS:
                antecedent = _last_conjunct(antecedent, token.head)
            return self.described(antecedent, depth) if antecedent is not None else []
        name = next((c for c in token.children if c.dep_ == "appos" and self.is_named(c)), None)
        if name is not None and token.pos_ == "NOUN" and self._stands_for_name(token):
            return self._own(name, depth + 1)
        members = self.members(token, depth) or self._called(token, depth)
        if members and depth < MAX_DEPTH:
            return members
        if token.lemma_.lower() in lexicon.LIGHT | lexicon.TRANSPARENT and token.pos_ == "NOUN":
            for prep in token.children:
                if prep.dep_ == "prep" and prep.lower_ == "of":
                    objects = [
                        index
                        for child in prep.children
                        if child.dep_ == "pobj"
                        for index in self.refs(child, depth + 1)
                    ]
                    if any(self.mentions.sentence.mentions[index].kind == "pronoun" for index in objects):
                        return []  # "parts of it" are not it
                    if objects:
                        return objects
        index = self.mentions.at.get(token.i)
        return [] if index is None else [index]

    def members(self, token: Token, depth: int = 0) -> list[int]:
        """`companies such as Motorola and Nokia`: the named members of a bare plural class, which act in its place."""
        if token.tag_ != "NNS" or depth > MAX_DEPTH:
            return []
        found: list[int] = self.enumerated(token, depth)
        for prep in token.children:
            if prep.dep_ == "prep" and (prep.lower_ in {"like", "including"} or is_such_as(prep)):
                for child in prep.children:
                    if child.dep_ == "pobj":
                        found += [
                            index
                            for index in self.refs(child, depth + 1)
                            if self.mentions.sentence.mentions[index].kind == "name"
                        ]
        return found

    def enumerated(self, token: Token, depth: int = 0) -> list[int]:
        """`two elements: polonium and radium`: what the list after the colon names."""
        lists = [c for c in token.children if c.dep_ == "appos" and c.left_edge.i and c.left_edge.nbor(-1).text == ":"]
        return [index for child in lists for index in self.refs(child, depth + 1)]

    def _called(self, token: Token, depth: int) -> list[int]:
        """`a capsule called Starliner`, `the photograph known as Earthrise`: the name acts."""
        for verb in token.children:
            if verb.dep_ != "acl" or verb.lemma_ not in lexicon.NAMING_VERBS:
                continue
            names = [c for c in verb.children if c.dep_ in {"oprd", "dobj", "attr"}]
            names += [
                c
                for p in verb.children
                if p.dep_ == "prep" and p.lower_ == "as"
                for c in p.children
                if c.dep_ == "pobj"
            ]
            found = [index for name in names if self.is_named(name) for index in self.refs(name, depth + 1)]
            if found:
                return found
        return []

    def described(self, noun: Token, depth: int = 0) -> list[int]:
        """Mentions that a noun before a relative clause means: in `X, an engineer who …` and `X was the first to …` X."""
        if depth <= MAX_DEPTH:
            if noun.dep_ == "appos" and self.is_named(noun.head) and not self.is_named(noun):
                return self._own(noun.head, depth + 1)
            if noun.dep_ == "attr" and noun.head.lemma_ in {"be", "become", "remain"}:
                subjects = self.subjects(noun.head, depth + 1)
                definite = any(c.dep_ == "det" and c.lower_ == "the" for c in noun.children)
                named = bool(subjects) and self.mentions.sentence.mentions[subjects[0]].kind in {"name", "pronoun"}
                if subjects and (definite or named or noun.lemma_.lower() in lexicon.GENERIC):
                    return subjects
        return self._own(noun, depth + 1)

    def is_named(self, token: Token) -> bool:
        index = self.mentions.at.get(token.i)
        return index is not None and self.mentions.sentence.mentions[index].kind == "name"

    @staticmethod
    def _stands_for_name(token: Token) -> bool:
        """`her father, X`: a kinship or definite common noun whose name follows."""
        return (
            token.lemma_.lower() in lexicon.KIN
            or any(child.dep_ in {"poss", "det"} and child.lower_ not in {"a", "an"} for child in token.children)
            or token.lemma_.lower() in lexicon.PERSON_NOUNS
        )

    @staticmethod
    def antecedent(pronoun: Token) -> Token | None:
        """The noun that a relative pronoun takes up."""
        token = pronoun
        for _ in range(MAX_DEPTH):
            if token.dep_ == "relcl":
                return _person_before(token.head) if pronoun.lower_ == "who" else token.head
            if token.head.i == token.i:
                return None
            token = token.head
        return None

    # ── verbs ─────────────────────────────────────────────────────────────────────────────────────
    def subjects(self, verb: Token, depth: int = 0) -> list[int]:
        """Mentions of the subject, taken from the governing clause where the verb has none of its own."""
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if _takes_up_clause(verb, own):
            return []
        if len(own) == 2 and own[0].pos_ == "NOUN" and own[0].i + 1 == own[1].left_edge.i and self.is_named(own[1]):
            own = own[1:]  # "the engineer Greta Holm designed": parsed as two subjects
        if own:
            return [index for child in own for index in self.refs(child, depth)]
        if depth > MAX_DEPTH or verb.head.i == verb.i:
            return []
        return self._governed(verb, depth + 1)

    def _governed(self, verb: Token, depth: int) -> list[int]:
        """The subject of a verb without one: that of its noun or of the verb above it."""
        head = verb.head
        clause = head.pos_ in {"VERB", "AUX"}
        if verb.dep_ == "acl" and verb.tag_ == "VB":
            return []  # "the capacity to apply", "efforts to reduce": somebody else does it
        if verb.dep_ == "acl" and verb.lemma_ in lexicon.NAMING_VERBS and head.i in self.mentions.at:
            return [self.mentions.at[head.i]]
        if verb.dep_ in {"relcl", "acl"}:
            if verb.dep_ == "relcl" and any(child.lower_ == "who" for child in verb.children):
                head = _person_before(head) or head
            return self.described(_last_conjunct(head, verb), depth)
        if verb.dep_ == "xcomp" and (clause or head.pos_ == "ADJ"):
            objects = [child for child in head.children if child.dep_ in {"dobj", "dative"}]
            called = _called_on(head)
            if called:
                return [index for child in called for index in self.refs(child, depth)]
            if objects and head.lemma_ in OBJECT_CONTROL:
                return [index for child in objects for index in self.refs(child, depth)]
            return self.subjects(head, depth)
        if verb.dep_ == "advcl" and verb.tag_ == "VBN" and verb.i > head.i and verb.lemma_ not in FOLLOWING:
            return self._noun_before(verb)
        if verb.dep_ == "pcomp" and head.head.pos_ in {"VERB", "AUX"}:
            return self.subjects(head.head, depth)
        forms = {"conj": None, "advcl": {"VBG", "VBN", "VB"}, "dep": {"VBG", "VBN"}}
        if clause and verb.dep_ in forms:
            wanted = forms[verb.dep_]
            return self.subjects(head, depth) if wanted is None or verb.tag_ in wanted else []
        return []

    def _noun_before(self, participle: Token) -> list[int]:
        """The noun that a participle after a comma follows: "anaemia, caused by radiation"."""
        index = participle.i - 1
        while index > 0 and (self.mentions.doc[index].is_punct or self.mentions.doc[index].pos_ == "ADV"):
            index -= 1
        found = self.mentions.covered.get(index)
        return [] if found is None else [found]

    def is_passive(self, verb: Token) -> bool:
        if verb.lower_ == "born":
            return True
        if verb.tag_ not in {"VBN", "VBD"}:
            return False
        children = {child.dep_ for child in verb.children}
        if children & {"auxpass", "nsubjpass"}:
            return True
        if "nsubj" in children or "aux" in children:
            return False
        if verb.dep_ == "acl" or (verb.dep_ == "advcl" and verb.tag_ == "VBN"):
            return True
        if verb.dep_ == "dep" and verb.tag_ == "VBN":
            return True
        return (
            verb.dep_ == "conj" and "dobj" not in children and verb.head.pos_ == "VERB" and self.is_passive(verb.head)
        )

    def objects(self, verb: Token) -> list[int]:
        found = [index for child in verb.children if child.dep_ == "dobj" for index in self.refs(child)]
        if not found and verb.dep_ == "relcl" and self._object_is_missing(verb):
            found = self._own(verb.head, 1)
        return found

    @staticmethod
    def _object_is_missing(verb: Token) -> bool:
        """`the rays that Becquerel discovered`, `work she completed`: the antecedent is the object."""
        own_subject = any(c.dep_ == "nsubj" and c.tag_ not in {"WP", "WDT"} for c in verb.children)
        filled = any(c.dep_ in {"dobj", "ccomp", "xcomp", "attr", "auxpass", "acomp"} for c in verb.children)
        adverb = any(c.dep_ == "poss" and c.tag_ == "WP$" for s in verb.children for c in s.children) or any(
            c.tag_ == "WRB" for c in verb.children
        )
        dangling = any(
            c.dep_ == "prep" and all(o.dep_ != "pobj" or o.tag_ in {"WDT", "WP"} for o in c.children)
            for c in verb.children
        )
        return own_subject and not filled and not adverb and not dangling

    def prepositions(self, head: Token) -> Iterator[tuple[str, list[int], Token]]:
        """(preposition, mentions of its object, preposition token) of each phrase that hangs on `head`."""
        for prep in head.children:
            if prep.dep_ not in {"prep", "agent", "dative"} or prep.pos_ not in {"ADP", "SCONJ", "VERB", "ADV"}:
                continue
            word = prep.lower_
            inner = prep
            for child in prep.children:  # "out of", "up to", "from across"
                if child.dep_ == "prep" and child.i == prep.i + 1:
                    word, inner = f"{word} {child.lower_}", child
            phrase = next(
                (
                    c
                    for c in inner.children
                    if c.dep_ == "pobj" and c.lemma_ in lexicon.SHARED_DOING | lexicon.EMPTY_PHRASES
                ),
                None,
            )
            if phrase is not None and not any(c.dep_ in {"det", "amod", "poss"} for c in phrase.children):
                if phrase.lemma_ in lexicon.SHARED_DOING:
                    yield from ((w, o, t) for w, o, t in self.prepositions(phrase) if w == "with")
                continue
            objects = [index for c in inner.children if c.dep_ == "pobj" for index in self.refs(c)]
            if prep.dep_ == "agent" and not objects:
                gerunds = [c for c in inner.children if c.dep_ == "pcomp" and c.tag_ == "VBG"]
                objects = [index for c in gerunds for o in c.children if o.dep_ == "dobj" for index in self.refs(o)]
            if not objects and not any(True for _ in inner.children) and head.dep_ == "relcl":
                objects = self._own(head.head, 1)  # "spacewalks that Apollo would depend on"
            for conj in inner.children:
                if conj.dep_ == "conj" and conj.lower_ == inner.lower_:
                    objects += [index for c in conj.children if c.dep_ == "pobj" for index in self.refs(c)]
            if objects and prep.lower_ not in {
                "concerning",
                "according",
                "following",
                "including",
                "regarding",
                "such",
                "due",
            }:
                yield word, objects, inner
