"""Simulates viewers of live pages. Each page requests the feed once per second on its own connection, and is sometimes closed
and opened again."""
import asyncio
import random
import re

ASKS_EVERY = 1.0
STAYS_ASKS = 90  # average number of requests before a page is closed


class Pages:
    def __init__(self, port, key, count, seed):
        self.port, self.key, self.count, self.seed = port, key, count, seed
        self.races, self.asked, self.largest, self.wrong = set(), 0, 0, []

    async def keep_open(self, is_over):
        await asyncio.gather(*(self.page(index, is_over) for index in range(self.count)))

    async def page(self, index, is_over):
        chance = random.Random(f"{self.seed}/page/{index}")
        while not is_over():
            await asyncio.sleep(chance.uniform(0, ASKS_EVERY))
            try:
                await self.look(chance.randrange(1, 2 * STAYS_ASKS), is_over)
            except Exception as error:  # the report contains it
                self.wrong.append(f"page: {type(error).__name__}: {error}")

    async def look(self, asks, is_over):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=4 << 20)
        try:
            since = 0
            for _ in range(asks):
                if is_over():
                    return
                since = await asyncio.wait_for(self.ask(reader, writer, since), 30)
                await asyncio.sleep(ASKS_EVERY)
        finally:
            writer.close()

    async def ask(self, reader, writer, since):
        writer.write(f"GET /v1/feed?since={since} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {self.key}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        size = int(re.search(r"(?i)content-length: (\d+)", head)[1])
        body = await reader.readexactly(size)
        if " 200 " not in head.split("\r\n")[0]:
            raise RuntimeError(body[:200].decode(errors="replace"))
        self.asked += 1
        self.largest = max(self.largest, size)
        if len(self.races) < 1_000_000:
            self.races.update(re.findall(rb'"id":"(race_\w+)"', body))
        return int(re.search(rb'"sequence":(\d+)', body)[1])
