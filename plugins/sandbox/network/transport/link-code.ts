import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import { primaryHelloNotification, readLinkCodeRequest, type Unpaired } from './unpaired.ts'

/**
 * The display names that the real network accepts for linking by code: a known browser on a known system
 * (Baileys#2769).
 */
const DISPLAY = /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Windows|Mac OS|macOS|Ubuntu|Linux|Android)\)$/

/** Forwards a companion's request for a link by code to the account's phone, or refuses it. */
export function requestLinkCode(state: NetworkState, unpaired: Unpaired, iq: Stanza): void {
  const { jid, wrapped, authKey, display } = readLinkCodeRequest(iq)
  const account = state.directory.find(jid)
  const phone = account && state.phones.get(account)
  const [ref = ''] = unpaired.refs
  const refuse = (code: number, words: string): void => {
    const attrs = { from: 's.whatsapp.net', id: iq.attrs['id'], type: 'error' }
    unpaired.link.send(el('iq', attrs, [el('error', { code, text: words })]))
  }
  if (state.faults.networkWide.refusesLinkCodes) return refuse(429, 'rate-overlimit')
  if (!DISPLAY.test(display)) return refuse(400, 'bad-request')
  if (!account || !phone) return refuse(404, 'item-not-found')
  unpaired.linkCodeAccount = account
  const attrs = { from: 's.whatsapp.net', id: iq.attrs['id'], type: 'result' }
  const reply = el('link_code_companion_reg', { stage: 'companion_hello' }, [
    el('link_code_pairing_ref', {}, Buffer.from(ref)),
  ])
  unpaired.link.send(el('iq', attrs, [reply]))
  phone.linkCode({ ref, wrappedEphemeral: wrapped, serverAuthKey: authKey, platformDisplay: display })
}

/** Sends the phone's half of the exchange and resolves with the companion's. */
export async function primaryHello(
  state: NetworkState,
  ref: string,
  hello: { wrappedEphemeral: Buffer; identity: Buffer },
): Promise<Stanza> {
  const unpaired = state.unpairedCompanions.byRef(ref)
  if (!unpaired) throw new Error('the device that requested this code is no longer connected')
  const finish = await new Promise<Stanza | undefined>((resolve) => {
    unpaired.onFinish = resolve
    unpaired.link.send(primaryHelloNotification(ref, hello.wrappedEphemeral, hello.identity))
  })
  if (!finish) throw new Error('the device that requested this code disconnected')
  return finish
}
