import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('audit', (table) => {
    // One more than the row before: a gap shows.
    table.bigInteger('seq').primary()
    table.text('time').notNullable().index()
    table.text('actor').notNullable()
    table.text('address').notNullable()
    table.text('action').notNullable()
    table.text('target').notNullable()
    table.text('result').notNullable()
    table.text('request').notNullable()
    // Hash of the row before.
    table.text('before').notNullable()
    table.text('hash').notNullable()
  })
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('audit')
}
