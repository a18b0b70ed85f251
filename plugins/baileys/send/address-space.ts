import type { AbProp } from '../app-state/ab-props.ts'
import { areJidsSameUser, isLidUser, jidDecode, jidNormalizedUser } from '../baileys.ts'
import { chatJid, deviceJid } from '../protocol/business/hosted-jid.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import type { Me } from '../protocol/signals.ts'
import type { LidMap } from '../signal/lid-map.ts'

/** AB prop: whether the account's 1:1 chats are addressed by LID (lid_one_on_one_migration_enabled). */
export const LID_MIGRATED = 9435

export interface AddressSpaceParts {
  creds: StoredCreds
  abProp: AbProp
  me(): Me
  /** The other form of a person's JID; asks the network for an unknown LID. '' when unknown. */
  altJid(jid: string): Promise<string>
  lids: Pick<LidMap, 'refresh' | 'corrected'>
  save(): Promise<void>
  onFailure(error: unknown): void
}

/**
 * The space of addresses in which an account writes to people: all addresses of a 1:1 message are LIDs if the account's chats have
 * been migrated, and else numbers. WhatsApp refuses a message in the other one with 400 (whatsapp-rust#730, #941). Baileys takes the
 * space of the JID that it is given for all of them (Socket/messages-send.js relayMessage).
 */
export interface AddressSpace {
  /** The chat as its messages name it on the wire; also of one device, and in the space that was not tried yet. */
  address(jid: string, isOther?: boolean): Promise<string>
  /** Looks the chat up again: its LID is not, or no longer, a recipient, or its number is not. */
  refresh(chat: string): Promise<void>
  /** Whether the addresses are LIDs. */
  isLid(): boolean
  /** The chat by the number that the network knows, where it was given by another spelling. */
  nameOf(chat: string): Promise<string>
  /** The number of somebody who is addressed by LID, where it is known: `peer_recipient_pn`. */
  numberOf(address: string): Promise<string>
  /** A message was accepted in the space that was not expected. */
  learn(address: string): void
}

export function createAddressSpace(parts: AddressSpaceParts): AddressSpace {
  const { creds, abProp, me, altJid, lids, save, onFailure } = parts
  /** What the acks of this link have shown. */
  let learnt: boolean | undefined

  function isLid(): boolean {
    if (learnt !== undefined) return learnt
    // For good: the next link has no props before it has sent its first messages.
    if (!creds.isLidMigrated && abProp(LID_MIGRATED, false)) migrated()
    return creds.isLidMigrated === true
  }

  function migrated(): void {
    creds.isLidMigrated = true
    save().catch(onFailure)
  }

  async function otherForm(jid: string): Promise<string> {
    const { id, lid } = me()
    const own = isLidUser(jid) ? id : lid
    const isOwn = areJidsSameUser(jid, id) || areJidsSameUser(jid, lid)
    return jidNormalizedUser(isOwn ? own : await altJid(jidNormalizedUser(jid)).catch(() => ''))
  }

  return {
    async address(jid, isOther = false) {
      const given = chatJid(jid)
      if (!isPerson(given)) return jid
      const person = await lids.corrected(given)
      if (isLidUser(person) === (isLid() !== isOther)) return person === given ? jid : person
      const other = await otherForm(person)
      const device = jidDecode(jid)?.device
      // Without a mapping there is only this one.
      return other && device ? deviceJid(other, device) : other || jid
    },
    refresh: lids.refresh,
    isLid,
    nameOf: lids.corrected,
    async numberOf(address) {
      return isLidUser(address) ? otherForm(address) : ''
    },
    learn(address) {
      if (!isPerson(address)) return
      learnt = isLidUser(address) === true
      if (learnt && !creds.isLidMigrated) migrated()
    },
  }
}
