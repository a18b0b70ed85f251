import { gatewayError, type Static, T } from 'wamux/plugin'

const Row = T.Object({
  title: T.String({ minLength: 1, description: 'What it says' }),
  desc: T.Optional(T.String({ aliases: ['description'], description: 'Small line below' })),
  RowId: T.Optional(
    T.String({
      format: 'id',
      aliases: ['id'],
      description: 'What the answer carries; the title when absent',
    }),
  ),
})

/** Rows, either in one stretch or under headings. */
export const listFields = {
  List: T.Optional(T.Array(Row, { aliases: ['Rows'], description: 'The rows; needed without Sections' })),
  Sections: T.Optional(
    T.Array(T.Object({ title: T.Optional(T.String()), rows: T.Array(Row, { minItems: 1 }) }), {
      description: 'Rows under headings, instead of List',
    }),
  ),
}

interface Given {
  TopText: string
  List?: Static<typeof Row>[]
  Sections?: { title?: string; rows: Static<typeof Row>[] }[]
}

/** The sections of a `single_select` button. Throws FIELD_MISSING for a list without rows. */
export function toSections({ TopText, List, Sections }: Given): Record<string, unknown>[] {
  const sections = Sections?.length ? Sections : [{ title: TopText, rows: List ?? [] }]
  if (sections.every(({ rows }) => rows.length === 0)) throw gatewayError('FIELD_MISSING', ['List'])
  return sections.map(({ title = '', rows }) => ({
    title,
    rows: rows.map((row) => ({
      title: row.title,
      description: row.desc ?? '',
      id: row.RowId || row.title,
    })),
  }))
}
