import type { Knex } from 'knex'

/** The name in `cursors` of rows that record up to which seq lines of a session were dropped. */
const DROPPED = '(retention) '

export async function up(knex: Knex): Promise<void> {
  // The cursor of a consumer in one session; without one, its row in `cursors` applies, which used to be the only one.
  await knex.schema.createTable('lanes', (table) => {
    table.text('consumer').notNullable()
    // No foreign key: a cursor written while its session is deleted must not fail the other writes of the commit.
    table.text('session').notNullable()
    table.bigInteger('seq').notNullable()
    table.primary(['consumer', 'session'])
  })
  const dropped = knex('cursors').where('consumer', 'like', `${DROPPED}%`)
  await knex('lanes').insert(
    dropped
      .clone()
      .select(knex.raw('?', [DROPPED.trim()]), knex.raw('substr(consumer, ?)', [DROPPED.length + 1]), 'seq'),
  )
  await dropped.del()
  await knex.schema.createTable('dead_letters', (table) => {
    table.text('consumer').notNullable()
    table.text('session').notNullable()
    table.bigInteger('seq').notNullable().references('seq').inTable('events').onDelete('CASCADE')
    // Sealed: a plugin's error may quote its input.
    table.binary('error').notNullable()
    table.integer('attempts').notNullable()
    // Milliseconds since 1970.
    table.bigInteger('time').notNullable()
    table.primary(['seq', 'consumer'])
  })
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('dead_letters')
  const rows = await knex('lanes').where({ consumer: DROPPED.trim() })
  const dropped = rows.map(({ session, seq }) => ({ consumer: DROPPED + session, seq }))
  if (dropped.length > 0) await knex('cursors').insert(dropped)
  await knex.schema.dropTable('lanes')
}
