import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** Calls the listener at each failpoint of this process, in the same turn. @returns ends it. */
export function onFailpoint(listener: (name: string) => void): () => void {
  const receive = (name: unknown): void => listener(String(name))
  subscribe('wamux:failpoint', receive)
  return () => void unsubscribe('wamux:failpoint', receive)
}
