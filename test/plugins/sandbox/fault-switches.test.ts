import { expect } from 'chai'
import { FAULT_NAMES } from '../../../plugins/sandbox/network/faults/switches.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'

describe('the fault switches of the sandbox', () => {
  let shop: Shop
  let Phone: string
  before(async () => {
    shop = await openShop()
    Phone = shop.session.phone.account.phone
  })
  after(() => shop.world.stop())

  const set = (body: object) => shop.world.gateway.post('/sandbox/faults', body, admin)
  const list = async () => (await shop.world.gateway.get('/sandbox/faults', admin)).data
  const armed = async (): Promise<string[]> =>
    (await list()).Faults.map(({ Fault }: { Fault: string }) => Fault).sort()

  it('lists every fault with what it needs', async () => {
    const { Kinds } = await list()
    const names = Kinds.map((kind: { Fault: string }) => kind.Fault)
    expect(
      [...names, 'clear', 'up', 'releaseReceipts', 'releaseAcks', 'releaseMessages'].sort(),
    ).to.deep.equal([...FAULT_NAMES].sort())
    expect(Kinds).to.deep.include({ Fault: 'drop', Phone: 'required', Stays: false })
    expect(Kinds).to.deep.include({ Fault: 'silent', Phone: 'optional', Stays: true })
    expect(Kinds).to.deep.include({ Fault: 'mediaDown', Phone: 'none', Stays: true })
  })

  it('lists each fault that stays as armed, until it is ended alone', async () => {
    const { Kinds } = await list()
    const staying = Kinds.filter(({ Stays }: { Stays: boolean }) => Stays)
    expect(staying).to.have.length.greaterThan(20)
    for (const { Fault, Phone: needs } of staying) {
      const who = needs === 'none' ? {} : { Phone }
      expect(
        await set({ Fault, ...who, ...(Fault === 'smallFrames' ? { Bytes: 5_000_000 } : {}) }),
      ).to.include({
        status: 200,
      })
      expect((await list()).Faults, Fault).to.deep.include({
        Fault,
        ...who,
        ...(Fault === 'smallFrames' ? { Bytes: 5_000_000 } : {}),
      })
      expect(await set({ Fault: 'mediaDown' })).to.include({ status: 200 })
      expect(await set({ Fault, ...who, On: false })).to.include({ status: 200 })
      expect(await armed(), `${Fault} ended`).to.deep.equal(Fault === 'mediaDown' ? [] : ['mediaDown'])
      await set({ Fault: 'mediaDown', On: false })
      // Some have cut the link: the next fault could refuse the next one for a minute.
      await shop.session.status({ LoggedIn: true })
    }
  })

  it('lists no fault that is used up or cleared', async () => {
    await set({ Fault: 'refuse', Phone, Count: 1 })
    await set({ Fault: 'delay', Phone, Ms: 1 })
    expect(await armed()).to.deep.equal(['delay', 'refuse'])
    await shop.session.post('/send/text', { Phone: shop.ana.account.phone, Body: 'refused' })
    expect(await armed()).to.deep.equal(['delay'])
    await set({ Fault: 'clear' })
    expect(await armed()).to.deep.equal([])
  })

  it('flap until that ends', async () => {
    const logins = () => shop.world.counters()['logins'] ?? 0
    const before = logins()
    // On a busy machine a login takes some hundred milliseconds.
    await set({ Fault: 'flapping', Ms: 50, UpMs: 1_000 })
    await eventually(() => logins() >= before + 2, 'came back twice', { progress: logins })
    await set({ Fault: 'flapping', On: false })
    await shop.session.status({ LoggedIn: true })
    expect(await armed()).to.deep.equal([])
  })

  it('refuses to end a fault that does not stay', async () => {
    expect((await set({ Fault: 'drop', Phone, On: false })).error).to.include('"drop" is not one of')
    expect(await set({ Fault: 'delay', Phone: '123', On: false })).to.include({ status: 404 })
  })
})
