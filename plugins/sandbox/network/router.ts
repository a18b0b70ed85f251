import { children, el } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { Device } from './accounts.ts'
import { appState } from './iq/appstate.ts'
import { bots } from './iq/bots.ts'
import { businessProfile, commerce } from './iq/business.ts'
import { catalog } from './iq/catalog.ts'
import { groups } from './iq/groups.ts'
import { mediaConnection } from './iq/media.ts'
import { mex } from './iq/mex.ts'
import { newsletters, terms } from './iq/newsletters.ts'
import { picture } from './iq/picture.ts'
import { prekeys } from './iq/prekeys.ts'
import { blocklist, linkedDevices, privacy, properties, status } from './iq/profile.ts'
import { usync } from './iq/usync.ts'
import { type Refusal, refusal } from './refusal.ts'
import { refusalOfQuery } from './restrictions.ts'
import type { NetworkState } from './state.ts'

/** Answers one query: the content of its result. Throws `refusal(code, text)`. */
export type Query = (state: NetworkState, device: Device, iq: Stanza) => Stanza[] | undefined

const nothing: Query = () => undefined

/** By xmlns. A domain adds its file under iq/ and its line here. */
const QUERIES: Readonly<Record<string, Query>> = {
  abt: properties,
  blocklist,
  bot: bots,
  disappearing_mode: nothing,
  encrypt: prekeys,
  'fb:thrift_iq': commerce,
  md: linkedDevices,
  newsletter: newsletters,
  passive: nothing,
  privacy,
  status,
  tos: terms,
  'urn:xmpp:whatsapp:dirty': nothing,
  usync,
  'w:biz': businessProfile,
  'w:biz:catalog': catalog,
  'w:g2': groups,
  'w:m': mediaConnection,
  'w:mex': mex,
  'w:p': nothing,
  'w:profile:picture': picture,
  'w:stats': nothing,
  'w:sync:app:state': appState,
}

export function route(state: NetworkState, device: Device, iq: Stanza): Stanza {
  const xmlns = iq.attrs['xmlns'] ?? ''
  const query = QUERIES[xmlns]
  try {
    const refused = refusalOfQuery(device, xmlns)
    if (refused) throw refusal(refused, 'refused')
    if (query) return result(iq, query(state, device, iq))
  } catch (error) {
    const { stanzaCode = 500, message } = error as Partial<Refusal>
    if (stanzaCode === 500) state.log.error({ err: error, xmlns }, 'query failed')
    const attrs = { from: iq.attrs['to'] ?? 's.whatsapp.net', id: iq.attrs['id'], type: 'error' }
    return el('iq', attrs, [el('error', { code: stanzaCode, text: message })])
  }
  const label = `${xmlns} ${children(iq)[0]?.tag ?? ''}`
  state.counters.unhandled[label] = (state.counters.unhandled[label] ?? 0) + 1
  return result(iq)
}

export function result(iq: Stanza, content?: Stanza[]): Stanza {
  return el('iq', { from: iq.attrs['to'] ?? 's.whatsapp.net', id: iq.attrs['id'], type: 'result' }, content)
}
