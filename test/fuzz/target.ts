import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN } from '../support/gateway.ts'
import { startNetwork } from '../support/network.ts'
import { picture } from '../support/picture.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { linkPhone } from '../support/sessions.ts'
import type { Known } from './bodies.ts'

/** A gateway in its own process with two sessions: one must survive everything, one is for the routes that end some. */
export interface Target {
  readonly url: string
  readonly admin: { admintoken: string }
  readonly main: { token: string }
  readonly spare: { token: string }
  readonly known: Known
  /** What of the network may not change when a request is refused. */
  state(): string
  isLoggedIn(): boolean
  /** Bytes that the gateway holds after collecting its garbage. */
  weigh(): Promise<number>
  stop(): Promise<void>
}

/** @param imports modules that the gateway loads before its own. */
export async function startTarget(imports: readonly string[] = []): Promise<Target> {
  const { network, phones, card } = await startNetwork()
  const gateway = await startProcess(
    {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: card,
      WAMUX_BAILEYS_ACK_TIMEOUT_MS: '2000',
      WAMUX_BAILEYS_QUERY_TIMEOUT_MS: '2000',
    },
    'start',
    ['./test/fuzz/heap.ts', ...imports],
  )
  const shop = await linkPhone(gateway, await phones.create({ name: 'Shop', business: true }))
  const spare = await linkPhone(gateway, await phones.create({ name: 'Spare' }))
  const ana = await phones.create({ name: 'Ana' })
  const { JID: group } = await ana.act({
    Action: 'createGroup',
    Text: 'Team',
    Participants: [ana.account.phone, shop.phone.account.phone],
  })
  const headers = { token: shop.token }
  const sent = await gateway.post('/send/text', { Phone: ana.account.phone, Body: 'hello' }, headers)
  const made = await gateway.post('/newsletter/create', { Name: 'News' }, headers)
  const { data: status } = await gateway.get('/session/status', headers)
  return {
    url: gateway.url,
    admin: { admintoken: ADMIN },
    main: headers,
    spare: { token: spare.token },
    known: {
      people: [ana.account.phone, ana.account.jid, ana.account.lid, String(group), status.Jid],
      groups: [String(group)],
      newsletters: [made.data.id],
      messages: [sent.data.Id],
      files: [await picture(), 'https://127.0.0.1:9/x'],
      texts: ['hello'],
    },
    state() {
      const { Counters, Media: _, ...rest } = network.view()
      return JSON.stringify({ ...rest, messages: (Counters as Record<string, number>)['messages'] })
    },
    isLoggedIn() {
      const { Companions } = network.viewAccount(shop.phone.account) as { Companions: { Online: boolean }[] }
      return Companions.some(({ Online }) => Online)
    },
    weigh: () => weigh(gateway),
    async stop() {
      await gateway.end('SIGTERM')
      await network.close()
    },
  }
}

async function weigh({ pid, lines }: GatewayProcess): Promise<number> {
  const from = lines.length
  process.kill(pid, 'SIGCONT')
  const weighed = () => lines.slice(from).find((line) => line.includes('"weighed"'))
  const line = await eventually(weighed, 'weighed')
  return (JSON.parse(line) as { bytes: number }).bytes
}
