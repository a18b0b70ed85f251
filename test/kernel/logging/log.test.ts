import { expect } from 'chai'
import { createLog, type LogOptions, markOf } from '../../../kernel/logging/log.ts'
import type { Log } from '../../../kernel/types/driver.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { KEYS } from '../../support/gateway.ts'

const PHONE = '491511234567'
const { mac } = openKeyring(KEYS)

describe('the log', () => {
  const written = (write: (log: Log) => void, options: Partial<LogOptions> = { mac }): string => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    write(createLog({ level: 'trace', stream, ...options }))
    return lines.join('')
  }
  const mark = markOf(mac, PHONE)

  it('has a mark in place of a number, the same wherever and however it stands', () => {
    const text = written((log) => {
      log.info({ jid: `${PHONE}@s.whatsapp.net` }, `to ${PHONE}:12@s.whatsapp.net`)
      log.debug({ pairs: { [PHONE]: [`+${PHONE}`] }, session: `${PHONE}_1.0` }, 'to %s', PHONE)
      log.child({ plugin: 'x' }).warn(`/chat/%2B${PHONE}`)
    })
    expect(text).to.not.include(PHONE)
    expect(text.split(mark)).to.have.length(8)
    expect(text).to.include(`"jid":"${mark}@s.whatsapp.net","msg":"to ${mark}:12@s.whatsapp.net"`)
  })

  it('has one in errors, in their causes, and under any name', () => {
    const error = new Error(`no session for ${PHONE}.0`, { cause: new Error(`lost ${PHONE}`) })
    Object.assign(error, { data: { attrs: { from: PHONE } } })
    for (const write of [
      (log: Log) => log.error(error),
      (log: Log) => log.error({ err: error }),
      (log: Log) => log.error({ error, trace: error.stack }, 'failed'),
      (log: Log) => log.error({ a: [{ why: error }] }, error.message),
    ]) {
      const text = written(write)
      expect(text).to.include(`no session for ${mark}.0`).and.include(`lost ${mark}`)
      expect(text).to.not.include(PHONE)
    }
  })

  it('leaves ids, times and counts as they are', () => {
    const line = {
      request: '12345678-1234-4123-8123-123456789012',
      message: undefined,
      id: '3EB0123456789ABCDEF0',
      nextAt: 1_795_258_460_978,
      at: '2026-11-21T10:54:21.089Z',
      url: 'http://127.0.0.1:36917',
      file: '/srv/20261121/admin-token',
    }
    const { id, nextAt, at, url, file, request } = JSON.parse(written((log) => log.info(line)))
    expect({ id, nextAt, at, url, file, request, message: undefined }).to.deep.equal(line)
  })

  it('makes marks with the master key, without which they can not be recognised', () => {
    const other = openKeyring(`k1:${Buffer.alloc(32, 8).toString('base64')}`)
    expect(mark).to.match(/^#[0-9a-f]{8}$/)
    expect(markOf(other.mac, PHONE)).to.not.equal(mark)
    expect(written((log) => log.info(PHONE), {})).to.match(/"msg":"#[0-9a-f]{8}"/)
  })
})
