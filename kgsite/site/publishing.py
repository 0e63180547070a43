"""Staged files → the output folder: the old site or the new one, never a mixture that stays.

New files are written beside the output first, on the same file system. Then a journal says what is to be done,
and only then the output is touched: renames, deletions, the manifest. A publish that was killed in between is
finished by the next run (`open_staging`); one that was killed before its journal has changed nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

import orjson

from kgsite.config.settings import Settings
from kgsite.errors import PublishError
from kgsite.site.manifest import Entry, load_manifest, owned_paths, place_of, save_manifest
from kgsite.site.records import Output, PublishReport, Rendered
from kgsite.site.urls import is_safe

SWAP_FROM = 1_000
"""Staged files from which a whole new tree is put in place by two renames of folders."""

_ORDER = {"asset": 0, "data": 2, "list": 2, "full text": 2, "feed": 3, "marker": 4}  # pages are 1
_JOURNAL = "journal.json"


@dataclass(frozen=True, slots=True)
class Staging:
    """The folder beside the output in which the new files wait."""

    output: Path
    folder: Path

    @property
    def files(self) -> Path:
        return self.folder / "files"

    def write(self, path: str, data: bytes) -> None:
        target = self.files / path
        try:
            target.write_bytes(data)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def is_intact(self, path: str, entry: Entry) -> bool:
        """Whether the output still has the file as it was published; hashed only when its time moved."""
        return self.holds(path, entry.digest, entry.size, entry)

    def holds(self, path: str, digest: str, size: int, entry: Entry | None) -> bool:
        """Whether the output has exactly these bytes at `path`."""
        file = f"{self.output}/{path}"
        try:
            stat = os.lstat(file)
            if stat.st_size != size or not S_ISREG(stat.st_mode):
                return False
            if entry is not None and entry.mtime_ns == stat.st_mtime_ns and entry.size == size:
                return entry.digest == digest
            return hashlib.sha256(Path(file).read_bytes()).hexdigest() == digest
        except (OSError, ValueError):
            return False

    def discard(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def open_staging(output: Path) -> Staging:
    """An empty staging folder beside `output`; what a killed publish left there is finished or dropped first."""
    staging = _staging_of(output)
    finish_half_done(output)
    try:
        staging.files.mkdir(parents=True)
    except OSError as error:
        raise PublishError(
            f"can't write beside the output folder {output.name!r}: {error.strerror}",
            hint="choose another folder with --out; the old site is untouched",
        ) from error
    return staging


def staging_folder(output: Path) -> Path:
    """Where the new files wait: beside the output, on the same file system. It is there only during a build."""
    return output.parent / f".{output.name}.kgsite"


def _staging_of(output: Path) -> Staging:
    return Staging(output, staging_folder(output))


def finish_half_done(output: Path) -> bool:
    """Finish the publish that a killed run began, if there is one. Returns whether there was."""
    staging = _staging_of(output)
    if not staging.folder.exists():
        return False
    journal = _read_journal(staging)
    if journal is not None:
        if journal.mode == "place":
            _refuse_linked_folders(output, [*journal.moves, *journal.removals])
        try:
            _carry_out(staging, journal)
        except OSError as error:
            raise PublishError(f"a half-done publish can't be finished: {error.strerror}") from error
    staging.discard()
    return journal is not None


def _owned(output: Path, manifest_file: Path) -> frozenset[str] | None:
    """The files of kgsite in an output folder; None when nothing says that it is kgsite's.

    Its own list says so; where that is damaged the manifest does, if it is the manifest of this very folder.
    """
    listed = owned_paths(output)
    manifest = load_manifest(manifest_file)
    if not manifest.entries or manifest.output != place_of(output, manifest_file):
        return listed
    return (listed or frozenset()).union(manifest.entries)


def check_output(settings: Settings, output: Path, manifest_file: Path) -> None:
    """Refuse an output folder whose files may be the user's own. Raises PublishError."""
    out = output.resolve()
    root = settings.root.resolve()
    content = (root / settings.build.content).resolve()
    for kept, name in ((root, "the project"), (content, "the content"), (Path.home().resolve(), "your home folder")):
        if out == kept or out in kept.parents:
            raise PublishError(f"the output folder can't be {name} or above it: {output.name!r}", hint="[build] output")
    for kept in (content, root / ".kgsite", root / "themes"):
        if kept in out.parents or out == kept:
            raise PublishError(f"the output folder can't lie in {kept.name}/", hint="[build] output")
    if not output.exists():
        return
    if not output.is_dir():
        raise PublishError(f"the output {output.name!r} is a file, not a folder")
    owned = _owned(output, manifest_file)
    if owned is not None:
        _refuse_linked_folders(output, owned)
        return
    if any(not entry.name.startswith(".") for entry in output.iterdir()):
        raise PublishError(
            f"the output folder {output.name!r} is not empty and kgsite did not write it",
            hint="empty it, or choose another one with --out",
        )


def _refuse_linked_folders(output: Path, paths: Iterable[str]) -> None:
    """A link where kgsite has or makes a folder would lead its writing and pruning out of the output."""
    for folder in sorted(_folders_of(paths)):
        if os.path.islink(f"{output}/{folder}"):  # noqa: PTH114 - called for every folder of the site
            raise PublishError(
                f"{output.name}/{folder} is a symbolic link, so nothing is written through it",
                hint="remove the link, or choose another folder with --out",
            )


def _folders_of(paths: Iterable[str]) -> set[str]:
    """All folders above these files, without the root."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def publish(
    rendered: Rendered,
    *,
    settings: Settings,
    output: Path,
    manifest_file: Path,
    progress: Callable[[int, int], None] | None = None,
) -> PublishReport:
    """Put the staged files into `output`, prune what kgsite wrote before and no longer does, save the manifest.

    Files with equal bytes are not touched; files that kgsite did not write are never touched.
    Raises PublishError; then the output is the old site, or the next run finishes the new one.
    """
    manifest = load_manifest(manifest_file)
    check_output(settings, output, manifest_file)
    staging = _staging_of(output)
    try:
        _refuse_linked_folders(output, {o.path for o in rendered.outputs})
    except PublishError:
        staging.discard()
        raise
    staged = sorted((o for o in rendered.outputs if o.staged), key=lambda o: (_ORDER.get(o.kind, 1), o.path))
    current = {o.path for o in rendered.outputs}
    known = _owned(output, manifest_file) or frozenset()
    orphans = sorted(path for path in known.difference(current) if is_safe(path) and _is_file(output / path))
    try:
        swap = _can_swap(output, staged, rendered.outputs, known)
        if staged or orphans:
            _replace_site(
                staging, _Journal("swap" if swap else "place", [o.path for o in staged], orphans), rendered, progress
            )
        entries = {str(o.path): _entry(output, o) for o in rendered.outputs}
        if staged or orphans or entries != manifest.entries:
            save_manifest(manifest_file, entries, output)
    except OSError as error:
        _drop_unbegun(staging)
        raise PublishError(f"the site can't be published: {error.strerror}", hint="run the build again") from error
    staging.discard()
    return _report(rendered, staged, len(orphans))


@dataclass(frozen=True, slots=True)
class _Journal:
    mode: str  # "swap" or "place"
    moves: Sequence[str]
    removals: Sequence[str]


def _can_swap(output: Path, staged: Sequence[Output], outputs: Sequence[Output], known: frozenset[str]) -> bool:
    """Whether a whole new tree may take the place of the old: it is new, or all files in it are kgsite's."""
    if not output.exists():
        return True
    if output.is_symlink() or os.path.ismount(output) or len(staged) < max(SWAP_FROM, len(outputs) // 4):
        return False
    for folder, _, names in os.walk(output):
        prefix = os.path.relpath(folder, output).replace(os.sep, "/")
        for name in names:
            if (name if prefix == "." else f"{prefix}/{name}") not in known:
                return False
    return True


def _fill(staging: Staging, outputs: Iterable[Output]) -> None:
    """Complete the staged tree with hard links to the files that stay."""
    for output in outputs:
        if output.staged:
            continue
        target = staging.files / output.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(staging.output / output.path, target)
        except OSError:
            shutil.copy2(staging.output / output.path, target)


def _carry_out(staging: Staging, journal: _Journal, progress: Callable[[int, int], None] | None = None) -> None:
    """Do what a journal says; doing it again after it was cut short gives the same result."""
    if journal.mode == "swap":
        _swap(staging)
        return
    output = staging.output
    _clear_the_way(output, journal)
    for number, path in enumerate(journal.moves, 1):
        source, target = staging.files / path, output / path
        if source.exists():
            try:
                source.replace(target)
            except FileNotFoundError:
                target.parent.mkdir(parents=True, exist_ok=True)
                source.replace(target)
        if progress is not None:
            progress(number, len(journal.moves))
    new = {path.casefold(): path for path in journal.moves}
    for path in journal.removals:
        _remove(output, path, new.get(path.casefold()))


def _replace_site(
    staging: Staging, journal: _Journal, rendered: Rendered, progress: Callable[[int, int], None] | None
) -> None:
    """Carry a journal out; when that fails, put the old site back. Raises OSError, or PublishError after that."""
    kept: list[str] = []
    if journal.mode == "swap":
        _fill(staging, rendered.outputs)
    else:
        kept = _keep_old(staging, journal)
    _write_journal(staging, journal)
    try:
        _carry_out(staging, journal, progress)
    except OSError as error:
        if not _undo(staging, journal, kept):
            raise
        staging.discard()
        message = f"the site can't be published: {error.strerror}"
        raise PublishError(message, hint="the old site is untouched") from error


def _keep_old(staging: Staging, journal: _Journal) -> list[str]:
    """Hard links to the files that will be replaced or removed, by number, so that a failure can be undone."""
    kept = [path for path in dict.fromkeys([*journal.moves, *journal.removals]) if _is_file(staging.output / path)]
    old = staging.folder / "old"
    old.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(kept):
        try:
            os.link(staging.output / path, old / str(number), follow_symlinks=False)
        except OSError:
            shutil.copy2(staging.output / path, old / str(number), follow_symlinks=False)
    return kept


def _undo(staging: Staging, journal: _Journal, kept: Sequence[str]) -> bool:
    """Put the old site back after a publish failed half-way; False when that fails too (the next run finishes)."""
    output, old = staging.output, staging.folder / "old"
    try:
        if journal.mode == "swap":
            if old.exists() and not output.exists():
                old.replace(output)
        else:
            for path in set(journal.moves).difference(kept):
                if not (staging.files / path).exists():
                    _remove(output, path, None)
            for number, path in enumerate(kept):
                (output / path).parent.mkdir(parents=True, exist_ok=True)
                (old / str(number)).replace(output / path)
        (staging.folder / _JOURNAL).unlink()
    except OSError:
        return False
    return True


def _swap(staging: Staging) -> None:
    old = staging.folder / "old"
    if staging.files.exists():
        if staging.output.exists():
            staging.output.replace(old)
        staging.files.replace(staging.output)
    shutil.rmtree(old, ignore_errors=True)


def _clear_the_way(output: Path, journal: _Journal) -> None:
    """Remove orphans that are files where the new site has folders, or lie in folders where it has files."""
    moves = set(journal.moves)
    parents = {"/".join(path.split("/")[:n]) for path in moves for n in range(1, path.count("/") + 1)}
    for path in journal.removals:
        above = {"/".join(path.split("/")[:n]) for n in range(1, path.count("/") + 1)}
        if path in parents or above & moves:
            _remove(output, path, None)


def _remove(output: Path, path: str, new: str | None) -> None:
    """Delete an orphan and the folders it leaves empty; `new` is the new file of the same folded name, if any."""
    file = output / path
    if new is not None and _same_file(file, output / new):
        return  # a case-folding disk: the orphan is the new file itself
    if file.is_dir() and not file.is_symlink():
        return  # the new site has a folder there
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        file.unlink()
    for parent in file.parents:
        if parent == output:
            break
        try:
            parent.rmdir()
        except OSError:
            break


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    return path.is_file() or path.is_symlink()


def _write_journal(staging: Staging, journal: _Journal) -> None:
    """The point of no return: on disk before the output is touched."""
    body = orjson.dumps(journal)
    part = staging.folder / (_JOURNAL + ".part")
    with part.open("wb") as file:
        file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        file.flush()
        os.fsync(file.fileno())
    part.replace(staging.folder / _JOURNAL)


def _read_journal(staging: Staging) -> _Journal | None:
    try:
        checksum, _, body = (staging.folder / _JOURNAL).read_bytes().partition(b"\n")
        if checksum.decode("ascii", "replace") != hashlib.sha256(body).hexdigest():
            return None
        raw = orjson.loads(body)
        journal = _Journal(raw["mode"], raw["moves"], raw["removals"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return journal if all(is_safe(path) for path in (*journal.moves, *journal.removals)) else None


def _drop_unbegun(staging: Staging) -> None:
    if not (staging.folder / _JOURNAL).exists():
        staging.discard()


def _entry(output: Path, made: Output) -> Entry:
    written = os.stat(f"{output}/{made.path}")  # noqa: PTH116 - called for every file
    return Entry(made.digest, made.size, written.st_mtime_ns, made.fingerprint)


def _report(rendered: Rendered, staged: Sequence[Output], pruned: int) -> PublishReport:
    sizes: dict[str, int] = {}
    for output in rendered.outputs:
        sizes[output.kind] = sizes.get(output.kind, 0) + output.size
    largest = sorted(((o.path, o.size) for o in rendered.outputs), key=lambda item: (-item[1], item[0]))[:10]
    return PublishReport(
        pages=rendered.rendered + rendered.unchanged,
        rendered=rendered.rendered,
        unchanged_pages=rendered.unchanged,
        written=len(staged),
        pruned=pruned,
        files=len(rendered.outputs),
        bytes_by_kind=dict(sorted(sizes.items())),
        largest=tuple((str(path), size) for path, size in largest),
    )
