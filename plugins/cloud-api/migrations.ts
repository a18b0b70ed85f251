import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const tables = defineTables({
  cloud_api_hooks(table) {
    sessionColumn(table).primary()
    // Sealed: address, verify token, app secret.
    table.binary('hook').notNullable()
  },
  // Bodies not yet accepted by a webhook.
  cloud_api_backlog(table) {
    sessionColumn(table).notNullable()
    // Seq of the event, and index of the body within the event.
    table.bigInteger('seq').notNullable()
    table.integer('part').notNullable()
    table.text('lane').notNullable()
    // Sealed.
    table.binary('body').notNullable()
    // Milliseconds since 1970.
    table.bigInteger('since').notNullable()
    table.boolean('dead').notNullable()
    table.primary(['session', 'seq', 'part'])
  },
  // Data that later webhooks about an own message need: the offered choices and the client's data.
  cloud_api_sent(table) {
    sessionColumn(table).notNullable()
    table.text('message').notNullable()
    // Sealed.
    table.binary('facts').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'message'])
    table.index(['logged'])
  },
  cloud_api_media(table) {
    sessionColumn(table).notNullable()
    table.text('id').notNullable()
    // Sealed: type, name, hash, size.
    table.binary('head').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'id'])
    table.index(['id'])
    table.index(['logged'])
  },
  cloud_api_media_parts(table) {
    sessionColumn(table).notNullable()
    table.text('id').notNullable()
    table.integer('part').notNullable()
    // Sealed.
    table.binary('data').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'id', 'part'])
    table.index(['logged'])
  },
  cloud_api_templates(table) {
    sessionColumn(table).notNullable()
    table.text('name').notNullable()
    table.text('language').notNullable()
    // Sealed.
    table.binary('template').notNullable()
    table.primary(['session', 'name', 'language'])
  },
})

/** The plugin webhook delivers the webhooks; existing ones are taken over at the next start (webhook/adopt.ts). */
const handOver: Migration = {
  async up(knex) {
    await knex.schema.alterTable('cloud_api_hooks', (table) => {
      // Seq up to which their events were handled; null once they are taken over.
      table.bigInteger('handled')
    })
    const own = { consumer: 'cloud-api' }
    const start = await knex('cursors').where(own).first('seq')
    const last = await knex('events').max({ seq: 'seq' }).first()
    await knex('cloud_api_hooks').update({ handled: start?.seq ?? last?.seq ?? 0 })
    for (const { session, seq } of await knex('lanes').where(own).select('session', 'seq'))
      await knex('cloud_api_hooks').where({ session }).update({ handled: seq })
    // Cursors of a removed consumer, for which retention would keep all later lines.
    for (const table of ['lanes', 'cursors']) await knex(table).where(own).del()
  },
  async down(knex) {
    await knex.schema.alterTable('cloud_api_hooks', (table) => table.dropColumns('handled'))
  },
}

export const migrations: Record<string, Migration> = { '001_tables': tables, '002_hand_over': handOver }
