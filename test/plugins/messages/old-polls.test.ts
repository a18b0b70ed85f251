import { expect } from 'chai'
import { asFunction, definePlugin, type Kernel } from '../../../kernel/plugin.ts'
import { engines } from '../../support/databases.ts'
import { admin } from '../../support/sessions.ts'
import { openVersionShop } from '../baileys/web-version/shop.ts'
import { hookOf } from './hook.ts'

type Storage = Pick<Kernel<unknown>, 'db' | 'vault'>

declare module 'wamux/plugin' {
  interface GatewayServices {
    storageProbe: Storage
  }
}

const probe = definePlugin({
  name: 'storage-probe',
  version: '0.0.1',
  api: '^3.0.0',
  provides: ['storageProbe'],
  services: () => ({
    storageProbe: asFunction(({ db, vault }: Storage) => ({ db, vault })).singleton(),
  }),
})

for (const engine of engines) {
  describe(`keys of polls that earlier versions stored, on ${engine.name}`, () => {
    it('are handed to the driver at the start, and open votes', async () => {
      const shop = await openVersionShop({ engine, extra: [{ plugin: probe }] })
      const session = await shop.link('Shop')
      const hook = await hookOf(session)
      const ana = await shop.loose.phones.create({ name: 'Ana' })
      const poll = { Action: 'poll', Chat: session.phone.account.phone, Text: 'Old?' }
      const { Id } = await ana.act({ ...poll, Data: { Options: ['yes', 'no'] } })
      const id = String(Id)
      await hook.message(id)
      // As it was stored then, in place of the driver's row.
      const { db, vault } = shop.gateway.service('storageProbe')
      const owner = (await shop.gateway.get('/session/all', admin)).data[0].Id
      const { jid, lid } = ana.account
      const secret = ana.messages().find((one) => one.id === id)?.raw.messageContextInfo?.messageSecret
      const kept = {
        authors: [jid, lid].sort(),
        question: 'Old?',
        options: ['yes', 'no'],
        secret: Buffer.from(secret ?? []).toString('base64'),
      }
      const row = {
        session: owner,
        message: id,
        authors: vault.index(owner, 'messages_polls/authors', kept.authors.join()),
        poll: vault.seal(owner, `messages_polls/${id}`, JSON.stringify(kept)),
        logged: Date.now(),
      }
      const key = ['session', 'message', 'authors']
      await db.write([{ table: 'messages_polls', key, rows: [row], mode: 'add' }])
      await shop.database('baileys_secrets').where({ message: id }).del()
      await shop.restart()
      await session.status({ LoggedIn: true })
      expect(await shop.database('messages_polls')).to.deep.equal([])
      const vote = await ana.act({ Action: 'vote', Id: id, Data: { Options: ['no'] } })
      expect((await hook.message(String(vote['Id']))).event.PollVote).to.deep.equal({
        PollID: id,
        Question: 'Old?',
        SelectedOptions: ['no'],
      })
      await hook.close()
      await shop.stop()
    })
  })
}
