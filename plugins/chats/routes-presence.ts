import { Done } from 'wamux/messaging'
import { gatewayError, type LiveSession, type RouteBuilder, T } from 'wamux/plugin'
import { chatBy } from './fields.ts'
import type { Deps } from './routes.ts'

type State = 'composing' | 'recording' | 'paused'

/** Typing and recording indicators. They expire after some seconds. */
export const presenceRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const show = (path: string, summary: string, state: State, Details: string) =>
    r.post(path, {
      ignoresUnknown: true,
      leaves: ['recipient'],
      summary,
      description: 'It expires after some seconds. Stop it when the person leaves the input.',
      example: { Jid: '5511999999999' },
      body: T.Object({ Jid: chatBy('Jid') }),
      response: Done,
      async handle({ body, session }, { targets }) {
        await sendChatState(session, await targets.resolveChat(session, body.Jid, 'Jid'), state)
        return { Details }
      },
    })
  return [
    show('/chat/typing/start', 'Show the typing indicator', 'composing', 'Typing started'),
    show('/chat/typing/stop', 'End the typing indicator', 'paused', 'Typing stopped'),
    show('/chat/recording/start', 'Show the recording indicator', 'recording', 'Recording started'),
    show('/chat/recording/stop', 'End the recording indicator', 'paused', 'Recording stopped'),
  ]
}

async function sendChatState(session: LiveSession, chat: string, state: State): Promise<void> {
  if (!/@(s\.whatsapp\.net|lid|g\.us)$/.test(chat))
    throw gatewayError('FIELD_INVALID', ['Jid', 'must be a person or a group'])
  await session.socket.sendPresence(state, chat)
}
