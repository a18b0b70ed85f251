import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'
import { OPEN, UNSENT, UNSETTLED } from './store/predicates.ts'

/** One row per key: a message changes one to three keys, and a single file or blob would have to be rewritten as a whole. */
const store = defineTables({
  baileys_creds(table) {
    sessionColumn(table).primary()
    table.binary('value').notNullable()
  },
  baileys_keys(table) {
    sessionColumn(table).notNullable()
    table.text('type').notNullable()
    // A keyed hash, because ids identify people and groups.
    table.text('id').notNullable()
    table.binary('value').notNullable()
    table.primary(['session', 'type', 'id'])
  },
  baileys_inbox(table) {
    sessionColumn(table).notNullable()
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
  },
  baileys_outgoing(table) {
    sessionColumn(table).notNullable()
    table.text('id').notNullable()
    // Sealed: the envelope (chat, fingerprint of the request, options) and the message.
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
  },
})

/** Evidence that a message makes the network close links (send/suspects.ts). */
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

/** The few unsent messages among all sent ones: each node of a cluster looks for them. */
const unsent: Migration = {
  async up(knex) {
    await knex.raw(`CREATE INDEX baileys_outgoing_unsent ON baileys_outgoing (session) WHERE ${UNSENT}`)
  },
  async down(knex) {
    await knex.raw('DROP INDEX baileys_outgoing_unsent')
  },
}

/** When the frame left and when the outcome was known, for the timeline of a message; 0 if unknown. */
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

/** The version with which links are opened, and the sessions that were refused with it. */
const versions = defineTables({
  baileys_web_version(table) {
    table.text('network').primary()
    // From the last successful look-up; empty before it.
    table.text('version').notNullable().defaultTo('')
    table.text('source').notNullable().defaultTo('')
    table.bigInteger('fetched').notNullable().defaultTo(0)
    // When the last look-up began and ended, and why it failed; empty if it did not.
    table.bigInteger('began').notNullable().defaultTo(0)
    table.bigInteger('ended').notNullable().defaultTo(0)
    table.text('problem').notNullable().defaultTo('')
    // The end announced by WhatsApp, and for which version; 0 for none.
    table.bigInteger('expires').notNullable().defaultTo(0)
    table.text('expires_version').notNullable().defaultTo('')
  },
  baileys_refusals(table) {
    sessionColumn(table).primary()
    table.text('version').notNullable()
    table.integer('count').notNullable()
    table.bigInteger('at').notNullable()
    table.boolean('linked').notNullable()
    // When it may log in again; 0 until it has a turn.
    table.bigInteger('turn').notNullable()
  },
})

/** Secrets of messages, under which later votes, edits and reactions are sealed. */
const secrets = defineTables({
  baileys_secrets(table) {
    sessionColumn(table).notNullable()
    table.text('message').notNullable()
    // Indexes of the chat and of the author's JIDs: others may choose the same id.
    table.text('chat').notNullable()
    table.text('authors').notNullable()
    // Sealed: chat, authors, secrets, and a poll's question and options.
    table.binary('secret').notNullable()
    table.bigInteger('until').notNullable()
    table.primary(['session', 'message', 'chat', 'authors'])
    table.index(['until'])
  },
})

/** The disappearing timers of chats. */
const timers = defineTables({
  baileys_timers(table) {
    sessionColumn(table).notNullable()
    // Index of the chat: of a person's LID, if known.
    table.text('chat').notNullable()
    table.bigInteger('seconds').notNullable()
    // Unix seconds; 0 for a chat whose timer was never set.
    table.bigInteger('set_at').notNullable()
    table.integer('trigger').notNullable()
    table.primary(['session', 'chat'])
  },
})

/** AB props of each session, as last sent by the network. */
const props = defineTables({
  baileys_props(table) {
    sessionColumn(table).primary()
    table.text('hash').notNullable()
    table.text('values').notNullable()
  },
})

/** Until when sessions must not log in, and why. */
const pauses = defineTables({
  baileys_pauses(table) {
    sessionColumn(table).primary()
    table.text('reason').notNullable()
    table.text('detail').notNullable()
    table.text('code').notNullable()
    table.bigInteger('until').notNullable()
  },
})

/** The settings of which the session was told, so that it can tell which of them a snapshot lacks. */
const settings = defineTables({
  baileys_settings(table) {
    sessionColumn(table).notNullable()
    table.text('collection').notNullable()
    // Index of the setting's index, which is sealed beside it: it names people and chats.
    table.text('setting').notNullable()
    table.binary('name').notNullable()
    // The version of the collection in which it was last set.
    table.bigInteger('version').notNullable()
    table.primary(['session', 'collection', 'setting'])
  },
})

/** Partial indexes in place of whole ones, in which each message was entered twice to find the few that are not done. */
const open: Migration = {
  async up(knex) {
    await knex.schema.alterTable('baileys_outgoing', (table) => table.dropIndex(['session', 'state']))
    await knex.schema.alterTable('baileys_inbox', (table) => table.dropIndex(['session', 'done']))
    await knex.raw(
      `CREATE INDEX baileys_outgoing_unsettled ON baileys_outgoing (session, created) WHERE ${UNSETTLED}`,
    )
    await knex.raw(`CREATE INDEX baileys_inbox_open ON baileys_inbox (session) WHERE ${OPEN}`)
  },
  async down(knex) {
    for (const index of ['baileys_outgoing_unsettled', 'baileys_inbox_open'])
      await knex.raw('DROP INDEX ??', [index])
    await knex.schema.alterTable('baileys_outgoing', (table) => table.index(['session', 'state']))
    await knex.schema.alterTable('baileys_inbox', (table) => table.index(['session', 'done']))
  },
}

export const migrations: Record<string, Migration> = {
  '001_store': store,
  '002_breaks': breaks,
  '003_unsent': unsent,
  '004_times': times,
  '005_versions': versions,
  '006_secrets': secrets,
  '007_timers': timers,
  '008_props': props,
  '009_pauses': pauses,
  '010_settings': settings,
  '011_open': open,
}
