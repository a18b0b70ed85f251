import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A module of libsignal as the patches have changed it, and a second copy as it is without them. */
export function patchedModule<M>(name: string): { ours: M; theirs: M } {
  const path = require.resolve(name)
  const ours = require(path) as M
  const patched = require.cache[path]
  delete require.cache[path]
  const theirs = require(path) as M
  if (patched) require.cache[path] = patched
  return { ours, theirs }
}
