import { type BaileysEventMap, proto } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { startNetwork } from '../../support/network.ts'

describe('the history of a phone', () => {
  it('is sent to an unmodified client that requests messages before a given one', async () => {
    const { network, phones } = await startNetwork()
    const phone = await phones.create({ name: 'Shop' })
    const ana = await phones.create({ name: 'Ana' })
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) ids.push(await ana.send(phone.account.phone, { Text: text }))
    await phone.wait(({ raw }) => raw.conversation === 'three')
    const client = await linkClient(network, phone)
    const parts: BaileysEventMap['messaging-history.set'][] = []
    client.wa.ev.on('messaging-history.set', (part) => parts.push(part))
    const key = { remoteJid: ana.account.jid, id: ids[2] ?? '', fromMe: false }
    const request = await client.wa.fetchMessageHistory(1, key, Date.now())
    const part = await eventually(
      () => parts.find(({ peerDataRequestSessionId }) => peerDataRequestSessionId === request),
      'answered',
      { progress: () => parts.length },
    )
    // Which messages it has is not certain: the client's buffer merges parts, and drops messages that it has seen.
    expect(part.syncType).to.equal(proto.HistorySync.HistorySyncType.ON_DEMAND)
    await client.close()
    await network.close()
  })
})
