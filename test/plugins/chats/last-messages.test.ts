import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { settingOf } from '../../support/phone-settings.ts'
import { createProbe } from '../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`the last message of a chat on ${engine.name}`, () => {
    const probe = createProbe()
    let world: World
    let session: LinkedSession
    let eva: Phone
    let ana: Phone
    let earlier: string
    before(async () => {
      world = await startWorld({ extra: [probe.plugin] }, engine)
      eva = await world.phone('Eva')
      ana = await world.phone('Ana')
      earlier = await ana.send(eva.account.jid, { Text: 'before' })
      await eva.wait(({ id }) => id === earlier)
      session = await world.linked(eva)
      await probe.synced(session)
    })
    after(() => world.stop())

    /** The message up to which archiving counts, once it is `id`. */
    const last = (id: string, chat = ana.account.jid): Promise<unknown> =>
      eventually(async () => {
        await session.post('/chat/archive', { Chat: chat })
        const action = settingOf(eva, 'archive', chat)?.['archiveChatAction']
        const [message] = (action as { messageRange?: { messages?: { key: { id: string } }[] } })
          ?.messageRange?.messages ?? [undefined]
        if (message?.key.id === id) return message.key
        throw new Error(`archived up to ${JSON.stringify(message)}`)
      }, `archived up to ${id}`)

    it('is read from the history of the phone', async () => {
      expect(await last(earlier)).to.deep.equal({ remoteJid: ana.account.jid, fromMe: false, id: earlier })
    })
    it('is the last received one, also in a chat by LID', async () => {
      const id = await ana.send(eva.account.jid, { Text: 'now' })
      await last(id)
      expect(await last(id, ana.account.lid)).to.have.property('remoteJid', ana.account.lid)
    })
    it('is the last sent one', async () => {
      const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'answer' })
      expect(await last(data.Id)).to.have.property('fromMe', true)
    })
  })
}
