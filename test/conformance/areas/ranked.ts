import { eventually } from '../../support/eventually.ts'
import type { Area, Bench } from './area.ts'

/** Ranked behaviours of plugins/sandbox/WHATSAPP.md, with the switches for clients without them off. */

const QUIET_MS = 12_000
/** More than Baileys asks for. */
const QUEUED = 120

export const loginFields: Area = {
  name: 'logins like those of WhatsApp Web (19)',
  async run({ loose, own }) {
    const { phone } = own.account
    const logins = loose.network.view()['Logins'] as { Phone: string; DiffersFromWaWeb: string[] }[]
    const fields = logins.find(({ Phone }) => Phone === phone)?.DiffersFromWaWeb ?? ['no login']
    if (fields.length > 0) throw new Error(`they differ in ${fields.join(', ')}`)
  },
}

export const firstContact: Area = {
  name: 'first contact with a token (5)',
  async run({ loose, companion }) {
    const stranger = await loose.phones.create({ name: 'Stranger' })
    const refused = counter(loose, 'tokenless')
    loose.network.endFault({ Fault: 'lenientTokens' })
    try {
      const id = await companion.text(stranger.account.lid, 'hello')
      const isThere = () => stranger.messages().some((message) => message.id === id)
      await eventually(() => isThere() || counter(loose, 'tokenless') > refused, 'the text, or its refusal', {
        quietMs: QUIET_MS,
      })
      if (!isThere()) throw new Error('the network refuses the text (463)')
    } finally {
      loose.network.fault({ Fault: 'lenientTokens' })
    }
  },
}

/** The last but one: a client that does not ask gets no live stanzas after it. */
export const pulledQueue: Area = {
  name: 'a queue of 120 in batches (2)',
  async run({ loose, own, other, companion }) {
    await companion.disconnect()
    const { network } = loose
    const isOffline = () => network.brief(own.account).companions.every(({ isOnline }) => !isOnline)
    await eventually(isOffline, 'disconnected')
    const ids = new Set<string>()
    for (let i = 0; i < QUEUED; i += 1) ids.add(await other.send(own.account.lid, { Text: `batched ${i}` }))
    companion.forget()
    network.endFault({ Fault: 'pushQueue' })
    try {
      await companion.connect()
      const received = () =>
        companion.events.filter((event) => event.is === 'message' && ids.has(event.id)).length
      await eventually(() => received() === QUEUED, 'all texts received', {
        progress: received,
        quietMs: QUIET_MS,
      })
    } finally {
      network.fault({ Fault: 'pushQueue' })
    }
  },
}

/** The last: the network closes the link of a client that does not answer. */
/** With and without a type or a child. */
const PING_FORMS = 6

export const pings: Area = {
  name: 'pings of the network answered (20)',
  async run({ loose, own, companion }) {
    const isClosed = () => loose.network.brief(own.account).companions.every(({ isOnline }) => !isOnline)
    await eventually(() => !isClosed(), 'online')
    for (let form = 0; form < PING_FORMS; form += 1) {
      const answered = counter(loose, 'serverPongs')
      loose.network.fault({ Fault: 'ping', Ms: 2_000 })
      await eventually(() => isClosed() || counter(loose, 'serverPongs') > answered, 'answered, or closed')
      if (isClosed()) throw new Error('the network closes the link, since it gets no answer')
    }
    await companion.disconnect()
  },
}

function counter({ network }: Bench['loose'], name: string): number {
  return (network.view()['Counters'] as Record<string, number>)[name] ?? 0
}
