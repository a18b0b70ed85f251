import { eventually } from '../../support/eventually.ts'
import type { Area } from './area.ts'

export const receipts: Area = {
  name: 'receipts',
  async run({ own, other, companion }) {
    const id = await companion.text(other.account.lid, 'receipts')
    await other.wait((message) => message.id === id)
    const isOf = (type: string) => (event: { id: string; type: string }) =>
      event.id === id && event.type === type
    await companion.until('receipt', 'the delivery receipt reported', isOf('delivered'))
    await other.act({ Action: 'read', Chat: own.account.phone, Id: id })
    await companion.until('receipt', 'the read receipt reported', isOf('read'))
    const sent = await other.send(own.account.phone, { Text: 'receipts' })
    await companion.until('message', 'a text to read', (event) => event.id === sent)
    const types = () => other.receipts.filter((receipt) => receipt.id === sent).map(({ type }) => type)
    // The phone of the account sends one too.
    const delivered = () => types().filter((type) => type === 'delivered').length >= 2
    await eventually(delivered, 'the delivery receipts of both devices', { progress: types })
    await companion.read(sent)
    await eventually(() => types().includes('read'), 'the read receipt at the phone', { progress: types })
  },
}

export const presence: Area = {
  name: 'presence and typing',
  async run({ own, other, companion }) {
    const { lid } = other.account
    await other.act({ Action: 'online' })
    await companion.goOnline()
    await companion.watch(lid)
    await companion.until('presence', 'the presence reported', ({ state }) => state === 'available')
    await other.act({ Action: 'typing', Chat: own.account.phone })
    await companion.until('presence', 'typing reported', ({ state }) => state === 'composing')
    await companion.type(lid)
    const isTyping = () =>
      other.presences.some(({ tag, attrs }) => tag === 'chatstate' && attrs['from'] === own.account.lid)
    await eventually(isTyping, 'typing at the phone', { progress: () => other.presences.length })
    await other.act({ Action: 'subscribe', Chat: own.account.phone })
    const isOnline = () =>
      other.presences.some(
        ({ tag, attrs }) =>
          tag === 'presence' && attrs['type'] === 'available' && attrs['from'] === own.account.lid,
      )
    await eventually(isOnline, 'online at the phone', { progress: () => other.presences.length })
  },
}

export const calls: Area = {
  name: 'calls offered and rejected',
  async run({ loose, own, other, companion }) {
    const { Id } = await other.act({ Action: 'call', Chat: own.account.phone })
    const id = String(Id)
    await companion.until('call', 'the call reported', (event) => event.id === id && event.state === 'offer')
    await companion.rejectCall(id)
    const state = () =>
      (loose.network.view()['Calls'] as { ID: string; State: string }[]).find(({ ID }) => ID === id)?.State
    await eventually(() => state() === 'rejected', 'the call rejected', { progress: state })
  },
}
