import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSqliteFile } from '../../../../config/cli/backup/sqlite-file.ts'
import { masterKeysOf } from '../../../../config/master-keys.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { type GatewayProcess, startProcess } from '../../../support/process.ts'
import { whole } from '../../../support/run/whole.ts'
import { linkPhone, sessionOf } from '../../../support/sessions.ts'
import { wamux } from '../../../support/wamux.ts'

describe('wamux backup and restore', function () {
  this.timeout(180_000)
  const dataDir = temporaryFolder()
  const copies = temporaryFolder()
  const copy = join(copies, 'copy.sqlite')
  const database = join(dataDir, 'wamux.sqlite')
  let env: Record<string, string>
  let loose: LooseNetwork
  let gateway: GatewayProcess
  let shop: Phone
  let ana: Phone
  let group: string
  let token: { token: string }

  before(async () => {
    loose = await startNetwork()
    env = { WAMUX_DATA_DIR: dataDir, WAMUX_BAILEYS_NETWORK: loose.card }
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
    gateway = await startProcess(env)
    token = (await linkPhone(gateway, shop)).headers
    const made = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [shop.account.phone] })
    group = String(made['JID'])
  })
  after(async () => {
    await gateway.end('SIGKILL')
    await loose.network.close()
  })

  const hasTexts = (wanted: readonly string[]): boolean => {
    const texts = new Set(ana.messages().map(({ raw }) => raw.extendedTextMessage?.text))
    return wanted.every((text) => texts.has(text))
  }
  /** Some messages at any time, not as many as can be. */
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))
  const toAna = async (text: string, chat = ana.account.phone): Promise<void> => {
    const sent = await gateway.post('/send/text', { Phone: chat, Body: text }, token)
    expect(sent, text).to.include({ success: true })
  }
  const isDelivered = (id: string): boolean =>
    ana.receipts.some((receipt) => receipt.id === id && receipt.type === 'delivered')

  it('copies while messages are sent and received, none of which is lost', async () => {
    const sent: string[] = []
    const received: string[] = []
    let isBusy = true
    const send = async (): Promise<void> => {
      for (let n = 0; isBusy; n += 1) {
        await toAna(`out ${n}`, n % 5 === 0 ? group : ana.account.phone)
        sent.push(`out ${n}`)
        await pause()
      }
    }
    const receive = async (): Promise<void> => {
      for (let n = 0; isBusy; n += 1) {
        const id = await ana.send(n % 5 === 0 ? group : shop.account.phone, { Text: `in ${n}` })
        received.push(id)
        await eventually(() => isDelivered(id), 'delivered')
        await pause()
      }
    }
    const traffic = Promise.all([send(), receive()])
    await eventually(() => sent.length > 5 && received.length > 5, 'messages under way')
    const at = join(copies, 'killed.sqlite')
    const killed = await wamux(['backup', at], { ...env, CRASH_AT: 'before:backup-check' }, [
      './test/crash/killer.ts',
    ])
    expect(killed.code, killed.err).to.equal('SIGKILL')
    expect(existsSync(at)).to.equal(false)
    // What it has left does not stop the next one.
    expect(await wamux(['backup', at], env)).to.include({ code: 0 })
    const before = sent.length
    await eventually(() => sent.length > before + 5, 'more messages')
    const { code, out, err } = await wamux(['backup', copy], env)
    expect(code, err).to.equal(0)
    isBusy = false
    await traffic

    expect(out).to.include('1 sessions').and.include('The master key "k1" is NOT in it')
    expect(out).to.include(join(dataDir, 'master-key'))
    expect(statSync(copy).mode & 0o777).to.equal(0o600)
    expect(readdirSync(copies).sort()).to.deep.equal(['copy.sqlite', 'killed.sqlite'])
    await eventually(() => hasTexts(sent), 'all texts with Ana')
    expect(received.every(isDelivered)).to.equal(true)
    expect(ana.failures).to.deep.equal([])

    expect((await wamux(['backup', copy], env)).err).to.include('exists already')
    expect((await wamux(['restore', copy, '--force'], env)).err).to.include(
      'another wamux process already uses',
    )
  })

  whole.it(
    'goes on from an old copy: what is unreadable at first comes again, and nothing is lost',
    async () => {
      // The states of both sides move beyond the copy, then the gateway is lost.
      for (let n = 0; n < 5; n += 1) {
        await toAna(`later ${n}`)
        await toAna(`later ${n} in the group`, group)
        for (const chat of [shop.account.phone, group]) {
          const id = await ana.send(chat, { Text: `later ${n}` })
          await eventually(() => isDelivered(id), 'delivered')
        }
      }
      expect(await gateway.end('SIGKILL')).to.equal('SIGKILL')
      const offline = [
        await ana.send(shop.account.phone, { Text: 'meanwhile' }),
        await ana.send(group, { Text: 'too' }),
      ]

      expect((await wamux(['restore', copy], env)).err).to.include('with --force it is replaced')
      const killed = await wamux(['restore', copy, '--force'], { ...env, CRASH_AT: 'within:restore' }, [
        './test/crash/killer.ts',
      ])
      expect(killed.code, killed.err).to.equal('SIGKILL')
      const { code, out, err } = await wamux(['restore', copy, '--force'], env)
      expect(code, err).to.equal(0)
      expect(out).to.include('restored 1 sessions').and.include('The encryption states of chats were removed')
      const [aside = ''] = /\S+replaced-\S+/.exec(out) ?? []
      expect(existsSync(aside.replace(/;$/, '')), aside).to.equal(true)

      gateway = await startProcess(env)
      await sessionOf(gateway, token.token, shop).status({ LoggedIn: true })
      for (let n = 0; n < 5; n += 1) {
        await toAna(`restored ${n}`)
        await toAna(`restored ${n} in the group`, group)
      }
      const asked = [
        await ana.send(shop.account.phone, { Text: 'hello' }),
        await ana.send(group, { Text: 'you' }),
      ]
      for (const id of [...offline, ...asked]) await eventually(() => isDelivered(id), `${id} delivered`)
      const wanted = [0, 1, 2, 3, 4].flatMap((n) => [`restored ${n}`, `restored ${n} in the group`])
      await eventually(() => hasTexts(wanted), 'all texts with Ana')
      // With the ratchets of the copy, phones would have decrypted these numbers before, and WhatsApp drops that silently.
      expect(ana.failures.filter((failure) => failure.includes('was already decrypted'))).to.deep.equal([])
      const unread = ana.failures.map((failure) => failure.split(':')[0])
      expect(unread.filter((id) => !ana.messages().some((message) => message.id === id))).to.deep.equal([])
      expect(loose.network.view()['Counters']).to.include({ pairings: 1 })
      const file = await openSqliteFile(database)
      const numbers = await file.all<{ seq: number }>('SELECT seq FROM events ORDER BY seq')
      await file.close()
      // Clients of GET /events have numbers of what happened after the copy.
      const beyond = numbers.findIndex(({ seq }) => seq > 1_000_000)
      expect(beyond).to.be.greaterThan(0)
      expect(numbers[beyond - 1]?.seq).to.be.lessThan(1_000_000)
    },
  )

  whole.it('refuses what it can not restore, and changes nothing', async () => {
    await gateway.end('SIGTERM')
    const before = statSync(database).mtimeMs
    const refused = async (file: string, says: string, extra = {}): Promise<void> => {
      const { code, err } = await wamux(['restore', file, '--force'], { ...env, ...extra })
      expect(code, err).to.equal(1)
      expect(err).to.include(says)
      expect(statSync(database).mtimeMs).to.equal(before)
    }
    const changed = (name: string, change: (bytes: Buffer) => void): string => {
      const file = join(copies, name)
      const bytes = readFileSync(copy)
      change(bytes)
      writeFileSync(file, bytes)
      return file
    }
    await refused(join(copies, 'nothing.sqlite'), 'there is no file')
    await refused(
      changed('damaged.sqlite', (bytes) => bytes.fill(0xff, 40_000, 60_000)),
      'it is damaged',
    )
    await refused(
      changed('text.sqlite', (bytes) => bytes.write('not a database')),
      'can not be used',
    )
    const newer = join(copies, 'newer.sqlite')
    copyFileSync(copy, newer)
    const file = await openSqliteFile(newer)
    await file.all("INSERT INTO migrations_webhook (name, batch) VALUES ('999_later', 9)")
    await file.close()
    await refused(newer, 'plugin "webhook" has no migration "999_later" here')
    const other = masterKeysOf({ dataDir: temporaryFolder() }).keys
    await refused(copy, 'the master key "k1" is another one', { WAMUX_KEYS: other })
    const empty = { ...env, WAMUX_DATA_DIR: temporaryFolder() }
    expect((await wamux(['restore', copy], empty)).err).to.include('put the file "master-key" of the gateway')
    await refused(copy, 'there is no master key "k1" here', { WAMUX_KEYS: other.replace('k1', 'k2') })
    expect(readdirSync(dataDir).filter((name) => name.includes('restoring'))).to.deep.equal([])
  })

  it('names the tools of PostgreSQL for its databases', async () => {
    const postgres = { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    expect((await wamux(['backup', copy], postgres)).err).to.include('pg_dump')
    expect((await wamux(['restore', copy], postgres)).err).to.include('pg_restore')
  })
})
