import type { WASocket } from '@whiskeysockets/baileys'
import { type GatewayError, gatewayError } from 'wamux/plugin'
import type { Built } from '../../protocol/built.ts'
import { refusalOfAck } from '../../protocol/refusal.ts'
import type { Ack } from '../acks.ts'
import { nameOfToken, type PrivacyToken } from './privacy-tokens.ts'

/** A refusal that may last until a known time (ISO 8601). */
export type NewChatRefusal = GatewayError & { readonly until?: string }

export interface NewChatRefusalParts {
  wa: Pick<WASocket, 'fetchAccountReachoutTimelock' | 'fetchNewChatMessageCap'>
  privacyToken: PrivacyToken
  /** Updates the settings, which may contain a newer salt. */
  pullSalt(): Promise<void>
}

/** Interprets the codes with which WhatsApp refuses a message to a new contact. */
export interface NewChatRefusals {
  /** Whether a token other than the one sent is available: the message may then be sent once more. */
  hasAnotherToken(built: Built, ack: Ack): Promise<boolean>
  /** The error in the table for any code of a refusing ack. */
  refusalOf(code: string, built: Built, ack?: Ack): Promise<NewChatRefusal>
}

/** 463: no token for this recipient, or the account may start no new chats. 475: the quota of new chats is used up. */
const STRANGER = '463'
const CAPPED = '475'

/** The end of a restriction: undefined without one, 'unknown' if WhatsApp did not tell. */
type End = Date | 'unknown' | undefined

/**
 * 463 has two meanings (Baileys#2441, #2707), which a query of the account's timelock tells apart. It is made once for each
 * refusal. A message of a locked account is never sent again, since each attempt counts against the account.
 */
export function createNewChatRefusals({ wa, privacyToken, pullSalt }: NewChatRefusalParts): NewChatRefusals {
  /** Results of the query, by refusing ack. */
  const locks = new WeakMap<Ack, Promise<End>>()

  async function timelock(ack: Ack | undefined): Promise<End> {
    const answer = await wa.fetchAccountReachoutTimelock().catch(() => undefined)
    if (answer) return answer.isActive ? (answer.timeEnforcementEnds ?? 'unknown') : undefined
    // If a message had its token, it was refused for another reason.
    return ack?.token ? 'unknown' : undefined
  }

  function lockOf(ack: Ack | undefined): Promise<End> {
    const known = ack && locks.get(ack)
    const lock = known ?? timelock(ack)
    if (ack) locks.set(ack, lock)
    return lock
  }

  async function capEnd(): Promise<Date | 'unknown'> {
    const cap = await wa.fetchNewChatMessageCap().catch(() => undefined)
    const seconds = Number(cap?.cycle_end_timestamp ?? 0)
    return seconds > 0 ? new Date(seconds * 1000) : 'unknown'
  }

  return {
    async hasAnotherToken({ chat }, ack) {
      if (ack.error !== STRANGER || (await lockOf(ack))) return false
      await pullSalt().catch(() => undefined)
      const token = nameOfToken(await privacyToken(chat))
      return token !== '' && token !== ack.token
    },
    async refusalOf(code, built, ack) {
      if (code === CAPPED) return restricted(await capEnd(), code)
      if (code !== STRANGER) return refusalOfAck(code, built)
      const lock = await lockOf(ack)
      return lock ? restricted(lock, code) : gatewayError('TOKEN_MISSING', [built.chat])
    },
  }
}

function restricted(end: Date | 'unknown', code: string): NewChatRefusal {
  if (end === 'unknown') return gatewayError('ACCOUNT_RESTRICTED', ['at present', code])
  const until = end.toISOString()
  const retryAfter = Math.max(1, Math.ceil((end.getTime() - Date.now()) / 1000))
  return Object.assign(gatewayError('ACCOUNT_RESTRICTED', [`until ${until}`, code], { retryAfter }), {
    until,
  })
}
