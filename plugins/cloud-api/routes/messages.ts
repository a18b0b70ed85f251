import type { Kernel, RouteBuilder } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { GRAPH, ROOT } from '../graph/dialect.ts'
import { Graph } from '../graph/graph-error.ts'
import { assertOwn } from '../graph/number-id.ts'
import { MessageBody } from '../messages/body.ts'
import { type SendDeps, sendGraph } from '../messages/send.ts'

export const messageRoutes = <D extends Kernel<CloudConfig> & SendDeps>(r: RouteBuilder<D>) => [
  r.post(`${ROOT}/:id/messages`, {
    ...GRAPH,
    leaves: ['recipient'],
    summary: 'Cloud API: send a message, or mark one as read',
    description:
      'Like `POST /{phone-number-id}/messages` of the Cloud API. Kinds without a form in WhatsApp Web are sent as described in the README of the plugin; others are refused with a Graph error.',
    example: {
      messaging_product: 'whatsapp',
      to: '5511999999999',
      type: 'text',
      text: { body: 'Hello!' },
    },
    scope: 'send',
    errors: [
      'CLOUD_OBJECT_UNKNOWN',
      'CLOUD_UNSUPPORTED',
      'CLOUD_TEMPLATE_UNKNOWN',
      'CLOUD_TEMPLATE_PARAMETERS',
    ],
    body: MessageBody,
    response: Graph('`messages[0].id` is the id of the message in later webhooks'),
    async handle({ body, session, viewer, params, header, traceparent }, deps) {
      assertOwn(session, params['id'], deps.sessionSettings)
      return sendGraph({ session, viewer, body, header, traceparent }, deps)
    },
  }),
]
