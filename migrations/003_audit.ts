import type { Knex } from 'knex'

/** The audit log was the kernel's: databases of then have run this step. Its plugin has the table now. */
export async function up(_knex: Knex): Promise<void> {}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('audit')
}
