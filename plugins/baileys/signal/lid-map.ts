import type { SignalDataSet, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import { isHostedPnUser, isLidUser, isPnUser, jidDecode } from '../baileys.ts'
import { correctionOf } from '../protocol/alt-jid.ts'
import { HOSTED_DEVICE } from '../protocol/business/hosted-jid.ts'
import { createCache } from '../socket/cache.ts'
import type { KeyStore } from './signal-keys.ts'

/** A person's LID and number, as JIDs. */
export interface LidPair {
  lid: string
  pn: string
  /** The number by which the person was looked up, where the network knows them by another spelling of it. */
  asked?: string
}

type Baileys = SignalRepositoryWithLIDStore['lidMapping']

/** What Baileys calls of its own store of LIDs, and what the gateway does. */
export interface LidMap
  extends Pick<
    Baileys,
    'storeLIDPNMappings' | 'getLIDForPN' | 'getLIDsForPNs' | 'getPNForLID' | 'getPNsForLIDs'
  > {
  close(): void
  /** Call it once the socket exists; until then, only stored pairs are known. */
  connect(lookUp: LookUp): void
  /** Stores the pairs of an answer to a look-up, which replace the stored ones. */
  storeAnswers(pairs: readonly LidPair[]): Promise<void>
  /** The number as the network knows it, if a look-up has corrected it; other JIDs unchanged. */
  corrected(jid: string): Promise<string>
  /** Queries the LID of a person, given in either form, again: the stored pair is out of date. */
  refresh(jid: string): Promise<void>
  /**
   * The identity key of a number has changed, so it may have a new owner: queries its LID, or forgets it if that fails. Resolves
   * when that has begun.
   */
  confirm(pn: string): Promise<void>
  /** Resolves when no query of `confirm` about this number is under way. */
  confirmed(pn: string): Promise<void>
}

/** A number has another LID than the stored one. */
export interface NewOwner extends LidPair {
  formerLid: string
}

/** Looks up the LIDs of numbers; empty where that fails. */
export type LookUp = (pns: string[]) => Promise<LidPair[]>

/** Users of both JIDs. */
interface Users {
  readonly lid: string
  readonly pn: string
}

const HOUR_MS = 3_600_000
const MAX_ASKED = 5_000
/** Device numbers whose sessions are looked for. */
const MAX_DEVICES = 100

/**
 * Maps LIDs to phone numbers, in place of Baileys' store, in which the last pair wins (Signal/lid-mapping.js). Sources are
 * ranked (whatsapp-rust src/client/lid_pn.rs): the answer to a look-up replaces the stored pair, and removes the pairs that the
 * LID or the number had before (whatsmeow store/sqlstore/lidmap.go). A pair from another source (history, groups,
 * notifications, messages) is stored only if neither side is known; if it contradicts, the network is queried, at most once an
 * hour per pair.
 *
 * What is stored under the number alone, from a time at which its LID was not known, goes with its owner.
 *
 * @param onNewOwner called when a number has another LID than the stored one.
 */
export function createLidMap(
  store: Pick<KeyStore, 'get' | 'set'>,
  onNewOwner: (owner: NewOwner) => void,
): LidMap {
  let lookUp: LookUp = async () => []
  const asked = createCache<true>(MAX_ASKED, HOUR_MS)
  const asking = new Map<string, Promise<LidPair[]>>()
  const confirming = new Map<string, Promise<void>>()

  async function users(names: readonly string[]): Promise<Record<string, string | undefined>> {
    return store.get('lid-mapping', [...names])
  }

  async function write(pairs: readonly Users[]): Promise<void> {
    for (const { lid, pn } of pairs) {
      const known = await users([pn, reverse(lid)])
      const [formerLid, formerPn] = [known[pn], known[reverse(lid)]]
      if (formerLid === lid && formerPn === pn) continue
      const former = await users([
        ...(formerLid ? [reverse(formerLid)] : []),
        ...(formerPn ? [formerPn] : []),
      ])
      const changes: Record<string, string | null> = { [pn]: lid, [reverse(lid)]: pn }
      if (formerLid && formerLid !== lid && former[reverse(formerLid)] === pn)
        changes[reverse(formerLid)] = null
      if (formerPn && formerPn !== pn && former[formerPn] === lid) changes[formerPn] = null
      const hasNewOwner = formerLid !== undefined && formerLid !== lid
      const dropped = hasNewOwner ? await keptByNumber(pn) : {}
      await store.set({ ...dropped, 'lid-mapping': changes as Record<string, string> })
      if (hasNewOwner)
        onNewOwner({ pn: Jid.ofPhone(pn), lid: Jid.ofLid(lid), formerLid: Jid.ofLid(formerLid) })
    }
  }

  /** Keeps which spelling of a number the network knows. */
  async function correct(pairs: readonly LidPair[]): Promise<void> {
    for (const { pn, asked = pn } of pairs) {
      const [number, given] = [jidDecode(pn)?.user, jidDecode(asked)?.user]
      if (!number || !given) continue
      const name = correctionOf(given)
      const { [name]: known } = await users([name])
      const next = number === given ? undefined : number
      if (known !== next)
        await store.set({ 'lid-mapping': { [name]: next ?? null } as unknown as Record<string, string> })
    }
  }

  /** The removal of what is stored under the number alone: Signal sessions with identity keys, and the privacy token. */
  async function keptByNumber(pn: string): Promise<SignalDataSet> {
    const numbers = Array.from({ length: MAX_DEVICES }, (_, device) => `${pn}.${device}`)
    const addresses = [...numbers, `${pn}_128.${HOSTED_DEVICE}`]
    const stored = await store.get('session', addresses)
    const gone = Object.fromEntries(addresses.filter((one) => stored[one]).map((one) => [one, null]))
    return {
      session: gone,
      'identity-key': { ...gone, [`${pn}.0`]: null },
      tctoken: { [Jid.ofPhone(pn)]: null },
    }
  }

  async function forget(pn: string): Promise<void> {
    const { [pn]: lid } = await users([pn])
    if (lid)
      await store.set({
        'lid-mapping': { [pn]: null, [reverse(lid)]: null } as unknown as Record<string, string>,
      })
  }

  /** One look-up of a number at a time. */
  function ask(pns: readonly string[]): Promise<LidPair[]> {
    const key = [...pns].sort().join()
    const pending = asking.get(key)
    if (pending !== undefined) return pending
    const answer = lookUp([...pns])
      .then(async (pairs) => {
        await map.storeAnswers(pairs)
        return pairs
      })
      .finally(() => asking.delete(key))
    asking.set(key, answer)
    return answer
  }

  const map: LidMap = {
    async storeLIDPNMappings(pairs) {
      for (const { lid, pn } of pairs.flatMap(toUsers)) {
        const known = await users([pn, reverse(lid)])
        const [knownLid, knownPn] = [known[pn], known[reverse(lid)]]
        if (knownLid === lid && knownPn === pn) continue
        if ((knownLid ?? lid) === lid && (knownPn ?? pn) === pn) await write([{ lid, pn }])
        else askAgain(pn, lid)
      }
    },
    async storeAnswers(pairs) {
      await write(pairs.flatMap(toUsers))
      await correct(pairs)
    },
    async corrected(jid) {
      const user = isPnUser(jid) ? jidDecode(jid)?.user : undefined
      if (user === undefined) return jid
      const name = correctionOf(user)
      const { [name]: number } = await users([name])
      return number ? Jid.ofPhone(number) : jid
    },
    async refresh(jid) {
      const user = jidDecode(jid)?.user
      if (user === undefined) return
      const name = reverse(user)
      const pn = isPnUser(jid) ? user : isLidUser(jid) ? (await users([name]))[name] : undefined
      if (pn) await ask([Jid.ofPhone(pn)])
    },
    async confirm(jid) {
      const pn = jidDecode(jid)?.user ?? ''
      if (!isPnUser(jid) || !pn) return
      const { [pn]: known } = await users([pn])
      if (!known) await store.set(await keptByNumber(pn))
      const answer = ask([Jid.ofPhone(pn)])
        .catch(() => [])
        .then((pairs) => (pairs.length === 0 ? forget(pn) : undefined))
      const done = answer.catch(() => undefined).finally(() => confirming.delete(pn))
      confirming.set(pn, done)
    },
    confirmed: async (jid) => confirming.get(jidDecode(jid)?.user ?? ''),
    getLIDForPN: async (pn) => (await map.getLIDsForPNs([pn]))?.[0]?.lid ?? null,
    async getLIDsForPNs(pns) {
      const numbers = pns.filter((pn) => isPnUser(pn) || isHostedPnUser(pn))
      if (confirming.size > 0) await Promise.all(numbers.map(map.confirmed))
      const userOf = (jid: string): string => jidDecode(jid)?.user ?? ''
      const known = await users(numbers.map(userOf))
      const unknown = [...new Set(numbers.map(userOf).filter((user) => !known[user]))]
      const answers = unknown.length > 0 ? await ask(unknown.map(Jid.ofPhone)) : []
      const answered = new Map(
        answers
          .flatMap(({ lid, pn, asked = pn }) => toUsers({ lid, pn: asked }))
          .map(({ pn, lid }) => [pn, lid]),
      )
      const found = numbers.flatMap((pn) => {
        const lid = known[userOf(pn)] ?? answered.get(userOf(pn))
        return lid ? [{ pn, lid: withDeviceOf(pn, lid, 'lid', 'hosted.lid') }] : []
      })
      return found.length > 0 ? found : null
    },
    getPNForLID: async (lid) => (await map.getPNsForLIDs([lid]))?.[0]?.pn ?? null,
    async getPNsForLIDs(lids) {
      const given = lids.filter((lid) => isLidUser(lid))
      const known = await users(given.map((lid) => reverse(jidDecode(lid)?.user ?? '')))
      const found = given.flatMap((lid) => {
        const pn = known[reverse(jidDecode(lid)?.user ?? '')]
        return pn ? [{ lid, pn: withDeviceOf(lid, pn, 's.whatsapp.net', 'hosted') }] : []
      })
      return found.length > 0 ? found : null
    },
    close: () => asking.clear(),
    connect(given) {
      lookUp = given
    },
  }

  function askAgain(pn: string, lid: string): void {
    const pair = `${pn} ${lid}`
    if (asked.get(pair)) return
    asked.set(pair, true)
    ask([Jid.ofPhone(pn)]).catch(() => undefined)
  }

  return map
}

function reverse(lid: string): string {
  return `${lid}_reverse`
}

/** Either may be in the place of the other. */
function toUsers({ lid, pn }: LidPair): Users[] {
  if (isPnUser(lid) && isLidUser(pn)) return toUsers({ lid: pn, pn: lid })
  const [a, b] = [jidDecode(lid)?.user, jidDecode(pn)?.user]
  return isLidUser(lid) && isPnUser(pn) && a && b ? [{ lid: a, pn: b }] : []
}

function withDeviceOf(jid: string, user: string, server: string, hosted: string): string {
  const { device } = jidDecode(jid) ?? {}
  const isHosted = jid.endsWith('@hosted') || jid.endsWith('@hosted.lid')
  return `${user}${device ? `:${device}` : ''}@${isHosted ? hosted : server}`
}
