import { randomBytes } from 'node:crypto'
import { child, el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

const MEDIA = new Set(['audio', 'video'])

/** Creates a call link, whose token is in the ack (Baileys Socket/chats.js createCallLink). */
export function createCallLink(
  state: NetworkState,
  sender: Device,
  { attrs }: Stanza,
  request: Stanza,
): void {
  const { id, to: from } = attrs
  const { media = '' } = request.attrs
  const start = child(request, 'event')?.attrs['start_time']
  const answer = (content: Record<string, string | undefined>, nodes?: Stanza[]): void =>
    state.faults.delay(sender, () =>
      sender.link?.send(
        el('ack', { class: 'call', type: 'link_create', id, from, t: seconds(), ...content }, nodes),
      ),
    )
  if (!MEDIA.has(media)) return answer({ error: '400' })
  const token = randomBytes(16).toString('base64url').replace(/[-_]/g, 'x')
  const startTime = start === undefined ? undefined : Number(start)
  state.callLinks.set(token, { creator: sender.account, media, startTime })
  answer({}, [el('link_create', { token, media })])
}
