import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Calls } from '../support/calls.ts'
import { picture } from '../support/picture.ts'
import type { Known } from './bodies.ts'

/** A gateway with two sessions: one that must survive everything, one for the routes that end sessions. */
export interface Target {
  readonly admin: { admintoken: string }
  readonly main: { token: string }
  readonly spare: { token: string }
  readonly known: Known
  /** What of the network may not change when a request is refused. */
  sent(): Promise<string>
  isLoggedIn(): Promise<boolean>
}

export async function prepareTarget({ get, post }: Calls, adminToken: string): Promise<Target> {
  const admin = { admintoken: adminToken }
  const phone = async (Name: string): Promise<string> =>
    must(await post('/sandbox/phones', { Name, Business: Name === 'Shop' }, admin)).Phone

  async function linked(Name: string): Promise<{ token: string; phone: string }> {
    const number = await phone(Name)
    const { Token: token } = must(await post('/session/init', { Name }, admin))
    must(await post('/session/connect', { Immediate: false }, { token }))
    must(await post(`/sandbox/phones/${number}/scan`, { Token: token }, admin))
    for (let turn = 0; turn < 500; turn += 1) {
      if ((await get('/session/status', { token })).data?.LoggedIn) return { token, phone: number }
      await sleep(20)
    }
    throw new Error(`${Name} did not log in`)
  }

  const shop = await linked('Shop')
  const spare = await linked('Spare')
  const ana = await phone('Ana')
  const create = { Action: 'createGroup', Text: 'Team', Participants: [ana, shop.phone] }
  const { JID } = must(await post(`/sandbox/phones/${ana}/actions`, create, admin))
  const { Id } = must(await post('/send/text', { Phone: ana, Body: 'hello' }, { token: shop.token }))
  const own = must(await get('/session/status', { token: shop.token })).Jid
  return {
    admin,
    main: { token: shop.token },
    spare: { token: spare.token },
    known: [
      ana,
      `${ana}@s.whatsapp.net`,
      String(JID),
      own,
      Id,
      await picture(),
      'https://127.0.0.1:9/x',
      'hello',
    ],
    async sent() {
      const { Counters, Media: _, ...rest } = must(await get('/sandbox/network', admin))
      return JSON.stringify({ ...rest, messages: Counters.messages })
    },
    isLoggedIn: async () => (await get('/session/status', { token: shop.token })).data?.LoggedIn === true,
  }
}

function must({ success, error, data }: Answer): NonNullable<Answer['data']> {
  if (!success) throw new Error(error)
  return data
}
