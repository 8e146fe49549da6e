"""Which memories of a scope hold a term, read from the file term by term."""

import sqlite3
from collections.abc import Iterable

import numpy as np

from worker.adapters.stores.sqlite_index import KEPT_POSTINGS, Among, Index, Posting

#: A term that more memories hold says little: it is left out where rarer ones fill the pool.
COMMON = 1_000


class Postings:
    """Read while one set of queries is answered, and kept as long as the index is."""

    def __init__(self, db: sqlite3.Connection, scope: int, index: Index) -> None:
        self._db = db
        self._scope = scope
        self._index = index
        self._known = index.lately

    def of(self, terms: Iterable[str], pool: int, among: Among) -> list[Posting]:
        """Rarest first: of those that few memories hold all, of the others as many as fill the pool.

        Reading a common term takes longer than all the rest, and could hardly change what comes first.
        """
        found: list[Posting] = []
        hits: set[int] = set()
        for holders, term in sorted((self._holders_of(term), term) for term in set(terms)):
            if holders > COMMON and len(hits) >= pool:
                break
            if holders:
                found.append(self._posting(term))
                places, _ = found[-1]
                hits.update(places[among[self._index.at(places)]].tolist())
        return found

    def _holders_of(self, term: str) -> int:
        holders = self._known.holders.get(term)
        if holders is None:
            (holders,) = self._db.execute(
                "SELECT count(*) FROM posting WHERE scope = ? AND term = ?", (self._scope, term)
            ).fetchone()
            # What nobody said is not kept: there is no end of such terms.
            if holders:
                self._known.holders[term] = holders
        return int(holders)

    def _posting(self, term: str) -> Posting:
        posting = self._known.postings.get(term)
        if posting is None:
            rows = self._db.execute(
                "SELECT place, times FROM posting WHERE scope = ? AND term = ?", (self._scope, term)
            ).fetchall()
            places, times = zip(*rows, strict=True)
            posting = np.array(places), np.array(times, dtype=np.float64)
            self._keep(term, posting)
        return posting

    def _keep(self, term: str, posting: Posting) -> None:
        known, (places, _) = self._known, posting
        known.rows += len(places)
        if known.rows > KEPT_POSTINGS * len(self._index.ids):
            known.postings.clear()
            known.rows = len(places)
        known.postings[term] = posting
