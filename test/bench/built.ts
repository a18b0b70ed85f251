import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A module of wamux as `npm run build` compiled it, before it was bundled. Its types come from the source. */
export function built<M>(path: string): Promise<M> {
  return import(pathToFileURL(resolve('build', `${path}.js`)).href)
}
