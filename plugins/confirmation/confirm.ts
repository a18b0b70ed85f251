import { altOf, eventFactsOf, Jid } from 'wamux/messaging'
import {
  type CallerRequest,
  type GatewayServices,
  gatewayError,
  hostOf,
  type Kernel,
  type Left,
  leavingIn,
  type Session,
} from 'wamux/plugin'

interface Deps extends Pick<Kernel<{ knownHosts: string[] }>, 'config' | 'events'> {
  targets: GatewayServices['targets']
  contacts?: GatewayServices['contacts'] | undefined
}

/** With this header, a client that asks a person to confirm calls states which need no confirmation. */
const HEADER = 'X-Unconfirmed'
/** Nothing that leaves the account; sends to chats that the account has written to; all that can be undone. */
const VALUES = ['none', 'known-chats', 'reversible'] as const
type Unconfirmed = (typeof VALUES)[number]

const isValue = (text: string): text is Unconfirmed => (VALUES as readonly string[]).includes(text)

/** Events read at once to find an own message in a chat, and at most. */
const PAGE = 200
const MAX_READ = 2_000
/** Recipients that are looked up; a post to more is always asked about. */
const MAX_LOOKED_UP = 20
/** Characters of a name, and of a text that is no address. */
const MAX_NAME = 100

/** Something that leaves, in words, and whether a person must confirm it. */
interface Line {
  readonly text: string
  readonly isAsked: boolean
}

/**
 * Rejects UNCONFIRMED for a call that a person must confirm first; its details name what leaves, and who gets it. A chat is
 * known if the account has written to it, as far back as the log goes; if incoming messages counted, anyone could make
 * their own chat known. A post to many never counts as known.
 */
export function createConfirmation({ config, events, targets, contacts }: Deps) {
  async function hasWritten(session: Session, forms: readonly string[]): Promise<boolean> {
    for (const lane of forms.map((jid) => events.lane(session.id, jid))) {
      let next = Number.MAX_SAFE_INTEGER
      for (let read = 0; read < MAX_READ; read += PAGE) {
        const lines = await events.before(next, PAGE, { session: session.id, lane, types: ['Message'] })
        if (lines.some((line) => eventFactsOf(line).isOwnMessage)) return true
        if (lines.length < PAGE) break
        next = lines.at(-1)?.seq ?? 0
      }
    }
    return false
  }

  /** The saved name of a person, or the one that the person has chosen, which may imitate another. */
  async function nameOf(session: Session, forms: readonly string[]): Promise<string> {
    const found = (await contacts?.byJids(session.id, forms)) ?? []
    const saved = found.map(({ fullName, firstName }) => fullName || firstName).find(Boolean)
    if (saved) return quoted(saved)
    const chosen = found.map((one) => one.pushName || one.businessName || one.username).find(Boolean)
    return chosen ? `${quoted(chosen)}, a name of their own choice,` : ''
  }

  /** Who a field names, in words, and whether the account has written to them. */
  async function describe(
    session: Session | undefined,
    chat: NonNullable<Left['chat']>,
  ): Promise<{ words: string; isKnown: boolean }> {
    const jid = await targets.named(session, chat)
    if (!session || jid === undefined) return { words: quoted(String(chat.value)), isKnown: false }
    // The handler must resolve the name to the same address as this question.
    if (String(chat.value).trim().startsWith('@')) chat.replace(jid)
    const forms = [jid, await altOf(session, jid)].filter(Boolean)
    const isKnown = !Jid.isBroadcast(jid) && (await hasWritten(session, forms))
    const phone = forms.find(Jid.isPhone)
    const number = phone ? `+${phone.split('@')[0]}` : jid
    const who = Jid.isPerson(jid) ? `${await nameOf(session, forms)} ${number}`.trim() : jid
    return {
      words: isKnown ? who : `${who} (you have never written to them, as far back as the event log goes)`,
      isKnown,
    }
  }

  async function lineOf(session: Session | undefined, { leaving, chat, address }: Left): Promise<Line> {
    const named = chat && (await describe(session, chat))
    const who = named?.words
    switch (leaving) {
      case 'recipient':
        return {
          text: who ? `${who} gets something` : 'people that the request does not name get something',
          isAsked: !named?.isKnown,
        }
      case 'fetch': {
        const host = hostOf(address?.url ?? '')
        return {
          text: `${quoted(host || (address?.url ?? ''))} is requested, and gets what the address contains`,
          isAsked: !config.knownHosts.includes(host),
        }
      }
      case 'profile':
        return { text: 'what others see of the account changes', isAsked: true }
      case 'group':
        return {
          text: who ? `a group or channel changes: ${who}` : 'a group or channel changes',
          isAsked: true,
        }
      case 'contact':
        return { text: `the saved name changes of ${who ?? 'a person'}`, isAsked: true }
      case 'business':
        return { text: 'the business profile or the catalogue changes', isAsked: true }
    }
  }

  return async ({ route, body, session, header }: CallerRequest): Promise<void> => {
    const value = header(HEADER)
    if (!value) return
    if (!isValue(value)) throw gatewayError('FIELD_INVALID', [HEADER, `must be one of ${VALUES.join(', ')}`])
    const isDestructive = route.spec.isDestructive === true
    if (value === 'reversible' && !isDestructive) return
    const left = leavingIn(route, body)
    const lines = await Promise.all(left.slice(0, MAX_LOOKED_UP).map((one) => lineOf(session, one)))
    const more = left.length - lines.length
    const isAsked =
      isDestructive ||
      (value === 'none' && left.length > 0) ||
      more > 0 ||
      (value === 'known-chats' && lines.some((line) => line.isAsked))
    if (!isAsked) return
    const texts = [
      ...(isDestructive ? ["it can't be undone"] : []),
      ...lines.map(({ text }) => text),
      ...(more > 0 ? [`and so on for ${more} more`] : []),
    ]
    throw gatewayError('UNCONFIRMED', [], { details: [...new Set(texts)].join('; ') })
  }
}

/** A text of somebody else: it must not look like a part of the sentence. */
function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text)
}
