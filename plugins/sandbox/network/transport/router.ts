import { child, children, el, text, textNode } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { businessProfile, commerce } from '../business/iq-business.ts'
import { catalog } from '../business/iq-catalog.ts'
import type { Device } from '../directory/accounts.ts'
import { appState } from '../directory/iq-app-state.ts'
import { picture } from '../directory/iq-picture.ts'
import { prekeys } from '../directory/iq-prekeys.ts'
import { privacy } from '../directory/iq-privacy.ts'
import { blocklist, disappearingMode, linkedDevices, status } from '../directory/iq-profile.ts'
import { usync } from '../directory/iq-usync.ts'
import { properties } from '../directory/props.ts'
import { refusalOfQuery } from '../faults/restrict.ts'
import { groups } from '../groups/iq-groups.ts'
import { bots } from '../iq/bots.ts'
import { mex } from '../iq/mex.ts'
import type { QueryHandler } from '../iq/query.ts'
import { newsletters, terms } from '../newsletters/iq-newsletters.ts'
import { type Refusal, refusal } from '../refusal.ts'
import { clockOf, type NetworkState } from '../state.ts'

/** The media host for uploads and downloads, and its auth token. */
const mediaConnection: QueryHandler = (state) => [
  el('media_conn', { auth: 'sandbox', ttl: 3600, max_buckets: 12 }, [
    el('host', { hostname: state.media.host, maxContentLengthBytes: 100 * 1024 * 1024 }),
  ]),
]

/** `clean`: the companion has fetched what was marked dirty. */
const cleanDirty: QueryHandler = (_state, device, iq) => {
  for (const { attrs } of children(iq, 'clean')) device.dirty.delete(attrs['type'] ?? '')
  return undefined
}

const MAX_EMAIL = 320

/**
 * The e-mail address of an account (`urn:xmpp:whatsapp:account`), with which its owner can recover it. Format from zapo-js
 * client/coordinators/WaEmailCoordinator. No mail is sent, so no code can be requested.
 */
const email: QueryHandler = (_state, { account }, iq) => {
  const request = child(iq, 'email')
  if (!request) throw refusal(403, 'forbidden')
  if (iq.attrs['type'] === 'set') {
    const address = text(child(request, 'email_address'))
    if (!address || address.length > MAX_EMAIL) throw refusal(406, 'not-acceptable')
    account.email = address
  }
  return [emailNode(account.email)]
}

function emailNode(address: string): Stanza {
  if (!address) return el('email')
  return el('email', { verified: 'false' }, [
    textNode('email_address', address),
    textNode('confirmed', 'false'),
  ])
}

/** Clients address the group server by its name or as a JID; it answers as a JID. */
const GROUPS = 'g.us'

const nothing: QueryHandler = () => undefined
const ping: QueryHandler = (state) => {
  state.counters.pings += 1
  return undefined
}

/** Handlers by xmlns. Each domain adds its `iq-x.ts` here. */
const QUERIES: Readonly<Record<string, QueryHandler>> = {
  abt: properties,
  blocklist,
  bot: bots,
  disappearing_mode: disappearingMode,
  encrypt: prekeys,
  'fb:thrift_iq': commerce,
  md: linkedDevices,
  newsletter: newsletters,
  passive: nothing,
  privacy,
  status,
  tos: terms,
  'urn:xmpp:whatsapp:account': email,
  'urn:xmpp:whatsapp:dirty': cleanDirty,
  usync,
  w: properties,
  'w:biz': businessProfile,
  'w:biz:catalog': catalog,
  'w:g2': groups,
  'w:m': mediaConnection,
  'w:mex': mex,
  'w:p': ping,
  'w:profile:picture': picture,
  'w:stats': nothing,
  'w:sync:app:state': appState,
}

export function route(state: NetworkState, device: Device, sent: Stanza): Stanza {
  const iq = sent.attrs['to'] === GROUPS ? { ...sent, attrs: { ...sent.attrs, to: `@${GROUPS}` } } : sent
  const xmlns = iq.attrs['xmlns'] ?? ''
  const query = QUERIES[xmlns]
  try {
    const refused = refusalOfQuery(device, xmlns)
    if (refused) throw refused
    if (query) return timed(state, query, result(iq, query(state, device, iq)))
  } catch (error) {
    const { stanzaCode = 500 } = error as Partial<Refusal>
    if (stanzaCode === 500) state.log.error({ err: error, xmlns }, 'query failed')
    return refused(iq, error)
  }
  const label = `${xmlns} ${children(iq)[0]?.tag ?? ''}`
  state.counters.unhandled[label] = (state.counters.unhandled[label] ?? 0) + 1
  return result(iq)
}

/** A pong carries the network's time. */
function timed(state: NetworkState, query: QueryHandler, reply: Stanza): Stanza {
  return query === ping ? { ...reply, attrs: { ...reply.attrs, t: String(clockOf(state)) } } : reply
}

/** The error result of a query. */
export function refused(iq: Stanza, error: unknown): Stanza {
  const { stanzaCode = 500, message, backoff } = error as Partial<Refusal>
  const attrs = { from: iq.attrs['to'] ?? 's.whatsapp.net', id: iq.attrs['id'], type: 'error' }
  return el('iq', attrs, [el('error', { code: stanzaCode, text: message, backoff })])
}

export function result(iq: Stanza, content?: Stanza[]): Stanza {
  return el('iq', { from: iq.attrs['to'] ?? 's.whatsapp.net', id: iq.attrs['id'], type: 'result' }, content)
}
