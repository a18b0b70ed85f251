import { LENGTHS } from 'wamux/messaging'
import { gatewayError, type Static, T } from 'wamux/plugin'

const Row = T.Object({
  title: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Title of the row' }),
  desc: T.Optional(
    T.String({
      maxLength: LENGTHS.line,
      aliases: ['description'],
      description: 'Small text below the title',
    }),
  ),
  RowId: T.Optional(
    T.String({
      maxLength: LENGTHS.line,
      format: 'id',
      aliases: ['id'],
      description: 'Id that the reply contains; the title when absent',
    }),
  ),
})

const MAX_ROWS = 1000
const MAX_SECTIONS = 100

const Section = T.Object({
  title: T.Optional(T.String({ maxLength: LENGTHS.line })),
  rows: T.Array(Row, { minItems: 1, maxItems: MAX_ROWS }),
})

/** Rows, either in one list or in sections with headings. */
export const listFields = {
  List: T.Optional(
    T.Array(Row, {
      maxItems: MAX_ROWS,
      aliases: ['Rows'],
      description: 'The rows; required without Sections',
    }),
  ),
  Sections: T.Optional(
    T.Array(Section, {
      maxItems: MAX_SECTIONS,
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
