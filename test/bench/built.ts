import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A module of wamux as it is installed, that is of what `npm run build` made. Its types come from the source. */
export function built<M>(path: string): Promise<M> {
  return import(pathToFileURL(resolve('dist', `${path}.js`)).href)
}
