#!/usr/bin/env python3
"""An HTTP proxy (CONNECT) through which one gateway reaches its providers. Killing the proxy cuts the gateway off.

Every host name leads to this machine. A gateway never uses a proxy for a loopback address, so providers need host names.

    tests/fleet/way_out.py PORT
"""

import asyncio
import sys


async def copy(reader, writer):
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def connect(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        port = int(head.split()[1].rpartition(b":")[2])
        target_reader, target_writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, ValueError, IndexError, asyncio.IncompleteReadError):
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()
        return
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(copy(reader, target_writer), copy(target_reader, writer), return_exceptions=True)


async def serve(port):
    server = await asyncio.start_server(connect, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
