import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import type { Companion } from '../companion.ts'
import type { Area } from './area.ts'

export const linkByQr: Area = {
  name: 'link by QR code',
  run: ({ own, companion }) => scan(own, companion),
}

export const linkByCode: Area = {
  name: 'link by pairing code',
  async run({ loose, open }) {
    const phone = await loose.phones.create({ name: 'Coded' })
    const companion = open('coded')
    await companion.link(phone.account.phone)
    const { code } = await companion.until('code', 'given a pairing code')
    await phone.pair(code)
    await isLoggedIn(phone, companion)
    await companion.disconnect()
  },
}

/** Links a companion by its QR code, and waits until both sides have it. */
export async function scan(phone: Phone, companion: Companion): Promise<void> {
  await companion.link()
  const { text } = await companion.until('qr', 'given a QR code')
  await phone.scan(text)
  await isLoggedIn(phone, companion)
}

async function isLoggedIn(phone: Phone, companion: Companion): Promise<void> {
  await companion.until('open', 'logged in after linking')
  const companions = () => phone.view()['Companions'] as { Online: boolean; PreKeys: number }[]
  const isReady = () => companions().some(({ Online, PreKeys }) => Online && PreKeys > 0)
  await eventually(isReady, 'on the network with prekeys', { progress: () => JSON.stringify(companions()) })
}
