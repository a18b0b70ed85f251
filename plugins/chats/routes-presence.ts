import { Done } from 'wamux/messaging'
import { gatewayError, type LiveSession, type RouteBuilder, T } from 'wamux/plugin'
import { chatBy } from './fields.ts'
import type { Deps } from './routes.ts'

type State = 'composing' | 'recording' | 'paused'

/** What the other side sees while something is being written. It ends by itself after a while. */
export const presenceRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const show = (path: string, summary: string, state: State, Details: string) =>
    r.post(path, {
      summary,
      body: T.Object({ Jid: chatBy('Jid') }),
      response: Done,
      async handle({ body, session }, { targets }) {
        await sendChatState(session, targets.toChat(body.Jid), state)
        return { Details }
      },
    })
  return [
    show('/chat/typing/start', 'Show that a text is being written', 'composing', 'Typing started'),
    show('/chat/typing/stop', 'Show that nothing is being written any more', 'paused', 'Typing stopped'),
    show('/chat/recording/start', 'Show that audio is being recorded', 'recording', 'Recording started'),
    show(
      '/chat/recording/stop',
      'Show that nothing is being recorded any more',
      'paused',
      'Recording stopped',
    ),
  ]
}

async function sendChatState(session: LiveSession, chat: string, state: State): Promise<void> {
  if (!/@(s\.whatsapp\.net|lid|g\.us)$/.test(chat))
    throw gatewayError('FIELD_INVALID', ['Jid', 'must be a person or a group'])
  await session.socket.sendPresence(state, chat)
}
