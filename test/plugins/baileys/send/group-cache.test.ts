import type { GroupMetadata } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { createGroupCache } from '../../../../plugins/baileys/send/group-cache.ts'

describe('the members of groups', () => {
  const jid = '120363@g.us'
  const iq = (type: string) => ({ tag: 'iq', attrs: { xmlns: 'w:g2', type, to: jid } })
  const news = { tag: 'notification', attrs: { type: 'w:gp2', from: jid } }

  for (const [what, stanza, times] of [
    ['are asked for again after an own change', iq('set'), 2],
    ["are asked for again after another's change", news, 2],
    ['are kept while one only looks', iq('get'), 1],
  ] as const) {
    it(what, async () => {
      let asked = 0
      const cache = createGroupCache(async () => {
        asked += 1
        return {} as GroupMetadata
      })
      await cache.get(jid)
      cache.invalidate(stanza)
      await cache.get(jid)
      expect(asked).to.equal(times)
    })
  }
})
