import { gatewayError } from 'wamux/plugin'
import { HOSTED_DEVICE, serverOf, withDevice } from '../../stanza.ts'
import { compose, type Draft } from '../messages/compose.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { removeCompanion } from './remove-companion.ts'

type Fields = Record<string, unknown>

/** Lets the Cloud API write for the business beside its app (coexistence), as a hosted device of the account; returns its `JID`. */
export async function addHostedDevice({ account, hosted, keyIndexes }: ActionParts): Promise<Fields> {
  if (!account.business || hosted.isAdded)
    throw gatewayError('FIELD_INVALID', ['Phone', 'must be a business without a hosted device'])
  // Others look the list up as soon as they are told of the device.
  keyIndexes.addHosted()
  return { JID: await hosted.add() }
}

/** Ends the coexistence: the business removes the hosted device, as any companion. */
export async function removeHostedDevice(parts: ActionParts): Promise<Fields> {
  const { account, hosted } = parts
  assertAdded(parts)
  await removeCompanion(parts, withDevice(account.jid, HOSTED_DEVICE))
  await hosted.remove()
  return {}
}

/**
 * Sends `Text`, or `Data.Message` as in `POST /sandbox/phones/{phone}/send`, to the person `Chat` through the Cloud API. WhatsApp
 * Web does not show what a hosted device writes elsewhere (WR wam-catalog E2eFailureReason 72 to 74).
 */
export async function writeFromHosted(parts: ActionParts, action: Action): Promise<Fields> {
  const { hosted, chatOf, wire, uplink } = parts
  const chat = chatOf(requireField(action, 'Chat'))
  assertAdded(parts)
  if (!['lid', 's.whatsapp.net'].includes(serverOf(chat) ?? ''))
    throw gatewayError('FIELD_INVALID', ['Chat', 'must be a person: a hosted device writes to no others'])
  const given = action.Data?.['Message'] as Draft['Message']
  const message = given ?? { extendedTextMessage: { text: requireField(action, 'Text') } }
  return { Id: await hosted.send(chat, await compose(wire, uplink, { Message: message })) }
}

function assertAdded({ hosted }: ActionParts): void {
  if (!hosted.isAdded) throw gatewayError('FIELD_INVALID', ['Phone', 'has no hosted device'])
}
