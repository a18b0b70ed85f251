import { type RouteBuilder, T } from 'wamux/plugin'
import type { Storage } from './storage.ts'

const Use = T.Object(
  {
    Table: T.String({ description: 'Name of the table, for example `events`; its prefix is the plugin' }),
    Rows: T.Integer(),
    Bytes: T.Integer({ description: 'Size of the stored values, without indexes' }),
  },
  { title: 'StorageUse' },
)

export const storageRoutes = <D extends { storage: Storage }>(r: RouteBuilder<D>) => [
  r.get('/session/storage', {
    summary: 'Measure the data of the session in the database',
    description:
      'By table, the largest first; tables without rows of the session are left out. All its rows are read, and millions of events take seconds: call it for one session at a time.',
    access: 'token',
    response: T.Object({ Rows: T.Integer(), Bytes: T.Integer(), Tables: T.Array(Use) }),
    async handle({ session }, { storage }) {
      const uses = await storage.of(session.id)
      const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)
      return {
        Rows: total(uses.map(({ rows }) => rows)),
        Bytes: total(uses.map(({ bytes }) => bytes)),
        Tables: uses.map(({ table, rows, bytes }) => ({ Table: table, Rows: rows, Bytes: bytes })),
      }
    },
  }),
]
