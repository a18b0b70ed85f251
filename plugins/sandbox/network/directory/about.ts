import { el, seconds } from '../../stanza.ts'
import type { MexHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { Device } from './accounts.ts'
import { maySee } from './privacy.ts'

/** As in the apps. */
const MAX_ABOUT = 139

/**
 * Sets the about text, and the emoji before it (WM user.go, ZP WaProfileCoordinator.ts). Both clients ignore the result, of which
 * only the name is known [?].
 */
export const about: Readonly<Record<string, MexHandler>> = {
  '9152604461510864': (state, device, { input }) => {
    const { text, emoji } = (input ?? {}) as { text?: unknown; emoji?: { content?: unknown } | null }
    const parts = [emoji?.content, text].filter((part) => typeof part === 'string' && part !== '')
    setAbout(state, device, parts.join(' '))
    return { xwa2_update_text_status: { result: 'SUCCESS' } }
  },
}

/** Notifies the account's other devices, and the correspondents that may see the text. */
export function setAbout(state: NetworkState, actor: Device, text: string): void {
  const { account } = actor
  if (text.length > MAX_ABOUT) throw refusal(406, 'not-acceptable')
  Object.assign(account, { about: text, aboutSet: seconds() })
  const change = el('set', {}, Buffer.from(text))
  const viewers = [account, ...account.correspondents].filter((viewer) => maySee(account, viewer, 'status'))
  for (const viewer of viewers) {
    const attrs = { from: viewer === account ? account.jid : account.lid, notify: account.name }
    for (const device of viewer.devices.values())
      if (device !== actor) state.delivery.notify(device, 'status', [change], attrs)
  }
}
