import { randomBytes } from 'node:crypto'
import { type GatewayServices, gatewayError, type Kernel, type Write } from 'wamux/plugin'
import type { IssuesConfig } from './config.ts'
import type { IssueState } from './events.ts'
import { idsOf, type Occurrence, type Occurrences, TABLE } from './occurrences.ts'

/** Queues what the operator's address learns: each issue when it opens, and when it closes. */
export interface Announcer {
  /** Throws FIELD_INVALID for an address that can't be used. */
  check(): void
  /** Queues what is not announced yet. One process does it for all. */
  announce(): Promise<void>
}

/** The data of a job: what one request says. */
export interface AnnouncementPost {
  readonly state: IssueState
  /** Occurrences of the same cause and subject. */
  readonly ids: readonly string[]
}

interface Deps extends Pick<Kernel<IssuesConfig>, 'config' | 'db'> {
  httpClient?: GatewayServices['httpClient'] | undefined
  jobs?: GatewayServices['jobs'] | undefined
  webhooks?: GatewayServices['webhooks'] | undefined
  occurrences: Occurrences
}

/** The queue that posts them, with its name in the plugin. */
export const QUEUE = 'posts'
const MAX_IDS = 500
/** For how long a dead letter can be requeued. */
const KEEP_MS = 30 * 86_400_000

export function createAnnouncer(deps: Deps): Announcer {
  const { config, db, jobs, httpClient, webhooks, occurrences } = deps

  /** Occurrences that are read no more. */
  function past({ closed, posted }: Occurrence): boolean {
    if (posted === 'closed') return closed < db.now() - KEEP_MS
    return closed > 0 && config.url === ''
  }

  /** Commits the job with what it announces; not if another process has done so meanwhile. */
  function queue({ state, ids }: AnnouncementPost, job: Write): Promise<void> {
    return db.transact(async (trx) => {
      const rows = trx(db.table(TABLE)).whereIn('id', [...ids])
      const changed = await rows.whereNot({ posted: state }).update({ posted: state })
      if (changed < ids.length) throw new Error('another process has announced it')
      await trx(job.table).insert([...job.rows])
    })
  }

  return {
    check() {
      if (!config.url) return
      if (!httpClient || !jobs || !webhooks)
        throw gatewayError('FIELD_INVALID', ['url', 'needs the plugins http-client, jobs and webhook'])
      httpClient.check('url', config.url)
    },
    async announce() {
      const all = await occurrences.list()
      const old = all.filter(past)
      if (old.length > 0) await db.write([occurrences.remove(idsOf(old))])
      if (!config.url || !jobs) return
      const { joined, posts } = due(all)
      if (joined.length > 0) await db.write([occurrences.joined(joined)])
      for (const [lane, post] of posts) {
        const id = `iss_${randomBytes(16).toString('base64url')}`
        // A lane keeps the end of an issue behind its begin.
        await queue(post, jobs.write(`issues.${QUEUE}`, { id, lane, data: post }))
      }
    },
  }
}

interface Due {
  /** Occurrences of issues that are announced as open already, by another process. */
  readonly joined: Occurrence[]
  /** Posts with their lanes. */
  readonly posts: [lane: string, post: AnnouncementPost][]
}

/** One post of all issues that have the same cause and subject, and opened or closed since the last time. */
function due(all: readonly Occurrence[]): Due {
  const joined: Occurrence[] = []
  const posts = new Map<string, { lane: string; state: IssueState; ids: string[] }>()
  for (const same of byIssue(all).values()) {
    const [{ cause, subject, session }] = same
    const isOpen = same.some(({ closed }) => closed === 0)
    const isAnnounced = same.some(({ posted }) => posted === 'opened')
    if (isOpen && isAnnounced) {
      joined.push(...same.filter(({ posted }) => posted === 'nothing'))
      continue
    }
    // One that has closed unnoticed is announced as open first, and as closed the next time.
    const state = isAnnounced ? 'closed' : 'opened'
    const lane = JSON.stringify([cause, subject])
    const key = JSON.stringify([lane, state, session === ''])
    const post = posts.get(key) ?? { lane, state, ids: [] }
    posts.set(key, post)
    post.ids.push(...idsOf(same))
  }
  return {
    joined,
    posts: [...posts.values()].flatMap(({ lane, state, ids }) =>
      inParts(ids).map((part): [string, AnnouncementPost] => [lane, { state, ids: part }]),
    ),
  }
}

type Some = [Occurrence, ...Occurrence[]]

/** Those whose end is not announced, by cause, subject and session. */
function byIssue(all: readonly Occurrence[]): Map<string, Some> {
  const found = new Map<string, Some>()
  for (const one of all) {
    if (one.posted === 'closed') continue
    const key = JSON.stringify([one.cause, one.subject, one.session])
    const same = found.get(key)
    if (same) same.push(one)
    else found.set(key, [one])
  }
  return found
}

function inParts(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / MAX_IDS)
  return Array.from({ length: count }, (_, index) => ids.slice(index * MAX_IDS, (index + 1) * MAX_IDS))
}
