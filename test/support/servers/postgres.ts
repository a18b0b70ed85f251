import { connected } from '../databases.ts'

/** A database of its own on the server that TEST_DATABASE_URL names, for commands that take an address. */
export interface OwnDatabase {
  readonly url: string
  drop(): Promise<void>
}

export const NO_SERVER = 'set TEST_DATABASE_URL to a PostgreSQL server: postgres://user@host:5432/database'

let count = 0

export async function createPostgres(server: string | undefined): Promise<OwnDatabase> {
  if (!server) throw new Error(NO_SERVER)
  count += 1
  const name = `wamux_own_${process.pid}_${count}`
  const admin = connected(server)
  await admin.raw('DROP DATABASE IF EXISTS ?? WITH (FORCE)', [name])
  await admin.raw('CREATE DATABASE ??', [name])
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      await admin.raw('DROP DATABASE IF EXISTS ?? WITH (FORCE)', [name])
      await admin.destroy()
    },
  }
}
