"""An answer on a terminal: the text as it comes, then what it rests on. Everything from outside is made printable."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from kgsite.ask.asker import Asker, turn_of
from kgsite.ask.records import Answer, Citation, Turn
from kgsite.errors import KgsiteError
from kgsite.report import plural, printable

_PROMPT = "ask> "
_HELP = "A question, or: /facts (all facts of the last answer), /new (forget what was asked), Ctrl-D (leave)"


class Screen:
    """Writes answers. `facts` lists the facts behind them."""

    def __init__(self, out: TextIO, *, facts: bool = True) -> None:
        self.out = out
        self._facts = facts
        self._written = ""

    def grow(self, text: str) -> None:
        """The checked text so far, from `Asker.answer`. What was written stays; a new attempt begins on a new line."""
        if not text and self._written:
            self._line("\n(the connection broke; asking again)")
            self._written = ""
        elif text.startswith(self._written):
            self._put(text[len(self._written) :])
            self._written = text

    def answer(self, answer: Answer) -> None:
        """The rest of the answer and its facts."""
        if answer.text.startswith(self._written):
            self._put(answer.text[len(self._written) :])
        else:
            self._put("\n" + answer.text)
        self._written = ""
        lines = [answer.reason] if answer.reason else []
        if answer.text:
            self._line("")
        for line in (*lines, *self._listed(answer), *_closing(answer)):
            self._line(printable(line))

    def _listed(self, answer: Answer) -> Iterator[str]:
        """The facts cited; without a model's answer the nearest ones, which then are the answer."""
        chosen = answer.citations if answer.mode == "answer" else answer.facts[: answer.nearest]
        yield from theme_lines(answer)
        if not self._facts:
            if answer.mode == "facts":
                yield from path_lines(answer)
                yield from (fact_line(citation) for citation in chosen)
            return
        if answer.text:
            yield ""
        yield from path_lines(answer)
        quoted: dict[str, int] = {}
        for citation in chosen:
            yield from fact_lines(citation, quoted)
        more = len(answer.facts) - len(chosen)
        if answer.mode != "answer" and more > 0:
            yield f"and {plural(more, 'more fact')}, less close to the question"

    def _put(self, text: str) -> None:
        self.out.write("\n".join(printable(line) for line in text.split("\n")))
        self.out.flush()

    def _line(self, text: str) -> None:
        try:
            self.out.write(text + "\n")
        except UnicodeEncodeError:  # a console that is not UTF-8
            self.out.write(text.encode("ascii", "replace").decode("ascii") + "\n")
        self.out.flush()


def fact_line(citation: Citation) -> str:
    """A numbered fact."""
    how = ""
    if citation.inferred:
        how = f"  (inferred: {', '.join(citation.methods) or 'method not named'}"
        how += f", via {', '.join(citation.via)})" if citation.via else ")"
    return f"[{citation.n}] {citation.subject} · {citation.predicate} · {citation.object}{how}"


def fact_lines(citation: Citation, quoted: dict[str, int]) -> Iterator[str]:
    """A numbered fact, then a quote with its place; `quoted` remembers under which fact a quote was shown."""
    yield fact_line(citation)
    for quote in citation.quotes[:1]:
        if quote.text in quoted:
            yield f"    same passage as [{quoted[quote.text]}]"
            continue
        quoted[quote.text] = citation.n
        page = f", p. {quote.page}" if quote.page is not None else ""
        doubt = "" if quote.verified else " (not found in the text)"
        yield f"    “{quote.text}”{doubt}"
        yield f"    {quote.document}{page}" + (f" → {quote.href}" if quote.href else "")


def theme_lines(answer: Answer) -> Iterator[str]:
    """The groups that a question about the whole is answered with, when no model puts them into words."""
    if answer.mode != "answer":
        for theme in answer.themes:
            about = theme.description or ", ".join(theme.members)
            yield f"- {theme.name}: {about}" if about else f"- {theme.name}"


def path_lines(answer: Answer) -> Iterator[str]:
    """How the things asked about are connected, when it takes more than one fact."""
    by_number = {citation.n: citation for citation in answer.facts}
    for path in answer.paths:
        facts = [by_number[n] for n in path if n in by_number]
        if len(facts) < 2 or len(facts) != len(path):
            continue
        at = facts[0].subject_key if facts[0].object_key in _ends(facts[1]) else facts[0].object_key
        line = facts[0].subject if at == facts[0].subject_key else facts[0].object
        for fact in facts:
            forward = fact.subject_key == at
            at = fact.object_key if forward else fact.subject_key
            name = fact.object if forward else fact.subject
            line += f" —{fact.predicate}→ {name}" if forward else f" ←{fact.predicate}— {name}"
        yield f"{line}  {''.join(f'[{n}]' for n in path)}"


def _ends(citation: Citation) -> tuple[str, str]:
    return citation.subject_key, citation.object_key


def _closing(answer: Answer) -> Iterator[str]:
    """What was taken out of the reply, what was asked about, what it cost."""
    taken = {"citations": "citation of no given fact", "links": "address", "images": "image", "markup": "tag"}
    out = [
        plural(count, taken[kind], taken[kind].replace("citation ", "citations ") if kind == "citations" else "")
        for kind, count in sorted(answer.removed.items())
    ]
    if out:
        yield f"removed from the model's reply: {', '.join(out)}"
    parts = []
    if answer.facts:
        parts.append(
            f"{plural(len(answer.facts), 'fact')} about "
            + (", ".join(seed.name for seed in answer.seeds) or "everything")
        )
    usage = answer.usage
    if usage.requests:
        spent = plural(usage.requests, "request")
        parts.append(f"{spent}, {usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens")
    elif usage.cached:
        parts.append("from the reply store")
    if parts:
        yield " · ".join(parts)
    for warning in answer.warnings:
        yield f"warning: {warning}"


# ── a conversation ────────────────────────────────────────────────────────────────────────────────
def questions_of(source: TextIO) -> Iterator[str]:
    """Questions as they are typed, with line editing on a terminal; ends at Ctrl-D or the end of the file."""
    if not source.isatty():
        yield from (line.strip() for line in source if line.strip())
        return
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing and history
    sys.stderr.write(_HELP + "\n")
    while True:
        try:
            line = input(_PROMPT)
        except EOFError:
            sys.stderr.write("\n")
            return
        if line.strip():
            yield line.strip()


def converse(asker: Asker, source: TextIO, screen: Screen, show: Callable[[Answer], None], *, stream: bool) -> None:
    """Answer one question after the other; what one names, the next may call "she" or "it".

    An error, or Ctrl-C while an answer is on its way, ends that answer; Ctrl-C at the prompt ends the conversation.
    """
    history: list[Turn] = []
    last: Answer | None = None
    for line in questions_of(source):
        if line == "/new":
            history.clear()
        elif line == "/facts":
            quoted: dict[str, int] = {}
            for citation in last.facts if last else ():
                for text in fact_lines(citation, quoted):
                    screen.out.write(printable(text) + "\n")
        else:
            try:
                last = asker.answer(line, history=history, on_text=screen.grow if stream else None)
            except KgsiteError as error:
                sys.stderr.write("\n".join(printable(part) for part in f"error: {error}".split("\n")) + "\n")
                continue
            except KeyboardInterrupt:
                if not source.isatty():
                    raise
                sys.stderr.write("\nstopped\n")
                continue
            history.append(turn_of(last))
            show(last)
