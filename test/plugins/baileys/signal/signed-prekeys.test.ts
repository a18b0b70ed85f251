import { expect } from 'chai'
import { initAuthCreds } from '../../../../plugins/baileys/baileys.ts'
import type { StoredCreds } from '../../../../plugins/baileys/protocol/credentials.ts'
import { createSignedPreKeys, signedPreKeyOf } from '../../../../plugins/baileys/signal/signed-prekeys.ts'
import { eventually } from '../../../support/eventually.ts'
import { messageLogged } from '../../../support/sessions.ts'
import { openShop, type Shop } from '../../../support/world.ts'

const DAY_MS = 24 * 3_600_000

describe('the signed prekey', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.world.stop())

  const network = () => shop.world.gateway.service('sandbox').network
  const published = () => {
    const { Companions } = network().viewAccount(shop.session.phone.account)
    return (Companions as { SignedPreKey: number }[])[0]?.SignedPreKey
  }
  async function daysLater(days: number): Promise<void> {
    const logins = shop.world.counters()['logins'] ?? 0
    shop.world.fault({ Fault: 'clock', Ms: days * DAY_MS })
    shop.world.fault({ Fault: 'drop', Phone: shop.session.phone.account.phone })
    await eventually(() => (shop.world.counters()['logins'] ?? 0) > logins, 'the next login')
    await shop.session.status({ State: 'open' })
  }
  /** Their first message, encrypted to the keys that are published now. */
  async function writtenNow(Text: string) {
    const phone = await shop.world.phone('Bob')
    await phone.send(shop.session.phone.account.phone, { Text })
  }

  it('is another one after 28 days of the network, and what was written under the last three still opens (whatsapp/18)', async () => {
    const { gateway } = shop.world
    expect(published()).to.equal(1)
    await daysLater(20)
    shop.world.fault({ Fault: 'holdMessages', Phone: shop.session.phone.account.phone })
    await writtenNow('under the first')
    for (const [days, id] of [
      [28, 2],
      [56, 3],
      [84, 4],
    ] as const) {
      await daysLater(days)
      await eventually(() => published() === id, `key ${id} is published`)
      // Without the answer to it the same key would be offered again after the next drop: it comes before this one.
      expect(await shop.session.get('/user/privacy')).to.include({ status: 200 })
    }
    await writtenNow('under the fourth')
    expect(shop.world.counters()['retries']).to.equal(0)
    shop.world.fault({ Fault: 'releaseMessages', Phone: shop.session.phone.account.phone })
    await messageLogged(gateway, shop.session.headers, 'under the first')
    await messageLogged(gateway, shop.session.headers, 'under the fourth')
    expect(shop.world.counters()['retries']).to.equal(0)
  })

  describe('is rotated', () => {
    let creds: StoredCreds
    let nowMs: number
    let answers: (number | undefined)[]
    let asked: number
    beforeEach(() => {
      creds = initAuthCreds()
      nowMs = 1_800_000_000_000
      answers = []
      asked = 0
    })
    const keys = () =>
      createSignedPreKeys({
        creds,
        save: async () => undefined,
        now: () => nowMs,
        async query() {
          asked += 1
          const code = answers.shift()
          if (code !== undefined) throw Object.assign(new Error('refused'), { data: code })
        },
      })
    async function passed(days: number): Promise<number> {
      nowMs += days * DAY_MS
      await keys().rotateIfDue()
      return creds.signedPreKey.keyId
    }

    it('every 27 days, not at the first start, and three earlier ones are kept (whatsapp/18)', async () => {
      expect([await passed(0), await passed(26), await passed(1)]).to.deep.equal([1, 1, 2])
      for (const _ of [3, 4, 5]) await passed(27)
      expect(creds.signedPreKey.keyId).to.equal(5)
      expect(creds.signedPreKeys?.map(({ keyId }) => keyId)).to.deep.equal([4, 3, 2])
      expect(signedPreKeyOf(creds, 2)?.keyId).to.equal(2)
      expect(signedPreKeyOf(creds, 1)).to.equal(undefined)
    })

    it('again after a day where the network has trouble, with the same key', async () => {
      await passed(0)
      answers = [503]
      expect(await passed(27)).to.equal(1)
      const offered = signedPreKeyOf(creds, 2)
      expect(offered).to.not.equal(undefined)
      expect([await passed(0.9), asked]).to.deep.equal([1, 1])
      expect(await passed(0.1)).to.equal(2)
      expect(creds.signedPreKey).to.equal(offered)
    })

    it('with another key at the next time where the network refuses it', async () => {
      await passed(0)
      answers = [406]
      expect(await passed(27)).to.equal(1)
      expect(signedPreKeyOf(creds, 2)).to.equal(undefined)
      expect(await passed(26)).to.equal(1)
      expect(await passed(1)).to.equal(2)
    })
  })
})
