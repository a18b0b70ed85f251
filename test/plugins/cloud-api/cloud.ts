import { expect } from 'chai'
import type { Plugin } from '../../../kernel/plugin.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { picture } from '../../support/picture.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'
import { openShop, type Shop } from '../../support/world.ts'
import { type CloudReceiver, startCloudReceiver } from './receiver.ts'

export interface GraphAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  body: any
}

/** A shop with the dialect on, somebody to write to, a receiver of webhooks, and a picture at an address. */
export interface Cloud extends Shop {
  /** Of the shop: the id of its phone number. */
  readonly number: string
  readonly files: FileServer
  readonly receiver: CloudReceiver
  readonly image: Buffer
  graph(method: string, path: string, body?: unknown, token?: string): Promise<GraphAnswer>
  /** Sends a message to Ana. */
  send(message: object, token?: string): Promise<GraphAnswer>
  /** The same; resolves with what her phone shows. */
  shown(message: object): Promise<Awaited<ReturnType<Shop['ana']['wait']>>['raw']>
  stop(): Promise<void>
}

export async function openCloud(...extra: Plugin[]): Promise<Cloud> {
  const shop = await openShop({ extra: [cloudApi, ...extra] })
  const { world, session, ana } = shop
  const number = session.phone.account.phone
  const base64 = (await picture()).split(',')[1] ?? ''
  const files = await startFileServer({ '/a.jpg': give(base64, 'image/jpeg') })
  const receiver = await startCloudReceiver()
  const graph: Cloud['graph'] = async (method, path, body, token = session.token) => {
    const response = await fetch(world.gateway.url + path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  const send: Cloud['send'] = (message, token) => {
    const body = { messaging_product: 'whatsapp', to: ana.account.phone, ...message }
    return graph('POST', `/v23.0/${number}/messages`, body, token)
  }
  return {
    ...shop,
    ...{ number, files, receiver, graph, send },
    image: Buffer.from(base64, 'base64'),
    async shown(message) {
      const { body, status } = await send(message)
      expect(status, JSON.stringify(body)).to.equal(200)
      return (await ana.wait(({ id }) => id === body.messages[0].id)).raw
    },
    async stop() {
      await world.stop()
      await files.close()
      await receiver.close()
    },
  }
}

/** Status and code of an answer that must be an error in Graph's form. */
export async function errorOf(answer: Promise<GraphAnswer>): Promise<[number, number]> {
  const { status, body } = await answer
  const { error_subcode: _, ...error } = body.error
  expect(error).to.have.all.keys('message', 'type', 'code', 'error_data', 'fbtrace_id')
  return [status, error.code]
}
