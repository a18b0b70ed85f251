import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { setWebhook } from './receiver.ts'

const buttons = ['Yes', 'No'].map((title) => ({
  type: 'reply',
  reply: { id: `${title.toLowerCase()}-1`, title },
}))
const asButtons = { type: 'button', body: { text: 'Deliver it?' }, action: { buttons } }
/** More than a poll holds. */
const rows = Array.from({ length: 13 }, (_, at) => ({
  id: `row-${at + 1}`,
  title: `Flavour ${at + 1}`,
  description: `Number ${at + 1}`,
}))
const asList = {
  type: 'list',
  body: { text: 'Which one?' },
  action: { button: 'Open', sections: [{ rows }] },
}

describe('answers to choices that the Cloud API sent numbered', () => {
  let cloud: Cloud
  let ana: Phone
  let number: string
  before(async () => {
    cloud = await openCloud()
    ;({ ana, number } = cloud)
    const { world, session } = cloud
    await setWebhook(world, session, cloud.receiver.url)
    await world.gateway.call('PUT', '/session/settings/cloud-api', {
      headers: session.headers,
      body: { Values: { interactive: 'text' } },
    })
  })
  after(() => cloud.stop())

  /** Sends the question; resolves with its id. */
  async function ask(interactive: object): Promise<string> {
    const { body } = await cloud.send({ type: 'interactive', interactive })
    const { id } = body.messages[0]
    await ana.wait((message) => message.id === id)
    await cloud.receiver.body(({ statuses }) => statuses?.[0]?.id === id && statuses?.[0]?.status === 'sent')
    return id
  }
  /** What the webhook has of a message from that phone. */
  async function shown(message: Record<string, unknown>, phone = ana) {
    const id = await phone.send(number, message)
    const { messages = [] } = await cloud.receiver.body(({ messages }) => messages?.[0]?.id === id)
    return messages[0]
  }
  const quoting = (stanzaId: string, text: string) => ({
    Message: {
      extendedTextMessage: {
        text,
        contextInfo: {
          stanzaId,
          participant: cloud.session.phone.account.jid,
          quotedMessage: { conversation: 'Deliver it?' },
        },
      },
    },
  })
  const yes = { type: 'button_reply', button_reply: { id: 'yes-1', title: 'Yes' } }
  const no = { type: 'button_reply', button_reply: { id: 'no-1', title: 'No' } }

  it('are replies with the id, by number or title, as the next text of the chat', async () => {
    for (const [text, reply] of [
      ['2', no],
      [' 1. ', yes],
      ['no', no],
      ['YES', yes],
    ] as const) {
      const id = await ask(asButtons)
      const message = await shown({ Text: text })
      expect(message, text).to.deep.include({
        type: 'interactive',
        interactive: reply,
        context: { from: number, id },
      })
      expect(message).not.to.have.property('text')
    }
  })

  it('are list replies with the description for a list that is too long for a poll', async () => {
    const id = await ask(asList)
    const { interactive, context } = await shown({ Text: '13' })
    const list_reply = { id: 'row-13', title: 'Flavour 13', description: 'Number 13' }
    expect(interactive).to.deep.equal({ type: 'list_reply', list_reply })
    expect(context.id).to.equal(id)
  })

  it('are texts once another text came between, or where they name no choice', async () => {
    await ask(asButtons)
    expect(await shown({ Text: 'wait a minute' })).to.deep.include({ type: 'text' })
    expect(await shown({ Text: '2' })).to.deep.include({ type: 'text', text: { body: '2' } })
    await ask(asButtons)
    for (const text of ['3', '0', '1 or 2'])
      expect(await shown({ Text: text }), text).to.deep.include({ type: 'text', text: { body: text } })
  })

  it('are replies whenever they quote the question, after other texts and messages', async () => {
    const id = await ask(asButtons)
    await shown({ Text: 'hm' })
    await cloud.shown({ type: 'text', text: { body: 'No hurry' } })
    expect(await shown(quoting(id, 'Yes'))).to.deep.include({
      interactive: yes,
      context: { from: number, id },
    })
    expect(await shown(quoting(id, 'maybe'))).to.deep.include({ type: 'text', text: { body: 'maybe' } })
  })

  it('are of the newest question, also after another message of the account', async () => {
    await ask(asList)
    const id = await ask(asButtons)
    await cloud.shown({ type: 'text', text: { body: 'Please answer' } })
    expect(await shown({ Text: '1' })).to.deep.include({ interactive: yes, context: { from: number, id } })
  })

  it('are texts from the people of other chats', async () => {
    const id = await ask(asButtons)
    const bob = await cloud.world.phone('Bob')
    expect(await shown({ Text: '1' }, bob)).to.deep.include({ type: 'text', text: { body: '1' } })
    expect(await shown(quoting(id, '1'), bob)).to.deep.include({ type: 'text', text: { body: '1' } })
  })

  it('are buttons for a template', async () => {
    await cloud.graph('POST', `/v23.0/${number}/message_templates`, {
      name: 'confirm',
      language: 'en',
      category: 'UTILITY',
      components: [
        { type: 'BODY', text: 'Confirm?' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Fine' }] },
      ],
    })
    await cloud.shown({ type: 'template', template: { name: 'confirm', language: { code: 'en' } } })
    const { type, button } = await shown({ Text: 'fine' })
    expect({ type, button }).to.deep.equal({ type: 'button', button: { payload: 'Fine', text: 'Fine' } })
  })
})
