import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkMasterKeys } from '../../config/key-check.ts'
import { openDatabase } from '../../kernel/db/engines/open.ts'
import { migrate } from '../../kernel/db/migrate.ts'
import { createWriter } from '../../kernel/db/writer.ts'
import { openSessionStore } from '../../kernel/sessions/store.ts'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import { createVault } from '../../kernel/vault/vault.ts'
import { migrations } from '../../migrations/index.ts'
import { type Engine, engines } from '../support/databases.ts'
import { KEYS } from '../support/gateway.ts'
import { mainOf } from '../support/process.ts'

const OTHER = `k1:${Buffer.alloc(32, 9).toString('base64')}`

interface Place {
  dataDir: string
  databaseUrl?: string
}

/** A database with one session that is encrypted under KEYS, and without the key. */
async function usedDatabase(engine: Engine): Promise<Place> {
  const { dataDir, databaseUrl: url, databaseSchema: schema } = engine.fresh()
  const database = await openDatabase({ dataDir, url, schema })
  await migrate(database.main, 'kernel', migrations)
  const store = await openSessionStore(database, createWriter(database), createVault(openKeyring(KEYS)), true)
  await store.create({})
  await database.close()
  return { dataDir, ...(url ? { databaseUrl: `${url}?options=-csearch_path%3D${schema}` } : {}) }
}

const refusal = (place: Place, keys: string | undefined): Promise<string> =>
  checkMasterKeys(place, keys).then(
    () => 'ok',
    (error: { message: string }) => error.message,
  )

function wamux(command: string, { dataDir, databaseUrl }: Place): Promise<{ code: number; output: string }> {
  const env = {
    ...{ PATH: process.env['PATH'], WAMUX_PORT: '0', WAMUX_PROFILE: 'minimal', WAMUX_DATA_DIR: dataDir },
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [...mainOf(), command], { env, timeout: 30_000 }, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output: output + errors }),
    )
  })
}

for (const engine of engines) {
  describe(`the master key on ${engine.name}`, () => {
    let place: Place

    before(async () => {
      place = await usedDatabase(engine)
    })

    it('is accepted if it opens the keys of all sessions, or if there are none', async () => {
      expect(await refusal(place, KEYS)).to.equal('ok')
      expect(await refusal({ dataDir: `${place.dataDir}/new` }, undefined)).to.equal('ok')
    })

    it('is refused with what to do if it is lost, wrong, or of another database', async () => {
      const holds = 'the database has 1 session(s) that are encrypted under the master key "k1"'
      expect(await refusal(place, undefined)).to.include(`${holds}, but there is no key in`)
      expect(await refusal(place, OTHER)).to.include(`${holds}, and the configured key is a different one`)
      const unknown = OTHER.replace('k1', 'k9')
      expect(await refusal(place, unknown)).to.include(`${holds}, and no key with that id is configured`)
      const page = readFileSync('kernel/docs/operate.md', 'utf8')
      for (const keys of [undefined, OTHER, unknown]) {
        const [, why = 'no reason'] =
          /(there is no key in|the configured key is a different one|no key with that id is configured)/.exec(
            await refusal(place, keys),
          ) ?? []
        expect(page).to.include(`| ${why}`)
      }
      for (const keys of [undefined, OTHER, unknown])
        expect(await refusal(place, keys)).to.include('Nothing was changed. Configure the key')
    })

    it('is missing or wrong: start and check refuse in one line, and leave all files as they are', async () => {
      const file = join(place.dataDir, 'master-key')
      for (const [keys, why] of [
        [undefined, 'but there is no key in'],
        [OTHER, 'and the configured key is a different one'],
      ] as const) {
        if (keys) writeFileSync(file, keys)
        const files = readdirSync(place.dataDir)
        for (const command of ['check', 'start']) {
          const { code, output } = await wamux(command, place)
          expect(output.trim().split('\n'), output).to.have.length(1)
          expect(output).to.include(why)
          expect(code).to.equal(1)
          expect(readdirSync(place.dataDir)).to.deep.equal(files)
        }
      }
    })
  })
}
