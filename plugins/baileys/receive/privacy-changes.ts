import type { BinaryNode } from '@whiskeysockets/baileys'
import { coalesce, type Events, type Log, reasonOf } from 'wamux/plugin'
import { getBinaryNodeChild } from '../baileys.ts'
import type { StoredCreds } from '../protocol/credentials.ts'

export interface PrivacyChangeParts {
  session: string
  creds: StoredCreds
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  /** Queries the privacy settings. */
  privacy(): Promise<ReadonlyMap<string, string>>
  events: Pick<Events, 'raise'>
  log: Log
}

/** Follows changes of the account's privacy settings on its other devices. */
export interface PrivacyChanges {
  /** Notes the announcement of a change; resolves when that is committed. */
  announced(stanza: BinaryNode): Promise<void> | undefined
  /** Queries the settings if an earlier link could not do so after an announcement. */
  resume(): void
  stop(): void
}

/** As zapo does (protocol/defaults.ts PRIVACY_ACCOUNT_SYNC_DEBOUNCE_MS). */
const QUIET_MS = 1_000
const RETRY = { first: 5_000, most: 300_000 }

/**
 * The network announces each change (`account_sync` with `privacy`), and names in it only what has changed. The settings are
 * queried once for a burst of announcements, a second after the last one (zapo 1.7.0 WaPrivacyCoordinator.ts), and
 * `privacy.settings` is raised with all of them. An announcement during a query leads to a further one.
 *
 * The announcement is stored until the signal is committed, so that no change is lost with the link or the process.
 */
export function createPrivacyChanges(parts: PrivacyChangeParts): PrivacyChanges {
  const { session, creds, save, privacy, events, log } = parts
  const reading = coalesce(read, {
    retry: RETRY,
    onError(error) {
      // The next link reads them.
      if (!reading.isStopped) log.warn({ session, reason: reasonOf(error) }, 'privacy settings not read')
    },
  })

  async function read(): Promise<void> {
    const announcement = creds.privacyAnnouncement
    if (announcement === undefined) return
    const settings = await privacy()
    if (reading.isStopped) return
    await events.raise(session, 'privacy.settings', { id: announcement, settings })
    if (creds.privacyAnnouncement !== announcement) return
    creds.privacyAnnouncement = undefined
    await save()
  }

  return {
    announced(stanza) {
      const { type, id = '' } = stanza.attrs
      if (type !== 'account_sync' || !getBinaryNodeChild(stanza, 'privacy')) return undefined
      creds.privacyAnnouncement = id
      reading.requestAt(Date.now() + QUIET_MS)
      return save()
    },
    resume() {
      if (creds.privacyAnnouncement !== undefined) reading.requestAt(Date.now() + QUIET_MS)
    },
    stop: () => void reading.stop(),
  }
}
