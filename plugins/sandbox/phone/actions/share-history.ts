import { bundleOf } from '../messages/group-history.ts'
import { type Action, type ActionParts, requireField } from './action.ts'

/**
 * Shares the newest messages of a group with members (`Participants`), as a phone offers it to an admin who adds somebody: at most 100,
 * or `Data.Count`. The network refuses it unless the account may do so (AB prop 15313).
 */
export async function shareHistory(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const chat = requireField(action, 'Chat')
  const { Participants = [], Data } = action
  const receivers = Participants.map((who) => parts.network.account(who)?.lid ?? who)
  const stored = parts.messages().filter((message) => message.chat === chat)
  const count = Data?.['Count']
  const shared = { receivers, ...(typeof count === 'number' ? { count } : {}) }
  const { bundle, notice } = await bundleOf(parts, stored, shared)
  const Id = await parts.sendMessage(chat, bundle)
  await parts.sendMessage(chat, notice)
  return { Id }
}
