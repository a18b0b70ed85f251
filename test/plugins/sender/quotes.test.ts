import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { messageLogged } from '../../support/sessions.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('replies', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop())
  })
  after(() => world.stop())

  const own = () => session.phone.account.phone
  const written = async (to: string, Text: string): Promise<string> => {
    const id = await ana.send(to, { Text })
    await messageLogged(world.gateway, session.headers, Text)
    return id
  }
  const quotedIn = async (Phone: string, ContextInfo: object) => {
    const { data, error } = await session.post('/send/text', { Phone, Body: 'a reply', ContextInfo })
    expect(data, error).to.include({ Details: 'Sent' })
    const { raw } = await ana.wait(({ id }) => id === data.Id)
    const url = `/sandbox/phones/${ana.account.phone}/chats/${session.phone.account.lid}`
    const { Messages } = (await world.gateway.get(url, admin)).data
    const shown = Messages.find(({ ID }: { ID: string }) => ID === data.Id)
    return { context: raw.extendedTextMessage?.contextInfo, quoted: shown?.Quoted }
  }

  it('within a chat do not name it, however the client names chat and message', async () => {
    const id = await written(own(), 'a question')
    const { phone, jid, lid } = ana.account
    for (const Phone of [phone, lid])
      for (const Chat of [undefined, jid, lid])
        for (const StanzaId of [id, 'NOTSTORED']) {
          const { context, quoted } = await quotedIn(Phone, { StanzaId, ...(Chat ? { Chat } : {}) })
          const name = `${StanzaId} in ${Chat} to ${Phone}`
          expect(context, name).to.include({ stanzaId: StanzaId })
          expect(context?.remoteJid || undefined, name).to.equal(undefined)
          expect(quoted, name).to.include({ ID: StanzaId }).and.to.not.have.property('Chat')
        }
  })

  it('to a message of another chat name that chat', async () => {
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [own()] })
    const id = await written(String(JID), 'in the group')
    for (const [StanzaId, more] of [
      [id, {}],
      ['NOTSTORED', { Participant: ana.account.lid }],
    ] as const) {
      const { quoted } = await quotedIn(ana.account.phone, { StanzaId, Chat: JID, ...more })
      expect(quoted, StanzaId).to.include({ ID: StanzaId, Chat: JID })
    }
  })
})
