import { defineTables, FENCED_STATE, type Migration, required } from 'wamux/plugin'

const tables = defineTables({
  cluster_nodes(table, knex) {
    // Identifies one process: a restarted node has a new id.
    table.text('id').primary()
    required(table).text('name', 'url', 'version')
    table.timestamp('started').notNullable().defaultTo(knex.fn.now())
    table.timestamp('heartbeat').notNullable().defaultTo(knex.fn.now())
    table.boolean('draining').notNullable().defaultTo(false)
    // Sealed by each node under its active master key: a node that can't decrypt it refuses to start.
    table.binary('key_check')
  },
  cluster_leases(table, knex) {
    table.text('session').primary().references('id').inTable('sessions').onDelete('CASCADE')
    // Null if nobody has it.
    table.text('node')
    // Grows with each owner.
    table.bigInteger('epoch').notNullable()
    // For a session handed over: the node that alone may claim it, and until when.
    table.text('desired')
    table.timestamp('reserved').notNullable().defaultTo(knex.fn.now())
    table.index(['node'])
  },
  // The lease of each node: valid until the latest of its rows. Without a key, so that a renewal is an insertion, which waits
  // for no lock.
  cluster_renewals(table) {
    table.text('node').notNullable()
    table.timestamp('expires').notNullable()
    table.index(['node'])
  },
})

/** Called by the fence statement if there is no such lease. */
const NOT_OWNED = `
  CREATE FUNCTION cluster_not_owned() RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RAISE EXCEPTION 'not the owner' USING ERRCODE = '${FENCED_STATE}';
  END $$`

export const migrations: Record<string, Migration> = {
  '001_tables': {
    async up(knex) {
      await tables.up(knex)
      // The plugin refuses SQLite at its start.
      if (knex.client.dialect === 'postgresql') await knex.raw(NOT_OWNED)
    },
    async down(knex) {
      if (knex.client.dialect === 'postgresql') await knex.raw('DROP FUNCTION IF EXISTS cluster_not_owned()')
      await tables.down(knex)
    },
  },
}
