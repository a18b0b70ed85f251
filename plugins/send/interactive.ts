import { type Flow, flowNodes, type Interactive } from 'wamux/messaging'
import type { GatewayServices } from 'wamux/plugin'

type Request = Parameters<GatewayServices['sender']['send']>[1] & { body: { Phone: string } }

type Services = Pick<GatewayServices, 'sender' | 'targets'>

/** Sends an interactive message with the stanza nodes that phones require to show it. */
export async function sendInteractive(
  { sender, targets }: Services,
  path: string,
  request: Request,
  flow: Flow,
  make: (chat: string) => Promise<Interactive> | Interactive,
) {
  const chat = await targets.resolveChat(request.session, request.body.Phone)
  const content = async () => ({ proto: { interactiveMessage: await make(chat) } })
  return sender.send(path, request, content, { chat, nodes: flowNodes(chat, flow) })
}
