import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { scriptOf } from '../../../support/process.ts'

/** Everything that a process with two Signal sessions prints; the second bundle makes libsignal close the first. */
const SCRIPT = `
  import { omitted } from './build/plugins/baileys/patches/omitted.js'
  if (!process.env.QUIET || process.env.WAMUX_TEST_UNPATCHED === 'console') omitted.patches.add('console')
  const { wire } = await import('./build/plugins/baileys/protocol/wire.js')
  const { SessionBuilder, ProtocolAddress } = await import('./build/plugins/baileys/signal/libsignal.js')
  const { signedIdentityKey: own } = wire.initAuthCreds()
  const records = new Map()
  const storage = {
    loadSession: async (address) => records.get(address),
    storeSession: async (address, record) => void records.set(address, record),
    isTrustedIdentity: () => true,
    getOurIdentity: () => ({ privKey: own.private, pubKey: wire.generateSignalPubKey(own.public) }),
  }
  const { signedIdentityKey, signedPreKey, registrationId } = wire.initAuthCreds()
  const pub = (pair) => wire.generateSignalPubKey(pair.public)
  const bundle = { registrationId, identityKey: pub(signedIdentityKey), signedPreKey: { keyId: 1, publicKey: pub(signedPreKey.keyPair), signature: signedPreKey.signature } }
  for (let i = 0; i < 2; i += 1) await new SessionBuilder(storage, ProtocolAddress.from('1.0')).initOutgoing(bundle)
  console.info('our own words')
  process.exit(0)
`

const printed = (env: Record<string, string>): string => {
  const { stdout, stderr } = spawnSync(process.execPath, scriptOf(SCRIPT), {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  return stdout + stderr
}

describe('console patch', () => {
  it('drops the key material of libsignal, and no other line', () => {
    expect(printed({ QUIET: '1' })).to.equal('our own words\n')
  })

  it('is needed: unpatched libsignal prints private keys', () => {
    expect(printed({})).to.include('privKey')
  })
})
