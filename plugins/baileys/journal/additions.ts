import type { SignalKeyStore, WAMessage } from '@whiskeysockets/baileys'
import { pollOptionHash } from 'wamux/messaging'
import type { Write } from 'wamux/plugin'
import { isJidNewsletter, jidNormalizedUser, proto } from '../baileys.ts'
import { openAddition } from '../protocol/additions.ts'
import { knownAlt } from '../protocol/alt-jid.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import {
  type Envelope,
  editIn,
  envelopeOf,
  innerOf,
  isAddedOption,
  isEdit,
  isForwarded,
  isNothingUnopened,
  plainForm,
  pollIn,
} from '../protocol/sealed.ts'
import type { Me } from '../protocol/signals.ts'
import type { SealedContent } from '../sdk.ts'
import type { HistoryPart } from '../socket/history.ts'
import type { Outgoing } from '../store/outgoing.ts'
import type { Kept, Secrets } from '../store/secrets.ts'

/** A message as it is logged. */
export interface Read {
  message: WAMessage
  /** The sealed form that it came in; absent for messages that were not sealed. */
  sealed?: SealedContent
  /** Id of the message that it changes, if it can't be opened because that message's secret is not known. */
  unopened?: string
  /** It adds to another message, as every member of the chat may: its secret has shown that. */
  isOfMembers?: true
  /** Writes of the secrets that it brought. */
  writes: Write[]
  /** Call it when the writes are committed or have failed. */
  ended(): void
}

/** Opens additions sealed under the secret of another message, and stores the secrets needed for that. */
export interface Additions {
  /** @param isOutgoing whether the gateway has sent it, so that it has an outgoing row. */
  read(message: WAMessage, isOutgoing: boolean): Promise<Read>
  readHistory(part: HistoryPart): Promise<Pick<Read, 'writes' | 'ended'>>
}

interface Parts {
  keys: SignalKeyStore
  secrets: Secrets
  outgoing: Pick<Outgoing, 'find' | 'messageOf'>
  me(): Me
}

const DAY_MS = 24 * 3_600_000
/** An edited text may wait up to 30 days for delivery; polls and events are answered for longer. */
const TEXT_DAYS = 30
const POLL_DAYS = 90
/** Per message: an edit that was overtaken by the next one is sealed under the previous secret, and an edit may bring two. */
const MAX_SECRETS = 8
const SECRET_BYTES = 32

export function createAdditions({ keys, secrets, outgoing, me }: Parts): Additions {
  const own = (): string[] => [jidNormalizedUser(me().id), jidNormalizedUser(me().lid)].filter(Boolean)

  function authorsOf({ key }: WAMessage): string[] {
    if (key.fromMe) return own()
    const author = key.participant || key.remoteJid
    return [author, key.participantAlt || key.remoteJidAlt]
      .map((jid) => jidNormalizedUser(jid ?? ''))
      .filter(Boolean)
  }

  /** The secret of a message that has its own content. */
  function keptOf(
    { key, messageTimestamp }: WAMessage,
    inner: proto.IMessage,
    found: readonly (Uint8Array | null | undefined)[],
    authors: readonly string[],
  ): Kept | undefined {
    const { id, remoteJid } = key
    const all = found.filter((secret): secret is Uint8Array => secret?.length === SECRET_BYTES)
    const isOwnContent = !inner.protocolMessage && !inner.reactionMessage && !inner.encReactionMessage
    if (!id || !remoteJid || all.length === 0 || authors.length === 0) return undefined
    if (!isOwnContent || isJidNewsletter(remoteJid) || isForwarded(inner)) return undefined
    const poll = pollIn(inner)
    const days = poll || inner.eventMessage ? POLL_DAYS : TEXT_DAYS
    const written = Math.min(Number(messageTimestamp ?? 0) * 1000 || Date.now(), Date.now())
    const until = written + days * DAY_MS
    if (until < Date.now()) return undefined
    return { message: id, chat: remoteJid, authors, secrets: all, poll: poll && describe(poll), until }
  }

  /**
   * Messages whose secret may have sealed an addition. The secret of a message that the gateway has sent to a person is in its
   * outgoing row alone (`isKeptByRow`).
   */
  async function parentsOf(id: string): Promise<Kept[]> {
    const stored = await secrets.find(id)
    if (stored.some(({ authors }) => isSame(authors, own()))) return stored
    const row = id ? await outgoing.find(id) : undefined
    if (!row) return stored
    const message = outgoing.messageOf(row)
    const key = { id, remoteJid: row.chat, fromMe: true }
    const sent = keptOf({ key }, innerOf(message), secretsIn(message), own())
    return sent ? [...stored, sent] : stored
  }

  /**
   * The stored secrets of the message that its author edits, with those of the edit: clients put the one that seals the next edit
   * into the sealed content, or beside it (whatsapp-rust pull 762).
   */
  function renewed(
    parents: readonly Kept[],
    message: proto.IMessage,
    authors: readonly string[],
    envelope: readonly Uint8Array[] = [],
  ): Kept[] {
    const edit = editIn(innerOf(message))
    const found = [...secretsIn(message), ...envelope].filter((secret) => secret.length === SECRET_BYTES)
    const poll = edit && pollIn(edit.content)
    if (!edit || (!poll && found.length === 0)) return []
    return parents
      .filter(({ message: id, authors: writers }) => id === edit.id && isSame(writers, authors))
      .map((parent) => ({
        ...parent,
        poll: poll ? describe(poll) : parent.poll,
        secrets: distinct([...found, ...parent.secrets]).slice(0, MAX_SECRETS),
      }))
  }

  function keep(mode: 'add' | 'put', all: readonly (Kept | undefined)[]): Pick<Read, 'writes' | 'ended'> {
    const kept = all.filter((one) => one !== undefined)
    return { writes: kept.map((one) => secrets.keep(one, mode)), ended: () => secrets.committed(kept) }
  }

  async function open(message: WAMessage, envelope: Envelope): Promise<Read> {
    const authors = authorsOf(message)
    const parents = await parentsOf(envelope.target.id ?? '')
    for (const parent of parents) {
      // All members of a group know the secret, but only its author may change a message.
      if (isEdit(envelope) && !isSame(parent.authors, authors)) continue
      const plain = [envelope.use, ...envelope.also]
        .map((use) => openAddition({ ...parent, id: parent.message }, authors, use, envelope))
        .find((one) => one !== undefined)
      if (plain) return opened(message, envelope, parent, plain, authors)
    }
    const unopened = isNothingUnopened(envelope) ? { unopened: envelope.target.id ?? '' } : {}
    return { message, ...unopened, ...keep('add', []) }
  }

  function opened(
    message: WAMessage,
    envelope: Envelope,
    parent: Kept,
    plain: Uint8Array,
    authors: readonly string[],
  ): Read {
    const outer = message.message ?? {}
    const content = plainForm(envelope, plain, parent.poll)
    const sealed = { envelope: innerOf(outer), ...detailsOf(envelope, parent, plain) }
    if (!content) return { message, sealed, ...keep('add', []) }
    const beside = secretsIn(outer)
    const comment = keptOf(message, content, beside, authors)
    const isOption = isAddedOption(envelope)
    // An option brings no secret of the poll.
    const changed = isOption
      ? renewed([parent], content, parent.authors)
      : renewed([parent], content, authors, beside)
    return {
      message: { ...message, message: rewrapped(outer, content) },
      sealed,
      ...(isOption ? { isOfMembers: true } : {}),
      ...keep('put', [...changed, content.commentMessage ? comment : undefined]),
    }
  }

  return {
    async read(message, isOutgoing) {
      const content = message.message ?? {}
      const inner = innerOf(content)
      const envelope = envelopeOf(inner)
      if (envelope) return open(message, envelope)
      const authors = authorsOf(message)
      const edit = editIn(inner)
      if (edit) return { message, ...keep('put', renewed(await parentsOf(edit.id), content, authors)) }
      if (isOutgoing && isKeptByRow(message, inner)) return { message, ...keep('add', []) }
      return { message, ...keep('add', [keptOf(message, inner, secretsIn(content), authors)]) }
    },
    async readHistory({ messages, lidPnMappings = [] }) {
      const others = new Map(lidPnMappings.flatMap(({ lid, pn }) => [[lid, pn] as const, [pn, lid] as const]))
      const kept = messages.map(async (message) => {
        const { key, messageSecret } = message
        const content = message.message ?? {}
        const inner = innerOf(content)
        const found = distinct([messageSecret, ...secretsIn(content)])
        if (found.length === 0) return undefined
        const author = jidNormalizedUser(key.participant || key.remoteJid || '')
        const other = key.fromMe ? '' : (others.get(author) ?? (await knownAlt(keys, author)))
        const authors = key.fromMe ? own() : [author, other].filter(Boolean)
        return keptOf(message, inner, found, authors)
      })
      const found = (await Promise.all(kept)).filter((one) => one !== undefined)
      const earlier = await secrets.stored(found.map(({ message }) => message))
      return keep(
        'put',
        found.map((one) => withEarlier(one, earlier)),
      )
    },
  }
}

/**
 * Whether the outgoing row is kept for as long as additions to the message are made. In chats with persons these are edits, for
 * minutes; polls and events are answered, and messages in groups commented on, for longer than the row is kept.
 */
function isKeptByRow({ key }: WAMessage, inner: proto.IMessage): boolean {
  return isPerson(key.remoteJid ?? '') && !pollIn(inner) && !inner.eventMessage
}

function describe({
  name,
  options,
  selectableOptionsCount: most,
}: proto.Message.IPollCreationMessage): Kept['poll'] {
  const names = (options ?? []).map(({ optionName }) => optionName ?? '')
  return { question: name ?? '', options: names, most: most ?? 0 }
}

/** Adds the secrets already stored for the message: the history may have the one from before an edit, or only the newest. */
function withEarlier(kept: Kept, earlier: readonly Kept[]): Kept {
  const known = earlier.find(
    ({ message, chat, authors }) =>
      message === kept.message && chat === kept.chat && isSame(authors, kept.authors),
  )
  if (!known) return kept
  // The stored row has the JIDs that were known at that time.
  const secrets = distinct([...kept.secrets, ...known.secrets]).slice(0, MAX_SECRETS)
  return { ...kept, authors: known.authors, secrets, poll: kept.poll ?? known.poll }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.some((jid) => others.includes(jid))
}

function distinct(secrets: readonly (Uint8Array | null | undefined)[]): Uint8Array[] {
  const found = secrets.filter((one): one is Uint8Array => Boolean(one?.length))
  return found.filter((one, at) => found.findIndex((other) => Buffer.compare(one, other) === 0) === at)
}

/** The secret of a content, outside of its wrappers or within. */
function secretsIn(content: proto.IMessage): Uint8Array[] {
  const places = [content, innerOf(content)]
  return distinct(places.map(({ messageContextInfo }) => messageContextInfo?.messageSecret))
}

/** Puts the plain content into the wrappers of the envelope. */
function rewrapped(outer: proto.IMessage, content: proto.IMessage): proto.IMessage {
  return outer.ephemeralMessage?.message ? { ephemeralMessage: { message: content } } : content
}

function detailsOf(
  { use, target }: Envelope,
  { poll }: Kept,
  plain: Uint8Array,
): Omit<SealedContent, 'envelope'> {
  const id = target.id ?? ''
  if (use === 'Poll Vote' && poll)
    return { vote: { poll: id, question: poll.question, options: chosen(poll, plain) } }
  if (use !== 'Event Response') return {}
  const { response, extraGuestCount } = proto.Message.EventResponseMessage.decode(plain)
  const { GOING, NOT_GOING } = proto.Message.EventResponseMessage.EventResponseType
  const answer = response === GOING ? 'going' : response === NOT_GOING ? 'notGoing' : 'maybe'
  return { answer: { event: id, response: answer, guests: extraGuestCount ?? 0 } }
}

/** A vote contains the hashes of the chosen options' names. */
function chosen({ options }: NonNullable<Kept['poll']>, plain: Uint8Array): string[] {
  const hashes = proto.Message.PollVoteMessage.decode(plain).selectedOptions ?? []
  return options.filter((name) => {
    const hash = pollOptionHash(name)
    return hashes.some((one) => hash.equals(one))
  })
}
