import { FENCED_STATE, type Migration } from 'wamux/plugin'

const leases: Migration = {
  async up(knex) {
    await knex.schema.createTable('cluster_nodes', (table) => {
      // Identifies one process: a restarted node has a new id.
      table.text('id').primary()
      table.text('name').notNullable()
      table.text('url').notNullable()
      table.text('version').notNullable()
      table.timestamp('started').notNullable().defaultTo(knex.fn.now())
      table.timestamp('heartbeat').notNullable().defaultTo(knex.fn.now())
      table.boolean('draining').notNullable().defaultTo(false)
    })
    await knex.schema.createTable('cluster_leases', (table) => {
      table.text('session').primary().references('id').inTable('sessions').onDelete('CASCADE')
      // Null if nobody has it.
      table.text('node')
      // Grows with each owner.
      table.bigInteger('epoch').notNullable()
      table.timestamp('expires').notNullable().defaultTo(knex.fn.now())
      // For a session handed over: the node that may claim it before `expires`.
      table.text('desired')
      table.index(['node'])
    })
    // The plugin refuses SQLite at its start.
    if (knex.client.dialect !== 'postgresql') return
    await knex.raw(fenceFunction(''))
  },
  async down(knex) {
    if (knex.client.dialect === 'postgresql')
      await knex.raw('DROP FUNCTION IF EXISTS cluster_fence(text, text, text)')
    await knex.schema.dropTableIfExists('cluster_leases')
    await knex.schema.dropTableIfExists('cluster_nodes')
  },
}

/** Most transactions have one session, for which a look-up by key takes a third of the time of join and sort. */
const ONE_SESSION = `
  IF position(',' IN sessions) = 0 THEN
    PERFORM 1 FROM cluster_leases l
      WHERE l.session = sessions AND l.epoch = epochs::bigint AND l.node = owner FOR SHARE;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;`

const oneSession: Migration = {
  async up(knex) {
    if (knex.client.dialect === 'postgresql') await knex.raw(fenceFunction(ONE_SESSION))
  },
  async down(knex) {
    if (knex.client.dialect === 'postgresql') await knex.raw(fenceFunction(''))
  },
}

/** A value that each node seals under its active master key: a node that can't decrypt it refuses to start. */
const keyCheck: Migration = {
  async up(knex) {
    await knex.schema.alterTable('cluster_nodes', (table) => {
      table.binary('key_check')
    })
  },
  async down(knex) {
    await knex.schema.alterTable('cluster_nodes', (table) => {
      table.dropColumn('key_check')
    })
  },
}

/** Called by the fence statement if there is no such lease. Nodes of the previous version still call `cluster_fence`. */
const notOwned: Migration = {
  async up(knex) {
    if (knex.client.dialect !== 'postgresql') return
    await knex.raw(`
      CREATE FUNCTION cluster_not_owned() RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RAISE EXCEPTION 'not the owner' USING ERRCODE = '${FENCED_STATE}';
      END $$`)
  },
  async down(knex) {
    if (knex.client.dialect === 'postgresql') await knex.raw('DROP FUNCTION IF EXISTS cluster_not_owned()')
  },
}

/**
 * The lease of each node: valid until the latest of its rows. Without a key, so that a renewal is an insertion, which waits
 * for no lock. The leases of sessions that it claims have the time `infinity`, and last as long as its own.
 */
const nodeLease: Migration = {
  async up(knex) {
    await knex.schema.createTable('cluster_renewals', (table) => {
      table.text('node').notNullable()
      table.timestamp('expires').notNullable()
      table.index(['node'])
    })
  },
  async down(knex) {
    // Nodes of the previous version then claim what nobody renews.
    await knex('cluster_leases').where({ expires: 'infinity' }).update({ expires: knex.fn.now() })
    await knex.schema.dropTableIfExists('cluster_renewals')
  },
}

export const migrations: Record<string, Migration> = {
  '001_leases': leases,
  '002_key_check': keyCheck,
  '003_one_session': oneSession,
  '004_not_owned': notOwned,
  '005_node_lease': nodeLease,
}

/**
 * Fails unless the node has all leases in its epochs; locks them until the transaction ends. Locks are acquired in the order
 * of the sessions, like in the renewal.
 */
function fenceFunction(first: string): string {
  return `
    CREATE OR REPLACE FUNCTION cluster_fence(owner text, sessions text, epochs text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE held integer;
    BEGIN
      ${first}
      PERFORM 1 FROM cluster_leases l
        JOIN unnest(string_to_array(sessions, ','), string_to_array(epochs, ',')::bigint[]) AS own(session, epoch)
          ON l.session = own.session AND l.epoch = own.epoch
        WHERE l.node = owner ORDER BY l.session FOR SHARE OF l;
      GET DIAGNOSTICS held = ROW_COUNT;
      IF held <> array_length(string_to_array(sessions, ','), 1) THEN
        RAISE EXCEPTION 'not the owner' USING ERRCODE = '${FENCED_STATE}';
      END IF;
    END $$`
}
