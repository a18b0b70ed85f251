import { expect } from 'chai'
import { proto } from '../../../../plugins/baileys/baileys.ts'
import { saltIn, type WithSaltAction } from '../../../../plugins/baileys/patches/nct-salt.ts'

/** Field 19 with three bytes, behind a type and a progress. */
const PART = Buffer.from('080030649a0103010203', 'hex')
/** Field 80 with a message whose field 1 has three bytes, behind a time. */
const ACTION = Buffer.from('08018205050a03010203', 'hex')
const SALT = Buffer.from([1, 2, 3])

describe('the salt of tokens for first contacts', () => {
  it('is decoded from a part of the history, and found by what the event of the part has', () => {
    const part = proto.HistorySync.decode(PART)
    expect(saltIn({ pastParticipants: part.pastParticipants })).to.deep.equal(SALT)
    expect(Buffer.from(proto.HistorySync.encode(part).finish()).toString('hex')).to.include('9a0103010203')
    expect(saltIn(proto.HistorySync.decode(PART.subarray(0, 4)))).to.equal(undefined)
  })

  it('is decoded from a shared setting, also inside of a record', () => {
    const inner = (value: proto.ISyncActionValue) => (value as WithSaltAction).nctSaltSyncAction?.salt
    const value = proto.SyncActionValue.decode(ACTION)
    expect(inner(value)).to.deep.equal(SALT)
    const data = proto.SyncActionData.encode(proto.SyncActionData.fromObject({ value })).finish()
    expect(inner(proto.SyncActionData.decode(data).value ?? {})).to.deep.equal(SALT)
  })

  it('survives the conversion from and to plain objects', () => {
    const action = { nctSaltSyncAction: { salt: SALT.toString('base64') } }
    expect(proto.SyncActionValue.fromObject(action).toJSON()).to.deep.equal(action)
    const part = { syncType: 0, nctSalt: SALT.toString('base64') }
    expect(proto.HistorySync.fromObject(part).toJSON()).to.include({ nctSalt: part.nctSalt })
  })
})
