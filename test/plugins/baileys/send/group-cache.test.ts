import type { GroupMetadata } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { createGroupCache } from '../../../../plugins/baileys/send/group-cache.ts'

describe('group cache', () => {
  const jid = '120363@g.us'
  const iq = (type: string) => ({ tag: 'iq', attrs: { xmlns: 'w:g2', type, to: jid } })
  const notification = { tag: 'notification', attrs: { type: 'w:gp2', from: jid } }

  for (const [title, stanza, times] of [
    ['queries again after an own change', iq('set'), 2],
    ['queries again after a notification of a change', notification, 2],
    ['keeps the members after a query that only reads', iq('get'), 1],
  ] as const) {
    it(title, async () => {
      let queries = 0
      const cache = createGroupCache()
      const fetch = async (): Promise<GroupMetadata> => {
        queries += 1
        return {} as GroupMetadata
      }
      await cache.get(jid, fetch)
      cache.invalidate(stanza)
      await cache.get(jid, fetch)
      expect(queries).to.equal(times)
    })
  }
})
