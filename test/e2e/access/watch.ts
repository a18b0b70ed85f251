import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { World } from '../../support/world.ts'

/** Something that left the gateway, as text. */
export interface Seen {
  readonly where: string
  readonly text: string
}

/** Who a stanza is for, and whom it asks about. */
export const ADDRESSED = 'the addresses of a stanza'
/** Of a view of a stanza: contents, and the subject of a group. */
const TEXTS = ['Text', 'Base64', 'subject']

/** Looks at what phones got, and at what a session sent to the network. */
export interface Watch {
  /** What came since the last call. */
  take(): Seen[]
  stop(): void
}

/**
 * @param session whose companion is watched: its stanzas, and the settings that its account's devices share.
 * @param recipients whose messages are read.
 * @param strangers who may get nothing: what they get is told by their names.
 */
export function watch(
  world: World,
  {
    session,
    recipients,
    strangers,
  }: { session: Phone; recipients: readonly Phone[]; strangers: readonly Phone[] },
): Watch {
  const { feed } = world.gateway.service('sandbox').network
  const stop = new AbortController()
  const stanzas: Seen[] = []
  const known = new Map<string, number>()
  const settings = new Set<string>()
  let cursor = feed.last

  function drain(): void {
    const events = feed.after(cursor)
    if (!events) throw new Error('the feed of the network was read too slowly')
    cursor = events.at(-1)?.seq ?? cursor
    for (const { kind, phone, view } of events) {
      if (kind !== 'stanza' || phone !== session.account.phone) continue
      const { Direction, Device, Stanza } = view()
      if (Direction !== 'up' || Device === 0) continue
      stanzas.push({ where: 'the network', text: JSON.stringify(Stanza) })
      stanzas.push({ where: ADDRESSED, text: JSON.stringify(Stanza, withoutTexts) })
    }
  }
  /** Those of a list that were not there before. */
  const fresh = <T>(name: string, all: readonly T[]): readonly T[] => {
    const from = known.get(name) ?? 0
    known.set(name, all.length)
    return all.slice(from)
  }
  const nameOf = ({ account }: Phone): string => account.name
  const messagesOf = (phone: Phone): Seen[] =>
    fresh(`messages ${nameOf(phone)}`, phone.messages()).map(({ message, attrs, fromMe }) => ({
      where: fromMe ? 'own' : `the phone of ${nameOf(phone)}`,
      text: JSON.stringify([message, attrs]),
    }))
  const settingsOf = (phone: Phone): Seen[] =>
    Object.values(phone.view()['Settings'] as object)
      .flatMap((one) => Object.entries(one as object))
      .map((one) => JSON.stringify(one))
      .filter((text) => !settings.has(text) && settings.add(text))
      .map((text) => ({ where: 'the settings of the account', text }))

  function take(): Seen[] {
    drain()
    return [
      ...stanzas.splice(0),
      ...recipients.flatMap(messagesOf).filter(({ where }) => where !== 'own'),
      ...settingsOf(session),
      ...strangers.flatMap((phone) => [
        ...messagesOf(phone)
          .filter(({ where }) => where !== 'own')
          .map(({ text }) => ({ where: `a stranger, ${nameOf(phone)}`, text })),
        ...fresh(`receipts ${nameOf(phone)}`, phone.receipts)
          .filter(({ type }) => type !== 'delivered')
          .map((one) => ({ where: `a stranger, ${nameOf(phone)}`, text: JSON.stringify(one) })),
        ...fresh(`presences ${nameOf(phone)}`, phone.presences).map((one) => ({
          where: `a stranger, ${nameOf(phone)}`,
          text: JSON.stringify(one),
        })),
      ]),
    ]
  }

  void (async () => {
    // The feed keeps some thousands of events only.
    while (!stop.signal.aborted) if (await feed.wait(cursor, 1_000, stop.signal)) drain()
  })()
  take()
  return { take, stop: () => stop.abort() }
}

function withoutTexts(name: string, value: unknown): unknown {
  return TEXTS.includes(name) ? '' : value
}
