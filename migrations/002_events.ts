import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('events', (table) => {
    table.bigIncrements('seq')
    table.text('id').notNullable().unique()
    table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
    table.text('class').notNullable()
    table.text('type').notNullable()
    table.text('lane').notNullable()
    table.text('time').notNullable()
    table.binary('body').notNullable()
    // Milliseconds since 1970; retention uses it.
    table.bigInteger('logged').notNullable()
    table.index(['session', 'seq'])
    table.index(['logged'])
  })
  await knex.schema.createTable('cursors', (table) => {
    table.text('consumer').primary()
    table.bigInteger('seq').notNullable()
  })
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('cursors')
  await knex.schema.dropTable('events')
}
