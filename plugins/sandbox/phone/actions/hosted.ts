import { gatewayError } from 'wamux/plugin'
import { type Action, type ActionParts, requireField } from './action.ts'

type Fields = Record<string, unknown>

/** Lets the Cloud API write for the business beside its app (coexistence), as a hosted device of the account; returns its `JID`. */
export async function addHostedDevice({ account, hosted, keyIndexes }: ActionParts): Promise<Fields> {
  if (!account.business || hosted.isAdded)
    throw gatewayError('FIELD_INVALID', ['Phone', 'must be a business without a hosted device'])
  // Others look the list up as soon as they are told of the device.
  keyIndexes.addHosted()
  return { JID: await hosted.add() }
}

/** Sends `Text` to `Chat` through the Cloud API. */
export async function writeFromHosted(parts: ActionParts, action: Action): Promise<Fields> {
  const { hosted, chatOf, wire } = parts
  const [chat, text] = [requireField(action, 'Chat'), requireField(action, 'Text')]
  if (!hosted.isAdded) throw gatewayError('FIELD_INVALID', ['Phone', 'has no hosted device'])
  const message = wire.proto.Message.fromObject({ extendedTextMessage: { text } })
  return { Id: await hosted.send(chatOf(chat), message) }
}
