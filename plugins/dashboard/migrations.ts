import type { Migration } from 'wamux/plugin'

const logins: Migration = {
  async up(knex) {
    await knex.schema.createTable('dashboard_logins', (table) => {
      // SHA-256 (hex) of the cookie, which has 256 random bits.
      table.text('id').primary()
      // The sealed token of the login.
      table.binary('credential').notNullable()
      // Milliseconds since 1970.
      table.bigInteger('expires_at').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('dashboard_logins')
  },
}

export const migrations: Record<string, Migration> = { '001_logins': logins }
