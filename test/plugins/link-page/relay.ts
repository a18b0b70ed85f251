import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Between browser and gateway: a connection that can be cut, or fall silent. */
export async function openRelay(target: number) {
  let isUp = true
  const sockets = new Set<Socket>()
  const drop = (): void => sockets.forEach((socket) => void socket.destroy())
  const server: Server = createServer((client) => {
    if (!isUp) return void client.destroy()
    const gateway = connect(target, '127.0.0.1')
    for (const socket of [client, gateway]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        gateway.destroy()
      })
    }
    client.pipe(gateway).pipe(client)
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isUp = false
      drop()
    },
    pause() {
      isUp = false
      for (const socket of sockets) socket.unpipe().pause()
    },
    restore() {
      drop()
      isUp = true
    },
    close() {
      drop()
      server.close()
    },
  }
}
