import type { PluginDb, Row, Vault, Write } from 'wamux/plugin'

export interface QuickReply {
  readonly ID: string
  /** What is typed after the slash. */
  readonly Shortcut: string
  readonly Message: string
  readonly Keywords: string[]
  /** How often it was used, as its devices count. */
  readonly Count: number
}

/** The quick replies of an account as its devices share them; sealed rows, looked up by id. */
export interface QuickReplies {
  record(session: string, reply: QuickReply): Write
  remove(session: string, id: string): Write
  /** Without those of a former account. */
  forget(session: string): Write
  /** By shortcut. */
  all(session: string): Promise<QuickReply[]>
  find(session: string, id: string): Promise<QuickReply | undefined>
}

const KEY = ['session', 'reply'] as const

export function createQuickReplies({ db, vault }: { db: PluginDb; vault: Vault }): QuickReplies {
  const rowOf = (session: string, id: string) => ({
    session,
    reply: vault.index(session, 'business_quick_replies/reply', id),
  })
  const placeOf = (reply: string): string => `business_quick_replies/${reply}`
  const open = ({ session, reply, content }: Row): QuickReply =>
    JSON.parse(vault.open(String(session), placeOf(String(reply)), content as Buffer).toString())
  const rowsOf = (session: string) => db.read<Row>(db.table('quick_replies')).where({ session })

  return {
    record(session, reply) {
      const row = rowOf(session, reply.ID)
      const content = vault.seal(session, placeOf(row.reply), JSON.stringify(reply))
      return db.put('quick_replies', KEY, [{ ...row, content }])
    },
    remove: (session, id) => db.remove('quick_replies', KEY, [rowOf(session, id)]),
    forget: (session) => db.remove('quick_replies', ['session'], [{ session }]),
    all: async (session) =>
      (await rowsOf(session)).map(open).sort((a, b) => (a.Shortcut < b.Shortcut ? -1 : 1)),
    async find(session, id) {
      const row = await rowsOf(session).where(rowOf(session, id)).first()
      return row && open(row)
    },
  }
}
