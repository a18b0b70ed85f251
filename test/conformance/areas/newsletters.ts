import type { Area } from './area.ts'

export const ownNewsletter: Area = {
  name: 'newsletter created, posted to',
  async run({ other, companion }) {
    const newsletter = await companion.createNewsletter('News of the client')
    await other.act({ Action: 'followNewsletter', Chat: newsletter })
    const id = await companion.text(newsletter, 'a post of the client')
    await other.wait((message) => message.id === id && message.chat === newsletter)
  },
}

export const followedNewsletter: Area = {
  name: 'newsletter followed, read',
  async run({ other, companion }) {
    const { JID } = await other.act({ Action: 'createNewsletter', Text: 'News of the phone' })
    const newsletter = String(JID)
    await companion.followNewsletter(newsletter)
    const { Id } = await other.act({
      Action: 'postNewsletter',
      Chat: newsletter,
      Text: 'a post of the phone',
    })
    const { text } = await companion.until('message', 'the post received', (event) => event.id === Id)
    if (text !== 'a post of the phone') throw new Error(`the client read "${text}"`)
  },
}
