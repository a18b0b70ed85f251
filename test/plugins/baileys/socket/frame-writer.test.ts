import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { createFrameWriter } from '../../../../plugins/baileys/socket/frame-writer.ts'
import type { RawSocket } from '../../../../plugins/baileys/socket/internals.ts'
import { eventually } from '../../../support/eventually.ts'

describe('the writer of frames', () => {
  let server: WebSocketServer
  let client: WebSocket
  let isHeld = true
  const received: number[] = []
  const failures: unknown[] = []

  before(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    server.on('connection', (link) => link.on('message', (data: Buffer) => received.push(data[0] ?? -1)))
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await once(client, 'open')
  })
  after(() => {
    client.terminate()
    server.close()
  })

  function writer() {
    return createFrameWriter(client as unknown as RawSocket, {
      isHeld: () => isHeld,
      onFailure: (error) => failures.push(error),
    })
  }

  it('writes the frames of a turn in their order', async () => {
    const write = writer()
    for (const frame of [0, 1, 2]) write(Buffer.of(frame))
    await eventually(() => received.length === 3, 'three frames arrive')
    expect(received).to.deep.equal([0, 1, 2])
    expect(failures).to.deep.equal([])
  })

  it('writes nothing of a session that was lost after the frames were released, and ends the link', async () => {
    const write = writer()
    for (const frame of [3, 4]) write(Buffer.of(frame))
    isHeld = false
    await eventually(() => failures.length === 1, 'the link is ended')
    expect(failures[0]).to.have.property('code', 'FENCED')
    // Behind them on the same connection.
    client.send(Buffer.of(5))
    await eventually(() => received.includes(5), 'a later frame arrives')
    expect(received).to.deep.equal([0, 1, 2, 5])
  })
})
