import { eventStream, type RouteBuilder, T } from 'wamux/plugin'
import { type StreamParts, streamOfSession } from './stream.ts'

/** The progress of linking, for a page of the operator. */
export const linkingRoutes = <D extends StreamParts>(r: RouteBuilder<D>) => [
  r.get('/session/linking/stream', {
    summary: 'Stream the states of linking as server-sent events',
    description:
      'The states that the page of a one-time link shows: `State` is `preparing`, `scan` with the QR code as `Image` and the milliseconds for which it is valid, `waiting`, `passkey` with its `Step`, `finishing`, `linked`, or `failed` with a `Reason`. An event `alive` follows every 4 seconds: hide the code if it does not arrive. The stream starts nothing; `POST /session/connect` does.',
    access: 'token',
    scope: 'manage',
    response: T.Unknown({ contentMediaType: 'text/event-stream', description: 'Server-sent events' }),
    async handle({ session, signal }, deps) {
      return eventStream(streamOfSession(session.id, deps, signal))
    },
  }),
]
