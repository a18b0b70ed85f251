import { eventually } from '../support/eventually.ts'
import type { Client, ClientEvent } from './protocol.ts'

type EventOf<K extends ClientEvent['is']> = Extract<ClientEvent, { is: K }>

/** A companion in the process of a client library. */
export interface Companion extends Client {
  /** What it has reported, oldest first. */
  readonly events: readonly ClientEvent[]
  /** Waits for an event, past or future, of this kind that `matches`. */
  until<K extends ClientEvent['is']>(
    kind: K,
    what: string,
    matches?: (event: EventOf<K>) => boolean,
  ): Promise<EventOf<K>>
  /** Forgets what it has reported. */
  forget(): void
}

/** No event for this long is a failure. */
const QUIET_MS = 12_000

export function createCompanion(call: (method: keyof Client, args: readonly unknown[]) => Promise<unknown>): {
  companion: Companion
  report(event: ClientEvent): void
} {
  const events: ClientEvent[] = []
  const run =
    (method: keyof Client) =>
    async (...args: unknown[]): Promise<void> =>
      void (await call(method, args))
  const runForText =
    (method: keyof Client) =>
    async (...args: unknown[]): Promise<string> =>
      String(await call(method, args))

  const companion: Companion = {
    events,
    async until<K extends ClientEvent['is']>(
      kind: K,
      what: string,
      matches: (event: EventOf<K>) => boolean = () => true,
    ) {
      const find = () =>
        events.find((event): event is EventOf<K> => event.is === kind && matches(event as EventOf<K>))
      const progress = () => events.length
      await eventually(find, what, { progress, quietMs: QUIET_MS })
      const found = find()
      if (!found) throw new Error(`not ${what}`)
      return found
    },
    forget: () => void events.splice(0),
    link: run('link'),
    connect: run('connect'),
    disconnect: run('disconnect'),
    text: runForText('text'),
    image: runForText('image'),
    async download(id) {
      const file = await call('download', [id])
      if (file instanceof Uint8Array) return file
      throw new Error('the download is not bytes')
    },
    createGroup: runForText('createGroup'),
    leaveGroup: run('leaveGroup'),
    read: run('read'),
    type: run('type'),
    goOnline: run('goOnline'),
    watch: run('watch'),
    rejectCall: run('rejectCall'),
    setChat: run('setChat'),
    createNewsletter: runForText('createNewsletter'),
    followNewsletter: run('followNewsletter'),
  }
  return { companion, report: (event) => void events.push(event) }
}
