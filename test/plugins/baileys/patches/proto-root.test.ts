import { expect } from 'chai'
import { proto } from '../../../../plugins/baileys/baileys.ts'
import type { WithSaltAction } from '../../../../plugins/baileys/patches/nct-salt.ts'

describe('the namespace of the protobuf', () => {
  it('is kept when a second copy of Baileys is loaded', async () => {
    const url = `${import.meta.resolve('@whiskeysockets/baileys/WAProto/index.js')}?second`
    const second: { proto: typeof proto } = await import(url)
    expect(second.proto).to.not.equal(proto)
    const nctSaltSyncAction = { salt: Buffer.from('salt') }
    const encoded = proto.SyncActionData.encode({ value: { nctSaltSyncAction } as WithSaltAction }).finish()
    const { value } = proto.SyncActionData.decode(encoded)
    expect(value).to.be.instanceOf(proto.SyncActionValue)
    expect(value).to.deep.include({ nctSaltSyncAction })
    expect(second.proto.SyncActionData.decode(encoded).value).to.be.instanceOf(second.proto.SyncActionValue)
  })
})
