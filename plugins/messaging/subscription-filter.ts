import { gatewayError, type LogEvent, type Static, T } from 'wamux/plugin'
import { Jid } from './jid.ts'

const MAX_TYPES = 100
const MAX_CHATS = 1_000

const chats = (description: string) =>
  T.Optional(
    T.Array(T.String({ format: 'phone', minLength: 1, maxLength: 256 }), {
      maxItems: MAX_CHATS,
      description,
      examples: [['5511999999999', '120363000000000000@g.us']],
    }),
  )
const kept = (what: string) => T.Optional(T.Boolean({ description: `false: leaves out ${what}` }))

/** Selects among the subscribed events of a receiver. */
export const SubscriptionFilter = T.Object(
  {
    Types: T.Optional(
      T.Array(T.String({ minLength: 1, maxLength: 100 }), {
        maxItems: MAX_TYPES,
        description: 'Only these event types, for example Message; all when absent or empty',
      }),
    ),
    OwnMessages: kept('messages of this account, from its phone or through the interface'),
    Groups: kept('events of groups'),
    Statuses: kept('status posts'),
    Newsletters: kept('events of newsletters'),
    AllowChats: chats('Only events of these chats: numbers or JIDs. Events without a chat are delivered too'),
    DenyChats: chats('No events of these chats: numbers or JIDs'),
  },
  {
    additionalProperties: false,
    description: 'Selects among the subscribed events; replaces the previous filter, `{}` removes it',
  },
)

type Filter = Static<typeof SubscriptionFilter>

/** The filter in the spelling of events. Throws FIELD_INVALID with the field's name. */
export function normalizeFilter(filter: Filter, types: readonly string[]): Filter {
  const { Types, AllowChats, DenyChats, ...rest } = filter
  return {
    ...rest,
    ...(Types?.length ? { Types: Types.map((type) => declared(type, types)) } : {}),
    ...(AllowChats?.length
      ? { AllowChats: AllowChats.map((chat) => toChat('Filter.AllowChats', chat)) }
      : {}),
    ...(DenyChats?.length ? { DenyChats: DenyChats.map((chat) => toChat('Filter.DenyChats', chat)) } : {}),
  }
}

function declared(type: string, types: readonly string[]): string {
  const found = types.find((one) => one.toLowerCase() === type.toLowerCase())
  if (found) return found
  throw gatewayError('FIELD_INVALID', ['Filter.Types', `no enabled plugin has the event type "${type}"`])
}

function toChat(field: string, chat: string): string {
  const digits = chat.replace(/^\+|[\s()-]/g, '')
  if (/^\d{5,20}$/.test(digits)) return Jid.ofPhone(digits)
  if (/^[\w.-]{1,100}@(s\.whatsapp\.net|lid|g\.us|newsletter|broadcast|bot)$/.test(chat)) return chat
  throw gatewayError('FIELD_INVALID', [field, `"${chat}" is neither a phone number nor the JID of a chat`])
}

/** Whether an event passes; without a filter every event does. */
export function passesFilter(filter: Filter, line: LogEvent, facts: () => EventFacts): boolean {
  if (filter.Types && !filter.Types.includes(line.type)) return false
  const rule = ruleOf(filter)
  return !rule || rule(facts())
}

/** The properties of an event that filters use. */
export interface EventFacts {
  /** Every known form of the JID of its chat; none for an event of the session as a whole. */
  readonly chats: readonly string[]
  readonly isOwnMessage: boolean
}

type Rule = (facts: EventFacts) => boolean

/** A changed filter is a new object. */
const rules = new WeakMap<Filter, Rule | null>()

function ruleOf(filter: Filter): Rule | null {
  const known = rules.get(filter)
  if (known !== undefined) return known
  const made = makeRule(filter)
  rules.set(filter, made)
  return made
}

function makeRule({ Types: _, OwnMessages, AllowChats, DenyChats, ...kinds }: Filter): Rule | null {
  const { Groups = true, Statuses = true, Newsletters = true } = kinds
  const allowed = AllowChats && new Set(AllowChats)
  const denied = new Set(DenyChats)
  if (OwnMessages !== false && Groups && Statuses && Newsletters && !allowed && denied.size === 0) return null
  return ({ chats, isOwnMessage }) => {
    if (isOwnMessage && OwnMessages === false) return false
    if (chats.length === 0) return true
    if (chats.some((jid) => denied.has(jid) || (!Groups && Jid.isGroup(jid)))) return false
    if (!Statuses && chats.includes(Jid.status)) return false
    if (!Newsletters && chats.some(Jid.isNewsletter)) return false
    return !allowed || chats.some((jid) => allowed.has(jid))
  }
}

interface Normal {
  chat: { jid: string; phone: string; lid: string }
  isFromMe?: boolean
}

/** Read from the event's JSON and not kept: only filters need it. */
export function eventFactsOf({ type, json, body }: LogEvent): EventFacts {
  const parsed = (json === undefined ? body : JSON.parse(json)) as {
    event?: Record<string, unknown>
    message?: Normal
    receipt?: Normal
  }
  const normal = parsed.message ?? parsed.receipt
  if (!normal) return { chats: chatsIn(parsed.event ?? {}), isOwnMessage: false }
  const { jid, phone, lid } = normal.chat
  const chats = [jid, phone && Jid.ofPhone(phone), lid].filter((one) => one !== '')
  return { chats, isOwnMessage: type === 'Message' && normal.isFromMe === true }
}

/** The names of the chat field in events, the most specific first, each with the name of the other form. */
const CHAT_FIELDS = [
  ['GroupJID', ''],
  ['Chat', 'SenderAlt'],
  ['From', 'FromAlt'],
  ['JID', 'JIDAlt'],
  ['id', ''],
] as const

function chatsIn(event: Record<string, unknown>): string[] {
  const text = (name: string): string => {
    const value = event[name]
    return typeof value === 'string' ? value : ''
  }
  for (const [name, alt] of CHAT_FIELDS) {
    const jid = text(name)
    if (!jid.includes('@')) continue
    // Outside groups the sender is the chat.
    const other = Jid.isGroup(jid) ? '' : text(alt)
    return other ? [jid, other] : [jid]
  }
  return []
}
