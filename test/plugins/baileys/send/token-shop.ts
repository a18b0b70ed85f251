import { createHmac } from 'node:crypto'
import { loadConfig } from '../../../../config/load.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child, children } from '../../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../../plugins/sandbox/types.ts'
import type { Answer } from '../../../support/calls.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type TestGateway, testGateway } from '../../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { createProbe, type Probe } from '../../../support/probe.ts'
import { type LinkedSession, linkPhone } from '../../../support/sessions.ts'

type Plugins = Awaited<ReturnType<typeof loadConfig>>['plugins']

/** A gateway on a network whose messages the test sees as they were sent. */
export interface TokenShop {
  readonly loose: LooseNetwork
  readonly gateway: TestGateway
  readonly probe: Probe
  readonly dataDir: string
  phone(name?: string): Promise<Phone>
  /** Linked with the phone, and with its settings read. */
  linked(phone: Phone): Promise<LinkedSession>
  says(session: LinkedSession, to: string, more?: object): Promise<Answer>
  /** The stanzas of messages that companions have sent to the person, oldest first. */
  sentTo(phone: Phone): Stanza[]
  /** The token of the newest of them: name and bytes. */
  tokenTo(phone: Phone): { tag: string; value: Buffer } | undefined
  /** How often companions have given a token to the person. */
  givenTo(phone: Phone): number
  /** The times of these tokens (Unix seconds). */
  timesGivenTo(phone: Phone): number[]
  /** The token for a first contact of one account with another one. */
  contactToken(from: Phone, to: Phone): { tag: string; value: Buffer }
  /** Resolves once the session has the salt that its account has; rejects where it has none. */
  knowsSalt(session: LinkedSession): Promise<void>
  counter(name: string): number
  stop(): Promise<void>
}

export async function openTokenShop(extra: Plugins = []): Promise<TokenShop> {
  const messages: Stanza[] = []
  const given: { jid: string; t: number }[] = []
  const loose = await startNetwork({
    observe(event) {
      if (event.kind !== 'stanza') return
      if (event.stanza.tag === 'message') messages.push(event.stanza)
      for (const { attrs } of children(child(event.stanza, 'tokens'), 'token'))
        given.push({ jid: attrs['jid'] ?? '', t: Number(attrs['t']) })
    },
  })
  const probe = createProbe()
  const dataDir = temporaryFolder()
  const { plugins } = await loadConfig({ WAMUX_BAILEYS_NETWORK: loose.card })
  const gateway = testGateway({ plugins: [...plugins, ...extra, { plugin: probe.plugin }], dataDir })
  await gateway.start()

  const saltOf = async (session: LinkedSession): Promise<Buffer | undefined> => {
    const { keys } = (await probe.socket(session)).wa.authState
    const { salt } = (await keys.get('nct-salt' as 'tctoken', ['salt'])) as unknown as Record<
      string,
      { salt: Buffer }
    >
    return salt?.salt
  }
  const shop: TokenShop = {
    loose,
    gateway,
    probe,
    dataDir,
    phone: (name = 'Somebody') => loose.phones.create({ name }),
    async linked(phone) {
      const session = await linkPhone(gateway, phone)
      await probe.synced(session)
      return session
    },
    says: (session, Phone, more = {}) => session.post('/send/text', { Phone, Body: 'hello', ...more }),
    sentTo({ account }) {
      const users = [account.jid, account.lid].map((jid) => jid.split('@')[0])
      return messages.filter(({ attrs }) => users.includes(attrs['to']?.split(/[:@]/)[0]))
    },
    tokenTo(phone) {
      const stanza = shop.sentTo(phone).at(-1)
      const found = ['tctoken', 'cstoken'].flatMap((tag) => child(stanza, tag) ?? [])
      if (found.length > 1) throw new Error('two tokens')
      return found[0] && { tag: found[0].tag, value: Buffer.from(found[0].content as Buffer) }
    },
    givenTo: (phone) => shop.timesGivenTo(phone).length,
    timesGivenTo: ({ account: { jid, lid } }) =>
      given.filter((token) => token.jid === jid || token.jid === lid).map(({ t }) => t),
    contactToken(from, to) {
      const key = loose.network.saltOf(from.account) ?? ''
      return { tag: 'cstoken', value: createHmac('sha256', key).update(to.account.lid).digest() }
    },
    async knowsSalt(session) {
      const salt = loose.network.saltOf(session.phone.account) ?? Buffer.alloc(0)
      await eventually(async () => (await saltOf(session))?.equals(salt), 'the salt is known')
    },
    counter: (name) => (loose.network.view()['Counters'] as Record<string, number>)[name] ?? 0,
    async stop() {
      await gateway.stop()
      await loose.network.close()
    },
  }
  return shop
}

/** With one session, which has its salt. */
export interface LinkedTokenShop {
  readonly shop: TokenShop
  readonly owner: Phone
  readonly session: LinkedSession
}

export async function openLinkedTokenShop(): Promise<LinkedTokenShop> {
  const shop = await openTokenShop()
  const owner = await shop.phone()
  const session = await shop.linked(owner)
  await shop.knowsSalt(session)
  return { shop, owner, session }
}
