import { setTimeout as sleep } from 'node:timers/promises'
import { createSerialQueue, type Kernel, reasonOf, withTimeout } from 'wamux/plugin'
import type { NetworkChoice } from '../network/network.ts'
import type { SessionNetworks, Way } from '../network/session-networks.ts'
import type { WebVersionConfig } from './config.ts'
import { createKnownVersions, type KnownVersion } from './known-version.ts'
import { createRefusals, type VersionRefusals } from './refusals.ts'
import {
  BUILT_IN,
  compareVersions,
  type Dated,
  estimatedAt,
  parseVersion,
  textOf,
  type Version,
  versionOf,
} from './revision.ts'
import { askSources, type VersionSource } from './sources.ts'

/**
 * The version of WhatsApp Web with which links are opened. WhatsApp refuses versions that are some months old, for logins
 * and registrations, so it is looked up: once for all sessions, and once for all processes that share the database.
 */
export interface WebVersions {
  /** The version for the next link, and its origin. */
  current(): Promise<CurrentVersion>
  /**
   * The version for a link of the session. After a refusal it waits for a look-up, and then for the session's turn to log
   * in.
   */
  forLink(session: string, signal: AbortSignal): Promise<Version>
  /** A link was refused as outdated. `isLast`: it was refused before, and no further attempt follows soon. */
  refused(session: string, refused: RefusedLink): Promise<{ isLast: boolean; detail: string }>
  /** The session's link is open; never rejects. */
  opened(session: string): Promise<void>
  /** The session's link has ended. */
  closed(session: string): void
  /** The network has announced when this version ends (milliseconds since 1970), or withdrawn that (0). Never rejects. */
  announced(version: Version, at: number): Promise<void>
  /**
   * Looks the version up unless this or another process has begun to after that time (milliseconds since 1970). Resolves
   * when the look-up has ended; never rejects.
   */
  refresh(after: number, session?: string): Promise<void>
  /** Sessions that were refused and have not been open since. */
  readonly refusals: VersionRefusals
  /** Whether a link is open in this process; otherwise it needs no version. */
  isUsed(): boolean
  /** Ends running requests. */
  close(): void
}

export interface CurrentVersion {
  readonly version: Version
  readonly source: VersionSource
  /** When it was WhatsApp's current version, milliseconds since 1970; estimated if the setting gives it. */
  readonly at: number
  /** The announced end of this version; 0 without one. */
  readonly expires: number
  readonly known: KnownVersion
}

export interface RefusedLink {
  readonly version: Version
  /** Code and location of the refusal. */
  readonly detail: string
  readonly isLinked: boolean
}

export interface WebVersionsParts extends Pick<Kernel<WebVersionConfig>, 'db' | 'log' | 'config'> {
  choice: Pick<NetworkChoice, 'current' | 'site'>
  networks: Pick<SessionNetworks, 'way'>
}

/** Minimum time between two look-ups, whatever their cause. */
export const PAUSE_MS = 10 * 60_000
/** If the last look-up is older than this, the first links wait for a new one. */
const FRESH_MS = 24 * 3_600_000
/** How long the first link waits for the first look-up. */
const FIRST_MS = 5_000
/** Maximum number of ways that one look-up tries, and of sessions considered for them. */
const MAX_WAYS = 3
const MAX_ASKED = 20

export function createWebVersions({ db, log, config, choice, networks }: WebVersionsParts): WebVersions {
  const network = (): string => choice.current().name
  const known = createKnownVersions(db, network)
  const refusals = createRefusals(db, network)
  const fixed = config.webVersion === 'auto' ? undefined : parseVersion(config.webVersion)
  /** Sessions with open links; a look-up may use their ways. */
  const users = new Set<string>()
  /** Sessions refused since they were last open. */
  const outdated = new Set<string>()
  const announcements = createSerialQueue()
  const closing = new AbortController()
  let running: Promise<void> | undefined
  let first: Promise<void> | undefined
  let isLookedUp = false
  if (fixed && compareVersions(fixed, versionOf(BUILT_IN.revision)) < 0)
    log.warn({ version: config.webVersion }, 'webVersion is older than the built-in version')
  const lately = (): number => db.now() - PAUSE_MS

  async function current(): Promise<CurrentVersion> {
    const row = await known.read()
    const isNewer = row.revision >= BUILT_IN.revision
    const version = fixed ?? versionOf(isNewer ? row.revision : BUILT_IN.revision)
    const expires = row.expiresVersion === textOf(version) ? row.expires : 0
    const shared = { version, expires, known: row }
    if (fixed) return { ...shared, source: 'setting', at: estimatedAt(fixed) }
    return isNewer
      ? { ...shared, source: row.source, at: row.fetched }
      : { ...shared, source: 'built-in', at: BUILT_IN.at }
  }

  /** Uses the proxy of a session that has one: a request goes directly only if a session connects directly. */
  async function* ways(session: string | undefined): AsyncGenerator<Way> {
    const seen = new Set<string>()
    const asked = [...new Set([...(session ? [session] : []), ...users])].slice(0, MAX_ASKED)
    for (const one of asked) {
      const way = await networks.way(one).catch(() => undefined)
      if (!way || seen.has(way.id)) continue
      seen.add(way.id)
      yield way
      if (seen.size === MAX_WAYS) return
    }
  }

  async function lookUp(after: number, session: string | undefined): Promise<void> {
    const { signal } = closing
    try {
      if (!(await known.begin(after))) return await known.settled(signal)
      const before = await known.read()
      const last: Dated =
        before.revision >= BUILT_IN.revision ? { revision: before.revision, at: before.fetched } : BUILT_IN
      const found = await askSources(choice.site(), ways(session), last, { now: db.now(), signal })
      if (signal.aborted) return
      await known.end(found, (revision) => textOf(versionOf(revision)))
      if ('problem' in found)
        log.warn({ problem: found.problem }, 'look-up of the WhatsApp Web version failed, the last one stays')
      else if (found.revision !== before.revision)
        log.info(
          { version: textOf(versionOf(found.revision)), source: found.source },
          'new WhatsApp Web version found',
        )
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: reasonOf(error) }, 'look-up of the WhatsApp Web version failed')
    }
  }

  function refresh(after: number, session?: string): Promise<void> {
    if (fixed) return Promise.resolve()
    running ??= lookUp(after, session).finally(() => {
      running = undefined
    })
    return running
  }

  /**
   * Looks the version up once after the start. If the stored one is old, the first links wait for that, since they would be
   * refused.
   */
  async function lookUpFirst(session: string): Promise<void> {
    if (isLookedUp) return
    const { fetched } = await known.read()
    first ??= refresh(lately(), session).then(() => {
      isLookedUp = true
    })
    if (db.now() - fetched > FRESH_MS) await withTimeout(first, FIRST_MS, () => undefined)
  }

  /** Every link gets the notice. */
  async function announce(version: Version, at: number): Promise<void> {
    const text = textOf(version)
    const now = await current()
    // A notice for an older version says nothing about the next links.
    if (compareVersions(version, now.version) !== 0 || now.expires === at) return
    await known.announce(text, at)
    if (at === 0) return log.info({ version: text }, 'WhatsApp withdraws the end of the version')
    log.warn({ version: text, ends: new Date(at) }, 'WhatsApp announces the end of the version')
    void refresh(lately())
  }

  return {
    current,
    refresh,
    refusals,
    isUsed: () => users.size > 0,
    closed: (session) => void users.delete(session),
    async forLink(session, signal) {
      const refusal = await refusals.find(session)
      if (!refusal) {
        await lookUpFirst(session)
        return (await current()).version
      }
      outdated.add(session)
      const { count, isLinked } = refusal
      if (refusal.turn === 0) await refresh(lately(), session)
      signal.throwIfAborted()
      const spread = count === 1 && isLinked && refusal.turn === 0 ? config.outdatedSpreadMs : 0
      const isWaiting = refusal.turn > db.now()
      const turn = isWaiting ? refusal.turn : await refusals.takeTurn(session, spread)
      await sleep(Math.max(0, turn - db.now()), undefined, { signal })
      return (await current()).version
    },
    async refused(session, { version, detail: where, isLinked }) {
      const text = textOf(version)
      outdated.add(session)
      const isLast = (await refusals.add(session, text, isLinked)) > 1
      const detail = `WhatsApp refuses version ${text} (${where})`
      if (!isLast) return { isLast, detail }
      if (fixed) return { isLast, detail: `${detail}, given by the setting webVersion` }
      // After a first refusal, the next link does this.
      await refresh(lately(), session)
      const { problem } = (await current()).known
      return { isLast, detail: problem ? `${detail}; the look-up of a newer one failed: ${problem}` : detail }
    },
    async opened(session) {
      users.add(session)
      if (!outdated.has(session)) return
      try {
        await refusals.remove(session)
        outdated.delete(session)
      } catch (error) {
        log.warn({ session, reason: reasonOf(error) }, 'removal of an earlier version refusal failed')
      }
    },
    announced: (version, at) =>
      announcements
        .run(() => announce(version, at))
        .catch((error: unknown) => {
          log.warn({ reason: reasonOf(error) }, 'storing the announced end of the version failed')
        }),
    close: () => closing.abort(),
  }
}
