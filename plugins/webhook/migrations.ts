import type { Knex } from 'knex'
import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const deliveries = defineTables({
  webhook_endpoints(table) {
    table.text('id').primary()
    sessionColumn(table).notNullable()
    // The session's own webhook, whose address and classes are in the session's row.
    table.boolean('first').notNullable()
    // Sealed, like the secrets.
    table.binary('url').notNullable()
    table.text('format').notNullable()
    table.text('subscribe').notNullable()
    table.binary('secret').notNullable()
    table.binary('old_secret').notNullable()
    table.bigInteger('old_until').notNullable()
    // active, disabled, gone
    table.text('state').notNullable()
    table.binary('reason').notNullable()
    // Milliseconds since 1970 of the first failure after the last success; 0 for none.
    table.bigInteger('failing_since').notNullable()
  },
  webhook_deliveries(table, knex) {
    // The event itself is stored only in the log; a delivery is deleted with its event.
    table.bigInteger('seq').notNullable().references('seq').inTable('events').onDelete('CASCADE')
    table.text('endpoint').notNullable().references('id').inTable('webhook_endpoints').onDelete('CASCADE')
    // The event's lane, which is already an index there.
    table.text('lane').notNullable()
    // Sealed. The session's JID at the time of the event, so that every attempt has the same body.
    table.binary('jid').notNullable()
    // pending, done, dead
    table.text('state').notNullable()
    table.integer('attempts').notNullable()
    // Position in the retry schedule.
    table.integer('step').notNullable()
    table.bigInteger('next_at').notNullable()
    table.bigInteger('entered').notNullable()
    // The last status or error; of the address it contains only the host.
    table.text('last').notNullable()
    table.primary(['seq', 'endpoint'])
    table.index(['endpoint', 'seq'], 'webhook_pending', { predicate: state(knex, 'pending') })
    table.index(['endpoint', 'lane', 'seq'], 'webhook_lanes', { predicate: state(knex, 'pending') })
    table.index(['endpoint', 'seq'], 'webhook_dead', { predicate: state(knex, 'dead') })
  },
})

function state(knex: Knex, name: string): Knex.QueryBuilder {
  return knex.whereRaw(`state = '${name}'`)
}

/**
 * Endpoints of all sessions (`session` is null), filters, own headers. SQLite can't make a column nullable, and dropping a
 * table deletes the rows that reference it: both tables are copied.
 */
const global: Migration = {
  up: (knex) => rebuild(knex, 'v2', true),
  async down(knex) {
    await knex('webhook_endpoints').whereNull('session').del()
    await rebuild(knex, 'v1', false)
  },
}

async function rebuild(knex: Knex, suffix: string, isGlobal: boolean): Promise<void> {
  const endpoints = `webhook_endpoints_${suffix}`
  const deliveries = `webhook_deliveries_${suffix}`
  await knex.schema.createTable(endpoints, (table) => {
    table.text('id').primary()
    const session = table.text('session')
    if (!isGlobal) session.notNullable()
    session.references('id').inTable('sessions').onDelete('CASCADE')
    table.boolean('first').notNullable()
    table.binary('url').notNullable()
    table.text('format').notNullable()
    table.text('subscribe').notNullable()
    table.binary('secret').notNullable()
    table.binary('old_secret').notNullable()
    table.bigInteger('old_until').notNullable()
    table.text('state').notNullable()
    table.binary('reason').notNullable()
    table.bigInteger('failing_since').notNullable()
    if (!isGlobal) return
    // Sealed: they name chats and contain credentials.
    table.binary('filter')
    table.binary('headers')
    table.boolean('include_token').notNullable().defaultTo(false)
  })
  await knex.schema.createTable(deliveries, (table) => {
    table.bigInteger('seq').notNullable().references('seq').inTable('events').onDelete('CASCADE')
    table.text('endpoint').notNullable().references('id').inTable(endpoints).onDelete('CASCADE')
    table.text('lane').notNullable()
    table.binary('jid').notNullable()
    table.text('state').notNullable()
    table.integer('attempts').notNullable()
    table.integer('step').notNullable()
    table.bigInteger('next_at').notNullable()
    table.bigInteger('entered').notNullable()
    table.text('last').notNullable()
    table.primary(['seq', 'endpoint'])
  })
  await copy(knex, 'webhook_endpoints', endpoints, ENDPOINT)
  await copy(knex, 'webhook_deliveries', deliveries, DELIVERY)
  await knex.schema.dropTable('webhook_deliveries')
  await knex.schema.dropTable('webhook_endpoints')
  await knex.schema.renameTable(endpoints, 'webhook_endpoints')
  await knex.schema.renameTable(deliveries, 'webhook_deliveries')
  await knex.schema.alterTable('webhook_deliveries', (table) => {
    table.index(['endpoint', 'seq'], 'webhook_pending', { predicate: state(knex, 'pending') })
    table.index(['endpoint', 'lane', 'seq'], 'webhook_lanes', { predicate: state(knex, 'pending') })
    table.index(['endpoint', 'seq'], 'webhook_dead', { predicate: state(knex, 'dead') })
  })
}

const ENDPOINT = [
  ...['id', 'session', 'first', 'url', 'format', 'subscribe', 'secret', 'old_secret', 'old_until'],
  ...['state', 'reason', 'failing_since'],
]
const DELIVERY = [
  ...['seq', 'endpoint', 'lane', 'jid', 'state', 'attempts', 'step', 'next_at', 'entered', 'last'],
]

async function copy(knex: Knex, from: string, to: string, columns: string[]): Promise<void> {
  const names = columns.map((name) => `"${name}"`).join()
  await knex.raw(`INSERT INTO "${to}" (${names}) SELECT ${names} FROM "${from}"`)
}

/** Time and duration of attempts; failed ones individually, with the beginning of the answer. */
const attempts: Migration = {
  async up(knex) {
    await knex.schema.alterTable('webhook_deliveries', (table) => {
      // The last attempt; null before the first, and in rows older than the columns.
      table.bigInteger('at')
      table.integer('ms')
    })
    await knex.schema.createTable('webhook_attempts', (table) => {
      table.bigInteger('seq').notNullable()
      table.text('endpoint').notNullable()
      table.bigInteger('at').notNullable()
      table.integer('ms').notNullable()
      // Number of the attempt, from 1; a replay restarts the count.
      table.integer('attempt').notNullable()
      table.text('last').notNullable()
      table.boolean('accepted').notNullable()
      // Sealed: answers may quote the request.
      table.binary('head')
      table.primary(['seq', 'endpoint', 'at'])
      table
        .foreign(['seq', 'endpoint'])
        .references(['seq', 'endpoint'])
        .inTable('webhook_deliveries')
        .onDelete('CASCADE')
    })
  },
  async down(knex) {
    await knex.schema.dropTable('webhook_attempts')
    await knex.schema.alterTable('webhook_deliveries', (table) => table.dropColumns('at', 'ms'))
  },
}

/** Whether a key has set the endpoint. */
const byKey: Migration = {
  async up(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => {
      table.boolean('by_key').notNullable().defaultTo(false)
    })
  },
  async down(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => table.dropColumns('by_key'))
  },
}

/** Formats with several bodies per event, and the form of edits. */
const formats: Migration = {
  async up(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => {
      // native, unsupported or none; null for the default of the format.
      table.text('edits')
    })
    await knex.schema.alterTable('webhook_deliveries', (table) => {
      // JSON: the indexes of the bodies not accepted yet; null for all of them.
      table.text('parts')
    })
  },
  async down(knex) {
    await knex.schema.alterTable('webhook_deliveries', (table) => table.dropColumns('parts'))
    await knex.schema.alterTable('webhook_endpoints', (table) => table.dropColumns('edits'))
  },
}

/** The events of its format that an endpoint chose. */
const events: Migration = {
  async up(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => {
      // JSON: a list of names; null for those that the format sends by default.
      table.text('events')
    })
  },
  async down(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => table.dropColumns('events'))
  },
}

/** The changes of bodies that an endpoint asked for. */
const transforms: Migration = {
  async up(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => {
      // Sealed JSON, since its texts may be confidential; null for none.
      table.binary('transform')
    })
  },
  async down(knex) {
    await knex.schema.alterTable('webhook_endpoints', (table) => table.dropColumns('transform'))
  },
}

/** Failed attempts by time, for the list of failures: those of all endpoints, and those of some. */
const failures: Migration = {
  async up(knex) {
    await knex.schema.alterTable('webhook_attempts', (table) => {
      const predicate = knex.whereRaw('NOT accepted')
      table.index(['at'], 'webhook_failures', { predicate })
      table.index(['endpoint', 'at'], 'webhook_endpoint_failures', { predicate })
    })
  },
  async down(knex) {
    await knex.schema.alterTable('webhook_attempts', (table) => {
      table.dropIndex([], 'webhook_failures')
      table.dropIndex([], 'webhook_endpoint_failures')
    })
  },
}

export const migrations: Record<string, Migration> = {
  '001_deliveries': deliveries,
  '002_global': global,
  '003_attempts': attempts,
  '004_by_key': byKey,
  '005_formats': formats,
  '006_events': events,
  '007_transforms': transforms,
  '008_failures': failures,
}
