"""How far work is: for a function of one's own, or as a bar where tqdm is installed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

#: What may be given as ``progress``: nothing, ``True`` for a bar, or a function that is called with the stage and the share
#: of it that is done, 0 to 1. What the function raises ends the work and comes out of the call.
Progress = Union[None, bool, Callable[[str, float], Any]]


@contextmanager
def listening(progress: Progress) -> Iterator[Optional[Callable[[str, float], Any]]]:
    """The function that is told."""
    if not progress:
        yield None
    elif callable(progress):
        yield progress
    else:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            yield None
            return
        with tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}", leave=False) as bar:

            def show(stage: str, share: float) -> None:
                bar.set_description_str(stage, refresh=False)
                bar.n = round(share, 3)
                bar.refresh()

            yield show
