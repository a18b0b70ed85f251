import type { GatewayServices, PluginDb, Row, Vault, Write } from 'wamux/plugin'

interface Deps {
  db: PluginDb
  vault: Vault
  messageSecrets: GatewayServices['messageSecrets']
}

/** Rows moved in one commit. */
const BATCH = 200
const POLL_DAYS_MS = 90 * 24 * 3_600_000

/**
 * Moves poll keys to the driver, which keeps the secrets of all messages; earlier this plugin kept those of polls. The table
 * is empty afterwards. Several processes may run this at the same time.
 */
export function createOldPolls({ db, vault, messageSecrets }: Deps): { move(): Promise<void> } {
  function adopted(row: Row): Write[] {
    const [session, message] = [String(row['session']), String(row['message'])]
    const place = `messages_polls/${message}`
    const kept = JSON.parse(vault.open(session, place, row['poll'] as Buffer).toString()) as {
      authors: string[]
      question: string
      options: string[]
      secret: string
    }
    const { authors, question, options, secret } = kept
    const until = Number(row['logged']) + POLL_DAYS_MS
    const secrets = [Buffer.from(secret, 'base64')]
    const poll = { question, options }
    return [messageSecrets.adopt(session, { message, chat: '', authors, secrets, poll, until })]
  }

  return {
    async move() {
      for (;;) {
        const rows: Row[] = await db.read<Row>(db.table('polls')).limit(BATCH)
        if (rows.length === 0) return
        const keys = rows.map(({ session, message, authors }) => ({ session, message, authors }))
        const done = db.remove('polls', ['session', 'message', 'authors'], keys)
        await db.write([...rows.flatMap(adopted), done], { isFromAnyNode: true })
      }
    },
  }
}
