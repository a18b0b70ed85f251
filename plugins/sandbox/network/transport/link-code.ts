import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import { primaryHelloNotification, readLinkCodeRequest, stanzaId, type Unpaired } from './unpaired.ts'

/** Display names that the real network accepts for linking by code: a known browser on a known system (Baileys#2769). */
const DISPLAY = /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Windows|Mac OS|macOS|Ubuntu|Linux|Android)\)$/

/** WhatsApp Web sends one byte, 0. Baileys sends the digit, which the real network also accepts. */
const NONCE = Buffer.from([0])
const DIGIT = Buffer.from('0')

/** Forwards a companion's request for a link by code to the account's phone, or refuses it. */
export function requestLinkCode(state: NetworkState, unpaired: Unpaired, iq: Stanza): void {
  const { jid, wrapped, authKey, display, nonce } = readLinkCodeRequest(iq)
  const account = state.directory.find(jid)
  const phone = account && state.phones.get(account)
  const refuse = (code: number, words: string): void => {
    const attrs = { from: 's.whatsapp.net', id: iq.attrs['id'], type: 'error' }
    unpaired.link.send(el('iq', attrs, [el('error', { code, text: words })]))
  }
  const { linkCodeRefusal } = state.faults.networkWide
  if (linkCodeRefusal)
    return refuse(linkCodeRefusal, linkCodeRefusal === 429 ? 'rate-overlimit' : 'bad-request')
  const isDigit = nonce.equals(DIGIT)
  if (!DISPLAY.test(display) || !(isDigit || nonce.equals(NONCE))) return refuse(400, 'bad-request')
  if (!account || !phone) return refuse(404, 'item-not-found')
  if (isDigit) state.counters.digitNonces += 1
  unpaired.linkCodeAccount = account
  const ref = state.unpairedCompanions.addRef(unpaired)
  unpaired.codeRefs.push(ref)
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
  hello: { wrappedEphemeral: Buffer; identity: Buffer; stage?: string },
): Promise<Stanza> {
  const unpaired = state.unpairedCompanions.byRef(ref)
  if (!unpaired) throw new Error('the device that requested this code is no longer connected')
  const finish = await new Promise<Stanza | undefined>((resolve) => {
    unpaired.onFinish = resolve
    unpaired.link.send(primaryHelloNotification(ref, hello.wrappedEphemeral, hello.identity, hello.stage))
  })
  if (!finish) throw new Error('the device that requested this code disconnected')
  return finish
}

/** Retires the codes that companions have requested; each must request another one. */
export function refreshLinkCodes({ unpairedCompanions }: NetworkState): void {
  for (const { link, codeRefs } of unpairedCompanions.all()) {
    const ref = codeRefs.at(-1)
    if (!ref) continue
    const attrs = { from: 's.whatsapp.net', type: 'link_code_companion_reg', id: stanzaId(), t: seconds() }
    const content = [el('link_code_pairing_ref', {}, Buffer.from(ref))]
    link.send(el('notification', attrs, [el('link_code_companion_reg', { stage: 'refresh_code' }, content)]))
  }
}
