import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'

/**
 * Companions cannot open a message that is viewed once: those of the kind of a browser get its stanza without ciphertext (WR
 * src/message/tests.rs). The network knows such a message only by this mark of its sender (WR#743).
 */
export function isViewOnce(message: Stanza): boolean {
  return metaOf(message)['view_once'] === 'true'
}

export function withoutContent(encs: readonly Stanza[]): Stanza[] {
  return encs.length > 0 ? [el('unavailable', { type: 'view_once' })] : []
}

/**
 * Whether a message of the type `media` does not say of which kind it is. WhatsApp drops it (WR wacore/src/send/classify.rs), whether
 * with an ack is not known. What is sent again to one device has no kind (zapo src/retry/replay.ts).
 */
export function isKindless({ faults }: NetworkState, message: Stanza): boolean {
  if (message.attrs['type'] !== 'media' || faults.networkWide.lenientForms) return false
  const [first] = children(child(message, 'participants'), 'to')
  const body = child(message, 'enc') ?? child(first, 'enc')
  return body !== undefined && !body.attrs['mediatype']
}

/** The setting is of posts alone: a reaction that has one is refused (WR src/send/mod.rs). */
export function isMisformedStatus(message: Stanza): boolean {
  const isReaction = message.attrs['type'] === 'reaction'
  return message.attrs['addressing_mode'] !== undefined || (isReaction && settingOf(message) !== '')
}

/** Whether a status post does not say to whom it is shown. Revocations and reactions do not (WR wacore/src/send/status.rs). */
export function lacksSetting(message: Stanza): boolean {
  const { type, edit } = message.attrs
  return settingOf(message) === '' && type !== 'reaction' && edit === undefined
}

/** `contacts`, `allowlist` or `denylist`; '' if the post has none. */
export function settingOf(message: Stanza): string {
  return metaOf(message)['status_setting'] ?? ''
}

function metaOf(message: Stanza): Record<string, string> {
  return Object.assign({}, ...children(message, 'meta').map(({ attrs }) => attrs)) as Record<string, string>
}
