import type { Migration } from 'wamux/plugin'

/** One row for each key: a message changes one to three keys, and a single file or blob would be rewritten as a whole. */
const store: Migration = {
  async up(knex) {
    await knex.schema.createTable('baileys_creds', (table) => {
      table.text('session').primary().references('id').inTable('sessions').onDelete('CASCADE')
      table.binary('value').notNullable()
    })
    await knex.schema.createTable('baileys_keys', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('type').notNullable()
      // A keyed hash, because ids name people and groups.
      table.text('id').notNullable()
      table.binary('value').notNullable()
      table.primary(['session', 'type', 'id'])
    })
    await knex.schema.createTable('baileys_inbox', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // SHA-256 of the ciphertext, which identifies a redelivered stanza.
      table.text('hash').notNullable()
      table.text('message').notNullable()
      table.binary('stanza').notNullable()
      table.binary('plain').notNullable()
      table.boolean('done').notNullable()
      table.bigInteger('received').notNullable()
      table.primary(['session', 'hash'])
      table.index(['session', 'message'])
      table.index(['session', 'done'])
    })
    await knex.schema.createTable('baileys_outgoing', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('id').notNullable()
      // Sealed: chat, fingerprint of the request, options; message.
      table.binary('envelope').notNullable()
      table.binary('body').notNullable()
      // sending, acked, failed (refused: nothing was delivered), unknown (no answer in time)
      table.text('state').notNullable()
      // Sealed, because it may name the recipient.
      table.binary('error')
      table.text('timestamp').notNullable()
      table.bigInteger('created').notNullable()
      table.primary(['session', 'id'])
      table.index(['session', 'state'])
    })
  },
  async down(knex) {
    for (const table of ['outgoing', 'inbox', 'keys', 'creds'])
      await knex.schema.dropTable(`baileys_${table}`)
  },
}

/** How many links the network closed while the message was in flight (suspects.ts). */
const breaks: Migration = {
  async up(knex) {
    await knex.schema.alterTable('baileys_outgoing', (table) => {
      table.integer('breaks').notNullable().defaultTo(0)
    })
  },
  async down(knex) {
    await knex.schema.alterTable('baileys_outgoing', (table) => {
      table.dropColumn('breaks')
    })
  },
}

/** The few messages that are not sent yet, among all that were: each node of a cluster looks for them. */
const unsent: Migration = {
  async up(knex) {
    await knex.raw(
      "CREATE INDEX baileys_outgoing_unsent ON baileys_outgoing (session) WHERE state IN ('queued', 'sending')",
    )
  },
  async down(knex) {
    await knex.raw('DROP INDEX baileys_outgoing_unsent')
  },
}

/** When the frame left and when the outcome was known, for the timeline of a message: 0 for neither. */
const times: Migration = {
  async up(knex) {
    await knex.schema.alterTable('baileys_outgoing', (table) => {
      table.bigInteger('written').notNullable().defaultTo(0)
      table.bigInteger('ended').notNullable().defaultTo(0)
    })
  },
  async down(knex) {
    await knex.schema.alterTable('baileys_outgoing', (table) => table.dropColumns('written', 'ended'))
  },
}

export const migrations: Record<string, Migration> = {
  '001_store': store,
  '002_breaks': breaks,
  '003_unsent': unsent,
  '004_times': times,
}
