import { createHash } from 'node:crypto'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import type { Area, Bench } from './area.ts'

export const textByLid: Area = {
  name: 'text both ways, by LID',
  run: (bench) => exchange(bench, bench.other, 'lid'),
}

export const textByNumber: Area = {
  name: 'text both ways, by phone number',
  run: async (bench) => exchange(bench, await bench.loose.phones.create({ name: 'Numbered' }), 'jid'),
}

export const textOfPhone: Area = {
  name: 'texts of the own phone',
  async run({ own, other, companion }) {
    for (const form of ['lid', 'phone'] as const) {
      const text = `from the phone, by ${form}`
      const id = await own.send(other.account[form], { Text: text })
      const copy = await companion.until('message', 'the copy received', (event) => event.id === id)
      if (!copy.fromMe || copy.text !== text) throw new Error(`the client read "${copy.text}"`)
      await other.wait((message) => message.id === id)
    }
  },
}

/** @param form of the addresses that both sides use. */
async function exchange({ own, companion }: Bench, other: Phone, form: 'lid' | 'jid'): Promise<void> {
  const id = await companion.text(other.account[form], 'from the client')
  const received = await other.wait((message) => message.id === id)
  if (!JSON.stringify(received.message).includes('from the client'))
    throw new Error('the phone read another text')
  const sent = await other.send(own.account[form], { Text: 'to the client' })
  const isIt = (event: { id: string }) => event.id === sent
  const { text } = await companion.until('message', 'the text of the phone received', isIt)
  if (text !== 'to the client') throw new Error(`the client read "${text}"`)
}

export const media: Area = {
  name: 'media both ways',
  async run({ own, other, companion }) {
    const dataUrl = await picture()
    const image = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
    const id = await companion.image(other.account.lid, image)
    const received = await other.wait((message) => message.id === id)
    if (received.media?.sha256 !== sha256(image)) throw new Error('the phone decrypted another file')
    const sent = await other.send(own.account.phone, { Message: { image: dataUrl } })
    await companion.until('message', 'the image of the phone received', (event) => event.id === sent)
    if (sha256(await companion.download(sent)) !== sha256(image))
      throw new Error('the client decrypted another file')
  },
}

export const groups: Area = {
  name: 'groups created, written in, left',
  async run({ loose, own, other, companion }) {
    const group = await companion.createGroup('Team', [other.account.lid])
    const id = await companion.text(group, 'from the client')
    await other.wait((message) => message.id === id && message.chat === group)
    const sent = await other.send(group, { Text: 'to the client' })
    const { text } = await companion.until('message', 'the group text received', (event) => event.id === sent)
    if (text !== 'to the client') throw new Error(`the client read "${text}"`)
    await companion.leaveGroup(group)
    const { Groups } = loose.network.viewAccount(own.account) as { Groups: string[] }
    if (Groups.includes(group)) throw new Error('the account is still a member')
  },
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
