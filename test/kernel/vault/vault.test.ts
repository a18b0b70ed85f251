import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault } from '../../../kernel/vault/vault.ts'

const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64')

describe('the vault', () => {
  it('opens what it sealed, at that place of that session only', () => {
    const vault = createVault(openKeyring(`k1:${key(1)}`))
    for (const session of ['a', 'b']) vault.create(session)
    const sealed = vault.seal('a', 'table/1', 'secret words')
    expect(sealed.toString('latin1')).not.to.include('secret')
    expect(vault.open('a', 'table/1', sealed).toString()).to.equal('secret words')
    expect(() => vault.open('a', 'table/2', sealed)).to.throw()
    expect(() => vault.open('b', 'table/1', sealed)).to.throw()
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
    expect(() => vault.open('a', 'table/1', sealed)).to.throw()
  })

  it('opens nothing whose tag was cut off, which could be guessed', () => {
    const vault = createVault(openKeyring(`k1:${key(1)}`))
    vault.create('a')
    // Version, nonce and tag of an empty text.
    const sealed = vault.seal('a', 'x', '')
    expect(vault.open('a', 'x', sealed)).to.have.length(0)
    for (const bytes of [4, 8, 12, 15]) {
      const cut = sealed.subarray(0, sealed.length - 16 + bytes)
      expect(() => vault.open('a', 'x', cut), `a tag of ${bytes} bytes`).to.throw()
    }
  })

  it('like every cipher of the sources, names the length of its tags', () => {
    const files = ['kernel', 'config', 'plugins'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    const calls = files
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .flatMap((file) =>
        [
          ...readFileSync(file, 'utf8').matchAll(/createDecipheriv\(\s*(?:CIPHER|'aes-256-gcm')[^;]*?\)\n/g),
        ].map(([call]) => `${file}: ${call}`),
      )
    expect(calls.length).to.be.at.least(8)
    for (const call of calls) expect(call).to.include('authTagLength: ')
  })

  it('indexes equal values alike, in one column of one session, and reveals nothing of them', () => {
    const vault = createVault(openKeyring(`k1:${key(1)}`))
    const wrapped = vault.create('a')
    vault.create('b')
    const index = vault.index('a', 'people/jid', '491511234567')
    expect(index).to.match(/^[\w-]{22}$/)
    const others = [
      vault.index('a', 'people/jid', '491511234568'),
      vault.index('a', 'lists/jid', '491511234567'),
      vault.index('a', 'people/ji', 'd491511234567'),
      vault.index('b', 'people/jid', '491511234567'),
    ]
    expect(new Set([index, ...others]).size).to.equal(5)
    expect(vault.uniqueIndex('a', 'people/jid', '491511234567')).to.equal(index)
    // After a restart, and under a new master key.
    const next = createVault(openKeyring(`k2:${key(2)},k1:${key(1)}`))
    next.restore('a', wrapped)
    expect(next.index('a', 'people/jid', '491511234567')).to.equal(index)
  })

  it('seals the same words differently each time', () => {
    const vault = createVault(openKeyring(`k1:${key(1)}`))
    vault.create('a')
    expect(vault.seal('a', 'x', 'same').equals(vault.seal('a', 'x', 'same'))).to.equal(false)
  })

  it('wraps the keys of the sessions anew under a new master key, and then needs the old one no more', () => {
    const old = createVault(openKeyring(`k1:${key(1)}`))
    const stored = old.create('a')
    const sealed = old.seal('a', 'x', 'kept')
    const both = createVault(openKeyring(`k2:${key(2)},k1:${key(1)}`))
    const renewed = both.restore('a', stored)
    expect(renewed?.kid).to.equal('k2')
    expect(both.open('a', 'x', sealed).toString()).to.equal('kept')
    const next = createVault(openKeyring(`k2:${key(2)}`))
    expect(next.restore('a', renewed ?? stored)).to.equal(undefined)
    expect(next.open('a', 'x', sealed).toString()).to.equal('kept')
    expect(() => createVault(openKeyring(`k2:${key(2)}`)).restore('a', stored)).to.throw('"k1" is missing')
  })

  it('seals data of no session under the master key, which is needed until it is sealed anew', () => {
    const old = createVault(openKeyring(`k1:${key(1)}`))
    const sealed = old.seal('', 'table/1', 'of all sessions')
    expect(sealed.toString('latin1')).not.to.include('sessions')
    expect(() => old.open('', 'table/2', sealed)).to.throw()
    const both = createVault(openKeyring(`k2:${key(2)},k1:${key(1)}`))
    expect(both.open('', 'table/1', sealed).toString()).to.equal('of all sessions')
    const next = createVault(openKeyring(`k2:${key(2)}`))
    expect(() => next.open('', 'table/1', sealed)).to.throw('"k1" is missing')
    const renewed = both.seal('', 'table/1', 'of all sessions')
    expect(next.open('', 'table/1', renewed).toString()).to.equal('of all sessions')
  })

  it('has nothing left of a session that was forgotten', () => {
    const vault = createVault(openKeyring(`k1:${key(1)}`))
    vault.create('a')
    const sealed = vault.seal('a', 'x', 'gone')
    const index = vault.index('a', 'x', 'gone')
    vault.forget('a')
    expect(() => vault.open('a', 'x', sealed)).to.throw('Session not found')
    expect(() => vault.index('a', 'x', 'gone')).to.throw('Session not found')
    vault.create('a')
    expect(() => vault.open('a', 'x', sealed)).to.throw()
    expect(vault.index('a', 'x', 'gone')).to.not.equal(index)
  })
})
