import {
  createInterval,
  type Interval,
  type Log,
  type PluginDb,
  type Row,
  type Vault,
  type Write,
} from 'wamux/plugin'

/** An own status post. */
export interface Post {
  readonly id: string
  /** Kind of its content, for example `image`. */
  readonly type: string
  readonly text: string
  /** Whom it was sent to, without the account itself; absent for a post of another device, which does not tell it. */
  readonly audience?: readonly string[]
  /** Milliseconds since 1970. */
  readonly posted: number
}

/** Somebody who saw an own post. */
interface View {
  readonly jid: string
  /** The other form, phone or LID; '' if unknown. */
  readonly alt: string
  /** RFC 3339. */
  readonly time: string
}

/** Own posts of the last day and who saw them, and which posts of others the account has seen. */
export interface Posts {
  add(session: string, post: Post): Write
  remove(session: string, id: string): Write
  /** Posts that are shown now, newest first. */
  shown(session: string): Promise<Post[]>
  /** undefined if it is not shown any more, or was deleted. */
  find(session: string, id: string): Promise<Post | undefined>
  /** Records the first view of each person. */
  seen(session: string, id: string, view: View): Write
  seenBySelf(session: string, ids: readonly string[], time: string): Write
  views(session: string, id: string): Promise<View[]>
  /** Those of the posts of others that the account has seen on any device. */
  seenHere(session: string, ids: readonly string[]): Promise<ReadonlySet<string>>
}

export const DAY_MS = 24 * 3_600_000
const SELF = ''
/** As long as a view may arrive after its post has ended. */
const KEPT_MS = 3 * DAY_MS
/** Above what an account may post in a day. */
const MAX_POSTS = 500
/** An own post reaches at most so many people. */
const MAX_VIEWS = 50_000

const VIEW_KEY = ['session', 'message', 'viewer'] as const

export function createPosts({ db, vault }: { db: PluginDb; vault: Vault }): Posts {
  const placeOf = (table: 'posts' | 'views', message: string): string => `status_${table}/${message}`
  const open = (table: 'posts' | 'views', row: Row): unknown => {
    const { session, message, content } = row
    return JSON.parse(
      vault.open(String(session), placeOf(table, String(message)), content as Buffer).toString(),
    )
  }
  const viewRow = (session: string, message: string, viewer: string, view: object): Row => ({
    session,
    message,
    viewer,
    content: vault.seal(session, placeOf('views', message), JSON.stringify(view)),
    logged: db.now(),
  })
  const toPost = (row: Row): Post => ({
    ...(open('posts', row) as Post),
    id: String(row['message']),
    posted: Number(row['posted']),
  })
  const shownRows = (session: string) =>
    db
      .read<Row>(db.table('posts'))
      .where({ session })
      .where('posted', '>', db.now() - DAY_MS)

  return {
    add(session, { id, posted, ...content }) {
      const sealed = vault.seal(session, placeOf('posts', id), JSON.stringify(content))
      return db.add('posts', ['session', 'message'], [{ session, message: id, content: sealed, posted }])
    },
    remove: (session, id) => db.remove('posts', ['session', 'message'], [{ session, message: id }]),
    async shown(session) {
      const rows = await shownRows(session).orderBy('posted', 'desc').limit(MAX_POSTS)
      return rows.map(toPost)
    },
    async find(session, id) {
      const row = await shownRows(session).where({ message: id }).first()
      return row && toPost(row)
    },
    seen: (session, id, view) =>
      db.add('views', VIEW_KEY, [
        viewRow(session, id, vault.index(session, 'status_views/viewer', view.jid), view),
      ]),
    seenBySelf: (session, ids, time) =>
      db.add(
        'views',
        VIEW_KEY,
        ids.map((id) => viewRow(session, id, SELF, { time })),
      ),
    async views(session, id) {
      const query = db.read<Row>(db.table('views')).where({ session, message: id }).whereNot('viewer', SELF)
      const rows = await query.orderBy('logged').limit(MAX_VIEWS)
      return rows.map((row) => open('views', row) as View)
    },
    async seenHere(session, ids) {
      const query = db.read<Row>(db.table('views')).select('message').where({ session, viewer: SELF })
      const rows = await query.whereIn('message', [...ids])
      return new Set(rows.map(({ message }) => String(message)))
    },
  }
}

/** Deletes what has ended, at start and every hour. */
export function createPruning({ db, log }: { db: PluginDb; log: Log }): Interval {
  async function prune(): Promise<void> {
    await db.prune('posts', (query) => query.where('posted', '<', db.now() - KEPT_MS))
    await db.prune('views', (query) => query.where('logged', '<', db.now() - KEPT_MS))
  }
  return createInterval(3_600_000, prune, (error) =>
    log.error({ err: error }, 'deleting old status posts failed'),
  )
}
