import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

/** Everything that a process with two Signal sessions prints; the second bundle makes libsignal close the first. */
const SCRIPT = `
  import { testHooks } from './kernel/failpoint.ts'
  if (!process.env.QUIET || process.env.WAMUX_TEST_UNPATCHED === 'console') testHooks.unpatched.add('console')
  const { wire } = await import('./plugins/baileys/protocol/wire.ts')
  const keys = () => {
    const rows = new Map()
    const get = async (type, ids) => Object.fromEntries(ids.filter((id) => rows.has(type + id)).map((id) => [id, rows.get(type + id)]))
    const set = async (data) => { for (const type in data) for (const id in data[type]) rows.set(type + id, data[type][id]) }
    return wire.addTransactionCapability({ get, set }, quiet, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  }
  const nothing = () => {}
  const quiet = { level: 'silent', child: () => quiet, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }
  const signal = wire.makeSignalRepository({ creds: wire.initAuthCreds(), keys: keys() }, quiet)
  const { signedIdentityKey, signedPreKey, registrationId } = wire.initAuthCreds()
  const pub = (pair) => wire.generateSignalPubKey(pair.public)
  const session = { registrationId, identityKey: pub(signedIdentityKey), signedPreKey: { keyId: 1, publicKey: pub(signedPreKey.keyPair), signature: signedPreKey.signature } }
  for (let i = 0; i < 2; i += 1) await signal.injectE2ESession({ jid: '1@lid', session })
  console.info('our own words')
  process.exit(0)
`

const printed = (env: Record<string, string>): string => {
  const args = ['--conditions=wamux:source', '--import', 'tsx', '--input-type=module', '-e', SCRIPT]
  const { stdout, stderr } = spawnSync(process.execPath, args, {
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
