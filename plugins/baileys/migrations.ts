import { firstTables, partialIndex, required, sessionColumn } from 'wamux/plugin'
import { OPEN, UNSENT, UNSETTLED } from './store/predicates.ts'

export const migrations = firstTables({
  baileys_creds(table) {
    sessionColumn(table).primary()
    table.binary('value').notNullable()
  },
  // One row per key: a message changes one to three keys, and a single file or blob would have to be rewritten as a whole.
  baileys_keys(table) {
    required(table).session().text('type')
    // A keyed hash, because ids identify people and groups.
    required(table).text('id').binary('value')
    table.primary(['session', 'type', 'id'])
  },
  baileys_inbox(table, knex) {
    required(table).session()
    // SHA-256 of the ciphertext, which identifies a redelivered stanza.
    required(table).text('hash', 'message').binary('stanza', 'plain').boolean('done').bigInteger('received')
    table.primary(['session', 'hash'])
    table.index(['session', 'message'])
    partialIndex(table, knex, 'baileys_inbox_open', ['session'], OPEN)
  },
  baileys_outgoing(table, knex) {
    required(table).session().text('id')
    // Sealed: the envelope (chat, fingerprint of the request, options) and the message.
    required(table).binary('envelope', 'body')
    // sending, acked, failed (refused: nothing was delivered), unknown (no answer in time)
    table.text('state').notNullable()
    // Sealed, because it may name the recipient.
    table.binary('error')
    required(table).text('timestamp').bigInteger('created')
    // When the frame left and when the outcome was known, for the timeline of a message; 0 if unknown.
    table.bigInteger('written').notNullable().defaultTo(0)
    table.bigInteger('ended').notNullable().defaultTo(0)
    // Evidence that the message makes the network close links (send/suspects.ts).
    table.integer('breaks').notNullable().defaultTo(0)
    table.primary(['session', 'id'])
    // The few unsent messages among all sent ones: each node of a cluster looks for them.
    partialIndex(table, knex, 'baileys_outgoing_unsent', ['session'], UNSENT)
    partialIndex(table, knex, 'baileys_outgoing_unsettled', ['session', 'created'], UNSETTLED)
  },
  // The version with which links are opened, and the sessions that were refused with it.
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
    required(table).text('version').integer('count').bigInteger('at').boolean('linked')
    // When it may log in again; 0 until it has a turn.
    table.bigInteger('turn').notNullable()
  },
  // Secrets of messages, under which later votes, edits and reactions are sealed.
  baileys_secrets(table) {
    required(table).session().text('message')
    // Indexes of the chat and of the author's JIDs: others may choose the same id.
    required(table).text('chat', 'authors')
    // Sealed: chat, authors, secrets, and a poll's question and options.
    required(table).binary('secret').bigInteger('until')
    table.primary(['session', 'message', 'chat', 'authors'])
    table.index(['until'])
  },
  // The disappearing timers of chats.
  baileys_timers(table) {
    required(table).session()
    // Index of the chat: of a person's LID, if known.
    required(table).text('chat').bigInteger('seconds')
    // Unix seconds; 0 for a chat whose timer was never set.
    required(table).bigInteger('set_at').integer('trigger')
    table.primary(['session', 'chat'])
  },
  // AB props of each session, as last sent by the network.
  baileys_props(table) {
    sessionColumn(table).primary()
    required(table).text('hash', 'values')
  },
  // Until when sessions must not log in, and why.
  baileys_pauses(table) {
    sessionColumn(table).primary()
    for (const column of ['reason', 'detail', 'code']) table.text(column).notNullable()
    table.bigInteger('until').notNullable()
  },
  // The app-state settings that the session has received, to recognise those that a snapshot lacks.
  baileys_settings(table) {
    required(table).session().text('collection')
    // Index of the setting's index, which is sealed beside it: it names people and chats.
    required(table).text('setting').binary('name')
    // The version of the collection in which it was last set.
    table.bigInteger('version').notNullable()
    table.primary(['session', 'collection', 'setting'])
  },
})
