import { expect } from 'chai'
import { migrate } from '../../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../../kernel/db/plugin-db.ts'
import { migrations } from '../../../../plugins/baileys/migrations.ts'
import { messagesOf } from '../../../../plugins/baileys/protocol/signals.ts'
import { wire } from '../../../../plugins/baileys/protocol/wire.ts'
import { createCodec } from '../../../../plugins/baileys/store/codec.ts'
import { createInbox } from '../../../../plugins/baileys/store/inbox.ts'
import { everyEngine } from '../../../support/databases.ts'
import { openEventLog } from '../../../support/events/event-log.ts'

const SESSION = 's'
const ME = { id: '5511900000001@s.whatsapp.net', lid: '9100000011557@lid' }

for (const engine of everyEngine)
  describe(`messages that were not logged before a stop, ${engine.name}`, () => {
    it('still tell how the business works that has sent them', async () => {
      const { database, writer, vault } = await openEventLog(engine)
      await migrate(database.main, 'baileys', migrations)
      const db = pluginDb(database, writer, 'baileys')
      const inbox = createInbox(db, createCodec(vault, SESSION), SESSION)
      const text = wire.proto.Message.encode({ conversation: 'hello' }).finish()
      const enc = { tag: 'enc', attrs: { type: 'msg' }, content: Buffer.from('ciphertext') }
      const mode = { actual_actors: '2', host_storage: '2', privacy_mode_ts: '1764174000' }
      const stanza = {
        tag: 'message',
        attrs: { from: '5511900000002:99@hosted', id: 'A1', t: '1764174001' },
        content: [enc, { tag: 'biz', attrs: { ...mode, type: 'Buffer' } }],
      }
      const received = { hash: 'h', stanza, plain: Buffer.concat([text, Buffer.from([1])]) }
      await db.write([inbox.row(received)])
      const [hash = ''] = await inbox.unfinished()
      const stored = await inbox.find(hash)
      expect(stored?.stanza.content).to.deep.equal([{ tag: 'biz', attrs: mode }])
      const [before] = messagesOf(received, ME)
      expect(before?.business).to.deep.equal({
        actors: 'provider',
        storage: 'meta',
        since: '2025-11-26T16:20:00.000Z',
        isHosted: true,
      })
      // The hosted device is one of the account.
      expect(before?.message.key.remoteJid).to.equal('5511900000002@s.whatsapp.net')
      expect(stored && messagesOf(stored, ME)[0]?.business).to.deep.equal(before?.business)
      await database.close()
    })
  })
