import type { Knex } from 'knex'

/** The audit log once belonged to the kernel, and databases from then have run this step. Its plugin now has the table. */
export async function up(_knex: Knex): Promise<void> {}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('audit')
}
