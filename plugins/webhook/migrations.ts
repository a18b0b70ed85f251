import type { Migration } from 'wamux/plugin'

const deliveries: Migration = {
  async up(knex) {
    await knex.schema.createTable('webhook_deliveries', (table) => {
      table.bigInteger('seq').primary()
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('event').notNullable()
      table.text('lane').notNullable()
      table.text('type').notNullable()
      table.text('time').notNullable()
      table.text('body').notNullable()
      // pending, done, dead
      table.text('state').notNullable()
      table.integer('attempts').notNullable()
      table.bigInteger('next_at').notNullable()
      table.text('last').notNullable()
      table.index(['state', 'seq'])
      table.index(['lane', 'state', 'seq'])
    })
    await knex.schema.createTable('webhook_secrets', (table) => {
      table.text('session').primary().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('secret').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('webhook_secrets')
    await knex.schema.dropTable('webhook_deliveries')
  },
}

export const migrations: Record<string, Migration> = { '001_deliveries': deliveries }
