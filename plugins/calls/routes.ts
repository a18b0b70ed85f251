import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, Done, LENGTHS, unixSeconds } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
} from 'wamux/plugin'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

/** The address of call links is that of no account. */
const LINKS = '@call'
const FOLDERS = { audio: 'voice', video: 'video' } as const

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/call/reject', {
    leaves: ['recipient'],
    summary: 'Reject an incoming call',
    description:
      'By `CallID` and `From` of the event `CallOffer`, as long as it rings: the caller hears that it was rejected, and the other devices of the account stop ringing. Group calls cannot be rejected. The setting `reject` of the plugin `calls` rejects all calls as they come.',
    example: { CallID: '8B2F3C4D5E6F708192A3B4C5D6E7F809', Phone: '5511999999999' },
    body: T.Object({
      CallID: T.String({
        minLength: 1,
        maxLength: 128,
        format: 'id',
        names: 'none',
        // An @ would be taken for a JID by the encoder.
        pattern: '^[\\x21-\\x3f\\x41-\\x7e]+$',
        aliases: ['call_id', 'Id'],
        description: 'Id of the call',
      }),
      Phone: T.String({
        minLength: 1,
        maxLength: LENGTHS.id,
        format: 'phone',
        aliases: ['From', 'call_from', 'Number', 'Jid'],
        description: 'The caller: number or JID',
      }),
    }),
    errors: ['ITEM_UNKNOWN'],
    response: Done,
    async handle({ body, session }, { targets }) {
      const caller = await targets.resolveUser(session, body.Phone)
      const attrs = { 'call-id': body.CallID, 'call-creator': caller, count: '0' }
      await signal(session, caller, { tag: 'reject', attrs }, 'reject the call')
      return { Details: 'Call rejected' }
    },
  }),
  r.post('/call/link', {
    leaves: [],
    summary: 'Create a link with which people join a call',
    description:
      'Whoever has the link may join, in the apps: the gateway takes no part in calls. With `Start` the link is for a planned call.',
    example: { Media: 'video', Start: '2030-12-24T18:00:00Z' },
    body: T.Object({
      Media: T.Optional(T.Enum(['audio', 'video'] as const, { description: 'audio when absent' })),
      Start: T.Optional(
        T.String({ maxLength: 64, format: 'date-time', description: 'When the call begins, RFC 3339' }),
      ),
    }),
    response: T.Object({ Details: T.String(), Link: T.String(), Token: T.String() }),
    async handle({ body, session }) {
      const { Media: media = 'audio', Start } = body
      const event = Start ? [{ tag: 'event', attrs: { start_time: String(unixSeconds(Start)) } }] : undefined
      const request: BinaryNode = {
        tag: 'link_create',
        attrs: { media },
        ...(event ? { content: event } : {}),
      }
      const answer = await signal(session, LINKS, request, 'create the call link')
      const token = child(answer, 'link_create')?.attrs['token']
      if (!token) throw gatewayError('NETWORK_FAILED', ['create the call link', 'the answer has no token'])
      const Link = `https://call.whatsapp.com/${FOLDERS[media]}/${token}`
      return { Details: 'Call link created', Link, Token: token }
    },
  }),
]

/** Sends a part of a call; the network answers with an ack, which names an error in its attributes. */
async function signal(
  { socket }: LiveSession,
  to: string,
  part: BinaryNode,
  verb: string,
): Promise<BinaryNode> {
  const ack = await socket.query({ tag: 'call', attrs: { to }, content: [part] }, verb)
  const { error } = ack.attrs
  if (error === '404') throw gatewayError('ITEM_UNKNOWN', ['Call'])
  if (error) throw gatewayError('NETWORK_FAILED', [verb, `refused with code ${error}`])
  return ack
}
