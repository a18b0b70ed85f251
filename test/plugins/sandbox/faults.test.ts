import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { isGatewayError } from '../../../kernel/errors.ts'
import { FAULTS } from '../../../plugins/sandbox/network/faults/table.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

/** Rows of the README's table of faults. */
const documented = [
  ...readFileSync('plugins/sandbox/README.md', 'utf8').matchAll(
    /^\| `(\w+)` \| (yes|no|optional) \| (.*?) ?\| (.*) \|$/gm,
  ),
].map(([, name = '', phone = '', takes = '', does = '']) => ({ name, phone, takes, does }))

describe('faults of the local network', () => {
  let loose: LooseNetwork
  let phone: Phone
  before(async () => {
    loose = await startNetwork()
    phone = await loose.phones.create({ name: 'Ana' })
  })
  after(() => loose.network.close())
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const isArmed = (fault: { Fault: string; Phone?: string }): boolean => {
    try {
      loose.network.fault(fault)
      return true
    } catch (error) {
      if (isGatewayError(error) && error.code === 'FIELD_INVALID') return false
      throw error
    }
  }

  it('are all described in the README, and no others', () => {
    const needs = { required: 'yes', optional: 'optional', none: 'no' }
    const rows = Object.entries(FAULTS).map(([name, { phone, takes, does }]) => ({
      ...{ name, phone: needs[phone], takes, does },
    }))
    expect(documented).to.have.deep.members(rows)
  })

  it('need a phone where the README says so', () => {
    const withoutPhone = documented.filter(({ name }) => isArmed({ Fault: name })).map(({ name }) => name)
    expect(withoutPhone).to.deep.equal(
      documented.filter((row) => row.phone !== 'yes').map(({ name }) => name),
    )
    const Phone = phone.account.phone
    expect(documented.filter(({ name }) => !isArmed({ Fault: name, Phone }))).to.deep.equal([])
  })

  it('are refused if unknown, also when objects inherit the name', () => {
    expect(isArmed({ Fault: 'constructor' })).to.equal(false)
    expect(isArmed({ Fault: 'constructor', Phone: phone.account.phone })).to.equal(false)
  })

  it('and unknown actions are refused, also when objects inherit the name', async () => {
    const outcome = await phone.act({ Action: 'constructor' }).catch((error: unknown) => error)
    expect(outcome).to.include({ code: 'FIELD_INVALID' })
  })

  it('end with `clear`, for one account or all', () => {
    const Phone = phone.account.phone
    const restrictions = () => phone.view()['Restrictions'] as Record<string, unknown>
    loose.network.fault({ Fault: 'keyless', Phone })
    expect(restrictions()).to.include({ isKeyless: true })
    loose.network.fault({ Fault: 'clear', Phone })
    expect(restrictions()).to.include({ isKeyless: false })
    loose.network.fault({ Fault: 'messageCap', Phone, Count: 3 })
    expect(restrictions()['newChats']).to.deep.equal({ total: 3, used: 0 })
    loose.network.fault({ Fault: 'clear' })
    expect(restrictions()['newChats']).to.equal(undefined)
  })
})
