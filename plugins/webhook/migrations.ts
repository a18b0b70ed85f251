import { firstTables, partialIndex, required, sessionColumn } from 'wamux/plugin'

const PENDING = `state = 'pending'`
const DEAD = `state = 'dead'`
const REFUSED = 'NOT accepted'

export const migrations = firstTables({
  webhook_endpoints(table) {
    table.text('id').primary()
    // Null for those of all sessions.
    sessionColumn(table)
    // The session's own webhook, whose address and classes are in the session's row.
    table.boolean('first').notNullable()
    // Sealed, like the secrets.
    required(table).binary('url').text('format', 'subscribe')
    // JSON: the names of the format's events; null for those that it sends by default.
    table.text('events')
    // native, unsupported or none; null for the default of the format.
    table.text('edits')
    required(table).binary('secret', 'old_secret').bigInteger('old_until')
    // active, disabled, gone
    required(table).text('state').binary('reason')
    // The first failure after the last success; 0 for none.
    table.bigInteger('failing_since').notNullable()
    // Sealed JSON, null for none: they name chats, contain credentials, and texts that may be confidential.
    for (const column of ['filter', 'headers', 'transform']) table.binary(column)
    table.boolean('include_token').notNullable().defaultTo(false)
    // Whether a key has set the endpoint.
    table.boolean('by_key').notNullable().defaultTo(false)
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
    // JSON: the indexes of the bodies not accepted yet; null for all of them.
    table.text('parts')
    table.integer('attempts').notNullable()
    // Position in the retry schedule.
    required(table).integer('step').bigInteger('next_at', 'entered')
    // The last attempt, null before the first: its time and duration, and its status or error, of the address only the host.
    table.bigInteger('at')
    table.integer('ms')
    table.text('last').notNullable()
    table.primary(['seq', 'endpoint'])
    partialIndex(table, knex, 'webhook_pending', ['endpoint', 'seq'], PENDING)
    partialIndex(table, knex, 'webhook_lanes', ['endpoint', 'lane', 'seq'], PENDING)
    partialIndex(table, knex, 'webhook_dead', ['endpoint', 'seq'], DEAD)
  },
  webhook_attempts(table, knex) {
    required(table).bigInteger('seq').text('endpoint').bigInteger('at').integer('ms')
    // Number of the attempt, from 1; a replay restarts the count.
    required(table).integer('attempt').text('last').boolean('accepted')
    // Sealed: answers may quote the request.
    table.binary('head')
    table.primary(['seq', 'endpoint', 'at'])
    table
      .foreign(['seq', 'endpoint'])
      .references(['seq', 'endpoint'])
      .inTable('webhook_deliveries')
      .onDelete('CASCADE')
    // The list of failures: of all endpoints, and of some.
    partialIndex(table, knex, 'webhook_failures', ['at'], REFUSED)
    partialIndex(table, knex, 'webhook_endpoint_failures', ['endpoint', 'at'], REFUSED)
  },
})
