"""Turns on the lines of one long request, read as they come: neither they nor their answers are all in memory."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from tempfile import SpooledTemporaryFile

from fastapi.responses import StreamingResponse

from worker.adapters.sources.reading import Cut, Cutter, turn_on
from worker.errors import Unprocessable
from worker.interfaces.http.limits import NDJSON
from worker.interfaces.http.problems import LATER
from worker.interfaces.http.publishing import PORTION, Given, Publishing

#: Lines of one request.
MOST_LINES = 100_000
#: Bytes of lines that go to Redis at once, and of answers that are kept in memory.
PORTION_BYTES, KEPT_BYTES = 1_000_000, 1_000_000
CHUNK = 65_536


@dataclass
class _Lines:
    """Lines that wait to be published, and the answers of those that were."""

    publishing: Publishing
    longest: int
    kept: SpooledTemporaryFile[bytes] = field(
        default_factory=lambda: SpooledTemporaryFile(max_size=KEPT_BYTES)  # noqa: SIM115 - closed by who reads it
    )
    waiting: list[tuple[int, Given]] = field(default_factory=list)
    size: int = 0
    count: int = 0

    async def add(self, cut: Cut) -> None:
        if not cut.raw.strip():
            return
        self.count += 1
        self.size += len(cut.raw)
        self.waiting.append((cut.number, self._given(cut)))
        if len(self.waiting) >= PORTION or self.size >= PORTION_BYTES:
            await self.publish()

    def _given(self, cut: Cut) -> Given:
        if self.count > MOST_LINES:
            return f"is behind {MOST_LINES:,} others: publish from it on in another request"
        if len(cut.raw) > self.longest:
            return f"is longer than {self.longest:,} bytes: is it one object?"
        try:
            return turn_on(cut.raw)
        except Unprocessable as error:
            return str(error)

    async def publish(self) -> None:
        answers = await self.publishing.portion([given for _, given in self.waiting])
        for (number, _), answer in zip(self.waiting, answers, strict=True):
            told = answer.model_dump_json().removeprefix("{")
            self.kept.write(f'{{"line":{number},{told}\n'.encode())
        self.waiting, self.size = [], 0

    @property
    def is_over(self) -> bool:
        """Nothing more is read."""
        return self.publishing.is_stopped or self.count > MOST_LINES


async def published_lines(
    stream: AsyncIterator[bytes], publishing: Publishing, longest: int
) -> StreamingResponse:
    """The answers, once all lines are in, or one could not be; it says so in its status."""
    lines = _Lines(publishing, longest)
    try:
        await _read(stream, lines)
    except BaseException:
        lines.kept.close()
        raise
    status, _ = publishing.verdict()
    is_for_later = status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
    headers = LATER if is_for_later else None
    return StreamingResponse(_chunks(lines.kept), status, headers, media_type=NDJSON)


async def _read(stream: AsyncIterator[bytes], lines: _Lines) -> None:
    cutter = Cutter(lines.longest)
    async for chunk in stream:
        for cut in cutter.feed(chunk):
            await lines.add(cut)
            if lines.is_over:
                break
        if lines.is_over:
            break
    else:
        for cut in cutter.rest():
            await lines.add(cut)
    if lines.waiting:
        await lines.publish()


def _chunks(kept: SpooledTemporaryFile[bytes]) -> Iterator[bytes]:
    with kept:
        kept.seek(0)
        while chunk := kept.read(CHUNK):
            yield chunk
