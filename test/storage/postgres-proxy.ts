import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of PostgreSQL that does what a network does to connections. */
export interface PostgresProxy {
  /** The database's address, through the proxy. */
  readonly url: string
  /** Resets every open connection at once. */
  cut(): void
  /**
   * Resets each connection after that many more bytes from the server, so that answers are cut in their middle.
   *
   * @param alsoNew those that are opened later, too.
   */
  cutAfter(bytes: number, alsoNew?: boolean): void
  /** Holds what comes from either side for so long. */
  delay(ms: number): void
  /** Whether nothing passes, on open connections and on new ones. */
  hold(isHeld: boolean): void
  /** Whether new connections are reset. */
  refuse(isRefusing: boolean): void
  close(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Bytes from the server until the connection is reset. */
  left: number
}

export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target)
  const pairs = new Set<Pair>()
  let isRefusing = false
  let delayMs = 0
  let isHeld = false
  let leftOfNew = Number.POSITIVE_INFINITY

  function end(pair: Pair): void {
    pairs.delete(pair)
    pair.client.resetAndDestroy()
    pair.server.resetAndDestroy()
  }

  function pump(from: Socket, to: Socket, onData: (data: Buffer) => void): void {
    from.on('data', (data: Buffer) => {
      if (delayMs === 0) {
        onData(data)
        return
      }
      from.pause()
      setTimeout(() => {
        onData(data)
        from.resume()
      }, delayMs)
    })
    from.on('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }

  const proxy = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy()
      return
    }
    const server = connect(Number(port || 5432), hostname)
    const pair: Pair = { client, server, left: leftOfNew }
    pairs.add(pair)
    client.once('close', () => pairs.delete(pair))
    if (isHeld) for (const socket of [client, server]) socket.pause()
    pump(client, server, (data) => void server.write(data))
    pump(server, client, (data) => {
      client.write(data.subarray(0, Math.max(0, pair.left)))
      pair.left -= data.length
      if (pair.left <= 0) end(pair)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as AddressInfo).port)
  return {
    url: url.toString(),
    cut: () => [...pairs].forEach(end),
    cutAfter(bytes, alsoNew = false) {
      if (alsoNew) leftOfNew = bytes
      for (const pair of pairs) pair.left = bytes
    },
    delay(ms) {
      delayMs = ms
    },
    hold(held) {
      isHeld = held
      for (const { client, server } of pairs)
        for (const socket of [client, server]) socket[held ? 'pause' : 'resume']()
    },
    refuse(refusing) {
      isRefusing = refusing
    },
    async close() {
      for (const pair of [...pairs]) end(pair)
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
