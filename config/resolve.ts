import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The file that a package or path is, as seen from a folder. Throws the errors of Node. */
export function resolveFrom(folder: string, specifier: string): string {
  return createRequire(join(folder, 'package.json')).resolve(specifier)
}

/** A package of wamux: in the operator's folder, or installed beside this package, for example globally. Throws the errors of Node. */
export function resolvePackage(specifier: string, base: string): string {
  try {
    return resolveFrom(base, specifier)
  } catch {
    return createRequire(import.meta.url).resolve(specifier)
  }
}
