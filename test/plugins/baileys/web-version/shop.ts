import knex, { type Knex } from 'knex'
import { loadConfig } from '../../../../config/load.ts'
import type { Plugin } from '../../../../kernel/plugin.ts'
import { wire } from '../../../../plugins/baileys/protocol/wire.ts'
import type { Calls } from '../../../support/calls.ts'
import { connected, type Engine, everyEngine } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type TestGateway, testGateway } from '../../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../../../support/sessions.ts'

export const [PRIMARY, SECONDARY, BUILT_IN] = wire.version
/** What the web site of the network has while no fault says otherwise. */
export const CURRENT = BUILT_IN + 67_000

export const version = (revision: number): string => `${PRIMARY}.${SECONDARY}.${revision}`

export interface Login {
  At: string
  Phone: string
  AppVersion: string
  Refused: string
}

/** A gateway on a network that outlives it, with what both know of the version. */
export interface VersionShop {
  readonly loose: LooseNetwork
  readonly database: Knex
  readonly gateway: TestGateway
  /** Of the gateway that runs. */
  readonly calls: Calls
  link(name: string): Promise<LinkedSession>
  /** Starts a new gateway on the same data. */
  restart(settings?: Record<string, unknown>): Promise<void>
  /** As if the last look-up, and the last refusal of each session, had been so long ago. */
  age(ms: number): Promise<void>
  /** Cuts all links. */
  cut(): void
  logins(): Login[]
  /** Requests for either file of the web site. */
  asked(): { serviceWorkers: number; pages: number }
  /** GET /server/web-version */
  known(): Promise<Record<string, string | number>>
  stop(): Promise<void>
}

interface Options {
  settings?: Record<string, unknown>
  extra?: readonly { plugin: Plugin; config?: Record<string, unknown> }[]
  engine?: Engine
}

export async function openVersionShop({
  settings = {},
  extra = [],
  engine = everyEngine[0] as Engine,
}: Options = {}): Promise<VersionShop> {
  const loose = await startNetwork()
  const fresh = engine.fresh()
  const database = openBeside(fresh)
  let gateway = await start(settings)

  async function start(own: Record<string, unknown>): Promise<TestGateway> {
    const config = { network: loose.card, outdatedSpreadMs: 1_500, webVersionCheckMs: 50, ...own }
    const { plugins } = await loadConfig({}, { baileys: { config } })
    const started = testGateway({
      plugins: [...plugins, ...extra.map(({ plugin, config: given = {} }) => ({ plugin, config: given }))],
      ...fresh,
    })
    await started.start()
    return started
  }

  const calls: Calls = {
    call: (...args) => gateway.call(...args),
    get: (...args) => gateway.get(...args),
    post: (...args) => gateway.post(...args),
  }
  const shop: VersionShop = {
    loose,
    database,
    get gateway() {
      return gateway
    },
    calls,
    link: async (name) => linkPhone(calls, await loose.phones.create({ name })),
    async restart(own = settings) {
      await gateway.stop()
      gateway = await start(own)
    },
    async age(ms) {
      await eventually(async () => (await shop.known())['LookedUpAt'], 'the first look-up ended')
      await database('baileys_web_version').update({ began: database.raw('began - ?', [ms]) })
      await database('baileys_refusals').update({ at: database.raw('at - ?', [ms]) })
    },
    cut() {
      loose.network.fault({ Fault: 'down' })
      loose.network.fault({ Fault: 'up' })
    },
    logins: () => loose.network.view()['Logins'] as Login[],
    asked() {
      const { serviceWorkers, pages } = loose.network.view()['Counters'] as Record<string, number>
      return { serviceWorkers: serviceWorkers ?? 0, pages: pages ?? 0 }
    },
    known: async () => (await gateway.get('/server/web-version', admin)).data,
    async stop() {
      await gateway.stop()
      await database.destroy()
      await loose.network.close()
    },
  }
  return shop
}

export const HOUR_MS = 3_600_000

/** The database of a gateway, beside it. */
export function openBeside({ dataDir, databaseUrl, databaseSchema }: ReturnType<Engine['fresh']>): Knex {
  if (!databaseUrl) {
    const filename = `${dataDir}/wamux.sqlite`
    return knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true })
  }
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `-c search_path=${databaseSchema}`)
  return connected(url.href)
}
