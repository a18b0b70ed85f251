import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gatewayError } from './errors.ts'

/** The file of a package or path as seen from a folder. Throws the errors of Node. */
export function resolveFrom(folder: string, specifier: string): string {
  return createRequire(join(folder, 'package.json')).resolve(specifier)
}

/**
 * The file of a package of wamux: in the operator's folder, or installed beside this package, for example globally. Throws
 * PACKAGE_MISSING.
 */
export function resolvePackage(plugin: string, specifier: string, base: string): string {
  try {
    return resolveFrom(base, specifier)
  } catch {
    return resolveBeside(plugin, specifier)
  }
}

function resolveBeside(plugin: string, specifier: string): string {
  try {
    return createRequire(import.meta.url).resolve(specifier)
  } catch (cause) {
    const name = specifier.split('/').slice(0, 2).join('/')
    throw gatewayError('PACKAGE_MISSING', [plugin, name, name], { cause })
  }
}
