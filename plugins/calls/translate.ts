import type { BinaryNode } from '@whiskeysockets/baileys'
import { altOf, Jid } from 'wamux/messaging'
import type { Recording, Session } from 'wamux/plugin'
import type { events } from './events.ts'

const TYPES: Readonly<Record<string, keyof typeof events>> = {
  offer: 'CallOffer',
  offer_notice: 'CallOfferNotice',
  accept: 'CallAccept',
  reject: 'CallReject',
  terminate: 'CallTerminate',
  relaylatency: 'CallRelayLatency',
  preaccept: 'CallPreAccept',
  transport: 'CallTransport',
  ringing: 'CallRinging',
}

/** Translates a call stanza; undefined for those that concern only the media. */
export async function ofCall(
  session: Session | undefined,
  stanza: BinaryNode,
): Promise<Recording | undefined> {
  const [part] = Array.isArray(stanza.content) ? stanza.content : []
  const { tag = '', attrs = {} } = part ?? {}
  const from = Jid.bare(stanza.attrs['from'])
  const isGroup = Boolean(attrs['group-jid']) || attrs['type'] === 'group'
  // For a group call phones get an offer but companions a notice; receivers get the same event.
  const type = tag === 'offer' && isGroup ? 'CallOfferNotice' : TYPES[tag]
  if (!part || !type || !from) return undefined
  const creator = Jid.bare(attrs['call-creator'] ?? stanza.attrs['from'])
  const twin = Jid.bare(Jid.isLid(creator) ? attrs['caller_pn'] : attrs['caller_lid'])
  const timestamp = new Date(Number(stanza.attrs['t'] ?? 0) * 1000).toISOString()
  const creatorAlt = twin || (await altOf(session, creator))
  const event = {
    From: from,
    FromAlt: from === creator ? creatorAlt : await altOf(session, from),
    Timestamp: timestamp,
    CallCreator: creator,
    CallCreatorAlt: creatorAlt,
    CallID: attrs['call-id'] ?? '',
    GroupJID: attrs['group-jid'] ?? '',
    RemotePlatform: stanza.attrs['platform'] ?? '',
    RemoteVersion: stanza.attrs['version'] ?? '',
    Media: mediaOf(part),
    Type: isGroup ? 'group' : '',
    Reason: attrs['reason'] ?? '',
  }
  const key = `${from} ${stanza.attrs['id']}`
  return { events: [{ type, key, chat: event.GroupJID || from, time: timestamp, body: { event } }] }
}

function mediaOf({ tag, attrs, content }: BinaryNode): string {
  if (attrs['media']) return attrs['media']
  if (tag !== 'offer') return ''
  return Array.isArray(content) && content.some((child) => child.tag === 'video') ? 'video' : 'audio'
}
