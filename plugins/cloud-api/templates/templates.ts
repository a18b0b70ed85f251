import { createHash } from 'node:crypto'
import type { Kernel, Row } from 'wamux/plugin'

/** A message template in Graph's form. */
export interface Template {
  readonly name: string
  readonly language: string
  readonly category: string
  readonly parameter_format?: string | undefined
  readonly components: readonly TemplateComponent[]
}

export interface TemplateComponent {
  readonly type: string
  readonly format?: string
  readonly text?: string
  readonly buttons?: readonly TemplateButton[]
}

export interface TemplateButton {
  readonly type: string
  readonly text?: string
  readonly url?: string
  readonly phone_number?: string
}

/** The templates of each session. They need no approval and can be used at once. */
export interface Templates {
  put(session: string, template: Template): Promise<void>
  list(session: string): Promise<Template[]>
  find(session: string, name: string, language: string): Promise<Template | undefined>
  /** Deletes all its languages; resolves with their number. */
  remove(session: string, name: string): Promise<number>
}

export function createTemplates({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): Templates {
  const placeOf = ({ name, language }: { name: unknown; language: unknown }): string =>
    `cloud_api_templates/${String(name)}/${String(language)}`
  const table = db.table('templates')
  const open = (session: string, row: Row): Template =>
    JSON.parse(
      vault
        .open(session, placeOf({ name: row['name'], language: row['language'] }), row['template'] as Buffer)
        .toString(),
    )
  return {
    async put(session, template) {
      const { name, language } = template
      const sealed = vault.seal(session, placeOf(template), JSON.stringify(template))
      await db.write([
        db.put('templates', ['session', 'name', 'language'], [{ session, name, language, template: sealed }]),
      ])
    },
    async list(session) {
      const rows = await db.read<Row>(table).where({ session }).orderBy(['name', 'language'])
      return rows.map((row: Row) => open(session, row))
    },
    async find(session, name, language) {
      const row = await db.read<Row>(table).where({ session, name, language }).first()
      return row && open(session, row)
    },
    remove: (session, name) => db.transact((trx) => trx(table).where({ session, name }).del(), { session }),
  }
}

/** Digits only, and the same for the same template. */
export function templateIdOf({ name, language }: Pick<Template, 'name' | 'language'>): string {
  const hash = createHash('sha256').update(`${name} ${language}`).digest()
  return (hash.readBigUInt64BE() % 10n ** 15n).toString().padStart(15, '1')
}
