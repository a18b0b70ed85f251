import type { Area } from './area.ts'

export const newsletters: Area = {
  name: 'newsletters: created, followed, posted to',
  async run({ other, companion }) {
    const own = await companion.createNewsletter('News of the client')
    await other.act({ Action: 'followNewsletter', Chat: own })
    const id = await companion.text(own, 'a post of the client')
    await other.wait((message) => message.id === id && message.chat === own)
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
